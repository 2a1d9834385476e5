// SPDX-License-Identifier: GPL-2.0

//! Devices: what each has, and how they come and go.

use crate::{
    counters::{
        Count,
        Kind as CountKind, //
    },
    group::JettyGroup,
    host::Host,
    jetty::{
        Jetty,
        Jfs, //
    },
    jfc::Jfc,
    jfr::Jfr,
    kernel_ext::{
        arc::Arc,
        handle_table::HandleTable,
        id_map::{
            IdMap,
            IdReservation,
            Linked, //
        }, //
    },
    logic::{
        eid::Eid,
        validate::device_name, //
    },
    queue::{
        full,
        MappableRing,
        RINGS_MAX, //
    },
    segment::{
        Segment,
        TokenId,
        MAX_TOKENS, //
    },
    target::{
        TargetObject,
        MAX_REF, //
    },
    tp::TpTable,
    ub::driver::{
        DeviceEvent,
        Registration,
        UbDevice, //
    },
    window::{
        self,
        Window, //
    }, //
};
use kernel::{
    new_mutex,
    prelude::*,
    sync::{
        atomic::{
            Atomic,
            Full,
            Relaxed, //
        },
        Mutex, //
    }, //
};

/// A device as ubcore knows it.
pub(crate) type Dev = UbDevice<Soft>;

/// Most objects of a kind on a device.
pub(crate) const MAX_OBJECTS: u32 = 65536;
/// Last jetty id that is only given on request; 0 means "choose".
pub(crate) const RESERVED_ID_MAX: u32 = 1023;
/// Ids that are chosen.
const FIRST_ID: u32 = RESERVED_ID_MAX + 1;
const LAST_ID: u32 = RESERVED_ID_MAX + MAX_OBJECTS;
/// Entries of the EID table.
pub(crate) const MAX_EIDS: usize = 16;

/// Data of a device. The tables own what is in them until it is destroyed.
#[pin_data]
pub(crate) struct Soft {
    pub(crate) host: Arc<Host>,
    /// Its key in [`Host::nodes`].
    pub(crate) node: u32,
    /// The EID that it got first.
    pub(crate) eid: Eid,
    /// The device is being removed: long copies end.
    leaving: Atomic<bool>,
    /// The port is down: nothing comes or goes but what stays on the device.
    port_down: Atomic<bool>,
    /// Anybody may have send queues polled by a thread.
    poll: Atomic<bool>,
    /// The EIDs by index. Held while the administrator changes them or the port, so that what is
    /// told of it comes in that order.
    #[pin]
    admin: Mutex<EidList>,
    #[pin]
    pub(crate) jfcs: IdMap<Jfc>,
    #[pin]
    pub(crate) jfss: IdMap<Jfs>,
    #[pin]
    pub(crate) jfrs: IdMap<Jfr>,
    #[pin]
    pub(crate) jettys: IdMap<Jetty>,
    #[pin]
    pub(crate) groups: IdMap<JettyGroup>,
    /// By token id.
    #[pin]
    pub(crate) segs: IdMap<Segment>,
    /// Imports of all contexts.
    #[pin]
    pub(crate) targets: IdMap<TargetObject>,
    #[pin]
    pub(crate) tokens: HandleTable<TokenId>,
    /// Rings that can be mapped, of all contexts.
    #[pin]
    pub(crate) rings: HandleTable<MappableRing>,
    /// Imported segments that can be mapped, of all contexts.
    #[pin]
    pub(crate) windows: HandleTable<Window>,
    #[pin]
    pub(crate) tps: TpTable,
}

impl Soft {
    /// Initialises a device without objects.
    fn new(host: &Arc<Host>, node: u32, eid: Eid) -> impl PinInit<Self, Error> + '_ {
        let reaper = || host.reaper.clone();
        let eids = core::array::from_fn(|index| (index == 0).then_some(eid));
        try_pin_init!(Self {
            host: host.clone(),
            node,
            eid,
            leaving: Atomic::new(false),
            port_down: Atomic::new(false),
            poll: Atomic::new(false),
            admin <- new_mutex!(eids, "Soft::admin"),
            jfcs <- new_id_map!(1..=MAX_OBJECTS, reaper()),
            jfss <- new_id_map!(FIRST_ID..=LAST_ID, reaper()),
            jfrs <- new_id_map!(FIRST_ID..=LAST_ID, reaper()),
            jettys <- new_id_map!(FIRST_ID..=LAST_ID, reaper()),
            groups <- new_id_map!(FIRST_ID..=LAST_ID, reaper()),
            segs <- new_id_map!(1..=MAX_TOKENS, reaper()),
            targets <- new_id_map!(1..=MAX_REF, reaper()),
            tokens <- new_handle_table!(1..=MAX_TOKENS),
            rings <- new_handle_table!(1..=RINGS_MAX),
            windows <- new_handle_table!(window::NUMBERS),
            tps <- TpTable::new(host.counters.clone()),
        })
    }

    /// Tells whether the device is being removed.
    #[inline]
    pub(crate) fn is_leaving(&self) -> bool {
        self.leaving.load(Relaxed)
    }

    /// Tells whether the port is down.
    #[inline]
    pub(crate) fn is_port_down(&self) -> bool {
        self.port_down.load(Relaxed)
    }

    /// Tells whether anybody may have send queues polled by a thread, not just the privileged.
    pub(crate) fn may_all_poll(&self) -> bool {
        self.poll.load(Relaxed)
    }

    /// Reserves the id that a user wants, or any if that is 0.
    ///
    /// # Errors
    ///
    /// `EEXIST` if it is taken, `EINVAL` if it is too large, `ENOSPC`, `ENOMEM`.
    pub(crate) fn reserve_id<'a, T: Linked>(
        &self,
        map: &'a IdMap<T>,
        wanted: u32,
    ) -> Result<IdReservation<'a, T>> {
        match wanted {
            0 => map.reserve().map_err(full),
            1..=LAST_ID => map
                .reserve_exact(wanted)
                .map_err(|e| if e == EBUSY { EEXIST } else { e }),
            _ => Err(EINVAL),
        }
    }
}

