// SPDX-License-Identifier: GPL-2.0

//! Jetty groups: jettys that receive under one name.

use crate::{
    bindings_ub::{
        ubcore_jetty_cfg,
        ubcore_jetty_grp_cfg, //
    },
    c_api::{
        kinds::{
            Jetty,
            JettyGroup,
            Jfr, //
        },
        GroupEvents,
        Members,
        Obj,
        Owned,
        User, //
    },
    device::Device,
    flags::token_policy,
    logic::{
        group::GroupPolicy,
        types::TransMode,
        validate::{
            check_group_capacity,
            check_group_member,
            check_token_policy,
            GroupJoin,
            JettyRecv, //
        }, //
    },
    queue,
    ub::common::FlagWord, //
};
use kernel::prelude::*;

/// Creates a jetty group.
///
/// # Errors
///
/// `EINVAL` for a policy that does not exist, and a device without groups; `EIO` once removal has
/// begun; the driver's.
pub(crate) fn create(
    dev: &Device,
    mut cfg: ubcore_jetty_grp_cfg,
    events: GroupEvents,
    user: User<'_>,
) -> Result<Owned<JettyGroup>> {
    dev.check_creating()?;
    let capacity = dev.caps().max_jetty_in_group;
    check_group_capacity(capacity)?;
    check_token_policy(token_policy(cfg.flag.word()))?;
    GroupPolicy::from_raw(cfg.policy)?;
    let eid = dev.local_eid(cfg.eid_index, user)?;
    let members = Members::new(capacity)?;
    let group = dev.driver_create_group(&mut cfg, user)?;
    group.init(&cfg, eid, events, members);
    queue::born(&group);
    Ok(group)
}

/// Deletes a jetty group; `EBUSY` while it has members. On error it is as it was before.
pub(crate) fn delete(group: Owned<JettyGroup>) -> Result {
    group.uses().claim_idle()?;
    let members = group.take_members();
    queue::destroy(group).map_err(|(group, error)| {
        group.put_members(members);
        group.uses().unclaim();
        error
    })
}

/// A place in a group for a jetty that is being created; given back when dropped, unless kept.
pub(crate) struct Place<'a>(&'a Obj<JettyGroup>);

impl<'a> Place<'a> {
    /// Takes a place.
    ///
    /// # Errors
    ///
    /// `EINVAL` for a group of another device or another user, `EBUSY` for one that is being
    /// deleted, `EPERM` for a full one.
    pub(crate) fn new(group: &'a Obj<JettyGroup>, dev: &Device, user: User<'_>) -> Result<Self> {
        if !group.belongs_to(dev, user) {
            return Err(EINVAL);
        }
        // The most that a count can be is far above a capacity.
        let capacity = i32::try_from(dev.caps().max_jetty_in_group).unwrap_or(i32::MAX);
        group.uses().hold_below(capacity, EPERM)?;
        Ok(Self(group))
    }

    /// Checks that a jetty goes with the group.
    ///
    /// # Errors
    ///
    /// `EINVAL` unless it and its JFR receive reliable messages with the token of the group.
    pub(crate) fn check(&self, jetty: &ubcore_jetty_cfg, jfr: &Obj<Jfr>) -> Result {
        let JettyRecv::Shared {
            jfr: receiver,
            token_policy,
            ..
        } = jfr.as_receiver()?
        else {
            return Err(EINVAL);
        };
        let cfg = self.0.cfg();
        check_group_member(&GroupJoin {
            mode: TransMode::from_raw(jetty.trans_mode)?,
            jfr_mode: receiver.mode,
            jetty_token: jetty.token_value.token,
            jfr_token: jfr.token(),
            group_token: cfg.token_value.token,
            jfr_policy: token_policy,
            group_policy: crate::flags::token_policy(cfg.flag.word()),
            // There is a place: this one.
            members: 0,
            capacity: 1,
        })
    }

    /// Gives the place to a jetty, as long as it lives.
    pub(crate) fn keep(self, jetty: &Obj<Jetty>) {
        self.0.join(jetty);
        core::mem::forget(self);
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        self.0.uses().release();
    }
}
