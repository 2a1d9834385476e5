// SPDX-License-Identifier: GPL-2.0

//! Attribute groups made at run time, and the list of all groups of a device.

use super::attr::{
    AttrOps,
    AttributeGroup,
    DeviceAttr, //
};
use core::ptr::null;
use kernel::{
    bindings,
    prelude::*,
    str::CString, //
};

/// An attribute in allocated memory, with its name.
struct DynAttr<T> {
    attr: DeviceAttr<T>,
    /// What `attr` points to; on the heap, so that moving the pair is harmless.
    _name: CString,
}

/// An attribute group whose attributes and names are made at run time.
///
/// Such as one file for each of a device's many EIDs, all with the same [`AttrOps`], told apart by
/// the index that the functions receive.
pub(crate) struct DynGroup<T> {
    attrs: KVVec<DynAttr<T>>,
    name: Option<CString>,
}

impl<T: 'static> DynGroup<T> {
    /// Makes an empty group for at most `capacity` attributes, in a subdirectory if it has a name.
    pub(crate) fn new(name: Option<kernel::fmt::Arguments<'_>>, capacity: usize) -> Result<Self> {
        Ok(Self {
            attrs: KVVec::with_capacity(capacity, GFP_KERNEL)?,
            name: name.map(CString::try_from_fmt).transpose()?,
        })
    }

    /// Adds an attribute with access mode `mode`, whose functions receive `index`.
    pub(crate) fn add<O: AttrOps<T>>(
        &mut self,
        name: kernel::fmt::Arguments<'_>,
        index: u32,
        mode: u16,
    ) -> Result {
        let name = CString::try_from_fmt(name)?;
        // SAFETY: The name is stored beside the attribute.
        let mut attr = unsafe { DeviceAttr::with_name::<O>(name.as_char_ptr(), mode, index) };
        attr.init_lockdep();
        self.attrs
            .push(DynAttr { attr, _name: name }, GFP_KERNEL)
            .map_err(Error::from)
    }

    /// Fixes the group: no attribute moves from here on.
    pub(super) fn seal(self) -> Result<SealedGroup<T>> {
        let mut list = KVVec::with_capacity(self.attrs.len() + 1, GFP_KERNEL)?;
        for entry in &self.attrs {
            list.push(entry.attr.as_raw(), GFP_KERNEL)?;
        }
        list.push(null(), GFP_KERNEL)?;
        let name = self.name.as_ref().map_or(null(), |n| n.as_char_ptr());
        // SAFETY: Name, attributes and list become fields of the object beside the group.
        let group = unsafe { AttributeGroup::from_raw_parts(name, list.as_ptr()) };
        Ok(SealedGroup {
            group: KBox::new(group, GFP_KERNEL)?,
            _list: list,
            _attrs: self.attrs,
            _name: self.name,
        })
    }
}

/// A complete [`DynGroup`]; its C parts stay where they are until it is dropped.
pub(super) struct SealedGroup<T> {
    group: KBox<AttributeGroup<T>>,
    _list: KVVec<*const bindings::attribute>,
    _attrs: KVVec<DynAttr<T>>,
    _name: Option<CString>,
}

// SAFETY: Read-only tables that own what they point to.
unsafe impl<T> Send for SealedGroup<T> {}
// SAFETY: As above.
unsafe impl<T> Sync for SealedGroup<T> {}

impl<T> SealedGroup<T> {
    /// Returns the C group.
    pub(super) fn as_raw(&self) -> *const bindings::attribute_group {
        self.group.as_raw()
    }
}

/// The attribute groups of one device.
pub(crate) struct Groups<T> {
    list: KVec<*const bindings::attribute_group>,
    owned: KVec<SealedGroup<T>>,
}

// SAFETY: Read-only tables that own what they point to, or point to static memory.
unsafe impl<T> Send for Groups<T> {}
// SAFETY: As above.
unsafe impl<T> Sync for Groups<T> {}

impl<T: 'static> Groups<T> {
    /// Makes an empty list.
    pub(crate) const fn new() -> Self {
        Self {
            list: KVec::new(),
            owned: KVec::new(),
        }
    }

    /// Adds a group that is `static`.
    pub(crate) fn push_static(&mut self, group: &'static AttributeGroup<T>) -> Result {
        self.list.push(group.as_raw(), GFP_KERNEL)?;
        Ok(())
    }

    /// Adds a group made at run time.
    pub(crate) fn push(&mut self, group: DynGroup<T>) -> Result {
        let group = group.seal()?;
        self.list.reserve(1, GFP_KERNEL)?;
        self.owned.reserve(1, GFP_KERNEL)?;
        self.list.push(group.as_raw(), GFP_KERNEL)?;
        self.owned.push(group, GFP_KERNEL)?;
        Ok(())
    }

    /// Adds a C group.
    ///
    /// # Safety
    ///
    /// The group must be valid while the device is published, and its functions must cope with
    /// being called for that device.
    pub(crate) unsafe fn push_raw(&mut self, group: *const bindings::attribute_group) -> Result {
        self.list.push(group, GFP_KERNEL)?;
        Ok(())
    }

    /// Returns the list for `dev->groups`, valid until `self` is dropped or changed.
    pub(super) fn terminate(&mut self) -> Result<*const *const bindings::attribute_group> {
        self.list.push(null(), GFP_KERNEL)?;
        Ok(self.list.as_ptr())
    }
}
