// SPDX-License-Identifier: GPL-2.0

//! A UB device in software: what the rest of the stack runs on without UB hardware.
//!
//! A process posts to rings in memory that it shares with the kernel and rings a doorbell; the
//! kernel carries the work out in the caller's context, by copying between pinned pages.

#[path = "../rust/bindings/mod.rs"]
mod bindings_ub;
#[path = "../rust/logic/env_kernel.rs"]
mod env;
#[macro_use]
#[path = "../rust/kernel_ext/mod.rs"]
mod kernel_ext;

#[allow(dead_code, unused_imports)]
#[path = "../rust/ub"]
mod ub {
    pub(crate) mod common;
    pub(crate) mod driver;
    pub(crate) mod net_addr;
}

#[allow(dead_code)]
#[deny(unsafe_code)]
#[path = "../rust/logic"]
mod logic {
    pub(crate) mod access;
    pub(crate) mod cqe;
    pub(crate) mod eid;
    pub(crate) mod group;
    pub(crate) mod jetty_state;
    pub(crate) mod moderation;
    pub(crate) mod net_addr;
    pub(crate) mod options;
    pub(crate) mod ring;
    pub(crate) mod rqe;
    pub(crate) mod sge;
    pub(crate) mod sqe;
    pub(crate) mod tp;
    pub(crate) mod tp_attr;
    pub(crate) mod types;
    pub(crate) mod validate;
    pub(crate) mod wr;
}

mod ring;

#[deny(unsafe_code)]
mod address;
#[deny(unsafe_code)]
mod caps;
#[deny(unsafe_code)]
mod config;
#[deny(unsafe_code)]
mod context;
#[deny(unsafe_code)]
mod counters;
#[deny(unsafe_code)]
mod device;
#[deny(unsafe_code)]
mod driver;
#[deny(unsafe_code)]
mod engine;
/// Work requests of the usual kind.
mod fast;
#[deny(unsafe_code)]
mod group;
#[deny(unsafe_code)]
mod host;
#[deny(unsafe_code)]
mod jetty;
#[deny(unsafe_code)]
mod jfc;
#[deny(unsafe_code)]
mod jfr;
#[cfg(CONFIG_KUNIT)]
#[deny(unsafe_code)]
mod kunit;
#[deny(unsafe_code)]
mod ledger;
#[deny(unsafe_code)]
mod local;
#[deny(unsafe_code)]
mod lock;
#[deny(unsafe_code)]
mod moderation;
#[deny(unsafe_code)]
mod module;
#[deny(unsafe_code)]
mod poll;
#[deny(unsafe_code)]
mod poller;
#[deny(unsafe_code)]
mod post;
#[deny(unsafe_code)]
mod queue;
#[deny(unsafe_code)]
mod rnr;
#[deny(unsafe_code)]
mod segment;
#[deny(unsafe_code)]
mod sq;
#[deny(unsafe_code)]
mod stream;
#[deny(unsafe_code)]
mod target;
#[deny(unsafe_code)]
mod tp;
#[deny(unsafe_code)]
mod window;

use device::Soft;
use kernel::prelude::*;

module! {
    type: module::Ubsoft,
    name: "ubsoft",
    authors: ["The UB for Linux authors"],
    description: "UB device in software",
    license: "GPL",
    params: {
        devices: u32 {
            default: 1,
            description: "Devices to make at load: ubsoft0 and so on",
        },
    },
}
