// SPDX-License-Identifier: GPL-2.0

//! What all devices of this host share: the table by which they find each other, and queues for
//! works.

use crate::{
    counters::{
        Counters,
        Kind, //
    },
    device::Dev,
    kernel_ext::{
        arc::Arc,
        id_map::IdMap,
        id_space::LAST,
        random,
        reaper::Reaper,
        workqueue::WorkQueue, //
    },
    logic::eid::Eid,
    ring::pages::Idle, //
};
use kernel::{
    prelude::*,
    sync::atomic::{
        Atomic,
        Relaxed, //
    }, //
};

/// How many works of send queues run at a time.
const MAX_WORKERS: u32 = 4;

/// Identity of a context, unique as long as the module is loaded; never that of another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct CtxId(u64);

impl CtxId {
    /// That of objects of kernel clients.
    pub(crate) const KERNEL: Self = Self(0);
}

/// The shared state.
#[pin_data]
pub(crate) struct Host {
    /// The registered devices, by node id.
    #[pin]
    pub(crate) nodes: IdMap<Dev>,
    /// Where those wait who unregister segments.
    pub(crate) idle: Arc<Idle>,
    /// Runs send queues of users whose poster does not.
    user_works: Arc<WorkQueue>,
    /// The same for kernel clients, which do not wait for users.
    client_works: Arc<WorkQueue>,
    /// Raises events that were put off.
    pub(crate) events: WorkQueue,
    /// Drops what RCU readers may still use.
    pub(crate) reaper: Arc<Reaper>,
    /// Counts objects.
    pub(crate) counters: Arc<Counters>,
    /// Bytes 0 to 11 of the EIDs that devices get.
    eid_prefix: [u8; 12],
    /// Bytes 12 to 15 of the last EID given.
    eids: Atomic<u32>,
    /// The last context, or other thing that is numbered.
    contexts: Atomic<u64>,
}

impl Host {
    /// Makes the state of a host without devices.
    pub(crate) fn new() -> Result<Arc<Self>> {
        let reaper = Arc::pin_init(Reaper::new(c"ubsoft_reaper"), GFP_KERNEL)?;
        Arc::pin_init(
            try_pin_init!(Self {
                nodes <- new_id_map!(1..=LAST, reaper.clone()),
                idle: Arc::new(Idle::new()?, GFP_KERNEL)?,
                user_works: Arc::new(WorkQueue::unbound(c"ubsoft", MAX_WORKERS)?, GFP_KERNEL)?,
                client_works: Arc::new(
                    WorkQueue::unbound(c"ubsoft_clients", MAX_WORKERS)?,
                    GFP_KERNEL,
                )?,
                events: WorkQueue::unbound(c"ubsoft_events", 0)?,
                counters: Counters::new()?,
                eid_prefix: eid_prefix(),
                eids: Atomic::new(0),
                contexts: Atomic::new(0),
                reaper,
            }),
            GFP_KERNEL,
        )
    }

    /// Returns an EID that no device of this host has had.
    pub(crate) fn new_eid(&self) -> Eid {
        let number = self.eids.fetch_add(1, Relaxed).wrapping_add(1);
        let [a, b, c, d, e, f, g, h, i, j, k, l] = self.eid_prefix;
        let [m, n, o, p] = number.to_be_bytes();
        Eid::from_bytes([a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p])
    }

    /// Returns the identity of a new context.
    pub(crate) fn new_context(&self) -> CtxId {
        CtxId(self.new_number())
    }

    /// Returns a number, not 0, that this has not returned before.
    pub(crate) fn new_number(&self) -> u64 {
        self.contexts.fetch_add(1, Relaxed).wrapping_add(1)
    }

    /// Returns the queue for works of the send queues of an owner.
    pub(crate) fn works_of(&self, owner: CtxId) -> &WorkQueue {
        if owner == CtxId::KERNEL {
            &self.client_works
        } else {
            &self.user_works
        }
    }

    /// Notes that a work was queued, or is about to be.
    pub(crate) fn work_queued(&self) {
        self.counters.change(Kind::Works, 1);
    }

    /// Notes that a work runs, or was not queued after all.
    pub(crate) fn work_done(&self) {
        self.counters.change(Kind::Works, -1);
    }

    /// Finds the device that has an EID.
    pub(crate) fn find(&self, eid: &Eid) -> Option<Arc<Dev>> {
        self.nodes
            .newest_first()
            .map(|(_, dev)| dev)
            .find(|dev| dev.has_eid(eid.as_bytes()))
    }

    /// Waits until nothing is left to do for objects that are gone. All devices must be gone.
    pub(crate) fn settle(&self) {
        // A work may drop what is then dropped after a grace period, which may drop a device.
        for _ in 0..2 {
            self.user_works.drain();
            self.client_works.drain();
            self.events.drain();
            self.reaper.settle();
        }
    }
}

/// Chooses the first bytes of the EIDs of this host: a unique local IPv6 prefix by form, with a
/// random part in bytes 8 to 11, which are not all zero.
fn eid_prefix() -> [u8; 12] {
    let [a, b, c, d] = (random::u32() | 1).to_be_bytes();
    [0xfd, b'u', b'b', b's', b'o', b'f', b't', 0, a, b, c, d]
}
