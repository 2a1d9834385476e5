// SPDX-License-Identifier: GPL-2.0

//! Who may have a context of a device.

use crate::{
    bindings_ub::UBCORE_MAX_EID_CNT,
    device::Device,
    kernel_ext::netns::NetId,
    logic::eid::Eid, //
};
use kernel::prelude::*;

/// Checks that the caller may have a context with the EID at an index, and returns the EID.
///
/// # Errors
///
/// `EINVAL` for an index that no table has, `EPERM` for an EID that the caller's namespace may not
/// use, `EIO` once removal of the device has begun.
pub(crate) fn check(dev: &Device, index: u32) -> Result<Eid> {
    if index >= UBCORE_MAX_EID_CNT {
        return Err(EINVAL);
    }
    dev.check_creating()?;
    let net = NetId::current().ok_or(EPERM)?;
    dev.eids().get_in(index, net).ok_or(EPERM)
}
