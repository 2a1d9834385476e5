// SPDX-License-Identifier: GPL-2.0

//! Safe interface to `include/ub/urma` for clients and for drivers.
//!
//! A module compiles the half it needs. It does not include this file, which can only name both,
//! but declares in its crate root
//!
//! ```ignore
//! #[path = "../rust/ub"]
//! mod ub {
//!     pub(crate) mod client; // or driver
//!     pub(crate) mod common;
//! }
//! ```
//!
//! next to `crate::bindings_ub`, `crate::kernel_ext`, `crate::env` and, for a client,
//! `crate::logic::use_count`.

pub(crate) mod client;
pub(crate) mod common;
pub(crate) mod driver;
