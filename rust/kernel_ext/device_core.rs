// SPDX-License-Identifier: GPL-2.0

//! What all devices of our classes have in common: the way from `struct device` to typed data.
//!
//! Each device has a `struct device_type` of its own, the first field of [`Core<T>`]. So
//! `dev->type` leads from any C device to its typed data, whether the `struct device` is part of
//! our object or of a driver's.

use super::{
    class::ClassTable,
    netns::{
        Net,
        PassiveNet, //
    },
};
use crate::bindings_ub;
use core::ptr::{
    from_ref,
    null_mut, //
};
use kernel::{
    bindings,
    error::to_result,
    new_mutex,
    prelude::*,
    sync::{
        atomic::{
            Acquire,
            Atomic,
            Relaxed,
            Release, //
        },
        Mutex, //
    },
    types::Opaque, //
};

/// The untyped part of [`Core`].
///
/// # Invariants
///
/// `kind` is at offset 0; `dev->type` of each device of ours points to it from before the device
/// is published until its release callback.
#[repr(C)]
#[pin_data]
pub(super) struct Head {
    #[pin]
    kind: Opaque<bindings::device_type>,
    /// The class, registered while the device is published.
    table: &'static ClassTable,
    /// `struct net *` of the namespace whose sysfs shows the device, as in `naming`. The owner
    /// moves the device away before that namespace goes.
    net: Atomic<usize>,
    /// Set while the device is published.
    live: Atomic<i32>,
    /// Serialises what changes the name or the namespace of the device, and keeps what `net`
    /// points to.
    #[pin]
    naming: Mutex<PassiveNet>,
}

/// What becomes of the object when the driver core lets go of the device.
pub(super) type ReleaseFn = unsafe extern "C" fn(*mut bindings::device);

impl Head {
    /// Makes the head of a device of `class` in the initial network namespace.
    fn new(table: &'static ClassTable, release: ReleaseFn) -> impl PinInit<Self> {
        pin_init!(Self {
            kind: Opaque::new(bindings::device_type {
                release: Some(release),
                ..pin_init::zeroed()
            }),
            table,
            net: Atomic::new(Net::init().as_ptr() as usize),
            live: Atomic::new(0),
            naming <- new_mutex!(PassiveNet::new(Net::init()), "device naming"),
        })
    }

    /// Returns the head of a device.
    ///
    /// # Safety
    ///
    /// `dev` must be a device of ours that is not released during `'a`.
    pub(super) unsafe fn of<'a>(dev: *const bindings::device) -> &'a Self {
        // SAFETY: By the type invariant, `dev->type` points to a head.
        unsafe { &*(*dev).type_.cast() }
    }

    /// Returns the class, which outlives this object.
    pub(super) fn table(&self) -> &'static ClassTable {
        self.table
    }

    /// Returns the namespace tag of the device.
    pub(super) fn net_tag(&self) -> *const bindings::ns_common {
        let net = self.net.load(Relaxed) as *mut bindings::net;
        // SAFETY: Kept by `naming`.
        unsafe { bindings_ub::ub_helper_net_to_ns_common(net) }
    }

    /// Sets the namespace of a device that is not published yet.
    pub(super) fn set_net(&self, net: &Net) {
        let mut held = self.naming.lock();
        *held = PassiveNet::new(net);
        self.net.store(net.as_ptr() as usize, Relaxed);
    }

    /// Tells whether the device is published.
    pub(super) fn is_live(&self) -> bool {
        self.live.load(Acquire) != 0
    }

    /// Marks the device as published, or no longer.
    pub(super) fn set_live(&self, live: bool) {
        self.live.store(i32::from(live), Release);
    }

    /// Renames the device, or moves its sysfs entry to another namespace, or both.
    ///
    /// # Safety
    ///
    /// `dev` must be the device of this head, initialised and named.
    pub(super) unsafe fn rename(
        &self,
        dev: *mut bindings::device,
        name: Option<&CStr>,
        net: Option<&Net>,
    ) -> Result {
        let mut held = self.naming.lock();
        if net.is_some() && !self.table.has_net_namespaces() {
            return Err(EOPNOTSUPP);
        }
        if !self.is_live() {
            return Err(ENODEV);
        }
        let net = net.map(PassiveNet::new);
        if let Some(net) = &net {
            self.net.store(net.as_ptr() as usize, Relaxed);
        }
        // SAFETY: By the function's contract; the driver core copies the name before it frees the
        // old one, so that the device's own name will do.
        let ret = unsafe {
            let name = name.map_or((*dev).kobj.name, |n| n.as_char_ptr());
            bindings::device_rename(dev, name)
        };
        if ret != 0 {
            self.net.store(held.as_ptr() as usize, Relaxed);
        } else if let Some(net) = net {
            *held = net;
        }
        to_result(ret)
    }
}

/// Typed data of a device, found through `dev->type`.
#[repr(C)]
#[pin_data]
pub(super) struct Core<T> {
    #[pin]
    head: Head,
    #[pin]
    data: T,
}

impl<T> Core<T> {
    /// Makes the typed part of a device of the class.
    pub(super) fn new(
        table: &'static ClassTable,
        release: ReleaseFn,
        data: impl PinInit<T, Error>,
    ) -> impl PinInit<Self, Error> {
        try_pin_init!(Self {
            head <- Head::new(table, release),
            data <- data,
        })
    }

    /// Connects an initialised device with this object.
    ///
    /// # Safety
    ///
    /// `dev` must be initialised, not be published yet, and be released before `self` goes.
    pub(super) unsafe fn attach(&self, dev: *mut bindings::device) {
        // SAFETY: By the function's contract.
        unsafe {
            (*dev).type_ = self.head.kind.get();
            (*dev).class = self.head.table.as_raw();
            (*dev).groups = null_mut();
        }
        self.head.table.object_born();
    }

    /// Returns the untyped part.
    pub(super) fn head(&self) -> &Head {
        &self.head
    }

    /// Returns the typed data.
    pub(super) fn data(&self) -> &T {
        &self.data
    }

    /// Returns the typed data of a device.
    ///
    /// # Safety
    ///
    /// `dev` must be a device of ours with data of type `T`, not released during `'a`.
    pub(super) unsafe fn data_of<'a>(dev: *const bindings::device) -> &'a T
    where
        T: 'a,
    {
        // SAFETY: By the function's contract.
        let head = unsafe { Head::of(dev) };
        // SAFETY: The head is the first field of a `Core<T>`.
        unsafe { &(*from_ref(head).cast::<Self>()).data }
    }
}
