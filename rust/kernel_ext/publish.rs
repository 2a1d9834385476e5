// SPDX-License-Identifier: GPL-2.0

//! Publishing a device: sysfs, its device node, its uevent; and taking it back.

use super::{
    arc::Arc,
    attr_group::Groups,
    class::{
        Class,
        Minor, //
    },
    class_device::ClassDevice,
    device_core::Core,
    fops::DeviceFile,
    kobj_dir::{
        DirTree,
        LiveDirs, //
    },
    netns::Net, //
};
use crate::bindings_ub;
use core::ptr::null_mut;
use kernel::{
    bindings,
    device::Device,
    error::to_result,
    prelude::*, //
};

/// How a device is to appear.
pub(crate) struct PublishOptions<'a, T> {
    pub(super) class: Arc<Class>,
    pub(super) name: &'a CStr,
    parent: Option<&'a Device>,
    groups: Groups<T>,
    dirs: DirTree<T>,
    net: Option<&'a Net>,
    fops: Option<&'static bindings::file_operations>,
    quiet: bool,
}

impl<'a, T: Send + Sync + 'static> PublishOptions<'a, T> {
    /// A device without parent, attributes and device node.
    pub(crate) fn new(class: &Arc<Class>, name: &'a CStr) -> Self {
        Self {
            class: class.clone(),
            name,
            parent: None,
            groups: Groups::new(),
            dirs: DirTree::new(),
            net: None,
            fops: None,
            quiet: false,
        }
    }

    /// Puts the device below `parent`.
    pub(crate) fn parent(mut self, parent: &'a Device) -> Self {
        self.parent = Some(parent);
        self
    }

    /// Gives the device attributes.
    pub(crate) fn groups(mut self, groups: Groups<T>) -> Self {
        self.groups = groups;
        self
    }

    /// Gives the device directories.
    pub(crate) fn dirs(mut self, dirs: DirTree<T>) -> Self {
        self.dirs = dirs;
        self
    }

    /// Shows the device in another network namespace than the initial one.
    ///
    /// The owner moves or unpublishes the device before that namespace goes.
    pub(crate) fn net(mut self, net: &'a Net) -> Self {
        self.net = Some(net);
        self
    }

    /// Gives the device a character device node whose files are `F`s.
    pub(crate) fn chrdev<F: DeviceFile<Device = T>>(mut self) -> Self {
        self.fops = Some(F::TABLE.as_raw());
        self
    }

    /// Sends no uevent; see [`send_uevent`].
    pub(crate) fn suppress_uevent(mut self) -> Self {
        self.quiet = true;
        self
    }
}

/// Returns the C device.
fn raw_device(dev: &Device) -> *mut bindings::device {
    // `Device` is a transparent wrapper of the C type, which has interior mutability.
    core::ptr::from_ref(dev).cast_mut().cast()
}

/// A uevent that may be sent for a device.
#[derive(Copy, Clone, Debug, Eq, PartialEq)]
pub(crate) enum Uevent {
    /// The device has appeared.
    Add,
    /// The device is about to disappear.
    Remove,
    /// The device has changed.
    Change,
}

/// Sends a uevent for a device.
///
/// # Safety
///
/// `dev` must be initialised and named.
pub(super) unsafe fn send_uevent(dev: *mut bindings::device, event: Uevent) -> Result {
    let action = match event {
        Uevent::Add => bindings::kobject_action_KOBJ_ADD,
        Uevent::Remove => bindings::kobject_action_KOBJ_REMOVE,
        Uevent::Change => bindings::kobject_action_KOBJ_CHANGE,
    };
    // SAFETY: By the function's contract.
    to_result(unsafe { bindings::kobject_uevent(&raw mut (*dev).kobj, action) })
}

/// A published device; dropping it takes the device back.
///
/// # Invariants
///
/// `dev` is in the driver core, with `cdev` if that is not null.
pub(super) struct Publication<T: 'static> {
    // Removed before the device.
    dirs: Option<LiveDirs<T>>,
    dev: *mut bindings::device,
    cdev: *mut bindings::cdev,
    core: *const Core<T>,
    _groups: Groups<T>,
    _minor: Option<Minor>,
}

// SAFETY: Devices may be removed from any thread.
unsafe impl<T: Send + Sync> Send for Publication<T> {}
// SAFETY: No method takes `&self`.
unsafe impl<T: Send + Sync> Sync for Publication<T> {}

