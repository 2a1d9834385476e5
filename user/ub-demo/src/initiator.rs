// SPDX-License-Identifier: GPL-2.0

//! The process that starts every operation and measures it.

use ub_client::sys::ticks;
use ub_client::{Atomic, SendWr};

use crate::cases::{self, Case, Op};
use crate::endpoint::Endpoint;
use crate::pattern::{check, crc32, payload};
use crate::wire::Wire;

/// What one case came to.
struct Outcome {
    bytes: usize,
    ticks: u64,
}

/// Runs all cases; each gives a line of the report.
pub fn run(wire: Wire, report: Wire) -> Result<(), String> {
    let mut end = Endpoint::create(wire, "A", report)?;
    for case in cases::all() {
        let outcome = run_case(&mut end, wire, &case).map_err(|why| {
            format!(
                "{} of {} bytes, {}: {why}",
                case.op.name(),
                case.size,
                case.mode.name()
            )
        })?;
        report.say(&format!(
            "ROW op={} mode={} size={} count={} bytes={} ticks={}",
            case.op.name(),
            case.mode.name(),
            case.size,
            case.count,
            outcome.bytes,
            outcome.ticks
        ))?;
    }
    wire.say("BYE")
}

fn run_case(end: &mut Endpoint, wire: Wire, case: &Case) -> Result<Outcome, String> {
    let index = cases::all()
        .iter()
        .position(|other| other == case)
        .unwrap_or(0);
    let mut outcome = Outcome { bytes: 0, ticks: 0 };
    for iteration in 0..case.count {
        wire.say(&format!("GO case={index} iteration={iteration}"))?;
        wire.expect("READY")?;
        outcome.ticks += transfer(end, case, iteration)?;
        let data = payload(case.seed(iteration), case.size);
        verify_here(end, case, iteration, &data)?;
        wire.say(&format!("DONE crc={}", crc32(&data)))?;
        wire.expect("OK")?;
        outcome.bytes += case.size;
    }
    Ok(outcome)
}

/// One operation, from posting it to its completion.
fn transfer(end: &mut Endpoint, case: &Case, iteration: u32) -> Result<u64, String> {
    let from = Endpoint::out_at(case, iteration);
    let to = Endpoint::in_at(case, iteration);
    let target = end.target.target_ref();
    let remote = end.remote_at(case, iteration);
    end.memory
        .write(from, &payload(case.seed(iteration), case.size));
    end.clear_landing(case, iteration);
    let source = [end.memory.sge(from, case.size)];
    let landing = [end.memory.sge(to, case.size)];
    let wr = match case.op {
        Op::Send => SendWr::send(target, &source),
        Op::SendImm => SendWr::send_imm(target, &source, case.imm(iteration)),
        Op::Write => SendWr::write(target, remote, &source),
        Op::WriteImm => SendWr::write_imm(target, remote, &source, case.imm(iteration)),
        Op::Read => SendWr::read(target, remote, &landing),
        Op::Cas => SendWr::atomic(target, remote, &landing, cas(case, iteration)),
        Op::Fadd => SendWr::atomic(target, remote, &landing, fadd(case, iteration)),
    };
    let wr = wr.user_ctx(u64::from(iteration) + 1);

    end.sent.prepare(case.mode)?;
    let start = ticks();
    end.jetty.queue().send(&wr).map_err(|err| err.to_string())?;
    let cqe = end.sent.wait(case.mode)?;
    let time = ticks().saturating_sub(start);

    if cqe.user_ctx != u64::from(iteration) + 1 {
        return Err(format!("completion of request {}", cqe.user_ctx));
    }
    if cqe.local_id != end.jetty.id() {
        return Err(format!("completion of jetty {}", cqe.local_id));
    }
    Ok(time)
}

/// What the word in the peer's memory holds before an iteration.
pub fn word_before(case: &Case, iteration: u32) -> u64 {
    case.seed(iteration).wrapping_mul(0x1_0001)
}

/// Every third compare-and-swap compares with something else and must not swap.
fn cas(case: &Case, iteration: u32) -> Atomic {
    let old = word_before(case, iteration);
    let compare = if iteration % 3 == 2 { !old } else { old };
    Atomic::Cas(compare, case.imm(iteration))
}

fn fadd(case: &Case, iteration: u32) -> Atomic {
    Atomic::Add(case.imm(iteration))
}

/// What the word holds afterwards.
pub fn word_after(case: &Case, iteration: u32) -> u64 {
    let op = match case.op {
        Op::Cas => cas(case, iteration),
        _ => fadd(case, iteration),
    };
    op.apply(word_before(case, iteration))
}

/// Reads and atomics bring something here.
fn verify_here(end: &Endpoint, case: &Case, iteration: u32, data: &[u8]) -> Result<(), String> {
    if case.op == Op::Read {
        return check(&end.landed(case, iteration), data);
    }
    if case.op.atomic() {
        let old = word_before(case, iteration).to_ne_bytes();
        return check(&end.landed(case, iteration), &old)
            .map_err(|why| format!("the old value: {why}"));
    }
    // The buffer for incoming data must be as it was.
    let untouched = crate::pattern::landing(case.size);
    if end.landed(case, iteration) != untouched {
        return Err("memory that was not part of the operation was changed".to_string());
    }
    Ok(())
}
