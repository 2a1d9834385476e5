// SPDX-License-Identifier: GPL-2.0

//! Private data of user-space providers, and results as C functions return them.

use crate::{
    bindings_ub,
    kernel_ext::user::{
        read_bytes,
        write_bytes, //
    },
};
use core::{
    marker::PhantomData,
    mem::size_of,
    slice, //
};
use kernel::{
    prelude::*,
    transmute::{
        AsBytes,
        FromBytes, //
    },
};

/// Private data that a user-space provider and its driver exchange (`struct ubcore_udrv_priv`).
///
/// The calling process is the one whose memory is meant: a value is of use only during the call.
#[derive(Clone, Copy)]
pub(crate) struct Udata<'a> {
    in_addr: u64,
    in_len: u32,
    out_addr: u64,
    out_len: u32,
    _call: PhantomData<&'a ()>,
}

impl Udata<'_> {
    /// Makes a descriptor of what a provider passed.
    pub(crate) fn new(in_addr: u64, in_len: u32, out_addr: u64, out_len: u32) -> Self {
        Self {
            in_addr,
            in_len,
            out_addr,
            out_len,
            _call: PhantomData,
        }
    }

    /// Copies the descriptor from C; null is the same as no data.
    ///
    /// # Safety
    ///
    /// `raw` must be null or valid for reading.
    pub(super) unsafe fn from_raw(raw: *const bindings_ub::ubcore_udrv_priv) -> Self {
        if raw.is_null() {
            return Self::new(0, 0, 0, 0);
        }
        // SAFETY: Valid by the function's contract.
        let raw = unsafe { &*raw };
        Self::new(raw.in_addr, raw.in_len, raw.out_addr, raw.out_len)
    }

    /// Returns the bytes of input that there are.
    pub(crate) fn in_len(self) -> usize {
        self.in_len as usize
    }

    /// Returns the bytes of room for a reply.
    pub(crate) fn out_len(self) -> usize {
        self.out_len as usize
    }

    /// Reads the input; what the provider did not supply is zero, what it has more is ignored.
    ///
    /// # Errors
    ///
    /// `EFAULT` for memory that cannot be read.
    pub(crate) fn read<T: FromBytes + AsBytes>(self) -> Result<T> {
        // SAFETY: Any bytes, zeros too, are a valid `T`.
        let mut value: T = unsafe { core::mem::zeroed() };
        let len = self.in_len().min(size_of::<T>());
        if len != 0 {
            // SAFETY: `value` is an initialised `T`, whose bytes may take any value.
            let bytes = unsafe { slice::from_raw_parts_mut((&raw mut value).cast::<u8>(), len) };
            read_bytes(self.in_addr, bytes)?;
        }
        Ok(value)
    }

    /// Writes a reply, cut to the room that there is.
    ///
    /// # Errors
    ///
    /// `EFAULT` for memory that cannot be written.
    pub(crate) fn write<T: AsBytes>(self, value: &T) -> Result {
        let len = self.out_len().min(size_of::<T>());
        if len == 0 {
            return Ok(());
        }
        // SAFETY: `T: AsBytes` has no uninitialised bytes, and `len` is within it.
        let bytes = unsafe { slice::from_raw_parts(core::ptr::from_ref(value).cast(), len) };
        write_bytes(self.out_addr, bytes)
    }
}

/// Turns the result of an operation into what C gets.
pub(super) fn into_int(result: Result) -> c_int {
    match result {
        Ok(()) => 0,
        Err(e) => e.to_errno(),
    }
}
