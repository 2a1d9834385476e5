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
    option::Place,
    stage::staged,
    stage_api::stage_api,
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
kind!(queue Jfc, id id, opt jfc_opt, table jfcs);

staged! {
    Jfc: jfc, cfg ubcore_jfc_cfg, jfc_cfg, mask jfc_opt.jfc_opt_mask,
    eid |_jfc, _eid| (),
    place |jfc, opt| place(jfc, opt)
}

/// Returns where the value of an option is kept, if it is.
fn place(jfc: *mut ubcore_jfc, opt: u64) -> Option<Place> {
    use crate::bindings_ub::*;
    // SAFETY: A valid queue, by the contract of the trait.
    unsafe {
        Some(match u32::try_from(opt).ok()? {
            UBCORE_JFC_DEPTH => Place::of(&raw mut (*jfc).jfc_cfg.depth),
            UBCORE_JFC_CEQN => Place::of(&raw mut (*jfc).jfc_cfg.ceqn),
            UBCORE_JFC_FLAG => Place::of(&raw mut (*jfc).jfc_cfg.flag),
            UBCORE_JFC_CQE_BASE_ADDR => Place::of(&raw mut (*jfc).jfc_opt.urma_jfc_cqe_base_addr),
            UBCORE_JFC_ID => Place::of(&raw mut (*jfc).jfc_opt.urma_jfc_id),
            UBCORE_JFC_DB_ADDR => Place::of(&raw mut (*jfc).jfc_opt.urma_jfc_db_addr),
            UBCORE_JFC_DB_STATUS => Place::of(&raw mut (*jfc).jfc_opt.urma_jfc_db_status),
            UBCORE_JFC_PI => Place::of(&raw mut (*jfc).jfc_opt.urma_jfc_pi),
            UBCORE_JFC_PI_TYPE => Place::of(&raw mut (*jfc).jfc_opt.urma_jfc_pi_type),
            UBCORE_JFC_CI => Place::of(&raw mut (*jfc).jfc_opt.urma_jfc_ci),
            _ => return None,
        })
    }
}

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
    /// Stores what the client asked for, where the driver does not decide.
    pub(crate) fn init_granted(&self, mut cfg: ubcore_jfc_cfg, handlers: &JfcHandlers) {
        // SAFETY: A new object that nobody else has yet.
        cfg.depth = unsafe { (*self.as_ptr()).jfc_cfg.depth };
        self.init(cfg, handlers);
    }

    /// Stores what the client asked for.
    pub(crate) fn init(&self, cfg: ubcore_jfc_cfg, handlers: &JfcHandlers) {
        // SAFETY: A new object that nobody else has yet.
        unsafe {
            let jfc = self.as_ptr();
            (*jfc).jfc_cfg = cfg;
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

    /// Allocates a completion queue.
    unsafe fn ubcore_alloc_jfc(
        dev: *mut ubcore_device,
        cfg: *mut ubcore_jfc_cfg,
        jfce_handler: ubcore_comp_callback_t,
        jfae_handler: ubcore_event_callback_t,
        out: *mut *mut ubcore_jfc,
        udata: *mut ubcore_udata,
    ) -> c_int {
        errno((|| {
            // SAFETY: Null or valid, as is all that follows.
            let (dev, user) = unsafe { (device(dev)?, User::new(udata)?) };
            // SAFETY: As above; a copy.
            let cfg = unsafe { super::copy(cfg) }?;
            // SAFETY: As above.
            let out = unsafe { out.as_mut() }.ok_or(EINVAL)?;
            let handlers = JfcHandlers {
                jfce: jfce_handler,
                jfae: jfae_handler,
            };
            *out = jfc::alloc(dev, cfg, handlers, user)?.into_raw();
            Ok(())
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

stage_api!(Jfc: jfc, "completion queue");
