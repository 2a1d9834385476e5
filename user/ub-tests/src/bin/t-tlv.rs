// SPDX-License-Identifier: GPL-2.0

//! The framing of commands: everything that can be wrong with it.

use std::process::ExitCode;

use ub_client::abi::*;
use ub_client::sys::{self, Mapping};
use ub_client::tlv::{el_info, Attr, Place};
use ub_client::{Context, DevAttr, Jfc, JfcConfig, Token};
use ub_tests::fixture::Pair;
use ub_tests::samples::{inputs, must_fail, must_work, outputs, samples};
use ub_tests::{check, check_eq, check_errno, tests, Outcome};

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
    for len in [
        0,
        1,
        15,
        17,
        79,
        81,
        2033,
        2048,
        25_600,
        25_601,
        1 << 20,
        u32::MAX,
        u32::MAX - 15,
    ] {
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
        cmd.attr_mut(UBURMA_QUERY_DEVICE_OUT_PORT_ATTR_STATE)
            .el_info = info;
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
    ctx.run(&mut Jfc::delete_cmd(
        cmd.get_u64(UBURMA_CREATE_JFC_OUT_HANDLE),
    ))?;
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
            check!(
                inside || *byte == 0x77,
                "{}: byte {i} was written",
                sample.name
            );
        }
    }
    Ok(())
}

pub fn main() -> ExitCode {
    ub_tests::run(
        "t-tlv",
        tests![
            samples_work_as_they_are,
            header_lengths,
            header_address,
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
        ],
    )
}
