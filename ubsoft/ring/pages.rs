// SPDX-License-Identifier: GPL-2.0

//! Memory of a segment, and the right to use it for a while.

use super::{
    copy::{
        Dst,
        Src, //
    },
    lent::Lent, //
};
use crate::kernel_ext::{
    fault::{
        Fault,
        Outcome, //
    },
    kernel_mem::KernelMem,
    pinned::PinnedPages,
    poll::{
        mask,
        WaitQueue, //
    },
};
use core::{
    cell::UnsafeCell,
    marker::PhantomPinned,
    ptr::NonNull, //
};
use kernel::{
    prelude::*,
    sync::{
        atomic::{
            Acquire,
            Atomic,
            Full,
            Relaxed, //
        },
        Arc, //
    },
};

/// The bit of the count that says: no more users.
const REVOKED: i32 = 1 << 30;
/// The bit that says: no more users but the owner.
const PRIVATE: i32 = 1 << 29;

/// Where those wait who revoke memory; one for the whole module.
///
/// It is apart from the memory, so that the last user does not touch what the waiter frees.
pub(crate) struct Idle(WaitQueue);

impl Idle {
    /// Makes one.
    pub(crate) fn new() -> Result<Self> {
        Ok(Self(WaitQueue::new()?))
    }
}

/// Memory of a segment.
pub(crate) enum Memory {
    /// Of a user.
    Pinned(PinnedPages),
    /// Of a kernel client.
    Kernel(KernelMem),
}

impl From<PinnedPages> for Memory {
    fn from(pages: PinnedPages) -> Self {
        Self::Pinned(pages)
    }
}

impl From<KernelMem> for Memory {
    fn from(mem: KernelMem) -> Self {
        Self::Kernel(mem)
    }
}

impl Memory {
    /// Returns where the byte at `offset` is, and how many of the `len` bytes from there on are
    /// contiguous.
    #[inline]
    fn run(&self, offset: usize, len: usize) -> Option<(*mut u8, usize)> {
        match self {
            Self::Pinned(pages) => pages.run(offset, len),
            Self::Kernel(mem) => mem.run(offset, len),
        }
    }

    /// Tells whether it may be written.
    #[inline]
    fn is_writable(&self) -> bool {
        match self {
            Self::Pinned(pages) => pages.is_writable(),
            Self::Kernel(_) => true,
        }
    }
}

/// Memory that is in use by copies, until it is revoked.
///
/// # Invariants
///
/// * `users` counts the [`PageUse`]s that exist, of which there are less than 2^29.
/// * `pages` is changed only by who set `unpinned`, when [`REVOKED`] is set and there are no users.
/// * The memory of this object stays until there are no users: it is pinned, and its drop revokes.
#[pin_data(PinnedDrop)]
pub(crate) struct Pages {
    users: Atomic<i32>,
    unpinned: Atomic<bool>,
    pages: UnsafeCell<Option<Memory>>,
    /// The same for all.
    idle: Arc<Idle>,
    /// The windows through which peers map the memory, if the owner has agreed to any.
    lent: Option<Pin<KBox<Lent>>>,
    #[pin]
    _pin: PhantomPinned,
}

// SAFETY: `Memory` is `Send`.
unsafe impl Send for Pages {}
// SAFETY: Shared access to `pages` is by users only, and exclusive access excludes them.
unsafe impl Sync for Pages {}

impl Pages {
    /// Initialises the object.
    pub(crate) fn new(
        pages: Memory,
        idle: Arc<Idle>,
        lent: Option<Pin<KBox<Lent>>>,
    ) -> impl PinInit<Self> {
        pin_init!(Self {
            users: Atomic::new(0),
            unpinned: Atomic::new(false),
            pages: UnsafeCell::new(Some(pages)),
            idle,
            lent,
            _pin: PhantomPinned,
        })
    }

