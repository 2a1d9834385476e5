// SPDX-License-Identifier: GPL-2.0

//! Jettys that are allocated first. ALLOC_JETTY takes and returns a whole structure.

use std::mem::{offset_of, size_of};

use ub_client::abi::*;

use super::staged::{no_options, staged, Kind, DEACTIVE_IN_HANDLE, FREE_IN_HANDLE};
use crate::conform::bench::Inputs;
use crate::conform::world::{run, u64v, Given, Recipe, World};
use crate::fixture::JETTY_TOKEN;
use crate::Failure;

/// The commands of this file.
pub const RECIPES: &[Recipe] = &JETTY_RECIPES;

const JETTY: Kind = Kind {
    alloc: UBURMA_CMD_ALLOC_JETTY,
    free: UBURMA_CMD_FREE_JETTY,
    active: UBURMA_CMD_ACTIVE_JETTY,
    alloc_handle: UBURMA_ALLOC_JETTY_OUT_CFG,
    handle_at: offset_of!(uburma_cmd_create_jetty, out.handle),
    inputs: config,
    activation: |world| {
        let side = world.a()?;
        Ok(vec![
            u64v(UBURMA_ACTIVE_JETTY_IN_SEND_JFC_HANDLE, side.sent.handle()),
            u64v(
                UBURMA_ACTIVE_JETTY_IN_RECV_JFC_HANDLE,
                side.received.handle(),
            ),
            u64v(UBURMA_ACTIVE_JETTY_IN_JETTY_OPT, no_options(world)),
        ])
    },
    active_handle: UBURMA_ACTIVE_JETTY_IN_HANDLE,
    depth: UBURMA_OPT_JFS_DEPTH,
};

const JETTY_RECIPES: [Recipe; 6] = staged!(
    JETTY,
    UBURMA_CMD_SET_JETTY_OPT,
    UBURMA_CMD_GET_JETTY_OPT,
    UBURMA_CMD_DEACTIVE_JETTY
);

/// A small jetty that shares the receive queue.
fn config(world: &World) -> Result<Inputs, Failure> {
    let side = world.a()?;
    let mut cfg = vec![0; size_of::<uburma_cmd_create_jetty>()];
    let mut put = |offset: usize, bytes: &[u8]| {
        cfg[offset..offset + bytes.len()].copy_from_slice(bytes);
    };
    macro_rules! put {
        ($field:ident, $value:expr) => {
            put(
                offset_of!(uburma_cmd_create_jetty, in_.$field),
                &$value.to_ne_bytes(),
            )
        };
    }
    put!(jetty_flag, UBURMA_JETTY_FLAG_SHARE_JFR);
    put!(jfs_depth, 16u32);
    put!(trans_mode, UBURMA_TM_RM);
    put!(max_send_sge, 1u8);
    put!(max_send_rsge, 1u8);
    put!(err_timeout, 17u8);
    put!(send_jfc_handle, side.sent.handle());
    put!(recv_jfc_handle, side.received.handle());
    put!(token, JETTY_TOKEN);
    put!(jfr_id, side.jfr.id());
    put!(jfr_handle, side.jfr.handle());
    Ok(vec![(UBURMA_ALLOC_JETTY_IN_CFG, cfg)])
}
