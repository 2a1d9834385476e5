// SPDX-License-Identifier: GPL-2.0

//! The usual work requests, carried out without detours.
//!
//! Most are plain: one short local buffer, one place or receive buffer at a peer of this host (see
//! [`SqeWords::plain`]). Those are carried out here, as many in a row as there are. Nothing else is:
//! at the first request that is not plain, whose memory is not in one piece, or that is not in order
//! in every respect, [`run`] stops before anything of it is done, and the engine has to find out what
//! becomes of it. So there are no errors here and no rules: the checks are the engine's own.
//!
//! All of it is one RCU section, in which nothing sleeps, and which is short: see [`SECTION_BYTES`].
//! What is looked up is valid as long as the section, which spares counting. The pinned pages of a
//! segment are not: they are counted for each request, and entering them fails from the moment that
//! they are revoked.

use crate::{
    device::Dev,
    engine::{
        self,
        Budget, //
    },
    jetty::{
        self,
        Jetty, //
    },
    jfc,
    jfr,
    kernel_ext::id_map::Memo,
    logic::{
        access::RemoteOp,
        cqe::{
            Cqe,
            CrOpcode,
            CrStatus,
            CR_FLAG_JETTY,
            CR_FLAG_RECV, //
        },
        eid::Eid,
        sge::Sge,
        sqe::{
            Plain,
            SqeWords,
            SQE_HEAD_LEN, //
        },
        types::TransMode, //
    },
    ring::pages::BriefUse,
    segment::Segment,
    sq::{
        Sq,
        SqState, //
    },
    target::{
        Target,
        TargetObject, //
    },
    ub::driver::TargetKind, //
};
use kernel::sync::rcu;

/// Bytes that are copied in a section, or a little more.
const SECTION_BYTES: u32 = 16 << 10;

/// What the requests of a queue named last.
pub(crate) struct Memos {
    target: Memo<TargetObject>,
    local: Memo<Segment>,
    remote: Memo<Segment>,
    /// Who receives, and the buffer there.
    receiver: Memo<Jetty>,
    buffer: Memo<Segment>,
}

impl Memos {
    /// Makes memos that remember nothing.
    pub(crate) const fn new() -> Self {
        Self {
            target: Memo::new(),
            local: Memo::new(),
            remote: Memo::new(),
            receiver: Memo::new(),
            buffer: Memo::new(),
        }
    }
}

/// An entry of a send queue, as far as it has been copied.
pub(crate) struct Entry {
    pub(crate) head: SqeWords,
    /// If it is plain: what it does, and its local buffer, copied too.
    pub(crate) plain: Option<(Plain, Sge)>,
}

impl Entry {
    /// Copies an entry: its head, and what follows if it is plain.
    #[inline(always)]
    pub(crate) fn read(sq: &Sq, index: u32) -> Self {
        let head = SqeWords::new(sq.ring.read_words(index, 0));
        let plain = head.plain(sq.plain_max).map(|plain| {
            let tail = sq.ring.read_words(index, SQE_HEAD_LEN);
            (plain, Sge::from_words(tail))
        });
        Self { head, plain }
    }
}

/// A target, and where it is.
struct Aim<'g> {
    dev: &'g Dev,
    /// As it was imported or bound.
    target: &'g Target,
    tpn: u32,
}

impl<'g> Aim<'g> {
    /// Finds the target of a request.
    #[inline(always)]
    fn take(
        sq: &'g Sq,
        guard: &'g rcu::Guard,
        bound: Option<&'g Target>,
        memo: &mut Memo<TargetObject>,
        name: u32,
    ) -> Option<Self> {
        let (target, node, tpn) = if sq.limits.mode == TransMode::Rc {
            // What is bound is the target, whatever the request says.
            let target = bound?;
            (target, target.node, target.tpn)
        } else {
            let import = sq.dev.targets.recall(guard, memo, name)?;
            let (target, node, tpn) = import.parts()?;
            if import.owner() != sq.owner {
                return None;
            }
            (target, node, tpn)
        };
        if target.mode != sq.limits.mode {
            return None;
        }
        let dev: &'g Dev = if node == sq.dev.node {
            &sq.dev
        } else {
            device_of(sq, guard, node, &target.eid)?
        };
        Some(Self { dev, target, tpn })
    }
}

