// SPDX-License-Identifier: GPL-2.0

//! Token ids, and segments of memory.

use super::{
    device::UbDevice,
    object::{
        Object,
        Origin,
        User, //
    },
    Driver, //
};
use crate::{
    bindings_ub,
    kernel_ext::{
        arc::Arc,
        kernel_mem::KernelMem, //
    },
    ub::common::err_ptr, //
};
use kernel::prelude::*;

/// The name of a token: `struct ubcore_token_id` and the driver's data.
pub(crate) type TokenId<D> = Object<bindings_ub::ubcore_token_id, <D as Driver>::TokenId>;
/// A registered segment: `struct ubcore_target_seg` and the driver's data.
pub(crate) type Segment<D> = Object<bindings_ub::ubcore_target_seg, <D as Driver>::Segment>;
/// An imported segment: `struct ubcore_target_seg` and its token.
pub(super) type ImportedSegment<D> =
    Object<bindings_ub::ubcore_target_seg, Imported<<D as Driver>::ImportedSegment>>;

/// What is kept of an imported segment.
#[pin_data]
pub(crate) struct Imported<T> {
    /// Never logged.
    token: u32,
    /// The driver's.
    data: Option<T>,
}

impl<T> Imported<T> {
    /// Returns the token to show.
    pub(super) fn token(&self) -> u32 {
        self.token
    }
}

/// A segment to be imported.
pub(crate) struct SegImport {
    /// EID of its device.
    pub(crate) eid: [u8; 16],
    /// First byte of the part that is meant, in its owner's memory.
    pub(crate) va: u64,
    /// Bytes of that part.
    pub(crate) len: u64,
    /// Name of its token.
    pub(crate) token_id: u32,
    /// Its token; never logged.
    pub(crate) token: u32,
    /// `UBCORE_ACCESS_*`: what the importer wants to do.
    pub(crate) access: u32,
    /// It wants to have the segment in its own memory.
    pub(crate) mapping: bool,
}

/// A segment to be registered.
pub(crate) struct SegCfg {
    /// First byte; a user address if the caller is a user.
    pub(crate) va: u64,
    /// Bytes.
    pub(crate) len: u64,
    /// Name of its token.
    pub(crate) token_id: u32,
    /// Its token; never logged.
    pub(crate) token: u32,
    /// How the token is protected.
    pub(crate) token_policy: u32,
    /// `UBCORE_ACCESS_*`.
    pub(crate) access: u32,
    /// Address that peers use, if it is not `va`.
    pub(crate) iova: Option<u64>,
    /// The caller wants the memory not to be pinned.
    pub(crate) non_pin: bool,
    /// The addresses are physical.
    pub(crate) pa: bool,
    origin: Origin,
}

impl SegCfg {
    /// Returns the memory of a kernel client.
    ///
    /// # Errors
    ///
    /// `EINVAL` for an empty range, one that wraps around and that of a user; `EFAULT` for one that
    /// is not memory of the kernel.
    pub(crate) fn kernel_memory(&self) -> Result<KernelMem> {
        if !self.origin.uctx.is_null() {
            return Err(EINVAL);
        }
        let start = usize::try_from(self.va).map_err(|_| EINVAL)?;
        let len = usize::try_from(self.len).map_err(|_| EINVAL)?;
        // SAFETY: By the contract, a kernel client keeps what it registers until it has unregistered
        // it, and both sides may read and write it.
        unsafe { KernelMem::new(start, len) }
    }
}

impl<T: Send + Sync> Object<bindings_ub::ubcore_token_id, T> {
    /// Allocates the name `token_id` of a token.
    ///
    /// # Errors
    ///
    /// `ENOMEM`, or what `data` fails with.
    pub(crate) fn new_token_id(token_id: u32, data: impl PinInit<T, Error>) -> Result<Arc<Self>> {
        let raw = bindings_ub::ubcore_token_id {
            token_id,
            ..Default::default()
        };
        Self::alloc(raw, data)
    }
}

impl<T: Send + Sync> Object<bindings_ub::ubcore_target_seg, T> {
    /// Allocates a registered segment.
    ///
    /// # Errors
    ///
    /// `ENOMEM`, or what `data` fails with.
    #[inline(always)]
    pub(crate) fn new_segment(cfg: &SegCfg, data: impl PinInit<T, Error>) -> Result<Arc<Self>> {
        let fill = |raw: &mut bindings_ub::ubcore_target_seg| {
            raw.ub_dev = cfg.origin.dev;
            raw.uctx = cfg.origin.uctx;
            raw.seg.token_id = cfg.token_id;
        };
        Self::alloc_with(fill, data)
    }
}

/// See `ubcore_ops.alloc_token_id`.
///
/// # Safety
///
/// Called by ubcore, by the contract.
pub(super) unsafe extern "C" fn alloc_token_id<D: Driver>(
    dev: *mut bindings_ub::ubcore_device,
    flag: bindings_ub::ubcore_token_id_flag,
    udata: *mut bindings_ub::ubcore_udata,
) -> *mut bindings_ub::ubcore_token_id {
    // SAFETY: A device of this driver that is registered.
    let dev = unsafe { UbDevice::<D>::borrow(dev) };
    // SAFETY: Null or valid during the call.
    let user = unsafe { User::from_raw(udata) };
    // SAFETY: All bits of the union are initialised.
    let multi_seg = unsafe { flag.bs.as_ref() }.multi_seg() != 0;
    err_ptr(D::alloc_token_id(dev, multi_seg, user).map(Object::into_raw))
}

