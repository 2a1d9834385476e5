// SPDX-License-Identifier: GPL-2.0

//! Options of queues and jettys that are made in stages, and what becomes of those that are left
//! in the middle.

use std::fs;
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use ub_client::abi::*;
use ub_client::staged::{self, Class, Stage, StageOptions};
use ub_client::sys::{self, Exit, Fork};
use ub_client::tlv::Place;
use ub_client::{Context, Device, Error, Jetty, JettyConfig, Jfc, JfcConfig, Jfr, JfrConfig};
use ub_client::{Jfs, JfsConfig};
use ub_tests::fixture::Side;
use ub_tests::{check, check_eq, check_errno, tests, Failure, Outcome};

/// Options of an activation: none.
const NONE: StageOptions = StageOptions { mask: 0, id: 0 };

/// What becomes of an option that is set.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Fate {
    /// It is kept, and read back.
    Kept,
    /// It is accepted and forgotten.
    Dropped,
    /// It is refused: the device has no use for it.
    Refused,
    /// It names an object.
    Bind,
}

use Fate::{Bind, Dropped, Kept, Refused};

const JFS: &[(u32, usize, Fate)] = &[
    (UBURMA_OPT_JFS_DEPTH, 4, Kept),
    (UBURMA_OPT_JFS_FLAG, 4, Kept),
    (UBURMA_OPT_JFS_TRANS_MODE, 4, Kept),
    (UBURMA_OPT_JFS_PRIORITY, 1, Kept),
    (UBURMA_OPT_JFS_MAX_SGE, 1, Kept),
    (UBURMA_OPT_JFS_MAX_RSGE, 1, Kept),
    (UBURMA_OPT_JFS_MAX_INLINE_DATA, 4, Kept),
    (UBURMA_OPT_JFS_RNR_RETRY, 1, Kept),
    (UBURMA_OPT_JFS_ERR_TIMEOUT, 1, Kept),
    (UBURMA_OPT_JFS_BIND_JFC, 8, Bind),
    (UBURMA_OPT_JFS_USER_CTX, 8, Dropped),
    (UBURMA_OPT_JFS_SQE_BASE_ADDR, 8, Refused),
    (UBURMA_OPT_JFS_ID, 4, Kept),
    (UBURMA_OPT_JFS_DB_ADDR, 8, Refused),
    (UBURMA_OPT_JFS_DB_STATUS, 1, Refused),
    (UBURMA_OPT_JFS_PI, 2, Refused),
    (UBURMA_OPT_JFS_PI_TYPE, 2, Refused),
    (UBURMA_OPT_JFS_CI, 2, Refused),
    (UBURMA_OPT_JFS_FULL_CTX, 256, Refused),
];

const JFR: &[(u32, usize, Fate)] = &[
    (UBURMA_OPT_JFR_DEPTH, 4, Kept),
    (UBURMA_OPT_JFR_FLAG, 4, Kept),
    (UBURMA_OPT_JFR_TRANS_MODE, 4, Kept),
    (UBURMA_OPT_JFR_MAX_SGE, 1, Kept),
    (UBURMA_OPT_JFR_MIN_RNR_TIMER, 1, Kept),
    (UBURMA_OPT_JFR_BIND_JFC, 8, Bind),
    (UBURMA_OPT_JFR_TOKEN_VALUE, 4, Kept),
    (UBURMA_OPT_JFR_USER_CTX, 8, Dropped),
    (UBURMA_OPT_JFR_RQE_BASE_ADDR, 8, Refused),
    (UBURMA_OPT_JFR_ID, 4, Kept),
    (UBURMA_OPT_JFR_DB_ADDR, 8, Refused),
    (UBURMA_OPT_JFR_DB_STATUS, 1, Refused),
    (UBURMA_OPT_JFR_PI, 2, Refused),
    (UBURMA_OPT_JFR_PI_TYPE, 2, Refused),
    (UBURMA_OPT_JFR_CI, 2, Refused),
    (UBURMA_OPT_JFR_FULL_CTX, 64, Refused),
];

