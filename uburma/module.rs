// SPDX-License-Identifier: GPL-2.0

//! The module's state.

use crate::{
    device::UrmaClient,
    kernel_ext::arc::Arc,
    stats::Stats,
    ub::client::Registration, //
};
use kernel::{
    debugfs,
    fmt,
    prelude::*, //
};

/// What is loaded.
#[pin_data]
pub(crate) struct Uburma {
    /// The client of ubcore; dropped first.
    #[pin]
    client: Registration<UrmaClient>,
    /// The file with the counters.
    #[pin]
    objects: debugfs::File<Arc<Stats>>,
    /// Checks the counters; dropped last.
    check: CheckAtUnload,
}

/// Complains about what is left when it is dropped.
struct CheckAtUnload(Arc<Stats>);

impl Drop for CheckAtUnload {
    fn drop(&mut self) {
        self.0.check_empty();
    }
}

/// Shows the counters.
fn show(stats: &Arc<Stats>, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    stats.show(f)
}

impl kernel::InPlaceModule for Uburma {
    fn init(_module: &'static ThisModule) -> impl PinInit<Self, Error> {
        pin_init::pin_init_scope(|| {
            let stats = Stats::new()?;
            let client = UrmaClient::new(&stats)?;
            let dir = debugfs::Dir::new(c"uburma");
            Ok(try_pin_init!(Self {
                check: CheckAtUnload(stats.clone()),
                objects <- dir.read_callback_file(c"objects", stats, &show),
                client <- Registration::new(client),
            }? Error))
        })
    }
}
