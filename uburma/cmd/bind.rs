// SPDX-License-Identifier: GPL-2.0

//! Binding jettys to imported ones.

use super::{
    notify::find_notifier,
    target::{
        user_tpn,
        wanted_tp, //
    }, //
};
use crate::{
    binding::Binding,
    bindings_ub as b,
    command::{
        done,
        then,
        Commit,
        Outcome, //
    },
    dispatch::Call,
    event::notifier::Request as Pending,
    handle::{
        Doomed,
        Shared, //
    },
    io::Udata,
    kernel_ext::arc::Arc,
    table::{
        bind_jetty,
        bind_jetty_async,
        bind_jetty_ex,
        unbind_jetty,
        unbind_jetty_async, //
    },
    teardown,
    ub::client::{
        ActiveTp,
        Jetty,
        RequestHandler,
        TargetJetty, //
    }, //
};
use kernel::prelude::*;

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

impl NewBinding {
    /// Dissolves it, unless it was committed.
    fn dissolve(&mut self) {
        let Some(jetty) = self.jetty.take() else {
            return;
        };
        // If that fails it is bound, as if the caller had been told.
        let _ = teardown::unbind_from_this(&jetty, self.target.pointer());
    }
}

impl Drop for NewBinding {
    fn drop(&mut self) {
        self.dissolve();
    }
}

/// Tells whether a jetty is bound to a target already.
///
/// # Errors
///
/// `EINVAL` if it is bound to another one.
fn is_again(binding: &mut Binding, target: &Shared<TargetJetty>) -> Result<bool> {
    match binding.target() {
        Some(bound) if !Arc::ptr_eq(bound, target.pointer()) => Err(EINVAL),
        bound => Ok(bound.is_some()),
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
    let again = is_again(&mut binding, &target)?;
    if !again {
        let reference = target.reference()?;
        match tp {
            Some(tp) => jetty.get()?.bind_over(target.get()?, &tp, Some(&user))?,
            None => jetty.get()?.bind(target.get()?, Some(&user))?,
        }
        binding.bind(reference);
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
    unbind_one(call, &request.jetty_handle)?;
    done(unbind_jetty::Reply {})
}

/// Undoes the binding of a jetty.
fn unbind_one(call: &Call<'_>, jetty: &Doomed<Jetty>) -> Result {
    if call.is_gone() {
        return Ok(());
    }
    if jetty.object.binding().lock().target().is_none() {
        return Err(EINVAL);
    }
    teardown::unbind(&jetty.object)
}

/// A command under way that nobody has been told of: undone by the drop, unless it is committed.
pub(crate) struct NewPending {
    /// The binding that it makes; dropped first.
    binding: NewBinding,
    /// The command; `None` once the user knows of it.
    pending: Option<Arc<Pending>>,
}

impl Commit for NewPending {
    fn commit(mut self) -> Result {
        self.pending = None;
        self.binding.jetty = None;
        Ok(())
    }
}

impl Drop for NewPending {
    fn drop(&mut self) {
        let Some(pending) = self.pending.take() else {
            return;
        };
        self.binding.dissolve();
        pending.retire();
    }
}

/// Begins to bind a jetty over a transport path that ubcore chooses; its end is a notification.
pub(crate) fn bind_async(
    call: &Call<'_>,
    request: bind_jetty_async::Request,
) -> Result<Outcome<bind_jetty_async::Reply, NewPending>> {
    let notifier = find_notifier(call, request.fd)?;
    let (jetty, target) = (request.jetty_handle, request.tjetty_handle);
    let kind = b::UBURMA_NOTIFY_BIND_JETTY;
    let pending = Pending::new(&notifier, kind, request.urma_jetty, request.user_ctx)?;
    let user = call.user(&request.udata)?;
    let mut binding = jetty.binding().lock();
    let again = is_again(&mut binding, &target)?;
    binding.prepare()?;
    if again {
        pending.done(Ok(()), target.get()?.tpn()?);
        binding.remember(pending.clone());
    } else {
        let (reference, timeout) = (target.reference()?, request.timeout);
        let (from, to) = (jetty.get()?, target.get()?);
        from.bind_async(to, timeout, pending.clone(), Some(&user))?;
        binding.bind_later(reference, pending.clone());
    }
    drop(binding);
    let reply = bind_jetty_async::Reply {
        tpn: user_tpn(None),
        udata: request.udata,
    };
    let binding = NewBinding {
        jetty: (!again).then_some(jetty),
        target,
    };
    let pending = Some(pending);
    then(reply, NewPending { binding, pending })
}

/// Undoes a binding, as [`unbind`].
pub(crate) fn unbind_async(
    call: &Call<'_>,
    request: unbind_jetty_async::Request,
) -> Result<Outcome<unbind_jetty_async::Reply>> {
    unbind_one(call, &request.jetty_handle)?;
    done(unbind_jetty_async::Reply {})
}
