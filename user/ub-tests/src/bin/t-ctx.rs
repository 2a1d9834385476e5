// SPDX-License-Identifier: GPL-2.0

//! Contexts: making them, what is refused, what is undone.

use std::os::fd::AsRawFd;
use std::process::ExitCode;

use ub_client::abi::*;
use ub_client::sys::{self, Mapping};
use ub_client::tlv::{Cmd, Place};
use ub_client::{
    Context, ContextOptions, Device, Doorbell, Eid, Jfc, JfcConfig, Jfce, Jfr, JfrConfig, Segment,
    SegmentConfig, Token,
};
use ub_tests::fixture::{count_fds, Side};
use ub_tests::{check, check_eq, check_errno, tests, Outcome};

fn device_and_file() -> Result<(Device, std::os::fd::OwnedFd), ub_tests::Failure> {
    let device = Device::first()?;
    let file = Context::open_bare(&device)?;
    Ok((device, file))
}

fn create_and_close() -> Outcome {
    let device = Device::first()?;
    let before = count_fds()?;
    let ctx = Context::open(&device)?;
    check_eq!(count_fds()?, before + 3);
    let resp = *ctx.resp();
    check_eq!(resp.abi_version, UBSOFT_ABI_VERSION);
    check_eq!(resp.page_size, 4096);
    check!(resp.max_inline >= 64 && resp.max_sge >= 1 && resp.sq_burst >= 1);
    check_eq!(resp.reserved, [0; 9]);
    check!(sys::is_cloexec(ctx.events().as_raw_fd())?);
    check!(sys::is_cloexec(ctx.doorbell_fd())?);
    check_eq!(ctx.events().poll_now()?, 0);
    drop(ctx);
    check_eq!(count_fds()?, before);
    Ok(())
}

fn once_per_file() -> Outcome {
    let ctx = Context::open_first()?;
    let before = count_fds()?;
    let mut again = Context::create_cmd(&ctx.eid(), 0);
    check_errno!(ctx.run(&mut again), EEXIST);
    check_eq!(count_fds()?, before);
    // The first one still works.
    Jfc::create(&ctx, 8)?;
    Ok(())
}

fn eid_must_fit_its_slot() -> Outcome {
    let (device, file) = device_and_file()?;
    let eid = device.eid(0)?;
    let mut other = eid;
    other.0[15] ^= 0x40;
    let count = device.number("max_eid_cnt")? as u32;
    let cases = [
        (other, 0),
        (Eid::default(), 0),
        (eid, 1),
        (eid, count),
        (eid, u32::MAX),
        (Eid::default(), count - 1),
    ];
    for (eid, index) in cases {
        let mut cmd = Context::create_cmd(&eid, index);
        check_errno!(cmd.run(file.as_raw_fd()), EINVAL | EPERM);
    }
    Context::create_cmd(&eid, 0).run(file.as_raw_fd())?;
    Ok(())
}

/// Runs a creation that must fail, and then one that must work, on the same file.
fn undone(spoil: impl Fn(&mut Cmd), errno: &[i32]) -> Outcome {
    let (device, file) = device_and_file()?;
    let eid = device.eid(0)?;
    let before = count_fds()?;
    let mut cmd = Context::create_cmd(&eid, 0);
    spoil(&mut cmd);
    let result = cmd.run(file.as_raw_fd());
    let seen = result.err().map(|err| err.errno());
    check!(
        seen.is_some_and(|seen| errno.contains(&seen)),
        "{seen:?} instead of {errno:?}"
    );
    check_eq!(count_fds()?, before, "descriptors after the failure");
    let mut good = Context::create_cmd(&eid, 0);
    good.run(file.as_raw_fd())?;
    check_eq!(count_fds()?, before + 2);
    Ok(())
}

fn bad_reply_address_undoes() -> Outcome {
    let read_only = Mapping::read_only(4096)?;
    for address in [8, read_only.addr(), 0xffff_8000_0000_0000] {
        undone(
            |cmd| cmd.attr_mut(UBURMA_CREATE_CTX_OUT_ASYNC_FD).place = Place::Address(address),
            &[libc::EFAULT],
        )?;
        undone(
            |cmd| cmd.attr_mut(UBURMA_CREATE_CTX_OUT_UDATA).place = Place::Address(address),
            &[libc::EFAULT],
        )?;
    }
    Ok(())
}

/// A udata structure of the test's own.
fn own_udata(out_addr: u64, out_len: u32) -> Mapping {
    let map = Mapping::anonymous(4096).expect("a page of memory");
    let data = uburma_udata {
        out_addr,
        out_len,
        ..Default::default()
    };
    map.write(0, sys::bytes_of(&data));
    map
}

