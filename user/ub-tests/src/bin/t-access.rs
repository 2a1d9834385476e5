// SPDX-License-Identifier: GPL-2.0

//! Who may access what: rights, tokens, their policies and their end.

use std::process::ExitCode;
use std::sync::Arc;

use ub_client::abi::*;
use ub_client::sys::Mapping;
use ub_client::tlv::Cmd;
use ub_client::{
    Atomic, Context, Jetty, JettyConfig, Jfc, JfcConfig, Jfr, JfrConfig, Jfs, JfsConfig, Segment,
    SegmentConfig, SendWr, Target, TargetConfig, Token,
};
use ub_tests::fixture::{expect_status, Pair, JETTY_TOKEN, SEG_TOKEN};
use ub_tests::{check, check_eq, check_errno, tests, Failure, Outcome};

const READ: u32 = UBURMA_ACCESS_READ;
const WRITE: u32 = UBURMA_ACCESS_WRITE;
const ATOMIC: u32 = UBURMA_ACCESS_ATOMIC;

/// Makes the sender usable again after a failure.
fn revive(pair: &mut Pair) -> Outcome {
    expect_status(&pair.a.wait_sent()?, UBURMA_CR_WR_FLUSH_ERR_DONE)?;
    pair.a.jetty.set_state(UBURMA_JETTY_STATE_RESET)?;
    pair.a.jetty.set_state(UBURMA_JETTY_STATE_READY)?;
    Ok(())
}

/// A request that is refused if `allowed` is not set.
fn try_one(pair: &mut Pair, wr: &SendWr<'_>, allowed: bool, what: &str) -> Outcome {
    let status = match allowed {
        true => UBURMA_CR_SUCCESS,
        false => UBURMA_CR_REM_ACCESS_ABORT_ERR,
    };
    pair.a
        .expect(wr, status)
        .map_err(|why| Failure::Fail(format!("{what}: {why:?}")))?;
    if !allowed {
        revive(pair)?;
    }
    Ok(())
}

/// All sixteen combinations of rights: those that contradict themselves are refused, the others mean
/// what they say, for all operations.
fn rights_and_what_they_imply() -> Outcome {
    let mut pair = Pair::create()?;
    let target = pair.to_b();
    for access in 0..16 {
        let has = |bits: u32| access & bits == bits;
        let local = has(UBURMA_ACCESS_LOCAL_ONLY);
        let sane = (!local || access == UBURMA_ACCESS_LOCAL_ONLY)
            && (!has(WRITE) || has(READ))
            && (!has(ATOMIC) || has(READ | WRITE));
        let config = SegmentConfig {
            token: SEG_TOKEN,
            access,
            ..Default::default()
        };
        let segment = match Segment::alloc_with(&pair.b.ctx, 4096, config) {
            Ok(segment) => segment,
            Err(err) => {
                check!(!sane && err.errno() == libc::EINVAL, "{access:#x}: {err}");
                continue;
            }
        };
        check!(sane, "{access:#x} was accepted");
        let list = [pair.a.memory.sge(0, 8)];
        let remote = segment.remote(0);
        let notify = segment.remote(16);
        let readable = pair.b.memory.remote(0);
        let cases = [
            ("READ", SendWr::read(target, remote, &list), READ),
            ("WRITE", SendWr::write(target, remote, &list), WRITE),
            (
                "ATOMIC",
                SendWr::atomic(target, remote, &list, Atomic::Add(1)),
                ATOMIC,
            ),
            (
                "CAS",
                SendWr::atomic(target, remote, &list, Atomic::Cas(0, 0)),
                ATOMIC,
            ),
            (
                "NOTIFY",
                SendWr::write_notify(target, readable, &list, notify, 1),
                WRITE,
            ),
        ];
        for (name, wr, needed) in cases {
            let what = format!("{name} with {access:#x}");
            try_one(&mut pair, &wr, has(needed), &what)?;
        }
        // The owner itself may use it as it likes.
        let own = SegmentConfig {
            access,
            ..Default::default()
        };
        let buffer = Segment::alloc_with(&pair.a.ctx, 4096, own)?;
        let list = [buffer.sge(0, 64)];
        let wr = SendWr::read(target, readable, &list);
        try_one(&mut pair, &wr, true, "own buffer")?;
        let wr = SendWr::write(target, readable, &list);
        try_one(&mut pair, &wr, true, "own source")?;
    }
    Ok(())
}

