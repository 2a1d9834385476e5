// SPDX-License-Identifier: GPL-2.0

//! Data for a long time, by users who are late, greedy, or gone: `t-endurance [full=1]`, which
//! is for hours rather than seconds.

use std::process::ExitCode;
use std::time::{Duration, Instant};

use ub_client::abi::*;
use ub_client::{Jetty, JettyConfig, Jfc, Jfs, JfsConfig, SendWr};
use ub_tests::fixture::{expect_status, Pair, PairConfig, Side, SOON};
use ub_tests::soak::Rng;
use ub_tests::{check, check_eq, of_run, tests, Failure, Options, Outcome};

/// Bytes of a long message.
const LONG: usize = 6 << 20;
/// How long a long message may take on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// Mostly none, now and then a moment, seldom long enough for the other one to fall asleep.
fn pause(rng: &mut Rng) {
    match rng.below(64) {
        0 => std::thread::sleep(Duration::from_micros(rng.below(2000) as u64)),
        1..=8 => std::thread::yield_now(),
        _ => (),
    }
}

/// Sends a number, which the peer has to send back, `rounds` times.
fn ping(side: &mut Side, target: u32, rounds: u64, rng: &mut Rng) -> Outcome {
    for round in 0..rounds {
        pause(rng);
        side.post_recv(64, 8, round)?;
        side.memory.write(0, &round.to_le_bytes());
        let list = [side.memory.sge(0, 8)];
        side.expect(
            &SendWr::send(target, &list).user_ctx(round),
            UBURMA_CR_SUCCESS,
        )?;
        let cqe = side.wait_received()?;
        expect_status(&cqe, UBURMA_CR_SUCCESS)?;
        check_eq!((cqe.user_ctx, cqe.byte_len), (round, 8));
        check_eq!(side.memory.bytes(64, 8), (!round).to_le_bytes());
    }
    Ok(())
}

/// Answers with the complement of each number.
fn pong(side: &mut Side, target: u32, rounds: u64, rng: &mut Rng) -> Outcome {
    side.post_recv(64, 8, 0)?;
    for round in 0..rounds {
        let cqe = side.wait_received()?;
        expect_status(&cqe, UBURMA_CR_SUCCESS)?;
        check_eq!(cqe.user_ctx, round);
        check_eq!(side.memory.bytes(64, 8), round.to_le_bytes());
        pause(rng);
        side.post_recv(64, 8, round + 1)?;
        side.memory.write(0, &(!round).to_le_bytes());
        let list = [side.memory.sge(0, 8)];
        side.expect(
            &SendWr::send(target, &list).user_ctx(round),
            UBURMA_CR_SUCCESS,
        )?;
    }
    Ok(())
}

fn joined(thread: std::thread::ScopedJoinHandle<'_, Outcome>) -> Outcome {
    let died = |_| Failure::Fail("a thread died".to_string());
    thread.join().map_err(died)?
}

/// A million of them, or some thousands; either side is late at times.
fn pingpongs_with_pauses() -> Outcome {
    let rounds = of_run(2_000, 1_000_000);
    // A receiver that is late is waited for.
    let mut pair = Pair::create_with(PairConfig {
        rnr_retry: 7,
        min_rnr_timer: 5,
        ..Default::default()
    })?;
    let (to_b, to_a) = (pair.ab.target_ref(), pair.ba.target_ref());
    std::thread::scope(|scope| {
        let (a, b) = (&mut pair.a, &mut pair.b);
        let there = scope.spawn(move || pong(b, to_a, rounds, &mut Rng::new(2, &[])));
        let here = scope.spawn(move || ping(a, to_b, rounds, &mut Rng::new(1, &[])));
        joined(here).and(joined(there))
    })
}

