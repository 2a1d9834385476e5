// SPDX-License-Identifier: GPL-2.0

//! Receive queues.

use crate::{
    counters::{
        Count,
        Kind as CountKind, //
    },
    device::Dev,
    host::CtxId,
    jfc::Jfc,
    kernel_ext::{
        arc::Arc,
        use_wait::UseCount, //
    },
    lock::{
        Locked,
        QueueLock, //
    },
    logic::{
        access::{
            token_eq,
            TOKEN_NONE, //
        },
        cqe::CrStatus,
        jetty_state::{
            JfrMachine,
            JfrState,
            LimitWatch, //
        },
        ring::{
            rqe_stride,
            Geometry,
            RqIndex, //
        },
        rqe::{
            RqeHead,
            RQE_HEAD_LEN, //
        },
        sge::{
            Sge,
            SgeList,
            SGE_LEN, //
        },
        types::TransMode, //
    },
    poll,
    post,
    queue::{
        QueueRing,
        Request, //
    },
    ring::{
        Flags,
        Kind, //
    },
    rnr::{
        self,
        SqName,
        Waiters, //
    },
    segment::check_token_policy,
    ub::driver::{
        self,
        JfrAttr,
        JfrCfg,
        JfrEvent, //
    },
    Soft, //
};
use kernel::{
    c_str,
    prelude::*,
    static_lock_class,
    sync::{
        atomic::Full,
        barrier::smp_mb, //
    },
    time::Delta, //
};

/// A receive queue as ubcore knows it.
pub(crate) type Jfr = driver::Jfr<Soft>;

/// Most entries of a receive queue.
pub(crate) const MAX_DEPTH: u32 = 32768;
/// Most ranges of a buffer.
pub(crate) const MAX_SGE: u32 = 16;
/// Bytes of the largest list of ranges.
const MAX_TAIL: usize = MAX_SGE as usize * SGE_LEN;

/// A receive buffer, copied from the ring: its head and its list of ranges.
pub(crate) struct Buffer {
    head: RqeHead,
    tail: [u8; MAX_TAIL],
    /// Bytes of the list, or why there is none.
    len: Result<usize, CrStatus>,
}

impl Buffer {
    /// Makes room for one.
    #[inline]
    pub(crate) fn new() -> Self {
        Self {
            head: RqeHead {
                user_ctx: 0,
                num_sge: 0,
                total_len: 0,
            },
            tail: [0; MAX_TAIL],
            len: Ok(0),
        }
    }

    /// Returns the user's word for it.
    #[inline]
    pub(crate) fn user_ctx(&self) -> u64 {
        self.head.user_ctx
    }

    /// Returns the checked list.
    ///
    /// # Errors
    ///
    /// The status of its completion if the user wrote nonsense.
    #[inline]
    pub(crate) fn list(&self) -> Result<SgeList<'_>, CrStatus> {
        let tail = self.tail.get(..self.len?).ok_or(CrStatus::LocOperation)?;
        self.head.sges(tail)
    }
}

/// What an attempt to take a buffer gives.
pub(crate) enum Taken {
    /// A buffer; whether the caller's own condition was met.
    Buffer(bool),
    /// There is none: try again after this time.
    Empty(Delta),
    /// The queue does not receive.
    Refused,
}

/// The part that changes.
pub(crate) struct State {
    pub(crate) index: RqIndex,
    /// By which jetty a kernel client posted the buffer of each slot: what [`JettyData::user_obj`]
    /// says, or 0; empty for a user.
    ///
    /// [`JettyData::user_obj`]: crate::jetty::JettyData::user_obj
    pub(crate) posters: KVVec<u64>,
    pub(crate) machine: JfrMachine,
    limit: LimitWatch,
    /// Senders that found the queue empty.
    waiters: Waiters,
    /// The user has been asked to kick.
    need_kick: bool,
    /// Destroyed: nothing is received any more.
    dead: bool,
}

