// SPDX-License-Identifier: GPL-2.0

//! Send queues and jettys as ubcore knows them.

use crate::{
    counters::{
        Count,
        Kind as CountKind, //
    },
    device::Dev,
    group::{
        self,
        JettyGroup, //
    },
    jfc::Jfc,
    jfr::Jfr,
    kernel_ext::{
        arc::Arc,
        hot::{
            HotWord, //
        },
        use_wait::UseCount, //
    },
    logic::{
        eid::Eid,
        jetty_state::JettyState,
        types::TransMode, //
    },
    poll,
    post,
    queue::Request,
    rnr::SqName,
    sq::{
        Sq,
        SqArc,
        SqParts, //
    },
    target::Target,
    ub::driver::{
        self,
        JettyAttr,
        JettyCfg,
        JettyEvent,
        JfsCfg, //
    },
    Soft, //
};
use kernel::{
    new_spinlock,
    prelude::*,
    sync::{
        atomic::{
            Atomic,
            Relaxed, //
        },
        SpinLock, //
    }, //
};

/// A send queue as ubcore knows it.
pub(crate) type Jfs = driver::Jfs<Soft>;
/// A jetty as ubcore knows it.
pub(crate) type Jetty = driver::Jetty<Soft>;

/// Data of a JFS.
#[pin_data]
pub(crate) struct JfsData {
    sq: SqArc,
}

impl JfsData {
    /// Returns the send queue.
    #[inline]
    pub(crate) fn sq(&self) -> &SqArc {
        &self.sq
    }
}

/// Data of a jetty: a send queue, and a name under which a JFR receives.
#[pin_data]
pub(crate) struct JettyData {
    sq: SqArc,
    jfr: Arc<Jfr>,
    /// Where completions of the receive side go.
    recv_jfc: Arc<Jfc>,
    /// Messages under way to this jetty.
    #[pin]
    users: UseCount,
    /// Not 0 if it receives no more: in the error state, or being destroyed.
    closed: Atomic<u32>,
    /// In the error state: what a kernel client posts to receive is flushed.
    failed: Atomic<bool>,
    /// What a connected jetty is bound to: EID and number.
    #[pin]
    peer: SpinLock<Option<(Eid, u32)>>,
    /// An event is due, once, when fewer buffers than this are left; 0 for none. Belongs to who
    /// holds the lock of the JFR.
    limit: Atomic<u32>,
    /// The group it is a member of.
    group: Option<Arc<JettyGroup>>,
}

impl JettyData {
    /// Returns the send queue.
    #[inline]
    pub(crate) fn sq(&self) -> &SqArc {
        &self.sq
    }

    /// Returns the receive queue.
    #[inline]
    pub(crate) fn jfr(&self) -> &Arc<Jfr> {
        &self.jfr
    }

    /// Returns where completions of the receive side go.
    #[inline]
    pub(crate) fn recv_jfc(&self) -> &Jfc {
        &self.recv_jfc
    }

    /// Returns the count of messages under way.
    #[inline]
    pub(crate) fn users(&self) -> &UseCount {
        &self.users
    }

    /// Returns its number.
    #[inline]
    pub(crate) fn id(&self) -> u32 {
        self.sq.name.id
    }

    /// Returns the user's word for it.
    #[inline]
    pub(crate) fn user_obj(&self) -> u64 {
        self.sq.user_obj
    }

    /// Returns the group.
    pub(crate) fn group(&self) -> Option<&JettyGroup> {
        self.group.as_deref()
    }

    /// Tells whether the jetty receives no more.
    #[inline]
    pub(crate) fn is_closed(&self) -> bool {
        self.closed.hot_load() != 0
    }

    /// Tells whether what a kernel client posts to receive is to be flushed.
    pub(crate) fn has_failed(&self) -> bool {
        self.failed.load(Relaxed)
    }

    /// Tells whether an event is due because a message to the jetty took a buffer and `remaining` are
    /// left; if so, the limit is used up. For who holds the lock of the JFR.
    #[inline(always)]
    pub(crate) fn is_below_limit(&self, remaining: u32) -> bool {
        let is_below = remaining < self.limit.hot_load();
        if is_below {
            self.limit.hot_store(0);
        }
        is_below
    }

    /// Takes over the state that the send queue has entered, under whose lock this runs.
    fn entered(&self, state: JettyState) {
        self.closed.hot_store(u32::from(state != JettyState::Ready));
        self.failed.store(state == JettyState::Error, Relaxed);
    }

    /// Receives no more.
    pub(crate) fn close(&self) {
        self.closed.hot_store(1);
    }

    /// Tells whether the jetty receives from a sender: not in the error state, and not if it is bound
    /// to another one.
    #[inline]
    pub(crate) fn accepts(&self, sender: &Sq) -> bool {
        if self.is_closed() {
            return false;
        }
        self.sq.limits.mode != TransMode::Rc
            || self
                .peer
                .lock()
                .is_none_or(|(eid, id)| eid == sender.eid && id == sender.name.id)
    }
}

/// Tells the owner that few buffers are left.
#[cold]
pub(crate) fn raise_limit(jetty: &Jetty) {
    jetty.raise(JettyEvent::Limit);
}

