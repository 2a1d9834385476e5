// SPDX-License-Identifier: GPL-2.0

//! What the demo does.

/// Largest transfer, in bytes.
pub const MAX_SIZE: usize = 1 << 20;

/// The operations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Op {
    /// A message.
    Send,
    /// A message with immediate data.
    SendImm,
    /// A write to the peer's memory.
    Write,
    /// A write that the peer is told of.
    WriteImm,
    /// A read of the peer's memory.
    Read,
    /// Compare and swap in the peer's memory.
    Cas,
    /// Fetch and add in the peer's memory.
    Fadd,
}

impl Op {
    /// All of them.
    pub const ALL: [Op; 7] = [
        Op::Send,
        Op::SendImm,
        Op::Write,
        Op::WriteImm,
        Op::Read,
        Op::Cas,
        Op::Fadd,
    ];

    /// Name for people and for messages.
    pub fn name(self) -> &'static str {
        match self {
            Op::Send => "SEND",
            Op::SendImm => "SEND_IMM",
            Op::Write => "WRITE",
            Op::WriteImm => "WRITE_IMM",
            Op::Read => "READ",
            Op::Cas => "CAS",
            Op::Fadd => "FETCH_ADD",
        }
    }

    /// Whether it takes a receive buffer of the peer, who gets a completion too.
    pub fn two_sided(self) -> bool {
        matches!(self, Op::Send | Op::SendImm | Op::WriteImm)
    }

    /// Whether it works on one word.
    pub fn atomic(self) -> bool {
        matches!(self, Op::Cas | Op::Fadd)
    }
}

/// How completions are noticed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// By looking at the ring.
    Poll,
    /// By events on a channel.
    Event,
}

impl Mode {
    /// Name for people and for messages.
    pub fn name(self) -> &'static str {
        match self {
            Mode::Poll => "polling",
            Mode::Event => "event",
        }
    }
}

/// One line of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Case {
    /// Operation.
    pub op: Op,
    /// How completions are noticed.
    pub mode: Mode,
    /// Bytes of a transfer.
    pub size: usize,
    /// Transfers.
    pub count: u32,
}

impl Case {
    /// Where in its buffer area an iteration works, in bytes: at ever other alignments.
    pub fn offset(&self, iteration: u32) -> usize {
        let step = if self.op.atomic() { 8 } else { 9 };
        (iteration as usize % 7) * step
    }

    /// What the payload of an iteration is made of.
    pub fn seed(&self, iteration: u32) -> u64 {
        let op = self.op as u64;
        (op << 56) | ((self.mode as u64) << 48) | ((self.size as u64) << 16) | u64::from(iteration)
    }

    /// The immediate data of an iteration: all 64 bits in use.
    pub fn imm(&self, iteration: u32) -> u64 {
        self.seed(iteration) ^ 0xfedc_ba98_7654_3210
    }
}

/// All cases, in the order of the table.
pub fn all() -> Vec<Case> {
    const SIZES: [(usize, u32); 7] = [
        (1, 64),
        (8, 64),
        (64, 64),
        (4096, 32),
        (12_345, 32),
        (65_536, 16),
        (MAX_SIZE, 4),
    ];
    let mut list = Vec::new();
    for op in Op::ALL {
        for mode in [Mode::Poll, Mode::Event] {
            let sizes: &[(usize, u32)] = if op.atomic() { &[(8, 64)] } else { &SIZES };
            list.extend(sizes.iter().map(|&(size, count)| Case {
                op,
                mode,
                size,
                count,
            }));
        }
    }
    list
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_transfers_have_the_same_seed() {
        let mut seeds: Vec<u64> = all()
            .iter()
            .flat_map(|case| (0..case.count).map(|i| case.seed(i)))
            .collect();
        let count = seeds.len();
        seeds.sort_unstable();
        seeds.dedup();
        assert_eq!(seeds.len(), count);
    }
}
