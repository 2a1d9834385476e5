// SPDX-License-Identifier: GPL-2.0

//! Drops what RCU readers may still use: after a grace period, and all of one grace period at once.
//!
//! C header: [`include/linux/workqueue.h`](srctree/include/linux/workqueue.h)

use super::{
    spin::HotSpinLock,
    task::cond_resched,
    workqueue::WorkQueue, //
};
use core::ptr::null_mut;
use kernel::{
    bindings,
    container_of,
    prelude::*,
    sync::rcu,
    types::Opaque, //
};

/// The head of what is to be dropped.
#[repr(C)]
pub(super) struct Doomed {
    next: *mut Doomed,
    /// Drops all of it.
    drop: unsafe fn(*mut Doomed),
}

impl Doomed {
    /// Makes the head of what `drop` is able to drop, in process context.
    pub(super) const fn new(drop: unsafe fn(*mut Doomed)) -> Self {
        Self {
            next: null_mut(),
            drop,
        }
    }
}

/// What waits.
struct Waiting {
    /// For a grace period to begin.
    next: *mut Doomed,
    /// For the one that has begun to end.
    current: *mut Doomed,
    /// A grace period has begun, or its work runs.
    running: bool,
}

/// A queue of things to be dropped.
///
/// Its lock is a spinlock of process context, innermost. A module must let the last reference to it
/// go from its exit function, not from what it drops.
///
/// # Invariants
///
/// What is in the lists is nobody else's. `work` is queued when `running` is set, by who set it,
/// and by itself.
#[pin_data(PinnedDrop)]
pub(crate) struct Reaper {
    queue: WorkQueue,
    #[pin]
    waiting: HotSpinLock<Waiting>,
    #[pin]
    work: Opaque<bindings::rcu_work>,
}

// SAFETY: What is in the lists may be dropped by any thread, by the contract of `retire`.
unsafe impl Send for Reaper {}
// SAFETY: The lists are under the lock.
unsafe impl Sync for Reaper {}

impl Reaper {
    /// Makes one that works on a workqueue of this name.
    pub(crate) fn new(name: &'static CStr) -> impl PinInit<Self, Error> {
        try_pin_init!(Self {
            queue: WorkQueue::unbound(name, 1)?,
            waiting <- new_hot_spinlock!(
                Waiting {
                    next: null_mut(),
                    current: null_mut(),
                    running: false,
                },
                "Reaper::waiting"
            ),
            // SAFETY: `slot` is valid for writing; what `INIT_RCU_WORK()` does: the RCU head needs
            // no initialisation on the heap, the queue is set when the work is queued.
            work <- Opaque::ffi_init(|slot: *mut bindings::rcu_work| unsafe {
                slot.write_bytes(0, 1);
                bindings::init_work_with_key(
                    &raw mut (*slot).work,
                    Some(Self::run),
                    false,
                    c"Reaper".as_char_ptr(),
                    kernel::static_lock_class!().as_ptr(),
                )
            }),
        })
    }

    /// Drops something after a grace period.
    ///
    /// # Safety
    ///
    /// `doomed` must be what its function can drop on any thread, and nobody else's.
    pub(super) unsafe fn retire(&self, doomed: *mut Doomed) {
        {
            let mut waiting = self.waiting.lock();
            // SAFETY: By the function's contract.
            unsafe { (*doomed).next = waiting.next };
            waiting.next = doomed;
            if waiting.running {
                return;
            }
            waiting.running = true;
            waiting.current = core::mem::replace(&mut waiting.next, null_mut());
        }
        self.begin();
    }

    /// Begins a grace period for what is in `current`.
    fn begin(&self) {
        // SAFETY: By the type's invariant the work is not queued now; it and the queue stay until
        // it has run, since the drop waits.
        unsafe { bindings::queue_rcu_work(self.queue.as_raw(), self.work.get()) };
    }

    /// The work: drops what is in `current`, and begins another grace period if need be.
    ///
    /// # Safety
    ///
    /// `work` must be that of a [`Reaper`].
    unsafe extern "C" fn run(work: *mut bindings::work_struct) {
        // SAFETY: By the function's contract; the reaper stays until the work has run.
        let this = unsafe {
            let work = container_of!(work, bindings::rcu_work, work);
            &*container_of!(Opaque::cast_from(work), Self, work)
        };
        let mut doomed = core::mem::replace(&mut this.waiting.lock().current, null_mut());
        while !doomed.is_null() {
            // SAFETY: By the type's invariant.
            let (next, drop) = unsafe { ((*doomed).next, (*doomed).drop) };
            // SAFETY: By the contract of `retire`; taken out of the list.
            unsafe { drop(doomed) };
            doomed = next;
            cond_resched();
        }
        {
            let mut waiting = this.waiting.lock();
            waiting.current = core::mem::replace(&mut waiting.next, null_mut());
            waiting.running = !waiting.current.is_null();
            if !waiting.running {
                return;
            }
        }
        this.begin();
    }

    /// Waits until nothing is left to be dropped; not from what it drops.
    pub(crate) fn settle(&self) {
        loop {
            // The work of a grace period is on the queue after this.
            rcu::rcu_barrier();
            self.queue.flush();
            if !self.waiting.lock().running {
                return;
            }
        }
    }
}

#[pinned_drop]
impl PinnedDrop for Reaper {
    fn drop(self: Pin<&mut Self>) {
        self.settle();
    }
}
