// SPDX-License-Identifier: GPL-2.0

//! The interface between liburma, the user-space library of UB, and its providers: structures that
//! both write and read, numbers, and the functions of liburma that providers call.
//!
//! Names are those of C, so that both sides can be compared. `type`, `ref` and `priv`, which are
//! words of Rust, are `kind`, `ref_` and `priv_` here; of a union there is the member that covers
//! it. Flags are plain words, see [`flags`]. The locks in some structures are those of the C
//! library that this is compiled for: liburma and a provider must agree on it.

#![allow(non_camel_case_types, non_snake_case, non_upper_case_globals)]

pub mod flags;
pub mod layout;
pub mod liburma;
pub mod numbers;

mod device;
mod objects;
mod ops;
mod provider;
mod work;

pub use device::*;
pub use layout::{Bits, Layout, Plain};
pub use numbers::*;
pub use objects::*;
pub use ops::*;
pub use provider::*;
pub use work::*;

/// The receive side of a jetty: a queue that it shares, and where its completions go.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct urma_jetty_shared {
    /// The receive queue; overlays the configuration of a queue of the jetty's own.
    pub jfr: *mut urma_jfr,
    /// Where completions go; null for the completion queue of `jfr`.
    pub jfc: *mut urma_jfc,
}

/// Operands of a work request; which, its opcode tells.
#[repr(C)]
#[derive(Clone, Copy)]
pub union urma_jfs_wr_body {
    /// Reads and writes.
    pub rw: urma_rw_wr,
    /// Messages.
    pub send: urma_send_wr,
    /// Compare-and-swap, swap.
    pub cas: urma_cas_wr,
    /// Other atomic operations.
    pub faa: urma_faa_wr,
}

#[cfg(target_pointer_width = "64")]
const _: () = {
    use std::mem::{offset_of, size_of};

    assert!(size_of::<urma_jetty_shared>() == 16);
    assert!(offset_of!(urma_jetty_shared, jfr) == 0);
    assert!(offset_of!(urma_jetty_shared, jfc) == 8);
    assert!(size_of::<urma_jfs_wr_body>() == 48);
    assert!(size_of::<urma_jetty_cfg>() - offset_of!(urma_jetty_cfg, shared) == 32);
    assert!(size_of::<urma_jfs_wr>() - offset_of!(urma_jfs_wr, body) == 48 + 8);
};

/// All structures, module by module.
pub fn all_layouts() -> impl Iterator<Item = &'static Layout> {
    [
        device::LAYOUTS,
        objects::LAYOUTS,
        provider::LAYOUTS,
        work::LAYOUTS,
    ]
    .into_iter()
    .flatten()
}

/// The operations of a context, whose table has one structure.
pub fn ops_layout() -> &'static Layout {
    &ops::LAYOUTS[0]
}

impl urma_eid {
    /// The bytes.
    #[inline]
    pub fn bytes(&self) -> [u8; 16] {
        let mut bytes = [0; 16];
        bytes[..8].copy_from_slice(&self.raw[0].to_ne_bytes());
        bytes[8..].copy_from_slice(&self.raw[1].to_ne_bytes());
        bytes
    }

    /// The EID of these bytes.
    #[inline]
    pub fn of(bytes: [u8; 16]) -> Self {
        let (mut low, mut high) = ([0; 8], [0; 8]);
        low.copy_from_slice(&bytes[..8]);
        high.copy_from_slice(&bytes[8..]);
        urma_eid {
            raw: [u64::from_ne_bytes(low), u64::from_ne_bytes(high)],
        }
    }
}
