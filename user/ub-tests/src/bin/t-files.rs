// SPDX-License-Identifier: GPL-2.0

//! The files of a context in other hands: duplicated, passed on, inherited, watched, and closed
//! while somebody uses them.

use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use ub_client::abi::*;
use ub_client::sys::{self, Epoll, Exit, Fork, MapFlags, Mapping};
use ub_client::{
    AsyncEvents, Context, Device, Jfc, Jfce, Segment, SegmentConfig, SendWr, Target, Token,
};
use ub_tests::fixture::{Side, SOON};
use ub_tests::listener::Listener;
use ub_tests::{check, check_eq, check_errno, tests, Failure, Outcome};

/// Runs a command in a file that is named by its number.
fn create_jfc(fd: RawFd) -> ub_client::Result<u64> {
    let mut cmd = Jfc::create_cmd(Default::default());
    cmd.run(fd)?;
    Ok(cmd.get_u64(UBURMA_CREATE_JFC_OUT_HANDLE))
}

/// Each kind of file works through a duplicate, when the first descriptor is closed.
fn duplicates() -> Outcome {
    let mut side = Listener::create()?;
    let names = [
        side.ctx.dev_fd(),
        side.ctx.doorbell_fd(),
        side.ctx.events().as_raw_fd(),
        side.jfce.as_raw_fd(),
    ];
    let copies: Vec<OwnedFd> = names
        .iter()
        .map(|fd| sys::duplicate(*fd))
        .collect::<Result<_, _>>()?;
    // They share what is asked of the file, not of the descriptor.
    sys::set_nonblocking(&copies[2], true)?;
    check_errno!(side.ctx.events().get(), EAGAIN);
    side.sent.arm(false)?;
    for fd in names {
        sys::close_raw(fd)?;
    }
    let [dev, bell, events, jfce] = &copies[..] else {
        return Err(Failure::Fail("four files".to_string()));
    };
    let handle = create_jfc(dev.as_raw_fd())?;
    Jfc::delete_cmd(handle).run(dev.as_raw_fd())?;
    let list = [side.memory.sge(0, 16)];
    let wr = SendWr::write(side.target.target_ref(), side.memory.remote(100), &list);
    side.jetty.queue().post(&wr)?;
    let queue = side.jetty.queue().ring().ring().resp().queue_ref;
    check_eq!(
        sys::ioctl(bell.as_raw_fd(), IOC_SQ_KICK, u64::from(queue)),
        Ok(0)
    );
    let mut wait = Jfce::wait_cmd(16, 5000);
    wait.run_event(jfce.as_raw_fd())?;
    check_eq!(wait.get_u32(UBURMA_JFCE_WAIT_OUT_EVENT_CNT), 1);
    check_errno!(AsyncEvents::get_cmd().run_event(events.as_raw_fd()), EAGAIN);
    // Nothing of that is to be closed again under numbers that may be somebody else's.
    std::mem::forget(side);
    Ok(())
}

/// A process that gets the files of another one: it may use its objects, but neither its own memory
/// nor mappings, and its own handles stay its own.
fn passed_on() -> Outcome {
    let (here, there) = sys::message_pair()?;
    let child = match sys::fork()? {
        Fork::Parent(pid) => pid,
        Fork::Child => {
            drop(here);
            let done = stranger(there.as_raw_fd());
            if let Err(why) = &done {
                println!("# {why:?}");
            }
            sys::exit_now(i32::from(done.is_err()))
        }
    };
    drop(there);
    let mut side = Listener::create()?;
    // Something that the other one is to find.
    side.sent.arm(false)?;
    let list = [side.memory.sge(0, 16)];
    let wr = SendWr::write(side.target.target_ref(), side.memory.remote(100), &list);
    side.jetty.queue().post(&wr)?;
    let queue = side.jetty.queue().ring().ring().resp();
    let text = format!(
        "{} {} {}",
        queue.queue_ref,
        queue.mmap_off,
        side.sent.handle()
    );
    let files = [
        side.ctx.dev_fd(),
        side.ctx.doorbell_fd(),
        side.ctx.events().as_raw_fd(),
        side.jfce.as_raw_fd(),
    ];
    sys::send_fds(here.as_raw_fd(), &files)?;
    sys::send_message(here.as_raw_fd(), text.as_bytes())?;
    check_eq!(sys::wait_for(child)?, Exit::Code(0));
    // It has rung for us, and read an event of ours, which counts.
    side.sent.wait_polling(SOON)?;
    side.target.unimport()?;
    side.jetty.destroy()?;
    check_eq!(side.sent.destroy()?.completion, 1);
    Ok(())
}

