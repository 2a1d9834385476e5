// SPDX-License-Identifier: GPL-2.0

//! Memory of a segment, and the right to use it for a while.

use super::{
    copy::{
        Dst,
        DstSpan,
        Src,
        SrcSpan, //
    },
    lent::Lent, //
};
use crate::kernel_ext::{
    arc::Arc,
    fault::{
        Fault,
        Outcome, //
    },
    hot::{
        HotCount,
        HotWord, //
    },
    kernel_mem::KernelMem,
    pinned::PinnedPages,
    poll::{
        mask,
        WaitQueue, //
    }, //
};
use core::{
    cell::UnsafeCell,
    marker::PhantomPinned,
    ptr::{
        null_mut,
        NonNull, //
    },
};
use kernel::{
    prelude::*,
    sync::{
        atomic::Atomic,
        rcu, //
    }, //
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

    /// Wakes those who wait.
    #[cold]
    fn last_left(&self) {
        self.0.notify(mask::IN);
    }
}

/// Memory of a segment.
pub(crate) enum Memory {
    /// Of a user.
    Pinned(PinnedPages),
    /// Of a kernel client.
    Kernel(KernelMem),
}

/// The first bytes of memory that are in one piece.
#[derive(Clone, Copy)]
struct Piece {
    at: *mut u8,
    len: usize,
    /// They may be written.
    writable: bool,
}

impl Memory {
    /// Returns the first piece.
    #[inline]
    fn first(&self) -> Piece {
        let first = match self {
            Self::Pinned(pages) => pages.first(),
            Self::Kernel(mem) => mem.run(0, mem.len()),
        };
        let (at, len) = first.unwrap_or((null_mut(), 0));
        Piece {
            at,
            len,
            writable: self.is_writable(),
        }
    }

    /// Returns where the byte at `offset` is, and how many of the `len` bytes from there on are
    /// contiguous.
    #[inline(always)]
    fn run(&self, offset: usize, len: usize) -> Option<(*mut u8, usize)> {
        match self {
            Self::Pinned(pages) => pages.run(offset, len),
            Self::Kernel(mem) => mem.run(offset, len),
        }
    }

    /// Returns where the byte at `offset` is, how many of the `len` bytes from there on follow it
    /// in its block, the blocks behind that, and the bytes of each of these.
    #[inline]
    fn span(&self, offset: usize, len: usize) -> Option<(usize, usize, &[usize], usize)> {
        match self {
            Self::Pinned(pages) => pages.span(offset, len),
            Self::Kernel(mem) => {
                let (ptr, run) = mem.run(offset, len)?;
                Some((ptr.expose_provenance(), run, &[], 0))
            }
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
/// * `first` is as [`Memory::first`] says, of what `pages` holds or held.
#[pin_data(PinnedDrop)]
pub(crate) struct Pages {
    users: Atomic<i32>,
    /// The first piece: all of a small segment.
    first: Piece,
    /// 1 as soon as somebody is to unpin.
    unpinned: Atomic<u32>,
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
    /// Initialises the object with what `make` puts into its place, or fails with its error.
    #[inline(always)]
    pub(crate) fn new(
        make: impl FnOnce(&mut Option<Memory>) -> Result,
        idle: Arc<Idle>,
        lent: Option<Pin<KBox<Lent>>>,
    ) -> impl PinInit<Self, Error> {
        // INVARIANT: No users; the first piece is as `Memory` says.
        try_pin_init!(Self {
            pages: UnsafeCell::new(None),
            first: {
                make(pages.get_mut())?;
                pages.get_mut().as_ref().ok_or(EINVAL)?.first()
            },
            users: Atomic::new(0),
            unpinned: Atomic::new(0),
            idle,
            lent,
            _pin: PhantomPinned,
        })
    }

    /// Begins to use the pages, unless they are revoked. `idle` must be the one of [`Self::new`],
    /// otherwise revocation waits too long.
    #[inline(always)]
    pub(crate) fn enter<'a>(&self, idle: &'a Idle) -> Option<PageUse<'a>> {
        self.enter_unless(REVOKED, idle)
    }

    /// The same for others than the owner: unless the pages are revoked, or left to the owner.
    #[inline(always)]
    pub(crate) fn enter_as_peer<'a>(&self, idle: &'a Idle) -> Option<PageUse<'a>> {
        self.enter_unless(REVOKED | PRIVATE, idle)
    }

    /// Begins to use the pages, unless one of these bits is set.
    #[inline(always)]
    fn enter_unless<'a>(&self, bits: i32, idle: &'a Idle) -> Option<PageUse<'a>> {
        let before = self.users.hot_add(1);
        // INVARIANT: Counted above.
        let this = PageUse {
            pages: NonNull::from(self),
            idle,
        };
        // When this returns nothing, the user leaves again.
        (before & bits == 0).then_some(this)
    }

    /// Begins to use the pages for the time of an RCU section, or less; `peer` is for others than
    /// their owner, as in [`Self::enter_as_peer`].
    #[inline(always)]
    pub(crate) fn enter_briefly<'g>(
        &'g self,
        _guard: &'g rcu::Guard,
        peer: bool,
    ) -> Option<BriefUse<'g>> {
        let bits = if peer { REVOKED | PRIVATE } else { REVOKED };
        let before = self.users.hot_add(1);
        // INVARIANT: Counted above.
        let this = BriefUse(self);
        // When this returns nothing, the user leaves again.
        (before & bits == 0).then_some(this)
    }

    /// Tells whether the pages are being taken away: long copies should end.
    #[inline]
    pub(crate) fn is_revoked(&self) -> bool {
        self.users.hot_load() & REVOKED != 0
    }

    /// Tells whether only the owner may use the pages, or nobody: long copies of others should end.
    #[inline]
    pub(crate) fn is_private(&self) -> bool {
        self.users.hot_load() & (REVOKED | PRIVATE) != 0
    }

    /// Sets a bit of the count.
    fn mark(&self, bit: i32) {
        let mut users = self.users.hot_load();
        while users & bit == 0 {
            match self.users.hot_cmpxchg(users, users | bit) {
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
        let is_idle = || self.users.hot_load() & !PRIVATE == REVOKED;
        if !is_idle() {
            self.idle.0.wait_uninterruptible(is_idle);
        }
    }

    /// Keeps new users out, waits until all have left, and unpins the pages. May sleep.
    pub(crate) fn revoke(&self) {
        self.wait_idle();
        self.close_windows();
        if self.unpinned.hot_xchg(1) == 0 {
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

/// A use of [`Pages`] inside of an RCU section that keeps the object; revocation waits for its end.
///
/// # Invariants
///
/// Counted in `users`, so the pinned pages stay.
pub(crate) struct BriefUse<'g>(&'g Pages);

impl BriefUse<'_> {
    /// Tells whether the pages are left to their owner, or being taken away.
    #[inline(always)]
    pub(crate) fn is_private(&self) -> bool {
        self.0.is_private()
    }

    /// Returns where the `len` bytes at `offset` are; `None` if they are not in one piece, or not
    /// all inside.
    #[inline(always)]
    fn piece(&self, offset: usize, len: usize) -> Option<*mut u8> {
        let end = offset.checked_add(len)?;
        if end <= self.0.first.len {
            return Some(self.0.first.at.wrapping_add(offset));
        }
        // SAFETY: Counted.
        unsafe { Self::later_piece(self.0, offset, len) }
    }

    /// The same for bytes that are not all in the first piece.
    ///
    /// # Safety
    ///
    /// The caller must be counted in `pages.users`.
    #[inline(never)]
    unsafe fn later_piece(pages: &Pages, offset: usize, len: usize) -> Option<*mut u8> {
        // SAFETY: There is a user, so nobody changes the field.
        let memory = unsafe { (*pages.pages.get()).as_ref() }?;
        let (ptr, run) = memory.run(offset, len)?;
        (run >= len).then_some(ptr)
    }

    /// Returns `len` bytes at `offset` for reading; `None` if they are not in one piece, or not all
    /// inside.
    #[inline(always)]
    pub(crate) fn read(&self, offset: usize, len: usize) -> Option<Src<'_>> {
        let ptr = self.piece(offset, len)?;
        // SAFETY: Pinned, or lent by its owner, as long as `self`; the kernel's mapping does not go.
        Some(unsafe { Src::new(ptr, len) })
    }

    /// The same for writing; `None` also if the memory was pinned for reading only.
    #[inline(always)]
    pub(crate) fn write(&self, offset: usize, len: usize) -> Option<Dst<'_>> {
        if !self.0.first.writable {
            return None;
        }
        let ptr = self.piece(offset, len)?;
        // SAFETY: As in `read`, and for writing.
        Some(unsafe { Dst::new(ptr, len) })
    }
}

