// SPDX-License-Identifier: GPL-2.0

//! KUnit tests of what binds the pure logic to memory and tables. All that takes a user process is
//! tested from user space.

use crate::{
    address,
    bindings_ub::ubcore_tp_info,
    counters::{
        Count,
        Counters,
        Kind as CountKind, //
    },
    device::Device,
    host::{
        CtxId,
        Host, //
    },
    jfc,
    kernel_ext::arc::Arc,
    logic::{
        cqe::{
            Cqe,
            CrStatus,
            CQE_LEN, //
        },
        eid::Eid,
        net_addr::IpAddr,
        ring::{
            CqIndex,
            Geometry, //
        },
        tp_attr::TpAttr,
        wr::{
            AtomicOp,
            AtomicSize, //
        }, //
    },
    ring::{
        copy::{
            Dst,
            DstSpan,
            Src,
            SrcSpan, //
        },
        Kind,
        Ring, //
    },
    rnr,
    stream::{
        transfer,
        Failure,
        Sink,
        Source, //
    },
    tp::TpTable,
    ub::driver::{
        ActiveTp,
        TpKind,
        TpList,
        TpQuery, //
    }, //
};
use kernel::{
    prelude::*,
    time::Delta, //
};

/// A word in bytes.
#[repr(align(8))]
struct Aligned([u8; 8]);

/// A source that gives its bytes in small pieces.
struct Pieces<'a> {
    bytes: &'a [u8],
    most: usize,
}

impl Source for Pieces<'_> {
    fn piece(&mut self) -> Result<SrcSpan<'_>, CrStatus> {
        let piece = self.bytes.get(..self.most.min(self.bytes.len()));
        Ok(Src::bytes(piece.unwrap_or_default()).into())
    }

    fn advance(&mut self, len: usize) {
        self.bytes = self.bytes.get(len..).unwrap_or_default();
    }
}

/// A sink that refuses everything.
struct Closed;

impl Sink for Closed {
    fn piece(&mut self) -> Result<DstSpan<'_>, CrStatus> {
        Err(CrStatus::RemAccessAbort)
    }

    fn advance(&mut self, _len: usize) {}
}

/// A sink of the kernel's own.
struct Room<'a> {
    bytes: &'a mut [u8],
    at: usize,
    most: usize,
}

impl Sink for Room<'_> {
    fn piece(&mut self) -> Result<DstSpan<'_>, CrStatus> {
        let end = self.at.saturating_add(self.most).min(self.bytes.len());
        let piece = self.bytes.get_mut(self.at..end).ok_or(CrStatus::LocLen)?;
        Ok(Dst::bytes(piece).into())
    }

    fn advance(&mut self, len: usize) {
        self.at = self.at.saturating_add(len);
    }
}

/// A completion with a different value in each field.
fn sample() -> Cqe {
    Cqe {
        user_ctx: 0x0102_0304_0506_0708,
        user_data: 0x1112_1314_1516_1718,
        imm: 0x2122_2324_2526_2728,
        remote_eid: core::array::from_fn(|i| 0x80 | i as u8),
        remote_id: 0x3132_3334,
        local_id: 0x4142_4344,
        byte_len: 0x5152_5354,
        tpn: 0x6162_6364,
        status: CrStatus::RemAccessAbort,
        opcode: 3,
        flags: 1,
    }
}

/// Lists paths to peer number `peer` for the kernel.
fn list(table: &TpTable, mode: u32, peer: u8, room: usize) -> Result<KVec<u64>> {
    list_for(table, CtxId::KERNEL, mode, peer, room)
}

/// Lists paths to peer number `peer` for a context.
fn list_for(table: &TpTable, owner: CtxId, mode: u32, peer: u8, room: usize) -> Result<KVec<u64>> {
    let mut slots = KVec::new();
    for _ in 0..room {
        slots.push(ubcore_tp_info::default(), GFP_KERNEL)?;
    }
    let query = TpQuery {
        kind: TpKind::Ctp,
        trans_mode: mode,
        local_eid: [1; 16],
        peer_eid: [peer; 16],
        group: 0,
    };
    let mut out = TpList::new(&mut slots);
    table.list(&query, owner, ([2; 6], [4; 6]), &mut out)?;
    let mut handles = KVec::new();
    for handle in out.handles() {
        handles.push(handle, GFP_KERNEL)?;
    }
    Ok(handles)
}

