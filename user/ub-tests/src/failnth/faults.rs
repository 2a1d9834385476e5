// SPDX-License-Identifier: GPL-2.0

//! Failures of the kernel's own making, one at a time.
//!
//! A number n in `/proc/thread-self/fail-nth` makes the nth operation of this thread fail
//! that can fail: an allocation of the slab or the page allocator, or a copy from or to
//! user memory. Which of them it was tells the kernel's count of what it may still spoil.

use std::cell::Cell;
use std::fs::{self, File, OpenOptions};
use std::os::unix::fs::FileExt;

use crate::Failure;

const DEBUGFS: &str = "/sys/kernel/debug";

/// What is made to fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// An allocation of the slab allocator.
    Slab,
    /// An allocation of pages.
    Page,
    /// A copy from or to user memory.
    UserCopy,
}

/// All kinds, in the order of their numbers, with the kernel's names.
pub const KINDS: [(Kind, &str); 3] = [
    (Kind::Slab, "failslab"),
    (Kind::Page, "fail_page_alloc"),
    (Kind::UserCopy, "fail_usercopy"),
];

/// How many faults may be injected: never the limit.
const PLENTY: &str = "1000000000";

/// The switch of the calling thread.
pub struct Faults {
    nth: File,
    left: Cell<[i64; KINDS.len()]>,
}

fn set(file: &str, value: &str) -> Result<(), Failure> {
    let path = format!("{DEBUGFS}/{file}");
    fs::write(&path, value).map_err(|err| Failure::Fail(format!("{path}: {err}")))
}

/// How many faults each kind has left.
fn left() -> Result<[i64; KINDS.len()], Failure> {
    let mut counts = [0; KINDS.len()];
    for (count, (_, name)) in counts.iter_mut().zip(KINDS) {
        let text = fs::read_to_string(format!("{DEBUGFS}/{name}/times"))?;
        *count = text
            .trim()
            .parse()
            .map_err(|_| Failure::Fail(format!("{name}/times is '{text}'")))?;
    }
    Ok(counts)
}

/// Whether a fault has struck anywhere since [`Faults::set_up`] was last called anywhere.
pub fn has_struck() -> Result<bool, Failure> {
    Ok(left()?.iter().any(|left| left.to_string() != PLENTY))
}

impl Faults {
    /// Sets fault injection up: all kinds, all allocations, silently, and only where a thread
    /// asks for it.
    pub fn set_up() -> Result<Self, Failure> {
        for (_, name) in KINDS {
            set(&format!("{name}/probability"), "0")?;
            set(&format!("{name}/task-filter"), "Y")?;
            set(&format!("{name}/verbose"), "0")?;
            set(&format!("{name}/times"), PLENTY)?;
        }
        set("failslab/ignore-gfp-wait", "N")?;
        set("fail_page_alloc/ignore-gfp-wait", "N")?;
        set("fail_page_alloc/ignore-gfp-highmem", "N")?;
        set("fail_page_alloc/min-order", "0")?;
        let nth = OpenOptions::new()
            .write(true)
            .open("/proc/thread-self/fail-nth")?;
        Ok(Faults {
            nth,
            left: Cell::new(left()?),
        })
    }

    /// Makes a call in which the nth operation fails. Says which kind it was, if the call
    /// came that far.
    pub fn hit<R>(&self, nth: u32, call: impl FnOnce() -> R) -> Result<(R, Option<Kind>), Failure> {
        let text = format!("{nth}");
        self.nth.write_at(text.as_bytes(), 0)?;
        let result = call();
        let struck_later = self.disarm()?;
        let after = left()?;
        let before = self.left.replace(after);
        let kind = KINDS
            .iter()
            .zip(before.iter().zip(&after))
            .find(|(_, (before, after))| before != after)
            .map(|((kind, _), _)| *kind);
        Ok((result, kind.filter(|_| !struck_later)))
    }

    /// Switches it off; says whether that was what failed.
    fn disarm(&self) -> Result<bool, Failure> {
        for attempt in 0..2 {
            if self.nth.write_at(b"0", 0).is_ok() {
                return Ok(attempt != 0);
            }
        }
        Err(Failure::Fail("fault injection stays on".to_string()))
    }
}
