// SPDX-License-Identifier: GPL-2.0

//! Network addresses of UB entities, which drivers know.

use super::{
    device_ptr::device,
    errno, //
};
use crate::{
    bindings_ub::{
        ubcore_device,
        ubcore_eid,
        ubcore_net_addr,
        ubcore_path_set,
        ubcore_tp_type,
        UBCORE_NET_ADDR_TYPE_IPV4,
        UBCORE_NET_ADDR_TYPE_IPV6, //
    },
    logic::eid::Eid,
    ub::common::eid_bytes,
};
use kernel::{
    error::to_result,
    prelude::*, //
};

/// Checks an address that a caller passes.
///
/// # Errors
///
/// `EINVAL` for a null pointer, and for what is neither IPv4 nor IPv6.
///
/// # Safety
///
/// `addr` must be null or valid.
unsafe fn check_addr(addr: *mut ubcore_net_addr) -> Result {
    // SAFETY: By the function's contract.
    match unsafe { addr.as_ref() }.ok_or(EINVAL)?.type_ {
        UBCORE_NET_ADDR_TYPE_IPV4 | UBCORE_NET_ADDR_TYPE_IPV6 => Ok(()),
        _ => Err(EINVAL),
    }
}

c_api! {
    /// Finds the EID of a network address.
    unsafe fn ubcore_get_eid_by_ip(
        dev: *mut ubcore_device,
        net_addr: *mut ubcore_net_addr,
        eid: *mut ubcore_eid,
    ) -> c_int {
        errno((|| {
            // SAFETY: Null or valid.
            let dev = unsafe { device(dev) }?;
            // SAFETY: Null or valid.
            unsafe { check_addr(net_addr) }?;
            if eid.is_null() {
                return Err(EINVAL);
            }
            let op = dev.ops().get_eid_by_ip.ok_or(EINVAL)?;
            dev.check_creating()?;
            // SAFETY: An operation of the driver, with its device, an address and room for an EID.
            to_result(unsafe { op(dev.c().as_ptr(), net_addr, eid) })
        })())
    }

    /// Finds the network address of an EID.
    unsafe fn ubcore_get_ip_by_eid(
        dev: *mut ubcore_device,
        eid: *mut ubcore_eid,
        net_addr: *mut ubcore_net_addr,
    ) -> c_int {
        errno((|| {
            // SAFETY: Null or valid.
            let (dev, known) = unsafe { (device(dev)?, eid.as_ref().ok_or(EINVAL)?) };
            if net_addr.is_null() || Eid::from_bytes(eid_bytes(known)).is_zero() {
                return Err(EINVAL);
            }
            let op = dev.ops().get_ip_by_eid.ok_or(EINVAL)?;
            dev.check_creating()?;
            // SAFETY: An operation of the driver, with its device, an EID and room for an address.
            to_result(unsafe { op(dev.c().as_ptr(), eid, net_addr) })
        })())
    }

    /// Returns the MAC address of a device.
    unsafe fn ubcore_get_smac(dev: *mut ubcore_device, mac: *mut u8) -> c_int {
        errno((|| {
            // SAFETY: Null or valid.
            let dev = unsafe { device(dev) }?;
            if mac.is_null() {
                return Err(EINVAL);
            }
            let op = dev.ops().get_smac.ok_or(EINVAL)?;
            dev.check_creating()?;
            // SAFETY: An operation of the driver, with its device and room for an address.
            to_result(unsafe { op(dev.c().as_ptr(), mac) })
        })())
    }

    /// Finds the MAC address of a peer.
    unsafe fn ubcore_get_dmac(
        dev: *mut ubcore_device,
        net_addr: *mut ubcore_net_addr,
        mac: *mut u8,
    ) -> c_int {
        errno((|| {
            // SAFETY: Null or valid.
            let dev = unsafe { device(dev) }?;
            // SAFETY: Null or valid.
            unsafe { check_addr(net_addr) }?;
            if mac.is_null() {
                return Err(EINVAL);
            }
            let op = dev.ops().get_dmac.ok_or(EOPNOTSUPP)?;
            dev.check_creating()?;
            // SAFETY: An operation of the driver, with its device, an address and room for another.
            to_result(unsafe { op(dev.c().as_ptr(), net_addr, mac) })
        })())
    }

    /// Lists the physical paths between two bonding devices: no topology is known, so there is
    /// nothing to find them in.
    unsafe fn ubcore_get_path_set(
        _src_bonding_eid: *mut ubcore_eid,
        _dst_bonding_eid: *mut ubcore_eid,
        _tp_type: ubcore_tp_type,
        _iodie_level: bool,
        _path_set: *mut ubcore_path_set,
    ) -> c_int {
        EINVAL.to_errno()
    }
}
