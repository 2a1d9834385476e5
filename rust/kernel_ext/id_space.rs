// SPDX-License-Identifier: GPL-2.0

//! Places by number, and which of them are free: what the typed tables have in common.
//!
//! Places are in chunks, which two levels of pointers lead to. They are allocated when a number is
//! first used, and stay as long as the space: whoever makes and destroys one object at a time
//! allocates nothing here. A freed number is used again only after [`REST`] others were freed.

use super::{
    hot::HotWord,
    spin::{
        HotSpinGuard,
        HotSpinLock, //
    },
};
use core::{
    cell::UnsafeCell,
    ops::RangeInclusive,
    ptr::{
        null,
        null_mut,
        NonNull, //
    },
};
use kernel::{
    prelude::*,
    sync::{
        atomic::{
            Acquire,
            Atomic,
            Relaxed,
            Release, //
        },
        LockClassKey, //
    },
};

/// Places of a chunk, chunks of a branch, branches of a space.
const CHUNK: usize = 64;
const BRANCH: usize = 256;
const ROOT: usize = 64;
/// The last number there can be.
pub(crate) const LAST: u32 = (CHUNK * BRANCH * ROOT - 1) as u32;
/// Free numbers that rest before one of them is used again.
const REST: u32 = 1024;
/// No number: the end of a list.
const NONE: u32 = u32::MAX;

/// What a place is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    /// Free, and in no list: above all that were allocated in turn, or not to be allocated so.
    Unused,
    /// In the list of free places.
    Free,
    /// Allocated, without entry.
    Reserved,
    /// With an entry, in the list of entries.
    Published,
}

/// What the lock protects of a place.
struct Place {
    state: State,
    /// Neighbours in the list that `state` says.
    prev: u32,
    next: u32,
    /// When it was published: later ones have larger numbers.
    born: u64,
}

/// A place for an entry.
pub(super) struct Slot {
    /// The entry, null without one. Changed under the lock, read without.
    entry: Atomic<*mut c_void>,
    place: UnsafeCell<Place>,
}

impl Slot {
    /// A free place.
    const fn new() -> Self {
        Self {
            entry: Atomic::new(null_mut()),
            place: UnsafeCell::new(Place {
                state: State::Unused,
                prev: NONE,
                next: NONE,
                born: 0,
            }),
        }
    }
}

type Chunk = [Slot; CHUNK];
type Branch = [Atomic<*mut Chunk>; BRANCH];

/// Makes an array in place, element by element.
fn new_array<T, const N: usize>(element: impl Fn() -> T) -> Result<KBox<[T; N]>> {
    let mut array = KBox::<[T; N]>::new_uninit(GFP_KERNEL_ACCOUNT)?;
    let first = array.as_mut_ptr().cast::<T>();
    for i in 0..N {
        // SAFETY: Inside of the allocation.
        unsafe { first.add(i).write(element()) };
    }
    // SAFETY: All elements are initialised.
    Ok(unsafe { array.assume_init() })
}

/// A list of places.
struct List {
    first: u32,
    last: u32,
    /// The place of `last`, null if there is none.
    tail: *const Slot,
    len: u32,
}

impl List {
    /// An empty list.
    const EMPTY: Self = Self {
        first: NONE,
        last: NONE,
        tail: null(),
        len: 0,
    };
}

/// What the lock protects of a space.
struct Inner {
    /// The places that were freed, in this order.
    free: List,
    /// The places with an entry, in the order of publication.
    live: List,
    /// No place from here on has been allocated in turn.
    fresh: u32,
    /// The branches that there are, a bit for each.
    branches: u64,
    /// How many entries there ever were.
    births: u64,
}

/// Numbers of a range that are allocated in turn, and entries under them.
///
/// The lock is a spinlock of process context, innermost, with the lock class of the table. Dropping
/// the space does not free what the entries point to.
///
/// # Invariants
///
/// Branches and chunks that are reachable from `root` stay as long as the space. The
/// [`Slot::place`]s are accessed under the lock only.
#[pin_data(PinnedDrop)]
pub(super) struct IdSpace {
    #[pin]
    inner: HotSpinLock<Inner>,
    root: [Atomic<*mut Branch>; ROOT],
    min: u32,
    max: u32,
}

