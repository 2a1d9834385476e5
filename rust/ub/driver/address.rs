// SPDX-License-Identifier: GPL-2.0

//! Network addresses of UB entities.

use super::{
    device::UbDevice,
    udata::into_int,
    Driver, //
};
use crate::{
    bindings_ub,
    logic::net_addr::MAC_LEN,
    ub::{
        common::{
            eid_bytes,
            eid_from_bytes, //
        },
        net_addr::{
            from_raw,
            to_raw, //
        }, //
    },
};
use kernel::prelude::*;

/// See `ubcore_ops.get_eid_by_ip`.
///
/// # Safety
///
/// Called by ubcore, by the contract.
pub(super) unsafe extern "C" fn eid_by_ip<D: Driver>(
    dev: *mut bindings_ub::ubcore_device,
    addr: *mut bindings_ub::ubcore_net_addr,
    eid: *mut bindings_ub::ubcore_eid,
) -> c_int {
    // SAFETY: A device of this driver that is registered.
    let dev = unsafe { UbDevice::<D>::borrow(dev) };
    // SAFETY: Valid during the call.
    let found = from_raw(unsafe { &*addr }).and_then(|addr| D::eid_by_ip(dev, &addr));
    // SAFETY: Valid for writing.
    into_int(found.map(|bytes| unsafe { eid.write(eid_from_bytes(bytes)) }))
}

/// See `ubcore_ops.get_ip_by_eid`.
///
/// # Safety
///
/// Called by ubcore, by the contract.
pub(super) unsafe extern "C" fn ip_by_eid<D: Driver>(
    dev: *mut bindings_ub::ubcore_device,
    eid: *mut bindings_ub::ubcore_eid,
    addr: *mut bindings_ub::ubcore_net_addr,
) -> c_int {
    // SAFETY: A device of this driver that is registered.
    let dev = unsafe { UbDevice::<D>::borrow(dev) };
    // SAFETY: Valid during the call.
    let found = D::ip_by_eid(dev, eid_bytes(unsafe { &*eid }));
    // SAFETY: Valid for writing.
    into_int(found.map(|found| unsafe { addr.write(to_raw(&found)) }))
}

/// Writes a MAC address.
///
/// # Safety
///
/// `mac` must be valid for writing one.
unsafe fn put(mac: *mut u8, found: Result<[u8; MAC_LEN]>) -> c_int {
    // SAFETY: By the function's contract.
    into_int(found.map(|bytes| unsafe { mac.cast::<[u8; MAC_LEN]>().write_unaligned(bytes) }))
}

/// See `ubcore_ops.get_smac`.
///
/// # Safety
///
/// Called by ubcore, by the contract.
pub(super) unsafe extern "C" fn smac<D: Driver>(
    dev: *mut bindings_ub::ubcore_device,
    mac: *mut u8,
) -> c_int {
    // SAFETY: A device of this driver that is registered.
    let dev = unsafe { UbDevice::<D>::borrow(dev) };
    // SAFETY: There is room for a MAC address.
    unsafe { put(mac, D::smac(dev)) }
}

/// See `ubcore_ops.get_dmac`.
///
/// # Safety
///
/// Called by ubcore, by the contract.
pub(super) unsafe extern "C" fn dmac<D: Driver>(
    dev: *mut bindings_ub::ubcore_device,
    addr: *mut bindings_ub::ubcore_net_addr,
    mac: *mut u8,
) -> c_int {
    // SAFETY: A device of this driver that is registered.
    let dev = unsafe { UbDevice::<D>::borrow(dev) };
    // SAFETY: Valid during the call.
    let found = from_raw(unsafe { &*addr }).and_then(|addr| D::dmac(dev, &addr));
    // SAFETY: There is room for a MAC address.
    unsafe { put(mac, found) }
}
