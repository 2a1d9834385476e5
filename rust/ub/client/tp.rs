// SPDX-License-Identifier: GPL-2.0

//! Transport paths.

use super::{
    device::Device,
    ucontext::User, //
};
use crate::{
    bindings_ub as b,
    ub::common::{
        eid_from_bytes,
        FlagWord, //
    },
};
use kernel::{
    error::to_result,
    prelude::*, //
};

/// Which transport paths are wanted; see `struct ubcore_get_tp_cfg`.
#[derive(Clone, Copy, Default)]
pub(crate) struct TpQuery {
    /// Word of `union ubcore_get_tp_cfg_flag`.
    pub(crate) flag: u32,
    /// `enum ubcore_transport_mode`.
    pub(crate) trans_mode: u32,
    /// EID of the local end.
    pub(crate) local_eid: [u8; 16],
    /// EID of the other end.
    pub(crate) peer_eid: [u8; 16],
}

impl Device {
    /// Returns the handles of transport paths, at most `max`.
    ///
    /// # Errors
    ///
    /// `EIO` when the device is gone, `ENOMEM`, or the error of ubcore.
    pub(crate) fn tp_list(
        &self,
        query: &TpQuery,
        max: u32,
        user: Option<&User<'_>>,
    ) -> Result<KVec<u64>> {
        let live = self.enter()?;
        let mut raw = b::ubcore_get_tp_cfg {
            flag: FlagWord::from_word(query.flag),
            trans_mode: query.trans_mode,
            local_eid: eid_from_bytes(query.local_eid),
            peer_eid: eid_from_bytes(query.peer_eid),
            ..Default::default()
        };
        // The list is an array of structs with a handle each, which is a `u64`.
        const { assert!(size_of::<b::ubcore_tp_info>() == size_of::<u64>()) };
        let mut handles = KVec::from_elem(0u64, max as usize, GFP_KERNEL)?;
        let list = handles.as_mut_ptr().cast::<b::ubcore_tp_info>();
        let mut count = max;
        // SAFETY: A registered device, and room for `count` paths.
        let call = |udata| unsafe {
            b::ubcore_get_tp_list(live.as_ptr(), &mut raw, &mut count, list, udata)
        };
        to_result(User::with(user, call)?)?;
        handles.truncate(count.min(max) as usize);
        Ok(handles)
    }
}
