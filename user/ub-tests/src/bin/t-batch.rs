// SPDX-License-Identifier: GPL-2.0

//! Destroying many objects by one command.

use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};

use ub_client::abi::*;
use ub_client::tlv::{Cmd, Place};
use ub_client::{
    AsyncEvent, Batch, BatchReply, Context, Jetty, JettyConfig, Jfc, JfcConfig, Jfce, Jfr,
    JfrConfig, Jfs, JfsConfig, SendWr, Target,
};
use ub_tests::fixture::{Pair, Side, SOON};
use ub_tests::own::Own;
use ub_tests::{check, check_eq, check_errno, tests, Failure, Outcome};

/// An address that belongs to the kernel.
const KERNEL: u64 = 0xffff_8000_0000_0000;

/// Runs a command that creates something, and returns the handle.
fn create(ctx: &Context, mut cmd: Cmd, handle: u32) -> Result<u64, Failure> {
    ctx.run(&mut cmd)?;
    Ok(cmd.get_u64(handle))
}

fn new_jfc(ctx: &Context) -> Result<u64, Failure> {
    let cmd = Jfc::create_cmd(JfcConfig::default());
    create(ctx, cmd, UBURMA_CREATE_JFC_OUT_HANDLE)
}

fn new_jfs(side: &Side) -> Result<u64, Failure> {
    let cmd = Jfs::create_cmd(JfsConfig::on(&side.sent));
    create(&side.ctx, cmd, UBURMA_CREATE_JFS_OUT_HANDLE)
}

fn new_jfr(side: &Side) -> Result<u64, Failure> {
    let cmd = Jfr::create_cmd(JfrConfig::on(&side.received));
    create(&side.ctx, cmd, UBURMA_CREATE_JFR_OUT_HANDLE)
}

fn new_jetty(side: &Side) -> Result<u64, Failure> {
    let cmd = Jetty::create_cmd(JettyConfig::on(&side.sent, &side.received, &side.jfr));
    create(&side.ctx, cmd, UBURMA_CREATE_JETTY_OUT_HANDLE)
}

fn new_object(side: &Side, class: Batch) -> Result<u64, Failure> {
    match class {
        Batch::Jfs => new_jfs(side),
        Batch::Jfr => new_jfr(side),
        Batch::Jfc => new_jfc(&side.ctx),
        Batch::Jetty => new_jetty(side),
    }
}

fn new_objects(side: &Side, class: Batch, count: usize) -> Result<Vec<u64>, Failure> {
    (0..count).map(|_| new_object(side, class)).collect()
}

fn delete_one(class: Batch, handle: u64) -> Cmd {
    match class {
        Batch::Jfs => Jfs::delete_cmd(handle),
        Batch::Jfr => Jfr::delete_cmd(handle),
        Batch::Jfc => Jfc::delete_cmd(handle),
        Batch::Jetty => Jetty::delete_cmd(handle),
    }
}

const CLASSES: [Batch; 4] = [Batch::Jfs, Batch::Jfr, Batch::Jfc, Batch::Jetty];

/// A batch must fail with one of the errnos, at this place, and destroy nothing.
fn must_fail(ctx: &Context, class: Batch, handles: &[u64], errno: i32, bad: u32) -> Outcome {
    let (reply, result) = class.destroy(ctx, handles);
    match result {
        Err(err) if err.errno() == errno => (),
        other => {
            return Err(Failure::Fail(format!(
                "{class:?} {handles:?}: {other:?}, errno {errno} was due"
            )))
        }
    }
    let due = BatchReply {
        bad,
        ..Default::default()
    };
    check_eq!(reply, due, "{class:?} {handles:?}");
    Ok(())
}

fn each_class() -> Outcome {
    let side = Side::create(Default::default())?;
    for class in CLASSES {
        for count in [1, 2, 17] {
            let handles = new_objects(&side, class, count)?;
            let (reply, result) = class.destroy(&side.ctx, &handles);
            result?;
            check_eq!(reply, BatchReply::default());
            for handle in handles {
                check_errno!(side.ctx.run(&mut delete_one(class, handle)), EINVAL);
            }
        }
    }
    Ok(())
}

fn bad_handles_change_nothing() -> Outcome {
    let side = Side::create(Default::default())?;
    for class in CLASSES {
        let good = new_objects(&side, class, 3)?;
        let [a, b, c] = [good[0], good[1], good[2]];
        let gone = new_object(&side, class)?;
        side.ctx.run(&mut delete_one(class, gone))?;
        let other = match class {
            Batch::Jfs => side.jfr.handle(),
            _ => new_jfs(&side)?,
        };
        let fail = |handles: &[u64], bad| must_fail(&side.ctx, class, handles, libc::EINVAL, bad);
        for wrong in [0, gone, other, 1 << 31, u64::MAX, a | 1 << 32] {
            fail(&[wrong, a, b, c], 0)?;
            fail(&[a, b, wrong, c], 2)?;
            fail(&[a, b, c, wrong], 3)?;
        }
        // Twice the same, and which mistake is the first.
        fail(&[a, a], 1)?;
        fail(&[a, b, c, b, a], 3)?;
        fail(&[a, b, a, gone], 2)?;
        fail(&[a, gone, a], 1)?;
        let (_, result) = class.destroy(&side.ctx, &good);
        result?;
        if class != Batch::Jfs {
            side.ctx.run(&mut Jfs::delete_cmd(other))?;
        }
    }
    Ok(())
}