// SAFETY: The pointers are to places of the same space.
unsafe impl Send for List {}

// SAFETY: Chunks and branches are owned, and what they hold is accessed by the rules above.
unsafe impl Send for IdSpace {}
// SAFETY: As above.
unsafe impl Sync for IdSpace {}

/// Splits a number into indices of root, branch and chunk.
#[inline]
const fn indices(id: u32) -> (usize, usize, usize) {
    // CAST: Fits.
    let id = id as usize;
    (id / (CHUNK * BRANCH), id / CHUNK % BRANCH, id % CHUNK)
}

impl IdSpace {
    /// Makes an empty space; numbers above [`LAST`] do not exist in any.
    pub(super) fn new(
        ids: RangeInclusive<u32>,
        name: &'static CStr,
        key: Pin<&'static LockClassKey>,
    ) -> impl PinInit<Self> {
        let (min, max) = ids.into_inner();
        let inner = Inner {
            free: List::EMPTY,
            live: List::EMPTY,
            fresh: min,
            branches: 0,
            births: 0,
        };
        pin_init!(Self {
            inner <- HotSpinLock::new(inner, name, key),
            root: [const { Atomic::new(null_mut()) }; ROOT],
            min,
            max: max.min(LAST),
        })
    }

    /// Locks the space.
    pub(super) fn lock(&self) -> Locked<'_> {
        Locked {
            space: self,
            inner: self.inner.lock(),
        }
    }

    /// Returns the place of a number, if its chunk is there.
    #[inline]
    pub(super) fn slot(&self, id: u32) -> Option<&Slot> {
        let (root, branch, slot) = indices(id);
        let branches = NonNull::new(peek(self.root.get(root)?))?;
        // SAFETY: By the type's invariant.
        let chunk = peek(unsafe { branches.as_ref() }.get(branch)?);
        // SAFETY: As above.
        unsafe { NonNull::new(chunk)?.as_ref() }.get(slot)
    }

    /// Returns the entry of `id`, nothing if the id is free or reserved.
    ///
    /// The entry may go at any time unless the caller prevents that.
    #[inline]
    pub(super) fn load(&self, id: u32) -> *mut c_void {
        self.slot(id)
            .map_or(null_mut(), |slot| slot.entry.hot_load())
    }

    /// Makes the place of a number.
    ///
    /// # Errors
    ///
    /// `EINVAL` for a number above [`LAST`], `ENOMEM`.
    fn grow(&self, id: u32) -> Result {
        const { assert!(ROOT <= u64::BITS as usize) };
        let (number, branch, _) = indices(id);
        let root = self.root.get(number).ok_or(EINVAL)?;
        if root.load(Acquire).is_null() {
            install(root, new_array(|| Atomic::new(null_mut()))?);
            self.lock().inner.branches |= 1 << number;
        }
        // SAFETY: By the type's invariant, which holds for what was installed.
        let branches = unsafe { NonNull::new(root.load(Acquire)).ok_or(EINVAL)?.as_ref() };
        let branch = branches.get(branch).ok_or(EINVAL)?;
        if branch.load(Acquire).is_null() {
            install(branch, new_array(Slot::new)?);
        }
        Ok(())
    }

    /// Reserves the next free number.
    ///
    /// # Errors
    ///
    /// `EBUSY` if all are taken, `ENOMEM`.
    pub(super) fn reserve(&self) -> Result<u32> {
        loop {
            // Unlocked before there is memory to be allocated.
            let allocated = self.lock().allocate()?;
            match allocated {
                Allocated::Id(id) => return Ok(id),
                Allocated::NeedsPlace(id) => self.grow(id)?,
            }
        }
    }

    /// Reserves one number; `EBUSY` if it is taken, `EINVAL` above [`LAST`], `ENOMEM`.
    pub(super) fn reserve_exact(&self, id: u32) -> Result {
        if self.slot(id).is_none() {
            self.grow(id)?;
        }
        self.lock().take(id)
    }

    /// Returns a cursor that goes from the newest entry to the oldest.
    pub(super) fn newest_first(&self) -> Newest {
        Newest {
            last: NONE,
            born: u64::MAX,
        }
    }
}

