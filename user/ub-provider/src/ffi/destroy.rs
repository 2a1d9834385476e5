// SPDX-License-Identifier: GPL-2.0

//! The end of objects.
//!
//! liburma's functions destroy the kernel's object and then wait until the events that were handed
//! out are acknowledged; for an object that is not to block they return URMA_EAGAIN instead, when
//! the kernel's object is gone already. Callers try again then, so the provider remembers what is
//! gone, and counts itself what was handed out.

use std::ffi::c_int;
use std::ptr;
use std::sync::atomic::Ordering;

use ub_client::tlv::Cmd;
use ub_urma::*;

use crate::ffi::call::{set_errno, undone};
use crate::ffi::kinds::*;
use crate::ffi::object::{find, find_held, leave, lock, release, Kind, Object, State};
use crate::status::{Failure, Outcome};

/// Kinds of objects that have events.
pub(crate) trait Mortal: Kind {
    /// Where liburma counts what was acknowledged: completion events, of a kind that has them, and
    /// asynchronous events.
    ///
    /// # Safety
    ///
    /// The pointer is that of an object.
    unsafe fn counters(public: *mut Self::Public) -> (Option<*mut u32>, *mut u32);

    /// Takes an object out of work whose counterpart in the kernel is gone: unmaps its rings, and
    /// has nobody see its completions.
    ///
    /// # Safety
    ///
    /// What the public part refers to was handed out by this provider.
    unsafe fn detach(object: &Object<Self>);
}

/// How many completion events and asynchronous events of an object were acknowledged.
pub(crate) fn acknowledged<K: Mortal>(object: &Object<K>) -> (u32, u32) {
    // SAFETY: members of the object; liburma changes them under a lock, a word at a time.
    unsafe {
        let (completions, events) = K::counters(object.ptr());
        (
            completions.map_or(0, |count| ptr::read_volatile(count)),
            ptr::read_volatile(events),
        )
    }
}

/// Has liburma go on counting from what [`acknowledged`] returned.
pub(crate) fn recount<K: Mortal>(object: &Object<K>, (completions, events): (u32, u32)) {
    // SAFETY: as for reading them; nobody else counts while the object is put to work.
    unsafe {
        let (to_completions, to_events) = K::counters(object.ptr());
        if let Some(count) = to_completions {
            ptr::write_volatile(count, completions);
        }
        ptr::write_volatile(to_events, events);
    }
}

/// Whether all events that were handed out are acknowledged.
pub(crate) fn is_settled<K: Mortal>(object: &Object<K>) -> bool {
    let (completions, events) = acknowledged(object);
    object.completions.load(Ordering::Acquire) == completions
        && object.events.load(Ordering::Acquire) == events
}

/// Destroys an object by a function of liburma.
///
/// # Errors
///
/// `EINVAL` for one that is gone or being destroyed, `EAGAIN` while events are not acknowledged,
/// what the kernel says.
///
/// # Safety
///
/// As for [`find`].
pub(crate) unsafe fn destroy<K: Mortal>(
    public: *mut K::Public,
    function: impl FnOnce(*mut K::Public) -> c_int,
) -> Outcome<()> {
    // SAFETY: as the caller promises.
    let object = unsafe { find_held::<K>(public) }?;
    if object.enter(State::Live, State::Going) {
        let mut ret = 0;
        let outcome = undone(object, |public| {
            ret = function(public);
            ret
        });
        if let Err(failure) = outcome {
            // A positive result is of liburma and not of the kernel, which has done its part.
            let waits = ret > 0 && failure == Failure::AGAIN;
            if waits {
                // SAFETY: as the caller promises.
                unsafe { K::detach(object) };
            }
            let next = if waits { State::Unacked } else { State::Live };
            object.enter(State::Going, next);
            return Err(failure);
        }
    } else if object.enter(State::Unacked, State::Going) {
        if !is_settled(object) {
            object.enter(State::Going, State::Unacked);
            return Err(Failure::AGAIN);
        }
    } else {
        return Err(Failure::INVALID);
    }
    // SAFETY: as the caller promises.
    unsafe { K::detach(object) };
    release(object);
    Ok(())
}

/// Destroys an object as [`destroy`] does, and lets go of one that only waits for acknowledgments:
/// for the caller it is gone then.
///
/// # Errors
///
/// As for [`destroy`], but for `EAGAIN`.
///
/// # Safety
///
/// As for [`find`].
pub(crate) unsafe fn destroy_or_orphan<K: Mortal>(
    public: *mut K::Public,
    function: impl FnOnce(*mut K::Public) -> c_int,
) -> Outcome<()> {
    // SAFETY: as the caller promises.
    unsafe {
        let outcome = destroy::<K>(public, function);
        if outcome == Err(Failure::AGAIN) {
            let object = find_held::<K>(public)?;
            if object.enter(State::Unacked, State::Going) {
                leave(object);
                object.enter(State::Going, State::Orphaned);
                bury(object);
                return Ok(());
            }
        }
        outcome
    }
}