const JFC: &[(u32, usize, Fate)] = &[
    (UBURMA_OPT_JFC_DEPTH, 4, Kept),
    (UBURMA_OPT_JFC_CEQN, 4, Kept),
    (UBURMA_OPT_JFC_FLAG, 4, Kept),
    (UBURMA_OPT_JFC_BIND_JFCE, 8, Refused),
    (UBURMA_OPT_JFC_USER_CTX, 8, Dropped),
    (UBURMA_OPT_JFC_CQE_BASE_ADDR, 8, Refused),
    (UBURMA_OPT_JFC_ID, 4, Kept),
    (UBURMA_OPT_JFC_DB_ADDR, 8, Refused),
    (UBURMA_OPT_JFC_DB_STATUS, 1, Refused),
    (UBURMA_OPT_JFC_PI, 2, Refused),
    (UBURMA_OPT_JFC_PI_TYPE, 2, Refused),
    (UBURMA_OPT_JFC_CI, 2, Refused),
    (UBURMA_OPT_JFC_FULL_CTX, 128, Refused),
];

const JETTY: &[(u32, usize, Fate)] = &[
    (UBURMA_OPT_JETTY_ID, 4, Kept),
    (UBURMA_OPT_JETTY_FLAG, 4, Kept),
    (UBURMA_OPT_JETTY_BIND_JFR, 8, Bind),
    (UBURMA_OPT_JETTY_BIND_RX_JFC, 8, Bind),
    (UBURMA_OPT_JETTY_BIND_JTG, 8, Refused),
    (UBURMA_OPT_JETTY_USER_CTX, 8, Dropped),
    (UBURMA_OPT_JETTY_FULL_CTX, 256, Refused),
];

/// The options of a class.
fn options(class: Class) -> Vec<(u32, usize, Fate)> {
    match class {
        Class::Jfs => JFS.to_vec(),
        Class::Jfr => JFR.to_vec(),
        Class::Jfc => JFC.to_vec(),
        Class::Jetty => [JETTY, JFS].concat(),
    }
}

fn jetty_config(side: &Side) -> JettyConfig {
    JettyConfig::on(&side.sent, &side.received, &side.jfr)
}

/// An allocated object of each class.
fn allocate(side: &Side) -> Result<[Stage; 4], Error> {
    let ctx = &side.ctx;
    Ok([
        Stage::jfc(ctx, JfcConfig::default())?,
        Stage::jfr(ctx, JfrConfig::on(&side.received))?,
        Stage::jfs(ctx, JfsConfig::on(&side.sent))?,
        Stage::jetty(ctx, jetty_config(side))?,
    ])
}

/// A value of an option, as long as it must be.
fn value_of(opt: u32, len: usize) -> Vec<u8> {
    let mut value: Vec<u8> = (0..len).map(|i| (i as u8) + 1).collect();
    if opt == UBURMA_OPT_JETTY_FLAG {
        let flag = UBURMA_JETTY_FLAG_SHARE_JFR | UBURMA_JETTY_FLAG_NON_BLOCKING;
        value = flag.to_ne_bytes().to_vec();
    }
    value
}

fn every_option() -> Outcome {
    let side = Side::create(Default::default())?;
    for stage in &allocate(&side)? {
        for (opt, len, fate) in options(stage.class()) {
            let value = value_of(opt, len);
            match fate {
                Kept => {
                    stage.set(opt, &value)?;
                    check_eq!(stage.get(opt, len)?, value, "option {opt:#x}");
                    // More room is filled as far as it goes.
                    check_eq!(stage.get(opt, 4096)?, value, "option {opt:#x}");
                }
                Dropped => {
                    stage.set(opt, &value)?;
                    check_errno!(stage.get(opt, len), EOPNOTSUPP);
                }
                Refused => {
                    check_errno!(stage.set(opt, &value), EOPNOTSUPP);
                    let got = stage.get(opt, len);
                    // What the device does not take is kept as it was: zeros.
                    if let Ok(got) = &got {
                        check_eq!(*got, vec![0; len], "option {opt:#x}");
                    } else {
                        check_errno!(got, EOPNOTSUPP);
                    }
                }
                Bind => check_eq!(stage.get(opt, 8)?.len(), 8),
            }
        }
    }
    Ok(())
}