/// A receive queue.
#[pin_data]
pub(crate) struct Rq {
    pub(crate) dev: Arc<Dev>,
    owner: CtxId,
    id: u32,
    user_obj: u64,
    mode: TransMode,
    token_policy: u32,
    /// Never logged.
    token: u32,
    pub(crate) max_sge: u32,
    /// Code of the time that senders wait.
    rnr_timer: u8,
    pub(crate) ring: QueueRing,
    jfc: Arc<Jfc>,
    /// Messages under way to this queue, not those to a jetty that receives from it.
    #[pin]
    users: UseCount,
    /// Of a kernel client, which posts in any context.
    kernel: bool,
    /// Taken under the state of a send queue.
    #[pin]
    state: QueueLock<State>,
    count: Count,
}

impl Rq {
    /// Returns whose queue it is.
    #[inline]
    pub(crate) fn owner(&self) -> CtxId {
        self.owner
    }

    /// Returns its number.
    #[inline]
    pub(crate) fn id(&self) -> u32 {
        self.id
    }

    /// Returns the user's word for it.
    #[inline]
    pub(crate) fn user_obj(&self) -> u64 {
        self.user_obj
    }

    /// Returns the service.
    pub(crate) fn mode(&self) -> TransMode {
        self.mode
    }

    /// Returns where its completions go.
    #[inline]
    pub(crate) fn jfc(&self) -> &Jfc {
        &self.jfc
    }

    /// Returns the count of messages under way.
    #[inline]
    pub(crate) fn users(&self) -> &UseCount {
        &self.users
    }

    /// Checks the service and the token of a sender.
    ///
    /// # Errors
    ///
    /// `RemOperation` for another service, `RemAccessAbort` for the wrong token.
    #[inline]
    pub(crate) fn check(&self, mode: TransMode, token: u32) -> Result<(), CrStatus> {
        if mode != self.mode {
            Err(CrStatus::RemOperation)
        } else if self.token_policy != TOKEN_NONE && !token_eq(self.token, token) {
            Err(CrStatus::RemAccessAbort)
        } else {
            Ok(())
        }
    }

    /// Tells whether the queue is in the error state.
    pub(crate) fn has_failed(&self) -> bool {
        self.lock().machine.state() == JfrState::Error
    }

    /// Takes the lock.
    #[inline(always)]
    pub(crate) fn lock(&self) -> Locked<'_, State> {
        self.state.lock()
    }

    /// Copies an entry of the ring.
    #[inline]
    fn read(&self, index: u32, buffer: &mut Buffer) {
        buffer.head = RqeHead::decode(&self.ring.read_head::<RQE_HEAD_LEN>(index));
        buffer.len = buffer.head.tail_len(self.max_sge);
        if let Ok(len) = buffer.len {
            if let Some(tail) = buffer.tail.get_mut(..len) {
                self.ring.read(index, RQE_HEAD_LEN, tail);
            }
        }
    }
}

impl State {
    /// Takes the next entry; `Err` for an impossible index of the user.
    #[inline]
    fn next(&mut self, rq: &Rq) -> Result<Option<(u32, u32)>, crate::logic::ring::Corrupt> {
        let produced = rq.ring.user_idx();
        let Some(index) = self.index.take(produced)? else {
            return Ok(None);
        };
        Ok(Some((index, self.index.pending(produced)?)))
    }
}

/// Takes a buffer for a message of `sender`; `condition` judges, under the lock, how many are left.
#[inline]
pub(crate) fn take(
    jfr: &Jfr,
    sender: SqName,
    buffer: &mut Buffer,
    condition: impl FnOnce(u32) -> bool,
) -> Taken {
    let (taken, event) = take_locked(jfr, sender, buffer, condition);
    if let Some(event) = event {
        jfr.raise(event);
    }
    taken
}

/// The next buffer, which has one range; it is taken or not while the lock is held.
pub(crate) struct Offer<'a> {
    jfr: &'a Jfr,
    locked: Locked<'a, State>,
    /// The user's index.
    produced: u32,
    /// The user's word for it.
    user_ctx: u64,
    /// Its range.
    pub(crate) room: Sge,
    /// Buffers that are left behind it.
    remaining: u32,
}

