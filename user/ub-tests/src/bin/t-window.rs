// SPDX-License-Identifier: GPL-2.0

//! Windows: mapped segments of peers.

use std::os::fd::AsRawFd;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use ub_client::abi::*;
use ub_client::sys::{self, Exit, Fork, MapFlags, Mapping};
use ub_client::{Atomic, Context, Eid, RemoteRange, Segment, SegmentConfig, SendWr, Token, Window};
use ub_tests::fixture::{pattern, Pair, SEG_TOKEN, SOON};
use ub_tests::own::Own;
use ub_tests::{check, check_eq, check_errno, tests, Failure, Outcome};

const PAGE: usize = 4096;
const READ: u32 = UBURMA_ACCESS_READ;
const WRITE: u32 = UBURMA_ACCESS_READ | UBURMA_ACCESS_WRITE;

const LENT: SegmentConfig = SegmentConfig {
    token: SEG_TOKEN,
    access: UBURMA_ACCESS_READ | UBURMA_ACCESS_WRITE | UBURMA_ACCESS_ATOMIC,
    policy: UBURMA_TOKEN_PLAIN_TEXT,
    flags: 0,
    lend: true,
};

fn lend(ctx: &Context, pages: usize) -> Result<Segment, ub_client::Error> {
    Segment::alloc_with(ctx, pages * PAGE, LENT)
}

fn open(ctx: &Context, lender: &Context, segment: &Segment) -> Result<Window, ub_client::Error> {
    let len = segment.len() as u64;
    Window::open(ctx, lender.eid(), segment.remote(0), len, WRITE)
}

/// Waits until a mapping cannot be read any more.
fn wait_closed(map: &Mapping) -> Outcome {
    let end = Instant::now() + SOON;
    while map.peek64(0).is_ok() {
        check!(Instant::now() < end, "the window is still open");
        thread::sleep(Duration::from_millis(5));
    }
    check_errno!(map.peek64(0), EFAULT);
    Ok(())
}

fn load_and_store() -> Outcome {
    let (lender, user) = (Context::open_first()?, Context::open_first()?);
    let segment = lend(&lender, 8)?;
    let data = pattern(1, 8 * PAGE);
    segment.write(0, &data);
    check!(user.resp().features & UBSOFT_FEATURE_WINDOW != 0);
    let feature = user.device().number("feature")? as u32;
    check!(feature & UBURMA_DEV_FEATURE_LOAD_STORE_OP != 0);
    let window = open(&user, &lender, &segment)?;
    check_eq!(window.resp().mmap_len, 8 * PAGE as u64);
    check!(window.resp().mmap_off >= 1 << 44);
    let map = window.map(true)?;
    check_eq!(map.bytes(0, 8 * PAGE), data);
    let other = pattern(2, 8 * PAGE);
    map.write(0, &other);
    check_eq!(segment.bytes(0, 8 * PAGE), other);
    // A part of the segment, and of that a part.
    let part = Window::open(
        &user,
        lender.eid(),
        segment.remote(2 * PAGE),
        4 * PAGE as u64,
        READ,
    )?;
    let how = MapFlags {
        write: false,
        ..Default::default()
    };
    let pages = part.map_part(PAGE as u64, 2 * PAGE, how)?;
    check_eq!(pages.bytes(0, 2 * PAGE), other[3 * PAGE..5 * PAGE]);
    // The same window in two places.
    let again = window.map(true)?;
    again.store64(PAGE, 77, Ordering::SeqCst);
    check_eq!(map.load64(PAGE, Ordering::SeqCst), 77);
    Ok(())
}

/// Atomic instructions here, and atomic work requests, on one word.
fn atomic_with_work_requests() -> Outcome {
    const ROUNDS: u64 = 2000;
    let mut pair = Pair::create()?;
    let segment = lend(&pair.b.ctx, 1)?;
    let window = open(&pair.a.ctx, &pair.b.ctx, &segment)?;
    let map = window.map(true)?;
    let target = pair.to_b();
    thread::scope(|scope| {
        let adder = scope.spawn(|| {
            for _ in 0..ROUNDS {
                map.add64(8, 1);
            }
        });
        let old = [pair.a.memory.sge(0, 8)];
        for _ in 0..ROUNDS {
            let wr = SendWr::atomic(target, segment.remote(8), &old, Atomic::Add(1));
            pair.a.expect(&wr, UBURMA_CR_SUCCESS)?;
        }
        adder
            .join()
            .map_err(|_| Failure::Fail("a thread".to_string()))
    })?;
    check_eq!(map.load64(8, Ordering::SeqCst), 2 * ROUNDS);
    Ok(())
}

