// SPDX-License-Identifier: GPL-2.0

//! All test programs in one, which is what its name says it is: compiling and linking dozens
//! of static programs would take longer than running most of them. `build.rs` makes the table
//! of the files in `src/bin`; `scripts/user.sh` makes a link for each name.

use std::path::Path;
use std::process::ExitCode;

/// The main function of a program.
type Main = fn() -> ExitCode;

include!(concat!(env!("OUT_DIR"), "/programs.rs"));

fn main() -> ExitCode {
    let path = std::env::args_os().next().unwrap_or_default();
    let name = Path::new(&path).file_name().unwrap_or_default();
    match PROGRAMS.iter().find(|(known, _)| name == *known) {
        Some((_, run)) => run(),
        None => {
            eprintln!("{name:?} is none of the test programs");
            ExitCode::FAILURE
        }
    }
}
