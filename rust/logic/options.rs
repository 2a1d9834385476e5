// SPDX-License-Identifier: GPL-2.0

//! Options of staged creation: which ids an object knows, what they mean, and how long each value
//! is.

use crate::env::{
    Result,
    EINVAL,
    EPERM, //
};

/// Largest value that a get or set request may carry, in bytes.
pub(crate) const MAX_OPTION_LEN: u32 = 4096;
/// Options of a queue that have a bit in its mask.
pub(crate) const MASKED_OPTIONS: u32 = 7;
/// The bit of the number wanted in a mask of options.
pub(crate) const ID_MASK: u64 = 1 << 1;
/// Low part of an option id; the rest names the kind of object.
const NUMBER: u64 = 0xfff;

/// Kind of an object with options.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OptionOwner {
    /// Send queue.
    Jfs,
    /// Receive queue.
    Jfr,
    /// Completion queue.
    Jfc,
    /// Jetty; its sending half also has the options of a JFS.
    Jetty,
}

/// What an option is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OptionRole {
    /// A value of the configuration.
    Config,
    /// The flag word of the configuration, whose layout differs from boundary to boundary.
    Flag,
    /// Another object that this one is built on.
    Bind,
    /// The event channel of a completion queue.
    Channel,
    /// The group of a jetty.
    Group,
    /// A word of the user's that nobody keeps.
    UserContext,
    /// The number wanted.
    Id,
    /// Where a ring and its indices are, for devices whose rings are the user's memory.
    Ring,
    /// A context of the driver's own layout.
    FullContext,
}

/// What is known of an option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct OptionSpec {
    /// What it is about.
    pub(crate) role: OptionRole,
    /// Bytes of its value; `None` for any number up to [`MAX_OPTION_LEN`].
    pub(crate) len: Option<u32>,
    /// Its bit in the mask of options, if it has one.
    pub(crate) mask: Option<u64>,
}

impl OptionOwner {
    /// Reads the kind of object that an option id belongs to.
    const fn of(opt: u64) -> Option<Self> {
        match opt & !NUMBER {
            0x0000 => Some(Self::Jfs),
            0x1000 => Some(Self::Jfr),
            0x2000 => Some(Self::Jfc),
            0x3000 => Some(Self::Jetty),
            _ => None,
        }
    }

    /// Returns lengths and roles of this kind's options, from number 1 on.
    ///
    /// What follows the table is the driver's own context.
    const fn options(self) -> &'static [(u32, OptionRole)] {
        use OptionRole::{
            Bind,
            Channel,
            Config,
            Flag,
            Group,
            Id,
            Ring,
            UserContext, //
        };
        match self {
            // Depth, flag, mode, priority, sge, rsge, inline, retry, timeout, JFC, user context,
            // base, id, doorbell, doorbell status, producer, producer type, consumer.
            Self::Jfs => &[
                (4, Config),
                (4, Flag),
                (4, Config),
                (1, Config),
                (1, Config),
                (1, Config),
                (4, Config),
                (1, Config),
                (1, Config),
                (8, Bind),
                (8, UserContext),
                (8, Ring),
                (4, Id),
                (8, Ring),
                (1, Ring),
                (2, Ring),
                (2, Ring),
                (2, Ring),
            ],
            // Depth, flag, mode, sge, timer, JFC, token, user context, then as above.
            Self::Jfr => &[
                (4, Config),
                (4, Flag),
                (4, Config),
                (1, Config),
                (1, Config),
                (8, Bind),
                (4, Config),
                (8, UserContext),
                (8, Ring),
                (4, Id),
                (8, Ring),
                (1, Ring),
                (2, Ring),
                (2, Ring),
                (2, Ring),
            ],
            // Depth, event queue, flag, JFCE, user context, then as above.
            Self::Jfc => &[
                (4, Config),
                (4, Config),
                (4, Flag),
                (8, Channel),
                (8, UserContext),
                (8, Ring),
                (4, Id),
                (8, Ring),
                (1, Ring),
                (2, Ring),
                (2, Ring),
                (2, Ring),
            ],
            // Id, flag, JFR, receiving JFC, group, user context.
            Self::Jetty => &[
                (4, Id),
                (4, Flag),
                (8, Bind),
                (8, Bind),
                (8, Group),
                (8, UserContext),
            ],
        }
    }

    /// Returns the kind whose options have bits in the mask that this kind has.
    const fn masked(self) -> Self {
        match self {
            Self::Jetty => Self::Jfs,
            other => other,
        }
    }

    /// Returns the id of the option with bit 0 of the mask; those of the other bits follow it.
    ///
    /// Bits are those that user space uses, not those of the bit-fields in its headers.
    const fn first_masked(self) -> u64 {
        match self.masked() {
            Self::Jfs | Self::Jetty => 0x000c,
            Self::Jfr => 0x1009,
            Self::Jfc => 0x2006,
        }
    }

    /// Returns the id of the option with a bit of the mask.
    pub(crate) fn masked_option(self, bit: u32) -> Option<u64> {
        (bit < MASKED_OPTIONS).then(|| self.first_masked().wrapping_add(u64::from(bit)))
    }
}

