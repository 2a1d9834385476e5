// SPDX-License-Identifier: GPL-2.0

//! The framing of commands: everything that can be wrong with it.

use std::os::fd::AsRawFd;
use std::process::ExitCode;

use ub_client::abi::*;
use ub_client::sys::{self, Mapping};
use ub_client::tlv::{el_info, Attr, Cmd, Place};
use ub_client::{
    Context, DevAttr, Error, Jetty, JettyConfig, Jfc, JfcConfig, Jfr, JfrConfig, Jfs, JfsConfig,
    Path, Segment, SegmentConfig, Target, Token, TpQuery,
};
use ub_tests::fixture::Pair;
use ub_tests::{check, check_eq, check_errno, tests, Failure, Outcome};

/// A command that works as it is, with its required inputs and what undoes it.
struct Sample {
    name: &'static str,
    cmd: Cmd,
    /// Inputs that may be missing.
    optional: &'static [u32],
    /// Output with the handle of what was made, and the command that destroys it.
    undo: Option<(u32, fn(u64) -> Cmd)>,
}

fn sample(name: &'static str, cmd: Cmd, optional: &'static [u32]) -> Sample {
    Sample {
        name,
        cmd,
        optional,
        undo: None,
    }
}

impl Sample {
    fn undone_by(mut self, handle: u32, undo: fn(u64) -> Cmd) -> Self {
        self.undo = Some((handle, undo));
        self
    }

    /// Runs a variant; what it makes goes at once.
    fn run(&self, pair: &Pair, cmd: &mut Cmd) -> Result<(), Error> {
        pair.a.ctx.run(cmd)?;
        if let Some((handle, undo)) = self.undo {
            let handle = cmd.get_u64(handle);
            if handle != 0 {
                pair.a.ctx.run(&mut undo(handle))?;
            }
        }
        Ok(())
    }
}

/// Creations and queries.
fn samples(pair: &Pair, token: &Token) -> Vec<Sample> {
    let side = &pair.a;
    let segment = Segment::register_cmd(
        side.memory.addr(),
        4096,
        Some((token.id(), token.handle())),
        SegmentConfig::default(),
    );
    let peer = pair.b.target_config();
    let jetty = JettyConfig::on(&side.sent, &side.received, &side.jfr);
    let paths = TpQuery {
        flag: UBURMA_GET_TP_CFG_FLAG_RTP,
        mode: UBURMA_TM_RM,
        peer: pair.b.ctx.eid(),
        count: 1,
    };
    let modify_jfs = Jetty::modify_cmd(side.jetty.handle(), 0, 0, 0);
    vec![
        sample("CREATE_JFC", Jfc::create_cmd(JfcConfig::default()), &[UBURMA_CREATE_JFC_IN_UDATA])
            .undone_by(UBURMA_CREATE_JFC_OUT_HANDLE, Jfc::delete_cmd),
        sample("CREATE_JFS", Jfs::create_cmd(JfsConfig::on(&side.sent)), &[UBURMA_CREATE_JFS_IN_UDATA])
            .undone_by(UBURMA_CREATE_JFS_OUT_HANDLE, Jfs::delete_cmd),
        sample("CREATE_JFR", Jfr::create_cmd(JfrConfig::on(&side.sent)), &[UBURMA_CREATE_JFR_IN_UDATA])
            .undone_by(UBURMA_CREATE_JFR_OUT_HANDLE, Jfr::delete_cmd),
        sample("CREATE_JETTY", Jetty::create_cmd(jetty), &[UBURMA_CREATE_JETTY_IN_UDATA])
            .undone_by(UBURMA_CREATE_JETTY_OUT_HANDLE, Jetty::delete_cmd),
        sample("REGISTER_SEG", segment, &[UBURMA_REGISTER_SEG_IN_UDATA])
            .undone_by(UBURMA_REGISTER_SEG_OUT_HANDLE, Segment::unregister_cmd),
        sample("IMPORT_JETTY", Target::jetty_cmd(peer), &[UBURMA_IMPORT_JETTY_IN_UDATA])
            .undone_by(UBURMA_IMPORT_JETTY_OUT_HANDLE, Target::unimport_jetty_cmd),
        sample("IMPORT_JFR", Target::jfr_cmd(peer), &[UBURMA_IMPORT_JFR_IN_UDATA])
            .undone_by(UBURMA_IMPORT_JFR_OUT_HANDLE, Target::unimport_jfr_cmd),
        sample(
            "IMPORT_JETTY_EX",
            Target::jetty_cmd(peer.over(Path::Chosen)),
            &[
                UBURMA_IMPORT_JETTY_EX_IN_STAG,
                UBURMA_IMPORT_JETTY_EX_IN_DTAG,
                UBURMA_IMPORT_JETTY_EX_IN_UDATA,
            ],
        )
        .undone_by(UBURMA_IMPORT_JETTY_EX_OUT_HANDLE, Target::unimport_jetty_cmd),
        sample(
            "IMPORT_JFR_EX",
            Target::jfr_cmd(peer.over(Path::Chosen)),
            &[
                UBURMA_IMPORT_JFR_EX_IN_STAG,
                UBURMA_IMPORT_JFR_EX_IN_DTAG,
                UBURMA_IMPORT_JFR_EX_IN_UDATA,
            ],
        )
        .undone_by(UBURMA_IMPORT_JFR_EX_OUT_HANDLE, Target::unimport_jfr_cmd),
        sample("GET_TP_LIST", Target::tp_list_cmd(&side.ctx.eid(), paths), &[UBURMA_GET_TP_LIST_IN_UDATA]),
        sample("QUERY_JETTY", Jetty::query_cmd(side.jetty.handle()), &[]),
        sample("QUERY_JFR", Jfr::query_cmd(side.jfr.handle()), &[]),
        sample("MODIFY_JETTY", modify_jfs, &[UBURMA_MODIFY_JETTY_IN_UDATA]),
        sample("QUERY_DEV_ATTR", DevAttr::cmd(&side.ctx.device().name), &[]),
    ]
}

