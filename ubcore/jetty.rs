// SPDX-License-Identifier: GPL-2.0

//! Creation of jettys.

use crate::{
    bindings_ub::ubcore_jetty_cfg,
    c_api::{
        kinds::Jetty,
        JettyRequest,
        Owned,
        User, //
    },
    device::Device,
    flags::{
        shares_jfr,
        OrderFlag, //
    },
    logic::validate::{
        check_actual,
        check_jetty,
        JettyRecv,
        SendParams,
        Sizes, //
    },
    queue::{
        self,
        Hold, //
    },
};
use kernel::prelude::*;

/// Creates a jetty.
///
/// # Errors
///
/// `EINVAL` for a configuration that the device does not have, a foreign queue, or a receive queue
/// of another mode or order; `EBUSY` for a queue that is being deleted; `EOPNOTSUPP` for a group;
/// `EIO` once removal has begun; the driver's.
pub(crate) fn create(
    dev: &Device,
    mut request: JettyRequest<'_>,
    user: User<'_>,
) -> Result<Owned<Jetty>> {
    dev.check_creating()?;
    if request.wants_group() {
        return Err(EOPNOTSUPP);
    }
    let send_jfc = Hold::new(request.send_jfc, dev, user)?;
    let recv_jfc = Hold::new(request.recv_jfc, dev, user)?;
    let jfr = if shares_jfr(&request.cfg.flag) {
        Some(Hold::new(request.jfr, dev, user)?)
    } else {
        None
    };
    let eid = dev.local_eid(request.cfg.eid_index, user)?;
    let recv = match &jfr {
        Some(jfr) => jfr.get().as_receiver()?,
        None => JettyRecv::Own {
            depth: request.cfg.jfr_depth,
            max_sge: request.cfg.max_recv_sge,
            min_rnr_timer: request.cfg.min_rnr_timer,
        },
    };
    let checked = check_jetty(&params(&request.cfg), &recv, dev.c().is_ub(), dev.caps())?;
    request.cfg.flag.set_order(checked.order);
    let requested = sizes(&request.cfg);
    let requested_recv = recv_sizes(&request.cfg);
    let jetty = dev.driver_create_jetty(&mut request.cfg, user)?;
    let granted = sizes(jetty.cfg());
    let granted_recv = recv_sizes(jetty.cfg());
    jetty.init(&request, eid);
    if jfr.is_none() {
        if let Err(error) = check_actual(&granted_recv, &requested_recv) {
            jetty.discard();
            return Err(error);
        }
    }
    let jetty = queue::complete(dev, jetty, &granted, &requested)?;
    send_jfc.keep();
    recv_jfc.keep();
    if let Some(jfr) = jfr {
        jfr.keep();
    }
    Ok(jetty)
}

/// Returns the sizes of the send side in a configuration.
fn sizes(cfg: &ubcore_jetty_cfg) -> Sizes {
    Sizes {
        depth: cfg.jfs_depth,
        sge: cfg.max_send_sge.into(),
        rsge: cfg.max_send_rsge.into(),
        inline: cfg.max_inline_data,
    }
}

/// Returns the sizes of a receive side of its own in a configuration.
fn recv_sizes(cfg: &ubcore_jetty_cfg) -> Sizes {
    Sizes {
        depth: cfg.jfr_depth,
        sge: cfg.max_recv_sge.into(),
        ..Sizes::default()
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
