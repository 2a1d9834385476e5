// SPDX-License-Identifier: GPL-2.0

//! Completion event channels (JFCE): files that tell which completion queues have something.

use super::{
    channel::Channel,
    notifier::Notifier, //
};
use crate::{
    kernel_ext::{
        arc::Arc,
        handle_table::HandleTable, //
    },
    stats::{
        Item,
        Stats,
        Tally, //
    }, //
};
use kernel::{
    prelude::*,
    sync::{
        atomic::{
            Atomic,
            Relaxed, //
        },
        SetOnce, //
    }, //
};

/// The completion event channels and notification channels of one open device file.
///
/// The channels know it, and it knows them until their files are closed: so there is no cycle that
/// lasts.
#[pin_data]
pub(crate) struct Channels {
    /// The channels, by numbers that nobody else sees.
    #[pin]
    table: HandleTable<Jfce>,
    /// Their number.
    count: Atomic<u32>,
    /// The notification channels, likewise.
    #[pin]
    notifiers: HandleTable<Notifier>,
}

impl Channels {
    /// Makes an empty set.
    pub(crate) fn new() -> Result<Arc<Self>> {
        Arc::pin_init(
            pin_init!(Self {
                table <- new_handle_table!(),
                count: Atomic::new(0),
                notifiers <- new_handle_table!(),
            }),
            GFP_KERNEL,
        )
    }

    /// Returns the number of channels.
    pub(crate) fn count(&self) -> u32 {
        self.count.load(Relaxed)
    }

    /// Ends all channels: readers get `EIO`.
    pub(crate) fn finish(&self) {
        for (_, jfce) in self.table.newest_first() {
            jfce.channel.finish_and_clear();
        }
        for (_, notifier) in self.notifiers.newest_first() {
            notifier.channel().finish_and_clear();
        }
    }

    /// Returns the notification channels.
    pub(super) fn notifiers(&self) -> &HandleTable<Notifier> {
        &self.notifiers
    }
}

/// A completion event channel.
#[pin_data]
pub(crate) struct Jfce {
    /// The events.
    #[pin]
    channel: Channel,
    /// The set it belongs to, which also says which device file it was made for.
    owner: Arc<Channels>,
    /// Its number there, once it has one.
    number: SetOnce<u32>,
    /// Counted while it exists.
    _tally: Tally,
}

impl Jfce {
    /// Makes a channel that is in no set yet.
    pub(crate) fn new(owner: &Arc<Channels>, stats: &Arc<Stats>) -> Result<Arc<Self>> {
        let channel = Channel::new(stats, false)?;
        Arc::pin_init(
            pin_init!(Self {
                channel <- channel,
                owner: owner.clone(),
                number: SetOnce::new(),
                _tally: Stats::count(stats, Item::Jfce),
            }),
            GFP_KERNEL,
        )
    }

    /// Puts the channel into its set.
    ///
    /// # Errors
    ///
    /// `ENOMEM`, `EBUSY` when the set is full.
    pub(crate) fn join(this: &Arc<Self>) -> Result {
        let slot = this.owner.table.reserve()?;
        this.number.populate(slot.id());
        this.owner.count.fetch_add(1, Relaxed);
        slot.publish(this.clone());
        Ok(())
    }

    /// Takes the channel out of its set: its file is closed.
    pub(crate) fn leave(&self) {
        let Some(slot) = self.number.copy() else {
            return;
        };
        if let Some(this) = self.owner.table.remove(slot) {
            self.owner.count.fetch_sub(1, Relaxed);
            drop(this);
        }
    }

    /// Tells whether the channel was made for the device file that has `channels`.
    pub(crate) fn belongs_to(&self, channels: &Arc<Channels>) -> bool {
        Arc::ptr_eq(&self.owner, channels)
    }

    /// Returns the events.
    pub(crate) fn channel(&self) -> &Channel {
        &self.channel
    }
}
