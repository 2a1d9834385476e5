// SPDX-License-Identifier: GPL-2.0

//! The send side of a JFS or jetty: its state, and when it runs.
//!
//! A queue is run by whoever kicks it, one at a time: who finds it busy leaves a note, and the one
//! that runs it looks for notes when it stops. A run has a budget; the rest is left to a work.

use crate::{
    counters::Count,
    device::Dev,
    engine::{
        self,
        After, //
    },
    fast::Memos,
    host::CtxId,
    jetty,
    jfc::Jfc,
    kernel_ext::{
        arc::Arc,
        hot::HotCount,
        task::{
            fatal_signal_pending,
            MmId, //
        }, //
    },
    logic::{
        eid::Eid,
        jetty_state::{
            JettyMachine,
            JettyState, //
        },
        ring::{
            sqe_stride,
            Geometry,
            SqIndex, //
        },
        sqe::SqLimits,
        types::TransMode, //
    },
    poller::Slot,
    queue::{
        PendingRing,
        QueueRing,
        Request, //
    },
    ring::{
        Flags,
        Kind, //
    },
    rnr::SqName,
    target::Target,
    ub::driver::{
        SendCfg,
        SendGrant,
        TargetKind, //
    }, //
};
use kernel::{
    impl_has_hr_timer,
    impl_has_work,
    new_mutex,
    new_spinlock_irq,
    new_work,
    prelude::*,
    sync::{
        self,
        atomic::{
            Atomic,
            Full,
            Relaxed, //
        },
        barrier::smp_mb,
        Mutex,
        SpinLockIrq, //
    },
    time::{
        hrtimer::{
            ArcHrTimerHandle,
            HrTimer,
            HrTimerCallback,
            HrTimerCallbackContext,
            HrTimerPointer,
            HrTimerRestart,
            RelativeMode, //
        },
        Delta,
        Monotonic, //
    },
    workqueue::{
        Work,
        WorkItem, //
    }, //
};

/// Most entries of a send queue.
pub(crate) const MAX_DEPTH: u32 = 32768;
/// Most local ranges of a work request.
pub(crate) const MAX_SGE: u32 = 16;
/// Most remote ranges of a work request.
pub(crate) const MAX_RSGE: u32 = 2;
/// Most bytes of inline data.
pub(crate) const MAX_INLINE: u32 = 256;
/// Most bytes of a message.
pub(crate) const MAX_MSG: u32 = 0x7fff_ffff;

/// How often a queue is run again for others who found it busy, before a work goes on.
const RUNS: u32 = 4;

/// Nobody runs a queue.
const IDLE: u32 = 0;
/// Somebody does.
const RUNNING: u32 = 1;
/// Somebody does, and is to do it again: others found it so.
const AGAIN: u32 = 2;

/// Why a queue that waits for a receive buffer tries again.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wake {
    /// It does not yet.
    None = 0,
    /// The receiver said that it has posted.
    Receiver = 1,
    /// The time is over.
    Timer = 2,
}

/// A work request waits for a receive buffer of its target.
pub(crate) struct NotReady {
    /// Failed tries so far.
    pub(crate) tries: u8,
    /// Wakes the queue; dropping it cancels the timer.
    _timer: ArcHrTimerHandle<Sq>,
}

/// The part of a queue that belongs to who runs it.
pub(crate) struct SqState {
    pub(crate) index: SqIndex,
    pub(crate) machine: JettyMachine,
    /// What a connected jetty is bound to.
    pub(crate) bound: Option<Target>,
    /// Set while the oldest work request waits.
    pub(crate) not_ready: Option<NotReady>,
    /// What requests named last.
    pub(crate) memos: Memos,
    /// Destroyed: nothing is done any more.
    dead: bool,
}

impl SqState {
    /// Tells whether the queue is in service and waits for nothing.
    #[inline]
    pub(crate) fn is_usual(&self) -> bool {
        self.not_ready.is_none() && self.machine.is_quiet()
    }
}

