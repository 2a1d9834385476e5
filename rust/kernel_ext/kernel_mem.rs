// SPDX-License-Identifier: GPL-2.0

//! Memory of the kernel that somebody else owns, named by its address.

use crate::bindings_ub;
use kernel::prelude::*;

/// A range of kernel memory that its owner lends.
///
/// Others change it at any time: all access is by raw pointers, with operations that cope with that.
///
/// # Invariants
///
/// `len` bytes, at least one, are mapped at `start` and may be read and written.
pub(crate) struct KernelMem {
    start: *mut u8,
    len: usize,
}

// SAFETY: Kernel memory belongs to no task.
unsafe impl Send for KernelMem {}
// SAFETY: No method accesses the memory.
unsafe impl Sync for KernelMem {}

impl KernelMem {
    /// Describes `len` bytes at `start`.
    ///
    /// # Errors
    ///
    /// `EINVAL` for an empty range or one that wraps around, `EFAULT` unless all of it is memory
    /// that the kernel maps: linear, from `vmalloc()`, or of a module.
    ///
    /// # Safety
    ///
    /// Whoever gave the address must keep the memory as long as the object exists, and expect that
    /// it is read and written.
    pub(crate) unsafe fn new(start: usize, len: usize) -> Result<Self> {
        start.checked_add(len).filter(|_| len != 0).ok_or(EINVAL)?;
        let start = core::ptr::with_exposed_provenance_mut::<u8>(start);
        // SAFETY: The helper looks at page tables only.
        if !unsafe { bindings_ub::ub_helper_is_kernel_range(start.cast(), len) } {
            return Err(EFAULT);
        }
        // INVARIANT: Mapped now, and kept by the function's contract.
        Ok(Self { start, len })
    }

    /// Returns the length in bytes.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Returns the address of the byte at `offset`, and how many of the `len` bytes from there on
    /// are contiguous: all.
    ///
    /// `None` if not all of the `len` bytes, at least one, are in the range.
    #[inline]
    pub(crate) fn run(&self, offset: usize, len: usize) -> Option<(*mut u8, usize)> {
        let end = offset.checked_add(len)?;
        if len == 0 || end > self.len {
            return None;
        }
        Some((self.start.wrapping_add(offset), len))
    }
}
