// SPDX-License-Identifier: GPL-2.0

//! What a write of 64 bytes costs by the provider, from posting to completion. In a machine that
//! counts instructions, ticks are these.

use std::process::ExitCode;
use std::ptr;

use ub_client::sys::ticks;
use ub_tests::{check_eq, Failure};
use ub_urma::*;

use super::data::transfer;
use super::lab::*;

/// Repetitions.
const TIMES: u64 = 2000;

/// Ticks of one of many, after as many that are not counted.
fn each(mut what: impl FnMut() -> Result<(), Failure>) -> Result<f64, Failure> {
    for _ in 0..TIMES {
        what()?;
    }
    let start = ticks();
    for _ in 0..TIMES {
        what()?;
    }
    Ok((ticks() - start) as f64 / TIMES as f64)
}

fn by_provider() -> Result<f64, Failure> {
    let (a, b) = (Side::create(URMA_TM_RM)?, Side::create(URMA_TM_RM)?);
    let target = a.import(&b)?;
    let imported = a.import_memory(&b)?;
    let (mut near, mut far) = ([a.sge(0, 64)], [b.far(imported, 0, 64)]);
    let ends = (list(&mut near), list(&mut far));
    let mut wr = transfer(URMA_OPC_WRITE, target, ends, 1);
    let mut cr = dirty();
    let cost = each(|| {
        let mut bad = ptr::null_mut();
        check_eq!(
            call!(a, post_jetty_send_wr(a.jetty, &mut wr, &mut bad)),
            URMA_SUCCESS
        );
        while call!(a, poll_jfc(a.sent, 1, &mut cr)) == 0 {}
        check_eq!(cr.status, URMA_CR_SUCCESS);
        Ok(())
    })?;
    check_eq!(call!(a, unimport_seg(imported)), URMA_SUCCESS);
    check_eq!(call!(a, unimport_jetty(target)), URMA_SUCCESS);
    a.destroy()?;
    b.destroy()?;
    Ok(cost)
}

/// Measures and prints.
pub fn run() -> ExitCode {
    match by_provider() {
        Ok(ticks) => {
            println!("a write of 64 bytes: {ticks:.0} ticks");
            ExitCode::SUCCESS
        }
        Err(why) => {
            println!("{why:?}");
            ExitCode::FAILURE
        }
    }
}
