// SPDX-License-Identifier: GPL-2.0

//! Network addresses of the C contract.

use crate::{
    bindings_ub as b,
    logic::net_addr::{
        IpAddr,
        NetAddr, //
    }, //
};
use kernel::prelude::*;

// A union of 16 bytes, as an array.
const _: () = assert!(size_of::<b::ubcore_net_addr_union>() == 16);

/// Reads a C address.
///
/// # Errors
///
/// `EINVAL` for what is neither IPv4 nor IPv6.
pub(crate) fn from_raw(raw: &b::ubcore_net_addr) -> Result<NetAddr> {
    // SAFETY: Sixteen initialised bytes, of which every value is valid.
    let bytes = unsafe {
        core::ptr::from_ref(&raw.net_addr)
            .cast::<[u8; 16]>()
            .read_unaligned()
    };
    let ip = match raw.type_ {
        b::UBCORE_NET_ADDR_TYPE_IPV4 => {
            let [.., m, n, o, p] = bytes;
            IpAddr::V4([m, n, o, p])
        }
        b::UBCORE_NET_ADDR_TYPE_IPV6 => IpAddr::V6(bytes),
        _ => return Err(EINVAL),
    };
    Ok(NetAddr {
        ip,
        vlan: raw.vlan,
        mac: raw.mac,
        prefix_len: raw.prefix_len,
    })
}

/// Makes a C address.
pub(crate) fn to_raw(addr: &NetAddr) -> b::ubcore_net_addr {
    let (kind, bytes) = match addr.ip {
        IpAddr::V4([m, n, o, p]) => (
            b::UBCORE_NET_ADDR_TYPE_IPV4,
            [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, m, n, o, p],
        ),
        IpAddr::V6(bytes) => (b::UBCORE_NET_ADDR_TYPE_IPV6, bytes),
    };
    let mut raw = b::ubcore_net_addr {
        type_: kind,
        vlan: addr.vlan,
        mac: addr.mac,
        prefix_len: addr.prefix_len,
        ..Default::default()
    };
    // SAFETY: Sixteen bytes, of which every value is valid.
    unsafe {
        (&raw mut raw.net_addr)
            .cast::<[u8; 16]>()
            .write_unaligned(bytes)
    };
    raw
}
