// SPDX-License-Identifier: GPL-2.0

//! Jetty groups: messages to a group go to one of its members.
//!
//! A group knows its members by number, and looks them up when a message comes: so neither holds
//! the other, but for a member that keeps its group.

use crate::{
    counters::{
        Count,
        Kind as CountKind, //
    },
    device::Dev,
    host::CtxId,
    kernel_ext::arc::Arc,
    logic::{
        group::GroupPolicy,
        validate::MAX_GROUP_CAPACITY, //
    },
    ub::driver::{
        self,
        JettyGroupCfg,
        User, //
    },
    Soft, //
};
use kernel::{
    new_spinlock,
    prelude::*,
    sync::SpinLock, //
};

/// A jetty group as ubcore knows it.
pub(crate) type JettyGroup = driver::JettyGroup<Soft>;

/// Most members.
pub(crate) const MAX_MEMBERS: usize = MAX_GROUP_CAPACITY as usize;

/// Numbers of members, in the order in which they are tried for a message.
pub(crate) struct Candidates {
    ids: [u32; MAX_MEMBERS],
    count: usize,
    first: usize,
}

impl Candidates {
    /// Goes through the numbers.
    pub(crate) fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        let (before, from) = self
            .ids
            .get(..self.count)
            .and_then(|ids| ids.split_at_checked(self.first))
            .unwrap_or_default();
        Iterator::chain(from.iter(), before).copied()
    }
}

/// The members, and whose turn it is.
struct Members {
    /// Numbers of the members, in the order in which they came.
    ids: [u32; MAX_MEMBERS],
    count: usize,
    /// Messages so far.
    turn: u32,
}

/// Data of a jetty group.
#[pin_data]
pub(crate) struct Group {
    dev: Arc<Dev>,
    owner: CtxId,
    id: u32,
    policy: GroupPolicy,
    /// Innermost; nothing is looked up under it.
    #[pin]
    members: SpinLock<Members>,
    count: Count,
}

impl Group {
    /// Returns whose group it is.
    pub(crate) fn owner(&self) -> CtxId {
        self.owner
    }

    /// Tells whether a member that has no receive buffer may be passed over.
    pub(crate) fn may_pass_over(&self) -> bool {
        self.policy == GroupPolicy::RoundRobin
    }

    /// Returns who is to be tried for a message with a hint.
    pub(crate) fn candidates(&self, hint: u32) -> Candidates {
        let mut members = self.members.lock();
        let turn = members.turn;
        members.turn = turn.wrapping_add(1);
        // CAST: At most 32.
        let first = self.policy.first(turn, hint, members.count as u32);
        Candidates {
            ids: members.ids,
            count: members.count,
            first: first as usize,
        }
    }

    /// Takes a jetty in.
    ///
    /// # Errors
    ///
    /// `ENOSPC` when the group is full, which ubcore does not let happen.
    pub(crate) fn join(&self, id: u32) -> Result {
        let mut members = self.members.lock();
        let count = members.count;
        *members.ids.get_mut(count).ok_or(ENOSPC)? = id;
        members.count = count.wrapping_add(1);
        Ok(())
    }

    /// Lets a jetty go: messages that come from now on do not find it.
    pub(crate) fn leave(&self, id: u32) {
        let mut members = self.members.lock();
        let count = members.count;
        let place = members
            .ids
            .iter()
            .take(count)
            .position(|member| *member == id);
        if let Some(place) = place {
            if let Some(rest) = members.ids.get_mut(place..count) {
                rest.rotate_left(1);
                members.count = count.wrapping_sub(1);
            }
        }
    }

    /// Returns the numbers of the members.
    fn ids(&self) -> Candidates {
        let members = self.members.lock();
        Candidates {
            ids: members.ids,
            count: members.count,
            first: 0,
        }
    }
}

/// Notes that a member went to the error state: if none is left that receives, the group has failed
/// too, and its owner is told. No locks are held.
#[cold]
pub(crate) fn member_failed(group: &JettyGroup) {
    let receives = |id: u32| {
        group
            .dev
            .jettys
            .get(id)
            .is_some_and(|jetty| !jetty.is_closed())
    };
    if !group.ids().iter().any(receives) {
        group.raise_error();
    }
}

/// Creates a jetty group.
///
/// # Errors
///
/// `EEXIST` for a number that is taken, `EINVAL` for one that is too large or an unknown policy,
/// `ENOSPC`, `ENOMEM`.
pub(crate) fn create(
    dev: &Arc<Dev>,
    cfg: JettyGroupCfg,
    user: Option<User<'_, Soft>>,
) -> Result<Arc<JettyGroup>> {
    let policy = GroupPolicy::from_raw(cfg.policy)?;
    let owner = user.map_or(CtxId::KERNEL, |user| user.uctx.id());
    let reservation = dev.reserve_id(&dev.groups, cfg.id)?;
    let id = reservation.id();
    let data = try_pin_init!(Group {
        dev: dev.clone(),
        owner,
        id,
        policy,
        members <- new_spinlock!(
            Members {
                ids: [0; MAX_MEMBERS],
                count: 0,
                turn: 0,
            },
            "Group::members"
        ),
        count: Count::one(&dev.host.counters, CountKind::Groups),
    });
    let group = JettyGroup::new_jetty_group(cfg, id, data)?;
    reservation.publish(group.clone());
    Ok(group)
}

/// Destroys a jetty group that has no members: messages do not find it any more.
pub(crate) fn destroy(group: &JettyGroup) {
    group.dev.groups.withdraw(group.id);
    group.count.release();
}
