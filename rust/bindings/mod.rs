// SPDX-License-Identifier: GPL-2.0

//! Bindings to the C interfaces of the UB modules, made by bindgen.
//!
//! Covers `include/ub/urma/`, `include/uapi/ub/`, the C helpers, and the few kernel functions that
//! `kernel::bindings` lacks (listed in `Kbuild`). Kernel types are those of `kernel::bindings`.
//!
//! Each crate declares this file as `crate::bindings_ub`.

#![allow(
    clippy::all,
    clippy::cast_lossless,
    clippy::ptr_as_ptr,
    dead_code,
    improper_ctypes,
    missing_docs,
    non_camel_case_types,
    non_snake_case,
    non_upper_case_globals,
    rustdoc::all,
    unreachable_pub,
    unsafe_op_in_unsafe_fn,
    unused_imports
)]
// Generated code has no safety comments, and derives that say nothing new.
#![allow(clippy::undocumented_unsafe_blocks, clippy::unwrap_used)]

include!(concat!(env!("UB_GEN"), "/ub_bindings.rs"));
