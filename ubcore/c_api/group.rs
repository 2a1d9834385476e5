// SPDX-License-Identifier: GPL-2.0

//! Jetty groups.

use super::{
    device_ptr::device,
    errno,
    kinds::Jetty,
    object::{
        DestroyFn,
        Fields,
        Kind,
        Obj,
        Owned, //
    },
    user::User, //
};
use crate::{
    bindings_ub::{
        ubcore_device,
        ubcore_event_callback_t,
        ubcore_jetty,
        ubcore_jetty_group,
        ubcore_jetty_grp_cfg,
        ubcore_ops,
        ubcore_udata, //
    },
    counters::Class,
    device::Device,
    group,
    logic::eid::Eid,
    ub::common::{
        eid_from_bytes,
        err_ptr, //
    },
};
use core::ptr::null_mut;
use kernel::{
    bindings,
    prelude::*,
    static_lock_class,
    sync::lock::{
        mutex::MutexBackend,
        Guard,
        Lock, //
    },
};

/// Jetty groups, as a [`Kind`].
pub(crate) enum JettyGroup {}

// SAFETY: The fields and the operation of those names; the number of members is the use count.
unsafe impl Kind for JettyGroup {
    type C = ubcore_jetty_group;
    const CLASS: Class = Class::JettyGroup;

    unsafe fn fields(this: *mut ubcore_jetty_group) -> Fields {
        // SAFETY: By the function's contract.
        unsafe {
            Fields {
                ub_dev: &raw mut (*this).ub_dev,
                uctx: &raw mut (*this).uctx,
                use_cnt: (&raw mut (*this).jetty_cnt).cast(),
            }
        }
    }

    fn destroy_op(ops: &ubcore_ops) -> DestroyFn<ubcore_jetty_group> {
        ops.delete_jetty_grp
    }
}

/// Who is told of the events of a group.
#[derive(Clone, Copy)]
pub(crate) struct GroupEvents(ubcore_event_callback_t);

/// Room for the members of a group: null, or a jetty.
#[derive(Default)]
pub(crate) struct Members(KVec<*mut ubcore_jetty>);

impl Members {
    /// Makes room.
    pub(crate) fn new(capacity: u32) -> Result<Self> {
        Ok(Self(KVec::from_elem(
            null_mut(),
            capacity as usize,
            GFP_KERNEL,
        )?))
    }
}

impl Device {
    /// Lets the driver make a jetty group.
    pub(crate) fn driver_create_group(
        &self,
        cfg: &mut ubcore_jetty_grp_cfg,
        user: User<'_>,
    ) -> Result<Owned<JettyGroup>> {
        let ops = self.ops();
        let op = ops.create_jetty_grp.ok_or(EINVAL)?;
        ops.delete_jetty_grp.ok_or(EINVAL)?;
        // SAFETY: An operation of the driver, with its device and a configuration.
        unsafe { Owned::from_driver(op(self.c().as_ptr(), cfg, user.udata()), self, user) }
    }
}

impl Obj<JettyGroup> {
    /// Returns the configuration.
    pub(crate) fn cfg(&self) -> &ubcore_jetty_grp_cfg {
        // SAFETY: Valid; not changed after the group was made.
        unsafe { &(*self.as_ptr()).jetty_grp_cfg }
    }

    /// Locks the members.
    fn lock(&self) -> Guard<'_, (), MutexBackend> {
        // SAFETY: Initialised by `init()`, and valid as long as `self`.
        unsafe { Lock::<(), MutexBackend>::from_raw(&raw mut (*self.as_ptr()).lock) }.lock()
    }

    /// Changes the first place that holds `from` to `to`.
    fn replace(&self, from: *mut ubcore_jetty, to: *mut ubcore_jetty) {
        let Ok(dev) = self.device() else {
            return;
        };
        let _guard = self.lock();
        // SAFETY: Valid; the array is null or has so many places, and is changed under the lock
        // only, but for its end, when there are no members.
        unsafe {
            let places = (*self.as_ptr()).jetty;
            if places.is_null() {
                return;
            }
            for i in 0..dev.caps().max_jetty_in_group as usize {
                let place = places.add(i);
                if *place == from {
                    *place = to;
                    return;
                }
            }
        }
    }

    /// Notes a member, which is counted already: so there is a place.
    pub(crate) fn join(&self, jetty: &Obj<Jetty>) {
        self.replace(null_mut(), jetty.as_ptr());
    }

    /// Forgets a member, which stays counted.
    pub(super) fn leave(&self, jetty: *mut ubcore_jetty) {
        self.replace(jetty, null_mut());
    }

    /// Notes a member again that was forgotten.
    pub(super) fn rejoin(&self, jetty: *mut ubcore_jetty) {
        self.replace(null_mut(), jetty);
    }
}

impl Owned<JettyGroup> {
    /// Stores what the core knows of a new group.
    pub(crate) fn init(
        &self,
        cfg: &ubcore_jetty_grp_cfg,
        eid: Eid,
        events: GroupEvents,
        members: Members,
    ) {
        let group = self.as_ptr();
        // SAFETY: A new object that nobody else has yet.
        unsafe {
            bindings::__mutex_init(
                &raw mut (*group).lock,
                c"ubcore_jetty_group::lock".as_char_ptr(),
                static_lock_class!().as_ptr(),
            );
            (*group).jetty_grp_cfg = core::ptr::read(cfg);
            (*group).jetty_grp_id.eid = eid_from_bytes(eid.into_bytes());
            (*group).jfae_handler = events.0;
        }
        self.put_members(members);
    }

    /// Takes the room for members away from a group that has none.
    pub(crate) fn take_members(&self) -> Members {
        let Ok(capacity) = self
            .device()
            .map(|dev| dev.caps().max_jetty_in_group as usize)
        else {
            return Members::default();
        };
        let _guard = self.lock();
        // SAFETY: Valid; changed under the lock only.
        let places = unsafe { core::mem::replace(&mut (*self.as_ptr()).jetty, null_mut()) };
        if places.is_null() {
            return Members::default();
        }
        // SAFETY: From `put_members()`, where all of it is initialised.
        Members(unsafe { KVec::from_raw_parts(places, capacity, capacity) })
    }

    /// Gives a group room for members.
    pub(crate) fn put_members(&self, members: Members) {
        let _guard = self.lock();
        let (places, _, _) = members.0.into_raw_parts();
        // SAFETY: Valid; changed under the lock only.
        unsafe { (*self.as_ptr()).jetty = places };
    }
}

c_api! {
    /// Creates a jetty group.
    unsafe fn ubcore_create_jetty_grp(
        dev: *mut ubcore_device,
        cfg: *mut ubcore_jetty_grp_cfg,
        jfae_handler: ubcore_event_callback_t,
        udata: *mut ubcore_udata,
    ) -> *mut ubcore_jetty_group {
        err_ptr((|| {
            // SAFETY: Null or valid, as is all that follows.
            let (dev, user) = unsafe { (device(dev)?, User::new(udata)?) };
            // SAFETY: As above; a copy.
            let cfg = unsafe { super::copy(cfg) }?;
            group::create(dev, cfg, GroupEvents(jfae_handler), user).map(Owned::into_raw)
        })())
    }

    /// Deletes a jetty group.
    unsafe fn ubcore_delete_jetty_grp(jetty_grp: *mut ubcore_jetty_group) -> c_int {
        // SAFETY: Null or valid, and the caller's.
        errno(unsafe { Owned::<JettyGroup>::from_raw(jetty_grp) }.and_then(group::delete))
    }
}
