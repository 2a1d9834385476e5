// SPDX-License-Identifier: GPL-2.0

//! Work requests: the entry of the software device's send rings, from bytes to a typed request.
//!
//! The kernel copies the 64-byte head once, calls [`SqeHead::check`], copies exactly the
//! [`Tail::len`] bytes it is told, and calls [`Request::local`] on that copy. No shared byte is
//! read twice. A refusal is the status of the completion that the request gets; the poster's
//! `user_ctx` is available in any case.
//!
//! Fields that an opcode does not use are ignored: libraries leave garbage in them.

use super::{
    cqe::CrStatus,
    types::TransMode,
    wr::{
        AtomicOp,
        AtomicSize,
        Op,
        Opcode,
        Remote,
        Request,
        Tail,
        Target,
        TargetRef,
        WrFlags,
        NOTIFY_LEN, //
    },
};

/// Bytes of the fixed head of an entry.
pub(crate) const SQE_HEAD_LEN: usize = 64;
/// Most bytes of a plain request, see [`SqeWords::plain`].
const PLAIN_MAX: u32 = 4096;

/// What a plain request does, see [`SqeWords::plain`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Plain {
    /// Writes to remote memory.
    Write,
    /// Reads remote memory.
    Read,
    /// Changes a remote word.
    Atomic,
    /// Sends a message.
    Send,
}

/// The head of an entry as user space wrote it, copied once.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
#[cfg_attr(test, derive(Debug))]
pub(crate) struct SqeHead {
    /// The poster's own word, returned in the completion.
    pub(crate) user_ctx: u64,
    /// Opcode of the user ABI.
    pub(crate) opcode: u8,
    /// Number of elements behind the head; 0 with inline data.
    pub(crate) num_sge: u8,
    /// Low 16 bits of the work request's flag word.
    pub(crate) flags: u16,
    /// Bytes to transfer.
    pub(crate) total_len: u32,
    /// Imported target, see [`TargetRef`].
    pub(crate) target_ref: u32,
    /// Hint for the choice of a group member.
    pub(crate) target_hint: u32,
    /// Address at the peer.
    pub(crate) remote_addr: u64,
    /// Token id of the segment at the peer.
    pub(crate) remote_token_id: u32,
    /// Token value for it.
    pub(crate) remote_token: u32,
    /// Immediate data, compare value, operand, notification data, or token to invalidate.
    pub(crate) arg0: u64,
    /// Swap value or notification address.
    pub(crate) arg1: u64,
    /// Token id of the segment of the notification word.
    pub(crate) notify_token_id: u32,
    /// Token value for it.
    pub(crate) notify_token: u32,
}

/// The head of an entry, copied once and not decoded: what plain requests need is taken out of it.
#[derive(Clone, Copy)]
pub(crate) struct SqeWords([u64; SQE_HEAD_LEN / 8]);

impl SqeWords {
    /// Takes the words of a head over.
    #[inline(always)]
    pub(crate) const fn new(words: [u64; SQE_HEAD_LEN / 8]) -> Self {
        Self(words)
    }

    /// Decodes the head.
    #[inline(always)]
    pub(crate) fn decode(&self) -> SqeHead {
        let mut bytes = [0; SQE_HEAD_LEN];
        for (to, word) in bytes.chunks_exact_mut(8).zip(&self.0) {
            to.copy_from_slice(&word.to_le_bytes());
        }
        SqeHead::decode(&bytes)
    }

    /// Returns [`SqeHead::user_ctx`].
    #[inline(always)]
    pub(crate) const fn user_ctx(&self) -> u64 {
        self.0[0]
    }

    /// Returns [`SqeHead::total_len`].
    #[inline(always)]
    pub(crate) const fn total_len(&self) -> u32 {
        (self.0[1] >> 32) as u32
    }

    /// Tells whether the receiver's completion may trigger a "solicited only" event.
    #[inline(always)]
    pub(crate) const fn is_solicited(&self) -> bool {
        (self.0[1] >> 16) & (1 << 4) != 0
    }

    /// Tells whether success is to produce a completion.
    #[inline(always)]
    pub(crate) const fn is_signaled(&self) -> bool {
        WrFlags::is_signaled((self.0[1] >> 16) as u16)
    }

    /// Returns [`SqeHead::target_ref`].
    #[inline(always)]
    pub(crate) const fn target_ref(&self) -> u32 {
        self.0[2] as u32
    }

    /// Returns where the remote range begins.
    #[inline(always)]
    pub(crate) const fn remote(&self) -> Remote {
        Remote {
            addr: self.0[3],
            token_id: self.0[4] as u32,
            token: (self.0[4] >> 32) as u32,
        }
    }

