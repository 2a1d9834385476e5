// SPDX-License-Identifier: GPL-2.0

//! Imported jettys and JFRs, and the paths to them.

use std::process::ExitCode;

use ub_client::abi::*;
use ub_client::sys::Mapping;
use ub_client::tlv::Place;
use ub_client::{Eid, Error, Path, RecvWr, SendWr, Target, TargetConfig, TpQuery};
use ub_tests::fixture::{modes, pattern, Pair, PairConfig, Side, JETTY_TOKEN};
use ub_tests::{check, check_eq, check_errno, tests, Failure, Outcome};

/// Sends something to an imported jetty or JFR of `b` and checks that it arrives.
fn prove(a: &mut Side, b: &mut Side, target: u32, seed: u64) -> Outcome {
    let data = pattern(seed, 200);
    a.memory.write(0, &data);
    b.memory.fill(0, 256, 0);
    let list = [b.memory.sge(8, 200)];
    b.jfr.post(&RecvWr::new(&list).user_ctx(seed))?;
    let list = [a.memory.sge(0, 200)];
    a.expect(&SendWr::send(target, &list), UBURMA_CR_SUCCESS)?;
    let cqe = b.wait_received()?;
    check_eq!((cqe.user_ctx, cqe.byte_len), (seed, 200));
    check_eq!(cqe.remote_id, a.jetty.id());
    check_eq!(b.memory.bytes(8, 200), data);
    Ok(())
}

/// The kind of path that a mode takes, as the flag of GET_TP_LIST.
fn kind_of(mode: u32) -> u32 {
    if mode == UBURMA_TM_UM {
        UBURMA_GET_TP_CFG_FLAG_UTP
    } else {
        UBURMA_GET_TP_CFG_FLAG_RTP
    }
}

fn paths(a: &Side, b: &Side, mode: u32, count: u32) -> Result<Vec<u64>, Error> {
    let query = TpQuery {
        flag: kind_of(mode),
        mode,
        peer: b.ctx.eid(),
        count,
    };
    Target::tp_list(&a.ctx, query)
}

fn each_way(mode: u32) -> Outcome {
    let config = PairConfig {
        mode,
        ..Default::default()
    };
    for (i, way) in [Path::Plain, Path::Chosen, Path::Handle(0)]
        .iter()
        .enumerate()
    {
        let mut a = Side::create(config)?;
        let mut b = Side::create(config)?;
        let path = match way {
            Path::Handle(_) => {
                let list = paths(&a, &b, mode, 4)?;
                check!(!list.is_empty(), "no path in mode {mode}");
                Path::Handle(list[0])
            }
            other => *other,
        };
        let target = Target::jetty(&a.ctx, b.target_config().over(path))?;
        if mode == UBURMA_TM_RC {
            match path {
                Path::Handle(handle) => a.jetty.bind_ex(&target, handle)?,
                Path::Chosen => a.jetty.bind_ex(&target, 0)?,
                Path::Plain => a.jetty.bind(&target)?,
            };
        }
        let target_ref = if mode == UBURMA_TM_RC {
            0
        } else {
            target.target_ref()
        };
        prove(&mut a, &mut b, target_ref, i as u64 + 10)
            .map_err(|why| Failure::Fail(format!("mode {mode}, {path:?}: {why:?}")))?;
    }
    Ok(())
}

fn jetty_each_way_rm() -> Outcome {
    each_way(UBURMA_TM_RM)
}

fn jetty_each_way_rc() -> Outcome {
    let device = ub_client::Device::first()?;
    if !modes(&device)?.contains(&UBURMA_TM_RC) {
        ub_tests::skip!("the device has no RC");
    }
    each_way(UBURMA_TM_RC)
}

fn jetty_each_way_um() -> Outcome {
    let device = ub_client::Device::first()?;
    if !modes(&device)?.contains(&UBURMA_TM_UM) {
        ub_tests::skip!("the device has no UM");
    }
    each_way(UBURMA_TM_UM)
}

fn jfr_each_way() -> Outcome {
    let mut pair = Pair::create()?;
    let list = paths(&pair.a, &pair.b, UBURMA_TM_RM, 1)?;
    check_eq!(list.len(), 1);
    let config = TargetConfig {
        id: pair.b.jfr.id(),
        ..pair.b.target_config()
    };
    for (i, path) in [Path::Plain, Path::Chosen, Path::Handle(list[0])]
        .into_iter()
        .enumerate()
    {
        let mut target = Target::jfr(&pair.a.ctx, config.over(path))?;
        let target_ref = target.target_ref();
        prove(&mut pair.a, &mut pair.b, target_ref, 30 + i as u64)?;
        // A JFR is not a jetty.
        let handle = target.handle();
        check_errno!(
            pair.a.ctx.run(&mut Target::unimport_jetty_cmd(handle)),
            EINVAL
        );
        target.unimport()?;
        check_errno!(target.unimport(), EINVAL);
    }
    Ok(())
}

