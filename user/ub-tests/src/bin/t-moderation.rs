// SPDX-License-Identifier: GPL-2.0

//! Completion events that are put off until there are enough, or until it takes too long.
//!
//! A write completes before its doorbell returns, so an event that is due by its completion is there
//! at once. Lower bounds of time are exact; upper ones only say that the event came at all.

use std::os::fd::AsRawFd;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::Arc;
use std::thread::sleep;
use std::time::{Duration, Instant};

use ub_client::abi::*;
use ub_client::sys::{self, Exit, Fork};
use ub_client::{Context, Device, Jfc, Jfce, Jfs, JfsConfig, Segment, SendWr, Target};
use ub_tests::fixture::{expect_status, JETTY_TOKEN, SOON};
use ub_tests::listener::{Listener, SENT};
use ub_tests::own::Own;
use ub_tests::{check, check_eq, check_errno, of_run, tests, Failure, Options, Outcome};

const COUNT: u32 = UBURMA_JFC_ATTR_MODERATE_COUNT;
const PERIOD: u32 = UBURMA_JFC_ATTR_MODERATE_PERIOD;
const BOTH: u32 = COUNT | PERIOD;

/// The longest period, in microseconds.
const LONG: u16 = u16::MAX;
/// A period that is long enough for what is done meanwhile.
const PAUSE: u16 = 50_000;

fn micros(period: u16) -> Duration {
    Duration::from_micros(period.into())
}

/// More than the longest period, on a busy machine too.
fn let_it_pass() {
    sleep(4 * micros(LONG));
}

/// A listener with moderation of the sends.
fn moderated(mask: u32, count: u16, period: u16) -> Result<Listener, Failure> {
    let side = Listener::create()?;
    side.sent.modify(mask, count, period)?;
    Ok(side)
}

/// Sends that complete.
fn work(side: &mut Listener, times: u32) -> Outcome {
    for _ in 0..times {
        side.work()?;
    }
    Ok(())
}

/// An event of the sends is there.
fn has_come(side: &Listener) -> Outcome {
    check_eq!(side.events()?, vec![SENT]);
    Ok(())
}

/// None is.
fn has_not(side: &Listener) -> Outcome {
    check_eq!(side.events()?, vec![]);
    Ok(())
}

/// One comes, a while after `start`.
fn comes_after(side: &Listener, start: Instant, period: u16) -> Outcome {
    check_eq!(side.jfce.wait(16, 5000)?, vec![SENT]);
    let passed = start.elapsed();
    check!(passed >= micros(period), "after {passed:?}");
    Ok(())
}

fn count_alone() -> Outcome {
    let mut side = moderated(COUNT, 4, 0)?;
    side.sent.arm(false)?;
    for _ in 0..3 {
        work(&mut side, 3)?;
        has_not(&side)?;
        let_it_pass();
        has_not(&side)?;
        work(&mut side, 1)?;
        has_come(&side)?;
        // Not armed any more.
        work(&mut side, 9)?;
        has_not(&side)?;
        check_eq!(side.sent.poll_many(64).len(), 13);
        side.sent.arm(false)?;
    }
    Ok(())
}

fn period_alone() -> Outcome {
    let mut side = moderated(PERIOD, 0, PAUSE)?;
    side.sent.arm(false)?;
    let_it_pass();
    has_not(&side)?;
    let start = Instant::now();
    work(&mut side, 20)?;
    comes_after(&side, start, PAUSE)?;
    work(&mut side, 1)?;
    let_it_pass();
    has_not(&side)?;
    // There are unread ones; for them it begins when the next event is asked for.
    let start = Instant::now();
    side.sent.arm(false)?;
    comes_after(&side, start, PAUSE)
}

fn whichever_is_first() -> Outcome {
    let mut side = moderated(BOTH, 3, LONG)?;
    for _ in 0..10 {
        side.sent.arm(false)?;
        work(&mut side, 3)?;
        has_come(&side)?;
        side.sent.poll_many(64);
    }
    side.sent.arm(false)?;
    let start = Instant::now();
    work(&mut side, 2)?;
    comes_after(&side, start, LONG)
}

/// The time of an event that has come is not that of the next one.
fn no_event_of_an_old_timer() -> Outcome {
    let mut side = moderated(BOTH, 2, PAUSE)?;
    side.sent.arm(false)?;
    work(&mut side, 2)?;
    has_come(&side)?;
    side.sent.poll_many(64);
    side.sent.arm(false)?;
    let_it_pass();
    has_not(&side)?;
    let start = Instant::now();
    work(&mut side, 1)?;
    comes_after(&side, start, PAUSE)
}

