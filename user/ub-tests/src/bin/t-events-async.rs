// SPDX-License-Identifier: GPL-2.0

//! Asynchronous events, and how they are counted.

use std::os::fd::AsRawFd;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;

use ub_client::abi::*;
use ub_client::sys::{self, Mapping};
use ub_client::tlv::Place;
use ub_client::{
    AsyncEvent, AsyncEvents, Context, Jetty, Jfc, JfcConfig, Jfs, JfsConfig, Segment, SendWr,
    Target,
};
use ub_tests::fixture::{Side, SOON};
use ub_tests::listener::{Listener, JETTY, JFR};
use ub_tests::{check, check_eq, check_errno, tests, Failure, Outcome};

/// The next event of a context, which must be there soon.
fn next(ctx: &Context) -> Result<(u32, u64), Failure> {
    match ctx.events().get_within(5000)? {
        Some(AsyncEvent { kind, data }) => Ok((kind, data)),
        None => Err(Failure::Fail("no event came".to_string())),
    }
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
    let memory = Segment::alloc(&ctx, 4096, 1)?;
    let mut jfc = Jfc::create_with(
        &ctx,
        JfcConfig {
            depth: 4,
            cookie: 0xcc,
            ..Default::default()
        },
    )?;
    let entries = jfc.ring().ring().resp().entries;
    let mut jfs = Jfs::create(
        &ctx,
        JfsConfig {
            cookie: 0x15,
            ..JfsConfig::on(&jfc)
        },
    )?;
    let target = Target::jetty(&ctx, peer.target_config())?;
    let list = [memory.sge(0, 8)];
    for _ in 0..entries + 2 {
        let wr = SendWr::write(target.target_ref(), peer.memory.remote(0), &list);
        jfs.queue().send(&wr)?;
    }
    let event = ctx.events().get_within(5000)?;
    check_eq!(
        event,
        Some(AsyncEvent {
            kind: UBURMA_EVENT_JFC_ERR,
            data: 0xcc
        })
    );
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
    check_eq!(
        event,
        Some(AsyncEvent {
            kind: UBURMA_EVENT_JETTY_ERR,
            data: JETTY
        })
    );
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
    check_eq!(
        event,
        Some(AsyncEvent {
            kind: UBURMA_EVENT_JFR_LIMIT,
            data: JFR
        })
    );
    // Once only.
    side.send(false)?;
    check_eq!(side.ctx.events().get_within(200)?, None);
    side.target.unimport()?;
    side.jetty.destroy()?;
    check_eq!(side.jfr.destroy()?, 1);
    Ok(())
}

/// As `jfr_limit`, for the jetty that the messages are addressed to.
fn jetty_limit() -> Outcome {
    let mut side = Listener::create()?;
    for _ in 0..4 {
        side.post_recv()?;
    }
    let mask = UBURMA_JETTY_ATTR_RX_THRESHOLD;
    let mut cmd = Jetty::modify_cmd(side.jetty.handle(), mask, 2, 0);
    side.ctx.run(&mut cmd)?;
    for _ in 0..2 {
        side.send(false)?;
        side.received.wait_polling(SOON)?;
    }
    check_eq!(side.ctx.events().get_within(200)?, None);
    side.send(false)?;
    check_eq!(next(&side.ctx)?, (UBURMA_EVENT_JETTY_LIMIT, JETTY));
    // Once only, until it is armed again.
    side.send(false)?;
    check_eq!(side.ctx.events().get_within(200)?, None);
    side.post_recv()?;
    side.ctx
        .run(&mut Jetty::modify_cmd(side.jetty.handle(), mask, 1, 0))?;
    side.send(false)?;
    check_eq!(next(&side.ctx)?, (UBURMA_EVENT_JETTY_LIMIT, JETTY));
    side.target.unimport()?;
    check_eq!(side.jetty.destroy()?, 2);
    check_eq!(side.jfr.destroy()?, 0);
    Ok(())
}

/// An impossible index of a queue that stands alone.
fn jfs_error() -> Outcome {
    let ctx = Context::open_first()?;
    let jfc = Jfc::create(&ctx, 16)?;
    let mut jfs = Jfs::create(
        &ctx,
        JfsConfig {
            cookie: 0x15,
            ..JfsConfig::on(&jfc)
        },
    )?;
    jfs.queue().ring().ring().set_user_idx(0x4000_0000);
    let _ = jfs.queue().kick();
    check_eq!(next(&ctx)?, (UBURMA_EVENT_JFS_ERR, 0x15));
    // The queue is in the error state already.
    let _ = jfs.queue().kick();
    check_eq!(ctx.events().get_within(200)?, None);
    check_eq!(jfs.destroy()?, 1);
    Ok(())
}

