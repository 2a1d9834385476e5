// SPDX-License-Identifier: GPL-2.0

//! Destroying objects: one on demand, or all of a file at its end.
//!
//! A file ends when it is closed, when the address space of its context dies, or when its device
//! goes away. Its objects are destroyed level by level, newest first, and again until nothing more
//! can be destroyed. At the first two ends nobody is there to destroy them by command; at the third
//! one they keep their handles, so that the user can still do so.

use crate::{
    dispatch::Call,
    event::sink::Reported,
    file::UbFile,
    handle::Doomed,
    kernel_ext::{
        arc::Arc,
        task, //
    },
    logic::{
        batch::first_repeated,
        use_count::{
            Counted,
            ExclusiveRef, //
        }, //
    },
    ub::client::{
        self,
        object::Object,
        BatchKind,
        Jetty,
        TargetJetty, //
    },
    uobject::{
        Class,
        Uobject,
        LEVELS, //
    }, //
};
use kernel::{
    alloc::KVVec,
    prelude::*, //
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

/// Unbinds a jetty, if it is bound; waits for a command under way that binds it.
///
/// # Errors
///
/// Those of ubcore; then it is still bound.
pub(crate) fn unbind(jetty: &Uobject) -> Result {
    let mut binding = jetty.binding().lock();
    if binding.target().is_some() {
        jetty.object::<Jetty>()?.unbind()?;
    }
    let target = binding.unbind();
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
        .target()
        .is_some_and(|bound| Arc::ptr_eq(bound, target));
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
    let exclusive = ExclusiveRef::new(&**object)?;
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
    forget(file, doomed)?;
    Ok(object.retire_events())
}

/// What a command that destroys many objects holds of one.
struct Victim<C: Class> {
    /// What the command named.
    doomed: Doomed<C>,
    /// Keeps everybody else out; `None` when the device is gone.
    exclusive: Option<ExclusiveRef<Arc<Uobject>>>,
}

/// Finds the objects that a command names, and keeps everybody else out of them.
///
/// # Errors
///
/// The place of the first handle that is not good, with `EINVAL` for one that names nothing, or an
/// object that was named before, and `EBUSY` for an object in use.
fn find_victims<C: Class>(
    call: &Call<'_>,
    handles: &[u64],
) -> Result<KVVec<Victim<C>>, (usize, Error)> {
    let no_memory = |_| (0, ENOMEM);
    let mut places = KVVec::with_capacity(handles.len(), GFP_KERNEL).map_err(no_memory)?;
    for (place, handle) in handles.iter().enumerate() {
        places
            .push((*handle, place), GFP_KERNEL)
            .map_err(no_memory)?;
    }
    let repeated = first_repeated(&mut places);
    let mut victims = KVVec::with_capacity(handles.len(), GFP_KERNEL).map_err(no_memory)?;
    for (place, handle) in handles.iter().enumerate() {
        let find = || {
            if repeated == Some(place) {
                return Err(EINVAL);
            }
            let doomed = Doomed::<C>::find(call, *handle)?;
            let exclusive = if call.is_gone() {
                None
            } else {
                Some(ExclusiveRef::new(doomed.object.clone())?)
            };
            Ok(Victim { doomed, exclusive })
        };
        let victim = find().map_err(|error| (place, error))?;
        victims.push(victim, GFP_KERNEL).map_err(no_memory)?;
    }
    Ok(victims)
}

/// Destroys the driver's objects, having dissolved their bindings; returns how many are gone, and
/// why not all.
fn destroy_payloads<K: BatchKind>(victims: &[Victim<Object<K>>]) -> Result<(), (usize, Error)>
where
    Object<K>: Class,
{
    let mut objects = KVVec::with_capacity(victims.len(), GFP_KERNEL).map_err(|_| (0, ENOMEM))?;
    for victim in victims {
        let mut add = || {
            if victim.doomed.object.is::<Jetty>() {
                unbind(&victim.doomed.object)?;
            }
            objects.push(victim.doomed.get()?, GFP_KERNEL)?;
            Ok(())
        };
        // Nothing is destroyed yet.
        add().map_err(|error| (0, error))?;
    }
    client::destroy_batch(&objects).map_err(|stopped| (stopped.done, stopped.error))
}

/// Destroys what a command names by many handles, in order until one cannot be destroyed; none if
/// one of them is found to be bad before.
///
/// Returns how many of the events of those that are gone the user has read, and the place of the
/// first one that is left with the reason.
pub(crate) fn destroy_batch<K: BatchKind>(
    call: &Call<'_>,
    handles: &[u64],
) -> (Reported, Result<(), (usize, Error)>)
where
    Object<K>: Class,
{
    let mut reported = Reported::default();
    let victims = match find_victims::<Object<K>>(call, handles) {
        Ok(victims) => victims,
        Err(bad) => return (reported, Err(bad)),
    };
    let result = if call.is_gone() {
        Ok(())
    } else {
        destroy_payloads(&victims)
    };
    let done = match result {
        Ok(()) => victims.len(),
        Err((done, _)) => done,
    };
    for (place, victim) in victims.into_iter().enumerate().take(done) {
        let object = &victim.doomed.object;
        if let Some(exclusive) = victim.exclusive {
            object.leave_parents();
            exclusive.kill();
        }
        if let Err(error) = forget(call.file(), &victim.doomed) {
            // The device is gone, and another command was faster.
            return (reported, Err((place, error)));
        }
        reported.add(object.retire_events());
        task::cond_resched();
    }
    (reported, result)
}

/// Takes an object that is destroyed out of the table.
///
/// # Errors
///
/// `EINVAL` if another command was faster.
fn forget<C: Class>(file: &UbFile, doomed: &Doomed<C>) -> Result {
    let same = |other: &Uobject| core::ptr::eq(other, &*doomed.object);
    let removed = file.objects().remove_if(doomed.handle, same);
    drop(removed.ok_or(EINVAL)?);
    Ok(())
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
    let left = if file.objects().is_empty() {
        0
    } else {
        destroy_all(file)
    };
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
    if let Some(channels) = file.channels() {
        channels.finish();
    }
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
