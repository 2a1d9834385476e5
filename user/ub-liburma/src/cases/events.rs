// SPDX-License-Identifier: GPL-2.0

//! Events, their acknowledgment, and states.

use std::ptr;
use std::time::{Duration, Instant};

use ub_client::sys;
use ub_tests::{check, check_eq, tests, Failure, Outcome, Test};
use ub_urma::flags::{urma_jetty_flag, urma_jetty_grp_flag, urma_jfc_flag, urma_jfs_wr_flag};
use ub_urma::*;

use super::data::message;
use super::lab::*;

/// The tests of this file.
pub const TESTS: &[Test] = tests![
    an_event_for_each_arm,
    events_of_solicited_messages,
    waiting_has_an_end,
    signals_do_not_end_waiting,
    deleting_waits_for_acknowledgment,
    deleting_without_blocking,
    events_of_queues,
    freeing_does_not_fail,
    deleting_what_is_shared,
    an_error_flushes,
];

/// A side whose receives go to a queue with a channel.
struct Watched {
    side: Side,
    jfce: *mut urma_jfce,
    jfc: *mut urma_jfc,
    jfr: *mut urma_jfr,
    jetty: *mut urma_jetty,
}

impl Watched {
    fn create(flag: u32) -> Result<Self, Failure> {
        let side = Side::create(URMA_TM_RM)?;
        let jfce = call!(side, create_jfce(side.lab.ctx()));
        check!(!jfce.is_null());
        // SAFETY: a channel that was just made.
        unsafe {
            check!((*jfce).fd >= 0);
            check!(ptr::eq((*jfce).urma_ctx, side.lab.ctx()));
        }
        let jfc = side.lab.jfc(64, jfce, flag)?;
        // SAFETY: a queue that was just made; liburma counts by it.
        check!(ptr::eq(unsafe { (*jfc).jfc_cfg.jfce }, jfce));
        let jfr = side.lab.jfr(jfc, URMA_TM_RM, 16)?;
        let mut cfg = Lab::jetty_cfg(side.sent, jfr, URMA_TM_RM, 16);
        let jetty = call!(side, create_jetty(side.lab.ctx(), &mut cfg));
        check!(!jetty.is_null());
        Ok(Watched {
            side,
            jfce,
            jfc,
            jfr,
            jetty,
        })
    }

    /// Sends the jetty so many messages from the side's own; all have arrived.
    fn send(&self, count: u64, flag: u32) -> Outcome {
        let side = &self.side;
        let mut remote = side.remote();
        // SAFETY: a jetty that exists.
        remote.jetty_id = unsafe { (*self.jetty).jetty_id };
        let mut token = urma_token { token: TOKEN };
        let target = call!(side, import_jetty(side.lab.ctx(), &mut remote, &mut token));
        check!(!target.is_null());
        for i in 0..count {
            let mut sge = side.sge(0, 64);
            let mut wr = urma_jfr_wr {
                src: urma_sg {
                    sge: &mut sge,
                    num_sge: 1,
                },
                user_ctx: i,
                next: ptr::null_mut(),
            };
            let mut bad = ptr::null_mut();
            check_eq!(
                call!(side, post_jfr_wr(self.jfr, &mut wr, &mut bad)),
                URMA_SUCCESS
            );
            let mut src = [side.sge(100, 4)];
            let mut wr = message(URMA_OPC_SEND, target, list(&mut src), i);
            wr.flag |= flag;
            check_eq!(side.execute(&mut wr)?.status, URMA_CR_SUCCESS);
        }
        check_eq!(call!(side, unimport_jetty(target)), URMA_SUCCESS);
        Ok(())
    }

    /// Waits for an event; whether there was one.
    fn wait(&self, timeout: i32) -> Result<bool, Failure> {
        let mut jfc = [ptr::null_mut(); 1];
        match call!(self.side, wait_jfc(self.jfce, 1, timeout, jfc.as_mut_ptr())) {
            0 => Ok(false),
            1 if ptr::eq(jfc[0], self.jfc) => Ok(true),
            other => Err(Failure::Fail(format!("wait_jfc: {other}, {:?}", jfc[0]))),
        }
    }

