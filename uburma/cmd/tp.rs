// SPDX-License-Identifier: GPL-2.0

//! Transport paths.

use crate::{
    command::Outcome,
    dispatch::Call,
    logic::tp_modify::ModifyTp,
    table::modify_tp, //
};
use kernel::prelude::*;

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
