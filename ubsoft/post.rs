// SPDX-License-Identifier: GPL-2.0

//! What kernel clients post. Any context, unless it says otherwise.
//!
//! Work requests are copied into rings as users write them, so that the engine treats all alike. It
//! runs in the context of who posts if that may sleep, otherwise in a work.

use crate::{
    host::CtxId,
    jetty::Jetty,
    jfc::{
        self,
        Jfc, //
    },
    jfr::{
        self,
        Jfr, //
    },
    kernel_ext::atomic_context::may_sleep,
    logic::{
        cqe::{
            Cqe,
            CrOpcode,
            CrStatus,
            CR_FLAG_JETTY,
            CR_FLAG_RECV, //
        },
        rqe::{
            RqeHead,
            RQE_HEAD_LEN, //
        },
        sge::{
            Sge,
            SGE_LEN, //
        },
        sqe::{
            SqeHead,
            SQE_HEAD_LEN, //
        },
        types::TransMode,
        wr::{
            Opcode,
            WrFlags, //
        }, //
    },
    ring::Ring,
    sq::{
        Sq,
        SqArc,
        MAX_INLINE, //
    },
    ub::driver::{
        LocalRanges,
        RecvList,
        SendList,
        SendWr, //
    },
    Soft, //
};
use kernel::prelude::*;

/// Buffers that are flushed without letting others have the queue.
const FLUSH: usize = 32;

/// Writes the local ranges of a work request behind the head of an entry of `ring`; returns their
/// number and the sum of their lengths.
fn write_ranges(
    ring: &Ring,
    index: u32,
    head: usize,
    most: u32,
    local: &LocalRanges<'_>,
) -> Result<(u8, u32)> {
    let count = u8::try_from(local.len()).map_err(|_| EINVAL)?;
    if u32::from(count) > most {
        return Err(EINVAL);
    }
    let mut total = 0u32;
    let mut at = head;
    for range in local.iter() {
        let range = range?;
        let sge = Sge {
            addr: range.addr,
            len: range.len,
            token_id: range.token_id,
        };
        ring.write(index, at, &sge.encode());
        at = at.saturating_add(SGE_LEN);
        total = total.checked_add(range.len).ok_or(EINVAL)?;
    }
    Ok((count, total))
}

/// Writes a work request as entry `index`.
fn write_send(sq: &Sq, index: u32, wr: &SendWr<'_, Soft>) -> Result {
    let inline = WrFlags::from_bits(wr.flags).is_ok_and(WrFlags::inline);
    let (num_sge, sum) = if inline {
        let mut data = [0; MAX_INLINE as usize];
        let room = data
            .get_mut(..sq.limits.max_inline as usize)
            .ok_or(EINVAL)?;
        let len = wr.local.copy_to(room)?;
        sq.ring
            .write(index, SQE_HEAD_LEN, room.get(..len).ok_or(EINVAL)?);
        // CAST: At most `MAX_INLINE`.
        (0, len as u32)
    } else {
        write_ranges(&sq.ring, index, SQE_HEAD_LEN, sq.limits.max_sge, &wr.local)?
    };
    let atomic = Opcode::from_raw(wr.opcode).is_some_and(Opcode::is_atomic);
    let target_ref = match &wr.target {
        // A connected jetty has one target, whatever the request says.
        _ if sq.limits.mode == TransMode::Rc => 0,
        Some(target) if target.owner() == CtxId::KERNEL => target.reference(),
        Some(_) => return Err(EINVAL),
        None => 0,
    };
    let head = SqeHead {
        user_ctx: wr.user_ctx,
        opcode: wr.opcode,
        num_sge,
        flags: wr.flags,
        total_len: if atomic { wr.remote.len } else { sum },
        target_ref,
        target_hint: u32::from(wr.target_hint),
        remote_addr: wr.remote.addr,
        remote_token_id: wr.remote.token_id,
        remote_token: wr.remote.token,
        arg0: wr.operands[0],
        arg1: wr.operands[1],
        notify_token_id: wr.notify.token_id,
        notify_token: wr.notify.token,
    };
    sq.ring.write(index, 0, &head.encode());
    Ok(())
}

/// Posts work requests to a send queue, and has it run.
///
/// # Errors
///
/// `EINVAL` for a work request that is malformed, or has more ranges or inline data than the queue
/// was made for; `ENOSPC` when the queue is full. Those before it are posted.
pub(crate) fn send(sq: &SqArc, list: &mut SendList<'_>) -> Result {
    let result = {
        let mut posted = sq.posted.lock();
        let result = put_all(sq, &mut posted, list);
        sq.ring.set_user_idx(*posted);
        result
    };
    if may_sleep() {
        Sq::run(sq);
    } else {
        Sq::schedule(sq);
    }
    result
}

/// Writes work requests from index `posted` on.
fn put_all(sq: &Sq, posted: &mut u32, list: &mut SendList<'_>) -> Result {
    let entries = sq.ring.geometry().entries();
    while let Some(wr) = list.first() {
        if posted.wrapping_sub(sq.ring.kern_idx()) >= entries {
            return Err(ENOSPC);
        }
        write_send(sq, *posted, &wr.read()?)?;
        *posted = posted.wrapping_add(1);
        list.accept();
    }
    Ok(())
}

