// SPDX-License-Identifier: GPL-2.0

//! Asynchronous import and bind, and the files that tell of their end.

use std::mem::size_of;
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::sync::Arc;

use ub_abi::*;

use crate::context::Files;
use crate::sys;
use crate::tlv::Cmd;
use crate::{Context, Jetty, Result, TargetConfig};

/// What a notification says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Notification {
    /// UBURMA_NOTIFY_*.
    pub kind: u32,
    /// UBURMA_STATUS_*.
    pub status: u32,
    /// The word that the command was given.
    pub user_ctx: u64,
    /// The word for the object.
    pub object: u64,
    /// Number of the path.
    pub vtpn: u32,
}

/// A notification file.
#[derive(Debug)]
pub struct Notifier(OwnedFd);

/// What an asynchronous command is given beside what it is about.
#[derive(Debug, Clone, Copy)]
pub struct Later {
    /// The notification file.
    pub fd: i32,
    /// Milliseconds, 0 for the kernel's own limit.
    pub timeout: i32,
    /// Comes back in the notification.
    pub user_ctx: u64,
    /// Names the object in the notification.
    pub object: u64,
}

impl Notifier {
    /// Makes one.
    pub fn create(ctx: &Context) -> Result<Self> {
        let mut cmd = Self::create_cmd();
        ctx.run(&mut cmd)?;
        sys::adopt_fd(cmd.get_i32(UBURMA_CREATE_NOTIFIER_OUT_FD)).map(Notifier)
    }

    /// The command that makes one.
    pub fn create_cmd() -> Cmd {
        Cmd::new(UBURMA_CMD_CREATE_NOTIFIER).out(UBURMA_CREATE_NOTIFIER_OUT_FD, 4)
    }

    /// The command that reads.
    pub fn wait_cmd(count: u32, timeout_ms: i32) -> Cmd {
        Cmd::new(UBURMA_EVENT_CMD_WAIT_NOTIFY)
            .u32(UBURMA_WAIT_NOTIFY_IN_CNT, count)
            .i32(UBURMA_WAIT_NOTIFY_IN_TIMEOUT, timeout_ms)
            .out(UBURMA_WAIT_NOTIFY_OUT_CNT, 4)
            .out(
                UBURMA_WAIT_NOTIFY_OUT_NOTIFY,
                size_of::<uburma_cmd_notify>() * UBURMA_MAX_NOTIFY as usize,
            )
    }

    /// Reads at most so many.
    pub fn wait(&self, count: u32, timeout_ms: i32) -> Result<Vec<Notification>> {
        let mut cmd = Self::wait_cmd(count, timeout_ms);
        cmd.run_event(self.as_raw_fd())?;
        let count = cmd.get_u32(UBURMA_WAIT_NOTIFY_OUT_CNT) as usize;
        let list = cmd.value(UBURMA_WAIT_NOTIFY_OUT_NOTIFY);
        Ok(list
            .chunks_exact(size_of::<uburma_cmd_notify>())
            .take(count)
            .map(|bytes| Notification {
                kind: sys::from_bytes(&bytes[0..4]),
                status: sys::from_bytes(&bytes[4..8]),
                user_ctx: sys::from_bytes(&bytes[8..16]),
                object: sys::from_bytes(&bytes[16..24]),
                vtpn: sys::from_bytes(&bytes[24..28]),
            })
            .collect())
    }

    /// An asynchronous command that reports here.
    pub fn later(&self, user_ctx: u64, object: u64) -> Later {
        Later {
            fd: self.as_raw_fd(),
            timeout: 0,
            user_ctx,
            object,
        }
    }
}

impl AsRawFd for Notifier {
    fn as_raw_fd(&self) -> RawFd {
        self.0.as_raw_fd()
    }
}

/// A jetty whose import was begun.
#[derive(Debug)]
pub struct LaterTarget {
    files: Arc<Files>,
    handle: u64,
    target_ref: u32,
    live: bool,
}

impl LaterTarget {
    /// Begins to import a jetty.
    pub fn import(ctx: &Context, config: TargetConfig, later: Later) -> Result<Self> {
        let mut cmd = Self::import_cmd(config, later);
        ctx.run(&mut cmd)?;
        let resp: ubsoft_import_resp = cmd.udata_reply(UBURMA_IMPORT_JETTY_ASYNC_IN_UDATA)?;
        Ok(LaterTarget {
            files: ctx.files(),
            handle: cmd.get_u64(UBURMA_IMPORT_JETTY_ASYNC_OUT_HANDLE),
            target_ref: resp.target_ref,
            live: true,
        })
    }

