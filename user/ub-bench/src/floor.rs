// SPDX-License-Identifier: GPL-2.0

//! What the machine itself costs: below that nothing can be.

use std::os::fd::AsRawFd;

use ub_client::{sys, Result};

use crate::measure::Report;

const MIB: usize = 1 << 20;

pub fn run(report: &mut Report) -> Result<()> {
    report.section("floor");
    report.measure("null_syscall", "null system call", 2000, || {
        std::hint::black_box(sys::null_syscall());
        Ok(())
    })?;
    let event = sys::eventfd()?;
    report.measure("eventfd", "eventfd, write and read", 1000, || {
        sys::write_fd(event.as_raw_fd(), &1u64.to_ne_bytes())?;
        sys::read_fd(event.as_raw_fd(), &mut [0; 8]).map(drop)
    })?;
    let from = vec![0x5a; MIB];
    let mut to = vec![0; MIB];
    for (len, name, title) in [
        (64, "memcpy_64", "memcpy of the C library, 64 B"),
        (MIB, "memcpy_1m", "memcpy of the C library, 1 MiB"),
    ] {
        report.measure(name, title, 64, || {
            to[..len].copy_from_slice(std::hint::black_box(&from[..len]));
            std::hint::black_box(&mut to);
            Ok(())
        })?;
    }
    report.measure("copy_page_1m", "copy_page of the kernel, 1 MiB", 64, || {
        for (to, from) in to.chunks_mut(4096).zip(from.chunks(4096)) {
            sys::copy_words(to, from);
        }
        std::hint::black_box(&mut to);
        Ok(())
    })
}
