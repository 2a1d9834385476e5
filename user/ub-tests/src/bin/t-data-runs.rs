// SPDX-License-Identifier: GPL-2.0

//! Data: batches, in which a request may have much in common with the one before it.

use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;

use ub_client::abi::*;
use ub_client::{Atomic, Segment, SegmentConfig, SendWr, Target};
use ub_tests::fixture::{expect_status, pattern, Pair, PairConfig, SOON};
use ub_tests::soak::Rng;
use ub_tests::{check, check_eq, of_run, tests, Failure, Outcome};

/// Bytes of each segment.
const LEN: usize = 16 << 10;
/// Requests of a batch.
const BATCH: usize = 32;

/// What a request is to do.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Write,
    Read,
    Add,
    Send,
}

/// One request of a batch; segments and targets by number.
#[derive(Clone, Copy)]
struct Step {
    kind: Kind,
    target: usize,
    near: usize,
    far: usize,
    near_at: usize,
    far_at: usize,
    len: usize,
    signaled: bool,
}

impl Step {
    /// One that is mostly like the one before.
    fn new(rng: &mut Rng, before: Option<Step>) -> Self {
        let mut step = before.unwrap_or(Step {
            kind: Kind::Write,
            target: 0,
            near: 0,
            far: 0,
            near_at: 0,
            far_at: 0,
            len: 0,
            signaled: true,
        });
        if rng.chance(25) {
            match rng.below(4) {
                0 => step.kind = rng.pick(&[Kind::Write, Kind::Read, Kind::Add, Kind::Send]),
                1 => step.target = rng.below(2),
                2 => step.near = rng.below(2),
                _ => step.far = rng.below(2),
            }
        }
        let most = rng.pick(&[8, 64, 300, 3000]);
        step.len = match step.kind {
            Kind::Add => 8,
            _ => 1 + rng.below(most),
        };
        step.near_at = rng.below(LEN - step.len);
        // Aligned for the sake of atomic operations.
        step.far_at = rng.below((LEN - step.len) / 8) * 8;
        step.signaled = rng.chance(75);
        step
    }
}

/// Two jettys that can be written to, and two segments on either side.
struct World {
    pair: Pair,
    second: Target,
    near: [Segment; 2],
    far: [Segment; 2],
}

impl World {
    fn new() -> Result<Self, Failure> {
        let pair = Pair::create_with(PairConfig {
            memory: BATCH * 4096,
            ..Default::default()
        })?;
        let segment = |of, token| Segment::alloc(of, LEN, token);
        let near = [segment(&pair.a.ctx, 1)?, segment(&pair.a.ctx, 2)?];
        let far = [segment(&pair.b.ctx, 3)?, segment(&pair.b.ctx, 4)?];
        let second = pair.a.import(&pair.b)?;
        Ok(World {
            pair,
            second,
            near,
            far,
        })
    }

    /// Posts a batch and compares all memory and completions with what it should do.
    fn batch(&mut self, steps: &[Step]) -> Outcome {
        let (mut near, mut far) = (bytes(&self.near), bytes(&self.far));
        let lists: Vec<[ubsoft_sge; 1]> = steps
            .iter()
            .map(|step| [self.near[step.near].sge(step.near_at, step.len)])
            .collect();
        let targets = [self.pair.ab.target_ref(), self.second.target_ref()];
        let mut received = Vec::new();
        let mut wrs = Vec::new();
        for (i, (step, list)) in steps.iter().zip(&lists).enumerate() {
            let remote = self.far[step.far].remote(step.far_at);
            let target = targets[step.target];
            let here = step.near_at..step.near_at + step.len;
            let there = step.far_at..step.far_at + step.len;
            let wr = match step.kind {
                Kind::Write => {
                    far[step.far][there].copy_from_slice(&near[step.near][here]);
                    SendWr::write(target, remote, list)
                }
                Kind::Read => {
                    near[step.near][here].copy_from_slice(&far[step.far][there]);
                    SendWr::read(target, remote, list)
                }
                Kind::Add => {
                    near[step.near][here].copy_from_slice(&far[step.far][there.clone()]);
                    let word = &mut far[step.far][there];
                    let old = u64::from_le_bytes([0, 1, 2, 3, 4, 5, 6, 7].map(|i| word[i]));
                    word.copy_from_slice(&old.wrapping_add(i as u64).to_le_bytes());
                    SendWr::atomic(target, remote, list, Atomic::Add(i as u64))
                }
                Kind::Send => {
                    let at = received.len() * 4096;
                    self.pair.b.post_recv(at, 4096, i as u64)?;
                    received.push((at, i, near[step.near][here].to_vec()));
                    SendWr::send(target, list)
                }
            };
            let wr = wr.user_ctx(i as u64);
            wrs.push(if step.signaled { wr } else { wr.unsignaled() });
        }
        let queue = self.pair.a.jetty.queue();
        check_eq!(queue.post_list(&wrs)?, steps.len());
        queue.kick()?;
        for (i, step) in steps.iter().enumerate().filter(|(_, step)| step.signaled) {
            let cqe = self.pair.a.wait_sent()?;
            expect_status(&cqe, UBURMA_CR_SUCCESS)?;
            check_eq!((cqe.user_ctx, cqe.byte_len as usize), (i as u64, step.len));
        }
        for (at, i, data) in received {
            let cqe = self.pair.b.wait_received()?;
            expect_status(&cqe, UBURMA_CR_SUCCESS)?;
            check_eq!(
                (cqe.user_ctx, cqe.byte_len as usize),
                (i as u64, data.len())
            );
            check!(
                self.pair.b.memory.bytes(at, data.len()) == data,
                "message {i}"
            );
        }
        // What was not signaled is done too when this one is.
        let last = SendWr::nop(targets[0]).user_ctx(!0);
        self.pair.a.expect(&last, UBURMA_CR_SUCCESS)?;
        check!(bytes(&self.near) == near, "the sender's memory");
        check!(bytes(&self.far) == far, "the receiver's memory");
        Ok(())
    }
}

