// SPDX-License-Identifier: GPL-2.0

//! Token ids and segments.

use std::process::ExitCode;
use std::sync::Arc;

use ub_client::abi::*;
use ub_client::sys::{self, Exit, Fork, Mapping};
use ub_client::tlv::Cmd;
use ub_client::{Context, Device, Eid, Error, Jfc, Segment, SegmentConfig, SendWr, Token};
use ub_tests::fixture::{pattern, Pair, SEG_TOKEN};
use ub_tests::{check, check_eq, check_errno, tests, Outcome};

fn token_ids() -> Outcome {
    let ctx = Context::open_first()?;
    let mut first = Token::alloc(&ctx)?;
    let second = Token::alloc(&ctx)?;
    check!(first.id() != second.id() && first.handle() != second.handle());
    check!(first.handle() != 0);
    check_errno!(
        ctx.run(&mut Token::free_cmd(first.handle(), second.id())),
        EPERM
    );
    check_errno!(
        ctx.run(&mut Token::free_cmd(first.handle(), first.id() ^ 1)),
        EPERM
    );
    first.free()?;
    check_errno!(first.free(), EINVAL);
    check_errno!(ctx.run(&mut Token::free_cmd(0, 0)), EINVAL);
    Ok(())
}

fn token_id_is_used_by_its_segment() -> Outcome {
    let ctx = Context::open_first()?;
    let memory = Arc::new(Mapping::anonymous(8192)?);
    let mut token = Token::alloc(&ctx)?;
    let config = SegmentConfig::default();
    let mut segment = Segment::register(&ctx, &memory, 0, 8192, Some(&token), config)?;
    check_eq!(segment.token_id(), token.id());
    check_errno!(token.free(), EBUSY);
    segment.unregister()?;
    check_errno!(segment.unregister(), EINVAL);
    token.free()?;
    Ok(())
}

fn token_id_of_many_segments() -> Outcome {
    let ctx = Context::open_first()?;
    let memory = Arc::new(Mapping::anonymous(8192)?);
    let config = SegmentConfig::default();
    let single = Token::alloc(&ctx)?;
    let _first = Segment::register(&ctx, &memory, 0, 4096, Some(&single), config)?;
    let second = Segment::register(&ctx, &memory, 4096, 4096, Some(&single), config);
    check!(second.is_err(), "two segments of a token id for one");
    let feature = ctx.device().number("feature")? as u32;
    let many = Token::alloc_with(&ctx, UBURMA_TOKEN_ID_FLAG_MULTI_SEG);
    if feature & UBURMA_DEV_FEATURE_MULTI_SEG_PER_TOKEN_ID == 0 {
        check!(many.is_err(), "the device does not offer such token ids");
        return Ok(());
    }
    let many = many?;
    let _third = Segment::register(&ctx, &memory, 0, 4096, Some(&many), config)?;
    let _fourth = Segment::register(&ctx, &memory, 4096, 4096, Some(&many), config)?;
    Ok(())
}

/// A segment needs a token id: the flag without one, one without the flag, neither.
fn register_without_token_id() -> Outcome {
    let ctx = Context::open_first()?;
    let page = Mapping::anonymous(4096)?;
    let token = Token::alloc(&ctx)?;
    let config = SegmentConfig::default();
    let mut neither = Segment::register_cmd(page.addr(), 4096, None, config);
    check_errno!(ctx.run(&mut neither), EINVAL);
    let with_flag = SegmentConfig {
        flags: UBURMA_REG_SEG_FLAG_TOKEN_ID_VALID,
        ..config
    };
    let mut flag_alone = Segment::register_cmd(page.addr(), 4096, None, with_flag);
    check_errno!(ctx.run(&mut flag_alone), EINVAL);
    let named = Some((token.id(), token.handle()));
    let mut good = Segment::register_cmd(page.addr(), 4096, named, config);
    ctx.run(&mut good)?;
    check_eq!(good.get_u32(UBURMA_REGISTER_SEG_OUT_TOKEN_ID), token.id());
    Ok(())
}

