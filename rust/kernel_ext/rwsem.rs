// SPDX-License-Identifier: GPL-2.0

//! Reader-writer semaphores with data.
//!
//! C header: [`include/linux/rwsem.h`](srctree/include/linux/rwsem.h)

use core::{
    cell::UnsafeCell,
    ops::{
        Deref,
        DerefMut, //
    }, //
};
use kernel::{
    bindings,
    prelude::*,
    sync::LockClassKey,
    types::{
        NotThreadSafe,
        Opaque, //
    }, //
};

/// A sleeping lock with many readers or one writer, and what it protects.
#[pin_data]
pub(crate) struct RwSemaphore<T> {
    #[pin]
    sem: Opaque<bindings::rw_semaphore>,
    data: UnsafeCell<T>,
}

// SAFETY: The semaphore may be used on any thread, and the data goes along.
unsafe impl<T: Send> Send for RwSemaphore<T> {}
// SAFETY: Readers share the data between threads, writers have it for themselves.
unsafe impl<T: Send + Sync> Sync for RwSemaphore<T> {}

impl<T> RwSemaphore<T> {
    /// Makes an unlocked semaphore; see [`new_rwsem!`].
    pub(crate) fn new(
        data: T,
        name: &'static CStr,
        key: Pin<&'static LockClassKey>,
    ) -> impl PinInit<Self> {
        pin_init!(Self {
            // SAFETY: `slot` is valid for writing, name and key are static.
            sem <- Opaque::ffi_init(|slot| unsafe {
                bindings::__init_rwsem(slot, name.as_char_ptr(), key.as_ptr())
            }),
            data: UnsafeCell::new(data),
        })
    }

    /// Waits for the lock, shared.
    pub(crate) fn read(&self) -> ReadGuard<'_, T> {
        // SAFETY: An initialised semaphore.
        unsafe { bindings::down_read(self.sem.get()) };
        ReadGuard {
            sem: self,
            _not_send: NotThreadSafe,
        }
    }

    /// Takes the lock, shared, if that is possible at once.
    pub(crate) fn try_read(&self) -> Option<ReadGuard<'_, T>> {
        // SAFETY: An initialised semaphore.
        let taken = unsafe { bindings::down_read_trylock(self.sem.get()) } != 0;
        taken.then(|| ReadGuard {
            sem: self,
            _not_send: NotThreadSafe,
        })
    }

    /// Waits for the lock, exclusive.
    pub(crate) fn write(&self) -> WriteGuard<'_, T> {
        // SAFETY: An initialised semaphore.
        unsafe { bindings::down_write(self.sem.get()) };
        WriteGuard {
            sem: self,
            _not_send: NotThreadSafe,
        }
    }

    /// Takes the lock, exclusive, if that is possible at once.
    pub(crate) fn try_write(&self) -> Option<WriteGuard<'_, T>> {
        // SAFETY: An initialised semaphore.
        let taken = unsafe { bindings::down_write_trylock(self.sem.get()) } != 0;
        taken.then(|| WriteGuard {
            sem: self,
            _not_send: NotThreadSafe,
        })
    }
}

/// Shared access to the data of a [`RwSemaphore`].
#[must_use = "the lock is released when the guard is dropped"]
pub(crate) struct ReadGuard<'a, T> {
    sem: &'a RwSemaphore<T>,
    _not_send: NotThreadSafe,
}

// SAFETY: A shared guard gives out `&T` only.
unsafe impl<T: Sync> Sync for ReadGuard<'_, T> {}

impl<T> Deref for ReadGuard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        // SAFETY: The lock is held, so nobody writes.
        unsafe { &*self.sem.data.get() }
    }
}

impl<T> Drop for ReadGuard<'_, T> {
    fn drop(&mut self) {
        // SAFETY: Taken for reading by this task.
        unsafe { bindings::up_read(self.sem.sem.get()) };
    }
}

/// Exclusive access to the data of a [`RwSemaphore`].
#[must_use = "the lock is released when the guard is dropped"]
pub(crate) struct WriteGuard<'a, T> {
    sem: &'a RwSemaphore<T>,
    _not_send: NotThreadSafe,
}

// SAFETY: A shared guard gives out `&T` only.
unsafe impl<T: Sync> Sync for WriteGuard<'_, T> {}

impl<T> Deref for WriteGuard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        // SAFETY: The lock is held exclusively.
        unsafe { &*self.sem.data.get() }
    }
}

impl<T> DerefMut for WriteGuard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: The lock is held exclusively.
        unsafe { &mut *self.sem.data.get() }
    }
}

impl<T> Drop for WriteGuard<'_, T> {
    fn drop(&mut self) {
        // SAFETY: Taken for writing by this task.
        unsafe { bindings::up_write(self.sem.sem.get()) };
    }
}

/// Makes the initialiser of a [`RwSemaphore`] with a lock class of its own.
macro_rules! new_rwsem {
    ($data:expr $(, $name:literal)? $(,)?) => {
        $crate::kernel_ext::rwsem::RwSemaphore::new(
            $data,
            ::kernel::optional_name!($($name)?),
            ::kernel::static_lock_class!(),
        )
    };
}
