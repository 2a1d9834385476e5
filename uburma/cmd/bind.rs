// SPDX-License-Identifier: GPL-2.0

//! Binding jettys to imported ones.

use super::target::{
    user_tpn,
    wanted_tp, //
};
use crate::{
    command::{
        done,
        then,
        Commit,
        Outcome, //
    },
    dispatch::Call,
    handle::Shared,
    io::Udata,
    table::{
        bind_jetty,
        bind_jetty_ex,
        unbind_jetty, //
    },
    teardown,
    ub::client::{
        ActiveTp,
        Jetty,
        TargetJetty, //
    },
};
use kernel::{
    prelude::*,
    sync::Arc, //
};

/// A binding that nobody has been told of: dissolved by the drop, unless it is committed.
pub(crate) struct NewBinding {
    /// The jetty; `None` if it was bound before, or is to stay bound.
    jetty: Option<Shared<Jetty>>,
    /// What it is bound to.
    target: Shared<TargetJetty>,
}

impl Commit for NewBinding {
    fn commit(mut self) -> Result {
        self.jetty = None;
        Ok(())
    }
}

impl Drop for NewBinding {
    fn drop(&mut self) {
        let Some(jetty) = self.jetty.take() else {
            return;
        };
        // If that fails it is bound, as if the caller had been told.
        let _ = teardown::unbind_from_this(&jetty, self.target.pointer());
    }
}

/// Binds a jetty; also returns the number of the transport path.
///
/// Binding the same two again changes nothing.
fn bind_over(
    call: &Call<'_>,
    jetty: Shared<Jetty>,
    target: Shared<TargetJetty>,
    tp: Option<ActiveTp>,
    udata: &Udata,
) -> Result<(u32, NewBinding)> {
    let user = call.user(udata)?;
    let mut binding = jetty.binding().lock();
    let again = match &*binding {
        Some(bound) if !Arc::ptr_eq(bound.pointer(), target.pointer()) => return Err(EINVAL),
        bound => bound.is_some(),
    };
    if !again {
        let reference = target.reference()?;
        match tp {
            Some(tp) => jetty.get()?.bind_over(target.get()?, &tp, Some(&user))?,
            None => jetty.get()?.bind(target.get()?, Some(&user))?,
        }
        *binding = Some(reference);
    }
    drop(binding);
    let new = NewBinding {
        jetty: (!again).then_some(jetty),
        target,
    };
    let tpn = new.target.get()?.tpn().map(user_tpn)?;
    Ok((tpn, new))
}

/// Binds a jetty over a transport path that ubcore chooses.
pub(crate) fn bind(
    call: &Call<'_>,
    request: bind_jetty::Request,
) -> Result<Outcome<bind_jetty::Reply, NewBinding>> {
    let (jetty, target) = (request.jetty_handle, request.tjetty_handle);
    let (tpn, new) = bind_over(call, jetty, target, None, &request.udata)?;
    let udata = request.udata;
    then(bind_jetty::Reply { tpn, udata }, new)
}

/// Binds a jetty over a given transport path.
pub(crate) fn bind_ex(
    call: &Call<'_>,
    request: bind_jetty_ex::Request,
) -> Result<Outcome<bind_jetty_ex::Reply, NewBinding>> {
    let tp = wanted_tp(ActiveTp {
        handle: request.tp_handle,
        peer_handle: request.peer_tp_handle,
        tag: request.tag,
        tx_psn: request.tx_psn,
        rx_psn: request.rx_psn,
    });
    let (jetty, target) = (request.jetty_handle, request.tjetty_handle);
    let (tpn, new) = bind_over(call, jetty, target, tp, &request.udata)?;
    let udata = request.udata;
    then(bind_jetty_ex::Reply { tpn, udata }, new)
}

/// Undoes a binding; when the device is gone there is none.
///
/// # Errors
///
/// `EINVAL` for a jetty that is not bound.
pub(crate) fn unbind(
    call: &Call<'_>,
    request: unbind_jetty::Request,
) -> Result<Outcome<unbind_jetty::Reply>> {
    if !call.is_gone() {
        let jetty = &request.jetty_handle.object;
        if jetty.binding().lock().is_none() {
            return Err(EINVAL);
        }
        teardown::unbind(jetty)?;
    }
    done(unbind_jetty::Reply {})
}