fn register(ctx: &Context, va: u64, len: u64) -> Result<(), Error> {
    let token = Token::alloc(ctx)?;
    let named = Some((token.id(), token.handle()));
    let mut cmd = Segment::register_cmd(va, len, named, SegmentConfig::default());
    ctx.run(&mut cmd)?;
    ctx.run(&mut Segment::unregister_cmd(
        cmd.get_u64(UBURMA_REGISTER_SEG_OUT_HANDLE),
    ))
}

fn any_alignment() -> Outcome {
    let ctx = Context::open_first()?;
    let page = Mapping::anonymous(3 * 4096)?;
    for (offset, len) in [
        (0, 1),
        (1, 1),
        (4095, 2),
        (5, 8000),
        (4095, 8193),
        (0, 12288),
    ] {
        register(&ctx, page.addr() + offset, len)?;
    }
    Ok(())
}

fn bad_ranges() -> Outcome {
    let ctx = Context::open_first()?;
    let page = Mapping::anonymous(8192)?;
    let gap = Mapping::inaccessible(4096)?;
    let before = page.addr();
    check_errno!(register(&ctx, before, 0), EINVAL);
    check_errno!(register(&ctx, before, u64::MAX), EINVAL | EFAULT | ENOMEM);
    check_errno!(register(&ctx, u64::MAX - 100, 200), EINVAL | EFAULT);
    check_errno!(register(&ctx, u64::MAX, 1), EINVAL | EFAULT);
    check_errno!(register(&ctx, 0, 4096), EINVAL | EFAULT);
    check_errno!(register(&ctx, gap.addr(), 4096), EFAULT);
    check_errno!(register(&ctx, 0xffff_8880_0000_0000, 4096), EFAULT | EINVAL);
    check_errno!(register(&ctx, before, 1 << 62), EINVAL | EFAULT | ENOMEM);
    page.protect(false)?;
    check_errno!(register(&ctx, before, 8192), EFAULT);
    page.protect(true)?;
    register(&ctx, before, 8192)?;
    Ok(())
}

fn half_of_a_range_is_missing() -> Outcome {
    let ctx = Context::open_first()?;
    let map = Mapping::anonymous(16 * 4096)?;
    let gap = Mapping::anonymous(4096)?;
    check_errno!(
        register(&ctx, map.addr(), (16 << 30) as u64),
        EFAULT | EINVAL | ENOMEM
    );
    gap.unmap_behind_its_back()?;
    check_errno!(register(&ctx, gap.addr(), 4096), EFAULT);
    gap.leak();
    Ok(())
}

fn read_only_memory() -> Outcome {
    let ctx = Context::open_first()?;
    let memory = Arc::new(Mapping::read_only(4096)?);
    let with = |access| {
        let config = SegmentConfig {
            access,
            ..Default::default()
        };
        Segment::register_own(&ctx, &memory, 0, 4096, config)
    };
    check_errno!(
        with(UBURMA_ACCESS_READ | UBURMA_ACCESS_WRITE),
        EFAULT | EACCES
    );
    with(UBURMA_ACCESS_READ)?;
    Ok(())
}

fn bad_flags() -> Outcome {
    const READ: u32 = UBURMA_ACCESS_READ;
    const WRITE: u32 = UBURMA_ACCESS_WRITE;
    const ATOMIC: u32 = UBURMA_ACCESS_ATOMIC;
    let ctx = Context::open_first()?;
    let memory = Arc::new(Mapping::anonymous(4096)?);
    let run = |policy: u32, access: u32| {
        let config = SegmentConfig {
            policy,
            access,
            ..Default::default()
        };
        Segment::register_own(&ctx, &memory, 0, 4096, config)
    };
    for policy in [5, 7] {
        check_errno!(run(policy, READ), EINVAL);
    }
    // One right implies another.
    for access in [WRITE, ATOMIC, READ | ATOMIC, WRITE | ATOMIC] {
        check_errno!(run(1, access), EINVAL);
    }
    for remote in [READ, READ | WRITE] {
        check_errno!(run(1, UBURMA_ACCESS_LOCAL_ONLY | remote), EINVAL);
    }
    for access in [
        0,
        UBURMA_ACCESS_LOCAL_ONLY,
        READ,
        READ | WRITE,
        READ | WRITE | ATOMIC,
    ] {
        run(1, access)?;
    }
    Ok(())
}