/// Who asks with completions unread waits for the rest of the count only.
fn unread_ones_count() -> Outcome {
    let mut side = moderated(COUNT, 4, 0)?;
    work(&mut side, 5)?;
    side.sent.arm(false)?;
    has_come(&side)?;
    side.sent.poll_many(3);
    side.sent.arm(false)?;
    has_not(&side)?;
    work(&mut side, 1)?;
    has_not(&side)?;
    work(&mut side, 1)?;
    has_come(&side)
}

/// What has been read when the time is over is not told, and does not count any more.
fn no_event_for_what_has_been_read() -> Outcome {
    let mut side = moderated(BOTH, 3, PAUSE)?;
    side.sent.arm(false)?;
    work(&mut side, 2)?;
    check_eq!(side.sent.poll_many(64).len(), 2);
    let_it_pass();
    has_not(&side)?;
    // Still asked for, and from the beginning.
    let start = Instant::now();
    work(&mut side, 2)?;
    comes_after(&side, start, PAUSE)?;
    // Those that are read before count, as long as the time is not over.
    side.sent.poll_many(64);
    side.sent.arm(false)?;
    side.sent.modify(PERIOD, 0, 0)?;
    work(&mut side, 2)?;
    check_eq!(side.sent.poll_many(64).len(), 2);
    work(&mut side, 1)?;
    has_come(&side)
}

fn asking_again_does_not_put_it_off() -> Outcome {
    let mut side = moderated(PERIOD, 0, PAUSE)?;
    work(&mut side, 1)?;
    let start = Instant::now();
    side.sent.arm(false)?;
    loop {
        check!(start.elapsed() < SOON, "it never came");
        sleep(Duration::from_millis(2));
        if side.events()? == vec![SENT] {
            break;
        }
        side.sent.arm(false)?;
    }
    check!(start.elapsed() >= micros(PAUSE));
    Ok(())
}

fn changed_while_armed() -> Outcome {
    let mut side = moderated(COUNT, 5, 0)?;
    side.sent.arm(false)?;
    work(&mut side, 2)?;
    // Fewer are enough, and have come.
    side.sent.modify(COUNT, 3, 0)?;
    has_not(&side)?;
    side.sent.modify(COUNT, 2, 0)?;
    has_come(&side)?;
    side.sent.poll_many(64);
    // A period for what has come already.
    side.sent.modify(COUNT, 5, 0)?;
    side.sent.arm(false)?;
    work(&mut side, 1)?;
    let start = Instant::now();
    side.sent.modify(PERIOD, 0, PAUSE)?;
    comes_after(&side, start, PAUSE)?;
    side.sent.poll_many(64);
    // A shorter one, and none.
    side.sent.modify(BOTH, 5, LONG)?;
    side.sent.arm(false)?;
    work(&mut side, 1)?;
    side.sent.modify(PERIOD, 0, 1)?;
    check_eq!(side.jfce.wait(16, 5000)?, vec![SENT]);
    side.sent.poll_many(64);
    side.sent.modify(PERIOD, 0, PAUSE)?;
    side.sent.arm(false)?;
    work(&mut side, 1)?;
    side.sent.modify(PERIOD, 0, 0)?;
    let_it_pass();
    has_not(&side)
}

fn switched_off_and_on_while_armed() -> Outcome {
    let mut side = moderated(BOTH, 5, LONG)?;
    side.sent.arm(false)?;
    work(&mut side, 1)?;
    has_not(&side)?;
    side.sent.modify(BOTH, 0, 0)?;
    has_come(&side)?;
    side.sent.poll_many(64);
    // Nothing has come: as usual from now on.
    side.sent.modify(BOTH, 5, LONG)?;
    side.sent.arm(false)?;
    side.sent.modify(BOTH, 0, 0)?;
    has_not(&side)?;
    work(&mut side, 1)?;
    has_come(&side)?;
    side.sent.poll_many(64);
    // And what was armed as usual is put off.
    side.sent.arm(false)?;
    side.sent.modify(COUNT, 2, 0)?;
    work(&mut side, 1)?;
    has_not(&side)?;
    work(&mut side, 1)?;
    has_come(&side)?;
    // An event for each is none at all.
    side.sent.poll_many(64);
    side.sent.modify(BOTH, 1, LONG)?;
    side.sent.arm(false)?;
    work(&mut side, 1)?;
    has_come(&side)
}

