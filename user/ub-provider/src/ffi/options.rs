// SPDX-License-Identifier: GPL-2.0

//! Options of objects that are made in stages.
//!
//! Putting an object to work tells the kernel its configuration once more, and that is the one which
//! counts. So what an option sets is kept in the configuration too.

use std::ffi::{c_int, c_void};

use ub_abi::*;
use ub_urma::*;

use crate::ffi::call::{done, given};
use crate::status::{Failure, Outcome};

/// The value of an option as callers give it.
#[derive(Clone, Copy)]
pub(crate) struct Value {
    buf: *const c_void,
    len: u32,
}

impl Value {
    /// One of so many bytes.
    ///
    /// # Errors
    ///
    /// `EINVAL` for none.
    pub(crate) fn new(buf: *const c_void, len: u32) -> Outcome<Self> {
        given(buf)?;
        if len == 0 {
            return Err(Failure::INVALID);
        }
        Ok(Value { buf, len })
    }

    /// Stores it in a member of the same size: a number or a pointer.
    ///
    /// # Errors
    ///
    /// `EINVAL` for another size.
    ///
    /// # Safety
    ///
    /// It has as many bytes as it says, and any bytes are a value of the member.
    unsafe fn store<T: Copy>(self, member: &mut T) -> Outcome<()> {
        if self.len as usize != size_of::<T>() {
            return Err(Failure::INVALID);
        }
        // SAFETY: as the caller promises.
        *member = unsafe { self.buf.cast::<T>().read_unaligned() };
        Ok(())
    }
}

/// Reads an option by a function of liburma.
pub(crate) fn get(buf: *mut c_void, len: u32, function: impl FnOnce() -> c_int) -> Outcome<()> {
    Value::new(buf, len)?;
    done(function())
}

/// A configuration of which options set a part.
pub(crate) trait Config {
    /// Changes it as an option says; options that are no part of it do not.
    ///
    /// # Errors
    ///
    /// `EINVAL` for a value of the wrong size, `EOPNOTSUPP` for what the kernel takes only when an
    /// object is allocated.
    ///
    /// # Safety
    ///
    /// The value has as many bytes as it says. That of an option which binds is a pointer.
    unsafe fn keep(&mut self, opt: u64, value: Value) -> Outcome<()>;
}

/// Implements it for options that have a member each.
macro_rules! configs {
    ($(
        $cfg:ident: {$($opt:ident => $($member:ident).+,)*} $(and $part:ident)? $(not $refused:ident)?;
    )*) => {$(
        impl Config for $cfg {
            unsafe fn keep(&mut self, opt: u64, value: Value) -> Outcome<()> {
                // SAFETY: as the caller promises; all members are numbers and pointers.
                unsafe {
                    $(self.$part.keep(opt, value)?;)?
                    match u32::try_from(opt) {
                        $(Ok($opt) => value.store(&mut self.$($member).+),)*
                        $(Ok($refused) => Err(Failure::UNSUPPORTED),)?
                        _ => Ok(()),
                    }
                }
            }
        }
    )*};
}

configs! {
    urma_jfc_cfg: {
        UBURMA_OPT_JFC_DEPTH => depth,
        UBURMA_OPT_JFC_CEQN => ceqn,
        UBURMA_OPT_JFC_FLAG => flag,
        UBURMA_OPT_JFC_USER_CTX => user_ctx,
    } not UBURMA_OPT_JFC_BIND_JFCE;
    urma_jfs_cfg: {
        UBURMA_OPT_JFS_DEPTH => depth,
        UBURMA_OPT_JFS_FLAG => flag,
        UBURMA_OPT_JFS_TRANS_MODE => trans_mode,
        UBURMA_OPT_JFS_PRIORITY => priority,
        UBURMA_OPT_JFS_MAX_SGE => max_sge,
        UBURMA_OPT_JFS_MAX_RSGE => max_rsge,
        UBURMA_OPT_JFS_MAX_INLINE_DATA => max_inline_data,
        UBURMA_OPT_JFS_RNR_RETRY => rnr_retry,
        UBURMA_OPT_JFS_ERR_TIMEOUT => err_timeout,
        UBURMA_OPT_JFS_BIND_JFC => jfc,
        UBURMA_OPT_JFS_USER_CTX => user_ctx,
    };
    urma_jfr_cfg: {
        UBURMA_OPT_JFR_DEPTH => depth,
        UBURMA_OPT_JFR_FLAG => flag,
        UBURMA_OPT_JFR_TRANS_MODE => trans_mode,
        UBURMA_OPT_JFR_MAX_SGE => max_sge,
        UBURMA_OPT_JFR_MIN_RNR_TIMER => min_rnr_timer,
        UBURMA_OPT_JFR_BIND_JFC => jfc,
        UBURMA_OPT_JFR_TOKEN_VALUE => token_value,
        UBURMA_OPT_JFR_USER_CTX => user_ctx,
    };
    urma_jetty_cfg: {
        UBURMA_OPT_JETTY_ID => id,
        UBURMA_OPT_JETTY_FLAG => flag,
        UBURMA_OPT_JETTY_BIND_JFR => shared.jfr,
        UBURMA_OPT_JETTY_BIND_RX_JFC => shared.jfc,
        UBURMA_OPT_JETTY_USER_CTX => user_ctx,
    } and jfs_cfg not UBURMA_OPT_JETTY_BIND_JTG;
}
