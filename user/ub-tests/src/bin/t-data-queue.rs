// SPDX-License-Identifier: GPL-2.0

//! Data: batches, rings that wrap, several queues and threads.

use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;

use ub_client::abi::*;
use ub_client::sys::Mapping;
use ub_client::{Jetty, Jfc, Jfs, JfsConfig, Segment, SegmentConfig, SendWr, Target, Token};
use ub_tests::fixture::{expect_status, pattern, Pair, PairConfig, Side, SOON};
use ub_tests::transfer::{in_each_memory_mode, in_each_mode, AREA};
use ub_tests::{check, check_eq, tests, Failure, Outcome};

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
        pair.a
            .expect(&SendWr::send(target, &[]), UBURMA_CR_SUCCESS)?;
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
        let lists: Vec<[ubsoft_sge; 1]> = (0..count)
            .map(|i| [pair.a.memory.sge(i * 100, 100)])
            .collect();
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
        check!(
            pair.b.memory.bytes(AREA + i * 4096, 4096) == data,
            "piece {i}"
        );
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
    let wr = SendWr::write(target, remote, &list)
        .unsignaled()
        .user_ctx(3);
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
    let cqe = jfc.wait_polling(SOON)?;
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

/// No kick is lost that comes while others kick the queue or ask for its state.
fn kicks_amid_others() -> Outcome {
    let mut pair = Pair::create()?;
    let target = pair.to_b();
    let remote = pair.b.memory.remote(0);
    let a = &mut pair.a;
    let (ctx, fd, handle) = (&a.ctx, a.ctx.dev_fd(), a.jetty.handle());
    let queue = a.jetty.queue().ring().ring().resp().queue_ref;
    let over = AtomicBool::new(false);
    std::thread::scope(|scope| -> Outcome {
        let until_over = |work: &dyn Fn() -> Outcome| -> Outcome {
            while !over.load(Ordering::Relaxed) {
                work()?;
            }
            Ok(())
        };
        let asker = scope.spawn(move || until_over(&|| Ok(Jetty::query_cmd(handle).run(fd)?)));
        let kicker = scope.spawn(move || until_over(&|| Ok(ctx.ring(IOC_SQ_KICK, queue, 0)?)));
        let list = [a.memory.sge(0, 64)];
        let result = (0..2000u64).try_for_each(|i| -> Outcome {
            let wr = SendWr::write(target, remote, &list).user_ctx(i);
            a.jetty.queue().send(&wr)?;
            let cqe = a.sent.wait_polling(SOON)?;
            expect_status(&cqe, UBURMA_CR_SUCCESS)?;
            check_eq!(cqe.user_ctx, i);
            Ok(())
        });
        over.store(true, Ordering::Relaxed);
        for thread in [asker, kicker] {
            thread
                .join()
                .map_err(|_| Failure::Fail("a thread died".to_string()))??;
        }
        result
    })
}

/// What a queue remembers of a token id ends with the segment.
fn a_segment_in_the_place_of_another() -> Outcome {
    in_each_memory_mode(|pair| {
        let target = pair.to_b();
        let mut token = Token::alloc(&pair.b.ctx)?;
        let list = [pair.a.memory.sge(0, 64)];
        for round in 0..3u8 {
            pair.a.memory.fill(0, 64, round + 1);
            let memory = Arc::new(Mapping::anonymous(8192)?);
            let config = SegmentConfig {
                token: 5,
                ..Default::default()
            };
            let mut place = Segment::register(&pair.b.ctx, &memory, 0, 8192, Some(&token), config)?;
            let wr = SendWr::write(target, place.remote(64), &list);
            for _ in 0..2 {
                pair.a.expect(&wr, UBURMA_CR_SUCCESS)?;
            }
            check_eq!(place.bytes(64, 64), vec![round + 1; 64]);
            check_eq!(place.bytes(128, 64), vec![0; 64]);
            place.unregister()?;
        }
        token.free()?;
        Ok(())
    })
}

pub fn main() -> ExitCode {
    ub_tests::run(
        "t-data-queue",
        tests![
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
            kicks_amid_others,
            a_segment_in_the_place_of_another,
        ],
    )
}
