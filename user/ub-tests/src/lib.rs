// SPDX-License-Identifier: GPL-2.0

//! What the test programs share: a small KTAP harness, object counters, fixtures.
//!
//! A program is `fn main() -> ExitCode { ub_tests::run("t-name", TESTS) }`. Each test
//! runs in a process of its own with a time limit: one that crashes or hangs has failed,
//! and the next one starts.

#[macro_use]
mod macros;

pub mod conform;
pub mod counters;
pub mod failnth;
pub mod fixture;
pub mod listener;
pub mod modules;
pub mod own;
pub mod samples;
pub mod soak;
pub mod transfer;

mod harness;

pub use harness::{run, run_with, Failure, Options, Outcome, Test};
