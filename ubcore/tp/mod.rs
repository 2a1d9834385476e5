// SPDX-License-Identifier: GPL-2.0

//! Transport paths of imports and bindings.
//!
//! A driver owns transport paths and names them by handles. The core chooses one for whoever does
//! not care, shares it among imports of the same peer, tells the driver when it comes into use and
//! goes out of use, and lets both ends of a reliable path know each other.
//!
//! [`Connection`] is the use of a path. [`tables`] knows all uses, [`offers`] what was listed for
//! whom, [`host`] carries out what `logic::tp_connect` decides, [`exchange`] is the way to the other
//! end.

mod exchange;
mod host;
mod offers;
mod tables;

use crate::{
    c_api::Active,
    device::Device,
    logic::{
        eid::Eid,
        tp::{
            TpCfg,
            TpHandle,
            TpidOwner, //
        },
        tp_connect,
        tp_reuse::ActiveTp,
        types::TransMode, //
    },
    state::Core,
};
use host::Host;
use kernel::{
    new_mutex,
    prelude::*,
    sync::{
        aref::ARef,
        Mutex, //
    }, //
};
use offers::{
    Exchange,
    Offer, //
};
use tables::{
    EntryId,
    Tables, //
};

pub(crate) use tables::Sharing;

/// For whom paths are listed: a context, by its address, or kernel clients.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Holder(usize);

impl Holder {
    /// Kernel clients.
    pub(crate) const KERNEL: Self = Self(0);

    /// The context at an address; a null pointer stands for kernel clients.
    pub(crate) fn new(uctx: usize) -> Self {
        Self(uctx)
    }

    /// Tells whether it is a context.
    pub(crate) fn is_user(self) -> bool {
        self != Self::KERNEL
    }
}

/// The transport paths in use, of all devices.
#[pin_data]
pub(crate) struct Links {
    /// Held while a path is set up or taken down, also across the driver's operations for that,
    /// which do not access user memory. One lock for all devices of the host, so that the ends of
    /// a path within the host change together. An exchange with another host will have to release
    /// it while it waits.
    #[pin]
    tables: Mutex<Tables>,
}

impl Links {
    /// Makes tables without paths.
    pub(crate) fn new() -> impl PinInit<Self> {
        pin_init!(Self {
            tables <- new_mutex!(Tables::new(), "ubcore transport paths"),
        })
    }

    /// Takes down what peers still use of a device that goes, and forgets what was listed.
    pub(crate) fn purge(&self, core: &Core, dev: &Device) {
        let mut tables = self.tables.lock();
        withdraw(core, dev, &mut tables, None);
        tables.purge(dev, None);
    }

    /// Takes down what peers use of an EID that a device loses: they do not find it any more.
    pub(crate) fn forget_eid(&self, dev: &Device, eid: &Eid) {
        self.tables.lock().purge(dev, Some(eid));
    }

    /// Refuses a context for which too many paths were listed already: `ENOSPC`.
    pub(crate) fn check_room(&self, dev: &Device, holder: Holder) -> Result {
        if self.tables.lock().offers.is_full(dev, holder) {
            Err(ENOSPC)
        } else {
            Ok(())
        }
    }

    /// Notes that paths were listed for somebody; `ENOMEM`, and then some may be noted.
    pub(crate) fn offer(
        &self,
        dev: &Device,
        holder: Holder,
        cfg: &TpCfg,
        handles: impl Iterator<Item = TpHandle>,
    ) -> Result {
        let mut tables = self.tables.lock();
        for handle in handles {
            tables.offers.add(dev, holder, handle, cfg)?;
        }
        Ok(())
    }

    /// Checks that a path was listed for a user, and leads to where it is to be used. Kernel clients
    /// are trusted.
    ///
    /// # Errors
    ///
    /// `ENOENT` for a path that was not listed, `EINVAL` for one that leads elsewhere.
    pub(crate) fn check_offer(
        &self,
        dev: &Device,
        holder: Holder,
        handle: TpHandle,
        ends: Option<&Ends>,
    ) -> Result {
        let mut tables = self.tables.lock();
        find_offer(dev, &mut tables, holder, handle, ends).map(|_| ())
    }

