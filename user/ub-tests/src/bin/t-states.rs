// SPDX-License-Identifier: GPL-2.0

//! The states of queues: what is carried out, held, flushed and forgotten in each of them.

use std::process::ExitCode;
use std::time::{Duration, Instant};

use ub_client::abi::*;
use ub_client::{
    Jetty, JettyConfig, Jfc, JfcConfig, Jfs, JfsConfig, RemoteRange, SendQueue, SendWr,
};
use ub_tests::fixture::{expect_status, Pair, PairConfig, Side, SOON};
use ub_tests::{check, check_eq, check_errno, tests, Failure, Outcome};

const RESET: u32 = UBURMA_JETTY_STATE_RESET;
const READY: u32 = UBURMA_JETTY_STATE_READY;
const SUSPENDED: u32 = UBURMA_JETTY_STATE_SUSPENDED;
const ERROR: u32 = UBURMA_JETTY_STATE_ERROR;

/// A send queue with states: of a jetty, or one that stands alone.
enum Sender {
    Jetty(Jetty),
    Jfs(Jfs),
}

impl Sender {
    fn queue(&mut self) -> &mut SendQueue {
        match self {
            Sender::Jetty(jetty) => jetty.queue(),
            Sender::Jfs(jfs) => jfs.queue(),
        }
    }

    fn set(&self, state: u32) -> ub_client::Result<()> {
        match self {
            Sender::Jetty(jetty) => jetty.set_state(state),
            Sender::Jfs(jfs) => jfs.set_state(state),
        }
    }

    fn state(&self) -> Result<u32, Failure> {
        Ok(match self {
            Sender::Jetty(jetty) => jetty.query()?.get_u32(UBURMA_QUERY_JETTY_OUT_STATE),
            Sender::Jfs(jfs) => jfs.query()?.get_u32(UBURMA_QUERY_JFS_OUT_STATE),
        })
    }
}

/// A sender with a completion queue of its own, and a peer.
struct Bench {
    sender: Sender,
    done: Jfc,
    pair: Pair,
}

/// Whether a queue is to be suspended after a failure.
#[derive(Clone, Copy, PartialEq)]
enum OnError {
    Fail,
    Suspend,
}

impl Bench {
    fn create(is_jetty: bool, on_error: OnError) -> Result<Self, Failure> {
        let pair = Pair::create_with(PairConfig {
            rnr_retry: 7,
            min_rnr_timer: 10,
            ..Default::default()
        })?;
        let done = Jfc::create_with(
            &pair.a.ctx,
            JfcConfig {
                depth: 128,
                ..Default::default()
            },
        )?;
        let flag = match on_error {
            OnError::Suspend => UBURMA_JFS_FLAG_ERROR_SUSPEND,
            OnError::Fail => 0,
        };
        let sender = if is_jetty {
            let mut config = JettyConfig::on(&done, &pair.a.received, &pair.a.jfr);
            config.send.flag = flag;
            Sender::Jetty(Jetty::create(&pair.a.ctx, config)?)
        } else {
            let config = JfsConfig {
                flag,
                ..JfsConfig::on(&done)
            };
            Sender::Jfs(Jfs::create(&pair.a.ctx, config)?)
        };
        Ok(Bench { sender, done, pair })
    }

    /// Posts WRITEs with these cookies; those below 100 are good ones.
    fn post(&mut self, cookies: &[u64]) -> Outcome {
        let target = self.pair.ab.target_ref();
        let list = [self.pair.a.memory.sge(0, 8)];
        for cookie in cookies {
            let mut remote = self.pair.b.memory.remote(8 * (*cookie as usize % 100));
            if *cookie >= 100 {
                remote.token ^= 1;
            }
            let wr = SendWr::write(target, remote, &list).user_ctx(*cookie);
            self.sender.queue().post(&wr)?;
        }
        Ok(self.sender.queue().kick()?)
    }

    /// Expects a completion; markers have no cookie.
    fn expect(&mut self, status: u32, cookie: u64) -> Outcome {
        let cqe = self.done.wait_polling(SOON)?;
        expect_status(&cqe, status)?;
        let is_marker = [UBURMA_CR_WR_SUSPEND_DONE, UBURMA_CR_WR_FLUSH_ERR_DONE].contains(&status);
        check!(is_marker || cqe.user_ctx == cookie, "{cqe:?} for {cookie}");
        Ok(())
    }

