// SPDX-License-Identifier: GPL-2.0

//! What is not data: changes and questions, groups, lists, paths, addresses, private calls.

use std::ptr;

use ub_abi::*;
use ub_tests::{check, check_eq, tests, Outcome, Test};
use ub_urma::flags::{urma_get_tp_cfg_flag, urma_import_jetty_flag, urma_jetty_grp_flag};
use ub_urma::*;

use super::data::message;
use super::lab::*;

/// The tests of this file.
pub const TESTS: &[Test] = tests![
    changes_and_questions,
    lists_are_destroyed,
    groups,
    paths,
    asynchronous_imports,
    addresses,
    private_calls,
    not_served,
];

fn changes_and_questions() -> Outcome {
    let a = Side::create(URMA_TM_RM)?;
    let mut attr = urma_jfc_attr {
        mask: JFC_MODERATE_COUNT | JFC_MODERATE_PERIOD,
        moderate_count: 4,
        moderate_period: 10,
    };
    check_eq!(call!(a, modify_jfc(a.received, &mut attr)), URMA_SUCCESS);
    (attr.moderate_count, attr.moderate_period) = (0, 0);
    check_eq!(call!(a, modify_jfc(a.received, &mut attr)), URMA_SUCCESS);
    attr.mask = 0;
    check_eq!(call!(a, modify_jfc(a.received, &mut attr)), URMA_SUCCESS);
    attr.mask = 4;
    check_eq!(call!(a, modify_jfc(a.received, &mut attr)), URMA_EINVAL);
    let jfs = a.lab.jfs(a.sent, URMA_TM_RM, 8)?;
    let (mut cfg, mut attr) = (urma_jfs_cfg::default(), urma_jfs_attr::default());
    check_eq!(call!(a, query_jfs(jfs, &mut cfg, &mut attr)), URMA_SUCCESS);
    check_eq!(
        (cfg.depth, cfg.trans_mode, attr.state),
        (8, URMA_TM_RM, URMA_JETTY_STATE_READY)
    );
    check!(ptr::eq(cfg.jfc, a.sent));
    let mut attr = urma_jfs_attr {
        mask: JFS_STATE,
        state: URMA_JETTY_STATE_ERROR,
    };
    check_eq!(call!(a, modify_jfs(jfs, &mut attr)), URMA_SUCCESS);
    check_eq!(a.lab.wait(a.sent)?.status, URMA_CR_WR_FLUSH_ERR_DONE);
    let mut crs = [dirty(); 2];
    check_eq!(call!(a, flush_jfs(jfs, 2, crs.as_mut_ptr())), 0);
    check_eq!(call!(a, delete_jfs(jfs)), URMA_SUCCESS);
    let mut attr = urma_jfr_attr {
        mask: JFR_RX_THRESHOLD,
        rx_threshold: 3,
        state: 0,
    };
    check_eq!(call!(a, modify_jfr(a.jfr, &mut attr)), URMA_SUCCESS);
    let (mut cfg, mut attr) = (urma_jfr_cfg::default(), urma_jfr_attr::default());
    check_eq!(
        call!(a, query_jfr(a.jfr, &mut cfg, &mut attr)),
        URMA_SUCCESS
    );
    check_eq!(
        (cfg.depth, attr.rx_threshold, attr.state),
        (16, 3, URMA_JFR_STATE_READY)
    );
    a.destroy()
}

