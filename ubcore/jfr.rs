// SPDX-License-Identifier: GPL-2.0

//! Creation of receive queues.

use crate::{
    bindings_ub::ubcore_jfr_cfg,
    c_api::{
        kinds::Jfr,
        JfrRequest,
        Owned,
        User, //
    },
    device::Device,
    flags::{
        token_policy,
        OrderFlag, //
    },
    logic::{
        types::{
            OrderType,
            TransMode, //
        },
        validate::{
            check_jfr,
            check_jfr_size,
            Checked,
            JettyRecv,
            RecvParams,
            Sizes, //
        }, //
    },
    queue::{
        self,
        Hold, //
    },
    ub::common::FlagWord,
};
use kernel::prelude::*;

/// Creates a receive queue.
///
/// # Errors
///
/// `EINVAL` for a configuration that the device does not have, or a foreign completion queue; `EBUSY`
/// for one that is being deleted; `EIO` once removal has begun; the driver's.
pub(crate) fn create(
    dev: &Device,
    mut request: JfrRequest<'_>,
    user: User<'_>,
) -> Result<Owned<Jfr>> {
    dev.check_creating()?;
    let jfc = Hold::new(request.jfc, dev, user)?;
    let eid = dev.local_eid(request.cfg.eid_index, user)?;
    let checked = check_jfr(&params(&request.cfg), dev.caps())?;
    check_jfr_size(request.cfg.depth, request.cfg.max_sge, dev.caps())?;
    request.cfg.flag.set_order(checked.order);
    let requested = sizes(&request.cfg);
    let jfr = dev.driver_create_jfr(&mut request.cfg, user)?;
    let granted = jfr.granted();
    jfr.init(&request, eid);
    let jfr = queue::complete(dev, jfr, &granted, &requested)?;
    jfc.keep();
    Ok(jfr)
}

/// Returns the sizes in a configuration.
pub(crate) fn sizes(cfg: &ubcore_jfr_cfg) -> Sizes {
    Sizes {
        depth: cfg.depth,
        sge: cfg.max_sge.into(),
        ..Sizes::default()
    }
}

/// Returns what is to be checked of a configuration.
fn params(cfg: &ubcore_jfr_cfg) -> RecvParams {
    RecvParams {
        trans_mode: cfg.trans_mode,
        order_type: cfg.flag.order(),
        min_rnr_timer: cfg.min_rnr_timer,
        token_policy: token_policy(cfg.flag.word()),
    }
}

/// Returns what a jetty must fit that is to receive from a queue with this configuration.
pub(crate) fn as_receiver(cfg: &ubcore_jfr_cfg) -> Result<JettyRecv> {
    let mode = TransMode::from_raw(cfg.trans_mode)?;
    Ok(JettyRecv::Shared {
        jfr: Checked {
            mode,
            order: OrderType::resolve(cfg.flag.order(), mode)?,
        },
        min_rnr_timer: cfg.min_rnr_timer,
        token_policy: token_policy(cfg.flag.word()),
    })
}
