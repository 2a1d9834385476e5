// SPDX-License-Identifier: GPL-2.0

//! Events that concern a whole device: all of its contexts get them, and nobody else.

use std::os::fd::AsRawFd;
use std::process::ExitCode;

use ub_client::abi::*;
use ub_client::sys::{self, Epoll, Mapping};
use ub_client::tlv::Place;
use ub_client::{AsyncEvent, AsyncEvents, Context, ContextOptions, Eid, Jfce, SendWr};
use ub_tests::fixture::{expect_status, Side};
use ub_tests::own::Own;
use ub_tests::{check, check_eq, check_errno, tests, Failure, Options, Outcome};

/// The next event of a context, which must be there soon.
fn next(ctx: &Context) -> Result<(u32, u64), Failure> {
    match ctx.events().get_within(5000)? {
        Some(AsyncEvent { kind, data }) => Ok((kind, data)),
        None => Err(Failure::Fail("no event came".to_string())),
    }
}

fn nothing(ctx: &Context) -> Outcome {
    check_eq!(ctx.events().get_within(100)?, None);
    Ok(())
}

const UP: (u32, u64) = (UBURMA_EVENT_PORT_ACTIVE, 0);
const DOWN: (u32, u64) = (UBURMA_EVENT_PORT_DOWN, 0);

fn port_events_reach_all_contexts() -> Outcome {
    let own = Own::create("ubtest0")?;
    let mine = [Context::open(&own.device)?, Context::open(&own.device)?];
    let other = Context::open_first()?;
    check_eq!(own.get("port")?, "active");
    let active = own.device.attribute("port0/state")?;
    own.set("port", "down\n")?;
    for ctx in &mine {
        check_eq!(next(ctx)?, DOWN);
        nothing(ctx)?;
    }
    check_eq!(own.get("port")?, "down");
    check!(own.device.attribute("port0/state")? != active);
    // No change, no event.
    own.set("port", "down")?;
    own.set("port", "active")?;
    for ctx in &mine {
        check_eq!(next(ctx)?, UP);
        nothing(ctx)?;
    }
    check_eq!(own.device.attribute("port0/state")?, active);
    nothing(&other)?;
    for bad in ["\n", "up", "downs", "down \n", "1"] {
        check_errno!(own.set("port", bad), EINVAL);
    }
    nothing(&mine[0])
}

/// Of events that nobody reads the last one counts, and they take no more room than there are
/// different ones.
fn last_state_is_read_last() -> Outcome {
    let own = Own::create("ubtest0")?;
    let ctx = Context::open(&own.device)?;
    for _ in 0..40 {
        own.set("port", "down")?;
        own.set("port", "active")?;
    }
    own.set("port", "down")?;
    // All of them have arrived when this one has.
    own.set("eids", &format!("+{}", eid(1)))?;
    let fd = ctx.events().as_raw_fd();
    check_eq!(sys::poll(fd, libc::POLLIN, 5000)?, libc::POLLIN);
    let mut seen = Vec::new();
    while seen.last() != Some(&(UBURMA_EVENT_EID_CHANGE, 1)) {
        seen.push(next(&ctx)?);
    }
    let ports: Vec<_> = seen
        .iter()
        .filter(|event| **event != (UBURMA_EVENT_EID_CHANGE, 1))
        .collect();
    check_eq!(ports.last(), Some(&&DOWN));
    nothing(&ctx)
}

/// What goes to another device times out, what stays on the device does not.
fn messages_need_the_port() -> Outcome {
    let own = Own::create("ubtest0")?;
    let mut here = Side::create(Default::default())?;
    let mut there = own.side()?;
    let out = here.import(&there)?;
    let back = there.import(&here)?;
    let home = there.import(&there)?;
    own.set("port", "down")?;
    let list = [there.memory.sge(0, 64)];
    let local = SendWr::write(home.target_ref(), there.memory.remote(64), &list);
    there.expect(&local, UBURMA_CR_SUCCESS)?;
    let away = SendWr::write(back.target_ref(), here.memory.remote(0), &list);
    there.expect(&away, UBURMA_CR_ACK_TIMEOUT_ERR)?;
    let list = [here.memory.sge(0, 64)];
    let wr = SendWr::write(out.target_ref(), there.memory.remote(0), &list);
    here.expect(&wr, UBURMA_CR_ACK_TIMEOUT_ERR)?;
    expect_status(&here.wait_sent()?, UBURMA_CR_WR_FLUSH_ERR_DONE)?;
    own.set("port", "active")?;
    here.jetty.set_state(UBURMA_JETTY_STATE_RESET)?;
    here.jetty.set_state(UBURMA_JETTY_STATE_READY)?;
    here.expect(&wr, UBURMA_CR_SUCCESS)?;
    Ok(())
}

