// SPDX-License-Identifier: GPL-2.0

//! Data: receivers that are not ready, queues in error, overflow.

use std::process::ExitCode;
use std::time::Instant;

use ub_client::abi::*;
use ub_client::sys;
use ub_client::{sge, Jetty, JettyConfig, Jfc, JfcConfig, Jfs, JfsConfig, RecvWr, Segment, SendWr};
use ub_tests::fixture::{expect_status, Pair, PairConfig, Side, SOON};
use ub_tests::transfer::{in_each_memory_mode, in_each_mode, AREA};
use ub_tests::{check, check_eq, check_errno, tests, Failure, Outcome};

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
        // The retry of the request before may be at its end still, and then carries this one out.
        let start = Instant::now();
        while pair.b.jfr.ring().ring().kern_flags() & UBSOFT_RING_NEED_KICK == 0 {
            check!(start.elapsed() < SOON, "no kick is asked for");
            sys::yield_now();
        }
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
        check_eq!(
            state.get_u32(UBURMA_QUERY_JETTY_OUT_STATE),
            UBURMA_JETTY_STATE_ERROR
        );
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
    check_eq!(
        pair.a.jetty.queue().ring().ring().kern_flags() & UBSOFT_RING_ERROR,
        0
    );
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
        let cqe = jfc.wait_polling(SOON)?;
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
    check_eq!(
        pair.a.jetty.queue().post(&wr),
        Err(ub_client::Error::RingFull)
    );
    pair.a.jetty.queue().kick()?;
    for _ in 0..entries {
        expect_status(&pair.a.wait_sent()?, UBURMA_CR_SUCCESS)?;
    }
    pair.a.expect(&wr, UBURMA_CR_SUCCESS)?;
    check_errno!(pair.a.ctx.ring(IOC_SQ_KICK, 0, 0), EINVAL | ENOENT);
    Ok(())
}

pub fn main() -> ExitCode {
    ub_tests::run(
        "t-data-errors",
        tests![
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
            segment_that_goes_meanwhile,
            full_send_queue,
        ],
    )
}
