// SPDX-License-Identifier: GPL-2.0

//! Devices and contexts in the rdma control group.
//!
//! The control group's object is a public field of the device, so that clients can charge objects
//! to it; hence not `kernel_ext::rdma_cgroup`, which has one of its own.

use super::device_ptr::DevicePtr;
use crate::bindings_ub::ubcore_cg_object;
use kernel::prelude::*;

/// A device that the control group knows; dropping it makes it forget the device.
pub(crate) struct CgroupMembership(
    #[cfg_attr(not(CONFIG_CGROUP_RDMA), expect(dead_code))] DevicePtr,
);

#[cfg(CONFIG_CGROUP_RDMA)]
mod imp {
    use super::*;
    use crate::bindings_ub::{
        rdmacg_register_device,
        rdmacg_try_charge,
        rdmacg_uncharge,
        rdmacg_unregister_device,
        RDMACG_RESOURCE_HCA_HANDLE, //
    };
    use kernel::error::to_result;

    impl CgroupMembership {
        /// Makes the device appear in the files of the control group.
        pub(crate) fn new(c: DevicePtr) -> Self {
            // SAFETY: The device is valid and not registered there; its name stays where it is.
            unsafe {
                let cg = &raw mut (*c.as_ptr()).cg_device.dev;
                cg.write_bytes(0, 1);
                (*cg).name = (&raw mut (*c.as_ptr()).dev_name).cast();
                rdmacg_register_device(cg);
            }
            Self(c)
        }
    }

    impl Drop for CgroupMembership {
        fn drop(&mut self) {
            // SAFETY: Registered in `new()`.
            unsafe { rdmacg_unregister_device(&raw mut (*self.0.as_ptr()).cg_device.dev) };
        }
    }

    /// Charges one context to the caller's group.
    pub(in super::super) fn try_charge(c: DevicePtr) -> Result<ubcore_cg_object> {
        let mut object = ubcore_cg_object::default();
        // SAFETY: A device that is registered there as long as it has a core's part.
        to_result(unsafe {
            rdmacg_try_charge(
                &mut object.cg,
                &raw mut (*c.as_ptr()).cg_device.dev,
                RDMACG_RESOURCE_HCA_HANDLE,
            )
        })?;
        Ok(object)
    }

    /// Gives back what [`try_charge`] charged.
    pub(in super::super) fn uncharge(c: DevicePtr, object: ubcore_cg_object) {
        // SAFETY: As above; the object is that of a charge.
        unsafe {
            rdmacg_uncharge(
                object.cg,
                &raw mut (*c.as_ptr()).cg_device.dev,
                RDMACG_RESOURCE_HCA_HANDLE,
            )
        };
    }
}

#[cfg(not(CONFIG_CGROUP_RDMA))]
mod imp {
    use super::*;

    impl CgroupMembership {
        /// Does nothing.
        pub(crate) fn new(c: DevicePtr) -> Self {
            Self(c)
        }
    }

    /// Charges nothing.
    pub(in super::super) fn try_charge(_c: DevicePtr) -> Result<ubcore_cg_object> {
        Ok(ubcore_cg_object::default())
    }

    /// Does nothing.
    pub(in super::super) fn uncharge(_c: DevicePtr, _object: ubcore_cg_object) {}
}

pub(super) use imp::{
    try_charge,
    uncharge, //
};
