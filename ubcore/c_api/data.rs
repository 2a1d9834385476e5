// SPDX-License-Identifier: GPL-2.0

//! The data path: straight to the driver, in any context, without locks.

use crate::bindings_ub::{
    ubcore_cr,
    ubcore_jetty,
    ubcore_jfc,
    ubcore_jfr,
    ubcore_jfr_wr,
    ubcore_jfs,
    ubcore_jfs_wr, //
};
use kernel::prelude::*;

/// Calls an operation of the driver of an object, `EINVAL` if there is none.
macro_rules! forward {
    ($object:ident.$op:ident($($arg:expr),*), if $condition:expr) => {{
        if $object.is_null() || !$condition {
            return EINVAL.to_errno();
        }
        // SAFETY: A valid object, whose device and operations are valid too.
        match unsafe { (*(*(*$object).ub_dev).ops).$op } {
            // SAFETY: An operation of the driver, with an object of its own.
            Some(op) => unsafe { op($object, $($arg),*) },
            None => EINVAL.to_errno(),
        }
    }};
}

c_api! {
    /// Posts to a send queue.
    unsafe fn ubcore_post_jfs_wr(
        jfs: *mut ubcore_jfs,
        wr: *mut ubcore_jfs_wr,
        bad_wr: *mut *mut ubcore_jfs_wr,
    ) -> c_int {
        forward!(jfs.post_jfs_wr(wr, bad_wr), if !wr.is_null() && !bad_wr.is_null())
    }

    /// Posts to a receive queue.
    unsafe fn ubcore_post_jfr_wr(
        jfr: *mut ubcore_jfr,
        wr: *mut ubcore_jfr_wr,
        bad_wr: *mut *mut ubcore_jfr_wr,
    ) -> c_int {
        forward!(jfr.post_jfr_wr(wr, bad_wr), if !wr.is_null() && !bad_wr.is_null())
    }

    /// Posts to the send side of a jetty.
    unsafe fn ubcore_post_jetty_send_wr(
        jetty: *mut ubcore_jetty,
        wr: *mut ubcore_jfs_wr,
        bad_wr: *mut *mut ubcore_jfs_wr,
    ) -> c_int {
        forward!(jetty.post_jetty_send_wr(wr, bad_wr), if !wr.is_null() && !bad_wr.is_null())
    }

    /// Posts to the receive side of a jetty.
    unsafe fn ubcore_post_jetty_recv_wr(
        jetty: *mut ubcore_jetty,
        wr: *mut ubcore_jfr_wr,
        bad_wr: *mut *mut ubcore_jfr_wr,
    ) -> c_int {
        forward!(jetty.post_jetty_recv_wr(wr, bad_wr), if !wr.is_null() && !bad_wr.is_null())
    }

    /// Takes completions from a completion queue.
    unsafe fn ubcore_poll_jfc(
        jfc: *mut ubcore_jfc,
        cr_cnt: c_int,
        cr: *mut ubcore_cr,
    ) -> c_int {
        forward!(jfc.poll_jfc(cr_cnt, cr), if !cr.is_null() && cr_cnt >= 0)
    }

    /// Asks for one event of a completion queue.
    unsafe fn ubcore_rearm_jfc(jfc: *mut ubcore_jfc, solicited_only: bool) -> c_int {
        forward!(jfc.rearm_jfc(solicited_only), if true)
    }
}
