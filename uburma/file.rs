// SPDX-License-Identifier: GPL-2.0

//! Open device files.

use crate::{
    context::Context,
    device::UbDevice,
    event::jfce::Channels,
    kernel_ext::{
        arc::Arc,
        handle_table::HandleTable,
        use_wait::{
            UseCount,
            UseGuard, //
        }, //
    },
    stats::{
        Item,
        Stats,
        Tally, //
    },
    teardown::{
        self,
        End, //
    },
    uobject::Uobject, //
};
use kernel::{
    new_mutex,
    prelude::*,
    sync::{
        atomic::{
            Acquire,
            Atomic,
            Release, //
        },
        Completion,
        Mutex,
        SetOnce, //
    },
    workqueue::{
        impl_has_work,
        new_work,
        Work,
        WorkItem, //
    }, //
};

/// An open device file.
///
/// # Locking
///
/// `gate` counts commands in progress, which may sleep and access user memory; the end of the file
/// waits for them. Entering never blocks, so it may be done under the mmap lock.
///
/// `ended` is held during the end. User memory is not accessed under it. Commands that come later
/// wait for `gone`: between the end's beginning and its taking of `ended` they would find the objects
/// still there.
#[pin_data]
pub(crate) struct UbFile {
    /// The device.
    device: Arc<UbDevice>,
    /// The number of this file there, once it has one.
    number: SetOnce<u32>,
    /// Commands in progress; revoked when context and objects go.
    #[pin]
    gate: UseCount,
    /// The context, once there is one.
    context: SetOnce<Context>,
    /// Whether a context exists or is being made.
    claimed: Atomic<bool>,
    /// Objects by handle.
    #[pin]
    objects: HandleTable<Uobject>,
    /// Completion event channels, once there were any. Innermost lock but for the allocation.
    #[pin]
    channels: Mutex<Option<Arc<Channels>>>,
    /// Whether context and objects are gone.
    #[pin]
    ended: Mutex<bool>,
    /// Completed then.
    #[pin]
    gone: Completion,
    /// Ends the file when its address space dies.
    #[pin]
    work: Work<UbFile>,
    /// Counted while it exists.
    _tally: Tally,
}

impl_has_work! {
    impl HasWork<UbFile> for UbFile { self.work }
}

impl WorkItem for UbFile {
    type Pointer = Arc<Self>;

    fn run(this: Arc<Self>) {
        teardown::end(&this, End::MmDied);
    }
}

impl UbFile {
    /// Opens a device.
    ///
    /// # Errors
    ///
    /// `ENXIO` when the device is going away, `ENOMEM`.
    pub(crate) fn open(device: &Arc<UbDevice>) -> Result<Arc<Self>> {
        let this = Arc::pin_init(
            pin_init!(Self {
                device: device.clone(),
                number: SetOnce::new(),
                gate <- UseCount::new(),
                context: SetOnce::new(),
                claimed: Atomic::new(false),
                objects <- new_handle_table!(),
                channels <- new_mutex!(None, "uburma::UbFile::channels"),
                ended <- new_mutex!(false, "uburma::UbFile::ended"),
                gone <- Completion::new(),
                work <- new_work!("uburma::UbFile::work"),
                _tally: Stats::count(device.stats(), Item::File),
            }),
            GFP_KERNEL,
        )?;
        let slot = device.add_file(&this)?;
        this.number.populate(slot);
        Ok(this)
    }

    /// Enters a command; `None` when context and objects are gone, or about to go.
    pub(crate) fn enter(&self) -> Option<UseGuard<'_>> {
        self.gate.try_enter()
    }

    /// The address space of the context has no user any more: keeps commands out from now on, and
    /// ends the file soon. Does not sleep.
    pub(crate) fn mm_died(this: Arc<Self>) {
        this.gate.revoke_nowait();
        let device = this.device.clone();
        // Refused when it is queued already.
        let _ = device.queue().enqueue(this);
    }

    /// Keeps commands out, waits for those in progress, and returns the lock of the end.
    pub(crate) fn drain(&self) -> &Mutex<bool> {
        self.gate.revoke();
        &self.ended
    }

    /// Says that context and objects are gone.
    pub(crate) fn set_gone(&self) {
        self.gone.complete_all();
    }

    /// Waits until context and objects are gone; to be called when commands are kept out.
    pub(crate) fn wait_gone(&self) {
        self.gone.wait_for_completion();
    }

    /// Takes the right to make the context.
    ///
    /// # Errors
    ///
    /// `EEXIST` if there is one, or one is being made.
    pub(crate) fn claim_context(&self) -> Result<ContextClaim<'_>> {
        match self.claimed.cmpxchg(false, true, Acquire) {
            Ok(_) => Ok(ContextClaim(self)),
            Err(_) => Err(EEXIST),
        }
    }

    /// Returns the context.
    pub(crate) fn context(&self) -> Option<&Context> {
        self.context.as_ref()
    }

    /// Returns the objects.
    pub(crate) fn objects(&self) -> &HandleTable<Uobject> {
        &self.objects
    }

    /// Returns the completion event channels, if there were any.
    pub(crate) fn channels(&self) -> Option<Arc<Channels>> {
        self.channels.lock().clone()
    }

    /// Returns where completion event channels are to be put.
    ///
    /// # Errors
    ///
    /// `ENOMEM`
    pub(crate) fn make_channels(&self) -> Result<Arc<Channels>> {
        let mut channels = self.channels.lock();
        if let Some(channels) = &*channels {
            return Ok(channels.clone());
        }
        Ok(channels.insert(Channels::new()?).clone())
    }

    /// Returns the device.
    pub(crate) fn device(&self) -> &Arc<UbDevice> {
        &self.device
    }

    /// Returns the number at the device.
    pub(crate) fn number(&self) -> Option<u32> {
        self.number.copy()
    }

    /// Returns the counters of the module.
    pub(crate) fn stats(&self) -> &Arc<Stats> {
        self.device.stats()
    }
}

/// The right to make the context of a file; given back by the drop.
pub(crate) struct ContextClaim<'a>(&'a UbFile);

impl ContextClaim<'_> {
    /// Sets the context.
    pub(crate) fn complete(self, context: Context) {
        self.0.context.populate(context);
    }
}

impl Drop for ContextClaim<'_> {
    fn drop(&mut self) {
        if self.0.context.as_ref().is_none() {
            self.0.claimed.store(false, Release);
        }
    }
}
