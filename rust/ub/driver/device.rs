// SPDX-License-Identifier: GPL-2.0

//! Devices of a driver.

use super::{
    ops,
    udata::into_int,
    Driver, //
};
use crate::{
    bindings_ub,
    kernel_ext::{
        arc::{
            Arc,
            ArcBorrow, //
        },
        id_map::{
            Link,
            Linked, //
        }, //
    },
    ub::common::{
        eid_bytes,
        eid_from_bytes, //
    }, //
};
use kernel::{
    bindings,
    error::to_result,
    prelude::*,
    sync::{
        atomic::{
            Acquire,
            Atomic,
            Full,
            Release, //
        },
        SpinLock, //
    },
    types::Opaque, //
};

/// A device: `struct ubcore_device` and the driver's data `D`.
#[pin_data]
#[repr(C)]
pub(crate) struct UbDevice<D: Driver> {
    /// What ubcore sees.
    #[pin]
    raw: Opaque<bindings_ub::ubcore_device>,
    /// For a table of the driver's.
    link: Link,
    /// Set by the one registration that a device may have.
    registered: Atomic<bool>,
    /// ubcore has set its part up.
    attached: Atomic<bool>,
    /// The driver's.
    #[pin]
    data: D,
}

// SAFETY: The C part is used by the rules of the contract, from any thread.
unsafe impl<D: Driver> Send for UbDevice<D> {}
// SAFETY: As above.
unsafe impl<D: Driver> Sync for UbDevice<D> {}

// SAFETY: A field.
unsafe impl<D: Driver> Linked for UbDevice<D> {
    fn link(&self) -> &Link {
        &self.link
    }
}

impl<D: Driver> UbDevice<D> {
    /// Allocates a device; nobody knows it yet.
    ///
    /// # Errors
    ///
    /// `EINVAL` for a name that is empty or longer than 63 bytes, `ENOMEM`, or what `data` fails
    /// with.
    pub(crate) fn new(name: &CStr, data: impl PinInit<D, Error>) -> Result<Arc<Self>> {
        let name = name.to_bytes();
        if name.is_empty() || name.len() >= bindings_ub::UBCORE_MAX_DEV_NAME as usize {
            return Err(EINVAL);
        }
        let fill = |slot: *mut bindings_ub::ubcore_device| {
            // SAFETY: `slot` is valid for writing; zeros are a valid value of the structure, and
            // the name fits with its terminating zero.
            unsafe {
                slot.write_bytes(0, 1);
                (&raw mut (*slot).dev_name)
                    .cast::<u8>()
                    .copy_from_nonoverlapping(name.as_ptr(), name.len());
                (*slot).ops = ops::table::<D>();
                (*slot).transport_type =
                    bindings_ub::UBCORE_TRANSPORT_UB as bindings_ub::ubcore_transport_type;
            }
        };
        Arc::pin_init(
            try_pin_init!(Self {
                raw <- Opaque::ffi_init(fill),
                link: Link::new(),
                registered: Atomic::new(false),
                attached: Atomic::new(false),
                data <- data,
            }),
            GFP_KERNEL,
        )
    }

    /// Returns the C part.
    pub(super) fn raw(&self) -> *mut bindings_ub::ubcore_device {
        self.raw.get()
    }

    /// Returns the EID at an index of the table. For use in operations, in process context.
    pub(crate) fn eid_at(&self, index: u32) -> Option<[u8; 16]> {
        // SAFETY: While operations are called, the device is registered: ubcore has initialised the
        // table and its lock, and they stay.
        unsafe {
            let table = &raw mut (*self.raw()).eid_table;
            let _guard = SpinLock::from_raw((&raw mut (*table).lock).cast()).lock();
            if index >= (*table).eid_cnt {
                return None;
            }
            let entry = &*(*table).eid_entries.add(index as usize);
            entry.valid.then(|| eid_bytes(&entry.eid))
        }
    }

