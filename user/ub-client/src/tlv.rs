// SPDX-License-Identifier: GPL-2.0

//! Commands of the uburma devices: a header that points at an array of attribute
//! records, which point at values.
//!
//! A [`Cmd`] owns the memory of all values. Tests may change each part of it into
//! something malformed before it is run.

use std::mem::size_of;
use std::os::fd::RawFd;

use ub_abi::{
    uburma_cmd_attr, uburma_cmd_hdr, uburma_udata, IOC_CMD, IOC_EVENT, UBURMA_ATTR_EL_NUM_MASK,
    UBURMA_ATTR_EL_SIZE_MASK, UBURMA_ATTR_EL_SIZE_SHIFT,
};

use crate::sys::{self, LowMemory, Pod};
use crate::{Error, Result};

/// Where the value of an attribute lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// In the memory of the command, at this offset in bytes.
    Own(usize),
    /// At this address, whatever it is.
    Address(u64),
}

/// An attribute record before it gets its address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Attr {
    /// Attribute id.
    pub id: u8,
    /// The flag byte, 0.
    pub flag: u8,
    /// Bytes of an element.
    pub field_size: u16,
    /// Number and stride of the elements, packed as on the wire.
    pub el_info: u32,
    /// Where the value lies.
    pub place: Place,
}

impl Attr {
    /// An attribute of one element.
    pub fn single(id: u32, size: usize, place: Place) -> Self {
        Attr {
            id: id as u8,
            flag: 0,
            field_size: size as u16,
            el_info: 1,
            place,
        }
    }
}

/// Packs number and stride of elements.
pub fn el_info(count: u32, stride: u32) -> u32 {
    (count & UBURMA_ATTR_EL_NUM_MASK)
        | ((stride << UBURMA_ATTR_EL_SIZE_SHIFT) & UBURMA_ATTR_EL_SIZE_MASK)
}

/// A command under construction, and after [`Cmd::run`] its reply.
#[derive(Debug, Clone)]
pub struct Cmd {
    command: u32,
    attrs: Vec<Attr>,
    /// The values, each at a multiple of 8 bytes.
    memory: Vec<u64>,
    /// Words of `memory` that get the address of another offset of it: (word, offset).
    links: Vec<(usize, usize)>,
    args_len: Option<u32>,
    args_addr: Option<u64>,
}

impl Cmd {
    /// A command without attributes.
    pub fn new(command: u32) -> Self {
        Cmd {
            command,
            attrs: Vec::with_capacity(32),
            memory: Vec::with_capacity(96),
            links: Vec::new(),
            args_len: None,
            args_addr: None,
        }
    }

    /// Reserves zeroed memory; returns its offset.
    fn reserve(&mut self, len: usize) -> usize {
        let offset = self.memory.len() * 8;
        self.memory
            .resize(self.memory.len() + len.div_ceil(8).max(1), 0);
        offset
    }

    fn put(&mut self, data: &[u8]) -> usize {
        let offset = self.reserve(data.len());
        for (i, chunk) in data.chunks(8).enumerate() {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.memory[offset / 8 + i] = u64::from_ne_bytes(word);
        }
        offset
    }

    /// An input of these bytes.
    pub fn bytes(mut self, id: u32, data: &[u8]) -> Self {
        let offset = self.put(data);
        self.attrs
            .push(Attr::single(id, data.len(), Place::Own(offset)));
        self
    }

    /// An input of 8 bits.
    pub fn u8(self, id: u32, value: u8) -> Self {
        self.bytes(id, &[value])
    }

    /// An input of 16 bits.
    pub fn u16(self, id: u32, value: u16) -> Self {
        self.bytes(id, &value.to_ne_bytes())
    }

    /// An input of 32 bits.
    pub fn u32(self, id: u32, value: u32) -> Self {
        self.bytes(id, &value.to_ne_bytes())
    }

    /// An input of 32 bits with a sign.
    pub fn i32(self, id: u32, value: i32) -> Self {
        self.bytes(id, &value.to_ne_bytes())
    }

    /// An input of 64 bits.
    pub fn u64(self, id: u32, value: u64) -> Self {
        self.bytes(id, &value.to_ne_bytes())
    }

