// SPDX-License-Identifier: GPL-2.0

//! Safe abstractions that the `kernel` crate lacks.
//!
//! One file for each kernel interface, written as if it were a part of `rust/kernel`. All UB
//! modules compile these files; none uses all of them.

#![allow(dead_code, unused_macros, unused_imports)]

#[macro_use]
pub(crate) mod ratelimit;
#[macro_use]
pub(crate) mod attr;
#[macro_use]
pub(crate) mod fops;
#[macro_use]
pub(crate) mod handle_table;
#[macro_use]
pub(crate) mod id_map;
#[macro_use]
pub(crate) mod mm_exit;
#[macro_use]
#[path = "../logic/page_map.rs"]
mod page_map;
pub(crate) mod pernet;
#[macro_use]
pub(crate) mod rwsem;
#[macro_use]
pub(crate) mod spin;

pub(crate) mod anon_file;
pub(crate) mod arc;
pub(crate) mod atomic_context;
pub(crate) mod attr_group;
pub(crate) mod cap;
pub(crate) mod class;
pub(crate) mod class_device;
pub(crate) mod copy;
mod device_core;
pub(crate) mod embedded_device;
pub(crate) mod fault;
pub(crate) mod hot;
pub(crate) mod id_space;
mod kasan;
pub(crate) mod kernel_mem;
pub(crate) mod kobj_dir;
pub(crate) mod map_inode;
pub(crate) mod netns;
pub(crate) mod pinned;
pub(crate) mod poll;
pub(crate) mod publish;
pub(crate) mod random;
pub(crate) mod rdma_cgroup;
pub(crate) mod reaper;
pub(crate) mod ring_mem;
pub(crate) mod task;
pub(crate) mod thread;
pub(crate) mod use_wait;
pub(crate) mod user;
pub(crate) mod workqueue;
