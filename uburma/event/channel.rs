// SPDX-License-Identifier: GPL-2.0

//! Queues of events, and reading from them.
//!
//! # Locking
//!
//! `Channel::queue` is a spinlock that disables interrupts: drivers raise events in any context but
//! NMI. Nothing is allocated under it, and it is innermost but for the locks of wait queues.
//!
//! `Channel::delivery` is held from taking events out to having copied them to the user. Who
//! retires a source with it knows that none of its events is on the way, and that the count is
//! final.

use super::source::{
    Source,
    SourceArc, //
};
use crate::{
    command::Commit,
    kernel_ext::{
        arc::Arc,
        fops::Fasync,
        poll::{
            mask,
            PollTable,
            WaitQueue, //
        }, //
    },
    stats::{
        Item,
        Stats, //
    }, //
};
use kernel::{
    list::{
        List,
        ListArc, //
    },
    new_mutex,
    prelude::*,
    sync::{
        lock::{
            mutex::MutexBackend,
            Guard, //
        },
        new_spinlock_irq,
        Mutex,
        SpinLockIrq, //
    },
    time::{
        Instant,
        Monotonic, //
    }, //
};

/// Largest number of events that are read at a time.
pub(crate) const MAX_EVENTS: usize = 16;

/// Largest number of distinct events of the device that wait in a channel.
const MAX_GENERAL: usize = 64;

/// An event that was taken out of a queue.
enum Entry {
    /// Of an object.
    Object(SourceArc),
    /// Of the device: type and data.
    General(u32, u64),
    /// Of the device, the last one.
    Fatal(u32),
}

/// What waits to be read.
struct Queue {
    /// Objects with pending events, oldest first.
    sources: List<Source>,
    /// Events of the device, oldest first. No more than [`MAX_GENERAL`] wait to be read; the rest
    /// of the room is for those that come back from a failed delivery. None at all without room.
    general: KVec<(u32, u64)>,
    /// Type of the fatal event, if one is pending.
    fatal: Option<u32>,
    /// Nothing comes any more.
    gone: bool,
}

impl Queue {
    /// Tells whether something can be read.
    fn is_ready(&self) -> bool {
        !self.sources.is_empty() || !self.general.is_empty() || self.fatal.is_some()
    }

    /// Takes the next event out.
    fn pop(&mut self) -> Option<Entry> {
        if let Ok((kind, data)) = self.general.remove(0) {
            return Some(Entry::General(kind, data));
        }
        while let Some(item) = self.sources.pop_front() {
            let source = item.into_arc();
            if !source.take() {
                continue;
            }
            if source.is_pending() {
                self.link(&source, false);
            }
            return Some(Entry::Object(source));
        }
        self.fatal.take().map(Entry::Fatal)
    }

    /// Puts an event back that could not be delivered; returns whether it is in the queue again.
    fn put_back(&mut self, entry: Entry) -> bool {
        if self.gone_for_good() {
            return false;
        }
        match entry {
            Entry::Object(source) => {
                let added = source.add();
                if added {
                    self.link(&source, true);
                }
                added
            }
            Entry::General(kind, data) => {
                self.general.insert_within_capacity(0, (kind, data)).is_ok()
            }
            Entry::Fatal(kind) => self.fatal.replace(kind).is_none(),
        }
    }

    /// Tells whether the queue was emptied at the end, and has to stay empty.
    fn gone_for_good(&self) -> bool {
        self.gone && self.general.capacity() == 0
    }

    /// Queues a source, unless it is queued.
    fn link(&mut self, source: &SourceArc, front: bool) {
        match ListArc::try_from_arc(source.clone()) {
            Ok(item) if front => self.sources.push_front(item),
            Ok(item) => self.sources.push_back(item),
            Err(_queued) => (),
        }
    }

    /// Takes a source out of the queue.
    fn unlink(&mut self, source: &SourceArc) -> Option<ListArc<Source>> {
        let mut cursor = self.sources.cursor_front();
        while let Some(next) = cursor.peek_next() {
            if core::ptr::eq(&*next, &**source) {
                return Some(next.remove());
            }
            cursor.move_next();
        }
        None
    }
}

/// How long to wait for events.
#[derive(Clone, Copy)]
pub(crate) enum Patience {
    /// Not at all.
    None,
    /// For some milliseconds.
    Millis(u32),
    /// For ever.
    Forever,
}

/// A queue of events with a file to read them.
#[pin_data]
pub(crate) struct Channel {
    /// What waits to be read. See the locking rules above.
    #[pin]
    queue: SpinLockIrq<Queue>,
    /// Held while events are being delivered. See the locking rules above.
    #[pin]
    delivery: Mutex<()>,
    /// Who waits for events.
    wait: WaitQueue,
    /// Who wants a signal for them.
    fasync: Fasync,
    /// Counters of the module.
    stats: Arc<Stats>,
}

