// SPDX-License-Identifier: GPL-2.0

//! Imported jettys and receive queues.

use super::{
    device::Device,
    object::{
        Kind,
        Object, //
    },
    ucontext::User, //
};
use crate::{
    bindings_ub as b,
    kernel_ext::arc::Arc,
    ub::common::{
        eid_from_bytes,
        FlagWord, //
    }, //
};
use kernel::prelude::*;

/// The kind of a [`TargetJfr`].
pub(crate) struct TargetJfrKind;
/// The kind of a [`TargetJetty`].
pub(crate) struct TargetJettyKind;

/// An imported receive queue.
pub(crate) type TargetJfr = Object<TargetJfrKind>;
/// An imported jetty.
pub(crate) type TargetJetty = Object<TargetJettyKind>;

impl Kind for TargetJfrKind {
    type Raw = b::ubcore_tjetty;
    const NAME: &'static str = "imported JFR";

    unsafe fn destroy(ptr: *mut b::ubcore_tjetty) -> c_int {
        // SAFETY: By the function's contract.
        unsafe { b::ubcore_unimport_jfr(ptr) }
    }
}

impl Kind for TargetJettyKind {
    type Raw = b::ubcore_tjetty;
    const NAME: &'static str = "imported jetty";

    unsafe fn destroy(ptr: *mut b::ubcore_tjetty) -> c_int {
        // SAFETY: By the function's contract.
        unsafe { b::ubcore_unimport_jetty(ptr) }
    }
}

/// A remote jetty or receive queue to be imported; see `struct ubcore_tjetty_cfg`.
#[derive(Clone, Copy, Default)]
pub(crate) struct TargetConfig {
    /// EID of the entity that has it.
    pub(crate) eid: [u8; 16],
    /// Its number there.
    pub(crate) id: u32,
    /// Word of `union ubcore_import_jetty_flag`.
    pub(crate) flag: u32,
    /// `enum ubcore_transport_mode`.
    pub(crate) trans_mode: u32,
    /// Local EID.
    pub(crate) eid_index: u32,
    /// `enum ubcore_target_type`.
    pub(crate) target_type: u32,
    /// `enum ubcore_jetty_grp_policy`.
    pub(crate) policy: u32,
    /// Token to show; never logged.
    pub(crate) token: u32,
    /// `enum ubcore_tp_type`.
    pub(crate) tp_type: u32,
    /// Tags of imports that may share a transport path: this side's and the other's.
    pub(crate) share_tags: (u64, u64),
}

impl TargetConfig {
    /// Makes the C structure.
    pub(super) fn to_raw(self) -> b::ubcore_tjetty_cfg {
        b::ubcore_tjetty_cfg {
            id: b::ubcore_jetty_id {
                eid: eid_from_bytes(self.eid),
                id: self.id,
            },
            flag: FlagWord::from_word(self.flag),
            trans_mode: self.trans_mode,
            eid_index: self.eid_index,
            type_: self.target_type,
            policy: self.policy,
            token_value: b::ubcore_token { token: self.token },
            tp_type: self.tp_type,
            stp_cfg: b::ubcore_share_tp_cfg {
                stag: self.share_tags.0,
                dtag: self.share_tags.1,
                ..Default::default()
            },
        }
    }
}

/// A transport path to be activated; all zero: ubcore chooses one.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct ActiveTp {
    /// Local handle.
    pub(crate) handle: u64,
    /// The peer's handle.
    pub(crate) peer_handle: u64,
    /// Tag of the path.
    pub(crate) tag: u64,
    /// First sequence number that this side sends.
    pub(crate) tx_psn: u32,
    /// First sequence number that it expects.
    pub(crate) rx_psn: u32,
}

impl ActiveTp {
    /// Makes the C structure.
    pub(super) fn to_raw(self) -> b::ubcore_active_tp_cfg {
        b::ubcore_active_tp_cfg {
            tp_handle: tp_handle(self.handle),
            peer_tp_handle: tp_handle(self.peer_handle),
            tag: self.tag,
            tp_attr: b::ubcore_active_tp_attr {
                tx_psn: self.tx_psn,
                rx_psn: self.rx_psn,
                reserved: 0,
            },
            tpid_reuse: core::ptr::null_mut(),
        }
    }
}

