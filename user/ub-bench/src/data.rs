// SPDX-License-Identifier: GPL-2.0

//! Work requests between two contexts, from posting to completion.

use ub_client::abi::{ubsoft_cqe, UBURMA_CR_SUCCESS};
use ub_client::{
    Atomic, Context, Error, Jetty, JettyConfig, Jfc, Jfce, Jfr, JfrConfig, RecvWr, Result, Segment,
    SendWr, Target, TargetConfig,
};

use crate::measure::Report;

const MIB: usize = 1 << 20;
const BATCH: usize = 16;

/// One context with a jetty and what belongs to it.
struct End {
    jetty: Jetty,
    jfr: Jfr,
    sent: Jfc,
    received: Jfc,
    channel: Jfce,
    memory: Segment,
    ctx: Context,
}

impl End {
    fn new() -> Result<Self> {
        let ctx = Context::open_first()?;
        let sent = Jfc::create(&ctx, 256)?;
        let channel = Jfce::create(&ctx)?;
        let received = Jfc::create_on(&ctx, 256, &channel, 1)?;
        let jfr = Jfr::create(
            &ctx,
            JfrConfig {
                token: 7,
                ..JfrConfig::on(&received)
            },
        )?;
        let jetty = Jetty::create(&ctx, JettyConfig::on(&sent, &received, &jfr))?;
        let memory = Segment::alloc(&ctx, 2 * MIB, 9)?;
        Ok(End {
            jetty,
            jfr,
            sent,
            received,
            channel,
            memory,
            ctx,
        })
    }
}

fn good(cqe: Option<ubsoft_cqe>) -> Result<()> {
    match cqe {
        Some(cqe) if u32::from(cqe.status) == UBURMA_CR_SUCCESS => Ok(()),
        Some(cqe) => Err(Error::BadReply(format!(
            "completion with status {}",
            cqe.status
        ))),
        None => Err(Error::TimedOut("no completion".to_string())),
    }
}

pub fn run(report: &mut Report) -> Result<()> {
    let mut a = End::new()?;
    let mut b = End::new()?;
    let config = TargetConfig::jetty(b.ctx.eid(), b.jetty.id(), 7);
    let target = Target::jetty(&a.ctx, config)?;
    let to = target.target_ref();
    let far = b.memory.remote(0);
    report.measure("kick", 2000, || a.jetty.queue().kick())?;

    let sizes = [
        (8, "8"),
        (64, "64"),
        (4096, "4k"),
        (65536, "64k"),
        (MIB, "1m"),
    ];
    for (len, size) in sizes {
        let count = if len > 4096 { 64 } else { 1000 };
        let near = [a.memory.sge(0, len)];
        let ops = [
            ("write", SendWr::write(to, far, &near)),
            ("read", SendWr::read(to, far, &near)),
        ];
        for (name, wr) in ops {
            report.measure(&format!("{name}_{size}"), count, || {
                a.jetty.queue().send(&wr)?;
                good(a.sent.poll())
            })?;
        }
    }
    let near = [a.memory.sge(0, 64)];
    let batch: Vec<_> = (0..BATCH).map(|_| SendWr::write(to, far, &near)).collect();
    report.batch("write_64_x16", 100, BATCH as u32, || {
        a.jetty.queue().post_list(&batch)?;
        a.jetty.queue().kick()?;
        (0..BATCH).try_for_each(|_| good(a.sent.poll()))
    })?;
    let word = [a.memory.sge(0, 8)];
    let add = SendWr::atomic(to, far, &word, Atomic::Add(1));
    report.measure("fadd", 1000, || {
        a.jetty.queue().send(&add)?;
        good(a.sent.poll())
    })?;

    let send = SendWr::send(to, &near);
    let room = [b.memory.sge(0, 4096)];
    report.measure("send_64", 1000, || {
        b.jfr.post(&RecvWr::new(&room))?;
        a.jetty.queue().send(&send)?;
        good(a.sent.poll())?;
        good(b.received.poll())
    })?;
    report.measure("send_64_event", 1000, || {
        b.jfr.post(&RecvWr::new(&room))?;
        b.received.arm(false)?;
        a.jetty.queue().send(&send)?;
        good(a.sent.poll())?;
        b.channel.wait(1, 0)?;
        good(b.received.poll())
    })
}
