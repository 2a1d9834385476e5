// SPDX-License-Identifier: GPL-2.0

//! Wait queues for poll, epoll and sleeping.
//!
//! C headers: [`include/linux/wait.h`](srctree/include/linux/wait.h),
//! [`include/linux/poll.h`](srctree/include/linux/poll.h)

use core::{
    marker::PhantomData,
    mem::ManuallyDrop, //
};
use kernel::{
    bindings,
    prelude::*,
    sync::{
        atomic::Full,
        barrier::smp_mb, //
    },
    time::{
        msecs_to_jiffies,
        Jiffies, //
    },
    types::Opaque, //
};

/// Bits of the result of poll.
pub(crate) mod mask {
    use kernel::bindings;

    /// There is data to read.
    pub(crate) const IN: u32 = bindings::POLLIN;
    /// There is priority data to read.
    pub(crate) const PRI: u32 = bindings::POLLPRI;
    /// Writing will not block.
    pub(crate) const OUT: u32 = bindings::POLLOUT;
    /// An error has happened.
    pub(crate) const ERR: u32 = bindings::POLLERR;
    /// The other side has gone.
    pub(crate) const HUP: u32 = bindings::POLLHUP;
    /// There is normal data to read.
    pub(crate) const RDNORM: u32 = bindings::POLLRDNORM;
    /// Normal data may be written.
    pub(crate) const WRNORM: u32 = bindings::POLLWRNORM;
}

/// The argument of a file's poll operation.
///
/// # Invariants
///
/// `file` is open, and `table` null or valid, during `'a`.
pub(crate) struct PollTable<'a> {
    file: *mut bindings::file,
    table: *mut bindings::poll_table,
    _call: PhantomData<&'a bindings::poll_table>,
}

impl PollTable<'_> {
    /// Wraps the arguments of a poll operation.
    ///
    /// # Safety
    ///
    /// `file` must be open, and `table` null or valid, while the result exists.
    pub(super) unsafe fn from_raw(
        file: *mut bindings::file,
        table: *mut bindings::poll_table,
    ) -> Self {
        // INVARIANT: By the function's contract.
        Self {
            file,
            table,
            _call: PhantomData,
        }
    }

    /// Has the poller woken by the queue.
    ///
    /// Look at the state after this, not before.
    pub(crate) fn register(&self, queue: &WaitQueue) {
        // SAFETY: Valid by the type invariant. The queue takes all waiters off, and stays valid
        // for a grace period, when it is dropped.
        unsafe { bindings::poll_wait(self.file, queue.head(), self.table) };
    }
}

/// The allocation of a [`WaitQueue`].
#[repr(C)]
#[pin_data]
struct Inner {
    #[pin]
    head: Opaque<bindings::wait_queue_head>,
    rcu: Opaque<bindings::kvfree_rcu_head>,
}

/// A queue of sleeping tasks and of pollers.
///
/// It may be dropped while it is polled, without waiting: pollers are taken off, and the memory is
/// freed after a grace period.
pub(crate) struct WaitQueue(ManuallyDrop<Pin<KBox<Inner>>>);

// SAFETY: The queue has a lock of its own.
unsafe impl Send for WaitQueue {}
// SAFETY: The queue has a lock of its own.
unsafe impl Sync for WaitQueue {}

impl WaitQueue {
    /// Makes a queue.
    pub(crate) fn new() -> Result<Self> {
        let init = pin_init!(Inner {
            // SAFETY: `slot` is valid for writing, name and key are static.
            head <- Opaque::ffi_init(|slot| unsafe {
                bindings::__init_waitqueue_head(
                    slot,
                    c"WaitQueue".as_char_ptr(),
                    kernel::static_lock_class!().as_ptr(),
                )
            }),
            rcu: Opaque::uninit(),
        });
        Ok(Self(ManuallyDrop::new(KBox::pin_init(init, GFP_KERNEL)?)))
    }

    /// Returns the C queue.
    fn head(&self) -> *mut bindings::wait_queue_head {
        self.0.head.get()
    }