fn paths_are_listed() -> Outcome {
    let pair = Pair::create()?;
    for count in [1, 2, UBURMA_MAX_TP] {
        let list = paths(&pair.a, &pair.b, UBURMA_TM_RM, count)?;
        check!(!list.is_empty() && list.len() <= count as usize);
        check!(list.iter().all(|handle| *handle != 0));
    }
    // RM: the same path for all.
    check_eq!(
        paths(&pair.a, &pair.b, UBURMA_TM_RM, 1)?,
        paths(&pair.a, &pair.b, UBURMA_TM_RM, 1)?
    );
    Ok(())
}

fn bad_questions_about_paths() -> Outcome {
    let pair = Pair::create()?;
    let good = TpQuery {
        flag: UBURMA_GET_TP_CFG_FLAG_RTP,
        mode: UBURMA_TM_RM,
        peer: pair.b.ctx.eid(),
        count: 1,
    };
    let ask = |query| Target::tp_list(&pair.a.ctx, query);
    ask(good)?;
    for count in [0, UBURMA_MAX_TP + 1, u32::MAX] {
        check_errno!(ask(TpQuery { count, ..good }), EINVAL);
    }
    for flag in [0, UBURMA_GET_TP_CFG_FLAG_RTP | UBURMA_GET_TP_CFG_FLAG_CTP] {
        check_errno!(ask(TpQuery { flag, ..good }), EINVAL);
    }
    for mode in [0, 3, 8, u32::MAX] {
        check_errno!(ask(TpQuery { mode, ..good }), EINVAL);
    }
    // Unreliable paths are for UM alone.
    let flag = UBURMA_GET_TP_CFG_FLAG_UTP;
    check_errno!(ask(TpQuery { flag, ..good }), EINVAL);
    // Somebody else's local EID.
    let mut foreign = pair.a.ctx.eid();
    foreign.0[15] ^= 0x77;
    let mut cmd = Target::tp_list_cmd(&foreign, good);
    check_errno!(pair.a.ctx.run(&mut cmd), EINVAL | EPERM | ENOENT | ENODEV);
    Ok(())
}

fn unknown_path() -> Outcome {
    let pair = Pair::create()?;
    for handle in [1, 0xdead_beef_0000_0001, u64::MAX] {
        let config = pair.b.target_config().over(Path::Handle(handle));
        check_errno!(
            Target::jetty(&pair.a.ctx, config),
            EINVAL | ENOENT | ENODEV | EPERM
        );
        check_errno!(
            Target::jfr(&pair.a.ctx, config),
            EINVAL | ENOENT | ENODEV | EPERM
        );
    }
    Ok(())
}

fn bad_imports() -> Outcome {
    let pair = Pair::create()?;
    let good = pair.b.target_config();
    for path in [Path::Plain, Path::Chosen] {
        let import = |config: TargetConfig| Target::jetty(&pair.a.ctx, config.over(path));
        import(good)?;
        for mode in [0, 3, 8, u32::MAX] {
            check_errno!(import(TargetConfig { mode, ..good }), EINVAL);
        }
        for tp_type in [3, u32::MAX] {
            check_errno!(import(TargetConfig { tp_type, ..good }), EINVAL);
        }
        for kind in [3, u32::MAX] {
            check_errno!(import(TargetConfig { kind, ..good }), EINVAL);
        }
        let flag = 5 << UBURMA_IMPORT_JETTY_FLAG_ORDER_TYPE_SHIFT;
        check_errno!(import(TargetConfig { flag, ..good }), EINVAL);
    }
    Ok(())
}

/// An EID that nobody has: found out at once, or when something is sent.
fn unknown_peer() -> Outcome {
    for path in [Path::Plain, Path::Chosen] {
        for flip in [0x5a, 0] {
            let mut pair = Pair::create()?;
            let mut eid = pair.b.ctx.eid();
            eid.0[3] ^= flip;
            if flip == 0 {
                eid = Eid::default();
            }
            let config = TargetConfig {
                eid,
                ..pair.b.target_config().over(path)
            };
            let Ok(target) = Target::jetty(&pair.a.ctx, config) else {
                continue;
            };
            let list = [pair.a.memory.sge(0, 10)];
            let remote = pair.b.memory.remote(0);
            let wr = SendWr::write(target.target_ref(), remote, &list);
            let cqe = pair.a.execute(&wr)?;
            check!(u32::from(cqe.status) != UBURMA_CR_SUCCESS, "EID {eid}");
        }
    }
    Ok(())
}

