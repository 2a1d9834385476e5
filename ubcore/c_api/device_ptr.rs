// SPDX-License-Identifier: GPL-2.0

//! The `struct ubcore_device` of a driver, as the core uses it.

use super::attach::Attached;
use crate::{
    bindings_ub::{
        ubcore_device,
        ubcore_device_attr,
        ubcore_device_cfg,
        ubcore_eid_entry,
        ubcore_ops,
        UBCORE_TRANSPORT_UB, //
    },
    device::Device,
    kernel_ext::{
        arc::Arc,
        class::Class,
        embedded_device::EmbeddedDevice,
        hot::HotWord,
        netns::Net, //
    },
    logic::{
        eid::Eid,
        validate, //
    },
    ub::common::eid_from_bytes, //
};
use core::ptr::{
    null_mut,
    NonNull, //
};
use kernel::{
    bindings,
    device::Device as KernelDevice,
    prelude::*,
    str::CString,
    sync::{
        aref::AlwaysRefCounted,
        atomic::{
            Acquire,
            Atomic,
            Full,
            Release, //
        }, //
    }, //
};

/// A pointer to a driver's device.
///
/// # Invariants
///
/// The device is valid: its driver has called `ubcore_register_device()`, and neither has that
/// failed nor has `ubcore_unregister_device()` returned. A [`Device`] keeps its pointer, and both
/// calls wait until there is no reference to the [`Device`].
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct DevicePtr(NonNull<ubcore_device>);

// SAFETY: Fields that change are atomic, or changed under a lock; see the methods.
unsafe impl Send for DevicePtr {}
// SAFETY: As above.
unsafe impl Sync for DevicePtr {}

impl DevicePtr {
    /// Takes what a driver registers.
    ///
    /// # Errors
    ///
    /// `EINVAL` for a null pointer, and for a device without operations.
    ///
    /// # Safety
    ///
    /// `dev` must be null or satisfy the type invariant as long as the result is used.
    pub(super) unsafe fn new(dev: *mut ubcore_device) -> Result<Self> {
        let this = Self(NonNull::new(dev).ok_or(EINVAL)?);
        // SAFETY: Valid by the function's contract.
        let ops = unsafe { (*dev).ops };
        if ops.is_null() {
            return Err(EINVAL);
        }
        Ok(this)
    }

    /// Returns the pointer.
    pub(crate) fn as_ptr(self) -> *mut ubcore_device {
        self.0.as_ptr()
    }

    /// Returns the operations of the driver.
    pub(super) fn ops(&self) -> &ubcore_ops {
        // SAFETY: Not null by `new()`; drivers neither change nor free them.
        unsafe { &*(*self.as_ptr()).ops }
    }

    /// Returns the name of the device, checked.
    pub(crate) fn name(self) -> Result<CString> {
        // SAFETY: The driver does not change the name.
        let field = unsafe { &(*self.as_ptr()).dev_name };
        // CAST: `c_char` is `u8` in the kernel.
        let name = validate::device_name(field)?;
        let name = core::str::from_utf8(name).map_err(|_| EINVAL)?;
        CString::try_from_fmt(kernel::prelude::fmt!("{name}"))
    }

    /// Returns the name of the user-space provider.
    pub(crate) fn driver_name(&self) -> &[u8] {
        let field = &self.ops().driver_name;
        field.split(|&c| c == 0).next().unwrap_or_default()
    }

    /// Returns a copy of the attributes, as they are now.
    pub(crate) fn attr(self) -> ubcore_device_attr {
        // SAFETY: Valid. What is changed after registration are single words.
        unsafe { (&raw const (*self.as_ptr()).attr).read_volatile() }
    }

    /// Replaces the attributes, while the device is being registered.
    pub(crate) fn set_attr(self, attr: ubcore_device_attr) {
        // SAFETY: Valid; nobody but the registering thread uses it yet.
        unsafe { (*self.as_ptr()).attr = attr };
    }

    /// Changes the range of reserved jetty ids in the attributes.
    pub(crate) fn set_reserved_ids(self, min: u32, max: u32) {
        // SAFETY: Valid; words that are read on their own.
        unsafe {
            (&raw mut (*self.as_ptr()).attr.reserved_jetty_id_min).write_volatile(min);
            (&raw mut (*self.as_ptr()).attr.reserved_jetty_id_max).write_volatile(max);
        }
    }

