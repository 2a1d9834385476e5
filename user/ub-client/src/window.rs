// SPDX-License-Identifier: GPL-2.0

//! Segments of peers that are mapped.

use std::sync::Arc;

use ub_abi::*;

use crate::context::Files;
use crate::sys::{self, MapFlags, Mapping};
use crate::tlv::Cmd;
use crate::wr::RemoteRange;
use crate::{Context, Eid, Result};

/// An imported part of a segment that can be mapped.
#[derive(Debug)]
pub struct Window {
    files: Arc<Files>,
    handle: u64,
    resp: ubsoft_import_seg_resp,
    live: bool,
}

impl Window {
    /// Imports `len` bytes from a place in a segment of the device with an EID.
    pub fn open(
        ctx: &Context,
        eid: Eid,
        remote: RemoteRange,
        len: u64,
        access: u32,
    ) -> Result<Self> {
        let room = size_of::<ubsoft_import_seg_resp>();
        let mut cmd = Self::open_cmd(eid, remote, len, access, room);
        ctx.run(&mut cmd)?;
        Ok(Window {
            files: ctx.files(),
            handle: cmd.get_u64(UBURMA_IMPORT_SEG_OUT_HANDLE),
            resp: cmd.udata_reply(UBURMA_IMPORT_SEG_IN_UDATA)?,
            live: true,
        })
    }

    /// The command for it, with so many bytes of room for the reply.
    pub fn open_cmd(eid: Eid, remote: RemoteRange, len: u64, access: u32, room: usize) -> Cmd {
        let flag = UBURMA_IMPORT_SEG_FLAG_MAPPING | (access << UBURMA_IMPORT_SEG_FLAG_ACCESS_SHIFT);
        Cmd::new(UBURMA_CMD_IMPORT_SEG)
            .bytes(UBURMA_IMPORT_SEG_IN_EID, &eid.0)
            .u64(UBURMA_IMPORT_SEG_IN_VA, remote.addr)
            .u64(UBURMA_IMPORT_SEG_IN_LEN, len)
            .u32(UBURMA_IMPORT_SEG_IN_FLAG, flag)
            .u32(UBURMA_IMPORT_SEG_IN_TOKEN, remote.token)
            .u32(UBURMA_IMPORT_SEG_IN_TOKEN_ID, remote.token_id)
            .u64(UBURMA_IMPORT_SEG_IN_MVA, 0)
            .udata(
                UBURMA_IMPORT_SEG_IN_UDATA,
                Some(UBURMA_IMPORT_SEG_OUT_UDATA),
                &[],
                room,
            )
            .out(UBURMA_IMPORT_SEG_OUT_HANDLE, 8)
    }

    /// What the driver said.
    pub fn resp(&self) -> &ubsoft_import_seg_resp {
        &self.resp
    }

    /// Maps all of it.
    pub fn map(&self, write: bool) -> Result<Mapping> {
        let how = MapFlags {
            write,
            ..Default::default()
        };
        self.map_part(0, self.resp.mmap_len as usize, how)
    }

    /// Maps a part of it.
    pub fn map_part(&self, offset: u64, len: usize, how: MapFlags) -> Result<Mapping> {
        Mapping::file(self.files.dev(), self.resp.mmap_off + offset, len, how)
    }

    /// Drops the import; it stays when that fails. Mappings fault from then on.
    pub fn close(&mut self) -> Result<()> {
        Cmd::new(UBURMA_CMD_UNIMPORT_SEG)
            .u64(UBURMA_UNIMPORT_SEG_IN_HANDLE, self.handle)
            .run(self.files.dev())?;
        self.live = false;
        Ok(())
    }
}

impl Drop for Window {
    fn drop(&mut self) {
        if self.live {
            let _ = self.close();
        }
    }
}

/// Private data of a segment that is lent.
pub(crate) fn lend_request(lend: bool) -> Vec<u8> {
    let request = ubsoft_seg_req {
        flags: UBSOFT_SEG_LEND,
        reserved: [0; 3],
    };
    if lend {
        sys::bytes_of(&request).to_vec()
    } else {
        Vec::new()
    }
}