fn stranger(socket: RawFd) -> Outcome {
    let files = sys::receive_fds(socket, 20_000)?;
    let text = sys::receive_message(socket, 100, 20_000)?;
    let text = String::from_utf8_lossy(&text).into_owned();
    let numbers: Vec<u64> = text
        .split(' ')
        .filter_map(|word| word.parse().ok())
        .collect();
    let ([dev, bell, events, jfce], [queue, offset, jfc]) = (&files[..], &numbers[..]) else {
        return Err(Failure::Fail(format!("{} files, '{text}'", files.len())));
    };
    let fd = dev.as_raw_fd();
    let handle = create_jfc(fd)?;
    Jfc::delete_cmd(handle).run(fd)?;
    check_errno!(Jfc::delete_cmd(*jfc).run(fd), EBUSY);
    check_eq!(sys::ioctl(bell.as_raw_fd(), IOC_SQ_KICK, *queue), Ok(0));
    let mut wait = Jfce::wait_cmd(16, 5000);
    wait.run_event(jfce.as_raw_fd())?;
    check_eq!(wait.get_u32(UBURMA_JFCE_WAIT_OUT_EVENT_CNT), 1);
    check_eq!(sys::poll(events.as_raw_fd(), libc::POLLIN, 0)?, 0);
    // Memory and mappings are those of the context's process.
    let mut token = Token::alloc_cmd(0);
    token.run(fd)?;
    let named = Some((
        token.get_u32(UBURMA_ALLOC_TOKEN_ID_OUT_TOKEN_ID),
        token.get_u64(UBURMA_ALLOC_TOKEN_ID_OUT_HANDLE),
    ));
    let page = Mapping::anonymous(4096)?;
    let mut seg = Segment::register_cmd(page.addr(), 4096, named, SegmentConfig::default());
    check_errno!(seg.run(fd), EPERM);
    let how = MapFlags::default();
    check_errno!(Mapping::file(fd, *offset, 4096, how), EPERM);
    // The file has a context; the objects of this process are of no use in it.
    let device = Device::first()?;
    check_errno!(Context::create_cmd(&device.eid(0)?, 0).run(fd), EEXIST);
    let mine = Context::open(&device)?;
    let own = Jfc::create(&mine, 8)?;
    for _ in 0..20 {
        let next = Token::alloc(&mine)?;
        std::mem::forget(next);
    }
    let far = Token::alloc(&mine)?;
    check_errno!(Token::free_cmd(far.handle(), far.id()).run(fd), EINVAL);
    let own_jfce = Jfce::create(&mine)?;
    let mut foreign = Jfc::create_cmd(ub_client::JfcConfig {
        jfce_fd: jfce.as_raw_fd(),
        ..Default::default()
    });
    check_errno!(mine.run(&mut foreign), EINVAL);
    let mut foreign = Jfc::create_cmd(ub_client::JfcConfig {
        jfce_fd: own_jfce.as_raw_fd(),
        ..Default::default()
    });
    check_errno!(foreign.run(fd), EINVAL);
    drop(own);
    Ok(())
}

