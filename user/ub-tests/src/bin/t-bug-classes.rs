// SPDX-License-Identifier: GPL-2.0

//! Kinds of faults that drivers like this one have had, as far as no other program looks for
//! them; Documentation/testing.rst has the table of all.

use std::os::fd::AsRawFd;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

use ub_client::abi::*;
use ub_client::sys::{self, Exit, Fork, MapFlags, Mapping};
use ub_client::tlv::{Cmd, Place};
use ub_client::{
    Context, Device, Jetty, JettyConfig, Jfc, Jfce, Jfs, JfsConfig, Segment, SendWr, Target,
    TargetConfig,
};
use ub_tests::fixture::{Pair, Side, JETTY_TOKEN, SOON};
use ub_tests::{check, check_eq, of_run, tests, Failure, Options, Outcome};

/// How long races run.
fn race_time() -> Duration {
    Duration::from_secs(of_run(3, 30))
}

/// Runs threads until the time is up or one of them fails.
fn race(works: &[&(dyn Fn() -> Outcome + Sync)]) -> Outcome {
    let stop = AtomicBool::new(false);
    let (start, time) = (Instant::now(), race_time());
    std::thread::scope(|scope| {
        let threads: Vec<_> = works
            .iter()
            .map(|work| {
                let stop = &stop;
                scope.spawn(move || {
                    let mut result = Ok(());
                    while result.is_ok() && !stop.load(Relaxed) && start.elapsed() < time {
                        result = work();
                    }
                    if result.is_err() {
                        stop.store(true, Relaxed);
                    }
                    result
                })
            })
            .collect();
        threads.into_iter().try_for_each(|thread| {
            let died = |_| Failure::Fail("a thread died".to_string());
            thread.join().map_err(died)?
        })
    })
}

/// Sends to a peer that comes and goes, from a jetty that is made to fail meanwhile.
fn send_to(id: &AtomicU32, errors: &AtomicU64, completions: &AtomicU64) -> Outcome {
    let ctx = Context::open_first()?;
    let mut side = Side::create_in(ctx, Default::default())?;
    let config = TargetConfig::jetty(side.ctx.eid(), id.load(Relaxed), JETTY_TOKEN);
    let Ok(target) = Target::jetty(&side.ctx, config) else {
        return Ok(());
    };
    errors.store(side.jetty.handle(), Relaxed);
    for _ in 0..8 {
        let list = [side.memory.sge(0, 64)];
        let wr = SendWr::send(target.target_ref(), &list).solicited();
        if side.jetty.queue().send(&wr).is_err() {
            break;
        }
    }
    side.jetty.set_state(UBURMA_JETTY_STATE_ERROR)?;
    let start = Instant::now();
    while start.elapsed() < Duration::from_millis(5) {
        for cqe in side.sent.poll_many(64) {
            check!(u32::from(cqe.status) <= 16, "status {}", cqe.status);
            completions.fetch_add(1, Relaxed);
        }
    }
    drop(target);
    Ok(())
}

/// Queues, with event channels, that go while others send to them.
fn destroy_races_event() -> Outcome {
    let (id, errors, completions) = (AtomicU32::new(0), AtomicU64::new(0), AtomicU64::new(0));
    let receiver = Context::open_first()?;
    let come_and_go = || -> Outcome {
        let jfce = Jfce::create(&receiver)?;
        let mut side = Side::create_in(receiver.clone(), Default::default())?;
        let jfc = Jfc::create_on(&receiver, 64, &jfce, 1)?;
        jfc.arm(false)?;
        for i in 0..4 {
            side.post_recv(i * 64, 64, i as u64)?;
        }
        side.received.arm(false)?;
        id.store(side.jetty.id(), Relaxed);
        let _ = jfce.wait(4, 1);
        drop(jfc);
        Ok(())
    };
    race(&[
        &come_and_go,
        &|| send_to(&id, &errors, &completions),
        &|| send_to(&id, &errors, &completions),
        &come_and_go,
    ])?;
    check!(completions.load(Relaxed) > 0, "nothing was ever sent");
    Ok(())
}

