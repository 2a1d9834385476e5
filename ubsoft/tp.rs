// SPDX-License-Identifier: GPL-2.0

//! Transport paths. On one host nothing travels on them: they are names that both ends agree on,
//! and numbers in completions.
//!
//! All messages between two EIDs share one path of a kind. A connection has one of its own, which
//! is offered to nobody but the context that asked for it, or to the core. A path lasts as long as
//! it is active, or a context that it was offered to exists, or the core may still want it.

use crate::{
    address::mac,
    counters::{
        Count,
        Counters,
        Kind as CountKind, //
    },
    device::Dev,
    host::CtxId,
    kernel_ext::{
        arc::Arc,
        handle_table::HandleTable, //
    },
    logic::{
        eid::Eid,
        net_addr::{
            mac_of,
            MAC_LEN, //
        },
        tp::TpHandle,
        tp_attr::TpAttr,
        types::{
            TpType,
            TransMode, //
        }, //
    },
    queue::full,
    ub::driver::{
        ActiveTp,
        TpKind,
        TpList,
        TpQuery, //
    }, //
};
use core::mem::size_of;
use kernel::{
    bindings,
    new_mutex,
    prelude::*,
    rbtree::{
        RBTree,
        RBTreeNode, //
    },
    sync::Mutex, //
};

/// Most transport paths of a device: a handle has 24 bits for their numbers.
pub(crate) const MAX_PATHS: u32 = 0xff_ffff;
/// Paths in a part of a list.
const GROUP: usize = 32;

/// The ends and the kind of a path, and to whom it may be offered.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    local: [u8; 16],
    peer: [u8; 16],
    kind: TpKind,
    mode: u32,
    /// Of connections: the context that asked. What is shared is the kernel's.
    owner: CtxId,
}

/// Names a path: key and number.
type PathId = (Key, u32);

/// A path.
struct Path {
    handle: u64,
    /// How often it is activated.
    active: u32,
    /// Contexts that it was offered to.
    holders: u32,
    /// Offered to the core or another kernel client, and not out of use since.
    kept: bool,
    attr: TpAttr,
    _count: Count,
}

/// Bytes of a path: its node in the tree, and its key in the table of numbers.
pub(crate) const PATH_SIZE: usize =
    size_of::<(bindings::rb_node, PathId, Path)>() + size_of::<Key>();

impl Path {
    /// Tells whether nobody wants it.
    fn is_idle(&self) -> bool {
        self.active == 0 && self.holders == 0 && !self.kept
    }
}

/// A path as it is found in the list of its key.
#[derive(Clone, Copy)]
struct Listed {
    number: u32,
    handle: u64,
    /// It is active.
    used: bool,
    /// Nobody wants it.
    idle: bool,
}

/// The paths, and who holds them.
struct Tables {
    /// By ends and kind, then by number.
    paths: RBTree<PathId, Path>,
    /// The paths that contexts hold, by context and number.
    holds: RBTree<(CtxId, u32), Key>,
}

/// The paths of a device.
#[pin_data]
pub(crate) struct TpTable {
    counters: Arc<Counters>,
    /// The keys by number.
    #[pin]
    numbers: HandleTable<Key>,
    #[pin]
    tables: Mutex<Tables>,
}

/// Checks what is wanted and describes it as a handle does.
fn describe(query: &TpQuery) -> Result<(TpType, TransMode)> {
    let mode = TransMode::from_raw(query.trans_mode)?;
    let kind = match query.kind {
        TpKind::Rtp => TpType::Rtp,
        TpKind::Ctp => TpType::Ctp,
        TpKind::Utp => TpType::Utp,
    };
    let possible = match kind {
        TpType::Rtp => mode != TransMode::Um,
        TpType::Ctp => true,
        TpType::Utp => mode == TransMode::Um,
    };
    if possible {
        Ok((kind, mode))
    } else {
        Err(EINVAL)
    }
}

