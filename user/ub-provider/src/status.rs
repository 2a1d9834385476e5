// SPDX-License-Identifier: GPL-2.0

//! How operations fail: a status of liburma and an errno, which say the same.

use ub_urma::*;

/// Why an operation failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Failure {
    /// URMA_*, never URMA_SUCCESS.
    pub(crate) status: u32,
    /// The errno that callers find who get no status.
    pub(crate) errno: i32,
}

/// Result of an operation.
pub(crate) type Outcome<T> = Result<T, Failure>;

/// Statuses that are errnos too, by number.
const SAME: [(u32, i32); 6] = [
    (URMA_EAGAIN, libc::EAGAIN),
    (URMA_ENOMEM, libc::ENOMEM),
    (URMA_EEXIST, libc::EEXIST),
    (URMA_EINVAL, libc::EINVAL),
    (URMA_ETIMEOUT, libc::ETIMEDOUT),
    (URMA_EINPROGRESS, libc::EINPROGRESS),
];

impl Failure {
    /// An argument is not what it should be: missing, gone, of another context.
    pub(crate) const INVALID: Failure = Failure {
        status: URMA_EINVAL,
        errno: libc::EINVAL,
    };
    /// No memory, or no room in a queue.
    pub(crate) const NO_MEMORY: Failure = Failure {
        status: URMA_ENOMEM,
        errno: libc::ENOMEM,
    };
    /// Something is in the way that will go.
    pub(crate) const AGAIN: Failure = Failure {
        status: URMA_EAGAIN,
        errno: libc::EAGAIN,
    };
    /// The device does not do that.
    pub(crate) const UNSUPPORTED: Failure = Failure {
        status: URMA_FAIL,
        errno: libc::EOPNOTSUPP,
    };
    /// The kernel replied something that makes no sense.
    pub(crate) const BAD_REPLY: Failure = Failure {
        status: URMA_FAIL,
        errno: libc::EPROTO,
    };

    /// By an errno.
    pub(crate) fn of_errno(errno: i32) -> Self {
        let status = match errno {
            libc::EPERM => URMA_ENOPERM,
            _ => SAME
                .iter()
                .find(|(_, same)| *same == errno)
                .map_or(URMA_FAIL, |(status, _)| *status),
        };
        Failure { status, errno }
    }

    /// By a status that a function of liburma returned.
    pub(crate) fn of_status(status: u32) -> Self {
        let errno = match status {
            URMA_ENOPERM => libc::EPERM,
            _ => SAME
                .iter()
                .find(|(same, _)| *same == status)
                .map_or(libc::EIO, |(_, errno)| *errno),
        };
        Failure { status, errno }
    }

    /// By an error of the client library.
    pub(crate) fn of_client(err: &ub_client::Error) -> Self {
        match err {
            ub_client::Error::RingFull => Self::NO_MEMORY,
            ub_client::Error::TooLarge => Self::INVALID,
            ub_client::Error::Sys { errno, .. } => Self::of_errno(*errno),
            _ => Self::BAD_REPLY,
        }
    }
}
