// SPDX-License-Identifier: GPL-2.0

//! Work requests: from the form of liburma to entries of a ring.
//!
//! Only the members that an opcode uses are read, others may be garbage. Ranges of no bytes are
//! left out. Whether a range lies in its segment, the kernel checks and tells by a completion.

use std::ptr;
use std::sync::atomic::Ordering;

use ub_abi::*;
use ub_client::SendWr;
use ub_urma::flags::urma_jfs_wr_flag as wr_flag;
use ub_urma::*;

use crate::ffi::data::target_of;
use crate::ffi::kinds::SegmentKind;
use crate::ffi::object::find;
use crate::queue::SendQueue;
use crate::status::{Failure, Outcome};

/// Most local ranges of a request of any queue; the device's limit.
pub(crate) const MOST_SGES: usize = 16;
/// Most inline data, in bytes; the device's limit.
const MOST_INLINE: usize = 256;
/// Flags that the device knows. That a doorbell may be left out is a hint, which is not taken.
const FLAGS: u32 = wr_flag::place_order.mask()
    | wr_flag::comp_order.mask()
    | wr_flag::fence.mask()
    | wr_flag::solicited_enable.mask()
    | wr_flag::complete_enable.mask()
    | wr_flag::inline_flag.mask();

/// A remote range.
struct Remote {
    addr: u64,
    len: u32,
    token_id: u32,
    token: u32,
}

/// Collects the local ranges of a request, without those of no bytes, and the sum of their lengths.
///
/// # Errors
///
/// `EINVAL` for more than `most` ranges, for one without a segment, and for a sum that is no length.
///
/// # Safety
///
/// The array is as the interface says.
#[inline]
pub(crate) unsafe fn local<'a>(
    sg: &urma_sg,
    room: &'a mut [ubsoft_sge; MOST_SGES],
    most: usize,
) -> Outcome<(&'a [ubsoft_sge], u32)> {
    if sg.sge.is_null() && sg.num_sge != 0 {
        return Err(Failure::INVALID);
    }
    let most = most.min(MOST_SGES);
    let (mut count, mut total) = (0, 0u32);
    for i in 0..sg.num_sge as usize {
        // SAFETY: as the caller promises, the array has so many elements.
        let sge = unsafe { &*sg.sge.add(i) };
        if sge.len == 0 {
            continue;
        }
        if count >= most {
            return Err(Failure::INVALID);
        }
        // SAFETY: as the caller promises.
        let segment = unsafe { find::<SegmentKind>(sge.tseg) }?;
        let slot = room.get_mut(count).ok_or(Failure::INVALID)?;
        *slot = ubsoft_sge {
            addr: sge.addr,
            len: sge.len,
            token_id: segment.private.token_id.load(Ordering::Relaxed),
        };
        total = total.checked_add(sge.len).ok_or(Failure::INVALID)?;
        count += 1;
    }
    Ok((room.get(..count).ok_or(Failure::INVALID)?, total))
}

/// Copies the inline data of a request; returns its length.
///
/// # Errors
///
/// `EINVAL` for more than `most` bytes, and for a range without an address.
///
/// # Safety
///
/// The array is as the interface says, and so are the ranges: memory of the caller.
unsafe fn gather(sg: &urma_sg, room: &mut [u8; MOST_INLINE], most: usize) -> Outcome<usize> {
    if sg.sge.is_null() && sg.num_sge != 0 {
        return Err(Failure::INVALID);
    }
    let most = most.min(MOST_INLINE);
    let mut at = 0;
    for i in 0..sg.num_sge as usize {
        // SAFETY: as the caller promises, the array has so many elements.
        let sge = unsafe { &*sg.sge.add(i) };
        let len = sge.len as usize;
        if len == 0 {
            continue;
        }
        if len > most - at || sge.addr == 0 {
            return Err(Failure::INVALID);
        }
        let to = room.get_mut(at..at + len).ok_or(Failure::INVALID)?;
        // SAFETY: as the caller promises; `to` is memory of this thread.
        unsafe { ptr::copy_nonoverlapping(sge.addr as *const u8, to.as_mut_ptr(), len) };
        at += len;
    }
    Ok(at)
}

/// A remote range: of an imported segment, or described in the request.
///
/// # Errors
///
/// `EINVAL` without either.
///
/// # Safety
///
/// The pointer is as the interface says.
#[inline]
unsafe fn remote(sge: *const urma_sge) -> Outcome<Remote> {
    // SAFETY: as the caller promises.
    let sge = unsafe { sge.as_ref() }.ok_or(Failure::INVALID)?;
    let (token_id, token) = if sge.tseg.is_null() {
        // SAFETY: as above.
        let user = unsafe { sge.user_tseg.as_ref() }.ok_or(Failure::INVALID)?;
        (user.token_id, user.token_value.token)
    } else {
        // SAFETY: as above.
        let segment = unsafe { find::<SegmentKind>(sge.tseg) }?;
        let private = &segment.private;
        (
            private.token_id.load(Ordering::Relaxed),
            private.token.load(Ordering::Relaxed),
        )
    };
    Ok(Remote {
        addr: sge.addr,
        len: sge.len,
        token_id,
        token,
    })
}

