// SPDX-License-Identifier: GPL-2.0

//! Copies and atomic operations on contiguous pieces of memory that others change meanwhile.

use crate::{
    kernel_ext::{
        copy::{
            copy,
            copy_nonoverlapping, //
        },
        hot::{
            HotCount,
            HotWord, //
        }, //
    },
    logic::wr::{
        AtomicOp,
        AtomicSize, //
    }, //
};
use core::marker::PhantomData;
use kernel::sync::atomic::Atomic;

/// Contiguous memory that may be read.
///
/// # Invariants
///
/// `len` bytes at `ptr` are valid for reading during `'a`, by means that cope with changes.
#[derive(Clone, Copy)]
pub(crate) struct Src<'a> {
    ptr: *const u8,
    len: usize,
    _owner: PhantomData<&'a ()>,
}

/// Contiguous memory that may be written.
///
/// # Invariants
///
/// `len` bytes at `ptr` are valid for reading and writing during `'a`, by means that cope with
/// changes.
#[derive(Clone, Copy)]
pub(crate) struct Dst<'a> {
    ptr: *mut u8,
    len: usize,
    _owner: PhantomData<&'a ()>,
}

/// Memory in blocks, each of which is contiguous; it may be read, and written if `WRITE` says so.
///
/// # Invariants
///
/// `run` bytes at `at`, and after them `size` bytes at each of `rest` in turn, at most `len` in all,
/// are valid for reading, with `WRITE` also for writing, during `'a`, by means that cope with
/// changes.
#[derive(Clone, Copy)]
pub(crate) struct Span<'a, const WRITE: bool> {
    at: *mut u8,
    run: usize,
    rest: &'a [usize],
    size: usize,
    len: usize,
}

/// Memory in blocks that may be read.
pub(crate) type SrcSpan<'a> = Span<'a, false>;

/// Memory in blocks that may be written.
pub(crate) type DstSpan<'a> = Span<'a, true>;

impl<'a, const WRITE: bool> Span<'a, WRITE> {
    /// Describes `len` bytes: `run` at an address, and blocks of `size` bytes behind them.
    ///
    /// # Safety
    ///
    /// As the type invariant says.
    #[inline]
    pub(super) unsafe fn new(
        (at, run, rest, size): (usize, usize, &'a [usize], usize),
        len: usize,
    ) -> Self {
        // INVARIANT: By the function's contract.
        Self {
            at: core::ptr::with_exposed_provenance_mut(at),
            run,
            rest,
            size,
            len,
        }
    }

    /// Goes on by `len` bytes, at most those of the block.
    #[inline(always)]
    fn skip(&mut self, len: usize) {
        // INVARIANT: What is left of the block, or the next one.
        if len < self.run {
            self.at = self.at.wrapping_add(len);
            self.run = self.run.wrapping_sub(len);
        } else if let Some((next, rest)) = self.rest.split_first() {
            self.at = core::ptr::with_exposed_provenance_mut(*next);
            (self.run, self.rest) = (self.size, rest);
        } else {
            self.run = 0;
        }
    }
}

impl DstSpan<'_> {
    /// Copies `len` bytes, or as many as both have, in ascending order unless two blocks overlap;
    /// returns how many.
    #[inline]
    pub(crate) fn copy_from(mut self, mut src: SrcSpan<'_>, len: usize) -> usize {
        let len = len.min(self.len).min(src.len);
        let mut left = len;
        loop {
            let n = left.min(self.run).min(src.run);
            // SAFETY: By the type invariants, and within both blocks.
            unsafe { copy(self.at, src.at, n) };
            left = left.wrapping_sub(n);
            if left == 0 || n == 0 {
                return len.wrapping_sub(left);
            }
            self.skip(n);
            src.skip(n);
        }
    }
}

impl<'a> From<Src<'a>> for SrcSpan<'a> {
    #[inline]
    fn from(src: Src<'a>) -> Self {
        // INVARIANT: One block, which may be read.
        Self {
            at: src.ptr.cast_mut(),
            run: src.len,
            rest: &[],
            size: 0,
            len: src.len,
        }
    }
}

impl<'a> From<Dst<'a>> for DstSpan<'a> {
    #[inline]
    fn from(dst: Dst<'a>) -> Self {
        // INVARIANT: One block, which may be written.
        Self {
            at: dst.ptr,
            run: dst.len,
            rest: &[],
            size: 0,
            len: dst.len,
        }
    }
}

impl<'a> Src<'a> {
    /// Describes a piece of memory.
    ///
    /// # Safety
    ///
    /// As the type invariant says.
    pub(super) unsafe fn new(ptr: *const u8, len: usize) -> Self {
        // INVARIANT: By the function's contract.
        Self {
            ptr,
            len,
            _owner: PhantomData,
        }
    }

