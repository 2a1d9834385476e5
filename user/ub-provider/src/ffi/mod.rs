// SPDX-License-Identifier: GPL-2.0

//! The boundary: what liburma calls, and what it is called for.

#![allow(unsafe_code)]

mod batch;
mod call;
mod context;
mod data;
mod destroy;
mod kinds;
mod memory;
mod object;
mod options;
mod queues;
mod request;
mod staged;
mod table;
mod targets;
