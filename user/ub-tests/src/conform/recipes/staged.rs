// SPDX-License-Identifier: GPL-2.0

//! Queues that are allocated first, given options, and activated then.

use ub_client::abi::*;
use ub_client::sys;
use ub_client::tlv::Cmd;

use crate::conform::bench::Inputs;
use crate::conform::world::{
    cleared, command, consumed, i32v, run, u32v, u64v, u8v, undo_at, Given, Recipe, Reply, World,
};
use crate::fixture::JETTY_TOKEN;
use crate::{Failure, Outcome};

/// Where the value of an option lies in the world's memory.
const OPTION: usize = 0;
/// Where the structure of options lies.
const OPTIONS: usize = 256;

/// Numbers of the commands of a kind of queue, and of their attributes.
pub struct Kind {
    /// ALLOC.
    pub alloc: u32,
    /// FREE.
    pub free: u32,
    /// ACTIVE.
    pub active: u32,
    /// OUT_HANDLE of ALLOC.
    pub alloc_handle: u32,
    /// Where in it the handle lies.
    pub handle_at: usize,
    /// What ALLOC needs.
    pub inputs: fn(&World) -> Result<Inputs, Failure>,
    /// What ACTIVE needs, but for the handle.
    pub activation: fn(&World) -> Result<Inputs, Failure>,
    /// IN_HANDLE of ACTIVE.
    pub active_handle: u32,
    /// Option of the depth.
    pub depth: u32,
}

/// Makes the six recipes of a kind: ALLOC, FREE, SET_OPT, GET_OPT, ACTIVE, DEACTIVE.
macro_rules! staged {
    ($kind:expr, $set:ident, $get:ident, $deactive:ident) => {
        [
            Recipe {
                number: $kind.alloc,
                prepare: |world| Ok(Given::inputs(($kind.inputs)(world)?)),
                finish: |world, _, reply| $kind.undo(world, reply),
                makes: true,
            },
            Recipe {
                number: $kind.free,
                prepare: |world| {
                    let handle = $kind.allocated(world)?;
                    Ok(Given::inputs(vec![u64v(FREE_IN_HANDLE, handle)]).object(handle))
                },
                finish: |world, given, reply| $kind.consumed(world, given, reply),
                makes: false,
            },
            Recipe {
                number: $set,
                prepare: |world| $kind.option(world),
                finish: |world, given, _| $kind.cleared(world, given),
                makes: false,
            },
            Recipe {
                number: $get,
                prepare: |world| $kind.option(world),
                finish: |world, given, _| $kind.cleared(world, given),
                makes: false,
            },
            Recipe {
                number: $kind.active,
                prepare: |world| {
                    let handle = $kind.allocated(world)?;
                    Ok(Given::inputs($kind.activating(world, handle)?).object(handle))
                },
                finish: |world, given, _| $kind.cleared(world, given),
                makes: false,
            },
            Recipe {
                number: $deactive,
                prepare: |world| {
                    let handle = $kind.allocated(world)?;
                    run(world.fd(), $kind.active, &$kind.activating(world, handle)?)?;
                    Ok(Given::inputs(vec![u64v(DEACTIVE_IN_HANDLE, handle)]).object(handle))
                },
                finish: |world, given, _| $kind.cleared(world, given),
                makes: false,
            },
        ]
    };
}
pub(super) use staged;

/// All kinds agree on the numbers of these.
pub const FREE_IN_HANDLE: u32 = UBURMA_FREE_JFC_IN_HANDLE;
/// The same for DEACTIVE.
pub const DEACTIVE_IN_HANDLE: u32 = UBURMA_DEACTIVE_JFC_IN_HANDLE;

const _: () = {
    assert!(UBURMA_FREE_JFR_IN_HANDLE == FREE_IN_HANDLE);
    assert!(UBURMA_FREE_JFS_IN_HANDLE == FREE_IN_HANDLE);
    assert!(UBURMA_FREE_JETTY_IN_HANDLE == FREE_IN_HANDLE);
    assert!(UBURMA_DEACTIVE_JFR_IN_HANDLE == DEACTIVE_IN_HANDLE);
    assert!(UBURMA_DEACTIVE_JFS_IN_HANDLE == DEACTIVE_IN_HANDLE);
    assert!(UBURMA_DEACTIVE_JETTY_IN_HANDLE == DEACTIVE_IN_HANDLE);
    assert!(UBURMA_SET_JFC_OPT_IN_BUF == UBURMA_GET_JETTY_OPT_IN_BUF);
    assert!(UBURMA_SET_JFC_OPT_IN_LEN == UBURMA_GET_JETTY_OPT_IN_LEN);
};

