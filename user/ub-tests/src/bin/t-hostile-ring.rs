// SPDX-License-Identifier: GPL-2.0

//! A process that lies in its rings, from several threads, while the kernel reads them.
//! The kernel must stay sound, and what the process may not touch must stay as it is.
//!
//! Each test takes some seconds: argument `seconds=` says how many.

use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use ub_client::abi::*;
use ub_client::sys::Mapping;
use ub_client::{sge, Jfc, RecvWr, RemoteRange, Segment, SendWr, Target};
use ub_tests::fixture::{Pair, PairConfig, Side};
use ub_tests::{check, check_eq, tests, Failure, Options, Outcome};

fn duration() -> Duration {
    let seconds = std::env::args()
        .find_map(|arg| arg.strip_prefix("seconds=")?.parse().ok())
        .unwrap_or(2);
    Duration::from_secs(seconds)
}

/// A small generator; each thread has its own seed, so a run can be repeated.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }

    /// A value that is likely to be near a limit.
    fn nasty(&mut self) -> u64 {
        match self.below(8) {
            0 => 0,
            1 => u64::MAX,
            2 => 1 << self.below(64),
            3 => (1 << self.below(64)) - 1,
            4 => u64::from(self.next() as u32),
            5 => self.below(256),
            6 => 0x7fff_ffff,
            _ => self.next(),
        }
    }
}

/// Memory of somebody else, which the liar knows nothing of.
struct Bystander {
    side: Side,
    own: Target,
}

impl Bystander {
    fn create() -> Result<Self, Failure> {
        let side = Side::create(Default::default())?;
        side.memory.fill(0, side.memory.len(), 0xbd);
        let own = Target::jetty(&side.ctx, side.target_config())?;
        Ok(Bystander { side, own })
    }

    /// Its memory is as it was, and it still works.
    fn check(&mut self) -> Outcome {
        let len = self.side.memory.len();
        check!(
            self.side
                .memory
                .bytes(0, len)
                .iter()
                .all(|byte| *byte == 0xbd),
            "memory of a bystander was changed"
        );
        let list = [self.side.memory.sge(0, 64)];
        let wr = SendWr::write(self.own.target_ref(), self.side.memory.remote(64), &list);
        self.side.expect(&wr, UBURMA_CR_SUCCESS)?;
        Ok(())
    }
}

