// SPDX-License-Identifier: GPL-2.0

//! Receive queues.

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
        create_jfr,
        delete_jfr,
        modify_jfr,
        query_jfr, //
    },
    teardown::destroy,
    ub::client::{
        EventType,
        Jfr,
        JfrAttr,
        JfrConfig, //
    },
    uobject::{
        Echo,
        Parts, //
    },
};
use kernel::prelude::*;

/// Events that a receive queue may raise.
const EVENTS: &[EventType] = &[EventType::JFR_ERR, EventType::JFR_LIMIT];

/// Creates a receive queue.
pub(crate) fn create<'a>(
    call: &Call<'a>,
    request: create_jfr::Request,
) -> Result<Outcome<create_jfr::Reply, NewObject<'a>>> {
    let context = call.context()?;
    let handle = NewHandle::reserve(call)?;
    let sink = Sink::new(&context.jfae, request.urma_jfr, EVENTS, None)?;
    let config = JfrConfig {
        id: request.id,
        depth: request.depth,
        flag: flags::jfr(request.flag),
        trans_mode: request.trans_mode,
        eid_index: context.eid_index,
        max_sge: request.max_sge,
        min_rnr_timer: request.min_rnr_timer,
        token: request.token,
    };
    let parts = Parts {
        sink: Some(sink.clone()),
        echo: Echo {
            flag: request.flag,
            ..Default::default()
        },
        parents: [Some(request.jfc_handle.reference()?), None, None],
    };
    let user = call.user(&request.udata)?;
    let jfc = request.jfc_handle.get()?;
    let jfr = Jfr::new(call.device(), &config, jfc, sink, Some(&user))?;
    let (id, granted) = jfr.granted()?;
    let reply = create_jfr::Reply {
        id,
        depth: granted.depth,
        max_sge: granted.max_sge,
        handle: handle.value(),
        udata: request.udata,
    };
    then(reply, handle.attach(call, jfr, parts)?)
}

/// Changes state or threshold of a receive queue.
pub(crate) fn modify(
    call: &Call<'_>,
    request: modify_jfr::Request,
) -> Result<Outcome<modify_jfr::Reply>> {
    let attr = JfrAttr {
        mask: request.mask,
        rx_threshold: request.rx_threshold,
        state: request.state,
    };
    let user = call.user(&request.udata)?;
    request.handle.get()?.modify(attr, Some(&user))?;
    done(modify_jfr::Reply {
        udata: request.udata,
    })
}

/// Reads back configuration and state of a receive queue.
pub(crate) fn query(
    _call: &Call<'_>,
    request: query_jfr::Request,
) -> Result<Outcome<query_jfr::Reply>> {
    let jfr = request.handle.get()?;
    let (_, attr) = jfr.query()?;
    let (id, config) = jfr.granted()?;
    done(query_jfr::Reply {
        depth: config.depth,
        flag: request.handle.echo().flag,
        trans_mode: config.trans_mode,
        max_sge: config.max_sge,
        min_rnr_timer: config.min_rnr_timer,
        token: config.token,
        id,
        rx_threshold: attr.rx_threshold,
        state: attr.state,
    })
}

/// Destroys a receive queue.
pub(crate) fn delete(
    call: &Call<'_>,
    request: delete_jfr::Request,
) -> Result<Outcome<delete_jfr::Reply>> {
    let reported = destroy(call.file(), &request.handle, call.is_gone())?;
    done(delete_jfr::Reply {
        async_events_reported: reported.events,
    })
}
