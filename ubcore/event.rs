// SPDX-License-Identifier: GPL-2.0

//! Asynchronous events of devices.
//!
//! A driver reports them in any context. They are delivered in order, one at a time, by a workqueue
//! of the device. Events of objects do not come this way: drivers call the object's handler.

use crate::{
    c_api::{
        core_state,
        Event,
        HandlerPtr, //
    },
    counters::Class,
    device::Device,
    kernel_ext::workqueue::WorkQueue, //
};
use kernel::{
    impl_has_work,
    new_work,
    prelude::*,
    str::CString,
    sync::{
        aref::ARef,
        atomic::{
            Atomic,
            Relaxed, //
        }, //
    },
    workqueue::{
        Work,
        WorkItem, //
    }, //
};

/// Most events of one device that wait for delivery; more are lost.
const MAX_PENDING: i32 = 1024;

/// The events of a device that wait for delivery.
pub(crate) struct EventQueue {
    /// How many.
    pending: Atomic<i32>,
    /// Delivers them; one at a time.
    queue: WorkQueue,
}

impl EventQueue {
    /// Makes the queue of the device of that name.
    pub(crate) fn new(name: &CStr) -> Result<Self> {
        let name = CString::try_from_fmt(kernel::prelude::fmt!("ubcore-{name}"))?;
        Ok(Self {
            pending: Atomic::new(0),
            queue: WorkQueue::ordered(&name)?,
        })
    }

    /// Waits for the delivery of all events that were reported before.
    pub(crate) fn flush(&self) {
        self.queue.flush();
    }
}

/// An event that waits for delivery.
#[pin_data]
struct Delivery {
    #[pin]
    work: Work<Delivery>,
    dev: ARef<Device>,
    event: Event,
}

impl_has_work! {
    impl HasWork<Self> for Delivery { self.work }
}

impl WorkItem for Delivery {
    type Pointer = Pin<KBox<Self>>;

    fn run(this: Pin<KBox<Self>>) {
        for handler in this.dev.handlers().read().iter() {
            handler.call(&this.event);
        }
        this.dev.events().pending.add(-1, Relaxed);
        if let Ok(core) = core_state() {
            core.counters().down(Class::Event);
        }
    }
}

impl Device {
    /// Reports an event; in any context but NMI.
    ///
    /// # Errors
    ///
    /// `EIO` once removal has begun, `ENOSPC` if too many events wait, `ENOMEM`.
    pub(crate) fn dispatch(&self, event: Event) -> Result {
        self.check_creating()?;
        let events = self.events();
        if events.pending.fetch_add(1, Relaxed) >= MAX_PENDING {
            events.pending.add(-1, Relaxed);
            return Err(ENOSPC);
        }
        let delivery = KBox::pin_init(
            pin_init!(Delivery {
                work <- new_work!("ubcore event"),
                dev: self.into(),
                event,
            }),
            GFP_ATOMIC,
        )
        .inspect_err(|_| events.pending.add(-1, Relaxed))?;
        core_state()?.counters().up(Class::Event);
        events.queue.enqueue(delivery);
        Ok(())
    }

    /// Adds a handler, the last to be called.
    pub(crate) fn add_handler(&self, handler: HandlerPtr) -> Result {
        let mut handlers = self.handlers().write();
        if handlers.contains(&handler) {
            return Err(EEXIST);
        }
        handlers.push(handler, GFP_KERNEL)?;
        Ok(())
    }

    /// Removes a handler; it is not running when this returns.
    pub(crate) fn remove_handler(&self, handler: HandlerPtr) {
        self.handlers().write().retain(|known| *known != handler);
    }
}
