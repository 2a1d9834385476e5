// SPDX-License-Identifier: GPL-2.0

//! Objects that are made in stages.

use std::ptr;

use ub_abi::*;
use ub_tests::{check, check_eq, tests, Outcome, Test};
use ub_urma::flags::{urma_jfc_flag, urma_jfs_flag};
use ub_urma::*;

use super::data::message;
use super::lab::*;

/// The tests of this file.
pub const TESTS: &[Test] = tests![
    stages,
    stages_and_events,
    stages_and_options,
    stages_that_fail
];

fn stages() -> Outcome {
    let lab = Lab::open()?;
    let (mut jfc, mut jfr) = (ptr::null_mut(), ptr::null_mut());
    let mut cfg = urma_jfc_cfg {
        depth: 16,
        ..Default::default()
    };
    check_eq!(
        call!(lab, alloc_jfc(lab.ctx(), &mut cfg, &mut jfc)),
        URMA_SUCCESS
    );
    // Nothing is polled before it is at work.
    let mut cr = dirty();
    check!(call!(lab, poll_jfc(jfc, 1, &mut cr)) < 0);
    let (mut depth, mut seen) = (32u32, 0u32);
    let opt = u64::from(UBURMA_OPT_JFC_DEPTH);
    let (value, room) = ((&raw mut depth).cast(), (&raw mut seen).cast());
    check_eq!(call!(lab, set_jfc_opt(jfc, opt, value, 4)), URMA_SUCCESS);
    check_eq!(call!(lab, get_jfc_opt(jfc, opt, room, 4)), URMA_SUCCESS);
    check_eq!(seen, 32);
    check_eq!(
        call!(lab, set_jfc_opt(jfc, opt, ptr::null_mut(), 4)),
        URMA_EINVAL
    );
    check_eq!(call!(lab, set_jfc_opt(jfc, opt, value, 0)), URMA_EINVAL);
    check_eq!(call!(lab, active_jfc(jfc)), URMA_SUCCESS);
    // SAFETY: a queue that exists.
    check_eq!(unsafe { (*jfc).jfc_cfg.depth }, 32);
    lab.quiet(jfc)?;
    let mut cfg = Lab::jfr_cfg(jfc, URMA_TM_RM, 8);
    check_eq!(
        call!(lab, alloc_jfr(lab.ctx(), &mut cfg, &mut jfr)),
        URMA_SUCCESS
    );
    check_eq!(call!(lab, active_jfr(jfr)), URMA_SUCCESS);
    let mut jfs = ptr::null_mut();
    let mut cfg = Lab::jfs_cfg(jfc, URMA_TM_RM, 8);
    check_eq!(
        call!(lab, alloc_jfs(lab.ctx(), &mut cfg, &mut jfs)),
        URMA_SUCCESS
    );
    let mut priority = 3u8;
    let opt = u64::from(UBURMA_OPT_JFS_PRIORITY);
    let value = (&raw mut priority).cast();
    check_eq!(call!(lab, set_jfs_opt(jfs, opt, value, 1)), URMA_SUCCESS);
    check_eq!(call!(lab, active_jfs(jfs)), URMA_SUCCESS);
    let mut jetty = ptr::null_mut();
    let mut cfg = Lab::jetty_cfg(jfc, jfr, URMA_TM_RM, 8);
    check_eq!(
        call!(lab, alloc_jetty(lab.ctx(), &mut cfg, &mut jetty)),
        URMA_SUCCESS
    );
    let mut wr = request(URMA_OPC_NOP, ptr::null_mut(), 5);
    let mut bad = ptr::null_mut();
    check_eq!(
        call!(lab, post_jetty_send_wr(jetty, &mut wr, &mut bad)),
        URMA_EINVAL
    );
    check!(ptr::eq(bad, &wr));
    check_eq!(call!(lab, active_jetty(jetty)), URMA_SUCCESS);
    // At work like any other.
    check_eq!(
        call!(lab, post_jetty_send_wr(jetty, &mut wr, &mut bad)),
        URMA_SUCCESS
    );
    let cr = lab.wait(jfc)?;
    check_eq!((cr.user_ctx, cr.user_data), (5, jetty as usize));
    check_eq!(
        call!(lab, post_jfs_wr(jfs, &mut wr, &mut bad)),
        URMA_SUCCESS
    );
    check_eq!(lab.wait(jfc)?.user_data, jfs as usize);
    // And back: twice, so that the way is open again.
    for _ in 0..2 {
        check_eq!(call!(lab, deactive_jetty(jetty)), URMA_SUCCESS);
        check_eq!(
            call!(lab, post_jetty_send_wr(jetty, &mut wr, &mut bad)),
            URMA_EINVAL
        );
        check_eq!(call!(lab, active_jetty(jetty)), URMA_SUCCESS);
    }
    // One that is at work can be freed too.
    check_eq!(call!(lab, free_jetty(jetty)), URMA_SUCCESS);
    check_eq!(call!(lab, free_jetty(jetty)), URMA_EINVAL);
    check_eq!(call!(lab, deactive_jfs(jfs)), URMA_SUCCESS);
    check_eq!(call!(lab, free_jfs(jfs)), URMA_SUCCESS);
    check_eq!(call!(lab, deactive_jfr(jfr)), URMA_SUCCESS);
    check_eq!(call!(lab, free_jfr(jfr)), URMA_SUCCESS);
    check_eq!(call!(lab, deactive_jfc(jfc)), URMA_SUCCESS);
    check!(call!(lab, poll_jfc(jfc, 1, &mut dirty())) < 0);
    check_eq!(call!(lab, free_jfc(jfc)), URMA_SUCCESS);
    let mut lab = lab;
    check_eq!(lab.opened.delete(), URMA_SUCCESS);
    Ok(())
}

