// SPDX-License-Identifier: GPL-2.0

//! What processes are charged for: pinned pages, memory of rings, handles and objects. And that it
//! is given back, to whom it belongs.

use std::fs;
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use ub_client::abi::*;
use ub_client::sys::{self, Exit, Fork, Mapping, Pid};
use ub_client::tlv::Cmd;
use ub_client::{
    Context, Device, Jetty, JettyConfig, Jfc, Jfr, JfrConfig, Jfs, JfsConfig, Segment,
    SegmentConfig, Target, TargetConfig, Token,
};
use ub_tests::{check, check_eq, check_errno, tests, Failure, Options, Outcome};

/// KiB of pinned memory that a process is charged for.
fn pinned(pid: Option<Pid>) -> Result<u64, Failure> {
    let path = match pid {
        Some(pid) => format!("/proc/{pid}/status"),
        None => "/proc/self/status".to_string(),
    };
    let text = fs::read_to_string(path)?;
    let line = text.lines().find(|line| line.starts_with("VmPin:"));
    line.and_then(|line| line.split_whitespace().nth(1)?.parse().ok())
        .ok_or_else(|| Failure::Fail("no VmPin".to_string()))
}

fn pinned_pages_are_counted() -> Outcome {
    let ctx = Context::open_first()?;
    check_eq!(pinned(None)?, 0);
    let memory = Arc::new(Mapping::anonymous(64 << 12)?);
    let config = SegmentConfig::default();
    let mut whole = Segment::register_own(&ctx, &memory, 0, 64 << 12, config)?;
    check_eq!(pinned(None)?, 256);
    // The same pages again count again; two bytes may be two pages.
    let again = Segment::register_own(&ctx, &memory, 4095, 2, config)?;
    check_eq!(pinned(None)?, 264);
    drop(again);
    check_eq!(pinned(None)?, 256);
    whole.unregister()?;
    check_eq!(pinned(None)?, 0);
    // What fails costs nothing, also halfway.
    let (token, half) = (Token::alloc(&ctx)?, Mapping::anonymous(64 << 12)?);
    let named = Some((token.id(), token.handle()));
    half.unmap_behind_its_back()?;
    for va in [half.addr(), memory.addr()] {
        let mut cmd = Segment::register_cmd(va, 1 << 40, named, config);
        check_errno!(ctx.run(&mut cmd), EFAULT);
        check_eq!(pinned(None)?, 0);
    }
    std::mem::forget(half);
    // With the file all of it comes back.
    let _gone = Segment::register_own(&ctx, &memory, 0, 4096, config)?;
    check_eq!(pinned(None)?, 4);
    sys::close_raw(ctx.dev_fd())?;
    check_eq!(pinned(None)?, 0);
    std::mem::forget((_gone, ctx, token, whole));
    Ok(())
}

/// A length is only a number: a range that is not there is refused before memory is taken for it.
fn huge_ranges_cost_nothing() -> Outcome {
    let ctx = Context::open_first()?;
    let page = Mapping::anonymous(4096)?;
    let token = Token::alloc(&ctx)?;
    let named = Some((token.id(), token.handle()));
    let start = Instant::now();
    for shift in [32, 38, 42, 46] {
        let config = SegmentConfig::default();
        let mut cmd = Segment::register_cmd(page.addr(), 1 << shift, named, config);
        check_errno!(ctx.run(&mut cmd), EFAULT);
    }
    check!(start.elapsed() < Duration::from_secs(10));
    check_eq!(pinned(None)?, 0);
    Ok(())
}

/// A limit holds for all that a process pins, through whatever context.
fn limit_is_that_of_the_process() -> Outcome {
    let child = match sys::fork()? {
        Fork::Parent(pid) => pid,
        Fork::Child => {
            let work = || -> Outcome {
                sys::become_user(23456)?;
                sys::limit_memlock(64 << 10)?;
                let (one, two) = (Context::open_first()?, Context::open_first()?);
                let hold = Segment::alloc(&one, 48 << 10, 1)?;
                check_eq!(pinned(None)?, 48);
                check!(Segment::alloc(&two, 20 << 10, 1).is_err());
                check_eq!(pinned(None)?, 48);
                let rest = Segment::alloc(&two, 16 << 10, 1)?;
                check_eq!(pinned(None)?, 64);
                check!(Segment::alloc(&one, 1, 1).is_err());
                drop(hold);
                check_eq!(pinned(None)?, 16);
                drop(rest);
                check_eq!(pinned(None)?, 0);
                // Rings are no pinned pages.
                Jfc::create(&one, 4096)?;
                check_eq!(pinned(None)?, 0);
                Ok(())
            };
            if let Err(why) = work() {
                println!("# {why:?}");
                sys::exit_now(1)
            }
            sys::exit_now(0)
        }
    };
    check_eq!(sys::wait_for(child)?, Exit::Code(0));
    Ok(())
}

