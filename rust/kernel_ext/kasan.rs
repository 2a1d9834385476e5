// SPDX-License-Identifier: GPL-2.0

//! Accesses that KASAN does not see by itself: those of assembler.

/// Reports, on a kernel with KASAN, that the memory is not to be accessed, if so.
#[inline(always)]
pub(super) fn check<T>(address: *const T, len: usize, write: bool) {
    #[cfg(CONFIG_KASAN)]
    // SAFETY: Any address will do: it is looked up, not followed.
    unsafe {
        crate::bindings_ub::ub_helper_check_access(address.cast(), len, write)
    };
    let _ = (address, len, write);
}
