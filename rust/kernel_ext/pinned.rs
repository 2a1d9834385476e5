// SPDX-License-Identifier: GPL-2.0

//! User memory that is pinned, so that the kernel can access it at any time.
//!
//! C header: [`include/linux/mm.h`](srctree/include/linux/mm.h)

use super::{
    cap::{
        capable,
        Cap, //
    },
    task::{
        cond_resched,
        current_mm,
        fatal_signal_pending, //
    }, //
};
use crate::bindings_ub;
use kernel::{
    alloc::flags::__GFP_NOWARN,
    bindings,
    error::to_result,
    mm::Mm,
    page::{
        PAGE_MASK,
        PAGE_SHIFT,
        PAGE_SIZE, //
    },
    prelude::*,
    sync::{
        aref::ARef,
        atomic::{
            Atomic,
            Full, //
        }, //
    }, //
};

/// How many pages are pinned at a time.
const BATCH: usize = 512;

/// For so many pages room is made at once; for more, as they get pinned.
const AT_ONCE: usize = 64 * BATCH;

/// Pages counted in an address space as pinned; dropping it gives them back.
struct Charge {
    mm: ARef<Mm>,
    /// How many are charged now.
    pages: Atomic<i64>,
}

impl Charge {
    /// Charges the caller's address space, within `RLIMIT_MEMLOCK` or with `CAP_IPC_LOCK`.
    fn new(pages: usize) -> Result<Self> {
        let mm = current_mm().ok_or(EFAULT)?;
        let pages = i64::try_from(pages).map_err(|_| ENOMEM)?;
        // SAFETY: The address space exists; `i64` is what the count is.
        let total = unsafe { bindings_ub::ub_helper_mm_pinned_add(mm.as_raw(), pages) };
        let this = Self {
            mm,
            pages: Atomic::new(pages),
        };
        // SAFETY: No requirements.
        let limit = unsafe { bindings_ub::ub_helper_rlimit_memlock() } >> PAGE_SHIFT;
        let total = usize::try_from(total).unwrap_or(usize::MAX);
        if total > limit && !capable(Cap::IpcLock) {
            return Err(ENOMEM);
        }
        Ok(this)
    }

    /// Gives the pages back; again does nothing.
    fn give_back(&self) {
        let pages = self.pages.xchg(0, Full);
        // SAFETY: The structure of the address space exists; charged by `new`.
        unsafe { bindings_ub::ub_helper_mm_pinned_add(self.mm.as_raw(), -pages) };
    }
}

impl Drop for Charge {
    fn drop(&mut self) {
        self.give_back();
    }
}

/// A pinned range of the memory of a process.
///
/// The pages stay when the process unmaps them or dies. Others change them at any time: all access
/// is by raw pointers, with operations that cope with that.
///
/// # Invariants
///
/// The pages of `pages` are pinned. The parallel `addresses` are where the kernel sees them.
pub(crate) struct PinnedPages {
    pages: KVVec<*mut bindings::page>,
    addresses: KVVec<*mut u8>,
    start: usize,
    len: usize,
    write: bool,
    // Dropped last: given back after unpinning.
    charge: Charge,
}

// SAFETY: Pins belong to no task.
unsafe impl Send for PinnedPages {}
// SAFETY: No method accesses the memory.
unsafe impl Sync for PinnedPages {}

impl PinnedPages {
    /// Pins `len` bytes at `start` in the caller's address space, for writing too if `write`.
    ///
    /// # Errors
    ///
    /// `EINVAL` for an empty range or one that wraps around, `EFAULT` if not all of it is mapped so
    /// that it may be accessed, `ENOMEM` also beyond `RLIMIT_MEMLOCK`, `EINTR` when being killed.
    pub(crate) fn pin(start: usize, len: usize, write: bool) -> Result<Self> {
        let end = start.checked_add(len).filter(|_| len != 0).ok_or(EINVAL)?;
        let first = start & PAGE_MASK;
        let bytes = end.checked_next_multiple_of(PAGE_SIZE).ok_or(EINVAL)? - first;
        let count = bytes / PAGE_SIZE;

        let charge = Charge::new(count)?;
        // INVARIANT: No pages yet.
        let mut this = Self {
            pages: KVVec::new(),
            addresses: KVVec::new(),
            start,
            len,
            write,
            charge,
        };
        while this.pages.len() < count {
            if fatal_signal_pending() {
                return Err(EINTR);
            }
            let done = this.pages.len();
            this.make_room(count - done)?;
            this.pin_batch(first + done * PAGE_SIZE, (count - done).min(BATCH))?;
            cond_resched();
        }
        Ok(this)
    }

