// SPDX-License-Identifier: GPL-2.0

//! Directories below a device in sysfs, deeper than attribute groups reach.
//!
//! C header: [`include/linux/kobject.h`](srctree/include/linux/kobject.h)
//!
//! The files in them are device attributes: they get the data of the device.

use super::{
    attr_group::{
        DynGroup,
        SealedGroup, //
    },
    class::ClassTable, //
};
use core::ptr::NonNull;
use kernel::{
    bindings,
    container_of,
    error::to_result,
    prelude::*,
    str::CString,
    types::Opaque, //
};

/// Names a directory of a [`DirTree`] as the parent of others.
#[derive(Copy, Clone, Debug, Eq, PartialEq)]
pub(crate) struct DirId(usize);

/// A directory that is yet to be made.
struct Spec<T> {
    parent: Option<DirId>,
    name: CString,
    group: Option<SealedGroup<T>>,
}

/// The directories of one device, made when it is published and before its uevent.
pub(crate) struct DirTree<T>(KVec<Spec<T>>);

impl<T: 'static> DirTree<T> {
    /// Makes an empty tree.
    pub(crate) const fn new() -> Self {
        Self(KVec::new())
    }

    /// Adds a directory below `parent`, or below the device, with the attributes of `group`.
    pub(crate) fn dir(
        &mut self,
        parent: Option<DirId>,
        name: kernel::fmt::Arguments<'_>,
        group: Option<DynGroup<T>>,
    ) -> Result<DirId> {
        let spec = Spec {
            parent,
            name: CString::try_from_fmt(name)?,
            group: group.map(DynGroup::seal).transpose()?,
        };
        self.0.push(spec, GFP_KERNEL)?;
        Ok(DirId(self.0.len() - 1))
    }

    /// Tells whether there is no directory.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Makes the directories.
    ///
    /// # Safety
    ///
    /// `dev` must be published, have data of type `T`, and stay published until the result is
    /// dropped; `table` must be its class.
    pub(super) unsafe fn create(
        self,
        dev: *mut bindings::device,
        table: &'static ClassTable,
    ) -> Result<LiveDirs<T>> {
        let mut live = LiveDirs(KVec::with_capacity(self.0.len(), GFP_KERNEL)?);
        for spec in self.0 {
            let parent = match spec.parent {
                // SAFETY: The directories of `live` exist.
                Some(id) => unsafe { (*live.0.get(id.0).ok_or(EINVAL)?.as_ptr()).kobj.get() },
                // SAFETY: By the function's contract.
                None => unsafe { &raw mut (*dev).kobj },
            };
            // SAFETY: By the function's contract; the parent exists.
            let dir = unsafe { Dir::create(dev, table, parent, spec.name, spec.group) }?;
            live.0.push(dir, GFP_KERNEL)?;
        }
        Ok(live)
    }
}

/// The directories of a published device; dropping it removes them.
pub(super) struct LiveDirs<T>(KVec<NonNull<Dir<T>>>);

// SAFETY: Kobjects may be removed from any thread.
unsafe impl<T> Send for LiveDirs<T> {}
// SAFETY: No method takes `&self`.
unsafe impl<T> Sync for LiveDirs<T> {}

impl<T> LiveDirs<T> {
    /// No directories.
    pub(super) const fn none() -> Self {
        Self(KVec::new())
    }
}

impl<T> Drop for LiveDirs<T> {
    fn drop(&mut self) {
        while let Some(dir) = self.0.pop() {
            // SAFETY: A live directory; children are newer than their parents, and go first.
            unsafe {
                let kobj = (*dir.as_ptr()).kobj.get();
                bindings::kobject_del(kobj);
                bindings::kobject_put(kobj);
            }
        }
    }
}

/// A directory, reference-counted by its kobject.
struct Dir<T> {
    kobj: Opaque<bindings::kobject>,
    /// The device, published as long as the directory is in sysfs.
    dev: *mut bindings::device,
    table: &'static ClassTable,
    _group: Option<SealedGroup<T>>,
}

