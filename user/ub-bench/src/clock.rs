// SPDX-License-Identifier: GPL-2.0

//! Clocks, and what the mapping of memory takes by them.
//!
//! The linker leads every call of `mmap()` and `munmap()` outside of the C library to the
//! functions here (`--wrap`, build.rs), be it of ub-client or of libibverbs.

use std::ffi::{c_int, c_void};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

static MAPPING: AtomicU64 = AtomicU64::new(0);

/// Time in which this process had a CPU.
pub fn own() -> Duration {
    let mut now = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: `now` is valid for writing. The call cannot fail: Linux has this clock.
    unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &mut now) };
    Duration::new(now.tv_sec as u64, now.tv_nsec as u32)
}

/// Time that mapping and unmapping have taken since the start of the process.
pub fn mapping() -> Duration {
    Duration::from_nanos(MAPPING.load(Ordering::Relaxed))
}

fn timed<T>(call: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let value = call();
    MAPPING.fetch_add(start.elapsed().as_nanos() as u64, Ordering::Relaxed);
    value
}

extern "C" {
    fn __real_mmap(
        addr: *mut c_void,
        len: usize,
        prot: c_int,
        flags: c_int,
        fd: c_int,
        offset: libc::off_t,
    ) -> *mut c_void;
    fn __real_munmap(addr: *mut c_void, len: usize) -> c_int;
}

/// Stands for `mmap()`.
///
/// # Safety
///
/// As for `mmap()`.
#[no_mangle]
pub unsafe extern "C" fn __wrap_mmap(
    addr: *mut c_void,
    len: usize,
    prot: c_int,
    flags: c_int,
    fd: c_int,
    offset: libc::off_t,
) -> *mut c_void {
    // SAFETY: the caller vouches for it.
    timed(|| unsafe { __real_mmap(addr, len, prot, flags, fd, offset) })
}

/// Stands for `munmap()`.
///
/// # Safety
///
/// As for `munmap()`.
#[no_mangle]
pub unsafe extern "C" fn __wrap_munmap(addr: *mut c_void, len: usize) -> c_int {
    // SAFETY: the caller vouches for it.
    timed(|| unsafe { __real_munmap(addr, len) })
}
