// SPDX-License-Identifier: GPL-2.0

//! Whether code may sleep, and sections in which it may not.
//!
//! C header: [`include/linux/preempt.h`](srctree/include/linux/preempt.h)

use crate::bindings_ub;
use kernel::types::NotThreadSafe;

/// Tells whether the caller may sleep: `false` also where the kernel cannot tell.
pub(crate) fn may_sleep() -> bool {
    // SAFETY: No requirements.
    unsafe { bindings_ub::ub_helper_may_sleep() }
}

/// A section in which nobody may sleep, and bottom halves do not run on this processor; ends when
/// dropped.
///
/// Where interrupts are off this is so already.
pub(crate) struct NoSleep {
    /// Bottom halves are disabled by this section.
    nested: bool,
    _task: NotThreadSafe,
}

impl NoSleep {
    /// Begins a section. It must end before interrupts are disabled or enabled by others.
    pub(crate) fn enter() -> Self {
        // SAFETY: No requirements.
        let nested = !unsafe { bindings_ub::ub_helper_irqs_disabled() };
        if nested {
            // SAFETY: Interrupts are on.
            unsafe { bindings_ub::ub_helper_local_bh_disable() };
        }
        Self {
            nested,
            _task: NotThreadSafe,
        }
    }
}

impl Drop for NoSleep {
    fn drop(&mut self) {
        if self.nested {
            // SAFETY: Disabled by `enter()`, on the same task since it cannot be sent away.
            unsafe { bindings_ub::ub_helper_local_bh_enable() };
        }
    }
}
