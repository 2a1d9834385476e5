// SPDX-License-Identifier: GPL-2.0

//! Devices of a class whose `struct device` is part of somebody else's C object.
//!
//! Such as the device that a driver registers: the driver owns the memory, and takes it back when
//! it unregisters. So dropping an [`EmbeddedDevice`] waits until the driver core has let go.

use super::{
    arc::Arc,
    class::Class,
    device_core::Core,
    netns::Net,
    publish::{
        send_uevent,
        Publication,
        PublishOptions,
        Uevent, //
    }, //
};
use core::{
    ops::Deref,
    ptr::null_mut, //
};
use kernel::{
    bindings,
    container_of,
    device::Device,
    prelude::*,
    sync::Completion, //
};

/// What the device's type leads to.
///
/// # Invariants
///
/// `core` is at offset 0.
#[repr(C)]
#[pin_data]
struct Inner<T> {
    #[pin]
    core: Core<T>,
    /// Completed by the release callback.
    #[pin]
    released: Completion,
}

impl<T> Inner<T> {
    /// Tells the owner that the driver core has let go.
    ///
    /// # Safety
    ///
    /// `dev` must be a device that was attached to the core of an `Inner<T>`.
    unsafe extern "C" fn release_callback(dev: *mut bindings::device) {
        // SAFETY: By the type invariant, the type of the device leads to an `Inner<T>`, which
        // waits for the completion before it goes.
        let this = unsafe { &*(*dev).type_.cast::<Self>() };
        let table = this.core.head().table();
        this.released.complete_all();
        // Neither the device nor `this` is there any more.
        table.object_released();
    }
}

/// A device of a class with data of type `T`, in memory that belongs to somebody else.
///
/// Dropping it unpublishes the device, drops the reference, and waits for the release callback.
/// Nobody else may keep a reference for long.
pub(crate) struct EmbeddedDevice<T: Send + Sync + 'static> {
    publication: Option<Publication<T>>,
    inner: Pin<KBox<Inner<T>>>,
    dev: *mut bindings::device,
    class: Arc<Class>,
}

// SAFETY: The driver core has its own locks.
unsafe impl<T: Send + Sync> Send for EmbeddedDevice<T> {}
// SAFETY: The driver core has its own locks.
unsafe impl<T: Send + Sync> Sync for EmbeddedDevice<T> {}

impl<T: Send + Sync + 'static> EmbeddedDevice<T> {
    /// Initialises `dev` as a device of `class`; nobody sees it yet.
    ///
    /// # Safety
    ///
    /// `dev` must be valid until the result has been dropped, not be initialised, and not be
    /// used for anything else.
    pub(crate) unsafe fn new(
        class: &Arc<Class>,
        dev: *mut bindings::device,
        data: impl PinInit<T, Error>,
    ) -> Result<Self> {
        let inner = KBox::pin_init(
            try_pin_init!(Inner {
                core <- Core::new(class.table(), Inner::<T>::release_callback, data),
                released <- Completion::new(),
            }),
            GFP_KERNEL,
        )?;
        // SAFETY: By the function's contract; all zero is what `device_initialize()` expects.
        unsafe {
            dev.write_bytes(0, 1);
            bindings::device_initialize(dev);
            inner.core.attach(dev);
        }
        Ok(Self {
            publication: None,
            inner,
            dev,
            class: class.clone(),
        })
    }

    /// Makes the device appear in sysfs.
    ///
    /// # Errors
    ///
    /// `EBUSY` for a device that is or was published; those of [`Publication::new`].
    pub(crate) fn publish(&mut self, options: PublishOptions<'_, T>) -> Result {
        // SAFETY: Valid; the name is set by the first attempt to publish.
        if self.publication.is_some() || !unsafe { (*self.dev).kobj.name }.is_null() {
            return Err(EBUSY);
        }
        // SAFETY: Attached, published for the first time; `self` keeps all of it.
        let publication =
            unsafe { Publication::new(self.dev, null_mut(), &self.inner.core, options) }?;
        self.publication = Some(publication);
        Ok(())
    }

    /// Removes the device from sysfs; attribute functions have ended when this returns.
    pub(crate) fn unpublish(&mut self) {
        self.publication = None;
    }

    /// Tells whether the device is published.
    pub(crate) fn is_published(&self) -> bool {
        self.inner.core.head().is_live()
    }

    /// Returns the device as the driver model knows it; for short-lived use, see the type.
    pub(crate) fn as_device(&self) -> &Device {
        // SAFETY: Initialised, and valid as long as `self`.
        unsafe { Device::from_raw(self.dev) }
    }

    /// Changes the name of a published device; `EEXIST` for a name in use.
    pub(crate) fn rename(&self, name: &CStr) -> Result {
        // SAFETY: The device of this head.
        unsafe { self.inner.core.head().rename(self.dev, Some(name), None) }
    }

    /// Moves the device to another network namespace, as far as sysfs is concerned.
    ///
    /// The owner moves it away again before that namespace goes.
    pub(crate) fn move_to_net(&self, net: &Net) -> Result {
        // SAFETY: The device of this head.
        unsafe { self.inner.core.head().rename(self.dev, None, Some(net)) }
    }

    /// Sends a uevent for a published device.
    pub(crate) fn uevent(&self, event: Uevent) -> Result {
        if !self.is_published() {
            return Err(ENODEV);
        }
        // SAFETY: Published, so named.
        unsafe { send_uevent(self.dev, event) }
    }
}

impl<T: Send + Sync> Deref for EmbeddedDevice<T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.inner.core.data()
    }
}

impl<T: Send + Sync> Drop for EmbeddedDevice<T> {
    fn drop(&mut self) {
        self.unpublish();
        // SAFETY: Our reference, the last but for somebody's short-lived one.
        unsafe { bindings::put_device(self.dev) };
        self.inner.released.wait_for_completion();
    }
}
