// SPDX-License-Identifier: GPL-2.0

//! Queues and jettys that are allocated, configured and activated in stages: what they do then,
//! and the order of the stages.

use std::os::fd::AsRawFd;
use std::process::ExitCode;

use ub_client::abi::*;
use ub_client::staged::{self, Class, Stage, StageOptions};
use ub_client::tlv::{Cmd, Place};
use ub_client::{Context, Error, Jetty, JettyConfig, Jfc, JfcConfig, Jfce, Jfr, JfrConfig};
use ub_client::{Jfs, JfsConfig, RecvWr, Segment, SendWr, Target, TargetConfig};
use ub_tests::fixture::{modes, PairConfig, Side, JETTY_TOKEN, SEG_TOKEN, SOON};
use ub_tests::{check, check_eq, check_errno, tests, Failure, Outcome};

/// Options of an activation: none.
const NONE: StageOptions = StageOptions { mask: 0, id: 0 };

/// Options of an activation: a number wanted.
fn wanted(id: u32) -> StageOptions {
    StageOptions {
        mask: UBURMA_OPT_MASK_ID.into(),
        id,
    }
}

/// A JFC that came in stages.
fn staged_jfc(ctx: &Context, config: JfcConfig) -> Result<Jfc, Error> {
    Stage::jfc(ctx, config)?.activate_jfc(config, NONE)
}

/// A side of which all queues came in stages.
fn staged_side(mode: u32) -> Result<Side, Failure> {
    let ctx = Context::open_first()?;
    let memory = Segment::alloc(&ctx, 64 << 10, SEG_TOKEN)?;
    let deep = JfcConfig {
        depth: 256,
        ..Default::default()
    };
    let sent = staged_jfc(&ctx, deep)?;
    let received = staged_jfc(&ctx, deep)?;
    let jfr = JfrConfig {
        mode,
        token: JETTY_TOKEN,
        ..JfrConfig::on(&received)
    };
    let jfr = Stage::jfr(&ctx, jfr)?.activate_jfr(jfr, NONE)?;
    let config = JettyConfig {
        cookie: 0x57a6,
        ..JettyConfig::on(&sent, &received, &jfr)
    };
    let jetty = Stage::jetty(&ctx, config)?.activate_jetty(config, NONE)?;
    Ok(Side {
        jetty,
        jfr,
        sent,
        received,
        memory,
        ctx,
    })
}

/// Sends from one to the other, and checks what arrives.
fn check_send(from: &mut Side, to: &mut Side, target: u32, text: &[u8]) -> Outcome {
    to.post_recv(4096, 256, 7)?;
    from.memory.write(0, text);
    let list = [from.memory.sge(0, text.len())];
    from.expect(&SendWr::send(target, &list), UBURMA_CR_SUCCESS)?;
    let cqe = to.wait_received()?;
    check_eq!(cqe.user_ctx, 7);
    check_eq!(cqe.local_id, to.jetty.id());
    check_eq!(cqe.byte_len as usize, text.len());
    check_eq!(to.memory.bytes(4096, text.len()), text);
    Ok(())
}

fn data_in_each_mode() -> Outcome {
    for mode in modes(&ub_client::Device::first()?)? {
        let mut a = staged_side(mode)?;
        let mut b = Side::create(PairConfig {
            mode,
            ..Default::default()
        })?;
        let (ab, ba) = (a.import(&b)?, b.import(&a)?);
        let (mut to_b, mut to_a) = (ab.target_ref(), ba.target_ref());
        if mode == UBURMA_TM_RC {
            a.jetty.bind(&ab)?;
            b.jetty.bind(&ba)?;
            (to_a, to_b) = (0, 0);
        }
        check_send(&mut a, &mut b, to_b, b"out of a staged jetty")?;
        check_send(&mut b, &mut a, to_a, b"into a staged jetty")?;
        if mode != UBURMA_TM_UM {
            a.memory.write(0, b"written");
            let list = [a.memory.sge(0, 7)];
            let wr = SendWr::write(to_b, b.memory.remote(64), &list);
            a.expect(&wr, UBURMA_CR_SUCCESS)?;
            check_eq!(b.memory.bytes(64, 7), b"written");
        }
    }
    Ok(())
}

