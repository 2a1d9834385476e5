// SPDX-License-Identifier: GPL-2.0

//! Objects that most tests need, made as applications make them.

use std::ptr;
use std::rc::Rc;
use std::time::{Duration, Instant};

use ub_abi::{UBURMA_ACCESS_ATOMIC, UBURMA_ACCESS_READ, UBURMA_ACCESS_WRITE};
use ub_client::sys::{self, Mapping};
use ub_client::Device;
use ub_tests::{check, check_eq, Failure, Outcome};
use ub_urma::flags::{
    urma_import_jetty_flag, urma_jetty_flag, urma_jfr_flag, urma_jfs_wr_flag, urma_reg_seg_flag,
};
use ub_urma::*;

use super::load::library;
use crate::double::{Library, Opened};

/// Calls an operation of a context.
macro_rules! call {
    ($lab:expr, $name:ident($($arg:expr),* $(,)?)) => {
        match $lab.ops.$name {
            // SAFETY: what the test is about; see there.
            Some(function) => unsafe { function($($arg),*) },
            None => {
                return Err(ub_tests::Failure::Fail(format!("no {}", stringify!($name))));
            }
        }
    };
}
pub(crate) use call;

/// The token of jettys and receive queues.
pub const TOKEN: u32 = 0x0bad_cafe;
/// The token of memory.
pub const SEG_TOKEN: u32 = 0x1234_5678;
/// Bytes of memory of a side.
pub const MEMORY: usize = 64 << 10;
/// Read, write and atomic access.
pub const ACCESS: u32 = UBURMA_ACCESS_READ | UBURMA_ACCESS_WRITE | UBURMA_ACCESS_ATOMIC;
/// Plain-text tokens.
pub const PLAIN: u32 = 1;

/// A context and what is asked of it.
pub struct Lab {
    /// Its operations.
    pub ops: &'static urma_ops,
    /// The context.
    pub opened: Opened,
    _library: Rc<Library>,
}

impl Lab {
    /// On the first device.
    pub fn open() -> Result<Self, Failure> {
        Self::open_on(&Rc::new(library()?), &Device::first()?)
    }

    /// On a device.
    pub fn open_on(library: &Rc<Library>, device: &Device) -> Result<Self, Failure> {
        let opened = library.open(device, 0)?;
        Ok(Lab {
            ops: opened.ops(),
            opened,
            _library: library.clone(),
        })
    }

    /// The context as C has it.
    pub fn ctx(&self) -> *mut urma_context {
        self.opened.ctx
    }

    /// A completion queue, perhaps with a channel.
    pub fn jfc(
        &self,
        depth: u32,
        jfce: *mut urma_jfce,
        flag: u32,
    ) -> Result<*mut urma_jfc, Failure> {
        let mut cfg = urma_jfc_cfg {
            depth,
            flag,
            jfce,
            user_ctx: 0x77,
            ..Default::default()
        };
        let jfc = call!(self, create_jfc(self.ctx(), &mut cfg));
        check!(
            !jfc.is_null(),
            "create_jfc: {}",
            std::io::Error::last_os_error()
        );
        Ok(jfc)
    }

    /// How a receive queue is made.
    pub fn jfr_cfg(jfc: *mut urma_jfc, mode: u32, depth: u32) -> urma_jfr_cfg {
        urma_jfr_cfg {
            depth,
            flag: urma_jfr_flag::token_policy.of(PLAIN),
            trans_mode: mode,
            max_sge: 4,
            min_rnr_timer: 6,
            jfc,
            token_value: urma_token { token: TOKEN },
            ..Default::default()
        }
    }

    /// How a send queue is made.
    pub fn jfs_cfg(jfc: *mut urma_jfc, mode: u32, depth: u32) -> urma_jfs_cfg {
        urma_jfs_cfg {
            depth,
            trans_mode: mode,
            max_sge: 4,
            max_rsge: 1,
            max_inline_data: 128,
            rnr_retry: 7,
            err_timeout: 17,
            jfc,
            ..Default::default()
        }
    }

