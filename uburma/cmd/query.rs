// SPDX-License-Identifier: GPL-2.0

//! Questions about a device.

use crate::{
    bindings_ub as b,
    command::{
        done,
        Outcome, //
    },
    dispatch::Call,
    flags,
    io::{
        Blob,
        PortMember, //
    },
    table::{
        get_eid_list,
        get_jfce_cnt,
        get_tp_list,
        query_dev_attr,
        PRIORITIES_LEN, //
    },
    ub::client::{
        attr::FlagWord,
        DeviceAttr,
        DeviceStatus,
        TpQuery, //
    },
};
use kernel::prelude::*;

/// Lists the EIDs that the caller's namespace may use.
pub(crate) fn eid_list(
    call: &Call<'_>,
    request: get_eid_list::Request,
) -> Result<Outcome<get_eid_list::Reply>> {
    let max = request.max_eid_cnt;
    if max == 0 || max > b::UBURMA_MAX_EID_CNT {
        return Err(EINVAL);
    }
    let mut reply = get_eid_list::Reply::default();
    for (eid, index) in call.device().eid_list()?.iter().take(max as usize) {
        reply.eid_list.push(&eid)?;
        reply.eid_list.push(&index.to_ne_bytes())?;
        reply.eid_list.push(&[0; 4])?;
        reply.eid_cnt += 1;
    }
    done(reply)
}

/// Lists transport paths to a peer.
pub(crate) fn tp_list(
    call: &Call<'_>,
    request: get_tp_list::Request,
) -> Result<Outcome<get_tp_list::Reply>> {
    let max = request.tp_cnt;
    if max == 0 || max > b::UBURMA_MAX_TP {
        return Err(EINVAL);
    }
    let query = TpQuery {
        flag: flags::get_tp(request.flag),
        trans_mode: request.trans_mode,
        local_eid: request.local_eid,
        peer_eid: request.peer_eid,
    };
    let user = call.user(&request.udata)?;
    let mut reply = get_tp_list::Reply {
        udata: request.udata,
        ..Default::default()
    };
    for handle in call.device().tp_list(&query, max, Some(&user))? {
        reply.tp_handle.push(&handle.to_ne_bytes())?;
        reply.tp_cnt += 1;
    }
    done(reply)
}

/// Counts the completion event channels of the device, of all open files.
pub(crate) fn jfce_count(
    call: &Call<'_>,
    request: get_jfce_cnt::Request,
) -> Result<Outcome<get_jfce_cnt::Reply>> {
    let (jfce_total_cnt, jfce_thresh_cnt) = call.file().device().count_jfces(request.threshold);
    done(get_jfce_cnt::Reply {
        jfce_total_cnt,
        jfce_thresh_cnt,
    })
}

/// Collects one member of the attributes of the first `count` ports.
fn ports(count: u8, member: impl Fn(usize) -> Option<u32>) -> PortMember {
    let mut values = PortMember::default();
    for (port, value) in values.0.iter_mut().enumerate().take(usize::from(count)) {
        *value = member(port).unwrap_or(0);
    }
    values
}

/// Returns what the priorities of a device stand for.
fn priorities(attr: &DeviceAttr) -> Result<Blob<PRIORITIES_LEN>> {
    let mut blob = Blob::default();
    for priority in &attr.dev_cap.priority_info {
        blob.push(&priority.SL.to_ne_bytes())?;
        blob.push(&priority.tp_type.word().to_ne_bytes())?;
    }
    Ok(blob)
}

/// Fills in the attributes of the ports; without a status those that change are 0.
fn fill_ports(reply: &mut query_dev_attr::Reply, attr: &DeviceAttr, status: Option<&DeviceStatus>) {
    let count = attr.port_cnt.min(b::UBURMA_MAX_PORT_CNT as u8);
    let port = |port: usize| status.and_then(|status| status.port_status.get(port));
    reply.port_cnt = count;
    reply.port_attr_max_mtu = ports(count, |n| Some(attr.port_attr.get(n)?.max_mtu));
    reply.port_attr_state = ports(count, |n| Some(port(n)?.state));
    reply.port_attr_active_width = ports(count, |n| Some(port(n)?.active_width));
    reply.port_attr_active_speed = ports(count, |n| Some(port(n)?.active_speed));
    reply.port_attr_active_mtu = ports(count, |n| Some(port(n)?.active_mtu));
}

