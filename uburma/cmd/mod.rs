// SPDX-License-Identifier: GPL-2.0

//! Handlers of the commands, by family of objects.

pub(crate) mod address;
pub(crate) mod batch;
pub(crate) mod bind;
pub(crate) mod ctx;
pub(crate) mod events;
pub(crate) mod group;
pub(crate) mod jetty;
pub(crate) mod jfc;
pub(crate) mod jfr;
pub(crate) mod jfs;
pub(crate) mod notify;
mod options;
pub(crate) mod query;
pub(crate) mod seg;
pub(crate) mod staged;
pub(crate) mod target;
pub(crate) mod tp;
