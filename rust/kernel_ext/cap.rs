// SPDX-License-Identifier: GPL-2.0

//! Capabilities of the calling task.
//!
//! C header: [`include/linux/capability.h`](srctree/include/linux/capability.h)

use kernel::{
    bindings,
    prelude::*, //
};

/// A capability that something may need.
#[derive(Copy, Clone, Debug, Eq, PartialEq)]
pub(crate) enum Cap {
    /// Configuring network interfaces and the like.
    NetAdmin,
    /// Sending and receiving raw packets.
    NetRaw,
    /// Locking memory beyond the limit.
    IpcLock,
    /// Administration of the system.
    SysAdmin,
    /// Taking more of the processors than others.
    SysNice,
}

/// Tells whether the calling task has `cap` in the initial user namespace.
pub(crate) fn capable(cap: Cap) -> bool {
    let cap = match cap {
        Cap::NetAdmin => bindings::CAP_NET_ADMIN,
        Cap::NetRaw => bindings::CAP_NET_RAW,
        Cap::IpcLock => bindings::CAP_IPC_LOCK,
        Cap::SysAdmin => bindings::CAP_SYS_ADMIN,
        Cap::SysNice => bindings::CAP_SYS_NICE,
    };
    // SAFETY: A valid capability, asked for in process context.
    unsafe { bindings::capable(cap as c_int) }
}
