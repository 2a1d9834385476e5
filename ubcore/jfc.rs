// SPDX-License-Identifier: GPL-2.0

//! Creation of completion queues.

use crate::{
    bindings_ub::ubcore_jfc_cfg,
    c_api::{
        kinds::Jfc,
        JfcHandlers,
        Owned,
        User, //
    },
    device::Device,
    logic::validate::{
        check_jfc_depth,
        Sizes, //
    },
    queue,
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
    check_jfc_depth(cfg.depth, dev.caps())?;
    let requested = Sizes {
        depth: cfg.depth,
        ..Sizes::default()
    };
    let jfc = dev.driver_create_jfc(&mut cfg, user)?;
    let granted = Sizes {
        depth: jfc.depth(),
        ..Sizes::default()
    };
    jfc.init(&cfg, &handlers);
    queue::complete(dev, jfc, &granted, &requested)
}
