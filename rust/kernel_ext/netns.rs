// SPDX-License-Identifier: GPL-2.0

//! Network namespaces.
//!
//! C header: [`include/net/net_namespace.h`](srctree/include/net/net_namespace.h)

use crate::bindings_ub;
use core::ptr::NonNull;
use kernel::{
    bindings,
    error::from_err_ptr,
    prelude::*,
    sync::aref::{
        ARef,
        AlwaysRefCounted, //
    },
    types::Opaque, //
};

/// A network namespace, with a reference that keeps it alive.
#[repr(transparent)]
pub(crate) struct Net(Opaque<bindings::net>);

// SAFETY: Namespaces may be used and released on any thread.
unsafe impl Send for Net {}
// SAFETY: Only its address and its count are used.
unsafe impl Sync for Net {}

impl Net {
    /// Returns the namespace of the calling task.
    ///
    /// `None` for a task that is exiting and has left its namespaces; files may be released there.
    pub(crate) fn current() -> Option<ARef<Self>> {
        // SAFETY: The calling task's own namespaces do not change meanwhile.
        let net = NonNull::new(unsafe { bindings_ub::ub_helper_current_net() })?;
        // SAFETY: The task holds a reference.
        Some(unsafe { net.cast::<Self>().as_ref() }.into())
    }

    /// Returns the initial namespace, which is always there.
    pub(crate) fn init() -> &'static Self {
        // SAFETY: A static object of the kernel.
        unsafe { &*bindings_ub::ub_helper_init_net().cast() }
    }

    /// Returns the namespace that a file descriptor of the caller refers to.
    ///
    /// # Errors
    ///
    /// `EBADF` for no file, `EINVAL` for another kind of file.
    pub(crate) fn from_fd(fd: i32) -> Result<ARef<Self>> {
        // SAFETY: Any number will do.
        let net = from_err_ptr(unsafe { bindings::get_net_ns_by_fd(fd) })?;
        let net = NonNull::new(net.cast::<Self>()).ok_or(EINVAL)?;
        // SAFETY: With a reference for the caller.
        Ok(unsafe { ARef::from_raw(net) })
    }

    /// Borrows a namespace from its C pointer.
    ///
    /// # Safety
    ///
    /// `net` must point to a namespace that exists during `'a`.
    pub(crate) unsafe fn from_raw<'a>(net: *mut bindings::net) -> &'a Self {
        // SAFETY: By the function's contract.
        unsafe { &*net.cast() }
    }

    /// Returns the C pointer.
    pub(crate) fn as_ptr(&self) -> *mut bindings::net {
        self.0.get()
    }

    /// Returns what tells this namespace from others.
    pub(crate) fn id(&self) -> NetId {
        NetId(self.as_ptr() as usize)
    }
}

// SAFETY: `get_net()` and `put_net()` count references that keep the namespace.
unsafe impl AlwaysRefCounted for Net {
    fn inc_ref(&self) {
        // SAFETY: The caller's reference keeps the count above zero.
        unsafe { bindings_ub::ub_helper_get_net(self.as_ptr()) };
    }

    unsafe fn dec_ref(obj: NonNull<Self>) {
        // SAFETY: The caller gives up a reference.
        unsafe { bindings_ub::ub_helper_put_net(obj.cast().as_ptr()) };
    }
}

impl PartialEq for Net {
    fn eq(&self, other: &Self) -> bool {
        core::ptr::eq(self, other)
    }
}

/// A reference that keeps the memory of a namespace, not the namespace itself.
pub(super) struct PassiveNet(NonNull<bindings::net>);

// SAFETY: References may be dropped on any thread.
unsafe impl Send for PassiveNet {}
// SAFETY: Only the address is used.
unsafe impl Sync for PassiveNet {}

impl PassiveNet {
    /// Takes a reference.
    pub(super) fn new(net: &Net) -> Self {
        // SAFETY: The namespace exists.
        unsafe { bindings_ub::ub_helper_net_passive_get(net.as_ptr()) };
        Self(NonNull::from(net).cast())
    }

    /// Returns the C pointer.
    pub(super) fn as_ptr(&self) -> *mut bindings::net {
        self.0.as_ptr()
    }
}

impl Drop for PassiveNet {
    fn drop(&mut self) {
        // SAFETY: Taken by `new`.
        unsafe { bindings_ub::ub_helper_net_passive_put(self.as_ptr()) };
    }
}

/// The identity of a network namespace; holds no reference.
///
/// Meaningful as long as the namespace exists; its address may be used again afterwards.
#[derive(Copy, Clone, Eq, PartialEq)]
pub(crate) struct NetId(usize);

impl NetId {
    /// Returns the identity of a namespace.
    pub(super) fn from_ptr(net: *mut bindings::net) -> Self {
        Self(net as usize)
    }

    /// Returns the identity of the calling task's namespace; see [`Net::current`].
    pub(crate) fn current() -> Option<Self> {
        // SAFETY: No requirements.
        let net = unsafe { bindings_ub::ub_helper_current_net() };
        (!net.is_null()).then_some(Self(net as usize))
    }

    /// Returns the identity of the initial namespace.
    pub(crate) fn init() -> Self {
        Net::init().id()
    }
}
