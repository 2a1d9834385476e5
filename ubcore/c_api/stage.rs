// SPDX-License-Identifier: GPL-2.0

//! Staged creation: allocate, set options, activate; deactivate, free.
//!
//! One description for each kind of objects, [`Staged`], from which the functions of all kinds are
//! made.

use super::{
    object::{
        Obj,
        Owned,
        Queue, //
    },
    option::{
        OptionValue,
        Place, //
    },
    user::User,
};
use crate::{
    bindings_ub::{
        ubcore_device,
        ubcore_jetty_flag,
        ubcore_jfs_flag,
        ubcore_ops,
        ubcore_udata, //
    },
    device::Device,
    flags::{
        jetty_send_flags,
        shares_jfr, //
    },
    logic::{
        eid::Eid,
        options::OptionOwner, //
    },
    ub::common::FlagWord,
};
use core::ptr::null_mut;
use kernel::{
    error::to_result,
    prelude::*,
    sync::aref::ARef, //
};

/// `ubcore_ops.alloc_jfc` and so on.
type AllocFn<C, Cfg> = Option<
    unsafe extern "C" fn(*mut ubcore_device, *mut Cfg, *mut *mut C, *mut ubcore_udata) -> c_int,
>;
/// `ubcore_ops.set_jfc_opt`, `get_jfc_opt` and so on.
type OptFn<C> =
    Option<unsafe extern "C" fn(*mut C, u64, *mut c_void, u32, *mut ubcore_udata) -> c_int>;
/// `ubcore_ops.active_jfc`, `deactive_jfc`, `free_jfc` and so on.
type StageFn<C> = Option<unsafe extern "C" fn(*mut C, *mut ubcore_udata) -> c_int>;

/// The operations of a driver for one kind of objects.
pub(crate) struct StageOps<C, Cfg> {
    pub(super) alloc: AllocFn<C, Cfg>,
    pub(super) set: OptFn<C>,
    pub(super) get: OptFn<C>,
    pub(super) active: StageFn<C>,
    pub(super) deactive: StageFn<C>,
    pub(super) free: StageFn<C>,
}

/// A kind of objects that can be made in stages.
///
/// # Safety
///
/// The functions must return pointers to the fields that they name, and the operations for this
/// kind.
pub(crate) unsafe trait Staged: Queue {
    /// The configuration.
    type Cfg;
    /// The kind, for options.
    const OWNER: OptionOwner;

    /// Returns the operations of a driver.
    fn stage_ops(ops: &ubcore_ops) -> StageOps<Self::C, Self::Cfg>;

    /// Returns where the configuration is.
    ///
    /// # Safety
    ///
    /// `this` must be valid.
    unsafe fn cfg(this: *mut Self::C) -> *mut Self::Cfg;

    /// Returns where the mask of options is.
    ///
    /// # Safety
    ///
    /// `this` must be valid.
    unsafe fn mask(this: *mut Self::C) -> *mut u64;

    /// Returns where the value of an option is kept, if it is.
    ///
    /// # Safety
    ///
    /// `this` must be valid.
    unsafe fn place(this: *mut Self::C, opt: u64) -> Option<Place>;

    /// Stores the EID of an object.
    ///
    /// # Safety
    ///
    /// `this` must be valid, and the caller's alone but for its counts.
    unsafe fn set_eid(this: *mut Self::C, eid: Eid);
}

/// Implements [`Staged`] for a kind.
macro_rules! staged {
    (
        $kind:ident: $name:ident, cfg $cfg:ty, $cfg_field:ident, mask $($mask:ident).+,
        eid |$e:ident, $eid:ident| $set_eid:expr,
        place |$this:ident, $opt:ident| $place:expr
    ) => { ::kernel::macros::paste! {
        // SAFETY: The fields and operations of those names.
        unsafe impl $crate::c_api::stage::Staged for $kind {
            type Cfg = $cfg;
            const OWNER: $crate::logic::options::OptionOwner =
                $crate::logic::options::OptionOwner::$kind;

            fn stage_ops(
                ops: &$crate::bindings_ub::ubcore_ops,
            ) -> $crate::c_api::stage::StageOps<Self::C, Self::Cfg> {
                $crate::c_api::stage::StageOps {
                    alloc: ops.[<alloc_ $name>],
                    set: ops.[<set_ $name _opt>],
                    get: ops.[<get_ $name _opt>],
                    active: ops.[<active_ $name>],
                    deactive: ops.[<deactive_ $name>],
                    free: ops.[<free_ $name>],
                }
            }

            unsafe fn cfg(this: *mut Self::C) -> *mut Self::Cfg {
                // SAFETY: By the function's contract.
                unsafe { &raw mut (*this).$cfg_field }
            }

            unsafe fn mask(this: *mut Self::C) -> *mut u64 {
                // SAFETY: By the function's contract.
                unsafe { (&raw mut (*this).$($mask).+.value).cast() }
            }

            unsafe fn place(
                $this: *mut Self::C,
                $opt: u64,
            ) -> Option<$crate::c_api::option::Place> {
                $place
            }

            unsafe fn set_eid($e: *mut Self::C, $eid: $crate::logic::eid::Eid) {
                $set_eid
            }
        }
    } };
}
pub(super) use staged;

