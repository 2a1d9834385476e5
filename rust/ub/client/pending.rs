// SPDX-License-Identifier: GPL-2.0

//! Requests that go on after the call that made them.

use super::{
    device::Device,
    jetty::Jetty,
    object::Object,
    target::{
        tpn,
        TargetConfig,
        TargetJetty, //
    },
    ucontext::User, //
};
use crate::{
    bindings_ub as b,
    kernel_ext::arc::Arc, //
};
use kernel::{
    error::to_result,
    prelude::*,
    sync::Completion, //
};

/// Who is told of the end of a request.
pub(crate) trait RequestHandler: Send + Sync + 'static {
    /// The request has ended; `tpn` is the number of the transport path, if there is one.
    ///
    /// Called once, in process context, perhaps before the call that made the request has returned.
    /// What the request is about is not destroyed meanwhile.
    fn done(&self, result: Result, tpn: Option<u32>);
}

/// A request, for those who wait until it has ended.
#[pin_data]
pub(crate) struct Pending {
    #[pin]
    done: Completion,
}

impl Pending {
    /// Makes one that has not ended.
    fn new() -> Result<Arc<Self>> {
        let this = pin_init!(Self {
            done <- Completion::new(),
        });
        Arc::pin_init(this, GFP_KERNEL)
    }

    /// Waits until the handler has been called. Long at most as the time of the request.
    pub(super) fn wait(&self) {
        self.done.wait_for_completion();
    }
}

/// What a callback gets.
struct Told<H> {
    handler: Arc<H>,
    pending: Arc<Pending>,
}

impl<H: RequestHandler> Told<H> {
    /// Makes what a callback gets.
    fn new(handler: Arc<H>, pending: &Arc<Pending>) -> Result<KBox<Self>> {
        let pending = pending.clone();
        Ok(KBox::new(Self { handler, pending }, GFP_KERNEL)?)
    }

    /// Tells the handler, and those who wait.
    ///
    /// # Safety
    ///
    /// `arg` must come from [`KBox::into_raw`] of this type, and be used for the last time;
    /// `target` must be a valid import.
    unsafe fn tell(arg: *mut c_void, target: *mut b::ubcore_tjetty, status: c_int) {
        // SAFETY: By the function's contract.
        let told = unsafe { KBox::from_raw(arg.cast::<Self>()) };
        let Self { handler, pending } = KBox::into_inner(told);
        let result = to_result(status);
        let number = match result {
            // SAFETY: By the function's contract.
            Ok(()) => unsafe { tpn(target) },
            Err(_) => None,
        };
        handler.done(result, number);
        // Who waits finds the handler let go of.
        drop(handler);
        pending.done.complete_all();
    }
}

/// See `struct ubcore_import_cb`.
///
/// # Safety
///
/// For ubcore: `arg` must be that of the request.
unsafe extern "C" fn import_done<H: RequestHandler>(
    target: *mut b::ubcore_tjetty,
    status: c_int,
    arg: *mut c_void,
) {
    // SAFETY: By the function's contract; ubcore passes a valid import.
    unsafe { Told::<H>::tell(arg, target, status) };
}

/// See `struct ubcore_bind_cb`.
///
/// # Safety
///
/// For ubcore: `arg` must be that of the request.
unsafe extern "C" fn bind_done<H: RequestHandler>(
    _jetty: *mut b::ubcore_jetty,
    target: *mut b::ubcore_tjetty,
    status: c_int,
    arg: *mut c_void,
) {
    // SAFETY: By the function's contract; ubcore passes a valid import.
    unsafe { Told::<H>::tell(arg, target, status) };
}

impl TargetJetty {
    /// Begins to import a jetty over a transport path that ubcore chooses, within `timeout`
    /// milliseconds, 0 for ubcore's own limit. What is returned is usable once `handler` was told of
    /// success. Its destruction waits for the end of the request.
    ///
    /// # Errors
    ///
    /// `EIO` when the device is gone, or the error of ubcore; then `handler` is not called.
    pub(crate) fn import_async<H: RequestHandler>(
        dev: &Arc<Device>,
        config: &TargetConfig,
        timeout: i32,
        handler: Arc<H>,
        user: Option<&User<'_>>,
    ) -> Result<Self> {
        let pending = Pending::new()?;
        let told = KBox::into_raw(Told::new(handler, &pending)?);
        let cb = b::ubcore_import_cb {
            user_arg: told.cast(),
            callback: Some(import_done::<H>),
        };
        let begin = || {
            let cb = KBox::into_raw(KBox::new(cb, GFP_KERNEL)?);
            let mut raw = config.to_raw();
            // SAFETY: The closure returns what the function of ubcore does, for valid arguments.
            let object = unsafe {
                Object::create(dev, user, None, |dev, udata| {
                    b::ubcore_import_jetty_async(dev, &mut raw, timeout, cb, udata)
                })
            };
            object.inspect_err(|_| {
                // SAFETY: From above; ubcore has not taken it.
                drop(unsafe { KBox::from_raw(cb) });
            })
        };
        match begin() {
            Ok(object) => Ok(object.with_pending(pending)),
            Err(error) => {
                // SAFETY: From above; no callback will take it.
                drop(unsafe { KBox::from_raw(told) });
                Err(error)
            }
        }
    }
}

impl Jetty {
    /// Begins to bind the jetty to an imported one over a transport path that ubcore chooses, within
    /// `timeout` milliseconds, 0 for ubcore's own limit. Until `handler` is told of the end, both are
    /// in use: what would change them gives `EBUSY`.
    ///
    /// # Errors
    ///
    /// As all calls on an object, or the error of ubcore; then `handler` is not called.
    pub(crate) fn bind_async<H: RequestHandler>(
        &self,
        target: &TargetJetty,
        timeout: i32,
        handler: Arc<H>,
        user: Option<&User<'_>>,
    ) -> Result {
        let (this, target) = (self.enter()?, target.enter()?);
        let pending = Pending::new()?;
        let told = KBox::into_raw(Told::new(handler, &pending)?);
        let cb = b::ubcore_bind_cb {
            user_arg: told.cast(),
            callback: Some(bind_done::<H>),
        };
        let begin = || {
            let cb = KBox::into_raw(KBox::new(cb, GFP_KERNEL)?);
            let call = |udata| {
                let (jetty, target) = (this.as_ptr(), target.as_ptr());
                // SAFETY: A valid jetty, a valid target, and a callback of our own.
                unsafe { b::ubcore_bind_jetty_async(jetty, target, timeout, cb, udata) }
            };
            User::with(user, call).and_then(to_result).inspect_err(|_| {
                // SAFETY: From above; ubcore has not taken it.
                drop(unsafe { KBox::from_raw(cb) });
            })
        };
        begin().inspect_err(|_| {
            // SAFETY: From above; no callback will take it.
            drop(unsafe { KBox::from_raw(told) });
        })
    }
}