fn wrong_class_of_handle() -> Outcome {
    let ctx = Context::open_first()?;
    let page = Mapping::anonymous(4096)?;
    let jfc = Jfc::create(&ctx, 4)?;
    let token = Token::alloc(&ctx)?;
    let config = SegmentConfig::default();
    for handle in [jfc.handle(), 0x7fff_ffff, 1 << 40] {
        let mut cmd = Segment::register_cmd(page.addr(), 4096, Some((token.id(), handle)), config);
        check_errno!(ctx.run(&mut cmd), EINVAL);
    }
    check_errno!(
        ctx.run(&mut Segment::unregister_cmd(token.handle())),
        EINVAL
    );
    check_errno!(
        ctx.run(&mut Token::free_cmd(jfc.handle(), token.id())),
        EINVAL
    );
    Ok(())
}

fn memory_limit_of_users() -> Outcome {
    let device = Device::first()?;
    let work = || -> Outcome {
        if sys::effective_uid() == 0 {
            // A user of its own: nobody else's memory counts.
            sys::become_user(23456)?;
        }
        sys::limit_memlock(256 << 10)?;
        let ctx = Context::open(&device)?;
        let map = Mapping::anonymous(1 << 20)?;
        for _ in 0..4 {
            check_errno!(register(&ctx, map.addr(), 1 << 20), ENOMEM | EPERM | EAGAIN);
            register(&ctx, map.addr(), 128 << 10)?;
        }
        let hold = Segment::alloc(&ctx, 192 << 10, 1)?;
        check_errno!(
            register(&ctx, map.addr(), 128 << 10),
            ENOMEM | EPERM | EAGAIN
        );
        drop(hold);
        register(&ctx, map.addr(), 128 << 10)?;
        Ok(())
    };
    match sys::fork()? {
        Fork::Child => match work() {
            Ok(()) => sys::exit_now(0),
            Err(why) => {
                println!("# {why:?}");
                sys::exit_now(1)
            }
        },
        Fork::Parent(pid) => check_eq!(sys::wait_for(pid)?, Exit::Code(0)),
    }
    Ok(())
}

fn pages_outlive_their_mapping() -> Outcome {
    let mut pair = Pair::create()?;
    let config = SegmentConfig {
        token: SEG_TOKEN,
        ..Default::default()
    };
    let memory = Arc::new(Mapping::anonymous(4 * 4096)?);
    let segment = Segment::register_own(&pair.b.ctx, &memory, 0, 4 * 4096, config)?;
    let data = pattern(3, 4 * 4096);
    segment.write(0, &data);
    memory.unmap_behind_its_back()?;
    let list = [pair.a.memory.sge(0, 4 * 4096)];
    let target = pair.to_b();
    let remote = segment.remote(0);
    pair.a
        .expect(&SendWr::read(target, remote, &list), UBURMA_CR_SUCCESS)?;
    check_eq!(pair.a.memory.bytes(0, 4 * 4096), data);
    pair.a
        .expect(&SendWr::write(target, remote, &list), UBURMA_CR_SUCCESS)?;
    drop(segment);
    pair.a.expect(
        &SendWr::read(target, remote, &list),
        UBURMA_CR_REM_ACCESS_ABORT_ERR,
    )?;
    std::mem::forget(memory);
    Ok(())
}

