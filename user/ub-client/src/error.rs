// SPDX-License-Identifier: GPL-2.0

//! What can go wrong.

use std::fmt;

/// Result of this crate.
pub type Result<T> = std::result::Result<T, Error>;

/// Why something failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Error {
    /// A system call or command failed with this errno.
    Sys {
        /// What was attempted.
        what: String,
        /// The errno of it.
        errno: i32,
    },
    /// The ring has no room for another entry.
    RingFull,
    /// The request does not fit into an entry of the ring.
    TooLarge,
    /// The kernel answered something that contradicts the ABI.
    BadReply(String),
    /// No device fits.
    NoDevice(String),
    /// Nothing happened within the time allowed.
    TimedOut(String),
}

impl Error {
    /// An error of a system call or command.
    pub fn sys(what: &str, errno: i32) -> Self {
        Error::Sys {
            what: what.to_string(),
            errno,
        }
    }

    /// The last error of a system call, told apart by `what`.
    pub fn last(what: &str) -> Self {
        Self::io(what, &std::io::Error::last_os_error())
    }

    /// The errno that an error of the standard library carries.
    pub fn io(what: &str, err: &std::io::Error) -> Self {
        Self::sys(what, err.raw_os_error().unwrap_or(libc::EIO))
    }

    /// The errno, 0 for failures that have none.
    pub fn errno(&self) -> i32 {
        match self {
            Error::Sys { errno, .. } => *errno,
            _ => 0,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Sys { what, errno } => {
                let text = std::io::Error::from_raw_os_error(*errno);
                write!(f, "{what}: {text}")
            }
            Error::RingFull => f.write_str("the ring is full"),
            Error::TooLarge => f.write_str("the request does not fit into an entry"),
            Error::BadReply(what) => write!(f, "the kernel contradicts the ABI: {what}"),
            Error::NoDevice(what) => write!(f, "no device: {what}"),
            Error::TimedOut(what) => write!(f, "timed out: {what}"),
        }
    }
}

impl std::error::Error for Error {}
