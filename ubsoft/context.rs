// SPDX-License-Identifier: GPL-2.0

//! Contexts of user processes, and their doorbells.

use crate::{
    bindings_ub::{
        UBSOFT_ABI_VERSION,
        UBSOFT_CTL_RING,
        UBSOFT_FEATURE_POLL,
        UBSOFT_FEATURE_WINDOW,
        UBSOFT_IOC_MAGIC, //
    },
    counters::{
        Count,
        Kind as CountKind, //
    },
    device::Dev,
    engine,
    host::CtxId,
    jfc::{
        self,
        Arm, //
    },
    jfr,
    kernel_ext::{
        arc::{
            Arc,
            ArcBorrow, //
        },
        task::{
            cond_resched,
            MmId, //
        }, //
    },
    poller::Poller,
    ring::abi::{
        CtlRing,
        CtxResp, //
    },
    rnr::SqName,
    sq::{
        self,
        Sq,
        SqArc, //
    },
    ub::driver::{
        self,
        Doorbell,
        Ring,
        Udata,
        UserCtl, //
    },
    window,
    Soft, //
};
use core::mem::size_of;
use kernel::{
    ioctl::_IO,
    new_mutex,
    page::PAGE_SIZE,
    prelude::*,
    sync::Mutex, //
};

/// A context as ubcore knows it.
pub(crate) type Ucontext = driver::Ucontext<Soft>;

/// Commands of the doorbell, as in `ubsoft.h`.
const SQ_KICK: u32 = _IO(UBSOFT_IOC_MAGIC, 1);
const RQ_KICK: u32 = _IO(UBSOFT_IOC_MAGIC, 2);
const CQ_ARM: u32 = _IO(UBSOFT_IOC_MAGIC, 3);
const CQ_ARM_SOLICITED: u32 = _IO(UBSOFT_IOC_MAGIC, 4);

/// What a doorbell rings at: a context, by its identity.
pub(crate) struct Bell {
    dev: Arc<Dev>,
    owner: CtxId,
}

impl Bell {
    /// Rings; see the ioctl numbers in `ubsoft.h`.
    ///
    /// # Errors
    ///
    /// `EINVAL` for a queue that the context does not have and a high half that is not 0, `ENOTTY`
    /// for an unknown command.
    #[inline]
    fn ring(&self, cmd: u32, arg: u64) -> Result {
        // CAST: The two halves.
        let (queue_ref, high) = (arg as u32, (arg >> 32) as u32);
        match cmd {
            SQ_KICK => {
                if high != 0 {
                    return Err(EINVAL);
                }
                match SqName::of_doorbell_ref(queue_ref) {
                    (true, id) => self.kick(self.dev.jettys.get(id).ok_or(EINVAL)?.sq()),
                    (false, id) => self.kick(self.dev.jfss.get(id).ok_or(EINVAL)?.sq()),
                }
            }
            RQ_KICK => {
                if high != 0 {
                    return Err(EINVAL);
                }
                let jfr = self.dev.jfrs.get(queue_ref).ok_or(EINVAL)?;
                if jfr.owner() != self.owner {
                    return Err(EINVAL);
                }
                jfr::kick(&jfr);
                Ok(())
            }
            CQ_ARM => self.arm(queue_ref, high, Arm::Any),
            CQ_ARM_SOLICITED => self.arm(queue_ref, high, Arm::Solicited),
            _ => Err(ENOTTY),
        }
    }

    /// Has a send queue run.
    #[inline(always)]
    fn kick(&self, sq: &SqArc) -> Result {
        if sq.owner != self.owner {
            return Err(EINVAL);
        }
        Sq::kick(sq);
        Ok(())
    }

    /// Asks for an event of a completion queue.
    fn arm(&self, queue_ref: u32, consumed: u32, what: Arm) -> Result {
        let jfc = self.dev.jfcs.get(queue_ref).ok_or(EINVAL)?;
        if jfc.owner() != self.owner {
            return Err(EINVAL);
        }
        jfc::arm(&jfc, consumed, what);
        Ok(())
    }
}

impl Ring for Bell {
    #[inline]
    fn ring(this: ArcBorrow<'_, Self>, cmd: u32, arg: u64) -> Result<isize> {
        Bell::ring(&this, cmd, arg).map(|()| 0)
    }
}

/// Data of a context.
#[pin_data]
pub(crate) struct Context {
    bell: Arc<Bell>,
    /// Address space of the process that made it.
    mm: Option<MmId>,
    /// The file by which the user rings, until the context is disassociated or freed.
    #[pin]
    doorbell: Mutex<Option<Doorbell<Bell>>>,
    /// The thread that polls its send queues.
    #[pin]
    pub(crate) poller: Poller,
    count: Count,
}

