// SPDX-License-Identifier: GPL-2.0

//! Objects that drivers allocate and clients own, as the core uses them.
//!
//! A [`Kind`] is a C type together with the way to destroy its objects; [`Obj`] is a reference to
//! an object, [`Owned`] the right to destroy one.

use super::{
    device_ptr::device,
    kinds::{
        JettyGroup,
        Jfc,
        Jfr, //
    },
    user::{
        Ucontext,
        User, //
    },
};
use crate::{
    bindings_ub::{
        ubcore_device,
        ubcore_ops,
        ubcore_ucontext, //
    },
    counters::Class,
    device::Device,
    table::IdTable,
    ub::common::check,
    uses::Uses, //
};
use core::{
    ops::Deref,
    ptr::NonNull, //
};
use kernel::{
    bindings,
    prelude::*,
    sync::{
        atomic::{
            Acquire,
            Atomic,
            Full,
            Release, //
        }, //
    },
    types::Opaque,
};

/// The operation of a driver that destroys an object.
pub(super) type DestroyFn<C> = Option<unsafe extern "C" fn(*mut C) -> c_int>;

/// A kind of objects.
///
/// # Safety
///
/// The functions must return pointers to the fields that they name, and `destroy_op` the operation
/// that destroys objects of this kind.
pub(crate) unsafe trait Kind: 'static {
    /// The C type.
    type C;
    /// What the objects are counted as.
    const CLASS: Class;

    /// Returns where `ub_dev`, `uctx` and the value of `use_cnt` are.
    ///
    /// # Safety
    ///
    /// `this` must be valid.
    unsafe fn fields(this: *mut Self::C) -> Fields;

    /// Returns how a driver destroys such an object.
    fn destroy_op(ops: &ubcore_ops) -> DestroyFn<Self::C>;

    /// Returns what an object is built on, beside device and context.
    ///
    /// # Safety
    ///
    /// `this` must be valid and initialised.
    unsafe fn parents(_this: *mut Self::C) -> Parents {
        Parents::default()
    }

    /// Takes an object out of what knows it, when it is about to be destroyed.
    fn leave(_object: &Obj<Self>)
    where
        Self: Sized,
    {
    }

    /// Undoes [`Self::leave`]: the driver has not destroyed the object.
    fn rejoin(_object: &Obj<Self>)
    where
        Self: Sized,
    {
    }
}

/// Where the fields are that all kinds of objects have.
pub(crate) struct Fields {
    /// `ub_dev`
    pub(super) ub_dev: *mut *mut ubcore_device,
    /// `uctx`
    pub(super) uctx: *mut *mut ubcore_ucontext,
    /// The value of `use_cnt`.
    pub(super) use_cnt: *mut c_int,
}

/// A kind of objects that have a number on their device.
///
/// # Safety
///
/// As for [`Kind`].
pub(crate) unsafe trait Queue: Kind {
    /// Returns where the number, the value of `ref_cnt`, and `comp` are.
    ///
    /// # Safety
    ///
    /// `this` must be valid.
    unsafe fn names(this: *mut Self::C) -> Names;

    /// Returns the table of such objects.
    fn table(dev: &Device) -> &IdTable<Self>
    where
        Self: Sized;
}

/// Where the fields are that all [`Queue`]s have.
pub(crate) struct Names {
    /// The number.
    pub(super) id: *mut u32,
    /// The value of `ref_cnt`.
    pub(super) refs: *mut c_int,
    /// `comp`
    pub(super) comp: *mut bindings::completion,
    /// `is_actived`
    pub(super) active: *mut bool,
}