/// The one who made a context dies; who holds its files finds it gone.
fn maker_dies() -> Outcome {
    let (here, there) = sys::message_pair()?;
    let child = match sys::fork()? {
        Fork::Parent(pid) => pid,
        Fork::Child => {
            drop(here);
            let work = || -> Outcome {
                let side = Listener::create()?;
                let files = [
                    side.ctx.dev_fd(),
                    side.ctx.doorbell_fd(),
                    side.ctx.events().as_raw_fd(),
                    side.jfce.as_raw_fd(),
                ];
                sys::send_fds(there.as_raw_fd(), &files)?;
                std::mem::forget(side);
                Ok(())
            };
            sys::exit_now(i32::from(work().is_err()))
        }
    };
    drop(there);
    let files = sys::receive_fds(here.as_raw_fd(), 20_000)?;
    check_eq!(sys::wait_for(child)?, Exit::Code(0));
    let [dev, bell, events, jfce] = &files[..] else {
        return Err(Failure::Fail("four files".to_string()));
    };
    // That is done by a work, soon after.
    let hung_up = libc::POLLHUP;
    for file in [events, jfce] {
        let mut seen = 0;
        for _ in 0..500 {
            seen = sys::poll(file.as_raw_fd(), libc::POLLIN, 0)?;
            if seen & hung_up != 0 {
                break;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        check_eq!(seen, hung_up);
    }
    check_errno!(create_jfc(dev.as_raw_fd()), EIO);
    // Readers are told first, then the context goes.
    let mut rung = Ok(0);
    for _ in 0..500 {
        rung = sys::ioctl(bell.as_raw_fd(), IOC_SQ_KICK, 1);
        if rung == Err(libc::EIO) {
            break;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    check_eq!(rung, Err(libc::EIO));
    check_errno!(AsyncEvents::get_cmd().run_event(events.as_raw_fd()), EIO);
    check_errno!(Jfce::wait_cmd(1, 0).run_event(jfce.as_raw_fd()), EIO);
    Ok(())
}

/// A child rings the doorbell that it has inherited: the work is done.
fn inherited_doorbell() -> Outcome {
    let mut side = Listener::create()?;
    for round in 0..20 {
        let list = [side.memory.sge(0, 16)];
        let wr = SendWr::write(side.target.target_ref(), side.memory.remote(100), &list);
        side.jetty.queue().post(&wr.user_ctx(round))?;
        match sys::fork()? {
            Fork::Child => {
                let done = side.jetty.queue().kick();
                sys::exit_now(i32::from(done.is_err()))
            }
            Fork::Parent(pid) => check_eq!(sys::wait_for(pid)?, Exit::Code(0)),
        }
        check_eq!(side.sent.wait_polling(SOON)?.user_ctx, round);
    }
    Ok(())
}

/// One thread watches, others close, destroy and create what it watches.
fn watched_while_it_goes() -> Outcome {
    for _ in 0..40 {
        let ctx = Context::open_first()?;
        let jfce = Jfce::create(&ctx)?;
        let done = AtomicBool::new(false);
        let set = Epoll::new(jfce.as_raw_fd(), (libc::EPOLLIN | libc::EPOLLET) as u32)?;
        let other = Epoll::new(ctx.events().as_raw_fd(), libc::EPOLLIN as u32)?;
        std::thread::scope(|scope| -> Outcome {
            let watchers = [
                scope.spawn(|| watch(&set, &done)),
                scope.spawn(|| watch(&other, &done)),
            ];
            let work = || -> Outcome {
                for i in 0..4 {
                    let mut jfc = Jfc::create_on(&ctx, 8, &jfce, i)?;
                    jfc.arm(false)?;
                    jfc.destroy()?;
                }
                let last = Jfc::create_on(&ctx, 8, &jfce, 9)?;
                // The channel goes before its queue.
                drop(jfce);
                last.arm(false)?;
                drop(last);
                drop(ctx);
                Ok(())
            };
            let result = work();
            done.store(true, Ordering::Release);
            for watcher in watchers {
                watcher
                    .join()
                    .map_err(|_| Failure::Fail("a watcher died".to_string()))??;
            }
            result
        })?;
    }
    Ok(())
}

fn watch(set: &Epoll, done: &AtomicBool) -> Outcome {
    while !done.load(Ordering::Acquire) {
        set.wait(1)?;
    }
    Ok(())
}

/// Closed while a thread is in a command or waits for an event: that goes on until it is done.
fn closed_while_in_use() -> Outcome {
    for _ in 0..10 {
        let ctx = Context::open_first()?;
        let jfce = Jfce::create(&ctx)?;
        let fd = jfce.as_raw_fd();
        let waiter = std::thread::spawn(move || {
            Jfce::wait_cmd(1, 300)
                .run_event(fd)
                .map_err(|err| err.errno())
        });
        std::thread::sleep(Duration::from_millis(20));
        drop(jfce);
        drop(ctx);
        let end = waiter
            .join()
            .map_err(|_| Failure::Fail("the waiter died".to_string()))?;
        // The end of the time, or of the context; or it came too late.
        let ends = [Ok(()), Err(libc::EIO), Err(libc::EBADF)];
        check!(ends.contains(&end), "{end:?}");
    }
    Ok(())
}

/// Threads use the objects of a context while its last descriptors go.
fn commands_race_with_closing() -> Outcome {
    let home = Side::create(Default::default())?;
    for _ in 0..20 {
        let side = Side::create(Default::default())?;
        let fd = side.ctx.dev_fd();
        let copy = sys::duplicate(fd)?;
        let config = home.target_config();
        let worker = std::thread::spawn(move || {
            for _ in 0..20 {
                let mut cmd = Target::jetty_cmd(config);
                if cmd.run(copy.as_raw_fd()).is_err() {
                    break;
                }
                let handle = cmd.get_u64(UBURMA_IMPORT_JETTY_OUT_HANDLE);
                if Target::unimport_jetty_cmd(handle)
                    .run(copy.as_raw_fd())
                    .is_err()
                {
                    return false;
                }
            }
            drop(copy);
            true
        });
        drop(side);
        check!(worker
            .join()
            .map_err(|_| Failure::Fail("the worker died".to_string()))?);
    }
    Ok(())
}

pub fn main() -> ExitCode {
    ub_tests::run(
        "t-files",
        tests![
            duplicates,
            passed_on,
            maker_dies,
            inherited_doorbell,
            watched_while_it_goes,
            closed_while_in_use,
            commands_race_with_closing,
        ],
    )
}
