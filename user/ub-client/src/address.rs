// SPDX-License-Identifier: GPL-2.0

//! Network addresses of UB entities.

use std::mem::{offset_of, size_of};
use std::net::IpAddr;
use std::os::fd::RawFd;

use ub_abi::*;

use crate::sys;
use crate::tlv::Cmd;
use crate::{Context, Eid, Error, Result};

/// Bytes of the structure that carries an address.
pub const NET_ADDR_LEN: usize = size_of::<uburma_net_addr>();
/// Bytes of an element of the list of addresses.
pub const NET_ADDR_INFO_LEN: usize = size_of::<uburma_cmd_net_addr_info>();

/// A network address as the kernel reports it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NetAddr {
    /// The address.
    pub ip: IpAddr,
    /// VLAN id, 0 for none.
    pub vlan: u64,
    /// MAC address.
    pub mac: [u8; 6],
    /// Bits of the subnet.
    pub prefix_len: u32,
}

/// The bytes of the structure for an address, all else 0.
pub fn net_addr_bytes(ip: IpAddr) -> [u8; NET_ADDR_LEN] {
    let mut bytes = [0; NET_ADDR_LEN];
    let at = offset_of!(uburma_net_addr, addr);
    let family = match ip {
        IpAddr::V4(ip) => {
            bytes[at..at + 4].copy_from_slice(&ip.octets());
            libc::AF_INET
        }
        IpAddr::V6(ip) => {
            bytes[at..at + 16].copy_from_slice(&ip.octets());
            libc::AF_INET6
        }
    };
    bytes[..2].copy_from_slice(&(family as u16).to_ne_bytes());
    bytes
}

fn parse_ip(family: i32, bytes: &[u8]) -> Result<IpAddr> {
    match family {
        libc::AF_INET => Ok(IpAddr::from(array::<4>(bytes))),
        libc::AF_INET6 => Ok(IpAddr::from(array::<16>(bytes))),
        _ => Err(Error::BadReply(format!("address family {family}"))),
    }
}

/// The first `N` bytes of a value.
fn array<const N: usize>(bytes: &[u8]) -> [u8; N] {
    let mut array = [0; N];
    array.copy_from_slice(&bytes[..N]);
    array
}

/// Reads what both structures have in common, at the same place.
fn parse(ip: IpAddr, bytes: &[u8]) -> NetAddr {
    let mac = offset_of!(uburma_net_addr, mac);
    NetAddr {
        ip,
        vlan: sys::from_bytes(&bytes[offset_of!(uburma_net_addr, vlan)..][..8]),
        mac: array(&bytes[mac..]),
        prefix_len: sys::from_bytes(&bytes[offset_of!(uburma_net_addr, prefix_len)..][..4]),
    }
}

const _: () = {
    assert!(offset_of!(uburma_net_addr, vlan) == offset_of!(uburma_cmd_net_addr, vlan));
    assert!(offset_of!(uburma_net_addr, mac) == offset_of!(uburma_cmd_net_addr, mac));
    assert!(offset_of!(uburma_net_addr, prefix_len) == offset_of!(uburma_cmd_net_addr, prefix_len));
    assert!(offset_of!(uburma_cmd_net_addr_info, netaddr) == 0);
};

/// Reads an element of the list of addresses, and its index.
fn parse_info(bytes: &[u8]) -> Result<(u32, NetAddr)> {
    let at = offset_of!(uburma_cmd_net_addr, net_addr);
    let ip = match sys::from_bytes::<u32>(&bytes[..4]) {
        UBURMA_CMD_NET_ADDR_TYPE_IPV4 => parse_ip(libc::AF_INET, &bytes[at + 12..]),
        UBURMA_CMD_NET_ADDR_TYPE_IPV6 => parse_ip(libc::AF_INET6, &bytes[at..]),
        other => Err(Error::BadReply(format!("address type {other}"))),
    }?;
    let index = offset_of!(uburma_cmd_net_addr_info, index);
    Ok((sys::from_bytes(&bytes[index..index + 4]), parse(ip, bytes)))
}

impl Context {
    /// The command that finds the EID of an address, given as the bytes of the structure.
    pub fn eid_by_ip_cmd(addr: &[u8; NET_ADDR_LEN]) -> Cmd {
        Cmd::new(UBURMA_CMD_GET_EID_BY_IP)
            .bytes(UBURMA_GET_EID_BY_IP_INFO_IN_NET_ADDR, addr)
            .out(UBURMA_GET_EID_BY_IP_INFO_OUT_EID, 16)
    }

