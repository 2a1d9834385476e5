// SPDX-License-Identifier: GPL-2.0

//! The connection between a driver's device and the core's part of it.

use super::device_ptr::{
    empty_eids,
    DevicePtr, //
};
use crate::{
    bindings_ub::ubcore_device,
    device::Device, //
};
use core::{
    ops::Deref,
    ptr::NonNull, //
};
use kernel::{
    bindings,
    prelude::*,
    sync::atomic::Full, //
};

/// The core's part of a device, and the first reference to it.
///
/// Dropping it gives the reference back, waits for all others, and frees the core's part.
pub(crate) struct Attached(NonNull<Device>);

// SAFETY: A `Device` may be freed on any thread.
unsafe impl Send for Attached {}

impl Attached {
    /// Allocates the core's part and connects it with the driver's device.
    pub(crate) fn new(c: DevicePtr, device: impl PinInit<Device, Error>) -> Result<Self> {
        let device = KBox::pin_init(device, GFP_KERNEL)?;
        let eids = empty_eids(device.eid_capacity())?;
        // SAFETY: The object does not move; it is freed in `drop`.
        let device = KBox::into_raw(unsafe { Pin::into_inner_unchecked(device) });
        // SAFETY: Not null: from a box.
        let device = unsafe { NonNull::new_unchecked(device) };
        c.attach(device, eids);
        Ok(Self(device))
    }

    /// Keeps the connection until the device is unregistered.
    pub(crate) fn keep(self) {
        core::mem::forget(self);
    }

    /// Takes back what [`Self::keep`] left.
    ///
    /// # Safety
    ///
    /// `dev` must be null or a valid device. At most one caller for each kept connection, which the
    /// state of the device sees to.
    pub(super) unsafe fn from_raw(dev: *mut ubcore_device) -> Option<Self> {
        // SAFETY: By the function's contract.
        let device = unsafe { super::device_ptr::device(dev) }.ok()?;
        Some(Self(NonNull::from(device)))
    }

    /// Gives back a reference.
    pub(super) fn put(c: DevicePtr) {
        if c.refs().fetch_sub(1, Full) == 1 {
            // SAFETY: Initialised; whoever waits takes the lock of the completion before it goes.
            unsafe { bindings::complete(&raw mut (*c.as_ptr()).comp) };
        }
    }
}

impl Deref for Attached {
    type Target = Device;

    fn deref(&self) -> &Device {
        // SAFETY: Valid until `drop`.
        unsafe { self.0.as_ref() }
    }
}

impl Drop for Attached {
    fn drop(&mut self) {
        let c = self.c();
        Self::put(c);
        c.wait_unreferenced(|n| {
            pr_warn!("device {}: removal waits for {n} references\n", self.name());
        });
        c.detach();
        // SAFETY: From `new()`, and there is no reference left.
        drop(unsafe { Pin::new_unchecked(KBox::from_raw(self.0.as_ptr())) });
    }
}
