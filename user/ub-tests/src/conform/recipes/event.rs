// SPDX-License-Identifier: GPL-2.0

//! Commands of event files. An event waits before each call, and still does after one that
//! failed.

use std::os::fd::{AsRawFd, RawFd};
use std::time::Duration;

use ub_client::abi::*;
use ub_client::{sys, Jetty, JettyConfig};

use super::asynchronous::{pending_notification, take_notification};
use crate::conform::world::{i32v, u32v, Given, Recipe, Reply, World};
use crate::{Failure, Outcome};

/// How long an event may take, in milliseconds.
const SOON: i32 = 5000;

/// The commands of this file.
pub const RECIPES: &[Recipe] = &[
    Recipe {
        number: UBURMA_EVENT_CMD_WAIT_JFCE,
        prepare: |world| {
            let mut given = Given::inputs(vec![
                u32v(UBURMA_JFCE_WAIT_IN_MAX_EVENT_CNT, 1),
                i32v(UBURMA_JFCE_WAIT_IN_TIME_OUT, 0),
            ]);
            given.fd = Some(completion(world)?);
            Ok(given)
        },
        finish: |world, _, reply| {
            let fd = world.listener()?.jfce.as_raw_fd();
            still_there(fd, reply)
        },
        makes: false,
    },
    Recipe {
        number: UBURMA_EVENT_CMD_GET_ASYNC_EVENT,
        prepare: |world| {
            Ok(Given {
                fd: Some(failure(world)?),
                ..Given::default()
            })
        },
        finish: |world, _, reply| still_there(world.ctx().events().as_raw_fd(), reply),
        makes: false,
    },
    Recipe {
        number: UBURMA_EVENT_CMD_WAIT_NOTIFY,
        prepare: pending_notification,
        finish: |world, given, reply| take_notification(world, given, reply),
        makes: false,
    },
];

fn waits(fd: RawFd, timeout: i32) -> Result<bool, Failure> {
    Ok(sys::poll(fd, libc::POLLIN, timeout)? & libc::POLLIN != 0)
}

/// An event that could not be delivered is not lost.
fn still_there(fd: RawFd, reply: &Reply) -> Outcome {
    if !reply.worked() && !waits(fd, 0)? {
        return Err(Failure::Fail(
            "the call failed and the event is gone".into(),
        ));
    }
    Ok(())
}

/// Sees that a completion event waits.
fn completion(world: &mut World) -> Result<RawFd, Failure> {
    let listener = world.listener()?;
    let fd = listener.jfce.as_raw_fd();
    if waits(fd, 0)? {
        return Ok(fd);
    }
    listener.sent.arm(false)?;
    listener.work()?;
    listener
        .sent
        .wait_polling(Duration::from_millis(SOON as u64))?;
    match waits(fd, SOON)? {
        true => Ok(fd),
        false => Err(Failure::Fail("no completion event".into())),
    }
}

/// Sees that an asynchronous event waits: that of a jetty that failed.
fn failure(world: &mut World) -> Result<RawFd, Failure> {
    let fd = world.ctx().events().as_raw_fd();
    if waits(fd, 0)? {
        return Ok(fd);
    }
    world.failed.clear();
    let side = world.a()?;
    let config = JettyConfig::on(&side.sent, &side.received, &side.jfr);
    let mut jetty = Jetty::create(&side.ctx, config)?;
    jetty.queue().ring().ring().set_user_idx(0x4000_0000);
    let _ = jetty.queue().kick();
    world.failed.push(jetty);
    match waits(fd, SOON)? {
        true => Ok(fd),
        false => Err(Failure::Fail("no asynchronous event".into())),
    }
}