/// WRITE_IMM needs the right to write and the token of the segment, and nothing is received if one
/// is missing. The segment may be another context's.
fn write_with_immediate() -> Outcome {
    let mut pair = Pair::create()?;
    let other = Context::open_first()?;
    let target = pair.to_b();
    let list = [pair.a.memory.sge(0, 8)];
    pair.b.post_recv(0, 64, 1)?;
    for (access, allowed) in [(READ, false), (READ | WRITE, true)] {
        let config = SegmentConfig {
            token: 0x99,
            access,
            ..Default::default()
        };
        let segment = Segment::alloc_with(&other, 4096, config)?;
        let mut remote = segment.remote(0);
        let wr = SendWr::write_imm(target, remote, &list, 7);
        try_one(&mut pair, &wr, allowed, "WRITE_IMM")?;
        check_eq!(pair.b.received.poll().is_some(), allowed);
        pair.b.post_recv(0, 64, 2)?;
        remote.token ^= 1;
        let wr = SendWr::write_imm(target, remote, &list, 7);
        try_one(&mut pair, &wr, false, "WRITE_IMM with another token")?;
        check!(pair.b.received.poll().is_none());
    }
    Ok(())
}

/// NONE and PLAIN_TEXT work; what would need signatures or ciphers is refused, as is what does not
/// exist.
fn policies() -> Outcome {
    let pair = Pair::create()?;
    let segment = |policy| {
        let config = SegmentConfig {
            policy,
            token: SEG_TOKEN,
            ..Default::default()
        };
        Segment::alloc_with(&pair.b.ctx, 4096, config)
    };
    let jfr = |policy: u32| {
        let config = JfrConfig {
            policy,
            ..JfrConfig::on(&pair.b.received)
        };
        Jfr::create(&pair.b.ctx, config)
    };
    for policy in [UBURMA_TOKEN_NONE, UBURMA_TOKEN_PLAIN_TEXT] {
        segment(policy)?;
        jfr(policy)?;
    }
    for policy in [UBURMA_TOKEN_SIGNED, UBURMA_TOKEN_ALL_ENCRYPTED] {
        check_errno!(segment(policy), EOPNOTSUPP);
        check_errno!(jfr(policy), EOPNOTSUPP);
    }
    for policy in [5, 6, 7] {
        check_errno!(segment(policy), EINVAL);
        check_errno!(jfr(policy), EINVAL);
    }
    Ok(())
}

/// The token of a receive queue: with policy NONE any will do.
fn tokens_of_receive_queues() -> Outcome {
    let mut pair = Pair::create()?;
    for (policy, right, wrong) in [
        (UBURMA_TOKEN_NONE, UBURMA_CR_SUCCESS, UBURMA_CR_SUCCESS),
        (
            UBURMA_TOKEN_PLAIN_TEXT,
            UBURMA_CR_SUCCESS,
            UBURMA_CR_REM_ACCESS_ABORT_ERR,
        ),
    ] {
        let config = JfrConfig {
            policy,
            token: 0x4321,
            ..JfrConfig::on(&pair.b.received)
        };
        let mut jfr = Jfr::create(&pair.b.ctx, config)?;
        for (token, status) in [(0x4321, right), (0x4320, wrong), (0, wrong)] {
            let list = [pair.b.memory.sge(0, 64)];
            jfr.post(&ub_client::RecvWr::new(&list))?;
            let config = TargetConfig {
                id: jfr.id(),
                ..TargetConfig::jetty(pair.b.ctx.eid(), 0, token)
            };
            let target = Target::jfr(&pair.a.ctx, config)?;
            let list = [pair.a.memory.sge(0, 8)];
            let wr = SendWr::send(target.target_ref(), &list);
            pair.a.expect(&wr, status).map_err(|why| {
                Failure::Fail(format!("policy {policy}, token {token:#x}: {why:?}"))
            })?;
            if status != UBURMA_CR_SUCCESS {
                revive(&mut pair)?;
            }
        }
    }
    Ok(())
}

