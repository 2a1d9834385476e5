// SPDX-License-Identifier: GPL-2.0

//! A device goes away while it is in use, by configfs or with its module.

use std::fs;
use std::os::fd::{AsRawFd, RawFd};
use std::path::Path;
use std::process::ExitCode;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use ub_client::abi::*;
use ub_client::sys::{self, Exit, Fork, Pid};
use ub_client::{
    AsyncEvents, Context, ContextOptions, DevAttr, Device, Doorbell, Error, Jfc, Jfce, Jfs,
    JfsConfig, Segment, SendWr, Target, Token,
};
use ub_tests::fixture::{Side, SOON};
use ub_tests::own::{Own, CONFIG};
use ub_tests::{check, check_eq, check_errno, modules, tests, Failure, Options, Outcome};

fn made_and_removed() -> Outcome {
    for _ in 0..3 {
        let mut own = Own::create("ubtest0")?;
        check_eq!(own.device.driver, "ubsoft");
        let names: Vec<String> = Device::list()?
            .into_iter()
            .map(|device| device.name)
            .collect();
        check!(names.contains(&"ubtest0".to_string()));
        let eid = fs::read_to_string(own.dir.join("eid"))?;
        check_eq!(eid.trim(), own.device.eid(0)?.to_string());
        check!(
            Device::first()?.eid(0)? != own.device.eid(0)?,
            "two devices of one EID"
        );
        Context::open(&own.device)?;
        own.remove()?;
    }
    Ok(())
}

fn names_are_checked() -> Outcome {
    let long = "x".repeat(64);
    for name in [&long, "ubcore", ".hidden"] {
        let made = fs::create_dir(Path::new(CONFIG).join(name));
        if made.is_ok() {
            let _ = fs::remove_dir(Path::new(CONFIG).join(name));
            return Err(Failure::Fail(format!("a device called '{name}'")));
        }
    }
    let first = Own::create("ubtest0")?;
    check!(fs::create_dir(&first.dir).is_err());
    // The name of a device that was made otherwise.
    let taken = Device::first()?.name;
    if !Path::new(CONFIG).join(&taken).exists() {
        check!(
            fs::create_dir(Path::new(CONFIG).join(&taken)).is_err(),
            "{taken} twice"
        );
    }
    Ok(())
}

fn between_two_devices() -> Outcome {
    let own = Own::create("ubtest0")?;
    let mut here = Side::create(Default::default())?;
    let there = own.side()?;
    let target = here.import(&there)?;
    here.memory.write(0, b"to another device");
    let list = [here.memory.sge(0, 17)];
    let wr = SendWr::write(target.target_ref(), there.memory.remote(0), &list);
    here.expect(&wr, UBURMA_CR_SUCCESS)?;
    check_eq!(there.memory.bytes(0, 17), b"to another device");
    Ok(())
}

/// Everything about a context whose device is gone.
fn check_gone(side: &mut Side, target: &mut Target, device: &Device) -> Outcome {
    let ctx = side.ctx.clone();
    check_errno!(Jfc::create(&ctx, 8), EIO);
    check_errno!(Token::alloc(&ctx), EIO);
    check_errno!(Segment::alloc(&ctx, 4096, 1), EIO);
    check_errno!(Jfce::create(&ctx), EIO);
    check_errno!(side.jetty.query(), EIO);
    check_errno!(side.jetty.set_state(UBURMA_JETTY_STATE_ERROR), EIO);
    check_errno!(DevAttr::query(ctx.dev_fd(), device), EIO);
    check_errno!(ctx.eid_list(4), EIO);
    check_errno!(side.jetty.queue().kick(), EIO);
    check_errno!(side.sent.arm(false), EIO);
    check_errno!(side.jfr.kick(), EIO);
    // One event, then the hang-up alone.
    let ready = ctx.events().poll_now()?;
    check!(ready & libc::POLLIN != 0, "poll {ready:#x}");
    check_eq!(ctx.events().get()?.kind, UBURMA_EVENT_DEV_FATAL);
    check_eq!(ctx.events().poll_now()? & libc::POLLHUP, libc::POLLHUP);
    check_errno!(ctx.events().get(), EIO);
    // Rings stay, with a flag.
    for ring in [side.sent.ring().ring(), side.jfr.ring().ring()] {
        check!(
            ring.kern_flags() & UBSOFT_RING_GONE != 0,
            "flags {:#x}",
            ring.kern_flags()
        );
        ring.mapping().store32(64, 5, Ordering::SeqCst);
    }
    check!(side.jetty.queue().ring().ring().kern_flags() & UBSOFT_RING_GONE != 0);
    // The user can give everything back.
    target.unimport()?;
    check_eq!(side.jetty.destroy()?, 0);
    side.jfr.destroy()?;
    side.sent.destroy()?;
    side.received.destroy()?;
    side.memory.unregister()?;
    check_errno!(side.sent.destroy(), EINVAL);
    Ok(())
}

