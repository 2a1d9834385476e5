// SPDX-License-Identifier: GPL-2.0

//! Imported jettys and receive queues.

use ub_client::abi::*;
use ub_client::Target;

use crate::conform::bench::Inputs;
use crate::conform::world::{consumed, run, u32v, u64v, undo, Given, Recipe, World};
use crate::fixture::JETTY_TOKEN;
use crate::Failure;

/// The commands of this file.
pub const RECIPES: &[Recipe] = &[
    Recipe {
        number: UBURMA_CMD_IMPORT_JFR,
        prepare: |world| Ok(Given::inputs(jfr(world)?)),
        finish: |world, _, reply| {
            let handle = UBURMA_IMPORT_JFR_OUT_HANDLE;
            undo(world, reply, handle, Target::unimport_jfr_cmd)
        },
        makes: true,
    },
    Recipe {
        number: UBURMA_CMD_IMPORT_JFR_EX,
        // The kernel chooses the path.
        prepare: |world| {
            let peer = world.b()?;
            Ok(Given::inputs(vec![
                (UBURMA_IMPORT_JFR_EX_IN_EID, peer.ctx.eid().0.to_vec()),
                u32v(UBURMA_IMPORT_JFR_EX_IN_ID, peer.jfr.id()),
                u32v(UBURMA_IMPORT_JFR_EX_IN_FLAG, plain_text()),
                u32v(UBURMA_IMPORT_JFR_EX_IN_TOKEN, JETTY_TOKEN),
                u32v(UBURMA_IMPORT_JFR_EX_IN_TRANS_MODE, UBURMA_TM_RM),
            ]))
        },
        finish: |world, _, reply| {
            let handle = UBURMA_IMPORT_JFR_EX_OUT_HANDLE;
            undo(world, reply, handle, Target::unimport_jfr_cmd)
        },
        makes: true,
    },
    Recipe {
        number: UBURMA_CMD_UNIMPORT_JFR,
        prepare: |world| {
            let cmd = run(world.fd(), UBURMA_CMD_IMPORT_JFR, &jfr(world)?)?;
            let handle = cmd.get_u64(UBURMA_IMPORT_JFR_OUT_HANDLE);
            let inputs = vec![u64v(UBURMA_UNIMPORT_JFR_IN_HANDLE, handle)];
            Ok(Given::inputs(inputs).object(handle))
        },
        finish: |world, given, reply| consumed(world, &given, reply, Target::unimport_jfr_cmd),
        makes: false,
    },
    Recipe {
        number: UBURMA_CMD_IMPORT_JETTY,
        prepare: |world| Ok(Given::inputs(jetty(world)?)),
        finish: |world, _, reply| {
            let handle = UBURMA_IMPORT_JETTY_OUT_HANDLE;
            undo(world, reply, handle, Target::unimport_jetty_cmd)
        },
        makes: true,
    },
    Recipe {
        number: UBURMA_CMD_IMPORT_JETTY_EX,
        prepare: |world| {
            let peer = world.b()?;
            Ok(Given::inputs(vec![
                (UBURMA_IMPORT_JETTY_EX_IN_EID, peer.ctx.eid().0.to_vec()),
                u32v(UBURMA_IMPORT_JETTY_EX_IN_ID, peer.jetty.id()),
                u32v(UBURMA_IMPORT_JETTY_EX_IN_FLAG, plain_text()),
                u32v(UBURMA_IMPORT_JETTY_EX_IN_TOKEN, JETTY_TOKEN),
                u32v(UBURMA_IMPORT_JETTY_EX_IN_TRANS_MODE, UBURMA_TM_RM),
                u32v(UBURMA_IMPORT_JETTY_EX_IN_TYPE, UBURMA_TARGET_JETTY),
            ]))
        },
        finish: |world, _, reply| {
            let handle = UBURMA_IMPORT_JETTY_EX_OUT_HANDLE;
            undo(world, reply, handle, Target::unimport_jetty_cmd)
        },
        makes: true,
    },
    Recipe {
        number: UBURMA_CMD_UNIMPORT_JETTY,
        prepare: |world| {
            let handle = new_target(world)?;
            let inputs = vec![u64v(UBURMA_UNIMPORT_JETTY_IN_HANDLE, handle)];
            Ok(Given::inputs(inputs).object(handle))
        },
        finish: |world, given, reply| consumed(world, &given, reply, Target::unimport_jetty_cmd),
        makes: false,
    },
    Recipe {
        number: UBURMA_CMD_ADVISE_JFR,
        prepare: |_| Ok(Given::default()),
        finish: |_, _, _| Ok(()),
        makes: false,
    },
    Recipe {
        number: UBURMA_CMD_UNADVISE_JFR,
        prepare: |_| Ok(Given::default()),
        finish: |_, _, _| Ok(()),
        makes: false,
    },
    Recipe {
        number: UBURMA_CMD_ADVISE_JETTY,
        prepare: |_| Ok(Given::default()),
        finish: |_, _, _| Ok(()),
        makes: false,
    },
    Recipe {
        number: UBURMA_CMD_UNADVISE_JETTY,
        prepare: |_| Ok(Given::default()),
        finish: |_, _, _| Ok(()),
        makes: false,
    },
];

/// Flags of an import whose token is checked.
pub fn plain_text() -> u32 {
    UBURMA_TOKEN_PLAIN_TEXT << UBURMA_IMPORT_JETTY_FLAG_TOKEN_POLICY_SHIFT
}

/// The receive queue of the peer.
fn jfr(world: &World) -> Result<Inputs, Failure> {
    let peer = world.b()?;
    Ok(vec![
        (UBURMA_IMPORT_JFR_IN_EID, peer.ctx.eid().0.to_vec()),
        u32v(UBURMA_IMPORT_JFR_IN_ID, peer.jfr.id()),
        u32v(UBURMA_IMPORT_JFR_IN_FLAG, plain_text()),
        u32v(UBURMA_IMPORT_JFR_IN_TOKEN, JETTY_TOKEN),
        u32v(UBURMA_IMPORT_JFR_IN_TRANS_MODE, UBURMA_TM_RM),
        u32v(UBURMA_IMPORT_JFR_IN_TP_TYPE, UBURMA_TP_TYPE_RTP),
    ])
}

/// The jetty of the peer.
fn jetty(world: &World) -> Result<Inputs, Failure> {
    let peer = world.b()?;
    Ok(vec![
        (UBURMA_IMPORT_JETTY_IN_EID, peer.ctx.eid().0.to_vec()),
        u32v(UBURMA_IMPORT_JETTY_IN_ID, peer.jetty.id()),
        u32v(UBURMA_IMPORT_JETTY_IN_FLAG, plain_text()),
        u32v(UBURMA_IMPORT_JETTY_IN_TOKEN, JETTY_TOKEN),
        u32v(UBURMA_IMPORT_JETTY_IN_TRANS_MODE, UBURMA_TM_RM),
        u32v(UBURMA_IMPORT_JETTY_IN_TYPE, UBURMA_TARGET_JETTY),
        u32v(UBURMA_IMPORT_JETTY_IN_TP_TYPE, UBURMA_TP_TYPE_RTP),
    ])
}

/// Imports the jetty of the peer; returns the handle.
fn new_target(world: &World) -> Result<u64, Failure> {
    let cmd = run(world.fd(), UBURMA_CMD_IMPORT_JETTY, &jetty(world)?)?;
    Ok(cmd.get_u64(UBURMA_IMPORT_JETTY_OUT_HANDLE))
}
