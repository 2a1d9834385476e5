// SPDX-License-Identifier: GPL-2.0

//! Creation of send queues.

use crate::{
    bindings_ub::ubcore_jfs_cfg,
    c_api::{
        kinds::Jfs,
        JfsRequest,
        Owned,
        User, //
    },
    device::Device,
    flags::OrderFlag,
    logic::validate::{
        check_jfs,
        SendParams,
        Sizes, //
    },
    queue::{
        self,
        Hold, //
    },
};
use kernel::prelude::*;

/// Creates a send queue.
///
/// # Errors
///
/// `EINVAL` for a configuration that the device does not have, or a foreign completion queue; `EBUSY`
/// for one that is being deleted; `EIO` once removal has begun; the driver's.
pub(crate) fn create(
    dev: &Device,
    mut request: JfsRequest<'_>,
    user: User<'_>,
) -> Result<Owned<Jfs>> {
    dev.check_creating()?;
    let jfc = Hold::new(request.jfc, dev, user)?;
    let eid = dev.local_eid(request.cfg.eid_index, user)?;
    let checked = check_jfs(&params(&request.cfg), dev.caps())?;
    request.cfg.flag.set_order(checked.order);
    let requested = sizes(&request.cfg);
    let jfs = dev.driver_create_jfs(&mut request.cfg, user)?;
    let granted = jfs.granted();
    jfs.init(&request, eid);
    let jfs = queue::complete(dev, jfs, &granted, &requested)?;
    jfc.keep();
    Ok(jfs)
}

/// Returns the sizes in a configuration.
pub(crate) fn sizes(cfg: &ubcore_jfs_cfg) -> Sizes {
    Sizes {
        depth: cfg.depth,
        sge: cfg.max_sge.into(),
        rsge: cfg.max_rsge.into(),
        inline: cfg.max_inline_data,
    }
}

/// Returns what is to be checked of a configuration.
fn params(cfg: &ubcore_jfs_cfg) -> SendParams {
    SendParams {
        trans_mode: cfg.trans_mode,
        order_type: cfg.flag.order(),
        depth: cfg.depth,
        max_inline: cfg.max_inline_data,
        max_sge: cfg.max_sge,
        max_rsge: cfg.max_rsge,
        priority: cfg.priority,
        rnr_retry: cfg.rnr_retry,
        err_timeout: cfg.err_timeout,
    }
}
