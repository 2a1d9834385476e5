// SPDX-License-Identifier: GPL-2.0

//! Handles as attributes: what a user names, and how the command holds it.

use crate::{
    command::Commit,
    dispatch::Call,
    io::Input,
    kernel_ext::{
        arc::Arc,
        handle_table::Reservation, //
    },
    logic::{
        tlv::InPlan,
        use_count::{
            Reference,
            SharedRef, //
        }, //
    },
    uobject::{
        Class,
        Parent,
        Parts,
        Uobject, //
    }, //
};
use core::{
    marker::PhantomData,
    ops::Deref, //
};
use kernel::prelude::*;

/// Bytes of a handle.
const HANDLE_LEN: u16 = size_of::<u64>() as u16;

/// Returns the handle in a word; `None` for 0, which stands for nothing.
///
/// # Errors
///
/// `EINVAL` for what cannot be a handle.
pub(crate) fn handle_in(word: u64) -> Result<Option<u32>> {
    match word {
        0 => Ok(None),
        handle => i32::try_from(handle)
            .and_then(u32::try_from)
            .map(Some)
            .map_err(|_| EINVAL),
    }
}

/// Reads a handle, as [`handle_in`]; also `EFAULT`.
fn read_handle(plan: Option<InPlan>, call: &Call<'_>) -> Result<Option<u32>> {
    u64::read(plan, call).and_then(handle_in)
}

/// An object in use by a command; it cannot be destroyed meanwhile.
pub(crate) struct Shared<C: Class> {
    /// The hold.
    object: SharedRef<Arc<Uobject>>,
    /// Its handle.
    handle: u32,
    /// The class, which has been checked.
    _class: PhantomData<C>,
}

impl<C: Class> Shared<C> {
    /// Finds an object of this class by the handle that a user wrote.
    ///
    /// # Errors
    ///
    /// `EINVAL` for no handle, an unknown handle or another class, `EBUSY` while it is being
    /// destroyed.
    pub(crate) fn named(call: &Call<'_>, handle: u64) -> Result<Self> {
        Self::find(call, handle_in(handle)?.ok_or(EINVAL)?)
    }

    /// Finds an object of this class.
    ///
    /// # Errors
    ///
    /// `EINVAL` for an unknown handle or another class, `EBUSY` while it is being destroyed.
    pub(crate) fn find(call: &Call<'_>, handle: u32) -> Result<Self> {
        let object = call.file().objects().get(handle).ok_or(EINVAL)?;
        if !object.is::<C>() {
            return Err(EINVAL);
        }
        Ok(Self {
            object: SharedRef::new(object)?,
            handle,
            _class: PhantomData,
        })
    }

    /// Returns the driver's object.
    pub(crate) fn get(&self) -> Result<&C> {
        self.object.object()
    }

    /// Returns a hold for an object that is built on this one.
    pub(crate) fn reference(&self) -> Result<Reference<Arc<Uobject>>> {
        Reference::new(self.object.pointer().clone())
    }

    /// Returns a hold with the handle, for an object that is built on this one.
    pub(crate) fn parent(&self) -> Result<Parent> {
        Ok(Parent {
            reference: self.reference()?,
            handle: self.handle,
        })
    }

    /// Returns the handle, as the user has it.
    pub(crate) fn handle(&self) -> u64 {
        self.handle.into()
    }

    /// Returns the counted pointer.
    pub(crate) fn pointer(&self) -> &Arc<Uobject> {
        self.object.pointer()
    }
}

impl<C: Class> Deref for Shared<C> {
    type Target = Uobject;

    fn deref(&self) -> &Uobject {
        &self.object
    }
}

impl<C: Class> Input<Call<'_>> for Shared<C> {
    const SIZE: u16 = HANDLE_LEN;

    fn read(plan: Option<InPlan>, call: &Call<'_>) -> Result<Self> {
        Self::find(call, read_handle(plan, call)?.ok_or(EINVAL)?)
    }
}

impl<C: Class> Input<Call<'_>> for Option<Shared<C>> {
    const SIZE: u16 = HANDLE_LEN;

    fn read(plan: Option<InPlan>, call: &Call<'_>) -> Result<Self> {
        read_handle(plan, call)?
            .map(|handle| Shared::find(call, handle))
            .transpose()
    }
}

/// An object that a command wants to destroy, or to unbind; nothing is held yet.
///
/// Its device may be gone.
pub(crate) struct Doomed<C: Class> {
    /// Its handle.
    pub(crate) handle: u32,
    /// The object.
    pub(crate) object: Arc<Uobject>,
    /// The class, which has been checked.
    _class: PhantomData<C>,
}

impl<C: Class> Doomed<C> {
    /// Finds an object of this class.
    ///
    /// # Errors
    ///
    /// `EINVAL` for what is no handle, an unknown one, or another class.
    pub(crate) fn find(call: &Call<'_>, word: u64) -> Result<Self> {
        let handle = handle_in(word)?.ok_or(EINVAL)?;
        let object = call.file().objects().get(handle).ok_or(EINVAL)?;
        if !object.is::<C>() {
            return Err(EINVAL);
        }
        Ok(Self {
            handle,
            object,
            _class: PhantomData,
        })
    }

    /// Returns the driver's object.
    pub(crate) fn get(&self) -> Result<&C> {
        self.object.object()
    }
}

impl<C: Class> Input<Call<'_>> for Doomed<C> {
    const SIZE: u16 = HANDLE_LEN;

    fn read(plan: Option<InPlan>, call: &Call<'_>) -> Result<Self> {
        Self::find(call, u64::read(plan, call)?)
    }
}

/// A handle that has been reserved for an object to come.
pub(crate) struct NewHandle<'a>(Reservation<'a, Uobject>);

impl<'a> NewHandle<'a> {
    /// Reserves a handle.
    ///
    /// # Errors
    ///
    /// `ENOMEM`, also when all handles are taken.
    pub(crate) fn reserve(call: &Call<'a>) -> Result<Self> {
        let reserved = call.file().objects().reserve();
        reserved.map(Self).map_err(|_| ENOMEM)
    }

    /// Returns what the user gets.
    pub(crate) fn value(&self) -> u64 {
        u64::from(self.0.id())
    }

    /// Makes the object; the driver's object is destroyed if that fails.
    pub(crate) fn attach<C: Class>(
        self,
        call: &Call<'_>,
        object: C,
        parts: Parts,
    ) -> Result<NewObject<'a>> {
        let object = Uobject::new(call.file().stats(), object, parts)?;
        Ok(NewObject {
            object,
            handle: self.0,
        })
    }
}

/// A new object, which nobody sees yet: published by the commit, else destroyed by the drop.
pub(crate) struct NewObject<'a> {
    /// The object; dropped before the handle.
    object: Arc<Uobject>,
    /// Its handle.
    handle: Reservation<'a, Uobject>,
}

impl Commit for NewObject<'_> {
    fn commit(self) -> Result {
        self.handle.publish(self.object);
        Ok(())
    }
}
