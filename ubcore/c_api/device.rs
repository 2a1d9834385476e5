// SPDX-License-Identifier: GPL-2.0

//! Devices: registration, look-up, questions to the driver.

use super::{
    attach::Attached,
    core_state,
    device_ptr::{
        device,
        DevicePtr, //
    },
    errno, //
};
use crate::{
    bindings_ub::{
        ubcore_device,
        ubcore_device_attr,
        ubcore_device_cfg,
        ubcore_device_status,
        ubcore_eid,
        ubcore_eid_info,
        ubcore_transport_type,
        ubcore_user_ctl, //
    },
    kernel_ext::netns::NetId,
    logic::eid::Eid,
    ub::common::{
        eid_bytes,
        eid_from_bytes, //
    },
};
use core::ptr::{
    null_mut,
    NonNull, //
};
use kernel::{
    bindings,
    prelude::*,
    sync::aref::ARef, //
};

/// Lists the EIDs of a device that the caller's namespace may use.
///
/// # Safety
///
/// `dev` must be null or valid.
unsafe fn eid_list(dev: *mut ubcore_device) -> Result<KVVec<ubcore_eid_info>> {
    // SAFETY: By the function's contract.
    let dev = unsafe { device(dev) }?;
    let net = NetId::current().ok_or(EINVAL)?;
    let mut list = KVVec::with_capacity(dev.eid_capacity(), GFP_KERNEL)?;
    dev.eids().list(net, |eid_index, eid| {
        let info = ubcore_eid_info {
            eid: eid_from_bytes(eid.into_bytes()),
            eid_index,
        };
        // There is room for as many as the table has entries.
        let _ = list.push_within_capacity(info);
    });
    if list.is_empty() {
        return Err(ENOENT);
    }
    Ok(list)
}

