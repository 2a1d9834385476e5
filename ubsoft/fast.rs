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
//! segment are not: their users are counted, and entering them fails from the moment that they are
//! revoked. WRITEs, or READs, in a row that name the same target and segments, as those of a batch
//! often do, share one look-up and one count; their ranges and tokens are checked one by one.

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
        ring::SqIndex,
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
use core::convert::Infallible;
use kernel::sync::rcu;

/// How often an atomic operation tries again in a section because others change the word.
const ATOMIC_TRIES: u32 = 64;

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

/// What a WRITE or READ is and names, but for the places in the segments.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Names {
    plain: Plain,
    target: u32,
    near: u32,
    far: u32,
}

impl Names {
    /// That of a request.
    #[inline(always)]
    fn of(plain: Plain, (head, sge): (&SqeWords, &Sge)) -> Self {
        Self {
            plain,
            target: head.target_ref(),
            near: sge.token_id,
            far: head.remote().token_id,
        }
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

/// Where the local and the remote range of a request are in their segments.
type Places = (usize, usize);

/// The memory on both sides of requests, in use.
struct Way<'g> {
    near_segment: &'g Segment,
    near: BriefUse<'g>,
    far_segment: &'g Segment,
    far: BriefUse<'g>,
}

impl<'g> Way<'g> {
    /// Checks what a request is to do in two segments, of which nothing is touched before.
    #[inline(always)]
    fn check(
        near: &Segment,
        far: &Segment,
        (head, sge): (&SqeWords, &Sge),
        op: RemoteOp,
    ) -> Option<Places> {
        let near_at = near.local_offset(sge).ok()?;
        let far_at = far
            .remote_offset(&head.remote(), op, head.total_len())
            .ok()?;
        Some((near_at, far_at))
    }

    /// Enters the memory on both sides of a request.
    #[inline(always)]
    fn enter(
        sq: &'g Sq,
        guard: &'g rcu::Guard,
        memos: &mut Memos,
        dev: &'g Dev,
        (head, sge): (&SqeWords, &Sge),
        op: RemoteOp,
    ) -> Option<(Self, Places)> {
        let near_segment = sq.dev.segs.recall(guard, &mut memos.local, sge.token_id)?;
        let token_id = head.remote().token_id;
        let far_segment = dev.segs.recall(guard, &mut memos.remote, token_id)?;
        let places = Self::check(near_segment, far_segment, (head, sge), op)?;
        let way = Self {
            near_segment,
            near: near_segment.enter_local_briefly(guard, sq.owner)?,
            far_segment,
            far: far_segment.enter_remote_briefly(guard)?,
        };
        Some((way, places))
    }

    /// Carries out a WRITE, or a READ. As the others below, this returns `None` if the request is
    /// not in order, and nothing has been done.
    #[inline(always)]
    fn transfer<const WRITE: bool>(
        &self,
        (near_at, far_at): Places,
        (head, sge): (&SqeWords, &Sge),
    ) -> Option<()> {
        if sge.len != head.total_len() {
            return None;
        }
        let (near, far) = ((&self.near, near_at), (&self.far, far_at));
        let ((from, from_at), (to, to_at)) = if WRITE { (near, far) } else { (far, near) };
        // CAST: From 32 to 64 bits.
        let len = head.total_len() as usize;
        let src = from.read(from_at, len)?;
        to.write(to_at, len)?.copy_all(src, len)
    }

    /// Carries out another WRITE or READ in the same segments.
    #[inline(always)]
    fn transfer_too<const WRITE: bool>(&self, wr: (&SqeWords, &Sge)) -> Option<()> {
        let op = if WRITE {
            RemoteOp::Write
        } else {
            RemoteOp::Read
        };
        let places = Self::check(self.near_segment, self.far_segment, wr, op)?;
        self.transfer::<WRITE>(places, wr)
    }

    /// Carries out an atomic operation.
    #[inline(always)]
    fn atomic(&self, (near_at, far_at): Places, (head, sge): (&SqeWords, &Sge)) -> Option<()> {
        let (op, size) = head.change()?;
        if sge.len < head.total_len() {
            return None;
        }
        // CAST: From 32 to 64 bits.
        let len = head.total_len() as usize;
        // A result that cannot be stored is found before the word changes.
        let result = self.near.write(near_at, len);
        let word = self.far.write(far_at, len);
        let (result, word) = result.zip(word)?;
        result.store(word.atomic(op, size, ATOMIC_TRIES)?, size)
    }
}

/// Sends a message to a jetty that has a plain buffer for it; `None` as for transfers.
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
    let near_segment = sq.dev.segs.recall(guard, &mut memos.local, sge.token_id)?;
    let near_at = near_segment.local_offset(sge).ok()?;
    let near = near_segment.enter_local_briefly(guard, sq.owner)?;
    // CAST: From 32 to 64 bits.
    let len = head.total_len() as usize;
    let src = near.read(near_at, len)?;
    let offer = jfr::next_plain(jfr)?;
    let room = &offer.room;
    if room.len < head.total_len() {
        return None;
    }
    let far_segment = aim
        .dev
        .segs
        .recall(guard, &mut memos.buffer, room.token_id)?;
    let far_at = far_segment.local_offset(room).ok()?;
    let far = far_segment.enter_local_briefly(guard, jfr.owner())?;
    let dst = far.write(far_at, len)?;
    // The data will fit: what comes now cannot fail.
    let (user_ctx, due) = offer.take(|remaining| jetty.is_below_limit(remaining))?;
    if due {
        jetty::raise_limit(jetty);
    }
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

/// How a section ended.
pub(crate) enum End {
    /// Nothing is left.
    Empty,
    /// There is more, but others may want the processor.
    Pause,
    /// At something for the engine; an entry, if it has been copied.
    Unusual(Option<Entry>),
}

/// A queue that is run in an RCU section, and how far that is.
struct Section<'g> {
    sq: &'g Sq,
    guard: &'g rcu::Guard,
    index: &'g mut SqIndex,
    /// The user's index. Who has posted more meanwhile has the queue run again.
    produced: u32,
    /// Bytes moved.
    bytes: u32,
    left: Budget,
}

