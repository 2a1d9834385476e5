// SPDX-License-Identifier: GPL-2.0

//! Objects that are made in stages.

use std::ffi::{c_int, c_void};

use ub_abi::*;
use ub_client::staged::{self, Class, StageOptions};
use ub_client::tlv::Cmd;
use ub_urma::*;

use super::queues::*;
use super::*;

/// All classes agree on the numbers of these attributes.
const OPT_IDS: (u32, u32) = (UBURMA_SET_JFC_OPT_IN_UDATA, UBURMA_SET_JFC_OPT_OUT_UDATA);

/// Whether an option names another object: then its handle is sent.
fn is_bind(opt: u64) -> bool {
    [
        UBURMA_OPT_JFS_BIND_JFC,
        UBURMA_OPT_JFR_BIND_JFC,
        UBURMA_OPT_JETTY_BIND_JFR,
        UBURMA_OPT_JETTY_BIND_RX_JFC,
    ]
    .contains(&(opt as u32))
}

/// Sets an option of an object with this handle.
unsafe fn set_opt(
    class: Class,
    (fd, handle): (c_int, u64),
    opt: u64,
    buf: *mut c_void,
    len: u32,
    udata: *mut urma_cmd_udrv_priv,
) -> c_int {
    // SAFETY: as the caller promises: of options that bind, the value is a pointer to an object,
    // whose handle comes at a place that depends on its kind.
    let value = unsafe {
        if is_bind(opt) {
            let object = buf.cast::<*mut c_void>().read_unaligned();
            let handle = if opt as u32 == UBURMA_OPT_JETTY_BIND_JFR {
                (*object.cast::<urma_jfr>()).handle
            } else {
                (*object.cast::<urma_jfc>()).handle
            };
            handle.to_ne_bytes().to_vec()
        } else {
            std::slice::from_raw_parts(buf.cast::<u8>(), len as usize).to_vec()
        }
    };
    run(
        &mut with_udata(class.set_cmd(handle, opt, &value), OPT_IDS, udata),
        fd,
    )
}

/// Reads an option.
unsafe fn get_opt(
    class: Class,
    (fd, handle): (c_int, u64),
    opt: u64,
    buf: *mut c_void,
    len: u32,
    udata: *mut urma_cmd_udrv_priv,
) -> c_int {
    let ids = (UBURMA_GET_JFC_OPT_IN_UDATA, UBURMA_GET_JFC_OPT_OUT_UDATA);
    let mut cmd = with_udata(class.get_cmd(handle, opt, len as usize), ids, udata);
    let ret = run(&mut cmd, fd);
    if ret == 0 {
        let length = cmd.get_u32(UBURMA_GET_JFC_OPT_OUT_LEN).min(len) as usize;
        let value = cmd
            .pointed(UBURMA_GET_JFC_OPT_IN_BUF, length)
            .unwrap_or_default();
        // SAFETY: as the caller promises.
        unsafe { std::ptr::copy_nonoverlapping(value.as_ptr(), buf.cast(), value.len()) };
    }
    ret
}

/// Takes an object out of work.
unsafe fn deactivate(
    class: Class,
    (fd, handle): (c_int, u64),
    udata: *mut urma_cmd_udrv_priv,
) -> c_int {
    let ids = (UBURMA_DEACTIVE_JFC_IN_UDATA, UBURMA_DEACTIVE_JFC_OUT_UDATA);
    run(
        &mut with_udata(class.deactivate_cmd(handle), ids, udata),
        fd,
    )
}

/// Frees an object; the command holds the counters.
unsafe fn free(
    class: Class,
    (fd, handle): (c_int, u64),
    udata: *mut urma_cmd_udrv_priv,
) -> (c_int, Cmd) {
    let out = match class {
        Class::Jfc => UBURMA_FREE_JFC_OUT_UDATA,
        _ => UBURMA_FREE_JFR_OUT_UDATA,
    };
    let mut cmd = with_udata(
        class.free_cmd(handle),
        (UBURMA_FREE_JFC_IN_UDATA, out),
        udata,
    );
    (run(&mut cmd, fd), cmd)
}

/// What the options of a queue ask for.
fn options(opt: &urma_jfs_opt) -> StageOptions {
    StageOptions {
        mask: opt.jfs_opt_mask,
        id: opt.urma_jfs_id,
    }
}

macro_rules! at {
    ($object:expr) => {
        (dev_fd((*$object).urma_ctx), (*$object).handle)
    };
}

