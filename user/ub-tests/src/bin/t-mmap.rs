// SPDX-License-Identifier: GPL-2.0

//! Mapping of rings: what is refused, and how long a mapping lives.

use std::os::fd::AsRawFd;
use std::process::ExitCode;
use std::sync::atomic::Ordering;

use ub_client::abi::*;
use ub_client::sys::{self, Exit, Fork, MapFlags, Mapping};
use ub_client::{Context, Device, Error, Jfc};
use ub_tests::fixture::Side;
use ub_tests::{check_eq, check_errno, tests, Outcome};

fn map(ctx: &Context, resp: &ubsoft_queue_resp, how: MapFlags) -> Result<Mapping, Error> {
    Mapping::file(ctx.dev_fd(), resp.mmap_off, resp.mmap_len as usize, how)
}

fn resps(side: &mut Side) -> [ubsoft_queue_resp; 3] {
    [
        *side.sent.ring().ring().resp(),
        *side.jfr.ring().ring().resp(),
        *side.jetty.queue().ring().ring().resp(),
    ]
}

fn shared_only() -> Outcome {
    let mut side = Side::create(Default::default())?;
    for resp in resps(&mut side) {
        let how = MapFlags {
            private: true,
            ..Default::default()
        };
        check_errno!(map(&side.ctx, &resp, how), EINVAL | EACCES | EPERM);
        map(&side.ctx, &resp, MapFlags::default())?;
    }
    Ok(())
}

fn not_executable() -> Outcome {
    let mut side = Side::create(Default::default())?;
    for resp in resps(&mut side) {
        let how = MapFlags {
            exec: true,
            ..Default::default()
        };
        check_errno!(map(&side.ctx, &resp, how), EINVAL | EACCES | EPERM);
        let plain = map(&side.ctx, &resp, MapFlags::default())?;
        check_errno!(plain.make_executable(), EACCES);
    }
    Ok(())
}

fn exact_length_and_offset() -> Outcome {
    let mut side = Side::create(Default::default())?;
    for resp in resps(&mut side) {
        let try_map = |offset: u64, len: u64| {
            let how = MapFlags::default();
            Mapping::file(side.ctx.dev_fd(), offset, len as usize, how)
        };
        check_eq!(resp.mmap_len % 4096, 0);
        check_eq!(resp.mmap_off % 4096, 0);
        for len in [
            4096,
            resp.mmap_len - 4096,
            resp.mmap_len + 4096,
            resp.mmap_len * 2,
        ] {
            if len == 0 || len == resp.mmap_len {
                continue;
            }
            check_errno!(try_map(resp.mmap_off, len), EINVAL);
        }
        check_errno!(try_map(resp.mmap_off + 4096, resp.mmap_len), EINVAL);
        check_errno!(try_map(resp.mmap_off + 4096, resp.mmap_len - 4096), EINVAL);
        for offset in [1 << 40, (1 << 62) + resp.mmap_off] {
            check_errno!(try_map(offset, resp.mmap_len), EINVAL | EOVERFLOW);
        }
        try_map(resp.mmap_off, resp.mmap_len)?;
    }
    Ok(())
}

fn needs_a_context() -> Outcome {
    let mut side = Side::create(Default::default())?;
    let bare = Context::open_bare(&Device::first()?)?;
    for resp in resps(&mut side) {
        let len = resp.mmap_len as usize;
        let how = MapFlags::default();
        check_errno!(
            Mapping::file(bare.as_raw_fd(), resp.mmap_off, len, how),
            EINVAL
        );
    }
    check_errno!(
        Mapping::file(bare.as_raw_fd(), 0, 4096, MapFlags::default()),
        EINVAL
    );
    Ok(())
}

fn of_its_own_context_only() -> Outcome {
    let mut side = Side::create(Default::default())?;
    let other = Context::open_first()?;
    for resp in resps(&mut side) {
        check_errno!(
            map(&other, &resp, MapFlags::default()),
            EINVAL | EACCES | EPERM
        );
    }
    Ok(())
}

fn event_files_cannot_be_mapped() -> Outcome {
    let ctx = Context::open_first()?;
    for fd in [ctx.events().as_raw_fd(), ctx.doorbell_fd()] {
        check_errno!(Mapping::file(fd, 0, 4096, MapFlags::default()), ENODEV);
    }
    Ok(())
}

fn two_mappings_are_one_ring() -> Outcome {
    let side = Side::create(Default::default())?;
    let ring = side.sent.ring().ring();
    let second = map(&side.ctx, ring.resp(), MapFlags::default())?;
    ring.mapping().store32(68, 0, Ordering::SeqCst);
    second.store64(4096, 0x1122_3344_5566_7788, Ordering::SeqCst);
    let seen = ring.mapping().load64(4096, Ordering::SeqCst);
    check_eq!(seen, 0x1122_3344_5566_7788);
    Ok(())
}