    /// Makes room for the next batch of the `left` pages that are still to be pinned.
    ///
    /// What a range costs beside its pages is in proportion to what is pinned of it: its length is
    /// only what somebody says.
    fn make_room(&mut self, left: usize) -> Result {
        let done = self.pages.len();
        if self.pages.capacity() - done >= left.min(BATCH) {
            return Ok(());
        }
        let more = left.min(done.max(AT_ONCE));
        let flags = GFP_KERNEL_ACCOUNT | __GFP_NOWARN;
        self.pages.reserve(more, flags)?;
        self.addresses.reserve(more, flags)?;
        Ok(())
    }

    /// Pins up to `count` pages, at least one; there is room for them.
    fn pin_batch(&mut self, address: usize, count: usize) -> Result {
        let mut flags = bindings::FOLL_LONGTERM;
        if self.write {
            flags |= bindings::FOLL_WRITE;
        }
        let room = self.pages.spare_capacity_mut();
        if room.len() < count {
            return Err(EINVAL);
        }
        let slots = room.as_mut_ptr().cast::<*mut bindings::page>();
        // SAFETY: Room for `count` pages. The kernel checks the address.
        // CAST: At most `BATCH`.
        let pinned =
            unsafe { bindings::pin_user_pages_fast(address, count as c_int, flags, slots) };
        to_result(pinned)?;
        // CAST: Not negative.
        let pinned = pinned as usize;
        if pinned == 0 {
            return Err(EFAULT);
        }
        // INVARIANT: Just pinned.
        // SAFETY: That many slots have been written.
        unsafe { self.pages.inc_len(pinned) };
        let room = self.addresses.spare_capacity_mut();
        if room.len() < pinned {
            return Err(EINVAL);
        }
        // SAFETY: Room for `pinned` addresses, which the helper writes.
        unsafe {
            let slots = room.as_mut_ptr().cast();
            bindings_ub::ub_helper_page_addresses(slots_of(&self.pages, pinned), slots, pinned);
            self.addresses.inc_len(pinned);
        }
        Ok(())
    }

    /// Returns the address of the first byte in the address space it was pinned from.
    pub(crate) fn start(&self) -> usize {
        self.start
    }

    /// Returns the pages, in order.
    pub(crate) fn pages(&self) -> &[*mut bindings::page] {
        &self.pages
    }

    /// Returns the address space that is charged, valid as long as `self`.
    pub(crate) fn mm(&self) -> *mut bindings::mm_struct {
        self.charge.mm.as_raw()
    }

    /// Returns the length in bytes.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Tells whether the memory may be written.
    pub(crate) fn is_writable(&self) -> bool {
        self.write
    }

    /// Returns where the kernel sees the byte at `offset`, and how many of the `len` bytes from
    /// there on are contiguous (at least one).
    ///
    /// `None` if not all of the `len` bytes, at least one, are in the range.
    #[inline]
    pub(crate) fn run(&self, offset: usize, len: usize) -> Option<(*mut u8, usize)> {
        let end = offset.checked_add(len)?;
        if len == 0 || end > self.len {
            return None;
        }
        // No overflow: inside of the pinned pages.
        let position = (self.start & !PAGE_MASK) + offset;
        let (index, skip) = (position >> PAGE_SHIFT, position & !PAGE_MASK);
        let (first, rest) = self.addresses.get(index..)?.split_first()?;
        let mut run = PAGE_SIZE - skip;
        let mut next = first.wrapping_add(PAGE_SIZE);
        for address in rest {
            if run >= len || *address != next {
                break;
            }
            run += PAGE_SIZE;
            next = next.wrapping_add(PAGE_SIZE);
        }
        Some((first.wrapping_add(skip), run.min(len)))
    }

    /// Gives back what is charged to the process, before the pages are unpinned.
    ///
    /// For when the object is to be dropped later, after a grace period: the process may pin again
    /// at once.
    pub(crate) fn uncharge(&self) {
        self.charge.give_back();
    }
}

/// Returns a pointer to the last `count` pages, of which there are at least that many.
fn slots_of(pages: &[*mut bindings::page], count: usize) -> *const *mut bindings::page {
    pages
        .as_ptr()
        .wrapping_add(pages.len().saturating_sub(count))
}

impl Drop for PinnedPages {
    fn drop(&mut self) {
        for batch in self.pages.chunks_mut(BATCH) {
            // SAFETY: By the type invariant, pinned; nobody uses the addresses any more.
            unsafe {
                bindings::unpin_user_pages_dirty_lock(batch.as_mut_ptr(), batch.len(), self.write)
            };
            cond_resched();
        }
    }
}