impl Tables {
    /// Goes through the paths of a key.
    fn of_key(&self, key: Key) -> impl Iterator<Item = Listed> + '_ {
        // The tree has no iterator that begins in the middle: each step looks up what comes next.
        let mut next = Some(0);
        core::iter::from_fn(move || {
            let cursor = self.paths.cursor_lower_bound(&(key, next?))?;
            let (&(found, number), path) = cursor.current();
            next = number.checked_add(1);
            (found == key).then_some(Listed {
                number,
                handle: path.handle,
                used: path.active != 0,
                idle: path.is_idle(),
            })
        })
    }

    /// Offers a path to a context, or to the kernel.
    fn offer(&mut self, owner: CtxId, (key, number): PathId) -> Result {
        let path = self.paths.get_mut(&(key, number)).ok_or(ENOENT)?;
        if owner == CtxId::KERNEL {
            path.kept = true;
        } else if self.holds.get(&(owner, number)).is_none() {
            self.holds
                .try_create_and_insert((owner, number), key, GFP_KERNEL_ACCOUNT)?;
            path.holders = path.holders.saturating_add(1);
        }
        Ok(())
    }
}

impl TpTable {
    /// Initialises an empty table.
    pub(crate) fn new(counters: Arc<Counters>) -> impl PinInit<Self> {
        pin_init!(Self {
            counters,
            numbers <- new_handle_table!(1..=MAX_PATHS),
            tables <- new_mutex!(
                Tables {
                    paths: RBTree::new(),
                    holds: RBTree::new(),
                },
                "TpTable::tables"
            ),
        })
    }

    /// Lists paths between two ends for a context, or for the kernel: the one that all share, or
    /// for connections one for each, those not in use first. What is missing is made.
    ///
    /// `macs` are the MAC addresses of both ends.
    ///
    /// # Errors
    ///
    /// `EINVAL` for a kind that the service does not have, `ENOSPC`, `ENOMEM`.
    pub(crate) fn list(
        &self,
        query: &TpQuery,
        owner: CtxId,
        macs: ([u8; MAC_LEN], [u8; MAC_LEN]),
        out: &mut TpList<'_>,
    ) -> Result {
        let (kind, mode) = describe(query)?;
        if Eid::from_bytes(query.peer_eid).is_zero() {
            return Err(EINVAL);
        }
        let shared = mode != TransMode::Rc;
        let skip = (query.group as usize).saturating_mul(GROUP);
        let room = if shared {
            usize::from(out.room() > 0 && skip == 0)
        } else {
            out.room()
        };
        let key = Key {
            local: query.local_eid,
            peer: query.peer_eid,
            kind: query.kind,
            mode: mode.raw(),
            owner: if shared { CtxId::KERNEL } else { owner },
        };
        let mut tables = self.tables.lock();
        let mut known = KVVec::new();
        for path in tables.of_key(key) {
            known.push(path, GFP_KERNEL)?;
        }
        let short = skip.saturating_add(room).saturating_sub(known.len());
        // A connection needs one that is not in use.
        let none_free = !shared && known.iter().all(|path| path.used);
        let result = (|| {
            for _ in 0..short.max(usize::from(none_free)).min(room) {
                let path = self.make(&mut tables, key, (kind, mode), macs)?;
                known.push(path, GFP_KERNEL)?;
            }
            let unused = known.iter().filter(|path| !path.used);
            let used = known.iter().filter(|path| path.used);
            for path in Iterator::chain(unused, used).skip(skip).take(room) {
                tables.offer(owner, (key, path.number))?;
                out.push(path.handle);
            }
            Ok(())
        })();
        if result.is_err() {
            self.reap(&mut tables, key);
        }
        result
    }

    /// Makes a path, which nobody wants yet.
    fn make(
        &self,
        tables: &mut Tables,
        key: Key,
        (kind, mode): (TpType, TransMode),
        (local_mac, peer_mac): ([u8; MAC_LEN], [u8; MAC_LEN]),
    ) -> Result<Listed> {
        let reservation = self.numbers.reserve().map_err(full)?;
        let number = reservation.id();
        let (local, peer) = (Eid::from_bytes(key.local), Eid::from_bytes(key.peer));
        let handle = TpHandle::new(number, number, 1).describe(mode, kind, false);
        let path = Path {
            handle: handle.raw(),
            active: 0,
            holders: 0,
            kept: false,
            attr: TpAttr::between(local, local_mac, peer, peer_mac),
            _count: Count::one(&self.counters, CountKind::Paths),
        };
        let name = Arc::new(key, GFP_KERNEL_ACCOUNT)?;
        let node = RBTreeNode::new((key, number), path, GFP_KERNEL_ACCOUNT)?;
        // Nothing can fail any more.
        tables.paths.insert(node);
        reservation.publish(name);
        Ok(Listed {
            number,
            handle: handle.raw(),
            used: false,
            idle: true,
        })
    }