impl<T: 'static> Dir<T> {
    /// The type of the kobjects.
    const KTYPE: bindings::kobj_type = bindings::kobj_type {
        release: Some(Self::release_callback),
        sysfs_ops: &Self::SYSFS_OPS,
        ..pin_init::zeroed()
    };
    const SYSFS_OPS: bindings::sysfs_ops = bindings::sysfs_ops {
        show: Some(Self::show_callback),
        store: Some(Self::store_callback),
    };

    /// Makes a directory below `parent`.
    ///
    /// # Safety
    ///
    /// `dev` must be published and have data of type `T`, `parent` must be in sysfs below it;
    /// both must outlive the directory. `table` must be the class of `dev`.
    unsafe fn create(
        dev: *mut bindings::device,
        table: &'static ClassTable,
        parent: *mut bindings::kobject,
        name: CString,
        group: Option<SealedGroup<T>>,
    ) -> Result<NonNull<Self>> {
        let attrs = group.as_ref().map(SealedGroup::as_raw);
        let dir = KBox::new(
            Self {
                kobj: Opaque::zeroed(),
                dev,
                table,
                _group: group,
            },
            GFP_KERNEL,
        )?;
        let dir = KBox::into_raw(dir);
        table.object_born();
        // SAFETY: `dir` is valid, its kobject zeroed. From here on, the kobject owns `dir`.
        let kobj = unsafe { (*dir).kobj.get() };
        let add = || {
            // SAFETY: A zeroed kobject, a static type, a parent in sysfs, a string for the format.
            to_result(unsafe {
                bindings::kobject_init_and_add(
                    kobj,
                    &Self::KTYPE,
                    parent,
                    c"%s".as_char_ptr(),
                    name.as_char_ptr(),
                )
            })?;
            match attrs {
                // SAFETY: The kobject is in sysfs; the group lives as long as it.
                Some(group) => to_result(unsafe { bindings::sysfs_create_group(kobj, group) }),
                None => Ok(()),
            }
        };
        let ret = add();
        if ret.is_err() {
            // SAFETY: The kobject is initialised in any case; this is its only reference.
            unsafe { bindings::kobject_put(kobj) };
        }
        ret?;
        NonNull::new(dir).ok_or(ENOMEM)
    }

    /// Returns the directory of a kobject.
    ///
    /// # Safety
    ///
    /// `kobj` must be that of a `Dir<T>`.
    unsafe fn of(kobj: *mut bindings::kobject) -> *mut Self {
        // SAFETY: By the function's contract.
        unsafe { container_of!(Opaque::cast_from(kobj), Self, kobj).cast_mut() }
    }

    /// Frees a directory.
    ///
    /// # Safety
    ///
    /// `kobj` must be that of a `Dir<T>` without references.
    unsafe extern "C" fn release_callback(kobj: *mut bindings::kobject) {
        // SAFETY: Made by `create`; nobody else has it any more.
        let dir = unsafe { KBox::from_raw(Self::of(kobj)) };
        let table = dir.table;
        drop(dir);
        table.object_released();
    }

    /// Shows a device attribute in the directory.
    ///
    /// # Safety
    ///
    /// `kobj` must be that of a `Dir<T>` in sysfs, `attr` one of its attributes, `page` a page.
    unsafe extern "C" fn show_callback(
        kobj: *mut bindings::kobject,
        attr: *mut bindings::attribute,
        page: *mut c_char,
    ) -> isize {
        // SAFETY: All attributes here are parts of device attributes.
        unsafe {
            let dev = (*Self::of(kobj)).dev;
            let attr = container_of!(attr, bindings::device_attribute, attr);
            match (*attr).__bindgen_anon_1.show {
                Some(show) => show(dev, attr, page),
                None => EIO.to_errno() as isize,
            }
        }
    }

    /// Stores into a device attribute in the directory.
    ///
    /// # Safety
    ///
    /// As for [`Self::show_callback`], and `text` must be valid for reading `len` bytes.
    unsafe extern "C" fn store_callback(
        kobj: *mut bindings::kobject,
        attr: *mut bindings::attribute,
        text: *const c_char,
        len: usize,
    ) -> isize {
        // SAFETY: All attributes here are parts of device attributes.
        unsafe {
            let dev = (*Self::of(kobj)).dev;
            let attr = container_of!(attr, bindings::device_attribute, attr);
            match (*attr).__bindgen_anon_2.store {
                Some(store) => store(dev, attr, text, len),
                None => EIO.to_errno() as isize,
            }
        }
    }
}
