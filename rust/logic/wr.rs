// SPDX-License-Identifier: GPL-2.0

//! A work request after all checks that need no look-up: what the engine executes.

use super::{
    cqe::CrStatus,
    sge::{
        SgeList,
        SumRule,
        SGE_LEN, //
    },
    types::TransMode,
};

/// Bytes of a notification word.
pub(crate) const NOTIFY_LEN: u32 = 8;

/// Opcodes of the user ABI that the device executes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Opcode {
    /// Write to remote memory.
    Write = 0x00,
    /// The same, and consume a receive buffer to hand over immediate data.
    WriteImm = 0x01,
    /// The same, and write a notification word afterwards.
    WriteNotify = 0x02,
    /// Read remote memory.
    Read = 0x10,
    /// Compare and swap.
    Cas = 0x20,
    /// Swap.
    Swap = 0x21,
    /// Fetch and add.
    Fadd = 0x22,
    /// Fetch and subtract.
    Fsub = 0x23,
    /// Fetch and and.
    Fand = 0x24,
    /// Fetch and or.
    For = 0x25,
    /// Fetch and exclusive or.
    Fxor = 0x26,
    /// Send a message.
    Send = 0x40,
    /// Send a message with immediate data.
    SendImm = 0x41,
    /// Send a message and invalidate a token at the receiver.
    SendInvalidate = 0x42,
    /// Complete without doing anything.
    Nop = 0x51,
}

impl Opcode {
    /// Reads an opcode; `None` when it is unknown or not executed here.
    #[inline]
    pub(crate) const fn from_raw(raw: u8) -> Option<Self> {
        Some(match raw {
            0x00 => Self::Write,
            0x01 => Self::WriteImm,
            0x02 => Self::WriteNotify,
            0x10 => Self::Read,
            0x20 => Self::Cas,
            0x21 => Self::Swap,
            0x22 => Self::Fadd,
            0x23 => Self::Fsub,
            0x24 => Self::Fand,
            0x25 => Self::For,
            0x26 => Self::Fxor,
            0x40 => Self::Send,
            0x41 => Self::SendImm,
            0x42 => Self::SendInvalidate,
            0x51 => Self::Nop,
            _ => return None,
        })
    }

    /// Returns whether a queue of this mode executes the opcode.
    ///
    /// The unreliable mode has messages only.
    pub(crate) fn available_in(self, mode: TransMode) -> bool {
        mode != TransMode::Um || matches!(self, Self::Send | Self::SendImm | Self::Nop)
    }

    /// Returns whether this is an atomic operation.
    pub(crate) const fn is_atomic(self) -> bool {
        (self as u8) & 0xf0 == Self::Cas as u8
    }

    /// Returns whether the local data flows to the peer, so that it can be inline.
    pub(crate) fn sends_local_data(self) -> bool {
        !self.is_atomic() && !matches!(self, Self::Read | Self::Nop)
    }
}

/// What a request does, with the operands of its opcode.
#[derive(Clone, Copy, PartialEq, Eq)]
#[cfg_attr(test, derive(Debug))]
pub(crate) enum Op {
    /// Nothing.
    Nop,
    /// Send the local data to a receive buffer.
    Send,
    /// The same with immediate data.
    SendImm {
        /// Immediate data.
        imm: u64,
    },
    /// Send, and invalidate a token at the receiver.
    SendInvalidate {
        /// Token id.
        token_id: u32,
        /// Token value.
        token: u32,
    },
    /// Read remote memory into the local buffers.
    Read {
        /// Source.
        remote: Remote,
    },
    /// Write the local data to remote memory.
    Write {
        /// Destination.
        remote: Remote,
    },
    /// Write, and hand immediate data to a receive buffer.
    WriteImm {
        /// Destination.
        remote: Remote,
        /// Immediate data.
        imm: u64,
    },
    /// Write, then write a word that tells of it.
    WriteNotify {
        /// Destination.
        remote: Remote,
        /// Place of the word, [`NOTIFY_LEN`] bytes.
        notify: Remote,
        /// The word.
        data: u64,
    },
    /// Change a remote word; its old value goes to the local buffer.
    Atomic {
        /// The word, aligned to its size.
        remote: Remote,
        /// The change.
        op: AtomicOp,
        /// Size of the word.
        size: AtomicSize,
    },
}

/// Size of the word of an atomic operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AtomicSize {
    /// Four bytes.
    Four,
    /// Eight bytes.
    Eight,
}