/// A failed request takes a queue to the error state by itself: that is told.
fn failed_requests_are_told() -> Outcome {
    let mut side = Listener::create()?;
    let list = [side.memory.sge(0, 16)];
    let mut remote = side.memory.remote(0);
    remote.token ^= 1;
    let wr = SendWr::write(side.target.target_ref(), remote, &list);
    let mut jfs = Jfs::create(
        &side.ctx,
        JfsConfig {
            cookie: 0x16,
            ..JfsConfig::on(&side.sent)
        },
    )?;
    jfs.queue().send(&wr)?;
    check_eq!(next(&side.ctx)?, (UBURMA_EVENT_JFS_ERR, 0x16));
    side.jetty.queue().send(&wr)?;
    check_eq!(next(&side.ctx)?, (UBURMA_EVENT_JETTY_ERR, JETTY));
    check_eq!(jfs.destroy()?, 1);
    // Who asks for the error state knows of it.
    let asked = Jfs::create(&side.ctx, JfsConfig::on(&side.sent))?;
    asked.set_state(UBURMA_JETTY_STATE_ERROR)?;
    check_eq!(side.ctx.events().get_within(200)?, None);
    Ok(())
}

/// An impossible index of a receive queue, seen when a message comes.
fn jfr_error() -> Outcome {
    let mut side = Listener::create()?;
    side.jfr.ring().ring().set_user_idx(0x4000_0000);
    side.send(false)?;
    check_eq!(next(&side.ctx)?, (UBURMA_EVENT_JFR_ERR, JFR));
    // The sender failed with it.
    check_eq!(next(&side.ctx)?, (UBURMA_EVENT_JETTY_ERR, JETTY));
    check!(side.jfr.ring().ring().kern_flags() & UBSOFT_RING_ERROR != 0);
    let state = side.jfr.query()?.get_u32(UBURMA_QUERY_JFR_OUT_STATE);
    check_eq!(state, UBURMA_JFR_STATE_ERROR);
    side.target.unimport()?;
    check_eq!(side.jetty.destroy()?, 1);
    check_eq!(side.jfr.destroy()?, 1);
    Ok(())
}

/// Events whose reply could not be copied are there afterwards, and not counted before.
fn lost_copies_do_not_count() -> Outcome {
    let mut side = Listener::create()?;
    let page = Mapping::read_only(4096)?;
    side.jfr.ring().ring().set_user_idx(0x4000_0000);
    side.send(false)?;
    let fd = side.ctx.events().as_raw_fd();
    check_eq!(sys::poll(fd, libc::POLLIN, 5000)?, libc::POLLIN);
    for id in [
        UBURMA_GET_ASYNC_EVENT_OUT_EVENT_TYPE,
        UBURMA_GET_ASYNC_EVENT_OUT_EVENT_DATA,
    ] {
        let mut cmd = AsyncEvents::get_cmd();
        cmd.attr_mut(id).place = Place::Address(page.addr());
        check_errno!(cmd.run_event(fd), EFAULT);
    }
    check_eq!(next(&side.ctx)?, (UBURMA_EVENT_JFR_ERR, JFR));
    // The second one is still unread.
    check_eq!(sys::poll(fd, libc::POLLIN, 5000)?, libc::POLLIN);
    side.target.unimport()?;
    check_eq!(side.jetty.destroy()?, 0);
    check_eq!(side.jfr.destroy()?, 1);
    check_eq!(side.ctx.events().poll_now()?, 0);
    Ok(())
}

/// Readers race with the one who destroys: what the reply says was read, was read.
fn counts_are_final() -> Outcome {
    for round in 0..30u64 {
        let mut side = Listener::create()?;
        for _ in 0..8 {
            side.post_recv()?;
        }
        let events = side.ctx.events().clone();
        sys::set_nonblocking(&events, true)?;
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = stop.clone();
        let reader = std::thread::spawn(move || {
            let mut read = 0;
            while !stopped.load(Ordering::Acquire) {
                match events.get() {
                    Ok(event) if event.kind == UBURMA_EVENT_JETTY_LIMIT => read += 1,
                    _ => sys::yield_now(),
                }
            }
            read
        });
        let mask = UBURMA_JETTY_ATTR_RX_THRESHOLD;
        for _ in 0..8 {
            side.ctx
                .run(&mut Jetty::modify_cmd(side.jetty.handle(), mask, 100, 0))?;
            side.send(false)?;
        }
        side.target.unimport()?;
        let said = side.jetty.destroy()?;
        // What was not read by now is gone.
        stop.store(true, Ordering::Release);
        let read = reader
            .join()
            .map_err(|_| Failure::Fail("the reader died".to_string()))?;
        check_eq!(said, read, "round {round}");
        check_eq!(side.ctx.events().poll_now()?, 0);
    }
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

pub fn main() -> ExitCode {
    ub_tests::run(
        "t-events-async",
        tests![
            async_event_file,
            jfc_error,
            queue_error,
            jfr_limit,
            jetty_limit,
            jfs_error,
            jfr_error,
            failed_requests_are_told,
            lost_copies_do_not_count,
            counts_are_final,
            unread_async_events_do_not_count,
        ],
    )
}
