// SPDX-License-Identifier: GPL-2.0

//! A table from ids to shared objects that is read without lock and without counting.
//!
//! The same as a [`HandleTable`], but readers are in an RCU section only. So an object taken out
//! stays valid for them: the table's reference is dropped after a grace period, on a workqueue.
//!
//! [`HandleTable`]: super::handle_table::HandleTable

use super::{
    id_space::{
        IdSpace,
        Newest, //
    },
    workqueue::WorkQueue, //
};
use core::{
    marker::PhantomData,
    ops::RangeInclusive,
    ptr::NonNull, //
};
use kernel::{
    bindings,
    container_of,
    prelude::*,
    sync::{
        atomic::{
            Acquire,
            Atomic,
            Relaxed,
            Release, //
        },
        rcu,
        Arc,
        ArcBorrow,
        LockClassKey, //
    },
    types::Opaque, //
};

/// An entry: the table's reference to an object, and the means to drop it later.
///
/// Made with the reservation, so that removing cannot fail.
#[pin_data]
struct Node<T: Send + Sync + 'static> {
    #[pin]
    work: Opaque<bindings::rcu_work>,
    id: u32,
    /// Set when the node is published.
    object: Option<Arc<T>>,
}

impl<T: Send + Sync + 'static> Node<T> {
    /// Makes a node without object.
    fn new(id: u32) -> Result<Pin<KBox<Self>>> {
        let init = pin_init!(Self {
            // SAFETY: `slot` is valid for writing; what `INIT_RCU_WORK()` does: the RCU head needs
            // no initialisation on the heap, the queue is set when the work is queued.
            work <- Opaque::ffi_init(|slot: *mut bindings::rcu_work| unsafe {
                slot.write_bytes(0, 1);
                bindings::init_work_with_key(
                    &raw mut (*slot).work,
                    Some(Self::drop_callback),
                    false,
                    c"IdMap".as_char_ptr(),
                    kernel::static_lock_class!().as_ptr(),
                )
            }),
            id,
            object: None,
        });
        KBox::pin_init(init, GFP_KERNEL_ACCOUNT)
    }

    /// Drops a node after the grace period.
    ///
    /// # Safety
    ///
    /// `work` must be that of a `Node<T>` that nobody else has any more.
    unsafe extern "C" fn drop_callback(work: *mut bindings::work_struct) {
        // SAFETY: By the function's contract; nodes are allocated by `KBox` and pinned.
        unsafe {
            let work = container_of!(work, bindings::rcu_work, work);
            let node = container_of!(Opaque::cast_from(work), Self, work).cast_mut();
            drop(Pin::new_unchecked(KBox::from_raw(node)));
        }
    }
}

/// Entries that are found without a walk through the tree.
const NEAR: usize = 256;

/// A table from ids to `Arc<T>` for readers in RCU sections.
///
/// # Invariants
///
/// Each entry is a published `Node<T>` that the table owns, and that is valid for a grace period
/// after it has been taken out. A pointer in `near` that is not null is that of an entry: both
/// change under the lock of `space`.
#[pin_data(PinnedDrop)]
pub(crate) struct IdMap<T: Send + Sync + 'static> {
    #[pin]
    space: IdSpace,
    /// The entry published last of those whose ids are equal modulo [`NEAR`], or null.
    near: [Atomic<*mut Node<T>>; NEAR],
    /// Where objects that were taken out are dropped.
    queue: Arc<WorkQueue>,
    _objects: PhantomData<Arc<T>>,
}

