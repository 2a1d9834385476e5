// SPDX-License-Identifier: GPL-2.0

//! Mapped memory that the kernel, peers or other threads change at any time: all
//! access is by atomics.

use std::os::fd::{AsRawFd, RawFd};
use std::sync::atomic::{AtomicU32, AtomicU64, AtomicU8, Ordering};

use crate::{Error, Result};

/// How a file is mapped. The usual way: readable, writable, shared, not executable.
#[derive(Debug, Clone, Copy)]
pub struct MapFlags {
    /// PROT_EXEC too.
    pub exec: bool,
    /// PROT_WRITE.
    pub write: bool,
    /// MAP_PRIVATE instead of MAP_SHARED.
    pub private: bool,
}

impl Default for MapFlags {
    fn default() -> Self {
        MapFlags {
            exec: false,
            write: true,
            private: false,
        }
    }
}

/// A mapping, unmapped when dropped.
#[derive(Debug)]
pub struct Mapping {
    base: *mut u8,
    len: usize,
}

// SAFETY: the mapping belongs to the process, not to a thread.
unsafe impl Send for Mapping {}
// SAFETY: all access through a shared reference is by atomics.
unsafe impl Sync for Mapping {}

/// Panics, out of line: what posts and polls is short.
#[cold]
#[inline(never)]
fn outside(offset: usize, len: usize, size: usize) -> ! {
    panic!("{len} bytes at {offset} are outside of a mapping of {size}");
}

/// Panics unless an offset is a multiple of `size`.
#[inline]
fn aligned(offset: usize, size: usize) {
    #[cold]
    #[inline(never)]
    fn unaligned(offset: usize) -> ! {
        panic!("unaligned offset {offset}");
    }
    if offset % size != 0 {
        unaligned(offset);
    }
}

impl Mapping {
    /// Private anonymous memory, zeroed; a multiple of the page size.
    pub fn anonymous(len: usize) -> Result<Self> {
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
        Self::map(len, libc::PROT_READ | libc::PROT_WRITE, flags, -1, 0)
    }

    /// Anonymous memory that children of this process share.
    pub fn shared(len: usize) -> Result<Self> {
        let flags = libc::MAP_SHARED | libc::MAP_ANONYMOUS;
        Self::map(len, libc::PROT_READ | libc::PROT_WRITE, flags, -1, 0)
    }

    /// Anonymous memory that cannot be written.
    pub fn read_only(len: usize) -> Result<Self> {
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
        Self::map(len, libc::PROT_READ, flags, -1, 0)
    }

    /// Address space without memory behind it.
    pub fn inaccessible(len: usize) -> Result<Self> {
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
        Self::map(len, libc::PROT_NONE, flags, -1, 0)
    }

    /// The same `piece` bytes of anonymous memory again and again: so a large range takes little
    /// memory.
    pub fn repeated(piece: usize, times: usize) -> Result<Self> {
        let len = piece
            .checked_mul(times)
            .ok_or_else(|| Error::sys("mremap", libc::ENOMEM))?;
        let whole = Self::inaccessible(len)?;
        let first = Self::shared(piece)?;
        let flags = libc::MREMAP_MAYMOVE | libc::MREMAP_FIXED;
        for i in 0..times {
            // SAFETY: The place is inside of `whole`, whose memory nobody uses. An old size of 0
            // maps shared memory once more, and leaves it where it is.
            let at = unsafe {
                let place = whole.base.add(i * piece);
                libc::mremap(first.base.cast(), 0, piece, flags, place)
            };
            if at == libc::MAP_FAILED {
                return Err(Error::last("mremap"));
            }
        }
        Ok(whole)
    }

    /// Part of a file, wherever there is room.
    pub fn file(fd: RawFd, offset: u64, len: usize, how: MapFlags) -> Result<Self> {
        Self::file_at(0, fd, offset, len, how)
    }

