// SPDX-License-Identifier: GPL-2.0

//! Receive queues.

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
        active_jfr,
        alloc_jfr,
        create_jfr,
        delete_jfr,
        modify_jfr,
        query_jfr, //
    },
    ub::client::{
        jfr::JfrKind,
        EventType,
        Jfr,
        JfrAttr,
        JfrConfig,
        Making, //
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
    make(call, request, Making::Whole)
}

/// Allocates a receive queue.
pub(crate) fn alloc<'a>(
    call: &Call<'a>,
    request: alloc_jfr::Request,
) -> Result<Outcome<alloc_jfr::Reply, NewObject<'a>>> {
    let request = create_jfr::Request {
        depth: request.depth,
        flag: request.flag,
        trans_mode: request.trans_mode,
        max_sge: request.max_sge,
        min_rnr_timer: request.min_rnr_timer,
        jfc_id: request.jfc_id,
        jfc_handle: request.jfc_handle,
        token: request.token,
        id: request.id,
        urma_jfr: request.urma_jfr,
        udata: request.udata,
    };
    // Until the activation there is no other.
    let id = request.id;
    let made = make(call, request, Making::Allocated)?;
    let reply = alloc_jfr::Reply {
        id,
        depth: made.reply.depth,
        max_sge: made.reply.max_sge,
        handle: made.reply.handle,
        udata: made.reply.udata,
    };
    then(reply, made.then)
}

/// Puts a receive queue to work that was allocated.
pub(crate) fn active(
    call: &Call<'_>,
    request: active_jfr::Request,
) -> Result<Outcome<active_jfr::Reply, Activated<JfrKind>>> {
    let options = QueueOptions::read(request.jfr_opt)?;
    let jfr = &request.handle;
    let activated = Setup::with(call, jfr, &request.udata, |setup| {
        setup.word(b::UBURMA_OPT_JFR_DEPTH, request.depth)?;
        setup.flag(b::UBURMA_OPT_JFR_FLAG, request.flag)?;
        setup.word(b::UBURMA_OPT_JFR_TRANS_MODE, request.trans_mode)?;
        setup.byte(b::UBURMA_OPT_JFR_MAX_SGE, request.max_sge)?;
        setup.byte(b::UBURMA_OPT_JFR_MIN_RNR_TIMER, request.min_rnr_timer)?;
        setup.parent(b::UBURMA_OPT_JFR_BIND_JFC, request.jfc_handle)?;
        setup.word(b::UBURMA_OPT_JFR_TOKEN_VALUE, request.token)?;
        setup.options(&options)?;
        setup.activate()
    })?;
    let (id, granted) = jfr.get()?.granted()?;
    let reply = active_jfr::Reply {
        id,
        depth: granted.depth,
        max_sge: granted.max_sge,
        handle: jfr.handle(),
        udata: request.udata,
    };
    then(reply, activated)
}

/// Makes a receive queue.
fn make<'a>(
    call: &Call<'a>,
    request: create_jfr::Request,
    making: Making,
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
        parents: [Some(request.jfc_handle.parent()?), None, None, None],
        request: None,
    };
    let user = call.user(&request.udata)?;
    let jfc = request.jfc_handle.get()?;
    let jfr = Jfr::new(call.device(), &config, jfc, sink, making, Some(&user))?;
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
    let reported = staged::delete(call, &request.handle)?;
    done(delete_jfr::Reply {
        async_events_reported: reported.events,
    })
}
