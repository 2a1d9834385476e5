// SPDX-License-Identifier: GPL-2.0

//! A table from ids to shared objects that is read without lock and without counting.
//!
//! The same as a [`HandleTable`], but readers are in an RCU section only. So an object taken out
//! stays valid for them: the table's reference is dropped after a grace period, by a [`Reaper`].
//!
//! [`HandleTable`]: super::handle_table::HandleTable

use super::{
    arc::{
        Arc,
        ArcBorrow, //
    },
    hot::{
        HotCount,
        HotWord, //
    },
    id_space::{
        IdSpace,
        Newest, //
    },
    reaper::{
        Doomed,
        Reaper, //
    }, //
};
use core::{
    cell::UnsafeCell,
    marker::PhantomData,
    ops::RangeInclusive,
    ptr::{
        null,
        NonNull, //
    }, //
};
use kernel::{
    prelude::*,
    sync::{
        atomic::Atomic,
        rcu,
        LockClassKey, //
    }, //
};

/// The last generation that a table had, of all in the module: so it names the table too.
static LAST_GENERATION: Atomic<u64> = Atomic::new(0);

/// Returns a generation, not 0, that no table has had.
fn new_generation() -> u64 {
    LAST_GENERATION.hot_add(1).wrapping_add(1)
}

/// What an object has in itself to be in an [`IdMap`]: the means to drop the table's reference
/// later, so that neither adding nor removing it allocates anything.
///
/// It does for one stay in one table, ever.
#[repr(C)]
pub(crate) struct Link {
    /// At the start: what the reaper gets. Used by the table alone, once the object is its.
    doomed: UnsafeCell<Doomed>,
    /// The object as [`Arc::into_raw`] has it; likewise.
    object: UnsafeCell<*const c_void>,
    /// 1 as soon as a table has the object.
    taken: Atomic<u32>,
}

// SAFETY: No more than two pointers, of which the first user of `taken` alone makes use.
unsafe impl Send for Link {}
// SAFETY: As above.
unsafe impl Sync for Link {}

impl Link {
    /// Makes the link of an object that is in no table.
    pub(crate) const fn new() -> Self {
        Self {
            doomed: UnsafeCell::new(Doomed::new(Self::keep)),
            object: UnsafeCell::new(null()),
            taken: Atomic::new(0),
        }
    }

    /// Stands for the drop of an object in no table.
    ///
    /// # Safety
    ///
    /// None.
    unsafe fn keep(_doomed: *mut Doomed) {}

    /// Drops the table's reference to an object.
    ///
    /// # Safety
    ///
    /// `doomed` must be that of the link of an object that a table of `T` had, once.
    unsafe fn reap<T>(doomed: *mut Doomed) {
        // SAFETY: By the function's contract, with the pointer of `IdReservation::publish`.
        drop(unsafe {
            let object = *(*doomed.cast::<Self>()).object.get();
            Arc::from_raw(object.cast::<T>())
        });
    }
}

/// An object that can be in an [`IdMap`].
///
/// # Safety
///
/// The link must be a part of the object, and always the same one.
pub(crate) unsafe trait Linked: Send + Sync + 'static {
    /// Returns the link.
    fn link(&self) -> &Link;
}

/// A table from ids to `Arc<T>` for readers in RCU sections.
///
/// # Invariants
///
/// Each entry is what [`Arc::into_raw`] returned. The table owns its count, and keeps it for a grace
/// period after it has been taken out.
#[pin_data(PinnedDrop)]
pub(crate) struct IdMap<T: Linked> {
    #[pin]
    space: IdSpace,
    /// Who drops what was taken out.
    reaper: Arc<Reaper>,
    /// Changes when something has been taken out, to what no table has had.
    generation: Atomic<u64>,
    _objects: PhantomData<Arc<T>>,
}

impl<T: Linked> IdMap<T> {
    /// Makes an empty table; see [`new_id_map!`].
    ///
    /// Before its code goes, a module must have dropped `reaper`, which waits for late drops.
    pub(crate) fn new(
        ids: RangeInclusive<u32>,
        reaper: Arc<Reaper>,
        name: &'static CStr,
        key: Pin<&'static LockClassKey>,
    ) -> impl PinInit<Self> {
        pin_init!(Self {
            space <- IdSpace::new(ids, name, key),
            generation: Atomic::new(new_generation()),
            reaper,
            _objects: PhantomData,
        })
    }

