// SPDX-License-Identifier: GPL-2.0

//! Completion events, asynchronous events, and how they are counted.

use std::os::fd::AsRawFd;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use ub_client::abi::*;
use ub_client::sys::{self, Epoll, Exit, Fork, Mapping};
use ub_client::tlv::Place;
use ub_client::{
    AsyncEvent, AsyncEvents, Context, Jetty, JettyConfig, Jfc, JfcCounters, Jfce, Jfr, JfrConfig,
    Jfs, JfsConfig, RecvWr, SendWr,
};
use ub_tests::fixture::{Pair, Side, JETTY_TOKEN, SOON};
use ub_tests::{check, check_eq, check_errno, tests, Failure, Outcome};

/// Cookies of the JFCs of a listener.
const SENT: u64 = 0x1111_2222_3333_4444;
const RECEIVED: u64 = 0x5555_6666_7777_8888;
/// Cookies of its queues.
const JFR: u64 = 0xaaaa_0000_0000_0001;
const JETTY: u64 = 0xbbbb_0000_0000_0002;

/// A side whose completions go to one channel, which sends to itself.
struct Listener {
    target: ub_client::Target,
    jetty: Jetty,
    jfr: Jfr,
    sent: Jfc,
    received: Jfc,
    memory: ub_client::Segment,
    jfce: Jfce,
    ctx: Context,
}

impl Listener {
    fn create() -> Result<Self, Failure> {
        let ctx = Context::open_first()?;
        let jfce = Jfce::create(&ctx)?;
        let memory = ub_client::Segment::alloc(&ctx, 8192, 1)?;
        let sent = Jfc::create_on(&ctx, 64, &jfce, SENT)?;
        let received = Jfc::create_on(&ctx, 64, &jfce, RECEIVED)?;
        let jfr = Jfr::create(
            &ctx,
            JfrConfig {
                token: JETTY_TOKEN,
                cookie: JFR,
                ..JfrConfig::on(&received)
            },
        )?;
        let jetty = Jetty::create(
            &ctx,
            JettyConfig {
                cookie: JETTY,
                ..JettyConfig::on(&sent, &received, &jfr)
            },
        )?;
        let config = ub_client::TargetConfig::jetty(ctx.eid(), jetty.id(), JETTY_TOKEN);
        let target = ub_client::Target::jetty(&ctx, config)?;
        Ok(Listener {
            target,
            jetty,
            jfr,
            sent,
            received,
            memory,
            jfce,
            ctx,
        })
    }

    fn post_recv(&mut self) -> Outcome {
        let list = [self.memory.sge(4096, 64)];
        Ok(self.jfr.post(&RecvWr::new(&list))?)
    }

    fn send(&mut self, solicited: bool) -> Outcome {
        let list = [self.memory.sge(0, 16)];
        let wr = SendWr::send(self.target.target_ref(), &list);
        let wr = if solicited { wr.solicited() } else { wr };
        Ok(self.jetty.queue().send(&wr)?)
    }

    /// A request whose completion comes at once.
    fn work(&mut self) -> Outcome {
        let list = [self.memory.sge(0, 16)];
        let wr = SendWr::write(self.target.target_ref(), self.memory.remote(100), &list);
        Ok(self.jetty.queue().send(&wr)?)
    }

    /// Events that are there.
    fn events(&self) -> Result<Vec<u64>, Failure> {
        match self.jfce.wait(16, 0) {
            Ok(events) => Ok(events),
            Err(err) if err.errno() == libc::EAGAIN => Ok(Vec::new()),
            Err(err) => Err(err.into()),
        }
    }
}

fn no_event_unless_armed() -> Outcome {
    let mut side = Listener::create()?;
    side.work()?;
    side.sent.wait_polling(SOON)?;
    check_eq!(side.events()?, vec![]);
    check_eq!(sys::poll(side.jfce.as_raw_fd(), libc::POLLIN, 0)?, 0);
    Ok(())
}

fn one_event_per_arm() -> Outcome {
    let mut side = Listener::create()?;
    side.sent.arm(false)?;
    check_eq!(side.events()?, vec![]);
    for _ in 0..3 {
        side.work()?;
    }
    check_eq!(side.jfce.wait(16, 5000)?, vec![SENT]);
    check_eq!(side.events()?, vec![]);
    check_eq!(side.sent.poll_many(16).len(), 3);
    Ok(())
}

