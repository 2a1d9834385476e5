// SPDX-License-Identifier: GPL-2.0

//! Jetty groups.

use crate::{
    command::{
        done,
        then,
        Outcome, //
    },
    dispatch::Call,
    event::sink::Sink,
    flags,
    handle::{
        NewHandle,
        NewObject, //
    },
    table::{
        create_jetty_grp,
        destroy_jetty_grp, //
    },
    teardown::destroy,
    ub::client::{
        EventType,
        JettyGroup,
        JettyGroupConfig, //
    },
    uobject::Parts,
};
use kernel::prelude::*;

/// Creates a jetty group.
pub(crate) fn create<'a>(
    call: &Call<'a>,
    request: create_jetty_grp::Request,
) -> Result<Outcome<create_jetty_grp::Reply, NewObject<'a>>> {
    let context = call.context()?;
    let handle = NewHandle::reserve(call)?;
    let events = &[EventType::JETTY_GRP_ERR];
    let sink = Sink::new(&context.jfae, request.urma_jetty_grp, events, None)?;
    let config = JettyGroupConfig {
        name: request.name,
        eid_index: context.eid_index,
        flag: flags::jetty_group(request.flag),
        token: request.token,
        id: request.id,
        policy: request.policy,
    };
    let user = call.user(&request.udata)?;
    let group = JettyGroup::new(call.device(), &config, sink.clone(), Some(&user))?;
    let reply = create_jetty_grp::Reply {
        id: group.id()?,
        handle: handle.value(),
        udata: request.udata,
    };
    let parts = Parts {
        sink: Some(sink),
        ..Default::default()
    };
    then(reply, handle.attach(call, group, parts)?)
}

/// Destroys a jetty group; `EBUSY` while it has members.
pub(crate) fn delete(
    call: &Call<'_>,
    request: destroy_jetty_grp::Request,
) -> Result<Outcome<destroy_jetty_grp::Reply>> {
    let reported = destroy(call.file(), &request.handle, call.is_gone())?;
    done(destroy_jetty_grp::Reply {
        async_events_reported: reported.events,
    })
}
