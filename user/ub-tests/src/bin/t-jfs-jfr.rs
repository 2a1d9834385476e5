// SPDX-License-Identifier: GPL-2.0

//! Send queues and receive queues.

use std::process::ExitCode;

use ub_client::abi::*;
use ub_client::sys::Mapping;
use ub_client::tlv::{Cmd, Place};
use ub_client::{Context, Error, Jetty, JettyConfig, Jfc, Jfr, JfrConfig, Jfs, JfsConfig};
use ub_tests::fixture::modes;
use ub_tests::{check, check_eq, check_errno, tests, Failure, Outcome};

struct Base {
    jfc: Jfc,
    ctx: Context,
}

impl Base {
    fn create() -> Result<Self, Failure> {
        let ctx = Context::open_first()?;
        let jfc = Jfc::create(&ctx, 64)?;
        Ok(Base { jfc, ctx })
    }

    fn jfs(&self, change: impl Fn(&mut JfsConfig)) -> Result<Jfs, Error> {
        let mut config = JfsConfig::on(&self.jfc);
        change(&mut config);
        Jfs::create(&self.ctx, config)
    }

    fn jfr(&self, change: impl Fn(&mut JfrConfig)) -> Result<Jfr, Error> {
        let mut config = JfrConfig::on(&self.jfc);
        change(&mut config);
        Jfr::create(&self.ctx, config)
    }

    fn limit(&self, name: &str) -> Result<u32, Error> {
        Ok(self.ctx.device().number(name)? as u32)
    }
}

fn jfs_within_limits() -> Outcome {
    let base = Base::create()?;
    let depth = base.limit("max_jfs_depth")?;
    let inline = base.limit("max_jfs_inline_size")?;
    let sge = base.limit("max_jfs_sge")? as u8;
    let rsge = base.limit("max_jfs_rsge")? as u8;
    for mode in modes(base.ctx.device())? {
        let created = base.jfs(|config| config.mode = mode);
        // Nothing could bind a connected one.
        if mode == UBURMA_TM_RC {
            check_errno!(created, EOPNOTSUPP);
        } else {
            created?;
        }
    }
    base.jfs(|config| config.depth = 1)?;
    base.jfs(|config| config.priority = 15)?;
    base.jfs(|config| config.rnr_retry = 7)?;
    base.jfs(|config| config.err_timeout = 31)?;
    let mut largest = base.jfs(|config| {
        config.depth = depth;
        config.max_inline = inline;
        config.max_sge = sge;
        config.max_rsge = rsge;
    })?;
    let resp = *largest.queue().ring().ring().resp();
    check!(resp.entries >= depth && resp.max_inline >= inline);
    check!(resp.max_sge >= u32::from(sge));
    let least = 64 + inline.max(16 * u32::from(sge));
    check!(
        resp.stride >= least,
        "stride {} for {least} bytes",
        resp.stride
    );
    Ok(())
}

fn jfs_beyond_limits() -> Outcome {
    let base = Base::create()?;
    let depth = base.limit("max_jfs_depth")?;
    let inline = base.limit("max_jfs_inline_size")?;
    let sge = base.limit("max_jfs_sge")?;
    check_errno!(base.jfs(|config| config.depth = 0), EINVAL);
    check_errno!(base.jfs(|config| config.depth = depth + 1), EINVAL);
    check_errno!(base.jfs(|config| config.depth = u32::MAX), EINVAL);
    check_errno!(base.jfs(|config| config.max_inline = inline + 1), EINVAL);
    check_errno!(base.jfs(|config| config.max_inline = u32::MAX), EINVAL);
    if sge < 255 {
        check_errno!(base.jfs(|config| config.max_sge = 255), EINVAL);
    }
    check_errno!(base.jfs(|config| config.priority = 16), EINVAL);
    check_errno!(base.jfs(|config| config.rnr_retry = 8), EINVAL);
    check_errno!(base.jfs(|config| config.err_timeout = 32), EINVAL);
    for mode in [0, 3, 5, 6, 7, 8, u32::MAX] {
        check_errno!(base.jfs(|config| config.mode = mode), EINVAL);
    }
    // Order type 5 does not exist.
    check_errno!(
        base.jfs(|config| config.flag = 5 << UBURMA_JFS_FLAG_ORDER_TYPE_SHIFT),
        EINVAL
    );
    Ok(())
}

