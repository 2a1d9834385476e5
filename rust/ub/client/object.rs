// SPDX-License-Identifier: GPL-2.0

//! Objects that ubcore makes for a client.

use super::{
    batch::Stopped,
    charge::Charge,
    device::{
        Device,
        Live, //
    },
    event::HandlerRef,
    pending::Pending,
    ucontext::{
        Ucontext,
        User, //
    },
};
use crate::{
    bindings_ub as b,
    kernel_ext::arc::Arc,
    logic::use_count::{
        Counted,
        ExclusiveRef,
        SharedRef,
        UseCount, //
    },
    ub::common::{
        check,
        object_ptr, //
    }, //
};
use core::ptr::NonNull;
use kernel::{
    alloc::KVVec,
    error::to_result,
    prelude::*, //
};

/// A kind of object.
pub(crate) trait Kind: Sized + 'static {
    /// The C type.
    type Raw;
    /// Name of the kind, for messages.
    const NAME: &'static str;

    /// Destroys an object; a non-zero result says that nothing changed.
    ///
    /// # Safety
    ///
    /// `ptr` must be an object of this kind, whose device is registered, and which nobody uses
    /// during the call, or after it if it succeeds.
    unsafe fn destroy(ptr: *mut Self::Raw) -> c_int;
}

/// Whose an object is.
enum Owner {
    /// A kernel client's, on this device.
    Kernel(Arc<Device>),
    /// A user's, and what that user pays; the object is counted in the context until it is
    /// destroyed.
    User(Arc<Ucontext>, Charge),
}

impl Owner {
    /// Counts and charges an object.
    fn new(dev: &Arc<Device>, user: Option<&User<'_>>, live: &Live<'_>) -> Result<Self> {
        let Some(user) = user else {
            return Ok(Self::Kernel(dev.clone()));
        };
        let uctx = user.context();
        if !Arc::ptr_eq(uctx.device(), dev) {
            return Err(EINVAL);
        }
        uctx.use_count().add_reference()?;
        match Charge::new(live) {
            Ok(charge) => Ok(Self::User(uctx.clone(), charge)),
            Err(e) => {
                uctx.use_count().drop_reference();
                Err(e)
            }
        }
    }

    /// Says that the object is gone; once.
    fn gone(&self, live: &Live<'_>) {
        if let Self::User(uctx, charge) = self {
            charge.give_back(live);
            uctx.use_count().drop_reference();
        }
    }

    /// Returns the device.
    fn device(&self) -> &Arc<Device> {
        match self {
            Self::Kernel(dev) => dev,
            Self::User(uctx, _) => uctx.device(),
        }
    }
}

/// An object of a device; see [`super`].
///
/// # Invariants
///
/// `ptr` is a valid object as long as `gate` is not dead and its device is registered.
pub(crate) struct Object<K: Kind> {
    /// The object.
    ptr: NonNull<K::Raw>,
    /// Whose it is, and of which device.
    owner: Owner,
    /// Calls in progress, and whether it is destroyed.
    gate: UseCount,
    /// The request that makes it, if it goes on after its creation.
    pending: Option<Arc<Pending>>,
    /// Who gets its events. Dropped with the object: the callbacks use it until the destroy.
    _handler: Option<HandlerRef>,
}

// SAFETY: The functions of ubcore that take an object may be called by any thread.
unsafe impl<K: Kind> Send for Object<K> {}
// SAFETY: As above, and at the same time but for the destroy, which `gate` sees to.
unsafe impl<K: Kind> Sync for Object<K> {}

impl<K: Kind> Counted for Object<K> {
    fn use_count(&self) -> &UseCount {
        &self.gate
    }
}

/// Proof that an object and its device are valid.
pub(super) struct Entered<'a, K: Kind> {
    /// The object.
    object: SharedRef<&'a Object<K>>,
    /// Its device.
    live: Live<'a>,
}

impl<K: Kind> Entered<'_, K> {
    /// Returns the object, valid as long as `self`.
    pub(super) fn as_ptr(&self) -> *mut K::Raw {
        self.object.ptr.as_ptr()
    }

    /// Returns the device, valid as long as `self`.
    pub(super) fn device(&self) -> *mut b::ubcore_device {
        self.live.as_ptr()
    }
}

