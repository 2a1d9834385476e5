// SPDX-License-Identifier: GPL-2.0

//! Tests of the typed work request.

use super::*;
use crate::sge::Sge;
use proptest::prelude::*;

const REMOTE: Remote = Remote {
    addr: 0x1000,
    token_id: 1,
    token: 2,
};

fn request(op: Op, len: u32, tail: Tail) -> Request {
    let flags = WrFlags::default();
    Request {
        user_ctx: 1,
        op,
        flags,
        len,
        target: Target::Bound,
        target_hint: 0,
        tail,
    }
}

#[test]
fn atomic_results() {
    use AtomicSize::{Eight, Four};
    let cas = AtomicOp::Cas {
        compare: 5,
        swap: 9,
    };
    assert_eq!(cas.apply(5, Eight), Some(9));
    assert_eq!(cas.apply(6, Eight), None);
    assert_eq!(cas.apply(0x1_0000_0005, Four), Some(9));
    assert_eq!(cas.apply(0x1_0000_0005, Eight), None);
    assert_eq!(AtomicOp::Add(1).apply(u64::MAX, Eight), Some(0));
    assert_eq!(AtomicOp::Add(1).apply(u64::from(u32::MAX), Four), Some(0));
    assert_eq!(AtomicOp::Sub(1).apply(0, Four), Some(u64::from(u32::MAX)));
    assert_eq!(AtomicOp::Swap(7).apply(1, Eight), Some(7));
    assert_eq!(AtomicOp::And(6).apply(3, Eight), Some(2));
    assert_eq!(AtomicOp::Or(6).apply(3, Eight), Some(7));
    assert_eq!(AtomicOp::Xor(6).apply(3, Eight), Some(5));
}

#[test]
fn target_names() {
    assert_eq!(TargetRef::new(0, 0), None);
    assert_eq!(TargetRef::new(1 << 24, 1), None);
    let name = TargetRef::new(0xabcdef, 0x12).unwrap();
    assert_eq!(name.raw(), 0x12ab_cdef);
    assert_eq!((name.index(), name.generation()), (0xabcdef, 0x12));
}

#[test]
fn local_side() {
    let sge = |len| {
        Sge {
            addr: 0x1000,
            len,
            token_id: 1,
        }
        .encode()
    };
    let write = request(Op::Write { remote: REMOTE }, 12, Tail::Sges(2));
    let tail = [sge(8), sge(4)].concat();
    assert!(matches!(write.local(&tail), Ok(Local::Sges(l)) if l.total() == 12));
    assert_eq!(write.local(&tail[..16]).err(), Some(CrStatus::LocOperation));
    let tail = [sge(8), sge(8)].concat();
    assert_eq!(write.local(&tail).err(), Some(CrStatus::LocLen));

    let atomic = Op::Atomic {
        remote: REMOTE,
        op: AtomicOp::Add(1),
        size: AtomicSize::Eight,
    };
    let atomic = request(atomic, 8, Tail::Sges(1));
    assert!(atomic.local(&sge(16)).is_ok());
    assert_eq!(atomic.local(&sge(7)).err(), Some(CrStatus::LocLen));

    let inline = request(Op::Send, 3, Tail::Inline(3));
    assert!(matches!(inline.local(b"abc"), Ok(Local::Inline(b"abc"))));
    assert!(inline.local(b"ab").is_err());
    assert!(matches!(
        request(Op::Nop, 0, Tail::None).local(&[]),
        Ok(Local::None)
    ));
}

proptest! {
    /// Adding and subtracting cancel out; nothing leaves the word's size.
    #[test]
    fn atomics_stay_in_size(old in any::<u64>(), operand in any::<u64>(), four in any::<bool>()) {
        let size = if four { AtomicSize::Four } else { AtomicSize::Eight };
        let old = size.truncate(old);
        let sum = AtomicOp::Add(operand).apply(old, size).unwrap();
        prop_assert_eq!(AtomicOp::Sub(operand).apply(sum, size), Some(old));
        prop_assert_eq!(size.truncate(sum), sum);
        let cas = AtomicOp::Cas { compare: operand, swap: !old };
        let hit = size.truncate(operand) == old;
        prop_assert_eq!(cas.apply(old, size), hit.then_some(size.truncate(!old)));
    }

    #[test]
    fn names_round_trip(raw in 1u32..) {
        let name = TargetRef::from_raw(raw);
        prop_assert_eq!(TargetRef::new(name.index(), name.generation()), Some(name));
        prop_assert_eq!(name.raw(), raw);
    }
}
