// SPDX-License-Identifier: GPL-2.0

//! Jettys: a send queue and the receive side that goes with it.

use super::{
    device::Device,
    event::{
        jetty_event_callback,
        HandlerRef,
        QueueHandler, //
    },
    group::JettyGroup,
    jfc::Jfc,
    jfr::Jfr,
    object::Object,
    staged::Making,
    target::{
        ActiveTp,
        TargetJetty, //
    },
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

/// The kind of a [`Jetty`].
pub(crate) struct JettyKind;

/// A jetty.
pub(crate) type Jetty = Object<JettyKind>;

/// Configuration of a jetty; see `struct ubcore_jetty_cfg`.
#[derive(Clone, Copy, Default)]
pub(crate) struct JettyConfig {
    /// Number wanted, 0: the driver chooses.
    pub(crate) id: u32,
    /// Word of `union ubcore_jetty_flag`.
    pub(crate) flag: u32,
    /// `enum ubcore_transport_mode`.
    pub(crate) trans_mode: u32,
    /// Local EID.
    pub(crate) eid_index: u32,
    /// Entries of the send side at least.
    pub(crate) jfs_depth: u32,
    /// 0 to 15.
    pub(crate) priority: u8,
    /// Local ranges of a work request.
    pub(crate) max_send_sge: u8,
    /// Remote ranges of a work request.
    pub(crate) max_send_rsge: u8,
    /// Bytes of inline data.
    pub(crate) max_inline_data: u32,
    /// Retries while the target has no receive buffer.
    pub(crate) rnr_retry: u8,
    /// Code of the time until a lost packet is sent again.
    pub(crate) err_timeout: u8,
    /// Entries of a receive side of its own.
    pub(crate) jfr_depth: u32,
    /// Code of the time that senders shall wait for a buffer of that.
    pub(crate) min_rnr_timer: u8,
    /// Ranges of a receive buffer of that.
    pub(crate) max_recv_sge: u8,
    /// Token that senders must show; never logged.
    pub(crate) token: u32,
}

impl JettyConfig {
    /// Reads it back from what ubcore or a driver filled.
    fn from_raw(raw: &b::ubcore_jetty_cfg) -> Self {
        Self {
            id: raw.id,
            flag: raw.flag.word(),
            trans_mode: raw.trans_mode,
            eid_index: raw.eid_index,
            jfs_depth: raw.jfs_depth,
            priority: raw.priority,
            max_send_sge: raw.max_send_sge,
            max_send_rsge: raw.max_send_rsge,
            max_inline_data: raw.max_inline_data,
            rnr_retry: raw.rnr_retry,
            err_timeout: raw.err_timeout,
            jfr_depth: raw.jfr_depth,
            min_rnr_timer: raw.min_rnr_timer,
            max_recv_sge: raw.max_recv_sge,
            token: raw.token_value.token,
        }
    }

    /// Makes the C structure; the queues are left out.
    fn to_raw(self) -> b::ubcore_jetty_cfg {
        b::ubcore_jetty_cfg {
            id: self.id,
            flag: FlagWord::from_word(self.flag),
            trans_mode: self.trans_mode,
            eid_index: self.eid_index,
            jfs_depth: self.jfs_depth,
            priority: self.priority,
            max_send_sge: self.max_send_sge,
            max_send_rsge: self.max_send_rsge,
            max_inline_data: self.max_inline_data,
            rnr_retry: self.rnr_retry,
            err_timeout: self.err_timeout,
            jfr_depth: self.jfr_depth,
            min_rnr_timer: self.min_rnr_timer,
            max_recv_sge: self.max_recv_sge,
            token_value: b::ubcore_token { token: self.token },
            ..Default::default()
        }
    }
}

/// The queues that a jetty works with.
#[derive(Clone, Copy)]
pub(crate) struct JettyQueues<'a> {
    /// Where completions of the send side go.
    pub(crate) send_jfc: &'a Jfc,
    /// Where completions of the receive side go.
    pub(crate) recv_jfc: &'a Jfc,
    /// The receive queue it receives from, if that is a shared one.
    pub(crate) jfr: Option<&'a Jfr>,
    /// The group it joins.
    pub(crate) group: Option<&'a JettyGroup>,
}

/// What can be changed of a jetty.
#[derive(Clone, Copy, Default)]
pub(crate) struct JettyAttr {
    /// `enum ubcore_jetty_attr_mask`: which values are meant.
    pub(crate) mask: u32,
    /// Fewer receive buffers than this raise an event, once.
    pub(crate) rx_threshold: u32,
    /// `enum ubcore_jetty_state`.
    pub(crate) state: u32,
}

