// SPDX-License-Identifier: GPL-2.0

//! Runs send queues: takes entries, has them carried out, completes them.
//!
//! Whoever calls holds the state of the queue. Entries are copied before they are looked at, and a
//! failed one always completes. Locks below: that of a receive queue, then that of one completion
//! queue, never two at once.

use crate::{
    fast::{
        self,
        End,
        Entry, //
    },
    jfc,
    logic::{
        cqe::{
            Cqe,
            CrStatus,
            CR_FLAG_FLUSH_ERR_DONE,
            CR_FLAG_JETTY,
            CR_FLAG_SUSPEND_DONE, //
        },
        jetty_state::{
            Marker,
            WorkMode, //
        },
        sqe::{
            SqeHead,
            SQE_HEAD_LEN, //
        },
        types::TransMode,
        wr::{
            Op,
            Request,
            Target as Addressee, //
        }, //
    },
    ring::Flags,
    rnr::{
        self,
        RETRY_FOREVER, //
    },
    sq::{
        Sq,
        SqArc,
        SqState,
        Wake,
        MAX_INLINE,
        MAX_SGE, //
    },
    target::{
        self,
        Job,
        Outcome,
        Target, //
    }, //
};

/// Work requests of a run.
pub(crate) const BURST: u32 = 64;
/// Bytes of a run; the request that exceeds them is finished.
const BURST_BYTES: u32 = 256 << 10;

/// Largest tail of an entry.
const MAX_TAIL: usize = {
    assert!(MAX_INLINE <= MAX_SGE * 16);
    MAX_SGE as usize * 16
};
/// A tail for which a smaller buffer is enough: one range, or a little inline data.
const SMALL_TAIL: usize = 64;

/// What remains to be done after a run, without locks.
#[derive(Default)]
pub(crate) struct After {
    /// There is more to run.
    pub(crate) more: bool,
    /// The queue went to the error state by itself: its owner is to be told.
    pub(crate) failed: bool,
}

/// What a run may still do.
#[derive(Clone, Copy)]
pub(crate) struct Budget {
    entries: u32,
    bytes: u32,
}

impl Budget {
    /// That of a new run.
    const FULL: Self = Self {
        entries: BURST,
        bytes: BURST_BYTES,
    };

    /// Tells whether the run is to end. The first request is always carried out: a kick gets on.
    #[inline]
    pub(crate) fn is_used_up(&self) -> bool {
        self.entries == 0 || self.bytes == 0
    }

    /// Counts a request that moved `len` bytes; the one that exceeds the budget is finished.
    #[inline]
    pub(crate) fn spend(&mut self, len: u32) {
        self.entries = self.entries.saturating_sub(1);
        self.bytes = self.bytes.saturating_sub(len);
    }
}

/// Runs a queue until it is empty, has to wait, or the budget is used up.
#[inline]
pub(crate) fn run(sq: &SqArc, state: &mut SqState) -> After {
    let mut after = After::default();
    let mut budget = Budget::FULL;
    loop {
        let entry = if state.is_usual() {
            match fast::run(sq, state, &mut budget) {
                End::Empty => return after,
                End::Pause if !sq.is_stopped() => continue,
                End::Pause => None,
                End::Unusual(entry) => entry,
            }
        } else {
            None
        };
        if !step(sq, state, entry, &mut budget, &mut after) {
            return after;
        }
    }
}

