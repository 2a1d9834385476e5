// SPDX-License-Identifier: GPL-2.0

//! Imported jettys and receive queues, and bindings.

use std::ffi::c_int;

use ub_abi::*;
use ub_client::tlv::Cmd;
use ub_client::{Eid, Later, LaterTarget, Path, Target, TargetConfig};
use ub_urma::*;

use super::*;

/// A jetty for a command. The policy is part of the flags.
unsafe fn jetty_config(cfg: &urma_tjetty_cfg, path: Path) -> TargetConfig {
    TargetConfig {
        eid: Eid(cfg.jetty_id.eid.bytes()),
        id: cfg.jetty_id.id,
        // SAFETY: as the caller promises; liburma does not look whether there is one.
        token: unsafe { (*cfg.token).token },
        policy: 0,
        mode: cfg.trans_mode,
        tp_type: cfg.tp_type,
        kind: cfg.kind,
        group_policy: cfg.policy,
        flag: cfg.flag,
        path,
    }
}

/// A receive queue for a command.
unsafe fn jfr_config(cfg: &urma_tjfr_cfg, path: Path) -> TargetConfig {
    TargetConfig {
        eid: Eid(cfg.jfr_id.eid.bytes()),
        id: cfg.jfr_id.id,
        // SAFETY: as for a jetty.
        token: unsafe { (*cfg.token).token },
        policy: 0,
        mode: cfg.trans_mode,
        tp_type: cfg.tp_type,
        kind: URMA_JFR,
        group_policy: 0,
        flag: cfg.flag,
        path,
    }
}

/// A command over the path of the caller, whose five attributes begin with that of the handle.
unsafe fn over(ex: *const urma_active_tp_cfg, first: u32, cmd: Cmd) -> Cmd {
    // SAFETY: as the caller promises.
    let ex = unsafe { &*ex };
    (first..first + 5)
        .fold(cmd, Cmd::without)
        .u64(first, ex.tp_handle)
        .u64(first + 1, ex.peer_tp_handle)
        .u64(first + 2, ex.tag)
        .u32(first + 3, ex.tp_attr.tx_psn)
        .u32(first + 4, ex.tp_attr.rx_psn)
}

/// Runs an import; all commands agree on the numbers of their outputs.
unsafe fn import(
    ctx: *mut urma_context,
    target: *mut urma_target_jetty,
    mut cmd: Cmd,
    config: &TargetConfig,
) -> c_int {
    // SAFETY: as the caller promises.
    unsafe {
        let ret = run(&mut cmd, dev_fd(ctx));
        if ret == 0 {
            *target = urma_target_jetty {
                urma_ctx: ctx,
                id: urma_jetty_id {
                    eid: urma_eid::of(config.eid.0),
                    uasid: 0,
                    id: config.id,
                },
                handle: cmd.get_u64(UBURMA_IMPORT_JETTY_OUT_HANDLE),
                trans_mode: config.mode,
                tp: urma_tp {
                    tpn: cmd.get_u32(UBURMA_IMPORT_JETTY_OUT_TPN),
                },
                kind: config.kind,
                flag: config.flag,
                policy: config.group_policy,
                tp_type: config.tp_type,
            };
        }
        ret
    }
}

/// The private data of an import.
fn ids(in_id: u32) -> (u32, u32) {
    (in_id, UBURMA_IMPORT_JETTY_OUT_UDATA)
}

