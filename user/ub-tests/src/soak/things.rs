// SPDX-License-Identifier: GPL-2.0

//! Objects of a context, which threads make, use, spoil and drop.

use std::os::fd::AsRawFd;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Mutex};

use ub_client::abi::*;
use ub_client::sys::Mapping;
use ub_client::{
    Context, Jetty, JettyConfig, Jfc, JfcConfig, Jfce, Jfr, JfrConfig, Jfs, JfsConfig, Ring,
    Segment, SegmentConfig, Target, TargetConfig,
};

use super::board::Board;
use super::rng::Rng;
use crate::fixture::JETTY_TOKEN;

/// Most objects of a context.
const MOST: usize = 24;

/// An object.
pub enum Thing {
    /// A completion queue.
    Jfc(Jfc),
    /// A receive queue.
    Jfr(Jfr),
    /// A send queue.
    Jfs(Jfs),
    /// A jetty.
    Jetty(Jetty),
    /// Registered memory.
    Segment(Segment),
    /// Something imported.
    Target(Target),
    /// An event channel.
    Jfce(Jfce),
}

impl Thing {
    fn handle(&self) -> u64 {
        match self {
            Thing::Jfc(jfc) => jfc.handle(),
            Thing::Jfr(jfr) => jfr.handle(),
            Thing::Jfs(jfs) => jfs.handle(),
            Thing::Jetty(jetty) => jetty.handle(),
            Thing::Segment(segment) => segment.handle(),
            Thing::Target(target) => target.handle(),
            Thing::Jfce(_) => 0,
        }
    }

    /// Its ring, and the doorbell for it.
    fn ring(&mut self) -> Option<(&Ring, u64)> {
        match self {
            Thing::Jfc(jfc) => Some((jfc.ring().ring(), IOC_CQ_ARM)),
            Thing::Jfr(jfr) => Some((jfr.ring().ring(), IOC_RQ_KICK)),
            Thing::Jfs(jfs) => Some((jfs.queue().ring().ring(), IOC_SQ_KICK)),
            Thing::Jetty(jetty) => Some((jetty.queue().ring().ring(), IOC_SQ_KICK)),
            _ => None,
        }
    }
}

/// A context with its objects.
pub struct Home {
    /// The context.
    pub ctx: Context,
    things: Mutex<Vec<Thing>>,
    memory: Arc<Mapping>,
}

impl Home {
    /// One without objects, whose segments are of this memory.
    pub fn new(ctx: Context, memory: &Arc<Mapping>) -> Self {
        Home {
            ctx,
            things: Mutex::new(Vec::new()),
            memory: memory.clone(),
        }
    }

    /// Does something with the objects, unless a thread died with them in its hands.
    fn with<R>(&self, f: impl FnOnce(&mut Vec<Thing>) -> R) -> Option<R> {
        self.things.lock().ok().map(|mut things| f(&mut things))
    }

    /// The handle of one object that fits, else anybody's.
    fn one(&self, rng: &mut Rng, board: &Board, fits: fn(&Thing) -> bool) -> u64 {
        let own = self.with(|things| {
            let list: Vec<u64> = things
                .iter()
                .filter(|t| fits(t))
                .map(Thing::handle)
                .collect();
            (!list.is_empty() && rng.chance(95)).then(|| rng.pick(&list))
        });
        own.flatten().unwrap_or_else(|| board.handle(rng))
    }

    fn jfc(&self, rng: &mut Rng, board: &Board) -> u64 {
        self.one(rng, board, |thing| matches!(thing, Thing::Jfc(_)))
    }

    fn jfs_config(&self, rng: &mut Rng, board: &Board) -> JfsConfig {
        JfsConfig {
            depth: 1 << rng.below(8),
            flag: 0,
            mode: rng.pick(&[UBURMA_TM_RM, UBURMA_TM_RM, UBURMA_TM_RC, UBURMA_TM_UM]),
            priority: 0,
            max_sge: rng.below(9) as u8,
            max_rsge: 1,
            max_inline: rng.below(200) as u32,
            rnr_retry: rng.below(8) as u8,
            err_timeout: 17,
            jfc: self.jfc(rng, board),
            cookie: rng.next(),
            poll: (rng.below(8) == 0).then(|| rng.below(3000) as u32),
        }
    }

    fn jfr_config(&self, rng: &mut Rng, board: &Board) -> JfrConfig {
        JfrConfig {
            depth: 1 << rng.below(8),
            flag: 0,
            policy: UBURMA_TOKEN_PLAIN_TEXT,
            mode: rng.pick(&[UBURMA_TM_RM, UBURMA_TM_RM, UBURMA_TM_RC, UBURMA_TM_UM]),
            max_sge: rng.below(9) as u8,
            min_rnr_timer: rng.below(16) as u8,
            token: JETTY_TOKEN,
            id: 0,
            jfc: self.jfc(rng, board),
            cookie: rng.next(),
        }
    }

