// SPDX-License-Identifier: GPL-2.0

//! All devices and clients, and how they come and go.

use crate::{
    attrs,
    bindings_ub::{
        ubcore_device_cfg,
        UBCORE_RESERVED_JETTY_ID_MAX,
        UBCORE_RESERVED_JETTY_ID_MIN, //
    },
    c_api::{
        Attached,
        ClientPtr,
        DevicePtr, //
    },
    device::Device,
    logic::eid::Eid,
    state::Core,
    ub::common::FlagWord, //
};
use kernel::{
    new_mutex,
    prelude::*,
    sync::{
        aref::ARef,
        Mutex, //
    }, //
};

/// Bits of `union ubcore_device_cfg_mask`.
const MASK_RC: u32 = 0x3;
/// The bits of both ends of the range of reserved jetty ids.
const MASK_RESERVED_IDS: u32 = 0x3 << 11;
/// What the range is when the driver knows no reserved ids.
const NO_RESERVED_ID: u32 = u32::MAX;

/// Devices and clients.
#[pin_data]
pub(crate) struct Registry {
    /// The clients, in the order of registration. Held while devices and clients come and go, also
    /// across the callbacks of clients: these must not do either. Outermost lock.
    #[pin]
    clients: Mutex<KVec<ClientPtr>>,
    /// The devices that can be found; each entry has a reference. Held for short only.
    #[pin]
    devices: Mutex<KVec<ARef<Device>>>,
}

impl Registry {
    /// Makes an empty registry.
    pub(crate) fn new() -> impl PinInit<Self> {
        pin_init!(Self {
            clients <- new_mutex!(KVec::new(), "ubcore registry"),
            devices <- new_mutex!(KVec::new(), "ubcore devices"),
        })
    }

    /// Goes through the devices that can be found; stops when `f` returns something.
    pub(crate) fn find<R>(&self, mut f: impl FnMut(&ARef<Device>) -> Option<R>) -> Option<R> {
        let devices = self.devices.lock();
        let found = devices.iter().find_map(&mut f);
        found
    }

    /// Finds the device that has an EID; takes a reference.
    pub(crate) fn device_of(&self, eid: &Eid, transport: i32) -> Option<ARef<Device>> {
        self.find(|dev| {
            let found = dev.c().transport_type() == transport && dev.eids().has(eid);
            found.then(|| dev.clone())
        })
    }

    /// Adds a device to those that can be found; `EEXIST` if one of that name is there.
    fn insert(&self, dev: &Device) -> Result {
        let mut devices = self.devices.lock();
        if devices.iter().any(|other| other.name() == dev.name()) {
            return Err(EEXIST);
        }
        devices.push(dev.into(), GFP_KERNEL)?;
        Ok(())
    }

    /// Takes a device away from those that can be found.
    fn erase(&self, dev: &Device) {
        let mut devices = self.devices.lock();
        let place = devices
            .iter()
            .position(|other| core::ptr::eq(&**other, dev));
        let entry = place.and_then(|place| devices.remove(place).ok());
        // Given back when nobody waits for the lock.
        drop(devices);
        drop(entry);
    }
}

/// Asks the driver for the attributes; `false` if it cannot be asked.
fn query_attributes(c: DevicePtr) -> Result<bool> {
    match c.query_attr() {
        Some(attr) => {
            c.set_attr(attr?);
            Ok(true)
        }
        None => Ok(false),
    }
}

/// Tells the driver which jetty ids it may not choose, and how many connections to provide for.
fn configure(c: DevicePtr) -> Result {
    let (min, max) = (UBCORE_RESERVED_JETTY_ID_MIN, UBCORE_RESERVED_JETTY_ID_MAX);
    if set_reserved_ids(c, min, max).is_ok() {
        if !query_attributes(c).map_err(|_| EINVAL)? {
            c.set_reserved_ids(min, max);
        }
    } else {
        c.set_reserved_ids(NO_RESERVED_ID, NO_RESERVED_ID);
    }
    let attr = c.attr();
    let mut cfg = ubcore_device_cfg {
        ue_idx: attr.ue_idx,
        mask: FlagWord::from_word(MASK_RC),
        ..Default::default()
    };
    cfg.rc_cfg.rc_cnt = attr.dev_cap.max_rc;
    cfg.rc_cfg.depth = attr.dev_cap.max_rc_depth;
    c.config(&mut cfg).map_err(|_| EPERM)
}

