// SPDX-License-Identifier: GPL-2.0

//! Workqueues of our own.
//!
//! C header: [`include/linux/workqueue.h`](srctree/include/linux/workqueue.h)
//!
//! Nothing waits at unload for works on the system's queues; on one of these, dropping it does.

use core::{
    ops::Deref,
    ptr::NonNull, //
};
use kernel::{
    bindings,
    prelude::*,
    sync::rcu,
    workqueue::Queue, //
};

/// A workqueue; dropping it executes what is queued, also after a grace period, and waits for it.
///
/// What can still queue works must be gone before.
pub(crate) struct WorkQueue(NonNull<bindings::workqueue_struct>);

// SAFETY: Workqueues may be used and destroyed on any thread.
unsafe impl Send for WorkQueue {}
// SAFETY: Workqueues may be used on any thread.
unsafe impl Sync for WorkQueue {}

impl WorkQueue {
    /// Makes a queue that executes one work at a time, in order.
    pub(crate) fn ordered(name: &CStr) -> Result<Self> {
        Self::alloc(name, bindings::wq_flags___WQ_ORDERED, 1)
    }

    /// Makes a queue that executes up to `max_active` works at a time (0: the default).
    pub(crate) fn unbound(name: &CStr, max_active: u32) -> Result<Self> {
        Self::alloc(name, 0, max_active)
    }

    /// Makes a queue whose works run on any CPU.
    fn alloc(name: &CStr, flags: u32, max_active: u32) -> Result<Self> {
        let max_active = c_int::try_from(max_active).map_err(|_| EINVAL)?;
        // SAFETY: The format takes one string.
        let queue = unsafe {
            bindings::alloc_workqueue_noprof(
                c"%s".as_char_ptr(),
                bindings::wq_flags_WQ_UNBOUND | flags,
                max_active,
                name.as_char_ptr(),
            )
        };
        NonNull::new(queue).map(Self).ok_or(ENOMEM)
    }

    /// Returns the C queue.
    pub(super) fn as_raw(&self) -> *mut bindings::workqueue_struct {
        self.0.as_ptr()
    }

    /// Waits for all works that are queued now; not from one of them.
    pub(crate) fn flush(&self) {
        // SAFETY: A valid queue.
        unsafe { bindings::__flush_workqueue(self.as_raw()) };
    }

    /// Waits until the queue is empty, also of works that queue themselves again.
    pub(crate) fn drain(&self) {
        // SAFETY: A valid queue.
        unsafe { bindings::drain_workqueue(self.as_raw()) };
    }
}

impl Deref for WorkQueue {
    type Target = Queue;

    fn deref(&self) -> &Queue {
        // SAFETY: Valid as long as `self`.
        unsafe { Queue::from_raw(self.as_raw()) }
    }
}

impl Drop for WorkQueue {
    fn drop(&mut self) {
        // Works that wait for a grace period are not on the queue yet.
        rcu::rcu_barrier();
        // SAFETY: Nobody queues any more; drains the queue.
        unsafe { bindings::destroy_workqueue(self.as_raw()) };
    }
}
