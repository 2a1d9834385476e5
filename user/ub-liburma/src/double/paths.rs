// SPDX-License-Identifier: GPL-2.0

//! Transport paths and network addresses.

use std::ffi::c_int;

use ub_abi::*;
use ub_client::sys;
use ub_client::tlv::Cmd;
use ub_client::{Context, Eid, Target, TpQuery, NET_ADDR_LEN};
use ub_urma::*;

use super::*;

/// Copies an output of a command.
unsafe fn copy_out(cmd: &Cmd, id: u32, to: *mut u8, room: usize) {
    let value = cmd.value(id);
    // SAFETY: as the caller promises.
    unsafe { std::ptr::copy_nonoverlapping(value.as_ptr(), to, value.len().min(room)) };
}

/// The bytes of an address.
unsafe fn addr_bytes(addr: *const urma_net_addr) -> [u8; NET_ADDR_LEN] {
    const { assert!(NET_ADDR_LEN == size_of::<urma_net_addr>()) };
    // SAFETY: as the caller promises; what is between the members was zeroed.
    unsafe { addr.cast::<[u8; NET_ADDR_LEN]>().read() }
}

exports! {
    fn urma_cmd_get_tp_list(
        ctx: *mut urma_context,
        cfg: *mut urma_get_tp_cfg,
        count: *mut u32,
        list: *mut urma_tp_info,
        udata: *mut urma_cmd_udrv_priv,
    ) -> c_int {
        let cfg = &*cfg;
        let query = TpQuery {
            flag: cfg.flag,
            mode: cfg.trans_mode,
            peer: Eid(cfg.peer_eid.bytes()),
            count: *count,
        };
        let ids = (UBURMA_GET_TP_LIST_IN_UDATA, UBURMA_GET_TP_LIST_OUT_UDATA);
        let cmd = Target::tp_list_cmd(&Eid(cfg.local_eid.bytes()), query);
        let mut cmd = with_udata(cmd, ids, udata);
        let ret = run(&mut cmd, dev_fd(ctx));
        if ret == 0 {
            *count = cmd.get_u32(UBURMA_GET_TP_LIST_OUT_TP_CNT);
            let handles = cmd.value(UBURMA_GET_TP_LIST_OUT_TP_HANDLE);
            for (i, handle) in handles.chunks_exact(8).take(*count as usize).enumerate() {
                (*list.add(i)).tp_handle = sys::from_bytes(handle);
            }
        }
        ret
    }

    fn urma_cmd_set_tp_attr(
        ctx: *const urma_context,
        handle: u64,
        count: u8,
        bitmap: u32,
        attr: *const urma_tp_attr_value,
        udata: *mut urma_cmd_udrv_priv,
    ) -> c_int {
        let cmd = Target::set_tp_attr_cmd(handle, count, bitmap, &(*attr).raw);
        let ids = (UBURMA_SET_TP_ATTR_IN_UDATA, UBURMA_SET_TP_ATTR_OUT_UDATA);
        run(&mut with_udata(cmd, ids, udata), dev_fd(ctx))
    }

    fn urma_cmd_get_tp_attr(
        ctx: *const urma_context,
        handle: u64,
        count: *mut u8,
        bitmap: *mut u32,
        attr: *mut urma_tp_attr_value,
        udata: *mut urma_cmd_udrv_priv,
    ) -> c_int {
        let ids = (UBURMA_GET_TP_ATTR_IN_UDATA, UBURMA_GET_TP_ATTR_OUT_UDATA);
        let mut cmd = with_udata(Target::tp_attr_cmd(handle), ids, udata);
        let ret = run(&mut cmd, dev_fd(ctx));
        if ret == 0 {
            *count = cmd.get_u8(UBURMA_GET_TP_ATTR_OUT_TP_ATTR_CNT);
            *bitmap = cmd.get_u32(UBURMA_GET_TP_ATTR_OUT_TP_ATTR_BITMAP);
            copy_out(&cmd, UBURMA_GET_TP_ATTR_OUT_TP_ATTR, attr.cast(), 128);
        }
        ret
    }

    fn urma_cmd_get_eid_by_ip(
        ctx: *const urma_context,
        addr: *const urma_net_addr,
        eid: *mut urma_eid,
    ) -> c_int {
        let mut cmd = Context::eid_by_ip_cmd(&addr_bytes(addr));
        let ret = run(&mut cmd, dev_fd(ctx));
        if ret == 0 {
            copy_out(&cmd, UBURMA_GET_EID_BY_IP_INFO_OUT_EID, eid.cast(), 16);
        }
        ret
    }

    fn urma_cmd_get_ip_by_eid(
        ctx: *const urma_context,
        eid: *const urma_eid,
        addr: *mut urma_net_addr,
    ) -> c_int {
        let mut cmd = Context::ip_by_eid_cmd(&Eid((*eid).bytes()));
        let ret = run(&mut cmd, dev_fd(ctx));
        if ret == 0 {
            copy_out(&cmd, UBURMA_GET_IP_BY_EID_INFO_OUT_NET_ADDR, addr.cast(), NET_ADDR_LEN);
        }
        ret
    }

    fn urma_cmd_get_smac(ctx: *const urma_context, mac: *mut u8) -> c_int {
        let mut cmd = Cmd::new(UBURMA_CMD_GET_SMAC).out(UBURMA_GET_SMAC_OUT_MAC, 6);
        let ret = run(&mut cmd, dev_fd(ctx));
        if ret == 0 {
            copy_out(&cmd, UBURMA_GET_SMAC_OUT_MAC, mac, 6);
        }
        ret
    }

    fn urma_cmd_get_dmac(
        ctx: *const urma_context,
        addr: *const urma_net_addr,
        mac: *mut u8,
    ) -> c_int {
        let mut cmd = Context::dmac_cmd(&addr_bytes(addr));
        let ret = run(&mut cmd, dev_fd(ctx));
        if ret == 0 {
            copy_out(&cmd, UBURMA_GET_DMAC_OUT_MAC, mac, 6);
        }
        ret
    }
}
