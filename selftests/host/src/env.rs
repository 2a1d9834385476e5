// SPDX-License-Identifier: GPL-2.0

//! The `env` of the logic files on top of `std`.
//!
//! Same names and same semantics as `rust/logic/env_kernel.rs`: errors are errno values,
//! allocations take flags and can fail ([`fail_allocation`] makes them), atomics take the kernel's
//! ordering types.

use std::cell::Cell;
use std::ops::{
    Deref,
    DerefMut, //
};

pub(crate) use std::fmt;

// Not every name is in use all the time.
#[allow(unused_imports)]
pub(crate) use atomic::{
    Acquire,
    Atomic,
    Full,
    Relaxed,
    Release, //
};
pub(crate) use code::*;

/// An errno value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Error(i32);

impl Error {
    /// Returns the negative errno.
    pub(crate) fn to_errno(self) -> i32 {
        self.0
    }
}

/// Result of the kernel: no value and an [`Error`] unless said.
pub(crate) type Result<T = (), E = Error> = core::result::Result<T, E>;

/// The errno constants.
pub(crate) mod code {
    use super::Error;

    /// Declares one constant per name and number.
    macro_rules! errno {
        ($($name:ident = $value:literal,)*) => {
            $(
                #[doc = concat!("Errno ", stringify!($value), ".")]
                pub(crate) const $name: Error = Error(-$value);
            )*
        };
    }

    errno! {
        EPERM = 1,
        ENOENT = 2,
        EINTR = 4,
        EIO = 5,
        ENXIO = 6,
        E2BIG = 7,
        EAGAIN = 11,
        ENOMEM = 12,
        EACCES = 13,
        EFAULT = 14,
        EBUSY = 16,
        EEXIST = 17,
        ENODEV = 19,
        EINVAL = 22,
        ENOTTY = 25,
        ENOSPC = 28,
        ERANGE = 34,
        EOVERFLOW = 75,
        EOPNOTSUPP = 95,
        ETIMEDOUT = 110,
    }
}

/// Allocation flags; they have no effect here.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Flags(u32);

/// Allocation that may sleep.
pub(crate) const GFP_KERNEL: Flags = Flags(0);
/// Allocation that is charged to the caller's memory control group.
pub(crate) const GFP_KERNEL_ACCOUNT: Flags = Flags(2);
/// Allocation that may not sleep.
pub(crate) const GFP_ATOMIC: Flags = Flags(1);

/// Failure of an allocation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct AllocError;

impl From<AllocError> for Error {
    fn from(_: AllocError) -> Self {
        ENOMEM
    }
}

thread_local! {
    /// Number of allocations of this thread that still succeed; negative means all.
    static ALLOWANCE: Cell<i64> = const { Cell::new(-1) };
}

/// Runs `f` with the `n`-th allocation of this thread (from 0) and all later ones failing.
pub(crate) fn fail_allocation<T>(n: u32, f: impl FnOnce() -> T) -> T {
    /// Restores the allowance also when a test fails.
    struct Restore;
    impl Drop for Restore {
        fn drop(&mut self) {
            ALLOWANCE.set(-1);
        }
    }
    ALLOWANCE.set(i64::from(n));
    let _restore = Restore;
    f()
}

/// Counts one allocation.
fn allocate() -> Result<(), AllocError> {
    match ALLOWANCE.get() {
        0 => Err(AllocError),
        n if n > 0 => {
            ALLOWANCE.set(n.saturating_sub(1));
            Ok(())
        }
        _ => Ok(()),
    }
}

/// A vector whose growth can fail.
#[derive(Debug)]
pub(crate) struct KVec<T>(Vec<T>);

impl<T> KVec<T> {
    /// An empty vector without memory.
    pub(crate) const fn new() -> Self {
        Self(Vec::new())
    }

    /// An empty vector with room for `capacity` elements.
    pub(crate) fn with_capacity(capacity: usize, _: Flags) -> Result<Self, AllocError> {
        allocate()?;
        Ok(Self(Vec::with_capacity(capacity)))
    }