fn needs_consent_token_and_access() -> Outcome {
    let (lender, user) = (Context::open_first()?, Context::open_first()?);
    let segment = lend(&lender, 4)?;
    let try_open = |remote: RemoteRange, len: usize, access: u32| {
        Window::open(&user, lender.eid(), remote, len as u64, access)
    };
    let all = 4 * PAGE;
    let place = segment.remote(0);
    try_open(place, all, WRITE)?;
    let not_lent = Segment::alloc(&lender, all, SEG_TOKEN)?;
    check_errno!(try_open(not_lent.remote(0), all, READ), EACCES);
    for remote in [
        RemoteRange { token: 0, ..place },
        RemoteRange {
            token_id: 0,
            ..place
        },
        RemoteRange {
            token_id: 0xf_fff0,
            ..place
        },
        RemoteRange {
            addr: place.addr - PAGE as u64,
            ..place
        },
        RemoteRange {
            addr: place.addr + PAGE as u64,
            ..place
        },
        RemoteRange {
            addr: u64::MAX - 0xfff,
            ..place
        },
    ] {
        check_errno!(try_open(remote, all, READ), EACCES);
    }
    for len in [all + PAGE, 1 << 60] {
        check_errno!(try_open(place, len, READ), EACCES);
    }
    for (remote, len) in [(place, 0), (place, 100), (place.plus(8), PAGE)] {
        check_errno!(try_open(remote, len, READ), EINVAL);
    }
    for (granted, wanted, opens) in [
        (UBURMA_ACCESS_READ, READ, true),
        (UBURMA_ACCESS_READ, WRITE, false),
        (UBURMA_ACCESS_READ, READ | UBURMA_ACCESS_ATOMIC, false),
        (UBURMA_ACCESS_LOCAL_ONLY, READ, false),
        (0, READ, false),
    ] {
        let config = SegmentConfig {
            access: granted,
            ..LENT
        };
        let segment = Segment::alloc_with(&lender, all, config)?;
        let window = try_open(segment.remote(0), all, wanted);
        if opens {
            window?;
        } else {
            check_errno!(window, EACCES);
        }
    }
    let nobody = Eid([0xfe; 16]);
    check_errno!(Window::open(&user, nobody, place, all as u64, READ), ENODEV);
    // No room to say where it is.
    let mut cmd = Window::open_cmd(lender.eid(), place, all as u64, READ, 8);
    check_errno!(user.run(&mut cmd), EINVAL);
    Ok(())
}

fn whole_pages_are_lent() -> Outcome {
    let ctx = Context::open_first()?;
    let memory = Arc::new(Mapping::anonymous(4 * PAGE)?);
    let register = |offset, len| Segment::register_own(&ctx, &memory, offset, len, LENT);
    register(PAGE, PAGE)?;
    for (offset, len) in [(8, PAGE), (0, PAGE - 8), (0, 8)] {
        check_errno!(register(offset, len), EINVAL);
    }
    let token = Token::alloc(&ctx)?;
    for request in [
        ubsoft_seg_req {
            flags: 2,
            ..Default::default()
        },
        ubsoft_seg_req {
            flags: UBSOFT_SEG_LEND | 1 << 31,
            ..Default::default()
        },
        ubsoft_seg_req {
            flags: 1,
            reserved: [0, 0, 1],
        },
    ] {
        let own = Some((token.id(), token.handle()));
        let mut cmd = Segment::register_cmd(memory.addr(), PAGE as u64, own, Default::default())
            .without(UBURMA_REGISTER_SEG_IN_UDATA)
            .without(UBURMA_REGISTER_SEG_OUT_UDATA)
            .udata(
                UBURMA_REGISTER_SEG_IN_UDATA,
                Some(UBURMA_REGISTER_SEG_OUT_UDATA),
                sys::bytes_of(&request),
                0,
            );
        check_errno!(ctx.run(&mut cmd), EINVAL);
    }
    Ok(())
}

