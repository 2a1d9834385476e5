// SPDX-License-Identifier: GPL-2.0

//! Every operation in every mode, with every flag, inline, with lists, and in every order of
//! delivery. Documentation/operations.rst is the table of it.

use std::process::ExitCode;

use ub_client::abi::*;
use ub_client::{Atomic, Jfr, JfrConfig, Segment, SendWr, Target};
use ub_tests::fixture::{expect_status, modes, Pair, PairConfig, Side, JETTY_TOKEN};
use ub_tests::{check, check_eq, check_errno, tests, Failure, Options, Outcome};

/// Messages, which every mode has.
const MESSAGES: [u32; 2] = [UBURMA_OPC_SEND, UBURMA_OPC_SEND_IMM];
/// What only the reliable modes have.
const RELIABLE: [u32; 12] = [
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
    UBURMA_OPC_SEND_INVALIDATE,
];
/// What the device does not have, and what nobody has.
const UNKNOWN: [u32; 12] = [
    UBURMA_OPC_WRITE_ATOMIC,
    UBURMA_OPC_FLUSH_DMA,
    UBURMA_OPC_LAST,
    0x03,
    0x11,
    0x1f,
    0x27,
    0x43,
    0x50,
    0x52,
    0x7f,
    0xff,
];
/// Flags that are known, without that of inline data.
const FLAGS: [u32; 7] = [
    0,
    UBURMA_PLACE_ORDER_RELAX,
    UBURMA_PLACE_ORDER_STRONG,
    UBURMA_JFS_WR_FLAG_COMP_ORDER,
    UBURMA_JFS_WR_FLAG_FENCE,
    UBURMA_JFS_WR_FLAG_SOLICITED_ENABLE,
    UBURMA_JFS_WR_FLAG_DB_BYPASS,
];

fn is_atomic(opcode: u32) -> bool {
    opcode & 0xf0 == UBURMA_OPC_CAS
}

/// Whether local data goes to the peer.
fn sends_data(opcode: u32) -> bool {
    !is_atomic(opcode) && ![UBURMA_OPC_READ, UBURMA_OPC_NOP].contains(&opcode)
}

/// How the receiver is told, if it is.
fn told(opcode: u32) -> Option<u32> {
    Some(match opcode {
        UBURMA_OPC_SEND => UBURMA_CR_OPC_SEND,
        UBURMA_OPC_SEND_IMM => UBURMA_CR_OPC_SEND_WITH_IMM,
        UBURMA_OPC_SEND_INVALIDATE => UBURMA_CR_OPC_SEND_WITH_INV,
        UBURMA_OPC_WRITE_IMM => UBURMA_CR_OPC_WRITE_WITH_IMM,
        _ => return None,
    })
}

/// What a mode offers.
fn served(mode: u32) -> Vec<u32> {
    let mut list = MESSAGES.to_vec();
    list.push(UBURMA_OPC_NOP);
    if mode != UBURMA_TM_UM {
        list.extend(RELIABLE);
    }
    list
}

fn in_mode(mode: u32, opcode: u32, what: &str) -> impl Fn(Failure) -> Failure + '_ {
    move |why| Failure::Fail(format!("mode {mode}, opcode {opcode:#x}, {what}: {why:?}"))
}

/// A pair and a segment of the receiver that may be invalidated.
struct Bench {
    pair: Pair,
    victim: Option<Segment>,
}

impl Bench {
    fn new(mode: u32) -> Result<Self, Failure> {
        Ok(Bench {
            pair: Pair::in_mode(mode)?,
            victim: None,
        })
    }

