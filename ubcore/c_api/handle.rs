// SPDX-License-Identifier: GPL-2.0

//! The way from a C function, which has no context, to the state of the module.

use crate::{
    kernel_ext::hot::HotWord,
    state::Core, //
};
use core::ptr::{
    from_ref,
    null_mut, //
};
use kernel::{
    prelude::*,
    sync::atomic::{
        Atomic,
        Release, //
    },
};

/// The state of the loaded module; null before and after.
static CORE: Atomic<*mut Core> = Atomic::new(null_mut());

/// Makes the state of the module reachable.
pub(crate) fn set_core(core: Pin<&mut Core>) {
    CORE.store(from_ref(&*core).cast_mut(), Release);
}

/// Makes it unreachable again; nobody may use it any more.
pub(crate) fn clear_core() {
    CORE.store(null_mut(), Release);
}

/// Returns the state of the module.
///
/// # Errors
///
/// `ENODEV` while the module is being set up or taken down.
pub(crate) fn core_state() -> Result<&'static Core> {
    let core = CORE.hot_load();
    // SAFETY: Null, or set by `set_core()` and cleared when the module's value is dropped. That
    // happens at unload, when no module depends on this one, and no file of it is open.
    unsafe { core.as_ref() }.ok_or(ENODEV)
}