fn what_a_mapping_may_be() -> Outcome {
    let (lender, user) = (Context::open_first()?, Context::open_first()?);
    let segment = lend(&lender, 4)?;
    let window = open(&user, &lender, &segment)?;
    let how = MapFlags::default();
    let private = MapFlags {
        private: true,
        ..how
    };
    let exec = MapFlags { exec: true, ..how };
    for bad in [private, exec] {
        check_errno!(window.map_part(0, PAGE, bad), EINVAL | EACCES | EPERM);
    }
    for (offset, len) in [(0, 5), (4, 1), (1, 4), (1 << 30, 1)] {
        check_errno!(
            window.map_part(offset * PAGE as u64, len * PAGE, how),
            EINVAL
        );
    }
    let map = window.map(true)?;
    check_errno!(map.make_executable(), EACCES);
    check_errno!(map.unmap_part(PAGE, PAGE), EINVAL);
    // Not by another context, of the same process or not.
    let resp = *window.resp();
    let third = Context::open_first()?;
    for fd in [lender.dev_fd(), third.dev_fd()] {
        check_errno!(Mapping::file(fd, resp.mmap_off, PAGE, how), EINVAL);
    }
    // For reading only.
    let window = Window::open(
        &user,
        lender.eid(),
        segment.remote(0),
        4 * PAGE as u64,
        READ,
    )?;
    check_errno!(window.map(true), EINVAL | EACCES);
    let map = window.map(false)?;
    check_errno!(map.make_writable(), EACCES);
    check_eq!(map.peek64(0)?, 0);
    Ok(())
}

fn what_is_mapped_is_not_registered() -> Outcome {
    let (lender, user) = (Context::open_first()?, Context::open_first()?);
    let segment = lend(&lender, 1)?;
    let map = Arc::new(open(&user, &lender, &segment)?.map(true)?);
    check_errno!(map.peek64(0), EFAULT);
    let window = open(&user, &lender, &segment)?;
    let map = Arc::new(window.map(true)?);
    check_eq!(map.peek64(0)?, 0);
    check_errno!(
        Segment::register_own(&user, &map, 0, PAGE, Default::default()),
        EFAULT
    );
    Ok(())
}

fn closed_by_the_lender() -> Outcome {
    let (lender, user) = (Context::open_first()?, Context::open_first()?);
    let mut segment = lend(&lender, 2)?;
    let window = open(&user, &lender, &segment)?;
    let map = window.map(true)?;
    check_eq!(map.peek64(0)?, 0);
    segment.unregister()?;
    // Both the page that was there and the one that never was.
    check_errno!(map.peek64(0), EFAULT);
    check_errno!(map.peek64(PAGE), EFAULT);
    // The memory is lent again, under another token or not: another window.
    let config = SegmentConfig { token: 1, ..LENT };
    let _again = Segment::register_own(&lender, segment.memory(), 0, 2 * PAGE, config)?;
    check_errno!(map.peek64(0), EFAULT);
    check_errno!(window.map(true), EIO);
    Ok(())
}

fn closed_by_the_user() -> Outcome {
    let (lender, user) = (Context::open_first()?, Context::open_first()?);
    let segment = lend(&lender, 2)?;
    let mut windows = Vec::new();
    for _ in 0..10 {
        let mut window = open(&user, &lender, &segment)?;
        let map = window.map(true)?;
        check_eq!(map.peek64(0)?, 0);
        window.close()?;
        check_errno!(map.peek64(0), EFAULT);
        check_errno!(map.peek64(PAGE), EFAULT);
        windows.push(map);
    }
    // None of the old mappings shows what came after it.
    let window = open(&user, &lender, &segment)?;
    let map = window.map(true)?;
    check_eq!(map.peek64(0)?, 0);
    for old in &windows {
        check_errno!(old.peek64(0), EFAULT);
    }
    Ok(())
}

fn closed_with_the_token() -> Outcome {
    let mut pair = Pair::create()?;
    let segment = lend(&pair.b.ctx, 1)?;
    let window = open(&pair.a.ctx, &pair.b.ctx, &segment)?;
    let map = window.map(true)?;
    check_eq!(map.peek64(0)?, 0);
    pair.b.post_recv(0, 64, 1)?;
    let list = [pair.a.memory.sge(0, 16)];
    let target = pair.to_b();
    let wr = SendWr::send_invalidate(target, &list, segment.token_id(), SEG_TOKEN);
    pair.a.expect(&wr, UBURMA_CR_SUCCESS)?;
    check_errno!(map.peek64(0), EFAULT);
    check_errno!(open(&pair.a.ctx, &pair.b.ctx, &segment), EACCES);
    Ok(())
}

