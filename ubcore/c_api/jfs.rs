// SPDX-License-Identifier: GPL-2.0

//! Send queues.

use super::{
    device_ptr::device,
    errno,
    object::{
        kind,
        parent,
        Obj,
        Owned,
        Parents, //
    },
    user::User, //
};
use crate::{
    bindings_ub::{
        ubcore_cr,
        ubcore_device,
        ubcore_event_callback_t,
        ubcore_jfs,
        ubcore_jfs_attr,
        ubcore_jfs_cfg,
        ubcore_udata, //
    },
    device::Device,
    jfs,
    logic::{
        eid::Eid,
        validate::{
            self,
            Sizes, //
        }, //
    },
    queue,
    ub::common::{
        eid_from_bytes,
        err_ptr, //
    },
};
use kernel::prelude::*;

/// Send queues, as a [`Kind`](super::Kind).
pub(crate) enum Jfs {}

kind!(Jfs: ubcore_jfs, Jfs, destroy destroy_jfs, parents |jfs| Parents {
    jfcs: [parent((*jfs).jfs_cfg.jfc), None],
    jfr: None,
});
kind!(queue Jfs, id jfs_id.id, table jfss);

/// A request for a send queue.
pub(crate) struct JfsRequest<'a> {
    /// A copy of the client's configuration.
    pub(crate) cfg: ubcore_jfs_cfg,
    /// Where completions go.
    pub(crate) jfc: Option<&'a Obj<super::kinds::Jfc>>,
    /// Who is called for an asynchronous event.
    jfae: ubcore_event_callback_t,
}

impl Device {
    /// Lets the driver make a send queue.
    pub(crate) fn driver_create_jfs(
        &self,
        cfg: &mut ubcore_jfs_cfg,
        user: User<'_>,
    ) -> Result<Owned<Jfs>> {
        let ops = self.ops();
        let op = ops.create_jfs.ok_or(EINVAL)?;
        ops.destroy_jfs.ok_or(EINVAL)?;
        // SAFETY: An operation of the driver, with its device and a configuration.
        unsafe { Owned::from_driver(op(self.c().as_ptr(), cfg, user.udata()), self, user) }
    }
}

impl Owned<Jfs> {
    /// Returns what the driver granted.
    pub(crate) fn granted(&self) -> Sizes {
        // SAFETY: Valid.
        jfs::sizes(unsafe { &(*self.as_ptr()).jfs_cfg })
    }

    /// Stores what the client asked for, where the driver does not decide.
    pub(crate) fn init(&self, request: &JfsRequest<'_>, eid: Eid) {
        // SAFETY: A new object that nobody else has yet.
        unsafe {
            let jfs = self.as_ptr();
            let actual = core::mem::replace(&mut (*jfs).jfs_cfg, core::ptr::read(&request.cfg));
            (*jfs).jfs_cfg.depth = actual.depth;
            (*jfs).jfs_cfg.max_sge = actual.max_sge;
            (*jfs).jfs_cfg.max_rsge = actual.max_rsge;
            (*jfs).jfs_cfg.max_inline_data = actual.max_inline_data;
            (*jfs).jfs_id.eid = eid_from_bytes(eid.into_bytes());
            (*jfs).jfae_handler = request.jfae;
        }
    }
}

/// Tells whether a request to modify says something that can be done.
fn is_change(attr: &ubcore_jfs_attr) -> bool {
    validate::jfs_change(attr.mask, attr.state).is_ok()
}

c_api! {
    /// Creates a send queue.
    unsafe fn ubcore_create_jfs(
        dev: *mut ubcore_device,
        cfg: *mut ubcore_jfs_cfg,
        jfae_handler: ubcore_event_callback_t,
        udata: *mut ubcore_udata,
    ) -> *mut ubcore_jfs {
        err_ptr((|| {
            // SAFETY: Null or valid, as is all that follows.
            let (dev, user) = unsafe { (device(dev)?, User::new(udata)?) };
            // SAFETY: As above; a copy.
            let cfg = unsafe { super::copy(cfg) }?;
            let request = JfsRequest {
                // SAFETY: As above.
                jfc: unsafe { Obj::from_raw(cfg.jfc) },
                cfg,
                jfae: jfae_handler,
            };
            jfs::create(dev, request, user).map(Owned::into_raw)
        })())
    }

    /// Changes a send queue.
    unsafe fn ubcore_modify_jfs(
        jfs: *mut ubcore_jfs,
        attr: *mut ubcore_jfs_attr,
        udata: *mut ubcore_udata,
    ) -> c_int {
        super::ask_driver(
            // SAFETY: Null or valid.
            unsafe { Obj::<Jfs>::from_raw(jfs) },
            |ops| {
                // SAFETY: Null or valid.
                let attr = unsafe { super::copy(attr) };
                ops.modify_jfs.filter(|_| attr.is_ok_and(|attr| is_change(&attr)))
            },
            // SAFETY: An operation of the driver, with an object of its own.
            |op| unsafe { op(jfs, attr, udata) },
        )
    }

    /// Reads a send queue back.
    unsafe fn ubcore_query_jfs(
        jfs: *mut ubcore_jfs,
        cfg: *mut ubcore_jfs_cfg,
        attr: *mut ubcore_jfs_attr,
    ) -> c_int {
        super::ask_driver(
            // SAFETY: Null or valid.
            unsafe { Obj::<Jfs>::from_raw(jfs) },
            |ops| ops.query_jfs.filter(|_| !cfg.is_null() && !attr.is_null()),
            // SAFETY: An operation of the driver, with an object of its own.
            |op| unsafe { op(jfs, cfg, attr) },
        )
    }

    /// Returns work requests that were not carried out.
    unsafe fn ubcore_flush_jfs(
        jfs: *mut ubcore_jfs,
        cr_cnt: c_int,
        cr: *mut ubcore_cr,
    ) -> c_int {
        super::ask_driver(
            // SAFETY: Null or valid.
            unsafe { Obj::<Jfs>::from_raw(jfs) },
            |ops| ops.flush_jfs.filter(|_| !cr.is_null() && cr_cnt >= 0),
            // SAFETY: An operation of the driver, with an object of its own.
            |op| unsafe { op(jfs, cr_cnt, cr) },
        )
    }

    /// Deletes a send queue.
    unsafe fn ubcore_delete_jfs(jfs: *mut ubcore_jfs) -> c_int {
        // SAFETY: Null or valid, and the caller's.
        errno(unsafe { Owned::<Jfs>::from_raw(jfs) }.and_then(|jfs| queue::delete(jfs, EBUSY)))
    }
}
