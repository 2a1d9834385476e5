// SPDX-License-Identifier: GPL-2.0

//! State machines of jettys (and JFSs), JFRs and JFCs, as a driver executes them.
//!
//! A machine answers a request or an event with [`Actions`], the work the driver now has to do, and
//! tells through [`JettyMachine::drained`] which marker completion is due once that work is done.
//! The caller holds the lock of the queue around each call.

use crate::env::{
    Result,
    EBUSY,
    EINVAL, //
};

/// State of a jetty or a JFS.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum JettyState {
    /// Nothing is executed; the queue is empty.
    Reset = 0,
    /// In service.
    Ready = 1,
    /// A work request failed and the owner asked to suspend instead of flushing.
    Suspended = 2,
    /// Every work request completes with a flush error.
    Error = 3,
}

impl JettyState {
    /// Reads a raw state.
    ///
    /// # Errors
    ///
    /// `EINVAL` for an unknown value.
    pub(crate) fn from_raw(raw: u32) -> Result<Self> {
        match raw {
            0 => Ok(Self::Reset),
            1 => Ok(Self::Ready),
            2 => Ok(Self::Suspended),
            3 => Ok(Self::Error),
            _ => Err(EINVAL),
        }
    }

    /// Returns the ABI value.
    pub(crate) const fn raw(self) -> u32 {
        self as u32
    }
}

/// What the driver has to do after a transition; the default is nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Actions {
    /// Complete all posted work requests with the flush error, then call `drained`.
    pub(crate) flush: bool,
    /// Go on with the work requests that were held.
    pub(crate) resume: bool,
    /// Forget all posted entries: the queue starts empty.
    pub(crate) reset_queue: bool,
    /// Raise the object's asynchronous error event.
    pub(crate) async_error: bool,
}

/// A completion that marks the end of a phase rather than a work request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Marker {
    /// Status `WR_SUSPEND_DONE`: nothing more completes until the owner resumes.
    SuspendDone,
    /// Status `WR_FLUSH_ERR_DONE`: all work requests posted before the error have completed.
    FlushErrDone,
}

/// How to treat the work requests of a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WorkMode {
    /// Execute them.
    Execute,
    /// Leave them in the queue.
    Hold,
    /// Complete them with the flush error.
    Flush,
}

/// State machine of a jetty or a JFS.
#[derive(Debug)]
pub(crate) struct JettyMachine {
    /// Current state.
    state: JettyState,
    /// Whether a failed work request suspends the queue (the `error_suspend` creation flag).
    error_suspend: bool,
    /// Marker that is still owed to the owner.
    due: Option<Marker>,
}

impl JettyMachine {
    /// A jetty created in one step: in service.
    pub(crate) fn new(error_suspend: bool) -> Self {
        Self {
            state: JettyState::Ready,
            error_suspend,
            due: None,
        }
    }

    /// A jetty of staged creation, before its activation.
    pub(crate) fn new_inactive(error_suspend: bool) -> Self {
        Self {
            state: JettyState::Reset,
            ..Self::new(error_suspend)
        }
    }

    /// Returns the current state.
    pub(crate) fn state(&self) -> JettyState {
        self.state
    }

    /// Returns how to treat the work requests of the queue.
    pub(crate) fn work_mode(&self) -> WorkMode {
        match self.state {
            JettyState::Ready => WorkMode::Execute,
            JettyState::Reset | JettyState::Suspended => WorkMode::Hold,
            JettyState::Error => WorkMode::Flush,
        }
    }

    /// Returns whether work requests are executed, and no marker is owed.
    #[inline]
    pub(crate) fn is_quiet(&self) -> bool {
        self.state == JettyState::Ready && self.due.is_none()
    }

    /// Enters the error state.
    fn fail(&mut self, async_error: bool) -> Actions {
        self.state = JettyState::Error;
        self.due = Some(Marker::FlushErrDone);
        Actions {
            flush: true,
            async_error,
            ..Actions::default()
        }
    }