    fn make_jfc(&self, rng: &mut Rng) -> ub_client::Result<Thing> {
        let channel = self.with(|things| {
            let fds: Vec<i32> = things
                .iter()
                .filter_map(|thing| match thing {
                    Thing::Jfce(jfce) => Some(jfce.as_raw_fd()),
                    _ => None,
                })
                .collect();
            (!fds.is_empty()).then(|| rng.pick(&fds))
        });
        let config = JfcConfig {
            depth: 1 << rng.below(9),
            jfce_fd: channel.flatten().unwrap_or(UBURMA_NO_JFCE_FD),
            cookie: rng.next(),
            ..Default::default()
        };
        Jfc::create_with(&self.ctx, config).map(Thing::Jfc)
    }

    fn make_jetty(&self, rng: &mut Rng, board: &Board) -> ub_client::Result<Thing> {
        let jfr = self.with(|things| {
            things.iter().find_map(|thing| match thing {
                Thing::Jfr(jfr) => Some((jfr.handle(), jfr.id(), jfr.config().mode)),
                _ => None,
            })
        });
        let (handle, id, mode) = jfr
            .flatten()
            .unwrap_or((board.handle(rng), 1, UBURMA_TM_RM));
        let mut send = self.jfs_config(rng, board);
        send.mode = mode;
        let config = JettyConfig {
            id: 0,
            flag: UBURMA_JETTY_FLAG_SHARE_JFR,
            send,
            recv_jfc: self.jfc(rng, board),
            jfr: (handle, id),
            group: 0,
            token: JETTY_TOKEN,
            cookie: rng.next(),
        };
        Jetty::create(&self.ctx, config).map(Thing::Jetty)
    }

    fn make_target(&self, rng: &mut Rng, board: &Board) -> ub_client::Result<Thing> {
        let mode = rng.pick(&[UBURMA_TM_RM, UBURMA_TM_RM, UBURMA_TM_RC, UBURMA_TM_UM]);
        let config = TargetConfig::jetty(self.ctx.eid(), board.id(rng), JETTY_TOKEN).mode(mode);
        let made = match rng.below(3) {
            0 => Target::jfr(&self.ctx, config),
            _ => Target::jetty(&self.ctx, config),
        };
        made.map(Thing::Target)
    }

    fn make_segment(&self, rng: &mut Rng) -> ub_client::Result<Thing> {
        let offset = rng.below(self.memory.len() / 2);
        let len = 1 + rng.below(self.memory.len() / 2);
        let config = SegmentConfig {
            token: 7,
            ..Default::default()
        };
        Segment::register_own(&self.ctx, &self.memory, offset, len, config).map(Thing::Segment)
    }

    /// Makes an object; returns the number of the command and how it ended.
    pub fn make(&self, rng: &mut Rng, board: &Board) -> (u32, i32) {
        let (command, made) = match rng.below(10) {
            0 => (
                UBURMA_CMD_CREATE_JFCE,
                Jfce::create(&self.ctx).map(Thing::Jfce),
            ),
            1 | 2 => (UBURMA_CMD_CREATE_JFC, self.make_jfc(rng)),
            3 => {
                let config = self.jfs_config(rng, board);
                let made = Jfs::create(&self.ctx, config);
                (UBURMA_CMD_CREATE_JFS, made.map(Thing::Jfs))
            }
            4 => {
                let config = self.jfr_config(rng, board);
                let made = Jfr::create(&self.ctx, config);
                (UBURMA_CMD_CREATE_JFR, made.map(Thing::Jfr))
            }
            5 | 6 => (UBURMA_CMD_CREATE_JETTY, self.make_jetty(rng, board)),
            7 => (UBURMA_CMD_REGISTER_SEG, self.make_segment(rng)),
            _ => (UBURMA_CMD_IMPORT_JETTY, self.make_target(rng, board)),
        };
        match made {
            Ok(thing) => {
                self.show(&thing, board);
                let old = self.with(|things| {
                    things.push(thing);
                    (things.len() > MOST).then(|| things.swap_remove(rng.below(MOST)))
                });
                drop(old);
                (command, 0)
            }
            Err(err) => (command, err.errno()),
        }
    }

    fn show(&self, thing: &Thing, board: &Board) {
        board.put_handle(thing.handle());
        match thing {
            Thing::Jfr(jfr) => board.put_id(jfr.id()),
            Thing::Jetty(jetty) => board.put_id(jetty.id()),
            Thing::Segment(segment) => board.put_id(segment.token_id()),
            Thing::Target(target) => board.put_id(target.target_ref()),
            _ => (),
        }
    }

