// SPDX-License-Identifier: GPL-2.0

//! How many objects there are, for tests that look for leaks.
//!
//! `/sys/kernel/debug/ubcore/objects` shows one line for each class.

use crate::kernel_ext::hot::HotCount;
use kernel::{
    fmt,
    prelude::*,
    sync::atomic::{
        Atomic,
        Relaxed, //
    },
};

/// A class of objects that are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Class {
    /// Contexts of user processes.
    Ucontext,
    /// Registered segments.
    Seg,
    /// Imported segments.
    Tseg,
    /// Token ids.
    TokenId,
    /// Completion queues.
    Jfc,
    /// Send queues.
    Jfs,
    /// Receive queues.
    Jfr,
    /// Jettys.
    Jetty,
    /// Jetty groups.
    JettyGroup,
    /// Imported jettys and receive queues.
    Tjetty,
    /// Transport paths in use.
    Tp,
    /// Transport paths that were listed for somebody.
    TpOffer,
    /// Doorbells that are not revoked.
    Doorbell,
    /// Asynchronous events that wait for delivery.
    Event,
    /// Requests under way.
    Request,
}

/// The names of the classes, in the order of [`Class`].
const NAMES: [&str; 15] = [
    "ucontext",
    "seg",
    "tseg",
    "token_id",
    "jfc",
    "jfs",
    "jfr",
    "jetty",
    "jetty_grp",
    "tjetty",
    "tp",
    "tp_offer",
    "doorbell",
    "event",
    "request",
];

/// The number of objects of each class.
pub(crate) struct Counters([Atomic<i32>; NAMES.len()]);

impl Counters {
    /// Makes counters that are zero.
    pub(crate) fn new() -> Self {
        Self([const { Atomic::new(0) }; NAMES.len()])
    }

    /// Counts one more.
    #[inline]
    pub(crate) fn up(&self, class: Class) {
        if let Some(count) = self.0.get(class as usize) {
            count.hot_add(1);
        }
    }

    /// Counts one less.
    #[inline]
    pub(crate) fn down(&self, class: Class) {
        if let Some(count) = self.0.get(class as usize) {
            count.hot_add(-1);
        }
    }

    /// Returns the number of objects of a class.
    #[cfg_attr(not(CONFIG_KUNIT), allow(dead_code))]
    pub(crate) fn get(&self, class: Class) -> i32 {
        self.0.get(class as usize).map_or(0, |c| c.load(Relaxed))
    }

    /// Goes through names and numbers.
    fn iter(&self) -> impl Iterator<Item = (&'static str, i32)> + '_ {
        NAMES
            .into_iter()
            .zip(&self.0)
            .map(|(name, count)| (name, count.load(Relaxed)))
    }

    /// Writes one line for each class.
    pub(crate) fn show(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, count) in self.iter() {
            writeln!(out, "{name} {count}")?;
        }
        Ok(())
    }

    /// Warns of what is left when nothing may be.
    pub(crate) fn report_leaks(&self) {
        for (name, count) in self.iter().filter(|(_, count)| *count != 0) {
            pr_warn!("leak: {count} of class {name}\n");
        }
    }
}
