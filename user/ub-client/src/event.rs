// SPDX-License-Identifier: GPL-2.0

//! Asynchronous events of a context.

use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::sync::Arc;

use ub_abi::*;

use crate::sys;
use crate::tlv::Cmd;
use crate::Result;

/// One event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AsyncEvent {
    /// UBURMA_EVENT_*.
    pub kind: u32,
    /// Cookie of the object, number of the port or index of the EID.
    pub data: u64,
}

/// The event file of a context. Clones share it.
#[derive(Debug, Clone)]
pub struct AsyncEvents(Arc<OwnedFd>);

impl AsyncEvents {
    pub(crate) fn new(fd: OwnedFd) -> Self {
        AsyncEvents(Arc::new(fd))
    }

    /// The command that takes an event.
    pub fn get_cmd() -> Cmd {
        Cmd::new(UBURMA_EVENT_CMD_GET_ASYNC_EVENT)
            .out(UBURMA_GET_ASYNC_EVENT_OUT_EVENT_TYPE, 4)
            .out(UBURMA_GET_ASYNC_EVENT_OUT_EVENT_DATA, 8)
    }

    /// Takes an event; blocks without one unless O_NONBLOCK is set.
    pub fn get(&self) -> Result<AsyncEvent> {
        let mut cmd = Self::get_cmd();
        cmd.run_event(self.as_raw_fd())?;
        Ok(AsyncEvent {
            kind: cmd.get_u32(UBURMA_GET_ASYNC_EVENT_OUT_EVENT_TYPE),
            data: cmd.get_u64(UBURMA_GET_ASYNC_EVENT_OUT_EVENT_DATA),
        })
    }

    /// Takes an event if one comes within so many milliseconds.
    pub fn get_within(&self, timeout_ms: i32) -> Result<Option<AsyncEvent>> {
        let ready = sys::poll(self.as_raw_fd(), libc::POLLIN, timeout_ms)?;
        if ready & libc::POLLIN == 0 {
            return Ok(None);
        }
        self.get().map(Some)
    }

    /// What poll() reports at once.
    pub fn poll_now(&self) -> Result<i16> {
        sys::poll(self.as_raw_fd(), libc::POLLIN, 0)
    }
}

impl AsRawFd for AsyncEvents {
    fn as_raw_fd(&self) -> RawFd {
        self.0.as_raw_fd()
    }
}
