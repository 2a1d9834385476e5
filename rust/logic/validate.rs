// SPDX-License-Identifier: GPL-2.0

//! Checks of creation requests, before a driver sees them.
//!
//! The structs here hold the few numbers that a check needs, taken from the request and from the
//! device's capabilities. A check answers with the resolved values (the default order of delivery
//! replaced by the real one); the caller's request is never written to.
//!
//! All refusals are `EINVAL` unless a function says otherwise.

use super::{
    jetty_state::{
        JettyState,
        JfrState, //
    },
    types::{
        OrderType,
        TargetType,
        TpType,
        TransMode, //
    },
};
use crate::env::{
    Result,
    EEXIST,
    EINVAL,
    EPERM, //
};

/// Largest priority of a send queue.
pub(crate) const MAX_PRIORITY: u8 = 15;
/// Largest number of retries after "receiver not ready".
pub(crate) const MAX_RNR_RETRY: u8 = 7;
/// Largest exponent of the error timeout.
pub(crate) const MAX_ERR_TIMEOUT: u8 = 31;
/// Largest exponent of the "receiver not ready" timer.
pub(crate) const MAX_RNR_TIMER: u8 = 31;
/// Largest token policy.
pub(crate) const MAX_TOKEN_POLICY: u32 = 4;
/// Largest capacity of a jetty group.
pub(crate) const MAX_GROUP_CAPACITY: u32 = 32;
/// Bytes of a name field, NUL included.
pub(crate) const NAME_LEN: usize = 64;

/// `EINVAL` unless `condition` holds.
fn require(condition: bool) -> Result {
    if condition {
        Ok(())
    } else {
        Err(EINVAL)
    }
}

/// The capabilities of a device that creation depends on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Caps {
    /// OR of the supported [`TransMode`] values.
    pub(crate) trans_mode: u32,
    /// Entries of a JFC.
    pub(crate) max_jfc_depth: u32,
    /// Entries of a send queue.
    pub(crate) max_jfs_depth: u32,
    /// Entries of a receive queue.
    pub(crate) max_jfr_depth: u32,
    /// Bytes of inline data.
    pub(crate) max_jfs_inline_size: u32,
    /// Local elements of a send request.
    pub(crate) max_jfs_sge: u32,
    /// Remote elements of a send request.
    pub(crate) max_jfs_rsge: u32,
    /// Elements of a receive buffer.
    pub(crate) max_jfr_sge: u32,
    /// Entries of the EID table.
    pub(crate) max_eid_cnt: u32,
    /// Members of a jetty group.
    pub(crate) max_jetty_in_group: u32,
}

impl Caps {
    /// Reads a transport mode that the device must support.
    fn mode(&self, raw: u32) -> Result<TransMode> {
        let mode = TransMode::from_raw(raw)?;
        require(self.trans_mode & mode.raw() != 0)?;
        Ok(mode)
    }
}

/// The resolved part of a checked request, to be stored in the core's copy of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Checked {
    /// Transport mode.
    pub(crate) mode: TransMode,
    /// Order of delivery, never the default.
    pub(crate) order: OrderType,
}

/// Request for a send queue: a JFS or the sending half of a jetty.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SendParams {
    /// Raw transport mode.
    pub(crate) trans_mode: u32,
    /// Raw order type, 0 for the default.
    pub(crate) order_type: u32,
    /// Entries.
    pub(crate) depth: u32,
    /// Bytes of inline data.
    pub(crate) max_inline: u32,
    /// Local elements.
    pub(crate) max_sge: u8,
    /// Remote elements.
    pub(crate) max_rsge: u8,
    /// Priority.
    pub(crate) priority: u8,
    /// Retries after "receiver not ready".
    pub(crate) rnr_retry: u8,
    /// Exponent of the error timeout.
    pub(crate) err_timeout: u8,
}

