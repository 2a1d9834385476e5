// SPDX-License-Identifier: GPL-2.0

//! Safe interface to `ubcore_uapi.h`: what a client of ubcore works with.
//!
//! * A [`Registration`] makes a type that implements [`Client`] a client: it is told of devices.
//! * A [`Device`] is usable from the client's `add` until its `remove` has returned. It is counted,
//!   and each call on it, or on an [`Object`] of it, checks that it is still usable (`EIO` if not).
//!   Calls do not wait for that; the end of `remove` waits for calls.
//! * An [`Object`] is what a create function returns: JFC, JFS, segment and so on. It is destroyed
//!   by [`Object::destroy`], which may fail and then has changed nothing, or by its drop. After a
//!   successful destroy each further call on it gives `EINVAL`. JFC, JFS, JFR and jetty can also be
//!   allocated, configured and activated in stages; see [`staged`].
//! * A [`Ucontext`] is what a user process has of a device; objects made for a [`User`] hold it.
//!
//! Objects must be destroyed before the `remove` of their device returns; one that is not is lost:
//! ubcore knows it for ever.

// Each client uses a part of it.
#![allow(dead_code)]

pub(crate) mod address;
pub(crate) mod attr;
mod batch;
mod charge;
pub(crate) mod device;
pub(crate) mod event;
pub(crate) mod group;
pub(crate) mod jetty;
pub(crate) mod jfc;
pub(crate) mod jfr;
pub(crate) mod jfs;
pub(crate) mod object;
mod pending;
pub(crate) mod registration;
pub(crate) mod seg;
pub(crate) mod staged;
pub(crate) mod target;
pub(crate) mod tp;
pub(crate) mod ucontext;

pub(crate) use self::{
    attr::{
        DeviceAttr,
        DeviceStatus, //
    },
    batch::{
        destroy_batch,
        BatchKind, //
    },
    device::Device,
    event::{
        DeviceEvent,
        DeviceEventHandler,
        DeviceEvents,
        EventType,
        QueueHandler, //
    },
    group::{
        JettyGroup,
        JettyGroupConfig, //
    },
    jetty::{
        Jetty,
        JettyAttr,
        JettyConfig,
        JettyQueues, //
    },
    jfc::{
        Jfc,
        JfcConfig, //
    },
    jfr::{
        Jfr,
        JfrAttr,
        JfrConfig, //
    },
    jfs::{
        Jfs,
        JfsConfig, //
    },
    pending::RequestHandler,
    registration::{
        Client,
        ClientSlot,
        Registration,
        SlotRef, //
    },
    seg::{
        ImportedSegment,
        Segment,
        SegmentConfig,
        SegmentImport,
        TokenId, //
    },
    staged::{
        Making,
        NewParent,
        StagedKind, //
    },
    target::{
        ActiveTp,
        TargetConfig,
        TargetJetty,
        TargetJfr, //
    },
    tp::{
        TpAttr,
        TpQuery,
        TP_ATTR_LEN, //
    },
    ucontext::{
        ProviderData,
        Ucontext,
        User,
        UserCommand, //
    },
};
