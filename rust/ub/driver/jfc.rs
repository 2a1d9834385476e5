// SPDX-License-Identifier: GPL-2.0

//! Completion queues.

use super::{
    device::UbDevice,
    object::User,
    staged::{
        self,
        staged,
        wanted_id,
        Queue,
        Slot, //
    },
    udata::into_int,
    Driver, //
};
use crate::{
    bindings_ub,
    kernel_ext::arc::{
        Arc,
        ArcBorrow, //
    }, //
};
use kernel::prelude::*;

/// A completion queue: `struct ubcore_jfc` and the driver's data.
pub(crate) type Jfc<D> = Queue<bindings_ub::ubcore_jfc, <D as Driver>::Jfc>;

/// A completion queue to be created.
pub(crate) struct JfcCfg {
    /// Number wanted, 0 for any.
    pub(crate) id: u32,
    /// Entries at least.
    pub(crate) depth: u32,
    /// Completion event queue.
    pub(crate) ceqn: u32,
    slot: Slot<bindings_ub::ubcore_jfc>,
}

impl<T: Send + Sync> Queue<bindings_ub::ubcore_jfc, T> {
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
        cfg.slot.fill(data, |jfc| {
            // SAFETY: Valid, and nobody else uses these fields now.
            unsafe {
                (*jfc).id = id;
                (*jfc).jfc_cfg.depth = depth;
            }
        })
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
/// `EINVAL` for null, the queue of another device, and one that is not at work.
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
    Ok(unsafe { staged::borrow::<_, D::Jfc>(jfc) }?.into())
}

staged!(
    JfcKind(ubcore_jfc, ubcore_jfc_cfg, jfc_cfg, Jfc),
    start start,
    stop destroy_jfc
);

/// Reads the configuration and lets the driver make the queue.
///
/// # Safety
///
/// As for [`staged::Staged::start`].
unsafe fn start<D: Driver>(
    dev: ArcBorrow<'_, UbDevice<D>>,
    raw: *mut bindings_ub::ubcore_jfc,
    slot: Slot<bindings_ub::ubcore_jfc>,
    user: Option<User<'_, D>>,
) -> Result<Arc<Jfc<D>>> {
    // SAFETY: Valid by the function's contract, and all bits of unions are initialised.
    let cfg = unsafe {
        JfcCfg {
            id: wanted_id!((*raw).jfc_opt, jfc_opt_mask, urma_jfc_id, 0),
            depth: (*raw).jfc_cfg.depth,
            ceqn: (*raw).jfc_cfg.ceqn,
            slot,
        }
    };
    D::create_jfc(dev, cfg, user)
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
    let jfc = match unsafe { staged::borrow::<_, D::Jfc>(jfc) } {
        Ok(jfc) => jfc,
        Err(e) => return e.to_errno(),
    };
    // SAFETY: Valid during the call.
    let attr = unsafe { &*attr };
    let count =
        (attr.mask & bindings_ub::UBCORE_JFC_MODERATE_COUNT != 0).then_some(attr.moderate_count);
    let period =
        (attr.mask & bindings_ub::UBCORE_JFC_MODERATE_PERIOD != 0).then_some(attr.moderate_period);
    into_int(D::modify_jfc(jfc, count, period))
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
    let jfc = unsafe { staged::borrow::<_, D::Jfc>(jfc) };
    match jfc.and_then(|jfc| D::rearm_jfc(jfc, solicited_only)) {
        Ok(pending) => c_int::from(pending),
        Err(e) => e.to_errno(),
    }
}
