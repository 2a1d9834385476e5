// SPDX-License-Identifier: GPL-2.0

//! What is in use of the transport paths of all devices.

use crate::{
    c_api::{
        core_state,
        Active, //
    },
    counters::Class,
    device::Device,
    kernel_ext::random,
    logic::{
        eid::Eid,
        tp::{
            DriverCall,
            TpCfg,
            TpHandle,
            Tpid,
            TpidOwner,
            TpidRequest,
            TpidState, //
        },
        tp_reuse::{
            ActiveTp,
            ReuseEntry,
            ReuseKey, //
        },
        types::TransMode, //
    },
    tp::offers::Offers,
};
use kernel::{
    prelude::*,
    rbtree::RBTree, //
};

/// Most paths that a driver is asked for at a time.
const MAX_LIST: u32 = 4096;

/// What the uses of a shared path have in common, as one end knows it.
#[derive(Clone, Copy)]
pub(crate) struct Sharing {
    key: ReuseKey,
    /// Tag of this side.
    stag: u64,
    /// Tag of the other side.
    dtag: u64,
}

impl Sharing {
    /// A path that is shared by uses with the same tags, or that the tags make unique.
    pub(crate) fn new(cfg: &TpCfg, shared: bool, stag: u64, dtag: u64) -> Self {
        Self {
            key: ReuseKey::new(cfg, shared, stag, dtag),
            stag,
            dtag,
        }
    }

    /// The same as the other end knows it.
    pub(super) fn mirrored(self) -> Self {
        Self {
            key: self.key.mirrored(),
            stag: self.dtag,
            dtag: self.stag,
        }
    }

    /// Returns the key in the table.
    pub(super) fn key(&self) -> &ReuseKey {
        &self.key
    }
}

/// Names a shared path: a device, and what the sharing imports have in common.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct EntryId {
    /// The device's number.
    serial: u64,
    key: ReuseKey,
}

impl EntryId {
    /// Names a shared path of a device.
    pub(super) fn new(dev: &Device, sharing: &Sharing) -> Self {
        Self {
            serial: dev.serial(),
            key: sharing.key,
        }
    }
}

/// Names a path: a device and a handle of its driver.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct PathId {
    serial: u64,
    handle: TpHandle,
}

/// A path in use.
struct Path {
    tpid: Tpid,
    users: u32,
}

/// Tells a driver that a path that it listed for the core will not be used. What the driver makes of
/// that is its own business.
fn forget(dev: &Device, handle: TpHandle) {
    let _ = dev.driver_deactive_tp(handle);
}

/// All paths in use.
pub(super) struct Tables {
    /// Paths that the core chose, by what they are shared by.
    entries: RBTree<EntryId, ReuseEntry>,
    /// All paths.
    paths: RBTree<PathId, Path>,
    /// Paths that were listed for somebody.
    pub(super) offers: Offers,
}

impl Tables {
    /// Makes empty tables.
    pub(super) fn new() -> Self {
        Self {
            entries: RBTree::new(),
            paths: RBTree::new(),
            offers: Offers::new(),
        }
    }

    /// Finds a shared path.
    pub(super) fn entry(&mut self, id: &EntryId) -> Option<&mut ReuseEntry> {
        self.entries.get_mut(id)
    }

    /// Adds a shared path.
    pub(super) fn insert(&mut self, id: EntryId, entry: ReuseEntry) -> Result {
        self.entries.try_create_and_insert(id, entry, GFP_KERNEL)?;
        Ok(())
    }

    /// Removes a shared path.
    pub(super) fn remove(&mut self, id: &EntryId) {
        self.entries.remove(id);
    }

    /// Returns how many uses a path has.
    pub(super) fn users(&self, dev: &Device, handle: TpHandle) -> u32 {
        let id = PathId {
            serial: dev.serial(),
            handle,
        };
        self.paths.get(&id).map_or(0, |path| path.users)
    }

    /// Begins to use a path.
    pub(super) fn join(&mut self, dev: &Device, handle: TpHandle, owner: TpidOwner) -> Result {
        let id = PathId {
            serial: dev.serial(),
            handle,
        };
        if let Some(path) = self.paths.get_mut(&id) {
            path.users = path.users.checked_add(1).ok_or(ENOSPC)?;
            return Ok(());
        }
        let path = Path {
            tpid: Tpid::new(handle, owner),
            users: 1,
        };
        self.paths.try_create_and_insert(id, path, GFP_KERNEL)?;
        core_state()?.counters().up(Class::Tp);
        Ok(())
    }

    /// Brings a path that is joined into service, unless it is.
    pub(super) fn activate(&mut self, dev: &Device, active: Active) -> Result {
        let id = PathId {
            serial: dev.serial(),
            handle: active.tp.handle,
        };
        let path = self.paths.get_mut(&id).ok_or(ENOENT)?;
        let step = path.tpid.begin(TpidRequest::Rts)?;
        if step.call == DriverCall::Activate {
            dev.driver_active_tp(active)?;
        }
        path.tpid.commit(step);
        Ok(())
    }

