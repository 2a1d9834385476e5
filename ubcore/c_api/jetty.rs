// SPDX-License-Identifier: GPL-2.0

//! Jettys.

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
        ubcore_jetty,
        ubcore_jetty_attr,
        ubcore_jetty_cfg,
        ubcore_udata, //
    },
    device::Device,
    flags::shares_jfr,
    jetty,
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
use core::ptr::null_mut;
use kernel::prelude::*;

/// Jettys, as a [`Kind`](super::Kind).
pub(crate) enum Jetty {}

kind!(Jetty: ubcore_jetty, Jetty, destroy destroy_jetty, parents |jetty| Parents {
    jfcs: [parent((*jetty).jetty_cfg.send_jfc), parent((*jetty).jetty_cfg.recv_jfc)],
    jfr: if shares_jfr(&(*jetty).jetty_cfg.flag) { parent((*jetty).jetty_cfg.jfr) } else { None },
    group: parent((*jetty).jetty_cfg.jetty_grp),
}, leave Obj::leave_group, rejoin Obj::rejoin_group);
kind!(queue Jetty, id jetty_id.id, opt jetty_opt, table jettys);

staged! {
    Jetty: jetty, cfg ubcore_jetty_cfg, jetty_cfg, mask jetty_opt.jfs_opt.jfs_opt_mask,
    // SAFETY: By the function's contract.
    eid |jetty, eid| unsafe { (*jetty).jetty_id.eid = eid_from_bytes(eid.into_bytes()) },
    place |jetty, opt| place(jetty, opt)
}

/// Returns where the value of an option is kept, if it is.
fn place(jetty: *mut ubcore_jetty, opt: u64) -> Option<Place> {
    use crate::bindings_ub::*;
    // SAFETY: A valid jetty, by the contract of the trait.
    unsafe {
        let cfg = &raw mut (*jetty).jetty_cfg;
        Some(match u32::try_from(opt).ok()? {
            UBCORE_JFS_DEPTH => Place::of(&raw mut (*cfg).jfs_depth),
            UBCORE_JFS_FLAG => Place::SendFlag(&raw mut (*cfg).flag),
            UBCORE_JFS_TRANS_MODE => Place::of(&raw mut (*cfg).trans_mode),
            UBCORE_JFS_PRIORITY => Place::of(&raw mut (*cfg).priority),
            UBCORE_JFS_MAX_SGE => Place::of(&raw mut (*cfg).max_send_sge),
            UBCORE_JFS_MAX_RSGE => Place::of(&raw mut (*cfg).max_send_rsge),
            UBCORE_JFS_MAX_INLINE_DATA => Place::of(&raw mut (*cfg).max_inline_data),
            UBCORE_JFS_RNR_RETRY => Place::of(&raw mut (*cfg).rnr_retry),
            UBCORE_JFS_ERR_TIMEOUT => Place::of(&raw mut (*cfg).err_timeout),
            UBCORE_JFS_BIND_JFC => Place::Jfc(&raw mut (*cfg).send_jfc),
            UBCORE_JETTY_ID => Place::of(&raw mut (*cfg).id),
            UBCORE_JETTY_FLAG => Place::JettyFlag(&raw mut (*cfg).flag),
            UBCORE_JETTY_BIND_JFR if shares_jfr(&(*cfg).flag) => Place::Jfr(&raw mut (*cfg).jfr),
            UBCORE_JETTY_BIND_RX_JFC => Place::Jfc(&raw mut (*cfg).recv_jfc),
            _ => return Place::of_send(&raw mut (*jetty).jetty_opt.jfs_opt, opt),
        })
    }
}

/// A request for a jetty.
pub(crate) struct JettyRequest<'a> {
    /// A copy of the client's configuration.
    pub(crate) cfg: ubcore_jetty_cfg,
    /// Where completions of the send side go.
    pub(crate) send_jfc: Option<&'a Obj<super::kinds::Jfc>>,
    /// Where completions of the receive side go.
    pub(crate) recv_jfc: Option<&'a Obj<super::kinds::Jfc>>,
    /// What it receives from.
    pub(crate) jfr: Option<&'a Obj<super::kinds::Jfr>>,
    /// The group that it joins.
    pub(crate) group: Option<&'a Obj<super::kinds::JettyGroup>>,
    /// Who is called for an asynchronous event.
    jfae: ubcore_event_callback_t,
}