    /// A request that is right.
    fn request<'a>(&mut self, opcode: u32, list: &'a [ubsoft_sge]) -> Result<SendWr<'a>, Failure> {
        let pair = &self.pair;
        let (target, remote) = (pair.to_b(), pair.b.memory.remote(4096));
        let atomic = |op| SendWr::atomic(target, remote, list, op);
        Ok(match opcode {
            UBURMA_OPC_SEND => SendWr::send(target, list),
            UBURMA_OPC_SEND_IMM => SendWr::send_imm(target, list, 0x1234),
            UBURMA_OPC_SEND_INVALIDATE => {
                let victim = Segment::alloc(&pair.b.ctx, 4096, 0x77)?;
                let wr = SendWr::send_invalidate(target, list, victim.token_id(), 0x77);
                self.victim = Some(victim);
                wr
            }
            UBURMA_OPC_WRITE => SendWr::write(target, remote, list),
            UBURMA_OPC_WRITE_IMM => SendWr::write_imm(target, remote, list, 0x1234),
            UBURMA_OPC_WRITE_NOTIFY => {
                SendWr::write_notify(target, remote, list, pair.b.memory.remote(16 << 10), 5)
            }
            UBURMA_OPC_READ => SendWr::read(target, remote, list),
            UBURMA_OPC_CAS => atomic(Atomic::Cas(1, 2)),
            UBURMA_OPC_SWAP => atomic(Atomic::Swap(1)),
            UBURMA_OPC_FADD => atomic(Atomic::Add(1)),
            UBURMA_OPC_FSUB => atomic(Atomic::Sub(1)),
            UBURMA_OPC_FAND => atomic(Atomic::And(1)),
            UBURMA_OPC_FOR => atomic(Atomic::Or(1)),
            UBURMA_OPC_FXOR => atomic(Atomic::Xor(1)),
            _ => SendWr::nop(target),
        })
    }

    /// Carries a request out; the receiver must learn of it if its operation says so.
    fn run(&mut self, opcode: u32, wr: SendWr<'_>) -> Outcome {
        let signaled = u32::from(wr.head.flags) & UBURMA_JFS_WR_FLAG_COMPLETE_ENABLE != 0;
        let (len, wr) = (wr.head.total_len, wr.user_ctx(7));
        let told = told(opcode);
        let pair = &mut self.pair;
        if told.is_some() {
            pair.b.post_recv(8192, 512, 3)?;
        }
        match signaled {
            true => {
                pair.a.expect(&wr, UBURMA_CR_SUCCESS)?;
            }
            false => {
                pair.a.jetty.queue().send(&wr)?;
                // Its completion would come before this one.
                let target = pair.to_b();
                let last = SendWr::nop(target).user_ctx(8);
                pair.a.expect(&last, UBURMA_CR_SUCCESS)?;
            }
        }
        check!(pair.a.sent.poll().is_none());
        if let Some(told) = told {
            let cqe = pair.b.wait_received()?;
            expect_status(&cqe, UBURMA_CR_SUCCESS)?;
            check_eq!((u32::from(cqe.opcode), cqe.user_ctx), (told, 3));
            check_eq!(cqe.byte_len, len);
        }
        check!(pair.b.received.poll().is_none());
        Ok(())
    }

    /// A request that the sender's side refuses.
    fn refused(&mut self, head: &ubsoft_sqe, list: &[ubsoft_sge], status: u32) -> Outcome {
        let queue = self.pair.a.jetty.queue();
        queue.ring_mut().push_unchecked(head, list, &[]);
        queue.ring().publish();
        queue.kick()?;
        expect_status(&self.pair.a.wait_sent()?, status)?;
        check!(self.pair.b.received.poll().is_none());
        Ok(())
    }
}

fn every_opcode_in_every_mode() -> Outcome {
    for mode in modes(&ub_client::Device::first()?)? {
        let mut bench = Bench::new(mode)?;
        let list = [bench.pair.a.memory.sge(0, 8)];
        for opcode in served(mode) {
            let wr = bench.request(opcode, &list)?;
            let ran = bench.run(opcode, wr);
            ran.map_err(in_mode(mode, opcode, "as it is"))?;
        }
        // What nobody knows is no different in another mode.
        let unknown = match mode {
            UBURMA_TM_RM => &UNKNOWN[..],
            _ => &UNKNOWN[..3],
        };
        let all = RELIABLE.iter().chain(unknown);
        for opcode in all.filter(|opcode| !served(mode).contains(opcode)) {
            let mut bench = Bench::new(mode)?;
            let list = [bench.pair.a.memory.sge(0, 8)];
            let mut wr = bench.request(*opcode, &list)?;
            wr.head.opcode = *opcode as u8;
            bench
                .refused(&wr.head, &list, UBURMA_CR_UNSUPPORTED_OPCODE_ERR)
                .map_err(in_mode(mode, *opcode, "not served"))?;
        }
    }
    Ok(())
}

fn every_flag_of_every_operation() -> Outcome {
    for mode in modes(&ub_client::Device::first()?)? {
        let mut bench = Bench::new(mode)?;
        let list = [bench.pair.a.memory.sge(0, 8)];
        for opcode in served(mode) {
            for flags in FLAGS {
                let wr = bench.request(opcode, &list)?.flags(flags);
                let ran = bench.run(opcode, wr);
                ran.map_err(in_mode(mode, opcode, &format!("flags {flags:#x}")))?;
            }
            let wr = bench.request(opcode, &list)?.unsignaled();
            let ran = bench.run(opcode, wr);
            ran.map_err(in_mode(mode, opcode, "no completion"))?;
        }
        for flags in [
            3,
            UBURMA_JFS_WR_FLAG_UDF,
            UBURMA_JFS_WR_FLAG_HAS_DRV_EXT,
            1 << 12,
        ] {
            let mut bench = Bench::new(mode)?;
            let list = [bench.pair.a.memory.sge(0, 8)];
            let wr = bench.request(UBURMA_OPC_SEND, &list)?.flags(flags);
            bench
                .refused(&wr.head, &list, UBURMA_CR_LOC_OPERATION_ERR)
                .map_err(in_mode(mode, UBURMA_OPC_SEND, &format!("flags {flags:#x}")))?;
        }
    }
    Ok(())
}

