// SPDX-License-Identifier: GPL-2.0

//! Counted pointers of objects that come and go with commands.
//!
//! As those of the kernel crate, with two differences. Counts are changed by instructions instead
//! of calls, see [`hot`](super::hot); and the memory comes from `kmalloc()` itself instead of
//! `krealloc()` in two layers, which is most of the cost of small allocations.

use super::hot::HotCount;
use crate::bindings_ub;
use core::{
    alloc::Layout,
    marker::PhantomData,
    mem::{
        offset_of,
        ManuallyDrop,
        MaybeUninit, //
    },
    ops::Deref,
    ptr::NonNull, //
};
use kernel::{
    alloc::{
        allocator::Kmalloc,
        AllocError,
        Allocator,
        Flags,
        NumaNode, //
    },
    bindings,
    prelude::*,
    sync::atomic::Atomic,
    workqueue::{
        HasWork,
        RawWorkItem,
        Work,
        WorkItem,
        WorkItemPointer, //
    },
};

/// What an [`Arc`] points to.
#[repr(C)]
struct Inner<T> {
    /// The count, as that of a `refcount_t`.
    refs: Atomic<i32>,
    data: T,
}

impl<T> Inner<T> {
    /// Says that the count is wrong, and lets the object stay for good.
    #[cold]
    #[inline(never)]
    fn saturate(&self, how: bindings::refcount_saturation_type) {
        // SAFETY: A `refcount_t` is an atomic integer.
        unsafe { bindings::refcount_warn_saturate(self.refs.as_ptr().cast(), how) };
    }
}

/// A counted pointer to a pinned object, which goes with the last of them.
///
/// # Invariants
///
/// `inner` is from [`allocate`], initialised, and one of its counts belongs to this.
#[repr(transparent)]
pub(crate) struct Arc<T> {
    inner: NonNull<Inner<T>>,
    _owns: PhantomData<Inner<T>>,
}

// SAFETY: Shares the object between threads, and the last one drops it.
unsafe impl<T: Send + Sync> Send for Arc<T> {}
// SAFETY: As above: who shares a pointer may clone it.
unsafe impl<T: Send + Sync> Sync for Arc<T> {}

// The object is pinned, not the pointer.
impl<T> Unpin for Arc<T> {}

/// Allocates what `kfree()` frees.
#[inline]
fn allocate(layout: Layout, flags: Flags) -> Result<NonNull<u8>, AllocError> {
    let layout = Kmalloc::aligned_layout(layout);
    let account = flags == GFP_KERNEL_ACCOUNT;
    if account || flags == GFP_KERNEL {
        // SAFETY: No requirements.
        let ptr = unsafe { bindings_ub::ub_helper_kmalloc(layout.size(), account) };
        return NonNull::new(ptr.cast()).ok_or(AllocError);
    }
    Ok(Kmalloc::alloc(layout, flags, NumaNode::NO_NODE)?.cast())
}

impl<T> Arc<T> {
    /// Where the object is in the allocation.
    const OFFSET: usize = offset_of!(Inner<T>, data);

    /// Moves an object to where it is counted.
    #[inline(always)]
    pub(crate) fn new(contents: T, flags: Flags) -> Result<Self, AllocError> {
        let place = UniqueArc::new_uninit(flags)?;
        Ok(place.write(contents).into())
    }

    /// Makes an object in its place.
    ///
    /// # Errors
    ///
    /// `ENOMEM`, or what `init` fails with.
    #[inline(always)]
    pub(crate) fn pin_init<E>(init: impl PinInit<T, E>, flags: Flags) -> Result<Self>
    where
        Error: From<E>,
    {
        let place = UniqueArc::<T>::new_uninit(flags)?;
        // SAFETY: Room for the object, which is not moved from there.
        unsafe { pin_init::raw_try_init(place.as_mut_ptr(), init) }?;
        // SAFETY: Initialised.
        Ok(unsafe { place.assume_init() }.into())
    }

    /// Gives the count away as a pointer to the object.
    #[inline]
    pub(crate) fn into_raw(this: Self) -> *const T {
        Self::as_ptr(&ManuallyDrop::new(this))
    }