fn wrong_lengths() -> Outcome {
    let side = Side::create(Default::default())?;
    for stage in &allocate(&side)? {
        for (opt, len, _) in options(stage.class()) {
            let full = [256, 64, 128].contains(&len);
            let mut bad = vec![0, 4097, 1 << 16];
            if !full {
                bad.extend([len - 1, len + 1, 2 * len, 4096]);
            }
            for wrong in bad {
                let set = stage.set(opt, &vec![0; wrong]);
                check_errno!(set, EINVAL);
            }
            let mut small = vec![0, 4097, 1 << 16];
            if !full {
                small.push(len - 1);
            }
            for room in small {
                check_errno!(stage.get(opt, room), EINVAL);
            }
            // A length that lies.
            for lie in [u32::MAX, 1 << 31, 4097] {
                let mut cmd = stage.class().set_cmd(stage.handle(), opt.into(), &[0; 8]);
                cmd = cmd
                    .without(UBURMA_SET_JFC_OPT_IN_LEN)
                    .u32(UBURMA_SET_JFC_OPT_IN_LEN, lie);
                check_errno!(side.ctx.run(&mut cmd), EINVAL);
            }
        }
    }
    Ok(())
}

fn options_of_others() -> Outcome {
    let side = Side::create(Default::default())?;
    for stage in &allocate(&side)? {
        let own: Vec<u64> = options(stage.class())
            .iter()
            .map(|(opt, _, _)| u64::from(*opt))
            .collect();
        for base in [0u64, 0x1000, 0x2000, 0x3000, 0x4000, 1 << 32, 1 << 63] {
            for number in 0..0x20 {
                let opt = base | number;
                if own.contains(&opt) {
                    continue;
                }
                for len in [1, 2, 4, 8] {
                    let (class, handle) = (stage.class(), stage.handle());
                    let set = side.ctx.run(&mut class.set_cmd(handle, opt, &vec![0; len]));
                    check_errno!(set, EINVAL);
                    let get = side.ctx.run(&mut class.get_cmd(handle, opt, len));
                    check_errno!(get, EINVAL);
                }
            }
        }
    }
    Ok(())
}

fn values_that_cannot_be_copied() -> Outcome {
    let side = Side::create(Default::default())?;
    for stage in &allocate(&side)? {
        let opt = match stage.class() {
            Class::Jfc => UBURMA_OPT_JFC_DEPTH,
            Class::Jfr => UBURMA_OPT_JFR_DEPTH,
            _ => UBURMA_OPT_JFS_DEPTH,
        };
        let before = stage.get(opt, 4)?;
        for (addr, errno) in [
            (0, libc::EINVAL),
            (16, libc::EFAULT),
            (u64::MAX - 3, libc::EFAULT),
        ] {
            let set = stage
                .class()
                .set_cmd(stage.handle(), opt.into(), &[9, 0, 0, 0])
                .without(UBURMA_SET_JFC_OPT_IN_BUF)
                .u64(UBURMA_SET_JFC_OPT_IN_BUF, addr);
            let get = stage
                .class()
                .get_cmd(stage.handle(), opt.into(), 4)
                .without(UBURMA_GET_JFC_OPT_IN_BUF)
                .u64(UBURMA_GET_JFC_OPT_IN_BUF, addr);
            for mut cmd in [set, get] {
                let errno_seen = side.ctx.run(&mut cmd).err().map(|err| err.errno());
                check_eq!(errno_seen, Some(errno), "address {addr:#x}");
            }
        }
        check_eq!(stage.get(opt, 4)?, before);
        // The reply says where the value is, and how long.
        let mut cmd = stage.class().get_cmd(stage.handle(), opt.into(), 64);
        side.ctx.run(&mut cmd)?;
        check_eq!(
            cmd.get_u64(UBURMA_GET_JFC_OPT_OUT_BUF),
            cmd.get_u64(UBURMA_GET_JFC_OPT_IN_BUF)
        );
        check_eq!(cmd.get_u32(UBURMA_GET_JFC_OPT_OUT_LEN), 4);
        let whole = cmd.pointed(UBURMA_GET_JFC_OPT_IN_BUF, 64)?;
        check_eq!(whole[4..], [0xee; 60]);
        let mut cmd = stage.class().get_cmd(stage.handle(), opt.into(), 4);
        cmd.attr_mut(UBURMA_GET_JFC_OPT_OUT_LEN).place = Place::Address(16);
        check_errno!(side.ctx.run(&mut cmd), EFAULT);
    }
    Ok(())
}

