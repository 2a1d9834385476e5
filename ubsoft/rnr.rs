// SPDX-License-Identifier: GPL-2.0

//! Senders whose target has no receive buffer: how long they wait, and who is to wake them.

use crate::{
    host::Host,
    sq::Sq, //
};
use kernel::{
    sync::rcu,
    time::Delta, //
};

/// Retries that mean: for ever.
pub(crate) const RETRY_FOREVER: u8 = 7;

/// Delay by code of a receive queue's timer, in microseconds; the encoding is that of RDMA.
const DELAYS: [u32; 32] = [
    655_360, 10, 20, 30, 40, 60, 80, 120, 160, 240, 320, 480, 640, 960, 1_280, 1_920, 2_560, 3_840,
    5_120, 7_680, 10_240, 15_360, 20_480, 30_720, 40_960, 61_440, 81_920, 122_880, 163_840,
    245_760, 327_680, 491_520,
];

/// Returns the time until the next try, by the code of the target's timer.
pub(crate) fn delay(code: u8) -> Delta {
    let micros = DELAYS.get(usize::from(code)).copied().unwrap_or(655_360);
    Delta::from_micros(i64::from(micros))
}

/// Up to this time, in microseconds, those who try for ever wait longer each time. Who tries costs
/// processor time that nobody is charged for.
const BACK_OFF: i64 = 10_240;

/// Returns the time until the next try for who tries for ever and has done so `tries` times: the
/// receiver's timer is the least.
pub(crate) fn back_off(delay: Delta, tries: u8) -> Delta {
    let micros = delay.as_micros_ceil();
    let longer = micros.saturating_mul(1 << tries.min(10));
    Delta::from_micros(longer.min(BACK_OFF).max(micros))
}

/// The name of a send queue on this host.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct SqName {
    /// Node of its device.
    pub(crate) node: u32,
    /// It is a jetty's.
    pub(crate) is_jetty: bool,
    /// Number of the jetty or JFS.
    pub(crate) id: u32,
}

impl SqName {
    /// Bit of a doorbell reference that says: a jetty.
    const JETTY: u32 = 1 << 31;

    /// Returns what names the queue to the doorbell of its context.
    pub(crate) fn doorbell_ref(self) -> u32 {
        self.id | if self.is_jetty { Self::JETTY } else { 0 }
    }

    /// Returns what a doorbell reference names: whether a jetty, and the number.
    #[inline(always)]
    pub(crate) fn of_doorbell_ref(queue_ref: u32) -> (bool, u32) {
        (queue_ref & Self::JETTY != 0, queue_ref & !Self::JETTY)
    }

    /// Tells the queue of this name, if there is one, that its target has receive buffers.
    ///
    /// Any context: the device and the queue stay as long as the RCU section, in which all counted
    /// references are dropped again, so none is the last one.
    fn receiver_ready(self, host: &Host) {
        let guard = rcu::read_lock();
        if let Some(dev) = host.nodes.get_rcu(&guard, self.node) {
            if self.is_jetty {
                if let Some(jetty) = dev.jettys.get(self.id) {
                    Sq::receiver_ready(jetty.sq());
                }
            } else if let Some(jfs) = dev.jfss.get(self.id) {
                Sq::receiver_ready(jfs.sq());
            }
        }
    }
}

/// How many waiting senders a receive queue remembers; others rely on their timers.
const MAX_WAITERS: usize = 8;

/// Senders that wait for a receive buffer, by name: they may be gone when there is one.
#[derive(Default)]
pub(crate) struct Waiters {
    names: [Option<SqName>; MAX_WAITERS],
}

impl Waiters {
    /// Remembers a sender, if there is room.
    pub(crate) fn add(&mut self, name: SqName) {
        if self.names.contains(&Some(name)) {
            return;
        }
        if let Some(free) = self.names.iter_mut().find(|slot| slot.is_none()) {
            *free = Some(name);
        }
    }

    /// Wakes all. To be called without locks.
    pub(crate) fn wake(self, host: &Host) {
        for name in self.names.into_iter().flatten() {
            name.receiver_ready(host);
        }
    }
}