/// The EIDs of a device, by index; changed by its administrator.
pub(crate) type EidList = [Option<Eid>; MAX_EIDS];

/// Number of the only port.
const PORT: u32 = 0;

/// A device that exists; drop removes it.
pub(crate) struct Device {
    registration: Registration<Soft>,
    _count: Count,
}

impl Device {
    /// Makes a device with an EID of its own.
    ///
    /// # Errors
    ///
    /// `EINVAL` for a bad name, `EEXIST` for one that is taken, `ENOMEM`.
    pub(crate) fn new(host: &Arc<Host>, name: &CStr) -> Result<Self> {
        let bytes = name.to_bytes();
        device_name(name.to_bytes_with_nul())?;
        // User space treats such names in a way of its own.
        if bytes.starts_with(b"bonding_dev") {
            return Err(EINVAL);
        }
        let reservation = host.nodes.reserve().map_err(full)?;
        let eid = host.new_eid();
        let dev = Dev::new(name, Soft::new(host, reservation.id(), eid))?;
        let registration = Registration::new(dev.clone())?;
        registration.add_eid(0, eid.into_bytes())?;
        reservation.publish(dev);
        Ok(Self {
            registration,
            _count: Count::one(&host.counters, CountKind::Devices),
        })
    }

    /// Returns the EID that it got first.
    pub(crate) fn eid(&self) -> Eid {
        self.registration.device().eid
    }

    /// Returns its EIDs.
    pub(crate) fn eids(&self) -> EidList {
        *self.registration.device().admin.lock()
    }

    /// Gives it another EID, at the first free index.
    ///
    /// # Errors
    ///
    /// `EINVAL` for zeros, `EEXIST` for one that a device of this host has, `ENOSPC` when it has as
    /// many as there may be.
    pub(crate) fn add_eid(&self, eid: Eid) -> Result {
        let dev = self.registration.device();
        let mut eids = dev.admin.lock();
        if eids.contains(&Some(eid)) || dev.host.find(&eid).is_some() {
            return Err(EEXIST);
        }
        let index = eids.iter().position(Option::is_none).ok_or(ENOSPC)?;
        // CAST: A small number.
        self.registration.add_eid(index as u32, eid.into_bytes())?;
        if let Some(slot) = eids.get_mut(index) {
            *slot = Some(eid);
        }
        Ok(())
    }

    /// Takes an EID away. Contexts that have it stay, but are not found by it any more.
    ///
    /// # Errors
    ///
    /// `ENOENT` for an index without one, `EBUSY` for the first one, which names the device.
    pub(crate) fn remove_eid(&self, index: usize) -> Result {
        let dev = self.registration.device();
        let mut eids = dev.admin.lock();
        let slot = eids.get_mut(index).ok_or(ENOENT)?;
        if slot.is_none() {
            return Err(ENOENT);
        }
        if index == 0 {
            return Err(EBUSY);
        }
        // CAST: A small number.
        self.registration.remove_eid(index as u32)?;
        *slot = None;
        Ok(())
    }

    /// Tells whether the port is down.
    pub(crate) fn is_port_down(&self) -> bool {
        self.registration.device().is_port_down()
    }

    /// Tells whether anybody may have send queues polled by a thread.
    pub(crate) fn may_all_poll(&self) -> bool {
        self.registration.device().may_all_poll()
    }

    /// Sets whether anybody may; queues that are there stay as they are.
    pub(crate) fn let_all_poll(&self, on: bool) {
        self.registration.device().poll.store(on, Relaxed);
    }

    /// Takes the port down or up, and tells who wants to know if that is a change.
    pub(crate) fn set_port_down(&self, down: bool) {
        let dev = self.registration.device();
        let _order = dev.admin.lock();
        if dev.port_down.xchg(down, Full) != down {
            self.registration.report(if down {
                DeviceEvent::PortDown(PORT)
            } else {
                DeviceEvent::PortActive(PORT)
            });
        }
    }
}

impl Drop for Device {
    fn drop(&mut self) {
        // Peers do not find it any more. Then the registration goes, and with it all objects.
        let dev = self.registration.device();
        dev.host.nodes.withdraw(dev.node);
        // Who ends the files and clients waits for what is under way there.
        dev.leaving.store(true, Relaxed);
    }
}
