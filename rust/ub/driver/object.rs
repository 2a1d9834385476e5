// SPDX-License-Identifier: GPL-2.0

//! Objects that a driver allocates and ubcore refers to: a C structure and the driver's own data in
//! one allocation.

use super::{
    device::UbDevice,
    ucontext::Ucontext,
    udata::Udata,
    Driver, //
};
use crate::{
    bindings_ub,
    kernel_ext::{
        arc::{
            Arc,
            ArcBorrow, //
        },
        id_map::{
            Link,
            Linked, //
        }, //
    }, //
};
use core::ptr::null_mut;
use kernel::{
    prelude::*,
    types::Opaque, //
};

/// A C structure `C` of the contract and the driver's data `T`.
///
/// ubcore holds one count of the [`Arc`] from the create to the destroy operation, as the pointer to
/// `C`. The driver may hold more, which keep the memory; ubcore does not use it any more then.
#[pin_data]
#[repr(C)]
pub(crate) struct Object<C, T> {
    /// What ubcore sees; it writes some of the fields at any time.
    #[pin]
    raw: Opaque<C>,
    /// For a table of the driver's.
    link: Link,
    /// The driver's.
    #[pin]
    data: T,
}

// SAFETY: The C part is used by the rules of the contract, from any thread.
unsafe impl<C, T: Send + Sync> Send for Object<C, T> {}
// SAFETY: As above.
unsafe impl<C, T: Send + Sync> Sync for Object<C, T> {}

// SAFETY: A field.
unsafe impl<C: 'static, T: Send + Sync + 'static> Linked for Object<C, T> {
    fn link(&self) -> &Link {
        &self.link
    }
}

impl<C, T> Object<C, T> {
    /// Allocates an object.
    pub(super) fn alloc(raw: C, data: impl PinInit<T, Error>) -> Result<Arc<Self>> {
        Self::make(Opaque::new(raw), data)
    }

    /// Allocates an object; `fill` gets the C part, which is zeros. All of it is made in its place.
    #[inline(always)]
    pub(super) fn alloc_with(
        fill: impl FnOnce(&mut C),
        data: impl PinInit<T, Error>,
    ) -> Result<Arc<Self>>
    where
        C: Default,
    {
        // SAFETY: `slot` is valid for writing.
        let raw = Opaque::ffi_init(|slot: *mut C| unsafe {
            slot.write(C::default());
            fill(&mut *slot);
        });
        Self::make(raw, data)
    }

    /// Allocates an object.
    #[inline(always)]
    fn make(raw: impl PinInit<Opaque<C>>, data: impl PinInit<T, Error>) -> Result<Arc<Self>> {
        Arc::pin_init(
            try_pin_init!(Self {
                raw <- raw,
                link: Link::new(),
                data <- data,
            }),
            GFP_KERNEL_ACCOUNT,
        )
    }

    /// Returns the C part.
    pub(super) fn raw(&self) -> *mut C {
        self.raw.get()
    }

    /// Gives a count to C.
    pub(super) fn into_raw(this: Arc<Self>) -> *mut C {
        // The C part is at the start of the object.
        Arc::into_raw(this).cast_mut().cast()
    }

    /// Takes back the count that [`Self::into_raw`] gave away.
    ///
    /// # Safety
    ///
    /// `raw` must come from [`Self::into_raw`] of the same type, once only.
    pub(super) unsafe fn release(raw: *mut C) {
        // SAFETY: By the function's contract.
        drop(unsafe { Arc::from_raw(raw.cast_const().cast::<Self>()) });
    }

    /// Borrows an object from C.
    ///
    /// # Safety
    ///
    /// `raw` must come from [`Self::into_raw`] of the same type, and must not be released during
    /// `'a`.
    pub(super) unsafe fn borrow<'a>(raw: *mut C) -> ArcBorrow<'a, Self> {
        // SAFETY: By the function's contract.
        unsafe { ArcBorrow::from_raw(raw.cast_const().cast::<Self>()) }
    }
}

impl<C, T> core::ops::Deref for Object<C, T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.data
    }
}

/// The user on whose behalf an operation runs; a kernel client has none.
pub(crate) struct User<'a, D: Driver> {
    /// Its context.
    pub(crate) uctx: ArcBorrow<'a, Ucontext<D>>,
    /// What its provider passed.
    pub(crate) udata: Udata<'a>,
}

impl<D: Driver> User<'_, D> {
    /// Reads the caller of an operation; `None` for a kernel client.
    ///
    /// # Safety
    ///
    /// `raw` must be null or valid during `'a`, and its context one of this driver.
    pub(super) unsafe fn from_raw<'a>(
        raw: *const bindings_ub::ubcore_udata,
    ) -> Option<User<'a, D>> {
        if raw.is_null() {
            return None;
        }
        // SAFETY: Valid by the function's contract.
        let (uctx, udrv) = unsafe { ((*raw).uctx, (*raw).udrv_data) };
        if uctx.is_null() {
            return None;
        }
        Some(User {
            // SAFETY: By the function's contract; ubcore frees a context after its objects.
            uctx: unsafe { Object::borrow(uctx) },
            // SAFETY: Null, or valid as long as `raw` is.
            udata: unsafe { Udata::from_raw(udrv) },
        })
    }
}

/// Whose object one will be: what ubcore would set too, but later.
pub(super) struct Origin {
    /// The device.
    pub(super) dev: *mut bindings_ub::ubcore_device,
    /// The context, null for a kernel client.
    pub(super) uctx: *mut bindings_ub::ubcore_ucontext,
}

impl Origin {
    /// Tells it for an operation of `user` on `dev`.
    pub(super) fn new<D: Driver>(
        dev: ArcBorrow<'_, UbDevice<D>>,
        user: &Option<User<'_, D>>,
    ) -> Self {
        Self {
            dev: dev.raw(),
            uctx: user.as_ref().map_or(null_mut(), |user| user.uctx.raw()),
        }
    }
}