c_api! {
    /// Registers a device.
    unsafe fn ubcore_register_device(dev: *mut ubcore_device) -> c_int {
        errno((|| {
            // SAFETY: The driver keeps the device while it is registered.
            let dev = unsafe { DevicePtr::new(dev) }?;
            core_state()?.register_device(dev)
        })())
    }

    /// Unregisters a device.
    unsafe fn ubcore_unregister_device(dev: *mut ubcore_device) {
        // SAFETY: Null or valid.
        let (Ok(core), Ok(known)) = (core_state(), unsafe { device(dev) }) else {
            return;
        };
        if core.withdraw_device(known).is_some() {
            // SAFETY: Valid. Only one caller gets here for a registration.
            drop(unsafe { Attached::from_raw(dev) });
        }
    }

    /// Tells clients to stop posting.
    unsafe fn ubcore_stop_requests(dev: *mut ubcore_device) {
        // SAFETY: Null or valid.
        if let (Ok(core), Ok(dev)) = (core_state(), unsafe { device(dev) }) {
            core.stop_requests(dev);
        }
    }

    /// Finds the device that has an EID, and takes a reference.
    unsafe fn ubcore_get_device_by_eid(
        eid: *mut ubcore_eid,
        r#type: ubcore_transport_type,
    ) -> *mut ubcore_device {
        // SAFETY: Null or valid.
        let (Ok(core), Some(eid)) = (core_state(), unsafe { eid.as_ref() }) else {
            return null_mut();
        };
        let found = core.registry().device_of(&Eid::from_bytes(eid_bytes(eid)), r#type);
        found.map_or(null_mut(), |dev| {
            let c = dev.c().as_ptr();
            // Given back by `ubcore_put_device()`.
            let _ = ARef::into_raw(dev);
            c
        })
    }

    /// Gives a reference back.
    unsafe fn ubcore_put_device(dev: *mut ubcore_device) {
        // SAFETY: Null or valid.
        if let Ok(dev) = unsafe { device(dev) } {
            // SAFETY: The reference that `ubcore_get_device_by_eid()` took.
            drop(unsafe { ARef::from_raw(NonNull::from(dev)) });
        }
    }

    /// Asks the driver for the attributes of a device.
    unsafe fn ubcore_query_device_attr(
        dev: *mut ubcore_device,
        attr: *mut ubcore_device_attr,
    ) -> c_int {
        errno((|| {
            // SAFETY: Null or valid.
            let dev = unsafe { device(dev) }?;
            let place = NonNull::new(attr).ok_or(EINVAL)?;
            let attr = dev.c().query_attr().ok_or(EINVAL)?.map_err(|_| EPERM)?;
            // SAFETY: Valid for writing.
            unsafe { place.write(attr) };
            Ok(())
        })())
    }

    /// Asks the driver for the status of the ports of a device.
    unsafe fn ubcore_query_device_status(
        dev: *mut ubcore_device,
        status: *mut ubcore_device_status,
    ) -> c_int {
        errno((|| {
            // SAFETY: Null or valid.
            let dev = unsafe { device(dev) }?;
            let place = NonNull::new(status).ok_or(EINVAL)?;
            if dev.ops().query_device_status.is_none() {
                return Err(EINVAL);
            }
            let status = dev.c().query_status().map_err(|_| EPERM)?;
            // SAFETY: Valid for writing.
            unsafe { place.write(status) };
            Ok(())
        })())
    }

    /// Tells the driver a configuration.
    unsafe fn ubcore_config_device(
        dev: *mut ubcore_device,
        cfg: *mut ubcore_device_cfg,
    ) -> c_int {
        errno((|| {
            // SAFETY: Null or valid.
            let dev = unsafe { device(dev) }?;
            // SAFETY: Null or valid, and the caller's alone.
            let cfg = unsafe { cfg.as_mut() }.ok_or(EINVAL)?;
            dev.check_creating()?;
            dev.c().config(cfg).map_err(|_| EPERM)
        })())
    }

    /// Lists the EIDs of a device.
    unsafe fn ubcore_get_eid_list(
        dev: *mut ubcore_device,
        cnt: *mut u32,
    ) -> *mut ubcore_eid_info {
        let Some(cnt) = NonNull::new(cnt) else {
            return null_mut();
        };
        // SAFETY: Null or valid.
        let list = unsafe { eid_list(dev) }.unwrap_or_default();
        // SAFETY: Valid for writing. CAST: At most 1024.
        unsafe { cnt.write(list.len() as u32) };
        if list.is_empty() {
            return null_mut();
        }
        list.into_raw_parts().0
    }

    /// Tells whether the list would have an EID at an index.
    unsafe fn ubcore_has_eid(
        dev: *mut ubcore_device,
        eid_index: u32,
        eid: *const ubcore_eid,
    ) -> bool {
        // SAFETY: Null or valid.
        let (Ok(dev), Some(eid)) = (unsafe { (device(dev), eid.as_ref()) }) else {
            return false;
        };
        let found = dev.eids().get(eid_index);
        found.is_some_and(|found| found.into_bytes() == eid_bytes(eid))
    }

    /// Frees such a list.
    unsafe fn ubcore_free_eid_list(eid_list: *mut ubcore_eid_info) {
        // SAFETY: Null, or from a `KVVec`.
        unsafe { bindings::kvfree(eid_list.cast()) };
    }

    /// Hands a command of the provider's own to the driver.
    unsafe fn ubcore_user_control(
        dev: *mut ubcore_device,
        k_user_ctl: *mut ubcore_user_ctl,
    ) -> c_int {
        // SAFETY: Null or valid.
        let Ok(dev) = (unsafe { device(dev) }) else {
            return -1;
        };
        match dev.ops().user_ctl {
            // SAFETY: An operation of the driver; the command is valid.
            Some(op) if !k_user_ctl.is_null() => unsafe { op(dev.c().as_ptr(), k_user_ctl) },
            _ => -1,
        }
    }
}
