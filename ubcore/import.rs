// SPDX-License-Identifier: GPL-2.0

//! Imports of receive queues and jettys.
//!
//! In the modes RM and UM an import has a transport path, in the mode RC a binding has. A driver
//! that does not choose paths itself is given one: that of the caller, or one that the core sets up
//! and shares among imports of the same peer.

use crate::{
    bindings_ub::ubcore_tjetty_cfg,
    c_api::{
        core_state,
        kinds::ImportedJetty,
        Active,
        Imported,
        Obj,
        Owned,
        User,
        Vtpn, //
    },
    device::Device,
    flags::{
        shares_tp,
        OrderFlag, //
    },
    logic::{
        eid::Eid,
        group,
        tp::TpCfg,
        types::{
            OrderType,
            TargetType,
            TpType,
            TransMode, //
        },
        validate::{
            check_import,
            is_shared_rc,
            ImportParams, //
        }, //
    },
    queue,
    tp::{
        Chosen,
        Connection,
        Ends,
        Sharing, //
    },
    ub::common::eid_bytes,
};
use kernel::prelude::*;

/// What the core keeps of an import, beside what clients see.
pub(crate) struct TargetState {
    /// The transport path.
    connection: Option<Connection>,
    /// Whether the path is that of the import, and stays when the last binding ends.
    of_import: bool,
    /// Number of jettys that are bound to it.
    bound: u32,
}

impl TargetState {
    /// Returns the transport path.
    pub(crate) fn connection(&self) -> Option<&Connection> {
        self.connection.as_ref()
    }

    /// Returns whether a jetty is bound to it.
    pub(crate) fn is_bound(&self) -> bool {
        self.bound != 0
    }

    /// Gives it the transport path of a binding.
    pub(crate) fn connect(&mut self, connection: Connection) {
        self.connection = Some(connection);
    }

    /// Counts a binding.
    pub(crate) fn bind(&mut self) {
        self.bound = self.bound.saturating_add(1);
    }

    /// Ends a binding; returns the path if it has no use any more.
    pub(crate) fn unbind(&mut self) -> Option<Connection> {
        self.bound = self.bound.saturating_sub(1);
        self.disconnect_unused()
    }

    /// Takes the path away if neither the import nor a binding uses it.
    pub(crate) fn disconnect_unused(&mut self) -> Option<Connection> {
        if self.bound == 0 && !self.of_import {
            self.connection.take()
        } else {
            None
        }
    }
}

/// What matters of the configuration of an import, checked.
#[derive(Clone, Copy)]
pub(crate) struct Target {
    /// Service.
    pub(crate) mode: TransMode,
    /// Order.
    pub(crate) order: OrderType,
    /// Kind of transport path.
    tp_type: TpType,
    /// Whether paths may be shared with imports of the same tags.
    share: bool,
    /// Local EID.
    local: Eid,
    /// EID of the peer.
    peer: Eid,
    /// Tag of this side.
    stag: u64,
    /// Tag of the other side.
    dtag: u64,
}

impl Target {
    /// Checks a configuration.
    fn new(dev: &Device, cfg: &ubcore_tjetty_cfg, local: Eid) -> Result<(Self, TargetType)> {
        let import = check_import(
            &ImportParams {
                trans_mode: cfg.trans_mode,
                order_type: cfg.flag.order(),
                tp_type: cfg.tp_type,
                target_type: cfg.type_,
                eid_index: cfg.eid_index,
            },
            dev.caps(),
        )?;
        let target = Self {
            mode: import.checked.mode,
            order: import.checked.order,
            tp_type: import.tp_type,
            share: shares_tp(&cfg.flag),
            local,
            peer: Eid::from_bytes(eid_bytes(&cfg.id.eid)),
            stag: cfg.stp_cfg.stag,
            dtag: cfg.stp_cfg.dtag,
        };
        Ok((target, import.target))
    }

    /// Returns what matters of an import that exists.
    ///
    /// # Errors
    ///
    /// `EINVAL` if its local EID is gone.
    pub(crate) fn of<K: Imported>(dev: &Device, import: &Obj<K>) -> Result<Self> {
        let cfg = import.cfg();
        let local = dev.eids().get(cfg.eid_index).ok_or(EINVAL)?;
        Self::new(dev, cfg, local).map(|(target, _)| target)
    }

    /// Returns whether jettys that are bound to it share a path.
    pub(crate) fn is_shared_rc(&self) -> bool {
        is_shared_rc(self.mode, self.order, self.share)
    }

    /// Returns where its path is to lead.
    fn ends(&self) -> Ends {
        Ends {
            local: self.local,
            peer: self.peer,
            mode: self.mode,
        }
    }

    /// Uses a path that a caller chose; only imports and bindings that share it may have the same.
    pub(crate) fn connect_over(
        &self,
        dev: &Device,
        active: Active,
        user: User<'_>,
    ) -> Result<Connection> {
        let chosen = Chosen {
            active,
            holder: user.holder(),
            ends: self.ends(),
            exclusive: self.mode == TransMode::Rc && !self.is_shared_rc(),
        };
        Connection::explicit(core_state()?, dev, chosen)
    }

    /// Sets up a path, or shares one.
    fn connect(&self, dev: &Device, stag: u64, dtag: u64) -> Result<Connection> {
        let cfg = TpCfg::new(self.tp_type, false, self.mode, self.local, self.peer)?;
        let sharing = Sharing::new(&cfg, self.share, stag, dtag);
        Connection::shared(core_state()?, dev, cfg, sharing)
    }

    /// Sets up the path of an import, or shares one.
    pub(crate) fn connect_import(&self, dev: &Device) -> Result<Connection> {
        self.connect(dev, self.stag, self.dtag)
    }

