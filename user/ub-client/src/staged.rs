// SPDX-License-Identifier: GPL-2.0

//! Staged creation: allocate, set options, activate; and back.

use std::mem::size_of;
use std::sync::Arc;

use ub_abi::*;

use crate::context::{CmdExt, Files};
use crate::sys;
use crate::tlv::Cmd;
use crate::{Context, Jetty, JettyConfig, Jfc, JfcConfig, JfcCounters, Jfr, JfrConfig};
use crate::{Jfs, JfsConfig, Result};

/// A class of objects that can be made in stages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    /// Completion queue.
    Jfc,
    /// Receive queue.
    Jfr,
    /// Send queue.
    Jfs,
    /// Jetty.
    Jetty,
}

impl Class {
    /// All classes.
    pub const ALL: [Class; 4] = [Class::Jfc, Class::Jfr, Class::Jfs, Class::Jetty];

    /// Commands that set and get an option, deactivate, and free.
    fn commands(self) -> [u32; 4] {
        match self {
            Class::Jfc => [
                UBURMA_CMD_SET_JFC_OPT,
                UBURMA_CMD_GET_JFC_OPT,
                UBURMA_CMD_DEACTIVE_JFC,
                UBURMA_CMD_FREE_JFC,
            ],
            Class::Jfr => [
                UBURMA_CMD_SET_JFR_OPT,
                UBURMA_CMD_GET_JFR_OPT,
                UBURMA_CMD_DEACTIVE_JFR,
                UBURMA_CMD_FREE_JFR,
            ],
            Class::Jfs => [
                UBURMA_CMD_SET_JFS_OPT,
                UBURMA_CMD_GET_JFS_OPT,
                UBURMA_CMD_DEACTIVE_JFS,
                UBURMA_CMD_FREE_JFS,
            ],
            Class::Jetty => [
                UBURMA_CMD_SET_JETTY_OPT,
                UBURMA_CMD_GET_JETTY_OPT,
                UBURMA_CMD_DEACTIVE_JETTY,
                UBURMA_CMD_FREE_JETTY,
            ],
        }
    }

    /// The command that sets an option; the attributes are the same for all classes.
    pub fn set_cmd(self, handle: u64, opt: u64, value: &[u8]) -> Cmd {
        let [set, _, _, _] = self.commands();
        Cmd::new(set)
            .u64(UBURMA_SET_JFC_OPT_IN_HANDLE, handle)
            .u64(UBURMA_SET_JFC_OPT_IN_OPT, opt)
            .pointer(UBURMA_SET_JFC_OPT_IN_BUF, value)
            .u32(UBURMA_SET_JFC_OPT_IN_LEN, value.len() as u32)
            .udata(
                UBURMA_SET_JFC_OPT_IN_UDATA,
                Some(UBURMA_SET_JFC_OPT_OUT_UDATA),
                &[],
                0,
            )
    }

    /// The command that reads an option, into so much room.
    pub fn get_cmd(self, handle: u64, opt: u64, room: usize) -> Cmd {
        let [_, get, _, _] = self.commands();
        Cmd::new(get)
            .u64(UBURMA_GET_JFC_OPT_IN_HANDLE, handle)
            .u64(UBURMA_GET_JFC_OPT_IN_OPT, opt)
            .pointer(UBURMA_GET_JFC_OPT_IN_BUF, &vec![0xee; room])
            .u32(UBURMA_GET_JFC_OPT_IN_LEN, room as u32)
            .out(UBURMA_GET_JFC_OPT_OUT_BUF, 8)
            .out(UBURMA_GET_JFC_OPT_OUT_LEN, 4)
            .udata(
                UBURMA_GET_JFC_OPT_IN_UDATA,
                Some(UBURMA_GET_JFC_OPT_OUT_UDATA),
                &[],
                0,
            )
    }

    /// The command that takes an object out of work.
    pub fn deactivate_cmd(self, handle: u64) -> Cmd {
        let [_, _, deactivate, _] = self.commands();
        Cmd::new(deactivate)
            .u64(UBURMA_DEACTIVE_JFC_IN_HANDLE, handle)
            .udata(
                UBURMA_DEACTIVE_JFC_IN_UDATA,
                Some(UBURMA_DEACTIVE_JFC_OUT_UDATA),
                &[],
                0,
            )
    }

