// SPDX-License-Identifier: GPL-2.0

//! Completion queues.

use crate::{
    counters::{
        Count,
        Kind as CountKind, //
    },
    device::Dev,
    host::CtxId,
    kernel_ext::atomic_context::NoSleep,
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
    c_str,
    interrupt::{
        local_interrupt_disable,
        LocalInterruptDisabled, //
    },
    prelude::*,
    static_lock_class,
    sync::{
        lock::spinlock::SpinLockGuard,
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
pub(crate) struct State {
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
    pub(crate) dev: Arc<Dev>,
    owner: CtxId,
    id: u32,
    pub(crate) ring: QueueRing,
    /// Of a kernel client, which polls in any context.
    pub(crate) kernel: bool,
    /// Taken last of all locks of queues, and for one queue at a time; with interrupts off if the
    /// queue is a kernel client's.
    #[pin]
    state: SpinLock<State>,
    count: Count,
}

/// The locked part of a queue; fields are dropped in order.
pub(crate) struct Locked<'a> {
    pub(crate) state: SpinLockGuard<'a, State>,
    _irqs_off: Option<LocalInterruptDisabled>,
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

    /// Takes the lock.
    #[inline]
    pub(crate) fn lock(&self) -> Locked<'_> {
        let irqs_off = self.kernel.then(local_interrupt_disable);
        Locked {
            state: self.state.lock(),
            _irqs_off: irqs_off,
        }
    }
}

/// Tells the owner of a completion.
#[cold]
#[inline(never)]
fn notify(jfc: &Jfc) {
    // The handler of a kernel client posts and polls: what it posts is then left to a work, so that
    // queues are not run inside of each other.
    let _no_sleep = jfc.kernel.then(NoSleep::enter);
    jfc.raise_completion();
}

/// Tells the owner of completions that are lost.
#[cold]
#[inline(never)]
fn report_overflow(jfc: &Jfc) {
    jfc.ring.raise(Flags::Overflow);
    let _no_sleep = jfc.kernel.then(NoSleep::enter);
    jfc.raise_error();
}

/// Completes something on a queue.
#[inline]
pub(crate) fn complete(jfc: &Jfc, cqe: &Cqe, solicited: bool) {
    let solicited = solicited || cqe.status != CrStatus::Success;
    put(jfc, solicited, || words(cqe));
}

/// The same for a record that is laid out, by `words`, where it is stored.
#[inline(always)]
pub(crate) fn put(jfc: &Jfc, solicited: bool, words: impl FnOnce() -> ([u64; 7], u32)) {
    let mut fire = false;
    {
        let mut locked = jfc.lock();
        let state = &mut *locked.state;
        if state.dead {
            return;
        }
        match state.index.reserve(jfc.ring.user_idx()) {
            Ok(slot) => {
                let (words, last) = words();
                jfc.ring
                    .write_completion(slot.index, &words, last, slot.seq);
                if solicited {
                    state.solicited = Some(slot.seq);
                }
                if let Some(what) = state.armed {
                    fire = what == Arm::Any || solicited;
                    if fire {
                        state.armed = None;
                    }
                }
            }
            Err(_) => {
                let overflowed = state.machine.overflow();
                drop(locked);
                if overflowed {
                    report_overflow(jfc);
                }
                return;
            }
        }
    }
    if fire {
        notify(jfc);
    }
}

/// Asks for one event for a user; it comes at once if there is something that the user, who has consumed the
/// entries before `consumed`, does not know.
pub(crate) fn arm(jfc: &Jfc, consumed: u32, what: Arm) {
    let fire = {
        let mut state = jfc.state.lock();
        if state.dead {
            return;
        }
        let pending = state.has_unread(consumed, what);
        state.arm(if pending { None } else { Some(what) });
        pending
    };
    if fire {
        jfc.raise_completion();
    }
}

impl State {
    /// Tells whether there is something that the owner, who has consumed the entries before
    /// `consumed`, wants to know and does not.
    pub(crate) fn has_unread(&self, consumed: u32, what: Arm) -> bool {
        let unread = self.index.unread(consumed);
        match what {
            Arm::Any => unread != 0,
            // Behind `consumed`, and not by more than there is unread.
            Arm::Solicited => self.solicited.is_some_and(|seq| {
                let ahead = seq.wrapping_sub(consumed);
                ahead != 0 && ahead <= unread
            }),
        }
    }

    /// Tells whether the owner has consumed all entries.
    pub(crate) fn is_empty(&self, consumed: u32) -> bool {
        self.index.unread(consumed) == 0
    }

    /// Notes which event is wanted, or that none is any more.
    pub(crate) fn arm(&mut self, what: Option<Arm>) {
        self.armed = match (self.armed, what) {
            // Who wants any event does not get fewer by asking for solicited ones too.
            (Some(Arm::Any), Some(Arm::Solicited)) => Some(Arm::Any),
            _ => what,
        };
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
    let kernel = owner == CtxId::KERNEL;
    let (name, class) = if kernel {
        (c_str!("Cq::state of the kernel"), static_lock_class!())
    } else {
        (c_str!("Cq::state"), static_lock_class!())
    };
    let cq = try_pin_init!(Cq {
        count: Count::one(&dev.host.counters, CountKind::Jfc),
        dev: dev.clone(),
        owner,
        id,
        ring,
        kernel,
        state <- SpinLock::new(
            State {
                index: CqIndex::new(geometry),
                machine: JfcMachine::new(),
                armed: None,
                solicited: None,
                dead: false,
            },
            name,
            class,
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
    jfc.lock().state.dead = true;
    jfc.ring.withdraw(&jfc.dev);
    jfc.count.release();
}
