// SPDX-License-Identifier: GPL-2.0

//! Repeats an operation, takes the time, keeps the figures.

use std::time::Instant;

use ub_client::Result;

/// Runs of which the median counts.
pub const RUNS: usize = 5;

/// A limit that a figure is to stay within.
struct Limit {
    name: &'static str,
    most: u64,
}

/// Limits in guest instructions per operation.
const LIMITS: [Limit; 1] = [Limit {
    name: "write_64",
    most: 2_000,
}];

/// A bandwidth is to reach this part of that of another, in percent.
const SHARE_OF_COPY: u64 = 60;

/// All figures so far.
#[derive(Default)]
pub struct Report {
    figures: Vec<(String, u64)>,
}

impl Report {
    /// Starts a part of the table.
    pub fn section(&self, title: &str) {
        println!("\n{title:<44}{:>10}{:>10}{:>10}", "median", "min", "max");
    }

    /// Measures: `what` is done `count` times in each run. The first run warms up.
    pub fn measure(
        &mut self,
        name: &str,
        title: &str,
        count: u32,
        mut what: impl FnMut() -> Result<()>,
    ) -> Result<()> {
        self.batch(name, title, count, 1, &mut what)
    }

    /// The same, where `what` does `size` operations at once.
    pub fn batch(
        &mut self,
        name: &str,
        title: &str,
        count: u32,
        size: u32,
        mut what: impl FnMut() -> Result<()>,
    ) -> Result<()> {
        let mut runs = Vec::with_capacity(RUNS);
        for run in 0..=RUNS {
            let start = Instant::now();
            for _ in 0..count {
                what()?;
            }
            let spent = start.elapsed().as_nanos() as u64;
            if run != 0 {
                runs.push(spent / u64::from(count) / u64::from(size));
            }
        }
        runs.sort_unstable();
        let median = runs[RUNS / 2];
        println!(
            "{title:<44}{median:>10}{:>10}{:>10}",
            runs[0],
            runs[RUNS - 1]
        );
        println!("BENCH {name} {median}");
        self.figures.push((name.to_string(), median));
        Ok(())
    }

    fn figure(&self, name: &str) -> Option<u64> {
        self.figures
            .iter()
            .find(|(other, _)| other == name)
            .map(|(_, value)| *value)
    }

    /// Compares with the limits; tells whether all are kept.
    pub fn judge(&self) -> bool {
        let mut within = true;
        println!();
        for limit in &LIMITS {
            let value = self.figure(limit.name).unwrap_or(u64::MAX);
            let kept = value <= limit.most;
            within &= kept;
            println!(
                "{}: {value}, limit {}{}",
                limit.name,
                limit.most,
                if kept { "" } else { "  OVER" }
            );
        }
        let share = match (self.figure("copy_page_1m"), self.figure("write_1m")) {
            (Some(copy), Some(write)) if write != 0 => copy * 100 / write,
            _ => 0,
        };
        let kept = share >= SHARE_OF_COPY;
        println!(
            "write_1m: {share} % of the bandwidth of copy_page, at least {SHARE_OF_COPY} %{}",
            if kept { "" } else { "  UNDER" }
        );
        within && kept
    }
}
