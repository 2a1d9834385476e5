// SPDX-License-Identifier: GPL-2.0

//! The provider of liburma, as liburma uses it.
//!
//! This program is dynamic, since it loads the provider as liburma does; the machine gets the
//! libraries. It stands for liburma: the functions that the provider calls are here (`double`).

#[path = "../cases/mod.rs"]
mod cases;
#[path = "../double/mod.rs"]
mod double;

use std::process::ExitCode;

use ub_tests::Options;

fn main() -> ExitCode {
    let tests = cases::all();
    let options = Options {
        limit: 120,
        ..Default::default()
    };
    ub_tests::run_with("t-provider", &tests, options)
}
