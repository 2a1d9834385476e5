// SPDX-License-Identifier: GPL-2.0

//! Learning that a mapping goes away, in particular with its whole address space.
//!
//! C header: [`include/linux/mm.h`](srctree/include/linux/mm.h)
//!
//! An open file survives `exec()` when it was inherited, and may survive its process. A mapping
//! does not: when it is closed and its address space has no user left, the process has executed
//! another program, or died.

use super::{
    arc::ArcBorrow,
    fault::{
        Fault,
        Outcome, //
    },
    fops::{
        private_of,
        FileOperations, //
    }, //
};
use crate::bindings_ub;
use core::marker::PhantomData;
use kernel::{
    bindings,
    fs::File,
    mm::virt::VmaNew,
    prelude::*, //
};

/// A mapping that has gone.
#[derive(Copy, Clone, Debug)]
pub(crate) struct VmaClosed {
    /// Whether the address space is going, not just the mapping.
    pub(crate) mm_is_dying: bool,
    /// The first address.
    pub(crate) start: usize,
    /// The length in bytes.
    pub(crate) len: usize,
    /// The offset in the file, in pages.
    pub(crate) pgoff: usize,
}

/// A file that wants to know of the end of some of its mappings.
pub(crate) trait VmaHook: FileOperations {
    /// The table of operations: `vm_ops!(Type)`.
    const VM_OPS: &'static VmOps<Self>;

    /// Called when a mapping given to [`watch`] has gone, or has moved to another address.
    ///
    /// Runs with the lock of the address space held for writing: take no lock under which anybody
    /// accesses user memory; mark, and queue the work.
    fn vma_closed(this: ArcBorrow<'_, Self>, vma: VmaClosed);

    /// Called when a page of such a mapping is touched that is not there.
    ///
    /// Runs with the lock of the address space held for reading: see [`Self::vma_closed`].
    fn fault(this: ArcBorrow<'_, Self>, fault: &Fault<'_>) -> Outcome;
}

/// A `struct vm_operations_struct` for mappings of files that own an `Arc<T>`.
#[repr(transparent)]
pub(crate) struct VmOps<T>(bindings::vm_operations_struct, PhantomData<fn(&T)>);

// SAFETY: Nobody writes to it.
unsafe impl<T> Sync for VmOps<T> {}

impl<T: VmaHook> VmOps<T> {
    /// Makes the table; for [`vm_ops!`].
    pub(crate) const fn new() -> Self {
        Self(
            bindings::vm_operations_struct {
                close: Some(Self::close_callback),
                may_split: Some(Self::may_split_callback),
                fault: Some(Self::fault_callback),
                ..pin_init::zeroed()
            },
            PhantomData,
        )
    }

    /// # Safety
    ///
    /// `vma` must be a mapping that was given to [`watch::<T>`].
    unsafe extern "C" fn close_callback(vma: *mut bindings::vm_area_struct) {
        // SAFETY: The area is being removed under the lock of its address space, and holds its
        // file until after this call.
        let (file, mm, start, end, pgoff) = unsafe {
            let bounds = &(*vma).__bindgen_anon_1.__bindgen_anon_1;
            (
                File::from_raw_file((*vma).vm_file),
                (*vma).vm_mm,
                bounds.vm_start,
                bounds.vm_end,
                (*vma).vm_pgoff,
            )
        };
        let Some(this) = private_of::<T>(file) else {
            return;
        };
        let closed = VmaClosed {
            // SAFETY: The address space exists as long as its areas.
            mm_is_dying: unsafe { bindings_ub::ub_helper_mm_users(mm) } == 0,
            start,
            len: end.wrapping_sub(start),
            pgoff,
        };
        T::vma_closed(this, closed);
    }

    /// # Safety
    ///
    /// `vmf` must be a fault that is being handled, in a mapping that was given to [`watch::<T>`].
    unsafe extern "C" fn fault_callback(vmf: *mut bindings::vm_fault) -> bindings::vm_fault_t {
        // SAFETY: By the function's contract.
        let Some(fault) = (unsafe { Fault::from_raw(vmf) }) else {
            return Outcome::SIGBUS.raw();
        };
        // SAFETY: The area holds its file.
        let file = unsafe { File::from_raw_file((*(*vmf).__bindgen_anon_1.vma).vm_file) };
        private_of::<T>(file)
            .map_or(Outcome::SIGBUS, |this| T::fault(this, &fault))
            .raw()
    }

    /// Refuses to split: a part of a watched mapping means nothing.
    ///
    /// # Safety
    ///
    /// None; the type demands it.
    unsafe extern "C" fn may_split_callback(
        _vma: *mut bindings::vm_area_struct,
        _address: c_ulong,
    ) -> c_int {
        EINVAL.to_errno()
    }
}

/// Watches a mapping that is being set up, in [`FileOperations::mmap`] of `T`.
///
/// The mapping cannot be split, is not inherited by `fork()`, and does not grow.
///
/// # Errors
///
/// `EINVAL` if the file is not one of `T`.
pub(crate) fn watch<T: VmaHook>(vma: &VmaNew) -> Result {
    // SAFETY: An area in set-up has its file.
    let file = unsafe { (*vma.as_ptr()).vm_file };
    // SAFETY: Held by the area, if there is one.
    if file.is_null() || !unsafe { T::TABLE.is_of(file) } {
        return Err(EINVAL);
    }
    vma.set_dontcopy();
    vma.set_dontexpand();
    // SAFETY: The area is in set-up; the table is static, and its module is pinned by the file.
    unsafe { (*vma.as_ptr()).vm_ops = &T::VM_OPS.0 };
    Ok(())
}

/// Makes the `static` table of a type: the value of [`VmaHook::VM_OPS`].
macro_rules! vm_ops {
    ($type:ty) => {{
        static OPS: $crate::kernel_ext::mm_exit::VmOps<$type> =
            $crate::kernel_ext::mm_exit::VmOps::new();
        &OPS
    }};
}
