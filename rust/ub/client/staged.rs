// SPDX-License-Identifier: GPL-2.0

//! Staged creation: what can be done with a queue or jetty that was allocated.
//!
//! What changes an object excludes all other calls on it: contention is `EBUSY`.

use super::{
    jetty::JettyKind,
    jfc::{
        Jfc,
        JfcKind, //
    },
    jfr::{
        Jfr,
        JfrKind, //
    },
    jfs::JfsKind,
    object::{
        Kind,
        Object, //
    },
    ucontext::User, //
};
use crate::{
    bindings_ub as b,
    logic::options::{
        option_spec,
        OptionOwner,
        OptionRole, //
    },
};
use kernel::{
    error::to_result,
    prelude::*, //
};

/// How an object is made.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Making {
    /// In one step.
    Whole,
    /// Stage one: it is to be activated.
    Allocated,
}

/// A kind of object that can be made in stages.
///
/// # Safety
///
/// The functions must be those of ubcore for this kind. For all of them `ptr` must be a valid object
/// of a registered device, `buf` valid for `len` bytes, and `udata` null or valid.
pub(crate) unsafe trait StagedKind: Kind {
    /// The kind, for options.
    const OWNER: OptionOwner;

    /// Tells whether it is at work; nobody changes that meanwhile.
    ///
    /// # Safety
    ///
    /// See the trait.
    unsafe fn is_active(ptr: *const Self::Raw) -> bool;

    /// `ubcore_set_*_opt()`
    ///
    /// # Safety
    ///
    /// See the trait.
    unsafe fn set(
        ptr: *mut Self::Raw,
        opt: u64,
        buf: *mut c_void,
        len: u32,
        udata: *mut b::ubcore_udata,
    ) -> c_int;

    /// `ubcore_get_*_opt()`
    ///
    /// # Safety
    ///
    /// See the trait.
    unsafe fn get(
        ptr: *mut Self::Raw,
        opt: u64,
        buf: *mut c_void,
        len: u32,
        udata: *mut b::ubcore_udata,
    ) -> c_int;

    /// `ubcore_active_*()`
    ///
    /// # Safety
    ///
    /// See the trait.
    unsafe fn activate(ptr: *mut Self::Raw, udata: *mut b::ubcore_udata) -> c_int;

    /// `ubcore_deactive_*()`
    ///
    /// # Safety
    ///
    /// See the trait.
    unsafe fn deactivate(ptr: *mut Self::Raw, udata: *mut b::ubcore_udata) -> c_int;
}

/// Implements [`Kind`] and [`StagedKind`].
macro_rules! staged_kind {
    ($kind:ident: $raw:ident, $class:ident, $text:literal, $name:ident) => {
        ::kernel::macros::paste! {
            impl Kind for $kind {
                type Raw = b::$raw;
                const NAME: &'static str = $text;

                unsafe fn destroy(ptr: *mut b::$raw) -> c_int {
                    // SAFETY: By the function's contract, here and below.
                    if unsafe { Self::is_active(ptr) } {
                        // SAFETY: As above.
                        unsafe { b::[<ubcore_delete_ $name>](ptr) }
                    } else {
                        // SAFETY: As above.
                        unsafe { b::[<ubcore_free_ $name>](ptr, core::ptr::null_mut()) }
                    }
                }
            }

            // SAFETY: The functions of those names.
            unsafe impl StagedKind for $kind {
                const OWNER: OptionOwner = OptionOwner::$class;

                unsafe fn is_active(ptr: *const b::$raw) -> bool {
                    // SAFETY: By the function's contract, as for all that follows.
                    unsafe { (&raw const (*ptr).[<$name _opt>].is_actived).read_volatile() }
                }

                unsafe fn set(
                    ptr: *mut b::$raw,
                    opt: u64,
                    buf: *mut c_void,
                    len: u32,
                    udata: *mut b::ubcore_udata,
                ) -> c_int {
                    // SAFETY: As above.
                    unsafe { b::[<ubcore_set_ $name _opt>](ptr, opt, buf, len, udata) }
                }

                unsafe fn get(
                    ptr: *mut b::$raw,
                    opt: u64,
                    buf: *mut c_void,
                    len: u32,
                    udata: *mut b::ubcore_udata,
                ) -> c_int {
                    // SAFETY: As above.
                    unsafe { b::[<ubcore_get_ $name _opt>](ptr, opt, buf, len, udata) }
                }

                unsafe fn activate(ptr: *mut b::$raw, udata: *mut b::ubcore_udata) -> c_int {
                    // SAFETY: As above.
                    unsafe { b::[<ubcore_active_ $name>](ptr, udata) }
                }

                unsafe fn deactivate(ptr: *mut b::$raw, udata: *mut b::ubcore_udata) -> c_int {
                    // SAFETY: As above.
                    unsafe { b::[<ubcore_deactive_ $name>](ptr, udata) }
                }
            }
        }
    };
}