/// Finds an option of a kind of object.
///
/// # Errors
///
/// `EINVAL` for an option that the kind of object does not have.
pub(crate) fn option_spec(owner: OptionOwner, opt: u64) -> Result<OptionSpec> {
    let kind = OptionOwner::of(opt).ok_or(EINVAL)?;
    let inherited = owner == OptionOwner::Jetty && kind == OptionOwner::Jfs;
    if kind != owner && !inherited {
        return Err(EINVAL);
    }
    let index = usize::try_from(opt & NUMBER)
        .ok()
        .and_then(|n| n.checked_sub(1))
        .ok_or(EINVAL)?;
    let options = kind.options();
    if index == options.len() {
        return Ok(OptionSpec {
            role: OptionRole::FullContext,
            len: None,
            mask: None,
        });
    }
    let (len, role) = *options.get(index).ok_or(EINVAL)?;
    let bit = opt
        .checked_sub(kind.first_masked())
        .filter(|bit| kind == kind.masked() && *bit < u64::from(MASKED_OPTIONS));
    Ok(OptionSpec {
        role,
        len: Some(len),
        mask: bit.map(|bit| 1 << bit),
    })
}

/// Checks a request that sets an option.
///
/// # Errors
///
/// `EINVAL` for an option that the kind of object does not have, and for a length that is not the
/// option's; the driver's own context may have any length up to [`MAX_OPTION_LEN`].
pub(crate) fn check_option(owner: OptionOwner, opt: u64, len: u32) -> Result<OptionSpec> {
    let spec = option_spec(owner, opt)?;
    match spec.len {
        Some(exact) if exact == len => Ok(spec),
        None if (1..=MAX_OPTION_LEN).contains(&len) => Ok(spec),
        _ => Err(EINVAL),
    }
}

/// Checks a request that reads an option, with so much room for its value; returns how many bytes
/// it gets.
///
/// # Errors
///
/// `EINVAL` for an option that the kind of object does not have, for too little room, and for more
/// than [`MAX_OPTION_LEN`].
pub(crate) fn option_len(owner: OptionOwner, opt: u64, room: u32) -> Result<(OptionSpec, u32)> {
    let spec = option_spec(owner, opt)?;
    let len = spec.len.unwrap_or(room);
    if room == 0 || room > MAX_OPTION_LEN || len > room {
        return Err(EINVAL);
    }
    Ok((spec, len))
}

