// SPDX-License-Identifier: GPL-2.0

//! What queues of all kinds have in common: a ring that their owner may map, and how they are told
//! to user space.

use crate::{
    bindings_ub::{
        UBSOFT_POLL_IDLE_DEFAULT,
        UBSOFT_POLL_IDLE_MAX,
        UBSOFT_QUEUE_POLL, //
    },
    counters::{
        Count,
        Kind as CountKind, //
    },
    device::Dev,
    host::CtxId,
    kernel_ext::{
        arc::Arc,
        cap::{
            capable,
            Cap, //
        },
        handle_table::Reservation,
        task::MmId, //
    },
    logic::ring::Geometry,
    poller::Slot,
    ring::{
        abi::{
            QueueReq,
            QueueResp, //
        },
        Flags,
        Kind,
        Ring,
        ENTRIES_OFFSET, //
    },
    ub::driver::{
        Udata,
        User, //
    },
    Soft, //
};
use kernel::{
    mm::virt::VmaNew,
    page::PAGE_SHIFT,
    prelude::*,
    time::Delta, //
};

/// Largest ring in bytes: the distance of the offsets at which rings are mapped. So offsets are
/// unique, and a 32-bit process can name those of 2^20 rings.
pub(crate) const RING_MAX: usize = 1 << 24;
/// Most rings of a device.
pub(crate) const RINGS_MAX: u32 = (1 << 20) - 1;

/// A ring and whose it is: what the table of those that can be mapped holds.
#[pin_data]
pub(crate) struct MappableRing {
    #[pin]
    ring: Ring,
    owner: CtxId,
}

impl MappableRing {
    /// Tells the user that the device is gone.
    pub(crate) fn mark_gone(&self, owner: CtxId) {
        if self.owner == owner {
            self.ring.raise(Flags::Gone);
        }
    }
}

/// Maps the ring that an offset, in pages, names.
///
/// # Errors
///
/// `EINVAL` if there is no such ring, it is another context's, or the mapping is not what a ring
/// allows.
pub(crate) fn mmap(dev: &Dev, owner: CtxId, pgoff: usize, vma: &VmaNew) -> Result {
    let pages = RING_MAX >> PAGE_SHIFT;
    if pgoff % pages != 0 {
        return Err(EINVAL);
    }
    let number = u32::try_from(pgoff / pages).map_err(|_| EINVAL)?;
    let entry = dev.rings.get(number).ok_or(EINVAL)?;
    if entry.owner != owner {
        return Err(EINVAL);
    }
    entry.ring.mmap(vma)
}

/// What only some queues may ask for.
#[derive(Default, PartialEq, Eq)]
struct Extra {
    flags: u32,
    poll_idle: u32,
}

/// Who wants a queue, and what for.
pub(crate) struct Request<'a> {
    /// The context.
    pub(crate) owner: CtxId,
    /// Address space of the context; `None` for a kernel client.
    pub(crate) mm: Option<MmId>,
    /// EID of the context, for a kernel client that of the index it chose.
    pub(crate) eid: [u8; 16],
    /// The user's word for the queue, for a kernel client a number that no other queue has.
    pub(crate) user_obj: u64,
    /// The place of a send queue that is to be polled by a thread.
    pub(crate) poll: Option<Slot>,
    /// Where the reply goes; `None` for a kernel client.
    udata: Option<Udata<'a>>,
}

impl<'a> Request<'a> {
    /// Reads the private data of a create operation; `eid_index` is for a kernel client.
    ///
    /// # Errors
    ///
    /// `EFAULT`, `EINVAL` for reserved fields that are not 0, `EIO` for a context whose device is
    /// gone.
    pub(crate) fn read(dev: &Dev, eid_index: u32, user: Option<User<'a, Soft>>) -> Result<Self> {
        let (request, extra) = Self::read_any(dev, eid_index, user)?;
        if extra != Extra::default() {
            return Err(EINVAL);
        }
        Ok(request)
    }

    /// The same for a send queue, which may ask to be polled.
    ///
    /// # Errors
    ///
    /// Also `EINVAL` for a time that is too long, `EPERM` for a user who may not ask; those of
    /// [`Slot::reserve`].
    pub(crate) fn read_send(
        dev: &Dev,
        eid_index: u32,
        user: Option<User<'a, Soft>>,
    ) -> Result<Self> {
        let uctx = user.as_ref().map(|user| user.uctx);
        let (mut request, extra) = Self::read_any(dev, eid_index, user)?;
        let Some(uctx) = uctx else {
            return Ok(request);
        };
        match extra.flags {
            0 if extra.poll_idle == 0 => return Ok(request),
            UBSOFT_QUEUE_POLL if extra.poll_idle <= UBSOFT_POLL_IDLE_MAX => {}
            _ => return Err(EINVAL),
        }
        if !dev.may_all_poll() && !capable(Cap::SysNice) {
            return Err(EPERM);
        }
        let micros = match extra.poll_idle {
            0 => UBSOFT_POLL_IDLE_DEFAULT,
            micros => micros,
        };
        let idle = Delta::from_micros(micros.into());
        request.poll = Some(Slot::reserve(uctx.into(), idle)?);
        Ok(request)
    }