    /// Begins to use the pages, unless they are revoked. `idle` must be the one of [`Self::new`],
    /// otherwise revocation waits too long.
    #[inline]
    pub(crate) fn enter<'a>(&self, idle: &'a Idle) -> Option<PageUse<'a>> {
        let before = self.users.fetch_add(1, Full);
        // INVARIANT: Counted above.
        let this = PageUse {
            pages: NonNull::from(self),
            idle,
        };
        // When this returns nothing, the user leaves again.
        (before & REVOKED == 0).then_some(this)
    }

    /// Tells whether the pages are being taken away: long copies should end.
    #[inline]
    pub(crate) fn is_revoked(&self) -> bool {
        self.users.load(Relaxed) & REVOKED != 0
    }

    /// Tells whether only the owner may use the pages, or nobody: long copies of others should end.
    #[inline]
    pub(crate) fn is_private(&self) -> bool {
        self.users.load(Relaxed) & (REVOKED | PRIVATE) != 0
    }

    /// Sets a bit of the count.
    fn mark(&self, bit: i32) {
        let mut users = self.users.load(Relaxed);
        while users & bit == 0 {
            match self.users.cmpxchg(users, users | bit, Full) {
                Ok(_) => break,
                Err(now) => users = now,
            }
        }
    }

    /// Leaves the pages to their owner. Does not wait for others who copy, and are to ask
    /// [`Self::is_private`]; windows are closed. May sleep.
    pub(crate) fn make_private(&self) {
        self.mark(PRIVATE);
        self.close_windows();
    }

    /// Returns the windows, if the owner has agreed to any.
    pub(crate) fn lent(&self) -> Option<&Lent> {
        self.lent.as_deref()
    }

    /// Sees to a fault in a window, at the page `index` of the memory.
    pub(crate) fn fault(&self, window: usize, fault: &Fault<'_>, index: usize) -> Outcome {
        match (self.lent(), self.enter(&self.idle)) {
            (Some(lent), Some(pages)) => lent.fault(window, fault, &pages, index),
            _ => Outcome::SIGBUS,
        }
    }

    /// Closes the windows: nobody has the pages mapped any more.
    fn close_windows(&self) {
        if let Some(lent) = self.lent() {
            lent.close();
        }
    }

    /// Keeps new users out and waits until all have left.
    fn wait_idle(&self) {
        self.mark(REVOKED);
        self.idle
            .0
            .wait_uninterruptible(|| self.users.load(Acquire) & !PRIVATE == REVOKED);
    }

    /// Keeps new users out, waits until all have left, and unpins the pages. May sleep.
    pub(crate) fn revoke(&self) {
        self.wait_idle();
        self.close_windows();
        if !self.unpinned.xchg(true, Full) {
            // SAFETY: By the type invariant nobody else accesses the field: there are no users and
            // never will be, and the flag lets one caller pass.
            drop(unsafe { (*self.pages.get()).take() });
        }
    }
}

#[pinned_drop]
impl PinnedDrop for Pages {
    fn drop(self: Pin<&mut Self>) {
        self.wait_idle();
        self.close_windows();
    }
}

/// A use of [`Pages`]; revocation waits for its end.
///
/// # Invariants
///
/// Counted in `pages.users`, so the object and its pinned pages stay.
pub(crate) struct PageUse<'a> {
    pages: NonNull<Pages>,
    idle: &'a Idle,
}

impl PageUse<'_> {
    /// Tells whether the pages are being taken away.
    #[inline]
    pub(crate) fn is_revoked(&self) -> bool {
        // SAFETY: By the type invariant.
        unsafe { self.pages.as_ref() }.is_revoked()
    }

    /// Tells whether the pages are left to their owner, or being taken away.
    #[inline]
    pub(crate) fn is_private(&self) -> bool {
        // SAFETY: By the type invariant.
        unsafe { self.pages.as_ref() }.is_private()
    }

    /// Returns the pages.
    #[inline]
    fn memory(&self) -> Option<&Memory> {
        // SAFETY: By the type invariant nobody changes the field.
        unsafe { (*self.pages.as_ref().pages.get()).as_ref() }
    }

    /// Returns the contiguous memory at the start of a range, for reading; `None` unless the range
    /// is inside and not empty.
    #[inline]
    pub(crate) fn read(&self, offset: usize, len: usize) -> Option<Src<'_>> {
        let (ptr, len) = self.memory()?.run(offset, len)?;
        // SAFETY: Pinned, or lent by its owner, as long as `self`; the kernel's mapping does not go.
        Some(unsafe { Src::new(ptr, len) })
    }

    /// Returns where a range of a user's memory is, and how much of it is contiguous there.
    #[inline]
    pub(super) fn pinned_run(&self, offset: usize, len: usize) -> Option<(*mut u8, usize)> {
        match self.memory()? {
            Memory::Pinned(pages) => pages.run(offset, len),
            Memory::Kernel(_) => None,
        }
    }

    /// The same for writing; `None` also if the memory was pinned for reading only.
    #[inline]
    pub(crate) fn write(&self, offset: usize, len: usize) -> Option<Dst<'_>> {
        let memory = self.memory()?;
        if !memory.is_writable() {
            return None;
        }
        let (ptr, len) = memory.run(offset, len)?;
        // SAFETY: As in `read`, and for writing.
        Some(unsafe { Dst::new(ptr, len) })
    }
}

impl Drop for PageUse<'_> {
    #[inline]
    fn drop(&mut self) {
        // SAFETY: By the type invariant; not accessed after the count fell.
        let before = unsafe { self.pages.as_ref() }.users.fetch_sub(1, Full);
        if before & !PRIVATE == REVOKED + 1 {
            self.idle.0.notify(mask::IN);
        }
    }
}
