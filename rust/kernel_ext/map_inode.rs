// SPDX-License-Identifier: GPL-2.0

//! An inode that nobody sees, for all mappings of one device.
//!
//! All files on anonymous inodes share one address space, with all of the system. Files whose
//! mappings are to be removed together get this one instead, by [`FileOperations::map_inode`].
//!
//! [`FileOperations::map_inode`]: super::fops::FileOperations::map_inode

use super::arc::Arc;
use crate::bindings_ub;
use core::ptr::{
    null,
    null_mut,
    NonNull, //
};
use kernel::{
    bindings,
    error::from_err_ptr,
    mm::virt::VmaNew,
    prelude::*, //
};

/// A private inode.
///
/// # Invariants
///
/// Owns a reference to the inode.
pub(crate) struct MapInode(NonNull<bindings::inode>);

// SAFETY: Inodes may be used and dropped on any thread.
unsafe impl Send for MapInode {}
// SAFETY: Inodes have locks of their own.
unsafe impl Sync for MapInode {}

/// A table without operations, used for a moment only.
struct NoOps(bindings::file_operations);

// SAFETY: Nobody writes to it.
unsafe impl Sync for NoOps {}

static NO_OPS: NoOps = NoOps(pin_init::zeroed());

impl MapInode {
    /// Makes an inode.
    pub(crate) fn new() -> Result<Arc<Self>> {
        // SAFETY: Name and table are static.
        let file = from_err_ptr(unsafe {
            bindings_ub::anon_inode_create_getfile(
                c"[ub-map]".as_char_ptr(),
                &NO_OPS.0,
                null_mut(),
                bindings::O_RDWR as c_int,
                null(),
            )
        })?;
        // SAFETY: The file is ours alone. `fput()` acts later, perhaps after this module is gone,
        // and reads the operations: hence those of the inode, which belong to the kernel.
        let inode = unsafe {
            let inode = (*file).f_inode;
            (*file).f_op = (*inode).__bindgen_anon_3.i_fop;
            bindings::ihold(inode);
            bindings::fput(file);
            inode
        };
        // INVARIANT: `ihold()` made the reference.
        let this = Self(NonNull::new(inode).ok_or(ENOMEM)?);
        Ok(Arc::new(this, GFP_KERNEL)?)
    }

    /// Finds the inode of a mapping that is being set up; it may be any file's.
    pub(crate) fn of(vma: &VmaNew) -> Option<Self> {
        // SAFETY: An area in set-up holds its file, if it has one; a file has an address space, and
        // that an inode.
        let inode = unsafe {
            let file = (*vma.as_ptr()).vm_file.as_ref()?;
            let inode = NonNull::new((*file.f_mapping).host)?;
            bindings::ihold(inode.as_ptr());
            inode
        };
        // INVARIANT: `ihold()` made the reference.
        Some(Self(inode))
    }

    /// Returns the address space, for files whose object keeps `self`.
    pub(super) fn mapping(&self) -> *mut bindings::address_space {
        // SAFETY: Valid by the type invariant; never changes for such an inode.
        unsafe { (*self.0.as_ptr()).i_mapping }
    }

    /// Removes all mappings; a later access gets a fault, or `SIGBUS` without a fault handler.
    pub(crate) fn zap_all(&self) {
        self.zap_from(0, 0);
    }

    /// Removes what is mapped from `offset` on, for `len` bytes; both in whole pages.
    pub(crate) fn zap(&self, offset: usize, len: usize) {
        if len != 0 {
            self.zap_from(offset, len);
        }
    }

    /// Removes mappings; a length of 0 means all the rest.
    fn zap_from(&self, offset: usize, len: usize) {
        // SAFETY: A valid address space.
        unsafe {
            bindings::unmap_mapping_range(
                self.mapping(),
                offset as bindings::loff_t,
                len as bindings::loff_t,
                1,
            )
        };
    }
}

impl Drop for MapInode {
    fn drop(&mut self) {
        // SAFETY: By the type invariant.
        unsafe { bindings::iput(self.0.as_ptr()) };
    }
}
