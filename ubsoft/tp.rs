// SPDX-License-Identifier: GPL-2.0

//! Transport paths. On one host nothing travels on them: they are names that both ends agree on,
//! and numbers in completions.

use crate::{
    kernel_ext::handle_table::HandleTable,
    logic::{
        eid::Eid,
        tp::TpHandle,
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
use kernel::{
    new_mutex,
    prelude::*,
    rbtree::{
        RBTree,
        RBTreeNode, //
    },
    sync::{
        atomic::{
            Atomic,
            Relaxed, //
        },
        Arc,
        Mutex, //
    }, //
};

/// Most transport paths of a device; a handle has 24 bits for their numbers.
pub(crate) const MAX_PATHS: u32 = 1 << 18;
/// Paths in a part of a list.
const GROUP: usize = 32;

/// The ends and the kind of a path.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    local: [u8; 16],
    peer: [u8; 16],
    kind: TpKind,
    mode: u32,
}

/// A path.
struct Path {
    handle: u64,
    /// How often it was activated.
    active: Atomic<u32>,
}

/// The paths of a device.
#[pin_data]
pub(crate) struct TpTable {
    /// By number.
    #[pin]
    numbers: HandleTable<Path>,
    /// By ends and kind, then by number.
    #[pin]
    lists: Mutex<RBTree<(Key, u32), Arc<Path>>>,
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

/// Goes through the paths of a key: handles, and whether they are in use.
fn of_key(
    lists: &RBTree<(Key, u32), Arc<Path>>,
    key: Key,
) -> impl Iterator<Item = (u64, bool)> + '_ {
    // The tree has no iterator that begins in the middle: each step looks up what comes next.
    let mut next = Some(0);
    core::iter::from_fn(move || {
        let cursor = lists.cursor_lower_bound(&(key, next?))?;
        let (&(found, number), path) = cursor.current();
        next = number.checked_add(1);
        (found == key).then(|| (path.handle, path.active.load(Relaxed) != 0))
    })
}

impl TpTable {
    /// Initialises an empty table.
    pub(crate) fn new() -> impl PinInit<Self> {
        pin_init!(Self {
            numbers <- new_handle_table!(1..=MAX_PATHS),
            lists <- new_mutex!(RBTree::new(), "TpTable::lists"),
        })
    }

    /// Lists paths between two ends: the one that all share, or for connections one for each, those
    /// not in use first. What is missing is made.
    ///
    /// # Errors
    ///
    /// `EINVAL` for a kind that the service does not have, `ENOSPC`, `ENOMEM`.
    pub(crate) fn list(&self, query: &TpQuery, out: &mut TpList<'_>) -> Result {
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
        };
        let mut lists = self.lists.lock();
        let wanted = skip.saturating_add(room);
        let short = wanted.saturating_sub(of_key(&lists, key).count());
        // A connection needs one that is not in use.
        let none_free = !shared && of_key(&lists, key).all(|(_, used)| used);
        for _ in 0..short.max(usize::from(none_free)).min(room) {
            let (number, path) = self.make(kind, mode)?;
            let node = RBTreeNode::new((key, number), path, GFP_KERNEL_ACCOUNT)?;
            lists.insert(node);
        }
        let unused = of_key(&lists, key).filter(|(_, used)| !used);
        let used = of_key(&lists, key).filter(|(_, used)| *used);
        for (handle, _) in Iterator::chain(unused, used).skip(skip).take(room) {
            out.push(handle);
        }
        Ok(())
    }

    /// Makes a path, which is still to be listed.
    fn make(&self, kind: TpType, mode: TransMode) -> Result<(u32, Arc<Path>)> {
        let reservation = self.numbers.reserve().map_err(full)?;
        let number = reservation.id();
        let handle = TpHandle::new(number, number, 1).describe(mode, kind, false);
        let path = Arc::new(
            Path {
                handle: handle.raw(),
                active: Atomic::new(0),
            },
            GFP_KERNEL_ACCOUNT,
        )?;
        reservation.publish(path.clone());
        Ok((number, path))
    }

    /// Finds the path of a handle.
    fn path(&self, handle: u64) -> Result<Arc<Path>> {
        let number = TpHandle::from_raw(handle).tpid();
        // The number alone is not the handle.
        self.numbers
            .get(number)
            .filter(|path| path.handle == handle)
            .ok_or(ENOENT)
    }

    /// Makes a path usable.
    ///
    /// # Errors
    ///
    /// `ENOENT` for a handle that was not given out.
    pub(crate) fn activate(&self, tp: &ActiveTp) -> Result {
        let path = self.path(tp.handle)?;
        path.active.fetch_add(1, Relaxed);
        Ok(())
    }

    /// Undoes it.
    ///
    /// # Errors
    ///
    /// `ENOENT` for a handle that was not given out, `EINVAL` for a path that is not active.
    pub(crate) fn deactivate(&self, handle: u64) -> Result {
        let path = self.path(handle)?;
        let mut count = path.active.load(Relaxed);
        loop {
            let less = count.checked_sub(1).ok_or(EINVAL)?;
            match path.active.cmpxchg(count, less, Relaxed) {
                Ok(_) => return Ok(()),
                Err(now) => count = now,
            }
        }
    }
}
