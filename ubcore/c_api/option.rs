// SPDX-License-Identifier: GPL-2.0

//! Values of options of staged creation: what a caller passes, and where it is kept.

use crate::bindings_ub::{
    ubcore_jetty_flag,
    ubcore_jfc,
    ubcore_jfr,
    ubcore_jfs_opt, //
};
use core::ptr::NonNull;
use kernel::prelude::*;

/// Where the value of an option is kept in an object.
pub(crate) enum Place {
    /// These bytes.
    Bytes(*mut u8, usize),
    /// A pointer to a completion queue, whose use is counted.
    Jfc(*mut *mut ubcore_jfc),
    /// A pointer to a receive queue, whose use is counted.
    Jfr(*mut *mut ubcore_jfr),
    /// The flags of a jetty.
    JettyFlag(*mut ubcore_jetty_flag),
    /// The flags of its send side, which are a part of them.
    SendFlag(*mut ubcore_jetty_flag),
}

impl Place {
    /// The bytes of a field.
    pub(super) fn of<T>(field: *mut T) -> Self {
        Self::Bytes(field.cast(), size_of::<T>())
    }

    /// The place of an option of the send side that is in the option structure.
    ///
    /// # Safety
    ///
    /// `opts` must be valid.
    pub(super) unsafe fn of_send(opts: *mut ubcore_jfs_opt, opt: u64) -> Option<Self> {
        use crate::bindings_ub::*;
        // SAFETY: By the function's contract.
        unsafe {
            // CAST: A number of the enumeration, or one that none is equal to.
            Some(match u32::try_from(opt).ok()? {
                UBCORE_JFS_SQE_BASE_ADDR => Self::of(&raw mut (*opts).urma_jfs_sqe_base_addr),
                UBCORE_JFS_ID => Self::of(&raw mut (*opts).urma_jfs_id),
                UBCORE_JFS_DB_ADDR => Self::of(&raw mut (*opts).urma_jfs_db_addr),
                UBCORE_JFS_DB_STATUS => Self::of(&raw mut (*opts).urma_jfs_db_status),
                UBCORE_JFS_PI => Self::of(&raw mut (*opts).urma_jfs_pi),
                UBCORE_JFS_PI_TYPE => Self::of(&raw mut (*opts).urma_jfs_pi_type),
                UBCORE_JFS_CI => Self::of(&raw mut (*opts).urma_jfs_ci),
                _ => return None,
            })
        }
    }
}

/// The value of an option: memory of the caller.
pub(crate) struct OptionValue {
    /// Valid for `len` bytes.
    pub(super) buf: *mut c_void,
    /// Bytes.
    pub(super) len: u32,
}

impl OptionValue {
    /// Takes what a client passes; `EINVAL` for a null pointer.
    ///
    /// # Safety
    ///
    /// `buf` must be null or valid for `len` bytes as long as the value exists.
    pub(super) unsafe fn new(buf: *mut c_void, len: u32) -> Result<Self> {
        NonNull::new(buf).ok_or(EINVAL)?;
        Ok(Self { buf, len })
    }

    /// Returns the number of bytes.
    pub(crate) fn len(&self) -> u32 {
        self.len
    }

    /// The same with no more bytes than that.
    pub(crate) fn truncated(&self, len: u32) -> Self {
        Self {
            buf: self.buf,
            len: self.len.min(len),
        }
    }

    /// Reads it as a word.
    pub(super) fn word(&self) -> Result<u32> {
        if self.len as usize != size_of::<u32>() {
            return Err(EINVAL);
        }
        // SAFETY: By the type's contract.
        Ok(unsafe { self.buf.cast::<u32>().read_unaligned() })
    }

    /// Fills it from memory that is valid for `len` bytes.
    pub(super) fn fill(&self, from: *const u8, len: usize) -> Result {
        if len > self.len as usize {
            return Err(EINVAL);
        }
        // SAFETY: Both are valid for so many bytes, and do not overlap.
        unsafe { self.buf.cast::<u8>().copy_from_nonoverlapping(from, len) };
        Ok(())
    }
}
