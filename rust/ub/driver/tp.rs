// SPDX-License-Identifier: GPL-2.0

//! Transport paths.

use super::{
    device::UbDevice,
    object::User,
    udata::into_int,
    Driver, //
};
use crate::{
    bindings_ub,
    logic::tp_attr::{
        TpAttr,
        LEN as ATTR_LEN, //
    },
    ub::common::eid_bytes, //
};
use kernel::prelude::*;

/// Kind of a transport path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum TpKind {
    /// Reliable.
    Rtp,
    /// Compact.
    Ctp,
    /// Unreliable.
    Utp,
}

/// Which transport paths are wanted.
pub(crate) struct TpQuery {
    /// Their kind.
    pub(crate) kind: TpKind,
    /// Service, one bit of `enum ubcore_transport_mode`.
    pub(crate) trans_mode: u32,
    /// The local end.
    pub(crate) local_eid: [u8; 16],
    /// The other end.
    pub(crate) peer_eid: [u8; 16],
    /// Which part of the list, in parts of 32.
    pub(crate) group: u32,
}

/// The paths that a driver lists; takes as many as the caller has room for.
pub(crate) struct TpList<'a> {
    slots: &'a mut [bindings_ub::ubcore_tp_info],
    used: usize,
}

impl<'a> TpList<'a> {
    /// Makes an empty list with room for as many as there are slots.
    pub(crate) fn new(slots: &'a mut [bindings_ub::ubcore_tp_info]) -> Self {
        Self { slots, used: 0 }
    }

    /// Goes through the handles.
    pub(crate) fn handles(&self) -> impl Iterator<Item = u64> + '_ {
        // SAFETY: A number may take any value.
        let handle = |slot: &bindings_ub::ubcore_tp_info| unsafe { *slot.tp_handle.value.as_ref() };
        self.slots.iter().take(self.used).map(handle)
    }

    /// Returns the room that is left.
    pub(crate) fn room(&self) -> usize {
        self.slots.len().saturating_sub(self.used)
    }

    /// Adds the handle of a path; `false` if there is no room.
    pub(crate) fn push(&mut self, handle: u64) -> bool {
        match self.slots.get_mut(self.used) {
            Some(slot) => {
                // SAFETY: A number may take any value.
                unsafe { *slot.tp_handle.value.as_mut() = handle };
                self.used = self.used.saturating_add(1);
                true
            }
            None => false,
        }
    }
}

/// A transport path that is or is to be activated.
#[derive(Clone, Copy, Default)]
pub(crate) struct ActiveTp {
    /// Its handle; 0 for none.
    pub(crate) handle: u64,
    /// The peer's handle.
    pub(crate) peer_handle: u64,
}

impl ActiveTp {
    /// Copies a configuration from C.
    ///
    /// # Safety
    ///
    /// `raw` must be null or valid during the call.
    pub(super) unsafe fn from_raw(raw: *const bindings_ub::ubcore_active_tp_cfg) -> Self {
        if raw.is_null() {
            return Self::default();
        }
        // SAFETY: Valid by the function's contract; all bits of the unions are initialised.
        unsafe {
            Self {
                handle: *(*raw).tp_handle.value.as_ref(),
                peer_handle: *(*raw).peer_tp_handle.value.as_ref(),
            }
        }
    }
}

