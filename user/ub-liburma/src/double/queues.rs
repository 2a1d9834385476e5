// SPDX-License-Identifier: GPL-2.0

//! Queues, jettys and groups.

use std::ffi::c_int;

use ub_abi::*;
use ub_client::tlv::Cmd;
use ub_client::{
    Jetty, JettyConfig, JettyGroup, JettyGroupConfig, Jfc, JfcConfig, Jfr, JfrConfig, Jfs,
    JfsConfig,
};
use ub_urma::flags::{urma_jetty_flag, urma_jfc_flag, urma_jfs_flag};
use ub_urma::*;

use super::*;

/// The configuration of a completion queue for a command.
pub unsafe fn comp_config(cfg: &urma_jfc_cfg, cookie: u64) -> JfcConfig {
    JfcConfig {
        depth: cfg.depth,
        flag: cfg.flag,
        // SAFETY: as the caller promises.
        jfce_fd: unsafe { cfg.jfce.as_ref() }.map_or(UBURMA_NO_JFCE_FD, |jfce| jfce.fd),
        cookie,
        ceqn: cfg.ceqn,
    }
}

/// The same of a send queue.
pub unsafe fn send_config(cfg: &urma_jfs_cfg, cookie: u64) -> JfsConfig {
    JfsConfig {
        depth: cfg.depth,
        flag: cfg.flag,
        mode: cfg.trans_mode,
        priority: cfg.priority,
        max_sge: cfg.max_sge,
        max_rsge: cfg.max_rsge,
        max_inline: cfg.max_inline_data,
        poll: None,
        rnr_retry: cfg.rnr_retry,
        err_timeout: cfg.err_timeout,
        // SAFETY: as the caller promises.
        jfc: unsafe { (*cfg.jfc).handle },
        cookie,
    }
}

/// The same of a receive queue; the policy is part of the flags.
pub unsafe fn recv_config(cfg: &urma_jfr_cfg, cookie: u64) -> JfrConfig {
    JfrConfig {
        depth: cfg.depth,
        flag: cfg.flag,
        policy: 0,
        mode: cfg.trans_mode,
        max_sge: cfg.max_sge,
        min_rnr_timer: cfg.min_rnr_timer,
        token: cfg.token_value.token,
        id: cfg.id,
        // SAFETY: as the caller promises.
        jfc: unsafe { (*cfg.jfc).handle },
        cookie,
    }
}

/// The same of a jetty.
pub unsafe fn jetty_config(cfg: &urma_jetty_cfg, cookie: u64) -> JettyConfig {
    // SAFETY: as the caller promises.
    unsafe {
        let jfr = &*cfg.shared.jfr;
        let jfc = if cfg.shared.jfc.is_null() {
            jfr.jfr_cfg.jfc
        } else {
            cfg.shared.jfc
        };
        JettyConfig {
            id: cfg.id,
            flag: cfg.flag,
            send: send_config(&cfg.jfs_cfg, cookie),
            recv_jfc: (*jfc).handle,
            jfr: (jfr.handle, jfr.jfr_id.id),
            group: cfg.jetty_grp.as_ref().map_or(0, |group| group.handle),
            token: jfr.jfr_cfg.token_value.token,
            cookie,
        }
    }
}

/// Fills in a completion queue that the kernel made.
pub unsafe fn fill_jfc(ctx: *mut urma_context, jfc: *mut urma_jfc, cfg: &urma_jfc_cfg) {
    // SAFETY: as the caller promises.
    unsafe {
        (*jfc).urma_ctx = ctx;
        (*jfc).jfc_cfg = *cfg;
        (*jfc).comp_events_acked = 0;
        (*jfc).async_events_acked = 0;
        init_events(&raw mut (*jfc).event_mutex, &raw mut (*jfc).event_cond);
    }
}

/// Fills in a send queue that the kernel made.
pub unsafe fn fill_jfs(ctx: *mut urma_context, jfs: *mut urma_jfs, cfg: &urma_jfs_cfg) {
    // SAFETY: as the caller promises.
    unsafe {
        (*jfs).urma_ctx = ctx;
        (*jfs).jfs_cfg = *cfg;
        (*jfs).async_events_acked = 0;
        init_events(&raw mut (*jfs).event_mutex, &raw mut (*jfs).event_cond);
    }
}

