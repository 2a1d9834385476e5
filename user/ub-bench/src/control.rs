// SPDX-License-Identifier: GPL-2.0

//! Making and unmaking objects; the mapping of their rings is part of it.

use std::sync::Arc;

use ub_client::sys::Mapping;
use ub_client::{
    Context, Device, Jetty, JettyConfig, Jfc, Jfr, JfrConfig, Result, Segment, SegmentConfig,
    Target, TargetConfig,
};

use crate::measure::Report;

pub fn run(report: &mut Report) -> Result<()> {
    let device = Device::first()?;
    report.section("control path, make and unmake");
    // Another one stays open: the first of a process pays for more.
    let ctx = Context::open(&device)?;
    report.measure("context", "context (open, create, close)", 50, || {
        Context::open(&device).map(drop)
    })?;
    report.measure("jfc", "JFC of 64", 50, || Jfc::create(&ctx, 64).map(drop))?;
    let jfc = Jfc::create(&ctx, 64)?;
    report.measure("jfr", "JFR", 50, || {
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
    report.measure("jetty", "jetty", 50, || {
        Jetty::create(&ctx, config).map(drop)
    })?;
    let jetty = Jetty::create(&ctx, config)?;
    let target = TargetConfig::jetty(ctx.eid(), jetty.id(), 3);
    report.measure("import", "import of a jetty", 50, || {
        Target::jetty(&ctx, target).map(drop)
    })?;
    for (len, name, title) in [
        (4096, "seg_4k", "segment of 4 KiB"),
        (1 << 20, "seg_1m", "segment of 1 MiB"),
    ] {
        let memory = Arc::new(Mapping::anonymous(len)?);
        memory.fill(0, len, 1);
        report.measure(name, title, 50, || {
            Segment::register_own(&ctx, &memory, 0, len, SegmentConfig::default()).map(drop)
        })?;
    }
    Ok(())
}