fn arm_looks_at_what_is_there() -> Outcome {
    let mut side = Listener::create()?;
    side.work()?;
    side.work()?;
    side.sent.wait_polling(SOON)?;
    // One is left unread.
    side.sent.arm(false)?;
    check_eq!(side.jfce.wait(16, 5000)?, vec![SENT]);
    side.sent.wait_polling(SOON)?;
    side.sent.arm(false)?;
    check_eq!(side.events()?, vec![]);
    Ok(())
}

fn one_event_outstanding() -> Outcome {
    let mut side = Listener::create()?;
    side.work()?;
    for _ in 0..1000 {
        side.sent.arm(false)?;
    }
    check_eq!(side.events()?.len(), 1);
    check_eq!(side.events()?, vec![]);
    Ok(())
}

fn solicited_only() -> Outcome {
    let mut side = Listener::create()?;
    for _ in 0..3 {
        side.post_recv()?;
    }
    side.received.arm(true)?;
    side.send(false)?;
    side.received.wait_polling(SOON)?;
    check_eq!(side.events()?, vec![]);
    side.send(true)?;
    check_eq!(side.jfce.wait(16, 5000)?, vec![RECEIVED]);
    side.received.wait_polling(SOON)?;
    // An unread solicited one counts when armed afterwards.
    side.send(true)?;
    side.received.arm(true)?;
    check_eq!(side.jfce.wait(16, 5000)?, vec![RECEIVED]);
    Ok(())
}

fn errors_count_as_solicited() -> Outcome {
    let mut side = Listener::create()?;
    side.sent.arm(true)?;
    let list = [side.memory.sge(0, 16)];
    let mut remote = side.memory.remote(0);
    remote.token ^= 1;
    let wr = SendWr::write(side.target.target_ref(), remote, &list);
    side.jetty.queue().send(&wr)?;
    check_eq!(side.jfce.wait(16, 5000)?, vec![SENT]);
    Ok(())
}

fn events_of_two_queues() -> Outcome {
    let mut side = Listener::create()?;
    side.post_recv()?;
    side.sent.arm(false)?;
    side.received.arm(false)?;
    side.send(false)?;
    let mut events = side.jfce.wait(16, 5000)?;
    while events.len() < 2 {
        events.extend(side.jfce.wait(16, 5000)?);
    }
    events.sort_unstable();
    check_eq!(events, vec![SENT, RECEIVED]);
    Ok(())
}

fn takes_no_more_than_asked() -> Outcome {
    let mut side = Listener::create()?;
    side.post_recv()?;
    side.sent.arm(false)?;
    side.received.arm(false)?;
    side.send(false)?;
    check_eq!(side.jfce.wait(1, 5000)?.len(), 1);
    check_eq!(side.jfce.wait(1, 5000)?.len(), 1);
    check_eq!(side.events()?, vec![]);
    check_errno!(side.jfce.wait(0, 0), EAGAIN | EINVAL);
    // More than fit are asked for: no more than fit are written.
    side.post_recv()?;
    side.sent.poll_many(16);
    side.received.poll_many(16);
    side.received.arm(false)?;
    side.send(false)?;
    let mut cmd = Jfce::wait_cmd(1000, 5000);
    cmd.run_event(side.jfce.as_raw_fd())?;
    check_eq!(cmd.get_u32(UBURMA_JFCE_WAIT_OUT_EVENT_CNT), 1);
    Ok(())
}

fn timeouts() -> Outcome {
    let side = Listener::create()?;
    let start = Instant::now();
    check_errno!(side.jfce.wait(16, 0), EAGAIN);
    check_eq!(side.jfce.wait(16, 100)?, vec![]);
    check!(start.elapsed() >= Duration::from_millis(90), "it did not wait");
    check!(start.elapsed() < Duration::from_secs(10), "it waited too long");
    sys::set_nonblocking(&side.jfce, true)?;
    check_errno!(side.jfce.wait(16, 0), EAGAIN);
    Ok(())
}

