// SPDX-License-Identifier: GPL-2.0

//! Asynchronous import and bind, and the notification files that tell of their end.

use std::os::fd::AsRawFd;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};

use ub_client::abi::*;
use ub_client::sys;
use ub_client::tlv::{Cmd, Place};
use ub_client::{
    Context, Jetty, Jfce, Later, LaterTarget, Notification, Notifier, SendWr, Target, TargetConfig,
};
use ub_tests::fixture::{count_fds, PairConfig, Side};
use ub_tests::own::Own;
use ub_tests::{check, check_eq, check_errno, tests, Failure, Outcome};

fn side(mode: u32) -> Result<Side, Failure> {
    Side::create(PairConfig {
        mode,
        ..Default::default()
    })
}

/// Reads the one notification that is to come.
fn one(notifier: &Notifier) -> Result<Notification, Failure> {
    let list = notifier.wait(16, 10_000)?;
    check_eq!(list.len(), 1, "{list:?}");
    Ok(list[0])
}

/// Imports a jetty, and waits for the end, which must be good.
fn import(side: &Side, config: TargetConfig, notifier: &Notifier) -> Result<LaterTarget, Failure> {
    let target = LaterTarget::import(&side.ctx, config, notifier.later(1, 2))?;
    let end = one(notifier)?;
    let seen = (end.kind, end.status, end.user_ctx, end.object);
    let due = (UBURMA_NOTIFY_IMPORT_JETTY, UBURMA_STATUS_SUCCESS, 1, 2);
    check_eq!(seen, due);
    Ok(target)
}

fn notifier_file() -> Outcome {
    let ctx = Context::open_first()?;
    let notifier = Notifier::create(&ctx)?;
    let link = format!("/proc/self/fd/{}", notifier.as_raw_fd());
    let link = std::fs::read_link(link)?;
    check!(link.to_string_lossy().contains("[notifier]"), "{link:?}");
    check_eq!(sys::poll(notifier.as_raw_fd(), libc::POLLIN, 0)?, 0);
    check_eq!(notifier.wait(16, 0)?, []);
    check_eq!(notifier.wait(1, 30)?, []);
    check_errno!(notifier.wait(0, 0), EINVAL);
    sys::set_nonblocking(&notifier, true)?;
    check_eq!(notifier.wait(16, -1)?, []);
    // Commands of other event files.
    check_errno!(Jfce::wait_cmd(1, 0).run_event(notifier.as_raw_fd()), EINVAL);
    let jfce = Jfce::create(&ctx)?;
    check_errno!(Notifier::wait_cmd(1, 0).run_event(jfce.as_raw_fd()), EINVAL);
    // A reply that cannot be written leaves no file.
    let before = count_fds()?;
    let mut cmd = Notifier::create_cmd();
    cmd.attrs_mut()[0].place = Place::Address(8);
    check_errno!(ctx.run(&mut cmd), EFAULT);
    check_eq!(count_fds()?, before);
    Ok(())
}

fn imports_in_each_mode() -> Outcome {
    for mode in [UBURMA_TM_RM, UBURMA_TM_UM] {
        let (mut a, mut b) = (side(mode)?, side(mode)?);
        let notifier = Notifier::create(&a.ctx)?;
        let mut target = LaterTarget::import(&a.ctx, b.target_config(), notifier.later(7, 8))?;
        let end = one(&notifier)?;
        check_eq!(end.status, UBURMA_STATUS_SUCCESS);
        check_eq!((end.user_ctx, end.object), (7, 8));
        check!(end.vtpn != UBURMA_INVALID_TPN);
        b.post_recv(0, 64, 5)?;
        let list = [a.memory.sge(0, 16)];
        let wr = SendWr::send(target.target_ref(), &list);
        let cqe = a.expect(&wr, UBURMA_CR_SUCCESS)?;
        check!(cqe.tpn != UBURMA_INVALID_TPN);
        check_eq!(b.wait_received()?.user_ctx, 5);
        // The same path as that of a plain import.
        let plain = Target::jetty(&a.ctx, b.target_config())?;
        check_eq!(plain.tpn(), end.vtpn);
        target.unimport()?;
        check_errno!(
            a.ctx.run(&mut LaterTarget::unimport_cmd(target.handle())),
            EINVAL
        );
    }
    Ok(())
}