fn data_from_a_send_queue() -> Outcome {
    let mut b = Side::create(Default::default())?;
    let ctx = Context::open_first()?;
    let memory = Segment::alloc(&ctx, 4096, SEG_TOKEN)?;
    let mut jfc = staged_jfc(&ctx, JfcConfig::default())?;
    let config = JfsConfig {
        cookie: 0xabc,
        ..JfsConfig::on(&jfc)
    };
    let mut jfs = Stage::jfs(&ctx, config)?.activate_jfs(config, NONE)?;
    let target = Target::jetty(&ctx, b.target_config())?;
    b.post_recv(0, 64, 1)?;
    memory.write(0, b"from a JFS");
    let list = [memory.sge(0, 10)];
    let wr = SendWr::send(target.target_ref(), &list).user_ctx(5);
    jfs.queue().send(&wr)?;
    let cqe = jfc.wait_polling(SOON)?;
    check_eq!(u32::from(cqe.status), UBURMA_CR_SUCCESS);
    check_eq!((cqe.user_ctx, cqe.user_data), (5, 0xabc));
    check_eq!(cqe.local_id, jfs.id());
    b.wait_received()?;
    check_eq!(b.memory.bytes(0, 10), b"from a JFS");
    Ok(())
}

fn data_into_a_receive_queue() -> Outcome {
    let mut a = Side::create(Default::default())?;
    let b = staged_side(UBURMA_TM_RM)?;
    let mut jfr = b.jfr;
    let mut received = b.received;
    let target = Target::jfr(
        &a.ctx,
        TargetConfig::jetty(b.ctx.eid(), jfr.id(), JETTY_TOKEN),
    )?;
    let list = [b.memory.sge(128, 64)];
    jfr.post(&RecvWr::new(&list).user_ctx(3))?;
    a.memory.write(0, b"to a JFR");
    let list = [a.memory.sge(0, 8)];
    a.expect(&SendWr::send(target.target_ref(), &list), UBURMA_CR_SUCCESS)?;
    let cqe = received.wait_polling(SOON)?;
    check_eq!((cqe.user_ctx, cqe.local_id), (3, jfr.id()));
    check_eq!(b.memory.bytes(128, 8), b"to a JFR");
    Ok(())
}

/// One allocated object of each class, with JFC and JFR of its own that are at work.
struct Allocated {
    jfc: Stage,
    jfr: Stage,
    jfs: Stage,
    jetty: Stage,
    side: Side,
}

impl Allocated {
    fn create() -> Result<Self, Failure> {
        let side = Side::create(Default::default())?;
        let ctx = &side.ctx;
        Ok(Allocated {
            jfc: Stage::jfc(ctx, JfcConfig::default())?,
            jfr: Stage::jfr(ctx, JfrConfig::on(&side.received))?,
            jfs: Stage::jfs(ctx, JfsConfig::on(&side.sent))?,
            jetty: Stage::jetty(ctx, Self::jetty_config(&side))?,
            side,
        })
    }

    fn jetty_config(side: &Side) -> JettyConfig {
        JettyConfig::on(&side.sent, &side.received, &side.jfr)
    }

    fn run(&self, mut cmd: Cmd) -> Result<(), Error> {
        self.side.ctx.run(&mut cmd)
    }

    fn all(&self) -> [&Stage; 4] {
        [&self.jfc, &self.jfr, &self.jfs, &self.jetty]
    }

    /// The command that activates one of them as it was configured by the client.
    fn active_cmd(&self, stage: &Stage, options: StageOptions) -> Cmd {
        let (handle, side) = (stage.handle(), &self.side);
        match stage.class() {
            Class::Jfc => staged::active_jfc_cmd(handle, JfcConfig::default(), options),
            Class::Jfr => staged::active_jfr_cmd(handle, JfrConfig::on(&side.received), options),
            Class::Jfs => staged::active_jfs_cmd(handle, JfsConfig::on(&side.sent), options),
            Class::Jetty => staged::active_jetty_cmd(handle, Self::jetty_config(side), options),
        }
    }
}

