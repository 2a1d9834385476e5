// SPDX-License-Identifier: GPL-2.0

//! Completion queues and their event channels.

use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::sync::Arc;
use std::time::{Duration, Instant};

use ub_abi::*;

use crate::context::{CmdExt, Files};
use crate::ring::CompRing;
use crate::sys;
use crate::tlv::Cmd;
use crate::{Context, Error, Result};

/// A completion event channel.
#[derive(Debug)]
pub struct Jfce(OwnedFd);

impl Jfce {
    /// Creates one.
    pub fn create(ctx: &Context) -> Result<Self> {
        let mut cmd = Cmd::new(UBURMA_CMD_CREATE_JFCE).out(UBURMA_CREATE_JFCE_OUT_FD, 4);
        ctx.run(&mut cmd)?;
        Ok(Jfce(sys::adopt_fd(cmd.get_i32(UBURMA_CREATE_JFCE_OUT_FD))?))
    }

    /// The command that waits for events.
    pub fn wait_cmd(max: u32, timeout_ms: i32) -> Cmd {
        Cmd::new(UBURMA_EVENT_CMD_WAIT_JFCE)
            .u32(UBURMA_JFCE_WAIT_IN_MAX_EVENT_CNT, max)
            .i32(UBURMA_JFCE_WAIT_IN_TIME_OUT, timeout_ms)
            .out(UBURMA_JFCE_WAIT_OUT_EVENT_CNT, 4)
            .out(
                UBURMA_JFCE_WAIT_OUT_EVENT_DATA,
                8 * UBURMA_MAX_JFCE_EVENTS as usize,
            )
    }

    /// Takes at most `max` events, cookies of their JFCs. Timeout: negative waits for
    /// ever, 0 gives EAGAIN without events, else milliseconds, after which there are none.
    pub fn wait(&self, max: u32, timeout_ms: i32) -> Result<Vec<u64>> {
        let mut cmd = Self::wait_cmd(max, timeout_ms);
        cmd.run_event(self.as_raw_fd())?;
        let count = cmd.get_u32(UBURMA_JFCE_WAIT_OUT_EVENT_CNT);
        if count > max.min(UBURMA_MAX_JFCE_EVENTS) {
            return Err(Error::BadReply(format!("{count} events of {max}")));
        }
        let data = cmd.value(UBURMA_JFCE_WAIT_OUT_EVENT_DATA);
        Ok(data
            .chunks_exact(8)
            .take(count as usize)
            .map(sys::from_bytes)
            .collect())
    }
}

impl AsRawFd for Jfce {
    fn as_raw_fd(&self) -> RawFd {
        self.0.as_raw_fd()
    }
}

/// How a JFC is made.
#[derive(Debug, Clone, Copy)]
pub struct JfcConfig {
    /// Entries wanted.
    pub depth: u32,
    /// UBURMA_JFC_FLAG_*.
    pub flag: u32,
    /// File descriptor of its event channel, or UBURMA_NO_JFCE_FD.
    pub jfce_fd: i32,
    /// Cookie of its events.
    pub cookie: u64,
    /// Completion event queue.
    pub ceqn: u32,
}

impl Default for JfcConfig {
    fn default() -> Self {
        JfcConfig {
            depth: 64,
            flag: 0,
            jfce_fd: UBURMA_NO_JFCE_FD,
            cookie: 0,
            ceqn: 0,
        }
    }
}

/// What the kernel says when a JFC goes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct JfcCounters {
    /// Completion events delivered.
    pub completion: u32,
    /// Asynchronous events delivered.
    pub asynchronous: u32,
}

/// A completion queue.
#[derive(Debug)]
pub struct Jfc {
    files: Arc<Files>,
    ring: CompRing,
    handle: u64,
    id: u32,
    depth: u32,
    live: bool,
}

impl Jfc {
    /// With the default configuration but this depth.
    pub fn create(ctx: &Context, depth: u32) -> Result<Self> {
        let config = JfcConfig {
            depth,
            ..Default::default()
        };
        Self::create_with(ctx, config)
    }

    /// With an event channel; `cookie` comes back in its events.
    pub fn create_on(ctx: &Context, depth: u32, jfce: &Jfce, cookie: u64) -> Result<Self> {
        let config = JfcConfig {
            depth,
            jfce_fd: jfce.as_raw_fd(),
            cookie,
            ..Default::default()
        };
        Self::create_with(ctx, config)
    }

    /// With a configuration.
    pub fn create_with(ctx: &Context, config: JfcConfig) -> Result<Self> {
        let mut cmd = Self::create_cmd(config);
        ctx.run(&mut cmd)?;
        let handle = cmd.get_u64(UBURMA_CREATE_JFC_OUT_HANDLE);
        let resp = cmd.udata_reply(UBURMA_CREATE_JFC_IN_UDATA)?;
        let ring = CompRing::map(ctx.dev_fd(), resp).inspect_err(|_| {
            let _ = Self::delete_cmd(handle).run(ctx.dev_fd());
        })?;
        Ok(Jfc {
            files: ctx.files(),
            ring,
            handle,
            id: cmd.get_u32(UBURMA_CREATE_JFC_OUT_ID),
            depth: cmd.get_u32(UBURMA_CREATE_JFC_OUT_DEPTH),
            live: true,
        })
    }