/// Implements [`Kind`], and [`Queue`] for a kind with a number.
macro_rules! kind {
    (
        $kind:ident: $c:ident, $class:ident, destroy $op:ident
        $(, parents |$p:ident| $parents:expr)?
        $(, leave $leave:path, rejoin $rejoin:path)?
    ) => {
        // SAFETY: The fields and the operation of those names.
        unsafe impl $crate::c_api::object::Kind for $kind {
            type C = $crate::bindings_ub::$c;
            const CLASS: $crate::counters::Class = $crate::counters::Class::$class;

            unsafe fn fields(this: *mut Self::C) -> $crate::c_api::object::Fields {
                // SAFETY: By the function's contract.
                unsafe {
                    $crate::c_api::object::Fields {
                        ub_dev: &raw mut (*this).ub_dev,
                        uctx: &raw mut (*this).uctx,
                        use_cnt: &raw mut (*this).use_cnt.counter,
                    }
                }
            }

            fn destroy_op(
                ops: &$crate::bindings_ub::ubcore_ops,
            ) -> $crate::c_api::object::DestroyFn<Self::C> {
                ops.$op
            }

            $(
                unsafe fn parents($p: *mut Self::C) -> $crate::c_api::object::Parents {
                    // SAFETY: By the function's contract.
                    unsafe { $parents }
                }
            )?

            $(
                fn leave(object: &$crate::c_api::object::Obj<Self>) {
                    $leave(object);
                }

                fn rejoin(object: &$crate::c_api::object::Obj<Self>) {
                    $rejoin(object);
                }
            )?
        }
    };
    (queue $kind:ident, id $($id:ident).+, opt $opt:ident, table $table:ident) => {
        // SAFETY: The fields of those names.
        unsafe impl $crate::c_api::object::Queue for $kind {
            unsafe fn names(this: *mut Self::C) -> $crate::c_api::object::Names {
                // SAFETY: By the function's contract.
                unsafe {
                    $crate::c_api::object::Names {
                        id: &raw mut (*this).$($id).+,
                        refs: &raw mut (*this).ref_cnt.refcount.refs.counter,
                        comp: &raw mut (*this).comp,
                        active: &raw mut (*this).$opt.is_actived,
                    }
                }
            }

            fn table(dev: &$crate::device::Device) -> &$crate::table::IdTable<Self> {
                dev.$table()
            }
        }
    };
}
pub(super) use kind;

/// A reference to an object.
#[repr(transparent)]
pub(crate) struct Obj<K: Kind>(Opaque<K::C>);

// SAFETY: Fields that change are atomic, or changed by whoever claimed the object.
unsafe impl<K: Kind> Send for Obj<K> {}
// SAFETY: As above.
unsafe impl<K: Kind> Sync for Obj<K> {}

impl<K: Kind> Obj<K> {
    /// Borrows an object; `None` for a null pointer.
    ///
    /// # Safety
    ///
    /// `object` must be null or valid during `'a`.
    pub(super) unsafe fn from_raw<'a>(object: *mut K::C) -> Option<&'a Self> {
        // SAFETY: By the function's contract; the type is transparent.
        unsafe { object.cast::<Self>().as_ref() }
    }

    /// Returns the pointer.
    pub(crate) fn as_ptr(&self) -> *mut K::C {
        self.0.get()
    }

    /// Returns the device that the object is of.
    pub(crate) fn device(&self) -> Result<&Device> {
        // SAFETY: Valid; set when the object was made, and the device outlives it.
        unsafe { device(*K::fields(self.as_ptr()).ub_dev) }
    }

    /// Returns the context of the user that the object belongs to.
    pub(crate) fn uctx(&self) -> Option<&Ucontext> {
        // SAFETY: Valid; set when the object was made, and the context outlives it.
        unsafe { Ucontext::from_raw(*K::fields(self.as_ptr()).uctx) }
    }

    /// Tells whether the object is of a device and belongs to the same user, or kernel client.
    pub(crate) fn belongs_to(&self, dev: &Device, user: User<'_>) -> bool {
        // SAFETY: Valid; set when the object was made.
        let (ub_dev, uctx) = unsafe {
            let fields = K::fields(self.as_ptr());
            (*fields.ub_dev, *fields.uctx)
        };
        ub_dev == dev.c().as_ptr() && uctx == user.uctx_ptr()
    }

    /// Tells whether both objects are of the same device, and belong to the same user or to kernel
    /// clients.
    pub(crate) fn has_owner_of<O: Kind>(&self, other: &Obj<O>) -> bool {
        // SAFETY: Both are valid; set when the objects were made.
        unsafe {
            let (own, other) = (K::fields(self.as_ptr()), O::fields(other.as_ptr()));
            *own.ub_dev == *other.ub_dev && *own.uctx == *other.uctx
        }
    }