fn waiting_is_ended_by_an_event() -> Outcome {
    let mut side = Listener::create()?;
    side.sent.arm(false)?;
    let fd = side.jfce.as_raw_fd();
    let waiter = std::thread::spawn(move || {
        let mut cmd = Jfce::wait_cmd(16, -1);
        cmd.run_event(fd)
            .map(|()| cmd.get_u32(UBURMA_JFCE_WAIT_OUT_EVENT_CNT))
    });
    std::thread::sleep(Duration::from_millis(100));
    side.work()?;
    let count = waiter
        .join()
        .map_err(|_| Failure::Fail("the waiter died".to_string()))??;
    check_eq!(count, 1);
    Ok(())
}

fn waiting_is_ended_by_a_signal() -> Outcome {
    let ctx = Context::open_first()?;
    let jfce = Jfce::create(&ctx)?;
    sys::interrupt_on(libc::SIGALRM)?;
    sys::alarm(1);
    check_errno!(jfce.wait(16, -1), EINTR);
    sys::alarm(1);
    check_errno!(jfce.wait(16, 30_000), EINTR);
    sys::alarm(1);
    check_errno!(ctx.events().get(), EINTR);
    sys::alarm(60);
    Ok(())
}

fn poll_and_epoll() -> Outcome {
    let mut side = Listener::create()?;
    let fd = side.jfce.as_raw_fd();
    let set = Epoll::new(fd, (libc::EPOLLIN | libc::EPOLLET) as u32)?;
    check_eq!(set.wait(0)?, 0);
    side.sent.arm(false)?;
    side.work()?;
    check_eq!(sys::poll(fd, libc::POLLIN | libc::POLLRDNORM, 5000)?,
        libc::POLLIN | libc::POLLRDNORM);
    check!(set.wait(5000)? & libc::EPOLLIN as u32 != 0);
    check_eq!(set.wait(0)?, 0);
    side.events()?;
    check_eq!(sys::poll(fd, libc::POLLIN, 0)?, 0);
    side.sent.poll_many(16);
    side.sent.arm(false)?;
    side.work()?;
    check!(set.wait(5000)? & libc::EPOLLIN as u32 != 0, "no second edge");
    Ok(())
}

fn delete_tells_what_was_delivered() -> Outcome {
    let mut side = Listener::create()?;
    for _ in 0..3 {
        side.sent.arm(false)?;
        side.work()?;
        check_eq!(side.jfce.wait(16, 5000)?.len(), 1);
        side.sent.poll_many(16);
    }
    // One more that is not read.
    side.sent.arm(false)?;
    side.work()?;
    check_eq!(sys::poll(side.jfce.as_raw_fd(), libc::POLLIN, 5000)?, libc::POLLIN);
    side.target.unimport()?;
    side.jetty.destroy()?;
    let counters = side.sent.destroy()?;
    check_eq!(
        counters,
        JfcCounters {
            completion: 3,
            asynchronous: 0
        }
    );
    // It went with its queue.
    check_eq!(side.events()?, vec![]);
    check_eq!(sys::poll(side.jfce.as_raw_fd(), libc::POLLIN, 0)?, 0);
    Ok(())
}

fn lost_copies_do_not_count() -> Outcome {
    let mut side = Listener::create()?;
    let page = Mapping::read_only(4096)?;
    side.sent.arm(false)?;
    side.work()?;
    for id in [UBURMA_JFCE_WAIT_OUT_EVENT_CNT, UBURMA_JFCE_WAIT_OUT_EVENT_DATA] {
        let mut cmd = Jfce::wait_cmd(16, 1000);
        cmd.attr_mut(id).place = Place::Address(page.addr());
        check_errno!(cmd.run_event(side.jfce.as_raw_fd()), EFAULT);
    }
    check_eq!(side.jfce.wait(16, 5000)?, vec![SENT]);
    side.target.unimport()?;
    side.jetty.destroy()?;
    check_eq!(side.sent.destroy()?.completion, 1);
    Ok(())
}

