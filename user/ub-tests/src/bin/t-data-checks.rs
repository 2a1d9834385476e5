// SPDX-License-Identifier: GPL-2.0

//! Data: requests that are refused, and with which status.

use std::process::ExitCode;

use ub_client::abi::*;
use ub_client::{sge, Atomic, Segment, SegmentConfig, SendWr};
use ub_tests::fixture::{expect_status, modes, Pair, PairConfig, SEG_TOKEN};
use ub_tests::{check, check_eq, tests, Failure, Outcome};

/// Runs a request that must fail, on a fresh pair: the queue is in error afterwards.
fn fails(status: u32, make: impl Fn(&Pair, &mut Vec<ubsoft_sge>) -> SendWr<'static>) -> Outcome {
    fails_with(PairConfig::default(), status, make)
}

fn fails_with(
    config: PairConfig,
    status: u32,
    make: impl Fn(&Pair, &mut Vec<ubsoft_sge>) -> SendWr<'static>,
) -> Outcome {
    let mut pair = Pair::create_with(config)?;
    pair.b.memory.fill(0, 4096, 0x5e);
    let mut list = Vec::new();
    let wr = make(&pair, &mut list);
    // As if the caller had given the list, with whatever the head says of it.
    pair.a
        .jetty
        .queue()
        .ring_mut()
        .push_unchecked(&wr.head, &list, wr.inline);
    pair.a.jetty.queue().ring().publish();
    pair.a.jetty.queue().kick()?;
    let cqe = pair.a.wait_sent()?;
    expect_status(&cqe, status)?;
    check_eq!(cqe.user_ctx, wr.head.user_ctx);
    check_eq!(
        pair.b.memory.bytes(0, 4096),
        vec![0x5e; 4096],
        "the peer's memory"
    );
    Ok(())
}