/// A request that fails.
fn failing(side: &mut Listener) -> Outcome {
    let list = [side.memory.sge(0, 16)];
    let mut remote = side.memory.remote(0);
    remote.token ^= 1;
    let wr = SendWr::write(side.target.target_ref(), remote, &list);
    Ok(side.jetty.queue().send(&wr)?)
}

fn errors_come_at_once() -> Outcome {
    let mut side = moderated(BOTH, 50, LONG)?;
    side.sent.arm(false)?;
    work(&mut side, 2)?;
    has_not(&side)?;
    failing(&mut side)?;
    has_come(&side)?;
    // Also one that came before it was armed.
    side.sent.poll_many(2);
    side.sent.arm(false)?;
    has_come(&side)?;
    expect_status(
        &side.sent.wait_polling(SOON)?,
        UBURMA_CR_REM_ACCESS_ABORT_ERR,
    )
}

/// Solicited events are chosen by who sends: they are not put off.
fn solicited_ones_come_at_once() -> Outcome {
    let mut side = Listener::create()?;
    side.received.modify(BOTH, 50, LONG)?;
    let received = ub_tests::listener::RECEIVED;
    for _ in 0..8 {
        side.post_recv()?;
    }
    side.received.arm(true)?;
    side.send(false)?;
    has_not(&side)?;
    side.send(true)?;
    check_eq!(side.events()?, vec![received]);
    side.received.poll_many(64);
    // Both asked for, in either order.
    for order in [false, true] {
        side.received.arm(order)?;
        side.received.arm(!order)?;
        side.send(false)?;
        has_not(&side)?;
        side.send(true)?;
        check_eq!(side.events()?, vec![received]);
        side.received.poll_many(64);
    }
    // Who asks for any gets none sooner by what others solicit.
    side.received.arm(false)?;
    side.send(true)?;
    has_not(&side)
}

/// A queue of 4 entries, with a queue that sends to a jetty of another.
struct Small {
    jfs: Jfs,
    target: Target,
    jfc: Jfc,
    side: Listener,
}

impl Small {
    fn create(mask: u32, count: u16, period: u16) -> Result<Self, Failure> {
        let side = Listener::create()?;
        let jfc = Jfc::create_on(&side.ctx, 4, &side.jfce, SENT)?;
        jfc.modify(mask, count, period)?;
        let jfs = Jfs::create(&side.ctx, JfsConfig::on(&jfc))?;
        let config = ub_client::TargetConfig::jetty(side.ctx.eid(), side.jetty.id(), JETTY_TOKEN);
        let target = Target::jetty(&side.ctx, config)?;
        Ok(Small {
            jfs,
            target,
            jfc,
            side,
        })
    }

    fn work(&mut self) -> Outcome {
        let list = [self.side.memory.sge(0, 16)];
        let wr = SendWr::write(self.target.target_ref(), self.side.memory.remote(64), &list);
        Ok(self.jfs.queue().send(&wr)?)
    }
}

fn a_full_queue_comes_at_once() -> Outcome {
    for (count, period) in [(1000, 0), (0, LONG), (1000, LONG)] {
        let mut small = Small::create(BOTH, count, period)?;
        small.jfc.arm(false)?;
        for _ in 0..3 {
            small.work()?;
        }
        has_not(&small.side)?;
        small.work()?;
        has_come(&small.side)?;
        small.jfc.arm(false)?;
        has_come(&small.side)?;
        check_eq!(small.jfc.poll_many(64).len(), 4);
    }
    Ok(())
}

/// The user says that it has read nothing for long, and so the queue is full although it is not.
fn an_overflow_comes_at_once() -> Outcome {
    let mut small = Small::create(BOTH, 1000, LONG)?;
    small.jfc.arm(false)?;
    small.work()?;
    has_not(&small.side)?;
    let ring = small.jfc.ring().ring();
    ring.mapping().store32(64, 0x4000_0000, Ordering::SeqCst);
    small.work()?;
    has_come(&small.side)?;
    check_eq!(small.side.ctx.events().get()?.kind, UBURMA_EVENT_JFC_ERR);
    Ok(())
}

fn values() -> Outcome {
    let side = Listener::create()?;
    for value in [0, 1, 2, 63, 64, 65, LONG] {
        side.sent.modify(COUNT, value, 7)?;
        side.sent.modify(PERIOD, 7, value)?;
        side.sent.modify(BOTH, value, value)?;
    }
    for mask in [4, 7, 8, u32::MAX] {
        check_errno!(side.sent.modify(mask, 1, 1), EINVAL);
    }
    side.sent.modify(0, 9, 9)?;
    Ok(())
}

