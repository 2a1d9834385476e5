// SPDX-License-Identifier: GPL-2.0

//! Memory of the kernel that user space maps.

use core::ops::Range;
use kernel::{
    alloc::flags::__GFP_ZERO,
    bindings,
    error::to_result,
    mm::virt::{
        flags,
        VmaNew, //
    },
    page::{
        AsPageIter,
        PAGE_SIZE, //
    },
    prelude::*, //
};

/// What user space may do with a mapping.
#[derive(Copy, Clone, Debug, Eq, PartialEq)]
pub(crate) enum MapAccess {
    /// Read, also later by `mprotect()`.
    ReadOnly,
    /// Read and write.
    ReadWrite,
}

/// Zeroed pages, charged to the memory cgroup of their maker, that can be mapped.
///
/// Mappings hold the pages: they may outlive this object, until the last `munmap()`. The kernel's
/// address is valid as long as the object; user space changes the memory at any time, so it is
/// accessed by volatile or atomic operations on [`Self::as_ptr`] only.
pub(crate) struct RingMem {
    mem: VVec<u8>,
    /// The pages of `mem`, in order.
    pages: KVVec<*mut bindings::page>,
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
        let mut mem = VVec::<u8>::with_capacity(size, GFP_KERNEL_ACCOUNT | __GFP_ZERO)?;
        // SAFETY: The capacity is at least `size`, and all of it is zeroed.
        unsafe { mem.inc_len(size) };
        let mut pages = KVVec::with_capacity(size / PAGE_SIZE, GFP_KERNEL_ACCOUNT)?;
        for page in mem.page_iter().take(size / PAGE_SIZE) {
            pages.push(page.as_ptr(), GFP_KERNEL_ACCOUNT)?;
        }
        Ok(Self { mem, pages })
    }

    /// Returns the kernel's address; page aligned.
    pub(crate) fn as_ptr(&self) -> *mut u8 {
        self.mem.as_ptr().cast_mut()
    }

    /// Returns the size in bytes.
    pub(crate) fn len(&self) -> usize {
        self.mem.len()
    }

    /// Maps all of it; see [`Self::mmap_pages`].
    pub(crate) fn mmap(&self, vma: &VmaNew, access: MapAccess) -> Result {
        self.mmap_pages(vma, 0..self.pages.len(), access)
    }

    /// Maps a range of the pages: shared, of exactly that length, never executable, not inherited
    /// by `fork()`, not growing, not in core dumps.
    ///
    /// # Errors
    ///
    /// `EINVAL` for another length, a private or executable mapping, or one with more access.
    pub(crate) fn mmap_pages(
        &self,
        vma: &VmaNew,
        pages: Range<usize>,
        access: MapAccess,
    ) -> Result {
        let pages = self.pages.get(pages).ok_or(EINVAL)?;
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
        // SAFETY: The area is being set up and as large as the pages, which it will count; the
        // array is only read.
        to_result(unsafe {
            bindings::vm_insert_pages(
                vma.as_ptr(),
                vma.start(),
                pages.as_ptr().cast_mut(),
                &mut left,
            )
        })
    }
}