    /// Expects no completion.
    fn silent(&mut self) -> Outcome {
        let _ = self.sender.queue().kick();
        std::thread::sleep(Duration::from_millis(30));
        let cqe = self.done.poll();
        check!(cqe.is_none(), "{cqe:?}");
        Ok(())
    }
}

fn both(work: impl Fn(bool) -> Outcome) -> Outcome {
    for is_jetty in [false, true] {
        work(is_jetty).map_err(|why| Failure::Fail(format!("jetty {is_jetty}: {why:?}")))?;
    }
    Ok(())
}

/// A failed request, what is posted behind it, and how it goes on when the owner says so.
fn suspend_and_resume() -> Outcome {
    both(|is_jetty| {
        let mut bench = Bench::create(is_jetty, OnError::Suspend)?;
        for round in 0..3 {
            bench.post(&[1, 100, 2, 3])?;
            bench.expect(UBURMA_CR_SUCCESS, 1)?;
            bench.expect(UBURMA_CR_REM_ACCESS_ABORT_ERR, 100)?;
            bench.expect(UBURMA_CR_WR_SUSPEND_DONE, 0)?;
            check_eq!(bench.sender.state()?, SUSPENDED, "round {round}");
            bench.post(&[4])?;
            bench.silent()?;
            // Nobody is told of an error: the owner handles it.
            check_eq!(bench.pair.a.ctx.events().poll_now()?, 0);
            let flags = bench.sender.queue().ring().ring().kern_flags();
            check_eq!(flags & UBSOFT_RING_ERROR, 0);
            bench.sender.set(READY)?;
            for cookie in 2..=4 {
                bench.expect(UBURMA_CR_SUCCESS, cookie)?;
            }
            check_eq!(bench.sender.state()?, READY);
        }
        Ok(())
    })
}

/// One failure after the other: each has its own marker.
fn suspended_again() -> Outcome {
    both(|is_jetty| {
        let mut bench = Bench::create(is_jetty, OnError::Suspend)?;
        bench.post(&[100, 101, 1])?;
        for bad in [100, 101] {
            bench.expect(UBURMA_CR_REM_ACCESS_ABORT_ERR, bad)?;
            bench.expect(UBURMA_CR_WR_SUSPEND_DONE, 0)?;
            bench.silent()?;
            bench.sender.set(READY)?;
        }
        bench.expect(UBURMA_CR_SUCCESS, 1)
    })
}

fn suspended_to_error() -> Outcome {
    both(|is_jetty| {
        let mut bench = Bench::create(is_jetty, OnError::Suspend)?;
        bench.post(&[100, 1, 2])?;
        bench.expect(UBURMA_CR_REM_ACCESS_ABORT_ERR, 100)?;
        bench.expect(UBURMA_CR_WR_SUSPEND_DONE, 0)?;
        check_errno!(bench.sender.set(RESET), EINVAL);
        bench.sender.set(SUSPENDED)?;
        bench.sender.set(ERROR)?;
        bench.expect(UBURMA_CR_WR_FLUSH_ERR, 1)?;
        bench.expect(UBURMA_CR_WR_FLUSH_ERR, 2)?;
        bench.expect(UBURMA_CR_WR_FLUSH_ERR_DONE, 0)?;
        check_eq!(bench.sender.state()?, ERROR);
        bench.silent()
    })
}

/// A queue that does not suspend fails by itself, and flushes.
fn error_flushes() -> Outcome {
    both(|is_jetty| {
        let mut bench = Bench::create(is_jetty, OnError::Fail)?;
        bench.post(&[1, 100, 2, 101])?;
        bench.expect(UBURMA_CR_SUCCESS, 1)?;
        bench.expect(UBURMA_CR_REM_ACCESS_ABORT_ERR, 100)?;
        bench.expect(UBURMA_CR_WR_FLUSH_ERR, 2)?;
        bench.expect(UBURMA_CR_WR_FLUSH_ERR, 101)?;
        bench.expect(UBURMA_CR_WR_FLUSH_ERR_DONE, 0)?;
        check_eq!(bench.sender.state()?, ERROR);
        let flags = bench.sender.queue().ring().ring().kern_flags();
        check!(flags & UBSOFT_RING_ERROR != 0);
        // What comes later is flushed too, without another marker.
        bench.post(&[3])?;
        bench.expect(UBURMA_CR_WR_FLUSH_ERR, 3)?;
        bench.silent()?;
        for state in [READY, SUSPENDED] {
            check_errno!(bench.sender.set(state), EINVAL);
        }
        Ok(())
    })
}

