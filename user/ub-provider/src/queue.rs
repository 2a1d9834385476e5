// SPDX-License-Identifier: GPL-2.0

//! The queues behind the objects: rings that are shared with the kernel, and the doorbell.
//!
//! Nothing here allocates after a queue is mapped.

use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::sync::Arc;

use ub_abi::*;
use ub_client::{sys, CompRing, RecvRing, RecvWr, SendRing, SendWr};

use crate::status::{Failure, Outcome};

/// `user_data` of completions that nobody is to see: their queue is gone. No object is there.
pub(crate) const FORGOTTEN: u64 = u64::MAX;

/// The doorbell file of a context.
#[derive(Debug)]
pub(crate) struct Bell(OwnedFd);

impl Bell {
    /// Takes over the file.
    ///
    /// # Errors
    ///
    /// The kernel replied no file descriptor.
    pub(crate) fn adopt(fd: i32) -> Outcome<Self> {
        sys::adopt_fd(fd)
            .map(Bell)
            .map_err(|err| Failure::of_client(&err))
    }

    /// Whether the device is gone: the doorbell finds that out before it looks for a queue.
    pub(crate) fn is_dead(&self) -> bool {
        // Should there be such a queue, it finds nothing new.
        sys::ioctl(self.0.as_raw_fd(), IOC_RQ_KICK, 0) == Err(libc::EIO)
    }
}

/// A doorbell that is to be rung when no lock is held any more. The file stays open while a queue
/// is mapped; nothing is counted here, to keep atomic instructions out of each post.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ring {
    file: RawFd,
    command: u64,
    queue: u32,
    high: u32,
}

impl Ring {
    /// Rings.
    ///
    /// # Errors
    ///
    /// What the kernel says; `EIO` when the device is gone.
    #[inline]
    pub(crate) fn now(&self) -> Outcome<()> {
        let arg = u64::from(self.queue) | (u64::from(self.high) << 32);
        sys::ioctl(self.file, self.command, arg)
            .map(|_| ())
            .map_err(Failure::of_errno)
    }
}

/// Where the rings of a queue are, and its doorbell.
pub(crate) struct Place<'a> {
    /// The device file.
    pub(crate) dev_fd: RawFd,
    /// The doorbell of the context.
    pub(crate) bell: &'a Arc<Bell>,
    /// What the kernel replied about the queue.
    pub(crate) resp: ubsoft_queue_resp,
}

/// A queue of work requests.
#[derive(Debug)]
pub(crate) struct SendQueue {
    ring: SendRing,
    bell: Arc<Bell>,
    /// A connected jetty has one target, whatever a request says.
    connected: bool,
}

impl SendQueue {
    /// Maps one.
    ///
    /// # Errors
    ///
    /// What `mmap()` says, and a ring that is not as the kernel said.
    pub(crate) fn map(place: &Place<'_>, connected: bool) -> Outcome<Self> {
        let ring =
            SendRing::map(place.dev_fd, place.resp).map_err(|err| Failure::of_client(&err))?;
        keep_from_children(ring.ring().mapping());
        Ok(SendQueue {
            ring,
            bell: place.bell.clone(),
            connected,
        })
    }

    /// Whether requests name no target.
    #[inline]
    pub(crate) fn is_connected(&self) -> bool {
        self.connected
    }

    /// Most local ranges of a request.
    #[inline]
    pub(crate) fn max_sge(&self) -> usize {
        self.ring.ring().resp().max_sge as usize
    }

    /// Most inline data of a request, in bytes.
    #[inline]
    pub(crate) fn max_inline(&self) -> usize {
        self.ring.ring().resp().max_inline as usize
    }

    /// Writes a request; the kernel does not see it before [`Self::publish`].
    ///
    /// # Errors
    ///
    /// `ENOMEM` when the queue is full, `EINVAL` for more than an entry holds.
    #[inline]
    pub(crate) fn push(&mut self, wr: &SendWr<'_>) -> Outcome<()> {
        self.ring.push(wr).map_err(|err| Failure::of_client(&err))
    }

