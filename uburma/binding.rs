// SPDX-License-Identifier: GPL-2.0

//! What a jetty is bound to, and the asynchronous commands that bind it.

use crate::{
    event::notifier::Request,
    kernel_ext::arc::Arc,
    logic::use_count::Reference,
    uobject::Uobject, //
};
use kernel::prelude::*;

/// The binding of a jetty.
#[derive(Default)]
pub(crate) struct Binding {
    /// What it is bound to, or will be.
    target: Option<Reference<Arc<Uobject>>>,
    /// The command under way that binds it.
    pending: Option<Arc<Request>>,
    /// Commands that have ended, and whose end nobody has read; has room for one more while one is
    /// under way. Mostly there never are any, which makes the drop cheap.
    past: Option<KVec<Arc<Request>>>,
}

impl Binding {
    /// Waits for a command under way, and takes note of its end.
    fn settle(&mut self) {
        if let Some(request) = self.pending.take() {
            request.wait();
            if !request.is_success() {
                self.target = None;
            }
            self.remember(request);
        }
        if let Some(past) = &mut self.past {
            past.retain(|request| !request.is_settled());
        }
    }

    /// Returns what the jetty is bound to; waits for a command under way.
    pub(crate) fn target(&mut self) -> Option<&Arc<Uobject>> {
        self.settle();
        self.target.as_ref().map(Reference::pointer)
    }

    /// Notes that the jetty is bound.
    pub(crate) fn bind(&mut self, target: Reference<Arc<Uobject>>) {
        self.target = Some(target);
    }

    /// Makes room for one more command.
    pub(crate) fn prepare(&mut self) -> Result {
        let past = self.past.get_or_insert_with(KVec::new);
        Ok(past.reserve(1, GFP_KERNEL)?)
    }

    /// Notes a command under way that binds the jetty; there is room for it, and no other one.
    pub(crate) fn bind_later(&mut self, target: Reference<Arc<Uobject>>, request: Arc<Request>) {
        self.target = Some(target);
        self.pending = Some(request);
    }

    /// Notes a command that has ended; there is room for it.
    pub(crate) fn remember(&mut self, request: Arc<Request>) {
        if let Some(past) = &mut self.past {
            let _ = past.push_within_capacity(request);
        }
    }

    /// Notes that the jetty is not bound any more; returns what it was bound to.
    pub(crate) fn unbind(&mut self) -> Option<Reference<Arc<Uobject>>> {
        self.target.take()
    }

    /// Returns the commands whose end nobody has read, and forgets them.
    pub(crate) fn take_past(&mut self) -> Option<KVec<Arc<Request>>> {
        self.past.take()
    }
}
