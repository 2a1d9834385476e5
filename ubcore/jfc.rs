// SPDX-License-Identifier: GPL-2.0

//! Creation of completion queues.

use crate::{
    bindings_ub::ubcore_jfc_cfg,
    c_api::{
        kinds::Jfc,
        JfcHandlers,
        Owned,
        Parents,
        User, //
    },
    device::Device,
    logic::{
        eid::Eid,
        validate::{
            check_jfc_depth,
            Sizes, //
        }, //
    },
    queue,
    stage::{
        self,
        Checked, //
    },
};
use kernel::prelude::*;

/// Creates a completion queue.
///
/// # Errors
///
/// `EINVAL` for a depth that the device does not have, `EIO` once removal has begun; the driver's.
pub(crate) fn create(
    dev: &Device,
    mut cfg: ubcore_jfc_cfg,
    handlers: JfcHandlers,
    user: User<'_>,
) -> Result<Owned<Jfc>> {
    dev.check_creating()?;
    Jfc::check(dev, &mut cfg, &Parents::default(), user)?;
    let requested = Jfc::sizes(&cfg);
    let jfc = dev.driver_create_jfc(&mut cfg, user)?;
    jfc.init_granted(cfg, &handlers);
    let granted = Jfc::sizes(&jfc.copy_cfg());
    queue::complete(dev, jfc, &granted, &requested)
}

/// Allocates a completion queue; its configuration is checked when it is activated.
///
/// # Errors
///
/// `EIO` once removal has begun; the driver's.
pub(crate) fn alloc(
    dev: &Device,
    mut cfg: ubcore_jfc_cfg,
    handlers: JfcHandlers,
    user: User<'_>,
) -> Result<Owned<Jfc>> {
    dev.check_creating()?;
    let jfc = dev.driver_alloc::<Jfc>(&mut cfg, user)?;
    jfc.init(cfg, &handlers);
    Ok(stage::allocated(jfc))
}

impl Checked for Jfc {
    fn check(
        dev: &Device,
        cfg: &mut ubcore_jfc_cfg,
        _parents: &Parents,
        _user: User<'_>,
    ) -> Result<Eid> {
        check_jfc_depth(cfg.depth, dev.caps())?;
        // It has none.
        Ok(Eid::ZERO)
    }

    fn sizes(cfg: &ubcore_jfc_cfg) -> [Sizes; 2] {
        let own = Sizes {
            depth: cfg.depth,
            ..Sizes::default()
        };
        [own, Sizes::default()]
    }
}
