// SPDX-License-Identifier: GPL-2.0

//! Asynchronous events, and how they are counted.

use std::os::fd::AsRawFd;
use std::process::ExitCode;

use ub_client::abi::*;
use ub_client::sys;
use ub_client::{AsyncEvent, Context, Jfc, JfcConfig, Jfs, JfsConfig, Segment, SendWr, Target};
use ub_tests::fixture::{Side, SOON};
use ub_tests::listener::{Listener, JETTY, JFR};
use ub_tests::{check, check_eq, check_errno, tests, Outcome};

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

fn main() -> ExitCode {
    ub_tests::run(
        "t-events-async",
        tests![
            async_event_file,
            jfc_error,
            queue_error,
            jfr_limit,
            unread_async_events_do_not_count,
        ],
    )
}
