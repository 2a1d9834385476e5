// SPDX-License-Identifier: GPL-2.0

//! The usual work requests, carried out without detours.
//!
//! Most are plain: one short local buffer, one place at a peer of this host (see
//! [`SqeHead::plain`]). Those are carried out here, as many in a row as there are. Nothing else is:
//! at the first request that is not plain, whose memory is not in one piece, or that is not in order
//! in every respect, [`run`] stops before anything of it is done, and the engine has to find out what
//! becomes of it. So there are no errors here and no rules: the checks are the engine's own.
//!
//! All of it is one RCU section, in which nothing sleeps, and which is short: see [`SECTION_BYTES`].
//! What was looked up for one request serves the next of the section. That is as if those had been
//! carried out at the time of the look-up: all of them were posted before the section began, and
//! whoever takes an object out of its table does not wait for a section. The memory of segments does
//! not depend on it: each request enters it anew, which fails from the moment that it is revoked.

use crate::{
    device::Dev,
    engine,
    jfc,
    logic::{
        access::RemoteOp,
        cqe::CrStatus,
        eid::Eid,
        sge::{
            Sge,
            SGE_LEN, //
        },
        sqe::{
            Plain,
            SqeHead,
            SQE_HEAD_LEN, //
        },
        types::TransMode,
        wr::{
            Remote,
            WrFlags, //
        }, //
    },
    ring::{
        copy::Src,
        pages::BriefUse, //
    },
    segment::Segment,
    sq::{
        Sq,
        SqState, //
    },
    target::Target, //
};
use kernel::sync::rcu;

/// Bytes that are copied in a section, or a little more.
const SECTION_BYTES: u32 = 16 << 10;

/// An entry of a send queue, as far as it has been copied.
pub(crate) struct Entry {
    pub(crate) head: SqeHead,
    /// If it is plain: what it does, and its local buffer, copied too.
    pub(crate) plain: Option<(Plain, Sge)>,
}

impl Entry {
    /// Copies an entry: its head, and what follows if it is plain.
    #[inline(always)]
    fn read(sq: &Sq, index: u32) -> Self {
        let head = SqeHead::decode(&sq.ring.read_head::<SQE_HEAD_LEN>(index));
        let plain = head.plain(sq.plain_max).map(|plain| {
            let mut tail = [0; SGE_LEN];
            sq.ring.read(index, SQE_HEAD_LEN, &mut tail);
            (plain, Sge::decode(&tail))
        });
        Self { head, plain }
    }
}

/// A target, and where it is.
struct Aim<'g> {
    /// What work requests call it; 0 for what the queue is bound to.
    name: u32,
    dev: &'g Dev,
    eid: Eid,
    id: u32,
    tpn: u32,
}

/// A section, and what has been looked up in it last.
struct Section<'g> {
    sq: &'g Sq,
    guard: &'g rcu::Guard,
    aim: Option<Aim<'g>>,
    /// Segments by token id: of the poster, and at the target.
    local: Option<(u32, &'g Segment)>,
    remote: Option<(u32, &'g Segment)>,
}

/// Finds a segment, by what was found last if that is the same.
#[inline(always)]
fn segment<'g>(
    last: &mut Option<(u32, &'g Segment)>,
    dev: &'g Dev,
    guard: &'g rcu::Guard,
    token_id: u32,
) -> Option<&'g Segment> {
    match *last {
        Some((id, segment)) if id == token_id => Some(segment),
        _ => {
            let segment = dev.segs.find(guard, token_id)?;
            *last = Some((token_id, segment));
            Some(segment)
        }
    }
}