    /// Tells whether the device has an EID, whoever gave it. Not in interrupts; `false` before the
    /// device is registered, and afterwards.
    pub(crate) fn has_eid(&self, eid: &[u8; 16]) -> bool {
        if !self.attached.load(Acquire) || *eid == [0; 16] {
            return false;
        }
        // SAFETY: ubcore has initialised the table. It changes the entries under the lock, and takes
        // them away under the lock when the device is unregistered; the lock is part of `self`.
        unsafe {
            let table = &raw mut (*self.raw()).eid_table;
            let lock = (&raw mut (*table).lock).cast();
            bindings::spin_lock(lock);
            let entries = if (*table).eid_entries.is_null() {
                &[]
            } else {
                // CAST: At most 1024.
                let count = (*table).eid_cnt as usize;
                core::slice::from_raw_parts((*table).eid_entries, count)
            };
            let found = entries
                .iter()
                .any(|entry| entry.valid && eid_bytes(&entry.eid) == *eid);
            bindings::spin_unlock(lock);
            found
        }
    }

    /// Borrows a device from C.
    ///
    /// # Safety
    ///
    /// `raw` must be a device of this driver that stays registered during `'a`.
    pub(super) unsafe fn borrow<'a>(raw: *mut bindings_ub::ubcore_device) -> ArcBorrow<'a, Self> {
        // SAFETY: All devices are in an `Arc`, of which the registration holds a count.
        unsafe { ArcBorrow::from_raw(raw.cast_const().cast::<Self>()) }
    }
}

impl<D: Driver> core::ops::Deref for UbDevice<D> {
    type Target = D;

    fn deref(&self) -> &D {
        &self.data
    }
}

/// An event that concerns a whole device.
pub(crate) enum DeviceEvent {
    /// A port came up.
    PortActive(u32),
    /// A port went down.
    PortDown(u32),
}

/// A registered device; drop unregisters it and waits until ubcore has let go of it.
pub(crate) struct Registration<D: Driver>(Arc<UbDevice<D>>);

impl<D: Driver> Registration<D> {
    /// Registers a device. Operations may be called from now on, also before this returns.
    ///
    /// # Errors
    ///
    /// `EBUSY` for a device that was registered before, `EEXIST` for a name that is taken, `EINVAL`
    /// for a bad name or capability, `EPERM` when the driver refused its configuration.
    pub(crate) fn new(dev: Arc<UbDevice<D>>) -> Result<Self> {
        if dev.registered.xchg(true, Full) {
            return Err(EBUSY);
        }
        // SAFETY: The driver's fields are filled, and the memory stays until the device is
        // unregistered, since the result holds a count of it.
        to_result(unsafe { bindings_ub::ubcore_register_device(dev.raw()) })?;
        dev.attached.store(true, Release);
        Ok(Self(dev))
    }

    /// Returns the device.
    pub(crate) fn device(&self) -> &Arc<UbDevice<D>> {
        &self.0
    }

    /// Reports that the device was given an EID.
    ///
    /// # Errors
    ///
    /// `EINVAL` for an index out of the table or an EID of zeros, `EEXIST` for one that the table
    /// has.
    pub(crate) fn add_eid(&self, index: u32, eid: [u8; 16]) -> Result {
        self.tell_eid(bindings_ub::UBCORE_MGMT_EVENT_EID_ADD, index, eid)
    }

    /// Reports that the EID of an index was taken away from the device.
    ///
    /// # Errors
    ///
    /// `EINVAL` or `ENOENT` for an index that has none.
    pub(crate) fn remove_eid(&self, index: u32) -> Result {
        self.tell_eid(bindings_ub::UBCORE_MGMT_EVENT_EID_RMV, index, [0; 16])
    }

    /// Reports a change of the table of EIDs.
    fn tell_eid(
        &self,
        event_type: bindings_ub::ubcore_mgmt_event_type,
        index: u32,
        eid: [u8; 16],
    ) -> Result {
        let mut info = bindings_ub::ubcore_eid_info {
            eid: eid_from_bytes(eid),
            eid_index: index,
        };
        let mut event = bindings_ub::ubcore_mgmt_event {
            ub_dev: self.0.raw(),
            event_type,
            ..Default::default()
        };
        event.element.eid_info = &mut info;
        // SAFETY: The device is registered, and the event valid during the call.
        to_result(unsafe { bindings_ub::ubcore_dispatch_mgmt_event(&mut event) })
    }

