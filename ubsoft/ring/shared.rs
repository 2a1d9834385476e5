// SPDX-License-Identifier: GPL-2.0

//! Rings shared with user space.

use crate::{
    bindings_ub::{
        ubsoft_ring_header,
        UBSOFT_RING_CQ,
        UBSOFT_RING_ERROR,
        UBSOFT_RING_GONE,
        UBSOFT_RING_MAGIC,
        UBSOFT_RING_NEED_KICK,
        UBSOFT_RING_OVERFLOW,
        UBSOFT_RING_RQ,
        UBSOFT_RING_SQ,
        UBSOFT_RING_VERSION, //
    },
    kernel_ext::{
        hot::HotWord,
        ring_mem::{
            MapAccess,
            RingMem, //
        },
    },
    logic::ring::Geometry, //
};
use core::mem::{
    offset_of,
    size_of, //
};
use kernel::{
    mm::virt::VmaNew,
    new_spinlock,
    page::PAGE_SIZE,
    prelude::*,
    sync::{
        atomic::{
            atomic_store,
            Atomic,
            Relaxed,
            Release, //
        },
        SpinLock, //
    }, //
};

/// Offset of the first entry: one page for the header.
pub(crate) const ENTRIES_OFFSET: usize = 4096;

const _: () = assert!(size_of::<ubsoft_ring_header>() <= ENTRIES_OFFSET);
const _: () = assert!(offset_of!(ubsoft_ring_header, user_idx) == 64);
const _: () = assert!(offset_of!(ubsoft_ring_header, kern_idx) == 128);

/// Kind of a ring.
#[derive(Clone, Copy)]
pub(crate) enum Kind {
    /// Work requests to be sent.
    Send = UBSOFT_RING_SQ as isize,
    /// Receive buffers.
    Receive = UBSOFT_RING_RQ as isize,
    /// Completions.
    Complete = UBSOFT_RING_CQ as isize,
}

/// What the kernel tells in `kern_flags`.
#[derive(Clone, Copy)]
pub(crate) enum Flags {
    /// The user is to kick after the next post.
    NeedKick = UBSOFT_RING_NEED_KICK as isize,
    /// The queue is in the error state.
    Error = UBSOFT_RING_ERROR as isize,
    /// Completions were lost.
    Overflow = UBSOFT_RING_OVERFLOW as isize,
    /// The device is gone.
    Gone = UBSOFT_RING_GONE as isize,
}

/// A ring: a header page and entries, in memory that the owner of the queue maps.
///
/// Each side writes one index and one flag word. What an index means is the affair of
/// [`crate::logic::ring`].
///
/// # Invariants
///
/// `mem` has `ENTRIES_OFFSET + entries * stride` bytes at least, and `stride` is a multiple of 8.
#[pin_data]
pub(crate) struct Ring {
    mem: RingMem,
    geometry: Geometry,
    /// Bytes from one entry to the next.
    stride: u32,
    /// The owner maps it; otherwise both sides are the kernel's, and nobody reads flags.
    shared: bool,
    /// What `kern_flags` says; the lock is innermost.
    #[pin]
    flags: SpinLock<u32>,
}

impl Ring {
    /// Initialises a ring of `geometry.entries()` entries of `stride` bytes, which can be mapped.
    ///
    /// # Errors
    ///
    /// `EINVAL` if it would have more than `max` bytes or `stride` is not a multiple of 8,
    /// `ENOMEM`.
    pub(crate) fn new(
        kind: Kind,
        geometry: Geometry,
        stride: u32,
        max: usize,
    ) -> impl PinInit<Self, Error> {
        Self::for_owner(kind, geometry, stride, max, true)
    }

    /// The same; if it is not `shared`, it is for a kernel client.
    pub(crate) fn for_owner(
        kind: Kind,
        geometry: Geometry,
        stride: u32,
        max: usize,
        shared: bool,
    ) -> impl PinInit<Self, Error> {
        try_pin_init!(Self {
            // INVARIANT: By the size.
            mem: Self::memory(kind, geometry, stride, max)?,
            geometry,
            stride,
            shared,
            flags <- new_spinlock!(0, "Ring::flags"),
        })
    }

