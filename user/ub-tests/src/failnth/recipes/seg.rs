// SPDX-License-Identifier: GPL-2.0

//! Token ids and segments.

use ub_client::abi::*;
use ub_client::tlv::Cmd;
use ub_client::{Segment, SegmentConfig, Token};

use super::world::{made, nothing, run, World};
use crate::failnth::{AnyShot, CmdShot};
use crate::fixture::SEG_TOKEN;
use crate::Failure;

pub fn alloc_token_id(world: &World) -> Result<AnyShot<'_>, Failure> {
    let ctx = world.ctx()?;
    Ok(CmdShot::new(ctx.dev_fd(), Token::alloc_cmd(0), |cmd| {
        let handle = cmd.get_u64(UBURMA_ALLOC_TOKEN_ID_OUT_HANDLE);
        let id = cmd.get_u32(UBURMA_ALLOC_TOKEN_ID_OUT_TOKEN_ID);
        run(ctx, Token::free_cmd(handle, id))
    }))
}

pub fn free_token_id(world: &World) -> Result<AnyShot<'_>, Failure> {
    let ctx = world.ctx()?;
    let mut cmd = Token::alloc_cmd(0);
    ctx.run(&mut cmd)?;
    let handle = cmd.get_u64(UBURMA_ALLOC_TOKEN_ID_OUT_HANDLE);
    let id = cmd.get_u32(UBURMA_ALLOC_TOKEN_ID_OUT_TOKEN_ID);
    let cmd = Token::free_cmd(handle, id);
    Ok(CmdShot::new(ctx.dev_fd(), cmd, nothing))
}

/// Registers five pages with a token id of the kernel's choice, as far as the driver has one.
fn register_cmd(world: &World, token: &Token) -> Result<Cmd, Failure> {
    let memory = &world.pair()?.a.memory;
    Ok(Segment::register_cmd(
        memory.addr() + 100,
        5 * 4096,
        Some((token.id(), token.handle())),
        SegmentConfig::default(),
    ))
}

pub fn register(world: &World) -> Result<AnyShot<'_>, Failure> {
    let ctx = world.ctx()?;
    let token = Token::alloc(ctx)?;
    let cmd = register_cmd(world, &token)?;
    Ok(CmdShot::new(ctx.dev_fd(), cmd, move |cmd| {
        let _ = &token;
        let handle = cmd.get_u64(UBURMA_REGISTER_SEG_OUT_HANDLE);
        run(ctx, Segment::unregister_cmd(handle))
    }))
}

pub fn unregister(world: &World) -> Result<AnyShot<'_>, Failure> {
    let ctx = world.ctx()?;
    let token = Token::alloc(ctx)?;
    let handle = made(
        ctx,
        register_cmd(world, &token)?,
        UBURMA_REGISTER_SEG_OUT_HANDLE,
    )?;
    let cmd = Segment::unregister_cmd(handle);
    Ok(CmdShot::new(ctx.dev_fd(), cmd, move |_| {
        let _ = &token;
        Ok(())
    }))
}

fn import_cmd(world: &World) -> Result<Cmd, Failure> {
    let peer = &world.pair()?.b;
    let access = UBURMA_ACCESS_READ << UBURMA_IMPORT_SEG_FLAG_ACCESS_SHIFT;
    Ok(Cmd::new(UBURMA_CMD_IMPORT_SEG)
        .bytes(UBURMA_IMPORT_SEG_IN_EID, &peer.ctx.eid().0)
        .u64(UBURMA_IMPORT_SEG_IN_VA, peer.memory.addr())
        .u64(UBURMA_IMPORT_SEG_IN_LEN, peer.memory.len() as u64)
        .u32(UBURMA_IMPORT_SEG_IN_FLAG, access)
        .u32(UBURMA_IMPORT_SEG_IN_TOKEN, SEG_TOKEN)
        .u32(UBURMA_IMPORT_SEG_IN_TOKEN_ID, peer.memory.token_id())
        .u64(UBURMA_IMPORT_SEG_IN_MVA, 0)
        .udata(
            UBURMA_IMPORT_SEG_IN_UDATA,
            Some(UBURMA_IMPORT_SEG_OUT_UDATA),
            &[],
            0,
        )
        .out(UBURMA_IMPORT_SEG_OUT_HANDLE, 8))
}

fn unimport_cmd(handle: u64) -> Cmd {
    Cmd::new(UBURMA_CMD_UNIMPORT_SEG).u64(UBURMA_UNIMPORT_SEG_IN_HANDLE, handle)
}

pub fn import(world: &World) -> Result<AnyShot<'_>, Failure> {
    let ctx = world.ctx()?;
    Ok(CmdShot::new(ctx.dev_fd(), import_cmd(world)?, |cmd| {
        let handle = cmd.get_u64(UBURMA_IMPORT_SEG_OUT_HANDLE);
        run(ctx, unimport_cmd(handle))
    }))
}

pub fn unimport(world: &World) -> Result<AnyShot<'_>, Failure> {
    let ctx = world.ctx()?;
    let handle = made(ctx, import_cmd(world)?, UBURMA_IMPORT_SEG_OUT_HANDLE)?;
    Ok(CmdShot::new(ctx.dev_fd(), unimport_cmd(handle), nothing))
}
