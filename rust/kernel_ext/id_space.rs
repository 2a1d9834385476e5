// SPDX-License-Identifier: GPL-2.0

//! A sparse array of pointers with allocation of ids: what the typed tables have in common.
//!
//! C header: [`include/linux/xarray.h`](srctree/include/linux/xarray.h)

use crate::bindings_ub;
use core::{
    cell::UnsafeCell,
    ops::RangeInclusive,
    ptr::{
        null_mut,
        NonNull, //
    }, //
};
use kernel::{
    bindings,
    error::to_result,
    prelude::*,
    sync::LockClassKey,
    types::{
        NotThreadSafe,
        Opaque, //
    }, //
};

/// How the array's own memory is allocated: may sleep, charged to the memory cgroup.
const GFP: bindings::gfp_t = bindings::GFP_KERNEL_ACCOUNT;

/// An xarray whose ids are allocated in turn.
///
/// The lock of the array is a spinlock of process context, innermost, with the lock class of the
/// table. Dropping it frees the array, not what the entries point to.
#[pin_data(PinnedDrop)]
pub(super) struct IdSpace {
    #[pin]
    xa: Opaque<bindings::xarray>,
    /// Where the next search begins; protected by the lock of the array.
    next: UnsafeCell<u32>,
    min: u32,
    max: u32,
}

// SAFETY: All access is under the lock of the array, or by functions that take RCU.
unsafe impl Send for IdSpace {}
// SAFETY: As above.
unsafe impl Sync for IdSpace {}

impl IdSpace {
    /// Makes an empty space.
    pub(super) fn new(
        ids: RangeInclusive<u32>,
        name: &'static CStr,
        key: Pin<&'static LockClassKey>,
    ) -> impl PinInit<Self> {
        let (min, max) = ids.into_inner();
        pin_init!(Self {
            // SAFETY: `slot` is valid for writing, name and key are static.
            xa <- Opaque::ffi_init(move |slot| unsafe {
                bindings_ub::ub_helper_xa_init(
                    slot,
                    bindings::XA_FLAGS_ALLOC,
                    name.as_char_ptr(),
                    key.as_ptr(),
                )
            }),
            next: UnsafeCell::new(min),
            min,
            max,
        })
    }

    /// Locks the array.
    pub(super) fn lock(&self) -> Locked<'_> {
        // SAFETY: An initialised array.
        unsafe { bindings::xa_lock(self.xa.get()) };
        Locked {
            space: self,
            _not_send: NotThreadSafe,
        }
    }

    /// Returns the entry of `id`, nothing if the id is free or reserved.
    ///
    /// The entry may go at any time unless the caller prevents that.
    pub(super) fn load(&self, id: u32) -> *mut c_void {
        // SAFETY: An initialised array; takes RCU itself.
        unsafe { bindings::xa_load(self.xa.get(), id as usize) }
    }

    /// Returns the first entry in a range of ids.
    pub(super) fn find(&self, ids: RangeInclusive<u32>) -> Option<(u32, NonNull<c_void>)> {
        let (min, max) = ids.into_inner();
        let mut index = min as usize;
        // SAFETY: An initialised array; takes RCU itself.
        let entry = unsafe {
            bindings::xa_find(
                self.xa.get(),
                &mut index,
                max as usize,
                bindings::XA_PRESENT,
            )
        };
        // CAST: At most `max`.
        NonNull::new(entry).map(|entry| (index as u32, entry))
    }

    /// Reserves the next free id.
    ///
    /// # Errors
    ///
    /// `EBUSY` if all are taken, `ENOMEM`.
    pub(super) fn reserve(&self) -> Result<u32> {
        let limit = bindings::xa_limit {
            min: self.min,
            max: self.max,
        };
        let mut id = 0;
        let _guard = self.lock();
        // SAFETY: The lock is held; a null entry reserves.
        let ret = unsafe {
            bindings::__xa_alloc_cyclic(
                self.xa.get(),
                &mut id,
                null_mut(),
                limit,
                self.next.get(),
                GFP,
            )
        };
        to_result(ret)?;
        Ok(id)
    }

    /// Reserves the lowest free id of a range; errors as for [`Self::reserve`].
    pub(super) fn reserve_in(&self, ids: RangeInclusive<u32>) -> Result<u32> {
        let (min, max) = ids.into_inner();
        if min > max {
            return Err(EINVAL);
        }
        let mut id = 0;
        let _guard = self.lock();
        // SAFETY: The lock is held; a null entry reserves.
        to_result(unsafe {
            bindings::__xa_alloc(
                self.xa.get(),
                &mut id,
                null_mut(),
                bindings::xa_limit { min, max },
                GFP,
            )
        })?;
        Ok(id)
    }

    /// Reserves one id; `EBUSY` if it is taken.
    pub(super) fn reserve_exact(&self, id: u32) -> Result {
        let _guard = self.lock();
        // SAFETY: The lock is held; a null entry reserves.
        to_result(unsafe { bindings::__xa_insert(self.xa.get(), id as usize, null_mut(), GFP) })
    }

    /// Returns a cursor that goes from the newest entry to the oldest.
    pub(super) fn newest_first(&self) -> Newest {
        let _guard = self.lock();
        // SAFETY: The lock is held.
        let next = unsafe { *self.next.get() };
        Newest {
            pivot: next,
            below: u64::from(next),
            upper: false,
        }
    }
}