/// Finds the device of a target that is another one than the sender's.
#[inline(never)]
fn device_of<'g>(sq: &'g Sq, guard: &'g rcu::Guard, node: u32, eid: &Eid) -> Option<&'g Dev> {
    let peer = sq.dev.host.nodes.find(guard, node)?;
    let within_reach = !sq.dev.is_port_down() && !peer.is_port_down();
    (within_reach && peer.has_eid(eid.as_bytes())).then_some(peer)
}

/// The memory on both sides of a request, in use.
struct Way<'g> {
    near: BriefUse<'g>,
    near_at: usize,
    far: BriefUse<'g>,
    far_at: usize,
    len: usize,
}

impl<'g> Way<'g> {
    /// Enters the memory on both sides of a request.
    #[inline(always)]
    fn enter(
        sq: &'g Sq,
        guard: &'g rcu::Guard,
        memos: &mut Memos,
        dev: &'g Dev,
        (head, sge): (&SqeWords, &Sge),
        op: RemoteOp,
    ) -> Option<Self> {
        let near = sq.dev.segs.recall(guard, &mut memos.local, sge.token_id)?;
        let (near, near_at) = near.enter_local_briefly(guard, sq.owner, sge)?;
        let remote = head.remote();
        let far = dev.segs.recall(guard, &mut memos.remote, remote.token_id)?;
        let (far, far_at) = far.enter_remote_briefly(guard, &remote, op, head.total_len())?;
        Some(Self {
            near,
            near_at,
            far,
            far_at,
            // CAST: From 32 to 64 bits.
            len: head.total_len() as usize,
        })
    }
}

/// Carries out a WRITE, or a READ. As the others below, this returns `None` if the request is not in
/// order, and nothing has been done.
#[inline(always)]
fn transfer<'g, const WRITE: bool>(
    sq: &'g Sq,
    guard: &'g rcu::Guard,
    memos: &mut Memos,
    dev: &'g Dev,
    (head, sge): (&SqeWords, &Sge),
) -> Option<()> {
    if sge.len != head.total_len() {
        return None;
    }
    let op = if WRITE {
        RemoteOp::Write
    } else {
        RemoteOp::Read
    };
    let way = Way::enter(sq, guard, memos, dev, (head, sge), op)?;
    let (near, far) = ((&way.near, way.near_at), (&way.far, way.far_at));
    let ((from, from_at), (to, to_at)) = if WRITE { (near, far) } else { (far, near) };
    let src = from.read(from_at, way.len)?;
    to.write(to_at, way.len)?.copy_all(src, way.len)
}

/// Carries out an atomic operation.
#[inline(always)]
fn atomic<'g>(
    sq: &'g Sq,
    guard: &'g rcu::Guard,
    memos: &mut Memos,
    dev: &'g Dev,
    (head, sge): (&SqeWords, &Sge),
) -> Option<()> {
    let (op, size) = head.change()?;
    if sge.len < head.total_len() {
        return None;
    }
    let way = Way::enter(sq, guard, memos, dev, (head, sge), RemoteOp::Atomic)?;
    // A result that cannot be stored is found before the word changes.
    let result = way.near.write(way.near_at, way.len);
    let word = way.far.write(way.far_at, way.len);
    let (result, word) = result.zip(word)?;
    result.store(word.atomic(op, size)?, size)
}

