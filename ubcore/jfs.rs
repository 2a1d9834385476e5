// SPDX-License-Identifier: GPL-2.0

//! Creation of send queues.

use crate::{
    bindings_ub::ubcore_jfs_cfg,
    c_api::{
        kinds::Jfs,
        JfsRequest,
        Owned,
        Parents,
        User, //
    },
    device::Device,
    flags::OrderFlag,
    logic::{
        eid::Eid,
        validate::{
            check_jfs,
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
    let jfc = Hold::new(request.jfc, dev, user)?.active()?;
    let eid = Jfs::check(dev, &mut request.cfg, &Parents::default(), user)?;
    let requested = Jfs::sizes(&request.cfg);
    let jfs = dev.driver_create_jfs(&mut request.cfg, user)?;
    jfs.init_granted(request, eid);
    let granted = Jfs::sizes(&jfs.copy_cfg());
    let jfs = queue::complete(dev, jfs, &granted, &requested)?;
    jfc.keep();
    Ok(jfs)
}

/// Allocates a send queue; its configuration is checked when it is activated.
///
/// # Errors
///
/// `EINVAL` for a foreign completion queue, `EBUSY` for one that is being changed; `EIO` once removal
/// has begun; the driver's.
pub(crate) fn alloc(
    dev: &Device,
    mut request: JfsRequest<'_>,
    user: User<'_>,
) -> Result<Owned<Jfs>> {
    dev.check_creating()?;
    let jfc = Hold::new(request.jfc, dev, user)?;
    let jfs = dev.driver_alloc::<Jfs>(&mut request.cfg, user)?;
    jfs.init(request);
    jfc.keep();
    Ok(stage::allocated(jfs))
}

impl Checked for Jfs {
    fn check(
        dev: &Device,
        cfg: &mut ubcore_jfs_cfg,
        _parents: &Parents,
        user: User<'_>,
    ) -> Result<Eid> {
        let eid = dev.local_eid(cfg.eid_index, user)?;
        let checked = check_jfs(&params(cfg), dev.caps())?;
        cfg.flag.set_order(checked.order);
        Ok(eid)
    }

    fn sizes(cfg: &ubcore_jfs_cfg) -> [Sizes; 2] {
        let own = Sizes {
            depth: cfg.depth,
            sge: cfg.max_sge.into(),
            rsge: cfg.max_rsge.into(),
            inline: cfg.max_inline_data,
        };
        [own, Sizes::default()]
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
