// SPDX-License-Identifier: GPL-2.0

//! Doorbells: files by which users tell a driver that there is work.
//!
//! The file belongs to the core, so it does not pin the driver's module. Its only operation is an
//! ioctl that calls the driver, as long as the driver has not revoked the doorbell.

use crate::{
    c_api::Ring,
    kernel_ext::{
        anon_file::{
            Access,
            AnonFile,
            NewFd, //
        },
        arc::{
            Arc,
            ArcBorrow, //
        },
        fops::{
            FileOperations,
            FileOps,
            Ioctl, //
        },
        task,
        use_wait::UseCount, //
    }, //
};
use kernel::{
    fs::File,
    prelude::*,
    uaccess::UserSlice, //
};

/// What a doorbell file owns.
#[pin_data]
pub(crate) struct Bell {
    ring: Ring,
    /// Rings in progress; revoked with the doorbell.
    #[pin]
    uses: UseCount,
}

#[vtable]
impl FileOperations for Bell {
    const TABLE: &'static FileOps<Self> = file_ops!(Bell);

    #[inline]
    fn ioctl(this: ArcBorrow<'_, Self>, _file: &File, call: Ioctl) -> Result<isize> {
        let arg = if call.compat {
            // A register has no room for the argument there.
            UserSlice::new(UserPtr::from_addr(call.arg), size_of::<u64>())
                .reader()
                .read()?
        } else {
            // CAST: From 64 to 64 bits.
            call.arg as u64
        };
        let entered = this.uses.try_enter().ok_or(EIO)?;
        Ok(this.ring.call(&entered, call.cmd, arg))
    }
}

/// A file that the user does not have yet.
struct Unpublished {
    fd: NewFd,
    file: AnonFile,
    /// Whose table of file descriptors the number is reserved in.
    process: i32,
}

/// The driver's end of a doorbell.
pub(crate) struct Doorbell {
    bell: Arc<Bell>,
    /// Until it is published.
    file: Option<Unpublished>,
}

impl Doorbell {
    /// Makes a doorbell and its file.
    ///
    /// # Errors
    ///
    /// `EMFILE` or `ENFILE` without room for another file, `ENOMEM`.
    pub(crate) fn new(ring: Ring) -> Result<Self> {
        let bell = Arc::pin_init(
            pin_init!(Bell {
                ring,
                uses <- UseCount::new(),
            }),
            // Not charged: there is one for each file, which is.
            GFP_KERNEL,
        )?;
        let fd = NewFd::reserve(true)?;
        let file = AnonFile::new(c"[ubdb]", bell.clone(), Access::ReadWrite)?;
        Ok(Self {
            bell,
            file: Some(Unpublished {
                fd,
                file,
                process: task::tgid(),
            }),
        })
    }

    /// Returns the number that the file will have; `None` once it is published.
    pub(crate) fn fd(&self) -> Option<u32> {
        self.file.as_ref().map(|file| file.fd.fd())
    }

    /// Lets the calling process use the doorbell.
    pub(crate) fn publish(&mut self) {
        if let Some(file) = self.file.take() {
            if file.process == task::tgid() {
                file.fd.install(file.file);
            } else {
                pr_warn_ratelimited!("doorbell is published by another process\n");
                core::mem::forget(file.fd);
            }
        }
    }
}

impl Drop for Doorbell {
    /// Revokes the doorbell: no ring after this.
    fn drop(&mut self) {
        self.bell.uses.revoke();
        if let Some(file) = self.file.take() {
            // The number means something in the process that reserved it only; elsewhere it must
            // not be given back.
            if file.process != task::tgid() {
                core::mem::forget(file.fd);
            }
        }
    }
}
