// SPDX-License-Identifier: GPL-2.0

//! Operations of drivers that concern the device as a whole.

use super::device_ptr::DevicePtr;
use crate::{
    attrs::Shown,
    bindings_ub::{
        ubcore_device_attr,
        ubcore_device_cfg,
        ubcore_device_status, //
    },
    kernel_ext::attr_group::Groups, //
};
use kernel::{
    error::to_result,
    prelude::*, //
};

impl DevicePtr {
    /// Asks the driver for the attributes; `None` if it cannot be asked.
    pub(crate) fn query_attr(self) -> Option<Result<ubcore_device_attr>> {
        let op = self.ops().query_device_attr?;
        let mut attr = ubcore_device_attr::default();
        // SAFETY: An operation of the driver, with its device and a place for the result.
        Some(to_result(unsafe { op(self.as_ptr(), &mut attr) }).map(|()| attr))
    }

    /// Asks the driver for the status of the ports; `EINVAL` if it cannot be asked.
    pub(crate) fn query_status(self) -> Result<ubcore_device_status> {
        let op = self.ops().query_device_status.ok_or(EINVAL)?;
        let mut status = ubcore_device_status::default();
        // SAFETY: As above.
        to_result(unsafe { op(self.as_ptr(), &mut status) })?;
        Ok(status)
    }

    /// Tells whether the driver can be configured, which is mandatory.
    pub(crate) fn can_configure(self) -> bool {
        self.ops().config_device.is_some()
    }

    /// Tells the driver a configuration, and notes it.
    pub(crate) fn config(self, cfg: &mut ubcore_device_cfg) -> Result {
        let op = self.ops().config_device.ok_or(EINVAL)?;
        // SAFETY: As above.
        to_result(unsafe { op(self.as_ptr(), cfg) })?;
        self.set_cfg(cfg);
        Ok(())
    }
}

/// Adds the attribute group that a driver brings along, if there is one.
pub(crate) fn driver_group(c: DevicePtr, groups: &mut Groups<Shown>) -> Result {
    let group = c.driver_group();
    if group.is_null() {
        return Ok(());
    }
    // SAFETY: The driver keeps the group while the device is registered, and made it for devices
    // that are registered here.
    unsafe { groups.push_raw(group) }
}
