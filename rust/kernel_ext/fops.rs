// SPDX-License-Identifier: GPL-2.0

//! Open files with typed private data.
//!
//! C header: [`include/linux/fs.h`](srctree/include/linux/fs.h)
//!
//! A type that implements [`FileOperations`] is what an open file owns, as an [`Arc`]. Its table of
//! operations is a `static`, so that the address of the table tells what a file's private data is.

use super::{
    arc::{
        Arc,
        ArcBorrow, //
    },
    class_device::ClassDevice,
    map_inode::MapInode,
    poll::PollTable, //
};
use core::marker::PhantomData;
use kernel::{
    bindings,
    error::{
        from_result,
        to_result,
        VTABLE_DEFAULT_ERROR, //
    },
    fs::File,
    mm::virt::VmaNew,
    module::this_module,
    prelude::*,
    types::Opaque,
    uaccess::{
        UserSlice,
        UserSliceWriter, //
    }, //
};

/// The arguments of an ioctl.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Ioctl {
    /// The command.
    pub(crate) cmd: u32,
    /// The argument; the pointer of a 32-bit caller is extended as it should be.
    pub(crate) arg: usize,
    /// Whether the caller is a 32-bit process on a 64-bit kernel.
    pub(crate) compat: bool,
}

/// What an open file owns, and what can be done with the file.
///
/// The table holds those operations that are overridden; the others behave as if they were absent.
/// An open file pins the module that implements them.
#[vtable]
pub(crate) trait FileOperations: Sized + Send + Sync + 'static {
    /// The table of operations: `file_ops!(Type)` or `device_file_ops!(Type)`.
    const TABLE: &'static FileOps<Self>;

    /// Returns the inode that the mappings of the file hang on, so that they can be zapped.
    ///
    /// Asked once, when the file is made; `this` must keep that inode as long as it lives.
    fn map_inode(_this: &Self) -> Option<&Arc<MapInode>> {
        None
    }

    /// Called when the last reference to the file is dropped, in process context.
    fn release(_this: Arc<Self>, _file: &File) {}

    /// Called when a file descriptor is closed; there may be others.
    fn flush(_this: ArcBorrow<'_, Self>) -> Result {
        build_error!(VTABLE_DEFAULT_ERROR)
    }

    /// Executes an ioctl.
    fn ioctl(_this: ArcBorrow<'_, Self>, _file: &File, _call: Ioctl) -> Result<isize> {
        build_error!(VTABLE_DEFAULT_ERROR)
    }

    /// Registers with wait queues, then tells what is ready, as a mask of [`poll::mask`].
    ///
    /// [`poll::mask`]: super::poll::mask
    fn poll(_this: ArcBorrow<'_, Self>, _table: &PollTable<'_>) -> u32 {
        build_error!(VTABLE_DEFAULT_ERROR)
    }

    /// Sets up a mapping; `pgoff` is the offset in pages.
    ///
    /// Runs with the mmap lock held for writing: take no lock under which user memory is accessed.
    fn mmap(_this: ArcBorrow<'_, Self>, _vma: &VmaNew, _pgoff: usize) -> Result {
        build_error!(VTABLE_DEFAULT_ERROR)
    }

    /// Reads into user memory; returns the number of bytes.
    fn read(_this: ArcBorrow<'_, Self>, _file: &File, _out: UserSliceWriter) -> Result<usize> {
        build_error!(VTABLE_DEFAULT_ERROR)
    }

    /// Returns the list of those who want SIGIO, always the same; makes `O_ASYNC` work.
    fn fasync(_this: &Self) -> &Fasync {
        build_error!(VTABLE_DEFAULT_ERROR)
    }
}

/// A file that is made by opening the character device of a [`ClassDevice`].
pub(crate) trait DeviceFile: FileOperations {
    /// The data of the device.
    type Device: Send + Sync + 'static;

    /// Called for each open, perhaps while the device is being removed.
    fn open(dev: &ClassDevice<Self::Device>, file: &File) -> Result<Arc<Self>>;
}

/// A `struct file_operations` for files that own an `Arc<T>`.
///
/// # Invariants
///
/// The functions are the callbacks below for `T`, the owner is the module that implements them.
#[repr(transparent)]
pub(crate) struct FileOps<T>(bindings::file_operations, PhantomData<fn(&T)>);

// SAFETY: Nobody writes to it.
unsafe impl<T> Sync for FileOps<T> {}

