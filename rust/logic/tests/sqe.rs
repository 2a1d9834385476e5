// SPDX-License-Identifier: GPL-2.0

//! Tests of the send queue entry.

use super::*;
use proptest::prelude::*;

const LIMITS: SqLimits = SqLimits {
    mode: TransMode::Rm,
    max_sge: 16,
    max_inline: 256,
    max_len: 1 << 20,
};
const SIGNALED: u16 = 1 << 5;
const INLINE: u16 = 1 << 6;
const OPCODES: [u8; 15] = [
    0x00, 0x01, 0x02, 0x10, 0x20, 0x21, 0x22, 0x23, 0x24, 0x25, 0x26, 0x40, 0x41, 0x42, 0x51,
];

/// A request that is right for any opcode.
fn head(opcode: u8) -> SqeHead {
    SqeHead {
        user_ctx: 0x77,
        opcode,
        num_sge: 1,
        flags: SIGNALED,
        total_len: 8,
        target_ref: 0x0100_0001,
        remote_addr: 0x10_0000,
        remote_token_id: 5,
        remote_token: 6,
        arg0: 0xa0,
        arg1: 0xa1,
        notify_token_id: 7,
        notify_token: 8,
        ..SqeHead::default()
    }
}

fn status(head: SqeHead) -> Option<CrStatus> {
    head.check(&LIMITS).err()
}

#[test]
fn layout() {
    let bytes: [u8; 64] = std::array::from_fn(|i| i as u8);
    let head = SqeHead::decode(&bytes);
    assert_eq!(head.user_ctx, 0x0706_0504_0302_0100);
    assert_eq!((head.opcode, head.num_sge, head.flags), (8, 9, 0x0b0a));
    assert_eq!(
        (head.total_len, head.target_ref),
        (0x0f0e_0d0c, 0x1312_1110)
    );
    assert_eq!(head.target_hint, 0x1716_1514);
    assert_eq!(head.remote_addr, 0x1f1e_1d1c_1b1a_1918);
    assert_eq!(
        (head.remote_token_id, head.remote_token),
        (0x2322_2120, 0x2726_2524)
    );
    assert_eq!(head.arg0, 0x2f2e_2d2c_2b2a_2928);
    assert_eq!(head.arg1, 0x3736_3534_3332_3130);
    assert_eq!(
        (head.notify_token_id, head.notify_token),
        (0x3b3a_3938, 0x3f3e_3d3c)
    );
    assert_eq!(head.encode(), bytes);
}

#[test]
fn every_opcode_has_its_operation() {
    let remote = Remote {
        addr: 0x10_0000,
        token_id: 5,
        token: 6,
    };
    let notify = Remote {
        addr: 0xa1,
        token_id: 7,
        token: 8,
    };
    let atomic = |op| Op::Atomic {
        remote,
        op,
        size: AtomicSize::Eight,
    };
    let expected = [
        Op::Write { remote },
        Op::WriteImm { remote, imm: 0xa0 },
        Op::WriteNotify {
            remote,
            notify,
            data: 0xa0,
        },
        Op::Read { remote },
        atomic(AtomicOp::Cas {
            compare: 0xa0,
            swap: 0xa1,
        }),
        atomic(AtomicOp::Swap(0xa1)),
        atomic(AtomicOp::Add(0xa0)),
        atomic(AtomicOp::Sub(0xa0)),
        atomic(AtomicOp::And(0xa0)),
        atomic(AtomicOp::Or(0xa0)),
        atomic(AtomicOp::Xor(0xa0)),
        Op::Send,
        Op::SendImm { imm: 0xa0 },
        Op::SendInvalidate {
            token_id: 0xa0,
            token: 0,
        },
        Op::Nop,
    ];
    for (opcode, op) in OPCODES.into_iter().zip(expected) {
        let request = head(opcode).check(&LIMITS).unwrap();
        assert_eq!(request.op, op);
        assert!(request.flags.signaled() && !request.flags.fence());
        assert_eq!(request.user_ctx, 0x77);
    }
    for opcode in (0..=u8::MAX).filter(|raw| !OPCODES.contains(raw)) {
        assert_eq!(status(head(opcode)), Some(CrStatus::UnsupportedOpcode));
    }
}

#[test]
fn modes() {
    let um = SqLimits {
        mode: TransMode::Um,
        ..LIMITS
    };
    let rc = SqLimits {
        mode: TransMode::Rc,
        ..LIMITS
    };
    for opcode in OPCODES {
        let allowed = matches!(opcode, 0x40 | 0x41 | 0x51);
        assert_eq!(head(opcode).check(&um).is_ok(), allowed, "{opcode:#x}");
        assert!(head(opcode).check(&rc).is_ok());
    }
    let target = |limits, target_ref| {
        let head = SqeHead {
            target_ref,
            ..head(0x40)
        };
        head.check(limits).map(|r| r.target)
    };
    assert_eq!(target(&rc, 0), Ok(Target::Bound));
    assert_eq!(target(&rc, 9), Ok(Target::Bound));
    assert_eq!(target(&um, 0), Err(CrStatus::LocOperation));
    assert_eq!(target(&LIMITS, 0), Err(CrStatus::LocOperation));
    assert_eq!(
        target(&LIMITS, 9),
        Ok(Target::Imported(TargetRef::from_raw(9)))
    );
}