    /// A context goes: forgets what was listed for it, and tells the peers of paths that were not
    /// used.
    pub(crate) fn withdraw(&self, core: &Core, dev: &Device, holder: Holder) {
        if holder.is_user() {
            withdraw(core, dev, &mut self.tables.lock(), Some(holder));
        }
    }

    /// Tells the peer about a path that was listed for somebody, and returns the path as both ends
    /// know it now. Until then it is out of service.
    ///
    /// Whoever uses the path afterwards keeps what the peer has for it; otherwise that lasts as long
    /// as the offer.
    ///
    /// # Errors
    ///
    /// `ENOENT` for a path that was not listed with the same configuration, `EINVAL` for a kind of
    /// path about which nothing is exchanged, and if those who share have another one;
    /// `EHOSTUNREACH` if the peer cannot be asked, `ENOSPC` if it has no path; the driver's.
    pub(crate) fn exchange(
        &self,
        core: &Core,
        dev: &Device,
        (cfg, sharing): (&TpCfg, Sharing),
        own: ActiveTp,
        holder: Holder,
    ) -> Result<ActiveTp> {
        let mut tables = self.tables.lock();
        let offer = tables.offers.get(dev, holder, own.handle);
        let offer = *offer.filter(|offer| offer.cfg == *cfg).ok_or(ENOENT)?;
        if !cfg.needs_exchange() {
            return Err(EINVAL);
        }
        if cfg.is_loopback() {
            return Ok(ActiveTp {
                peer_handle: own.handle,
                rx_psn: own.tx_psn,
                ..own
            });
        }
        if let Some(held) = offer.exchange.filter(|exchange| exchange.held) {
            let entry = tables.entry(&held.entry).ok_or(EIO)?;
            return Ok(entry.active());
        }
        if !exchange::is_reachable(core, dev, cfg) {
            return Err(EHOSTUNREACH);
        }
        let mut host = Host::new(core, dev, &mut tables, sharing).over(own);
        let connected = tp_connect::connect(&mut host, cfg, sharing.key())?;
        let (both, entry) = (connected.target, connected.entry);
        // It is there still: the lock was held.
        if let Some(offer) = tables.offers.get(dev, holder, own.handle) {
            offer.exchange = Some(Exchange {
                sharing,
                entry,
                held: true,
            });
        }
        Ok(both)
    }
}

/// Forgets what was listed of a device, for `holder` only if that is given.
fn withdraw(core: &Core, dev: &Device, tables: &mut Tables, holder: Option<Holder>) {
    while let Some(offer) = tables.offers.pop(dev, holder) {
        if let Some(held) = offer.exchange.filter(|exchange| exchange.held) {
            let mut host = Host::new(core, dev, tables, held.sharing);
            tp_connect::disconnect(&mut host, &offer.cfg, &held.entry);
        }
    }
}

/// Finds what was listed for a user; `None` for kernel clients, which need no offer.
fn find_offer(
    dev: &Device,
    tables: &mut Tables,
    holder: Holder,
    handle: TpHandle,
    ends: Option<&Ends>,
) -> Result<Option<Offer>> {
    let offer = tables.offers.get(dev, holder, handle).copied();
    match offer {
        Some(offer) if ends.is_some_and(|ends| !offer.fits(ends)) => Err(EINVAL),
        None if holder.is_user() => Err(ENOENT),
        offer => Ok(offer),
    }
}

/// Where a path leads.
#[derive(Clone, Copy)]
pub(crate) struct Ends {
    /// EID of this side.
    pub(crate) local: Eid,
    /// EID of the other side.
    pub(crate) peer: Eid,
    /// Transport mode.
    pub(crate) mode: TransMode,
}

/// A path that a caller chose.
pub(crate) struct Chosen {
    /// The path, as drivers are told of it.
    pub(crate) active: Active,
    /// For whom it was listed.
    pub(crate) holder: Holder,
    /// Where it is to lead.
    pub(crate) ends: Ends,
    /// It is for one use alone.
    pub(crate) exclusive: bool,
}

/// A path that the core chose.
struct Shared {
    /// What it was to be like.
    cfg: TpCfg,
    sharing: Sharing,
    entry: EntryId,
}

