// SPDX-License-Identifier: GPL-2.0

//! Completion, send and receive queues.

use ub_client::abi::*;
use ub_client::{Jfc, Jfr, Jfs};

use crate::conform::bench::Inputs;
use crate::conform::world::{
    cleared, consumed, i32v, nothing, run, u16v, u32v, u64v, u8v, undo, Given, Recipe, World,
};
use crate::fixture::JETTY_TOKEN;
use crate::Failure;

/// The commands of this file.
pub const RECIPES: &[Recipe] = &[
    Recipe {
        number: UBURMA_CMD_CREATE_JFC,
        prepare: |_| Ok(Given::inputs(jfc())),
        finish: |world, _, reply| undo(world, reply, UBURMA_CREATE_JFC_OUT_HANDLE, Jfc::delete_cmd),
        makes: true,
    },
    Recipe {
        number: UBURMA_CMD_MODIFY_JFC,
        prepare: |world| {
            Ok(Given::inputs(vec![
                u64v(UBURMA_MODIFY_JFC_IN_HANDLE, world.a()?.sent.handle()),
                u32v(
                    UBURMA_MODIFY_JFC_IN_MASK,
                    UBURMA_JFC_ATTR_MODERATE_COUNT | UBURMA_JFC_ATTR_MODERATE_PERIOD,
                ),
                u16v(UBURMA_MODIFY_JFC_IN_MODERATE_COUNT, 1),
                u16v(UBURMA_MODIFY_JFC_IN_MODERATE_PERIOD, 10),
            ]))
        },
        finish: nothing,
        makes: false,
    },
    Recipe {
        number: UBURMA_CMD_DELETE_JFC,
        prepare: |world| {
            let handle = new_jfc(world)?;
            let inputs = vec![u64v(UBURMA_DELETE_JFC_IN_HANDLE, handle)];
            Ok(Given::inputs(inputs).object(handle))
        },
        finish: |world, given, reply| consumed(world, &given, reply, Jfc::delete_cmd),
        makes: false,
    },
    Recipe {
        number: UBURMA_CMD_CREATE_JFS,
        prepare: |world| Ok(Given::inputs(jfs(world)?)),
        finish: |world, _, reply| undo(world, reply, UBURMA_CREATE_JFS_OUT_HANDLE, Jfs::delete_cmd),
        makes: true,
    },
    Recipe {
        number: UBURMA_CMD_MODIFY_JFS,
        prepare: |world| {
            let handle = new_jfs(world)?;
            Ok(Given::inputs(vec![
                u64v(UBURMA_MODIFY_JFS_IN_HANDLE, handle),
                u32v(UBURMA_MODIFY_JFS_IN_MASK, UBURMA_JFS_ATTR_STATE),
                u32v(UBURMA_MODIFY_JFS_IN_STATE, UBURMA_JETTY_STATE_ERROR),
            ])
            .object(handle))
        },
        finish: |world, given, _| cleared(world, &given, Jfs::delete_cmd),
        makes: false,
    },
    Recipe {
        number: UBURMA_CMD_QUERY_JFS,
        prepare: |world| {
            let handle = new_jfs(world)?;
            let inputs = vec![u64v(UBURMA_QUERY_JFS_IN_HANDLE, handle)];
            Ok(Given::inputs(inputs).object(handle))
        },
        finish: |world, given, _| cleared(world, &given, Jfs::delete_cmd),
        makes: false,
    },
    Recipe {
        number: UBURMA_CMD_DELETE_JFS,
        prepare: |world| {
            let handle = new_jfs(world)?;
            let inputs = vec![u64v(UBURMA_DELETE_JFS_IN_HANDLE, handle)];
            Ok(Given::inputs(inputs).object(handle))
        },
        finish: |world, given, reply| consumed(world, &given, reply, Jfs::delete_cmd),
        makes: false,
    },
    Recipe {
        number: UBURMA_CMD_CREATE_JFR,
        prepare: |world| Ok(Given::inputs(jfr(world)?)),
        finish: |world, _, reply| undo(world, reply, UBURMA_CREATE_JFR_OUT_HANDLE, Jfr::delete_cmd),
        makes: true,
    },
    Recipe {
        number: UBURMA_CMD_MODIFY_JFR,
        prepare: |world| {
            let handle = new_jfr(world)?;
            Ok(Given::inputs(vec![
                u64v(UBURMA_MODIFY_JFR_IN_HANDLE, handle),
                u32v(UBURMA_MODIFY_JFR_IN_MASK, UBURMA_JFR_ATTR_RX_THRESHOLD),
                u32v(UBURMA_MODIFY_JFR_IN_RX_THRESHOLD, 1),
            ])
            .object(handle))
        },
        finish: |world, given, _| cleared(world, &given, Jfr::delete_cmd),
        makes: false,
    },
    Recipe {
        number: UBURMA_CMD_QUERY_JFR,
        prepare: |world| {
            let handle = world.a()?.jfr.handle();
            Ok(Given::inputs(vec![u64v(
                UBURMA_QUERY_JFR_IN_HANDLE,
                handle,
            )]))
        },
        finish: nothing,
        makes: false,
    },
    Recipe {
        number: UBURMA_CMD_DELETE_JFR,
        prepare: |world| {
            let handle = new_jfr(world)?;
            let inputs = vec![u64v(UBURMA_DELETE_JFR_IN_HANDLE, handle)];
            Ok(Given::inputs(inputs).object(handle))
        },
        finish: |world, given, reply| consumed(world, &given, reply, Jfr::delete_cmd),
        makes: false,
    },
];

