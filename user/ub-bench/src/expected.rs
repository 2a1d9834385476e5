// SPDX-License-Identifier: GPL-2.0

//! What figures are expected, and whether they have become worse.
//!
//! `expected.txt` holds for each operation how many null system calls it is worth, in thousandths.
//! A ratio of two figures of one run depends little on the kernel's version and configuration.

use crate::measure::{Report, Side};

const EXPECTED: &str = include_str!("../expected.txt");
/// What figures are compared with.
const UNIT: &str = "null_syscall";
/// How much worse is worse, in percent.
const TOLERANCE: u64 = 3;

/// The ratio of an operation.
fn ratio(report: &Report, name: &str) -> Option<u64> {
    let counted = |name| {
        report
            .figure(Side::Ub, name)
            .map(|figure| figure.median().counted)
    };
    let unit = counted(UNIT).filter(|unit| *unit != 0)?;
    Some(counted(name)? * 1000 / unit)
}

/// The lines of the file that hold something, as name and ratio.
fn lines() -> impl Iterator<Item = (&'static str, u64)> {
    EXPECTED.lines().filter_map(|line| {
        let (name, ratio) = line.split_once(' ')?;
        Some((name, ratio.trim().parse().ok()?))
    })
}

/// Prints the file as it would be after this run.
pub fn print(report: &Report, names: impl Iterator<Item = &'static str>) {
    println!("\nexpected.txt after this run:");
    for name in names.filter(|name| *name != UNIT) {
        if let Some(ratio) = ratio(report, name) {
            println!("{name} {ratio}");
        }
    }
}

/// Tells of all that is worse than expected; whether there was nothing.
pub fn judge(report: &Report) -> bool {
    let mut good = true;
    for (name, expected) in lines() {
        match ratio(report, name) {
            Some(ratio) if ratio * 100 <= expected * (100 + TOLERANCE) => {
                if ratio * (100 + TOLERANCE) < expected * 100 {
                    println!("{name}: better than expected: {ratio} instead of {expected}");
                }
            }
            found => {
                good = false;
                let found = found.map_or("nothing".to_string(), |ratio| ratio.to_string());
                println!("{name}: WORSE than expected: {found} instead of {expected}");
            }
        }
    }
    good
}