/// Looks at the next buffer, if there is one and it has one range.
#[inline(always)]
pub(crate) fn next_plain(jfr: &Jfr) -> Option<Offer<'_>> {
    let locked = jfr.lock();
    let state = &*locked;
    if state.dead || !state.machine.accepts() || jfr.max_sge == 0 {
        return None;
    }
    let produced = jfr.ring.user_idx();
    let remaining = state.index.pending(produced).ok()?.checked_sub(1)?;
    let [user_ctx, rest, addr, tail] = jfr.ring.read_words(state.index.consumed(), 0);
    let head = RqeHead::from_words([user_ctx, rest]);
    let room = Sge::from_words([addr, tail]);
    (head.num_sge == 1 && head.total_len == room.len).then_some(Offer {
        jfr,
        locked,
        produced,
        user_ctx,
        room,
        remaining,
    })
}

impl Offer<'_> {
    /// Takes the buffer; returns the user's word for it, and what `condition` says of how many are
    /// left, under the lock.
    #[inline(always)]
    pub(crate) fn take(self, condition: impl FnOnce(u32) -> bool) -> Option<(u64, bool)> {
        let Self {
            jfr,
            mut locked,
            produced,
            user_ctx,
            remaining,
            ..
        } = self;
        let state = &mut *locked;
        state.index.take(produced).ok()??;
        // The user may overwrite the entry now.
        jfr.ring.set_kern_idx(state.index.consumed());
        let due = state.limit.consumed(remaining);
        let met = condition(remaining);
        drop(locked);
        if due {
            jfr.raise(JfrEvent::Limit);
        }
        Some((user_ctx, met))
    }
}

/// Does it, and tells which event is due.
#[inline]
fn take_locked(
    rq: &Rq,
    sender: SqName,
    buffer: &mut Buffer,
    condition: impl FnOnce(u32) -> bool,
) -> (Taken, Option<JfrEvent>) {
    let mut locked = rq.lock();
    let state = &mut *locked;
    if state.dead || !state.machine.accepts() {
        return (Taken::Refused, None);
    }
    let mut next = state.next(rq);
    if let Ok(None) = next {
        // Whoever posts from now on sees the flag, or the post is seen here.
        state.need_kick = true;
        rq.ring.raise(Flags::NeedKick);
        smp_mb(Full);
        next = state.next(rq);
    }
    match next {
        Ok(Some((index, remaining))) => {
            rq.read(index, buffer);
            // The user may overwrite the entry now.
            rq.ring.set_kern_idx(state.index.consumed());
            let due = state.limit.consumed(remaining);
            let met = condition(remaining);
            (Taken::Buffer(met), due.then_some(JfrEvent::Limit))
        }
        Ok(None) => {
            state.waiters.add(sender);
            (Taken::Empty(rnr::delay(rq.rnr_timer)), None)
        }
        Err(_) => {
            let failed = state.machine.fatal().async_error;
            rq.ring.raise(Flags::Error);
            (Taken::Refused, failed.then_some(JfrEvent::Error))
        }
    }
}

/// Tells whether a queue receives, with or without a buffer.
pub(crate) fn accepts(jfr: &Jfr) -> bool {
    let state = jfr.lock();
    !state.dead && state.machine.accepts()
}

/// Buffers were posted to a queue that was empty: wakes the senders that wait for them.
pub(crate) fn kick(jfr: &Jfr) {
    let waiters = {
        let mut locked = jfr.lock();
        if locked.need_kick {
            locked.need_kick = false;
            jfr.ring.lower(Flags::NeedKick);
        }
        core::mem::take(&mut locked.waiters)
    };
    waiters.wake(&jfr.dev.host);
}