fn fork_does_not_move_pages() -> Outcome {
    let mut pair = Pair::create()?;
    let data = pattern(9, 1000);
    pair.a.memory.write(0, &data);
    // After a fork a private page is copied at the next write, unless it is pinned.
    let child = match sys::fork()? {
        Fork::Child => {
            std::thread::sleep(std::time::Duration::from_secs(20));
            sys::exit_now(0)
        }
        Fork::Parent(pid) => pid,
    };
    pair.b.memory.fill(0, 2000, 0x11);
    let list = [pair.a.memory.sge(0, 1000)];
    let target = pair.to_b();
    let remote = pair.b.memory.remote(500);
    let result = pair
        .a
        .expect(&SendWr::write(target, remote, &list), UBURMA_CR_SUCCESS);
    sys::kill(child, libc::SIGKILL)?;
    sys::wait_for(child)?;
    result?;
    check_eq!(pair.b.memory.bytes(500, 1000), data);
    check_eq!(pair.b.memory.bytes(0, 500), vec![0x11; 500]);
    Ok(())
}

fn import_cmd(eid: Eid, segment: &Segment, flag: u32) -> Cmd {
    Cmd::new(UBURMA_CMD_IMPORT_SEG)
        .bytes(UBURMA_IMPORT_SEG_IN_EID, &eid.0)
        .u64(UBURMA_IMPORT_SEG_IN_VA, segment.addr())
        .u64(UBURMA_IMPORT_SEG_IN_LEN, segment.len() as u64)
        .u32(UBURMA_IMPORT_SEG_IN_FLAG, flag)
        .u32(UBURMA_IMPORT_SEG_IN_TOKEN, SEG_TOKEN)
        .u32(UBURMA_IMPORT_SEG_IN_TOKEN_ID, segment.token_id())
        .u64(UBURMA_IMPORT_SEG_IN_MVA, 0)
        .udata(
            UBURMA_IMPORT_SEG_IN_UDATA,
            Some(UBURMA_IMPORT_SEG_OUT_UDATA),
            &[],
            0,
        )
        .out(UBURMA_IMPORT_SEG_OUT_HANDLE, 8)
}

fn import_and_unimport() -> Outcome {
    let pair = Pair::create()?;
    let unimport = |handle| {
        let mut cmd = Cmd::new(UBURMA_CMD_UNIMPORT_SEG).u64(UBURMA_UNIMPORT_SEG_IN_HANDLE, handle);
        pair.a.ctx.run(&mut cmd)
    };
    let access = UBURMA_ACCESS_READ << UBURMA_IMPORT_SEG_FLAG_ACCESS_SHIFT;
    let mut cmd = import_cmd(pair.b.ctx.eid(), &pair.b.memory, access);
    pair.a.ctx.run(&mut cmd)?;
    let handle = cmd.get_u64(UBURMA_IMPORT_SEG_OUT_HANDLE);
    check!(handle != 0);
    // Neither a segment of ours nor a jetty.
    check_errno!(pair.a.ctx.run(&mut Segment::unregister_cmd(handle)), EINVAL);
    check_errno!(unimport(pair.a.memory.handle()), EINVAL);
    check_errno!(unimport(pair.ab.handle()), EINVAL);
    unimport(handle)?;
    check_errno!(unimport(handle), EINVAL);
    Ok(())
}

fn many_segments() -> Outcome {
    let ctx = Context::open_first()?;
    let memory = Arc::new(Mapping::anonymous(4096)?);
    let config = SegmentConfig::default();
    let mut list = Vec::new();
    for i in 0..500 {
        list.push(Segment::register_own(&ctx, &memory, i, 8, config)?);
    }
    let mut ids: Vec<u32> = list.iter().map(Segment::token_id).collect();
    ids.sort_unstable();
    ids.dedup();
    check_eq!(ids.len(), 500);
    Ok(())
}

pub fn main() -> ExitCode {
    ub_tests::run(
        "t-token-seg",
        tests![
            token_ids,
            token_id_is_used_by_its_segment,
            token_id_of_many_segments,
            register_without_token_id,
            any_alignment,
            bad_ranges,
            half_of_a_range_is_missing,
            read_only_memory,
            bad_flags,
            wrong_class_of_handle,
            memory_limit_of_users,
            pages_outlive_their_mapping,
            fork_does_not_move_pages,
            import_and_unimport,
            many_segments,
        ],
    )
}
