// SPDX-License-Identifier: GPL-2.0

//! Contexts, event channels, asynchronous events and private calls.

use std::ffi::c_int;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::ptr;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::Arc;
use std::time::{Duration, Instant};

use ub_abi::{ubsoft_ctx_resp, UBSOFT_ABI_VERSION};
use ub_urma::liburma::*;
use ub_urma::*;

use crate::ffi::call::{done, errno, given, operations};
use crate::ffi::destroy::bury;
use crate::ffi::kinds::*;
use crate::ffi::object::{find, find_held, lock, release, Kind, State};
use crate::ffi::table;
use crate::ffi::targets::part;
use crate::queue::Bell;
use crate::status::{Failure, Outcome};

operations! {
    /// Nothing to prepare.
    fn init(_attr: *mut urma_init_attr) -> () {
        Ok(())
    }

    /// Nothing to undo.
    fn uninit() -> () {
        Ok(())
    }

    /// Makes a context of an open device file.
    fn create_context(dev: *mut urma_device, eid_index: u32, dev_fd: c_int) -> *mut urma_context {
        given(dev)?;
        let ctx = ContextKind::pool().take(None)?;
        let mut cfg = urma_context_cfg {
            dev,
            ops: table::ops(),
            eid_index,
            dev_fd,
            uasid: 0,
        };
        let mut reply = ubsoft_ctx_resp {
            doorbell_fd: -1,
            ..Default::default()
        };
        let mut udata = urma_cmd_udrv_priv {
            out_addr: &raw mut reply as u64,
            out_len: size_of::<ubsoft_ctx_resp>() as u32,
            ..Default::default()
        };
        done(urma_cmd_create_context(ctx.ptr(), &mut cfg, &mut udata))?;
        // The kernel wrote it behind the compiler's back.
        let reply = ptr::read_volatile(&reply);
        let bell = Bell::adopt(reply.doorbell_fd).and_then(|bell| {
            if reply.abi_version == UBSOFT_ABI_VERSION {
                Ok(bell)
            } else {
                Err(Failure::BAD_REPLY)
            }
        });
        match bell {
            Ok(bell) => *lock(&ctx.private.bell) = Some(Arc::new(bell)),
            Err(failure) => {
                urma_cmd_delete_context(ctx.ptr());
                return Err(failure);
            }
        }
        let private = &ctx.private;
        private.features.store(reply.features, Ordering::Relaxed);
        private.page_size.store(reply.page_size, Ordering::Relaxed);
        // liburma sets these again; a caller that does not finds them all the same.
        (*ctx.ptr()).dev_fd = dev_fd;
        (*ctx.ptr()).eid_index = eid_index;
        Ok(ctx.finish())
    }

    /// Ends a context; its device file is the caller's.
    fn delete_context(ctx: *mut urma_context) -> () {
        let ctx = find::<ContextKind>(ctx)?;
        if ctx.private.objects.load(Ordering::Acquire) != 0 {
            return Err(Failure::AGAIN);
        }
        if !ctx.enter(State::Live, State::Going) {
            return Err(Failure::INVALID);
        }
        *lock(&ctx.private.bell) = None;
        // Closes the file of events. Whatever it says: with a failure liburma would leave the
        // device file open.
        urma_cmd_delete_context(ctx.ptr());
        release(ctx);
        Ok(())
    }

    /// Makes a channel for completion events.
    fn create_jfce(ctx: *mut urma_context) -> *mut urma_jfce {
        let ctx = find::<ContextKind>(ctx)?;
        let jfce = JfceKind::pool().take(Some(ctx))?;
        let file = adopt(urma_cmd_create_jfce(ctx.ptr()))?;
        let public = &mut *jfce.ptr();
        public.urma_ctx = ctx.ptr();
        public.fd = file.as_raw_fd();
        public.ref_.atomic_cnt = 1;
        *lock(&jfce.private) = Some(file);
        Ok(jfce.finish())
    }

    /// Closes it.
    fn delete_jfce(jfce: *mut urma_jfce) -> () {
        let jfce = find::<JfceKind>(jfce)?;
        if !jfce.enter(State::Live, State::Going) {
            return Err(Failure::INVALID);
        }
        *lock(&jfce.private) = None;
        release(jfce);
        Ok(())
    }

    /// Waits for completion events: the number of them, 0 after the time.
    fn wait_jfc(
        jfce: *mut urma_jfce,
        jfc_cnt: u32,
        time_out: c_int,
        jfc: *mut *mut urma_jfc,
    ) -> c_int {
        let fd = (*find::<JfceKind>(jfce)?.ptr()).fd;
        given(jfc)?;
        if jfc_cnt == 0 {
            return Err(Failure::INVALID);
        }
        let most = jfc_cnt.min(MAX_JFCE_EVENT_CNT);
        let count = patient(time_out, |left| urma_cmd_wait_jfc(fd, most, left, jfc))?;
        for i in 0..count.unsigned_abs().min(most) as usize {
            if let Ok(jfc) = find_held::<JfcKind>(*jfc.add(i)) {
                jfc.completions.fetch_add(1, Ordering::AcqRel);
            }
        }
        Ok(count)
    }

    /// Makes a channel for the ends of asynchronous commands.
    fn create_notifier(ctx: *mut urma_context) -> *mut urma_notifier {
        let ctx = find::<ContextKind>(ctx)?;
        let notifier = NotifierKind::pool().take(Some(ctx))?;
        let file = adopt(urma_cmd_create_notifier(ctx.ptr()))?;
        (*notifier.ptr()).urma_ctx = ctx.ptr();
        (*notifier.ptr()).fd = file.as_raw_fd();
        *lock(&notifier.private) = Some(file);
        Ok(notifier.finish())
    }

    /// Closes it.
    fn delete_notifier(notifier: *mut urma_notifier) -> () {
        let notifier = find::<NotifierKind>(notifier)?;
        if !notifier.enter(State::Live, State::Going) {
            return Err(Failure::INVALID);
        }
        *lock(&notifier.private) = None;
        release(notifier);
        Ok(())
    }

    /// Waits for the ends of asynchronous commands: the number of them, 0 after the time.
    fn wait_notify(
        notifier: *mut urma_notifier,
        cnt: u32,
        notify: *mut urma_notify,
        timeout: c_int,
    ) -> c_int {
        let notifier = find::<NotifierKind>(notifier)?;
        given(notify)?;
        if cnt == 0 {
            return Err(Failure::INVALID);
        }
        let most = cnt.min(MAX_NOTIFY_CNT);
        let count = patient(timeout, |left| {
            urma_cmd_wait_notify(notifier.ptr(), most, notify, left)
        })?;
        for i in 0..count.unsigned_abs().min(most) as usize {
            let note = &*notify.add(i);
            if note.kind == URMA_BIND_JETTY_NOTIFY && note.status != URMA_SUCCESS {
                if let Ok(jetty) = find::<JettyKind>(note.object.cast()) {
                    part(jetty);
                }
            }
        }
        Ok(count)
    }

    /// Takes an asynchronous event.
    fn get_async_event(ctx: *mut urma_context, event: *mut urma_async_event) -> () {
        let ctx = find::<ContextKind>(ctx)?;
        given(event)?;
        match urma_cmd_get_async_event(ctx.ptr(), event) {
            URMA_SUCCESS => {
                if let Some(count) = events_of(&*event) {
                    count.fetch_add(1, Ordering::AcqRel);
                }
                Ok(())
            }
            URMA_FAIL => Err(Failure { status: URMA_FAIL, errno: errno() }),
            status => Err(Failure::of_status(status)),
        }
    }

    /// A private call of the driver. What it returns is 0, 1 or URMA_FAIL.
    fn user_ctl(
        ctx: *mut urma_context,
        input: *mut urma_user_ctl_in,
        output: *mut urma_user_ctl_out,
    ) -> c_int {
        let fail = Ok(URMA_FAIL as c_int);
        let Ok(ctx) = find::<ContextKind>(ctx) else {
            crate::ffi::call::set_errno(libc::EINVAL);
            return fail;
        };
        if input.is_null() || output.is_null() {
            crate::ffi::call::set_errno(libc::EINVAL);
            return fail;
        }
        let mut udata = urma_udrv::default();
        match urma_cmd_user_ctl(ctx.ptr(), input, output, &mut udata) {
            0 => Ok(0),
            libc::EPERM => Ok(libc::EPERM),
            -1 if errno() == libc::EPERM => Ok(libc::EPERM),
            _ => fail,
        }
    }
}

