// SPDX-License-Identifier: GPL-2.0

//! Device attributes in sysfs.
//!
//! C header: [`include/linux/sysfs.h`](srctree/include/linux/sysfs.h)
//!
//! An attribute belongs to devices with typed data `T`. What it shows is an [`AttrOps<T>`];
//! [`device_attr!`] makes one together with its `static` [`DeviceAttr`], [`attr_group!`] collects
//! several. Groups given to [`PublishOptions`] exist before the device's uevent.
//!
//! [`PublishOptions`]: super::publish::PublishOptions

use super::device_core::Core;
use core::{
    fmt::{
        self,
        Write, //
    },
    marker::PhantomData,
    ptr::null, //
};
use kernel::{
    bindings,
    error::from_result,
    page::PAGE_SIZE,
    prelude::*,
    str::as_char_ptr_in_const_context, //
};

/// The page that an attribute's text is written to.
///
/// # Invariants
///
/// `page` is valid for writing [`PAGE_SIZE`] bytes, and `len` is less than that.
pub(crate) struct SysfsBuf<'a> {
    page: *mut u8,
    len: usize,
    _page: PhantomData<&'a mut u8>,
}

impl SysfsBuf<'_> {
    /// Wraps the buffer that sysfs passes to a `show` function.
    ///
    /// # Safety
    ///
    /// `page` must be valid for writing [`PAGE_SIZE`] bytes while the result is in use.
    pub(super) unsafe fn from_raw(page: *mut c_char) -> Self {
        // INVARIANT: By the function's contract.
        Self {
            page: page.cast(),
            len: 0,
            _page: PhantomData,
        }
    }

    /// Returns the number of bytes written.
    pub(crate) fn len(&self) -> usize {
        self.len
    }
}

impl Write for SysfsBuf<'_> {
    /// Appends `s`, or fails if the page has no room for all of it.
    fn write_str(&mut self, s: &str) -> fmt::Result {
        // One byte stays free, as sysfs wants it.
        let room = (PAGE_SIZE - 1).saturating_sub(self.len);
        if s.len() > room {
            return Err(fmt::Error);
        }
        // SAFETY: By the type invariant, there is room for `s`, whose bytes are elsewhere.
        unsafe { core::ptr::copy_nonoverlapping(s.as_ptr(), self.page.add(self.len), s.len()) };
        // INVARIANT: At most `PAGE_SIZE - 1`.
        self.len += s.len();
        Ok(())
    }
}

/// What an attribute shows and takes.
///
/// Sysfs calls both functions in process context and holds the device meanwhile; removing the
/// attribute waits for them. So they must not wait for a removal.
pub(crate) trait AttrOps<T>: 'static {
    /// Whether [`Self::store`] is there.
    const WRITABLE: bool = false;

    /// Writes the text of the attribute; `index` is the number given to [`DynGroup::add`], or 0.
    ///
    /// [`DynGroup::add`]: super::attr_group::DynGroup::add
    fn show(data: &T, index: u32, out: &mut SysfsBuf<'_>) -> Result;

    /// Takes what user space wrote, without white space around it.
    fn store(_data: &T, _index: u32, _text: &str) -> Result {
        Err(EIO)
    }
}

/// A `struct device_attribute` for devices with data of type `T`.
///
/// # Invariants
///
/// `raw` is at offset 0, and its functions are the callbacks below for `T`.
#[repr(C)]
pub(crate) struct DeviceAttr<T> {
    raw: bindings::device_attribute,
    index: u32,
    _data: PhantomData<fn(&T)>,
}

// SAFETY: Nobody writes to an attribute once it is shared.
unsafe impl<T> Sync for DeviceAttr<T> {}
// SAFETY: Its pointers lead to static or to owned memory.
unsafe impl<T> Send for DeviceAttr<T> {}