impl Device {
    /// Lets the driver allocate an object.
    ///
    /// # Errors
    ///
    /// `EINVAL` if it lacks one of the operations that the object will need, or the driver's.
    pub(crate) fn driver_alloc<K: Staged>(
        &self,
        cfg: &mut K::Cfg,
        user: User<'_>,
    ) -> Result<Owned<K>> {
        let ops = K::stage_ops(self.ops());
        let alloc = ops.alloc.ok_or(EINVAL)?;
        if ops.active.is_none() || ops.deactive.is_none() || ops.free.is_none() {
            return Err(EINVAL);
        }
        K::destroy_op(self.ops()).ok_or(EINVAL)?;
        let mut object = null_mut();
        // SAFETY: An operation of the driver, with its device, a configuration, and room.
        to_result(unsafe { alloc(self.c().as_ptr(), cfg, &mut object, user.udata()) })?;
        // SAFETY: What the driver made.
        unsafe { Owned::from_driver(object, self, user) }
    }
}

impl<K: Staged> Obj<K> {
    /// Calls an operation of the driver that changes the stage.
    fn change_stage(
        &self,
        choose: impl FnOnce(StageOps<K::C, K::Cfg>) -> StageFn<K::C>,
        user: User<'_>,
    ) -> Result {
        let op = choose(K::stage_ops(self.device()?.ops())).ok_or(EINVAL)?;
        // SAFETY: An operation of the driver, with an object of its own that we claimed.
        to_result(unsafe { op(self.as_ptr(), user.udata()) })
    }

    /// Lets the driver put a claimed object to work.
    pub(crate) fn driver_activate(&self, user: User<'_>) -> Result {
        self.change_stage(|ops| ops.active, user)
    }

    /// Lets the driver take a claimed object out of work.
    pub(crate) fn driver_deactivate(&self, user: User<'_>) -> Result {
        self.change_stage(|ops| ops.deactive, user)
    }

    /// Copies the configuration of a claimed object.
    pub(crate) fn copy_cfg(&self) -> K::Cfg {
        const { assert!(!core::mem::needs_drop::<K::Cfg>()) };
        // SAFETY: Valid and initialised; nobody changes it meanwhile.
        unsafe { K::cfg(self.as_ptr()).read() }
    }

    /// Replaces the configuration of a claimed object; what it is built on stays the same.
    pub(crate) fn set_cfg(&self, cfg: K::Cfg) {
        // SAFETY: Valid; nobody else accesses it meanwhile.
        unsafe { K::cfg(self.as_ptr()).write(cfg) };
    }

    /// Stores the EID of a claimed object.
    pub(crate) fn set_eid(&self, eid: Eid) {
        // SAFETY: Valid; nobody else accesses it meanwhile.
        unsafe { K::set_eid(self.as_ptr(), eid) };
    }

    /// Passes a value to the driver.
    fn driver_set(&self, opt: u64, value: &OptionValue, user: User<'_>) -> Result {
        let op = K::stage_ops(self.device()?.ops()).set.ok_or(EINVAL)?;
        // SAFETY: An operation of the driver, with an object of its own that we claimed.
        to_result(unsafe { op(self.as_ptr(), opt, value.buf, value.len, user.udata()) })
    }

