// SPDX-License-Identifier: GPL-2.0

//! The core of the URMA stack: devices, clients, and all objects between them.
//!
//! Drivers and clients reach it through the C functions of `include/ub/urma`, which [`c_api`]
//! implements. Everything behind it is safe code.

use kernel::prelude::*;

#[path = "../rust/bindings/mod.rs"]
mod bindings_ub;
#[path = "../rust/logic/env_kernel.rs"]
mod env;
#[macro_use]
#[path = "../rust/kernel_ext/mod.rs"]
mod kernel_ext;

/// Pure logic, compiled into the host tests too.
#[allow(dead_code)]
#[deny(unsafe_code)]
#[path = "../rust/logic"]
mod logic {
    pub(crate) mod access;
    pub(crate) mod cqe;
    pub(crate) mod dev_state;
    pub(crate) mod eid;
    pub(crate) mod group;
    pub(crate) mod jetty_state;
    pub(crate) mod options;
    pub(crate) mod page_size;
    pub(crate) mod segment;
    pub(crate) mod tp;
    pub(crate) mod tp_attr;
    pub(crate) mod tp_connect;
    pub(crate) mod tp_reuse;
    pub(crate) mod types;
    pub(crate) mod validate;
}

/// Conversions shared with clients and drivers.
#[path = "../rust/ub"]
mod ub {
    pub(crate) mod common;
}

mod c_api;

#[deny(unsafe_code)]
mod attrs;
#[deny(unsafe_code)]
mod batch;
#[deny(unsafe_code)]
mod bind;
#[deny(unsafe_code)]
mod client;
#[deny(unsafe_code)]
mod counters;
#[deny(unsafe_code)]
mod device;
#[deny(unsafe_code)]
mod doorbell;
#[deny(unsafe_code)]
mod eids;
#[deny(unsafe_code)]
mod event;
#[deny(unsafe_code)]
mod flags;
#[deny(unsafe_code)]
mod group;
#[deny(unsafe_code)]
mod import;
#[deny(unsafe_code)]
mod jetty;
#[deny(unsafe_code)]
mod jfc;
#[deny(unsafe_code)]
mod jfr;
#[deny(unsafe_code)]
mod jfs;
#[deny(unsafe_code)]
mod pending;
#[deny(unsafe_code)]
mod queue;
#[deny(unsafe_code)]
mod registry;
#[deny(unsafe_code)]
mod segment;
#[deny(unsafe_code)]
mod stage;
#[deny(unsafe_code)]
mod state;
#[deny(unsafe_code)]
mod table;
#[deny(unsafe_code)]
mod tp;
#[deny(unsafe_code)]
mod ucontext;
#[deny(unsafe_code)]
mod uses;

module! {
    type: state::Core,
    name: "ubcore",
    authors: ["URMA for Linux developers"],
    description: "Core of the Unified Bus memory access stack",
    license: "GPL",
}
