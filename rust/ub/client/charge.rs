// SPDX-License-Identifier: GPL-2.0

//! Charging the objects of users to their rdma control group.
//!
//! ubcore registers its devices there and charges contexts; objects are the client's to charge.

use super::device::Live;
#[cfg(CONFIG_CGROUP_RDMA)]
use crate::{
    bindings_ub as b,
    ub::common::check, //
};
use kernel::prelude::*;

/// One object that was charged; to be given back by [`give_back`](Self::give_back).
#[derive(Clone, Copy)]
pub(super) struct Charge {
    /// Who pays.
    #[cfg(CONFIG_CGROUP_RDMA)]
    cgroup: *mut b::rdma_cgroup,
}

#[cfg(CONFIG_CGROUP_RDMA)]
impl Charge {
    /// Charges an object of the device to the caller's group.
    ///
    /// # Errors
    ///
    /// `EAGAIN` over the limit, `ENOMEM`.
    pub(super) fn new(live: &Live<'_>) -> Result<Self> {
        let mut cgroup = core::ptr::null_mut();
        // SAFETY: The control group knows a registered device.
        check(unsafe {
            b::rdmacg_try_charge(
                &mut cgroup,
                &raw mut (*live.as_ptr()).cg_device.dev,
                b::RDMACG_RESOURCE_HCA_OBJECT,
            )
        })?;
        Ok(Self { cgroup })
    }

    /// Gives the charge back; once for each.
    pub(super) fn give_back(self, live: &Live<'_>) {
        // SAFETY: Charged to this group, for this device.
        unsafe {
            b::rdmacg_uncharge(
                self.cgroup,
                &raw mut (*live.as_ptr()).cg_device.dev,
                b::RDMACG_RESOURCE_HCA_OBJECT,
            )
        };
    }
}

#[cfg(not(CONFIG_CGROUP_RDMA))]
impl Charge {
    /// Charges nothing.
    pub(super) fn new(_live: &Live<'_>) -> Result<Self> {
        Ok(Self {})
    }

    /// Does nothing.
    pub(super) fn give_back(self, _live: &Live<'_>) {}
}
