// SPDX-License-Identifier: GPL-2.0

//! Requests and completions.

use std::ptr;
use std::sync::atomic::{AtomicU64, Ordering};

use ub_client::sys::Mapping;
use ub_tests::{check, check_eq, tests, Outcome, Test};
use ub_urma::flags::{urma_cr_flag, urma_import_seg_flag, urma_jfs_wr_flag};
use ub_urma::*;

use super::lab::*;
use crate::double::calls::Calls;

/// The tests of this file.
pub const TESTS: &[Test] = tests![
    messages_and_their_completions,
    writes_and_reads,
    atomics,
    inline_data,
    invalidation,
    memory_that_is_mapped,
    a_list_is_posted_up_to_the_bad_one,
    one_doorbell_and_no_memory,
    a_full_queue_takes_no_more,
];

/// A message of some ranges.
pub fn message(
    opcode: u32,
    target: *mut urma_target_jetty,
    src: urma_sg,
    user_ctx: u64,
) -> urma_jfs_wr {
    let mut wr = request(opcode, target, user_ctx);
    // What is not set is garbage.
    wr.body.send.src = src;
    wr.body.send.imm_data = 0x0123_4567_89ab_cdef;
    wr
}

/// A read or write.
pub fn transfer(
    opcode: u32,
    target: *mut urma_target_jetty,
    (src, dst): (urma_sg, urma_sg),
    user_ctx: u64,
) -> urma_jfs_wr {
    let mut wr = request(opcode, target, user_ctx);
    wr.body.rw.src = src;
    wr.body.rw.dst = dst;
    wr
}

fn messages_and_their_completions() -> Outcome {
    let (a, b) = (Side::create(URMA_TM_RM)?, Side::create(URMA_TM_RM)?);
    let target = a.import(&b)?;
    for (opcode, seen, imm) in [
        (URMA_OPC_SEND, URMA_CR_OPC_SEND, None),
        (
            URMA_OPC_SEND_IMM,
            URMA_CR_OPC_SEND_WITH_IMM,
            Some(0x0123_4567_89ab_cdef),
        ),
    ] {
        a.bytes.write(0, b"a message ");
        a.bytes.write(100, b"of two pieces");
        b.bytes.fill(0, 64, 0);
        b.post_recv(0, 64, 0x4e)?;
        // The empty range is left out.
        let mut src = [a.sge(0, 10), a.sge(50, 0), a.sge(100, 13)];
        let cr = a.execute(&mut message(opcode, target, list(&mut src), 0x5e))?;
        check_eq!(cr.status, URMA_CR_SUCCESS);
        check_eq!(cr.user_ctx, 0x5e);
        // No code of a receive: a sender must not take it for one.
        check_eq!(cr.opcode, 0xff);
        check_eq!(u32::from(cr.flag), urma_cr_flag::jetty.mask());
        check_eq!(cr.completion_len, 23);
        check_eq!(cr.local_id, a.id());
        check_eq!(cr.remote_id.id, b.id());
        check_eq!(cr.user_data, a.jetty as usize);
        let cr = b.lab.wait(b.received)?;
        check_eq!(cr.status, URMA_CR_SUCCESS);
        check_eq!(cr.user_ctx, 0x4e);
        check_eq!(cr.opcode, seen);
        check_eq!(
            u32::from(cr.flag),
            urma_cr_flag::jetty.mask() | urma_cr_flag::s_r.mask()
        );
        check_eq!(cr.completion_len, 23);
        check_eq!(cr.local_id, b.id());
        check_eq!(cr.remote_id.id, a.id());
        check_eq!(cr.remote_id.uasid, 0);
        check_eq!(cr.remote_id.eid.bytes(), a.eid().bytes());
        check_eq!(cr.user_data, b.jetty as usize);
        if let Some(imm) = imm {
            check_eq!(cr.imm_data, imm);
        }
        check_eq!(b.bytes.bytes(0, 23), b"a message of two pieces");
    }
    a.lab.quiet(a.sent)?;
    b.lab.quiet(b.received)?;
    check_eq!(call!(a, unimport_jetty(target)), URMA_SUCCESS);
    a.destroy()?;
    b.destroy()
}