    fn ack(&self) -> Outcome {
        let (mut jfc, mut count) = ([self.jfc], [1]);
        call!(self.side, ack_jfc(jfc.as_mut_ptr(), count.as_mut_ptr(), 1));
        Ok(())
    }

    fn arm(&self, solicited_only: bool) -> Outcome {
        check_eq!(
            call!(self.side, rearm_jfc(self.jfc, solicited_only.into())),
            URMA_SUCCESS
        );
        Ok(())
    }

    fn destroy(self) -> Outcome {
        check_eq!(call!(self.side, delete_jetty(self.jetty)), URMA_SUCCESS);
        check_eq!(call!(self.side, delete_jfr(self.jfr)), URMA_SUCCESS);
        check_eq!(call!(self.side, delete_jfc(self.jfc)), URMA_SUCCESS);
        check_eq!(call!(self.side, delete_jfce(self.jfce)), URMA_SUCCESS);
        self.side.destroy()
    }
}

fn an_event_for_each_arm() -> Outcome {
    let w = Watched::create(0)?;
    w.arm(false)?;
    check!(!w.wait(0)?);
    w.send(1, 0)?;
    check!(w.wait(5000)?);
    // Once only.
    w.send(1, 0)?;
    check!(!w.wait(0)?);
    w.ack()?;
    check_eq!(w.side.lab.wait(w.jfc)?.user_ctx, 0);
    // One completion was left: the arm finds it.
    w.arm(false)?;
    check!(w.wait(5000)?);
    w.ack()?;
    check_eq!(w.side.lab.wait(w.jfc)?.user_ctx, 0);
    w.arm(false)?;
    check!(!w.wait(0)?);
    // A queue without a channel has nobody to tell.
    check_eq!(call!(w.side, rearm_jfc(w.side.received, 0)), URMA_SUCCESS);
    w.destroy()
}

fn events_of_solicited_messages() -> Outcome {
    let w = Watched::create(0)?;
    w.arm(true)?;
    w.send(1, 0)?;
    check!(!w.wait(0)?);
    w.send(1, urma_jfs_wr_flag::solicited_enable.mask())?;
    check!(w.wait(5000)?);
    w.ack()?;
    w.destroy()
}

fn waiting_has_an_end() -> Outcome {
    let w = Watched::create(0)?;
    w.arm(false)?;
    let start = Instant::now();
    check!(!w.wait(60)?);
    check!(start.elapsed() >= Duration::from_millis(50));
    // Nor is it an error where the file does not block.
    // SAFETY: a channel that exists.
    let fd = unsafe { std::os::fd::BorrowedFd::borrow_raw((*w.jfce).fd) };
    sys::set_nonblocking(&fd, true)?;
    check!(!w.wait(60)?);
    check!(!w.wait(0)?);
    let mut jfc = [ptr::null_mut(); 1];
    check_eq!(call!(w.side, wait_jfc(w.jfce, 0, 0, jfc.as_mut_ptr())), -1);
    check_eq!(call!(w.side, wait_jfc(w.jfce, 1, 0, ptr::null_mut())), -1);
    // More room than the helper of liburma takes.
    let mut many = [ptr::null_mut(); 100];
    w.send(1, 0)?;
    check_eq!(
        call!(w.side, wait_jfc(w.jfce, 100, 1000, many.as_mut_ptr())),
        1
    );
    w.ack()?;
    w.destroy()
}

extern "C" fn ignore(_signal: i32) {}

fn signals_do_not_end_waiting() -> Outcome {
    let w = Watched::create(0)?;
    w.arm(false)?;
    // SAFETY: a handler that does nothing, which interrupts system calls; a timer of this process.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = ignore as extern "C" fn(i32) as usize;
        libc::sigaction(libc::SIGUSR1, &action, ptr::null_mut());
    }
    // SAFETY: the thread that waits outlives the one that sends.
    let waiter = unsafe { libc::pthread_self() } as usize;
    let sender = std::thread::spawn(move || {
        for _ in 0..3 {
            std::thread::sleep(Duration::from_millis(20));
            // SAFETY: as above.
            unsafe { libc::pthread_kill(waiter as libc::pthread_t, libc::SIGUSR1) };
        }
    });
    let start = Instant::now();
    let waited = w.wait(200)?;
    let taken = start.elapsed();
    let _ = sender.join();
    check!(!waited);
    check!(taken >= Duration::from_millis(180), "{taken:?}");
    w.destroy()
}