/// Makes a child lend a page with `word` in it, opens a window to it, and hands both to `test`.
fn with_lending_child(
    word: u64,
    test: impl FnOnce(&Context, &Window, sys::Pid) -> Outcome,
) -> Outcome {
    let (ours, childs) = sys::message_pair()?;
    let child = match sys::fork()? {
        Fork::Child => {
            sys::die_with_parent();
            let run = || -> Result<(), ub_client::Error> {
                let ctx = Context::open_first()?;
                let segment = lend(&ctx, 1)?;
                segment.write(0, &word.to_ne_bytes());
                let remote = segment.remote(0);
                let message = [remote.addr, u64::from(remote.token_id)];
                sys::send_message(childs.as_raw_fd(), sys::bytes_of_slice(&message))?;
                thread::sleep(Duration::from_secs(60));
                Ok(())
            };
            sys::exit_now(run().is_err().into())
        }
        Fork::Parent(pid) => pid,
    };
    let message = sys::receive_message(ours.as_raw_fd(), 16, 20_000)?;
    let (addr, token_id) = message
        .split_at_checked(8)
        .ok_or_else(|| "a short message".to_string())?;
    let (addr, token_id) = (sys::from_bytes(addr), sys::from_bytes::<u64>(token_id));
    let ctx = Context::open_first()?;
    let remote = RemoteRange {
        addr,
        token_id: token_id as u32,
        token: SEG_TOKEN,
    };
    let window = Window::open(&ctx, ctx.eid(), remote, PAGE as u64, WRITE)?;
    let result = test(&ctx, &window, child);
    let _ = sys::kill(child, libc::SIGKILL);
    let _ = sys::wait_for(child);
    result
}

fn closed_when_the_lender_dies() -> Outcome {
    with_lending_child(0x1234, |_, window, child| {
        let map = window.map(true)?;
        check_eq!(map.load64(0, Ordering::SeqCst), 0x1234);
        sys::kill(child, libc::SIGKILL)?;
        wait_closed(&map)
    })
}

/// Loads and stores of a closed window end the process by SIGBUS.
fn access_to_a_closed_window() -> Outcome {
    for store in [false, true] {
        let child = match sys::fork()? {
            Fork::Child => {
                if let Err(why) = touch_closed(store) {
                    println!("# {why:?}");
                }
                sys::exit_now(1)
            }
            Fork::Parent(pid) => pid,
        };
        check_eq!(sys::wait_for(child)?, Exit::Signal(libc::SIGBUS));
    }
    Ok(())
}

fn touch_closed(store: bool) -> Outcome {
    let (lender, user) = (Context::open_first()?, Context::open_first()?);
    let mut segment = lend(&lender, 1)?;
    let window = open(&user, &lender, &segment)?;
    let map = window.map(true)?;
    map.store64(0, 1, Ordering::SeqCst);
    segment.unregister()?;
    if store {
        map.store64(0, 2, Ordering::SeqCst);
    } else {
        map.load64(0, Ordering::SeqCst);
    }
    Ok(())
}

fn not_inherited() -> Outcome {
    let (lender, user) = (Context::open_first()?, Context::open_first()?);
    let segment = lend(&lender, 1)?;
    let window = open(&user, &lender, &segment)?;
    let map = window.map(true)?;
    match sys::fork()? {
        Fork::Child => {
            map.load64(0, Ordering::SeqCst);
            sys::exit_now(0)
        }
        Fork::Parent(pid) => check_eq!(sys::wait_for(pid)?, Exit::Signal(libc::SIGSEGV)),
    }
    Ok(())
}

fn closed_when_a_device_goes() -> Outcome {
    let mut own = Own::create("ubwin0")?;
    let (here, there) = (Context::open_first()?, Context::open(&own.device)?);
    // The user's device goes, then, made again, the lender's.
    let segment = lend(&here, 1)?;
    let window = open(&there, &here, &segment)?;
    let map = window.map(true)?;
    check_eq!(map.peek64(0)?, 0);
    own.remove()?;
    check_errno!(map.peek64(0), EFAULT);
    check_errno!(window.map(true), EIO);
    drop((map, window, there));
    let mut own = Own::create("ubwin0")?;
    let there = Context::open(&own.device)?;
    let segment = lend(&there, 1)?;
    let window = open(&here, &there, &segment)?;
    let map = window.map(true)?;
    check_eq!(map.peek64(0)?, 0);
    own.remove()?;
    check_errno!(map.peek64(0), EFAULT);
    Ok(())
}

