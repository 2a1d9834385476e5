// SPDX-License-Identifier: GPL-2.0

//! Send queues that a thread of the kernel polls: work without doorbells.

use std::os::fd::AsRawFd;
use std::process::ExitCode;
use std::sync::atomic::Ordering;
use std::thread::sleep;
use std::time::{Duration, Instant};

use ub_client::abi::*;
use ub_client::sys::{self, Exit, Fork, Pid};
use ub_client::{Context, Device, Error, Jetty, Jfr, Jfs, JfsConfig, SendWr, Target};
use ub_tests::counters::Snapshot;
use ub_tests::fixture::{expect_status, PairConfig, Side, SOON};
use ub_tests::own::Own;
use ub_tests::{check, check_eq, check_errno, modules, of_run, tests, Failure, Options, Outcome};

/// A time in which a thread does not fall asleep by itself, in microseconds.
const LONG: u32 = UBSOFT_POLL_IDLE_MAX;
/// One in which it does at once.
const SHORT: u32 = 1;

/// So many posts meet the thread at another moment each.
fn sleeps() -> u64 {
    of_run(1500, 10_000)
}

/// Threads that poll.
fn threads() -> Result<u64, Failure> {
    Ok(Snapshot::take()?.get("ubsoft/pollers"))
}

/// A side with a polled queue beside its jetty, which sends to the jetty.
struct Polled {
    jfs: Jfs,
    target: Target,
    side: Side,
}

impl Polled {
    fn on(device: &Device, idle: u32) -> Result<Self, Failure> {
        let config = PairConfig {
            rnr_retry: 7,
            min_rnr_timer: 15,
            ..Default::default()
        };
        let side = Side::create_in(Context::open(device)?, config)?;
        let target = Target::jetty(&side.ctx, side.target_config())?;
        let jfs = Jfs::create(&side.ctx, polled(&side, idle))?;
        Ok(Polled { jfs, target, side })
    }

    fn create(idle: u32) -> Result<Self, Failure> {
        Self::on(&Device::first()?, idle)
    }

    /// Posts a write of `value` without a system call.
    fn post(&mut self, value: u64) -> Outcome {
        self.side
            .memory
            .memory()
            .store64(0, value, Ordering::SeqCst);
        let list = [self.side.memory.sge(0, 8)];
        let wr = SendWr::write(self.target.target_ref(), self.side.memory.remote(64), &list);
        Ok(self.jfs.queue().post(&wr.user_ctx(value))?)
    }

    /// Waits for its completion, and looks at what it wrote.
    fn done(&mut self, value: u64) -> Outcome {
        let cqe = self.side.sent.wait_polling(SOON)?;
        expect_status(&cqe, UBURMA_CR_SUCCESS)?;
        check_eq!(cqe.user_ctx, value);
        check_eq!(
            self.side.memory.memory().load64(64, Ordering::SeqCst),
            value
        );
        Ok(())
    }

    /// Whether the kernel wants to be told of posts.
    fn sleeps(&mut self) -> bool {
        self.jfs.queue().ring().ring().kern_flags() & UBSOFT_RING_NEED_KICK != 0
    }

    fn wait_for_sleep(&mut self) -> Outcome {
        let start = Instant::now();
        while !self.sleeps() {
            check!(start.elapsed() < SOON, "the thread does not sleep");
            sleep(Duration::from_millis(1));
        }
        Ok(())
    }
}

fn polled(side: &Side, idle: u32) -> JfsConfig {
    JfsConfig {
        poll: Some(idle),
        ..JfsConfig::on(&side.sent)
    }
}

fn traffic_without_doorbells() -> Outcome {
    let mut it = Polled::create(LONG)?;
    for i in 0..2000 {
        it.post(i)?;
        it.done(i)?;
        check!(!it.sleeps());
    }
    // Many at once, more than a run of the kernel carries out.
    for i in 0..64 {
        it.post(i)?;
    }
    for i in 0..64 {
        let cqe = it.side.sent.wait_polling(SOON)?;
        check_eq!(cqe.user_ctx, i);
    }
    Ok(())
}

fn jettys_are_polled_too() -> Outcome {
    let side = Side::create(Default::default())?;
    let mut config = ub_client::JettyConfig::on(&side.sent, &side.received, &side.jfr);
    config.send.poll = Some(LONG);
    let mut jetty = Jetty::create(&side.ctx, config)?;
    let mut peer = Side::create(Default::default())?;
    let target = side.import(&peer)?;
    let mut sent = side.sent;
    for i in 0..200u64 {
        peer.post_recv(0, 64, i)?;
        let list = [side.memory.sge(0, 64)];
        let wr = SendWr::send(target.target_ref(), &list);
        jetty.queue().post(&wr)?;
        expect_status(&sent.wait_polling(SOON)?, UBURMA_CR_SUCCESS)?;
        check_eq!(peer.wait_received()?.user_ctx, i);
    }
    Ok(())
}