    /// Part of a file at this address; at any for 0.
    ///
    /// # Errors
    ///
    /// `EEXIST` if something is there already, `EINVAL` for an address inside of a page.
    pub fn file_at(addr: u64, fd: RawFd, offset: u64, len: usize, how: MapFlags) -> Result<Self> {
        let mut prot = libc::PROT_READ;
        if how.write {
            prot |= libc::PROT_WRITE;
        }
        if how.exec {
            prot |= libc::PROT_EXEC;
        }
        let flags = if how.private {
            libc::MAP_PRIVATE
        } else {
            libc::MAP_SHARED
        };
        if addr == 0 {
            return Self::map(len, prot, flags, fd, offset);
        }
        let flags = flags | libc::MAP_FIXED_NOREPLACE;
        let mapping = Self::map_at(addr, len, prot, flags, fd, offset)?;
        // Kernels before 4.17 do not know the flag, and look for room elsewhere.
        if mapping.addr() != addr {
            return Err(Error::sys("mmap", libc::EEXIST));
        }
        Ok(mapping)
    }

    fn map(len: usize, prot: i32, flags: i32, fd: RawFd, offset: u64) -> Result<Self> {
        Self::map_at(0, len, prot, flags, fd, offset)
    }

    fn map_at(
        addr: u64,
        len: usize,
        prot: i32,
        flags: i32,
        fd: RawFd,
        offset: u64,
    ) -> Result<Self> {
        // SAFETY: nobody passes MAP_FIXED, so that no memory of the process is replaced.
        let base = unsafe {
            libc::mmap(
                addr as *mut libc::c_void,
                len,
                prot,
                flags,
                fd,
                offset as libc::off_t,
            )
        };
        if base == libc::MAP_FAILED {
            return Err(Error::last("mmap"));
        }
        Ok(Mapping {
            base: base.cast(),
            len,
        })
    }

    /// Pointer to the first byte.
    #[inline]
    pub(super) fn base(&self) -> *mut u8 {
        self.base
    }

    /// Address of the first byte.
    pub fn addr(&self) -> u64 {
        self.base as u64
    }

    /// Length in bytes.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there is nothing; cannot be.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Pointer to `len` bytes at an offset; panics outside of the mapping.
    #[inline]
    fn at(&self, offset: usize, len: usize) -> *mut u8 {
        if len > self.len || offset > self.len - len {
            outside(offset, len, self.len);
        }
        // SAFETY: inside of the mapping, as just checked.
        unsafe { self.base.add(offset) }
    }

    #[inline]
    fn word32(&self, offset: usize) -> &AtomicU32 {
        aligned(offset, 4);
        // SAFETY: in bounds and aligned; the mapping lives as long as `self`, and all
        // access of this process to it is atomic.
        unsafe { AtomicU32::from_ptr(self.at(offset, 4).cast()) }
    }

    #[inline]
    fn word64(&self, offset: usize) -> &AtomicU64 {
        aligned(offset, 8);
        // SAFETY: as in `word32`.
        unsafe { AtomicU64::from_ptr(self.at(offset, 8).cast()) }
    }

    /// The whole words of `len` bytes at an aligned offset.
    #[inline]
    fn words(&self, offset: usize, len: usize) -> impl Iterator<Item = &AtomicU64> {
        let base = self.at(offset, len).cast::<u64>();
        if len >= 8 {
            aligned(offset, 8);
        }
        // SAFETY: in bounds, as checked, and aligned; else as in `word32`.
        (0..len / 8).map(move |i| unsafe { AtomicU64::from_ptr(base.add(i)) })
    }

    fn byte(&self, offset: usize) -> &AtomicU8 {
        // SAFETY: as in `word32`.
        unsafe { AtomicU8::from_ptr(self.at(offset, 1)) }
    }

    /// Loads a 32-bit word.
    #[inline]
    pub fn load32(&self, offset: usize, order: Ordering) -> u32 {
        self.word32(offset).load(order)
    }

    /// Stores a 32-bit word.
    #[inline]
    pub fn store32(&self, offset: usize, value: u32, order: Ordering) {
        self.word32(offset).store(value, order);
    }

    /// Loads a 64-bit word.
    pub fn load64(&self, offset: usize, order: Ordering) -> u64 {
        self.word64(offset).load(order)
    }

