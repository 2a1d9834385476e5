// SPDX-License-Identifier: GPL-2.0

//! The tests.

mod abuse;
mod control;
pub mod cost;
mod data;
mod events;
mod lab;
mod load;
mod malformed;
mod services;
mod stages;

use ub_tests::Test;

/// All tests.
pub fn all() -> Vec<Test> {
    [
        load::TESTS,
        data::TESTS,
        malformed::TESTS,
        services::TESTS,
        events::TESTS,
        control::TESTS,
        stages::TESTS,
        abuse::TESTS,
    ]
    .concat()
}