/// A token ends when its segment is registered again under another one: with the same token id.
fn registered_again_under_another_token() -> Outcome {
    let mut pair = Pair::create()?;
    let target = pair.to_b();
    let memory = Arc::new(Mapping::anonymous(4096)?);
    let id = Token::alloc(&pair.b.ctx)?;
    let list = [pair.a.memory.sge(0, 8)];
    let mut old = None;
    for token in [0x1111, 0x2222, 0x3333] {
        let config = SegmentConfig {
            token,
            ..Default::default()
        };
        let mut segment = Segment::register(&pair.b.ctx, &memory, 0, 4096, Some(&id), config)?;
        check_eq!(segment.token_id(), id.id());
        let now = segment.remote(0);
        let wr = SendWr::write(target, now, &list);
        try_one(&mut pair, &wr, true, "the token")?;
        if let Some(old) = old.replace(now) {
            let wr = SendWr::write(target, old, &list);
            try_one(&mut pair, &wr, false, "the one before")?;
        }
        segment.unregister()?;
        // Between them there is none.
        let wr = SendWr::write(target, now, &list);
        try_one(&mut pair, &wr, false, "no segment")?;
    }
    Ok(())
}

/// Token ids that are chosen by the stack are names that are not used again soon.
fn token_ids_are_not_reused_soon() -> Outcome {
    let ctx = Context::open_first()?;
    let mut seen = std::collections::BTreeSet::new();
    for _ in 0..100 {
        let mut token = Token::alloc(&ctx)?;
        check!(token.id() != 0);
        check!(seen.insert(token.id()), "{:#x} twice", token.id());
        token.free()?;
    }
    Ok(())
}

/// What a message that invalidates is told, and what it does not invalidate.
fn invalidation_is_checked() -> Outcome {
    let mut pair = Pair::create()?;
    let target = pair.to_b();
    let list = [pair.a.memory.sge(0, 16)];
    let victim = Segment::alloc(&pair.b.ctx, 4096, 0x77)?;
    let foreign = Segment::alloc(&pair.a.ctx, 4096, 0x77)?;
    let other = Context::open_first()?;
    let third = Segment::alloc(&other, 4096, 0x77)?;
    let write = |segment: &Segment| SendWr::write(target, segment.remote(0), &list);
    for (id, token, what) in [
        (victim.token_id(), 0x78, "another token"),
        (victim.token_id(), 0, "no token"),
        (0, 0x77, "no segment"),
        (0x000f_ffff, 0x77, "an unknown segment"),
        (foreign.token_id(), 0x77, "a segment of the sender"),
        (third.token_id(), 0x77, "a segment of a third one"),
    ] {
        pair.b.post_recv(0, 64, 1)?;
        let wr = SendWr::send_invalidate(target, &list, id, token);
        try_one(&mut pair, &wr, false, what)?;
        check!(pair.b.received.poll().is_none(), "{what} was received");
    }
    for segment in [&victim, &foreign, &third] {
        try_one(&mut pair, &write(segment), true, "still valid")?;
    }
    Ok(())
}

/// A message that does not arrive invalidates nothing.
fn failed_message_invalidates_nothing() -> Outcome {
    let mut pair = Pair::create()?;
    let target = pair.to_b();
    let victim = Segment::alloc(&pair.b.ctx, 4096, 0x77)?;
    let list = [pair.a.memory.sge(0, 100)];
    // Too long for the buffer.
    pair.b.post_recv(0, 64, 1)?;
    let wr = SendWr::send_invalidate(target, &list, victim.token_id(), 0x77);
    pair.a.expect(&wr, UBURMA_CR_REM_RESP_LEN_ERR)?;
    expect_status(&pair.b.wait_received()?, UBURMA_CR_LOC_LEN_ERR)?;
    revive(&mut pair)?;
    let write = SendWr::write(target, victim.remote(0), &list);
    try_one(&mut pair, &write, true, "after a message that was too long")?;
    // Nor does one that nobody takes.
    pair.a.expect(&wr, UBURMA_CR_RNR_RETRY_CNT_EXC_ERR)?;
    revive(&mut pair)?;
    try_one(&mut pair, &write, true, "after a message without buffer")?;
    // One that arrives does, and only once.
    pair.b.post_recv(0, 128, 2)?;
    pair.a.expect(&wr, UBURMA_CR_SUCCESS)?;
    let cqe = pair.b.wait_received()?;
    expect_status(&cqe, UBURMA_CR_SUCCESS)?;
    check_eq!(u32::from(cqe.opcode), UBURMA_CR_OPC_SEND_WITH_INV);
    try_one(&mut pair, &write, false, "after its end")?;
    let read = SendWr::read(target, victim.remote(0), &list);
    try_one(&mut pair, &read, false, "after its end")?;
    pair.b.post_recv(0, 128, 3)?;
    try_one(&mut pair, &wr, false, "invalidated again")?;
    // Its owner goes on using it.
    let own = pair.b.import(&pair.a)?;
    let list = [victim.sge(0, 8)];
    let out = SendWr::write(own.target_ref(), pair.a.memory.remote(0), &list);
    pair.b.expect(&out, UBURMA_CR_SUCCESS)?;
    Ok(())
}