/// Checks a send queue: mode, order, depth and the limits of its requests.
pub(crate) fn check_jfs(params: &SendParams, caps: &Caps) -> Result<Checked> {
    let mode = caps.mode(params.trans_mode)?;
    let order = OrderType::resolve(params.order_type, mode)?;
    require(params.depth >= 1 && params.depth <= caps.max_jfs_depth)?;
    require(params.max_inline <= caps.max_jfs_inline_size)?;
    require(u32::from(params.max_sge) <= caps.max_jfs_sge)?;
    require(u32::from(params.max_rsge) <= caps.max_jfs_rsge)?;
    require(params.priority <= MAX_PRIORITY)?;
    require(params.rnr_retry <= MAX_RNR_RETRY)?;
    require(params.err_timeout <= MAX_ERR_TIMEOUT)?;
    Ok(Checked { mode, order })
}

/// Request for a JFR.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RecvParams {
    /// Raw transport mode.
    pub(crate) trans_mode: u32,
    /// Raw order type, 0 for the default.
    pub(crate) order_type: u32,
    /// Exponent of the "receiver not ready" timer.
    pub(crate) min_rnr_timer: u8,
    /// Token policy.
    pub(crate) token_policy: u32,
}

/// Checks a JFR; its size is for [`check_jfr_size`].
pub(crate) fn check_jfr(params: &RecvParams, caps: &Caps) -> Result<Checked> {
    let mode = caps.mode(params.trans_mode)?;
    let order = OrderType::resolve(params.order_type, mode)?;
    require(params.min_rnr_timer <= MAX_RNR_TIMER)?;
    check_token_policy(params.token_policy)?;
    Ok(Checked { mode, order })
}

/// Checks the size of a receive queue against the device.
pub(crate) fn check_jfr_size(depth: u32, max_sge: u8, caps: &Caps) -> Result {
    require(depth >= 1 && depth <= caps.max_jfr_depth)?;
    require(u32::from(max_sge) <= caps.max_jfr_sge)
}

/// Checks the depth of a JFC against the device.
pub(crate) fn check_jfc_depth(depth: u32, caps: &Caps) -> Result {
    require(depth >= 1 && depth <= caps.max_jfc_depth)
}

/// Checks a token policy.
pub(crate) fn check_token_policy(policy: u32) -> Result {
    require(policy <= MAX_TOKEN_POLICY)
}

/// The receiving half of a requested jetty.
#[derive(Clone, Copy, Debug)]
pub(crate) enum JettyRecv {
    /// An existing JFR, with its resolved values.
    Shared {
        /// Mode and order of the JFR.
        jfr: Checked,
        /// Its timer.
        min_rnr_timer: u8,
        /// Its token policy.
        token_policy: u32,
    },
    /// A receive queue of its own; UB devices have none.
    Own {
        /// Entries.
        depth: u32,
        /// Elements of a buffer.
        max_sge: u8,
        /// Exponent of the timer.
        min_rnr_timer: u8,
    },
}

/// Checks a jetty: its sending half like a JFS, and that the receiving half goes with it.
pub(crate) fn check_jetty(
    send: &SendParams,
    recv: &JettyRecv,
    is_ub_device: bool,
    caps: &Caps,
) -> Result<Checked> {
    let checked = check_jfs(send, caps)?;
    let timer = match *recv {
        JettyRecv::Shared {
            jfr,
            min_rnr_timer,
            token_policy,
        } => {
            require(jfr == checked)?;
            check_token_policy(token_policy)?;
            min_rnr_timer
        }
        JettyRecv::Own {
            depth,
            max_sge,
            min_rnr_timer,
        } => {
            require(!is_ub_device)?;
            check_jfr_size(depth, max_sge, caps)?;
            min_rnr_timer
        }
    };
    require(timer <= MAX_RNR_TIMER)?;
    Ok(checked)
}

/// A jetty that is to join a group.
#[derive(Clone, Copy)]
pub(crate) struct GroupJoin {
    /// Mode of the jetty.
    pub(crate) mode: TransMode,
    /// Mode of its JFR.
    pub(crate) jfr_mode: TransMode,
    /// Token of the jetty; tokens are never logged.
    pub(crate) jetty_token: u32,
    /// Token of its JFR.
    pub(crate) jfr_token: u32,
    /// Token of the group.
    pub(crate) group_token: u32,
    /// Token policy of the JFR.
    pub(crate) jfr_policy: u32,
    /// Token policy of the group.
    pub(crate) group_policy: u32,
    /// Members the group has.
    pub(crate) members: u32,
    /// Members it can have.
    pub(crate) capacity: u32,
}

