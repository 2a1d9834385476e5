// SPDX-License-Identifier: GPL-2.0

//! The rings that user space shares with ubsoft.
//!
//! Order of memory accesses: entry bytes before the producer index (release); the
//! consumer index (acquire) before a slot is used again; the sequence number of a
//! completion (acquire) before its other bytes; producer index, full fence, flags for
//! the receive queue.

use std::mem::{offset_of, size_of};
use std::os::fd::RawFd;
use std::sync::atomic::{fence, Ordering};

use ub_abi::{
    ubsoft_cqe, ubsoft_queue_resp, ubsoft_ring_header, ubsoft_rqe, ubsoft_sge, ubsoft_sqe,
    UBSOFT_RING_CQ, UBSOFT_RING_MAGIC, UBSOFT_RING_NEED_KICK, UBSOFT_RING_RQ, UBSOFT_RING_SQ,
    UBSOFT_RING_VERSION,
};

use crate::sys::{self, MapFlags, Mapping, RingMap};
use crate::wr::{RecvWr, SendWr};
use crate::{Error, Result};

const USER_IDX: usize = offset_of!(ubsoft_ring_header, user_idx);
const KERN_IDX: usize = offset_of!(ubsoft_ring_header, kern_idx);
const KERN_FLAGS: usize = offset_of!(ubsoft_ring_header, kern_flags);
const SEQ: usize = offset_of!(ubsoft_cqe, seq);
const SGE: usize = size_of::<ubsoft_sge>();

/// What all three kinds of ring have in common.
#[derive(Debug)]
pub struct Ring {
    map: RingMap,
    resp: ubsoft_queue_resp,
}

impl Ring {
    /// Maps a ring as the kernel described it, and checks its header.
    pub fn map(fd: RawFd, resp: ubsoft_queue_resp, kind: u32) -> Result<Self> {
        let len = resp.mmap_len as usize;
        let map = Mapping::file(fd, resp.mmap_off, len, MapFlags::default())?;
        Self::over(map, resp, kind)
    }

    /// The same over memory that is mapped already.
    pub fn over(map: Mapping, resp: ubsoft_queue_resp, kind: u32) -> Result<Self> {
        let mut bytes = [0; size_of::<ubsoft_ring_header>()];
        map.read(0, &mut bytes);
        let header: ubsoft_ring_header = sys::from_bytes(&bytes);
        let wrong = |what: &str| Err(Error::BadReply(format!("ring: {what}")));
        if header.magic != UBSOFT_RING_MAGIC || header.version != UBSOFT_RING_VERSION {
            return wrong("magic or version");
        }
        if header.kind != kind {
            return wrong("kind");
        }
        if header.entries != resp.entries || header.stride != resp.stride {
            return wrong("header and reply disagree");
        }
        let (first, stride) = (resp.entries_off as usize, resp.stride as usize);
        let map = RingMap::new(map, first, stride, resp.entries)?;
        Ok(Ring { map, resp })
    }

    /// What the kernel replied about the queue.
    pub fn resp(&self) -> &ubsoft_queue_resp {
        &self.resp
    }

    /// The mapping itself, for tests that scribble into it.
    pub fn mapping(&self) -> &Mapping {
        self.map.mapping()
    }

    /// Takes the mapping out, so that it outlives the queue.
    pub fn into_mapping(self) -> Mapping {
        self.map.into_mapping()
    }

    /// Offset in the mapping of the entry with this index.
    pub fn entry(&self, index: u32) -> usize {
        self.map.offset(index)
    }

    /// The user's index as it stands in the ring.
    pub fn user_idx(&self) -> u32 {
        self.map.word::<USER_IDX>().load(Ordering::Relaxed)
    }

    /// Publishes the user's index.
    #[inline]
    pub fn set_user_idx(&self, index: u32) {
        self.map.word::<USER_IDX>().store(index, Ordering::Release);
    }