fn closed_with_its_context() -> Outcome {
    let lender = Context::open_first()?;
    let segment = lend(&lender, 1)?;
    for _ in 0..50 {
        let user = Context::open_first()?;
        let window = open(&user, &lender, &segment)?;
        let map = window.map(true)?;
        check_eq!(map.peek64(0)?, 0);
        // The import is left to the end of the context, which the mapping's file defers.
        std::mem::forget(window);
        drop(map);
    }
    Ok(())
}

fn windows_of_a_segment_are_limited() -> Outcome {
    let (lender, user) = (Context::open_first()?, Context::open_first()?);
    let segment = lend(&lender, 1)?;
    let mut windows = Vec::new();
    let error = loop {
        check!(windows.len() < 100_000, "no limit");
        match open(&user, &lender, &segment) {
            Ok(window) => windows.push(window),
            Err(error) => break error,
        }
    };
    check_eq!(error.errno(), libc::ENOSPC);
    check!(windows.len() >= 64);
    windows.pop();
    windows.push(open(&user, &lender, &segment)?);
    Ok(())
}

/// Threads read all the time while the memory is lent, taken back and used for something else: they
/// see what was lent or nothing.
fn never_what_came_after() -> Outcome {
    const LENT_WORD: u64 = 0x1e57_1e57_1e57_1e57;
    let (lender, user) = (Context::open_first()?, Context::open_first()?);
    let done = AtomicBool::new(false);
    let (seen, refused) = (AtomicU64::new(0), AtomicU64::new(0));
    let result: Outcome = thread::scope(|scope| {
        let (sender, receiver) = std::sync::mpsc::channel::<Mapping>();
        let (done, seen, refused) = (&done, &seen, &refused);
        let reader = scope.spawn(move || -> Outcome {
            let mut maps: Vec<Mapping> = Vec::new();
            while !done.load(Ordering::SeqCst) {
                maps.extend(receiver.try_iter());
                if maps.len() > 8 {
                    maps.drain(..maps.len() - 8);
                }
                for map in &maps {
                    match map.peek64(0) {
                        Ok(word) => {
                            check_eq!(word, LENT_WORD);
                            seen.fetch_add(1, Ordering::SeqCst);
                        }
                        Err(error) => {
                            check_eq!(error.errno(), libc::EFAULT);
                            refused.fetch_add(1, Ordering::SeqCst);
                        }
                    }
                }
            }
            Ok(())
        });
        let run = || -> Outcome {
            for round in 0..100 {
                let mut segment = lend(&lender, 1)?;
                segment.write(0, &LENT_WORD.to_ne_bytes());
                let mut window = open(&user, &lender, &segment)?;
                let before = seen.load(Ordering::SeqCst);
                let _ = sender.send(window.map(true)?);
                // Every other time in the middle of its reads.
                while round % 2 == 0 && seen.load(Ordering::SeqCst) < before + 2 {
                    sys::yield_now();
                }
                // Either end goes first.
                if round % 3 == 0 {
                    window.close()?;
                }
                segment.unregister()?;
                segment.fill(0, PAGE, 0xdd);
            }
            Ok(())
        };
        let result = run();
        done.store(true, Ordering::SeqCst);
        reader
            .join()
            .map_err(|_| Failure::Fail("a thread".to_string()))??;
        result
    });
    result?;
    let (seen, refused) = (seen.into_inner(), refused.into_inner());
    println!("# {seen} reads, {refused} refused");
    check!(seen >= 100 && refused > 0);
    Ok(())
}

pub fn main() -> ExitCode {
    ub_tests::run(
        "t-window",
        tests![
            load_and_store,
            atomic_with_work_requests,
            needs_consent_token_and_access,
            whole_pages_are_lent,
            what_a_mapping_may_be,
            what_is_mapped_is_not_registered,
            closed_by_the_lender,
            closed_by_the_user,
            closed_with_the_token,
            closed_when_the_lender_dies,
            access_to_a_closed_window,
            not_inherited,
            closed_when_a_device_goes,
            closed_with_its_context,
            windows_of_a_segment_are_limited,
            never_what_came_after,
        ],
    )
}
