// SPDX-License-Identifier: GPL-2.0

//! Memory to be registered.

use ub_client::sys::Mapping;
use ub_client::{Error, Result};

/// Bytes of a large registration.
pub const LARGE: usize = 64 << 20;

/// The large registrations that are measured: in huge pages or not.
pub const LARGE_ROWS: [(&str, bool); 2] = [("seg_64m", false), ("seg_64m_huge", true)];

/// Makes memory of [`LARGE`] bytes that is there, in huge pages or without any.
pub fn large(huge: bool) -> Result<Mapping> {
    let memory = Mapping::anonymous(LARGE)?;
    let advice = if huge {
        libc::MADV_HUGEPAGE
    } else {
        libc::MADV_NOHUGEPAGE
    };
    // SAFETY: a mapping of that length; how its pages are does not change what they hold.
    if unsafe { libc::madvise(memory.addr() as *mut libc::c_void, LARGE, advice) } != 0 {
        let why = std::io::Error::last_os_error();
        return Err(Error::BadReply(format!("madvise: {why}")));
    }
    memory.fill(0, LARGE, 1);
    Ok(memory)
}
