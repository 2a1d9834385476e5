// SPDX-License-Identifier: GPL-2.0

//! Checks of segment registration and of token ids.

use super::access::{
    ACCESS_ATOMIC,
    ACCESS_LOCAL_ONLY,
    ACCESS_READ,
    ACCESS_WRITE, //
};
use crate::env::{
    Result,
    EINVAL, //
};

/// `EINVAL` unless `condition` holds.
fn require(condition: bool) -> Result {
    if condition {
        Ok(())
    } else {
        Err(EINVAL)
    }
}

/// Flag word of a registration (`union ubcore_reg_seg_flag`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SegFlags(u32);

impl SegFlags {
    /// Takes a raw word; bits without a meaning are ignored.
    pub(crate) const fn from_bits(bits: u32) -> Self {
        Self(bits)
    }

    /// Returns the raw word.
    pub(crate) const fn bits(self) -> u32 {
        self.0
    }

    /// Token policy, 0..=7.
    pub(crate) const fn token_policy(self) -> u32 {
        self.0 & 7
    }

    /// The memory may be cached by remote users.
    pub(crate) const fn cacheable(self) -> bool {
        self.0 & (1 << 3) != 0
    }

    /// The address is in the distributed shared address space.
    pub(crate) const fn dsva(self) -> bool {
        self.0 & (1 << 4) != 0
    }

    /// Access bits, 0..=63.
    pub(crate) const fn access(self) -> u32 {
        (self.0 >> 5) & 0x3f
    }

    /// The memory is not to be pinned.
    pub(crate) const fn non_pin(self) -> bool {
        self.0 & (1 << 11) != 0
    }

    /// The registration names its own I/O address.
    pub(crate) const fn user_iova(self) -> bool {
        self.0 & (1 << 12) != 0
    }

    /// The registration names a token id.
    pub(crate) const fn token_id_valid(self) -> bool {
        self.0 & (1 << 13) != 0
    }

    /// The address is physical.
    pub(crate) const fn pa(self) -> bool {
        self.0 & (1 << 14) != 0
    }
}

/// Checks access bits: what each of them implies.
///
/// # Errors
///
/// `EINVAL` when `LOCAL_ONLY` comes with a remote right, `WRITE` without `READ`, or `ATOMIC`
/// without both.
pub(crate) fn check_access(access: u32) -> Result {
    let has = |bits| access & bits == bits;
    let remote = access & (ACCESS_READ | ACCESS_WRITE | ACCESS_ATOMIC);
    require(!has(ACCESS_LOCAL_ONLY) || remote == 0)?;
    require(!has(ACCESS_WRITE) || has(ACCESS_READ))?;
    require(!has(ACCESS_ATOMIC) || has(ACCESS_READ | ACCESS_WRITE))
}

/// Checks the address range of a segment.
///
/// # Errors
///
/// `EINVAL` when it is empty or wraps the address space.
pub(crate) fn check_range(va: u64, len: u64) -> Result {
    require(len != 0 && va.checked_add(len).is_some())
}

/// Request to register a segment.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SegParams {
    /// First address.
    pub(crate) va: u64,
    /// Length in bytes.
    pub(crate) len: u64,
    /// Flag word.
    pub(crate) flags: SegFlags,
    /// The `pa` flag of the token id that the request names; `None` when it names none.
    pub(crate) token_id_pa: Option<bool>,
    /// The request comes from user space.
    pub(crate) from_user: bool,
    /// Index of the local EID.
    pub(crate) eid_index: u32,
    /// Entries of the EID table.
    pub(crate) eid_cnt: u32,
}

/// Checks the registration of a segment.
///
/// # Errors
///
/// `EINVAL` for a bad range, access word, policy or EID index; for a physical address from user
/// space; when the token id's presence or kind contradicts the flags.
pub(crate) fn check_segment(params: &SegParams) -> Result {
    let flags = params.flags;
    check_range(params.va, params.len)?;
    check_access(flags.access())?;
    require(flags.token_policy() <= super::validate::MAX_TOKEN_POLICY)?;
    require(!flags.pa() || !params.from_user)?;
    require(flags.token_id_valid() == params.token_id_pa.is_some())?;
    require(params.token_id_pa.is_none_or(|pa| pa == flags.pa()))?;
    require(params.eid_index < params.eid_cnt)
}

/// Checks the flag word of a token id (bit 0 `pa`, bit 1 `multi_seg`).
///
/// # Errors
///
/// `EINVAL` for `pa` from user space.
pub(crate) fn check_token_id(flags: u32, from_user: bool) -> Result {
    require(flags & 1 == 0 || !from_user)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const GOOD: SegParams = SegParams {
        va: 0x1000,
        len: 0x1000,
        flags: SegFlags::from_bits((1 << 13) | (ACCESS_READ << 5) | 1),
        token_id_pa: Some(false),
        from_user: true,
        eid_index: 0,
        eid_cnt: 16,
    };

    #[test]
    fn access_implications() {
        // Bits: local, read, write, atomic.
        let allowed = [0b0000, 0b0001, 0b0010, 0b0110, 0b1110];
        for access in 0..16 {
            assert_eq!(
                check_access(access).is_ok(),
                allowed.contains(&access),
                "{access:b}"
            );
        }
    }

    #[test]
    fn registration() {
        let check = |params: SegParams| check_segment(&params).is_ok();
        let flags = |bits| SegFlags::from_bits(GOOD.flags.bits() | bits);
        assert!(check(GOOD));
        assert!(!check(SegParams { len: 0, ..GOOD }));
        assert!(!check(SegParams {
            len: u64::MAX,
            ..GOOD
        }));
        assert!(!check(SegParams {
            token_id_pa: None,
            ..GOOD
        }));
        assert!(!check(SegParams {
            token_id_pa: Some(true),
            ..GOOD
        }));
        assert!(!check(SegParams {
            eid_index: 16,
            ..GOOD
        }));
        assert!(!check(SegParams {
            flags: flags(1 << 5),
            ..GOOD
        }));
        assert!(!check(SegParams {
            flags: flags(5),
            ..GOOD
        }));
        let pa = SegParams {
            flags: flags(1 << 14),
            token_id_pa: Some(true),
            ..GOOD
        };
        assert!(!check(pa));
        assert!(check(SegParams {
            from_user: false,
            ..pa
        }));
        let bare = SegParams {
            flags: SegFlags::from_bits(0),
            token_id_pa: None,
            ..GOOD
        };
        assert!(check(bare));
        assert!(!check(SegParams {
            token_id_pa: Some(false),
            ..bare
        }));
    }

    #[test]
    fn flag_positions() {
        let flags = SegFlags::from_bits(0x7fff);
        assert_eq!((flags.token_policy(), flags.access()), (7, 0x3f));
        assert!(flags.cacheable() && flags.dsva() && flags.non_pin() && flags.user_iova());
        assert!(flags.token_id_valid() && flags.pa());
        assert_eq!(SegFlags::from_bits(1 << 10).access(), 0x20);
        assert_eq!(check_token_id(1, true), Err(EINVAL));
        assert_eq!(check_token_id(1, false), Ok(()));
        assert_eq!(check_token_id(2, true), Ok(()));
    }

    proptest! {
        #[test]
        fn ranges(va in any::<u64>(), len in any::<u64>()) {
            let fits = u128::from(va) + u128::from(len) <= u128::from(u64::MAX);
            prop_assert_eq!(check_range(va, len).is_ok(), fits && len != 0);
        }
    }
}