/// Does one step of a run, whatever it is; `entry` is a copy of the oldest entry, if there is one
/// already. Returns `false` if the run ends here.
#[cold]
#[inline(never)]
fn step(
    sq: &SqArc,
    state: &mut SqState,
    entry: Option<Entry>,
    budget: &mut Budget,
    after: &mut After,
) -> bool {
    let wake = match state.not_ready {
        None => Wake::None,
        Some(_) => match sq.take_wake() {
            Wake::None => return false,
            wake => wake,
        },
    };
    let produced = sq.ring.user_idx();
    match state.index.pending(produced) {
        Ok(0) => {
            mark(sq, state);
            return false;
        }
        Ok(_) => {}
        Err(_) => {
            after.failed |= state.machine.fatal().async_error;
            sq.ring.raise(Flags::Error);
            // What the ring holds is in doubt, so there is nothing to flush.
            mark(sq, state);
            return false;
        }
    }
    if budget.is_used_up() || (budget.entries != BURST && sq.is_stopped()) {
        after.more = true;
        return false;
    }
    match state.machine.work_mode() {
        WorkMode::Hold => {
            mark(sq, state);
            false
        }
        WorkMode::Flush => {
            flush_one(sq, state, produced);
            budget.spend(0);
            true
        }
        WorkMode::Execute => {
            let entry = entry.unwrap_or_else(|| Entry::read(sq, state.index.fetched()));
            execute_one(sq, state, produced, &entry, wake, budget, after)
        }
    }
}

/// Gives the oldest entry back to the user.
#[inline]
fn retire(sq: &Sq, state: &mut SqState, produced: u32) {
    // There is one, so neither fails.
    let _ = state.index.fetch(produced);
    if let Some(finished) = state.index.finish() {
        sq.ring.set_kern_idx(finished);
    }
}

/// Carries out the oldest entry, of which `entry` is a copy. Returns `false` if the queue has to wait.
#[inline]
fn execute_one(
    sq: &SqArc,
    state: &mut SqState,
    produced: u32,
    entry: &Entry,
    wake: Wake,
    budget: &mut Budget,
    after: &mut After,
) -> bool {
    let head = entry.head.decode();
    let mut addressee = None;
    let mut wanted = true;
    let outcome = match head.check(&sq.limits) {
        Ok(request) => {
            wanted = request.flags.signaled();
            attempt(sq, state, entry, &request, &mut addressee)
        }
        Err(status) => status.into(),
    };
    let (status, len) = match outcome {
        Outcome::Done(status, len) => (status, len),
        Outcome::NotReady(delay) => {
            let before = state.not_ready.take().map_or(0, |waiting| waiting.tries);
            let tries = match wake {
                // A try that the receiver caused is not counted.
                Wake::Receiver => before,
                Wake::None | Wake::Timer => before.saturating_add(1),
            };
            let forever = sq.rnr_retry == RETRY_FOREVER;
            if forever || tries <= sq.rnr_retry {
                let delay = if forever {
                    rnr::back_off(delay, tries)
                } else {
                    delay
                };
                state.not_ready = Some(Sq::wait_for_receiver(sq, delay, tries));
                return false;
            }
            (CrStatus::RnrRetryExceeded, 0)
        }
    };
    state.not_ready = None;
    // The slot is free before its completion can be seen.
    retire(sq, state, produced);
    if wanted || status != CrStatus::Success {
        let mut cqe = record(sq, head.user_ctx, status);
        cqe.byte_len = len;
        if let Some(target) = &addressee {
            cqe.remote_eid = target.eid.into_bytes();
            cqe.remote_id = target.id;
            cqe.tpn = target.tpn;
        }
        jfc::complete(&sq.jfc, &cqe, false);
    }
    budget.spend(len);
    if status != CrStatus::Success {
        let actions = state.machine.work_failed();
        if actions.flush {
            sq.ring.raise(Flags::Error);
        }
        after.failed |= actions.async_error;
    }
    true
}

/// Copies the tail of an entry and carries the request out.
#[inline]
fn attempt(
    sq: &Sq,
    state: &SqState,
    entry: &Entry,
    request: &Request,
    addressee: &mut Option<Target>,
) -> Outcome {
    if request.op == Op::Nop {
        return Outcome::Done(CrStatus::Success, 0);
    }
    let target = match request.target {
        Addressee::None => return CrStatus::LocOperation.into(),
        Addressee::Bound => match state.bound {
            Some(target) => target,
            None => return CrStatus::LocOperation.into(),
        },
        Addressee::Imported(name) => match target::look_up(&sq.dev, sq.owner, name) {
            Ok(target) => target,
            Err(status) => return status.into(),
        },
    };
    if target.mode != sq.limits.mode {
        return CrStatus::LocOperation.into();
    }
    let target: &Target = addressee.insert(target);
    if request.tail.len() <= SMALL_TAIL {
        attempt_with::<SMALL_TAIL>(sq, state, entry, request, target)
    } else {
        attempt_with::<MAX_TAIL>(sq, state, entry, request, target)
    }
}