    /// Tells whether somebody waits; what the caller wrote before is visible to those who do not.
    fn has_waiters(&self) -> bool {
        smp_mb(Full);
        // SAFETY: Reads one pointer of a valid list head; a stale value is harmless, since whoever
        // adds itself afterwards sees what was written before the barrier.
        unsafe {
            let list = &raw mut (*self.head()).head;
            (&raw const (*list).next).read_volatile() != list
        }
    }

    /// Wakes all waiters and pollers; `mask` says what has happened, as [`mask`] bits.
    ///
    /// Change the state first. Any context.
    pub(crate) fn notify(&self, mask: u32) {
        self.wake(0, mask);
    }

    /// As [`Self::notify`], but at most one of those who wait exclusively (pollers with
    /// `EPOLLEXCLUSIVE`).
    pub(crate) fn notify_one(&self, mask: u32) {
        self.wake(1, mask);
    }

    /// Wakes all who do not wait exclusively, and `exclusive` others (0: all).
    fn wake(&self, exclusive: c_int, mask: u32) {
        if !self.has_waiters() {
            return;
        }
        let key = mask as usize as *mut c_void;
        // SAFETY: A valid queue; pollers expect the mask as the key.
        unsafe { bindings::__wake_up(self.head(), bindings::TASK_NORMAL, exclusive, key) };
    }

    /// Waits until `cond` is true, for at most `timeout` milliseconds.
    ///
    /// Returns whether `cond` was true. `cond` runs while the task is about to sleep, perhaps many
    /// times: it may take spinlocks, but must neither sleep nor touch user memory.
    ///
    /// # Errors
    ///
    /// `ERESTARTSYS` if a signal is pending.
    pub(crate) fn wait(&self, timeout: Option<u32>, cond: impl FnMut() -> bool) -> Result<bool> {
        // CAST: The state bits fit.
        self.sleep(bindings::TASK_INTERRUPTIBLE as c_int, timeout, cond)
    }

    /// Waits until `cond` is true, also when signals are pending; see [`Self::wait`].
    pub(crate) fn wait_uninterruptible(&self, cond: impl FnMut() -> bool) {
        // It can neither time out nor be interrupted.
        let _ = self.sleep(bindings::TASK_UNINTERRUPTIBLE as c_int, None, cond);
    }

    /// Sleeps in `state` until `cond` is true.
    fn sleep(
        &self,
        state: c_int,
        timeout: Option<u32>,
        mut cond: impl FnMut() -> bool,
    ) -> Result<bool> {
        if cond() {
            return Ok(true);
        }
        let mut left: c_long = match timeout {
            // `MAX_SCHEDULE_TIMEOUT` means no limit, `schedule_timeout()` wants no negative.
            Some(ms) => (msecs_to_jiffies(ms) as c_long).max(0),
            None => c_long::MAX,
        };
        let entry = Opaque::<bindings::wait_queue_entry>::uninit();
        // SAFETY: The entry stays in place until `finish_wait()` below has taken it off.
        unsafe { bindings::init_wait_entry(entry.get(), 0) };
        let ret = loop {
            // SAFETY: Queue and entry are valid.
            let signal =
                unsafe { bindings::prepare_to_wait_event(self.head(), entry.get(), state) };
            if cond() {
                break Ok(true);
            }
            if signal != 0 {
                break Err(ERESTARTSYS);
            }
            if left == 0 {
                break Ok(false);
            }
            // SAFETY: Any timeout will do.
            left = unsafe { bindings::schedule_timeout(left) };
        };
        // SAFETY: As above.
        unsafe { bindings::finish_wait(self.head(), entry.get()) };
        ret
    }
}

impl Drop for WaitQueue {
    fn drop(&mut self) {
        // SAFETY: Taken once.
        let inner = unsafe { ManuallyDrop::take(&mut self.0) };
        // SAFETY: The allocation is not moved, only freed.
        let inner = KBox::into_raw(unsafe { Pin::into_inner_unchecked(inner) });
        // SAFETY: Valid; nobody else can add waiters. Pollers access the queue under RCU at most
        // from here on, and it was allocated by `KBox`, which `kvfree()` can free.
        unsafe {
            bindings::__wake_up_pollfree((*inner).head.get());
            bindings::kvfree_call_rcu((*inner).rcu.get(), inner.cast());
        }
    }
}
