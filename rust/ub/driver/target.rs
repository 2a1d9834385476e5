// SPDX-License-Identifier: GPL-2.0

//! Imported jettys and receive queues.

use super::{
    device::UbDevice,
    object::{
        Object,
        Origin,
        User, //
    },
    tp::ActiveTp,
    udata::into_int,
    Driver, //
};
use crate::{
    bindings_ub,
    kernel_ext::arc::Arc,
    ub::common::{
        eid_bytes,
        err_ptr, //
    }, //
};
use kernel::prelude::*;

/// An import: `struct ubcore_tjetty` and the driver's data.
pub(crate) type Target<D> = Object<bindings_ub::ubcore_tjetty, <D as Driver>::Target>;

/// What an import names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TargetKind {
    /// A receive queue alone.
    Jfr,
    /// A jetty.
    Jetty,
    /// A group of jettys.
    JettyGroup,
}

/// A remote jetty or receive queue to be imported.
pub(crate) struct TargetCfg {
    /// EID of the entity that has it.
    pub(crate) eid: [u8; 16],
    /// Its number there.
    pub(crate) id: u32,
    /// What it is.
    pub(crate) kind: TargetKind,
    /// Service, one bit of `enum ubcore_transport_mode`.
    pub(crate) trans_mode: u32,
    /// Token to show; never logged.
    pub(crate) token: u32,
    origin: Origin,
}

impl<T: Send + Sync> Object<bindings_ub::ubcore_tjetty, T> {
    /// Allocates an import.
    ///
    /// # Errors
    ///
    /// `ENOMEM`, or what `data` fails with.
    pub(crate) fn new_target(cfg: &TargetCfg, data: impl PinInit<T, Error>) -> Result<Arc<Self>> {
        // ubcore copies the configuration, and initialises the lock.
        let raw = bindings_ub::ubcore_tjetty {
            ub_dev: cfg.origin.dev,
            uctx: cfg.origin.uctx,
            ..Default::default()
        };
        Self::alloc(raw, data)
    }
}

/// Imports a target of the kind that `kind` finds in the configuration.
///
/// # Safety
///
/// As for [`import_jetty`].
unsafe fn import<D: Driver>(
    dev: *mut bindings_ub::ubcore_device,
    cfg: *mut bindings_ub::ubcore_tjetty_cfg,
    tp: *mut bindings_ub::ubcore_active_tp_cfg,
    udata: *mut bindings_ub::ubcore_udata,
    kind: impl FnOnce(&bindings_ub::ubcore_tjetty_cfg) -> Result<TargetKind>,
) -> *mut bindings_ub::ubcore_tjetty {
    // SAFETY: A device of this driver that is registered.
    let dev = unsafe { UbDevice::<D>::borrow(dev) };
    // SAFETY: Null or valid during the call.
    let user = unsafe { User::from_raw(udata) };
    // SAFETY: Valid during the call.
    let raw = unsafe { &*cfg };
    // SAFETY: Valid during the call.
    let tp = unsafe { ActiveTp::from_raw(tp) };
    err_ptr(kind(raw).and_then(|kind| {
        let cfg = TargetCfg {
            eid: eid_bytes(&raw.id.eid),
            id: raw.id.id,
            kind,
            trans_mode: raw.trans_mode,
            token: raw.token_value.token,
            origin: Origin::new(dev, &user),
        };
        D::import(dev, cfg, &tp, user).map(Object::into_raw)
    }))
}

/// See `ubcore_ops.import_jetty_ex`.
///
/// # Safety
///
/// Called by ubcore, by the contract.
pub(super) unsafe extern "C" fn import_jetty<D: Driver>(
    dev: *mut bindings_ub::ubcore_device,
    cfg: *mut bindings_ub::ubcore_tjetty_cfg,
    tp: *mut bindings_ub::ubcore_active_tp_cfg,
    udata: *mut bindings_ub::ubcore_udata,
) -> *mut bindings_ub::ubcore_tjetty {
    let kind = |cfg: &bindings_ub::ubcore_tjetty_cfg| match cfg.type_ {
        bindings_ub::UBCORE_JETTY => Ok(TargetKind::Jetty),
        bindings_ub::UBCORE_JFR => Ok(TargetKind::Jfr),
        bindings_ub::UBCORE_JETTY_GROUP => Ok(TargetKind::JettyGroup),
        _ => Err(EINVAL),
    };
    // SAFETY: By the function's contract.
    unsafe { import::<D>(dev, cfg, tp, udata, kind) }
}

/// See `ubcore_ops.import_jfr_ex`.
///
/// # Safety
///
/// Called by ubcore, by the contract.
pub(super) unsafe extern "C" fn import_jfr<D: Driver>(
    dev: *mut bindings_ub::ubcore_device,
    cfg: *mut bindings_ub::ubcore_tjetty_cfg,
    tp: *mut bindings_ub::ubcore_active_tp_cfg,
    udata: *mut bindings_ub::ubcore_udata,
) -> *mut bindings_ub::ubcore_tjetty {
    // SAFETY: By the function's contract.
    unsafe { import::<D>(dev, cfg, tp, udata, |_| Ok(TargetKind::Jfr)) }
}

/// See `ubcore_ops.connect_tjetty`.
///
/// # Safety
///
/// Called by ubcore, by the contract.
pub(super) unsafe extern "C" fn connect<D: Driver>(
    tjetty: *mut bindings_ub::ubcore_tjetty,
    tp: *mut bindings_ub::ubcore_active_tp_cfg,
) -> c_int {
    // SAFETY: An import of this driver, alive during the call, and a valid path.
    let (target, tp) = unsafe { (Target::<D>::borrow(tjetty), ActiveTp::from_raw(tp)) };
    into_int(D::connect_target(target, &tp))
}

/// See `ubcore_ops.unimport_jetty` and `ubcore_ops.unimport_jfr`.
///
/// # Safety
///
/// Called by ubcore, by the contract.
pub(super) unsafe extern "C" fn unimport<D: Driver>(
    tjetty: *mut bindings_ub::ubcore_tjetty,
) -> c_int {
    // SAFETY: An import of this driver, alive during the call.
    if let Err(e) = D::unimport(unsafe { Target::<D>::borrow(tjetty) }) {
        return into_int(Err(e));
    }
    // SAFETY: Made by `import`, and released once.
    unsafe { Target::<D>::release(tjetty) };
    0
}
