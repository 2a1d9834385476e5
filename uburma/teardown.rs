// SPDX-License-Identifier: GPL-2.0

//! Destroying objects: one on demand, or all of a file at its end.
//!
//! A file ends when it is closed, when the address space of its context dies, or when its device
//! goes away. Its objects are destroyed level by level, newest first, and again until nothing more
//! can be destroyed. At the first two ends nobody is there to destroy them by command; at the third
//! one they keep their handles, so that the user can still do so.

use crate::{
    event::sink::Reported,
    file::UbFile,
    handle::Doomed,
    kernel_ext::task,
    logic::use_count::{
        Counted,
        ExclusiveRef, //
    },
    ub::client::{
        Jetty,
        TargetJetty, //
    },
    uobject::{
        Class,
        Uobject,
        LEVELS, //
    },
};
use kernel::{
    prelude::*,
    sync::Arc, //
};

/// Why a file ends.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    /// The last descriptor is closed.
    Closed,
    /// The address space of the context has no user any more.
    MmDied,
    /// The device goes away.
    DeviceGone,
}

/// Unbinds a jetty, if it is bound.
///
/// # Errors
///
/// Those of ubcore; then it is still bound.
pub(crate) fn unbind(jetty: &Uobject) -> Result {
    let mut binding = jetty.binding().lock();
    if binding.is_some() {
        jetty.object::<Jetty>()?.unbind()?;
    }
    let target = binding.take();
    drop(binding);
    drop(target);
    Ok(())
}

/// Unbinds a jetty, if it is bound to `target`.
///
/// # Errors
///
/// As for [`unbind`].
pub(crate) fn unbind_from_this(jetty: &Uobject, target: &Arc<Uobject>) -> Result {
    let is_bound = jetty
        .binding()
        .lock()
        .as_ref()
        .is_some_and(|bound| Arc::ptr_eq(bound.pointer(), target));
    if is_bound {
        unbind(jetty)?;
    }
    Ok(())
}

/// Unbinds all jettys of a file that are bound to `target`.
fn unbind_from(file: &UbFile, target: &Arc<Uobject>) -> Result {
    for (_, jetty) in file.objects().newest_first() {
        if target.use_count().references() == 0 {
            break;
        }
        unbind_from_this(&jetty, target)?;
    }
    Ok(())
}

/// Destroys an object, having dissolved its bindings.
///
/// # Errors
///
/// `EBUSY` while it is in use or others are built on it, `EINVAL` when it is destroyed already, or
/// the error of the driver. Then the object is as it was, though perhaps not bound any more.
fn destroy_object(file: &UbFile, object: &Arc<Uobject>) -> Result {
    if object.is::<TargetJetty>() {
        unbind_from(file, object)?;
    }
    let exclusive = ExclusiveRef::new(object.clone())?;
    if object.is::<Jetty>() {
        unbind(object)?;
    }
    object.destroy_payload()?;
    exclusive.kill();
    Ok(())
}

/// Destroys what a command names; `gone` says that the device is.
///
/// Returns how many of its events the user has read; final.
///
/// # Errors
///
/// As for [`destroy_object`]; `EINVAL` if another command was faster.
pub(crate) fn destroy<C: Class>(file: &UbFile, doomed: &Doomed<C>, gone: bool) -> Result<Reported> {
    let object = &doomed.object;
    if !gone {
        destroy_object(file, object)?;
    }
    let same = |other: &Uobject| core::ptr::eq(other, &**object);
    let removed = file.objects().remove_if(doomed.handle, same);
    drop(removed.ok_or(EINVAL)?);
    Ok(object.retire_events())
}

/// Destroys all objects of a file; they keep their handles. Returns how many could not be.
fn destroy_all(file: &UbFile) -> usize {
    let mut left = 0;
    for level in 0..LEVELS {
        loop {
            let mut progress = false;
            left = 0;
            for (_, object) in file.objects().newest_first() {
                if object.level() > level || object.use_count().is_dead() {
                    continue;
                }
                match destroy_object(file, &object) {
                    Ok(()) => progress = true,
                    Err(_) => left += 1,
                }
                task::cond_resched();
            }
            if left == 0 || !progress {
                break;
            }
        }
    }
    left
}

/// Frees all that a file has of the driver.
fn release(file: &UbFile, end: End) {
    let name = file.device().name();
    if end == End::DeviceGone {
        if let Some(context) = file.context() {
            // A driver without the operation has nothing to stop.
            let _ = context.uctx.disassociate();
        }
    }
    let left = destroy_all(file);
    if left != 0 {
        pr_warn_ratelimited!("{}: {} objects could not be destroyed\n", name, left);
    }
    if let Some(Err(e)) = file.context().map(|context| context.uctx.free()) {
        pr_warn_ratelimited!("{}: a context could not be freed: {:?}\n", name, e);
    }
}

/// Ends a file: waits for commands in progress, and frees all that it has of the driver.
///
/// Commands that come later find it gone. May be called several times.
pub(crate) fn end(file: &UbFile, end: End) {
    let mut ended = file.drain().lock();
    if !*ended {
        end_events(file, end);
        release(file, end);
        *ended = true;
        file.set_gone();
    }
}

/// Tells those who wait for events.
fn end_events(file: &UbFile, end: End) {
    file.channels().finish();
    let Some(context) = file.context() else {
        return;
    };
    if end == End::DeviceGone {
        context
            .jfae
            .report(crate::ub::client::EventType::DEV_FATAL, 0);
        context.jfae.channel().finish();
    } else {
        context.jfae.channel().finish_and_clear();
    }
}

/// Ends a file that is being closed, and forgets it.
pub(crate) fn close(file: &UbFile) {
    end(file, End::Closed);
    if let Some(context) = file.context() {
        context.jfae.channel().finish_and_clear();
    }
    while file.objects().pop_newest().is_some() {
        task::cond_resched();
    }
    file.device().remove_file(file);
}
