// SPDX-License-Identifier: GPL-2.0

//! Completion queues.

use crate::{
    counters::{
        Count,
        Kind as CountKind, //
    },
    device::Dev,
    host::CtxId,
    logic::{
        cqe::{
            Cqe,
            CrStatus, //
        },
        jetty_state::JfcMachine,
        ring::{
            CqIndex,
            Geometry, //
        }, //
    },
    queue::{
        QueueRing,
        Request, //
    },
    ring::{
        Flags,
        Kind, //
    },
    ub::driver::{
        self,
        JfcCfg, //
    },
    Soft, //
};
use kernel::{
    new_spinlock,
    prelude::*,
    sync::{
        Arc,
        SpinLock, //
    }, //
};

/// A completion queue as ubcore knows it.
pub(crate) type Jfc = driver::Jfc<Soft>;

/// Completion event queues.
pub(crate) const EVENT_QUEUES: u32 = 1;
/// Most entries of a completion queue.
pub(crate) const MAX_DEPTH: u32 = 65536;
/// Bytes of an entry.
const STRIDE: u32 = 64;

/// What an event was asked for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Arm {
    /// Any completion.
    Any,
    /// A solicited or failed one.
    Solicited,
}

/// The part that changes.
struct State {
    index: CqIndex,
    machine: JfcMachine,
    /// The event that is wanted; at most one is outstanding.
    armed: Option<Arm>,
    /// Index behind the last solicited or failed completion, if there was one.
    solicited: Option<u32>,
    /// Destroyed: nothing is completed any more.
    dead: bool,
}

/// A completion queue.
#[pin_data]
pub(crate) struct Cq {
    dev: Arc<Dev>,
    owner: CtxId,
    id: u32,
    ring: QueueRing,
    /// Taken last of all locks of queues, and for one queue at a time.
    #[pin]
    state: SpinLock<State>,
    count: Count,
}

/// Lays a completion out as the words of an entry, without the last four bytes.
#[inline]
pub(crate) fn words(cqe: &Cqe) -> ([u64; 7], u32) {
    let [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p] = cqe.remote_eid;
    let pair = |low: u32, high: u32| u64::from(low) | (u64::from(high) << 32);
    (
        [
            cqe.user_ctx,
            cqe.user_data,
            cqe.imm,
            u64::from_le_bytes([a, b, c, d, e, f, g, h]),
            u64::from_le_bytes([i, j, k, l, m, n, o, p]),
            pair(cqe.remote_id, cqe.local_id),
            pair(cqe.byte_len, cqe.tpn),
        ],
        u32::from_le_bytes([cqe.status.raw(), cqe.opcode, cqe.flags, 0]),
    )
}

impl Cq {
    /// Returns whose queue it is.
    #[inline]
    pub(crate) fn owner(&self) -> CtxId {
        self.owner
    }
}

/// Completes something on a queue.
#[inline]
pub(crate) fn complete(jfc: &Jfc, cqe: &Cqe, solicited: bool) {
    let solicited = solicited || cqe.status != CrStatus::Success;
    let mut overflowed = false;
    let mut fire = false;
    {
        let mut state = jfc.state.lock();
        if state.dead {
            return;
        }
        match state.index.reserve(jfc.ring.user_idx()) {
            Ok(slot) => {
                let (words, last) = words(cqe);
                jfc.ring
                    .write_completion(slot.index, &words, last, slot.seq);
                if solicited {
                    state.solicited = Some(slot.seq);
                }
                fire = match state.armed {
                    None => false,
                    Some(Arm::Any) => true,
                    Some(Arm::Solicited) => solicited,
                };
                if fire {
                    state.armed = None;
                }
            }
            Err(_) => overflowed = state.machine.overflow(),
        }
    }
    if overflowed {
        jfc.ring.raise(Flags::Overflow);
        jfc.raise_error();
    }
    if fire {
        jfc.raise_completion();
    }
}

/// Asks for one event; it comes at once if there is something that the user, who has consumed the
/// entries before `consumed`, does not know.
pub(crate) fn arm(jfc: &Jfc, consumed: u32, what: Arm) {
    let fire = {
        let mut state = jfc.state.lock();
        if state.dead {
            return;
        }
        let unread = state.index.unread(consumed);
        let pending = match what {
            Arm::Any => unread != 0,
            // Behind `consumed`, and not by more than there is unread.
            Arm::Solicited => state.solicited.is_some_and(|seq| {
                let ahead = seq.wrapping_sub(consumed);
                ahead != 0 && ahead <= unread
            }),
        };
        state.armed = match (state.armed, what) {
            _ if pending => None,
            // Who wants any event does not get fewer by asking for solicited ones too.
            (Some(Arm::Any), Arm::Solicited) => Some(Arm::Any),
            _ => Some(what),
        };
        pending
    };
    if fire {
        jfc.raise_completion();
    }
}

/// Creates a completion queue.
///
/// # Errors
///
/// `EINVAL` for a depth or an event queue that there is not, `EEXIST` for a number that is taken;
/// those of [`QueueRing::new`].
pub(crate) fn create(dev: &Arc<Dev>, cfg: JfcCfg, request: Request<'_>) -> Result<Arc<Jfc>> {
    if cfg.ceqn >= EVENT_QUEUES {
        return Err(EINVAL);
    }
    let geometry = Geometry::for_depth(cfg.depth, MAX_DEPTH)?;
    let reservation = dev.reserve_id(&dev.jfcs, cfg.id)?;
    let id = reservation.id();
    let (ring, pending) = QueueRing::new(dev, &request, Kind::Complete, geometry, STRIDE)?;
    ring.reply(&request, id, 0, 0)?;
    let owner = request.owner;
    let cq = try_pin_init!(Cq {
        count: Count::one(&dev.host.counters, CountKind::Jfc),
        dev: dev.clone(),
        owner,
        id,
        ring,
        state <- new_spinlock!(
            State {
                index: CqIndex::new(geometry),
                machine: JfcMachine::new(),
                armed: None,
                solicited: None,
                dead: false,
            },
            "Cq::state"
        ),
    });
    let jfc = Jfc::new_jfc(cfg, id, geometry.entries(), cq)?;
    pending.publish();
    reservation.publish(jfc.clone());
    Ok(jfc)
}

/// Destroys a completion queue; nothing is completed on it any more.
pub(crate) fn destroy(jfc: &Jfc) {
    drop(jfc.dev.jfcs.remove(jfc.id));
    jfc.state.lock().dead = true;
    jfc.ring.withdraw(&jfc.dev);
    jfc.count.release();
}