fn deleting_waits_for_acknowledgment() -> Outcome {
    let w = Watched::create(0)?;
    w.arm(false)?;
    w.send(1, 0)?;
    check!(w.wait(5000)?);
    check_eq!(call!(w.side, delete_jetty(w.jetty)), URMA_SUCCESS);
    check_eq!(call!(w.side, delete_jfr(w.jfr)), URMA_SUCCESS);
    let (jfc, delete) = (w.jfc as usize, w.side.ops.delete_jfc);
    let deleter = std::thread::spawn(move || {
        // SAFETY: the queue exists; the operation is the provider's.
        delete.map(|delete| unsafe { delete(jfc as *mut urma_jfc) })
    });
    std::thread::sleep(Duration::from_millis(100));
    check!(!deleter.is_finished(), "it did not wait");
    w.ack()?;
    let status = deleter
        .join()
        .map_err(|_| Failure::Fail("it died".to_string()))?;
    check_eq!(status, Some(URMA_SUCCESS));
    check_eq!(call!(w.side, delete_jfce(w.jfce)), URMA_SUCCESS);
    w.side.destroy()
}

fn deleting_without_blocking() -> Outcome {
    let w = Watched::create(urma_jfc_flag::non_blocking.mask())?;
    w.arm(false)?;
    w.send(1, 0)?;
    check!(w.wait(5000)?);
    check_eq!(call!(w.side, delete_jetty(w.jetty)), URMA_SUCCESS);
    check_eq!(call!(w.side, delete_jfr(w.jfr)), URMA_SUCCESS);
    // Many at once are not to begin: liburma would wait without an end.
    let (mut all, mut bad) = ([w.side.received, w.jfc], ptr::null_mut());
    let status = call!(w.side, delete_jfc_batch(all.as_mut_ptr(), 2, &mut bad));
    check_eq!(status, URMA_EAGAIN);
    check!(ptr::eq(bad, w.jfc));
    w.side.lab.quiet(w.side.received)?;
    // The kernel's queue is gone with the first one; the rest waits for the event.
    for _ in 0..3 {
        check_eq!(call!(w.side, delete_jfc(w.jfc)), URMA_EAGAIN);
    }
    let mut cr = dirty();
    check!(call!(w.side, poll_jfc(w.jfc, 1, &mut cr)) < 0);
    w.ack()?;
    check_eq!(call!(w.side, delete_jfc(w.jfc)), URMA_SUCCESS);
    check_eq!(call!(w.side, delete_jfc(w.jfc)), URMA_EINVAL);
    check_eq!(call!(w.side, delete_jfce(w.jfce)), URMA_SUCCESS);
    w.side.destroy()
}

/// Has a jetty fail, and takes the event of it.
fn fail(a: &Side, jetty: *mut urma_jetty) -> Result<urma_async_event, Failure> {
    let target = a.import_none()?;
    let mut src = [a.sge(0, 4)];
    let mut wr = message(URMA_OPC_SEND, target, list(&mut src), 1);
    let mut bad = ptr::null_mut();
    check_eq!(
        call!(a, post_jetty_send_wr(jetty, &mut wr, &mut bad)),
        URMA_SUCCESS
    );
    check!(a.lab.wait(a.sent)?.status != URMA_CR_SUCCESS);
    let mut event = urma_async_event::default();
    check_eq!(
        call!(a, get_async_event(a.lab.ctx(), &mut event)),
        URMA_SUCCESS
    );
    check_eq!(event.event_type, URMA_EVENT_JETTY_ERR);
    check_eq!(event.element, jetty as u64);
    check!(ptr::eq(event.urma_ctx, a.lab.ctx()));
    check_eq!(call!(a, unimport_jetty(target)), URMA_SUCCESS);
    Ok(event)
}

