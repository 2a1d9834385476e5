// SPDX-License-Identifier: GPL-2.0

//! Send queues without a jetty, datagrams and connections.

use std::ptr;

use ub_abi::*;
use ub_client::tlv::Cmd;
use ub_tests::{check, check_eq, tests, Failure, Outcome, Test};
use ub_urma::flags::urma_cr_flag;
use ub_urma::*;

use super::data::message;
use super::lab::*;

/// The tests of this file.
pub const TESTS: &[Test] = tests![
    queues_without_a_jetty,
    datagrams,
    connections,
    bindings_that_end_by_themselves,
    bindings_that_fail_later,
];

/// The receive queue of a side, as a peer imports it.
fn import_jfr(side: &Side, peer: &Side) -> Result<*mut urma_target_jetty, Failure> {
    let remote = peer.remote();
    let mut jfr = urma_rjfr {
        // SAFETY: a queue that exists.
        jfr_id: unsafe { (*peer.jfr).jfr_id },
        trans_mode: peer.mode,
        flag: remote.flag,
        tp_type: remote.tp_type,
    };
    let mut token = urma_token { token: TOKEN };
    let target = call!(side, import_jfr(side.lab.ctx(), &mut jfr, &mut token));
    check!(
        !target.is_null(),
        "import_jfr: {}",
        std::io::Error::last_os_error()
    );
    Ok(target)
}

fn queues_without_a_jetty() -> Outcome {
    let (a, b) = (Side::create(URMA_TM_RM)?, Side::create(URMA_TM_RM)?);
    let jfs = a.lab.jfs(a.sent, URMA_TM_RM, 8)?;
    let target = import_jfr(&a, &b)?;
    b.post_recv(0, 64, 5)?;
    let mut src = [a.sge(0, 4)];
    let mut wr = message(URMA_OPC_SEND, target, list(&mut src), 3);
    let mut bad = ptr::null_mut();
    check_eq!(call!(a, post_jfs_wr(jfs, &mut wr, &mut bad)), URMA_SUCCESS);
    let cr = a.lab.wait(a.sent)?;
    check_eq!(
        (cr.status, cr.flag, cr.user_data),
        (URMA_CR_SUCCESS, 0, jfs as usize)
    );
    let cr = b.lab.wait(b.received)?;
    check_eq!(u32::from(cr.flag), urma_cr_flag::s_r.mask());
    // SAFETY: objects that exist.
    unsafe {
        check_eq!(cr.local_id, (*b.jfr).jfr_id.id);
        check_eq!(cr.remote_id.id, (*jfs).jfs_id.id);
    }
    check_eq!((cr.user_ctx, cr.user_data), (5, b.jfr as usize));
    check_eq!(call!(a, unimport_jfr(target)), URMA_SUCCESS);
    check_eq!(call!(a, delete_jfs(jfs)), URMA_SUCCESS);
    a.destroy()?;
    b.destroy()
}

fn datagrams() -> Outcome {
    let (a, b) = (Side::create(URMA_TM_UM)?, Side::create(URMA_TM_UM)?);
    let target = a.import(&b)?;
    b.post_recv(0, 64, 5)?;
    a.bytes.write(0, b"dgram");
    let mut src = [a.sge(0, 5)];
    let cr = a.execute(&mut message(URMA_OPC_SEND, target, list(&mut src), 3))?;
    check_eq!(cr.status, URMA_CR_SUCCESS);
    check_eq!(b.lab.wait(b.received)?.completion_len, 5);
    check_eq!(b.bytes.bytes(0, 5), b"dgram");
    check_eq!(call!(a, unimport_jetty(target)), URMA_SUCCESS);
    a.destroy()?;
    b.destroy()
}

fn connections() -> Outcome {
    let (a, b) = (Side::create(URMA_TM_RC)?, Side::create(URMA_TM_RC)?);
    let (to_b, to_a) = (a.import(&b)?, b.import(&a)?);
    check_eq!(call!(a, unbind_jetty(a.jetty)), URMA_EINVAL);
    check_eq!(call!(a, get_tpn(a.jetty)), -1);
    check_eq!(call!(a, bind_jetty(a.jetty, to_b)), URMA_SUCCESS);
    check_eq!(call!(b, bind_jetty(b.jetty, to_a)), URMA_SUCCESS);
    // SAFETY: objects that exist.
    let (bound, tpn) = unsafe { ((*a.jetty).remote_jetty, (*to_b).tp.tpn) };
    check!(ptr::eq(bound, to_b));
    check_eq!(call!(a, get_tpn(a.jetty)), tpn as i32);
    // A target of another context.
    check_eq!(call!(a, bind_jetty(a.jetty, to_a)), URMA_EINVAL);
    b.post_recv(0, 64, 5)?;
    let mut src = [a.sge(0, 4)];
    // Whatever the request names.
    let nonsense = 0x5a5a_5a5a_5a5a_5a5a_usize as *mut urma_target_jetty;
    let cr = a.execute(&mut message(URMA_OPC_SEND, nonsense, list(&mut src), 3))?;
    check_eq!(cr.status, URMA_CR_SUCCESS);
    check_eq!(b.lab.wait(b.received)?.remote_id.id, a.id());
    check_eq!(call!(a, unbind_jetty(a.jetty)), URMA_SUCCESS);
    check_eq!(call!(b, unbind_jetty(b.jetty)), URMA_SUCCESS);
    // SAFETY: a jetty that exists.
    check!(unsafe { (*a.jetty).remote_jetty }.is_null());
    check_eq!(call!(a, unimport_jetty(to_b)), URMA_SUCCESS);
    check_eq!(call!(b, unimport_jetty(to_a)), URMA_SUCCESS);
    a.destroy()?;
    b.destroy()
}