/// Does the rest with a buffer of `N` bytes for the tail.
#[inline]
fn attempt_with<const N: usize>(
    sq: &Sq,
    state: &SqState,
    entry: &Entry,
    request: &Request,
    target: &Target,
) -> Outcome {
    let mut buffer = [0; N];
    let Some(tail) = buffer.get_mut(..request.tail.len()) else {
        return CrStatus::LocOperation.into();
    };
    match &entry.plain {
        // The tail is the one range that has been copied already; nothing is read twice.
        Some((_, sge)) => {
            for (to, from) in tail.iter_mut().zip(sge.encode()) {
                *to = from;
            }
        }
        None => sq.ring.read(state.index.fetched(), SQE_HEAD_LEN, tail),
    }
    let local = match request.local(tail) {
        Ok(local) => local,
        Err(status) => return status.into(),
    };
    let outcome = target::execute(&Job {
        sq,
        request,
        local,
        target,
    });
    if sq.limits.mode == TransMode::Um {
        unreliable(outcome, request.len)
    } else {
        outcome
    }
}

/// What the sender of an unreliable message learns: nothing about the other side.
fn unreliable(outcome: Outcome, len: u32) -> Outcome {
    match outcome {
        Outcome::Done(
            CrStatus::UnsupportedOpcode
            | CrStatus::LocLen
            | CrStatus::LocOperation
            | CrStatus::LocAccess,
            _,
        ) => outcome,
        _ => Outcome::Done(CrStatus::Success, len),
    }
}

/// Completes the oldest entry with a flush error.
fn flush_one(sq: &Sq, state: &mut SqState, produced: u32) {
    let head = SqeHead::decode(&sq.ring.read_head::<SQE_HEAD_LEN>(state.index.fetched()));
    state.not_ready = None;
    retire(sq, state, produced);
    let cqe = record(sq, head.user_ctx, CrStatus::FlushErr);
    jfc::complete(&sq.jfc, &cqe, false);
}

/// Completes the marker that is due once nothing is left to run.
#[inline]
fn mark(sq: &Sq, state: &mut SqState) {
    let Some(marker) = state.machine.drained() else {
        return;
    };
    let (status, flag) = match marker {
        Marker::SuspendDone => (CrStatus::SuspendDone, CR_FLAG_SUSPEND_DONE),
        Marker::FlushErrDone => (CrStatus::FlushErrDone, CR_FLAG_FLUSH_ERR_DONE),
    };
    let mut cqe = record(sq, 0, status);
    cqe.flags |= flag;
    jfc::complete(&sq.jfc, &cqe, false);
}

/// Begins a completion of the queue.
#[inline(always)]
pub(crate) fn record(sq: &Sq, user_ctx: u64, status: CrStatus) -> Cqe {
    let mut cqe = Cqe::for_send(user_ctx, status);
    cqe.user_data = sq.user_obj;
    cqe.local_id = sq.name.id;
    if sq.name.is_jetty {
        cqe.flags = CR_FLAG_JETTY;
    }
    cqe
}

/// Forgets all entries that are posted.
pub(crate) fn discard(sq: &Sq, state: &mut SqState) {
    let produced = sq.ring.user_idx();
    state.not_ready = None;
    // An impossible index ends it at once: the next run will say so.
    while let Ok(Some(_)) = state.index.fetch(produced) {
        state.index.finish();
    }
    sq.ring.set_kern_idx(state.index.finished());
}