    /// A receive queue.
    pub fn jfr(&self, jfc: *mut urma_jfc, mode: u32, depth: u32) -> Result<*mut urma_jfr, Failure> {
        let mut cfg = Self::jfr_cfg(jfc, mode, depth);
        let jfr = call!(self, create_jfr(self.ctx(), &mut cfg));
        check!(
            !jfr.is_null(),
            "create_jfr: {}",
            std::io::Error::last_os_error()
        );
        Ok(jfr)
    }

    /// A send queue.
    pub fn jfs(&self, jfc: *mut urma_jfc, mode: u32, depth: u32) -> Result<*mut urma_jfs, Failure> {
        let mut cfg = Self::jfs_cfg(jfc, mode, depth);
        let jfs = call!(self, create_jfs(self.ctx(), &mut cfg));
        check!(
            !jfs.is_null(),
            "create_jfs: {}",
            std::io::Error::last_os_error()
        );
        Ok(jfs)
    }

    /// How a jetty is made.
    pub fn jetty_cfg(
        jfc: *mut urma_jfc,
        jfr: *mut urma_jfr,
        mode: u32,
        depth: u32,
    ) -> urma_jetty_cfg {
        urma_jetty_cfg {
            flag: urma_jetty_flag::share_jfr.mask(),
            jfs_cfg: Self::jfs_cfg(jfc, mode, depth),
            shared: urma_jetty_shared {
                jfr,
                jfc: ptr::null_mut(),
            },
            ..Default::default()
        }
    }

    /// Flags of memory for all access under a token id.
    pub fn seg_flag() -> u32 {
        urma_reg_seg_flag::token_policy.of(PLAIN)
            | urma_reg_seg_flag::access.of(ACCESS)
            | urma_reg_seg_flag::token_id_valid.mask()
    }

    /// Registered memory under a token id of its own.
    pub fn register(&self, memory: &Mapping) -> Result<Memory, Failure> {
        let token_id = call!(self, alloc_token_id(self.ctx()));
        check!(!token_id.is_null());
        let mut cfg = urma_seg_cfg {
            va: memory.addr(),
            len: memory.len() as u64,
            token_id,
            token_value: urma_token { token: SEG_TOKEN },
            flag: Self::seg_flag(),
            user_ctx: 0x5e9,
            ..Default::default()
        };
        let seg = call!(self, register_seg(self.ctx(), &mut cfg));
        check!(
            !seg.is_null(),
            "register_seg: {}",
            std::io::Error::last_os_error()
        );
        // SAFETY: a segment that was just made.
        unsafe {
            // liburma follows both.
            check!(ptr::eq((*seg).urma_ctx, self.ctx()));
            check!(ptr::eq((*seg).token_id, token_id));
        }
        Ok(Memory { seg, token_id })
    }

    /// Takes registered memory away.
    pub fn unregister(&self, memory: Memory) -> Outcome {
        check_eq!(call!(self, unregister_seg(memory.seg)), URMA_SUCCESS);
        check_eq!(call!(self, free_token_id(memory.token_id)), URMA_SUCCESS);
        Ok(())
    }

    /// Takes a completion, within a while.
    pub fn wait(&self, jfc: *mut urma_jfc) -> Result<urma_cr, Failure> {
        let start = Instant::now();
        // What is not written is noticed.
        let mut cr = dirty();
        loop {
            match call!(self, poll_jfc(jfc, 1, &mut cr)) {
                1 => return Ok(cr),
                0 if start.elapsed() < Duration::from_secs(10) => sys::yield_now(),
                0 => return Err(Failure::Fail("no completion".to_string())),
                other => return Err(Failure::Fail(format!("poll_jfc: {other}"))),
            }
        }
    }

    /// Fails if a completion is there.
    pub fn quiet(&self, jfc: *mut urma_jfc) -> Outcome {
        let mut cr = dirty();
        check_eq!(call!(self, poll_jfc(jfc, 1, &mut cr)), 0);
        Ok(())
    }
}

