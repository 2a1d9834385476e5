// SPDX-License-Identifier: GPL-2.0

//! Data: every operation in every mode and size, and every way in which it can fail.

use std::process::ExitCode;

use ub_client::abi::*;
use ub_client::{
    sge, Atomic, Jetty, JettyConfig, Jfc, JfcConfig, Jfs, JfsConfig, RecvWr, Segment,
    SegmentConfig, SendWr, Target,
};
use ub_tests::fixture::{
    expect_status, modes, pattern, Pair, PairConfig, Side, SEG_TOKEN,
};
use ub_tests::{check, check_eq, check_errno, tests, Failure, Outcome};

/// Sizes in bytes, with all that is odd about pages.
const SIZES: [usize; 16] = [
    1, 2, 3, 7, 8, 63, 64, 65, 255, 4095, 4096, 4097, 8192, 12_345, 65_536, 300_001,
];
const AREA: usize = 512 << 10;

fn large(mode: u32) -> Result<Pair, Failure> {
    Pair::create_with(PairConfig {
        mode,
        memory: 2 * AREA,
        ..Default::default()
    })
}

fn in_each_mode(work: impl Fn(&mut Pair) -> Outcome) -> Outcome {
    for mode in modes(&ub_client::Device::first()?)? {
        let mut pair = large(mode)?;
        work(&mut pair).map_err(|why| match why {
            Failure::Fail(why) => Failure::Fail(format!("mode {mode}: {why}")),
            skip => skip,
        })?;
    }
    Ok(())
}

/// The modes in which memory can be named remotely: all but UM.
fn in_each_memory_mode(work: impl Fn(&mut Pair) -> Outcome) -> Outcome {
    in_each_mode(|pair| {
        if pair.a.jfr.config().mode == UBURMA_TM_UM {
            return Ok(());
        }
        work(pair)
    })
}

/// Checks a range and that the bytes around it are still `around`.
fn check_landed(side: &Side, at: usize, data: &[u8], around: u8) -> Outcome {
    check_eq!(side.memory.bytes(at - 64, 64), vec![around; 64], "bytes before");
    check!(side.memory.bytes(at, data.len()) == data, "the data at {at}");
    let end = at + data.len();
    check_eq!(side.memory.bytes(end, 64), vec![around; 64], "bytes after");
    Ok(())
}

fn writes_of_all_sizes() -> Outcome {
    in_each_memory_mode(|pair| {
        let target = pair.to_b();
        for (i, size) in SIZES.into_iter().enumerate() {
            let data = pattern(i as u64, size);
            let (from, to) = (100 + 3 * i, AREA + 77 + 5 * i);
            pair.a.memory.write(from, &data);
            pair.b.memory.fill(AREA, size + 512, 0xc3);
            let list = [pair.a.memory.sge(from, size)];
            let wr = SendWr::write(target, pair.b.memory.remote(to), &list).user_ctx(i as u64);
            let cqe = pair.a.expect(&wr, UBURMA_CR_SUCCESS)?;
            check_eq!(cqe.byte_len as usize, size);
            check_eq!(u32::from(cqe.opcode), UBSOFT_CQE_NO_OPCODE);
            check_eq!(u32::from(cqe.flags), UBURMA_CR_FLAG_JETTY);
            check_eq!(cqe.local_id, pair.a.jetty.id());
            check_eq!(cqe.user_data, 0x1e7);
            check_landed(&pair.b, to, &data, 0xc3)?;
        }
        check!(pair.b.received.poll().is_none());
        Ok(())
    })
}

fn reads_of_all_sizes() -> Outcome {
    in_each_memory_mode(|pair| {
        let target = pair.to_b();
        for (i, size) in SIZES.into_iter().enumerate() {
            let data = pattern(50 + i as u64, size);
            let (from, to) = (200 + 3 * i, AREA + 99 + 5 * i);
            pair.b.memory.write(from, &data);
            pair.a.memory.fill(AREA, size + 512, 0x3c);
            let list = [pair.a.memory.sge(to, size)];
            let wr = SendWr::read(target, pair.b.memory.remote(from), &list);
            let cqe = pair.a.expect(&wr, UBURMA_CR_SUCCESS)?;
            check_eq!(cqe.byte_len as usize, size);
            check_landed(&pair.a, to, &data, 0x3c)?;
        }
        Ok(())
    })
}

fn sends_of_all_sizes() -> Outcome {
    in_each_mode(|pair| {
        let target = pair.to_b();
        for (i, size) in SIZES.into_iter().enumerate() {
            let data = pattern(100 + i as u64, size);
            let (from, to) = (300 + 3 * i, AREA + 55 + 5 * i);
            pair.a.memory.write(from, &data);
            pair.b.memory.fill(AREA, size + 1024, 0x99);
            // The buffer is larger than the message.
            pair.b.post_recv(to, size + 32, i as u64)?;
            let list = [pair.a.memory.sge(from, size)];
            let wr = match i % 2 {
                0 => SendWr::send(target, &list),
                _ => SendWr::send_imm(target, &list, 0xffff_0000_1234_5678 + i as u64),
            };
            pair.a.expect(&wr.user_ctx(7), UBURMA_CR_SUCCESS)?;
            let cqe = pair.b.wait_received()?;
            check_eq!((cqe.user_ctx, cqe.byte_len as usize), (i as u64, size));
            check_eq!(u32::from(cqe.opcode), [UBURMA_CR_OPC_SEND, UBURMA_CR_OPC_SEND_WITH_IMM][i % 2]);
            if i % 2 == 1 {
                check_eq!(cqe.imm, 0xffff_0000_1234_5678 + i as u64);
            }
            check_eq!(u32::from(cqe.flags), UBURMA_CR_FLAG_S_R | UBURMA_CR_FLAG_JETTY);
            check_eq!((cqe.local_id, cqe.remote_id), (pair.b.jetty.id(), pair.a.jetty.id()));
            check_eq!(cqe.remote_eid, pair.a.ctx.eid().0);
            check_eq!(cqe.reserved, 0);
            check_landed(&pair.b, to, &data, 0x99)?;
        }
        Ok(())
    })
}