    /// Ends the use of a path; the last use takes it out of service.
    ///
    /// The driver may offer it again afterwards: when that is possible is for the driver to know.
    pub(super) fn leave(&mut self, dev: &Device, handle: TpHandle) {
        let id = PathId {
            serial: dev.serial(),
            handle,
        };
        let Some(path) = self.paths.get_mut(&id) else {
            return;
        };
        path.users = path.users.saturating_sub(1);
        if path.users != 0 {
            return;
        }
        if path.tpid.state() == TpidState::Rts {
            if let Err(error) = dev.driver_deactive_tp(handle) {
                let name = dev.name();
                pr_warn_ratelimited!("device {name}: cannot deactivate a path: {error:?}\n");
            }
        } else {
            forget(dev, handle);
        }
        self.paths.remove(&id);
        if let Ok(core) = core_state() {
            core.counters().down(Class::Tp);
        }
    }

    /// Chooses a path for a request, and begins to use it.
    ///
    /// # Errors
    ///
    /// `ENOSPC` when the driver has none; the driver's.
    pub(super) fn allocate(
        &mut self,
        dev: &Device,
        cfg: &TpCfg,
        sharing: &Sharing,
    ) -> Result<TpHandle> {
        let handle = self.choose(dev, cfg, sharing)?;
        if let Err(e) = self.join(dev, handle, TpidOwner::Unaware) {
            // Nobody uses it: that would not have failed.
            forget(dev, handle);
            return Err(e);
        }
        Ok(handle)
    }

    /// Chooses a path: one that nobody uses for a connection, else the driver's first.
    fn choose(&self, dev: &Device, cfg: &TpCfg, sharing: &Sharing) -> Result<TpHandle> {
        let mut room = 1u32;
        loop {
            let list = dev.driver_tp_list(cfg, (sharing.stag, sharing.dtag), room)?;
            let first = list.first().copied().ok_or(ENOSPC)?;
            if cfg.mode != TransMode::Rc {
                return Ok(first);
            }
            let unused = |handle: &&TpHandle| {
                let id = PathId {
                    serial: dev.serial(),
                    handle: **handle,
                };
                self.paths.get(&id).is_none()
            };
            if let Some(handle) = list.iter().find(unused) {
                return Ok(*handle);
            }
            // A driver that lists used paths first has unused ones behind them.
            // CAST: At most `room`.
            if (list.len() as u32) < room || room >= MAX_LIST {
                return Err(ENOSPC);
            }
            room = room.saturating_mul(4);
        }
    }

    /// The peer asks for the other end of its path: sets one up, unless there is one.
    ///
    /// `cfg` and `sharing` are as this end knows them. Returns handle and first packet number.
    pub(super) fn accept(
        &mut self,
        dev: &Device,
        cfg: &TpCfg,
        sharing: &Sharing,
        theirs: &ActiveTp,
    ) -> Result<(TpHandle, u32)> {
        let id = EntryId::new(dev, sharing);
        if let Some(entry) = self.entries.get_mut(&id) {
            entry.peer_acquire()?;
            let own = entry.active();
            return Ok((own.handle, own.tx_psn));
        }
        let handle = self.allocate(dev, cfg, sharing)?;
        let mut entry = ReuseEntry::for_peer(random::u32());
        entry.set_handle(handle);
        entry.set_peer(theirs.handle, theirs.tx_psn);
        let own = entry.active();
        let ready = self
            .activate(dev, Active { tp: own, tag: 0 })
            .and_then(|()| entry.publish())
            .and_then(|()| self.insert(id, entry));
        if let Err(error) = ready {
            self.leave(dev, handle);
            return Err(error);
        }
        Ok((handle, own.tx_psn))
    }

    /// The peer uses its path again.
    pub(super) fn peer_in_use(&mut self, dev: &Device, sharing: &Sharing) {
        if let Some(entry) = self.entries.get_mut(&EntryId::new(dev, sharing)) {
            // An entry that failed is of no use to the peer, which will see that.
            let _ = entry.peer_acquire();
        }
    }

    /// The peer does not use its path any more: takes the other end down if it has no other use.
    pub(super) fn peer_unused(&mut self, dev: &Device, sharing: &Sharing) {
        self.end_peer_use(dev, &EntryId::new(dev, sharing));
    }

    /// Ends the uses that peers have of paths of a device, or of one of its EIDs, that goes; takes
    /// down what nobody else uses.
    pub(super) fn purge(&mut self, dev: &Device, eid: Option<&Eid>) {
        let ours = |id: &EntryId, entry: &ReuseEntry| {
            id.serial == dev.serial()
                && entry.is_ref()
                && eid.is_none_or(|eid| eid == id.key.local())
        };
        while let Some(id) = self
            .entries
            .iter()
            .find(|(id, entry)| ours(id, entry))
            .map(|(id, _)| *id)
        {
            self.end_peer_use(dev, &id);
        }
    }

    /// Ends the use that a peer has of a path.
    fn end_peer_use(&mut self, dev: &Device, id: &EntryId) {
        let Some(entry) = self.entries.get_mut(id) else {
            return;
        };
        let handle = entry.active().handle;
        if entry.peer_release() {
            self.entries.remove(id);
            self.leave(dev, handle);
        }
    }
}
