// SPDX-License-Identifier: GPL-2.0

//! Making and unmaking objects.

use std::sync::Arc;

use ub_client::sys::Mapping;
use ub_client::{
    Context, Device, Jetty, JettyConfig, Jfc, Jfr, JfrConfig, Result, Segment, SegmentConfig,
    Target, TargetConfig,
};

use crate::measure::Report;

pub fn run(report: &mut Report) -> Result<()> {
    let device = Device::first()?;
    // Another one stays open: the first of a process pays for more.
    let ctx = Context::open(&device)?;
    report.measure("context", 50, || Context::open(&device).map(drop))?;
    report.measure("jfc", 50, || Jfc::create(&ctx, 64).map(drop))?;
    let jfc = Jfc::create(&ctx, 64)?;
    report.measure("jfr", 50, || {
        Jfr::create(&ctx, JfrConfig::on(&jfc)).map(drop)
    })?;
    let jfr = Jfr::create(
        &ctx,
        JfrConfig {
            token: 3,
            ..JfrConfig::on(&jfc)
        },
    )?;
    let config = JettyConfig::on(&jfc, &jfc, &jfr);
    report.measure("jetty", 50, || Jetty::create(&ctx, config).map(drop))?;
    let jetty = Jetty::create(&ctx, config)?;
    let target = TargetConfig::jetty(ctx.eid(), jetty.id(), 3);
    report.measure("import", 50, || Target::jetty(&ctx, target).map(drop))?;
    for (len, name) in [(4096, "seg_4k"), (1 << 20, "seg_1m")] {
        let memory = Arc::new(Mapping::anonymous(len)?);
        memory.fill(0, len, 1);
        report.measure(name, 50, || {
            Segment::register_own(&ctx, &memory, 0, len, SegmentConfig::default()).map(drop)
        })?;
    }
    Ok(())
}
