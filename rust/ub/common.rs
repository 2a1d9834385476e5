// SPDX-License-Identifier: GPL-2.0

//! What the client half and the driver half share.

// Each half uses a part of it.
#![allow(dead_code)]

use core::{
    mem::size_of,
    ptr::NonNull, //
};
use kernel::{
    error::{
        from_err_ptr,
        to_result, //
    },
    prelude::*, //
};

/// Turns what a C function returns for an object into a pointer; null is an error too.
///
/// # Errors
///
/// The error that the pointer encodes, `EINVAL` for null.
#[inline]
pub(crate) fn object_ptr<T>(ptr: *mut T) -> Result<NonNull<T>> {
    if ptr.addr() > FIRST_ERROR {
        from_err_ptr(ptr)?;
    }
    NonNull::new(ptr).ok_or(EINVAL)
}

/// No pointer from here on is one: what `IS_ERR()` asks first.
const FIRST_ERROR: usize = usize::MAX - kernel::bindings::MAX_ERRNO as usize;

/// Turns what a C function returns into a result: without a call, unless it is an error.
///
/// # Errors
///
/// The error that the number is.
#[inline]
pub(crate) fn check(errno: c_int) -> Result {
    match errno {
        0 => Ok(()),
        errno => to_result(errno),
    }
}

/// Turns a result into what a C function returns for an object.
pub(crate) fn err_ptr<T>(result: Result<*mut T>) -> *mut T {
    result.unwrap_or_else(|e| e.to_ptr())
}

/// A C union of a 32-bit word and its bit-fields.
///
/// # Safety
///
/// Must be a C type of the size of a `u32`, without padding, for which every value is valid.
pub(crate) unsafe trait FlagWord: Sized {
    /// Returns the whole word.
    fn word(&self) -> u32 {
        const { assert!(size_of::<Self>() == size_of::<u32>()) };
        // SAFETY: By the trait's contract, four initialised bytes.
        unsafe { core::ptr::from_ref(self).cast::<u32>().read_unaligned() }
    }

    /// Makes it from the whole word.
    fn from_word(word: u32) -> Self {
        const { assert!(size_of::<Self>() == size_of::<u32>()) };
        // SAFETY: By the trait's contract, every value of the four bytes is valid.
        unsafe { core::ptr::from_ref(&word).cast::<Self>().read_unaligned() }
    }
}

/// Implements [`FlagWord`] for C unions.
macro_rules! flag_words {
    ($($name:ident),* $(,)?) => {
        $(
            // SAFETY: Declared in C as a union of a `u32` and bit-fields of 32 bits in all.
            unsafe impl FlagWord for crate::bindings_ub::$name {}
        )*
    };
}

flag_words!(
    ubcore_atomic_feat,
    ubcore_device_feat,
    ubcore_get_tp_cfg_flag,
    ubcore_import_jetty_flag,
    ubcore_import_seg_flag,
    ubcore_jetty_flag,
    ubcore_jetty_grp_flag,
    ubcore_jfc_flag,
    ubcore_jfr_flag,
    ubcore_jfs_flag,
    ubcore_jfs_wr_flag,
    ubcore_order_type_cap,
    ubcore_reg_seg_flag,
    ubcore_seg_attr,
    ubcore_token_id_flag,
    urma_tp_feature,
    urma_tp_type_cap,
    urma_tp_type_en,
);

/// Returns the bytes of an EID.
pub(crate) fn eid_bytes(eid: &crate::bindings_ub::ubcore_eid) -> [u8; 16] {
    const { assert!(size_of::<crate::bindings_ub::ubcore_eid>() == 16) };
    // SAFETY: A C union whose first member is 16 bytes, as large as the union.
    unsafe { core::ptr::from_ref(eid).cast::<[u8; 16]>().read() }
}

/// Makes an EID from its bytes.
pub(crate) fn eid_from_bytes(bytes: [u8; 16]) -> crate::bindings_ub::ubcore_eid {
    // SAFETY: As above; every value is valid.
    unsafe {
        core::ptr::from_ref(&bytes)
            .cast::<crate::bindings_ub::ubcore_eid>()
            .read_unaligned()
    }
}
