// SPDX-License-Identifier: GPL-2.0

//! How contexts end: by closing, by death, by exec, in any order, in the middle of work.
//! What is left behind shows in the counters at the end of the program.

use std::os::fd::{AsRawFd, RawFd};
use std::process::ExitCode;
use std::time::Duration;

use ub_client::abi::*;
use ub_client::sys::{self, Exit, Fork, Pid};
use ub_client::{Context, Device, Jfc, Jfce, RemoteRange, SendWr, Target, TargetConfig, Token};
use ub_tests::fixture::{Pair, PairConfig, Side};
use ub_tests::{check, check_eq, check_errno, tests, Failure, Outcome};

/// Runs work in a child; what it made goes by its death, not by destructors.
fn in_child(work: impl FnOnce() -> Outcome) -> Outcome {
    let child = start(work)?;
    check_eq!(sys::wait_for(child)?, Exit::Code(0));
    Ok(())
}

fn start(work: impl FnOnce() -> Outcome) -> Result<Pid, Failure> {
    match sys::fork()? {
        Fork::Parent(pid) => Ok(pid),
        Fork::Child => {
            sys::die_with_parent();
            let code = match work() {
                Ok(()) => 0,
                Err(why) => {
                    eprintln!("# child: {why:?}");
                    1
                }
            };
            sys::exit_now(code)
        }
    }
}

fn files_of(ctx: &Context) -> [RawFd; 3] {
    [ctx.dev_fd(), ctx.events().as_raw_fd(), ctx.doorbell_fd()]
}

fn closing_in_any_order() -> Outcome {
    let orders = [
        [0, 1, 2],
        [0, 2, 1],
        [1, 0, 2],
        [1, 2, 0],
        [2, 0, 1],
        [2, 1, 0],
    ];
    for order in orders {
        in_child(|| {
            let pair = Pair::create()?;
            let jfce = Jfce::create(&pair.a.ctx)?;
            let jfc = Jfc::create_on(&pair.a.ctx, 8, &jfce, 1)?;
            let files = files_of(&pair.a.ctx);
            for i in order {
                sys::close_raw(files[i])?;
            }
            sys::close_raw(jfce.as_raw_fd())?;
            std::mem::forget((pair, jfce, jfc));
            Ok(())
        })?;
    }
    Ok(())
}

fn doorbell_of_a_closed_device_file() -> Outcome {
    in_child(|| {
        let mut pair = Pair::create()?;
        let (sq, cq) = (
            pair.a.jetty.queue().ring().ring().resp().queue_ref,
            pair.a.sent.ring().ring().resp().queue_ref,
        );
        // The mappings hold the device file open.
        sys::close_raw(pair.a.ctx.dev_fd())?;
        let done = pair.a.ctx.ring(IOC_SQ_KICK, sq, 0);
        check!(
            done.is_ok() || done.as_ref().is_err_and(|err| err.errno() == libc::EIO),
            "{done:?}"
        );
        // Now the last reference goes.
        for map in [
            pair.a.jetty.queue().ring().ring().mapping(),
            pair.a.sent.ring().ring().mapping(),
            pair.a.received.ring().ring().mapping(),
            pair.a.jfr.ring().ring().mapping(),
        ] {
            map.unmap_behind_its_back()?;
        }
        for (request, queue) in [(IOC_SQ_KICK, sq), (IOC_CQ_ARM, cq)] {
            check_errno!(pair.a.ctx.ring(request, queue, 0), EIO);
        }
        std::mem::forget(pair);
        Ok(())
    })
}

fn event_channel_of_a_closed_device_file() -> Outcome {
    in_child(|| {
        let ctx = Context::open_first()?;
        let jfce = Jfce::create(&ctx)?;
        sys::close_raw(ctx.dev_fd())?;
        check_errno!(jfce.wait(1, 0), EAGAIN | EIO);
        sys::set_nonblocking(ctx.events(), true)?;
        check_errno!(ctx.events().get(), EAGAIN | EIO);
        sys::poll(jfce.as_raw_fd(), libc::POLLIN, 0)?;
        std::mem::forget((ctx, jfce));
        Ok(())
    })
}

