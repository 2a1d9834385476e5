// SPDX-License-Identifier: GPL-2.0

//! Contexts of user processes.

use super::device::Device;
use crate::{
    bindings_ub as b,
    kernel_ext::{
        arc::{
            Arc,
            UniqueArc, //
        },
        fault::{
            Fault,
            Outcome, //
        }, //
    },
    logic::use_count::{
        Counted,
        ExclusiveRef,
        SharedRef,
        UseCount, //
    },
    ub::common::object_ptr, //
};
use core::ptr::NonNull;
use kernel::{
    error::to_result,
    mm::virt::VmaNew,
    prelude::*, //
};

/// What a user-space provider hands to its driver; the addresses are the user's.
#[derive(Clone, Copy, Default)]
pub(crate) struct ProviderData {
    /// Address of the input, 0 for none.
    pub(crate) in_addr: u64,
    /// Bytes of input.
    pub(crate) in_len: u32,
    /// Address for the reply, 0 for none.
    pub(crate) out_addr: u64,
    /// Bytes there.
    pub(crate) out_len: u32,
}

impl ProviderData {
    /// Makes the C structure.
    fn raw(self) -> b::ubcore_udrv_priv {
        b::ubcore_udrv_priv {
            in_addr: self.in_addr,
            in_len: self.in_len,
            out_addr: self.out_addr,
            out_len: self.out_len,
        }
    }
}

/// A provider's own command.
#[derive(Clone, Copy, Default)]
pub(crate) struct UserCommand {
    /// The command, a number of the driver's.
    pub(crate) opcode: u32,
    /// User address of the input.
    pub(crate) in_addr: u64,
    /// Bytes of input.
    pub(crate) in_len: u32,
    /// User address for the output.
    pub(crate) out_addr: u64,
    /// Bytes there.
    pub(crate) out_len: u32,
}

/// What a user process has of a device.
///
/// Objects hold it: [`free`](Self::free) refuses while one is left.
///
/// # Invariants
///
/// `ptr` is a valid context as long as `gate` is not dead and `dev` is registered.
pub(crate) struct Ucontext {
    /// The context.
    ptr: NonNull<b::ubcore_ucontext>,
    /// Its device.
    dev: Arc<Device>,
    /// Calls in progress, objects, and whether it is freed.
    gate: UseCount,
}

// SAFETY: The functions of ubcore that take a context may be called by any thread.
unsafe impl Send for Ucontext {}
// SAFETY: As above, and at the same time but for the free, which `gate` sees to.
unsafe impl Sync for Ucontext {}

impl Counted for Ucontext {
    fn use_count(&self) -> &UseCount {
        &self.gate
    }
}

impl Ucontext {
    /// Makes a context for the calling process.
    ///
    /// # Errors
    ///
    /// `EIO` when the device is gone, or the error of `ubcore_alloc_ucontext()`.
    pub(crate) fn new(dev: &Arc<Device>, eid_index: u32, data: ProviderData) -> Result<Arc<Self>> {
        let place = UniqueArc::new_uninit(GFP_KERNEL)?;
        let live = dev.enter()?;
        let mut data = data.raw();
        // SAFETY: A registered device, and data of our own.
        let ptr = unsafe { b::ubcore_alloc_ucontext(live.as_ptr(), eid_index, &mut data) };
        let ptr = object_ptr(ptr)?;
        // INVARIANT: A new context.
        let this = place.write(Self {
            ptr,
            dev: dev.clone(),
            gate: UseCount::new(),
        });
        Ok(this.into())
    }

    /// Returns the device.
    pub(super) fn device(&self) -> &Arc<Device> {
        &self.dev
    }

    /// Tells the driver that the device goes away under the context: stop all of it.
    ///
    /// # Errors
    ///
    /// `EINVAL` when the context is freed, `EIO` when the device is gone, `EOPNOTSUPP` when the
    /// driver has no such operation.
    pub(crate) fn disassociate(&self) -> Result {
        let this = SharedRef::new(self)?;
        let live = self.dev.enter()?;
        // SAFETY: A registered device has operations as long as it is registered.
        let op = unsafe { (*(*live.as_ptr()).ops).disassociate_ucontext }.ok_or(EOPNOTSUPP)?;
        // SAFETY: A valid context.
        unsafe { op(this.ptr.as_ptr()) };
        Ok(())
    }