    /// Shows the kernel what was written; returns the doorbell for it.
    #[inline]
    pub(crate) fn publish(&self) -> Ring {
        self.ring.publish();
        Ring {
            file: self.bell.0.as_raw_fd(),
            command: IOC_SQ_KICK,
            queue: self.ring.ring().resp().queue_ref,
            high: 0,
        }
    }
}

/// A queue of receive buffers.
#[derive(Debug)]
pub(crate) struct RecvQueue {
    ring: RecvRing,
    bell: Arc<Bell>,
}

impl RecvQueue {
    /// Maps one.
    ///
    /// # Errors
    ///
    /// As for [`SendQueue::map`].
    pub(crate) fn map(place: &Place<'_>) -> Outcome<Self> {
        let ring =
            RecvRing::map(place.dev_fd, place.resp).map_err(|err| Failure::of_client(&err))?;
        keep_from_children(ring.ring().mapping());
        Ok(RecvQueue {
            ring,
            bell: place.bell.clone(),
        })
    }

    /// Most ranges of a buffer.
    #[inline]
    pub(crate) fn max_sge(&self) -> usize {
        self.ring.ring().resp().max_sge as usize
    }

    /// Writes a buffer; the kernel does not see it before [`Self::publish`].
    ///
    /// # Errors
    ///
    /// As for [`SendQueue::push`].
    #[inline]
    pub(crate) fn push(&mut self, wr: &RecvWr<'_>) -> Outcome<()> {
        self.ring.push(wr).map_err(|err| Failure::of_client(&err))
    }

    /// Shows the kernel what was written; returns the doorbell if the kernel waits for it.
    #[inline]
    pub(crate) fn publish(&self) -> Option<Ring> {
        self.ring.publish().then(|| Ring {
            file: self.bell.0.as_raw_fd(),
            command: IOC_RQ_KICK,
            queue: self.ring.ring().resp().queue_ref,
            high: 0,
        })
    }
}

/// A queue of completions.
#[derive(Debug)]
pub(crate) struct CompQueue {
    ring: CompRing,
    bell: Arc<Bell>,
}

impl CompQueue {
    /// Maps one.
    ///
    /// # Errors
    ///
    /// As for [`SendQueue::map`].
    pub(crate) fn map(place: &Place<'_>) -> Outcome<Self> {
        let ring =
            CompRing::map(place.dev_fd, place.resp).map_err(|err| Failure::of_client(&err))?;
        keep_from_children(ring.ring().mapping());
        Ok(CompQueue {
            ring,
            bell: place.bell.clone(),
        })
    }

    /// Takes at most `max` completions and hands them on; returns how many.
    #[inline]
    pub(crate) fn poll(&mut self, max: usize, mut take: impl FnMut(usize, &ubsoft_cqe)) -> usize {
        let before = self.ring.consumed();
        let mut count = 0;
        while count < max {
            let Some(cqe) = self.ring.pop() else {
                break;
            };
            if cqe.user_data == FORGOTTEN {
                continue;
            }
            take(count, &cqe);
            count += 1;
        }
        if self.ring.consumed() != before {
            self.ring.release();
        }
        count
    }

    /// Has nobody see the completions that are there of an object that is gone.
    pub(crate) fn forget(&mut self, object: u64) {
        self.ring.relabel(object, FORGOTTEN);
    }

    /// The doorbell that asks for one event. It tells the kernel how far the queue was read, so
    /// that the event comes at once if there is more.
    pub(crate) fn arm(&self, solicited_only: bool) -> Ring {
        Ring {
            file: self.bell.0.as_raw_fd(),
            command: if solicited_only {
                IOC_CQ_ARM_SOLICITED
            } else {
                IOC_CQ_ARM
            },
            queue: self.ring.ring().resp().queue_ref,
            high: self.ring.consumed(),
        }
    }
}

/// A child must not take part in a ring. The kernel does not let it have the mapping anyway.
fn keep_from_children(mapping: &sys::Mapping) {
    let _ = mapping.inherit(false);
}