fn sleeps_and_is_woken() -> Outcome {
    let mut it = Polled::create(SHORT)?;
    // The thread looks once more after it has said that it sleeps, on a busy machine much later:
    // what is posted until then is seen.
    let unseen = |it: &mut Polled| -> Result<bool, Failure> {
        it.wait_for_sleep()?;
        sleep(Duration::from_millis(20));
        it.post(1)?;
        sleep(Duration::from_millis(100));
        Ok(it.side.sent.poll().is_none())
    };
    let mut tries = 0;
    while !unseen(&mut it)? {
        tries += 1;
        check!(tries < 10, "it does not sleep");
    }
    it.jfs.queue().wake_if_needed()?;
    it.done(1)?;
    it.wait_for_sleep()?;
    // A kick works as it does without.
    it.post(2)?;
    it.jfs.queue().kick()?;
    check_eq!(it.side.sent.poll().map(|cqe| cqe.user_ctx), Some(2));
    Ok(())
}

/// The owner posts when the thread is about to sleep, sleeps, or is about to be awake.
fn nothing_is_lost_in_many_sleeps() -> Outcome {
    let mut it = Polled::create(SHORT)?;
    let (mut asleep, rounds) = (0, sleeps());
    for i in 0..rounds {
        it.post(i)?;
        asleep += u32::from(it.sleeps());
        it.jfs.queue().wake_if_needed()?;
        it.done(i)?;
        // From none to what the thread needs to fall asleep, in small steps.
        for _ in 0..i * 7 % 2000 {
            std::hint::spin_loop();
        }
    }
    println!("# asleep in {asleep} of {rounds} rounds");
    check!(asleep != 0, "it was never asleep");
    Ok(())
}

fn one_thread_for_all_queues_of_a_context() -> Outcome {
    let before = threads()?;
    let mut it = Polled::create(LONG)?;
    let more: Vec<Jfs> = (0..5)
        .map(|_| Jfs::create(&it.side.ctx, polled(&it.side, SHORT)))
        .collect::<Result<_, Error>>()?;
    check_eq!(threads()? - before, 1);
    // The largest time of all counts.
    sleep(Duration::from_millis(50));
    check!(!it.sleeps());
    let other = Polled::create(LONG)?;
    check_eq!(threads()? - before, 2);
    drop(other);
    check_eq!(threads()? - before, 1);
    drop(more);
    it.post(1)?;
    it.done(1)?;
    // It ends with the last one, and begins again.
    it.jfs.destroy()?;
    check_eq!(threads()? - before, 0);
    it.jfs = Jfs::create(&it.side.ctx, polled(&it.side, LONG))?;
    check_eq!(threads()? - before, 1);
    it.post(2)?;
    it.done(2)
}

/// Lists the processors on which each thread that polls may run.
fn processors_of_threads() -> Result<Vec<String>, Failure> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir("/proc")? {
        let status = std::fs::read_to_string(entry?.path().join("status")).unwrap_or_default();
        let field = |name: &str| {
            let line = status.lines().find_map(|line| line.strip_prefix(name));
            line.unwrap_or_default().trim().to_string()
        };
        if field("Name:").starts_with("ubsoft_poll") {
            found.push(field("Cpus_allowed_list:"));
        }
    }
    Ok(found)
}

fn thread_keeps_to_the_processors_of_its_maker() -> Outcome {
    for cpu in [0, 1] {
        let work = move || -> Result<Vec<String>, Failure> {
            sys::pin_to_cpu(cpu)?;
            let mut it = Polled::create(LONG)?;
            it.post(1)?;
            it.done(1)?;
            processors_of_threads()
        };
        let ended = std::thread::spawn(work).join();
        let list = ended.unwrap_or_else(|_| Err(Failure::Fail("it panicked".into())))?;
        check_eq!(list, [cpu.to_string()]);
    }
    Ok(())
}

fn so_many_queues_and_no_more() -> Outcome {
    let it = Polled::create(LONG)?;
    let mut more = Vec::new();
    for _ in 1..UBSOFT_POLL_QUEUES_MAX {
        more.push(Jfs::create(&it.side.ctx, polled(&it.side, SHORT))?);
    }
    check_errno!(Jfs::create(&it.side.ctx, polled(&it.side, SHORT)), ENOSPC);
    // One that is not polled, and one in the place of another one.
    Jfs::create(
        &it.side.ctx,
        JfsConfig {
            poll: None,
            ..polled(&it.side, SHORT)
        },
    )?;
    more.pop();
    Jfs::create(&it.side.ctx, polled(&it.side, SHORT))?;
    Ok(())
}

