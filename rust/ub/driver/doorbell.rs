// SPDX-License-Identifier: GPL-2.0

//! Doorbells: files by which a user process rings at a driver. They belong to ubcore and keep
//! nothing of the driver alive.

use crate::{
    bindings_ub,
    kernel_ext::arc::{
        Arc,
        ArcBorrow, //
    },
    ub::common::object_ptr, //
};
use core::{
    marker::PhantomData,
    ptr::NonNull, //
};
use kernel::prelude::*;

/// What happens when a user rings.
pub(crate) trait Ring: Sized + Send + Sync + 'static {
    /// Called in the user's context; may sleep. `cmd` is the ioctl number, `arg` its argument.
    fn ring(this: ArcBorrow<'_, Self>, cmd: u32, arg: u64) -> Result<isize>;
}

/// A doorbell; drop revokes it and waits for rings in progress.
pub(crate) struct Doorbell<T: Ring> {
    /// Valid until drop.
    raw: NonNull<bindings_ub::ubcore_doorbell>,
    /// From [`Arc::into_raw`]; the doorbell owns this count.
    target: *const T,
    _owns: PhantomData<Arc<T>>,
}

// SAFETY: The functions of ubcore may be called from any thread, and `T` is `Send + Sync`.
unsafe impl<T: Ring> Send for Doorbell<T> {}
// SAFETY: As above.
unsafe impl<T: Ring> Sync for Doorbell<T> {}

impl<T: Ring> Doorbell<T> {
    const OPS: bindings_ub::ubcore_doorbell_ops = bindings_ub::ubcore_doorbell_ops {
        ring: Some(Self::ring),
    };

    /// Makes a doorbell that nobody can use yet, and tells the file descriptor that it will have in
    /// the calling process.
    ///
    /// # Errors
    ///
    /// `EMFILE`, `ENFILE`, `ENOMEM`.
    pub(crate) fn create(target: Arc<T>) -> Result<(Self, i32)> {
        let mut fd = -1;
        let ptr = Arc::into_raw(target);
        // SAFETY: The operations are static. `ptr` is valid until the doorbell is revoked.
        let raw = object_ptr(unsafe {
            bindings_ub::ubcore_create_doorbell(&Self::OPS, ptr.cast_mut().cast(), &mut fd)
        });
        match raw {
            Ok(raw) => Ok((
                Self {
                    raw,
                    target: ptr,
                    _owns: PhantomData,
                },
                fd,
            )),
            Err(e) => {
                // SAFETY: The count was not given away after all.
                drop(unsafe { Arc::from_raw(ptr) });
                Err(e)
            }
        }
    }

    /// Lets the calling process, which must be the one that created the doorbell, use it. Cannot
    /// fail; to be called once.
    pub(crate) fn publish(&self) {
        // SAFETY: Valid until drop.
        unsafe { bindings_ub::ubcore_publish_doorbell(self.raw.as_ptr()) };
    }

    /// See `ubcore_doorbell_ops.ring`.
    ///
    /// # Safety
    ///
    /// `target` must be a `T` in an [`Arc`] that the caller keeps.
    unsafe extern "C" fn ring(target: *mut c_void, cmd: c_uint, arg: u64) -> c_long {
        // SAFETY: By the function's contract.
        let target = unsafe { ArcBorrow::from_raw(target.cast_const().cast::<T>()) };
        match T::ring(target, cmd, arg) {
            Ok(ret) => ret,
            // CAST: Widens.
            Err(e) => e.to_errno() as c_long,
        }
    }
}

impl<T: Ring> Drop for Doorbell<T> {
    fn drop(&mut self) {
        // SAFETY: Valid until here, and revoked once.
        unsafe { bindings_ub::ubcore_revoke_doorbell(self.raw.as_ptr()) };
        // SAFETY: From `Arc::into_raw`; no ring uses it any more.
        drop(unsafe { Arc::from_raw(self.target) });
    }
}