fn plain_unimport_is_as_good() -> Outcome {
    let side = side(UBURMA_TM_RM)?;
    let notifier = Notifier::create(&side.ctx)?;
    let target = import(&side, side.target_config(), &notifier)?;
    side.ctx
        .run(&mut Target::unimport_jetty_cmd(target.handle()))?;
    let plain = Target::jetty(&side.ctx, side.target_config())?;
    side.ctx
        .run(&mut LaterTarget::unimport_cmd(plain.handle()))?;
    Ok(())
}

fn bind_and_unbind() -> Outcome {
    let (mut a, mut b) = (side(UBURMA_TM_RC)?, side(UBURMA_TM_RC)?);
    let (na, nb) = (Notifier::create(&a.ctx)?, Notifier::create(&b.ctx)?);
    let (ab, ba) = (
        import(&a, b.target_config(), &na)?,
        import(&b, a.target_config(), &nb)?,
    );
    ab.bind(&a.ctx, &a.jetty, na.later(3, 4))?;
    ba.bind(&b.ctx, &b.jetty, nb.later(5, 6))?;
    let end = one(&na)?;
    let seen = (end.kind, end.status, end.user_ctx, end.object);
    check_eq!(
        seen,
        (UBURMA_NOTIFY_BIND_JETTY, UBURMA_STATUS_SUCCESS, 3, 4)
    );
    check!(end.vtpn != UBURMA_INVALID_TPN);
    check_eq!(one(&nb)?.status, UBURMA_STATUS_SUCCESS);
    // The same again is told of too.
    ab.bind(&a.ctx, &a.jetty, na.later(9, 9))?;
    let again = one(&na)?;
    check_eq!((again.status, again.user_ctx, again.vtpn), (0, 9, end.vtpn));
    b.post_recv(0, 64, 1)?;
    let list = [a.memory.sge(0, 16)];
    a.expect(&SendWr::send(0, &list), UBURMA_CR_SUCCESS)?;
    b.wait_received()?;
    let mut unbind = LaterTarget::unbind_cmd(a.jetty.handle(), ab.handle());
    a.ctx.run(&mut unbind)?;
    check_errno!(a.ctx.run(&mut unbind), EINVAL);
    // Again, without a look at the end in between.
    for _ in 0..20 {
        ab.bind(&a.ctx, &a.jetty, na.later(1, 1))?;
        a.ctx
            .run(&mut LaterTarget::unbind_cmd(a.jetty.handle(), ab.handle()))?;
    }
    let mut seen = 0;
    while seen < 20 {
        let list = na.wait(16, 1000)?;
        check!(!list.is_empty(), "{seen} of 20");
        check!(list.iter().all(|end| end.status == UBURMA_STATUS_SUCCESS));
        seen += list.len();
    }
    check_eq!(seen, 20);
    Ok(())
}

fn bad_imports() -> Outcome {
    let side = side(UBURMA_TM_RM)?;
    let other = Context::open_first()?;
    let (notifier, foreign) = (Notifier::create(&side.ctx)?, Notifier::create(&other)?);
    let jfce = Jfce::create(&side.ctx)?;
    let good = side.target_config();
    let run = |config, later| LaterTarget::import(&side.ctx, config, later);
    let later = notifier.later(1, 2);
    for fd in [
        -1,
        99_999,
        side.ctx.dev_fd(),
        jfce.as_raw_fd(),
        foreign.as_raw_fd(),
    ] {
        check_errno!(run(good, Later { fd, ..later }), EINVAL);
    }
    for timeout in [-1, i32::MIN] {
        check_errno!(run(good, Later { timeout, ..later }), EINVAL);
    }
    for mode in [0, 3, u32::MAX] {
        check_errno!(run(TargetConfig { mode, ..good }, later), EINVAL);
    }
    for kind in [UBURMA_TARGET_JFR, 3] {
        check_errno!(run(TargetConfig { kind, ..good }, later), EINVAL);
    }
    // Replies that cannot be written: nothing is left, and nothing is told.
    let cmd = LaterTarget::import_cmd(good, later);
    let outputs: Vec<usize> = (0..cmd.attrs().len())
        .filter(|i| u32::from(cmd.attrs()[*i].id) >= UBURMA_ATTR_OUT_BASE)
        .collect();
    // Many times, as the import may end sooner or later than the copy fails.
    for _ in 0..100 {
        for i in &outputs {
            let mut cmd = cmd.clone();
            cmd.attrs_mut()[*i].place = Place::Address(8);
            check_errno!(side.ctx.run(&mut cmd), EFAULT);
            check_eq!(notifier.wait(16, 0)?, []);
        }
    }
    Ok(())
}