/// The command that deletes an object.
fn delete_cmd(stage: &Stage) -> Cmd {
    match stage.class() {
        Class::Jfc => Jfc::delete_cmd(stage.handle()),
        Class::Jfr => Jfr::delete_cmd(stage.handle()),
        Class::Jfs => Jfs::delete_cmd(stage.handle()),
        Class::Jetty => Jetty::delete_cmd(stage.handle()),
    }
}

fn order_of_the_stages() -> Outcome {
    let all = Allocated::create()?;
    for stage in all.all() {
        let (class, handle) = (stage.class(), stage.handle());
        let depth = match class {
            Class::Jfc => UBURMA_OPT_JFC_DEPTH,
            Class::Jfr => UBURMA_OPT_JFR_DEPTH,
            Class::Jfs | Class::Jetty => UBURMA_OPT_JFS_DEPTH,
        };
        // Allocated: it can be configured, activated and freed.
        check_errno!(all.run(delete_cmd(stage)), EINVAL);
        check_errno!(all.run(class.deactivate_cmd(handle)), EINVAL);
        stage.set(depth, &8u32.to_ne_bytes())?;
        // Active: nothing of that.
        all.run(all.active_cmd(stage, NONE))?;
        check_errno!(all.run(all.active_cmd(stage, NONE)), EINVAL);
        check_errno!(stage.set(depth, &8u32.to_ne_bytes()), EINVAL);
        // A jetty's depth is not sent again.
        let granted: u32 = if class == Class::Jetty { 8 } else { 64 };
        check_eq!(stage.get(depth, 4)?, granted.to_ne_bytes());
        // And back.
        all.run(class.deactivate_cmd(handle))?;
        check_errno!(all.run(class.deactivate_cmd(handle)), EINVAL);
        check_errno!(all.run(delete_cmd(stage)), EINVAL);
        stage.set(depth, &16u32.to_ne_bytes())?;
        check_eq!(stage.get(depth, 4)?, 16u32.to_ne_bytes());
        // Once more, and to the end as if made in one step.
        all.run(all.active_cmd(stage, NONE))?;
        all.run(delete_cmd(stage))?;
        check_errno!(all.run(class.free_cmd(handle)), EINVAL);
        check_errno!(all.run(all.active_cmd(stage, NONE)), EINVAL);
        check_errno!(stage.set(depth, &8u32.to_ne_bytes()), EINVAL);
    }
    Ok(())
}

fn free_in_each_stage() -> Outcome {
    let mut all = Allocated::create()?;
    all.jetty.free()?;
    all.jfs.free()?;
    all.jfr.free()?;
    all.jfc.free()?;
    check_errno!(all.jfc.free(), EINVAL);
    // At work: as a delete does.
    let all = Allocated::create()?;
    for stage in all.all() {
        all.run(all.active_cmd(stage, NONE))?;
        all.run(stage.class().free_cmd(stage.handle()))?;
        check_errno!(all.run(stage.class().free_cmd(stage.handle())), EINVAL);
    }
    Ok(())
}

