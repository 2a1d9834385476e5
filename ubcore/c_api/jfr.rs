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
    option::Place,
    stage::staged,
    stage_api::stage_api,
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
            JettyRecv, //
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
    group: None,
});
kind!(queue Jfr, id jfr_id.id, opt jfr_opt, table jfrs);

staged! {
    Jfr: jfr, cfg ubcore_jfr_cfg, jfr_cfg, mask jfr_opt.jfr_opt_mask,
    // SAFETY: By the function's contract.
    eid |jfr, eid| unsafe { (*jfr).jfr_id.eid = eid_from_bytes(eid.into_bytes()) },
    place |jfr, opt| place(jfr, opt)
}

/// Returns where the value of an option is kept, if it is.
fn place(jfr: *mut ubcore_jfr, opt: u64) -> Option<Place> {
    use crate::bindings_ub::*;
    // SAFETY: A valid queue, by the contract of the trait.
    unsafe {
        Some(match u32::try_from(opt).ok()? {
            UBCORE_JFR_DEPTH => Place::of(&raw mut (*jfr).jfr_cfg.depth),
            UBCORE_JFR_FLAG => Place::of(&raw mut (*jfr).jfr_cfg.flag),
            UBCORE_JFR_TRANS_MODE => Place::of(&raw mut (*jfr).jfr_cfg.trans_mode),
            UBCORE_JFR_MAX_SGE => Place::of(&raw mut (*jfr).jfr_cfg.max_sge),
            UBCORE_JFR_MIN_RNR_TIMER => Place::of(&raw mut (*jfr).jfr_cfg.min_rnr_timer),
            UBCORE_JFR_BIND_JFC => Place::Jfc(&raw mut (*jfr).jfr_cfg.jfc),
            UBCORE_JFR_TOKEN_VALUE => Place::of(&raw mut (*jfr).jfr_cfg.token_value),
            UBCORE_JFR_RQE_BASE_ADDR => Place::of(&raw mut (*jfr).jfr_opt.urma_jfr_rqe_base_addr),
            UBCORE_JFR_ID => Place::of(&raw mut (*jfr).jfr_opt.urma_jfr_id),
            UBCORE_JFR_DB_ADDR => Place::of(&raw mut (*jfr).jfr_opt.urma_jfr_db_addr),
            UBCORE_JFR_DB_STATUS => Place::of(&raw mut (*jfr).jfr_opt.urma_jfr_db_status),
            UBCORE_JFR_PI => Place::of(&raw mut (*jfr).jfr_opt.urma_jfr_pi),
            UBCORE_JFR_PI_TYPE => Place::of(&raw mut (*jfr).jfr_opt.urma_jfr_pi_type),
            UBCORE_JFR_CI => Place::of(&raw mut (*jfr).jfr_opt.urma_jfr_ci),
            _ => return None,
        })
    }
}

/// A request for a receive queue.
pub(crate) struct JfrRequest<'a> {
    /// A copy of the client's configuration.
    pub(crate) cfg: ubcore_jfr_cfg,
    /// Where completions go.
    pub(crate) jfc: Option<&'a Obj<super::kinds::Jfc>>,
    /// Who is called for an asynchronous event.
    jfae: ubcore_event_callback_t,
}

impl JfrRequest<'_> {
    /// Takes what a client passes; `EINVAL` for a null pointer.
    ///
    /// # Safety
    ///
    /// `cfg` must be null or valid, and what it refers to be valid as long as the request.
    unsafe fn new(cfg: *const ubcore_jfr_cfg, jfae: ubcore_event_callback_t) -> Result<Self> {
        // SAFETY: By the function's contract.
        let cfg = unsafe { super::copy(cfg) }?;
        Ok(Self {
            // SAFETY: As above.
            jfc: unsafe { Obj::from_raw(cfg.jfc) },
            cfg,
            jfae,
        })
    }
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
    /// Returns the token; never logged.
    pub(crate) fn token(&self) -> u32 {
        // SAFETY: Valid; not changed after it was made.
        unsafe { (*self.as_ptr()).jfr_cfg.token_value.token }
    }

    /// Returns what a jetty that is to receive from this queue must fit.
    pub(crate) fn as_receiver(&self) -> Result<JettyRecv> {
        // SAFETY: Valid; not changed after it was made.
        jfr::as_receiver(unsafe { &(*self.as_ptr()).jfr_cfg })
    }
}

impl Owned<Jfr> {
    /// Stores what the client asked for, where the driver does not decide.
    pub(crate) fn init_granted(&self, mut request: JfrRequest<'_>, eid: Eid) {
        let cfg = &mut request.cfg;
        // SAFETY: A new object that nobody else has yet.
        unsafe {
            let actual = &raw const (*self.as_ptr()).jfr_cfg;
            cfg.depth = (*actual).depth;
            cfg.max_sge = (*actual).max_sge;
        }
        self.set_eid(eid);
        self.init(request);
    }

    /// Stores what the client asked for.
    pub(crate) fn init(&self, request: JfrRequest<'_>) {
        // SAFETY: A new object that nobody else has yet.
        unsafe {
            let jfr = self.as_ptr();
            (*jfr).jfr_cfg = request.cfg;
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
            let request = unsafe { JfrRequest::new(cfg, jfae_handler) }?;
            jfr::create(dev, request, user).map(Owned::into_raw)
        })())
    }

    /// Allocates a receive queue.
    unsafe fn ubcore_alloc_jfr(
        dev: *mut ubcore_device,
        cfg: *mut ubcore_jfr_cfg,
        jfae_handler: ubcore_event_callback_t,
        out: *mut *mut ubcore_jfr,
        udata: *mut ubcore_udata,
    ) -> c_int {
        errno((|| {
            // SAFETY: Null or valid, as is all that follows.
            let (dev, user) = unsafe { (device(dev)?, User::new(udata)?) };
            // SAFETY: As above.
            let out = unsafe { out.as_mut() }.ok_or(EINVAL)?;
            // SAFETY: As above; a copy.
            let request = unsafe { JfrRequest::new(cfg, jfae_handler) }?;
            *out = jfr::alloc(dev, request, user)?.into_raw();
            Ok(())
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

stage_api!(Jfr: jfr, "receive queue");