/// A path that is or was active.
fn active(handle: u64) -> ActiveTp {
    ActiveTp {
        handle,
        peer_handle: 0,
    }
}

#[kunit_tests(ub_soft)]
mod tests {
    use super::*;

    #[test]
    fn completions_are_laid_out_as_told() -> Result {
        let geometry = Geometry::for_depth(4, 4)?;
        let ring = Arc::pin_init(Ring::new(Kind::Complete, geometry, 64, 1 << 16), GFP_KERNEL)?;
        let mut index = CqIndex::new(geometry);
        let cqe = sample();
        for _ in 0..4 {
            let slot = index.reserve(ring.user_idx()).map_err(|_| ENOSPC)?;
            let (words, last) = jfc::words(&cqe);
            ring.write_completion(slot.index, &words, last, slot.seq);
            assert_eq!(ring.read_head::<CQE_LEN>(slot.index), cqe.encode(slot.seq));
        }
        // The user has read nothing.
        assert!(index.reserve(ring.user_idx()).is_err());
        Ok(())
    }

    #[test]
    fn rings_have_bounds() -> Result {
        let geometry = Geometry::for_depth(3, 4)?;
        let ring =
            |stride, max| Arc::pin_init(Ring::new(Kind::Send, geometry, stride, max), GFP_KERNEL);
        assert!(ring(64, 4096).is_err());
        assert!(ring(63, 1 << 16).is_err());
        let ring = ring(64, 1 << 16)?;
        assert_eq!((ring.geometry().entries(), ring.len()), (4, 8192));
        // Longer than an entry: nothing is read.
        let mut bytes = [0x55; 16];
        ring.read(0, 56, &mut bytes);
        assert_eq!(bytes, [0x55; 16]);
        ring.read(u32::MAX, 48, &mut bytes);
        assert_eq!(bytes, [0; 16]);
        // So it is with words; for these there is nothing to leave as it was.
        ring.write_completion(1, &[1, 2, 3, 4, 5, 6, 7], 8, 9);
        assert_eq!(ring.read_words(1, 40), [6, 7, 8 | (9 << 32)]);
        assert_eq!(ring.read_words(5, 0), [1]);
        assert_eq!(ring.read_words(1, 48), [0; 3]);
        assert_eq!(ring.read_words(1, usize::MAX & !7), [0; 2]);
        assert_eq!(ring.read_words(1, 4), [0]);
        Ok(())
    }

    #[test]
    fn words_change_as_told() -> Result {
        const OLD: u64 = 0xfedc_ba98_7654_3210;
        let ops = [
            AtomicOp::Add(u64::MAX),
            AtomicOp::Sub(u64::MAX),
            AtomicOp::Swap(7),
            AtomicOp::And(0xff),
            AtomicOp::Or(0xff),
            AtomicOp::Xor(0xff),
            AtomicOp::Cas {
                compare: OLD,
                swap: 7,
            },
            AtomicOp::Cas {
                compare: !OLD,
                swap: 7,
            },
        ];
        for op in ops {
            for (size, mask) in [
                (AtomicSize::Four, u64::from(u32::MAX)),
                (AtomicSize::Eight, u64::MAX),
            ] {
                let mut word = Aligned(OLD.to_le_bytes());
                let old = Dst::bytes(&mut word.0).atomic(op, size, 1);
                assert_eq!(old, Some(OLD & mask));
                let new = op.apply(OLD, size).unwrap_or(OLD) & mask;
                assert_eq!(u64::from_le_bytes(word.0), (OLD & !mask) | new);

                let mut result = [0; 8];
                assert_eq!(Dst::bytes(&mut result).store(OLD, size), Some(()));
                assert_eq!(u64::from_le_bytes(result), OLD & mask);

                let short = word.0.get_mut(..3).unwrap_or_default();
                assert_eq!(Dst::bytes(short).store(OLD, size), None);
                assert_eq!(Dst::bytes(short).atomic(op, size, 1), None);
                let odd = word.0.get_mut(1..).unwrap_or_default();
                assert_eq!(Dst::bytes(odd).atomic(op, size, 1), None);

                // Without a try nothing is done, by what needs one.
                let before = word.0;
                let undone = Dst::bytes(&mut word.0).atomic(op, size, 0).is_none();
                assert!(undone || !matches!(op, AtomicOp::Cas { .. }));
                assert!(!undone || word.0 == before);
            }
        }
        Ok(())
    }

