// SPDX-License-Identifier: GPL-2.0

//! A context: an open device file that is bound to an EID.

use std::fs::OpenOptions;
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::sync::Arc;

use ub_abi::*;

use crate::sys;
use crate::tlv::Cmd;
use crate::{AsyncEvents, Device, Eid, Error, Result};

/// Opens a device file as liburma does, but closed by exec.
fn open_node(device: &Device) -> Result<OwnedFd> {
    let path = device.node();
    OpenOptions::new()
        .read(true)
        .write(true)
        .open(&path)
        .map(OwnedFd::from)
        .map_err(|err| Error::io(&format!("opening {}", path.display()), &err))
}

/// How the kernel is told of posted work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Doorbell {
    /// By ioctl on the doorbell file.
    File,
    /// By the command UBURMA_CMD_USER_CTL on the device file.
    UserCtl,
}

/// How a context is made.
#[derive(Debug, Clone, Copy)]
pub struct ContextOptions {
    /// Slot of the EID.
    pub eid_index: u32,
    /// How doorbells are rung.
    pub doorbell: Doorbell,
}

impl Default for ContextOptions {
    fn default() -> Self {
        ContextOptions {
            eid_index: 0,
            doorbell: Doorbell::File,
        }
    }
}

/// The files of a context.
#[derive(Debug)]
pub(crate) struct Files {
    dev: OwnedFd,
    bell: OwnedFd,
    doorbell: Doorbell,
}

impl Files {
    pub(crate) fn dev(&self) -> RawFd {
        self.dev.as_raw_fd()
    }

    /// Rings a doorbell. `arg` has the queue in its low half.
    #[inline]
    pub(crate) fn ring(&self, request: u64, queue: u32, high: u32) -> Result<()> {
        let arg = u64::from(queue) | (u64::from(high) << 32);
        match self.doorbell {
            Doorbell::File => match sys::ioctl(self.bell.as_raw_fd(), request, arg) {
                Ok(_) => Ok(()),
                Err(errno) => Self::unheard(errno),
            },
            Doorbell::UserCtl => self.ring_by_command(request, arg),
        }
    }

    /// The error of a doorbell.
    #[cold]
    fn unheard(errno: i32) -> Result<()> {
        Err(Error::sys("doorbell", errno))
    }

    /// Rings without the file.
    #[cold]
    fn ring_by_command(&self, request: u64, arg: u64) -> Result<()> {
        let input = ubsoft_ctl_ring {
            cmd: request as u32,
            reserved: 0,
            arg,
        };
        user_ctl(UBSOFT_CTL_RING, sys::bytes_of(&input)).run(self.dev())
    }
}

/// USER_CTL with an input; the memory of the command holds it.
fn user_ctl(opcode: u32, input: &[u8]) -> UserCtl {
    UserCtl {
        input: input.to_vec(),
        opcode,
    }
}

struct UserCtl {
    input: Vec<u8>,
    opcode: u32,
}

impl UserCtl {
    fn run(&self, fd: RawFd) -> Result<()> {
        Cmd::new(UBURMA_CMD_USER_CTL)
            .u64(UBURMA_USER_CTL_IN_IN_ADDR, self.input.as_ptr() as u64)
            .u32(UBURMA_USER_CTL_IN_IN_LEN, self.input.len() as u32)
            .u32(UBURMA_USER_CTL_IN_OPCODE, self.opcode)
            .u64(UBURMA_USER_CTL_IN_OUT_ADDR, 0)
            .u32(UBURMA_USER_CTL_IN_OUT_LEN, 0)
            .udata(UBURMA_USER_CTL_IN_UDATA, None, &[], 0)
            .run(fd)
    }
}

/// An open device file with a context. Clones share it.
#[derive(Debug, Clone)]
pub struct Context {
    files: Arc<Files>,
    events: AsyncEvents,
    device: Device,
    eid: Eid,
    resp: ubsoft_ctx_resp,
}

impl Context {
    /// On EID 0 of a device.
    pub fn open(device: &Device) -> Result<Self> {
        Self::open_with(device, ContextOptions::default())
    }

    /// On the first device of ubsoft.
    pub fn open_first() -> Result<Self> {
        Self::open(&Device::first()?)
    }

    /// With options.
    pub fn open_with(device: &Device, options: ContextOptions) -> Result<Self> {
        let dev = open_node(device)?;
        let eid = device.eid(options.eid_index)?;
        let mut cmd = Self::create_cmd(&eid, options.eid_index);
        cmd.run(dev.as_raw_fd())?;
        let async_fd = sys::adopt_fd(cmd.get_i32(UBURMA_CREATE_CTX_OUT_ASYNC_FD))?;
        let resp: ubsoft_ctx_resp = cmd.udata_reply(UBURMA_CREATE_CTX_IN_UDATA)?;
        if resp.abi_version != UBSOFT_ABI_VERSION {
            return Err(Error::BadReply(format!(
                "version {} of ubsoft's ABI",
                resp.abi_version
            )));
        }
        let bell = sys::adopt_fd(resp.doorbell_fd)?;
        Ok(Context {
            files: Arc::new(Files {
                dev,
                bell,
                doorbell: options.doorbell,
            }),
            events: AsyncEvents::new(async_fd),
            device: device.clone(),
            eid,
            resp,
        })
    }