/// See `ubcore_ops.free_token_id`.
///
/// # Safety
///
/// Called by ubcore, by the contract.
pub(super) unsafe extern "C" fn free_token_id<D: Driver>(
    token_id: *mut bindings_ub::ubcore_token_id,
) -> c_int {
    // SAFETY: Of this driver, alive during the call.
    if let Err(e) = D::free_token_id(unsafe { TokenId::<D>::borrow(token_id) }) {
        return e.to_errno();
    }
    // SAFETY: Made by `alloc_token_id`, and freed once.
    unsafe { TokenId::<D>::release(token_id) };
    0
}

/// See `ubcore_ops.register_seg`.
///
/// # Safety
///
/// Called by ubcore, by the contract.
pub(super) unsafe extern "C" fn register<D: Driver>(
    dev: *mut bindings_ub::ubcore_device,
    cfg: *mut bindings_ub::ubcore_seg_cfg,
    udata: *mut bindings_ub::ubcore_udata,
) -> *mut bindings_ub::ubcore_target_seg {
    // SAFETY: A device of this driver that is registered.
    let dev = unsafe { UbDevice::<D>::borrow(dev) };
    // SAFETY: Null or valid during the call.
    let user = unsafe { User::from_raw(udata) };
    // SAFETY: Valid during the call.
    let raw = unsafe { &*cfg };
    if raw.token_id.is_null() {
        return EINVAL.to_ptr();
    }
    // SAFETY: All bits of the union are initialised.
    let flag = unsafe { raw.flag.bs.as_ref() };
    let cfg = SegCfg {
        va: raw.va,
        len: raw.len,
        // SAFETY: Not null, so valid during the call.
        token_id: unsafe { (*raw.token_id).token_id },
        token: raw.token_value.token,
        token_policy: flag.token_policy(),
        access: flag.access(),
        iova: (flag.user_iova() != 0).then_some(raw.iova),
        non_pin: flag.non_pin() != 0,
        pa: flag.pa() != 0,
        origin: Origin::new(dev, &user),
    };
    err_ptr(D::register_seg(dev, cfg, user).map(Object::into_raw))
}

/// See `ubcore_ops.unregister_seg`.
///
/// # Safety
///
/// Called by ubcore, by the contract.
pub(super) unsafe extern "C" fn unregister<D: Driver>(
    seg: *mut bindings_ub::ubcore_target_seg,
) -> c_int {
    // SAFETY: A registered segment of this driver, alive during the call.
    if let Err(e) = D::unregister_seg(unsafe { Segment::<D>::borrow(seg) }) {
        return e.to_errno();
    }
    // SAFETY: Made by `register`, and unregistered once.
    unsafe { Segment::<D>::release(seg) };
    0
}

/// See `ubcore_ops.import_seg`.
///
/// # Safety
///
/// Called by ubcore, by the contract.
pub(super) unsafe extern "C" fn import<D: Driver>(
    dev: *mut bindings_ub::ubcore_device,
    cfg: *mut bindings_ub::ubcore_target_seg_cfg,
    udata: *mut bindings_ub::ubcore_udata,
) -> *mut bindings_ub::ubcore_target_seg {
    // SAFETY: A device of this driver that is registered.
    let dev = unsafe { UbDevice::<D>::borrow(dev) };
    // SAFETY: Null or valid during the call.
    let user: Option<User<'_, D>> = unsafe { User::from_raw(udata) };
    // SAFETY: Valid during the call.
    let raw = unsafe { &*cfg };
    // SAFETY: All bits of the unions are initialised.
    let (flag, eid) = unsafe { (raw.flag.bs.as_ref(), *raw.seg.ubva.eid.raw.as_ref()) };
    let cfg = SegImport {
        eid,
        va: raw.seg.ubva.va,
        len: raw.seg.len,
        token_id: raw.seg.token_id,
        token: raw.token_value.token,
        access: flag.access(),
        mapping: flag.mapping() != 0,
    };
    let origin = Origin::new(dev, &user);
    let raw = bindings_ub::ubcore_target_seg {
        ub_dev: origin.dev,
        uctx: origin.uctx,
        ..Default::default()
    };
    // The driver is asked last, so that there is nothing to undo.
    let import = ImportedSegment::<D>::alloc(
        raw,
        try_pin_init!(Imported {
            token: cfg.token,
            data: D::import_seg(dev, &cfg, user)?,
        }),
    );
    err_ptr(import.map(Object::into_raw))
}

/// See `ubcore_ops.unimport_seg`.
///
/// # Safety
///
/// Called by ubcore, by the contract.
pub(super) unsafe extern "C" fn unimport<D: Driver>(
    seg: *mut bindings_ub::ubcore_target_seg,
) -> c_int {
    // SAFETY: Made by `import`, and alive during the call.
    let import = unsafe { ImportedSegment::<D>::borrow(seg) };
    import.data.iter().for_each(D::unimport_seg);
    // SAFETY: As above, and released once.
    unsafe { ImportedSegment::<D>::release(seg) };
    0
}
