// SPDX-License-Identifier: GPL-2.0

use super::first_repeated;

/// Asks for a list of handles.
fn repeated(handles: &[u64]) -> Option<usize> {
    let mut list: Vec<_> = handles.iter().copied().zip(0..).collect();
    first_repeated(&mut list)
}

#[test]
fn distinct_handles() {
    assert_eq!(repeated(&[]), None);
    assert_eq!(repeated(&[7]), None);
    assert_eq!(repeated(&[7, 1, u64::MAX, 0, 3]), None);
}

#[test]
fn the_second_of_two() {
    assert_eq!(repeated(&[7, 7]), Some(1));
    assert_eq!(repeated(&[7, 1, 3, 7]), Some(3));
    assert_eq!(repeated(&[0, 9, 0]), Some(2));
}

#[test]
fn the_first_of_many() {
    assert_eq!(repeated(&[5, 5, 5]), Some(1));
    assert_eq!(repeated(&[9, 1, 2, 1, 9]), Some(3));
    assert_eq!(repeated(&[1, 9, 9, 1]), Some(2));
}

#[test]
fn agrees_with_a_plain_search() {
    let mut seed = 1u64;
    for _ in 0..2000 {
        let handles: Vec<u64> = (0..8)
            .map(|_| {
                seed = seed
                    .wrapping_mul(6364136223846793005)
                    .wrapping_add(1442695040888963407);
                (seed >> 33) % 12
            })
            .collect();
        let plain = (0..handles.len()).find(|i| handles[..*i].contains(&handles[*i]));
        assert_eq!(repeated(&handles), plain, "{handles:?}");
    }
}