/// ERROR, RESET, READY, several times; what is posted in RESET is carried out in READY.
fn reset_and_use_again() -> Outcome {
    both(|is_jetty| {
        let mut bench = Bench::create(is_jetty, OnError::Fail)?;
        for state in [RESET, SUSPENDED] {
            check_errno!(bench.sender.set(state), EINVAL);
        }
        for round in 0..3u64 {
            if round % 2 == 0 {
                bench.sender.set(ERROR)?;
            } else {
                bench.post(&[100])?;
                bench.expect(UBURMA_CR_REM_ACCESS_ABORT_ERR, 100)?;
            }
            bench.expect(UBURMA_CR_WR_FLUSH_ERR_DONE, 0)?;
            bench.sender.set(RESET)?;
            check_eq!(bench.sender.state()?, RESET);
            let flags = bench.sender.queue().ring().ring().kern_flags();
            check_eq!(flags & UBSOFT_RING_ERROR, 0);
            check_errno!(bench.sender.set(SUSPENDED), EINVAL);
            bench.post(&[round + 1])?;
            bench.silent()?;
            bench.sender.set(READY)?;
            bench.expect(UBURMA_CR_SUCCESS, round + 1)?;
            bench.post(&[50])?;
            bench.expect(UBURMA_CR_SUCCESS, 50)?;
        }
        // From RESET there is a way back to ERROR too.
        bench.sender.set(ERROR)?;
        bench.expect(UBURMA_CR_WR_FLUSH_ERR_DONE, 0)?;
        bench.sender.set(RESET)?;
        bench.post(&[1])?;
        bench.silent()?;
        bench.sender.set(ERROR)?;
        bench.expect(UBURMA_CR_WR_FLUSH_ERR, 1)?;
        bench.expect(UBURMA_CR_WR_FLUSH_ERR_DONE, 0)
    })
}

/// A reset forgets what was posted and not kicked, even behind an impossible index.
fn reset_forgets() -> Outcome {
    both(|is_jetty| {
        let mut bench = Bench::create(is_jetty, OnError::Fail)?;
        bench.sender.queue().ring().ring().set_user_idx(0x4000_0000);
        let _ = bench.sender.queue().kick();
        bench.expect(UBURMA_CR_WR_FLUSH_ERR_DONE, 0)?;
        check_eq!(bench.sender.state()?, ERROR);
        // The user starts where the kernel is.
        let kernel = bench.sender.queue().ring().ring().kern_idx();
        bench.sender.queue().ring().ring().set_user_idx(kernel);
        bench.sender.set(RESET)?;
        bench.sender.set(READY)?;
        bench.post(&[7])?;
        bench.expect(UBURMA_CR_SUCCESS, 7)?;
        bench.silent()
    })
}

/// A request that waits for a receive buffer is flushed, and does not come back.
fn waiting_request_is_flushed() -> Outcome {
    both(|is_jetty| {
        let mut bench = Bench::create(is_jetty, OnError::Fail)?;
        let list = [bench.pair.a.memory.sge(0, 8)];
        let wr = SendWr::send(bench.pair.ab.target_ref(), &list).user_ctx(5);
        bench.sender.queue().send(&wr)?;
        bench.silent()?;
        bench.sender.set(ERROR)?;
        bench.expect(UBURMA_CR_WR_FLUSH_ERR, 5)?;
        bench.expect(UBURMA_CR_WR_FLUSH_ERR_DONE, 0)?;
        bench.sender.set(RESET)?;
        bench.sender.set(READY)?;
        bench.pair.b.post_recv(0, 64, 1)?;
        bench.silent()?;
        check!(bench.pair.b.received.poll().is_none());
        bench.sender.queue().send(&wr)?;
        bench.expect(UBURMA_CR_SUCCESS, 5)
    })
}