/// Long messages of a thread; each page of each has a number of its own.
fn send_long(number: u64, rounds: u64) -> Outcome {
    let mut pair = Pair::create_with(PairConfig {
        memory: LONG,
        ..Default::default()
    })?;
    let mark = |round: u64, page: usize| number << 48 | round << 32 | page as u64;
    for round in 0..rounds {
        for page in 0..LONG / 4096 {
            let at = page * 4096 + (page * 8) % 4096;
            let mark = mark(round, page).to_le_bytes();
            pair.a.memory.write(at, &mark);
        }
        pair.b.post_recv(0, LONG, round)?;
        let list = [pair.a.memory.sge(0, LONG)];
        let wr = SendWr::send(pair.to_b(), &list).user_ctx(round);
        pair.a.jetty.queue().send(&wr)?;
        let cqe = pair.a.sent.wait_polling(PATIENCE)?;
        expect_status(&cqe, UBURMA_CR_SUCCESS)?;
        let cqe = pair.b.received.wait_polling(PATIENCE)?;
        expect_status(&cqe, UBURMA_CR_SUCCESS)?;
        check_eq!((cqe.user_ctx, cqe.byte_len as usize), (round, LONG));
        for page in 0..LONG / 4096 {
            let at = page * 4096 + (page * 8) % 4096;
            let found = pair.b.memory.bytes(at, 8);
            check_eq!(found, mark(round, page).to_le_bytes(), "page {page}");
        }
    }
    Ok(())
}

fn long_messages_of_several_threads() -> Outcome {
    for threads in [1, 2, 4] {
        std::thread::scope(|scope| -> Outcome {
            let list: Vec<_> = (0..threads)
                .map(|number| scope.spawn(move || send_long(number, of_run(2, 100))))
                .collect();
            list.into_iter().try_for_each(joined)
        })
        .map_err(|why| Failure::Fail(format!("{threads} threads: {why:?}")))?;
    }
    Ok(())
}

/// Writes to the peer, so many that all their completions lie in a JFC that nobody looks at.
fn pile_up(pair: &mut Pair, jfc: &Jfc, count: u64) -> Result<Jfs, Failure> {
    let mut jfs = Jfs::create(&pair.a.ctx, JfsConfig::on(jfc))?;
    let list = [pair.a.memory.sge(0, 8)];
    for i in 0..count {
        let wr = SendWr::write(pair.ab.target_ref(), pair.b.memory.remote(0), &list);
        jfs.queue().send(&wr.user_ctx(i))?;
        let start = Instant::now();
        while jfs.queue().ring().ring().kern_idx() != i as u32 + 1 {
            check!(start.elapsed() < SOON, "request {i} is not carried out");
            std::thread::yield_now();
        }
    }
    Ok(jfs)
}

/// As many completions as the JFC has entries are kept; of one more it tells, by its flag
/// and by an event, once.
fn completions_that_just_fit() -> Outcome {
    for depth in of_run(vec![4, 64], vec![1, 2, 4, 16, 64, 1024, 4096]) {
        for more in [0, 1] {
            let mut pair = Pair::create()?;
            let mut jfc = Jfc::create(&pair.a.ctx, depth)?;
            let entries = u64::from(jfc.ring().ring().resp().entries);
            check!(entries >= u64::from(depth));
            let jfs = pile_up(&mut pair, &jfc, entries + more)?;
            let flag = jfc.ring().ring().kern_flags() & UBSOFT_RING_OVERFLOW;
            check_eq!(flag != 0, more != 0, "{entries} entries and {more} more");
            let event = pair
                .a
                .ctx
                .events()
                .get_within(if more == 0 { 50 } else { 5000 })?;
            check_eq!(
                event.map(|event| event.kind),
                (more != 0).then_some(UBURMA_EVENT_JFC_ERR)
            );
            for i in 0..entries {
                let cqe = jfc.wait_polling(SOON)?;
                expect_status(&cqe, UBURMA_CR_SUCCESS)?;
                check_eq!(cqe.user_ctx, i);
            }
            check!(jfc.poll().is_none(), "more than {entries} came");
            check_eq!(pair.a.ctx.events().get_within(20)?, None);
            drop(jfs);
        }
    }
    Ok(())
}

/// Milliseconds until a sender gives up a receiver that never posts.
fn gives_up_after(retries: u8, timer: u8) -> Result<Duration, Failure> {
    let mut pair = Pair::create_with(PairConfig {
        rnr_retry: retries,
        min_rnr_timer: timer,
        ..Default::default()
    })?;
    let list = [pair.a.memory.sge(0, 64)];
    let wr = SendWr::send(pair.to_b(), &list).user_ctx(5);
    let start = Instant::now();
    pair.a.jetty.queue().send(&wr)?;
    let cqe = pair.a.sent.wait_polling(PATIENCE)?;
    let taken = start.elapsed();
    expect_status(&cqe, UBURMA_CR_RNR_RETRY_CNT_EXC_ERR)?;
    check_eq!(cqe.user_ctx, 5);
    check!(pair.b.received.poll().is_none());
    Ok(taken)
}

