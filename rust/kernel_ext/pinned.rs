// SPDX-License-Identifier: GPL-2.0

//! User memory that is pinned, so that the kernel can access it at any time.
//!
//! C header: [`include/linux/mm.h`](srctree/include/linux/mm.h)

use super::{
    cap::{
        capable,
        Cap, //
    },
    hot::HotCount,
    page_map::PageMap,
    task::{
        cond_resched,
        fatal_signal_pending, //
    }, //
};
use crate::bindings_ub;
use core::{
    mem::MaybeUninit,
    ptr::NonNull,
    slice, //
};
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
        atomic::Atomic, //
    }, //
};

/// How many pages are pinned at a time.
const BATCH: usize = 512;

/// How many contiguous pages are unpinned at a time.
const UNPIN: usize = 4096;

/// For so many pages the kernel's answer fits on the stack.
const FEW: usize = 8;

/// How what a range costs beside its pages is allocated: it is in proportion to what is pinned.
const FLAGS: kernel::alloc::Flags = GFP_KERNEL_ACCOUNT;

/// Pages counted in an address space as pinned; dropping it gives them back.
struct Charge {
    mm: ARef<Mm>,
    /// How many are charged now.
    pages: Atomic<i64>,
}

impl Charge {
    /// Charges the caller's address space, within `RLIMIT_MEMLOCK` or with `CAP_IPC_LOCK`.
    fn new(pages: usize) -> Result<Self> {
        let pages = i64::try_from(pages).map_err(|_| ENOMEM)?;
        let mut within = false;
        // SAFETY: `i64` is what the count is.
        let mm = unsafe { bindings_ub::ub_helper_pin_charge(pages, &mut within) };
        let mm = NonNull::new(mm).ok_or(EFAULT)?;
        let this = Self {
            // SAFETY: Counted for us.
            mm: unsafe { ARef::from_raw(mm.cast()) },
            pages: Atomic::new(pages),
        };
        if !within && !capable(Cap::IpcLock) {
            return Err(ENOMEM);
        }
        Ok(this)
    }

    /// Gives the pages back; again does nothing.
    fn give_back(&self) {
        let pages = self.pages.hot_xchg(0);
        if pages != 0 {
            // SAFETY: The structure of the address space exists; charged by `new`.
            unsafe { bindings_ub::ub_helper_mm_pinned_add(self.mm.as_raw(), -pages) };
        }
    }
}

impl Drop for Charge {
    fn drop(&mut self) {
        self.give_back();
    }
}

/// Returns how pages are pinned.
fn pin_flags(write: bool) -> c_uint {
    if write {
        bindings::FOLL_LONGTERM | bindings::FOLL_WRITE
    } else {
        bindings::FOLL_LONGTERM
    }
}

/// Pins the page at a user address, and returns where the kernel sees it, exposed.
///
/// # Errors
///
/// As for [`PinnedPages::pin`].
fn pin_page(address: usize, write: bool) -> Result<usize> {
    let mut slot = MaybeUninit::<*mut bindings::page>::uninit();
    // SAFETY: Room for a page. The kernel checks the address.
    match unsafe { bindings::pin_user_pages_fast(address, 1, pin_flags(write), slot.as_mut_ptr()) }
    {
        1 => (),
        0 => return Err(EFAULT),
        error => to_result(error)?,
    }
    let mut at = core::ptr::null_mut();
    // SAFETY: A page has been written.
    unsafe { bindings_ub::ub_helper_page_run(slot.as_ptr(), 1, &mut at) };
    Ok(at.expose_provenance())
}