impl Kind {
    /// FREE; also frees what is active.
    fn freeing(&self, handle: u64) -> Cmd {
        // The command has no other inputs than these, so that it can always be made.
        command(self.free, &vec![u64v(FREE_IN_HANDLE, handle)])
            .unwrap_or_else(|_| Cmd::new(self.free))
    }

    /// Frees what ALLOC has made.
    pub fn undo(&self, world: &World, reply: &Reply) -> Outcome {
        let value = (self.alloc_handle, self.handle_at);
        undo_at(world, reply, value, |handle| self.freeing(handle))
    }

    /// Frees what was made for a call.
    pub fn cleared(&self, world: &World, given: Given) -> Outcome {
        cleared(world, &given, |handle| self.freeing(handle))
    }

    /// Sees that what was made for a call is gone.
    pub fn consumed(&self, world: &World, given: Given, reply: &Reply) -> Outcome {
        consumed(world, &given, reply, |handle| self.freeing(handle))
    }

    /// Allocates a queue; returns its handle.
    pub fn allocated(&self, world: &World) -> Result<u64, Failure> {
        let cmd = run(world.fd(), self.alloc, &(self.inputs)(world)?)?;
        let value = cmd.value(self.alloc_handle);
        Ok(sys::from_bytes(value.get(self.handle_at..).unwrap_or(&[])))
    }

    /// What ACTIVE needs.
    pub fn activating(&self, world: &World, handle: u64) -> Result<Inputs, Failure> {
        let mut inputs = (self.activation)(world)?;
        inputs.push(u64v(self.active_handle, handle));
        Ok(inputs)
    }

    /// The option of the depth, as input of SET and GET.
    pub fn option(&self, world: &World) -> Result<Given, Failure> {
        let handle = self.allocated(world)?;
        let buffer = world.put(OPTION, &32u32.to_ne_bytes());
        Ok(Given::inputs(vec![
            u64v(UBURMA_SET_JFC_OPT_IN_HANDLE, handle),
            u64v(UBURMA_SET_JFC_OPT_IN_OPT, u64::from(self.depth)),
            u64v(UBURMA_SET_JFC_OPT_IN_BUF, buffer),
            u32v(UBURMA_SET_JFC_OPT_IN_LEN, 4),
        ])
        .object(handle))
    }
}

/// A structure of options of which none is valid; returns its address.
pub fn no_options(world: &World) -> u64 {
    world.put(OPTIONS, &[0; 128])
}

const JFC: Kind = Kind {
    alloc: UBURMA_CMD_ALLOC_JFC,
    free: UBURMA_CMD_FREE_JFC,
    active: UBURMA_CMD_ACTIVE_JFC,
    alloc_handle: UBURMA_ALLOC_JFC_OUT_HANDLE,
    handle_at: 0,
    inputs: |_| {
        Ok(vec![
            u32v(UBURMA_ALLOC_JFC_IN_DEPTH, 16),
            i32v(UBURMA_ALLOC_JFC_IN_JFCE_FD, UBURMA_NO_JFCE_FD),
        ])
    },
    activation: |world| {
        Ok(vec![
            u32v(UBURMA_ACTIVE_JFC_IN_DEPTH, 16),
            u64v(UBURMA_ACTIVE_JFC_IN_JFC_OPT, no_options(world)),
        ])
    },
    active_handle: UBURMA_ACTIVE_JFC_IN_HANDLE,
    depth: UBURMA_OPT_JFC_DEPTH,
};