    #[test]
    fn pieces_of_all_sizes_are_copied() -> Result {
        let bytes: [u8; 200] = core::array::from_fn(|i| i as u8);
        for (from, to) in [(1, 1), (7, 3), (64, 65), (200, 200), (8, 200)] {
            let mut room = [0; 200];
            let mut src = Pieces {
                bytes: &bytes,
                most: from,
            };
            let mut dst = Room {
                bytes: &mut room,
                at: 0,
                most: to,
            };
            assert_eq!(transfer(&mut src, &mut dst, 200, || false), Ok(()));
            assert_eq!(room, bytes);
        }
        let mut src = bytes.as_slice();
        assert_eq!(
            transfer(&mut src, &mut Closed, 1, || false),
            Err(Failure::Sink(CrStatus::RemAccessAbort))
        );
        // A source that ends early is no endless loop.
        let mut room = [0; 8];
        let mut dst = Room {
            bytes: &mut room,
            at: 0,
            most: 8,
        };
        let mut short = bytes.get(..4).unwrap_or_default();
        assert_eq!(
            transfer(&mut short, &mut dst, 8, || false),
            Err(Failure::Source(CrStatus::LocLen))
        );
        Ok(())
    }

    #[test]
    fn paths_are_shared_or_not() -> Result {
        let table = KBox::pin_init(TpTable::new(Counters::new()?), GFP_KERNEL)?;
        let (rm, rc) = (1, 2);
        let shared = list(&table, rm, 2, 3)?;
        assert_eq!(shared.len(), 1);
        let first = shared.first().copied().ok_or(ENOENT)?;
        table.activate(&active(first))?;
        assert!(list(&table, rm, 2, 1)?.iter().eq([&first]));
        assert!(!list(&table, rm, 3, 1)?.iter().eq([&first]));

        let one = list(&table, rc, 2, 1)?.first().copied().ok_or(ENOENT)?;
        assert!(list(&table, rc, 2, 1)?.iter().eq([&one]));
        table.activate(&active(one))?;
        let two = list(&table, rc, 2, 1)?.first().copied().ok_or(ENOENT)?;
        assert!(one != two);
        table.deactivate(one)?;
        // Nobody wants it any more.
        assert_eq!(table.deactivate(one), Err(ENOENT));
        // The core will not use what it was offered.
        table.deactivate(two)?;
        assert_eq!(table.deactivate(two), Err(ENOENT));
        assert_eq!(table.activate(&active(one ^ (1 << 60))), Err(ENOENT));
        assert_eq!(table.deactivate(0), Err(ENOENT));
        assert!(list(&table, 4, 2, 1).is_ok());
        assert!(list(&table, 3, 2, 1).is_err());
        assert!(list(&table, rm, 0, 1).is_err());
        Ok(())
    }

    #[test]
    fn paths_go_with_who_holds_them() -> Result {
        let table = KBox::pin_init(TpTable::new(Counters::new()?), GFP_KERNEL)?;
        let host = Host::new()?;
        let (a, b) = (host.new_context(), host.new_context());
        let (rm, rc) = (1, 2);
        // One for all, and for connections nobody has that of another.
        let shared = list_for(&table, a, rm, 2, 1)?;
        assert!(list_for(&table, b, rm, 2, 1)?.iter().eq(&shared));
        let of_a = list_for(&table, a, rc, 2, 3)?;
        let of_b = list_for(&table, b, rc, 2, 3)?;
        assert_eq!((of_a.len(), of_b.len()), (3, 3));
        assert!(of_a.iter().all(|handle| !of_b.contains(handle)));
        assert!(list_for(&table, a, rc, 2, 3)?.iter().eq(&of_a));
        assert_eq!(table.len(), 7);
        // What is active outlives its context.
        let kept = of_a.first().copied().ok_or(ENOENT)?;
        table.activate(&active(kept))?;
        table.release(a);
        assert_eq!(table.len(), 5);
        assert!(table.attr(kept).is_ok());
        table.deactivate(kept)?;
        assert_eq!(table.attr(kept).err(), Some(ENOENT));
        table.release(b);
        table.release(b);
        assert_eq!(table.len(), 0);
        Ok(())
    }