/// Inputs of a command.
fn inputs(cmd: &Cmd) -> Vec<u32> {
    cmd.attrs()
        .iter()
        .map(|attr| u32::from(attr.id))
        .filter(|id| *id < UBURMA_ATTR_OUT_BASE)
        .collect()
}

/// Outputs of a command.
fn outputs(cmd: &Cmd) -> Vec<u32> {
    cmd.attrs()
        .iter()
        .map(|attr| u32::from(attr.id))
        .filter(|id| *id >= UBURMA_ATTR_OUT_BASE)
        .collect()
}

/// Whether a variant of a sample fails with one of the errnos, as it must.
fn must_fail(pair: &Pair, sample: &Sample, mut cmd: Cmd, errnos: &[i32], what: &str) -> Outcome {
    match sample.run(pair, &mut cmd) {
        Err(err) if errnos.contains(&err.errno()) => Ok(()),
        Err(err) => Err(Failure::Fail(format!("{}, {what}: {err}", sample.name))),
        Ok(()) => Err(Failure::Fail(format!("{}, {what}: it worked", sample.name))),
    }
}

fn must_work(pair: &Pair, sample: &Sample, mut cmd: Cmd, what: &str) -> Outcome {
    sample
        .run(pair, &mut cmd)
        .map_err(|err| Failure::Fail(format!("{}, {what}: {err}", sample.name)))
}

fn samples_work_as_they_are() -> Outcome {
    let pair = Pair::create()?;
    let token = Token::alloc(&pair.a.ctx)?;
    for sample in samples(&pair, &token) {
        must_work(&pair, &sample, sample.cmd.clone(), "as it is")?;
    }
    Ok(())
}

