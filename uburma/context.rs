// SPDX-License-Identifier: GPL-2.0

//! Contexts: what an open file has of its device.

use crate::{
    event::jfae::Jfae,
    kernel_ext::{
        arc::Arc,
        task::MmId, //
    },
    stats::Tally,
    ub::client::Ucontext, //
};
use kernel::prelude::*;

/// A context; one for each open file at most, made once and never replaced.
pub(crate) struct Context {
    /// The driver's context.
    pub(crate) uctx: Arc<Ucontext>,
    /// Asynchronous events.
    pub(crate) jfae: Arc<Jfae>,
    /// Index of the local EID.
    pub(crate) eid_index: u32,
    /// Address space of the process that made it.
    pub(crate) mm: MmId,
    /// Counted while it exists.
    pub(crate) _tally: Tally,
}

impl Context {
    /// Refuses what would mix address spaces: the caller must be in that of the context.
    ///
    /// # Errors
    ///
    /// `EPERM` in another one.
    pub(crate) fn check_mm(&self) -> Result {
        if MmId::current() == Some(self.mm) {
            Ok(())
        } else {
            Err(EPERM)
        }
    }
}