    /// Reports an event. Any context but NMI.
    pub(crate) fn report(&self, event: DeviceEvent) {
        let (event_type, port) = match event {
            DeviceEvent::PortActive(port) => (bindings_ub::UBCORE_EVENT_PORT_ACTIVE, port),
            DeviceEvent::PortDown(port) => (bindings_ub::UBCORE_EVENT_PORT_DOWN, port),
        };
        let mut raw = bindings_ub::ubcore_event {
            ub_dev: self.0.raw(),
            event_type,
            ..Default::default()
        };
        // SAFETY: A number may take any value.
        unsafe { *raw.element.port_id.as_mut() = port };
        // SAFETY: The device is registered; the event is copied.
        unsafe { bindings_ub::ubcore_dispatch_async_event(&mut raw) };
    }
}

impl<D: Driver> Drop for Registration<D> {
    fn drop(&mut self) {
        // SAFETY: Registered by `new`, and unregistered here only.
        unsafe { bindings_ub::ubcore_unregister_device(self.0.raw()) };
    }
}

/// What a device is to configure; absent is what it is not told.
pub(crate) struct DeviceCfg {
    /// First and last jetty id that the driver never chooses.
    pub(crate) reserved_jetty_ids: Option<(u32, u32)>,
    /// Reliable connections to provide for: how many, and entries of each.
    pub(crate) rc: Option<(u32, u32)>,
}

/// See `ubcore_ops.query_device_attr`.
///
/// # Safety
///
/// Called by ubcore, by the contract.
pub(super) unsafe extern "C" fn query_attr<D: Driver>(
    dev: *mut bindings_ub::ubcore_device,
    attr: *mut bindings_ub::ubcore_device_attr,
) -> c_int {
    // SAFETY: A device of this driver, registered or being registered.
    let dev = unsafe { UbDevice::<D>::borrow(dev) };
    // SAFETY: `attr` is valid for writing, zeros are a valid value, and the caller leaves it to us
    // during the call.
    let attr = unsafe {
        attr.write_bytes(0, 1);
        &mut *attr
    };
    into_int(D::query_attr(dev, attr))
}

/// See `ubcore_ops.query_device_status`.
///
/// # Safety
///
/// Called by ubcore, by the contract.
pub(super) unsafe extern "C" fn query_status<D: Driver>(
    dev: *mut bindings_ub::ubcore_device,
    status: *mut bindings_ub::ubcore_device_status,
) -> c_int {
    // SAFETY: As in `query_attr`.
    let dev = unsafe { UbDevice::<D>::borrow(dev) };
    // SAFETY: As in `query_attr`.
    let status = unsafe {
        status.write_bytes(0, 1);
        &mut *status
    };
    into_int(D::query_status(dev, status))
}

/// See `ubcore_ops.config_device`.
///
/// # Safety
///
/// Called by ubcore, by the contract.
pub(super) unsafe extern "C" fn configure<D: Driver>(
    dev: *mut bindings_ub::ubcore_device,
    cfg: *mut bindings_ub::ubcore_device_cfg,
) -> c_int {
    // SAFETY: As in `query_attr`.
    let dev = unsafe { UbDevice::<D>::borrow(dev) };
    // SAFETY: `cfg` is valid during the call.
    let cfg = unsafe { &*cfg };
    // SAFETY: All bits of the union are initialised.
    let mask = unsafe { cfg.mask.bs.as_ref() };
    let reserved = mask.reserved_jetty_id_min() != 0 && mask.reserved_jetty_id_max() != 0;
    let rc = mask.rc_cnt() != 0 && mask.rc_depth() != 0;
    into_int(D::configure(
        dev,
        &DeviceCfg {
            reserved_jetty_ids: reserved
                .then_some((cfg.reserved_jetty_id_min, cfg.reserved_jetty_id_max)),
            rc: rc.then_some((cfg.rc_cfg.rc_cnt, cfg.rc_cfg.depth)),
        },
    ))
}