fn forgotten_objects() -> Outcome {
    for _ in 0..5 {
        in_child(|| {
            let mut pair = Pair::create()?;
            pair.b.post_recv(0, 100, 1)?;
            let list = [pair.a.memory.sge(0, 8)];
            let wr = SendWr::write(pair.ab.target_ref(), pair.b.memory.remote(0), &list);
            // Left in the ring, without a kick.
            pair.a.jetty.queue().post(&wr)?;
            Token::alloc(&pair.a.ctx).map(std::mem::forget)?;
            std::mem::forget(pair);
            Ok(())
        })?;
    }
    Ok(())
}

/// Sends for ever to a target; for a child that is to be killed.
fn send_for_ever(config: TargetConfig, remote: RemoteRange) -> Outcome {
    let mut side = Side::create(PairConfig {
        depth: 64,
        memory: 1 << 20,
        ..Default::default()
    })?;
    let target = Target::jetty(&side.ctx, config)?;
    loop {
        let list = [side.memory.sge(0, 60_000)];
        for _ in 0..16 {
            let wr = SendWr::write(target.target_ref(), remote, &list);
            side.jetty.queue().post(&wr)?;
        }
        side.jetty.queue().kick()?;
        for _ in 0..16 {
            side.wait_sent()?;
        }
    }
}

fn killed_while_sending() -> Outcome {
    let mut home = Side::create(Default::default())?;
    for i in 0..10 {
        let (config, remote) = (home.target_config(), home.memory.remote(0));
        let child = start(move || send_for_ever(config, remote))?;
        std::thread::sleep(Duration::from_millis(150 + 7 * i));
        check!(sys::try_wait(child)?.is_none(), "the child ended by itself");
        sys::kill(child, libc::SIGKILL)?;
        check_eq!(sys::wait_for(child)?, Exit::Signal(libc::SIGKILL));
    }
    // Nothing of that matters here.
    let own = Target::jetty(&home.ctx, home.target_config())?;
    let list = [home.memory.sge(0, 64)];
    let wr = SendWr::write(own.target_ref(), home.memory.remote(4096), &list);
    home.expect(&wr, UBURMA_CR_SUCCESS)?;
    Ok(())
}

/// A child that waits to be killed, and what its peer needs to know of it.
fn passive_child() -> Result<(Pid, TargetConfig, RemoteRange), Failure> {
    let (here, there) = sys::message_pair()?;
    let child = start(move || {
        let side = Side::create(Default::default())?;
        let remote = side.memory.remote(0);
        let text = format!("{} {} {}", side.jetty.id(), remote.addr, remote.token_id);
        sys::send_message(there.as_raw_fd(), text.as_bytes())?;
        std::thread::sleep(Duration::from_secs(100));
        Ok(())
    })?;
    let text = sys::receive_message(here.as_raw_fd(), 200, 20_000)?;
    let text = String::from_utf8_lossy(&text).into_owned();
    let numbers: Vec<u64> = text
        .split(' ')
        .filter_map(|word| word.parse().ok())
        .collect();
    let [jetty, addr, token_id] = numbers[..] else {
        return Err(Failure::Fail(format!("the child said '{text}'")));
    };
    let eid = Device::first()?.eid(0)?;
    let config = TargetConfig::jetty(eid, jetty as u32, ub_tests::fixture::JETTY_TOKEN);
    let remote = RemoteRange {
        addr,
        token_id: token_id as u32,
        token: ub_tests::fixture::SEG_TOKEN,
    };
    Ok((child, config, remote))
}

