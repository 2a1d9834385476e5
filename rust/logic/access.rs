// SPDX-License-Identifier: GPL-2.0

//! Decides whether a work request may touch a segment.
//!
//! The rules of a segment's access bits: `LOCAL_ONLY` denies everything to remote requests;
//! otherwise they may do what `READ`, `WRITE` and `ATOMIC` say. The owner itself may do everything.

use super::cqe::CrStatus;

/// Access bit: remote requests are refused.
pub(crate) const ACCESS_LOCAL_ONLY: u32 = 1;
/// Access bit: remote reads.
pub(crate) const ACCESS_READ: u32 = 1 << 1;
/// Access bit: remote writes.
pub(crate) const ACCESS_WRITE: u32 = 1 << 2;
/// Access bit: remote atomic operations.
pub(crate) const ACCESS_ATOMIC: u32 = 1 << 3;

/// Token policy: anyone may use the segment.
pub(crate) const TOKEN_NONE: u32 = 0;

/// What a remote request does to memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RemoteOp {
    /// Reads it.
    Read,
    /// Writes it.
    Write,
    /// Reads and writes a word in one step.
    Atomic,
}

impl RemoteOp {
    /// Returns the access bit that the operation needs.
    #[inline]
    const fn needed(self) -> u32 {
        match self {
            Self::Read => ACCESS_READ,
            Self::Write => ACCESS_WRITE,
            Self::Atomic => ACCESS_ATOMIC,
        }
    }
}

/// The part of a segment that access depends on.
#[derive(Clone, Copy)]
pub(crate) struct SegView {
    /// First address.
    pub(crate) va: u64,
    /// Length in bytes.
    pub(crate) len: u64,
    /// `ACCESS_*` bits.
    pub(crate) access: u32,
    /// Token policy; everything but [`TOKEN_NONE`] demands the token.
    pub(crate) token_policy: u32,
    /// Token value; never logged.
    pub(crate) token: u32,
}

/// Compares two tokens in a time that does not depend on their values.
#[inline]
pub(crate) fn token_eq(a: u32, b: u32) -> bool {
    // Without the barrier the compiler may return to a comparison byte by byte.
    let difference = core::hint::black_box(a ^ b);
    // The top bit of `d | -d` is set for every d but 0.
    (difference | difference.wrapping_neg()) >> 31 == 0
}

/// Returns the offset of a range in a segment; `None` unless it lies inside entirely.
///
/// A range without length lies inside when its address does, the end included.
#[inline(always)]
pub(crate) fn range_offset(va: u64, seg_len: u64, addr: u64, len: u64) -> Option<u64> {
    let offset = addr.checked_sub(va)?;
    let end = offset.checked_add(len)?;
    (end <= seg_len).then_some(offset)
}

/// Checks a remote request and returns the offset in the segment.
///
/// # Errors
///
/// `RemAccessAbort` for every refusal, so that the sender does not learn which check failed.
#[inline(always)]
pub(crate) fn check_remote(
    seg: &SegView,
    op: RemoteOp,
    addr: u64,
    len: u64,
    token: u32,
) -> Result<u64, CrStatus> {
    // All checks run whatever the others say; `&` does not stop early.
    let token_good = (seg.token_policy == TOKEN_NONE) | token_eq(seg.token, token);
    let access_good =
        (seg.access & ACCESS_LOCAL_ONLY == 0) & (seg.access & op.needed() == op.needed());
    match range_offset(seg.va, seg.len, addr, len) {
        Some(offset) if token_good & access_good => Ok(offset),
        _ => Err(CrStatus::RemAccessAbort),
    }
}

/// Checks a buffer of the segment's owner and returns the offset in the segment.
///
/// # Errors
///
/// `LocAccess` when the buffer is not inside.
#[inline(always)]
pub(crate) fn check_local(seg: &SegView, addr: u64, len: u64) -> Result<u64, CrStatus> {
    range_offset(seg.va, seg.len, addr, len).ok_or(CrStatus::LocAccess)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const SEG: SegView = SegView {
        va: 0x1000,
        len: 0x100,
        access: ACCESS_READ | ACCESS_WRITE,
        token_policy: 1,
        token: 0xdead_beef,
    };

    #[test]
    fn access_bits() {
        let check = |access, op| {
            let seg = SegView { access, ..SEG };
            check_remote(&seg, op, 0x1000, 8, SEG.token).is_ok()
        };
        assert!(check(ACCESS_READ, RemoteOp::Read));
        assert!(!check(ACCESS_READ, RemoteOp::Write));
        assert!(check(ACCESS_READ | ACCESS_WRITE, RemoteOp::Write));
        assert!(!check(ACCESS_READ | ACCESS_WRITE, RemoteOp::Atomic));
        assert!(check(ACCESS_ATOMIC, RemoteOp::Atomic));
        assert!(!check(0, RemoteOp::Read));
        assert!(!check(0xff, RemoteOp::Read));
    }

    #[test]
    fn tokens() {
        let check = |token_policy, token| {
            let seg = SegView {
                token_policy,
                ..SEG
            };
            check_remote(&seg, RemoteOp::Read, 0x1000, 8, token)
        };
        assert_eq!(check(1, SEG.token), Ok(0));
        assert_eq!(check(1, 0), Err(CrStatus::RemAccessAbort));
        assert_eq!(check(3, !SEG.token), Err(CrStatus::RemAccessAbort));
        assert_eq!(check(TOKEN_NONE, 0), Ok(0));
    }

    #[test]
    fn ranges() {
        let check = |addr, len| check_local(&SEG, addr, len);
        assert_eq!(check(0x1000, 0x100), Ok(0));
        assert_eq!(check(0x10ff, 1), Ok(0xff));
        assert_eq!(check(0x1100, 0), Ok(0x100));
        for (addr, len) in [
            (0xfff, 1),
            (0x10ff, 2),
            (0x1101, 0),
            (0x1000, u64::MAX),
            (u64::MAX, 2),
        ] {
            assert_eq!(check(addr, len), Err(CrStatus::LocAccess));
        }
    }

    proptest! {
        #[test]
        fn token_eq_is_equality(a in any::<u32>(), b in any::<u32>(), bit in 0u32..32) {
            prop_assert_eq!(token_eq(a, b), a == b);
            prop_assert!(token_eq(a, a));
            prop_assert!(!token_eq(a, a ^ (1 << bit)));
        }

        #[test]
        fn range_in_big_numbers(va in any::<u64>(), seg in any::<u64>(), addr in any::<u64>(), len in any::<u64>(), near in 0u64..64) {
            for (addr, len) in [(addr, len), (va.wrapping_add(near), len), (va.wrapping_add(near), seg.wrapping_sub(near))] {
                let inside = addr >= va
                    && u128::from(addr) + u128::from(len) <= u128::from(va) + u128::from(seg);
                let offset = range_offset(va, seg, addr, len);
                prop_assert_eq!(offset.is_some(), inside);
                prop_assert!(offset.is_none_or(|o| o == addr - va));
            }
        }
    }
}
