// SPDX-License-Identifier: GPL-2.0

//! Objects that most tests need.

use std::time::Duration;

use ub_client::abi::*;
use ub_client::{
    Context, Device, Jetty, JettyConfig, Jfc, Jfr, JfrConfig, RecvWr, Segment, SendWr, Target,
    TargetConfig,
};

use crate::{Failure, Outcome};

/// How long tests wait for something that should come soon.
pub const SOON: Duration = Duration::from_secs(10);

/// The token of the memory of fixtures.
pub const SEG_TOKEN: u32 = 0x1234_5678;
/// The token of the jettys of fixtures.
pub const JETTY_TOKEN: u32 = 0x0bad_cafe;

/// How a pair is made.
#[derive(Debug, Clone, Copy)]
pub struct PairConfig {
    /// UBURMA_TM_*.
    pub mode: u32,
    /// Entries of the queues.
    pub depth: u32,
    /// Entries of the completion queues.
    pub jfc_depth: u32,
    /// Bytes of memory of each side.
    pub memory: usize,
    /// Ranges of a request.
    pub max_sge: u8,
    /// Inline data of a request.
    pub max_inline: u32,
    /// Retries when the receiver has no buffer.
    pub rnr_retry: u8,
    /// Wait before a retry.
    pub min_rnr_timer: u8,
}

impl Default for PairConfig {
    fn default() -> Self {
        PairConfig {
            mode: UBURMA_TM_RM,
            depth: 64,
            jfc_depth: 256,
            memory: 64 << 10,
            max_sge: 4,
            max_inline: 64,
            rnr_retry: 1,
            min_rnr_timer: 2,
        }
    }
}

/// A context with a jetty that sends and receives, and memory.
pub struct Side {
    /// The jetty.
    pub jetty: Jetty,
    /// Its receive queue.
    pub jfr: Jfr,
    /// Completions of sends.
    pub sent: Jfc,
    /// Completions of receives.
    pub received: Jfc,
    /// Memory that all may access.
    pub memory: Segment,
    /// The context.
    pub ctx: Context,
}

impl Side {
    /// One of its own context.
    pub fn create(config: PairConfig) -> Result<Self, Failure> {
        Self::create_in(Context::open_first()?, config)
    }

    /// One whose queues deliver in an order, UBURMA_ORDER_*.
    pub fn create_ordered(config: PairConfig, order: u32) -> Result<Self, Failure> {
        Self::create_with(Context::open_first()?, config, order)
    }

    /// One in a context.
    pub fn create_in(ctx: Context, config: PairConfig) -> Result<Self, Failure> {
        Self::create_with(ctx, config, UBURMA_ORDER_DEFAULT)
    }

    fn create_with(ctx: Context, config: PairConfig, order: u32) -> Result<Self, Failure> {
        let memory = Segment::alloc(&ctx, config.memory, SEG_TOKEN)?;
        let sent = Jfc::create(&ctx, config.jfc_depth)?;
        let received = Jfc::create(&ctx, config.jfc_depth)?;
        let jfr = Jfr::create(
            &ctx,
            JfrConfig {
                mode: config.mode,
                depth: config.depth,
                token: JETTY_TOKEN,
                max_sge: config.max_sge,
                min_rnr_timer: config.min_rnr_timer,
                cookie: 0x1f4,
                flag: JfrConfig::on(&received).flag | order << UBURMA_JFR_FLAG_ORDER_TYPE_SHIFT,
                ..JfrConfig::on(&received)
            },
        )?;
        let mut wanted = JettyConfig::on(&sent, &received, &jfr);
        wanted.cookie = 0x1e7;
        wanted.send.flag |= order << UBURMA_JFS_FLAG_ORDER_TYPE_SHIFT;
        wanted.send.depth = config.depth;
        wanted.send.max_sge = config.max_sge;
        wanted.send.max_inline = config.max_inline;
        wanted.send.rnr_retry = config.rnr_retry;
        let jetty = Jetty::create(&ctx, wanted)?;
        Ok(Side {
            jetty,
            jfr,
            sent,
            received,
            memory,
            ctx,
        })
    }

    /// What a peer imports.
    pub fn target_config(&self) -> TargetConfig {
        TargetConfig::jetty(self.ctx.eid(), self.jetty.id(), JETTY_TOKEN)
            .mode(self.jfr.config().mode)
    }

    /// Imports the jetty of another side.
    pub fn import(&self, peer: &Side) -> Result<Target, Failure> {
        Ok(Target::jetty(&self.ctx, peer.target_config())?)
    }

    /// Posts a receive buffer of this side's memory.
    pub fn post_recv(&mut self, offset: usize, len: usize, cookie: u64) -> Outcome {
        let list = [self.memory.sge(offset, len)];
        self.jfr.post(&RecvWr::new(&list).user_ctx(cookie))?;
        Ok(())
    }

