// SPDX-License-Identifier: GPL-2.0

//! Attributes, status and EIDs of a device.

use super::device::Device;
use crate::{
    bindings_ub as b,
    ub::common::eid_from_bytes, //
};
use core::ops::Deref;
use kernel::{
    error::to_result,
    prelude::*, //
};

pub(crate) use crate::ub::common::{
    eid_bytes,
    FlagWord, //
};

/// Attributes of a device; flag words are read by [`FlagWord::word`].
pub(crate) struct DeviceAttr(KBox<b::ubcore_device_attr>);

impl Deref for DeviceAttr {
    type Target = b::ubcore_device_attr;

    fn deref(&self) -> &b::ubcore_device_attr {
        &self.0
    }
}

/// Status of the ports of a device.
pub(crate) struct DeviceStatus(KBox<b::ubcore_device_status>);

impl Deref for DeviceStatus {
    type Target = b::ubcore_device_status;

    fn deref(&self) -> &b::ubcore_device_status {
        &self.0
    }
}

/// EIDs of a device.
///
/// # Invariants
///
/// `ptr` is null and `len` 0, or what `ubcore_get_eid_list()` returned.
pub(crate) struct EidList {
    /// The array.
    ptr: *mut b::ubcore_eid_info,
    /// Number of entries.
    len: usize,
}

impl EidList {
    /// Returns EID and index of each entry.
    pub(crate) fn iter(&self) -> impl Iterator<Item = ([u8; 16], u32)> + '_ {
        let entries: &[b::ubcore_eid_info] = if self.ptr.is_null() {
            &[]
        } else {
            // SAFETY: By the type's invariant, `len` entries that belong to us.
            unsafe { core::slice::from_raw_parts(self.ptr, self.len) }
        };
        entries.iter().map(|e| (eid_bytes(&e.eid), e.eid_index))
    }
}

impl Drop for EidList {
    fn drop(&mut self) {
        // SAFETY: By the type's invariant; null is fine.
        unsafe { b::ubcore_free_eid_list(self.ptr) };
    }
}

impl Device {
    /// Asks the driver for the attributes.
    ///
    /// # Errors
    ///
    /// `EIO` when the device is gone, `ENOMEM`, or the error of the driver.
    pub(crate) fn attr(&self) -> Result<DeviceAttr> {
        let mut attr = KBox::new(b::ubcore_device_attr::default(), GFP_KERNEL)?;
        let live = self.enter()?;
        // SAFETY: A registered device and room of our own.
        to_result(unsafe { b::ubcore_query_device_attr(live.as_ptr(), &mut *attr) })?;
        Ok(DeviceAttr(attr))
    }

    /// Asks the driver for the status of the ports.
    ///
    /// # Errors
    ///
    /// `EIO` when the device is gone, `ENOMEM`, or the error of the driver.
    pub(crate) fn status(&self) -> Result<DeviceStatus> {
        let mut status = KBox::new(b::ubcore_device_status::default(), GFP_KERNEL)?;
        let live = self.enter()?;
        // SAFETY: A registered device and room of our own.
        to_result(unsafe { b::ubcore_query_device_status(live.as_ptr(), &mut *status) })?;
        Ok(DeviceStatus(status))
    }

    /// Returns the valid EIDs that the namespace of the calling process may use.
    ///
    /// # Errors
    ///
    /// `EIO` when the device is gone.
    pub(crate) fn eid_list(&self) -> Result<EidList> {
        let live = self.enter()?;
        let mut len = 0;
        // SAFETY: A registered device and room of our own.
        let ptr = unsafe { b::ubcore_get_eid_list(live.as_ptr(), &mut len) };
        // INVARIANT: As the function returned it.
        Ok(EidList {
            ptr,
            len: if ptr.is_null() { 0 } else { len as usize },
        })
    }

    /// Tells whether the device has this EID at this index, whoever may use it.
    ///
    /// # Errors
    ///
    /// `EIO` when the device is gone.
    pub(crate) fn has_eid(&self, eid: [u8; 16], index: u32) -> Result<bool> {
        let live = self.enter()?;
        let eid = eid_from_bytes(eid);
        // SAFETY: A registered device, and an EID of our own.
        Ok(unsafe { b::ubcore_has_eid(live.as_ptr(), index, &eid) })
    }
}
