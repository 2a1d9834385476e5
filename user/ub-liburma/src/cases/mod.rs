// SPDX-License-Identifier: GPL-2.0

//! The tests.

mod load;

use ub_tests::Test;

/// All tests.
pub fn all() -> Vec<Test> {
    load::TESTS.to_vec()
}
