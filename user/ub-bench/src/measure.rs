// SPDX-License-Identifier: GPL-2.0

//! Repeats an operation, takes the time, keeps the figures.

use std::time::{Duration, Instant};

use ub_client::Result;

use crate::clock;
use crate::table::{self, Part};

/// Runs of which the median counts.
pub const RUNS: usize = 5;

/// Whose operations are measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// `ubsoft`, and the machine itself.
    Ub,
    /// `rdma_rxe`.
    Rxe,
}

/// What one run tells of one operation, in nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cost {
    /// The figure that counts; [`Part`] says what it includes.
    pub counted: u64,
    /// Mapping and unmapping of rings and memory, not included.
    pub mapping: u64,
    /// While this process waited (for a grace period, say) or kernel threads worked, not
    /// included.
    pub away: u64,
}

/// The figures of one operation.
#[derive(Debug)]
pub struct Figure {
    /// Whose it is.
    pub side: Side,
    /// Its name.
    pub name: String,
    /// The costs of all runs, the lowest first.
    pub runs: Vec<Cost>,
}

impl Figure {
    /// The run in the middle.
    pub fn median(&self) -> Cost {
        self.runs[self.runs.len() / 2]
    }
}

/// All figures so far.
#[derive(Debug)]
pub struct Report {
    side: Side,
    figures: Vec<Figure>,
}

impl Report {
    /// An empty one.
    pub fn new() -> Self {
        Report {
            side: Side::Ub,
            figures: Vec::new(),
        }
    }

    /// What follows are figures of this side.
    #[cfg(feature = "rxe")]
    pub fn side(&mut self, side: Side) {
        self.side = side;
    }

    /// Measures an operation: `what` is done `count` times in each run. The first run warms up.
    pub fn measure(
        &mut self,
        name: &str,
        count: u32,
        what: impl FnMut() -> Result<()>,
    ) -> Result<()> {
        self.batch(name, count, 1, what)
    }

    /// The same, where `what` does `size` operations at once.
    pub fn batch(
        &mut self,
        name: &str,
        count: u32,
        size: u32,
        mut what: impl FnMut() -> Result<()>,
    ) -> Result<()> {
        let part = table::part_of(name);
        let mut runs = Vec::with_capacity(RUNS);
        for run in 0..=RUNS {
            let (mapped, own, start) = (clock::mapping(), clock::own(), Instant::now());
            for _ in 0..count {
                what()?;
            }
            let wall = start.elapsed();
            let own = (clock::own() - own).min(wall);
            let mapping = clock::mapping() - mapped;
            let each = |time: Duration| time.as_nanos() as u64 / u64::from(count) / u64::from(size);
            let cost = if part == Part::Control {
                Cost {
                    counted: each(own.saturating_sub(mapping)),
                    mapping: each(mapping),
                    away: each(wall - own),
                }
            } else {
                Cost {
                    counted: each(wall),
                    mapping: 0,
                    away: 0,
                }
            };
            if run != 0 {
                runs.push(cost);
            }
        }
        runs.sort_unstable();
        self.figures.push(Figure {
            side: self.side,
            name: name.to_string(),
            runs,
        });
        Ok(())
    }

    /// The figures of an operation, if it was measured on that side.
    pub fn figure(&self, side: Side, name: &str) -> Option<&Figure> {
        self.figures
            .iter()
            .find(|figure| figure.side == side && figure.name == name)
    }
}