    /// The kernel's index.
    #[inline]
    pub fn kern_idx(&self) -> u32 {
        self.map.word::<KERN_IDX>().load(Ordering::Acquire)
    }

    /// UBSOFT_RING_* flags.
    #[inline]
    pub fn kern_flags(&self) -> u32 {
        self.map.word::<KERN_FLAGS>().load(Ordering::Acquire)
    }

    /// Entries the user may still produce.
    #[inline]
    fn space(&self, produced: u32) -> u32 {
        let used = produced.wrapping_sub(self.kern_idx());
        self.resp.entries.saturating_sub(used)
    }
}

/// Send queue, of a JFS or a jetty.
#[derive(Debug)]
pub struct SendRing {
    ring: Ring,
    produced: u32,
}

impl SendRing {
    /// Maps it.
    pub fn map(fd: RawFd, resp: ubsoft_queue_resp) -> Result<Self> {
        Ok(Self::over(Ring::map(fd, resp, UBSOFT_RING_SQ)?))
    }

    /// Over a ring that is mapped.
    pub fn over(ring: Ring) -> Self {
        let produced = ring.user_idx();
        SendRing { ring, produced }
    }

    /// Writes an entry without publishing it.
    #[inline]
    pub fn push(&mut self, wr: &SendWr<'_>) -> Result<()> {
        let resp = &self.ring.resp;
        if wr.sges.len() > resp.max_sge as usize || wr.inline.len() > resp.max_inline as usize {
            return Err(Error::TooLarge);
        }
        if self.ring.space(self.produced) == 0 {
            return Err(Error::RingFull);
        }
        self.push_unchecked(&wr.head, wr.sges, wr.inline);
        Ok(())
    }

    /// Writes an entry whatever it says and whether there is room or not; what does not
    /// fit the slot is cut off.
    #[inline]
    pub fn push_unchecked(&mut self, head: &ubsoft_sqe, sges: &[ubsoft_sge], inline: &[u8]) {
        const HEAD: usize = size_of::<ubsoft_sqe>();
        let slot = self.ring.map.slot(self.produced);
        slot.store(0, sys::as_words::<_, { HEAD / 8 }>(head));
        if inline.is_empty() {
            slot.store_list(HEAD, sges.iter().map(sys::as_words::<_, { SGE / 8 }>));
        } else {
            let room = slot.len() - HEAD;
            let tail = self.ring.entry(self.produced) + HEAD;
            let bytes = &inline[..inline.len().min(room)];
            self.ring.mapping().write(tail, bytes);
        }
        self.produced = self.produced.wrapping_add(1);
    }

    /// Shows the kernel what was pushed.
    #[inline]
    pub fn publish(&self) {
        self.ring.set_user_idx(self.produced);
    }

    /// Entries that may still be pushed.
    #[inline]
    pub fn space(&self) -> u32 {
        self.ring.space(self.produced)
    }

    /// Entries pushed so far.
    pub fn produced(&self) -> u32 {
        self.produced
    }

    /// The ring.
    pub fn ring(&self) -> &Ring {
        &self.ring
    }

    /// Takes the ring out.
    pub fn into_ring(self) -> Ring {
        self.ring
    }
}

/// Receive queue, of a JFR.
#[derive(Debug)]
pub struct RecvRing {
    ring: Ring,
    produced: u32,
}

impl RecvRing {
    /// Maps it.
    pub fn map(fd: RawFd, resp: ubsoft_queue_resp) -> Result<Self> {
        Ok(Self::over(Ring::map(fd, resp, UBSOFT_RING_RQ)?))
    }

    /// Over a ring that is mapped.
    pub fn over(ring: Ring) -> Self {
        let produced = ring.user_idx();
        RecvRing { ring, produced }
    }