/// Posts receive buffers, in the name of a jetty if there is one.
///
/// # Errors
///
/// As for [`send`].
pub(crate) fn recv(jfr: &Jfr, jetty: Option<&Jetty>, list: &mut RecvList<'_>) -> Result {
    let poster = jetty.map_or(0, |jetty| jetty.user_obj());
    let result = {
        let mut locked = jfr.lock();
        let state = &mut *locked;
        let entries = jfr.ring.geometry().entries();
        let mut produced = jfr.ring.user_idx();
        let result = (|| {
            while let Some(wr) = list.first() {
                if produced.wrapping_sub(state.index.consumed()) >= entries {
                    return Err(ENOSPC);
                }
                let (user_ctx, local) = wr.read()?;
                write_recv(jfr, produced, user_ctx, &local)?;
                let slot = jfr.ring.geometry().slot(produced);
                if let Some(entry) = state.posters.get_mut(slot as usize) {
                    *entry = poster;
                }
                produced = produced.wrapping_add(1);
                list.accept();
            }
            Ok(())
        })();
        jfr.ring.set_user_idx(produced);
        result
    };
    jfr::kick(jfr);
    // Whoever sets this flushes afterwards: either that finds the buffers, or the flag is seen here.
    if jetty.is_some_and(|jetty| jetty.has_failed()) {
        jetty.into_iter().for_each(flush);
    } else if jfr.has_failed() {
        flush_all(jfr);
    }
    result
}

/// Writes a buffer as entry `index`.
fn write_recv(jfr: &Jfr, index: u32, user_ctx: u64, local: &LocalRanges<'_>) -> Result {
    let (count, total_len) = write_ranges(&jfr.ring, index, RQE_HEAD_LEN, jfr.max_sge, local)?;
    let head = RqeHead {
        user_ctx,
        num_sge: u32::from(count),
        total_len,
    };
    jfr.ring.write(index, 0, &head.encode());
    Ok(())
}

/// Completes the buffers of a kernel client that were posted in the name of a jetty with a flush
/// error; those of others stay, though not in the order of posting.
pub(crate) fn flush(jetty: &Jetty) {
    let poster = jetty.user_obj();
    let mut cqe = Cqe::for_send(0, CrStatus::FlushErr);
    cqe.user_data = poster;
    cqe.local_id = jetty.id();
    cqe.flags = CR_FLAG_RECV | CR_FLAG_JETTY;
    take_back(jetty.jfr(), jetty.recv_jfc(), cqe, |who| who == poster);
}

/// The same for all buffers of a receive queue. Process context, unless the queue has failed already.
pub(crate) fn flush_all(jfr: &Jfr) {
    let mut cqe = Cqe::for_send(0, CrStatus::FlushErr);
    cqe.user_data = jfr.user_obj();
    cqe.local_id = jfr.id();
    cqe.flags = CR_FLAG_RECV;
    take_back(jfr, jfr.jfc(), cqe, |_| true);
}

/// Takes buffers back from a kernel client's queue if `of` says so of who posted them, and completes
/// them like `cqe`.
fn take_back(jfr: &Jfr, jfc: &Jfc, mut cqe: Cqe, of: impl Fn(u64) -> bool) {
    if jfr.owner() != CtxId::KERNEL {
        return;
    }
    cqe.opcode = CrOpcode::Send.raw();
    let mut left = jfr.ring.geometry().entries();
    while left != 0 {
        let mut taken = [0; FLUSH];
        let count = take_some(jfr, &mut taken, &mut left, &of);
        for user_ctx in taken.iter().take(count) {
            cqe.user_ctx = *user_ctx;
            jfc::complete(jfc, &cqe, false);
        }
    }
}

/// Goes through the oldest buffers, as many as `taken` has room for: their words go there, or they
/// go to the end of the queue. Counts them off `left`, which is 0 when there are none any more.
fn take_some(
    jfr: &Jfr,
    taken: &mut [u64; FLUSH],
    left: &mut u32,
    of: impl Fn(u64) -> bool,
) -> usize {
    let geometry = jfr.ring.geometry();
    let mut locked = jfr.lock();
    let state = &mut *locked;
    let mut produced = jfr.ring.user_idx();
    *left = (*left).min(state.index.pending(produced).unwrap_or(0));
    let mut count = 0usize;
    for _ in 0..(*left).min(FLUSH as u32) {
        let Ok(Some(index)) = state.index.take(produced) else {
            break;
        };
        *left = left.saturating_sub(1);
        let poster = state.posters.get(geometry.slot(index) as usize);
        let poster = poster.copied().unwrap_or(0);
        if of(poster) {
            let head = RqeHead::decode(&jfr.ring.read_head::<RQE_HEAD_LEN>(index));
            if let Some(slot) = taken.get_mut(count) {
                *slot = head.user_ctx;
            }
            count = count.saturating_add(1);
        } else {
            // There is room: one was taken.
            jfr.ring.copy_entry(index, produced);
            if let Some(entry) = state.posters.get_mut(geometry.slot(produced) as usize) {
                *entry = poster;
            }
            produced = produced.wrapping_add(1);
        }
    }
    jfr.ring.set_user_idx(produced);
    jfr.ring.set_kern_idx(state.index.consumed());
    count
}
