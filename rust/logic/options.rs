// SPDX-License-Identifier: GPL-2.0

//! Options of staged creation: which ids an object knows and how long each value is.

use crate::env::{
    Result,
    EINVAL,
    EPERM, //
};

/// Largest value that a get or set request may carry, in bytes.
pub(crate) const MAX_OPTION_LEN: u32 = 4096;
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

    /// Returns the lengths of this kind's options, from number 1 on.
    ///
    /// What follows the table, the driver's own context (`FULL_CTX`), has any length.
    const fn lengths(self) -> &'static [u32] {
        match self {
            // Depth, flag, mode, priority, sge, rsge, inline, retry, timeout, JFC, user context,
            // base, id, doorbell, doorbell status, producer, producer type, consumer.
            Self::Jfs => &[4, 4, 4, 1, 1, 1, 4, 1, 1, 8, 8, 8, 4, 8, 1, 2, 2, 2],
            // Depth, flag, mode, sge, timer, JFC, token, user context, then as above.
            Self::Jfr => &[4, 4, 4, 1, 1, 8, 4, 8, 8, 4, 8, 1, 2, 2, 2],
            // Depth, event queue, flag, JFCE, user context, then as above.
            Self::Jfc => &[4, 4, 4, 8, 8, 8, 4, 8, 1, 2, 2, 2],
            // Id, flag, JFR, receiving JFC, group, user context.
            Self::Jetty => &[4, 4, 8, 8, 8, 8],
        }
    }
}

/// Checks a get or set request for an option.
///
/// # Errors
///
/// `EINVAL` for an option that the kind of object does not have, and for a length that is not the
/// option's; the driver's own context may have any length up to [`MAX_OPTION_LEN`].
pub(crate) fn check_option(owner: OptionOwner, opt: u64, len: u32) -> Result {
    let kind = OptionOwner::of(opt).ok_or(EINVAL)?;
    let inherited = owner == OptionOwner::Jetty && kind == OptionOwner::Jfs;
    if kind != owner && !inherited {
        return Err(EINVAL);
    }
    let index = usize::try_from(opt & NUMBER)
        .ok()
        .and_then(|n| n.checked_sub(1));
    let lengths = kind.lengths();
    match index {
        Some(index) if index == lengths.len() && (1..=MAX_OPTION_LEN).contains(&len) => Ok(()),
        Some(index) if lengths.get(index) == Some(&len) => Ok(()),
        _ => Err(EINVAL),
    }
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
            assert_eq!(check_option(owner, opt, len), Ok(()), "{opt:#x}");
            assert_eq!(check_option(owner, opt, MAX_OPTION_LEN + 1), Err(EINVAL));
            assert_eq!(check_option(owner, opt, 0), Err(EINVAL));
            assert_eq!(check_option(owner, opt | 1 << 32, len), Err(EINVAL));
        }
        for opt in [0, 0x14, 0x1000, 0x1011, 0x200e, 0x3008, 0x4001, u64::MAX] {
            for owner in [Jfs, Jfr, Jfc, Jetty] {
                for len in [1, 2, 4, 8, 64] {
                    assert_eq!(check_option(owner, opt, len), Err(EINVAL), "{opt:#x}");
                }
            }
        }
        assert_eq!(check_option(Jfr, 0x0001, 4), Err(EINVAL));
        assert_eq!(check_option(Jfs, 0x3001, 4), Err(EINVAL));
        assert_eq!(check_configurable(true), Err(EPERM));
        assert_eq!(check_configurable(false), Ok(()));
    }

    proptest! {
        #[test]
        fn any_request(opt in any::<u64>(), low in 0u64..0x4000, len in any::<u32>()) {
            use OptionOwner::*;
            for owner in [Jfs, Jfr, Jfc, Jetty] {
                for opt in [opt, low] {
                    if check_option(owner, opt, len).is_ok() {
                        prop_assert!((1..=MAX_OPTION_LEN).contains(&len));
                    }
                }
            }
        }
    }
}
