// SPDX-License-Identifier: GPL-2.0

//! Transport paths: whose they are, what they are like, and that none is left behind.

use std::process::ExitCode;

use ub_client::abi::*;
use ub_client::tlv::Cmd;
use ub_client::{Context, Eid, Path, SendWr, Target, TargetConfig, TpQuery};
use ub_tests::counters::Snapshot;
use ub_tests::fixture::{PairConfig, Side};
use ub_tests::own::Own;
use ub_tests::{check, check_eq, check_errno, tests, Failure, Outcome};

const RM: u32 = UBURMA_TM_RM;
const RC: u32 = UBURMA_TM_RC;

/// A question for reliable paths.
fn query(mode: u32, peer: Eid, count: u32) -> TpQuery {
    TpQuery {
        flag: UBURMA_GET_TP_CFG_FLAG_RTP,
        mode,
        peer,
        count,
    }
}

/// The first path that is listed.
fn path(ctx: &Context, mode: u32, peer: Eid) -> Result<u64, Failure> {
    let list = Target::tp_list(ctx, query(mode, peer, 1))?;
    check_eq!(list.len(), 1);
    Ok(list[0])
}

fn side(mode: u32) -> Result<Side, Failure> {
    Side::create(PairConfig {
        mode,
        ..Default::default()
    })
}

/// An EID that no device has, different for each number.
fn stranger(eid: &Eid, number: u32) -> Eid {
    let mut other = *eid;
    other.0[4] ^= 0x5a;
    other.0[12..].copy_from_slice(&number.to_be_bytes());
    other
}

/// A counter of ubcore now.
fn counter(name: &str) -> Result<u64, Failure> {
    Ok(Snapshot::take()?.get(&format!("ubcore/{name}")))
}

/// Every command that takes a path refuses one that was listed for another file.
fn paths_are_of_their_file() -> Outcome {
    for mode in [RM, RC] {
        let (a, b) = (side(mode)?, side(mode)?);
        let handle = path(&a.ctx, mode, b.ctx.eid())?;
        let config = a.target_config().over(Path::Handle(handle));
        check_errno!(Target::jetty(&b.ctx, config), ENOENT);
        if mode == RM {
            let jfr = TargetConfig {
                id: a.jfr.id(),
                ..config
            };
            check_errno!(Target::jfr(&b.ctx, jfr), ENOENT);
        } else {
            let target = Target::jetty(&b.ctx, a.target_config())?;
            check_errno!(b.jetty.bind_ex(&target, handle), ENOENT);
        }
        check_errno!(Target::tp_attr(&b.ctx, handle), ENOENT);
        check_errno!(Target::set_tp_attr(&b.ctx, handle, 0, &[0; 128]), ENOENT);
        let question = query(mode, a.ctx.eid(), 1);
        check_errno!(Target::exchange(&b.ctx, question, handle, 1), ENOENT);
        // Its own file may use it.
        Target::tp_attr(&a.ctx, handle)?;
        Target::jetty(&a.ctx, b.target_config().over(Path::Handle(handle)))?;
        // Messages share a path, connections do not.
        let own = path(&b.ctx, mode, a.ctx.eid())?;
        check_eq!(own == handle, mode == RM);
        Target::jetty(&b.ctx, a.target_config().over(Path::Handle(own)))?;
        // With the file goes the right to use it.
        drop(a);
        let a = side(mode)?;
        let config = b.target_config().over(Path::Handle(handle));
        check_errno!(Target::jetty(&a.ctx, config), ENOENT);
    }
    Ok(())
}

/// The path that the kernel chose cannot be guessed from its number.
fn paths_of_the_kernel_are_not_for_users() -> Outcome {
    for mode in [RM, RC] {
        let (a, b) = (side(mode)?, side(mode)?);
        let target = a.import(&b)?;
        let tpn = if mode == RC {
            a.jetty.bind(&target)?
        } else {
            target.tpn()
        };
        let number = u64::from(tpn);
        let handle = number | number << 24 | 1 << 48 | 1 << 54 | u64::from(mode) << 59;
        let config = b.target_config().over(Path::Handle(handle));
        check_errno!(Target::jetty(&a.ctx, config), ENOENT);
        check_errno!(Target::tp_attr(&a.ctx, handle), ENOENT);
    }
    Ok(())
}