fn peer_is_killed() -> Outcome {
    let (child, config, remote) = passive_child()?;
    let mut side = Side::create(Default::default())?;
    let target = Target::jetty(&side.ctx, config)?;
    let list = [side.memory.sge(0, 4096)];
    let wr = SendWr::write(target.target_ref(), remote, &list);
    side.expect(&wr, UBURMA_CR_SUCCESS)?;
    sys::kill(child, libc::SIGKILL)?;
    sys::wait_for(child)?;
    let cqe = side.execute(&wr)?;
    check!(u32::from(cqe.status) != UBURMA_CR_SUCCESS);
    Ok(())
}

fn peer_is_killed_while_a_sender_waits() -> Outcome {
    let (child, config, _) = passive_child()?;
    let mut side = Side::create(PairConfig {
        rnr_retry: 7,
        min_rnr_timer: 15,
        ..Default::default()
    })?;
    let target = Target::jetty(&side.ctx, config)?;
    let list = [side.memory.sge(0, 64)];
    side.jetty
        .queue()
        .send(&SendWr::send(target.target_ref(), &list))?;
    check!(side.sent.poll().is_none());
    sys::kill(child, libc::SIGKILL)?;
    sys::wait_for(child)?;
    let cqe = side.wait_sent()?;
    check!(u32::from(cqe.status) != UBURMA_CR_SUCCESS);
    Ok(())
}

fn waiting_sender_is_killed() -> Outcome {
    let home = Side::create(Default::default())?;
    let config = home.target_config();
    for _ in 0..5 {
        let child = start(move || {
            let mut side = Side::create(PairConfig {
                rnr_retry: 7,
                min_rnr_timer: 20,
                ..Default::default()
            })?;
            let target = Target::jetty(&side.ctx, config)?;
            let list = [side.memory.sge(0, 64)];
            let wr = SendWr::send(target.target_ref(), &list);
            side.jetty.queue().send(&wr)?;
            std::thread::sleep(Duration::from_secs(100));
            Ok(())
        })?;
        std::thread::sleep(Duration::from_millis(200));
        sys::kill(child, libc::SIGKILL)?;
        sys::wait_for(child)?;
    }
    Ok(())
}

/// A child that shares the files works on its parent's objects; its end ends nothing.
fn fork_shares_the_context() -> Outcome {
    let mut pair = Pair::create()?;
    let child = start(|| {
        let mut cmd = Jfc::create_cmd(Default::default());
        pair.a.ctx.run(&mut cmd)?;
        let handle = cmd.get_u64(UBURMA_CREATE_JFC_OUT_HANDLE);
        pair.a.ctx.run(&mut Jfc::delete_cmd(handle))?;
        Ok(())
    })?;
    check_eq!(sys::wait_for(child)?, Exit::Code(0));
    let list = [pair.a.memory.sge(0, 64)];
    let wr = SendWr::write(pair.to_b(), pair.b.memory.remote(0), &list);
    pair.a.expect(&wr, UBURMA_CR_SUCCESS)?;
    Ok(())
}

/// When the process that opened the file is gone, so is the memory it registered, though
/// a child holds the file.
fn opener_dies_before_its_child() -> Outcome {
    let (here, there) = sys::message_pair()?;
    let opener = match sys::fork()? {
        Fork::Parent(pid) => pid,
        Fork::Child => {
            let side = Side::create(Default::default());
            let Ok(side) = side else { sys::exit_now(1) };
            match sys::fork() {
                Ok(Fork::Child) => {
                    // Until the opener is gone.
                    std::thread::sleep(Duration::from_millis(500));
                    let mut cmd = Jfc::create_cmd(Default::default());
                    let errno = side.ctx.run(&mut cmd).err().map_or(0, |err| err.errno());
                    let bell = side.ctx.ring(IOC_RQ_KICK, 1, 0).err();
                    let bell = bell.map_or(0, |err| err.errno());
                    let text = format!("{errno} {bell}");
                    let _ = sys::send_message(there.as_raw_fd(), text.as_bytes());
                    sys::exit_now(0)
                }
                Ok(_) => sys::exit_now(0),
                Err(_) => sys::exit_now(1),
            }
        }
    };
    check_eq!(sys::wait_for(opener)?, Exit::Code(0));
    drop(there);
    let text = sys::receive_message(here.as_raw_fd(), 100, 20_000)?;
    let text = String::from_utf8_lossy(&text).into_owned();
    let numbers: Vec<i32> = text
        .split(' ')
        .filter_map(|word| word.parse().ok())
        .collect();
    check_eq!(
        numbers,
        vec![libc::EIO, libc::EIO],
        "the child said '{text}'"
    );
    Ok(())
}

