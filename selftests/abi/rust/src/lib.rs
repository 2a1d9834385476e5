// SPDX-License-Identifier: GPL-2.0
//! The uburma user ABI as bindgen reads it from `include/uapi/ub`.
//!
//! The crate exists for its tests, which compare these definitions with the
//! tables in `../uburma-abi.json`.

/// Output of bindgen, enumerators without the name of their enumeration.
#[allow(missing_docs, non_camel_case_types, non_upper_case_globals)]
#[allow(clippy::all)]
pub mod abi {
    include!(concat!(env!("OUT_DIR"), "/abi.rs"));
}
