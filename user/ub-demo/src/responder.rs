// SPDX-License-Identifier: GPL-2.0

//! The process that the operations are aimed at. It checks what arrived.

use ub_client::abi::{
    UBURMA_CR_FLAG_JETTY, UBURMA_CR_FLAG_S_R, UBURMA_CR_OPC_SEND, UBURMA_CR_OPC_SEND_WITH_IMM,
    UBURMA_CR_OPC_WRITE_WITH_IMM,
};
use ub_client::RecvWr;

use crate::cases::{self, Case, Op};
use crate::endpoint::Endpoint;
use crate::initiator::{word_after, word_before};
use crate::pattern::{check, crc32, payload};
use crate::wire::Wire;

/// Serves until the other process says good-bye.
pub fn run(wire: Wire, report: Wire) -> Result<(), String> {
    let mut end = Endpoint::create(wire, "B", report)?;
    let cases = cases::all();
    loop {
        let message = wire.hear()?;
        if message.word == "BYE" {
            return Ok(());
        }
        let case = cases
            .get(message.number("case")? as usize)
            .ok_or("an unknown case")?;
        let iteration = message.number("iteration")? as u32;
        if let Err(why) = serve(&mut end, wire, case, iteration) {
            wire.say(&format!("BAD {why}"))?;
            return Err(why);
        }
    }
}

fn serve(end: &mut Endpoint, wire: Wire, case: &Case, iteration: u32) -> Result<(), String> {
    let data = payload(case.seed(iteration), case.size);
    let at = Endpoint::in_at(case, iteration);
    end.clear_landing(case, iteration);
    if case.op == Op::Read {
        end.memory.write(at, &data);
    } else if case.op.atomic() {
        end.memory
            .write(at, &word_before(case, iteration).to_ne_bytes());
    } else if case.op.two_sided() {
        post_buffer(end, case, iteration)?;
        end.received.prepare(case.mode)?;
    }
    wire.say("READY")?;
    if case.op.two_sided() {
        verify_completion(end, case, iteration)?;
    }
    let done = wire.expect("DONE")?;
    let landed = end.landed(case, iteration);
    if case.op.atomic() {
        check(&landed, &word_after(case, iteration).to_ne_bytes())
            .map_err(|why| format!("the new value: {why}"))?;
    } else {
        check(&landed, &data)?;
        if u64::from(crc32(&data)) != done.number("crc")? {
            return Err("the processes disagree about the pattern".to_string());
        }
    }
    wire.say("OK")
}

/// A write with immediate data takes a receive buffer, of no bytes.
fn post_buffer(end: &mut Endpoint, case: &Case, iteration: u32) -> Result<(), String> {
    let at = Endpoint::in_at(case, iteration);
    let buffer = [end.memory.sge(at, case.size)];
    let sges: &[_] = if case.op == Op::WriteImm {
        &[]
    } else {
        &buffer
    };
    let wr = RecvWr::new(sges).user_ctx(0x1000 + u64::from(iteration));
    end.jfr.post(&wr).map_err(|err| err.to_string())
}

fn verify_completion(end: &mut Endpoint, case: &Case, iteration: u32) -> Result<(), String> {
    let cqe = end.received.wait(case.mode)?;
    let opcode = match case.op {
        Op::SendImm => UBURMA_CR_OPC_SEND_WITH_IMM,
        Op::WriteImm => UBURMA_CR_OPC_WRITE_WITH_IMM,
        _ => UBURMA_CR_OPC_SEND,
    };
    let wrong = |what: &str| Err(format!("received completion: wrong {what}: {cqe:x?}"));
    if cqe.user_ctx != 0x1000 + u64::from(iteration) {
        return wrong("user_ctx");
    }
    if u32::from(cqe.opcode) != opcode {
        return wrong("opcode");
    }
    if u32::from(cqe.flags) & (UBURMA_CR_FLAG_S_R | UBURMA_CR_FLAG_JETTY)
        != UBURMA_CR_FLAG_S_R | UBURMA_CR_FLAG_JETTY
    {
        return wrong("flags");
    }
    if cqe.byte_len as usize != case.size {
        return wrong("byte_len");
    }
    if case.op != Op::Send && cqe.imm != case.imm(iteration) {
        return wrong("immediate data");
    }
    if cqe.local_id != end.jetty.id() || cqe.remote_id != end.peer.jetty {
        return wrong("jetty numbers");
    }
    if cqe.remote_eid != end.peer.eid.0 {
        return wrong("EID of the sender");
    }
    Ok(())
}