/// A send queue.
#[pin_data]
pub(crate) struct Sq {
    pub(crate) dev: Arc<Dev>,
    pub(crate) owner: CtxId,
    /// Address space of the context, unless it is a kernel client's.
    mm: Option<MmId>,
    /// Its name on this host.
    pub(crate) name: SqName,
    /// The user's word for it.
    pub(crate) user_obj: u64,
    /// EID of its context.
    pub(crate) eid: Eid,
    pub(crate) limits: SqLimits,
    /// That of `limits`.
    pub(crate) plain_max: u32,
    /// Tries while a target has no receive buffer.
    pub(crate) rnr_retry: u8,
    pub(crate) ring: QueueRing,
    /// Where its completions go.
    pub(crate) jfc: Arc<Jfc>,
    /// Being destroyed: long copies end.
    stopped: Atomic<bool>,
    /// Its place with the thread that polls it, if one does.
    poll: Option<Slot>,
    /// The user's index as that thread saw it last.
    polled: Atomic<u32>,
    /// Who runs the queue: [`IDLE`], [`RUNNING`] or [`AGAIN`].
    turn: Atomic<u32>,
    /// A [`Wake`].
    wake: Atomic<u32>,
    /// Held while the queue runs; the outermost lock of the module.
    #[pin]
    state: Mutex<SqState>,
    /// Index of the next entry that a kernel client posts, in any context.
    #[pin]
    pub(crate) posted: SpinLockIrq<u32>,
    #[pin]
    work: Work<Sq>,
    #[pin]
    timer: HrTimer<Sq>,
    count: Count,
}

/// A counted pointer to a send queue: of the kernel crate, since timers have no others.
pub(crate) type SqArc = sync::Arc<Sq>;

impl_has_work! {
    impl HasWork<Self> for Sq { self.work }
}

impl_has_hr_timer! {
    impl HasHrTimer<Self> for Sq {
        mode: RelativeMode<Monotonic>,
        field: self.timer
    }
}

impl WorkItem for Sq {
    type Pointer = SqArc;

    fn run(this: SqArc) {
        this.dev.host.work_done();
        Sq::run(&this);
    }
}

impl HrTimerCallback for Sq {
    type Pointer<'a> = SqArc;

    fn run(this: sync::ArcBorrow<'_, Self>, _: HrTimerCallbackContext<'_, Self>) -> HrTimerRestart {
        this.wake.store(Wake::Timer as u32, Relaxed);
        Sq::schedule(&this.into());
        HrTimerRestart::NoRestart
    }
}

/// What a send queue is made of.
pub(crate) struct SqParts<'a> {
    /// What it shall be like.
    pub(crate) send: SendCfg,
    /// Its name.
    pub(crate) name: SqName,
    /// Where its completions go.
    pub(crate) jfc: Arc<Jfc>,
    /// Set if it is to be polled.
    pub(crate) poll: Option<Slot>,
    /// Who wants it.
    pub(crate) request: &'a Request<'a>,
    /// Counts the object.
    pub(crate) count: Count,
}