/// Sends a message to a jetty that has a plain buffer for it.
#[inline(always)]
fn send<'g>(
    sq: &'g Sq,
    guard: &'g rcu::Guard,
    memos: &mut Memos,
    aim: &Aim<'g>,
    (head, sge): (&SqeWords, &Sge),
) -> Option<()> {
    let target = aim.target;
    if sge.len != head.total_len() || target.kind != TargetKind::Jetty {
        return None;
    }
    let jetty = aim
        .dev
        .jettys
        .recall(guard, &mut memos.receiver, target.id)?;
    let _use = jetty.users().try_enter()?;
    let jfr = jetty.jfr();
    if !jetty.accepts(sq) || jfr.check(target.mode, target.token).is_err() {
        return None;
    }
    let near = sq.dev.segs.recall(guard, &mut memos.local, sge.token_id)?;
    let (near, near_at) = near.enter_local_briefly(guard, sq.owner, sge)?;
    // CAST: From 32 to 64 bits.
    let len = head.total_len() as usize;
    let src = near.read(near_at, len)?;
    let offer = jfr::next_plain(jfr)?;
    let room = &offer.room;
    if room.len < head.total_len() {
        return None;
    }
    let far = aim
        .dev
        .segs
        .recall(guard, &mut memos.buffer, room.token_id)?;
    let (far, far_at) = far.enter_local_briefly(guard, jfr.owner(), room)?;
    let dst = far.write(far_at, len)?;
    // The data will fit: what comes now cannot fail.
    let (user_ctx, remaining) = offer.take()?;
    jetty::buffer_taken(jetty, remaining);
    let _ = dst.copy_all(src, len);
    jfc::put(jetty.recv_jfc(), head.is_solicited(), || {
        let mut cqe = Cqe::for_send(user_ctx, CrStatus::Success);
        cqe.user_data = jetty.user_obj();
        cqe.remote_eid = sq.eid.into_bytes();
        cqe.remote_id = sq.name.id;
        cqe.local_id = jetty.id();
        cqe.byte_len = head.total_len();
        cqe.tpn = aim.tpn;
        cqe.opcode = CrOpcode::Send.raw();
        cqe.flags = CR_FLAG_RECV | CR_FLAG_JETTY;
        jfc::words(&cqe)
    });
    Some(())
}

/// Completes a request.
#[inline(always)]
fn complete(sq: &Sq, head: &SqeWords, aim: &Aim<'_>) {
    jfc::put(&sq.jfc, false, || {
        let mut cqe = engine::record(sq, head.user_ctx(), CrStatus::Success);
        cqe.byte_len = head.total_len();
        cqe.remote_eid = aim.target.eid.into_bytes();
        cqe.remote_id = aim.target.id;
        cqe.tpn = aim.tpn;
        jfc::words(&cqe)
    });
}

/// How a section ended.
pub(crate) enum End {
    /// Nothing is left.
    Empty,
    /// There is more, but others may want the processor.
    Pause,
    /// At something for the engine; an entry, if it has been copied.
    Unusual(Option<Entry>),
}

/// Carries out the plain requests of a queue that is in service and does not wait. All of it becomes
/// part of its only caller: calls for each request save and restore registers.
#[inline(always)]
pub(crate) fn run(sq: &Sq, state: &mut SqState, budget: &mut Budget) -> End {
    let SqState {
        index,
        bound,
        memos,
        ..
    } = state;
    let guard = rcu::read_lock();
    let produced = sq.ring.user_idx();
    let mut bytes = 0u32;
    // Here until the end: not in memory.
    let mut left = *budget;
    let end = loop {
        match index.pending(produced) {
            // Who has posted more meanwhile has the queue run again.
            Ok(0) => break End::Empty,
            Ok(_) => {}
            Err(_) => break End::Unusual(None),
        }
        if left.is_used_up() {
            break End::Unusual(None);
        }
        if bytes >= SECTION_BYTES {
            break End::Pause;
        }
        let entry = Entry::read(sq, index.fetched());
        let head = &entry.head;
        let done = entry.plain.as_ref().and_then(|(plain, sge)| {
            let memo = &mut memos.target;
            let aim = Aim::take(sq, &guard, bound.as_ref(), memo, head.target_ref())?;
            match plain {
                Plain::Write => transfer::<true>(sq, &guard, memos, aim.dev, (head, sge)),
                Plain::Read => transfer::<false>(sq, &guard, memos, aim.dev, (head, sge)),
                Plain::Atomic => atomic(sq, &guard, memos, aim.dev, (head, sge)),
                Plain::Send => send(sq, &guard, memos, &aim, (head, sge)),
            }?;
            Some(aim)
        });
        let Some(aim) = done else {
            break End::Unusual(Some(entry));
        };
        // The slot is free before its completion can be seen.
        sq.ring.set_kern_idx(index.pass());
        if head.is_signaled() {
            complete(sq, head, &aim);
        }
        left.spend(head.total_len());
        bytes = bytes.wrapping_add(head.total_len());
    };
    *budget = left;
    end
}