fn bad_event_commands() -> Outcome {
    let ctx = Context::open_first()?;
    let jfce = Jfce::create(&ctx)?;
    let fd = jfce.as_raw_fd();
    let fresh = || Jfce::wait_cmd(16, 0);
    for command in [0, 2, 3, 4, u32::MAX] {
        let mut cmd = fresh();
        cmd.set_command(command);
        check_errno!(cmd.run_event(fd), EINVAL);
    }
    for len in [0, 8, 15, 17, 256, 4096, u32::MAX] {
        let mut cmd = fresh();
        cmd.set_args_len(len);
        check_errno!(cmd.run_event(fd), EINVAL);
    }
    for id in [UBURMA_JFCE_WAIT_IN_MAX_EVENT_CNT, UBURMA_JFCE_WAIT_IN_TIME_OUT] {
        check_errno!(fresh().without(id).run_event(fd), EINVAL);
        let mut cmd = fresh();
        cmd.attr_mut(id).field_size = 8;
        check_errno!(cmd.run_event(fd), EINVAL);
    }
    let mut cmd = fresh();
    cmd.set_args_addr(0);
    check_errno!(cmd.run_event(fd), EINVAL);
    let mut cmd = fresh();
    cmd.set_args_addr(8);
    check_errno!(cmd.run_event(fd), EFAULT);
    // Each file has its own command.
    check_errno!(fresh().run_event(ctx.events().as_raw_fd()), EINVAL);
    check_errno!(AsyncEvents::get_cmd().run_event(fd), EINVAL);
    Ok(())
}

fn async_event_file() -> Outcome {
    let ctx = Context::open_first()?;
    check_eq!(ctx.events().poll_now()?, 0);
    sys::set_nonblocking(ctx.events(), true)?;
    check_errno!(ctx.events().get(), EAGAIN);
    Ok(())
}

/// Overflows the CQ of a JFS that stands alone: one error of the JFC.
fn jfc_error() -> Outcome {
    let peer = Side::create(Default::default())?;
    let ctx = Context::open_first()?;
    let memory = ub_client::Segment::alloc(&ctx, 4096, 1)?;
    let mut jfc = Jfc::create_with(
        &ctx,
        ub_client::JfcConfig {
            depth: 4,
            cookie: 0xcc,
            ..Default::default()
        },
    )?;
    let entries = jfc.ring().ring().resp().entries;
    let mut jfs = Jfs::create(&ctx, JfsConfig { cookie: 0x15, ..JfsConfig::on(&jfc) })?;
    let target = ub_client::Target::jetty(&ctx, peer.target_config())?;
    let list = [memory.sge(0, 8)];
    for _ in 0..entries + 2 {
        let wr = SendWr::write(target.target_ref(), peer.memory.remote(0), &list);
        jfs.queue().send(&wr)?;
    }
    let event = ctx.events().get_within(5000)?;
    check_eq!(event, Some(AsyncEvent { kind: UBURMA_EVENT_JFC_ERR, data: 0xcc }));
    check!(jfc.ring().ring().kern_flags() & UBSOFT_RING_OVERFLOW != 0);
    drop(target);
    jfs.destroy()?;
    check_eq!(jfc.destroy()?.asynchronous, 1);
    Ok(())
}

/// An index that cannot be is an error of the queue.
fn queue_error() -> Outcome {
    let mut side = Listener::create()?;
    let ring = side.jetty.queue().ring().ring();
    ring.set_user_idx(0x4000_0000);
    let _ = side.jetty.queue().kick();
    let event = side.ctx.events().get_within(5000)?;
    check_eq!(event, Some(AsyncEvent { kind: UBURMA_EVENT_JETTY_ERR, data: JETTY }));
    check!(side.jetty.queue().ring().ring().kern_flags() & UBSOFT_RING_ERROR != 0);
    side.target.unimport()?;
    check_eq!(side.jetty.destroy()?, 1);
    Ok(())
}

fn jfr_limit() -> Outcome {
    let mut side = Listener::create()?;
    for _ in 0..4 {
        side.post_recv()?;
    }
    side.jfr.set_threshold(3)?;
    side.send(false)?;
    side.received.wait_polling(SOON)?;
    check_eq!(side.ctx.events().get_within(200)?, None);
    side.send(false)?;
    let event = side.ctx.events().get_within(5000)?;
    check_eq!(event, Some(AsyncEvent { kind: UBURMA_EVENT_JFR_LIMIT, data: JFR }));
    // Once only.
    side.send(false)?;
    check_eq!(side.ctx.events().get_within(200)?, None);
    side.target.unimport()?;
    side.jetty.destroy()?;
    check_eq!(side.jfr.destroy()?, 1);
    Ok(())
}

