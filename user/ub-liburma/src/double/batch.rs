// SPDX-License-Identifier: GPL-2.0

//! Destroying many objects by one command.

use std::ffi::c_int;

use ub_client::Batch;
use ub_urma::*;

use super::*;

/// Destroys many: the function of liburma waits until the sums agree, but does not begin its own anew.
unsafe fn destroy_batch(
    kind: Batch,
    fd: c_int,
    handles: &[u64],
    acknowledged: impl Fn() -> (u32, u32),
) -> Result<(), usize> {
    let mut cmd = kind.cmd_at(handles.len() as u32, handles.as_ptr() as u64);
    let outcome = cmd.run(fd);
    let reply = kind.reply(&cmd);
    if let Err(err) = outcome {
        set_errno(err.errno());
        return Err(reply.bad as usize);
    }
    let mut sums = (0u32, 0u32);
    loop {
        let (completions, events) = acknowledged();
        sums = (
            sums.0.wrapping_add(completions),
            sums.1.wrapping_add(events),
        );
        if sums == (reply.completions, reply.events) {
            return Ok(());
        }
        std::thread::yield_now();
    }
}

macro_rules! batch {
    ($list:ident, $count:ident, $bad:ident, $kind:expr, |$object:ident| $acknowledged:expr) => {{
        let all = std::slice::from_raw_parts($list, $count as usize);
        let handles: Vec<u64> = all.iter().map(|object| (**object).handle).collect();
        let sums = || {
            all.iter()
                .map(|$object| $acknowledged)
                .fold((0u32, 0u32), |sum: (u32, u32), one: (u32, u32)| {
                    (sum.0 + one.0, sum.1 + one.1)
                })
        };
        let fd = dev_fd((*all[0]).urma_ctx);
        match destroy_batch($kind, fd, &handles, sums) {
            Ok(()) => 0,
            Err(bad) => {
                *$bad = all.get(bad).copied().unwrap_or(std::ptr::null_mut());
                -1
            }
        }
    }};
}

exports! {
    fn urma_cmd_delete_jfc_batch(
        list: *mut *mut urma_jfc,
        count: c_int,
        bad: *mut *mut urma_jfc,
    ) -> c_int {
        batch!(list, count, bad, Batch::Jfc, |jfc| {
            ((**jfc).comp_events_acked, (**jfc).async_events_acked)
        })
    }

    fn urma_cmd_delete_jfs_batch(
        list: *mut *mut urma_jfs,
        count: c_int,
        bad: *mut *mut urma_jfs,
    ) -> c_int {
        batch!(list, count, bad, Batch::Jfs, |jfs| (0, (**jfs).async_events_acked))
    }

    fn urma_cmd_delete_jfr_batch(
        list: *mut *mut urma_jfr,
        count: c_int,
        bad: *mut *mut urma_jfr,
    ) -> c_int {
        batch!(list, count, bad, Batch::Jfr, |jfr| (0, (**jfr).async_events_acked))
    }

    fn urma_cmd_delete_jetty_batch(
        list: *mut *mut urma_jetty,
        count: c_int,
        bad: *mut *mut urma_jetty,
    ) -> c_int {
        batch!(list, count, bad, Batch::Jetty, |jetty| (0, (**jetty).async_events_acked))
    }
}
