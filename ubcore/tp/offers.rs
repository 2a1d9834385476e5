// SPDX-License-Identifier: GPL-2.0

//! Which transport paths were listed for whom.
//!
//! A handle is no secret: it is a number that both ends tell each other. So a context can use the
//! paths that were listed for it and no others.

use crate::{
    c_api::core_state,
    counters::Class,
    device::Device,
    logic::{
        tp::{
            TpCfg,
            TpHandle, //
        },
        types::TpType, //
    },
    tp::{
        tables::{
            EntryId,
            Sharing, //
        },
        Ends,
        Holder, //
    },
};
use kernel::{
    prelude::*,
    rbtree::RBTree, //
};

/// How many paths are listed for a context before it is refused more.
const MAX_OFFERS: u32 = 4096;

/// An exchange with the peer about a path.
#[derive(Clone, Copy)]
pub(super) struct Exchange {
    pub(super) sharing: Sharing,
    pub(super) entry: EntryId,
    /// The offer itself uses the entry; otherwise those do who were given the path.
    pub(super) held: bool,
}

/// A path that was listed.
#[derive(Clone, Copy)]
pub(super) struct Offer {
    /// What was asked for.
    pub(super) cfg: TpCfg,
    /// What the peer was told.
    pub(super) exchange: Option<Exchange>,
}

impl Offer {
    /// Tells whether the path leads to where it is to be used, in the same mode. All of CTP is one
    /// mode.
    pub(super) fn fits(&self, ends: &Ends) -> bool {
        (self.cfg.local, self.cfg.peer) == (ends.local, ends.peer)
            && (self.cfg.mode == ends.mode || self.cfg.tp_type == TpType::Ctp)
    }
}

/// Names an offer: number of the device, for whom, handle.
type OfferId = (u64, Holder, TpHandle);

/// All offers.
pub(super) struct Offers {
    offers: RBTree<OfferId, Offer>,
    /// How many there are for each context of a device.
    counts: RBTree<(u64, Holder), u32>,
}

impl Offers {
    /// Makes an empty set.
    pub(super) fn new() -> Self {
        Self {
            offers: RBTree::new(),
            counts: RBTree::new(),
        }
    }

    /// Finds an offer.
    pub(super) fn get(
        &mut self,
        dev: &Device,
        holder: Holder,
        handle: TpHandle,
    ) -> Option<&mut Offer> {
        self.offers.get_mut(&(dev.serial(), holder, handle))
    }

    /// Tells whether a user has too many.
    pub(super) fn is_full(&self, dev: &Device, holder: Holder) -> bool {
        let count = self.counts.get(&(dev.serial(), holder));
        holder.is_user() && count.is_some_and(|count| *count >= MAX_OFFERS)
    }

    /// Adds an offer, unless there is one; `ENOMEM`.
    pub(super) fn add(
        &mut self,
        dev: &Device,
        holder: Holder,
        handle: TpHandle,
        cfg: &TpCfg,
    ) -> Result {
        let id = (dev.serial(), holder, handle);
        if self.offers.get(&id).is_some() {
            return Ok(());
        }
        let whose = (dev.serial(), holder);
        let count = self.counts.get(&whose).copied().unwrap_or(0);
        if count == 0 {
            self.counts
                .try_create_and_insert(whose, 0, GFP_KERNEL_ACCOUNT)?;
        }
        let offer = Offer {
            cfg: *cfg,
            exchange: None,
        };
        let added = self
            .offers
            .try_create_and_insert(id, offer, GFP_KERNEL_ACCOUNT);
        if added.is_err() && count == 0 {
            self.counts.remove(&whose);
        }
        added?;
        if let Some(count) = self.counts.get_mut(&whose) {
            *count = count.saturating_add(1);
        }
        if let Ok(core) = core_state() {
            core.counters().up(Class::TpOffer);
        }
        Ok(())
    }

    /// Takes an offer of a device out, one for `holder` only if that is given.
    pub(super) fn pop(&mut self, dev: &Device, holder: Option<Holder>) -> Option<Offer> {
        let first = (
            dev.serial(),
            holder.unwrap_or(Holder::KERNEL),
            TpHandle::default(),
        );
        let id = *self.offers.cursor_lower_bound(&first)?.current().0;
        let (serial, whose, _) = id;
        if serial != dev.serial() || holder.is_some_and(|holder| holder != whose) {
            return None;
        }
        let offer = self.offers.get(&id).copied();
        self.offers.remove(&id);
        let left = self.counts.get_mut(&(serial, whose)).map(|count| {
            *count = count.saturating_sub(1);
            *count
        });
        if left == Some(0) {
            self.counts.remove(&(serial, whose));
        }
        if let Ok(core) = core_state() {
            core.counters().down(Class::TpOffer);
        }
        offer
    }
}
