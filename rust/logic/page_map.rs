// SPDX-License-Identifier: GPL-2.0

//! Where the pages of a range of user memory are for the kernel.
//!
//! The range is seen as blocks of a power of two of bytes, aligned in the user's addresses. The
//! blocks are as large as they can be while the pages of each are contiguous for the kernel: memory
//! of huge pages has few of them, and what is contiguous as a whole is one block, which needs no
//! table. A look-up takes the same short time for all.

use crate::env::{
    Flags,
    KVVec,
    Result,
    EINVAL, //
};

/// The block size, as a power of two, at which there is one block for all user addresses.
const WHOLE: u32 = usize::BITS - 1;

/// So many blocks get room in the table at once; more as there come more.
const AT_ONCE: usize = 1 << 15;

/// The pages of a range, from the first one on; `PAGE` is the size of a page as a power of two.
///
/// Addresses of the kernel are numbers here. For a block of which only the end is in the range, the
/// number is where its begin would be; so numbers wrap around.
pub(crate) struct PageMap<const PAGE: u32> {
    /// The size of the blocks.
    shift: u32,
    /// User address of the first page.
    start: usize,
    /// User address behind the last page.
    end: usize,
    /// Where the only block is, if there is one block.
    whole: usize,
    /// Where the blocks are, if there are several; none if there is only one, which makes the drop
    /// cheap.
    blocks: Option<KVVec<usize>>,
}

impl<const PAGE: u32> PageMap<PAGE> {
    /// Makes the map of no pages; the first one will be at the user address `start`.
    pub(crate) fn new(start: usize) -> Self {
        Self {
            shift: WHOLE,
            start,
            end: start,
            whole: 0,
            blocks: None,
        }
    }

    /// Makes the map of one page, for the user address `start`.
    #[inline]
    pub(crate) fn of_page(start: usize, address: usize) -> Self {
        Self {
            end: start.wrapping_add(1 << PAGE),
            whole: address.wrapping_sub(start),
            ..Self::new(start)
        }
    }

    /// Returns where all pages are, if they are one block.
    #[inline]
    pub(crate) fn single(&self) -> Option<usize> {
        let single = self.shift == WHOLE && self.end != self.start;
        single.then(|| self.whole.wrapping_add(self.start))
    }

