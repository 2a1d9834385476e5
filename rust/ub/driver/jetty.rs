// SPDX-License-Identifier: GPL-2.0

//! Jettys.

use super::{
    device::UbDevice,
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
        Origin,
        User, //
    },
    target::Target,
    tp::ActiveTp,
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

/// A jetty: `struct ubcore_jetty` and the driver's data.
pub(crate) type Jetty<D> = Object<bindings_ub::ubcore_jetty, <D as Driver>::Jetty>;

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
    raw: bindings_ub::ubcore_jetty_cfg,
    origin: Origin,
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

impl<T: Send + Sync> Object<bindings_ub::ubcore_jetty, T> {
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
        let raw = bindings_ub::ubcore_jetty {
            ub_dev: cfg.origin.dev,
            uctx: cfg.origin.uctx,
            jetty_cfg: bindings_ub::ubcore_jetty_cfg {
                jfs_depth: grant.depth,
                max_send_sge: grant.max_sge,
                max_send_rsge: grant.max_rsge,
                max_inline_data: grant.max_inline,
                ..cfg.raw
            },
            jetty_id: bindings_ub::ubcore_jetty_id {
                id,
                ..Default::default()
            },
            ..Default::default()
        };
        Self::alloc(raw, data)
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

/// Reads the configuration of a jetty.
///
/// # Errors
///
/// `EINVAL` for objects of another device, `EOPNOTSUPP` for a jetty without a shared JFR and for
/// one that joins a group.
///
/// # Safety
///
/// As for [`create`].
unsafe fn read_cfg<D: Driver>(
    dev: ArcBorrow<'_, UbDevice<D>>,
    cfg: *const bindings_ub::ubcore_jetty_cfg,
    origin: Origin,
) -> Result<JettyCfg<D>> {
    // SAFETY: By the function's contract.
    let raw = unsafe { cfg.read() };
    // SAFETY: All bits of the union are initialised.
    let (share_jfr, error_suspend) = unsafe {
        (
            raw.flag.bs.as_ref().share_jfr() != 0,
            raw.flag.bs.as_ref().error_suspend() != 0,
        )
    };
    if !share_jfr || raw.jfr.is_null() || !raw.jetty_grp.is_null() {
        return Err(EOPNOTSUPP);
    }
    Ok(JettyCfg {
        id: raw.id,
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
        raw,
        origin,
    })
}

/// See `ubcore_ops.create_jetty`.
///
/// # Safety
///
/// Called by ubcore, by the contract.
pub(super) unsafe extern "C" fn create<D: Driver>(
    dev: *mut bindings_ub::ubcore_device,
    cfg: *mut bindings_ub::ubcore_jetty_cfg,
    udata: *mut bindings_ub::ubcore_udata,
) -> *mut bindings_ub::ubcore_jetty {
    // SAFETY: A device of this driver that is registered.
    let dev = unsafe { UbDevice::<D>::borrow(dev) };
    // SAFETY: Null or valid during the call.
    let user = unsafe { User::from_raw(udata) };
    // SAFETY: Valid during the call.
    let cfg = unsafe { read_cfg(dev, cfg, Origin::new(dev, &user)) };
    err_ptr(cfg.and_then(|cfg| D::create_jetty(dev, cfg, user).map(Object::into_raw)))
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
    let jetty: ArcBorrow<'_, Jetty<D>> = unsafe { Object::borrow(jetty) };
    // SAFETY: Valid during the call.
    let attr = unsafe { &*attr };
    into_int(D::modify_jetty(
        jetty,
        &JettyAttr {
            rx_threshold: (attr.mask & bindings_ub::UBCORE_JETTY_RX_THRESHOLD != 0)
                .then_some(attr.rx_threshold),
            state: (attr.mask & bindings_ub::UBCORE_JETTY_STATE != 0).then_some(attr.state),
        },
    ))
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
    let (state, rx_threshold) = D::query_jetty(unsafe { Jetty::<D>::borrow(jetty) });
    // SAFETY: All are valid during the call; the configuration does not change after the creation.
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

/// See `ubcore_ops.destroy_jetty`.
///
/// # Safety
///
/// Called by ubcore, by the contract.
pub(super) unsafe extern "C" fn destroy<D: Driver>(jetty: *mut bindings_ub::ubcore_jetty) -> c_int {
    // SAFETY: A jetty of this driver, alive during the call.
    if let Err(e) = D::destroy_jetty(unsafe { Jetty::<D>::borrow(jetty) }) {
        return e.to_errno();
    }
    // SAFETY: Made by `create`, and destroyed once.
    unsafe { Jetty::<D>::release(jetty) };
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
    let jetty: ArcBorrow<'_, Jetty<D>> = unsafe { Object::borrow(jetty) };
    // SAFETY: An import of the same device, hence of this driver, alive during the call.
    let target: ArcBorrow<'_, Target<D>> = unsafe { Object::borrow(tjetty) };
    // SAFETY: Valid during the call.
    let tp = unsafe { ActiveTp::from_raw(tp) };
    into_int(D::bind_jetty(jetty, target, &tp))
}

/// See `ubcore_ops.unbind_jetty`.
///
/// # Safety
///
/// Called by ubcore, by the contract.
pub(super) unsafe extern "C" fn unbind<D: Driver>(jetty: *mut bindings_ub::ubcore_jetty) -> c_int {
    // SAFETY: A jetty of this driver, alive during the call.
    into_int(D::unbind_jetty(unsafe { Jetty::<D>::borrow(jetty) }))
}
