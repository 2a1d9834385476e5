// SPDX-License-Identifier: GPL-2.0

//! What operations cost. In a machine that counts instructions as time (`make bench`), a
//! nanosecond is an executed instruction, and the figures are repeatable; elsewhere they are
//! nanoseconds.
//!
//! Built with the feature `rxe`, and where the modules of rdma_rxe are loaded, it measures that
//! device too, and puts the figures side by side.

mod clock;
mod control;
mod data;
mod expected;
mod floor;
mod measure;
mod memory;
mod raw;
#[cfg(feature = "rxe")]
mod rxe;
mod table;

use std::process::ExitCode;

use measure::Report;

fn run(report: &mut Report) -> ub_client::Result<()> {
    floor::run(report)?;
    data::run(report)?;
    control::run(report)?;
    #[cfg(feature = "rxe")]
    if std::path::Path::new("/sys/module/rdma_rxe").exists() {
        rxe::run(report)?;
    }
    Ok(())
}

fn main() -> ExitCode {
    println!(
        "ub-bench: cost per operation; median, minimum and maximum of {} runs",
        measure::RUNS
    );
    let mut report = Report::new();
    if let Err(err) = run(&mut report) {
        println!("FAIL: {err}");
        return ExitCode::FAILURE;
    }
    table::print(&report);
    table::print_plain(&report);
    let mut within = table::judge(&report);
    if std::env::args().any(|arg| arg == "expected") {
        expected::print(&report, table::names());
    } else {
        within &= expected::judge(&report);
    }
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
