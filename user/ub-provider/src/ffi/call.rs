// SPDX-License-Identifier: GPL-2.0

//! How operations are called by liburma, and call it.

use std::ffi::c_int;
use std::ptr;

use ub_abi::{ubsoft_import_resp, ubsoft_queue_req, ubsoft_queue_resp};
use ub_urma::*;

use crate::ffi::kinds::ContextKind;
use crate::ffi::object::{lock, Kind, Object};
use crate::queue::Place;
use crate::status::{Failure, Outcome};

/// The errno of this thread.
pub(crate) fn errno() -> i32 {
    std::io::Error::last_os_error().raw_os_error().unwrap_or(0)
}

/// Sets it.
pub(crate) fn set_errno(errno: i32) {
    // SAFETY: the C library's own, of this thread.
    unsafe { *libc::__errno_location() = errno };
}

/// What an operation gives back.
pub(crate) trait Reply: Sized {
    /// Its type in C.
    type C;

    /// Encodes success or failure.
    fn reply(outcome: Outcome<Self>) -> Self::C;
}

impl Reply for () {
    type C = u32;

    fn reply(outcome: Outcome<()>) -> u32 {
        match outcome {
            Ok(()) => URMA_SUCCESS,
            Err(failure) => {
                set_errno(failure.errno);
                failure.status
            }
        }
    }
}

impl<T> Reply for *mut T {
    type C = *mut T;

    fn reply(outcome: Outcome<*mut T>) -> *mut T {
        outcome.unwrap_or_else(|failure| {
            set_errno(failure.errno);
            ptr::null_mut()
        })
    }
}

impl Reply for c_int {
    type C = c_int;

    fn reply(outcome: Outcome<c_int>) -> c_int {
        outcome.unwrap_or_else(|failure| {
            set_errno(failure.errno);
            -1
        })
    }
}

/// Defines operations: functions that liburma calls, whose bodies may use `?` and have one value.
///
/// The bodies are unsafe code. What they rely on is the same for all: pointers are null or point at
/// what the interface says, which is there until the operation returns; objects were handed out by
/// this provider, and may be gone. They check for the former, and `find` for the latter.
macro_rules! operations {
    ($(
        $(#[$doc:meta])*
        fn $name:ident($($arg:ident: $ty:ty),* $(,)?) -> $out:ty $body:block
    )*) => {$(
        $(#[$doc])*
        ///
        /// # Safety
        ///
        /// Called by liburma, or by who keeps to the same interface.
        #[allow(unused_unsafe)]
        pub(crate) unsafe extern "C" fn $name(
            $($arg: $ty),*
        ) -> <$out as $crate::ffi::call::Reply>::C {
            let run = || -> $crate::status::Outcome<$out> {
                // SAFETY: see the macro.
                unsafe { $body }
            };
            <$out as $crate::ffi::call::Reply>::reply(run())
        }
    )*};
}
pub(crate) use operations;

/// Fails for a null pointer.
#[inline]
pub(crate) fn given<T>(pointer: *const T) -> Outcome<()> {
    if pointer.is_null() {
        Err(Failure::INVALID)
    } else {
        Ok(())
    }
}

/// Result of a function of liburma: 0, -1 with an errno, or a status.
pub(crate) fn done(ret: c_int) -> Outcome<()> {
    match ret {
        0 => Ok(()),
        1.. => Err(Failure::of_status(ret.unsigned_abs())),
        _ => Err(Failure::of_errno(errno())),
    }
}

/// Has a function of liburma undo an object, or something of it: when the device is gone, all is
/// undone.
pub(crate) fn undone<K: Kind>(
    object: &Object<K>,
    function: impl FnOnce(*mut K::Public) -> c_int,
) -> Outcome<()> {
    // What an earlier call left there says nothing of this one.
    set_errno(0);
    let ret = function(object.ptr());
    match done(ret) {
        Err(failure) if ret == -1 && failure.errno == libc::EIO && is_device_gone(object) => Ok(()),
        outcome => outcome,
    }
}

/// Whether the device of an object is gone, as the doorbell of its context says.
fn is_device_gone<K: Kind>(object: &Object<K>) -> bool {
    object.ctx().is_ok_and(|ctx| {
        lock(&ctx.private.bell)
            .as_ref()
            .is_some_and(|bell| bell.is_dead())
    })
}

/// Private data without a request and without room for a reply. There always is some: liburma
/// follows the pointer.
pub(crate) fn no_udata() -> urma_cmd_udrv_priv {
    urma_cmd_udrv_priv::default()
}

/// Private data of a command that makes a queue.
pub(crate) struct QueueData {
    request: ubsoft_queue_req,
    reply: ubsoft_queue_resp,
}

impl QueueData {
    /// For a queue whose completions carry this cookie.
    pub(crate) fn new(cookie: u64) -> Self {
        QueueData {
            request: ubsoft_queue_req {
                user_obj: cookie,
                ..Default::default()
            },
            reply: ubsoft_queue_resp::default(),
        }
    }

    /// What liburma gets. It is to be used before `self` moves.
    pub(crate) fn udata(&mut self) -> urma_cmd_udrv_priv {
        urma_cmd_udrv_priv {
            in_addr: &raw const self.request as u64,
            in_len: size_of::<ubsoft_queue_req>() as u32,
            out_addr: &raw mut self.reply as u64,
            out_len: size_of::<ubsoft_queue_resp>() as u32,
        }
    }

    /// Has a function map the rings that the kernel replied, of a queue of this context.
    ///
    /// # Errors
    ///
    /// What the function says; `EINVAL` for a context that is gone.
    pub(crate) fn map<Q>(
        &self,
        ctx: &Object<ContextKind>,
        map: impl FnOnce(&Place<'_>) -> Outcome<Q>,
    ) -> Outcome<Q> {
        let bell = lock(&ctx.private.bell);
        // SAFETY: the public part of a context that is at work; the file does not change.
        let dev_fd = unsafe { (*ctx.ptr()).dev_fd };
        map(&Place {
            dev_fd,
            bell: bell.as_ref().ok_or(Failure::INVALID)?,
            // The kernel wrote it behind the compiler's back.
            // SAFETY: `self.reply` is a plain structure of numbers.
            resp: unsafe { ptr::read_volatile(&self.reply) },
        })
    }
}

/// Private data of a command that imports.
#[derive(Default)]
pub(crate) struct ImportData {
    reply: ubsoft_import_resp,
}

impl ImportData {
    /// What liburma gets. It is to be used before `self` moves.
    pub(crate) fn udata(&mut self) -> urma_cmd_udrv_priv {
        urma_cmd_udrv_priv {
            out_addr: &raw mut self.reply as u64,
            out_len: size_of::<ubsoft_import_resp>() as u32,
            ..Default::default()
        }
    }

    /// What names the target in work requests.
    ///
    /// # Errors
    ///
    /// The kernel named none.
    pub(crate) fn target_ref(&self) -> Outcome<u32> {
        // SAFETY: a plain structure of numbers, which the kernel wrote.
        match unsafe { ptr::read_volatile(&self.reply) }.target_ref {
            0 => Err(Failure::BAD_REPLY),
            target_ref => Ok(target_ref),
        }
    }
}