/// Runs the activation of an allocated object.
fn activate(side: &Side, stage: &Stage, options: StageOptions) -> Result<(), Error> {
    let handle = stage.handle();
    let mut cmd = match stage.class() {
        Class::Jfc => staged::active_jfc_cmd(handle, JfcConfig::default(), options),
        Class::Jfr => staged::active_jfr_cmd(handle, JfrConfig::on(&side.received), options),
        Class::Jfs => staged::active_jfs_cmd(handle, JfsConfig::on(&side.sent), options),
        Class::Jetty => staged::active_jetty_cmd(handle, jetty_config(side), options),
    };
    side.ctx.run(&mut cmd)
}

fn every_mask_bit() -> Outcome {
    let side = Side::create(Default::default())?;
    for stage in &allocate(&side)? {
        for bit in 0..64 {
            let options = StageOptions {
                mask: 1 << bit,
                id: 901,
            };
            match (bit, activate(&side, stage, options)) {
                (1, result) => {
                    result?;
                    let (class, handle) = (stage.class(), stage.handle());
                    side.ctx.run(&mut class.deactivate_cmd(handle))?;
                }
                (0..=6, result) => check_errno!(result, EOPNOTSUPP),
                (_, result) => check_errno!(result, EINVAL),
            }
        }
        activate(&side, stage, NONE)?;
    }
    Ok(())
}

fn bind_moves_the_use() -> Outcome {
    let side = Side::create(Default::default())?;
    let ctx = &side.ctx;
    let mut first = Jfc::create(ctx, 16)?;
    let mut second = Stage::jfc(ctx, JfcConfig::default())?;
    let config = JfrConfig::on(&first);
    let stage = Stage::jfr(ctx, config)?;
    check_errno!(first.destroy(), EBUSY);
    second_bound(&stage, UBURMA_OPT_JFR_BIND_JFC, second.handle())?;
    first.destroy()?;
    check_errno!(second.free(), EBUSY);
    // Again the same.
    second_bound(&stage, UBURMA_OPT_JFR_BIND_JFC, second.handle())?;
    drop(stage);
    second.free()?;
    // All of a jetty.
    let jfcs = [Jfc::create(ctx, 16)?, Jfc::create(ctx, 16)?];
    let mut jfr = Jfr::create(ctx, JfrConfig::on(&side.received))?;
    let mut jetty = Stage::jetty(ctx, jetty_config(&side))?;
    second_bound(&jetty, UBURMA_OPT_JFS_BIND_JFC, jfcs[0].handle())?;
    second_bound(&jetty, UBURMA_OPT_JETTY_BIND_RX_JFC, jfcs[1].handle())?;
    second_bound(&jetty, UBURMA_OPT_JETTY_BIND_JFR, jfr.handle())?;
    for mut jfc in jfcs {
        check_errno!(jfc.destroy(), EBUSY);
        std::mem::forget(jfc);
    }
    check_errno!(jfr.destroy(), EBUSY);
    // The activation names the JFCs of the configuration once more.
    let active = jetty.activate_jetty(jetty_config(&side), NONE)?;
    let reply = active.query()?;
    check_eq!(reply.get_u32(UBURMA_QUERY_JETTY_OUT_JFR_ID), jfr.id());
    check_errno!(jfr.destroy(), EBUSY);
    drop(active);
    jfr.destroy()?;
    Ok(())
}

/// Sets a `BIND_*` option and reads it back.
fn second_bound(stage: &Stage, opt: u32, handle: u64) -> Outcome {
    stage.set(opt, &handle.to_ne_bytes())?;
    check_eq!(stage.get(opt, 8)?, handle.to_ne_bytes());
    Ok(())
}