    /// Returns the number of pages.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.end.wrapping_sub(self.start) >> PAGE
    }

    /// Adds contiguous pages; `left` pages are still to come after them.
    ///
    /// # Errors
    ///
    /// `EINVAL` beyond the end of the address space, `ENOMEM`; then the map is as it was.
    pub(crate) fn add(
        &mut self,
        address: usize,
        pages: usize,
        left: usize,
        flags: Flags,
    ) -> Result {
        let from = self.end;
        let bytes = pages.checked_mul(1 << PAGE).ok_or(EINVAL)?;
        let end = from.checked_add(bytes).ok_or(EINVAL)?;
        if end >> WHOLE != 0 {
            return Err(EINVAL);
        }
        if from == self.start {
            self.whole = address.wrapping_sub(from);
        } else if !self.continues(from, address) {
            let shift = from.trailing_zeros().min(self.shift);
            self.split(shift, from, end, left, flags)?;
            self.fill(address, from, end, left, flags)?;
        } else if self.shift != WHOLE {
            self.fill(address, from, end, left, flags)?;
        }
        self.end = end;
        Ok(())
    }

    /// Tells whether the blocks are pages, as they are for good where two pages in a place that is
    /// odd do not follow each other.
    pub(crate) fn is_by_page(&self) -> bool {
        self.shift == PAGE
    }

    /// Adds single pages where the blocks are pages; `left` pages are still to come after them.
    ///
    /// # Errors
    ///
    /// As for [`Self::add`]; `EINVAL` also where the blocks are larger.
    pub(crate) fn add_pages(&mut self, addresses: &[usize], left: usize, flags: Flags) -> Result {
        if self.shift != PAGE {
            return Err(EINVAL);
        }
        let count = addresses.len();
        let bytes = count.checked_mul(1 << PAGE).ok_or(EINVAL)?;
        let end = self.end.checked_add(bytes).ok_or(EINVAL)?;
        if end >> WHOLE != 0 {
            return Err(EINVAL);
        }
        let blocks = self.blocks.as_mut().ok_or(EINVAL)?;
        if blocks.capacity().wrapping_sub(blocks.len()) < count {
            blocks.reserve(room(count, left, blocks.len()), flags)?;
        }
        blocks.extend_from_slice(addresses, flags)?;
        self.end = end;
        Ok(())
    }

    /// Returns where each page is, if the blocks are pages.
    pub(crate) fn pages(&self) -> Option<&[usize]> {
        self.blocks.as_deref().filter(|_| self.shift == PAGE)
    }

    /// Tells whether a page for the user address `from` is contiguous with the one before it.
    fn continues(&self, from: usize, address: usize) -> bool {
        let before = self.address(from.wrapping_sub(1 << PAGE));
        before.is_some_and(|before| before.wrapping_add(1 << PAGE) == address)
    }

    /// Makes the blocks smaller, up to the user address `end`.
    fn split(&mut self, shift: u32, end: usize, next: usize, left: usize, flags: Flags) -> Result {
        if shift == self.shift {
            return Ok(());
        }
        let mut blocks = KVVec::new();
        let mut at = self.start;
        while at < end {
            if blocks.len() == blocks.capacity() {
                let more = (next.wrapping_sub(at) >> shift).saturating_add(1);
                blocks.reserve(room(more, left >> (shift - PAGE), 0), flags)?;
            }
            let block = (at >> shift) << shift;
            let address = self.address(at).ok_or(EINVAL)?;
            blocks.push(address.wrapping_sub(at.wrapping_sub(block)), flags)?;
            at = block.wrapping_add(1 << shift);
        }
        self.blocks = Some(blocks);
        self.shift = shift;
        Ok(())
    }

    /// Adds the blocks of contiguous pages that begin in the user addresses from `from` to `end`.
    fn fill(
        &mut self,
        address: usize,
        from: usize,
        end: usize,
        left: usize,
        flags: Flags,
    ) -> Result {
        let blocks = self.blocks.as_mut().ok_or(EINVAL)?;
        let size = 1usize << self.shift;
        let done = blocks.len();
        let mut at = from.wrapping_add(size - 1) >> self.shift << self.shift;
        while at < end {
            if blocks.len() == blocks.capacity() {
                let more = (end.wrapping_sub(at) >> self.shift).saturating_add(1);
                let left = left >> (self.shift - PAGE);
                let room = room(more, left, blocks.len());
                if let Err(e) = blocks.reserve(room, flags) {
                    blocks.truncate(done);
                    return Err(e.into());
                }
            }
            blocks.push(address.wrapping_add(at.wrapping_sub(from)), flags)?;
            at = at.wrapping_add(size);
        }
        Ok(())
    }

    /// Returns the blocks from the one of a user address on; none if there is only one.
    #[inline]
    fn blocks_from(&self, at: usize) -> Option<&[usize]> {
        let index = (at >> self.shift).wrapping_sub(self.start >> self.shift);
        self.blocks.as_ref()?.get(index..)
    }

    /// Returns where the kernel sees a user address of the range.
    #[inline]
    fn address(&self, at: usize) -> Option<usize> {
        let base = if self.shift == WHOLE {
            self.whole
        } else {
            *self.blocks_from(at)?.first()?
        };
        Some(base.wrapping_add(at & ((1 << self.shift) - 1)))
    }

    /// Returns where the kernel sees the user address `at`, and how many of the `len` bytes from
    /// there on are contiguous, at least one; all of them must be in the range.
    #[inline]
    pub(crate) fn run(&self, at: usize, len: usize) -> Option<(usize, usize)> {
        if self.shift == WHOLE {
            return Some((self.whole.wrapping_add(at), len));
        }
        let size = 1usize << self.shift;
        let skip = at & (size - 1);
        let (first, rest) = self.blocks_from(at)?.split_first()?;
        let mut run = size - skip;
        let mut next = first.wrapping_add(size);
        for block in rest {
            if run >= len || *block != next {
                break;
            }
            run = run.saturating_add(size);
            next = next.wrapping_add(size);
        }
        Some((first.wrapping_add(skip), run.min(len)))
    }

    /// Returns where the kernel sees the user address `at`, how many of the `len` bytes from there
    /// on follow it in the same block, the blocks behind that, and the bytes of each of these; all
    /// of the bytes must be in the range.
    #[inline]
    pub(crate) fn span(&self, at: usize, len: usize) -> Option<(usize, usize, &[usize], usize)> {
        if self.shift == WHOLE {
            return Some((self.whole.wrapping_add(at), len, &[], 0));
        }
        let size = 1usize << self.shift;
        let skip = at & (size - 1);
        let (first, rest) = self.blocks_from(at)?.split_first()?;
        Some((first.wrapping_add(skip), len.min(size - skip), rest, size))
    }

    /// Goes through the contiguous parts of all pages: addresses and numbers of pages.
    pub(crate) fn runs(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        let mut at = self.start;
        core::iter::from_fn(move || {
            let left = self.end.wrapping_sub(at);
            let (address, bytes) = if left == 0 { None } else { self.run(at, left) }?;
            at = at.wrapping_add(bytes);
            Some((address, bytes >> PAGE))
        })
    }
}

/// Returns for how many blocks more to make room: for `now` at least, and for those `to come` in
/// proportion to what is there, since they are only what somebody says.
fn room(now: usize, to_come: usize, done: usize) -> usize {
    now.saturating_add(to_come.min(done.max(AT_ONCE)))
}

#[cfg(test)]
#[path = "tests/page_map.rs"]
mod tests;