fn jfs_needs_its_jfc() -> Outcome {
    let base = Base::create()?;
    let jfr = base.jfr(|_| ())?;
    for handle in [0, jfr.handle(), u64::MAX, 0x7fff_ffff] {
        check_errno!(base.jfs(|config| config.jfc = handle), EINVAL);
        check_errno!(base.jfr(|config| config.jfc = handle), EINVAL);
    }
    Ok(())
}

fn jfs_query() -> Outcome {
    let base = Base::create()?;
    let order = UBURMA_ORDER_OI << UBURMA_JFS_FLAG_ORDER_TYPE_SHIFT;
    let jfs = base.jfs(|config| {
        config.flag = order | UBURMA_JFS_FLAG_NON_BLOCKING | UBURMA_JFS_FLAG_LOCK_FREE;
        config.priority = 3;
        config.rnr_retry = 5;
        config.err_timeout = 9;
        config.depth = 32;
    })?;
    let reply = jfs.query()?;
    check_eq!(reply.get_u32(UBURMA_QUERY_JFS_OUT_DEPTH), jfs.depth());
    check_eq!(
        reply.get_u32(UBURMA_QUERY_JFS_OUT_FLAG),
        order | UBURMA_JFS_FLAG_NON_BLOCKING | UBURMA_JFS_FLAG_LOCK_FREE
    );
    check_eq!(reply.get_u32(UBURMA_QUERY_JFS_OUT_TRANS_MODE), UBURMA_TM_RM);
    check_eq!(reply.get_u8(UBURMA_QUERY_JFS_OUT_PRIORITY), 3);
    check_eq!(reply.get_u8(UBURMA_QUERY_JFS_OUT_RNR_RETRY), 5);
    check_eq!(reply.get_u8(UBURMA_QUERY_JFS_OUT_ERR_TIMEOUT), 9);
    check!(reply.get_u8(UBURMA_QUERY_JFS_OUT_MAX_SGE) >= 4);
    check!(reply.get_u32(UBURMA_QUERY_JFS_OUT_MAX_INLINE_DATA) >= 64);
    check_eq!(
        reply.get_u32(UBURMA_QUERY_JFS_OUT_STATE),
        UBURMA_JETTY_STATE_READY
    );
    Ok(())
}

fn jfs_states() -> Outcome {
    let base = Base::create()?;
    let jfs = base.jfs(|_| ())?;
    let state = || -> Result<u32, Error> { Ok(jfs.query()?.get_u32(UBURMA_QUERY_JFS_OUT_STATE)) };
    check_errno!(jfs.set_state(4), EINVAL);
    check_errno!(jfs.set_state(u32::MAX), EINVAL);
    let modify = |mask, state| {
        base.ctx
            .run(&mut Jfs::modify_cmd(jfs.handle(), mask, state))
    };
    check_errno!(modify(2, UBURMA_JETTY_STATE_ERROR), EINVAL);
    modify(0, 77)?;
    check_eq!(state()?, UBURMA_JETTY_STATE_READY);
    jfs.set_state(UBURMA_JETTY_STATE_ERROR)?;
    check_eq!(state()?, UBURMA_JETTY_STATE_ERROR);
    check_errno!(jfs.set_state(UBURMA_JETTY_STATE_READY), EINVAL);
    jfs.set_state(UBURMA_JETTY_STATE_RESET)?;
    jfs.set_state(UBURMA_JETTY_STATE_READY)?;
    check_eq!(state()?, UBURMA_JETTY_STATE_READY);
    Ok(())
}

