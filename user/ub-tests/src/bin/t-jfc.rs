// SPDX-License-Identifier: GPL-2.0

//! Completion queues.

use std::os::fd::AsRawFd;
use std::process::ExitCode;

use ub_client::abi::*;
use ub_client::sys::{self, Mapping};
use ub_client::tlv::Place;
use ub_client::{Context, Jfc, JfcConfig, Jfce, Jfr, JfrConfig, Jfs, JfsConfig, Token};
use ub_tests::{check, check_eq, check_errno, tests, Outcome};

fn depths() -> Outcome {
    let ctx = Context::open_first()?;
    let max = ctx.device().number("max_jfc_depth")? as u32;
    for depth in [1, 2, 3, 63, 64, 65, 1000, max] {
        let jfc = Jfc::create(&ctx, depth)?;
        check!(jfc.depth() >= depth, "depth {} for {depth}", jfc.depth());
        let resp = jfc.ring().ring().resp();
        check!(resp.entries >= depth && resp.entries.is_power_of_two());
        check_eq!(resp.stride, 64);
        check_eq!(resp.max_sge, 0);
        check_eq!(resp.entries_off % 64, 0);
        check_eq!(jfc.ring().ring().user_idx(), 0);
        check_eq!(jfc.ring().ring().kern_flags(), 0);
    }
    for depth in [0, max + 1, u32::MAX, 1 << 31] {
        check_errno!(Jfc::create(&ctx, depth), EINVAL);
    }
    Ok(())
}

fn fresh_rings_are_empty() -> Outcome {
    let ctx = Context::open_first()?;
    let mut jfc = Jfc::create(&ctx, 128)?;
    check!(jfc.poll().is_none());
    let ring = jfc.ring().ring();
    let off = ring.resp().entries_off as usize;
    let bytes = ring.mapping().bytes(off, 128 * 64);
    check!(
        bytes.iter().all(|byte| *byte == 0),
        "a new ring is not zeroed"
    );
    Ok(())
}

fn ids_and_handles() -> Outcome {
    let ctx = Context::open_first()?;
    let first = Jfc::create(&ctx, 4)?;
    let second = Jfc::create(&ctx, 4)?;
    check!(first.handle() != second.handle() && first.handle() != 0);
    check!(first.id() != second.id());
    let handle = first.handle();
    drop(first);
    let third = Jfc::create(&ctx, 4)?;
    check!(third.handle() != handle, "a handle was used again at once");
    Ok(())
}

fn event_channels() -> Outcome {
    let ctx = Context::open_first()?;
    let other = Context::open_first()?;
    let jfce = Jfce::create(&ctx)?;
    let foreign = Jfce::create(&other)?;
    let plain = sys::eventfd()?;
    check!(sys::is_cloexec(jfce.as_raw_fd())?);
    Jfc::create_on(&ctx, 4, &jfce, 1)?;
    let on = |fd: i32| {
        let config = JfcConfig {
            jfce_fd: fd,
            ..Default::default()
        };
        Jfc::create_with(&ctx, config)
    };
    check_errno!(on(foreign.as_raw_fd()), EINVAL);
    check_errno!(on(plain.as_raw_fd()), EINVAL);
    check_errno!(on(ctx.dev_fd()), EINVAL);
    check_errno!(on(ctx.events().as_raw_fd()), EINVAL);
    check_errno!(on(-2), EINVAL | EBADF);
    check_errno!(on(9999), EINVAL | EBADF);
    on(UBURMA_NO_JFCE_FD)?;
    Ok(())
}

fn event_queue_number() -> Outcome {
    let ctx = Context::open_first()?;
    let count = ctx.device().number("ceq_cnt")? as u32;
    let with = |ceqn| {
        let config = JfcConfig {
            ceqn,
            ..Default::default()
        };
        Jfc::create_with(&ctx, config)
    };
    with(count - 1)?;
    check_errno!(with(count), EINVAL);
    check_errno!(with(u32::MAX), EINVAL);
    Ok(())
}

fn channel_outlives_its_creator_fd() -> Outcome {
    let ctx = Context::open_first()?;
    let jfce = Jfce::create(&ctx)?;
    let mut jfc = Jfc::create_on(&ctx, 4, &jfce, 7)?;
    drop(jfce);
    jfc.arm(false)?;
    check!(jfc.poll().is_none());
    jfc.destroy()?;
    Ok(())
}

fn busy_while_used() -> Outcome {
    let ctx = Context::open_first()?;
    let mut jfc = Jfc::create(&ctx, 16)?;
    let mut jfs = Jfs::create(&ctx, JfsConfig::on(&jfc))?;
    check_errno!(jfc.destroy(), EBUSY);
    let mut jfr = Jfr::create(&ctx, JfrConfig::on(&jfc))?;
    jfs.destroy()?;
    check_errno!(jfc.destroy(), EBUSY);
    jfr.destroy()?;
    let counters = jfc.destroy()?;
    check_eq!((counters.completion, counters.asynchronous), (0, 0));
    check_errno!(jfc.destroy(), EINVAL);
    Ok(())
}