/// Loads a pointer, null or from [`install`]; without the call that an atomic load is.
#[inline]
fn peek<T>(place: &Atomic<*mut T>) -> *mut T {
    // SAFETY: A valid pointer. A volatile read of a word is atomic, as `READ_ONCE()` is, and what is
    // read through the pointer comes after it by its dependency on the address.
    unsafe { place.as_ptr().read_volatile() }
}

/// Lets `place` lead to `new`, unless another one was faster.
fn install<T>(place: &Atomic<*mut T>, new: KBox<T>) {
    let new = KBox::into_raw(new);
    if place.cmpxchg(null_mut(), new, Release).is_err() {
        // SAFETY: From `into_raw`, and nobody has seen it.
        drop(unsafe { KBox::from_raw(new) });
    }
}

#[pinned_drop]
impl PinnedDrop for IdSpace {
    fn drop(self: Pin<&mut Self>) {
        let mut left = self.lock().inner.branches;
        while left != 0 {
            // CAST: Fewer than 64.
            let root = self.root.get(left.trailing_zeros() as usize);
            left &= left.wrapping_sub(1);
            let Some(branches) = root.map(|root| root.load(Relaxed)) else {
                break;
            };
            if branches.is_null() {
                continue;
            }
            // SAFETY: Made by `install`, and nobody else uses the space any more.
            let branches = unsafe { KBox::from_raw(branches) };
            for chunk in branches.iter() {
                let chunk = chunk.load(Relaxed);
                if !chunk.is_null() {
                    // SAFETY: As above.
                    drop(unsafe { KBox::from_raw(chunk) });
                }
            }
        }
    }
}

/// The end of a search for a free number.
enum Allocated {
    /// It is reserved.
    Id(u32),
    /// It has no place yet.
    NeedsPlace(u32),
}

/// The locked space.
pub(super) struct Locked<'a> {
    space: &'a IdSpace,
    inner: HotSpinGuard<'a, Inner>,
}

impl Slot {
    /// Returns the entry, null without one; it stays while the space is locked.
    #[inline]
    pub(super) fn entry(&self) -> *mut c_void {
        self.entry.hot_load()
    }
}