/// All queues are looked at, whoever posts most.
fn queues_take_turns() -> Outcome {
    let mut it = Polled::create(LONG)?;
    let mut other = Jfs::create(&it.side.ctx, polled(&it.side, LONG))?;
    for round in 0..200u64 {
        for _ in 0..30 {
            it.post(7)?;
        }
        let wr = SendWr::nop(0).user_ctx(1000 + round);
        other.queue().post(&wr)?;
        let mut seen = 0;
        for _ in 0..31 {
            let cqe = it.side.sent.wait_polling(SOON)?;
            seen += u32::from(cqe.user_ctx == 1000 + round);
        }
        check_eq!(seen, 1);
    }
    Ok(())
}

/// A queue that waits for its receiver is not looked at again and again, and goes on by itself.
fn waits_for_a_receiver() -> Outcome {
    let mut it = Polled::create(SHORT)?;
    let list = [it.side.memory.sge(0, 8)];
    let wr = SendWr::send(it.target.target_ref(), &list);
    it.jfs.queue().send_polled(&wr)?;
    it.wait_for_sleep()?;
    check!(it.side.sent.poll().is_none());
    it.side.post_recv(128, 64, 5)?;
    // The timer of the sender, or the receiver's kick, does it.
    expect_status(&it.side.wait_sent()?, UBURMA_CR_SUCCESS)?;
    check_eq!(it.side.wait_received()?.user_ctx, 5);
    Ok(())
}

fn errors_and_states() -> Outcome {
    let mut it = Polled::create(LONG)?;
    let list = [it.side.memory.sge(0, 8)];
    let mut remote = it.side.memory.remote(0);
    remote.token ^= 1;
    let wr = SendWr::write(it.target.target_ref(), remote, &list);
    it.jfs.queue().post_list(&[wr, SendWr::nop(0)])?;
    let status = |it: &mut Polled| -> Result<u32, Failure> {
        Ok(it.side.sent.wait_polling(SOON)?.status.into())
    };
    check_eq!(status(&mut it)?, UBURMA_CR_REM_ACCESS_ABORT_ERR);
    check_eq!(status(&mut it)?, UBURMA_CR_WR_FLUSH_ERR);
    check_eq!(status(&mut it)?, UBURMA_CR_WR_FLUSH_ERR_DONE);
    // In the error state too what is posted is flushed without a doorbell.
    it.post(2)?;
    check_eq!(status(&mut it)?, UBURMA_CR_WR_FLUSH_ERR);
    it.jfs.set_state(UBURMA_JETTY_STATE_RESET)?;
    it.jfs.set_state(UBURMA_JETTY_STATE_READY)?;
    it.post(3)?;
    it.done(3)
}

/// Indices that make no sense, forwards and backwards, all the time.
fn hostile_indices() -> Outcome {
    let mut it = Polled::create(LONG)?;
    let ring = it.jfs.queue().ring().ring();
    for i in 0..20_000u32 {
        ring.mapping()
            .store32(64, i.wrapping_mul(0x9e37_79b9), Ordering::SeqCst);
        // What the kernel says is the user's to overwrite; that harms nobody.
        ring.mapping().store32(132, i, Ordering::SeqCst);
    }
    it.jfs.destroy()?;
    // The thread serves others.
    it.jfs = Jfs::create(&it.side.ctx, polled(&it.side, LONG))?;
    it.side.sent.poll_many(10_000);
    it.post(3)?;
    loop {
        let cqe = it.side.sent.wait_polling(SOON)?;
        if cqe.user_ctx == 3 && cqe.status == 0 {
            return Ok(());
        }
    }
}