impl Drop for BriefUse<'_> {
    #[inline(always)]
    fn drop(&mut self) {
        // The object stays for the RCU section, whatever the one who waits does.
        let before = self.0.users.hot_add(-1);
        if before & !PRIVATE == REVOKED + 1 {
            self.0.idle.last_left();
        }
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

    /// Returns the memory of a range, for reading; `None` unless the range is inside and not empty.
    #[inline]
    pub(crate) fn source(&self, offset: usize, len: usize) -> Option<SrcSpan<'_>> {
        let span = self.memory()?.span(offset, len)?;
        // SAFETY: Pinned, or lent by its owner, as long as `self`; the kernel's mapping does not go.
        Some(unsafe { SrcSpan::new(span, len) })
    }

    /// The same for writing; `None` also if the memory was pinned for reading only.
    #[inline]
    pub(crate) fn sink(&self, offset: usize, len: usize) -> Option<DstSpan<'_>> {
        let memory = self.memory()?;
        if !memory.is_writable() {
            return None;
        }
        let span = memory.span(offset, len)?;
        // SAFETY: As in `source`, and for writing.
        Some(unsafe { DstSpan::new(span, len) })
    }

    /// Returns where a range of a user's memory is, and how much of it is contiguous there.
    #[inline]
    pub(super) fn pinned_run(&self, offset: usize, len: usize) -> Option<(*mut u8, usize)> {
        match self.memory()? {
            Memory::Pinned(pages) => pages.run(offset, len),
            Memory::Kernel(_) => None,
        }
    }

    /// Returns the contiguous memory at the start of a range, for writing; `None` as for [`Self::sink`].
    #[inline]
    pub(crate) fn write(&self, offset: usize, len: usize) -> Option<Dst<'_>> {
        let memory = self.memory()?;
        if !memory.is_writable() {
            return None;
        }
        let (ptr, len) = memory.run(offset, len)?;
        // SAFETY: As in `sink`.
        Some(unsafe { Dst::new(ptr, len) })
    }
}

impl Drop for PageUse<'_> {
    #[inline]
    fn drop(&mut self) {
        // SAFETY: By the type invariant; not accessed after the count fell.
        let before = unsafe { self.pages.as_ref() }.users.hot_add(-1);
        if before & !PRIVATE == REVOKED + 1 {
            self.idle.last_left();
        }
    }
}