/// The remote range of an array that has so many.
///
/// # Errors
///
/// `EINVAL` for another number.
///
/// # Safety
///
/// The array is as the interface says.
#[inline]
unsafe fn remote_of(sg: &urma_sg, count: u32, index: usize) -> Outcome<Remote> {
    if sg.num_sge != count || sg.sge.is_null() {
        return Err(Failure::INVALID);
    }
    // SAFETY: as the caller promises; the index is less than the number.
    unsafe { remote(sg.sge.add(index)) }
}

/// The head of an entry, without what its opcode says.
fn head_of(wr: &urma_jfs_wr, target_ref: u32) -> ubsoft_sqe {
    ubsoft_sqe {
        user_ctx: wr.user_ctx,
        opcode: wr.opcode as u8,
        flags: (wr.flag & FLAGS) as u16,
        target_ref,
        ..Default::default()
    }
}

impl Remote {
    /// Puts it into an entry that moves so many bytes.
    ///
    /// # Errors
    ///
    /// `EINVAL` if it says that it is shorter; a length of 0 says nothing.
    fn into_head(self, head: &mut ubsoft_sqe, total: u32) -> Outcome<()> {
        if self.len != 0 && self.len < total {
            return Err(Failure::INVALID);
        }
        head.remote_addr = self.addr;
        head.remote_token_id = self.token_id;
        head.remote_token = self.token;
        Ok(())
    }
}

/// Writes a request to a queue.
///
/// # Errors
///
/// `EINVAL` for one that is malformed, or whose opcode or flags are not served; `ENOMEM` when the
/// queue is full.
///
/// # Safety
///
/// The request is as the interface says.
#[inline]
pub(crate) unsafe fn push(queue: &mut SendQueue, wr: &urma_jfs_wr) -> Outcome<()> {
    if wr.flag & !(FLAGS | wr_flag::db_bypass.mask()) != 0 {
        return Err(Failure::INVALID);
    }
    // SAFETY: as the caller promises; the opcode tells which operands there are.
    unsafe {
        match wr.opcode {
            URMA_OPC_WRITE | URMA_OPC_WRITE_IMM | URMA_OPC_WRITE_NOTIFY => write(queue, wr),
            URMA_OPC_READ => read(queue, wr),
            URMA_OPC_CAS | URMA_OPC_SWAP => {
                let cas = &wr.body.cas;
                let compare = if wr.opcode == URMA_OPC_CAS {
                    cas.cmp_data
                } else {
                    0
                };
                atomic(queue, wr, (cas.src, cas.dst), (compare, cas.swap_data))
            }
            URMA_OPC_FADD..=URMA_OPC_FXOR => {
                let faa = &wr.body.faa;
                atomic(queue, wr, (faa.src, faa.dst), (faa.operand, 0))
            }
            URMA_OPC_SEND | URMA_OPC_SEND_IMM | URMA_OPC_SEND_INVALIDATE => send(queue, wr),
            URMA_OPC_NOP => {
                let mut head = head_of(wr, 0);
                head.flags &= !(wr_flag::inline_flag.mask() as u16);
                queue.push(&SendWr {
                    head,
                    sges: &[],
                    inline: &[],
                })
            }
            _ => Err(Failure::INVALID),
        }
    }
}

/// Writes a request whose data flows to the peer. `finish` does what the length is needed for.
///
/// # Safety
///
/// The array is as the interface says.
#[inline]
unsafe fn push_data(
    queue: &mut SendQueue,
    mut head: ubsoft_sqe,
    src: &urma_sg,
    finish: impl FnOnce(&mut ubsoft_sqe, u32) -> Outcome<()>,
) -> Outcome<()> {
    if u32::from(head.flags) & wr_flag::inline_flag.mask() != 0 {
        let mut room = [0; MOST_INLINE];
        // SAFETY: as the caller promises.
        let len = unsafe { gather(src, &mut room, queue.max_inline()) }?;
        // At most MOST_INLINE.
        head.total_len = len as u32;
        finish(&mut head, len as u32)?;
        let inline = room.get(..len).ok_or(Failure::INVALID)?;
        return queue.push(&SendWr {
            head,
            sges: &[],
            inline,
        });
    }
    let mut room = [ubsoft_sge::default(); MOST_SGES];
    // SAFETY: as the caller promises.
    let (sges, total) = unsafe { local(src, &mut room, queue.max_sge()) }?;
    // At most MOST_SGES.
    head.num_sge = sges.len() as u8;
    head.total_len = total;
    finish(&mut head, total)?;
    queue.push(&SendWr {
        head,
        sges,
        inline: &[],
    })
}

