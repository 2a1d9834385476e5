// SPDX-License-Identifier: GPL-2.0

//! Token ids and segments.

use std::ffi::c_int;

use ub_abi::*;
use ub_client::tlv::Cmd;
use ub_client::{Segment, SegmentConfig, Token};
use ub_urma::flags::{urma_reg_seg_flag, urma_seg_attr};
use ub_urma::*;

use super::*;

unsafe fn alloc_token(
    ctx: *mut urma_context,
    token_id: *mut urma_token_id,
    flag: u32,
    udata: *mut urma_cmd_udrv_priv,
) -> c_int {
    let ids = (
        UBURMA_ALLOC_TOKEN_ID_IN_UDATA,
        UBURMA_ALLOC_TOKEN_ID_OUT_UDATA,
    );
    let mut cmd = with_udata(Token::alloc_cmd(flag), ids, udata);
    // SAFETY: as the caller promises.
    unsafe {
        let ret = run(&mut cmd, dev_fd(ctx));
        if ret == 0 {
            (*token_id).urma_ctx = ctx;
            (*token_id).token_id = cmd.get_u32(UBURMA_ALLOC_TOKEN_ID_OUT_TOKEN_ID);
            (*token_id).handle = cmd.get_u64(UBURMA_ALLOC_TOKEN_ID_OUT_HANDLE);
            (*token_id).flag = flag;
        }
        ret
    }
}

exports! {
    fn urma_cmd_alloc_token_id(
        ctx: *mut urma_context,
        token_id: *mut urma_token_id,
        udata: *mut urma_cmd_udrv_priv,
    ) -> c_int {
        alloc_token(ctx, token_id, 0, udata)
    }

    fn urma_cmd_alloc_token_id_ex(
        ctx: *mut urma_context,
        token_id: *mut urma_token_id,
        flag: u32,
        udata: *mut urma_cmd_udrv_priv,
    ) -> c_int {
        alloc_token(ctx, token_id, flag, udata)
    }

    fn urma_cmd_free_token_id(token_id: *mut urma_token_id) -> c_int {
        let mut cmd = Token::free_cmd((*token_id).handle, (*token_id).token_id);
        run(&mut cmd, dev_fd((*token_id).urma_ctx))
    }

    fn urma_cmd_register_seg(
        ctx: *mut urma_context,
        tseg: *mut urma_target_seg,
        cfg: *mut urma_seg_cfg,
        udata: *mut urma_cmd_udrv_priv,
    ) -> c_int {
        let cfg = &*cfg;
        let token_id = &*cfg.token_id;
        let policy = urma_reg_seg_flag::token_policy.get(cfg.flag);
        let access = urma_reg_seg_flag::access.get(cfg.flag);
        let rest = cfg.flag
            & !urma_reg_seg_flag::token_policy.mask()
            & !urma_reg_seg_flag::access.mask();
        let config = SegmentConfig {
            token: cfg.token_value.token,
            access,
            policy,
            flags: rest,
            ..Default::default()
        };
        let pair = Some((token_id.token_id, token_id.handle));
        let ids = (UBURMA_REGISTER_SEG_IN_UDATA, UBURMA_REGISTER_SEG_OUT_UDATA);
        let mut cmd = with_udata(Segment::register_cmd(cfg.va, cfg.len, pair, config), ids, udata);
        let ret = run(&mut cmd, dev_fd(ctx));
        if ret == 0 {
            let tseg = &mut *tseg;
            tseg.seg.ubva = urma_ubva { eid: (*ctx).eid, uasid: (*ctx).uasid, va: cfg.va };
            tseg.seg.len = cfg.len;
            tseg.seg.token_id = cmd.get_u32(UBURMA_REGISTER_SEG_OUT_TOKEN_ID);
            tseg.seg.attr = urma_seg_attr::token_policy.of(policy) | urma_seg_attr::access.of(access);
            tseg.token_id = cfg.token_id;
            tseg.user_ctx = cfg.user_ctx;
            tseg.handle = cmd.get_u64(UBURMA_REGISTER_SEG_OUT_HANDLE);
            tseg.urma_ctx = ctx;
        }
        ret
    }

    fn urma_cmd_unregister_seg(tseg: *mut urma_target_seg) -> c_int {
        run(&mut Segment::unregister_cmd((*tseg).handle), dev_fd((*tseg).urma_ctx))
    }

    fn urma_cmd_import_seg(
        ctx: *mut urma_context,
        tseg: *mut urma_target_seg,
        cfg: *mut urma_import_tseg_cfg,
        udata: *mut urma_cmd_udrv_priv,
    ) -> c_int {
        let cfg = &*cfg;
        let token = (*cfg.token).token;
        let cmd = Cmd::new(UBURMA_CMD_IMPORT_SEG)
            .bytes(UBURMA_IMPORT_SEG_IN_EID, &{ cfg.ubva.eid }.bytes())
            .u64(UBURMA_IMPORT_SEG_IN_VA, cfg.ubva.va)
            .u64(UBURMA_IMPORT_SEG_IN_LEN, cfg.len)
            .u32(UBURMA_IMPORT_SEG_IN_FLAG, cfg.flag)
            .u32(UBURMA_IMPORT_SEG_IN_TOKEN, token)
            .u32(UBURMA_IMPORT_SEG_IN_TOKEN_ID, cfg.token_id)
            .u64(UBURMA_IMPORT_SEG_IN_MVA, cfg.mva)
            .out(UBURMA_IMPORT_SEG_OUT_HANDLE, 8);
        let ids = (UBURMA_IMPORT_SEG_IN_UDATA, UBURMA_IMPORT_SEG_OUT_UDATA);
        let mut cmd = with_udata(cmd, ids, udata);
        let ret = run(&mut cmd, dev_fd(ctx));
        if ret == 0 {
            let tseg = &mut *tseg;
            tseg.seg = urma_seg {
                ubva: cfg.ubva,
                len: cfg.len,
                attr: cfg.attr,
                token_id: cfg.token_id,
            };
            tseg.mva = cfg.mva;
            tseg.handle = cmd.get_u64(UBURMA_IMPORT_SEG_OUT_HANDLE);
            tseg.urma_ctx = ctx;
        }
        ret
    }

    fn urma_cmd_unimport_seg(tseg: *mut urma_target_seg) -> c_int {
        let mut cmd = Cmd::new(UBURMA_CMD_UNIMPORT_SEG)
            .u64(UBURMA_UNIMPORT_SEG_IN_HANDLE, (*tseg).handle);
        run(&mut cmd, dev_fd((*tseg).urma_ctx))
    }
}
