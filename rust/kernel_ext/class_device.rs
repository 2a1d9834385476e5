// SPDX-License-Identifier: GPL-2.0

//! Devices of a class, optionally with a character device node.
//!
//! C headers: [`include/linux/device.h`](srctree/include/linux/device.h),
//! [`include/linux/cdev.h`](srctree/include/linux/cdev.h)

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
    ptr::{
        NonNull, //
    }, //
};
use kernel::{
    bindings,
    container_of,
    device::Device,
    prelude::*,
    sync::{
        aref::{
            ARef,
            AlwaysRefCounted, //
        },
        atomic::{
            Atomic,
            Full, //
        }, //
    },
    types::Opaque, //
};

/// A device of a class with data of type `T`, reference-counted by its `struct device`.
///
/// # Invariants
///
/// `dev` is at offset 0 and initialised; its last reference frees the object.
#[repr(C)]
#[pin_data]
pub(crate) struct ClassDevice<T> {
    #[pin]
    dev: Opaque<bindings::device>,
    #[pin]
    cdev: Opaque<bindings::cdev>,
    /// A `struct device` is published once at most.
    used: Atomic<i32>,
    #[pin]
    core: Core<T>,
}

// SAFETY: The C parts have their own locks.
unsafe impl<T: Send + Sync> Send for ClassDevice<T> {}
// SAFETY: The C parts have their own locks.
unsafe impl<T: Send + Sync> Sync for ClassDevice<T> {}

impl<T: Send + Sync + 'static> ClassDevice<T> {
    /// Makes a device that nobody sees yet.
    ///
    /// The data is dropped when the last reference is gone, in process context, at a time that the
    /// driver core chooses; dropping the last [`Arc<Class>`] waits for that.
    pub(crate) fn new(class: &Arc<Class>, data: impl PinInit<T, Error>) -> Result<ARef<Self>> {
        let this = KBox::pin_init(
            try_pin_init!(Self {
                dev: Opaque::zeroed(),
                cdev: Opaque::zeroed(),
                used: Atomic::new(0),
                core <- Core::new(class.table(), Self::release_callback, data),
            }),
            GFP_KERNEL,
        )?;
        // SAFETY: The object does not move again.
        let this = KBox::into_raw(unsafe { Pin::into_inner_unchecked(this) });
        // SAFETY: Zeroed memory that nobody shares; from here on, `release_callback` frees it.
        unsafe {
            bindings::device_initialize((*this).dev.get());
            (*this).core.attach((*this).dev.get());
        }
        // INVARIANT: Initialised, with one reference, which becomes the result's.
        // SAFETY: Not null.
        Ok(unsafe { ARef::from_raw(NonNull::new_unchecked(this)) })
    }

    /// Makes the device appear in sysfs and in `/dev`.
    ///
    /// Files may be opened before this returns.
    ///
    /// # Errors
    ///
    /// `EBUSY` for a device that was published before; those of [`Publication::new`].
    pub(crate) fn publish(
        this: ARef<Self>,
        options: PublishOptions<'_, T>,
    ) -> Result<Registration<T>> {
        if this.used.xchg(1, Full) != 0 {
            return Err(EBUSY);
        }
        let class = options.class.clone();
        // SAFETY: Attached, published for the first time; `Registration` keeps all of it.
        let publication =
            unsafe { Publication::new(this.dev.get(), this.cdev.get(), &this.core, options) }?;
        Ok(Registration {
            _publication: publication,
            dev: this,
            _class: class,
        })
    }

    /// Returns the device of an inode that is being opened, unless it is being removed.
    ///
    /// # Safety
    ///
    /// `inode` must be that of a character device of a `ClassDevice<T>`, in its `open` operation.
    pub(super) unsafe fn from_inode<'a>(inode: *mut bindings::inode) -> Result<&'a Self> {
        // SAFETY: By the function's contract; the inode is being opened, which holds the cdev.
        let this = unsafe {
            let cdev = Opaque::cast_from((*inode).__bindgen_anon_5.i_cdev);
            &*container_of!(cdev, Self, cdev)
        };
        if this.is_published() {
            Ok(this)
        } else {
            Err(ENODEV)
        }
    }

    /// Tells whether the device is published.
    pub(crate) fn is_published(&self) -> bool {
        self.core.head().is_live()
    }

    /// Returns the device as the driver model knows it.
    pub(crate) fn as_device(&self) -> &Device {
        // SAFETY: Initialised, and counted as long as `self` is.
        unsafe { Device::from_raw(self.dev.get()) }
    }

    /// Returns the name.
    ///
    /// The device must be published; [`Self::rename`] must not run meanwhile.
    pub(crate) fn name(&self) -> &CStr {
        self.as_device().name()
    }

    /// Changes the name of a published device.
    ///
    /// # Errors
    ///
    /// `EEXIST` for a name in use, `ENODEV` for a device that is not published.
    pub(crate) fn rename(&self, name: &CStr) -> Result {
        // SAFETY: The device of this head.
        unsafe { self.core.head().rename(self.dev.get(), Some(name), None) }
    }

    /// Moves the device to another network namespace, as far as sysfs is concerned.
    ///
    /// The owner moves it away again before that namespace goes.
    pub(crate) fn move_to_net(&self, net: &Net) -> Result {
        // SAFETY: The device of this head.
        unsafe { self.core.head().rename(self.dev.get(), None, Some(net)) }
    }

    /// Frees the object.
    ///
    /// # Safety
    ///
    /// `dev` must be that of a `ClassDevice<T>` without references.
    unsafe extern "C" fn release_callback(dev: *mut bindings::device) {
        // SAFETY: By the type invariant at offset 0; made by `new`, pinned since then.
        let this = unsafe { Pin::new_unchecked(KBox::from_raw(dev.cast::<Self>())) };
        let table = this.core.head().table();
        drop(this);
        table.object_released();
    }
}

impl<T> Deref for ClassDevice<T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.core.data()
    }
}

// SAFETY: The count is that of the embedded device, whose release frees the object.
unsafe impl<T> AlwaysRefCounted for ClassDevice<T> {
    fn inc_ref(&self) {
        // SAFETY: `self` is counted.
        unsafe { bindings::get_device(self.dev.get()) };
    }

    unsafe fn dec_ref(obj: NonNull<Self>) {
        // SAFETY: The caller gives up a reference.
        unsafe { bindings::put_device((*obj.as_ptr()).dev.get()) };
    }
}

/// A published [`ClassDevice`]; dropping it removes the device from sysfs and `/dev`.
///
/// Files that are open stay so and keep what they hold; an `open` may be running meanwhile, and
/// still succeed. So mark the data as dead first, and look at the mark in `open` and wherever it
/// matters. Attribute functions have ended when the drop returns.
pub(crate) struct Registration<T: 'static> {
    // In this order: the device disappears, then the reference, then that to the class.
    _publication: Publication<T>,
    dev: ARef<ClassDevice<T>>,
    _class: Arc<Class>,
}

impl<T: Send + Sync + 'static> Registration<T> {
    /// Returns a reference to the device.
    pub(crate) fn device(&self) -> ARef<ClassDevice<T>> {
        self.dev.clone()
    }

    /// Sends a uevent.
    pub(crate) fn uevent(&self, event: Uevent) -> Result {
        // SAFETY: Published, so named.
        unsafe { send_uevent(self.dev.dev.get(), event) }
    }
}

impl<T> Deref for Registration<T> {
    type Target = ClassDevice<T>;

    fn deref(&self) -> &ClassDevice<T> {
        &self.dev
    }
}
