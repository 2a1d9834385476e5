// SPDX-License-Identifier: GPL-2.0

//! Spin locks for where a lock is taken many times in one command.
//!
//! The same as those of the kernel crate, which takes and releases each through a function in C
//! that calls another one: here it is that other one, where the kernel is sure to export it.
//!
//! C header: [`include/linux/spinlock.h`](srctree/include/linux/spinlock.h)

use kernel::{
    bindings,
    prelude::*,
    sync::lock::{
        spinlock::SpinLockBackend,
        Backend,
        Guard,
        Lock, //
    },
};

/// A spin lock with data; see [`new_hot_spinlock!`].
pub(crate) type HotSpinLock<T> = Lock<T, HotSpin>;

/// Access to the data of a [`HotSpinLock`].
pub(crate) type HotSpinGuard<'a, T> = Guard<'a, T, HotSpin>;

/// What a [`HotSpinLock`] does.
pub(crate) enum HotSpin {}

// SAFETY: These are the operations of the kernel's spin lock, or what they consist of.
unsafe impl Backend for HotSpin {
    type State = bindings::spinlock_t;
    type GuardState = ();

    unsafe fn init(ptr: *mut Self::State, name: *const c_char, key: *mut bindings::lock_class_key) {
        #[cfg(all(
            target_arch = "x86_64",
            not(any(CONFIG_DEBUG_SPINLOCK, CONFIG_DEBUG_LOCK_ALLOC, CONFIG_PREEMPT_RT))
        ))]
        // SAFETY: By the function's contract. Without anything to check, an unlocked spin lock is
        // zeros.
        unsafe {
            let _ = (name, key);
            ptr.write_bytes(0, 1)
        };
        #[cfg(not(all(
            target_arch = "x86_64",
            not(any(CONFIG_DEBUG_SPINLOCK, CONFIG_DEBUG_LOCK_ALLOC, CONFIG_PREEMPT_RT))
        )))]
        // SAFETY: By the function's contract.
        unsafe {
            SpinLockBackend::init(ptr, name, key)
        };
    }

    #[inline]
    unsafe fn lock(ptr: *mut Self::State) {
        #[cfg(all(target_arch = "x86_64", CONFIG_SMP, not(CONFIG_PREEMPT_RT)))]
        // SAFETY: By the function's contract. The raw lock is the first member, and this is what
        // `spin_lock()` is.
        unsafe {
            bindings::_raw_spin_lock(ptr.cast())
        };
        #[cfg(not(all(target_arch = "x86_64", CONFIG_SMP, not(CONFIG_PREEMPT_RT))))]
        // SAFETY: By the function's contract.
        unsafe {
            SpinLockBackend::lock(ptr)
        };
    }

    unsafe fn try_lock(ptr: *mut Self::State) -> Option<()> {
        // SAFETY: By the function's contract.
        unsafe { SpinLockBackend::try_lock(ptr) }
    }

    #[inline]
    unsafe fn unlock(ptr: *mut Self::State, guard_state: &()) {
        #[cfg(all(CONFIG_UNINLINE_SPIN_UNLOCK, CONFIG_SMP, not(CONFIG_PREEMPT_RT)))]
        // SAFETY: As in `lock()`, for `spin_unlock()`.
        unsafe {
            let () = guard_state;
            bindings::_raw_spin_unlock(ptr.cast())
        };
        #[cfg(not(all(CONFIG_UNINLINE_SPIN_UNLOCK, CONFIG_SMP, not(CONFIG_PREEMPT_RT))))]
        // SAFETY: By the function's contract.
        unsafe {
            SpinLockBackend::unlock(ptr, guard_state)
        };
    }

    #[inline]
    unsafe fn assert_is_held(ptr: *mut Self::State) {
        // Nobody can tell without.
        #[cfg(CONFIG_LOCKDEP)]
        // SAFETY: By the function's contract.
        unsafe {
            SpinLockBackend::assert_is_held(ptr)
        };
        let _ = ptr;
    }
}

/// Makes the initialiser of a [`HotSpinLock`] with a lock class of its own.
macro_rules! new_hot_spinlock {
    ($data:expr $(, $name:literal)? $(,)?) => {
        $crate::kernel_ext::spin::HotSpinLock::new(
            $data,
            ::kernel::optional_name!($($name)?),
            ::kernel::static_lock_class!(),
        )
    };
}
