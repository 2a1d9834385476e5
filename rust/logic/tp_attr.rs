// SPDX-License-Identifier: GPL-2.0

//! Properties of a transport path (`struct ubcore_tp_attr_value`, the same in the user ABI).
//!
//! The structure is 128 packed bytes, little endian. A bitmap says which members are meant; what it
//! leaves out is neither looked at nor changed.

use super::eid::Eid;
use crate::env::{
    Result,
    EINVAL, //
};

/// Bytes of the structure.
pub(crate) const LEN: usize = 128;
/// Bits of the bitmap that stand for a member.
pub(crate) const ALL: u32 = 0xfff;

/// Bit of the source address.
const SIP: u32 = 1 << 2;
/// Bit of the destination address.
const DIP: u32 = 1 << 3;
/// Bit of the source MAC address.
const SMA: u32 = 1 << 4;
/// Bit of the destination MAC address.
const DMA: u32 = 1 << 5;
/// Bit of the VLAN id.
const VLAN_ID: u32 = 1 << 6;
/// A VLAN id that is reserved.
const NO_VLAN: u16 = 0xfff;

/// Where each member is, in the order of the bits: first byte, and the bits of the bytes from there.
/// The three bytes from 45 on are a word of VLAN id (12 bits), VLAN enable (1), code point (6) and
/// acknowledge timeouts (5).
const MEMBERS: [(usize, &[u8]); 12] = [
    (0, &[0x07]),
    (0, &[0xf8]),
    (1, &[0xff; 16]),
    (17, &[0xff; 16]),
    (33, &[0xff; 6]),
    (39, &[0xff; 6]),
    (45, &[0xff, 0x0f]),
    (46, &[0x10]),
    (46, &[0xe0, 0x07]),
    (47, &[0xf8]),
    (48, &[0x0f]),
    (49, &[0xff]),
];

/// Checks a bitmap and the number of members that go with it.
///
/// # Errors
///
/// `EINVAL` for a bit without a member, and a number that is not that of the bits.
pub(crate) fn check_bitmap(count: u8, bitmap: u32) -> Result {
    if bitmap & !ALL != 0 || bitmap.count_ones() != u32::from(count) {
        return Err(EINVAL);
    }
    Ok(())
}

/// The properties of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TpAttr([u8; LEN]);

impl TpAttr {
    /// Takes the bytes of the structure; any are one.
    pub(crate) const fn from_bytes(bytes: [u8; LEN]) -> Self {
        Self(bytes)
    }

    /// Returns the bytes of the structure.
    pub(crate) const fn as_bytes(&self) -> &[u8; LEN] {
        &self.0
    }

    /// The properties of a new path between two EIDs: their addresses, all else 0.
    pub(crate) fn between(local: Eid, local_mac: [u8; 6], peer: Eid, peer_mac: [u8; 6]) -> Self {
        let mut this = Self([0; LEN]);
        this.put(1, local.as_bytes());
        this.put(17, peer.as_bytes());
        this.put(33, &local_mac);
        this.put(39, &peer_mac);
        this
    }

    /// Puts bytes at an offset.
    fn put(&mut self, offset: usize, value: &[u8]) {
        let place = self.0.get_mut(offset..).unwrap_or_default();
        for (to, from) in place.iter_mut().zip(value) {
            *to = *from;
        }
    }

    /// Returns the `N` bytes at an offset.
    fn field<const N: usize>(&self, offset: usize) -> [u8; N] {
        let chunk = self.0.get(offset..).and_then(<[u8]>::first_chunk);
        chunk.copied().unwrap_or([0; N])
    }

    /// Checks the members that a bitmap names.
    ///
    /// # Errors
    ///
    /// `EINVAL` for addresses of zeros, a source MAC address of a group, and the reserved VLAN id.
    pub(crate) fn check(&self, bitmap: u32) -> Result {
        let named = |bit: u32| bitmap & bit != 0;
        let [first, ..] = self.field::<6>(33);
        let bad = (named(SIP) && self.field(1) == [0; 16])
            || (named(DIP) && self.field(17) == [0; 16])
            || (named(SMA) && (self.field(33) == [0; 6] || first & 1 != 0))
            || (named(DMA) && self.field(39) == [0; 6])
            || (named(VLAN_ID) && u16::from_le_bytes(self.field(45)) & NO_VLAN == NO_VLAN);
        if bad {
            Err(EINVAL)
        } else {
            Ok(())
        }
    }

