// SPDX-License-Identifier: GPL-2.0

//! Commands that are laid out once and carried out many times: what counts is the kernel's part.

use std::os::fd::RawFd;

use ub_client::abi::{uburma_cmd_attr, uburma_cmd_hdr, IOC_CMD};
use ub_client::tlv::{Cmd, Place};
use ub_client::{sys, Error, Result};

/// A command with its header and attributes.
pub struct Raw {
    /// Owns the values.
    _cmd: Cmd,
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
            _cmd: cmd,
            records,
            header,
        }
    }

    /// Lays out the command that takes back what this one makes: its input `to` is where this
    /// one's output `from` is.
    pub fn undo(&self, mut cmd: Cmd, number: u32, from: u32, to: u32) -> Self {
        cmd.attr_mut(to).place = Place::Address(self.place(from));
        Raw::new(cmd, number)
    }

    /// Carries it out on a device file.
    pub fn run(&self, fd: RawFd) -> Result<()> {
        sys::ioctl(fd, IOC_CMD, &raw const self.header as u64)
            .map(|_| ())
            .map_err(|errno| Error::sys(&format!("command {}", self.header.command), errno))
    }

    /// The address of the value of an attribute, which stays; 0 if there is none.
    pub fn place(&self, id: u32) -> u64 {
        let mut records = self.records.iter();
        let record = records.find(|record| u32::from(record.type_) == id);
        record.map_or(0, |record| record.data)
    }
}