fn removed_while_open() -> Outcome {
    let mut own = Own::create("ubtest0")?;
    let mut side = own.side()?;
    let peer = own.side()?;
    let mut target = side.import(&peer)?;
    let bare = Context::open_bare(&own.device)?;
    let jfce = Jfce::create(&side.ctx)?;
    own.remove()?;
    check_errno!(DevAttr::query(bare.as_raw_fd(), &own.device), EIO);
    check_errno!(
        Context::create_cmd(&peer.ctx.eid(), 0).run(bare.as_raw_fd()),
        EIO
    );
    check_eq!(
        sys::poll(jfce.as_raw_fd(), libc::POLLIN, 0)? & libc::POLLHUP,
        libc::POLLHUP
    );
    check_errno!(jfce.wait(1, -1), EIO);
    check_gone(&mut side, &mut target, &own.device)?;
    // The other one is not given back: closing does.
    drop(peer);
    // The same name, afresh, beside the files of the old one.
    let again = Own::create("ubtest0")?;
    Context::open(&again.device)?;
    check_errno!(Jfc::create(&side.ctx, 8), EIO);
    Ok(())
}

fn removed_under_an_importer() -> Outcome {
    let mut own = Own::create("ubtest0")?;
    let mut here = Side::create(Default::default())?;
    let there = own.side()?;
    let mut target = here.import(&there)?;
    own.remove()?;
    let list = [here.memory.sge(0, 8)];
    let wr = SendWr::write(target.target_ref(), there.memory.remote(0), &list);
    let cqe = here.execute(&wr)?;
    check!(u32::from(cqe.status) != UBURMA_CR_SUCCESS);
    target.unimport()?;
    Ok(())
}

/// Threads that are blocked come back.
fn removed_while_somebody_waits() -> Outcome {
    let mut own = Own::create("ubtest0")?;
    let ctx = Context::open(&own.device)?;
    let jfce = Jfce::create(&ctx)?;
    let jfce_fd = jfce.as_raw_fd();
    let events = ctx.events().clone();
    let waiter = std::thread::spawn(move || {
        Jfce::wait_cmd(1, -1)
            .run_event(jfce_fd)
            .map_err(|err| err.errno())
    });
    let reader = std::thread::spawn(move || events.get().map_err(|err| err.errno()));
    let poller = std::thread::spawn(move || sys::poll(jfce_fd, libc::POLLIN, 20_000));
    std::thread::sleep(Duration::from_millis(200));
    own.remove()?;
    let died = |_| Failure::Fail("a thread died".to_string());
    check_eq!(waiter.join().map_err(died)?, Err(libc::EIO));
    let event = reader.join().map_err(died)?;
    check_eq!(event.map(|event| event.kind), Ok(UBURMA_EVENT_DEV_FATAL));
    check_eq!(poller.join().map_err(died)?? & libc::POLLHUP, libc::POLLHUP);
    Ok(())
}

/// Sends to itself until the device says that it is gone.
/// Says on `under_way`, an eventfd, when the first transfer is done.
fn work_until_gone(device: &Device, under_way: RawFd) -> Outcome {
    let ctx = Context::open(device)?;
    let mut side = Side::create_in(ctx, Default::default())?;
    let own = Target::jetty(&side.ctx, side.target_config())?;
    let mut first = true;
    loop {
        let list = [side.memory.sge(0, 30_000)];
        let wr = SendWr::write(own.target_ref(), side.memory.remote(32 << 10), &list);
        let done = side.jetty.queue().send(&wr);
        if done.as_ref().is_err_and(|err| err.errno() == libc::EIO) {
            break;
        }
        done?;
        match side.sent.wait_polling(Duration::from_secs(2)) {
            Ok(_) => (),
            Err(Error::TimedOut(_)) => break,
            Err(err) => return Err(err.into()),
        }
        if std::mem::take(&mut first) {
            sys::write_fd(under_way, &1u64.to_ne_bytes())?;
        }
    }
    check_eq!(side.ctx.events().get()?.kind, UBURMA_EVENT_DEV_FATAL);
    Ok(())
}

fn start(work: impl FnOnce() -> Outcome) -> Result<Pid, Failure> {
    match sys::fork()? {
        Fork::Parent(pid) => Ok(pid),
        Fork::Child => {
            sys::die_with_parent();
            let done = work();
            if let Err(why) = &done {
                eprintln!("# child: {why:?}");
            }
            sys::exit_now(i32::from(done.is_err()))
        }
    }
}