fn inline_data_of_every_operation() -> Outcome {
    for mode in modes(&ub_client::Device::first()?)? {
        let mut bench = Bench::new(mode)?;
        let most = bench.pair.a.jetty.queue().ring().ring().resp().max_inline as usize;
        let data = vec![0x6b; most];
        for opcode in served(mode)
            .into_iter()
            .filter(|opcode| sends_data(*opcode))
        {
            for len in [1, most] {
                bench.pair.b.memory.fill(4096, 8192, 0);
                let wr = bench.request(opcode, &[])?.inline(&data[..len]);
                let ran = bench.run(opcode, wr);
                ran.map_err(in_mode(mode, opcode, &format!("{len} bytes inline")))?;
                let message = MESSAGES.contains(&opcode) || opcode == UBURMA_OPC_SEND_INVALIDATE;
                let at = if message { 8192 } else { 4096 };
                check_eq!(bench.pair.b.memory.bytes(at, len), data[..len]);
            }
        }
        let others = [UBURMA_OPC_READ, UBURMA_OPC_CAS, UBURMA_OPC_FXOR];
        for opcode in others.into_iter().filter(|op| served(mode).contains(op)) {
            let mut bench = Bench::new(mode)?;
            let mut head = bench.request(opcode, &[])?.head;
            head.flags |= UBURMA_JFS_WR_FLAG_INLINE_FLAG as u16;
            head.total_len = 8;
            bench
                .refused(&head, &[], UBURMA_CR_LOC_OPERATION_ERR)
                .map_err(in_mode(mode, opcode, "inline"))?;
        }
    }
    Ok(())
}

fn lists_of_every_operation() -> Outcome {
    for mode in modes(&ub_client::Device::first()?)? {
        let mut bench = Bench::new(mode)?;
        let most = bench.pair.a.jetty.queue().ring().ring().resp().max_sge as usize;
        for opcode in served(mode) {
            let lens: Vec<usize> = match (opcode, is_atomic(opcode)) {
                (UBURMA_OPC_NOP, _) => continue,
                (_, true) => vec![1],
                _ => (0..=most).collect(),
            };
            for len in lens {
                // The last but one of them is empty.
                let size = |i: usize| if i + 2 == len { 0 } else { 8 };
                let memory = &bench.pair.a.memory;
                let list: Vec<ubsoft_sge> = (0..len).map(|i| memory.sge(64 * i, size(i))).collect();
                let wr = bench.request(opcode, &list)?;
                let ran = bench.run(opcode, wr);
                ran.map_err(in_mode(mode, opcode, &format!("{len} ranges")))?;
            }
            // The check is the same for all that have lists, and that for atomic operations.
            if ![UBURMA_OPC_SEND, UBURMA_OPC_READ, UBURMA_OPC_CAS].contains(&opcode) {
                continue;
            }
            let mut bench = Bench::new(mode)?;
            let wrong = if is_atomic(opcode) { 2 } else { most + 1 };
            let list = vec![bench.pair.a.memory.sge(0, 4); wrong];
            let wr = bench.request(opcode, &list)?;
            bench
                .refused(&wr.head, &list, UBURMA_CR_LOC_OPERATION_ERR)
                .map_err(in_mode(mode, opcode, &format!("{wrong} ranges")))?;
        }
    }
    Ok(())
}

/// Each order of delivery for each mode, given to both sides and to the import.
fn every_order_of_delivery() -> Outcome {
    for mode in modes(&ub_client::Device::first()?)? {
        for order in UBURMA_ORDER_DEFAULT..=UBURMA_ORDER_NO {
            delivers_in(mode, order)
                .map_err(|why| Failure::Fail(format!("mode {mode}, order {order}: {why:?}")))?;
        }
    }
    let side = Side::create(PairConfig::default())?;
    let mut config = JfrConfig::on(&side.received);
    config.flag = (UBURMA_ORDER_NO + 1) << UBURMA_JFR_FLAG_ORDER_TYPE_SHIFT;
    check_errno!(Jfr::create(&side.ctx, config), EINVAL);
    Ok(())
}

