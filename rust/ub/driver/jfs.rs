// SPDX-License-Identifier: GPL-2.0

//! Send queues.

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

/// A send queue: `struct ubcore_jfs` and the driver's data.
pub(crate) type Jfs<D> = Object<bindings_ub::ubcore_jfs, <D as Driver>::Jfs>;

/// What the send side of a JFS or jetty shall be like.
#[derive(Clone, Copy)]
pub(crate) struct SendCfg {
    /// Entries at least.
    pub(crate) depth: u32,
    /// Service, one bit of `enum ubcore_transport_mode`.
    pub(crate) trans_mode: u32,
    /// Index of the local EID.
    pub(crate) eid_index: u32,
    /// Priority, 0 to 15.
    pub(crate) priority: u8,
    /// Local ranges of a work request.
    pub(crate) max_sge: u8,
    /// Remote ranges of a work request.
    pub(crate) max_rsge: u8,
    /// Bytes of inline data.
    pub(crate) max_inline: u32,
    /// Retries while the target has no receive buffer, 7 for ever.
    pub(crate) rnr_retry: u8,
    /// Whether a failed work request suspends the queue.
    pub(crate) error_suspend: bool,
}

/// What the send side of a JFS or jetty is like; at least what was asked for.
#[derive(Clone, Copy)]
pub(crate) struct SendGrant {
    /// Entries.
    pub(crate) depth: u32,
    /// Local ranges of a work request.
    pub(crate) max_sge: u8,
    /// Remote ranges of a work request.
    pub(crate) max_rsge: u8,
    /// Bytes of inline data.
    pub(crate) max_inline: u32,
}

/// A send queue to be created.
pub(crate) struct JfsCfg<D: Driver> {
    /// What it shall be like.
    pub(crate) send: SendCfg,
    /// Where its completions go.
    pub(crate) jfc: Arc<Jfc<D>>,
    raw: bindings_ub::ubcore_jfs_cfg,
    origin: Origin,
}

impl<T: Send + Sync> Object<bindings_ub::ubcore_jfs, T> {
    /// Allocates a send queue with the number `id`.
    ///
    /// # Errors
    ///
    /// `ENOMEM`, or what `data` fails with.
    pub(crate) fn new_jfs<D: Driver<Jfs = T>>(
        cfg: JfsCfg<D>,
        id: u32,
        grant: SendGrant,
        data: impl PinInit<T, Error>,
    ) -> Result<Arc<Self>> {
        let raw = bindings_ub::ubcore_jfs {
            ub_dev: cfg.origin.dev,
            uctx: cfg.origin.uctx,
            jfs_cfg: bindings_ub::ubcore_jfs_cfg {
                depth: grant.depth,
                max_sge: grant.max_sge,
                max_rsge: grant.max_rsge,
                max_inline_data: grant.max_inline,
                ..cfg.raw
            },
            jfs_id: bindings_ub::ubcore_jetty_id {
                id,
                ..Default::default()
            },
            ..Default::default()
        };
        Self::alloc(raw, data)
    }

    /// Reports that the queue went to the error state. Any context but NMI.
    pub(crate) fn raise_error(&self) {
        self.with_handlers(|jfs| {
            let mut event = bindings_ub::ubcore_event {
                event_type: bindings_ub::UBCORE_EVENT_JFS_ERR,
                ..Default::default()
            };
            // SAFETY: Pointers may take any value.
            unsafe { *event.element.jfs.as_mut() = jfs };
            // SAFETY: The object is alive. ubcore stores the handler once, when the queue has been
            // created. The queue is not destroyed while handlers run.
            unsafe {
                event.ub_dev = (*jfs).ub_dev;
                if let Some(handler) = (&raw const (*jfs).jfae_handler).read_volatile() {
                    handler(&mut event, (*jfs).uctx);
                }
            }
        });
    }
}

