// SPDX-License-Identifier: GPL-2.0

//! Completion events, and how they are counted.

use std::os::fd::AsRawFd;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use ub_client::abi::*;
use ub_client::sys::{self, Epoll, Exit, Fork, Mapping};
use ub_client::tlv::Place;
use ub_client::{AsyncEvents, Context, Jfc, JfcCounters, Jfce, Jfr, JfrConfig, RecvWr, SendWr};
use ub_tests::fixture::{Pair, JETTY_TOKEN, SOON};
use ub_tests::listener::{Listener, RECEIVED, SENT};
use ub_tests::{check, check_eq, check_errno, tests, Failure, Outcome};

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

/// Each arm may give an event, but no more than that, and all of them are counted.
fn arming_again_and_again() -> Outcome {
    let mut side = Listener::create()?;
    side.work()?;
    for _ in 0..1000 {
        side.sent.arm(false)?;
    }
    let mut read = 0;
    loop {
        let events = side.events()?;
        check!(events.iter().all(|cookie| *cookie == SENT));
        if events.is_empty() {
            break;
        }
        read += events.len() as u32;
    }
    check!((1..=1000).contains(&read), "{read} events");
    side.target.unimport()?;
    side.jetty.destroy()?;
    check_eq!(side.sent.destroy()?.completion, read);
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
    check!(
        start.elapsed() >= Duration::from_millis(90),
        "it did not wait"
    );
    check!(
        start.elapsed() < Duration::from_secs(10),
        "it waited too long"
    );
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
    check_eq!(
        sys::poll(fd, libc::POLLIN | libc::POLLRDNORM, 5000)?,
        libc::POLLIN | libc::POLLRDNORM
    );
    check!(set.wait(5000)? & libc::EPOLLIN as u32 != 0);
    check_eq!(set.wait(0)?, 0);
    side.events()?;
    check_eq!(sys::poll(fd, libc::POLLIN, 0)?, 0);
    side.sent.poll_many(16);
    side.sent.arm(false)?;
    side.work()?;
    check!(
        set.wait(5000)? & libc::EPOLLIN as u32 != 0,
        "no second edge"
    );
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
    check_eq!(
        sys::poll(side.jfce.as_raw_fd(), libc::POLLIN, 5000)?,
        libc::POLLIN
    );
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
    for id in [
        UBURMA_JFCE_WAIT_OUT_EVENT_CNT,
        UBURMA_JFCE_WAIT_OUT_EVENT_DATA,
    ] {
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
    for id in [
        UBURMA_JFCE_WAIT_IN_MAX_EVENT_CNT,
        UBURMA_JFCE_WAIT_IN_TIME_OUT,
    ] {
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
            let done =
                cmd.run_event(fd).is_ok() && cmd.get_u32(UBURMA_JFCE_WAIT_OUT_EVENT_CNT) == 1;
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

pub fn main() -> ExitCode {
    ub_tests::run(
        "t-events",
        tests![
            no_event_unless_armed,
            one_event_per_arm,
            arm_looks_at_what_is_there,
            arming_again_and_again,
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
            channel_outlives_the_device_file,
            events_wake_other_processes,
            event_mode_transfers,
        ],
    )
}