impl ActiveTp {
    /// Reads the C structure.
    pub(super) fn from_raw(raw: &b::ubcore_active_tp_cfg) -> Self {
        Self {
            handle: handle_value(&raw.tp_handle),
            peer_handle: handle_value(&raw.peer_tp_handle),
            tag: raw.tag,
            tx_psn: raw.tp_attr.tx_psn,
            rx_psn: raw.tp_attr.rx_psn,
        }
    }
}

/// Returns the value of a handle.
fn handle_value(handle: &b::ubcore_tp_handle) -> u64 {
    const { assert!(size_of::<b::ubcore_tp_handle>() == size_of::<u64>()) };
    // SAFETY: A C union of a `u64` and bit-fields of 64 bits in all.
    unsafe { core::ptr::from_ref(handle).cast::<u64>().read() }
}

/// Makes a handle from its value.
fn tp_handle(value: u64) -> b::ubcore_tp_handle {
    const { assert!(size_of::<b::ubcore_tp_handle>() == size_of::<u64>()) };
    // SAFETY: A C union of a `u64` and bit-fields of 64 bits in all.
    unsafe {
        core::ptr::from_ref(&value)
            .cast::<b::ubcore_tp_handle>()
            .read()
    }
}

/// Returns the number of the transport path of an import, if it has one.
///
/// # Safety
///
/// `this` must be a valid import that is not being undone.
pub(super) unsafe fn tpn(this: *mut b::ubcore_tjetty) -> Option<u32> {
    // SAFETY: By the function's contract.
    let vtpn = unsafe { (*this).vtpn };
    if vtpn.is_null() {
        return None;
    }
    // SAFETY: ubcore keeps the path as long as the import. The number may change meanwhile, when a
    // jetty is bound or unbound.
    Some(unsafe { (&raw const (*vtpn).vtpn).read_volatile() })
}

impl TargetJfr {
    /// Imports a receive queue, over `tp` or over a transport path that ubcore chooses.
    ///
    /// # Errors
    ///
    /// `EIO` when the device is gone, or the error of ubcore.
    pub(crate) fn import(
        dev: &Arc<Device>,
        config: &TargetConfig,
        tp: Option<&ActiveTp>,
        user: Option<&User<'_>>,
    ) -> Result<Self> {
        let mut raw = config.to_raw();
        let mut tp = tp.map(|tp| tp.to_raw());
        // SAFETY: The closure returns what the functions of ubcore do, for valid arguments.
        unsafe {
            Self::create(dev, user, None, |dev, udata| match &mut tp {
                Some(tp) => b::ubcore_import_jfr_ex(dev, &mut raw, tp, udata),
                None => b::ubcore_import_jfr(dev, &mut raw, udata),
            })
        }
    }

    /// Returns the number of the transport path, if there is one.
    ///
    /// # Errors
    ///
    /// As all calls on an object.
    pub(crate) fn tpn(&self) -> Result<Option<u32>> {
        let this = self.enter()?;
        // SAFETY: Entered, so valid and not being undone.
        Ok(unsafe { tpn(this.as_ptr()) })
    }
}

impl TargetJetty {
    /// Imports a jetty, over `tp` or over a transport path that ubcore chooses.
    ///
    /// # Errors
    ///
    /// `EIO` when the device is gone, or the error of ubcore.
    pub(crate) fn import(
        dev: &Arc<Device>,
        config: &TargetConfig,
        tp: Option<&ActiveTp>,
        user: Option<&User<'_>>,
    ) -> Result<Self> {
        let mut raw = config.to_raw();
        let mut tp = tp.map(|tp| tp.to_raw());
        // SAFETY: The closure returns what the functions of ubcore do, for valid arguments.
        unsafe {
            Self::create(dev, user, None, |dev, udata| match &mut tp {
                Some(tp) => b::ubcore_import_jetty_ex(dev, &mut raw, tp, udata),
                None => b::ubcore_import_jetty(dev, &mut raw, udata),
            })
        }
    }

    /// Returns the number of the transport path, if there is one.
    ///
    /// For a connection it changes when a jetty is bound or unbound.
    ///
    /// # Errors
    ///
    /// As all calls on an object.
    pub(crate) fn tpn(&self) -> Result<Option<u32>> {
        let this = self.enter()?;
        // SAFETY: Entered, so valid and not being undone.
        Ok(unsafe { tpn(this.as_ptr()) })
    }
}
