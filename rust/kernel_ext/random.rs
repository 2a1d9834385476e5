// SPDX-License-Identifier: GPL-2.0

//! Random numbers of the kernel.
//!
//! C header: [`include/linux/random.h`](srctree/include/linux/random.h)

use kernel::bindings;

/// Fills `bytes`, fit for keys once the generator is seeded.
pub(crate) fn fill(bytes: &mut [u8]) {
    // SAFETY: Valid for writing that many bytes.
    unsafe { bindings::get_random_bytes(bytes.as_mut_ptr().cast(), bytes.len()) };
}

/// Returns a random number.
pub(crate) fn u32() -> u32 {
    // SAFETY: No requirements.
    unsafe { bindings::get_random_u32() }
}