fn jfr_within_limits() -> Outcome {
    let base = Base::create()?;
    let depth = base.limit("max_jfr_depth")?;
    let sge = base.limit("max_jfr_sge")? as u8;
    for mode in modes(base.ctx.device())? {
        base.jfr(|config| config.mode = mode)?;
    }
    for policy in [UBURMA_TOKEN_NONE, UBURMA_TOKEN_PLAIN_TEXT] {
        base.jfr(|config| config.policy = policy)?;
    }
    for policy in [UBURMA_TOKEN_SIGNED, UBURMA_TOKEN_ALL_ENCRYPTED] {
        check_errno!(
            base.jfr(|config| config.policy = policy),
            EOPNOTSUPP | EINVAL
        );
    }
    base.jfr(|config| config.depth = 1)?;
    base.jfr(|config| config.min_rnr_timer = 31)?;
    let largest = base.jfr(|config| {
        config.depth = depth;
        config.max_sge = sge;
    })?;
    let resp = largest.ring().ring().resp();
    check!(resp.entries >= depth && resp.max_sge >= u32::from(sge));
    check!(resp.stride >= 16 + 16 * u32::from(sge));
    Ok(())
}

fn jfr_beyond_limits() -> Outcome {
    let base = Base::create()?;
    let depth = base.limit("max_jfr_depth")?;
    let sge = base.limit("max_jfr_sge")?;
    check_errno!(base.jfr(|config| config.depth = 0), EINVAL);
    check_errno!(base.jfr(|config| config.depth = depth + 1), EINVAL);
    check_errno!(base.jfr(|config| config.depth = u32::MAX), EINVAL);
    if sge < 255 {
        check_errno!(base.jfr(|config| config.max_sge = 255), EINVAL);
    }
    check_errno!(base.jfr(|config| config.min_rnr_timer = 32), EINVAL);
    check_errno!(base.jfr(|config| config.policy = 5), EINVAL);
    for mode in [0, 3, 8, u32::MAX] {
        check_errno!(base.jfr(|config| config.mode = mode), EINVAL);
    }
    Ok(())
}

fn jfr_query_and_threshold() -> Outcome {
    let base = Base::create()?;
    let jfr = base.jfr(|config| {
        config.token = 0x7a7a;
        config.min_rnr_timer = 9;
        config.depth = 32;
    })?;
    let reply = jfr.query()?;
    check_eq!(reply.get_u32(UBURMA_QUERY_JFR_OUT_DEPTH), jfr.depth());
    check_eq!(reply.get_u32(UBURMA_QUERY_JFR_OUT_ID), jfr.id());
    check_eq!(reply.get_u32(UBURMA_QUERY_JFR_OUT_TOKEN), 0x7a7a);
    check_eq!(reply.get_u8(UBURMA_QUERY_JFR_OUT_MIN_RNR_TIMER), 9);
    check_eq!(reply.get_u32(UBURMA_QUERY_JFR_OUT_TRANS_MODE), UBURMA_TM_RM);
    check_eq!(
        reply.get_u32(UBURMA_QUERY_JFR_OUT_STATE),
        UBURMA_JFR_STATE_READY
    );
    jfr.set_threshold(5)?;
    check_eq!(jfr.query()?.get_u32(UBURMA_QUERY_JFR_OUT_RX_THRESHOLD), 5);
    let modify = |mask, state| {
        base.ctx
            .run(&mut Jfr::modify_cmd(jfr.handle(), mask, 0, state))
    };
    check_errno!(modify(4, 0), EINVAL);
    check_errno!(modify(UBURMA_JFR_ATTR_STATE, 3), EINVAL);
    jfr.set_state(UBURMA_JFR_STATE_ERROR)?;
    check_eq!(
        jfr.query()?.get_u32(UBURMA_QUERY_JFR_OUT_STATE),
        UBURMA_JFR_STATE_ERROR
    );
    Ok(())
}

