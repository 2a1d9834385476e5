// SPDX-License-Identifier: GPL-2.0

//! Data: every operation in every mode and size.

use std::process::ExitCode;

use ub_client::abi::*;
use ub_client::{Atomic, RecvWr, SendWr, Target};
use ub_tests::fixture::{pattern, Pair, PairConfig, Side};
use ub_tests::transfer::{check_landed, in_each_memory_mode, in_each_mode, AREA};
use ub_tests::{check, check_eq, tests, Failure, Outcome};

/// Sizes in bytes, with all that is odd about pages.
const SIZES: [usize; 16] = [
    1, 2, 3, 7, 8, 63, 64, 65, 255, 4095, 4096, 4097, 8192, 12_345, 65_536, 300_001,
];
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
            let (from, to) = (300 + 3 * i, AREA + 155 + 5 * i);
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
            check_eq!(
                u32::from(cqe.opcode),
                [UBURMA_CR_OPC_SEND, UBURMA_CR_OPC_SEND_WITH_IMM][i % 2]
            );
            if i % 2 == 1 {
                check_eq!(cqe.imm, 0xffff_0000_1234_5678 + i as u64);
            }
            check_eq!(
                u32::from(cqe.flags),
                UBURMA_CR_FLAG_S_R | UBURMA_CR_FLAG_JETTY
            );
            check_eq!(
                (cqe.local_id, cqe.remote_id),
                (pair.b.jetty.id(), pair.a.jetty.id())
            );
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
        check_landed(
            &pair.b,
            AREA + 8192,
            &0x0102_0304_0506_0708u64.to_le_bytes(),
            0x66,
        )?;
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
        let cqe = pair
            .a
            .expect(&SendWr::nop(target).user_ctx(9), UBURMA_CR_SUCCESS)?;
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
    pair.a
        .expect(&SendWr::send(target, &from), UBURMA_CR_SUCCESS)?;
    check_eq!(pair.b.wait_received()?.byte_len as usize, total);
    let mut at = AREA + 128;
    let mut done = 0;
    for len in &back {
        check_landed(&pair.b, at, &data[done..done + len], 0x31)?;
        at += len + 555;
        done += len;
    }
    // Written as a whole and read back into pieces.
    pair.a.expect(
        &SendWr::write(target, pair.b.memory.remote(0), &from),
        UBURMA_CR_SUCCESS,
    )?;
    check!(pair.b.memory.bytes(0, total) == data);
    let pieces = [
        pair.a.memory.sge(AREA + 100, 5000),
        pair.a.memory.sge(AREA + 9000, total - 5000),
    ];
    pair.a.expect(
        &SendWr::read(target, pair.b.memory.remote(0), &pieces),
        UBURMA_CR_SUCCESS,
    )?;
    check!(pair.a.memory.bytes(AREA + 100, 5000) == data[..5000]);
    check!(pair.a.memory.bytes(AREA + 9000, total - 5000) == data[5000..]);
    Ok(())
}

pub fn main() -> ExitCode {
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
        ],
    )
}
