// SPDX-License-Identifier: GPL-2.0

//! Asynchronous event channels (JFAE): one for each context.

use super::channel::Channel;
use crate::{
    bindings_ub as b,
    kernel_ext::arc::Arc,
    stats::{
        Item,
        Stats,
        Tally, //
    },
    ub::client::EventType, //
};
use kernel::prelude::*;

/// An asynchronous event channel.
#[pin_data]
pub(crate) struct Jfae {
    /// The events.
    #[pin]
    channel: Channel,
    /// Counted while it exists.
    _tally: Tally,
}

/// Returns the user's number of an event of ubcore, if users may see it.
fn user_type(event: EventType) -> Option<u32> {
    Some(match event {
        EventType::JFC_ERR => b::UBURMA_EVENT_JFC_ERR,
        EventType::JFS_ERR => b::UBURMA_EVENT_JFS_ERR,
        EventType::JFR_ERR => b::UBURMA_EVENT_JFR_ERR,
        EventType::JFR_LIMIT => b::UBURMA_EVENT_JFR_LIMIT,
        EventType::JETTY_ERR => b::UBURMA_EVENT_JETTY_ERR,
        EventType::JETTY_LIMIT => b::UBURMA_EVENT_JETTY_LIMIT,
        EventType::JETTY_GRP_ERR => b::UBURMA_EVENT_JETTY_GRP_ERR,
        EventType::PORT_ACTIVE => b::UBURMA_EVENT_PORT_ACTIVE,
        EventType::PORT_DOWN => b::UBURMA_EVENT_PORT_DOWN,
        EventType::DEV_FATAL => b::UBURMA_EVENT_DEV_FATAL,
        EventType::EID_CHANGE => b::UBURMA_EVENT_EID_CHANGE,
        _ => return None,
    })
}

/// Returns the user's number of an event of an object, if there is such an event.
pub(super) fn object_event_type(event: EventType) -> Option<u32> {
    user_type(event).filter(|kind| *kind <= b::UBURMA_EVENT_JETTY_GRP_ERR)
}

impl Jfae {
    /// Makes a channel.
    pub(crate) fn new(stats: &Arc<Stats>) -> Result<Arc<Self>> {
        let channel = Channel::new(stats, true)?;
        Arc::pin_init(
            pin_init!(Self {
                channel <- channel,
                _tally: Stats::count(stats, Item::Jfae),
            }),
            GFP_KERNEL,
        )
    }

    /// Returns the events.
    pub(crate) fn channel(&self) -> &Channel {
        &self.channel
    }

    /// Reports an event of the device, unless it is none for users.
    pub(crate) fn report(&self, event: EventType, number: u32) {
        match (event, user_type(event)) {
            (EventType::DEV_FATAL, Some(kind)) => self.channel.raise_fatal(kind),
            (EventType::PORT_ACTIVE | EventType::PORT_DOWN | EventType::EID_CHANGE, Some(kind)) => {
                self.channel.raise_general(kind, u64::from(number));
            }
            _ => (),
        }
    }
}