    /// Stores a 64-bit word.
    pub fn store64(&self, offset: usize, value: u64, order: Ordering) {
        self.word64(offset).store(value, order);
    }

    /// Adds to a 64-bit word; returns what was there.
    pub fn add64(&self, offset: usize, value: u64) -> u64 {
        self.word64(offset).fetch_add(value, Ordering::SeqCst)
    }

    /// Copies bytes out.
    pub fn read(&self, offset: usize, out: &mut [u8]) {
        let len = out.len();
        self.at(offset, len);
        let head = (offset.wrapping_neg() % 8).min(len);
        let (first, rest) = out.split_at_mut(head);
        for (i, byte) in first.iter_mut().enumerate() {
            *byte = self.byte(offset + i).load(Ordering::Relaxed);
        }
        let mut words = rest.chunks_exact_mut(8);
        for (word, from) in words.by_ref().zip(self.words(offset + head, len - head)) {
            word.copy_from_slice(&from.load(Ordering::Relaxed).to_ne_bytes());
        }
        let tail = words.into_remainder();
        let at = offset + len - tail.len();
        for (i, byte) in tail.iter_mut().enumerate() {
            *byte = self.byte(at + i).load(Ordering::Relaxed);
        }
    }

    /// Copies bytes in.
    pub fn write(&self, offset: usize, data: &[u8]) {
        self.at(offset, data.len());
        let head = (offset.wrapping_neg() % 8).min(data.len());
        let (first, rest) = data.split_at(head);
        for (i, byte) in first.iter().enumerate() {
            self.byte(offset + i).store(*byte, Ordering::Relaxed);
        }
        let words = rest.chunks_exact(8);
        let tail = words.remainder();
        for (word, to) in words.zip(self.words(offset + head, rest.len())) {
            let mut bytes = [0; 8];
            bytes.copy_from_slice(word);
            to.store(u64::from_ne_bytes(bytes), Ordering::Relaxed);
        }
        let at = offset + data.len() - tail.len();
        for (i, byte) in tail.iter().enumerate() {
            self.byte(at + i).store(*byte, Ordering::Relaxed);
        }
    }

    /// Bytes of a range.
    pub fn bytes(&self, offset: usize, len: usize) -> Vec<u8> {
        let mut out = vec![0; len];
        self.read(offset, &mut out);
        out
    }

    /// Sets a range to one value.
    pub fn fill(&self, offset: usize, len: usize, value: u8) {
        self.write(offset, &vec![value; len]);
    }

    /// Keeps the memory for the rest of the process's life and returns its address.
    pub fn leak(self) -> u64 {
        let addr = self.addr();
        std::mem::forget(self);
        addr
    }

    /// Unmaps the memory but not the object: as if another part of the process had
    /// done it. Reading from the mapping afterwards is a crash.
    pub fn unmap_behind_its_back(&self) -> Result<()> {
        // SAFETY: the range is this mapping's. That later access faults is what the
        // caller wants; address space is not reused for as long as nothing is mapped.
        if unsafe { libc::munmap(self.base.cast(), self.len) } != 0 {
            return Err(Error::last("munmap"));
        }
        Ok(())
    }

    /// Copies a word out by a system call, which tells if the memory cannot be read.
    pub fn peek64(&self, offset: usize) -> Result<u64> {
        let mut word = [0u8; 8];
        let from = libc::iovec {
            iov_base: self.at(offset, word.len()).cast(),
            iov_len: word.len(),
        };
        let (read_end, write_end) = super::pipe()?;
        // SAFETY: the kernel reads the memory, or says that it cannot.
        if unsafe { libc::writev(write_end.as_raw_fd(), &from, 1) } != 8 {
            return Err(Error::last("writev"));
        }
        super::process::read_fd(read_end.as_raw_fd(), &mut word)?;
        Ok(u64::from_ne_bytes(word))
    }

    /// Asks for the memory to be writable.
    pub fn make_writable(&self) -> Result<()> {
        self.protect(true)
    }

