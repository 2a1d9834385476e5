// SPDX-License-Identifier: GPL-2.0

//! Polled send queues: a thread that looks for posts, so that their owner rings no doorbell.
//!
//! The polled queues of a context share one thread, which lives as long as one of them. After a
//! while without posts it sleeps, and says so in the rings: the owner, who looks there after a post,
//! and the thread, which looks for posts after it has said so, cannot both miss the other.

use crate::{
    bindings_ub::UBSOFT_POLL_QUEUES_MAX,
    context::Ucontext,
    counters::{
        Count,
        Kind as CountKind, //
    },
    kernel_ext::{
        arc::{
            Arc,
            ArcBorrow, //
        },
        thread::{
            give_way,
            Body,
            Thread, //
        }, //
    },
    ring::Flags,
    sq::{
        Sq,
        SqArc, //
    }, //
};
use kernel::{
    new_condvar,
    new_mutex,
    prelude::*,
    sync::{
        atomic::{
            Atomic,
            Full,
            Relaxed, //
        },
        barrier::smp_mb,
        CondVar,
        Mutex, //
    },
    time::{
        Delta,
        Instant,
        Monotonic, //
    }, //
};

/// Bytes of what a thread runs; its stack is the kernel's affair.
pub(crate) const SIZE: usize = core::mem::size_of::<Polling>();

/// The thread of a context, if it has one.
#[pin_data]
pub(crate) struct Poller {
    /// Held while the thread is started, not while it ends.
    #[pin]
    running: Mutex<Running>,
}

/// What a poller has.
struct Running {
    thread: Option<Thread<Polling>>,
    /// Queues that it is for, also those that are being made.
    users: usize,
}

impl Poller {
    /// Initialises one without a thread.
    pub(crate) fn new() -> impl PinInit<Self> {
        pin_init!(Self {
            running <- new_mutex!(
                Running {
                    thread: None,
                    users: 0,
                },
                "Poller::running"
            ),
        })
    }
}

/// What the thread runs.
#[pin_data]
struct Polling {
    #[pin]
    queues: Mutex<Queues>,
    /// Ends its sleep.
    #[pin]
    wake: CondVar,
    count: Count,
}

/// What the thread looks at.
struct Queues {
    list: KVec<SqArc>,
    /// Queues that are in the list or may come, for which it has room.
    expected: usize,
    /// Time without posts after which the thread sleeps.
    idle: Delta,
    /// Somebody has a reason for it not to sleep.
    woken: bool,
    /// It is to end.
    stopped: bool,
}

/// What the thread found in a round.
enum Round {
    /// It is to end.
    Stopped,
    /// Something was posted.
    Busy,
    /// Nothing was; for how long that goes on.
    Quiet(Delta),
}

impl Polling {
    /// Makes what a thread of a context runs.
    fn new(uctx: &Ucontext) -> Result<Arc<Self>> {
        Arc::pin_init(
            pin_init!(Self {
                queues <- new_mutex!(
                    Queues {
                        list: KVec::new(),
                        expected: 0,
                        idle: Delta::from_nanos(0),
                        woken: false,
                        stopped: false,
                    },
                    "Polling::queues"
                ),
                wake <- new_condvar!("Polling::wake"),
                count: Count::one(&uctx.dev().host.counters, CountKind::Pollers),
            }),
            GFP_KERNEL_ACCOUNT,
        )
    }

    /// Makes room for one more queue, whose owner wants the thread to be idle that long.
    fn expect_one(&self, idle: Delta) -> Result {
        let mut queues = self.queues.lock();
        let expected = queues.expected.saturating_add(1);
        if expected > UBSOFT_POLL_QUEUES_MAX as usize {
            return Err(ENOSPC);
        }
        let more = expected.saturating_sub(queues.list.len());
        queues.list.reserve(more, GFP_KERNEL_ACCOUNT)?;
        queues.expected = expected;
        queues.idle = queues.idle.max(idle);
        Ok(())
    }

    /// Has the thread look again, also if it sleeps.
    fn wake(&self) {
        self.queues.lock().woken = true;
        self.wake.notify_one();
    }

    /// Runs each queue to which something was posted.
    fn round(&self) -> Round {
        let (mut next, mut busy) = (0usize, false);
        loop {
            let sq = {
                let queues = self.queues.lock();
                if queues.stopped {
                    return Round::Stopped;
                }
                let rest = queues.list.get(next..).unwrap_or(&[]);
                let Some(at) = rest.iter().position(|sq| sq.is_posted()) else {
                    return if busy {
                        Round::Busy
                    } else {
                        Round::Quiet(queues.idle)
                    };
                };
                let sq = rest.get(at).cloned();
                next = next.saturating_add(at).saturating_add(1);
                sq
            };
            if let Some(sq) = sq {
                // Without the lock, so that others need not wait for that.
                Sq::poll(&sq);
                busy = true;
            }
            give_way();
        }
    }

