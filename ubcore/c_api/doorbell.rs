// SPDX-License-Identifier: GPL-2.0

//! Doorbells.

use super::core_state;
use crate::{
    bindings_ub::{
        ubcore_doorbell,
        ubcore_doorbell_ops, //
    },
    counters::Class,
    doorbell::Doorbell,
    kernel_ext::use_wait::UseGuard,
    ub::common::err_ptr, //
};
use core::ptr::NonNull;
use kernel::prelude::*;

/// What a driver wants to be done when a user rings.
///
/// # Invariants
///
/// The operations are valid until the doorbell is revoked.
pub(crate) struct Ring {
    ring: unsafe extern "C" fn(*mut c_void, c_uint, u64) -> c_long,
    private: *mut c_void,
}

// SAFETY: Drivers let themselves be called on any thread.
unsafe impl Send for Ring {}
// SAFETY: As above.
unsafe impl Sync for Ring {}

impl Ring {
    /// Calls the driver; the guard is the proof that the doorbell is not revoked.
    #[inline]
    pub(crate) fn call(&self, _entered: &UseGuard<'_>, cmd: u32, arg: u64) -> c_long {
        // SAFETY: By the type invariant; revoking waits for the guard.
        unsafe { (self.ring)(self.private, cmd, arg) }
    }
}

c_api! {
    /// Makes a doorbell.
    unsafe fn ubcore_create_doorbell(
        ops: *const ubcore_doorbell_ops,
        r#priv: *mut c_void,
        fd: *mut c_int,
    ) -> *mut ubcore_doorbell {
        err_ptr((|| {
            // SAFETY: Null or valid until the doorbell is revoked.
            let ops = unsafe { ops.as_ref() }.ok_or(EINVAL)?;
            let place = NonNull::new(fd).ok_or(EINVAL)?;
            let core = core_state()?;
            let doorbell = Doorbell::new(Ring {
                ring: ops.ring.ok_or(EINVAL)?,
                private: r#priv,
            })?;
            let fd = doorbell.fd().and_then(|fd| c_int::try_from(fd).ok()).ok_or(EINVAL)?;
            let doorbell = KBox::new(doorbell, GFP_KERNEL)?;
            // SAFETY: Valid for writing.
            unsafe { place.write(fd) };
            core.counters().up(Class::Doorbell);
            Ok(KBox::into_raw(doorbell).cast())
        })())
    }

    /// Lets the calling process use a doorbell.
    unsafe fn ubcore_publish_doorbell(doorbell: *mut ubcore_doorbell) {
        // SAFETY: Null, or from `ubcore_create_doorbell()` and used by one caller at a time.
        if let Some(doorbell) = unsafe { doorbell.cast::<Doorbell>().as_mut() } {
            doorbell.publish();
        }
    }

    /// Revokes a doorbell.
    unsafe fn ubcore_revoke_doorbell(doorbell: *mut ubcore_doorbell) {
        if doorbell.is_null() {
            return;
        }
        // SAFETY: From `ubcore_create_doorbell()`, and not used any more.
        drop(unsafe { KBox::from_raw(doorbell.cast::<Doorbell>()) });
        if let Ok(core) = core_state() {
            core.counters().down(Class::Doorbell);
        }
    }
}