fn delivers_in(mode: u32, order: u32) -> Outcome {
    let config = PairConfig {
        mode,
        ..Default::default()
    };
    let (mut a, mut b) = (
        Side::create_ordered(config, order)?,
        Side::create_ordered(config, order)?,
    );
    let mut wanted = b.target_config();
    wanted.flag |= order << UBURMA_IMPORT_JETTY_FLAG_ORDER_TYPE_SHIFT;
    let target = Target::jetty(&a.ctx, wanted)?;
    let name = match mode {
        UBURMA_TM_RC => {
            a.jetty.bind(&target)?;
            0
        }
        _ => target.target_ref(),
    };
    // All of them keep the order of posting.
    let count = 16u64;
    for i in 0..count {
        b.post_recv(64 * i as usize, 8, i)?;
        a.memory.write(64 * i as usize, &i.to_le_bytes());
    }
    let lists: Vec<[ubsoft_sge; 1]> = (0..count as usize)
        .map(|i| [a.memory.sge(64 * i, 8)])
        .collect();
    for (i, list) in lists.iter().enumerate() {
        a.jetty
            .queue()
            .post(&SendWr::send(name, list).user_ctx(i as u64))?;
    }
    a.jetty.queue().kick()?;
    for i in 0..count {
        let sent = a.wait_sent()?;
        expect_status(&sent, UBURMA_CR_SUCCESS)?;
        let received = b.wait_received()?;
        expect_status(&received, UBURMA_CR_SUCCESS)?;
        check_eq!((sent.user_ctx, received.user_ctx), (i, i));
        check_eq!(b.memory.bytes(64 * i as usize, 8), i.to_le_bytes());
    }
    Ok(())
}

/// A fenced request sees what those before it have done, in one kick.
fn fenced_requests_see_the_earlier_ones() -> Outcome {
    for mode in [UBURMA_TM_RM, UBURMA_TM_RC] {
        let mut bench = Bench::new(mode)?;
        let pair = &mut bench.pair;
        let (target, remote) = (pair.to_b(), pair.b.memory.remote(0));
        pair.a.memory.fill(0, 4096, 0x42);
        pair.b.memory.fill(0, 4096, 0);
        let (from, to) = (
            [pair.a.memory.sge(0, 4096)],
            [pair.a.memory.sge(8192, 4096)],
        );
        let write = SendWr::write(target, remote, &from).user_ctx(1);
        let fence = UBURMA_JFS_WR_FLAG_FENCE;
        let read = SendWr::read(target, remote, &to).user_ctx(2).flags(fence);
        check_eq!(pair.a.jetty.queue().post_list(&[write, read])?, 2);
        pair.a.jetty.queue().kick()?;
        for cookie in [1, 2] {
            let cqe = pair.a.wait_sent()?;
            expect_status(&cqe, UBURMA_CR_SUCCESS)?;
            check_eq!(cqe.user_ctx, cookie);
        }
        check_eq!(pair.a.memory.bytes(8192, 4096), vec![0x42; 4096]);
    }
    Ok(())
}

/// A target whose jetty or JFR is not there any more.
fn targets_that_are_gone() -> Outcome {
    for mode in [UBURMA_TM_RM, UBURMA_TM_RC] {
        let mut bench = Bench::new(mode)?;
        let list = [bench.pair.a.memory.sge(0, 8)];
        bench.pair.b.jetty.destroy()?;
        let wr = bench.request(UBURMA_OPC_SEND, &list)?;
        let sent = bench.pair.a.expect(&wr, UBURMA_CR_REM_OPERATION_ERR);
        sent.map_err(in_mode(mode, UBURMA_OPC_SEND, "no jetty"))?;
    }
    // Of an unreliable message nobody hears.
    let mut bench = Bench::new(UBURMA_TM_UM)?;
    let list = [bench.pair.a.memory.sge(0, 8)];
    bench.pair.b.jetty.destroy()?;
    let wr = bench.request(UBURMA_OPC_SEND, &list)?;
    bench.pair.a.expect(&wr, UBURMA_CR_SUCCESS)?;
    // A wrong token.
    let mut pair = Pair::create()?;
    let mut wanted = pair.b.target_config();
    wanted.token = JETTY_TOKEN ^ 1;
    match Target::jetty(&pair.a.ctx, wanted) {
        Ok(target) => {
            let list = [pair.a.memory.sge(0, 8)];
            let wr = SendWr::send(target.target_ref(), &list);
            pair.a.expect(&wr, UBURMA_CR_REM_ACCESS_ABORT_ERR)?;
        }
        Err(err) => check_eq!(err.errno(), libc::EACCES),
    }
    Ok(())
}

pub fn main() -> ExitCode {
    let options = Options {
        limit: 180,
        ..Options::default()
    };
    ub_tests::run_with(
        "t-operations",
        tests![
            every_opcode_in_every_mode,
            every_flag_of_every_operation,
            inline_data_of_every_operation,
            lists_of_every_operation,
            every_order_of_delivery,
            fenced_requests_see_the_earlier_ones,
            targets_that_are_gone,
        ],
        options,
    )
}