/// What works with objects at work only.
fn allocated_objects_do_nothing() -> Outcome {
    let all = Allocated::create()?;
    let (jfs, jfr, jetty) = (all.jfs.handle(), all.jfr.handle(), all.jetty.handle());
    check_errno!(all.run(Jfs::query_cmd(jfs)), EINVAL);
    check_errno!(all.run(Jfr::query_cmd(jfr)), EINVAL);
    check_errno!(all.run(Jetty::query_cmd(jetty)), EINVAL);
    let state = UBURMA_JETTY_STATE_ERROR;
    check_errno!(all.run(Jfs::modify_cmd(jfs, 1, state)), EINVAL);
    check_errno!(all.run(Jfr::modify_cmd(jfr, 2, 0, 2)), EINVAL);
    check_errno!(all.run(Jetty::modify_cmd(jetty, 2, 0, state)), EINVAL);
    let target = all.side.import(&all.side)?;
    let bind = Cmd::new(UBURMA_CMD_BIND_JETTY)
        .u64(UBURMA_BIND_JETTY_IN_JETTY_HANDLE, jetty)
        .u64(UBURMA_BIND_JETTY_IN_TJETTY_HANDLE, target.handle())
        .out(UBURMA_BIND_JETTY_OUT_TPN, 4);
    check_errno!(all.run(bind), EINVAL);
    // Nor can something be built on them in one step.
    let jfc = all.jfc.handle();
    let ctx = &all.side.ctx;
    let on_jfc = JfsConfig {
        jfc,
        ..JfsConfig::on(&all.side.sent)
    };
    check_errno!(Jfs::create(ctx, on_jfc), EINVAL);
    let on_jfc = JfrConfig {
        jfc,
        ..JfrConfig::on(&all.side.received)
    };
    check_errno!(Jfr::create(ctx, on_jfc), EINVAL);
    let good = Allocated::jetty_config(&all.side);
    let jfr = (all.jfr.handle(), 0);
    check_errno!(Jetty::create(ctx, JettyConfig { jfr, ..good }), EINVAL);
    let recv_jfc = jfc;
    check_errno!(Jetty::create(ctx, JettyConfig { recv_jfc, ..good }), EINVAL);
    Ok(())
}

fn parents_first() -> Outcome {
    let side = Side::create(Default::default())?;
    let ctx = &side.ctx;
    let mut jfc = Stage::jfc(ctx, JfcConfig::default())?;
    let config = JfrConfig {
        jfc: jfc.handle(),
        ..JfrConfig::on(&side.received)
    };
    let mut jfr = Stage::jfr(ctx, config)?;
    let jetty_config = JettyConfig {
        jfr: (jfr.handle(), 0),
        recv_jfc: jfc.handle(),
        ..Allocated::jetty_config(&side)
    };
    let mut jetty = Stage::jetty(ctx, jetty_config)?;
    // In use already.
    check_errno!(jfc.free(), EBUSY);
    check_errno!(jfr.free(), EBUSY);
    check_errno!(jetty.activate_jetty(jetty_config, NONE), EINVAL);
    check_errno!(jfr.activate_jfr(config, NONE), EINVAL);
    let live_jfc = jfc.activate_jfc(JfcConfig::default(), NONE)?;
    check_errno!(jetty.activate_jetty(jetty_config, NONE), EINVAL);
    let live_jfr = jfr.activate_jfr(config, NONE)?;
    let live_jetty = jetty.activate_jetty(jetty_config, NONE)?;
    // The number of the JFR is that of its activation.
    let reply = live_jetty.query()?;
    check_eq!(reply.get_u32(UBURMA_QUERY_JETTY_OUT_JFR_ID), live_jfr.id());
    // Used, at work or not.
    let Err((live_jfr, err)) = live_jfr.deactivate() else {
        return Err(Failure::Fail("a JFR in use was deactivated".to_string()));
    };
    check_eq!(err.errno(), libc::EBUSY);
    let mut stage = live_jetty.deactivate().map_err(|(_, err)| err)?;
    let Err((live_jfc, err)) = live_jfc.deactivate() else {
        return Err(Failure::Fail("a JFC in use was deactivated".to_string()));
    };
    check_eq!(err.errno(), libc::EBUSY);
    stage.free()?;
    drop(live_jfr.deactivate().map_err(|(_, err)| err)?);
    drop(live_jfc.deactivate().map_err(|(_, err)| err)?);
    Ok(())
}