fn one_path_for_all_messages() -> Outcome {
    let before = counter("tp")?;
    let (a, b) = (side(RM)?, side(RM)?);
    let mut targets = Vec::new();
    for _ in 0..20 {
        targets.push(a.import(&b)?);
        targets.push(b.import(&a)?);
    }
    let handle = path(&a.ctx, RM, b.ctx.eid())?;
    let config = b.target_config().over(Path::Handle(handle));
    targets.push(Target::jetty(&a.ctx, config)?);
    let tpn = targets[0].tpn();
    check!(targets.iter().all(|target| target.tpn() == tpn));
    check_eq!(counter("tp")?, before + 1);
    targets.clear();
    check_eq!(counter("tp")?, before);
    Ok(())
}

fn a_fresh_path_for_each_connection() -> Outcome {
    let before = counter("tp")?;
    let sides = (0..4).map(|_| side(RC)).collect::<Result<Vec<_>, _>>()?;
    let mut bound = Vec::new();
    for (i, from) in sides.iter().enumerate() {
        let to = &sides[(i + 1) % sides.len()];
        let target = from.import(to)?;
        // Without a path until it is bound.
        check_eq!(target.tpn(), UBURMA_INVALID_TPN);
        check_eq!(counter("tp")?, before + i as u64);
        let tpn = from.jetty.bind(&target)?;
        check_eq!(from.jetty.bind(&target)?, tpn);
        check!(bound.iter().all(|(other, _)| *other != tpn));
        bound.push((tpn, target));
    }
    for (i, from) in sides.iter().enumerate() {
        from.jetty.unbind(&bound[i].1)?;
        check_eq!(counter("tp")?, before + (sides.len() - 1 - i) as u64);
    }
    Ok(())
}

fn a_path_has_one_connection() -> Outcome {
    let (a, b, c) = (side(RC)?, side(RC)?, side(RC)?);
    let ctx = &a.ctx;
    let handle = path(ctx, RC, b.ctx.eid())?;
    let to_b = a.import(&b)?;
    let to_c = a.import(&c)?;
    let tpn = a.jetty.bind_ex(&to_b, handle)?;
    check!(tpn != UBURMA_INVALID_TPN);
    // The same pair again is no second connection.
    check_eq!(a.jetty.bind_ex(&to_b, handle)?, tpn);
    check_errno!(a.jetty.bind_ex(&to_c, handle), EINVAL);
    // Another jetty of the same file.
    let mut other = ub_client::JettyConfig::on(&a.sent, &a.received, &a.jfr);
    other.send.depth = 8;
    let other = ub_client::Jetty::create(ctx, other)?;
    check_errno!(other.bind_ex(&to_c, handle), EBUSY);
    let list = Target::tp_list(ctx, query(RC, b.ctx.eid(), 2))?;
    check!(list[0] != handle, "a path in use comes first");
    check_eq!(list.len(), 2);
    check!(other.bind_ex(&to_c, list[0])? != tpn);
    other.unbind(&to_c)?;
    a.jetty.unbind(&to_b)?;
    other.bind_ex(&to_c, handle)?;
    Ok(())
}

fn a_path_leads_to_its_ends() -> Outcome {
    let (a, b) = (side(RM)?, side(RM)?);
    let elsewhere = stranger(&b.ctx.eid(), 1);
    let wrong = [path(&a.ctx, RM, elsewhere)?, path(&a.ctx, RC, b.ctx.eid())?];
    for handle in wrong {
        let config = b.target_config().over(Path::Handle(handle));
        check_errno!(Target::jetty(&a.ctx, config), EINVAL);
        check_errno!(Target::jfr(&a.ctx, config), EINVAL);
    }
    Ok(())
}

/// All zeros: the kernel chooses. Zeros for the handle and something else beside it: an error.
fn half_a_path() -> Outcome {
    let (a, b) = (side(RM)?, side(RM)?);
    let inputs = [
        (UBURMA_IMPORT_JETTY_EX_IN_PEER_TP_HANDLE, 8),
        (UBURMA_IMPORT_JETTY_EX_IN_TAG, 8),
        (UBURMA_IMPORT_JETTY_EX_IN_TX_PSN, 4),
        (UBURMA_IMPORT_JETTY_EX_IN_RX_PSN, 4),
    ];
    for (id, len) in inputs {
        let make = || Target::jetty_cmd(b.target_config().over(Path::Chosen));
        let mut cmd = make()
            .without(id)
            .bytes(id, &[0, 0, 1, 0, 0, 0, 0, 0][..len]);
        check_errno!(a.ctx.run(&mut cmd), EINVAL);
    }
    let target = Target::jetty(&a.ctx, b.target_config().over(Path::Chosen))?;
    check!(target.tpn() != UBURMA_INVALID_TPN);
    Ok(())
}