/// A period that is set stays, whatever another thread does to the count meanwhile.
fn set_by_two_threads() -> Outcome {
    let side = Listener::create()?;
    let mut sent = Jfc::create_on(&side.ctx, 16, &side.jfce, SENT)?;
    let mut jfs = Jfs::create(&side.ctx, JfsConfig::on(&sent))?;
    let (fd, handle) = (side.ctx.dev_fd(), sent.handle());
    let over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let counter = scope.spawn(|| -> Outcome {
            while !over.load(Ordering::Relaxed) {
                Jfc::modify_cmd(handle, COUNT, 9, 0).run(fd)?;
                Jfc::modify_cmd(handle, COUNT, 0, 0).run(fd)?;
            }
            Ok(())
        });
        let result = (0..of_run(500, 20_000)).try_for_each(|round| -> Outcome {
            sent.modify(PERIOD, 0, LONG)?;
            let start = Instant::now();
            sent.arm(false)?;
            nop(&mut jfs)?;
            let events = side.events()?;
            // On a slow machine it may have passed.
            let early = start.elapsed() < micros(PAUSE);
            check!(events.is_empty() || !early, "round {round}: {events:?}");
            // It comes as soon as there is no count either, and is the only one.
            sent.modify(PERIOD, 0, 0)?;
            if events.is_empty() {
                check_eq!(side.jfce.wait(16, 5000)?, vec![SENT], "round {round}");
            }
            sent.poll_many(16);
            Ok(())
        });
        over.store(true, Ordering::Relaxed);
        let died = |_| Failure::Fail("a thread died".to_string());
        counter.join().map_err(died)?.and(result)
    })
}

fn without_a_channel() -> Outcome {
    let ctx = Context::open_first()?;
    let memory = Segment::alloc(&ctx, 4096, 1)?;
    let mut jfc = Jfc::create(&ctx, 16)?;
    jfc.modify(BOTH, 4, 1)?;
    let mut jfs = Jfs::create(&ctx, JfsConfig::on(&jfc))?;
    jfc.arm(false)?;
    let list = [memory.sge(0, 8)];
    // Of an import that there is not: it fails, which completes.
    jfs.queue()
        .send(&SendWr::write(77, memory.remote(0), &list))?;
    jfc.wait_polling(SOON)?;
    jfc.arm(false)?;
    jfs.destroy()?;
    jfc.destroy()?;
    Ok(())
}

/// Others use the same channel without moderation.
fn one_queue_of_two() -> Outcome {
    let mut side = moderated(BOTH, 9, LONG)?;
    side.sent.arm(false)?;
    side.received.arm(false)?;
    side.post_recv()?;
    let start = Instant::now();
    side.send(false)?;
    check_eq!(side.events()?, vec![ub_tests::listener::RECEIVED]);
    comes_after(&side, start, LONG)
}

fn destroyed_with_the_timer_running() -> Outcome {
    for round in 0..100u64 {
        let mut side = moderated(PERIOD, 0, 500)?;
        side.sent.arm(false)?;
        work(&mut side, 1)?;
        // Before, about when, and after it expires.
        sleep(Duration::from_micros(round * 10));
        side.target.unimport()?;
        side.jetty.destroy()?;
        let counters = side.sent.destroy()?;
        check!(counters.completion == 0);
        // It went with its queue, if it came.
        has_not(&side)?;
    }
    // Nor does it come later.
    let mut side = moderated(PERIOD, 0, LONG)?;
    side.sent.arm(false)?;
    work(&mut side, 1)?;
    side.target.unimport()?;
    side.jetty.destroy()?;
    side.sent.destroy()?;
    let_it_pass();
    has_not(&side)
}

/// A queue on a device, which waits for the end of its period; the file stays.
fn waiting_on(device: &Device, period: u16) -> Result<(Context, Jfc, Jfs), Failure> {
    let ctx = Context::open(device)?;
    let jfce = Jfce::create(&ctx)?;
    let jfc = Jfc::create_on(&ctx, 16, &jfce, 1)?;
    jfc.modify(PERIOD, 0, period)?;
    let jfs = Jfs::create(&ctx, JfsConfig::on(&jfc))?;
    jfc.arm(false)?;
    Ok((ctx, jfc, jfs))
}

/// Posts what does nothing but complete.
fn nop(jfs: &mut Jfs) -> Outcome {
    Ok(jfs.queue().send(&SendWr::nop(0))?)
}