/// The functions that are alike for all classes.
macro_rules! classes {
    ($($class:expr, $ty:ty: $set:ident $get:ident $deactivate:ident;)*) => {
        exports! {$(
            fn $set(
                object: *mut $ty,
                opt: u64,
                buf: *mut c_void,
                len: u32,
                udata: *mut urma_cmd_udrv_priv,
            ) -> c_int {
                set_opt($class, at!(object), opt, buf, len, udata)
            }

            fn $get(
                object: *mut $ty,
                opt: u64,
                buf: *mut c_void,
                len: u32,
                udata: *mut urma_cmd_udrv_priv,
            ) -> c_int {
                get_opt($class, at!(object), opt, buf, len, udata)
            }

            fn $deactivate(object: *mut $ty, udata: *mut urma_cmd_udrv_priv) -> c_int {
                deactivate($class, at!(object), udata)
            }
        )*}
    };
}

classes! {
    Class::Jfc, urma_jfc: urma_cmd_set_jfc_opt urma_cmd_get_jfc_opt urma_cmd_deactive_jfc;
    Class::Jfs, urma_jfs: urma_cmd_set_jfs_opt urma_cmd_get_jfs_opt urma_cmd_deactive_jfs;
    Class::Jfr, urma_jfr: urma_cmd_set_jfr_opt urma_cmd_get_jfr_opt urma_cmd_deactive_jfr;
    Class::Jetty, urma_jetty: urma_cmd_set_jetty_opt urma_cmd_get_jetty_opt urma_cmd_deactive_jetty;
}

/// The functions that differ.
mod each {
    use super::*;