impl Channel {
    /// Makes an empty channel, with or without room for events of the device.
    pub(crate) fn new(stats: &Arc<Stats>, with_general: bool) -> Result<impl PinInit<Self>> {
        let wait = WaitQueue::new()?;
        let room = if with_general {
            MAX_GENERAL + MAX_EVENTS
        } else {
            0
        };
        let queue = Queue {
            sources: List::new(),
            general: KVec::with_capacity(room, GFP_KERNEL)?,
            fatal: None,
            gone: false,
        };
        let stats = stats.clone();
        Ok(pin_init!(Self {
            queue <- new_spinlock_irq!(queue, "uburma::Channel::queue"),
            delivery <- new_mutex!((), "uburma::Channel::delivery"),
            wait,
            fasync: Fasync::new(),
            stats,
        }))
    }

    /// Changes the queue, then wakes whom it may concern if `change` says so.
    fn change(&self, events: u32, change: impl FnOnce(&mut Queue) -> bool) {
        let changed = change(&mut self.queue.lock());
        if changed {
            self.wait.notify(events);
            self.fasync.notify(kernel::bindings::POLL_IN);
        }
    }

    /// Reports an event of an object. Any context but NMI.
    pub(crate) fn raise(&self, source: &SourceArc) {
        self.change(mask::IN | mask::RDNORM, |queue| {
            if queue.gone {
                source.forsake();
            }
            let raise = !queue.gone && source.add();
            if raise {
                queue.link(source, false);
                self.stats.add(Item::Event, 1);
            }
            raise
        });
    }

    /// Reports an event of the device. The same one, if it waits already, gives way: so there are
    /// no more of them than differ, and the last one read tells how things are.
    ///
    /// Lost when too many different ones wait.
    pub(crate) fn raise_general(&self, kind: u32, data: u64) {
        self.change(mask::IN | mask::RDNORM, |queue| {
            if queue.gone {
                return false;
            }
            let known = queue
                .general
                .iter()
                .position(|event| *event == (kind, data));
            let known = known.is_some_and(|at| queue.general.remove(at).is_ok());
            let room = queue.general.capacity().min(MAX_GENERAL);
            let raised = queue.general.len() < room
                && queue.general.push_within_capacity((kind, data)).is_ok();
            self.stats
                .add(Item::Event, i64::from(raised) - i64::from(known));
            raised
        });
    }

    /// Reports the event that the device does not work any more; it is read last.
    pub(crate) fn raise_fatal(&self, kind: u32) {
        self.change(mask::IN | mask::RDNORM, |queue| {
            if !queue.gone && queue.fatal.replace(kind).is_none() {
                self.stats.add(Item::Event, 1);
            }
            true
        });
    }

    /// Lets nothing in any more: readers find what is there, then the end.
    pub(crate) fn finish(&self) {
        self.change(mask::IN | mask::HUP, |queue| {
            queue.gone = true;
            true
        });
    }

    /// Lets nothing in any more, and drops what is there.
    pub(crate) fn finish_and_clear(&self) {
        let mut sources = List::new();
        let mut general = KVec::new();
        self.change(mask::IN | mask::HUP, |queue| {
            queue.gone = true;
            core::mem::swap(&mut sources, &mut queue.sources);
            core::mem::swap(&mut general, &mut queue.general);
            let mut dropped = 0;
            for source in &sources {
                dropped += i64::from(source.clear());
                source.forsake();
            }
            let fatal = i64::from(queue.fatal.take().is_some());
            self.stats
                .add(Item::Event, -(dropped + fatal + general.len() as i64));
            true
        });
        // What the queue held is dropped here, without the lock.
    }

    /// Ends a source: drops what is pending and takes nothing more.
    ///
    /// An event that is being delivered may still be counted afterwards.
    pub(crate) fn unlink(&self, source: &SourceArc) {
        let mut queue = self.queue.lock();
        source.retire();
        self.stats.add(Item::Event, -i64::from(source.clear()));
        let item = queue.unlink(source);
        drop(queue);
        drop(item);
    }

    /// As [`Self::unlink`]; the number of reported events is final on return. May sleep.
    pub(crate) fn retire(&self, source: &SourceArc) {
        let _turn = self.delivery.lock();
        self.unlink(source);
    }

    /// Returns what poll has to say.
    pub(crate) fn poll(&self, table: &PollTable<'_>) -> u32 {
        table.register(&self.wait);
        let queue = self.queue.lock();
        let ready = if queue.is_ready() {
            mask::IN | mask::RDNORM
        } else {
            0
        };
        ready | if queue.gone { mask::HUP } else { 0 }
    }

