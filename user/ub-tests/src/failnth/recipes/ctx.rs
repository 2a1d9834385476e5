// SPDX-License-Identifier: GPL-2.0

//! Contexts, and what devices tell.

use std::os::fd::AsRawFd;

use ub_client::abi::*;
use ub_client::sys;
use ub_client::tlv::Cmd;
use ub_client::{Context, DevAttr, Device};

use super::world::{nothing, World};
use crate::failnth::{AnyShot, CmdShot};
use crate::Failure;

pub fn create(_: &World) -> Result<AnyShot<'_>, Failure> {
    let device = Device::first()?;
    let file = Context::open_bare(&device)?;
    let cmd = Context::create_cmd(&device.eid(0)?, 0);
    let fd = file.as_raw_fd();
    Ok(CmdShot::new(fd, cmd, move |cmd| {
        let _ = &file;
        let resp: ubsoft_ctx_resp = cmd.udata_reply(UBURMA_CREATE_CTX_IN_UDATA)?;
        drop(sys::adopt_fd(cmd.get_i32(UBURMA_CREATE_CTX_OUT_ASYNC_FD))?);
        drop(sys::adopt_fd(resp.doorbell_fd)?);
        Ok(())
    }))
}

/// A doorbell, rung by command.
pub fn user_ctl(world: &World) -> Result<AnyShot<'_>, Failure> {
    let side = &world.pair()?.a;
    let queue = side.sent.ring().ring().resp().queue_ref;
    let input = Box::new(ubsoft_ctl_ring {
        cmd: IOC_CQ_ARM as u32,
        reserved: 0,
        arg: u64::from(queue),
    });
    let addr = std::ptr::from_ref(&*input) as u64;
    let cmd = Cmd::new(UBURMA_CMD_USER_CTL)
        .u64(UBURMA_USER_CTL_IN_IN_ADDR, addr)
        .u32(
            UBURMA_USER_CTL_IN_IN_LEN,
            std::mem::size_of::<ubsoft_ctl_ring>() as u32,
        )
        .u32(UBURMA_USER_CTL_IN_OPCODE, UBSOFT_CTL_RING)
        .u64(UBURMA_USER_CTL_IN_OUT_ADDR, 0)
        .u32(UBURMA_USER_CTL_IN_OUT_LEN, 0)
        .udata(UBURMA_USER_CTL_IN_UDATA, None, &[], 0);
    Ok(CmdShot::new(side.ctx.dev_fd(), cmd, move |_| {
        let _ = &input;
        Ok(())
    }))
}

pub fn eid_list(world: &World) -> Result<AnyShot<'_>, Failure> {
    let room = std::mem::size_of::<uburma_eid_info>() * UBURMA_MAX_EID_CNT as usize;
    let cmd = Cmd::new(UBURMA_CMD_GET_EID_LIST)
        .u32(UBURMA_GET_EID_LIST_IN_MAX_EID_CNT, UBURMA_MAX_EID_CNT)
        .out(UBURMA_GET_EID_LIST_OUT_EID_CNT, 4)
        .out(UBURMA_GET_EID_LIST_OUT_EID_LIST, room);
    Ok(CmdShot::new(world.ctx()?.dev_fd(), cmd, nothing))
}

pub fn device(world: &World) -> Result<AnyShot<'_>, Failure> {
    let ctx = world.ctx()?;
    let cmd = DevAttr::cmd(&ctx.device().name);
    Ok(CmdShot::new(ctx.dev_fd(), cmd, nothing))
}
