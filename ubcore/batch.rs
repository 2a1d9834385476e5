// SPDX-License-Identifier: GPL-2.0

//! Deletion of many queues in one call.

use crate::{
    c_api::{
        Batch,
        BatchFn,
        Owned,
        Parents, //
    },
    device::Device,
    kernel_ext::task,
    queue,
    table::Withdrawn, //
};
use kernel::{
    alloc::KVVec,
    prelude::*,
    sync::aref::ARef, //
};

/// A deletion that stopped early.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Stopped {
    /// Number of objects that are gone, from the first one on.
    pub(crate) done: usize,
    /// Why there are not more.
    pub(crate) error: Error,
}

impl Stopped {
    /// Nothing is gone.
    pub(crate) fn at_once(error: Error) -> Self {
        Self { done: 0, error }
    }
}

/// An object of a list that is to be deleted.
pub(crate) struct Entry<K: Batch> {
    object: Owned<K>,
    /// Its place in the table, once it was taken out of that.
    withdrawn: Option<Withdrawn<K>>,
    /// What it is built on, once it is about to go.
    parents: Parents,
}

impl<K: Batch> Entry<K> {
    /// Makes an entry of an object that is whole.
    pub(crate) fn new(object: Owned<K>) -> Self {
        Self {
            object,
            withdrawn: None,
            parents: Parents::default(),
        }
    }

    /// Gives the object back as it was before it was claimed.
    fn revive(self, dev: &Device) {
        if let Some(withdrawn) = self.withdrawn {
            K::table(dev).restore(&self.object, withdrawn);
        }
        self.object.uses().unclaim();
    }

    /// Lets the driver destroy the object; gives it back as it was if it does not.
    fn destroy(self, dev: &Device) -> Result {
        let withdrawn = self.withdrawn;
        queue::destroy(self.object).map_err(|(object, error)| {
            let entry = Self {
                object,
                withdrawn,
                parents: Parents::default(),
            };
            entry.revive(dev);
            error
        })
    }
}

/// Claims all objects of a list, or none.
///
/// An object that occurs twice is in use the second time. One that is not at work is refused.
fn claim<K: Batch>(dev: &Device, entries: &[Entry<K>], busy: Error) -> Result {
    let mut claimed = 0;
    let result = entries.iter().try_for_each(|entry| {
        if !core::ptr::eq(entry.object.device()?, dev) {
            return Err(EINVAL);
        }
        entry.object.uses().claim_idle().map_err(|_| busy)?;
        claimed += 1;
        if entry.object.is_active() {
            Ok(())
        } else {
            Err(EINVAL)
        }
    });
    if result.is_err() {
        for entry in entries.iter().take(claimed) {
            entry.object.uses().unclaim();
        }
    }
    result
}

/// Destroys claimed objects one after the other, until the driver refuses.
fn destroy_each<K: Batch>(dev: &Device, entries: KVVec<Entry<K>>) -> Result<(), Stopped> {
    let mut done = 0;
    let mut failed = None;
    for entry in entries {
        if failed.is_some() {
            entry.revive(dev);
            continue;
        }
        match entry.destroy(dev) {
            Ok(()) => done += 1,
            Err(error) => failed = Some(error),
        }
        task::cond_resched();
    }
    failed.map_or(Ok(()), |error| Err(Stopped { done, error }))
}

/// Destroys claimed objects by the driver's operation for many.
fn destroy_all<K: Batch>(
    dev: &Device,
    op: BatchFn<K::C>,
    mut entries: KVVec<Entry<K>>,
) -> Result<(), Stopped> {
    for entry in &mut entries {
        entry.parents = queue::about_to_go(&*entry.object);
    }
    let objects = entries.iter().map(|entry| &*entry.object);
    let result = dev.driver_destroy_batch::<K>(op, objects, entries.len());
    let done = match &result {
        Ok(()) => entries.len(),
        Err(stopped) => stopped.done,
    };
    for (i, entry) in entries.into_iter().enumerate() {
        if i < done {
            queue::gone::<K>(entry.parents);
        } else {
            queue::stays(&*entry.object);
            entry.revive(dev);
        }
        task::cond_resched();
    }
    result
}

/// Deletes objects of one device that nobody uses; `busy` says that somebody does.
///
/// All are checked before the first one goes. Those that are not deleted are as they were before.
pub(crate) fn delete<K: Batch>(mut entries: KVVec<Entry<K>>, busy: Error) -> Result<(), Stopped> {
    let first = entries.first().ok_or(EINVAL);
    let dev = first.and_then(|entry| entry.object.device().map(ARef::from));
    let dev = dev.map_err(Stopped::at_once)?;
    claim(&dev, &entries, busy).map_err(Stopped::at_once)?;
    for entry in &mut entries {
        entry.withdrawn = Some(K::table(&dev).withdraw(&entry.object));
        task::cond_resched();
    }
    match dev.driver_batch_op::<K>() {
        Some(op) => destroy_all(&dev, op, entries),
        None => destroy_each(&dev, entries),
    }
}
