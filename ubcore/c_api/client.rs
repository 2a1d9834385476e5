// SPDX-License-Identifier: GPL-2.0

//! Clients.

use super::{
    core_state,
    device_ptr::device, //
};
use crate::{
    bindings_ub::{
        ubcore_client,
        ubcore_device,
        UBCORE_MAX_DEV_NAME, //
    },
    device::Device,
};
use core::ptr::{
    null_mut,
    NonNull, //
};
use kernel::{
    error::to_result,
    prelude::*, //
};

/// A client.
///
/// # Invariants
///
/// The client is complete, and valid while it is in the registry's list or has a context.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct ClientPtr(NonNull<ubcore_client>);

// SAFETY: Clients let themselves be called on any thread.
unsafe impl Send for ClientPtr {}
// SAFETY: As above.
unsafe impl Sync for ClientPtr {}

/// What a client keeps of a device.
#[derive(Clone, Copy)]
pub(crate) struct ClientData(*mut c_void);

// SAFETY: Only handed back to the client.
unsafe impl Send for ClientData {}
// SAFETY: As above.
unsafe impl Sync for ClientData {}

impl ClientData {
    /// Nothing yet.
    pub(crate) const NONE: Self = Self(null_mut());
}

impl ClientPtr {
    /// Takes what a client registers.
    ///
    /// # Errors
    ///
    /// `EINVAL` for a null pointer, a missing callback, and a name that is not 1 to 63 characters.
    ///
    /// # Safety
    ///
    /// `client` must be null or satisfy the type invariant.
    unsafe fn new(client: *mut ubcore_client) -> Result<Self> {
        let this = Self(NonNull::new(client).ok_or(EINVAL)?);
        // SAFETY: Valid by the function's contract.
        let raw = unsafe { &*client };
        if raw.add.is_none() || raw.remove.is_none() || raw.client_name.is_null() {
            return Err(EINVAL);
        }
        let len = this.name().to_bytes().len();
        // CAST: From 32 to 64 bits.
        if len == 0 || len >= UBCORE_MAX_DEV_NAME as usize {
            return Err(EINVAL);
        }
        Ok(this)
    }

    /// Returns the name.
    fn name(&self) -> &CStr {
        // SAFETY: By the type invariant, a string.
        unsafe { CStr::from_char_ptr((*self.0.as_ptr()).client_name) }
    }

    /// Tells the client of a device.
    pub(crate) fn add(self, dev: &Device) -> Result {
        // SAFETY: By the type invariant; the device is valid until `remove()` returns.
        unsafe {
            match (*self.0.as_ptr()).add {
                Some(add) => to_result(add(dev.c().as_ptr())),
                None => Err(EINVAL),
            }
        }
    }

    /// Tells the client that a device goes.
    pub(crate) fn remove(self, dev: &Device, data: ClientData) {
        // SAFETY: By the type invariant; `add()` has succeeded.
        unsafe {
            if let Some(remove) = (*self.0.as_ptr()).remove {
                remove(dev.c().as_ptr(), data.0);
            }
        }
    }

    /// Tells the client to stop posting, if it wants to know.
    pub(crate) fn stop(self, dev: &Device, data: ClientData) {
        // SAFETY: As above.
        unsafe {
            if let Some(stop) = (*self.0.as_ptr()).stop {
                stop(dev.c().as_ptr(), data.0);
            }
        }
    }

    /// Logs that the client does not want a device.
    pub(crate) fn report_refusal(self, dev: &CStr, error: Error) {
        if error != ENODEV {
            pr_warn!("client {} refuses device {dev}: {error:?}\n", self.name());
        }
    }
}

c_api! {
    /// Adds a client.
    unsafe fn ubcore_register_client(client: *mut ubcore_client) -> c_int {
        let register = || {
            // SAFETY: Valid until it is unregistered.
            let client = unsafe { ClientPtr::new(client) }?;
            core_state()?.register_client(client)
        };
        // This function has one error number only.
        if register().is_ok() { 0 } else { -1 }
    }

    /// Removes a client.
    unsafe fn ubcore_unregister_client(client: *mut ubcore_client) {
        if let (Ok(core), Some(client)) = (core_state(), NonNull::new(client)) {
            core.unregister_client(ClientPtr(client));
        }
    }

    /// Stores what a client keeps of a device.
    unsafe fn ubcore_set_client_ctx_data(
        dev: *mut ubcore_device,
        client: *mut ubcore_client,
        data: *mut c_void,
    ) {
        // SAFETY: Null or valid.
        if let (Ok(dev), Some(client)) = (unsafe { device(dev) }, NonNull::new(client)) {
            dev.contexts().set_data(ClientPtr(client), ClientData(data));
        }
    }

    /// Returns what a client keeps of a device.
    unsafe fn ubcore_get_client_ctx_data(
        dev: *mut ubcore_device,
        client: *mut ubcore_client,
    ) -> *mut c_void {
        // SAFETY: Null or valid.
        match (unsafe { device(dev) }, NonNull::new(client)) {
            (Ok(dev), Some(client)) => {
                let data = dev.contexts().data(ClientPtr(client));
                data.map_or(null_mut(), |data| data.0)
            }
            _ => null_mut(),
        }
    }
}
