// SPDX-License-Identifier: GPL-2.0

//! JFCs, JFSs, JFRs and jettys.

use ub_client::abi::*;
use ub_client::tlv::Cmd;
use ub_client::{Jetty, JettyConfig, Jfc, JfcConfig, Jfr, JfrConfig, Jfs, JfsConfig};

use super::world::{made, nothing, run, World};
use crate::failnth::{AnyShot, CmdShot, Faults, Hit, Shot};
use crate::{Failure, Outcome};

/// A command that makes something, and the one that destroys it.
fn creates<'a>(
    world: &'a World,
    cmd: Cmd,
    handle: u32,
    destroy: fn(u64) -> Cmd,
) -> Result<AnyShot<'a>, Failure> {
    let ctx = world.ctx()?;
    Ok(CmdShot::new(ctx.dev_fd(), cmd, move |cmd| {
        run(ctx, destroy(cmd.get_u64(handle)))
    }))
}

/// A command that destroys what another one makes.
fn destroys<'a>(
    world: &'a World,
    create: Cmd,
    handle: u32,
    destroy: fn(u64) -> Cmd,
) -> Result<AnyShot<'a>, Failure> {
    let ctx = world.ctx()?;
    let cmd = destroy(made(ctx, create, handle)?);
    Ok(CmdShot::new(ctx.dev_fd(), cmd, nothing))
}

/// A command that leaves things as they are.
fn looks(world: &World, cmd: Cmd) -> Result<AnyShot<'_>, Failure> {
    Ok(CmdShot::new(world.ctx()?.dev_fd(), cmd, nothing))
}

fn jfc_cmd(_: &World) -> Result<Cmd, Failure> {
    Ok(Jfc::create_cmd(JfcConfig::default()))
}

fn jfs_cmd(world: &World) -> Result<Cmd, Failure> {
    let config = JfsConfig::on(&world.pair()?.a.sent);
    Ok(Jfs::create_cmd(config))
}

fn jfr_cmd(world: &World) -> Result<Cmd, Failure> {
    let config = JfrConfig::on(&world.pair()?.a.received);
    Ok(Jfr::create_cmd(config))
}

fn jetty_cmd(world: &World) -> Result<Cmd, Failure> {
    let side = &world.pair()?.a;
    let config = JettyConfig::on(&side.sent, &side.received, &side.jfr);
    Ok(Jetty::create_cmd(config))
}

pub fn create_jfc(world: &World) -> Result<AnyShot<'_>, Failure> {
    let handle = UBURMA_CREATE_JFC_OUT_HANDLE;
    creates(world, jfc_cmd(world)?, handle, Jfc::delete_cmd)
}

/// Changes a queue; what is kept for that goes when it is changed back.
struct Moderate<'a> {
    jfc: Jfc,
    shot: AnyShot<'a>,
}

impl Shot for Moderate<'_> {
    fn fire(&mut self, faults: &Faults, nth: u32) -> Result<Hit, Failure> {
        let hit = self.shot.fire(faults, nth)?;
        if hit.0.is_err() {
            // It may have been done without being told.
            self.finish(0)?;
        }
        Ok(hit)
    }

    fn retry(&mut self) -> Result<(), i32> {
        self.shot.retry()
    }

    fn finish(&mut self, errno: i32) -> Outcome {
        check_eq!(errno, 0);
        let both = UBURMA_JFC_ATTR_MODERATE_COUNT | UBURMA_JFC_ATTR_MODERATE_PERIOD;
        Ok(self.jfc.modify(both, 0, 0)?)
    }
}

pub fn modify_jfc(world: &World) -> Result<AnyShot<'_>, Failure> {
    let ctx = &world.pair()?.a.ctx;
    let jfc = Jfc::create(ctx, 8)?;
    let both = UBURMA_JFC_ATTR_MODERATE_COUNT | UBURMA_JFC_ATTR_MODERATE_PERIOD;
    let cmd = Cmd::new(UBURMA_CMD_MODIFY_JFC)
        .u64(UBURMA_MODIFY_JFC_IN_HANDLE, jfc.handle())
        .u32(UBURMA_MODIFY_JFC_IN_MASK, both)
        .u16(UBURMA_MODIFY_JFC_IN_MODERATE_COUNT, 4)
        .u16(UBURMA_MODIFY_JFC_IN_MODERATE_PERIOD, 10)
        .udata(
            UBURMA_MODIFY_JFC_IN_UDATA,
            Some(UBURMA_MODIFY_JFC_OUT_UDATA),
            &[],
            0,
        );
    let shot = CmdShot::new(ctx.dev_fd(), cmd, nothing);
    Ok(Box::new(Moderate { jfc, shot }))
}

