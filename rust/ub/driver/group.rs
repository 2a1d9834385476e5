// SPDX-License-Identifier: GPL-2.0

//! Jetty groups.

use super::{
    device::UbDevice,
    object::{
        Object,
        Origin,
        User, //
    },
    udata::into_int,
    Driver, //
};
use crate::{
    bindings_ub,
    kernel_ext::{
        arc::{
            Arc,
            ArcBorrow, //
        },
        use_wait::UseCount, //
    },
    ub::common::err_ptr, //
};
use kernel::prelude::*;

/// A jetty group: `struct ubcore_jetty_group` and the driver's data.
pub(crate) type JettyGroup<D> =
    Object<bindings_ub::ubcore_jetty_group, WithHandlers<<D as Driver>::JettyGroup>>;

/// The driver's data of an object that has handlers.
#[pin_data]
pub(crate) struct WithHandlers<T> {
    /// Counts calls of handlers; revoked when the object is destroyed.
    #[pin]
    handlers: UseCount,
    #[pin]
    data: T,
}

impl<T> core::ops::Deref for WithHandlers<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.data
    }
}

/// A jetty group to be created.
pub(crate) struct JettyGroupCfg {
    /// Number wanted, 0 for any.
    pub(crate) id: u32,
    /// How it chooses the receiver, a number of `enum ubcore_jetty_grp_policy`.
    pub(crate) policy: u32,
    raw: bindings_ub::ubcore_jetty_grp_cfg,
    origin: Origin,
}

impl<T: Send + Sync> Object<bindings_ub::ubcore_jetty_group, WithHandlers<T>> {
    /// Allocates a jetty group with the number `id`.
    ///
    /// # Errors
    ///
    /// `ENOMEM`, or what `data` fails with.
    pub(crate) fn new_jetty_group(
        cfg: JettyGroupCfg,
        id: u32,
        data: impl PinInit<T, Error>,
    ) -> Result<Arc<Self>> {
        // ubcore fills in the members, and initialises the lock.
        let raw = bindings_ub::ubcore_jetty_group {
            ub_dev: cfg.origin.dev,
            uctx: cfg.origin.uctx,
            jetty_grp_cfg: cfg.raw,
            jetty_grp_id: bindings_ub::ubcore_jetty_id {
                id,
                ..Default::default()
            },
            ..Default::default()
        };
        Self::alloc(
            raw,
            try_pin_init!(WithHandlers {
                handlers <- UseCount::new(),
                data <- data,
            }),
        )
    }

    /// Reports that the group has failed. Any context but NMI.
    pub(crate) fn raise_error(&self) {
        if let Some(_running) = self.handlers.try_enter() {
            let group = self.raw();
            let mut event = bindings_ub::ubcore_event {
                event_type: bindings_ub::UBCORE_EVENT_JETTY_GRP_ERR,
                ..Default::default()
            };
            // SAFETY: Pointers may take any value.
            unsafe { *event.element.jetty_grp.as_mut() = group };
            // SAFETY: The object is alive. ubcore stores the handler once, when the group has been
            // created. The group is not destroyed while handlers run.
            unsafe {
                event.ub_dev = (*group).ub_dev;
                if let Some(handler) = (&raw const (*group).jfae_handler).read_volatile() {
                    handler(&mut event, (*group).uctx);
                }
            }
        }
    }
}

/// Counts a reference to a group of a configuration; `None` for a null pointer.
///
/// # Errors
///
/// `EINVAL` for one of another device.
///
/// # Safety
///
/// `group` must be null or valid.
pub(super) unsafe fn of_device<D: Driver>(
    dev: ArcBorrow<'_, UbDevice<D>>,
    group: *mut bindings_ub::ubcore_jetty_group,
) -> Result<Option<Arc<JettyGroup<D>>>> {
    if group.is_null() {
        return Ok(None);
    }
    // SAFETY: By the function's contract.
    if unsafe { (*group).ub_dev } != dev.raw() {
        return Err(EINVAL);
    }
    // SAFETY: A device's groups are all of its driver.
    Ok(Some(unsafe { JettyGroup::<D>::borrow(group) }.into()))
}

/// See `ubcore_ops.create_jetty_grp`.
///
/// # Safety
///
/// Called by ubcore, by the contract.
pub(super) unsafe extern "C" fn create<D: Driver>(
    dev: *mut bindings_ub::ubcore_device,
    cfg: *mut bindings_ub::ubcore_jetty_grp_cfg,
    udata: *mut bindings_ub::ubcore_udata,
) -> *mut bindings_ub::ubcore_jetty_group {
    // SAFETY: A device of this driver that is registered.
    let dev = unsafe { UbDevice::<D>::borrow(dev) };
    // SAFETY: Null or valid during the call.
    let user = unsafe { User::from_raw(udata) };
    // SAFETY: Valid during the call.
    let raw = unsafe { cfg.read() };
    let cfg = JettyGroupCfg {
        id: raw.id,
        policy: raw.policy,
        raw,
        origin: Origin::new(dev, &user),
    };
    err_ptr(D::create_jetty_group(dev, cfg, user).map(Object::into_raw))
}

/// See `ubcore_ops.delete_jetty_grp`.
///
/// # Safety
///
/// Called by ubcore, by the contract.
pub(super) unsafe extern "C" fn destroy<D: Driver>(
    group: *mut bindings_ub::ubcore_jetty_group,
) -> c_int {
    // SAFETY: A group of this driver, alive during the call.
    let this = unsafe { JettyGroup::<D>::borrow(group) };
    if let Err(e) = D::destroy_jetty_group(this) {
        return into_int(Err(e));
    }
    this.handlers.revoke();
    // SAFETY: Made by `create`, and released once.
    unsafe { JettyGroup::<D>::release(group) };
    0
}
