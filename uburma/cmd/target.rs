// SPDX-License-Identifier: GPL-2.0

//! Imported jettys and receive queues.

use super::notify::find_notifier;
use crate::{
    bindings_ub as b,
    command::{
        done,
        then,
        Outcome, //
    },
    dispatch::Call,
    event::notifier::Request as Pending,
    flags,
    handle::{
        NewHandle,
        NewObject, //
    },
    io::Udata,
    table::{
        import_jetty,
        import_jetty_async,
        import_jetty_ex,
        import_jfr,
        import_jfr_ex,
        unimport_jetty,
        unimport_jetty_async,
        unimport_jfr, //
    },
    teardown::destroy,
    ub::client::{
        ActiveTp,
        TargetConfig,
        TargetJetty,
        TargetJfr, //
    },
    uobject::Parts,
};
use kernel::prelude::*;

/// Returns the transport path that a user wants; `None`: one that ubcore chooses.
pub(crate) fn wanted_tp(tp: ActiveTp) -> Option<ActiveTp> {
    (tp != ActiveTp::default()).then_some(tp)
}

/// Returns what the user is told of a transport path.
pub(crate) fn user_tpn(tpn: Option<u32>) -> u32 {
    tpn.unwrap_or(b::UBURMA_INVALID_TPN)
}

/// Imports a jetty; returns the number of its transport path, the handle, and the object.
fn new_jetty<'a>(
    call: &Call<'a>,
    config: TargetConfig,
    tp: Option<ActiveTp>,
    udata: &Udata,
) -> Result<(u32, u64, NewObject<'a>)> {
    let handle = NewHandle::reserve(call)?;
    let value = handle.value();
    let config = TargetConfig {
        eid_index: call.context()?.eid_index,
        flag: flags::import_jetty(config.flag),
        ..config
    };
    let user = call.user(udata)?;
    let target = TargetJetty::import(call.device(), &config, tp.as_ref(), Some(&user))?;
    let tpn = user_tpn(target.tpn()?);
    Ok((tpn, value, handle.attach(call, target, Parts::default())?))
}

/// Imports a receive queue; returns the number of its transport path, the handle, and the object.
fn new_jfr<'a>(
    call: &Call<'a>,
    config: TargetConfig,
    tp: Option<ActiveTp>,
    udata: &Udata,
) -> Result<(u32, u64, NewObject<'a>)> {
    let handle = NewHandle::reserve(call)?;
    let value = handle.value();
    let config = TargetConfig {
        eid_index: call.context()?.eid_index,
        flag: flags::import_jetty(config.flag),
        target_type: b::UBCORE_JFR,
        ..config
    };
    let user = call.user(udata)?;
    let target = TargetJfr::import(call.device(), &config, tp.as_ref(), Some(&user))?;
    let tpn = user_tpn(target.tpn()?);
    Ok((tpn, value, handle.attach(call, target, Parts::default())?))
}

/// Imports a receive queue over a transport path that ubcore chooses.
pub(crate) fn import_jfr<'a>(
    call: &Call<'a>,
    request: import_jfr::Request,
) -> Result<Outcome<import_jfr::Reply, NewObject<'a>>> {
    let config = TargetConfig {
        eid: request.eid,
        id: request.id,
        flag: request.flag,
        trans_mode: request.trans_mode,
        token: request.token,
        tp_type: request.tp_type,
        ..Default::default()
    };
    let (tpn, handle, new) = new_jfr(call, config, None, &request.udata)?;
    let udata = request.udata;
    then(import_jfr::Reply { tpn, handle, udata }, new)
}

/// Imports a receive queue over a given transport path.
pub(crate) fn import_jfr_ex<'a>(
    call: &Call<'a>,
    request: import_jfr_ex::Request,
) -> Result<Outcome<import_jfr_ex::Reply, NewObject<'a>>> {
    let config = TargetConfig {
        eid: request.eid,
        id: request.id,
        flag: request.flag,
        trans_mode: request.trans_mode,
        token: request.token,
        tp_type: request.tp_type,
        share_tags: (request.stag.0, request.dtag.0),
        ..Default::default()
    };
    let tp = wanted_tp(ActiveTp {
        handle: request.tp_handle,
        peer_handle: request.peer_tp_handle,
        tag: request.tag,
        tx_psn: request.tx_psn,
        rx_psn: request.rx_psn,
    });
    let (tpn, handle, new) = new_jfr(call, config, tp, &request.udata)?;
    let udata = request.udata;
    then(import_jfr_ex::Reply { tpn, handle, udata }, new)
}