fn write_with_immediate() -> Outcome {
    in_each_memory_mode(|pair| {
        let target = pair.to_b();
        for (i, size) in [0, 1, 4096, 9999].into_iter().enumerate() {
            let data = pattern(i as u64, size);
            pair.a.memory.write(0, &data);
            pair.b.memory.fill(AREA, size + 512, 0x44);
            pair.b.jfr.post(&RecvWr::new(&[]).user_ctx(70 + i as u64))?;
            let list = [pair.a.memory.sge(0, size)];
            let imm = u64::MAX - i as u64;
            let wr = SendWr::write_imm(target, pair.b.memory.remote(AREA + 70), &list, imm);
            pair.a.expect(&wr, UBURMA_CR_SUCCESS)?;
            let cqe = pair.b.wait_received()?;
            check_eq!((cqe.user_ctx, cqe.imm), (70 + i as u64, imm));
            check_eq!(cqe.byte_len as usize, size);
            check_eq!(u32::from(cqe.opcode), UBURMA_CR_OPC_WRITE_WITH_IMM);
            check_landed(&pair.b, AREA + 70, &data, 0x44)?;
        }
        Ok(())
    })
}

fn write_with_notification() -> Outcome {
    in_each_memory_mode(|pair| {
        let target = pair.to_b();
        let data = pattern(5, 5000);
        pair.a.memory.write(0, &data);
        pair.b.memory.fill(AREA, 16 << 10, 0x66);
        let list = [pair.a.memory.sge(0, 5000)];
        let notify = pair.b.memory.remote(AREA + 8192);
        let wr = SendWr::write_notify(
            target,
            pair.b.memory.remote(AREA + 64),
            &list,
            notify,
            0x0102_0304_0506_0708,
        );
        pair.a.expect(&wr, UBURMA_CR_SUCCESS)?;
        check_landed(&pair.b, AREA + 64, &data, 0x66)?;
        check_landed(&pair.b, AREA + 8192, &0x0102_0304_0506_0708u64.to_le_bytes(), 0x66)?;
        check!(pair.b.received.poll().is_none());
        Ok(())
    })
}

fn atomics_of_8_bytes() -> Outcome {
    in_each_memory_mode(|pair| {
        let target = pair.to_b();
        let old = 0xf0f0_1234_89ab_cdef;
        let cases = [
            Atomic::Cas(old, 0x1111_2222_3333_4444),
            Atomic::Cas(old ^ 1, 0x1111_2222_3333_4444),
            Atomic::Swap(0x5555_6666_7777_8888),
            Atomic::Add(u64::MAX),
            Atomic::Add(0x1_0000_0001),
            Atomic::Sub(0xffff_ffff_ffff),
            Atomic::And(0x00ff_00ff_00ff_00ff),
            Atomic::Or(0x0f0f_0f0f_0f0f_0f0f),
            Atomic::Xor(0xffff_0000_ffff_0000),
        ];
        for (i, op) in cases.into_iter().enumerate() {
            pair.b.memory.fill(AREA, 512, 0x21);
            pair.b.memory.write(AREA + 128, &u64::to_le_bytes(old));
            pair.a.memory.fill(AREA, 512, 0x12);
            let list = [pair.a.memory.sge(AREA + 136, 8)];
            let wr = SendWr::atomic(target, pair.b.memory.remote(AREA + 128), &list, op);
            let cqe = pair.a.expect(&wr.user_ctx(i as u64), UBURMA_CR_SUCCESS)?;
            check_eq!(cqe.byte_len, 8);
            check_landed(&pair.b, AREA + 128, &op.apply(old).to_le_bytes(), 0x21)
                .map_err(|why| Failure::Fail(format!("{op:x?}: new value: {why:?}")))?;
            check_landed(&pair.a, AREA + 136, &u64::to_le_bytes(old), 0x12)
                .map_err(|why| Failure::Fail(format!("{op:x?}: old value: {why:?}")))?;
        }
        Ok(())
    })
}

fn atomics_of_4_bytes() -> Outcome {
    in_each_memory_mode(|pair| {
        let target = pair.to_b();
        let old = 0x89ab_cdefu32;
        let cases = [
            (Atomic::Cas(u64::from(old), 0x1111_2222), 0x1111_2222),
            (Atomic::Cas(1, 0x1111_2222), old),
            (Atomic::Swap(0x5555_6666), 0x5555_6666),
            (Atomic::Add(0x8000_0001), old.wrapping_add(0x8000_0001)),
            (Atomic::Sub(0xf000_0000), old.wrapping_sub(0xf000_0000)),
            (Atomic::And(0xff00), old & 0xff00),
            (Atomic::Or(0x7000_0000), old | 0x7000_0000),
            (Atomic::Xor(0xffff_0000), old ^ 0xffff_0000),
        ];
        for (op, new) in cases {
            pair.b.memory.fill(AREA, 512, 0x21);
            pair.b.memory.write(AREA + 132, &old.to_le_bytes());
            pair.a.memory.fill(AREA, 512, 0x12);
            let list = [pair.a.memory.sge(AREA + 140, 4)];
            let wr = SendWr::atomic(target, pair.b.memory.remote(AREA + 132), &list, op);
            pair.a.expect(&wr, UBURMA_CR_SUCCESS)?;
            check_landed(&pair.b, AREA + 132, &new.to_le_bytes(), 0x21)
                .map_err(|why| Failure::Fail(format!("{op:x?}: new value: {why:?}")))?;
            check_landed(&pair.a, AREA + 140, &old.to_le_bytes(), 0x12)
                .map_err(|why| Failure::Fail(format!("{op:x?}: old value: {why:?}")))?;
        }
        Ok(())
    })
}

/// Two processes' worth of contexts add to one word at the same time: none is lost.
fn atomics_are_atomic() -> Outcome {
    let home = Side::create(Default::default())?;
    home.memory.write(0, &[0; 8]);
    let mut workers = Vec::new();
    let config = home.target_config();
    let remote = home.memory.remote(0);
    for _ in 0..3 {
        workers.push(std::thread::spawn(move || -> Outcome {
            let mut side = Side::create(Default::default())?;
            let target = Target::jetty(&side.ctx, config)?;
            for _ in 0..400 {
                let list = [side.memory.sge(0, 8)];
                let wr = SendWr::atomic(target.target_ref(), remote, &list, Atomic::Add(1));
                side.expect(&wr, UBURMA_CR_SUCCESS)?;
            }
            drop(target);
            Ok(())
        }));
    }
    // The owner adds too, with its processor.
    for _ in 0..400 {
        home.memory.memory().add64(0, 1);
    }
    for worker in workers {
        worker
            .join()
            .map_err(|_| Failure::Fail("a thread died".to_string()))??;
    }
    check_eq!(home.memory.bytes(0, 8), 1600u64.to_le_bytes().to_vec());
    Ok(())
}

fn nop_completes() -> Outcome {
    in_each_mode(|pair| {
        let target = pair.to_b();
        let cqe = pair.a.expect(&SendWr::nop(target).user_ctx(9), UBURMA_CR_SUCCESS)?;
        check_eq!(cqe.byte_len, 0);
        Ok(())
    })
}