/// What is wrong in the configuration comes out when it is activated, and can be mended.
fn checked_when_activated() -> Outcome {
    let side = Side::create(Default::default())?;
    let ctx = &side.ctx;
    let bad = JfsConfig {
        depth: 0,
        ..JfsConfig::on(&side.sent)
    };
    let mut jfs = Stage::jfs(ctx, bad)?;
    check_errno!(jfs.activate_jfs(bad, NONE), EINVAL);
    let priority = JfsConfig {
        priority: 16,
        ..JfsConfig::on(&side.sent)
    };
    check_errno!(jfs.activate_jfs(priority, NONE), EINVAL);
    jfs.activate_jfs(JfsConfig::on(&side.sent), NONE)?;
    let bad = JfrConfig {
        min_rnr_timer: 32,
        ..JfrConfig::on(&side.received)
    };
    let mut jfr = Stage::jfr(ctx, bad)?;
    check_errno!(jfr.activate_jfr(bad, NONE), EINVAL);
    jfr.activate_jfr(JfrConfig::on(&side.received), NONE)?;
    let bad = JfcConfig {
        ceqn: 99,
        ..Default::default()
    };
    let mut jfc = Stage::jfc(ctx, bad)?;
    check_errno!(jfc.activate_jfc(bad, NONE), EINVAL);
    jfc.activate_jfc(JfcConfig::default(), NONE)?;
    // Another order than the JFR's; the flags of the activation are those of the send side.
    let mut bad = Allocated::jetty_config(&side);
    bad.send.flag = UBURMA_ORDER_NO << UBURMA_JFS_FLAG_ORDER_TYPE_SHIFT;
    let mut jetty = Stage::jetty(ctx, bad)?;
    check_errno!(jetty.activate_jetty(bad, NONE), EINVAL);
    let good = Allocated::jetty_config(&side);
    jetty.activate_jetty(good, NONE)?;
    // The mode is not sent again.
    let mut bad = good;
    bad.send.mode = UBURMA_TM_UM;
    let mut jetty = Stage::jetty(ctx, bad)?;
    check_errno!(jetty.activate_jetty(good, NONE), EINVAL);
    jetty.set(UBURMA_OPT_JFS_TRANS_MODE, &UBURMA_TM_RM.to_ne_bytes())?;
    jetty.activate_jetty(good, NONE)?;
    Ok(())
}

fn activation_wins_over_allocation() -> Outcome {
    let side = Side::create(Default::default())?;
    let first = JfsConfig {
        depth: 8,
        priority: 2,
        ..JfsConfig::on(&side.sent)
    };
    let second = JfsConfig {
        depth: 100,
        priority: 6,
        flag: UBURMA_JFS_FLAG_NON_BLOCKING | UBURMA_JFS_FLAG_ERROR_SUSPEND,
        jfc: side.received.handle(),
        rnr_retry: 4,
        ..first
    };
    let mut stage = Stage::jfs(&side.ctx, first)?;
    let jfs = stage.activate_jfs(second, NONE)?;
    check_eq!(jfs.depth(), 128);
    let reply = jfs.query()?;
    check_eq!(reply.get_u32(UBURMA_QUERY_JFS_OUT_FLAG), second.flag);
    check_eq!(reply.get_u8(UBURMA_QUERY_JFS_OUT_PRIORITY), 6);
    check_eq!(reply.get_u8(UBURMA_QUERY_JFS_OUT_RNR_RETRY), 4);
    check_eq!(reply.get_u32(UBURMA_QUERY_JFS_OUT_DEPTH), 128);
    let jfc = Class::Jfs.get_cmd(jfs.handle(), UBURMA_OPT_JFS_BIND_JFC.into(), 8);
    let mut jfc = jfc;
    side.ctx.run(&mut jfc)?;
    let bound = jfc.pointed(UBURMA_GET_JFS_OPT_IN_BUF, 8)?;
    check_eq!(bound, side.received.handle().to_ne_bytes());
    Ok(())
}