    /// An input of 64 bits that is the address of these bytes.
    pub fn pointer(mut self, id: u32, data: &[u8]) -> Self {
        let target = self.put(data);
        let at = self.reserve(8);
        self.links.push((at / 8, target));
        self.add(Attr::single(id, 8, Place::Own(at)));
        self
    }

    /// The bytes that a [`Cmd::pointer`] leads to.
    pub fn pointed(&self, id: u32, len: usize) -> Result<Vec<u8>> {
        let at = self.own_offset(id)?;
        let link = self.links.iter().find(|(word, _)| *word == at / 8);
        let (_, target) =
            link.ok_or_else(|| Error::BadReply(format!("attribute {id:#x} is no pointer")))?;
        Ok(self.copy(*target, len))
    }

    /// An output of one element of this size.
    pub fn out(mut self, id: u32, size: usize) -> Self {
        let offset = self.reserve(size);
        self.add(Attr::single(id, size, Place::Own(offset)));
        self
    }

    /// An output of `count` elements of `size` bytes, `stride` bytes apart.
    pub fn out_strided(mut self, id: u32, size: usize, count: u32, stride: u32) -> Self {
        let offset = self.reserve(count as usize * stride as usize);
        self.add(Attr {
            el_info: el_info(count, stride),
            ..Attr::single(id, size, Place::Own(offset))
        });
        self
    }

    /// Private data of the driver: a request, room for a reply, and the attributes that
    /// carry them, which share one structure.
    pub fn udata(mut self, in_id: u32, out_id: Option<u32>, request: &[u8], room: usize) -> Self {
        let req = self.put(request);
        let resp = self.reserve(room);
        let data = uburma_udata {
            in_len: request.len() as u32,
            out_len: room as u32,
            ..Default::default()
        };
        let at = self.put(sys::bytes_of(&data));
        if !request.is_empty() {
            self.links.push((at / 8, req));
        }
        if room != 0 {
            self.links.push((at / 8 + 2, resp));
        }
        let size = size_of::<uburma_udata>();
        self.add(Attr::single(in_id, size, Place::Own(at)));
        if let Some(out_id) = out_id {
            self.add(Attr::single(out_id, size, Place::Own(at)));
        }
        self
    }

    /// The reply of the driver, whose udata attribute is `in_id`.
    pub fn udata_reply<T: Pod>(&self, in_id: u32) -> Result<T> {
        let at = self.own_offset(in_id)?;
        let (_, offset) = self
            .links
            .iter()
            .find(|(word, _)| *word == at / 8 + 2)
            .ok_or_else(|| Error::BadReply("no room for the driver's reply".to_string()))?;
        Ok(sys::from_bytes(&self.copy(*offset, size_of::<T>())))
    }

    /// Adds an attribute; they are in the order of their ids, which the kernel reads fastest, and
    /// those of the same id in the order in which they were added.
    fn add(&mut self, attr: Attr) {
        let before = self.attrs.iter().rposition(|other| other.id <= attr.id);
        self.attrs.insert(before.map_or(0, |at| at + 1), attr);
    }

    /// Runs it on a device file.
    pub fn run(&mut self, fd: RawFd) -> Result<()> {
        self.run_as(fd, IOC_CMD)
    }

    /// Runs it on an event file.
    pub fn run_event(&mut self, fd: RawFd) -> Result<()> {
        self.run_as(fd, IOC_EVENT)
    }

    /// Runs it with an ioctl number of the caller's choice.
    pub fn run_as(&mut self, fd: RawFd, request: u64) -> Result<()> {
        self.run_sys(|header| sys::ioctl(fd, request, header as *const _ as u64))
    }

    /// Runs it as a 32-bit process does: the header lies in memory below 4 GiB.
    pub fn run_compat(&mut self, fd: RawFd, request: u64, low: &LowMemory) -> Result<()> {
        self.run_sys(|header| {
            low.write(0, sys::bytes_of(header));
            sys::ioctl_compat(fd, request as u32, low.addr() as u32)
        })
    }

    /// Runs it by a function that makes the system call.
    fn run_sys(
        &mut self,
        call: impl FnOnce(&uburma_cmd_hdr) -> std::result::Result<i32, i32>,
    ) -> Result<()> {
        self.run_by(call)
            .map(|_| ())
            .map_err(|errno| Error::sys(&format!("command {}", self.command), errno))
    }