    /// Takes over the members that a bitmap names.
    pub(crate) fn merge(&mut self, bitmap: u32, from: &Self) {
        for (bit, (offset, masks)) in (0..).zip(MEMBERS) {
            if bitmap & (1 << bit) == 0 {
                continue;
            }
            let old = self.0.get_mut(offset..).unwrap_or_default();
            let new = from.0.get(offset..).unwrap_or_default();
            for ((to, from), mask) in old.iter_mut().zip(new).zip(masks) {
                *to = (*to & !mask) | (from & mask);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const A: Eid = Eid::from_ipv4([1; 4]);
    const B: Eid = Eid::from_ipv4([2; 4]);

    #[test]
    fn bitmaps() {
        assert_eq!(check_bitmap(0, 0), Ok(()));
        assert_eq!(check_bitmap(12, ALL), Ok(()));
        assert_eq!(check_bitmap(2, 0x801), Ok(()));
        assert_eq!(check_bitmap(1, 0x801), Err(EINVAL));
        assert_eq!(check_bitmap(3, 0x801), Err(EINVAL));
        assert_eq!(check_bitmap(1, 1 << 12), Err(EINVAL));
        assert_eq!(check_bitmap(255, u32::MAX), Err(EINVAL));
    }

    #[test]
    fn new_paths_name_their_ends() {
        let attr = TpAttr::between(A, [2, 0, 0, 0, 0, 1], B, [2, 0, 0, 0, 0, 2]);
        let bytes = attr.as_bytes();
        assert_eq!(bytes[1..17], A.into_bytes());
        assert_eq!(bytes[17..33], B.into_bytes());
        assert_eq!(bytes[33..45], [2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2]);
        assert_eq!(bytes[45..], [0; 83]);
        assert_eq!(attr.check(ALL), Ok(()));
    }

    #[test]
    fn bad_values() {
        let good = TpAttr::between(A, [2; 6], B, [2; 6]);
        let spoilt = |range: core::ops::Range<usize>, value: u8| {
            let mut bytes = *good.as_bytes();
            bytes[range].fill(value);
            TpAttr::from_bytes(bytes)
        };
        let cases = [
            (SIP, spoilt(1..17, 0)),
            (DIP, spoilt(17..33, 0)),
            (SMA, spoilt(33..39, 0)),
            (SMA, spoilt(33..34, 1)),
            (DMA, spoilt(39..45, 0)),
            (VLAN_ID, spoilt(45..47, 0xff)),
        ];
        for (bit, attr) in cases {
            assert_eq!(attr.check(bit), Err(EINVAL), "{bit:#x}");
            assert_eq!(attr.check(ALL & !bit), Ok(()), "{bit:#x}");
        }
    }

    #[test]
    fn members_do_not_overlap() {
        let mut all = TpAttr::from_bytes([0; LEN]);
        let mut ones = 0;
        for bit in 0..12 {
            let mut one = TpAttr::from_bytes([0; LEN]);
            one.merge(1 << bit, &TpAttr::from_bytes([0xff; LEN]));
            ones += one.0.iter().map(|byte| byte.count_ones()).sum::<u32>();
            all.merge(1 << bit, &one);
        }
        assert_eq!(
            all.0.iter().map(|byte| byte.count_ones()).sum::<u32>(),
            ones
        );
        // All bits of the bytes up to the service level are some member's.
        assert_eq!(all.0[..48], [0xff; 48]);
        assert_eq!(all.0[48..52], [0x0f, 0xff, 0, 0]);
    }

    #[test]
    fn the_word_of_vlan_and_code_point() {
        let mut attr = TpAttr::from_bytes([0; LEN]);
        let word = 0xabc | 1 << 12 | 0x2a << 13 | 0x15 << 19;
        let mut bytes = [0; LEN];
        bytes[45..48].copy_from_slice(&u32::to_le_bytes(word)[..3]);
        let from = TpAttr::from_bytes(bytes);
        let read = |attr: &TpAttr| {
            let [a, b, c] = attr.field(45);
            u32::from_le_bytes([a, b, c, 0])
        };
        attr.merge(VLAN_ID, &from);
        assert_eq!(read(&attr), 0xabc);
        attr.merge(1 << 8, &from);
        assert_eq!(read(&attr), 0xabc | 0x2a << 13);
        attr.merge(1 << 7 | 1 << 9, &from);
        assert_eq!(read(&attr), word);
    }

    proptest! {
        #[test]
        fn merge_changes_what_is_named(
            old in prop::collection::vec(any::<u8>(), LEN),
            new in prop::collection::vec(any::<u8>(), LEN),
            bitmap in 0..=ALL,
        ) {
            let old = TpAttr::from_bytes(old.try_into().unwrap());
            let new = TpAttr::from_bytes(new.try_into().unwrap());
            let mut merged = old;
            merged.merge(bitmap, &new);
            // What was named is new, what was not is old.
            let mut check = merged;
            check.merge(bitmap, &old);
            prop_assert_eq!(check, old);
            check.merge(bitmap, &new);
            prop_assert_eq!(check, merged);
            prop_assert_eq!(&merged.0[50..], &old.0[50..]);
        }
    }
}