fn writes_and_reads() -> Outcome {
    let (a, b) = (Side::create(URMA_TM_RM)?, Side::create(URMA_TM_RM)?);
    let target = a.import(&b)?;
    let imported = a.import_memory(&b)?;
    // Memory that was not imported is described in the request.
    let mut described = urma_user_target_seg {
        attr: 0,
        // SAFETY: a segment that exists.
        token_id: unsafe { (*b.memory.seg).seg.token_id },
        token_value: urma_token { token: SEG_TOKEN },
    };
    let mut by_description = b.far(ptr::null_mut(), 4096, 3000);
    by_description.user_tseg = &mut described;
    for far in [b.far(imported, 4096, 3000), by_description] {
        let data: Vec<u8> = (0..3000u32).map(|i| (i % 251) as u8).collect();
        a.bytes.write(0, &data);
        b.bytes.fill(4096, 3000, 0);
        let (mut near, mut remote) = ([a.sge(0, 1000), a.sge(1000, 2000)], [far]);
        let ends = (list(&mut near), list(&mut remote));
        let cr = a.execute(&mut transfer(URMA_OPC_WRITE, target, ends, 1))?;
        check_eq!((cr.status, cr.completion_len), (URMA_CR_SUCCESS, 3000));
        check_eq!(b.bytes.bytes(4096, 3000), data);
        let (mut back, mut remote) = ([a.sge(8192, 3000)], [far]);
        let ends = (list(&mut remote), list(&mut back));
        let cr = a.execute(&mut transfer(URMA_OPC_READ, target, ends, 2))?;
        check_eq!((cr.status, cr.user_ctx), (URMA_CR_SUCCESS, 2));
        check_eq!(a.bytes.bytes(8192, 3000), data);
    }
    // With immediate data, which takes a receive buffer.
    b.post_recv(0, 64, 0x4e)?;
    let (mut near, mut remote) = ([a.sge(0, 8)], [b.far(imported, 0, 8)]);
    let mut wr = transfer(
        URMA_OPC_WRITE_IMM,
        target,
        (list(&mut near), list(&mut remote)),
        3,
    );
    wr.body.rw.notify_data = 0xfedc_ba98_7654_3210;
    check_eq!(a.execute(&mut wr)?.status, URMA_CR_SUCCESS);
    let cr = b.lab.wait(b.received)?;
    check_eq!(
        (cr.opcode, cr.imm_data),
        (URMA_CR_OPC_WRITE_WITH_IMM, 0xfedc_ba98_7654_3210)
    );
    // With a word elsewhere.
    let mut remote = [b.far(imported, 0, 8), b.far(imported, 512, 8)];
    let mut wr = transfer(
        URMA_OPC_WRITE_NOTIFY,
        target,
        (list(&mut near), list(&mut remote)),
        4,
    );
    wr.body.rw.notify_data = 0x1122_3344_5566_7788;
    check_eq!(a.execute(&mut wr)?.status, URMA_CR_SUCCESS);
    check_eq!(
        b.bytes.bytes(512, 8),
        0x1122_3344_5566_7788u64.to_ne_bytes()
    );
    // Beyond the segment: the kernel looks, and tells by a completion.
    let mut remote = [b.far(imported, MEMORY - 4, 8)];
    let mut wr = transfer(
        URMA_OPC_WRITE,
        target,
        (list(&mut near), list(&mut remote)),
        5,
    );
    check_eq!(a.execute(&mut wr)?.status, URMA_CR_REM_ACCESS_ABORT_ERR);
    check_eq!(call!(a, unimport_seg(imported)), URMA_SUCCESS);
    check_eq!(call!(a, unimport_jetty(target)), URMA_SUCCESS);
    a.destroy()?;
    b.destroy()
}