/// All of some segments.
fn bytes(segments: &[Segment; 2]) -> [Vec<u8>; 2] {
    [segments[0].bytes(0, LEN), segments[1].bytes(0, LEN)]
}

fn batches_do_what_their_requests_say() -> Outcome {
    let mut world = World::new()?;
    for (i, segment) in world.near.iter().chain(&world.far).enumerate() {
        segment.write(0, &pattern(i as u64, LEN));
    }
    for round in 0..of_run(100, 3000) {
        let mut rng = Rng::new(11, &[round]);
        let mut steps: Vec<Step> = Vec::new();
        for _ in 0..BATCH {
            let step = Step::new(&mut rng, steps.last().copied());
            steps.push(step);
        }
        world
            .batch(&steps)
            .map_err(|why| Failure::Fail(format!("round {round}: {why:?}")))?;
    }
    Ok(())
}

/// Segments, and others of the same memory.
struct Scene {
    pair: Pair,
    near: Segment,
    far: Segment,
    /// The memory of `near`, as another context has it.
    foreign: Segment,
    /// The memory of `far`, which peers may only read here.
    read_only: Segment,
}

impl Scene {
    fn new() -> Result<Self, Failure> {
        let pair = Pair::create()?;
        let near = Segment::alloc(&pair.a.ctx, LEN, 1)?;
        near.write(0, &pattern(7, 1024));
        let far = Segment::alloc(&pair.b.ctx, LEN, 2)?;
        let config = SegmentConfig {
            token: 2,
            access: UBURMA_ACCESS_READ,
            ..Default::default()
        };
        let again = |memory| Segment::register_own(&pair.b.ctx, memory, 0, LEN, config);
        let (foreign, read_only) = (again(near.memory())?, again(far.memory())?);
        Ok(Scene {
            pair,
            near,
            far,
            foreign,
            read_only,
        })
    }
}

