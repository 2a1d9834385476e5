// SPDX-License-Identifier: GPL-2.0

//! Connection of imports and binds whose callers do not manage transport paths themselves.
//!
//! [`connect`] finds or sets up a path, activates it and lets the driver attach the import (modes
//! RM and UM) or the bind (mode RC) to it; [`disconnect`] is its reverse. Both only decide: every
//! effect goes through [`ConnectOps`]. Each failure undoes what was done before, in reverse.

use super::{
    tp::{
        TpCfg,
        TpHandle, //
    },
    tp_reuse::{
        ActiveTp,
        Release,
        ReuseEntry,
        ReuseKey, //
    },
};
use crate::env::{
    Result,
    EIO, //
};

/// How often a connection that failed with `EIO` is tried.
pub(crate) const MAX_ATTEMPTS: u32 = 3;

/// Result of looking up a key in the reuse table.
pub(crate) enum Claim<E> {
    /// Somebody made the entry before.
    Found(E),
    /// The caller made it and has to set the path up.
    Inserted(E),
}

/// Effects of connecting.
///
/// No lock is held when a method is called, and all may sleep.
pub(crate) trait ConnectOps {
    /// A counted pointer to an entry of the reuse table.
    type Entry;
    /// What the driver makes of an import or bind.
    type Target;

    /// Looks up `key`, or inserts a new entry ([`ReuseEntry::for_local`]) in one step.
    fn claim(&mut self, key: &ReuseKey) -> Result<Claim<Self::Entry>>;
    /// Runs `f` on an entry under its lock, then wakes who waits for it.
    fn update<R>(&mut self, entry: &Self::Entry, f: impl FnOnce(&mut ReuseEntry) -> R) -> R;
    /// Waits until an entry is no longer being set up; `EIO` after too long a time.
    fn wait_settled(&mut self, entry: &Self::Entry) -> Result;
    /// Takes a closed entry out of the table, if it is still there.
    fn remove(&mut self, entry: &Self::Entry);
    /// Allocates a path from the list of the unaware, or asks the driver for one more.
    fn allocate(&mut self, cfg: &TpCfg) -> Result<TpHandle>;
    /// Takes back an allocation.
    fn free(&mut self, handle: TpHandle);
    /// Sends own handle and packet number to the peer; returns the peer's.
    ///
    /// When it fails the peer is told that the path is unused, in case it got the request.
    fn exchange(&mut self, cfg: &TpCfg, own: &ActiveTp) -> Result<(TpHandle, u32)>;
    /// Tells the peer that this side uses its path again.
    fn tell_in_use(&mut self, cfg: &TpCfg);
    /// Tells the peer that this side no longer uses the path.
    fn tell_unused(&mut self, cfg: &TpCfg);
    /// Brings a path into service; nothing to do when the peer's request already has.
    fn activate(&mut self, active: &ActiveTp) -> Result;
    /// Takes a path out of service; nothing to do when it is not in service.
    fn deactivate(&mut self, active: &ActiveTp);
    /// Lets the driver attach the import or bind to a path.
    fn attach(&mut self, active: &ActiveTp) -> Result<Self::Target>;
}

/// A connected import or bind.
pub(crate) struct Connected<O: ConnectOps> {
    /// What the driver made.
    pub(crate) target: O::Target,
    /// The path's entry, to be given to [`disconnect`].
    pub(crate) entry: O::Entry,
}

/// Returns whether the peer takes part in the life of a path.
fn peer_takes_part(cfg: &TpCfg) -> bool {
    cfg.needs_exchange() && !cfg.is_loopback()
}

