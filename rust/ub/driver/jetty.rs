// SPDX-License-Identifier: GPL-2.0

//! Jettys.

use super::{
    device::UbDevice,
    group::{
        self,
        JettyGroup, //
    },
    jfc::{
        self,
        Jfc, //
    },
    jfr::{
        self,
        Jfr, //
    },
    jfs::{
        SendCfg,
        SendGrant, //
    },
    object::{
        Object,
        User, //
    },
    staged::{
        self,
        staged,
        wanted_id,
        Queue,
        Slot, //
    },
    target::Target,
    tp::ActiveTp,
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

/// A jetty: `struct ubcore_jetty` and the driver's data.
pub(crate) type Jetty<D> = Queue<bindings_ub::ubcore_jetty, <D as Driver>::Jetty>;

/// A jetty to be created. It receives from a JFR of its own kind.
pub(crate) struct JettyCfg<D: Driver> {
    /// Number wanted, 0 for any.
    pub(crate) id: u32,
    /// What its send side shall be like.
    pub(crate) send: SendCfg,
    /// Where completions of the send side go.
    pub(crate) send_jfc: Arc<Jfc<D>>,
    /// Where completions of the receive side go.
    pub(crate) recv_jfc: Arc<Jfc<D>>,
    /// The receive queue that it receives from.
    pub(crate) jfr: Arc<Jfr<D>>,
    /// The group that it joins, if it joins one.
    pub(crate) group: Option<Arc<JettyGroup<D>>>,
    slot: Slot<bindings_ub::ubcore_jetty>,
}

/// What happened to a jetty.
#[derive(Clone, Copy)]
pub(crate) enum JettyEvent {
    /// It went to the error state.
    Error,
    /// Its receive side has fewer buffers than the threshold.
    Limit,
}

/// What is to change of a jetty.
pub(crate) struct JettyAttr {
    /// Threshold of the limit event.
    pub(crate) rx_threshold: Option<u32>,
    /// New state, a number of `enum ubcore_jetty_state`.
    pub(crate) state: Option<u32>,
}

impl<T: Send + Sync> Queue<bindings_ub::ubcore_jetty, T> {
    /// Allocates a jetty with the number `id`.
    ///
    /// # Errors
    ///
    /// `ENOMEM`, or what `data` fails with.
    pub(crate) fn new_jetty<D: Driver<Jetty = T>>(
        cfg: JettyCfg<D>,
        id: u32,
        grant: SendGrant,
        data: impl PinInit<T, Error>,
    ) -> Result<Arc<Self>> {
        cfg.slot.fill(data, |jetty| {
            // SAFETY: Valid, and nobody else uses these fields now.
            unsafe {
                (*jetty).jetty_id.id = id;
                (*jetty).jetty_cfg.jfs_depth = grant.depth;
                (*jetty).jetty_cfg.max_send_sge = grant.max_sge;
                (*jetty).jetty_cfg.max_send_rsge = grant.max_rsge;
                (*jetty).jetty_cfg.max_inline_data = grant.max_inline;
            }
        })
    }

    /// Reports an event. Any context but NMI.
    pub(crate) fn raise(&self, what: JettyEvent) {
        self.with_handlers(|jetty| {
            let mut event = bindings_ub::ubcore_event {
                event_type: match what {
                    JettyEvent::Error => bindings_ub::UBCORE_EVENT_JETTY_ERR,
                    JettyEvent::Limit => bindings_ub::UBCORE_EVENT_JETTY_LIMIT_REACHED,
                },
                ..Default::default()
            };
            // SAFETY: Pointers may take any value.
            unsafe { *event.element.jetty.as_mut() = jetty };
            // SAFETY: The object is alive. ubcore stores the handler once, when the jetty has been
            // created. The jetty is not destroyed while handlers run.
            unsafe {
                event.ub_dev = (*jetty).ub_dev;
                if let Some(handler) = (&raw const (*jetty).jfae_handler).read_volatile() {
                    handler(&mut event, (*jetty).uctx);
                }
            }
        });
    }
}

staged!(
    JettyKind(ubcore_jetty, ubcore_jetty_cfg, jetty_cfg, Jetty),
    start start,
    stop destroy_jetty
);

/// Reads the configuration of a jetty and lets the driver make it.
///
/// # Errors
///
/// `EINVAL` for objects of another device, `EOPNOTSUPP` for a jetty without a shared JFR.
///
/// # Safety
///
/// As for [`staged::Staged::start`].
unsafe fn start<D: Driver>(
    dev: ArcBorrow<'_, UbDevice<D>>,
    jetty: *mut bindings_ub::ubcore_jetty,
    slot: Slot<bindings_ub::ubcore_jetty>,
    user: Option<User<'_, D>>,
) -> Result<Arc<Jetty<D>>> {
    // SAFETY: Valid by the function's contract.
    let raw = unsafe { &(*jetty).jetty_cfg };
    // SAFETY: All bits of unions are initialised.
    let (share_jfr, error_suspend, id) = unsafe {
        (
            raw.flag.bs.as_ref().share_jfr() != 0,
            raw.flag.bs.as_ref().error_suspend() != 0,
            wanted_id!(
                (*jetty).jetty_opt.jfs_opt,
                jfs_opt_mask,
                urma_jfs_id,
                raw.id
            ),
        )
    };
    if !share_jfr || raw.jfr.is_null() {
        return Err(EOPNOTSUPP);
    }
    let cfg = JettyCfg {
        id,
        send: SendCfg {
            depth: raw.jfs_depth,
            trans_mode: raw.trans_mode,
            eid_index: raw.eid_index,
            priority: raw.priority,
            max_sge: raw.max_send_sge,
            max_rsge: raw.max_send_rsge,
            max_inline: raw.max_inline_data,
            rnr_retry: raw.rnr_retry,
            error_suspend,
        },
        // SAFETY: The objects of a configuration are valid during the call.
        send_jfc: unsafe { jfc::of_device(dev, raw.send_jfc) }?,
        // SAFETY: As above.
        recv_jfc: unsafe { jfc::of_device(dev, raw.recv_jfc) }?,
        // SAFETY: As above; not null.
        jfr: unsafe { jfr::of_device(dev, raw.jfr) }?,
        // SAFETY: As above; null or valid.
        group: unsafe { group::of_device(dev, raw.jetty_grp) }?,
        slot,
    };
    D::create_jetty(dev, cfg, user)
}

/// See `ubcore_ops.modify_jetty`.
///
/// # Safety
///
/// Called by ubcore, by the contract.
pub(super) unsafe extern "C" fn modify<D: Driver>(
    jetty: *mut bindings_ub::ubcore_jetty,
    attr: *mut bindings_ub::ubcore_jetty_attr,
    _udata: *mut bindings_ub::ubcore_udata,
) -> c_int {
    // SAFETY: A jetty of this driver, alive during the call.
    let jetty = unsafe { staged::borrow::<_, D::Jetty>(jetty) };
    // SAFETY: Valid during the call.
    let attr = unsafe { &*attr };
    let attr = JettyAttr {
        rx_threshold: (attr.mask & bindings_ub::UBCORE_JETTY_RX_THRESHOLD != 0)
            .then_some(attr.rx_threshold),
        state: (attr.mask & bindings_ub::UBCORE_JETTY_STATE != 0).then_some(attr.state),
    };
    into_int(jetty.and_then(|jetty| D::modify_jetty(jetty, &attr)))
}

/// See `ubcore_ops.query_jetty`.
///
/// # Safety
///
/// Called by ubcore, by the contract.
pub(super) unsafe extern "C" fn query<D: Driver>(
    jetty: *mut bindings_ub::ubcore_jetty,
    cfg: *mut bindings_ub::ubcore_jetty_cfg,
    attr: *mut bindings_ub::ubcore_jetty_attr,
) -> c_int {
    // SAFETY: A jetty of this driver, alive during the call.
    let (state, rx_threshold) = match unsafe { staged::borrow::<_, D::Jetty>(jetty) } {
        Ok(jetty) => D::query_jetty(jetty),
        Err(e) => return e.to_errno(),
    };
    // SAFETY: All are valid during the call; the configuration does not change while it works.
    unsafe {
        cfg.copy_from_nonoverlapping(&raw const (*jetty).jetty_cfg, 1);
        attr.write(bindings_ub::ubcore_jetty_attr {
            mask: bindings_ub::UBCORE_JETTY_RX_THRESHOLD | bindings_ub::UBCORE_JETTY_STATE,
            rx_threshold,
            state,
        });
    }
    0
}

/// See `ubcore_ops.bind_jetty_ex`.
///
/// # Safety
///
/// Called by ubcore, by the contract.
pub(super) unsafe extern "C" fn bind<D: Driver>(
    jetty: *mut bindings_ub::ubcore_jetty,
    tjetty: *mut bindings_ub::ubcore_tjetty,
    tp: *mut bindings_ub::ubcore_active_tp_cfg,
    _udata: *mut bindings_ub::ubcore_udata,
) -> c_int {
    // SAFETY: Both are valid during the call.
    if unsafe { (*jetty).ub_dev != (*tjetty).ub_dev } {
        return EINVAL.to_errno();
    }
    // SAFETY: A jetty of this driver, alive during the call.
    let jetty = unsafe { staged::borrow::<_, D::Jetty>(jetty) };
    // SAFETY: An import of the same device, hence of this driver, alive during the call.
    let target: ArcBorrow<'_, Target<D>> = unsafe { Object::borrow(tjetty) };
    // SAFETY: Valid during the call.
    let tp = unsafe { ActiveTp::from_raw(tp) };
    into_int(jetty.and_then(|jetty| D::bind_jetty(jetty, target, &tp)))
}

/// See `ubcore_ops.unbind_jetty`.
///
/// # Safety
///
/// Called by ubcore, by the contract.
pub(super) unsafe extern "C" fn unbind<D: Driver>(jetty: *mut bindings_ub::ubcore_jetty) -> c_int {
    // SAFETY: A jetty of this driver, alive during the call.
    into_int(unsafe { staged::borrow::<_, D::Jetty>(jetty) }.and_then(D::unbind_jetty))
}