fn lists_stay_within_their_capacity() -> Outcome {
    let ctx = Context::open_first()?;
    for mode in [RM, RC] {
        for count in [1, 2, 31, 32, 33, UBURMA_MAX_TP] {
            let mut cmd = Target::tp_list_cmd(&ctx.eid(), query(mode, ctx.eid(), count));
            cmd.preset(UBURMA_GET_TP_LIST_OUT_TP_HANDLE, 0xa5);
            ctx.run(&mut cmd)?;
            let seen = cmd.get_u32(UBURMA_GET_TP_LIST_OUT_TP_CNT);
            check_eq!(seen, if mode == RM { 1 } else { count });
            let value = cmd.value(UBURMA_GET_TP_LIST_OUT_TP_HANDLE);
            check!(value[seen as usize * 8..].iter().all(|byte| *byte == 0xa5));
            let mut list: Vec<&[u8]> = value.chunks_exact(8).take(seen as usize).collect();
            list.sort_unstable();
            list.dedup();
            check_eq!(list.len() as u32, seen, "a path twice");
        }
    }
    Ok(())
}

/// Paths that are not used go with their file, also those to nowhere.
fn unused_paths_go_with_their_file() -> Outcome {
    let before = Snapshot::take()?;
    let ctx = Context::open_first()?;
    let (offers, tps) = (counter("tp_offer")?, counter("tp")?);
    for number in 0..200 {
        path(&ctx, RM, stranger(&ctx.eid(), number))?;
        Target::tp_list(&ctx, query(RC, stranger(&ctx.eid(), number), 3))?;
    }
    check_eq!(counter("tp_offer")?, offers + 800);
    check_eq!(counter("tp")?, tps);
    drop(ctx);
    before.compare()
}

/// A file cannot have any number of them.
fn too_many_paths() -> Outcome {
    let ctx = Context::open_first()?;
    let mut total = 0;
    for number in 0.. {
        check!(total <= 1 << 16, "no end of paths");
        let question = query(RC, stranger(&ctx.eid(), number), UBURMA_MAX_TP);
        match Target::tp_list(&ctx, question) {
            Ok(list) => total += list.len(),
            Err(err) => {
                check_eq!(err.errno(), libc::ENOSPC);
                break;
            }
        }
    }
    check!(total >= 2048, "only {total} paths");
    // Others are not affected.
    let other = Context::open_first()?;
    path(&other, RC, other.eid())?;
    Ok(())
}

fn paths_have_properties() -> Outcome {
    let (a, b) = (side(RM)?, side(RM)?);
    let handle = path(&a.ctx, RM, stranger(&b.ctx.eid(), 1))?;
    let other = path(&a.ctx, RM, stranger(&b.ctx.eid(), 2))?;
    let (count, bitmap, old) = Target::tp_attr(&a.ctx, handle)?;
    check_eq!((u32::from(count), bitmap), (bitmap.count_ones(), 0xfff));
    check_eq!(old[1..17], a.ctx.eid().0);
    check_eq!(old[17..33], stranger(&b.ctx.eid(), 1).0);
    check_eq!(old[33..39], a.ctx.smac()?);

    // What the bitmap does not name stays.
    let value = [0x7e; 128];
    Target::set_tp_attr(&a.ctx, handle, UBURMA_TP_ATTR_BIT_TTL, &value)?;
    let mut expected = old.clone();
    expected[49] = 0x7e;
    check_eq!(Target::tp_attr(&a.ctx, handle)?.2, expected);
    let bits = UBURMA_TP_ATTR_BIT_AT | UBURMA_TP_ATTR_BIT_VLAN_ID | UBURMA_TP_ATTR_BIT_DSCP;
    Target::set_tp_attr(&a.ctx, handle, bits, &value)?;
    expected[0] = 0x7e & 0xf8;
    expected[45..48].copy_from_slice(&(0x7e_7e7e_u32 & (0xfff | 0x3f << 13)).to_le_bytes()[..3]);
    check_eq!(Target::tp_attr(&a.ctx, handle)?.2, expected);
    Target::set_tp_attr(&a.ctx, handle, 0, &[0; 128])?;
    check_eq!(Target::tp_attr(&a.ctx, handle)?.2, expected);
    check_eq!(Target::tp_attr(&a.ctx, other)?.2[45..], old[45..]);

    // Bad ones.
    let set = |count, bitmap, value: &[u8]| {
        a.ctx
            .run(&mut Target::set_tp_attr_cmd(handle, count, bitmap, value))
    };
    for (count, bitmap) in [(0, 1), (2, 1), (1, 0), (1, 1 << 12), (1, 1 << 31), (255, 0)] {
        check_errno!(set(count, bitmap, &value), EINVAL);
    }
    check_errno!(set(1, UBURMA_TP_ATTR_BIT_SIP, &[0; 128]), EINVAL);
    check_errno!(set(1, UBURMA_TP_ATTR_BIT_DIP, &[0; 128]), EINVAL);
    check_errno!(set(1, UBURMA_TP_ATTR_BIT_SMA, &[0xff; 128]), EINVAL);
    check_errno!(set(1, UBURMA_TP_ATTR_BIT_VLAN_ID, &[0xff; 128]), EINVAL);
    check_eq!(Target::tp_attr(&a.ctx, handle)?.2, expected);
    for strange in [0, 1, handle ^ (1 << 60), u64::MAX] {
        check_errno!(Target::tp_attr(&a.ctx, strange), ENOENT);
    }
    Ok(())
}