/// A pinned range of the memory of a process.
///
/// The pages stay when the process unmaps them or dies. Others change them at any time: all access
/// is by raw pointers, with operations that cope with that.
///
/// # Invariants
///
/// The pages of `map` are pinned. It has them by the addresses at which the kernel sees them, whose
/// provenance is exposed.
pub(crate) struct PinnedPages {
    map: PageMap<{ PAGE_SHIFT as u32 }>,
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
        if count == 1 {
            // INVARIANT: Pinned.
            return Ok(Self {
                map: PageMap::of_page(first, pin_page(first, write)?),
                start,
                len,
                write,
                charge,
            });
        }
        // INVARIANT: No pages yet.
        let mut this = Self {
            map: PageMap::new(first),
            start,
            len,
            write,
            charge,
        };
        if count <= FEW {
            let mut slots = [MaybeUninit::uninit(); FEW];
            this.pin_all(count, &mut slots)?;
        } else {
            let mut slots =
                KVec::<*mut bindings::page>::with_capacity(count.min(BATCH), GFP_KERNEL)?;
            this.pin_all(count, slots.spare_capacity_mut())?;
        }
        Ok(this)
    }

    /// Pins `count` pages, as many at a time as `slots` can take.
    fn pin_all(&mut self, count: usize, slots: &mut [MaybeUninit<*mut bindings::page>]) -> Result {
        let mut done = 0;
        loop {
            done += self.pin_batch(count - done, slots)?;
            if done >= count {
                return Ok(());
            }
            cond_resched();
            if fatal_signal_pending() {
                return Err(EINTR);
            }
        }
    }

    /// Pins the next of the `left` pages that are to come, and returns how many, at least one.
    fn pin_batch(
        &mut self,
        left: usize,
        slots: &mut [MaybeUninit<*mut bindings::page>],
    ) -> Result<usize> {
        let address = (self.start & PAGE_MASK) + (self.map.len() << PAGE_SHIFT);
        let slots = slots.get_mut(..left.min(slots.len())).ok_or(EINVAL)?;
        let array = slots.as_mut_ptr().cast::<*mut bindings::page>();
        // SAFETY: Room for so many pages. The kernel checks the address.
        // CAST: At most `BATCH`.
        let pinned = unsafe {
            let count = slots.len() as c_int;
            bindings::pin_user_pages_fast(address, count, pin_flags(self.write), array)
        };
        to_result(pinned)?;
        // CAST: Not negative.
        let pinned = pinned as usize;
        if pinned == 0 {
            return Err(EFAULT);
        }
        // SAFETY: That many slots have been written.
        let pages = unsafe { slice::from_raw_parts_mut(array, pinned) };
        self.add(pages, left.saturating_sub(pinned))?;
        Ok(pinned)
    }

    /// Puts pages that have just been pinned into the map; `left` pages are still to come after
    /// them. If that fails, those that are not in the map are unpinned.
    fn add(&mut self, mut pages: &mut [*mut bindings::page], left: usize) -> Result {
        while !pages.is_empty() {
            if self.map.is_by_page() {
                return self.add_single(pages, left);
            }
            let mut address = core::ptr::null_mut();
            // SAFETY: So many pages, at least one.
            let run = unsafe {
                bindings_ub::ub_helper_page_run(pages.as_ptr(), pages.len(), &mut address)
            };
            let to_come = left.saturating_add(pages.len().saturating_sub(run));
            let address = address.expose_provenance();
            // INVARIANT: Just pinned.
            if let Err(e) = self.map.add(address, run, to_come, FLAGS | __GFP_NOWARN) {
                // SAFETY: Just pinned, and not in the map, which would unpin them.
                unsafe { bindings::unpin_user_pages(pages.as_mut_ptr(), pages.len()) };
                return Err(e);
            }
            pages = pages.get_mut(run..).ok_or(EINVAL)?;
        }
        Ok(())
    }

    /// Does that for a map of single pages.
    fn add_single(&mut self, pages: &mut [*mut bindings::page], left: usize) -> Result {
        let (slots, count) = (pages.as_mut_ptr().cast::<usize>(), pages.len());
        // SAFETY: So many pages; a pointer has the size of an address, which replaces it.
        let addresses = unsafe {
            bindings_ub::ub_helper_page_addresses(slots, count);
            slice::from_raw_parts(slots, count)
        };
        // INVARIANT: Just pinned. What the kernel makes addresses of counts as exposed.
        let added = self.map.add_pages(addresses, left, FLAGS | __GFP_NOWARN);
        if added.is_err() {
            // SAFETY: Just pinned, and not in the map, which would unpin them.
            unsafe { bindings_ub::ub_helper_unpin_addresses(slots, count, false) };
        }
        added
    }

    /// Returns the address of the first byte in the address space it was pinned from.
    pub(crate) fn start(&self) -> usize {
        self.start
    }

    /// Returns the number of pages.
    pub(crate) fn count(&self) -> usize {
        self.map.len()
    }

    /// Goes through the parts that are contiguous for the kernel: where they begin, and of how many
    /// pages they are.
    pub(crate) fn runs(&self) -> impl Iterator<Item = (*mut c_void, usize)> + '_ {
        let pointer = core::ptr::with_exposed_provenance_mut;
        self.map
            .runs()
            .map(move |(address, pages)| (pointer(address), pages))
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
    #[inline(always)]
    pub(crate) fn run(&self, offset: usize, len: usize) -> Option<(*mut u8, usize)> {
        let end = offset.checked_add(len)?;
        if len == 0 || end > self.len {
            return None;
        }
        // No overflow: inside of the pinned pages.
        let (address, run) = self.map.run(self.start + offset, len)?;
        Some((core::ptr::with_exposed_provenance_mut(address), run))
    }

    /// Returns where the byte at `offset` is, how many of the `len` bytes from there on follow it
    /// in its block, the blocks behind that, and the bytes of each of these.
    ///
    /// `None` if not all of the `len` bytes, at least one, are in the range.
    #[inline]
    pub(crate) fn span(
        &self,
        offset: usize,
        len: usize,
    ) -> Option<(usize, usize, &[usize], usize)> {
        let end = offset.checked_add(len)?;
        if len == 0 || end > self.len {
            return None;
        }
        // No overflow: inside of the pinned pages.
        self.map.span(self.start + offset, len)
    }

    /// Returns where the kernel sees the first byte, and how many from there on are contiguous.
    #[inline]
    pub(crate) fn first(&self) -> Option<(*mut u8, usize)> {
        match self.map.single() {
            Some(address) => {
                let address = address.wrapping_add(self.start & !PAGE_MASK);
                Some((core::ptr::with_exposed_provenance_mut(address), self.len))
            }
            None => self.first_of_many(),
        }
    }

    /// Does that where the pages are not one block.
    #[inline(never)]
    fn first_of_many(&self) -> Option<(*mut u8, usize)> {
        self.run(0, self.len)
    }

    /// Gives back what is charged to the process, before the pages are unpinned.
    ///
    /// For when the object is to be dropped later, after a grace period: the process may pin again
    /// at once.
    pub(crate) fn uncharge(&self) {
        self.charge.give_back();
    }
}

impl Drop for PinnedPages {
    fn drop(&mut self) {
        let count = self.count();
        if let Some(address) = self.map.single().filter(|_| count <= BATCH) {
            let address = core::ptr::with_exposed_provenance_mut(address);
            // SAFETY: By the type invariant, pinned; nobody uses the addresses any more.
            unsafe { bindings_ub::ub_helper_unpin_pages(address, count, self.write) };
            return;
        }
        // In parts, so that others may run in between.
        if let Some(pages) = self.map.pages() {
            for part in pages.chunks(BATCH) {
                // SAFETY: As above.
                unsafe {
                    bindings_ub::ub_helper_unpin_addresses(part.as_ptr(), part.len(), self.write)
                };
                cond_resched();
            }
            return;
        }
        let mut since = 0;
        for (mut address, mut left) in self.runs() {
            while left != 0 {
                let part = left.min(UNPIN);
                // SAFETY: As above.
                unsafe { bindings_ub::ub_helper_unpin_pages(address, part, self.write) };
                address = address.wrapping_byte_add(part << PAGE_SHIFT);
                left -= part;
                since += part;
                if since >= BATCH {
                    since = 0;
                    cond_resched();
                }
            }
        }
    }
}
