// SPDX-License-Identifier: GPL-2.0

//! Posting and polling. One lock is held per queue, nothing is allocated, and the kernel is called
//! once for a list of requests.

use std::ffi::c_int;
use std::ptr;
use std::sync::atomic::Ordering;
use std::sync::Mutex;

use ub_abi::{ubsoft_cqe, ubsoft_sge};
use ub_client::RecvWr;
use ub_urma::*;

use crate::ffi::call::{operations, set_errno};
use crate::ffi::kinds::*;
use crate::ffi::object::{find, lock};
use crate::ffi::request;
use crate::queue::{RecvQueue, SendQueue};
use crate::status::{Failure, Outcome};

/// Notes the request at which a list ended.
///
/// # Safety
///
/// `bad` is null or has room for a pointer.
unsafe fn blame<T>(bad: *mut *mut T, wr: *mut T) {
    if !bad.is_null() {
        // SAFETY: as the caller promises.
        unsafe { *bad = wr };
    }
}

/// Posts a list of requests: all up to the first bad one.
///
/// # Safety
///
/// The list is as the interface says.
unsafe fn post_send(
    queue: &Mutex<Option<SendQueue>>,
    first: *mut urma_jfs_wr,
    bad: *mut *mut urma_jfs_wr,
) -> Outcome<()> {
    let (outcome, bell) = {
        let mut locked = lock(queue);
        let Some(queue) = locked.as_mut() else {
            // SAFETY: as the caller promises.
            unsafe { blame(bad, first) };
            return Err(Failure::INVALID);
        };
        let mut wr = first;
        let mut outcome = Ok(());
        while !wr.is_null() {
            // SAFETY: as the caller promises.
            outcome = unsafe { request::push(queue, &*wr) };
            if outcome.is_err() {
                // SAFETY: as above.
                unsafe { blame(bad, wr) };
                break;
            }
            // SAFETY: as above.
            wr = unsafe { (*wr).next };
        }
        let some = !ptr::eq(wr, first);
        (outcome, some.then(|| queue.publish()))
    };
    if let Some(bell) = bell {
        // What is published is posted, whatever the kernel says: completions and events tell.
        let _ = bell.now();
    }
    outcome
}

/// Posts a list of receive buffers: all up to the first bad one.
///
/// # Safety
///
/// The list is as the interface says.
unsafe fn post_recv(
    queue: &Mutex<Option<RecvQueue>>,
    first: *mut urma_jfr_wr,
    bad: *mut *mut urma_jfr_wr,
) -> Outcome<()> {
    let (outcome, bell) = {
        let mut locked = lock(queue);
        let Some(queue) = locked.as_mut() else {
            // SAFETY: as the caller promises.
            unsafe { blame(bad, first) };
            return Err(Failure::INVALID);
        };
        let mut wr = first;
        let mut outcome = Ok(());
        while !wr.is_null() {
            // SAFETY: as the caller promises.
            outcome = unsafe { push_recv(queue, &*wr) };
            if outcome.is_err() {
                // SAFETY: as above.
                unsafe { blame(bad, wr) };
                break;
            }
            // SAFETY: as above.
            wr = unsafe { (*wr).next };
        }
        let some = !ptr::eq(wr, first);
        (outcome, if some { queue.publish() } else { None })
    };
    if let Some(bell) = bell {
        let _ = bell.now();
    }
    outcome
}

/// Writes a receive buffer.
///
/// # Safety
///
/// It is as the interface says.
unsafe fn push_recv(queue: &mut RecvQueue, wr: &urma_jfr_wr) -> Outcome<()> {
    let mut room = [ubsoft_sge::default(); request::MOST_SGES];
    // SAFETY: as the caller promises.
    let (list, _) = unsafe { request::local(&wr.src, &mut room, queue.max_sge()) }?;
    queue.push(&RecvWr::new(list).user_ctx(wr.user_ctx))
}

/// A completion as applications get it. Every member is written: their arrays are not clean.
fn completion(cqe: &ubsoft_cqe) -> urma_cr {
    urma_cr {
        status: cqe.status.into(),
        user_ctx: cqe.user_ctx,
        opcode: cqe.opcode.into(),
        flag: cqe.flags,
        completion_len: cqe.byte_len,
        local_id: cqe.local_id,
        remote_id: urma_jetty_id {
            eid: urma_eid::of(cqe.remote_eid),
            uasid: 0,
            id: cqe.remote_id,
        },
        imm_data: cqe.imm,
        tpn: cqe.tpn,
        user_data: cqe.user_data as usize,
    }
}

