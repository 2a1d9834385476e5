// SPDX-License-Identifier: GPL-2.0

//! Requests that are refused.

use std::ptr;

use ub_tests::{check, check_eq, tests, Outcome, Test};
use ub_urma::flags::urma_jfs_wr_flag;
use ub_urma::*;

use super::data::{message, transfer};
use super::lab::*;

/// The tests of this file.
pub const TESTS: &[Test] = tests![malformed_requests];

/// Posts a request that must be refused.
fn refused(side: &Side, what: &str, mut wr: urma_jfs_wr) -> Outcome {
    let (status, bad) = side.post(&mut wr)?;
    check_eq!(status, URMA_EINVAL, "{what}");
    check!(ptr::eq(bad, &wr), "{what}: the bad one is not told");
    Ok(())
}

fn malformed_requests() -> Outcome {
    let (a, b) = (Side::create(URMA_TM_RM)?, Side::create(URMA_TM_RM)?);
    let target = a.import(&b)?;
    let imported = a.import_memory(&b)?;
    let (mut near, mut far) = ([a.sge(0, 8)], [b.far(imported, 0, 8)]);
    let ends = (list(&mut near), list(&mut far));
    let good = transfer(URMA_OPC_WRITE, target, ends, 0);
    let none = urma_sg {
        sge: ptr::null_mut(),
        num_sge: 1,
    };
    for opcode in [0x03, 0x11, 0x27, 0x43, 0x50, 0x60, 0x80, 0x100, u32::MAX] {
        refused(&a, "opcode", urma_jfs_wr { opcode, ..good })?;
    }
    for bit in [8, 9, 10, 31] {
        refused(
            &a,
            "flag",
            urma_jfs_wr {
                flag: good.flag | (1 << bit),
                ..good
            },
        )?;
    }
    refused(
        &a,
        "no target",
        transfer(URMA_OPC_WRITE, ptr::null_mut(), ends, 0),
    )?;
    refused(
        &a,
        "no source",
        transfer(URMA_OPC_WRITE, target, (none, ends.1), 0),
    )?;
    refused(
        &a,
        "no destination",
        transfer(URMA_OPC_WRITE, target, (ends.0, none), 0),
    )?;
    let mut two = [far[0], far[0]];
    let twice = list(&mut two);
    refused(
        &a,
        "two destinations",
        transfer(URMA_OPC_WRITE, target, (ends.0, twice), 0),
    )?;
    refused(
        &a,
        "no notification",
        transfer(URMA_OPC_WRITE_NOTIFY, target, ends, 0),
    )?;
    let mut many = [near[0]; 17];
    for count in [5, 17] {
        let src = list(&mut many[..count]);
        refused(
            &a,
            "too many ranges",
            transfer(URMA_OPC_WRITE, target, (src, ends.1), 0),
        )?;
    }
    let mut bare = [urma_sge {
        tseg: ptr::null_mut(),
        ..near[0]
    }];
    let src = list(&mut bare);
    refused(
        &a,
        "no segment",
        transfer(URMA_OPC_WRITE, target, (src, ends.1), 0),
    )?;
    let dst = list(&mut bare);
    refused(
        &a,
        "no remote segment",
        transfer(URMA_OPC_WRITE, target, (ends.0, dst), 0),
    )?;
    let mut short = [urma_sge { len: 4, ..far[0] }];
    let dst = list(&mut short);
    refused(
        &a,
        "a short remote range",
        transfer(URMA_OPC_WRITE, target, (ends.0, dst), 0),
    )?;
    let mut huge = [
        urma_sge {
            len: u32::MAX,
            ..near[0]
        },
        near[0],
    ];
    let src = list(&mut huge);
    refused(
        &a,
        "a sum that is no length",
        transfer(URMA_OPC_WRITE, target, (src, ends.1), 0),
    )?;
    let mut wr = transfer(URMA_OPC_READ, target, (ends.1, ends.0), 0);
    wr.flag |= urma_jfs_wr_flag::inline_flag.mask();
    refused(&a, "an inline read", wr)?;
    let (mut old, mut word) = (a.sge(0, 16), b.far(imported, 0, 16));
    for len in [0, 1, 2, 16] {
        (old.len, word.len) = (len, len);
        let mut wr = request(URMA_OPC_CAS, target, 0);
        wr.body.cas = urma_cas_wr {
            dst: &mut word,
            src: &mut old,
            ..Default::default()
        };
        refused(&a, "the size of a word", wr)?;
    }
    let mut wr = request(URMA_OPC_FADD, target, 0);
    wr.body.faa = urma_faa_wr::default();
    refused(&a, "an atomic of nothing", wr)?;
    let mut wr = message(URMA_OPC_SEND_INVALIDATE, target, ends.0, 0);
    wr.body.send.tseg = ptr::null_mut();
    refused(&a, "nothing to invalidate", wr)?;
    a.lab.quiet(a.sent)?;
    // A hint that is not taken, and a request of nothing.
    let mut wr = good;
    wr.flag |= urma_jfs_wr_flag::db_bypass.mask();
    check_eq!(a.execute(&mut wr)?.status, URMA_CR_SUCCESS);
    check_eq!(
        a.execute(&mut request(URMA_OPC_NOP, ptr::null_mut(), 7))?
            .user_ctx,
        7
    );
    check_eq!(call!(a, unimport_seg(imported)), URMA_SUCCESS);
    check_eq!(call!(a, unimport_jetty(target)), URMA_SUCCESS);
    // Both are gone now.
    refused(&a, "a target that is gone", good)?;
    a.destroy()?;
    b.destroy()
}
