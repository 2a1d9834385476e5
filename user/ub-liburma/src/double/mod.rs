// SPDX-License-Identifier: GPL-2.0

//! A double of liburma: the functions that it exports to providers, made of the commands of the
//! client library, and the part of it that finds and loads providers.
//!
//! It does what liburma does, mistakes and all: it follows pointers without looking where liburma
//! does not look, so that a provider that passes a null one crashes here too.

#![allow(clippy::missing_safety_doc)]

mod batch;
pub mod calls;
mod events;
mod library;
mod memory;
mod paths;
mod queues;
mod staged;
mod targets;

use std::ffi::c_int;
use std::sync::Mutex;

use ub_client::tlv::{Attr, Cmd, Place};
use ub_urma::*;

pub use library::{Library, Opened};

/// What liburma's exported functions have in common: no name in Rust is mangled, and the linker
/// keeps them.
macro_rules! exports {
    ($(
        fn $name:ident($($arg:ident: $ty:ty),* $(,)?) $(-> $out:ty)? $body:block
    )*) => {
        $(
            /// As liburma's.
            #[no_mangle]
            #[allow(unused_unsafe)]
            pub unsafe extern "C" fn $name($($arg: $ty),*) $(-> $out)? {
                // SAFETY: the test stands for applications, which keep to the interface; so does
                // the provider.
                unsafe { $body }
            }
        )*

        /// Has them stay in the program.
        #[used]
        static KEPT: &[unsafe extern "C" fn()] = &[$(
            // SAFETY: never called by this type.
            unsafe {
                std::mem::transmute::<
                    unsafe extern "C" fn($($ty),*) $(-> $out)?,
                    unsafe extern "C" fn(),
                >($name)
            }
        ),*];
    };
}
use exports;

/// Sets the errno of this thread.
fn set_errno(errno: i32) {
    // SAFETY: the C library's own.
    unsafe { *libc::__errno_location() = errno };
}

/// The result of a command in C.
fn result<T>(outcome: ub_client::Result<T>) -> c_int {
    match outcome {
        Ok(_) => 0,
        Err(err) => {
            set_errno(err.errno());
            -1
        }
    }
}

/// What the next command fails with: the result in C, and the errno.
static FAULT: Mutex<Option<(c_int, i32)>> = Mutex::new(None);

fn fault() -> std::sync::MutexGuard<'static, Option<(c_int, i32)>> {
    FAULT.lock().unwrap_or_else(|err| err.into_inner())
}

/// Has the next command fail with this result and this errno, before the kernel sees it.
pub fn fail_next(ret: c_int, errno: i32) {
    *fault() = Some((ret, errno));
}

/// Runs a command on a device file.
fn run(cmd: &mut Cmd, fd: c_int) -> c_int {
    if let Some((ret, errno)) = fault().take() {
        set_errno(errno);
        return ret;
    }
    result(cmd.run(fd))
}

/// A command with the private data of a provider instead of its own.
fn with_udata(mut cmd: Cmd, ids: (u32, u32), udata: *mut urma_cmd_udrv_priv) -> Cmd {
    assert!(!udata.is_null(), "liburma follows this pointer");
    cmd = cmd.without(ids.0).without(ids.1);
    for id in [ids.0, ids.1] {
        let place = Place::Address(udata as u64);
        let size = size_of::<urma_cmd_udrv_priv>();
        cmd.attrs_mut().push(Attr::single(id, size, place));
    }
    cmd
}

/// The device file of a context.
unsafe fn dev_fd(ctx: *const urma_context) -> c_int {
    // SAFETY: as the caller promises.
    unsafe { (*ctx).dev_fd }
}

/// The name of an object of a context.
unsafe fn id_of(ctx: *const urma_context, id: u32) -> urma_jetty_id {
    // SAFETY: as the caller promises.
    unsafe {
        urma_jetty_id {
            eid: (*ctx).eid,
            uasid: (*ctx).uasid,
            id,
        }
    }
}

/// Makes lock and condition of an object's events.
unsafe fn init_events(mutex: *mut libc::pthread_mutex_t, cond: *mut libc::pthread_cond_t) {
    // SAFETY: members of an object that is being made.
    unsafe {
        libc::pthread_mutex_init(mutex, std::ptr::null());
        libc::pthread_cond_init(cond, std::ptr::null());
    }
}

/// Waits until so many events were acknowledged; not for an object that is not to block.
unsafe fn wait_acknowledged(
    mutex: *mut libc::pthread_mutex_t,
    cond: *mut libc::pthread_cond_t,
    pairs: &[(*const u32, u32)],
    non_blocking: bool,
) -> c_int {
    // SAFETY: members of an object that exists.
    unsafe {
        libc::pthread_mutex_lock(mutex);
        let waits = || {
            pairs
                .iter()
                .any(|(acked, due)| acked.read_volatile() != *due)
        };
        if non_blocking && waits() {
            libc::pthread_mutex_unlock(mutex);
            return URMA_EAGAIN as c_int;
        }
        while waits() {
            libc::pthread_cond_wait(cond, mutex);
        }
        libc::pthread_mutex_unlock(mutex);
        libc::pthread_cond_destroy(cond);
        libc::pthread_mutex_destroy(mutex);
    }
    0
}

/// Acknowledges events.
unsafe fn acknowledge(
    mutex: *mut libc::pthread_mutex_t,
    cond: *mut libc::pthread_cond_t,
    counter: *mut u32,
    count: u32,
) {
    // SAFETY: members of an object that exists.
    unsafe {
        libc::pthread_mutex_lock(mutex);
        counter.write_volatile(counter.read_volatile().wrapping_add(count));
        libc::pthread_cond_broadcast(cond);
        libc::pthread_mutex_unlock(mutex);
    }
}