    /// One that was activated.
    pub(crate) fn adopt(
        files: Arc<Files>,
        handle: u64,
        (id, depth): (u32, u32),
        resp: ubsoft_queue_resp,
    ) -> Result<Self> {
        let ring = CompRing::map(files.dev(), resp)?;
        Ok(Jfc {
            files,
            ring,
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
    pub fn create_cmd(config: JfcConfig) -> Cmd {
        Cmd::new(UBURMA_CMD_CREATE_JFC)
            .u32(UBURMA_CREATE_JFC_IN_DEPTH, config.depth)
            .u32(UBURMA_CREATE_JFC_IN_FLAG, config.flag)
            .i32(UBURMA_CREATE_JFC_IN_JFCE_FD, config.jfce_fd)
            .u64(UBURMA_CREATE_JFC_IN_URMA_JFC, config.cookie)
            .u32(UBURMA_CREATE_JFC_IN_CEQN, config.ceqn)
            .queue_udata(
                UBURMA_CREATE_JFC_IN_UDATA,
                UBURMA_CREATE_JFC_OUT_UDATA,
                config.cookie,
            )
            .out(UBURMA_CREATE_JFC_OUT_ID, 4)
            .out(UBURMA_CREATE_JFC_OUT_DEPTH, 4)
            .out(UBURMA_CREATE_JFC_OUT_HANDLE, 8)
    }

    /// The command that destroys one.
    pub fn delete_cmd(handle: u64) -> Cmd {
        Cmd::new(UBURMA_CMD_DELETE_JFC)
            .u64(UBURMA_DELETE_JFC_IN_HANDLE, handle)
            .out(UBURMA_DELETE_JFC_OUT_COMP_EVENTS_REPORTED, 4)
            .out(UBURMA_DELETE_JFC_OUT_ASYNC_EVENTS_REPORTED, 4)
    }

    /// Destroys it; it stays when that fails.
    pub fn destroy(&mut self) -> Result<JfcCounters> {
        let mut cmd = Self::delete_cmd(self.handle);
        cmd.run(self.files.dev())?;
        self.live = false;
        Ok(JfcCounters {
            completion: cmd.get_u32(UBURMA_DELETE_JFC_OUT_COMP_EVENTS_REPORTED),
            asynchronous: cmd.get_u32(UBURMA_DELETE_JFC_OUT_ASYNC_EVENTS_REPORTED),
        })
    }

    /// Its handle.
    pub fn handle(&self) -> u64 {
        self.handle
    }

    /// Its id.
    pub fn id(&self) -> u32 {
        self.id
    }

    /// Entries granted.
    pub fn depth(&self) -> u32 {
        self.depth
    }

    /// The ring.
    pub fn ring(&self) -> &CompRing {
        &self.ring
    }

    /// The next completion, if it has come.
    #[inline]
    pub fn poll(&mut self) -> Option<ubsoft_cqe> {
        let cqe = self.ring.pop()?;
        self.ring.release();
        Some(cqe)
    }

    /// All completions that have come, at most `max`.
    pub fn poll_many(&mut self, max: usize) -> Vec<ubsoft_cqe> {
        let list: Vec<_> = std::iter::from_fn(|| self.ring.pop()).take(max).collect();
        if !list.is_empty() {
            self.ring.release();
        }
        list
    }

    /// Polls until a completion comes; yields in between.
    pub fn wait_polling(&mut self, within: Duration) -> Result<ubsoft_cqe> {
        if let Some(cqe) = self.poll() {
            return Ok(cqe);
        }
        let start = Instant::now();
        loop {
            sys::yield_now();
            if let Some(cqe) = self.poll() {
                return Ok(cqe);
            }
            if start.elapsed() > within {
                return Err(Error::TimedOut("no completion".to_string()));
            }
        }
    }

    /// Waits for a completion by events on the channel.
    pub fn wait_event(&mut self, jfce: &Jfce, within: Duration) -> Result<ubsoft_cqe> {
        let start = Instant::now();
        loop {
            self.arm(false)?;
            let left = within.saturating_sub(start.elapsed()).as_millis() as i32;
            let events = jfce.wait(1, left.max(1))?;
            if let Some(cqe) = self.poll() {
                return Ok(cqe);
            }
            if events.is_empty() || start.elapsed() > within {
                return Err(Error::TimedOut("no completion event".to_string()));
            }
        }
    }

    /// Asks for one event for the next completion, or the next solicited one.
    pub fn arm(&self, solicited_only: bool) -> Result<()> {
        let request = if solicited_only {
            IOC_CQ_ARM_SOLICITED
        } else {
            IOC_CQ_ARM
        };
        let queue = self.ring.ring().resp().queue_ref;
        self.files.ring(request, queue, self.ring.consumed())
    }

    /// The command that changes event moderation.
    pub fn modify_cmd(handle: u64, mask: u32, count: u16, period: u16) -> Cmd {
        Cmd::new(UBURMA_CMD_MODIFY_JFC)
            .u64(UBURMA_MODIFY_JFC_IN_HANDLE, handle)
            .u32(UBURMA_MODIFY_JFC_IN_MASK, mask)
            .u16(UBURMA_MODIFY_JFC_IN_MODERATE_COUNT, count)
            .u16(UBURMA_MODIFY_JFC_IN_MODERATE_PERIOD, period)
            .udata(
                UBURMA_MODIFY_JFC_IN_UDATA,
                Some(UBURMA_MODIFY_JFC_OUT_UDATA),
                &[],
                0,
            )
    }

    /// Changes event moderation: completions per event, microseconds until one in any case; 0
    /// is none. `mask` says what is meant, UBURMA_JFC_ATTR_*.
    pub fn modify(&self, mask: u32, count: u16, period: u16) -> Result<()> {
        Self::modify_cmd(self.handle, mask, count, period).run(self.files.dev())
    }
}

impl Drop for Jfc {
    fn drop(&mut self) {
        if self.live {
            let _ = self.destroy();
        }
    }
}