impl<T: 'static> DeviceAttr<T> {
    /// Makes an attribute with access mode `mode` for a `static`.
    pub(crate) const fn new<O: AttrOps<T>>(name: &'static CStr, mode: u16) -> Self {
        // SAFETY: The name is static.
        unsafe { Self::with_name::<O>(as_char_ptr_in_const_context(name), mode, 0) }
    }

    /// Makes an attribute.
    ///
    /// # Safety
    ///
    /// `name` must be a string that outlives the attribute.
    pub(super) const unsafe fn with_name<O: AttrOps<T>>(
        name: *const c_char,
        mode: u16,
        index: u32,
    ) -> Self {
        Self {
            raw: bindings::device_attribute {
                attr: bindings::attribute {
                    name,
                    mode,
                    ..pin_init::zeroed()
                },
                __bindgen_anon_1: bindings::device_attribute__bindgen_ty_1 {
                    show: Some(Self::show_callback::<O>),
                },
                __bindgen_anon_2: bindings::device_attribute__bindgen_ty_2 {
                    store: if O::WRITABLE {
                        Some(Self::store_callback::<O>)
                    } else {
                        None
                    },
                },
            },
            index,
            _data: PhantomData,
        }
    }

    /// Gives an attribute in allocated memory a lock class that is static.
    #[cfg(CONFIG_DEBUG_LOCK_ALLOC)]
    pub(super) fn init_lockdep(&mut self) {
        self.raw.attr.key = kernel::static_lock_class!().as_ptr();
    }

    /// Gives an attribute in allocated memory a lock class that is static.
    #[cfg(not(CONFIG_DEBUG_LOCK_ALLOC))]
    pub(super) fn init_lockdep(&mut self) {}

    /// Returns the entry for a list of attributes.
    pub(crate) const fn entry(&'static self) -> AttrEntry<T> {
        AttrEntry(&raw const self.raw.attr, PhantomData)
    }

    /// Returns the C attribute.
    pub(super) fn as_raw(&self) -> *const bindings::attribute {
        &raw const self.raw.attr
    }

    /// Shows the attribute.
    ///
    /// # Safety
    ///
    /// `dev` must be a device with data of type `T`, `attr` the C part of a [`DeviceAttr<T>`], and
    /// `page` valid for writing a page.
    unsafe extern "C" fn show_callback<O: AttrOps<T>>(
        dev: *mut bindings::device,
        attr: *mut bindings::device_attribute,
        page: *mut c_char,
    ) -> isize {
        // SAFETY: By the function's contract; sysfs holds the device.
        let data = unsafe { Core::<T>::data_of(dev) };
        // SAFETY: By the type invariant, `raw` is at offset 0.
        let index = unsafe { (*attr.cast::<Self>()).index };
        // SAFETY: By the function's contract.
        let mut out = unsafe { SysfsBuf::from_raw(page) };
        // CAST: Less than a page.
        from_result(|| O::show(data, index, &mut out).map(|()| out.len as isize))
    }

    /// Stores into the attribute.
    ///
    /// # Safety
    ///
    /// As for [`Self::show_callback`], and `text` must be valid for reading `len` bytes.
    unsafe extern "C" fn store_callback<O: AttrOps<T>>(
        dev: *mut bindings::device,
        attr: *mut bindings::device_attribute,
        text: *const c_char,
        len: usize,
    ) -> isize {
        // SAFETY: By the function's contract; sysfs holds the device.
        let data = unsafe { Core::<T>::data_of(dev) };
        // SAFETY: By the type invariant, `raw` is at offset 0.
        let index = unsafe { (*attr.cast::<Self>()).index };
        // SAFETY: By the function's contract.
        let bytes = unsafe { core::slice::from_raw_parts(text.cast::<u8>(), len) };
        from_result(|| {
            let text = core::str::from_utf8(bytes).map_err(|_| EINVAL)?;
            O::store(data, index, text.trim())?;
            // CAST: At most a page.
            Ok(len as isize)
        })
    }
}

/// An entry of a list of attributes.
#[repr(transparent)]
pub(crate) struct AttrEntry<T>(*const bindings::attribute, PhantomData<fn(&T)>);

// SAFETY: A pointer to something that is `Sync`.
unsafe impl<T> Sync for AttrEntry<T> {}

impl<T> AttrEntry<T> {
    /// Ends a list.
    pub(crate) const END: Self = Self(null(), PhantomData);
}

/// A `struct attribute_group` for devices with data of type `T`.
#[repr(transparent)]
pub(crate) struct AttributeGroup<T>(bindings::attribute_group, PhantomData<fn(&T)>);

