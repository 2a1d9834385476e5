// SPDX-License-Identifier: GPL-2.0

//! The calling task.
//!
//! C header: [`include/linux/sched.h`](srctree/include/linux/sched.h)

use crate::bindings_ub;
use core::ptr::NonNull;
use kernel::{
    mm::Mm,
    prelude::*,
    sync::aref::ARef, //
};

/// Tells whether the task has a signal to handle.
pub(crate) fn signal_pending() -> bool {
    let task = current!();
    task.signal_pending()
}

/// Tells whether the task is being killed.
pub(crate) fn fatal_signal_pending() -> bool {
    // SAFETY: No requirements.
    unsafe { bindings_ub::ub_helper_fatal_signal_pending() }
}

/// Tells whether another task should run.
pub(crate) fn need_resched() -> bool {
    // SAFETY: No requirements.
    unsafe { bindings_ub::ub_helper_need_resched() }
}

/// Lets another task run if one should; in process context without spinlocks.
pub(crate) fn cond_resched() {
    // SAFETY: As said above; otherwise the debug check complains.
    unsafe { bindings_ub::ub_helper_cond_resched() };
}

/// Returns the id of the process, in the initial namespace.
pub(crate) fn tgid() -> i32 {
    let task = current!();
    task.tgid()
}

/// Returns the address space of the calling task, counted so that the structure stays (its
/// contents may go); `None` for a kernel thread.
pub(crate) fn current_mm() -> Option<ARef<Mm>> {
    // SAFETY: No requirements.
    let mm = NonNull::new(unsafe { bindings_ub::ub_helper_current_mm() })?;
    // SAFETY: The task's own address space stays while this runs.
    Some(unsafe { Mm::from_raw(mm.as_ptr()) }.into())
}

/// The identity of an address space; holds no reference.
///
/// Meaningful while somebody holds the address space, as a context with a mapping in it does.
#[derive(Copy, Clone, Debug, Eq, PartialEq)]
pub(crate) struct MmId(usize);

impl MmId {
    /// Returns the identity of the calling task's address space; `None` for a kernel thread.
    pub(crate) fn current() -> Option<Self> {
        // SAFETY: No requirements.
        let mm = unsafe { bindings_ub::ub_helper_current_mm() };
        (!mm.is_null()).then_some(Self(mm as usize))
    }
}