impl<T: FileOperations> FileOps<T> {
    /// Makes the table; for [`file_ops!`], which gives it an address of its own.
    pub(crate) const fn new() -> Self {
        Self(
            bindings::file_operations {
                owner: this_module::<T::OwnerModule>().as_ptr(),
                release: Some(Self::release_callback),
                flush: if T::HAS_FLUSH {
                    Some(Self::flush_callback)
                } else {
                    None
                },
                unlocked_ioctl: if T::HAS_IOCTL {
                    Some(Self::ioctl_callback)
                } else {
                    None
                },
                #[cfg(CONFIG_COMPAT)]
                compat_ioctl: if T::HAS_IOCTL {
                    Some(Self::compat_ioctl_callback)
                } else {
                    None
                },
                poll: if T::HAS_POLL {
                    Some(Self::poll_callback)
                } else {
                    None
                },
                mmap: if T::HAS_MMAP {
                    Some(Self::mmap_callback)
                } else {
                    None
                },
                read: if T::HAS_READ {
                    Some(Self::read_callback)
                } else {
                    None
                },
                fasync: if T::HAS_FASYNC {
                    Some(Self::fasync_callback)
                } else {
                    None
                },
                ..pin_init::zeroed()
            },
            PhantomData,
        )
    }

    /// Makes the table with an `open`; for [`device_file_ops!`].
    pub(crate) const fn for_device() -> Self
    where
        T: DeviceFile,
    {
        let mut table = Self::new();
        table.0.open = Some(Self::open_callback);
        table
    }

    /// Returns the C table.
    pub(super) fn as_raw(&'static self) -> &'static bindings::file_operations {
        &self.0
    }

    /// Tells whether a file has this table.
    ///
    /// # Safety
    ///
    /// `file` must be a valid file.
    pub(super) unsafe fn is_of(&'static self, file: *const bindings::file) -> bool {
        // SAFETY: By the function's contract. Nobody changes the operations of an open file.
        core::ptr::eq(unsafe { (*file).f_op }, &self.0)
    }

    /// Borrows the private data.
    ///
    /// # Safety
    ///
    /// `file` must be open for all of `'a`, have this table, and have its private data.
    unsafe fn private<'a>(file: *mut bindings::file) -> ArcBorrow<'a, T> {
        // SAFETY: By the function's contract, the private data is a foreign `Arc<T>`.
        unsafe { ArcBorrow::from_raw((*file).private_data.cast::<T>()) }
    }

    /// # Safety
    ///
    /// `inode` and `file` must be those of a character device being opened, whose files are `T`s.
    unsafe extern "C" fn open_callback(
        inode: *mut bindings::inode,
        file: *mut bindings::file,
    ) -> c_int
    where
        T: DeviceFile,
    {
        from_result(|| {
            // SAFETY: By the function's contract.
            let dev = unsafe { ClassDevice::<T::Device>::from_inode(inode) }?;
            // SAFETY: Not shared yet, so no `fdget_pos()` is going on.
            let object = T::open(dev, unsafe { File::from_raw_file(file) })?;
            if let Some(inode) = T::map_inode(&object) {
                // SAFETY: Nobody maps the file yet; it will own the object, which keeps the inode.
                unsafe { (*file).f_mapping = inode.mapping() };
            }
            // SAFETY: The private data belongs to the operations.
            unsafe { (*file).private_data = Arc::into_raw(object).cast_mut().cast() };
            Ok(0)
        })
    }

    /// # Safety
    ///
    /// `file` must have this table, and be used for the last time.
    unsafe extern "C" fn release_callback(
        _inode: *mut bindings::inode,
        file: *mut bindings::file,
    ) -> c_int {
        // SAFETY: The last use of the private data, an `Arc<T>`.
        let this = unsafe { Arc::<T>::from_raw((*file).private_data.cast()) };
        // SAFETY: Valid during this call; nobody else uses it.
        T::release(this, unsafe { File::from_raw_file(file) });
        0
    }

    /// # Safety
    ///
    /// `file` must be open and have this table.
    unsafe extern "C" fn flush_callback(
        file: *mut bindings::file,
        _id: bindings::fl_owner_t,
    ) -> c_int {
        // SAFETY: By the function's contract.
        from_result(|| T::flush(unsafe { Self::private(file) }).map(|()| 0))
    }

    /// # Safety
    ///
    /// `file` must be open and have this table.
    unsafe extern "C" fn ioctl_callback(
        file: *mut bindings::file,
        cmd: c_uint,
        arg: c_ulong,
    ) -> c_long {
        let call = Ioctl {
            cmd,
            arg,
            compat: false,
        };
        // SAFETY: By the function's contract; ioctl takes no position lock.
        let (this, file) = unsafe { (Self::private(file), File::from_raw_file(file)) };
        from_result(|| T::ioctl(this, file, call))
    }

    /// # Safety
    ///
    /// `file` must be open and have this table.
    #[cfg(CONFIG_COMPAT)]
    unsafe extern "C" fn compat_ioctl_callback(
        file: *mut bindings::file,
        cmd: c_uint,
        arg: c_ulong,
    ) -> c_long {
        let call = Ioctl {
            cmd,
            // What `compat_ptr()` does where we run.
            arg: arg & 0xffff_ffff,
            compat: true,
        };
        // SAFETY: By the function's contract; ioctl takes no position lock.
        let (this, file) = unsafe { (Self::private(file), File::from_raw_file(file)) };
        from_result(|| T::ioctl(this, file, call))
    }

    /// # Safety
    ///
    /// `file` must be open and have this table; `table` must be null or valid.
    unsafe extern "C" fn poll_callback(
        file: *mut bindings::file,
        table: *mut bindings::poll_table,
    ) -> bindings::__poll_t {
        // SAFETY: By the function's contract.
        let (this, table) = unsafe { (Self::private(file), PollTable::from_raw(file, table)) };
        T::poll(this, &table)
    }

    /// # Safety
    ///
    /// `file` must be open and have this table; `vma` must be undergoing set-up.
    unsafe extern "C" fn mmap_callback(
        file: *mut bindings::file,
        vma: *mut bindings::vm_area_struct,
    ) -> c_int {
        // SAFETY: By the function's contract.
        let (this, area) = unsafe { (Self::private(file), VmaNew::from_raw(vma)) };
        // SAFETY: As above.
        let pgoff = unsafe { (*vma).vm_pgoff };
        from_result(|| T::mmap(this, area, pgoff).map(|()| 0))
    }

    /// # Safety
    ///
    /// `file` must be open and have this table.
    unsafe extern "C" fn read_callback(
        file: *mut bindings::file,
        buf: *mut c_char,
        len: usize,
        _pos: *mut bindings::loff_t,
    ) -> isize {
        // SAFETY: By the function's contract; files without position take no position lock, and
        // the others hold it.
        let (this, file) = unsafe { (Self::private(file), File::from_raw_file(file)) };
        let out = UserSlice::new(UserPtr::from_addr(buf as usize), len).writer();
        // CAST: At most `len`, which the kernel limits to `isize::MAX`.
        from_result(|| T::read(this, file, out).map(|n| n as isize))
    }

    /// # Safety
    ///
    /// `file` must be open and have this table.
    unsafe extern "C" fn fasync_callback(fd: c_int, file: *mut bindings::file, on: c_int) -> c_int {
        // SAFETY: By the function's contract.
        let this = unsafe { Self::private(file) };
        // SAFETY: The list belongs to the file's private data; the kernel takes the file off the
        // list before it releases the file.
        unsafe { bindings::fasync_helper(fd, file, on, T::fasync(&this).0.get()) }
    }
}

/// Returns the private data of an open file, if it has the operations of `T`.
pub(crate) fn private_of<T: FileOperations>(file: &File) -> Option<ArcBorrow<'_, T>> {
    // SAFETY: A valid file.
    if !unsafe { T::TABLE.is_of(file.as_ptr()) } {
        return None;
    }
    // SAFETY: The table is that of `T`. A file is not shared before it has its private data.
    Some(unsafe { FileOps::<T>::private(file.as_ptr()) })
}