    /// Changes the set of congestion control algorithms in the attributes.
    pub(crate) fn set_congestion_ctrl_alg(self, algorithms: u16) {
        // SAFETY: Valid; a word that is read on its own.
        unsafe {
            (&raw mut (*self.as_ptr()).attr.dev_cap.congestion_ctrl_alg).write_volatile(algorithms)
        };
    }

    /// Notes what the driver was told.
    pub(crate) fn set_cfg(self, cfg: &ubcore_device_cfg) {
        // SAFETY: Valid; for information only.
        unsafe { (&raw mut (*self.as_ptr()).cfg).write(core::ptr::read(cfg)) };
    }

    /// Returns the kind of fabric.
    pub(crate) fn transport_type(self) -> i32 {
        // SAFETY: Valid; the driver does not change it.
        unsafe { (*self.as_ptr()).transport_type }
    }

    /// Tells whether the device is attached to a UB fabric.
    pub(crate) fn is_ub(self) -> bool {
        self.transport_type() == UBCORE_TRANSPORT_UB
    }

    /// Tells whether EIDs come and go with addresses.
    pub(crate) fn is_dynamic_eid(self) -> bool {
        // SAFETY: Valid; not changed.
        unsafe { (*self.as_ptr()).dynamic_eid }
    }

    /// Returns the attribute group of the driver, or null.
    pub(super) fn driver_group(self) -> *const bindings::attribute_group {
        // SAFETY: Valid; the driver does not change it.
        unsafe { (*self.as_ptr()).group[1] }
    }

    /// Makes the class device, and returns it with the parent that the driver gave it.
    pub(crate) fn class_device<T: Send + Sync + 'static>(
        self,
        class: &Arc<Class>,
        data: impl PinInit<T, Error>,
    ) -> Result<(
        EmbeddedDevice<T>,
        Option<kernel::sync::aref::ARef<KernelDevice>>,
    )> {
        // SAFETY: Valid. The driver has set a device that is valid, or nothing.
        let parent = unsafe {
            let parent = (*self.as_ptr()).dev.parent;
            (!parent.is_null()).then(|| KernelDevice::get_device(parent))
        };
        // SAFETY: Valid until the result has been dropped, which unregistration does; the core
        // alone uses the class device.
        let dev = unsafe { EmbeddedDevice::new(class, &raw mut (*self.as_ptr()).dev, data) }?;
        Ok((dev, parent))
    }

    /// Sets the fields that belong to the core.
    ///
    /// There is one reference from here on, and [`Self::device`] returns `core`.
    pub(super) fn attach(self, core: NonNull<Device>, eids: KVVec<ubcore_eid_entry>) {
        let dev = self.as_ptr();
        let count = eids.len();
        let (entries, _, _) = eids.into_raw_parts();
        // SAFETY: Valid, and nobody else uses these fields before `core` is stored.
        unsafe {
            let node = &raw mut (*dev).list_node;
            (*node).next = node;
            (*node).prev = node;
            bindings::init_completion(&raw mut (*dev).comp);
            bindings::__spin_lock_init(
                (&raw mut (*dev).eid_table.lock).cast(),
                c"ubcore_eid_table::lock".as_char_ptr(),
                kernel::static_lock_class!().as_ptr(),
            );
            (*dev).dynamic_eid = true;
            (*dev).eid_table.eid_entries = entries;
            // CAST: At most 1024.
            (*dev).eid_table.eid_cnt = count as u32;
        }
        self.refs().store(1, Release);
        self.core().store(core.as_ptr().cast(), Release);
    }

    /// Undoes [`Self::attach`], once there is no reference any more.
    pub(super) fn detach(self) {
        self.core().store(null_mut(), Release);
        let dev = self.as_ptr();
        // SAFETY: Valid. Clients are gone, but the driver may still look at the table, under its
        // lock.
        unsafe {
            let table = &raw mut (*dev).eid_table;
            let lock = (&raw mut (*table).lock).cast();
            bindings::spin_lock(lock);
            (*table).eid_cnt = 0;
            let entries = core::mem::replace(&mut (*table).eid_entries, null_mut());
            bindings::spin_unlock(lock);
            bindings::kvfree(entries.cast());
        }
    }

    /// Returns the pointer to the core's part.
    fn core(&self) -> &Atomic<*mut c_void> {
        // SAFETY: Valid; all accesses are atomic.
        unsafe { Atomic::from_ptr(&raw mut (*self.as_ptr()).core) }
    }

    /// Returns the reference count.
    pub(super) fn refs(&self) -> &Atomic<i32> {
        // SAFETY: Valid; all accesses are atomic.
        unsafe { Atomic::from_ptr(&raw mut (*self.as_ptr()).use_cnt.counter) }
    }

    /// Returns the core's part of the device, if it is registered.
    pub(super) fn device<'a>(self) -> Option<&'a Device> {
        let core = self.core().hot_load().cast::<Device>();
        // SAFETY: Null or what `attach()` stored, which is valid as long as the device is.
        unsafe { core.as_ref() }
    }

    /// Waits for the last reference to go; `tell` is called with their number every ten seconds.
    pub(super) fn wait_unreferenced(self, tell: impl Fn(i32)) {
        let ten_seconds = 10 * bindings::HZ as c_ulong;
        loop {
            // SAFETY: Initialised by `attach()`.
            let left = unsafe {
                bindings::wait_for_completion_timeout(&raw mut (*self.as_ptr()).comp, ten_seconds)
            };
            if left != 0 {
                return;
            }
            tell(self.refs().load(Acquire));
        }
    }

    /// Writes an entry of the table that C clients read; `None` empties it.
    ///
    /// Whoever holds the lock of the core's own table may call this.
    pub(crate) fn mirror_eid(self, index: u32, eid: Option<&Eid>) {
        let dev = self.as_ptr();
        // SAFETY: Valid; the table was made by `attach()`, and is changed under its lock only.
        unsafe {
            let table = &raw mut (*dev).eid_table;
            if index >= (*table).eid_cnt {
                return;
            }
            let entry = (*table).eid_entries.add(index as usize);
            let lock = (&raw mut (*table).lock).cast();
            bindings::spin_lock(lock);
            (*entry).eid = eid_from_bytes(*eid.unwrap_or(&Eid::ZERO).as_bytes());
            (*entry).net = Net::init().as_ptr();
            (*entry).valid = eid.is_some();
            bindings::spin_unlock(lock);
        }
    }

    /// Tells whether the device is registered, or being registered.
    pub(crate) fn is_attached(self) -> bool {
        !self.core().load(Acquire).is_null()
    }
}

