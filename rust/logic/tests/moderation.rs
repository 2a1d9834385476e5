// SPDX-License-Identifier: GPL-2.0

use super::{Moderation, Verdict};

const ENTRIES: u32 = 16;

fn moderation(count: u16, period: u16) -> Moderation {
    let mut it = Moderation::new(ENTRIES);
    it.set(Some(count), Some(period));
    it
}

/// A clock that nobody may read.
fn never() -> i64 {
    panic!("the time was asked for")
}

#[test]
fn what_is_on() {
    for (count, period, on) in [
        (0, 0, false),
        (1, 0, false),
        (1, 9, false),
        (2, 0, true),
        (0, 1, true),
        (u16::MAX, u16::MAX, true),
    ] {
        let it = moderation(count, period);
        assert_eq!(it.is_on(), on, "{count} {period}");
        assert_eq!(it.is_unset(), count == 0 && period == 0);
    }
}

#[test]
fn one_is_set_and_the_other_stays() {
    let mut it = moderation(4, 7);
    it.set(None, None);
    assert_eq!((it.count, it.period), (4, 7000));
    it.set(Some(5), None);
    assert_eq!((it.count, it.period), (5, 7000));
    it.set(None, Some(u16::MAX));
    assert_eq!((it.count, it.period), (5, 65_535_000));
}

#[test]
fn count_alone() {
    let mut it = moderation(3, 0);
    assert_eq!(it.armed(0, never), Verdict::Stop);
    assert_eq!(it.completed(1, never), Verdict::Keep);
    assert_eq!(it.completed(2, never), Verdict::Keep);
    assert_eq!(it.completed(3, never), Verdict::Event);
    // From the beginning, and what is unread counts.
    assert_eq!(it.armed(2, never), Verdict::Keep);
    assert_eq!(it.completed(3, never), Verdict::Event);
    assert_eq!(it.armed(3, never), Verdict::Event);
    // Those that have been read meanwhile too.
    assert_eq!(it.armed(0, never), Verdict::Stop);
    assert_eq!(it.completed(1, never), Verdict::Keep);
    assert_eq!(it.completed(1, never), Verdict::Keep);
    assert_eq!(it.completed(1, never), Verdict::Event);
}

#[test]
fn period_alone() {
    let mut it = moderation(0, 5);
    assert_eq!(it.armed(0, never), Verdict::Stop);
    assert_eq!(it.completed(1, || 100), Verdict::Start(5000));
    assert_eq!(it.completed(2, never), Verdict::Keep);
    assert_eq!(it.expired(2, 5099), Verdict::Keep);
    assert_eq!(it.expired(2, 5100), Verdict::Event);
    assert_eq!(it.expired(2, 9000), Verdict::Keep);
    // What is there already has waited long enough for the time to begin.
    assert_eq!(it.armed(1, || 7000), Verdict::Start(5000));
    assert_eq!(it.expired(1, 12_000), Verdict::Event);
}

#[test]
fn whichever_is_first() {
    let mut it = moderation(2, 5);
    it.armed(0, never);
    assert_eq!(it.completed(1, || 0), Verdict::Start(5000));
    assert_eq!(it.completed(2, never), Verdict::Event);
    it.armed(0, never);
    assert_eq!(it.completed(1, || 0), Verdict::Start(5000));
    assert_eq!(it.expired(1, 5000), Verdict::Event);
}

#[test]
fn a_timer_of_before() {
    let mut it = moderation(2, 5);
    it.armed(0, never);
    it.completed(1, || 0);
    it.completed(2, never);
    // The event has come, and another one is asked for.
    it.armed(0, never);
    assert_eq!(it.expired(0, 5000), Verdict::Keep);
    assert_eq!(it.completed(1, || 4000), Verdict::Start(5000));
    assert_eq!(it.expired(1, 5000), Verdict::Keep);
    assert_eq!(it.expired(1, 9000), Verdict::Event);
}