/// While a command cannot tell the number of its descriptor, nobody else sees one.
fn fd_before_copy() -> Outcome {
    let ctx = Context::open_first()?;
    let page = Mapping::read_only(4096)?;
    let free = sys::duplicate(0)?.as_raw_fd();
    let create = || -> Outcome {
        let mut cmd = Cmd::new(UBURMA_CMD_CREATE_JFCE).out(UBURMA_CREATE_JFCE_OUT_FD, 4);
        cmd.attr_mut(UBURMA_CREATE_JFCE_OUT_FD).place = Place::Address(page.addr());
        let errno = ctx.run(&mut cmd).err().map(|err| err.errno());
        check_eq!(errno, Some(libc::EFAULT));
        Ok(())
    };
    let guess = || -> Outcome {
        for fd in free..free + 4 {
            check!(sys::is_cloexec(fd).is_err(), "descriptor {fd} is there");
            check!(sys::close_raw(fd).is_err(), "descriptor {fd} was closed");
        }
        Ok(())
    };
    race(&[&create, &guess, &create])?;
    check_eq!(sys::duplicate(0)?.as_raw_fd(), free);
    Ok(())
}

/// The same for the files of a context: the event file, and that of the driver.
fn fds_of_a_context_before_copy() -> Outcome {
    let device = Device::first()?;
    let eid = device.eid(0)?;
    let file = Context::open_bare(&device)?;
    let page = Mapping::read_only(4096)?;
    let free = sys::duplicate(0)?.as_raw_fd();
    let create = || -> Outcome {
        let mut cmd = Context::create_cmd(&eid, 0);
        cmd.attr_mut(UBURMA_CREATE_CTX_OUT_ASYNC_FD).place = Place::Address(page.addr());
        let errno = cmd.run(file.as_raw_fd()).err().map(|err| err.errno());
        check_eq!(errno, Some(libc::EFAULT));
        Ok(())
    };
    let guess = || -> Outcome {
        for fd in free..free + 4 {
            check!(sys::is_cloexec(fd).is_err(), "descriptor {fd} is there");
        }
        Ok(())
    };
    race(&[&create, &guess])?;
    check_eq!(sys::duplicate(0)?.as_raw_fd(), free);
    // The file is as good as new.
    Context::create_cmd(&eid, 0).run(file.as_raw_fd())?;
    Ok(())
}

/// Asks for handles that are about to exist, and destroys them: there is nothing, or all.
fn handle_before_object_is_complete() -> Outcome {
    let ctx = Context::open_first()?;
    let jfc = Jfc::create(&ctx, 64)?;
    let config = JfsConfig {
        depth: 32,
        ..JfsConfig::on(&jfc)
    };
    let last = AtomicU64::new(jfc.handle());
    let (seen, destroyed) = (AtomicU64::new(0), AtomicU64::new(0));
    let make = || -> Outcome {
        let mut cmd = Jfs::create_cmd(config);
        ctx.run(&mut cmd)?;
        let handle = cmd.get_u64(UBURMA_CREATE_JFS_OUT_HANDLE);
        last.store(handle, Relaxed);
        let _ = ctx.run(&mut Jfs::delete_cmd(handle));
        Ok(())
    };
    let ask = || -> Outcome {
        for handle in last.load(Relaxed)..last.load(Relaxed) + 4 {
            let mut cmd = Jfs::query_cmd(handle);
            match ctx.run(&mut cmd) {
                Ok(()) => {
                    seen.fetch_add(1, Relaxed);
                    check_eq!(cmd.get_u32(UBURMA_QUERY_JFS_OUT_DEPTH), 32);
                    let state = cmd.get_u32(UBURMA_QUERY_JFS_OUT_STATE);
                    check_eq!(state, UBURMA_JETTY_STATE_READY);
                }
                Err(err) => check!([libc::EINVAL, libc::EBUSY].contains(&err.errno()), "{err}"),
            }
        }
        Ok(())
    };
    let destroy = || -> Outcome {
        for handle in last.load(Relaxed) + 1..last.load(Relaxed) + 3 {
            match ctx.run(&mut Jfs::delete_cmd(handle)) {
                Ok(()) => drop(destroyed.fetch_add(1, Relaxed)),
                Err(err) => check!([libc::EINVAL, libc::EBUSY].contains(&err.errno()), "{err}"),
            }
        }
        Ok(())
    };
    race(&[&make, &ask, &make, &destroy])?;
    println!("# seen {seen:?} times, destroyed {destroyed:?} times");
    check!(seen.load(Relaxed) > 0, "it never met an object");
    Ok(())
}

