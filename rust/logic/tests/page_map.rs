// SPDX-License-Identifier: GPL-2.0

//! Tests of page maps.

use super::*;
use crate::env::{
    fail_allocation,
    ENOMEM,
    GFP_KERNEL, //
};
use proptest::prelude::*;

const PAGE: usize = 4096;
const KERNEL: usize = 0xffff_8880_0000_0000;

type Map = PageMap<12>;

/// Makes the map of runs: page numbers for the kernel, and lengths.
fn map(start: usize, runs: &[(usize, usize)]) -> Map {
    let mut map = Map::new(start);
    let mut left: usize = runs.iter().map(|run| run.1).sum();
    for (page, count) in runs {
        left -= count;
        if count % 2 == 1 && map.is_by_page() {
            let addresses: Vec<_> = (*page..page + count).map(|n| KERNEL + n * PAGE).collect();
            map.add_pages(&addresses, left, GFP_KERNEL).unwrap();
        } else {
            map.add(KERNEL + page * PAGE, *count, left, GFP_KERNEL)
                .unwrap();
        }
    }
    map
}

/// The number of blocks in the table.
fn blocks(map: &Map) -> usize {
    map.blocks.as_ref().map_or(0, |blocks| blocks.len())
}

#[test]
fn contiguous_memory_needs_no_table() {
    let map = map(0x7fff_0000_3000, &[(100, 1), (101, 511), (612, 3)]);
    assert_eq!((map.len(), blocks(&map)), (515, 0));
    assert_eq!(
        map.run(0x7fff_0000_3005, 4096),
        Some((KERNEL + 100 * PAGE + 5, 4096))
    );
    assert_eq!(map.runs().collect::<Vec<_>>(), [(KERNEL + 100 * PAGE, 515)]);
}

#[test]
fn huge_pages_are_blocks() {
    // From the middle of a huge page to the middle of another one.
    let start = 0x4000_0000 + 200 * PAGE;
    let map = map(
        start,
        &[(512 + 200, 312), (4096, 512), (512, 512), (1024, 100)],
    );
    assert_eq!((map.shift, blocks(&map)), (21, 4));
    assert_eq!(map.run(start, PAGE), Some((KERNEL + 712 * PAGE, PAGE)));
    // The third and the fourth are contiguous.
    assert_eq!(
        map.run(0x4000_0000 + 2 * 512 * PAGE, 600 * PAGE),
        Some((KERNEL + 512 * PAGE, 600 * PAGE))
    );
    assert_eq!(
        map.runs().collect::<Vec<_>>(),
        [
            (KERNEL + 712 * PAGE, 312),
            (KERNEL + 4096 * PAGE, 512),
            (KERNEL + 512 * PAGE, 612)
        ]
    );
}

#[test]
fn the_end_of_the_address_space() {
    let mut map = Map::new((1 << 63) - PAGE);
    assert_eq!(map.add(KERNEL, 2, 0, GFP_KERNEL), Err(EINVAL));
    assert_eq!(map.add(KERNEL, usize::MAX, 0, GFP_KERNEL), Err(EINVAL));
    assert_eq!(map.len(), 0);
}

#[test]
fn failed_allocations_change_nothing() {
    let mut map = Map::new(0);
    map.add(KERNEL, 8, 100, GFP_KERNEL).unwrap();
    for n in 0..1 {
        let add = || map.add(KERNEL + 50 * PAGE, 3, 97, GFP_KERNEL);
        assert_eq!(fail_allocation(n, add), Err(ENOMEM));
        assert_eq!(map.runs().collect::<Vec<_>>(), [(KERNEL, 8)]);
    }
}

#[test]
fn one_page() {
    let one = Map::of_page(0x7000, KERNEL);
    assert_eq!((one.len(), one.single()), (1, Some(KERNEL)));
    assert_eq!(one.run(0x7ff8, 8), Some((KERNEL + 0xff8, 8)));
    assert_eq!(one.runs().collect::<Vec<_>>(), [(KERNEL, 1)]);
    let mut more = one;
    more.add(KERNEL + PAGE, 3, 1, GFP_KERNEL).unwrap();
    assert_eq!((more.len(), more.single()), (4, Some(KERNEL)));
    more.add(KERNEL + 9 * PAGE, 1, 0, GFP_KERNEL).unwrap();
    assert_eq!(more.single(), None);
    assert_eq!(Map::new(0x7000).single(), None);
}