/// See `ubcore_ops.get_tp_list`.
///
/// # Safety
///
/// Called by ubcore, by the contract.
pub(super) unsafe extern "C" fn list<D: Driver>(
    dev: *mut bindings_ub::ubcore_device,
    cfg: *mut bindings_ub::ubcore_get_tp_cfg,
    tp_cnt: *mut u32,
    tp_list: *mut bindings_ub::ubcore_tp_info,
    udata: *mut bindings_ub::ubcore_udata,
) -> c_int {
    // SAFETY: A device of this driver that is registered.
    let dev = unsafe { UbDevice::<D>::borrow(dev) };
    // SAFETY: Null or valid during the call.
    let user = unsafe { User::from_raw(udata) };
    // SAFETY: Valid during the call.
    let raw = unsafe { &*cfg };
    // SAFETY: All bits of the union are initialised.
    let flag = unsafe { raw.flag.bs.as_ref() };
    let kind = match (flag.rtp(), flag.ctp(), flag.utp()) {
        (1, 0, 0) => TpKind::Rtp,
        (0, 1, 0) => TpKind::Ctp,
        (0, 0, 1) => TpKind::Utp,
        _ => return EINVAL.to_errno(),
    };
    let query = TpQuery {
        kind,
        trans_mode: raw.trans_mode,
        local_eid: eid_bytes(&raw.local_eid),
        peer_eid: eid_bytes(&raw.peer_eid),
        group: flag.group_id(),
    };
    // SAFETY: Valid during the call.
    let room = unsafe { *tp_cnt } as usize;
    let slots = if room == 0 {
        &mut []
    } else {
        // SAFETY: The list has room for so many, and is the driver's during the call.
        unsafe { core::slice::from_raw_parts_mut(tp_list, room) }
    };
    let mut out = TpList::new(slots);
    let result = D::list_tps(dev, &query, user, &mut out);
    // CAST: At most the count that was given.
    let used = out.used as u32;
    if result.is_ok() {
        // SAFETY: As above.
        unsafe { *tp_cnt = used };
    }
    into_int(result)
}

// A packed structure, as bytes.
const _: () = assert!(size_of::<bindings_ub::ubcore_tp_attr_value>() == ATTR_LEN);

/// See `ubcore_ops.set_tp_attr`.
///
/// # Safety
///
/// Called by ubcore, by the contract.
pub(super) unsafe extern "C" fn set_attr<D: Driver>(
    dev: *mut bindings_ub::ubcore_device,
    handle: u64,
    _count: u8,
    bitmap: u32,
    attr: *mut bindings_ub::ubcore_tp_attr_value,
    _udata: *mut bindings_ub::ubcore_udata,
) -> c_int {
    // SAFETY: A device of this driver that is registered.
    let dev = unsafe { UbDevice::<D>::borrow(dev) };
    // SAFETY: Valid during the call; bytes may take any value.
    let bytes = unsafe { attr.cast::<[u8; ATTR_LEN]>().read() };
    into_int(D::set_tp_attr(
        dev,
        handle,
        bitmap,
        &TpAttr::from_bytes(bytes),
    ))
}

/// See `ubcore_ops.get_tp_attr`.
///
/// # Safety
///
/// Called by ubcore, by the contract.
pub(super) unsafe extern "C" fn attr<D: Driver>(
    dev: *mut bindings_ub::ubcore_device,
    handle: u64,
    count: *mut u8,
    bitmap: *mut u32,
    attr: *mut bindings_ub::ubcore_tp_attr_value,
    _udata: *mut bindings_ub::ubcore_udata,
) -> c_int {
    // SAFETY: A device of this driver that is registered.
    let dev = unsafe { UbDevice::<D>::borrow(dev) };
    into_int(D::tp_attr(dev, handle).map(|(bits, value)| {
        // SAFETY: All are valid for writing. CAST: At most 32.
        unsafe {
            count.write(bits.count_ones() as u8);
            bitmap.write(bits);
            attr.cast::<[u8; ATTR_LEN]>().write(*value.as_bytes());
        }
    }))
}

/// See `ubcore_ops.active_tp`.
///
/// # Safety
///
/// Called by ubcore, by the contract.
pub(super) unsafe extern "C" fn activate<D: Driver>(
    dev: *mut bindings_ub::ubcore_device,
    cfg: *mut bindings_ub::ubcore_active_tp_cfg,
) -> c_int {
    // SAFETY: A device of this driver that is registered.
    let dev = unsafe { UbDevice::<D>::borrow(dev) };
    // SAFETY: Valid during the call.
    let tp = unsafe { ActiveTp::from_raw(cfg) };
    into_int(D::activate_tp(dev, &tp))
}

/// See `ubcore_ops.deactive_tp`.
///
/// # Safety
///
/// Called by ubcore, by the contract.
pub(super) unsafe extern "C" fn deactivate<D: Driver>(
    dev: *mut bindings_ub::ubcore_device,
    handle: bindings_ub::ubcore_tp_handle,
    _udata: *mut bindings_ub::ubcore_udata,
) -> c_int {
    // SAFETY: A device of this driver that is registered.
    let dev = unsafe { UbDevice::<D>::borrow(dev) };
    // SAFETY: All bits of the union are initialised.
    into_int(D::deactivate_tp(dev, unsafe { *handle.value.as_ref() }))
}