    exports! {
        fn urma_cmd_alloc_jfc(
            ctx: *mut urma_context,
            cfg: *mut urma_jfc_cfg,
            jfc: *mut urma_jfc,
            udata: *mut urma_cmd_udrv_priv,
        ) -> c_int {
            let ids = (UBURMA_ALLOC_JFC_IN_UDATA, UBURMA_ALLOC_JFC_OUT_UDATA);
            let config = comp_config(&*cfg, jfc as u64);
            let mut cmd = with_udata(staged::alloc_jfc_cmd(config), ids, udata);
            let ret = run(&mut cmd, dev_fd(ctx));
            if ret == 0 {
                fill_jfc(ctx, jfc, &*cfg);
                (*jfc).jfc_id = id_of(ctx, cmd.get_u32(UBURMA_ALLOC_JFC_OUT_ID));
                (*jfc).jfc_cfg.depth = cmd.get_u32(UBURMA_ALLOC_JFC_OUT_DEPTH);
                (*jfc).handle = cmd.get_u64(UBURMA_ALLOC_JFC_OUT_HANDLE);
            }
            ret
        }

        fn urma_cmd_active_jfc(jfc: *mut urma_jfc, udata: *mut urma_cmd_udrv_priv) -> c_int {
            let ids = (UBURMA_ACTIVE_JFC_IN_UDATA, UBURMA_ACTIVE_JFC_OUT_UDATA);
            let config = comp_config(&(*jfc).jfc_cfg, jfc as u64);
            let opt = &(*jfc).urma_jfc_opt;
            let options = StageOptions { mask: opt.jfc_opt_mask, id: opt.urma_jfc_id };
            let cmd = staged::active_jfc_cmd((*jfc).handle, config, options);
            let mut cmd = with_udata(cmd, ids, udata);
            let ret = run(&mut cmd, dev_fd((*jfc).urma_ctx));
            if ret == 0 {
                // All is filled in anew, counters too.
                let (ctx, cfg) = ((*jfc).urma_ctx, (*jfc).jfc_cfg);
                fill_jfc(ctx, jfc, &cfg);
                (*jfc).jfc_id = id_of(ctx, cmd.get_u32(UBURMA_ACTIVE_JFC_OUT_ID));
                (*jfc).jfc_cfg.depth = cmd.get_u32(UBURMA_ACTIVE_JFC_OUT_DEPTH);
                (*jfc).handle = cmd.get_u64(UBURMA_ACTIVE_JFC_OUT_HANDLE);
            }
            ret
        }

        fn urma_cmd_free_jfc(jfc: *mut urma_jfc, udata: *mut urma_cmd_udrv_priv) -> c_int {
            let (ret, cmd) = free(Class::Jfc, at!(jfc), udata);
            if ret != 0 {
                return ret;
            }
            let completions = cmd.get_u32(UBURMA_FREE_JFC_OUT_COMP_EVENTS_REPORTED);
            end_jfc(jfc, completions, cmd.get_u32(UBURMA_FREE_JFC_OUT_ASYNC_EVENTS_REPORTED))
        }

        fn urma_cmd_alloc_jfs(
            ctx: *mut urma_context,
            cfg: *mut urma_jfs_cfg,
            jfs: *mut urma_jfs,
            udata: *mut urma_cmd_udrv_priv,
        ) -> c_int {
            let ids = (UBURMA_ALLOC_JFS_IN_UDATA, UBURMA_ALLOC_JFS_OUT_UDATA);
            let config = send_config(&*cfg, jfs as u64);
            let mut cmd = with_udata(staged::alloc_jfs_cmd(config), ids, udata);
            let ret = run(&mut cmd, dev_fd(ctx));
            if ret == 0 {
                fill_jfs(ctx, jfs, &*cfg);
                (*jfs).jfs_id = id_of(ctx, cmd.get_u32(UBURMA_ALLOC_JFS_OUT_ID));
                let cfg = &mut (*jfs).jfs_cfg;
                cfg.depth = cmd.get_u32(UBURMA_ALLOC_JFS_OUT_DEPTH);
                cfg.max_sge = cmd.get_u8(UBURMA_ALLOC_JFS_OUT_MAX_SGE);
                cfg.max_rsge = cmd.get_u8(UBURMA_ALLOC_JFS_OUT_MAX_RSGE);
                cfg.max_inline_data = cmd.get_u32(UBURMA_ALLOC_JFS_OUT_MAX_INLINE_DATA);
                (*jfs).handle = cmd.get_u64(UBURMA_ALLOC_JFS_OUT_HANDLE);
            }
            ret
        }

        fn urma_cmd_active_jfs(jfs: *mut urma_jfs, udata: *mut urma_cmd_udrv_priv) -> c_int {
            let ids = (UBURMA_ACTIVE_JFS_IN_UDATA, UBURMA_ACTIVE_JFS_OUT_UDATA);
            let config = send_config(&(*jfs).jfs_cfg, jfs as u64);
            let options = options(&(*jfs).urma_jfs_opt);
            let cmd = staged::active_jfs_cmd((*jfs).handle, config, options);
            let mut cmd = with_udata(cmd, ids, udata);
            let ret = run(&mut cmd, dev_fd((*jfs).urma_ctx));
            if ret == 0 {
                let (ctx, cfg) = ((*jfs).urma_ctx, (*jfs).jfs_cfg);
                fill_jfs(ctx, jfs, &cfg);
                (*jfs).jfs_id = id_of(ctx, cmd.get_u32(UBURMA_ACTIVE_JFS_OUT_ID));
                let cfg = &mut (*jfs).jfs_cfg;
                cfg.depth = cmd.get_u32(UBURMA_ACTIVE_JFS_OUT_DEPTH);
                cfg.max_sge = cmd.get_u8(UBURMA_ACTIVE_JFS_OUT_MAX_SGE);
                cfg.max_rsge = cmd.get_u8(UBURMA_ACTIVE_JFS_OUT_MAX_RSGE);
                cfg.max_inline_data = cmd.get_u32(UBURMA_ACTIVE_JFS_OUT_MAX_INLINE_DATA);
                (*jfs).handle = cmd.get_u64(UBURMA_ACTIVE_JFS_OUT_HANDLE);
            }
            ret
        }

        fn urma_cmd_free_jfs(jfs: *mut urma_jfs, udata: *mut urma_cmd_udrv_priv) -> c_int {
            match free(Class::Jfs, at!(jfs), udata) {
                (0, cmd) => end_jfs(jfs, cmd.get_u32(UBURMA_FREE_JFR_OUT_ASYNC_EVENTS_REPORTED)),
                (ret, _) => ret,
            }
        }

        fn urma_cmd_alloc_jfr(
            ctx: *mut urma_context,
            cfg: *mut urma_jfr_cfg,
            jfr: *mut urma_jfr,
            udata: *mut urma_cmd_udrv_priv,
        ) -> c_int {
            let ids = (UBURMA_ALLOC_JFR_IN_UDATA, UBURMA_ALLOC_JFR_OUT_UDATA);
            let config = recv_config(&*cfg, jfr as u64);
            let mut cmd = with_udata(staged::alloc_jfr_cmd(config), ids, udata);
            let ret = run(&mut cmd, dev_fd(ctx));
            if ret == 0 {
                fill_jfr(ctx, jfr, &*cfg);
                (*jfr).jfr_id = id_of(ctx, cmd.get_u32(UBURMA_ALLOC_JFR_OUT_ID));
                (*jfr).jfr_cfg.depth = cmd.get_u32(UBURMA_ALLOC_JFR_OUT_DEPTH);
                (*jfr).jfr_cfg.max_sge = cmd.get_u8(UBURMA_ALLOC_JFR_OUT_MAX_SGE);
                (*jfr).handle = cmd.get_u64(UBURMA_ALLOC_JFR_OUT_HANDLE);
            }
            ret
        }

        fn urma_cmd_active_jfr(jfr: *mut urma_jfr, udata: *mut urma_cmd_udrv_priv) -> c_int {
            let ids = (UBURMA_ACTIVE_JFR_IN_UDATA, UBURMA_ACTIVE_JFR_OUT_UDATA);
            let config = recv_config(&(*jfr).jfr_cfg, jfr as u64);
            let opt = &(*jfr).urma_jfr_opt;
            let options = StageOptions { mask: opt.jfr_opt_mask, id: opt.urma_jfr_id };
            let cmd = staged::active_jfr_cmd((*jfr).handle, config, options);
            let mut cmd = with_udata(cmd, ids, udata);
            let ret = run(&mut cmd, dev_fd((*jfr).urma_ctx));
            if ret == 0 {
                let (ctx, cfg) = ((*jfr).urma_ctx, (*jfr).jfr_cfg);
                fill_jfr(ctx, jfr, &cfg);
                (*jfr).jfr_id = id_of(ctx, cmd.get_u32(UBURMA_ACTIVE_JFR_OUT_ID));
                (*jfr).jfr_cfg.depth = cmd.get_u32(UBURMA_ACTIVE_JFR_OUT_DEPTH);
                (*jfr).jfr_cfg.max_sge = cmd.get_u8(UBURMA_ACTIVE_JFR_OUT_MAX_SGE);
                (*jfr).handle = cmd.get_u64(UBURMA_ACTIVE_JFR_OUT_HANDLE);
            }
            ret
        }

        fn urma_cmd_free_jfr(jfr: *mut urma_jfr, udata: *mut urma_cmd_udrv_priv) -> c_int {
            match free(Class::Jfr, at!(jfr), udata) {
                (0, cmd) => end_jfr(jfr, cmd.get_u32(UBURMA_FREE_JFR_OUT_ASYNC_EVENTS_REPORTED)),
                (ret, _) => ret,
            }
        }

        fn urma_cmd_alloc_jetty(
            ctx: *mut urma_context,
            cfg: *mut urma_jetty_cfg,
            jetty: *mut urma_jetty,
            udata: *mut urma_cmd_udrv_priv,
        ) -> c_int {
            // One structure holds all of it; this provider has nothing to say here.
            assert!(!udata.is_null() && (*udata).in_len == 0 && (*udata).out_len == 0);
            let config = jetty_config(&*cfg, jetty as u64);
            let mut cmd = staged::alloc_jetty_cmd(config);
            let ret = run(&mut cmd, dev_fd(ctx));
            if ret == 0 {
                fill_jetty(ctx, jetty, &*cfg);
                let reply = staged::alloc_jetty_reply(&cmd).out;
                let send = &mut (*jetty).jetty_cfg.jfs_cfg;
                send.depth = reply.jfs_depth;
                send.max_sge = reply.max_send_sge;
                send.max_rsge = reply.max_send_rsge;
                send.max_inline_data = reply.max_inline_data;
                (*jetty).jetty_id = id_of(ctx, reply.id);
                (*jetty).handle = reply.handle;
            }
            ret
        }

        fn urma_cmd_active_jetty(jetty: *mut urma_jetty, udata: *mut urma_cmd_udrv_priv) -> c_int {
            let ids = (UBURMA_ACTIVE_JETTY_IN_UDATA, UBURMA_ACTIVE_JETTY_OUT_UDATA);
            let config = jetty_config(&(*jetty).jetty_cfg, jetty as u64);
            let options = options(&(*jetty).urma_jetty_opt.jfs_opt);
            let cmd = staged::active_jetty_cmd((*jetty).handle, config, options);
            let mut cmd = with_udata(cmd, ids, udata);
            let ret = run(&mut cmd, dev_fd((*jetty).urma_ctx));
            if ret == 0 {
                (*jetty).jetty_id.id = cmd.get_u32(UBURMA_ACTIVE_JETTY_OUT_JETTY_ID);
            }
            ret
        }

        fn urma_cmd_free_jetty(jetty: *mut urma_jetty, udata: *mut urma_cmd_udrv_priv) -> c_int {
            match free(Class::Jetty, at!(jetty), udata) {
                (0, cmd) => {
                    end_jetty(jetty, cmd.get_u32(UBURMA_FREE_JFR_OUT_ASYNC_EVENTS_REPORTED))
                }
                (ret, _) => ret,
            }
        }
    }
}
