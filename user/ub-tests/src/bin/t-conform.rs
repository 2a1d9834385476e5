// SPDX-License-Identifier: GPL-2.0

//! Every command of the ABI, every attribute, every way to get it wrong.

use std::process::ExitCode;

use ub_tests::conform::{every_command_has_a_recipe, matrix, prepare, TESTS};
use ub_tests::{tests, Options, Test};

pub fn main() -> ExitCode {
    if let Err(failure) = prepare() {
        println!("Bail out! {failure:?}");
        return ExitCode::FAILURE;
    }
    let first: &[Test] = tests![every_command_has_a_recipe];
    let last: &[Test] = tests![matrix];
    let options = Options {
        root: true,
        ..Options::default()
    };
    ub_tests::run_with("t-conform", &[first, TESTS, last].concat(), options)
}