fn events_of_queues() -> Outcome {
    let a = Side::create(URMA_TM_RM)?;
    let mut cfg = Lab::jetty_cfg(a.sent, a.jfr, URMA_TM_RM, 8);
    cfg.flag |= urma_jetty_flag::non_blocking.mask();
    let jetty = call!(a, create_jetty(a.lab.ctx(), &mut cfg));
    check!(!jetty.is_null());
    // SAFETY: a context that exists.
    let fd = unsafe { std::os::fd::BorrowedFd::borrow_raw((*a.lab.ctx()).async_fd) };
    sys::set_nonblocking(&fd, true)?;
    let mut event = urma_async_event::default();
    check_eq!(
        call!(a, get_async_event(a.lab.ctx(), &mut event)),
        URMA_FAIL
    );
    check_eq!(
        std::io::Error::last_os_error().raw_os_error(),
        Some(libc::EAGAIN)
    );
    sys::set_nonblocking(&fd, false)?;
    let mut event = fail(&a, jetty)?;
    for _ in 0..2 {
        check_eq!(call!(a, delete_jetty(jetty)), URMA_EAGAIN);
    }
    call!(a, ack_async_event(&mut event));
    check_eq!(call!(a, delete_jetty(jetty)), URMA_SUCCESS);
    // Once more, of what is gone: nothing happens.
    call!(a, ack_async_event(&mut event));
    call!(a, ack_async_event(ptr::null_mut()));
    a.destroy()
}

fn freeing_does_not_fail() -> Outcome {
    let a = Side::create(URMA_TM_RM)?;
    let mut group_cfg = urma_jetty_grp_cfg {
        flag: urma_jetty_grp_flag::token_policy.of(PLAIN),
        token_value: urma_token { token: TOKEN },
        ..Default::default()
    };
    let group = call!(a, create_jetty_grp(a.lab.ctx(), &mut group_cfg));
    check!(!group.is_null());
    for jetty_grp in [ptr::null_mut(), group] {
        let mut cfg = Lab::jetty_cfg(a.sent, a.jfr, URMA_TM_RM, 8);
        cfg.flag |= urma_jetty_flag::non_blocking.mask();
        cfg.jetty_grp = jetty_grp;
        let mut jetty = ptr::null_mut();
        check_eq!(
            call!(a, alloc_jetty(a.lab.ctx(), &mut cfg, &mut jetty)),
            URMA_SUCCESS
        );
        check_eq!(call!(a, active_jetty(jetty)), URMA_SUCCESS);
        let mut event = fail(&a, jetty)?;
        if jetty_grp.is_null() {
            // liburma would follow the null pointer: the jetty is gone, whatever is to come.
            check_eq!(call!(a, free_jetty(jetty)), URMA_SUCCESS);
            check_eq!(call!(a, free_jetty(jetty)), URMA_EINVAL);
            call!(a, ack_async_event(&mut event));
        } else {
            check_eq!(call!(a, free_jetty(jetty)), URMA_EAGAIN);
            call!(a, ack_async_event(&mut event));
            check_eq!(call!(a, free_jetty(jetty)), URMA_SUCCESS);
        }
        check_eq!(call!(a, free_jetty(jetty)), URMA_EINVAL);
        call!(a, ack_async_event(&mut event));
    }
    check_eq!(call!(a, delete_jetty_grp(group)), URMA_SUCCESS);
    a.destroy()
}

/// Has a receive queue have less buffers than it asked for, and acknowledges the event of it.
fn run_low(a: &Side) -> Outcome {
    let mut attr = urma_jfr_attr {
        mask: JFR_RX_THRESHOLD,
        rx_threshold: 1,
        state: 0,
    };
    a.post_recv(0, 64, 1)?;
    check_eq!(call!(a, modify_jfr(a.jfr, &mut attr)), URMA_SUCCESS);
    let target = a.import(a)?;
    let mut src = [a.sge(100, 4)];
    let cr = a.execute(&mut message(URMA_OPC_SEND, target, list(&mut src), 1))?;
    check_eq!(cr.status, URMA_CR_SUCCESS);
    check_eq!(a.lab.wait(a.received)?.status, URMA_CR_SUCCESS);
    check_eq!(call!(a, unimport_jetty(target)), URMA_SUCCESS);
    let mut event = urma_async_event::default();
    check_eq!(
        call!(a, get_async_event(a.lab.ctx(), &mut event)),
        URMA_SUCCESS
    );
    check_eq!(event.event_type, URMA_EVENT_JFR_LIMIT);
    check_eq!(event.element, a.jfr as u64);
    call!(a, ack_async_event(&mut event));
    Ok(())
}

