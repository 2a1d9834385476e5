// SPDX-License-Identifier: GPL-2.0

//! Messages that take long, and who may end them: neither may a sender keep a receiver from going,
//! nor a third one spoil a request of somebody else.

use std::process::ExitCode;
use std::sync::atomic::Ordering;
use std::sync::Arc;
use std::time::{Duration, Instant};

use ub_client::abi::*;
use ub_client::sys::{self, Exit, Fork, Mapping, Pid};
use ub_client::{Jfr, RecvWr, Segment, SegmentConfig, SendWr, Target, TargetConfig};
use ub_tests::fixture::{expect_status, Pair, Side, JETTY_TOKEN, SEG_TOKEN};
use ub_tests::{check, check_eq, tests, Failure, Outcome};

/// Bytes of a message. It is the same memory again and again.
const LEN: usize = 128 << 20;
/// Bytes of that memory.
const PIECE: usize = 4 << 20;
/// Bytes that the kernel maps at a fault, of those that are there.
const FAULT_AROUND: usize = 64 << 10;
/// How long a message may take at most.
const LONG: Duration = Duration::from_secs(50);

/// Two sides with the same memory, for requests that take long.
struct Giants {
    pair: Pair,
    map: Arc<Mapping>,
    from: Segment,
    to: Segment,
}

impl Giants {
    fn create() -> Result<Self, Failure> {
        let pair = Pair::create()?;
        let map = Arc::new(Mapping::repeated(PIECE, LEN / PIECE)?);
        map.fill(0, PIECE, 0);
        // A fault for reading maps what lies around it: to pin the pages is quick then.
        for at in (0..LEN).step_by(FAULT_AROUND) {
            map.load32(at, Ordering::Relaxed);
        }
        let config = SegmentConfig {
            token: SEG_TOKEN,
            ..Default::default()
        };
        let from = Segment::register_own(&pair.a.ctx, &map, 0, LEN, config)?;
        let to = Segment::register_own(&pair.b.ctx, &map, 0, LEN, config)?;
        Ok(Giants {
            pair,
            map,
            from,
            to,
        })
    }

    fn source(&self) -> [ubsoft_sge; 1] {
        [self.from.sge(0, LEN)]
    }

    /// Posts a receive buffer for the largest message.
    fn post_recv(&mut self) -> Outcome {
        let list = [self.to.sge(0, LEN)];
        Ok(self.pair.b.jfr.post(&RecvWr::new(&list).user_ctx(5))?)
    }

    /// Waits until a message has taken the receive buffer.
    fn wait_taken(&self) -> Outcome {
        let start = Instant::now();
        while self.pair.b.jfr.ring().ring().kern_idx() == 0 {
            check!(start.elapsed() < LONG, "no message came");
            sys::yield_now();
        }
        Ok(())
    }

    fn destroy_jetty(&mut self) -> Outcome {
        self.pair.b.jetty.destroy()?;
        Ok(())
    }

    /// Has `wr` sent while `end` ends the receiver. Returns whether that cut the message off: if not,
    /// it was through before, or it was waited for.
    fn cut(
        &mut self,
        wr: &SendWr<'_>,
        end: impl FnOnce(&mut Self) -> Outcome,
    ) -> Result<bool, Failure> {
        self.post_recv()?;
        self.pair.a.jetty.queue().post(wr)?;
        // Who kicks is busy for as long as the message takes.
        let queue_ref = self.pair.a.jetty.queue().ring().ring().resp().queue_ref;
        let ctx = self.pair.a.ctx.clone();
        let kicker = std::thread::spawn(move || ctx.ring(IOC_SQ_KICK, queue_ref, 0));
        self.wait_taken()?;
        end(self)?;
        kicker
            .join()
            .map_err(|_| Failure::Fail("the kicker died".to_string()))??;
        let sent = self.pair.a.sent.wait_polling(LONG)?;
        let received = self.pair.b.received.wait_polling(LONG)?;
        check_eq!(received.user_ctx, 5);
        if u32::from(sent.status) == UBURMA_CR_SUCCESS {
            expect_status(&received, UBURMA_CR_SUCCESS)?;
            return Ok(false);
        }
        expect_status(&sent, UBURMA_CR_REM_OPERATION_ERR)?;
        expect_status(&received, UBURMA_CR_REM_OPERATION_ERR)?;
        Ok(true)
    }
}