fn bad_binds() -> Outcome {
    let (a, b) = (side(UBURMA_TM_RC)?, side(UBURMA_TM_RC)?);
    let notifier = Notifier::create(&a.ctx)?;
    let later = notifier.later(1, 2);
    let target = import(&a, b.target_config(), &notifier)?;
    let run = |jetty, target, later| a.ctx.run(&mut LaterTarget::bind_cmd(jetty, target, later));
    let (jetty, handle) = (a.jetty.handle(), target.handle());
    for wrong in [0, a.jfr.handle(), 1 << 31] {
        check_errno!(run(wrong, handle, later), EINVAL);
        check_errno!(run(jetty, wrong, later), EINVAL);
    }
    check_errno!(run(jetty, handle, Later { fd: -1, ..later }), EINVAL);
    check_errno!(
        run(
            jetty,
            handle,
            Later {
                timeout: -5,
                ..later
            }
        ),
        EINVAL
    );
    check_eq!(notifier.wait(16, 0)?, []);
    // Bound to another one.
    target.bind(&a.ctx, &a.jetty, later)?;
    check_eq!(one(&notifier)?.status, UBURMA_STATUS_SUCCESS);
    let second = import(&a, b.target_config(), &notifier)?;
    check_errno!(second.bind(&a.ctx, &a.jetty, later), EINVAL);
    Ok(())
}

/// What cannot be bound is told of, and the jetty is as it was.
fn binds_that_fail_later() -> Outcome {
    let (a, b) = (side(UBURMA_TM_RC)?, side(UBURMA_TM_RC)?);
    let rm = side(UBURMA_TM_RM)?;
    let notifier = Notifier::create(&a.ctx)?;
    let wrong = import(&a, rm.target_config(), &notifier)?;
    for i in 0..5 {
        wrong.bind(&a.ctx, &a.jetty, notifier.later(i, 77))?;
    }
    let mut seen = 0;
    while seen < 5 {
        for end in notifier.wait(2, 5000)? {
            check_eq!((end.status, end.object), (UBURMA_STATUS_EINVAL, 77));
            check_eq!((end.user_ctx, end.vtpn), (seen, UBURMA_INVALID_TPN));
            seen += 1;
        }
    }
    let good = import(&a, b.target_config(), &notifier)?;
    good.bind(&a.ctx, &a.jetty, notifier.later(1, 1))?;
    check_eq!(one(&notifier)?.status, UBURMA_STATUS_SUCCESS);
    Ok(())
}

/// A record whose reply cannot be copied stays.
fn record_is_kept_when_the_reply_fails() -> Outcome {
    let side = side(UBURMA_TM_RM)?;
    let notifier = Notifier::create(&side.ctx)?;
    let mut targets = Vec::new();
    for i in 0..3 {
        let later = notifier.later(i, 100 + i);
        targets.push(LaterTarget::import(&side.ctx, side.target_config(), later)?);
    }
    await_events(3)?;
    for attr in 0..4 {
        let mut cmd = Notifier::wait_cmd(16, 0);
        if cmd.attrs()[attr].id < 0x80 {
            continue;
        }
        cmd.attrs_mut()[attr].place = Place::Address(8);
        check_errno!(cmd.run_event(notifier.as_raw_fd()), EFAULT);
        let ready = sys::poll(notifier.as_raw_fd(), libc::POLLIN, 0)?;
        check!(ready & libc::POLLIN != 0);
    }
    let seen: Vec<u64> = notifier.wait(16, 0)?.iter().map(|end| end.object).collect();
    let mut sorted = seen.clone();
    sorted.sort_unstable();
    check_eq!(sorted, [100, 101, 102]);
    check_eq!(sys::poll(notifier.as_raw_fd(), libc::POLLIN, 0)?, 0);
    Ok(())
}

