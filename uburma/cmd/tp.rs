// SPDX-License-Identifier: GPL-2.0

//! Transport paths.

use crate::{
    command::{
        done,
        Outcome, //
    },
    dispatch::Call,
    flags,
    io::Udata,
    logic::tp_modify::ModifyTp,
    table::{
        exchange_tp_info,
        get_tp_attr,
        modify_tp,
        set_tp_attr, //
    },
    ub::client::{
        TpAttr,
        TpQuery, //
    },
};
use kernel::prelude::*;

/// Changes properties of a transport path that was listed for the file.
pub(crate) fn set_attr(
    call: &Call<'_>,
    request: set_tp_attr::Request,
) -> Result<Outcome<set_tp_attr::Reply>> {
    let attr = TpAttr {
        count: request.tp_attr_cnt,
        bitmap: request.tp_attr_bitmap,
        value: request.tp_attr,
    };
    let user = call.user(&request.udata)?;
    call.device()
        .set_tp_attr(request.tp_handle, &attr, Some(&user))?;
    done(set_tp_attr::Reply {})
}

/// Returns the properties of a transport path that was listed for the file.
pub(crate) fn attr(
    call: &Call<'_>,
    request: get_tp_attr::Request,
) -> Result<Outcome<get_tp_attr::Reply>> {
    let user = call.user(&request.udata)?;
    let attr = call.device().tp_attr(request.tp_handle, Some(&user))?;
    let mut reply = get_tp_attr::Reply {
        tp_attr_cnt: attr.count,
        tp_attr_bitmap: attr.bitmap,
        udata: request.udata,
        ..Default::default()
    };
    reply.tp_attr.push(&attr.value)?;
    done(reply)
}

/// Tells the peer about a transport path that was listed for the file.
pub(crate) fn exchange(
    call: &Call<'_>,
    request: exchange_tp_info::Request,
) -> Result<Outcome<exchange_tp_info::Reply>> {
    let query = TpQuery {
        flag: flags::get_tp(request.flag),
        trans_mode: request.trans_mode,
        local_eid: request.local_eid,
        peer_eid: request.peer_eid,
    };
    let user = call.user(&Udata::default())?;
    let (peer_tp_handle, rx_psn) =
        call.device()
            .exchange_tp(&query, request.tp_handle, request.tx_psn, Some(&user))?;
    done(exchange_tp_info::Reply {
        peer_tp_handle,
        rx_psn,
    })
}

/// Changes a transport path by its number: no driver has paths that a user may change so.
///
/// # Errors
///
/// `EINVAL` for a bad request, `EOPNOTSUPP` for a good one.
pub(crate) fn modify(
    _call: &Call<'_>,
    request: modify_tp::Request,
) -> Result<Outcome<modify_tp::Reply>> {
    ModifyTp {
        tpn: request.tpn,
        cfg_flag: request.tp_cfg_flag,
        trans_mode: request.tp_cfg_trans_mode,
        dscp: request.tp_cfg_dscp,
        mask: request.mask,
        flag: request.attr_flag,
        peer_tpn: request.attr_peer_tpn,
        state: request.attr_state,
        mtu: request.attr_mtu,
        peer_net_addr: request.attr_peer_net_addr,
        flow_label: request.attr_flow_label,
        peer_trans_type: request.attr_peer_trans_type,
    }
    .check()?;
    Err(EOPNOTSUPP)
}
