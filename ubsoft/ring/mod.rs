// SPDX-License-Identifier: GPL-2.0

//! Memory that user space changes at any time: rings and pinned segments.
//!
//! This is the one room of the module with `unsafe` code. Nothing outside forms a pointer to shared
//! memory. Three rules hold inside:
//!
//! * Shared memory is reached by volatile, atomic or assembler accesses on raw pointers; there is
//!   never a Rust reference to it, but to a word as an `Atomic`.
//! * Geometry comes from the kernel's own objects, never from shared memory.
//! * What is read from a ring is a copy, and no byte of an entry is read twice for one use.

pub(crate) mod abi;
pub(crate) mod copy;
pub(crate) mod lent;
pub(crate) mod pages;
mod shared;

pub(crate) use self::shared::{
    Flags,
    Kind,
    Ring,
    ENTRIES_OFFSET, //
};