/// Tells the driver which jetty ids it may not choose by itself.
pub(crate) fn set_reserved_ids(c: DevicePtr, min: u32, max: u32) -> Result {
    let mut cfg = ubcore_device_cfg {
        ue_idx: c.attr().ue_idx,
        mask: FlagWord::from_word(MASK_RESERVED_IDS),
        reserved_jetty_id_min: min,
        reserved_jetty_id_max: max,
        ..Default::default()
    };
    c.config(&mut cfg)
}

impl Core {
    /// Registers a device and tells all clients of it.
    ///
    /// # Errors
    ///
    /// `EINVAL` for a bad name or capability, or a driver that cannot be configured; `EEXIST` for a
    /// name in use, `EPERM` when the driver refuses its configuration, `ENOMEM`.
    pub(crate) fn register_device(&self, c: DevicePtr) -> Result {
        let registry = self.registry();
        let name = c.name()?;
        if !c.can_configure() || c.is_attached() {
            return Err(EINVAL);
        }
        let clients = registry.clients.lock();
        if registry
            .find(|other| (other.name() == &*name).then_some(()))
            .is_some()
        {
            return Err(EEXIST);
        }
        query_attributes(c).map_err(|_| EINVAL)?;
        configure(c)?;
        let dev = Attached::new(c, Device::new(c, name, self.next_serial()))?;
        attrs::publish(&dev, self.class())?;
        registry
            .insert(&dev)
            .inspect_err(|_| drop(attrs::unpublish(&dev)))?;
        dev.state().publish();
        for client in clients.iter() {
            // A client that does not want the device is not told of its end either.
            if let Err(error) = dev.tell_client(*client) {
                client.report_refusal(dev.name(), error);
            }
        }
        dev.keep();
        Ok(())
    }

    /// Takes a device away: from clients, then from sysfs. It ends when the result is dropped.
    ///
    /// `None` if somebody else does so already.
    pub(crate) fn withdraw_device(&self, dev: &Device) -> Option<()> {
        let registry = self.registry();
        if !dev.state().begin_remove() {
            return None;
        }
        let clients = registry.clients.lock();
        registry.erase(dev);
        for client in clients.iter().rev() {
            dev.untell_client(*client);
        }
        let entry = attrs::unpublish(dev);
        drop(clients);
        // Waits until the driver core has let go.
        drop(entry);
        dev.events().flush();
        self.requests().flush();
        self.links().purge(self, dev);
        dev.state().finish_remove();
        dev.report_leftovers();
        Some(())
    }

    /// Tells all clients of a device to stop posting.
    pub(crate) fn stop_requests(&self, dev: &Device) {
        let clients = self.registry().clients.lock();
        for client in clients.iter() {
            if let Some(data) = dev.contexts().data(*client) {
                client.stop(dev, data);
            }
        }
    }

    /// Adds a client, and tells it of all devices.
    pub(crate) fn register_client(&self, client: ClientPtr) -> Result {
        let registry = self.registry();
        let mut clients = registry.clients.lock();
        if clients.contains(&client) {
            return Err(EEXIST);
        }
        clients.push(client, GFP_KERNEL)?;
        // Devices neither come nor go while the registry's lock is held.
        let mut next = 0;
        while let Some(dev) = self.nth_device(next) {
            next += 1;
            if let Err(error) = dev.tell_client(client) {
                client.report_refusal(dev.name(), error);
            }
        }
        Ok(())
    }

    /// Removes a client, after it has been told to give up all devices.
    pub(crate) fn unregister_client(&self, client: ClientPtr) {
        let registry = self.registry();
        let mut clients = registry.clients.lock();
        if !clients.contains(&client) {
            return;
        }
        clients.retain(|known| *known != client);
        let mut next = 0;
        while let Some(dev) = self.nth_device(next) {
            next += 1;
            dev.untell_client(client);
        }
        drop(clients);
        // Its callbacks have returned when this has.
        self.requests().flush();
    }

    /// Returns a device by its place among those that can be found.
    fn nth_device(&self, n: usize) -> Option<ARef<Device>> {
        let devices = self.registry().devices.lock();
        let dev = devices.get(n).cloned();
        dev
    }
}