fn lists_are_destroyed() -> Outcome {
    let a = Side::create(URMA_TM_RM)?;
    let mut jfcs = [ptr::null_mut(); 3];
    let (mut jfss, mut jfrs, mut jettys) = (
        [ptr::null_mut(); 3],
        [ptr::null_mut(); 3],
        [ptr::null_mut(); 3],
    );
    for i in 0..3 {
        jfcs[i] = a.lab.jfc(8, ptr::null_mut(), 0)?;
        jfss[i] = a.lab.jfs(jfcs[i], URMA_TM_RM, 8)?;
        jfrs[i] = a.lab.jfr(jfcs[i], URMA_TM_RM, 8)?;
        let mut cfg = Lab::jetty_cfg(jfcs[i], jfrs[i], URMA_TM_RM, 8);
        jettys[i] = call!(a, create_jetty(a.lab.ctx(), &mut cfg));
        check!(!jettys[i].is_null());
    }
    // In use: the kernel refuses the first, and all stay.
    let mut bad = ptr::null_mut();
    check!(call!(a, delete_jfc_batch(jfcs.as_mut_ptr(), 3, &mut bad)) != URMA_SUCCESS);
    check!(ptr::eq(bad, jfcs[0]));
    // Twice in a list, and none.
    let mut bad = ptr::null_mut();
    let mut twice = [jettys[0], jettys[1], jettys[0]];
    check_eq!(
        call!(a, delete_jetty_batch(twice.as_mut_ptr(), 3, &mut bad)),
        URMA_EINVAL
    );
    check!(ptr::eq(bad, jettys[0]));
    let mut holed = [jettys[0], ptr::null_mut()];
    check_eq!(
        call!(a, delete_jetty_batch(holed.as_mut_ptr(), 2, &mut bad)),
        URMA_EINVAL
    );
    check!(bad.is_null());
    check_eq!(
        call!(a, delete_jetty_batch(holed.as_mut_ptr(), 0, &mut bad)),
        URMA_EINVAL
    );
    check_eq!(
        call!(a, delete_jetty_batch(ptr::null_mut(), 1, &mut bad)),
        URMA_EINVAL
    );
    check_eq!(
        call!(a, delete_jetty_batch(jettys.as_mut_ptr(), 3, &mut bad)),
        URMA_SUCCESS
    );
    check_eq!(
        call!(a, delete_jetty_batch(jettys.as_mut_ptr(), 3, &mut bad)),
        URMA_EINVAL
    );
    let mut bad = ptr::null_mut();
    check_eq!(
        call!(a, delete_jfs_batch(jfss.as_mut_ptr(), 3, &mut bad)),
        URMA_SUCCESS
    );
    let mut bad = ptr::null_mut();
    check_eq!(
        call!(a, delete_jfr_batch(jfrs.as_mut_ptr(), 3, &mut bad)),
        URMA_SUCCESS
    );
    let mut bad = ptr::null_mut();
    check_eq!(
        call!(a, delete_jfc_batch(jfcs.as_mut_ptr(), 3, &mut bad)),
        URMA_SUCCESS
    );
    a.destroy()
}