/// An EID of nobody.
fn eid(number: u16) -> Eid {
    let mut bytes = [0x20; 16];
    bytes[14..].copy_from_slice(&number.to_be_bytes());
    Eid(bytes)
}

fn eid_changes_reach_all_contexts() -> Outcome {
    let own = Own::create("ubtest0")?;
    let mine = [Context::open(&own.device)?, Context::open(&own.device)?];
    let other = Context::open_first()?;
    own.set("eids", &format!("+{}\n", eid(1)))?;
    for ctx in &mine {
        check_eq!(next(ctx)?, (UBURMA_EVENT_EID_CHANGE, 1));
    }
    check_eq!(own.device.eid(1)?, eid(1));
    let eids: Vec<String> = own.get("eids")?.lines().map(str::to_string).collect();
    check_eq!(eids[1], eid(1).to_string());
    // Peers find what is made under it.
    let options = ContextOptions {
        eid_index: 1,
        ..Default::default()
    };
    let side = Side::create_in(
        Context::open_with(&own.device, options)?,
        Default::default(),
    )?;
    let mut peer = Side::create(Default::default())?;
    let target = peer.import(&side)?;
    let list = [peer.memory.sge(0, 64)];
    let wr = SendWr::write(target.target_ref(), side.memory.remote(0), &list);
    peer.expect(&wr, UBURMA_CR_SUCCESS)?;
    own.set("eids", "-1\n")?;
    for ctx in &mine {
        check_eq!(next(ctx)?, (UBURMA_EVENT_EID_CHANGE, 1));
        nothing(ctx)?;
    }
    check!(own.device.eid(1).is_err());
    let cqe = peer.execute(&wr)?;
    expect_status(&cqe, UBURMA_CR_ACK_TIMEOUT_ERR)?;
    nothing(&other)
}

fn bad_changes_of_eids() -> Outcome {
    let own = Own::create("ubtest0")?;
    let ctx = Context::open(&own.device)?;
    let first = own.device.eid(0)?;
    check_errno!(own.set("eids", &format!("+{first}")), EEXIST);
    check_errno!(
        own.set("eids", &format!("+{}", ub_client::Device::first()?.eid(0)?)),
        EEXIST
    );
    check_errno!(own.set("eids", &format!("+{}", Eid([0; 16]))), EINVAL);
    check_errno!(own.set("eids", "-0"), EBUSY);
    for none in ["-1", "-15", "-16", "-255"] {
        check_errno!(own.set("eids", none), ENOENT);
    }
    for bad in ["\n", "+", "-", "+nonsense", "-x", "--1", "-256", "1", "-1 "] {
        check_errno!(own.set("eids", bad), EINVAL);
    }
    nothing(&ctx)?;
    let count = own.device.number("max_eid_cnt")? as u16;
    for i in 1..count {
        own.set("eids", &format!("+{}", eid(i)))?;
    }
    check_errno!(own.set("eids", &format!("+{}", eid(count))), ENOSPC);
    // The events were not read: one for each index, in order.
    for i in 1..count {
        check_eq!(next(&ctx)?, (UBURMA_EVENT_EID_CHANGE, u64::from(i)));
    }
    nothing(&ctx)
}

