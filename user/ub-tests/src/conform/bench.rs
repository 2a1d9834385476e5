// SPDX-License-Identifier: GPL-2.0

//! The memory that a command works on: a slot for each value between guards, pages with
//! an end, pages that cannot be written.

use ub_client::abi::*;
use ub_client::sys::{self, LowMemory, Mapping};

use super::table::{Attr, Command, Kind};
use crate::Failure;

/// Values that outputs have before the call.
pub const POISONS: [u8; 2] = [0xcc, 0x33];

/// Values of inputs, by attribute id; what is not named is zero.
pub type Inputs = Vec<(u32, Vec<u8>)>;

/// Bytes around each value that nobody may touch.
const GUARD: usize = 64;
const PAGE: usize = 4096;
/// Accessible bytes before an end; more than the largest value.
const EDGE: usize = 8 * PAGE;
/// Room for all values of a command.
const ARENA: usize = 16 * PAGE;
/// Where the driver's request and reply lie, and what recipes use.
const REPLY: usize = PAGE / 2;
const REPLY_LEN: u32 = 64;
/// Bytes of the memory beside the values, of which recipes may use the upper half.
const SIDE: usize = 2 * PAGE;

/// An attribute record that is to be written.
#[derive(Debug, Clone, Copy)]
pub struct Record {
    /// Attribute id.
    pub id: u8,
    /// Flag byte.
    pub flag: u8,
    /// Bytes of an element.
    pub size: u16,
    /// Number of elements.
    pub count: u16,
    /// Distance of elements.
    pub stride: u16,
    /// Reserved byte.
    pub reserved: u8,
    /// Address of the value.
    pub addr: u64,
}

impl Record {
    fn bytes(&self) -> [u8; 16] {
        let info = u32::from(self.count) & 0xfff
            | (u32::from(self.stride) & 0xfff) << 12
            | u32::from(self.reserved) << 24;
        let mut bytes = [0; 16];
        bytes[0] = self.id;
        bytes[1] = self.flag;
        bytes[2..4].copy_from_slice(&self.size.to_ne_bytes());
        bytes[4..8].copy_from_slice(&info.to_ne_bytes());
        bytes[8..].copy_from_slice(&self.addr.to_ne_bytes());
        bytes
    }
}

/// A system call that is to be made.
#[derive(Debug, Clone)]
pub struct Frame {
    /// The file.
    pub fd: i32,
    /// Number of the ioctl.
    pub request: u64,
    /// Number of the command.
    pub number: u32,
    /// The attributes.
    pub records: Vec<Record>,
    /// Length of the array, if it is a lie.
    pub args_len: Option<u32>,
    /// Address of the array, if it is not where it should be.
    pub args_addr: Option<u64>,
    /// Address of the header, if it is not where it should be.
    pub header_addr: Option<u64>,
    /// By the entry of 32-bit processes.
    pub compat: bool,
}

/// The memory.
pub struct Bench {
    arena: Mapping,
    edge: Mapping,
    array: Mapping,
    head: Mapping,
    low: LowMemory,
    read_only: Mapping,
    nothing: Mapping,
    side: Mapping,
    slots: Vec<usize>,
}

fn with_edge(len: usize) -> Result<Mapping, Failure> {
    let mapping = Mapping::anonymous(len + PAGE)?;
    mapping.protect_from(len)?;
    Ok(mapping)
}

impl Bench {
    /// For a command.
    pub fn new(command: &Command) -> Result<Self, Failure> {
        let mut at = GUARD;
        let mut slots = Vec::new();
        for attr in command.attrs {
            slots.push(at);
            at += attr.len().next_multiple_of(8) + GUARD;
        }
        if at > ARENA {
            return Err(Failure::Fail(format!("{} needs more memory", command.name)));
        }
        Ok(Bench {
            arena: Mapping::anonymous(ARENA)?,
            edge: with_edge(EDGE)?,
            array: with_edge(PAGE)?,
            head: with_edge(PAGE)?,
            low: LowMemory::new(2 * PAGE)?,
            read_only: Mapping::read_only(EDGE)?,
            nothing: Mapping::inaccessible(EDGE)?,
            side: Mapping::anonymous(SIDE)?,
            slots,
        })
    }

    /// Address of the value of the attribute at a position.
    pub fn slot(&self, position: usize) -> u64 {
        self.arena.addr() + self.slots[position] as u64
    }

    /// Address past the last byte of accessible memory.
    pub fn edge(&self) -> u64 {
        self.edge.addr() + EDGE as u64
    }

    /// Address of memory that may be read only.
    pub fn read_only(&self) -> u64 {
        self.read_only.addr()
    }

    /// Address of memory that may not be accessed.
    pub fn nothing(&self) -> u64 {
        self.nothing.addr()
    }

    /// Address past the last byte that the array of attributes may have.
    pub fn array_end(&self) -> u64 {
        self.array.addr() + PAGE as u64
    }

    /// Address past the last byte that the header may have.
    pub fn head_end(&self) -> u64 {
        self.head.addr() + PAGE as u64
    }

