// SPDX-License-Identifier: GPL-2.0

//! Objects that are made in stages.

use std::ptr;

use ub_abi::*;
use ub_tests::{check, check_eq, tests, Outcome, Test};
use ub_urma::*;

use super::lab::*;

/// The tests of this file.
pub const TESTS: &[Test] = tests![stages, stages_that_fail];

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
    // SAFETY: a queue that exists; liburma keeps its configuration with what was set.
    unsafe { (*jfc).jfc_cfg.depth = depth };
    check_eq!(call!(lab, active_jfc(jfc)), URMA_SUCCESS);
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