fn groups() -> Outcome {
    let (a, b) = (Side::create(URMA_TM_RM)?, Side::create(URMA_TM_RM)?);
    let mut cfg = urma_jetty_grp_cfg {
        flag: urma_jetty_grp_flag::token_policy.of(PLAIN),
        token_value: urma_token { token: TOKEN },
        policy: URMA_JETTY_GRP_POLICY_HASH_HINT,
        ..Default::default()
    };
    let group = call!(b, create_jetty_grp(b.lab.ctx(), &mut cfg));
    check!(
        !group.is_null(),
        "create_jetty_grp: {}",
        std::io::Error::last_os_error()
    );
    let mut members = [ptr::null_mut(); 2];
    let mut queues = [ptr::null_mut(); 2];
    for i in 0..2 {
        queues[i] = b.lab.jfr(b.received, URMA_TM_RM, 16)?;
        let mut cfg = Lab::jetty_cfg(b.sent, queues[i], URMA_TM_RM, 8);
        cfg.jetty_grp = group;
        members[i] = call!(b, create_jetty(b.lab.ctx(), &mut cfg));
        check!(
            !members[i].is_null(),
            "a member: {}",
            std::io::Error::last_os_error()
        );
        for buffer in 0..8 {
            let mut sge = b.sge(0, 64);
            let mut wr = urma_jfr_wr {
                src: urma_sg {
                    sge: &mut sge,
                    num_sge: 1,
                },
                user_ctx: buffer,
                next: ptr::null_mut(),
            };
            let mut bad = ptr::null_mut();
            let status = call!(b, post_jetty_recv_wr(members[i], &mut wr, &mut bad));
            check_eq!(status, URMA_SUCCESS);
        }
    }
    let mut remote = urma_rjetty {
        // SAFETY: a group that exists.
        jetty_id: unsafe { (*group).jetty_grp_id },
        trans_mode: URMA_TM_RM,
        policy: URMA_JETTY_GRP_POLICY_HASH_HINT,
        kind: URMA_JETTY_GROUP,
        flag: urma_import_jetty_flag::token_policy.of(PLAIN),
        tp_type: URMA_RTP,
    };
    let mut token = urma_token { token: TOKEN };
    let target = call!(a, import_jetty(a.lab.ctx(), &mut remote, &mut token));
    check!(
        !target.is_null(),
        "import of a group: {}",
        std::io::Error::last_os_error()
    );
    // The hint chooses: the same for the same one.
    let mut chosen = std::collections::BTreeSet::new();
    for hint in [0, 1, 2, 3] {
        let mut first = None;
        for _ in 0..2 {
            let mut src = [a.sge(0, 4)];
            let mut wr = message(URMA_OPC_SEND, target, list(&mut src), 1);
            wr.body.send.target_hint = hint;
            check_eq!(a.execute(&mut wr)?.status, URMA_CR_SUCCESS);
            let cr = b.lab.wait(b.received)?;
            check!(members
                .iter()
                .any(|member| *member as usize == cr.user_data));
            check_eq!(*first.get_or_insert(cr.local_id), cr.local_id);
            chosen.insert(cr.local_id);
        }
    }
    check_eq!(chosen.len(), 2);
    check_eq!(call!(a, unimport_jetty(target)), URMA_SUCCESS);
    // Not with members.
    check!(call!(b, delete_jetty_grp(group)) != URMA_SUCCESS);
    for (member, queue) in members.into_iter().zip(queues) {
        check_eq!(call!(b, delete_jetty(member)), URMA_SUCCESS);
        check_eq!(call!(b, delete_jfr(queue)), URMA_SUCCESS);
    }
    check_eq!(call!(b, delete_jetty_grp(group)), URMA_SUCCESS);
    check_eq!(call!(b, delete_jetty_grp(group)), URMA_EINVAL);
    a.destroy()?;
    b.destroy()
}

fn paths() -> Outcome {
    let (a, b) = (Side::create(URMA_TM_RM)?, Side::create(URMA_TM_RM)?);
    let mut cfg = urma_get_tp_cfg {
        flag: urma_get_tp_cfg_flag::rtp.mask(),
        trans_mode: URMA_TM_RM,
        local_eid: a.eid(),
        peer_eid: b.eid(),
    };
    let mut list_of = [urma_tp_info::default(); 128];
    // More room than there can be.
    let mut count = 1000;
    let status = call!(
        a,
        get_tp_list(a.lab.ctx(), &mut cfg, &mut count, list_of.as_mut_ptr())
    );
    check_eq!(status, URMA_SUCCESS);
    check!((1..=128).contains(&count), "{count} paths");
    let handle = list_of[0].tp_handle;
    let (mut number, mut bitmap) = (0, 0);
    let mut attr = urma_tp_attr_value::default();
    let got = call!(
        a,
        get_tp_attr(a.lab.ctx(), handle, &mut number, &mut bitmap, &mut attr)
    );
    check_eq!(got, URMA_SUCCESS);
    check_eq!(u32::from(number), bitmap.count_ones());
    // The hop limit.
    attr.raw[49] = 77;
    let only = UBURMA_TP_ATTR_BIT_TTL;
    check_eq!(
        call!(a, set_tp_attr(a.lab.ctx(), handle, 1, only, &attr)),
        URMA_SUCCESS
    );
    attr.raw[49] = 0;
    let got = call!(
        a,
        get_tp_attr(a.lab.ctx(), handle, &mut number, &mut bitmap, &mut attr)
    );
    check_eq!((got, attr.raw[49]), (URMA_SUCCESS, 77));
    // Over that path, and over one that the kernel chooses.
    let mut path = urma_active_tp_cfg {
        tp_handle: handle,
        peer_tp_handle: handle,
        ..Default::default()
    };
    for chosen in [&raw mut path, ptr::null_mut()] {
        let (mut remote, mut token) = (b.remote(), urma_token { token: TOKEN });
        let target = call!(
            a,
            import_jetty_ex(a.lab.ctx(), &mut remote, &mut token, chosen)
        );
        check!(
            !target.is_null(),
            "import_jetty_ex: {}",
            std::io::Error::last_os_error()
        );
        b.post_recv(0, 64, 1)?;
        let mut src = [a.sge(0, 4)];
        let cr = a.execute(&mut message(URMA_OPC_SEND, target, list(&mut src), 3))?;
        check_eq!(cr.status, URMA_CR_SUCCESS);
        check_eq!(b.lab.wait(b.received)?.status, URMA_CR_SUCCESS);
        check_eq!(call!(a, unimport_jetty(target)), URMA_SUCCESS);
    }
    let mut jfr = urma_rjfr {
        // SAFETY: a queue that exists.
        jfr_id: unsafe { (*b.jfr).jfr_id },
        trans_mode: URMA_TM_RM,
        flag: b.remote().flag,
        tp_type: URMA_RTP,
    };
    let mut token = urma_token { token: TOKEN };
    let target = call!(
        a,
        import_jfr_ex(a.lab.ctx(), &mut jfr, &mut token, ptr::null_mut())
    );
    check!(
        !target.is_null(),
        "import_jfr_ex: {}",
        std::io::Error::last_os_error()
    );
    check_eq!(call!(a, unimport_jfr(target)), URMA_SUCCESS);
    a.destroy()?;
    b.destroy()?;
    // Connections.
    let (a, b) = (Side::create(URMA_TM_RC)?, Side::create(URMA_TM_RC)?);
    let target = a.import(&b)?;
    check_eq!(
        call!(a, bind_jetty_ex(a.jetty, target, ptr::null_mut())),
        URMA_SUCCESS
    );
    check_eq!(call!(a, unbind_jetty(a.jetty)), URMA_SUCCESS);
    check_eq!(call!(a, unimport_jetty(target)), URMA_SUCCESS);
    a.destroy()?;
    b.destroy()
}