    /// The EID of an address.
    pub fn eid_by_ip(&self, ip: IpAddr) -> Result<Eid> {
        let mut cmd = Self::eid_by_ip_cmd(&net_addr_bytes(ip));
        self.run(&mut cmd)?;
        let value = cmd.value(UBURMA_GET_EID_BY_IP_INFO_OUT_EID);
        Ok(Eid(array(&value)))
    }

    /// The command that finds the address of an EID.
    pub fn ip_by_eid_cmd(eid: &Eid) -> Cmd {
        Cmd::new(UBURMA_CMD_GET_IP_BY_EID)
            .bytes(UBURMA_GET_IP_BY_EID_INFO_IN_EID, &eid.0)
            .out(UBURMA_GET_IP_BY_EID_INFO_OUT_NET_ADDR, NET_ADDR_LEN)
    }

    /// The address of an EID.
    pub fn ip_by_eid(&self, eid: &Eid) -> Result<NetAddr> {
        let mut cmd = Self::ip_by_eid_cmd(eid);
        self.run(&mut cmd)?;
        let value = cmd.value(UBURMA_GET_IP_BY_EID_INFO_OUT_NET_ADDR);
        let family: u16 = sys::from_bytes(&value[..2]);
        let at = offset_of!(uburma_net_addr, addr);
        let ip = parse_ip(i32::from(family), &value[at..])?;
        Ok(parse(ip, &value))
    }

    /// The MAC address of the device.
    pub fn smac(&self) -> Result<[u8; 6]> {
        let mut cmd = Cmd::new(UBURMA_CMD_GET_SMAC).out(UBURMA_GET_SMAC_OUT_MAC, 6);
        self.run(&mut cmd)?;
        Ok(array(&cmd.value(UBURMA_GET_SMAC_OUT_MAC)))
    }

    /// The command that finds the MAC address of a peer, given as the bytes of the structure.
    pub fn dmac_cmd(addr: &[u8; NET_ADDR_LEN]) -> Cmd {
        Cmd::new(UBURMA_CMD_GET_DMAC)
            .bytes(UBURMA_GET_DMAC_IN_NET_ADDR, addr)
            .out(UBURMA_GET_DMAC_OUT_MAC, 6)
    }

    /// The MAC address of the peer that has an address.
    pub fn dmac(&self, ip: IpAddr) -> Result<[u8; 6]> {
        let mut cmd = Self::dmac_cmd(&net_addr_bytes(ip));
        self.run(&mut cmd)?;
        Ok(array(&cmd.value(UBURMA_GET_DMAC_OUT_MAC)))
    }

    /// The command that lists addresses: at most `max`, with room for `room`.
    pub fn net_addrs_cmd(max: u32, room: u32) -> Cmd {
        Cmd::new(UBURMA_CMD_GET_NETADDR_LIST)
            .u32(UBURMA_GET_NET_ADDR_LIST_IN_MAX_NETADDR_CNT, max)
            .out(UBURMA_GET_NET_ADDR_LIST_OUT_NETADDR_CNT, 4)
            .out_strided(
                UBURMA_GET_NET_ADDR_LIST_OUT_NETADDR_LIST,
                NET_ADDR_INFO_LEN,
                room,
                NET_ADDR_INFO_LEN as u32,
            )
    }

    /// Indices and addresses of the device, at most `max`.
    pub fn net_addrs(&self, max: u32) -> Result<Vec<(u32, NetAddr)>> {
        let mut cmd = Self::net_addrs_cmd(max, max);
        self.run(&mut cmd)?;
        let count = cmd.get_u32(UBURMA_GET_NET_ADDR_LIST_OUT_NETADDR_CNT);
        if count > max {
            return Err(Error::BadReply(format!("{count} addresses of {max}")));
        }
        cmd.value(UBURMA_GET_NET_ADDR_LIST_OUT_NETADDR_LIST)
            .chunks_exact(NET_ADDR_INFO_LEN)
            .take(count as usize)
            .map(parse_info)
            .collect()
    }

    /// How many completion event channels the device of an open file has, and how many open files
    /// have more than `threshold` of them.
    pub fn jfce_count(fd: RawFd, threshold: u32) -> Result<(u64, u64)> {
        let mut cmd = Cmd::new(UBURMA_CMD_GET_JFCE_CNT)
            .u32(UBURMA_GET_JFCE_CNT_IN_THRESHOLD, threshold)
            .out(UBURMA_GET_JFCE_CNT_OUT_JFCE_TOTAL_CNT, 8)
            .out(UBURMA_GET_JFCE_CNT_OUT_JFCE_THRESH_CNT, 8);
        cmd.run(fd)?;
        Ok((
            cmd.get_u64(UBURMA_GET_JFCE_CNT_OUT_JFCE_TOTAL_CNT),
            cmd.get_u64(UBURMA_GET_JFCE_CNT_OUT_JFCE_THRESH_CNT),
        ))
    }
}
