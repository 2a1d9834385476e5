// SPDX-License-Identifier: GPL-2.0

//! The system-call layer: the only part with unsafe code.

mod compat;
mod copy;
mod mapping;
mod process;
mod rights;
mod ring_map;
mod ticks;

pub use compat::{ioctl_compat, CompatProbe};
pub use copy::copy_words;
pub use mapping::{LowMemory, MapFlags, Mapping};
pub use process::*;
pub use rights::{receive_fds, send_fds};
pub use ring_map::{RingMap, Slot};
pub use ticks::{ticks, TickRate};

use std::mem::{size_of, MaybeUninit};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};

use crate::{Error, Result};

/// A type of which every bit pattern of its size is a value, without padding.
///
/// # Safety
///
/// Both must hold, else `bytes_of` and `from_bytes` are undefined behaviour.
pub unsafe trait Pod: Copy {}

macro_rules! pod {
    ($($ty:ty),* $(,)?) => {
        $(
            // SAFETY: integers, or structures of the ABI that consist of integers and
            // whose padding is made of members.
            unsafe impl Pod for $ty {}
        )*
    };
}

pod!(
    u8,
    u16,
    u32,
    u64,
    i32,
    ub_abi::uburma_cmd_hdr,
    ub_abi::uburma_cmd_attr,
    ub_abi::uburma_udata,
    ub_abi::ubsoft_ctx_resp,
    ub_abi::ubsoft_import_seg_resp,
    ub_abi::ubsoft_seg_req,
    ub_abi::ubsoft_queue_req,
    ub_abi::uburma_cmd_create_jetty,
    ub_abi::uburma_jetty_opt,
    ub_abi::uburma_jfs_opt,
    ub_abi::ubsoft_queue_resp,
    ub_abi::ubsoft_import_resp,
    ub_abi::ubsoft_ring_header,
    ub_abi::ubsoft_sge,
    ub_abi::ubsoft_sqe,
    ub_abi::ubsoft_rqe,
    ub_abi::ubsoft_cqe,
    ub_abi::ubsoft_ctl_ring,
);

/// The bytes of a value.
pub fn bytes_of<T: Pod>(value: &T) -> &[u8] {
    // SAFETY: `T` has no padding, so all of its bytes are initialised; the slice lives
    // as long as the reference.
    unsafe { std::slice::from_raw_parts((value as *const T).cast(), size_of::<T>()) }
}

/// The bytes of the values of a slice.
pub fn bytes_of_slice<T: Pod>(values: &[T]) -> &[u8] {
    // SAFETY: as in `bytes_of`; the elements of a slice are contiguous.
    unsafe { std::slice::from_raw_parts(values.as_ptr().cast(), std::mem::size_of_val(values)) }
}

/// The words of a value that is aligned to them.
#[inline]
pub fn as_words<T: Pod, const N: usize>(value: &T) -> &[u64; N] {
    const { assert!(size_of::<T>() == 8 * N && align_of::<T>() >= align_of::<u64>()) };
    // SAFETY: plain data of the same size, aligned.
    unsafe { &*std::ptr::from_ref(value).cast() }
}

/// The value that words stand for.
#[inline]
pub fn from_words<T: Pod, const N: usize>(words: &[u64; N]) -> T {
    const { assert!(std::mem::size_of::<T>() == 8 * N) };
    // SAFETY: plain data of the same size, for which all bits are good.
    unsafe { std::mem::transmute_copy(words) }
}

/// Makes a value of its bytes; missing ones count as zero, surplus ones are ignored.
pub fn from_bytes<T: Pod>(bytes: &[u8]) -> T {
    let mut value = MaybeUninit::<T>::zeroed();
    let len = bytes.len().min(size_of::<T>());
    // SAFETY: `len` bounds both areas, which do not overlap; every bit pattern is a `T`.
    unsafe {
        std::ptr::copy_nonoverlapping(bytes.as_ptr(), value.as_mut_ptr().cast(), len);
        value.assume_init()
    }
}

/// ioctl() with a 64-bit argument, which is a number or an address.
///
/// The kernel follows addresses in what the argument points at: it answers EFAULT to
/// a wrong one, or writes to memory of this process that the caller named.
#[inline]
pub fn ioctl(fd: RawFd, request: u64, arg: u64) -> std::result::Result<i32, i32> {
    // SAFETY: the system call itself checks all of its arguments; what the caller's
    // addresses cover is the caller's business, see above.
    let ret = unsafe { libc::ioctl(fd, request as _, arg) };
    if ret < 0 {
        Err(last_errno())
    } else {
        Ok(ret)
    }
}

/// The error of the last system call.
#[cold]
fn last_errno() -> i32 {
    std::io::Error::last_os_error()
        .raw_os_error()
        .unwrap_or(libc::EIO)
}