    /// Returns the change that an atomic operation makes and the size of its word, to which it must
    /// be aligned; `None` for other opcodes.
    #[inline]
    pub(crate) fn change(&self) -> Option<(AtomicOp, AtomicSize)> {
        let size = AtomicSize::from_len(self.total_len())?;
        let [_, start, _, addr, _, arg0, arg1, _] = self.0;
        if addr & u64::from(size.bytes()).wrapping_sub(1) != 0 {
            return None;
        }
        // The lowest byte.
        let opcode = Opcode::from_raw(start as u8)?;
        Some((AtomicOp::of(opcode, arg0, arg1)?, size))
    }

    /// Recognises a request that is short and has one local buffer: most are like that. `most` is the
    /// queue's [`SqLimits::plain_max`]. `None` for all others.
    ///
    /// [`SqeHead::check`] lets a plain request through if it names a target and its remote range,
    /// unless it is a message, does not wrap, and, for an atomic operation, [`Self::change`] has one.
    #[inline(always)]
    pub(crate) const fn plain(&self, most: u32) -> Option<Plain> {
        // One element, and none of the flags that are not plain.
        const MASK: u64 = (0xff << 8) | ((!WrFlags::PLAIN as u64) << 16);
        const ONE: u64 = 1 << 8;
        let odd = self.0[1] & MASK != ONE;
        // One comparison: 0 becomes the largest number.
        if odd || self.total_len().wrapping_sub(1) >= most {
            return None;
        }
        // The lowest byte.
        let opcode = self.0[1] as u8;
        if opcode == Opcode::Write as u8 {
            Some(Plain::Write)
        } else if opcode == Opcode::Read as u8 {
            Some(Plain::Read)
        } else if opcode & 0xf0 == Opcode::Cas as u8 {
            Some(Plain::Atomic)
        } else if opcode == Opcode::Send as u8 {
            Some(Plain::Send)
        } else {
            None
        }
    }
}

/// Takes `N` bytes off the front of `bytes`; zeros when there are too few.
#[inline(always)]
fn take<const N: usize>(bytes: &mut &[u8]) -> [u8; N] {
    match bytes.split_first_chunk() {
        Some((head, rest)) => {
            *bytes = rest;
            *head
        }
        None => [0; N],
    }
}

impl SqeHead {
    /// Decodes a head; any 64 bytes are one.
    #[inline(always)]
    pub(crate) fn decode(bytes: &[u8; SQE_HEAD_LEN]) -> Self {
        let mut rest = bytes.as_slice();
        let rest = &mut rest;
        // Evaluated in the order written, which is the order of the layout.
        Self {
            user_ctx: u64::from_le_bytes(take(rest)),
            opcode: u8::from_le_bytes(take(rest)),
            num_sge: u8::from_le_bytes(take(rest)),
            flags: u16::from_le_bytes(take(rest)),
            total_len: u32::from_le_bytes(take(rest)),
            target_ref: u32::from_le_bytes(take(rest)),
            target_hint: u32::from_le_bytes(take(rest)),
            remote_addr: u64::from_le_bytes(take(rest)),
            remote_token_id: u32::from_le_bytes(take(rest)),
            remote_token: u32::from_le_bytes(take(rest)),
            arg0: u64::from_le_bytes(take(rest)),
            arg1: u64::from_le_bytes(take(rest)),
            notify_token_id: u32::from_le_bytes(take(rest)),
            notify_token: u32::from_le_bytes(take(rest)),
        }
    }

    /// Encodes the head.
    pub(crate) fn encode(&self) -> [u8; SQE_HEAD_LEN] {
        let fields: [&[u8]; 14] = [
            &self.user_ctx.to_le_bytes(),
            &[self.opcode],
            &[self.num_sge],
            &self.flags.to_le_bytes(),
            &self.total_len.to_le_bytes(),
            &self.target_ref.to_le_bytes(),
            &self.target_hint.to_le_bytes(),
            &self.remote_addr.to_le_bytes(),
            &self.remote_token_id.to_le_bytes(),
            &self.remote_token.to_le_bytes(),
            &self.arg0.to_le_bytes(),
            &self.arg1.to_le_bytes(),
            &self.notify_token_id.to_le_bytes(),
            &self.notify_token.to_le_bytes(),
        ];
        let mut head = [0; SQE_HEAD_LEN];
        let bytes = fields.iter().flat_map(|field| field.iter());
        for (to, from) in head.iter_mut().zip(bytes) {
            *to = *from;
        }
        head
    }

    /// Checks everything that the head alone decides.
    ///
    /// # Errors
    ///
    /// `UnsupportedOpcode` for an opcode that is unknown or not available in the queue's mode;
    /// `LocLen` for a length beyond the queue's limits or a wrong size of an atomic operation;
    /// `RemAccessAbort` for a remote range that wraps; `LocOperation` for all else: unknown flags,
    /// too many elements, inline data where it cannot be, misalignment, no target.
    pub(crate) fn check(&self, limits: &SqLimits) -> Result<Request, CrStatus> {
        let opcode = Opcode::from_raw(self.opcode).ok_or(CrStatus::UnsupportedOpcode)?;
        if !opcode.available_in(limits.mode) {
            return Err(CrStatus::UnsupportedOpcode);
        }
        let flags = WrFlags::from_bits(self.flags)?;
        let op = self.operation(opcode)?;
        let nothing = op == Op::Nop;
        Ok(Request {
            user_ctx: self.user_ctx,
            op,
            flags,
            len: if nothing { 0 } else { self.total_len },
            target: self.target(opcode, limits.mode)?,
            target_hint: self.target_hint,
            tail: self.tail(opcode, flags, limits)?,
        })
    }

