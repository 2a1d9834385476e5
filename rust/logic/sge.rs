// SPDX-License-Identifier: GPL-2.0

//! Scatter-gather lists behind a work request, as the software device's rings carry them.
//!
//! A list is parsed from a private copy of the entry. What a parsed list promises: no element wraps
//! the address space, and the sum of the lengths is what the work request said.

use super::cqe::CrStatus;

/// Bytes of one element.
pub(crate) const SGE_LEN: usize = 16;

/// One local buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sge {
    /// Address in the poster's space.
    pub(crate) addr: u64,
    /// Length in bytes.
    pub(crate) len: u32,
    /// Token id of the segment that the buffer lies in.
    pub(crate) token_id: u32,
}

impl Sge {
    /// Decodes an element; any 16 bytes are one.
    pub(crate) fn decode(bytes: &[u8; SGE_LEN]) -> Self {
        let [a0, a1, a2, a3, a4, a5, a6, a7, l0, l1, l2, l3, t0, t1, t2, t3] = *bytes;
        Self {
            addr: u64::from_le_bytes([a0, a1, a2, a3, a4, a5, a6, a7]),
            len: u32::from_le_bytes([l0, l1, l2, l3]),
            token_id: u32::from_le_bytes([t0, t1, t2, t3]),
        }
    }

    /// Decodes an element that was read as words.
    #[inline(always)]
    pub(crate) const fn from_words([addr, rest]: [u64; SGE_LEN / 8]) -> Self {
        Self {
            addr,
            len: rest as u32,
            token_id: (rest >> 32) as u32,
        }
    }

    /// Encodes the element.
    pub(crate) fn encode(&self) -> [u8; SGE_LEN] {
        let [a0, a1, a2, a3, a4, a5, a6, a7] = self.addr.to_le_bytes();
        let [l0, l1, l2, l3] = self.len.to_le_bytes();
        let [t0, t1, t2, t3] = self.token_id.to_le_bytes();
        [
            a0, a1, a2, a3, a4, a5, a6, a7, l0, l1, l2, l3, t0, t1, t2, t3,
        ]
    }
}

/// How the lengths of a list relate to the length in the work request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SumRule {
    /// They add up to it.
    Exact,
    /// They offer at least as much room (result buffer of an atomic operation).
    AtLeast,
}

/// A checked list of local buffers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SgeList<'a> {
    /// The copied elements, a multiple of [`SGE_LEN`] long.
    bytes: &'a [u8],
    /// Sum of the lengths.
    total: u32,
}

impl<'a> SgeList<'a> {
    /// Checks a copied list against the length `total_len` of its work request.
    ///
    /// # Errors
    ///
    /// `LocOperation` when the copy is not exactly `num` elements long, `LocAccess` when an element
    /// wraps the address space, `LocLen` when the lengths overflow or contradict `total_len`.
    pub(crate) fn parse(
        bytes: &'a [u8],
        num: u32,
        total_len: u32,
        rule: SumRule,
    ) -> Result<Self, CrStatus> {
        let elements = bytes.chunks_exact(SGE_LEN);
        if !elements.remainder().is_empty() || elements.len() != num as usize {
            return Err(CrStatus::LocOperation);
        }
        let mut total = 0u32;
        for sge in (Self { bytes, total }).all() {
            if sge.addr.checked_add(u64::from(sge.len)).is_none() {
                return Err(CrStatus::LocAccess);
            }
            total = total.checked_add(sge.len).ok_or(CrStatus::LocLen)?;
        }
        let fits = match rule {
            SumRule::Exact => total == total_len,
            SumRule::AtLeast => total >= total_len,
        };
        if fits {
            Ok(Self { bytes, total })
        } else {
            Err(CrStatus::LocLen)
        }
    }