/// What the peer's device has for a path lasts as long as this side's use of it, or its offer.
fn exchange_with_another_device() -> Outcome {
    let own = Own::create("ubtp0")?;
    let there = own.side()?;
    let here = side(RM)?;
    let peer = there.ctx.eid();
    let before = counter("tp")?;
    let question = query(RM, peer, 1);
    let handle = path(&here.ctx, RM, peer)?;
    check_eq!(counter("tp")?, before);
    let (peer_handle, rx_psn) = Target::exchange(&here.ctx, question, handle, 5)?;
    check!(peer_handle != 0);
    check_eq!(counter("tp")?, before + 2);
    // Again: the same.
    check_eq!(
        Target::exchange(&here.ctx, question, handle, 6)?,
        (peer_handle, rx_psn)
    );
    check_eq!(counter("tp")?, before + 2);
    let config = there.target_config().over(Path::Handle(handle));
    let one = Target::jetty(&here.ctx, config)?;
    let two = Target::jetty(&here.ctx, config)?;
    // Those who do not choose share it.
    let three = here.import(&there)?;
    check_eq!((two.tpn(), three.tpn()), (one.tpn(), one.tpn()));
    check_eq!(counter("tp")?, before + 2);
    drop((one, three));
    check_eq!(counter("tp")?, before + 2);
    drop(two);
    check_eq!(counter("tp")?, before);
    // A connection, which is not used; its file goes.
    let rc = side(RC)?;
    let handle = path(&rc.ctx, RC, peer)?;
    Target::exchange(&rc.ctx, query(RC, peer, 1), handle, 5)?;
    check_eq!(counter("tp")?, before + 2);
    drop(rc);
    check_eq!(counter("tp")?, before);
    Ok(())
}

/// A connection over a path that was exchanged.
fn connect_over_an_exchanged_path() -> Outcome {
    let own = Own::create("ubtp0")?;
    let config = PairConfig {
        mode: RC,
        ..Default::default()
    };
    let there = Side::create_in(Context::open(&own.device)?, config)?;
    let here = Side::create(config)?;
    let peer = there.ctx.eid();
    let before = counter("tp")?;
    let handle = path(&here.ctx, RC, peer)?;
    Target::exchange(&here.ctx, query(RC, peer, 1), handle, 5)?;
    let target = Target::jetty(&here.ctx, there.target_config().over(Path::Handle(handle)))?;
    for _ in 0..2 {
        here.jetty.bind_ex(&target, handle)?;
        check!(counter("tp")? > before);
        here.jetty.unbind(&target)?;
        check_eq!(counter("tp")?, before);
    }
    // The device goes while the other side has something for it.
    Target::exchange(&here.ctx, query(RC, peer, 1), handle, 5)?;
    here.jetty.bind_ex(&target, handle)?;
    drop(there);
    drop(own);
    here.jetty.unbind(&target)?;
    check_eq!(counter("tp")?, before);
    Ok(())
}