fn driver_reply_must_be_writable() -> Outcome {
    let page = Mapping::read_only(4096)?;
    let cases = [
        (own_udata(0, 64), libc::EFAULT),
        (own_udata(8, 64), libc::EFAULT),
        (own_udata(page.addr(), 64), libc::EFAULT),
    ];
    for (udata, errno) in &cases {
        let addr = udata.addr();
        undone(
            |cmd| {
                cmd.attr_mut(UBURMA_CREATE_CTX_IN_UDATA).place = Place::Address(addr);
                cmd.attr_mut(UBURMA_CREATE_CTX_OUT_UDATA).place = Place::Address(addr);
            },
            &[*errno],
        )?;
    }
    Ok(())
}

fn commands_need_a_context() -> Outcome {
    let (device, file) = device_and_file()?;
    let fd = file.as_raw_fd();
    let ctx = Context::open(&device)?;
    let jfc = Jfc::create(&ctx, 8)?;
    let page = Mapping::anonymous(4096)?;
    let config = SegmentConfig::default();
    let cmds = [
        Token::alloc_cmd(0),
        Segment::register_cmd(page.addr(), 4096, None, config),
        Jfc::create_cmd(JfcConfig::default()),
        Jfr::create_cmd(JfrConfig::on(&jfc)),
        Cmd::new(UBURMA_CMD_CREATE_JFCE).out(UBURMA_CREATE_JFCE_OUT_FD, 4),
        Jfc::delete_cmd(jfc.handle()),
        Token::free_cmd(1, 1),
    ];
    for mut cmd in cmds {
        check_errno!(cmd.run(fd), EINVAL);
    }
    // These do not.
    Context::eid_list_on(fd, 4)?;
    ub_client::DevAttr::query(fd, &device)?;
    Ok(())
}

fn unknown_ioctls() -> Outcome {
    let ctx = Context::open_first()?;
    let jfce = Jfce::create(&ctx)?;
    let page = Mapping::anonymous(4096)?;
    let files = [
        (ctx.dev_fd(), IOC_CMD),
        (ctx.events().as_raw_fd(), IOC_EVENT),
        (jfce.as_raw_fd(), IOC_EVENT),
        (ctx.doorbell_fd(), IOC_SQ_KICK),
    ];
    for (fd, own) in files {
        for request in [
            IOC_CMD,
            IOC_EVENT,
            0x5401,
            0xc010_5502,
            0xc018_5501,
            0,
            u64::from(u32::MAX),
        ] {
            if request == own {
                continue;
            }
            let result = sys::ioctl(fd, request, page.addr());
            check_eq!(result, Err(libc::ENOTTY), "{request:#x} on {fd}");
        }
    }
    for request in [0xb500, 0xb505, 0xb5ff] {
        let result = sys::ioctl(ctx.doorbell_fd(), request, 0);
        check_eq!(result, Err(libc::ENOTTY), "{request:#x} on the doorbell");
    }
    Ok(())
}

fn doorbell_names_queues_of_its_context() -> Outcome {
    let a = Side::create(Default::default())?;
    let b = Side::create(Default::default())?;
    let foreign = [
        b.sent.ring().ring().resp().queue_ref,
        b.jfr.ring().ring().resp().queue_ref,
    ];
    let own = [
        a.sent.ring().ring().resp().queue_ref,
        a.jfr.ring().ring().resp().queue_ref,
    ];
    let requests = [IOC_SQ_KICK, IOC_RQ_KICK, IOC_CQ_ARM, IOC_CQ_ARM_SOLICITED];
    // Numbers that name nothing.
    for queue in [0, u32::MAX, 0x00ff_ffff, 0x7fff_fff0] {
        for request in requests {
            check_errno!(a.ctx.ring(request, queue, 0), EINVAL | ENOENT);
        }
    }
    // Queues of another kind.
    check_errno!(a.ctx.ring(IOC_SQ_KICK, own[0], 0), EINVAL | ENOENT);
    check_errno!(a.ctx.ring(IOC_SQ_KICK, own[1], 0), EINVAL | ENOENT);
    check_errno!(a.ctx.ring(IOC_RQ_KICK, own[0], 0), EINVAL | ENOENT);
    check_errno!(a.ctx.ring(IOC_CQ_ARM, own[1], 0), EINVAL | ENOENT);
    // Queues of another context, unless the number means one of ours too.
    for queue in foreign.into_iter().filter(|queue| !own.contains(queue)) {
        check!(
            a.ctx.ring(IOC_CQ_ARM, queue, 0).is_err(),
            "queue {queue:#x}"
        );
    }
    a.ctx.ring(IOC_RQ_KICK, own[1], 0)?;
    Ok(())
}