impl JettyRequest<'_> {
    /// Takes what a client passes; `EINVAL` for a null pointer.
    ///
    /// # Safety
    ///
    /// `cfg` must be null or valid, and what it refers to be valid as long as the request.
    unsafe fn new(cfg: *const ubcore_jetty_cfg, jfae: ubcore_event_callback_t) -> Result<Self> {
        // SAFETY: By the function's contract.
        let cfg = unsafe { super::copy(cfg) }?;
        // SAFETY: As above.
        let (send_jfc, recv_jfc, jfr, group) = unsafe {
            (
                Obj::from_raw(cfg.send_jfc),
                Obj::from_raw(cfg.recv_jfc),
                Obj::from_raw(cfg.jfr),
                Obj::from_raw(cfg.jetty_grp),
            )
        };
        Ok(Self {
            cfg,
            send_jfc,
            recv_jfc,
            jfr,
            group,
            jfae,
        })
    }

    /// Tells whether the jetty is to join a group.
    pub(crate) fn wants_group(&self) -> bool {
        self.group.is_some()
    }
}

impl Device {
    /// Lets the driver make a jetty.
    pub(crate) fn driver_create_jetty(
        &self,
        cfg: &mut ubcore_jetty_cfg,
        user: User<'_>,
    ) -> Result<Owned<Jetty>> {
        let ops = self.ops();
        let op = ops.create_jetty.ok_or(EINVAL)?;
        ops.destroy_jetty.ok_or(EINVAL)?;
        // SAFETY: An operation of the driver, with its device and a configuration.
        unsafe { Owned::from_driver(op(self.c().as_ptr(), cfg, user.udata()), self, user) }
    }
}

/// What is known of the other end of a jetty.
pub(crate) enum Bound<'a> {
    /// Nothing.
    No,
    /// It is this import.
    To(&'a Obj<super::kinds::ImportedJetty>),
}

impl Obj<Jetty> {
    /// Returns the group.
    fn group(&self) -> Option<&Obj<super::kinds::JettyGroup>> {
        // SAFETY: Null, or valid as long as its member is counted.
        unsafe { Obj::from_raw((*self.as_ptr()).jetty_cfg.jetty_grp) }
    }

    /// Has the group forget the jetty, which is about to go.
    fn leave_group(&self) {
        if let Some(group) = self.group() {
            group.leave(self.as_ptr());
        }
    }

    /// Has the group know the jetty again.
    fn rejoin_group(&self) {
        if let Some(group) = self.group() {
            group.rejoin(self.as_ptr());
        }
    }

    /// Returns the configuration, as granted.
    pub(crate) fn cfg(&self) -> &ubcore_jetty_cfg {
        // SAFETY: Valid; not changed while the jetty is at work.
        unsafe { &(*self.as_ptr()).jetty_cfg }
    }

    /// Returns what the jetty is bound to; the caller has claimed it.
    pub(crate) fn bound(&self) -> Bound<'_> {
        // SAFETY: Valid; the use of the import is counted while a jetty is bound to it.
        match unsafe { Obj::from_raw((*self.as_ptr()).remote_jetty) } {
            Some(target) => Bound::To(target),
            None => Bound::No,
        }
    }

    /// Notes what the jetty is bound to; the caller has claimed it.
    pub(crate) fn set_bound(&self, target: Option<&Obj<super::kinds::ImportedJetty>>) {
        // SAFETY: Valid; only who claimed the jetty writes.
        unsafe { (*self.as_ptr()).remote_jetty = target.map_or(null_mut(), Obj::as_ptr) };
    }
}

impl Owned<Jetty> {
    /// Stores what the client asked for, where the driver does not decide.
    pub(crate) fn init_granted(&self, mut request: JettyRequest<'_>, eid: Eid) {
        let cfg = &mut request.cfg;
        // SAFETY: A new object that nobody else has yet.
        unsafe {
            let actual = &raw const (*self.as_ptr()).jetty_cfg;
            cfg.jfs_depth = (*actual).jfs_depth;
            cfg.max_send_sge = (*actual).max_send_sge;
            cfg.max_send_rsge = (*actual).max_send_rsge;
            cfg.max_inline_data = (*actual).max_inline_data;
            if !shares_jfr(&cfg.flag) {
                cfg.jfr_depth = (*actual).jfr_depth;
                cfg.max_recv_sge = (*actual).max_recv_sge;
            }
        }
        self.set_eid(eid);
        self.init(request);
    }