#[test]
fn flags() {
    for bit in 0..16 {
        let flags = 1 << bit;
        let ok = bit < 8;
        let num_sge = u8::from(flags != INLINE);
        let head = SqeHead {
            flags,
            num_sge,
            ..head(0x40)
        };
        assert_eq!(status(head).is_none(), ok, "bit {bit}");
    }
    let strong = SqeHead {
        flags: 3,
        ..head(0x40)
    };
    assert_eq!(status(strong), Some(CrStatus::LocOperation));
    let flags = WrFlags::from_bits(0x1e).unwrap();
    assert_eq!(flags.place_order(), 2);
    assert!(flags.comp_order() && flags.fence() && flags.solicited());
    assert!(!flags.signaled() && !flags.inline());
}

#[test]
fn inline_data() {
    for opcode in OPCODES {
        let allowed = matches!(opcode, 0x00..=0x02 | 0x40..=0x42 | 0x51);
        let head = SqeHead {
            flags: INLINE,
            num_sge: 0,
            ..head(opcode)
        };
        assert_eq!(status(head).is_none(), allowed, "{opcode:#x}");
    }
    let inline = |num_sge, total_len| {
        let head = SqeHead {
            flags: INLINE,
            num_sge,
            total_len,
            ..head(0x40)
        };
        head.check(&LIMITS).map(|r| r.tail.len())
    };
    assert_eq!(inline(0, 256), Ok(256));
    assert_eq!(inline(0, 0), Ok(0));
    assert_eq!(inline(0, 257), Err(CrStatus::LocLen));
    assert_eq!(inline(1, 8), Err(CrStatus::LocOperation));
}

#[test]
fn lengths_and_addresses() {
    let with = |opcode, num_sge, total_len, remote_addr| {
        status(SqeHead {
            num_sge,
            total_len,
            remote_addr,
            ..head(opcode)
        })
    };
    assert_eq!(with(0x00, 16, 1 << 20, 0), None);
    assert_eq!(with(0x00, 17, 8, 0), Some(CrStatus::LocOperation));
    assert_eq!(with(0x00, 1, (1 << 20) + 1, 0), Some(CrStatus::LocLen));
    assert_eq!(with(0x00, 0, 0, u64::MAX), None);
    assert_eq!(with(0x10, 1, 2, u64::MAX), Some(CrStatus::RemAccessAbort));
    let notify = SqeHead {
        arg1: u64::MAX - 6,
        ..head(0x02)
    };
    assert_eq!(status(notify), Some(CrStatus::RemAccessAbort));

    assert_eq!(with(0x22, 1, 4, 4), None);
    assert_eq!(with(0x22, 1, 8, 4), Some(CrStatus::LocOperation));
    assert_eq!(with(0x22, 2, 8, 8), Some(CrStatus::LocOperation));
    assert_eq!(with(0x22, 0, 8, 8), Some(CrStatus::LocOperation));
    assert_eq!(with(0x22, 1, 5, 8), Some(CrStatus::LocLen));
    assert_eq!(with(0x22, 1, 0, 8), Some(CrStatus::LocLen));
    assert_eq!(with(0x22, 1, 16, 8), Some(CrStatus::LocLen));
}

#[test]
fn unused_fields_are_ignored() {
    let nop = SqeHead {
        num_sge: 200,
        total_len: u32::MAX,
        target_ref: 0,
        ..head(0x51)
    };
    let request = nop.check(&LIMITS).unwrap();
    assert_eq!(
        (request.tail, request.len, request.target),
        (Tail::None, 0, Target::None)
    );
    let send = SqeHead {
        remote_addr: u64::MAX,
        arg1: u64::MAX,
        ..head(0x40)
    };
    assert_eq!(status(send), None);
}

fn to_words(raw: &[u8; SQE_HEAD_LEN]) -> SqeWords {
    let word = |i| u64::from_le_bytes(raw[i * 8..][..8].try_into().unwrap());
    SqeWords::new(std::array::from_fn(word))
}

fn words(head: &SqeHead) -> SqeWords {
    to_words(&head.encode())
}

