// SPDX-License-Identifier: GPL-2.0

//! Receive buffers: the entry of the software device's receive rings.

use super::{
    cqe::CrStatus,
    sge::{
        SgeList,
        SumRule,
        SGE_LEN, //
    },
};

/// Bytes of the fixed head of an entry.
pub(crate) const RQE_HEAD_LEN: usize = 16;

/// The head of an entry as user space wrote it, copied once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RqeHead {
    /// The poster's own word, returned in the completion.
    pub(crate) user_ctx: u64,
    /// Number of elements behind the head.
    pub(crate) num_sge: u32,
    /// Sum of their lengths.
    pub(crate) total_len: u32,
}

impl RqeHead {
    /// Decodes a head; any 16 bytes are one.
    pub(crate) fn decode(bytes: &[u8; RQE_HEAD_LEN]) -> Self {
        let [c0, c1, c2, c3, c4, c5, c6, c7, n0, n1, n2, n3, t0, t1, t2, t3] = *bytes;
        Self {
            user_ctx: u64::from_le_bytes([c0, c1, c2, c3, c4, c5, c6, c7]),
            num_sge: u32::from_le_bytes([n0, n1, n2, n3]),
            total_len: u32::from_le_bytes([t0, t1, t2, t3]),
        }
    }

    /// Decodes a head that was read as words.
    #[inline(always)]
    pub(crate) const fn from_words([user_ctx, rest]: [u64; RQE_HEAD_LEN / 8]) -> Self {
        Self {
            user_ctx,
            num_sge: rest as u32,
            total_len: (rest >> 32) as u32,
        }
    }

    /// Encodes the head.
    pub(crate) fn encode(&self) -> [u8; RQE_HEAD_LEN] {
        let [c0, c1, c2, c3, c4, c5, c6, c7] = self.user_ctx.to_le_bytes();
        let [n0, n1, n2, n3] = self.num_sge.to_le_bytes();
        let [t0, t1, t2, t3] = self.total_len.to_le_bytes();
        [
            c0, c1, c2, c3, c4, c5, c6, c7, n0, n1, n2, n3, t0, t1, t2, t3,
        ]
    }

    /// Returns how many bytes behind the head to copy.
    ///
    /// # Errors
    ///
    /// `LocOperation` when there are more elements than the queue allows.
    pub(crate) fn tail_len(&self, max_sge: u32) -> Result<usize, CrStatus> {
        if self.num_sge > max_sge {
            return Err(CrStatus::LocOperation);
        }
        (self.num_sge as usize)
            .checked_mul(SGE_LEN)
            .ok_or(CrStatus::LocOperation)
    }

    /// Checks the copied elements.
    ///
    /// # Errors
    ///
    /// Those of [`SgeList::parse`].
    pub(crate) fn sges<'a>(&self, tail: &'a [u8]) -> Result<SgeList<'a>, CrStatus> {
        SgeList::parse(tail, self.num_sge, self.total_len, SumRule::Exact)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sge::Sge;
    use proptest::prelude::*;

    #[test]
    fn bounds() {
        let head = RqeHead {
            user_ctx: 1,
            num_sge: 2,
            total_len: 10,
        };
        assert_eq!(head.tail_len(1), Err(CrStatus::LocOperation));
        assert_eq!(head.tail_len(2), Ok(32));
        let huge = RqeHead {
            num_sge: u32::MAX,
            ..head
        };
        assert_eq!(huge.tail_len(16), Err(CrStatus::LocOperation));
        let sge = |len| {
            Sge {
                addr: 0x1000,
                len,
                token_id: 1,
            }
            .encode()
        };
        let tail = [sge(4), sge(6)].concat();
        assert_eq!(head.sges(&tail).map(|l| l.total()), Ok(10));
        assert_eq!(head.sges(&tail[..16]).err(), Some(CrStatus::LocOperation));
        let short = RqeHead {
            total_len: 9,
            ..head
        };
        assert_eq!(short.sges(&tail).err(), Some(CrStatus::LocLen));
    }

    proptest! {
        #[test]
        fn round_trip(raw in any::<[u8; 16]>()) {
            let head = RqeHead::decode(&raw);
            prop_assert_eq!(head.encode(), raw);
            let word = |i: usize| u64::from_le_bytes(raw[i..][..8].try_into().unwrap());
            prop_assert_eq!(RqeHead::from_words([word(0), word(8)]), head);
        }

        #[test]
        fn any_entry(raw in any::<[u8; 16]>(), max in 0u32..32, tail in prop::collection::vec(any::<u8>(), 512)) {
            let head = RqeHead::decode(&raw);
            if let Ok(len) = head.tail_len(max) {
                prop_assert!(len <= max as usize * SGE_LEN);
                let _ = head.sges(&tail[..len]);
            }
        }
    }
}