impl Sq {
    /// Makes a send queue and tells the user of its ring.
    ///
    /// # Errors
    ///
    /// `EINVAL` for a size beyond the limits, `ENOSPC`, `ENOMEM`, `EFAULT`.
    pub(crate) fn new<'d>(
        dev: &'d Arc<Dev>,
        parts: SqParts<'_>,
    ) -> Result<(SqArc, SendGrant, PendingRing<'d>)> {
        let send = &parts.send;
        let geometry = Geometry::for_depth(send.depth, MAX_DEPTH)?;
        let (max_sge, max_inline) = (u32::from(send.max_sge), send.max_inline);
        if max_sge > MAX_SGE || u32::from(send.max_rsge) > MAX_RSGE || max_inline > MAX_INLINE {
            return Err(EINVAL);
        }
        let mode = TransMode::from_raw(send.trans_mode)?;
        let stride = sqe_stride(max_sge, max_inline).ok_or(EINVAL)?;
        let request = parts.request;
        let (ring, pending) = QueueRing::new(dev, request, Kind::Send, geometry, stride)?;
        ring.reply(request, parts.name.doorbell_ref(), max_sge, max_inline)?;
        let grant = SendGrant {
            depth: geometry.entries(),
            max_sge: send.max_sge,
            max_rsge: send.max_rsge,
            max_inline,
        };
        let limits = SqLimits {
            mode,
            max_sge,
            max_inline,
            max_len: MAX_MSG,
        };
        let sq = SqArc::pin_init(
            pin_init!(Self {
                dev: dev.clone(),
                owner: request.owner,
                mm: request.mm,
                name: parts.name,
                user_obj: request.user_obj,
                eid: Eid::from_bytes(request.eid),
                limits,
                plain_max: limits.plain_max(),
                rnr_retry: send.rnr_retry,
                ring,
                jfc: parts.jfc,
                stopped: Atomic::new(false),
                poll: parts.poll,
                polled: Atomic::new(0),
                turn: Atomic::new(IDLE),
                wake: Atomic::new(Wake::None as u32),
                state <- new_mutex!(
                    SqState {
                        index: SqIndex::new(geometry),
                        machine: JettyMachine::new(send.error_suspend),
                        bound: None,
                        not_ready: None,
                        memos: Memos::new(),
                        dead: false,
                    },
                    "Sq::state"
                ),
                posted <- new_spinlock_irq!(0, "Sq::posted"),
                work <- new_work!("Sq::work"),
                timer <- HrTimer::new(),
                count: parts.count,
            }),
            GFP_KERNEL_ACCOUNT,
        )?;
        Ok((sq, grant, pending))
    }

    /// Has the queue run: by the caller, unless that is another process than the one whose queue it
    /// is. Others may have inherited the file; they may be killed in the middle of a request, which
    /// is none of the owner's business, so a work does it.
    #[inline(always)]
    pub(crate) fn kick(this: &SqArc) {
        if let Some(poll) = &this.poll {
            poll.wake();
        }
        if this.mm.is_none() || this.mm == MmId::current() {
            Self::run(this);
        } else {
            Self::schedule(this);
        }
    }

    /// Runs the queue, or has the one that runs it run it again. May sleep.
    #[inline(always)]
    pub(crate) fn run(this: &SqArc) {
        Self::run_some(this, true);
    }

    /// Has the thread that polls the queue, if one does, look at it from now on.
    pub(crate) fn begin_polling(this: &SqArc) {
        if let Some(poll) = &this.poll {
            poll.add(this);
        }
    }

    /// Tells the thread that polls the queue whether something was posted.
    pub(crate) fn is_posted(&self) -> bool {
        self.ring.user_idx() != self.polled.load(Relaxed)
    }

    /// Runs the queue for that thread, which comes back if there is more.
    pub(crate) fn poll(this: &SqArc) {
        let posted = this.ring.user_idx();
        let more = Self::run_some(this, false);
        let seen = if more { posted.wrapping_sub(1) } else { posted };
        this.polled.store(seen, Relaxed);
    }

    /// Runs the queue within a budget; `true` if there is more, which is left to a work or to the
    /// caller. One function for both, or the usual path would be taken apart.
    #[inline(never)]
    fn run_some(this: &SqArc, by_work: bool) -> bool {
        if !this.begin() {
            return false;
        }
        for _ in 0..RUNS {
            let after = {
                // Contended by those only who change or ask for the state.
                let mut state = this.state.lock();
                if state.dead {
                    After::default()
                } else {
                    engine::run(this, &mut state)
                }
            };
            if after.failed {
                this.report_failure();
            }
            if after.more {
                break;
            }
            if this.end() {
                return false;
            }
        }
        // Ordered before who goes on, who sees all that was posted by now; so notes are done with.
        this.turn.xchg(IDLE, Full);
        if by_work {
            Self::schedule(this);
        }
        true
    }

    /// Takes the right to run the queue, or leaves a note for who has it.
    #[inline]
    fn begin(&self) -> bool {
        // Full order: what is posted from here on comes with a note of its own.
        self.turn.hot_cmpxchg(IDLE, RUNNING).is_ok() || self.begin_again()
    }

    /// The part of [`Self::begin`] for a queue that is being run.
    #[cold]
    fn begin_again(&self) -> bool {
        // What the caller posted comes before what is read of the turn: if that is a note already,
        // it has not been taken yet, and who takes it sees the post.
        smp_mb(Full);
        loop {
            match self.turn.cmpxchg(RUNNING, AGAIN, Full) {
                Ok(_) | Err(AGAIN) => return false,
                Err(_) => {
                    if self.turn.cmpxchg(IDLE, RUNNING, Full).is_ok() {
                        return true;
                    }
                }
            }
        }
    }

    /// Gives the right back; `false` if there is a note, so that the queue is to be run again.
    #[inline]
    fn end(&self) -> bool {
        if self.turn.hot_cmpxchg(RUNNING, IDLE).is_ok() {
            return true;
        }
        // The note is taken; full order, as in `begin`.
        self.turn.xchg(RUNNING, Full);
        false
    }

    /// Tells the owner that the queue went to the error state. No locks are held.
    #[cold]
    fn report_failure(&self) {
        if self.name.is_jetty {
            if let Some(jetty) = self.dev.jettys.get(self.name.id) {
                jetty::fail(&jetty);
            }
        } else if let Some(jfs) = self.dev.jfss.get(self.name.id) {
            jfs.raise_error();
        }
    }

    /// Leaves the rest to a work. Any context.
    pub(crate) fn schedule(this: &SqArc) {
        if this.stopped.load(Relaxed) {
            return;
        }
        this.dev.host.work_queued();
        if this
            .dev
            .host
            .works_of(this.owner)
            .enqueue(this.clone())
            .is_err()
        {
            // It is queued already.
            this.dev.host.work_done();
        }
    }

    /// Has the queue wait until its target may have a receive buffer.
    pub(crate) fn wait_for_receiver(this: &SqArc, delay: Delta, tries: u8) -> NotReady {
        NotReady {
            tries,
            _timer: this.clone().start(delay),
        }
    }

    /// Tells why the queue may try again, once.
    pub(crate) fn take_wake(&self) -> Wake {
        match self.wake.xchg(Wake::None as u32, Full) {
            1 => Wake::Receiver,
            2 => Wake::Timer,
            _ => Wake::None,
        }
    }

    /// Says that the target has receive buffers now.
    pub(crate) fn receiver_ready(this: &SqArc) {
        // A timer that has expired counts a try; it is not to be forgotten.
        let _ = this
            .wake
            .cmpxchg(Wake::None as u32, Wake::Receiver as u32, Full);
        Self::schedule(this);
    }

    /// Tells whether long copies are to end: the queue or the device goes away, or the process whose
    /// queue it is (see [`Self::kick`]) is being killed.
    #[inline]
    pub(crate) fn is_stopped(&self) -> bool {
        // What a kernel client posted does not depend on who happens to run it.
        self.stopped.load(Relaxed)
            || self.dev.is_leaving()
            || (self.owner != CtxId::KERNEL && fatal_signal_pending())
    }

    /// Changes the state; `None` changes nothing. `entered` is told of the new state, under the lock,
    /// before anything is carried out in it.
    ///
    /// # Errors
    ///
    /// `EINVAL` for a state that does not exist or cannot be entered from the current one, `EBUSY`
    /// for a reset while the queue is being flushed.
    pub(crate) fn modify(
        this: &SqArc,
        to: Option<u32>,
        entered: impl FnOnce(JettyState),
    ) -> Result {
        let Some(to) = to else {
            return Ok(());
        };
        let to = JettyState::from_raw(to)?;
        {
            let mut state = this.state.lock();
            let actions = state.machine.modify(to)?;
            entered(to);
            if to != JettyState::Ready {
                state.not_ready = None;
            }
            if actions.flush {
                this.ring.raise(Flags::Error);
            }
            if actions.reset_queue {
                engine::discard(this, &mut state);
                this.ring.lower(Flags::Error);
            }
        }
        Self::kick(this);
        Ok(())
    }

    /// Returns the state.
    pub(crate) fn query(&self) -> u32 {
        self.state.lock().machine.state().raw()
    }

    /// Calls `act`, under the lock, if the queue is in the error state; tells whether.
    pub(crate) fn if_failed(&self, act: impl FnOnce()) -> bool {
        let state = self.state.lock();
        let failed = state.machine.state() == JettyState::Error;
        if failed {
            act();
        }
        failed
    }

    /// Binds a connected jetty.
    ///
    /// # Errors
    ///
    /// `EINVAL` for a jetty or target that is not of the connected service, `EBUSY` when it is
    /// bound.
    pub(crate) fn bind(&self, target: Target) -> Result {
        if self.limits.mode != TransMode::Rc
            || target.mode != TransMode::Rc
            || target.kind != TargetKind::Jetty
        {
            return Err(EINVAL);
        }
        let mut state = self.state.lock();
        if state.bound.is_some() {
            return Err(EBUSY);
        }
        state.bound = Some(target);
        Ok(())
    }

    /// Undoes it.
    pub(crate) fn unbind(&self) {
        self.state.lock().bound = None;
    }

    /// Has the queue do nothing any more: when this returns it does not run and will not again.
    pub(crate) fn stop(&self) {
        self.stopped.store(true, Relaxed);
        let timer = {
            let mut state = self.state.lock();
            state.dead = true;
            state.bound = None;
            state.not_ready.take()
        };
        // Cancels it, and waits for it if it runs.
        drop(timer);
        if let Some(poll) = &self.poll {
            poll.release(Some(self));
        }
    }

    /// Ends the life of the queue: when this returns it does not run and will not again.
    pub(crate) fn shut(&self) {
        self.stop();
        self.ring.withdraw(&self.dev);
        self.count.release();
    }
}
