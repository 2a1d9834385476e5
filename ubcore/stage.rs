// SPDX-License-Identifier: GPL-2.0

//! Staged creation of JFC, JFS, JFR and jetty.
//!
//! An object that was allocated is counted, and so are its uses of others, but it has no number and
//! does nothing until it is activated. Activation runs the same checks as creation in one step, and
//! makes the object visible; deactivation is the way back.
//!
//! Whoever changes an object claims it. Objects that are built on it may go meanwhile, but none may
//! come.

use crate::{
    c_api::{
        Obj,
        OptionValue,
        Owned,
        Parents,
        Staged,
        User, //
    },
    device::Device,
    logic::{
        eid::Eid,
        options::{
            check_configurable,
            check_option,
            option_len,
            OptionRole, //
        },
        validate::Sizes, //
    },
    queue,
    uses::Uses, //
};
use kernel::prelude::*;

/// A kind of objects whose configurations are checked.
pub(crate) trait Checked: Staged {
    /// Checks a configuration and completes it; returns the EID that the object will have.
    ///
    /// `parents` is what the object is built on.
    ///
    /// # Errors
    ///
    /// `EINVAL` for a configuration that the device does not have.
    fn check(dev: &Device, cfg: &mut Self::Cfg, parents: &Parents, user: User<'_>) -> Result<Eid>;

    /// Returns the sizes in a configuration: of the object, and of a receive side of its own.
    fn sizes(cfg: &Self::Cfg) -> [Sizes; 2];
}

/// A claim of an object that may have users; ends when dropped.
struct Claim<'a>(Uses<'a>);

impl<'a> Claim<'a> {
    /// Claims an object; `EBUSY` while somebody else has.
    fn new<K: Staged>(object: &'a Obj<K>) -> Result<Self> {
        let uses = object.uses();
        uses.claim()?;
        Ok(Self(uses))
    }

    /// Claims an object that has no users; `EBUSY` if it has, or somebody else claimed it.
    fn idle<K: Staged>(object: &'a Obj<K>) -> Result<Self> {
        let uses = object.uses();
        uses.claim_idle()?;
        Ok(Self(uses))
    }
}

impl Drop for Claim<'_> {
    fn drop(&mut self) {
        self.0.unclaim();
    }
}

/// Completes an object that was allocated.
pub(crate) fn allocated<K: Staged>(object: Owned<K>) -> Owned<K> {
    queue::born(&*object);
    object
}

/// Refuses a user who does not own an object; a kernel client may work on behalf of one.
fn check_owner<K: Staged>(object: &Obj<K>, dev: &Device, user: User<'_>) -> Result {
    if user.is_user() && !object.belongs_to(dev, user) {
        return Err(EINVAL);
    }
    Ok(())
}

/// Sets an option.
///
/// # Errors
///
/// `EINVAL` for an option that the object does not have, a wrong length, or a foreign object to
/// build on; `EPERM` for an object at work; `EBUSY` while another call changes this object or
/// deletes the one to build on; `EOPNOTSUPP` for a group; the driver's.
pub(crate) fn set<K: Staged>(
    object: &Obj<K>,
    opt: u64,
    value: &OptionValue,
    user: User<'_>,
) -> Result {
    let spec = check_option(K::OWNER, opt, value.len())?;
    check_owner(object, object.device()?, user)?;
    let _claim = Claim::new(object)?;
    check_configurable(object.is_active())?;
    if spec.role == OptionRole::Group {
        return Err(EOPNOTSUPP);
    }
    object.set_option(opt, spec.mask, value, user)
}

/// Reads an option; the caller sees to it that nobody sets one meanwhile.
///
/// # Errors
///
/// `EINVAL` for an option that the object does not have, and for too little room; the driver's for
/// one that is not kept here.
pub(crate) fn get<K: Staged>(
    object: &Obj<K>,
    opt: u64,
    value: &OptionValue,
    user: User<'_>,
) -> Result {
    let (_, len) = option_len(K::OWNER, opt, value.len())?;
    check_owner(object, object.device()?, user)?;
    object.get_option(opt, &value.truncated(len), user)
}

/// Puts an object to work.
///
/// # Errors
///
/// `EINVAL` for an object at work, one that is built on something that is not at work, or a
/// configuration that the device does not have; `EBUSY` while another call changes it; `EEXIST` for
/// a number in use; `EIO` once removal has begun; the driver's. Then it is as it was before.
pub(crate) fn activate<K: Checked>(object: &Obj<K>, user: User<'_>) -> Result {
    let dev = object.device()?;
    dev.check_creating()?;
    check_owner(object, dev, user)?;
    let _claim = Claim::new(object)?;
    let parents = object.parents();
    if object.is_active() || !parents.are_active() {
        return Err(EINVAL);
    }
    let before = object.copy_cfg();
    let mut cfg = object.copy_cfg();
    let result = K::check(dev, &mut cfg, &parents, user).and_then(|eid| {
        let requested = K::sizes(&cfg);
        object.set_eid(eid);
        object.set_cfg(cfg);
        object.driver_activate(user)?;
        let granted = K::sizes(&object.copy_cfg());
        queue::publish(dev, object, &granted, &requested).inspect_err(|_| {
            if let Err(error) = object.driver_deactivate(user) {
                pr_warn_ratelimited!("driver cannot undo an activation: {error:?}\n");
            }
        })
    });
    match result {
        Ok(()) => object.set_active(true),
        Err(_) => object.set_cfg(before),
    }
    result
}

/// Takes an object out of work; its options can be set then, and it can be activated again.
///
/// # Errors
///
/// `EINVAL` for an object that is not at work, `EBUSY` for one that others use or change; the
/// driver's. Then it works as before.
pub(crate) fn deactivate<K: Staged>(object: &Obj<K>, user: User<'_>) -> Result {
    let dev = object.device()?;
    check_owner(object, dev, user)?;
    let _claim = Claim::idle(object)?;
    if !object.is_active() {
        return Err(EINVAL);
    }
    let withdrawn = K::table(dev).withdraw(object);
    if let Err(error) = object.driver_deactivate(user) {
        K::table(dev).restore(object, withdrawn);
        return Err(error);
    }
    object.set_active(false);
    Ok(())
}

/// Frees an object that is not at work.
///
/// # Errors
///
/// `EINVAL` for an object at work, `EBUSY` for one that others use or change; the driver's. Then it
/// is as it was before.
pub(crate) fn free<K: Staged>(object: Owned<K>, user: User<'_>) -> Result {
    check_owner(&*object, object.device()?, user)?;
    object.uses().claim_idle()?;
    if object.is_active() {
        object.uses().unclaim();
        return Err(EINVAL);
    }
    queue::destroy_with(object, |object| object.free(user)).map_err(|(object, error)| {
        object.uses().unclaim();
        error
    })
}
