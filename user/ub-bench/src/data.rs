// SPDX-License-Identifier: GPL-2.0

//! Work requests between two contexts, from posting to completion.

use std::sync::atomic::Ordering;

use ub_client::abi::{ubsoft_cqe, UBURMA_ACCESS_READ, UBURMA_ACCESS_WRITE, UBURMA_CR_SUCCESS};
use ub_client::{
    Atomic, Context, Error, Jetty, JettyConfig, Jfc, Jfce, Jfr, JfrConfig, RecvWr, Result, Segment,
    SegmentConfig, SendWr, Target, TargetConfig, Window,
};

use crate::measure::Report;

const MIB: usize = 1 << 20;
const BATCHES: [(usize, &str); 2] = [(16, "x16"), (64, "x64")];

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
        let memory = Segment::alloc(&ctx, 8 * MIB, 9)?;
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
        (8 * MIB, "8m"),
    ];
    for (len, size) in sizes {
        let count = match len {
            0..=4096 => 1000,
            MIB.. => 8,
            _ => 64,
        };
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
    for (size, suffix) in BATCHES {
        let ops = [
            ("write", SendWr::write(to, far, &near)),
            ("read", SendWr::read(to, far, &near)),
        ];
        for (name, wr) in ops {
            let batch = vec![wr; size];
            report.batch(&format!("{name}_64_{suffix}"), 100, size as u32, || {
                a.jetty.queue().post_list(&batch)?;
                a.jetty.queue().kick()?;
                (0..size).try_for_each(|_| good(a.sent.poll()))
            })?;
        }
    }
    queues(report, &mut a, &b, to)?;
    let word = [a.memory.sge(0, 8)];
    let add = SendWr::atomic(to, far, &word, Atomic::Add(1));
    report.measure("fadd", 1000, || {
        a.jetty.queue().send(&add)?;
        good(a.sent.poll())
    })?;
    for (size, suffix) in BATCHES {
        let batch = vec![add.clone(); size];
        report.batch(&format!("fadd_{suffix}"), 100, size as u32, || {
            a.jetty.queue().post_list(&batch)?;
            a.jetty.queue().kick()?;
            (0..size).try_for_each(|_| good(a.sent.poll()))
        })?;
    }
    let cas = SendWr::atomic(to, far.plus(8), &word, Atomic::Cas(0, 0));
    report.measure("cas", 1000, || {
        a.jetty.queue().send(&cas)?;
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
    for (size, suffix) in BATCHES {
        let batch = vec![send.clone(); size];
        report.batch(&format!("send_64_{suffix}"), 100, size as u32, || {
            (0..size).try_for_each(|_| b.jfr.post(&RecvWr::new(&room)))?;
            a.jetty.queue().post_list(&batch)?;
            a.jetty.queue().kick()?;
            (0..size).try_for_each(|_| good(a.sent.poll()))?;
            (0..size).try_for_each(|_| good(b.received.poll()))
        })?;
    }
    report.measure("send_64_event", 1000, || {
        b.jfr.post(&RecvWr::new(&room))?;
        b.received.arm(false)?;
        a.jetty.queue().send(&send)?;
        good(a.sent.poll())?;
        b.channel.wait(1, 0)?;
        good(b.received.poll())
    })?;
    mapped(report, &a, &b)
}

/// Several queues at once: what each of their messages costs.
fn queues(report: &mut Report, a: &mut End, b: &End, to: u32) -> Result<()> {
    for (count, suffix) in [(2, "q2"), (4, "q4")] {
        let mut jettys = Vec::new();
        for _ in 0..count {
            let config = JettyConfig::on(&a.sent, &a.received, &a.jfr);
            jettys.push(Jetty::create(&a.ctx, config)?);
        }
        for (len, size) in [(4096, "4k"), (65536, "64k"), (MIB, "1m"), (8 * MIB, "8m")] {
            let near = [a.memory.sge(0, len)];
            let wr = SendWr::write(to, b.memory.remote(0), &near);
            let rounds = if len >= MIB { 4 } else { 64 };
            report.batch(&format!("write_{size}_{suffix}"), rounds, count, || {
                for jetty in &mut jettys {
                    jetty.queue().send(&wr)?;
                }
                (0..count).try_for_each(|_| good(a.sent.poll()))
            })?;
        }
    }
    Ok(())
}

/// Loads and stores by a mapping.
fn mapped(report: &mut Report, a: &End, b: &End) -> Result<()> {
    const WORDS: u32 = 64;
    let config = SegmentConfig {
        token: 9,
        lend: true,
        ..Default::default()
    };
    let segment = Segment::alloc_with(&b.ctx, 4096, config)?;
    let access = UBURMA_ACCESS_READ | UBURMA_ACCESS_WRITE;
    let window = Window::open(&a.ctx, b.ctx.eid(), segment.remote(0), 4096, access)?;
    let map = window.map(true)?;
    let places = || (0..WORDS as usize).map(|word| word * 8);
    report.batch("load_8", 100, WORDS, || {
        places().for_each(|at| {
            std::hint::black_box(map.load64(at, Ordering::Relaxed));
        });
        Ok(())
    })?;
    report.batch("store_8", 100, WORDS, || {
        places().for_each(|at| map.store64(at, at as u64, Ordering::Relaxed));
        Ok(())
    })
}