/// A device is found by an EID that it gets later, and not any more when that is taken away.
fn peers_with_more_eids() -> Outcome {
    let own = Own::create("ubtp0")?;
    let mut there = own.side()?;
    let mut here = side(RM)?;
    let mut eid = Eid([0; 16]);
    eid.0[10..].copy_from_slice(&[0xff, 0xff, 192, 0, 2, 33]);
    let ip = std::net::IpAddr::from([192, 0, 2, 33]);
    let config = TargetConfig {
        eid,
        ..there.target_config()
    };
    check_errno!(here.ctx.eid_by_ip(ip), ENOENT);
    own.set("eids", "+192.0.2.33")?;
    check_eq!(here.ctx.eid_by_ip(ip)?, eid);
    check_eq!(here.ctx.ip_by_eid(&eid)?.ip, ip);
    check_eq!(here.ctx.ip_by_eid(&eid)?.prefix_len, 32);
    check_eq!(there.ctx.net_addrs(16)?.len(), 2);
    // Nobody has made a context with it: it leads to the device all the same.
    let target = Target::jetty(&here.ctx, config)?;
    there.post_recv(0, 100, 1)?;
    let list = [here.memory.sge(0, 10)];
    let wr = SendWr::send(target.target_ref(), &list);
    here.expect(&wr, UBURMA_CR_SUCCESS)?;
    check_eq!(there.wait_received()?.byte_len, 10);
    let handle = path(&here.ctx, RM, eid)?;
    let (peer, _) = Target::exchange(&here.ctx, query(RM, eid, 1), handle, 5)?;
    check!(peer != 0);
    own.set("eids", "-1")?;
    check_errno!(here.ctx.eid_by_ip(ip), ENOENT);
    let cqe = here.execute(&wr)?;
    check_eq!(u32::from(cqe.status), UBURMA_CR_ACK_TIMEOUT_ERR);
    Ok(())
}

fn bad_exchanges() -> Outcome {
    let ctx = Context::open_first()?;
    let eid = ctx.eid();
    // To itself: nobody to ask.
    let handle = path(&ctx, RM, eid)?;
    check_eq!(
        Target::exchange(&ctx, query(RM, eid, 1), handle, 9)?,
        (handle, 9)
    );
    check_errno!(Target::exchange(&ctx, query(RM, eid, 1), 0, 9), ENOENT);
    check_errno!(
        Target::exchange(&ctx, query(RM, eid, 1), handle ^ 1, 9),
        ENOENT
    );
    // Not what it was listed for.
    check_errno!(Target::exchange(&ctx, query(RC, eid, 1), handle, 9), ENOENT);
    let nowhere = stranger(&eid, 1);
    check_errno!(
        Target::exchange(&ctx, query(RM, nowhere, 1), handle, 9),
        ENOENT
    );
    let lost = path(&ctx, RM, nowhere)?;
    check_errno!(
        Target::exchange(&ctx, query(RM, nowhere, 1), lost, 9),
        EHOSTUNREACH
    );
    // A kind of path about which there is nothing to say.
    let ctp = TpQuery {
        flag: UBURMA_GET_TP_CFG_FLAG_CTP,
        ..query(RM, eid, 1)
    };
    let compact = Target::tp_list(&ctx, ctp)?[0];
    check_errno!(Target::exchange(&ctx, ctp, compact, 9), EINVAL);
    for flag in [0, 3, 7] {
        let bad = TpQuery {
            flag,
            ..query(RM, eid, 1)
        };
        check_errno!(Target::exchange(&ctx, bad, handle, 9), EINVAL);
    }
    let mut foreign = Target::exchange_cmd(&nowhere, query(RM, eid, 1), handle, 9);
    check_errno!(ctx.run(&mut foreign), EINVAL);
    let mut cmd: Cmd = Target::exchange_cmd(&eid, query(RM, eid, 1), handle, 9)
        .without(UBURMA_EXCHANGE_TP_INFO_IN_TX_PSN);
    check_errno!(ctx.run(&mut cmd), EINVAL);
    Ok(())
}

pub fn main() -> ExitCode {
    ub_tests::run(
        "t-tp",
        tests![
            paths_are_of_their_file,
            paths_of_the_kernel_are_not_for_users,
            one_path_for_all_messages,
            a_fresh_path_for_each_connection,
            a_path_has_one_connection,
            a_path_leads_to_its_ends,
            half_a_path,
            lists_stay_within_their_capacity,
            unused_paths_go_with_their_file,
            too_many_paths,
            paths_have_properties,
            exchange_with_another_device,
            connect_over_an_exchanged_path,
            peers_with_more_eids,
            bad_exchanges,
        ],
    )
}
