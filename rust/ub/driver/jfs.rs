// SPDX-License-Identifier: GPL-2.0

//! Send queues.

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

/// A send queue: `struct ubcore_jfs` and the driver's data.
pub(crate) type Jfs<D> = Queue<bindings_ub::ubcore_jfs, <D as Driver>::Jfs>;

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
    /// Number wanted, 0 for any.
    pub(crate) id: u32,
    /// What it shall be like.
    pub(crate) send: SendCfg,
    /// Where its completions go.
    pub(crate) jfc: Arc<Jfc<D>>,
    slot: Slot<bindings_ub::ubcore_jfs>,
}

impl<T: Send + Sync> Queue<bindings_ub::ubcore_jfs, T> {
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
        cfg.slot.fill(data, |jfs| {
            // SAFETY: Valid, and nobody else uses these fields now.
            unsafe {
                (*jfs).jfs_id.id = id;
                (*jfs).jfs_cfg.depth = grant.depth;
                (*jfs).jfs_cfg.max_sge = grant.max_sge;
                (*jfs).jfs_cfg.max_rsge = grant.max_rsge;
                (*jfs).jfs_cfg.max_inline_data = grant.max_inline;
            }
        })
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

staged!(
    JfsKind(ubcore_jfs, ubcore_jfs_cfg, jfs_cfg, Jfs),
    start start,
    stop destroy_jfs
);

/// Reads the configuration and lets the driver make the queue.
///
/// # Safety
///
/// As for [`staged::Staged::start`].
unsafe fn start<D: Driver>(
    dev: ArcBorrow<'_, UbDevice<D>>,
    jfs: *mut bindings_ub::ubcore_jfs,
    slot: Slot<bindings_ub::ubcore_jfs>,
    user: Option<User<'_, D>>,
) -> Result<Arc<Jfs<D>>> {
    // SAFETY: Valid by the function's contract.
    let raw = unsafe { &(*jfs).jfs_cfg };
    // SAFETY: All bits of unions are initialised.
    let (error_suspend, id) = unsafe {
        (
            raw.flag.bs.as_ref().error_suspend() != 0,
            wanted_id!((*jfs).jfs_opt, jfs_opt_mask, urma_jfs_id, 0),
        )
    };
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
    let jfc = unsafe { jfc::of_device(dev, raw.jfc) }?;
    let cfg = JfsCfg {
        id,
        send,
        jfc,
        slot,
    };
    D::create_jfs(dev, cfg, user)
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
    let jfs = unsafe { staged::borrow::<_, D::Jfs>(jfs) };
    // SAFETY: Valid during the call.
    let attr = unsafe { &*attr };
    let state = (attr.mask & bindings_ub::UBCORE_JFS_STATE != 0).then_some(attr.state);
    into_int(jfs.and_then(|jfs| D::modify_jfs(jfs, state)))
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
    let state = match unsafe { staged::borrow::<_, D::Jfs>(jfs) } {
        Ok(jfs) => D::query_jfs(jfs),
        Err(e) => return e.to_errno(),
    };
    // SAFETY: All are valid during the call; the configuration does not change while it works.
    unsafe {
        cfg.copy_from_nonoverlapping(&raw const (*jfs).jfs_cfg, 1);
        attr.write(bindings_ub::ubcore_jfs_attr {
            mask: bindings_ub::UBCORE_JFS_STATE,
            state,
        });
    }
    0
}