/// A completion of bytes that no operation writes.
pub fn dirty() -> urma_cr {
    // SAFETY: numbers only.
    unsafe {
        std::mem::transmute::<[u8; size_of::<urma_cr>()], urma_cr>([0xa5; size_of::<urma_cr>()])
    }
}

/// Registered memory.
#[derive(Clone, Copy)]
pub struct Memory {
    /// The segment.
    pub seg: *mut urma_target_seg,
    /// Its token id.
    pub token_id: *mut urma_token_id,
}

/// A jetty with all that it needs.
pub struct Side {
    /// The context.
    pub lab: Lab,
    /// The operations of it.
    pub ops: &'static urma_ops,
    /// Completions of sends.
    pub sent: *mut urma_jfc,
    /// Completions of receives.
    pub received: *mut urma_jfc,
    /// The receive queue.
    pub jfr: *mut urma_jfr,
    /// The jetty.
    pub jetty: *mut urma_jetty,
    /// The memory.
    pub bytes: Mapping,
    /// The segment of it.
    pub memory: Memory,
    /// The service.
    pub mode: u32,
}

impl Side {
    /// One on a context of its own.
    pub fn create(mode: u32) -> Result<Self, Failure> {
        Self::create_in(Lab::open()?, mode, 16)
    }

    /// One in a context, with queues of this depth.
    pub fn create_in(lab: Lab, mode: u32, depth: u32) -> Result<Self, Failure> {
        let sent = lab.jfc(64, ptr::null_mut(), 0)?;
        let received = lab.jfc(64, ptr::null_mut(), 0)?;
        let jfr = lab.jfr(received, mode, depth)?;
        let mut cfg = Lab::jetty_cfg(sent, jfr, mode, depth);
        let jetty = call!(lab, create_jetty(lab.ctx(), &mut cfg));
        check!(
            !jetty.is_null(),
            "create_jetty: {}",
            std::io::Error::last_os_error()
        );
        let bytes = Mapping::anonymous(MEMORY)?;
        let memory = lab.register(&bytes)?;
        Ok(Side {
            ops: lab.ops,
            lab,
            sent,
            received,
            jfr,
            jetty,
            bytes,
            memory,
            mode,
        })
    }

    /// Number of the jetty.
    pub fn id(&self) -> u32 {
        // SAFETY: a jetty that exists.
        unsafe { (*self.jetty).jetty_id.id }
    }

    /// EID of the context.
    pub fn eid(&self) -> urma_eid {
        // SAFETY: a context that exists.
        unsafe { (*self.lab.ctx()).eid }
    }

    /// What a peer imports.
    pub fn remote(&self) -> urma_rjetty {
        urma_rjetty {
            // SAFETY: a jetty that exists.
            jetty_id: unsafe { (*self.jetty).jetty_id },
            trans_mode: self.mode,
            kind: URMA_JETTY,
            flag: urma_import_jetty_flag::token_policy.of(PLAIN),
            tp_type: if self.mode == URMA_TM_UM {
                URMA_UTP
            } else {
                URMA_RTP
            },
            ..Default::default()
        }
    }

    /// Imports the jetty of a peer.
    pub fn import(&self, peer: &Side) -> Result<*mut urma_target_jetty, Failure> {
        self.import_remote(peer.remote())
    }

    /// Imports a jetty that there is not, at this side's own device: what is sent to it fails.
    pub fn import_none(&self) -> Result<*mut urma_target_jetty, Failure> {
        let mut remote = self.remote();
        remote.jetty_id.id = self.id() + 7777;
        self.import_remote(remote)
    }

    fn import_remote(&self, mut remote: urma_rjetty) -> Result<*mut urma_target_jetty, Failure> {
        let mut token = urma_token { token: TOKEN };
        let target = call!(self, import_jetty(self.lab.ctx(), &mut remote, &mut token));
        check!(
            !target.is_null(),
            "import_jetty: {}",
            std::io::Error::last_os_error()
        );
        Ok(target)
    }