    /// The command that frees an object.
    pub fn free_cmd(self, handle: u64) -> Cmd {
        let [_, _, _, free] = self.commands();
        let cmd = Cmd::new(free).u64(UBURMA_FREE_JFC_IN_HANDLE, handle);
        let udata = UBURMA_FREE_JFC_IN_UDATA;
        match self {
            Class::Jfc => cmd
                .out(UBURMA_FREE_JFC_OUT_COMP_EVENTS_REPORTED, 4)
                .out(UBURMA_FREE_JFC_OUT_ASYNC_EVENTS_REPORTED, 4)
                .udata(udata, Some(UBURMA_FREE_JFC_OUT_UDATA), &[], 0),
            _ => cmd.out(UBURMA_FREE_JFR_OUT_ASYNC_EVENTS_REPORTED, 4).udata(
                udata,
                Some(UBURMA_FREE_JFR_OUT_UDATA),
                &[],
                0,
            ),
        }
    }
}

/// Options that are passed at activation.
#[derive(Debug, Clone, Copy, Default)]
pub struct StageOptions {
    /// UBURMA_OPT_MASK_*: which of them are meant.
    pub mask: u64,
    /// Number wanted.
    pub id: u32,
}

impl StageOptions {
    /// The structure of a queue; that of a jetty has it behind a word.
    fn image(self, class: Class) -> Vec<u8> {
        let opts = uburma_jfs_opt {
            jfs_opt_mask: self.mask,
            id: self.id,
            ..Default::default()
        };
        match class {
            Class::Jetty => sys::bytes_of(&uburma_jetty_opt {
                jfs_opt: opts,
                ..Default::default()
            })
            .to_vec(),
            _ => sys::bytes_of(&opts).to_vec(),
        }
    }
}

/// The command that allocates a JFC.
pub fn alloc_jfc_cmd(config: JfcConfig) -> Cmd {
    Cmd::new(UBURMA_CMD_ALLOC_JFC)
        .u32(UBURMA_ALLOC_JFC_IN_DEPTH, config.depth)
        .u32(UBURMA_ALLOC_JFC_IN_FLAG, config.flag)
        .i32(UBURMA_ALLOC_JFC_IN_JFCE_FD, config.jfce_fd)
        .u64(UBURMA_ALLOC_JFC_IN_URMA_JFC, config.cookie)
        .u32(UBURMA_ALLOC_JFC_IN_CEQN, config.ceqn)
        .udata(
            UBURMA_ALLOC_JFC_IN_UDATA,
            Some(UBURMA_ALLOC_JFC_OUT_UDATA),
            &[],
            0,
        )
        .out(UBURMA_ALLOC_JFC_OUT_ID, 4)
        .out(UBURMA_ALLOC_JFC_OUT_DEPTH, 4)
        .out(UBURMA_ALLOC_JFC_OUT_HANDLE, 8)
}

/// The command that activates a JFC.
pub fn active_jfc_cmd(handle: u64, config: JfcConfig, options: StageOptions) -> Cmd {
    Cmd::new(UBURMA_CMD_ACTIVE_JFC)
        .u64(UBURMA_ACTIVE_JFC_IN_HANDLE, handle)
        .u32(UBURMA_ACTIVE_JFC_IN_DEPTH, config.depth)
        .u32(UBURMA_ACTIVE_JFC_IN_FLAG, config.flag)
        .u32(UBURMA_ACTIVE_JFC_IN_CEQN, config.ceqn)
        .pointer(UBURMA_ACTIVE_JFC_IN_JFC_OPT, &options.image(Class::Jfc))
        .queue_udata(
            UBURMA_ACTIVE_JFC_IN_UDATA,
            UBURMA_ACTIVE_JFC_OUT_UDATA,
            config.cookie,
        )
        .out(UBURMA_ACTIVE_JFC_OUT_ID, 4)
        .out(UBURMA_ACTIVE_JFC_OUT_DEPTH, 4)
        .out(UBURMA_ACTIVE_JFC_OUT_HANDLE, 8)
}

/// The flag word of a JFR.
fn jfr_flag(config: &JfrConfig) -> u32 {
    config.flag | (config.policy << UBURMA_JFR_FLAG_TOKEN_POLICY_SHIFT)
}

