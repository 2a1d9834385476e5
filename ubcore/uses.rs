// SPDX-License-Identifier: GPL-2.0

//! Use counts of objects, as they are stored in the `use_cnt` fields of the C interface.
//!
//! A count of zero or more is the number of users. [`Uses::claim`] makes it negative: somebody is
//! about to destroy or to change the object, and nobody may begin to use it. So of a creation that
//! builds on an object and a deletion of it, only one succeeds. Nobody waits. Users may go during a
//! claim.

use crate::kernel_ext::hot::{
    HotCount,
    HotWord, //
};
use kernel::{
    prelude::*,
    sync::atomic::Atomic, //
};

/// What is added to the count of a claimed object: the sign.
const CLAIMED: i32 = i32::MIN;

/// The use count of one object.
pub(crate) struct Uses<'a>(&'a Atomic<i32>);

impl<'a> Uses<'a> {
    /// Interprets a counter.
    pub(crate) fn new(count: &'a Atomic<i32>) -> Self {
        Self(count)
    }

    /// Applies `step` until it wins the race; returns the old value.
    fn update(&self, step: impl Fn(i32) -> Result<i32>) -> Result<i32> {
        let mut old = self.0.hot_load();
        loop {
            match self.0.hot_cmpxchg(old, step(old)?) {
                Ok(_) => return Ok(old),
                Err(now) => old = now,
            }
        }
    }

    /// Adds a user; `EBUSY` while the object is claimed.
    pub(crate) fn hold(&self) -> Result {
        self.update(|n| {
            if n < 0 || n == i32::MAX {
                Err(EBUSY)
            } else {
                Ok(n.wrapping_add(1))
            }
        })
        .map(|_| ())
    }

    /// Adds a user on behalf of who claimed the object.
    pub(crate) fn add_claimed(&self) {
        self.0.hot_add(1);
    }

    /// Adds a user if there are fewer than `limit`; `EBUSY` while the object is claimed, `full` if
    /// there are not.
    pub(crate) fn hold_below(&self, limit: i32, full: Error) -> Result {
        self.update(|n| match n {
            n if n < 0 => Err(EBUSY),
            n if n >= limit => Err(full),
            n => Ok(n.wrapping_add(1)),
        })
        .map(|_| ())
    }

    /// Removes a user.
    pub(crate) fn release(&self) {
        self.0.hot_add(-1);
    }

    /// Claims an object that has no users; `EBUSY` if there are some, or it is claimed.
    pub(crate) fn claim_idle(&self) -> Result {
        self.update(|n| if n != 0 { Err(EBUSY) } else { Ok(CLAIMED) })
            .map(|_| ())
    }

    /// Claims an object that may have users; `EBUSY` if it is claimed already.
    pub(crate) fn claim(&self) -> Result {
        self.update(|n| {
            if n < 0 {
                Err(EBUSY)
            } else {
                Ok(n.wrapping_add(CLAIMED))
            }
        })
        .map(|_| ())
    }

    /// Ends a claim.
    pub(crate) fn unclaim(&self) {
        // Adding the sign once more takes it away.
        self.0.hot_add(CLAIMED);
    }
}
