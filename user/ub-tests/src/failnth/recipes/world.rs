// SPDX-License-Identifier: GPL-2.0

//! What commands need that is there for all steps.

use std::cell::{OnceCell, RefCell};

use ub_client::abi::UBURMA_TM_RC;
use ub_client::tlv::Cmd;
use ub_client::{Context, Jfce};

use crate::fixture::{Pair, PairConfig, Side};
use crate::listener::Listener;
use crate::{Failure, Outcome};

/// Objects that are made once for a sweep, when a recipe asks for them.
#[derive(Default)]
pub struct World {
    bare: OnceCell<(Context, Jfce)>,
    pair: OnceCell<Pair>,
    bindable: OnceCell<(Side, Side, ub_client::Target)>,
    listener: OnceCell<RefCell<Listener>>,
}

/// The value of a cell, made on demand.
fn value_of<T>(
    cell: &OnceCell<T>,
    make: impl FnOnce() -> Result<T, Failure>,
) -> Result<&T, Failure> {
    if cell.get().is_none() {
        let _ = cell.set(make()?);
    }
    cell.get()
        .ok_or_else(|| Failure::Fail("the cell is empty".to_string()))
}

impl World {
    /// A context without objects, and an event channel.
    pub fn bare(&self) -> Result<&(Context, Jfce), Failure> {
        value_of(&self.bare, || {
            let ctx = Context::open_first()?;
            let jfce = Jfce::create(&ctx)?;
            Ok((ctx, jfce))
        })
    }

    /// A pair in mode RM.
    pub fn pair(&self) -> Result<&Pair, Failure> {
        value_of(&self.pair, Pair::create)
    }

    /// The context of one side.
    pub fn ctx(&self) -> Result<&Context, Failure> {
        Ok(&self.pair()?.a.ctx)
    }

    /// Two jettys in mode RC, and the second one imported by the first, not yet bound.
    pub fn bindable(&self) -> Result<&(Side, Side, ub_client::Target), Failure> {
        value_of(&self.bindable, || {
            let config = PairConfig {
                mode: UBURMA_TM_RC,
                ..Default::default()
            };
            let (a, b) = (Side::create(config)?, Side::create(config)?);
            let target = a.import(&b)?;
            Ok((a, b, target))
        })
    }

    /// A side whose completions are told by events.
    pub fn listener(&self) -> Result<&RefCell<Listener>, Failure> {
        value_of(&self.listener, || Ok(RefCell::new(Listener::create()?)))
    }
}

/// Runs a command, and gives an output of it: the handle of what it made.
pub fn made(ctx: &Context, mut cmd: Cmd, handle: u32) -> Result<u64, Failure> {
    ctx.run(&mut cmd)?;
    Ok(cmd.get_u64(handle))
}

/// Runs a command that takes back.
pub fn run(ctx: &Context, mut cmd: Cmd) -> Outcome {
    Ok(ctx.run(&mut cmd)?)
}

/// Nothing is to be taken back.
pub fn nothing(_: &Cmd) -> Outcome {
    Ok(())
}