/// Connects, trying again when a path that was to be shared failed under the caller's eyes.
///
/// # Errors
///
/// That of the step that failed last.
pub(crate) fn connect<O: ConnectOps>(
    ops: &mut O,
    cfg: &TpCfg,
    key: &ReuseKey,
) -> Result<Connected<O>> {
    let mut attempt = 1;
    loop {
        let result = match ops.claim(key)? {
            Claim::Found(entry) => share(ops, cfg, entry),
            Claim::Inserted(entry) => set_up(ops, cfg, entry),
        };
        match result {
            Err(EIO) if attempt < MAX_ATTEMPTS => attempt = attempt.saturating_add(1),
            other => return other,
        }
    }
}

/// Attaches to a path that somebody else set up.
fn share<O: ConnectOps>(ops: &mut O, cfg: &TpCfg, entry: O::Entry) -> Result<Connected<O>> {
    ops.wait_settled(&entry)?;
    let news = ops.update(&entry, ReuseEntry::acquire)?;
    if news && peer_takes_part(cfg) {
        ops.tell_in_use(cfg);
    }
    attach(ops, cfg, entry)
}

/// Sets up the path of a new entry and attaches to it.
fn set_up<O: ConnectOps>(ops: &mut O, cfg: &TpCfg, entry: O::Entry) -> Result<Connected<O>> {
    let mut done = Progress::default();
    match prepare(ops, cfg, &entry, &mut done) {
        Ok(()) => attach(ops, cfg, entry),
        Err(error) => {
            abandon(ops, cfg, &entry, &done);
            Err(error)
        }
    }
}

/// Lets the driver attach the import to a path in service that counts this use already.
fn attach<O: ConnectOps>(ops: &mut O, cfg: &TpCfg, entry: O::Entry) -> Result<Connected<O>> {
    let active = ops.update(&entry, |e| e.active());
    match ops.attach(&active) {
        Ok(target) => Ok(Connected { target, entry }),
        Err(error) => {
            disconnect(ops, cfg, &entry);
            Err(error)
        }
    }
}

/// How far the set-up of a path came.
#[derive(Default)]
struct Progress {
    /// A path is allocated.
    allocated: bool,
    /// The peer was asked, and may have done its part.
    asked: bool,
}

/// Brings the path of a new entry into service: allocate, agree with the peer, activate.
fn prepare<O: ConnectOps>(
    ops: &mut O,
    cfg: &TpCfg,
    entry: &O::Entry,
    done: &mut Progress,
) -> Result {
    let handle = ops.allocate(cfg)?;
    done.allocated = true;
    let own = ops.update(entry, |e| {
        e.set_handle(handle);
        e.active()
    });
    if peer_takes_part(cfg) {
        done.asked = true;
        let (peer_handle, rx_psn) = ops.exchange(cfg, &own)?;
        ops.update(entry, |e| e.set_peer(peer_handle, rx_psn));
    } else if cfg.needs_exchange() {
        ops.update(entry, |e| e.set_peer(own.handle, own.tx_psn));
    }
    let active = ops.update(entry, |e| e.active());
    ops.activate(&active)?;
    ops.update(entry, ReuseEntry::publish)
}

/// Ends a use whose set-up failed; the path stays if the peer brought it into service meanwhile.
fn abandon<O: ConnectOps>(ops: &mut O, cfg: &TpCfg, entry: &O::Entry, done: &Progress) {
    let (release, active) = ops.update(entry, |e| (e.release(), e.active()));
    if release == Release::InUse {
        return;
    }
    if done.asked {
        ops.tell_unused(cfg);
    }
    if release == Release::Close {
        ops.remove(entry);
        if done.allocated {
            ops.deactivate(&active);
            ops.free(active.handle);
        }
    }
}

/// Ends a use of a path, after the driver has detached the import or bind from it.
pub(crate) fn disconnect<O: ConnectOps>(ops: &mut O, cfg: &TpCfg, entry: &O::Entry) {
    let done = Progress {
        allocated: true,
        asked: peer_takes_part(cfg),
    };
    abandon(ops, cfg, entry, &done);
}

#[cfg(test)]
#[path = "tests/tp_connect.rs"]
mod tests;
