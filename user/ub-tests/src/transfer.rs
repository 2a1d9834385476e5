// SPDX-License-Identifier: GPL-2.0

//! What the tests of data transfer share.

use ub_client::abi::UBURMA_TM_UM;
use ub_client::Device;

use crate::fixture::{modes, Pair, PairConfig, Side};
use crate::{Failure, Outcome};

/// Bytes of each half of the memory of a large pair.
pub const AREA: usize = 512 << 10;

/// A pair with two areas of memory each.
pub fn large(mode: u32) -> Result<Pair, Failure> {
    Pair::create_with(PairConfig {
        mode,
        memory: 2 * AREA,
        ..Default::default()
    })
}

/// Does something with a pair in every mode that the device offers.
pub fn in_each_mode(work: impl Fn(&mut Pair) -> Outcome) -> Outcome {
    for mode in modes(&Device::first()?)? {
        let mut pair = large(mode)?;
        work(&mut pair).map_err(|why| match why {
            Failure::Fail(why) => Failure::Fail(format!("mode {mode}: {why}")),
            skip => skip,
        })?;
    }
    Ok(())
}

/// The modes in which memory can be named remotely: all but UM.
pub fn in_each_memory_mode(work: impl Fn(&mut Pair) -> Outcome) -> Outcome {
    in_each_mode(|pair| {
        if pair.a.jfr.config().mode == UBURMA_TM_UM {
            return Ok(());
        }
        work(pair)
    })
}

/// Checks a range and that the bytes around it are still `around`.
pub fn check_landed(side: &Side, at: usize, data: &[u8], around: u8) -> Outcome {
    check_eq!(
        side.memory.bytes(at - 64, 64),
        vec![around; 64],
        "bytes before"
    );
    check!(
        side.memory.bytes(at, data.len()) == data,
        "the data at {at}"
    );
    let end = at + data.len();
    check_eq!(side.memory.bytes(end, 64), vec![around; 64], "bytes after");
    Ok(())
}