/// Events that were acknowledged before an object is taken out of work and put to work again.
fn stages_and_events() -> Outcome {
    let a = Side::create(URMA_TM_RM)?;
    let jfce = call!(a, create_jfce(a.lab.ctx()));
    check!(!jfce.is_null());
    let mut cfg = urma_jfc_cfg {
        depth: 16,
        flag: urma_jfc_flag::non_blocking.mask(),
        jfce,
        ..Default::default()
    };
    let mut jfc = ptr::null_mut();
    let status = call!(a, alloc_jfc(a.lab.ctx(), &mut cfg, &mut jfc));
    check_eq!(status, URMA_SUCCESS);
    check_eq!(call!(a, active_jfc(jfc)), URMA_SUCCESS);
    let mut cfg = Lab::jfs_cfg(jfc, URMA_TM_RM, 8);
    cfg.flag |= urma_jfs_flag::non_blocking.mask();
    let mut jfs = ptr::null_mut();
    let status = call!(a, alloc_jfs(a.lab.ctx(), &mut cfg, &mut jfs));
    check_eq!(status, URMA_SUCCESS);
    check_eq!(call!(a, active_jfs(jfs)), URMA_SUCCESS);
    // A completion event and one of an error, both acknowledged.
    check_eq!(call!(a, rearm_jfc(jfc, 0)), URMA_SUCCESS);
    let target = a.import_none()?;
    let mut src = [a.sge(0, 4)];
    let mut wr = message(URMA_OPC_SEND, target, list(&mut src), 1);
    let mut bad = ptr::null_mut();
    check_eq!(call!(a, post_jfs_wr(jfs, &mut wr, &mut bad)), URMA_SUCCESS);
    check!(a.lab.wait(jfc)?.status != URMA_CR_SUCCESS);
    check_eq!(call!(a, unimport_jetty(target)), URMA_SUCCESS);
    let mut seen = ptr::null_mut();
    check_eq!(call!(a, wait_jfc(jfce, 1, 5000, &mut seen)), 1);
    call!(a, ack_jfc(&mut seen, &mut 1, 1));
    let mut event = urma_async_event::default();
    check_eq!(
        call!(a, get_async_event(a.lab.ctx(), &mut event)),
        URMA_SUCCESS
    );
    check_eq!(event.event_type, URMA_EVENT_JFS_ERR);
    call!(a, ack_async_event(&mut event));
    check_eq!(call!(a, deactive_jfs(jfs)), URMA_SUCCESS);
    check_eq!(call!(a, active_jfs(jfs)), URMA_SUCCESS);
    check_eq!(call!(a, free_jfs(jfs)), URMA_SUCCESS);
    check_eq!(call!(a, deactive_jfc(jfc)), URMA_SUCCESS);
    check_eq!(call!(a, active_jfc(jfc)), URMA_SUCCESS);
    check_eq!(call!(a, free_jfc(jfc)), URMA_SUCCESS);
    check_eq!(call!(a, delete_jfce(jfce)), URMA_SUCCESS);
    a.destroy()
}

