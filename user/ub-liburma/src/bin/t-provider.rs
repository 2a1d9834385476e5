// SPDX-License-Identifier: GPL-2.0

//! The provider of liburma, as liburma uses it.
//!
//! This program is dynamic, since it loads the provider as liburma does; the machine gets the
//! libraries. It stands for liburma: the functions that the provider calls are here (`double`).
//! With the argument `cost=1` it measures instead.

#[path = "../cases/mod.rs"]
mod cases;
#[path = "../double/mod.rs"]
mod double;

use std::process::ExitCode;

use ub_tests::Options;

fn main() -> ExitCode {
    if std::env::args().any(|arg| arg == "cost=1") {
        return cases::cost::run();
    }
    let tests = cases::all();
    let options = Options {
        limit: 120,
        ..Default::default()
    };
    ub_tests::run_with("t-provider", &tests, options)
}