impl<T: Send + Sync + 'static> Publication<T> {
    /// Publishes a device.
    ///
    /// `cdev` is null for a device that cannot have a node.
    ///
    /// # Errors
    ///
    /// `EINVAL` if the class is another one, or for a node without `cdev` or without an `open`;
    /// `EEXIST` for a name in use; `ENOSPC` without free minors; `ENOMEM`.
    ///
    /// # Safety
    ///
    /// `dev` must be attached to `core`, and never have been published. `cdev` must be null or
    /// an uninitialised field of the same object. All must outlive the result, which must be
    /// dropped before the last `Arc<Class>`.
    pub(super) unsafe fn new(
        dev: *mut bindings::device,
        cdev: *mut bindings::cdev,
        core: &Core<T>,
        options: PublishOptions<'_, T>,
    ) -> Result<Self> {
        let head = core.head();
        if !core::ptr::eq(options.class.table(), head.table()) {
            return Err(EINVAL);
        }
        let mut groups = options.groups;
        let minor = match options.fops {
            Some(fops) if cdev.is_null() || fops.open.is_none() => return Err(EINVAL),
            Some(_) => Some(Minor::alloc(&options.class)?),
            None => None,
        };
        // SAFETY: By the function's contract; the format takes one string.
        unsafe {
            to_result(bindings::dev_set_name(
                dev,
                c"%s".as_char_ptr(),
                options.name.as_char_ptr(),
            ))?;
            (*dev).parent = options.parent.map_or(null_mut(), raw_device);
            (*dev).groups = groups.terminate()?.cast_mut();
            (*dev).devt = minor.as_ref().map_or(0, Minor::devt);
        }
        if let Some(net) = options.net {
            head.set_net(net);
        }
        let quiet = options.quiet || !options.dirs.is_empty();
        // SAFETY: By the function's contract.
        unsafe { bindings_ub::ub_helper_dev_set_uevent_suppress(dev, quiet) };

        head.set_live(true);
        let cdev = if options.fops.is_some() {
            cdev
        } else {
            null_mut()
        };
        // SAFETY: By the function's contract.
        let added = unsafe { Self::add(dev, cdev, options.fops) };
        if added.is_err() {
            head.set_live(false);
            // SAFETY: Nobody reads the list of a device that was not added.
            unsafe { (*dev).groups = null_mut() };
        }
        added?;
        // INVARIANT: Just added.
        let mut this = Self {
            dirs: None,
            dev,
            cdev,
            core,
            _groups: groups,
            _minor: minor,
        };
        // SAFETY: Published; the directories go first when `this` is dropped.
        this.dirs = Some(unsafe { options.dirs.create(dev, head.table()) }?);
        if quiet && !options.quiet {
            // SAFETY: The device is named.
            unsafe {
                bindings_ub::ub_helper_dev_set_uevent_suppress(dev, false);
                // The device works without anybody having been told of it.
                let _ = send_uevent(dev, Uevent::Add);
            }
        }
        Ok(this)
    }

    /// Adds the device to the driver core, with its node if it has operations.
    ///
    /// # Safety
    ///
    /// As for [`Self::new`]; `cdev` is valid if there are operations.
    unsafe fn add(
        dev: *mut bindings::device,
        cdev: *mut bindings::cdev,
        fops: Option<&'static bindings::file_operations>,
    ) -> Result {
        match fops {
            // SAFETY: By the function's contract. The device becomes the parent of the cdev, whose
            // memory it thereby keeps until the cdev is released.
            Some(fops) => to_result(unsafe {
                bindings::cdev_init(cdev, fops);
                (*cdev).owner = fops.owner;
                bindings::cdev_device_add(cdev, dev)
            }),
            // SAFETY: By the function's contract.
            None => to_result(unsafe { bindings::device_add(dev) }),
        }
    }
}

impl<T> Drop for Publication<T> {
    fn drop(&mut self) {
        // SAFETY: By the type invariant, the device exists.
        unsafe { &*self.core }.head().set_live(false);
        // Children before their parent.
        self.dirs = None;
        // SAFETY: By the type invariant, added and not yet removed; afterwards nobody reads the
        // groups, which go with `self`.
        unsafe {
            if self.cdev.is_null() {
                bindings::device_del(self.dev);
            } else {
                bindings::cdev_device_del(self.cdev, self.dev);
            }
            (*self.dev).groups = null_mut();
        }
    }
}