    /// Unmaps a part of the memory behind the back of the object, see
    /// [`Self::unmap_behind_its_back`].
    pub fn unmap_part(&self, offset: usize, len: usize) -> Result<()> {
        // SAFETY: as there; a part of the range.
        if unsafe { libc::munmap(self.at(offset, len).cast(), len) } != 0 {
            return Err(Error::last("munmap"));
        }
        Ok(())
    }

    /// Changes the protection to none, or back to read and write.
    pub fn protect(&self, accessible: bool) -> Result<()> {
        let prot = if accessible {
            libc::PROT_READ | libc::PROT_WRITE
        } else {
            libc::PROT_NONE
        };
        // SAFETY: the range is this mapping's.
        if unsafe { libc::mprotect(self.base.cast(), self.len, prot) } != 0 {
            return Err(Error::last("mprotect"));
        }
        Ok(())
    }

    /// Makes the pages from an offset on inaccessible.
    pub fn protect_from(&self, offset: usize) -> Result<()> {
        let start = self.at(offset, self.len.saturating_sub(offset));
        // SAFETY: the range is the end of this mapping.
        if unsafe { libc::mprotect(start.cast(), self.len - offset, libc::PROT_NONE) } != 0 {
            return Err(Error::last("mprotect"));
        }
        Ok(())
    }

    /// Asks for the memory to be executable.
    pub fn make_executable(&self) -> Result<()> {
        let prot = libc::PROT_READ | libc::PROT_EXEC;
        // SAFETY: the range is this mapping's; nothing in it is executed.
        if unsafe { libc::mprotect(self.base.cast(), self.len, prot) } != 0 {
            return Err(Error::last("mprotect"));
        }
        Ok(())
    }

    /// Asks for children to get the memory, or not to.
    pub fn inherit(&self, on: bool) -> Result<()> {
        let advice = if on {
            libc::MADV_DOFORK
        } else {
            libc::MADV_DONTFORK
        };
        // SAFETY: the range is this mapping's; what it holds does not change.
        if unsafe { libc::madvise(self.base.cast(), self.len, advice) } != 0 {
            return Err(Error::last("madvise"));
        }
        Ok(())
    }

    /// mremap() to another length, in place or not; the object follows.
    pub fn resize(&mut self, len: usize) -> Result<()> {
        // SAFETY: the range is this mapping's; no references into it outlive a call.
        let base = unsafe { libc::mremap(self.base.cast(), self.len, len, libc::MREMAP_MAYMOVE) };
        if base == libc::MAP_FAILED {
            return Err(Error::last("mremap"));
        }
        self.base = base.cast();
        self.len = len;
        Ok(())
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: the range is this mapping's and no reference into it is left.
        unsafe { libc::munmap(self.base.cast(), self.len) };
    }
}

/// Private anonymous memory below 2 GiB, for 32-bit system calls.
pub struct LowMemory(Mapping);

impl LowMemory {
    /// So many bytes, zeroed.
    pub fn new(len: usize) -> Result<Self> {
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_32BIT;
        let prot = libc::PROT_READ | libc::PROT_WRITE;
        Ok(LowMemory(Mapping::map(len, prot, flags, -1, 0)?))
    }
}

impl std::ops::Deref for LowMemory {
    type Target = Mapping;

    fn deref(&self) -> &Mapping {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_of_any_alignment() {
        let map = Mapping::anonymous(4096).unwrap();
        for offset in 0..17 {
            for len in 0..40 {
                map.fill(0, 128, 0xee);
                let data: Vec<u8> = (0..len).map(|i| (i * 7 + offset) as u8).collect();
                map.write(offset, &data);
                assert_eq!(map.bytes(offset, len), data);
                assert!(map.bytes(0, offset).iter().all(|&b| b == 0xee));
                assert!(map.bytes(offset + len, 20).iter().all(|&b| b == 0xee));
            }
        }
    }

    #[test]
    #[should_panic(expected = "outside of a mapping")]
    fn bounds_are_kept() {
        let map = Mapping::anonymous(4096).unwrap();
        map.bytes(4090, 7);
    }
}
