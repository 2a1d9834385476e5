// SPDX-License-Identifier: GPL-2.0

//! Events on their way from a driver to a user.
//!
//! An event of an object raises a [`source`], which belongs to the object and waits in the queue of
//! a [`channel`] until it is read through the file of the channel: a [`jfce`], a [`jfae`] or a [`notifier`]. A
//! [`sink`] is what an object has of sources; it counts what has been read.

pub(crate) mod channel;
pub(crate) mod jfae;
pub(crate) mod jfce;
pub(crate) mod notifier;
pub(crate) mod sink;
pub(crate) mod source;