fn jfr_of_a_wanted_id() -> Outcome {
    let base = Base::create()?;
    let text = base.ctx.device().attribute("reserved_jetty_id")?;
    let max: u32 = text
        .split_once('-')
        .and_then(|(_, max)| max.parse().ok())
        .unwrap_or(0);
    check!(
        base.jfr(|_| ())?.id() > max,
        "a chosen id is a reserved one"
    );
    let first = base.jfr(|config| config.id = 77)?;
    check_eq!(first.id(), 77);
    check_errno!(base.jfr(|config| config.id = 77), EEXIST | EBUSY);
    drop(first);
    check_eq!(base.jfr(|config| config.id = 77)?.id(), 77);
    Ok(())
}

fn jfr_is_busy_while_a_jetty_uses_it() -> Outcome {
    let base = Base::create()?;
    let mut jfr = base.jfr(|_| ())?;
    let mut jetty = Jetty::create(&base.ctx, JettyConfig::on(&base.jfc, &base.jfc, &jfr))?;
    check_errno!(jfr.destroy(), EBUSY);
    jetty.destroy()?;
    jfr.destroy()?;
    check_errno!(jfr.destroy(), EINVAL);
    Ok(())
}

fn classes_are_told_apart() -> Outcome {
    let base = Base::create()?;
    let (jfs, jfr) = (base.jfs(|_| ())?, base.jfr(|_| ())?);
    let run = |mut cmd: Cmd| base.ctx.run(&mut cmd);
    check_errno!(run(Jfs::delete_cmd(jfr.handle())), EINVAL);
    check_errno!(run(Jfr::delete_cmd(jfs.handle())), EINVAL);
    check_errno!(run(Jetty::delete_cmd(jfs.handle())), EINVAL);
    check_errno!(run(Jfs::query_cmd(jfr.handle())), EINVAL);
    check_errno!(run(Jfr::query_cmd(jfs.handle())), EINVAL);
    check_errno!(run(Jfs::modify_cmd(jfr.handle(), 1, 3)), EINVAL);
    check_errno!(run(Jfr::modify_cmd(jfs.handle(), 2, 0, 2)), EINVAL);
    check_errno!(run(Jfs::query_cmd(base.jfc.handle())), EINVAL);
    Ok(())
}

fn lost_replies_undo() -> Outcome {
    let base = Base::create()?;
    let page = Mapping::read_only(4096)?;
    for id in UBURMA_CREATE_JFS_OUT_ID..=UBURMA_CREATE_JFS_OUT_UDATA {
        let mut cmd = Jfs::create_cmd(JfsConfig::on(&base.jfc));
        cmd.attr_mut(id).place = Place::Address(page.addr());
        check_errno!(base.ctx.run(&mut cmd), EFAULT);
    }
    for id in UBURMA_CREATE_JFR_OUT_ID..=UBURMA_CREATE_JFR_OUT_UDATA {
        let mut cmd = Jfr::create_cmd(JfrConfig::on(&base.jfc));
        cmd.attr_mut(id).place = Place::Address(page.addr());
        check_errno!(base.ctx.run(&mut cmd), EFAULT);
    }
    // Nothing holds the JFC.
    let mut base = base;
    base.jfc.destroy()?;
    Ok(())
}

fn lost_counter_does_not_destroy() -> Outcome {
    let base = Base::create()?;
    let jfs = base.jfs(|_| ())?;
    let page = Mapping::read_only(4096)?;
    let mut cmd = Jfs::delete_cmd(jfs.handle());
    cmd.attr_mut(UBURMA_DELETE_JFS_OUT_ASYNC_EVENTS_REPORTED)
        .place = Place::Address(page.addr());
    check_errno!(base.ctx.run(&mut cmd), EFAULT);
    jfs.query()?;
    Ok(())
}

pub fn main() -> ExitCode {
    ub_tests::run(
        "t-jfs-jfr",
        tests![
            jfs_within_limits,
            jfs_beyond_limits,
            jfs_needs_its_jfc,
            jfs_query,
            jfs_states,
            jfr_within_limits,
            jfr_beyond_limits,
            jfr_query_and_threshold,
            jfr_of_a_wanted_id,
            jfr_is_busy_while_a_jetty_uses_it,
            classes_are_told_apart,
            lost_replies_undo,
            lost_counter_does_not_destroy,
        ],
    )
}
