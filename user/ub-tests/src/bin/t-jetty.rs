// SPDX-License-Identifier: GPL-2.0

//! Jettys, and the binding of RC jettys.

use std::process::ExitCode;

use ub_client::abi::*;
use ub_client::tlv::Cmd;
use ub_client::{Error, Jetty, JettyConfig, Jfr, JfrConfig, SendWr, Target};
use ub_tests::fixture::{modes, Pair, Side, JETTY_TOKEN};
use ub_tests::{check, check_eq, check_errno, tests, Outcome};

fn config_of(side: &Side) -> JettyConfig {
    JettyConfig::on(&side.sent, &side.received, &side.jfr)
}

fn create_in_each_mode() -> Outcome {
    let device = ub_client::Device::first()?;
    for mode in modes(&device)? {
        let side = Side::create(ub_tests::fixture::PairConfig {
            mode,
            ..Default::default()
        })?;
        let reply = side.jetty.query()?;
        check_eq!(reply.get_u32(UBURMA_QUERY_JETTY_OUT_TRANS_MODE), mode);
        check_eq!(reply.get_u32(UBURMA_QUERY_JETTY_OUT_ID), side.jetty.id());
    }
    Ok(())
}

fn replies_with_what_was_granted() -> Outcome {
    let side = Side::create(Default::default())?;
    let mut config = config_of(&side);
    config.send.depth = 100;
    let mut cmd = Jetty::create_cmd(config);
    side.ctx.run(&mut cmd)?;
    check!(cmd.get_u32(UBURMA_CREATE_JETTY_OUT_JFS_DEPTH) >= 100);
    check!(cmd.get_u8(UBURMA_CREATE_JETTY_OUT_MAX_SEND_SGE) >= 4);
    check!(cmd.get_u32(UBURMA_CREATE_JETTY_OUT_MAX_INLINE_DATA) >= 64);
    check!(cmd.get_u64(UBURMA_CREATE_JETTY_OUT_HANDLE) != 0);
    let resp: ubsoft_queue_resp = cmd.udata_reply(UBURMA_CREATE_JETTY_IN_UDATA)?;
    check!(resp.entries >= 100 && resp.mmap_len != 0);
    check_eq!(resp.reserved, [0; 6]);
    side.ctx.run(&mut Jetty::delete_cmd(
        cmd.get_u64(UBURMA_CREATE_JETTY_OUT_HANDLE),
    ))?;
    Ok(())
}

fn needs_a_shared_jfr() -> Outcome {
    let side = Side::create(Default::default())?;
    let good = config_of(&side);
    let run = |config| side.ctx.run(&mut Jetty::create_cmd(config));
    check_errno!(run(JettyConfig { flag: 0, ..good }), EINVAL);
    for handle in [0, side.sent.handle(), side.jetty.handle(), 1 << 33] {
        let jfr = (handle, good.jfr.1);
        check_errno!(run(JettyConfig { jfr, ..good }), EINVAL);
    }
    for recv_jfc in [0, side.jfr.handle()] {
        check_errno!(run(JettyConfig { recv_jfc, ..good }), EINVAL);
    }
    let mut bad = good;
    bad.send.jfc = side.jfr.handle();
    check_errno!(run(bad), EINVAL);
    Ok(())
}

fn must_go_with_its_jfr() -> Outcome {
    let side = Side::create(Default::default())?;
    for mode in modes(side.ctx.device())? {
        let mut config = config_of(&side);
        config.send.mode = mode;
        let created = Jetty::create(&side.ctx, config);
        if mode == UBURMA_TM_RM {
            created?;
        } else {
            check_errno!(created, EINVAL);
        }
    }
    // Another order than the JFR's.
    let mut config = config_of(&side);
    config.send.flag = UBURMA_ORDER_NO << UBURMA_JFS_FLAG_ORDER_TYPE_SHIFT;
    check_errno!(Jetty::create(&side.ctx, config), EINVAL);
    Ok(())
}

