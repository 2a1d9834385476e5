// SPDX-License-Identifier: GPL-2.0

//! Devices, and the coming and going of their nodes.

use crate::{
    file::UbFile,
    kernel_ext::{
        arc::Arc,
        class::{
            Class,
            ClassTable, //
        },
        class_device::{
            ClassDevice,
            Registration, //
        },
        handle_table::HandleTable,
        publish::PublishOptions,
        task,
        workqueue::WorkQueue, //
    },
    stats::Stats,
    teardown::{
        self,
        End, //
    },
    ub::client::{
        Client,
        ClientSlot,
        Device,
        DeviceEvent,
        DeviceEventHandler,
        DeviceEvents,
        SlotRef, //
    }, //
};
use kernel::{
    new_mutex,
    prelude::*,
    str::CStr,
    sync::{
        atomic::{
            Acquire,
            Atomic,
            Release, //
        },
        Mutex, //
    }, //
};

/// Largest number of devices.
const MAX_DEVICES: u32 = 1024;

/// Nodes are `/dev/uburma/<name>`, for everybody.
static CLASS: ClassTable = ClassTable::new(c"uburma").devnode(c"uburma", 0o666);

/// What makes the device known.
struct Published {
    /// The node.
    _node: Registration<Arc<UbDevice>>,
    /// Events of the device.
    _events: Pin<KBox<DeviceEvents<UbDevice>>>,
}

/// A device of ubcore that user space can open.
#[pin_data]
pub(crate) struct UbDevice {
    /// The device.
    dev: Arc<Device>,
    /// Open files, by numbers that nobody else sees.
    #[pin]
    files: HandleTable<UbFile>,
    /// The device is going away.
    removed: Atomic<bool>,
    /// What makes it known; refers to this device, and is taken away at removal. Held while the
    /// device comes or goes.
    #[pin]
    published: Mutex<Option<Published>>,
    /// Counters of the module.
    stats: Arc<Stats>,
    /// For work that cannot be done where it arises.
    queue: Arc<WorkQueue>,
}

impl UbDevice {
    /// Returns the device of ubcore.
    pub(crate) fn core(&self) -> &Arc<Device> {
        &self.dev
    }

    /// Returns the name.
    pub(crate) fn name(&self) -> &CStr {
        self.dev.name()
    }

    /// Returns the counters of the module.
    pub(crate) fn stats(&self) -> &Arc<Stats> {
        &self.stats
    }

    /// Returns where to put work that cannot be done where it arises.
    pub(crate) fn queue(&self) -> &WorkQueue {
        &self.queue
    }

    /// Counts the completion event channels of all open files; returns their number, and that of the
    /// files with more than `threshold` of them.
    pub(crate) fn count_jfces(&self, threshold: u32) -> (u64, u64) {
        let (mut total, mut above) = (0u64, 0u64);
        for (_, file) in self.files.newest_first() {
            let count = file.channels().map_or(0, |channels| channels.count());
            total = total.saturating_add(count.into());
            above = above.saturating_add(u64::from(count > threshold));
            task::cond_resched();
        }
        (total, above)
    }

    /// Remembers an open file, and returns its number.
    ///
    /// # Errors
    ///
    /// `ENXIO` when the device is going away, `ENOMEM`.
    pub(crate) fn add_file(&self, file: &Arc<UbFile>) -> Result<u32> {
        let slot = self.files.reserve().map_err(|_| ENOMEM)?;
        let number = slot.id();
        slot.publish(file.clone());
        // Removal marks the device first and then looks for files, under the lock of the table: so
        // either it finds this one, or the mark is seen here.
        if self.removed.load(Acquire) {
            drop(self.files.remove(number));
            return Err(ENXIO);
        }
        Ok(number)
    }

    /// Forgets an open file.
    pub(crate) fn remove_file(&self, file: &UbFile) {
        if let Some(slot) = file.number() {
            drop(self.files.remove(slot));
        }
    }

    /// Makes the device known.
    fn publish(this: &Arc<Self>, class: &Arc<Class>) -> Result {
        let events = DeviceEvents::new(&this.dev, this.clone())?;
        let options = PublishOptions::new(class, this.name()).chrdev::<UbFile>();
        let node = ClassDevice::publish(ClassDevice::new(class, Ok(this.clone()))?, options)?;
        *this.published.lock() = Some(Published {
            _node: node,
            _events: events,
        });
        Ok(())
    }

    /// Takes the device away from user space; open files stay, but end.
    fn remove(&self) {
        self.removed.store(true, Release);
        let published = self.published.lock().take();
        drop(published);
        for (_, file) in self.files.newest_first() {
            teardown::end(&file, End::DeviceGone);
        }
    }
}

impl DeviceEventHandler for UbDevice {
    fn event(&self, event: DeviceEvent) {
        for (_, file) in self.files.newest_first() {
            if let Some(context) = file.context() {
                context.jfae.report(event.event, event.number);
            }
        }
    }
}

/// The client of ubcore that makes the nodes.
pub(crate) struct UrmaClient {
    /// Class of the nodes.
    class: Arc<Class>,
    /// Counters of the module.
    stats: Arc<Stats>,
    /// For work that cannot be done where it arises.
    queue: Arc<WorkQueue>,
}

/// Where the callbacks of ubcore find the client; empty when the module is not loaded.
static CLIENT: ClientSlot<UrmaClient> = ClientSlot::new();

impl UrmaClient {
    /// Makes the client, with its class.
    pub(crate) fn new(stats: &Arc<Stats>) -> Result<Self> {
        Ok(Self {
            class: Class::register(&CLASS, MAX_DEVICES)?,
            stats: stats.clone(),
            queue: Arc::new(WorkQueue::unbound(c"uburma", 0)?, GFP_KERNEL)?,
        })
    }
}

impl Client for UrmaClient {
    const NAME: &'static CStr = c"urma";
    const SLOT: SlotRef<Self> = SlotRef::new(&CLIENT);
    type Bound = Arc<UbDevice>;

    fn add(&self, dev: &Arc<Device>) -> Result<Arc<UbDevice>> {
        let device = Arc::pin_init(
            pin_init!(UbDevice {
                dev: dev.clone(),
                files <- new_handle_table!(),
                removed: Atomic::new(false),
                published <- new_mutex!(None, "uburma::UbDevice::published"),
                stats: self.stats.clone(),
                queue: self.queue.clone(),
            }),
            GFP_KERNEL,
        )?;
        match UbDevice::publish(&device, &self.class) {
            Ok(()) => Ok(device),
            Err(e) => {
                device.remove();
                Err(e)
            }
        }
    }

    fn remove(&self, _dev: &Arc<Device>, device: Arc<UbDevice>) {
        device.remove();
    }
}