/// An event whose reply could not be copied is there afterwards.
fn lost_copies_stay() -> Outcome {
    let own = Own::create("ubtest0")?;
    let ctx = Context::open(&own.device)?;
    let page = Mapping::read_only(4096)?;
    own.set("port", "down")?;
    own.set("eids", &format!("+{}", eid(1)))?;
    check_eq!(
        sys::poll(ctx.events().as_raw_fd(), libc::POLLIN, 5000)?,
        libc::POLLIN
    );
    std::thread::sleep(std::time::Duration::from_millis(100));
    for id in [
        UBURMA_GET_ASYNC_EVENT_OUT_EVENT_TYPE,
        UBURMA_GET_ASYNC_EVENT_OUT_EVENT_DATA,
    ] {
        let mut cmd = AsyncEvents::get_cmd();
        cmd.attr_mut(id).place = Place::Address(page.addr());
        check_errno!(cmd.run_event(ctx.events().as_raw_fd()), EFAULT);
    }
    // In the same order as before.
    check_eq!(next(&ctx)?, DOWN);
    check_eq!(next(&ctx)?, (UBURMA_EVENT_EID_CHANGE, 1));
    nothing(&ctx)
}

/// The last event of all contexts of a device; then hang-up.
fn removal_reaches_all_contexts() -> Outcome {
    let mut own = Own::create("ubtest0")?;
    let mine = [Context::open(&own.device)?, Context::open(&own.device)?];
    let other = Context::open_first()?;
    let sets: Vec<Epoll> = mine
        .iter()
        .map(|ctx| Epoll::new(ctx.events().as_raw_fd(), libc::EPOLLIN as u32))
        .collect::<Result<_, _>>()?;
    own.set("port", "down")?;
    for ctx in &mine {
        sys::poll(ctx.events().as_raw_fd(), libc::POLLIN, 5000)?;
    }
    own.remove()?;
    let both = libc::POLLIN | libc::POLLHUP;
    let page = Mapping::read_only(4096)?;
    for (ctx, set) in mine.iter().zip(&sets) {
        check_eq!(ctx.events().poll_now()?, both);
        check_eq!(set.wait(1000)?, (libc::EPOLLIN | libc::EPOLLHUP) as u32);
        // What came before is read before.
        check_eq!(next(ctx)?, DOWN);
        check_eq!(ctx.events().poll_now()?, both);
        // A failed copy does not lose it either.
        let mut cmd = AsyncEvents::get_cmd();
        cmd.attr_mut(UBURMA_GET_ASYNC_EVENT_OUT_EVENT_TYPE).place = Place::Address(page.addr());
        check_errno!(cmd.run_event(ctx.events().as_raw_fd()), EFAULT);
        check_eq!(ctx.events().poll_now()?, both);
        check_eq!(next(ctx)?.0, UBURMA_EVENT_DEV_FATAL);
        check_eq!(ctx.events().poll_now()?, libc::POLLHUP);
        check_eq!(set.wait(1000)?, libc::EPOLLHUP as u32);
        check_errno!(ctx.events().get(), EIO);
    }
    nothing(&other)
}

/// A channel of completions hangs up, and wakes those who watch it.
fn removal_hangs_up_completion_channels() -> Outcome {
    let mut own = Own::create("ubtest0")?;
    let ctx = Context::open(&own.device)?;
    let jfce = Jfce::create(&ctx)?;
    let set = Epoll::new(jfce.as_raw_fd(), libc::EPOLLIN as u32)?;
    let watcher = std::thread::spawn(move || set.wait(20_000));
    std::thread::sleep(std::time::Duration::from_millis(100));
    own.remove()?;
    let seen = watcher
        .join()
        .map_err(|_| Failure::Fail("the watcher died".to_string()))??;
    check!(seen & libc::EPOLLHUP as u32 != 0, "{seen:#x}");
    check_errno!(jfce.wait(1, 0), EIO);
    Ok(())
}

pub fn main() -> ExitCode {
    let options = Options {
        root: true,
        ..Default::default()
    };
    ub_tests::run_with(
        "t-events-device",
        tests![
            port_events_reach_all_contexts,
            last_state_is_read_last,
            messages_need_the_port,
            eid_changes_reach_all_contexts,
            bad_changes_of_eids,
            lost_copies_stay,
            removal_reaches_all_contexts,
            removal_hangs_up_completion_channels,
        ],
        options,
    )
}
