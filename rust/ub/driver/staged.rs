// SPDX-License-Identifier: GPL-2.0

//! Queues and jettys: objects that come to work in stages.
//!
//! ubcore's pointer is to a [`Shell`]: the C structure, and beside it the [`Queue`] as long as the
//! object is at work. Creation in one step is `alloc` and `active`, destruction is `deactive` and
//! `free`, so that there is one way for a queue to come and one for it to go.

use super::{
    device::UbDevice,
    object::User,
    udata::into_int,
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
        },
        use_wait::UseCount, //
    },
    logic::options::{
        option_spec,
        OptionOwner, //
    },
    ub::common::err_ptr, //
};
use core::{
    cell::UnsafeCell,
    ptr::{
        null_mut,
        NonNull, //
    },
};
use kernel::{
    prelude::*,
    types::Opaque, //
};

/// A queue or jetty at work: the driver's data `T`, and the C structure `C` that ubcore sees.
///
/// The shell holds one count of the [`Arc`] while the object is at work. The driver may hold more,
/// which keep the data; handlers are not called any more then.
///
/// # Invariants
///
/// `raw` is valid until `handlers` is revoked and nobody is inside.
#[pin_data]
pub(crate) struct Queue<C, T> {
    /// What ubcore sees; it writes some of the fields at any time.
    raw: NonNull<C>,
    /// For a table of the driver's.
    link: Link,
    /// Counts calls of handlers; revoked when the object stops working.
    #[pin]
    handlers: UseCount,
    /// The driver's.
    #[pin]
    data: T,
}

// SAFETY: The C structure is used by the rules of the contract, from any thread.
unsafe impl<C, T: Send + Sync> Send for Queue<C, T> {}
// SAFETY: As above.
unsafe impl<C, T: Send + Sync> Sync for Queue<C, T> {}

// SAFETY: A field.
unsafe impl<C: 'static, T: Send + Sync + 'static> Linked for Queue<C, T> {
    fn link(&self) -> &Link {
        &self.link
    }
}

impl<C, T> Queue<C, T> {
    /// Returns the address by which clients know the object: a number, for others.
    pub(crate) fn address(&self) -> usize {
        self.raw.as_ptr().expose_provenance()
    }

    /// Runs `call` unless the object is stopping; the end of its work waits for it.
    pub(super) fn with_handlers(&self, call: impl FnOnce(*mut C)) {
        if let Some(_running) = self.handlers.try_enter() {
            call(self.raw.as_ptr());
        }
    }
}

impl<C, T> core::ops::Deref for Queue<C, T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.data
    }
}

/// The place of a queue that is coming to work.
pub(super) struct Slot<C>(NonNull<C>);

impl<C> Slot<C> {
    /// Makes the queue; `grant` notes in the C structure, which is valid and which nobody but the
    /// counts of its users touches meanwhile, what the user gets.
    ///
    /// # Errors
    ///
    /// `ENOMEM`, or what `data` fails with.
    pub(super) fn fill<T>(
        self,
        data: impl PinInit<T, Error>,
        grant: impl FnOnce(*mut C),
    ) -> Result<Arc<Queue<C, T>>> {
        let queue = Arc::pin_init(
            try_pin_init!(Queue {
                raw: self.0,
                link: Link::new(),
                handlers <- UseCount::new(),
                data <- data,
            }),
            GFP_KERNEL_ACCOUNT,
        )?;
        grant(self.0.as_ptr());
        Ok(queue)
    }
}

/// What ubcore points to.
///
/// # Invariants
///
/// `active` is changed only by the operations `active`, `deactive` and `destroy`, which by the
/// contract exclude each other and all others on the same object.
#[repr(C)]
pub(super) struct Shell<C, T> {
    /// What ubcore sees, at the start.
    raw: Opaque<C>,
    /// The queue while it is at work.
    active: UnsafeCell<Option<Arc<Queue<C, T>>>>,
}