fn asynchronous_imports() -> Outcome {
    let (a, b) = (Side::create(URMA_TM_RC)?, Side::create(URMA_TM_RC)?);
    let notifier = call!(a, create_notifier(a.lab.ctx()));
    check!(!notifier.is_null());
    let mut notes = [urma_notify::default(); 20];
    check_eq!(
        call!(a, wait_notify(notifier, 20, notes.as_mut_ptr(), 0)),
        0
    );
    let (remote, token) = (b.remote(), urma_token { token: TOKEN });
    let target = call!(a, import_jetty_async(notifier, &remote, &token, 0x1234, 0));
    check!(
        !target.is_null(),
        "import_jetty_async: {}",
        std::io::Error::last_os_error()
    );
    check_eq!(
        call!(a, wait_notify(notifier, 20, notes.as_mut_ptr(), 5000)),
        1
    );
    check_eq!(
        (notes[0].kind, notes[0].status),
        (URMA_IMPORT_JETTY_NOTIFY, URMA_SUCCESS)
    );
    check_eq!(notes[0].user_ctx, 0x1234);
    check!(ptr::eq(notes[0].object.cast(), target));
    {
        // SAFETY: a target that exists.
        let target = unsafe { &*target };
        check!(ptr::eq(target.urma_ctx, a.lab.ctx()));
        check_eq!(
            (target.id.id, target.trans_mode, target.kind),
            (b.id(), URMA_TM_RC, URMA_JETTY)
        );
        check_eq!(
            (target.flag, target.policy, target.tp_type),
            (remote.flag, remote.policy, remote.tp_type)
        );
    }
    call!(a, ack_notify(1, notes.as_mut_ptr()));
    let status = call!(a, bind_jetty_async(notifier, a.jetty, target, 0x5678, 0));
    check_eq!(status, URMA_SUCCESS);
    check_eq!(
        call!(a, wait_notify(notifier, 20, notes.as_mut_ptr(), 5000)),
        1
    );
    check_eq!(
        (notes[0].kind, notes[0].user_ctx),
        (URMA_BIND_JETTY_NOTIFY, 0x5678)
    );
    check_eq!(call!(a, unbind_jetty_async(a.jetty)), URMA_SUCCESS);
    check_eq!(call!(a, unimport_jetty_async(target)), URMA_SUCCESS);
    check_eq!(call!(a, delete_notifier(notifier)), URMA_SUCCESS);
    check_eq!(call!(a, delete_notifier(notifier)), URMA_EINVAL);
    a.destroy()?;
    b.destroy()
}