/// What a jetty is bound to, as liburma sees it: it does not delete one that is bound.
fn bound_to(side: &Side) -> *mut urma_target_jetty {
    // SAFETY: a jetty that exists.
    unsafe { (*side.jetty).remote_jetty }
}

fn bindings_that_end_by_themselves() -> Outcome {
    let (a, b) = (Side::create(URMA_TM_RC)?, Side::create(URMA_TM_RC)?);
    // With the target.
    for _ in 0..2 {
        let target = a.import(&b)?;
        check_eq!(call!(a, bind_jetty(a.jetty, target)), URMA_SUCCESS);
        check_eq!(call!(a, bind_jetty(a.jetty, target)), URMA_SUCCESS);
        check_eq!(call!(a, unimport_jetty(target)), URMA_SUCCESS);
        check!(bound_to(&a).is_null());
        check_eq!(call!(a, unbind_jetty(a.jetty)), URMA_EINVAL);
    }
    // Bound to another one since.
    let (first, second) = (a.import(&b)?, a.import(&b)?);
    check_eq!(call!(a, bind_jetty(a.jetty, first)), URMA_SUCCESS);
    check_eq!(call!(a, unbind_jetty(a.jetty)), URMA_SUCCESS);
    check_eq!(call!(a, bind_jetty(a.jetty, second)), URMA_SUCCESS);
    check_eq!(call!(a, unimport_jetty(first)), URMA_SUCCESS);
    check!(ptr::eq(bound_to(&a), second));
    // In the kernel alone.
    // SAFETY: objects that exist.
    let (file, jetty, target) =
        unsafe { ((*a.lab.ctx()).dev_fd, (*a.jetty).handle, (*second).handle) };
    Cmd::new(UBURMA_CMD_UNBIND_JETTY)
        .u64(UBURMA_UNBIND_JETTY_IN_JETTY_HANDLE, jetty)
        .u64(UBURMA_UNBIND_JETTY_IN_TJETTY_HANDLE, target)
        .run(file)?;
    check_eq!(call!(a, unbind_jetty(a.jetty)), URMA_SUCCESS);
    check!(bound_to(&a).is_null());
    check_eq!(call!(a, unimport_jetty(second)), URMA_SUCCESS);
    a.destroy()?;
    b.destroy()
}

fn bindings_that_fail_later() -> Outcome {
    let (a, b) = (Side::create(URMA_TM_RC)?, Side::create(URMA_TM_RC)?);
    // Connected to nobody.
    let c = Side::create(URMA_TM_RM)?;
    let (wrong, right) = (a.import(&c)?, a.import(&b)?);
    let notifier = call!(a, create_notifier(a.lab.ctx()));
    check!(!notifier.is_null());
    for (target, succeeds) in [(wrong, false), (right, true)] {
        let status = call!(a, bind_jetty_async(notifier, a.jetty, target, 1, 0));
        check_eq!(status, URMA_SUCCESS);
        check!(ptr::eq(bound_to(&a), target));
        let mut note = urma_notify::default();
        check_eq!(call!(a, wait_notify(notifier, 1, &mut note, 5000)), 1);
        check_eq!(note.kind, URMA_BIND_JETTY_NOTIFY);
        check_eq!(note.status == URMA_SUCCESS, succeeds);
        check_eq!(ptr::eq(bound_to(&a), target), succeeds);
    }
    check_eq!(call!(a, unbind_jetty_async(a.jetty)), URMA_SUCCESS);
    check_eq!(call!(a, delete_notifier(notifier)), URMA_SUCCESS);
    for target in [wrong, right] {
        check_eq!(call!(a, unimport_jetty(target)), URMA_SUCCESS);
    }
    a.destroy()?;
    b.destroy()?;
    c.destroy()
}