impl AtomicSize {
    /// Reads a length; `None` when no atomic operation has it.
    pub(crate) const fn from_len(len: u32) -> Option<Self> {
        match len {
            4 => Some(Self::Four),
            8 => Some(Self::Eight),
            _ => None,
        }
    }

    /// Returns the number of bytes.
    pub(crate) const fn bytes(self) -> u32 {
        match self {
            Self::Four => 4,
            Self::Eight => 8,
        }
    }

    /// Returns the value that fits, the upper bits dropped.
    const fn truncate(self, value: u64) -> u64 {
        match self {
            Self::Four => value & 0xffff_ffff,
            Self::Eight => value,
        }
    }
}

/// The change that an atomic operation makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AtomicOp {
    /// Store a value if the word has another one.
    Cas {
        /// Value to compare with.
        compare: u64,
        /// Value to store.
        swap: u64,
    },
    /// Store a value.
    Swap(u64),
    /// Add, wrapping.
    Add(u64),
    /// Subtract, wrapping.
    Sub(u64),
    /// And.
    And(u64),
    /// Or.
    Or(u64),
    /// Exclusive or.
    Xor(u64),
}

impl AtomicOp {
    /// Returns the change that an opcode and the operands of an entry stand for; `None` for opcodes
    /// of other operations.
    #[inline]
    pub(crate) const fn of(opcode: Opcode, arg0: u64, arg1: u64) -> Option<Self> {
        Some(match opcode {
            Opcode::Cas => Self::Cas {
                compare: arg0,
                swap: arg1,
            },
            Opcode::Swap => Self::Swap(arg1),
            Opcode::Fadd => Self::Add(arg0),
            Opcode::Fsub => Self::Sub(arg0),
            Opcode::Fand => Self::And(arg0),
            Opcode::For => Self::Or(arg0),
            Opcode::Fxor => Self::Xor(arg0),
            _ => return None,
        })
    }

    /// Returns the word's new value; `None` when a comparison fails and nothing is stored.
    ///
    /// For four bytes only the low halves of operands and word count.
    pub(crate) fn apply(self, old: u64, size: AtomicSize) -> Option<u64> {
        let new = match self {
            Self::Cas { compare, swap } => {
                if size.truncate(compare) != size.truncate(old) {
                    return None;
                }
                swap
            }
            Self::Swap(value) => value,
            Self::Add(operand) => old.wrapping_add(operand),
            Self::Sub(operand) => old.wrapping_sub(operand),
            Self::And(operand) => old & operand,
            Self::Or(operand) => old | operand,
            Self::Xor(operand) => old ^ operand,
        };
        Some(size.truncate(new))
    }
}

/// Flag word of a work request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct WrFlags(u16);

impl WrFlags {
    /// Bits with a meaning: all below the driver's extensions.
    const KNOWN: u16 = 0xff;
    /// Those that change nothing for a request that is carried out at once and alone: the order of
    /// completions, fences, solicited and wanted completions.
    pub(crate) const PLAIN: u16 = 0x3c;

    /// Checks a flag word: no unknown bit, no undefined placement order.
    pub(crate) fn from_bits(bits: u16) -> Result<Self, CrStatus> {
        let flags = Self(bits);
        if bits & !Self::KNOWN != 0 || flags.place_order() == 3 {
            Err(CrStatus::LocOperation)
        } else {
            Ok(flags)
        }
    }

    /// Order of placement: 0 none, 1 relaxed, 2 strong.
    pub(crate) const fn place_order(self) -> u8 {
        (self.0 & 3) as u8
    }

    /// Completions are to appear in the order of posting.
    pub(crate) const fn comp_order(self) -> bool {
        self.0 & (1 << 2) != 0
    }

    /// Wait for earlier reads and atomic operations.
    pub(crate) const fn fence(self) -> bool {
        self.0 & (1 << 3) != 0
    }

    /// The receiver's completion may trigger a "solicited only" event.
    pub(crate) const fn solicited(self) -> bool {
        self.0 & (1 << 4) != 0
    }

    /// Success produces a completion.
    pub(crate) const fn signaled(self) -> bool {
        Self::is_signaled(self.0)
    }

    /// The same for a flag word that has not been checked.
    pub(crate) const fn is_signaled(bits: u16) -> bool {
        bits & (1 << 5) != 0
    }

