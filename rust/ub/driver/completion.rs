// SPDX-License-Identifier: GPL-2.0

//! The data path of kernel clients: completions. All of it runs in any context.

use super::{
    staged,
    Driver, //
};
use crate::{
    bindings_ub::{
        self,
        ubcore_cr,
        ubcore_jfc, //
    },
    ub::common::eid_from_bytes, //
};
use core::marker::PhantomData;
use kernel::prelude::*;

/// A completion, as a driver hands it out.
pub(crate) struct Completion {
    /// The word of the work request.
    pub(crate) user_ctx: u64,
    /// A number of `enum ubcore_cr_status`.
    pub(crate) status: u8,
    /// A number of `enum ubcore_cr_opcode`; any for the send side.
    pub(crate) opcode: u8,
    /// The bits of `union ubcore_cr_flag`.
    pub(crate) flags: u8,
    /// Bytes.
    pub(crate) len: u32,
    /// Number of the local object.
    pub(crate) local_id: u32,
    /// Address of the local object, see [`staged::Queue::address`].
    pub(crate) local: usize,
    /// EID of the peer.
    pub(crate) remote_eid: [u8; 16],
    /// Number of its object.
    pub(crate) remote_id: u32,
    /// Immediate data; an invalidated token: its name below and its value above.
    pub(crate) imm: u64,
    /// Number of the transport path.
    pub(crate) tpn: u32,
}

/// Room for completions.
///
/// # Invariants
///
/// `room` entries from `next` on may be written during `'a`.
pub(crate) struct Completions<'a> {
    next: *mut ubcore_cr,
    room: usize,
    _array: PhantomData<&'a mut ubcore_cr>,
}

impl Completions<'_> {
    /// Tells whether there is room for one more.
    pub(crate) fn has_room(&self) -> bool {
        self.room != 0
    }

    /// Puts a completion, unless there is no room.
    pub(crate) fn push(&mut self, completion: &Completion) {
        let Some(left) = self.room.checked_sub(1) else {
            return;
        };
        let mut raw = ubcore_cr {
            status: u32::from(completion.status),
            user_ctx: completion.user_ctx,
            opcode: u32::from(completion.opcode),
            completion_len: completion.len,
            local_id: completion.local_id,
            remote_id: bindings_ub::ubcore_jetty_id {
                eid: eid_from_bytes(completion.remote_eid),
                id: completion.remote_id,
            },
            tpn: completion.tpn,
            user_data: completion.local,
            ..Default::default()
        };
        let imm = completion.imm;
        // SAFETY: Integers may take any value.
        unsafe {
            *raw.flag.value.as_mut() = completion.flags;
            if raw.opcode == bindings_ub::UBCORE_CR_OPC_SEND_WITH_INV {
                let token = raw.__bindgen_anon_1.invalid_token.as_mut();
                // CAST: The halves of the word.
                token.token_id = imm as u32;
                token.token_value.token = (imm >> 32) as u32;
            } else {
                *raw.__bindgen_anon_1.imm_data.as_mut() = imm;
            }
        }
        // SAFETY: By the type invariant there is room for one.
        unsafe {
            self.next.write(raw);
            // INVARIANT: One less.
            self.next = self.next.add(1);
        }
        self.room = left;
    }
}

/// See `ubcore_ops.poll_jfc`.
///
/// # Safety
///
/// Called by ubcore, by the contract.
pub(super) unsafe extern "C" fn poll_jfc<D: Driver>(
    jfc: *mut ubcore_jfc,
    cr_cnt: c_int,
    cr: *mut ubcore_cr,
) -> c_int {
    let Ok(room) = usize::try_from(cr_cnt) else {
        return EINVAL.to_errno();
    };
    // SAFETY: A queue of this driver, alive during the call. Users poll their rings.
    if unsafe { !(*jfc).uctx.is_null() } {
        return EINVAL.to_errno();
    }
    // INVARIANT: By the contract.
    let mut out = Completions {
        next: cr,
        room,
        _array: PhantomData,
    };
    // SAFETY: As above.
    let jfc = unsafe { staged::borrow::<_, D::Jfc>(jfc) };
    match jfc.and_then(|jfc| D::poll_jfc(jfc, &mut out)) {
        // CAST: At most `cr_cnt`.
        Ok(()) => room.saturating_sub(out.room) as c_int,
        Err(e) => e.to_errno(),
    }
}
