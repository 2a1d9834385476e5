// SPDX-License-Identifier: GPL-2.0

//! Index arithmetic of the shared rings.
//!
//! A ring has a power of two of entries. Indices run freely through all of `u32`; the slot of an
//! index is its low bits. `produced - consumed` (wrapping) is the number of entries in use, at most
//! the number of entries, so no slot is wasted.
//!
//! Of the two indices of a ring user space writes one, and may write anything. The kernel keeps its
//! own index and the geometry in its private memory, loads the foreign index once, and passes the
//! value to the methods here. A value that no honest program can produce is reported as
//! [`Corrupt`] or [`Overflow`]; it never reaches an address.

use crate::env::{
    Result,
    EINVAL, //
};

/// Largest number of entries of any ring.
pub(crate) const MAX_ENTRIES: u32 = 1 << 20;
/// Bytes of the fixed head of a send queue entry.
const SQE_HEAD: u32 = 64;
/// Bytes of the fixed head of a receive queue entry.
const RQE_HEAD: u32 = 16;
/// Bytes of a scatter-gather element in an entry.
const SGE: u32 = 16;

/// The user's producer index is impossible: the ring is to be put into the error state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Corrupt;

/// The completion queue has no room, or the user's consumer index is impossible.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Overflow;

/// Number of entries of a ring and what follows from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Geometry {
    /// A power of two, 1..=[`MAX_ENTRIES`].
    entries: u32,
}

impl Geometry {
    /// Sizes a ring for at least `depth` entries.
    ///
    /// # Errors
    ///
    /// `EINVAL` when `depth` is 0 or above `max`, or the ring would exceed [`MAX_ENTRIES`].
    pub(crate) fn for_depth(depth: u32, max: u32) -> Result<Self> {
        if depth == 0 || depth > max {
            return Err(EINVAL);
        }
        match depth.checked_next_power_of_two() {
            Some(entries) if entries <= MAX_ENTRIES => Ok(Self { entries }),
            _ => Err(EINVAL),
        }
    }

    /// Returns the number of entries.
    pub(crate) const fn entries(self) -> u32 {
        self.entries
    }

    /// Returns the slot of an index, always below [`entries`](Self::entries).
    pub(crate) const fn slot(self, index: u32) -> u32 {
        index & self.entries.wrapping_sub(1)
    }

    /// Returns the byte offset of an index's slot in a ring whose entries start at `entries_off`.
    ///
    /// `None` when the offset does not fit the address space.
    pub(crate) fn offset(self, index: u32, stride: u32, entries_off: usize) -> Option<usize> {
        (self.slot(index) as usize)
            .checked_mul(stride as usize)?
            .checked_add(entries_off)
    }

    /// Returns the bytes of a whole ring, header included.
    pub(crate) fn ring_bytes(self, stride: u32, entries_off: usize) -> Option<usize> {
        (self.entries as usize)
            .checked_mul(stride as usize)?
            .checked_add(entries_off)
    }
}

/// Kernel side of a send queue.
///
/// An entry is first *fetched* (copied for execution), later *finished*. The finished index is what
/// the kernel publishes: a slot belongs to user space again only when its work is over.
#[derive(Debug)]
pub(crate) struct SqIndex {
    /// Size of the ring.
    geometry: Geometry,
    /// Next entry to fetch; at most `entries` ahead of `finished`.
    fetched: u32,
    /// Next entry to finish.
    finished: u32,
}

impl SqIndex {
    /// The indices of an empty ring.
    pub(crate) fn new(geometry: Geometry) -> Self {
        Self {
            geometry,
            fetched: 0,
            finished: 0,
        }
    }

    /// Returns how many entries await fetching, given the user's producer index.
    ///
    /// # Errors
    ///
    /// [`Corrupt`] when the index claims more entries than the ring has, or went back behind what
    /// was already fetched.
    pub(crate) fn pending(&self, produced: u32) -> Result<u32, Corrupt> {
        let in_use = produced.wrapping_sub(self.finished);
        if in_use > self.geometry.entries {
            return Err(Corrupt);
        }
        in_use.checked_sub(self.in_flight()).ok_or(Corrupt)
    }

    /// Takes the next entry, given the user's producer index; `None` when there is none.
    ///
    /// # Errors
    ///
    /// Those of [`pending`](Self::pending).
    pub(crate) fn fetch(&mut self, produced: u32) -> Result<Option<u32>, Corrupt> {
        if self.pending(produced)? == 0 {
            return Ok(None);
        }
        let index = self.fetched;
        self.fetched = index.wrapping_add(1);
        Ok(Some(index))
    }

    /// Finishes the oldest entry in flight and returns the index to publish; `None` without one.
    pub(crate) fn finish(&mut self) -> Option<u32> {
        if self.finished == self.fetched {
            return None;
        }
        self.finished = self.finished.wrapping_add(1);
        Some(self.finished)
    }

    /// Fetches and finishes the next entry; returns the index to publish. Nothing may be in flight,
    /// and the entry must be [`pending`](Self::pending).
    #[inline]
    pub(crate) fn pass(&mut self) -> u32 {
        let next = self.fetched.wrapping_add(1);
        (self.fetched, self.finished) = (next, next);
        next
    }