/// WRITE, WRITE_IMM, WRITE_NOTIFY.
///
/// # Safety
///
/// The request is as the interface says.
#[inline]
unsafe fn write(queue: &mut SendQueue, wr: &urma_jfs_wr) -> Outcome<()> {
    // SAFETY: as the caller promises; the opcode is one of reads and writes.
    unsafe {
        let rw = &wr.body.rw;
        let (target_ref, is_group) = target_of(queue, wr.tjetty)?;
        let mut head = head_of(wr, target_ref);
        if is_group {
            head.target_hint = rw.target_hint.into();
        }
        let ranges = if wr.opcode == URMA_OPC_WRITE_NOTIFY {
            2
        } else {
            1
        };
        let to = remote_of(&rw.dst, ranges, 0)?;
        if wr.opcode != URMA_OPC_WRITE {
            head.arg0 = rw.notify_data;
        }
        if wr.opcode == URMA_OPC_WRITE_NOTIFY {
            let word = remote_of(&rw.dst, ranges, 1)?;
            if word.len != 0 && word.len != 8 {
                return Err(Failure::INVALID);
            }
            head.arg1 = word.addr;
            head.notify_token_id = word.token_id;
            head.notify_token = word.token;
        }
        push_data(queue, head, &rw.src, |head, total| {
            to.into_head(head, total)
        })
    }
}

/// READ.
///
/// # Safety
///
/// The request is as the interface says.
#[inline]
unsafe fn read(queue: &mut SendQueue, wr: &urma_jfs_wr) -> Outcome<()> {
    if wr_flag::inline_flag.get(wr.flag) != 0 {
        return Err(Failure::INVALID);
    }
    // SAFETY: as the caller promises; the opcode is one of reads and writes.
    unsafe {
        let rw = &wr.body.rw;
        let (target_ref, is_group) = target_of(queue, wr.tjetty)?;
        let mut head = head_of(wr, target_ref);
        if is_group {
            head.target_hint = rw.target_hint.into();
        }
        let from = remote_of(&rw.src, 1, 0)?;
        push_data(queue, head, &rw.dst, |head, total| {
            from.into_head(head, total)
        })
    }
}

/// SEND, SEND_IMM, SEND_INVALIDATE.
///
/// # Safety
///
/// The request is as the interface says.
#[inline]
unsafe fn send(queue: &mut SendQueue, wr: &urma_jfs_wr) -> Outcome<()> {
    // SAFETY: as the caller promises; the opcode is one of messages.
    unsafe {
        let message = &wr.body.send;
        let (target_ref, is_group) = target_of(queue, wr.tjetty)?;
        let mut head = head_of(wr, target_ref);
        if is_group {
            head.target_hint = message.target_hint.into();
        }
        match wr.opcode {
            URMA_OPC_SEND_IMM => head.arg0 = message.imm_data,
            URMA_OPC_SEND_INVALIDATE => {
                let private = &find::<SegmentKind>(message.tseg)?.private;
                let token = private.token.load(Ordering::Relaxed);
                let token_id = private.token_id.load(Ordering::Relaxed);
                head.arg0 = u64::from(token_id) | (u64::from(token) << 32);
            }
            _ => {}
        }
        push_data(queue, head, &message.src, |_, _| Ok(()))
    }
}

/// Atomic operations on words of 4 or 8 bytes: local range for the old value and remote range, and
/// both operands.
///
/// # Safety
///
/// The request is as the interface says.
unsafe fn atomic(
    queue: &mut SendQueue,
    wr: &urma_jfs_wr,
    (old, word): (*mut urma_sge, *mut urma_sge),
    (arg0, arg1): (u64, u64),
) -> Outcome<()> {
    if wr_flag::inline_flag.get(wr.flag) != 0 || old.is_null() {
        return Err(Failure::INVALID);
    }
    // SAFETY: as the caller promises.
    unsafe {
        let (target_ref, _) = target_of(queue, wr.tjetty)?;
        let word = remote(word)?;
        let len = if word.len == 0 { (*old).len } else { word.len };
        if len != 4 && len != 8 || (*old).len < len {
            return Err(Failure::INVALID);
        }
        let sges = [ubsoft_sge {
            addr: (*old).addr,
            len,
            token_id: find::<SegmentKind>((*old).tseg)?
                .private
                .token_id
                .load(Ordering::Relaxed),
        }];
        let mut head = head_of(wr, target_ref);
        head.num_sge = 1;
        head.total_len = len;
        head.arg0 = arg0;
        head.arg1 = arg1;
        word.into_head(&mut head, len)?;
        queue.push(&SendWr {
            head,
            sges: &sges,
            inline: &[],
        })
    }
}
