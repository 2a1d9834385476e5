// SPDX-License-Identifier: GPL-2.0

//! The core's part of a device.
//!
//! There is one [`Device`] for each `struct ubcore_device` that is registered. It is counted by that
//! struct's `use_cnt`, and unregistering waits for the count to become zero.

use crate::{
    attrs::Shown,
    bindings_ub::ubcore_device_attr,
    c_api::{
        kinds::{
            Jetty,
            Jfc,
            Jfr,
            Jfs, //
        },
        CgroupMembership,
        ClientPtr,
        DevicePtr,
        HandlerPtr, //
    },
    client::ClientContexts,
    eids::Eids,
    event::EventQueue,
    kernel_ext::{
        embedded_device::EmbeddedDevice,
        rwsem::RwSemaphore, //
    },
    logic::{
        dev_state::{
            DevState,
            Phase, //
        },
        validate::Caps, //
    },
    table::IdTable,
};
use kernel::{
    new_mutex,
    prelude::*,
    str::CString,
    sync::Mutex, //
};

/// A registered device.
#[pin_data]
pub(crate) struct Device {
    /// The driver's part.
    c: DevicePtr,
    /// The name, as it was at registration.
    name: CString,
    /// Where the device is in its life.
    state: DevState,
    /// Tells this registration from all others.
    serial: u64,
    /// What creation requests are checked against.
    caps: Caps,
    #[pin]
    eids: Eids,
    #[pin]
    contexts: ClientContexts,
    /// Who gets the events, in the order of registration.
    #[pin]
    handlers: RwSemaphore<KVec<HandlerPtr>>,
    events: EventQueue,
    #[pin]
    jfcs: IdTable<Jfc>,
    #[pin]
    jfss: IdTable<Jfs>,
    #[pin]
    jfrs: IdTable<Jfr>,
    #[pin]
    jettys: IdTable<Jetty>,
    /// The entry in sysfs; `None` before and after.
    #[pin]
    sysfs: Mutex<Option<EmbeddedDevice<Shown>>>,
    _cgroup: CgroupMembership,
}

impl Device {
    /// Makes the core's part of a device whose attributes are complete.
    ///
    /// # Errors
    ///
    /// `EINVAL` for a bad size of the EID table, `ENOMEM`.
    pub(crate) fn new(c: DevicePtr, name: CString, serial: u64) -> impl PinInit<Self, Error> {
        let caps = caps_of(&c.attr());
        try_pin_init!(Self {
            c,
            state: DevState::new(),
            serial,
            caps,
            eids <- Eids::new(*c, caps.max_eid_cnt),
            contexts <- ClientContexts::new(),
            handlers <- new_rwsem!(KVec::new(), "ubcore_device::handlers"),
            events: EventQueue::new(&name)?,
            jfcs <- IdTable::new(),
            jfss <- IdTable::new(),
            jfrs <- IdTable::new(),
            jettys <- IdTable::new(),
            sysfs <- new_mutex!(None, "ubcore_device::sysfs"),
            _cgroup: CgroupMembership::new(*c),
            name,
        })
    }

    /// Returns the driver's part.
    #[inline]
    pub(crate) fn c(&self) -> DevicePtr {
        self.c
    }

    /// Returns the name.
    pub(crate) fn name(&self) -> &CStr {
        &self.name
    }

    /// Returns the number of this registration, which is not used again.
    pub(crate) fn serial(&self) -> u64 {
        self.serial
    }

    /// Returns what creation requests are checked against.
    pub(crate) fn caps(&self) -> &Caps {
        &self.caps
    }

    /// Returns where the device is in its life.
    pub(crate) fn state(&self) -> &DevState {
        &self.state
    }

    /// Checks that something new may be made on the device.
    ///
    /// Clients that are told of a device may do so, although it is not in service for others yet.
    ///
    /// # Errors
    ///
    /// `EIO` once removal has begun.
    pub(crate) fn check_creating(&self) -> Result {
        match self.state.phase() {
            Phase::Registering | Phase::Live => Ok(()),
            Phase::Removing | Phase::Gone => Err(EIO),
        }
    }

    /// Returns the EIDs.
    pub(crate) fn eids(&self) -> &Eids {
        &self.eids
    }

    /// Returns the size of the EID table.
    pub(crate) fn eid_capacity(&self) -> usize {
        // CAST: At most 1024.
        self.caps.max_eid_cnt as usize
    }

    /// Returns what clients keep here.
    pub(crate) fn contexts(&self) -> &ClientContexts {
        &self.contexts
    }

    /// Tells a client of the device; its context exists from before.
    pub(crate) fn tell_client(&self, client: ClientPtr) -> Result {
        self.contexts.add(client)?;
        client.add(self).inspect_err(|_| {
            self.contexts.remove(client);
        })
    }

    /// Tells a client that the device goes, if it knows of the device.
    pub(crate) fn untell_client(&self, client: ClientPtr) {
        if let Some(data) = self.contexts.data(client) {
            client.remove(self, data);
            self.contexts.remove(client);
        }
    }

    /// Returns who gets the events.
    pub(crate) fn handlers(&self) -> &RwSemaphore<KVec<HandlerPtr>> {
        &self.handlers
    }

    /// Returns the events that are to be delivered.
    pub(crate) fn events(&self) -> &EventQueue {
        &self.events
    }

    /// Returns the table of completion queues.
    pub(crate) fn jfcs(&self) -> &IdTable<Jfc> {
        &self.jfcs
    }

    /// Returns the table of send queues.
    pub(crate) fn jfss(&self) -> &IdTable<Jfs> {
        &self.jfss
    }

    /// Returns the table of receive queues.
    pub(crate) fn jfrs(&self) -> &IdTable<Jfr> {
        &self.jfrs
    }

    /// Returns the table of jettys.
    pub(crate) fn jettys(&self) -> &IdTable<Jetty> {
        &self.jettys
    }

    /// Returns the place of the entry in sysfs.
    pub(crate) fn sysfs(&self) -> &Mutex<Option<EmbeddedDevice<Shown>>> {
        &self.sysfs
    }

    /// Warns of objects that clients have left when the device goes.
    pub(crate) fn report_leftovers(&self) {
        let counts = [
            ("jfc", self.jfcs.count()),
            ("jfs", self.jfss.count()),
            ("jfr", self.jfrs.count()),
            ("jetty", self.jettys.count()),
        ];
        for (class, count) in counts.into_iter().filter(|(_, count)| *count != 0) {
            pr_warn!(
                "device {}: {count} of class {class} left behind\n",
                self.name()
            );
        }
    }
}

/// Takes the capabilities that checks depend on out of the attributes.
fn caps_of(attr: &ubcore_device_attr) -> Caps {
    let cap = &attr.dev_cap;
    Caps {
        trans_mode: cap.trans_mode.into(),
        max_jfc_depth: cap.max_jfc_depth,
        max_jfs_depth: cap.max_jfs_depth,
        max_jfr_depth: cap.max_jfr_depth,
        max_jfs_inline_size: cap.max_jfs_inline_size,
        max_jfs_sge: cap.max_jfs_sge,
        max_jfs_rsge: cap.max_jfs_rsge,
        max_jfr_sge: cap.max_jfr_sge,
        max_eid_cnt: cap.max_eid_cnt,
        max_jetty_in_group: cap.max_jetty_in_jetty_grp,
    }
}
