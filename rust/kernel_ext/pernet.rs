// SPDX-License-Identifier: GPL-2.0

//! Following network namespaces as they come and go.
//!
//! C header: [`include/net/net_namespace.h`](srctree/include/net/net_namespace.h)

use super::{
    arc::Arc,
    netns::{
        Net,
        NetId, //
    }, //
};
use core::marker::PhantomData;
use kernel::{
    bindings,
    error::{
        from_result,
        to_result, //
    },
    prelude::*,
    sync::atomic::{
        Acquire,
        Atomic,
        Full,
        Release, //
    },
    types::Opaque, //
};

/// What is to happen when a network namespace comes or goes.
///
/// The functions run one at a time, and may sleep. They must not wait for anything that makes or
/// removes network namespaces, or registers such hooks.
pub(crate) trait NetHooks: Send + Sync + Sized + 'static {
    /// Returns the table of hooks: `pernet_hooks!(Type)`.
    ///
    /// No constant: it changes, and constants must not refer to what does, up to Rust 1.85.
    fn table() -> &'static PernetTable<Self>;

    /// Called for each namespace that exists at registration, and for each new one.
    fn net_init(&self, net: &Net) -> Result;

    /// Called when a namespace goes, and at the end of the registration for each that is still
    /// there: whatever belongs to it is to go.
    ///
    /// The initial namespace is among the latter only.
    fn net_exit(&self, net: NetId);
}

/// A `struct pernet_operations` that leads to an `H`, for a `static`.
///
/// The kernel passes no pointer to the hooks, so that they are found here while registered.
pub(crate) struct PernetTable<H> {
    ops: Opaque<bindings::pernet_operations>,
    /// `*const H`; null unless registered.
    hooks: Atomic<usize>,
    _hooks: PhantomData<Arc<H>>,
}

// SAFETY: The kernel protects `ops` by its own lock.
unsafe impl<H: Send + Sync> Sync for PernetTable<H> {}

impl<H: NetHooks> PernetTable<H> {
    /// Makes the table; for [`pernet_hooks!`].
    pub(crate) const fn new() -> Self {
        Self {
            ops: Opaque::new(bindings::pernet_operations {
                init: Some(Self::init_callback),
                exit: Some(Self::exit_callback),
                ..pin_init::zeroed()
            }),
            hooks: Atomic::new(0),
            _hooks: PhantomData,
        }
    }

    /// Returns the hooks that are registered.
    ///
    /// # Safety
    ///
    /// Only for the callbacks: the registration must outlive `'a`.
    unsafe fn hooks<'a>() -> Option<&'a H> {
        let hooks = H::table().hooks.load(Acquire) as *const H;
        // SAFETY: Set while registered, when an `Arc` holds it.
        unsafe { hooks.as_ref() }
    }

    /// # Safety
    ///
    /// `net` must be a namespace being set up.
    unsafe extern "C" fn init_callback(net: *mut bindings::net) -> c_int {
        // SAFETY: Registered.
        let Some(hooks) = (unsafe { Self::hooks() }) else {
            return 0;
        };
        // SAFETY: By the function's contract; it has its first reference.
        from_result(|| hooks.net_init(unsafe { Net::from_raw(net) }).map(|()| 0))
    }

    /// # Safety
    ///
    /// `net` must be a namespace that is going.
    unsafe extern "C" fn exit_callback(net: *mut bindings::net) {
        // SAFETY: Registered.
        if let Some(hooks) = unsafe { Self::hooks() } {
            // Its count may be zero, so no `Net`.
            hooks.net_exit(NetId::from_ptr(net));
        }
    }
}

/// Registered hooks; dropping it calls [`NetHooks::net_exit`] for all namespaces.
pub(crate) struct PernetRegistration<H: NetHooks> {
    _hooks: Arc<H>,
}

impl<H: NetHooks> PernetRegistration<H> {
    /// Registers hooks and calls [`NetHooks::net_init`] for all namespaces.
    ///
    /// # Errors
    ///
    /// `EBUSY` if hooks of this type are registered already; what [`NetHooks::net_init`] says.
    pub(crate) fn new(hooks: Arc<H>) -> Result<Self> {
        let pointer = Arc::as_ptr(&hooks) as usize;
        if H::table().hooks.cmpxchg(0, pointer, Full).is_err() {
            return Err(EBUSY);
        }
        // SAFETY: A static table that is not registered.
        let ret = to_result(unsafe { bindings::register_pernet_device(H::table().ops.get()) });
        if ret.is_err() {
            H::table().hooks.store(0, Release);
        }
        ret.map(|()| Self { _hooks: hooks })
    }
}

impl<H: NetHooks> Drop for PernetRegistration<H> {
    fn drop(&mut self) {
        // SAFETY: Registered by `new`. No callback runs once this returns.
        unsafe { bindings::unregister_pernet_device(H::table().ops.get()) };
        H::table().hooks.store(0, Release);
    }
}

/// Makes the `static` table of a type: what [`NetHooks::table`] returns.
macro_rules! pernet_hooks {
    ($type:ty) => {{
        static TABLE: $crate::kernel_ext::pernet::PernetTable<$type> =
            $crate::kernel_ext::pernet::PernetTable::new();
        &TABLE
    }};
}