impl Jetty {
    /// Creates a jetty, or allocates one that is to be activated.
    ///
    /// # Errors
    ///
    /// `EIO` when the device is gone, `EINVAL` when a queue is destroyed, or the error of ubcore.
    pub(crate) fn new<H: QueueHandler>(
        dev: &Arc<Device>,
        config: &JettyConfig,
        queues: JettyQueues<'_>,
        handler: Arc<H>,
        making: Making,
        user: Option<&User<'_>>,
    ) -> Result<Self> {
        let handler = HandlerRef::new(handler);
        let send_jfc = queues.send_jfc.enter()?;
        let recv_jfc = queues.recv_jfc.enter()?;
        let jfr = queues.jfr.map(|jfr| jfr.enter()).transpose()?;
        let group = queues.group.map(|group| group.enter()).transpose()?;
        let mut raw = b::ubcore_jetty_cfg {
            send_jfc: send_jfc.as_ptr(),
            recv_jfc: recv_jfc.as_ptr(),
            jfr: jfr.as_ref().map_or(core::ptr::null_mut(), |j| j.as_ptr()),
            jetty_grp: group.as_ref().map_or(core::ptr::null_mut(), |g| g.as_ptr()),
            jetty_context: handler.as_context(),
            ..config.to_raw()
        };
        let event = jetty_event_callback::<H>;
        // SAFETY: The closure returns what `ubcore_create_jetty()` does.
        unsafe {
            Self::create(dev, user, Some(handler), |dev, udata| {
                // SAFETY: Valid arguments; the handler is kept until the jetty is destroyed.
                match making {
                    Making::Whole => b::ubcore_create_jetty(dev, &mut raw, Some(event), udata),
                    Making::Allocated => {
                        let mut out = core::ptr::null_mut();
                        let ret =
                            b::ubcore_alloc_jetty(dev, &mut raw, Some(event), &mut out, udata);
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
    pub(crate) fn granted(&self) -> Result<(u32, JettyConfig)> {
        let this = self.enter()?;
        // SAFETY: A valid jetty; these fields do not change while calls are in progress.
        let (id, config) = unsafe { ((*this.as_ptr()).jetty_id.id, &(*this.as_ptr()).jetty_cfg) };
        Ok((id, JettyConfig::from_raw(config)))
    }

    /// Changes state or threshold.
    ///
    /// # Errors
    ///
    /// As all calls on an object, or the error of the driver.
    pub(crate) fn modify(&self, attr: JettyAttr, user: Option<&User<'_>>) -> Result {
        let this = self.enter()?;
        let mut attr = b::ubcore_jetty_attr {
            mask: attr.mask,
            rx_threshold: attr.rx_threshold,
            state: attr.state,
        };
        // SAFETY: A valid jetty and attributes of our own.
        let call = |udata| unsafe { b::ubcore_modify_jetty(this.as_ptr(), &mut attr, udata) };
        to_result(User::with(user, call)?)
    }

    /// Reads back configuration and state.
    ///
    /// # Errors
    ///
    /// As all calls on an object, or the error of the driver.
    pub(crate) fn query(&self) -> Result<(JettyConfig, JettyAttr)> {
        let this = self.enter()?;
        let mut config = KBox::new(b::ubcore_jetty_cfg::default(), GFP_KERNEL)?;
        let mut attr = b::ubcore_jetty_attr::default();
        // SAFETY: A valid jetty and room of our own.
        to_result(unsafe { b::ubcore_query_jetty(this.as_ptr(), &mut *config, &mut attr) })?;
        let attr = JettyAttr {
            mask: attr.mask,
            rx_threshold: attr.rx_threshold,
            state: attr.state,
        };
        Ok((JettyConfig::from_raw(&config), attr))
    }

    /// Binds the jetty to an imported one, over a transport path that ubcore chooses.
    ///
    /// # Errors
    ///
    /// As all calls on an object, or the error of ubcore.
    pub(crate) fn bind(&self, target: &TargetJetty, user: Option<&User<'_>>) -> Result {
        let (this, target) = (self.enter()?, target.enter()?);
        // SAFETY: A valid jetty and a valid target.
        let call = |udata| unsafe { b::ubcore_bind_jetty(this.as_ptr(), target.as_ptr(), udata) };
        to_result(User::with(user, call)?)
    }

    /// Binds the jetty to an imported one over a given transport path.
    ///
    /// # Errors
    ///
    /// As all calls on an object, or the error of ubcore.
    pub(crate) fn bind_over(
        &self,
        target: &TargetJetty,
        tp: &ActiveTp,
        user: Option<&User<'_>>,
    ) -> Result {
        let (this, target) = (self.enter()?, target.enter()?);
        let mut tp = tp.to_raw();
        // SAFETY: A valid jetty, a valid target, and a path of our own.
        let call = |udata| unsafe {
            b::ubcore_bind_jetty_ex(this.as_ptr(), target.as_ptr(), &mut tp, udata)
        };
        to_result(User::with(user, call)?)
    }

    /// Undoes the binding.
    ///
    /// # Errors
    ///
    /// As all calls on an object, or the error of ubcore: `EINVAL` if it is not bound.
    pub(crate) fn unbind(&self) -> Result {
        let this = self.enter()?;
        // SAFETY: A valid jetty.
        to_result(unsafe { b::ubcore_unbind_jetty(this.as_ptr()) })
    }
}