fn header_lengths() -> Outcome {
    let ctx = Context::open_first()?;
    let page = Mapping::anonymous(1 << 16)?;
    let good = Token::alloc_cmd(0);
    let mut record = good.clone();
    let records = record.records();
    for (i, item) in records.iter().enumerate() {
        page.write(i * 16, sys::bytes_of(item));
    }
    let run = |len: u32, addr: u64| {
        let mut cmd = good.clone();
        cmd.set_args_len(len);
        cmd.set_args_addr(addr);
        ctx.run(&mut cmd)
    };
    for len in [0, 1, 15, 17, 79, 81, 2033, 2048, 25_600, 25_601, 1 << 20, u32::MAX, u32::MAX - 15] {
        check_errno!(run(len, page.addr()), EINVAL);
    }
    check_errno!(run(80, 0), EINVAL);
    check_errno!(run(80, 8), EFAULT);
    check_errno!(run(80, u64::MAX - 8), EFAULT);
    check_errno!(run(80, 0xffff_8880_0000_0000), EFAULT);
    check_errno!(run(80, page.addr() + (1 << 16) - 16), EFAULT | EINVAL);
    // The most that is allowed, filled up with attributes that mean nothing.
    for i in records.len()..127 {
        let filler = uburma_cmd_attr {
            type_: 0x7f,
            field_size: 4,
            el_info: 1,
            ..Default::default()
        };
        page.write(i * 16, sys::bytes_of(&filler));
    }
    let mut cmd = record;
    let records = cmd.records();
    for (i, item) in records.iter().enumerate() {
        page.write(i * 16, sys::bytes_of(item));
    }
    cmd.set_args_len(2032);
    cmd.set_args_addr(page.addr());
    ctx.run(&mut cmd)?;
    check!(cmd.get_u64(UBURMA_ALLOC_TOKEN_ID_OUT_HANDLE) != 0);
    Ok(())
}

fn header_address() -> Outcome {
    let ctx = Context::open_first()?;
    for addr in [0, 8, u64::MAX - 15, 0xffff_8880_0000_0000] {
        let seen = sys::ioctl(ctx.dev_fd(), IOC_CMD, addr);
        check_eq!(seen, Err(libc::EFAULT), "header at {addr:#x}");
    }
    Ok(())
}

fn unknown_commands() -> Outcome {
    let ctx = Context::open_first()?;
    for command in [0, 86, 87, 127, 128, 255, 256, 0x101, 1 << 16, 1 << 31, u32::MAX] {
        let mut cmd = Cmd::new(command).u64(0, 1).out(0x80, 8);
        check_errno!(ctx.run(&mut cmd), EINVAL);
    }
    Ok(())
}

fn missing_inputs() -> Outcome {
    let pair = Pair::create()?;
    let token = Token::alloc(&pair.a.ctx)?;
    for sample in samples(&pair, &token) {
        for id in inputs(&sample.cmd) {
            let cmd = sample.cmd.clone().without(id);
            let what = format!("without {id:#x}");
            if sample.optional.contains(&id) {
                must_work(&pair, &sample, cmd, &what)?;
            } else {
                must_fail(&pair, &sample, cmd, &[libc::EINVAL], &what)?;
            }
        }
    }
    Ok(())
}

fn missing_outputs() -> Outcome {
    let pair = Pair::create()?;
    let token = Token::alloc(&pair.a.ctx)?;
    for sample in samples(&pair, &token) {
        for id in outputs(&sample.cmd) {
            if sample.undo.is_some_and(|(handle, _)| handle == id) {
                continue;
            }
            let cmd = sample.cmd.clone().without(id);
            must_work(&pair, &sample, cmd, &format!("without {id:#x}"))?;
        }
    }
    Ok(())
}

fn wrong_sizes() -> Outcome {
    let pair = Pair::create()?;
    let token = Token::alloc(&pair.a.ctx)?;
    for sample in samples(&pair, &token) {
        let all = inputs(&sample.cmd).into_iter().chain(outputs(&sample.cmd));
        for id in all {
            let right = sample.cmd.attr(id).map_or(0, |attr| attr.field_size);
            for size in [0, right - 1, right + 1, right * 2, 0xffff] {
                if size == right {
                    continue;
                }
                let mut cmd = sample.cmd.clone();
                cmd.attr_mut(id).field_size = size;
                let what = format!("{id:#x} of {size} bytes instead of {right}");
                must_fail(&pair, &sample, cmd, &[libc::EINVAL], &what)?;
            }
        }
    }
    Ok(())
}