/// Starts two children that work, and waits until both do.
fn start_traffic(device: &Device) -> Result<Vec<Pid>, Failure> {
    let under_way = sys::eventfd()?;
    let mut children = Vec::new();
    for _ in 0..2 {
        let (device, fd) = (device.clone(), under_way.as_raw_fd());
        children.push(start(move || work_until_gone(&device, fd))?);
    }
    let mut working = 0;
    while working < 2 {
        let mut count = [0; 8];
        sys::read_fd(under_way.as_raw_fd(), &mut count)?;
        working += u64::from_ne_bytes(count);
    }
    Ok(children)
}

fn removed_in_the_middle_of_traffic() -> Outcome {
    for i in 0..5 {
        let mut own = Own::create("ubtest0")?;
        let children = start_traffic(&own.device)?;
        std::thread::sleep(Duration::from_millis(30 * i));
        for child in &children {
            check!(sys::try_wait(*child)?.is_none(), "a child ended too early");
        }
        own.remove()?;
        for child in children {
            check_eq!(sys::wait_for(child)?, Exit::Code(0));
        }
    }
    Ok(())
}

/// Removes a device while it copies; tells whether that was cut short.
fn cuts_a_copy_short(doorbell: Doorbell) -> Result<bool, Failure> {
    const LEN: usize = 64 << 20;
    let mut own = Own::create("ubtest0")?;
    let options = ContextOptions {
        doorbell,
        ..Default::default()
    };
    let ctx = Context::open_with(&own.device, options)?;
    let mut side = Side::create_in(ctx, Default::default())?;
    let to = Target::jetty(&side.ctx, side.target_config())?;
    let memory = Segment::alloc(&side.ctx, 2 * LEN, 5)?;
    memory.fill(0, LEN, 1);
    let list = [memory.sge(0, LEN)];
    let wr = SendWr::write(to.target_ref(), memory.remote(LEN), &list);
    std::thread::scope(|scope| {
        // It is carried out, or the device was gone before it was heard.
        let sender = scope.spawn(|| side.jetty.queue().send(&wr));
        while memory.bytes(LEN, 1) == [0] && !sender.is_finished() {
            std::hint::spin_loop();
        }
        own.remove()?;
        let _ = sender
            .join()
            .map_err(|_| Failure::Fail("a thread died".to_string()))?;
        Ok(memory.bytes(2 * LEN - 1, 1) == [0])
    })
}

/// A long copy does not hold the removal up, whichever way its doorbell was rung.
fn removed_in_the_middle_of_a_copy() -> Outcome {
    for doorbell in [Doorbell::File, Doorbell::UserCtl] {
        let mut tries = 0;
        // A slow machine may be late.
        while !cuts_a_copy_short(doorbell)? {
            tries += 1;
            check!(tries < 5, "{doorbell:?}: it was always finished");
        }
    }
    Ok(())
}

/// A sender waits for a buffer of a receiver whose device goes.
fn removed_while_a_sender_waits() -> Outcome {
    let mut own = Own::create("ubtest0")?;
    let config = ub_tests::fixture::PairConfig {
        rnr_retry: 7,
        min_rnr_timer: 15,
        ..Default::default()
    };
    let mut here = Side::create(config)?;
    let there = own.side()?;
    let target = here.import(&there)?;
    let list = [here.memory.sge(0, 8)];
    here.jetty
        .queue()
        .send(&SendWr::send(target.target_ref(), &list))?;
    check!(here.sent.poll().is_none());
    own.remove()?;
    let cqe = here.wait_sent()?;
    check!(u32::from(cqe.status) != UBURMA_CR_SUCCESS);
    Ok(())
}

fn opened_while_it_goes() -> Outcome {
    let stop = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
    let opener = {
        let stop = stop.clone();
        std::thread::spawn(move || {
            let device = Device {
                name: "ubtest0".to_string(),
                driver: "ubsoft".to_string(),
            };
            let (mut opened, mut refused) = (0u32, 0u32);
            while !stop.load(Ordering::Relaxed) {
                match Context::open(&device) {
                    Ok(ctx) => {
                        opened += 1;
                        let _ = Jfc::create(&ctx, 4);
                    }
                    Err(_) => refused += 1,
                }
            }
            (opened, refused)
        })
    };
    for _ in 0..30 {
        let mut own = Own::create("ubtest0")?;
        std::thread::sleep(Duration::from_millis(10));
        own.remove()?;
    }
    stop.store(true, Ordering::Relaxed);
    let (opened, _) = opener
        .join()
        .map_err(|_| Failure::Fail("the opener died".to_string()))?;
    check!(opened > 0, "it was never open");
    Ok(())
}

/// The files that a test holds over the unloading of the driver.
struct Held {
    side: Side,
    target: Target,
    peer: Side,
}