/// A request whose list is pushed separately.
fn with_list(mut wr: SendWr<'_>, list: &[ubsoft_sge]) -> SendWr<'static> {
    wr.head.num_sge = list.len() as u8;
    wr.head.total_len = list.iter().map(|sge| sge.len).sum();
    wr.head.user_ctx = 0x77;
    SendWr {
        head: wr.head,
        sges: &[],
        inline: &[],
    }
}

fn remote_access_is_checked() -> Outcome {
    let status = UBURMA_CR_REM_ACCESS_ABORT_ERR;
    let len = PairConfig::default().memory;
    // (offset, length, what is wrong with token, token id)
    let cases = [
        (0, 64, 1, 0),
        (0, 64, 0, 1),
        (0, 64, 0, 0x7fff_0000),
        (len as u64 - 63, 64, 0, 0),
        (len as u64, 1, 0, 0),
        (u64::MAX, 64, 0, 0),
        (u64::MAX - 4096, 64, 0, 0),
        (1 << 40, 64, 0, 0),
    ];
    for (offset, len, token, token_id) in cases {
        for read in [false, true] {
            fails(status, |pair, list| {
                let mut remote = pair.b.memory.remote(0).plus(offset);
                remote.token ^= token;
                remote.token_id ^= token_id;
                list.push(pair.a.memory.sge(0, len));
                let wr = match read {
                    true => SendWr::read(pair.to_b(), remote, &[]),
                    false => SendWr::write(pair.to_b(), remote, &[]),
                };
                with_list(wr, list)
            })
            .map_err(|why| {
                Failure::Fail(format!(
                    "offset {offset:#x}, token {token:#x}, id {token_id:#x}, read {read}: {why:?}"
                ))
            })?;
        }
    }
    Ok(())
}

fn access_bits_are_checked() -> Outcome {
    const READ: u32 = UBURMA_ACCESS_READ;
    const WRITE: u32 = UBURMA_ACCESS_WRITE;
    const ATOMIC: u32 = UBURMA_ACCESS_ATOMIC;
    let all = [
        0,
        UBURMA_ACCESS_LOCAL_ONLY,
        READ,
        WRITE,
        READ | WRITE,
        ATOMIC,
        READ | WRITE | ATOMIC,
    ];
    for access in all {
        for (needed, kind) in [(READ, 0), (WRITE, 1), (ATOMIC, 2)] {
            let mut pair = Pair::create()?;
            let config = SegmentConfig {
                token: SEG_TOKEN,
                access,
                ..Default::default()
            };
            let segment = match Segment::alloc_with(&pair.b.ctx, 4096, config) {
                Ok(segment) => segment,
                // One right implies another.
                Err(err) if err.errno() == libc::EINVAL && [WRITE, ATOMIC].contains(&access) => {
                    continue
                }
                Err(err) => return Err(err.into()),
            };
            let target = pair.to_b();
            let list = [pair.a.memory.sge(0, 8)];
            let wr = match kind {
                0 => SendWr::read(target, segment.remote(0), &list),
                1 => SendWr::write(target, segment.remote(0), &list),
                _ => SendWr::atomic(target, segment.remote(0), &list, Atomic::Add(1)),
            };
            let allowed = access & needed == needed && access & UBURMA_ACCESS_LOCAL_ONLY == 0;
            let status = match allowed {
                true => UBURMA_CR_SUCCESS,
                false => UBURMA_CR_REM_ACCESS_ABORT_ERR,
            };
            pair.a.expect(&wr, status).map_err(|why| {
                Failure::Fail(format!("access {access:#x}, needed {needed:#x}: {why:?}"))
            })?;
        }
    }
    Ok(())
}

fn no_token_is_needed_without_policy() -> Outcome {
    let mut pair = Pair::create()?;
    let config = SegmentConfig {
        policy: UBURMA_TOKEN_NONE,
        ..Default::default()
    };
    let segment = Segment::alloc_with(&pair.b.ctx, 4096, config)?;
    let mut remote = segment.remote(0);
    remote.token = 0xffff_ffff;
    let list = [pair.a.memory.sge(0, 8)];
    let wr = SendWr::write(pair.to_b(), remote, &list);
    pair.a.expect(&wr, UBURMA_CR_SUCCESS)?;
    Ok(())
}

fn local_ranges_are_checked() -> Outcome {
    let len = PairConfig::default().memory;
    let cases = [
        (0u64, 64, 1u32),
        (0, 64, 0x7fff_0000),
        (len as u64 - 63, 64, 0),
        (len as u64 + (1 << 30), 64, 0),
        (u64::MAX / 2, 64, 0),
        (0u64.wrapping_sub(64), 64, 0),
    ];
    for (offset, len, token_id) in cases {
        for op in 0..3 {
            fails(UBURMA_CR_LOC_ACCESS_ERR, |pair, list| {
                let own = pair.a.memory.sge(0, 0);
                list.push(sge(
                    own.addr.wrapping_add(offset),
                    len,
                    own.token_id ^ token_id,
                ));
                let remote = pair.b.memory.remote(0);
                let wr = match op {
                    0 => SendWr::write(pair.to_b(), remote, &[]),
                    1 => SendWr::read(pair.to_b(), remote, &[]),
                    _ => SendWr::write_imm(pair.to_b(), remote, &[], 1),
                };
                with_list(wr, list)
            })
            .map_err(|why| {
                Failure::Fail(format!("{offset:#x}, {token_id:#x}, op {op}: {why:?}"))
            })?;
        }
    }
    Ok(())
}

/// A token id of another context is not ours, even if it can be guessed.
fn local_ranges_are_of_their_context() -> Outcome {
    fails(UBURMA_CR_LOC_ACCESS_ERR, |pair, list| {
        list.push(pair.b.memory.sge(0, 64));
        with_list(
            SendWr::write(pair.to_b(), pair.b.memory.remote(0), &[]),
            list,
        )
    })
}

fn requests_that_contradict_themselves() -> Outcome {
    let set = |change: fn(&mut ubsoft_sqe), status: u32| {
        fails(status, |pair, list| {
            list.push(pair.a.memory.sge(0, 64));
            let wr = SendWr::write(pair.to_b(), pair.b.memory.remote(0), &[]);
            let mut wr = with_list(wr, list);
            change(&mut wr.head);
            wr
        })
    };
    set(|head| head.opcode = 0x03, UBURMA_CR_UNSUPPORTED_OPCODE_ERR)?;
    set(|head| head.opcode = 0x60, UBURMA_CR_UNSUPPORTED_OPCODE_ERR)?;
    set(|head| head.opcode = 0xff, UBURMA_CR_UNSUPPORTED_OPCODE_ERR)?;
    set(|head| head.total_len = 65, UBURMA_CR_LOC_LEN_ERR)?;
    set(|head| head.total_len = 0, UBURMA_CR_LOC_LEN_ERR)?;
    set(|head| head.total_len = u32::MAX, UBURMA_CR_LOC_LEN_ERR)?;
    set(|head| head.num_sge = 255, UBURMA_CR_LOC_OPERATION_ERR)?;
    set(|head| head.flags |= 1 << 10, UBURMA_CR_LOC_OPERATION_ERR)?;
    set(|head| head.flags |= 1 << 15, UBURMA_CR_LOC_OPERATION_ERR)?;
    set(
        |head| head.flags |= UBURMA_JFS_WR_FLAG_INLINE_FLAG as u16,
        UBURMA_CR_LOC_OPERATION_ERR,
    )?;
    set(|head| head.target_ref = 0, UBURMA_CR_LOC_OPERATION_ERR)?;
    Ok(())
}

fn inline_data_is_checked() -> Outcome {
    // Longer than the queue allows.
    fails(UBURMA_CR_LOC_LEN_ERR, |pair, _| {
        let wr = SendWr::write(pair.to_b(), pair.b.memory.remote(0), &[]).inline(&[7; 32]);
        let mut wr = SendWr {
            head: wr.head,
            sges: &[],
            inline: &[7; 32],
        };
        wr.head.total_len = 1 << 20;
        wr
    })?;
    // Where nothing is sent from here.
    fails(UBURMA_CR_LOC_OPERATION_ERR, |pair, _| {
        let wr = SendWr::read(pair.to_b(), pair.b.memory.remote(0), &[]).inline(&[7; 8]);
        SendWr {
            head: wr.head,
            sges: &[],
            inline: &[7; 8],
        }
    })
}

fn atomics_are_checked() -> Outcome {
    let with = |offset: u64, len: usize, status: u32| {
        fails(status, |pair, list| {
            let remote = pair.b.memory.remote(0).plus(offset);
            list.push(pair.a.memory.sge(0, len));
            with_list(
                SendWr::atomic(pair.to_b(), remote, &[], Atomic::Add(1)),
                list,
            )
        })
    };
    with(4, 8, UBURMA_CR_LOC_OPERATION_ERR)?;
    with(1, 8, UBURMA_CR_LOC_OPERATION_ERR)?;
    with(2, 4, UBURMA_CR_LOC_OPERATION_ERR)?;
    for len in [0, 1, 2, 3, 5, 16, 4096] {
        with(0, len, UBURMA_CR_LOC_LEN_ERR)?;
    }
    Ok(())
}

fn targets_are_checked() -> Outcome {
    for target in [1u32, 0xffff_ffff, 0x00ff_ffff, 0x8000_0000] {
        let mut pair = Pair::create()?;
        if target == pair.ab.target_ref() {
            continue;
        }
        let list = [pair.a.memory.sge(0, 8)];
        let cqe = pair
            .a
            .execute(&SendWr::write(target, pair.b.memory.remote(0), &list))?;
        check!(
            u32::from(cqe.status) != UBURMA_CR_SUCCESS,
            "target {target:#x}"
        );
    }
    Ok(())
}

fn memory_operations_are_not_for_um() -> Outcome {
    if !modes(&ub_client::Device::first()?)?.contains(&UBURMA_TM_UM) {
        ub_tests::skip!("the device has no UM");
    }
    let config = PairConfig {
        mode: UBURMA_TM_UM,
        ..Default::default()
    };
    fails_with(config, UBURMA_CR_UNSUPPORTED_OPCODE_ERR, |pair, list| {
        list.push(pair.a.memory.sge(0, 8));
        with_list(
            SendWr::read(pair.to_b(), pair.b.memory.remote(0), &[]),
            list,
        )
    })
}

pub fn main() -> ExitCode {
    ub_tests::run(
        "t-data-checks",
        tests![
            remote_access_is_checked,
            access_bits_are_checked,
            no_token_is_needed_without_policy,
            local_ranges_are_checked,
            local_ranges_are_of_their_context,
            requests_that_contradict_themselves,
            inline_data_is_checked,
            atomics_are_checked,
            targets_are_checked,
            memory_operations_are_not_for_um,
        ],
    )
}