fn replies_of_an_allocation() -> Outcome {
    let side = Side::create(Default::default())?;
    let mut cmd = staged::alloc_jfs_cmd(JfsConfig {
        depth: 100,
        ..JfsConfig::on(&side.sent)
    });
    side.ctx.run(&mut cmd)?;
    check_eq!(cmd.get_u32(UBURMA_ALLOC_JFS_OUT_DEPTH), 100);
    check_eq!(cmd.get_u8(UBURMA_ALLOC_JFS_OUT_MAX_SGE), 4);
    check_eq!(cmd.get_u32(UBURMA_ALLOC_JFS_OUT_MAX_INLINE_DATA), 64);
    let handle = cmd.get_u64(UBURMA_ALLOC_JFS_OUT_HANDLE);
    check!(handle != 0);
    let mut active = staged::active_jfs_cmd(handle, JfsConfig::on(&side.sent), NONE);
    side.ctx.run(&mut active)?;
    check_eq!(active.get_u64(UBURMA_ACTIVE_JFS_OUT_HANDLE), handle);
    check!(active.get_u32(UBURMA_ACTIVE_JFS_OUT_ID) != 0);
    let resp: ubsoft_queue_resp = active.udata_reply(UBURMA_ACTIVE_JFS_IN_UDATA)?;
    check!(resp.entries == 64 && resp.mmap_len != 0);
    side.ctx.run(&mut Jfs::delete_cmd(handle))?;
    // A jetty's is one structure, of which the request stays as it was.
    let config = Allocated::jetty_config(&side);
    let mut cmd = staged::alloc_jetty_cmd(config);
    side.ctx.run(&mut cmd)?;
    let reply = staged::alloc_jetty_reply(&cmd);
    check_eq!(reply.in_.send_jfc_handle, side.sent.handle());
    check_eq!(reply.in_.jfr_handle, side.jfr.handle());
    check_eq!(reply.out.jfs_depth, 64);
    check_eq!(reply.out.max_send_sge, 4);
    side.ctx.run(&mut Class::Jetty.free_cmd(reply.out.handle))?;
    Ok(())
}

/// A reply that cannot be written undoes the command.
fn replies_that_cannot_be_written() -> Outcome {
    let all = Allocated::create()?;
    let mut cmd = staged::alloc_jfc_cmd(JfcConfig::default());
    cmd.attr_mut(UBURMA_ALLOC_JFC_OUT_HANDLE).place = Place::Address(16);
    check_errno!(all.run(cmd), EFAULT);
    let mut cmd = staged::alloc_jetty_cmd(Allocated::jetty_config(&all.side));
    cmd.attr_mut(UBURMA_ALLOC_JETTY_OUT_CFG).place = Place::Address(16);
    check_errno!(all.run(cmd), EFAULT);
    for stage in all.all() {
        let mut cmd = all.active_cmd(stage, NONE);
        // The first output is the number.
        cmd.attr_mut(UBURMA_ACTIVE_JFC_OUT_ID).place = Place::Address(16);
        check_errno!(all.run(cmd), EFAULT);
        // It is allocated still.
        check_errno!(
            all.run(stage.class().deactivate_cmd(stage.handle())),
            EINVAL
        );
        all.run(all.active_cmd(stage, NONE))?;
    }
    // Options that cannot be read.
    let other = Allocated::create()?;
    let mut cmd = other.active_cmd(&other.jfc, NONE);
    cmd.attr_mut(UBURMA_ACTIVE_JFC_IN_JFC_OPT).place = Place::Address(16);
    check_errno!(other.run(cmd), EFAULT);
    Ok(())
}

fn wanted_numbers() -> Outcome {
    let all = Allocated::create()?;
    let ctx = &all.side.ctx;
    for stage in all.all() {
        let mut cmd = all.active_cmd(stage, wanted(777));
        ctx.run(&mut cmd)?;
        // The number is the first output of each.
        check_eq!(cmd.get_u32(UBURMA_ACTIVE_JFC_OUT_ID), 777);
    }
    // Taken: nothing has happened.
    let other = Allocated::create()?;
    for stage in other.all() {
        check_errno!(other.run(other.active_cmd(stage, wanted(777))), EEXIST);
        check_errno!(
            other.run(stage.class().deactivate_cmd(stage.handle())),
            EINVAL
        );
        other.run(other.active_cmd(stage, wanted(778)))?;
    }
    Ok(())
}