fn wrong_counts() -> Outcome {
    let pair = Pair::create()?;
    let token = Token::alloc(&pair.a.ctx)?;
    for sample in samples(&pair, &token) {
        let all = inputs(&sample.cmd).into_iter().chain(outputs(&sample.cmd));
        for id in all {
            let single = sample.cmd.attr(id).map(|attr| attr.el_info) == Some(1);
            let mut cmd = sample.cmd.clone();
            cmd.attr_mut(id).el_info = 0;
            let what = format!("no element of {id:#x}");
            must_fail(&pair, &sample, cmd, &[libc::EINVAL], &what)?;
            if !single || id >= UBURMA_ATTR_OUT_BASE {
                continue;
            }
            for count in [2, 0xfff] {
                let mut cmd = sample.cmd.clone();
                cmd.attr_mut(id).el_info = el_info(count, 0);
                let what = format!("{count} elements of {id:#x}");
                must_fail(&pair, &sample, cmd, &[libc::EINVAL], &what)?;
            }
        }
    }
    Ok(())
}

fn strides_of_port_attributes() -> Outcome {
    let ctx = Context::open_first()?;
    let name = ctx.device().name.clone();
    let run = |info: u32| {
        let mut cmd = DevAttr::cmd(&name);
        cmd.attr_mut(UBURMA_QUERY_DEVICE_OUT_PORT_ATTR_STATE).el_info = info;
        ctx.run(&mut cmd)
    };
    run(el_info(8, 20))?;
    for (count, stride) in [(8, 0), (8, 3), (1, 20), (7, 20)] {
        check_errno!(run(el_info(count, stride)), EINVAL);
    }
    Ok(())
}

/// The first attribute of an id counts.
fn duplicates() -> Outcome {
    let ctx = Context::open_first()?;
    let mut cmd = Jfc::create_cmd(JfcConfig::default()).u32(UBURMA_CREATE_JFC_IN_DEPTH, 0);
    ctx.run(&mut cmd)?;
    ctx.run(&mut Jfc::delete_cmd(cmd.get_u64(UBURMA_CREATE_JFC_OUT_HANDLE)))?;
    let mut cmd = Jfc::create_cmd(JfcConfig::default()).u32(UBURMA_CREATE_JFC_IN_DEPTH, 0);
    cmd.attrs_mut().rotate_right(1);
    check_errno!(ctx.run(&mut cmd), EINVAL);
    Ok(())
}

fn unknown_attributes_are_ignored() -> Outcome {
    let pair = Pair::create()?;
    let token = Token::alloc(&pair.a.ctx)?;
    for sample in samples(&pair, &token) {
        let mut cmd = sample.cmd.clone();
        let attrs = cmd.attrs_mut();
        for id in [0x7d, 0x7e, 0x7f, 0xfd, 0xfe, 0xff] {
            let strange = Attr {
                field_size: 0xffff,
                el_info: u32::MAX,
                ..Attr::single(id, 1, Place::Address(0xdead_0000_0000_0000))
            };
            attrs.insert(0, strange);
            attrs.push(strange);
        }
        must_work(&pair, &sample, cmd, "with unknown attributes")?;
    }
    Ok(())
}

fn any_order() -> Outcome {
    let pair = Pair::create()?;
    let token = Token::alloc(&pair.a.ctx)?;
    for sample in samples(&pair, &token) {
        let mut cmd = sample.cmd.clone();
        cmd.attrs_mut().reverse();
        must_work(&pair, &sample, cmd, "in reverse")?;
        let mut cmd = sample.cmd.clone();
        let half = cmd.attrs().len() / 2;
        cmd.attrs_mut().rotate_left(half);
        must_work(&pair, &sample, cmd, "turned by half")?;
    }
    Ok(())
}

fn flags_and_reserved_bits_are_ignored() -> Outcome {
    let pair = Pair::create()?;
    let token = Token::alloc(&pair.a.ctx)?;
    for sample in samples(&pair, &token) {
        let mut cmd = sample.cmd.clone();
        for attr in cmd.attrs_mut() {
            attr.flag = 0xff;
        }
        must_work(&pair, &sample, cmd, "with flags")?;
    }
    Ok(())
}

fn unreadable_inputs() -> Outcome {
    let pair = Pair::create()?;
    let gap = Mapping::inaccessible(4096)?;
    let token = Token::alloc(&pair.a.ctx)?;
    for sample in samples(&pair, &token) {
        for id in inputs(&sample.cmd) {
            for addr in [8, gap.addr(), u64::MAX, u64::MAX - 2, 0xffff_8880_0000_0000] {
                let mut cmd = sample.cmd.clone();
                cmd.attr_mut(id).place = Place::Address(addr);
                let what = format!("{id:#x} at {addr:#x}");
                must_fail(&pair, &sample, cmd, &[libc::EFAULT], &what)?;
            }
        }
    }
    Ok(())
}

