// SPDX-License-Identifier: GPL-2.0

//! Jetty groups.

use std::sync::Arc;

use ub_abi::*;

use crate::context::Files;
use crate::tlv::Cmd;
use crate::{Context, Result};

/// How a group is made.
#[derive(Debug, Clone, Copy)]
pub struct JettyGroupConfig {
    /// Its name, padded with NULs.
    pub name: [u8; UBURMA_MAX_NAME as usize],
    /// Number wanted, 0 for any.
    pub id: u32,
    /// Its token, which its members and their JFRs have too.
    pub token: u32,
    /// UBURMA_JETTY_GRP_POLICY_*.
    pub policy: u32,
    /// UBURMA_JETTY_GRP_FLAG_*.
    pub flag: u32,
    /// Cookie of its events.
    pub cookie: u64,
}

impl JettyGroupConfig {
    /// Defaults, with a token in plain text.
    pub fn with_token(token: u32) -> Self {
        JettyGroupConfig {
            name: [0; UBURMA_MAX_NAME as usize],
            id: 0,
            token,
            policy: UBURMA_JETTY_GRP_POLICY_RR,
            flag: UBURMA_TOKEN_PLAIN_TEXT << UBURMA_JETTY_GRP_FLAG_TOKEN_POLICY_SHIFT,
            cookie: 0,
        }
    }
}

/// A group of jettys, which receive under its number.
#[derive(Debug)]
pub struct JettyGroup {
    files: Arc<Files>,
    handle: u64,
    id: u32,
    live: bool,
}

impl JettyGroup {
    /// Creates one.
    pub fn create(ctx: &Context, config: JettyGroupConfig) -> Result<Self> {
        let mut cmd = Self::create_cmd(config);
        ctx.run(&mut cmd)?;
        Ok(JettyGroup {
            files: ctx.files(),
            handle: cmd.get_u64(UBURMA_CREATE_JETTY_GRP_OUT_HANDLE),
            id: cmd.get_u32(UBURMA_CREATE_JETTY_GRP_OUT_ID),
            live: true,
        })
    }

    /// The command that creates one.
    pub fn create_cmd(config: JettyGroupConfig) -> Cmd {
        Cmd::new(UBURMA_CMD_CREATE_JETTY_GRP)
            .bytes(UBURMA_CREATE_JETTY_GRP_IN_NAME, &config.name)
            .u32(UBURMA_CREATE_JETTY_GRP_IN_TOKEN, config.token)
            .u32(UBURMA_CREATE_JETTY_GRP_IN_ID, config.id)
            .u32(UBURMA_CREATE_JETTY_GRP_IN_POLICY, config.policy)
            .u32(UBURMA_CREATE_JETTY_GRP_IN_FLAG, config.flag)
            .u64(UBURMA_CREATE_JETTY_GRP_IN_URMA_JETTY_GRP, config.cookie)
            .udata(
                UBURMA_CREATE_JETTY_GRP_IN_UDATA,
                Some(UBURMA_CREATE_JETTY_GRP_OUT_UDATA),
                &[],
                0,
            )
            .out(UBURMA_CREATE_JETTY_GRP_OUT_ID, 4)
            .out(UBURMA_CREATE_JETTY_GRP_OUT_HANDLE, 8)
    }

    /// The command that destroys one.
    pub fn delete_cmd(handle: u64) -> Cmd {
        Cmd::new(UBURMA_CMD_DESTROY_JETTY_GRP)
            .u64(UBURMA_DELETE_JETTY_GRP_IN_HANDLE, handle)
            .out(UBURMA_DELETE_JETTY_GRP_OUT_ASYNC_EVENTS_REPORTED, 4)
    }

    /// Destroys it, returns how many events were delivered; it stays when that fails.
    pub fn destroy(&mut self) -> Result<u32> {
        let mut cmd = Self::delete_cmd(self.handle);
        cmd.run(self.files.dev())?;
        self.live = false;
        Ok(cmd.get_u32(UBURMA_DELETE_JETTY_GRP_OUT_ASYNC_EVENTS_REPORTED))
    }

    /// Its handle.
    pub fn handle(&self) -> u64 {
        self.handle
    }

    /// Its number, by which peers know it.
    pub fn id(&self) -> u32 {
        self.id
    }
}

impl Drop for JettyGroup {
    fn drop(&mut self) {
        if self.live {
            let _ = self.destroy();
        }
    }
}
