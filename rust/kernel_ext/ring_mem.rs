// SPDX-License-Identifier: GPL-2.0

//! Memory of the kernel that user space maps.

use super::copy::zero_words;
use crate::bindings_ub;
use core::{
    ops::Range,
    ptr::NonNull, //
};
use kernel::{
    alloc::flags::__GFP_ZERO,
    bindings,
    error::to_result,
    mm::virt::{
        flags,
        VmaNew, //
    },
    page::PAGE_SIZE,
    prelude::*, //
};

/// Up to this size memory is looked for in one piece, which needs no page tables of its own.
const PIECE_MAX: usize = 8 * PAGE_SIZE;

/// What user space may do with a mapping.
#[derive(Copy, Clone, Debug, Eq, PartialEq)]
pub(crate) enum MapAccess {
    /// Read, also later by `mprotect()`.
    ReadOnly,
    /// Read and write.
    ReadWrite,
}

/// Whole pages in one piece of physical memory, each with a count of its own.
///
/// # Invariants
///
/// `start` is a result of `alloc_pages_exact()` for `size` bytes, all of them initialised.
struct Piece {
    start: NonNull<u8>,
    size: usize,
}

impl Piece {
    /// Allocates `size` bytes of zeros, a multiple of the page size.
    fn new(size: usize) -> Option<Self> {
        let gfp = bindings::GFP_KERNEL_ACCOUNT | bindings::__GFP_NOWARN;
        // SAFETY: No requirements.
        let start = unsafe { bindings::alloc_pages_exact_noprof(size, gfp) };
        let start = NonNull::new(start.cast::<u8>())?;
        // SAFETY: New memory of that size, whole pages.
        unsafe { zero_words(start.as_ptr().cast(), size / size_of::<u64>()) };
        Some(Self { start, size })
    }
}

impl Drop for Piece {
    fn drop(&mut self) {
        // SAFETY: By the type's invariant. Pages that are mapped stay until they are not.
        unsafe { bindings::free_pages_exact(self.start.as_ptr().cast(), self.size) };
    }
}

/// What owns the memory: where it is does not change when this is moved.
enum Place {
    /// One piece.
    Piece(Piece),
    /// Pages from anywhere.
    Scattered(VVec<u8>),
}

/// Zeroed pages, charged to the memory cgroup of their maker, that can be mapped.
///
/// Mappings hold the pages: they may outlive this object, until the last `munmap()`. The kernel's
/// address is valid as long as the object; user space changes the memory at any time, so it is
/// accessed by volatile or atomic operations on [`Self::as_ptr`] only.
///
/// # Invariants
///
/// `start` and `len` are those of `place`.
pub(crate) struct RingMem {
    start: NonNull<u8>,
    len: usize,
    place: Place,
}

// SAFETY: Owned memory.
unsafe impl Send for RingMem {}
// SAFETY: No method accesses the memory.
unsafe impl Sync for RingMem {}

impl RingMem {
    /// Allocates `size` bytes.
    ///
    /// # Errors
    ///
    /// `EINVAL` if that is 0, no multiple of the page size, or more than `max`; `ENOMEM`.
    pub(crate) fn new(size: usize, max: usize) -> Result<Self> {
        if size == 0 || size % PAGE_SIZE != 0 || size > max {
            return Err(EINVAL);
        }
        if let Some(piece) = (size <= PIECE_MAX).then(|| Piece::new(size)).flatten() {
            // INVARIANT: The same.
            return Ok(Self {
                start: piece.start,
                len: piece.size,
                place: Place::Piece(piece),
            });
        }
        let mut mem = VVec::<u8>::with_capacity(size, GFP_KERNEL_ACCOUNT | __GFP_ZERO)?;
        // SAFETY: The capacity is at least `size`, and all of it is zeroed.
        unsafe { mem.inc_len(size) };
        // INVARIANT: The same.
        Ok(Self {
            start: NonNull::new(mem.as_mut_ptr()).ok_or(ENOMEM)?,
            len: mem.len(),
            place: Place::Scattered(mem),
        })
    }

    /// Returns the kernel's address; page aligned.
    #[inline]
    pub(crate) fn as_ptr(&self) -> *mut u8 {
        self.start.as_ptr()
    }

    /// Returns the size in bytes.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Returns some of the pages, in order.
    ///
    /// # Errors
    ///
    /// `EINVAL` for pages that are not there, `ENOMEM`.
    fn pages(&self, range: Range<usize>) -> Result<KVVec<*mut bindings::page>> {
        let count = range.end.checked_sub(range.start).ok_or(EINVAL)?;
        if range.end > self.len() / PAGE_SIZE {
            return Err(EINVAL);
        }
        let mut pages = KVVec::with_capacity(count, GFP_KERNEL_ACCOUNT)?;
        let first = self.as_ptr().wrapping_add(range.start * PAGE_SIZE);
        // SAFETY: The pages are inside of the memory, and there is room for as many pointers, which
        // the helper writes.
        unsafe {
            let room = pages.spare_capacity_mut().as_mut_ptr().cast();
            bindings_ub::ub_helper_pages_at(first.cast(), room, count);
            pages.inc_len(count);
        }
        Ok(pages)
    }

    /// Maps all of it; see [`Self::mmap_pages`].
    pub(crate) fn mmap(&self, vma: &VmaNew, access: MapAccess) -> Result {
        self.mmap_pages(vma, 0..self.len() / PAGE_SIZE, access)
    }

    /// Maps a range of the pages: shared, of exactly that length, never executable, not inherited
    /// by `fork()`, not growing, not in core dumps.
    ///
    /// # Errors
    ///
    /// `EINVAL` for another length, a private or executable mapping, or one with more access;
    /// `ENOMEM`.
    pub(crate) fn mmap_pages(
        &self,
        vma: &VmaNew,
        pages: Range<usize>,
        access: MapAccess,
    ) -> Result {
        let mut pages = self.pages(pages)?;
        let length = vma.end().checked_sub(vma.start()).ok_or(EINVAL)?;
        if length != pages.len() * PAGE_SIZE || vma.flags() & flags::SHARED == 0 {
            return Err(EINVAL);
        }
        vma.try_clear_mayexec()?;
        if access == MapAccess::ReadOnly {
            vma.try_clear_maywrite()?;
        }
        vma.set_dontcopy();
        vma.set_dontexpand();
        vma.set_dontdump();
        vma.set_mixedmap();
        let mut left = pages.len();
        // SAFETY: The area is being set up and as large as the pages, which it will count.
        to_result(unsafe {
            bindings::vm_insert_pages(vma.as_ptr(), vma.start(), pages.as_mut_ptr(), &mut left)
        })
    }
}