/// Options that the configuration has a place for.
fn stages_and_options() -> Outcome {
    let (a, b) = (Side::create(URMA_TM_RM)?, Side::create(URMA_TM_RM)?);
    let other = a.lab.jfc(8, ptr::null_mut(), 0)?;
    let mut cfg = Lab::jfs_cfg(a.sent, URMA_TM_UM, 8);
    let mut jfs = ptr::null_mut();
    let status = call!(a, alloc_jfs(a.lab.ctx(), &mut cfg, &mut jfs));
    check_eq!(status, URMA_SUCCESS);
    let mut mode = URMA_TM_RM;
    let opt = u64::from(UBURMA_OPT_JFS_TRANS_MODE);
    let value = (&raw mut mode).cast();
    check_eq!(call!(a, set_jfs_opt(jfs, opt, value, 8)), URMA_EINVAL);
    check_eq!(call!(a, set_jfs_opt(jfs, opt, value, 4)), URMA_SUCCESS);
    // Not to a queue of another context.
    let opt = u64::from(UBURMA_OPT_JFS_BIND_JFC);
    for (mut jfc, status) in [(b.sent, URMA_EINVAL), (other, URMA_SUCCESS)] {
        let value = (&raw mut jfc).cast();
        check_eq!(call!(a, set_jfs_opt(jfs, opt, value, 8)), status);
    }
    check_eq!(call!(a, active_jfs(jfs)), URMA_SUCCESS);
    // SAFETY: a queue that exists.
    let cfg = unsafe { (*jfs).jfs_cfg };
    check_eq!((cfg.trans_mode, cfg.depth), (URMA_TM_RM, 8));
    check!(ptr::eq(cfg.jfc, other));
    // Completions come there, and are not seen when the queue is gone.
    let mut wr = request(URMA_OPC_NOP, ptr::null_mut(), 5);
    let mut bad = ptr::null_mut();
    for _ in 0..2 {
        check_eq!(call!(a, post_jfs_wr(jfs, &mut wr, &mut bad)), URMA_SUCCESS);
    }
    check_eq!(a.lab.wait(other)?.user_data, jfs as usize);
    check_eq!(call!(a, free_jfs(jfs)), URMA_SUCCESS);
    a.lab.quiet(other)?;
    // What the kernel takes only when an object is allocated.
    let mut jfc = ptr::null_mut();
    let mut cfg = urma_jfc_cfg {
        depth: 8,
        ..Default::default()
    };
    let status = call!(a, alloc_jfc(a.lab.ctx(), &mut cfg, &mut jfc));
    check_eq!(status, URMA_SUCCESS);
    let mut jetty = ptr::null_mut();
    let mut cfg = Lab::jetty_cfg(a.sent, a.jfr, URMA_TM_RM, 8);
    let status = call!(a, alloc_jetty(a.lab.ctx(), &mut cfg, &mut jetty));
    check_eq!(status, URMA_SUCCESS);
    let mut nothing = 0u64;
    let value = (&raw mut nothing).cast();
    let unsupported = || std::io::Error::last_os_error().raw_os_error() == Some(libc::EOPNOTSUPP);
    let opt = u64::from(UBURMA_OPT_JFC_BIND_JFCE);
    check_eq!(call!(a, set_jfc_opt(jfc, opt, value, 8)), URMA_FAIL);
    check!(unsupported());
    let opt = u64::from(UBURMA_OPT_JETTY_BIND_JTG);
    check_eq!(call!(a, set_jetty_opt(jetty, opt, value, 8)), URMA_FAIL);
    check!(unsupported());
    // Another receive queue.
    let mut jfr = a.lab.jfr(other, URMA_TM_RM, 8)?;
    let opt = u64::from(UBURMA_OPT_JETTY_BIND_JFR);
    let value = (&raw mut jfr).cast();
    check_eq!(call!(a, set_jetty_opt(jetty, opt, value, 8)), URMA_SUCCESS);
    // SAFETY: a jetty that exists.
    check!(ptr::eq(unsafe { (*jetty).jetty_cfg.shared.jfr }, jfr));
    check_eq!(call!(a, active_jetty(jetty)), URMA_SUCCESS);
    check_eq!(call!(a, free_jetty(jetty)), URMA_SUCCESS);
    check_eq!(call!(a, delete_jfr(jfr)), URMA_SUCCESS);
    check_eq!(call!(a, free_jfc(jfc)), URMA_SUCCESS);
    check_eq!(call!(a, delete_jfc(other)), URMA_SUCCESS);
    a.destroy()?;
    b.destroy()
}