/// Waits until so many events are there to be read.
fn await_events(count: u64) -> Outcome {
    if sys::effective_uid() != 0 {
        ub_tests::skip!("needs root");
    }
    for _ in 0..2000 {
        if ub_tests::counters::Snapshot::take()?.get("uburma/events") >= count {
            return Ok(());
        }
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    Err(Failure::Fail("the events do not come".to_string()))
}

fn records_go_with_their_object() -> Outcome {
    let side = side(UBURMA_TM_RM)?;
    let notifier = Notifier::create(&side.ctx)?;
    for _ in 0..10 {
        let mut target =
            LaterTarget::import(&side.ctx, side.target_config(), notifier.later(1, 2))?;
        target.unimport()?;
        check_eq!(notifier.wait(16, 0)?, []);
    }
    let (a, b) = (self::side(UBURMA_TM_RC)?, self::side(UBURMA_TM_RC)?);
    let notifier = Notifier::create(&a.ctx)?;
    let target = import(&a, b.target_config(), &notifier)?;
    target.bind(&a.ctx, &a.jetty, notifier.later(1, 2))?;
    a.ctx.run(&mut Jetty::delete_cmd(a.jetty.handle()))?;
    check_eq!(notifier.wait(16, 0)?, []);
    Ok(())
}

/// More records than fit into one reply; more commands than a channel takes.
fn many_records() -> Outcome {
    let side = side(UBURMA_TM_RM)?;
    let notifier = Notifier::create(&side.ctx)?;
    let mut targets = Vec::new();
    let full = loop {
        let later = notifier.later(targets.len() as u64, 0);
        match LaterTarget::import(&side.ctx, side.target_config(), later) {
            Ok(target) => targets.push(target),
            Err(err) => break err,
        }
        if targets.len() > 2000 {
            return Err(Failure::Fail("there is no bound".to_string()));
        }
    };
    check_eq!(full.errno(), libc::EAGAIN);
    check_eq!(targets.len(), 1024);
    let mut seen = 0;
    while seen < targets.len() {
        let list = notifier.wait(100, 5000)?;
        check!(!list.is_empty() && list.len() <= 16);
        seen += list.len();
        if seen == list.len() {
            // What has been read makes room.
            let later = notifier.later(0, 0);
            targets.push(LaterTarget::import(&side.ctx, side.target_config(), later)?);
        }
    }
    check_eq!(seen, targets.len());
    Ok(())
}

fn closing_the_notifier_first() -> Outcome {
    for _ in 0..20 {
        let side = side(UBURMA_TM_RM)?;
        let notifier = Notifier::create(&side.ctx)?;
        let target = LaterTarget::import(&side.ctx, side.target_config(), notifier.later(1, 2))?;
        drop(notifier);
        drop(target);
    }
    Ok(())
}

fn files_that_end_with_work_under_way() -> Outcome {
    for _ in 0..10 {
        let (a, b) = (side(UBURMA_TM_RC)?, side(UBURMA_TM_RC)?);
        let notifier = Notifier::create(&a.ctx)?;
        let target = import(&a, b.target_config(), &notifier)?;
        target.bind(&a.ctx, &a.jetty, notifier.later(1, 2))?;
        let later = notifier.later(1, 2);
        let late = LaterTarget::import(&a.ctx, a.target_config(), later)?;
        // The end of the process takes them.
        std::mem::forget((a, b, notifier, target, late));
    }
    Ok(())
}

/// Threads import, bind and read at the same time.
fn threads() -> Outcome {
    let (a, b) = (side(UBURMA_TM_RC)?, side(UBURMA_TM_RC)?);
    let notifier = Notifier::create(&a.ctx)?;
    let stop = AtomicBool::new(false);
    let work = |jetty: &Jetty| -> Outcome {
        for _ in 0..25 {
            let later = notifier.later(1, 2);
            let target = LaterTarget::import(&a.ctx, b.target_config(), later)?;
            // Busy while it is under way, or while the other thread binds.
            let _ = target.bind(&a.ctx, jetty, later);
            let _ = a.ctx.run(&mut LaterTarget::unbind_cmd(
                jetty.handle(),
                target.handle(),
            ));
        }
        Ok(())
    };
    std::thread::scope(|scope| -> Outcome {
        let reader = scope.spawn(|| -> Outcome {
            while !stop.load(Ordering::Relaxed) {
                notifier.wait(16, 20)?;
            }
            Ok(())
        });
        let (one, two) = (
            scope.spawn(|| work(&a.jetty)),
            scope.spawn(|| work(&a.jetty)),
        );
        let dead = |_| Failure::Fail("a thread died".to_string());
        let results = [one.join().map_err(dead), two.join().map_err(dead)];
        stop.store(true, Ordering::Relaxed);
        reader.join().map_err(dead)??;
        for result in results {
            result??;
        }
        Ok(())
    })
}

fn killed_with_work_under_way() -> Outcome {
    for _ in 0..8 {
        let pid = match sys::fork()? {
            sys::Fork::Parent(pid) => pid,
            sys::Fork::Child => {
                sys::die_with_parent();
                let work = || -> Outcome {
                    let (a, b) = (side(UBURMA_TM_RC)?, side(UBURMA_TM_RC)?);
                    let notifier = Notifier::create(&a.ctx)?;
                    loop {
                        let later = notifier.later(1, 2);
                        let target = LaterTarget::import(&a.ctx, b.target_config(), later)?;
                        let _ = target.bind(&a.ctx, &a.jetty, later);
                        let _ = notifier.wait(1, 0);
                    }
                };
                let _ = work();
                sys::exit_now(1)
            }
        };
        std::thread::sleep(std::time::Duration::from_millis(60));
        sys::kill(pid, libc::SIGKILL)?;
        check_eq!(sys::wait_for(pid)?, sys::Exit::Signal(libc::SIGKILL));
    }
    Ok(())
}

fn removal_with_work_under_way() -> Outcome {
    if sys::effective_uid() != 0 {
        ub_tests::skip!("needs root");
    }
    for round in 0..4 {
        let mut own = Own::create("ubtest0")?;
        let config = PairConfig {
            mode: UBURMA_TM_RC,
            ..Default::default()
        };
        let open = |config| Side::create_in(Context::open(&own.device)?, config);
        let (a, b) = (open(config)?, open(config)?);
        let notifier = Notifier::create(&a.ctx)?;
        let mut target = import(&a, b.target_config(), &notifier)?;
        let mut late = Vec::new();
        for _ in 0..round * 10 {
            let later = notifier.later(1, 2);
            late.push(LaterTarget::import(&a.ctx, b.target_config(), later)?);
        }
        target.bind(&a.ctx, &a.jetty, notifier.later(1, 2))?;
        own.remove()?;
        check_errno!(notifier.wait(16, -1), EIO);
        let ready = sys::poll(notifier.as_raw_fd(), libc::POLLIN, 0)?;
        check!(ready & libc::POLLHUP != 0);
        let later = notifier.later(1, 2);
        check_errno!(LaterTarget::import(&a.ctx, b.target_config(), later), EIO);
        check_errno!(target.bind(&a.ctx, &a.jetty, later), EIO);
        check_errno!(a.ctx.run(&mut Notifier::create_cmd()), EIO);
        let handles = (a.jetty.handle(), target.handle());
        a.ctx
            .run(&mut LaterTarget::unbind_cmd(handles.0, handles.1))?;
        target.unimport()?;
    }
    Ok(())
}

fn attributes_are_needed() -> Outcome {
    let side = side(UBURMA_TM_RM)?;
    for command in [
        UBURMA_CMD_IMPORT_JETTY_ASYNC,
        UBURMA_CMD_UNIMPORT_JETTY_ASYNC,
        UBURMA_CMD_BIND_JETTY_ASYNC,
        UBURMA_CMD_UNBIND_JETTY_ASYNC,
    ] {
        check_errno!(side.ctx.run(&mut Cmd::new(command).u32(0x7f, 0)), EINVAL);
    }
    Ok(())
}

pub fn main() -> ExitCode {
    ub_tests::run(
        "t-async",
        tests![
            notifier_file,
            imports_in_each_mode,
            plain_unimport_is_as_good,
            bind_and_unbind,
            bad_imports,
            bad_binds,
            binds_that_fail_later,
            record_is_kept_when_the_reply_fails,
            records_go_with_their_object,
            many_records,
            closing_the_notifier_first,
            files_that_end_with_work_under_way,
            threads,
            killed_with_work_under_way,
            removal_with_work_under_way,
            attributes_are_needed,
        ],
    )
}