    /// Sleeps until somebody kicks a queue, unless something was posted in the last moment.
    fn rest(&self) {
        let mut queues = self.queues.lock();
        for sq in &queues.list {
            sq.ring.raise(Flags::NeedKick);
        }
        // The flags come before the last look; the owner posts before it looks at the flag.
        smp_mb(Full);
        if !queues.list.iter().any(|sq| sq.is_posted()) {
            while !queues.woken && !queues.stopped {
                // Nobody sends signals to a thread of the kernel; interruptible so as to be no load.
                let _ = self.wake.wait_interruptible(&mut queues);
            }
        }
        queues.woken = false;
        for sq in &queues.list {
            sq.ring.lower(Flags::NeedKick);
        }
    }
}

impl Body for Polling {
    fn run(this: ArcBorrow<'_, Self>) {
        let mut active = Instant::<Monotonic>::now();
        loop {
            match this.round() {
                Round::Stopped => return,
                Round::Busy => active = Instant::now(),
                Round::Quiet(idle) if active.elapsed() >= idle => {
                    this.rest();
                    active = Instant::now();
                }
                Round::Quiet(_) => core::hint::spin_loop(),
            }
            give_way();
        }
    }

    fn stop(&self) {
        self.queues.lock().stopped = true;
        self.wake.notify_one();
    }
}

/// The place of a queue with the thread of its context.
pub(crate) struct Slot {
    uctx: Arc<Ucontext>,
    polling: Arc<Polling>,
    /// Until the queue stops, or is not made after all.
    live: Atomic<bool>,
}

impl Slot {
    /// Reserves one; the thread is there when this returns. May sleep.
    ///
    /// # Errors
    ///
    /// `ENOSPC` for too many of a context, `ENOMEM`, `EINTR` if the caller is being killed.
    pub(crate) fn reserve(uctx: Arc<Ucontext>, idle: Delta) -> Result<Self> {
        let mut running = uctx.poller.running.lock();
        let polling = match &running.thread {
            Some(thread) => thread.body().clone(),
            None => Polling::new(&uctx)?,
        };
        let users = running.users.checked_add(1).ok_or(ENOSPC)?;
        polling.expect_one(idle)?;
        if running.thread.is_none() {
            running.thread = Some(Thread::start(c"ubsoft_poll", polling.clone())?);
        }
        running.users = users;
        drop(running);
        Ok(Self {
            uctx,
            polling,
            live: Atomic::new(true),
        })
    }

    /// Has the thread look at a queue, which is that of this slot, from now on. Cannot fail.
    pub(crate) fn add(&self, sq: &SqArc) {
        let mut queues = self.polling.queues.lock();
        // It may have been stopped already.
        if self.live.load(Relaxed) {
            // There is room.
            let _ = queues.list.push_within_capacity(sq.clone());
            queues.woken = true;
        }
        drop(queues);
        self.polling.wake.notify_one();
    }

    /// Has the thread look again, also if it sleeps. Out of the way of who has none.
    #[cold]
    #[inline(never)]
    pub(crate) fn wake(&self) {
        self.polling.wake();
    }

    /// Gives the slot up; `sq` is its queue, if there is one. Again does nothing. May sleep: if it is
    /// the last one the thread ends here.
    pub(crate) fn release(&self, sq: Option<&Sq>) {
        if !self.live.xchg(false, Full) {
            return;
        }
        {
            let mut queues = self.polling.queues.lock();
            queues.expected = queues.expected.saturating_sub(1);
            if let Some(sq) = sq {
                // The caller has the queue, so this drops the last reference to none.
                queues.list.retain(|other| !core::ptr::eq(&**other, sq));
                // Nobody looks any more.
                sq.ring.raise(Flags::NeedKick);
            }
        }
        let mut running = self.uctx.poller.running.lock();
        running.users = running.users.saturating_sub(1);
        let last = if running.users == 0 {
            running.thread.take()
        } else {
            None
        };
        drop(running);
        if last.is_some() {
            drop(last);
            self.polling.count.release();
        }
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        // Of a queue that was not made. Others are stopped before: the thread, which may drop the
        // last reference to one, does not wait for itself.
        self.release(None);
    }
}