const JFR: Kind = Kind {
    alloc: UBURMA_CMD_ALLOC_JFR,
    free: UBURMA_CMD_FREE_JFR,
    active: UBURMA_CMD_ACTIVE_JFR,
    alloc_handle: UBURMA_ALLOC_JFR_OUT_HANDLE,
    handle_at: 0,
    inputs: |world| {
        Ok(vec![
            u32v(UBURMA_ALLOC_JFR_IN_DEPTH, 16),
            u32v(UBURMA_ALLOC_JFR_IN_FLAG, UBURMA_TOKEN_PLAIN_TEXT),
            u32v(UBURMA_ALLOC_JFR_IN_TRANS_MODE, UBURMA_TM_RM),
            u8v(UBURMA_ALLOC_JFR_IN_MAX_SGE, 1),
            u64v(UBURMA_ALLOC_JFR_IN_JFC_HANDLE, world.a()?.received.handle()),
            u32v(UBURMA_ALLOC_JFR_IN_TOKEN, JETTY_TOKEN),
        ])
    },
    activation: |world| {
        Ok(vec![
            u32v(UBURMA_ACTIVE_JFR_IN_DEPTH, 16),
            u32v(UBURMA_ACTIVE_JFR_IN_FLAG, UBURMA_TOKEN_PLAIN_TEXT),
            u32v(UBURMA_ACTIVE_JFR_IN_TRANS_MODE, UBURMA_TM_RM),
            u8v(UBURMA_ACTIVE_JFR_IN_MAX_SGE, 1),
            u64v(
                UBURMA_ACTIVE_JFR_IN_JFC_HANDLE,
                world.a()?.received.handle(),
            ),
            u32v(UBURMA_ACTIVE_JFR_IN_TOKEN, JETTY_TOKEN),
            u64v(UBURMA_ACTIVE_JFR_IN_JFR_OPT, no_options(world)),
        ])
    },
    active_handle: UBURMA_ACTIVE_JFR_IN_HANDLE,
    depth: UBURMA_OPT_JFR_DEPTH,
};

const JFS: Kind = Kind {
    alloc: UBURMA_CMD_ALLOC_JFS,
    free: UBURMA_CMD_FREE_JFS,
    active: UBURMA_CMD_ACTIVE_JFS,
    alloc_handle: UBURMA_ALLOC_JFS_OUT_HANDLE,
    handle_at: 0,
    inputs: |world| {
        Ok(vec![
            u32v(UBURMA_ALLOC_JFS_IN_DEPTH, 16),
            u32v(UBURMA_ALLOC_JFS_IN_TRANS_MODE, UBURMA_TM_RM),
            u8v(UBURMA_ALLOC_JFS_IN_MAX_SGE, 1),
            u8v(UBURMA_ALLOC_JFS_IN_MAX_RSGE, 1),
            u8v(UBURMA_ALLOC_JFS_IN_ERR_TIMEOUT, 17),
            u64v(UBURMA_ALLOC_JFS_IN_JFC_HANDLE, world.a()?.sent.handle()),
        ])
    },
    activation: |world| {
        Ok(vec![
            u32v(UBURMA_ACTIVE_JFS_IN_DEPTH, 16),
            u32v(UBURMA_ACTIVE_JFS_IN_TRANS_MODE, UBURMA_TM_RM),
            u8v(UBURMA_ACTIVE_JFS_IN_MAX_SGE, 1),
            u8v(UBURMA_ACTIVE_JFS_IN_MAX_RSGE, 1),
            u8v(UBURMA_ACTIVE_JFS_IN_ERR_TIMEOUT, 17),
            u64v(UBURMA_ACTIVE_JFS_IN_JFC_HANDLE, world.a()?.sent.handle()),
            u64v(UBURMA_ACTIVE_JFS_IN_JFS_OPT, no_options(world)),
        ])
    },
    active_handle: UBURMA_ACTIVE_JFS_IN_HANDLE,
    depth: UBURMA_OPT_JFS_DEPTH,
};

const JFC_RECIPES: [Recipe; 6] = staged!(
    JFC,
    UBURMA_CMD_SET_JFC_OPT,
    UBURMA_CMD_GET_JFC_OPT,
    UBURMA_CMD_DEACTIVE_JFC
);
const JFR_RECIPES: [Recipe; 6] = staged!(
    JFR,
    UBURMA_CMD_SET_JFR_OPT,
    UBURMA_CMD_GET_JFR_OPT,
    UBURMA_CMD_DEACTIVE_JFR
);
const JFS_RECIPES: [Recipe; 6] = staged!(
    JFS,
    UBURMA_CMD_SET_JFS_OPT,
    UBURMA_CMD_GET_JFS_OPT,
    UBURMA_CMD_DEACTIVE_JFS
);

/// The commands of this file.
pub const RECIPES: &[&[Recipe]] = &[&JFC_RECIPES, &JFR_RECIPES, &JFS_RECIPES];