/// What cannot be told to the user is undone: the count at the end of the program shows it.
fn unwritable_outputs() -> Outcome {
    let pair = Pair::create()?;
    let page = Mapping::read_only(4096)?;
    let token = Token::alloc(&pair.a.ctx)?;
    for sample in samples(&pair, &token) {
        for id in outputs(&sample.cmd) {
            for addr in [8, page.addr(), u64::MAX, 0xffff_8880_0000_0000] {
                let mut cmd = sample.cmd.clone();
                cmd.attr_mut(id).place = Place::Address(addr);
                let what = format!("{id:#x} at {addr:#x}");
                must_fail(&pair, &sample, cmd, &[libc::EFAULT], &what)?;
            }
        }
    }
    Ok(())
}

/// On failure nothing is written.
fn outputs_stay_when_it_fails() -> Outcome {
    let ctx = Context::open_first()?;
    let config = JfcConfig {
        depth: 0,
        ..Default::default()
    };
    let mut cmd = Jfc::create_cmd(config);
    let ids = [
        UBURMA_CREATE_JFC_OUT_ID,
        UBURMA_CREATE_JFC_OUT_DEPTH,
        UBURMA_CREATE_JFC_OUT_HANDLE,
    ];
    for id in ids {
        cmd.preset(id, 0x5c);
    }
    check_errno!(ctx.run(&mut cmd), EINVAL);
    for id in ids {
        check!(cmd.value(id).iter().all(|byte| *byte == 0x5c), "{id:#x}");
    }
    Ok(())
}

/// Only as many bytes are written as the attribute has.
fn neighbours_of_outputs_stay() -> Outcome {
    let pair = Pair::create()?;
    let page = Mapping::anonymous(64 << 10)?;
    let token = Token::alloc(&pair.a.ctx)?;
    for sample in samples(&pair, &token) {
        let mut cmd = sample.cmd.clone();
        page.fill(0, 64 << 10, 0x77);
        let mut at = 64;
        let mut ranges = Vec::new();
        for id in outputs(&sample.cmd) {
            let len = sample.cmd.value(id).len();
            let udata = len == 32 && sample.undo.is_some();
            if udata || sample.undo.is_some_and(|(handle, _)| handle == id) {
                continue;
            }
            cmd.attr_mut(id).place = Place::Address(page.addr() + at as u64);
            ranges.push((at, len));
            at += (len + 64).next_multiple_of(8);
        }
        must_work(&pair, &sample, cmd, "with outputs elsewhere")?;
        let bytes = page.bytes(0, 64 << 10);
        for (i, byte) in bytes.iter().enumerate() {
            let inside = ranges.iter().any(|(at, len)| (*at..at + len).contains(&i));
            check!(inside || *byte == 0x77, "{}: byte {i} was written", sample.name);
        }
    }
    Ok(())
}

fn garbage_in_udata_of_commands_that_need_none() -> Outcome {
    let pair = Pair::create()?;
    let mut garbage = [0xa9u8; 32];
    garbage[8] = 0xff;
    let with = |cmd: Cmd, id: u32| cmd.without(id).bytes(id, &garbage);
    let mut cmd = with(
        Jetty::modify_cmd(pair.a.jetty.handle(), 0, 0, 0),
        UBURMA_MODIFY_JETTY_IN_UDATA,
    );
    pair.a.ctx.run(&mut cmd)?;
    let mut token = with(Token::alloc_cmd(0), UBURMA_ALLOC_TOKEN_ID_IN_UDATA);
    pair.a.ctx.run(&mut token)?;
    let mut cmd = with(
        Token::free_cmd(
            token.get_u64(UBURMA_ALLOC_TOKEN_ID_OUT_HANDLE),
            token.get_u32(UBURMA_ALLOC_TOKEN_ID_OUT_TOKEN_ID),
        ),
        UBURMA_FREE_TOKEN_ID_IN_UDATA,
    );
    pair.a.ctx.run(&mut cmd)?;
    Ok(())
}