/// Imports a jetty over a transport path that ubcore chooses.
pub(crate) fn import_jetty<'a>(
    call: &Call<'a>,
    request: import_jetty::Request,
) -> Result<Outcome<import_jetty::Reply, NewObject<'a>>> {
    let config = TargetConfig {
        eid: request.eid,
        id: request.id,
        flag: request.flag,
        trans_mode: request.trans_mode,
        target_type: request.r#type,
        policy: request.policy,
        token: request.token,
        tp_type: request.tp_type,
        ..Default::default()
    };
    let (tpn, handle, new) = new_jetty(call, config, None, &request.udata)?;
    let udata = request.udata;
    then(import_jetty::Reply { tpn, handle, udata }, new)
}

/// Imports a jetty over a given transport path.
pub(crate) fn import_jetty_ex<'a>(
    call: &Call<'a>,
    request: import_jetty_ex::Request,
) -> Result<Outcome<import_jetty_ex::Reply, NewObject<'a>>> {
    let config = TargetConfig {
        eid: request.eid,
        id: request.id,
        flag: request.flag,
        trans_mode: request.trans_mode,
        target_type: request.r#type,
        policy: request.policy,
        token: request.token,
        tp_type: request.tp_type,
        share_tags: (request.stag.0, request.dtag.0),
        ..Default::default()
    };
    let tp = wanted_tp(ActiveTp {
        handle: request.tp_handle,
        peer_handle: request.peer_tp_handle,
        tag: request.tag,
        tx_psn: request.tx_psn,
        rx_psn: request.rx_psn,
    });
    let (tpn, handle, new) = new_jetty(call, config, tp, &request.udata)?;
    let udata = request.udata;
    then(import_jetty_ex::Reply { tpn, handle, udata }, new)
}

/// Returns the kind of transport path that an import has if the user does not say.
fn usual_tp(trans_mode: u32) -> u32 {
    if trans_mode == b::UBURMA_TM_UM {
        b::UBURMA_TP_TYPE_UTP
    } else {
        b::UBURMA_TP_TYPE_RTP
    }
}

/// Begins to import a jetty over a transport path that ubcore chooses; its end is a notification.
pub(crate) fn import_jetty_async<'a>(
    call: &Call<'a>,
    request: import_jetty_async::Request,
) -> Result<Outcome<import_jetty_async::Reply, NewObject<'a>>> {
    let notifier = find_notifier(call, request.fd)?;
    let handle = NewHandle::reserve(call)?;
    let config = TargetConfig {
        eid: request.eid,
        id: request.id,
        flag: flags::import_jetty(request.flag),
        trans_mode: request.trans_mode,
        eid_index: call.context()?.eid_index,
        target_type: request.r#type,
        policy: request.policy,
        token: request.token,
        tp_type: usual_tp(request.trans_mode),
        ..Default::default()
    };
    let kind = b::UBURMA_NOTIFY_IMPORT_JETTY;
    let pending = Pending::new(&notifier, kind, request.urma_tjetty, request.user_ctx)?;
    let (user, timeout) = (call.user(&request.udata)?, request.timeout);
    let dev = call.device();
    let target = TargetJetty::import_async(dev, &config, timeout, pending.clone(), Some(&user))?;
    let reply = import_jetty_async::Reply {
        tpn: user_tpn(None),
        handle: handle.value(),
        udata: request.udata,
    };
    let parts = Parts {
        request: Some(pending),
        ..Default::default()
    };
    then(reply, handle.attach(call, target, parts)?)
}

/// Undoes the import of a jetty, as [`unimport_jetty`]; waits for its end first.
pub(crate) fn unimport_jetty_async(
    call: &Call<'_>,
    request: unimport_jetty_async::Request,
) -> Result<Outcome<unimport_jetty_async::Reply>> {
    destroy(call.file(), &request.handle, call.is_gone())?;
    done(unimport_jetty_async::Reply {})
}

/// Undoes the import of a receive queue.
pub(crate) fn unimport_jfr(
    call: &Call<'_>,
    request: unimport_jfr::Request,
) -> Result<Outcome<unimport_jfr::Reply>> {
    destroy(call.file(), &request.handle, call.is_gone())?;
    done(unimport_jfr::Reply {})
}

/// Undoes the import of a jetty; what is bound to it is unbound first.
pub(crate) fn unimport_jetty(
    call: &Call<'_>,
    request: unimport_jetty::Request,
) -> Result<Outcome<unimport_jetty::Reply>> {
    destroy(call.file(), &request.handle, call.is_gone())?;
    done(unimport_jetty::Reply {})
}
