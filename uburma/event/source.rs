// SPDX-License-Identifier: GPL-2.0

//! Where events come from.

use crate::kernel_ext::arc::Arc;
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
            Full,
            Relaxed, //
        },
        SetOnce, //
    }, //
};

/// How many asynchronous commands of a channel there are whose end nobody has read.
pub(crate) struct Outstanding(Atomic<u32>);

impl Outstanding {
    /// Makes a count of zero.
    pub(crate) fn new() -> Result<Arc<Self>> {
        Ok(Arc::new(Self(Atomic::new(0)), GFP_KERNEL)?)
    }
}

/// What a notification says of the end of an asynchronous command.
pub(crate) struct Note {
    /// A word of the user's.
    user_ctx: u64,
    /// Status and number of the transport path, once it has ended.
    outcome: SetOnce<(u32, u32)>,
    /// Where it is counted.
    outstanding: Arc<Outstanding>,
    /// Whether it is counted still: neither read nor dropped.
    counted: Atomic<bool>,
}

impl Note {
    /// Makes one of a command that has not ended; `EAGAIN` if `max` are outstanding.
    pub(crate) fn new(outstanding: &Arc<Outstanding>, max: u32, user_ctx: u64) -> Result<Self> {
        let count = &outstanding.0;
        if count.fetch_add(1, Relaxed) >= max {
            count.fetch_sub(1, Relaxed);
            return Err(EAGAIN);
        }
        Ok(Self {
            user_ctx,
            outcome: SetOnce::new(),
            outstanding: outstanding.clone(),
            counted: Atomic::new(true),
        })
    }

    /// Returns the user's word.
    pub(crate) fn user_ctx(&self) -> u64 {
        self.user_ctx
    }

    /// Says how the command has ended.
    pub(crate) fn set_outcome(&self, status: u32, tpn: u32) {
        self.outcome.populate((status, tpn));
    }

    /// Returns how the command has ended, once it has.
    pub(crate) fn outcome(&self) -> Option<(u32, u32)> {
        self.outcome.as_ref().copied()
    }

    /// Tells whether the end has been read, or will never be.
    pub(crate) fn is_settled(&self) -> bool {
        !self.counted.load(Relaxed)
    }

    /// Counts it no more.
    fn settle(&self) {
        if self.counted.xchg(false, Full) {
            self.outstanding.0.fetch_sub(1, Relaxed);
        }
    }
}

impl Drop for Note {
    fn drop(&mut self) {
        self.settle();
    }
}

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
    /// Of a notification: what it says.
    note: Option<Note>,
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

/// A counted pointer to a source: of the kernel crate, since its lists have no others.
pub(crate) type SourceArc = kernel::sync::Arc<Source>;

impl Source {
    /// Makes a source without events.
    pub(crate) fn new(kind: u32, data: u64) -> Result<SourceArc> {
        Self::make(kind, data, None)
    }

    /// Makes the source of a notification.
    pub(crate) fn with_note(kind: u32, data: u64, note: Note) -> Result<SourceArc> {
        Self::make(kind, data, Some(note))
    }

    /// Makes a source.
    fn make(kind: u32, data: u64, note: Option<Note>) -> Result<SourceArc> {
        SourceArc::pin_init(
            pin_init!(Self {
                kind,
                data,
                pending: Atomic::new(0),
                reported: Atomic::new(0),
                retired: Atomic::new(false),
                note,
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

    /// Returns what a notification says.
    pub(crate) fn note(&self) -> Option<&Note> {
        self.note.as_ref()
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
        if let Some(note) = &self.note {
            note.settle();
        }
    }

    /// Drops what is pending; returns how much. Under the lock of the queue.
    pub(super) fn clear(&self) -> u32 {
        self.pending.xchg(0, kernel::sync::atomic::Full)
    }

    /// Takes no further events from now on. Under the lock of the queue.
    pub(super) fn retire(&self) {
        self.retired.store(true, Relaxed);
        self.forsake();
    }

    /// Notes that nobody will read what it has to say: its channel is closed.
    pub(super) fn forsake(&self) {
        if let Some(note) = &self.note {
            note.settle();
        }
    }
}