/// Deactivated, nobody reaches it; activated again, it works.
fn away_and_back() -> Outcome {
    let mut a = Side::create(Default::default())?;
    let mut b = staged_side(UBURMA_TM_RM)?;
    let target = a.import(&b)?;
    check_send(&mut a, &mut b, target.target_ref(), b"before")?;
    let config = JettyConfig::on(&b.sent, &b.received, &b.jfr);
    let (id, ctx) = (b.jetty.id(), b.ctx.clone());
    let mut stage = b.jetty.deactivate().map_err(|(_, err)| err)?;
    let list = [a.memory.sge(0, 6)];
    let cqe = a.execute(&SendWr::send(target.target_ref(), &list))?;
    check!(u32::from(cqe.status) != UBURMA_CR_SUCCESS, "it was reached");
    check_errno!(ctx.ring(IOC_SQ_KICK, id, 0), EINVAL);
    stage.set(UBURMA_OPT_JFS_DEPTH, &16u32.to_ne_bytes())?;
    let jetty = stage.activate_jetty(config, NONE)?;
    check_eq!(jetty.query()?.get_u32(UBURMA_QUERY_JETTY_OUT_JFS_DEPTH), 16);
    b = Side {
        jetty,
        jfr: b.jfr,
        sent: b.sent,
        received: b.received,
        memory: b.memory,
        ctx: b.ctx,
    };
    a.jetty.set_state(UBURMA_JETTY_STATE_ERROR)?;
    a.jetty.set_state(UBURMA_JETTY_STATE_RESET)?;
    a.jetty.set_state(UBURMA_JETTY_STATE_READY)?;
    while a.sent.poll().is_some() {}
    let target = a.import(&b)?;
    check_send(&mut a, &mut b, target.target_ref(), b"after")
}

fn bound_jettys_stay_active() -> Outcome {
    let mut a = staged_side(UBURMA_TM_RC)?;
    let b = staged_side(UBURMA_TM_RC)?;
    let target = a.import(&b)?;
    a.jetty.bind(&target)?;
    let handle = a.jetty.handle();
    check_errno!(a.ctx.run(&mut Class::Jetty.deactivate_cmd(handle)), EBUSY);
    a.jetty.unbind(&target)?;
    a.ctx.run(&mut Class::Jetty.deactivate_cmd(handle))?;
    a.ctx.run(&mut Class::Jetty.free_cmd(handle))?;
    check_errno!(a.jetty.destroy(), EINVAL);
    Ok(())
}

fn events_of_a_staged_queue() -> Outcome {
    let mut a = Side::create(Default::default())?;
    let ctx = a.ctx.clone();
    let jfce = Jfce::create(&ctx)?;
    let config = JfcConfig {
        jfce_fd: jfce.as_raw_fd(),
        cookie: 0x7e57,
        ..Default::default()
    };
    let mut stage = Stage::jfc(&ctx, config)?;
    let mut jfc = stage.activate_jfc(config, NONE)?;
    let jfs_config = JfsConfig::on(&jfc);
    let mut jfs = Jfs::create(&ctx, jfs_config)?;
    let target = a.import(&a)?;
    let list = [a.memory.sge(0, 8)];
    let wr = SendWr::write(target.target_ref(), a.memory.remote(512), &list);
    for _ in 0..2 {
        jfc.arm(false)?;
        jfs.queue().send(&wr)?;
        check_eq!(jfce.wait(1, 10_000)?, vec![0x7e57]);
        check!(jfc.poll().is_some());
    }
    // An unread one goes with the queue.
    jfc.arm(false)?;
    jfs.queue().send(&wr)?;
    jfs.destroy()?;
    let mut stage = jfc.deactivate().map_err(|(_, err)| err)?;
    check_eq!(stage.free()?.completion, 2);
    check_errno!(jfce.wait(1, 0), EAGAIN);
    a.received.destroy().err();
    Ok(())
}

pub fn main() -> ExitCode {
    ub_tests::run(
        "t-staged",
        tests![
            data_in_each_mode,
            data_from_a_send_queue,
            data_into_a_receive_queue,
            order_of_the_stages,
            free_in_each_stage,
            allocated_objects_do_nothing,
            parents_first,
            checked_when_activated,
            activation_wins_over_allocation,
            replies_of_an_allocation,
            replies_that_cannot_be_written,
            wanted_numbers,
            away_and_back,
            bound_jettys_stay_active,
            events_of_a_staged_queue,
        ],
    )
}
