// SPDX-License-Identifier: GPL-2.0

//! Where events come from.

use kernel::{
    list::{
        impl_list_arc_safe,
        impl_list_item,
        AtomicTracker,
        ListLinks,
        TryNewListArc, //
    },
    prelude::*,
    sync::{
        atomic::{
            Atomic,
            Relaxed, //
        },
        Arc, //
    },
};

/// One kind of event of one object.
///
/// Belongs to the queue of one channel, whose lock protects the changes of all numbers.
#[pin_data]
pub(crate) struct Source {
    /// Type of the event, a number of the user's; 0 for completions.
    kind: u32,
    /// What the user called the object.
    data: u64,
    /// Events that nobody has read.
    pending: Atomic<u32>,
    /// Events that the user has read.
    reported: Atomic<u32>,
    /// No further events: the object is gone.
    retired: Atomic<bool>,
    /// Whether it is in the queue: while something is pending, and nobody reads it.
    #[pin]
    tracker: AtomicTracker,
    /// Place in the queue.
    #[pin]
    links: ListLinks,
}

impl_list_arc_safe! {
    impl ListArcSafe<0> for Source { tracked_by tracker: AtomicTracker; }
}
impl_list_item! {
    impl ListItem<0> for Source { using ListLinks { self.links }; }
}

impl Source {
    /// Makes a source without events.
    pub(crate) fn new(kind: u32, data: u64) -> Result<Arc<Self>> {
        Arc::pin_init(
            pin_init!(Self {
                kind,
                data,
                pending: Atomic::new(0),
                reported: Atomic::new(0),
                retired: Atomic::new(false),
                tracker <- AtomicTracker::new(),
                links <- ListLinks::new(),
            }),
            GFP_KERNEL,
        )
    }

    /// Returns type and data of its events.
    pub(crate) fn event(&self) -> (u32, u64) {
        (self.kind, self.data)
    }

    /// Returns the number of events that the user has read.
    pub(crate) fn reported(&self) -> u32 {
        self.reported.load(Relaxed)
    }

    /// Tells whether events are pending. Under the lock of the queue.
    pub(super) fn is_pending(&self) -> bool {
        self.pending.load(Relaxed) != 0
    }

    /// Adds an event, unless retired or full; returns whether it did. Under the lock of the queue.
    pub(super) fn add(&self) -> bool {
        let pending = self.pending.load(Relaxed);
        if self.retired.load(Relaxed) || pending == u32::MAX {
            return false;
        }
        self.pending.store(pending.wrapping_add(1), Relaxed);
        true
    }

    /// Takes an event away, if there is one. Under the lock of the queue.
    pub(super) fn take(&self) -> bool {
        let pending = self.pending.load(Relaxed);
        if pending != 0 {
            self.pending.store(pending.wrapping_sub(1), Relaxed);
        }
        pending != 0
    }

    /// Counts an event that the user has read. Under the lock of the queue.
    pub(super) fn count_reported(&self) {
        let reported = self.reported.load(Relaxed);
        self.reported.store(reported.wrapping_add(1), Relaxed);
    }

    /// Drops what is pending; returns how much. Under the lock of the queue.
    pub(super) fn clear(&self) -> u32 {
        self.pending.xchg(0, kernel::sync::atomic::Full)
    }

    /// Takes no further events from now on. Under the lock of the queue.
    pub(super) fn retire(&self) {
        self.retired.store(true, Relaxed);
    }
}
