// SPDX-License-Identifier: GPL-2.0

//! Work requests.

use ub_abi::*;

/// A range of remote memory, without its length.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RemoteRange {
    /// First byte.
    pub addr: u64,
    /// Token id of the segment.
    pub token_id: u32,
    /// Its token.
    pub token: u32,
}

impl RemoteRange {
    /// The range that starts `offset` bytes further on.
    pub fn plus(self, offset: u64) -> Self {
        RemoteRange {
            addr: self.addr.wrapping_add(offset),
            ..self
        }
    }
}

/// A range of local memory.
pub fn sge(addr: u64, len: u32, token_id: u32) -> ubsoft_sge {
    ubsoft_sge {
        addr,
        len,
        token_id,
    }
}

/// The atomic operations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Atomic {
    /// Compare with the first, swap with the second.
    Cas(u64, u64),
    /// Swap.
    Swap(u64),
    /// Fetch and add.
    Add(u64),
    /// Fetch and subtract.
    Sub(u64),
    /// Fetch and and.
    And(u64),
    /// Fetch and or.
    Or(u64),
    /// Fetch and exclusive or.
    Xor(u64),
}

impl Atomic {
    /// Opcode and both operands.
    fn encode(self) -> (u32, u64, u64) {
        match self {
            Atomic::Cas(compare, new) => (UBURMA_OPC_CAS, compare, new),
            Atomic::Swap(new) => (UBURMA_OPC_SWAP, 0, new),
            Atomic::Add(value) => (UBURMA_OPC_FADD, value, 0),
            Atomic::Sub(value) => (UBURMA_OPC_FSUB, value, 0),
            Atomic::And(value) => (UBURMA_OPC_FAND, value, 0),
            Atomic::Or(value) => (UBURMA_OPC_FOR, value, 0),
            Atomic::Xor(value) => (UBURMA_OPC_FXOR, value, 0),
        }
    }

    /// What the memory holds afterwards.
    pub fn apply(self, old: u64) -> u64 {
        match self {
            Atomic::Cas(compare, new) if old == compare => new,
            Atomic::Cas(..) => old,
            Atomic::Swap(new) => new,
            Atomic::Add(value) => old.wrapping_add(value),
            Atomic::Sub(value) => old.wrapping_sub(value),
            Atomic::And(value) => old & value,
            Atomic::Or(value) => old | value,
            Atomic::Xor(value) => old ^ value,
        }
    }
}

/// A request to a send queue. `target` is the target_ref of an imported jetty or JFR, 0
/// for the one the jetty is bound to. By default it reports its completion.
#[derive(Debug, Clone)]
pub struct SendWr<'a> {
    /// The fixed part of the entry.
    pub head: ubsoft_sqe,
    /// Local ranges.
    pub sges: &'a [ubsoft_sge],
    /// Inline data instead.
    pub inline: &'a [u8],
}

impl<'a> SendWr<'a> {
    fn new(opcode: u32, target: u32, sges: &'a [ubsoft_sge]) -> Self {
        SendWr {
            head: ubsoft_sqe {
                opcode: opcode as u8,
                num_sge: sges.len() as u8,
                flags: UBURMA_JFS_WR_FLAG_COMPLETE_ENABLE as u16,
                total_len: sges.iter().map(|sge| sge.len).fold(0, u32::wrapping_add),
                target_ref: target,
                ..Default::default()
            },
            sges,
            inline: &[],
        }
    }

    fn remote(mut self, remote: RemoteRange) -> Self {
        self.head.remote_addr = remote.addr;
        self.head.remote_token_id = remote.token_id;
        self.head.remote_token = remote.token;
        self
    }

    /// A message.
    #[inline]
    pub fn send(target: u32, sges: &'a [ubsoft_sge]) -> Self {
        Self::new(UBURMA_OPC_SEND, target, sges)
    }

    /// A message with immediate data.
    pub fn send_imm(target: u32, sges: &'a [ubsoft_sge], imm: u64) -> Self {
        let mut wr = Self::new(UBURMA_OPC_SEND_IMM, target, sges);
        wr.head.arg0 = imm;
        wr
    }

