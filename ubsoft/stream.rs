// SPDX-License-Identifier: GPL-2.0

//! Where bytes come from and go to: inline data, parts of segments, lists of them.

use crate::{
    device::Dev,
    host::CtxId,
    kernel_ext::task::cond_resched,
    logic::{
        cqe::CrStatus,
        sge::{
            Sge,
            SgeList, //
        }, //
    },
    ring::{
        copy::{
            Dst,
            DstSpan,
            Src,
            SrcSpan, //
        },
        pages::PageUse, //
    }, //
};

/// Bytes that are copied without giving way.
const CHUNK: usize = 64 << 10;

/// What a copy failed of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Failure {
    /// The source.
    Source(CrStatus),
    /// The sink.
    Sink(CrStatus),
    /// The queue is being stopped.
    Stopped,
}

/// Where bytes come from.
pub(crate) trait Source {
    /// Returns the next bytes, at least one. To be called while some are left.
    fn piece(&mut self) -> Result<SrcSpan<'_>, CrStatus>;

    /// Goes on by `len` bytes of that piece.
    fn advance(&mut self, len: usize);
}

/// Where bytes go to.
pub(crate) trait Sink {
    /// Returns the next room, at least one byte. To be called while some is left.
    fn piece(&mut self) -> Result<DstSpan<'_>, CrStatus>;

    /// Goes on by `len` bytes of that piece.
    fn advance(&mut self, len: usize);
}

impl Source for &[u8] {
    fn piece(&mut self) -> Result<SrcSpan<'_>, CrStatus> {
        Ok(Src::bytes(self).into())
    }

    fn advance(&mut self, len: usize) {
        *self = self.get(len..).unwrap_or_default();
    }
}

/// A part of a segment, in use.
pub(crate) struct Part<'a> {
    pages: PageUse<'a>,
    offset: usize,
    left: usize,
    /// Bytes have been taken from it: the segment may have gone meanwhile.
    begun: bool,
    /// What an access fails with.
    fault: CrStatus,
}

impl<'a> Part<'a> {
    /// Describes `len` bytes at `offset`, which have been checked.
    #[inline]
    pub(crate) fn new(pages: PageUse<'a>, offset: usize, len: u32, fault: CrStatus) -> Self {
        Self {
            pages,
            offset,
            left: len as usize,
            begun: false,
            fault,
        }
    }

    /// Returns what is left, at most a chunk; fails when the segment is being unregistered, or was
    /// invalidated and is a peer's.
    #[inline]
    fn window(&self) -> Result<(usize, usize), CrStatus> {
        if self.begun {
            let ends = match self.fault {
                CrStatus::LocAccess => self.pages.is_revoked(),
                _ => self.pages.is_private(),
            };
            if ends {
                return Err(self.fault);
            }
        }
        Ok((self.offset, self.left.min(CHUNK)))
    }

    /// Returns the contiguous memory at its start, for an operation on a word.
    #[inline]
    pub(crate) fn word(&self) -> Result<Dst<'_>, CrStatus> {
        let (offset, len) = self.window()?;
        self.pages.write(offset, len).ok_or(self.fault)
    }

    /// Goes on.
    #[inline]
    fn skip(&mut self, len: usize) {
        self.begun = true;
        self.offset = self.offset.wrapping_add(len);
        self.left = self.left.saturating_sub(len);
    }
}

impl Source for Part<'_> {
    #[inline]
    fn piece(&mut self) -> Result<SrcSpan<'_>, CrStatus> {
        let (offset, len) = self.window()?;
        self.pages.source(offset, len).ok_or(self.fault)
    }

    #[inline]
    fn advance(&mut self, len: usize) {
        self.skip(len);
    }
}

impl Sink for Part<'_> {
    #[inline]
    fn piece(&mut self) -> Result<DstSpan<'_>, CrStatus> {
        let (offset, len) = self.window()?;
        self.pages.sink(offset, len).ok_or(self.fault)
    }

    #[inline]
    fn advance(&mut self, len: usize) {
        self.skip(len);
    }
}

/// A list of local buffers.
pub(crate) struct Buffers<'a, I> {
    dev: &'a Dev,
    ctx: CtxId,
    list: I,
    part: Option<Part<'a>>,
}

/// Opens a list of buffers in the segments of a context.
///
/// # Errors
///
/// `LocAccess` if one of them is not in a segment of the context.
#[inline]
pub(crate) fn open<'a>(
    dev: &'a Dev,
    ctx: CtxId,
    list: &SgeList<'a>,
) -> Result<Buffers<'a, impl Iterator<Item = Sge> + 'a>, CrStatus> {
    let mut buffers = Buffers {
        dev,
        ctx,
        list: list.iter(),
        part: None,
    };
    // The first buffer is looked up now and stays; of the others, a bad one is found before
    // anything is written.
    if let Some(first) = buffers.list.next() {
        buffers.part = Some(dev.local_part(ctx, &first)?);
        for sge in list.iter().skip(1) {
            dev.local_part(ctx, &sge)?;
        }
    }
    Ok(buffers)
}

impl<'a, I: Iterator<Item = Sge>> Buffers<'a, I> {
    /// Returns the buffer that is next.
    #[inline]
    fn part(&mut self) -> Result<&mut Part<'a>, CrStatus> {
        while self.part.as_ref().is_none_or(|part| part.left == 0) {
            let sge = self.list.next().ok_or(CrStatus::LocLen)?;
            self.part = Some(self.dev.local_part(self.ctx, &sge)?);
        }
        self.part.as_mut().ok_or(CrStatus::LocLen)
    }
}

impl<I: Iterator<Item = Sge>> Source for Buffers<'_, I> {
    #[inline]
    fn piece(&mut self) -> Result<SrcSpan<'_>, CrStatus> {
        Source::piece(self.part()?)
    }

    #[inline]
    fn advance(&mut self, len: usize) {
        if let Some(part) = &mut self.part {
            part.skip(len);
        }
    }
}

impl<I: Iterator<Item = Sge>> Sink for Buffers<'_, I> {
    #[inline]
    fn piece(&mut self) -> Result<DstSpan<'_>, CrStatus> {
        Sink::piece(self.part()?)
    }

    #[inline]
    fn advance(&mut self, len: usize) {
        if let Some(part) = &mut self.part {
            part.skip(len);
        }
    }
}

/// Copies `len` bytes in ascending order, all that source and sink are used for. Between chunks
/// other tasks may run, and `stop` is asked whether to give up.
#[inline]
pub(crate) fn transfer(
    src: &mut impl Source,
    dst: &mut impl Sink,
    len: u32,
    stop: impl Fn() -> bool,
) -> Result<(), Failure> {
    let mut left = len as usize;
    let mut chunk = CHUNK;
    while left != 0 {
        let from = src.piece().map_err(Failure::Source)?;
        let to = dst.piece().map_err(Failure::Sink)?;
        let n = to.copy_from(from, left.min(chunk));
        if n == 0 {
            return Err(Failure::Source(CrStatus::LocLen));
        }
        if n == left {
            // As usual, all of it: nobody asks for what comes behind.
            return Ok(());
        }
        src.advance(n);
        dst.advance(n);
        left = left.saturating_sub(n);
        chunk = chunk.saturating_sub(n);
        if chunk == 0 {
            chunk = CHUNK;
            cond_resched();
            if stop() {
                return Err(Failure::Stopped);
            }
        }
    }
    Ok(())
}