impl<'g> Section<'g> {
    /// Tells why the section ends here, unless it goes on with the next entry.
    #[inline(always)]
    fn go_on(&self) -> Result<(), End> {
        match self.index.pending(self.produced) {
            Ok(0) => return Err(End::Empty),
            Ok(_) => {}
            Err(_) => return Err(End::Unusual(None)),
        }
        if self.left.is_used_up() {
            return Err(End::Unusual(None));
        }
        if self.bytes >= SECTION_BYTES {
            return Err(End::Pause);
        }
        Ok(())
    }

    /// Finishes a request that has been carried out.
    #[inline(always)]
    fn pass(&mut self, head: &SqeWords, aim: &Aim<'_>) {
        let sq = self.sq;
        // The slot is free before its completion can be seen.
        sq.ring.set_kern_idx(self.index.pass());
        if head.is_signaled() {
            jfc::put(&sq.jfc, false, || {
                let mut cqe = engine::record(sq, head.user_ctx(), CrStatus::Success);
                cqe.byte_len = head.total_len();
                cqe.remote_eid = aim.target.eid.into_bytes();
                cqe.remote_id = aim.target.id;
                cqe.tpn = aim.tpn;
                jfc::words(&cqe)
            });
        }
        self.left.spend(head.total_len());
        self.bytes = self.bytes.wrapping_add(head.total_len());
    }

    /// Carries out what comes behind a WRITE or READ and names the same things, which are looked up
    /// and entered already.
    #[inline(always)]
    fn run_alike(&mut self, names: Names, aim: &Aim<'g>, way: &Way<'g>) -> Result<(), End> {
        loop {
            let entry = Entry::read(self.sq, self.index.fetched());
            let Some((plain, sge)) = entry.plain.as_ref() else {
                return Ok(());
            };
            let wr = (&entry.head, sge);
            // What the owner took back meanwhile is found out by entering again.
            if Names::of(*plain, wr) != names || way.far.is_private() {
                return Ok(());
            }
            let done = if names.plain == Plain::Write {
                way.transfer_too::<true>(wr)
            } else {
                way.transfer_too::<false>(wr)
            };
            if done.is_none() {
                return Ok(());
            }
            self.pass(&entry.head, aim);
            self.go_on()?;
        }
    }

    /// Carries out requests until the section ends.
    #[inline(always)]
    fn run(&mut self, bound: Option<&'g Target>, memos: &mut Memos) -> Result<Infallible, End> {
        let (sq, guard) = (self.sq, self.guard);
        self.go_on()?;
        loop {
            let entry = Entry::read(sq, self.index.fetched());
            let head = &entry.head;
            let done = entry.plain.as_ref().and_then(|(plain, sge)| {
                let memo = &mut memos.target;
                let aim = Aim::take(sq, guard, bound, memo, head.target_ref())?;
                let wr = (head, sge);
                let way = match plain {
                    Plain::Write => {
                        let (way, places) =
                            Way::enter(sq, guard, memos, aim.dev, wr, RemoteOp::Write)?;
                        way.transfer::<true>(places, wr)?;
                        Some((Names::of(*plain, wr), way))
                    }
                    Plain::Read => {
                        let (way, places) =
                            Way::enter(sq, guard, memos, aim.dev, wr, RemoteOp::Read)?;
                        way.transfer::<false>(places, wr)?;
                        Some((Names::of(*plain, wr), way))
                    }
                    Plain::Atomic => {
                        let (way, places) =
                            Way::enter(sq, guard, memos, aim.dev, wr, RemoteOp::Atomic)?;
                        way.atomic(places, wr)?;
                        None
                    }
                    Plain::Send => {
                        send(sq, guard, memos, &aim, wr)?;
                        None
                    }
                };
                Some((aim, way))
            });
            let Some((aim, way)) = done else {
                return Err(End::Unusual(Some(entry)));
            };
            self.pass(head, &aim);
            self.go_on()?;
            if let Some((names, way)) = way {
                self.run_alike(names, &aim, &way)?;
            }
        }
    }
}

/// Carries out the plain requests of a queue that is in service and does not wait. All of it becomes
/// part of its only caller: calls for each request save and restore registers.
#[inline(always)]
pub(crate) fn run(sq: &Sq, state: &mut SqState, budget: &mut Budget) -> End {
    let guard = rcu::read_lock();
    let mut section = Section {
        sq,
        guard: &guard,
        index: &mut state.index,
        produced: sq.ring.user_idx(),
        bytes: 0,
        // Here until the end: not in memory.
        left: *budget,
    };
    let Err(end) = section.run(state.bound.as_ref(), &mut state.memos);
    *budget = section.left;
    end
}
