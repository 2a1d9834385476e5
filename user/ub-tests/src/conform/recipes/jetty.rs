// SPDX-License-Identifier: GPL-2.0

//! Jettys, their bindings and groups.

use ub_client::abi::*;
use ub_client::tlv::Cmd;
use ub_client::Jetty;

use crate::conform::bench::Inputs;
use crate::conform::world::{
    cleared, consumed, nothing, run, u32v, u64v, u8v, undo, Given, Recipe, Reply, World,
};
use crate::fixture::{Side, JETTY_TOKEN};
use crate::{Failure, Outcome};

/// The commands of this file.
pub const RECIPES: &[Recipe] = &[
    Recipe {
        number: UBURMA_CMD_CREATE_JETTY,
        prepare: |world| Ok(Given::inputs(jetty(world.a()?))),
        finish: |world, _, reply| {
            let handle = UBURMA_CREATE_JETTY_OUT_HANDLE;
            undo(world, reply, handle, Jetty::delete_cmd)
        },
        makes: true,
    },
    Recipe {
        number: UBURMA_CMD_MODIFY_JETTY,
        prepare: |world| {
            let handle = new_jetty(world)?;
            Ok(Given::inputs(vec![
                u64v(UBURMA_MODIFY_JETTY_IN_HANDLE, handle),
                u32v(UBURMA_MODIFY_JETTY_IN_MASK, UBURMA_JETTY_ATTR_STATE),
                u32v(UBURMA_MODIFY_JETTY_IN_RX_THRESHOLD, 0),
                u32v(UBURMA_MODIFY_JETTY_IN_STATE, UBURMA_JETTY_STATE_ERROR),
            ])
            .object(handle))
        },
        finish: |world, given, _| cleared(world, &given, Jetty::delete_cmd),
        makes: false,
    },
    Recipe {
        number: UBURMA_CMD_QUERY_JETTY,
        prepare: |world| {
            let handle = world.a()?.jetty.handle();
            Ok(Given::inputs(vec![u64v(
                UBURMA_QUERY_JETTY_IN_HANDLE,
                handle,
            )]))
        },
        finish: nothing,
        makes: false,
    },
    Recipe {
        number: UBURMA_CMD_DELETE_JETTY,
        prepare: |world| {
            let handle = new_jetty(world)?;
            let inputs = vec![u64v(UBURMA_DELETE_JETTY_IN_HANDLE, handle)];
            Ok(Given::inputs(inputs).object(handle))
        },
        finish: |world, given, reply| consumed(world, &given, reply, Jetty::delete_cmd),
        makes: false,
    },
    Recipe {
        number: UBURMA_CMD_BIND_JETTY,
        prepare: |world| {
            let (jetty, target) = rc(world)?;
            Ok(Given::inputs(vec![
                u64v(UBURMA_BIND_JETTY_IN_JETTY_HANDLE, jetty),
                u64v(UBURMA_BIND_JETTY_IN_TJETTY_HANDLE, target),
            ]))
        },
        finish: unbound,
        makes: false,
    },
    Recipe {
        number: UBURMA_CMD_BIND_JETTY_EX,
        prepare: |world| {
            let (jetty, target) = rc(world)?;
            Ok(Given::inputs(vec![
                u64v(UBURMA_BIND_JETTY_EX_IN_JETTY_HANDLE, jetty),
                u64v(UBURMA_BIND_JETTY_EX_IN_TJETTY_HANDLE, target),
            ]))
        },
        finish: unbound,
        makes: false,
    },
    Recipe {
        number: UBURMA_CMD_UNBIND_JETTY,
        prepare: |world| {
            let (jetty, target) = rc(world)?;
            let pair = world.rc()?;
            pair.a.jetty.bind(&pair.ab)?;
            Ok(Given::inputs(vec![
                u64v(UBURMA_UNBIND_JETTY_IN_JETTY_HANDLE, jetty),
                u64v(UBURMA_UNBIND_JETTY_IN_TJETTY_HANDLE, target),
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
    Recipe {
        number: UBURMA_CMD_CREATE_JETTY_GRP,
        prepare: |_| Ok(Given::inputs(group())),
        finish: |world, _, reply| {
            undo(
                world,
                reply,
                UBURMA_CREATE_JETTY_GRP_OUT_HANDLE,
                destroy_group,
            )
        },
        makes: true,
    },
    Recipe {
        number: UBURMA_CMD_DESTROY_JETTY_GRP,
        prepare: |world| {
            let cmd = run(world.fd(), UBURMA_CMD_CREATE_JETTY_GRP, &group())?;
            let handle = cmd.get_u64(UBURMA_CREATE_JETTY_GRP_OUT_HANDLE);
            let inputs = vec![u64v(UBURMA_DELETE_JETTY_GRP_IN_HANDLE, handle)];
            Ok(Given::inputs(inputs).object(handle))
        },
        finish: |world, given, reply| consumed(world, &given, reply, destroy_group),
        makes: false,
    },
];

/// A small jetty that shares the receive queue of a side.
fn jetty(side: &Side) -> Inputs {
    vec![
        u32v(
            UBURMA_CREATE_JETTY_IN_JETTY_FLAG,
            UBURMA_JETTY_FLAG_SHARE_JFR,
        ),
        u32v(UBURMA_CREATE_JETTY_IN_JFS_DEPTH, 16),
        u32v(UBURMA_CREATE_JETTY_IN_TRANS_MODE, UBURMA_TM_RM),
        u8v(UBURMA_CREATE_JETTY_IN_MAX_SEND_SGE, 1),
        u8v(UBURMA_CREATE_JETTY_IN_MAX_SEND_RSGE, 1),
        u8v(UBURMA_CREATE_JETTY_IN_ERR_TIMEOUT, 17),
        u64v(UBURMA_CREATE_JETTY_IN_SEND_JFC_HANDLE, side.sent.handle()),
        u64v(
            UBURMA_CREATE_JETTY_IN_RECV_JFC_HANDLE,
            side.received.handle(),
        ),
        u32v(UBURMA_CREATE_JETTY_IN_TOKEN, JETTY_TOKEN),
        u32v(UBURMA_CREATE_JETTY_IN_JFR_ID, side.jfr.id()),
        u64v(UBURMA_CREATE_JETTY_IN_JFR_HANDLE, side.jfr.handle()),
    ]
}

/// Creates a jetty of mode RM; returns its handle.
pub fn new_jetty(world: &World) -> Result<u64, Failure> {
    let inputs = jetty(world.a()?);
    let cmd = run(world.fd(), UBURMA_CMD_CREATE_JETTY, &inputs)?;
    Ok(cmd.get_u64(UBURMA_CREATE_JETTY_OUT_HANDLE))
}

/// Handles of a jetty of mode RC and of a target for it.
pub fn rc(world: &mut World) -> Result<(u64, u64), Failure> {
    let pair = world.rc()?;
    Ok((pair.a.jetty.handle(), pair.ab.handle()))
}

/// Undoes a binding. A reply that cannot be copied may leave it, since binding the same two
/// again changes nothing.
pub fn unbound(world: &mut World, _given: Given, reply: &Reply) -> Outcome {
    let pair = world.rc()?;
    match pair.a.jetty.unbind(&pair.ab) {
        Err(err) if reply.worked() => Err(err.into()),
        _ => Ok(()),
    }
}

/// A group.
fn group() -> Inputs {
    let mut name = b"conform".to_vec();
    name.resize(UBURMA_MAX_NAME as usize, 0);
    vec![
        (UBURMA_CREATE_JETTY_GRP_IN_NAME, name),
        u32v(UBURMA_CREATE_JETTY_GRP_IN_TOKEN, JETTY_TOKEN),
        u32v(
            UBURMA_CREATE_JETTY_GRP_IN_POLICY,
            UBURMA_JETTY_GRP_POLICY_RR,
        ),
        u64v(UBURMA_CREATE_JETTY_GRP_IN_URMA_JETTY_GRP, 0x96_0000),
    ]
}

fn destroy_group(handle: u64) -> Cmd {
    Cmd::new(UBURMA_CMD_DESTROY_JETTY_GRP)
        .u64(UBURMA_DELETE_JETTY_GRP_IN_HANDLE, handle)
        .out(UBURMA_DELETE_JETTY_GRP_OUT_ASYNC_EVENTS_REPORTED, 4)
}
