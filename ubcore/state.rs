// SPDX-License-Identifier: GPL-2.0

//! The state of the module.

use crate::{
    c_api::{
        clear_core,
        set_core, //
    },
    counters::Counters,
    kernel_ext::{
        arc::Arc,
        class::{
            Class,
            ClassTable, //
        }, //
    },
    pending::Requests,
    registry::Registry,
    tp::Links, //
};
use kernel::{
    debugfs,
    prelude::*,
    sync::atomic::{
        Atomic,
        Relaxed, //
    }, //
};

/// The class of all UB devices.
static CLASS: ClassTable = ClassTable::new(c"ubcore").net_namespaces();

/// The state of the module.
#[pin_data(PinnedDrop)]
pub(crate) struct Core {
    #[pin]
    registry: Registry,
    #[pin]
    links: Links,
    requests: Requests,
    /// The number of the next device.
    serial: Atomic<u64>,
    counters: Arc<Counters>,
    /// `/sys/kernel/debug/ubcore/objects`
    #[pin]
    objects: debugfs::File<Arc<Counters>>,
    /// Dropped last: waits for devices that are released late.
    class: Arc<Class>,
}

impl Core {
    /// Sets the module up.
    fn new() -> impl PinInit<Self, Error> {
        let dir = debugfs::Dir::new(c"ubcore");
        pin_init::pin_init_scope(move || {
            let counters = Arc::new(Counters::new(), GFP_KERNEL)?;
            let shown = counters.clone();
            Ok(try_pin_init!(Self {
                registry <- Registry::new(),
                links <- Links::new(),
                requests: Requests::new()?,
                serial: Atomic::new(1),
                counters,
                objects <- dir.read_callback_file(c"objects", shown, &|counters, out| {
                    counters.show(out)
                }),
                class: Class::register(&CLASS, 0)?,
            }))
        })
    }

    /// Returns devices and clients.
    pub(crate) fn registry(&self) -> &Registry {
        &self.registry
    }

    /// Returns the shared transport paths.
    pub(crate) fn links(&self) -> &Links {
        &self.links
    }

    /// Returns what carries requests out.
    pub(crate) fn requests(&self) -> &Requests {
        &self.requests
    }

    /// Returns the counters.
    #[inline]
    pub(crate) fn counters(&self) -> &Counters {
        &self.counters
    }

    /// Returns the class of all devices.
    pub(crate) fn class(&self) -> &Arc<Class> {
        &self.class
    }

    /// Returns a number that no device had before.
    pub(crate) fn next_serial(&self) -> u64 {
        self.serial.fetch_add(1, Relaxed)
    }
}

impl kernel::InPlaceModule for Core {
    fn init(_module: &'static ThisModule) -> impl PinInit<Self, Error> {
        Self::new().pin_chain(|this| {
            set_core(this);
            Ok(())
        })
    }
}

#[expect(unsafe_code)]
#[pinned_drop]
impl PinnedDrop for Core {
    fn drop(self: Pin<&mut Self>) {
        clear_core();
        self.counters.report_leaks();
    }
}
