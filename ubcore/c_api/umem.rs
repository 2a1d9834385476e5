// SPDX-License-Identifier: GPL-2.0

//! Pinned memory of users, for drivers.

use crate::{
    bindings_ub::{
        self,
        ubcore_device,
        ubcore_mtu,
        ubcore_umem,
        ubcore_umem_flag, //
    },
    kernel_ext::{
        cap::{
            capable,
            Cap, //
        },
        pinned::PinnedPages,
        task::current_mm, //
    },
    logic::page_size::{
        best_page_size,
        mtu_code, //
    },
    ub::common::{
        err_ptr,
        FlagWord, //
    },
};
use core::ptr::null_mut;
use kernel::{
    alloc::KVVec,
    bindings,
    dma::DataDirection,
    error::to_result,
    page::{
        PAGE_MASK,
        PAGE_SIZE, //
    },
    prelude::*, //
};

// SAFETY: Declared in C as a union of a `u32` and bit-fields of 32 bits in all.
unsafe impl FlagWord for ubcore_umem_flag {}

/// The flags of a request.
const NON_PIN: u32 = 1;
const WRITABLE: u32 = 1 << 1;
const KNOWN: u32 = NON_PIN | WRITABLE;

/// Pinned memory: what drivers see of it, and the pins.
///
/// # Invariants
///
/// `raw.sg_head` is the list of `pages`. It is mapped for `dma_dev` unless that is null.
#[repr(C)]
struct Umem {
    raw: ubcore_umem,
    dma_dev: *mut bindings::device,
    pages: PinnedPages,
}

impl Umem {
    /// Pins memory of the calling process, and maps it for the device.
    ///
    /// # Safety
    ///
    /// `dev` must be valid, and `dma_dev` of it as long as the object.
    unsafe fn new(
        dev: *mut ubcore_device,
        va: u64,
        len: u64,
        flag: ubcore_umem_flag,
    ) -> Result<KBox<Self>> {
        let word = flag.word();
        if word & NON_PIN != 0 || word & !KNOWN != 0 || current_mm().is_none() {
            return Err(EINVAL);
        }
        // SAFETY: No requirements.
        let limit = unsafe { bindings_ub::ub_helper_rlimit_memlock() };
        if limit == 0 && !capable(Cap::IpcLock) {
            return Err(EPERM);
        }
        let start = usize::try_from(va).map_err(|_| EINVAL)?;
        let length = usize::try_from(len).map_err(|_| EINVAL)?;
        let pages = PinnedPages::pin(start, length, word & WRITABLE != 0)?;
        let raw = ubcore_umem {
            ub_dev: dev,
            owning_mm: pages.mm(),
            length: len,
            va,
            flag,
            ..Default::default()
        };
        // INVARIANT: Nothing is listed or mapped yet: the list is empty.
        let mut this = KBox::new(
            Self {
                raw,
                dma_dev: null_mut(),
                pages,
            },
            GFP_KERNEL_ACCOUNT,
        )?;
        this.list(start, length)?;
        // SAFETY: By the function's contract.
        unsafe { this.map((*dev).dma_dev) }?;
        Ok(this)
    }

    /// Lists the pages.
    fn list(&mut self, start: usize, length: usize) -> Result {
        let mut pages = KVVec::with_capacity(self.pages.count(), GFP_KERNEL)?;
        for (address, count) in self.pages.runs() {
            let room = pages.spare_capacity_mut().get_mut(..count).ok_or(EINVAL)?;
            // SAFETY: Memory that is pinned, and room for so many pages.
            unsafe {
                bindings_ub::ub_helper_pages_at(address, room.as_mut_ptr().cast(), count);
                pages.inc_len(count);
            }
        }
        // SAFETY: Pages that stay pinned as long as the list exists; the function keeps none of the
        // array.
        to_result(unsafe {
            bindings::sg_alloc_table_from_pages_segment(
                &mut self.raw.sg_head,
                pages.as_mut_ptr(),
                u32::try_from(pages.len())?,
                // CAST: Within a page.
                (start & !PAGE_MASK) as u32,
                length,
                // As large as a list element can be.
                !(PAGE_SIZE as u32 - 1),
                bindings::GFP_KERNEL_ACCOUNT,
            )
        })
    }