/// The command that allocates a JFR.
pub fn alloc_jfr_cmd(config: JfrConfig) -> Cmd {
    Cmd::new(UBURMA_CMD_ALLOC_JFR)
        .u32(UBURMA_ALLOC_JFR_IN_DEPTH, config.depth)
        .u32(UBURMA_ALLOC_JFR_IN_FLAG, jfr_flag(&config))
        .u32(UBURMA_ALLOC_JFR_IN_TRANS_MODE, config.mode)
        .u8(UBURMA_ALLOC_JFR_IN_MAX_SGE, config.max_sge)
        .u8(UBURMA_ALLOC_JFR_IN_MIN_RNR_TIMER, config.min_rnr_timer)
        .u32(UBURMA_ALLOC_JFR_IN_JFC_ID, 0)
        .u64(UBURMA_ALLOC_JFR_IN_JFC_HANDLE, config.jfc)
        .u32(UBURMA_ALLOC_JFR_IN_TOKEN, config.token)
        .u32(UBURMA_ALLOC_JFR_IN_ID, config.id)
        .u64(UBURMA_ALLOC_JFR_IN_URMA_JFR, config.cookie)
        .udata(
            UBURMA_ALLOC_JFR_IN_UDATA,
            Some(UBURMA_ALLOC_JFR_OUT_UDATA),
            &[],
            0,
        )
        .out(UBURMA_ALLOC_JFR_OUT_ID, 4)
        .out(UBURMA_ALLOC_JFR_OUT_DEPTH, 4)
        .out(UBURMA_ALLOC_JFR_OUT_HANDLE, 8)
        .out(UBURMA_ALLOC_JFR_OUT_MAX_SGE, 1)
}

/// The command that activates a JFR.
pub fn active_jfr_cmd(handle: u64, config: JfrConfig, options: StageOptions) -> Cmd {
    Cmd::new(UBURMA_CMD_ACTIVE_JFR)
        .u64(UBURMA_ACTIVE_JFR_IN_HANDLE, handle)
        .u32(UBURMA_ACTIVE_JFR_IN_DEPTH, config.depth)
        .u32(UBURMA_ACTIVE_JFR_IN_FLAG, jfr_flag(&config))
        .u32(UBURMA_ACTIVE_JFR_IN_TRANS_MODE, config.mode)
        .u8(UBURMA_ACTIVE_JFR_IN_MAX_SGE, config.max_sge)
        .u8(UBURMA_ACTIVE_JFR_IN_MIN_RNR_TIMER, config.min_rnr_timer)
        .u32(UBURMA_ACTIVE_JFR_IN_JFC_ID, 0)
        .u64(UBURMA_ACTIVE_JFR_IN_JFC_HANDLE, config.jfc)
        .u32(UBURMA_ACTIVE_JFR_IN_TOKEN, config.token)
        .pointer(UBURMA_ACTIVE_JFR_IN_JFR_OPT, &options.image(Class::Jfr))
        .queue_udata(
            UBURMA_ACTIVE_JFR_IN_UDATA,
            UBURMA_ACTIVE_JFR_OUT_UDATA,
            config.cookie,
        )
        .out(UBURMA_ACTIVE_JFR_OUT_ID, 4)
        .out(UBURMA_ACTIVE_JFR_OUT_DEPTH, 4)
        .out(UBURMA_ACTIVE_JFR_OUT_HANDLE, 8)
        .out(UBURMA_ACTIVE_JFR_OUT_MAX_SGE, 1)
}

/// The command that allocates a JFS.
pub fn alloc_jfs_cmd(config: JfsConfig) -> Cmd {
    Cmd::new(UBURMA_CMD_ALLOC_JFS)
        .u32(UBURMA_ALLOC_JFS_IN_DEPTH, config.depth)
        .u32(UBURMA_ALLOC_JFS_IN_FLAG, config.flag)
        .u32(UBURMA_ALLOC_JFS_IN_TRANS_MODE, config.mode)
        .u8(UBURMA_ALLOC_JFS_IN_PRIORITY, config.priority)
        .u8(UBURMA_ALLOC_JFS_IN_MAX_SGE, config.max_sge)
        .u8(UBURMA_ALLOC_JFS_IN_MAX_RSGE, config.max_rsge)
        .u32(UBURMA_ALLOC_JFS_IN_MAX_INLINE_DATA, config.max_inline)
        .u8(UBURMA_ALLOC_JFS_IN_RNR_RETRY, config.rnr_retry)
        .u8(UBURMA_ALLOC_JFS_IN_ERR_TIMEOUT, config.err_timeout)
        .u32(UBURMA_ALLOC_JFS_IN_JFC_ID, 0)
        .u64(UBURMA_ALLOC_JFS_IN_JFC_HANDLE, config.jfc)
        .u64(UBURMA_ALLOC_JFS_IN_URMA_JFS, config.cookie)
        .udata(
            UBURMA_ALLOC_JFS_IN_UDATA,
            Some(UBURMA_ALLOC_JFS_OUT_UDATA),
            &[],
            0,
        )
        .out(UBURMA_ALLOC_JFS_OUT_ID, 4)
        .out(UBURMA_ALLOC_JFS_OUT_DEPTH, 4)
        .out(UBURMA_ALLOC_JFS_OUT_MAX_SGE, 1)
        .out(UBURMA_ALLOC_JFS_OUT_MAX_RSGE, 1)
        .out(UBURMA_ALLOC_JFS_OUT_MAX_INLINE_DATA, 4)
        .out(UBURMA_ALLOC_JFS_OUT_HANDLE, 8)
}

