// SPDX-License-Identifier: GPL-2.0

//! Making and unmaking objects.

use std::ffi::CString;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::sync::atomic::Ordering;

use ub_client::abi::*;
use ub_client::sys::Mapping;
use ub_client::{
    Context, Device, Error, Jetty, JettyConfig, Jfc, JfcConfig, Jfr, JfrConfig, Result, Segment,
    SegmentConfig, Target, TargetConfig, Token, Window,
};

use crate::measure::Report;
use crate::memory::{large, LARGE, LARGE_ROWS};
use crate::raw::Raw;

/// Opens a device file, makes a context, and closes it all.
fn contexts(report: &mut Report, device: &Device, ctx: &Context) -> Result<()> {
    let node = CString::new(device.node().to_string_lossy().as_bytes())
        .map_err(|_| Error::BadReply("name of a node".to_string()))?;
    let create = Raw::new(Context::create_cmd(&ctx.eid(), 0), UBURMA_CMD_CREATE_CTX);
    let async_fd = create.place(UBURMA_CREATE_CTX_OUT_ASYNC_FD) as *const i32;
    let udata = create.place(UBURMA_CREATE_CTX_IN_UDATA) as *const uburma_udata;
    // SAFETY: values of the command, which stay as long as it.
    let reply = unsafe { (*udata).out_addr } as *const ubsoft_ctx_resp;
    let own = |fd: i32| {
        // SAFETY: a descriptor that the kernel has just made for us.
        (fd >= 0).then(|| unsafe { OwnedFd::from_raw_fd(fd) })
    };
    report.measure("context", 50, || {
        // SAFETY: a string that ends in a zero byte.
        let fd = unsafe { libc::open(node.as_ptr(), libc::O_RDWR | libc::O_CLOEXEC) };
        let file = own(fd).ok_or_else(|| Error::sys("open", libc::ENODEV))?;
        create.run(file.as_raw_fd())?;
        // SAFETY: as above; the kernel has written both.
        let fds = unsafe {
            [
                (&raw const (*reply).doorbell_fd).read_volatile(),
                async_fd.read_volatile(),
            ]
        };
        drop(fds.map(own));
        Ok(())
    })
}

/// Registers and unregisters memory, under a token id that stays.
fn segments(report: &mut Report, ctx: &Context) -> Result<()> {
    let token = Token::alloc(ctx)?;
    let name = Some((token.id(), token.handle()));
    let mut measure = |row: &str, count: u32, memory: &Mapping, len: usize| {
        let config = SegmentConfig::default();
        let register = Raw::new(
            Segment::register_cmd(memory.addr(), len as u64, name, config),
            UBURMA_CMD_REGISTER_SEG,
        );
        let unregister = register.undo(
            Segment::unregister_cmd(0),
            UBURMA_CMD_UNREGISTER_SEG,
            UBURMA_REGISTER_SEG_OUT_HANDLE,
            UBURMA_UNREGISTER_SEG_IN_HANDLE,
        );
        report.measure(row, count, || {
            register.run(ctx.dev_fd())?;
            unregister.run(ctx.dev_fd())
        })
    };
    for (row, len) in [("seg_4k", 4096), ("seg_1m", 1 << 20)] {
        let memory = Mapping::anonymous(len)?;
        memory.fill(0, len, 1);
        measure(row, 50, &memory, len)?;
    }
    for (row, huge) in LARGE_ROWS {
        measure(row, 4, &large(huge)?, LARGE)?;
    }
    Ok(())
}

/// Imports a page for mapping, maps and touches it, and undoes it all.
fn windows(report: &mut Report, ctx: &Context) -> Result<()> {
    let config = SegmentConfig {
        lend: true,
        ..Default::default()
    };
    let segment = Segment::alloc_with(ctx, 4096, config)?;
    report.measure("window", 50, || {
        let window = Window::open(ctx, ctx.eid(), segment.remote(0), 4096, UBURMA_ACCESS_READ)?;
        let map = window.map(false)?;
        std::hint::black_box(map.load64(0, Ordering::Relaxed));
        Ok(())
    })
}

pub fn run(report: &mut Report) -> Result<()> {
    let device = Device::first()?;
    // Another one stays open: the first of a process pays for more.
    let ctx = Context::open(&device)?;
    contexts(report, &device, &ctx)?;
    let fd = ctx.dev_fd();

    let config = JfcConfig {
        depth: 64,
        ..JfcConfig::default()
    };
    let create = Raw::new(Jfc::create_cmd(config), UBURMA_CMD_CREATE_JFC);
    let delete = create.undo(
        Jfc::delete_cmd(0),
        UBURMA_CMD_DELETE_JFC,
        UBURMA_CREATE_JFC_OUT_HANDLE,
        UBURMA_DELETE_JFC_IN_HANDLE,
    );
    report.measure("jfc", 50, || {
        create.run(fd)?;
        delete.run(fd)
    })?;
    let jfc = Jfc::create(&ctx, 64)?;
    report.measure("jfr", 50, || {
        Jfr::create(&ctx, JfrConfig::on(&jfc)).map(drop)
    })?;
    let jfr = Jfr::create(
        &ctx,
        JfrConfig {
            token: 3,
            ..JfrConfig::on(&jfc)
        },
    )?;
    let config = JettyConfig::on(&jfc, &jfc, &jfr);
    let create = Raw::new(Jetty::create_cmd(config), UBURMA_CMD_CREATE_JETTY);
    let delete = create.undo(
        Jetty::delete_cmd(0),
        UBURMA_CMD_DELETE_JETTY,
        UBURMA_CREATE_JETTY_OUT_HANDLE,
        UBURMA_DELETE_JETTY_IN_HANDLE,
    );
    report.measure("jetty", 50, || {
        create.run(fd)?;
        delete.run(fd)
    })?;
    let jetty = Jetty::create(&ctx, config)?;
    let target = TargetConfig::jetty(ctx.eid(), jetty.id(), 3);
    report.measure("import", 50, || Target::jetty(&ctx, target).map(drop))?;
    segments(report, &ctx)?;
    windows(report, &ctx)
}