    /// Sets up the path of a binding; only bindings to one shared import share it.
    pub(crate) fn connect_binding(
        &self,
        dev: &Device,
        local: u32,
        remote: u32,
    ) -> Result<Connection> {
        if self.is_shared_rc() {
            self.connect_import(dev)
        } else {
            self.connect(dev, local.into(), remote.into())
        }
    }
}

/// Returns the path of a new import, if it is to have one.
fn connection_of<K: Imported>(
    dev: &Device,
    target: &Target,
    active: Option<Active>,
    user: User<'_>,
) -> Result<Option<Connection>> {
    let with_import = target.mode != TransMode::Rc;
    match active {
        Some(active) if with_import || target.is_shared_rc() => {
            target.connect_over(dev, active, user).map(Some)
        }
        Some(active) => {
            // Only remembered, but by that user all the same.
            let (core, handle) = (core_state()?, active.tp.handle);
            core.links()
                .check_offer(dev, user.holder(), handle, Some(&target.ends()))?;
            Ok(None)
        }
        None if with_import && !dev.driver_imports::<K>() => target.connect_import(dev).map(Some),
        _ => Ok(None),
    }
}

/// Checks a configuration, and completes it.
///
/// # Errors
///
/// `EINVAL` if the device does not have it, `EIO` once removal has begun.
fn check<K: Imported>(dev: &Device, cfg: &mut ubcore_tjetty_cfg, user: User<'_>) -> Result<Target> {
    dev.check_creating()?;
    let local = dev.local_eid(cfg.eid_index, user)?;
    let (target, kind) = Target::new(dev, cfg, local)?;
    if K::IS_JFR && target.mode == TransMode::Rc {
        return Err(EINVAL);
    }
    if !K::IS_JFR && kind == TargetType::Jfr {
        return Err(EINVAL);
    }
    if kind == TargetType::JettyGroup {
        group::check_import(target.mode, cfg.policy)?;
    }
    cfg.flag.set_order(target.order);
    Ok(target)
}

/// Imports a receive queue or a jetty; `active` is the path that the caller chose.
///
/// # Errors
///
/// `EINVAL` for a configuration that the device does not have, `ENOSPC` when the driver has no path,
/// `EIO` once removal has begun; the driver's.
pub(crate) fn import<K: Imported>(
    dev: &Device,
    mut cfg: ubcore_tjetty_cfg,
    active: Option<Active>,
    user: User<'_>,
) -> Result<Owned<K>> {
    let target = check::<K>(dev, &mut cfg, user)?;
    let connection = connection_of::<K>(dev, &target, active, user)?;
    // Without a path yet, a driver that wants one gets handles of zeros, or those of the caller.
    let path = match &connection {
        Some(connection) => Some(connection.active()),
        None if active.is_none() && dev.driver_imports::<K>() => None,
        None => Some(active.unwrap_or_default()),
    };
    let state = TargetState {
        of_import: connection.is_some(),
        connection,
        bound: 0,
    };
    complete(dev, cfg, state, path, user)
}

/// Lets the driver make an import; the path in `state` ends on an error.
fn complete<K: Imported>(
    dev: &Device,
    mut cfg: ubcore_tjetty_cfg,
    state: TargetState,
    path: Option<Active>,
    user: User<'_>,
) -> Result<Owned<K>> {
    let vtpn = Vtpn::new(dev, cfg.trans_mode, state)?;
    let import = dev.driver_import::<K>(&mut cfg, path, user)?;
    import.init(&cfg, vtpn);
    queue::born(&import);
    Ok(import)
}

/// Imports a jetty whose path is set up later by [`connect`], if it is to have one; then what is
/// known of it is returned too.
///
/// # Errors
///
/// As for [`import`].
pub(crate) fn begin(
    dev: &Device,
    mut cfg: ubcore_tjetty_cfg,
    user: User<'_>,
) -> Result<(Owned<ImportedJetty>, Option<Target>)> {
    let target = check::<ImportedJetty>(dev, &mut cfg, user)?;
    let drivers = dev.driver_imports::<ImportedJetty>() || !dev.driver_connects();
    if drivers || target.mode == TransMode::Rc {
        return Ok((import(dev, cfg, None, user)?, None));
    }
    let state = TargetState {
        of_import: true,
        connection: None,
        bound: 0,
    };
    let import = complete(dev, cfg, state, Some(Active::default()), user)?;
    Ok((import, Some(target)))
}

/// Gives a path to a claimed import that was made without one.
///
/// # Errors
///
/// The driver's; then the import stays without a path.
pub(crate) fn connect(dev: &Device, import: &Obj<ImportedJetty>, connection: Connection) -> Result {
    let vtpn = import.vtpn()?;
    dev.driver_connect(import, connection.active())?;
    let mut state = vtpn.state().lock();
    state.connect(connection);
    vtpn.show(state.connection());
    Ok(())
}

/// Drops an import; `EBUSY` while a jetty is bound to it. On error it is as it was before.
pub(crate) fn unimport<K: Imported>(import: Owned<K>) -> Result {
    import.uses().claim_idle()?;
    unimport_claimed(import)
}

/// Drops a claimed import. On error it is as it was before the claim.
pub(crate) fn unimport_claimed<K: Imported>(import: Owned<K>) -> Result {
    let vtpn = import.detach_vtpn();
    queue::destroy(import).map_err(|(import, error)| {
        if let Some(vtpn) = vtpn {
            import.attach_vtpn(vtpn);
        }
        import.uses().unclaim();
        error
    })
    // The path goes here, when the driver does not use it any more.
}
