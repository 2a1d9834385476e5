// SPDX-License-Identifier: GPL-2.0

//! The way to the core that has the other end of a reliable path.
//!
//! Both ends must know each other's handle and first packet number before they come into service.

use super::tables::{
    Sharing,
    Tables, //
};
use crate::{
    device::Device,
    logic::{
        tp::{
            TpCfg,
            TpHandle, //
        },
        tp_reuse::ActiveTp,
    },
    state::Core,
};
use kernel::{
    prelude::*,
    sync::aref::ARef, //
};

/// A way to the other end. All arguments are as this end knows them.
pub(super) trait PeerExchange {
    /// Asks the peer for its end of a path; returns its handle and first packet number.
    fn connect(
        &self,
        tables: &mut Tables,
        cfg: &TpCfg,
        sharing: &Sharing,
        own: &ActiveTp,
    ) -> Result<(TpHandle, u32)>;

    /// Tells the peer that this end is in use again.
    fn in_use(&self, tables: &mut Tables, sharing: &Sharing);

    /// Tells the peer that this end is not in use any more.
    fn unused(&self, tables: &mut Tables, sharing: &Sharing);
}

/// A peer on a device of this host.
struct SameHost(ARef<Device>);

impl PeerExchange for SameHost {
    fn connect(
        &self,
        tables: &mut Tables,
        cfg: &TpCfg,
        sharing: &Sharing,
        own: &ActiveTp,
    ) -> Result<(TpHandle, u32)> {
        let cfg = TpCfg {
            local: cfg.peer,
            peer: cfg.local,
            ..*cfg
        };
        tables.accept(&self.0, &cfg, &sharing.mirrored(), own)
    }

    fn in_use(&self, tables: &mut Tables, sharing: &Sharing) {
        tables.peer_in_use(&self.0, &sharing.mirrored());
    }

    fn unused(&self, tables: &mut Tables, sharing: &Sharing) {
        tables.peer_unused(&self.0, &sharing.mirrored());
    }
}

/// A peer that cannot be asked.
///
/// The driver has offered a path to it nevertheless, so it must know what to do with it.
struct Unknown;

impl PeerExchange for Unknown {
    fn connect(
        &self,
        _tables: &mut Tables,
        _cfg: &TpCfg,
        _sharing: &Sharing,
        _own: &ActiveTp,
    ) -> Result<(TpHandle, u32)> {
        Ok((TpHandle::default(), 0))
    }

    fn in_use(&self, _tables: &mut Tables, _sharing: &Sharing) {}

    fn unused(&self, _tables: &mut Tables, _sharing: &Sharing) {}
}

/// Tells whether there is a way to the other end of a path of a device.
pub(super) fn is_reachable(core: &Core, dev: &Device, cfg: &TpCfg) -> bool {
    core.registry()
        .device_of(&cfg.peer, dev.c().transport_type())
        .is_some()
}

/// Runs `f` with the way to the other end of a path of a device.
pub(super) fn with_route<R>(
    core: &Core,
    dev: &Device,
    cfg: &TpCfg,
    f: impl FnOnce(&dyn PeerExchange) -> R,
) -> R {
    match core
        .registry()
        .device_of(&cfg.peer, dev.c().transport_type())
    {
        Some(peer) => f(&SameHost(peer)),
        None => f(&Unknown),
    }
}
