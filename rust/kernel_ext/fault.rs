// SPDX-License-Identifier: GPL-2.0

//! Page faults in mappings of memory that is not the file's own.
//!
//! C header: [`include/linux/mm.h`](srctree/include/linux/mm.h)
//!
//! The mapping is empty at first, and each page comes in when it is touched. So it can be taken
//! away without a gap: whoever lends the memory keeps faults out first and zaps then; what is
//! mapped later asks again.

use super::map_inode::MapInode;
use crate::bindings_ub;
use core::{
    marker::PhantomData,
    ptr::NonNull, //
};
use kernel::{
    bindings,
    mm::virt::{
        flags,
        VmaNew, //
    },
    page::PAGE_SHIFT,
    prelude::*, //
};

/// Begins the set-up of a mapping of lent memory: shared, never executable, never written unless
/// `writable`, not inherited by `fork()`, not growing, not in core dumps, and of no use for pins.
///
/// `tag` is what [`Fault::tag`] tells later. Returns the inode that the mapping belongs to.
///
/// # Errors
///
/// `EINVAL` for a private mapping or one with more access, `EIO` for one without file.
pub(crate) fn lend(vma: &VmaNew, writable: bool, tag: usize) -> Result<MapInode> {
    if vma.flags() & flags::SHARED == 0 {
        return Err(EINVAL);
    }
    vma.try_clear_mayexec()?;
    if !writable {
        vma.try_clear_maywrite()?;
    }
    vma.set_dontcopy();
    vma.set_dontexpand();
    vma.set_dontdump();
    let area = vma.as_ptr();
    // SAFETY: The area is in set-up, and ours alone. It is not `VM_MIXEDMAP`, and has no pages.
    unsafe {
        (*area).__bindgen_anon_2.vm_flags |= flags::PFNMAP;
        (*area).vm_private_data = core::ptr::without_provenance_mut(tag);
    }
    MapInode::of(vma).ok_or(EIO)
}

/// How a fault ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Outcome(bindings::vm_fault_t);

impl Outcome {
    /// The access gets `SIGBUS`, or `EFAULT` in a system call.
    pub(crate) const SIGBUS: Self = Self(bindings::vm_fault_reason_VM_FAULT_SIGBUS);

    /// Makes one of what a C function returns.
    pub(crate) fn from_raw(raw: bindings::vm_fault_t) -> Self {
        Self(raw)
    }

    /// Returns what C expects.
    pub(crate) fn raw(self) -> bindings::vm_fault_t {
        self.0
    }
}

/// A page fault in progress.
///
/// # Invariants
///
/// Valid during `'a`, with the lock of the address space held for reading.
pub(crate) struct Fault<'a>(NonNull<bindings::vm_fault>, PhantomData<&'a ()>);

impl Fault<'_> {
    /// Makes one of what C says.
    ///
    /// # Safety
    ///
    /// `vmf` must be valid during `'a`, for a fault that is being handled.
    pub(crate) unsafe fn from_raw(vmf: *mut bindings::vm_fault) -> Option<Self> {
        // INVARIANT: By the function's contract.
        NonNull::new(vmf).map(|vmf| Self(vmf, PhantomData))
    }

    /// Returns the C structure.
    pub(crate) fn as_ptr(&self) -> *mut bindings::vm_fault {
        self.0.as_ptr()
    }

    /// Returns the offset of the page in the file, in pages.
    pub(crate) fn pgoff(&self) -> usize {
        // SAFETY: By the type invariant.
        unsafe { self.0.as_ref() }.__bindgen_anon_1.pgoff
    }

    /// Returns the tag that the mapping was set up with; 0 for one that [`lend`] did not see.
    pub(crate) fn tag(&self) -> usize {
        // SAFETY: By the type invariant; neither changes while there is the mapping.
        unsafe { (*self.0.as_ref().__bindgen_anon_1.vma).vm_private_data }.addr()
    }

    /// Maps the page whose first byte the kernel sees at `page`, unless another thread has.
    ///
    /// # Safety
    ///
    /// The page must be one of the direct map, and stay until mappings of it are zapped. The
    /// mapping must be set up by [`lend`].
    pub(crate) unsafe fn insert(&self, page: *mut u8) -> Outcome {
        // SAFETY: By the type invariant and the function's contract.
        Outcome(unsafe { bindings_ub::ub_helper_insert_page(self.0.as_ptr(), page.cast()) })
    }
}

/// Returns the number of pages of a mapping.
pub(crate) fn pages_of(vma: &VmaNew) -> usize {
    vma.end().saturating_sub(vma.start()) >> PAGE_SHIFT
}