impl Device {
    /// Returns the operations of the driver.
    pub(super) fn ops(&self) -> &ubcore_ops {
        // SAFETY: As in `DevicePtr::ops()`; the pointer is valid as long as `self`.
        unsafe { &*(*self.c().as_ptr()).ops }
    }
}

/// Makes the table of `count` empty entries that C clients read.
pub(super) fn empty_eids(count: usize) -> Result<KVVec<ubcore_eid_entry>> {
    let mut entries = KVVec::with_capacity(count, GFP_KERNEL)?;
    for index in (0u32..).take(count) {
        let entry = ubcore_eid_entry {
            eid_index: index,
            net: Net::init().as_ptr(),
            ..Default::default()
        };
        entries.push(entry, GFP_KERNEL)?;
    }
    Ok(entries)
}

// SAFETY: `use_cnt` counts the references; what it protects is freed by `Attached`, which waits for
// it to become zero.
unsafe impl AlwaysRefCounted for Device {
    fn inc_ref(&self) {
        self.c().refs().fetch_add(1, Full);
    }

    unsafe fn dec_ref(obj: NonNull<Self>) {
        // SAFETY: The caller's reference keeps the object.
        let c = unsafe { obj.as_ref() }.c();
        Attached::put(c);
    }
}

/// Returns the core's part of a device.
///
/// # Errors
///
/// `EINVAL` for a null pointer, and for a device that is not registered.
///
/// # Safety
///
/// `dev` must be null or valid during `'a`.
pub(super) unsafe fn device<'a>(dev: *mut ubcore_device) -> Result<&'a Device> {
    let dev = DevicePtr(NonNull::new(dev).ok_or(EINVAL)?);
    dev.device().ok_or(EINVAL)
}
