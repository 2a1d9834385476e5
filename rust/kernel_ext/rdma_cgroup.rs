// SPDX-License-Identifier: GPL-2.0

//! The RDMA control group: limits for device handles and objects of a device.
//!
//! C header: [`include/linux/cgroup_rdma.h`](srctree/include/linux/cgroup_rdma.h)
//!
//! Without `CONFIG_CGROUP_RDMA` everything is allowed.

use super::arc::Arc;
use kernel::{
    prelude::*,
    str::CString, //
};

/// What is limited.
#[derive(Copy, Clone, Debug, Eq, PartialEq)]
pub(crate) enum Resource {
    /// An open context of a device.
    Handle,
    /// An object of a device.
    Object,
}

#[cfg(CONFIG_CGROUP_RDMA)]
mod imp {
    use super::*;
    use crate::bindings_ub;
    use core::ptr::null_mut;
    use kernel::{
        error::to_result,
        types::Opaque, //
    };

    impl Resource {
        /// Returns the number of the C interface.
        fn as_raw(self) -> bindings_ub::rdmacg_resource_type {
            match self {
                Self::Handle => bindings_ub::RDMACG_RESOURCE_HCA_HANDLE,
                Self::Object => bindings_ub::RDMACG_RESOURCE_HCA_OBJECT,
            }
        }
    }

    /// A device known to the control group.
    ///
    /// # Invariants
    ///
    /// `raw` is registered, and its name is that of `_name`.
    #[pin_data(PinnedDrop)]
    pub(crate) struct RdmaCgDevice {
        #[pin]
        raw: Opaque<bindings_ub::rdmacg_device>,
        _name: CString,
    }

    // SAFETY: The control group has locks of its own.
    unsafe impl Send for RdmaCgDevice {}
    // SAFETY: The control group has locks of its own.
    unsafe impl Sync for RdmaCgDevice {}

    impl RdmaCgDevice {
        /// Makes the device appear in the files of the control group.
        pub(crate) fn register(name: &CStr) -> Result<Arc<Self>> {
            let name = CString::try_from(name)?;
            let raw_name = name.as_char_ptr().cast_mut();
            let init = pin_init!(Self {
                // SAFETY: `slot` is valid for writing and stays in place until it is unregistered;
                // the control group only reads the name.
                raw <- Opaque::ffi_init(move |slot: *mut bindings_ub::rdmacg_device| unsafe {
                    slot.write_bytes(0, 1);
                    (*slot).name = raw_name;
                    bindings_ub::rdmacg_register_device(slot);
                }),
                _name: name,
            });
            Arc::pin_init(init, GFP_KERNEL)
        }

        /// Charges one `resource` to the caller's control group.
        ///
        /// # Errors
        ///
        /// `EAGAIN` at the limit, `ENOMEM`.
        pub(crate) fn try_charge(this: &Arc<Self>, resource: Resource) -> Result<Charge> {
            let mut cgroup = null_mut();
            // SAFETY: A registered device.
            to_result(unsafe {
                bindings_ub::rdmacg_try_charge(&mut cgroup, this.raw.get(), resource.as_raw())
            })?;
            Ok(Charge {
                device: this.clone(),
                cgroup,
                resource,
            })
        }
    }

    #[pinned_drop]
    impl PinnedDrop for RdmaCgDevice {
        fn drop(self: Pin<&mut Self>) {
            // SAFETY: Registered by the type invariant; charges hold the object.
            unsafe { bindings_ub::rdmacg_unregister_device(self.raw.get()) };
        }
    }

    /// A charged resource; dropping it gives it back.
    pub(crate) struct Charge {
        device: Arc<RdmaCgDevice>,
        cgroup: *mut bindings_ub::rdma_cgroup,
        resource: Resource,
    }

    // SAFETY: Charges belong to no task.
    unsafe impl Send for Charge {}
    // SAFETY: No method takes `&self`.
    unsafe impl Sync for Charge {}

    impl Drop for Charge {
        fn drop(&mut self) {
            // SAFETY: What `rdmacg_try_charge()` charged, once.
            unsafe {
                bindings_ub::rdmacg_uncharge(
                    self.cgroup,
                    self.device.raw.get(),
                    self.resource.as_raw(),
                )
            };
        }
    }
}

#[cfg(not(CONFIG_CGROUP_RDMA))]
mod imp {
    use super::*;

    /// A device without limits.
    pub(crate) struct RdmaCgDevice(());

    impl RdmaCgDevice {
        /// Does nothing.
        pub(crate) fn register(_name: &CStr) -> Result<Arc<Self>> {
            Ok(Arc::new(Self(()), GFP_KERNEL)?)
        }

        /// Allows everything.
        pub(crate) fn try_charge(_this: &Arc<Self>, _resource: Resource) -> Result<Charge> {
            Ok(Charge(()))
        }
    }

    /// A resource that is not charged.
    pub(crate) struct Charge(());
}

pub(crate) use imp::{
    Charge,
    RdmaCgDevice, //
};