    /// Iterates over all elements.
    fn all(&self) -> impl Iterator<Item = Sge> + 'a {
        self.bytes
            .chunks_exact(SGE_LEN)
            .filter_map(|bytes| bytes.first_chunk().map(Sge::decode))
    }

    /// Iterates over the elements that have a length; empty ones need not lie in any segment.
    pub(crate) fn iter(&self) -> impl Iterator<Item = Sge> + 'a {
        self.all().filter(|sge| sge.len != 0)
    }

    /// Returns the only element that is not empty, if the list is nothing but it.
    #[inline]
    pub(crate) fn single(&self) -> Option<Sge> {
        let bytes: &[u8; SGE_LEN] = self.bytes.try_into().ok()?;
        Some(Sge::decode(bytes)).filter(|sge| sge.len != 0)
    }

    /// Returns the sum of the lengths.
    pub(crate) fn total(&self) -> u32 {
        self.total
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn list(elements: &[(u64, u32)]) -> Vec<u8> {
        let encode = |&(addr, len)| {
            Sge {
                addr,
                len,
                token_id: 9,
            }
            .encode()
        };
        elements.iter().flat_map(encode).collect()
    }

    #[test]
    fn sums() {
        let bytes = list(&[(0x1000, 8), (0, 0), (0x2000, 4)]);
        let parse = |n, len, rule| SgeList::parse(&bytes, n, len, rule).map(|l| l.total());
        assert_eq!(parse(3, 12, SumRule::Exact), Ok(12));
        assert_eq!(parse(3, 11, SumRule::Exact), Err(CrStatus::LocLen));
        assert_eq!(parse(3, 11, SumRule::AtLeast), Ok(12));
        assert_eq!(parse(3, 13, SumRule::AtLeast), Err(CrStatus::LocLen));
        assert_eq!(parse(2, 12, SumRule::Exact), Err(CrStatus::LocOperation));
        let sges = SgeList::parse(&bytes, 3, 12, SumRule::Exact).unwrap();
        assert_eq!(sges.iter().map(|s| s.len).collect::<Vec<_>>(), [8, 4]);
        assert_eq!(sges.single(), None);
        let one = list(&[(0x1000, 8)]);
        let one = SgeList::parse(&one, 1, 8, SumRule::Exact).unwrap();
        assert_eq!(one.single(), one.iter().next());
        let none = list(&[(0x1000, 0)]);
        let none = SgeList::parse(&none, 1, 0, SumRule::Exact).unwrap();
        assert_eq!(none.single(), None);
        assert!(SgeList::parse(&[], 0, 0, SumRule::Exact).is_ok());
    }

    #[test]
    fn overflow() {
        let long = list(&[(0, u32::MAX), (0, 1)]);
        assert_eq!(
            SgeList::parse(&long, 2, 0, SumRule::Exact).err(),
            Some(CrStatus::LocLen)
        );
        let wrap = list(&[(u64::MAX, 2)]);
        assert_eq!(
            SgeList::parse(&wrap, 1, 2, SumRule::Exact).err(),
            Some(CrStatus::LocAccess)
        );
    }

    proptest! {
        #[test]
        fn elements_round_trip(raw in any::<[u8; 16]>()) {
            let sge = Sge::decode(&raw);
            prop_assert_eq!(sge.encode(), raw);
            let word = |i: usize| u64::from_le_bytes(raw[i..][..8].try_into().unwrap());
            prop_assert_eq!(Sge::from_words([word(0), word(8)]), sge);
        }

        #[test]
        fn any_list(
            raw in prop::collection::vec(any::<u8>(), 0..300),
            num in 0u32..20,
            len in any::<u32>(),
            exact in any::<bool>(),
        ) {
            let rule = if exact { SumRule::Exact } else { SumRule::AtLeast };
            if let Ok(sges) = SgeList::parse(&raw, num, len, rule) {
                let sum: u64 = sges.iter().map(|s| u64::from(s.len)).sum();
                prop_assert_eq!(sum, u64::from(sges.total()));
                prop_assert!(sges.iter().all(|s| s.addr.checked_add(s.len.into()).is_some()));
            }
        }
    }
}
