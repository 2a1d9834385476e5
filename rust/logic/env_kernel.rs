// SPDX-License-Identifier: GPL-2.0

//! What the logic files may import, for builds inside the kernel.
//!
//! The files of `rust/logic` know nothing but `crate::env`. A kernel module includes this file:
//!
//! ```ignore
//! #[path = "../rust/logic/env_kernel.rs"]
//! mod env;
//! ```
//!
//! The crate in `selftests/host` supplies the same names on top of `std`, so that the same sources
//! run under `cargo test`. Add a name here only together with its counterpart there.

// A module includes only the logic files it needs, so some names go unused in each of them.
#![allow(unused_imports)]

pub(crate) use kernel::{
    alloc::{
        flags::*,
        AllocError,
        Flags,
        KVVec,
        KVec, //
    },
    error::{
        code::*,
        Error,
        Result, //
    },
    fmt,
    sync::atomic::{
        Acquire,
        Atomic,
        Full,
        Relaxed,
        Release, //
    },
};

pub(crate) use crate::kernel_ext::hot::{
    HotCount,
    HotWord, //
};