    /// Executes a state change that the owner requested.
    ///
    /// Allowed are: any state to ERROR, SUSPENDED to READY, ERROR to RESET, RESET to READY, and
    /// the current state again, which does nothing.
    ///
    /// # Errors
    ///
    /// `EINVAL` for any other transition; `EBUSY` for a reset while the flush is not over.
    pub(crate) fn modify(&mut self, to: JettyState) -> Result<Actions> {
        use JettyState::*;

        match (self.state, to) {
            (Reset, Reset) | (Ready, Ready) | (Suspended, Suspended) | (Error, Error) => {
                Ok(Actions::default())
            }
            (Reset | Ready | Suspended, Error) => Ok(self.fail(false)),
            (Suspended, Ready) => {
                self.state = Ready;
                self.due = None;
                Ok(Actions {
                    resume: true,
                    ..Actions::default()
                })
            }
            (Error, Reset) if self.due.is_some() => Err(EBUSY),
            (Error, Reset) => {
                self.state = Reset;
                Ok(Actions {
                    reset_queue: true,
                    ..Actions::default()
                })
            }
            (Reset, Ready) => {
                self.state = Ready;
                Ok(Actions {
                    resume: true,
                    ..Actions::default()
                })
            }
            (Ready | Suspended, Reset) | (Reset | Ready | Error, Suspended) | (Error, Ready) => {
                Err(EINVAL)
            }
        }
    }

    /// Puts an allocated jetty into service (staged creation).
    ///
    /// # Errors
    ///
    /// `EINVAL` unless it is in RESET.
    pub(crate) fn activate(&mut self) -> Result {
        if self.state != JettyState::Reset {
            return Err(EINVAL);
        }
        self.state = JettyState::Ready;
        Ok(())
    }

    /// Reacts to a work request that completed with an error.
    ///
    /// The completion of that request itself is the caller's affair and comes first.
    pub(crate) fn work_failed(&mut self) -> Actions {
        match self.state {
            JettyState::Ready if self.error_suspend => {
                self.state = JettyState::Suspended;
                self.due = Some(Marker::SuspendDone);
                Actions::default()
            }
            JettyState::Ready => self.fail(true),
            JettyState::Reset | JettyState::Suspended | JettyState::Error => Actions::default(),
        }
    }

    /// Reacts to an error of the queue itself (corrupt ring, overflow, dead transport).
    ///
    /// Such an error cannot be suspended.
    pub(crate) fn fatal(&mut self) -> Actions {
        match self.state {
            JettyState::Error => Actions::default(),
            _ => self.fail(true),
        }
    }

    /// Tells that no work request is in execution any more and, in ERROR, that the queue is empty.
    ///
    /// Returns the marker to complete with, once per suspension or flush.
    pub(crate) fn drained(&mut self) -> Option<Marker> {
        self.due.take()
    }
}

/// State of a JFR.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum JfrState {
    /// Receives nothing; the queue is empty.
    Reset = 0,
    /// In service.
    Ready = 1,
    /// Receives nothing until reset.
    Error = 2,
}

impl JfrState {
    /// Reads a raw state.
    ///
    /// # Errors
    ///
    /// `EINVAL` for an unknown value.
    pub(crate) fn from_raw(raw: u32) -> Result<Self> {
        match raw {
            0 => Ok(Self::Reset),
            1 => Ok(Self::Ready),
            2 => Ok(Self::Error),
            _ => Err(EINVAL),
        }
    }

    /// Returns the ABI value.
    pub(crate) const fn raw(self) -> u32 {
        self as u32
    }
}

/// State machine of a JFR.
#[derive(Debug)]
pub(crate) struct JfrMachine {
    /// Current state.
    state: JfrState,
}

impl JfrMachine {
    /// A JFR created in one step: in service.
    pub(crate) fn new() -> Self {
        Self {
            state: JfrState::Ready,
        }
    }

    /// A JFR of staged creation, before its activation.
    pub(crate) fn new_inactive() -> Self {
        Self {
            state: JfrState::Reset,
        }
    }

