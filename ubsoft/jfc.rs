// SPDX-License-Identifier: GPL-2.0

//! Completion queues.

use crate::{
    counters::{
        Count,
        Kind as CountKind, //
    },
    device::Dev,
    host::CtxId,
    kernel_ext::{
        arc::Arc,
        atomic_context::NoSleep, //
    },
    lock::{
        Locked,
        QueueLock, //
    },
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
    moderation::{
        Alarm,
        Moderated, //
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
    prelude::*,
    static_lock_class, //
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

/// Which event is wanted.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Armed {
    /// For any completion.
    Any,
    /// For a solicited or failed one.
    Solicited,
    /// For any, when [`State::moderated`] says so.
    Moderated,
}

/// The part that changes.
pub(crate) struct State {
    index: CqIndex,
    machine: JfcMachine,
    /// The event that is wanted; at most one is outstanding.
    armed: Option<Armed>,
    /// Index behind the last solicited or failed completion, if there was one.
    solicited: Option<u32>,
    /// Index behind the last failed completion, if there was one.
    failed: Option<u32>,
    /// How events are moderated, if that was asked for. At rest unless that is what is armed.
    moderated: Option<KBox<Moderated>>,
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
    /// Taken last of all locks of queues, and for one queue at a time.
    #[pin]
    state: QueueLock<State>,
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

    /// Takes the lock.
    #[inline(always)]
    pub(crate) fn lock(&self) -> Locked<'_, State> {
        self.state.lock()
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
    put_any(jfc, solicited, cqe.status != CrStatus::Success, || {
        words(cqe)
    });
}

/// The same for the record of a success that is laid out, by `words`, where it is stored.
#[inline(always)]
pub(crate) fn put(jfc: &Jfc, solicited: bool, words: impl FnOnce() -> ([u64; 7], u32)) {
    put_any(jfc, solicited, false, words);
}

/// Stores a record, and raises the event that is wanted.
#[inline(always)]
fn put_any(jfc: &Jfc, solicited: bool, failed: bool, words: impl FnOnce() -> ([u64; 7], u32)) {
    let mut fire = false;
    {
        let mut locked = jfc.lock();
        let state = &mut *locked;
        if state.dead {
            return;
        }
        let consumed = jfc.ring.user_idx();
        match state.index.reserve(consumed) {
            Ok(slot) => {
                let (words, last) = words();
                jfc.ring
                    .write_completion(slot.index, &words, last, slot.seq);
                if solicited || failed {
                    state.solicited = Some(slot.seq);
                }
                if failed {
                    state.failed = Some(slot.seq);
                }
                if let Some(what) = state.armed {
                    fire = match what {
                        Armed::Any => true,
                        Armed::Solicited => solicited || failed,
                        Armed::Moderated => state.moderate(consumed, solicited, failed),
                    };
                    if fire {
                        state.armed = None;
                    }
                }
            }
            Err(_) => {
                overflow(jfc, locked);
                return;
            }
        }
    }
    if fire {
        notify(jfc);
    }
}

/// A completion is lost, since there is no room.
#[cold]
#[inline(never)]
fn overflow(jfc: &Jfc, mut locked: Locked<'_, State>) {
    let overflowed = locked.machine.overflow();
    // Nothing more will come, so what is put off comes now.
    let fire = locked.armed == Some(Armed::Moderated);
    if fire {
        locked.disarm();
    }
    drop(locked);
    if overflowed {
        report_overflow(jfc);
    }
    if fire {
        notify(jfc);
    }
}

/// Asks for one event for a user; it comes at once if there is something that the user, who has consumed the
/// entries before `consumed`, does not know, and enough of that if events are moderated.
pub(crate) fn arm(jfc: &Jfc, consumed: u32, what: Arm) {
    let fire = {
        let mut state = jfc.lock();
        if state.dead {
            return;
        }
        if what == Arm::Any && state.is_moderated() {
            state.arm_moderated(consumed)
        } else {
            let pending = state.has_unread(consumed, what);
            if pending {
                state.disarm();
            } else {
                state.arm(what);
            }
            pending
        }
    };
    if fire {
        jfc.raise_completion();
    }
}

/// Sets moderation: an event for any completion waits until there are `count`, or until `period`
/// microseconds have passed since the first of them; 0 means that this does not matter, `None` that
/// it stays as it is.
///
/// # Errors
///
/// `ENOMEM`, `EIO` for a queue that is destroyed.
pub(crate) fn modify(jfc: &Jfc, count: Option<u16>, period: Option<u16>) -> Result {
    if count.is_none() && period.is_none() {
        return Ok(());
    }
    let is_new = jfc.lock().moderated.is_none();
    if is_new && count.unwrap_or(0) == 0 && period.unwrap_or(0) == 0 {
        // It is off.
        return Ok(());
    }
    let entries = jfc.ring.geometry().entries();
    let mut made = None;
    let fire;
    let unused;
    loop {
        if made.is_none() && jfc.lock().moderated.is_none() {
            made = Some(Moderated::new(&jfc.dev, jfc.id, entries)?);
        }
        let mut locked = jfc.lock();
        let state = &mut *locked;
        if state.dead {
            return Err(EIO);
        }
        if state.moderated.is_none() {
            if made.is_none() {
                // Somebody has taken it away meanwhile.
                continue;
            }
            state.moderated = made.take();
        }
        fire = state.set_moderation(jfc.ring.user_idx(), count, period);
        unused = state.moderated.take_if(|moderated| moderated.is_unset());
        break;
    }
    // Without the lock.
    drop(unused);
    if fire {
        notify(jfc);
    }
    Ok(())
}

/// Raises the event of a queue for which `alarm` is, if it is due.
pub(crate) fn expired(jfc: &Jfc, alarm: &Alarm) {
    let fire = {
        let mut locked = jfc.lock();
        let state = &mut *locked;
        let unread = state.index.unread(jfc.ring.user_idx());
        let waits = !state.dead && state.armed == Some(Armed::Moderated);
        let fire = match &mut state.moderated {
            Some(moderated) if waits && moderated.is_of(alarm) => moderated.expired(unread),
            _ => false,
        };
        if fire {
            state.armed = None;
        }
        fire
    };
    if fire {
        notify(jfc);
    }
}

/// Stops the timer of a queue: what is put off does not come any more.
pub(crate) fn hush(jfc: &Jfc) {
    let mut locked = jfc.lock();
    let moderated = locked.moderated.take();
    if locked.armed == Some(Armed::Moderated) {
        locked.armed = None;
    }
    drop(locked);
    // Without the lock.
    drop(moderated);
}

impl State {
    /// Tells whether events for any completion are put off.
    fn is_moderated(&self) -> bool {
        self.moderated
            .as_ref()
            .is_some_and(|moderated| moderated.is_on())
    }

    /// Notes a completion, the last one so far, while a moderated event is wanted; tells whether that
    /// is due.
    #[cold]
    #[inline(never)]
    fn moderate(&mut self, consumed: u32, solicited: bool, failed: bool) -> bool {
        let unread = self.index.unread(consumed);
        // There is one.
        self.moderated
            .as_mut()
            .is_none_or(|moderated| moderated.completed(unread, solicited, failed))
    }

    /// Notes that a moderated event is wanted by one who has consumed the entries before `consumed`,
    /// unless it is due: tells whether it is.
    pub(crate) fn arm_moderated(&mut self, consumed: u32) -> bool {
        let unread = self.index.unread(consumed);
        let failed = is_among(self.failed, consumed, unread);
        let solicited_too = self.armed == Some(Armed::Solicited);
        let due = match &mut self.moderated {
            Some(moderated) if !failed => {
                let due = moderated.armed(unread);
                if solicited_too && !due {
                    moderated.want_solicited_too();
                }
                due
            }
            Some(moderated) => {
                moderated.rest();
                true
            }
            None => unread != 0,
        };
        self.armed = (!due).then_some(Armed::Moderated);
        due
    }

    /// Sets moderation, which there is; tells whether an event is due by that. The owner has consumed
    /// the entries before `consumed`.
    fn set_moderation(&mut self, consumed: u32, count: Option<u16>, period: Option<u16>) -> bool {
        let Some(moderated) = &mut self.moderated else {
            return false;
        };
        moderated.set(count, period);
        match self.armed {
            Some(Armed::Any) if moderated.is_on() => self.armed = Some(Armed::Moderated),
            Some(Armed::Moderated) => {
                let due = moderated.changed(self.index.unread(consumed));
                if due {
                    self.armed = None;
                } else if !moderated.is_on() {
                    self.armed = Some(Armed::Any);
                    moderated.rest();
                }
                return due;
            }
            _ => {}
        }
        false
    }

    /// Tells whether there is something that the owner, who has consumed the entries before
    /// `consumed`, wants to know and does not.
    pub(crate) fn has_unread(&self, consumed: u32, what: Arm) -> bool {
        let unread = self.index.unread(consumed);
        match what {
            Arm::Any => unread != 0,
            Arm::Solicited => is_among(self.solicited, consumed, unread),
        }
    }

    /// Tells whether the owner has consumed all entries.
    pub(crate) fn is_empty(&self, consumed: u32) -> bool {
        self.index.unread(consumed) == 0
    }

    /// Notes which event is wanted, and not moderated.
    pub(crate) fn arm(&mut self, what: Arm) {
        self.armed = Some(match (self.armed, what) {
            // Who wants any event does not get fewer by asking for solicited ones too.
            (Some(Armed::Moderated), Arm::Solicited) => {
                if let Some(moderated) = &mut self.moderated {
                    moderated.want_solicited_too();
                }
                Armed::Moderated
            }
            (Some(Armed::Any), Arm::Solicited) | (_, Arm::Any) => Armed::Any,
            (_, Arm::Solicited) => Armed::Solicited,
        });
    }

    /// Notes that no event is wanted any more.
    fn disarm(&mut self) {
        if self.armed == Some(Armed::Moderated) {
            if let Some(moderated) = &mut self.moderated {
                moderated.rest();
            }
        }
        self.armed = None;
    }

    /// Asks for an event of a kernel client, in any case; tells whether there is something already.
    pub(crate) fn rearm(&mut self, consumed: u32, what: Arm) -> bool {
        if what == Arm::Any && self.is_moderated() {
            if self.arm_moderated(consumed) {
                // It has been told to look, and if it does not it hears of the next completion.
                self.armed = Some(Armed::Any);
            }
        } else {
            self.arm(what);
        }
        self.has_unread(consumed, what)
    }
}

/// Tells whether the completion before index `seq` is one of the `unread` from `consumed` on.
fn is_among(seq: Option<u32>, consumed: u32, unread: u32) -> bool {
    seq.is_some_and(|seq| {
        let ahead = seq.wrapping_sub(consumed);
        ahead != 0 && ahead <= unread
    })
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
        state <- QueueLock::new(
            State {
                index: CqIndex::new(geometry),
                machine: JfcMachine::new(),
                armed: None,
                solicited: None,
                failed: None,
                moderated: None,
                dead: false,
            },
            *kernel,
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
    jfc.dev.jfcs.withdraw(jfc.id);
    jfc.lock().dead = true;
    hush(jfc);
    jfc.ring.withdraw(&jfc.dev);
    jfc.count.release();
}