/// Fills in a receive queue that the kernel made.
pub unsafe fn fill_jfr(ctx: *mut urma_context, jfr: *mut urma_jfr, cfg: &urma_jfr_cfg) {
    // SAFETY: as the caller promises.
    unsafe {
        (*jfr).urma_ctx = ctx;
        (*jfr).jfr_cfg = *cfg;
        (*jfr).async_events_acked = 0;
        init_events(&raw mut (*jfr).event_mutex, &raw mut (*jfr).event_cond);
    }
}

/// Fills in a jetty that the kernel made.
pub unsafe fn fill_jetty(ctx: *mut urma_context, jetty: *mut urma_jetty, cfg: &urma_jetty_cfg) {
    // SAFETY: as the caller promises.
    unsafe {
        (*jetty).urma_ctx = ctx;
        (*jetty).jetty_cfg = *cfg;
        if cfg.shared.jfc.is_null() {
            (*jetty).jetty_cfg.shared.jfc = (*cfg.shared.jfr).jfr_cfg.jfc;
        }
        (*jetty).async_events_acked = 0;
        init_events(&raw mut (*jetty).event_mutex, &raw mut (*jetty).event_cond);
    }
}

/// Waits for the events of a completion queue that the kernel destroyed.
pub unsafe fn end_jfc(jfc: *mut urma_jfc, completions: u32, events: u32) -> c_int {
    // SAFETY: as the caller promises.
    unsafe {
        wait_acknowledged(
            &raw mut (*jfc).event_mutex,
            &raw mut (*jfc).event_cond,
            &[
                (&raw const (*jfc).comp_events_acked, completions),
                (&raw const (*jfc).async_events_acked, events),
            ],
            urma_jfc_flag::non_blocking.get((*jfc).jfc_cfg.flag) != 0,
        )
    }
}

/// Defines how the other kinds end.
macro_rules! ends {
    ($($name:ident: $ty:ty, |$object:ident| $non_blocking:expr;)*) => {$(
        /// Waits for the events of an object that the kernel destroyed.
        pub unsafe fn $name($object: *mut $ty, events: u32) -> c_int {
            // SAFETY: as the caller promises.
            unsafe {
                wait_acknowledged(
                    &raw mut (*$object).event_mutex,
                    &raw mut (*$object).event_cond,
                    &[(&raw const (*$object).async_events_acked, events)],
                    $non_blocking,
                )
            }
        }
    )*};
}

ends! {
    end_jfs: urma_jfs, |jfs| urma_jfs_flag::non_blocking.get((*jfs).jfs_cfg.flag) != 0;
    end_jfr: urma_jfr, |jfr| false;
    end_jetty: urma_jetty, |jetty| {
        urma_jetty_flag::non_blocking.get((*jetty).jetty_cfg.flag) != 0
    };
    end_group: urma_jetty_grp, |group| false;
}

