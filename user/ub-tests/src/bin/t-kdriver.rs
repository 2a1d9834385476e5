// SPDX-License-Identifier: GPL-2.0

//! A driver in C: the device of ub_test_driver.ko, used from user space. It has few operations, some
//! of which fail on demand.

use std::fs;
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::path::Path;
use std::process::ExitCode;
use std::sync::atomic::Ordering;

use ub_client::abi::*;
use ub_client::sys::{self, Exit, Fork, MapFlags, Mapping};
use ub_client::tlv::Cmd;
use ub_client::{
    Context, DevAttr, Device, Jetty, JettyConfig, Jfc, JfcConfig, Jfr, JfrConfig, Jfs, JfsConfig,
    Segment, SegmentConfig, Target, TargetConfig, Token,
};
use ub_tests::modules::{self, Module};
use ub_tests::{check, check_eq, check_errno, tests, Failure, Options, Outcome};

const MODULE: &str = "ub_test_driver";
const DEVICE: &str = "ubtestdrv";
const FAIL: &str = "/sys/kernel/debug/ub_test_driver/fail";
const PAGE: usize = 4096;

/// The private commands of the driver.
const CTL_SUM: u32 = 1;
const CTL_FILL: u32 = 2;
const CTL_PAGES: u32 = 3;

/// How the driver's page is mapped.
const READ: MapFlags = MapFlags {
    exec: false,
    write: false,
    private: false,
};

/// Has the next call of an operation fail.
fn fail_next(op: &str) -> Outcome {
    Ok(fs::write(FAIL, op)?)
}

/// It did.
fn has_failed() -> Outcome {
    check_eq!(fs::read_to_string(FAIL)?, "");
    Ok(())
}

/// An open file with a context, and its event file.
struct Ctx {
    file: OwnedFd,
    _events: OwnedFd,
}

impl Ctx {
    fn open() -> Result<Self, Failure> {
        let device = Device::named(DEVICE)?;
        let file = Context::open_bare(&device)?;
        let mut cmd = Context::create_cmd(&device.eid(0)?, 0);
        cmd.run(file.as_raw_fd())?;
        let events = sys::adopt_fd(cmd.get_i32(UBURMA_CREATE_CTX_OUT_ASYNC_FD))?;
        Ok(Ctx {
            file,
            _events: events,
        })
    }

    fn fd(&self) -> RawFd {
        self.file.as_raw_fd()
    }

    fn jfc(&self) -> Result<u64, Failure> {
        let mut cmd = Jfc::create_cmd(JfcConfig {
            depth: 16,
            ..Default::default()
        });
        cmd.run(self.fd())?;
        check_depth(cmd.get_u32(UBURMA_CREATE_JFC_OUT_DEPTH))?;
        Ok(cmd.get_u64(UBURMA_CREATE_JFC_OUT_HANDLE))
    }

    fn jfr(&self, jfc: u64) -> ub_client::Result<(u64, u32)> {
        let mut cmd = Jfr::create_cmd(jfr_config(jfc));
        cmd.run(self.fd())?;
        Ok((
            cmd.get_u64(UBURMA_CREATE_JFR_OUT_HANDLE),
            cmd.get_u32(UBURMA_CREATE_JFR_OUT_ID),
        ))
    }

    fn token(&self) -> Result<(u32, u64), Failure> {
        let mut cmd = Token::alloc_cmd(0);
        cmd.run(self.fd())?;
        Ok((
            cmd.get_u32(UBURMA_ALLOC_TOKEN_ID_OUT_TOKEN_ID),
            cmd.get_u64(UBURMA_ALLOC_TOKEN_ID_OUT_HANDLE),
        ))
    }

    fn segment(
        &self,
        va: u64,
        len: usize,
        token: (u32, u64),
        access: u32,
    ) -> ub_client::Result<u64> {
        let config = SegmentConfig {
            access,
            ..Default::default()
        };
        let mut cmd = Segment::register_cmd(va, len as u64, Some(token), config);
        cmd.run(self.fd())?;
        Ok(cmd.get_u64(UBURMA_REGISTER_SEG_OUT_HANDLE))
    }

