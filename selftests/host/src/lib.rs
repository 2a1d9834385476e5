// SPDX-License-Identifier: GPL-2.0

//! Host build of the pure logic in `rust/logic`, for `cargo test`.
//!
//! The kernel modules compile the same files with `rust/logic/env_kernel.rs` as their `env`; here
//! `env` is a shim on top of `std`. Nothing in this crate is meant to be used but its tests.

// The tests are the only users.
#![allow(dead_code)]

mod env;

#[path = "../../../rust/logic/access.rs"]
mod access;
#[path = "../../../rust/logic/batch.rs"]
mod batch;
#[path = "../../../rust/logic/cqe.rs"]
mod cqe;
#[path = "../../../rust/logic/dev_state.rs"]
mod dev_state;
#[path = "../../../rust/logic/eid.rs"]
mod eid;
#[path = "../../../rust/logic/group.rs"]
mod group;
#[path = "../../../rust/logic/jetty_state.rs"]
mod jetty_state;
#[path = "../../../rust/logic/moderation.rs"]
mod moderation;
#[path = "../../../rust/logic/net_addr.rs"]
mod net_addr;
#[path = "../../../rust/logic/options.rs"]
mod options;
#[path = "../../../rust/logic/page_map.rs"]
mod page_map;
#[path = "../../../rust/logic/page_size.rs"]
mod page_size;
#[path = "../../../rust/logic/ring.rs"]
mod ring;
#[path = "../../../rust/logic/rqe.rs"]
mod rqe;
#[path = "../../../rust/logic/segment.rs"]
mod segment;
#[path = "../../../rust/logic/sge.rs"]
mod sge;
#[path = "../../../rust/logic/sqe.rs"]
mod sqe;
#[path = "../../../rust/logic/tlv.rs"]
mod tlv;
#[path = "../../../rust/logic/tp.rs"]
mod tp;
#[path = "../../../rust/logic/tp_attr.rs"]
mod tp_attr;
#[path = "../../../rust/logic/tp_connect.rs"]
mod tp_connect;
#[path = "../../../rust/logic/tp_modify.rs"]
mod tp_modify;
#[path = "../../../rust/logic/tp_reuse.rs"]
mod tp_reuse;
#[path = "../../../rust/logic/types.rs"]
mod types;
#[path = "../../../rust/logic/use_count.rs"]
mod use_count;
#[path = "../../../rust/logic/validate.rs"]
mod validate;
#[path = "../../../rust/logic/wr.rs"]
mod wr;
