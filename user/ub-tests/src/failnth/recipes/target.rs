// SPDX-License-Identifier: GPL-2.0

//! Imported jettys and JFRs, and the paths to them.

use ub_client::abi::*;
use ub_client::tlv::Cmd;
use ub_client::{Path, Target, TargetConfig, TpQuery};

use super::world::{made, nothing, run, World};
use crate::failnth::{AnyShot, CmdShot};
use crate::Failure;

/// The outputs of all imports are the same.
const HANDLE: u32 = UBURMA_IMPORT_JETTY_OUT_HANDLE;

fn config(world: &World, path: Path) -> Result<TargetConfig, Failure> {
    Ok(world.pair()?.b.target_config().over(path))
}

fn imports(world: &World, cmd: Cmd, unimport: fn(u64) -> Cmd) -> Result<AnyShot<'_>, Failure> {
    let ctx = world.ctx()?;
    Ok(CmdShot::new(ctx.dev_fd(), cmd, move |cmd| {
        run(ctx, unimport(cmd.get_u64(HANDLE)))
    }))
}

fn unimports(world: &World, import: Cmd, unimport: fn(u64) -> Cmd) -> Result<AnyShot<'_>, Failure> {
    let ctx = world.ctx()?;
    let cmd = unimport(made(ctx, import, HANDLE)?);
    Ok(CmdShot::new(ctx.dev_fd(), cmd, nothing))
}

pub fn import_jetty(world: &World) -> Result<AnyShot<'_>, Failure> {
    let cmd = Target::jetty_cmd(config(world, Path::Plain)?);
    imports(world, cmd, Target::unimport_jetty_cmd)
}

pub fn import_jetty_ex(world: &World) -> Result<AnyShot<'_>, Failure> {
    let cmd = Target::jetty_cmd(config(world, Path::Chosen)?);
    imports(world, cmd, Target::unimport_jetty_cmd)
}

pub fn unimport_jetty(world: &World) -> Result<AnyShot<'_>, Failure> {
    let cmd = Target::jetty_cmd(config(world, Path::Plain)?);
    unimports(world, cmd, Target::unimport_jetty_cmd)
}

/// The JFR of the peer's jetty.
fn jfr_config(world: &World, path: Path) -> Result<TargetConfig, Failure> {
    Ok(TargetConfig {
        id: world.pair()?.b.jfr.id(),
        ..config(world, path)?
    })
}

pub fn import_jfr(world: &World) -> Result<AnyShot<'_>, Failure> {
    let cmd = Target::jfr_cmd(jfr_config(world, Path::Plain)?);
    imports(world, cmd, Target::unimport_jfr_cmd)
}

pub fn import_jfr_ex(world: &World) -> Result<AnyShot<'_>, Failure> {
    let cmd = Target::jfr_cmd(jfr_config(world, Path::Chosen)?);
    imports(world, cmd, Target::unimport_jfr_cmd)
}

pub fn unimport_jfr(world: &World) -> Result<AnyShot<'_>, Failure> {
    let cmd = Target::jfr_cmd(jfr_config(world, Path::Plain)?);
    unimports(world, cmd, Target::unimport_jfr_cmd)
}

fn bind_cmd(jetty: u64, target: u64) -> Cmd {
    Cmd::new(UBURMA_CMD_BIND_JETTY)
        .u64(UBURMA_BIND_JETTY_IN_JETTY_HANDLE, jetty)
        .u64(UBURMA_BIND_JETTY_IN_TJETTY_HANDLE, target)
        .udata(
            UBURMA_BIND_JETTY_IN_UDATA,
            Some(UBURMA_BIND_JETTY_OUT_UDATA),
            &[],
            0,
        )
        .out(UBURMA_BIND_JETTY_OUT_TPN, 4)
}

fn bind_ex_cmd(jetty: u64, target: u64) -> Cmd {
    Cmd::new(UBURMA_CMD_BIND_JETTY_EX)
        .u64(UBURMA_BIND_JETTY_EX_IN_JETTY_HANDLE, jetty)
        .u64(UBURMA_BIND_JETTY_EX_IN_TJETTY_HANDLE, target)
        .u64(UBURMA_BIND_JETTY_EX_IN_TP_HANDLE, 0)
        .u64(UBURMA_BIND_JETTY_EX_IN_PEER_TP_HANDLE, 0)
        .u64(UBURMA_BIND_JETTY_EX_IN_TAG, 0)
        .u32(UBURMA_BIND_JETTY_EX_IN_TX_PSN, 0)
        .u32(UBURMA_BIND_JETTY_EX_IN_RX_PSN, 0)
        .udata(
            UBURMA_BIND_JETTY_EX_IN_UDATA,
            Some(UBURMA_BIND_JETTY_EX_OUT_UDATA),
            &[],
            0,
        )
        .out(UBURMA_BIND_JETTY_EX_OUT_TPN, 4)
}

fn binds(world: &World, make: fn(u64, u64) -> Cmd) -> Result<AnyShot<'_>, Failure> {
    let (side, _, target) = world.bindable()?;
    let cmd = make(side.jetty.handle(), target.handle());
    Ok(CmdShot::new(side.ctx.dev_fd(), cmd, move |_| {
        Ok(side.jetty.unbind(target)?)
    }))
}

pub fn bind(world: &World) -> Result<AnyShot<'_>, Failure> {
    binds(world, bind_cmd)
}

pub fn bind_ex(world: &World) -> Result<AnyShot<'_>, Failure> {
    binds(world, bind_ex_cmd)
}

pub fn unbind(world: &World) -> Result<AnyShot<'_>, Failure> {
    let (side, _, target) = world.bindable()?;
    side.jetty.bind(target)?;
    let cmd = Cmd::new(UBURMA_CMD_UNBIND_JETTY)
        .u64(UBURMA_UNBIND_JETTY_IN_JETTY_HANDLE, side.jetty.handle())
        .u64(UBURMA_UNBIND_JETTY_IN_TJETTY_HANDLE, target.handle());
    Ok(CmdShot::new(side.ctx.dev_fd(), cmd, nothing))
}

pub fn tp_list(world: &World) -> Result<AnyShot<'_>, Failure> {
    let pair = world.pair()?;
    let query = TpQuery {
        flag: UBURMA_GET_TP_CFG_FLAG_RTP,
        mode: UBURMA_TM_RM,
        peer: pair.b.ctx.eid(),
        count: 4,
    };
    let ctx = &pair.a.ctx;
    let cmd = Target::tp_list_cmd(&ctx.eid(), query);
    Ok(CmdShot::new(ctx.dev_fd(), cmd, nothing))
}