fn requests_are_checked() -> Outcome {
    let it = Polled::create(LONG)?;
    let with = |request: ubsoft_queue_req| -> ub_client::Result<()> {
        let mut cmd = Jfs::create_cmd(JfsConfig::on(&it.side.sent))
            .without(UBURMA_CREATE_JFS_IN_UDATA)
            .without(UBURMA_CREATE_JFS_OUT_UDATA)
            .udata(
                UBURMA_CREATE_JFS_IN_UDATA,
                None,
                sys::bytes_of(&request),
                std::mem::size_of::<ubsoft_queue_resp>(),
            );
        it.side.ctx.run(&mut cmd)?;
        let handle = cmd.get_u64(UBURMA_CREATE_JFS_OUT_HANDLE);
        it.side.ctx.run(&mut Jfs::delete_cmd(handle))
    };
    let good = ubsoft_queue_req {
        flags: UBSOFT_QUEUE_POLL,
        ..Default::default()
    };
    with(good)?;
    for (flags, poll_idle, last) in [
        (UBSOFT_QUEUE_POLL, UBSOFT_POLL_IDLE_MAX + 1, 0),
        (UBSOFT_QUEUE_POLL, u32::MAX, 0),
        (0, 1, 0),
        (2, 0, 0),
        (UBSOFT_QUEUE_POLL | 4, 1, 0),
        (UBSOFT_QUEUE_POLL, 1, 1),
    ] {
        let bad = ubsoft_queue_req {
            flags,
            poll_idle,
            reserved: [0, 0, 0, last],
            ..good
        };
        check_errno!(with(bad), EINVAL);
    }
    // Whatever else is wrong, no thread stays.
    let ctx = Context::open_first()?;
    let before = threads()?;
    let config = JfsConfig {
        jfc: it.side.sent.handle(),
        depth: u32::MAX,
        ..polled(&it.side, LONG)
    };
    check!(Jfs::create(&it.side.ctx, config).is_err());
    check!(Jfs::create(&ctx, polled(&it.side, LONG)).is_err());
    check_eq!(threads()?, before);
    Ok(())
}

/// Runs something as a user without privileges.
fn as_user(work: impl FnOnce() -> Outcome) -> Outcome {
    match sys::fork()? {
        Fork::Parent(pid) => check_eq!(sys::wait_for(pid)?, Exit::Code(0)),
        Fork::Child => {
            let done = sys::become_user(23456)
                .map_err(Failure::from)
                .and_then(|()| work());
            if let Err(why) = &done {
                println!("# {why:?}");
            }
            sys::exit_now(i32::from(done.is_err()))
        }
    }
    Ok(())
}

fn not_for_everybody() -> Outcome {
    let first = Device::first()?;
    as_user(|| {
        match Polled::on(&first, LONG) {
            Err(Failure::Fail(why)) => {
                check!(
                    why.contains("EPERM") || why.contains("not permitted"),
                    "{why}"
                )
            }
            _ => return Err(Failure::Fail("anybody may".to_string())),
        }
        let side = Side::create(Default::default())?;
        check_errno!(Jfs::create(&side.ctx, polled(&side, LONG)), EPERM);
        Ok(())
    })?;
    let own = Own::create("ubtest0")?;
    check_eq!(own.get("poll")?, "0");
    let refused = || {
        as_user(|| {
            let side = Side::create_in(Context::open(&own.device)?, Default::default())?;
            check_errno!(Jfs::create(&side.ctx, polled(&side, LONG)), EPERM);
            Ok(())
        })
    };
    refused()?;
    own.set("poll", "1")?;
    check_eq!(own.get("poll")?, "1");
    as_user(|| {
        let mut it = Polled::on(&own.device, LONG)?;
        it.post(1)?;
        it.done(1)
    })?;
    check_errno!(own.set("poll", "2"), EINVAL);
    check_errno!(own.set("poll", "yes"), EINVAL);
    own.set("poll", "0")?;
    refused()
}

fn destroyed_with_posts_under_way() -> Outcome {
    for round in 0..100u64 {
        let mut it = Polled::create(if round % 2 == 0 { LONG } else { SHORT })?;
        for i in 0..round % 32 {
            it.post(i)?;
        }
        if round % 3 == 0 {
            it.jfs.queue().wake_if_needed()?;
        }
        it.jfs.destroy()?;
        // Nothing comes any more.
        let seen = it.side.sent.poll_many(64).len();
        sleep(Duration::from_micros(100));
        check_eq!(it.side.sent.poll_many(64).len(), 0, "after {seen}");
    }
    Ok(())
}

/// Posts for ever, without waiting.
fn post_for_ever(device: &Device, idle: u32, under_way: i32) -> Outcome {
    let mut it = Polled::on(device, idle)?;
    it.post(0)?;
    it.jfs.queue().wake_if_needed()?;
    it.done(0)?;
    sys::write_fd(under_way, &1u64.to_ne_bytes())?;
    let start = Instant::now();
    loop {
        while it.jfs.queue().ring().space() != 0 {
            it.post(1)?;
        }
        match it.jfs.queue().wake_if_needed() {
            Err(err) if err.errno() == libc::EIO => return Ok(()),
            other => other?,
        }
        it.side.sent.poll_many(64);
        check!(start.elapsed() < 3 * SOON, "nobody ended it");
    }
}

