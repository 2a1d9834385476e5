// SPDX-License-Identifier: GPL-2.0

//! Use-count protocol of objects that user space names by handle.
//!
//! Three things can hold an object:
//!
//! * *Users*: commands that work with it right now. Many at a time, for the length of a command.
//! * *The destroyer*: one command that destroys it. Excludes users and other destroyers.
//! * *References*: other objects built on it (a JFS on its JFC). They last as long as those
//!   objects and forbid destruction, but not use.
//!
//! Nobody waits: contention is `EBUSY`. A destroyed object is *dead* for good; who still finds it
//! through a counted pointer is told `EINVAL`, as for an unknown handle.
//!
//! All of it is one atomic word, so that taking a reference and destroying cannot both succeed.
//! Memory order: entering acquires, leaving releases, therefore the destroyer sees everything that
//! earlier users wrote.

use core::ops::Deref;

use crate::env::{
    Atomic,
    HotCount,
    HotWord,
    Relaxed,
    Result,
    EBUSY,
    EINVAL, //
};

/// One user, in bits 0..=29.
const USER: u64 = 1;
/// Mask of the user count.
const USERS: u64 = 0x3fff_ffff;
/// A destroyer is at work.
const LOCKED: u64 = 1 << 30;
/// The object is destroyed.
const DEAD: u64 = 1 << 31;
/// One reference, in bits 32..=62.
const REFERENCE: u64 = 1 << 32;
/// Mask of the reference count.
const REFERENCES: u64 = 0x7fff_ffff << 32;

/// The count word of one object.
///
/// # Invariants
///
/// `LOCKED` is never set together with a user; once `DEAD` is set it stays.
pub(crate) struct UseCount {
    /// Users, flags and references; see the constants.
    word: Atomic<u64>,
}

impl UseCount {
    /// A live object that nobody uses.
    pub(crate) fn new() -> Self {
        Self {
            word: Atomic::new(0),
        }
    }

    /// Applies `step` until it wins the race; `step` decides on the value it is given.
    fn update(&self, step: impl Fn(u64) -> Result<u64>) -> Result {
        let mut old = self.word.hot_load();
        loop {
            match self.word.hot_cmpxchg(old, step(old)?) {
                Ok(_) => return Ok(()),
                Err(now) => old = now,
            }
        }
    }

    /// Takes back what `update` gave; a call without a matching entry changes nothing.
    fn release(&self, mask: u64, unit: u64) {
        let mut old = self.word.hot_load();
        while old & mask != 0 {
            match self.word.hot_cmpxchg(old, old.wrapping_sub(unit)) {
                Ok(_) => return,
                Err(now) => old = now,
            }
        }
    }

    /// Enters as a user.
    ///
    /// # Errors
    ///
    /// `EBUSY` while a destroyer is at work, `EINVAL` when the object is dead.
    pub(crate) fn try_shared(&self) -> Result {
        self.update(|word| match word {
            w if w & DEAD != 0 => Err(EINVAL),
            w if w & LOCKED != 0 || w & USERS == USERS => Err(EBUSY),
            w => Ok(w.wrapping_add(USER)),
        })
    }

    /// Leaves as a user.
    pub(crate) fn leave_shared(&self) {
        self.release(USERS, USER);
    }

    /// Enters as the destroyer of an object that nothing references.
    ///
    /// # Errors
    ///
    /// `EBUSY` when it is in use, referenced or being destroyed, `EINVAL` when it is dead.
    pub(crate) fn try_exclusive(&self) -> Result {
        self.update(|word| match word {
            w if w & DEAD != 0 => Err(EINVAL),
            0 => Ok(LOCKED),
            _ => Err(EBUSY),
        })
    }

    /// Enters as the destroyer even if other objects still reference it.
    ///
    /// For the teardown of a whole context, where the referencing objects die too.
    ///
    /// # Errors
    ///
    /// `EBUSY` when it is in use or being destroyed, `EINVAL` when it is dead.
    pub(crate) fn try_exclusive_forced(&self) -> Result {
        self.update(|word| match word {
            w if w & DEAD != 0 => Err(EINVAL),
            w if w & (LOCKED | USERS) != 0 => Err(EBUSY),
            w => Ok(w | LOCKED),
        })
    }