// SAFETY: Nobody writes to it.
unsafe impl<T> Sync for AttributeGroup<T> {}
// SAFETY: Its pointers lead to static or to owned memory.
unsafe impl<T> Send for AttributeGroup<T> {}

impl<T> AttributeGroup<T> {
    /// Makes a group for a `static`, in a subdirectory if it has a name.
    ///
    /// The list must end with [`AttrEntry::END`]; [`attr_group!`] sees to it.
    pub(crate) const fn new(name: Option<&'static CStr>, list: &'static [AttrEntry<T>]) -> Self {
        assert!(!list.is_empty() && list[list.len() - 1].0.is_null());
        let name = match name {
            Some(name) => as_char_ptr_in_const_context(name),
            None => null(),
        };
        // SAFETY: All of it is static, and the list ends with null.
        unsafe { Self::from_raw_parts(name, list.as_ptr().cast()) }
    }

    /// Makes a group.
    ///
    /// # Safety
    ///
    /// `name` must be null or a string, `list` a list of attributes for `T` that ends with null;
    /// both must outlive the group.
    pub(super) const unsafe fn from_raw_parts(
        name: *const c_char,
        list: *const *const bindings::attribute,
    ) -> Self {
        Self(
            bindings::attribute_group {
                name,
                __bindgen_anon_2: bindings::attribute_group__bindgen_ty_2 { attrs_const: list },
                ..pin_init::zeroed()
            },
            PhantomData,
        )
    }

    /// Returns the C group.
    pub(super) fn as_raw(&self) -> *const bindings::attribute_group {
        &raw const self.0
    }
}

/// Declares a `static` [`DeviceAttr`].
///
/// ```ignore
/// device_attr!(static BUDGET: Limits = "budget", 0o644 {
///     show(limits, out) { writeln!(out, "{}", limits.budget())?; Ok(()) }
///     store(limits, text) { limits.set_budget(text.parse().map_err(|_| EINVAL)?) }
/// });
/// ```
macro_rules! device_attr {
    ($vis:vis static $name:ident: $data:ty = $file:literal, $mode:literal {
        show($dev:pat_param, $out:ident) $show:block
        $(store($sdev:pat_param, $text:ident) $store:block)?
    }) => {
        $vis static $name: $crate::kernel_ext::attr::DeviceAttr<$data> = {
            /// The functions of this attribute.
            struct Ops;

            impl $crate::kernel_ext::attr::AttrOps<$data> for Ops {
                $(
                    const WRITABLE: bool = true;

                    fn store($sdev: &$data, _index: u32, $text: &str) -> Result $store
                )?

                fn show(
                    $dev: &$data,
                    _index: u32,
                    $out: &mut $crate::kernel_ext::attr::SysfsBuf<'_>,
                ) -> Result {
                    #[allow(unused_imports)]
                    use ::core::fmt::Write as _;
                    $show
                }
            }
            $crate::kernel_ext::attr::DeviceAttr::new::<Ops>(::kernel::c_str!($file), $mode)
        };
    };
}

/// Declares a `static` [`AttributeGroup`]: `attr_group!(static G: Data = ["subdirectory",] [A, B])`.
macro_rules! attr_group {
    (@ $vis:vis $name:ident, $data:ty, $dir:expr, $($attr:path),*) => {
        $vis static $name: $crate::kernel_ext::attr::AttributeGroup<$data> = {
            const LIST: &[$crate::kernel_ext::attr::AttrEntry<$data>] = &[
                $($attr.entry(),)*
                $crate::kernel_ext::attr::AttrEntry::END,
            ];
            $crate::kernel_ext::attr::AttributeGroup::new($dir, LIST)
        };
    };
    ($vis:vis static $name:ident: $data:ty = [$($attr:path),* $(,)?]) => {
        attr_group!(@ $vis $name, $data, None, $($attr),*);
    };
    ($vis:vis static $name:ident: $data:ty = $dir:literal, [$($attr:path),* $(,)?]) => {
        attr_group!(@ $vis $name, $data, Some(::kernel::c_str!($dir)), $($attr),*);
    };
}
