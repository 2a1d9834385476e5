// SPDX-License-Identifier: GPL-2.0

//! Network addresses of UB entities.

use super::device::Device;
use crate::{
    bindings_ub as b,
    logic::net_addr::NetAddr,
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
use kernel::{
    error::to_result,
    prelude::*, //
};

impl Device {
    /// Finds the EID of a network address.
    ///
    /// # Errors
    ///
    /// `EIO` when the device is gone, `EINVAL` when it knows no network addresses, or the error of
    /// the driver.
    pub(crate) fn eid_by_ip(&self, addr: &NetAddr) -> Result<[u8; 16]> {
        let live = self.enter()?;
        let mut raw = to_raw(addr);
        let mut eid = b::ubcore_eid::default();
        // SAFETY: A registered device, and memory of our own.
        to_result(unsafe { b::ubcore_get_eid_by_ip(live.as_ptr(), &mut raw, &mut eid) })?;
        Ok(eid_bytes(&eid))
    }

    /// Finds the network address of an EID; errors as for [`eid_by_ip`](Self::eid_by_ip).
    pub(crate) fn ip_by_eid(&self, eid: [u8; 16]) -> Result<NetAddr> {
        let live = self.enter()?;
        let mut raw = b::ubcore_net_addr::default();
        let mut eid = eid_from_bytes(eid);
        // SAFETY: A registered device, and memory of our own.
        to_result(unsafe { b::ubcore_get_ip_by_eid(live.as_ptr(), &mut eid, &mut raw) })?;
        // What is no address is the driver's fault.
        from_raw(&raw).map_err(|_| EIO)
    }

    /// Returns the MAC address of the device; errors as for [`eid_by_ip`](Self::eid_by_ip).
    pub(crate) fn smac(&self) -> Result<[u8; 6]> {
        let live = self.enter()?;
        let mut mac = [0; 6];
        // SAFETY: A registered device, and room for a MAC address.
        to_result(unsafe { b::ubcore_get_smac(live.as_ptr(), mac.as_mut_ptr()) })?;
        Ok(mac)
    }

    /// Finds the MAC address of a peer.
    ///
    /// # Errors
    ///
    /// `EIO` when the device is gone, `EOPNOTSUPP` when it does not resolve addresses, or the error
    /// of the driver.
    pub(crate) fn dmac(&self, addr: &NetAddr) -> Result<[u8; 6]> {
        let live = self.enter()?;
        let mut raw = to_raw(addr);
        let mut mac = [0; 6];
        // SAFETY: A registered device, memory of our own, and room for a MAC address.
        to_result(unsafe { b::ubcore_get_dmac(live.as_ptr(), &mut raw, mac.as_mut_ptr()) })?;
        Ok(mac)
    }
}