fn bind_to_what_is_not_there() -> Outcome {
    let side = Side::create(Default::default())?;
    let other = Side::create(Default::default())?;
    // Objects of the other file whose handles mean nothing in this one.
    let mut extra = Vec::new();
    let (foreign_jfc, foreign_jfr) = loop {
        let jfc = Jfc::create(&other.ctx, 4)?;
        let jfr = Jfr::create(&other.ctx, JfrConfig::on(&jfc))?;
        if extra.len() > 20 {
            break (jfc.handle(), jfr.handle());
        }
        extra.push((jfr, jfc));
    };
    let stages = allocate(&side)?;
    let jfcs = [side.sent.handle(), side.received.handle()];
    for stage in &stages {
        for (opt, len, fate) in options(stage.class()) {
            if fate != Bind {
                continue;
            }
            let before = stage.get(opt, len)?;
            let mut bad = vec![
                0,
                foreign_jfc,
                foreign_jfr,
                stage.handle(),
                side.jetty.handle(),
                side.memory.handle(),
                1 << 33,
                u64::MAX,
                0xffff_8880_0000_0000,
            ];
            if opt == UBURMA_OPT_JETTY_BIND_JFR {
                bad.extend(jfcs);
            } else {
                bad.push(side.jfr.handle());
            }
            for handle in bad {
                check_errno!(stage.set(opt, &handle.to_ne_bytes()), EINVAL);
            }
            check_eq!(stage.get(opt, len)?, before);
        }
    }
    // The flag that says what a jetty receives from stays as it is.
    let [_, _, _, jetty] = &stages;
    check_errno!(jetty.set(UBURMA_OPT_JETTY_FLAG, &[0; 4]), EINVAL);
    activate(&side, jetty, NONE).map_err(Failure::from)
}

/// A JFR that is newer than the jetty that receives from it: it cannot go first.
fn closed_with_a_newer_receive_queue() -> Outcome {
    for active in [false, true] {
        let side = Side::create(Default::default())?;
        let mut jetty = Stage::jetty(&side.ctx, jetty_config(&side))?;
        let newer = Jfr::create(&side.ctx, JfrConfig::on(&side.received))?;
        second_bound(&jetty, UBURMA_OPT_JETTY_BIND_JFR, newer.handle())?;
        if active {
            std::mem::forget(jetty.activate_jetty(jetty_config(&side), NONE)?);
        }
        std::mem::forget((jetty, newer));
        // The counters at the end of the test tell of what is left.
    }
    Ok(())
}

/// Leaves objects in each stage.
fn leave(ctx: Context) -> Result<Side, Failure> {
    let side = Side::create_in(ctx, Default::default())?;
    let allocated = allocate(&side)?;
    let active = allocate(&side)?;
    let back = allocate(&side)?;
    for stage in active.iter().chain(&back) {
        activate(&side, stage, NONE)?;
    }
    for stage in &back {
        side.ctx
            .run(&mut stage.class().deactivate_cmd(stage.handle()))?;
    }
    // One built on another, neither at work.
    let jfc = Stage::jfc(&side.ctx, JfcConfig::default())?;
    let jfr = JfrConfig {
        jfc: jfc.handle(),
        ..JfrConfig::on(&side.received)
    };
    let jfr = Stage::jfr(&side.ctx, jfr)?;
    let jetty = JettyConfig {
        jfr: (jfr.handle(), 0),
        ..jetty_config(&side)
    };
    let jetty = Stage::jetty(&side.ctx, jetty)?;
    std::mem::forget((allocated, active, back, jfc, jfr, jetty));
    Ok(side)
}

fn closed_in_each_stage() -> Outcome {
    for _ in 0..3 {
        drop(leave(Context::open_first()?)?);
    }
    Ok(())
}

fn killed_in_each_stage() -> Outcome {
    for i in 0..5 {
        let (here, there) = sys::message_pair()?;
        let child = match sys::fork()? {
            Fork::Parent(pid) => pid,
            Fork::Child => {
                sys::die_with_parent();
                let side = Context::open_first().map_err(Failure::from).and_then(leave);
                if side.is_ok() {
                    use std::os::fd::AsRawFd;
                    let _ = sys::send_message(there.as_raw_fd(), b"ready");
                }
                std::thread::sleep(Duration::from_secs(100));
                sys::exit_now(1)
            }
        };
        use std::os::fd::AsRawFd;
        sys::receive_message(here.as_raw_fd(), 10, 20_000)?;
        std::thread::sleep(Duration::from_millis(3 * i));
        sys::kill(child, libc::SIGKILL)?;
        check_eq!(sys::wait_for(child)?, Exit::Signal(libc::SIGKILL));
    }
    Ok(())
}

