// SPDX-License-Identifier: GPL-2.0

//! Receive queues.

use super::{
    device::UbDevice,
    jfc::{
        self,
        Jfc, //
    },
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

/// A receive queue: `struct ubcore_jfr` and the driver's data.
pub(crate) type Jfr<D> = Queue<bindings_ub::ubcore_jfr, <D as Driver>::Jfr>;

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
    slot: Slot<bindings_ub::ubcore_jfr>,
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

impl<T: Send + Sync> Queue<bindings_ub::ubcore_jfr, T> {
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
        cfg.slot.fill(data, |jfr| {
            // SAFETY: Valid, and nobody else uses these fields now.
            unsafe {
                (*jfr).jfr_id.id = id;
                (*jfr).jfr_cfg.depth = depth;
                (*jfr).jfr_cfg.max_sge = max_sge;
            }
        })
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
/// `EINVAL` for the queue of another device, and one that is not at work.
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
    Ok(unsafe { staged::borrow::<_, D::Jfr>(jfr) }?.into())
}

staged!(
    JfrKind(ubcore_jfr, ubcore_jfr_cfg, jfr_cfg, Jfr),
    start start,
    stop destroy_jfr
);

/// Reads the configuration and lets the driver make the queue.
///
/// # Safety
///
/// As for [`staged::Staged::start`].
unsafe fn start<D: Driver>(
    dev: ArcBorrow<'_, UbDevice<D>>,
    jfr: *mut bindings_ub::ubcore_jfr,
    slot: Slot<bindings_ub::ubcore_jfr>,
    user: Option<User<'_, D>>,
) -> Result<Arc<Jfr<D>>> {
    // SAFETY: Valid by the function's contract.
    let raw = unsafe { &(*jfr).jfr_cfg };
    // SAFETY: All bits of unions are initialised.
    let (token_policy, id) = unsafe {
        (
            raw.flag.bs.as_ref().token_policy(),
            wanted_id!((*jfr).jfr_opt, jfr_opt_mask, urma_jfr_id, raw.id),
        )
    };
    let cfg = JfrCfg {
        id,
        depth: raw.depth,
        trans_mode: raw.trans_mode,
        eid_index: raw.eid_index,
        max_sge: raw.max_sge,
        min_rnr_timer: raw.min_rnr_timer,
        token_policy,
        token: raw.token_value.token,
        // SAFETY: The queue of the configuration is valid during the call.
        jfc: unsafe { jfc::of_device(dev, raw.jfc) }?,
        slot,
    };
    D::create_jfr(dev, cfg, user)
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
    let jfr = unsafe { staged::borrow::<_, D::Jfr>(jfr) };
    // SAFETY: Valid during the call.
    let attr = unsafe { &*attr };
    let attr = JfrAttr {
        rx_threshold: (attr.mask & bindings_ub::UBCORE_JFR_RX_THRESHOLD != 0)
            .then_some(attr.rx_threshold),
        state: (attr.mask & bindings_ub::UBCORE_JFR_STATE != 0).then_some(attr.state),
    };
    into_int(jfr.and_then(|jfr| D::modify_jfr(jfr, &attr)))
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
    let (state, rx_threshold) = match unsafe { staged::borrow::<_, D::Jfr>(jfr) } {
        Ok(jfr) => D::query_jfr(jfr),
        Err(e) => return e.to_errno(),
    };
    // SAFETY: All are valid during the call; the configuration does not change while it works.
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