/// A request that is wrong in one respect, behind those that are not, and before another.
fn a_wrong_request_among_right_ones() -> Outcome {
    type Spoil = fn(&Scene, &mut ubsoft_sqe, &mut ubsoft_sge);
    const LOCAL: u32 = UBURMA_CR_LOC_ACCESS_ERR;
    const REMOTE: u32 = UBURMA_CR_REM_ACCESS_ABORT_ERR;
    let wrongs: [(&str, u32, Spoil); 10] = [
        ("local end", LOCAL, |_, _, sge| sge.addr += LEN as u64 - 63),
        ("local start", LOCAL, |_, _, sge| sge.addr -= 1024),
        ("local wrap", LOCAL, |_, _, sge| sge.addr = u64::MAX - 8),
        ("local segment", LOCAL, |scene, _, sge| {
            sge.token_id = scene.foreign.token_id()
        }),
        ("length", UBURMA_CR_LOC_LEN_ERR, |_, _, sge| sge.len -= 1),
        ("remote end", REMOTE, |_, head, _| {
            head.remote_addr += LEN as u64 - 63
        }),
        ("remote start", REMOTE, |_, head, _| {
            head.remote_addr -= 1024
        }),
        ("remote segment", REMOTE, |scene, head, _| {
            head.remote_token_id = scene.read_only.token_id()
        }),
        ("token", REMOTE, |_, head, _| head.remote_token ^= 1 << 31),
        ("target", UBURMA_CR_LOC_OPERATION_ERR, |_, head, _| {
            head.target_ref ^= 1 << 30
        }),
    ];
    for (what, status, spoil) in wrongs {
        for before in [0usize, 1, 5] {
            let mut scene = Scene::new()?;
            let count = before + 2;
            for i in 0..count {
                let mut list = [scene.near.sge(64 * i, 64)];
                let remote = scene.far.remote(64 * i);
                let wr = SendWr::write(scene.pair.to_b(), remote, &list).user_ctx(i as u64);
                let mut head = wr.head;
                if i == before {
                    spoil(&scene, &mut head, &mut list[0]);
                }
                let queue = scene.pair.a.jetty.queue();
                queue.ring_mut().push_unchecked(&head, &list, &[]);
            }
            let Scene {
                pair, near, far, ..
            } = &mut scene;
            pair.a.jetty.queue().ring().publish();
            pair.a.jetty.queue().kick()?;
            for i in 0..count {
                let due = match i {
                    i if i < before => UBURMA_CR_SUCCESS,
                    i if i == before => status,
                    _ => UBURMA_CR_WR_FLUSH_ERR,
                };
                let cqe = pair.a.wait_sent()?;
                expect_status(&cqe, due)
                    .map_err(|why| Failure::Fail(format!("{what} after {before}: {why:?}")))?;
                check_eq!(cqe.user_ctx, i as u64);
            }
            let done = 64 * before;
            check!(
                far.bytes(0, done) == near.bytes(0, done),
                "{what} after {before}"
            );
            check_eq!(far.bytes(done, 256), vec![0; 256], "{what} after {before}");
        }
    }
    Ok(())
}

/// When a segment has been unregistered, no request of a batch that is under way writes to its
/// memory any more.
fn a_segment_goes_while_batches_run() -> Outcome {
    let pair = Pair::create()?;
    let target = pair.to_b();
    let Pair { a, b, ab, ba } = pair;
    let mut a = a;
    for round in 0..of_run(20, 400) {
        let mut victim = Segment::alloc(&b.ctx, LEN, 5)?;
        let started = Arc::new(AtomicBool::new(false));
        let remote = victim.remote(0);
        let result = std::thread::scope(|scope| {
            let sender = {
                let (a, started) = (&mut a, started.clone());
                scope.spawn(move || -> Outcome {
                    let list = [a.memory.sge(0, 512)];
                    let batch: Vec<_> = (0..BATCH)
                        .map(|_| SendWr::write(target, remote, &list))
                        .collect();
                    loop {
                        a.jetty.queue().post_list(&batch)?;
                        a.jetty.queue().kick()?;
                        started.store(true, Ordering::Release);
                        let mut statuses = (0..BATCH).map(|_| a.sent.wait_polling(SOON));
                        let bad = statuses.try_fold(false, |bad, cqe| {
                            cqe.map(|cqe| bad || u32::from(cqe.status) != UBURMA_CR_SUCCESS)
                        })?;
                        if bad {
                            return Ok(());
                        }
                    }
                })
            };
            while !started.load(Ordering::Acquire) {
                std::hint::spin_loop();
            }
            for _ in 0..Rng::new(5, &[round]).below(20_000) {
                std::hint::spin_loop();
            }
            victim.unregister()?;
            victim.fill(0, LEN, 0xee);
            sender
                .join()
                .map_err(|_| Failure::Fail("a thread died".to_string()))?
        });
        result?;
        check_eq!(victim.bytes(0, LEN), vec![0xee; LEN]);
        // In service again.
        let done = a.wait_sent()?;
        expect_status(&done, UBURMA_CR_WR_FLUSH_ERR_DONE)?;
        a.jetty.set_state(UBURMA_JETTY_STATE_RESET)?;
        a.jetty.set_state(UBURMA_JETTY_STATE_READY)?;
    }
    drop((ab, ba));
    Ok(())
}

pub fn main() -> ExitCode {
    ub_tests::run(
        "t-data-runs",
        tests![
            batches_do_what_their_requests_say,
            a_wrong_request_among_right_ones,
            a_segment_goes_while_batches_run,
        ],
    )
}
