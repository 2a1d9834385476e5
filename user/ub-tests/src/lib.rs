// SPDX-License-Identifier: GPL-2.0

//! What the test programs share: a small KTAP harness, object counters, fixtures.
//!
//! A program is `fn main() -> ExitCode { ub_tests::run("t-name", TESTS) }`. Each test
//! runs in a process of its own with a time limit: one that crashes or hangs has failed,
//! and the next one starts.

#[macro_use]
mod macros;

#[cfg(feature = "programs")]
pub mod conform;
pub mod counters;
#[cfg(feature = "programs")]
pub mod failnth;
pub mod fixture;
#[cfg(feature = "programs")]
pub mod listener;
#[cfg(feature = "programs")]
pub mod modules;
pub mod own;
#[cfg(feature = "programs")]
pub mod samples;
#[cfg(feature = "programs")]
pub mod soak;
#[cfg(feature = "programs")]
pub mod transfer;

mod harness;

/// Whether the long run is asked for, by the argument `full=1`, and not that of `make test`.
pub fn is_full() -> bool {
    std::env::args().any(|arg| arg == "full=1")
}

/// A measure of the short or the long run.
pub fn of_run<T>(short: T, full: T) -> T {
    match is_full() {
        true => full,
        false => short,
    }
}

pub use harness::{run, run_with, Failure, Options, Outcome, Test};
