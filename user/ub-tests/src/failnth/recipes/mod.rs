// SPDX-License-Identifier: GPL-2.0

//! For each command: how it is called so that it works, and what takes it back.

pub mod ctx;
pub mod events;
pub mod queues;
pub mod seg;
pub mod target;
mod world;

pub use world::World;