/// A position in the order of creation: ids go down from the last one allocated, then from the
/// largest to the one allocated next. (As long as ids have not wrapped twice during one's life.)
pub(super) struct Newest {
    /// The id where the search began.
    pivot: u32,
    /// All ids from here on have been seen, in the part that is being searched.
    below: u64,
    /// Whether the part above `pivot` is being searched.
    upper: bool,
}

impl Newest {
    /// Goes to the next older entry that is there now.
    pub(super) fn next(&mut self, space: &Locked<'_>) -> Option<(u32, NonNull<c_void>)> {
        loop {
            let lowest = if self.upper { self.pivot } else { 0 };
            if let Some((id, entry)) = space.last(lowest, self.below) {
                self.below = u64::from(id);
                return Some((id, entry));
            }
            if self.upper {
                return None;
            }
            self.upper = true;
            self.below = u64::from(u32::MAX) + 1;
        }
    }
}

#[pinned_drop]
impl PinnedDrop for IdSpace {
    fn drop(self: Pin<&mut Self>) {
        // SAFETY: Nobody else uses the array any more.
        unsafe { bindings::xa_destroy(self.xa.get()) };
    }
}

/// The locked array.
pub(super) struct Locked<'a> {
    space: &'a IdSpace,
    _not_send: NotThreadSafe,
}

impl Locked<'_> {
    /// Returns the entry of `id`; it stays while the lock is held.
    pub(super) fn load(&self, id: u32) -> *mut c_void {
        self.space.load(id)
    }

    /// Returns the last entry from `min` on and before `end`.
    ///
    /// The array cannot be searched backwards: this is a binary search for the last success.
    fn last(&self, min: u32, end: u64) -> Option<(u32, NonNull<c_void>)> {
        let max = u32::try_from(end.checked_sub(1)?).unwrap_or(u32::MAX);
        let mut found = self.space.find(min..=max)?;
        // Between `found` and `high` there may be more.
        let mut high = max;
        while found.0 < high {
            let middle = found.0 + (high - found.0).div_ceil(2);
            match self.space.find(middle..=high) {
                Some(later) => found = later,
                None => high = middle - 1,
            }
        }
        Some(found)
    }

    /// Turns a reserved id into an entry, which must not be null.
    ///
    /// Cannot fail: the reservation holds the memory.
    pub(super) fn publish(&mut self, id: u32, entry: NonNull<c_void>) {
        // SAFETY: The lock is held. Without memory to allocate, the lock is not dropped.
        unsafe { bindings::__xa_store(self.space.xa.get(), id as usize, entry.as_ptr(), 0) };
    }

    /// Frees an id and returns its entry, null if it was reserved only.
    pub(super) fn erase(&mut self, id: u32) -> *mut c_void {
        // SAFETY: The lock is held.
        unsafe { bindings::__xa_erase(self.space.xa.get(), id as usize) }
    }
}

impl Drop for Locked<'_> {
    fn drop(&mut self) {
        // SAFETY: Locked by `IdSpace::lock` on this thread.
        unsafe { bindings::xa_unlock(self.space.xa.get()) };
    }
}