    /// Imports the memory of a peer.
    pub fn import_memory(&self, peer: &Side) -> Result<*mut urma_target_seg, Failure> {
        // SAFETY: a segment that exists; peers exchange this structure.
        let mut seg = unsafe { (*peer.memory.seg).seg };
        let mut token = urma_token { token: SEG_TOKEN };
        let tseg = call!(self, import_seg(self.lab.ctx(), &mut seg, &mut token, 0, 0));
        check!(
            !tseg.is_null(),
            "import_seg: {}",
            std::io::Error::last_os_error()
        );
        Ok(tseg)
    }

    /// A range of the own memory.
    pub fn sge(&self, offset: usize, len: u32) -> urma_sge {
        urma_sge {
            addr: self.bytes.addr() + offset as u64,
            len,
            tseg: self.memory.seg,
            user_tseg: ptr::null_mut(),
        }
    }

    /// A range of a peer's memory.
    pub fn far(&self, tseg: *mut urma_target_seg, offset: usize, len: u32) -> urma_sge {
        urma_sge {
            addr: self.bytes.addr() + offset as u64,
            len,
            tseg,
            user_tseg: ptr::null_mut(),
        }
    }

    /// Posts a list of requests; the status, and the bad one.
    pub fn post(&self, wr: &mut urma_jfs_wr) -> Result<(u32, *mut urma_jfs_wr), Failure> {
        let mut bad = ptr::null_mut();
        let status = call!(self, post_jetty_send_wr(self.jetty, wr, &mut bad));
        Ok((status, bad))
    }

    /// Posts a request that must be taken, and returns its completion.
    pub fn execute(&self, wr: &mut urma_jfs_wr) -> Result<urma_cr, Failure> {
        check_eq!(self.post(wr)?.0, URMA_SUCCESS);
        self.lab.wait(self.sent)
    }

    /// Posts a receive buffer.
    pub fn post_recv(&self, offset: usize, len: u32, user_ctx: u64) -> Outcome {
        let mut sge = self.sge(offset, len);
        let mut wr = urma_jfr_wr {
            src: urma_sg {
                sge: &mut sge,
                num_sge: 1,
            },
            user_ctx,
            next: ptr::null_mut(),
        };
        let mut bad = ptr::null_mut();
        let status = call!(self, post_jetty_recv_wr(self.jetty, &mut wr, &mut bad));
        check_eq!(status, URMA_SUCCESS);
        Ok(())
    }

    /// Destroys all of it.
    pub fn destroy(mut self) -> Outcome {
        // liburma refuses to delete one that is bound.
        // SAFETY: a jetty that exists.
        check!(unsafe { (*self.jetty).remote_jetty }.is_null());
        check_eq!(call!(self, delete_jetty(self.jetty)), URMA_SUCCESS);
        check_eq!(call!(self, delete_jfr(self.jfr)), URMA_SUCCESS);
        check_eq!(call!(self, delete_jfc(self.received)), URMA_SUCCESS);
        check_eq!(call!(self, delete_jfc(self.sent)), URMA_SUCCESS);
        self.lab.unregister(self.memory)?;
        check_eq!(self.lab.opened.delete(), URMA_SUCCESS);
        Ok(())
    }
}

/// The flags of a request that tells of its success.
pub fn signaled() -> u32 {
    urma_jfs_wr_flag::complete_enable.mask()
}

/// A request, all of whose unused members are garbage: as the flat interface of liburma has them.
pub fn request(opcode: u32, target: *mut urma_target_jetty, user_ctx: u64) -> urma_jfs_wr {
    // SAFETY: numbers and pointers; those that are used are written.
    let mut wr = unsafe {
        std::mem::transmute::<[u8; size_of::<urma_jfs_wr>()], urma_jfs_wr>(
            [0x5a; size_of::<urma_jfs_wr>()],
        )
    };
    wr.opcode = opcode;
    wr.flag = signaled();
    wr.tjetty = target;
    wr.user_ctx = user_ctx;
    wr.next = ptr::null_mut();
    wr
}

/// A list of ranges.
pub fn list(sges: &mut [urma_sge]) -> urma_sg {
    urma_sg {
        sge: sges.as_mut_ptr(),
        num_sge: sges.len() as u32,
    }
}
