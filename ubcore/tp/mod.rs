// SPDX-License-Identifier: GPL-2.0

//! Transport paths of imports and bindings.
//!
//! A driver owns transport paths and names them by handles. The core chooses one for whoever does
//! not care, shares it among imports of the same peer, tells the driver when it comes into use and
//! goes out of use, and lets both ends of a reliable path know each other.
//!
//! [`Connection`] is the use of a path. [`tables`] knows all uses, [`host`] carries out what
//! `logic::tp_connect` decides, [`exchange`] is the way to the other end.

mod exchange;
mod host;
mod tables;

use crate::{
    c_api::Active,
    device::Device,
    logic::{
        tp::{
            TpCfg,
            TpidOwner, //
        },
        tp_connect, //
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
use tables::{
    EntryId,
    Tables, //
};

pub(crate) use tables::Sharing;

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

    /// Takes down what peers still use of a device that goes.
    pub(crate) fn purge(&self, dev: &Device) {
        self.tables.lock().purge(dev);
    }
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
    /// `None` for a path that the caller chose.
    shared: Option<Shared>,
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
        })
    }

    /// Uses a path that the caller chose.
    ///
    /// # Errors
    ///
    /// The driver's.
    pub(crate) fn explicit(core: &'static Core, dev: &Device, active: Active) -> Result<Self> {
        let mut tables = core.links().tables.lock();
        tables.join(dev, active.tp.handle, TpidOwner::Aware)?;
        if let Err(error) = tables.activate(dev, active) {
            tables.leave(dev, active.tp.handle);
            return Err(error);
        }
        Ok(Self {
            core,
            dev: dev.into(),
            active,
            shared: None,
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
        match &self.shared {
            Some(shared) => {
                let mut host = Host::new(self.core, &self.dev, &mut tables, shared.sharing);
                tp_connect::disconnect(&mut host, &shared.cfg, &shared.entry);
            }
            None => tables.leave(&self.dev, self.active.tp.handle),
        }
    }
}
