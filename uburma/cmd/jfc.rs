// SPDX-License-Identifier: GPL-2.0

//! Completion queues and their event channels.

use super::staged::{
    self,
    Activated,
    QueueOptions,
    Setup, //
};
use crate::{
    bindings_ub as b,
    command::{
        done,
        then,
        Commit,
        Outcome, //
    },
    dispatch::Call,
    event::{
        jfce::Jfce,
        sink::Sink, //
    },
    flags,
    handle::{
        NewHandle,
        NewObject, //
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
        active_jfc,
        alloc_jfc,
        create_jfc,
        create_jfce,
        delete_jfc,
        modify_jfc, //
    },
    ub::client::{
        jfc::JfcKind,
        EventType,
        Jfc,
        JfcConfig,
        Making, //
    },
    uobject::{
        Echo,
        Parts, //
    }, //
};
use kernel::prelude::*;

/// Finds the event channel of a new JFC: one of this file.
fn find_jfce(call: &Call<'_>, fd: i32) -> Result<Option<Arc<Jfce>>> {
    if fd == b::UBURMA_NO_JFCE_FD {
        return Ok(None);
    }
    let jfce = from_fd::<Jfce>(fd).map_err(|_| EINVAL)?;
    let channels = call.file().channels();
    if !channels.is_some_and(|channels| jfce.belongs_to(&channels)) {
        return Err(EINVAL);
    }
    Ok(Some(jfce))
}

/// Creates a completion queue.
pub(crate) fn create<'a>(
    call: &Call<'a>,
    request: create_jfc::Request,
) -> Result<Outcome<create_jfc::Reply, NewObject<'a>>> {
    make(call, request, Making::Whole)
}

/// Allocates a completion queue.
pub(crate) fn alloc<'a>(
    call: &Call<'a>,
    request: alloc_jfc::Request,
) -> Result<Outcome<alloc_jfc::Reply, NewObject<'a>>> {
    let request = create_jfc::Request {
        depth: request.depth,
        flag: request.flag,
        jfce_fd: request.jfce_fd,
        urma_jfc: request.urma_jfc,
        ceqn: request.ceqn,
        udata: request.udata,
    };
    let made = make(call, request, Making::Allocated)?;
    let reply = alloc_jfc::Reply {
        id: made.reply.id,
        depth: made.reply.depth,
        handle: made.reply.handle,
        udata: made.reply.udata,
    };
    then(reply, made.then)
}

/// Puts a completion queue to work that was allocated.
pub(crate) fn active(
    call: &Call<'_>,
    request: active_jfc::Request,
) -> Result<Outcome<active_jfc::Reply, Activated<JfcKind>>> {
    let options = QueueOptions::read(request.jfc_opt)?;
    let jfc = &request.handle;
    let activated = Setup::with(call, jfc, &request.udata, |setup| {
        setup.word(b::UBURMA_OPT_JFC_DEPTH, request.depth)?;
        setup.flag(b::UBURMA_OPT_JFC_FLAG, request.flag)?;
        setup.word(b::UBURMA_OPT_JFC_CEQN, request.ceqn)?;
        setup.options(&options)?;
        setup.activate()
    })?;
    let (id, depth) = jfc.get()?.granted()?;
    let reply = active_jfc::Reply {
        id,
        depth,
        handle: jfc.handle(),
        udata: request.udata,
    };
    then(reply, activated)
}

/// Makes a completion queue.
fn make<'a>(
    call: &Call<'a>,
    request: create_jfc::Request,
    making: Making,
) -> Result<Outcome<create_jfc::Reply, NewObject<'a>>> {
    let jfce = find_jfce(call, request.jfce_fd)?;
    let jfae = &call.context()?.jfae;
    let sink = Sink::new(jfae, request.urma_jfc, &[EventType::JFC_ERR], jfce)?;
    let handle = NewHandle::reserve(call)?;
    let config = JfcConfig {
        depth: request.depth,
        flag: flags::jfc(request.flag),
        ceqn: request.ceqn,
    };
    let user = call.user(&request.udata)?;
    let jfc = Jfc::new(call.device(), &config, sink.clone(), making, Some(&user))?;
    let (id, depth) = jfc.granted()?;
    let reply = create_jfc::Reply {
        id,
        depth,
        handle: handle.value(),
        udata: request.udata,
    };
    let parts = Parts {
        sink: Some(sink),
        echo: Echo {
            flag: request.flag,
            ..Default::default()
        },
        ..Default::default()
    };
    then(reply, handle.attach(call, jfc, parts)?)
}

/// Changes the moderation of a completion queue.
pub(crate) fn modify(
    call: &Call<'_>,
    request: modify_jfc::Request,
) -> Result<Outcome<modify_jfc::Reply>> {
    request.handle.get()?.modify(
        request.mask,
        request.moderate_count,
        request.moderate_period,
        Some(&call.user(&request.udata)?),
    )?;
    done(modify_jfc::Reply {
        udata: request.udata,
    })
}

/// Destroys a completion queue.
pub(crate) fn delete(
    call: &Call<'_>,
    request: delete_jfc::Request,
) -> Result<Outcome<delete_jfc::Reply>> {
    let reported = staged::delete(call, &request.handle)?;
    done(delete_jfc::Reply {
        comp_events_reported: reported.completions,
        async_events_reported: reported.events,
    })
}

/// An event channel whose file nobody sees yet.
pub(crate) struct NewJfce {
    /// The file.
    file: AnonFile,
    /// Its descriptor.
    fd: NewFd,
}

impl Commit for NewJfce {
    fn commit(self) -> Result {
        self.fd.install(self.file);
        Ok(())
    }
}

/// Creates an event channel for completion queues.
pub(crate) fn create_jfce(
    call: &Call<'_>,
    _request: create_jfce::Request,
) -> Result<Outcome<create_jfce::Reply, NewJfce>> {
    let file = call.file();
    let jfce = Jfce::new(&file.make_channels()?, file.stats())?;
    let new = NewJfce {
        file: AnonFile::new(c"[jfce]", jfce.clone(), Access::ReadWrite)?,
        fd: NewFd::reserve(true)?,
    };
    // From here on the release of the file takes it out again.
    Jfce::join(&jfce)?;
    let reply = create_jfce::Reply {
        // CAST: A descriptor is not negative as an `int`.
        fd: new.fd.fd() as i32,
    };
    then(reply, new)
}
