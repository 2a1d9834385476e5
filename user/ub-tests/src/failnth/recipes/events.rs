// SPDX-License-Identifier: GPL-2.0

//! Event channels.

use std::os::fd::AsRawFd;

use ub_client::abi::*;
use ub_client::sys;
use ub_client::tlv::Cmd;
use ub_client::{AsyncEvents, Jfce, Jfs, JfsConfig};

use super::world::World;
use crate::failnth::{AnyShot, CmdShot};
use crate::fixture::SOON;
use crate::Failure;

pub fn create_jfce(world: &World) -> Result<AnyShot<'_>, Failure> {
    let cmd = Cmd::new(UBURMA_CMD_CREATE_JFCE).out(UBURMA_CREATE_JFCE_OUT_FD, 4);
    Ok(CmdShot::new(world.ctx()?.dev_fd(), cmd, |cmd| {
        drop(sys::adopt_fd(cmd.get_i32(UBURMA_CREATE_JFCE_OUT_FD))?);
        Ok(())
    }))
}

/// An event is there, and is not lost when it cannot be told.
pub fn wait_jfce(world: &World) -> Result<AnyShot<'_>, Failure> {
    let listener = world.listener()?;
    let fd = {
        let mut side = listener.borrow_mut();
        side.sent.arm(false)?;
        side.work()?;
        let fd = side.jfce.as_raw_fd();
        check!(sys::poll(fd, libc::POLLIN, 10_000)? & libc::POLLIN != 0);
        fd
    };
    Ok(CmdShot::event(fd, Jfce::wait_cmd(16, 1000), move |cmd| {
        check_eq!(cmd.get_u32(UBURMA_JFCE_WAIT_OUT_EVENT_CNT), 1);
        listener.borrow_mut().sent.wait_polling(SOON)?;
        Ok(())
    }))
}

/// An index that cannot be makes an error of a send queue, which is told once.
pub fn get_async_event(world: &World) -> Result<AnyShot<'_>, Failure> {
    let side = &world.pair()?.a;
    let config = JfsConfig {
        cookie: 0xfa11,
        ..JfsConfig::on(&side.sent)
    };
    let mut jfs = Jfs::create(&side.ctx, config)?;
    jfs.queue().ring().ring().set_user_idx(0x4000_0000);
    let _ = jfs.queue().kick();
    let fd = side.ctx.events().as_raw_fd();
    check!(sys::poll(fd, libc::POLLIN, 10_000)? & libc::POLLIN != 0);
    Ok(CmdShot::event(fd, AsyncEvents::get_cmd(), move |cmd| {
        let _ = &jfs;
        check_eq!(cmd.get_u64(UBURMA_GET_ASYNC_EVENT_OUT_EVENT_DATA), 0xfa11);
        Ok(())
    }))
}