    /// Private data of the driver as it should be: nothing to read, room for a reply.
    pub fn udata(&self) -> Vec<u8> {
        let data = uburma_udata {
            out_addr: self.side.addr() + REPLY as u64,
            out_len: REPLY_LEN,
            ..Default::default()
        };
        sys::bytes_of(&data).to_vec()
    }

    /// Value of the input at a position.
    pub fn input(&self, attr: &Attr, inputs: &Inputs) -> Vec<u8> {
        match inputs.iter().find(|(id, _)| *id == u32::from(attr.id)) {
            Some((_, value)) => value.clone(),
            None if attr.kind == Kind::Udata => self.udata(),
            None => vec![0; attr.len()],
        }
    }

    /// Puts the values of inputs in place, and poison everywhere else.
    pub fn load(&self, command: &Command, inputs: &Inputs, poison: u8) -> Result<(), Failure> {
        for (position, attr) in command.attrs.iter().enumerate() {
            let slot = self.slots[position];
            self.arena.fill(
                slot - GUARD,
                attr.len().next_multiple_of(8) + 2 * GUARD,
                poison,
            );
            if !attr.input {
                continue;
            }
            let value = self.input(attr, inputs);
            if value.len() != attr.len() {
                let text = format!("recipe: {} has {} bytes", attr.name, value.len());
                return Err(Failure::Fail(text));
            }
            self.arena.write(slot, &value);
        }
        Ok(())
    }

    /// Changes the value of the attribute at a position.
    pub fn set(&self, position: usize, value: &[u8]) {
        self.arena.write(self.slots[position], value);
    }

    /// The value of the attribute at a position.
    pub fn value(&self, position: usize, len: usize) -> Vec<u8> {
        self.arena.bytes(self.slots[position], len)
    }

    /// The guards and the value of the attribute at a position.
    pub fn surroundings(&self, position: usize, attr: &Attr) -> (Vec<u8>, Vec<u8>, Vec<u8>) {
        let slot = self.slots[position];
        let len = attr.len();
        (
            self.arena.bytes(slot - GUARD, GUARD),
            self.arena.bytes(slot, len),
            self.arena.bytes(slot + len, GUARD),
        )
    }

    /// Copies bytes to the pages with an end.
    pub fn put_at_edge(&self, addr: u64, bytes: &[u8]) {
        let start = (addr - self.edge.addr()) as usize;
        let room = EDGE.saturating_sub(start);
        self.edge.write(start, &bytes[..bytes.len().min(room)]);
    }

    /// Bytes at an address of this memory that holds values.
    pub fn read(&self, addr: u64, len: usize) -> Option<Vec<u8>> {
        for (mapping, size) in [(&self.arena, ARENA), (&self.edge, EDGE)] {
            let offset = addr.wrapping_sub(mapping.addr());
            if offset < size as u64 && offset as usize + len <= size {
                return Some(mapping.bytes(offset as usize, len));
            }
        }
        None
    }

    /// A command as it should be.
    pub fn frame(&self, command: &Command, fd: i32) -> Frame {
        let records = command
            .attrs
            .iter()
            .enumerate()
            .map(|(position, attr)| Record {
                id: attr.id,
                flag: 0,
                size: attr.size,
                count: attr.count,
                stride: attr.stride,
                reserved: 0,
                addr: self.slot(position),
            });
        Frame {
            fd,
            request: if command.event { IOC_EVENT } else { IOC_CMD },
            number: command.number,
            records: records.collect(),
            args_len: None,
            args_addr: None,
            header_addr: None,
            compat: false,
        }
    }

    /// Makes the call; returns the errno, or 0.
    pub fn call(&self, frame: &Frame) -> i32 {
        let mut array = Vec::with_capacity(16 * frame.records.len());
        for record in &frame.records {
            array.extend_from_slice(&record.bytes());
        }
        let args_addr = frame.args_addr.unwrap_or(self.array.addr());
        write_within(&self.array, args_addr, &array);
        let header = uburma_cmd_hdr {
            command: frame.number,
            args_len: frame.args_len.unwrap_or(array.len() as u32),
            args_addr,
        };
        let header_addr = frame.header_addr.unwrap_or(self.low.addr());
        write_within(&self.head, header_addr, sys::bytes_of(&header));
        self.low.write(0, sys::bytes_of(&header));
        let done = if frame.compat {
            sys::ioctl_compat(frame.fd, frame.request as u32, header_addr as u32)
        } else {
            sys::ioctl(frame.fd, frame.request, header_addr)
        };
        match done {
            Ok(0) => 0,
            Ok(_) => -1,
            Err(errno) => errno,
        }
    }
}

/// Writes what fits into the first page of a mapping, if the address lies in it.
fn write_within(mapping: &Mapping, addr: u64, bytes: &[u8]) {
    let start = addr.wrapping_sub(mapping.addr());
    if start < PAGE as u64 {
        let start = start as usize;
        mapping.write(start, &bytes[..bytes.len().min(PAGE - start)]);
    }
}