#[test]
fn nothing_to_tell() {
    let mut it = moderation(4, 5);
    it.armed(0, never);
    it.completed(1, || 0);
    it.completed(2, never);
    assert_eq!(it.expired(0, 5000), Verdict::Stop);
    // Counted anew from here.
    for n in 1..4 {
        assert_ne!(it.completed(n, || 6000), Verdict::Event);
    }
    assert_eq!(it.completed(4, never), Verdict::Event);
}

#[test]
fn asked_again_does_not_put_it_off() {
    let mut it = moderation(0, 5);
    it.armed(0, never);
    assert_eq!(it.completed(1, || 0), Verdict::Start(5000));
    assert_eq!(it.armed(1, never), Verdict::Keep);
    assert_eq!(it.expired(1, 5000), Verdict::Event);
    // Unless all has been read.
    it.armed(1, || 6000);
    assert_eq!(it.armed(0, never), Verdict::Stop);
    assert_eq!(it.completed(1, || 7000), Verdict::Start(5000));
}

#[test]
fn a_full_queue_is_told() {
    for (count, period) in [(100, 0), (0, 9), (100, 9)] {
        let mut it = moderation(count, period);
        it.armed(0, never);
        for n in 1..ENTRIES {
            assert_ne!(it.completed(n, || 0), Verdict::Event);
        }
        assert_eq!(it.completed(ENTRIES, never), Verdict::Event);
        assert_eq!(it.armed(ENTRIES, never), Verdict::Event);
    }
    // More than fit, with reading in between.
    let mut it = moderation(100, 0);
    it.armed(0, never);
    for _ in 1..100 {
        assert_eq!(it.completed(1, never), Verdict::Keep);
    }
    assert_eq!(it.completed(1, never), Verdict::Event);
}

#[test]
fn changed_under_way() {
    // Down to what has come.
    let mut it = moderation(5, 0);
    it.armed(0, never);
    it.completed(1, never);
    it.completed(2, never);
    it.set(Some(3), None);
    assert_eq!(it.changed(2, never), Verdict::Stop);
    it.set(Some(2), None);
    assert_eq!(it.changed(2, never), Verdict::Event);
    // Off: at once if something has come.
    let mut it = moderation(5, 5);
    it.armed(0, never);
    it.set(Some(0), Some(0));
    assert_eq!(it.changed(0, never), Verdict::Stop);
    let mut it = moderation(5, 5);
    it.armed(0, never);
    it.completed(1, || 0);
    it.set(Some(0), Some(0));
    assert_eq!(it.changed(1, never), Verdict::Event);
    // The period counts from the first one, or from now if there was none.
    let mut it = moderation(5, 5);
    it.armed(0, never);
    it.completed(1, || 1000);
    it.set(None, Some(8));
    assert_eq!(it.changed(1, || 3000), Verdict::Start(6000));
    it.set(None, Some(2));
    assert_eq!(it.changed(1, || 3000), Verdict::Event);
    let mut it = moderation(5, 0);
    it.armed(0, never);
    it.completed(1, never);
    it.set(None, Some(8));
    assert_eq!(it.changed(1, || 3000), Verdict::Start(8000));
    it.set(None, Some(0));
    assert_eq!(it.changed(1, never), Verdict::Stop);
    // All read: as if nothing had come.
    let mut it = moderation(2, 5);
    it.armed(0, never);
    it.completed(1, || 0);
    it.set(Some(1), None);
    assert_eq!(it.changed(0, never), Verdict::Stop);
}

#[test]
fn numbers_at_the_edge() {
    let mut it = moderation(u16::MAX, u16::MAX);
    it.armed(0, never);
    it.completed(1, || i64::MIN);
    assert_eq!(it.expired(1, i64::MAX), Verdict::Event);
    it.seen = u32::MAX;
    assert_eq!(it.completed(1, never), Verdict::Event);
}