/// The receiver's timer (its codes are those of RDMA) times the sender's retries is the least
/// that a sender waits; and 7 retries have no end.
fn receiver_that_never_posts() -> Outcome {
    let delays = [(14, 1), (18, 5), (21, 15), (24, 40)];
    for (code, millis) in delays {
        for retries in of_run(vec![0, 1, 6], (0..7).collect()) {
            let taken = gives_up_after(retries, code)?;
            let least = Duration::from_millis(u64::from(retries) * millis);
            check!(
                taken >= least,
                "{retries} times {millis} ms, {taken:?} in all"
            );
            // Late, but not as if there were no count.
            let most = least + Duration::from_secs(5);
            check!(
                taken < most,
                "{retries} times {millis} ms, {taken:?} in all"
            );
        }
    }
    let mut pair = Pair::create_with(PairConfig {
        rnr_retry: 7,
        min_rnr_timer: 12,
        ..Default::default()
    })?;
    let list = [pair.a.memory.sge(0, 64)];
    let wr = SendWr::send(pair.to_b(), &list).user_ctx(7);
    pair.a.jetty.queue().send(&wr)?;
    std::thread::sleep(Duration::from_millis(of_run(300, 60_000)));
    check!(pair.a.sent.poll().is_none(), "seven retries came to an end");
    pair.a.jetty.set_state(UBURMA_JETTY_STATE_ERROR)?;
    expect_status(&pair.a.wait_sent()?, UBURMA_CR_WR_FLUSH_ERR)
}

/// Both of its queues run over; others notice nothing, and it can go on when it wakes up.
fn poller_that_never_polls() -> Outcome {
    let mut lazy = Pair::create_with(PairConfig {
        depth: 256,
        jfc_depth: 16,
        ..Default::default()
    })?;
    let mut other = Pair::create()?;
    let (to_lazy, to_other) = (lazy.to_b(), other.to_b());
    let list = [lazy.a.memory.sge(0, 64)];
    let entries = u64::from(lazy.a.sent.ring().ring().resp().entries);
    for i in 0..of_run(200, 100_000) {
        if i < 200 {
            lazy.b.post_recv(0, 64, i)?;
        }
        let wr = match i < 200 {
            true => SendWr::send(to_lazy, &list),
            false => SendWr::write(to_lazy, lazy.b.memory.remote(0), &list),
        };
        lazy.a.jetty.queue().send(&wr.user_ctx(i))?;
        if i % 16 == 0 {
            let list = [other.a.memory.sge(0, 100)];
            let wr = SendWr::write(to_other, other.b.memory.remote(0), &list);
            other.a.expect(&wr, UBURMA_CR_SUCCESS)?;
        }
    }
    for jfc in [&mut lazy.a.sent, &mut lazy.b.received] {
        let flags = jfc.ring().ring().kern_flags();
        check!(flags & UBSOFT_RING_OVERFLOW != 0, "flags {flags:#x}");
        for i in 0..entries {
            let cqe = jfc.wait_polling(SOON)?;
            expect_status(&cqe, UBURMA_CR_SUCCESS)?;
            check_eq!(cqe.user_ctx, i, "the first ones are kept");
        }
        check!(jfc.poll().is_none());
    }
    // The queue that ran over is of no use any more; a new one is.
    let sent = Jfc::create(&lazy.a.ctx, 16)?;
    let config = JettyConfig::on(&sent, &lazy.a.received, &lazy.a.jfr);
    let mut jetty = Jetty::create(&lazy.a.ctx, config)?;
    let mut sent = sent;
    jetty
        .queue()
        .send(&SendWr::write(to_lazy, lazy.b.memory.remote(0), &list))?;
    expect_status(&sent.wait_polling(SOON)?, UBURMA_CR_SUCCESS)
}

pub fn main() -> ExitCode {
    let options = Options {
        limit: of_run(120, 7200),
        ..Options::default()
    };
    ub_tests::run_with(
        "t-endurance",
        tests![
            pingpongs_with_pauses,
            long_messages_of_several_threads,
            completions_that_just_fit,
            receiver_that_never_posts,
            poller_that_never_polls,
        ],
        options,
    )
}
