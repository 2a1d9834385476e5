// SPDX-License-Identifier: GPL-2.0

//! Commands that do not exist, handles that mean nothing, arrays that change.

use std::os::fd::AsRawFd;
use std::process::ExitCode;

use ub_client::abi::*;
use ub_client::sys::{self, Mapping};
use ub_client::tlv::{Cmd, Place};
use ub_client::{Context, Jetty, Jfc, Jfr, Jfs, JfsConfig, Segment, Target, Token};
use ub_tests::fixture::Pair;
use ub_tests::samples::Undo;
use ub_tests::{check, check_eq, check_errno, tests, Outcome};

/// Every known command needs some attribute, but for these.
const TAKE_NOTHING: [u32; 4] = [
    UBURMA_CMD_CREATE_CTX,
    UBURMA_CMD_CREATE_JFCE,
    UBURMA_CMD_CREATE_NOTIFIER,
    UBURMA_CMD_GET_SMAC,
];

/// Known commands that are not offered, and how they are refused.
const REFUSED: &[(std::ops::RangeInclusive<u32>, i32)] = &[(
    UBURMA_CMD_ADVISE_JFR..=UBURMA_CMD_UNADVISE_JETTY,
    libc::EINVAL,
)];

fn refusal(command: u32) -> Option<i32> {
    REFUSED
        .iter()
        .find(|(range, _)| range.contains(&command))
        .map(|(_, errno)| *errno)
}

/// All commands with handles that mean nothing, or not the right thing.
fn bad_handles() -> Outcome {
    let pair = Pair::create()?;
    let a = &pair.a;
    let commands: [(&str, u64, Undo); 13] = [
        ("DELETE_JFC", a.sent.handle(), Jfc::delete_cmd),
        ("DELETE_JFR", a.jfr.handle(), Jfr::delete_cmd),
        ("QUERY_JFR", a.jfr.handle(), Jfr::query_cmd),
        ("MODIFY_JFR", a.jfr.handle(), |handle| {
            Jfr::modify_cmd(handle, 0, 0, 0)
        }),
        ("DELETE_JFS", 0, Jfs::delete_cmd),
        ("QUERY_JFS", 0, Jfs::query_cmd),
        ("MODIFY_JFS", 0, |handle| Jfs::modify_cmd(handle, 0, 0)),
        ("DELETE_JETTY", a.jetty.handle(), Jetty::delete_cmd),
        ("QUERY_JETTY", a.jetty.handle(), Jetty::query_cmd),
        ("MODIFY_JETTY", a.jetty.handle(), |handle| {
            Jetty::modify_cmd(handle, 0, 0, 0)
        }),
        ("UNREGISTER_SEG", a.memory.handle(), Segment::unregister_cmd),
        (
            "UNIMPORT_JETTY",
            pair.ab.handle(),
            Target::unimport_jetty_cmd,
        ),
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
        let strange = [
            0,
            0x7fff_ffff,
            0x8000_0000,
            1 << 32,
            u64::MAX,
            i64::MIN as u64,
        ];
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
                seed = seed
                    .wrapping_mul(6364136223846793005)
                    .wrapping_add(1442695040888963407);
                let word = (seed >> 33) as usize % 10;
                // An address goes out of reach, never elsewhere in this process: the kernel
                // would rightly write its reply there.
                let bit = match word % 2 {
                    0 => seed % 64,
                    _ => 47 + seed % 17,
                };
                page.store64(word * 8, good[word] ^ (1 << bit), Relaxed);
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

fn unknown_commands() -> Outcome {
    let ctx = Context::open_first()?;
    for command in [
        0,
        86,
        87,
        127,
        128,
        255,
        256,
        0x101,
        1 << 16,
        1 << 31,
        u32::MAX,
    ] {
        let mut cmd = Cmd::new(command).u64(0, 1).out(0x80, 8);
        check_errno!(ctx.run(&mut cmd), EINVAL);
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

pub fn main() -> ExitCode {
    ub_tests::run(
        "t-tlv-commands",
        tests![
            unknown_commands,
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