/// Where the fields of a C structure are that all kinds have.
pub(super) struct Fields<Cfg> {
    /// `ub_dev`
    pub(super) ub_dev: *mut *mut bindings_ub::ubcore_device,
    /// `uctx`
    pub(super) uctx: *mut *mut bindings_ub::ubcore_ucontext,
    /// The configuration.
    pub(super) cfg: *mut Cfg,
}

/// A kind of queues, for a driver.
///
/// # Safety
///
/// `fields` must return pointers to the fields that it names.
pub(super) unsafe trait Staged<D: Driver>: 'static {
    /// The C structure.
    type C: Default;
    /// Its configuration.
    type Cfg;
    /// The driver's data.
    type Data: Send + Sync;
    /// The kind, for options.
    const OWNER: OptionOwner;

    /// Returns where the common fields are.
    ///
    /// # Safety
    ///
    /// `raw` must be valid.
    unsafe fn fields(raw: *mut Self::C) -> Fields<Self::Cfg>;

    /// Reads the configuration and lets the driver make the queue.
    ///
    /// # Safety
    ///
    /// `raw` must be valid and complete, `slot` be for it, and all that it refers to be valid during
    /// the call.
    unsafe fn start(
        dev: ArcBorrow<'_, UbDevice<D>>,
        raw: *mut Self::C,
        slot: Slot<Self::C>,
        user: Option<User<'_, D>>,
    ) -> Result<Arc<Queue<Self::C, Self::Data>>>;

    /// Lets the driver destroy the queue.
    fn stop(queue: ArcBorrow<'_, Queue<Self::C, Self::Data>>) -> Result;
}

/// Borrows a queue from C.
///
/// # Errors
///
/// `EINVAL` if it is not at work.
///
/// # Safety
///
/// `raw` must come from [`create`] or [`alloc`] of the same types, and neither stop working nor be
/// freed during `'a`.
pub(super) unsafe fn borrow<'a, C, T>(raw: *mut C) -> Result<ArcBorrow<'a, Queue<C, T>>> {
    // SAFETY: By the function's contract; nobody changes the field meanwhile.
    let active = unsafe { &*(*raw.cast::<Shell<C, T>>()).active.get() };
    Ok(active.as_ref().ok_or(EINVAL)?.as_arc_borrow())
}

/// Makes a shell.
///
/// # Safety
///
/// As for the operation `create`.
unsafe fn new_shell<D: Driver, K: Staged<D>>(
    dev: *mut bindings_ub::ubcore_device,
    cfg: *const K::Cfg,
    udata: *const bindings_ub::ubcore_udata,
) -> Result<*mut K::C> {
    let shell = KBox::new(
        Shell::<K::C, K::Data> {
            raw: Opaque::new(K::C::default()),
            active: UnsafeCell::new(None),
        },
        GFP_KERNEL_ACCOUNT,
    )?;
    let raw = KBox::into_raw(shell).cast::<K::C>();
    // SAFETY: A new structure; `cfg` is valid, `udata` null or valid.
    unsafe {
        let fields = K::fields(raw);
        *fields.ub_dev = dev;
        *fields.uctx = udata.as_ref().map_or(null_mut(), |udata| udata.uctx);
        fields.cfg.copy_from_nonoverlapping(cfg, 1);
    }
    Ok(raw)
}

/// Frees a shell.
///
/// # Safety
///
/// `raw` must be a shell of these types, not at work, and used for the last time.
unsafe fn free_shell<D: Driver, K: Staged<D>>(raw: *mut K::C) {
    // SAFETY: By the function's contract.
    drop(unsafe { KBox::from_raw(raw.cast::<Shell<K::C, K::Data>>()) });
}

