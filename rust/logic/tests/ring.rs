// SPDX-License-Identifier: GPL-2.0

//! Tests of the ring index arithmetic.

use super::*;
use proptest::prelude::*;

fn geometry(depth: u32) -> Geometry {
    Geometry::for_depth(depth, MAX_ENTRIES).unwrap()
}

#[test]
fn geometry_bounds() {
    assert_eq!(Geometry::for_depth(0, 8), Err(EINVAL));
    assert_eq!(Geometry::for_depth(9, 8), Err(EINVAL));
    assert_eq!(Geometry::for_depth(u32::MAX, u32::MAX), Err(EINVAL));
    assert_eq!(Geometry::for_depth(MAX_ENTRIES + 1, u32::MAX), Err(EINVAL));
    assert_eq!(geometry(1).entries(), 1);
    assert_eq!(geometry(5).entries(), 8);
    assert_eq!(geometry(MAX_ENTRIES).entries(), MAX_ENTRIES);
    assert_eq!(geometry(8).offset(9, 128, 4096), Some(4096 + 128));
    assert_eq!(geometry(8).ring_bytes(128, 4096), Some(4096 + 1024));
    assert_eq!(geometry(8).offset(7, 128, usize::MAX), None);
}

#[test]
fn strides() {
    assert_eq!(sqe_stride(16, 256), Some(320));
    assert_eq!(sqe_stride(1, 0), Some(128));
    assert_eq!(sqe_stride(0, 0), Some(64));
    assert_eq!(sqe_stride(u32::MAX, 0), None);
    assert_eq!(sqe_stride(0, u32::MAX), None);
    assert_eq!(rqe_stride(1), Some(32));
    assert_eq!(rqe_stride(16), Some(288));
    assert_eq!(rqe_stride(u32::MAX), None);
}

#[test]
fn hostile_producer() {
    let mut sq = SqIndex::new(geometry(4));
    assert_eq!(sq.pending(5), Err(Corrupt));
    assert_eq!(sq.pending(u32::MAX), Err(Corrupt));
    assert_eq!(sq.fetch(4), Ok(Some(0)));
    assert_eq!(sq.fetch(4), Ok(Some(1)));
    // Going back behind the fetched entries.
    assert_eq!(sq.pending(1), Err(Corrupt));
    // No second lap while the first entries are in flight.
    assert_eq!(sq.pending(6), Err(Corrupt));
    assert_eq!(sq.finish(), Some(1));
    assert_eq!(sq.pending(5), Ok(3));
    assert_eq!(sq.finish(), Some(2));
    assert_eq!(sq.finish(), None);
}

#[test]
fn completion_overflow() {
    let mut cq = CqIndex::new(geometry(2));
    let first = CqSlot {
        index: 0,
        slot: 0,
        seq: 1,
    };
    assert_eq!(cq.reserve(0), Ok(first));
    assert!(cq.reserve(0).is_ok());
    assert_eq!(cq.reserve(0), Err(Overflow));
    assert_eq!(cq.reserve(3), Err(Overflow));
    assert_eq!(cq.produced(), 2);
    assert_eq!(cq.unread(0), 2);
    assert_eq!(cq.unread(3), 2);
    assert_eq!(cq.unread(2), 0);
    assert_eq!(cq.reserve(1).map(|s| s.slot), Ok(0));
}

#[test]
fn indices_wrap() {
    let mut cq = CqIndex {
        geometry: geometry(4),
        produced: u32::MAX,
    };
    let slot = cq.reserve(u32::MAX).unwrap();
    assert_eq!((slot.slot, slot.seq), (3, 0));
    assert!(is_valid_seq(slot.index, slot.seq));
    assert_eq!(cq.produced(), 0);
    let mut rq = RqIndex {
        geometry: geometry(4),
        consumed: u32::MAX,
    };
    assert_eq!(rq.pending(2), Ok(3));
    assert_eq!(rq.take(2), Ok(Some(u32::MAX)));
    assert_eq!(rq.take(2), Ok(Some(0)));
    assert_eq!(space(4, 1, u32::MAX), Some(2));
    assert_eq!(space(4, 6, 1), None);
}

proptest! {
    /// Whatever user space writes, an index handed out lies in its window and slots in the ring.
    #[test]
    fn sq_survives_anything(
        depth in 1u32..100,
        start in any::<u32>(),
        steps in prop::collection::vec((any::<bool>(), any::<bool>(), any::<u32>(), 0u32..80), 1..200),
    ) {
        let mut sq = SqIndex { geometry: geometry(depth), fetched: start, finished: start };
        for (finish, wild, word, near) in steps {
            let produced = if wild { word } else { sq.finished().wrapping_add(near) };
            let before = sq.fetched();
            match sq.fetch(produced) {
                Ok(Some(index)) => {
                    prop_assert_eq!(index, before);
                    prop_assert!(sq.geometry().slot(index) < sq.geometry().entries());
                }
                Ok(None) => prop_assert_eq!(produced, before),
                Err(Corrupt) => prop_assert_eq!(sq.fetched(), before),
            }
            if finish {
                let idle = sq.in_flight() == 0;
                prop_assert_eq!(sq.finish().is_none(), idle);
            }
            prop_assert!(sq.in_flight() <= sq.geometry().entries());
        }
    }

    /// An honest producer and consumer see every entry exactly once, in order, and no error.
    #[test]
    fn honest_ring(
        depth in 1u32..64,
        start in any::<u32>(),
        posts in prop::collection::vec(0u32..64, 1..100),
    ) {
        let geometry = geometry(depth);
        let mut rq = RqIndex { geometry, consumed: start };
        let mut produced = start;
        let mut expected = start;
        for post in posts {
            let free = space(geometry.entries(), produced, rq.consumed()).unwrap();
            produced = produced.wrapping_add(post.min(free));
            while let Some(index) = rq.take(produced).unwrap() {
                prop_assert_eq!(index, expected);
                expected = expected.wrapping_add(1);
                if index % 3 == 0 { break; }
            }
        }
        while rq.take(produced).unwrap().is_some() {}
        prop_assert_eq!(rq.consumed(), produced);
    }

    /// A sequence word is valid for one index only, among all laps that a slot can show.
    #[test]
    fn stale_laps_never_match(index in any::<u32>(), lap in 1u32..1000, depth in 1u32..1000) {
        let entries = geometry(depth).entries();
        let stale = index.wrapping_sub(entries.wrapping_mul(lap)).wrapping_add(1);
        prop_assert!(is_valid_seq(index, index.wrapping_add(1)));
        prop_assert_eq!(is_valid_seq(index, stale), entries.wrapping_mul(lap) == 0);
    }
}