    /// Maps the list for a device, unless that is null.
    ///
    /// # Safety
    ///
    /// `dma_dev` must be null, or valid as long as the object.
    unsafe fn map(&mut self, dma_dev: *mut bindings::device) -> Result {
        if dma_dev.is_null() {
            return Ok(());
        }
        // SAFETY: A device and a list that is not mapped.
        to_result(unsafe {
            bindings::dma_map_sgtable(
                dma_dev,
                &mut self.raw.sg_head,
                DataDirection::Bidirectional.into(),
                0,
            )
        })?;
        // INVARIANT: Just mapped.
        self.dma_dev = dma_dev;
        self.raw.nmap = self.raw.sg_head.nents;
        Ok(())
    }

    /// Goes through what is contiguous for the device; for one that does not access memory, for
    /// the kernel.
    fn pieces(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        let mut sg = self.raw.sg_head.sgl;
        let mapped = (0..self.raw.nmap).map_while(move |_| {
            if sg.is_null() {
                return None;
            }
            // SAFETY: By the type invariant, so many elements of the list are mapped.
            unsafe {
                let piece = (
                    bindings::sg_dma_address(sg),
                    u64::from(bindings::sg_dma_len(sg)),
                );
                sg = bindings::sg_next(sg);
                Some(piece)
            }
        });
        let count = if self.raw.nmap == 0 { usize::MAX } else { 0 };
        let offset = self.raw.va & !(PAGE_MASK as u64);
        let mut left = self.raw.length;
        let runs = self.pages.runs().take(count).enumerate();
        let runs = runs.map(move |(index, (address, pages))| {
            let skip = if index == 0 { offset } else { 0 };
            // CAST: From `usize` to 64 bits.
            let whole = (pages as u64).saturating_mul(PAGE_SIZE as u64);
            let bytes = left.min(whole.saturating_sub(skip));
            left = left.saturating_sub(bytes);
            // SAFETY: Memory that is pinned.
            let address = unsafe { bindings_ub::ub_helper_virt_to_phys(address) };
            (address.saturating_add(skip), bytes)
        });
        Iterator::chain(mapped, runs)
    }
}

impl Drop for Umem {
    fn drop(&mut self) {
        // SAFETY: By the type invariants; the pages are unpinned afterwards. A list that was not
        // made is empty.
        unsafe {
            if !self.dma_dev.is_null() {
                bindings::dma_unmap_sgtable(
                    self.dma_dev,
                    &mut self.raw.sg_head,
                    DataDirection::Bidirectional.into(),
                    0,
                );
            }
            bindings::sg_free_table(&mut self.raw.sg_head);
        }
    }
}

/// Tells whether a pointer is null or an encoded error.
fn is_nothing(umem: *const ubcore_umem) -> bool {
    umem.is_null() || kernel::error::from_err_ptr(umem.cast_mut()).is_err()
}

c_api! {
    /// Pins memory of the calling process.
    unsafe fn ubcore_umem_get(
        dev: *mut ubcore_device,
        va: u64,
        len: u64,
        flag: ubcore_umem_flag,
    ) -> *mut ubcore_umem {
        if dev.is_null() {
            return EINVAL.to_ptr();
        }
        // SAFETY: Valid; a driver keeps what it does memory access with.
        err_ptr(unsafe { Umem::new(dev, va, len, flag) }.map(|umem| KBox::into_raw(umem).cast()))
    }

    /// Gives pinned memory back.
    unsafe fn ubcore_umem_release(umem: *mut ubcore_umem) {
        if !is_nothing(umem) {
            // SAFETY: Made by `ubcore_umem_get()`, of which it is the first field, and given back
            // once.
            drop(unsafe { KBox::from_raw(umem.cast::<Umem>()) });
        }
    }

    /// Returns the largest page size that fits pinned memory.
    unsafe fn ubcore_umem_find_best_page_size(
        umem: *mut ubcore_umem,
        page_size_bitmap: u64,
        va: u64,
    ) -> u64 {
        if is_nothing(umem) {
            return 0;
        }
        // SAFETY: As above.
        let umem = unsafe { &*umem.cast::<Umem>() };
        // CAST: From `usize` to 64 bits.
        best_page_size(page_size_bitmap, PAGE_SIZE as u64, va, umem.raw.length, umem.pieces())
    }

    /// Returns the largest MTU that fits that of a network device.
    unsafe fn ubcore_get_mtu(netdev_mtu: c_int) -> ubcore_mtu {
        mtu_code(u32::try_from(netdev_mtu).unwrap_or(0))
    }
}
