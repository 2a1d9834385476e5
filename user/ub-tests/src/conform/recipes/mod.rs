// SPDX-License-Identifier: GPL-2.0

//! How to make each command work, and how to clean up after it.

use super::world::Recipe;

mod asynchronous;
mod batch;
mod context;
mod event;
mod jetty;
mod memory;
mod path;
mod queue;
mod staged;
mod staged_jetty;
mod target;

/// All recipes; of events or not.
pub fn all() -> impl Iterator<Item = (bool, &'static Recipe)> {
    let device = [
        context::RECIPES,
        memory::RECIPES,
        queue::RECIPES,
        jetty::RECIPES,
        target::RECIPES,
        path::RECIPES,
        asynchronous::RECIPES,
        batch::RECIPES,
        staged_jetty::RECIPES,
    ];
    let device = device
        .into_iter()
        .chain(staged::RECIPES.iter().copied())
        .flatten()
        .map(|recipe| (false, recipe));
    device.chain(event::RECIPES.iter().map(|recipe| (true, recipe)))
}
