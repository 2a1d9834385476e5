// SPDX-License-Identifier: GPL-2.0

//! Completion queues of kernel clients: how they are read. Any context.

use crate::{
    device::Soft,
    jfc::{
        Arm,
        Jfc,
        State, //
    },
    lock::Locked,
    logic::cqe::{
        Cqe,
        CQE_LEN,
        CR_FLAG_JETTY,
        CR_FLAG_RECV, //
    },
    ub::driver::{
        Completion,
        Completions, //
    }, //
};
use kernel::sync::rcu;

/// Records that are discarded without letting others have the queue.
const DISCARD: u32 = 256;

impl Soft {
    /// Finds the address by which the client knows the object of a record; `None` for one that is
    /// gone, also if another one has its number now.
    fn client_object(&self, cqe: &Cqe) -> Option<usize> {
        let guard = rcu::read_lock();
        let (object, found) = if cqe.flags & CR_FLAG_JETTY != 0 {
            let jetty = self.jettys.get_rcu(&guard, cqe.local_id)?;
            (jetty.user_obj(), jetty.address())
        } else if cqe.flags & CR_FLAG_RECV != 0 {
            let jfr = self.jfrs.get_rcu(&guard, cqe.local_id)?;
            (jfr.user_obj(), jfr.address())
        } else {
            let jfs = self.jfss.get_rcu(&guard, cqe.local_id)?;
            (jfs.sq().user_obj, jfs.address())
        };
        (object == cqe.user_data).then_some(found)
    }
}

impl Locked<'_, State> {
    /// Reads the oldest record, unless there is none. `None` inside for one of an object that is
    /// gone.
    fn read(&self, jfc: &Jfc) -> Option<Option<Completion>> {
        let consumed = jfc.ring.user_idx();
        if self.is_empty(consumed) {
            return None;
        }
        let entry = jfc.ring.read_head::<CQE_LEN>(consumed);
        Some(Cqe::decode(&entry).and_then(|(cqe, _)| {
            Some(Completion {
                local: jfc.dev.client_object(&cqe)?,
                user_ctx: cqe.user_ctx,
                status: cqe.status.raw(),
                opcode: cqe.opcode,
                flags: cqe.flags,
                len: cqe.byte_len,
                local_id: cqe.local_id,
                remote_eid: cqe.remote_eid,
                remote_id: cqe.remote_id,
                imm: cqe.imm,
                tpn: cqe.tpn,
            })
        }))
    }

    /// Gives the place of the oldest record back.
    fn consume(&self, jfc: &Jfc) {
        jfc.ring.set_user_idx(jfc.ring.user_idx().wrapping_add(1));
    }
}

/// Hands completions out, as many as there is room for; not those of objects that are gone.
pub(crate) fn poll(jfc: &Jfc, out: &mut Completions<'_>) {
    let locked = jfc.lock();
    while out.has_room() {
        let Some(record) = locked.read(jfc) else {
            return;
        };
        if let Some(completion) = record {
            out.push(&completion);
        }
        locked.consume(jfc);
    }
}

/// Asks for one event; tells whether completions are pending already.
pub(crate) fn rearm(jfc: &Jfc, what: Arm) -> bool {
    let mut locked = jfc.lock();
    let consumed = jfc.ring.user_idx();
    locked.rearm(consumed, what)
}

/// Discards the oldest records as long as they are of objects that are gone. Process context.
///
/// Of later ones [`poll`] does. So a queue whose objects are all gone is empty.
pub(crate) fn discard(jfc: &Jfc) {
    loop {
        let locked = jfc.lock();
        for _ in 0..DISCARD {
            match locked.read(jfc) {
                Some(None) => locked.consume(jfc),
                Some(Some(_)) | None => return,
            }
        }
    }
}
