// SPDX-License-Identifier: GPL-2.0

//! Destroying many objects by one command.
//!
//! liburma's functions wait until as many events are acknowledged as the kernel delivered, but add to
//! their count in each round that they wait: if it is not right at once it never is. So the provider
//! looks first. While there is an event that was handed out and not acknowledged, nothing is
//! destroyed; and if there ever was one, objects are destroyed one after the other.

use std::ffi::c_int;

use ub_urma::liburma::*;
use ub_urma::*;

use crate::ffi::call::{errno, given, operations, undone};
use crate::ffi::destroy::{acknowledged, is_settled, Mortal};
use crate::ffi::kinds::*;
use crate::ffi::object::{find, find_held, release, State};
use crate::ffi::queues::{delete_jetty, delete_jfc, delete_jfr, delete_jfs};
use crate::status::{Failure, Outcome};

/// Has all of a list enter the state of being destroyed; on failure none, and the one at fault.
///
/// # Safety
///
/// As for [`find`], for each.
unsafe fn seize<K: Mortal>(list: &[*mut K::Public]) -> Result<(), (usize, Failure)> {
    let mut ctx = None;
    for (i, public) in list.iter().enumerate() {
        // SAFETY: as the caller promises.
        let object = unsafe { find::<K>(*public) };
        let outcome = object.and_then(|object| {
            object.of(ctx.get_or_insert(object.ctx()?))?;
            if !is_settled(object) {
                return Err(Failure::AGAIN);
            }
            // One that is named twice is found out here.
            if !object.enter(State::Live, State::Going) {
                return Err(Failure::INVALID);
            }
            Ok(())
        });
        if let Err(failure) = outcome {
            // SAFETY: as the caller promises.
            unsafe { restore::<K>(list.get(..i).unwrap_or_default()) };
            return Err((i, failure));
        }
    }
    Ok(())
}

/// Has all of a list be at work again.
///
/// # Safety
///
/// They are being destroyed by the caller.
unsafe fn restore<K: Mortal>(list: &[*mut K::Public]) {
    for public in list {
        // SAFETY: as the caller promises.
        if let Ok(object) = unsafe { find_held::<K>(*public) } {
            object.enter(State::Going, State::Live);
        }
    }
}

/// Destroys a list of objects one after the other, by an operation.
///
/// # Safety
///
/// As for [`destroy_all`].
unsafe fn destroy_each<K: Mortal>(
    all: &[*mut K::Public],
    bad: *mut *mut K::Public,
    one: unsafe extern "C" fn(*mut K::Public) -> u32,
) -> Outcome<()> {
    for public in all {
        // SAFETY: as the caller promises.
        unsafe {
            let status = one(*public);
            if status != URMA_SUCCESS {
                *bad = *public;
                return Err(Failure {
                    status,
                    errno: errno(),
                });
            }
        }
    }
    Ok(())
}

/// Destroys a list of objects by a function of liburma, or each by an operation. On failure those
/// before the bad one are gone.
///
/// # Safety
///
/// The array is as the interface says, and `bad` is null or has room for a pointer.
unsafe fn destroy_all<K: Mortal>(
    list: *mut *mut K::Public,
    count: c_int,
    bad: *mut *mut K::Public,
    one: unsafe extern "C" fn(*mut K::Public) -> u32,
    function: impl FnOnce(*mut *mut K::Public, c_int, *mut *mut K::Public) -> c_int,
) -> Outcome<()> {
    given(list)?;
    given(bad)?;
    let number = usize::try_from(count).map_err(|_| Failure::INVALID)?;
    if number == 0 {
        return Err(Failure::INVALID);
    }
    // SAFETY: as the caller promises.
    unsafe {
        let all = std::slice::from_raw_parts(list, number);
        if let Err((i, failure)) = seize::<K>(all) {
            *bad = all.get(i).copied().unwrap_or(std::ptr::null_mut());
            return Err(failure);
        }
        *bad = std::ptr::null_mut();
        let never_told = |public: &*mut K::Public| {
            find_held::<K>(*public).is_ok_and(|object| acknowledged(object) == (0, 0))
        };
        if !all.iter().all(never_told) {
            restore::<K>(all);
            return destroy_each::<K>(all, bad, one);
        }
        let first = all.first().copied().unwrap_or(std::ptr::null_mut());
        let outcome = undone(find_held::<K>(first)?, |_| function(list, count, bad));
        let gone = match outcome {
            Ok(()) => number,
            // What the kernel did not name is not known to be gone: it stays, rather than be
            // forgotten.
            Err(_) => all.iter().position(|public| *public == *bad).unwrap_or(0),
        };
        let (before, rest) = all.split_at(gone);
        for public in before {
            if let Ok(object) = find_held::<K>(*public) {
                K::detach(object);
                release(object);
            }
        }
        restore::<K>(rest);
        outcome
    }
}

operations! {
    /// Destroys completion queues.
    fn delete_jfc_batch(list: *mut *mut urma_jfc, count: c_int, bad: *mut *mut urma_jfc) -> () {
        destroy_all::<JfcKind>(list, count, bad, delete_jfc, |list, count, bad| {
            urma_cmd_delete_jfc_batch(list, count, bad)
        })
    }

    /// Destroys send queues.
    fn delete_jfs_batch(list: *mut *mut urma_jfs, count: c_int, bad: *mut *mut urma_jfs) -> () {
        destroy_all::<JfsKind>(list, count, bad, delete_jfs, |list, count, bad| {
            urma_cmd_delete_jfs_batch(list, count, bad)
        })
    }

    /// Destroys receive queues.
    fn delete_jfr_batch(list: *mut *mut urma_jfr, count: c_int, bad: *mut *mut urma_jfr) -> () {
        destroy_all::<JfrKind>(list, count, bad, delete_jfr, |list, count, bad| {
            urma_cmd_delete_jfr_batch(list, count, bad)
        })
    }

    /// Destroys jettys.
    fn delete_jetty_batch(
        list: *mut *mut urma_jetty,
        count: c_int,
        bad: *mut *mut urma_jetty,
    ) -> () {
        destroy_all::<JettyKind>(list, count, bad, delete_jetty, |list, count, bad| {
            urma_cmd_delete_jetty_batch(list, count, bad)
        })
    }
}