fn beyond_limits() -> Outcome {
    let side = Side::create(Default::default())?;
    let depth = side.ctx.device().number("max_jfs_depth")? as u32;
    let with = |change: &dyn Fn(&mut JettyConfig)| {
        let mut config = config_of(&side);
        change(&mut config);
        Jetty::create(&side.ctx, config)
    };
    check_errno!(with(&|config| config.send.depth = 0), EINVAL);
    check_errno!(with(&|config| config.send.depth = depth + 1), EINVAL);
    check_errno!(with(&|config| config.send.max_inline = u32::MAX), EINVAL);
    check_errno!(with(&|config| config.send.priority = 16), EINVAL);
    check_errno!(with(&|config| config.send.rnr_retry = 8), EINVAL);
    check_errno!(with(&|config| config.send.err_timeout = 32), EINVAL);
    with(&|_| ())?;
    Ok(())
}

fn query_returns_what_was_given() -> Outcome {
    let side = Side::create(Default::default())?;
    let mut config = config_of(&side);
    let order = UBURMA_ORDER_OI << UBURMA_JFS_FLAG_ORDER_TYPE_SHIFT;
    config.flag |= UBURMA_JETTY_FLAG_NON_BLOCKING;
    config.send.flag = order | UBURMA_JFS_FLAG_NON_BLOCKING;
    config.send.priority = 6;
    config.send.rnr_retry = 4;
    config.send.err_timeout = 11;
    let jetty = Jetty::create(&side.ctx, config)?;
    let reply = jetty.query()?;
    check_eq!(
        reply.get_u32(UBURMA_QUERY_JETTY_OUT_JETTY_FLAG),
        config.flag
    );
    check_eq!(
        reply.get_u32(UBURMA_QUERY_JETTY_OUT_JFS_FLAG),
        config.send.flag
    );
    check_eq!(reply.get_u32(UBURMA_QUERY_JETTY_OUT_JFR_ID), side.jfr.id());
    check_eq!(reply.get_u8(UBURMA_QUERY_JETTY_OUT_PRIORITY), 6);
    check_eq!(reply.get_u8(UBURMA_QUERY_JETTY_OUT_RNR_RETRY), 4);
    check_eq!(reply.get_u8(UBURMA_QUERY_JETTY_OUT_ERR_TIMEOUT), 11);
    check_eq!(reply.get_u32(UBURMA_QUERY_JETTY_OUT_TOKEN), JETTY_TOKEN);
    check_eq!(
        reply.get_u32(UBURMA_QUERY_JETTY_OUT_STATE),
        UBURMA_JETTY_STATE_READY
    );
    Ok(())
}

fn states() -> Outcome {
    let side = Side::create(Default::default())?;
    let modify = |mask, state| {
        let mut cmd = Jetty::modify_cmd(side.jetty.handle(), mask, 0, state);
        side.ctx.run(&mut cmd)
    };
    let state =
        || -> Result<u32, Error> { Ok(side.jetty.query()?.get_u32(UBURMA_QUERY_JETTY_OUT_STATE)) };
    modify(0, 99)?;
    check_eq!(state()?, UBURMA_JETTY_STATE_READY);
    check_errno!(modify(4, UBURMA_JETTY_STATE_READY), EINVAL);
    check_errno!(modify(UBURMA_JETTY_ATTR_STATE, 4), EINVAL);
    side.jetty.set_state(UBURMA_JETTY_STATE_ERROR)?;
    check_eq!(state()?, UBURMA_JETTY_STATE_ERROR);
    check_errno!(side.jetty.set_state(UBURMA_JETTY_STATE_READY), EINVAL);
    side.jetty.set_state(UBURMA_JETTY_STATE_RESET)?;
    side.jetty.set_state(UBURMA_JETTY_STATE_READY)?;
    check_eq!(state()?, UBURMA_JETTY_STATE_READY);
    Ok(())
}