    /// Takes away a path that nobody wants.
    fn remove(&self, tables: &mut Tables, id: PathId) {
        tables.paths.remove(&id);
        drop(self.numbers.remove(id.1));
    }

    /// Takes away the paths of a key that nobody wants.
    fn reap(&self, tables: &mut Tables, key: Key) {
        loop {
            let Some(path) = tables.of_key(key).find(|path| path.idle) else {
                return;
            };
            self.remove(tables, (key, path.number));
        }
    }

    /// A context goes: what was offered to it, and is not active, goes too.
    pub(crate) fn release(&self, owner: CtxId) {
        if owner == CtxId::KERNEL {
            return;
        }
        let mut tables = self.tables.lock();
        loop {
            let first = tables.holds.cursor_lower_bound(&(owner, 0));
            let Some((hold, key)) = first.map(|cursor| {
                let (hold, key) = cursor.current();
                (*hold, *key)
            }) else {
                return;
            };
            if hold.0 != owner {
                return;
            }
            tables.holds.remove(&hold);
            let id = (key, hold.1);
            let idle = tables.paths.get_mut(&id).is_some_and(|path| {
                path.holders = path.holders.saturating_sub(1);
                path.is_idle()
            });
            if idle {
                self.remove(&mut tables, id);
            }
        }
    }

    /// Works with the path of a handle; `f` is told its place too.
    ///
    /// # Errors
    ///
    /// `ENOENT` for a handle that was not given out, or those of `f`.
    fn with_path<R>(&self, handle: u64, f: impl FnOnce(&mut Path) -> Result<R>) -> Result<R> {
        let number = TpHandle::from_raw(handle).tpid();
        let mut tables = self.tables.lock();
        let key = *self.numbers.get(number).ok_or(ENOENT)?;
        let id = (key, number);
        // The number alone is not the handle.
        let path = tables
            .paths
            .get_mut(&id)
            .filter(|path| path.handle == handle)
            .ok_or(ENOENT)?;
        let result = f(path);
        if path.is_idle() {
            self.remove(&mut tables, id);
        }
        result
    }

    /// Makes a path usable.
    ///
    /// # Errors
    ///
    /// `ENOENT` for a handle that was not given out.
    pub(crate) fn activate(&self, tp: &ActiveTp) -> Result {
        self.with_path(tp.handle, |path| {
            path.active = path.active.checked_add(1).ok_or(ENOSPC)?;
            Ok(())
        })
    }

    /// Undoes it, or ends an offer to the core that it will not use.
    ///
    /// # Errors
    ///
    /// `ENOENT` for a handle that was not given out, `EINVAL` for a path that is not active.
    pub(crate) fn deactivate(&self, handle: u64) -> Result {
        self.with_path(handle, |path| {
            if path.active == 0 && path.kept {
                path.kept = false;
                return Ok(());
            }
            path.active = path.active.checked_sub(1).ok_or(EINVAL)?;
            if path.active == 0 {
                path.kept = false;
            }
            Ok(())
        })
    }

    /// Changes the properties of a path that a bitmap names; they have been checked.
    ///
    /// # Errors
    ///
    /// `ENOENT` for a handle that was not given out.
    pub(crate) fn set_attr(&self, handle: u64, bitmap: u32, attr: &TpAttr) -> Result {
        self.with_path(handle, |path| {
            path.attr.merge(bitmap, attr);
            Ok(())
        })
    }

    /// Returns the properties of a path.
    ///
    /// # Errors
    ///
    /// `ENOENT` for a handle that was not given out.
    pub(crate) fn attr(&self, handle: u64) -> Result<TpAttr> {
        self.with_path(handle, |path| Ok(path.attr))
    }

    /// Returns the number of paths.
    #[cfg_attr(not(CONFIG_KUNIT), allow(dead_code))]
    pub(crate) fn len(&self) -> usize {
        self.tables.lock().paths.iter().count()
    }
}

/// Lists paths of a device for a context, or for the kernel.
///
/// # Errors
///
/// Those of [`TpTable::list`].
pub(crate) fn list(dev: &Dev, query: &TpQuery, owner: CtxId, out: &mut TpList<'_>) -> Result {
    let peer = Eid::from_bytes(query.peer_eid);
    let peer_mac = dev
        .host
        .find(&peer)
        .map_or(mac_of(peer), |owner| mac(&owner));
    dev.tps.list(query, owner, (mac(dev), peer_mac), out)
}
