// SPDX-License-Identifier: GPL-2.0

//! Windows: imported segments that their importer maps, to load and store with no kernel on the
//! path.
//!
//! Each has a range of offsets of its own in the device's file. A mapping carries the number that
//! no other window has, so it never shows another one's memory, and holds nothing: pages come in
//! when they are touched, and only as long as both the window and the segment are there.

use crate::{
    counters::{
        Count,
        Kind as CountKind, //
    },
    device::Dev,
    host::CtxId,
    kernel_ext::{
        arc::Arc,
        fault::{
            self,
            Fault,
            Outcome, //
        }, //
    },
    logic::{
        access::{
            ACCESS_ATOMIC,
            ACCESS_WRITE, //
        },
        eid::Eid,
        wr::Remote, //
    },
    queue::full,
    ring::{
        abi::ImportSegResp,
        lent::Place, //
    },
    segment::Segment,
    ub::driver::{
        SegImport,
        User, //
    },
    Soft, //
};
use core::{
    mem::size_of,
    ops::RangeInclusive, //
};
use kernel::{
    mm::virt::VmaNew,
    page::PAGE_SHIFT,
    prelude::*, //
};

/// Distance of the offsets of windows in pages, as a power of two: the largest has 4 TiB.
const PAGES_SHIFT: usize = 42 - PAGE_SHIFT;
/// Numbers of windows: their offsets begin where those of rings end, and are positive.
pub(crate) const NUMBERS: RangeInclusive<u32> = 4..=(1 << 20) - 1;

/// Tells whether an offset, in pages, is one of windows.
pub(crate) fn is_at(pgoff: usize) -> bool {
    pgoff >> PAGES_SHIFT >= *NUMBERS.start() as usize
}

/// An imported segment that can be mapped.
#[pin_data]
pub(crate) struct Window {
    dev: Arc<Dev>,
    /// Its place among the offsets.
    number: u32,
    /// What no other window ever had.
    tag: usize,
    /// The importer.
    pub(crate) owner: CtxId,
    segment: Arc<Segment>,
    /// First page of the segment.
    first: usize,
    pages: usize,
    writable: bool,
    count: Count,
}

/// Finds a window of a context, and which of its pages an offset names.
fn find(dev: &Dev, owner: CtxId, pgoff: usize) -> Option<(Arc<Window>, usize)> {
    let number = u32::try_from(pgoff >> PAGES_SHIFT).ok()?;
    let window = dev.windows.get(number)?;
    (window.owner == owner).then_some((window, pgoff & ((1 << PAGES_SHIFT) - 1)))
}

/// Makes a window for a user.
///
/// # Errors
///
/// `EOPNOTSUPP` for a kernel client; `EINVAL` for a part of a page, a range that is too large, and
/// without room for the reply; `ENODEV` if no device of this host has the EID; `EACCES` unless the
/// owner of the segment has agreed, and lets whoever knows the token do what is wanted; `ENOSPC`,
/// `ENOMEM`, `EFAULT`.
pub(crate) fn open(
    dev: &Arc<Dev>,
    cfg: &SegImport,
    user: Option<User<'_, Soft>>,
) -> Result<Arc<Window>> {
    let user = user.ok_or(EOPNOTSUPP)?;
    if user.udata.out_len() < size_of::<ImportSegResp>() {
        return Err(EINVAL);
    }
    let peer = dev.host.find(&Eid::from_bytes(cfg.eid)).ok_or(ENODEV)?;
    let segment = peer.segs.get(cfg.token_id).ok_or(EACCES)?;
    let remote = Remote {
        addr: cfg.va,
        token_id: cfg.token_id,
        token: cfg.token,
    };
    let writable = cfg.access & (ACCESS_WRITE | ACCESS_ATOMIC) != 0;
    let first = usize::try_from(segment.window(&remote, cfg.len, writable)?).map_err(|_| EINVAL)?;
    let pages = usize::try_from(cfg.len).map_err(|_| EINVAL)? >> PAGE_SHIFT;
    if pages > 1 << PAGES_SHIFT {
        return Err(EINVAL);
    }
    let reservation = dev.windows.reserve().map_err(full)?;
    let number = reservation.id();
    let offset = (number as usize) << (PAGES_SHIFT + PAGE_SHIFT);
    let tag = usize::try_from(dev.host.new_number()).map_err(|_| ENOSPC)?;
    let window = Arc::pin_init(
        try_pin_init!(Window {
            dev: dev.clone(),
            number,
            tag,
            owner: user.uctx.id(),
            segment,
            first,
            pages,
            writable,
            count: Count::one(&dev.host.counters, CountKind::Windows),
        }),
        GFP_KERNEL_ACCOUNT,
    )?;
    user.udata.write(&ImportSegResp {
        mmap_off: offset as u64,
        mmap_len: cfg.len,
        reserved: [0; 4],
    })?;
    let place = Place {
        offset,
        len: pages << PAGE_SHIFT,
    };
    let lent = window.segment.pages().lent().ok_or(EACCES)?;
    lent.add(window.tag, place)?;
    reservation.publish(window.clone());
    Ok(window)
}

/// Closes a window, for good; again does nothing. When this returns, nobody accesses memory by it.
pub(crate) fn close(window: &Arc<Window>) {
    let is_it = |found: &Window| found.tag == window.tag;
    drop(window.dev.windows.remove_if(window.number, is_it));
    if let Some(lent) = window.segment.pages().lent() {
        lent.remove(window.tag);
    }
    window.count.release();
}

/// Sets a mapping of pages of a window up.
///
/// # Errors
///
/// `EINVAL` if there is no such window or page, or the mapping is not what it allows; `EIO` for one
/// that has been closed.
pub(crate) fn mmap(dev: &Dev, owner: CtxId, pgoff: usize, vma: &VmaNew) -> Result {
    let (window, page) = find(dev, owner, pgoff).ok_or(EINVAL)?;
    let end = page.checked_add(fault::pages_of(vma)).ok_or(EINVAL)?;
    if end > window.pages {
        return Err(EINVAL);
    }
    let inode = fault::lend(vma, window.writable, window.tag)?;
    let lent = window.segment.pages().lent().ok_or(EIO)?;
    lent.mapped(window.tag, inode)
}

/// Sees to a fault in a mapping.
pub(crate) fn fault(dev: &Dev, owner: CtxId, fault: &Fault<'_>) -> Outcome {
    match find(dev, owner, fault.pgoff()) {
        Some((window, page)) if window.tag == fault.tag() && page < window.pages => {
            let index = window.first.wrapping_add(page);
            window.segment.pages().fault(window.tag, fault, index)
        }
        _ => Outcome::SIGBUS,
    }
}
