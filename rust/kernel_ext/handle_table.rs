// SPDX-License-Identifier: GPL-2.0

//! Tables from ids to shared objects, with ids that are allocated in turn and not reused soon.
//!
//! An id is reserved first and published when its object is complete; in between nobody sees it.

use super::{
    arc::{
        Arc,
        ArcBorrow, //
    },
    id_space::{
        IdSpace,
        Newest, //
    }, //
};
use core::{
    marker::PhantomData,
    ops::RangeInclusive,
    ptr::NonNull, //
};
use kernel::{
    bindings,
    prelude::*,
    sync::LockClassKey, //
};

/// A table from ids to `Arc<T>`.
///
/// Its lock is a spinlock, innermost, held for one look-up or change; process context only. No
/// object is dropped under it.
///
/// # Invariants
///
/// Each entry is the result of [`Arc::into_raw`], whose count the table owns.
#[pin_data(PinnedDrop)]
pub(crate) struct HandleTable<T: Send + Sync + 'static> {
    #[pin]
    space: IdSpace,
    _objects: PhantomData<Arc<T>>,
}

impl<T: Send + Sync + 'static> HandleTable<T> {
    /// Makes an empty table; see [`new_handle_table!`].
    pub(crate) fn new(
        ids: RangeInclusive<u32>,
        name: &'static CStr,
        key: Pin<&'static LockClassKey>,
    ) -> impl PinInit<Self> {
        const { assert!(core::mem::align_of::<T>() <= 4096) };
        pin_init!(Self {
            space <- IdSpace::new(ids, name, key),
            _objects: PhantomData,
        })
    }

    /// Reserves the next free id.
    ///
    /// # Errors
    ///
    /// `EBUSY` if all are taken, `ENOMEM`.
    pub(crate) fn reserve(&self) -> Result<Reservation<'_, T>> {
        let id = self.space.reserve()?;
        Ok(Reservation { table: self, id })
    }

    /// Reserves the given id; `EBUSY` if it is taken.
    pub(crate) fn reserve_exact(&self, id: u32) -> Result<Reservation<'_, T>> {
        self.space.reserve_exact(id)?;
        Ok(Reservation { table: self, id })
    }

    /// Counts a reference to the object of an entry.
    ///
    /// # Safety
    ///
    /// `entry` must be in the table while this runs.
    unsafe fn object(entry: NonNull<c_void>) -> Arc<T> {
        // SAFETY: By the type invariant, and the table's count keeps it.
        unsafe { ArcBorrow::from_raw(entry.as_ptr().cast::<T>()) }.into()
    }

    /// Looks an object up.
    pub(crate) fn get(&self, id: u32) -> Option<Arc<T>> {
        let space = self.space.lock();
        let entry = NonNull::new(space.load(id))?;
        // SAFETY: The lock is held.
        Some(unsafe { Self::object(entry) })
    }

    /// Takes an object out, unless the id is free or reserved only.
    pub(crate) fn remove(&self, id: u32) -> Option<Arc<T>> {
        self.remove_if(id, |_| true)
    }

    /// Takes an object out if it is there and `condition` holds.
    ///
    /// `condition` runs under the spinlock.
    pub(crate) fn remove_if(&self, id: u32, condition: impl FnOnce(&T) -> bool) -> Option<Arc<T>> {
        let mut space = self.space.lock();
        let slot = space.slot(id)?;
        let entry = NonNull::new(slot.entry())?;
        // SAFETY: The lock is held, so the table owns its count.
        if !condition(unsafe { entry.cast::<T>().as_ref() }) {
            return None;
        }
        space.erase_slot(id, slot);
        // SAFETY: The count that was the table's; no longer in the table.
        Some(unsafe { Arc::from_raw(entry.as_ptr().cast::<T>()) })
    }

    /// Takes out the object that was published last, by its id.
    pub(crate) fn pop_newest(&self) -> Option<(u32, Arc<T>)> {
        loop {
            let (id, _) = self.newest_first().next()?;
            if let Some(object) = self.remove(id) {
                return Some((id, object));
            }
        }
    }

    /// Goes through the objects from the newest to the oldest.
    ///
    /// Allocates nothing and holds no lock in between: objects may be removed meanwhile, also by
    /// the caller, and new ones are not visited.
    pub(crate) fn newest_first(&self) -> NewestFirst<'_, T> {
        NewestFirst {
            table: self,
            cursor: self.space.newest_first(),
        }
    }

    /// Tells whether there is no object; reserved ids do not count.
    pub(crate) fn is_empty(&self) -> bool {
        self.space.lock().is_empty()
    }
}

#[pinned_drop]
impl<T: Send + Sync + 'static> PinnedDrop for HandleTable<T> {
    fn drop(self: Pin<&mut Self>) {
        while let Some((_, object)) = self.pop_newest() {
            drop(object);
        }
    }
}

/// A reserved id; dropping it frees the id.
pub(crate) struct Reservation<'a, T: Send + Sync + 'static> {
    table: &'a HandleTable<T>,
    id: u32,
}

impl<T: Send + Sync + 'static> Reservation<'_, T> {
    /// Returns the id.
    pub(crate) fn id(&self) -> u32 {
        self.id
    }

    /// Makes the object visible under the id; cannot fail.
    pub(crate) fn publish(self, object: Arc<T>) {
        let entry = Arc::into_raw(object).cast_mut().cast();
        // SAFETY: Not null: it points into an allocation.
        let entry = unsafe { NonNull::new_unchecked(entry) };
        // INVARIANT: The table takes the count.
        self.table.space.lock().publish(self.id, entry);
        core::mem::forget(self);
    }
}

impl<T: Send + Sync + 'static> Drop for Reservation<'_, T> {
    fn drop(&mut self) {
        self.table.space.lock().erase(self.id);
    }
}

/// An iterator over a [`HandleTable`], see [`HandleTable::newest_first`].
pub(crate) struct NewestFirst<'a, T: Send + Sync + 'static> {
    table: &'a HandleTable<T>,
    cursor: Newest,
}

impl<T: Send + Sync + 'static> Iterator for NewestFirst<'_, T> {
    type Item = (u32, Arc<T>);

    fn next(&mut self) -> Option<Self::Item> {
        let mut space = self.table.space.lock();
        let (id, entry) = self.cursor.next(&mut space)?;
        // SAFETY: The lock is held.
        Some((id, unsafe { HandleTable::object(entry) }))
    }
}

/// Makes the initialiser of a [`HandleTable`] with a lock class of its own.
///
/// Without arguments, ids begin at 1.
macro_rules! new_handle_table {
    () => {
        new_handle_table!(1..=$crate::kernel_ext::id_space::LAST)
    };
    ($ids:expr) => {
        $crate::kernel_ext::handle_table::HandleTable::new(
            $ids,
            ::kernel::optional_name!(),
            ::kernel::static_lock_class!(),
        )
    };
}