/// A small completion queue.
fn jfc() -> Inputs {
    vec![
        u32v(UBURMA_CREATE_JFC_IN_DEPTH, 16),
        i32v(UBURMA_CREATE_JFC_IN_JFCE_FD, UBURMA_NO_JFCE_FD),
        u64v(UBURMA_CREATE_JFC_IN_URMA_JFC, 0x1f_c000),
    ]
}

/// A small send queue.
fn jfs(world: &World) -> Result<Inputs, Failure> {
    Ok(vec![
        u32v(UBURMA_CREATE_JFS_IN_DEPTH, 16),
        u32v(UBURMA_CREATE_JFS_IN_TRANS_MODE, UBURMA_TM_RM),
        u8v(UBURMA_CREATE_JFS_IN_MAX_SGE, 1),
        u8v(UBURMA_CREATE_JFS_IN_MAX_RSGE, 1),
        u8v(UBURMA_CREATE_JFS_IN_ERR_TIMEOUT, 17),
        u64v(UBURMA_CREATE_JFS_IN_JFC_HANDLE, world.a()?.sent.handle()),
    ])
}

/// A small receive queue.
fn jfr(world: &World) -> Result<Inputs, Failure> {
    let jfc = world.a()?.received.handle();
    Ok(vec![
        u32v(UBURMA_CREATE_JFR_IN_DEPTH, 16),
        u32v(UBURMA_CREATE_JFR_IN_FLAG, UBURMA_TOKEN_PLAIN_TEXT),
        u32v(UBURMA_CREATE_JFR_IN_TRANS_MODE, UBURMA_TM_RM),
        u8v(UBURMA_CREATE_JFR_IN_MAX_SGE, 1),
        u64v(UBURMA_CREATE_JFR_IN_JFC_HANDLE, jfc),
        u32v(UBURMA_CREATE_JFR_IN_TOKEN, JETTY_TOKEN),
    ])
}

/// Creates a completion queue; returns its handle.
pub fn new_jfc(world: &World) -> Result<u64, Failure> {
    let cmd = run(world.fd(), UBURMA_CMD_CREATE_JFC, &jfc())?;
    Ok(cmd.get_u64(UBURMA_CREATE_JFC_OUT_HANDLE))
}

/// Creates a send queue; returns its handle.
pub fn new_jfs(world: &World) -> Result<u64, Failure> {
    let cmd = run(world.fd(), UBURMA_CMD_CREATE_JFS, &jfs(world)?)?;
    Ok(cmd.get_u64(UBURMA_CREATE_JFS_OUT_HANDLE))
}

/// Creates a receive queue; returns its handle.
pub fn new_jfr(world: &World) -> Result<u64, Failure> {
    let cmd = run(world.fd(), UBURMA_CMD_CREATE_JFR, &jfr(world)?)?;
    Ok(cmd.get_u64(UBURMA_CREATE_JFR_OUT_HANDLE))
}
