// SPDX-License-Identifier: GPL-2.0

//! Creation of receive queues.

use crate::{
    bindings_ub::ubcore_jfr_cfg,
    c_api::{
        kinds::Jfr,
        JfrRequest,
        Owned,
        Parents,
        User, //
    },
    device::Device,
    flags::{
        token_policy,
        OrderFlag, //
    },
    logic::{
        eid::Eid,
        types::{
            OrderType,
            TransMode, //
        },
        validate::{
            check_jfr,
            check_jfr_size,
            Checked as CheckedQueue,
            JettyRecv,
            RecvParams,
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
    let jfc = Hold::new(request.jfc, dev, user)?.active()?;
    let eid = Jfr::check(dev, &mut request.cfg, &Parents::default(), user)?;
    let requested = Jfr::sizes(&request.cfg);
    let jfr = dev.driver_create_jfr(&mut request.cfg, user)?;
    jfr.init_granted(request, eid);
    let granted = Jfr::sizes(&jfr.copy_cfg());
    let jfr = queue::complete(dev, jfr, &granted, &requested)?;
    jfc.keep();
    Ok(jfr)
}

/// Allocates a receive queue; its configuration is checked when it is activated.
///
/// # Errors
///
/// `EINVAL` for a foreign completion queue, `EBUSY` for one that is being changed; `EIO` once removal
/// has begun; the driver's.
pub(crate) fn alloc(
    dev: &Device,
    mut request: JfrRequest<'_>,
    user: User<'_>,
) -> Result<Owned<Jfr>> {
    dev.check_creating()?;
    let jfc = Hold::new(request.jfc, dev, user)?;
    let jfr = dev.driver_alloc::<Jfr>(&mut request.cfg, user)?;
    jfr.init(request);
    jfc.keep();
    Ok(stage::allocated(jfr))
}

impl Checked for Jfr {
    fn check(
        dev: &Device,
        cfg: &mut ubcore_jfr_cfg,
        _parents: &Parents,
        user: User<'_>,
    ) -> Result<Eid> {
        let eid = dev.local_eid(cfg.eid_index, user)?;
        let checked = check_jfr(&params(cfg), dev.caps())?;
        check_jfr_size(cfg.depth, cfg.max_sge, dev.caps())?;
        cfg.flag.set_order(checked.order);
        Ok(eid)
    }

    fn sizes(cfg: &ubcore_jfr_cfg) -> [Sizes; 2] {
        let own = Sizes {
            depth: cfg.depth,
            sge: cfg.max_sge.into(),
            ..Sizes::default()
        };
        [own, Sizes::default()]
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
        jfr: CheckedQueue {
            mode,
            order: OrderType::resolve(cfg.flag.order(), mode)?,
        },
        min_rnr_timer: cfg.min_rnr_timer,
        token_policy: token_policy(cfg.flag.word()),
    })
}