/// Puts an object to work.
///
/// # Safety
///
/// As for the operation `active`.
unsafe fn start<D: Driver, K: Staged<D>>(
    raw: *mut K::C,
    udata: *const bindings_ub::ubcore_udata,
) -> Result {
    // SAFETY: A shell of this driver, which nobody else uses.
    let active = unsafe { &mut *(*raw.cast::<Shell<K::C, K::Data>>()).active.get() };
    if active.is_some() {
        return Err(EINVAL);
    }
    // SAFETY: Set when the shell was made: a registered device of this driver.
    let dev = unsafe { UbDevice::<D>::borrow(*K::fields(raw).ub_dev) };
    // SAFETY: Null or valid during the call.
    let user = unsafe { User::from_raw(udata) };
    let slot = Slot(NonNull::new(raw).ok_or(EINVAL)?);
    // SAFETY: ubcore has completed the structure.
    *active = Some(unsafe { K::start(dev, raw, slot, user) }?);
    Ok(())
}

/// Takes an object out of work, after the last call of a handler; nothing to do if it is not.
///
/// # Safety
///
/// As for the operation `deactive`.
unsafe fn stop<D: Driver, K: Staged<D>>(raw: *mut K::C) -> Result {
    // SAFETY: A shell of this driver, which nobody else uses.
    let active = unsafe { &mut *(*raw.cast::<Shell<K::C, K::Data>>()).active.get() };
    if let Some(queue) = active.as_ref() {
        K::stop(queue.as_arc_borrow())?;
        queue.handlers.revoke();
        *active = None;
    }
    Ok(())
}

/// See `ubcore_ops.create_jfc` and so on.
///
/// # Safety
///
/// Called by ubcore, by the contract.
pub(super) unsafe extern "C" fn create<D: Driver, K: Staged<D>>(
    dev: *mut bindings_ub::ubcore_device,
    cfg: *mut K::Cfg,
    udata: *mut bindings_ub::ubcore_udata,
) -> *mut K::C {
    // SAFETY: By the function's contract.
    err_ptr(
        unsafe { new_shell::<D, K>(dev, cfg, udata) }.and_then(|raw| {
            // SAFETY: A new shell.
            match unsafe { start::<D, K>(raw, udata) } {
                Ok(()) => Ok(raw),
                Err(e) => {
                    // SAFETY: As above, for the last time.
                    unsafe { free_shell::<D, K>(raw) };
                    Err(e)
                }
            }
        }),
    )
}

/// See `ubcore_ops.destroy_jfc` and so on.
///
/// # Safety
///
/// Called by ubcore, by the contract.
pub(super) unsafe extern "C" fn destroy<D: Driver, K: Staged<D>>(raw: *mut K::C) -> c_int {
    // SAFETY: By the function's contract.
    if let Err(e) = unsafe { stop::<D, K>(raw) } {
        return e.to_errno();
    }
    // SAFETY: Destroyed once.
    unsafe { free_shell::<D, K>(raw) };
    0
}

/// See `ubcore_ops.alloc_jfc` and so on.
///
/// # Safety
///
/// Called by ubcore, by the contract.
pub(super) unsafe extern "C" fn alloc<D: Driver, K: Staged<D>>(
    dev: *mut bindings_ub::ubcore_device,
    cfg: *mut K::Cfg,
    out: *mut *mut K::C,
    udata: *mut bindings_ub::ubcore_udata,
) -> c_int {
    // SAFETY: By the function's contract.
    match unsafe { new_shell::<D, K>(dev, cfg, udata) } {
        Ok(raw) => {
            // SAFETY: By the function's contract.
            unsafe { out.write(raw) };
            0
        }
        Err(e) => e.to_errno(),
    }
}

/// See `ubcore_ops.active_jfc` and so on.
///
/// # Safety
///
/// Called by ubcore, by the contract.
pub(super) unsafe extern "C" fn active<D: Driver, K: Staged<D>>(
    raw: *mut K::C,
    udata: *mut bindings_ub::ubcore_udata,
) -> c_int {
    // SAFETY: By the function's contract.
    into_int(unsafe { start::<D, K>(raw, udata) })
}

