// SPDX-License-Identifier: GPL-2.0

//! Destroying many objects by one command.

use ub_abi::*;

use crate::tlv::Cmd;
use crate::{Context, Result};

/// What is destroyed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Batch {
    /// Send queues.
    Jfs,
    /// Receive queues.
    Jfr,
    /// Completion queues.
    Jfc,
    /// Jettys.
    Jetty,
}

/// What the kernel replied, also when the command failed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct BatchReply {
    /// Completion events that were read, of what is destroyed.
    pub completions: u32,
    /// Asynchronous events that were read, of what is destroyed.
    pub events: u32,
    /// Place of the first handle that failed.
    pub bad: u32,
}

impl Batch {
    /// Command, and the outputs for events and the bad place.
    fn numbers(self) -> (u32, u32, u32) {
        match self {
            Batch::Jfs => (
                UBURMA_CMD_DELETE_JFS_BATCH,
                UBURMA_DELETE_JFS_BATCH_OUT_ASYNC_EVENTS_REPORTED,
                UBURMA_DELETE_JFS_BATCH_OUT_BAD_JFS_INDEX,
            ),
            Batch::Jfr => (
                UBURMA_CMD_DELETE_JFR_BATCH,
                UBURMA_DELETE_JFR_BATCH_OUT_ASYNC_EVENTS_REPORTED,
                UBURMA_DELETE_JFR_BATCH_OUT_BAD_JFR_INDEX,
            ),
            Batch::Jfc => (
                UBURMA_CMD_DELETE_JFC_BATCH,
                UBURMA_DELETE_JFC_BATCH_OUT_ASYNC_EVENTS_REPORTED,
                UBURMA_DELETE_JFC_BATCH_OUT_BAD_JFC_INDEX,
            ),
            Batch::Jetty => (
                UBURMA_CMD_DELETE_JETTY_BATCH,
                UBURMA_DELETE_JETTY_BATCH_OUT_ASYNC_EVENTS_REPORTED,
                UBURMA_DELETE_JETTY_BATCH_OUT_BAD_JETTY_INDEX,
            ),
        }
    }

    /// The command for an array of handles anywhere. Outputs come first, as in liburma.
    pub fn cmd_at(self, count: u32, address: u64) -> Cmd {
        let (command, events, bad) = self.numbers();
        let mut cmd = Cmd::new(command);
        if self == Batch::Jfc {
            cmd = cmd.out(UBURMA_DELETE_JFC_BATCH_OUT_COMP_EVENTS_REPORTED, 4);
        }
        // All four agree on the numbers of their inputs.
        cmd.out(events, 4)
            .out(bad, 4)
            .u32(UBURMA_DELETE_JFS_BATCH_IN_JFS_COUNT, count)
            .u64(UBURMA_DELETE_JFS_BATCH_IN_JFS_PTR, address)
    }

    /// Runs it; the reply is there in either case.
    pub fn destroy(self, ctx: &Context, handles: &[u64]) -> (BatchReply, Result<()>) {
        let mut cmd = self.cmd_at(handles.len() as u32, handles.as_ptr() as u64);
        let result = ctx.run(&mut cmd);
        (self.reply(&cmd), result)
    }

    /// The reply in a command that was run.
    pub fn reply(self, cmd: &Cmd) -> BatchReply {
        let (_, events, bad) = self.numbers();
        let completions = match self {
            Batch::Jfc => cmd.get_u32(UBURMA_DELETE_JFC_BATCH_OUT_COMP_EVENTS_REPORTED),
            _ => 0,
        };
        BatchReply {
            completions,
            events: cmd.get_u32(events),
            bad: cmd.get_u32(bad),
        }
    }
}

const _: () = {
    assert!(UBURMA_DELETE_JFS_BATCH_IN_JFS_COUNT == UBURMA_DELETE_JFR_BATCH_IN_JFR_COUNT);
    assert!(UBURMA_DELETE_JFS_BATCH_IN_JFS_COUNT == UBURMA_DELETE_JFC_BATCH_IN_JFC_COUNT);
    assert!(UBURMA_DELETE_JFS_BATCH_IN_JFS_COUNT == UBURMA_DELETE_JETTY_BATCH_IN_JETTY_COUNT);
    assert!(UBURMA_DELETE_JFS_BATCH_IN_JFS_PTR == UBURMA_DELETE_JFR_BATCH_IN_JFR_PTR);
    assert!(UBURMA_DELETE_JFS_BATCH_IN_JFS_PTR == UBURMA_DELETE_JFC_BATCH_IN_JFC_PTR);
    assert!(UBURMA_DELETE_JFS_BATCH_IN_JFS_PTR == UBURMA_DELETE_JETTY_BATCH_IN_JETTY_PTR);
};
