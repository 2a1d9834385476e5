// SPDX-License-Identifier: GPL-2.0

//! Memory of a segment that is lent to windows: peers map it and access it with no kernel on the
//! path, until it is taken away.

use super::pages::PageUse;
use crate::kernel_ext::{
    fault::{
        Fault,
        Outcome, //
    },
    map_inode::MapInode, //
};
use kernel::{
    new_mutex,
    page::PAGE_SIZE,
    prelude::*,
    rbtree::RBTree,
    sync::Mutex, //
};

/// Most windows of a segment: taking it away takes time for each.
const MAX_WINDOWS: usize = 1024;

/// Where a window is in the file of the device that it belongs to, in bytes.
#[derive(Clone, Copy)]
pub(crate) struct Place {
    pub(crate) offset: usize,
    pub(crate) len: usize,
}

/// A window as the lender knows it.
struct Entry {
    place: Place,
    /// Whose mappings are to be zapped; nothing before the first.
    inode: Option<MapInode>,
}

impl Entry {
    /// Takes all mappings of the window away.
    fn zap(&self) {
        if let Some(inode) = &self.inode {
            inode.zap(self.place.offset, self.place.len);
        }
    }
}

struct State {
    /// Nothing is lent any more.
    closed: bool,
    count: usize,
    /// By the number that no other window ever had.
    windows: RBTree<usize, Entry>,
}

/// The windows of a segment.
///
/// The lock is taken under that of an address space, and the locks under which mappings are found
/// and zapped are taken under it; nobody accesses user memory while holding it.
#[pin_data]
pub(crate) struct Lent {
    #[pin]
    state: Mutex<State>,
}

impl Lent {
    /// Initialises it, with no windows.
    pub(crate) fn new() -> impl PinInit<Self> {
        pin_init!(Self {
            state <- new_mutex!(
                State {
                    closed: false,
                    count: 0,
                    windows: RBTree::new(),
                },
                "Lent::state"
            ),
        })
    }

    /// Adds a window.
    ///
    /// # Errors
    ///
    /// `EACCES` when nothing is lent any more, `ENOSPC`, `ENOMEM`.
    pub(crate) fn add(&self, number: usize, place: Place) -> Result {
        let mut state = self.state.lock();
        if state.closed {
            return Err(EACCES);
        }
        if state.count >= MAX_WINDOWS {
            return Err(ENOSPC);
        }
        let entry = Entry { place, inode: None };
        state
            .windows
            .try_create_and_insert(number, entry, GFP_KERNEL_ACCOUNT)?;
        state.count = state.count.saturating_add(1);
        Ok(())
    }

    /// Takes a window away: when this returns, nobody accesses the memory by it.
    pub(crate) fn remove(&self, number: usize) {
        let mut state = self.state.lock();
        let entry = state.windows.remove(&number);
        if let Some(entry) = &entry {
            state.count = state.count.saturating_sub(1);
            entry.zap();
        }
        drop(state);
        // Without the lock: it may be the last use of the inode.
        drop(entry);
    }

    /// Notes where a window is mapped.
    ///
    /// # Errors
    ///
    /// `EIO` for one that was taken away.
    pub(crate) fn mapped(&self, number: usize, inode: MapInode) -> Result {
        let mut state = self.state.lock();
        let entry = state.windows.get_mut(&number).ok_or(EIO)?;
        // All files of a device have the same.
        entry.inode.get_or_insert(inode);
        Ok(())
    }

    /// Maps a page of the memory into a window.
    pub(crate) fn fault(
        &self,
        number: usize,
        fault: &Fault<'_>,
        pages: &PageUse<'_>,
        index: usize,
    ) -> Outcome {
        let state = self.state.lock();
        if state.closed || state.windows.get(&number).is_none() {
            return Outcome::SIGBUS;
        }
        let Some((page, PAGE_SIZE)) = index
            .checked_mul(PAGE_SIZE)
            .and_then(|offset| pages.pinned_run(offset, PAGE_SIZE))
        else {
            return Outcome::SIGBUS;
        };
        // SAFETY: A pinned page, which is at an address of the direct map. It stays pinned until
        // `close` has zapped: that waits for the lock, and what it finds closed is not mapped. Its
        // inode was noted when the mapping was set up by `lend`, which made the number its tag.
        unsafe { fault.insert(page) }
    }

    /// Takes all windows away, for good: when this returns, nobody accesses the memory by them.
    pub(crate) fn close(&self) {
        let windows = {
            let mut state = self.state.lock();
            state.closed = true;
            state.count = 0;
            for entry in state.windows.values() {
                entry.zap();
            }
            core::mem::take(&mut state.windows)
        };
        // Without the lock, as above.
        drop(windows);
    }
}
