// SPDX-License-Identifier: GPL-2.0

//! Bindings of a jetty to an imported jetty.
//!
//! A jetty is claimed while it is bound, unbound or deleted, so these exclude each other. The use of
//! the import is counted as long as a jetty is bound to it.

use crate::{
    c_api::{
        kinds::{
            ImportedJetty,
            Jetty, //
        },
        Active,
        Bound,
        Obj,
        User, //
    },
    device::Device,
    import::{
        Target,
        TargetState, //
    },
    logic::{
        types::TransMode,
        validate::{
            check_bind,
            check_unbind,
            BindParams, //
        }, //
    },
    tp::Connection,
};
use kernel::prelude::*;

/// A claim of a jetty; ends when dropped.
pub(crate) struct Claim<'a>(&'a Obj<Jetty>);

impl<'a> Claim<'a> {
    /// Claims a jetty; `EBUSY` while somebody else has.
    pub(crate) fn new(jetty: &'a Obj<Jetty>) -> Result<Self> {
        jetty.uses().claim()?;
        Ok(Self(jetty))
    }

    /// Takes a claim over that [`Self::hand_over`] gave away.
    pub(crate) fn of(jetty: &'a Obj<Jetty>) -> Self {
        Self(jetty)
    }

    /// Gives the claim away.
    pub(crate) fn hand_over(self) {
        core::mem::forget(self);
    }
}

impl Drop for Claim<'_> {
    fn drop(&mut self) {
        self.0.uses().unclaim();
    }
}

/// Returns the mode of a jetty.
fn mode(jetty: &Obj<Jetty>) -> Result<TransMode> {
    TransMode::from_raw(jetty.cfg().trans_mode)
}

/// Checks a path that the caller chose for a binding.
fn check_active(active: &Active) -> Result {
    let (own, peer) = (active.tp.handle, active.tp.peer_handle);
    if own.mode()? != TransMode::Rc || (own.is_rtp() && peer.mode()? != TransMode::Rc) {
        return Err(EINVAL);
    }
    Ok(())
}

/// Binds a jetty to an import; `active` is the path that the caller chose.
///
/// Binding the same pair again does nothing.
///
/// # Errors
///
/// `EINVAL` unless both are of the same user and device, and in the mode RC; for a jetty that is
/// not at work or bound to something else, and an import that another jetty has. `EBUSY` while one of them is
/// being changed by another call; `EIO` once removal has begun; the driver's.
pub(crate) fn bind(
    jetty: &Obj<Jetty>,
    import: &Obj<ImportedJetty>,
    active: Option<Active>,
    user: User<'_>,
) -> Result {
    if let Some(active) = &active {
        check_active(active)?;
    }
    let (dev, _claim) = claim_pair(jetty, import, user)?;
    let result = bind_held(dev, jetty, import, active, user);
    note(jetty, import, &result);
    result.map(|_| ())
}

/// Claims a jetty and holds an import that belong together; returns their device and the claim.
///
/// # Errors
///
/// `EINVAL` unless both are of the same user and device, and for a jetty that is not at work;
/// `EBUSY` while one of them is being changed; `EIO` once removal has begun.
pub(crate) fn claim_pair<'a>(
    jetty: &'a Obj<Jetty>,
    import: &Obj<ImportedJetty>,
    user: User<'_>,
) -> Result<(&'a Device, Claim<'a>)> {
    let dev = jetty.device()?;
    dev.check_creating()?;
    // Without a user, the import must still be of the same owner as the jetty.
    if !import.has_owner_of(jetty) || (user.is_user() && !jetty.belongs_to(dev, user)) {
        return Err(EINVAL);
    }
    let claim = Claim::new(jetty)?;
    if !jetty.is_active() {
        return Err(EINVAL);
    }
    import.uses().hold()?;
    Ok((dev, claim))
}

/// Counts a binding, if [`bind_held`] has made one; else ends the hold of the import.
pub(crate) fn note(jetty: &Obj<Jetty>, import: &Obj<ImportedJetty>, result: &Result<bool>) {
    match result {
        Ok(true) => jetty.uses().add_claimed(),
        Ok(false) | Err(_) => import.uses().release(),
    }
}