/// See `ubcore_ops.deactive_jfc` and so on.
///
/// # Safety
///
/// Called by ubcore, by the contract.
pub(super) unsafe extern "C" fn deactive<D: Driver, K: Staged<D>>(
    raw: *mut K::C,
    _udata: *mut bindings_ub::ubcore_udata,
) -> c_int {
    // SAFETY: By the function's contract.
    into_int(unsafe { stop::<D, K>(raw) })
}

/// See `ubcore_ops.free_jfc` and so on.
///
/// # Safety
///
/// Called by ubcore, by the contract.
pub(super) unsafe extern "C" fn free<D: Driver, K: Staged<D>>(
    raw: *mut K::C,
    _udata: *mut bindings_ub::ubcore_udata,
) -> c_int {
    // SAFETY: By the function's contract; not at work, but if it is, it ends here too.
    unsafe { destroy::<D, K>(raw) }
}

/// See `ubcore_ops.set_jfc_opt` and so on: says which options the driver follows.
///
/// ubcore keeps the values in the C structure, where `active` reads them.
///
/// # Safety
///
/// Called by ubcore, by the contract.
pub(super) unsafe extern "C" fn set_opt<D: Driver, K: Staged<D>>(
    _raw: *mut K::C,
    opt: u64,
    _buf: *mut c_void,
    _len: u32,
    _udata: *mut bindings_ub::ubcore_udata,
) -> c_int {
    into_int(option_spec(K::OWNER, opt).and_then(|spec| D::check_option(spec.role)))
}

/// See `ubcore_ops.get_jfc_opt` and so on: nothing is kept that ubcore does not keep.
///
/// # Safety
///
/// Called by ubcore, by the contract.
pub(super) unsafe extern "C" fn get_opt<C>(
    _raw: *mut C,
    _opt: u64,
    _buf: *mut c_void,
    _len: u32,
    _udata: *mut bindings_ub::ubcore_udata,
) -> c_int {
    EOPNOTSUPP.to_errno()
}

/// Declares a kind of queues; `start` is its part of [`Staged`].
macro_rules! staged {
    ($kind:ident($raw:ident, $cfg:ident, $field:ident, $data:ident), start $start:ident, stop $stop:ident) => {
        #[doc = concat!("The kind of `struct ", stringify!($raw), "`.")]
        pub(super) enum $kind {}

        // SAFETY: The fields of those names.
        unsafe impl<D: Driver> super::staged::Staged<D> for $kind {
            type C = bindings_ub::$raw;
            type Cfg = bindings_ub::$cfg;
            type Data = D::$data;
            const OWNER: crate::logic::options::OptionOwner =
                crate::logic::options::OptionOwner::$data;

            unsafe fn fields(raw: *mut Self::C) -> super::staged::Fields<Self::Cfg> {
                // SAFETY: By the function's contract.
                unsafe {
                    super::staged::Fields {
                        ub_dev: &raw mut (*raw).ub_dev,
                        uctx: &raw mut (*raw).uctx,
                        cfg: &raw mut (*raw).$field,
                    }
                }
            }

            unsafe fn start(
                dev: ArcBorrow<'_, UbDevice<D>>,
                raw: *mut Self::C,
                slot: super::staged::Slot<Self::C>,
                user: Option<User<'_, D>>,
            ) -> Result<Arc<super::staged::Queue<Self::C, Self::Data>>> {
                // SAFETY: By the function's contract.
                unsafe { $start(dev, raw, slot, user) }
            }

            fn stop(queue: ArcBorrow<'_, super::staged::Queue<Self::C, Self::Data>>) -> Result {
                D::$stop(queue)
            }
        }
    };
}
pub(super) use staged;

/// Returns the number that is wanted: that of the option if it is set, else that of the
/// configuration, 0 for any.
macro_rules! wanted_id {
    ($opt:expr, $mask:ident, $id:ident, $configured:expr) => {
        match crate::logic::options::ID_MASK & *$opt.$mask.value.as_ref() {
            0 => $configured,
            _ => $opt.$id,
        }
    };
}
pub(super) use wanted_id;