exports! {
    fn urma_cmd_import_jfr(
        ctx: *mut urma_context,
        target: *mut urma_target_jetty,
        cfg: *mut urma_tjfr_cfg,
        udata: *mut urma_cmd_udrv_priv,
    ) -> c_int {
        let config = jfr_config(&*cfg, Path::Plain);
        let cmd = with_udata(Target::jfr_cmd(config), ids(UBURMA_IMPORT_JFR_IN_UDATA), udata);
        import(ctx, target, cmd, &config)
    }

    fn urma_cmd_import_jfr_ex(
        ctx: *mut urma_context,
        target: *mut urma_target_jetty,
        cfg: *mut urma_tjfr_cfg,
        ex: *mut urma_active_tp_cfg,
        udata: *mut urma_cmd_udrv_priv,
    ) -> c_int {
        let config = jfr_config(&*cfg, Path::Chosen);
        let cmd = over(ex, UBURMA_IMPORT_JFR_EX_IN_TP_HANDLE, Target::jfr_cmd(config));
        let ids = ids(UBURMA_IMPORT_JFR_EX_IN_UDATA);
        import(ctx, target, with_udata(cmd, ids, udata), &config)
    }

    fn urma_cmd_unimport_jfr(target: *mut urma_target_jetty) -> c_int {
        run(&mut Target::unimport_jfr_cmd((*target).handle), dev_fd((*target).urma_ctx))
    }

    fn urma_cmd_import_jetty(
        ctx: *mut urma_context,
        target: *mut urma_target_jetty,
        cfg: *mut urma_tjetty_cfg,
        udata: *mut urma_cmd_udrv_priv,
    ) -> c_int {
        let config = jetty_config(&*cfg, Path::Plain);
        let cmd = with_udata(Target::jetty_cmd(config), ids(UBURMA_IMPORT_JETTY_IN_UDATA), udata);
        import(ctx, target, cmd, &config)
    }

    fn urma_cmd_import_jetty_ex(
        ctx: *mut urma_context,
        target: *mut urma_target_jetty,
        cfg: *mut urma_tjetty_cfg,
        ex: *mut urma_active_tp_cfg,
        udata: *mut urma_cmd_udrv_priv,
    ) -> c_int {
        let config = jetty_config(&*cfg, Path::Chosen);
        let cmd = over(ex, UBURMA_IMPORT_JETTY_EX_IN_TP_HANDLE, Target::jetty_cmd(config));
        let ids = ids(UBURMA_IMPORT_JETTY_EX_IN_UDATA);
        import(ctx, target, with_udata(cmd, ids, udata), &config)
    }

    fn urma_cmd_unimport_jetty(target: *mut urma_target_jetty) -> c_int {
        run(&mut Target::unimport_jetty_cmd((*target).handle), dev_fd((*target).urma_ctx))
    }

    fn urma_cmd_import_jetty_async(
        notifier: *mut urma_notifier,
        target: *mut urma_target_jetty,
        cfg: *mut urma_tjetty_cfg,
        user_ctx: u64,
        timeout: c_int,
        udata: *mut urma_cmd_udrv_priv,
    ) -> c_int {
        let config = jetty_config(&*cfg, Path::Plain);
        let later = Later { fd: (*notifier).fd, timeout, user_ctx, object: target as u64 };
        let ids = (UBURMA_IMPORT_JETTY_ASYNC_IN_UDATA, UBURMA_IMPORT_JETTY_ASYNC_OUT_UDATA);
        let mut cmd = with_udata(LaterTarget::import_cmd(config, later), ids, udata);
        let ret = run(&mut cmd, dev_fd((*notifier).urma_ctx));
        if ret == 0 {
            // The rest is left to the provider.
            (*target).handle = cmd.get_u64(UBURMA_IMPORT_JETTY_ASYNC_OUT_HANDLE);
            (*target).tp.tpn = cmd.get_u32(UBURMA_IMPORT_JETTY_ASYNC_OUT_TPN);
        }
        ret
    }

    fn urma_cmd_unimport_jetty_async(target: *mut urma_target_jetty) -> c_int {
        run(&mut LaterTarget::unimport_cmd((*target).handle), dev_fd((*target).urma_ctx))
    }

    fn urma_cmd_bind_jetty(
        jetty: *mut urma_jetty,
        target: *mut urma_target_jetty,
        udata: *mut urma_cmd_udrv_priv,
    ) -> c_int {
        let cmd = Cmd::new(UBURMA_CMD_BIND_JETTY)
            .u64(UBURMA_BIND_JETTY_IN_JETTY_HANDLE, (*jetty).handle)
            .u64(UBURMA_BIND_JETTY_IN_TJETTY_HANDLE, (*target).handle)
            .out(UBURMA_BIND_JETTY_OUT_TPN, 4);
        let ids = (UBURMA_BIND_JETTY_IN_UDATA, UBURMA_BIND_JETTY_OUT_UDATA);
        let mut cmd = with_udata(cmd, ids, udata);
        let ret = run(&mut cmd, dev_fd((*jetty).urma_ctx));
        if ret == 0 {
            (*target).tp.tpn = cmd.get_u32(UBURMA_BIND_JETTY_OUT_TPN);
            (*jetty).remote_jetty = target;
        }
        ret
    }

    fn urma_cmd_bind_jetty_ex(
        jetty: *mut urma_jetty,
        target: *mut urma_target_jetty,
        ex: *mut urma_active_tp_cfg,
        udata: *mut urma_cmd_udrv_priv,
    ) -> c_int {
        let ex = &*ex;
        let cmd = Cmd::new(UBURMA_CMD_BIND_JETTY_EX)
            .u64(UBURMA_BIND_JETTY_EX_IN_JETTY_HANDLE, (*jetty).handle)
            .u64(UBURMA_BIND_JETTY_EX_IN_TJETTY_HANDLE, (*target).handle)
            .u64(UBURMA_BIND_JETTY_EX_IN_TP_HANDLE, ex.tp_handle)
            .u64(UBURMA_BIND_JETTY_EX_IN_PEER_TP_HANDLE, ex.peer_tp_handle)
            .u64(UBURMA_BIND_JETTY_EX_IN_TAG, ex.tag)
            .u32(UBURMA_BIND_JETTY_EX_IN_TX_PSN, ex.tp_attr.tx_psn)
            .u32(UBURMA_BIND_JETTY_EX_IN_RX_PSN, ex.tp_attr.rx_psn)
            .out(UBURMA_BIND_JETTY_EX_OUT_TPN, 4);
        let ids = (UBURMA_BIND_JETTY_EX_IN_UDATA, UBURMA_BIND_JETTY_EX_OUT_UDATA);
        let mut cmd = with_udata(cmd, ids, udata);
        let ret = run(&mut cmd, dev_fd((*jetty).urma_ctx));
        if ret == 0 {
            (*target).tp.tpn = cmd.get_u32(UBURMA_BIND_JETTY_EX_OUT_TPN);
            (*jetty).remote_jetty = target;
        }
        ret
    }

    fn urma_cmd_unbind_jetty(jetty: *mut urma_jetty) -> c_int {
        let mut cmd = Cmd::new(UBURMA_CMD_UNBIND_JETTY)
            .u64(UBURMA_UNBIND_JETTY_IN_JETTY_HANDLE, (*jetty).handle)
            .u64(UBURMA_UNBIND_JETTY_IN_TJETTY_HANDLE, (*(*jetty).remote_jetty).handle);
        let ret = run(&mut cmd, dev_fd((*jetty).urma_ctx));
        if ret == 0 {
            (*jetty).remote_jetty = std::ptr::null_mut();
        }
        ret
    }

    fn urma_cmd_bind_jetty_async(
        notifier: *mut urma_notifier,
        jetty: *mut urma_jetty,
        target: *mut urma_target_jetty,
        user_ctx: u64,
        timeout: c_int,
        udata: *mut urma_cmd_udrv_priv,
    ) -> c_int {
        let later = Later { fd: (*notifier).fd, timeout, user_ctx, object: jetty as u64 };
        let cmd = LaterTarget::bind_cmd((*jetty).handle, (*target).handle, later);
        let ids = (UBURMA_BIND_JETTY_ASYNC_IN_UDATA, UBURMA_BIND_JETTY_ASYNC_OUT_UDATA);
        let mut cmd = with_udata(cmd, ids, udata);
        let ret = run(&mut cmd, dev_fd((*jetty).urma_ctx));
        if ret == 0 {
            (*target).tp.tpn = cmd.get_u32(UBURMA_BIND_JETTY_ASYNC_OUT_TPN);
            (*jetty).remote_jetty = target;
        }
        ret
    }

    fn urma_cmd_unbind_jetty_async(jetty: *mut urma_jetty) -> c_int {
        let target = (*(*jetty).remote_jetty).handle;
        let mut cmd = LaterTarget::unbind_cmd((*jetty).handle, target);
        let ret = run(&mut cmd, dev_fd((*jetty).urma_ctx));
        if ret == 0 {
            (*jetty).remote_jetty = std::ptr::null_mut();
        }
        ret
    }
}
