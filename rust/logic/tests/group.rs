// SPDX-License-Identifier: GPL-2.0

use super::{check_import, GroupPolicy, TransMode, EINVAL};

#[test]
fn raw_policies() {
    assert_eq!(GroupPolicy::from_raw(0), Ok(GroupPolicy::RoundRobin));
    assert_eq!(GroupPolicy::from_raw(1), Ok(GroupPolicy::HashHint));
    for raw in [2, 3, u32::MAX] {
        assert_eq!(GroupPolicy::from_raw(raw), Err(EINVAL));
    }
}

#[test]
fn in_turn() {
    let seen: Vec<u32> = (0..7)
        .map(|turn| GroupPolicy::RoundRobin.first(turn, 99, 3))
        .collect();
    assert_eq!(seen, [0, 1, 2, 0, 1, 2, 0]);
    assert_eq!(GroupPolicy::RoundRobin.first(u32::MAX, 0, 32), 31);
}

#[test]
fn a_hint_names_a_member() {
    for members in 1..=32 {
        let mut hits = vec![0u32; members as usize];
        for hint in 0..256 {
            let place = GroupPolicy::HashHint.first(hint, hint, members);
            assert_eq!(place, GroupPolicy::HashHint.first(7, hint, members));
            hits[place as usize] += 1;
        }
        let fair = 256 / members;
        assert!(
            hits.iter().all(|n| *n >= fair / 3 && *n <= fair * 3 + 1),
            "{hits:?}"
        );
    }
}

#[test]
fn nobody_there() {
    for policy in [GroupPolicy::RoundRobin, GroupPolicy::HashHint] {
        assert_eq!(policy.first(5, 5, 0), 0);
    }
}

#[test]
fn imports() {
    for policy in [0, 1] {
        assert_eq!(check_import(TransMode::Rm, policy), Ok(()));
        assert_eq!(check_import(TransMode::Rc, policy), Err(EINVAL));
        assert_eq!(check_import(TransMode::Um, policy), Err(EINVAL));
    }
    assert_eq!(check_import(TransMode::Rm, 2), Err(EINVAL));
}
