// SPDX-License-Identifier: GPL-2.0

//! Completion queues.

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
    ub::common::err_ptr, //
};
use kernel::{
    prelude::*,
    sync::{
        Arc,
        ArcBorrow, //
    }, //
};

/// A completion queue: `struct ubcore_jfc` and the driver's data.
pub(crate) type Jfc<D> = Object<bindings_ub::ubcore_jfc, <D as Driver>::Jfc>;

/// A completion queue to be created.
pub(crate) struct JfcCfg {
    /// Entries at least.
    pub(crate) depth: u32,
    /// Completion event queue.
    pub(crate) ceqn: u32,
    /// The C configuration, for [`Object::new_jfc`].
    raw: bindings_ub::ubcore_jfc_cfg,
    /// Whose object it will be.
    origin: Origin,
}

impl<T: Send + Sync> Object<bindings_ub::ubcore_jfc, T> {
    /// Allocates a completion queue with the number `id` and room for `depth` completions.
    ///
    /// # Errors
    ///
    /// `ENOMEM`, or what `data` fails with.
    pub(crate) fn new_jfc(
        cfg: JfcCfg,
        id: u32,
        depth: u32,
        data: impl PinInit<T, Error>,
    ) -> Result<Arc<Self>> {
        let raw = bindings_ub::ubcore_jfc {
            ub_dev: cfg.origin.dev,
            uctx: cfg.origin.uctx,
            jfc_cfg: bindings_ub::ubcore_jfc_cfg { depth, ..cfg.raw },
            id,
            ..Default::default()
        };
        Self::alloc(raw, data)
    }

    /// Calls the completion handler. Any context but NMI.
    pub(crate) fn raise_completion(&self) {
        self.with_handlers(|jfc| {
            // SAFETY: The object is alive. ubcore stores the handler once, when the queue has been
            // created; until then it is null.
            let handler = unsafe { (&raw const (*jfc).jfce_handler).read_volatile() };
            if let Some(handler) = handler {
                // SAFETY: The queue is not destroyed while handlers run.
                unsafe { handler(jfc) };
            }
        });
    }

    /// Reports that the queue overflowed. Any context but NMI.
    pub(crate) fn raise_error(&self) {
        self.with_handlers(|jfc| {
            let mut event = bindings_ub::ubcore_event {
                event_type: bindings_ub::UBCORE_EVENT_JFC_ERR,
                ..Default::default()
            };
            // SAFETY: Pointers may take any value.
            unsafe { *event.element.jfc.as_mut() = jfc };
            // SAFETY: The object is alive; the fields do not change any more once the handler is
            // set. The queue is not destroyed while handlers run.
            unsafe {
                event.ub_dev = (*jfc).ub_dev;
                if let Some(handler) = (&raw const (*jfc).jfae_handler).read_volatile() {
                    handler(&mut event, (*jfc).uctx);
                }
            }
        });
    }
}

/// Borrows a queue that a configuration names, counted.
///
/// # Errors
///
/// `EINVAL` for null or the queue of another device.
///
/// # Safety
///
/// `jfc` must be null or valid during the call, and of this driver if it is of `dev`.
pub(super) unsafe fn of_device<D: Driver>(
    dev: ArcBorrow<'_, UbDevice<D>>,
    jfc: *mut bindings_ub::ubcore_jfc,
) -> Result<Arc<Jfc<D>>> {
    // SAFETY: By the function's contract.
    if jfc.is_null() || unsafe { (*jfc).ub_dev } != dev.raw() {
        return Err(EINVAL);
    }
    // SAFETY: A device's queues are all of its driver.
    Ok(unsafe { Jfc::<D>::borrow(jfc) }.into())
}

/// See `ubcore_ops.create_jfc`.
///
/// # Safety
///
/// Called by ubcore, by the contract.
pub(super) unsafe extern "C" fn create<D: Driver>(
    dev: *mut bindings_ub::ubcore_device,
    cfg: *mut bindings_ub::ubcore_jfc_cfg,
    udata: *mut bindings_ub::ubcore_udata,
) -> *mut bindings_ub::ubcore_jfc {
    // SAFETY: A device of this driver that is registered.
    let dev = unsafe { UbDevice::<D>::borrow(dev) };
    // SAFETY: Null or valid during the call.
    let user = unsafe { User::from_raw(udata) };
    // SAFETY: Valid during the call.
    let raw = unsafe { cfg.read() };
    let cfg = JfcCfg {
        depth: raw.depth,
        ceqn: raw.ceqn,
        raw,
        origin: Origin::new(dev, &user),
    };
    err_ptr(D::create_jfc(dev, cfg, user).map(Object::into_raw))
}

/// See `ubcore_ops.modify_jfc`.
///
/// # Safety
///
/// Called by ubcore, by the contract.
pub(super) unsafe extern "C" fn modify<D: Driver>(
    jfc: *mut bindings_ub::ubcore_jfc,
    attr: *mut bindings_ub::ubcore_jfc_attr,
    _udata: *mut bindings_ub::ubcore_udata,
) -> c_int {
    // SAFETY: A queue of this driver, alive during the call.
    let jfc: ArcBorrow<'_, Jfc<D>> = unsafe { Object::borrow(jfc) };
    // SAFETY: Valid during the call.
    let attr = unsafe { &*attr };
    let count =
        (attr.mask & bindings_ub::UBCORE_JFC_MODERATE_COUNT != 0).then_some(attr.moderate_count);
    let period =
        (attr.mask & bindings_ub::UBCORE_JFC_MODERATE_PERIOD != 0).then_some(attr.moderate_period);
    into_int(D::modify_jfc(jfc, count, period))
}

/// See `ubcore_ops.destroy_jfc`.
///
/// # Safety
///
/// Called by ubcore, by the contract.
pub(super) unsafe extern "C" fn destroy<D: Driver>(jfc: *mut bindings_ub::ubcore_jfc) -> c_int {
    // SAFETY: A queue of this driver, alive during the call.
    if let Err(e) = D::destroy_jfc(unsafe { Jfc::<D>::borrow(jfc) }) {
        return e.to_errno();
    }
    // SAFETY: Made by `create`, and destroyed once.
    unsafe { Jfc::<D>::release(jfc) };
    0
}

/// See `ubcore_ops.rearm_jfc`.
///
/// # Safety
///
/// Called by ubcore, by the contract.
pub(super) unsafe extern "C" fn rearm<D: Driver>(
    jfc: *mut bindings_ub::ubcore_jfc,
    solicited_only: bool,
) -> c_int {
    // SAFETY: A queue of this driver, alive during the call.
    match D::rearm_jfc(unsafe { Jfc::<D>::borrow(jfc) }, solicited_only) {
        Ok(pending) => c_int::from(pending),
        Err(e) => e.to_errno(),
    }
}
