// SPDX-License-Identifier: GPL-2.0

//! Network addresses: names for EIDs, known as long as a device of this host has the EID.
//!
//! An EID that maps an IPv4 address stands for that address, any other for the IPv6 address of the
//! same bytes. No packet is ever sent to an address, and it need not be one of the host's.

use crate::{
    device::Dev,
    host::Host,
    kernel_ext::arc::Arc,
    logic::{
        eid::Eid,
        net_addr::{
            mac_of,
            IpAddr,
            NetAddr,
            MAC_LEN, //
        }, //
    }, //
};
use kernel::prelude::*;

/// Finds the device of an address.
///
/// # Errors
///
/// `ENOENT` if no device of this host has it.
fn find(host: &Host, eid: &Eid) -> Result<Arc<Dev>> {
    host.find(eid).ok_or(ENOENT)
}

/// Finds the EID of an address.
///
/// # Errors
///
/// `ENOENT` if no device of this host has it.
pub(crate) fn eid_by_ip(dev: &Dev, addr: &NetAddr) -> Result<[u8; 16]> {
    let eid = addr.ip.to_eid();
    find(&dev.host, &eid)?;
    Ok(eid.into_bytes())
}

/// Finds the address of an EID.
///
/// # Errors
///
/// `ENOENT` if no device of this host has it.
pub(crate) fn ip_by_eid(dev: &Dev, eid: [u8; 16]) -> Result<NetAddr> {
    let eid = Eid::from_bytes(eid);
    let owner = find(&dev.host, &eid)?;
    Ok(NetAddr::host(IpAddr::from_eid(eid), mac(&owner)))
}

/// Returns the MAC address of a device: made from the EID that it got first, so it does not change
/// as long as the device exists.
pub(crate) fn mac(dev: &Dev) -> [u8; MAC_LEN] {
    mac_of(dev.eid)
}

/// Finds the MAC address of the device that has an address.
///
/// # Errors
///
/// `ENOENT` if no device of this host has it.
pub(crate) fn dmac(dev: &Dev, addr: &NetAddr) -> Result<[u8; MAC_LEN]> {
    find(&dev.host, &addr.ip.to_eid()).map(|peer| mac(&peer))
}