/// The command that activates a JFS.
pub fn active_jfs_cmd(handle: u64, config: JfsConfig, options: StageOptions) -> Cmd {
    Cmd::new(UBURMA_CMD_ACTIVE_JFS)
        .u64(UBURMA_ACTIVE_JFS_IN_HANDLE, handle)
        .u32(UBURMA_ACTIVE_JFS_IN_DEPTH, config.depth)
        .u32(UBURMA_ACTIVE_JFS_IN_FLAG, config.flag)
        .u32(UBURMA_ACTIVE_JFS_IN_TRANS_MODE, config.mode)
        .u32(UBURMA_ACTIVE_JFS_IN_PRIORITY, config.priority.into())
        .u8(UBURMA_ACTIVE_JFS_IN_MAX_SGE, config.max_sge)
        .u8(UBURMA_ACTIVE_JFS_IN_MAX_RSGE, config.max_rsge)
        .u32(UBURMA_ACTIVE_JFS_IN_MAX_INLINE_DATA, config.max_inline)
        .u8(UBURMA_ACTIVE_JFS_IN_RNR_RETRY, config.rnr_retry)
        .u8(UBURMA_ACTIVE_JFS_IN_ERR_TIMEOUT, config.err_timeout)
        .u32(UBURMA_ACTIVE_JFS_IN_JFC_ID, 0)
        .u64(UBURMA_ACTIVE_JFS_IN_JFC_HANDLE, config.jfc)
        .pointer(UBURMA_ACTIVE_JFS_IN_JFS_OPT, &options.image(Class::Jfs))
        .queue_udata(
            UBURMA_ACTIVE_JFS_IN_UDATA,
            UBURMA_ACTIVE_JFS_OUT_UDATA,
            config.cookie,
        )
        .out(UBURMA_ACTIVE_JFS_OUT_ID, 4)
        .out(UBURMA_ACTIVE_JFS_OUT_DEPTH, 4)
        .out(UBURMA_ACTIVE_JFS_OUT_MAX_SGE, 1)
        .out(UBURMA_ACTIVE_JFS_OUT_MAX_RSGE, 1)
        .out(UBURMA_ACTIVE_JFS_OUT_MAX_INLINE_DATA, 4)
        .out(UBURMA_ACTIVE_JFS_OUT_HANDLE, 8)
}

/// The command that allocates a jetty: one structure, both ways.
pub fn alloc_jetty_cmd(config: JettyConfig) -> Cmd {
    let send = config.send;
    let cfg = uburma_cmd_create_jetty {
        in_: uburma_create_jetty_in {
            id: config.id,
            jetty_flag: config.flag,
            jfs_depth: send.depth,
            jfs_flag: send.flag,
            trans_mode: send.mode,
            priority: send.priority,
            max_send_sge: send.max_sge,
            max_send_rsge: send.max_rsge,
            max_inline_data: send.max_inline,
            rnr_retry: send.rnr_retry,
            err_timeout: send.err_timeout,
            send_jfc_handle: send.jfc,
            recv_jfc_handle: config.recv_jfc,
            token: config.token,
            jfr_id: config.jfr.1,
            jfr_handle: config.jfr.0,
            urma_jetty: config.cookie,
            ..Default::default()
        },
        ..Default::default()
    };
    Cmd::new(UBURMA_CMD_ALLOC_JETTY)
        .bytes(UBURMA_ALLOC_JETTY_IN_CFG, sys::bytes_of(&cfg))
        .out(
            UBURMA_ALLOC_JETTY_OUT_CFG,
            size_of::<uburma_cmd_create_jetty>(),
        )
}

