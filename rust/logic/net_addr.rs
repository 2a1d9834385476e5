// SPDX-License-Identifier: GPL-2.0

//! Network addresses of UB entities, and their layouts in the user ABI.
//!
//! User space has two layouts, both of them unlike that of the kernel contract, so addresses are
//! taken apart and put together here, field by field. Addresses are in network byte order.

use super::eid::Eid;
use crate::env::{
    Result,
    EINVAL, //
};

/// Bytes of `struct uburma_net_addr`.
pub(crate) const USER_LEN: usize = 48;
/// Bytes of `struct uburma_cmd_net_addr_info`.
pub(crate) const RECORD_LEN: usize = 56;
/// Bytes of a MAC address.
pub(crate) const MAC_LEN: usize = 6;

/// `AF_INET`.
const FAMILY_IPV4: u16 = 2;
/// `AF_INET6`.
const FAMILY_IPV6: u16 = 10;
/// Largest VLAN id that a frame can carry; the one above is reserved.
const MAX_VLAN: u64 = 4094;

/// An IP address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum IpAddr {
    /// IPv4.
    V4([u8; 4]),
    /// IPv6.
    V6([u8; 16]),
}

impl IpAddr {
    /// Returns the address that an EID stands for: a mapped EID for the IPv4 address, any other for
    /// the IPv6 address of the same bytes.
    pub(crate) fn from_eid(eid: Eid) -> Self {
        match eid.to_ipv4() {
            Some(addr) => Self::V4(addr),
            None => Self::V6(eid.into_bytes()),
        }
    }

    /// Returns the EID that stands for the address. An IPv6 address that maps an IPv4 one is the
    /// latter.
    pub(crate) const fn to_eid(self) -> Eid {
        match self {
            Self::V4(addr) => Eid::from_ipv4(addr),
            Self::V6(addr) => Eid::from_bytes(addr),
        }
    }

    /// Returns the number of bits.
    pub(crate) const fn bits(self) -> u32 {
        match self {
            Self::V4(_) => 32,
            Self::V6(_) => 128,
        }
    }
}

/// An IP address and the link that it is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NetAddr {
    /// The address.
    pub(crate) ip: IpAddr,
    /// VLAN id, 0 for none.
    pub(crate) vlan: u64,
    /// MAC address, zeros when it is not known.
    pub(crate) mac: [u8; MAC_LEN],
    /// Bits of the subnet.
    pub(crate) prefix_len: u32,
}

/// Returns the `N` bytes of a structure at an offset; zeros beyond its end.
fn field<const N: usize>(bytes: &[u8], offset: usize) -> [u8; N] {
    let chunk = bytes.get(offset..).and_then(<[u8]>::first_chunk);
    chunk.copied().unwrap_or([0; N])
}

/// Puts bytes into a structure at an offset.
fn put(bytes: &mut [u8], offset: usize, value: &[u8]) {
    let place = bytes.get_mut(offset..).unwrap_or_default();
    for (to, from) in place.iter_mut().zip(value) {
        *to = *from;
    }
}

impl NetAddr {
    /// An address of a host of its own, on no VLAN.
    pub(crate) const fn host(ip: IpAddr, mac: [u8; MAC_LEN]) -> Self {
        Self {
            ip,
            vlan: 0,
            mac,
            prefix_len: ip.bits(),
        }
    }

    /// Reads a `struct uburma_net_addr`. Of an IPv4 address only the first four bytes count, and
    /// padding is not looked at: user space does not always clear them.
    ///
    /// # Errors
    ///
    /// `EINVAL` for another family.
    pub(crate) fn from_user(bytes: &[u8; USER_LEN]) -> Result<Self> {
        let ip = match u16::from_ne_bytes(field(bytes, 0)) {
            FAMILY_IPV4 => IpAddr::V4(field(bytes, 4)),
            FAMILY_IPV6 => IpAddr::V6(field(bytes, 4)),
            _ => return Err(EINVAL),
        };
        Ok(Self {
            ip,
            vlan: u64::from_ne_bytes(field(bytes, 24)),
            mac: field(bytes, 32),
            prefix_len: u32::from_ne_bytes(field(bytes, 40)),
        })
    }

    /// Makes a `struct uburma_net_addr`, padding cleared.
    pub(crate) fn to_user(self) -> [u8; USER_LEN] {
        let mut bytes = [0; USER_LEN];
        match self.ip {
            IpAddr::V4(addr) => {
                put(&mut bytes, 0, &FAMILY_IPV4.to_ne_bytes());
                put(&mut bytes, 4, &addr);
            }
            IpAddr::V6(addr) => {
                put(&mut bytes, 0, &FAMILY_IPV6.to_ne_bytes());
                put(&mut bytes, 4, &addr);
            }
        }
        put(&mut bytes, 24, &self.vlan.to_ne_bytes());
        put(&mut bytes, 32, &self.mac);
        put(&mut bytes, 40, &self.prefix_len.to_ne_bytes());
        bytes
    }

    /// Makes a `struct uburma_cmd_net_addr_info`, padding cleared: the address at `index` of the
    /// device's table.
    pub(crate) fn to_record(self, index: u32) -> [u8; RECORD_LEN] {
        let mut bytes = [0; RECORD_LEN];
        match self.ip {
            IpAddr::V4(addr) => put(&mut bytes, 20, &addr),
            IpAddr::V6(addr) => {
                put(&mut bytes, 0, &1u32.to_ne_bytes());
                put(&mut bytes, 8, &addr);
            }
        }
        put(&mut bytes, 24, &self.vlan.to_ne_bytes());
        put(&mut bytes, 32, &self.mac);
        put(&mut bytes, 40, &self.prefix_len.to_ne_bytes());
        put(&mut bytes, 48, &index.to_ne_bytes());
        bytes
    }

