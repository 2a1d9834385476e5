// SPDX-License-Identifier: GPL-2.0

//! Device classes with character devices.
//!
//! C header: [`include/linux/device/class.h`](srctree/include/linux/device/class.h)
//!
//! A class is a `static` [`ClassTable`], which the driver core reads from [`Class::register`] until
//! the late release of its last object. [`Class`] is the counted registration of it; devices are
//! made with [`ClassDevice`] and [`EmbeddedDevice`].
//!
//! Release callbacks of devices, of directories and of the class itself are module text that no
//! reference pins, and may run long after the last `put_device()`. So the table counts what is
//! still to be released, and dropping the last [`Class`] waits for that count to become zero.
//!
//! [`ClassDevice`]: super::class_device::ClassDevice
//! [`EmbeddedDevice`]: super::embedded_device::EmbeddedDevice

use super::{
    arc::Arc,
    device_core::Head, //
};
use crate::bindings_ub;
use core::ptr::null_mut;
use kernel::{
    bindings,
    error::to_result,
    new_mutex,
    prelude::*,
    str::as_char_ptr_in_const_context,
    sync::{
        atomic::{
            Acquire,
            Atomic,
            Relaxed,
            Release, //
        },
        Mutex, //
    },
    time::{
        delay::fsleep,
        Delta, //
    }, //
};

/// The description of a device class, for use in a `static`.
///
/// # Invariants
///
/// `raw` is at offset 0, so that a pointer to the C class is one to the table.
#[repr(C)]
pub(crate) struct ClassTable {
    raw: bindings::class,
    /// Directory below `/dev` that holds the nodes.
    prefix: Option<&'static CStr>,
    /// Access mode of the nodes.
    mode: u16,
    /// Release callbacks still to come.
    alive: Atomic<i32>,
}

// SAFETY: The C part is read only, the count is atomic.
unsafe impl Sync for ClassTable {}

impl ClassTable {
    /// Describes a class that appears as `/sys/class/<name>`.
    pub(crate) const fn new(name: &'static CStr) -> Self {
        Self {
            raw: bindings::class {
                name: as_char_ptr_in_const_context(name),
                class_release: Some(Self::class_release_callback),
                ..pin_init::zeroed()
            },
            prefix: None,
            mode: 0o600,
            alive: Atomic::new(0),
        }
    }

    /// Puts the device nodes into `/dev/<prefix>/`, with access mode `mode`.
    pub(crate) const fn devnode(mut self, prefix: &'static CStr, mode: u16) -> Self {
        self.prefix = Some(prefix);
        self.mode = mode;
        self.raw.devnode = Some(Self::devnode_callback);
        self
    }

    /// Shows each device only in the network namespace that it belongs to.
    pub(crate) const fn net_namespaces(mut self) -> Self {
        self.raw.ns_type = &raw const bindings_ub::net_ns_type_operations;
        self.raw.namespace = Some(Self::namespace_callback);
        self
    }

    /// Returns the C class.
    pub(super) fn as_raw(&self) -> *const bindings::class {
        &raw const self.raw
    }

    /// Tells whether the devices are tagged with a network namespace.
    pub(super) fn has_net_namespaces(&self) -> bool {
        self.raw.namespace.is_some()
    }

    /// Borrows a table from its C class.
    ///
    /// # Safety
    ///
    /// `raw` must be the C class of a [`ClassTable`].
    unsafe fn from_raw(raw: *const bindings::class) -> &'static Self {
        // SAFETY: By the type invariant, the class is at offset 0 of a table; tables are static.
        unsafe { &*raw.cast() }
    }

    /// Counts an object whose release callback is yet to come.
    pub(super) fn object_born(&self) {
        self.alive.fetch_add(1, Relaxed);
    }

    /// Ends what [`Self::object_born`] began; must be the last thing that a release callback does.
    pub(super) fn object_released(&self) {
        self.alive.fetch_sub(1, Release);
    }

    /// Waits until all release callbacks have run and returned.
    fn wait_released(&self) {
        let mut turns = 0u32;
        while self.alive.load(Acquire) != 0 {
            fsleep(Delta::from_millis(10));
            turns = turns.wrapping_add(1);
            if turns == 3000 {
                pr_warn!("device class: still waiting for devices to be released\n");
            }
        }
        // The last callback may have been preempted between its count and its return.
        // SAFETY: Process context, no locks that a preempted task could need.
        unsafe { bindings_ub::ub_helper_synchronize_rcu_tasks() };
    }

    /// Names the node of `dev`.
    ///
    /// # Safety
    ///
    /// `dev` must be a device of a [`ClassTable`]; `mode` must be null or valid for writing.
    unsafe extern "C" fn devnode_callback(
        dev: *const bindings::device,
        mode: *mut bindings::umode_t,
    ) -> *mut c_char {
        // SAFETY: By the function's contract.
        let table = unsafe { Self::from_raw((*dev).class) };
        let Some(prefix) = table.prefix else {
            return null_mut();
        };
        if !mode.is_null() {
            // SAFETY: By the function's contract.
            unsafe { *mode = table.mode };
        }
        // SAFETY: The format takes two strings; a device has a name when its node is made. The
        // caller frees the result.
        unsafe {
            bindings::kasprintf(
                bindings::GFP_KERNEL,
                c"%s/%s".as_char_ptr(),
                prefix.as_char_ptr(),
                (*dev).kobj.name,
            )
        }
    }

    /// Returns the namespace tag of `dev`.
    ///
    /// # Safety
    ///
    /// `dev` must be a device of a [`ClassTable`].
    unsafe extern "C" fn namespace_callback(
        dev: *const bindings::device,
    ) -> *const bindings::ns_common {
        // SAFETY: All devices of such a class have a `Head` until they are released.
        unsafe { Head::of(dev).net_tag() }
    }

    /// Counts the release of the class.
    ///
    /// # Safety
    ///
    /// `class` must be the C class of a [`ClassTable`].
    unsafe extern "C" fn class_release_callback(class: *const bindings::class) {
        // SAFETY: By the function's contract.
        unsafe { Self::from_raw(class) }.object_released();
    }
}

