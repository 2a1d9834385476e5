// SPDX-License-Identifier: GPL-2.0

//! Devices of ubcore.

use crate::{
    bindings_ub as b,
    kernel_ext::{
        arc::Arc,
        use_wait::{
            UseCount,
            UseGuard, //
        }, //
    }, //
};
use core::ptr::NonNull;
use kernel::{
    prelude::*,
    str::{
        CStr,
        CString, //
    }, //
};

/// A device that ubcore told a client of.
///
/// # Invariants
///
/// `ptr` is a registered device as long as a guard of `live` exists.
#[pin_data]
pub(crate) struct Device {
    /// The device.
    ptr: NonNull<b::ubcore_device>,
    /// Its name, readable also when the device is gone.
    name: CString,
    /// Calls in progress; revoked when the device goes away.
    #[pin]
    live: UseCount,
}

// SAFETY: The functions of ubcore that take a device may be called by any thread.
unsafe impl Send for Device {}
// SAFETY: As above, and at the same time.
unsafe impl Sync for Device {}

/// Proof that a device is registered.
pub(super) struct Live<'a> {
    /// The device.
    ptr: NonNull<b::ubcore_device>,
    /// Delays the end of `remove`.
    _guard: UseGuard<'a>,
}

impl Live<'_> {
    /// Returns the device, valid as long as `self`.
    pub(super) fn as_ptr(&self) -> *mut b::ubcore_device {
        self.ptr.as_ptr()
    }
}

impl Device {
    /// Makes the handle of a device.
    ///
    /// # Safety
    ///
    /// `ptr` must be a registered device until [`revoke`](Self::revoke) has returned.
    pub(super) unsafe fn new(ptr: NonNull<b::ubcore_device>) -> Result<Arc<Self>> {
        // SAFETY: A valid device, whose name is terminated.
        let name = unsafe { CStr::from_char_ptr((*ptr.as_ptr()).dev_name.as_ptr()) };
        let name = CString::try_from(name)?;
        Arc::pin_init(
            // INVARIANT: By the function's contract.
            pin_init!(Self {
                ptr,
                name,
                live <- UseCount::new(),
            }),
            GFP_KERNEL,
        )
    }

    /// Waits for calls in progress; further ones give `EIO`.
    pub(super) fn revoke(&self) {
        self.live.revoke();
    }

    /// Enters a call.
    ///
    /// # Errors
    ///
    /// `EIO` when the device is gone.
    pub(super) fn enter(&self) -> Result<Live<'_>> {
        let guard = self.live.try_enter().ok_or(EIO)?;
        Ok(Live {
            ptr: self.ptr,
            _guard: guard,
        })
    }

    /// Returns the name, 1 to 63 bytes.
    pub(crate) fn name(&self) -> &CStr {
        &self.name
    }
}