fn inline_data() -> Outcome {
    in_each_mode(|pair| {
        let target = pair.to_b();
        let max = pair.a.jetty.queue().ring().ring().resp().max_inline as usize;
        check!(max >= 64);
        let memory = pair.a.jfr.config().mode != UBURMA_TM_UM;
        for (i, size) in [1, 8, 63, 64, max].into_iter().enumerate() {
            let data = pattern(i as u64, size);
            pair.b.memory.fill(AREA, 1024, 0x88);
            pair.b.post_recv(AREA + 64, 512, 1)?;
            let wr = SendWr::send(target, &[]).inline(&data);
            pair.a.expect(&wr, UBURMA_CR_SUCCESS)?;
            check_eq!(pair.b.wait_received()?.byte_len as usize, size);
            check_landed(&pair.b, AREA + 64, &data, 0x88)?;
            if memory {
                pair.b.memory.fill(AREA, 1024, 0x88);
                let wr = SendWr::write(target, pair.b.memory.remote(AREA + 70), &[]).inline(&data);
                pair.a.expect(&wr, UBURMA_CR_SUCCESS)?;
                check_landed(&pair.b, AREA + 70, &data, 0x88)?;
            }
        }
        Ok(())
    })
}

/// Lists of ranges on both sides, some of them empty.
fn lists_of_ranges() -> Outcome {
    let mut pair = Pair::create_with(PairConfig {
        memory: 2 * AREA,
        max_sge: 8,
        ..Default::default()
    })?;
    let target = pair.to_b();
    let lens = [1usize, 0, 4096, 777, 0, 1, 9000, 3];
    let total: usize = lens.iter().sum();
    let data = pattern(77, total);
    let mut from = Vec::new();
    let mut at = 13;
    let mut done = 0;
    for len in lens {
        pair.a.memory.write(at, &data[done..done + len]);
        from.push(pair.a.memory.sge(at, len));
        at += len + 1001;
        done += len;
    }
    let mut to = Vec::new();
    let mut at = AREA + 128;
    let back: Vec<usize> = lens.iter().rev().copied().collect();
    pair.b.memory.fill(AREA, 64 << 10, 0x31);
    for len in &back {
        to.push(pair.b.memory.sge(at, *len));
        at += len + 555;
    }
    pair.b.jfr.post(&RecvWr::new(&to))?;
    pair.a.expect(&SendWr::send(target, &from), UBURMA_CR_SUCCESS)?;
    check_eq!(pair.b.wait_received()?.byte_len as usize, total);
    let mut at = AREA + 128;
    let mut done = 0;
    for len in &back {
        check_landed(&pair.b, at, &data[done..done + len], 0x31)?;
        at += len + 555;
        done += len;
    }
    // Written as a whole and read back into pieces.
    pair.a
        .expect(&SendWr::write(target, pair.b.memory.remote(0), &from), UBURMA_CR_SUCCESS)?;
    check!(pair.b.memory.bytes(0, total) == data);
    let pieces = [
        pair.a.memory.sge(AREA + 100, 5000),
        pair.a.memory.sge(AREA + 9000, total - 5000),
    ];
    pair.a
        .expect(&SendWr::read(target, pair.b.memory.remote(0), &pieces), UBURMA_CR_SUCCESS)?;
    check!(pair.a.memory.bytes(AREA + 100, 5000) == data[..5000]);
    check!(pair.a.memory.bytes(AREA + 9000, total - 5000) == data[5000..]);
    Ok(())
}

/// Ranges of two segments in one request.
fn ranges_of_several_segments() -> Outcome {
    let mut pair = Pair::create()?;
    let second = Segment::alloc(&pair.a.ctx, 4096, 5)?;
    second.write(0, b"second");
    pair.a.memory.write(0, b"first-");
    let list = [pair.a.memory.sge(0, 6), second.sge(0, 6)];
    let wr = SendWr::write(pair.to_b(), pair.b.memory.remote(0), &list);
    pair.a.expect(&wr, UBURMA_CR_SUCCESS)?;
    check_eq!(pair.b.memory.bytes(0, 12), b"first-second");
    Ok(())
}

fn empty_messages() -> Outcome {
    in_each_mode(|pair| {
        let target = pair.to_b();
        pair.b.memory.fill(AREA, 256, 0x11);
        pair.b.post_recv(AREA + 64, 64, 5)?;
        pair.a.expect(&SendWr::send(target, &[]), UBURMA_CR_SUCCESS)?;
        let cqe = pair.b.wait_received()?;
        check_eq!((cqe.user_ctx, cqe.byte_len), (5, 0));
        check_eq!(pair.b.memory.bytes(AREA, 256), vec![0x11; 256]);
        Ok(())
    })
}

fn a_batch_in_one_kick() -> Outcome {
    in_each_memory_mode(|pair| {
        let target = pair.to_b();
        let count = 60usize;
        let data = pattern(1, count * 100);
        pair.a.memory.write(0, &data);
        pair.b.memory.fill(0, count * 100, 0);
        let lists: Vec<[ubsoft_sge; 1]> =
            (0..count).map(|i| [pair.a.memory.sge(i * 100, 100)]).collect();
        let wrs: Vec<SendWr<'_>> = lists
            .iter()
            .enumerate()
            .map(|(i, list)| {
                SendWr::write(target, pair.b.memory.remote(i * 100), list).user_ctx(i as u64)
            })
            .collect();
        check_eq!(pair.a.jetty.queue().post_list(&wrs)?, count);
        check!(pair.a.sent.poll().is_none(), "carried out without a kick");
        pair.a.jetty.queue().kick()?;
        for i in 0..count {
            let cqe = pair.a.wait_sent()?;
            expect_status(&cqe, UBURMA_CR_SUCCESS)?;
            check_eq!(cqe.user_ctx, i as u64);
        }
        check!(pair.b.memory.bytes(0, count * 100) == data);
        Ok(())
    })
}