impl<'a> Locked<'a> {
    /// Returns the place of a number.
    #[inline]
    pub(super) fn slot(&self, id: u32) -> Option<&'a Slot> {
        self.space.slot(id)
    }

    /// Returns what the lock protects of a place; `None` if there is no such place.
    fn place(&mut self, id: u32) -> Option<&mut Place> {
        let slot = self.space.slot(id)?;
        // SAFETY: By the type's invariant: the lock is held, and `self` borrowed as long as the
        // result.
        Some(unsafe { &mut *slot.place.get() })
    }

    /// Returns the list of places in a state.
    fn list(&mut self, state: State) -> &mut List {
        match state {
            State::Published => &mut self.inner.live,
            _ => &mut self.inner.free,
        }
    }

    /// Lets the list for `state` end with a place; returns the one before it. The place itself is
    /// the caller's to change.
    #[inline]
    fn append(&mut self, id: u32, slot: &Slot, state: State) -> u32 {
        let list = self.list(state);
        let last = core::mem::replace(&mut list.last, id);
        let tail = core::mem::replace(&mut list.tail, core::ptr::from_ref(slot));
        list.len += 1;
        // SAFETY: By the type's invariant, null or a place that stays; the lock is held.
        match unsafe { tail.as_ref() } {
            None => list.first = id,
            // SAFETY: As above, and nothing else borrows what the lock protects.
            Some(tail) => unsafe { (*tail.place.get()).next = id },
        }
        last
    }

    /// Takes a place that was in the list for `state`, between `prev` and `next`, out of it. The
    /// place itself is not accessed.
    #[inline]
    fn unlink(&mut self, state: State, prev: u32, next: u32) {
        let before = match prev {
            NONE => null(),
            prev => self.slot(prev).map_or(null(), core::ptr::from_ref),
        };
        let list = self.list(state);
        list.len -= 1;
        if next == NONE {
            list.last = prev;
            list.tail = before;
        }
        // SAFETY: By the type's invariant, null or a place that stays; the lock is held, and nothing
        // else borrows what it protects.
        match unsafe { before.as_ref() } {
            None => list.first = next,
            // SAFETY: As above.
            Some(before) => unsafe { (*before.place.get()).next = next },
        }
        if next != NONE {
            if let Some(place) = self.place(next) {
                place.prev = prev;
            }
        }
    }

    /// Reserves the free place that rested longest, or a fresh one.
    fn allocate(&mut self) -> Result<Allocated> {
        let max = self.space.max;
        while self.inner.free.len <= REST && self.inner.fresh <= max {
            let id = self.inner.fresh;
            let Some(place) = self.place(id) else {
                return Ok(Allocated::NeedsPlace(id));
            };
            let free = place.state == State::Unused;
            if free {
                place.state = State::Reserved;
            }
            self.inner.fresh += 1;
            if free {
                return Ok(Allocated::Id(id));
            }
        }
        let id = self.inner.free.first;
        self.take(id)?;
        Ok(Allocated::Id(id))
    }

    /// Reserves a place; `EBUSY` if it is not free.
    fn take(&mut self, id: u32) -> Result {
        let place = self.place(id).ok_or(EBUSY)?;
        let (state, prev, next) = (place.state, place.prev, place.next);
        match state {
            State::Unused | State::Free => place.state = State::Reserved,
            State::Reserved | State::Published => return Err(EBUSY),
        }
        if state == State::Free {
            self.unlink(state, prev, next);
        }
        Ok(())
    }

    /// Returns the entry of `id`; it stays while the lock is held.
    pub(super) fn load(&self, id: u32) -> *mut c_void {
        self.space.load(id)
    }

    /// Gives a reserved id an entry, which must not be null.
    pub(super) fn publish(&mut self, id: u32, entry: NonNull<c_void>) {
        let Some(slot) = self.slot(id) else {
            return;
        };
        let prev = self.append(id, slot, State::Published);
        self.inner.births += 1;
        // SAFETY: By the type's invariant: the lock is held.
        unsafe {
            *slot.place.get() = Place {
                state: State::Published,
                prev,
                next: NONE,
                born: self.inner.births,
            }
        };
        slot.entry.hot_store(entry.as_ptr());
    }

    /// Frees an id, which must have an entry or be reserved.
    pub(super) fn erase(&mut self, id: u32) {
        if let Some(slot) = self.slot(id) {
            self.erase_slot(id, slot);
        }
    }

    /// Does that, given the place of the id.
    #[inline]
    pub(super) fn erase_slot(&mut self, id: u32, slot: &Slot) {
        slot.entry.hot_store(null_mut());
        let rests = id >= self.space.min && id < self.inner.fresh;
        let last = if rests {
            self.append(id, slot, State::Free)
        } else {
            NONE
        };
        // SAFETY: By the type's invariant: the lock is held, and nothing else borrows the place.
        let place = unsafe { &mut *slot.place.get() };
        let (state, prev, next) = (place.state, place.prev, place.next);
        place.state = if rests { State::Free } else { State::Unused };
        (place.prev, place.next) = (last, NONE);
        if state == State::Published {
            self.unlink(state, prev, next);
        }
    }

    /// Tells whether there is no entry.
    pub(super) fn is_empty(&self) -> bool {
        self.inner.live.len == 0
    }

    /// Returns the last entry that was published before `born`, starting at the number `id`.
    fn newest(&mut self, mut id: u32, born: u64) -> Option<(u32, u64, NonNull<c_void>)> {
        loop {
            let place = self.place(id)?;
            if place.born < born {
                let born = place.born;
                return NonNull::new(self.load(id)).map(|entry| (id, born, entry));
            }
            id = place.prev;
        }
    }
}

/// A position in the order of publication, from the newest entry to the oldest.
pub(super) struct Newest {
    /// The entry that was seen last.
    last: u32,
    /// When it was published; older ones have not been seen.
    born: u64,
}

impl Newest {
    /// Goes to the next older entry that is there now.
    pub(super) fn next(&mut self, space: &mut Locked<'_>) -> Option<(u32, NonNull<c_void>)> {
        let (last, born) = (self.last, self.born);
        // From where this was last, if that is still there.
        let start = match space.place(last) {
            Some(place) if place.state == State::Published && place.born == born => place.prev,
            _ => space.inner.live.last,
        };
        let (id, born, entry) = space.newest(start, born)?;
        *self = Self { last: id, born };
        Some((id, entry))
    }
}