    /// Returns who wants a signal for events.
    pub(crate) fn fasync(&self) -> &Fasync {
        &self.fasync
    }

    /// Takes at most `max` events out, waiting for the first one.
    ///
    /// Returns `None` when the time is over.
    ///
    /// # Errors
    ///
    /// `EAGAIN` if there is none and no patience, `ERESTARTSYS` for a signal, `EIO` when the end
    /// is reached.
    pub(crate) fn read(&self, max: usize, patience: Patience) -> Result<Option<Delivery<'_>>> {
        let start = Instant::<Monotonic>::now();
        loop {
            if let Some(delivery) = self.take(max) {
                return Ok(Some(delivery));
            }
            if self.queue.lock().gone {
                return Err(EIO);
            }
            let left = match patience {
                Patience::None => return Err(EAGAIN),
                Patience::Forever => None,
                Patience::Millis(total) => {
                    let gone = start.elapsed().as_millis();
                    Some(u32::try_from(i64::from(total).saturating_sub(gone)).unwrap_or(0))
                }
            };
            let more = || {
                let queue = self.queue.lock();
                queue.is_ready() || queue.gone
            };
            if !self.wait.wait(left, more)? {
                return Ok(None);
            }
        }
    }

    /// Takes at most `max` events out, if there are any.
    fn take(&self, max: usize) -> Option<Delivery<'_>> {
        let turn = self.delivery.lock();
        let mut entries = [const { None }; MAX_EVENTS];
        let mut queue = self.queue.lock();
        for entry in entries.iter_mut().take(max) {
            *entry = queue.pop();
        }
        drop(queue);
        entries.first()?.is_some().then_some(Delivery {
            channel: self,
            entries,
            _turn: turn,
        })
    }
}

/// Events on the way to the user: delivered by the commit, else put back by the drop.
pub(crate) struct Delivery<'a> {
    /// Where they come from.
    channel: &'a Channel,
    /// The events, in order; those after the first `None` are all `None`.
    entries: [Option<Entry>; MAX_EVENTS],
    /// Keeps other readers, and those who retire sources, away.
    _turn: Guard<'a, (), MutexBackend>,
}

impl Delivery<'_> {
    /// Returns type and data of each event.
    pub(crate) fn events(&self) -> impl Iterator<Item = (u32, u64)> + '_ {
        self.entries.iter().flatten().map(|entry| match entry {
            Entry::Object(source) => source.event(),
            Entry::General(kind, data) => (*kind, *data),
            Entry::Fatal(kind) => (*kind, 0),
        })
    }
}

/// A notification, as the user gets it.
#[derive(Clone, Copy)]
pub(crate) struct Notification {
    /// A number of `enum uburma_notify_type`.
    pub(crate) kind: u32,
    /// A number of `enum uburma_status`.
    pub(crate) status: u32,
    /// The user's word for the command.
    pub(crate) user_ctx: u64,
    /// The user's word for the object.
    pub(crate) data: u64,
    /// Number of the transport path.
    pub(crate) tpn: u32,
}

impl Delivery<'_> {
    /// Returns the notifications; other events are left out.
    pub(crate) fn notifications(&self) -> impl Iterator<Item = Notification> + '_ {
        self.entries.iter().flatten().filter_map(|entry| {
            let Entry::Object(source) = entry else {
                return None;
            };
            let (kind, data) = source.event();
            let note = source.note()?;
            let (status, tpn) = note.outcome()?;
            Some(Notification {
                kind,
                status,
                user_ctx: note.user_ctx(),
                data,
                tpn,
            })
        })
    }
}

impl Commit for Delivery<'_> {
    fn commit(mut self) -> Result {
        let queue = self.channel.queue.lock();
        let mut count = 0;
        for entry in self.entries.iter().flatten() {
            if let Entry::Object(source) = entry {
                source.count_reported();
            }
            count += 1;
        }
        drop(queue);
        self.channel.stats.add(Item::Event, -count);
        self.entries = [const { None }; MAX_EVENTS];
        Ok(())
    }
}

impl Drop for Delivery<'_> {
    fn drop(&mut self) {
        let entries = &mut self.entries;
        if entries.iter().all(Option::is_none) {
            return;
        }
        self.channel.change(mask::IN | mask::RDNORM, |queue| {
            for entry in entries.iter_mut().rev() {
                if entry.take().is_some_and(|entry| !queue.put_back(entry)) {
                    self.channel.stats.add(Item::Event, -1);
                }
            }
            true
        });
    }
}
