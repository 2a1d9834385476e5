// SPDX-License-Identifier: GPL-2.0

//! Character devices through which user space works with UB devices.
//!
//! For each device of ubcore there is `/dev/uburma/<name>`, which speaks the ABI of
//! `<ub/uburma.h>`. The way of a command:
//!
//! * [`fops`] receives it, [`dispatch`] takes one snapshot of its attributes, and [`table`] says
//!   what belongs to it: typed request, typed reply, handler.
//! * A handler in [`cmd`] works on the objects of the open [`file`]: [`uobject`], named by
//!   [`handle`].
//! * [`teardown`] destroys what is left when the file is closed, the address space dies or the
//!   [`device`] goes away.
//! * Completion and asynchronous events, and notifications, wait in the channels of [`event`].

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
    pub(crate) mod batch;
    pub(crate) mod eid;
    pub(crate) mod net_addr;
    pub(crate) mod options;
    pub(crate) mod tlv;
    pub(crate) mod tp_modify;
    pub(crate) mod types;
    pub(crate) mod use_count;
}

/// Safe interface to ubcore.
#[path = "../rust/ub"]
mod ub {
    pub(crate) mod client;
    pub(crate) mod common;
    pub(crate) mod net_addr;
}

#[deny(unsafe_code)]
#[macro_use]
mod command;

#[deny(unsafe_code)]
mod binding;
#[deny(unsafe_code)]
mod cmd;
#[deny(unsafe_code)]
mod context;
#[deny(unsafe_code)]
mod device;
#[deny(unsafe_code)]
mod dispatch;
#[deny(unsafe_code)]
mod event;
#[deny(unsafe_code)]
mod file;
#[deny(unsafe_code)]
mod flags;
#[deny(unsafe_code)]
mod fops;
#[deny(unsafe_code)]
mod handle;
#[deny(unsafe_code)]
mod io;
#[deny(unsafe_code)]
mod module;
#[deny(unsafe_code)]
mod stats;
#[deny(unsafe_code)]
mod table;
#[deny(unsafe_code)]
mod teardown;
#[deny(unsafe_code)]
mod uobject;

use module::Uburma;

kernel::prelude::module! {
    type: Uburma,
    name: "uburma",
    authors: ["UB/URMA kernel developers"],
    description: "User access to Unified Bus devices",
    license: "GPL",
}
