// SPDX-License-Identifier: GPL-2.0

//! Jetty groups: which member gets a message.

use super::types::TransMode;
use crate::env::{
    Result,
    EINVAL, //
};

/// How a group chooses the member that gets a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum GroupPolicy {
    /// One after the other.
    RoundRobin = 0,
    /// By the sender's hint: the same hint means the same member, as long as members neither come
    /// nor go.
    HashHint = 1,
}

impl GroupPolicy {
    /// Reads a raw policy.
    ///
    /// # Errors
    ///
    /// `EINVAL` for an unknown value.
    pub(crate) fn from_raw(raw: u32) -> Result<Self> {
        match raw {
            0 => Ok(Self::RoundRobin),
            1 => Ok(Self::HashHint),
            _ => Err(EINVAL),
        }
    }

    /// Returns the place of the member to begin with, below `members`; 0 for an empty group.
    ///
    /// `turn` is the number of messages before this one.
    pub(crate) fn first(self, turn: u32, hint: u32, members: u32) -> u32 {
        match self {
            Self::RoundRobin => turn.checked_rem(members).unwrap_or(0),
            Self::HashHint => {
                // The upper half of a product with an odd number: each bit of the hint matters.
                let hash = u64::from(hint).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
                // CAST: Less than `members`, or 0.
                (hash.wrapping_mul(members.into()) >> 32) as u32
            }
        }
    }
}

/// Checks the import of a group.
///
/// # Errors
///
/// `EINVAL` for another service than reliable messages, and for an unknown policy.
pub(crate) fn check_import(mode: TransMode, policy: u32) -> Result {
    if mode != TransMode::Rm {
        return Err(EINVAL);
    }
    GroupPolicy::from_raw(policy).map(|_| ())
}

#[cfg(test)]
#[path = "tests/group.rs"]
mod tests;
