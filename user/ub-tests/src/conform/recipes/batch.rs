// SPDX-License-Identifier: GPL-2.0

//! Destruction of many queues at once.

use ub_client::abi::*;
use ub_client::{Jetty, Jfc, Jfr, Jfs};

use super::jetty::new_jetty;
use super::queue::{new_jfc, new_jfr, new_jfs};
use crate::conform::world::{consumed, u32v, u64v, Given, Recipe, World};
use crate::Failure;

/// The commands of this file.
pub const RECIPES: &[Recipe] = &[
    Recipe {
        number: UBURMA_CMD_DELETE_JFS_BATCH,
        prepare: |world| {
            let ids = (
                UBURMA_DELETE_JFS_BATCH_IN_JFS_COUNT,
                UBURMA_DELETE_JFS_BATCH_IN_JFS_PTR,
            );
            two(world, ids, new_jfs)
        },
        finish: |world, given, reply| consumed(world, &given, reply, Jfs::delete_cmd),
        makes: false,
    },
    Recipe {
        number: UBURMA_CMD_DELETE_JFR_BATCH,
        prepare: |world| {
            let ids = (
                UBURMA_DELETE_JFR_BATCH_IN_JFR_COUNT,
                UBURMA_DELETE_JFR_BATCH_IN_JFR_PTR,
            );
            two(world, ids, new_jfr)
        },
        finish: |world, given, reply| consumed(world, &given, reply, Jfr::delete_cmd),
        makes: false,
    },
    Recipe {
        number: UBURMA_CMD_DELETE_JFC_BATCH,
        prepare: |world| {
            let ids = (
                UBURMA_DELETE_JFC_BATCH_IN_JFC_COUNT,
                UBURMA_DELETE_JFC_BATCH_IN_JFC_PTR,
            );
            two(world, ids, new_jfc)
        },
        finish: |world, given, reply| consumed(world, &given, reply, Jfc::delete_cmd),
        makes: false,
    },
    Recipe {
        number: UBURMA_CMD_DELETE_JETTY_BATCH,
        prepare: |world| {
            let ids = (
                UBURMA_DELETE_JETTY_BATCH_IN_JETTY_COUNT,
                UBURMA_DELETE_JETTY_BATCH_IN_JETTY_PTR,
            );
            two(world, ids, new_jetty)
        },
        finish: |world, given, reply| consumed(world, &given, reply, Jetty::delete_cmd),
        makes: false,
    },
];

/// An array of two new handles; `ids` are those of its length and its address.
fn two(
    world: &World,
    ids: (u32, u32),
    make: fn(&World) -> Result<u64, Failure>,
) -> Result<Given, Failure> {
    let (first, second) = (make(world)?, make(world)?);
    world.put(0, &first.to_ne_bytes());
    world.put(8, &second.to_ne_bytes());
    let inputs = vec![u32v(ids.0, 2), u64v(ids.1, world.memory.addr())];
    Ok(Given::inputs(inputs).object(first).object(second))
}
