// SPDX-License-Identifier: GPL-2.0

//! The option structures that a user passes when it activates something.

use crate::{
    bindings_ub as b,
    io::read_bytes,
    logic::options::MASKED_OPTIONS, //
};
use core::mem::offset_of;
use kernel::prelude::*;

/// Bytes of the option structure of a queue; those of all kinds are laid out alike.
const QUEUE_OPT_LEN: usize = size_of::<b::uburma_jfs_opt>();

const _: () = {
    assert!(size_of::<b::uburma_jfc_opt>() == QUEUE_OPT_LEN);
    assert!(size_of::<b::uburma_jfr_opt>() == QUEUE_OPT_LEN);
    assert!(offset_of!(b::uburma_jfc_opt, ci) == offset_of!(b::uburma_jfs_opt, ci));
    assert!(offset_of!(b::uburma_jfr_opt, ci) == offset_of!(b::uburma_jfs_opt, ci));
};

/// Where the values of the options with bits 0 to 6 of the mask are.
const QUEUE_OPT_VALUES: [usize; MASKED_OPTIONS as usize] = [
    offset_of!(b::uburma_jfs_opt, sqe_base_addr),
    offset_of!(b::uburma_jfs_opt, id),
    offset_of!(b::uburma_jfs_opt, db_addr),
    offset_of!(b::uburma_jfs_opt, db_status),
    offset_of!(b::uburma_jfs_opt, pi),
    offset_of!(b::uburma_jfs_opt, pi_type),
    offset_of!(b::uburma_jfs_opt, ci),
];

/// The options that a user passes at activation.
pub(crate) struct QueueOptions([u8; QUEUE_OPT_LEN]);

impl QueueOptions {
    /// Reads those of a queue.
    ///
    /// # Errors
    ///
    /// `EFAULT`
    pub(crate) fn read(addr: u64) -> Result<Self> {
        let mut bytes = [0; QUEUE_OPT_LEN];
        read_bytes(addr, &mut bytes)?;
        Ok(Self(bytes))
    }

    /// Reads those of the send side of a jetty.
    ///
    /// # Errors
    ///
    /// `EFAULT`
    pub(crate) fn read_jetty(addr: u64) -> Result<Self> {
        let offset = offset_of!(b::uburma_jetty_opt, jfs_opt) as u64;
        Self::read(addr.checked_add(offset).ok_or(EFAULT)?)
    }

    /// Returns the mask.
    ///
    /// # Errors
    ///
    /// `EINVAL` for a bit without a meaning.
    pub(super) fn mask(&self) -> Result<u64> {
        let mask = self.0.first_chunk().map_or(0, |m| u64::from_ne_bytes(*m));
        if mask >> MASKED_OPTIONS != 0 {
            return Err(EINVAL);
        }
        Ok(mask)
    }

    /// Returns the value of the option with a bit of the mask, of so many bytes.
    pub(super) fn value(&self, bit: u32, len: u32) -> Result<&[u8]> {
        let at = *QUEUE_OPT_VALUES.get(bit as usize).ok_or(EINVAL)?;
        let end = at.checked_add(len as usize).ok_or(EINVAL)?;
        self.0.get(at..end).ok_or(EINVAL)
    }
}
