// SPDX-License-Identifier: GPL-2.0

//! Send queues.

use super::{
    device::Device,
    event::{
        jfs_event_callback,
        HandlerRef,
        QueueHandler, //
    },
    jfc::Jfc,
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

/// The kind of a [`Jfs`].
pub(crate) struct JfsKind;

/// A send queue.
pub(crate) type Jfs = Object<JfsKind>;

/// Configuration of a send queue; see `struct ubcore_jfs_cfg`.
#[derive(Clone, Copy, Default)]
pub(crate) struct JfsConfig {
    /// Entries at least.
    pub(crate) depth: u32,
    /// Word of `union ubcore_jfs_flag`.
    pub(crate) flag: u32,
    /// `enum ubcore_transport_mode`.
    pub(crate) trans_mode: u32,
    /// Local EID.
    pub(crate) eid_index: u32,
    /// 0 to 15.
    pub(crate) priority: u8,
    /// Local ranges of a work request.
    pub(crate) max_sge: u8,
    /// Remote ranges of a work request.
    pub(crate) max_rsge: u8,
    /// Bytes of inline data.
    pub(crate) max_inline_data: u32,
    /// Retries while the target has no receive buffer.
    pub(crate) rnr_retry: u8,
    /// Code of the time until a lost packet is sent again.
    pub(crate) err_timeout: u8,
}

impl JfsConfig {
    /// Reads it back from what ubcore or a driver filled.
    fn from_raw(raw: &b::ubcore_jfs_cfg) -> Self {
        Self {
            depth: raw.depth,
            flag: raw.flag.word(),
            trans_mode: raw.trans_mode,
            eid_index: raw.eid_index,
            priority: raw.priority,
            max_sge: raw.max_sge,
            max_rsge: raw.max_rsge,
            max_inline_data: raw.max_inline_data,
            rnr_retry: raw.rnr_retry,
            err_timeout: raw.err_timeout,
        }
    }

    /// Makes the C structure.
    fn to_raw(self, jfc: *mut b::ubcore_jfc, context: *mut c_void) -> b::ubcore_jfs_cfg {
        b::ubcore_jfs_cfg {
            depth: self.depth,
            flag: FlagWord::from_word(self.flag),
            trans_mode: self.trans_mode,
            eid_index: self.eid_index,
            priority: self.priority,
            max_sge: self.max_sge,
            max_rsge: self.max_rsge,
            max_inline_data: self.max_inline_data,
            rnr_retry: self.rnr_retry,
            err_timeout: self.err_timeout,
            jfs_context: context,
            jfc,
        }
    }
}

impl Jfs {
    /// Creates a send queue that reports to `jfc`, or allocates one that is to be activated.
    ///
    /// # Errors
    ///
    /// `EIO` when the device is gone, `EINVAL` when the JFC is destroyed, or the error of ubcore.
    pub(crate) fn new<H: QueueHandler>(
        dev: &Arc<Device>,
        config: &JfsConfig,
        jfc: &Jfc,
        handler: Arc<H>,
        making: Making,
        user: Option<&User<'_>>,
    ) -> Result<Self> {
        let handler = HandlerRef::new(handler);
        let jfc = jfc.enter()?;
        let mut raw = config.to_raw(jfc.as_ptr(), handler.as_context());
        let event = jfs_event_callback::<H>;
        // SAFETY: The closure returns what `ubcore_create_jfs()` does.
        unsafe {
            Self::create(dev, user, Some(handler), |dev, udata| {
                // SAFETY: Valid arguments; the handler is kept until the JFS is destroyed.
                match making {
                    Making::Whole => b::ubcore_create_jfs(dev, &mut raw, Some(event), udata),
                    Making::Allocated => {
                        let mut out = core::ptr::null_mut();
                        let ret = b::ubcore_alloc_jfs(dev, &mut raw, Some(event), &mut out, udata);
                        err_ptr(to_result(ret).map(|()| out))
                    }
                }
            })
        }
    }

    /// Returns the number on the device and the configuration granted.
    ///
    /// # Errors
    ///
    /// As all calls on an object.
    pub(crate) fn granted(&self) -> Result<(u32, JfsConfig)> {
        let this = self.enter()?;
        // SAFETY: A valid JFS; these fields do not change while calls are in progress.
        let (id, config) = unsafe { ((*this.as_ptr()).jfs_id.id, &(*this.as_ptr()).jfs_cfg) };
        Ok((id, JfsConfig::from_raw(config)))
    }

    /// Changes the state; `mask` says whether it is meant.
    ///
    /// # Errors
    ///
    /// As all calls on an object, or the error of the driver.
    pub(crate) fn modify(&self, mask: u32, state: u32, user: Option<&User<'_>>) -> Result {
        let this = self.enter()?;
        let mut attr = b::ubcore_jfs_attr { mask, state };
        // SAFETY: A valid JFS and attributes of our own.
        let call = |udata| unsafe { b::ubcore_modify_jfs(this.as_ptr(), &mut attr, udata) };
        to_result(User::with(user, call)?)
    }

    /// Reads back configuration and state.
    ///
    /// # Errors
    ///
    /// As all calls on an object, or the error of the driver.
    pub(crate) fn query(&self) -> Result<(JfsConfig, u32)> {
        let this = self.enter()?;
        let mut config = b::ubcore_jfs_cfg::default();
        let mut attr = b::ubcore_jfs_attr::default();
        // SAFETY: A valid JFS and room of our own.
        to_result(unsafe { b::ubcore_query_jfs(this.as_ptr(), &mut config, &mut attr) })?;
        Ok((JfsConfig::from_raw(&config), attr.state))
    }
}
