// SPDX-License-Identifier: GPL-2.0

//! The boundary to C: the exported functions, and the way to drivers and clients.
//!
//! One file for each family of objects. Each exported function turns raw pointers into references,
//! calls safe code, and turns the result into an error number or an `ERR_PTR()`. All raw pointers
//! of the C interface are followed in this directory and nowhere else.
//!
//! What every function relies on: pointers that a caller passes are null or point to valid objects
//! of the declared type; devices, clients and objects stay valid as the headers say; objects are
//! not destroyed while another call works with them.

/// Declares a function of the C interface, and checks its signature against the header.
macro_rules! c_api {
    ($(
        $(#[$meta:meta])*
        unsafe fn $name:ident($($arg:ident: $type:ty),* $(,)?) $(-> $ret:ty)? $body:block
    )*) => {$(
        const _: () = {
            let _ = if true { $crate::bindings_ub::$name } else { $name };
        };

        $(#[$meta])*
        ///
        /// # Safety
        ///
        /// As the header says; see the module.
        #[no_mangle]
        unsafe extern "C" fn $name($($arg: $type),*) $(-> $ret)? $body
    )*};
}

mod address;
mod attach;
mod batch;
mod cgroup;
mod client;
mod data;
mod device;
mod device_ptr;
mod doorbell;
mod driver;
mod event;
#[cfg(CONFIG_KUNIT)]
mod fake;
#[cfg(CONFIG_KUNIT)]
mod fake_client;
mod group;
mod handle;
mod import;
mod jetty;
mod jfc;
mod jfr;
mod jfs;
#[cfg(CONFIG_KUNIT)]
mod kunit;
#[cfg(CONFIG_KUNIT)]
mod kunit_stage;
mod object;
mod option;
mod pending;
mod segment;
mod stage;
mod stage_api;
mod tp;
mod ucontext;
mod umem;
mod user;
mod words;

pub(crate) use attach::Attached;
pub(crate) use batch::{
    Batch,
    BatchFn, //
};
pub(crate) use cgroup::CgroupMembership;
pub(crate) use client::{
    ClientData,
    ClientPtr, //
};
pub(crate) use device_ptr::DevicePtr;
pub(crate) use doorbell::Ring;
pub(crate) use driver::driver_group;
pub(crate) use event::{
    Event,
    HandlerPtr, //
};
pub(crate) use group::{
    GroupEvents,
    Members, //
};
pub(crate) use handle::{
    clear_core,
    core_state,
    set_core, //
};
pub(crate) use import::{
    Active,
    Imported,
    Vtpn, //
};
pub(crate) use jetty::{
    Bound,
    JettyRequest, //
};
pub(crate) use jfc::JfcHandlers;
pub(crate) use jfr::JfrRequest;
pub(crate) use jfs::JfsRequest;
pub(crate) use object::{
    Kind,
    Obj,
    ObjPtr,
    Owned,
    Parents,
    Queue, //
};
pub(crate) use option::OptionValue;
pub(crate) use pending::{
    BindDone,
    Done,
    ImportDone, //
};
pub(crate) use segment::SegmentRequest;
pub(crate) use stage::Staged;
pub(crate) use user::{
    Behalf,
    User, //
};

/// The kinds of objects, as types.
pub(crate) mod kinds {
    pub(crate) use super::{
        group::JettyGroup,
        import::ImportedJetty,
        jetty::Jetty,
        jfc::Jfc,
        jfr::Jfr,
        jfs::Jfs,
        segment::{
            Segment,
            TokenId, //
        }, //
    };
}

use crate::bindings_ub::ubcore_ops;
use kernel::prelude::*;

/// Copies a C structure that a caller passes; `EINVAL` for a null pointer.
///
/// # Safety
///
/// `from` must be null or valid, and its type must not have a destructor.
unsafe fn copy<T>(from: *const T) -> Result<T> {
    const { assert!(!core::mem::needs_drop::<T>()) };
    if from.is_null() {
        return Err(EINVAL);
    }
    // SAFETY: By the function's contract.
    Ok(unsafe { from.read() })
}

/// Calls an operation of the driver of an object, and returns its result unchanged.
///
/// `EINVAL` without an object that is at work, or if `choose` finds no operation.
fn ask_driver<K: Queue, F>(
    object: Option<&Obj<K>>,
    choose: impl FnOnce(&ubcore_ops) -> Option<F>,
    call: impl FnOnce(F) -> c_int,
) -> c_int {
    let object = object.filter(|object| object.is_active());
    let op = object.and_then(|object| choose(object.device().ok()?.ops()));
    op.map_or(EINVAL.to_errno(), call)
}

/// Turns a result into what a C function returns for success or an error.
fn errno(result: Result) -> c_int {
    result.map_or_else(Error::to_errno, |()| 0)
}