/// Whoever closes the file last, or undoes a registration by command: the one who registered gets
/// his pages back, and nobody else.
fn given_back_to_the_owner() -> Outcome {
    for by_command in [true, false] {
        let (here, there) = sys::message_pair()?;
        let helper = match sys::fork()? {
            Fork::Parent(pid) => pid,
            Fork::Child => {
                drop(here);
                let work = || -> Outcome {
                    let files = sys::receive_fds(there.as_raw_fd(), 20_000)?;
                    let text = sys::receive_message(there.as_raw_fd(), 20, 20_000)?;
                    let handle: u64 = String::from_utf8_lossy(&text).parse().unwrap_or(0);
                    if by_command {
                        Segment::unregister_cmd(handle).run(files[0].as_raw_fd())?;
                    }
                    drop(files);
                    check_eq!(pinned(None)?, 0);
                    sys::send_message(there.as_raw_fd(), b"closed")?;
                    Ok(())
                };
                sys::exit_now(i32::from(work().is_err()))
            }
        };
        drop(there);
        let ctx = Context::open_first()?;
        // No ring, no mapping: so the descriptors are all that holds the file.
        let segment = Segment::alloc(&ctx, 32 << 10, 1)?;
        sys::send_fds(here.as_raw_fd(), &[ctx.dev_fd()])?;
        sys::close_raw(ctx.dev_fd())?;
        check_eq!(pinned(None)?, 32);
        check_eq!(pinned(Some(helper))?, 0);
        let handle = segment.handle().to_string();
        sys::send_message(here.as_raw_fd(), handle.as_bytes())?;
        check_eq!(
            sys::receive_message(here.as_raw_fd(), 20, 20_000)?,
            b"closed"
        );
        check_eq!(pinned(None)?, 0);
        check_eq!(sys::wait_for(helper)?, Exit::Code(0));
        std::mem::forget((segment, ctx));
    }
    Ok(())
}

/// A control group for a test.
struct Group(PathBuf);

impl Group {
    fn create(name: &str, controller: &str) -> Result<Self, Failure> {
        let root = Path::new("/sys/fs/cgroup");
        let there = fs::read_to_string(root.join("cgroup.subtree_control")).unwrap_or_default();
        if !there.split_whitespace().any(|word| word == controller) {
            return Err(Failure::Skip(format!("no controller {controller}")));
        }
        let group = Group(root.join(name));
        fs::create_dir(&group.0)?;
        Ok(group)
    }

    fn get(&self, file: &str) -> Result<String, Failure> {
        Ok(fs::read_to_string(self.0.join(file))?)
    }

    fn set(&self, file: &str, value: &str) -> Outcome {
        fs::write(self.0.join(file), value)
            .map_err(|err| Failure::Fail(format!("{file} = {value}: {err}")))
    }

    /// Runs work in a child that is in the group, and that the work steps with `turn`.
    fn run(&self, work: impl FnOnce() -> Outcome) -> Outcome {
        let child = match sys::fork()? {
            Fork::Parent(pid) => pid,
            Fork::Child => {
                sys::die_with_parent();
                let done = self.set("cgroup.procs", "0").and_then(|()| work());
                if let Err(why) = &done {
                    println!("# {why:?}");
                }
                sys::exit_now(i32::from(done.is_err()))
            }
        };
        check_eq!(sys::wait_for(child)?, Exit::Code(0));
        Ok(())
    }

    /// A number of memory.stat.
    fn stat(&self, name: &str) -> Result<u64, Failure> {
        let text = self.get("memory.stat")?;
        let value = text.lines().find_map(|line| {
            let (key, value) = line.split_once(' ')?;
            (key == name).then(|| value.parse().ok())?
        });
        value.ok_or_else(|| Failure::Fail(format!("no {name} in memory.stat")))
    }