/// Inputs and outputs may lie in the same place.
fn overlapping_values() -> Outcome {
    let ctx = Context::open_first()?;
    let page = Mapping::anonymous(4096)?;
    let jfc = Jfc::create(&ctx, 8)?;
    let jfs = Jfs::create(&ctx, JfsConfig::on(&jfc))?;
    page.store64(0, jfs.handle(), std::sync::atomic::Ordering::SeqCst);
    let mut cmd = Jfs::query_cmd(0);
    for attr in cmd.attrs_mut() {
        attr.place = Place::Address(page.addr());
    }
    ctx.run(&mut cmd)?;
    Ok(())
}

/// All commands with handles that mean nothing, or not the right thing.
fn bad_handles() -> Outcome {
    let pair = Pair::create()?;
    let a = &pair.a;
    let commands: [(&str, u64, fn(u64) -> Cmd); 13] = [
        ("DELETE_JFC", a.sent.handle(), Jfc::delete_cmd),
        ("DELETE_JFR", a.jfr.handle(), Jfr::delete_cmd),
        ("QUERY_JFR", a.jfr.handle(), Jfr::query_cmd),
        ("MODIFY_JFR", a.jfr.handle(), |handle| Jfr::modify_cmd(handle, 0, 0, 0)),
        ("DELETE_JFS", 0, Jfs::delete_cmd),
        ("QUERY_JFS", 0, Jfs::query_cmd),
        ("MODIFY_JFS", 0, |handle| Jfs::modify_cmd(handle, 0, 0)),
        ("DELETE_JETTY", a.jetty.handle(), Jetty::delete_cmd),
        ("QUERY_JETTY", a.jetty.handle(), Jetty::query_cmd),
        ("MODIFY_JETTY", a.jetty.handle(), |handle| Jetty::modify_cmd(handle, 0, 0, 0)),
        ("UNREGISTER_SEG", a.memory.handle(), Segment::unregister_cmd),
        ("UNIMPORT_JETTY", pair.ab.handle(), Target::unimport_jetty_cmd),
        ("UNIMPORT_JFR", 0, Target::unimport_jfr_cmd),
    ];
    let all = [
        a.sent.handle(),
        a.jfr.handle(),
        a.jetty.handle(),
        a.memory.handle(),
        pair.ab.handle(),
    ];
    for (name, own, make) in commands {
        let strange = [0, 0x7fff_ffff, 0x8000_0000, 1 << 32, u64::MAX, i64::MIN as u64];
        let near = [own | 1 << 32, own | 1 << 63];
        for handle in all.into_iter().chain(strange).chain(near) {
            if handle == own && own != 0 {
                continue;
            }
            let seen = a.ctx.run(&mut make(handle)).err().map(|err| err.errno());
            check_eq!(seen, Some(libc::EINVAL), "{name} of {handle:#x}");
        }
    }
    Ok(())
}

/// Every known command needs some attribute, but for these.
const TAKE_NOTHING: [u32; 2] = [UBURMA_CMD_CREATE_CTX, UBURMA_CMD_CREATE_JFCE];

/// Known commands that are not offered, and how they are refused.
const REFUSED: &[(std::ops::RangeInclusive<u32>, i32)] = &[
    (UBURMA_CMD_ADVISE_JFR..=UBURMA_CMD_UNADVISE_JETTY, libc::EINVAL),
    (UBURMA_CMD_CREATE_JETTY_GRP..=UBURMA_CMD_DESTROY_JETTY_GRP, libc::EOPNOTSUPP),
    (UBURMA_CMD_GET_NETADDR_LIST..=UBURMA_CMD_MODIFY_TP, libc::EOPNOTSUPP),
    (UBURMA_CMD_IMPORT_JETTY_ASYNC..=UBURMA_CMD_CREATE_NOTIFIER, libc::EOPNOTSUPP),
    (UBURMA_CMD_DELETE_JFS_BATCH..=UBURMA_CMD_GET_JFCE_CNT, libc::EOPNOTSUPP),
];

fn refusal(command: u32) -> Option<i32> {
    REFUSED
        .iter()
        .find(|(range, _)| range.contains(&command))
        .map(|(_, errno)| *errno)
}