/// More than a kick carries out at once: a kernel thread does the rest.
fn more_than_a_burst() -> Outcome {
    let mut pair = Pair::create_with(PairConfig {
        depth: 1024,
        jfc_depth: 2048,
        memory: 2 * AREA,
        ..Default::default()
    })?;
    let target = pair.to_b();
    let data = pattern(3, 4096);
    pair.a.memory.write(0, &data);
    let list = [pair.a.memory.sge(0, 4096)];
    let wrs: Vec<SendWr<'_>> = (0..1000u64)
        .map(|i| {
            let at = AREA + (i as usize % 100) * 4096;
            SendWr::write(target, pair.b.memory.remote(at), &list).user_ctx(i)
        })
        .collect();
    check!(pair.a.ctx.resp().sq_burst < 1000);
    check_eq!(pair.a.jetty.queue().post_list(&wrs)?, 1000);
    pair.a.jetty.queue().kick()?;
    for i in 0..1000 {
        let cqe = pair.a.wait_sent()?;
        expect_status(&cqe, UBURMA_CR_SUCCESS)?;
        check_eq!(cqe.user_ctx, i);
    }
    for i in 0..100 {
        check!(pair.b.memory.bytes(AREA + i * 4096, 4096) == data, "piece {i}");
    }
    Ok(())
}

fn unsignaled_requests_free_their_slots() -> Outcome {
    let mut pair = Pair::create_with(PairConfig {
        depth: 4,
        ..Default::default()
    })?;
    let target = pair.to_b();
    let list = [pair.a.memory.sge(0, 64)];
    for i in 0..100 {
        let wr = SendWr::write(target, pair.b.memory.remote(0), &list);
        let start = std::time::Instant::now();
        while pair.a.jetty.queue().ring().space() == 0 {
            check!(start.elapsed().as_secs() < 10, "no slot after {i} requests");
            ub_client::sys::yield_now();
        }
        pair.a.jetty.queue().send(&wr.unsignaled())?;
    }
    check!(pair.a.sent.poll().is_none());
    // Failure is reported all the same.
    let mut remote = pair.b.memory.remote(0);
    remote.token ^= 4;
    let wr = SendWr::write(target, remote, &list).unsignaled().user_ctx(3);
    pair.a.expect(&wr, UBURMA_CR_REM_ACCESS_ABORT_ERR)?;
    Ok(())
}

fn rings_wrap() -> Outcome {
    let mut pair = Pair::create_with(PairConfig {
        depth: 8,
        jfc_depth: 8,
        ..Default::default()
    })?;
    let target = pair.to_b();
    for i in 0..500u64 {
        pair.a.memory.write(0, &i.to_le_bytes());
        pair.b.post_recv(64, 8, i)?;
        let list = [pair.a.memory.sge(0, 8)];
        pair.a
            .expect(&SendWr::send(target, &list).user_ctx(!i), UBURMA_CR_SUCCESS)?;
        check_eq!(pair.b.wait_received()?.user_ctx, i);
        check_eq!(pair.b.memory.bytes(64, 8), i.to_le_bytes());
    }
    Ok(())
}

fn sends_by_a_jfs() -> Outcome {
    let mut peer = Side::create(Default::default())?;
    let side = Side::create(Default::default())?;
    let mut jfc = Jfc::create(&side.ctx, 16)?;
    let mut jfs = Jfs::create(
        &side.ctx,
        JfsConfig {
            cookie: 0xabc,
            ..JfsConfig::on(&jfc)
        },
    )?;
    let target = side.import(&peer)?;
    peer.post_recv(0, 64, 2)?;
    side.memory.write(0, b"from a JFS");
    let list = [side.memory.sge(0, 10)];
    jfs.queue()
        .send(&SendWr::send(target.target_ref(), &list).user_ctx(1))?;
    let cqe = jfc.wait_polling(ub_tests::fixture::SOON)?;
    expect_status(&cqe, UBURMA_CR_SUCCESS)?;
    check_eq!((cqe.local_id, cqe.user_data), (jfs.id(), 0xabc));
    check_eq!(u32::from(cqe.flags), 0);
    let cqe = peer.wait_received()?;
    check_eq!(cqe.remote_id, jfs.id());
    check_eq!(peer.memory.bytes(0, 10), b"from a JFS");
    Ok(())
}

fn sends_to_itself() -> Outcome {
    let mut side = Side::create(Default::default())?;
    let own = Target::jetty(&side.ctx, side.target_config())?;
    for i in 0..20u8 {
        side.memory.fill(0, 100, i);
        side.post_recv(4096, 100, 1)?;
        let list = [side.memory.sge(0, 100)];
        side.expect(&SendWr::send(own.target_ref(), &list), UBURMA_CR_SUCCESS)?;
        check_eq!(side.wait_received()?.byte_len, 100);
        check_eq!(side.memory.bytes(4096, 100), vec![i; 100]);
    }
    // Overlapping source and target: whatever arrives, nothing else changes.
    side.memory.fill(0, 8192, 0x42);
    let list = [side.memory.sge(100, 4096)];
    let wr = SendWr::write(own.target_ref(), side.memory.remote(200), &list);
    side.expect(&wr, UBURMA_CR_SUCCESS)?;
    check_eq!(side.memory.bytes(0, 8192), vec![0x42; 8192]);
    Ok(())
}

fn both_directions_at_once() -> Outcome {
    let mut pair = Pair::create()?;
    let (ab, ba) = (pair.ab.target_ref(), pair.ba.target_ref());
    std::thread::scope(|scope| -> Outcome {
        let (a, b) = (&mut pair.a, &mut pair.b);
        let (to_a, to_b) = (a.memory.remote(0), b.memory.remote(0));
        let run = |side: &mut Side, target: u32, remote| -> Outcome {
            for i in 0..500 {
                let list = [side.memory.sge(32 << 10, 4096)];
                let wr = SendWr::write(target, remote, &list).user_ctx(i);
                side.expect(&wr, UBURMA_CR_SUCCESS)?;
            }
            Ok(())
        };
        let first = scope.spawn(move || run(a, ab, to_b));
        let second = scope.spawn(move || run(b, ba, to_a));
        for thread in [first, second] {
            thread
                .join()
                .map_err(|_| Failure::Fail("a thread died".to_string()))??;
        }
        Ok(())
    })
}

fn invalidates() -> Outcome {
    let mut pair = Pair::create()?;
    let target = pair.to_b();
    let victim = Segment::alloc(&pair.b.ctx, 4096, 0x77)?;
    let list = [pair.a.memory.sge(0, 16)];
    let into = SendWr::write(target, victim.remote(0), &list);
    pair.a.expect(&into, UBURMA_CR_SUCCESS)?;
    pair.b.post_recv(0, 64, 4)?;
    let wr = SendWr::send_invalidate(target, &list, victim.token_id(), 0x77);
    pair.a.expect(&wr, UBURMA_CR_SUCCESS)?;
    let cqe = pair.b.wait_received()?;
    check_eq!(u32::from(cqe.opcode), UBURMA_CR_OPC_SEND_WITH_INV);
    check_eq!(cqe.imm as u32, victim.token_id());
    pair.a.expect(&into, UBURMA_CR_REM_ACCESS_ABORT_ERR)?;
    Ok(())
}

