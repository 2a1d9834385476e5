// SPDX-License-Identifier: GPL-2.0

//! A side that listens to events.

use ub_client::{
    Context, Jetty, JettyConfig, Jfc, Jfce, Jfr, JfrConfig, RecvWr, Segment, SendWr, Target,
    TargetConfig,
};

use crate::fixture::JETTY_TOKEN;
use crate::{Failure, Outcome};

/// Cookies of the JFCs of a listener.
pub const SENT: u64 = 0x1111_2222_3333_4444;
/// Cookie of the JFC of receives.
pub const RECEIVED: u64 = 0x5555_6666_7777_8888;
/// Cookies of its queues.
pub const JFR: u64 = 0xaaaa_0000_0000_0001;
/// Cookie of the jetty.
pub const JETTY: u64 = 0xbbbb_0000_0000_0002;

/// A side whose completions go to one channel, which sends to itself.
pub struct Listener {
    /// Itself, as a target.
    pub target: Target,
    /// Its jetty.
    pub jetty: Jetty,
    /// Its receive queue.
    pub jfr: Jfr,
    /// Completions of sends.
    pub sent: Jfc,
    /// Completions of receives.
    pub received: Jfc,
    /// Its memory.
    pub memory: Segment,
    /// The channel of both.
    pub jfce: Jfce,
    /// Its context.
    pub ctx: Context,
}

impl Listener {
    /// Makes one.
    pub fn create() -> Result<Self, Failure> {
        let ctx = Context::open_first()?;
        let jfce = Jfce::create(&ctx)?;
        let memory = Segment::alloc(&ctx, 8192, 1)?;
        let sent = Jfc::create_on(&ctx, 64, &jfce, SENT)?;
        let received = Jfc::create_on(&ctx, 64, &jfce, RECEIVED)?;
        let jfr = Jfr::create(
            &ctx,
            JfrConfig {
                token: JETTY_TOKEN,
                cookie: JFR,
                ..JfrConfig::on(&received)
            },
        )?;
        let jetty = Jetty::create(
            &ctx,
            JettyConfig {
                cookie: JETTY,
                ..JettyConfig::on(&sent, &received, &jfr)
            },
        )?;
        let config = TargetConfig::jetty(ctx.eid(), jetty.id(), JETTY_TOKEN);
        let target = Target::jetty(&ctx, config)?;
        Ok(Listener {
            target,
            jetty,
            jfr,
            sent,
            received,
            memory,
            jfce,
            ctx,
        })
    }

    /// Posts a receive buffer.
    pub fn post_recv(&mut self) -> Outcome {
        let list = [self.memory.sge(4096, 64)];
        Ok(self.jfr.post(&RecvWr::new(&list))?)
    }

    /// Sends a message to itself.
    pub fn send(&mut self, solicited: bool) -> Outcome {
        let list = [self.memory.sge(0, 16)];
        let wr = SendWr::send(self.target.target_ref(), &list);
        let wr = if solicited { wr.solicited() } else { wr };
        Ok(self.jetty.queue().send(&wr)?)
    }

    /// A request whose completion comes at once.
    pub fn work(&mut self) -> Outcome {
        let list = [self.memory.sge(0, 16)];
        let wr = SendWr::write(self.target.target_ref(), self.memory.remote(100), &list);
        Ok(self.jetty.queue().send(&wr)?)
    }

    /// Events that are there.
    pub fn events(&self) -> Result<Vec<u64>, Failure> {
        match self.jfce.wait(16, 0) {
            Ok(events) => Ok(events),
            Err(err) if err.errno() == libc::EAGAIN => Ok(Vec::new()),
            Err(err) => Err(err.into()),
        }
    }
}
