// SPDX-License-Identifier: GPL-2.0

//! Receive queues.

use super::{
    device::UbDevice,
    jfc::{
        self,
        Jfc, //
    },
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

/// A receive queue: `struct ubcore_jfr` and the driver's data.
pub(crate) type Jfr<D> = Object<bindings_ub::ubcore_jfr, <D as Driver>::Jfr>;

/// A receive queue to be created.
pub(crate) struct JfrCfg<D: Driver> {
    /// Number wanted, 0 for any.
    pub(crate) id: u32,
    /// Entries at least.
    pub(crate) depth: u32,
    /// Service, one bit of `enum ubcore_transport_mode`.
    pub(crate) trans_mode: u32,
    /// Index of the local EID.
    pub(crate) eid_index: u32,
    /// Ranges of a receive buffer.
    pub(crate) max_sge: u8,
    /// Code of the time that senders shall wait for a buffer.
    pub(crate) min_rnr_timer: u8,
    /// How the token is protected.
    pub(crate) token_policy: u32,
    /// Token that senders must show; never logged.
    pub(crate) token: u32,
    /// Where completions go.
    pub(crate) jfc: Arc<Jfc<D>>,
    raw: bindings_ub::ubcore_jfr_cfg,
    origin: Origin,
}

/// What happened to a receive queue.
#[derive(Clone, Copy)]
pub(crate) enum JfrEvent {
    /// It went to the error state.
    Error,
    /// It has fewer buffers than the threshold.
    Limit,
}

/// What is to change of a receive queue or of the receive side of a jetty.
pub(crate) struct JfrAttr {
    /// Threshold of the limit event.
    pub(crate) rx_threshold: Option<u32>,
    /// New state, a number of `enum ubcore_jfr_state`.
    pub(crate) state: Option<u32>,
}

impl<T: Send + Sync> Object<bindings_ub::ubcore_jfr, T> {
    /// Allocates a receive queue with the number `id`, room for `depth` buffers and `max_sge`
    /// ranges in each.
    ///
    /// # Errors
    ///
    /// `ENOMEM`, or what `data` fails with.
    pub(crate) fn new_jfr<D: Driver<Jfr = T>>(
        cfg: JfrCfg<D>,
        id: u32,
        (depth, max_sge): (u32, u8),
        data: impl PinInit<T, Error>,
    ) -> Result<Arc<Self>> {
        let raw = bindings_ub::ubcore_jfr {
            ub_dev: cfg.origin.dev,
            uctx: cfg.origin.uctx,
            jfr_cfg: bindings_ub::ubcore_jfr_cfg {
                depth,
                max_sge,
                ..cfg.raw
            },
            jfr_id: bindings_ub::ubcore_jetty_id {
                id,
                ..Default::default()
            },
            ..Default::default()
        };
        Self::alloc(raw, data)
    }

    /// Reports an event. Any context but NMI.
    pub(crate) fn raise(&self, what: JfrEvent) {
        self.with_handlers(|jfr| {
            let mut event = bindings_ub::ubcore_event {
                event_type: match what {
                    JfrEvent::Error => bindings_ub::UBCORE_EVENT_JFR_ERR,
                    JfrEvent::Limit => bindings_ub::UBCORE_EVENT_JFR_LIMIT_REACHED,
                },
                ..Default::default()
            };
            // SAFETY: Pointers may take any value.
            unsafe { *event.element.jfr.as_mut() = jfr };
            // SAFETY: The object is alive. ubcore stores the handler once, when the queue has been
            // created. The queue is not destroyed while handlers run.
            unsafe {
                event.ub_dev = (*jfr).ub_dev;
                if let Some(handler) = (&raw const (*jfr).jfae_handler).read_volatile() {
                    handler(&mut event, (*jfr).uctx);
                }
            }
        });
    }
}

/// Borrows a queue that a configuration names, counted.
///
/// # Errors
///
/// `EINVAL` for the queue of another device.
///
/// # Safety
///
/// `jfr` must be valid during the call, and of this driver if it is of `dev`.
pub(super) unsafe fn of_device<D: Driver>(
    dev: ArcBorrow<'_, UbDevice<D>>,
    jfr: *mut bindings_ub::ubcore_jfr,
) -> Result<Arc<Jfr<D>>> {
    // SAFETY: By the function's contract.
    if unsafe { (*jfr).ub_dev } != dev.raw() {
        return Err(EINVAL);
    }
    // SAFETY: A device's queues are all of its driver.
    Ok(unsafe { Jfr::<D>::borrow(jfr) }.into())
}

/// See `ubcore_ops.create_jfr`.
///
/// # Safety
///
/// Called by ubcore, by the contract.
pub(super) unsafe extern "C" fn create<D: Driver>(
    dev: *mut bindings_ub::ubcore_device,
    cfg: *mut bindings_ub::ubcore_jfr_cfg,
    udata: *mut bindings_ub::ubcore_udata,
) -> *mut bindings_ub::ubcore_jfr {
    // SAFETY: A device of this driver that is registered.
    let dev = unsafe { UbDevice::<D>::borrow(dev) };
    // SAFETY: Null or valid during the call.
    let user = unsafe { User::from_raw(udata) };
    // SAFETY: Valid during the call.
    let raw = unsafe { cfg.read() };
    // SAFETY: The queue of the configuration is valid during the call.
    let jfc = unsafe { jfc::of_device(dev, raw.jfc) };
    err_ptr(jfc.and_then(|jfc| {
        let cfg = JfrCfg {
            id: raw.id,
            depth: raw.depth,
            trans_mode: raw.trans_mode,
            eid_index: raw.eid_index,
            max_sge: raw.max_sge,
            min_rnr_timer: raw.min_rnr_timer,
            // SAFETY: All bits of the union are initialised.
            token_policy: unsafe { raw.flag.bs.as_ref().token_policy() },
            token: raw.token_value.token,
            jfc,
            raw,
            origin: Origin::new(dev, &user),
        };
        D::create_jfr(dev, cfg, user).map(Object::into_raw)
    }))
}

/// See `ubcore_ops.modify_jfr`.
///
/// # Safety
///
/// Called by ubcore, by the contract.
pub(super) unsafe extern "C" fn modify<D: Driver>(
    jfr: *mut bindings_ub::ubcore_jfr,
    attr: *mut bindings_ub::ubcore_jfr_attr,
    _udata: *mut bindings_ub::ubcore_udata,
) -> c_int {
    // SAFETY: A queue of this driver, alive during the call.
    let jfr: ArcBorrow<'_, Jfr<D>> = unsafe { Object::borrow(jfr) };
    // SAFETY: Valid during the call.
    let attr = unsafe { &*attr };
    into_int(D::modify_jfr(
        jfr,
        &JfrAttr {
            rx_threshold: (attr.mask & bindings_ub::UBCORE_JFR_RX_THRESHOLD != 0)
                .then_some(attr.rx_threshold),
            state: (attr.mask & bindings_ub::UBCORE_JFR_STATE != 0).then_some(attr.state),
        },
    ))
}

/// See `ubcore_ops.query_jfr`.
///
/// # Safety
///
/// Called by ubcore, by the contract.
pub(super) unsafe extern "C" fn query<D: Driver>(
    jfr: *mut bindings_ub::ubcore_jfr,
    cfg: *mut bindings_ub::ubcore_jfr_cfg,
    attr: *mut bindings_ub::ubcore_jfr_attr,
) -> c_int {
    // SAFETY: A queue of this driver, alive during the call.
    let (state, rx_threshold) = D::query_jfr(unsafe { Jfr::<D>::borrow(jfr) });
    // SAFETY: All are valid during the call; the configuration does not change after the creation.
    unsafe {
        cfg.copy_from_nonoverlapping(&raw const (*jfr).jfr_cfg, 1);
        attr.write(bindings_ub::ubcore_jfr_attr {
            mask: bindings_ub::UBCORE_JFR_RX_THRESHOLD | bindings_ub::UBCORE_JFR_STATE,
            rx_threshold,
            state,
        });
    }
    0
}

/// See `ubcore_ops.destroy_jfr`.
///
/// # Safety
///
/// Called by ubcore, by the contract.
pub(super) unsafe extern "C" fn destroy<D: Driver>(jfr: *mut bindings_ub::ubcore_jfr) -> c_int {
    // SAFETY: A queue of this driver, alive during the call.
    if let Err(e) = D::destroy_jfr(unsafe { Jfr::<D>::borrow(jfr) }) {
        return e.to_errno();
    }
    // SAFETY: Made by `create`, and destroyed once.
    unsafe { Jfr::<D>::release(jfr) };
    0
}