/// Creates a receive queue.
pub(crate) fn create(dev: &Arc<Dev>, cfg: JfrCfg<Soft>, request: Request<'_>) -> Result<Arc<Jfr>> {
    let geometry = Geometry::for_depth(cfg.depth, MAX_DEPTH)?;
    let max_sge = u32::from(cfg.max_sge);
    if max_sge > MAX_SGE {
        return Err(EINVAL);
    }
    let mode = TransMode::from_raw(cfg.trans_mode)?;
    check_token_policy(cfg.token_policy)?;
    if cfg.jfc.owner() != request.owner {
        return Err(EINVAL);
    }
    let reservation = dev.reserve_id(&dev.jfrs, cfg.id)?;
    let id = reservation.id();
    let stride = rqe_stride(max_sge).ok_or(EINVAL)?;
    let (ring, pending) = QueueRing::new(dev, &request, Kind::Receive, geometry, stride)?;
    ring.reply(&request, id, max_sge, 0)?;
    let (jfc, grant) = (cfg.jfc.clone(), (geometry.entries(), cfg.max_sge));
    let (token_policy, token, rnr_timer) = (cfg.token_policy, cfg.token, cfg.min_rnr_timer);
    let kernel = request.owner == CtxId::KERNEL;
    let (name, class, posters) = if kernel {
        // CAST: From 32 to 64 bits.
        let posters = KVVec::from_elem(0, geometry.entries() as usize, GFP_KERNEL_ACCOUNT)?;
        (
            c_str!("Rq::state of the kernel"),
            static_lock_class!(),
            posters,
        )
    } else {
        (c_str!("Rq::state"), static_lock_class!(), KVVec::new())
    };
    let rq = try_pin_init!(Rq {
        dev: dev.clone(),
        owner: request.owner,
        id,
        user_obj: request.user_obj,
        mode,
        token_policy,
        token,
        max_sge,
        rnr_timer,
        ring,
        jfc,
        users <- UseCount::new(),
        kernel,
        state <- QueueLock::new(
            State {
                index: RqIndex::new(geometry),
                posters,
                machine: JfrMachine::new(),
                limit: LimitWatch::default(),
                waiters: Waiters::default(),
                need_kick: false,
                dead: false,
            },
            *kernel,
            name,
            class,
        ),
        count: Count::one(&dev.host.counters, CountKind::Jfr),
    });
    let jfr = Jfr::new_jfr(cfg, id, grant, rq)?;
    pending.publish();
    reservation.publish(jfr.clone());
    Ok(jfr)
}

/// Changes the state or the threshold of a receive queue.
pub(crate) fn modify(jfr: &Jfr, attr: &JfrAttr) -> Result {
    let to = attr.state.map(JfrState::from_raw).transpose()?;
    let mut flush = false;
    {
        let mut locked = jfr.lock();
        let state = &mut *locked;
        if let Some(to) = to {
            let actions = state.machine.modify(to)?;
            if actions.reset_queue {
                let produced = jfr.ring.user_idx();
                while let Ok(Some(_)) = state.index.take(produced) {}
                jfr.ring.set_kern_idx(state.index.consumed());
                jfr.ring.lower(Flags::Error);
            }
            if actions.flush {
                jfr.ring.raise(Flags::Error);
            }
            flush = actions.flush;
        }
        if let Some(threshold) = attr.rx_threshold {
            state.limit.arm(threshold);
        }
    }
    if flush {
        post::flush_all(jfr);
    }
    Ok(())
}

/// Returns the state and the threshold.
pub(crate) fn query(jfr: &Jfr) -> (u32, u32) {
    let locked = jfr.lock();
    let state = &*locked;
    (state.machine.state().raw(), state.limit.threshold())
}

/// Destroys a receive queue: when this returns, no message is under way to it.
pub(crate) fn destroy(jfr: &Jfr) {
    jfr.dev.jfrs.withdraw(jfr.id);
    let waiters = {
        let mut locked = jfr.lock();
        locked.dead = true;
        core::mem::take(&mut locked.waiters)
    };
    jfr.users.revoke();
    // They find nobody, and say so to their users.
    waiters.wake(&jfr.dev.host);
    if jfr.kernel {
        poll::discard(&jfr.jfc);
    }
    jfr.ring.withdraw(&jfr.dev);
    jfr.count.release();
}
