// SPDX-License-Identifier: GPL-2.0

//! Files that an ioctl makes, and the way back from a file descriptor to the object.
//!
//! C header: [`include/linux/anon_inodes.h`](srctree/include/linux/anon_inodes.h)
//!
//! In this order nothing is left behind when the reply cannot be written:
//!
//! ```ignore
//! let fd = NewFd::reserve(true)?;
//! let file = AnonFile::new(c"[ub-event]", object, Access::ReadWrite)?;
//! reply.write(&fd.fd())?; // The last thing that can fail.
//! fd.install(file);
//! ```

use super::{
    arc::Arc,
    fops::{
        private_of,
        FileOperations, //
    }, //
};
use crate::bindings_ub;
use core::ptr::NonNull;
use kernel::{
    bindings,
    error::from_err_ptr,
    fs::{
        file::FileDescriptorReservation,
        File,
        LocalFile, //
    },
    prelude::*,
    sync::aref::ARef, //
};

/// How a new file is open.
#[derive(Copy, Clone, Debug, Eq, PartialEq)]
pub(crate) enum Access {
    /// For reading.
    ReadOnly,
    /// For reading and writing, which a shared writable mapping needs.
    ReadWrite,
}

/// A file on the anonymous inode that owns an object; not yet in a table of descriptors.
///
/// Dropping it releases the object when the task returns to user space, not before.
pub(crate) struct AnonFile(ARef<File>);

impl AnonFile {
    /// Makes a file that owns `object`; `name` is what `/proc/<pid>/fd` shows.
    ///
    /// # Errors
    ///
    /// `ENFILE`, `ENOMEM`; `ENOENT` if the module of `T` is being unloaded.
    pub(crate) fn new<T: FileOperations>(
        name: &'static CStr,
        object: Arc<T>,
        access: Access,
    ) -> Result<Self> {
        let flags = match access {
            Access::ReadOnly => bindings::O_RDONLY,
            Access::ReadWrite => bindings::O_RDWR,
        };
        let mappings = T::map_inode(&object).map(|inode| inode.mapping());
        let private = Arc::into_raw(object).cast_mut().cast::<c_void>();
        // SAFETY: Name and table are static; the private data is what the table expects.
        let file = from_err_ptr(unsafe {
            bindings_ub::anon_inode_getfile(
                name.as_char_ptr(),
                T::TABLE.as_raw(),
                private,
                flags as c_int,
            )
        });
        let file = file.inspect_err(|_| {
            // SAFETY: No file took it.
            drop(unsafe { Arc::<T>::from_raw(private.cast()) });
        })?;
        if let Some(mappings) = mappings {
            // SAFETY: A new file, which nobody maps yet; it owns the object, which keeps the inode.
            unsafe { (*file).f_mapping = mappings };
        }
        let file = NonNull::new(file.cast::<File>()).ok_or(ENFILE)?;
        // SAFETY: A new file with one reference, which nobody else has.
        Ok(Self(unsafe { ARef::from_raw(file) }))
    }
}

/// A reserved number in the caller's table of file descriptors; dropping it gives it back.
pub(crate) struct NewFd(FileDescriptorReservation);

impl NewFd {
    /// Reserves the lowest free number; `EMFILE` if there is none.
    pub(crate) fn reserve(cloexec: bool) -> Result<Self> {
        let flags = if cloexec { bindings::O_CLOEXEC } else { 0 };
        FileDescriptorReservation::get_unused_fd_flags(flags).map(Self)
    }

    /// Returns the number.
    pub(crate) fn fd(&self) -> u32 {
        self.0.reserved_fd()
    }

    /// Makes the file visible under the number; cannot fail.
    pub(crate) fn install(self, file: AnonFile) {
        self.0.fd_install(file.0);
    }
}

/// Returns the object of a file that is open in the caller's table.
///
/// # Errors
///
/// `EBADF` if `fd` is not open, `EINVAL` if it is a file of another kind.
pub(crate) fn from_fd<T: FileOperations>(fd: i32) -> Result<Arc<T>> {
    let fd = u32::try_from(fd).map_err(|_| EBADF)?;
    let file = LocalFile::fget(fd)?;
    // SAFETY: We run in a system call that does not use a file position.
    let file = unsafe { LocalFile::assume_no_fdget_pos(file) };
    private_of::<T>(&file).map(Arc::from).ok_or(EINVAL)
}