fn atomics() -> Outcome {
    let (a, b) = (Side::create(URMA_TM_RM)?, Side::create(URMA_TM_RM)?);
    let target = a.import(&b)?;
    let imported = a.import_memory(&b)?;
    let start = 0x0000_0007_0000_0005u64;
    for (opcode, operands, after) in [
        (URMA_OPC_CAS, (start, 9), 9),
        (URMA_OPC_CAS, (1, 9), start),
        (URMA_OPC_SWAP, (0, 11), 11),
        (URMA_OPC_FADD, (3, 0), start + 3),
        (URMA_OPC_FSUB, (3, 0), start - 3),
        (URMA_OPC_FAND, (4, 0), start & 4),
        (URMA_OPC_FOR, (8, 0), start | 8),
        (URMA_OPC_FXOR, (5, 0), start ^ 5),
    ] {
        b.bytes.write(64, &start.to_ne_bytes());
        a.bytes.fill(0, 8, 0);
        let (mut old, mut word) = (a.sge(0, 8), b.far(imported, 64, 8));
        let mut wr = request(opcode, target, u64::from(opcode));
        if opcode <= URMA_OPC_SWAP {
            wr.body.cas = urma_cas_wr {
                dst: &mut word,
                src: &mut old,
                cmp_data: operands.0,
                swap_data: operands.1,
            };
        } else {
            wr.body.faa = urma_faa_wr {
                dst: &mut word,
                src: &mut old,
                operand: operands.0,
            };
        }
        let cr = a.execute(&mut wr)?;
        check_eq!(
            (cr.status, cr.user_ctx),
            (URMA_CR_SUCCESS, u64::from(opcode))
        );
        check_eq!(a.bytes.bytes(0, 8), start.to_ne_bytes(), "{opcode:#x}");
        check_eq!(b.bytes.bytes(64, 8), after.to_ne_bytes(), "{opcode:#x}");
    }
    check_eq!(call!(a, unimport_seg(imported)), URMA_SUCCESS);
    check_eq!(call!(a, unimport_jetty(target)), URMA_SUCCESS);
    a.destroy()?;
    b.destroy()
}

fn inline_data() -> Outcome {
    let (a, b) = (Side::create(URMA_TM_RM)?, Side::create(URMA_TM_RM)?);
    let target = a.import(&b)?;
    b.post_recv(0, 256, 1)?;
    // No segment is needed, and the memory is free as soon as the request is posted.
    let (mut first, mut second) = (*b"from the ", *b"stack");
    let range = |bytes: &mut [u8]| urma_sge {
        addr: bytes.as_mut_ptr() as u64,
        len: bytes.len() as u32,
        ..Default::default()
    };
    let mut src = [range(&mut first), range(&mut second)];
    let mut wr = message(URMA_OPC_SEND, target, list(&mut src), 1);
    wr.flag |= urma_jfs_wr_flag::inline_flag.mask();
    check_eq!(a.execute(&mut wr)?.status, URMA_CR_SUCCESS);
    check_eq!(b.lab.wait(b.received)?.completion_len, 14);
    check_eq!(b.bytes.bytes(0, 14), b"from the stack");
    // More than was asked for when the jetty was made.
    let mut much = [7; 257];
    let mut src = [range(&mut much)];
    let mut wr = message(URMA_OPC_SEND, target, list(&mut src), 1);
    wr.flag |= urma_jfs_wr_flag::inline_flag.mask();
    check_eq!(a.post(&mut wr)?.0, URMA_EINVAL);
    a.lab.quiet(a.sent)?;
    check_eq!(call!(a, unimport_jetty(target)), URMA_SUCCESS);
    a.destroy()?;
    b.destroy()
}