    /// The data is in the entry itself.
    pub(crate) const fn inline(self) -> bool {
        self.0 & (1 << 6) != 0
    }
}

/// Where a request goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    /// Nowhere.
    None,
    /// To the peer that the jetty is bound to.
    Bound,
    /// To an imported target of the same context.
    Imported(TargetRef),
}

/// Name of an imported target in a context: a table index and the generation of its slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TargetRef(u32);

impl TargetRef {
    /// Largest index.
    pub(crate) const MAX_INDEX: u32 = 0xff_ffff;

    /// Makes a name; `None` when the index is too large or the result would be 0 ("bound").
    pub(crate) fn new(index: u32, generation: u8) -> Option<Self> {
        let raw = index | (u32::from(generation) << 24);
        (index <= Self::MAX_INDEX && raw != 0).then_some(Self(raw))
    }

    /// Reads the word of an entry; 0 is for the caller to recognise.
    pub(crate) const fn from_raw(raw: u32) -> Self {
        Self(raw)
    }

    /// Returns the word that travels in entries and in the reply to an import.
    pub(crate) const fn raw(self) -> u32 {
        self.0
    }

    /// Returns the table index.
    pub(crate) const fn index(self) -> u32 {
        self.0 & Self::MAX_INDEX
    }

    /// Returns the generation.
    pub(crate) const fn generation(self) -> u8 {
        (self.0 >> 24) as u8
    }
}

/// A place in the peer's memory.
#[derive(Clone, Copy, PartialEq, Eq)]
#[cfg_attr(test, derive(Debug))]
pub(crate) struct Remote {
    /// Address.
    pub(crate) addr: u64,
    /// Token id of the segment.
    pub(crate) token_id: u32,
    /// Token value; never logged.
    pub(crate) token: u32,
}

impl Remote {
    /// Refuses a range that wraps the address space.
    pub(crate) fn check(self, len: u32) -> Result<Self, CrStatus> {
        match self.addr.checked_add(u64::from(len)) {
            Some(_) => Ok(self),
            None => Err(CrStatus::RemAccessAbort),
        }
    }
}

/// What follows the head of the entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tail {
    /// Nothing.
    None,
    /// So many bytes of data.
    Inline(u32),
    /// So many scatter-gather elements.
    Sges(u8),
}

impl Tail {
    /// Returns how many bytes to copy; within the stride of an entry by the queue's limits.
    pub(crate) fn len(self) -> usize {
        match self {
            Self::None => 0,
            Self::Inline(len) => len as usize,
            Self::Sges(num) => usize::from(num).saturating_mul(SGE_LEN),
        }
    }
}

/// The local side of a request.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Local<'a> {
    /// Nothing.
    None,
    /// Data from the entry.
    Inline(&'a [u8]),
    /// Buffers, still to be looked up.
    Sges(SgeList<'a>),
}

/// A work request.
#[derive(Clone, Copy, PartialEq, Eq)]
#[cfg_attr(test, derive(Debug))]
pub(crate) struct Request {
    /// The poster's own word, returned in the completion.
    pub(crate) user_ctx: u64,
    /// What to do.
    pub(crate) op: Op,
    /// How to do it.
    pub(crate) flags: WrFlags,
    /// Bytes to transfer.
    pub(crate) len: u32,
    /// Where to.
    pub(crate) target: Target,
    /// Hint for the choice of a group member.
    pub(crate) target_hint: u32,
    /// What follows the head.
    pub(crate) tail: Tail,
}

impl Request {
    /// Checks the copied tail, which must be [`Tail::len`] bytes long.
    ///
    /// # Errors
    ///
    /// Those of [`SgeList::parse`]; `LocOperation` for a copy of the wrong length.
    pub(crate) fn local<'a>(&self, tail: &'a [u8]) -> Result<Local<'a>, CrStatus> {
        if tail.len() != self.tail.len() {
            return Err(CrStatus::LocOperation);
        }
        Ok(match self.tail {
            Tail::None => Local::None,
            Tail::Inline(_) => Local::Inline(tail),
            Tail::Sges(num) => {
                let rule = match self.op {
                    Op::Atomic { .. } => SumRule::AtLeast,
                    _ => SumRule::Exact,
                };
                Local::Sges(SgeList::parse(tail, u32::from(num), self.len, rule)?)
            }
        })
    }
}

#[cfg(test)]
#[path = "tests/wr.rs"]
mod tests;
