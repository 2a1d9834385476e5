// SPDX-License-Identifier: GPL-2.0

//! Creation of jettys.

use crate::{
    bindings_ub::ubcore_jetty_cfg,
    c_api::{
        kinds::{
            Jetty,
            Jfc,
            Jfr, //
        },
        JettyRequest,
        Obj,
        Owned,
        Parents,
        User, //
    },
    device::Device,
    flags::{
        shares_jfr,
        OrderFlag, //
    },
    group::Place,
    logic::{
        eid::Eid,
        validate::{
            check_jetty,
            JettyRecv,
            SendParams,
            Sizes, //
        }, //
    },
    queue::{
        self,
        Hold, //
    },
    stage::{
        self,
        Checked, //
    },
};
use kernel::prelude::*;

/// Creates a jetty.
///
/// # Errors
///
/// `EINVAL` for a configuration that the device does not have, a foreign queue, or a receive queue
/// of another mode or order, or a group that does not go with it; `EBUSY` for a queue or group that is
/// being deleted; `EPERM` for a full group; `EIO` once removal has begun; the driver's.
pub(crate) fn create(
    dev: &Device,
    mut request: JettyRequest<'_>,
    user: User<'_>,
) -> Result<Owned<Jetty>> {
    dev.check_creating()?;
    let holds = Holds::new(&request, dev, user)?.active()?;
    let eid = check(dev, &mut request.cfg, holds.jfr(), user)?;
    let place = match request.group {
        Some(group) => {
            let place = Place::new(group, dev, user)?;
            place.check(&request.cfg, holds.jfr().ok_or(EINVAL)?)?;
            Some(place)
        }
        None => None,
    };
    let requested = Jetty::sizes(&request.cfg);
    let jetty = dev.driver_create_jetty(&mut request.cfg, user)?;
    jetty.init_granted(request, eid);
    let granted = Jetty::sizes(jetty.cfg());
    let jetty = queue::complete(dev, jetty, &granted, &requested)?;
    if let Some(place) = place {
        place.keep(&jetty);
    }
    holds.keep();
    Ok(jetty)
}

/// Allocates a jetty; its configuration is checked when it is activated.
///
/// # Errors
///
/// `EINVAL` for a foreign queue, `EBUSY` for one that is being changed; `EOPNOTSUPP` for a group;
/// `EIO` once removal has begun; the driver's.
pub(crate) fn alloc(
    dev: &Device,
    mut request: JettyRequest<'_>,
    user: User<'_>,
) -> Result<Owned<Jetty>> {
    dev.check_creating()?;
    if request.wants_group() {
        return Err(EOPNOTSUPP);
    }
    let holds = Holds::new(&request, dev, user)?;
    let jetty = dev.driver_alloc::<Jetty>(&mut request.cfg, user)?;
    jetty.init(request);
    holds.keep();
    Ok(stage::allocated(jetty))
}

/// The uses of what a jetty is built on.
struct Holds<'a> {
    jfcs: [Hold<'a, Jfc>; 2],
    jfr: Option<Hold<'a, Jfr>>,
}

impl<'a> Holds<'a> {
    /// Begins to use what a request names.
    fn new(request: &JettyRequest<'a>, dev: &Device, user: User<'_>) -> Result<Self> {
        let jfcs = [
            Hold::new(request.send_jfc, dev, user)?,
            Hold::new(request.recv_jfc, dev, user)?,
        ];
        let jfr = if shares_jfr(&request.cfg.flag) {
            Some(Hold::new(request.jfr, dev, user)?)
        } else {
            None
        };
        Ok(Self { jfcs, jfr })
    }

    /// Refuses what is not at work.
    fn active(self) -> Result<Self> {
        let [send, recv] = self.jfcs;
        Ok(Self {
            jfcs: [send.active()?, recv.active()?],
            jfr: self.jfr.map(Hold::active).transpose()?,
        })
    }

    /// Returns the receive queue.
    fn jfr(&self) -> Option<&Obj<Jfr>> {
        self.jfr.as_ref().map(Hold::get)
    }

    /// Lets the uses last as long as the jetty.
    fn keep(self) {
        let [send, recv] = self.jfcs;
        send.keep();
        recv.keep();
        if let Some(jfr) = self.jfr {
            jfr.keep();
        }
    }
}

/// Checks a configuration and completes it; returns the EID that the jetty will have.
fn check(
    dev: &Device,
    cfg: &mut ubcore_jetty_cfg,
    jfr: Option<&Obj<Jfr>>,
    user: User<'_>,
) -> Result<Eid> {
    let eid = dev.local_eid(cfg.eid_index, user)?;
    let recv = match jfr {
        Some(jfr) => jfr.as_receiver()?,
        None => JettyRecv::Own {
            depth: cfg.jfr_depth,
            max_sge: cfg.max_recv_sge,
            min_rnr_timer: cfg.min_rnr_timer,
        },
    };
    let checked = check_jetty(&params(cfg), &recv, dev.c().is_ub(), dev.caps())?;
    cfg.flag.set_order(checked.order);
    Ok(eid)
}

impl Checked for Jetty {
    fn check(
        dev: &Device,
        cfg: &mut ubcore_jetty_cfg,
        parents: &Parents,
        user: User<'_>,
    ) -> Result<Eid> {
        check(dev, cfg, parents.jfr(), user)
    }

    fn sizes(cfg: &ubcore_jetty_cfg) -> [Sizes; 2] {
        let send = Sizes {
            depth: cfg.jfs_depth,
            sge: cfg.max_send_sge.into(),
            rsge: cfg.max_send_rsge.into(),
            inline: cfg.max_inline_data,
        };
        if shares_jfr(&cfg.flag) {
            return [send, Sizes::default()];
        }
        let recv = Sizes {
            depth: cfg.jfr_depth,
            sge: cfg.max_recv_sge.into(),
            ..Sizes::default()
        };
        [send, recv]
    }
}

/// Returns what is to be checked of the send side in a configuration.
fn params(cfg: &ubcore_jetty_cfg) -> SendParams {
    SendParams {
        trans_mode: cfg.trans_mode,
        order_type: cfg.flag.order(),
        depth: cfg.jfs_depth,
        max_inline: cfg.max_inline_data,
        max_sge: cfg.max_send_sge,
        max_rsge: cfg.max_send_rsge,
        priority: cfg.priority,
        rnr_retry: cfg.rnr_retry,
        err_timeout: cfg.err_timeout,
    }
}
