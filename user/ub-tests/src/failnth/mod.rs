// SPDX-License-Identifier: GPL-2.0

//! Sweeps: a call is repeated, and each time a later one of the operations fails that may
//! fail in it, until it works because it does not come that far.

pub mod commands;
mod faults;
mod recipes;
mod shot;

pub use faults::{has_struck, Faults, Kind, KINDS};
pub use shot::{AnyShot, CallShot, CmdShot, Hit, RecipeShot, Shot};

use ub_client::sys;

use crate::counters::Snapshot;
use crate::{of_run, Failure};

/// A call that can be spoiled in more places than this has no end.
const LIMIT: u32 = 4000;

/// What failed faults may look like.
const ERRNOS: [i32; 2] = [libc::ENOMEM, libc::EFAULT];

/// What a sweep went through.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Coverage {
    /// Faults of each kind.
    pub faults: [u32; KINDS.len()],
    /// Those of them that the call survived.
    pub survived: u32,
}

impl Coverage {
    /// All faults.
    pub fn steps(&self) -> u32 {
        self.faults.iter().sum()
    }

    /// Adds another one.
    pub fn add(&mut self, other: &Coverage) {
        for (mine, others) in self.faults.iter_mut().zip(other.faults) {
            *mine += others;
        }
        self.survived += other.survived;
    }
}

/// How a sweep judges.
#[derive(Debug, Clone, Copy, Default)]
pub struct Rules<'a> {
    /// Errnos that a fault may give besides ENOMEM and EFAULT.
    pub errnos: &'a [i32],
    /// What the call gives when nothing is spoiled: success, or this errno.
    pub ends_with: Option<i32>,
    /// Whether a copy that fails may be that of the reply of a destruction.
    pub tells_the_dead: bool,
    /// For long calls: from this step on more and more are left out. 0 for none.
    pub sparse_after: u32,
}

/// From which step on some are left out: in the short run early, since lists of attributes, copied
/// one by one, make long sweeps.
pub fn sparse_after() -> u32 {
    of_run(6, 0)
}

/// Where the next file descriptor would be: tells of one that is left open.
fn next_fd() -> Result<i32, Failure> {
    use std::os::fd::AsRawFd;
    Ok(sys::duplicate(0)?.as_raw_fd())
}

/// Sweeps over what `prepare` makes afresh for each step.
pub fn sweep<'a>(
    faults: &Faults,
    rules: Rules<'_>,
    mut prepare: impl FnMut() -> Result<AnyShot<'a>, Failure>,
) -> Result<Coverage, Failure> {
    let mut coverage = Coverage::default();
    // Once without faults: pages of this process, and what the kernel makes only once.
    let mut shot = prepare()?;
    let first = shot.retry();
    check_eq!(first.err(), rules.ends_with, "without faults");
    shot.finish(first.err().unwrap_or(0))?;
    drop(shot);
    let rest = Snapshot::take()?;
    let mut nth = 0;
    while nth < LIMIT {
        nth += 1;
        if rules.sparse_after != 0 && nth > rules.sparse_after {
            nth += (nth - rules.sparse_after) / 3;
        }
        let mut shot = prepare()?;
        let kind = step(faults, rules, nth, shot.as_mut())
            .map_err(|why| told(why, &format!("fault {nth}")))?;
        drop(shot);
        rest.compare()
            .map_err(|why| told(why, &format!("after fault {nth} and what undoes it")))?;
        match kind {
            Some((kind, survived)) => {
                coverage.faults[kind as usize] += 1;
                coverage.survived += u32::from(survived);
            }
            None => return Ok(coverage),
        }
    }
    Err(Failure::Fail(format!("it fails for {LIMIT} times")))
}

fn told(why: Failure, what: &str) -> Failure {
    match why {
        Failure::Fail(why) => Failure::Fail(format!("{what}: {why}")),
        skip => skip,
    }
}

/// One step. Says what kind of fault struck, and whether the call survived it.
fn step(
    faults: &Faults,
    rules: Rules<'_>,
    nth: u32,
    shot: &mut dyn Shot,
) -> Result<Option<(Kind, bool)>, Failure> {
    let (before, fd) = (Snapshot::at_rest()?, next_fd()?);
    let (result, kind) = shot.fire(faults, nth)?;
    let Some(kind) = kind else {
        check_eq!(result.err(), rules.ends_with, "no fault struck");
        shot.finish(result.err().unwrap_or(0))?;
        return Ok(None);
    };
    if let Err(errno) = result {
        check!(
            ERRNOS.contains(&errno)
                || rules.errnos.contains(&errno)
                || Some(errno) == rules.ends_with,
            "{kind:?}: it gave {}",
            std::io::Error::from_raw_os_error(errno)
        );
        if rules.tells_the_dead && kind == Kind::UserCopy {
            // It is there, or it is not.
            let again = shot.retry();
            check!(matches!(again, Ok(()) | Err(libc::EINVAL)), "{again:?}");
            shot.finish(again.err().unwrap_or(0))?;
            return Ok(Some((kind, false)));
        }
        before
            .compare()
            .map_err(|why| told(why, &format!("{kind:?}, errno {errno}")))?;
        check_eq!(next_fd()?, fd, "{kind:?}: a descriptor is left");
        let again = shot.retry();
        check_eq!(again.err(), rules.ends_with, "{kind:?}, once more");
        if let Err(errno) = again {
            shot.finish(errno)?;
            return Ok(Some((kind, false)));
        }
    } else {
        check_eq!(rules.ends_with, None, "{kind:?}: it worked");
    }
    shot.finish(0)?;
    Ok(Some((kind, result.is_ok())))
}