    /// Returns the use count.
    pub(crate) fn uses(&self) -> Uses<'_> {
        // SAFETY: Valid; all accesses are atomic.
        Uses::new(unsafe { Atomic::from_ptr(K::fields(self.as_ptr()).use_cnt) })
    }

    /// Returns what the object is built on.
    pub(crate) fn parents(&self) -> Parents {
        // SAFETY: A valid object that is initialised.
        unsafe { K::parents(self.as_ptr()) }
    }
}

impl<K: Queue> Obj<K> {
    /// Returns where the named fields are.
    fn names(&self) -> Names {
        // SAFETY: Valid.
        unsafe { K::names(self.as_ptr()) }
    }

    /// Returns the number of the object on its device.
    pub(crate) fn id(&self) -> u32 {
        // SAFETY: Valid; set by the driver when it made the object.
        unsafe { *self.names().id }
    }

    /// Returns the number of references by number.
    fn refs(&self) -> &Atomic<i32> {
        // SAFETY: Valid; all accesses are atomic.
        unsafe { Atomic::from_ptr(self.names().refs) }
    }

    /// Returns whether it is at work, as a word that may change at any time.
    fn active(&self) -> &Atomic<bool> {
        // SAFETY: Valid; all accesses of the core are atomic.
        unsafe { Atomic::from_ptr(self.names().active) }
    }

    /// Tells whether the object is at work.
    pub(crate) fn is_active(&self) -> bool {
        self.active().load(Acquire)
    }

    /// Says whether the object is at work; for who claimed it.
    pub(crate) fn set_active(&self, active: bool) {
        self.active().store(active, Release);
    }

    /// Gives the object its first reference, before it can be found by number.
    pub(crate) fn init_refs(&self) {
        // SAFETY: Valid, and nobody waits for it.
        unsafe { bindings::init_completion(self.names().comp) };
        self.refs().store(1, Release);
    }

    /// Takes a reference; the caller sees to it that there is one.
    pub(crate) fn get(&self) {
        self.refs().fetch_add(1, Full);
    }

    /// Gives a reference back.
    pub(crate) fn put(&self) {
        let comp = self.names().comp;
        if self.refs().fetch_sub(1, Full) == 1 {
            // SAFETY: Initialised; whoever waits takes the lock of the completion.
            unsafe { bindings::complete(comp) };
        }
    }

    /// Gives the first reference back and waits for all others.
    pub(crate) fn put_and_wait(&self) {
        self.put();
        // SAFETY: Initialised by `init_refs()`.
        unsafe { bindings::wait_for_completion(self.names().comp) };
    }
}

/// A pointer to an object in a table.
///
/// # Invariants
///
/// The object is valid as long as the pointer is in the table.
pub(crate) struct ObjPtr<K: Kind>(NonNull<Obj<K>>);

// SAFETY: Like a reference to something that is `Sync`.
unsafe impl<K: Kind> Send for ObjPtr<K> {}
// SAFETY: As above.
unsafe impl<K: Kind> Sync for ObjPtr<K> {}

impl<K: Kind> ObjPtr<K> {
    /// Points to an object that stays valid until the pointer has been taken out of the table.
    pub(crate) fn new(object: &Obj<K>) -> Self {
        Self(NonNull::from(object))
    }
}

impl<K: Kind> Deref for ObjPtr<K> {
    type Target = Obj<K>;

    fn deref(&self) -> &Obj<K> {
        // SAFETY: By the type invariant.
        unsafe { self.0.as_ref() }
    }
}

/// The right to destroy an object, which the client has and lends to a call.
pub(crate) struct Owned<K: Kind>(ObjPtr<K>);