/// Runs a request that must fail, on a fresh pair: the queue is in error afterwards.
fn fails(status: u32, make: impl Fn(&Pair, &mut Vec<ubsoft_sge>) -> SendWr<'static>) -> Outcome {
    fails_with(PairConfig::default(), status, make)
}

fn fails_with(
    config: PairConfig,
    status: u32,
    make: impl Fn(&Pair, &mut Vec<ubsoft_sge>) -> SendWr<'static>,
) -> Outcome {
    let mut pair = Pair::create_with(config)?;
    pair.b.memory.fill(0, 4096, 0x5e);
    let mut list = Vec::new();
    let wr = make(&pair, &mut list);
    // As if the caller had given the list, with whatever the head says of it.
    pair.a
        .jetty
        .queue()
        .ring_mut()
        .push_unchecked(&wr.head, &list, wr.inline);
    pair.a.jetty.queue().ring().publish();
    pair.a.jetty.queue().kick()?;
    let cqe = pair.a.wait_sent()?;
    expect_status(&cqe, status)?;
    check_eq!(cqe.user_ctx, wr.head.user_ctx);
    check_eq!(pair.b.memory.bytes(0, 4096), vec![0x5e; 4096], "the peer's memory");
    Ok(())
}

/// A request whose list is pushed separately.
fn with_list(mut wr: SendWr<'_>, list: &[ubsoft_sge]) -> SendWr<'static> {
    wr.head.num_sge = list.len() as u8;
    wr.head.total_len = list.iter().map(|sge| sge.len).sum();
    wr.head.user_ctx = 0x77;
    SendWr {
        head: wr.head,
        sges: &[],
        inline: &[],
    }
}

fn remote_access_is_checked() -> Outcome {
    let status = UBURMA_CR_REM_ACCESS_ABORT_ERR;
    let len = PairConfig::default().memory;
    // (offset, length, what is wrong with token, token id)
    let cases = [
        (0, 64, 1, 0),
        (0, 64, 0, 1),
        (0, 64, 0, 0x7fff_0000),
        (len as u64 - 63, 64, 0, 0),
        (len as u64, 1, 0, 0),
        (u64::MAX, 64, 0, 0),
        (u64::MAX - 4096, 64, 0, 0),
        (1 << 40, 64, 0, 0),
    ];
    for (offset, len, token, token_id) in cases {
        for read in [false, true] {
            fails(status, |pair, list| {
                let mut remote = pair.b.memory.remote(0).plus(offset);
                remote.token ^= token;
                remote.token_id ^= token_id;
                list.push(pair.a.memory.sge(0, len));
                let wr = match read {
                    true => SendWr::read(pair.to_b(), remote, &[]),
                    false => SendWr::write(pair.to_b(), remote, &[]),
                };
                with_list(wr, list)
            })
            .map_err(|why| {
                Failure::Fail(format!(
                    "offset {offset:#x}, token {token:#x}, id {token_id:#x}, read {read}: {why:?}"
                ))
            })?;
        }
    }
    Ok(())
}

fn access_bits_are_checked() -> Outcome {
    const READ: u32 = UBURMA_ACCESS_READ;
    const WRITE: u32 = UBURMA_ACCESS_WRITE;
    const ATOMIC: u32 = UBURMA_ACCESS_ATOMIC;
    let all = [0, UBURMA_ACCESS_LOCAL_ONLY, READ, WRITE, READ | WRITE, ATOMIC, READ | WRITE | ATOMIC];
    for access in all {
        for (needed, kind) in [(READ, 0), (WRITE, 1), (ATOMIC, 2)] {
            let mut pair = Pair::create()?;
            let config = SegmentConfig {
                token: SEG_TOKEN,
                access,
                ..Default::default()
            };
            let segment = match Segment::alloc_with(&pair.b.ctx, 4096, config) {
                Ok(segment) => segment,
                // Combinations of rights that the core does not take.
                Err(err) if err.errno() == libc::EINVAL => continue,
                Err(err) => return Err(err.into()),
            };
            let target = pair.to_b();
            let list = [pair.a.memory.sge(0, 8)];
            let wr = match kind {
                0 => SendWr::read(target, segment.remote(0), &list),
                1 => SendWr::write(target, segment.remote(0), &list),
                _ => SendWr::atomic(target, segment.remote(0), &list, Atomic::Add(1)),
            };
            let allowed = access & needed == needed && access & UBURMA_ACCESS_LOCAL_ONLY == 0;
            let status = match allowed {
                true => UBURMA_CR_SUCCESS,
                false => UBURMA_CR_REM_ACCESS_ABORT_ERR,
            };
            pair.a.expect(&wr, status).map_err(|why| {
                Failure::Fail(format!("access {access:#x}, needed {needed:#x}: {why:?}"))
            })?;
        }
    }
    Ok(())
}

fn no_token_is_needed_without_policy() -> Outcome {
    let mut pair = Pair::create()?;
    let config = SegmentConfig {
        policy: UBURMA_TOKEN_NONE,
        ..Default::default()
    };
    let segment = Segment::alloc_with(&pair.b.ctx, 4096, config)?;
    let mut remote = segment.remote(0);
    remote.token = 0xffff_ffff;
    let list = [pair.a.memory.sge(0, 8)];
    let wr = SendWr::write(pair.to_b(), remote, &list);
    pair.a.expect(&wr, UBURMA_CR_SUCCESS)?;
    Ok(())
}

fn local_ranges_are_checked() -> Outcome {
    let len = PairConfig::default().memory;
    let cases = [
        (0u64, 64, 1u32),
        (0, 64, 0x7fff_0000),
        (len as u64 - 63, 64, 0),
        (len as u64 + (1 << 30), 64, 0),
        (u64::MAX / 2, 64, 0),
        (0u64.wrapping_sub(64), 64, 0),
    ];
    for (offset, len, token_id) in cases {
        for op in 0..3 {
            fails(UBURMA_CR_LOC_ACCESS_ERR, |pair, list| {
                let own = pair.a.memory.sge(0, 0);
                list.push(sge(own.addr.wrapping_add(offset), len, own.token_id ^ token_id));
                let remote = pair.b.memory.remote(0);
                let wr = match op {
                    0 => SendWr::write(pair.to_b(), remote, &[]),
                    1 => SendWr::read(pair.to_b(), remote, &[]),
                    _ => SendWr::write_imm(pair.to_b(), remote, &[], 1),
                };
                with_list(wr, list)
            })
            .map_err(|why| Failure::Fail(format!("{offset:#x}, {token_id:#x}, op {op}: {why:?}")))?;
        }
    }
    Ok(())
}

/// A token id of another context is not ours, even if it can be guessed.
fn local_ranges_are_of_their_context() -> Outcome {
    fails(UBURMA_CR_LOC_ACCESS_ERR, |pair, list| {
        list.push(pair.b.memory.sge(0, 64));
        with_list(SendWr::write(pair.to_b(), pair.b.memory.remote(0), &[]), list)
    })
}

fn requests_that_contradict_themselves() -> Outcome {
    let set = |change: fn(&mut ubsoft_sqe), status: u32| {
        fails(status, |pair, list| {
            list.push(pair.a.memory.sge(0, 64));
            let wr = SendWr::write(pair.to_b(), pair.b.memory.remote(0), &[]);
            let mut wr = with_list(wr, list);
            change(&mut wr.head);
            wr
        })
    };
    set(|head| head.opcode = 0x03, UBURMA_CR_UNSUPPORTED_OPCODE_ERR)?;
    set(|head| head.opcode = 0x60, UBURMA_CR_UNSUPPORTED_OPCODE_ERR)?;
    set(|head| head.opcode = 0xff, UBURMA_CR_UNSUPPORTED_OPCODE_ERR)?;
    set(|head| head.total_len = 65, UBURMA_CR_LOC_LEN_ERR)?;
    set(|head| head.total_len = 0, UBURMA_CR_LOC_LEN_ERR)?;
    set(|head| head.total_len = u32::MAX, UBURMA_CR_LOC_LEN_ERR)?;
    set(|head| head.num_sge = 255, UBURMA_CR_LOC_OPERATION_ERR)?;
    set(|head| head.flags |= 1 << 10, UBURMA_CR_LOC_OPERATION_ERR)?;
    set(|head| head.flags |= 1 << 15, UBURMA_CR_LOC_OPERATION_ERR)?;
    set(
        |head| head.flags |= UBURMA_JFS_WR_FLAG_INLINE_FLAG as u16,
        UBURMA_CR_LOC_OPERATION_ERR,
    )?;
    set(|head| head.target_ref = 0, UBURMA_CR_LOC_OPERATION_ERR)?;
    Ok(())
}

fn inline_data_is_checked() -> Outcome {
    // Longer than the queue allows.
    fails(UBURMA_CR_LOC_LEN_ERR, |pair, _| {
        let wr = SendWr::write(pair.to_b(), pair.b.memory.remote(0), &[]).inline(&[7; 32]);
        let mut wr = SendWr {
            head: wr.head,
            sges: &[],
            inline: &[7; 32],
        };
        wr.head.total_len = 1 << 20;
        wr
    })?;
    // Where nothing is sent from here.
    fails(UBURMA_CR_LOC_OPERATION_ERR, |pair, _| {
        let wr = SendWr::read(pair.to_b(), pair.b.memory.remote(0), &[]).inline(&[7; 8]);
        SendWr {
            head: wr.head,
            sges: &[],
            inline: &[7; 8],
        }
    })
}

fn atomics_are_checked() -> Outcome {
    let with = |offset: u64, len: usize, status: u32| {
        fails(status, |pair, list| {
            let remote = pair.b.memory.remote(0).plus(offset);
            list.push(pair.a.memory.sge(0, len));
            with_list(
                SendWr::atomic(pair.to_b(), remote, &[], Atomic::Add(1)),
                list,
            )
        })
    };
    with(4, 8, UBURMA_CR_LOC_OPERATION_ERR)?;
    with(1, 8, UBURMA_CR_LOC_OPERATION_ERR)?;
    with(2, 4, UBURMA_CR_LOC_OPERATION_ERR)?;
    for len in [0, 1, 2, 3, 5, 16, 4096] {
        with(0, len, UBURMA_CR_LOC_LEN_ERR)?;
    }
    Ok(())
}

fn targets_are_checked() -> Outcome {
    for target in [1u32, 0xffff_ffff, 0x00ff_ffff, 0x8000_0000] {
        let mut pair = Pair::create()?;
        if target == pair.ab.target_ref() {
            continue;
        }
        let list = [pair.a.memory.sge(0, 8)];
        let cqe = pair
            .a
            .execute(&SendWr::write(target, pair.b.memory.remote(0), &list))?;
        check!(u32::from(cqe.status) != UBURMA_CR_SUCCESS, "target {target:#x}");
    }
    Ok(())
}

fn message_longer_than_its_buffer() -> Outcome {
    in_each_mode(|pair| {
        let mode = pair.a.jfr.config().mode;
        pair.b.memory.fill(AREA, 512, 0x71);
        pair.b.post_recv(AREA + 64, 63, 8)?;
        let list = [pair.a.memory.sge(0, 64)];
        let wr = SendWr::send(pair.to_b(), &list);
        let cqe = pair.a.execute(&wr)?;
        if mode != UBURMA_TM_UM {
            expect_status(&cqe, UBURMA_CR_REM_RESP_LEN_ERR)?;
        }
        let cqe = pair.b.wait_received()?;
        check!(u32::from(cqe.status) != UBURMA_CR_SUCCESS);
        check_eq!(cqe.user_ctx, 8);
        check_eq!(pair.b.memory.bytes(AREA + 64 + 63, 64), vec![0x71; 64]);
        Ok(())
    })
}

fn receiver_without_a_buffer() -> Outcome {
    for retries in [0, 2] {
        let mut pair = Pair::create_with(PairConfig {
            rnr_retry: retries,
            ..Default::default()
        })?;
        let list = [pair.a.memory.sge(0, 64)];
        let wr = SendWr::send(pair.to_b(), &list).user_ctx(5);
        pair.a.expect(&wr, UBURMA_CR_RNR_RETRY_CNT_EXC_ERR)?;
    }
    Ok(())
}

/// Posted while the sender waits: the receiver tells by a kick.
fn buffer_that_comes_late() -> Outcome {
    let mut pair = Pair::create_with(PairConfig {
        rnr_retry: 7,
        min_rnr_timer: 12,
        ..Default::default()
    })?;
    let target = pair.to_b();
    for i in 0..20u64 {
        pair.a.memory.write(0, &i.to_le_bytes());
        let list = [pair.a.memory.sge(0, 8)];
        pair.a
            .jetty
            .queue()
            .send(&SendWr::send(target, &list).user_ctx(i))?;
        check!(pair.a.sent.poll().is_none());
        check!(
            pair.b.jfr.ring().ring().kern_flags() & UBSOFT_RING_NEED_KICK != 0,
            "no kick is asked for"
        );
        std::thread::sleep(std::time::Duration::from_millis(2 * (i % 4)));
        pair.b.post_recv(128, 8, i)?;
        let cqe = pair.a.wait_sent()?;
        expect_status(&cqe, UBURMA_CR_SUCCESS)?;
        check_eq!(pair.b.wait_received()?.user_ctx, i);
        check_eq!(pair.b.memory.bytes(128, 8), i.to_le_bytes());
    }
    Ok(())
}

/// A waiting sender does not keep others of the same device from working.
fn waiting_sender_is_alone() -> Outcome {
    let mut slow = Pair::create_with(PairConfig {
        rnr_retry: 7,
        min_rnr_timer: 20,
        ..Default::default()
    })?;
    let list = [slow.a.memory.sge(0, 8)];
    let wr = SendWr::send(slow.to_b(), &list);
    slow.a.jetty.queue().send(&wr)?;
    let mut other = Pair::create()?;
    let target = other.to_b();
    for _ in 0..50 {
        let list = [other.a.memory.sge(0, 100)];
        let wr = SendWr::write(target, other.b.memory.remote(0), &list);
        other.a.expect(&wr, UBURMA_CR_SUCCESS)?;
    }
    check!(slow.a.sent.poll().is_none());
    // Another jetty of the waiting context sends to the same receiver's memory.
    let config = JettyConfig::on(&slow.a.received, &slow.a.received, &slow.a.jfr);
    let mut second = Jetty::create(&slow.a.ctx, config)?;
    let wr = SendWr::write(slow.ab.target_ref(), slow.b.memory.remote(0), &list);
    second.queue().send(&wr)?;
    expect_status(&slow.a.wait_received()?, UBURMA_CR_SUCCESS)?;
    slow.b.post_recv(0, 64, 1)?;
    expect_status(&slow.a.wait_sent()?, UBURMA_CR_SUCCESS)?;
    Ok(())
}

/// What was posted behind a failed request is flushed, each with a completion, and then
/// one that tells the end.
fn flush_after_an_error() -> Outcome {
    in_each_memory_mode(|pair| {
        let target = pair.to_b();
        let list = [pair.a.memory.sge(0, 64)];
        let mut bad = pair.b.memory.remote(0);
        bad.token ^= 1;
        pair.b.memory.fill(0, 256, 0x2b);
        let good = pair.b.memory.remote(0);
        let wrs = [
            SendWr::write(target, bad, &list).user_ctx(1),
            SendWr::write(target, good, &list).user_ctx(2),
            SendWr::write(target, good, &list).user_ctx(3).unsignaled(),
            SendWr::read(target, good, &list).user_ctx(4),
        ];
        check_eq!(pair.a.jetty.queue().post_list(&wrs)?, 4);
        pair.a.jetty.queue().kick()?;
        let first = pair.a.wait_sent()?;
        expect_status(&first, UBURMA_CR_REM_ACCESS_ABORT_ERR)?;
        for cookie in 2..=4 {
            let cqe = pair.a.wait_sent()?;
            expect_status(&cqe, UBURMA_CR_WR_FLUSH_ERR)?;
            check_eq!(cqe.user_ctx, cookie);
        }
        let last = pair.a.wait_sent()?;
        expect_status(&last, UBURMA_CR_WR_FLUSH_ERR_DONE)?;
        check!(pair.a.sent.poll().is_none());
        check_eq!(pair.b.memory.bytes(0, 256), vec![0x2b; 256]);
        let state = pair.a.jetty.query()?;
        check_eq!(state.get_u32(UBURMA_QUERY_JETTY_OUT_STATE), UBURMA_JETTY_STATE_ERROR);
        // Later ones are flushed too.
        let wr = SendWr::write(target, good, &list).user_ctx(9);
        let cqe = pair.a.execute(&wr)?;
        expect_status(&cqe, UBURMA_CR_WR_FLUSH_ERR)?;
        Ok(())
    })
}

fn error_on_request_flushes() -> Outcome {
    let mut pair = Pair::create_with(PairConfig {
        rnr_retry: 7,
        min_rnr_timer: 25,
        ..Default::default()
    })?;
    let list = [pair.a.memory.sge(0, 64)];
    let target = pair.to_b();
    for i in 0..3 {
        pair.a
            .jetty
            .queue()
            .send(&SendWr::send(target, &list).user_ctx(i))?;
    }
    check!(pair.a.sent.poll().is_none());
    pair.a.jetty.set_state(UBURMA_JETTY_STATE_ERROR)?;
    for i in 0..3 {
        let cqe = pair.a.wait_sent()?;
        expect_status(&cqe, UBURMA_CR_WR_FLUSH_ERR)?;
        check_eq!(cqe.user_ctx, i);
    }
    expect_status(&pair.a.wait_sent()?, UBURMA_CR_WR_FLUSH_ERR_DONE)?;
    Ok(())
}

fn works_again_after_reset() -> Outcome {
    let mut pair = Pair::create()?;
    let target = pair.to_b();
    let list = [pair.a.memory.sge(0, 64)];
    pair.a.jetty.set_state(UBURMA_JETTY_STATE_ERROR)?;
    pair.a.jetty.set_state(UBURMA_JETTY_STATE_RESET)?;
    pair.a.jetty.set_state(UBURMA_JETTY_STATE_READY)?;
    pair.a.sent.poll_many(16);
    // The indices start anew.
    check_eq!(pair.a.jetty.queue().ring().ring().kern_flags() & UBSOFT_RING_ERROR, 0);
    let wr = SendWr::write(target, pair.b.memory.remote(0), &list);
    pair.a.expect(&wr, UBURMA_CR_SUCCESS)?;
    Ok(())
}

/// The CQ is too small: what does not fit is lost, and told of.
fn completion_queue_overflow() -> Outcome {
    let pair = Pair::create()?;
    let mut jfc = Jfc::create_with(
        &pair.a.ctx,
        JfcConfig {
            depth: 4,
            cookie: 3,
            ..Default::default()
        },
    )?;
    let entries = jfc.ring().ring().resp().entries;
    let mut jfs = Jfs::create(&pair.a.ctx, JfsConfig::on(&jfc))?;
    let list = [pair.a.memory.sge(0, 8)];
    for i in 0..u64::from(entries) + 3 {
        let wr = SendWr::write(pair.ab.target_ref(), pair.b.memory.remote(0), &list);
        jfs.queue().send(&wr.user_ctx(i))?;
    }
    check!(jfc.ring().ring().kern_flags() & UBSOFT_RING_OVERFLOW != 0);
    for i in 0..u64::from(entries) {
        let cqe = jfc.wait_polling(ub_tests::fixture::SOON)?;
        check_eq!(cqe.user_ctx, i);
    }
    check!(jfc.poll().is_none());
    Ok(())
}

fn receive_buffers_are_checked() -> Outcome {
    let len = PairConfig::default().memory as u64;
    let bad: [fn(&Side, u64) -> ubsoft_sge; 4] = [
        |side, _| sge(side.memory.addr(), 64, side.memory.token_id() ^ 0x5500),
        |side, len| sge(side.memory.addr() + len - 32, 64, side.memory.token_id()),
        |side, _| sge(u64::MAX - 10, 64, side.memory.token_id()),
        |side, _| sge(0, 64, side.memory.token_id()),
    ];
    for (i, make) in bad.into_iter().enumerate() {
        let mut pair = Pair::create()?;
        let list = [make(&pair.b, len)];
        pair.b.jfr.post(&RecvWr::new(&list).user_ctx(6))?;
        let list = [pair.a.memory.sge(0, 64)];
        let cqe = pair.a.execute(&SendWr::send(pair.to_b(), &list))?;
        check!(u32::from(cqe.status) != UBURMA_CR_SUCCESS, "buffer {i}");
        let cqe = pair.b.wait_received()?;
        expect_status(&cqe, UBURMA_CR_LOC_ACCESS_ERR)?;
        check_eq!(cqe.user_ctx, 6);
    }
    Ok(())
}

/// A receive entry that says more ranges than the queue allows.
fn receive_entries_are_checked() -> Outcome {
    for (num_sge, total_len) in [(255u32, 64u32), (u32::MAX, 64), (1, 65), (1, 0)] {
        let mut pair = Pair::create()?;
        let list = [pair.b.memory.sge(0, 64)];
        let head = ubsoft_rqe {
            user_ctx: 3,
            num_sge,
            total_len,
        };
        pair.b.jfr.ring_mut().push_unchecked(&head, &list);
        let _ = pair.b.jfr.ring().publish();
        let list = [pair.a.memory.sge(0, 32)];
        let cqe = pair.a.execute(&SendWr::send(pair.to_b(), &list))?;
        check!(
            u32::from(cqe.status) != UBURMA_CR_SUCCESS,
            "{num_sge} ranges of {total_len} bytes"
        );
        let cqe = pair.b.wait_received()?;
        check!(u32::from(cqe.status) != UBURMA_CR_SUCCESS);
        check_eq!(cqe.user_ctx, 3);
    }
    Ok(())
}

fn memory_operations_are_not_for_um() -> Outcome {
    if !modes(&ub_client::Device::first()?)?.contains(&UBURMA_TM_UM) {
        ub_tests::skip!("the device has no UM");
    }
    let config = PairConfig {
        mode: UBURMA_TM_UM,
        ..Default::default()
    };
    fails_with(config, UBURMA_CR_UNSUPPORTED_OPCODE_ERR, |pair, list| {
        list.push(pair.a.memory.sge(0, 8));
        with_list(SendWr::read(pair.to_b(), pair.b.memory.remote(0), &[]), list)
    })
}

fn segment_that_goes_meanwhile() -> Outcome {
    let mut pair = Pair::create()?;
    let target = pair.to_b();
    let victim = Segment::alloc(&pair.b.ctx, 64 << 10, 9)?;
    let remote = victim.remote(0);
    let list = [pair.a.memory.sge(0, 32 << 10)];
    std::thread::scope(|scope| -> Outcome {
        let a = &mut pair.a;
        let sender = scope.spawn(move || -> Result<u32, Failure> {
            for _ in 0..2000 {
                let cqe = a.execute(&SendWr::write(target, remote, &list))?;
                if u32::from(cqe.status) != UBURMA_CR_SUCCESS {
                    return Ok(u32::from(cqe.status));
                }
            }
            Ok(UBURMA_CR_SUCCESS)
        });
        std::thread::sleep(std::time::Duration::from_millis(5));
        drop(victim);
        let status = sender
            .join()
            .map_err(|_| Failure::Fail("the sender died".to_string()))??;
        check_eq!(status, UBURMA_CR_REM_ACCESS_ABORT_ERR);
        Ok(())
    })
}

fn full_send_queue() -> Outcome {
    let mut pair = Pair::create_with(PairConfig {
        depth: 4,
        ..Default::default()
    })?;
    let target = pair.to_b();
    let entries = pair.a.jetty.queue().ring().ring().resp().entries;
    let list = [pair.a.memory.sge(0, 8)];
    for _ in 0..entries {
        let wr = SendWr::write(target, pair.b.memory.remote(0), &list);
        pair.a.jetty.queue().post(&wr)?;
    }
    let wr = SendWr::write(target, pair.b.memory.remote(0), &list);
    check_eq!(pair.a.jetty.queue().post(&wr), Err(ub_client::Error::RingFull));
    pair.a.jetty.queue().kick()?;
    for _ in 0..entries {
        expect_status(&pair.a.wait_sent()?, UBURMA_CR_SUCCESS)?;
    }
    pair.a.expect(&wr, UBURMA_CR_SUCCESS)?;
    check_errno!(pair.a.ctx.ring(IOC_SQ_KICK, 0, 0), EINVAL);
    Ok(())
}

fn main() -> ExitCode {
    ub_tests::run(
        "t-data",
        tests![
            writes_of_all_sizes,
            reads_of_all_sizes,
            sends_of_all_sizes,
            write_with_immediate,
            write_with_notification,
            atomics_of_8_bytes,
            atomics_of_4_bytes,
            atomics_are_atomic,
            nop_completes,
            inline_data,
            lists_of_ranges,
            ranges_of_several_segments,
            empty_messages,
            a_batch_in_one_kick,
            more_than_a_burst,
            unsignaled_requests_free_their_slots,
            rings_wrap,
            sends_by_a_jfs,
            sends_to_itself,
            both_directions_at_once,
            invalidates,
            remote_access_is_checked,
            access_bits_are_checked,
            no_token_is_needed_without_policy,
            local_ranges_are_checked,
            local_ranges_are_of_their_context,
            requests_that_contradict_themselves,
            inline_data_is_checked,
            atomics_are_checked,
            targets_are_checked,
            message_longer_than_its_buffer,
            receiver_without_a_buffer,
            buffer_that_comes_late,
            waiting_sender_is_alone,
            flush_after_an_error,
            error_on_request_flushes,
            works_again_after_reset,
            completion_queue_overflow,
            receive_buffers_are_checked,
            receive_entries_are_checked,
            memory_operations_are_not_for_um,
            segment_that_goes_meanwhile,
            full_send_queue,
        ],
    )
}
