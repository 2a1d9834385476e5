// SPDX-License-Identifier: GPL-2.0

//! Receive queues.

use super::{
    device::Device,
    event::{
        jfr_event_callback,
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

/// The kind of a [`Jfr`].
pub(crate) struct JfrKind;

/// A receive queue.
pub(crate) type Jfr = Object<JfrKind>;

/// Configuration of a receive queue; see `struct ubcore_jfr_cfg`.
#[derive(Clone, Copy, Default)]
pub(crate) struct JfrConfig {
    /// Number wanted, 0: the driver chooses.
    pub(crate) id: u32,
    /// Entries at least.
    pub(crate) depth: u32,
    /// Word of `union ubcore_jfr_flag`.
    pub(crate) flag: u32,
    /// `enum ubcore_transport_mode`.
    pub(crate) trans_mode: u32,
    /// Local EID.
    pub(crate) eid_index: u32,
    /// Ranges of a receive buffer.
    pub(crate) max_sge: u8,
    /// Code of the time that senders shall wait for a buffer.
    pub(crate) min_rnr_timer: u8,
    /// Token that senders must show; never logged.
    pub(crate) token: u32,
}

impl JfrConfig {
    /// Reads it back from what ubcore or a driver filled.
    fn from_raw(raw: &b::ubcore_jfr_cfg) -> Self {
        Self {
            id: raw.id,
            depth: raw.depth,
            flag: raw.flag.word(),
            trans_mode: raw.trans_mode,
            eid_index: raw.eid_index,
            max_sge: raw.max_sge,
            min_rnr_timer: raw.min_rnr_timer,
            token: raw.token_value.token,
        }
    }

    /// Makes the C structure.
    fn to_raw(self, jfc: *mut b::ubcore_jfc, context: *mut c_void) -> b::ubcore_jfr_cfg {
        b::ubcore_jfr_cfg {
            id: self.id,
            depth: self.depth,
            flag: FlagWord::from_word(self.flag),
            trans_mode: self.trans_mode,
            eid_index: self.eid_index,
            max_sge: self.max_sge,
            min_rnr_timer: self.min_rnr_timer,
            token_value: b::ubcore_token { token: self.token },
            jfc,
            jfr_context: context,
        }
    }
}

/// What can be changed of a receive queue.
#[derive(Clone, Copy, Default)]
pub(crate) struct JfrAttr {
    /// `enum ubcore_jfr_attr_mask`: which values are meant.
    pub(crate) mask: u32,
    /// Fewer receive buffers than this raise an event, once.
    pub(crate) rx_threshold: u32,
    /// `enum ubcore_jfr_state`.
    pub(crate) state: u32,
}

impl Jfr {
    /// Creates a receive queue that reports to `jfc`, or allocates one that is to be activated.
    ///
    /// # Errors
    ///
    /// `EIO` when the device is gone, `EINVAL` when the JFC is destroyed, or the error of ubcore.
    pub(crate) fn new<H: QueueHandler>(
        dev: &Arc<Device>,
        config: &JfrConfig,
        jfc: &Jfc,
        handler: Arc<H>,
        making: Making,
        user: Option<&User<'_>>,
    ) -> Result<Self> {
        let handler = HandlerRef::new(handler);
        let jfc = jfc.enter()?;
        let mut raw = config.to_raw(jfc.as_ptr(), handler.as_context());
        let event = jfr_event_callback::<H>;
        // SAFETY: The closure returns what `ubcore_create_jfr()` does.
        unsafe {
            Self::create(dev, user, Some(handler), |dev, udata| {
                // SAFETY: Valid arguments; the handler is kept until the JFR is destroyed.
                match making {
                    Making::Whole => b::ubcore_create_jfr(dev, &mut raw, Some(event), udata),
                    Making::Allocated => {
                        let mut out = core::ptr::null_mut();
                        let ret = b::ubcore_alloc_jfr(dev, &mut raw, Some(event), &mut out, udata);
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
    pub(crate) fn granted(&self) -> Result<(u32, JfrConfig)> {
        let this = self.enter()?;
        // SAFETY: A valid JFR; these fields do not change while calls are in progress.
        let (id, config) = unsafe { ((*this.as_ptr()).jfr_id.id, &(*this.as_ptr()).jfr_cfg) };
        Ok((id, JfrConfig::from_raw(config)))
    }

    /// Changes state or threshold.
    ///
    /// # Errors
    ///
    /// As all calls on an object, or the error of the driver.
    pub(crate) fn modify(&self, attr: JfrAttr, user: Option<&User<'_>>) -> Result {
        let this = self.enter()?;
        let mut attr = b::ubcore_jfr_attr {
            mask: attr.mask,
            rx_threshold: attr.rx_threshold,
            state: attr.state,
        };
        // SAFETY: A valid JFR and attributes of our own.
        let call = |udata| unsafe { b::ubcore_modify_jfr(this.as_ptr(), &mut attr, udata) };
        to_result(User::with(user, call)?)
    }

    /// Reads back configuration and state.
    ///
    /// # Errors
    ///
    /// As all calls on an object, or the error of the driver.
    pub(crate) fn query(&self) -> Result<(JfrConfig, JfrAttr)> {
        let this = self.enter()?;
        let mut config = b::ubcore_jfr_cfg::default();
        let mut attr = b::ubcore_jfr_attr::default();
        // SAFETY: A valid JFR and room of our own.
        to_result(unsafe { b::ubcore_query_jfr(this.as_ptr(), &mut config, &mut attr) })?;
        let attr = JfrAttr {
            mask: attr.mask,
            rx_threshold: attr.rx_threshold,
            state: attr.state,
        };
        Ok((JfrConfig::from_raw(&config), attr))
    }
}
