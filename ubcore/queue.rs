// SPDX-License-Identifier: GPL-2.0

//! What creation and deletion of JFC, JFS, JFR and jetty have in common.

use crate::{
    c_api::{
        core_state,
        Kind,
        Obj,
        Owned,
        Parents,
        Queue,
        User, //
    },
    device::Device,
    logic::validate::{
        check_actual,
        Sizes, //
    }, //
};
use kernel::{
    prelude::*,
    sync::aref::ARef, //
};

/// The use of an object that a new one is built on; ends when dropped, unless kept.
pub(crate) struct Hold<'a, K: Kind>(&'a Obj<K>);

impl<'a, K: Kind> Hold<'a, K> {
    /// Begins to use an object.
    ///
    /// # Errors
    ///
    /// `EINVAL` for no object, and for one of another device or of another user; `EBUSY` while it
    /// is being deleted.
    pub(crate) fn new(object: Option<&'a Obj<K>>, dev: &Device, user: User<'_>) -> Result<Self> {
        let object = object.ok_or(EINVAL)?;
        if !object.belongs_to(dev, user) {
            return Err(EINVAL);
        }
        object.uses().hold()?;
        Ok(Self(object))
    }

    /// Refuses an object that is not at work.
    ///
    /// # Errors
    ///
    /// `EINVAL`
    pub(crate) fn active(self) -> Result<Self>
    where
        K: Queue,
    {
        if self.0.is_active() {
            Ok(self)
        } else {
            Err(EINVAL)
        }
    }

    /// Returns the object.
    pub(crate) fn get(&self) -> &'a Obj<K> {
        self.0
    }

    /// Lets the use last as long as the new object.
    pub(crate) fn keep(self) {
        core::mem::forget(self);
    }
}

impl<K: Kind> Drop for Hold<'_, K> {
    fn drop(&mut self) {
        self.0.uses().release();
    }
}

/// Counts an object that came to life.
pub(crate) fn born<K: Kind>(object: &Obj<K>) {
    if let Ok(core) = core_state() {
        core.counters().up(K::CLASS);
    }
    if let Some(uctx) = object.uctx() {
        uctx.count(1);
    }
}

/// Completes a new object: checks what the driver granted, and makes the object visible.
///
/// `EINVAL` if that is less than what was asked for, `EEXIST` if the driver chose a number in use.
/// On error the driver has destroyed the object.
pub(crate) fn complete<K: Queue>(
    dev: &Device,
    object: Owned<K>,
    granted: &[Sizes; 2],
    requested: &[Sizes; 2],
) -> Result<Owned<K>> {
    // Whoever finds it by number finds it at work.
    object.set_active(true);
    if let Err(error) = publish(dev, &object, granted, requested) {
        object.discard();
        return Err(error);
    }
    born(&*object);
    Ok(object)
}

/// Checks what the driver granted, and makes an object visible.
///
/// # Errors
///
/// `EINVAL` if that is less than what was asked for, `EEXIST` if the driver chose a number in use.
pub(crate) fn publish<K: Queue>(
    dev: &Device,
    object: &Obj<K>,
    granted: &[Sizes; 2],
    requested: &[Sizes; 2],
) -> Result {
    for (granted, requested) in granted.iter().zip(requested) {
        check_actual(granted, requested)?;
    }
    K::table(dev).publish(object)
}

/// Prepares a claimed object for its end; returns what it is built on.
///
/// [`gone`] or [`stays`] is to follow.
pub(crate) fn about_to_go<K: Kind>(object: &Obj<K>) -> Parents {
    // Counted before the object is gone, and its context perhaps with it.
    if let Some(uctx) = object.uctx() {
        uctx.count(-1);
    }
    K::leave(object);
    object.parents()
}

/// Ends the uses and the count of an object that is gone.
pub(crate) fn gone<K: Kind>(parents: Parents) {
    parents.release();
    if let Ok(core) = core_state() {
        core.counters().down(K::CLASS);
    }
}

/// Says that an object is not gone after all.
pub(crate) fn stays<K: Kind>(object: &Obj<K>) {
    K::rejoin(object);
    if let Some(uctx) = object.uctx() {
        uctx.count(1);
    }
}

/// Lets the driver destroy a claimed object, and ends what it is counted as.
pub(crate) fn destroy<K: Kind>(object: Owned<K>) -> Result<(), (Owned<K>, Error)> {
    destroy_with(object, Owned::destroy)
}

/// Ends what a claimed object is counted as; `destroy` lets the driver destroy it.
pub(crate) fn destroy_with<K: Kind>(
    object: Owned<K>,
    destroy: impl FnOnce(Owned<K>) -> Result<(), (Owned<K>, Error)>,
) -> Result<(), (Owned<K>, Error)> {
    let parents = about_to_go(&*object);
    match destroy(object) {
        Ok(()) => {
            gone::<K>(parents);
            Ok(())
        }
        Err((object, error)) => {
            stays(&*object);
            Err((object, error))
        }
    }
}

/// Destroys a claimed object; on error it is as it was before the claim.
pub(crate) fn destroy_claimed<K: Kind>(object: Owned<K>) -> Result {
    destroy(object).map_err(|(object, error)| {
        object.uses().unclaim();
        error
    })
}

/// Deletes an object that is at work and that nobody uses; `busy` says that somebody does.
///
/// On error the object is as it was before; `EINVAL` for one that is not at work.
pub(crate) fn delete<K: Queue>(object: Owned<K>, busy: Error) -> Result {
    object.uses().claim_idle().map_err(|_| busy)?;
    if !object.is_active() {
        object.uses().unclaim();
        return Err(EINVAL);
    }
    let dev = ARef::from(object.device().inspect_err(|_| object.uses().unclaim())?);
    let withdrawn = K::table(&dev).withdraw(&object);
    destroy(object).map_err(|(object, error)| {
        K::table(&dev).restore(&object, withdrawn);
        object.uses().unclaim();
        error
    })
}