/// Runs liars until the time is over, then looks after the bystander and a fresh pair.
fn attack(liars: &[&(dyn Fn(&mut Random) + Sync)]) -> Outcome {
    let mut bystander = Bystander::create()?;
    let rounds = AtomicU64::new(0);
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for (i, liar) in liars.iter().enumerate() {
            let (stop, rounds) = (&stop, &rounds);
            scope.spawn(move || {
                let mut random = Random(0x9e37_79b9_7f4a_7c15 ^ (i as u64 + 1));
                while !stop.load(Ordering::Relaxed) {
                    liar(&mut random);
                    rounds.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
        let start = Instant::now();
        while start.elapsed() < duration() {
            std::thread::sleep(Duration::from_millis(50));
        }
        stop.store(true, Ordering::Relaxed);
    });
    check!(
        rounds.load(Ordering::Relaxed) > 100,
        "hardly anything was done"
    );
    bystander.check()?;
    let mut pair = Pair::create()?;
    let list = [pair.a.memory.sge(0, 64)];
    let wr = SendWr::write(pair.to_b(), pair.b.memory.remote(0), &list);
    pair.a.expect(&wr, UBURMA_CR_SUCCESS)?;
    Ok(())
}

/// Scribbles into a range of a mapping: bits, bytes, words.
fn scribble(map: &Mapping, from: usize, len: usize, random: &mut Random) {
    let at = from + (random.below(len as u64) as usize & !7);
    let value = match random.below(3) {
        0 => map.load64(at, Ordering::Relaxed) ^ (1 << random.below(64)),
        1 => random.nasty(),
        _ => random.nasty() | (random.nasty() << 32),
    };
    map.store64(at, value, Ordering::Relaxed);
}

/// A jetty that has failed is set to work again.
fn revive(side: &Side) {
    let _ = side.jetty.set_state(UBURMA_JETTY_STATE_RESET);
    let _ = side.jetty.set_state(UBURMA_JETTY_STATE_READY);
}

fn producer_index() -> Outcome {
    let mut pair = Pair::create()?;
    let target = pair.to_b();
    let remote = pair.b.memory.remote(0);
    let list = [pair.a.memory.sge(0, 64)];
    for _ in 0..64 {
        pair.a
            .jetty
            .queue()
            .post(&SendWr::write(target, remote, &list))?;
    }
    let queue = pair.a.jetty.queue().ring().ring().resp().queue_ref;
    let side = SideView::of(&pair.a);
    let map = pair.a.jetty.queue().ring().ring().mapping();
    let offset = std::mem::offset_of!(ubsoft_ring_header, user_idx);
    attack(&[
        &|random| {
            let kern = map.load32(128, Ordering::Relaxed);
            let value = match random.below(4) {
                0 => kern.wrapping_add(random.below(70) as u32),
                1 => kern.wrapping_sub(random.below(4) as u32),
                _ => random.nasty() as u32,
            };
            map.store32(offset, value, Ordering::Release);
        },
        &|_| {
            let _ = side.ctx.ring(IOC_SQ_KICK, queue, 0);
        },
        &|_| {
            std::thread::sleep(Duration::from_millis(1));
            side.revive();
        },
    ])
}

/// What a thread needs of a side while others use it.
struct SideView {
    ctx: ub_client::Context,
    jetty: u64,
}

impl SideView {
    fn of(side: &Side) -> Self {
        SideView {
            ctx: side.ctx.clone(),
            jetty: side.jetty.handle(),
        }
    }

    fn set_state(&self, state: u32) {
        let mask = UBURMA_JETTY_ATTR_STATE;
        let mut cmd = ub_client::Jetty::modify_cmd(self.jetty, mask, 0, state);
        let _ = self.ctx.run(&mut cmd);
    }

    fn revive(&self) {
        self.set_state(UBURMA_JETTY_STATE_RESET);
        self.set_state(UBURMA_JETTY_STATE_READY);
    }
}

/// Good requests, of which another thread changes bits while they are carried out.
fn send_entries() -> Outcome {
    let mut pair = Pair::create_with(PairConfig {
        depth: 16,
        max_sge: 8,
        ..Default::default()
    })?;
    let target = pair.to_b();
    let memory = (pair.a.memory.remote(0), pair.b.memory.remote(0));
    let side = SideView::of(&pair.a);
    let queue = *pair.a.jetty.queue().ring().ring().resp();
    let second = Mapping::file(
        pair.a.ctx.dev_fd(),
        queue.mmap_off,
        queue.mmap_len as usize,
        Default::default(),
    )?;
    let pair = std::sync::Mutex::new(pair);
    let len = (queue.entries * queue.stride) as usize;
    attack(&[
        &|random| scribble(&second, 4096, len, random),
        &|random| {
            let Ok(mut pair) = pair.lock() else { return };
            let wr = any_request(random, target, memory);
            let list: Vec<ubsoft_sge> = (0..random.below(9))
                .map(|_| any_range(random, memory.0))
                .collect();
            if pair.a.jetty.queue().ring().space() == 0 {
                revive(&pair.a);
                let kern = pair.a.jetty.queue().ring().ring().kern_idx();
                pair.a.jetty.queue().ring().ring().set_user_idx(kern);
            }
            pair.a
                .jetty
                .queue()
                .ring_mut()
                .push_unchecked(&wr, &list, &[]);
            pair.a.jetty.queue().ring().publish();
            let _ = pair.a.jetty.queue().kick();
            pair.a.sent.poll_many(64);
        },
        &|_| {
            let _ = side.ctx.ring(IOC_SQ_KICK, queue.queue_ref, 0);
        },
        &|_| {
            std::thread::sleep(Duration::from_millis(2));
            side.revive();
        },
    ])
}

/// A request that is right in most of its parts.
fn any_request(random: &mut Random, target: u32, memory: (RemoteRange, RemoteRange)) -> ubsoft_sqe {
    const OPCODES: [u32; 15] = [
        UBURMA_OPC_WRITE,
        UBURMA_OPC_WRITE_IMM,
        UBURMA_OPC_WRITE_NOTIFY,
        UBURMA_OPC_READ,
        UBURMA_OPC_CAS,
        UBURMA_OPC_SWAP,
        UBURMA_OPC_FADD,
        UBURMA_OPC_FSUB,
        UBURMA_OPC_FAND,
        UBURMA_OPC_FOR,
        UBURMA_OPC_FXOR,
        UBURMA_OPC_SEND,
        UBURMA_OPC_SEND_IMM,
        UBURMA_OPC_SEND_INVALIDATE,
        UBURMA_OPC_NOP,
    ];
    let mut odd = |good: u64| match random.below(12) {
        0 => random.nasty(),
        _ => good,
    };
    ubsoft_sqe {
        user_ctx: odd(1),
        opcode: odd(0) as u8,
        num_sge: odd(1) as u8,
        flags: odd(UBURMA_JFS_WR_FLAG_COMPLETE_ENABLE.into()) as u16,
        total_len: odd(64) as u32,
        target_ref: odd(target.into()) as u32,
        target_hint: odd(0) as u32,
        remote_addr: odd(memory.1.addr),
        remote_token_id: odd(memory.1.token_id.into()) as u32,
        remote_token: odd(memory.1.token.into()) as u32,
        arg0: odd(7),
        arg1: odd(memory.1.addr + 8192),
        notify_token_id: odd(memory.1.token_id.into()) as u32,
        notify_token: odd(memory.1.token.into()) as u32,
    }
    .with_opcode(OPCODES[random.below(15) as usize])
}

/// Sets the opcode unless chance has set one.
trait WithOpcode {
    fn with_opcode(self, opcode: u32) -> Self;
}

impl WithOpcode for ubsoft_sqe {
    fn with_opcode(mut self, opcode: u32) -> Self {
        if self.opcode == 0 {
            self.opcode = opcode as u8;
        }
        self
    }
}

fn any_range(random: &mut Random, memory: RemoteRange) -> ubsoft_sge {
    let addr = match random.below(10) {
        0 => random.nasty(),
        _ => memory.addr + random.below(60_000),
    };
    let len = match random.below(6) {
        0 => random.nasty() as u32,
        1 => 0,
        _ => random.below(64) as u32,
    };
    let token_id = match random.below(15) {
        0 => random.nasty() as u32,
        _ => memory.token_id,
    };
    sge(addr, len, token_id)
}

fn receive_entries() -> Outcome {
    let mut pair = Pair::create_with(PairConfig {
        depth: 16,
        rnr_retry: 0,
        min_rnr_timer: 0,
        ..Default::default()
    })?;
    let target = pair.to_b();
    let side = SideView::of(&pair.a);
    let resp = *pair.b.jfr.ring().ring().resp();
    let map = Mapping::file(
        pair.b.ctx.dev_fd(),
        resp.mmap_off,
        resp.mmap_len as usize,
        Default::default(),
    )?;
    let list = [pair.b.memory.sge(0, 512)];
    for _ in 0..16 {
        pair.b.jfr.post(&RecvWr::new(&list))?;
    }
    let len = (resp.entries * resp.stride) as usize;
    let ctx = pair.b.ctx.clone();
    let source = [pair.a.memory.sge(0, 256)];
    let Pair { a, b, ab, ba } = pair;
    let a = std::sync::Mutex::new(a);
    let done = attack(&[
        &|random| scribble(&map, 4096, len, random),
        &|random| {
            let kern = map.load32(128, Ordering::Relaxed);
            let value = match random.below(5) {
                0 => random.nasty() as u32,
                _ => kern.wrapping_add(random.below(20) as u32),
            };
            map.store32(64, value, Ordering::Release);
        },
        &|random| {
            let Ok(mut a) = a.lock() else { return };
            let wr = match random.below(2) {
                0 => SendWr::send(target, &source),
                _ => SendWr::send_imm(target, &source, 5),
            };
            if a.jetty.queue().send(&wr).is_err() {
                side.revive();
            }
            for cqe in a.sent.poll_many(64) {
                if u32::from(cqe.status) != UBURMA_CR_SUCCESS {
                    side.revive();
                }
            }
        },
        &|_| {
            let _ = ctx.ring(IOC_RQ_KICK, resp.queue_ref, 0);
        },
    ]);
    drop((ab, ba, b));
    done
}

fn completion_queues() -> Outcome {
    let pair = Pair::create_with(PairConfig {
        jfc_depth: 16,
        ..Default::default()
    })?;
    let target = pair.to_b();
    let remote = pair.b.memory.remote(0);
    let resp = *pair.a.sent.ring().ring().resp();
    let map = Mapping::file(
        pair.a.ctx.dev_fd(),
        resp.mmap_off,
        resp.mmap_len as usize,
        Default::default(),
    )?;
    let ctx = pair.a.ctx.clone();
    let list = [pair.a.memory.sge(0, 64)];
    let Pair { a, b, ab, ba } = pair;
    let a = std::sync::Mutex::new(a);
    let done = attack(&[
        &|random| scribble(&map, 0, resp.mmap_len as usize, random),
        &|random| map.store32(64, random.nasty() as u32, Ordering::Release),
        &|_| {
            let Ok(mut a) = a.lock() else { return };
            let wr = SendWr::write(target, remote, &list);
            if a.jetty.queue().send(&wr).is_err() {
                revive(&a);
            }
        },
        &|random| {
            let _ = ctx.ring(IOC_CQ_ARM, resp.queue_ref, random.nasty() as u32);
            let _ = ctx.ring(IOC_CQ_ARM_SOLICITED, resp.queue_ref, random.nasty() as u32);
        },
    ]);
    drop((ab, ba, b));
    done
}

fn headers() -> Outcome {
    let mut pair = Pair::create()?;
    let target = pair.to_b();
    let remote = pair.b.memory.remote(0);
    let list = [pair.a.memory.sge(0, 64)];
    let resps = [
        *pair.a.sent.ring().ring().resp(),
        *pair.a.jetty.queue().ring().ring().resp(),
        *pair.a.jfr.ring().ring().resp(),
    ];
    let mut maps = Vec::new();
    for resp in resps {
        let len = resp.mmap_len as usize;
        let fd = pair.a.ctx.dev_fd();
        maps.push(Mapping::file(fd, resp.mmap_off, len, Default::default())?);
    }
    let Pair { a, b, ab, ba } = pair;
    let a = std::sync::Mutex::new(a);
    let done = attack(&[
        &|random| {
            let map = &maps[random.below(3) as usize];
            scribble(map, 0, 4096, random);
        },
        &|_| {
            let Ok(mut a) = a.lock() else { return };
            let wr = SendWr::write(target, remote, &list);
            let _ = a.jetty.queue().send(&wr);
            a.sent.poll_many(16);
            revive(&a);
        },
    ]);
    drop((ab, ba, b));
    done
}

/// Segments and targets come and go while requests name them.
fn names_that_come_and_go() -> Outcome {
    let pair = Pair::create()?;
    let config = pair.b.target_config();
    let (own, peer) = (pair.a.ctx.clone(), pair.b.ctx.clone());
    // Names as they were last seen: address, token id, target.
    let names = [AtomicU64::new(0), AtomicU64::new(0), AtomicU64::new(0)];
    let Pair { a, b, ab, ba } = pair;
    let a = std::sync::Mutex::new(a);
    let done = attack(&[
        &|_| {
            let Ok(segment) = Segment::alloc(&peer, 8192, 5) else {
                return;
            };
            names[0].store(segment.addr(), Ordering::Relaxed);
            names[1].store(u64::from(segment.token_id()), Ordering::Relaxed);
            std::thread::yield_now();
        },
        &|_| {
            let Ok(target) = Target::jetty(&own, config) else {
                return;
            };
            names[2].store(u64::from(target.target_ref()), Ordering::Relaxed);
            std::thread::yield_now();
        },
        &|random| {
            let Ok(mut a) = a.lock() else { return };
            let remote = RemoteRange {
                addr: names[0].load(Ordering::Relaxed),
                token_id: names[1].load(Ordering::Relaxed) as u32,
                token: 5,
            };
            let target = names[2].load(Ordering::Relaxed) as u32;
            let list = [a.memory.sge(0, 8192)];
            let wr = match random.below(2) {
                0 => SendWr::write(target, remote, &list),
                _ => SendWr::read(target, remote, &list),
            };
            let _ = a.jetty.queue().send(&wr);
            for cqe in a.sent.poll_many(16) {
                if u32::from(cqe.status) != UBURMA_CR_SUCCESS {
                    revive(&a);
                }
            }
        },
    ]);
    drop((ab, ba, b));
    done
}

fn doorbells_at_random() -> Outcome {
    let pair = Pair::create()?;
    let ctx = pair.a.ctx.clone();
    let refs = [
        pair.a.sent.ring().ring().resp().queue_ref,
        pair.a.jfr.ring().ring().resp().queue_ref,
        pair.b.sent.ring().ring().resp().queue_ref,
    ];
    let ring = |random: &mut Random| {
        let request = IOC_SQ_KICK + random.below(4);
        let queue = match random.below(3) {
            0 => random.nasty() as u32,
            1 => refs[random.below(3) as usize] ^ (1 << random.below(32)),
            _ => refs[random.below(3) as usize],
        };
        let _ = ctx.ring(request, queue, random.nasty() as u32);
    };
    attack(&[&ring, &ring, &|_| {
        let _ = Jfc::create(&ctx, 8);
    }])
}

/// The bystander test itself: it does notice.
fn bystander_notices() -> Outcome {
    let mut bystander = Bystander::create()?;
    bystander.check()?;
    bystander.side.memory.write(500, &[0]);
    check!(bystander.check().is_err());
    check_eq!(bystander.side.memory.bytes(500, 1), vec![0]);
    Ok(())
}

pub fn main() -> ExitCode {
    let options = Options {
        limit: 60 + 2 * duration().as_secs() as u32,
        ..Default::default()
    };
    ub_tests::run_with(
        "t-hostile-ring",
        tests![
            bystander_notices,
            producer_index,
            send_entries,
            receive_entries,
            completion_queues,
            headers,
            names_that_come_and_go,
            doorbells_at_random,
        ],
        options,
    )
}
