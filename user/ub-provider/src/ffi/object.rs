// SPDX-License-Identifier: GPL-2.0

//! The objects that liburma and applications hold pointers to.
//!
//! An object starts with the structure that is public. Its memory is never given back, and only
//! used again for objects of its kind, the longest unused first: so a pointer that was handed out
//! once can always be read, and tells whether an object is there. That is not what callers may rely
//! on, it keeps the mistakes of confused ones small.

use std::alloc::{alloc_zeroed, dealloc, Layout};
use std::cell::UnsafeCell;
use std::collections::VecDeque;
use std::ptr::{self, NonNull};
use std::sync::atomic::{AtomicPtr, AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use ub_urma::Plain;

use crate::ffi::kinds::ContextKind;
use crate::status::{Failure, Outcome};

/// A kind of object.
pub(crate) trait Kind: Sized + 'static {
    /// What liburma and applications know of it.
    type Public: Plain + Copy;
    /// What they do not; as its default is, it must be when an object is gone.
    type Private: Default + Sync;
    /// Marks objects of this kind.
    const MAGIC: u32;

    /// Where unused ones are.
    fn pool() -> &'static Pool<Self>;
}

/// What an object is at; beside the magic of its kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum State {
    /// There is none.
    Free = 0,
    /// At work.
    Live = 1,
    /// Being made or destroyed.
    Going = 2,
    /// Gone in the kernel; events of it are not acknowledged.
    Unacked = 3,
    /// The same, and gone for its owner too: the last acknowledgment gives it back.
    Orphaned = 4,
}

/// An object.
#[repr(C)]
pub(crate) struct Object<K: Kind> {
    /// First, so that a pointer to it is one to the object.
    public: UnsafeCell<K::Public>,
    /// Magic and state.
    mark: AtomicU32,
    /// Completion events that were handed out.
    pub(crate) completions: AtomicU32,
    /// Asynchronous events that were handed out.
    pub(crate) events: AtomicU32,
    /// The context that it belongs to.
    ctx: AtomicPtr<Object<ContextKind>>,
    /// The rest.
    pub(crate) private: K::Private,
}

// SAFETY: the public part is only reached by raw pointers, on terms that liburma and the application
// settle; the others may be used by several threads.
unsafe impl<K: Kind> Sync for Object<K> {}

const fn mark(magic: u32, state: State) -> u32 {
    (magic << 8) | state as u32
}

impl<K: Kind> Object<K> {
    /// Pointer to the public part.
    #[inline]
    pub(crate) fn ptr(&self) -> *mut K::Public {
        self.public.get()
    }

    /// Changes the state if it is `from`.
    pub(crate) fn enter(&self, from: State, to: State) -> bool {
        self.mark
            .compare_exchange(
                mark(K::MAGIC, from),
                mark(K::MAGIC, to),
                Ordering::AcqRel,
                Ordering::Relaxed,
            )
            .is_ok()
    }

    /// Whether it is in a state.
    pub(crate) fn is(&self, state: State) -> bool {
        self.mark.load(Ordering::Acquire) == mark(K::MAGIC, state)
    }

    /// The context; none for a context itself.
    pub(crate) fn ctx(&self) -> Outcome<&'static Object<ContextKind>> {
        let ctx = self.ctx.load(Ordering::Acquire);
        // SAFETY: null, or an object that was taken from its pool, whose memory stays.
        unsafe { ctx.as_ref() }.ok_or(Failure::INVALID)
    }

    /// Fails for an object of another context.
    pub(crate) fn of(&self, ctx: &Object<ContextKind>) -> Outcome<()> {
        if ptr::eq(self.ctx.load(Ordering::Acquire), ctx) {
            return Ok(());
        }
        Err(Failure::INVALID)
    }
}

/// The memory of unused objects of a kind.
pub(crate) struct Pool<K: Kind>(Mutex<VecDeque<Unused<K>>>);

/// An object that nobody uses.
struct Unused<K: Kind>(NonNull<Object<K>>);

// SAFETY: the memory belongs to the process; whoever takes it out of the pool has it alone.
unsafe impl<K: Kind> Send for Unused<K> {}

/// Takes a lock. Panics end the process, so that there is no poison.
#[inline]
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Objects that stay unused while there are others: that long, mistakes are noticed.
const QUARANTINE: usize = 16;

impl<K: Kind> Pool<K> {
    pub(crate) const fn new() -> Self {
        Pool(Mutex::new(VecDeque::new()))
    }

