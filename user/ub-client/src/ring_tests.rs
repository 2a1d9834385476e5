// SPDX-License-Identifier: GPL-2.0

//! The rings over plain memory, with the kernel's part played here.

use super::*;
use crate::wr::{sge, RemoteRange};

const ENTRIES: u32 = 4;

fn make(kind: u32, stride: u32, start: u32) -> Ring {
    let len = 4096 + (ENTRIES * stride) as usize;
    let map = Mapping::anonymous(len.next_multiple_of(4096)).unwrap();
    let header = ubsoft_ring_header {
        magic: UBSOFT_RING_MAGIC,
        version: UBSOFT_RING_VERSION,
        kind,
        entries: ENTRIES,
        stride,
        user_idx: start,
        kern_idx: start,
        ..Default::default()
    };
    map.write(0, sys::bytes_of(&header));
    let resp = ubsoft_queue_resp {
        mmap_len: map.len() as u64,
        entries: ENTRIES,
        stride,
        entries_off: 4096,
        max_sge: 2,
        max_inline: 32,
        ..Default::default()
    };
    Ring::over(map, resp, kind).unwrap()
}

fn remote() -> RemoteRange {
    RemoteRange {
        addr: 0x1000,
        token_id: 7,
        token: 9,
    }
}

#[test]
fn header_is_checked() {
    let ring = make(UBSOFT_RING_SQ, 128, 0);
    let resp = *ring.resp();
    let map = ring.into_mapping();
    assert!(Ring::over(map, resp, UBSOFT_RING_RQ).is_err());
    let map = Mapping::anonymous(8192).unwrap();
    assert!(Ring::over(map, resp, UBSOFT_RING_SQ).is_err());
}

#[test]
fn send_ring_fills_and_wraps_at_32_bits() {
    let start = u32::MAX - 1;
    let mut ring = SendRing::over(make(UBSOFT_RING_SQ, 128, start));
    let list = [sge(0x2000, 8, 3)];
    for i in 0..u64::from(ENTRIES) {
        ring.push(&SendWr::write(5, remote(), &list).user_ctx(i))
            .unwrap();
    }
    let full = ring.push(&SendWr::write(5, remote(), &list));
    assert_eq!(full, Err(Error::RingFull));
    assert_eq!(ring.ring().user_idx(), start);
    ring.publish();
    assert_eq!(ring.ring().user_idx(), start.wrapping_add(ENTRIES));

    // The kernel finishes two.
    let done = start.wrapping_add(2);
    ring.ring()
        .mapping()
        .store32(KERN_IDX, done, Ordering::Release);
    assert_eq!(ring.space(), 2);
    ring.push(&SendWr::write(5, remote(), &list).user_ctx(77))
        .unwrap();
    let mut bytes = [0; 64];
    ring.ring()
        .mapping()
        .read(ring.ring().entry(start.wrapping_add(ENTRIES)), &mut bytes);
    let sqe: ubsoft_sqe = sys::from_bytes(&bytes);
    assert_eq!(sqe.user_ctx, 77);
    assert_eq!((sqe.target_ref, sqe.num_sge, sqe.total_len), (5, 1, 8));
    assert_eq!((sqe.remote_token_id, sqe.remote_token), (7, 9));
}

#[test]
fn send_ring_refuses_what_does_not_fit() {
    let mut ring = SendRing::over(make(UBSOFT_RING_SQ, 128, 0));
    let list = [sge(0, 1, 0); 3];
    let wr = SendWr::write(1, remote(), &list);
    assert_eq!(ring.push(&wr), Err(Error::TooLarge));
    let data = [0; 33];
    let wr = SendWr::write(1, remote(), &[]).inline(&data);
    assert_eq!(ring.push(&wr), Err(Error::TooLarge));
    assert_eq!(ring.produced(), 0);
}

#[test]
fn receive_ring_asks_for_a_kick() {
    let mut ring = RecvRing::over(make(UBSOFT_RING_RQ, 64, 0));
    let list = [sge(0x3000, 100, 1), sge(0x4000, 28, 1)];
    ring.push(&RecvWr::new(&list).user_ctx(4)).unwrap();
    assert!(!ring.publish());
    ring.ring()
        .mapping()
        .store32(KERN_FLAGS, UBSOFT_RING_NEED_KICK, Ordering::SeqCst);
    ring.push(&RecvWr::new(&list)).unwrap();
    assert!(ring.publish());
    let mut bytes = [0; 16];
    ring.ring().mapping().read(ring.ring().entry(0), &mut bytes);
    let rqe: ubsoft_rqe = sys::from_bytes(&bytes);
    assert_eq!((rqe.user_ctx, rqe.num_sge, rqe.total_len), (4, 2, 128));
}

#[test]
fn completions_validate_themselves() {
    let start = u32::MAX - 2;
    let mut ring = CompRing::over(make(UBSOFT_RING_CQ, 64, start));
    // What the lap before left behind: only then a sequence number of 0 is not valid.
    for i in 0..ENTRIES {
        let at = ring.ring().entry(start.wrapping_add(i)) + offset_of!(ubsoft_cqe, seq);
        let old = start.wrapping_add(i).wrapping_sub(ENTRIES - 1);
        ring.ring().mapping().store32(at, old, Ordering::Relaxed);
    }
    assert!(ring.pop().is_none());
    for i in 0..6u32 {
        let index = start.wrapping_add(i);
        let cqe = ubsoft_cqe {
            user_ctx: u64::from(i),
            seq: index.wrapping_add(1),
            ..Default::default()
        };
        ring.ring()
            .mapping()
            .write(ring.ring().entry(index), sys::bytes_of(&cqe));
        assert_eq!(ring.pop().unwrap().user_ctx, u64::from(i));
        // The slot after it holds nothing, or an entry of the last lap.
        assert!(ring.pop().is_none());
        ring.release();
        assert_eq!(ring.ring().user_idx(), index.wrapping_add(1));
    }
}

#[test]
fn completions_are_relabelled() {
    let mut ring = CompRing::over(make(UBSOFT_RING_CQ, 64, 0));
    for (index, data) in [7, 8, 7].into_iter().enumerate() {
        let cqe = ubsoft_cqe {
            user_data: data,
            seq: index as u32 + 1,
            ..Default::default()
        };
        let at = ring.ring().entry(index as u32);
        ring.ring().mapping().write(at, sys::bytes_of(&cqe));
    }
    assert_eq!(ring.pop().unwrap().user_data, 7);
    ring.relabel(7, 9);
    assert_eq!(ring.pop().unwrap().user_data, 8);
    assert_eq!(ring.pop().unwrap().user_data, 9);
    assert!(ring.pop().is_none());
    // A full ring ends the search.
    for index in 3..3 + ENTRIES {
        let at = ring.ring().entry(index) + offset_of!(ubsoft_cqe, seq);
        ring.ring()
            .mapping()
            .store32(at, index + 1, Ordering::Relaxed);
    }
    ring.relabel(9, 1);
    let seen: Vec<u64> = std::iter::from_fn(|| ring.pop().map(|cqe| cqe.user_data))
        .take(ENTRIES as usize)
        .collect();
    assert_eq!(seen, [0, 7, 8, 1]);
}