fn addresses() -> Outcome {
    let mut lab = Lab::open()?;
    // SAFETY: a context that exists.
    let eid = unsafe { (*lab.ctx()).eid };
    let (mut addr, mut back) = (urma_net_addr::default(), urma_eid::default());
    check_eq!(
        call!(lab, get_ip_by_eid(lab.ctx(), &eid, &mut addr)),
        URMA_SUCCESS
    );
    check_eq!(
        call!(lab, get_eid_by_ip(lab.ctx(), &addr, &mut back)),
        URMA_SUCCESS
    );
    check_eq!(back.bytes(), eid.bytes());
    let (mut own, mut peer) = ([0; 6], [0; 6]);
    check_eq!(
        call!(lab, get_smac(lab.ctx(), own.as_mut_ptr())),
        URMA_SUCCESS
    );
    check_eq!(
        call!(lab, get_dmac(lab.ctx(), &addr, peer.as_mut_ptr())),
        URMA_SUCCESS
    );
    check_eq!(own, peer);
    check_eq!(
        call!(lab, get_smac(lab.ctx(), ptr::null_mut())),
        URMA_EINVAL
    );
    check_eq!(
        call!(lab, get_eid_by_ip(lab.ctx(), ptr::null(), &mut back)),
        URMA_EINVAL
    );
    check_eq!(lab.opened.delete(), URMA_SUCCESS);
    Ok(())
}

fn private_calls() -> Outcome {
    let a = Side::create(URMA_TM_RM)?;
    let mut output = urma_user_ctl_out::default();
    // An opcode that the driver does not have.
    let mut input = urma_user_ctl_in {
        opcode: 0xffff,
        ..Default::default()
    };
    let ret = call!(a, user_ctl(a.lab.ctx(), &mut input, &mut output));
    check_eq!(ret, URMA_FAIL as i32);
    let ret = call!(a, user_ctl(a.lab.ctx(), ptr::null_mut(), &mut output));
    check_eq!(ret, URMA_FAIL as i32);
    // A doorbell without a file.
    let ring = ubsoft_ctl_ring {
        cmd: IOC_SQ_KICK as u32,
        reserved: 0,
        arg: u64::MAX,
    };
    let mut input = urma_user_ctl_in {
        addr: &raw const ring as u64,
        len: size_of::<ubsoft_ctl_ring>() as u32,
        opcode: UBSOFT_CTL_RING,
    };
    // That queue is nobody's.
    let ret = call!(a, user_ctl(a.lab.ctx(), &mut input, &mut output));
    check_eq!(ret, URMA_FAIL as i32);
    a.destroy()
}

fn not_served() -> Outcome {
    let a = Side::create(URMA_TM_RM)?;
    let unsupported = || std::io::Error::last_os_error().raw_os_error() == Some(libc::EOPNOTSUPP);
    let (jfs, target) = (ptr::null_mut(), ptr::null_mut());
    check_eq!(call!(a, advise_jfr(jfs, target)), URMA_FAIL);
    check!(unsupported());
    check_eq!(call!(a, unadvise_jfr(jfs, target)), URMA_FAIL);
    check_eq!(call!(a, advise_jetty(a.jetty, target)), URMA_FAIL);
    check_eq!(call!(a, unadvise_jetty(a.jetty, target)), URMA_FAIL);
    check_eq!(
        call!(
            a,
            advise_jetty_async(a.jetty, target, None, ptr::null_mut())
        ),
        URMA_FAIL
    );
    check_eq!(
        call!(a, advise_jfr_async(jfs, target, None, ptr::null_mut())),
        URMA_FAIL
    );
    let nothing = ptr::null_mut();
    check_eq!(
        call!(a, modify_tp(a.lab.ctx(), 1, nothing, ptr::null_mut(), 0)),
        -1
    );
    check!(unsupported());
    a.destroy()
}