pub fn delete_jfc(world: &World) -> Result<AnyShot<'_>, Failure> {
    let handle = UBURMA_CREATE_JFC_OUT_HANDLE;
    destroys(world, jfc_cmd(world)?, handle, Jfc::delete_cmd)
}

pub fn create_jfs(world: &World) -> Result<AnyShot<'_>, Failure> {
    let handle = UBURMA_CREATE_JFS_OUT_HANDLE;
    creates(world, jfs_cmd(world)?, handle, Jfs::delete_cmd)
}

/// What is done to a JFS that is there for one step.
fn on_a_jfs(world: &World, make: fn(u64) -> Cmd) -> Result<AnyShot<'_>, Failure> {
    let side = &world.pair()?.a;
    let jfs = Jfs::create(&side.ctx, JfsConfig::on(&side.sent))?;
    let cmd = make(jfs.handle());
    Ok(CmdShot::new(side.ctx.dev_fd(), cmd, move |_| {
        let _ = &jfs;
        Ok(())
    }))
}

pub fn modify_jfs(world: &World) -> Result<AnyShot<'_>, Failure> {
    on_a_jfs(world, |handle| {
        Jfs::modify_cmd(handle, UBURMA_JFS_ATTR_STATE, UBURMA_JETTY_STATE_ERROR)
    })
}

pub fn query_jfs(world: &World) -> Result<AnyShot<'_>, Failure> {
    on_a_jfs(world, Jfs::query_cmd)
}

pub fn delete_jfs(world: &World) -> Result<AnyShot<'_>, Failure> {
    let handle = UBURMA_CREATE_JFS_OUT_HANDLE;
    destroys(world, jfs_cmd(world)?, handle, Jfs::delete_cmd)
}

pub fn create_jfr(world: &World) -> Result<AnyShot<'_>, Failure> {
    let handle = UBURMA_CREATE_JFR_OUT_HANDLE;
    creates(world, jfr_cmd(world)?, handle, Jfr::delete_cmd)
}

pub fn modify_jfr(world: &World) -> Result<AnyShot<'_>, Failure> {
    let jfr = world.pair()?.a.jfr.handle();
    looks(
        world,
        Jfr::modify_cmd(jfr, UBURMA_JFR_ATTR_RX_THRESHOLD, 0, 0),
    )
}

pub fn query_jfr(world: &World) -> Result<AnyShot<'_>, Failure> {
    looks(world, Jfr::query_cmd(world.pair()?.a.jfr.handle()))
}

pub fn delete_jfr(world: &World) -> Result<AnyShot<'_>, Failure> {
    let handle = UBURMA_CREATE_JFR_OUT_HANDLE;
    destroys(world, jfr_cmd(world)?, handle, Jfr::delete_cmd)
}

pub fn create_jetty(world: &World) -> Result<AnyShot<'_>, Failure> {
    let handle = UBURMA_CREATE_JETTY_OUT_HANDLE;
    creates(world, jetty_cmd(world)?, handle, Jetty::delete_cmd)
}

/// To the state ERROR, which flushes.
pub fn modify_jetty(world: &World) -> Result<AnyShot<'_>, Failure> {
    let side = &world.pair()?.a;
    let config = JettyConfig::on(&side.sent, &side.received, &side.jfr);
    let jetty = Jetty::create(&side.ctx, config)?;
    let state = UBURMA_JETTY_STATE_ERROR;
    let cmd = Jetty::modify_cmd(jetty.handle(), UBURMA_JETTY_ATTR_STATE, 0, state);
    Ok(CmdShot::new(side.ctx.dev_fd(), cmd, move |_| {
        let _ = &jetty;
        Ok(())
    }))
}

pub fn query_jetty(world: &World) -> Result<AnyShot<'_>, Failure> {
    looks(world, Jetty::query_cmd(world.pair()?.a.jetty.handle()))
}

pub fn delete_jetty(world: &World) -> Result<AnyShot<'_>, Failure> {
    let handle = UBURMA_CREATE_JETTY_OUT_HANDLE;
    destroys(world, jetty_cmd(world)?, handle, Jetty::delete_cmd)
}