exports! {
    fn urma_cmd_create_jfc(
        ctx: *mut urma_context,
        jfc: *mut urma_jfc,
        cfg: *mut urma_jfc_cfg,
        udata: *mut urma_cmd_udrv_priv,
    ) -> c_int {
        let ids = (UBURMA_CREATE_JFC_IN_UDATA, UBURMA_CREATE_JFC_OUT_UDATA);
        let mut cmd = with_udata(Jfc::create_cmd(comp_config(&*cfg, jfc as u64)), ids, udata);
        let ret = run(&mut cmd, dev_fd(ctx));
        if ret == 0 {
            fill_jfc(ctx, jfc, &*cfg);
            (*jfc).jfc_id = id_of(ctx, cmd.get_u32(UBURMA_CREATE_JFC_OUT_ID));
            (*jfc).jfc_cfg.depth = cmd.get_u32(UBURMA_CREATE_JFC_OUT_DEPTH);
            (*jfc).handle = cmd.get_u64(UBURMA_CREATE_JFC_OUT_HANDLE);
        }
        ret
    }

    fn urma_cmd_modify_jfc(
        jfc: *mut urma_jfc,
        attr: *mut urma_jfc_attr,
        udata: *mut urma_cmd_udrv_priv,
    ) -> c_int {
        let cmd = Cmd::new(UBURMA_CMD_MODIFY_JFC)
            .u64(UBURMA_MODIFY_JFC_IN_HANDLE, (*jfc).handle)
            .u32(UBURMA_MODIFY_JFC_IN_MASK, (*attr).mask)
            .u16(UBURMA_MODIFY_JFC_IN_MODERATE_COUNT, (*attr).moderate_count)
            .u16(UBURMA_MODIFY_JFC_IN_MODERATE_PERIOD, (*attr).moderate_period);
        let ids = (UBURMA_MODIFY_JFC_IN_UDATA, UBURMA_MODIFY_JFC_OUT_UDATA);
        run(&mut with_udata(cmd, ids, udata), dev_fd((*jfc).urma_ctx))
    }

    fn urma_cmd_delete_jfc(jfc: *mut urma_jfc) -> c_int {
        let mut cmd = Jfc::delete_cmd((*jfc).handle);
        match run(&mut cmd, dev_fd((*jfc).urma_ctx)) {
            0 => end_jfc(
                jfc,
                cmd.get_u32(UBURMA_DELETE_JFC_OUT_COMP_EVENTS_REPORTED),
                cmd.get_u32(UBURMA_DELETE_JFC_OUT_ASYNC_EVENTS_REPORTED),
            ),
            ret => ret,
        }
    }

    fn urma_cmd_create_jfs(
        ctx: *mut urma_context,
        jfs: *mut urma_jfs,
        cfg: *mut urma_jfs_cfg,
        udata: *mut urma_cmd_udrv_priv,
    ) -> c_int {
        let ids = (UBURMA_CREATE_JFS_IN_UDATA, UBURMA_CREATE_JFS_OUT_UDATA);
        let mut cmd = with_udata(Jfs::create_cmd(send_config(&*cfg, jfs as u64)), ids, udata);
        let ret = run(&mut cmd, dev_fd(ctx));
        if ret == 0 {
            fill_jfs(ctx, jfs, &*cfg);
            (*jfs).jfs_id = id_of(ctx, cmd.get_u32(UBURMA_CREATE_JFS_OUT_ID));
            (*jfs).jfs_cfg.depth = cmd.get_u32(UBURMA_CREATE_JFS_OUT_DEPTH);
            (*jfs).jfs_cfg.max_sge = cmd.get_u8(UBURMA_CREATE_JFS_OUT_MAX_SGE);
            (*jfs).jfs_cfg.max_rsge = cmd.get_u8(UBURMA_CREATE_JFS_OUT_MAX_RSGE);
            (*jfs).jfs_cfg.max_inline_data = cmd.get_u32(UBURMA_CREATE_JFS_OUT_MAX_INLINE_DATA);
            (*jfs).handle = cmd.get_u64(UBURMA_CREATE_JFS_OUT_HANDLE);
        }
        ret
    }

    fn urma_cmd_modify_jfs(
        jfs: *mut urma_jfs,
        attr: *mut urma_jfs_attr,
        udata: *mut urma_cmd_udrv_priv,
    ) -> c_int {
        let cmd = Jfs::modify_cmd((*jfs).handle, (*attr).mask, (*attr).state);
        let ids = (UBURMA_MODIFY_JFS_IN_UDATA, UBURMA_MODIFY_JFS_OUT_UDATA);
        run(&mut with_udata(cmd, ids, udata), dev_fd((*jfs).urma_ctx))
    }

    fn urma_cmd_query_jfs(
        jfs: *mut urma_jfs,
        cfg: *mut urma_jfs_cfg,
        attr: *mut urma_jfs_attr,
    ) -> c_int {
        let mut cmd = Jfs::query_cmd((*jfs).handle);
        let ret = run(&mut cmd, dev_fd((*jfs).urma_ctx));
        if ret == 0 {
            *cfg = (*jfs).jfs_cfg;
            (*cfg).depth = cmd.get_u32(UBURMA_QUERY_JFS_OUT_DEPTH);
            (*cfg).flag = cmd.get_u32(UBURMA_QUERY_JFS_OUT_FLAG);
            (*cfg).trans_mode = cmd.get_u32(UBURMA_QUERY_JFS_OUT_TRANS_MODE);
            (*cfg).max_sge = cmd.get_u8(UBURMA_QUERY_JFS_OUT_MAX_SGE);
            (*attr).state = cmd.get_u32(UBURMA_QUERY_JFS_OUT_STATE);
        }
        ret
    }

    fn urma_cmd_delete_jfs(jfs: *mut urma_jfs) -> c_int {
        let mut cmd = Jfs::delete_cmd((*jfs).handle);
        match run(&mut cmd, dev_fd((*jfs).urma_ctx)) {
            0 => end_jfs(jfs, cmd.get_u32(UBURMA_DELETE_JFS_OUT_ASYNC_EVENTS_REPORTED)),
            ret => ret,
        }
    }

    fn urma_cmd_create_jfr(
        ctx: *mut urma_context,
        jfr: *mut urma_jfr,
        cfg: *mut urma_jfr_cfg,
        udata: *mut urma_cmd_udrv_priv,
    ) -> c_int {
        let ids = (UBURMA_CREATE_JFR_IN_UDATA, UBURMA_CREATE_JFR_OUT_UDATA);
        let mut cmd = with_udata(Jfr::create_cmd(recv_config(&*cfg, jfr as u64)), ids, udata);
        let ret = run(&mut cmd, dev_fd(ctx));
        if ret == 0 {
            fill_jfr(ctx, jfr, &*cfg);
            (*jfr).jfr_id = id_of(ctx, cmd.get_u32(UBURMA_CREATE_JFR_OUT_ID));
            (*jfr).jfr_cfg.depth = cmd.get_u32(UBURMA_CREATE_JFR_OUT_DEPTH);
            (*jfr).jfr_cfg.max_sge = cmd.get_u8(UBURMA_CREATE_JFR_OUT_MAX_SGE);
            (*jfr).handle = cmd.get_u64(UBURMA_CREATE_JFR_OUT_HANDLE);
        }
        ret
    }

    fn urma_cmd_modify_jfr(
        jfr: *mut urma_jfr,
        attr: *mut urma_jfr_attr,
        udata: *mut urma_cmd_udrv_priv,
    ) -> c_int {
        let attr = &*attr;
        let cmd = Jfr::modify_cmd((*jfr).handle, attr.mask, attr.rx_threshold, attr.state);
        let ids = (UBURMA_MODIFY_JFR_IN_UDATA, UBURMA_MODIFY_JFR_OUT_UDATA);
        run(&mut with_udata(cmd, ids, udata), dev_fd((*jfr).urma_ctx))
    }

    fn urma_cmd_query_jfr(
        jfr: *mut urma_jfr,
        cfg: *mut urma_jfr_cfg,
        attr: *mut urma_jfr_attr,
    ) -> c_int {
        let mut cmd = Jfr::query_cmd((*jfr).handle);
        let ret = run(&mut cmd, dev_fd((*jfr).urma_ctx));
        if ret == 0 {
            *cfg = (*jfr).jfr_cfg;
            (*cfg).depth = cmd.get_u32(UBURMA_QUERY_JFR_OUT_DEPTH);
            (*cfg).id = cmd.get_u32(UBURMA_QUERY_JFR_OUT_ID);
            (*attr).rx_threshold = cmd.get_u32(UBURMA_QUERY_JFR_OUT_RX_THRESHOLD);
            (*attr).state = cmd.get_u32(UBURMA_QUERY_JFR_OUT_STATE);
        }
        ret
    }

    fn urma_cmd_delete_jfr(jfr: *mut urma_jfr) -> c_int {
        let mut cmd = Jfr::delete_cmd((*jfr).handle);
        let ret = run(&mut cmd, dev_fd((*jfr).urma_ctx));
        let reported = match ret {
            0 => cmd.get_u32(UBURMA_DELETE_JFR_OUT_ASYNC_EVENTS_REPORTED),
            // liburma waits all the same.
            _ => 0,
        };
        match end_jfr(jfr, reported) {
            0 => ret,
            waits => waits,
        }
    }

    fn urma_cmd_create_jetty(
        ctx: *mut urma_context,
        jetty: *mut urma_jetty,
        cfg: *mut urma_jetty_cfg,
        udata: *mut urma_cmd_udrv_priv,
    ) -> c_int {
        let ids = (UBURMA_CREATE_JETTY_IN_UDATA, UBURMA_CREATE_JETTY_OUT_UDATA);
        let mut cmd = with_udata(Jetty::create_cmd(jetty_config(&*cfg, jetty as u64)), ids, udata);
        let ret = run(&mut cmd, dev_fd(ctx));
        if ret == 0 {
            fill_jetty(ctx, jetty, &*cfg);
            let send = &mut (*jetty).jetty_cfg.jfs_cfg;
            send.depth = cmd.get_u32(UBURMA_CREATE_JETTY_OUT_JFS_DEPTH);
            send.max_sge = cmd.get_u8(UBURMA_CREATE_JETTY_OUT_MAX_SEND_SGE);
            send.max_rsge = cmd.get_u8(UBURMA_CREATE_JETTY_OUT_MAX_SEND_RSGE);
            send.max_inline_data = cmd.get_u32(UBURMA_CREATE_JETTY_OUT_MAX_INLINE_DATA);
            (*jetty).jetty_id = id_of(ctx, cmd.get_u32(UBURMA_CREATE_JETTY_OUT_ID));
            (*jetty).handle = cmd.get_u64(UBURMA_CREATE_JETTY_OUT_HANDLE);
        }
        ret
    }

    fn urma_cmd_modify_jetty(
        jetty: *mut urma_jetty,
        attr: *mut urma_jetty_attr,
        udata: *mut urma_cmd_udrv_priv,
    ) -> c_int {
        let attr = &*attr;
        let cmd = Jetty::modify_cmd((*jetty).handle, attr.mask, attr.rx_threshold, attr.state);
        let ids = (UBURMA_MODIFY_JETTY_IN_UDATA, UBURMA_MODIFY_JETTY_OUT_UDATA);
        run(&mut with_udata(cmd, ids, udata), dev_fd((*jetty).urma_ctx))
    }

    fn urma_cmd_query_jetty(
        jetty: *mut urma_jetty,
        cfg: *mut urma_jetty_cfg,
        attr: *mut urma_jetty_attr,
    ) -> c_int {
        let mut cmd = Jetty::query_cmd((*jetty).handle);
        let ret = run(&mut cmd, dev_fd((*jetty).urma_ctx));
        if ret == 0 {
            *cfg = (*jetty).jetty_cfg;
            (*cfg).id = cmd.get_u32(UBURMA_QUERY_JETTY_OUT_ID);
            (*cfg).jfs_cfg.depth = cmd.get_u32(UBURMA_QUERY_JETTY_OUT_JFS_DEPTH);
            (*cfg).jfs_cfg.trans_mode = cmd.get_u32(UBURMA_QUERY_JETTY_OUT_TRANS_MODE);
            (*attr).rx_threshold = cmd.get_u32(UBURMA_QUERY_JETTY_OUT_RX_THRESHOLD);
            (*attr).state = cmd.get_u32(UBURMA_QUERY_JETTY_OUT_STATE);
        }
        ret
    }

    fn urma_cmd_delete_jetty(jetty: *mut urma_jetty) -> c_int {
        let mut cmd = Jetty::delete_cmd((*jetty).handle);
        match run(&mut cmd, dev_fd((*jetty).urma_ctx)) {
            0 => end_jetty(jetty, cmd.get_u32(UBURMA_DELETE_JETTY_OUT_ASYNC_EVENTS_REPORTED)),
            ret => ret,
        }
    }

    fn urma_cmd_create_jetty_grp(
        ctx: *mut urma_context,
        group: *mut urma_jetty_grp,
        cfg: *mut urma_jetty_grp_cfg,
        udata: *mut urma_cmd_udrv_priv,
    ) -> c_int {
        let cfg = &*cfg;
        let config = JettyGroupConfig {
            name: cfg.name.map(|c| c as u8),
            id: cfg.id,
            token: cfg.token_value.token,
            policy: cfg.policy,
            flag: cfg.flag,
            cookie: group as u64,
        };
        let ids = (UBURMA_CREATE_JETTY_GRP_IN_UDATA, UBURMA_CREATE_JETTY_GRP_OUT_UDATA);
        let mut cmd = with_udata(JettyGroup::create_cmd(config), ids, udata);
        let ret = run(&mut cmd, dev_fd(ctx));
        if ret == 0 {
            (*group).urma_ctx = ctx;
            (*group).cfg = *cfg;
            (*group).jetty_grp_id = id_of(ctx, cmd.get_u32(UBURMA_CREATE_JETTY_GRP_OUT_ID));
            (*group).handle = cmd.get_u64(UBURMA_CREATE_JETTY_GRP_OUT_HANDLE);
            (*group).async_events_acked = 0;
            init_events(&raw mut (*group).event_mutex, &raw mut (*group).event_cond);
        }
        ret
    }

    fn urma_cmd_delete_jetty_grp(group: *mut urma_jetty_grp) -> c_int {
        let mut cmd = JettyGroup::delete_cmd((*group).handle);
        match run(&mut cmd, dev_fd((*group).urma_ctx)) {
            0 => end_group(group, cmd.get_u32(UBURMA_DELETE_JETTY_GRP_OUT_ASYNC_EVENTS_REPORTED)),
            ret => ret,
        }
    }
}