fn invalidation() -> Outcome {
    let (a, b) = (Side::create(URMA_TM_RM)?, Side::create(URMA_TM_RM)?);
    let target = a.import(&b)?;
    let spare = ub_client::sys::Mapping::anonymous(4096)?;
    let gone = b.lab.register(&spare)?;
    // SAFETY: a segment that exists.
    let mut seg = unsafe { (*gone.seg).seg };
    let mut token = urma_token { token: SEG_TOKEN };
    let imported = call!(a, import_seg(a.lab.ctx(), &mut seg, &mut token, 0, 0));
    check!(!imported.is_null());
    b.post_recv(0, 64, 1)?;
    let mut src = [a.sge(0, 4)];
    let mut wr = message(URMA_OPC_SEND_INVALIDATE, target, list(&mut src), 1);
    wr.body.send.tseg = imported;
    check_eq!(a.execute(&mut wr)?.status, URMA_CR_SUCCESS);
    let cr = b.lab.wait(b.received)?;
    check_eq!(cr.opcode, URMA_CR_OPC_SEND_WITH_INV);
    check_eq!(cr.imm_data as u32, seg.token_id);
    // It is of no use any more.
    let mut near = [a.sge(0, 4)];
    let mut far = [urma_sge {
        addr: spare.addr(),
        len: 4,
        tseg: imported,
        ..Default::default()
    }];
    let ends = (list(&mut near), list(&mut far));
    let cr = a.execute(&mut transfer(URMA_OPC_WRITE, target, ends, 2))?;
    check_eq!(cr.status, URMA_CR_REM_ACCESS_ABORT_ERR);
    check_eq!(call!(a, unimport_seg(imported)), URMA_SUCCESS);
    b.lab.unregister(gone)?;
    check_eq!(call!(a, unimport_jetty(target)), URMA_SUCCESS);
    a.destroy()?;
    b.destroy()
}

fn memory_that_is_mapped() -> Outcome {
    let (a, b) = (Side::create(URMA_TM_RM)?, Side::create(URMA_TM_RM)?);
    // SAFETY: a segment that exists.
    let mut seg = unsafe { (*b.memory.seg).seg };
    let mut token = urma_token { token: SEG_TOKEN };
    let flag = urma_import_seg_flag::mapping.mask() | urma_import_seg_flag::access.of(ACCESS);
    let window = call!(a, import_seg(a.lab.ctx(), &mut seg, &mut token, 0, flag));
    check!(
        !window.is_null(),
        "import_seg: {}",
        std::io::Error::last_os_error()
    );
    // SAFETY: a segment that exists, which is mapped.
    let word = unsafe { AtomicU64::from_ptr((*window).mva as *mut u64) };
    b.bytes.write(0, &77u64.to_ne_bytes());
    check_eq!(word.load(Ordering::SeqCst), 77);
    word.store(88, Ordering::SeqCst);
    check_eq!(b.bytes.bytes(0, 8), 88u64.to_ne_bytes());
    check_eq!(call!(a, unimport_seg(window)), URMA_SUCCESS);
    // Where it is asked for, or not at all.
    let room = Mapping::inaccessible(MEMORY)?;
    let addr = room.addr();
    let window = call!(a, import_seg(a.lab.ctx(), &mut seg, &mut token, addr, flag));
    check!(window.is_null());
    check_eq!(
        std::io::Error::last_os_error().raw_os_error(),
        Some(libc::EEXIST)
    );
    drop(room);
    let window = call!(a, import_seg(a.lab.ctx(), &mut seg, &mut token, addr, flag));
    check!(!window.is_null());
    // SAFETY: a segment that exists.
    check_eq!(unsafe { (*window).mva }, addr);
    check_eq!(call!(a, unimport_seg(window)), URMA_SUCCESS);
    // Not without the right token, and then nothing is left behind.
    let mut token = urma_token {
        token: SEG_TOKEN + 1,
    };
    let window = call!(a, import_seg(a.lab.ctx(), &mut seg, &mut token, 0, flag));
    check!(window.is_null());
    // A part of a page is registered as ever, but not for mapping.
    let token_id = call!(b, alloc_token_id(b.lab.ctx()));
    // SAFETY: a segment that exists.
    let odd = unsafe { (*b.memory.seg).seg.ubva.va } + 8;
    let mut cfg = urma_seg_cfg {
        va: odd,
        len: 64,
        token_id,
        token_value: urma_token { token: SEG_TOKEN },
        flag: Lab::seg_flag(),
        ..Default::default()
    };
    let part = call!(b, register_seg(b.lab.ctx(), &mut cfg));
    check!(!part.is_null());
    // SAFETY: a segment that exists.
    let mut seg = unsafe { (*part).seg };
    let mut token = urma_token { token: SEG_TOKEN };
    let window = call!(a, import_seg(a.lab.ctx(), &mut seg, &mut token, 0, flag));
    check!(window.is_null());
    b.lab.unregister(Memory {
        seg: part,
        token_id,
    })?;
    a.destroy()?;
    b.destroy()
}