impl<K: Kind> Object<K> {
    /// Makes an object.
    ///
    /// `make` gets the device and the user, null for a kernel client, both valid for the call.
    ///
    /// # Errors
    ///
    /// `EIO` when the device is gone, `EINVAL` when the context is freed, or the error of `make`.
    ///
    /// # Safety
    ///
    /// `make` must return a new object of this kind, or an error as C functions do.
    pub(super) unsafe fn create(
        dev: &Arc<Device>,
        user: Option<&User<'_>>,
        handler: Option<HandlerRef>,
        make: impl FnOnce(*mut b::ubcore_device, *mut b::ubcore_udata) -> *mut K::Raw,
    ) -> Result<Self> {
        let live = dev.enter()?;
        let owner = Owner::new(dev, user, &live)?;
        let make = |udata| make(live.as_ptr(), udata);
        let made = match user {
            None => make(core::ptr::null_mut()),
            // Counted above.
            Some(user) => user.with_counted(make),
        };
        match object_ptr(made) {
            // INVARIANT: By the contract of `make`.
            Ok(ptr) => Ok(Self {
                ptr,
                owner,
                gate: UseCount::new(),
                pending: None,
                _handler: handler,
            }),
            Err(e) => {
                owner.gone(&live);
                Err(e)
            }
        }
    }

    /// Says that a request goes on that makes the object.
    pub(super) fn with_pending(mut self, pending: Arc<Pending>) -> Self {
        self.pending = Some(pending);
        self
    }

    /// Enters a call.
    ///
    /// # Errors
    ///
    /// `EINVAL` when the object is destroyed, `EBUSY` while it is being destroyed, `EIO` when the
    /// device is gone.
    pub(super) fn enter(&self) -> Result<Entered<'_, K>> {
        Ok(Entered {
            object: SharedRef::new(self)?,
            live: self.device().enter()?,
        })
    }

    /// Makes a call that excludes all others on the object.
    ///
    /// # Errors
    ///
    /// `EINVAL` when the object is destroyed, `EBUSY` while it is in use, `EIO` when the device is
    /// gone, or the error that the call returns as a number.
    pub(super) fn change(
        &self,
        user: Option<&User<'_>>,
        call: impl FnOnce(*mut K::Raw, *mut b::ubcore_udata) -> c_int,
    ) -> Result {
        let _exclusive = ExclusiveRef::new(self)?;
        let _live = self.device().enter()?;
        to_result(User::with(user, |udata| call(self.ptr.as_ptr(), udata))?)
    }

    /// Returns the device.
    pub(crate) fn device(&self) -> &Arc<Device> {
        self.owner.device()
    }

    /// Destroys the object; its handler is not called any more on return. Waits for a request that
    /// makes it.
    ///
    /// # Errors
    ///
    /// `EINVAL` when it is destroyed already, `EBUSY` while it is in use, `EIO` when the device is
    /// gone, or the error of ubcore or the driver; then nothing has changed.
    pub(crate) fn destroy(&self) -> Result {
        if let Some(pending) = &self.pending {
            pending.wait();
        }
        let exclusive = ExclusiveRef::new(self)?;
        let live = self.device().enter()?;
        // SAFETY: By the type's invariant; nobody else is in a call, nor will be after success.
        check(unsafe { K::destroy(self.ptr.as_ptr()) })?;
        exclusive.kill();
        self.owner.gone(&live);
        Ok(())
    }
}

impl<K: Kind> Object<K> {
    /// Destroys many objects: `destroy` gets them, and says how many are gone.
    pub(super) fn destroy_many(
        objects: &[&Self],
        destroy: impl FnOnce(&mut [*mut K::Raw]) -> Result<(), Stopped>,
    ) -> Result<(), Stopped> {
        let first = objects.first().ok_or(EINVAL)?;
        let mut exclusive = KVVec::with_capacity(objects.len(), GFP_KERNEL).map_err(Error::from)?;
        let mut list = KVVec::with_capacity(objects.len(), GFP_KERNEL).map_err(Error::from)?;
        for object in objects {
            if !Arc::ptr_eq(object.device(), first.device()) {
                return Err(EINVAL.into());
            }
            exclusive
                .push(ExclusiveRef::new(*object)?, GFP_KERNEL)
                .map_err(Error::from)?;
            list.push(object.ptr.as_ptr(), GFP_KERNEL)
                .map_err(Error::from)?;
        }
        let live = first.device().enter()?;
        let result = destroy(&mut list);
        let done = match &result {
            Ok(()) => objects.len(),
            Err(stopped) => stopped.done,
        };
        for exclusive in exclusive.into_iter().take(done) {
            let object = *exclusive.pointer();
            exclusive.kill();
            object.owner.gone(&live);
        }
        result
    }
}

impl<K: Kind> Drop for Object<K> {
    fn drop(&mut self) {
        if self.gate.is_dead() {
            return;
        }
        if let Err(e) = self.destroy() {
            pr_warn_ratelimited!(
                "{}: a {} cannot be destroyed: {:?}\n",
                self.device().name(),
                K::NAME,
                e
            );
            // The callbacks of what stays alive still use the handler.
            core::mem::forget(self._handler.take());
        }
    }
}