    /// Checks that all of it means something.
    ///
    /// # Errors
    ///
    /// `EINVAL` for a VLAN id or a prefix that is too large, and an address of zeros.
    pub(crate) fn check(&self) -> Result {
        let zero = match self.ip {
            IpAddr::V4(addr) => addr == [0; 4],
            IpAddr::V6(addr) => addr == [0; 16],
        };
        if zero || self.vlan > MAX_VLAN || self.prefix_len > self.ip.bits() {
            return Err(EINVAL);
        }
        Ok(())
    }
}

/// Returns a MAC address for the entity that has an EID: locally administered, not multicast, and
/// always the same for the same EID. EIDs that differ in their last four bytes alone have different
/// ones.
pub(crate) fn mac_of(eid: Eid) -> [u8; MAC_LEN] {
    let [front @ .., m, n, o, p] = eid.into_bytes();
    let digest = front
        .into_iter()
        .fold(0u8, |digest, byte| digest.rotate_left(3) ^ byte);
    [0x02, digest, m, n, o, p]
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const V4: IpAddr = IpAddr::V4([192, 0, 2, 7]);
    const V6: IpAddr = IpAddr::V6([0xfd, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]);

    fn sample(ip: IpAddr) -> NetAddr {
        NetAddr {
            ip,
            vlan: 0x123,
            mac: [2, 3, 4, 5, 6, 7],
            prefix_len: 24,
        }
    }

    #[test]
    fn eids_and_addresses() {
        let mapped = Eid::from_ipv4([192, 0, 2, 7]);
        assert_eq!(IpAddr::from_eid(mapped), V4);
        assert_eq!(V4.to_eid(), mapped);
        assert_eq!(IpAddr::V6(mapped.into_bytes()).to_eid(), mapped);
        assert_eq!(IpAddr::from_eid(V6.to_eid()), V6);
    }

    #[test]
    fn user_layout() {
        let bytes = sample(V4).to_user();
        assert_eq!(bytes[..8], [2, 0, 0, 0, 192, 0, 2, 7]);
        assert_eq!(bytes[8..24], [0; 16]);
        assert_eq!(bytes[24..32], [0x23, 1, 0, 0, 0, 0, 0, 0]);
        assert_eq!(bytes[32..40], [2, 3, 4, 5, 6, 7, 0, 0]);
        assert_eq!(bytes[40..], [24, 0, 0, 0, 0, 0, 0, 0]);
        let bytes = sample(V6).to_user();
        assert_eq!(bytes[..4], [10, 0, 0, 0]);
        assert_eq!(bytes[4..20], V6.to_eid().into_bytes());
    }

    #[test]
    fn garbage_in_padding_is_not_seen() {
        let clean = sample(V4).to_user();
        let mut dirty = clean;
        for at in (2..4).chain(8..24).chain(38..40).chain(44..48) {
            dirty[at] = 0xa5;
        }
        assert_eq!(NetAddr::from_user(&dirty), NetAddr::from_user(&clean));
        for family in [0u16, 1, 3, 0x200, 0xffff] {
            dirty[..2].copy_from_slice(&family.to_ne_bytes());
            assert_eq!(NetAddr::from_user(&dirty), Err(EINVAL));
        }
    }

    #[test]
    fn record_layout() {
        let bytes = sample(V4).to_record(0x0102);
        assert_eq!(bytes[..20], [0; 20]);
        assert_eq!(bytes[20..24], [192, 0, 2, 7]);
        assert_eq!(bytes[24..48], sample(V4).to_user()[24..]);
        assert_eq!(bytes[48..], [2, 1, 0, 0, 0, 0, 0, 0]);
        let bytes = sample(V6).to_record(0);
        assert_eq!(bytes[..8], [1, 0, 0, 0, 0, 0, 0, 0]);
        assert_eq!(bytes[8..24], V6.to_eid().into_bytes());
    }

    #[test]
    fn checks() {
        let with = |ip, vlan, prefix_len| {
            let addr = NetAddr {
                vlan,
                prefix_len,
                ..sample(ip)
            };
            addr.check()
        };
        assert_eq!(with(V4, 4094, 32), Ok(()));
        assert_eq!(with(V6, 0, 128), Ok(()));
        assert_eq!(with(V4, 4095, 32), Err(EINVAL));
        assert_eq!(with(V4, 0, 33), Err(EINVAL));
        assert_eq!(with(V6, 0, 129), Err(EINVAL));
        assert_eq!(with(IpAddr::V4([0; 4]), 0, 0), Err(EINVAL));
        assert_eq!(with(IpAddr::V6([0; 16]), 0, 0), Err(EINVAL));
    }

    proptest! {
        #[test]
        fn user_layout_both_ways(bytes in prop::collection::vec(any::<u8>(), USER_LEN), v6: bool) {
            let mut bytes: [u8; USER_LEN] = bytes.try_into().unwrap();
            bytes[..2].copy_from_slice(&(if v6 { 10u16 } else { 2 }).to_ne_bytes());
            let addr = NetAddr::from_user(&bytes).unwrap();
            prop_assert_eq!(NetAddr::from_user(&addr.to_user()), Ok(addr));
        }

        #[test]
        fn macs(front: [u8; 12], a: [u8; 4], b: [u8; 4]) {
            let eid = |back: [u8; 4]| {
                let mut bytes = [0; 16];
                bytes[..12].copy_from_slice(&front);
                bytes[12..].copy_from_slice(&back);
                Eid::from_bytes(bytes)
            };
            let mac = mac_of(eid(a));
            prop_assert_eq!(mac[0] & 3, 2);
            prop_assert_eq!(mac == mac_of(eid(b)), a == b);
        }
    }
}