/// A child that touches a mapping of its parent's is killed.
fn fork_does_not_inherit() -> Outcome {
    let side = Side::create(Default::default())?;
    let mapping = side.sent.ring().ring().mapping();
    check_errno!(mapping.inherit(true), EINVAL);
    match sys::fork()? {
        Fork::Child => {
            mapping.load32(0, Ordering::SeqCst);
            sys::exit_now(0)
        }
        Fork::Parent(pid) => {
            check_eq!(sys::wait_for(pid)?, Exit::Signal(libc::SIGSEGV));
        }
    }
    mapping.load32(0, Ordering::SeqCst);
    Ok(())
}

fn cannot_grow() -> Outcome {
    let mut side = Side::create(Default::default())?;
    let resp = resps(&mut side)[0];
    let mut mapping = map(&side.ctx, &resp, MapFlags::default())?;
    check_errno!(mapping.resize(mapping.len() + 4096), EFAULT | EINVAL);
    mapping.load32(0, Ordering::SeqCst);
    Ok(())
}

/// A ring is mapped as a whole or not at all.
fn cannot_be_cut() -> Outcome {
    let mut side = Side::create(Default::default())?;
    let resp = resps(&mut side)[2];
    let mut mapping = map(&side.ctx, &resp, MapFlags::default())?;
    check_errno!(mapping.resize(4096), EINVAL);
    check_eq!(mapping.load32(0, Ordering::SeqCst), UBSOFT_RING_MAGIC);
    mapping.load32(mapping.len() - 4, Ordering::SeqCst);
    Ok(())
}

fn outlives_its_queue() -> Outcome {
    let ctx = Context::open_first()?;
    let mut jfc = Jfc::create(&ctx, 64)?;
    let resp = *jfc.ring().ring().resp();
    let mapping = map(&ctx, &resp, MapFlags::default())?;
    jfc.destroy()?;
    check_eq!(mapping.load32(0, Ordering::SeqCst), UBSOFT_RING_MAGIC);
    mapping.fill(0, mapping.len(), 0xff);
    // What is gone cannot be mapped again.
    check_errno!(map(&ctx, &resp, MapFlags::default()), EINVAL);
    // Nor does a new queue get the old pages while they are mapped.
    let fresh = Jfc::create(&ctx, 64)?;
    let header = fresh.ring().ring().mapping().load32(0, Ordering::SeqCst);
    check_eq!(header, UBSOFT_RING_MAGIC);
    mapping.fill(0, mapping.len(), 0x00);
    let header = fresh.ring().ring().mapping().load32(0, Ordering::SeqCst);
    check_eq!(header, UBSOFT_RING_MAGIC);
    Ok(())
}

fn outlives_all_files() -> Outcome {
    let before = ub_tests::fixture::count_fds()?;
    let mut kept = Vec::new();
    for _ in 0..8 {
        let mut side = Side::create(Default::default())?;
        for resp in resps(&mut side) {
            kept.push(map(&side.ctx, &resp, MapFlags::default())?);
        }
    }
    check_eq!(ub_tests::fixture::count_fds()?, before);
    for mapping in &kept {
        check_eq!(mapping.load32(0, Ordering::SeqCst), UBSOFT_RING_MAGIC);
        mapping.fill(0, mapping.len(), 0xaa);
    }
    Ok(())
}

fn writing_the_header_changes_nothing_for_the_kernel() -> Outcome {
    let mut pair = ub_tests::fixture::Pair::create()?;
    let target = pair.to_b();
    for ring in [
        pair.a.sent.ring().ring().mapping(),
        pair.a.jfr.ring().ring().mapping(),
    ] {
        // Kind, entries and stride are for information.
        for offset in [0, 4, 8, 12, 16] {
            ring.store32(offset, 0xffff_ffff, Ordering::SeqCst);
        }
    }
    let map = pair.a.jetty.queue().ring().ring().mapping();
    for offset in [0, 4, 8, 12, 16] {
        map.store32(offset, 0xffff_ffff, Ordering::SeqCst);
    }
    let list = [pair.a.memory.sge(0, 64)];
    for _ in 0..100 {
        let wr = ub_client::SendWr::write(target, pair.b.memory.remote(0), &list);
        pair.a.expect(&wr, UBURMA_CR_SUCCESS)?;
    }
    Ok(())
}

pub fn main() -> ExitCode {
    ub_tests::run(
        "t-mmap",
        tests![
            shared_only,
            not_executable,
            exact_length_and_offset,
            needs_a_context,
            of_its_own_context_only,
            event_files_cannot_be_mapped,
            two_mappings_are_one_ring,
            fork_does_not_inherit,
            cannot_grow,
            cannot_be_cut,
            outlives_its_queue,
            outlives_all_files,
            writing_the_header_changes_nothing_for_the_kernel,
        ],
    )
}