/// The processes that want SIGIO for a file.
pub(crate) struct Fasync(Opaque<*mut bindings::fasync_struct>);

// SAFETY: The list has locks of its own.
unsafe impl Send for Fasync {}
// SAFETY: The list has locks of its own.
unsafe impl Sync for Fasync {}

impl Fasync {
    /// Makes an empty list.
    pub(crate) const fn new() -> Self {
        Self(Opaque::new(core::ptr::null_mut()))
    }

    /// Sends SIGIO; `band` is one of `POLL_IN`, `POLL_OUT`, `POLL_ERR`, `POLL_HUP`.
    pub(crate) fn notify(&self, band: u32) {
        // SAFETY: A valid list; RCU protects its entries.
        unsafe { bindings::kill_fasync(self.0.get(), bindings::SIGIO as c_int, band as c_int) };
    }
}

/// Makes the `static` table of operations of a type: the value of [`FileOperations::TABLE`].
macro_rules! file_ops {
    ($type:ty) => {{
        static OPS: $crate::kernel_ext::fops::FileOps<$type> =
            $crate::kernel_ext::fops::FileOps::new();
        &OPS
    }};
}

/// As [`file_ops!`], for a [`DeviceFile`].
macro_rules! device_file_ops {
    ($type:ty) => {{
        static OPS: $crate::kernel_ext::fops::FileOps<$type> =
            $crate::kernel_ext::fops::FileOps::for_device();
        &OPS
    }};
}