fn a_list_is_posted_up_to_the_bad_one() -> Outcome {
    let (a, b) = (Side::create(URMA_TM_RM)?, Side::create(URMA_TM_RM)?);
    let target = a.import(&b)?;
    let imported = a.import_memory(&b)?;
    let (mut near, mut far) = ([a.sge(0, 8)], [b.far(imported, 0, 8)]);
    let ends = (list(&mut near), list(&mut far));
    let mut wrs: Vec<_> = (0..5)
        .map(|i| transfer(URMA_OPC_WRITE, target, ends, i))
        .collect();
    // The first is not to be told of.
    wrs[0].flag = 0;
    wrs[3].opcode = URMA_OPC_WRITE_ATOMIC;
    for i in 0..4 {
        wrs[i].next = &mut wrs[i + 1];
    }
    let (status, bad) = a.post(&mut wrs[0])?;
    check_eq!(status, URMA_EINVAL);
    check!(ptr::eq(bad, &wrs[3]));
    for i in [1, 2] {
        check_eq!(a.lab.wait(a.sent)?.user_ctx, i);
    }
    a.lab.quiet(a.sent)?;
    // A bad first one, and nowhere to tell.
    let status = call!(a, post_jetty_send_wr(a.jetty, &mut wrs[3], ptr::null_mut()));
    check_eq!(status, URMA_EINVAL);
    // Buffers too.
    let mut sge = b.sge(0, 64);
    let mut bad_sge = urma_sge {
        tseg: ptr::null_mut(),
        ..sge
    };
    let buffer = |sge: &mut urma_sge, user_ctx| urma_jfr_wr {
        src: urma_sg { sge, num_sge: 1 },
        user_ctx,
        next: ptr::null_mut(),
    };
    let mut wrs = [buffer(&mut sge, 0), buffer(&mut bad_sge, 1)];
    wrs[0].next = &mut wrs[1];
    let mut bad = ptr::null_mut();
    check_eq!(
        call!(b, post_jfr_wr(b.jfr, &mut wrs[0], &mut bad)),
        URMA_EINVAL
    );
    check!(ptr::eq(bad, &wrs[1]));
    let mut src = [a.sge(0, 4)];
    let cr = a.execute(&mut message(URMA_OPC_SEND, target, list(&mut src), 9))?;
    check_eq!(cr.status, URMA_CR_SUCCESS);
    check_eq!(b.lab.wait(b.received)?.user_ctx, 0);
    check_eq!(call!(a, unimport_seg(imported)), URMA_SUCCESS);
    check_eq!(call!(a, unimport_jetty(target)), URMA_SUCCESS);
    a.destroy()?;
    b.destroy()
}

