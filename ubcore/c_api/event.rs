// SPDX-License-Identifier: GPL-2.0

//! Events and their handlers.

use super::device_ptr::device;
use crate::{
    bindings_ub::{
        ubcore_device,
        ubcore_event,
        ubcore_event_handler,
        ubcore_mgmt_event,
        UBCORE_EVENT_EID_CHANGE,
        UBCORE_MGMT_EVENT_EID_ADD,
        UBCORE_MGMT_EVENT_EID_RMV, //
    },
    device::Device,
    logic::eid::Eid,
    ub::common::eid_bytes, //
};
use core::{
    cell::UnsafeCell,
    ptr::NonNull, //
};
use kernel::prelude::*;

/// An event of a device.
pub(crate) struct Event(UnsafeCell<ubcore_event>);

// SAFETY: Only a copy of it is given away.
unsafe impl Send for Event {}
// SAFETY: As above.
unsafe impl Sync for Event {}

impl Event {
    /// An entry of the EID table has changed.
    pub(crate) fn eid_change(dev: &Device, index: u32) -> Self {
        let mut event = ubcore_event {
            ub_dev: dev.c().as_ptr(),
            event_type: UBCORE_EVENT_EID_CHANGE,
            ..Default::default()
        };
        event.element.bindgen_union_field = index.into();
        Self(UnsafeCell::new(event))
    }

    /// Copies the event.
    fn copy(&self) -> ubcore_event {
        // SAFETY: Nobody writes to it.
        unsafe { self.0.get().read() }
    }
}

/// A handler of a client.
///
/// # Invariants
///
/// The handler is valid as long as it is in the list of a device.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct HandlerPtr(NonNull<ubcore_event_handler>);

// SAFETY: Clients let handlers be called on any thread.
unsafe impl Send for HandlerPtr {}
// SAFETY: As above.
unsafe impl Sync for HandlerPtr {}

impl HandlerPtr {
    /// Calls the handler.
    pub(crate) fn call(&self, event: &Event) {
        let mut event = event.copy();
        // SAFETY: By the type invariant; the list is locked.
        unsafe {
            if let Some(callback) = (*self.0.as_ptr()).event_callback {
                callback(&mut event, self.0.as_ptr());
            }
        }
    }
}

c_api! {
    /// Reports an event of a device.
    unsafe fn ubcore_dispatch_async_event(event: *mut ubcore_event) {
        let report = || {
            if event.is_null() {
                return Err(EINVAL);
            }
            // SAFETY: A valid event; the copy has no destructor.
            let event = unsafe { event.read() };
            // SAFETY: A device of the calling driver.
            let dev = unsafe { device(event.ub_dev) }?;
            dev.dispatch(Event(UnsafeCell::new(event)))
        };
        match report() {
            // Removal has begun: whoever wants to know has been told.
            Ok(()) | Err(EIO) => {}
            Err(error) => pr_warn_ratelimited!("lost an event: {error:?}\n"),
        }
    }

    /// Reports a change of the EID table.
    unsafe fn ubcore_dispatch_mgmt_event(event: *mut ubcore_mgmt_event) -> c_int {
        super::errno((|| {
            // SAFETY: Null or valid.
            let event = unsafe { event.as_ref() }.ok_or(EINVAL)?;
            // SAFETY: A device of the calling driver.
            let dev = unsafe { device(event.ub_dev) }?;
            // SAFETY: The only member of the union; null or valid.
            let info = unsafe { event.element.eid_info.as_ref() }.ok_or(EINVAL)?;
            let eid = Eid::from_bytes(eid_bytes(&info.eid));
            match event.event_type {
                UBCORE_MGMT_EVENT_EID_ADD => dev.add_eid(info.eid_index, eid),
                UBCORE_MGMT_EVENT_EID_RMV => dev.remove_eid(info.eid_index),
                _ => Err(EINVAL),
            }
        })())
    }

    /// Adds a handler.
    unsafe fn ubcore_register_event_handler(
        dev: *mut ubcore_device,
        handler: *mut ubcore_event_handler,
    ) -> c_int {
        super::errno((|| {
            // SAFETY: Null or valid.
            let dev = unsafe { device(dev) }?;
            let handler = NonNull::new(handler).ok_or(EINVAL)?;
            // SAFETY: Valid until it is unregistered.
            if unsafe { (*handler.as_ptr()).event_callback }.is_none() {
                return Err(EINVAL);
            }
            dev.add_handler(HandlerPtr(handler))
        })())
    }

    /// Removes a handler.
    unsafe fn ubcore_unregister_event_handler(
        dev: *mut ubcore_device,
        handler: *mut ubcore_event_handler,
    ) {
        // SAFETY: Null or valid.
        if let (Ok(dev), Some(handler)) = (unsafe { device(dev) }, NonNull::new(handler)) {
            dev.remove_handler(HandlerPtr(handler));
        }
    }
}
