// SPDX-License-Identifier: GPL-2.0

//! The module's state, and its beginning and end.

use crate::{
    config::{
        self,
        Root, //
    },
    counters::Report,
    device::Device,
    host::Host,
    kernel_ext::arc::Arc,
    ledger::Ledger, //
};
use kernel::{
    configfs,
    debugfs::{
        Dir,
        File, //
    },
    prelude::*,
    str::CString, //
};

/// Most devices that the parameter makes.
const MAX_DEVICES: u32 = 256;

/// The shared state; drop waits for what is left to do, and tells what was lost.
struct Shared(Arc<Host>);

impl Drop for Shared {
    fn drop(&mut self) {
        self.0.settle();
        for (name, value) in self.0.counters.iter() {
            if value != 0 {
                pr_warn!("{value} {name} left at unload\n");
            }
        }
    }
}

/// The module. Fields are dropped in order: first what lets devices come, then the devices, then
/// what they use.
#[pin_data]
pub(crate) struct Ubsoft {
    #[pin]
    config: configfs::Subsystem<Root>,
    devices: KVec<Device>,
    #[pin]
    objects: File<Report>,
    #[pin]
    ledger: File<Ledger>,
    _debugfs: Dir,
    shared: Shared,
}

impl Ubsoft {
    /// Makes `count` devices, ubsoft0 and so on.
    fn devices(host: &Arc<Host>, count: u32) -> Result<KVec<Device>> {
        if count > MAX_DEVICES {
            return Err(EINVAL);
        }
        let mut devices = KVec::new();
        for number in 0..count {
            let name = CString::try_from_fmt(fmt!("ubsoft{number}"))?;
            devices.push(Device::new(host, &name)?, GFP_KERNEL)?;
        }
        Ok(devices)
    }
}

impl kernel::InPlaceModule for Ubsoft {
    fn init(_module: &'static ThisModule) -> impl PinInit<Self, Error> {
        pin_init::pin_init_scope(|| {
            let host = Host::new()?;
            // Declared first, so that it is dropped last when something below fails.
            let shared = Shared(host.clone());
            let debugfs = Dir::new(c"ubsoft");
            let count = crate::module_parameters::devices.value();
            let devices = Self::devices(&host, count)?;
            let report = Report(host.counters.clone());
            let ledger = Ledger(host.counters.clone());
            Ok(try_pin_init!(Self {
                config <- config::subsystem(host),
                devices,
                objects <- debugfs.read_only_file(c"objects", report),
                ledger <- debugfs.read_only_file(c"ledger", ledger),
                _debugfs: debugfs,
                shared,
            }))
        })
    }
}
