// SPDX-License-Identifier: GPL-2.0

//! Receive queues.

use std::sync::Arc;

use ub_abi::*;

use crate::context::{CmdExt, Files};
use crate::ring::RecvRing;
use crate::tlv::Cmd;
use crate::wr::RecvWr;
use crate::{Context, Jfc, Result};

/// How a JFR is made.
#[derive(Debug, Clone, Copy)]
pub struct JfrConfig {
    /// Entries wanted.
    pub depth: u32,
    /// UBURMA_JFR_FLAG_* besides the token policy.
    pub flag: u32,
    /// UBURMA_TOKEN_*.
    pub policy: u32,
    /// UBURMA_TM_*.
    pub mode: u32,
    /// Ranges of a buffer.
    pub max_sge: u8,
    /// Timer for senders that found no buffer.
    pub min_rnr_timer: u8,
    /// The token that senders have to show.
    pub token: u32,
    /// Number wanted, 0 for any.
    pub id: u32,
    /// Handle of its JFC.
    pub jfc: u64,
    /// Cookie of its events and completions.
    pub cookie: u64,
}

impl JfrConfig {
    /// Defaults, for a JFC.
    pub fn on(jfc: &Jfc) -> Self {
        JfrConfig {
            depth: 64,
            flag: 0,
            policy: UBURMA_TOKEN_PLAIN_TEXT,
            mode: UBURMA_TM_RM,
            max_sge: 4,
            min_rnr_timer: 6,
            token: 0,
            id: 0,
            jfc: jfc.handle(),
            cookie: 0,
        }
    }
}

/// A receive queue.
#[derive(Debug)]
pub struct Jfr {
    files: Arc<Files>,
    ring: RecvRing,
    config: JfrConfig,
    handle: u64,
    id: u32,
    depth: u32,
    live: bool,
}

impl Jfr {
    /// Creates one.
    pub fn create(ctx: &Context, config: JfrConfig) -> Result<Self> {
        let mut cmd = Self::create_cmd(config);
        ctx.run(&mut cmd)?;
        let handle = cmd.get_u64(UBURMA_CREATE_JFR_OUT_HANDLE);
        let resp = cmd.udata_reply(UBURMA_CREATE_JFR_IN_UDATA)?;
        let ring = RecvRing::map(ctx.dev_fd(), resp).inspect_err(|_| {
            let _ = Self::delete_cmd(handle).run(ctx.dev_fd());
        })?;
        Ok(Jfr {
            files: ctx.files(),
            ring,
            config,
            handle,
            id: cmd.get_u32(UBURMA_CREATE_JFR_OUT_ID),
            depth: cmd.get_u32(UBURMA_CREATE_JFR_OUT_DEPTH),
            live: true,
        })
    }

    /// One that was activated.
    pub(crate) fn adopt(
        files: Arc<Files>,
        handle: u64,
        (id, depth): (u32, u32),
        config: JfrConfig,
        resp: ubsoft_queue_resp,
    ) -> Result<Self> {
        let ring = RecvRing::map(files.dev(), resp)?;
        Ok(Jfr {
            files,
            ring,
            config,
            handle,
            id,
            depth,
            live: true,
        })
    }

    /// The files of its context.
    pub(crate) fn files(&self) -> Arc<Files> {
        self.files.clone()
    }

    /// Lets go of the object without destroying it.
    pub(crate) fn disown(mut self) {
        self.live = false;
    }

    /// The command that creates one.
    pub fn create_cmd(config: JfrConfig) -> Cmd {
        let flag = config.flag | (config.policy << UBURMA_JFR_FLAG_TOKEN_POLICY_SHIFT);
        Cmd::new(UBURMA_CMD_CREATE_JFR)
            .u32(UBURMA_CREATE_JFR_IN_DEPTH, config.depth)
            .u32(UBURMA_CREATE_JFR_IN_FLAG, flag)
            .u32(UBURMA_CREATE_JFR_IN_TRANS_MODE, config.mode)
            .u8(UBURMA_CREATE_JFR_IN_MAX_SGE, config.max_sge)
            .u8(UBURMA_CREATE_JFR_IN_MIN_RNR_TIMER, config.min_rnr_timer)
            .u32(UBURMA_CREATE_JFR_IN_JFC_ID, 0)
            .u64(UBURMA_CREATE_JFR_IN_JFC_HANDLE, config.jfc)
            .u32(UBURMA_CREATE_JFR_IN_TOKEN, config.token)
            .u32(UBURMA_CREATE_JFR_IN_ID, config.id)
            .u64(UBURMA_CREATE_JFR_IN_URMA_JFR, config.cookie)
            .queue_udata(
                UBURMA_CREATE_JFR_IN_UDATA,
                UBURMA_CREATE_JFR_OUT_UDATA,
                config.cookie,
            )
            .out(UBURMA_CREATE_JFR_OUT_ID, 4)
            .out(UBURMA_CREATE_JFR_OUT_DEPTH, 4)
            .out(UBURMA_CREATE_JFR_OUT_MAX_SGE, 1)
            .out(UBURMA_CREATE_JFR_OUT_HANDLE, 8)
    }