impl<T: Send + Sync + 'static> IdMap<T> {
    /// Makes an empty table; see [`new_id_map!`].
    ///
    /// Before its code goes, a module must have dropped `queue`, which waits for late drops.
    pub(crate) fn new(
        ids: RangeInclusive<u32>,
        queue: Arc<WorkQueue>,
        name: &'static CStr,
        key: Pin<&'static LockClassKey>,
    ) -> impl PinInit<Self> {
        pin_init!(Self {
            space <- IdSpace::new(ids, name, key),
            near: [const { Atomic::new(core::ptr::null_mut()) }; NEAR],
            queue,
            _objects: PhantomData,
        })
    }

    /// Completes a reservation, or frees the id again.
    fn reserved(&self, id: u32) -> Result<IdReservation<'_, T>> {
        let mut this = IdReservation {
            map: self,
            id,
            node: None,
        };
        this.node = Some(Node::new(id)?);
        Ok(this)
    }

    /// Reserves the next free id; `EBUSY` if all are taken, `ENOMEM`.
    pub(crate) fn reserve(&self) -> Result<IdReservation<'_, T>> {
        self.reserved(self.space.reserve()?)
    }

    /// Reserves the lowest free id of a range; errors as for [`Self::reserve`].
    pub(crate) fn reserve_in(&self, ids: RangeInclusive<u32>) -> Result<IdReservation<'_, T>> {
        self.reserved(self.space.reserve_in(ids)?)
    }

    /// Reserves the given id; `EBUSY` if it is taken.
    pub(crate) fn reserve_exact(&self, id: u32) -> Result<IdReservation<'_, T>> {
        self.space.reserve_exact(id)?;
        self.reserved(id)
    }

    /// Returns where an entry of this id may be found without a walk.
    #[inline]
    fn near(&self, id: u32) -> Option<&Atomic<*mut Node<T>>> {
        // CAST: Fits.
        self.near.get(id as usize % NEAR)
    }

    /// Borrows the object of an entry.
    ///
    /// # Safety
    ///
    /// `entry` must be in the table when `'g` begins, during all of which the caller must be in
    /// one RCU section or hold the lock.
    unsafe fn object<'g>(entry: NonNull<c_void>) -> Option<ArcBorrow<'g, T>> {
        // SAFETY: By the type invariant. Published nodes do not change.
        let node = unsafe { &*entry.as_ptr().cast::<Node<T>>() };
        node.object.as_ref().map(Arc::as_arc_borrow)
    }

    /// Looks an object up; it stays valid as long as the RCU section.
    #[inline]
    pub(crate) fn get_rcu<'g>(
        &'g self,
        _guard: &'g rcu::Guard,
        id: u32,
    ) -> Option<ArcBorrow<'g, T>> {
        let near = self.near(id)?.load(Acquire);
        // SAFETY: By the type invariant an entry, and valid in the RCU section of the guard.
        if !near.is_null() && unsafe { (*near).id } == id {
            // SAFETY: As above.
            return unsafe { (*near).object.as_ref() }.map(Arc::as_arc_borrow);
        }
        let entry = NonNull::new(self.space.load(id))?;
        // SAFETY: Loaded in the RCU section of the guard.
        unsafe { Self::object(entry) }
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
        let mut space = self.space.lock();
        let entry = NonNull::new(space.load(id))?;
        // SAFETY: In the table, whose lock is held.
        let object: Arc<T> = unsafe { Self::object(entry) }?.into();
        if !condition(&object) {
            // The table's reference is another one: this drop frees nothing.
            return None;
        }
        if let Some(near) = self.near(id) {
            // Unless another one has taken the place.
            let _ = near.cmpxchg(entry.as_ptr().cast(), core::ptr::null_mut(), Relaxed);
        }
        space.erase(id);
        drop(space);
        // SAFETY: Taken out once, so queued once; the callback owns the node.
        unsafe {
            let node = entry.as_ptr().cast::<Node<T>>();
            bindings::queue_rcu_work(self.queue.as_raw(), (*node).work.get());
        }
        Some(object)
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
        self.space.find(0..=u32::MAX).is_none()
    }
}

#[pinned_drop]
impl<T: Send + Sync + 'static> PinnedDrop for IdMap<T> {
    fn drop(self: Pin<&mut Self>) {
        // There can be no readers any more: they borrow the table.
        while let Some((id, entry)) = self.space.find(0..=u32::MAX) {
            self.space.lock().erase(id);
            // SAFETY: The table's node, no longer in it.
            drop(unsafe { Pin::new_unchecked(KBox::from_raw(entry.as_ptr().cast::<Node<T>>())) });
        }
    }
}

/// A reserved id of an [`IdMap`]; dropping it frees the id.
pub(crate) struct IdReservation<'a, T: Send + Sync + 'static> {
    map: &'a IdMap<T>,
    id: u32,
    /// The future entry; `None` only while the reservation begins or ends.
    node: Option<Pin<KBox<Node<T>>>>,
}

impl<T: Send + Sync + 'static> IdReservation<'_, T> {
    /// Returns the id.
    pub(crate) fn id(&self) -> u32 {
        self.id
    }

    /// Makes the object visible under the id; cannot fail.
    pub(crate) fn publish(mut self, object: Arc<T>) {
        let Some(mut node) = self.node.take() else {
            return;
        };
        *node.as_mut().project().object = Some(object);
        // SAFETY: The node does not move.
        let node = KBox::into_raw(unsafe { Pin::into_inner_unchecked(node) });
        // SAFETY: Not null: an allocation.
        let entry = unsafe { NonNull::new_unchecked(node.cast()) };
        let mut space = self.map.space.lock();
        // INVARIANT: The table takes the node; `near` follows under the same lock.
        space.publish(self.id, entry);
        if let Some(near) = self.map.near(self.id) {
            near.store(entry.as_ptr().cast(), Release);
        }
        drop(space);
        core::mem::forget(self);
    }
}

impl<T: Send + Sync + 'static> Drop for IdReservation<'_, T> {
    fn drop(&mut self) {
        self.map.space.lock().erase(self.id);
    }
}

/// An iterator over an [`IdMap`], see [`IdMap::newest_first`].
pub(crate) struct NewestFirst<'a, T: Send + Sync + 'static> {
    map: &'a IdMap<T>,
    cursor: Newest,
}

impl<T: Send + Sync + 'static> Iterator for NewestFirst<'_, T> {
    type Item = (u32, Arc<T>);

    fn next(&mut self) -> Option<Self::Item> {
        let space = self.map.space.lock();
        let (id, entry) = self.cursor.next(&space)?;
        // SAFETY: The lock is held.
        unsafe { IdMap::<T>::object(entry) }.map(|object| (id, object.into()))
    }
}

/// Makes the initialiser of an [`IdMap`] with a lock class of its own.
macro_rules! new_id_map {
    ($ids:expr, $queue:expr) => {
        $crate::kernel_ext::id_map::IdMap::new(
            $ids,
            $queue,
            ::kernel::optional_name!(),
            ::kernel::static_lock_class!(),
        )
    };
}