    /// Takes the count back that [`Self::into_raw`] gave away.
    ///
    /// # Safety
    ///
    /// `ptr` must be from [`Self::into_raw`], of which each result may be used once.
    #[inline]
    pub(crate) unsafe fn from_raw(ptr: *const T) -> Self {
        // SAFETY: By the function's contract, so far behind the begin of the allocation.
        let inner = unsafe { ptr.byte_sub(Self::OFFSET) };
        Self {
            // SAFETY: Not null: an allocation.
            inner: unsafe { NonNull::new_unchecked(inner.cast_mut().cast()) },
            _owns: PhantomData,
        }
    }

    /// Returns where the object is.
    #[inline]
    pub(crate) fn as_ptr(this: &Self) -> *const T {
        // SAFETY: By the type's invariant.
        unsafe { &raw const (*this.inner.as_ptr()).data }
    }

    /// Tells whether both point to the same object.
    #[inline]
    pub(crate) fn ptr_eq(this: &Self, other: &Self) -> bool {
        this.inner == other.inner
    }

    /// Borrows the count.
    #[inline]
    pub(crate) fn as_arc_borrow(&self) -> ArcBorrow<'_, T> {
        ArcBorrow {
            inner: self.inner,
            _borrow: PhantomData,
        }
    }

    /// Returns what is allocated.
    #[inline]
    fn inner(&self) -> &Inner<T> {
        // SAFETY: By the type's invariant.
        unsafe { self.inner.as_ref() }
    }

    /// Drops the object, and frees the memory.
    ///
    /// # Safety
    ///
    /// `inner` must be from [`allocate`], initialised, and without any count.
    #[inline(never)]
    unsafe fn free(inner: NonNull<Inner<T>>) {
        // SAFETY: Nobody has the object any more; allocated by `allocate`.
        unsafe {
            core::ptr::drop_in_place(&raw mut (*inner.as_ptr()).data);
            bindings::kfree(inner.as_ptr().cast());
        }
    }
}

impl<T> Deref for Arc<T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        &self.inner().data
    }
}

impl<T> AsRef<T> for Arc<T> {
    fn as_ref(&self) -> &T {
        self
    }
}

impl<T> Clone for Arc<T> {
    #[inline]
    fn clone(&self) -> Self {
        if self.inner().refs.hot_add(1) <= 0 {
            let how = bindings::refcount_saturation_type_REFCOUNT_ADD_UAF;
            self.inner().saturate(how);
        }
        // INVARIANT: Counted.
        Self {
            inner: self.inner,
            _owns: PhantomData,
        }
    }
}

impl<T> Drop for Arc<T> {
    #[inline]
    fn drop(&mut self) {
        match self.inner().refs.hot_add(-1) {
            // SAFETY: It was the last one.
            1 => unsafe { Self::free(self.inner) },
            2.. => (),
            _ => {
                let how = bindings::refcount_saturation_type_REFCOUNT_SUB_UAF;
                self.inner().saturate(how);
            }
        }
    }
}

impl<T> From<ArcBorrow<'_, T>> for Arc<T> {
    #[inline]
    fn from(borrow: ArcBorrow<'_, T>) -> Self {
        borrow.as_arc().deref().clone()
    }
}

impl<T> From<UniqueArc<T>> for Arc<T> {
    #[inline]
    fn from(unique: UniqueArc<T>) -> Self {
        unique.0
    }
}

/// A count of an [`Arc`] that somebody lends.
///
/// # Invariants
///
/// `inner` is that of an `Arc` which exists during `'a`.
pub(crate) struct ArcBorrow<'a, T> {
    inner: NonNull<Inner<T>>,
    _borrow: PhantomData<&'a T>,
}

// SAFETY: As a reference to an `Arc`.
unsafe impl<T: Send + Sync> Send for ArcBorrow<'_, T> {}
// SAFETY: As above.
unsafe impl<T: Send + Sync> Sync for ArcBorrow<'_, T> {}

impl<T> Clone for ArcBorrow<'_, T> {
    #[inline]
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for ArcBorrow<'_, T> {}