/// Takes over a file that a function of liburma returned.
fn adopt(fd: c_int) -> Outcome<OwnedFd> {
    if fd < 0 {
        return Err(Failure::of_errno(errno()));
    }
    // SAFETY: liburma got it from the kernel for this caller alone.
    Ok(unsafe { OwnedFd::from_raw_fd(fd) })
}

/// Calls a function that waits so many milliseconds, negative for ever, again when a signal
/// interrupted it, for what is left of the time. That nothing came is 0.
fn patient(time_out: c_int, wait: impl Fn(c_int) -> c_int) -> Outcome<c_int> {
    let start = Instant::now();
    let mut left = time_out;
    loop {
        let count = wait(left);
        if count >= 0 {
            return Ok(count);
        }
        match errno() {
            libc::EINTR if time_out < 0 => {}
            libc::EINTR => {
                let whole = Duration::from_millis(u64::from(time_out.unsigned_abs()));
                let rest = whole.saturating_sub(start.elapsed()).as_millis();
                if rest == 0 {
                    return Ok(0);
                }
                left = c_int::try_from(rest).unwrap_or(time_out);
            }
            libc::EAGAIN => return Ok(0),
            errno => return Err(Failure::of_errno(errno)),
        }
    }
}

/// The counter for events of the object that an event is about; none for devices and ports, and
/// for what is gone.
///
/// # Safety
///
/// The event is as liburma fills it in.
unsafe fn events_of(event: &urma_async_event) -> Option<&'static AtomicU32> {
    /// The counter of an object of a kind.
    ///
    /// # Safety
    ///
    /// The word is a pointer that was handed out.
    unsafe fn of<K: Kind>(element: u64) -> Option<&'static AtomicU32> {
        // SAFETY: as the caller promises.
        let object = unsafe { find_held::<K>(element as *mut K::Public) };
        object.ok().map(|object| &object.events)
    }
    // SAFETY: the kernel returns the pointer that the object was made with, and liburma passes it
    // on.
    unsafe {
        match event.event_type {
            URMA_EVENT_JFC_ERR => of::<JfcKind>(event.element),
            URMA_EVENT_JFS_ERR => of::<JfsKind>(event.element),
            URMA_EVENT_JFR_ERR | URMA_EVENT_JFR_LIMIT => of::<JfrKind>(event.element),
            URMA_EVENT_JETTY_ERR | URMA_EVENT_JETTY_LIMIT => of::<JettyKind>(event.element),
            URMA_EVENT_JETTY_GRP_ERR => of::<GroupKind>(event.element),
            _ => None,
        }
    }
}