/// Creates a send queue.
///
/// # Errors
///
/// `EOPNOTSUPP` for a connected one, which nothing could bind, `EEXIST` for a number that is taken;
/// those of [`Sq::new`].
pub(crate) fn create_jfs(
    dev: &Arc<Dev>,
    cfg: JfsCfg<Soft>,
    mut request: Request<'_>,
) -> Result<Arc<Jfs>> {
    if cfg.send.trans_mode == TransMode::Rc.raw() {
        return Err(EOPNOTSUPP);
    }
    if cfg.jfc.owner() != request.owner {
        return Err(EINVAL);
    }
    let reservation = dev.reserve_id(&dev.jfss, cfg.id)?;
    let id = reservation.id();
    let parts = SqParts {
        send: cfg.send,
        name: SqName {
            node: dev.node,
            is_jetty: false,
            id,
        },
        jfc: cfg.jfc.clone(),
        poll: request.poll.take(),
        request: &request,
        count: Count::one(&dev.host.counters, CountKind::Jfs),
    };
    let (sq, grant, pending) = Sq::new(dev, parts)?;
    let jfs = Jfs::new_jfs(cfg, id, grant, try_pin_init!(JfsData { sq }))?;
    pending.publish();
    reservation.publish(jfs.clone());
    Sq::begin_polling(jfs.sq());
    Ok(jfs)
}

/// Destroys a send queue: when this returns, it does not run.
pub(crate) fn destroy_jfs(jfs: &Jfs) {
    jfs.sq.dev.jfss.withdraw(jfs.sq.name.id);
    jfs.sq.shut();
    if jfs.sq.jfc.kernel {
        poll::discard(&jfs.sq.jfc);
    }
}

/// Creates a jetty.
///
/// # Errors
///
/// `EINVAL` for objects of another context or a JFR of another service, `EEXIST` for a number that
/// is taken; those of [`Sq::new`].
pub(crate) fn create_jetty(
    dev: &Arc<Dev>,
    cfg: JettyCfg<Soft>,
    mut request: Request<'_>,
) -> Result<Arc<Jetty>> {
    let owner = request.owner;
    if cfg.send_jfc.owner() != owner || cfg.recv_jfc.owner() != owner || cfg.jfr.owner() != owner {
        return Err(EINVAL);
    }
    if cfg.jfr.mode().raw() != cfg.send.trans_mode {
        return Err(EINVAL);
    }
    if cfg
        .group
        .as_ref()
        .is_some_and(|group| group.owner() != owner)
    {
        return Err(EINVAL);
    }
    let reservation = dev.reserve_id(&dev.jettys, cfg.id)?;
    let id = reservation.id();
    let parts = SqParts {
        send: cfg.send,
        name: SqName {
            node: dev.node,
            is_jetty: true,
            id,
        },
        jfc: cfg.send_jfc.clone(),
        poll: request.poll.take(),
        request: &request,
        count: Count::one(&dev.host.counters, CountKind::Jetty),
    };
    let (sq, grant, pending) = Sq::new(dev, parts)?;
    let (jfr, recv_jfc, group) = (cfg.jfr.clone(), cfg.recv_jfc.clone(), cfg.group.clone());
    let data = try_pin_init!(JettyData {
        sq,
        jfr,
        recv_jfc,
        users <- UseCount::new(),
        closed: Atomic::new(0),
        failed: Atomic::new(false),
        peer <- new_spinlock!(None, "JettyData::peer"),
        limit: Atomic::new(0),
        group,
    });
    let jetty = Jetty::new_jetty(cfg, id, grant, data)?;
    if let Some(group) = &jetty.group {
        // Nobody finds the number yet.
        group.join(id)?;
    }
    pending.publish();
    reservation.publish(jetty.clone());
    Sq::begin_polling(&jetty.sq);
    Ok(jetty)
}

/// Changes the state or the threshold of a jetty.
pub(crate) fn modify_jetty(jetty: &Jetty, attr: &JettyAttr) -> Result {
    Sq::modify(&jetty.sq, attr.state, |state| jetty.entered(state))?;
    if attr.state == Some(JettyState::Error.raw()) {
        post::flush(jetty);
    }
    if let Some(threshold) = attr.rx_threshold {
        // For the buffers that are taken from now on.
        let _locked = jetty.jfr.lock();
        jetty.limit.hot_store(threshold);
    }
    Ok(())
}

/// The jetty went to the error state by itself.
pub(crate) fn fail(jetty: &Jetty) {
    // Its owner may have brought it back already.
    if jetty.sq.if_failed(|| jetty.entered(JettyState::Error)) {
        post::flush(jetty);
    }
    jetty.raise(JettyEvent::Error);
    if let Some(group) = jetty.group() {
        group::member_failed(group);
    }
}

/// Returns the state and the threshold.
pub(crate) fn query_jetty(jetty: &Jetty) -> (u32, u32) {
    (jetty.sq.query(), jetty.limit.load(Relaxed))
}

/// Binds a connected jetty to a target.
pub(crate) fn bind(jetty: &Jetty, target: Target) -> Result {
    jetty.sq.bind(target)?;
    *jetty.peer.lock() = Some((target.eid, target.id));
    Ok(())
}

/// Undoes it.
pub(crate) fn unbind(jetty: &Jetty) {
    *jetty.peer.lock() = None;
    jetty.sq.unbind();
}

/// Destroys a jetty: when this returns, it does not run and no message is under way to it.
pub(crate) fn destroy_jetty(jetty: &Jetty) {
    if let Some(group) = &jetty.group {
        group.leave(jetty.sq.name.id);
    }
    jetty.sq.dev.jettys.withdraw(jetty.sq.name.id);
    jetty.closed.hot_store(1);
    jetty.users.revoke();
    jetty.sq.shut();
    if jetty.recv_jfc.kernel {
        poll::discard(&jetty.recv_jfc);
        poll::discard(&jetty.sq.jfc);
    }
}