/// A jetty in the error state receives nothing; after a reset it does.
fn failed_jetty_does_not_receive() -> Outcome {
    for by_itself in [false, true] {
        let mut pair = Pair::create()?;
        if by_itself {
            let list = [pair.b.memory.sge(0, 8)];
            let nowhere = RemoteRange::default();
            let wr = SendWr::write(pair.ba.target_ref(), nowhere, &list);
            pair.b.expect(&wr, UBURMA_CR_REM_ACCESS_ABORT_ERR)?;
        } else {
            pair.b.jetty.set_state(ERROR)?;
        }
        expect_status(&pair.b.wait_sent()?, UBURMA_CR_WR_FLUSH_ERR_DONE)?;
        pair.b.post_recv(0, 64, 1)?;
        let list = [pair.a.memory.sge(0, 8)];
        let wr = SendWr::send(pair.to_b(), &list);
        pair.a.expect(&wr, UBURMA_CR_REM_OPERATION_ERR)?;
        expect_status(&pair.a.wait_sent()?, UBURMA_CR_WR_FLUSH_ERR_DONE)?;
        for jetty in [&pair.a.jetty, &pair.b.jetty] {
            jetty.set_state(RESET)?;
            jetty.set_state(READY)?;
        }
        pair.a.expect(&wr, UBURMA_CR_SUCCESS)?;
        expect_status(&pair.b.wait_received()?, UBURMA_CR_SUCCESS)?;
    }
    Ok(())
}

/// A change of state carries out what was posted before; if that fails, the failure is what counts.
fn failure_by_a_change() -> Outcome {
    for from in [READY, RESET] {
        let mut pair = Pair::create()?;
        if from == RESET {
            pair.b.jetty.set_state(ERROR)?;
            expect_status(&pair.b.wait_sent()?, UBURMA_CR_WR_FLUSH_ERR_DONE)?;
            pair.b.jetty.set_state(RESET)?;
        }
        let list = [pair.b.memory.sge(0, 8)];
        let wr = SendWr::write(pair.ba.target_ref(), RemoteRange::default(), &list);
        pair.b.jetty.queue().post(&wr)?;
        pair.b.jetty.set_state(READY)?;
        expect_status(&pair.b.wait_sent()?, UBURMA_CR_REM_ACCESS_ABORT_ERR)?;
        expect_status(&pair.b.wait_sent()?, UBURMA_CR_WR_FLUSH_ERR_DONE)?;
        let state = pair.b.jetty.query()?;
        check_eq!(state.get_u32(UBURMA_QUERY_JETTY_OUT_STATE), ERROR);
        pair.b.post_recv(0, 64, 1)?;
        let list = [pair.a.memory.sge(0, 8)];
        let wr = SendWr::send(pair.to_b(), &list);
        pair.a.expect(&wr, UBURMA_CR_REM_OPERATION_ERR)?;
    }
    Ok(())
}

/// Makes the sender usable again after a failure.
fn revive(side: &mut Side) -> Outcome {
    expect_status(&side.wait_sent()?, UBURMA_CR_WR_FLUSH_ERR_DONE)?;
    side.jetty.set_state(RESET)?;
    side.jetty.set_state(READY)?;
    Ok(())
}

/// The states of a receive queue: only READY receives, RESET forgets the buffers.
fn receive_queue() -> Outcome {
    let mut pair = Pair::create()?;
    let state = |pair: &Pair| -> Result<u32, Failure> {
        Ok(pair.b.jfr.query()?.get_u32(UBURMA_QUERY_JFR_OUT_STATE))
    };
    let list = [pair.a.memory.sge(0, 8)];
    let wr = SendWr::send(pair.to_b(), &list);
    check_eq!(state(&pair)?, UBURMA_JFR_STATE_READY);
    check_errno!(pair.b.jfr.set_state(3), EINVAL);
    pair.b.post_recv(0, 64, 1)?;
    pair.b.jfr.set_state(UBURMA_JFR_STATE_ERROR)?;
    check_eq!(state(&pair)?, UBURMA_JFR_STATE_ERROR);
    check!(pair.b.jfr.ring().ring().kern_flags() & UBSOFT_RING_ERROR != 0);
    pair.a.expect(&wr, UBURMA_CR_REM_OPERATION_ERR)?;
    revive(&mut pair.a)?;
    check_errno!(pair.b.jfr.set_state(UBURMA_JFR_STATE_READY), EINVAL);
    pair.b.jfr.set_state(UBURMA_JFR_STATE_RESET)?;
    check_eq!(state(&pair)?, UBURMA_JFR_STATE_RESET);
    check_eq!(pair.b.jfr.ring().ring().kern_flags() & UBSOFT_RING_ERROR, 0);
    pair.a.expect(&wr, UBURMA_CR_REM_OPERATION_ERR)?;
    revive(&mut pair.a)?;
    pair.b.jfr.set_state(UBURMA_JFR_STATE_READY)?;
    // The first buffer is forgotten.
    pair.b.post_recv(64, 64, 2)?;
    pair.a.expect(&wr, UBURMA_CR_SUCCESS)?;
    check_eq!(pair.b.wait_received()?.user_ctx, 2);
    check!(pair.b.received.poll().is_none());
    // Asked for what it is in, it stays as it is.
    pair.b.jfr.set_state(UBURMA_JFR_STATE_READY)?;
    Ok(())
}