/// Acknowledges an asynchronous event.
///
/// # Safety
///
/// Called by liburma, or by who keeps to the same interface.
pub(crate) unsafe extern "C" fn ack_async_event(event: *mut urma_async_event) {
    if event.is_null() {
        return;
    }
    // SAFETY: an event that was taken; an object that it is about is still there, or its memory is.
    unsafe {
        let about_object = (*event).event_type <= URMA_EVENT_JETTY_GRP_ERR;
        if !about_object || events_of(&*event).is_some() {
            urma_cmd_ack_async_event(event);
        }
        if matches!(
            (*event).event_type,
            URMA_EVENT_JETTY_ERR | URMA_EVENT_JETTY_LIMIT
        ) {
            if let Ok(jetty) = find_held::<JettyKind>((*event).element as *mut urma_jetty) {
                bury(jetty);
            }
        }
    }
}

/// Acknowledges completion events. Pointers to what is gone are left out.
///
/// # Safety
///
/// Called by liburma, or by who keeps to the same interface.
pub(crate) unsafe extern "C" fn ack_jfc(jfc: *mut *mut urma_jfc, events: *mut u32, count: u32) {
    if jfc.is_null() || events.is_null() {
        return;
    }
    for i in 0..count as usize {
        // SAFETY: both arrays have so many elements. One after the other, since a function of
        // liburma takes arrays and does not look.
        unsafe {
            if find_held::<JfcKind>(*jfc.add(i)).is_ok() {
                urma_cmd_ack_jfc(jfc.add(i), events.add(i), 1);
            }
        }
    }
}

/// Acknowledges the ends of asynchronous commands: nothing is to be done.
///
/// # Safety
///
/// None is needed.
pub(crate) unsafe extern "C" fn ack_notify(_count: u32, _notify: *mut urma_notify) {}