const AFTER_EXEC: &str = "--after-exec";

/// The file survives an exec, the memory does not: peers must not reach it any more.
fn exec_with_an_open_file() -> Outcome {
    let (here, there) = sys::message_pair()?;
    let child = match sys::fork()? {
        Fork::Parent(pid) => pid,
        Fork::Child => {
            let work = || -> Outcome {
                let side = Side::create(Default::default())?;
                let remote = side.memory.remote(0);
                sys::set_cloexec(side.ctx.dev_fd(), false)?;
                let text = format!("{} {} {}", side.jetty.id(), remote.addr, remote.token_id);
                sys::send_message(there.as_raw_fd(), text.as_bytes())?;
                // Until the peer has tried the memory.
                sys::receive_message(there.as_raw_fd(), 10, 20_000)?;
                let fd = side.ctx.dev_fd().to_string();
                let socket = there.as_raw_fd().to_string();
                let err = sys::exec("/proc/self/exe", &[AFTER_EXEC, &fd, &socket]);
                Err(err.into())
            };
            let _ = work();
            sys::exit_now(9)
        }
    };
    let text = sys::receive_message(here.as_raw_fd(), 200, 20_000)?;
    let text = String::from_utf8_lossy(&text).into_owned();
    let numbers: Vec<u64> = text
        .split(' ')
        .filter_map(|word| word.parse().ok())
        .collect();
    let [jetty, addr, token_id] = numbers[..] else {
        return Err(Failure::Fail(format!("the child said '{text}'")));
    };
    let mut side = Side::create(Default::default())?;
    let eid = side.ctx.eid();
    let config = TargetConfig::jetty(eid, jetty as u32, ub_tests::fixture::JETTY_TOKEN);
    let target = Target::jetty(&side.ctx, config)?;
    let remote = RemoteRange {
        addr,
        token_id: token_id as u32,
        token: ub_tests::fixture::SEG_TOKEN,
    };
    let list = [side.memory.sge(0, 4096)];
    let wr = SendWr::write(target.target_ref(), remote, &list);
    side.expect(&wr, UBURMA_CR_SUCCESS)?;
    sys::send_message(here.as_raw_fd(), b"go")?;
    let errno = sys::receive_message(here.as_raw_fd(), 100, 20_000)?;
    check_eq!(String::from_utf8_lossy(&errno), libc::EIO.to_string());
    let cqe = side.execute(&wr)?;
    check!(
        u32::from(cqe.status) != UBURMA_CR_SUCCESS,
        "memory of a program that is gone"
    );
    sys::send_message(here.as_raw_fd(), b"end")?;
    check_eq!(sys::wait_for(child)?, Exit::Code(0));
    Ok(())
}

/// The program after the exec: the file is open, its context is gone.
fn after_exec(fd: RawFd, socket: RawFd) -> Outcome {
    let mut cmd = Jfc::create_cmd(Default::default());
    let errno = cmd.run(fd).err().map_or(0, |err| err.errno());
    sys::send_message(socket, errno.to_string().as_bytes())?;
    sys::receive_message(socket, 10, 20_000)?;
    Ok(())
}