/// What is posted while another thread asks for ERROR completes, once each.
fn nothing_is_lost_in_a_race() -> Outcome {
    both(|is_jetty| {
        for round in 0..20 {
            let mut bench = Bench::create(is_jetty, OnError::Fail)?;
            let cookies: Vec<u64> = (0..60).collect();
            let handle = match &bench.sender {
                Sender::Jetty(jetty) => jetty.handle(),
                Sender::Jfs(jfs) => jfs.handle(),
            };
            let ctx = bench.pair.a.ctx.clone();
            let setter = std::thread::spawn(move || {
                let mut cmd = if is_jetty {
                    Jetty::modify_cmd(handle, UBURMA_JETTY_ATTR_STATE, 0, ERROR)
                } else {
                    Jfs::modify_cmd(handle, UBURMA_JFS_ATTR_STATE, ERROR)
                };
                ctx.run(&mut cmd)
            });
            bench.post(&cookies)?;
            setter
                .join()
                .map_err(|_| Failure::Fail("the setter died".to_string()))??;
            let mut seen = Vec::new();
            let mut marks = 0;
            let start = Instant::now();
            while seen.len() < cookies.len() || marks == 0 {
                check!(start.elapsed() < SOON, "{} completions", seen.len());
                let Some(cqe) = bench.done.poll() else {
                    let _ = bench.sender.queue().kick();
                    continue;
                };
                if u32::from(cqe.status) == UBURMA_CR_WR_FLUSH_ERR_DONE {
                    marks += 1;
                } else {
                    seen.push(cqe.user_ctx);
                }
            }
            check_eq!(seen, cookies, "round {round}");
            check_eq!(marks, 1);
        }
        Ok(())
    })
}

/// A change of the threshold leaves the state alone, and the other way round.
fn attributes_are_independent() -> Outcome {
    let side = Side::create(Default::default())?;
    side.jfr.set_threshold(7)?;
    side.jfr.set_state(UBURMA_JFR_STATE_ERROR)?;
    let reply = side.jfr.query()?;
    check_eq!(reply.get_u32(UBURMA_QUERY_JFR_OUT_RX_THRESHOLD), 7);
    side.jfr.set_threshold(8)?;
    let reply = side.jfr.query()?;
    check_eq!(
        reply.get_u32(UBURMA_QUERY_JFR_OUT_STATE),
        UBURMA_JFR_STATE_ERROR
    );
    check_eq!(reply.get_u32(UBURMA_QUERY_JFR_OUT_RX_THRESHOLD), 8);
    let both = UBURMA_JETTY_ATTR_STATE | UBURMA_JETTY_ATTR_RX_THRESHOLD;
    let mut cmd = Jetty::modify_cmd(side.jetty.handle(), both, 5, ERROR);
    side.ctx.run(&mut cmd)?;
    let reply = side.jetty.query()?;
    check_eq!(reply.get_u32(UBURMA_QUERY_JETTY_OUT_STATE), ERROR);
    check_eq!(reply.get_u32(UBURMA_QUERY_JETTY_OUT_RX_THRESHOLD), 5);
    // A change that is refused changes nothing.
    let mut cmd = Jetty::modify_cmd(side.jetty.handle(), both, 6, READY);
    check_errno!(side.ctx.run(&mut cmd), EINVAL);
    let reply = side.jetty.query()?;
    check_eq!(reply.get_u32(UBURMA_QUERY_JETTY_OUT_RX_THRESHOLD), 5);
    Ok(())
}

pub fn main() -> ExitCode {
    ub_tests::run(
        "t-states",
        tests![
            suspend_and_resume,
            suspended_again,
            suspended_to_error,
            error_flushes,
            reset_and_use_again,
            reset_forgets,
            waiting_request_is_flushed,
            failed_jetty_does_not_receive,
            failure_by_a_change,
            receive_queue,
            nothing_is_lost_in_a_race,
            attributes_are_independent,
        ],
    )
}