fn of_a_wanted_id() -> Outcome {
    let side = Side::create(Default::default())?;
    let with = |id| {
        let config = JettyConfig {
            id,
            ..config_of(&side)
        };
        Jetty::create(&side.ctx, config)
    };
    let first = with(99)?;
    check_eq!(first.id(), 99);
    check_errno!(with(99), EEXIST | EBUSY);
    drop(first);
    check_eq!(with(99)?.id(), 99);
    Ok(())
}

fn bind_and_unbind() -> Outcome {
    let mut pair = Pair::in_mode(UBURMA_TM_RC)?;
    // Again the same: nothing to do.
    pair.a.jetty.bind(&pair.ab)?;
    pair.a.jetty.bind_ex(&pair.ab, 0)?;
    pair.a.memory.write(0, b"bound");
    let list = [pair.a.memory.sge(0, 5)];
    let wr = SendWr::write(0, pair.b.memory.remote(0), &list);
    pair.a.expect(&wr, UBURMA_CR_SUCCESS)?;
    check_eq!(pair.b.memory.bytes(0, 5), b"bound");
    pair.a.jetty.unbind(&pair.ab)?;
    check_errno!(pair.a.jetty.unbind(&pair.ab), EINVAL);
    pair.a.jetty.bind_ex(&pair.ab, 0)?;
    let wr = SendWr::write(0, pair.b.memory.remote(10), &list);
    pair.a.expect(&wr, UBURMA_CR_SUCCESS)?;
    Ok(())
}

fn unbound_jetty_cannot_send() -> Outcome {
    let mut pair = Pair::in_mode(UBURMA_TM_RC)?;
    pair.a.jetty.unbind(&pair.ab)?;
    let list = [pair.a.memory.sge(0, 5)];
    let wr = SendWr::write(0, pair.b.memory.remote(0), &list);
    let cqe = pair.a.execute(&wr)?;
    check!(u32::from(cqe.status) != UBURMA_CR_SUCCESS);
    Ok(())
}

fn bind_to_one_only() -> Outcome {
    let pair = Pair::in_mode(UBURMA_TM_RC)?;
    let third = Side::create(ub_tests::fixture::PairConfig {
        mode: UBURMA_TM_RC,
        ..Default::default()
    })?;
    let other = pair.a.import(&third)?;
    check_errno!(pair.a.jetty.bind(&other), EINVAL);
    check_errno!(pair.a.jetty.bind_ex(&other, 0), EINVAL);
    Ok(())
}

fn bind_needs_rc() -> Outcome {
    let pair = Pair::create()?;
    check_errno!(pair.a.jetty.bind(&pair.ab), EINVAL);
    check_errno!(pair.a.jetty.bind_ex(&pair.ab, 0), EINVAL);
    check_errno!(pair.a.jetty.unbind(&pair.ab), EINVAL);
    Ok(())
}

fn bind_needs_a_jetty_and_a_target() -> Outcome {
    let pair = Pair::in_mode(UBURMA_TM_RC)?;
    let run = |jetty: u64, target: u64| {
        let mut cmd = Cmd::new(UBURMA_CMD_BIND_JETTY)
            .u64(UBURMA_BIND_JETTY_IN_JETTY_HANDLE, jetty)
            .u64(UBURMA_BIND_JETTY_IN_TJETTY_HANDLE, target)
            .out(UBURMA_BIND_JETTY_OUT_TPN, 4);
        pair.a.ctx.run(&mut cmd)
    };
    let (jetty, target) = (pair.a.jetty.handle(), pair.ab.handle());
    run(jetty, target)?;
    for bad in [0, pair.a.sent.handle(), u64::MAX, 1 << 32 | target] {
        check_errno!(run(jetty, bad), EINVAL);
        check_errno!(run(bad, target), EINVAL);
    }
    check_errno!(run(target, jetty), EINVAL);
    Ok(())
}

