// SPDX-License-Identifier: GPL-2.0

//! Destroying many objects in one command.

use crate::{
    bindings_ub as b,
    command::{
        then,
        Outcome,
        Verdict, //
    },
    dispatch::Call,
    event::sink::Reported,
    io::read_words,
    table::{
        delete_jetty_batch,
        delete_jfc_batch,
        delete_jfr_batch,
        delete_jfs_batch, //
    },
    teardown::destroy_batch,
    ub::client::{
        jetty::JettyKind,
        jfc::JfcKind,
        jfr::JfrKind,
        jfs::JfsKind,
        object::Object,
        BatchKind, //
    },
    uobject::Class,
};
use kernel::prelude::*;

/// The outcome of a command that destroys many objects.
type Ended<R> = Result<Outcome<R, Verdict>>;

/// Destroys the objects whose handles are in an array of the user's. `reply` makes the reply from
/// what was read of their events, and the place of the first object that is left.
///
/// # Errors
///
/// `EINVAL` for no handles or too many, `EFAULT`, `ENOMEM`: with a reply of zeros. What fails later
/// is in the verdict.
fn delete<K: BatchKind, R>(
    call: &Call<'_>,
    count: u32,
    addr: u64,
    reply: impl FnOnce(Reported, u32) -> R,
) -> Ended<R>
where
    Object<K>: Class,
{
    if count == 0 || count > b::UBURMA_MAX_BATCH {
        return Err(EINVAL);
    }
    let handles = read_words(addr, count as usize)?;
    let (reported, result) = destroy_batch::<K>(call, &handles);
    let (bad, verdict) = match result {
        Ok(()) => (0, Ok(())),
        // CAST: Less than `count`.
        Err((bad, error)) => (bad as u32, Err(error)),
    };
    then(reply(reported, bad), Verdict(verdict))
}

/// Destroys completion queues.
pub(crate) fn delete_jfc(
    call: &Call<'_>,
    request: delete_jfc_batch::Request,
) -> Ended<delete_jfc_batch::Reply> {
    delete::<JfcKind, _>(call, request.jfc_count, request.jfc_ptr, |reported, bad| {
        delete_jfc_batch::Reply {
            comp_events_reported: reported.completions,
            async_events_reported: reported.events,
            bad_jfc_index: bad,
        }
    })
}

/// Destroys send queues.
pub(crate) fn delete_jfs(
    call: &Call<'_>,
    request: delete_jfs_batch::Request,
) -> Ended<delete_jfs_batch::Reply> {
    delete::<JfsKind, _>(call, request.jfs_count, request.jfs_ptr, |reported, bad| {
        delete_jfs_batch::Reply {
            async_events_reported: reported.events,
            bad_jfs_index: bad,
        }
    })
}

/// Destroys receive queues.
pub(crate) fn delete_jfr(
    call: &Call<'_>,
    request: delete_jfr_batch::Request,
) -> Ended<delete_jfr_batch::Reply> {
    delete::<JfrKind, _>(call, request.jfr_count, request.jfr_ptr, |reported, bad| {
        delete_jfr_batch::Reply {
            async_events_reported: reported.events,
            bad_jfr_index: bad,
        }
    })
}

/// Destroys jettys; those that are bound are unbound first.
pub(crate) fn delete_jetty(
    call: &Call<'_>,
    request: delete_jetty_batch::Request,
) -> Ended<delete_jetty_batch::Reply> {
    let (count, addr) = (request.jetty_count, request.jetty_ptr);
    delete::<JettyKind, _>(call, count, addr, |reported, bad| {
        delete_jetty_batch::Reply {
            async_events_reported: reported.events,
            bad_jetty_index: bad,
        }
    })
}
