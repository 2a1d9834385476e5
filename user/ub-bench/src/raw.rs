// SPDX-License-Identifier: GPL-2.0

//! Commands that are laid out once and carried out many times: what counts is the kernel's part.

use std::os::fd::RawFd;

use ub_client::abi::{uburma_cmd_attr, uburma_cmd_hdr, IOC_CMD};
use ub_client::tlv::{Cmd, Place};
use ub_client::{sys, Error, Result};

/// A command with its header and attributes.
pub struct Raw {
    cmd: Cmd,
    records: Vec<uburma_cmd_attr>,
    header: uburma_cmd_hdr,
}

impl Raw {
    /// Lays out a command.
    pub fn new(mut cmd: Cmd, number: u32) -> Self {
        let records = cmd.records();
        let header = uburma_cmd_hdr {
            command: number,
            args_len: size_of_val(records.as_slice()) as u32,
            args_addr: records.as_ptr() as u64,
        };
        Raw {
            cmd,
            records,
            header,
        }
    }

    /// Lays out the command that takes back what this one makes: its input `to` is where this
    /// one's output `from` is.
    pub fn undo(&self, mut cmd: Cmd, number: u32, from: u32, to: u32) -> Self {
        let made = self
            .records
            .iter()
            .find(|record| record.type_ as u32 == from);
        let address = made.map_or(0, |record| record.data);
        cmd.attr_mut(to).place = Place::Address(address);
        Raw::new(cmd, number)
    }

    /// Carries it out on a device file.
    pub fn run(&self, fd: RawFd) -> Result<()> {
        sys::ioctl(fd, IOC_CMD, &raw const self.header as u64)
            .map(|_| ())
            .map_err(|errno| Error::sys(&format!("command {}", self.header.command), errno))
    }

    /// The command with what the kernel has written.
    pub fn cmd(&self) -> &Cmd {
        &self.cmd
    }
}
