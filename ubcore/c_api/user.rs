// SPDX-License-Identifier: GPL-2.0

//! For whom a call is made: a user process with a context, or a kernel client.

use super::object::{
    Kind,
    Obj, //
};
use crate::{
    bindings_ub::{
        ubcore_ucontext,
        ubcore_udata,
        ubcore_udrv_priv, //
    },
    kernel_ext::hot::HotCount,
    tp::Holder, //
};
use core::marker::PhantomData;
use kernel::{prelude::*, sync::atomic::Atomic, types::Opaque};

/// The context of a user process.
#[repr(transparent)]
pub(crate) struct Ucontext(Opaque<ubcore_ucontext>);

impl Ucontext {
    /// Borrows a context; `None` for a null pointer.
    ///
    /// # Safety
    ///
    /// `uctx` must be null or valid during `'a`.
    pub(super) unsafe fn from_raw<'a>(uctx: *mut ubcore_ucontext) -> Option<&'a Self> {
        // SAFETY: By the function's contract; the type is transparent.
        unsafe { uctx.cast::<Self>().as_ref() }
    }

    /// Returns the pointer.
    pub(super) fn as_ptr(&self) -> *mut ubcore_ucontext {
        self.0.get()
    }

    /// Returns the index of the local EID.
    pub(crate) fn eid_index(&self) -> u32 {
        // SAFETY: Valid; set once.
        unsafe { (*self.as_ptr()).eid_index }
    }

    /// Returns the number of objects of this context.
    pub(super) fn objects(&self) -> &Atomic<i32> {
        // SAFETY: Valid; all accesses are atomic.
        unsafe { Atomic::from_ptr(&raw mut (*self.as_ptr()).use_cnt.counter) }
    }

    /// Counts one object more or less.
    pub(crate) fn count(&self, change: i32) {
        self.objects().hot_add(change);
    }
}

/// For whom something is done after the call that asked for it: without private data, and not in the
/// user's address space.
pub(crate) struct Behalf(*mut ubcore_ucontext);

// SAFETY: A context may be used by any thread.
unsafe impl Send for Behalf {}

impl Behalf {
    /// For the owner of an object, which is to live until [`Self::with`] has returned.
    pub(crate) fn of<K: Kind>(object: &Obj<K>) -> Self {
        Self(
            object
                .uctx()
                .map_or(core::ptr::null_mut(), Ucontext::as_ptr),
        )
    }

    /// Calls `f` for that owner.
    pub(crate) fn with<R>(&self, f: impl FnOnce(User<'_>) -> R) -> R {
        let mut private = ubcore_udrv_priv::default();
        let mut udata = ubcore_udata {
            uctx: self.0,
            udrv_data: &mut private,
        };
        // SAFETY: Null, or valid as long as there are objects of it.
        let uctx = unsafe { Ucontext::from_raw(self.0) };
        f(User {
            udata: match uctx {
                Some(_) => &mut udata,
                None => core::ptr::null_mut(),
            },
            uctx,
            _udata: PhantomData,
        })
    }
}

/// For whom a call is made.
#[derive(Clone, Copy)]
pub(crate) struct User<'a> {
    /// What drivers get; null for a kernel client.
    udata: *mut ubcore_udata,
    /// The context of a user; `None` for a kernel client.
    uctx: Option<&'a Ucontext>,
    _udata: PhantomData<&'a mut ubcore_udata>,
}

impl<'a> User<'a> {
    /// Takes what a client passes.
    ///
    /// # Errors
    ///
    /// `EINVAL` for a user without a context.
    ///
    /// # Safety
    ///
    /// `udata` must be null or valid during `'a`, and so must its context.
    pub(super) unsafe fn new(udata: *mut ubcore_udata) -> Result<Self> {
        let uctx = if udata.is_null() {
            None
        } else {
            // SAFETY: By the function's contract.
            let uctx = unsafe { Ucontext::from_raw((*udata).uctx) };
            Some(uctx.ok_or(EINVAL)?)
        };
        Ok(Self {
            udata,
            uctx,
            _udata: PhantomData,
        })
    }

    /// Returns what drivers get.
    pub(super) fn udata(self) -> *mut ubcore_udata {
        self.udata
    }

    /// Returns the context of a user.
    pub(crate) fn uctx(self) -> Option<&'a Ucontext> {
        self.uctx
    }

    /// Returns the pointer to the context, or null.
    pub(super) fn uctx_ptr(self) -> *mut ubcore_ucontext {
        self.uctx.map_or(core::ptr::null_mut(), Ucontext::as_ptr)
    }

    /// Returns for whom transport paths are listed.
    pub(crate) fn holder(self) -> Holder {
        Holder::new(self.uctx_ptr().addr())
    }

    /// Tells whether this is a user process.
    pub(crate) fn is_user(self) -> bool {
        self.uctx.is_some()
    }
}
