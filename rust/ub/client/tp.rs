// SPDX-License-Identifier: GPL-2.0

//! Transport paths.

use super::{
    device::Device,
    target::ActiveTp,
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

/// Bytes of the properties of a transport path.
pub(crate) const TP_ATTR_LEN: usize = size_of::<b::ubcore_tp_attr_value>();

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

impl TpQuery {
    /// Makes the C structure.
    fn to_raw(self) -> b::ubcore_get_tp_cfg {
        b::ubcore_get_tp_cfg {
            flag: FlagWord::from_word(self.flag),
            trans_mode: self.trans_mode,
            local_eid: eid_from_bytes(self.local_eid),
            peer_eid: eid_from_bytes(self.peer_eid),
            ..Default::default()
        }
    }
}

/// Properties of a transport path.
pub(crate) struct TpAttr {
    /// How many are meant.
    pub(crate) count: u8,
    /// Which.
    pub(crate) bitmap: u32,
    /// The packed structure.
    pub(crate) value: [u8; TP_ATTR_LEN],
}

impl Device {
    /// Changes properties of a transport path.
    ///
    /// # Errors
    ///
    /// `EIO` when the device is gone, or the error of ubcore.
    pub(crate) fn set_tp_attr(
        &self,
        handle: u64,
        attr: &TpAttr,
        user: Option<&User<'_>>,
    ) -> Result {
        let live = self.enter()?;
        let mut value = b::ubcore_tp_attr_value::default();
        // SAFETY: A packed structure of that size, for which every value is valid.
        unsafe {
            (&raw mut value)
                .cast::<[u8; TP_ATTR_LEN]>()
                .write(attr.value)
        };
        let (count, bitmap) = (attr.count, attr.bitmap);
        // SAFETY: A registered device, and a value of our own.
        let call = |udata| unsafe {
            b::ubcore_set_tp_attr(live.as_ptr(), handle, count, bitmap, &mut value, udata)
        };
        to_result(User::with(user, call)?)
    }

    /// Returns the properties of a transport path.
    ///
    /// # Errors
    ///
    /// `EIO` when the device is gone, or the error of ubcore.
    pub(crate) fn tp_attr(&self, handle: u64, user: Option<&User<'_>>) -> Result<TpAttr> {
        let live = self.enter()?;
        let mut value = b::ubcore_tp_attr_value::default();
        let (mut count, mut bitmap) = (0, 0);
        // SAFETY: A registered device, and room of our own.
        let call = |udata| unsafe {
            b::ubcore_get_tp_attr(
                live.as_ptr(),
                handle,
                &mut count,
                &mut bitmap,
                &mut value,
                udata,
            )
        };
        to_result(User::with(user, call)?)?;
        // SAFETY: A packed structure of that size, without padding.
        let value = unsafe { (&raw const value).cast::<[u8; TP_ATTR_LEN]>().read() };
        Ok(TpAttr {
            count,
            bitmap,
            value,
        })
    }

    /// Tells the peer about a transport path; returns the peer's handle and first sequence number.
    ///
    /// # Errors
    ///
    /// `EIO` when the device is gone, or the error of ubcore.
    pub(crate) fn exchange_tp(
        &self,
        query: &TpQuery,
        handle: u64,
        tx_psn: u32,
        user: Option<&User<'_>>,
    ) -> Result<(u64, u32)> {
        let live = self.enter()?;
        let mut cfg = query.to_raw();
        let own = ActiveTp {
            handle,
            tx_psn,
            ..Default::default()
        };
        let mut active = own.to_raw();
        // SAFETY: A registered device, and configurations of our own; there is no import.
        let call = |udata| unsafe {
            b::ubcore_exchange_tp_info(
                live.as_ptr(),
                &mut cfg,
                &mut active,
                core::ptr::null_mut(),
                udata,
            )
        };
        to_result(User::with(user, call)?)?;
        let peer = ActiveTp::from_raw(&active);
        Ok((peer.peer_handle, peer.rx_psn))
    }

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
        let mut raw = query.to_raw();
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
