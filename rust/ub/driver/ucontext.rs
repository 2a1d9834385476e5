// SPDX-License-Identifier: GPL-2.0

//! Contexts of user processes.

use super::{
    device::UbDevice,
    object::Object,
    udata::{
        into_int,
        Udata, //
    },
    Driver, //
};
use crate::{
    bindings_ub,
    kernel_ext::{
        arc::{
            Arc,
            ArcBorrow, //
        },
        fault::{
            Fault,
            Outcome, //
        }, //
    },
    ub::common::{
        eid_bytes,
        err_ptr, //
    }, //
};
use kernel::{
    bindings,
    mm::virt::VmaNew,
    prelude::*, //
};

/// A context: `struct ubcore_ucontext` and the driver's data.
pub(crate) type Ucontext<D> = Object<bindings_ub::ubcore_ucontext, <D as Driver>::Ucontext>;

impl<T: Send + Sync> Object<bindings_ub::ubcore_ucontext, T> {
    /// Allocates a context.
    ///
    /// # Errors
    ///
    /// `ENOMEM`, or what `data` fails with.
    pub(crate) fn new_ucontext(eid_index: u32, data: impl PinInit<T, Error>) -> Result<Arc<Self>> {
        let raw = bindings_ub::ubcore_ucontext {
            eid_index,
            ..Default::default()
        };
        Self::alloc(raw, data)
    }

    /// Returns the EID of the context. ubcore sets it after the driver made the context and before
    /// it has any object.
    pub(crate) fn eid(&self) -> [u8; 16] {
        // SAFETY: The object is alive; the bytes of an EID may take any value.
        let eid = unsafe { (&raw const (*self.raw()).eid).read_volatile() };
        eid_bytes(&eid)
    }
}

/// See `ubcore_ops.alloc_ucontext`.
///
/// # Safety
///
/// Called by ubcore, by the contract.
pub(super) unsafe extern "C" fn alloc<D: Driver>(
    dev: *mut bindings_ub::ubcore_device,
    eid_index: u32,
    udrv_data: *mut bindings_ub::ubcore_udrv_priv,
) -> *mut bindings_ub::ubcore_ucontext {
    // SAFETY: A device of this driver that is registered.
    let dev = unsafe { UbDevice::<D>::borrow(dev) };
    // SAFETY: Null or valid during the call.
    let udata = unsafe { Udata::from_raw(udrv_data) };
    err_ptr(D::alloc_ucontext(dev, eid_index, udata).map(|uctx| {
        // SAFETY: Nobody else sees the context yet.
        unsafe { (*uctx.raw()).ub_dev = dev.raw() };
        Object::into_raw(uctx)
    }))
}

/// See `ubcore_ops.free_ucontext`.
///
/// # Safety
///
/// Called by ubcore, by the contract.
pub(super) unsafe extern "C" fn free<D: Driver>(uctx: *mut bindings_ub::ubcore_ucontext) -> c_int {
    // SAFETY: A context of this driver.
    D::free_ucontext(unsafe { Ucontext::<D>::borrow(uctx) });
    // SAFETY: Made by `alloc`, and freed once.
    unsafe { Ucontext::<D>::release(uctx) };
    0
}

/// See `ubcore_ops.mmap`.
///
/// # Safety
///
/// Called by ubcore or a client, by the contract.
pub(super) unsafe extern "C" fn mmap<D: Driver>(
    uctx: *mut bindings_ub::ubcore_ucontext,
    vma: *mut bindings::vm_area_struct,
) -> c_int {
    // SAFETY: A context of this driver, alive during the call.
    let uctx: ArcBorrow<'_, Ucontext<D>> = unsafe { Object::borrow(uctx) };
    // SAFETY: The area is being set up by mmap().
    let (pgoff, vma) = unsafe { ((*vma).vm_pgoff, VmaNew::from_raw(vma)) };
    into_int(D::mmap(uctx, pgoff, vma))
}

/// See `ubcore_ops.fault`.
///
/// # Safety
///
/// Called by a client for a fault that is being handled, by the contract.
pub(super) unsafe extern "C" fn fault<D: Driver>(
    uctx: *mut bindings_ub::ubcore_ucontext,
    vmf: *mut bindings::vm_fault,
) -> bindings::vm_fault_t {
    // SAFETY: By the function's contract.
    let Some(fault) = (unsafe { Fault::from_raw(vmf) }) else {
        return Outcome::SIGBUS.raw();
    };
    // SAFETY: A context of this driver, alive during the call.
    D::fault(unsafe { Ucontext::<D>::borrow(uctx) }, &fault).raw()
}

/// See `ubcore_ops.disassociate_ucontext`.
///
/// # Safety
///
/// Called by ubcore or a client, by the contract.
pub(super) unsafe extern "C" fn disassociate<D: Driver>(uctx: *mut bindings_ub::ubcore_ucontext) {
    // SAFETY: A context of this driver, alive during the call.
    D::disassociate_ucontext(unsafe { Ucontext::<D>::borrow(uctx) });
}