    /// Sets an option of a claimed object: first at the driver, then where it is kept.
    ///
    /// # Errors
    ///
    /// The driver's, `EINVAL` for an object to build on that has another owner, `EBUSY` for one that
    /// is being deleted.
    pub(crate) fn set_option(
        &self,
        opt: u64,
        mask: Option<u64>,
        value: &OptionValue,
        user: User<'_>,
    ) -> Result {
        // SAFETY: A valid object, here and below; nobody else changes it.
        match unsafe { K::place(self.as_ptr(), opt) } {
            None => self.driver_set(opt, value, user)?,
            Some(Place::Bytes(to, len)) => {
                if len != value.len as usize {
                    return Err(EINVAL);
                }
                self.driver_set(opt, value, user)?;
                // SAFETY: Valid for so many bytes; every value of the field is valid.
                unsafe { to.copy_from_nonoverlapping(value.buf.cast(), len) };
            }
            // SAFETY: A pointer of this object.
            Some(Place::Jfc(at)) => unsafe {
                self.rebind::<super::kinds::Jfc>(at, opt, value, user)?
            },
            // SAFETY: As above.
            Some(Place::Jfr(at)) => unsafe {
                self.rebind::<super::kinds::Jfr>(at, opt, value, user)?
            },
            Some(Place::JettyFlag(at)) => {
                let new = ubcore_jetty_flag::from_word(value.word()?);
                // SAFETY: Valid; all bits are initialised.
                if shares_jfr(&new) != shares_jfr(unsafe { &*at }) {
                    // It decides what the jetty is built on.
                    return Err(EINVAL);
                }
                self.driver_set(opt, value, user)?;
                // SAFETY: Valid.
                unsafe { at.write(new) };
            }
            Some(Place::SendFlag(at)) => {
                let send = ubcore_jfs_flag::from_word(value.word()?);
                self.driver_set(opt, value, user)?;
                // SAFETY: Valid; all bits are initialised.
                unsafe { at.write(jetty_send_flags(&*at, &send)) };
            }
        }
        if let Some(bit) = mask {
            // SAFETY: Valid.
            unsafe { *K::mask(self.as_ptr()) |= bit };
        }
        Ok(())
    }

    /// Builds the object on another one than before.
    ///
    /// # Safety
    ///
    /// `at` must be a pointer of this object whose use is counted, if it is not null; `value` must
    /// hold a pointer of that type, null or valid.
    unsafe fn rebind<P: Queue>(
        &self,
        at: *mut *mut P::C,
        opt: u64,
        value: &OptionValue,
        user: User<'_>,
    ) -> Result {
        // SAFETY: The length of a pointer was checked.
        let new = unsafe { value.buf.cast::<*mut P::C>().read_unaligned() };
        // SAFETY: By the function's contract.
        let new = unsafe { Obj::<P>::from_raw(new) }.ok_or(EINVAL)?;
        if !new.has_owner_of(self) {
            return Err(EINVAL);
        }
        new.uses().hold()?;
        if let Err(error) = self.driver_set(opt, value, user) {
            new.uses().release();
            return Err(error);
        }
        // SAFETY: By the function's contract.
        let old = unsafe { Obj::<P>::from_raw(at.replace(new.as_ptr())) };
        if let Some(old) = old {
            old.uses().release();
        }
        Ok(())
    }

    /// Reads an option.
    ///
    /// # Errors
    ///
    /// The driver's for an option that is not kept, `EINVAL` if it cannot read any.
    pub(crate) fn get_option(&self, opt: u64, value: &OptionValue, user: User<'_>) -> Result {
        // SAFETY: A valid object, here and below; nobody changes it meanwhile.
        match unsafe { K::place(self.as_ptr(), opt) } {
            None => {
                let op = K::stage_ops(self.device()?.ops()).get.ok_or(EINVAL)?;
                // SAFETY: An operation of the driver, with an object of its own.
                to_result(unsafe { op(self.as_ptr(), opt, value.buf, value.len, user.udata()) })
            }
            Some(Place::Bytes(from, len)) => value.fill(from, len),
            Some(Place::Jfc(at)) => value.fill(at.cast(), size_of_val(&at)),
            Some(Place::Jfr(at)) => value.fill(at.cast(), size_of_val(&at)),
            Some(Place::JettyFlag(at)) => value.fill(at.cast(), size_of::<u32>()),
            Some(Place::SendFlag(at)) => {
                // SAFETY: Valid; all bits are initialised.
                let mut word = unsafe { (*at).word() } >> 1;
                value.fill((&raw mut word).cast(), size_of::<u32>())
            }
        }
    }
}

impl<K: Staged> Owned<K> {
    /// Lets the driver free the object; gives it back if it does not.
    pub(crate) fn free(self, user: User<'_>) -> Result<(), (Self, Error)> {
        let free = || {
            // The device must be there until the operation returns.
            let dev = ARef::from(self.device()?);
            self.change_stage(|ops| ops.free, user)?;
            Ok(dev)
        };
        match free() {
            Ok(_) => Ok(()),
            Err(error) => Err((self, error)),
        }
    }
}