    /// Allocates the memory and writes the part of the header that does not change.
    fn memory(kind: Kind, geometry: Geometry, stride: u32, max: usize) -> Result<RingMem> {
        if stride % 8 != 0 {
            return Err(EINVAL);
        }
        let bytes = geometry
            .ring_bytes(stride, ENTRIES_OFFSET)
            .and_then(|bytes| bytes.checked_next_multiple_of(PAGE_SIZE))
            .ok_or(EINVAL)?;
        let mem = RingMem::new(bytes, max)?;
        let header = mem.as_ptr().cast::<ubsoft_ring_header>();
        // SAFETY: The memory has a header page, is aligned to pages, and is nobody else's yet.
        unsafe {
            (&raw mut (*header).magic).write_volatile(UBSOFT_RING_MAGIC);
            (&raw mut (*header).version).write_volatile(UBSOFT_RING_VERSION);
            (&raw mut (*header).kind).write_volatile(kind as u32);
            (&raw mut (*header).entries).write_volatile(geometry.entries());
            (&raw mut (*header).stride).write_volatile(stride);
        }
        Ok(mem)
    }

    /// Returns the size in entries.
    pub(crate) fn geometry(&self) -> Geometry {
        self.geometry
    }

    /// Returns the bytes from one entry to the next.
    pub(crate) fn stride(&self) -> u32 {
        self.stride
    }

    /// Returns the bytes to be mapped.
    pub(crate) fn len(&self) -> usize {
        self.mem.len()
    }

    /// Maps the ring.
    ///
    /// # Errors
    ///
    /// `EINVAL` for a mapping that is private, executable or not of exactly this length, and for a
    /// ring that is not shared.
    pub(crate) fn mmap(&self, vma: &VmaNew) -> Result {
        if !self.shared {
            return Err(EINVAL);
        }
        self.mem.mmap(vma, MapAccess::ReadWrite)
    }

    /// Returns the header.
    #[inline]
    fn header(&self) -> *mut ubsoft_ring_header {
        self.mem.as_ptr().cast()
    }

    /// Returns the user's index, any number; what the user wrote before it can be read after.
    #[inline]
    pub(crate) fn user_idx(&self) -> u32 {
        // SAFETY: In the header page, aligned; the kernel does not write it.
        unsafe { Atomic::from_ptr(&raw mut (*self.header()).user_idx) }.hot_load()
    }

    /// Publishes the index of the owner, who is in the kernel; all accesses before it are done.
    /// Nothing happens to the ring of a user.
    #[inline]
    pub(crate) fn set_user_idx(&self, index: u32) {
        if !self.shared {
            // SAFETY: In the header page, aligned; accessed atomically only.
            unsafe { atomic_store(&raw mut (*self.header()).user_idx, index, Release) };
        }
    }

    /// Returns the index that the kernel published; entries before it are its owner's.
    #[inline]
    pub(crate) fn kern_idx(&self) -> u32 {
        // SAFETY: In the header page, aligned; accessed atomically only.
        unsafe { Atomic::from_ptr(&raw mut (*self.header()).kern_idx) }.hot_load()
    }

    /// Publishes the kernel's index; all accesses before it are done.
    #[inline]
    pub(crate) fn set_kern_idx(&self, index: u32) {
        // SAFETY: In the header page, aligned; the kernel accesses it atomically only.
        unsafe { Atomic::from_ptr(&raw mut (*self.header()).kern_idx) }.hot_store(index);
    }

    /// Sets and clears flags.
    fn change_flags(&self, set: u32, clear: u32) {
        if !self.shared {
            return;
        }
        let mut flags = self.flags.lock();
        *flags = (*flags & !clear) | set;
        // SAFETY: In the header page, aligned; the kernel accesses it atomically only.
        unsafe { atomic_store(&raw mut (*self.header()).kern_flags, *flags, Relaxed) };
    }

    /// Raises a flag.
    pub(crate) fn raise(&self, flag: Flags) {
        self.change_flags(flag as u32, 0);
    }

    /// Lowers a flag.
    pub(crate) fn lower(&self, flag: Flags) {
        self.change_flags(0, flag as u32);
    }