#[test]
fn plain() {
    let most = LIMITS.plain_max();
    let kind = |opcode| words(&head(opcode)).plain(most);
    assert_eq!(kind(0x00), Some(Plain::Write));
    assert_eq!(kind(0x10), Some(Plain::Read));
    for opcode in [0x20, 0x21, 0x22, 0x23, 0x24, 0x25, 0x26] {
        assert_eq!(kind(opcode), Some(Plain::Atomic));
        assert!(words(&head(opcode)).change().is_some());
    }
    assert_eq!(kind(0x40), Some(Plain::Send));
    assert_eq!(words(&head(0x40)).change(), None);
    for opcode in [0x01, 0x02, 0x41, 0x42, 0x51, 0x11, 0x30, 0xff] {
        assert_eq!(kind(opcode), None, "{opcode:#x}");
        assert_eq!(words(&head(opcode)).change(), None);
    }
    assert_eq!(words(&head(0x27)).change(), None);
    let with = |change: fn(&mut SqeHead)| {
        let mut head = head(0x00);
        change(&mut head);
        words(&head).plain(most)
    };
    assert_eq!(with(|head| head.total_len = 0), None);
    assert_eq!(with(|head| head.total_len = 4096), Some(Plain::Write));
    assert_eq!(with(|head| head.total_len = 4097), None);
    assert_eq!(with(|head| head.num_sge = 0), None);
    assert_eq!(with(|head| head.num_sge = 2), None);
    assert_eq!(with(|head| head.flags |= INLINE), None);
    assert_eq!(with(|head| head.flags |= 1), None);
    assert_eq!(with(|head| head.flags = 0), Some(Plain::Write));
    let none = |limits: SqLimits| words(&head(0x00)).plain(limits.plain_max()).is_none();
    assert!(none(SqLimits {
        max_sge: 0,
        ..LIMITS
    }));
    assert!(none(SqLimits {
        max_len: 7,
        ..LIMITS
    }));
    assert!(none(SqLimits {
        mode: TransMode::Um,
        ..LIMITS
    }));
    let odd = SqeHead {
        remote_addr: 0x10_0004,
        ..head(0x22)
    };
    assert_eq!(words(&odd).change(), None);
}

proptest! {
    #[test]
    fn round_trip(raw in prop::collection::vec(any::<u8>(), 64)) {
        let raw: [u8; 64] = raw.try_into().unwrap();
        let head = SqeHead::decode(&raw);
        prop_assert_eq!(head.encode(), raw);
        let words = to_words(&raw);
        prop_assert!(words.decode() == head);
        prop_assert_eq!(words.user_ctx(), head.user_ctx);
        prop_assert_eq!(words.total_len(), head.total_len);
        prop_assert_eq!(words.target_ref(), head.target_ref);
        prop_assert_eq!(words.remote().addr, head.remote_addr);
        prop_assert_eq!(words.remote().token_id, head.remote_token_id);
        prop_assert_eq!(words.remote().token, head.remote_token);
        prop_assert_eq!(words.is_signaled(), head.flags & SIGNALED != 0);
        prop_assert_eq!(words.is_solicited(), head.flags & (1 << 4) != 0);
    }

    /// Whatever the bytes are, an accepted request keeps the limits.
    #[test]
    fn any_entry(
        raw in prop::collection::vec(any::<u8>(), 64),
        tail in prop::collection::vec(any::<u8>(), 4096),
        shape in prop::option::of((0usize..15, 0u8..20, 0u16..0x120, 0u32..600)),
        mode in prop::sample::select(vec![TransMode::Rm, TransMode::Rc, TransMode::Um]),
    ) {
        let mut head = SqeHead::decode(&raw.try_into().unwrap());
        if let Some((opcode, num_sge, flags, total_len)) = shape {
            head = SqeHead { opcode: OPCODES[opcode], num_sge, flags, total_len, ..head };
        }
        let limits = SqLimits { mode, ..LIMITS };
        let checked = head.check(&limits);
        if let Some(plain) = words(&head).plain(limits.plain_max()) {
            let change = words(&head).change();
            let named = mode == TransMode::Rc || head.target_ref != 0;
            let far = head.remote_addr.checked_add(head.total_len.into()).is_some();
            let far = far || plain == Plain::Send;
            if named && far && (plain != Plain::Atomic || change.is_some()) {
                let request = checked.unwrap();
                prop_assert_eq!(request.tail, Tail::Sges(1));
                prop_assert_eq!(request.len, head.total_len);
                prop_assert!(request.len != 0 && mode != TransMode::Um);
                match (plain, request.op) {
                    (Plain::Write, Op::Write { .. })
                    | (Plain::Read, Op::Read { .. })
                    | (Plain::Send, Op::Send) => {}
                    (Plain::Atomic, Op::Atomic { op, size, .. }) => {
                        prop_assert_eq!(change, Some((op, size)));
                    }
                    _ => prop_assert!(false),
                }
            }
        }
        let Ok(request) = checked else { return Ok(()) };
        prop_assert!(request.tail.len() <= 256);
        prop_assert!(request.len <= limits.max_len);
        prop_assert!(mode == TransMode::Rc || request.op == Op::Nop || request.target != Target::Bound);
        if let Op::Atomic { remote, size, .. } = request.op {
            prop_assert_eq!(remote.addr % u64::from(size.bytes()), 0);
        }
        let _ = request.local(&tail[..request.tail.len()]);
    }
}