    /// Calls a function that makes the system call with this header, and gives its result.
    pub fn run_by<R>(&mut self, call: impl FnOnce(&uburma_cmd_hdr) -> R) -> R {
        let records = self.records();
        let header = uburma_cmd_hdr {
            command: self.command,
            args_len: self
                .args_len
                .unwrap_or((records.len() * size_of::<uburma_cmd_attr>()) as u32),
            args_addr: self.args_addr.unwrap_or(records.as_ptr() as u64),
        };
        call(&header)
    }

    /// The attribute records, with addresses; valid while `self` is not changed.
    pub fn records(&mut self) -> Vec<uburma_cmd_attr> {
        let base = self.memory.as_mut_ptr() as u64;
        for (word, offset) in &self.links {
            self.memory[*word] = base + *offset as u64;
        }
        self.attrs
            .iter()
            .map(|attr| uburma_cmd_attr {
                type_: attr.id,
                flag: attr.flag,
                field_size: attr.field_size,
                el_info: attr.el_info,
                data: match attr.place {
                    Place::Own(offset) => base + offset as u64,
                    Place::Address(address) => address,
                },
            })
            .collect()
    }

    fn own_offset(&self, id: u32) -> Result<usize> {
        match self.attr(id).map(|attr| attr.place) {
            Some(Place::Own(offset)) => Ok(offset),
            _ => Err(Error::BadReply(format!("attribute {id:#x} has no value"))),
        }
    }

    fn copy(&self, offset: usize, len: usize) -> Vec<u8> {
        let words = &self.memory[offset / 8..];
        let mut bytes: Vec<u8> = words
            .iter()
            .take(len.div_ceil(8))
            .flat_map(|word| word.to_ne_bytes())
            .collect();
        bytes.truncate(len);
        bytes
    }

    /// The bytes of an attribute's value, of all its elements.
    pub fn value(&self, id: u32) -> Vec<u8> {
        let Some(attr) = self.attr(id) else {
            return Vec::new();
        };
        let Place::Own(offset) = attr.place else {
            return Vec::new();
        };
        let stride = (attr.el_info & UBURMA_ATTR_EL_SIZE_MASK) >> UBURMA_ATTR_EL_SIZE_SHIFT;
        let count = attr.el_info & UBURMA_ATTR_EL_NUM_MASK;
        let len = if stride == 0 {
            attr.field_size as usize
        } else {
            stride as usize * count as usize
        };
        self.copy(offset, len)
    }

    /// An output of 8 bits; 0 if there is none.
    pub fn get_u8(&self, id: u32) -> u8 {
        sys::from_bytes(&self.value(id))
    }

    /// An output of 16 bits; 0 if there is none.
    pub fn get_u16(&self, id: u32) -> u16 {
        sys::from_bytes(&self.value(id))
    }

    /// An output of 32 bits; 0 if there is none.
    pub fn get_u32(&self, id: u32) -> u32 {
        sys::from_bytes(&self.value(id))
    }

    /// An output of 32 bits with a sign; 0 if there is none.
    pub fn get_i32(&self, id: u32) -> i32 {
        sys::from_bytes(&self.value(id))
    }

    /// An output of 64 bits; 0 if there is none.
    pub fn get_u64(&self, id: u32) -> u64 {
        sys::from_bytes(&self.value(id))
    }

    /// The attributes, in wire order.
    pub fn attrs(&self) -> &[Attr] {
        &self.attrs
    }

    /// The attributes, to be tampered with.
    pub fn attrs_mut(&mut self) -> &mut Vec<Attr> {
        &mut self.attrs
    }

    /// The first attribute of an id.
    pub fn attr(&self, id: u32) -> Option<&Attr> {
        self.attrs.iter().find(|attr| u32::from(attr.id) == id)
    }

    /// The first attribute of an id, to be tampered with.
    ///
    /// Panics if there is none: a test that means to change one must not pass.
    pub fn attr_mut(&mut self, id: u32) -> &mut Attr {
        self.attrs
            .iter_mut()
            .find(|attr| u32::from(attr.id) == id)
            .expect("the command has no such attribute")
    }

