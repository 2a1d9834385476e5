// SPDX-License-Identifier: GPL-2.0

//! Deletion of many queues in one call.

use super::{
    kinds::{
        Jetty,
        Jfc,
        Jfr,
        Jfs, //
    },
    object::{
        Obj,
        Owned,
        Queue, //
    }, //
};
use crate::{
    batch::{
        self,
        Entry,
        Stopped, //
    },
    bindings_ub::{
        ubcore_jetty,
        ubcore_jfc,
        ubcore_jfr,
        ubcore_jfs,
        ubcore_ops, //
    },
    device::Device,
};
use kernel::{
    alloc::KVVec,
    error::to_result,
    prelude::*, //
};

/// The operation of a driver that destroys many objects.
pub(crate) type BatchFn<C> = unsafe extern "C" fn(*mut *mut C, c_int, *mut c_int) -> c_int;

/// A kind of objects of which many can be deleted in one call.
///
/// # Safety
///
/// `batch_op` must return the operation that destroys objects of this kind.
pub(crate) unsafe trait Batch: Queue {
    /// Says that an object is in use.
    const BUSY: Error;

    /// Returns how a driver destroys many such objects at once, if it can.
    fn batch_op(ops: &ubcore_ops) -> Option<BatchFn<Self::C>>;
}

/// Implements [`Batch`].
macro_rules! batch {
    ($($kind:ident: $op:ident, busy $busy:ident;)*) => {$(
        // SAFETY: The operation of that name.
        unsafe impl Batch for $kind {
            const BUSY: Error = $busy;

            fn batch_op(ops: &ubcore_ops) -> Option<BatchFn<Self::C>> {
                ops.$op
            }
        }
    )*};
}

batch! {
    Jfc: destroy_jfc_batch, busy EBUSY;
    Jfs: destroy_jfs_batch, busy EBUSY;
    Jfr: destroy_jfr_batch, busy EBUSY;
    Jetty: destroy_jetty_batch, busy EINVAL;
}

impl Device {
    /// Returns how the driver destroys many objects at once, if it can.
    pub(crate) fn driver_batch_op<K: Batch>(&self) -> Option<BatchFn<K::C>> {
        K::batch_op(self.ops())
    }

    /// Lets the driver destroy objects at once, which belong to the caller.
    ///
    /// # Errors
    ///
    /// The driver's; `EFAULT` if it names an object that there is not, and `ENOMEM`: then nothing
    /// is gone.
    pub(crate) fn driver_destroy_batch<'a, K: Batch>(
        &self,
        op: BatchFn<K::C>,
        objects: impl Iterator<Item = &'a Obj<K>>,
        count: usize,
    ) -> Result<(), Stopped> {
        let no_memory = |_| Stopped::at_once(ENOMEM);
        let mut list = KVVec::with_capacity(count, GFP_KERNEL).map_err(no_memory)?;
        for object in objects.take(count) {
            list.push_within_capacity(object.as_ptr())
                .map_err(|_| Stopped::at_once(ENOMEM))?;
        }
        let len = c_int::try_from(list.len()).map_err(|_| Stopped::at_once(EINVAL))?;
        let mut bad = 0;
        // SAFETY: The operation for this kind of objects, which belong to the caller.
        let result = to_result(unsafe { op(list.as_mut_ptr(), len, &mut bad) });
        result.map_err(|error| match usize::try_from(bad) {
            Ok(done) if done < list.len() => Stopped { done, error },
            _ => Stopped::at_once(EFAULT),
        })
    }
}

/// Deletes the objects of an array.
///
/// # Safety
///
/// `array` must be null or point to `count` objects, each null or valid, and the caller's.
unsafe fn delete<K: Batch>(array: *mut *mut K::C, count: c_int, bad: *mut c_int) -> c_int {
    let result = (|| {
        let count = usize::try_from(count).map_err(|_| EINVAL)?;
        if array.is_null() || count == 0 || bad.is_null() {
            return Err(EINVAL);
        }
        let mut entries = KVVec::with_capacity(count, GFP_KERNEL)?;
        for i in 0..count {
            // SAFETY: By the function's contract.
            let object = unsafe { Owned::<K>::from_raw(array.add(i).read()) }?;
            entries.push(Entry::new(object), GFP_KERNEL)?;
        }
        Ok(entries)
    })()
    .map_err(Stopped::at_once)
    .and_then(|entries| batch::delete(entries, K::BUSY));
    let Err(stopped) = result else {
        return 0;
    };
    if !bad.is_null() {
        // SAFETY: By the function's contract.
        // CAST: Less than `count`.
        unsafe { *bad = stopped.done as c_int };
    }
    stopped.error.to_errno()
}

c_api! {
    /// Deletes completion queues.
    unsafe fn ubcore_delete_jfc_batch(
        jfc_arr: *mut *mut ubcore_jfc,
        jfc_num: c_int,
        bad_jfc_index: *mut c_int,
    ) -> c_int {
        // SAFETY: As the header says.
        unsafe { delete::<Jfc>(jfc_arr, jfc_num, bad_jfc_index) }
    }

    /// Deletes send queues.
    unsafe fn ubcore_delete_jfs_batch(
        jfs_arr: *mut *mut ubcore_jfs,
        jfs_num: c_int,
        bad_jfs_index: *mut c_int,
    ) -> c_int {
        // SAFETY: As the header says.
        unsafe { delete::<Jfs>(jfs_arr, jfs_num, bad_jfs_index) }
    }

    /// Deletes receive queues.
    unsafe fn ubcore_delete_jfr_batch(
        jfr_arr: *mut *mut ubcore_jfr,
        jfr_num: c_int,
        bad_jfr_index: *mut c_int,
    ) -> c_int {
        // SAFETY: As the header says.
        unsafe { delete::<Jfr>(jfr_arr, jfr_num, bad_jfr_index) }
    }

    /// Deletes jettys.
    unsafe fn ubcore_delete_jetty_batch(
        jetty_arr: *mut *mut ubcore_jetty,
        jetty_num: c_int,
        bad_jetty_index: *mut c_int,
    ) -> c_int {
        // SAFETY: As the header says.
        unsafe { delete::<Jetty>(jetty_arr, jetty_num, bad_jetty_index) }
    }
}
