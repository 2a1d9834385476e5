// SPDX-License-Identifier: GPL-2.0

//! Commands by the 32-bit system call, as a 32-bit process issues them.

use std::os::fd::{AsRawFd, RawFd};
use std::process::ExitCode;
use std::sync::atomic::Ordering;

use ub_client::abi::*;
use ub_client::sys::{ioctl_compat, CompatProbe, LowMemory};
use ub_client::tlv::Cmd;
use ub_client::{
    AsyncEvents, Context, DevAttr, Device, Jetty, JettyConfig, Jfc, JfcConfig, Jfce, SendWr,
};
use ub_tests::fixture::Pair;
use ub_tests::{check, check_eq, check_errno, skip, tests, Failure, Outcome};

fn low() -> Result<LowMemory, Failure> {
    if CompatProbe::run() != CompatProbe::Works {
        skip!("the kernel takes no 32-bit system calls");
    }
    let memory = LowMemory::new(64 << 10)?;
    if memory.addr() + (64 << 10) > 1 << 31 {
        return Err(Failure::Fail(
            "memory for 32-bit calls lies too high".to_string(),
        ));
    }
    Ok(memory)
}

fn run(cmd: &mut Cmd, fd: RawFd, low: &LowMemory) -> ub_client::Result<()> {
    cmd.run_compat(fd, IOC_CMD, low)
}

fn context_and_queries() -> Outcome {
    let low = low()?;
    let device = Device::first()?;
    let file = Context::open_bare(&device)?;
    let fd = file.as_raw_fd();
    let mut query = DevAttr::cmd(&device.name);
    run(&mut query, fd, &low)?;
    check_eq!(
        u64::from(query.get_u32(UBURMA_QUERY_DEVICE_OUT_DEV_CAP_MAX_JFC_DEPTH)),
        device.number("max_jfc_depth")?
    );
    check_errno!(
        run(&mut Jfc::create_cmd(JfcConfig::default()), fd, &low),
        EINVAL
    );
    let mut create = Context::create_cmd(&device.eid(0)?, 0);
    run(&mut create, fd, &low)?;
    check!(create.get_i32(UBURMA_CREATE_CTX_OUT_ASYNC_FD) >= 0);
    let resp: ubsoft_ctx_resp = create.udata_reply(UBURMA_CREATE_CTX_IN_UDATA)?;
    check_eq!(resp.abi_version, UBSOFT_ABI_VERSION);
    check_errno!(run(&mut create, fd, &low), EEXIST);
    Ok(())
}

fn objects() -> Outcome {
    let low = low()?;
    let pair = Pair::create()?;
    let fd = pair.a.ctx.dev_fd();
    let mut jfc = Jfc::create_cmd(JfcConfig::default());
    run(&mut jfc, fd, &low)?;
    let handle = jfc.get_u64(UBURMA_CREATE_JFC_OUT_HANDLE);
    run(&mut Jfc::delete_cmd(handle), fd, &low)?;
    check_errno!(run(&mut Jfc::delete_cmd(handle), fd, &low), EINVAL);
    let config = JettyConfig::on(&pair.a.sent, &pair.a.received, &pair.a.jfr);
    let mut jetty = Jetty::create_cmd(config);
    run(&mut jetty, fd, &low)?;
    let handle = jetty.get_u64(UBURMA_CREATE_JETTY_OUT_HANDLE);
    run(&mut Jetty::delete_cmd(handle), fd, &low)?;
    Ok(())
}

/// The argument of the doorbell is the address of its 64 bits.
fn doorbell() -> Outcome {
    let low = low()?;
    let mut pair = Pair::create()?;
    let bell = pair.a.ctx.doorbell_fd();
    let jfce = Jfce::create(&pair.a.ctx)?;
    let mut jfc = Jfc::create_on(&pair.a.ctx, 16, &jfce, 5)?;
    let at = low.addr() as u32 + 256;
    low.store64(
        256,
        u64::from(jfc.ring().ring().resp().queue_ref),
        Ordering::SeqCst,
    );
    check_eq!(ioctl_compat(bell, IOC_CQ_ARM as u32, at), Ok(0));
    // Entries that nobody can have read: the event comes at once.
    let queue = u64::from(jfc.ring().ring().resp().queue_ref);
    low.store64(256, queue | (1 << 32), Ordering::SeqCst);
    check_eq!(ioctl_compat(bell, IOC_CQ_ARM as u32, at), Ok(0));
    let _ = jfce.wait(1, 0);
    jfc.destroy()?;

    pair.a.memory.write(0, b"thirty-two");
    let list = [pair.a.memory.sge(0, 10)];
    let wr = SendWr::write(pair.to_b(), pair.b.memory.remote(0), &list);
    pair.a.jetty.queue().post(&wr)?;
    let queue = pair.a.jetty.queue().ring().ring().resp().queue_ref;
    low.store64(256, u64::from(queue), Ordering::SeqCst);
    check_eq!(ioctl_compat(bell, IOC_SQ_KICK as u32, at), Ok(0));
    pair.a.wait_sent()?;
    check_eq!(pair.b.memory.bytes(0, 10), b"thirty-two");
    for bad in [0, 8, 0xffff_fff0] {
        let seen = ioctl_compat(bell, IOC_SQ_KICK as u32, bad);
        check_eq!(seen, Err(libc::EFAULT), "argument at {bad:#x}");
    }
    low.store64(256, 0, Ordering::SeqCst);
    check!(matches!(
        ioctl_compat(bell, IOC_SQ_KICK as u32, at),
        Err(libc::EINVAL | libc::ENOENT)
    ));
    check_eq!(ioctl_compat(bell, 0xb505, at), Err(libc::ENOTTY));
    Ok(())
}

fn events() -> Outcome {
    let low = low()?;
    let ctx = Context::open_first()?;
    let jfce = Jfce::create(&ctx)?;
    let mut wait = Jfce::wait_cmd(1, 0);
    check_errno!(wait.run_compat(jfce.as_raw_fd(), IOC_EVENT, &low), EAGAIN);
    let mut get = AsyncEvents::get_cmd();
    check_errno!(get.run_compat(jfce.as_raw_fd(), IOC_EVENT, &low), EINVAL);
    check_errno!(get.run_compat(jfce.as_raw_fd(), IOC_CMD, &low), ENOTTY);
    Ok(())
}

fn bad_headers() -> Outcome {
    let low = low()?;
    let ctx = Context::open_first()?;
    for addr in [0, 8, 0xffff_fff0, 0xffff_ffff] {
        let seen = ioctl_compat(ctx.dev_fd(), IOC_CMD as u32, addr);
        check_eq!(seen, Err(libc::EFAULT), "header at {addr:#x}");
    }
    check_eq!(
        ioctl_compat(ctx.dev_fd(), 0xc010_5502, low.addr() as u32),
        Err(libc::ENOTTY)
    );
    let mut cmd = Cmd::new(UBURMA_CMD_CREATE_JFCE).out(UBURMA_CREATE_JFCE_OUT_FD, 4);
    cmd.set_args_len(17);
    check_errno!(run(&mut cmd, ctx.dev_fd(), &low), EINVAL);
    Ok(())
}

pub fn main() -> ExitCode {
    ub_tests::run(
        "t-compat32",
        tests![context_and_queries, objects, doorbell, events, bad_headers],
    )
}