fn every_number_without_attributes() -> Outcome {
    let ctx = Context::open_first()?;
    for command in UBURMA_CMD_CREATE_CTX..=UBURMA_CMD_GET_JFCE_CNT {
        if TAKE_NOTHING.contains(&command) {
            continue;
        }
        let mut cmd = Cmd::new(command).bytes(0x7f, &[0; 4]);
        let seen = ctx.run(&mut cmd).err().map(|err| err.errno());
        let expected = refusal(command).unwrap_or(libc::EINVAL);
        check_eq!(seen, Some(expected), "command {command}");
    }
    Ok(())
}

/// They are refused whatever comes with them.
fn refused_commands() -> Outcome {
    let pair = Pair::create()?;
    for command in UBURMA_CMD_CREATE_CTX..=UBURMA_CMD_GET_JFCE_CNT {
        let Some(errno) = refusal(command) else {
            continue;
        };
        let mut cmd = Cmd::new(command)
            .u64(0, pair.a.jetty.handle())
            .u64(1, pair.ab.handle())
            .udata(2, Some(0x81), &[0; 32], 64)
            .out(0x80, 8);
        let seen = pair.a.ctx.run(&mut cmd).err().map(|err| err.errno());
        check_eq!(seen, Some(errno), "command {command}");
    }
    Ok(())
}

/// The array is read once: changing it meanwhile never gives more than one of the two.
fn changing_arrays() -> Outcome {
    let ctx = Context::open_first()?;
    let page = std::sync::Arc::new(Mapping::shared(4096)?);
    let mut cmd = Token::alloc_cmd(0);
    for (i, item) in cmd.records().iter().enumerate() {
        page.write(i * 16, sys::bytes_of(item));
    }
    cmd.set_args_addr(page.addr());
    let stop = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
    let flipper = {
        let (page, stop) = (page.clone(), stop.clone());
        std::thread::spawn(move || {
            use std::sync::atomic::Ordering::Relaxed;
            let good: Vec<u64> = (0..10).map(|i| page.load64(i * 8, Relaxed)).collect();
            let mut seed = 1u64;
            while !stop.load(Relaxed) {
                seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                let word = (seed >> 33) as usize % 10;
                page.store64(word * 8, good[word] ^ (1 << (seed % 64)), Relaxed);
                page.store64(word * 8, good[word], Relaxed);
            }
        })
    };
    let mut tokens = 0;
    for _ in 0..3000 {
        match cmd.run_as(ctx.dev_fd(), IOC_CMD) {
            Ok(()) => tokens += 1,
            Err(err) => check!(
                // The last one: flags that mean something else.
                [libc::EINVAL, libc::EFAULT, libc::EOPNOTSUPP].contains(&err.errno()),
                "{err}"
            ),
        }
    }
    stop.store(true, std::sync::atomic::Ordering::Relaxed);
    let _ = flipper.join();
    check!(tokens > 0);
    Ok(())
}

/// Output values may not fit the file descriptor table: nothing is left open.
fn no_descriptor_left() -> Outcome {
    let ctx = Context::open_first()?;
    let before = ub_tests::fixture::count_fds()?;
    let page = Mapping::read_only(4096)?;
    for _ in 0..10 {
        let mut cmd = Cmd::new(UBURMA_CMD_CREATE_JFCE).out(UBURMA_CREATE_JFCE_OUT_FD, 4);
        cmd.attr_mut(UBURMA_CREATE_JFCE_OUT_FD).place = Place::Address(page.addr());
        check_errno!(ctx.run(&mut cmd), EFAULT);
    }
    check_eq!(ub_tests::fixture::count_fds()?, before);
    check!(ctx.events().as_raw_fd() > 0);
    Ok(())
}

fn main() -> ExitCode {
    ub_tests::run(
        "t-tlv",
        tests![
            samples_work_as_they_are,
            header_lengths,
            header_address,
            unknown_commands,
            missing_inputs,
            missing_outputs,
            wrong_sizes,
            wrong_counts,
            strides_of_port_attributes,
            duplicates,
            unknown_attributes_are_ignored,
            any_order,
            flags_and_reserved_bits_are_ignored,
            unreadable_inputs,
            unwritable_outputs,
            outputs_stay_when_it_fails,
            neighbours_of_outputs_stay,
            garbage_in_udata_of_commands_that_need_none,
            overlapping_values,
            bad_handles,
            every_number_without_attributes,
            refused_commands,
            changing_arrays,
            no_descriptor_left,
        ],
    )
}