    /// Writes an entry without publishing it.
    #[inline]
    pub fn push(&mut self, wr: &RecvWr<'_>) -> Result<()> {
        if wr.sges.len() > self.ring.resp.max_sge as usize {
            return Err(Error::TooLarge);
        }
        if self.ring.space(self.produced) == 0 {
            return Err(Error::RingFull);
        }
        let head = ubsoft_rqe {
            user_ctx: wr.user_ctx,
            num_sge: wr.sges.len() as u32,
            total_len: wr.sges.iter().map(|sge| sge.len).fold(0, u32::wrapping_add),
        };
        self.push_unchecked(&head, wr.sges);
        Ok(())
    }

    /// Writes an entry whatever it says and whether there is room or not.
    #[inline]
    pub fn push_unchecked(&mut self, head: &ubsoft_rqe, sges: &[ubsoft_sge]) {
        const HEAD: usize = size_of::<ubsoft_rqe>();
        let slot = self.ring.map.slot(self.produced);
        slot.store(0, sys::as_words::<_, { HEAD / 8 }>(head));
        slot.store_list(HEAD, sges.iter().map(sys::as_words::<_, { SGE / 8 }>));
        self.produced = self.produced.wrapping_add(1);
    }

    /// Shows the kernel what was pushed; says whether it wants to be told.
    #[inline]
    #[must_use = "the kernel may wait for a kick"]
    pub fn publish(&self) -> bool {
        self.ring.set_user_idx(self.produced);
        // Pairs with the kernel's: set the flag, full barrier, look at the index again.
        fence(Ordering::SeqCst);
        self.ring.kern_flags() & UBSOFT_RING_NEED_KICK != 0
    }

    /// Entries that may still be pushed.
    #[inline]
    pub fn space(&self) -> u32 {
        self.ring.space(self.produced)
    }

    /// The ring.
    pub fn ring(&self) -> &Ring {
        &self.ring
    }
}

/// Completion queue, of a JFC.
#[derive(Debug)]
pub struct CompRing {
    ring: Ring,
    consumed: u32,
}

impl CompRing {
    /// Maps it.
    pub fn map(fd: RawFd, resp: ubsoft_queue_resp) -> Result<Self> {
        Ok(Self::over(Ring::map(fd, resp, UBSOFT_RING_CQ)?))
    }

    /// Over a ring that is mapped.
    pub fn over(ring: Ring) -> Self {
        let consumed = ring.user_idx();
        CompRing { ring, consumed }
    }

    /// The next completion, if it has come. The kernel learns of it by `release`.
    #[inline]
    pub fn pop(&mut self) -> Option<ubsoft_cqe> {
        let slot = self.ring.map.slot(self.consumed);
        if slot.upper_half(SEQ - 4).load(Ordering::Acquire) != self.consumed.wrapping_add(1) {
            return None;
        }
        let words = slot.load::<{ size_of::<ubsoft_cqe>() / 8 }>(0);
        self.consumed = self.consumed.wrapping_add(1);
        Some(sys::from_words(&words))
    }

    /// Changes the `user_data` of the completions that have come and were not popped, where it is
    /// `from`. The kernel does not read them back.
    pub fn relabel(&mut self, from: u64, to: u64) {
        let mut index = self.consumed;
        for _ in 0..self.ring.resp.entries {
            let slot = self.ring.map.slot(index);
            index = index.wrapping_add(1);
            if slot.upper_half(SEQ - 4).load(Ordering::Acquire) != index {
                break;
            }
            const DATA: usize = offset_of!(ubsoft_cqe, user_data);
            if slot.load(DATA) == [from] {
                slot.store(DATA, &[to]);
            }
        }
    }

    /// Gives the slots of what was popped back to the kernel.
    #[inline]
    pub fn release(&self) {
        self.ring.set_user_idx(self.consumed);
    }

    /// Completions popped so far.
    pub fn consumed(&self) -> u32 {
        self.consumed
    }

    /// The ring.
    pub fn ring(&self) -> &Ring {
        &self.ring
    }
}

#[cfg(test)]
#[path = "ring_tests.rs"]
mod tests;