/// Pages that are registered stay those of the process that did it, whoever writes.
fn fork_and_copy_on_write() -> Outcome {
    let mut pair = Pair::create()?;
    pair.b.memory.fill(0, 8192, 0x11);
    pair.a.memory.fill(0, 8192, 0x22);
    let (here, there) = sys::message_pair()?;
    let child = match sys::fork()? {
        Fork::Parent(pid) => pid,
        Fork::Child => {
            sys::die_with_parent();
            // Its own copy of the first page; the second one it has not touched yet.
            pair.b.memory.fill(0, 4096, 0x33);
            let _ = sys::send_message(there.as_raw_fd(), b"forked");
            let _ = sys::receive_message(there.as_raw_fd(), 16, 20_000);
            let good = pair.b.memory.bytes(0, 4096) == vec![0x33; 4096]
                && pair.b.memory.bytes(4096, 4096) == vec![0x11; 4096];
            sys::exit_now(if good { 0 } else { 3 })
        }
    };
    sys::receive_message(here.as_raw_fd(), 16, 20_000)?;
    pair.b.memory.fill(8191, 1, 0x44);
    let list = [pair.a.memory.sge(0, 8192)];
    let wr = SendWr::write(pair.to_b(), pair.b.memory.remote(0), &list);
    pair.a.expect(&wr, UBURMA_CR_SUCCESS)?;
    sys::send_message(here.as_raw_fd(), b"written")?;
    check_eq!(sys::wait_for(child)?, Exit::Code(0), "what the child saw");
    check!(pair.b.memory.bytes(0, 8192) == vec![0x22; 8192]);
    Ok(())
}

/// The memory of a ring has held other things: none of it shows.
fn rings_begin_empty() -> Outcome {
    let ctx = Context::open_first()?;
    let old = Mapping::anonymous(4 << 20)?;
    old.fill(0, 4 << 20, 0xa5);
    drop(old);
    for _ in 0..20 {
        let mut cmd = Jfc::create_cmd(Default::default());
        ctx.run(&mut cmd)?;
        let resp: ubsoft_queue_resp = cmd.udata_reply(UBURMA_CREATE_JFC_IN_UDATA)?;
        let (offset, len) = (resp.mmap_off, resp.mmap_len as usize);
        let map = Mapping::file(ctx.dev_fd(), offset, len, MapFlags::default())?;
        let begin = resp.entries_off as usize;
        check!(map.bytes(begin, len - begin).iter().all(|byte| *byte == 0));
        map.fill(begin, len - begin, 0xa5);
        let handle = cmd.get_u64(UBURMA_CREATE_JFC_OUT_HANDLE);
        ctx.run(&mut Jfc::delete_cmd(handle))?;
    }
    Ok(())
}

/// More completions than anybody takes: nobody else waits for that, and none is lost.
fn deep_backlog() -> Outcome {
    let ctx = Context::open_first()?;
    let depth = ctx.device().number("max_jfc_depth").unwrap_or(65536) as u32;
    let depth = depth.min(65536);
    let mut side = Side::create_in(ctx.clone(), Default::default())?;
    let mut jfc = Jfc::create(&ctx, depth)?;
    let mut config = JettyConfig::on(&side.sent, &side.received, &side.jfr);
    config.send.jfc = jfc.handle();
    config.send.depth = 1024;
    let mut jetty = Jetty::create(&ctx, config)?;
    let target = Target::jetty(&ctx, side.target_config())?;
    let small = Segment::alloc(&ctx, 4096, 1)?;
    let list = [small.sge(0, 8)];
    let wr = SendWr::write(target.target_ref(), side.memory.remote(0), &list);
    let (wanted, mut posted) = (u64::from(depth - 64), 0);
    let (start, mut slowest) = (Instant::now(), Duration::ZERO);
    while posted < wanted && start.elapsed() < Duration::from_secs(60) {
        let batch = vec![wr.clone(); 1024.min(wanted - posted) as usize];
        posted += jetty.queue().post_list(&batch)? as u64;
        jetty.queue().kick()?;
        let asked = Instant::now();
        side.jetty.query()?;
        slowest = slowest.max(asked.elapsed());
    }
    let mut taken = 0;
    while taken < posted {
        let cqe = jfc.wait_polling(SOON)?;
        check_eq!(u32::from(cqe.status), UBURMA_CR_SUCCESS);
        taken += 1 + jfc.poll_many(500).len() as u64;
    }
    println!("# {taken} completions, slowest query {slowest:?}");
    check!(posted > 5000, "only {posted} were posted");
    check!(slowest < SOON, "a query took {slowest:?}");
    drop(target);
    let _ = side.sent.poll();
    Ok(())
}

pub fn main() -> ExitCode {
    let options = Options {
        limit: 180,
        ..Default::default()
    };
    ub_tests::run_with(
        "t-bug-classes",
        tests![
            destroy_races_event,
            fd_before_copy,
            fds_of_a_context_before_copy,
            handle_before_object_is_complete,
            fork_and_copy_on_write,
            rings_begin_empty,
            deep_backlog,
        ],
        options,
    )
}
