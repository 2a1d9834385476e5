// SPDX-License-Identifier: GPL-2.0

//! Counting the users of something that can be revoked.

use super::hot::{
    HotCount,
    HotWord, //
};
use kernel::{
    prelude::*,
    sync::{
        atomic::{
            Acquire,
            Atomic,
            Full,
            Relaxed, //
        },
        Completion, //
    }, //
};

/// The bit of the count that says: revoked.
const REVOKED: i32 = 1 << 30;

/// A count of users, who are kept out and waited for at revocation.
///
/// Entering and leaving is an atomic operation each; users may sleep. No more than 2^30 at once.
///
/// A revocation that has waited is no leave to free the count: the last user completes `idle` after
/// it has left, and the one who waits may be on its way by then. So whoever enters keeps the memory
/// of the count until its guard has been dropped, by a counted reference of its own or an RCU section;
/// a [`UseGuard`] borrows the count, and says so to the compiler.
#[pin_data]
pub(crate) struct UseCount {
    /// Number of users, and [`REVOKED`].
    users: Atomic<i32>,
    /// Completed when the last user has left after revocation.
    #[pin]
    idle: Completion,
}

impl UseCount {
    /// Makes a count without users.
    pub(crate) fn new() -> impl PinInit<Self> {
        pin_init!(Self {
            users: Atomic::new(0),
            idle <- Completion::new(),
        })
    }

    /// Enters, unless revoked.
    #[inline]
    pub(crate) fn try_enter(&self) -> Option<UseGuard<'_>> {
        let before = self.users.hot_add(1);
        let guard = UseGuard(self);
        // When this returns nothing, the guard leaves again.
        (before & REVOKED == 0).then_some(guard)
    }

    /// Tells whether new users are kept out.
    #[inline]
    pub(crate) fn is_revoked(&self) -> bool {
        self.users.hot_load() & REVOKED != 0
    }

    /// Keeps new users out from now on; returns whether this call was the first to say so.
    pub(crate) fn revoke_nowait(&self) -> bool {
        let mut users = self.users.load(Relaxed);
        while users & REVOKED == 0 {
            match self.users.cmpxchg(users, users | REVOKED, Full) {
                Ok(_) => return true,
                Err(now) => users = now,
            }
        }
        false
    }

    /// Keeps new users out and waits until all have left.
    ///
    /// Any number of callers, none of them a user.
    pub(crate) fn revoke(&self) {
        self.revoke_nowait();
        if self.users.load(Acquire) != REVOKED {
            self.idle.wait_for_completion();
        }
    }

    /// Wakes those who wait for the last user.
    #[cold]
    fn last_left(&self) {
        self.idle.complete_all();
    }

    /// Leaves. The caller keeps the count in memory until this has returned.
    #[inline]
    fn leave(&self) {
        if self.users.hot_add(-1) == REVOKED + 1 {
            self.last_left();
        }
    }
}

/// Proof of being a user; leaves when dropped, until the end of which the count stays borrowed.
pub(crate) struct UseGuard<'a>(&'a UseCount);

impl Drop for UseGuard<'_> {
    #[inline]
    fn drop(&mut self) {
        self.0.leave();
    }
}
