// SPDX-License-Identifier: GPL-2.0

//! Targets of work requests, and the seam between the engine and what carries a request out.
//!
//! The engine turns an entry of a send queue into a [`Job`] and hands it to a [`Peer`]. The peer on
//! this host is [`crate::local::LocalPeer`]; one on another host would be a second implementation.

use crate::{
    counters::{
        Count,
        Kind as CountKind, //
    },
    device::Dev,
    host::CtxId,
    kernel_ext::{
        arc::{
            Arc,
            ArcBorrow, //
        },
        hot::HotWord, //
    },
    local::LocalPeer,
    logic::{
        cqe::CrStatus,
        eid::Eid,
        tp::TpHandle,
        types::TransMode,
        wr::{
            Local,
            Request,
            TargetRef, //
        }, //
    },
    queue::full,
    ring::abi::ImportResp,
    sq::Sq,
    ub::driver::{
        self,
        ActiveTp,
        TargetCfg,
        TargetKind,
        User, //
    },
    Soft, //
};
use kernel::{
    prelude::*,
    sync::{
        atomic::{
            Atomic,
            Relaxed, //
        },
        rcu, //
    },
    time::Delta, //
};

/// An import as ubcore knows it.
pub(crate) type TargetObject = driver::Target<Soft>;

/// Largest reference to an import.
pub(crate) const MAX_REF: u32 = TargetRef::MAX_INDEX;

/// Number of a transport path that is not there yet.
const NO_PATH: u32 = u32::MAX;

/// What a work request has to know of its target. Peers are named and found at use: there is no
/// pointer to what another process may destroy.
#[derive(Clone, Copy)]
pub(crate) struct Target {
    /// EID of its entity.
    pub(crate) eid: Eid,
    /// Its number there.
    pub(crate) id: u32,
    /// What it is.
    pub(crate) kind: TargetKind,
    /// Service.
    pub(crate) mode: TransMode,
    /// Token to show; never logged.
    pub(crate) token: u32,
    /// Number of the transport path, 0 for none.
    pub(crate) tpn: u32,
    /// Where `eid` was found last on this host: a node id; 0 for nowhere.
    pub(crate) node: u32,
}

impl Target {
    /// Returns the target as reached over a transport path.
    pub(crate) fn over(self, tp: &ActiveTp) -> Self {
        Self {
            tpn: TpHandle::from_raw(tp.handle).tpn_start(),
            ..self
        }
    }
}

/// Data of an import.
#[pin_data]
pub(crate) struct Import {
    dev: Arc<Dev>,
    owner: CtxId,
    reference: u32,
    target: Target,
    /// Replaces `target.node`.
    node: Atomic<u32>,
    /// Replaces `target.tpn`; [`NO_PATH`] as long as nothing can be sent.
    tpn: Atomic<u32>,
    count: Count,
}

impl Import {
    /// Returns the target.
    #[inline(always)]
    pub(crate) fn target(&self) -> Target {
        Target {
            node: self.node.hot_load(),
            tpn: self.tpn.hot_load(),
            ..self.target
        }
    }

    /// Returns the target as it was imported, where it is and the number of its path; `None` if
    /// nothing can be sent to it yet.
    #[inline(always)]
    pub(crate) fn parts(&self) -> Option<(&Target, u32, u32)> {
        let tpn = self.tpn.hot_load();
        (tpn != NO_PATH).then(|| (&self.target, self.node.hot_load(), tpn))
    }

    /// Returns the name by which work requests of its owner know it.
    pub(crate) fn reference(&self) -> u32 {
        self.reference
    }

    /// Returns whose it is.
    #[inline]
    pub(crate) fn owner(&self) -> CtxId {
        self.owner
    }

    /// Lets work requests go over a transport path.
    pub(crate) fn connect(&self, tp: &ActiveTp) {
        self.tpn
            .store(TpHandle::from_raw(tp.handle).tpn_start(), Relaxed);
    }
}

