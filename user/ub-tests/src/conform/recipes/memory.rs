// SPDX-License-Identifier: GPL-2.0

//! Token ids and segments.

use ub_client::abi::*;
use ub_client::tlv::Cmd;
use ub_client::{Segment, SegmentConfig, Token};

use crate::conform::bench::Inputs;
use crate::conform::world::{consumed, run, u32v, u64v, undo, Given, Recipe, Reply, World};
use crate::fixture::SEG_TOKEN;
use crate::{Failure, Outcome};

/// The commands of this file.
pub const RECIPES: &[Recipe] = &[
    Recipe {
        number: UBURMA_CMD_ALLOC_TOKEN_ID,
        prepare: |_| Ok(Given::default()),
        finish: free_new_token,
        makes: true,
    },
    Recipe {
        number: UBURMA_CMD_FREE_TOKEN_ID,
        prepare: |world| {
            let cmd = run(world.fd(), UBURMA_CMD_ALLOC_TOKEN_ID, &Inputs::new())?;
            let handle = cmd.get_u64(UBURMA_ALLOC_TOKEN_ID_OUT_HANDLE);
            let id = cmd.get_u32(UBURMA_ALLOC_TOKEN_ID_OUT_TOKEN_ID);
            let inputs = vec![
                u64v(UBURMA_FREE_TOKEN_ID_IN_HANDLE, handle),
                u32v(UBURMA_FREE_TOKEN_ID_IN_TOKEN_ID, id),
            ];
            Ok(Given::inputs(inputs).object(handle).object(u64::from(id)))
        },
        finish: |world, mut given, reply| {
            let id = given.objects.pop().unwrap_or(0) as u32;
            consumed(world, &given, reply, |handle| Token::free_cmd(handle, id))
        },
        makes: false,
    },
    Recipe {
        number: UBURMA_CMD_REGISTER_SEG,
        prepare: |world| Ok(Given::inputs(segment(world)?)),
        finish: |world, _, reply| {
            let handle = UBURMA_REGISTER_SEG_OUT_HANDLE;
            if reply.worked() && reply.number(handle).is_none() {
                world.lose_token();
            }
            undo(world, reply, handle, Segment::unregister_cmd)
        },
        makes: true,
    },
    Recipe {
        number: UBURMA_CMD_UNREGISTER_SEG,
        prepare: |world| {
            let cmd = run(world.fd(), UBURMA_CMD_REGISTER_SEG, &segment(world)?)?;
            let handle = cmd.get_u64(UBURMA_REGISTER_SEG_OUT_HANDLE);
            let inputs = vec![u64v(UBURMA_UNREGISTER_SEG_IN_HANDLE, handle)];
            Ok(Given::inputs(inputs).object(handle))
        },
        finish: |world, given, reply| consumed(world, &given, reply, Segment::unregister_cmd),
        makes: false,
    },
    Recipe {
        number: UBURMA_CMD_IMPORT_SEG,
        prepare: |world| Ok(Given::inputs(remote(world)?)),
        finish: |world, _, reply| undo(world, reply, UBURMA_IMPORT_SEG_OUT_HANDLE, unimport),
        makes: true,
    },
    Recipe {
        number: UBURMA_CMD_UNIMPORT_SEG,
        prepare: |world| {
            let cmd = run(world.fd(), UBURMA_CMD_IMPORT_SEG, &remote(world)?)?;
            let handle = cmd.get_u64(UBURMA_IMPORT_SEG_OUT_HANDLE);
            let inputs = vec![u64v(UBURMA_UNIMPORT_SEG_IN_HANDLE, handle)];
            Ok(Given::inputs(inputs).object(handle))
        },
        finish: |world, given, reply| consumed(world, &given, reply, unimport),
        makes: false,
    },
];

fn unimport(handle: u64) -> Cmd {
    Cmd::new(UBURMA_CMD_UNIMPORT_SEG).u64(UBURMA_UNIMPORT_SEG_IN_HANDLE, handle)
}

/// A token id is freed by handle and number.
fn free_new_token(world: &mut World, _given: Given, reply: &Reply) -> Outcome {
    let Some(id) = reply.number(UBURMA_ALLOC_TOKEN_ID_OUT_TOKEN_ID) else {
        return Ok(());
    };
    let handle = UBURMA_ALLOC_TOKEN_ID_OUT_HANDLE;
    undo(world, reply, handle, |handle| {
        Token::free_cmd(handle, id as u32)
    })
}

/// A page of memory under the token id.
fn segment(world: &World) -> Result<Inputs, Failure> {
    let config = SegmentConfig::default();
    let flag = UBURMA_REG_SEG_FLAG_TOKEN_ID_VALID
        | config.policy << UBURMA_REG_SEG_FLAG_TOKEN_POLICY_SHIFT
        | config.access << UBURMA_REG_SEG_FLAG_ACCESS_SHIFT;
    Ok(vec![
        u64v(UBURMA_REGISTER_SEG_IN_VA, world.memory.addr()),
        u64v(UBURMA_REGISTER_SEG_IN_LEN, 4096),
        u32v(UBURMA_REGISTER_SEG_IN_TOKEN_ID, world.token()?.id()),
        u64v(
            UBURMA_REGISTER_SEG_IN_TOKEN_ID_HANDLE,
            world.token()?.handle(),
        ),
        u32v(UBURMA_REGISTER_SEG_IN_TOKEN, SEG_TOKEN),
        u32v(UBURMA_REGISTER_SEG_IN_FLAG, flag),
    ])
}

/// The memory of the peer.
fn remote(world: &World) -> Result<Inputs, Failure> {
    let peer = world.b()?;
    Ok(vec![
        (UBURMA_IMPORT_SEG_IN_EID, peer.ctx.eid().0.to_vec()),
        u64v(UBURMA_IMPORT_SEG_IN_VA, peer.memory.addr()),
        u64v(UBURMA_IMPORT_SEG_IN_LEN, peer.memory.len() as u64),
        u32v(UBURMA_IMPORT_SEG_IN_FLAG, 0),
        u32v(UBURMA_IMPORT_SEG_IN_TOKEN, SEG_TOKEN),
        u32v(UBURMA_IMPORT_SEG_IN_TOKEN_ID, peer.memory.token_id()),
        u64v(UBURMA_IMPORT_SEG_IN_MVA, 0),
    ])
}