impl<T> ArcBorrow<'_, T> {
    /// Borrows a count that [`Arc::into_raw`] gave away.
    ///
    /// # Safety
    ///
    /// `ptr` must be from there, and not be given back during the lifetime of the result.
    #[inline]
    pub(crate) unsafe fn from_raw(ptr: *const T) -> Self {
        // SAFETY: By the function's contract; the count is not dropped.
        let arc = ManuallyDrop::new(unsafe { Arc::from_raw(ptr) });
        Self {
            inner: arc.inner,
            _borrow: PhantomData,
        }
    }

    /// Returns the `Arc`, which is not to be dropped.
    #[inline]
    fn as_arc(&self) -> ManuallyDrop<Arc<T>> {
        ManuallyDrop::new(Arc {
            inner: self.inner,
            _owns: PhantomData,
        })
    }
}

impl<T> Deref for ArcBorrow<'_, T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        // SAFETY: By the type's invariant.
        unsafe { &(*self.inner.as_ptr()).data }
    }
}

/// The only [`Arc`] of an object.
pub(crate) struct UniqueArc<T>(Arc<T>);

impl<T> UniqueArc<T> {
    /// Makes room for an object.
    #[inline(always)]
    pub(crate) fn new_uninit(flags: Flags) -> Result<UniqueArc<MaybeUninit<T>>, AllocError> {
        let inner = allocate(Layout::new::<Inner<MaybeUninit<T>>>(), flags)?;
        let inner = inner.cast::<Inner<MaybeUninit<T>>>();
        // SAFETY: Allocated above.
        unsafe { (&raw mut (*inner.as_ptr()).refs).write(Atomic::new(1)) };
        // INVARIANT: Initialised, as far as need be, with one count.
        Ok(UniqueArc(Arc {
            inner,
            _owns: PhantomData,
        }))
    }
}

impl<T> UniqueArc<MaybeUninit<T>> {
    /// Returns where the object is to be.
    #[inline]
    fn as_mut_ptr(&self) -> *mut T {
        Arc::as_ptr(&self.0).cast_mut().cast()
    }

    /// Moves the object in.
    #[inline(always)]
    pub(crate) fn write(self, contents: T) -> UniqueArc<T> {
        // SAFETY: Room for it, which nobody else has.
        unsafe {
            self.as_mut_ptr().write(contents);
            self.assume_init()
        }
    }

    /// Says that the object is there.
    ///
    /// # Safety
    ///
    /// It must be initialised.
    #[inline]
    unsafe fn assume_init(self) -> UniqueArc<T> {
        let this = ManuallyDrop::new(self.0);
        UniqueArc(Arc {
            inner: this.inner.cast(),
            _owns: PhantomData,
        })
    }
}

// SAFETY: Works are in a `Work<T, ID>` of an object that `Arc::into_raw` gave away.
unsafe impl<T, const ID: u64> WorkItemPointer<ID> for Arc<T>
where
    T: WorkItem<ID, Pointer = Self> + HasWork<T, ID>,
{
    unsafe extern "C" fn run(ptr: *mut bindings::work_struct) {
        // SAFETY: From `__enqueue`, which gave the count away.
        let this = unsafe { Arc::from_raw(T::work_container_of(ptr.cast::<Work<T, ID>>())) };
        T::run(this);
    }
}

// SAFETY: The count keeps the work during the call and, if it was queued, until it runs.
unsafe impl<T, const ID: u64> RawWorkItem<ID> for Arc<T>
where
    T: WorkItem<ID, Pointer = Self> + HasWork<T, ID>,
{
    type EnqueueOutput = Result<(), Self>;

    unsafe fn __enqueue<F>(self, queue_work_on: F) -> Self::EnqueueOutput
    where
        F: FnOnce(*mut bindings::work_struct) -> bool,
    {
        let ptr = Arc::into_raw(self).cast_mut();
        // SAFETY: A valid object with its work.
        let work = unsafe { Work::raw_get(T::raw_get_work(ptr)) };
        if queue_work_on(work) {
            Ok(())
        } else {
            // SAFETY: Given away above, and nobody took it.
            Err(unsafe { Arc::from_raw(ptr) })
        }
    }
}
