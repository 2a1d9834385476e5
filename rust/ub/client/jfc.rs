// SPDX-License-Identifier: GPL-2.0

//! Completion queues.

use super::{
    device::Device,
    event::{
        completion_callback,
        jfc_event_callback,
        HandlerRef,
        QueueHandler, //
    },
    object::Object,
    staged::Making,
    ucontext::User, //
};
use crate::{
    bindings_ub as b,
    kernel_ext::arc::Arc,
    ub::common::{
        err_ptr,
        FlagWord, //
    }, //
};
use kernel::{
    error::to_result,
    prelude::*, //
};

/// The kind of a [`Jfc`].
pub(crate) struct JfcKind;

/// A completion queue.
pub(crate) type Jfc = Object<JfcKind>;

/// A completion queue to be created; see `struct ubcore_jfc_cfg`.
#[derive(Clone, Copy)]
pub(crate) struct JfcConfig {
    /// Entries at least.
    pub(crate) depth: u32,
    /// Word of `union ubcore_jfc_flag`.
    pub(crate) flag: u32,
    /// Completion event queue.
    pub(crate) ceqn: u32,
}

impl Jfc {
    /// Creates a completion queue, or allocates one that is to be activated.
    ///
    /// # Errors
    ///
    /// `EIO` when the device is gone, or the error of ubcore.
    pub(crate) fn new<H: QueueHandler>(
        dev: &Arc<Device>,
        config: &JfcConfig,
        handler: Arc<H>,
        making: Making,
        user: Option<&User<'_>>,
    ) -> Result<Self> {
        let handler = HandlerRef::new(handler);
        let mut raw = b::ubcore_jfc_cfg {
            depth: config.depth,
            flag: FlagWord::from_word(config.flag),
            ceqn: config.ceqn,
            jfc_context: handler.as_context(),
        };
        let (completion, event) = (completion_callback::<H>, jfc_event_callback::<H>);
        // SAFETY: The closure returns what `ubcore_create_jfc()` does.
        unsafe {
            Self::create(dev, user, Some(handler), |dev, udata| {
                // SAFETY: Valid arguments; the handler is kept until the JFC is destroyed.
                match making {
                    Making::Whole => {
                        b::ubcore_create_jfc(dev, &mut raw, Some(completion), Some(event), udata)
                    }
                    Making::Allocated => {
                        let mut out = core::ptr::null_mut();
                        let ret = b::ubcore_alloc_jfc(
                            dev,
                            &mut raw,
                            Some(completion),
                            Some(event),
                            &mut out,
                            udata,
                        );
                        err_ptr(to_result(ret).map(|()| out))
                    }
                }
            })
        }
    }

    /// Returns the number on the device and the depth granted.
    ///
    /// # Errors
    ///
    /// As all calls on an object.
    pub(crate) fn granted(&self) -> Result<(u32, u32)> {
        let this = self.enter()?;
        // SAFETY: A valid JFC; these fields do not change while calls are in progress.
        Ok(unsafe { ((*this.as_ptr()).id, (*this.as_ptr()).jfc_cfg.depth) })
    }

    /// Changes the moderation; `mask` says which values are meant.
    ///
    /// # Errors
    ///
    /// As all calls on an object, or the error of the driver.
    pub(crate) fn modify(
        &self,
        mask: u32,
        count: u16,
        period: u16,
        user: Option<&User<'_>>,
    ) -> Result {
        let this = self.enter()?;
        let mut attr = b::ubcore_jfc_attr {
            mask,
            moderate_count: count,
            moderate_period: period,
        };
        // SAFETY: A valid JFC and attributes of our own.
        let call = |udata| unsafe { b::ubcore_modify_jfc(this.as_ptr(), &mut attr, udata) };
        to_result(User::with(user, call)?)
    }
}
