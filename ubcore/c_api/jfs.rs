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
    option::Place,
    stage::staged,
    stage_api::stage_api,
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
        validate, //
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
    group: None,
});
kind!(queue Jfs, id jfs_id.id, opt jfs_opt, table jfss);

staged! {
    Jfs: jfs, cfg ubcore_jfs_cfg, jfs_cfg, mask jfs_opt.jfs_opt_mask,
    // SAFETY: By the function's contract.
    eid |jfs, eid| unsafe { (*jfs).jfs_id.eid = eid_from_bytes(eid.into_bytes()) },
    place |jfs, opt| place(jfs, opt)
}

/// Returns where the value of an option is kept, if it is.
fn place(jfs: *mut ubcore_jfs, opt: u64) -> Option<Place> {
    use crate::bindings_ub::*;
    // SAFETY: A valid queue, by the contract of the trait.
    unsafe {
        Some(match u32::try_from(opt).ok()? {
            UBCORE_JFS_DEPTH => Place::of(&raw mut (*jfs).jfs_cfg.depth),
            UBCORE_JFS_FLAG => Place::of(&raw mut (*jfs).jfs_cfg.flag),
            UBCORE_JFS_TRANS_MODE => Place::of(&raw mut (*jfs).jfs_cfg.trans_mode),
            UBCORE_JFS_PRIORITY => Place::of(&raw mut (*jfs).jfs_cfg.priority),
            UBCORE_JFS_MAX_SGE => Place::of(&raw mut (*jfs).jfs_cfg.max_sge),
            UBCORE_JFS_MAX_RSGE => Place::of(&raw mut (*jfs).jfs_cfg.max_rsge),
            UBCORE_JFS_MAX_INLINE_DATA => Place::of(&raw mut (*jfs).jfs_cfg.max_inline_data),
            UBCORE_JFS_RNR_RETRY => Place::of(&raw mut (*jfs).jfs_cfg.rnr_retry),
            UBCORE_JFS_ERR_TIMEOUT => Place::of(&raw mut (*jfs).jfs_cfg.err_timeout),
            UBCORE_JFS_BIND_JFC => Place::Jfc(&raw mut (*jfs).jfs_cfg.jfc),
            _ => return Place::of_send(&raw mut (*jfs).jfs_opt, opt),
        })
    }
}

/// A request for a send queue.
pub(crate) struct JfsRequest<'a> {
    /// A copy of the client's configuration.
    pub(crate) cfg: ubcore_jfs_cfg,
    /// Where completions go.
    pub(crate) jfc: Option<&'a Obj<super::kinds::Jfc>>,
    /// Who is called for an asynchronous event.
    jfae: ubcore_event_callback_t,
}

impl JfsRequest<'_> {
    /// Takes what a client passes; `EINVAL` for a null pointer.
    ///
    /// # Safety
    ///
    /// `cfg` must be null or valid, and what it refers to be valid as long as the request.
    unsafe fn new(cfg: *const ubcore_jfs_cfg, jfae: ubcore_event_callback_t) -> Result<Self> {
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
    /// Stores what the client asked for, where the driver does not decide.
    pub(crate) fn init_granted(&self, mut request: JfsRequest<'_>, eid: Eid) {
        let cfg = &mut request.cfg;
        // SAFETY: A new object that nobody else has yet.
        unsafe {
            let actual = &raw const (*self.as_ptr()).jfs_cfg;
            cfg.depth = (*actual).depth;
            cfg.max_sge = (*actual).max_sge;
            cfg.max_rsge = (*actual).max_rsge;
            cfg.max_inline_data = (*actual).max_inline_data;
        }
        self.set_eid(eid);
        self.init(request);
    }

    /// Stores what the client asked for.
    pub(crate) fn init(&self, request: JfsRequest<'_>) {
        // SAFETY: A new object that nobody else has yet.
        unsafe {
            let jfs = self.as_ptr();
            (*jfs).jfs_cfg = request.cfg;
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
            let request = unsafe { JfsRequest::new(cfg, jfae_handler) }?;
            jfs::create(dev, request, user).map(Owned::into_raw)
        })())
    }

    /// Allocates a send queue.
    unsafe fn ubcore_alloc_jfs(
        dev: *mut ubcore_device,
        cfg: *mut ubcore_jfs_cfg,
        jfae_handler: ubcore_event_callback_t,
        out: *mut *mut ubcore_jfs,
        udata: *mut ubcore_udata,
    ) -> c_int {
        errno((|| {
            // SAFETY: Null or valid, as is all that follows.
            let (dev, user) = unsafe { (device(dev)?, User::new(udata)?) };
            // SAFETY: As above.
            let out = unsafe { out.as_mut() }.ok_or(EINVAL)?;
            // SAFETY: As above; a copy.
            let request = unsafe { JfsRequest::new(cfg, jfae_handler) }?;
            *out = jfs::alloc(dev, request, user)?.into_raw();
            Ok(())
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

stage_api!(Jfs: jfs, "send queue");
