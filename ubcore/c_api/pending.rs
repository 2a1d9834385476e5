// SPDX-License-Identifier: GPL-2.0

//! Requests that go on after the call that made them.

use super::{
    device_ptr::device,
    errno,
    kinds::{
        ImportedJetty,
        Jetty, //
    },
    object::{
        Obj,
        Owned, //
    },
    user::User, //
};
use crate::{
    bindings_ub::{
        ubcore_bind_cb,
        ubcore_device,
        ubcore_import_cb,
        ubcore_jetty,
        ubcore_tjetty,
        ubcore_tjetty_cfg,
        ubcore_udata,
        ubcore_unbind_cb,
        ubcore_unimport_cb, //
    },
    pending,
    ub::common::err_ptr, //
};
use kernel::{
    bindings,
    prelude::*, //
};

/// Declares who is told of the end of a kind of requests.
macro_rules! done {
    (
        $(#[$doc:meta])*
        $name:ident($($arg:ident: $type:ty),*), call($($param:ident: $param_type:ty => $given:expr),*)
    ) => {
        $(#[$doc])*
        pub(crate) struct $name {
            /// What the client allocated; freed after the call.
            memory: *mut c_void,
            callback: unsafe extern "C" fn($($type,)* c_int, *mut c_void),
            user_arg: *mut c_void,
        }

        // SAFETY: The callback may be called on any thread, as the header says.
        unsafe impl Send for $name {}

        impl $name {
            /// Tells the client, once.
            pub(crate) fn call(self, $($param: $param_type,)* result: Result) {
                let status = errno(result);
                // SAFETY: A callback with its argument, as the header says.
                unsafe { (self.callback)($($given,)* status, self.user_arg) };
                // SAFETY: Allocated with kmalloc(), as the header says, and used by nobody else.
                unsafe { bindings::kfree(self.memory) };
            }
        }
    };
}

done! {
    /// Who is told that an import has ended.
    ImportDone(tjetty: *mut ubcore_tjetty),
    call(import: &Obj<ImportedJetty> => import.as_ptr())
}
done! {
    /// Who is told that a binding has ended.
    BindDone(jetty: *mut ubcore_jetty, tjetty: *mut ubcore_tjetty),
    call(
        jetty: &Obj<Jetty> => jetty.as_ptr(),
        import: &Obj<ImportedJetty> => import.as_ptr()
    )
}
done! {
    /// Who is told that something has been undone.
    Done(), call()
}

/// Takes what a client passes; the memory stays the client's until the call.
macro_rules! take {
    ($done:ident, $cb:ident) => {{
        // SAFETY: Null or valid.
        let raw = unsafe { $cb.as_ref() }.ok_or(EINVAL)?;
        $done {
            memory: $cb.cast(),
            callback: raw.callback.ok_or(EINVAL)?,
            user_arg: raw.user_arg,
        }
    }};
}

c_api! {
    /// Begins to import a jetty.
    unsafe fn ubcore_import_jetty_async(
        dev: *mut ubcore_device,
        cfg: *mut ubcore_tjetty_cfg,
        timeout: c_int,
        cb: *mut ubcore_import_cb,
        udata: *mut ubcore_udata,
    ) -> *mut ubcore_tjetty {
        err_ptr((|| {
            // SAFETY: Null or valid; the configuration is copied.
            let (dev, user, cfg) = unsafe { (device(dev)?, User::new(udata)?, super::copy(cfg)?) };
            let done = take!(ImportDone, cb);
            pending::import(dev, cfg, timeout, done, user).map(Owned::into_raw)
        })())
    }

    /// Begins to drop the import of a jetty.
    unsafe fn ubcore_unimport_jetty_async(
        tjetty: *mut ubcore_tjetty,
        timeout: c_int,
        cb: *mut ubcore_unimport_cb,
    ) -> c_int {
        errno((|| {
            // SAFETY: Null or valid, and the caller's.
            let import = unsafe { Owned::<ImportedJetty>::from_raw(tjetty) }?;
            pending::unimport(import, timeout, take!(Done, cb))
        })())
    }

    /// Begins to bind a jetty.
    unsafe fn ubcore_bind_jetty_async(
        jetty: *mut ubcore_jetty,
        tjetty: *mut ubcore_tjetty,
        timeout: c_int,
        cb: *mut ubcore_bind_cb,
        udata: *mut ubcore_udata,
    ) -> c_int {
        errno((|| {
            // SAFETY: Null or valid.
            let (jetty, import) = unsafe { (Obj::from_raw(jetty), Obj::from_raw(tjetty)) };
            // SAFETY: Null or valid.
            let user = unsafe { User::new(udata) }?;
            let done = take!(BindDone, cb);
            pending::bind_jetty(jetty.ok_or(EINVAL)?, import.ok_or(EINVAL)?, timeout, done, user)
        })())
    }

    /// Begins to end a binding.
    unsafe fn ubcore_unbind_jetty_async(
        jetty: *mut ubcore_jetty,
        timeout: c_int,
        cb: *mut ubcore_unbind_cb,
    ) -> c_int {
        errno((|| {
            // SAFETY: Null or valid.
            let jetty = unsafe { Obj::from_raw(jetty) }.ok_or(EINVAL)?;
            pending::unbind_jetty(jetty, timeout, take!(Done, cb))
        })())
    }
}
