// SPDX-License-Identifier: GPL-2.0

//! Imports and bindings whose end is told by a notifier.

use std::mem::offset_of;
use std::os::fd::{AsRawFd, OwnedFd};

use ub_client::abi::*;
use ub_client::sys;
use ub_client::tlv::Cmd;

use super::jetty::{rc, unbound};
use super::target::plain_text;
use crate::conform::bench::Inputs;
use crate::conform::world::{
    consumed, i32v, new_files, run, u32v, u64v, undo, Given, Recipe, Reply, World,
};
use crate::fixture::JETTY_TOKEN;
use crate::{Failure, Outcome};

/// How long a notification may take, in milliseconds.
const SOON: i32 = 5000;

/// The commands of this file.
pub const RECIPES: &[Recipe] = &[
    Recipe {
        number: UBURMA_CMD_CREATE_NOTIFIER,
        prepare: |_| Given::default().counting_files(),
        finish: |_, given, reply| new_files(&given, reply),
        makes: true,
    },
    Recipe {
        number: UBURMA_CMD_IMPORT_JETTY_ASYNC,
        prepare: |world| {
            let notifier = notifier(world)?;
            let mut given = Given::inputs(import(world, &notifier)?);
            given.files.push(notifier);
            Ok(given)
        },
        finish: |world, given, reply| {
            settle(&given, reply)?;
            undo(world, reply, UBURMA_IMPORT_JETTY_ASYNC_OUT_HANDLE, unimport)
        },
        makes: true,
    },
    Recipe {
        number: UBURMA_CMD_UNIMPORT_JETTY_ASYNC,
        prepare: |world| {
            let handle = imported(world)?;
            let inputs = vec![u64v(UBURMA_UNIMPORT_JETTY_ASYNC_IN_HANDLE, handle)];
            Ok(Given::inputs(inputs).object(handle))
        },
        finish: |world, given, reply| consumed(world, &given, reply, unimport),
        makes: false,
    },
    Recipe {
        number: UBURMA_CMD_BIND_JETTY_ASYNC,
        prepare: |world| {
            let notifier = notifier(world)?;
            let mut given = Given::inputs(bind(world, &notifier)?);
            given.files.push(notifier);
            Ok(given)
        },
        finish: |world, given, reply| {
            settle(&given, reply)?;
            // A time limit of next to nothing may be over before it is bound.
            if reply.worked() && !ended_well(&given)? {
                return Ok(());
            }
            unbound(world, given, reply)
        },
        makes: false,
    },
    Recipe {
        number: UBURMA_CMD_UNBIND_JETTY_ASYNC,
        prepare: |world| {
            let (jetty, target) = rc(world)?;
            let pair = world.rc()?;
            pair.a.jetty.bind(&pair.ab)?;
            Ok(Given::inputs(vec![
                u64v(UBURMA_UNBIND_JETTY_ASYNC_IN_JETTY_HANDLE, jetty),
                u64v(UBURMA_UNBIND_JETTY_ASYNC_IN_TJETTY_HANDLE, target),
            ]))
        },
        finish: |world, _, reply| {
            let pair = world.rc()?;
            match (pair.a.jetty.unbind(&pair.ab), reply.worked()) {
                (Err(_), true) | (Ok(()), false) => Ok(()),
                (unbound, _) => Err(Failure::Fail(format!("unbind again: {unbound:?}"))),
            }
        },
        makes: false,
    },
];

/// A notifier of the context.
fn notifier(world: &World) -> Result<OwnedFd, Failure> {
    let cmd = run(world.fd(), UBURMA_CMD_CREATE_NOTIFIER, &Inputs::new())?;
    Ok(sys::adopt_fd(cmd.get_i32(UBURMA_CREATE_NOTIFIER_OUT_FD))?)
}

/// An import of the peer's jetty.
fn import(world: &World, notifier: &OwnedFd) -> Result<Inputs, Failure> {
    let peer = world.b()?;
    Ok(vec![
        (UBURMA_IMPORT_JETTY_ASYNC_IN_EID, peer.ctx.eid().0.to_vec()),
        u32v(UBURMA_IMPORT_JETTY_ASYNC_IN_ID, peer.jetty.id()),
        u32v(UBURMA_IMPORT_JETTY_ASYNC_IN_FLAG, plain_text()),
        u32v(UBURMA_IMPORT_JETTY_ASYNC_IN_TOKEN, JETTY_TOKEN),
        u32v(UBURMA_IMPORT_JETTY_ASYNC_IN_TRANS_MODE, UBURMA_TM_RM),
        u32v(UBURMA_IMPORT_JETTY_ASYNC_IN_TYPE, UBURMA_TARGET_JETTY),
        u64v(UBURMA_IMPORT_JETTY_ASYNC_IN_URMA_TJETTY, 0x7e_0000),
        u64v(UBURMA_IMPORT_JETTY_ASYNC_IN_USER_CTX, 0xc0_ffee),
        i32v(UBURMA_IMPORT_JETTY_ASYNC_IN_FD, notifier.as_raw_fd()),
        i32v(UBURMA_IMPORT_JETTY_ASYNC_IN_TIMEOUT, SOON),
    ])
}