    #[test]
    fn paths_have_properties() -> Result {
        let table = KBox::pin_init(TpTable::new(Counters::new()?), GFP_KERNEL)?;
        let handle = list(&table, 2, 2, 1)?.first().copied().ok_or(ENOENT)?;
        let other = list(&table, 1, 2, 1)?.first().copied().ok_or(ENOENT)?;
        let old = table.attr(handle)?;
        assert_eq!(
            old.as_bytes().get(1..33),
            Some([[1; 16], [2; 16]].as_flattened())
        );
        let value = TpAttr::from_bytes([0xff; 128]);
        table.set_attr(handle, 1 << 11, &value)?;
        let mut new = old;
        new.merge(1 << 11, &value);
        assert!(table.attr(handle)? == new && new != old);
        assert!(table.attr(other)? != new);
        assert_eq!(table.set_attr(handle ^ (1 << 60), 1, &value), Err(ENOENT));
        Ok(())
    }

    #[test]
    fn devices_are_found_by_all_their_eids() -> Result {
        let host = Host::new()?;
        let eid = Eid::from_ipv4([192, 0, 2, 1]);
        let one = Device::new(&host, c"kunitsoft0")?;
        let two = Device::new(&host, c"kunitsoft1")?;
        let name = |eid: &Eid| host.find(eid).map(|dev| dev.node);
        assert!(name(&one.eid()) != name(&two.eid()));
        assert!(name(&eid).is_none());
        two.add_eid(eid)?;
        assert_eq!(name(&eid), name(&two.eid()));
        // The address goes with it, and back.
        let dev = host.find(&one.eid()).ok_or(ENOENT)?;
        let addr = address::ip_by_eid(&dev, eid.into_bytes())?;
        assert!(addr.ip == IpAddr::V4([192, 0, 2, 1]) && addr.prefix_len == 32);
        assert_eq!(address::eid_by_ip(&dev, &addr)?, eid.into_bytes());
        assert!(address::dmac(&dev, &addr)? != address::mac(&dev));
        drop(two);
        assert!(name(&eid).is_none());
        drop(dev);
        drop(one);
        host.settle();
        Ok(())
    }

    #[test]
    fn waits_grow_with_the_code() {
        assert!(rnr::delay(0) > rnr::delay(31));
        for code in 1..31 {
            assert!(rnr::delay(code) < rnr::delay(code + 1));
        }
        assert!(rnr::delay(32) == rnr::delay(0));
    }

    #[test]
    fn waits_without_end_grow_with_the_tries() {
        let wait =
            |micros, tries| rnr::back_off(Delta::from_micros(micros), tries).as_micros_ceil();
        assert_eq!(wait(10, 0), 10);
        assert_eq!(wait(10, 3), 80);
        assert_eq!(wait(10, u8::MAX), 10_240);
        assert_eq!(wait(655_360, u8::MAX), 655_360);
    }

    #[test]
    fn counts_end_once() -> Result {
        let counters = Counters::new()?;
        let total = || counters.iter().map(|(_, value)| value).sum::<i64>();
        let pages = Count::many(&counters, CountKind::PinnedPages, 5);
        let one = Count::one(&counters, CountKind::Jfc);
        assert_eq!(total(), 6);
        pages.release();
        pages.release();
        assert_eq!(total(), 1);
        drop(pages);
        drop(one);
        assert_eq!(total(), 0);
        Ok(())
    }
}