    /// Stores what the client asked for.
    pub(crate) fn init(&self, request: JettyRequest<'_>) {
        // SAFETY: A new object that nobody else has yet.
        unsafe {
            let jetty = self.as_ptr();
            (*jetty).jetty_cfg = request.cfg;
            (*jetty).remote_jetty = null_mut();
            (*jetty).jfae_handler = request.jfae;
        }
    }
}

/// Tells whether a request to modify says something that can be done.
fn is_change(attr: &ubcore_jetty_attr) -> bool {
    validate::jetty_change(attr.mask, attr.rx_threshold, attr.state).is_ok()
}

c_api! {
    /// Creates a jetty.
    unsafe fn ubcore_create_jetty(
        dev: *mut ubcore_device,
        cfg: *mut ubcore_jetty_cfg,
        jfae_handler: ubcore_event_callback_t,
        udata: *mut ubcore_udata,
    ) -> *mut ubcore_jetty {
        err_ptr((|| {
            // SAFETY: Null or valid, as is all that follows.
            let (dev, user) = unsafe { (device(dev)?, User::new(udata)?) };
            // SAFETY: As above; a copy.
            let request = unsafe { JettyRequest::new(cfg, jfae_handler) }?;
            jetty::create(dev, request, user).map(Owned::into_raw)
        })())
    }

    /// Allocates a jetty.
    unsafe fn ubcore_alloc_jetty(
        dev: *mut ubcore_device,
        cfg: *mut ubcore_jetty_cfg,
        jfae_handler: ubcore_event_callback_t,
        out: *mut *mut ubcore_jetty,
        udata: *mut ubcore_udata,
    ) -> c_int {
        errno((|| {
            // SAFETY: Null or valid, as is all that follows.
            let (dev, user) = unsafe { (device(dev)?, User::new(udata)?) };
            // SAFETY: As above.
            let out = unsafe { out.as_mut() }.ok_or(EINVAL)?;
            // SAFETY: As above; a copy.
            let request = unsafe { JettyRequest::new(cfg, jfae_handler) }?;
            *out = jetty::alloc(dev, request, user)?.into_raw();
            Ok(())
        })())
    }

    /// Changes a jetty.
    unsafe fn ubcore_modify_jetty(
        jetty: *mut ubcore_jetty,
        attr: *mut ubcore_jetty_attr,
        udata: *mut ubcore_udata,
    ) -> c_int {
        super::ask_driver(
            // SAFETY: Null or valid.
            unsafe { Obj::<Jetty>::from_raw(jetty) },
            |ops| {
                // SAFETY: Null or valid.
                let attr = unsafe { super::copy(attr) };
                ops.modify_jetty.filter(|_| attr.is_ok_and(|attr| is_change(&attr)))
            },
            // SAFETY: An operation of the driver, with an object of its own.
            |op| unsafe { op(jetty, attr, udata) },
        )
    }

    /// Reads a jetty back.
    unsafe fn ubcore_query_jetty(
        jetty: *mut ubcore_jetty,
        cfg: *mut ubcore_jetty_cfg,
        attr: *mut ubcore_jetty_attr,
    ) -> c_int {
        super::ask_driver(
            // SAFETY: Null or valid.
            unsafe { Obj::<Jetty>::from_raw(jetty) },
            |ops| ops.query_jetty.filter(|_| !cfg.is_null() && !attr.is_null()),
            // SAFETY: An operation of the driver, with an object of its own.
            |op| unsafe { op(jetty, cfg, attr) },
        )
    }

    /// Returns work requests that were not carried out.
    unsafe fn ubcore_flush_jetty(
        jetty: *mut ubcore_jetty,
        cr_cnt: c_int,
        cr: *mut ubcore_cr,
    ) -> c_int {
        super::ask_driver(
            // SAFETY: Null or valid.
            unsafe { Obj::<Jetty>::from_raw(jetty) },
            |ops| ops.flush_jetty.filter(|_| !cr.is_null() && cr_cnt >= 0),
            // SAFETY: An operation of the driver, with an object of its own.
            |op| unsafe { op(jetty, cr_cnt, cr) },
        )
    }

    /// Deletes a jetty.
    unsafe fn ubcore_delete_jetty(jetty: *mut ubcore_jetty) -> c_int {
        errno((|| {
            // SAFETY: Null or valid, and the caller's.
            let jetty = unsafe { Owned::<Jetty>::from_raw(jetty) }?;
            queue::delete(jetty, EINVAL)
        })())
    }
}

stage_api!(Jetty: jetty, "jetty");
