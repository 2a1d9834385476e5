// SPDX-License-Identifier: GPL-2.0

//! The effects of connecting, on this host.

use super::{
    exchange::with_route,
    tables::{
        EntryId,
        Sharing,
        Tables, //
    },
};
use crate::{
    c_api::Active,
    device::Device,
    kernel_ext::random,
    logic::{
        tp::{
            TpCfg,
            TpHandle,
            TpidOwner, //
        },
        tp_connect::{
            Claim,
            ConnectOps, //
        },
        tp_reuse::{
            ActiveTp,
            ReuseEntry,
            ReuseKey, //
        },
    },
    state::Core,
};
use kernel::prelude::*;

/// One end of a path on this host, with the lock of all paths held.
pub(super) struct Host<'a> {
    core: &'a Core,
    dev: &'a Device,
    tables: &'a mut Tables,
    /// What the path is shared by, as this end knows it.
    sharing: Sharing,
    /// The path that somebody chose; otherwise the core does.
    chosen: Option<ActiveTp>,
}

impl<'a> Host<'a> {
    /// Makes the end of a path on a device.
    pub(super) fn new(
        core: &'a Core,
        dev: &'a Device,
        tables: &'a mut Tables,
        sharing: Sharing,
    ) -> Self {
        Self {
            core,
            dev,
            tables,
            sharing,
            chosen: None,
        }
    }

    /// The same, with a path that somebody chose: its handle and first packet number.
    pub(super) fn over(self, chosen: ActiveTp) -> Self {
        Self {
            chosen: Some(chosen),
            ..self
        }
    }
}

impl ConnectOps for Host<'_> {
    type Entry = EntryId;
    /// The driver is not called here, for it may access user memory: the caller does so, with this,
    /// when the lock is released.
    type Target = ActiveTp;

    fn claim(&mut self, _key: &ReuseKey) -> Result<Claim<EntryId>> {
        let id = EntryId::new(self.dev, &self.sharing);
        if self.tables.entry(&id).is_some() {
            return Ok(Claim::Found(id));
        }
        let tx_psn = self.chosen.map_or_else(random::u32, |tp| tp.tx_psn);
        self.tables.insert(id, ReuseEntry::for_local(tx_psn))?;
        Ok(Claim::Inserted(id))
    }

    fn update<R>(&mut self, entry: &EntryId, f: impl FnOnce(&mut ReuseEntry) -> R) -> R {
        match self.tables.entry(entry) {
            Some(entry) => f(entry),
            // Not reached: entries with local uses stay in the table.
            None => f(&mut ReuseEntry::for_local(0)),
        }
    }

    fn wait_settled(&mut self, _entry: &EntryId) -> Result {
        // Under the lock nobody sees an entry that is being set up.
        Ok(())
    }

    fn remove(&mut self, entry: &EntryId) {
        self.tables.remove(entry);
    }

    fn allocate(&mut self, cfg: &TpCfg) -> Result<TpHandle> {
        let Some(chosen) = self.chosen else {
            return self.tables.allocate(self.dev, cfg, &self.sharing);
        };
        self.tables
            .join(self.dev, chosen.handle, TpidOwner::Aware)?;
        Ok(chosen.handle)
    }

    fn free(&mut self, handle: TpHandle) {
        self.tables.leave(self.dev, handle);
    }

    fn exchange(&mut self, cfg: &TpCfg, own: &ActiveTp) -> Result<(TpHandle, u32)> {
        let (sharing, tables) = (&self.sharing, &mut *self.tables);
        with_route(self.core, self.dev, cfg, |peer| {
            peer.connect(tables, cfg, sharing, own)
        })
    }

    fn tell_in_use(&mut self, cfg: &TpCfg) {
        let (sharing, tables) = (&self.sharing, &mut *self.tables);
        with_route(self.core, self.dev, cfg, |peer| {
            peer.in_use(tables, sharing)
        });
    }

    fn tell_unused(&mut self, cfg: &TpCfg) {
        let (sharing, tables) = (&self.sharing, &mut *self.tables);
        with_route(self.core, self.dev, cfg, |peer| {
            peer.unused(tables, sharing)
        });
    }

    fn activate(&mut self, active: &ActiveTp) -> Result {
        self.tables.activate(
            self.dev,
            Active {
                tp: *active,
                tag: 0,
            },
        )
    }

    fn deactivate(&mut self, _active: &ActiveTp) {
        // `free()` does so, when there is no other use of the path.
    }

    fn attach(&mut self, active: &ActiveTp) -> Result<ActiveTp> {
        // Those who share have a path already, which may be another one.
        if self.chosen.is_some_and(|tp| tp.handle != active.handle) {
            return Err(EINVAL);
        }
        Ok(*active)
    }
}
