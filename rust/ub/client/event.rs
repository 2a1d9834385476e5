// SPDX-License-Identifier: GPL-2.0

//! Events that ubcore and drivers report to a client.

use super::device::Device;
use crate::{
    bindings_ub as b,
    kernel_ext::arc::Arc, //
};
use kernel::{
    prelude::*,
    types::Opaque, //
};

/// Type of an asynchronous event: a number of `enum ubcore_event_type`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct EventType(pub(crate) u32);

#[allow(missing_docs)]
impl EventType {
    pub(crate) const JFC_ERR: Self = Self(b::UBCORE_EVENT_JFC_ERR);
    pub(crate) const JFS_ERR: Self = Self(b::UBCORE_EVENT_JFS_ERR);
    pub(crate) const JFR_ERR: Self = Self(b::UBCORE_EVENT_JFR_ERR);
    pub(crate) const JFR_LIMIT: Self = Self(b::UBCORE_EVENT_JFR_LIMIT_REACHED);
    pub(crate) const JETTY_ERR: Self = Self(b::UBCORE_EVENT_JETTY_ERR);
    pub(crate) const JETTY_LIMIT: Self = Self(b::UBCORE_EVENT_JETTY_LIMIT_REACHED);
    pub(crate) const JETTY_GRP_ERR: Self = Self(b::UBCORE_EVENT_JETTY_GRP_ERR);
    pub(crate) const PORT_ACTIVE: Self = Self(b::UBCORE_EVENT_PORT_ACTIVE);
    pub(crate) const PORT_DOWN: Self = Self(b::UBCORE_EVENT_PORT_DOWN);
    pub(crate) const DEV_FATAL: Self = Self(b::UBCORE_EVENT_DEV_FATAL);
    pub(crate) const EID_CHANGE: Self = Self(b::UBCORE_EVENT_EID_CHANGE);
}

/// Who gets the events of a queue: a JFC, JFS, JFR or jetty.
///
/// Called in any context but NMI, perhaps while the create or the destroy of the queue is going on,
/// not after a successful destroy.
pub(crate) trait QueueHandler: Send + Sync + 'static {
    /// A completion event of a JFC.
    fn completion(&self);

    /// An asynchronous event of the queue.
    fn event(&self, event: EventType);
}

/// A counted handler whose type is forgotten.
pub(super) struct HandlerRef {
    /// From `Arc::into_raw`.
    ptr: *const c_void,
    /// Drops what `ptr` came from.
    drop: unsafe fn(*const c_void),
}

impl HandlerRef {
    /// Takes over a handler.
    pub(super) fn new<H: QueueHandler>(handler: Arc<H>) -> Self {
        /// # Safety
        ///
        /// `ptr` must come from `Arc::<H>::into_raw`, and be used for the last time.
        unsafe fn drop_handler<H>(ptr: *const c_void) {
            // SAFETY: By the function's contract.
            drop(unsafe { Arc::<H>::from_raw(ptr.cast()) });
        }
        Self {
            ptr: Arc::into_raw(handler).cast(),
            drop: drop_handler::<H>,
        }
    }

    /// Returns what goes into the context pointer of a queue.
    pub(super) fn as_context(&self) -> *mut c_void {
        self.ptr.cast_mut()
    }
}

impl Drop for HandlerRef {
    fn drop(&mut self) {
        // SAFETY: `ptr` came from `into_raw` of the type that `drop` is for.
        unsafe { (self.drop)(self.ptr) };
    }
}

/// Calls the completion handler of a JFC.
///
/// # Safety
///
/// For ubcore and drivers: `jfc` must be a JFC whose context pointer is null or an `H`, which is
/// kept until the JFC is destroyed.
pub(super) unsafe extern "C" fn completion_callback<H: QueueHandler>(jfc: *mut b::ubcore_jfc) {
    // SAFETY: By the function's contract.
    if let Some(handler) = unsafe { (*jfc).jfc_cfg.jfc_context.cast::<H>().as_ref() } {
        handler.completion();
    }
}

