// SPDX-License-Identifier: GPL-2.0

//! Fine-grained time. Machines under emulation often have no clock that is finer than
//! some milliseconds; the processor's own counter is.

use std::time::{Duration, Instant};

/// The processor's counter.
#[cfg(target_arch = "x86_64")]
pub fn ticks() -> u64 {
    // SAFETY: the instruction is always there and takes nothing.
    unsafe { std::arch::x86_64::_rdtsc() }
}

/// Nanoseconds, where there is no counter that can be read.
#[cfg(not(target_arch = "x86_64"))]
pub fn ticks() -> u64 {
    let mut now = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: `now` is valid for the call, which cannot fail for this clock.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &mut now) };
    now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64
}

/// How fast the counter is.
#[derive(Debug, Clone, Copy)]
pub struct TickRate {
    ns_per_tick: f64,
}

impl TickRate {
    /// A tick is a nanosecond, as where the counter counts instructions.
    pub const ONE: TickRate = TickRate { ns_per_tick: 1.0 };

    /// Compares the counter with the clock, between two steps of the clock that are at
    /// least this far apart.
    pub fn measure(span: Duration) -> Self {
        let edge = || {
            let before = Instant::now();
            loop {
                let now = Instant::now();
                if now != before {
                    return (now, ticks());
                }
            }
        };
        let (start, first) = edge();
        while start.elapsed() < span {
            std::hint::spin_loop();
        }
        let (end, last) = edge();
        let ns = end.duration_since(start).as_nanos() as f64;
        TickRate {
            ns_per_tick: ns / (last.saturating_sub(first).max(1)) as f64,
        }
    }

    /// Nanoseconds of so many ticks.
    pub fn ns(&self, ticks: u64) -> f64 {
        ticks as f64 * self.ns_per_tick
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rate_is_positive() {
        let rate = TickRate::measure(Duration::from_millis(20));
        assert!(rate.ns(1_000_000_000) > 1.0);
    }
}
