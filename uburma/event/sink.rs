// SPDX-License-Identifier: GPL-2.0

//! Where the events of an object go.

use super::{
    jfae::{
        object_event_type,
        Jfae, //
    },
    jfce::Jfce,
    source::{
        Source,
        SourceArc, //
    }, //
};
use crate::{
    kernel_ext::arc::Arc,
    ub::client::{
        EventType,
        QueueHandler, //
    }, //
};
use kernel::prelude::*;

/// Most types of asynchronous events that an object has.
const MAX_EVENTS: usize = 2;

/// The completion events of a JFC.
struct Completions {
    /// Where they are read.
    jfce: Arc<Jfce>,
    /// The events.
    source: SourceArc,
}

/// What an object has of event sources.
///
/// The handler of a driver's object: it lives until that is destroyed. The drop takes what nobody
/// has read out of the channels.
pub(crate) struct Sink {
    /// Completion events, of a JFC that has a channel.
    completions: Option<Completions>,
    /// Where asynchronous events are read.
    jfae: Arc<Jfae>,
    /// Asynchronous events, by type.
    events: [Option<SourceArc>; MAX_EVENTS],
}

/// Numbers of events that the user has read.
#[derive(Clone, Copy, Default)]
pub(crate) struct Reported {
    /// Completion events.
    pub(crate) completions: u32,
    /// Asynchronous events.
    pub(crate) events: u32,
}

impl Reported {
    /// Adds those of another object.
    pub(crate) fn add(&mut self, other: Self) {
        self.completions = self.completions.wrapping_add(other.completions);
        self.events = self.events.wrapping_add(other.events);
    }
}

impl Sink {
    /// Makes the sources of an object that the user calls `data`.
    ///
    /// `events` are the types it may raise; `jfce` is for a JFC.
    pub(crate) fn new(
        jfae: &Arc<Jfae>,
        data: u64,
        events: &[EventType],
        jfce: Option<Arc<Jfce>>,
    ) -> Result<Arc<Self>> {
        let completions = match jfce {
            Some(jfce) => Some(Completions {
                jfce,
                source: Source::new(0, data)?,
            }),
            None => None,
        };
        let mut sources = [const { None }; MAX_EVENTS];
        let mut free = sources.iter_mut();
        for kind in events.iter().filter_map(|event| object_event_type(*event)) {
            *free.next().ok_or(EINVAL)? = Some(Source::new(kind, data)?);
        }
        let this = Self {
            completions,
            jfae: jfae.clone(),
            events: sources,
        };
        Ok(Arc::new(this, GFP_KERNEL)?)
    }

    /// Ends all sources, and returns how much of them the user has read; final.
    pub(crate) fn retire(&self) -> Reported {
        if let Some(completions) = &self.completions {
            completions.jfce.channel().retire(&completions.source);
        }
        for source in self.events.iter().flatten() {
            self.jfae.channel().retire(source);
        }
        Reported {
            completions: self.completions.as_ref().map_or(0, |c| c.source.reported()),
            events: self
                .events
                .iter()
                .flatten()
                .fold(0, |sum, source| sum.wrapping_add(source.reported())),
        }
    }
}

impl QueueHandler for Sink {
    fn completion(&self) {
        if let Some(completions) = &self.completions {
            completions.jfce.channel().raise(&completions.source);
        }
    }

    fn event(&self, event: EventType) {
        let kind = object_event_type(event);
        let mut sources = self.events.iter().flatten();
        let source = sources.find(|source| Some(source.event().0) == kind);
        if let Some(source) = source {
            self.jfae.channel().raise(source);
        }
    }
}

impl Drop for Sink {
    fn drop(&mut self) {
        if let Some(completions) = &self.completions {
            completions.jfce.channel().unlink(&completions.source);
        }
        for source in self.events.iter().flatten() {
            self.jfae.channel().unlink(source);
        }
    }
}