/// The reply of [`alloc_jetty_cmd`].
pub fn alloc_jetty_reply(cmd: &Cmd) -> uburma_cmd_create_jetty {
    sys::from_bytes(&cmd.value(UBURMA_ALLOC_JETTY_OUT_CFG))
}

/// The command that activates a jetty.
pub fn active_jetty_cmd(handle: u64, config: JettyConfig, options: StageOptions) -> Cmd {
    Cmd::new(UBURMA_CMD_ACTIVE_JETTY)
        .u32(UBURMA_ACTIVE_JETTY_IN_FLAG, config.send.flag)
        .u64(UBURMA_ACTIVE_JETTY_IN_HANDLE, handle)
        .u64(UBURMA_ACTIVE_JETTY_IN_SEND_JFC_HANDLE, config.send.jfc)
        .u64(UBURMA_ACTIVE_JETTY_IN_RECV_JFC_HANDLE, config.recv_jfc)
        .u64(UBURMA_ACTIVE_JETTY_IN_URMA_JETTY, 0)
        .pointer(
            UBURMA_ACTIVE_JETTY_IN_JETTY_OPT,
            &options.image(Class::Jetty),
        )
        .queue_udata(
            UBURMA_ACTIVE_JETTY_IN_UDATA,
            UBURMA_ACTIVE_JETTY_OUT_UDATA,
            config.cookie,
        )
        .out(UBURMA_ACTIVE_JETTY_OUT_JETTY_ID, 4)
}

/// An object that was allocated and is not at work.
#[derive(Debug)]
pub struct Stage {
    files: Arc<Files>,
    class: Class,
    handle: u64,
    live: bool,
}

impl Stage {
    fn new(ctx: &Context, class: Class, handle: u64) -> Self {
        Stage {
            files: ctx.files(),
            class,
            handle,
            live: true,
        }
    }

    /// Allocates a JFC.
    pub fn jfc(ctx: &Context, config: JfcConfig) -> Result<Self> {
        let mut cmd = alloc_jfc_cmd(config);
        ctx.run(&mut cmd)?;
        let handle = cmd.get_u64(UBURMA_ALLOC_JFC_OUT_HANDLE);
        Ok(Self::new(ctx, Class::Jfc, handle))
    }

    /// Allocates a JFR.
    pub fn jfr(ctx: &Context, config: JfrConfig) -> Result<Self> {
        let mut cmd = alloc_jfr_cmd(config);
        ctx.run(&mut cmd)?;
        let handle = cmd.get_u64(UBURMA_ALLOC_JFR_OUT_HANDLE);
        Ok(Self::new(ctx, Class::Jfr, handle))
    }

    /// Allocates a JFS.
    pub fn jfs(ctx: &Context, config: JfsConfig) -> Result<Self> {
        let mut cmd = alloc_jfs_cmd(config);
        ctx.run(&mut cmd)?;
        let handle = cmd.get_u64(UBURMA_ALLOC_JFS_OUT_HANDLE);
        Ok(Self::new(ctx, Class::Jfs, handle))
    }

    /// Allocates a jetty.
    pub fn jetty(ctx: &Context, config: JettyConfig) -> Result<Self> {
        let mut cmd = alloc_jetty_cmd(config);
        ctx.run(&mut cmd)?;
        let handle = alloc_jetty_reply(&cmd).out.handle;
        Ok(Self::new(ctx, Class::Jetty, handle))
    }

    /// Runs the command that puts it to work; it stays allocated when that fails.
    fn start(&mut self, mut cmd: Cmd, udata: u32) -> Result<(Cmd, ubsoft_queue_resp)> {
        cmd.run(self.files.dev())?;
        let resp = cmd.udata_reply(udata)?;
        self.live = false;
        Ok((cmd, resp))
    }

    /// Puts a JFC to work.
    pub fn activate_jfc(&mut self, config: JfcConfig, options: StageOptions) -> Result<Jfc> {
        let cmd = active_jfc_cmd(self.handle, config, options);
        let (cmd, resp) = self.start(cmd, UBURMA_ACTIVE_JFC_IN_UDATA)?;
        let granted = (
            cmd.get_u32(UBURMA_ACTIVE_JFC_OUT_ID),
            cmd.get_u32(UBURMA_ACTIVE_JFC_OUT_DEPTH),
        );
        Jfc::adopt(self.files.clone(), self.handle, granted, resp)
    }