/// Checks a jetty that is to join a group; `EPERM` when the group is full.
pub(crate) fn check_group_member(join: &GroupJoin) -> Result {
    require(join.mode == TransMode::Rm && join.jfr_mode == TransMode::Rm)?;
    require(join.jetty_token == join.group_token && join.jfr_token == join.jetty_token)?;
    require(join.group_policy == join.jfr_policy)?;
    if join.members >= join.capacity {
        return Err(EPERM);
    }
    Ok(())
}

/// Checks that a device can have jetty groups, given its group capacity.
pub(crate) fn check_group_capacity(max_jetty_in_group: u32) -> Result {
    require((1..=MAX_GROUP_CAPACITY).contains(&max_jetty_in_group))
}

/// Sizes of a queue; what does not apply is 0.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Sizes {
    /// Entries.
    pub(crate) depth: u32,
    /// Local elements.
    pub(crate) sge: u32,
    /// Remote elements.
    pub(crate) rsge: u32,
    /// Bytes of inline data.
    pub(crate) inline: u32,
}

/// Checks that a driver gave at least what was asked for.
pub(crate) fn check_actual(actual: &Sizes, requested: &Sizes) -> Result {
    require(actual.depth >= requested.depth)?;
    require(actual.sge >= requested.sge && actual.rsge >= requested.rsge)?;
    require(actual.inline >= requested.inline)
}

/// What a creation request says about the object's id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum IdRequest {
    /// The driver chooses.
    Choose,
    /// A well-known id, for privileged callers only.
    Reserved(u32),
    /// Any other fixed id.
    Fixed(u32),
}

/// Classifies a requested id, given the device's range of reserved ids.
///
/// Ids 1 and 2 belong to the connection manager: `EPERM` unless `is_core`.
pub(crate) fn check_id(id: u32, reserved_max: u32, is_core: bool) -> Result<IdRequest> {
    match id {
        0 => Ok(IdRequest::Choose),
        1 | 2 if !is_core => Err(EPERM),
        _ if id <= reserved_max => Ok(IdRequest::Reserved(id)),
        _ => Ok(IdRequest::Fixed(id)),
    }
}

/// Request to import a remote JFR, jetty or group.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ImportParams {
    /// Raw transport mode.
    pub(crate) trans_mode: u32,
    /// Raw order type, 0 for the default.
    pub(crate) order_type: u32,
    /// Raw type of the transport path.
    pub(crate) tp_type: u32,
    /// Raw type of the target.
    pub(crate) target_type: u32,
    /// Index of the local EID.
    pub(crate) eid_index: u32,
}

/// A checked import.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ImportChecked {
    /// Mode and order.
    pub(crate) checked: Checked,
    /// Type of the transport path.
    pub(crate) tp_type: TpType,
    /// Type of the target.
    pub(crate) target: TargetType,
}

/// Checks an import; a compact path in the unreliable mode cannot keep an order itself.
pub(crate) fn check_import(params: &ImportParams, caps: &Caps) -> Result<ImportChecked> {
    let mode = TransMode::from_raw(params.trans_mode)?;
    let order = OrderType::resolve(params.order_type, mode)?;
    let tp_type = TpType::from_raw(params.tp_type)?;
    require(params.eid_index < caps.max_eid_cnt)?;
    if mode == TransMode::Um && tp_type == TpType::Ctp {
        require(matches!(order, OrderType::Ol | OrderType::No))?;
    }
    Ok(ImportChecked {
        checked: Checked { mode, order },
        tp_type,
        target: TargetType::from_raw(params.target_type)?,
    })
}