    /// Returns the remote range of `len` bytes that the head names.
    fn remote(&self, len: u32) -> Result<Remote, CrStatus> {
        Remote {
            addr: self.remote_addr,
            token_id: self.remote_token_id,
            token: self.remote_token,
        }
        .check(len)
    }

    /// Returns the operation with its own operands.
    fn operation(&self, opcode: Opcode) -> Result<Op, CrStatus> {
        let len = self.total_len;
        Ok(match opcode {
            Opcode::Nop => Op::Nop,
            Opcode::Send => Op::Send,
            Opcode::SendImm => Op::SendImm { imm: self.arg0 },
            Opcode::SendInvalidate => Op::SendInvalidate {
                token_id: (self.arg0 & 0xffff_ffff) as u32,
                token: (self.arg0 >> 32) as u32,
            },
            Opcode::Read => Op::Read {
                remote: self.remote(len)?,
            },
            Opcode::Write => Op::Write {
                remote: self.remote(len)?,
            },
            Opcode::WriteImm => Op::WriteImm {
                remote: self.remote(len)?,
                imm: self.arg0,
            },
            Opcode::WriteNotify => Op::WriteNotify {
                remote: self.remote(len)?,
                notify: Remote {
                    addr: self.arg1,
                    token_id: self.notify_token_id,
                    token: self.notify_token,
                }
                .check(NOTIFY_LEN)?,
                data: self.arg0,
            },
            Opcode::Cas
            | Opcode::Swap
            | Opcode::Fadd
            | Opcode::Fsub
            | Opcode::Fand
            | Opcode::For
            | Opcode::Fxor => {
                let op = AtomicOp::of(opcode, self.arg0, self.arg1);
                self.atomic(op.ok_or(CrStatus::UnsupportedOpcode)?)?
            }
        })
    }

    /// Returns an atomic operation after checking its size and alignment.
    fn atomic(&self, op: AtomicOp) -> Result<Op, CrStatus> {
        let size = AtomicSize::from_len(self.total_len).ok_or(CrStatus::LocLen)?;
        let remote = self.remote(size.bytes())?;
        if remote.addr & u64::from(size.bytes()).wrapping_sub(1) != 0 {
            return Err(CrStatus::LocOperation);
        }
        Ok(Op::Atomic { remote, op, size })
    }

    /// Returns the target, which only the message modes name in the entry.
    fn target(&self, opcode: Opcode, mode: TransMode) -> Result<Target, CrStatus> {
        match (opcode, mode, self.target_ref) {
            (Opcode::Nop, _, _) => Ok(Target::None),
            (_, TransMode::Rc, _) => Ok(Target::Bound),
            (_, _, 0) => Err(CrStatus::LocOperation),
            (_, _, target) => Ok(Target::Imported(TargetRef::from_raw(target))),
        }
    }

    /// Returns what follows the head.
    fn tail(&self, opcode: Opcode, flags: WrFlags, limits: &SqLimits) -> Result<Tail, CrStatus> {
        if opcode == Opcode::Nop {
            return Ok(Tail::None);
        }
        if self.total_len > limits.max_len {
            return Err(CrStatus::LocLen);
        }
        if flags.inline() {
            if !opcode.sends_local_data() || self.num_sge != 0 {
                return Err(CrStatus::LocOperation);
            }
            if self.total_len > limits.max_inline {
                return Err(CrStatus::LocLen);
            }
            return Ok(Tail::Inline(self.total_len));
        }
        let too_many = u32::from(self.num_sge) > limits.max_sge;
        if too_many || (opcode.is_atomic() && self.num_sge != 1) {
            return Err(CrStatus::LocOperation);
        }
        Ok(Tail::Sges(self.num_sge))
    }
}

/// What a queue allows; from the kernel's object, never from the ring.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SqLimits {
    /// Transport mode of the jetty.
    pub(crate) mode: TransMode,
    /// Largest number of elements.
    pub(crate) max_sge: u32,
    /// Largest amount of inline data in bytes.
    pub(crate) max_inline: u32,
    /// Largest transfer in bytes.
    pub(crate) max_len: u32,
}

impl SqLimits {
    /// Returns the length up to which requests may be plain; 0 if none are.
    pub(crate) fn plain_max(&self) -> u32 {
        if self.mode == TransMode::Um || self.max_sge == 0 {
            0
        } else {
            self.max_len.min(PLAIN_MAX)
        }
    }
}

#[cfg(test)]
#[path = "tests/sqe.rs"]
mod tests;