/// A number that nobody has, or a wrong token: found out when something is sent.
fn unknown_number_or_wrong_token() -> Outcome {
    let good = Pair::create()?.b.target_config();
    for (id, token) in [(0x7fff_ff00, good.token), (0, JETTY_TOKEN ^ 1)] {
        let mut pair = Pair::create()?;
        let mut config = pair.b.target_config();
        config.token = token;
        if id != 0 {
            config.id = id;
        }
        pair.b.post_recv(0, 100, 1)?;
        let target = match Target::jetty(&pair.a.ctx, config) {
            Ok(target) => target,
            Err(_) => continue,
        };
        let list = [pair.a.memory.sge(0, 10)];
        let cqe = pair.a.execute(&SendWr::send(target.target_ref(), &list))?;
        check!(
            u32::from(cqe.status) != UBURMA_CR_SUCCESS,
            "id {id}, token {token:#x}"
        );
        check!(pair.b.received.poll().is_none(), "it arrived all the same");
    }
    Ok(())
}

fn target_refs_are_of_their_context() -> Outcome {
    let mut pair = Pair::create()?;
    let list = [pair.a.memory.sge(0, 10)];
    let old = pair.ab.target_ref();
    pair.ab.unimport()?;
    let wr = SendWr::write(old, pair.b.memory.remote(0), &list);
    let cqe = pair.a.execute(&wr)?;
    check!(
        u32::from(cqe.status) != UBURMA_CR_SUCCESS,
        "a target that is gone"
    );
    // A new one does not get the old name at once.
    let again = pair.a.import(&pair.b)?;
    check!(again.target_ref() != old);
    pair.ab = again;
    Ok(())
}

fn many_imports() -> Outcome {
    let pair = Pair::create()?;
    let mut list = Vec::new();
    for _ in 0..300 {
        list.push(pair.a.import(&pair.b)?);
    }
    let mut refs: Vec<u32> = list.iter().map(Target::target_ref).collect();
    refs.sort_unstable();
    refs.dedup();
    check_eq!(refs.len(), 300);
    Ok(())
}

fn lost_replies_undo() -> Outcome {
    let pair = Pair::create()?;
    let page = Mapping::read_only(4096)?;
    for path in [Path::Plain, Path::Chosen] {
        for id in [
            UBURMA_IMPORT_JETTY_OUT_TPN,
            UBURMA_IMPORT_JETTY_OUT_HANDLE,
            UBURMA_IMPORT_JETTY_OUT_UDATA,
        ] {
            let mut cmd = Target::jetty_cmd(pair.b.target_config().over(path));
            cmd.attr_mut(id).place = Place::Address(page.addr());
            check_errno!(pair.a.ctx.run(&mut cmd), EFAULT);
            let mut cmd = Target::jfr_cmd(pair.b.target_config().over(path));
            cmd.attr_mut(id).place = Place::Address(page.addr());
            check_errno!(pair.a.ctx.run(&mut cmd), EFAULT);
        }
    }
    Ok(())
}

/// Paths that were asked for and not used go with their file.
fn unused_paths() -> Outcome {
    let device = ub_client::Device::first()?;
    if !modes(&device)?.contains(&UBURMA_TM_RC) {
        ub_tests::skip!("the device has no RC");
    }
    let config = PairConfig {
        mode: UBURMA_TM_RC,
        ..Default::default()
    };
    for _ in 0..20 {
        let a = Side::create(config)?;
        let b = Side::create(config)?;
        paths(&a, &b, UBURMA_TM_RC, 8)?;
    }
    Ok(())
}

pub fn main() -> ExitCode {
    ub_tests::run(
        "t-import",
        tests![
            jetty_each_way_rm,
            jetty_each_way_rc,
            jetty_each_way_um,
            jfr_each_way,
            paths_are_listed,
            bad_questions_about_paths,
            unknown_path,
            bad_imports,
            unknown_peer,
            unknown_number_or_wrong_token,
            target_refs_are_of_their_context,
            many_imports,
            lost_replies_undo,
            unused_paths,
        ],
    )
}