    /// The command that does.
    pub fn import_cmd(config: TargetConfig, later: Later) -> Cmd {
        let flag = config.flag | (config.policy << UBURMA_IMPORT_JETTY_FLAG_TOKEN_POLICY_SHIFT);
        Cmd::new(UBURMA_CMD_IMPORT_JETTY_ASYNC)
            .bytes(UBURMA_IMPORT_JETTY_ASYNC_IN_EID, &config.eid.0)
            .u32(UBURMA_IMPORT_JETTY_ASYNC_IN_ID, config.id)
            .u32(UBURMA_IMPORT_JETTY_ASYNC_IN_FLAG, flag)
            .u32(UBURMA_IMPORT_JETTY_ASYNC_IN_TOKEN, config.token)
            .u32(UBURMA_IMPORT_JETTY_ASYNC_IN_TRANS_MODE, config.mode)
            .u32(UBURMA_IMPORT_JETTY_ASYNC_IN_POLICY, config.group_policy)
            .u32(UBURMA_IMPORT_JETTY_ASYNC_IN_TYPE, config.kind)
            .u64(UBURMA_IMPORT_JETTY_ASYNC_IN_URMA_TJETTY, later.object)
            .u64(UBURMA_IMPORT_JETTY_ASYNC_IN_USER_CTX, later.user_ctx)
            .i32(UBURMA_IMPORT_JETTY_ASYNC_IN_FD, later.fd)
            .i32(UBURMA_IMPORT_JETTY_ASYNC_IN_TIMEOUT, later.timeout)
            .udata(
                UBURMA_IMPORT_JETTY_ASYNC_IN_UDATA,
                Some(UBURMA_IMPORT_JETTY_ASYNC_OUT_UDATA),
                &[],
                size_of::<ubsoft_import_resp>(),
            )
            .out(UBURMA_IMPORT_JETTY_ASYNC_OUT_TPN, 4)
            .out(UBURMA_IMPORT_JETTY_ASYNC_OUT_HANDLE, 8)
    }

    /// The command that forgets an import.
    pub fn unimport_cmd(handle: u64) -> Cmd {
        Cmd::new(UBURMA_CMD_UNIMPORT_JETTY_ASYNC).u64(UBURMA_UNIMPORT_JETTY_ASYNC_IN_HANDLE, handle)
    }

    /// Forgets it; it stays when that fails.
    pub fn unimport(&mut self) -> Result<()> {
        Self::unimport_cmd(self.handle).run(self.files.dev())?;
        self.live = false;
        Ok(())
    }

    /// Its handle.
    pub fn handle(&self) -> u64 {
        self.handle
    }

    /// What names it in work requests.
    pub fn target_ref(&self) -> u32 {
        self.target_ref
    }

    /// Begins to bind an RC jetty to it.
    pub fn bind(&self, ctx: &Context, jetty: &Jetty, later: Later) -> Result<()> {
        ctx.run(&mut Self::bind_cmd(jetty.handle(), self.handle, later))
    }

    /// The command that does.
    pub fn bind_cmd(jetty: u64, target: u64, later: Later) -> Cmd {
        Cmd::new(UBURMA_CMD_BIND_JETTY_ASYNC)
            .u64(UBURMA_BIND_JETTY_ASYNC_IN_JETTY_HANDLE, jetty)
            .u64(UBURMA_BIND_JETTY_ASYNC_IN_TJETTY_HANDLE, target)
            .u64(UBURMA_BIND_JETTY_ASYNC_IN_URMA_TJETTY, 0)
            .u64(UBURMA_BIND_JETTY_ASYNC_IN_URMA_JETTY, later.object)
            .i32(UBURMA_BIND_JETTY_ASYNC_IN_FD, later.fd)
            .u64(UBURMA_BIND_JETTY_ASYNC_IN_USER_CTX, later.user_ctx)
            .i32(UBURMA_BIND_JETTY_ASYNC_IN_TIMEOUT, later.timeout)
            .udata(
                UBURMA_BIND_JETTY_ASYNC_IN_UDATA,
                Some(UBURMA_BIND_JETTY_ASYNC_OUT_UDATA),
                &[],
                0,
            )
            .out(UBURMA_BIND_JETTY_ASYNC_OUT_TPN, 4)
    }

    /// The command that ends a binding.
    pub fn unbind_cmd(jetty: u64, target: u64) -> Cmd {
        Cmd::new(UBURMA_CMD_UNBIND_JETTY_ASYNC)
            .u64(UBURMA_UNBIND_JETTY_ASYNC_IN_JETTY_HANDLE, jetty)
            .u64(UBURMA_UNBIND_JETTY_ASYNC_IN_TJETTY_HANDLE, target)
    }
}

impl Drop for LaterTarget {
    fn drop(&mut self) {
        if self.live {
            let _ = self.unimport();
        }
    }
}