fn objects_in_use() -> Outcome {
    let side = Side::create(Default::default())?;
    let (jfc, jfr) = (new_jfc(&side.ctx)?, new_jfr(&side)?);
    let (used_jfc, used_jfr) = (side.received.handle(), side.jfr.handle());
    must_fail(&side.ctx, Batch::Jfc, &[jfc, used_jfc], libc::EBUSY, 1)?;
    must_fail(&side.ctx, Batch::Jfr, &[used_jfr, jfr], libc::EBUSY, 0)?;
    // Both work still.
    let list = [side.memory.sge(0, 8)];
    let mut side = side;
    let target = side.import(&side)?;
    let wr = SendWr::write(target.target_ref(), side.memory.remote(64), &list);
    side.expect(&wr, UBURMA_CR_SUCCESS)?;
    let (_, result) = Batch::Jfc.destroy(&side.ctx, &[jfc]);
    result?;
    let (_, result) = Batch::Jfr.destroy(&side.ctx, &[jfr]);
    result?;
    Ok(())
}

fn counts_and_addresses() -> Outcome {
    let side = Side::create(Default::default())?;
    for class in CLASSES {
        let handle = new_object(&side, class)?;
        let at = |count, address| side.ctx.run(&mut class.cmd_at(count, address));
        let list = [handle; 4];
        let good = list.as_ptr() as u64;
        check_errno!(at(0, good), EINVAL);
        for count in [UBURMA_MAX_BATCH + 1, 1 << 31, u32::MAX] {
            check_errno!(at(count, good), EINVAL);
        }
        for address in [0, 8, KERNEL, u64::MAX, u64::MAX - 7] {
            check_errno!(at(1, address), EFAULT);
            check_errno!(at(UBURMA_MAX_BATCH, address), EFAULT);
        }
        // Replies that cannot be written.
        let reply: Vec<usize> = class
            .cmd_at(1, good)
            .attrs()
            .iter()
            .enumerate()
            .filter(|(_, attr)| u32::from(attr.id) >= UBURMA_ATTR_OUT_BASE)
            .map(|(i, _)| i)
            .collect();
        for i in reply {
            let mut cmd = class.cmd_at(1, good);
            cmd.attrs_mut()[i].place = Place::Address(8);
            check_errno!(side.ctx.run(&mut cmd), EFAULT);
        }
        at(1, good)?;
    }
    Ok(())
}

/// One event of each of two jettys, of which one is read.
fn events_of_jettys_are_summed() -> Outcome {
    let side = Side::create(Default::default())?;
    let mut jettys = Vec::new();
    for cookie in 1..=3 {
        let mut config = JettyConfig::on(&side.sent, &side.received, &side.jfr);
        config.cookie = cookie;
        jettys.push(Jetty::create(&side.ctx, config)?);
    }
    for jetty in jettys.iter_mut().take(2) {
        jetty.queue().ring().ring().set_user_idx(0x4000_0000);
        let _ = jetty.queue().kick();
    }
    let event = side.ctx.events().get_within(5000)?;
    let due = AsyncEvent {
        kind: UBURMA_EVENT_JETTY_ERR,
        data: 1,
    };
    check_eq!(event, Some(due));
    let handles: Vec<u64> = jettys.iter().map(Jetty::handle).collect();
    let (reply, result) = Batch::Jetty.destroy(&side.ctx, &handles);
    result?;
    check_eq!((reply.events, reply.bad), (1, 0));
    check_eq!(
        side.ctx.events().get_within(0)?,
        None,
        "an event of a jetty that is gone"
    );
    Ok(())
}