/// The use of a transport path; ends when it is dropped.
pub(crate) struct Connection {
    core: &'static Core,
    dev: ARef<Device>,
    active: Active,
    /// A path that the core chose, or what was exchanged about one that the caller chose.
    shared: Option<Shared>,
    /// The caller chose the path.
    explicit: bool,
}

impl Connection {
    /// Uses a path that the core chooses, or shares one.
    ///
    /// # Errors
    ///
    /// `ENOSPC` when the driver has no path; the driver's.
    pub(crate) fn shared(
        core: &'static Core,
        dev: &Device,
        cfg: TpCfg,
        sharing: Sharing,
    ) -> Result<Self> {
        let mut tables = core.links().tables.lock();
        let mut host = Host::new(core, dev, &mut tables, sharing);
        let connected = tp_connect::connect(&mut host, &cfg, sharing.key())?;
        Ok(Self {
            core,
            dev: dev.into(),
            active: Active {
                tp: connected.target,
                tag: 0,
            },
            shared: Some(Shared {
                cfg,
                sharing,
                entry: connected.entry,
            }),
            explicit: false,
        })
    }

    /// Uses a path that the caller chose.
    ///
    /// # Errors
    ///
    /// `ENOENT` for a path that was not listed for a user, `EINVAL` for one that leads elsewhere,
    /// `EBUSY` for an exclusive one in use; the driver's.
    pub(crate) fn explicit(core: &'static Core, dev: &Device, chosen: Chosen) -> Result<Self> {
        let Chosen {
            active,
            holder,
            ends,
            exclusive,
        } = chosen;
        let handle = active.tp.handle;
        let mut tables = core.links().tables.lock();
        let offer = find_offer(dev, &mut tables, holder, handle, Some(&ends))?;
        let exchange = offer.and_then(|offer| Some((offer.cfg, offer.exchange?)));
        // What was exchanged about it is no use of its own.
        let own_use = exchange.is_some_and(|(_, exchange)| tables.entry(&exchange.entry).is_some());
        if exclusive && tables.users(dev, handle) > u32::from(own_use) {
            return Err(EBUSY);
        }
        tables.join(dev, handle, TpidOwner::Aware)?;
        if let Err(error) = tables.activate(dev, active) {
            tables.leave(dev, handle);
            return Err(error);
        }
        let shared = match exchange {
            Some((cfg, exchange)) => {
                take_over(core, dev, &mut tables, (holder, handle), (cfg, exchange))
            }
            None => None,
        };
        Ok(Self {
            core,
            dev: dev.into(),
            active,
            shared,
            explicit: true,
        })
    }

    /// Returns the path, as drivers are told of it.
    pub(crate) fn active(&self) -> Active {
        self.active
    }

    /// Returns the number of the path that users see.
    pub(crate) fn number(&self) -> u32 {
        self.active.tp.handle.tpid()
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        let mut tables = self.core.links().tables.lock();
        if self.explicit {
            tables.leave(&self.dev, self.active.tp.handle);
        }
        if let Some(shared) = &self.shared {
            let mut host = Host::new(self.core, &self.dev, &mut tables, shared.sharing);
            tp_connect::disconnect(&mut host, &shared.cfg, &shared.entry);
        }
    }
}

/// Lets a new use of a path keep what was exchanged about it: takes it over from the offer, or
/// shares it with those who did so before; `None` if it has ended.
fn take_over(
    core: &Core,
    dev: &Device,
    tables: &mut Tables,
    (holder, handle): (Holder, TpHandle),
    (cfg, exchange): (TpCfg, Exchange),
) -> Option<Shared> {
    let sharing = exchange.sharing;
    if exchange.held {
        if let Some(moved) = tables
            .offers
            .get(dev, holder, handle)
            .and_then(|offer| offer.exchange.as_mut())
        {
            moved.held = false;
        }
    } else {
        let chosen = tables.entry(&exchange.entry)?.active();
        let mut host = Host::new(core, dev, tables, sharing).over(chosen);
        // Without it the path works all the same, as long as others keep it.
        tp_connect::connect(&mut host, &cfg, sharing.key()).ok()?;
    }
    Some(Shared {
        cfg,
        sharing,
        entry: exchange.entry,
    })
}
