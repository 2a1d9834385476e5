// SPDX-License-Identifier: GPL-2.0

//! The lock of completion and receive queues.

use crate::kernel_ext::spin::{
    HotSpinGuard,
    HotSpinLock, //
};
use core::ops::{
    Deref,
    DerefMut, //
};
use kernel::{
    interrupt::{
        local_interrupt_disable,
        LocalInterruptDisabled, //
    },
    prelude::*,
    sync::LockClassKey, //
};

/// The changing part of a queue. Kernel clients use theirs in any context, so those are locked with
/// interrupts off, whoever does it; nobody can lock one otherwise.
#[pin_data]
pub(crate) struct QueueLock<T> {
    /// The queue is a kernel client's.
    kernel: bool,
    #[pin]
    state: HotSpinLock<T>,
}

/// Access to it; the fields are dropped in this order.
pub(crate) struct Locked<'a, T> {
    state: HotSpinGuard<'a, T>,
    _irqs_off: Option<LocalInterruptDisabled>,
}

impl<T> QueueLock<T> {
    /// Makes a lock; those of users and those of kernel clients need different classes.
    #[inline]
    pub(crate) fn new(
        state: T,
        kernel: bool,
        name: &'static CStr,
        class: Pin<&'static LockClassKey>,
    ) -> impl PinInit<Self> {
        pin_init!(Self {
            kernel,
            state <- HotSpinLock::new(state, name, class),
        })
    }

    /// Takes the lock.
    #[inline(always)]
    pub(crate) fn lock(&self) -> Locked<'_, T> {
        let irqs_off = self.kernel.then(local_interrupt_disable);
        Locked {
            state: self.state.lock(),
            _irqs_off: irqs_off,
        }
    }
}

impl<T> Deref for Locked<'_, T> {
    type Target = T;

    #[inline(always)]
    fn deref(&self) -> &T {
        &self.state
    }
}

impl<T: Unpin> DerefMut for Locked<'_, T> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut T {
        &mut self.state
    }
}