fn doorbell_without_its_file() -> Outcome {
    let options = ContextOptions {
        doorbell: Doorbell::UserCtl,
        ..Default::default()
    };
    let ctx = Context::open_with(&Device::first()?, options)?;
    let mut side = Side::create_in(ctx, Default::default())?;
    let peer = Side::create(Default::default())?;
    let target = side.import(&peer)?;
    side.memory.write(0, b"by another door");
    let list = [side.memory.sge(0, 15)];
    let wr = ub_client::SendWr::write(target.target_ref(), peer.memory.remote(100), &list);
    side.expect(&wr, UBURMA_CR_SUCCESS)?;
    check_eq!(peer.memory.bytes(100, 15), b"by another door");
    Ok(())
}

fn private_control_calls_are_checked() -> Outcome {
    let ctx = Context::open_first()?;
    let good = ubsoft_ctl_ring {
        cmd: IOC_SQ_KICK as u32,
        ..Default::default()
    };
    for opcode in [0, 2, 77, u32::MAX] {
        check_errno!(
            ctx.user_ctl(opcode, sys::bytes_of(&good)),
            EINVAL | EOPNOTSUPP
        );
    }
    // Too short, unknown command, reserved word, no queue.
    check_errno!(ctx.user_ctl(UBSOFT_CTL_RING, &[0; 15]), EINVAL);
    let bad = ubsoft_ctl_ring { cmd: 5, ..good };
    check_errno!(
        ctx.user_ctl(UBSOFT_CTL_RING, sys::bytes_of(&bad)),
        EINVAL | ENOTTY
    );
    let bad = ubsoft_ctl_ring {
        reserved: 1,
        ..good
    };
    check_errno!(ctx.user_ctl(UBSOFT_CTL_RING, sys::bytes_of(&bad)), EINVAL);
    check_errno!(
        ctx.user_ctl(UBSOFT_CTL_RING, sys::bytes_of(&good)),
        EINVAL | ENOENT
    );
    Ok(())
}

fn device_file_is_no_stream() -> Outcome {
    let ctx = Context::open_first()?;
    let mut buffer = [0; 8];
    for fd in [ctx.dev_fd(), ctx.events().as_raw_fd(), ctx.doorbell_fd()] {
        check_errno!(sys::read_fd(fd, &mut buffer), EINVAL);
        check_errno!(sys::write_fd(fd, &buffer), EINVAL);
    }
    Ok(())
}

fn many_contexts() -> Outcome {
    let device = Device::first()?;
    let before = count_fds()?;
    let mut list = Vec::new();
    for _ in 0..64 {
        let ctx = Context::open(&device)?;
        let jfc = Jfc::create(&ctx, 4)?;
        list.push((ctx, jfc));
    }
    // Every second one goes, the others go on working.
    let mut i = 0;
    list.retain(|_| {
        i += 1;
        i % 2 == 0
    });
    for (ctx, _) in &list {
        Jfc::create(ctx, 4)?;
    }
    drop(list);
    check_eq!(count_fds()?, before);
    Ok(())
}

fn handles_are_of_their_file() -> Outcome {
    let a = Context::open_first()?;
    let b = Context::open_first()?;
    let mut of_a: Vec<Jfc> = Vec::new();
    for _ in 0..3 {
        of_a.push(Jfc::create(&a, 4)?);
    }
    for jfc in &of_a {
        check_errno!(b.run(&mut Jfc::delete_cmd(jfc.handle())), EINVAL);
    }
    for handle in [0, 1 << 31, 1 << 32, u64::MAX, of_a[0].handle() | 1 << 32] {
        check_errno!(a.run(&mut Jfc::delete_cmd(handle)), EINVAL);
    }
    Ok(())
}

pub fn main() -> ExitCode {
    ub_tests::run(
        "t-ctx",
        tests![
            create_and_close,
            once_per_file,
            eid_must_fit_its_slot,
            bad_reply_address_undoes,
            driver_reply_must_be_writable,
            commands_need_a_context,
            unknown_ioctls,
            doorbell_names_queues_of_its_context,
            doorbell_without_its_file,
            private_control_calls_are_checked,
            device_file_is_no_stream,
            many_contexts,
            handles_are_of_their_file,
        ],
    )
}