/// A class registered with the driver core; dropping it unregisters and waits.
struct Registered(&'static ClassTable);

impl Registered {
    /// Registers the class.
    fn new(table: &'static ClassTable) -> Result<Self> {
        // SAFETY: The table is static, and its class stays registered at most until `drop` ends.
        to_result(unsafe { bindings::class_register(table.as_raw()) })?;
        table.object_born();
        Ok(Self(table))
    }
}

impl Drop for Registered {
    fn drop(&mut self) {
        // SAFETY: Registered in `new`; devices hold an `Arc<Class>` while they are published.
        unsafe { bindings::class_unregister(self.0.as_raw()) };
        self.0.wait_released();
    }
}

/// A range of character device numbers.
struct Region {
    base: bindings::dev_t,
    count: u32,
}

impl Region {
    /// Reserves `count` numbers under the name of the class; none if `count` is 0.
    fn alloc(table: &'static ClassTable, count: u32) -> Result<Self> {
        let mut base = 0;
        if count != 0 {
            // SAFETY: `base` is valid for writing, the name is a static string.
            to_result(unsafe {
                bindings::alloc_chrdev_region(&mut base, 0, count, table.raw.name)
            })?;
        }
        Ok(Self { base, count })
    }
}

impl Drop for Region {
    fn drop(&mut self) {
        if self.count != 0 {
            // SAFETY: Reserved in `alloc`.
            unsafe { bindings::unregister_chrdev_region(self.base, self.count) };
        }
    }
}

/// A registered device class and its character device numbers.
///
/// Published devices hold a reference. Whoever drops the last one waits for late release callbacks,
/// up to some seconds with `CONFIG_DEBUG_KOBJECT_RELEASE`; keep one in the module and drop it there
/// after everything that holds devices of the class.
#[pin_data]
pub(crate) struct Class {
    // Dropped first: unregisters, then waits.
    registered: Registered,
    /// One flag for each number of `region`: in use. Innermost lock.
    #[pin]
    minors: Mutex<KVec<bool>>,
    region: Region,
}

impl Class {
    /// Registers the class and reserves `minors` character device numbers (0: none).
    ///
    /// # Errors
    ///
    /// `EEXIST` if there is a class of that name, `EBUSY` without device numbers, `ENOMEM`.
    pub(crate) fn register(table: &'static ClassTable, minors: u32) -> Result<Arc<Self>> {
        let region = Region::alloc(table, minors)?;
        let used = KVec::from_elem(false, minors as usize, GFP_KERNEL)?;
        let registered = Registered::new(table)?;
        Arc::pin_init(
            pin_init!(Self {
                registered,
                minors <- new_mutex!(used, "Class::minors"),
                region,
            }),
            GFP_KERNEL,
        )
    }

    /// Returns the table of the class.
    pub(super) fn table(&self) -> &'static ClassTable {
        self.registered.0
    }
}

/// A character device number in use; dropping it frees the number.
pub(super) struct Minor {
    class: Arc<Class>,
    index: usize,
}

impl Minor {
    /// Takes the lowest free number of `class`.
    pub(super) fn alloc(class: &Arc<Class>) -> Result<Self> {
        let mut used = class.minors.lock();
        let (index, slot) = used
            .iter_mut()
            .enumerate()
            .find(|(_, used)| !**used)
            .ok_or(ENOSPC)?;
        *slot = true;
        Ok(Self {
            class: class.clone(),
            index,
        })
    }

    /// Returns the device number.
    pub(super) fn devt(&self) -> bindings::dev_t {
        // CAST: Less than `region.count`, a `u32`.
        self.class.region.base.wrapping_add(self.index as u32)
    }
}

impl Drop for Minor {
    fn drop(&mut self) {
        if let Some(slot) = self.class.minors.lock().get_mut(self.index) {
            *slot = false;
        }
    }
}