/// Checks that an object may be configured.
///
/// # Errors
///
/// `EPERM` when it is active.
pub(crate) fn check_configurable(is_active: bool) -> Result {
    if is_active {
        Err(EPERM)
    } else {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn check(owner: OptionOwner, opt: u64, len: u32) -> Result {
        check_option(owner, opt, len).map(|_| ())
    }

    #[test]
    fn roles_and_masks() {
        use OptionOwner::*;
        let role = |owner, opt| option_spec(owner, opt).map(|spec| spec.role);
        assert_eq!(role(Jfs, 0x2), Ok(OptionRole::Flag));
        assert_eq!(role(Jfs, 0xa), Ok(OptionRole::Bind));
        assert_eq!(role(Jetty, 0xa), Ok(OptionRole::Bind));
        assert_eq!(role(Jfr, 0x1007), Ok(OptionRole::Config));
        assert_eq!(role(Jfc, 0x2003), Ok(OptionRole::Flag));
        assert_eq!(role(Jfc, 0x2004), Ok(OptionRole::Channel));
        assert_eq!(role(Jetty, 0x3001), Ok(OptionRole::Id));
        assert_eq!(role(Jetty, 0x3005), Ok(OptionRole::Group));
        assert_eq!(role(Jetty, 0x3007), Ok(OptionRole::FullContext));
        for owner in [Jfs, Jfr, Jfc, Jetty] {
            for bit in 0..MASKED_OPTIONS {
                let opt = owner.masked_option(bit).unwrap();
                let spec = option_spec(owner, opt).unwrap();
                assert_eq!(spec.mask, Some(1 << bit));
                let id = bit == 1;
                assert_eq!(spec.role == OptionRole::Id, id, "{opt:#x}");
                assert_eq!(spec.role == OptionRole::Ring, !id, "{opt:#x}");
                assert_eq!(
                    spec.len,
                    Some([8, 4, 8, 1, 2, 2, 2][bit as usize]),
                    "{opt:#x}"
                );
            }
            assert_eq!(owner.masked_option(MASKED_OPTIONS), None);
        }
        for opt in [
            0x1, 0xb, 0x13, 0x1008, 0x1010, 0x2005, 0x200d, 0x3001, 0x3007,
        ] {
            for owner in [Jfs, Jfr, Jfc, Jetty] {
                assert!(
                    option_spec(owner, opt).is_ok_and(|s| s.mask.is_none()) || {
                        option_spec(owner, opt).is_err()
                    }
                );
            }
        }
    }

    #[test]
    fn room_of_a_get() {
        use OptionOwner::*;
        let len = |opt, room| option_len(Jfs, opt, room).map(|(_, len)| len);
        assert_eq!(len(0x1, 4), Ok(4));
        assert_eq!(len(0x1, 4096), Ok(4));
        assert_eq!(len(0x1, 4097), Err(EINVAL));
        assert_eq!(len(0x1, 3), Err(EINVAL));
        assert_eq!(len(0x1, 0), Err(EINVAL));
        assert_eq!(len(0x13, 77), Ok(77));
        assert_eq!(len(0x13, 0), Err(EINVAL));
        assert_eq!(len(0x14, 8), Err(EINVAL));
    }

    #[test]
    fn exact_lengths() {
        use OptionOwner::*;
        let good = [
            (Jfs, 0x0001, 4),
            (Jfs, 0x000a, 8),
            (Jfs, 0x0012, 2),
            (Jfs, 0x0013, 256),
            (Jfr, 0x1006, 8),
            (Jfr, 0x100f, 2),
            (Jfr, 0x1010, 64),
            (Jfc, 0x2009, 1),
            (Jfc, 0x200c, 2),
            (Jfc, 0x200d, 128),
            (Jetty, 0x3001, 4),
            (Jetty, 0x3006, 8),
            (Jetty, 0x3007, 256),
            (Jetty, 0x0004, 1),
        ];
        for (owner, opt, len) in good {
            assert_eq!(check(owner, opt, len), Ok(()), "{opt:#x}");
            assert_eq!(check(owner, opt, MAX_OPTION_LEN + 1), Err(EINVAL));
            assert_eq!(check(owner, opt, 0), Err(EINVAL));
            assert_eq!(check(owner, opt | 1 << 32, len), Err(EINVAL));
        }
        for opt in [0, 0x14, 0x1000, 0x1011, 0x200e, 0x3008, 0x4001, u64::MAX] {
            for owner in [Jfs, Jfr, Jfc, Jetty] {
                for len in [1, 2, 4, 8, 64] {
                    assert_eq!(check(owner, opt, len), Err(EINVAL), "{opt:#x}");
                }
            }
        }
        assert_eq!(check(Jfr, 0x0001, 4), Err(EINVAL));
        assert_eq!(check(Jfs, 0x3001, 4), Err(EINVAL));
        assert_eq!(check_configurable(true), Err(EPERM));
        assert_eq!(check_configurable(false), Ok(()));
    }

    proptest! {
        #[test]
        fn any_request(opt in any::<u64>(), low in 0u64..0x4000, len in any::<u32>()) {
            use OptionOwner::*;
            for owner in [Jfs, Jfr, Jfc, Jetty] {
                for opt in [opt, low] {
                    if check(owner, opt, len).is_ok() {
                        prop_assert!((1..=MAX_OPTION_LEN).contains(&len));
                    }
                }
            }
        }
    }
}
