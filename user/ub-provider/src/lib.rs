// SPDX-License-Identifier: GPL-2.0

//! Provider of liburma for devices of ubsoft: `liburma-ubsoft.so`.
//!
//! liburma loads it, it registers its operations (`ffi::table`), and liburma calls them for devices
//! whose driver is called `ubsoft`. Control operations go through the `urma_cmd_*` functions of
//! liburma to the kernel; posting and polling work on rings that are shared with the kernel
//! (`queue`), without a system call but for the doorbell.
//!
//! Unsafe code is in `ffi` alone. Memory of objects that liburma knows is never given back while
//! the provider is loaded, and only used again for objects of the same kind: so an operation on an
//! object that is gone finds out and fails (`ffi::object`).
//!
//! Every queue has a lock of its own, taken whether or not its user asked for `lock_free`: without
//! competition it costs one atomic instruction.

#![deny(unsafe_code)]

#[cfg(not(target_env = "gnu"))]
compile_error!("structures of liburma hold locks of glibc: the provider is built for it");

mod queue;
mod status;

mod ffi;