fn removed_in_each_stage() -> Outcome {
    let dir = Path::new("/sys/kernel/config/ubsoft/ubtest0");
    fs::create_dir(dir)?;
    let device = Device::named("ubtest0")?;
    let left = Context::open(&device)
        .map_err(Failure::from)
        .and_then(leave);
    let mine = Context::open(&device)
        .map_err(Failure::from)
        .and_then(|ctx| Side::create_in(ctx, Default::default()));
    let stages = match &mine {
        Ok(side) => allocate(side).map_err(Failure::from),
        Err(_) => Err(Failure::Fail("no context".to_string())),
    };
    fs::remove_dir(dir)?;
    let (left, mine, mut stages) = (left?, mine?, stages?);
    for stage in &stages {
        check_errno!(activate(&mine, stage, NONE), EIO);
        check_errno!(stage.set(UBURMA_OPT_JFC_DEPTH, &[1, 0, 0, 0]), EIO);
        check_errno!(stage.get(UBURMA_OPT_JFC_DEPTH, 4), EIO);
    }
    check_errno!(Stage::jfc(&mine.ctx, JfcConfig::default()), EIO);
    // The user can still unwind.
    stages.reverse();
    for stage in &mut stages {
        mine.ctx
            .run(&mut stage.class().deactivate_cmd(stage.handle()))?;
        stage.free()?;
        check_errno!(stage.free(), EINVAL);
    }
    drop(left);
    Ok(())
}

/// Threads that change the same objects in all ways get errors and nothing else.
fn all_at_once() -> Outcome {
    let side = Side::create(Default::default())?;
    let stages = allocate(&side)?;
    let jfcs = [side.sent.handle(), side.received.handle()];
    let end = Instant::now() + Duration::from_secs(3);
    let rounds = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..4u64)
            .map(|i| {
                let (side, stages) = (&side, &stages);
                scope.spawn(move || {
                    let (mut rounds, mut worked) = (0u32, 0u32);
                    while Instant::now() < end {
                        rounds += 1;
                        for stage in stages {
                            let (class, handle) = (stage.class(), stage.handle());
                            let bind = match class {
                                Class::Jfr => UBURMA_OPT_JFR_BIND_JFC,
                                _ => UBURMA_OPT_JFS_BIND_JFC,
                            };
                            let jfc = jfcs[(rounds as usize + i as usize) % 2];
                            let done = [
                                stage.set(bind, &jfc.to_ne_bytes()),
                                activate(side, stage, NONE),
                                stage.get(bind, 8).map(|_| ()),
                                side.ctx.run(&mut class.deactivate_cmd(handle)),
                            ];
                            worked += done.iter().filter(|done| done.is_ok()).count() as u32;
                            // Somebody who builds on them.
                            let _ = Jfs::create(
                                &side.ctx,
                                JfsConfig {
                                    jfc: stages[0].handle(),
                                    ..JfsConfig::on(&side.sent)
                                },
                            );
                        }
                    }
                    (rounds, worked)
                })
            })
            .collect();
        workers
            .into_iter()
            .map(|worker| worker.join())
            .collect::<Result<Vec<_>, _>>()
    })
    .map_err(|_| Failure::Fail("a thread died".to_string()))?;
    for (rounds, worked) in rounds {
        check!(rounds > 0 && worked > 0, "{rounds} rounds, {worked} worked");
    }
    // They are as good as ever.
    for stage in &stages {
        let _ = side
            .ctx
            .run(&mut stage.class().deactivate_cmd(stage.handle()));
        activate(&side, stage, NONE)?;
    }
    let deleted = side.ctx.run(&mut Jetty::delete_cmd(stages[3].handle()));
    check!(deleted.is_ok());
    Ok(())
}

pub fn main() -> ExitCode {
    ub_tests::run(
        "t-staged-options",
        tests![
            every_option,
            wrong_lengths,
            options_of_others,
            values_that_cannot_be_copied,
            every_mask_bit,
            bind_moves_the_use,
            bind_to_what_is_not_there,
            closed_with_a_newer_receive_queue,
            closed_in_each_stage,
            killed_in_each_stage,
            removed_in_each_stage,
            all_at_once,
        ],
    )
}