    /// A message that invalidates a segment of the receiver, named by token id and token.
    pub fn send_invalidate(target: u32, sges: &'a [ubsoft_sge], token_id: u32, token: u32) -> Self {
        let mut wr = Self::new(UBURMA_OPC_SEND_INVALIDATE, target, sges);
        wr.head.arg0 = u64::from(token_id) | (u64::from(token) << 32);
        wr
    }

    /// A write to remote memory.
    #[inline]
    pub fn write(target: u32, remote: RemoteRange, sges: &'a [ubsoft_sge]) -> Self {
        Self::new(UBURMA_OPC_WRITE, target, sges).remote(remote)
    }

    /// A write that takes a receive buffer of the peer for its immediate data.
    pub fn write_imm(target: u32, remote: RemoteRange, sges: &'a [ubsoft_sge], imm: u64) -> Self {
        let mut wr = Self::new(UBURMA_OPC_WRITE_IMM, target, sges).remote(remote);
        wr.head.arg0 = imm;
        wr
    }

    /// A write that is followed by a write of 8 bytes elsewhere.
    pub fn write_notify(
        target: u32,
        remote: RemoteRange,
        sges: &'a [ubsoft_sge],
        notify: RemoteRange,
        data: u64,
    ) -> Self {
        let mut wr = Self::new(UBURMA_OPC_WRITE_NOTIFY, target, sges).remote(remote);
        wr.head.arg0 = data;
        wr.head.arg1 = notify.addr;
        wr.head.notify_token_id = notify.token_id;
        wr.head.notify_token = notify.token;
        wr
    }

    /// A read of remote memory.
    #[inline]
    pub fn read(target: u32, remote: RemoteRange, sges: &'a [ubsoft_sge]) -> Self {
        Self::new(UBURMA_OPC_READ, target, sges).remote(remote)
    }

    /// An atomic operation; its one local range, of 4 or 8 bytes, gets the old value.
    pub fn atomic(target: u32, remote: RemoteRange, old: &'a [ubsoft_sge], op: Atomic) -> Self {
        let (opcode, arg0, arg1) = op.encode();
        let mut wr = Self::new(opcode, target, old).remote(remote);
        wr.head.arg0 = arg0;
        wr.head.arg1 = arg1;
        wr
    }

    /// Nothing, which completes.
    pub fn nop(target: u32) -> Self {
        Self::new(UBURMA_OPC_NOP, target, &[])
    }

    /// With this cookie in its completion.
    pub fn user_ctx(mut self, user_ctx: u64) -> Self {
        self.head.user_ctx = user_ctx;
        self
    }

    /// With the data in the entry instead of in local ranges.
    pub fn inline(mut self, data: &'a [u8]) -> Self {
        self.head.flags |= UBURMA_JFS_WR_FLAG_INLINE_FLAG as u16;
        self.head.num_sge = 0;
        self.head.total_len = data.len() as u32;
        self.sges = &[];
        self.inline = data;
        self
    }

    /// Without a completion when it succeeds.
    pub fn unsignaled(mut self) -> Self {
        self.head.flags &= !(UBURMA_JFS_WR_FLAG_COMPLETE_ENABLE as u16);
        self
    }

    /// Meant for a receiver that waits for solicited events.
    pub fn solicited(mut self) -> Self {
        self.head.flags |= UBURMA_JFS_WR_FLAG_SOLICITED_ENABLE as u16;
        self
    }

    /// With a hint that chooses in a jetty group.
    pub fn hint(mut self, hint: u32) -> Self {
        self.head.target_hint = hint;
        self
    }

    /// With further flags, UBURMA_JFS_WR_FLAG_*.
    pub fn flags(mut self, flags: u32) -> Self {
        self.head.flags |= flags as u16;
        self
    }
}

/// A receive buffer.
#[derive(Debug, Clone, Copy)]
pub struct RecvWr<'a> {
    /// Comes back in the completion.
    pub user_ctx: u64,
    /// Ranges of it.
    pub sges: &'a [ubsoft_sge],
}

impl<'a> RecvWr<'a> {
    /// A buffer of these ranges.
    pub fn new(sges: &'a [ubsoft_sge]) -> Self {
        RecvWr { user_ctx: 0, sges }
    }

    /// With this cookie in its completion.
    pub fn user_ctx(mut self, user_ctx: u64) -> Self {
        self.user_ctx = user_ctx;
        self
    }
}
