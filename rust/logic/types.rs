// SPDX-License-Identifier: GPL-2.0

//! Enumerations that several logic files share.
//!
//! The numbers are those of the kernel contract (`enum ubcore_transport_mode` and its neighbours),
//! which are also those of the user ABI. All conversions from outside values are checked.

use crate::env::{
    Result,
    EINVAL, //
};

/// Transport mode of a jetty, JFS, JFR or imported target.
///
/// The values are bits, because a device announces the OR of what it supports; an object has
/// exactly one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum TransMode {
    /// Reliable message: one sender reaches many targets, delivery is acknowledged.
    Rm = 1,
    /// Reliable connection: bound to one target.
    Rc = 2,
    /// Unreliable message.
    Um = 4,
}

impl TransMode {
    /// Reads a raw mode word, which must have exactly one known bit.
    ///
    /// # Errors
    ///
    /// `EINVAL` for no bit, several bits or an unknown bit.
    pub(crate) fn from_raw(raw: u32) -> Result<Self> {
        match raw {
            1 => Ok(Self::Rm),
            2 => Ok(Self::Rc),
            4 => Ok(Self::Um),
            _ => Err(EINVAL),
        }
    }

    /// Returns the ABI value.
    pub(crate) const fn raw(self) -> u32 {
        self as u32
    }
}

/// Kind of transport path below a jetty.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum TpType {
    /// Reliable transport, set up by an exchange with the peer.
    Rtp = 0,
    /// Compact transport, activated locally only.
    Ctp = 1,
    /// Unreliable transport, activated locally only.
    Utp = 2,
}

impl TpType {
    /// Reads a raw type word.
    ///
    /// # Errors
    ///
    /// `EINVAL` for an unknown value.
    pub(crate) fn from_raw(raw: u32) -> Result<Self> {
        match raw {
            0 => Ok(Self::Rtp),
            1 => Ok(Self::Ctp),
            2 => Ok(Self::Utp),
            _ => Err(EINVAL),
        }
    }

    /// Returns the ABI value.
    pub(crate) const fn raw(self) -> u32 {
        self as u32
    }
}

/// Order of delivery, after the default (0) has been resolved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum OrderType {
    /// The target keeps the order.
    Ot = 1,
    /// The initiator keeps the order.
    Oi = 2,
    /// The layers below keep the order.
    Ol = 3,
    /// No order.
    No = 4,
}

impl OrderType {
    /// Reads a raw order word and replaces the default (0) by the order that `mode` implies.
    ///
    /// RM becomes [`Oi`](Self::Oi), RC becomes [`Ol`](Self::Ol), UM becomes [`No`](Self::No).
    ///
    /// # Errors
    ///
    /// `EINVAL` for a value above 4.
    pub(crate) fn resolve(raw: u32, mode: TransMode) -> Result<Self> {
        match raw {
            0 => Ok(match mode {
                TransMode::Rm => Self::Oi,
                TransMode::Rc => Self::Ol,
                TransMode::Um => Self::No,
            }),
            1 => Ok(Self::Ot),
            2 => Ok(Self::Oi),
            3 => Ok(Self::Ol),
            4 => Ok(Self::No),
            _ => Err(EINVAL),
        }
    }

    /// Returns the ABI value.
    pub(crate) const fn raw(self) -> u32 {
        self as u32
    }
}

/// What an import names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum TargetType {
    /// A receive queue alone.
    Jfr = 0,
    /// A jetty.
    Jetty = 1,
    /// A group of jettys.
    JettyGroup = 2,
}

impl TargetType {
    /// Reads a raw target type.
    ///
    /// # Errors
    ///
    /// `EINVAL` for an unknown value.
    pub(crate) fn from_raw(raw: u32) -> Result<Self> {
        match raw {
            0 => Ok(Self::Jfr),
            1 => Ok(Self::Jetty),
            2 => Ok(Self::JettyGroup),
            _ => Err(EINVAL),
        }
    }

    /// Returns the ABI value.
    pub(crate) const fn raw(self) -> u32 {
        self as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn raw_values_round_trip() {
        for raw in 0..300u32 {
            if let Ok(v) = TransMode::from_raw(raw) {
                assert_eq!(v.raw(), raw);
            }
            if let Ok(v) = TpType::from_raw(raw) {
                assert_eq!(v.raw(), raw);
            }
            if let Ok(v) = TargetType::from_raw(raw) {
                assert_eq!(v.raw(), raw);
            }
        }
        for bad in [0, 3, 5, 6, 7, 8, u32::MAX] {
            assert_eq!(TransMode::from_raw(bad), Err(EINVAL));
        }
    }

    #[test]
    fn order_default_depends_on_mode() {
        assert_eq!(OrderType::resolve(0, TransMode::Rm), Ok(OrderType::Oi));
        assert_eq!(OrderType::resolve(0, TransMode::Rc), Ok(OrderType::Ol));
        assert_eq!(OrderType::resolve(0, TransMode::Um), Ok(OrderType::No));
        for raw in 1..=4 {
            let order = OrderType::resolve(raw, TransMode::Rm);
            assert_eq!(order.map(OrderType::raw), Ok(raw));
        }
        assert_eq!(OrderType::resolve(5, TransMode::Rm), Err(EINVAL));
    }
}