    /// Reserves the next free id; `EBUSY` if all are taken, `ENOMEM`.
    pub(crate) fn reserve(&self) -> Result<IdReservation<'_, T>> {
        Ok(IdReservation {
            map: self,
            id: self.space.reserve()?,
        })
    }

    /// Reserves the given id; `EBUSY` if it is taken.
    pub(crate) fn reserve_exact(&self, id: u32) -> Result<IdReservation<'_, T>> {
        self.space.reserve_exact(id)?;
        Ok(IdReservation { map: self, id })
    }

    /// Borrows the object of an entry.
    ///
    /// # Safety
    ///
    /// `entry` must be in the table when `'g` begins, during all of which the caller must be in
    /// one RCU section or hold the lock.
    #[inline(always)]
    unsafe fn object<'g>(entry: NonNull<c_void>) -> ArcBorrow<'g, T> {
        // SAFETY: By the type invariant, and the function's contract.
        unsafe { ArcBorrow::from_raw(entry.as_ptr().cast()) }
    }

    /// Looks an object up; it stays valid as long as the RCU section.
    #[inline]
    pub(crate) fn get_rcu<'g>(
        &'g self,
        _guard: &'g rcu::Guard,
        id: u32,
    ) -> Option<ArcBorrow<'g, T>> {
        let entry = NonNull::new(self.space.load(id))?;
        // SAFETY: Loaded in the RCU section of the guard.
        Some(unsafe { Self::object(entry) })
    }

    /// Looks an object up as [`Self::get_rcu`] does.
    #[inline(always)]
    pub(crate) fn find<'g>(&'g self, _guard: &'g rcu::Guard, id: u32) -> Option<&'g T> {
        let entry = NonNull::new(self.space.load(id))?;
        // SAFETY: By the type invariant, valid as long as the RCU section.
        Some(unsafe { entry.cast().as_ref() })
    }

    /// Looks an object up as [`Self::find`] does, or remembers: a few instructions if the one of
    /// this id was found by the same memo before, and nothing has been taken out since.
    #[inline(always)]
    pub(crate) fn recall<'g>(
        &'g self,
        guard: &'g rcu::Guard,
        memo: &mut Memo<T>,
        id: u32,
    ) -> Option<&'g T> {
        let generation = self.generation.hot_load();
        if memo.id == id && memo.generation == generation {
            // SAFETY: No other table ever had this generation, so it was found in this one,
            // and nothing has been taken out of it before the RCU section began: otherwise its
            // grace period is not over, or the section sees the new generation, which is stored
            // before the grace period begins. So the object is valid as long as the section.
            return Some(unsafe { &*memo.object });
        }
        self.find_for(guard, memo, id, generation)
    }

    /// The part of [`Self::recall`] that looks the object up. The generation was loaded before, so
    /// if the object is taken out after it was found here, the generation is another one.
    #[inline(never)]
    fn find_for<'g>(
        &'g self,
        guard: &'g rcu::Guard,
        memo: &mut Memo<T>,
        id: u32,
        generation: u64,
    ) -> Option<&'g T> {
        let object = self.find(guard, id)?;
        (memo.id, memo.generation, memo.object) = (id, generation, object);
        Some(object)
    }

    /// Looks an object up and counts a reference.
    pub(crate) fn get(&self, id: u32) -> Option<Arc<T>> {
        let guard = rcu::read_lock();
        self.get_rcu(&guard, id).map(Arc::from)
    }

    /// Takes an object out, unless the id is free or reserved only.
    ///
    /// Readers may use the object for another grace period.
    pub(crate) fn remove(&self, id: u32) -> Option<Arc<T>> {
        self.remove_if(id, |_| true)
    }

    /// Takes an object out if it is there and `condition` holds; that runs under the spinlock.
    pub(crate) fn remove_if(&self, id: u32, condition: impl FnOnce(&T) -> bool) -> Option<Arc<T>> {
        self.take_out(id, |object| condition(&object).then(|| object.into()))
    }

    /// Takes an object out as [`Self::remove`] does, without a reference for the caller; tells
    /// whether there was one.
    pub(crate) fn withdraw(&self, id: u32) -> bool {
        self.take_out(id, |_| Some(())).is_some()
    }

    /// Takes an object out if it is there and `decide` returns something, which is the result; that
    /// runs under the spinlock.
    #[inline]
    fn take_out<R>(
        &self,
        id: u32,
        decide: impl FnOnce(ArcBorrow<'_, T>) -> Option<R>,
    ) -> Option<R> {
        let mut space = self.space.lock();
        let slot = space.slot(id)?;
        let entry = NonNull::new(slot.entry())?;
        // SAFETY: In the table, whose lock is held.
        let object = unsafe { Self::object(entry) };
        let result = decide(object)?;
        let doomed = object.link().doomed.get();
        space.erase_slot(id, slot);
        // After the entry is gone, and before its grace period.
        self.generation.hot_store(new_generation());
        drop(space);
        // SAFETY: Taken out once, so retired once; made ready when it was published.
        unsafe { self.reaper.retire(doomed) };
        Some(result)
    }

    /// Goes through the objects as [`HandleTable::newest_first`] does.
    ///
    /// [`HandleTable::newest_first`]: super::handle_table::HandleTable::newest_first
    pub(crate) fn newest_first(&self) -> NewestFirst<'_, T> {
        NewestFirst {
            map: self,
            cursor: self.space.newest_first(),
        }
    }

    /// Tells whether there is no object; reserved ids do not count.
    pub(crate) fn is_empty(&self) -> bool {
        self.space.lock().is_empty()
    }
}