    /// Appends an element.
    pub(crate) fn push(&mut self, value: T, _: Flags) -> Result<(), AllocError> {
        if self.0.len() == self.0.capacity() {
            allocate()?;
        }
        self.0.push(value);
        Ok(())
    }

    /// Returns for how many elements there is room.
    pub(crate) fn capacity(&self) -> usize {
        self.0.capacity()
    }

    /// Appends copies of elements.
    pub(crate) fn extend_from_slice(&mut self, more: &[T], flags: Flags) -> Result<(), AllocError>
    where
        T: Clone,
    {
        self.reserve(more.len(), flags)?;
        self.0.extend_from_slice(more);
        Ok(())
    }

    /// Makes room for `more` elements.
    pub(crate) fn reserve(&mut self, more: usize, _: Flags) -> Result<(), AllocError> {
        if self.0.capacity() - self.0.len() < more {
            allocate()?;
        }
        self.0.reserve_exact(more);
        Ok(())
    }

    /// Keeps the first elements only.
    pub(crate) fn truncate(&mut self, len: usize) {
        self.0.truncate(len);
    }

    /// Removes the last element.
    pub(crate) fn pop(&mut self) -> Option<T> {
        self.0.pop()
    }
}

/// The same for vectors that may be large.
pub(crate) type KVVec<T> = KVec<T>;

impl<T> Deref for KVec<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.0
    }
}

impl<T> DerefMut for KVec<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.0
    }
}

/// The kernel's atomics on `std::sync::atomic`.
pub(crate) mod atomic {
    use std::sync::atomic::{
        AtomicI32,
        AtomicI64,
        AtomicU32,
        AtomicU64,
        Ordering as Std, //
    };

    /// An ordering of a read-modify-write operation.
    pub(crate) trait Ordering {
        /// Its counterpart in `std`.
        const STD: Std;
        /// The same for the failed half of a compare-and-exchange: relaxed, unless full.
        const FAILURE: Std = Std::Relaxed;
    }
    /// An ordering of a load.
    pub(crate) trait AcquireOrRelaxed: Ordering {}
    /// An ordering of a store.
    pub(crate) trait ReleaseOrRelaxed: Ordering {}

    /// No ordering.
    pub(crate) struct Relaxed;
    /// Acquire.
    pub(crate) struct Acquire;
    /// Release.
    pub(crate) struct Release;
    /// Fully ordered.
    pub(crate) struct Full;

    impl Ordering for Relaxed {
        const STD: Std = Std::Relaxed;
    }
    impl Ordering for Acquire {
        const STD: Std = Std::Acquire;
    }
    impl Ordering for Release {
        const STD: Std = Std::Release;
    }
    impl Ordering for Full {
        const STD: Std = Std::SeqCst;
    }
    impl AcquireOrRelaxed for Relaxed {}
    impl AcquireOrRelaxed for Acquire {}
    impl ReleaseOrRelaxed for Relaxed {}
    impl ReleaseOrRelaxed for Release {}

    /// A type with atomic operations.
    pub(crate) trait AtomicType: Copy {
        /// The atomic of `std` that implements it.
        type Repr;
        /// Makes the atomic.
        fn make(self) -> Self::Repr;
        /// Loads.
        fn load(repr: &Self::Repr, order: Std) -> Self;
        /// Stores.
        fn store(repr: &Self::Repr, value: Self, order: Std);
        /// Exchanges.
        fn xchg(repr: &Self::Repr, value: Self, order: Std) -> Self;
        /// Compares and exchanges.
        fn cmpxchg(
            repr: &Self::Repr,
            old: Self,
            new: Self,
            order: (Std, Std),
        ) -> Result<Self, Self>;
        /// Adds, wrapping.
        fn fetch_add(repr: &Self::Repr, value: Self, order: Std) -> Self;
        /// Subtracts, wrapping.
        fn fetch_sub(repr: &Self::Repr, value: Self, order: Std) -> Self;
    }