fn unread_async_events_do_not_count() -> Outcome {
    let mut side = Listener::create()?;
    side.jetty.queue().ring().ring().set_user_idx(0x4000_0000);
    let _ = side.jetty.queue().kick();
    check_eq!(
        sys::poll(side.ctx.events().as_raw_fd(), libc::POLLIN, 5000)?,
        libc::POLLIN
    );
    side.target.unimport()?;
    check_eq!(side.jetty.destroy()?, 0);
    check_eq!(side.ctx.events().poll_now()?, 0);
    Ok(())
}

fn channel_outlives_the_device_file() -> Outcome {
    let side = Listener::create()?;
    let (jfce_fd, async_fd) = (side.jfce.as_raw_fd(), side.ctx.events().as_raw_fd());
    match sys::fork()? {
        Fork::Child => {
            // The files of the child stay open after those of the device are closed here.
            let work = || -> Outcome {
                check_errno!(Jfce::wait_cmd(1, 0).run_event(jfce_fd), EAGAIN | EIO);
                sys::close_raw(side.ctx.dev_fd())?;
                sys::close_raw(side.ctx.doorbell_fd())?;
                check_errno!(Jfce::wait_cmd(1, 0).run_event(jfce_fd), EAGAIN | EIO);
                sys::poll(async_fd, libc::POLLIN, 0)?;
                Ok(())
            };
            let done = work();
            sys::exit_now(i32::from(done.is_err()))
        }
        Fork::Parent(pid) => check_eq!(sys::wait_for(pid)?, Exit::Code(0)),
    }
    Ok(())
}

/// The last event in, the channel is closed while somebody waits in another process.
fn events_wake_other_processes() -> Outcome {
    let mut side = Listener::create()?;
    side.sent.arm(false)?;
    let fd = side.jfce.as_raw_fd();
    let child = match sys::fork()? {
        Fork::Child => {
            let mut cmd = Jfce::wait_cmd(16, 20_000);
            let done = cmd.run_event(fd).is_ok()
                && cmd.get_u32(UBURMA_JFCE_WAIT_OUT_EVENT_CNT) == 1;
            sys::exit_now(i32::from(!done))
        }
        Fork::Parent(pid) => pid,
    };
    std::thread::sleep(Duration::from_millis(100));
    side.work()?;
    check_eq!(sys::wait_for(child)?, Exit::Code(0));
    Ok(())
}

fn event_mode_transfers() -> Outcome {
    let mut pair = Pair::create()?;
    let jfce = Jfce::create(&pair.b.ctx)?;
    let mut received = Jfc::create_on(&pair.b.ctx, 64, &jfce, 9)?;
    let mut jfr = Jfr::create(
        &pair.b.ctx,
        JfrConfig {
            token: JETTY_TOKEN,
            ..JfrConfig::on(&received)
        },
    )?;
    let config = ub_client::TargetConfig {
        id: jfr.id(),
        ..pair.b.target_config()
    };
    let target = ub_client::Target::jfr(&pair.a.ctx, config)?;
    for i in 0..200u64 {
        let list = [pair.b.memory.sge(0, 64)];
        jfr.post(&RecvWr::new(&list).user_ctx(i))?;
        let list = [pair.a.memory.sge(0, 64)];
        let wr = SendWr::send(target.target_ref(), &list);
        pair.a.expect(&wr, UBURMA_CR_SUCCESS)?;
        check_eq!(received.wait_event(&jfce, SOON)?.user_ctx, i);
    }
    Ok(())
}

fn main() -> ExitCode {
    ub_tests::run(
        "t-events",
        tests![
            no_event_unless_armed,
            one_event_per_arm,
            arm_looks_at_what_is_there,
            one_event_outstanding,
            solicited_only,
            errors_count_as_solicited,
            events_of_two_queues,
            takes_no_more_than_asked,
            timeouts,
            waiting_is_ended_by_an_event,
            waiting_is_ended_by_a_signal,
            poll_and_epoll,
            delete_tells_what_was_delivered,
            lost_copies_do_not_count,
            bad_event_commands,
            async_event_file,
            jfc_error,
            queue_error,
            jfr_limit,
            unread_async_events_do_not_count,
            channel_outlives_the_device_file,
            events_wake_other_processes,
            event_mode_transfers,
        ],
    )
}
