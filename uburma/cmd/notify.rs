// SPDX-License-Identifier: GPL-2.0

//! Notification channels.

use crate::{
    bindings_ub as b,
    command::{
        then,
        Commit,
        Outcome, //
    },
    dispatch::{
        Call,
        EventCall, //
    },
    event::{
        channel::{
            Delivery,
            Patience,
            MAX_EVENTS, //
        },
        notifier::Notifier, //
    },
    kernel_ext::{
        anon_file::{
            from_fd,
            Access,
            AnonFile,
            NewFd, //
        },
        arc::Arc, //
    },
    table::{
        create_notifier,
        wait_notify, //
    }, //
};
use kernel::prelude::*;

const _: () = assert!(MAX_EVENTS == b::UBURMA_MAX_NOTIFY as usize);

/// Finds the channel that is to tell of the end of a command: one of this file.
///
/// # Errors
///
/// `EINVAL` for anything else.
pub(crate) fn find_notifier(call: &Call<'_>, fd: i32) -> Result<Arc<Notifier>> {
    let notifier = from_fd::<Notifier>(fd).map_err(|_| EINVAL)?;
    let channels = call.file().channels();
    if !channels.is_some_and(|channels| notifier.belongs_to(&channels)) {
        return Err(EINVAL);
    }
    Ok(notifier)
}

/// A channel whose file nobody sees yet.
pub(crate) struct NewNotifier {
    /// The file.
    file: AnonFile,
    /// Its descriptor.
    fd: NewFd,
}

impl Commit for NewNotifier {
    fn commit(self) -> Result {
        self.fd.install(self.file);
        Ok(())
    }
}

/// Creates a channel.
pub(crate) fn create(
    call: &Call<'_>,
    _request: create_notifier::Request,
) -> Result<Outcome<create_notifier::Reply, NewNotifier>> {
    let file = call.file();
    let notifier = Notifier::new(&file.make_channels()?, file.stats())?;
    let new = NewNotifier {
        file: AnonFile::new(c"[notifier]", notifier.clone(), Access::ReadWrite)?,
        fd: NewFd::reserve(true)?,
    };
    // From here on the release of the file takes it out again.
    Notifier::join(&notifier)?;
    let reply = create_notifier::Reply {
        // CAST: A descriptor is not negative as an `int`.
        fd: new.fd.fd() as i32,
    };
    then(reply, new)
}

/// Reads notifications; none when the time is over.
pub(crate) fn wait<'a>(
    call: &EventCall<'a>,
    request: wait_notify::Request,
) -> Result<Outcome<wait_notify::Reply, Option<Delivery<'a>>>> {
    let max = MAX_EVENTS.min(request.cnt as usize);
    if max == 0 {
        return Err(EINVAL);
    }
    let patience = match u32::try_from(request.timeout) {
        _ if call.nonblocking => Patience::None,
        Ok(0) => Patience::None,
        Ok(millis) => Patience::Millis(millis),
        Err(_) => Patience::Forever,
    };
    let delivery = match call.channel.read(max, patience) {
        Err(e) if e == EAGAIN => None,
        delivery => delivery?,
    };
    let mut reply = wait_notify::Reply::default();
    for notification in delivery.iter().flat_map(Delivery::notifications) {
        reply.notify.push(&notification.kind.to_ne_bytes())?;
        reply.notify.push(&notification.status.to_ne_bytes())?;
        reply.notify.push(&notification.user_ctx.to_ne_bytes())?;
        reply.notify.push(&notification.data.to_ne_bytes())?;
        reply.notify.push(&notification.tpn.to_ne_bytes())?;
        reply.notify.push(&0u32.to_ne_bytes())?;
        reply.cnt += 1;
    }
    then(reply, delivery)
}
