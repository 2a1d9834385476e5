// SPDX-License-Identifier: GPL-2.0

//! Mapped rings: a header and slots, whose bounds are checked once and not at each access.

use std::marker::PhantomData;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use super::Mapping;
use crate::{Error, Result};

/// Bytes of the header that [`RingMap::word`] reaches.
const HEADER: usize = 256;

/// A mapping that is a ring. Like all of it, words are accessed by atomics only.
///
/// The number of slots is a power of two, all of them are inside of the mapping behind the header,
/// and they are aligned to words.
#[derive(Debug)]
pub struct RingMap {
    map: Mapping,
    /// Offset of the first slot.
    first: usize,
    /// Bytes from a slot to the next.
    stride: usize,
    /// Number of slots, less one.
    mask: u32,
}

impl RingMap {
    /// Takes a mapping with `slots` slots of `stride` bytes from offset `first` on.
    ///
    /// # Errors
    ///
    /// A bad reply if that cannot be.
    pub fn new(map: Mapping, first: usize, stride: usize, slots: u32) -> Result<Self> {
        let end = (slots as usize)
            .checked_mul(stride)
            .and_then(|bytes| bytes.checked_add(first));
        let inside = end.is_some_and(|end| end <= map.len()) && first >= HEADER;
        if !inside || !slots.is_power_of_two() || (first | stride) % size_of::<u64>() != 0 {
            return Err(Error::BadReply("ring: geometry".to_string()));
        }
        Ok(RingMap {
            map,
            first,
            stride,
            mask: slots - 1,
        })
    }

    /// The mapping.
    pub fn mapping(&self) -> &Mapping {
        &self.map
    }

    /// Takes the mapping out.
    pub fn into_mapping(self) -> Mapping {
        self.map
    }

    /// The word at offset `AT` of the header.
    #[inline]
    pub fn word<const AT: usize>(&self) -> &AtomicU32 {
        const { assert!(AT % size_of::<u32>() == 0 && AT + size_of::<u32>() <= HEADER) };
        // SAFETY: in the header, which is inside of the mapping, and aligned; the mapping lives
        // as long as `self`, and all access of this process to it is atomic.
        unsafe { AtomicU32::from_ptr(self.map.base().add(AT).cast()) }
    }

    /// Offset in the mapping of the slot for an index.
    #[inline]
    pub fn offset(&self, index: u32) -> usize {
        self.first + (index & self.mask) as usize * self.stride
    }

    /// The slot for an index.
    #[inline]
    pub fn slot(&self, index: u32) -> Slot<'_> {
        Slot {
            // SAFETY: inside of the mapping.
            base: unsafe { self.map.base().add(self.offset(index)) }.cast(),
            len: self.stride,
            _map: PhantomData,
        }
    }
}

/// A slot of a ring.
#[derive(Debug, Clone, Copy)]
pub struct Slot<'a> {
    /// `len` bytes of the mapping, aligned.
    base: *mut u64,
    len: usize,
    _map: PhantomData<&'a RingMap>,
}

impl<'a> Slot<'a> {
    /// Bytes of it.
    #[inline]
    pub fn len(self) -> usize {
        self.len
    }

    /// Whether there is none.
    pub fn is_empty(self) -> bool {
        self.len == 0
    }

    /// The `N` words from byte `at` on, a multiple of 8; panics if they are not all inside.
    #[inline]
    fn words<const N: usize>(self, at: usize) -> &'a [AtomicU64; N] {
        let inside = at <= self.len && N * size_of::<u64>() <= self.len - at;
        assert!(inside && at % size_of::<u64>() == 0, "not inside of a slot");
        // SAFETY: inside of the slot, as just checked, and aligned; else as in `RingMap::word`.
        unsafe { &*self.base.byte_add(at).cast() }
    }

    /// Stores words from byte `at` on; panics as all here if they are not inside.
    #[inline]
    pub fn store<const N: usize>(self, at: usize, words: &[u64; N]) {
        for (to, word) in self.words::<N>(at).iter().zip(words) {
            to.store(*word, Ordering::Relaxed);
        }
    }

    /// Stores a list of words from byte `at` on, as far as it fits.
    #[inline]
    pub fn store_list<'b, const N: usize>(
        self,
        at: usize,
        list: impl ExactSizeIterator<Item = &'b [u64; N]>,
    ) {
        let room = self.len.saturating_sub(at) / (N * size_of::<u64>());
        assert!(at % size_of::<u64>() == 0, "not aligned");
        for (i, words) in list.take(room).enumerate() {
            for (j, word) in words.iter().enumerate() {
                // SAFETY: inside of the slot, by `room`, and aligned; else as in `RingMap::word`.
                let to = unsafe { AtomicU64::from_ptr(self.base.byte_add(at).add(i * N + j)) };
                to.store(*word, Ordering::Relaxed);
            }
        }
    }

    /// Loads words from byte `at` on.
    #[inline]
    pub fn load<const N: usize>(self, at: usize) -> [u64; N] {
        self.words(at)
            .each_ref()
            .map(|word| word.load(Ordering::Relaxed))
    }

    /// The upper half of the word at byte `at`, where the sequence number of an entry is.
    #[inline]
    pub fn upper_half(self, at: usize) -> &'a AtomicU32 {
        let [word] = self.words::<1>(at);
        // SAFETY: a part of the word; else as in `RingMap::word`.
        unsafe { AtomicU32::from_ptr(word.as_ptr().cast::<u32>().add(1)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn make(first: usize, stride: usize, slots: u32) -> Result<RingMap> {
        RingMap::new(Mapping::anonymous(8192)?, first, stride, slots)
    }

    #[test]
    fn geometry_is_checked() {
        assert!(make(4096, 64, 64).is_ok());
        assert!(make(4096, 64, 128).is_err());
        assert!(make(4096, 64, 48).is_err());
        assert!(make(4096, 64, 0).is_err());
        assert!(make(4096, 60, 32).is_err());
        assert!(make(4092, 64, 32).is_err());
        assert!(make(128, 64, 32).is_err());
        assert!(make(4096, usize::MAX & !7, 1 << 31).is_err());
    }

    #[test]
    fn slots_are_where_they_should_be() {
        let ring = make(4096, 128, 32).unwrap();
        ring.slot(33).store(64, &[1, 2]);
        assert_eq!(ring.mapping().load64(4096 + 128 + 64, Ordering::Relaxed), 1);
        assert_eq!(ring.slot(1).load(64), [1, 2]);
        ring.slot(31).store(120, &[5 << 32]);
        assert_eq!(
            ring.slot(u32::MAX).upper_half(120).load(Ordering::Relaxed),
            5
        );
        assert_eq!(ring.mapping().load64(8184, Ordering::Relaxed), 5 << 32);
        let list = [[1, 2], [3, 4], [5, 6]];
        ring.slot(0).store_list(96, list.iter());
        assert_eq!(ring.slot(0).load(96), [1, 2, 3, 4]);
        assert_eq!(ring.slot(1).load(0), [0, 0]);
        ring.slot(0).store_list(136, list.iter());
        assert_eq!(ring.slot(1).load(0), [0, 0]);
    }

    #[test]
    #[should_panic(expected = "inside")]
    fn slots_have_an_end() {
        make(4096, 128, 32).unwrap().slot(0).store(120, &[1, 2]);
    }
}