fn one_doorbell_and_no_memory() -> Outcome {
    let (a, b) = (Side::create(URMA_TM_RM)?, Side::create(URMA_TM_RM)?);
    let target = a.import(&b)?;
    let imported = a.import_memory(&b)?;
    let (mut near, mut far) = ([a.sge(0, 64)], [b.far(imported, 0, 64)]);
    let ends = (list(&mut near), list(&mut far));
    let mut wrs: Vec<_> = (0..8)
        .map(|i| transfer(URMA_OPC_WRITE, target, ends, i))
        .collect();
    for i in 0..7 {
        wrs[i].next = &mut wrs[i + 1];
    }
    // The counters count: making a queue takes both.
    let before = Calls::now();
    let jfc = a.lab.jfc(8, ptr::null_mut(), 0)?;
    let made = before.since();
    check!(made.ioctls > 0 && made.allocations > 0, "{made:?}");
    check_eq!(call!(a, delete_jfc(jfc)), URMA_SUCCESS);
    let before = Calls::now();
    let (status, _) = a.post(&mut wrs[0])?;
    let posted = before.since();
    check_eq!(status, URMA_SUCCESS);
    check_eq!(
        posted,
        Calls {
            ioctls: 1,
            kicks: 1,
            allocations: 0
        }
    );
    let before = Calls::now();
    for i in 0..8 {
        check_eq!(a.lab.wait(a.sent)?.user_ctx, i);
    }
    a.lab.quiet(a.sent)?;
    b.post_recv(0, 64, 1)?;
    check_eq!(
        before.since(),
        Calls {
            ioctls: 0,
            kicks: 0,
            allocations: 0
        }
    );
    // Nothing is rung for what was not posted.
    wrs[0].opcode = 0x60;
    let before = Calls::now();
    check_eq!(a.post(&mut wrs[0])?.0, URMA_EINVAL);
    check_eq!(before.since().ioctls, 0);
    check_eq!(call!(a, unimport_seg(imported)), URMA_SUCCESS);
    check_eq!(call!(a, unimport_jetty(target)), URMA_SUCCESS);
    a.destroy()?;
    b.destroy()
}

fn a_full_queue_takes_no_more() -> Outcome {
    let (a, b) = (Side::create(URMA_TM_RM)?, Side::create(URMA_TM_RM)?);
    let target = a.import(&b)?;
    // SAFETY: objects that exist.
    let (sends, buffers) = unsafe {
        (
            (*a.jetty).jetty_cfg.jfs_cfg.depth as u64,
            (*b.jfr).jfr_cfg.depth as u64,
        )
    };
    for i in 0..buffers {
        b.post_recv(0, 64, i)?;
    }
    let mut sge = b.sge(0, 64);
    let mut wr = urma_jfr_wr {
        src: urma_sg {
            sge: &mut sge,
            num_sge: 1,
        },
        user_ctx: 0,
        next: ptr::null_mut(),
    };
    let mut bad = ptr::null_mut();
    check_eq!(call!(b, post_jfr_wr(b.jfr, &mut wr, &mut bad)), URMA_ENOMEM);
    check!(ptr::eq(bad, &wr));
    // One list that is longer than the queue. What finishes while it is posted makes no room: the
    // kernel sees it afterwards.
    let mut src = [a.sge(0, 4)];
    let mut wrs: Vec<_> = (0..sends + 1)
        .map(|i| message(URMA_OPC_SEND, target, list(&mut src), i))
        .collect();
    for i in 0..sends as usize {
        wrs[i].next = &mut wrs[i + 1];
    }
    let (status, bad) = a.post(&mut wrs[0])?;
    check_eq!(status, URMA_ENOMEM);
    check!(ptr::eq(bad, &wrs[sends as usize]));
    for i in 0..sends {
        check_eq!(a.lab.wait(a.sent)?.user_ctx, i);
    }
    // Many at once.
    let mut crs = vec![dirty(); sends as usize + 4];
    let mut got = 0;
    while got < sends as usize {
        let room = (crs.len() - got) as i32;
        let count = call!(b, poll_jfc(b.received, room, &mut crs[got]));
        check!(count >= 0);
        got += count as usize;
    }
    for (i, cr) in crs.iter().take(got).enumerate() {
        check_eq!((cr.status, cr.user_ctx), (URMA_CR_SUCCESS, i as u64));
    }
    check_eq!(call!(a, unimport_jetty(target)), URMA_SUCCESS);
    a.destroy()?;
    b.destroy()
}
