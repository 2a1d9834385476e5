// SPDX-License-Identifier: GPL-2.0

//! What the machine itself costs: below that nothing can be.

use std::os::fd::AsRawFd;

use ub_client::{sys, Result};

use crate::measure::Report;

const MIB: usize = 1 << 20;

pub fn run(report: &mut Report) -> Result<()> {
    report.measure("null_syscall", 2000, || {
        std::hint::black_box(sys::null_syscall());
        Ok(())
    })?;
    let event = sys::eventfd()?;
    report.measure("eventfd", 1000, || {
        sys::write_fd(event.as_raw_fd(), &1u64.to_ne_bytes())?;
        sys::read_fd(event.as_raw_fd(), &mut [0; 8]).map(drop)
    })?;
    let from = vec![0x5a; MIB];
    let mut to = vec![0; MIB];
    for (len, name) in [(64, "memcpy_64"), (MIB, "memcpy_1m")] {
        report.measure(name, 64, || {
            to[..len].copy_from_slice(std::hint::black_box(&from[..len]));
            std::hint::black_box(&mut to);
            Ok(())
        })?;
    }
    report.measure("copy_page_1m", 64, || {
        for (to, from) in to.chunks_mut(4096).zip(from.chunks(4096)) {
            sys::copy_words(to, from);
        }
        std::hint::black_box(&mut to);
        Ok(())
    })
}