fn hold() -> Result<Held, Failure> {
    let side = Side::create(Default::default())?;
    let peer = Side::create(Default::default())?;
    let target = side.import(&peer)?;
    Ok(Held { side, target, peer })
}

fn without_driver(work: impl FnOnce() -> Outcome) -> Outcome {
    modules::unload("ubsoft")?;
    let done = work();
    modules::load_all()?;
    done?;
    // It works again.
    let mut side = Side::create(Default::default())?;
    let own = Target::jetty(&side.ctx, side.target_config())?;
    let list = [side.memory.sge(0, 64)];
    let wr = SendWr::write(own.target_ref(), side.memory.remote(4096), &list);
    side.expect(&wr, UBURMA_CR_SUCCESS)?;
    Ok(())
}

fn driver_unloaded_while_in_use() -> Outcome {
    let mut held = hold()?;
    let device = held.side.ctx.device().clone();
    without_driver(|| {
        check!(!modules::is_loaded("ubsoft"));
        check!(!device.node().exists());
        check_gone(&mut held.side, &mut held.target, &device)
    })?;
    // Its mappings outlive it, and a second loading.
    held.peer
        .sent
        .ring()
        .ring()
        .mapping()
        .fill(4096, 4096, 0x55);
    check_errno!(Jfc::create(&held.peer.ctx, 8), EIO);
    Ok(())
}

fn driver_unloaded_in_the_middle_of_traffic() -> Outcome {
    for _ in 0..3 {
        let device = Device::first()?;
        let children = start_traffic(&device)?;
        without_driver(|| Ok(()))?;
        for child in children {
            check_eq!(sys::wait_for(child)?, Exit::Code(0));
        }
    }
    Ok(())
}

fn doorbell_without_driver() -> Outcome {
    let side = Side::create(Default::default())?;
    let bell: RawFd = side.ctx.doorbell_fd();
    without_driver(|| {
        for request in [IOC_SQ_KICK, IOC_RQ_KICK, IOC_CQ_ARM, IOC_CQ_ARM_SOLICITED] {
            check_eq!(sys::ioctl(bell, request, 1), Err(libc::EIO));
        }
        Ok(())
    })
}

fn used_modules_stay() -> Outcome {
    let ctx = Context::open_first()?;
    for name in ["uburma", "ubcore"] {
        check_errno!(sys::delete_module(name), EAGAIN | EBUSY);
    }
    // An event file alone holds them too.
    let events: AsyncEvents = ctx.events().clone();
    drop(ctx);
    without_driver(|| {
        check_errno!(sys::delete_module("uburma"), EAGAIN | EBUSY);
        check!(
            events.poll_now()? & libc::POLLIN == 0,
            "an event of a closed context"
        );
        Ok(())
    })
}

fn devices_of_configfs_hold_the_driver() -> Outcome {
    let mut own = Own::create("ubtest0")?;
    check_errno!(sys::delete_module("ubsoft"), EAGAIN | EBUSY);
    own.remove()?;
    without_driver(|| Ok(()))
}

/// Objects that were not given back when the device went, and that are given back when
/// it is there again, under the same name.
fn unwinding_after_the_return() -> Outcome {
    let mut held = hold()?;
    without_driver(|| Ok(()))?;
    held.target.unimport()?;
    held.side.jetty.destroy()?;
    held.side.memory.unregister()?;
    let start = Instant::now();
    drop(held);
    check!(start.elapsed() < SOON, "closing took {:?}", start.elapsed());
    Ok(())
}

fn jfs_of_a_device_that_is_gone() -> Outcome {
    let mut own = Own::create("ubtest0")?;
    let ctx = Context::open(&own.device)?;
    let mut jfc = Jfc::create(&ctx, 8)?;
    let mut jfs = Jfs::create(&ctx, JfsConfig::on(&jfc))?;
    own.remove()?;
    check_errno!(Jfs::create(&ctx, JfsConfig::on(&jfc)), EIO);
    jfs.destroy()?;
    jfc.destroy()?;
    Ok(())
}

pub fn main() -> ExitCode {
    let options = Options {
        limit: 120,
        root: true,
        ..Default::default()
    };
    ub_tests::run_with(
        "t-removal",
        tests![
            made_and_removed,
            names_are_checked,
            between_two_devices,
            removed_while_open,
            removed_under_an_importer,
            removed_while_somebody_waits,
            removed_in_the_middle_of_traffic,
            removed_in_the_middle_of_a_copy,
            removed_while_a_sender_waits,
            opened_while_it_goes,
            jfs_of_a_device_that_is_gone,
            driver_unloaded_while_in_use,
            driver_unloaded_in_the_middle_of_traffic,
            doorbell_without_driver,
            used_modules_stay,
            devices_of_configfs_hold_the_driver,
            unwinding_after_the_return,
        ],
        options,
    )
}