    /// The command that destroys one.
    pub fn delete_cmd(handle: u64) -> Cmd {
        Cmd::new(UBURMA_CMD_DELETE_JFR)
            .u64(UBURMA_DELETE_JFR_IN_HANDLE, handle)
            .out(UBURMA_DELETE_JFR_OUT_ASYNC_EVENTS_REPORTED, 4)
    }

    /// The command that changes threshold or state.
    pub fn modify_cmd(handle: u64, mask: u32, threshold: u32, state: u32) -> Cmd {
        Cmd::new(UBURMA_CMD_MODIFY_JFR)
            .u64(UBURMA_MODIFY_JFR_IN_HANDLE, handle)
            .u32(UBURMA_MODIFY_JFR_IN_MASK, mask)
            .u32(UBURMA_MODIFY_JFR_IN_RX_THRESHOLD, threshold)
            .u32(UBURMA_MODIFY_JFR_IN_STATE, state)
            .udata(
                UBURMA_MODIFY_JFR_IN_UDATA,
                Some(UBURMA_MODIFY_JFR_OUT_UDATA),
                &[],
                0,
            )
    }

    /// The command that reads configuration and state.
    pub fn query_cmd(handle: u64) -> Cmd {
        Cmd::new(UBURMA_CMD_QUERY_JFR)
            .u64(UBURMA_QUERY_JFR_IN_HANDLE, handle)
            .out(UBURMA_QUERY_JFR_OUT_DEPTH, 4)
            .out(UBURMA_QUERY_JFR_OUT_FLAG, 4)
            .out(UBURMA_QUERY_JFR_OUT_TRANS_MODE, 4)
            .out(UBURMA_QUERY_JFR_OUT_MAX_SGE, 1)
            .out(UBURMA_QUERY_JFR_OUT_MIN_RNR_TIMER, 1)
            .out(UBURMA_QUERY_JFR_OUT_TOKEN, 4)
            .out(UBURMA_QUERY_JFR_OUT_ID, 4)
            .out(UBURMA_QUERY_JFR_OUT_RX_THRESHOLD, 4)
            .out(UBURMA_QUERY_JFR_OUT_STATE, 4)
    }

    /// Runs `query_cmd`.
    pub fn query(&self) -> Result<Cmd> {
        let mut cmd = Self::query_cmd(self.handle);
        cmd.run(self.files.dev())?;
        Ok(cmd)
    }

    /// Asks for UBURMA_EVENT_JFR_LIMIT when so few buffers are left.
    pub fn set_threshold(&self, threshold: u32) -> Result<()> {
        let mask = UBURMA_JFR_ATTR_RX_THRESHOLD;
        Self::modify_cmd(self.handle, mask, threshold, 0).run(self.files.dev())
    }

    /// Changes the state, UBURMA_JFR_STATE_*.
    pub fn set_state(&self, state: u32) -> Result<()> {
        Self::modify_cmd(self.handle, UBURMA_JFR_ATTR_STATE, 0, state).run(self.files.dev())
    }

    /// Destroys it, returns how many asynchronous events were delivered; it stays when
    /// that fails.
    pub fn destroy(&mut self) -> Result<u32> {
        let mut cmd = Self::delete_cmd(self.handle);
        cmd.run(self.files.dev())?;
        self.live = false;
        Ok(cmd.get_u32(UBURMA_DELETE_JFR_OUT_ASYNC_EVENTS_REPORTED))
    }

    /// Posts a receive buffer.
    #[inline]
    pub fn post(&mut self, wr: &RecvWr<'_>) -> Result<()> {
        self.ring.push(wr)?;
        if self.ring.publish() {
            self.kick()?;
        }
        Ok(())
    }

    /// Tells the kernel of buffers that it asked for.
    #[cold]
    pub fn kick(&self) -> Result<()> {
        let queue = self.ring.ring().resp().queue_ref;
        self.files.ring(IOC_RQ_KICK, queue, 0)
    }

    /// Its handle.
    pub fn handle(&self) -> u64 {
        self.handle
    }

    /// Its number, by which peers know it.
    pub fn id(&self) -> u32 {
        self.id
    }

    /// Entries granted.
    pub fn depth(&self) -> u32 {
        self.depth
    }

    /// What it was made with.
    pub fn config(&self) -> &JfrConfig {
        &self.config
    }

    /// The ring.
    pub fn ring(&self) -> &RecvRing {
        &self.ring
    }

    /// The ring, to be scribbled into.
    pub fn ring_mut(&mut self) -> &mut RecvRing {
        &mut self.ring
    }
}

impl Drop for Jfr {
    fn drop(&mut self) {
        if self.live {
            let _ = self.destroy();
        }
    }
}
