// SPDX-License-Identifier: GPL-2.0

//! What clients keep of a device.

use crate::c_api::{
    ClientData,
    ClientPtr, //
};
use kernel::{
    new_mutex,
    prelude::*,
    sync::Mutex, //
};

/// The contexts of clients on one device.
///
/// There is one from before the client's `add()` until after its `remove()`. The registry's lock
/// serialises both; the lock here only protects the list.
#[pin_data]
pub(crate) struct ClientContexts {
    #[pin]
    list: Mutex<KVec<(ClientPtr, ClientData)>>,
}

impl ClientContexts {
    /// Makes an empty list.
    pub(crate) fn new() -> impl PinInit<Self> {
        pin_init!(Self {
            list <- new_mutex!(KVec::new(), "ubcore_device::contexts"),
        })
    }

    /// Adds the context of a client, without data.
    pub(crate) fn add(&self, client: ClientPtr) -> Result {
        self.list
            .lock()
            .push((client, ClientData::NONE), GFP_KERNEL)?;
        Ok(())
    }

    /// Removes the context of a client.
    pub(crate) fn remove(&self, client: ClientPtr) {
        self.list.lock().retain(|(known, _)| *known != client);
    }

    /// Returns the data of a client; `None` if it has no context.
    pub(crate) fn data(&self, client: ClientPtr) -> Option<ClientData> {
        let list = self.list.lock();
        let found = list.iter().find(|(known, _)| *known == client);
        found.map(|(_, data)| *data)
    }

    /// Stores the data of a client, if it has a context.
    pub(crate) fn set_data(&self, client: ClientPtr, new: ClientData) {
        let mut list = self.list.lock();
        if let Some((_, data)) = list.iter_mut().find(|(known, _)| *known == client) {
            *data = new;
        }
    }
}
