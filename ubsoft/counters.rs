// SPDX-License-Identifier: GPL-2.0

//! How many objects of each kind exist: what tests compare before and after.

use crate::kernel_ext::{
    arc::Arc,
    hot::HotCount, //
};
use core::fmt;
use kernel::{
    prelude::*,
    sync::atomic::{
        Atomic,
        Relaxed, //
    }, //
};

/// Kind of a counted object.
#[derive(Clone, Copy)]
pub(crate) enum Kind {
    /// Registered devices.
    Devices,
    /// Contexts of user processes.
    Contexts,
    /// Rings.
    Rings,
    /// Their pages.
    RingPages,
    /// Token ids.
    Tokens,
    /// Registered segments.
    Segments,
    /// Pages that segments have pinned.
    PinnedPages,
    /// Completion queues.
    Jfc,
    /// Send queues.
    Jfs,
    /// Receive queues.
    Jfr,
    /// Jettys.
    Jetty,
    /// Jetty groups.
    Groups,
    /// Imports.
    Targets,
    /// Imported segments that can be mapped.
    Windows,
    /// Transport paths.
    Paths,
    /// Timers of moderated completion queues.
    Alarms,
    /// Threads that poll send queues.
    Pollers,
    /// Queued works.
    Works,
}

/// All kinds.
pub(crate) const KINDS: [Kind; NAMES.len()] = [
    Kind::Devices,
    Kind::Contexts,
    Kind::Rings,
    Kind::RingPages,
    Kind::Tokens,
    Kind::Segments,
    Kind::PinnedPages,
    Kind::Jfc,
    Kind::Jfs,
    Kind::Jfr,
    Kind::Jetty,
    Kind::Groups,
    Kind::Targets,
    Kind::Windows,
    Kind::Paths,
    Kind::Alarms,
    Kind::Pollers,
    Kind::Works,
];

/// The names that debugfs shows, by kind.
const NAMES: [&str; 18] = [
    "devices",
    "contexts",
    "rings",
    "ring_pages",
    "tokens",
    "segments",
    "pinned_pages",
    "jfc",
    "jfs",
    "jfr",
    "jetty",
    "groups",
    "targets",
    "windows",
    "paths",
    "alarms",
    "pollers",
    "works",
];

/// All counters of the module.
pub(crate) struct Counters([Atomic<i64>; NAMES.len()]);

impl Counters {
    /// Makes counters at zero.
    pub(crate) fn new() -> Result<Arc<Self>> {
        Ok(Arc::new(
            Self([const { Atomic::new(0) }; NAMES.len()]),
            GFP_KERNEL,
        )?)
    }

    /// Changes a counter.
    pub(crate) fn change(&self, kind: Kind, by: i64) {
        if let Some(counter) = self.0.get(kind as usize) {
            counter.hot_add(by);
        }
    }

    /// Goes through kinds, names and values.
    pub(crate) fn all(&self) -> impl Iterator<Item = (Kind, &'static str, i64)> + '_ {
        let values = self.0.iter().map(|counter| counter.load(Relaxed));
        Iterator::zip(KINDS.into_iter().zip(NAMES), values)
            .map(|((kind, name), value)| (kind, name, value))
    }

    /// Goes through names and values.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&'static str, i64)> + '_ {
        self.all().map(|(_, name, value)| (name, value))
    }
}

/// What debugfs shows: a line for each kind.
pub(crate) struct Report(pub(crate) Arc<Counters>);

impl fmt::Debug for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, (name, value)) in self.0.iter().enumerate() {
            // The file ends with the newline that debugfs adds.
            let separator = if i == 0 { "" } else { "\n" };
            write!(f, "{separator}{name} {value}")?;
        }
        Ok(())
    }
}

/// Stands for counted objects, of `N` kinds, as long as they exist.
pub(crate) struct Count<const N: usize = 1> {
    counters: Arc<Counters>,
    /// How many of which kind; 0 once they are gone.
    amounts: [(Kind, Atomic<i64>); N],
}

impl Count {
    /// Counts one object.
    pub(crate) fn one(counters: &Arc<Counters>, kind: Kind) -> Self {
        Self::many(counters, kind, 1)
    }

    /// Counts `amount` objects.
    pub(crate) fn many(counters: &Arc<Counters>, kind: Kind, amount: i64) -> Self {
        Self::of(counters, [(kind, amount)])
    }
}

impl<const N: usize> Count<N> {
    /// Counts objects of some kinds.
    pub(crate) fn of(counters: &Arc<Counters>, amounts: [(Kind, i64); N]) -> Self {
        Self {
            counters: counters.clone(),
            amounts: amounts.map(|(kind, amount)| {
                counters.change(kind, amount);
                (kind, Atomic::new(amount))
            }),
        }
    }

    /// Says that the objects are gone, though their memory may stay a while. Again does nothing.
    pub(crate) fn release(&self) {
        for (kind, amount) in &self.amounts {
            let gone = amount.hot_xchg(0);
            if gone != 0 {
                self.counters.change(*kind, gone.wrapping_neg());
            }
        }
    }
}

impl<const N: usize> Drop for Count<N> {
    fn drop(&mut self) {
        self.release();
    }
}
