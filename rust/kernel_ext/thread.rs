// SPDX-License-Identifier: GPL-2.0

//! Threads of the kernel.
//!
//! C header: [`include/linux/kthread.h`](srctree/include/linux/kthread.h)

use super::arc::{
    Arc,
    ArcBorrow, //
};
use crate::bindings_ub;
use core::ptr::NonNull;
use kernel::{
    bindings,
    error::from_err_ptr,
    prelude::*, //
};

/// What a thread does.
pub(crate) trait Body: Sized + Send + Sync + 'static {
    /// Does it, on the thread; returns soon after [`Self::stop`] was called. May sleep.
    ///
    /// No signal ends it. Who never sleeps calls [`give_way`] often.
    fn run(this: ArcBorrow<'_, Self>);

    /// Has it return. Called once, on another thread.
    fn stop(&self);
}

/// A thread; dropping it ends it, and waits for that.
///
/// It belongs to no process: it has the nice value of the task that made it and may use the
/// processors that this one might then, but it is in the root control group, and has no address
/// space.
///
/// It is not to be dropped on the thread itself, which would wait for itself.
///
/// # Invariants
///
/// `task` is a thread that runs [`enter`] with a pointer to what `body` owns, and is counted for this
/// object.
pub(crate) struct Thread<T: Body> {
    task: NonNull<bindings::task_struct>,
    body: Arc<T>,
}

// SAFETY: Threads may be stopped on any thread; `T` may be used and dropped there.
unsafe impl<T: Body> Send for Thread<T> {}
// SAFETY: Shared references only give access to `T`, which may be shared.
unsafe impl<T: Body> Sync for Thread<T> {}

impl<T: Body> Thread<T> {
    /// Starts a thread. May sleep.
    ///
    /// # Errors
    ///
    /// `ENOMEM`, `EINTR` if the caller is being killed.
    pub(crate) fn start(name: &CStr, body: Arc<T>) -> Result<Self> {
        let data = Arc::as_ptr(&body).cast_mut().cast::<c_void>();
        // SAFETY: `enter` gets what it asks for: `body` is owned until the thread has ended, by this
        // object, or dropped here when there is none. The name is copied.
        let task = unsafe {
            bindings_ub::ub_helper_thread_create(Some(enter::<T>), data, name.as_char_ptr())
        };
        let task = NonNull::new(from_err_ptr(task)?).ok_or(ENOMEM)?;
        // INVARIANT: Made so, and counted by the helper.
        Ok(Self { task, body })
    }

    /// Returns what it runs.
    pub(crate) fn body(&self) -> &Arc<T> {
        &self.body
    }
}

impl<T: Body> Drop for Thread<T> {
    fn drop(&mut self) {
        self.body.stop();
        // Also if it has not begun, or has returned already.
        // SAFETY: By the type invariant a thread, whose count this gives up; not used after it.
        unsafe { bindings_ub::ub_helper_thread_stop(self.task.as_ptr()) };
    }
}

/// What the thread runs.
///
/// # Safety
///
/// `data` must come from [`Arc::as_ptr`] of an `Arc<T>` that lives until this returns.
unsafe extern "C" fn enter<T: Body>(data: *mut c_void) -> c_int {
    // SAFETY: By the function's contract.
    T::run(unsafe { ArcBorrow::from_raw(data.cast_const().cast::<T>()) });
    0
}

/// Lets others run who should, and says that nothing is under way here: for threads that never
/// sleep. In process context without locks.
pub(crate) fn give_way() {
    // SAFETY: As said above; otherwise the debug check complains.
    unsafe { bindings_ub::ub_helper_give_way() };
}