/// Tells whether a claimed jetty is bound.
pub(crate) fn is_bound(jetty: &Obj<Jetty>) -> bool {
    matches!(jetty.bound(), Bound::To(_))
}

/// Binds a claimed jetty to a held import; `false` if it is bound to it already.
pub(crate) fn bind_held(
    dev: &Device,
    jetty: &Obj<Jetty>,
    import: &Obj<ImportedJetty>,
    active: Option<Active>,
    user: User<'_>,
) -> Result<bool> {
    let target = Target::of(dev, import)?;
    let vtpn = import.vtpn()?;
    let mut state = vtpn.state().lock();
    let bound = jetty.bound();
    let new = check_bind(
        &BindParams {
            local_mode: mode(jetty)?,
            target_mode: target.mode,
            bound_to_target: matches!(bound, Bound::To(other) if core::ptr::eq(other, import)),
            bound: matches!(bound, Bound::To(_)),
            target_connected: state.is_bound(),
            target_shared: target.is_shared_rc(),
            eid_index: import.cfg().eid_index,
        },
        dev.caps(),
    )?;
    if !new {
        return Ok(false);
    }
    let path = path_of(dev, jetty, import, (&target, active, user), &mut state)?;
    let result = dev.driver_bind(jetty, import, path, user);
    if let Err(error) = result {
        let unused = state.disconnect_unused();
        drop(state);
        drop(unused);
        return Err(error);
    }
    jetty.set_bound(Some(import));
    state.bind();
    vtpn.show(state.connection());
    Ok(true)
}

/// Sees to the path of a new binding; `None` if the driver does.
fn path_of(
    dev: &Device,
    jetty: &Obj<Jetty>,
    import: &Obj<ImportedJetty>,
    (target, active, user): (&Target, Option<Active>, User<'_>),
    state: &mut TargetState,
) -> Result<Option<Active>> {
    if active.is_none() && dev.driver_binds() {
        return Ok(None);
    }
    if let Some(connection) = state.connection() {
        // The import has a path, and only that one will do.
        let theirs = connection.active().tp.handle;
        if active.is_some_and(|active| active.tp.handle != theirs) {
            return Err(EINVAL);
        }
    } else {
        let connection = match active {
            Some(active) => target.connect_over(dev, active, user)?,
            None => target.connect_binding(dev, jetty.id(), import.cfg().id.id)?,
        };
        state.connect(connection);
    }
    Ok(state.connection().map(Connection::active))
}

/// Ends the binding of a jetty.
///
/// # Errors
///
/// `EINVAL` for a jetty that is not bound; `EBUSY` while another call changes it; the driver's, and
/// then it is bound as before.
pub(crate) fn unbind(jetty: &Obj<Jetty>) -> Result {
    let dev = jetty.device()?;
    let _claim = Claim::new(jetty)?;
    let import = unbind_claimed(dev, jetty)?;
    end(jetty, import);
    Ok(())
}

/// Ends the binding of a claimed jetty; returns the import. [`end`] is to follow if the binding was
/// counted.
///
/// # Errors
///
/// As for [`unbind`].
pub(crate) fn unbind_claimed<'a>(
    dev: &Device,
    jetty: &'a Obj<Jetty>,
) -> Result<&'a Obj<ImportedJetty>> {
    let Bound::To(import) = jetty.bound() else {
        return Err(EINVAL);
    };
    check_unbind(mode(jetty)?, true)?;
    let vtpn = import.vtpn()?;
    let mut state = vtpn.state().lock();
    dev.driver_unbind(jetty)?;
    let unused = state.unbind();
    vtpn.show(state.connection());
    drop(state);
    drop(unused);
    jetty.set_bound(None);
    Ok(import)
}

/// Counts the end of a binding.
pub(crate) fn end(jetty: &Obj<Jetty>, import: &Obj<ImportedJetty>) {
    jetty.uses().release();
    // The import may go from here on.
    import.uses().release();
}