impl Context {
    /// Returns the identity.
    #[inline]
    pub(crate) fn id(&self) -> CtxId {
        self.bell.owner
    }

    /// Returns the address space of the process that made it.
    pub(crate) fn mm(&self) -> Option<MmId> {
        self.mm
    }

    /// Returns the device.
    pub(crate) fn dev(&self) -> &Arc<Dev> {
        &self.bell.dev
    }

    /// No ring after this.
    fn revoke_doorbell(&self) {
        // Dropped without the lock: that waits for rings in progress.
        let doorbell = self.doorbell.lock().take();
        drop(doorbell);
    }
}

/// Makes a context for the calling process, which gets a doorbell if it has room for the reply.
///
/// # Errors
///
/// `EFAULT`, `EMFILE`, `ENOMEM`.
pub(crate) fn alloc(dev: &Arc<Dev>, eid_index: u32, udata: Udata<'_>) -> Result<Arc<Ucontext>> {
    let bell = Arc::new(
        Bell {
            dev: dev.clone(),
            owner: dev.host.new_context(),
        },
        // Not charged: there is one for each context, which is.
        GFP_KERNEL,
    )?;
    let (doorbell, doorbell_fd) = if udata.out_len() < size_of::<CtxResp>() {
        (None, -1)
    } else {
        let (doorbell, fd) = Doorbell::create(bell.clone())?;
        (Some(doorbell), fd)
    };
    udata.write(&CtxResp {
        abi_version: UBSOFT_ABI_VERSION,
        features: UBSOFT_FEATURE_WINDOW | UBSOFT_FEATURE_POLL,
        doorbell_fd,
        // CAST: A small number.
        page_size: PAGE_SIZE as u32,
        max_inline: sq::MAX_INLINE,
        max_sge: sq::MAX_SGE,
        sq_burst: engine::BURST,
        reserved: [0; 9],
    })?;
    let uctx = Ucontext::new_ucontext(
        eid_index,
        try_pin_init!(Context {
            bell,
            mm: MmId::current(),
            doorbell <- new_mutex!(doorbell, "Context::doorbell"),
            poller <- Poller::new(),
            count: Count::one(&dev.host.counters, CountKind::Contexts),
        }),
    )?;
    // Nothing can fail any more.
    if let Some(doorbell) = &*uctx.doorbell.lock() {
        doorbell.publish();
    }
    Ok(uctx)
}

/// Gives up a context.
pub(crate) fn free(uctx: &Ucontext) {
    uctx.revoke_doorbell();
    uctx.dev().tps.release(uctx.id());
    uctx.count.release();
}

/// Stops all of a context: nothing runs for it any more, and its rings say that the device is gone.
pub(crate) fn disassociate(uctx: &Ucontext) {
    let (dev, owner) = (uctx.dev(), uctx.id());
    for (_, ring) in dev.rings.newest_first() {
        cond_resched();
        ring.mark_gone(owner);
    }
    for (_, window) in dev.windows.newest_first() {
        cond_resched();
        if window.owner == owner {
            window::close(&window);
        }
    }
    for (_, jfs) in dev.jfss.newest_first() {
        cond_resched();
        if jfs.sq().owner == owner {
            jfs.sq().stop();
        }
    }
    for (_, jetty) in dev.jettys.newest_first() {
        cond_resched();
        if jetty.sq().owner == owner {
            jetty.close();
            jetty.sq().stop();
        }
    }
    for (_, jfc) in dev.jfcs.newest_first() {
        cond_resched();
        if jfc.owner() == owner {
            jfc::hush(&jfc);
        }
    }
    // What a doorbell has begun ends soon: its queue has been stopped.
    uctx.revoke_doorbell();
}

/// Carries out a command of the provider's own: rings without the file.
///
/// # Errors
///
/// `EOPNOTSUPP` for an unknown command, `EINVAL`, `EFAULT`, those of [`Bell::ring`].
pub(crate) fn control(ctl: UserCtl<'_, Soft>) -> Result<c_int> {
    if ctl.opcode != UBSOFT_CTL_RING {
        return Err(EOPNOTSUPP);
    }
    if ctl.data.in_len() < size_of::<CtlRing>() {
        return Err(EINVAL);
    }
    let CtlRing { cmd, reserved, arg } = ctl.data.read()?;
    if reserved != 0 {
        return Err(EINVAL);
    }
    ctl.uctx.bell.ring(cmd, arg).map(|()| 0)
}