impl<K: Kind> Owned<K> {
    /// Takes an object that a client passes for destruction.
    ///
    /// # Errors
    ///
    /// `EINVAL` for a null pointer.
    ///
    /// # Safety
    ///
    /// `object` must be null or valid, and used by nobody else but through its counts.
    pub(super) unsafe fn from_raw(object: *mut K::C) -> Result<Self> {
        // SAFETY: By the function's contract.
        let object = unsafe { Obj::<K>::from_raw(object) }.ok_or(EINVAL)?;
        Ok(Self(ObjPtr::new(object)))
    }

    /// Takes what a driver's operation returned, and notes whose it is.
    ///
    /// # Errors
    ///
    /// The driver's; `EINVAL` for a null pointer.
    ///
    /// # Safety
    ///
    /// `object` must be a new object of the device, null, or an `ERR_PTR()`.
    pub(super) unsafe fn from_driver(
        object: *mut K::C,
        dev: &Device,
        user: User<'_>,
    ) -> Result<Self> {
        let object = crate::ub::common::object_ptr(object)?;
        // SAFETY: By the function's contract; nobody else has it yet.
        unsafe {
            let fields = K::fields(object.as_ptr());
            *fields.ub_dev = dev.c().as_ptr();
            *fields.uctx = user.uctx_ptr();
            *fields.use_cnt = 0;
            Self::from_raw(object.as_ptr())
        }
    }

    /// Gives the object to the client.
    pub(super) fn into_raw(self) -> *mut K::C {
        self.0.as_ptr()
    }

    /// Lets the driver destroy the object; gives it back if it does not.
    pub(crate) fn destroy(self) -> Result<(), (Self, Error)> {
        let destroy = || {
            let op = K::destroy_op(self.device()?.ops()).ok_or(EINVAL)?;
            // SAFETY: The operation for this kind of object, which belongs to us.
            check(unsafe { op(self.as_ptr()) })
        };
        destroy().map_err(|error| (self, error))
    }

    /// Lets the driver destroy an object that did not come to life.
    pub(crate) fn discard(self) {
        if let Err((_, error)) = self.destroy() {
            pr_warn_ratelimited!("driver refuses to destroy a new object: {error:?}\n");
        }
    }
}

impl<K: Kind> Deref for Owned<K> {
    type Target = Obj<K>;

    fn deref(&self) -> &Obj<K> {
        &self.0
    }
}

/// What an object is built on and counted as a user of.
#[derive(Default)]
pub(crate) struct Parents {
    /// Completion queues.
    pub(super) jfcs: [Option<NonNull<Obj<Jfc>>>; 2],
    /// A receive queue.
    pub(super) jfr: Option<NonNull<Obj<Jfr>>>,
    /// A jetty group.
    pub(super) group: Option<NonNull<Obj<JettyGroup>>>,
}

impl Parents {
    /// Tells whether all of it is at work; it stays so as long as it is used.
    pub(crate) fn are_active(&self) -> bool {
        // SAFETY: The uses keep it.
        let jfc = |jfc: &NonNull<Obj<Jfc>>| unsafe { jfc.as_ref() }.is_active();
        self.jfcs.iter().flatten().all(jfc) && self.jfr().is_none_or(Obj::is_active)
    }

    /// Returns the receive queue.
    pub(crate) fn jfr(&self) -> Option<&Obj<Jfr>> {
        // SAFETY: The use keeps it.
        self.jfr.as_ref().map(|jfr| unsafe { jfr.as_ref() })
    }

    /// Ends the uses, once the object is gone.
    pub(crate) fn release(self) {
        for jfc in self.jfcs.into_iter().flatten() {
            // SAFETY: The use that ends here keeps it.
            unsafe { jfc.as_ref() }.uses().release();
        }
        if let Some(jfr) = self.jfr {
            // SAFETY: As above.
            unsafe { jfr.as_ref() }.uses().release();
        }
        if let Some(group) = self.group {
            // SAFETY: As above.
            unsafe { group.as_ref() }.uses().release();
        }
    }
}

/// Makes an entry of [`Parents`].
///
/// # Safety
///
/// `object` must be null or valid as long as the use of it is counted.
pub(super) unsafe fn parent<K: Kind>(object: *mut K::C) -> Option<NonNull<Obj<K>>> {
    NonNull::new(object.cast())
}
