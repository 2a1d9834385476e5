// SPDX-License-Identifier: GPL-2.0

//! Counts what the provider asks of the C library: its calls are led here, since the functions of a
//! program come before those of libraries.

use std::ffi::{c_int, c_ulong, c_void};
use std::sync::atomic::{AtomicU64, Ordering};

use ub_abi::IOC_SQ_KICK;

static IOCTLS: AtomicU64 = AtomicU64::new(0);
static KICKS: AtomicU64 = AtomicU64::new(0);
static ALLOCATIONS: AtomicU64 = AtomicU64::new(0);

/// What was asked so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Calls {
    /// Calls of `ioctl()`.
    pub ioctls: u64,
    /// Doorbells of send queues among them.
    pub kicks: u64,
    /// Calls of `malloc()` and `calloc()`.
    pub allocations: u64,
}

impl Calls {
    /// Since the program began.
    pub fn now() -> Self {
        Calls {
            ioctls: IOCTLS.load(Ordering::Relaxed),
            kicks: KICKS.load(Ordering::Relaxed),
            allocations: ALLOCATIONS.load(Ordering::Relaxed),
        }
    }

    /// Since then.
    pub fn since(self) -> Self {
        let now = Self::now();
        Calls {
            ioctls: now.ioctls - self.ioctls,
            kicks: now.kicks - self.kicks,
            allocations: now.allocations - self.allocations,
        }
    }
}

extern "C" {
    fn __libc_malloc(size: usize) -> *mut c_void;
    fn __libc_calloc(count: usize, size: usize) -> *mut c_void;
}

/// As the C library's; all that is asked here has one argument, a word.
///
/// # Safety
///
/// As for the C library's.
#[no_mangle]
pub unsafe extern "C" fn ioctl(fd: c_int, request: c_ulong, arg: usize) -> c_int {
    IOCTLS.fetch_add(1, Ordering::Relaxed);
    if request == IOC_SQ_KICK {
        KICKS.fetch_add(1, Ordering::Relaxed);
    }
    // SAFETY: as the caller promises.
    unsafe { libc::syscall(libc::SYS_ioctl, fd, request, arg) as c_int }
}

/// As the C library's.
///
/// # Safety
///
/// None is needed.
#[no_mangle]
pub unsafe extern "C" fn malloc(size: usize) -> *mut c_void {
    ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
    // SAFETY: what the C library's is.
    unsafe { __libc_malloc(size) }
}

/// As the C library's.
///
/// # Safety
///
/// None is needed.
#[no_mangle]
pub unsafe extern "C" fn calloc(count: usize, size: usize) -> *mut c_void {
    ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
    // SAFETY: what the C library's is.
    unsafe { __libc_calloc(count, size) }
}