/// Starts some that post for ever, and waits until they do.
fn start(device: &Device) -> Result<Vec<Pid>, Failure> {
    let under_way = sys::eventfd()?;
    let mut children = Vec::new();
    for idle in [LONG, SHORT] {
        match sys::fork()? {
            Fork::Parent(pid) => children.push(pid),
            Fork::Child => {
                sys::die_with_parent();
                let done = post_for_ever(device, idle, under_way.as_raw_fd());
                if let Err(why) = &done {
                    eprintln!("# child: {why:?}");
                }
                sys::exit_now(i32::from(done.is_err()))
            }
        }
    }
    let mut working = 0;
    while working < children.len() as u64 {
        let mut count = [0; 8];
        sys::read_fd(under_way.as_raw_fd(), &mut count)?;
        working += u64::from_ne_bytes(count);
    }
    Ok(children)
}

/// No thread is left after a while.
fn threads_end(before: u64) -> Outcome {
    let begun = Instant::now();
    while threads()? != before {
        check!(begun.elapsed() < SOON, "threads are left");
        sleep(Duration::from_millis(10));
    }
    Ok(())
}

fn killed_under_way() -> Outcome {
    let before = threads()?;
    for round in 0..5 {
        let children = start(&Device::first()?)?;
        sleep(Duration::from_millis(round * 10));
        for child in children {
            sys::kill(child, libc::SIGKILL)?;
            check_eq!(sys::wait_for(child)?, Exit::Signal(libc::SIGKILL));
        }
        threads_end(before)?;
    }
    Ok(())
}

/// The process ends, and with it its mappings, while its files stay open elsewhere.
fn exits_under_way() -> Outcome {
    let before = threads()?;
    let (here, there) = sys::message_pair()?;
    let pid = match sys::fork()? {
        Fork::Parent(pid) => pid,
        Fork::Child => {
            let done = (|| -> Outcome {
                let mut it = Polled::create(LONG)?;
                for i in 0..10 {
                    it.post(i)?;
                }
                sys::send_fds(there.as_raw_fd(), &[it.side.ctx.dev_fd()])?;
                sys::exit_now(0)
            })();
            sys::exit_now(i32::from(done.is_err()))
        }
    };
    let files = sys::receive_fds(here.as_raw_fd(), 20_000)?;
    check_eq!(sys::wait_for(pid)?, Exit::Code(0));
    threads_end(before)?;
    drop(files);
    Ok(())
}

fn removed_under_way() -> Outcome {
    for round in 0..5 {
        let mut own = Own::create("ubtest0")?;
        let children = start(&own.device)?;
        sleep(Duration::from_millis(round * 10));
        own.remove()?;
        check_eq!(threads()?, 0);
        for child in children {
            // It is told to kick, which tells it the rest.
            check_eq!(sys::wait_for(child)?, Exit::Code(0));
        }
    }
    Ok(())
}

fn unloaded_under_way() -> Outcome {
    let children = start(&Device::first()?)?;
    let mut it = Polled::create(SHORT)?;
    it.wait_for_sleep()?;
    let unloaded = modules::unload("ubsoft");
    modules::load_all()?;
    unloaded?;
    for child in children {
        check_eq!(sys::wait_for(child)?, Exit::Code(0));
    }
    check!(it.sleeps());
    check_errno!(it.jfs.queue().wake_if_needed(), EIO);
    Ok(())
}

/// Receive queues tell by the same flag of something else.
fn receive_queues_are_as_ever() -> Outcome {
    let mut it = Polled::create(SHORT)?;
    it.wait_for_sleep()?;
    let jfr: &Jfr = &it.side.jfr;
    check_eq!(jfr.ring().ring().kern_flags() & UBSOFT_RING_NEED_KICK, 0);
    Ok(())
}

pub fn main() -> ExitCode {
    let options = Options {
        limit: 120,
        root: true,
        ..Default::default()
    };
    ub_tests::run_with(
        "t-sqpoll",
        tests![
            traffic_without_doorbells,
            jettys_are_polled_too,
            sleeps_and_is_woken,
            nothing_is_lost_in_many_sleeps,
            one_thread_for_all_queues_of_a_context,
            thread_keeps_to_the_processors_of_its_maker,
            so_many_queues_and_no_more,
            queues_take_turns,
            waits_for_a_receiver,
            errors_and_states,
            hostile_indices,
            requests_are_checked,
            not_for_everybody,
            destroyed_with_posts_under_way,
            killed_under_way,
            exits_under_way,
            removed_under_way,
            receive_queues_are_as_ever,
            unloaded_under_way,
        ],
        options,
    )
}