/// Handles of another context mean nothing, whatever class they are of.
fn handles_of_another_context() -> Outcome {
    // So many objects there that their numbers are none of here.
    let pair = Pair::create()?;
    let there = &pair.b.ctx;
    let mut spare = Vec::new();
    for _ in 0..40 {
        spare.push(Token::alloc(there)?);
    }
    let target = pair.b.import(&pair.a)?;
    let jfc = Jfc::create(there, 8)?;
    let here = Context::open_first()?;
    let mut jfs = Jfs::create_cmd(JfsConfig::on(&jfc));
    check_errno!(here.run(&mut jfs), EINVAL);
    let mut jfr = Jfr::create_cmd(JfrConfig::on(&jfc));
    check_errno!(here.run(&mut jfr), EINVAL);
    let own = Jfc::create_with(&here, JfcConfig::default())?;
    let own_jfr = Jfr::create(&here, JfrConfig::on(&own))?;
    for config in [
        JettyConfig::on(&jfc, &own, &own_jfr),
        JettyConfig::on(&own, &jfc, &own_jfr),
    ] {
        check_errno!(here.run(&mut Jetty::create_cmd(config)), EINVAL);
    }
    let token = spare.last().map(|token| (token.id(), token.handle()));
    let page = Mapping::anonymous(4096)?;
    let mut seg = Segment::register_cmd(page.addr(), 4096, token, SegmentConfig::default());
    check_errno!(here.run(&mut seg), EINVAL);
    let commands: [Cmd; 6] = [
        Jfc::delete_cmd(jfc.handle()),
        Target::unimport_jetty_cmd(target.handle()),
        Token::free_cmd(token.map_or(0, |t| t.1), token.map_or(0, |t| t.0)),
        Jfs::query_cmd(jfc.handle()),
        Jfr::query_cmd(jfc.handle()),
        Jetty::query_cmd(jfc.handle()),
    ];
    for mut cmd in commands {
        check_errno!(here.run(&mut cmd), EINVAL);
    }
    Ok(())
}

/// Whoever finds a number by trying still needs the token.
fn numbers_alone_do_not_help() -> Outcome {
    let mut pair = Pair::create()?;
    let config = TargetConfig::jetty(
        pair.b.ctx.eid(),
        pair.b.jetty.id(),
        JETTY_TOKEN ^ 0x8000_0000,
    );
    let guess = Target::jetty(&pair.a.ctx, config)?;
    pair.b.post_recv(0, 64, 1)?;
    let list = [pair.a.memory.sge(0, 8)];
    let wr = SendWr::send(guess.target_ref(), &list);
    try_one(&mut pair, &wr, false, "a guessed token")?;
    check!(pair.b.received.poll().is_none());
    Ok(())
}

pub fn main() -> ExitCode {
    ub_tests::run(
        "t-access",
        tests![
            rights_and_what_they_imply,
            write_with_immediate,
            policies,
            tokens_of_receive_queues,
            registered_again_under_another_token,
            token_ids_are_not_reused_soon,
            invalidation_is_checked,
            failed_message_invalidates_nothing,
            handles_of_another_context,
            numbers_alone_do_not_help,
        ],
    )
}