    fn control(&self, opcode: u32, token_id: u32, value: u32) -> ub_client::Result<u64> {
        let input = [token_id.to_ne_bytes(), value.to_ne_bytes()].concat();
        let reply = Mapping::anonymous(PAGE)?;
        Cmd::new(UBURMA_CMD_USER_CTL)
            .u64(UBURMA_USER_CTL_IN_IN_ADDR, input.as_ptr() as u64)
            .u32(UBURMA_USER_CTL_IN_IN_LEN, input.len() as u32)
            .u32(UBURMA_USER_CTL_IN_OPCODE, opcode)
            .u64(UBURMA_USER_CTL_IN_OUT_ADDR, reply.addr())
            .u32(UBURMA_USER_CTL_IN_OUT_LEN, 8)
            .udata(UBURMA_USER_CTL_IN_UDATA, None, &[], 0)
            .run(self.fd())?;
        Ok(reply.load64(0, Ordering::Relaxed))
    }
}

fn check_depth(depth: u32) -> Outcome {
    // What the driver says it has, not what was asked for.
    check_eq!(depth, 128);
    Ok(())
}

fn jfr_config(jfc: u64) -> JfrConfig {
    JfrConfig {
        depth: 16,
        flag: 0,
        policy: UBURMA_TOKEN_NONE,
        mode: UBURMA_TM_RM,
        max_sge: 1,
        min_rnr_timer: 0,
        token: 0,
        id: 0,
        jfc,
        cookie: 0,
    }
}

fn delete_jfc(ctx: &Ctx, handle: u64) -> ub_client::Result<()> {
    Jfc::delete_cmd(handle).run(ctx.fd())
}

fn device_is_there() -> Outcome {
    let device = Device::named(DEVICE)?;
    check_eq!(device.driver, "ub_test_driver");
    DevAttr::query(Context::open_bare(&device)?.as_raw_fd(), &device)?;
    check_eq!(device.eids()?.len(), 1);
    Ok(())
}

fn contexts_and_mappings() -> Outcome {
    let ctx = Ctx::open()?;
    let how = READ;
    let page = Mapping::file(ctx.fd(), 0, PAGE, how)?;
    check_eq!(page.bytes(0, 4), b"ubtd");
    check_errno!(Mapping::file(ctx.fd(), PAGE as u64, PAGE, how), EINVAL);
    check_errno!(Mapping::file(ctx.fd(), 0, 2 * PAGE, how), EINVAL);
    Ok(())
}

fn context_that_fails() -> Outcome {
    let open = || Ctx::open().map(|_| ());
    fail_next("alloc_ucontext")?;
    check!(open().is_err());
    has_failed()?;
    fail_next("null")?;
    check!(open().is_err());
    has_failed()?;
    open()
}

fn queues() -> Outcome {
    let ctx = Ctx::open()?;
    let jfc = ctx.jfc()?;
    let jfr = ctx.jfr(jfc)?;
    let mut cmd = Jetty::create_cmd(jetty_config(jfc, jfr));
    cmd.run(ctx.fd())?;
    let jetty = cmd.get_u64(UBURMA_CREATE_JETTY_OUT_HANDLE);
    // In use.
    check_errno!(delete_jfc(&ctx, jfc), EBUSY);
    check_errno!(Jfr::delete_cmd(jfr.0).run(ctx.fd()), EBUSY);
    // A destroy that fails changes nothing, and works when it is tried again.
    fail_next("destroy_jetty")?;
    check_errno!(Jetty::delete_cmd(jetty).run(ctx.fd()), EBUSY);
    has_failed()?;
    check_errno!(Jfr::delete_cmd(jfr.0).run(ctx.fd()), EBUSY);
    Jetty::delete_cmd(jetty).run(ctx.fd())?;
    fail_next("destroy_jfr")?;
    check_errno!(Jfr::delete_cmd(jfr.0).run(ctx.fd()), EBUSY);
    has_failed()?;
    Jfr::delete_cmd(jfr.0).run(ctx.fd())?;
    fail_next("destroy_jfc")?;
    check_errno!(delete_jfc(&ctx, jfc), EBUSY);
    has_failed()?;
    delete_jfc(&ctx, jfc)?;
    check!(delete_jfc(&ctx, jfc).is_err());
    Ok(())
}

fn jetty_config(jfc: u64, jfr: (u64, u32)) -> JettyConfig {
    JettyConfig {
        id: 0,
        flag: UBURMA_JETTY_FLAG_SHARE_JFR,
        send: jfs_config(jfc),
        recv_jfc: jfc,
        jfr,
        group: 0,
        token: 0,
        cookie: 0,
    }
}