    /// The command that makes a context of an open file.
    pub fn create_cmd(eid: &Eid, index: u32) -> Cmd {
        Cmd::new(UBURMA_CMD_CREATE_CTX)
            .bytes(UBURMA_CREATE_CTX_IN_EID, &eid.0)
            .u32(UBURMA_CREATE_CTX_IN_EID_INDEX, index)
            .udata(
                UBURMA_CREATE_CTX_IN_UDATA,
                Some(UBURMA_CREATE_CTX_OUT_UDATA),
                &[],
                std::mem::size_of::<ubsoft_ctx_resp>(),
            )
            .out(UBURMA_CREATE_CTX_OUT_ASYNC_FD, 4)
    }

    /// Opens the device file and does nothing else.
    pub fn open_bare(device: &Device) -> Result<OwnedFd> {
        open_node(device)
    }

    pub(crate) fn files(&self) -> Arc<Files> {
        self.files.clone()
    }

    /// The device file.
    pub fn dev_fd(&self) -> RawFd {
        self.files.dev()
    }

    /// The doorbell file.
    pub fn doorbell_fd(&self) -> RawFd {
        self.files.bell.as_raw_fd()
    }

    /// The asynchronous event file.
    pub fn events(&self) -> &AsyncEvents {
        &self.events
    }

    /// The device.
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// The EID that the context is for.
    pub fn eid(&self) -> Eid {
        self.eid
    }

    /// What the driver replied.
    pub fn resp(&self) -> &ubsoft_ctx_resp {
        &self.resp
    }

    /// Runs a command on the device file.
    pub fn run(&self, cmd: &mut Cmd) -> Result<()> {
        cmd.run(self.dev_fd())
    }

    /// Rings a doorbell by hand.
    pub fn ring(&self, request: u64, queue: u32, high: u32) -> Result<()> {
        self.files.ring(request, queue, high)
    }

    /// A private control call of the driver.
    pub fn user_ctl(&self, opcode: u32, input: &[u8]) -> Result<()> {
        user_ctl(opcode, input).run(self.dev_fd())
    }

    /// The EIDs that the kernel reports, with their slots; at most `room`.
    pub fn eid_list(&self, room: u32) -> Result<Vec<(u32, Eid)>> {
        Self::eid_list_on(self.dev_fd(), room)
    }

    /// The same on an open file, with or without a context.
    pub fn eid_list_on(fd: RawFd, room: u32) -> Result<Vec<(u32, Eid)>> {
        let size = std::mem::size_of::<uburma_eid_info>();
        let mut cmd = Cmd::new(UBURMA_CMD_GET_EID_LIST)
            .u32(UBURMA_GET_EID_LIST_IN_MAX_EID_CNT, room)
            .out(UBURMA_GET_EID_LIST_OUT_EID_CNT, 4)
            .out(
                UBURMA_GET_EID_LIST_OUT_EID_LIST,
                size * UBURMA_MAX_EID_CNT as usize,
            );
        cmd.run(fd)?;
        let count = cmd.get_u32(UBURMA_GET_EID_LIST_OUT_EID_CNT) as usize;
        if count > room as usize {
            return Err(Error::BadReply(format!("{count} EIDs of {room}")));
        }
        let list = cmd.value(UBURMA_GET_EID_LIST_OUT_EID_LIST);
        Ok(list
            .chunks_exact(size)
            .take(count)
            .map(|entry| {
                let mut eid = [0; 16];
                eid.copy_from_slice(&entry[..16]);
                (sys::from_bytes(&entry[16..20]), Eid(eid))
            })
            .collect())
    }

    /// Lets go of the context without closing its files.
    pub fn leak(self) {
        std::mem::forget(self);
    }
}

/// What all commands that create a queue have in common.
pub trait CmdExt {
    /// Adds ubsoft's private data of a queue: the cookie of its completions.
    fn queue_udata(self, in_id: u32, out_id: u32, user_obj: u64) -> Self;

    /// The same for a send queue, which a thread of the kernel shall poll if there is a time, in
    /// microseconds, after which that sleeps; 0 for the kernel's.
    fn send_udata(self, in_id: u32, out_id: u32, user_obj: u64, poll: Option<u32>) -> Self;
}

impl CmdExt for Cmd {
    fn queue_udata(self, in_id: u32, out_id: u32, user_obj: u64) -> Self {
        self.send_udata(in_id, out_id, user_obj, None)
    }

    fn send_udata(self, in_id: u32, out_id: u32, user_obj: u64, poll: Option<u32>) -> Self {
        let req = ubsoft_queue_req {
            user_obj,
            flags: if poll.is_some() { UBSOFT_QUEUE_POLL } else { 0 },
            poll_idle: poll.unwrap_or(0),
            ..Default::default()
        };
        self.udata(
            in_id,
            Some(out_id),
            sys::bytes_of(&req),
            std::mem::size_of::<ubsoft_queue_resp>(),
        )
    }
}
