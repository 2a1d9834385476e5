// SPDX-License-Identifier: GPL-2.0

//! Every command, with every operation in it that can fail failing once: allocations and
//! copies from and to user memory. It gives an errno, leaves nothing behind, and works when
//! it is made again.

use std::process::ExitCode;

use ub_client::abi::*;
use ub_tests::failnth::commands::{recorded, Row, COMMANDS, EVENT_COMMANDS, RECORD};
use ub_tests::failnth::{Coverage, KINDS};
use ub_tests::{check, check_eq, Options, Outcome, Test};

/// Numbers of commands.
const LAST: u32 = UBURMA_CMD_GET_JFCE_CNT;
const LAST_EVENT: u32 = UBURMA_EVENT_CMD_WAIT_NOTIFY;

fn rows() -> impl Iterator<Item = &'static Row> {
    COMMANDS.iter().chain(EVENT_COMMANDS)
}

/// A command without a recipe is a hole in the test.
fn every_command_has_a_recipe() -> Outcome {
    for (list, last) in [(COMMANDS, LAST), (EVENT_COMMANDS, LAST_EVENT)] {
        for number in 1..=last {
            let found = list.iter().filter(|row| row.number == number);
            check_eq!(found.count(), 1, "recipes of command {number}");
        }
        check_eq!(list.len() as u32, last);
    }
    Ok(())
}

/// Tells what was swept; all of it, if the whole program runs.
fn coverage() -> Outcome {
    let list = recorded()?;
    let mut sum = Coverage::default();
    for (name, coverage) in &list {
        sum.add(coverage);
        let [slab, page, copy] = coverage.faults;
        println!(
            "# {name}: {slab} slab, {page} page, {copy} copy, {} survived",
            coverage.survived
        );
    }
    // Of a command that is not offered, header and attributes are copied.
    let refused = list.iter().filter(|(_, coverage)| coverage.faults[2] <= 2);
    println!("# {} of them are not offered", refused.count());
    println!(
        "# {} commands of {}, {} kinds of fault, {} steps: {:?} of the kinds, {} survived",
        list.len(),
        LAST + LAST_EVENT,
        KINDS.len(),
        sum.steps(),
        sum.faults,
        sum.survived
    );
    std::io::Write::flush(&mut std::io::stdout())?;
    if std::env::args().skip(1).all(|arg| arg.contains('=')) {
        check_eq!(list.len() as u32, LAST + LAST_EVENT, "commands swept");
        // Pages are few: most allocations find some in the caches.
        check!(sum.faults.iter().all(|count| *count > 0), "{sum:?}");
        check!(sum.steps() > 600, "{sum:?}");
    }
    Ok(())
}

pub fn main() -> ExitCode {
    let _ = std::fs::remove_file(RECORD);
    let options = Options {
        limit: 120,
        root: true,
        ..Default::default()
    };
    let test = |name, run| Test { name, run };
    let tests: Vec<Test> = [test(
        "every_command_has_a_recipe",
        every_command_has_a_recipe,
    )]
    .into_iter()
    .chain(rows().map(|row| test(row.name, row.test)))
    .chain([test("coverage", coverage)])
    .collect();
    ub_tests::run_with("t-failnth", &tests, options)
}