    /// Waits until a condition holds: some of the numbers lag behind.
    fn wait(&self, what: &str, holds: impl Fn() -> Result<bool, Failure>) -> Outcome {
        let start = Instant::now();
        while !holds()? {
            check!(start.elapsed() < Duration::from_secs(10), "{what}");
            std::thread::sleep(Duration::from_millis(20));
        }
        Ok(())
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        let start = Instant::now();
        while fs::remove_dir(&self.0).is_err() && start.elapsed() < Duration::from_secs(5) {
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

/// The memory of rings belongs to the group of who made them, until they are gone.
fn rings_belong_to_the_memory_group() -> Outcome {
    let group = Group::create("ub-test-mem", "memory")?;
    const RINGS: usize = 8;
    // One is 64 bytes for each of 16384 entries.
    const EACH: u64 = 1 << 20;
    group.run(|| {
        let ctx = Context::open_first()?;
        let before = group.stat("vmalloc")?;
        let mut rings = Vec::new();
        for _ in 0..RINGS {
            rings.push(Jfc::create(&ctx, 16384)?);
        }
        let all = before + RINGS as u64 * EACH;
        group.wait(
            "rings are not charged",
            || Ok(group.stat("vmalloc")? >= all),
        )?;
        check!(group.stat("vmalloc")? < all + (1 << 20));
        // They are not pages of the user's.
        check!(group.stat("anon")? < 8 << 20);
        drop(rings);
        group.wait("rings stay charged", || {
            Ok(group.stat("vmalloc")? <= before + (64 << 10))
        })?;
        // What is left behind is given back too.
        std::mem::forget(Jfc::create(&ctx, 16384)?);
        Ok(())
    })?;
    group.wait("rings of the dead stay charged", || {
        Ok(group.stat("vmalloc")? < 64 << 10)
    })
}

/// The counts of the device in a file of the group: handles and objects.
fn counts(group: &Group, device: &str) -> Result<(u64, u64), Failure> {
    let text = group.get("rdma.current")?;
    let line = text.lines().find(|line| line.starts_with(device));
    let number = |key: &str| {
        line.and_then(|line| {
            line.split_whitespace()
                .find_map(|word| word.strip_prefix(key)?.parse().ok())
        })
        .unwrap_or(0)
    };
    Ok((number("hca_handle="), number("hca_object=")))
}

/// A context is a handle; each object is one object; all of it is given back.
fn handles_and_objects() -> Outcome {
    let group = Group::create("ub-test-rdma", "rdma")?;
    let device = Device::first()?;
    let peer = ub_tests::fixture::Side::create(Default::default())?;
    let expect = |handles, objects| -> Outcome {
        check_eq!(counts(&group, &device.name)?, (handles, objects));
        Ok(())
    };
    group.run(|| {
        expect(0, 0)?;
        let ctx = Context::open(&device)?;
        expect(1, 0)?;
        let token = Token::alloc(&ctx)?;
        let memory = Arc::new(Mapping::anonymous(4096)?);
        let config = SegmentConfig::default();
        let segment = Segment::register(&ctx, &memory, 0, 4096, Some(&token), config)?;
        expect(1, 2)?;
        let jfc = Jfc::create(&ctx, 8)?;
        let jfs = Jfs::create(&ctx, JfsConfig::on(&jfc))?;
        let jfr = Jfr::create(&ctx, JfrConfig::on(&jfc))?;
        expect(1, 5)?;
        let jetty = Jetty::create(&ctx, JettyConfig::on(&jfc, &jfc, &jfr))?;
        let target = Target::jetty(&ctx, peer.target_config())?;
        expect(1, 7)?;
        let config = TargetConfig {
            id: peer.jfr.id(),
            ..peer.target_config()
        };
        let receiver = Target::jfr(&ctx, config)?;
        expect(1, 8)?;
        // What fails is not charged.
        let mut lost = Jfc::create_cmd(Default::default());
        lost.attr_mut(UBURMA_CREATE_JFC_OUT_HANDLE).place =
            ub_client::tlv::Place::Address(Mapping::read_only(4096)?.leak());
        check_errno!(ctx.run(&mut lost), EFAULT);
        expect(1, 8)?;
        drop((receiver, target));
        expect(1, 6)?;
        drop(jetty);
        drop((jfr, jfs));
        expect(1, 3)?;
        drop(jfc);
        drop(segment);
        drop(token);
        expect(1, 0)?;
        drop(ctx);
        expect(0, 0)?;
        // By closing, not by command.
        let ctx = Context::open(&device)?;
        std::mem::forget(Jfc::create(&ctx, 8)?);
        std::mem::forget(Token::alloc(&ctx)?);
        expect(1, 2)?;
        ctx.leak();
        Ok(())
    })?;
    group.wait("the dead stay charged", || {
        Ok(counts(&group, &device.name)? == (0, 0))
    })
}

/// Beyond a limit is `EAGAIN`, and nothing is left of it.
fn limits_of_handles_and_objects() -> Outcome {
    let group = Group::create("ub-test-rdma", "rdma")?;
    let device = Device::first()?;
    group.set(
        "rdma.max",
        &format!("{} hca_handle=2 hca_object=3", device.name),
    )?;
    group.run(|| {
        let ctx = Context::open(&device)?;
        let second = Context::open(&device)?;
        check_errno!(Context::open(&device), EAGAIN);
        let mut held = Vec::new();
        for i in 0..3 {
            held.push(Token::alloc(if i % 2 == 0 { &ctx } else { &second })?);
        }
        for _ in 0..3 {
            check_errno!(Token::alloc(&ctx), EAGAIN);
            check_errno!(Jfc::create(&second, 8), EAGAIN);
            check_eq!(counts(&group, &device.name)?, (2, 3));
        }
        held.pop();
        let mut cmd: Cmd = Jfc::create_cmd(Default::default());
        ctx.run(&mut cmd)?;
        check_errno!(Token::alloc(&ctx), EAGAIN);
        // The context stays as long as one of its tokens.
        drop((second, held));
        Context::open(&device)?;
        Ok(())
    })
}

/// Charged is who created, also when another process destroys.
fn another_process_gives_back() -> Outcome {
    let group = Group::create("ub-test-rdma", "rdma")?;
    let device = Device::first()?;
    let (here, there) = sys::message_pair()?;
    let child = match sys::fork()? {
        Fork::Parent(pid) => pid,
        Fork::Child => {
            let work = || -> Outcome {
                group.set("cgroup.procs", "0")?;
                let ctx = Context::open(&device)?;
                let token = Token::alloc(&ctx)?;
                sys::send_fds(there.as_raw_fd(), &[ctx.dev_fd()])?;
                let text = format!("{} {}", token.handle(), token.id());
                sys::send_message(there.as_raw_fd(), text.as_bytes())?;
                std::mem::forget((token, ctx));
                Ok(())
            };
            sys::exit_now(i32::from(work().is_err()))
        }
    };
    drop(there);
    let files = sys::receive_fds(here.as_raw_fd(), 20_000)?;
    let text = sys::receive_message(here.as_raw_fd(), 40, 20_000)?;
    let text = String::from_utf8_lossy(&text).into_owned();
    let numbers: Vec<u64> = text
        .split(' ')
        .filter_map(|word| word.parse().ok())
        .collect();
    check_eq!(sys::wait_for(child)?, Exit::Code(0));
    let [handle, id] = numbers[..] else {
        return Err(Failure::Fail(format!("the child said '{text}'")));
    };
    check_eq!(counts(&group, &device.name)?, (1, 1));
    Token::free_cmd(handle, id as u32).run(files[0].as_raw_fd())?;
    check_eq!(counts(&group, &device.name)?, (1, 0));
    drop(files);
    check_eq!(counts(&group, &device.name)?, (0, 0));
    Ok(())
}

pub fn main() -> ExitCode {
    let options = Options {
        root: true,
        ..Default::default()
    };
    ub_tests::run_with(
        "t-accounting",
        tests![
            pinned_pages_are_counted,
            huge_ranges_cost_nothing,
            limit_is_that_of_the_process,
            given_back_to_the_owner,
            rings_belong_to_the_memory_group,
            handles_and_objects,
            limits_of_handles_and_objects,
            another_process_gives_back,
        ],
        options,
    )
}