fn deleting_either_side_unbinds() -> Outcome {
    let mut pair = Pair::in_mode(UBURMA_TM_RC)?;
    pair.a.jetty.destroy()?;
    pair.ab.unimport()?;
    let mut pair = Pair::in_mode(UBURMA_TM_RC)?;
    pair.ab.unimport()?;
    // The jetty lives and can be bound anew.
    pair.ab = pair.a.import(&pair.b)?;
    pair.a.jetty.bind(&pair.ab)?;
    let list = [pair.a.memory.sge(0, 8)];
    let wr = SendWr::write(0, pair.b.memory.remote(0), &list);
    pair.a.expect(&wr, UBURMA_CR_SUCCESS)?;
    Ok(())
}

fn classes_are_told_apart() -> Outcome {
    let pair = Pair::create()?;
    let run = |mut cmd: Cmd| pair.a.ctx.run(&mut cmd);
    for handle in [
        pair.ab.handle(),
        pair.a.jfr.handle(),
        pair.a.memory.handle(),
    ] {
        check_errno!(run(Jetty::delete_cmd(handle)), EINVAL);
        check_errno!(run(Jetty::query_cmd(handle)), EINVAL);
        check_errno!(run(Jetty::modify_cmd(handle, 2, 0, 3)), EINVAL);
    }
    check_errno!(
        run(Target::unimport_jetty_cmd(pair.a.jetty.handle())),
        EINVAL
    );
    Ok(())
}

fn two_jettys_share_a_jfr() -> Outcome {
    let mut pair = Pair::create()?;
    let second = Jetty::create(
        &pair.b.ctx,
        JettyConfig::on(&pair.b.sent, &pair.b.received, &pair.b.jfr),
    )?;
    let config = ub_client::TargetConfig {
        id: second.id(),
        ..pair.b.target_config()
    };
    let other = Target::jetty(&pair.a.ctx, config)?;
    pair.b.post_recv(0, 64, 1)?;
    pair.b.post_recv(64, 64, 2)?;
    let list = [pair.a.memory.sge(0, 10)];
    let targets = [pair.ab.target_ref(), other.target_ref()];
    for (target, id) in targets.into_iter().zip([pair.b.jetty.id(), second.id()]) {
        pair.a
            .expect(&SendWr::send(target, &list), UBURMA_CR_SUCCESS)?;
        let cqe = pair.b.wait_received()?;
        check_eq!(cqe.local_id, id);
        check!(u32::from(cqe.flags) & UBURMA_CR_FLAG_JETTY != 0);
    }
    Ok(())
}

fn jfr_of_another_file() -> Outcome {
    let side = Side::create(Default::default())?;
    let other = Side::create(Default::default())?;
    // Objects until the handle means nothing in the second file.
    let mut extra = Vec::new();
    let foreign: Jfr = loop {
        let jfr = Jfr::create(&other.ctx, JfrConfig::on(&other.received))?;
        if jfr.handle() > side.jetty.handle() {
            break jfr;
        }
        extra.push(jfr);
    };
    let config = JettyConfig {
        jfr: (foreign.handle(), foreign.id()),
        ..config_of(&side)
    };
    check_errno!(Jetty::create(&side.ctx, config), EINVAL);
    Ok(())
}

pub fn main() -> ExitCode {
    ub_tests::run(
        "t-jetty",
        tests![
            create_in_each_mode,
            replies_with_what_was_granted,
            needs_a_shared_jfr,
            must_go_with_its_jfr,
            beyond_limits,
            query_returns_what_was_given,
            states,
            of_a_wanted_id,
            bind_and_unbind,
            unbound_jetty_cannot_send,
            bind_to_one_only,
            bind_needs_rc,
            bind_needs_a_jetty_and_a_target,
            deleting_either_side_unbinds,
            classes_are_told_apart,
            two_jettys_share_a_jfr,
            jfr_of_another_file,
        ],
    )
}