operations! {
    /// Posts requests to a send queue.
    fn post_jfs_wr(jfs: *mut urma_jfs, wr: *mut urma_jfs_wr, bad: *mut *mut urma_jfs_wr) -> () {
        match find::<JfsKind>(jfs) {
            Ok(jfs) if !wr.is_null() => post_send(&jfs.private, wr, bad),
            _ => {
                blame(bad, wr);
                Err(Failure::INVALID)
            }
        }
    }

    /// Posts requests to a jetty.
    fn post_jetty_send_wr(
        jetty: *mut urma_jetty,
        wr: *mut urma_jfs_wr,
        bad: *mut *mut urma_jfs_wr,
    ) -> () {
        match find::<JettyKind>(jetty) {
            Ok(jetty) if !wr.is_null() => post_send(&jetty.private, wr, bad),
            _ => {
                blame(bad, wr);
                Err(Failure::INVALID)
            }
        }
    }

    /// Posts buffers to a receive queue.
    fn post_jfr_wr(jfr: *mut urma_jfr, wr: *mut urma_jfr_wr, bad: *mut *mut urma_jfr_wr) -> () {
        match find::<JfrKind>(jfr) {
            Ok(jfr) if !wr.is_null() => post_recv(&jfr.private, wr, bad),
            _ => {
                blame(bad, wr);
                Err(Failure::INVALID)
            }
        }
    }

    /// Posts buffers to the receive queue that a jetty shares.
    fn post_jetty_recv_wr(
        jetty: *mut urma_jetty,
        wr: *mut urma_jfr_wr,
        bad: *mut *mut urma_jfr_wr,
    ) -> () {
        let jfr = find::<JettyKind>(jetty)
            .and_then(|jetty| find::<JfrKind>((*jetty.ptr()).jetty_cfg.shared.jfr));
        match jfr {
            Ok(jfr) if !wr.is_null() => post_recv(&jfr.private, wr, bad),
            _ => {
                blame(bad, wr);
                Err(Failure::INVALID)
            }
        }
    }

    /// Asks for one completion event, at once if there are completions that were not polled.
    fn rearm_jfc(jfc: *mut urma_jfc, solicited_only: u8) -> () {
        let jfc = find::<JfcKind>(jfc)?;
        if (*jfc.ptr()).jfc_cfg.jfce.is_null() {
            // There is nobody to be told.
            return Ok(());
        }
        let bell = match lock(&jfc.private).as_ref() {
            Some(queue) => queue.arm(solicited_only != 0),
            None => return Err(Failure::INVALID),
        };
        bell.now()
    }
}

/// Takes completions: their number, 0 when there are none, negative for bad arguments.
///
/// # Safety
///
/// Called by liburma, or by who keeps to the same interface: `cr` has room for `most`.
pub(crate) unsafe extern "C" fn poll_jfc(
    jfc: *mut urma_jfc,
    most: c_int,
    cr: *mut urma_cr,
) -> c_int {
    let invalid = || {
        set_errno(libc::EINVAL);
        -(URMA_EINVAL as c_int)
    };
    // SAFETY: as the caller promises.
    let Ok(jfc) = (unsafe { find::<JfcKind>(jfc) }) else {
        return invalid();
    };
    let Ok(room) = usize::try_from(most) else {
        return invalid();
    };
    if cr.is_null() {
        return invalid();
    }
    let mut locked = lock(&jfc.private);
    let Some(queue) = locked.as_mut() else {
        return invalid();
    };
    let count = queue.poll(room, |i, cqe| {
        // SAFETY: there is room for `most`, and `i` is less.
        unsafe { ptr::write(cr.add(i), completion(cqe)) };
    });
    // At most `most`.
    count as c_int
}

/// The target of a request by name; 0 for a queue that is connected.
///
/// # Safety
///
/// The pointer is as the interface says.
pub(crate) unsafe fn target_of(
    queue: &SendQueue,
    target: *mut urma_target_jetty,
) -> Outcome<(u32, bool)> {
    if queue.is_connected() {
        // Whatever the request names.
        return Ok((0, false));
    }
    // SAFETY: as the caller promises.
    let target = unsafe { find::<TargetKind>(target) }?;
    let private = &target.private;
    Ok((
        private.target_ref.load(Ordering::Relaxed),
        private.is_group.load(Ordering::Relaxed) != 0,
    ))
}