fn deleting_what_is_shared() -> Outcome {
    let a = Side::create(URMA_TM_RM)?;
    run_low(&a)?;
    for _ in 0..2 {
        check_eq!(call!(a, delete_jfr(a.jfr)), URMA_FAIL);
        check_eq!(
            std::io::Error::last_os_error().raw_os_error(),
            Some(libc::EBUSY)
        );
    }
    // In a list, behind one that is not shared.
    let other = a.lab.jfr(a.received, URMA_TM_RM, 8)?;
    let (mut list_of, mut bad) = ([other, a.jfr], ptr::null_mut());
    let status = call!(a, delete_jfr_batch(list_of.as_mut_ptr(), 2, &mut bad));
    check_eq!(status, URMA_FAIL);
    check!(ptr::eq(bad, a.jfr));
    check_eq!(call!(a, delete_jfr(other)), URMA_EINVAL);
    a.destroy()
}

fn an_error_flushes() -> Outcome {
    let (a, b) = (Side::create(URMA_TM_RM)?, Side::create(URMA_TM_RM)?);
    let target = a.import(&b)?;
    let state = |state| urma_jetty_attr {
        mask: JETTY_STATE,
        state,
        ..Default::default()
    };
    let mut attr = state(URMA_JETTY_STATE_ERROR);
    check_eq!(call!(a, modify_jetty(a.jetty, &mut attr)), URMA_SUCCESS);
    let (mut cfg, mut seen) = (urma_jetty_cfg::default(), urma_jetty_attr::default());
    check_eq!(
        call!(a, query_jetty(a.jetty, &mut cfg, &mut seen)),
        URMA_SUCCESS
    );
    check_eq!(seen.state, URMA_JETTY_STATE_ERROR);
    let mut src = [a.sge(0, 4)];
    let mut wr = message(URMA_OPC_SEND, target, list(&mut src), 6);
    check_eq!(a.post(&mut wr)?.0, URMA_SUCCESS);
    // In whatever order, a record for the request and one for the end.
    let mut seen = [a.lab.wait(a.sent)?, a.lab.wait(a.sent)?].map(|cr| cr.status);
    seen.sort();
    check_eq!(seen, [URMA_CR_WR_FLUSH_ERR, URMA_CR_WR_FLUSH_ERR_DONE]);
    let mut crs = [dirty(); 4];
    check_eq!(call!(a, flush_jetty(a.jetty, 4, crs.as_mut_ptr())), 0);
    check_eq!(call!(a, flush_jetty(a.jetty, 0, crs.as_mut_ptr())), -1);
    check_eq!(call!(a, flush_jetty(a.jetty, 4, ptr::null_mut())), -1);
    // And back to work.
    for next in [URMA_JETTY_STATE_RESET, URMA_JETTY_STATE_READY] {
        let mut attr = state(next);
        check_eq!(call!(a, modify_jetty(a.jetty, &mut attr)), URMA_SUCCESS);
    }
    b.post_recv(0, 64, 1)?;
    let cr = a.execute(&mut wr)?;
    check_eq!((cr.status, cr.user_ctx), (URMA_CR_SUCCESS, 6));
    check_eq!(b.lab.wait(b.received)?.status, URMA_CR_SUCCESS);
    // An empty mask changes nothing.
    let mut attr = urma_jetty_attr {
        state: 99,
        ..Default::default()
    };
    check_eq!(call!(a, modify_jetty(a.jetty, &mut attr)), URMA_SUCCESS);
    check_eq!(call!(a, unimport_jetty(target)), URMA_SUCCESS);
    a.destroy()?;
    b.destroy()
}
