// SPDX-License-Identifier: GPL-2.0

//! Counters of what exists, for `/sys/kernel/debug/uburma/objects` and the check at unload.

use crate::kernel_ext::{
    arc::Arc,
    hot::HotCount, //
};
use kernel::{
    fmt,
    prelude::*,
    sync::atomic::{
        Atomic,
        Relaxed, //
    }, //
};

/// What is counted.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Item {
    /// Open device files.
    File,
    /// Contexts.
    Context,
    /// Objects named by handle, destroyed ones included that still have their handle.
    Object,
    /// Completion event channels.
    Jfce,
    /// Asynchronous event channels.
    Jfae,
    /// Notification channels.
    Notifier,
    /// Events that nobody has read yet.
    Event,
}

/// Names, in the order of [`Item`].
const NAMES: [&str; 7] = [
    "files", "contexts", "uobjects", "jfce", "jfae", "notifier", "events",
];

/// The counters of the module.
pub(crate) struct Stats([Atomic<i64>; NAMES.len()]);

impl Stats {
    /// Makes counters at zero.
    pub(crate) fn new() -> Result<Arc<Self>> {
        Ok(Arc::new(
            Self([const { Atomic::new(0) }; NAMES.len()]),
            GFP_KERNEL,
        )?)
    }

    /// Adds to a counter. Any context.
    pub(crate) fn add(&self, item: Item, n: i64) {
        if let Some(counter) = self.0.get(item as usize) {
            counter.hot_add(n);
        }
    }

    /// Counts one until the result is dropped.
    pub(crate) fn count(this: &Arc<Self>, item: Item) -> Tally {
        this.add(item, 1);
        Tally {
            stats: this.clone(),
            item,
        }
    }

    /// Returns names and values.
    fn values(&self) -> impl Iterator<Item = (&'static str, i64)> + '_ {
        let values = self.0.iter().map(|counter| counter.load(Relaxed));
        NAMES.into_iter().zip(values)
    }

    /// Complains about what should be gone.
    pub(crate) fn check_empty(&self) {
        for (name, value) in self.values().filter(|(_, value)| *value != 0) {
            pr_warn!("{} {} left at unload\n", value, name);
        }
    }

    /// Shows a counter per line.
    pub(crate) fn show(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, value) in self.values() {
            writeln!(f, "{name} {value}")?;
        }
        Ok(())
    }
}

/// One counted thing.
pub(crate) struct Tally {
    /// The counters.
    stats: Arc<Stats>,
    /// Which of them.
    item: Item,
}

impl Drop for Tally {
    fn drop(&mut self) {
        self.stats.add(self.item, -1);
    }
}