fn removed_with_the_timer_running() -> Outcome {
    for round in 0..10u64 {
        let mut own = Own::create("ubtest0")?;
        let (_ctx, _jfc, mut jfs) = waiting_on(&own.device, 1000)?;
        nop(&mut jfs)?;
        sleep(Duration::from_micros(round * 150));
        own.remove()?;
    }
    let mut own = Own::create("ubtest0")?;
    let (ctx, jfc, mut jfs) = waiting_on(&own.device, LONG)?;
    nop(&mut jfs)?;
    own.remove()?;
    check_errno!(jfc.modify(PERIOD, 0, 1), EIO);
    let_it_pass();
    drop((jfs, jfc, ctx));
    Ok(())
}

fn killed_with_the_timer_running() -> Outcome {
    let device = Device::first()?;
    for round in 0..10u64 {
        let ready = sys::eventfd()?;
        let pid = match sys::fork()? {
            Fork::Parent(pid) => pid,
            Fork::Child => {
                sys::die_with_parent();
                let held = waiting_on(&device, 1000).and_then(|(ctx, jfc, mut jfs)| {
                    nop(&mut jfs)?;
                    Ok((ctx, jfc, jfs))
                });
                let _ = sys::write_fd(ready.as_raw_fd(), &1u64.to_ne_bytes());
                while held.is_ok() {
                    sleep(SOON);
                }
                sys::exit_now(1)
            }
        };
        sys::read_fd(ready.as_raw_fd(), &mut [0; 8])?;
        sleep(Duration::from_micros(round * 150));
        sys::kill(pid, libc::SIGKILL)?;
        check_eq!(sys::wait_for(pid)?, Exit::Signal(libc::SIGKILL));
    }
    Ok(())
}

/// One posts, the other sleeps until an event comes: none is lost, whoever is first. Once fewer than
/// `least` are missing no event needs to come.
fn nothing_is_lost(mask: u32, count: u16, period: u16, total: u32, least: u32) -> Outcome {
    let mut side = moderated(mask, count, period)?;
    let (mut jfs, target) = (
        Jfs::create(&side.ctx, JfsConfig::on(&side.sent))?,
        side.target.target_ref(),
    );
    let (local, remote) = (side.memory.sge(0, 8), side.memory.remote(64));
    let taken = Arc::new(AtomicU32::new(0));
    let seen = taken.clone();
    let poster = std::thread::spawn(move || -> Outcome {
        for i in 0..total {
            // No more than the completion queue has room for.
            while i - seen.load(Ordering::Relaxed) >= 60 {
                sys::yield_now();
            }
            jfs.queue().send(&SendWr::write(target, remote, &[local]))?;
            if i % 16 == 0 {
                sleep(Duration::from_micros(u64::from(i % 400)));
            }
        }
        Ok(())
    });
    let (mut got, mut events) = (0, 0u32);
    while got + least <= total {
        side.sent.arm(false)?;
        check_eq!(side.jfce.wait(16, 5000)?, vec![SENT], "after {got}");
        events += 1;
        got += side.sent.poll_many(64).len() as u32;
        taken.store(got, Ordering::Relaxed);
    }
    poster
        .join()
        .map_err(|_| Failure::Fail("the poster died".to_string()))??;
    got += side.sent.poll_many(64).len() as u32;
    check_eq!(got, total);
    check!(events <= total / least + 1, "{events} events");
    Ok(())
}

fn nothing_is_lost_by_count_and_period() -> Outcome {
    nothing_is_lost(BOTH, 8, 300, 3000, 1)
}

fn nothing_is_lost_by_a_short_period() -> Outcome {
    nothing_is_lost(PERIOD, 0, 1, 2000, 1)
}

fn nothing_is_lost_by_count() -> Outcome {
    nothing_is_lost(COUNT, 8, 0, 3000, 8)
}

pub fn main() -> ExitCode {
    let options = Options {
        limit: 120,
        root: true,
        ..Default::default()
    };
    ub_tests::run_with(
        "t-moderation",
        tests![
            values,
            set_by_two_threads,
            count_alone,
            period_alone,
            whichever_is_first,
            no_event_of_an_old_timer,
            unread_ones_count,
            no_event_for_what_has_been_read,
            asking_again_does_not_put_it_off,
            changed_while_armed,
            switched_off_and_on_while_armed,
            errors_come_at_once,
            solicited_ones_come_at_once,
            a_full_queue_comes_at_once,
            an_overflow_comes_at_once,
            without_a_channel,
            one_queue_of_two,
            destroyed_with_the_timer_running,
            removed_with_the_timer_running,
            killed_with_the_timer_running,
            nothing_is_lost_by_count_and_period,
            nothing_is_lost_by_a_short_period,
            nothing_is_lost_by_count,
        ],
        options,
    )
}