    /// Puts a JFR to work.
    pub fn activate_jfr(&mut self, config: JfrConfig, options: StageOptions) -> Result<Jfr> {
        let cmd = active_jfr_cmd(self.handle, config, options);
        let (cmd, resp) = self.start(cmd, UBURMA_ACTIVE_JFR_IN_UDATA)?;
        let granted = (
            cmd.get_u32(UBURMA_ACTIVE_JFR_OUT_ID),
            cmd.get_u32(UBURMA_ACTIVE_JFR_OUT_DEPTH),
        );
        Jfr::adopt(self.files.clone(), self.handle, granted, config, resp)
    }

    /// Puts a JFS to work.
    pub fn activate_jfs(&mut self, config: JfsConfig, options: StageOptions) -> Result<Jfs> {
        let cmd = active_jfs_cmd(self.handle, config, options);
        let (cmd, resp) = self.start(cmd, UBURMA_ACTIVE_JFS_IN_UDATA)?;
        let granted = (
            cmd.get_u32(UBURMA_ACTIVE_JFS_OUT_ID),
            cmd.get_u32(UBURMA_ACTIVE_JFS_OUT_DEPTH),
        );
        Jfs::adopt(self.files.clone(), self.handle, granted, resp)
    }

    /// Puts a jetty to work.
    pub fn activate_jetty(&mut self, config: JettyConfig, options: StageOptions) -> Result<Jetty> {
        let cmd = active_jetty_cmd(self.handle, config, options);
        let (cmd, resp) = self.start(cmd, UBURMA_ACTIVE_JETTY_IN_UDATA)?;
        let id = cmd.get_u32(UBURMA_ACTIVE_JETTY_OUT_JETTY_ID);
        Jetty::adopt(self.files.clone(), self.handle, id, resp)
    }

    /// Its handle.
    pub fn handle(&self) -> u64 {
        self.handle
    }

    /// Its class.
    pub fn class(&self) -> Class {
        self.class
    }

    /// Sets an option, UBURMA_OPT_*.
    pub fn set(&self, opt: u32, value: &[u8]) -> Result<()> {
        let mut cmd = self.class.set_cmd(self.handle, opt.into(), value);
        cmd.run(self.files.dev())
    }

    /// Reads an option, UBURMA_OPT_*, into so much room.
    pub fn get(&self, opt: u32, room: usize) -> Result<Vec<u8>> {
        let mut cmd = self.class.get_cmd(self.handle, opt.into(), room);
        cmd.run(self.files.dev())?;
        let len = cmd.get_u32(UBURMA_GET_JFC_OPT_OUT_LEN) as usize;
        cmd.pointed(UBURMA_GET_JFC_OPT_IN_BUF, len)
    }

    /// Frees it, returns how many events were delivered; it stays when that fails.
    pub fn free(&mut self) -> Result<JfcCounters> {
        let mut cmd = self.class.free_cmd(self.handle);
        cmd.run(self.files.dev())?;
        self.live = false;
        Ok(match self.class {
            Class::Jfc => JfcCounters {
                completion: cmd.get_u32(UBURMA_FREE_JFC_OUT_COMP_EVENTS_REPORTED),
                asynchronous: cmd.get_u32(UBURMA_FREE_JFC_OUT_ASYNC_EVENTS_REPORTED),
            },
            _ => JfcCounters {
                completion: 0,
                asynchronous: cmd.get_u32(UBURMA_FREE_JFR_OUT_ASYNC_EVENTS_REPORTED),
            },
        })
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        if self.live {
            let _ = self.free();
        }
    }
}

/// Implements the way back for a class.
macro_rules! deactivate {
    ($($class:ident),*) => {$(
        impl $class {
            /// Takes it out of work; it stays at work, and is given back, when that fails.
            #[allow(clippy::result_large_err)]
            pub fn deactivate(self) -> std::result::Result<Stage, (Self, crate::Error)> {
                let (files, handle) = (self.files(), self.handle());
                match Class::$class.deactivate_cmd(handle).run(files.dev()) {
                    Ok(()) => {
                        self.disown();
                        Ok(Stage {
                            files,
                            class: Class::$class,
                            handle,
                            live: true,
                        })
                    }
                    Err(err) => Err((self, err)),
                }
            }
        }
    )*};
}

deactivate!(Jfc, Jfr, Jfs, Jetty);