    /// Describes bytes of the kernel's own.
    #[inline]
    pub(crate) fn bytes(bytes: &'a [u8]) -> Self {
        // INVARIANT: Borrowed.
        Self {
            ptr: bytes.as_ptr(),
            len: bytes.len(),
            _owner: PhantomData,
        }
    }
}

impl<'a> Dst<'a> {
    /// Describes a piece of memory.
    ///
    /// # Safety
    ///
    /// As the type invariant says.
    pub(super) unsafe fn new(ptr: *mut u8, len: usize) -> Self {
        // INVARIANT: By the function's contract.
        Self {
            ptr,
            len,
            _owner: PhantomData,
        }
    }

    /// Describes bytes of the kernel's own.
    #[cfg(CONFIG_KUNIT)]
    pub(crate) fn bytes(bytes: &'a mut [u8]) -> Self {
        // INVARIANT: Borrowed.
        Self {
            ptr: bytes.as_mut_ptr(),
            len: bytes.len(),
            _owner: PhantomData,
        }
    }

    /// Copies `len` bytes; nothing, which returns `None`, if one of the two has less.
    #[inline(always)]
    pub(crate) fn copy_all(&self, src: Src<'_>, len: usize) -> Option<()> {
        if len > self.len || len > src.len {
            return None;
        }
        // SAFETY: By the type invariants, and within both.
        unsafe { copy(self.ptr, src.ptr, len) };
        Some(())
    }

    /// Stores the old value of such a word; nothing, which returns `None`, if there is no room.
    #[inline(always)]
    pub(crate) fn store(&self, value: u64, size: AtomicSize) -> Option<()> {
        // CAST: 4 or 8.
        if self.len < size.bytes() as usize {
            return None;
        }
        let bytes = value.to_le_bytes();
        // SAFETY: By the type invariant, and long enough; the value is the kernel's own.
        unsafe {
            match size {
                AtomicSize::Four => copy_nonoverlapping(self.ptr, bytes.as_ptr(), 4),
                AtomicSize::Eight => copy_nonoverlapping(self.ptr, bytes.as_ptr(), 8),
            }
        };
        Some(())
    }

    /// Carries out an atomic operation on the word at the start; returns the old value.
    ///
    /// `None` if the memory is too short, not aligned to the word, or so contended that the
    /// operation does not come through in so many tries.
    #[inline(always)]
    pub(crate) fn atomic(&self, op: AtomicOp, size: AtomicSize, tries: u32) -> Option<u64> {
        // CAST: 4 or 8.
        let bytes = size.bytes() as usize;
        if self.len < bytes || self.ptr as usize % bytes != 0 {
            return None;
        }
        match size {
            AtomicSize::Four => {
                let apply = |old: u32| {
                    // CAST: The operation truncates to its size.
                    op.apply(u64::from(old), size).map(|new| new as u32)
                };
                // SAFETY: Aligned and long enough.
                unsafe { update_u32(self.ptr.cast::<u32>(), tries, apply) }.map(u64::from)
            }
            AtomicSize::Eight => {
                let word = self.ptr.cast::<u64>();
                // SAFETY: Aligned and long enough; all access of the kernel is atomic.
                let shared = unsafe { Atomic::from_ptr(word) };
                match op {
                    // What the processor does at once cannot fail to come through.
                    AtomicOp::Add(operand) => Some(shared.hot_add(operand)),
                    AtomicOp::Sub(operand) => Some(shared.hot_add(operand.wrapping_neg())),
                    AtomicOp::Swap(value) => Some(shared.hot_xchg(value)),
                    // SAFETY: Aligned and long enough.
                    _ => unsafe { update_u64(word, tries, |old| op.apply(old, size)) },
                }
            }
        }
    }
}

/// Makes a function that updates a word of the given type atomically.
macro_rules! atomic_update {
    ($name:ident, $word:ty) => {
        /// Replaces a word by what `apply` makes of it, atomically; returns the old value, or nothing
        /// if others changed the word at each of so many tries. `apply` returns nothing if the word is
        /// to stay.
        ///
        /// # Safety
        ///
        /// `word` must be aligned, and valid for reading and writing.
        unsafe fn $name(
            word: *mut $word,
            tries: u32,
            apply: impl Fn($word) -> Option<$word>,
        ) -> Option<$word> {
            // SAFETY: By the function's contract; all access of the kernel is atomic.
            let word = unsafe { Atomic::from_ptr(word) };
            let mut old = word.hot_load();
            for _ in 0..tries {
                let Some(new) = apply(old) else {
                    return Some(old);
                };
                match word.hot_cmpxchg(old, new) {
                    Ok(old) => return Some(old),
                    Err(now) => old = now,
                }
            }
            None
        }
    };
}

atomic_update!(update_u32, u32);
atomic_update!(update_u64, u64);
