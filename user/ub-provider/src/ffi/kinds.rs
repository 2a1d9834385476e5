// SPDX-License-Identifier: GPL-2.0

//! The kinds of objects.

use std::os::fd::OwnedFd;
use std::sync::atomic::AtomicU32;
use std::sync::{Arc, Mutex};

use ub_client::sys::Mapping;
use ub_urma::*;

use crate::ffi::object::{Kind, Object, Pool};
use crate::queue::{Bell, CompQueue, RecvQueue, SendQueue};

/// Of a context.
#[derive(Default)]
pub(crate) struct ContextPrivate {
    /// UBSOFT_FEATURE_*.
    pub(crate) features: AtomicU32,
    /// Bytes of a page.
    pub(crate) page_size: AtomicU32,
    /// The doorbell.
    pub(crate) bell: Mutex<Option<Arc<Bell>>>,
    /// Objects that there are.
    pub(crate) objects: AtomicU32,
}

/// Of a segment.
#[derive(Default)]
pub(crate) struct SegmentPrivate {
    /// Its token id.
    pub(crate) token_id: AtomicU32,
    /// Its token.
    pub(crate) token: AtomicU32,
    /// Where memory of a peer is mapped.
    pub(crate) window: Mutex<Option<Mapping>>,
}

/// Of an imported jetty or receive queue.
#[derive(Default)]
pub(crate) struct TargetPrivate {
    /// What names it in work requests.
    pub(crate) target_ref: AtomicU32,
    /// Whether it is a group, in which a hint chooses.
    pub(crate) is_group: AtomicU32,
    /// Jettys that were bound to it; some may be bound no more.
    pub(crate) bound: Mutex<Vec<&'static Object<JettyKind>>>,
}

macro_rules! kinds {
    ($(
        $(#[$doc:meta])*
        $name:ident: $public:ty, $private:ty, $magic:literal;
    )*) => {
        $(
        $(#[$doc])*
        pub(crate) struct $name;

        impl Kind for $name {
            type Public = $public;
            type Private = $private;
            const MAGIC: u32 = $magic;

            fn pool() -> &'static Pool<Self> {
                static POOL: Pool<$name> = Pool::new();
                &POOL
            }
        }
    )*

        /// Gives the memory of all unused objects back.
        ///
        /// # Safety
        ///
        /// Nobody uses a pointer to an object that is gone any more.
        pub(crate) unsafe fn drain() {
            // SAFETY: as the caller promises.
            unsafe { $($name::pool().drain();)* }
        }
    };
}

kinds! {
    /// Contexts.
    ContextKind: urma_context, ContextPrivate, 0x55_0001;
    /// Event channels; the file.
    JfceKind: urma_jfce, Mutex<Option<OwnedFd>>, 0x55_0002;
    /// Completion queues; those made in stages have no ring before they are at work.
    JfcKind: urma_jfc, Mutex<Option<CompQueue>>, 0x55_0003;
    /// Send queues.
    JfsKind: urma_jfs, Mutex<Option<SendQueue>>, 0x55_0004;
    /// Receive queues.
    JfrKind: urma_jfr, Mutex<Option<RecvQueue>>, 0x55_0005;
    /// Jettys.
    JettyKind: urma_jetty, Mutex<Option<SendQueue>>, 0x55_0006;
    /// Groups of jettys.
    GroupKind: urma_jetty_grp, (), 0x55_0007;
    /// Token ids.
    TokenKind: urma_token_id, (), 0x55_0008;
    /// Segments, registered and imported.
    SegmentKind: urma_target_seg, SegmentPrivate, 0x55_0009;
    /// Imported jettys and receive queues.
    TargetKind: urma_target_jetty, TargetPrivate, 0x55_000a;
    /// Notification files.
    NotifierKind: urma_notifier, Mutex<Option<OwnedFd>>, 0x55_000b;
}