    /// Frees the context.
    ///
    /// # Errors
    ///
    /// `EBUSY` while objects or calls hold it, `EINVAL` when it is freed already, `EIO` when the
    /// device is gone.
    pub(crate) fn free(&self) -> Result {
        let exclusive = ExclusiveRef::new(self)?;
        let live = self.dev.enter()?;
        // SAFETY: A valid context that nobody uses, nor will.
        unsafe { b::ubcore_free_ucontext(live.as_ptr(), self.ptr.as_ptr()) };
        drop(live);
        exclusive.kill();
        Ok(())
    }

    /// Lets the driver map its memory for the user.
    ///
    /// # Errors
    ///
    /// `EIO` when the device is gone, `EINVAL` when the context is freed, `EOPNOTSUPP` when the
    /// driver maps nothing, or its error.
    pub(crate) fn mmap(&self, vma: &VmaNew) -> Result {
        let this = SharedRef::new(self)?;
        let live = self.dev.enter()?;
        // SAFETY: A registered device has operations as long as it is registered.
        let op = unsafe { (*(*live.as_ptr()).ops).mmap }.ok_or(EOPNOTSUPP)?;
        // SAFETY: A valid context, and an area that is being set up.
        to_result(unsafe { op(this.ptr.as_ptr(), vma.as_ptr()) })
    }

    /// Lets the driver see to a fault in what it has mapped.
    pub(crate) fn fault(&self, fault: &Fault<'_>) -> Outcome {
        let (Ok(this), Ok(live)) = (SharedRef::new(self), self.dev.enter()) else {
            return Outcome::SIGBUS;
        };
        // SAFETY: A registered device has operations as long as it is registered.
        let Some(op) = (unsafe { (*(*live.as_ptr()).ops).fault }) else {
            return Outcome::SIGBUS;
        };
        // SAFETY: A valid context, and a fault in a mapping that was made for it.
        Outcome::from_raw(unsafe { op(this.ptr.as_ptr(), fault.as_ptr()) })
    }

    /// Hands a provider's own command to the driver.
    ///
    /// # Errors
    ///
    /// `EIO` when the device is gone, `EINVAL` when the context is freed, or what the driver says.
    pub(crate) fn control(&self, command: &UserCommand, data: ProviderData) -> Result {
        let this = SharedRef::new(self)?;
        let live = self.dev.enter()?;
        let mut raw = b::ubcore_user_ctl {
            uctx: this.ptr.as_ptr(),
            in_: b::ubcore_user_ctl_in {
                addr: command.in_addr,
                len: command.in_len,
                opcode: command.opcode,
            },
            out: b::ubcore_user_ctl_out {
                addr: command.out_addr,
                len: command.out_len,
                reserved: 0,
            },
            udrv_data: data.raw(),
        };
        // SAFETY: A registered device, and a command of our own with a valid context.
        to_result(unsafe { b::ubcore_user_control(live.as_ptr(), &mut raw) })
    }
}

impl Drop for Ucontext {
    fn drop(&mut self) {
        if self.gate.is_dead() {
            return;
        }
        if let Err(e) = self.free() {
            pr_warn_ratelimited!("{}: a context cannot be freed: {:?}\n", self.dev.name(), e);
        }
    }
}

/// For whom a call is made.
#[derive(Clone, Copy)]
pub(crate) struct User<'a> {
    /// The user's context.
    uctx: &'a Arc<Ucontext>,
    /// What the user-space provider passed.
    data: ProviderData,
}

impl<'a> User<'a> {
    /// A user with what its provider passed.
    pub(crate) fn new(uctx: &'a Arc<Ucontext>, data: ProviderData) -> Self {
        Self { uctx, data }
    }

    /// Returns the context.
    pub(super) fn context(&self) -> &'a Arc<Ucontext> {
        self.uctx
    }

    /// Calls `f` with the C structure of a user, whose context the caller has counted a reference
    /// to: so it is not freed meanwhile.
    pub(super) fn with_counted<R>(&self, f: impl FnOnce(*mut b::ubcore_udata) -> R) -> R {
        let mut data = self.data.raw();
        let mut udata = b::ubcore_udata {
            uctx: self.uctx.ptr.as_ptr(),
            udrv_data: &mut data,
        };
        f(&mut udata)
    }

    /// Calls `f` with the C structure of a user, or null.
    ///
    /// # Errors
    ///
    /// `EINVAL` when the context is freed, `EBUSY` while it is being freed.
    pub(super) fn with<R>(
        user: Option<&Self>,
        f: impl FnOnce(*mut b::ubcore_udata) -> R,
    ) -> Result<R> {
        let Some(user) = user else {
            return Ok(f(core::ptr::null_mut()));
        };
        let _uctx = SharedRef::new(&**user.uctx)?;
        Ok(user.with_counted(f))
    }
}
