// SPDX-License-Identifier: GPL-2.0

//! Registration of a client.

use super::device::Device;
use crate::{
    bindings_ub as b,
    kernel_ext::arc::Arc, //
};
use core::ptr::NonNull;
use kernel::{
    error::from_result,
    prelude::*,
    str::CStr,
    sync::atomic::{
        Acquire,
        Atomic,
        Release, //
    },
    types::Opaque, //
};

/// A client of ubcore.
pub(crate) trait Client: Sized + Send + Sync + 'static {
    /// Name of the client, 1 to 63 bytes.
    const NAME: &'static CStr;
    /// Where the callbacks find the client: a `static` of the implementer's own. A constant, so that
    /// it is always the same one.
    const SLOT: SlotRef<Self>;
    /// What the client keeps of a device.
    type Bound: Send + Sync + 'static;

    /// A device appeared. May sleep; must not register devices or clients.
    ///
    /// # Errors
    ///
    /// Any error means that the client does not want the device.
    fn add(&self, dev: &Arc<Device>) -> Result<Self::Bound>;

    /// The device goes away, or the client does. May sleep.
    ///
    /// All objects must be destroyed on return. Calls on the device work until then.
    fn remove(&self, dev: &Arc<Device>, bound: Self::Bound);
}

/// The registered client of a type, for callbacks that get no pointer to it.
///
/// # Invariants
///
/// Null, or a registration that is pinned and being registered, registered, or unregistered.
pub(crate) struct ClientSlot<T: Client>(Atomic<*mut Registration<T>>);

impl<T: Client> ClientSlot<T> {
    /// Makes an empty slot.
    pub(crate) const fn new() -> Self {
        Self(Atomic::new(core::ptr::null_mut()))
    }
}

/// Refers to a slot, in a constant, which not every compiler lets hold a reference to what changes.
///
/// # Invariants
///
/// From a `'static` reference.
pub(crate) struct SlotRef<T: Client>(*const ClientSlot<T>);

impl<T: Client> SlotRef<T> {
    /// Refers to a slot.
    pub(crate) const fn new(slot: &'static ClientSlot<T>) -> Self {
        // INVARIANT: From one.
        Self(slot)
    }

    /// Returns the slot.
    fn get(self) -> &'static ClientSlot<T> {
        // SAFETY: By the type invariant.
        unsafe { &*self.0 }
    }
}

/// What ubcore keeps for the client and a device.
struct Bound<T: Client> {
    /// The device.
    dev: Arc<Device>,
    /// The client's own data.
    data: T::Bound,
}

/// A registered client; unregistered by its drop, which removes all devices.
#[pin_data(PinnedDrop)]
pub(crate) struct Registration<T: Client> {
    /// What ubcore knows.
    #[pin]
    raw: Opaque<b::ubcore_client>,
    /// The client.
    client: T,
}

// SAFETY: ubcore synchronises its callbacks, and `T` is `Send`.
unsafe impl<T: Client> Send for Registration<T> {}
// SAFETY: Only `&T` is accessible.
unsafe impl<T: Client> Sync for Registration<T> {}

impl<T: Client> Registration<T> {
    /// Registers a client; `add` is called for the devices that exist.
    ///
    /// # Errors
    ///
    /// `EBUSY` when a client of this type is registered, `EINVAL` when ubcore refuses.
    pub(crate) fn new(client: T) -> impl PinInit<Self, Error> {
        try_pin_init!(&this in Self {
            client,
            raw <- Opaque::ffi_init(|slot: *mut b::ubcore_client| {
                let raw = b::ubcore_client {
                    client_name: T::NAME.as_char_ptr().cast_mut(),
                    add: Some(Self::add_callback),
                    remove: Some(Self::remove_callback),
                    ..Default::default()
                };
                // SAFETY: Memory for a `ubcore_client`.
                unsafe { slot.write(raw) };
            }),
            _: {
                T::SLOT
                    .get()
                    .0
                    .cmpxchg(core::ptr::null_mut(), this.as_ptr(), Release)
                    .map_err(|_| EBUSY)?;
                // SAFETY: Initialised above, and pinned until it is unregistered in drop.
                let err = unsafe { b::ubcore_register_client(Opaque::cast_into(&raw const (*this.as_ptr()).raw)) };
                if err != 0 {
                    T::SLOT.get().0.store(core::ptr::null_mut(), Release);
                    return Err(EINVAL);
                }
            },
        }? Error)
    }

    /// Returns the client.
    pub(crate) fn client(&self) -> &T {
        &self.client
    }

    /// # Safety
    ///
    /// Called by ubcore with a registered device.
    unsafe extern "C" fn add_callback(dev: *mut b::ubcore_device) -> c_int {
        from_result(|| {
            // SAFETY: ubcore calls this between the registration and its end.
            let this = unsafe { T::SLOT.get().0.load(Acquire).as_ref() }.ok_or(EINVAL)?;
            // SAFETY: The device is valid until `remove_callback` returns, which revokes it. If
            // this function fails it revokes the device itself.
            let dev = unsafe { Device::new(NonNull::new(dev).ok_or(EINVAL)?) }?;
            let raw_dev = dev.enter()?.as_ptr();
            match Self::bind(this, &dev) {
                Ok(bound) => {
                    let data = KBox::into_raw(bound).cast();
                    // SAFETY: The device and the client are valid, and this is its `add`.
                    unsafe { b::ubcore_set_client_ctx_data(raw_dev, this.raw.get(), data) };
                    Ok(0)
                }
                Err(e) => {
                    dev.revoke();
                    Err(e)
                }
            }
        })
    }

    /// Asks the client to bind to a device.
    fn bind(this: &Self, dev: &Arc<Device>) -> Result<KBox<Bound<T>>> {
        let place = KBox::new_uninit(GFP_KERNEL)?;
        let data = this.client.add(dev)?;
        Ok(place.write(Bound {
            dev: dev.clone(),
            data,
        }))
    }

    /// # Safety
    ///
    /// Called by ubcore with a device that was added, and what was stored for it.
    unsafe extern "C" fn remove_callback(_dev: *mut b::ubcore_device, ctx: *mut c_void) {
        if ctx.is_null() {
            return;
        }
        // SAFETY: What `add_callback` stored; ubcore calls this once.
        let bound = KBox::into_inner(unsafe { KBox::from_raw(ctx.cast::<Bound<T>>()) });
        let Bound { dev, data } = bound;
        // SAFETY: ubcore calls this between the registration and its end.
        if let Some(this) = unsafe { T::SLOT.get().0.load(Acquire).as_ref() } {
            this.client.remove(&dev, data);
        }
        dev.revoke();
    }
}

#[pinned_drop]
impl<T: Client> PinnedDrop for Registration<T> {
    fn drop(self: Pin<&mut Self>) {
        // SAFETY: Registered by `new`; no callback runs on return.
        unsafe { b::ubcore_unregister_client(self.raw.get()) };
        T::SLOT.get().0.store(core::ptr::null_mut(), Release);
    }
}