/// A binding to the target of mode RC.
fn bind(world: &mut World, notifier: &OwnedFd) -> Result<Inputs, Failure> {
    let (jetty, target) = rc(world)?;
    Ok(vec![
        u64v(UBURMA_BIND_JETTY_ASYNC_IN_JETTY_HANDLE, jetty),
        u64v(UBURMA_BIND_JETTY_ASYNC_IN_TJETTY_HANDLE, target),
        u64v(UBURMA_BIND_JETTY_ASYNC_IN_URMA_TJETTY, 0x7e_0000),
        u64v(UBURMA_BIND_JETTY_ASYNC_IN_URMA_JETTY, 0x1e_0000),
        i32v(UBURMA_BIND_JETTY_ASYNC_IN_FD, notifier.as_raw_fd()),
        u64v(UBURMA_BIND_JETTY_ASYNC_IN_USER_CTX, 0xc0_ffee),
        i32v(UBURMA_BIND_JETTY_ASYNC_IN_TIMEOUT, SOON),
    ])
}

fn unimport(handle: u64) -> Cmd {
    Cmd::new(UBURMA_CMD_UNIMPORT_JETTY_ASYNC).u64(UBURMA_UNIMPORT_JETTY_ASYNC_IN_HANDLE, handle)
}

fn has_notification(notifier: &OwnedFd, timeout: i32) -> Result<bool, Failure> {
    Ok(sys::poll(notifier.as_raw_fd(), libc::POLLIN, timeout)? & libc::POLLIN != 0)
}

/// Waits for the end of what a call has started.
fn settle(given: &Given, reply: &Reply) -> Outcome {
    let Some(notifier) = given.files.last() else {
        return Ok(());
    };
    if reply.worked() && reply.as_given && !has_notification(notifier, SOON)? {
        return Err(Failure::Fail("no notification came".into()));
    }
    Ok(())
}

/// Reads the notification of the notifier; tells whether it reports success. True without one.
fn ended_well(given: &Given) -> Result<bool, Failure> {
    let Some(notifier) = given.files.last() else {
        return Ok(true);
    };
    let mut cmd = Cmd::new(UBURMA_EVENT_CMD_WAIT_NOTIFY)
        .u32(UBURMA_WAIT_NOTIFY_IN_CNT, 1)
        .i32(UBURMA_WAIT_NOTIFY_IN_TIMEOUT, SOON)
        .out(UBURMA_WAIT_NOTIFY_OUT_CNT, 4)
        .out(
            UBURMA_WAIT_NOTIFY_OUT_NOTIFY,
            UBURMA_MAX_NOTIFY as usize * size_of::<uburma_cmd_notify>(),
        );
    cmd.run_event(notifier.as_raw_fd())?;
    let notify = cmd.value(UBURMA_WAIT_NOTIFY_OUT_NOTIFY);
    let status: u32 = sys::from_bytes(&notify[offset_of!(uburma_cmd_notify, status)..]);
    Ok(cmd.get_u32(UBURMA_WAIT_NOTIFY_OUT_CNT) == 0 || status == UBURMA_STATUS_SUCCESS)
}

/// Imports asynchronously, and waits for the end; returns the handle.
fn imported(world: &World) -> Result<u64, Failure> {
    let notifier = notifier(world)?;
    let cmd = run(
        world.fd(),
        UBURMA_CMD_IMPORT_JETTY_ASYNC,
        &import(world, &notifier)?,
    )?;
    if !has_notification(&notifier, SOON)? {
        return Err(Failure::Fail("no notification came".into()));
    }
    Ok(cmd.get_u64(UBURMA_IMPORT_JETTY_ASYNC_OUT_HANDLE))
}

/// A notifier with a notification.
pub fn pending_notification(world: &mut World) -> Result<Given, Failure> {
    let notifier = notifier(world)?;
    let cmd = run(
        world.fd(),
        UBURMA_CMD_IMPORT_JETTY_ASYNC,
        &import(world, &notifier)?,
    )?;
    if !has_notification(&notifier, SOON)? {
        return Err(Failure::Fail("no notification came".into()));
    }
    let inputs = vec![
        u32v(UBURMA_WAIT_NOTIFY_IN_CNT, 1),
        i32v(UBURMA_WAIT_NOTIFY_IN_TIMEOUT, 0),
    ];
    let handle = cmd.get_u64(UBURMA_IMPORT_JETTY_ASYNC_OUT_HANDLE);
    Ok(Given::inputs(inputs).on(notifier).object(handle))
}

/// A notification that could not be delivered is not lost.
pub fn take_notification(world: &mut World, given: Given, reply: &Reply) -> Outcome {
    let lost = match given.files.last() {
        Some(notifier) => !reply.worked() && !has_notification(notifier, 0)?,
        None => false,
    };
    for handle in &given.objects {
        unimport(*handle).run(world.fd())?;
    }
    match lost {
        true => Err(Failure::Fail(
            "the call failed and the event is gone".into(),
        )),
        false => Ok(()),
    }
}
