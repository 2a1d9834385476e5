// SPDX-License-Identifier: GPL-2.0

//! Copies as the kernel makes them, for comparison.

/// Copies as `copy_page()` of the x86_64 kernel does, eight bytes at a time by one string
/// instruction. Elsewhere as the C library does.
pub fn copy_words(to: &mut [u8], from: &[u8]) {
    let len = to.len().min(from.len()) & !7;
    #[cfg(target_arch = "x86_64")]
    // SAFETY: `len` bytes of both slices, which do not overlap; the direction flag is clear by
    // the ABI.
    unsafe {
        std::arch::asm!(
            "rep movsq",
            inout("rcx") len / 8 => _,
            inout("rdi") to.as_mut_ptr() => _,
            inout("rsi") from.as_ptr() => _,
            options(nostack, preserves_flags)
        );
    }
    #[cfg(not(target_arch = "x86_64"))]
    to[..len].copy_from_slice(&from[..len]);
}