/// Returns the attributes of the device, but for those of its ports.
fn attributes(attr: &DeviceAttr) -> Result<query_dev_attr::Reply> {
    let cap = &attr.dev_cap;
    Ok(query_dev_attr::Reply {
        guid: attr.guid.raw,
        dev_cap_feature: cap.feature.word(),
        dev_cap_max_jfc: cap.max_jfc,
        dev_cap_max_jfs: cap.max_jfs,
        dev_cap_max_jfr: cap.max_jfr,
        dev_cap_max_jetty: cap.max_jetty,
        dev_cap_max_jetty_grp: cap.max_jetty_grp,
        dev_cap_max_jetty_in_jetty_grp: cap.max_jetty_in_jetty_grp,
        dev_cap_max_jfc_depth: cap.max_jfc_depth,
        dev_cap_max_jfs_depth: cap.max_jfs_depth,
        dev_cap_max_jfr_depth: cap.max_jfr_depth,
        dev_cap_max_jfs_inline_len: cap.max_jfs_inline_size,
        dev_cap_max_jfs_sge: cap.max_jfs_sge,
        dev_cap_max_jfs_rsge: cap.max_jfs_rsge,
        dev_cap_max_jfr_sge: cap.max_jfr_sge,
        dev_cap_max_msg_size: cap.max_msg_size,
        dev_cap_max_read_size: cap.max_read_size,
        dev_cap_max_write_size: cap.max_write_size,
        dev_cap_max_cas_size: cap.max_cas_size,
        dev_cap_max_swap_size: cap.max_swap_size,
        dev_cap_max_fetch_and_add_size: cap.max_fetch_and_add_size,
        dev_cap_max_fetch_and_sub_size: cap.max_fetch_and_sub_size,
        dev_cap_max_fetch_and_and_size: cap.max_fetch_and_and_size,
        dev_cap_max_fetch_and_or_size: cap.max_fetch_and_or_size,
        dev_cap_max_fetch_and_xor_size: cap.max_fetch_and_xor_size,
        dev_cap_atomic_feat: cap.atomic_feat.word(),
        dev_cap_trans_mode: cap.trans_mode,
        dev_cap_congestion_ctrl_alg: cap.congestion_ctrl_alg,
        dev_cap_ceq_cnt: u32::from(cap.ceq_cnt),
        dev_cap_max_tp_in_tpg: cap.max_tp_in_tpg,
        dev_cap_max_eid_cnt: cap.max_eid_cnt,
        dev_cap_page_size_cap: cap.page_size_cap,
        dev_cap_max_oor_cnt: cap.max_oor_cnt,
        dev_cap_mn: cap.mn,
        dev_cap_max_netaddr_cnt: cap.max_netaddr_cnt,
        reserved_jetty_id_min: attr.reserved_jetty_id_min,
        reserved_jetty_id_max: attr.reserved_jetty_id_max,
        dev_cap_rm_order_cap: cap.rm_order_cap.word(),
        dev_cap_rc_order_cap: cap.rc_order_cap.word(),
        dev_cap_rm_tp_cap: cap.rm_tp_cap.word(),
        dev_cap_rc_tp_cap: cap.rc_tp_cap.word(),
        dev_cap_um_tp_cap: cap.um_tp_cap.word(),
        dev_cap_tp_feature: cap.tp_feature.word(),
        dev_cap_priority_info: priorities(attr)?,
        ..Default::default()
    })
}

/// Returns the attributes of the device, which the caller must know by name.
pub(crate) fn device(
    call: &Call<'_>,
    request: query_dev_attr::Request,
) -> Result<Outcome<query_dev_attr::Reply>> {
    let name = request.dev_name.split(|byte| *byte == 0).next();
    let device = call.device();
    if name != Some(device.name().to_bytes()) {
        return Err(EINVAL);
    }
    let attr = device.attr()?;
    let mut reply = attributes(&attr)?;
    fill_ports(&mut reply, &attr, device.status().ok().as_ref());
    done(reply)
}
