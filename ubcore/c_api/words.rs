// SPDX-License-Identifier: GPL-2.0

//! C unions of a word and its bit-fields, beyond those of `rust/ub`.

use crate::{
    bindings_ub::{
        ubcore_device_cfg_mask,
        ubcore_tp_handle, //
    },
    logic::tp::TpHandle,
    ub::common::FlagWord, //
};

// SAFETY: Declared in C as a union of a `u32` and bit-fields of 32 bits in all.
unsafe impl FlagWord for ubcore_device_cfg_mask {}

/// Reads the handle of a transport path.
pub(crate) fn handle_word(handle: &ubcore_tp_handle) -> TpHandle {
    const { assert!(size_of::<ubcore_tp_handle>() == 8) };
    // SAFETY: Declared in C as a union of a `u64` and bit-fields of 64 bits in all.
    TpHandle::from_raw(unsafe { core::ptr::from_ref(handle).cast::<u64>().read() })
}

/// Makes the C form of a handle.
pub(super) fn handle_from(handle: TpHandle) -> ubcore_tp_handle {
    let word = handle.raw();
    // SAFETY: As above; every value is valid.
    unsafe { core::ptr::from_ref(&word).cast::<ubcore_tp_handle>().read() }
}