fn moderation() -> Outcome {
    let ctx = Context::open_first()?;
    let jfc = Jfc::create(&ctx, 16)?;
    jfc.modify(0, 0, 0)?;
    for mask in [4, 8, u32::MAX] {
        check_errno!(jfc.modify(mask, 1, 1), EINVAL);
    }
    // What it does is the matter of t-moderation.
    for mask in 1..4 {
        jfc.modify(mask, 4, 10)?;
    }
    Ok(())
}

fn wrong_class_of_handle() -> Outcome {
    let ctx = Context::open_first()?;
    let token = Token::alloc(&ctx)?;
    let jfc = Jfc::create(&ctx, 16)?;
    let jfr = Jfr::create(&ctx, JfrConfig::on(&jfc))?;
    for handle in [token.handle(), jfr.handle(), 0, u64::MAX] {
        check_errno!(ctx.run(&mut Jfc::delete_cmd(handle)), EINVAL);
    }
    Ok(())
}

/// A reply that cannot be delivered leaves nothing behind; the wide test is the count
/// at the end of the program.
fn lost_reply_undoes() -> Outcome {
    let ctx = Context::open_first()?;
    let page = Mapping::read_only(4096)?;
    for id in [
        UBURMA_CREATE_JFC_OUT_ID,
        UBURMA_CREATE_JFC_OUT_DEPTH,
        UBURMA_CREATE_JFC_OUT_HANDLE,
        UBURMA_CREATE_JFC_OUT_UDATA,
    ] {
        let mut cmd = Jfc::create_cmd(JfcConfig::default());
        cmd.attr_mut(id).place = Place::Address(page.addr());
        check_errno!(ctx.run(&mut cmd), EFAULT);
    }
    Ok(())
}

/// A udata whose reply cannot be written.
fn lost_driver_reply_undoes() -> Outcome {
    let ctx = Context::open_first()?;
    let page = Mapping::anonymous(4096)?;
    let read_only = Mapping::read_only(4096)?;
    for out_addr in [8, 0, read_only.addr(), u64::MAX - 8] {
        let data = uburma_udata {
            out_addr,
            out_len: 64,
            ..Default::default()
        };
        page.write(0, sys::bytes_of(&data));
        let mut cmd = Jfc::create_cmd(JfcConfig::default());
        cmd.attr_mut(UBURMA_CREATE_JFC_IN_UDATA).place = Place::Address(page.addr());
        cmd.attr_mut(UBURMA_CREATE_JFC_OUT_UDATA).place = Place::Address(page.addr());
        let seen = ctx.run(&mut cmd).err().map(|err| err.errno());
        check_eq!(seen, Some(libc::EFAULT), "reply at {out_addr:#x}");
    }
    Ok(())
}

fn driver_request_is_checked() -> Outcome {
    let ctx = Context::open_first()?;
    let with = |request: &[u8]| {
        let mut cmd = Jfc::create_cmd(JfcConfig::default())
            .without(UBURMA_CREATE_JFC_IN_UDATA)
            .without(UBURMA_CREATE_JFC_OUT_UDATA)
            .udata(UBURMA_CREATE_JFC_IN_UDATA, None, request, 64);
        ctx.run(&mut cmd)?;
        ctx.run(&mut Jfc::delete_cmd(
            cmd.get_u64(UBURMA_CREATE_JFC_OUT_HANDLE),
        ))
    };
    let good = ubsoft_queue_req::default();
    with(sys::bytes_of(&good))?;
    // Absent is the same as zeros.
    with(&[])?;
    let flags = ubsoft_queue_req { flags: 1, ..good };
    check_errno!(with(sys::bytes_of(&flags)), EINVAL);
    // Only send queues are polled.
    let idle = ubsoft_queue_req {
        poll_idle: 1,
        ..good
    };
    check_errno!(with(sys::bytes_of(&idle)), EINVAL);
    let reserved = ubsoft_queue_req {
        reserved: [0, 0, 0, 1],
        ..good
    };
    check_errno!(with(sys::bytes_of(&reserved)), EINVAL);
    // What is missing of it counts as zero.
    with(&[0; 12])?;
    Ok(())
}

fn hundreds_at_once() -> Outcome {
    let ctx = Context::open_first()?;
    let mut list = Vec::new();
    for _ in 0..512 {
        list.push(Jfc::create(&ctx, 1)?);
    }
    let mut ids: Vec<u32> = list.iter().map(Jfc::id).collect();
    ids.sort_unstable();
    ids.dedup();
    check_eq!(ids.len(), 512);
    Ok(())
}

pub fn main() -> ExitCode {
    ub_tests::run(
        "t-jfc",
        tests![
            depths,
            fresh_rings_are_empty,
            ids_and_handles,
            event_channels,
            event_queue_number,
            channel_outlives_its_creator_fd,
            busy_while_used,
            moderation,
            wrong_class_of_handle,
            lost_reply_undoes,
            lost_driver_reply_undoes,
            driver_request_is_checked,
            hundreds_at_once,
        ],
    )
}
