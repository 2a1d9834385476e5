// SPDX-License-Identifier: GPL-2.0

//! A client for the KUnit tests.

// Callbacks of clients are called by the core, as `struct ubcore_client` says.
#![expect(clippy::missing_safety_doc)]

use super::fake::FakeDevice;
use crate::bindings_ub::*;
use core::ptr::null_mut;
use kernel::{
    prelude::*,
    sync::atomic::{
        Atomic,
        Relaxed, //
    }, //
};

/// A client that counts what it is told.
#[repr(C)]
struct ClientInner {
    client: ubcore_client,
    added: Atomic<i32>,
    removed: Atomic<i32>,
}

/// The clients that there are, for callbacks without context.
static CLIENTS: [Atomic<*mut ClientInner>; 2] = [const { Atomic::new(null_mut()) }; 2];

/// Declares the callbacks of a client.
macro_rules! client_callbacks {
    ($n:literal, $add:ident, $remove:ident) => {
        unsafe extern "C" fn $add(dev: *mut ubcore_device) -> c_int {
            // SAFETY: Valid while it is registered, as is the device.
            unsafe {
                let client = CLIENTS[$n].load(Relaxed);
                (*client).added.add(1, Relaxed);
                ubcore_set_client_ctx_data(
                    dev,
                    client.cast(),
                    core::ptr::without_provenance_mut(1),
                );
            }
            0
        }

        unsafe extern "C" fn $remove(_dev: *mut ubcore_device, data: *mut c_void) {
            // SAFETY: As above.
            let client = unsafe { &*CLIENTS[$n].load(Relaxed) };
            // CAST: The number that was stored above.
            client.removed.add(data as usize as i32, Relaxed);
        }
    };
}

client_callbacks!(0, add_0, remove_0);
client_callbacks!(1, add_1, remove_1);

/// A client of the tests; it must be unregistered before it is dropped.
pub(super) struct FakeClient(KBox<ClientInner>, usize);

impl FakeClient {
    /// Makes a client; at most two at a time.
    pub(super) fn new() -> Result<Self> {
        let free = CLIENTS
            .iter()
            .position(|client| client.load(Relaxed).is_null());
        let n = free.ok_or(EBUSY)?;
        let mut client = ubcore_client {
            client_name: c"kunit".as_char_ptr().cast_mut(),
            add: Some(add_0),
            remove: Some(remove_0),
            ..Default::default()
        };
        if n == 1 {
            client.add = Some(add_1);
            client.remove = Some(remove_1);
        }
        let inner = ClientInner {
            client,
            added: Atomic::new(0),
            removed: Atomic::new(0),
        };
        let mut inner = KBox::new(inner, GFP_KERNEL)?;
        CLIENTS[n].store(&raw mut *inner, Relaxed);
        Ok(Self(inner, n))
    }

    /// Returns the C client.
    fn as_ptr(&self) -> *mut ubcore_client {
        (&raw const self.0.client).cast_mut()
    }

    /// Registers the client.
    pub(super) fn register(&self) -> Result {
        // SAFETY: Valid until it is unregistered.
        match unsafe { ubcore_register_client(self.as_ptr()) } {
            0 => Ok(()),
            _ => Err(EINVAL),
        }
    }

    /// Unregisters the client.
    pub(super) fn unregister(&self) {
        // SAFETY: Valid.
        unsafe { ubcore_unregister_client(self.as_ptr()) };
    }

    /// Returns how often it was told of a device.
    pub(super) fn added(&self) -> i32 {
        self.0.added.load(Relaxed)
    }

    /// Returns how often it was told of the end of a device.
    pub(super) fn removed(&self) -> i32 {
        self.0.removed.load(Relaxed)
    }

    /// Returns what it keeps of a device.
    pub(super) fn data_of(&self, dev: &FakeDevice) -> usize {
        // SAFETY: A registered device.
        unsafe { ubcore_get_client_ctx_data(dev.as_ptr(), self.as_ptr()) as usize }
    }
}

impl Drop for FakeClient {
    fn drop(&mut self) {
        CLIENTS[self.1].store(null_mut(), Relaxed);
    }
}