    /// Without the attributes of an id.
    pub fn without(mut self, id: u32) -> Self {
        self.attrs.retain(|attr| u32::from(attr.id) != id);
        self
    }

    /// Presets the value of an attribute, outputs too.
    pub fn preset(&mut self, id: u32, byte: u8) {
        let Some(Attr {
            place: Place::Own(offset),
            field_size,
            ..
        }) = self.attr(id).copied()
        else {
            return;
        };
        let words = usize::from(field_size).div_ceil(8).max(1);
        self.memory[offset / 8..offset / 8 + words].fill(u64::from_ne_bytes([byte; 8]));
    }

    /// Replaces the command number.
    pub fn set_command(&mut self, command: u32) {
        self.command = command;
    }

    /// Lies about the length of the attribute array.
    pub fn set_args_len(&mut self, len: u32) {
        self.args_len = Some(len);
    }

    /// Lies about the address of the attribute array.
    pub fn set_args_addr(&mut self, addr: u64) {
        self.args_addr = Some(addr);
    }

    /// The command number.
    pub fn command(&self) -> u32 {
        self.command
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ub_abi::*;

    #[test]
    fn worked_example_create_jfce() {
        let mut cmd = Cmd::new(UBURMA_CMD_CREATE_JFCE).out(UBURMA_CREATE_JFCE_OUT_FD, 4);
        let records = cmd.records();
        assert_eq!(records.len(), 1);
        let bytes = sys::bytes_of(&records[0]);
        assert_eq!(&bytes[..8], &[0x80, 0, 4, 0, 1, 0, 0, 0]);
        assert_ne!(records[0].data, 0);
    }

    #[test]
    fn values_lie_where_the_records_say() {
        let mut cmd = Cmd::new(1).u8(0, 7).u32(1, 0xdead_beef).u64(2, 1 << 40);
        let records = cmd.records();
        assert_eq!(records[1].data - records[0].data, 8);
        assert_eq!(records[2].data - records[1].data, 8);
        assert_eq!(cmd.get_u8(0), 7);
        assert_eq!(cmd.get_u32(1), 0xdead_beef);
        assert_eq!(cmd.get_u64(2), 1 << 40);
    }

    #[test]
    fn udata_points_at_request_and_reply() {
        let mut cmd = Cmd::new(1).udata(2, Some(0x81), &[1, 2, 3], 64);
        let records = cmd.records();
        assert_eq!(records[0].data, records[1].data);
        assert_eq!(records[0].field_size, 32);
        let data: uburma_udata = sys::from_bytes(&cmd.value(2));
        assert_eq!(data.in_len, 3);
        assert_eq!(data.out_len, 64);
        assert_eq!(data.out_addr - data.in_addr, 8);
        let reply: ubsoft_ctx_resp = cmd.udata_reply(2).unwrap();
        assert_eq!(reply.abi_version, 0);
    }

    #[test]
    fn empty_udata_has_no_addresses() {
        let mut cmd = Cmd::new(1).udata(2, None, &[], 0);
        cmd.records();
        let data: uburma_udata = sys::from_bytes(&cmd.value(2));
        assert_eq!((data.in_addr, data.out_addr), (0, 0));
        assert!(cmd.udata_reply::<u64>(2).is_err());
    }

    #[test]
    fn strided_outputs() {
        let cmd = Cmd::new(UBURMA_CMD_QUERY_DEV_ATTR).out_strided(0xa5, 4, 8, 20);
        let attr = cmd.attr(0xa5).unwrap();
        assert_eq!(attr.el_info, 8 | (20 << 12));
        assert_eq!(cmd.value(0xa5).len(), 160);
    }

    #[test]
    fn tampering_reaches_the_record() {
        let mut cmd = Cmd::new(1).u32(1, 5).out(0x80, 8);
        cmd.attr_mut(1).field_size = 3;
        cmd.attr_mut(0x80).place = Place::Address(16);
        cmd.attrs_mut().reverse();
        let records = cmd.records();
        assert_eq!(records[0].type_, 0x80);
        assert_eq!(records[0].data, 16);
        assert_eq!(records[1].field_size, 3);
        let shorter = cmd.without(1);
        assert_eq!(shorter.attrs().len(), 1);
    }
}
