// SPDX-License-Identifier: GPL-2.0

//! The EID table of a device.
//!
//! An EID keeps its index while it is valid. The table that C clients read is a mirror of this one.

use crate::{
    c_api::{
        core_state,
        DevicePtr,
        Event,
        User, //
    },
    device::Device,
    kernel_ext::{
        netns::NetId,
        spin::HotSpinLock, //
    },
    logic::eid::{
        Eid,
        EidTable, //
    },
};
use kernel::prelude::*;

/// The EIDs of a device.
#[pin_data]
pub(crate) struct Eids {
    /// The entries, with the network namespace that may use each. Outer lock of that of the mirror.
    #[pin]
    table: HotSpinLock<EidTable<NetId>>,
    c: DevicePtr,
}

impl Eids {
    /// Makes an empty table; `EINVAL` unless it has 1 to 1024 entries.
    pub(crate) fn new(c: DevicePtr, capacity: u32) -> impl PinInit<Self, Error> {
        try_pin_init!(Self {
            // CAST: From 32 to 64 bits.
            table <- new_hot_spinlock!(EidTable::new(capacity as usize, GFP_KERNEL)?, "ubcore EIDs"),
            c,
        })
    }

    /// Adds an EID.
    ///
    /// # Errors
    ///
    /// `EINVAL` for the zero EID or an index outside of the table, `EEXIST` for one that is there
    /// or an index in use.
    fn add(&self, index: u32, eid: Eid) -> Result {
        let mut table = self.table.lock();
        table.add_at(index, eid, NetId::init())?;
        self.c.mirror_eid(index, Some(&eid));
        Ok(())
    }

    /// Removes the EID at an index, and returns it; `EINVAL` outside of the table, `ENOENT` if there
    /// is none.
    fn remove(&self, index: u32) -> Result<Eid> {
        let mut table = self.table.lock();
        let (eid, _) = table.remove_at(index)?;
        self.c.mirror_eid(index, None);
        Ok(eid)
    }

    /// Returns the valid EID at an index.
    pub(crate) fn get(&self, index: u32) -> Option<Eid> {
        self.table.lock().get(index).map(|(eid, _)| *eid)
    }

    /// Returns the valid EID at an index, if the namespace may use it.
    pub(crate) fn get_in(&self, index: u32, net: NetId) -> Option<Eid> {
        let table = self.table.lock();
        table
            .get(index)
            .filter(|(_, owner)| **owner == net)
            .map(|(eid, _)| *eid)
    }

    /// Tells whether the device has an EID.
    pub(crate) fn has(&self, eid: &Eid) -> bool {
        self.table.lock().find(eid).is_some()
    }

    /// Lists the valid EIDs that a namespace may use.
    pub(crate) fn list(&self, net: NetId, mut put: impl FnMut(u32, Eid)) {
        let table = self.table.lock();
        for (index, eid, owner) in table.iter() {
            if *owner == net {
                put(index, *eid);
            }
        }
    }
}

impl Device {
    /// Returns the local EID of a new object.
    ///
    /// # Errors
    ///
    /// `EINVAL` for an index without an EID, and for another EID than that of a user's context.
    pub(crate) fn local_eid(&self, index: u32, user: User<'_>) -> Result<Eid> {
        if user.uctx().is_some_and(|uctx| uctx.eid_index() != index) {
            return Err(EINVAL);
        }
        self.eids().get(index).ok_or(EINVAL)
    }

    /// Gives the device an EID, and tells who wants to know.
    pub(crate) fn add_eid(&self, index: u32, eid: Eid) -> Result {
        self.eids().add(index, eid)?;
        self.announce_eid(index);
        Ok(())
    }

    /// Takes an EID away from the device, and tells who wants to know.
    pub(crate) fn remove_eid(&self, index: u32) -> Result {
        let eid = self.eids().remove(index)?;
        core_state()?.links().forget_eid(self, &eid);
        self.announce_eid(index);
        Ok(())
    }

    /// Reports that an entry of the table has changed.
    fn announce_eid(&self, index: u32) {
        if self.dispatch(Event::eid_change(self, index)).is_err() {
            pr_warn_ratelimited!("device {}: lost a change of EID {index}\n", self.name());
        }
    }
}