    /// Returns the number of entries fetched but not finished.
    pub(crate) fn in_flight(&self) -> u32 {
        self.fetched.wrapping_sub(self.finished)
    }

    /// Returns the index of the next entry to fetch.
    pub(crate) fn fetched(&self) -> u32 {
        self.fetched
    }

    /// Returns the published index.
    pub(crate) fn finished(&self) -> u32 {
        self.finished
    }

    /// Returns the size of the ring.
    pub(crate) fn geometry(&self) -> Geometry {
        self.geometry
    }
}

/// Kernel side of a receive queue; an entry is consumed when a message takes it.
#[derive(Debug)]
pub(crate) struct RqIndex {
    /// Size of the ring.
    geometry: Geometry,
    /// Next entry to take.
    consumed: u32,
}

impl RqIndex {
    /// The index of an empty ring.
    pub(crate) fn new(geometry: Geometry) -> Self {
        Self {
            geometry,
            consumed: 0,
        }
    }

    /// Returns how many buffers are posted, given the user's producer index.
    ///
    /// # Errors
    ///
    /// [`Corrupt`] when the index claims more entries than the ring has.
    pub(crate) fn pending(&self, produced: u32) -> Result<u32, Corrupt> {
        match produced.wrapping_sub(self.consumed) {
            n if n > self.geometry.entries => Err(Corrupt),
            n => Ok(n),
        }
    }

    /// Takes the next entry, given the user's producer index; `None` when there is none.
    ///
    /// # Errors
    ///
    /// Those of [`pending`](Self::pending).
    pub(crate) fn take(&mut self, produced: u32) -> Result<Option<u32>, Corrupt> {
        if self.pending(produced)? == 0 {
            return Ok(None);
        }
        let index = self.consumed;
        self.consumed = index.wrapping_add(1);
        Ok(Some(index))
    }

    /// Returns the index to publish: entries before it belong to user space again.
    pub(crate) fn consumed(&self) -> u32 {
        self.consumed
    }

    /// Returns the size of the ring.
    pub(crate) fn geometry(&self) -> Geometry {
        self.geometry
    }
}

/// A place in a completion queue that has been claimed for one record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CqSlot {
    /// Free-running index.
    pub(crate) index: u32,
    /// Slot in the ring, below the number of entries.
    pub(crate) slot: u32,
    /// Sequence word that makes the record valid; stored last, with release order.
    pub(crate) seq: u32,
}

/// Kernel side of a completion queue.
#[derive(Debug)]
pub(crate) struct CqIndex {
    /// Size of the ring.
    geometry: Geometry,
    /// Next entry to write.
    produced: u32,
}

impl CqIndex {
    /// The index of an empty ring.
    pub(crate) fn new(geometry: Geometry) -> Self {
        Self {
            geometry,
            produced: 0,
        }
    }

    /// Claims the next place, given the user's consumer index.
    ///
    /// # Errors
    ///
    /// [`Overflow`] when all places hold unread records, or the index is impossible. Nothing is
    /// claimed then.
    pub(crate) fn reserve(&mut self, consumed: u32) -> Result<CqSlot, Overflow> {
        let in_use = self.produced.wrapping_sub(consumed);
        if in_use >= self.geometry.entries {
            return Err(Overflow);
        }
        let index = self.produced;
        self.produced = index.wrapping_add(1);
        Ok(CqSlot {
            index,
            slot: self.geometry.slot(index),
            seq: self.produced,
        })
    }

    /// Returns the number of records the user has not read; a false index counts as a full ring.
    pub(crate) fn unread(&self, consumed: u32) -> u32 {
        let in_use = self.produced.wrapping_sub(consumed);
        in_use.min(self.geometry.entries)
    }

    /// Returns the index of the next record.
    pub(crate) fn produced(&self) -> u32 {
        self.produced
    }

    /// Returns the size of the ring.
    pub(crate) fn geometry(&self) -> Geometry {
        self.geometry
    }
}

/// Returns whether a record's sequence word says that it is the one of index `consumed`.
pub(crate) const fn is_valid_seq(consumed: u32, seq: u32) -> bool {
    seq == consumed.wrapping_add(1)
}

/// Returns the number of free entries; `None` when the two indices contradict each other.
pub(crate) const fn space(entries: u32, produced: u32, consumed: u32) -> Option<u32> {
    entries.checked_sub(produced.wrapping_sub(consumed))
}

/// Returns the bytes of a send queue entry: the head and a list or inline data behind it.
pub(crate) fn sqe_stride(max_sge: u32, max_inline: u32) -> Option<u32> {
    let tail = max_sge.checked_mul(SGE)?.max(max_inline);
    SQE_HEAD.checked_add(tail)?.checked_next_multiple_of(64)
}

/// Returns the bytes of a receive queue entry.
pub(crate) fn rqe_stride(max_sge: u32) -> Option<u32> {
    let tail = max_sge.checked_mul(SGE)?;
    RQE_HEAD.checked_add(tail)?.checked_next_multiple_of(32)
}

#[cfg(test)]
#[path = "tests/ring.rs"]
mod tests;
