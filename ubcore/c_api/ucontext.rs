// SPDX-License-Identifier: GPL-2.0

//! Contexts of user processes.

use super::{
    cgroup::{
        try_charge,
        uncharge, //
    },
    core_state,
    device_ptr::device,
    user::Ucontext, //
};
use crate::{
    bindings_ub::{
        ubcore_cg_object,
        ubcore_device,
        ubcore_ucontext,
        ubcore_udrv_priv, //
    },
    counters::Class,
    device::Device,
    logic::eid::Eid,
    tp::Holder,
    ub::common::{
        eid_from_bytes,
        err_ptr,
        object_ptr, //
    },
    ucontext,
};
use kernel::{
    prelude::*,
    sync::atomic::Relaxed, //
};

impl Device {
    /// Lets the driver make a context, which pays with `charge`.
    fn driver_alloc_ucontext(
        &self,
        index: u32,
        eid: Eid,
        charge: &ubcore_cg_object,
        udrv_data: *mut ubcore_udrv_priv,
    ) -> Result<*mut ubcore_ucontext> {
        let op = self.ops().alloc_ucontext.ok_or(EINVAL)?;
        // SAFETY: An operation of the driver, with its device; the data is the caller's.
        let uctx = object_ptr(unsafe { op(self.c().as_ptr(), index, udrv_data) })?.as_ptr();
        // SAFETY: A new context that nobody else has yet.
        unsafe {
            (*uctx).ub_dev = self.c().as_ptr();
            (*uctx).eid = eid_from_bytes(eid.into_bytes());
            (*uctx).eid_index = index;
            (*uctx).cg_obj = core::ptr::read(charge);
            (*uctx).use_cnt.counter = 0;
        }
        Ok(uctx)
    }
}

c_api! {
    /// Makes a context.
    unsafe fn ubcore_alloc_ucontext(
        dev: *mut ubcore_device,
        eid_index: u32,
        udrv_data: *mut ubcore_udrv_priv,
    ) -> *mut ubcore_ucontext {
        err_ptr((|| {
            // SAFETY: Null or valid.
            let dev = unsafe { device(dev) }?;
            let core = core_state()?;
            let eid = ucontext::check(dev, eid_index)?;
            let charge = try_charge(dev.c())?;
            match dev.driver_alloc_ucontext(eid_index, eid, &charge, udrv_data) {
                Ok(uctx) => {
                    core.counters().up(Class::Ucontext);
                    Ok(uctx)
                }
                Err(error) => {
                    uncharge(dev.c(), charge);
                    Err(error)
                }
            }
        })())
    }

    /// Frees a context.
    unsafe fn ubcore_free_ucontext(dev: *mut ubcore_device, uctx: *mut ubcore_ucontext) {
        // SAFETY: Null or valid.
        let (Ok(dev), Some(context)) = (unsafe { device(dev) }, unsafe {
            Ucontext::from_raw(uctx)
        }) else {
            return;
        };
        let left = context.objects().load(Relaxed);
        if left != 0 {
            pr_warn_ratelimited!("context with {left} objects is freed\n");
        }
        let Some(op) = dev.ops().free_ucontext else {
            pr_warn_ratelimited!("driver cannot free contexts\n");
            return;
        };
        if let Ok(core) = core_state() {
            core.links().withdraw(core, dev, Holder::new(uctx.addr()));
        }
        // SAFETY: Valid until the driver frees it.
        let charge = unsafe { core::ptr::read(&raw const (*uctx).cg_obj) };
        // SAFETY: An operation of the driver, with a context of its own.
        let ret = unsafe { op(uctx) };
        if ret != 0 {
            pr_warn_ratelimited!("driver fails to free a context: {ret}\n");
        }
        uncharge(dev.c(), charge);
        if let Ok(core) = core_state() {
            core.counters().down(Class::Ucontext);
        }
    }
}