#[test]
fn single_pages() {
    let at = |pages: &[usize]| -> Vec<_> { pages.iter().map(|n| KERNEL + n * PAGE).collect() };
    let mut map = Map::new(0x7000);
    map.add(KERNEL + 5 * PAGE, 1, 9, GFP_KERNEL).unwrap();
    assert!(!map.is_by_page() && map.pages().is_none());
    assert_eq!(map.add_pages(&at(&[6]), 8, GFP_KERNEL), Err(EINVAL));
    map.add(KERNEL + 7 * PAGE, 2, 7, GFP_KERNEL).unwrap();
    map.add(KERNEL + 20 * PAGE, 1, 6, GFP_KERNEL).unwrap();
    // The new ones were at even places: blocks of two pages still do.
    assert!(!map.is_by_page() && map.pages().is_none());
    map.add(KERNEL + 30 * PAGE, 1, 5, GFP_KERNEL).unwrap();
    assert!(map.is_by_page());
    map.add_pages(&at(&[31, 32, 3]), 2, GFP_KERNEL).unwrap();
    map.add_pages(&[], 2, GFP_KERNEL).unwrap();
    assert_eq!(map.pages(), Some(&*at(&[5, 7, 8, 20, 30, 31, 32, 3])));
    let full = map.blocks.as_ref().unwrap().capacity() - map.len();
    let more = at(&vec![9; full + 1]);
    let mut add = || map.add_pages(&more, 0, GFP_KERNEL);
    assert_eq!(fail_allocation(0, &mut add), Err(ENOMEM));
    assert_eq!(add(), Ok(()));
    assert_eq!(map.len(), 9 + full);
    assert_eq!(
        map.run(0xb000, 9 * PAGE),
        Some((KERNEL + 30 * PAGE, 3 * PAGE))
    );
}

#[test]
fn tables_grow_with_what_is_there() {
    let mut map = Map::new(0);
    map.add(KERNEL, 1, usize::MAX >> 13, GFP_KERNEL).unwrap();
    map.add(KERNEL + 7 * PAGE, 1, usize::MAX >> 13, GFP_KERNEL)
        .unwrap();
    assert!(map.blocks.unwrap().capacity() <= AT_ONCE + 8);
}

proptest! {
    /// Every byte is where its page is, whatever the runs.
    #[test]
    fn any_runs(
        first in 0usize..1000,
        runs in prop::collection::vec((0usize..40, 1usize..20), 1..30),
        offset in any::<prop::sample::Index>(),
        len in 1usize..100_000,
    ) {
        let start = first * PAGE;
        let map = map(start, &runs);
        let pages: Vec<_> = runs.iter().flat_map(|(page, n)| *page..page + n).collect();
        prop_assert_eq!(map.len(), pages.len());

        let offset = offset.index(pages.len() * PAGE);
        let len = len.min(pages.len() * PAGE - offset);
        let (address, run) = map.run(start + offset, len).unwrap();
        prop_assert!(run >= 1 && run <= len);
        for at in (offset..offset + run).step_by(97).chain([offset + run - 1]) {
            prop_assert_eq!(address + at - offset, KERNEL + pages[at / PAGE] * PAGE + at % PAGE);
        }
        // It ends where memory is not contiguous.
        let (last, next) = ((offset + run - 1) / PAGE, (offset + run) / PAGE);
        if run < len {
            prop_assert_ne!(pages[last] + 1, pages[next]);
        }

        // The same in blocks, as far as the range goes.
        let (mut address, mut run, mut rest, size) = map.span(start + offset, len).unwrap();
        let mut at = offset;
        while at < offset + len {
            prop_assert!(run >= 1);
            for i in (0..run).step_by(97).chain([run - 1]) {
                let page = KERNEL + pages[(at + i) / PAGE] * PAGE;
                prop_assert_eq!(address.wrapping_add(i), page + (at + i) % PAGE);
            }
            at += run;
            if at < offset + len {
                (address, rest) = (rest[0], &rest[1..]);
                run = size.min(offset + len - at);
            }
        }

        let listed: Vec<_> = map
            .runs()
            .flat_map(|(address, n)| (0..n).map(move |i| address + i * PAGE))
            .collect();
        let expected: Vec<_> = pages.iter().map(|page| KERNEL + page * PAGE).collect();
        prop_assert_eq!(listed, expected);
    }
}
