// SPDX-License-Identifier: GPL-2.0

//! The objects of a device by their number.

use crate::c_api::{
    Obj,
    ObjPtr,
    Queue, //
};
use core::ops::Deref;
use kernel::{
    new_mutex,
    prelude::*,
    rbtree::{
        RBTree,
        RBTreeNode, //
    },
    sync::Mutex,
};

/// A table of the objects of one kind of one device.
#[pin_data]
pub(crate) struct IdTable<K: Queue> {
    /// Innermost lock, but for those of references.
    #[pin]
    objects: Mutex<RBTree<u32, ObjPtr<K>>>,
}

impl<K: Queue> IdTable<K> {
    /// Makes an empty table.
    pub(crate) fn new() -> impl PinInit<Self> {
        pin_init!(Self {
            objects <- new_mutex!(RBTree::new(), "ubcore IdTable"),
        })
    }

    /// Makes an object visible under its number; `EEXIST` if another object has that.
    pub(crate) fn publish(&self, object: &Obj<K>) -> Result {
        let node = RBTreeNode::new(object.id(), ObjPtr::new(object), GFP_KERNEL)?;
        object.init_refs();
        let mut objects = self.objects.lock();
        if objects.get(&object.id()).is_some() {
            drop(objects);
            return Err(EEXIST);
        }
        objects.insert(node);
        Ok(())
    }

    /// Takes an object out, and waits until nobody uses it who found it by number.
    pub(crate) fn withdraw(&self, object: &Obj<K>) -> Withdrawn<K> {
        let node = self.objects.lock().remove_node(&object.id());
        object.put_and_wait();
        Withdrawn(node)
    }

    /// Puts an object back that was taken out.
    pub(crate) fn restore(&self, object: &Obj<K>, withdrawn: Withdrawn<K>) {
        object.init_refs();
        let Some(node) = withdrawn.0 else {
            return;
        };
        // A driver that uses a number twice at a time has lost the newer object here.
        let lost = self.objects.lock().insert(node);
        if lost.is_some() {
            pr_warn_ratelimited!("driver has two objects of the same number\n");
        }
    }

    /// Finds an object.
    pub(crate) fn find(&self, id: u32) -> Option<Found<K>> {
        let objects = self.objects.lock();
        let object = objects.get(&id)?;
        object.get();
        Some(Found(ObjPtr::new(object)))
    }

    /// Returns the number of objects.
    pub(crate) fn count(&self) -> usize {
        self.objects.lock().iter().count()
    }
}

/// The place of an object that was taken out of its table.
pub(crate) struct Withdrawn<K: Queue>(Option<RBTreeNode<u32, ObjPtr<K>>>);

/// A reference to an object that was found by number; deletion waits for it.
pub(crate) struct Found<K: Queue>(ObjPtr<K>);

impl<K: Queue> Found<K> {
    /// Gives the reference to the caller, who puts it.
    pub(crate) fn into_raw(self) -> *mut K::C {
        let object = self.0.as_ptr();
        core::mem::forget(self);
        object
    }
}

impl<K: Queue> Deref for Found<K> {
    type Target = Obj<K>;

    fn deref(&self) -> &Obj<K> {
        &self.0
    }
}

impl<K: Queue> Drop for Found<K> {
    fn drop(&mut self) {
        self.0.put();
    }
}