    /// Drops an object.
    pub fn destroy(&self, rng: &mut Rng) {
        let old = self.with(|things| {
            let at = rng.below(things.len());
            (!things.is_empty()).then(|| things.swap_remove(at))
        });
        drop(old);
    }

    /// Writes entries that mean something, or anything, into a ring, and rings.
    pub fn scribble(&self, rng: &mut Rng, board: &Board) -> i32 {
        let bell = self.with(|things| {
            let at = rng.below(things.len());
            let (ring, request) = things.get_mut(at)?.ring()?;
            let words = ring.mapping().len() / 8;
            let entry = ring.entry(ring.user_idx()) / 8;
            for _ in 0..1 + rng.below(12) {
                let near = entry + rng.below(16);
                let at = if rng.chance(70) {
                    near
                } else {
                    rng.below(words)
                };
                let value = match rng.below(4) {
                    0 => u64::from(board.id(rng)) << (32 * rng.below(2)),
                    1 => self.memory.addr() + rng.below(self.memory.len()) as u64,
                    2 => rng.below(300) as u64,
                    _ => rng.next(),
                };
                ring.mapping()
                    .store64(8 * at.min(words - 1), value, Relaxed);
            }
            let step = if rng.chance(90) {
                rng.below(3) as u32
            } else {
                rng.next() as u32
            };
            ring.set_user_idx(ring.user_idx().wrapping_add(step));
            Some((request, ring.resp().queue_ref))
        });
        let (request, queue) = bell.flatten().unwrap_or((IOC_SQ_KICK, board.id(rng)));
        match self.ctx.ring(request, queue, rng.next() as u32) {
            Ok(()) => 0,
            Err(err) => err.errno(),
        }
    }

    /// Sends to what was imported, by the rules.
    pub fn send(&self, rng: &mut Rng, board: &Board) -> i32 {
        let addr = self.memory.addr();
        let sent = self.with(|things| {
            let token = things.iter().find_map(|thing| match thing {
                Thing::Segment(segment) => Some(segment.token_id()),
                _ => None,
            })?;
            let target = things.iter().find_map(|thing| match thing {
                Thing::Target(target) => Some(target.target_ref()),
                _ => None,
            })?;
            let list = [ub_client::sge(addr + 4096, rng.below(60_000) as u32, token)];
            let remote = ub_client::RemoteRange {
                addr: addr + rng.below(1 << 17) as u64,
                token_id: if rng.chance(50) { token } else { board.id(rng) },
                token: 7,
            };
            let wr = match rng.below(3) {
                0 => ub_client::SendWr::read(target, remote, &list),
                1 => ub_client::SendWr::send(target, &list),
                _ => ub_client::SendWr::write(target, remote, &list),
            };
            let queue = things.iter_mut().find_map(|thing| match thing {
                Thing::Jetty(jetty) => Some(jetty.queue()),
                Thing::Jfs(jfs) => Some(jfs.queue()),
                _ => None,
            })?;
            Some(queue.send(&wr))
        });
        match sent.flatten() {
            Some(Err(err)) => err.errno(),
            _ => 0,
        }
    }

    /// Takes completions, and listens for events, for a moment at most.
    pub fn listen(&self, rng: &mut Rng) {
        let channel = self.with(|things| {
            for thing in things.iter_mut() {
                if let Thing::Jfc(jfc) = thing {
                    jfc.poll_many(64);
                }
            }
            let at = rng.below(things.len());
            match things.get(at) {
                Some(Thing::Jfce(jfce)) => ub_client::sys::duplicate(jfce.as_raw_fd()).ok(),
                _ => None,
            }
        });
        if let Some(channel) = channel.flatten() {
            let mut cmd = Jfce::wait_cmd(1 + rng.below(20) as u32, rng.below(4) as i32);
            let _ = cmd.run_event(channel.as_raw_fd());
        }
        if self
            .ctx
            .events()
            .poll_now()
            .is_ok_and(|ready| ready & libc::POLLIN != 0)
        {
            let _ = self.ctx.events().get();
        }
    }

    /// An offset for mmap(), of a ring or near one, and its length.
    pub fn area(&self, rng: &mut Rng) -> (u64, usize) {
        let own = self.with(|things| {
            let at = rng.below(things.len());
            let (ring, _) = things.get_mut(at)?.ring()?;
            Some((ring.resp().mmap_off, ring.resp().mmap_len as usize))
        });
        let (offset, len) = own.flatten().unwrap_or((rng.next() & 0xffff_f000, 4096));
        match rng.below(6) {
            0 => (offset + 4096, len),
            1 => (offset, len + 4096),
            2 => (rng.next() & 0x7fff_ffff_f000, 4096 << rng.below(10)),
            _ => (offset, len),
        }
    }
}
