// SPDX-License-Identifier: GPL-2.0

//! Notification channels: files that tell how asynchronous commands have ended.

use super::{
    channel::Channel,
    jfce::Channels,
    source::{
        Note,
        Outstanding,
        Source,
        SourceArc, //
    }, //
};
use crate::{
    bindings_ub as b,
    kernel_ext::arc::Arc,
    stats::{
        Item,
        Stats,
        Tally, //
    },
    ub::client::RequestHandler, //
};
use kernel::{
    error::code::*,
    prelude::*,
    sync::{
        Completion,
        SetOnce, //
    }, //
};

/// Largest number of commands of one channel whose end nobody has read.
const MAX_OUTSTANDING: u32 = 1024;

/// A notification channel.
#[pin_data]
pub(crate) struct Notifier {
    /// The notifications.
    #[pin]
    channel: Channel,
    /// The set it belongs to, which also says which device file it was made for.
    owner: Arc<Channels>,
    /// Its number there, once it has one.
    number: SetOnce<u32>,
    /// Commands whose end nobody has read.
    outstanding: Arc<Outstanding>,
    /// Counted while it exists.
    _tally: Tally,
}

impl Notifier {
    /// Makes a channel that is in no set yet.
    pub(crate) fn new(owner: &Arc<Channels>, stats: &Arc<Stats>) -> Result<Arc<Self>> {
        let channel = Channel::new(stats, false)?;
        let outstanding = Outstanding::new()?;
        Arc::pin_init(
            pin_init!(Self {
                channel <- channel,
                owner: owner.clone(),
                number: SetOnce::new(),
                outstanding,
                _tally: Stats::count(stats, Item::Notifier),
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
        let slot = this.owner.notifiers().reserve()?;
        this.number.populate(slot.id());
        slot.publish(this.clone());
        Ok(())
    }

    /// Takes the channel out of its set: its file is closed. What has not been read is dropped, and
    /// so is what comes.
    pub(crate) fn leave(&self) {
        self.channel.finish_and_clear();
        if let Some(slot) = self.number.copy() {
            drop(self.owner.notifiers().remove(slot));
        }
    }

    /// Tells whether the channel was made for the device file that has `channels`.
    pub(crate) fn belongs_to(&self, channels: &Arc<Channels>) -> bool {
        Arc::ptr_eq(&self.owner, channels)
    }

    /// Returns the notifications.
    pub(crate) fn channel(&self) -> &Channel {
        &self.channel
    }
}

/// Returns what a user is told of a result.
fn status(result: Result) -> u32 {
    match result {
        Ok(()) => b::UBURMA_STATUS_SUCCESS,
        Err(e) if e == EPERM => b::UBURMA_STATUS_ENOPERM,
        Err(e) if e == EAGAIN => b::UBURMA_STATUS_EAGAIN,
        Err(e) if e == ENOMEM => b::UBURMA_STATUS_ENOMEM,
        Err(e) if e == EEXIST => b::UBURMA_STATUS_EEXIST,
        Err(e) if e == EINVAL => b::UBURMA_STATUS_EINVAL,
        Err(e) if e == ETIMEDOUT => b::UBURMA_STATUS_ETIMEOUT,
        Err(e) if e == EINPROGRESS => b::UBURMA_STATUS_EINPROGRESS,
        Err(_) => b::UBURMA_STATUS_FAIL,
    }
}

/// A notification; the drop takes it out of its channel if nobody has read it.
struct Ticket {
    /// Where it is read.
    notifier: Arc<Notifier>,
    /// What is read.
    source: SourceArc,
}

impl Drop for Ticket {
    fn drop(&mut self) {
        self.notifier.channel.unlink(&self.source);
    }
}

/// An asynchronous command: its end is read through a notification channel.
#[pin_data]
pub(crate) struct Request {
    /// The notification of its end.
    ticket: Ticket,
    /// Completed at its end.
    #[pin]
    done: Completion,
}

impl Request {
    /// Makes a command that a user gave the words `user_ctx` and `data`, where `kind` is a number of
    /// `enum uburma_notify_type`.
    ///
    /// # Errors
    ///
    /// `EAGAIN` when there are too many whose end nobody has read, `ENOMEM`.
    pub(crate) fn new(
        notifier: &Arc<Notifier>,
        kind: u32,
        data: u64,
        user_ctx: u64,
    ) -> Result<Arc<Self>> {
        let note = Note::new(&notifier.outstanding, MAX_OUTSTANDING, user_ctx)?;
        let source = Source::with_note(kind, data, note)?;
        Arc::pin_init(
            pin_init!(Self {
                ticket: Ticket {
                    notifier: notifier.clone(),
                    source,
                },
                done <- Completion::new(),
            }),
            GFP_KERNEL,
        )
    }

    /// Waits for its end.
    pub(crate) fn wait(&self) {
        self.done.wait_for_completion();
    }

    /// Takes a notification that nobody has read out of the channel; none is on its way any more.
    pub(crate) fn retire(&self) {
        self.ticket.notifier.channel.retire(&self.ticket.source);
    }

    /// Tells whether it has ended well.
    pub(crate) fn is_success(&self) -> bool {
        let note = self.ticket.source.note();
        note.and_then(Note::outcome)
            .is_some_and(|(status, _)| status == b::UBURMA_STATUS_SUCCESS)
    }

    /// Tells whether its end has been read, or will never be.
    pub(crate) fn is_settled(&self) -> bool {
        self.ticket.source.note().is_none_or(Note::is_settled)
    }
}

impl RequestHandler for Request {
    fn done(&self, result: Result, tpn: Option<u32>) {
        if let Some(note) = self.ticket.source.note() {
            note.set_outcome(status(result), tpn.unwrap_or(b::UBURMA_INVALID_TPN));
        }
        self.ticket.notifier.channel.raise(&self.ticket.source);
        self.done.complete_all();
    }
}
