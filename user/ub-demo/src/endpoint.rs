// SPDX-License-Identifier: GPL-2.0

//! What each of the two processes sets up, and what it knows of the other.

use std::time::Duration;

use ub_client::abi::{ubsoft_cqe, UBURMA_CR_SUCCESS};
use ub_client::{
    Context, Device, Eid, Jetty, JettyConfig, Jfc, Jfce, Jfr, JfrConfig, RemoteRange, Segment,
    Target, TargetConfig,
};

use crate::cases::{Case, Mode, MAX_SIZE};
use crate::pattern::{landing, GUARD};
use crate::wire::{Message, Wire};

/// How long a process waits for a completion.
const PATIENCE: Duration = Duration::from_secs(30);
/// Bytes of a buffer area: the largest transfer, its guards, and room to shift it.
const AREA: usize = MAX_SIZE + 2 * GUARD + 3584;

/// A completion queue with its event channel.
pub struct Completions {
    jfc: Jfc,
    channel: Jfce,
    cookie: u64,
}

impl Completions {
    fn create(ctx: &Context, cookie: u64) -> ub_client::Result<Self> {
        let channel = Jfce::create(ctx)?;
        Ok(Completions {
            jfc: Jfc::create_on(ctx, 64, &channel, cookie)?,
            channel,
            cookie,
        })
    }

    /// To be called before the work starts that is then waited for.
    pub fn prepare(&self, mode: Mode) -> Result<(), String> {
        match mode {
            Mode::Poll => Ok(()),
            Mode::Event => self.jfc.arm(false).map_err(|err| err.to_string()),
        }
    }

    /// The next completion, which must be a good one.
    pub fn wait(&mut self, mode: Mode) -> Result<ubsoft_cqe, String> {
        if mode == Mode::Event {
            let events = self
                .channel
                .wait(1, PATIENCE.as_millis() as i32)
                .map_err(|err| err.to_string())?;
            if events != [self.cookie] {
                return Err(format!("completion events {events:x?}"));
            }
        }
        let cqe = match mode {
            Mode::Poll => self
                .jfc
                .wait_polling(PATIENCE)
                .map_err(|err| err.to_string())?,
            Mode::Event => self.jfc.poll().ok_or("an event without a completion")?,
        };
        if u32::from(cqe.status) != UBURMA_CR_SUCCESS {
            return Err(format!("completion with status {}", cqe.status));
        }
        Ok(cqe)
    }
}

/// What a process tells the other about itself.
#[derive(Debug, Clone, Copy)]
pub struct Peer {
    /// EID of its context.
    pub eid: Eid,
    /// Number of its jetty.
    pub jetty: u32,
    /// The jetty's token.
    pub token: u32,
    /// Its memory.
    pub memory: RemoteRange,
}

impl Peer {
    fn text(&self) -> String {
        format!(
            "HELLO eid={} jetty={} token={} va={} token_id={} seg_token={}",
            self.eid,
            self.jetty,
            self.token,
            self.memory.addr,
            self.memory.token_id,
            self.memory.token
        )
    }

    fn parse(message: &Message) -> Result<Self, String> {
        Ok(Peer {
            eid: Eid::parse(message.text("eid")?).ok_or("a bad EID")?,
            jetty: message.number("jetty")? as u32,
            token: message.number("token")? as u32,
            memory: RemoteRange {
                addr: message.number("va")?,
                token_id: message.number("token_id")? as u32,
                token: message.number("seg_token")? as u32,
            },
        })
    }
}

/// The objects of one process. The memory has two areas: what is sent lies in the
/// first, what comes in, or is worked on by the peer, in the second.
pub struct Endpoint {
    /// The jetty of the other process.
    pub target: Target,
    /// What it told of itself.
    pub peer: Peer,
    /// Our jetty.
    pub jetty: Jetty,
    /// Our receive queue.
    pub jfr: Jfr,
    /// Completions of what we sent.
    pub sent: Completions,
    /// Completions of what we received.
    pub received: Completions,
    /// Our memory.
    pub memory: Segment,
}

impl Endpoint {
    /// Sets everything up and gets to know the other process.
    pub fn create(wire: Wire, role: &str, report: Wire) -> Result<Self, String> {
        let text = |err: ub_client::Error| err.to_string();
        let device = Device::first().map_err(text)?;
        let ctx = Context::open(&device).map_err(text)?;
        // Tokens: any number that the other one does not know by itself.
        let secret = std::process::id().wrapping_mul(0x9e37_79b1);
        let memory = Segment::alloc(&ctx, 2 * AREA, secret ^ 0x5e6).map_err(text)?;
        let sent = Completions::create(&ctx, 0x5e4d).map_err(text)?;
        let received = Completions::create(&ctx, 0x4ec7).map_err(text)?;
        let jfr = Jfr::create(
            &ctx,
            JfrConfig {
                token: secret,
                cookie: 0x4f4,
                ..JfrConfig::on(&received.jfc)
            },
        )
        .map_err(text)?;
        let jetty =
            Jetty::create(&ctx, JettyConfig::on(&sent.jfc, &received.jfc, &jfr)).map_err(text)?;
        let own = Peer {
            eid: ctx.eid(),
            jetty: jetty.id(),
            token: secret,
            memory: memory.remote(AREA),
        };
        report.say(&format!(
            "INFO process {role}: pid {}, user {}, {} open, EID {}, jetty {}, {} KiB of memory at {:#x}",
            std::process::id(),
            ub_client::sys::effective_uid(),
            device.node().display(),
            own.eid,
            own.jetty,
            memory.len() / 1024,
            memory.addr()
        ))?;
        wire.say(&own.text())?;
        let peer = Peer::parse(&wire.expect("HELLO")?)?;
        let config = TargetConfig::jetty(peer.eid, peer.jetty, peer.token);
        let target = Target::jetty(&ctx, config).map_err(text)?;
        Ok(Endpoint {
            target,
            peer,
            jetty,
            jfr,
            sent,
            received,
            memory,
        })
    }

    /// Offset of the outgoing buffer of an iteration.
    pub fn out_at(case: &Case, iteration: u32) -> usize {
        GUARD + case.offset(iteration)
    }

    /// Offset of the incoming buffer of an iteration.
    pub fn in_at(case: &Case, iteration: u32) -> usize {
        AREA + Self::out_at(case, iteration)
    }

    /// The same, in the peer's memory.
    pub fn remote_at(&self, case: &Case, iteration: u32) -> RemoteRange {
        self.peer.memory.plus(Self::out_at(case, iteration) as u64)
    }

    /// Makes the incoming buffer and its neighbours known bytes.
    pub fn clear_landing(&self, case: &Case, iteration: u32) {
        let at = Self::in_at(case, iteration) - GUARD;
        self.memory.write(at, &landing(case.size));
    }

    /// The incoming buffer with its neighbours.
    pub fn landed(&self, case: &Case, iteration: u32) -> Vec<u8> {
        let at = Self::in_at(case, iteration) - GUARD;
        self.memory.bytes(at, case.size + 2 * GUARD)
    }
}
