// SPDX-License-Identifier: GPL-2.0

//! How much was tried. Blocks run in children, so that the sums lie in shared memory.

use std::sync::atomic::Ordering;
use std::sync::OnceLock;

use ub_client::sys::Mapping;

use super::expect::{status, Status};
use super::recipes;
use super::table::COMMANDS;
use super::thin;
use super::variants;
use crate::{Failure, Outcome};

/// The sums.
static SUMS: OnceLock<Mapping> = OnceLock::new();

/// What is counted, by offset.
#[derive(Debug, Clone, Copy)]
pub enum Sum {
    /// Blocks that passed.
    Blocks = 0,
    /// Variants.
    Variants = 8,
    /// Calls of the command under test.
    Calls = 16,
}

/// Makes the sums; to be called before any block.
pub fn prepare() -> Outcome {
    let _ = SUMS.set(Mapping::shared(4096)?);
    Ok(())
}

/// Adds to a sum.
pub fn add(sum: Sum, value: u64) {
    if let Some(sums) = SUMS.get() {
        sums.add64(sum as usize, value);
    }
}

fn get(sum: Sum) -> u64 {
    SUMS.get()
        .map_or(0, |sums| sums.load64(sum as usize, Ordering::SeqCst))
}

/// A command without a recipe would not be tested.
pub fn every_command_has_a_recipe() -> Outcome {
    for command in COMMANDS {
        let count = recipes::all()
            .filter(|(event, recipe)| *event == command.event && recipe.number == command.number)
            .count();
        check!(count == 1, "{} has {count} recipes", command.name);
    }
    check!(recipes::all().count() == COMMANDS.len());
    Ok(())
}

/// Tells how much was tried.
pub fn matrix() -> Outcome {
    let attributes: usize = COMMANDS.iter().map(|command| command.attrs.len()).sum();
    let refused = COMMANDS
        .iter()
        .filter(|command| status(command) != Status::Works)
        .count();
    let whole: usize = COMMANDS
        .iter()
        .map(|command| variants::all(command).len())
        .sum();
    println!(
        "# matrix: {} commands ({refused} not offered) x {attributes} attributes: {} variants \
         of {whole}, {} calls",
        COMMANDS.len(),
        get(Sum::Variants),
        get(Sum::Calls),
    );
    let blocks = get(Sum::Blocks);
    if blocks != COMMANDS.len() as u64 {
        return Err(Failure::Skip(format!("{blocks} blocks passed")));
    }
    let due: usize = COMMANDS
        .iter()
        .map(|command| thin::chosen(command).len())
        .sum();
    check!(get(Sum::Variants) == due as u64, "{due} variants were due");
    check!(get(Sum::Calls) >= due as u64);
    Ok(())
}
