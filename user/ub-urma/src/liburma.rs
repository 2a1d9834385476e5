// SPDX-License-Identifier: GPL-2.0

//! The functions of liburma that providers call: the `urma_cmd_*` helpers carry out commands and
//! fill in the public part of objects.

#![allow(missing_docs)]

use std::ffi::{c_int, c_void};

use crate::*;

extern "C" {
    pub fn urma_register_provider_ops(provider_ops: *mut urma_provider_ops) -> c_int;
    pub fn urma_unregister_provider_ops(provider_ops: *mut urma_provider_ops) -> c_int;
    pub fn urma_cmd_create_context(
        ctx: *mut urma_context,
        cfg: *mut urma_context_cfg,
        udata: *mut urma_cmd_udrv_priv,
    ) -> c_int;
    pub fn urma_cmd_delete_context(ctx: *mut urma_context) -> c_int;
    pub fn urma_cmd_create_jfce(ctx: *mut urma_context) -> c_int;
    pub fn urma_cmd_create_jfc(
        ctx: *mut urma_context,
        jfc: *mut urma_jfc,
        cfg: *mut urma_jfc_cfg,
        udata: *mut urma_cmd_udrv_priv,
    ) -> c_int;
    pub fn urma_cmd_modify_jfc(
        jfc: *mut urma_jfc,
        attr: *mut urma_jfc_attr,
        udata: *mut urma_cmd_udrv_priv,
    ) -> c_int;
    pub fn urma_cmd_delete_jfc(jfc: *mut urma_jfc) -> c_int;
    pub fn urma_cmd_delete_jfc_batch(
        jfc_arr: *mut *mut urma_jfc,
        jfc_num: c_int,
        bad_jfc: *mut *mut urma_jfc,
    ) -> c_int;
    pub fn urma_cmd_wait_jfc(
        jfce_fd: c_int,
        jfc_cnt: u32,
        time_out: c_int,
        jfc: *mut *mut urma_jfc,
    ) -> c_int;
    pub fn urma_cmd_ack_jfc(jfc: *mut *mut urma_jfc, nevents: *mut u32, jfc_cnt: u32);
    pub fn urma_cmd_alloc_jfc(
        ctx: *mut urma_context,
        cfg: *mut urma_jfc_cfg,
        jfc: *mut urma_jfc,
        udata: *mut urma_cmd_udrv_priv,
    ) -> c_int;
    pub fn urma_cmd_set_jfc_opt(
        jfc: *mut urma_jfc,
        opt: u64,
        buf: *mut c_void,
        len: u32,
        udata: *mut urma_cmd_udrv_priv,
    ) -> c_int;
    pub fn urma_cmd_active_jfc(jfc: *mut urma_jfc, udata: *mut urma_cmd_udrv_priv) -> c_int;
    pub fn urma_cmd_get_jfc_opt(
        jfc: *mut urma_jfc,
        opt: u64,
        buf: *mut c_void,
        len: u32,
        udata: *mut urma_cmd_udrv_priv,
    ) -> c_int;
    pub fn urma_cmd_deactive_jfc(jfc: *mut urma_jfc, udata: *mut urma_cmd_udrv_priv) -> c_int;
    pub fn urma_cmd_free_jfc(jfc: *mut urma_jfc, udata: *mut urma_cmd_udrv_priv) -> c_int;
    pub fn urma_cmd_create_jfs(
        ctx: *mut urma_context,
        jfs: *mut urma_jfs,
        cfg: *mut urma_jfs_cfg,
        udata: *mut urma_cmd_udrv_priv,
    ) -> c_int;
    pub fn urma_cmd_modify_jfs(
        jfs: *mut urma_jfs,
        attr: *mut urma_jfs_attr,
        udata: *mut urma_cmd_udrv_priv,
    ) -> c_int;
    pub fn urma_cmd_query_jfs(
        jfs: *mut urma_jfs,
        cfg: *mut urma_jfs_cfg,
        attr: *mut urma_jfs_attr,
    ) -> c_int;
    pub fn urma_cmd_delete_jfs(jfs: *mut urma_jfs) -> c_int;
    pub fn urma_cmd_delete_jfs_batch(
        jfs_arr: *mut *mut urma_jfs,
        jfs_num: c_int,
        bad_jfs: *mut *mut urma_jfs,
    ) -> c_int;
    pub fn urma_cmd_alloc_jfs(
        ctx: *mut urma_context,
        cfg: *mut urma_jfs_cfg,
        jfs: *mut urma_jfs,
        udata: *mut urma_cmd_udrv_priv,
    ) -> c_int;
    pub fn urma_cmd_set_jfs_opt(
        jfs: *mut urma_jfs,
        opt: u64,
        buf: *mut c_void,
        len: u32,
        udata: *mut urma_cmd_udrv_priv,
    ) -> c_int;
    pub fn urma_cmd_active_jfs(jfs: *mut urma_jfs, udata: *mut urma_cmd_udrv_priv) -> c_int;
    pub fn urma_cmd_get_jfs_opt(
        jfs: *mut urma_jfs,
        opt: u64,
        buf: *mut c_void,
        len: u32,
        udata: *mut urma_cmd_udrv_priv,
    ) -> c_int;
    pub fn urma_cmd_deactive_jfs(jfs: *mut urma_jfs, udata: *mut urma_cmd_udrv_priv) -> c_int;
    pub fn urma_cmd_free_jfs(jfs: *mut urma_jfs, udata: *mut urma_cmd_udrv_priv) -> c_int;
    pub fn urma_cmd_create_jfr(
        ctx: *mut urma_context,
        jfr: *mut urma_jfr,
        cfg: *mut urma_jfr_cfg,
        udata: *mut urma_cmd_udrv_priv,
    ) -> c_int;
    pub fn urma_cmd_modify_jfr(
        jfr: *mut urma_jfr,
        attr: *mut urma_jfr_attr,
        udata: *mut urma_cmd_udrv_priv,
    ) -> c_int;
    pub fn urma_cmd_query_jfr(
        jfr: *mut urma_jfr,
        cfg: *mut urma_jfr_cfg,
        attr: *mut urma_jfr_attr,
    ) -> c_int;
    pub fn urma_cmd_delete_jfr(jfr: *mut urma_jfr) -> c_int;
    pub fn urma_cmd_delete_jfr_batch(
        jfr_arr: *mut *mut urma_jfr,
        jfr_num: c_int,
        bad_jfr: *mut *mut urma_jfr,
    ) -> c_int;
    pub fn urma_cmd_alloc_jfr(
        ctx: *mut urma_context,
        cfg: *mut urma_jfr_cfg,
        jfr: *mut urma_jfr,
        udata: *mut urma_cmd_udrv_priv,
    ) -> c_int;
    pub fn urma_cmd_set_jfr_opt(
        jfr: *mut urma_jfr,
        opt: u64,
        buf: *mut c_void,
        len: u32,
        udata: *mut urma_cmd_udrv_priv,
    ) -> c_int;
    pub fn urma_cmd_active_jfr(jfr: *mut urma_jfr, udata: *mut urma_cmd_udrv_priv) -> c_int;
    pub fn urma_cmd_get_jfr_opt(
        jfr: *mut urma_jfr,
        opt: u64,
        buf: *mut c_void,
        len: u32,
        udata: *mut urma_cmd_udrv_priv,
    ) -> c_int;
    pub fn urma_cmd_deactive_jfr(jfr: *mut urma_jfr, udata: *mut urma_cmd_udrv_priv) -> c_int;
    pub fn urma_cmd_free_jfr(jfr: *mut urma_jfr, udata: *mut urma_cmd_udrv_priv) -> c_int;
    pub fn urma_cmd_import_jfr(
        ctx: *mut urma_context,
        tjfr: *mut urma_target_jetty,
        cfg: *mut urma_tjfr_cfg,
        udata: *mut urma_cmd_udrv_priv,
    ) -> c_int;
    pub fn urma_cmd_import_jfr_ex(
        ctx: *mut urma_context,
        tjfr: *mut urma_target_jetty,
        cfg: *mut urma_tjfr_cfg,
        ex_cfg: *mut urma_active_tp_cfg,
        udata: *mut urma_cmd_udrv_priv,
    ) -> c_int;
    pub fn urma_cmd_unimport_jfr(tjfr: *mut urma_target_jetty) -> c_int;
    pub fn urma_cmd_advise_jfr(
        jfs: *mut urma_jfs,
        tjfr: *mut urma_target_jetty,
        udata: *mut urma_cmd_udrv_priv,
    ) -> c_int;
    pub fn urma_cmd_unadvise_jfr(jfs: *mut urma_jfs, tjfr: *mut urma_target_jetty) -> c_int;
    pub fn urma_cmd_create_jetty(
        ctx: *mut urma_context,
        jetty: *mut urma_jetty,
        cfg: *mut urma_jetty_cfg,
        udata: *mut urma_cmd_udrv_priv,
    ) -> c_int;
    pub fn urma_cmd_modify_jetty(
        jetty: *mut urma_jetty,
        attr: *mut urma_jetty_attr,
        udata: *mut urma_cmd_udrv_priv,
    ) -> c_int;
    pub fn urma_cmd_query_jetty(
        jetty: *mut urma_jetty,
        cfg: *mut urma_jetty_cfg,
        attr: *mut urma_jetty_attr,
    ) -> c_int;
    pub fn urma_cmd_delete_jetty(jetty: *mut urma_jetty) -> c_int;
    pub fn urma_cmd_delete_jetty_batch(
        jetty_arr: *mut *mut urma_jetty,
        jetty_num: c_int,
        bad_jetty: *mut *mut urma_jetty,
    ) -> c_int;
    pub fn urma_cmd_alloc_jetty(
        ctx: *mut urma_context,
        cfg: *mut urma_jetty_cfg,
        jetty: *mut urma_jetty,
        udata: *mut urma_cmd_udrv_priv,
    ) -> c_int;
    pub fn urma_cmd_set_jetty_opt(
        jetty: *mut urma_jetty,
        opt: u64,
        buf: *mut c_void,
        len: u32,
        udata: *mut urma_cmd_udrv_priv,
    ) -> c_int;
    pub fn urma_cmd_active_jetty(jetty: *mut urma_jetty, udata: *mut urma_cmd_udrv_priv) -> c_int;
    pub fn urma_cmd_get_jetty_opt(
        jetty: *mut urma_jetty,
        opt: u64,
        buf: *mut c_void,
        len: u32,
        udata: *mut urma_cmd_udrv_priv,
    ) -> c_int;
    pub fn urma_cmd_deactive_jetty(jetty: *mut urma_jetty, udata: *mut urma_cmd_udrv_priv)
        -> c_int;
    pub fn urma_cmd_free_jetty(jetty: *mut urma_jetty, udata: *mut urma_cmd_udrv_priv) -> c_int;
    pub fn urma_cmd_import_jetty(
        ctx: *mut urma_context,
        tjetty: *mut urma_target_jetty,
        cfg: *mut urma_tjetty_cfg,
        udata: *mut urma_cmd_udrv_priv,
    ) -> c_int;
    pub fn urma_cmd_import_jetty_ex(
        ctx: *mut urma_context,
        tjetty: *mut urma_target_jetty,
        cfg: *mut urma_tjetty_cfg,
        ex_cfg: *mut urma_active_tp_cfg,
        udata: *mut urma_cmd_udrv_priv,
    ) -> c_int;
    pub fn urma_cmd_unimport_jetty(tjetty: *mut urma_target_jetty) -> c_int;
    pub fn urma_cmd_advise_jetty(
        jetty: *mut urma_jetty,
        tjetty: *mut urma_target_jetty,
        udata: *mut urma_cmd_udrv_priv,
    ) -> c_int;
    pub fn urma_cmd_unadvise_jetty(jetty: *mut urma_jetty, tjetty: *mut urma_target_jetty)
        -> c_int;
    pub fn urma_cmd_bind_jetty(
        jetty: *mut urma_jetty,
        tjetty: *mut urma_target_jetty,
        udata: *mut urma_cmd_udrv_priv,
    ) -> c_int;
    pub fn urma_cmd_bind_jetty_ex(
        jetty: *mut urma_jetty,
        tjetty: *mut urma_target_jetty,
        ex_cfg: *mut urma_active_tp_cfg,
        udata: *mut urma_cmd_udrv_priv,
    ) -> c_int;
    pub fn urma_cmd_unbind_jetty(jetty: *mut urma_jetty) -> c_int;
    pub fn urma_cmd_create_jetty_grp(
        ctx: *mut urma_context,
        jetty_grp: *mut urma_jetty_grp,
        cfg: *mut urma_jetty_grp_cfg,
        udata: *mut urma_cmd_udrv_priv,
    ) -> c_int;
    pub fn urma_cmd_delete_jetty_grp(jetty_grp: *mut urma_jetty_grp) -> c_int;
    pub fn urma_cmd_alloc_token_id(
        ctx: *mut urma_context,
        token_id: *mut urma_token_id,
        udata: *mut urma_cmd_udrv_priv,
    ) -> c_int;
    pub fn urma_cmd_alloc_token_id_ex(
        ctx: *mut urma_context,
        token_id: *mut urma_token_id,
        flag: u32,
        udata: *mut urma_cmd_udrv_priv,
    ) -> c_int;
    pub fn urma_cmd_free_token_id(token_id: *mut urma_token_id) -> c_int;
    pub fn urma_cmd_register_seg(
        ctx: *mut urma_context,
        tseg: *mut urma_target_seg,
        cfg: *mut urma_seg_cfg,
        udata: *mut urma_cmd_udrv_priv,
    ) -> c_int;
    pub fn urma_cmd_unregister_seg(tseg: *mut urma_target_seg) -> c_int;
    pub fn urma_cmd_import_seg(
        ctx: *mut urma_context,
        tseg: *mut urma_target_seg,
        cfg: *mut urma_import_tseg_cfg,
        udata: *mut urma_cmd_udrv_priv,
    ) -> c_int;
    pub fn urma_cmd_unimport_seg(tseg: *mut urma_target_seg) -> c_int;
    pub fn urma_cmd_get_async_event(ctx: *mut urma_context, event: *mut urma_async_event) -> u32;
    pub fn urma_cmd_ack_async_event(event: *mut urma_async_event);
    pub fn urma_cmd_user_ctl(
        ctx: *mut urma_context,
        input: *mut urma_user_ctl_in,
        out: *mut urma_user_ctl_out,
        udrv_data: *mut urma_udrv,
    ) -> c_int;
    pub fn urma_cmd_get_eid_list(
        dev_fd: c_int,
        max_eid_cnt: u32,
        eid_list: *mut urma_eid_info,
        eid_cnt: *mut u32,
    ) -> c_int;
    pub fn urma_cmd_modify_tp(
        ctx: *mut urma_context,
        tpn: u32,
        cfg: *mut urma_tp_cfg,
        attr: *mut urma_tp_attr,
        mask: u32,
    ) -> c_int;
    pub fn urma_cmd_import_jetty_async(
        notifier: *mut urma_notifier,
        tjetty: *mut urma_target_jetty,
        cfg: *mut urma_tjetty_cfg,
        user_ctx: u64,
        timeout: c_int,
        udata: *mut urma_cmd_udrv_priv,
    ) -> c_int;
    pub fn urma_cmd_unimport_jetty_async(tjetty: *mut urma_target_jetty) -> c_int;
    pub fn urma_cmd_bind_jetty_async(
        notifier: *mut urma_notifier,
        jetty: *mut urma_jetty,
        tjetty: *mut urma_target_jetty,
        user_ctx: u64,
        timeout: c_int,
        udata: *mut urma_cmd_udrv_priv,
    ) -> c_int;
    pub fn urma_cmd_unbind_jetty_async(jetty: *mut urma_jetty) -> c_int;
    pub fn urma_cmd_create_notifier(ctx: *mut urma_context) -> c_int;
    pub fn urma_cmd_wait_notify(
        notifier: *mut urma_notifier,
        cnt: u32,
        notify: *mut urma_notify,
        timeout: c_int,
    ) -> c_int;
    pub fn urma_cmd_get_tp_list(
        ctx: *mut urma_context,
        cfg: *mut urma_get_tp_cfg,
        tp_cnt: *mut u32,
        tp_list: *mut urma_tp_info,
        udata: *mut urma_cmd_udrv_priv,
    ) -> c_int;
    pub fn urma_cmd_set_tp_attr(
        ctx: *const urma_context,
        tp_handle: u64,
        tp_attr_cnt: u8,
        tp_attr_bitmap: u32,
        tp_attr: *const urma_tp_attr_value,
        udata: *mut urma_cmd_udrv_priv,
    ) -> c_int;
    pub fn urma_cmd_get_tp_attr(
        ctx: *const urma_context,
        tp_handle: u64,
        tp_attr_cnt: *mut u8,
        tp_attr_bitmap: *mut u32,
        tp_attr: *mut urma_tp_attr_value,
        udata: *mut urma_cmd_udrv_priv,
    ) -> c_int;
    pub fn urma_cmd_exchange_tp_info(
        ctx: *mut urma_context,
        cfg: *mut urma_get_tp_cfg,
        local_tp_handle: u64,
        tx_psn: u32,
        peer_tp_handle: *mut u64,
        rx_psn: *mut u32,
    ) -> c_int;
    pub fn urma_cmd_get_eid_by_ip(
        ctx: *const urma_context,
        net_addr: *const urma_net_addr,
        eid: *mut urma_eid,
    ) -> c_int;
    pub fn urma_cmd_get_ip_by_eid(
        ctx: *const urma_context,
        eid: *const urma_eid,
        net_addr: *mut urma_net_addr,
    ) -> c_int;
    pub fn urma_cmd_get_smac(ctx: *const urma_context, mac: *mut u8) -> c_int;
    pub fn urma_cmd_get_dmac(
        ctx: *const urma_context,
        net_addr: *const urma_net_addr,
        mac: *mut u8,
    ) -> c_int;
}