fn jfs_config(jfc: u64) -> JfsConfig {
    JfsConfig {
        depth: 16,
        flag: 0,
        mode: UBURMA_TM_RM,
        priority: 0,
        max_sge: 1,
        max_rsge: 1,
        max_inline: 0,
        rnr_retry: 0,
        err_timeout: 0,
        jfc,
        cookie: 0,
        poll: None,
    }
}

/// The driver fails with NULL, or grants less than was asked for.
fn queues_that_fail() -> Outcome {
    let ctx = Ctx::open()?;
    fail_next("create_jfc")?;
    check!(ctx.jfc().is_err());
    has_failed()?;
    let jfc = ctx.jfc()?;
    fail_next("create_jfr")?;
    check_errno!(ctx.jfr(jfc), EINVAL);
    has_failed()?;
    // It was destroyed: the queue is not in use.
    delete_jfc(&ctx, jfc)?;
    Ok(())
}

/// What the driver has not is refused.
fn operations_that_are_absent() -> Outcome {
    let ctx = Ctx::open()?;
    let jfc = ctx.jfc()?;
    let jfr = ctx.jfr(jfc)?;
    check_errno!(
        Jfs::create_cmd(jfs_config(jfc)).run(ctx.fd()),
        EINVAL | EOPNOTSUPP
    );
    check_errno!(
        Jfr::modify_cmd(jfr.0, 2, 0, 1).run(ctx.fd()),
        EINVAL | EOPNOTSUPP
    );
    check_errno!(Jfr::query_cmd(jfr.0).run(ctx.fd()), EINVAL | EOPNOTSUPP);
    let eid = Device::named(DEVICE)?.eid(0)?;
    let target = TargetConfig::jetty(eid, 1, 0);
    check!(Target::jetty_cmd(target).run(ctx.fd()).is_err());
    check_errno!(ctx.control(99, 0, 0), ENOENT | EOPNOTSUPP);
    // All of it goes with the file.
    Ok(())
}

/// The pages that the process has pinned, by what the kernel charges it.
fn pinned_kib() -> Result<u64, Failure> {
    let status = fs::read_to_string("/proc/self/status")?;
    status
        .lines()
        .find_map(|line| line.strip_prefix("VmPin:"))
        .and_then(|rest| rest.trim().strip_suffix(" kB"))
        .and_then(|kib| kib.trim().parse().ok())
        .ok_or_else(|| Failure::Fail("no VmPin".to_string()))
}

fn pinned_memory() -> Outcome {
    let ctx = Ctx::open()?;
    let memory = Mapping::anonymous(8 * PAGE)?;
    memory.fill(0, memory.len(), 1);
    let before = pinned_kib()?;
    let token = ctx.token()?;
    let all = UBURMA_ACCESS_READ | UBURMA_ACCESS_WRITE;
    let segment = ctx.segment(memory.addr() + 100, 5 * PAGE, token, all)?;
    check_eq!(pinned_kib()?, before + 6 * 4);
    check_eq!(ctx.control(CTL_SUM, token.0, 0)?, 5 * PAGE as u64);
    check_eq!(ctx.control(CTL_FILL, token.0, 3)?, 15 * PAGE as u64);
    check_eq!(memory.bytes(99, 2), [1, 3]);
    check_eq!(memory.bytes(100 + 5 * PAGE - 1, 2), [3, 1]);
    check_eq!(ctx.control(CTL_PAGES, token.0, 0)?, PAGE as u64);
    // A token id is for one segment, and stays as long as that.
    check_errno!(ctx.segment(memory.addr(), PAGE, token, all), EBUSY);
    check_eq!(pinned_kib()?, before + 6 * 4);
    check_errno!(Token::free_cmd(token.1, token.0).run(ctx.fd()), EBUSY);
    fail_next("unregister_seg")?;
    check_errno!(Segment::unregister_cmd(segment).run(ctx.fd()), EBUSY);
    has_failed()?;
    check_eq!(ctx.control(CTL_SUM, token.0, 0)?, 15 * PAGE as u64);
    Segment::unregister_cmd(segment).run(ctx.fd())?;
    check_eq!(pinned_kib()?, before);
    Token::free_cmd(token.1, token.0).run(ctx.fd())?;
    Ok(())
}