#[pinned_drop]
impl<T: Linked> PinnedDrop for IdMap<T> {
    fn drop(self: Pin<&mut Self>) {
        // There can be no readers any more: they borrow the table.
        loop {
            let mut space = self.space.lock();
            let Some((id, entry)) = self.space.newest_first().next(&mut space) else {
                break;
            };
            space.erase(id);
            drop(space);
            // SAFETY: The table's count, no longer in it.
            drop(unsafe { Arc::from_raw(entry.as_ptr().cast::<T>()) });
        }
    }
}

/// What was found last in tables, for [`IdMap::recall`].
pub(crate) struct Memo<T> {
    /// That of the table when `object` was found under `id`; 0 before.
    generation: u64,
    id: u32,
    object: *const T,
}

// SAFETY: The pointer is followed only by who could find it in the table too.
unsafe impl<T: Sync> Send for Memo<T> {}
// SAFETY: As above.
unsafe impl<T: Sync> Sync for Memo<T> {}

impl<T> Memo<T> {
    /// Makes one that remembers nothing.
    pub(crate) const fn new() -> Self {
        Self {
            generation: 0,
            id: 0,
            object: core::ptr::null(),
        }
    }
}

/// A reserved id of an [`IdMap`]; dropping it frees the id.
pub(crate) struct IdReservation<'a, T: Linked> {
    map: &'a IdMap<T>,
    id: u32,
}

impl<T: Linked> IdReservation<'_, T> {
    /// Returns the id.
    pub(crate) fn id(&self) -> u32 {
        self.id
    }

    /// Makes the object visible under the id; cannot fail.
    ///
    /// An object that was in a table before is not made visible, which is a fault of the caller.
    pub(crate) fn publish(self, object: Arc<T>) {
        let link = object.link();
        if link.taken.hot_cmpxchg(0, 1).is_err() {
            pr_warn_ratelimited!("an object for a second table\n");
            return;
        }
        let (doomed, raw) = (link.doomed.get(), link.object.get());
        let object = Arc::into_raw(object).cast::<c_void>();
        // SAFETY: The first user of the link, in an object that is not dropped before it has been
        // taken out again.
        unsafe {
            *doomed = Doomed::new(Link::reap::<T>);
            *raw = object;
        }
        // SAFETY: Not null: it points into an allocation.
        let entry = unsafe { NonNull::new_unchecked(object.cast_mut()) };
        // INVARIANT: The table takes the count.
        self.map.space.lock().publish(self.id, entry);
        core::mem::forget(self);
    }
}

impl<T: Linked> Drop for IdReservation<'_, T> {
    fn drop(&mut self) {
        self.map.space.lock().erase(self.id);
    }
}

/// An iterator over an [`IdMap`], see [`IdMap::newest_first`].
pub(crate) struct NewestFirst<'a, T: Linked> {
    map: &'a IdMap<T>,
    cursor: Newest,
}

impl<T: Linked> Iterator for NewestFirst<'_, T> {
    type Item = (u32, Arc<T>);

    fn next(&mut self) -> Option<Self::Item> {
        let mut space = self.map.space.lock();
        let (id, entry) = self.cursor.next(&mut space)?;
        // SAFETY: The lock is held.
        Some((id, unsafe { IdMap::<T>::object(entry) }.into()))
    }
}

/// Makes the initialiser of an [`IdMap`] with a lock class of its own.
macro_rules! new_id_map {
    ($ids:expr, $reaper:expr) => {
        $crate::kernel_ext::id_map::IdMap::new(
            $ids,
            $reaper,
            ::kernel::optional_name!(),
            ::kernel::static_lock_class!(),
        )
    };
}
