// SPDX-License-Identifier: GPL-2.0

//! Send queues and jettys.

use std::sync::atomic::{fence, Ordering};
use std::sync::Arc;

use ub_abi::*;

use crate::context::{CmdExt, Files};
use crate::ring::SendRing;
use crate::tlv::Cmd;
use crate::wr::SendWr;
use crate::{Context, Jfc, Jfr, Result, Target};

/// What a JFS and a jetty have in common: a ring of work requests.
#[derive(Debug)]
pub struct SendQueue {
    files: Arc<Files>,
    ring: SendRing,
}

impl SendQueue {
    /// Posts a request without telling the kernel to look.
    #[inline]
    pub fn post(&mut self, wr: &SendWr<'_>) -> Result<()> {
        self.ring.push(wr)?;
        self.ring.publish();
        Ok(())
    }

    /// Posts as many of a list as fit, as one batch, without telling the kernel to look.
    pub fn post_list(&mut self, list: &[SendWr<'_>]) -> Result<usize> {
        let mut posted = 0;
        for wr in list {
            if self.ring.push(wr).is_err() {
                break;
            }
            posted += 1;
        }
        self.ring.publish();
        Ok(posted)
    }

    /// Makes the kernel carry out what was posted.
    #[inline]
    pub fn kick(&self) -> Result<()> {
        self.files
            .ring(IOC_SQ_KICK, self.ring.ring().resp().queue_ref, 0)
    }

    /// Posts and kicks.
    #[inline]
    pub fn send(&mut self, wr: &SendWr<'_>) -> Result<()> {
        self.post(wr)?;
        self.kick()
    }

    /// Posts to a queue that a thread of the kernel polls; makes a system call only to wake that.
    #[inline]
    pub fn send_polled(&mut self, wr: &SendWr<'_>) -> Result<()> {
        self.post(wr)?;
        self.wake_if_needed()
    }

    /// Wakes the thread that polls the queue if it sleeps, or is about to.
    #[inline]
    pub fn wake_if_needed(&self) -> Result<()> {
        // The thread says that it sleeps, then looks for posts; here it is the other way round.
        fence(Ordering::SeqCst);
        if self.ring.ring().kern_flags() & UBSOFT_RING_NEED_KICK != 0 {
            self.kick()?;
        }
        Ok(())
    }

    /// The ring.
    pub fn ring(&self) -> &SendRing {
        &self.ring
    }

    /// The ring, to be scribbled into.
    pub fn ring_mut(&mut self) -> &mut SendRing {
        &mut self.ring
    }
}

/// How a JFS is made.
#[derive(Debug, Clone, Copy)]
pub struct JfsConfig {
    /// Entries wanted.
    pub depth: u32,
    /// UBURMA_JFS_FLAG_*.
    pub flag: u32,
    /// UBURMA_TM_*.
    pub mode: u32,
    /// Priority.
    pub priority: u8,
    /// Local ranges of a request.
    pub max_sge: u8,
    /// Remote ranges of a request.
    pub max_rsge: u8,
    /// Inline data of a request, in bytes.
    pub max_inline: u32,
    /// Retries when the receiver has no buffer.
    pub rnr_retry: u8,
    /// Exponent of the error timeout.
    pub err_timeout: u8,
    /// Handle of its JFC.
    pub jfc: u64,
    /// Cookie of its events and completions.
    pub cookie: u64,
    /// Has a thread of the kernel poll it, which sleeps after so many microseconds without posts,
    /// 0 for the kernel's choice. Not in stages.
    pub poll: Option<u32>,
}

impl JfsConfig {
    /// Defaults, for a JFC.
    pub fn on(jfc: &Jfc) -> Self {
        JfsConfig {
            depth: 64,
            flag: 0,
            mode: UBURMA_TM_RM,
            priority: 0,
            max_sge: 4,
            max_rsge: 1,
            max_inline: 64,
            rnr_retry: 7,
            err_timeout: 17,
            jfc: jfc.handle(),
            cookie: 0,
            poll: None,
        }
    }
}

/// A send queue that stands alone.
#[derive(Debug)]
pub struct Jfs {
    queue: SendQueue,
    handle: u64,
    id: u32,
    depth: u32,
    live: bool,
}

impl Jfs {
    /// Creates one.
    pub fn create(ctx: &Context, config: JfsConfig) -> Result<Self> {
        let mut cmd = Self::create_cmd(config);
        ctx.run(&mut cmd)?;
        let handle = cmd.get_u64(UBURMA_CREATE_JFS_OUT_HANDLE);
        let resp = cmd.udata_reply(UBURMA_CREATE_JFS_IN_UDATA)?;
        let ring = SendRing::map(ctx.dev_fd(), resp).inspect_err(|_| {
            let _ = Self::delete_cmd(handle).run(ctx.dev_fd());
        })?;
        Ok(Jfs {
            queue: SendQueue {
                files: ctx.files(),
                ring,
            },
            handle,
            id: cmd.get_u32(UBURMA_CREATE_JFS_OUT_ID),
            depth: cmd.get_u32(UBURMA_CREATE_JFS_OUT_DEPTH),
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
        let ring = SendRing::map(files.dev(), resp)?;
        Ok(Jfs {
            queue: SendQueue { files, ring },
            handle,
            id,
            depth,
            live: true,
        })
    }

    /// The files of its context.
    pub(crate) fn files(&self) -> Arc<Files> {
        self.queue.files.clone()
    }

    /// Lets go of the object without destroying it.
    pub(crate) fn disown(mut self) {
        self.live = false;
    }

    /// The command that creates one.
    pub fn create_cmd(config: JfsConfig) -> Cmd {
        Cmd::new(UBURMA_CMD_CREATE_JFS)
            .u32(UBURMA_CREATE_JFS_IN_DEPTH, config.depth)
            .u32(UBURMA_CREATE_JFS_IN_FLAG, config.flag)
            .u32(UBURMA_CREATE_JFS_IN_TRANS_MODE, config.mode)
            .u8(UBURMA_CREATE_JFS_IN_PRIORITY, config.priority)
            .u8(UBURMA_CREATE_JFS_IN_MAX_SGE, config.max_sge)
            .u8(UBURMA_CREATE_JFS_IN_MAX_RSGE, config.max_rsge)
            .u32(UBURMA_CREATE_JFS_IN_MAX_INLINE_DATA, config.max_inline)
            .u8(UBURMA_CREATE_JFS_IN_RETRY_CNT, 0)
            .u8(UBURMA_CREATE_JFS_IN_RNR_RETRY, config.rnr_retry)
            .u8(UBURMA_CREATE_JFS_IN_ERR_TIMEOUT, config.err_timeout)
            .u32(UBURMA_CREATE_JFS_IN_JFC_ID, 0)
            .u64(UBURMA_CREATE_JFS_IN_JFC_HANDLE, config.jfc)
            .u64(UBURMA_CREATE_JFS_IN_URMA_JFS, config.cookie)
            .send_udata(
                UBURMA_CREATE_JFS_IN_UDATA,
                UBURMA_CREATE_JFS_OUT_UDATA,
                config.cookie,
                config.poll,
            )
            .out(UBURMA_CREATE_JFS_OUT_ID, 4)
            .out(UBURMA_CREATE_JFS_OUT_DEPTH, 4)
            .out(UBURMA_CREATE_JFS_OUT_MAX_SGE, 1)
            .out(UBURMA_CREATE_JFS_OUT_MAX_RSGE, 1)
            .out(UBURMA_CREATE_JFS_OUT_MAX_INLINE_DATA, 4)
            .out(UBURMA_CREATE_JFS_OUT_HANDLE, 8)
    }

    /// The command that destroys one.
    pub fn delete_cmd(handle: u64) -> Cmd {
        Cmd::new(UBURMA_CMD_DELETE_JFS)
            .u64(UBURMA_DELETE_JFS_IN_HANDLE, handle)
            .out(UBURMA_DELETE_JFS_OUT_ASYNC_EVENTS_REPORTED, 4)
    }

    /// The command that changes the state.
    pub fn modify_cmd(handle: u64, mask: u32, state: u32) -> Cmd {
        Cmd::new(UBURMA_CMD_MODIFY_JFS)
            .u64(UBURMA_MODIFY_JFS_IN_HANDLE, handle)
            .u32(UBURMA_MODIFY_JFS_IN_MASK, mask)
            .u32(UBURMA_MODIFY_JFS_IN_STATE, state)
            .udata(
                UBURMA_MODIFY_JFS_IN_UDATA,
                Some(UBURMA_MODIFY_JFS_OUT_UDATA),
                &[],
                0,
            )
    }

    /// The command that reads configuration and state.
    pub fn query_cmd(handle: u64) -> Cmd {
        Cmd::new(UBURMA_CMD_QUERY_JFS)
            .u64(UBURMA_QUERY_JFS_IN_HANDLE, handle)
            .out(UBURMA_QUERY_JFS_OUT_DEPTH, 4)
            .out(UBURMA_QUERY_JFS_OUT_FLAG, 4)
            .out(UBURMA_QUERY_JFS_OUT_TRANS_MODE, 4)
            .out(UBURMA_QUERY_JFS_OUT_PRIORITY, 1)
            .out(UBURMA_QUERY_JFS_OUT_MAX_SGE, 1)
            .out(UBURMA_QUERY_JFS_OUT_MAX_RSGE, 1)
            .out(UBURMA_QUERY_JFS_OUT_MAX_INLINE_DATA, 4)
            .out(UBURMA_QUERY_JFS_OUT_RETRY_CNT, 1)
            .out(UBURMA_QUERY_JFS_OUT_RNR_RETRY, 1)
            .out(UBURMA_QUERY_JFS_OUT_ERR_TIMEOUT, 1)
            .out(UBURMA_QUERY_JFS_OUT_STATE, 4)
    }

    /// Runs `query_cmd`.
    pub fn query(&self) -> Result<Cmd> {
        let mut cmd = Self::query_cmd(self.handle);
        cmd.run(self.queue.files.dev())?;
        Ok(cmd)
    }

    /// Changes the state, UBURMA_JETTY_STATE_*.
    pub fn set_state(&self, state: u32) -> Result<()> {
        Self::modify_cmd(self.handle, UBURMA_JFS_ATTR_STATE, state).run(self.queue.files.dev())
    }

    /// Destroys it, returns how many asynchronous events were delivered; it stays when
    /// that fails.
    pub fn destroy(&mut self) -> Result<u32> {
        let mut cmd = Self::delete_cmd(self.handle);
        cmd.run(self.queue.files.dev())?;
        self.live = false;
        Ok(cmd.get_u32(UBURMA_DELETE_JFS_OUT_ASYNC_EVENTS_REPORTED))
    }

    /// Its handle.
    pub fn handle(&self) -> u64 {
        self.handle
    }

    /// Its number.
    pub fn id(&self) -> u32 {
        self.id
    }

    /// Entries granted.
    pub fn depth(&self) -> u32 {
        self.depth
    }

    /// The send queue.
    #[inline]
    pub fn queue(&mut self) -> &mut SendQueue {
        &mut self.queue
    }
}

impl Drop for Jfs {
    fn drop(&mut self) {
        if self.live {
            let _ = self.destroy();
        }
    }
}

/// How a jetty is made. It receives through a shared JFR.
#[derive(Debug, Clone, Copy)]
pub struct JettyConfig {
    /// Number wanted, 0 for any.
    pub id: u32,
    /// UBURMA_JETTY_FLAG_*.
    pub flag: u32,
    /// The send side; its flags and JFC are those of the jetty.
    pub send: JfsConfig,
    /// Handle of the receive JFC.
    pub recv_jfc: u64,
    /// Handle and number of the shared JFR.
    pub jfr: (u64, u32),
    /// Handle of the group that it joins, 0 for none.
    pub group: u64,
    /// Its token, which is the JFR's.
    pub token: u32,
    /// Cookie of its events and completions.
    pub cookie: u64,
}

impl JettyConfig {
    /// Defaults: completions of both sides go to the given JFCs.
    pub fn on(send_jfc: &Jfc, recv_jfc: &Jfc, jfr: &Jfr) -> Self {
        JettyConfig {
            id: 0,
            flag: UBURMA_JETTY_FLAG_SHARE_JFR,
            send: JfsConfig {
                mode: jfr.config().mode,
                ..JfsConfig::on(send_jfc)
            },
            recv_jfc: recv_jfc.handle(),
            group: 0,
            jfr: (jfr.handle(), jfr.id()),
            token: jfr.config().token,
            cookie: 0,
        }
    }
}

/// A jetty.
#[derive(Debug)]
pub struct Jetty {
    queue: SendQueue,
    handle: u64,
    id: u32,
    live: bool,
}

impl Jetty {
    /// Creates one.
    pub fn create(ctx: &Context, config: JettyConfig) -> Result<Self> {
        let mut cmd = Self::create_cmd(config);
        ctx.run(&mut cmd)?;
        let handle = cmd.get_u64(UBURMA_CREATE_JETTY_OUT_HANDLE);
        let resp = cmd.udata_reply(UBURMA_CREATE_JETTY_IN_UDATA)?;
        let ring = SendRing::map(ctx.dev_fd(), resp).inspect_err(|_| {
            let _ = Self::delete_cmd(handle).run(ctx.dev_fd());
        })?;
        Ok(Jetty {
            queue: SendQueue {
                files: ctx.files(),
                ring,
            },
            handle,
            id: cmd.get_u32(UBURMA_CREATE_JETTY_OUT_ID),
            live: true,
        })
    }

    /// One that was activated.
    pub(crate) fn adopt(
        files: Arc<Files>,
        handle: u64,
        id: u32,
        resp: ubsoft_queue_resp,
    ) -> Result<Self> {
        let ring = SendRing::map(files.dev(), resp)?;
        Ok(Jetty {
            queue: SendQueue { files, ring },
            handle,
            id,
            live: true,
        })
    }

    /// The files of its context.
    pub(crate) fn files(&self) -> Arc<Files> {
        self.queue.files.clone()
    }

    /// Lets go of the object without destroying it.
    pub(crate) fn disown(mut self) {
        self.live = false;
    }

    /// The command that creates one.
    pub fn create_cmd(config: JettyConfig) -> Cmd {
        let send = config.send;
        Cmd::new(UBURMA_CMD_CREATE_JETTY)
            .u32(UBURMA_CREATE_JETTY_IN_ID, config.id)
            .u32(UBURMA_CREATE_JETTY_IN_JETTY_FLAG, config.flag)
            .u32(UBURMA_CREATE_JETTY_IN_JFS_DEPTH, send.depth)
            .u32(UBURMA_CREATE_JETTY_IN_JFS_FLAG, send.flag)
            .u32(UBURMA_CREATE_JETTY_IN_TRANS_MODE, send.mode)
            .u8(UBURMA_CREATE_JETTY_IN_PRIORITY, send.priority)
            .u8(UBURMA_CREATE_JETTY_IN_MAX_SEND_SGE, send.max_sge)
            .u8(UBURMA_CREATE_JETTY_IN_MAX_SEND_RSGE, send.max_rsge)
            .u32(UBURMA_CREATE_JETTY_IN_MAX_INLINE_DATA, send.max_inline)
            .u8(UBURMA_CREATE_JETTY_IN_RNR_RETRY, send.rnr_retry)
            .u8(UBURMA_CREATE_JETTY_IN_ERR_TIMEOUT, send.err_timeout)
            .u32(UBURMA_CREATE_JETTY_IN_SEND_JFC_ID, 0)
            .u64(UBURMA_CREATE_JETTY_IN_SEND_JFC_HANDLE, send.jfc)
            .u32(UBURMA_CREATE_JETTY_IN_JFR_DEPTH, 0)
            .u32(UBURMA_CREATE_JETTY_IN_JFR_FLAG, 0)
            .u8(UBURMA_CREATE_JETTY_IN_MAX_RECV_SGE, 0)
            .u8(UBURMA_CREATE_JETTY_IN_MIN_RNR_TIMER, 0)
            .u32(UBURMA_CREATE_JETTY_IN_RECV_JFC_ID, 0)
            .u64(UBURMA_CREATE_JETTY_IN_RECV_JFC_HANDLE, config.recv_jfc)
            .u32(UBURMA_CREATE_JETTY_IN_TOKEN, config.token)
            .u32(UBURMA_CREATE_JETTY_IN_JFR_ID, config.jfr.1)
            .u64(UBURMA_CREATE_JETTY_IN_JFR_HANDLE, config.jfr.0)
            .u64(UBURMA_CREATE_JETTY_IN_JETTY_GRP_HANDLE, config.group)
            .u8(
                UBURMA_CREATE_JETTY_IN_IS_JETTY_GRP,
                (config.group != 0).into(),
            )
            .u64(UBURMA_CREATE_JETTY_IN_URMA_JETTY, config.cookie)
            .send_udata(
                UBURMA_CREATE_JETTY_IN_UDATA,
                UBURMA_CREATE_JETTY_OUT_UDATA,
                config.cookie,
                send.poll,
            )
            .out(UBURMA_CREATE_JETTY_OUT_ID, 4)
            .out(UBURMA_CREATE_JETTY_OUT_HANDLE, 8)
            .out(UBURMA_CREATE_JETTY_OUT_JFS_DEPTH, 4)
            .out(UBURMA_CREATE_JETTY_OUT_JFR_DEPTH, 4)
            .out(UBURMA_CREATE_JETTY_OUT_MAX_SEND_SGE, 1)
            .out(UBURMA_CREATE_JETTY_OUT_MAX_SEND_RSGE, 1)
            .out(UBURMA_CREATE_JETTY_OUT_MAX_RECV_SGE, 1)
            .out(UBURMA_CREATE_JETTY_OUT_MAX_INLINE_DATA, 4)
    }

    /// The command that destroys one.
    pub fn delete_cmd(handle: u64) -> Cmd {
        Cmd::new(UBURMA_CMD_DELETE_JETTY)
            .u64(UBURMA_DELETE_JETTY_IN_HANDLE, handle)
            .out(UBURMA_DELETE_JETTY_OUT_ASYNC_EVENTS_REPORTED, 4)
    }

    /// The command that changes threshold or state.
    pub fn modify_cmd(handle: u64, mask: u32, threshold: u32, state: u32) -> Cmd {
        Cmd::new(UBURMA_CMD_MODIFY_JETTY)
            .u64(UBURMA_MODIFY_JETTY_IN_HANDLE, handle)
            .u32(UBURMA_MODIFY_JETTY_IN_MASK, mask)
            .u32(UBURMA_MODIFY_JETTY_IN_RX_THRESHOLD, threshold)
            .u32(UBURMA_MODIFY_JETTY_IN_STATE, state)
            .udata(
                UBURMA_MODIFY_JETTY_IN_UDATA,
                Some(UBURMA_MODIFY_JETTY_OUT_UDATA),
                &[],
                0,
            )
    }

    /// The command that reads configuration and state.
    pub fn query_cmd(handle: u64) -> Cmd {
        let narrow = [
            UBURMA_QUERY_JETTY_OUT_MAX_SEND_SGE,
            UBURMA_QUERY_JETTY_OUT_MAX_SEND_RSGE,
            UBURMA_QUERY_JETTY_OUT_MAX_RECV_SGE,
            UBURMA_QUERY_JETTY_OUT_PRIORITY,
            UBURMA_QUERY_JETTY_OUT_RETRY_CNT,
            UBURMA_QUERY_JETTY_OUT_RNR_RETRY,
            UBURMA_QUERY_JETTY_OUT_ERR_TIMEOUT,
            UBURMA_QUERY_JETTY_OUT_MIN_RNR_TIMER,
        ];
        let mut cmd = Cmd::new(UBURMA_CMD_QUERY_JETTY).u64(UBURMA_QUERY_JETTY_IN_HANDLE, handle);
        for id in UBURMA_QUERY_JETTY_OUT_ID..=UBURMA_QUERY_JETTY_OUT_STATE {
            cmd = cmd.out(id, if narrow.contains(&id) { 1 } else { 4 });
        }
        cmd
    }

    /// Runs `query_cmd`.
    pub fn query(&self) -> Result<Cmd> {
        let mut cmd = Self::query_cmd(self.handle);
        cmd.run(self.queue.files.dev())?;
        Ok(cmd)
    }

    /// Changes the state, UBURMA_JETTY_STATE_*.
    pub fn set_state(&self, state: u32) -> Result<()> {
        Self::modify_cmd(self.handle, UBURMA_JETTY_ATTR_STATE, 0, state).run(self.queue.files.dev())
    }

    /// Binds an RC jetty to an imported one; returns the number of the path.
    pub fn bind(&self, target: &Target) -> Result<u32> {
        let mut cmd = Cmd::new(UBURMA_CMD_BIND_JETTY)
            .u64(UBURMA_BIND_JETTY_IN_JETTY_HANDLE, self.handle)
            .u64(UBURMA_BIND_JETTY_IN_TJETTY_HANDLE, target.handle())
            .udata(
                UBURMA_BIND_JETTY_IN_UDATA,
                Some(UBURMA_BIND_JETTY_OUT_UDATA),
                &[],
                0,
            )
            .out(UBURMA_BIND_JETTY_OUT_TPN, 4);
        cmd.run(self.queue.files.dev())?;
        Ok(cmd.get_u32(UBURMA_BIND_JETTY_OUT_TPN))
    }

    /// The same over a path of the caller's choice; 0 lets the kernel choose.
    pub fn bind_ex(&self, target: &Target, tp_handle: u64) -> Result<u32> {
        let mut cmd = Cmd::new(UBURMA_CMD_BIND_JETTY_EX)
            .u64(UBURMA_BIND_JETTY_EX_IN_JETTY_HANDLE, self.handle)
            .u64(UBURMA_BIND_JETTY_EX_IN_TJETTY_HANDLE, target.handle())
            .u64(UBURMA_BIND_JETTY_EX_IN_TP_HANDLE, tp_handle)
            .u64(UBURMA_BIND_JETTY_EX_IN_PEER_TP_HANDLE, tp_handle)
            .u64(UBURMA_BIND_JETTY_EX_IN_TAG, 0)
            .u32(UBURMA_BIND_JETTY_EX_IN_TX_PSN, 0)
            .u32(UBURMA_BIND_JETTY_EX_IN_RX_PSN, 0)
            .udata(
                UBURMA_BIND_JETTY_EX_IN_UDATA,
                Some(UBURMA_BIND_JETTY_EX_OUT_UDATA),
                &[],
                0,
            )
            .out(UBURMA_BIND_JETTY_EX_OUT_TPN, 4);
        cmd.run(self.queue.files.dev())?;
        Ok(cmd.get_u32(UBURMA_BIND_JETTY_EX_OUT_TPN))
    }

    /// Undoes a bind.
    pub fn unbind(&self, target: &Target) -> Result<()> {
        Cmd::new(UBURMA_CMD_UNBIND_JETTY)
            .u64(UBURMA_UNBIND_JETTY_IN_JETTY_HANDLE, self.handle)
            .u64(UBURMA_UNBIND_JETTY_IN_TJETTY_HANDLE, target.handle())
            .run(self.queue.files.dev())
    }

    /// Destroys it, returns how many asynchronous events were delivered; it stays when
    /// that fails.
    pub fn destroy(&mut self) -> Result<u32> {
        let mut cmd = Self::delete_cmd(self.handle);
        cmd.run(self.queue.files.dev())?;
        self.live = false;
        Ok(cmd.get_u32(UBURMA_DELETE_JETTY_OUT_ASYNC_EVENTS_REPORTED))
    }

    /// Its handle.
    pub fn handle(&self) -> u64 {
        self.handle
    }

    /// Its number, by which peers know it.
    pub fn id(&self) -> u32 {
        self.id
    }

    /// The send queue.
    #[inline]
    pub fn queue(&mut self) -> &mut SendQueue {
        &mut self.queue
    }

    /// Keeps the kernel's object and the mapping for the rest of the process's life.
    pub fn leak(self) {
        std::mem::forget(self);
    }
}

impl Drop for Jetty {
    fn drop(&mut self) {
        if self.live {
            let _ = self.destroy();
        }
    }
}
