// SPDX-License-Identifier: GPL-2.0

//! Destruction of many objects in one call.

use super::{
    jetty::JettyKind,
    jfc::JfcKind,
    jfr::JfrKind,
    jfs::JfsKind,
    object::{
        Kind,
        Object, //
    },
};
use crate::bindings_ub as b;
use kernel::prelude::*;

/// A kind of objects of which many can be destroyed in one call.
pub(crate) trait BatchKind: Kind {
    /// Destroys objects in order until one fails, whose place is stored at `bad` then.
    ///
    /// # Safety
    ///
    /// `array` must hold `count` objects as [`Kind::destroy`] wants them; `bad` must be valid.
    unsafe fn destroy_batch(array: *mut *mut Self::Raw, count: c_int, bad: *mut c_int) -> c_int;
}

/// Implements [`BatchKind`].
macro_rules! batch_kinds {
    ($($kind:ident: $function:ident;)*) => {$(
        impl BatchKind for $kind {
            unsafe fn destroy_batch(
                array: *mut *mut Self::Raw,
                count: c_int,
                bad: *mut c_int,
            ) -> c_int {
                // SAFETY: By the function's contract.
                unsafe { b::$function(array, count, bad) }
            }
        }
    )*};
}

batch_kinds! {
    JfcKind: ubcore_delete_jfc_batch;
    JfsKind: ubcore_delete_jfs_batch;
    JfrKind: ubcore_delete_jfr_batch;
    JettyKind: ubcore_delete_jetty_batch;
}

/// A destruction that stopped early.
pub(crate) struct Stopped {
    /// Number of objects that are destroyed, from the first one on.
    pub(crate) done: usize,
    /// Why there are not more.
    pub(crate) error: Error,
}

impl From<Error> for Stopped {
    /// Nothing is destroyed.
    fn from(error: Error) -> Self {
        Self { done: 0, error }
    }
}

/// Destroys objects of one device in order, until one fails; those after it have not changed.
///
/// ubcore checks all of them before the first one goes.
///
/// # Errors
///
/// As for [`Object::destroy`] of any of them; `EINVAL` for none at all, and for objects of several
/// devices.
pub(crate) fn destroy_batch<K: BatchKind>(objects: &[&Object<K>]) -> Result<(), Stopped> {
    Object::destroy_many(objects, |list| {
        let count = c_int::try_from(list.len()).map_err(|_| EINVAL)?;
        let mut bad = 0;
        // SAFETY: Valid objects that are the caller's alone, on a device that is registered.
        let ret = unsafe { K::destroy_batch(list.as_mut_ptr(), count, &mut bad) };
        kernel::error::to_result(ret).map_err(|error| Stopped {
            // A number that makes no sense is not to be believed: nothing is known to be gone.
            done: usize::try_from(bad)
                .ok()
                .filter(|n| *n < list.len())
                .unwrap_or(0),
            error,
        })
    })
}