staged_kind!(JfcKind: ubcore_jfc, Jfc, "JFC", jfc);
staged_kind!(JfsKind: ubcore_jfs, Jfs, "JFS", jfs);
staged_kind!(JfrKind: ubcore_jfr, Jfr, "JFR", jfr);
staged_kind!(JettyKind: ubcore_jetty, Jetty, "jetty", jetty);

/// What an object is to be built on.
#[derive(Clone, Copy)]
pub(crate) enum NewParent<'a> {
    /// A completion queue.
    Jfc(&'a Jfc),
    /// A receive queue.
    Jfr(&'a Jfr),
}

impl NewParent<'_> {
    /// Tells whether it is what a `BIND_*` option takes.
    fn suits(self, opt: u64) -> bool {
        let takes_jfr = opt == u64::from(b::UBCORE_JETTY_BIND_JFR);
        matches!(self, Self::Jfr(_)) == takes_jfr
    }
}

/// Returns a length for ubcore.
fn len_of(value: &[u8]) -> Result<u32> {
    u32::try_from(value.len()).map_err(|_| EINVAL)
}

/// Returns what an option is about, unless its value is a pointer.
fn check_plain<K: StagedKind>(opt: u64) -> Result {
    match option_spec(K::OWNER, opt)?.role {
        OptionRole::Bind | OptionRole::Group | OptionRole::Channel => Err(EOPNOTSUPP),
        _ => Ok(()),
    }
}

impl<K: StagedKind> Object<K> {
    /// Tells whether the object is at work.
    ///
    /// # Errors
    ///
    /// As all calls on an object.
    pub(crate) fn is_active(&self) -> Result<bool> {
        let this = self.enter()?;
        // SAFETY: A valid object, which nobody changes while calls are in progress.
        Ok(unsafe { K::is_active(this.as_ptr()) })
    }

    /// Sets an option whose value is not another object.
    ///
    /// # Errors
    ///
    /// `EBUSY` while other calls on the object are in progress, `EOPNOTSUPP` for an object as value,
    /// or the error of ubcore.
    pub(crate) fn set_option(&self, opt: u64, value: &mut [u8], user: Option<&User<'_>>) -> Result {
        check_plain::<K>(opt)?;
        let len = len_of(value)?;
        let buf = value.as_mut_ptr().cast();
        self.change(user, |this, udata| {
            // SAFETY: A valid object, and a value of our own.
            unsafe { K::set(this, opt, buf, len, udata) }
        })
    }

    /// Builds the object on another one: sets a `BIND_*` option.
    ///
    /// # Errors
    ///
    /// As for [`set_option`](Self::set_option); `EINVAL` for an option that takes nothing of the kind.
    pub(crate) fn set_parent(
        &self,
        opt: u64,
        parent: NewParent<'_>,
        user: Option<&User<'_>>,
    ) -> Result {
        if option_spec(K::OWNER, opt)?.role != OptionRole::Bind || !parent.suits(opt) {
            return Err(EINVAL);
        }
        let (jfc, jfr) = match parent {
            NewParent::Jfc(jfc) => (Some(jfc.enter()?), None),
            NewParent::Jfr(jfr) => (None, Some(jfr.enter()?)),
        };
        let jfc = jfc.as_ref().map(|jfc| jfc.as_ptr().cast::<c_void>());
        let jfr = jfr.as_ref().map(|jfr| jfr.as_ptr().cast::<c_void>());
        let mut value = jfc.or(jfr).ok_or(EINVAL)?;
        self.change(user, |this, udata| {
            let buf = (&raw mut value).cast();
            // SAFETY: A valid object, and a pointer to one of the kind that the option takes.
            unsafe { K::set(this, opt, buf, size_of::<*mut c_void>() as u32, udata) }
        })
    }

    /// Reads an option whose value is not another object; fills `value` as far as it goes.
    ///
    /// # Errors
    ///
    /// As all calls on an object, `EOPNOTSUPP` for an object as value, or the error of ubcore.
    pub(crate) fn get_option(&self, opt: u64, value: &mut [u8], user: Option<&User<'_>>) -> Result {
        check_plain::<K>(opt)?;
        let len = len_of(value)?;
        let buf = value.as_mut_ptr().cast();
        let this = self.enter()?;
        // SAFETY: A valid object, which nobody changes while calls are in progress, and room of our
        // own.
        let call = |udata| unsafe { K::get(this.as_ptr(), opt, buf, len, udata) };
        to_result(User::with(user, call)?)
    }

    /// Puts the object to work.
    ///
    /// # Errors
    ///
    /// `EBUSY` while other calls on the object are in progress, or the error of ubcore.
    pub(crate) fn activate(&self, user: Option<&User<'_>>) -> Result {
        // SAFETY: A valid object.
        self.change(user, |this, udata| unsafe { K::activate(this, udata) })
    }

    /// Takes the object out of work.
    ///
    /// # Errors
    ///
    /// `EBUSY` while other calls on the object are in progress, or the error of ubcore.
    pub(crate) fn deactivate(&self, user: Option<&User<'_>>) -> Result {
        // SAFETY: A valid object.
        self.change(user, |this, udata| unsafe { K::deactivate(this, udata) })
    }
}