    /// Waits for the completion of something sent.
    pub fn wait_sent(&mut self) -> Result<ubsoft_cqe, Failure> {
        Ok(self.sent.wait_polling(SOON)?)
    }

    /// Waits for the completion of something received.
    pub fn wait_received(&mut self) -> Result<ubsoft_cqe, Failure> {
        Ok(self.received.wait_polling(SOON)?)
    }

    /// Posts a request and waits for its completion.
    pub fn execute(&mut self, wr: &SendWr<'_>) -> Result<ubsoft_cqe, Failure> {
        self.jetty.queue().send(wr)?;
        self.wait_sent()
    }

    /// Posts a request that must end with this status, UBURMA_CR_*.
    pub fn expect(&mut self, wr: &SendWr<'_>, status: u32) -> Result<ubsoft_cqe, Failure> {
        let cqe = self.execute(wr)?;
        expect_status(&cqe, status)?;
        if cqe.user_ctx != wr.head.user_ctx {
            return Err(Failure::Fail(format!(
                "completion of request {:#x} instead of {:#x}",
                cqe.user_ctx, wr.head.user_ctx
            )));
        }
        Ok(cqe)
    }
}

/// Fails unless a completion has this status.
pub fn expect_status(cqe: &ubsoft_cqe, status: u32) -> Outcome {
    if u32::from(cqe.status) == status {
        return Ok(());
    }
    Err(Failure::Fail(format!(
        "a completion has status {} ({}), {} ({}) was due",
        cqe.status,
        status_name(u32::from(cqe.status)),
        status,
        status_name(status)
    )))
}

/// Name of a status.
pub fn status_name(status: u32) -> &'static str {
    const NAMES: [&str; 17] = [
        "success",
        "unsupported opcode",
        "local length",
        "local operation",
        "local access",
        "remote response length",
        "remote unsupported request",
        "remote operation",
        "remote access abort",
        "ack timeout",
        "rnr retries exceeded",
        "flushed",
        "suspend done",
        "flush done",
        "unhandled",
        "local poison",
        "remote poison",
    ];
    NAMES.get(status as usize).copied().unwrap_or("unknown")
}

/// Two sides that know each other.
pub struct Pair {
    /// The target that `a` has of `b`.
    pub ab: Target,
    /// The target that `b` has of `a`.
    pub ba: Target,
    /// The one that mostly sends.
    pub a: Side,
    /// The one that mostly receives.
    pub b: Side,
}

impl Pair {
    /// In mode RM.
    pub fn create() -> Result<Self, Failure> {
        Self::create_with(PairConfig::default())
    }

    /// In a mode, else as usual.
    pub fn in_mode(mode: u32) -> Result<Self, Failure> {
        Self::create_with(PairConfig {
            mode,
            ..Default::default()
        })
    }

    /// With a configuration; RC jettys are bound to each other.
    pub fn create_with(config: PairConfig) -> Result<Self, Failure> {
        let a = Side::create(config)?;
        let b = Side::create(config)?;
        let ab = a.import(&b)?;
        let ba = b.import(&a)?;
        if config.mode == UBURMA_TM_RC {
            a.jetty.bind(&ab)?;
            b.jetty.bind(&ba)?;
        }
        Ok(Pair { ab, ba, a, b })
    }

    /// What `a` puts into requests to `b`.
    pub fn to_b(&self) -> u32 {
        if self.a.jfr.config().mode == UBURMA_TM_RC {
            0
        } else {
            self.ab.target_ref()
        }
    }
}

/// How many descriptors this process has open.
pub fn count_fds() -> Result<usize, Failure> {
    // The directory itself is open while it is read.
    Ok(std::fs::read_dir("/proc/self/fd")?.count() - 1)
}

/// A pattern that depends on seed and position.
pub fn pattern(seed: u64, len: usize) -> Vec<u8> {
    (0..len)
        .map(|i| {
            let word = (i as u64 / 8 + 1)
                .wrapping_mul(0x9e37_79b9_7f4a_7c15)
                .wrapping_add(seed.wrapping_mul(0xd1b5_4a32_d192_ed03));
            (word ^ (word >> 29)).to_le_bytes()[i % 8]
        })
        .collect()
}

/// The modes that the device offers.
pub fn modes(device: &Device) -> Result<Vec<u32>, Failure> {
    let mask = device.number("trans_mode")? as u32;
    Ok([UBURMA_TM_RM, UBURMA_TM_RC, UBURMA_TM_UM]
        .into_iter()
        .filter(|mode| mask & mode != 0)
        .collect())
}
