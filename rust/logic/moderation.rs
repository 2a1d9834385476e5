// SPDX-License-Identifier: GPL-2.0

//! Moderation of completion events: when an event that was asked for is due.
//!
//! Time is in nanoseconds since any moment that does not change.

/// Nanoseconds of a microsecond.
const MICRO: i64 = 1000;

/// What is to be done about an event that was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// Raise it, and stop the timer; nothing is counted any more.
    Event,
    /// Wait on, and leave the timer as it is.
    Keep,
    /// Wait on, and have the timer expire after this time from now, in nanoseconds.
    Start(i64),
    /// Wait on without the timer.
    Stop,
}

/// Moderation of the events of one completion queue.
///
/// It counts while an event is asked for: completions that came since then, and those that the
/// owner had not read at that moment.
#[derive(Debug)]
pub(crate) struct Moderation {
    /// Entries of the queue.
    entries: u32,
    /// Completions that make an event due; 0 for no such number.
    count: u32,
    /// Time from the first of them that does, in nanoseconds; 0 for none.
    period: i64,
    /// Completions so far.
    seen: u32,
    /// When the first one came; looked at if there is a period.
    since: Option<i64>,
}

impl Moderation {
    /// That of a queue of `entries` entries, whose events are not moderated.
    pub(crate) fn new(entries: u32) -> Self {
        Self {
            entries,
            count: 0,
            period: 0,
            seen: 0,
            since: None,
        }
    }

    /// Tells whether events are put off at all.
    pub(crate) fn is_on(&self) -> bool {
        // An event for each completion is what there is without moderation.
        self.count != 1 && (self.count != 0 || self.period != 0)
    }

    /// Tells whether there is neither a count nor a period, as at first.
    pub(crate) fn is_unset(&self) -> bool {
        self.count == 0 && self.period == 0
    }

    /// Sets the count, the period in microseconds, or both; 0 means none.
    pub(crate) fn set(&mut self, count: Option<u16>, period: Option<u16>) {
        if let Some(count) = count {
            self.count = count.into();
        }
        if let Some(period) = period {
            self.period = i64::from(period).saturating_mul(MICRO);
        }
    }

    /// Counts nothing any more.
    pub(crate) fn rest(&mut self) {
        self.seen = 0;
        self.since = None;
    }

    /// An event is asked for, perhaps again; the owner does not know of `unread` completions.
    pub(crate) fn armed(&mut self, unread: u32, now: impl FnOnce() -> i64) -> Verdict {
        if unread == 0 {
            self.rest();
            return Verdict::Stop;
        }
        self.seen = unread;
        self.judge(unread, now)
    }

    /// There is one more completion; `unread` with it.
    pub(crate) fn completed(&mut self, unread: u32, now: impl FnOnce() -> i64) -> Verdict {
        self.seen = self.seen.saturating_add(1);
        self.judge(unread, now)
    }

    /// The timer has expired, this time or earlier.
    pub(crate) fn expired(&mut self, unread: u32, now: i64) -> Verdict {
        let is_over = |since| now.saturating_sub(since) >= self.period;
        if !self.since.is_some_and(is_over) {
            // Of something that is settled; what is counted now has a timer of its own.
            return Verdict::Keep;
        }
        self.rest();
        if unread == 0 {
            // All have been read: there is nothing to tell.
            Verdict::Stop
        } else {
            Verdict::Event
        }
    }

    /// Count or period have changed while an event is asked for.
    pub(crate) fn changed(&mut self, unread: u32, now: impl FnOnce() -> i64) -> Verdict {
        if unread == 0 || self.seen == 0 {
            self.rest();
            return Verdict::Stop;
        }
        if !self.is_on() || self.is_reached(unread) {
            self.rest();
            return Verdict::Event;
        }
        if self.period == 0 {
            self.since = None;
            return Verdict::Stop;
        }
        let now = now();
        let passed = now.saturating_sub(*self.since.get_or_insert(now));
        let left = self.period.saturating_sub(passed);
        if left <= 0 {
            self.rest();
            return Verdict::Event;
        }
        Verdict::Start(left)
    }

    /// Tells whether an event is due whatever the time.
    fn is_reached(&self, unread: u32) -> bool {
        // Into a full queue nothing more comes.
        unread >= self.entries || (self.count != 0 && self.seen >= self.count)
    }

    /// Decides after counting.
    fn judge(&mut self, unread: u32, now: impl FnOnce() -> i64) -> Verdict {
        if self.is_reached(unread) {
            self.rest();
            return Verdict::Event;
        }
        if self.period == 0 || self.since.is_some() {
            return Verdict::Keep;
        }
        self.since = Some(now());
        Verdict::Start(self.period)
    }
}

#[cfg(test)]
#[path = "tests/moderation.rs"]
mod tests;
