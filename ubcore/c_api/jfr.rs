// SPDX-License-Identifier: GPL-2.0

//! Receive queues.

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
        ubcore_device,
        ubcore_event_callback_t,
        ubcore_jfr,
        ubcore_jfr_attr,
        ubcore_jfr_cfg,
        ubcore_udata, //
    },
    device::Device,
    jfr,
    logic::{
        eid::Eid,
        validate::{
            self,
            JettyRecv,
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

/// Receive queues, as a [`Kind`](super::Kind).
pub(crate) enum Jfr {}

kind!(Jfr: ubcore_jfr, Jfr, destroy destroy_jfr, parents |jfr| Parents {
    jfcs: [parent((*jfr).jfr_cfg.jfc), None],
    jfr: None,
});
kind!(queue Jfr, id jfr_id.id, table jfrs);

/// A request for a receive queue.
pub(crate) struct JfrRequest<'a> {
    /// A copy of the client's configuration.
    pub(crate) cfg: ubcore_jfr_cfg,
    /// Where completions go.
    pub(crate) jfc: Option<&'a Obj<super::kinds::Jfc>>,
    /// Who is called for an asynchronous event.
    jfae: ubcore_event_callback_t,
}

impl Device {
    /// Lets the driver make a receive queue.
    pub(crate) fn driver_create_jfr(
        &self,
        cfg: &mut ubcore_jfr_cfg,
        user: User<'_>,
    ) -> Result<Owned<Jfr>> {
        let ops = self.ops();
        let op = ops.create_jfr.ok_or(EINVAL)?;
        ops.destroy_jfr.ok_or(EINVAL)?;
        // SAFETY: An operation of the driver, with its device and a configuration.
        unsafe { Owned::from_driver(op(self.c().as_ptr(), cfg, user.udata()), self, user) }
    }
}

impl Obj<Jfr> {
    /// Returns what a jetty that is to receive from this queue must fit.
    pub(crate) fn as_receiver(&self) -> Result<JettyRecv> {
        // SAFETY: Valid; not changed after it was made.
        jfr::as_receiver(unsafe { &(*self.as_ptr()).jfr_cfg })
    }
}

impl Owned<Jfr> {
    /// Returns what the driver granted.
    pub(crate) fn granted(&self) -> Sizes {
        // SAFETY: Valid.
        jfr::sizes(unsafe { &(*self.as_ptr()).jfr_cfg })
    }

    /// Stores what the client asked for, where the driver does not decide.
    pub(crate) fn init(&self, request: &JfrRequest<'_>, eid: Eid) {
        // SAFETY: A new object that nobody else has yet.
        unsafe {
            let jfr = self.as_ptr();
            let actual = core::mem::replace(&mut (*jfr).jfr_cfg, core::ptr::read(&request.cfg));
            (*jfr).jfr_cfg.depth = actual.depth;
            (*jfr).jfr_cfg.max_sge = actual.max_sge;
            (*jfr).jfr_id.eid = eid_from_bytes(eid.into_bytes());
            (*jfr).jfae_handler = request.jfae;
        }
    }
}

/// Tells whether a request to modify says something that can be done.
fn is_change(attr: &ubcore_jfr_attr) -> bool {
    validate::jfr_change(attr.mask, attr.rx_threshold, attr.state).is_ok()
}

c_api! {
    /// Creates a receive queue.
    unsafe fn ubcore_create_jfr(
        dev: *mut ubcore_device,
        cfg: *mut ubcore_jfr_cfg,
        jfae_handler: ubcore_event_callback_t,
        udata: *mut ubcore_udata,
    ) -> *mut ubcore_jfr {
        err_ptr((|| {
            // SAFETY: Null or valid, as is all that follows.
            let (dev, user) = unsafe { (device(dev)?, User::new(udata)?) };
            // SAFETY: As above; a copy.
            let cfg = unsafe { super::copy(cfg) }?;
            let request = JfrRequest {
                // SAFETY: As above.
                jfc: unsafe { Obj::from_raw(cfg.jfc) },
                cfg,
                jfae: jfae_handler,
            };
            jfr::create(dev, request, user).map(Owned::into_raw)
        })())
    }

    /// Changes a receive queue.
    unsafe fn ubcore_modify_jfr(
        jfr: *mut ubcore_jfr,
        attr: *mut ubcore_jfr_attr,
        udata: *mut ubcore_udata,
    ) -> c_int {
        super::ask_driver(
            // SAFETY: Null or valid.
            unsafe { Obj::<Jfr>::from_raw(jfr) },
            |ops| {
                // SAFETY: Null or valid.
                let attr = unsafe { super::copy(attr) };
                ops.modify_jfr.filter(|_| attr.is_ok_and(|attr| is_change(&attr)))
            },
            // SAFETY: An operation of the driver, with an object of its own.
            |op| unsafe { op(jfr, attr, udata) },
        )
    }

    /// Reads a receive queue back.
    unsafe fn ubcore_query_jfr(
        jfr: *mut ubcore_jfr,
        cfg: *mut ubcore_jfr_cfg,
        attr: *mut ubcore_jfr_attr,
    ) -> c_int {
        super::ask_driver(
            // SAFETY: Null or valid.
            unsafe { Obj::<Jfr>::from_raw(jfr) },
            |ops| ops.query_jfr.filter(|_| !cfg.is_null() && !attr.is_null()),
            // SAFETY: An operation of the driver, with an object of its own.
            |op| unsafe { op(jfr, cfg, attr) },
        )
    }

    /// Deletes a receive queue.
    unsafe fn ubcore_delete_jfr(jfr: *mut ubcore_jfr) -> c_int {
        // SAFETY: Null or valid, and the caller's.
        errno(unsafe { Owned::<Jfr>::from_raw(jfr) }.and_then(|jfr| queue::delete(jfr, EBUSY)))
    }
}