    /// Implements [`AtomicType`] by delegation.
    macro_rules! atomic_type {
        ($($value:ty => $repr:ty,)*) => {
            $(
                impl AtomicType for $value {
                    type Repr = $repr;
                    fn make(self) -> $repr {
                        <$repr>::new(self)
                    }
                    fn load(repr: &$repr, order: Std) -> Self {
                        repr.load(order)
                    }
                    fn store(repr: &$repr, value: Self, order: Std) {
                        repr.store(value, order)
                    }
                    fn xchg(repr: &$repr, value: Self, order: Std) -> Self {
                        repr.swap(value, order)
                    }
                    fn cmpxchg(
                        repr: &$repr,
                        old: Self,
                        new: Self,
                        (success, failure): (Std, Std),
                    ) -> Result<Self, Self> {
                        repr.compare_exchange(old, new, success, failure)
                    }
                    fn fetch_add(repr: &$repr, value: Self, order: Std) -> Self {
                        repr.fetch_add(value, order)
                    }
                    fn fetch_sub(repr: &$repr, value: Self, order: Std) -> Self {
                        repr.fetch_sub(value, order)
                    }
                }
            )*
        };
    }

    atomic_type! {
        u32 => AtomicU32,
        i32 => AtomicI32,
        u64 => AtomicU64,
        i64 => AtomicI64,
    }

    /// An atomic value, like `kernel::sync::atomic::Atomic`.
    pub(crate) struct Atomic<T: AtomicType>(T::Repr);

    impl<T: AtomicType> Atomic<T> {
        /// Makes the atomic.
        pub(crate) fn new(value: T) -> Self {
            Self(value.make())
        }

        /// Loads.
        pub(crate) fn load<O: AcquireOrRelaxed>(&self, _: O) -> T {
            T::load(&self.0, O::STD)
        }

        /// Stores.
        pub(crate) fn store<O: ReleaseOrRelaxed>(&self, value: T, _: O) {
            T::store(&self.0, value, O::STD);
        }

        /// Exchanges.
        pub(crate) fn xchg<O: Ordering>(&self, value: T, _: O) -> T {
            T::xchg(&self.0, value, O::STD)
        }

        /// Compares and exchanges; `Ok` holds the old value, `Err` the one found instead.
        pub(crate) fn cmpxchg<O: Ordering>(&self, old: T, new: T, _: O) -> Result<T, T> {
            T::cmpxchg(&self.0, old, new, (O::STD, O::FAILURE))
        }

        /// Adds and returns the old value.
        pub(crate) fn fetch_add<O: Ordering>(&self, value: T, _: O) -> T {
            T::fetch_add(&self.0, value, O::STD)
        }

        /// Subtracts and returns the old value.
        pub(crate) fn fetch_sub<O: Ordering>(&self, value: T, _: O) -> T {
            T::fetch_sub(&self.0, value, O::STD)
        }
    }
}

/// Loads of words that are changed often; see `kernel_ext::hot`.
pub(crate) trait HotWord {
    /// What the word holds.
    type Value;

    /// Loads.
    fn hot_load(&self) -> Self::Value;
}

/// Changes of such words, fully ordered.
pub(crate) trait HotCount: HotWord {
    /// Compares and exchanges; `Ok` holds the old value, `Err` the one found instead.
    fn hot_cmpxchg(&self, old: Self::Value, new: Self::Value) -> Result<Self::Value, Self::Value>;
}

impl<T: atomic::AtomicType> HotWord for Atomic<T> {
    type Value = T;

    fn hot_load(&self) -> T {
        self.load(Acquire)
    }
}

impl HotCount for Atomic<u64> {
    fn hot_cmpxchg(&self, old: u64, new: u64) -> Result<u64, u64> {
        self.cmpxchg(old, new, Full)
    }
}
