// SPDX-License-Identifier: GPL-2.0

//! Completion queues.

use super::{
    device_ptr::device,
    errno,
    object::{
        kind,
        Obj,
        Owned, //
    },
    user::User, //
};
use crate::{
    bindings_ub::{
        ubcore_comp_callback_t,
        ubcore_device,
        ubcore_event_callback_t,
        ubcore_jfc,
        ubcore_jfc_attr,
        ubcore_jfc_cfg,
        ubcore_udata, //
    },
    device::Device,
    jfc,
    logic::validate,
    queue,
    ub::common::err_ptr, //
};
use kernel::prelude::*;

/// Completion queues, as a [`Kind`](super::Kind).
pub(crate) enum Jfc {}

kind!(Jfc: ubcore_jfc, Jfc, destroy destroy_jfc);
kind!(queue Jfc, id id, table jfcs);

/// Who is called for a completion queue.
pub(crate) struct JfcHandlers {
    /// For a completion.
    jfce: ubcore_comp_callback_t,
    /// For an asynchronous event.
    jfae: ubcore_event_callback_t,
}

impl Device {
    /// Lets the driver make a completion queue.
    pub(crate) fn driver_create_jfc(
        &self,
        cfg: &mut ubcore_jfc_cfg,
        user: User<'_>,
    ) -> Result<Owned<Jfc>> {
        let ops = self.ops();
        let op = ops.create_jfc.ok_or(EINVAL)?;
        ops.destroy_jfc.ok_or(EINVAL)?;
        // SAFETY: An operation of the driver, with its device and a configuration.
        unsafe { Owned::from_driver(op(self.c().as_ptr(), cfg, user.udata()), self, user) }
    }
}

impl Owned<Jfc> {
    /// Returns the depth that the driver granted.
    pub(crate) fn depth(&self) -> u32 {
        // SAFETY: Valid.
        unsafe { (*self.as_ptr()).jfc_cfg.depth }
    }

    /// Stores what the client asked for, where the driver does not decide.
    pub(crate) fn init(&self, cfg: &ubcore_jfc_cfg, handlers: &JfcHandlers) {
        let depth = self.depth();
        // SAFETY: A new object that nobody else has yet.
        unsafe {
            let jfc = self.as_ptr();
            (*jfc).jfc_cfg = core::ptr::read(cfg);
            (*jfc).jfc_cfg.depth = depth;
            (*jfc).jfce_handler = handlers.jfce;
            (*jfc).jfae_handler = handlers.jfae;
        }
    }
}

/// Tells whether a request to modify says something that can be done.
fn is_change(attr: &ubcore_jfc_attr) -> bool {
    validate::check_jfc_change(attr.mask).is_ok()
}

c_api! {
    /// Creates a completion queue.
    unsafe fn ubcore_create_jfc(
        dev: *mut ubcore_device,
        cfg: *mut ubcore_jfc_cfg,
        jfce_handler: ubcore_comp_callback_t,
        jfae_handler: ubcore_event_callback_t,
        udata: *mut ubcore_udata,
    ) -> *mut ubcore_jfc {
        err_ptr((|| {
            // SAFETY: Null or valid, as is all that follows.
            let (dev, user) = unsafe { (device(dev)?, User::new(udata)?) };
            // SAFETY: As above; a copy.
            let cfg = unsafe { super::copy(cfg) }?;
            let handlers = JfcHandlers {
                jfce: jfce_handler,
                jfae: jfae_handler,
            };
            jfc::create(dev, cfg, handlers, user).map(Owned::into_raw)
        })())
    }

    /// Changes a completion queue.
    unsafe fn ubcore_modify_jfc(
        jfc: *mut ubcore_jfc,
        attr: *mut ubcore_jfc_attr,
        udata: *mut ubcore_udata,
    ) -> c_int {
        super::ask_driver(
            // SAFETY: Null or valid.
            unsafe { Obj::<Jfc>::from_raw(jfc) },
            |ops| {
                // SAFETY: Null or valid.
                let attr = unsafe { super::copy(attr) };
                ops.modify_jfc.filter(|_| attr.is_ok_and(|attr| is_change(&attr)))
            },
            // SAFETY: An operation of the driver, with an object of its own.
            |op| unsafe { op(jfc, attr, udata) },
        )
    }

    /// Deletes a completion queue.
    unsafe fn ubcore_delete_jfc(jfc: *mut ubcore_jfc) -> c_int {
        // SAFETY: Null or valid, and the caller's.
        errno(unsafe { Owned::<Jfc>::from_raw(jfc) }.and_then(|jfc| queue::delete(jfc, EBUSY)))
    }
}