/// The receiver may be late, but not always.
fn is_cut(attempt: impl Fn() -> Result<bool, Failure>) -> Outcome {
    for _ in 0..8 {
        if attempt()? {
            return Ok(());
        }
    }
    Err(Failure::Fail(
        "who goes waits for the end of messages".to_string(),
    ))
}

fn jetty_goes_during_a_message() -> Outcome {
    is_cut(|| {
        let mut giants = Giants::create()?;
        let list = giants.source();
        let wr = SendWr::send(giants.pair.to_b(), &list);
        giants.cut(&wr, |giants| giants.destroy_jetty())
    })
}

fn jetty_goes_during_a_write_with_immediate() -> Outcome {
    is_cut(|| {
        let mut giants = Giants::create()?;
        let list = giants.source();
        let wr = SendWr::write_imm(giants.pair.to_b(), giants.to.remote(0), &list, 1);
        giants.cut(&wr, |giants| giants.destroy_jetty())
    })
}

fn jfr_goes_during_a_message() -> Outcome {
    is_cut(|| {
        let mut giants = Giants::create()?;
        // No jetty stands in the way of destroying it.
        giants.destroy_jetty()?;
        let config = TargetConfig {
            id: giants.pair.b.jfr.id(),
            ..TargetConfig::jetty(giants.pair.b.ctx.eid(), 0, JETTY_TOKEN)
        };
        let target = Target::jfr(&giants.pair.a.ctx, config)?;
        let list = giants.source();
        let wr = SendWr::send(target.target_ref(), &list);
        giants.cut(&wr, |giants| {
            giants.pair.b.jfr.destroy()?;
            Ok(())
        })
    })
}

/// A child that rings the doorbell it has inherited.
fn ringing_child(giants: &mut Giants) -> Result<Pid, Failure> {
    match sys::fork()? {
        Fork::Parent(pid) => Ok(pid),
        Fork::Child => {
            sys::die_with_parent();
            let done = giants.pair.a.jetty.queue().kick();
            // It may be back before the message is through.
            std::thread::sleep(Duration::from_secs(100));
            sys::exit_now(i32::from(done.is_err()))
        }
    }
}

fn kill(child: Pid) -> Outcome {
    sys::kill(child, libc::SIGKILL)?;
    check_eq!(sys::wait_for(child)?, Exit::Signal(libc::SIGKILL));
    Ok(())
}

/// The one who rings is killed in the middle of a message of somebody else.
fn ringer_is_killed_during_a_message() -> Outcome {
    let mut giants = Giants::create()?;
    let list = giants.source();
    giants.post_recv()?;
    let wr = SendWr::send(giants.pair.to_b(), &list).user_ctx(8);
    giants.pair.a.jetty.queue().post(&wr)?;
    let child = ringing_child(&mut giants)?;
    giants.wait_taken()?;
    kill(child)?;
    let cqe = giants.pair.a.sent.wait_polling(LONG)?;
    expect_status(&cqe, UBURMA_CR_SUCCESS)?;
    check_eq!(cqe.user_ctx, 8);
    let cqe = giants.pair.b.received.wait_polling(LONG)?;
    expect_status(&cqe, UBURMA_CR_SUCCESS)?;
    check_eq!(cqe.byte_len as usize, LEN);
    Ok(())
}

/// The same with a READ, which begins when its first byte has changed.
fn ringer_is_killed_during_a_read() -> Outcome {
    let mut giants = Giants::create()?;
    giants.map.fill(0, 1, 0x11);
    giants.pair.b.memory.fill(0, 1, 0x22);
    let short = giants.pair.b.memory.remote(0);
    let list = [giants.from.sge(0, LEN)];
    let first = [giants.from.sge(0, 1)];
    let target = giants.pair.to_b();
    // The first one says that the second one is next.
    let wrs = [
        SendWr::read(target, short, &first).user_ctx(1),
        SendWr::read(target, giants.to.remote(0), &list).user_ctx(2),
        SendWr::write(target, giants.to.remote(0), &list).user_ctx(3),
    ];
    giants.pair.a.jetty.queue().post_list(&wrs)?;
    let child = ringing_child(&mut giants)?;
    let start = Instant::now();
    while giants.map.bytes(0, 1) != [0x22] {
        check!(start.elapsed() < LONG, "nothing was read");
        sys::yield_now();
    }
    kill(child)?;
    for cookie in 1..=3 {
        let cqe = giants.pair.a.sent.wait_polling(LONG)?;
        expect_status(&cqe, UBURMA_CR_SUCCESS)?;
        check_eq!(cqe.user_ctx, cookie);
    }
    Ok(())
}