    /// Returns the address of `len` bytes at offset `at` of an entry; `None` if they are not inside.
    #[inline]
    fn entry(&self, index: u32, at: usize, len: usize) -> Option<*mut u8> {
        if at.checked_add(len)? > self.stride as usize {
            return None;
        }
        let offset = self.geometry.offset(index, self.stride, ENTRIES_OFFSET)?;
        // By the type invariant inside of the memory, and `at` inside of the entry.
        Some(self.mem.as_ptr().wrapping_add(offset).wrapping_add(at))
    }

    /// Copies `N` words of an entry that begin at `at`, a multiple of 8; zeros if they are not
    /// inside.
    #[inline(always)]
    pub(crate) fn read_words<const N: usize>(&self, index: u32, at: usize) -> [u64; N] {
        let from = self.entry(index, at, N * 8).filter(|_| at % 8 == 0);
        let Some(from) = from.map(<*mut u8>::cast::<u64>) else {
            return [0; N];
        };
        // SAFETY: Inside of the entry, which is aligned to 8 as `at` is.
        core::array::from_fn(|i| u64::from_le(unsafe { from.add(i).read_volatile() }))
    }

    /// Copies the first `N` bytes of an entry; zeros if entries are not that long.
    #[inline]
    pub(crate) fn read_head<const N: usize>(&self, index: u32) -> [u8; N] {
        const { assert!(N % 8 == 0) };
        let mut head = [0; N];
        self.read(index, 0, &mut head);
        head
    }

    /// Copies bytes of an entry that begin at `at`, a multiple of 8; nothing if they are not
    /// inside.
    #[inline]
    pub(crate) fn read(&self, index: u32, at: usize, into: &mut [u8]) {
        let Some(from) = self.entry(index, at, into.len()) else {
            return;
        };
        if at % 8 != 0 {
            return;
        }
        let mut offset = 0;
        let mut words = into.chunks_exact_mut(8);
        for word in words.by_ref() {
            // SAFETY: Inside of the entry, which is aligned to 8 as `at` and `offset` are.
            let value = unsafe { from.add(offset).cast::<u64>().read_volatile() };
            word.copy_from_slice(&value.to_ne_bytes());
            offset += 8;
        }
        for (i, byte) in words.into_remainder().iter_mut().enumerate() {
            // SAFETY: Inside of the entry.
            *byte = unsafe { from.add(offset + i).read_volatile() };
        }
    }

    /// Writes bytes of an entry for its owner, who is in the kernel; nothing if they are not inside,
    /// or the ring is that of a user.
    pub(crate) fn write(&self, index: u32, at: usize, bytes: &[u8]) {
        if self.shared {
            return;
        }
        if let Some(to) = self.entry(index, at, bytes.len()) {
            // SAFETY: Inside of the entry, which nobody else accesses until it is published.
            unsafe { to.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
        }
    }

    /// Copies an entry to the place of another one, as [`Self::write`] does.
    pub(crate) fn copy_entry(&self, from: u32, to: u32) {
        if self.shared {
            return;
        }
        let len = self.stride as usize;
        if let (Some(from), Some(to)) = (self.entry(from, 0, len), self.entry(to, 0, len)) {
            // SAFETY: Both inside; nobody else accesses them; they may be the same.
            unsafe { to.copy_from(from, len) };
        }
    }

    /// Writes a completion: eight words, of which the upper half of the last is the sequence word
    /// that makes it valid, stored after all else.
    #[inline]
    pub(crate) fn write_completion(&self, index: u32, words: &[u64; 7], last: u32, seq: u32) {
        let Some(to) = self.entry(index, 0, 64) else {
            return;
        };
        for (i, word) in words.iter().enumerate() {
            // SAFETY: Inside of the entry, which is aligned to 8.
            unsafe { to.add(i * 8).cast::<u64>().write_volatile(word.to_le()) };
        }
        // SAFETY: As above.
        unsafe {
            to.add(56).cast::<u32>().write_volatile(last.to_le());
            Atomic::from_ptr(to.add(60).cast::<u32>()).hot_store(seq.to_le());
        }
    }
}