    /// Returns the current state.
    pub(crate) fn state(&self) -> JfrState {
        self.state
    }

    /// Returns whether messages may take receive buffers.
    pub(crate) fn accepts(&self) -> bool {
        self.state == JfrState::Ready
    }

    /// Executes a state change that the owner requested.
    ///
    /// All states may go to ERROR and RESET, RESET may go to READY, and the current state again
    /// does nothing.
    ///
    /// # Errors
    ///
    /// `EINVAL` for ERROR to READY: posted buffers would be in doubt.
    pub(crate) fn modify(&mut self, to: JfrState) -> Result<Actions> {
        let mut actions = Actions::default();
        match (self.state, to) {
            (from, to) if from == to => return Ok(actions),
            (JfrState::Error, JfrState::Ready) => return Err(EINVAL),
            (_, JfrState::Error) => actions.flush = true,
            (_, JfrState::Reset) => actions.reset_queue = true,
            (_, JfrState::Ready) => actions.resume = true,
        }
        self.state = to;
        Ok(actions)
    }

    /// Reacts to an error of the queue itself; the event is raised once.
    pub(crate) fn fatal(&mut self) -> Actions {
        if self.state == JfrState::Error {
            return Actions::default();
        }
        self.state = JfrState::Error;
        Actions {
            flush: true,
            async_error: true,
            ..Actions::default()
        }
    }
}

/// One-shot watch on the number of posted receive buffers (the `rx_threshold` attribute).
#[derive(Debug, Default)]
pub(crate) struct LimitWatch {
    /// The event fires when fewer buffers than this remain; 0 means not armed.
    threshold: u32,
}

impl LimitWatch {
    /// Arms the watch, or disarms it with 0.
    pub(crate) fn arm(&mut self, threshold: u32) {
        self.threshold = threshold;
    }

    /// Returns the armed threshold, 0 when not armed.
    pub(crate) fn threshold(&self) -> u32 {
        self.threshold
    }

    /// Notes that a buffer was taken and `remaining` are left; `true` when the event is due.
    pub(crate) fn consumed(&mut self, remaining: u32) -> bool {
        let due = remaining < self.threshold;
        if due {
            self.threshold = 0;
        }
        due
    }
}

/// State of a JFC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum JfcState {
    /// Not activated.
    Invalid = 0,
    /// In service.
    Valid = 1,
    /// It overflowed; completions are dropped.
    Error = 2,
}

/// State machine of a JFC.
#[derive(Debug)]
pub(crate) struct JfcMachine {
    /// Current state.
    state: JfcState,
}

impl JfcMachine {
    /// A JFC created in one step: in service.
    pub(crate) fn new() -> Self {
        Self {
            state: JfcState::Valid,
        }
    }

    /// A JFC of staged creation, before its activation.
    pub(crate) fn new_inactive() -> Self {
        Self {
            state: JfcState::Invalid,
        }
    }

    /// Returns the current state.
    pub(crate) fn state(&self) -> JfcState {
        self.state
    }

    /// Puts an allocated JFC into service.
    ///
    /// # Errors
    ///
    /// `EINVAL` when it is in service or failed.
    pub(crate) fn activate(&mut self) -> Result {
        if self.state != JfcState::Invalid {
            return Err(EINVAL);
        }
        self.state = JfcState::Valid;
        Ok(())
    }

    /// Takes a JFC out of service, failed or not.
    ///
    /// # Errors
    ///
    /// `EINVAL` when it is not in service.
    pub(crate) fn deactivate(&mut self) -> Result {
        if self.state == JfcState::Invalid {
            return Err(EINVAL);
        }
        self.state = JfcState::Invalid;
        Ok(())
    }

    /// Notes that a completion found no room; `true` when the error event is due.
    pub(crate) fn overflow(&mut self) -> bool {
        let due = self.state == JfcState::Valid;
        if due {
            self.state = JfcState::Error;
        }
        due
    }
}

#[cfg(test)]
#[path = "tests/jetty_state.rs"]
mod tests;