fn stages_that_fail() -> Outcome {
    let mut lab = Lab::open()?;
    let nonsense = 0x5a5a_5a5a_usize;
    let mut cfg = urma_jfc_cfg::default();
    let mut jfc = nonsense as *mut urma_jfc;
    check_eq!(
        call!(lab, alloc_jfc(ptr::null_mut(), &mut cfg, &mut jfc)),
        URMA_EINVAL
    );
    check!(jfc.is_null());
    // What is no depth: it can be allocated, an option may mend it, but not put to work.
    check_eq!(
        call!(lab, alloc_jfc(lab.ctx(), &mut cfg, &mut jfc)),
        URMA_SUCCESS
    );
    check!(call!(lab, active_jfc(jfc)) != URMA_SUCCESS);
    check_eq!(call!(lab, free_jfc(jfc)), URMA_SUCCESS);
    let mut cfg = urma_jetty_cfg::default();
    let mut jetty = nonsense as *mut urma_jetty;
    check_eq!(
        call!(lab, alloc_jetty(lab.ctx(), &mut cfg, &mut jetty)),
        URMA_EINVAL
    );
    check!(jetty.is_null());
    // liburma writes to these even then; but they are no queues.
    let mut cfg = urma_jfs_cfg::default();
    let mut jfs = ptr::null_mut();
    check_eq!(
        call!(lab, alloc_jfs(lab.ctx(), &mut cfg, &mut jfs)),
        URMA_EINVAL
    );
    check!(!jfs.is_null());
    // SAFETY: what liburma does.
    unsafe { *jfs = urma_jfs::default() };
    check_eq!(call!(lab, free_jfs(jfs)), URMA_EINVAL);
    let mut cfg = urma_jfr_cfg::default();
    let mut jfr = ptr::null_mut();
    check_eq!(
        call!(lab, alloc_jfr(ptr::null_mut(), &mut cfg, &mut jfr)),
        URMA_EINVAL
    );
    check!(!jfr.is_null());
    // SAFETY: what liburma does.
    unsafe { *jfr = urma_jfr::default() };
    check_eq!(call!(lab, active_jfr(jfr)), URMA_EINVAL);
    check_eq!(
        call!(lab, alloc_jfr(lab.ctx(), &mut cfg, ptr::null_mut())),
        URMA_EINVAL
    );
    check_eq!(lab.opened.delete(), URMA_SUCCESS);
    Ok(())
}
