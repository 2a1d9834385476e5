// SPDX-License-Identifier: GPL-2.0

//! Client of the uburma devices and of ubsoft's rings.
//!
//! Objects (`Jfc`, `Jetty`, ...) are handles: dropping one destroys the kernel's object
//! and ignores failure, `destroy` reports it and what the kernel replied. They keep the
//! files of their context open. What depends on what is the kernel's to check.

mod address;
mod batch;
mod context;
mod device;
mod error;
mod event;
mod group;
mod jetty;
mod jfc;
mod jfr;
mod memory;
mod notify;
mod query;
mod ring;
mod target;
mod window;
mod wr;

pub mod staged;
pub mod sys;
pub mod tlv;

pub use address::{net_addr_bytes, NetAddr, NET_ADDR_INFO_LEN, NET_ADDR_LEN};
pub use batch::{Batch, BatchReply};
pub use context::{CmdExt, Context, ContextOptions, Doorbell};
pub use device::{Device, Eid, CLASS_DIR, DEV_DIR};
pub use error::{Error, Result};
pub use event::{AsyncEvent, AsyncEvents};
pub use group::{JettyGroup, JettyGroupConfig};
pub use jetty::{Jetty, JettyConfig, Jfs, JfsConfig, SendQueue};
pub use jfc::{Jfc, JfcConfig, JfcCounters, Jfce};
pub use jfr::{Jfr, JfrConfig};
pub use memory::{Segment, SegmentConfig, Token};
pub use notify::{Later, LaterTarget, Notification, Notifier};
pub use query::DevAttr;
pub use ring::{CompRing, RecvRing, Ring, SendRing};
pub use staged::{Class, Stage, StageOptions};
pub use target::{Path, Target, TargetConfig, TpQuery};
pub use window::Window;
pub use wr::{sge, Atomic, RecvWr, RemoteRange, SendWr};

/// The numbers and layouts of the ABI.
pub use ub_abi as abi;
