// SPDX-License-Identifier: GPL-2.0

//! Atomic operations of the data path: instructions instead of calls.
//!
//! The kernel crate calls a function in C for each atomic operation, which costs some ten
//! instructions where one would do, dozens of times in a small work request. The operations here
//! have the order of those in the kernel's memory model that their documentation names: on x86-64
//! they are the instructions that C code becomes there, elsewhere the calls. Assembler is a barrier
//! to the compiler, as the macros in C are.

#[cfg(target_arch = "x86_64")]
use super::kasan;
use kernel::sync::atomic::Atomic;
#[cfg(not(target_arch = "x86_64"))]
use kernel::sync::atomic::{
    Acquire,
    Full,
    Release, //
};

/// Loads and stores of a word.
pub(crate) trait HotWord {
    /// What the word holds.
    type Value;

    /// `smp_load_acquire()`.
    fn hot_load(&self) -> Self::Value;

    /// `smp_store_release()`.
    fn hot_store(&self, value: Self::Value);
}

/// Operations that read and write a word at once, fully ordered.
pub(crate) trait HotCount: HotWord {
    /// `atomic_fetch_add()`.
    fn hot_add(&self, by: Self::Value) -> Self::Value;

    /// `atomic_xchg()`
    fn hot_xchg(&self, new: Self::Value) -> Self::Value;

    /// `atomic_cmpxchg()`; returns what the word held, unordered if that is not `old`.
    fn hot_cmpxchg(&self, old: Self::Value, new: Self::Value) -> Result<Self::Value, Self::Value>;
}

/// Implements [`HotWord`] for words whose register operands are written with a modifier.
macro_rules! hot_word {
    ([$($param:ident)?] $value:ty, $modifier:literal) => {
        impl$(<$param>)? HotWord for Atomic<$value> {
            type Value = $value;

            #[cfg(target_arch = "x86_64")]
            #[inline(always)]
            fn hot_load(&self) -> $value {
                let value: $value;
                kasan::check(self.as_ptr(), size_of::<Self>(), false);
                // SAFETY: A valid, aligned word. No load passes another one on x86.
                unsafe {
                    core::arch::asm!(
                        concat!("mov {value", $modifier, "}, [{word}]"),
                        value = lateout(reg) value,
                        word = in(reg) self.as_ptr(),
                        options(nostack, preserves_flags),
                    )
                };
                value
            }

            #[cfg(not(target_arch = "x86_64"))]
            #[inline(always)]
            fn hot_load(&self) -> $value {
                self.load(Acquire)
            }

            #[cfg(target_arch = "x86_64")]
            #[inline(always)]
            fn hot_store(&self, value: $value) {
                kasan::check(self.as_ptr(), size_of::<Self>(), true);
                // SAFETY: A valid, aligned word. No store passes an earlier access on x86.
                unsafe {
                    core::arch::asm!(
                        concat!("mov [{word}], {value", $modifier, "}"),
                        value = in(reg) value,
                        word = in(reg) self.as_ptr(),
                        options(nostack, preserves_flags),
                    )
                };
            }

            #[cfg(not(target_arch = "x86_64"))]
            #[inline(always)]
            fn hot_store(&self, value: $value) {
                self.store(value, Release);
            }
        }
    };
}

/// Implements [`HotCount`] for integers, likewise.
macro_rules! hot_count {
    ($value:ty, $modifier:literal) => {
        impl HotCount for Atomic<$value> {
            #[cfg(target_arch = "x86_64")]
            #[inline(always)]
            fn hot_add(&self, by: $value) -> $value {
                let before: $value;
                kasan::check(self.as_ptr(), size_of::<Self>(), true);
                // SAFETY: A valid, aligned word. A locked instruction is a full barrier on x86.
                unsafe {
                    core::arch::asm!(
                        concat!("lock xadd [{word}], {by", $modifier, "}"),
                        by = inout(reg) by => before,
                        word = in(reg) self.as_ptr(),
                        options(nostack),
                    )
                };
                before
            }

            #[cfg(not(target_arch = "x86_64"))]
            #[inline(always)]
            fn hot_add(&self, by: $value) -> $value {
                self.fetch_add(by, Full)
            }

            #[cfg(target_arch = "x86_64")]
            #[inline(always)]
            fn hot_xchg(&self, new: $value) -> $value {
                let before: $value;
                kasan::check(self.as_ptr(), size_of::<Self>(), true);
                // SAFETY: A valid, aligned word. An exchange with memory is locked by itself.
                unsafe {
                    core::arch::asm!(
                        concat!("xchg [{word}], {new", $modifier, "}"),
                        new = inout(reg) new => before,
                        word = in(reg) self.as_ptr(),
                        options(nostack, preserves_flags),
                    )
                };
                before
            }

            #[cfg(not(target_arch = "x86_64"))]
            #[inline(always)]
            fn hot_xchg(&self, new: $value) -> $value {
                self.xchg(new, Full)
            }

            #[cfg(target_arch = "x86_64")]
            #[inline(always)]
            fn hot_cmpxchg(&self, old: $value, new: $value) -> Result<$value, $value> {
                let seen: $value;
                kasan::check(self.as_ptr(), size_of::<Self>(), true);
                // SAFETY: A valid, aligned word. A locked instruction is a full barrier on x86.
                unsafe {
                    core::arch::asm!(
                        concat!("lock cmpxchg [{word}], {new", $modifier, "}"),
                        new = in(reg) new,
                        word = in(reg) self.as_ptr(),
                        inout("rax") old => seen,
                        options(nostack),
                    )
                };
                if seen == old {
                    Ok(seen)
                } else {
                    Err(seen)
                }
            }

            #[cfg(not(target_arch = "x86_64"))]
            #[inline(always)]
            fn hot_cmpxchg(&self, old: $value, new: $value) -> Result<$value, $value> {
                self.cmpxchg(old, new, Full)
            }
        }
    };
}

hot_word!([] i32, ":e");
hot_word!([] u32, ":e");
hot_word!([] u64, "");
hot_word!([] i64, "");
hot_word!([T] *mut T, "");
hot_count!(i32, ":e");
hot_count!(u32, ":e");
hot_count!(u64, "");
hot_count!(i64, "");