/// A WRITE under way to a segment that somebody else's message invalidates.
fn segment_is_invalidated_during_a_write() -> Outcome {
    is_cut(|| {
        let mut giants = Giants::create()?;
        let mut third = Side::create(Default::default())?;
        let mark = [0x5a];
        giants.map.fill(0, 1, 0);
        giants.pair.b.memory.write(0, &mark);
        giants.pair.b.post_recv(64, 64, 1)?;
        let to_b = third.import(&giants.pair.b)?;
        let target = giants.pair.to_b();
        let (first, list) = ([giants.from.sge(0, 1)], giants.source());
        // The first one says that the second one is next.
        let wrs = [
            SendWr::read(target, giants.pair.b.memory.remote(0), &first),
            SendWr::write(target, giants.to.remote(0), &list),
        ];
        giants.pair.a.jetty.queue().post_list(&wrs)?;
        let queue_ref = giants.pair.a.jetty.queue().ring().ring().resp().queue_ref;
        let ctx = giants.pair.a.ctx.clone();
        let kicker = std::thread::spawn(move || ctx.ring(IOC_SQ_KICK, queue_ref, 0));
        let start = Instant::now();
        while giants.map.bytes(0, 1) != mark {
            check!(start.elapsed() < LONG, "nothing was read");
            sys::yield_now();
        }
        let own = [third.memory.sge(0, 8)];
        let (id, token) = (giants.to.token_id(), SEG_TOKEN);
        let wr = SendWr::send_invalidate(to_b.target_ref(), &own, id, token);
        third.expect(&wr, UBURMA_CR_SUCCESS)?;
        kicker
            .join()
            .map_err(|_| Failure::Fail("the kicker died".to_string()))??;
        expect_status(&giants.pair.a.sent.wait_polling(LONG)?, UBURMA_CR_SUCCESS)?;
        let cqe = giants.pair.a.sent.wait_polling(LONG)?;
        if u32::from(cqe.status) == UBURMA_CR_SUCCESS {
            return Ok(false);
        }
        expect_status(&cqe, UBURMA_CR_REM_ACCESS_ABORT_ERR)?;
        // Unregistering waits for the right ones.
        giants.to.unregister()?;
        Ok(true)
    })
}

/// A receiver whose user asks it to flush still gets the whole message; unlike one that goes.
fn error_state_does_not_cut_messages() -> Outcome {
    let mut giants = Giants::create()?;
    giants.post_recv()?;
    let list = [giants.from.sge(0, LEN)];
    let wr = SendWr::send(giants.pair.to_b(), &list);
    giants.pair.a.jetty.queue().post(&wr)?;
    let queue_ref = giants.pair.a.jetty.queue().ring().ring().resp().queue_ref;
    let ctx = giants.pair.a.ctx.clone();
    let kicker = std::thread::spawn(move || ctx.ring(IOC_SQ_KICK, queue_ref, 0));
    giants.wait_taken()?;
    let jfr: &Jfr = &giants.pair.b.jfr;
    jfr.set_state(UBURMA_JFR_STATE_ERROR)?;
    kicker
        .join()
        .map_err(|_| Failure::Fail("the kicker died".to_string()))??;
    expect_status(&giants.pair.a.sent.wait_polling(LONG)?, UBURMA_CR_SUCCESS)?;
    expect_status(
        &giants.pair.b.received.wait_polling(LONG)?,
        UBURMA_CR_SUCCESS,
    )?;
    Ok(())
}

pub fn main() -> ExitCode {
    ub_tests::run(
        "t-long-messages",
        tests![
            jetty_goes_during_a_message,
            jetty_goes_during_a_write_with_immediate,
            jfr_goes_during_a_message,
            ringer_is_killed_during_a_message,
            ringer_is_killed_during_a_read,
            segment_is_invalidated_during_a_write,
            error_state_does_not_cut_messages,
        ],
    )
}