/// What may only be read is pinned so, and no more than that.
fn pinned_read_only() -> Outcome {
    let ctx = Ctx::open()?;
    let memory = Mapping::read_only(PAGE)?;
    let token = ctx.token()?;
    let before = pinned_kib()?;
    let write = UBURMA_ACCESS_READ | UBURMA_ACCESS_WRITE;
    check_errno!(ctx.segment(memory.addr(), PAGE, token, write), EFAULT);
    check_eq!(pinned_kib()?, before);
    let segment = ctx.segment(memory.addr(), PAGE, token, UBURMA_ACCESS_READ)?;
    check_eq!(ctx.control(CTL_SUM, token.0, 0)?, 0);
    check_errno!(ctx.control(CTL_FILL, token.0, 1), EACCES);
    Segment::unregister_cmd(segment).run(ctx.fd())?;
    let nothing = Mapping::inaccessible(PAGE)?;
    check_errno!(
        ctx.segment(nothing.addr(), PAGE, token, UBURMA_ACCESS_READ),
        EFAULT
    );
    check_errno!(
        ctx.segment(u64::MAX - 10, PAGE, token, UBURMA_ACCESS_READ),
        EINVAL
    );
    check_eq!(pinned_kib()?, before);
    Ok(())
}

/// The last file of a context closes in another process: who pinned gets the charge back.
fn released_by_another_process() -> Outcome {
    let ctx = Ctx::open()?;
    let memory = Mapping::anonymous(4 * PAGE)?;
    let before = pinned_kib()?;
    let token = ctx.token()?;
    let all = UBURMA_ACCESS_READ | UBURMA_ACCESS_WRITE;
    ctx.segment(memory.addr(), 4 * PAGE, token, all)?;
    check_eq!(pinned_kib()?, before + 16);
    let (here, there) = sys::message_pair()?;
    let pid = match sys::fork()? {
        Fork::Child => {
            drop(here);
            // Until the parent has closed its own.
            let _ = sys::receive_message(there.as_raw_fd(), 1, 0);
            drop(ctx);
            sys::exit_now(0)
        }
        Fork::Parent(pid) => pid,
    };
    drop(there);
    drop(ctx);
    check_eq!(pinned_kib()?, before + 16);
    sys::send_message(here.as_raw_fd(), b"x")?;
    check_eq!(sys::wait_for(pid)?, Exit::Code(0));
    // The file may close a little after the process has been seen to end.
    for _ in 0..100 {
        if pinned_kib()? == before {
            return Ok(());
        }
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    check_eq!(pinned_kib()?, before);
    Ok(())
}

/// A close that meets failures leaves nothing.
fn close_with_failures() -> Outcome {
    for op in [
        "destroy_jfc",
        "destroy_jfr",
        "destroy_jetty",
        "unregister_seg",
        "free_token_id",
    ] {
        let ctx = Ctx::open()?;
        let jfc = ctx.jfc()?;
        let jfr = ctx.jfr(jfc)?;
        Jetty::create_cmd(jetty_config(jfc, jfr)).run(ctx.fd())?;
        let memory = Mapping::anonymous(PAGE)?;
        let token = ctx.token()?;
        ctx.segment(memory.addr(), PAGE, token, UBURMA_ACCESS_READ)?;
        fail_next(op)?;
        drop(ctx);
        has_failed()?;
    }
    Ok(())
}

/// The driver goes while a file is open: what is left of it says so.
fn driver_goes() -> Outcome {
    let ctx = Ctx::open()?;
    let jfc = ctx.jfc()?;
    let page = Mapping::file(ctx.fd(), 0, PAGE, READ)?;
    modules::unload(MODULE)?;
    check!(!Path::new("/sys/class/ubcore").join(DEVICE).exists());
    check!(ctx.jfc().is_err());
    delete_jfc(&ctx, jfc)?;
    drop(page);
    drop(ctx);
    modules::load(&module())
}

fn module() -> Module {
    Module {
        name: MODULE.to_string(),
        params: String::new(),
    }
}

const TESTS: &[ub_tests::Test] = tests![
    device_is_there,
    contexts_and_mappings,
    context_that_fails,
    queues,
    queues_that_fail,
    operations_that_are_absent,
    pinned_memory,
    pinned_read_only,
    released_by_another_process,
    close_with_failures,
    driver_goes,
];

pub fn main() -> ExitCode {
    if let Err(why) = modules::load(&module()) {
        println!("Bail out! {MODULE} cannot be used: {why:?}");
        return ExitCode::FAILURE;
    }
    let options = Options {
        root: true,
        ..Default::default()
    };
    let code = ub_tests::run_with("t-kdriver", TESTS, options);
    if let Err(why) = modules::unload(MODULE) {
        println!("# {why:?}");
        return ExitCode::FAILURE;
    }
    code
}