    /// Reads what all queues have, and what some may have beside.
    fn read_any(dev: &Dev, eid_index: u32, user: Option<User<'a, Soft>>) -> Result<(Self, Extra)> {
        let Some(user) = user else {
            let request = Self {
                owner: CtxId::KERNEL,
                mm: None,
                // Of what peers can name ubcore has seen that there is one.
                eid: dev.eid_at(eid_index).unwrap_or_default(),
                user_obj: dev.host.new_number(),
                poll: None,
                udata: None,
            };
            return Ok((request, Extra::default()));
        };
        let QueueReq {
            user_obj,
            flags,
            poll_idle,
            reserved,
        } = user.udata.read()?;
        if reserved != [0; 4] {
            return Err(EINVAL);
        }
        let request = Self {
            owner: user.uctx.id(),
            mm: user.uctx.mm(),
            eid: user.uctx.eid(),
            user_obj,
            poll: None,
            udata: Some(user.udata),
        };
        Ok((request, Extra { flags, poll_idle }))
    }
}

/// A queue's ring.
pub(crate) struct QueueRing {
    ring: Arc<MappableRing>,
    /// Its number in the table of those that can be mapped; 0 for none.
    number: u32,
    count: Count,
    pages: Count,
}

impl core::ops::Deref for QueueRing {
    type Target = Ring;

    #[inline]
    fn deref(&self) -> &Ring {
        &self.ring.ring
    }
}

impl QueueRing {
    /// Makes a ring, which can be mapped once it is published.
    ///
    /// # Errors
    ///
    /// `ENOMEM`, `ENOSPC` when the device has too many.
    pub(crate) fn new<'d>(
        dev: &'d Dev,
        request: &Request<'_>,
        kind: Kind,
        geometry: Geometry,
        stride: u32,
    ) -> Result<(Self, PendingRing<'d>)> {
        let shared = request.owner != CtxId::KERNEL;
        let ring = Arc::pin_init(
            try_pin_init!(MappableRing {
                ring <- Ring::for_owner(kind, geometry, stride, RING_MAX, shared),
                owner: request.owner,
            }),
            GFP_KERNEL,
        )?;
        let slot = match request.udata {
            Some(_) => Some(dev.rings.reserve().map_err(full)?),
            None => None,
        };
        let number = slot.as_ref().map_or(0, |slot| slot.id());
        let pending = PendingRing {
            slot,
            ring: ring.clone(),
        };
        let count = Count::one(&dev.host.counters, CountKind::Rings);
        // CAST: A small number.
        let pages = (ring.ring.len() >> PAGE_SHIFT) as i64;
        let pages = Count::many(&dev.host.counters, CountKind::RingPages, pages);
        Ok((
            Self {
                ring,
                number,
                count,
                pages,
            },
            pending,
        ))
    }

    /// Tells the user of the ring: nothing that can fail may follow.
    ///
    /// # Errors
    ///
    /// `EFAULT`.
    pub(crate) fn reply(
        &self,
        request: &Request<'_>,
        queue_ref: u32,
        max_sge: u32,
        max_inline: u32,
    ) -> Result {
        let Some(udata) = request.udata else {
            return Ok(());
        };
        udata.write(&QueueResp {
            mmap_off: u64::from(self.number).wrapping_mul(RING_MAX as u64),
            mmap_len: self.len() as u64,
            entries: self.geometry().entries(),
            stride: self.stride(),
            // CAST: One page.
            entries_off: ENTRIES_OFFSET as u32,
            queue_ref,
            max_sge,
            max_inline,
            reserved: [0; 6],
        })
    }

    /// Ends the life of the ring; mappings keep its pages.
    pub(crate) fn withdraw(&self, dev: &Dev) {
        if self.number != 0 {
            drop(dev.rings.remove(self.number));
        }
        self.count.release();
        self.pages.release();
    }
}

/// A ring whose number is reserved and not visible yet.
pub(crate) struct PendingRing<'d> {
    slot: Option<Reservation<'d, MappableRing>>,
    ring: Arc<MappableRing>,
}

impl PendingRing<'_> {
    /// Lets the owner map the ring; cannot fail.
    pub(crate) fn publish(self) {
        if let Some(slot) = self.slot {
            slot.publish(self.ring);
        }
    }
}

/// Turns "all ids are taken" into what users see.
pub(crate) fn full(e: Error) -> Error {
    if e == EBUSY {
        ENOSPC
    } else {
        e
    }
}
