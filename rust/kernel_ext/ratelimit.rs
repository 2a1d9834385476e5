// SPDX-License-Identifier: GPL-2.0

//! Limits for messages that a user or a peer can provoke.
//!
//! As `pr_*_ratelimited()` in C: each call site has a budget of messages for an interval.

use kernel::{
    sync::atomic::{
        Atomic,
        Relaxed, //
    },
    time::{
        ClockSource,
        Monotonic, //
    }, //
};

/// A budget that is renewed in intervals.
///
/// Under contention some more or fewer may pass, which does not matter for messages.
pub(crate) struct RateLimit {
    /// How many may pass in an interval.
    burst: i32,
    /// Length of the interval, in nanoseconds.
    interval: i64,
    /// When the current interval began.
    begin: Atomic<i64>,
    /// How many have asked in the current interval.
    asked: Atomic<i32>,
}

impl RateLimit {
    /// Allows `burst` in each `seconds`.
    pub(crate) const fn new(burst: i32, seconds: i64) -> Self {
        Self {
            burst,
            interval: seconds.saturating_mul(1_000_000_000),
            begin: Atomic::new(i64::MIN),
            asked: Atomic::new(0),
        }
    }

    /// Tells whether one more may pass.
    pub(crate) fn allow(&self) -> bool {
        // Asking more often than that must not overflow the count.
        let asked = self.asked.load(Relaxed);
        let now = Monotonic::ktime_get();
        let begin = self.begin.load(Relaxed);
        if now.saturating_sub(begin) >= self.interval {
            self.begin.store(now, Relaxed);
            self.asked.store(1, Relaxed);
            return self.burst > 0;
        }
        if asked >= self.burst {
            return false;
        }
        self.asked.fetch_add(1, Relaxed) < self.burst
    }
}

/// Prints with one of the `pr_*!` macros, at most 10 times in 5 seconds for each place in the code.
macro_rules! pr_ratelimited {
    ($print:path, $($arg:tt)*) => {{
        static LIMIT: $crate::kernel_ext::ratelimit::RateLimit =
            $crate::kernel_ext::ratelimit::RateLimit::new(10, 5);
        if LIMIT.allow() {
            $print!($($arg)*);
        }
    }};
}

/// Prints an error, rate limited.
macro_rules! pr_err_ratelimited {
    ($($arg:tt)*) => { pr_ratelimited!(::kernel::pr_err, $($arg)*) };
}

/// Prints a warning, rate limited.
macro_rules! pr_warn_ratelimited {
    ($($arg:tt)*) => { pr_ratelimited!(::kernel::pr_warn, $($arg)*) };
}

/// Prints an information, rate limited.
macro_rules! pr_info_ratelimited {
    ($($arg:tt)*) => { pr_ratelimited!(::kernel::pr_info, $($arg)*) };
}
