// SPDX-License-Identifier: GPL-2.0

//! Conformance to the user ABI: every command, every attribute, every way to get it wrong.
//!
//! [`table`] has the ABI's own tables; [`recipes`] know how to make each command work;
//! [`variants`] spoil it; [`expect`] says what must happen then. A block runs all variants of a
//! command, or, unless the argument is `full=1`, those that [`thin`] leaves. In each call the outputs are poisoned before and looked at afterwards.

mod bench;
mod block;
mod expect;
#[cfg(test)]
mod generate;
pub(crate) mod recipes;
pub(crate) mod table;
mod thin;
mod totals;
mod variants;
pub(crate) mod world;

pub use block::block;
pub use table::TESTS;
pub use totals::{every_command_has_a_recipe, matrix, prepare};
