// SPDX-License-Identifier: GPL-2.0

//! Attributes of a device.

use std::mem::{offset_of, size_of};
use std::os::fd::RawFd;

use ub_abi::*;

use crate::tlv::Cmd;
use crate::{Device, Result};

/// Reply to UBURMA_CMD_QUERY_DEV_ATTR.
#[derive(Debug)]
pub struct DevAttr(Cmd);

/// Size of each output that is one element.
fn size_of_output(id: u32) -> usize {
    match id {
        UBURMA_QUERY_DEVICE_OUT_GUID => 16,
        UBURMA_QUERY_DEVICE_OUT_DEV_CAP_MAX_MSG_SIZE
        | UBURMA_QUERY_DEVICE_OUT_DEV_CAP_PAGE_SIZE_CAP => 8,
        UBURMA_QUERY_DEVICE_OUT_DEV_CAP_TRANS_MODE
        | UBURMA_QUERY_DEVICE_OUT_DEV_CAP_RESERVED
        | UBURMA_QUERY_DEVICE_OUT_DEV_CAP_CONGESTION_CTRL_ALG => 2,
        UBURMA_QUERY_DEVICE_OUT_PORT_CNT => 1,
        UBURMA_QUERY_DEVICE_OUT_DEV_CAP_PRIORITY_INFO => {
            size_of::<uburma_sl_info>() * UBURMA_MAX_PRIORITY_CNT as usize
        }
        _ => 4,
    }
}

fn is_port(id: u32) -> bool {
    (UBURMA_QUERY_DEVICE_OUT_PORT_ATTR_MAX_MTU..=UBURMA_QUERY_DEVICE_OUT_PORT_ATTR_ACTIVE_MTU)
        .contains(&id)
}

impl DevAttr {
    /// The command, with all outputs.
    pub fn cmd(name: &str) -> Cmd {
        let mut field = [0; UBURMA_MAX_DEV_NAME as usize];
        let len = name.len().min(field.len());
        field[..len].copy_from_slice(&name.as_bytes()[..len]);
        let mut cmd =
            Cmd::new(UBURMA_CMD_QUERY_DEV_ATTR).bytes(UBURMA_QUERY_DEVICE_IN_DEV_NAME, &field);
        let ids = UBURMA_QUERY_DEVICE_OUT_GUID..=UBURMA_QUERY_DEVICE_OUT_DEV_CAP_PRIORITY_INFO;
        for id in ids {
            cmd = if is_port(id) {
                let stride = size_of::<uburma_port_attr>() as u32;
                cmd.out_strided(id, 4, UBURMA_MAX_PORT_CNT, stride)
            } else {
                cmd.out(id, size_of_output(id))
            };
        }
        cmd
    }

    /// Asks an open file, with or without a context.
    pub fn query(fd: RawFd, device: &Device) -> Result<Self> {
        let mut cmd = Self::cmd(&device.name);
        cmd.run(fd)?;
        Ok(DevAttr(cmd))
    }

    /// A number of the reply, whatever its width.
    pub fn number(&self, id: u32) -> u64 {
        match size_of_output(id) {
            1 => u64::from(self.0.get_u8(id)),
            2 => u64::from(self.0.get_u16(id)),
            4 => u64::from(self.0.get_u32(id)),
            _ => self.0.get_u64(id),
        }
    }

    /// The bytes of an output.
    pub fn value(&self, id: u32) -> Vec<u8> {
        self.0.value(id)
    }

    /// A member of the attributes of a port.
    pub fn port(&self, id: u32, port: usize) -> u32 {
        let value = self.0.value(id);
        let at = port * size_of::<uburma_port_attr>();
        crate::sys::from_bytes(&value[at..at + 4])
    }
}

// Each port attribute is written at the start of its own stride.
const _: () = assert!(offset_of!(uburma_port_attr, max_mtu) == 0);