/// Imports a jetty, a JFR or a group of jettys for a user.
pub(crate) fn import(
    dev: ArcBorrow<'_, Dev>,
    cfg: TargetCfg,
    tp: &ActiveTp,
    user: Option<User<'_, Soft>>,
) -> Result<Arc<TargetObject>> {
    let eid = Eid::from_bytes(cfg.eid);
    let target = Target {
        eid,
        id: cfg.id,
        kind: cfg.kind,
        mode: TransMode::from_raw(cfg.trans_mode)?,
        token: cfg.token,
        tpn: TpHandle::from_raw(tp.handle).tpn_start(),
        node: dev.host.find(&eid).map_or(0, |peer| peer.node),
    };
    // A connection gets its path when it is bound; other imports without one will be told of it.
    let tpn = if tp.handle == 0 && target.mode != TransMode::Rc {
        NO_PATH
    } else {
        target.tpn
    };
    let reservation = dev.targets.reserve().map_err(full)?;
    let reference = reservation.id();
    let owner = match user {
        None => CtxId::KERNEL,
        Some(user) => {
            user.udata.write(&ImportResp {
                target_ref: reference,
                reserved: [0; 3],
            })?;
            user.uctx.id()
        }
    };
    let object = TargetObject::new_target(
        &cfg,
        try_pin_init!(Import {
            count: Count::one(&dev.host.counters, CountKind::Targets),
            dev: dev.into(),
            owner,
            reference,
            target,
            node: Atomic::new(target.node),
            tpn: Atomic::new(tpn),
        }),
    )?;
    reservation.publish(object.clone());
    Ok(object)
}

/// Gives up an import: new work requests do not find it.
pub(crate) fn unimport(object: &TargetObject) {
    object.dev.targets.withdraw(object.reference);
    object.count.release();
}

/// A work request that is to be carried out.
pub(crate) struct Job<'a> {
    /// Its queue.
    pub(crate) sq: &'a Sq,
    /// The request.
    pub(crate) request: &'a Request,
    /// Its local data.
    pub(crate) local: Local<'a>,
    /// Its target.
    pub(crate) target: &'a Target,
}

/// How a work request ended, or not yet.
pub(crate) enum Outcome {
    /// It is over, with this status and so many bytes moved.
    Done(CrStatus, u32),
    /// The target had no receive buffer; nothing has been done, and it may be tried again after
    /// this time.
    NotReady(Delta),
}

impl From<CrStatus> for Outcome {
    fn from(status: CrStatus) -> Self {
        Self::Done(status, 0)
    }
}

/// What carries work requests out.
pub(crate) trait Peer {
    /// Carries one out, completely or not at all unless it fails.
    fn execute(&self, job: &Job<'_>) -> Outcome;
}

/// Finds the target that a work request names among the imports of its context.
///
/// # Errors
///
/// `LocOperation` for a name that the context has not given, and for a target that has no transport
/// path yet.
#[inline]
pub(crate) fn look_up(dev: &Dev, owner: CtxId, name: TargetRef) -> Result<Target, CrStatus> {
    let guard = rcu::read_lock();
    match dev.targets.get_rcu(&guard, name.raw()) {
        Some(import) if import.owner == owner => {
            let (target, node, tpn) = import.parts().ok_or(CrStatus::LocOperation)?;
            Ok(Target {
                node,
                tpn,
                ..*target
            })
        }
        _ => Err(CrStatus::LocOperation),
    }
}

/// Finds the peer of a target and has it carry a work request out.
#[inline(always)]
pub(crate) fn execute(job: &Job<'_>) -> Outcome {
    let dev = &job.sq.dev;
    if job.target.node == dev.node {
        return LocalPeer::new(dev).execute(job);
    }
    let cached = dev.host.nodes.get(job.target.node);
    let peer = match cached.filter(|peer| peer.has_eid(job.target.eid.as_bytes())) {
        Some(peer) => peer,
        None => match find_again(job) {
            Some(peer) => peer,
            // Nobody answers.
            None => return CrStatus::AckTimeout.into(),
        },
    };
    if peer.node != dev.node && (dev.is_port_down() || peer.is_port_down()) {
        // Nor does anybody hear.
        return CrStatus::AckTimeout.into();
    }
    LocalPeer::new(&peer).execute(job)
}

/// Looks for the device of a target that was not where it used to be.
#[cold]
fn find_again(job: &Job<'_>) -> Option<Arc<Dev>> {
    let dev = &job.sq.dev;
    let peer = dev.host.find(&job.target.eid)?;
    if let crate::logic::wr::Target::Imported(name) = job.request.target {
        if let Some(import) = dev.targets.get(name.raw()) {
            import.node.store(peer.node, Relaxed);
        }
    }
    Some(peer)
}
