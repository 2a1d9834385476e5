// SPDX-License-Identifier: GPL-2.0

//! The parts of the flag words that the core looks at.
//!
//! Positions are those of the unions in `ubcore_types.h`, low bit first.

use crate::{
    bindings_ub::{
        ubcore_import_jetty_flag,
        ubcore_jetty_flag,
        ubcore_jfr_flag,
        ubcore_jfs_flag, //
    },
    logic::types::OrderType,
    ub::common::FlagWord,
};

/// A flag word with an order type of eight bits.
pub(crate) trait OrderFlag: FlagWord {
    /// Position of the order type.
    const SHIFT: u32;

    /// Returns the raw order type.
    fn order(&self) -> u32 {
        (self.word() >> Self::SHIFT) & 0xff
    }

    /// Replaces the order type.
    fn set_order(&mut self, order: OrderType) {
        let cleared = self.word() & !(0xff << Self::SHIFT);
        *self = Self::from_word(cleared | (order.raw() << Self::SHIFT));
    }
}

impl OrderFlag for ubcore_jfs_flag {
    const SHIFT: u32 = 3;
}

impl OrderFlag for ubcore_jfr_flag {
    const SHIFT: u32 = 5;
}

impl OrderFlag for ubcore_jetty_flag {
    const SHIFT: u32 = 4;
}

impl OrderFlag for ubcore_import_jetty_flag {
    const SHIFT: u32 = 3;
}

/// Returns the token policy, which is in the lowest three bits of several words.
pub(crate) fn token_policy(word: u32) -> u32 {
    word & 7
}

/// Returns whether a jetty receives from an existing JFR.
pub(crate) fn shares_jfr(flag: &ubcore_jetty_flag) -> bool {
    flag.word() & 1 != 0
}

/// Returns whether imports with the same tags may use the same transport path.
pub(crate) fn shares_tp(flag: &ubcore_import_jetty_flag) -> bool {
    flag.word() & (1 << 11) != 0
}

/// Returns the flags of a jetty with those of its send side replaced.
pub(crate) fn jetty_send_flags(
    jetty: &ubcore_jetty_flag,
    send: &ubcore_jfs_flag,
) -> ubcore_jetty_flag {
    ubcore_jetty_flag::from_word((jetty.word() & 1) | (send.word() << 1))
}