fn duplicates() -> Outcome {
    in_child(|| {
        let ctx = Context::open_first()?;
        let second = sys::duplicate(ctx.dev_fd())?;
        sys::close_raw(ctx.dev_fd())?;
        let mut cmd = Jfc::create_cmd(Default::default());
        cmd.run(second.as_raw_fd())?;
        drop(second);
        check_errno!(cmd.run(ctx.dev_fd()), EBADF);
        std::mem::forget(ctx);
        Ok(())
    })
}

fn threads_make_and_destroy() -> Outcome {
    let ctx = Context::open_first()?;
    std::thread::scope(|scope| -> Outcome {
        let threads: Vec<_> = (0..4)
            .map(|_| {
                scope.spawn(|| -> Outcome {
                    for _ in 0..100 {
                        let mut jfc = Jfc::create(&ctx, 16)?;
                        let token = Token::alloc(&ctx)?;
                        jfc.destroy()?;
                        drop(token);
                    }
                    Ok(())
                })
            })
            .collect();
        for thread in threads {
            thread
                .join()
                .map_err(|_| Failure::Fail("a thread died".to_string()))??;
        }
        Ok(())
    })
}

/// Several threads destroy the same objects: each goes once.
fn threads_destroy_the_same() -> Outcome {
    let ctx = Context::open_first()?;
    for _ in 0..50 {
        let mut cmd = Jfc::create_cmd(Default::default());
        ctx.run(&mut cmd)?;
        let handle = cmd.get_u64(UBURMA_CREATE_JFC_OUT_HANDLE);
        let wins: usize = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..3)
                .map(|_| scope.spawn(|| ctx.run(&mut Jfc::delete_cmd(handle)).is_ok()))
                .collect();
            threads
                .into_iter()
                .map(|thread| usize::from(thread.join().unwrap_or(false)))
                .sum()
        });
        check_eq!(wins, 1);
    }
    Ok(())
}

fn destroyed_while_working() -> Outcome {
    for _ in 0..20 {
        let mut pair = Pair::create()?;
        let target = pair.to_b();
        let remote = pair.b.memory.remote(0);
        let handle = pair.b.jetty.handle();
        std::thread::scope(|scope| {
            let (a, b) = (&mut pair.a, &pair.b);
            scope.spawn(move || {
                let list = [a.memory.sge(0, 32 << 10)];
                for _ in 0..30 {
                    let wr = SendWr::write(target, remote, &list);
                    let Ok(cqe) = a.execute(&wr) else { break };
                    if u32::from(cqe.status) != UBURMA_CR_SUCCESS {
                        break;
                    }
                }
            });
            scope.spawn(move || b.ctx.run(&mut ub_client::Jetty::delete_cmd(handle)));
        });
    }
    Ok(())
}

fn open_and_close_quickly() -> Outcome {
    let device = Device::first()?;
    for i in 0..200 {
        let file = Context::open_bare(&device)?;
        if i % 2 == 0 {
            drop(Context::open(&device)?);
        }
        drop(file);
    }
    Ok(())
}

pub fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().collect();
    if let [_, word, fd, socket] = &args[..] {
        if word == AFTER_EXEC {
            let done = match (fd.parse(), socket.parse()) {
                (Ok(fd), Ok(socket)) => after_exec(fd, socket).is_ok(),
                _ => false,
            };
            return ExitCode::from(u8::from(!done));
        }
    }
    ub_tests::run(
        "t-lifetime",
        tests![
            closing_in_any_order,
            doorbell_of_a_closed_device_file,
            event_channel_of_a_closed_device_file,
            forgotten_objects,
            killed_while_sending,
            peer_is_killed,
            peer_is_killed_while_a_sender_waits,
            waiting_sender_is_killed,
            fork_shares_the_context,
            opener_dies_before_its_child,
            exec_with_an_open_file,
            duplicates,
            threads_make_and_destroy,
            threads_destroy_the_same,
            destroyed_while_working,
            open_and_close_quickly,
        ],
    )
}