/// Makes the callback for asynchronous events of one kind of queue.
macro_rules! event_callback {
    ($(#[$doc:meta])* $name:ident, $raw:ident, $cfg:ident, $context:ident) => {
        $(#[$doc])*
        ///
        /// # Safety
        ///
        /// For ubcore and drivers: the element of `event` must be a queue of this kind whose context
        /// pointer is null or an `H`, which is kept until the queue is destroyed.
        pub(super) unsafe extern "C" fn $name<H: QueueHandler>(
            event: *mut b::ubcore_event,
            _uctx: *mut b::ubcore_ucontext,
        ) {
            // SAFETY: By the function's contract; the element is a union of pointers and numbers.
            let (queue, event_type) = unsafe {
                let element = &raw const (*event).element;
                (element.cast::<*mut b::$raw>().read(), (*event).event_type)
            };
            // SAFETY: By the function's contract.
            let handler = unsafe {
                match queue.as_ref() {
                    Some(queue) => queue.$cfg.$context.cast::<H>().as_ref(),
                    None => None,
                }
            };
            if let Some(handler) = handler {
                handler.event(EventType(event_type));
            }
        }
    };
}

event_callback!(
    /// Calls the event handler of a JFC.
    jfc_event_callback,
    ubcore_jfc,
    jfc_cfg,
    jfc_context
);
event_callback!(
    /// Calls the event handler of a JFS.
    jfs_event_callback,
    ubcore_jfs,
    jfs_cfg,
    jfs_context
);
event_callback!(
    /// Calls the event handler of a JFR.
    jfr_event_callback,
    ubcore_jfr,
    jfr_cfg,
    jfr_context
);
event_callback!(
    /// Calls the event handler of a jetty.
    jetty_event_callback,
    ubcore_jetty,
    jetty_cfg,
    jetty_context
);

/// Calls the event handler of a jetty group.
///
/// # Safety
///
/// For ubcore and drivers: the element of `event` must be a group whose context is 0 or the address
/// of an `H`, which is kept until the group is destroyed.
pub(super) unsafe extern "C" fn group_event_callback<H: QueueHandler>(
    event: *mut b::ubcore_event,
    _uctx: *mut b::ubcore_ucontext,
) {
    // SAFETY: By the function's contract; the element is a union of pointers and numbers.
    let (group, event_type) = unsafe {
        let element = &raw const (*event).element;
        (
            element.cast::<*mut b::ubcore_jetty_group>().read(),
            (*event).event_type,
        )
    };
    // SAFETY: By the function's contract.
    let handler = unsafe {
        match group.as_ref() {
            // CAST: A pointer, which ubcore stores as a number.
            Some(group) => (group.jetty_grp_cfg.user_ctx as usize as *const H).as_ref(),
            None => None,
        }
    };
    if let Some(handler) = handler {
        handler.event(EventType(event_type));
    }
}

/// An event of a device.
#[derive(Clone, Copy)]
pub(crate) struct DeviceEvent {
    /// What happened; other types than those of ports, EIDs and the device occur and are to be
    /// ignored.
    pub(crate) event: EventType,
    /// Port number or EID index.
    pub(crate) number: u32,
}

/// Who gets the events of a device.
pub(crate) trait DeviceEventHandler: Send + Sync + 'static {
    /// Called in process context, one event after the other; must not register or unregister
    /// handlers.
    fn event(&self, event: DeviceEvent);
}

/// A registered handler for the events of a device; unregistered by its drop.
///
/// To be dropped before the `remove` of the device returns.
#[repr(C)]
#[pin_data(PinnedDrop)]
pub(crate) struct DeviceEvents<H: DeviceEventHandler> {
    /// What ubcore knows; the first field.
    #[pin]
    raw: Opaque<b::ubcore_event_handler>,
    /// The device.
    dev: Arc<Device>,
    /// Who gets them.
    handler: Arc<H>,
}

// SAFETY: ubcore has a lock of its own for the handler, and `H` is `Send`.
unsafe impl<H: DeviceEventHandler> Send for DeviceEvents<H> {}
// SAFETY: Nothing is accessible through `&Self`.
unsafe impl<H: DeviceEventHandler> Sync for DeviceEvents<H> {}

impl<H: DeviceEventHandler> DeviceEvents<H> {
    /// Registers a handler.
    ///
    /// # Errors
    ///
    /// `EIO` when the device is gone, or the error of ubcore.
    pub(crate) fn new(dev: &Arc<Device>, handler: Arc<H>) -> Result<Pin<KBox<Self>>> {
        KBox::try_pin_init(
            try_pin_init!(&this in Self {
                dev: dev.clone(),
                handler,
                raw <- Opaque::ffi_init(|slot: *mut b::ubcore_event_handler| {
                    let raw = b::ubcore_event_handler {
                        event_callback: Some(Self::callback),
                        ..Default::default()
                    };
                    // SAFETY: Memory for a `ubcore_event_handler`.
                    unsafe { slot.write(raw) };
                }),
                _: {
                    let live = dev.enter()?;
                    // SAFETY: Initialised above and pinned; unregistered in drop.
                    let raw = unsafe { Opaque::cast_into(&raw const (*this.as_ptr()).raw) };
                    // SAFETY: A registered device and a valid handler.
                    kernel::error::to_result(unsafe {
                        b::ubcore_register_event_handler(live.as_ptr(), raw)
                    })?;
                },
            }? Error),
            GFP_KERNEL,
        )
    }

    /// # Safety
    ///
    /// Called by ubcore with a valid event and a registered handler.
    unsafe extern "C" fn callback(
        event: *mut b::ubcore_event,
        handler: *mut b::ubcore_event_handler,
    ) {
        // SAFETY: The handler is the first field of `Self`, which lives until it is unregistered.
        let this = unsafe { &*handler.cast::<Self>() };
        // SAFETY: A valid event; a number is at the start of the union, as is everything else.
        let (number, event_type) = unsafe {
            let element = &raw const (*event).element;
            (element.cast::<u32>().read(), (*event).event_type)
        };
        this.handler.event(DeviceEvent {
            event: EventType(event_type),
            number,
        });
    }
}

#[pinned_drop]
impl<H: DeviceEventHandler> PinnedDrop for DeviceEvents<H> {
    fn drop(self: Pin<&mut Self>) {
        match self.dev.enter() {
            // SAFETY: Registered in `new`; no callback runs on return.
            Ok(live) => unsafe {
                b::ubcore_unregister_event_handler(live.as_ptr(), self.raw.get());
            },
            Err(_) => pr_warn!(
                "{}: an event handler outlived the device\n",
                self.dev.name()
            ),
        }
    }
}
