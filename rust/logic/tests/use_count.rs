// SPDX-License-Identifier: GPL-2.0

//! Tests of the use-count protocol.

use super::*;
use proptest::prelude::*;
use std::sync::atomic::{
    AtomicU32,
    Ordering, //
};
use std::sync::Arc;

struct Object {
    count: UseCount,
    users: AtomicU32,
    destroyed: AtomicU32,
}

impl Object {
    fn new() -> Arc<Self> {
        Arc::new(Self {
            count: UseCount::new(),
            users: AtomicU32::new(0),
            destroyed: AtomicU32::new(0),
        })
    }
}

impl Counted for Object {
    fn use_count(&self) -> &UseCount {
        &self.count
    }
}

#[test]
fn many_users_one_destroyer() {
    let object = Object::new();
    let first = SharedRef::new(object.clone()).unwrap();
    let second = SharedRef::new(object.clone()).unwrap();
    assert_eq!(ExclusiveRef::new(object.clone()).err(), Some(EBUSY));
    drop(first);
    assert_eq!(ExclusiveRef::new(object.clone()).err(), Some(EBUSY));
    drop(second);
    let destroyer = ExclusiveRef::new(object.clone()).unwrap();
    assert_eq!(SharedRef::new(object.clone()).err(), Some(EBUSY));
    assert_eq!(ExclusiveRef::new(object.clone()).err(), Some(EBUSY));
    assert_eq!(Reference::new(object.clone()).err(), Some(EBUSY));
    drop(destroyer);
    assert!(SharedRef::new(object).is_ok());
}

#[test]
fn references_forbid_destruction_only() {
    let object = Object::new();
    let reference = Reference::new(object.clone()).unwrap();
    assert_eq!(object.count.references(), 1);
    assert!(SharedRef::new(object.clone()).is_ok());
    assert_eq!(ExclusiveRef::new(object.clone()).err(), Some(EBUSY));
    let forced = ExclusiveRef::forced(object.clone()).unwrap();
    // The object built on it goes away while the destroyer is at work.
    drop(reference);
    assert_eq!(object.count.references(), 0);
    forced.kill();
    assert!(object.count.is_dead());
}

#[test]
fn death_is_terminal() {
    let object = Object::new();
    ExclusiveRef::new(object.clone()).unwrap().kill();
    assert!(object.count.is_dead());
    assert_eq!(SharedRef::new(object.clone()).err(), Some(EINVAL));
    assert_eq!(ExclusiveRef::new(object.clone()).err(), Some(EINVAL));
    assert_eq!(ExclusiveRef::forced(object.clone()).err(), Some(EINVAL));
    assert_eq!(Reference::new(object.clone()).err(), Some(EINVAL));
    object.count.leave_exclusive();
    object.count.kill();
    assert!(object.count.is_dead());
}

#[test]
fn unmatched_leave_is_harmless() {
    let count = UseCount::new();
    count.leave_shared();
    count.leave_exclusive();
    count.drop_reference();
    count.kill();
    assert!(!count.is_dead());
    assert_eq!(count.try_exclusive(), Ok(()));
}

#[test]
fn race_of_users_and_destroyers() {
    let object = Object::new();
    std::thread::scope(|scope| {
        for id in 0..6 {
            let object = object.clone();
            scope.spawn(move || {
                for turn in 0..20_000 {
                    if id < 4 {
                        let Ok(user) = SharedRef::new(object.clone()) else {
                            continue;
                        };
                        user.users.fetch_add(1, Ordering::Relaxed);
                        assert_eq!(user.destroyed.load(Ordering::Relaxed), 0);
                        user.users.fetch_sub(1, Ordering::Relaxed);
                    } else {
                        let Ok(destroyer) = ExclusiveRef::new(object.clone()) else {
                            continue;
                        };
                        assert_eq!(destroyer.users.load(Ordering::Relaxed), 0);
                        assert_eq!(destroyer.destroyed.load(Ordering::Relaxed), 0);
                        if turn == 19_000 {
                            destroyer.destroyed.fetch_add(1, Ordering::Relaxed);
                            destroyer.kill();
                        }
                    }
                }
            });
        }
    });
    assert!(object.destroyed.load(Ordering::Relaxed) <= 1);
}

/// What the protocol promises, in plain words.
#[derive(Default)]
struct Model {
    users: u32,
    references: u32,
    locked: bool,
    dead: bool,
}

proptest! {
    #[test]
    fn agrees_with_the_model(ops in prop::collection::vec(0u8..8, 0..300)) {
        let count = UseCount::new();
        let mut m = Model::default();
        for op in ops {
            match op {
                0 => {
                    let ok = !m.dead && !m.locked;
                    prop_assert_eq!(count.try_shared().is_ok(), ok);
                    m.users += u32::from(ok);
                }
                1 => {
                    count.leave_shared();
                    m.users = m.users.saturating_sub(1);
                }
                2 => {
                    let ok = !m.dead && !m.locked && m.users == 0 && m.references == 0;
                    prop_assert_eq!(count.try_exclusive().is_ok(), ok);
                    m.locked |= ok;
                }
                3 => {
                    let ok = !m.dead && !m.locked && m.users == 0;
                    prop_assert_eq!(count.try_exclusive_forced().is_ok(), ok);
                    m.locked |= ok;
                }
                4 => {
                    count.leave_exclusive();
                    m.locked = false;
                }
                5 => {
                    count.kill();
                    m.dead |= m.locked;
                    m.locked = false;
                }
                6 => {
                    let ok = !m.dead && !m.locked;
                    prop_assert_eq!(count.add_reference().is_ok(), ok);
                    m.references += u32::from(ok);
                }
                _ => {
                    count.drop_reference();
                    m.references = m.references.saturating_sub(1);
                }
            }
            prop_assert_eq!(count.references(), m.references);
            prop_assert_eq!(count.is_dead(), m.dead);
        }
    }
}
