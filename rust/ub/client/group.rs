// SPDX-License-Identifier: GPL-2.0

//! Jetty groups: jettys that receive under one name.

use super::{
    device::Device,
    event::{
        group_event_callback,
        HandlerRef,
        QueueHandler, //
    },
    object::{
        Kind,
        Object, //
    },
    ucontext::User, //
};
use crate::{
    bindings_ub as b,
    kernel_ext::arc::Arc,
    ub::common::FlagWord, //
};
use kernel::prelude::*;

/// The kind of a [`JettyGroup`].
pub(crate) struct JettyGroupKind;

/// A jetty group.
pub(crate) type JettyGroup = Object<JettyGroupKind>;

impl Kind for JettyGroupKind {
    type Raw = b::ubcore_jetty_group;
    const NAME: &'static str = "jetty group";

    unsafe fn destroy(ptr: *mut b::ubcore_jetty_group) -> c_int {
        // SAFETY: By the function's contract.
        unsafe { b::ubcore_delete_jetty_grp(ptr) }
    }
}

/// Bytes of a name, with the terminating NUL.
const NAME_LEN: usize = b::UBCORE_JETTY_GRP_MAX_NAME as usize;

/// Configuration of a jetty group; see `struct ubcore_jetty_grp_cfg`.
#[derive(Clone, Copy)]
pub(crate) struct JettyGroupConfig {
    /// Name; what follows a NUL is ignored.
    pub(crate) name: [u8; NAME_LEN],
    /// Local EID.
    pub(crate) eid_index: u32,
    /// Word of `union ubcore_jetty_grp_flag`.
    pub(crate) flag: u32,
    /// Token that senders must show; never logged.
    pub(crate) token: u32,
    /// Number wanted, 0: the driver chooses.
    pub(crate) id: u32,
    /// `enum ubcore_jetty_grp_policy`.
    pub(crate) policy: u32,
}

impl JettyGroupConfig {
    /// Makes the C structure.
    fn to_raw(self) -> b::ubcore_jetty_grp_cfg {
        let mut raw = b::ubcore_jetty_grp_cfg {
            eid_index: self.eid_index,
            flag: FlagWord::from_word(self.flag),
            token_value: b::ubcore_token { token: self.token },
            id: self.id,
            policy: self.policy,
            ..Default::default()
        };
        // The last byte stays NUL.
        let name = self.name.iter().take_while(|byte| **byte != 0);
        for (to, from) in raw.name.iter_mut().take(NAME_LEN - 1).zip(name) {
            *to = *from;
        }
        raw
    }
}

impl JettyGroup {
    /// Creates a jetty group.
    ///
    /// # Errors
    ///
    /// `EIO` when the device is gone, or the error of ubcore.
    pub(crate) fn new<H: QueueHandler>(
        dev: &Arc<Device>,
        config: &JettyGroupConfig,
        handler: Arc<H>,
        user: Option<&User<'_>>,
    ) -> Result<Self> {
        let handler = HandlerRef::new(handler);
        let mut raw = b::ubcore_jetty_grp_cfg {
            user_ctx: handler.as_context() as u64,
            ..config.to_raw()
        };
        let event = group_event_callback::<H>;
        // SAFETY: The closure returns what `ubcore_create_jetty_grp()` does.
        unsafe {
            Self::create(dev, user, Some(handler), |dev, udata| {
                // SAFETY: Valid arguments; the handler is kept until the group is destroyed.
                b::ubcore_create_jetty_grp(dev, &mut raw, Some(event), udata)
            })
        }
    }

    /// Returns the number on the device.
    ///
    /// # Errors
    ///
    /// As all calls on an object.
    pub(crate) fn id(&self) -> Result<u32> {
        let this = self.enter()?;
        // SAFETY: A valid group; the number does not change after creation.
        Ok(unsafe { (*this.as_ptr()).jetty_grp_id.id })
    }
}