/// See `ubcore_ops.create_jfs`.
///
/// # Safety
///
/// Called by ubcore, by the contract.
pub(super) unsafe extern "C" fn create<D: Driver>(
    dev: *mut bindings_ub::ubcore_device,
    cfg: *mut bindings_ub::ubcore_jfs_cfg,
    udata: *mut bindings_ub::ubcore_udata,
) -> *mut bindings_ub::ubcore_jfs {
    // SAFETY: A device of this driver that is registered.
    let dev = unsafe { UbDevice::<D>::borrow(dev) };
    // SAFETY: Null or valid during the call.
    let user = unsafe { User::from_raw(udata) };
    // SAFETY: Valid during the call.
    let raw = unsafe { cfg.read() };
    // SAFETY: All bits of the union are initialised.
    let error_suspend = unsafe { raw.flag.bs.as_ref().error_suspend() } != 0;
    let send = SendCfg {
        depth: raw.depth,
        trans_mode: raw.trans_mode,
        eid_index: raw.eid_index,
        priority: raw.priority,
        max_sge: raw.max_sge,
        max_rsge: raw.max_rsge,
        max_inline: raw.max_inline_data,
        rnr_retry: raw.rnr_retry,
        error_suspend,
    };
    // SAFETY: The queue of the configuration is valid during the call.
    let jfc = unsafe { jfc::of_device(dev, raw.jfc) };
    err_ptr(jfc.and_then(|jfc| {
        let cfg = JfsCfg {
            send,
            jfc,
            raw,
            origin: Origin::new(dev, &user),
        };
        D::create_jfs(dev, cfg, user).map(Object::into_raw)
    }))
}

/// See `ubcore_ops.modify_jfs`.
///
/// # Safety
///
/// Called by ubcore, by the contract.
pub(super) unsafe extern "C" fn modify<D: Driver>(
    jfs: *mut bindings_ub::ubcore_jfs,
    attr: *mut bindings_ub::ubcore_jfs_attr,
    _udata: *mut bindings_ub::ubcore_udata,
) -> c_int {
    // SAFETY: A queue of this driver, alive during the call.
    let jfs: ArcBorrow<'_, Jfs<D>> = unsafe { Object::borrow(jfs) };
    // SAFETY: Valid during the call.
    let attr = unsafe { &*attr };
    let state = (attr.mask & bindings_ub::UBCORE_JFS_STATE != 0).then_some(attr.state);
    into_int(D::modify_jfs(jfs, state))
}

/// See `ubcore_ops.query_jfs`.
///
/// # Safety
///
/// Called by ubcore, by the contract.
pub(super) unsafe extern "C" fn query<D: Driver>(
    jfs: *mut bindings_ub::ubcore_jfs,
    cfg: *mut bindings_ub::ubcore_jfs_cfg,
    attr: *mut bindings_ub::ubcore_jfs_attr,
) -> c_int {
    // SAFETY: A queue of this driver, alive during the call.
    let state = D::query_jfs(unsafe { Jfs::<D>::borrow(jfs) });
    // SAFETY: All are valid during the call; the configuration does not change after the creation.
    unsafe {
        cfg.copy_from_nonoverlapping(&raw const (*jfs).jfs_cfg, 1);
        attr.write(bindings_ub::ubcore_jfs_attr {
            mask: bindings_ub::UBCORE_JFS_STATE,
            state,
        });
    }
    0
}

/// See `ubcore_ops.destroy_jfs`.
///
/// # Safety
///
/// Called by ubcore, by the contract.
pub(super) unsafe extern "C" fn destroy<D: Driver>(jfs: *mut bindings_ub::ubcore_jfs) -> c_int {
    // SAFETY: A queue of this driver, alive during the call.
    if let Err(e) = D::destroy_jfs(unsafe { Jfs::<D>::borrow(jfs) }) {
        return e.to_errno();
    }
    // SAFETY: Made by `create`, and destroyed once.
    unsafe { Jfs::<D>::release(jfs) };
    0
}