    /// Leaves as a destroyer that failed: the object is as it was before.
    pub(crate) fn leave_exclusive(&self) {
        self.release(LOCKED, LOCKED);
    }

    /// Leaves as a destroyer that succeeded: the object is dead.
    pub(crate) fn kill(&self) {
        // DEAD is the bit above LOCKED: adding LOCKED clears the one and sets the other.
        self.release(LOCKED, LOCKED.wrapping_neg());
    }

    /// Records that another object is built on this one.
    ///
    /// # Errors
    ///
    /// `EBUSY` while a destroyer is at work, `EINVAL` when the object is dead.
    pub(crate) fn add_reference(&self) -> Result {
        self.update(|word| match word {
            w if w & DEAD != 0 => Err(EINVAL),
            w if w & LOCKED != 0 || w & REFERENCES == REFERENCES => Err(EBUSY),
            w => Ok(w.wrapping_add(REFERENCE)),
        })
    }

    /// Records that an object built on this one is gone.
    pub(crate) fn drop_reference(&self) {
        self.release(REFERENCES, REFERENCE);
    }

    /// Returns the number of objects built on this one; stale at once, for reports.
    pub(crate) fn references(&self) -> u32 {
        ((self.word.load(Relaxed) & REFERENCES) >> 32) as u32
    }

    /// Returns whether the object has been destroyed.
    pub(crate) fn is_dead(&self) -> bool {
        self.word.hot_load() & DEAD != 0
    }
}

/// An object that carries a [`UseCount`].
pub(crate) trait Counted {
    /// Returns the object's count word.
    fn use_count(&self) -> &UseCount;
}

/// Declares a guard: a pointer to a counted object that gives something back when dropped.
macro_rules! guard {
    ($(#[$doc:meta])* $name:ident, $enter:ident, $leave:ident) => {
        $(#[$doc])*
        pub(crate) struct $name<P>
        where
            P: Deref,
            P::Target: Counted,
        {
            /// Keeps the object in memory and leads to its count.
            object: P,
        }

        impl<P> $name<P>
        where
            P: Deref,
            P::Target: Counted,
        {
            /// Enters; the guard leaves when it is dropped.
            ///
            /// # Errors
            ///
            /// Those of the count's own method: `EBUSY` or `EINVAL`.
            pub(crate) fn new(object: P) -> Result<Self> {
                object.use_count().$enter()?;
                Ok(Self { object })
            }

            /// Returns the pointer that the guard holds.
            pub(crate) fn pointer(&self) -> &P {
                &self.object
            }
        }

        impl<P> Deref for $name<P>
        where
            P: Deref,
            P::Target: Counted,
        {
            type Target = P::Target;

            fn deref(&self) -> &P::Target {
                &self.object
            }
        }

        impl<P> Drop for $name<P>
        where
            P: Deref,
            P::Target: Counted,
        {
            fn drop(&mut self) {
                self.object.use_count().$leave();
            }
        }
    };
}

guard!(
    /// A user's hold on an object, for the length of a command.
    SharedRef,
    try_shared,
    leave_shared
);
guard!(
    /// The destroyer's hold on an object; dropped without [`kill`](Self::kill) it changes nothing.
    ExclusiveRef,
    try_exclusive,
    leave_exclusive
);
guard!(
    /// The hold of an object on another one that it is built on.
    Reference,
    add_reference,
    drop_reference
);

impl<P> ExclusiveRef<P>
where
    P: Deref,
    P::Target: Counted,
{
    /// Enters even if other objects still reference this one; see
    /// [`UseCount::try_exclusive_forced`].
    ///
    /// # Errors
    ///
    /// `EBUSY` when it is in use or being destroyed, `EINVAL` when it is dead.
    pub(crate) fn forced(object: P) -> Result<Self> {
        object.use_count().try_exclusive_forced()?;
        Ok(Self { object })
    }

    /// Marks the object dead and lets go of it.
    pub(crate) fn kill(self) {
        // What the drop of the guard then does is nothing: a dead object is not locked.
        self.object.use_count().kill();
    }
}

#[cfg(test)]
#[path = "tests/use_count.rs"]
mod tests;