impl<'g> Section<'g> {
    /// Finds the target of a request, and leaves it in `self.aim`.
    #[inline(always)]
    fn take_aim(&mut self, state: &SqState, target_ref: u32) -> Option<&'g Dev> {
        // What is bound is the target, whatever the request says.
        let bound = self.sq.limits.mode == TransMode::Rc;
        let name = if bound { 0 } else { target_ref };
        match &self.aim {
            Some(aim) if aim.name == name => Some(aim.dev),
            _ if bound => self.aim_at(name, state.bound.as_ref()?),
            _ => {
                let import = self.sq.dev.targets.find(self.guard, name)?;
                if import.owner() != self.sq.owner {
                    return None;
                }
                self.aim_at(name, &import.ready_target()?)
            }
        }
    }

    /// Finds the device of a target.
    #[inline(always)]
    fn aim_at(&mut self, name: u32, target: &Target) -> Option<&'g Dev> {
        if target.mode != self.sq.limits.mode {
            return None;
        }
        let own: &'g Dev = &self.sq.dev;
        let dev = if target.node == own.node {
            own
        } else {
            self.device_of(target)?
        };
        // What was found at another device does not count here.
        self.remote = None;
        self.aim = Some(Aim {
            name,
            dev,
            eid: target.eid,
            id: target.id,
            tpn: target.tpn,
        });
        Some(dev)
    }

    /// Finds the device of a target that is another one than the sender's.
    #[inline(never)]
    fn device_of(&self, target: &Target) -> Option<&'g Dev> {
        let own: &'g Dev = &self.sq.dev;
        let peer = own.host.nodes.find(self.guard, target.node)?;
        let within_reach = !own.is_port_down() && !peer.is_port_down();
        (within_reach && peer.has_eid(target.eid.as_bytes())).then_some(peer)
    }

    /// Enters the memory on both sides of a request.
    #[inline(always)]
    fn enter(&mut self, dev: &'g Dev, head: &SqeHead, sge: &Sge, op: RemoteOp) -> Option<Way<'g>> {
        let (sq, guard) = (self.sq, self.guard);
        let near = segment(&mut self.local, &sq.dev, guard, sge.token_id)?;
        let (near, near_at) = near.enter_local_briefly(guard, sq.owner, sge)?;
        let remote = Remote {
            addr: head.remote_addr,
            token_id: head.remote_token_id,
            token: head.remote_token,
        };
        let far = segment(&mut self.remote, dev, guard, remote.token_id)?;
        let (far, far_at) = far.enter_remote_briefly(guard, &remote, op, head.total_len)?;
        Some(Way {
            near,
            near_at,
            far,
            far_at,
            // CAST: From 32 to 64 bits.
            len: head.total_len as usize,
        })
    }

    /// Carries out a WRITE. As the other two, this returns `None` if the request is not in order, and
    /// nothing has been done.
    #[inline(never)]
    fn write(&mut self, dev: &'g Dev, head: &SqeHead, sge: &Sge) -> Option<()> {
        if sge.len != head.total_len {
            return None;
        }
        let way = self.enter(dev, head, sge, RemoteOp::Write)?;
        let src = way.near.read(way.near_at, way.len)?;
        way.far.write(way.far_at, way.len)?.copy_all(src, way.len)
    }

    /// Carries out a READ.
    #[inline(never)]
    fn read(&mut self, dev: &'g Dev, head: &SqeHead, sge: &Sge) -> Option<()> {
        if sge.len != head.total_len {
            return None;
        }
        let way = self.enter(dev, head, sge, RemoteOp::Read)?;
        let src = way.far.read(way.far_at, way.len)?;
        way.near.write(way.near_at, way.len)?.copy_all(src, way.len)
    }

    /// Carries out an atomic operation.
    #[inline(never)]
    fn atomic(&mut self, dev: &'g Dev, head: &SqeHead, sge: &Sge) -> Option<()> {
        let (op, size) = head.change()?;
        if sge.len < head.total_len {
            return None;
        }
        let way = self.enter(dev, head, sge, RemoteOp::Atomic)?;
        let result = way.near.write(way.near_at, way.len)?;
        let old = way.far.write(way.far_at, way.len)?.atomic(op, size)?;
        result.copy_all(Src::bytes(&old.to_le_bytes()), way.len)
    }

    /// Completes a request.
    #[inline(always)]
    fn complete(&self, head: &SqeHead) {
        let Some(aim) = &self.aim else {
            return;
        };
        jfc::put(&self.sq.jfc, false, || {
            let mut cqe = engine::record(self.sq, head.user_ctx, CrStatus::Success);
            cqe.byte_len = head.total_len;
            cqe.remote_eid = aim.eid.into_bytes();
            cqe.remote_id = aim.id;
            cqe.tpn = aim.tpn;
            jfc::words(&cqe)
        });
    }
}

/// The memory on both sides of a request.
struct Way<'g> {
    near: BriefUse<'g>,
    near_at: usize,
    far: BriefUse<'g>,
    far_at: usize,
    len: usize,
}

/// What a section did.
pub(crate) struct Run {
    /// Requests carried out.
    pub(crate) entries: u32,
    /// Bytes that they moved.
    pub(crate) bytes: u32,
    /// The request at which it ended, if it did not end by itself.
    pub(crate) unusual: Option<Entry>,
}

/// Carries out plain requests, of those before the index `produced`, of which there is one at least;
/// no more than `most`.
#[inline(never)]
pub(crate) fn run(sq: &Sq, state: &mut SqState, produced: u32, most: u32) -> Run {
    let guard = rcu::read_lock();
    let mut section = Section {
        sq,
        guard: &guard,
        aim: None,
        local: None,
        remote: None,
    };
    let (mut entries, mut bytes) = (0u32, 0u32);
    loop {
        let entry = Entry::read(sq, state.index.fetched());
        let head = &entry.head;
        let done = entry.plain.as_ref().and_then(|(plain, sge)| {
            let dev = section.take_aim(state, head.target_ref)?;
            match plain {
                Plain::Write => section.write(dev, head, sge),
                Plain::Read => section.read(dev, head, sge),
                Plain::Atomic => section.atomic(dev, head, sge),
            }
        });
        if done.is_none() {
            return Run {
                entries,
                bytes,
                unusual: Some(entry),
            };
        }
        // The slot is free before its completion can be seen.
        let finished = state.index.pass();
        sq.ring.set_kern_idx(finished);
        if WrFlags::is_signaled(head.flags) {
            section.complete(head);
        }
        entries = entries.wrapping_add(1);
        bytes = bytes.wrapping_add(head.total_len);
        if finished == produced || entries >= most || bytes >= SECTION_BYTES {
            return Run {
                entries,
                bytes,
                unusual: None,
            };
        }
    }
}
