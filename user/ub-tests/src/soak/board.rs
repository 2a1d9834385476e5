// SPDX-License-Identifier: GPL-2.0

//! What all processes of a soak share: when to stop, what they have, what they have seen.

use std::sync::atomic::Ordering::Relaxed;
use std::sync::Arc;

use ub_client::sys::Mapping;

use super::rng::Rng;
use crate::Failure;

/// Entries of each of the lists.
const SLOTS: usize = 256;
/// Numbers of commands that are counted.
const COMMANDS: usize = 128;
/// Kinds of things that are done.
pub const ACTIONS: usize = 24;

const STOP: usize = 0;
const STRANGE: usize = 8;
const CURSOR: usize = 16;
const TRIED: usize = 64;
const WORKED: usize = TRIED + 8 * COMMANDS;
const DONE: usize = WORKED + 8 * COMMANDS;
const HANDLES: usize = DONE + 8 * ACTIONS;
const IDS: usize = HANDLES + 8 * SLOTS;
const END: usize = IDS + 8 * SLOTS;

/// Errnos that the interface knows, of commands and of the calls around them.
const KNOWN: &[i32] = &[
    libc::EPERM,
    libc::ENOENT,
    libc::EINTR,
    libc::EIO,
    libc::ENXIO,
    libc::EBADF,
    libc::EAGAIN,
    libc::ENOMEM,
    libc::EACCES,
    libc::EFAULT,
    libc::EBUSY,
    libc::EEXIST,
    libc::ENODEV,
    libc::EINVAL,
    libc::ENOTTY,
    libc::ENOSPC,
    libc::ERANGE,
    libc::EOVERFLOW,
    libc::EMSGSIZE,
    libc::EOPNOTSUPP,
    libc::ETIMEDOUT,
    libc::ECONNREFUSED,
    libc::EALREADY,
    libc::ENOTCONN,
    libc::EHOSTUNREACH,
    libc::EKEYREJECTED,
];

/// The shared memory.
#[derive(Clone)]
pub struct Board(Arc<Mapping>);

impl Board {
    /// An empty one.
    pub fn new() -> Result<Self, Failure> {
        let map = Mapping::shared(END.next_multiple_of(4096))?;
        Ok(Board(Arc::new(map)))
    }

    /// Says that it is over.
    pub fn stop(&self) {
        self.0.store64(STOP, 1, Relaxed);
    }

    /// Whether it is over.
    pub fn is_over(&self) -> bool {
        self.0.load64(STOP, Relaxed) != 0
    }

    /// Counts an action.
    pub fn count(&self, action: usize) {
        self.0.add64(DONE + 8 * (action % ACTIONS), 1);
    }

    /// How often something was done.
    pub fn counted(&self, action: usize) -> u64 {
        self.0.load64(DONE + 8 * (action % ACTIONS), Relaxed)
    }

    /// Counts a command and how it ended: with 0 or an errno.
    pub fn ended(&self, command: u32, errno: i32) {
        let slot = 8 * (command as usize % COMMANDS);
        self.0.add64(TRIED + slot, 1);
        if errno == 0 {
            self.0.add64(WORKED + slot, 1);
        } else if !KNOWN.contains(&errno) {
            let both = u64::from(command) << 32 | errno as u32 as u64;
            self.0.store64(STRANGE, both, Relaxed);
        }
    }

    /// A command and an errno that it may not give, if there was one.
    pub fn strange(&self) -> Option<(u32, i32)> {
        match self.0.load64(STRANGE, Relaxed) {
            0 => None,
            both => Some(((both >> 32) as u32, both as i32)),
        }
    }

    /// How often a command was tried, and how often it worked.
    pub fn command(&self, number: usize) -> (u64, u64) {
        let slot = 8 * (number % COMMANDS);
        (
            self.0.load64(TRIED + slot, Relaxed),
            self.0.load64(WORKED + slot, Relaxed),
        )
    }

    /// Numbers of commands that are counted.
    pub fn commands(&self) -> std::ops::Range<usize> {
        0..COMMANDS
    }

    fn put(&self, list: usize, value: u64) {
        let slot = self.0.add64(CURSOR, 1) as usize % SLOTS;
        self.0.store64(list + 8 * slot, value, Relaxed);
    }

    /// Shows the others a handle.
    pub fn put_handle(&self, handle: u64) {
        self.put(HANDLES, handle);
    }

    /// A handle of anybody's.
    pub fn handle(&self, rng: &mut Rng) -> u64 {
        self.0.load64(HANDLES + 8 * rng.below(SLOTS), Relaxed)
    }

    /// Shows the others a number by which peers name something.
    pub fn put_id(&self, id: u32) {
        self.put(IDS, u64::from(id));
    }

    /// Such a number of anybody's.
    pub fn id(&self, rng: &mut Rng) -> u32 {
        self.0.load64(IDS + 8 * rng.below(SLOTS), Relaxed) as u32
    }
}
