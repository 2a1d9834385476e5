// SPDX-License-Identifier: GPL-2.0

//! Copying between kernel addresses of memory that others may change meanwhile.
//!
//! The routines read and write each byte once, without assuming that it stays what it was. Word
//! loops win up to some 64 bytes; beyond, string moves of words cost a fraction of `memcpy()`, and
//! of string moves of bytes where the processor has no fast ones.

#[cfg(target_arch = "x86_64")]
use super::kasan;
use kernel::bindings;

/// Up to this many bytes a loop is shorter than the set-up of a string move.
#[cfg(target_arch = "x86_64")]
const SMALL: usize = 64;

/// Copies between areas that do not overlap.
///
/// # Safety
///
/// `src` must be valid for reading and `dst` for writing `len` bytes; they must not overlap.
#[cfg(target_arch = "x86_64")]
#[inline]
pub(crate) unsafe fn copy_nonoverlapping(dst: *mut u8, src: *const u8, len: usize) {
    kasan::check(src, len, false);
    kasan::check(dst, len, true);
    let words = len / 8;
    let (mut to, mut from) = (dst, src);
    if len <= SMALL {
        for _ in 0..words / 4 {
            // SAFETY: 32 of the bytes that the caller vouches for; x86 needs no alignment. The
            // memory may change meanwhile, hence no plain Rust access.
            unsafe {
                core::arch::asm!(
                    "mov {a}, [{from}]",
                    "mov {b}, [{from} + 8]",
                    "mov {c}, [{from} + 16]",
                    "mov {d}, [{from} + 24]",
                    "mov [{to}], {a}",
                    "mov [{to} + 8], {b}",
                    "mov [{to} + 16], {c}",
                    "mov [{to} + 24], {d}",
                    a = out(reg) _,
                    b = out(reg) _,
                    c = out(reg) _,
                    d = out(reg) _,
                    from = in(reg) from,
                    to = in(reg) to,
                    options(nostack, preserves_flags),
                )
            };
            to = to.wrapping_add(32);
            from = from.wrapping_add(32);
        }
        for _ in 0..words % 4 {
            // SAFETY: As above, for eight bytes.
            unsafe {
                core::arch::asm!(
                    "mov {word}, [{from}]",
                    "mov [{to}], {word}",
                    word = out(reg) _,
                    from = in(reg) from,
                    to = in(reg) to,
                    options(nostack, preserves_flags),
                )
            };
            to = to.wrapping_add(8);
            from = from.wrapping_add(8);
        }
    } else {
        // SAFETY: As above, for all whole words; the direction flag is clear by the ABI.
        unsafe {
            core::arch::asm!(
                "rep movsq",
                inout("rcx") words => _,
                inout("rdi") to,
                inout("rsi") from,
                options(nostack, preserves_flags),
            )
        };
    }
    for i in 0..len % 8 {
        // SAFETY: The remaining bytes; volatile, since they may change.
        unsafe { to.add(i).write_volatile(from.add(i).read_volatile()) };
    }
}

/// Copies between areas that do not overlap.
///
/// # Safety
///
/// `src` must be valid for reading and `dst` for writing `len` bytes; they must not overlap.
#[cfg(not(target_arch = "x86_64"))]
#[inline]
pub(crate) unsafe fn copy_nonoverlapping(dst: *mut u8, src: *const u8, len: usize) {
    // SAFETY: By the function's contract.
    unsafe { bindings::memcpy(dst.cast(), src.cast(), len) };
}

/// Fills whole words with zeros: at the size of a page or more a string move of words beats
/// `memset()`, and one of bytes where the processor has no fast ones.
///
/// # Safety
///
/// `dst` must be valid for writing `words` words.
#[cfg(target_arch = "x86_64")]
pub(crate) unsafe fn zero_words(dst: *mut u64, words: usize) {
    kasan::check(dst, words.wrapping_mul(8), true);
    // SAFETY: By the function's contract; the direction flag is clear by the ABI.
    unsafe {
        core::arch::asm!(
            "rep stosq",
            inout("rcx") words => _,
            inout("rdi") dst => _,
            in("rax") 0,
            options(nostack, preserves_flags),
        )
    };
}

/// Fills whole words with zeros.
///
/// # Safety
///
/// `dst` must be valid for writing `words` words.
#[cfg(not(target_arch = "x86_64"))]
pub(crate) unsafe fn zero_words(dst: *mut u64, words: usize) {
    // SAFETY: By the function's contract.
    unsafe { dst.write_bytes(0, words) };
}

/// Copies between areas that may overlap, as if by way of a third one.
///
/// # Safety
///
/// `src` must be valid for reading and `dst` for writing `len` bytes.
pub(crate) unsafe fn copy_overlapping(dst: *mut u8, src: *const u8, len: usize) {
    // SAFETY: By the function's contract.
    unsafe { bindings::memmove(dst.cast(), src.cast(), len) };
}

/// Copies between areas that may overlap; fast unless they do.
///
/// # Safety
///
/// `src` must be valid for reading and `dst` for writing `len` bytes.
#[inline]
pub(crate) unsafe fn copy(dst: *mut u8, src: *const u8, len: usize) {
    if (dst as usize).abs_diff(src as usize) < len {
        // SAFETY: By the function's contract.
        unsafe { copy_overlapping(dst, src, len) };
    } else {
        // SAFETY: By the function's contract; they are too far apart to overlap.
        unsafe { copy_nonoverlapping(dst, src, len) };
    }
}