/// Two JFCs of one channel: two completion events of the one are read, one of the other.
fn events_of_jfcs_are_summed() -> Outcome {
    let side = Side::create(Default::default())?;
    let jfce = Jfce::create(&side.ctx)?;
    let target = side.import(&side)?;
    let mut jfcs = Vec::new();
    let list = [side.memory.sge(0, 8)];
    for (cookie, events) in [(1, 2), (2, 1), (3, 0)] {
        let mut jfc = Jfc::create_on(&side.ctx, 16, &jfce, cookie)?;
        let mut jfs = Jfs::create(&side.ctx, JfsConfig::on(&jfc))?;
        for _ in 0..events {
            jfc.arm(false)?;
            let wr = SendWr::write(target.target_ref(), side.memory.remote(64), &list);
            jfs.queue().send(&wr)?;
            jfc.wait_polling(SOON)?;
            check_eq!(jfce.wait(16, 5000)?, [cookie]);
        }
        jfs.destroy()?;
        jfcs.push(jfc);
    }
    // One that nobody reads.
    let mut jfs = Jfs::create(&side.ctx, JfsConfig::on(&jfcs[2]))?;
    jfcs[2].arm(false)?;
    let wr = SendWr::write(target.target_ref(), side.memory.remote(64), &list);
    jfs.queue().send(&wr)?;
    jfcs[2].wait_polling(SOON)?;
    jfs.destroy()?;
    let handles: Vec<u64> = jfcs.iter().map(Jfc::handle).collect();
    let (reply, result) = Batch::Jfc.destroy(&side.ctx, &handles);
    result?;
    check_eq!((reply.completions, reply.events, reply.bad), (3, 0, 0));
    check_errno!(jfce.wait(16, 0), EAGAIN);
    Ok(())
}

fn bound_jettys_are_unbound() -> Outcome {
    let pair = Pair::in_mode(UBURMA_TM_RC)?;
    let (a, ab) = (&pair.a, &pair.ab);
    let (_, result) = Batch::Jetty.destroy(&a.ctx, &[a.jetty.handle()]);
    result?;
    a.ctx.run(&mut Target::unimport_jetty_cmd(ab.handle()))?;
    check_errno!(a.ctx.run(&mut Jetty::delete_cmd(a.jetty.handle())), EINVAL);
    Ok(())
}

fn many() -> Outcome {
    let ctx = Context::open_first()?;
    let count = 300;
    let handles: Vec<u64> = (0..count)
        .map(|_| {
            let config = JfcConfig {
                depth: 1,
                ..Default::default()
            };
            create(&ctx, Jfc::create_cmd(config), UBURMA_CREATE_JFC_OUT_HANDLE)
        })
        .collect::<Result<_, _>>()?;
    let mut twice = handles.clone();
    twice.push(handles[70]);
    must_fail(&ctx, Batch::Jfc, &twice, libc::EINVAL, count)?;
    let (_, result) = Batch::Jfc.destroy(&ctx, &handles);
    result?;
    Ok(())
}

/// Batches and single commands for the same objects: each object goes once.
fn races_for_the_same_objects() -> Outcome {
    let side = Side::create(Default::default())?;
    for _ in 0..12 {
        let handles = new_objects(&side, Batch::Jetty, 8)?;
        let gone = AtomicUsize::new(0);
        std::thread::scope(|scope| -> Outcome {
            let mut threads = Vec::new();
            for part in [&handles[..], &handles[2..], &handles[..5]] {
                threads.push(scope.spawn(|| {
                    if Batch::Jetty.destroy(&side.ctx, part).1.is_ok() {
                        gone.fetch_add(part.len(), Ordering::Relaxed);
                    }
                }));
            }
            threads.push(scope.spawn(|| {
                for handle in handles.iter().rev() {
                    if side.ctx.run(&mut Jetty::delete_cmd(*handle)).is_ok() {
                        gone.fetch_add(1, Ordering::Relaxed);
                    }
                }
            }));
            for thread in threads {
                thread
                    .join()
                    .map_err(|_| Failure::Fail("a thread died".to_string()))?;
            }
            Ok(())
        })?;
        for handle in &handles {
            if side.ctx.run(&mut Jetty::delete_cmd(*handle)).is_ok() {
                gone.fetch_add(1, Ordering::Relaxed);
            }
        }
        check_eq!(gone.into_inner(), handles.len());
    }
    Ok(())
}

fn when_the_device_is_gone() -> Outcome {
    if ub_client::sys::effective_uid() != 0 {
        ub_tests::skip!("needs root");
    }
    let mut own = Own::create("ubtest0")?;
    let side = own.side()?;
    let handles = new_objects(&side, Batch::Jfs, 4)?;
    own.remove()?;
    must_fail(
        &side.ctx,
        Batch::Jfs,
        &[handles[0], handles[0]],
        libc::EINVAL,
        1,
    )?;
    let (reply, result) = Batch::Jfs.destroy(&side.ctx, &handles);
    result?;
    check_eq!(reply, BatchReply::default());
    must_fail(&side.ctx, Batch::Jfs, &handles, libc::EINVAL, 0)?;
    check!(!side.ctx.device().node().exists());
    Ok(())
}

pub fn main() -> ExitCode {
    ub_tests::run(
        "t-batch",
        tests![
            each_class,
            bad_handles_change_nothing,
            objects_in_use,
            counts_and_addresses,
            events_of_jettys_are_summed,
            events_of_jfcs_are_summed,
            bound_jettys_are_unbound,
            many,
            races_for_the_same_objects,
            when_the_device_is_gone,
        ],
    )
}