/// Gives an object back that has no owner any more, once all its events are acknowledged.
pub(crate) fn bury<K: Mortal>(object: &'static Object<K>) {
    if is_settled(object) && object.enter(State::Orphaned, State::Going) {
        K::pool().give(object);
    }
}

/// Destroys a receive queue by a command, whose output says how many events were read, and waits
/// until those are acknowledged.
///
/// It stands for a function of liburma, which waits also when the kernel refused: for no event to
/// have been acknowledged, so that it never returns if one was.
///
/// # Safety
///
/// The queue is one of this provider that the caller destroys.
pub(crate) unsafe fn end_jfr(jfr: *mut urma_jfr, mut cmd: Cmd, reported: u32) -> c_int {
    // SAFETY: as the caller promises; the context of an object outlives it.
    let (file, mutex, cond, acked) = unsafe {
        (
            (*(*jfr).urma_ctx).dev_fd,
            &raw mut (*jfr).event_mutex,
            &raw mut (*jfr).event_cond,
            &raw const (*jfr).async_events_acked,
        )
    };
    if let Err(err) = cmd.run(file) {
        set_errno(err.errno());
        return -1;
    }
    let due = cmd.get_u32(reported);
    // SAFETY: members of a queue that liburma made; whoever acknowledges takes the lock and wakes
    // who waits. Nobody uses them after the last acknowledgment.
    unsafe {
        libc::pthread_mutex_lock(mutex);
        while ptr::read_volatile(acked) != due {
            libc::pthread_cond_wait(cond, mutex);
        }
        libc::pthread_mutex_unlock(mutex);
        libc::pthread_cond_destroy(cond);
        libc::pthread_mutex_destroy(mutex);
    }
    0
}

/// Has nobody see the completions of an object in a queue, which may be absent.
///
/// # Safety
///
/// As for [`find`].
unsafe fn forget(jfc: *mut urma_jfc, object: u64) {
    // SAFETY: as the caller promises.
    if let Ok(jfc) = unsafe { find::<JfcKind>(jfc) } {
        if let Some(queue) = lock(&jfc.private).as_mut() {
            queue.forget(object);
        }
    }
}

impl Mortal for JfcKind {
    unsafe fn counters(jfc: *mut urma_jfc) -> (Option<*mut u32>, *mut u32) {
        // SAFETY: members of an object, as the caller promises.
        unsafe {
            (
                Some(&raw mut (*jfc).comp_events_acked),
                &raw mut (*jfc).async_events_acked,
            )
        }
    }

    unsafe fn detach(jfc: &Object<Self>) {
        *lock(&jfc.private) = None;
    }
}

impl Mortal for JfsKind {
    unsafe fn counters(jfs: *mut urma_jfs) -> (Option<*mut u32>, *mut u32) {
        // SAFETY: as for a JFC.
        unsafe { (None, &raw mut (*jfs).async_events_acked) }
    }

    unsafe fn detach(jfs: &Object<Self>) {
        *lock(&jfs.private) = None;
        // SAFETY: the configuration names objects of this provider.
        unsafe { forget((*jfs.ptr()).jfs_cfg.jfc, jfs.ptr() as u64) };
    }
}

impl Mortal for JfrKind {
    unsafe fn counters(jfr: *mut urma_jfr) -> (Option<*mut u32>, *mut u32) {
        // SAFETY: as for a JFC.
        unsafe { (None, &raw mut (*jfr).async_events_acked) }
    }

    unsafe fn detach(jfr: &Object<Self>) {
        *lock(&jfr.private) = None;
        // SAFETY: the configuration names objects of this provider.
        unsafe { forget((*jfr.ptr()).jfr_cfg.jfc, jfr.ptr() as u64) };
    }
}

impl Mortal for JettyKind {
    unsafe fn counters(jetty: *mut urma_jetty) -> (Option<*mut u32>, *mut u32) {
        // SAFETY: as for a JFC.
        unsafe { (None, &raw mut (*jetty).async_events_acked) }
    }

    unsafe fn detach(jetty: &Object<Self>) {
        *lock(&jetty.private) = None;
        let object = jetty.ptr() as u64;
        // SAFETY: the configuration names objects of this provider.
        unsafe {
            let cfg = &(*jetty.ptr()).jetty_cfg;
            forget(cfg.jfs_cfg.jfc, object);
            forget(cfg.shared.jfc, object);
            if let Ok(jfr) = find::<JfrKind>(cfg.shared.jfr) {
                forget((*jfr.ptr()).jfr_cfg.jfc, object);
            }
        }
    }
}

impl Mortal for GroupKind {
    unsafe fn counters(group: *mut urma_jetty_grp) -> (Option<*mut u32>, *mut u32) {
        // SAFETY: as for a JFC.
        unsafe { (None, &raw mut (*group).async_events_acked) }
    }

    unsafe fn detach(_group: &Object<Self>) {}
}