    /// Makes an object that is not at work yet: [`find`] does not find it.
    ///
    /// # Errors
    ///
    /// `ENOMEM`.
    pub(crate) fn take(&self, ctx: Option<&'static Object<ContextKind>>) -> Outcome<Fresh<K>> {
        let old = {
            let mut unused = lock(&self.0);
            if unused.len() > QUARANTINE {
                unused.pop_front()
            } else {
                None
            }
        };
        let memory = match old {
            Some(Unused(memory)) => memory,
            None => Self::allocate()?,
        };
        // SAFETY: memory of an object that nobody else has; it is initialised, or all zeros with
        // the private part written, and stays while the provider is loaded.
        let object: &'static Object<K> = unsafe {
            ptr::write(memory.as_ref().ptr(), K::Public::zeroed());
            memory.as_ref()
        };
        object.completions.store(0, Ordering::Relaxed);
        object.events.store(0, Ordering::Relaxed);
        let ctx = ctx.map_or(ptr::null_mut(), |ctx| ptr::from_ref(ctx).cast_mut());
        object.ctx.store(ctx, Ordering::Release);
        // Events may come for it before it is at work.
        object
            .mark
            .store(mark(K::MAGIC, State::Going), Ordering::Release);
        Ok(Fresh(object))
    }

    fn allocate() -> Outcome<NonNull<Object<K>>> {
        // SAFETY: an object is not of size 0.
        let memory = unsafe { alloc_zeroed(Layout::new::<Object<K>>()) };
        let memory = NonNull::new(memory.cast::<Object<K>>()).ok_or(Failure::NO_MEMORY)?;
        // SAFETY: new memory of the right layout. Zeros are values of the public part and of the
        // atomics; the private part is written.
        unsafe { ptr::write(&raw mut (*memory.as_ptr()).private, K::Private::default()) };
        Ok(memory)
    }

    /// Gives the memory of all unused objects back.
    ///
    /// # Safety
    ///
    /// Nobody uses a pointer to an object that is gone any more.
    pub(crate) unsafe fn drain(&self) {
        let unused = std::mem::take(&mut *lock(&self.0));
        for Unused(memory) in unused {
            // SAFETY: memory of an unused object, made by `allocate`; by the contract nobody looks
            // at it.
            unsafe {
                ptr::drop_in_place(&raw mut (*memory.as_ptr()).private);
                dealloc(memory.as_ptr().cast(), Layout::new::<Object<K>>());
            }
        }
    }

    /// Takes an object back, which must be as its kind says.
    pub(crate) fn give(&self, object: &'static Object<K>) {
        object
            .mark
            .store(mark(K::MAGIC, State::Free), Ordering::Release);
        object.ctx.store(ptr::null_mut(), Ordering::Release);
        let mut unused = lock(&self.0);
        // Without memory for the note the object is lost; nothing else is.
        if unused.try_reserve(1).is_ok() {
            unused.push_back(Unused(NonNull::from(object)));
        }
    }
}

/// An object that is being made; given back unless it is finished.
pub(crate) struct Fresh<K: Kind>(&'static Object<K>);

impl<K: Kind> Fresh<K> {
    /// Puts it to work; returns what callers get.
    pub(crate) fn finish(self) -> *mut K::Public {
        let object = self.0;
        std::mem::forget(self);
        if let Ok(ctx) = object.ctx() {
            ctx.private.objects.fetch_add(1, Ordering::AcqRel);
        }
        object
            .mark
            .store(mark(K::MAGIC, State::Live), Ordering::Release);
        object.ptr()
    }
}

impl<K: Kind> std::ops::Deref for Fresh<K> {
    type Target = Object<K>;

    fn deref(&self) -> &Object<K> {
        self.0
    }
}

impl<K: Kind> Drop for Fresh<K> {
    fn drop(&mut self) {
        K::pool().give(self.0);
    }
}

/// Has the context not count an object any more.
pub(crate) fn leave<K: Kind>(object: &Object<K>) {
    if let Ok(ctx) = object.ctx() {
        ctx.private.objects.fetch_sub(1, Ordering::AcqRel);
    }
}

/// Gives back an object that is at work or being destroyed.
pub(crate) fn release<K: Kind>(object: &'static Object<K>) {
    leave(object);
    K::pool().give(object);
}

/// The object behind a pointer, in whatever state.
///
/// # Safety
///
/// The pointer is null or was handed out as one to an object of this kind.
#[inline]
unsafe fn any<K: Kind>(public: *mut K::Public) -> Outcome<&'static Object<K>> {
    // SAFETY: by the contract; the public part comes first, and memory of objects stays.
    unsafe { public.cast::<Object<K>>().as_ref() }.ok_or(Failure::INVALID)
}

/// The object at work behind a pointer.
///
/// # Errors
///
/// `EINVAL` for a null pointer and for an object that is gone.
///
/// # Safety
///
/// The pointer is null or was handed out as one to an object of this kind.
#[inline]
pub(crate) unsafe fn find<K: Kind>(public: *mut K::Public) -> Outcome<&'static Object<K>> {
    // SAFETY: as the caller promises.
    let object = unsafe { any::<K>(public) }?;
    if !object.is(State::Live) {
        return Err(Failure::INVALID);
    }
    Ok(object)
}

/// The object behind a pointer, also while it is being destroyed.
///
/// # Errors
///
/// As for [`find`].
///
/// # Safety
///
/// As for [`find`].
pub(crate) unsafe fn find_held<K: Kind>(public: *mut K::Public) -> Outcome<&'static Object<K>> {
    // SAFETY: as the caller promises.
    let object = unsafe { any::<K>(public) }?;
    let seen = object.mark.load(Ordering::Acquire);
    if seen >> 8 != K::MAGIC || seen == mark(K::MAGIC, State::Free) {
        return Err(Failure::INVALID);
    }
    Ok(object)
}
