// SPDX-License-Identifier: GPL-2.0

//! 64 threads in 8 processes with random commands, good and bad, rings full of garbage,
//! mappings, children and descriptors of others, while devices come and go and processes are
//! killed: `t-soak [seconds=N] [seed=N]`. In the end nothing is left.

use std::process::ExitCode;

use ub_tests::soak::{soak, Config};
use ub_tests::{tests, Options, Outcome};

/// As long as `make soak` wants it.
const SECONDS: u64 = 600;

fn everything_at_once() -> Outcome {
    soak(Config::from_args(SECONDS))
}

pub fn main() -> ExitCode {
    let seconds = Config::from_args(SECONDS).seconds as u32;
    let options = Options {
        limit: seconds + 240,
        root: true,
        ..Default::default()
    };
    ub_tests::run_with("t-soak", tests![everything_at_once], options)
}