/// Whether an import or bind shares its connected transport path.
pub(crate) fn is_shared_rc(mode: TransMode, order: OrderType, share_tp: bool) -> bool {
    mode == TransMode::Rc && order == OrderType::Ot && share_tp
}

/// What a bind finds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BindParams {
    /// Mode of the local jetty.
    pub(crate) local_mode: TransMode,
    /// Mode of the imported target.
    pub(crate) target_mode: TransMode,
    /// The local jetty is bound to this very target.
    pub(crate) bound_to_target: bool,
    /// The local jetty is bound, to whatever target.
    pub(crate) bound: bool,
    /// The target has a connection.
    pub(crate) target_connected: bool,
    /// That connection may be shared; see [`is_shared_rc`].
    pub(crate) target_shared: bool,
    /// Index of the local EID that the target was imported with.
    pub(crate) eid_index: u32,
}

/// Checks a bind; `false` means that exactly this pair is bound already and nothing is to be done.
pub(crate) fn check_bind(params: &BindParams, caps: &Caps) -> Result<bool> {
    require(params.local_mode == TransMode::Rc && params.target_mode == TransMode::Rc)?;
    if params.bound_to_target {
        return Ok(false);
    }
    require(!params.bound)?;
    require(!params.target_connected || params.target_shared)?;
    require(params.eid_index < caps.max_eid_cnt)?;
    Ok(true)
}

/// Checks an unbind.
pub(crate) fn check_unbind(mode: TransMode, bound: bool) -> Result {
    require(mode == TransMode::Rc && bound)
}

/// Changes of a jetty or JFS that a modify request asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Change<S> {
    /// New threshold of the limit event.
    pub(crate) rx_threshold: Option<u32>,
    /// New state.
    pub(crate) state: Option<S>,
}

/// Reads a jetty's modify request: mask bit 0 the threshold, bit 1 the state. No bit is no change.
pub(crate) fn jetty_change(mask: u32, rx_threshold: u32, state: u32) -> Result<Change<JettyState>> {
    change(mask, rx_threshold, state, JettyState::from_raw)
}

/// Reads a JFR's modify request, with the same mask as a jetty's.
pub(crate) fn jfr_change(mask: u32, rx_threshold: u32, state: u32) -> Result<Change<JfrState>> {
    change(mask, rx_threshold, state, JfrState::from_raw)
}

/// Reads a JFS's modify request: mask bit 0 the state.
pub(crate) fn jfs_change(mask: u32, state: u32) -> Result<Change<JettyState>> {
    require(mask & !1 == 0)?;
    change(mask << 1, 0, state, JettyState::from_raw)
}

/// Checks a JFC's modify request: mask bit 0 the count of its moderation, bit 1 the period.
pub(crate) fn check_jfc_change(mask: u32) -> Result {
    require(mask & !3 == 0)
}

/// Common part of the modify requests; fields without their bit are not looked at.
fn change<S>(
    mask: u32,
    rx_threshold: u32,
    state: u32,
    read: impl FnOnce(u32) -> Result<S>,
) -> Result<Change<S>> {
    require(mask & !3 == 0)?;
    let state = if mask & 2 != 0 {
        Some(read(state)?)
    } else {
        None
    };
    Ok(Change {
        rx_threshold: (mask & 1 != 0).then_some(rx_threshold),
        state,
    })
}

/// Takes the name out of a NUL-terminated field and checks it as the name of a device.
///
/// # Errors
///
/// `EINVAL` for an empty or unterminated name, one with a slash or a leading dot, and `EEXIST` for
/// `ubcore`, which user space takes for the core's own node.
pub(crate) fn device_name(field: &[u8]) -> Result<&[u8]> {
    let end = field.iter().take(NAME_LEN).position(|&c| c == 0);
    let name = end.and_then(|end| field.get(..end)).ok_or(EINVAL)?;
    require(!name.is_empty() && !name.contains(&b'/') && name.first() != Some(&b'.'))?;
    if name == b"ubcore" {
        return Err(EEXIST);
    }
    Ok(name)
}

#[cfg(test)]
#[path = "tests/validate.rs"]
mod tests;