/// Takes over a file descriptor that the kernel handed out.
pub fn adopt_fd(fd: i32) -> Result<OwnedFd> {
    // SAFETY: fcntl() takes any number.
    if fd < 0 || unsafe { libc::fcntl(fd, libc::F_GETFD) } < 0 {
        return Err(Error::BadReply(format!("{fd} is no file descriptor")));
    }
    // SAFETY: it is open, and nobody else has been told of it.
    Ok(unsafe { OwnedFd::from_raw_fd(fd) })
}

/// Waits until one of `events` holds on a file; returns what holds, 0 after the
/// timeout of so many milliseconds (negative: none).
pub fn poll(fd: RawFd, events: i16, timeout_ms: i32) -> Result<i16> {
    let mut pfd = libc::pollfd {
        fd,
        events,
        revents: 0,
    };
    // SAFETY: one valid pollfd.
    let ret = unsafe { libc::poll(&mut pfd, 1, timeout_ms) };
    if ret < 0 {
        return Err(Error::last("poll"));
    }
    Ok(pfd.revents)
}

/// Sets or clears O_NONBLOCK.
pub fn set_nonblocking(fd: &impl AsRawFd, on: bool) -> Result<()> {
    let fd = fd.as_raw_fd();
    // SAFETY: fcntl() takes any descriptor and flags.
    let flags = unsafe { libc::fcntl(fd, libc::F_GETFL) };
    if flags < 0 {
        return Err(Error::last("fcntl(F_GETFL)"));
    }
    let flags = if on {
        flags | libc::O_NONBLOCK
    } else {
        flags & !libc::O_NONBLOCK
    };
    // SAFETY: as above.
    if unsafe { libc::fcntl(fd, libc::F_SETFL, flags) } < 0 {
        return Err(Error::last("fcntl(F_SETFL)"));
    }
    Ok(())
}

/// Whether a descriptor is closed by exec.
pub fn is_cloexec(fd: RawFd) -> Result<bool> {
    // SAFETY: fcntl() takes any descriptor.
    let flags = unsafe { libc::fcntl(fd, libc::F_GETFD) };
    if flags < 0 {
        return Err(Error::last("fcntl(F_GETFD)"));
    }
    Ok(flags & libc::FD_CLOEXEC != 0)
}

/// Sets or clears close-on-exec.
pub fn set_cloexec(fd: RawFd, on: bool) -> Result<()> {
    let flags = if on { libc::FD_CLOEXEC } else { 0 };
    // SAFETY: fcntl() takes any descriptor.
    if unsafe { libc::fcntl(fd, libc::F_SETFD, flags) } < 0 {
        return Err(Error::last("fcntl(F_SETFD)"));
    }
    Ok(())
}

/// An epoll set of one file.
pub struct Epoll(OwnedFd);

impl Epoll {
    /// Watches a file for events.
    pub fn new(fd: RawFd, events: u32) -> Result<Self> {
        // SAFETY: no memory is involved.
        let raw = unsafe { libc::epoll_create1(libc::EPOLL_CLOEXEC) };
        if raw < 0 {
            return Err(Error::last("epoll_create1"));
        }
        // SAFETY: a new descriptor that nobody else knows.
        let set = unsafe { OwnedFd::from_raw_fd(raw) };
        let mut event = libc::epoll_event { events, u64: 0 };
        // SAFETY: `event` is valid for the call.
        let ret = unsafe { libc::epoll_ctl(raw, libc::EPOLL_CTL_ADD, fd, &mut event) };
        if ret < 0 {
            return Err(Error::last("epoll_ctl"));
        }
        Ok(Epoll(set))
    }

    /// Waits so many milliseconds; returns the events, 0 after the timeout.
    pub fn wait(&self, timeout_ms: i32) -> Result<u32> {
        let mut event = libc::epoll_event { events: 0, u64: 0 };
        // SAFETY: room for one event.
        let ret = unsafe { libc::epoll_wait(self.0.as_raw_fd(), &mut event, 1, timeout_ms) };
        if ret < 0 {
            return Err(Error::last("epoll_wait"));
        }
        Ok(if ret == 0 { 0 } else { event.events })
    }
}

/// Read end and write end of a pipe.
pub fn pipe() -> Result<(OwnedFd, OwnedFd)> {
    let mut fds = [0; 2];
    // SAFETY: room for two numbers.
    if unsafe { libc::pipe2(fds.as_mut_ptr(), libc::O_CLOEXEC) } != 0 {
        return Err(Error::last("pipe2"));
    }
    Ok((adopt_fd(fds[0])?, adopt_fd(fds[1])?))
}

/// A pair of eventfds would do; this is one.
pub fn eventfd() -> Result<OwnedFd> {
    // SAFETY: no memory is involved.
    let raw = unsafe { libc::eventfd(0, libc::EFD_CLOEXEC) };
    if raw < 0 {
        return Err(Error::last("eventfd"));
    }
    // SAFETY: a new descriptor that nobody else knows.
    Ok(unsafe { OwnedFd::from_raw_fd(raw) })
}

/// A system call that does next to nothing.
pub fn null_syscall() -> i64 {
    // SAFETY: getppid() takes no arguments and cannot fail.
    unsafe { libc::syscall(libc::SYS_getppid) }
}
