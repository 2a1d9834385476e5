// SPDX-License-Identifier: GPL-2.0

//! What operations cost. In a machine that counts instructions as time (`make bench`), a
//! nanosecond is an executed instruction, and the figures are repeatable; elsewhere they are
//! nanoseconds.

mod control;
mod data;
mod floor;
mod measure;

use std::process::ExitCode;

use measure::Report;

fn run(report: &mut Report) -> ub_client::Result<()> {
    floor::run(report)?;
    data::run(report)?;
    control::run(report)
}

fn main() -> ExitCode {
    println!(
        "ub-bench: cost per operation; median, minimum and maximum of {} runs",
        measure::RUNS
    );
    let mut report = Report::default();
    if let Err(err) = run(&mut report) {
        println!("FAIL: {err}");
        return ExitCode::FAILURE;
    }
    let within = report.judge();
    println!(
        "{}",
        if within {
            "VERDICT: all within their limits"
        } else {
            "VERDICT: over the limit"
        }
    );
    if within {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}
