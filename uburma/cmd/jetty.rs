// SPDX-License-Identifier: GPL-2.0

//! Jettys.

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
        NewObject,
        Shared, //
    },
    table::{
        create_jetty,
        delete_jetty,
        modify_jetty,
        query_jetty, //
    },
    teardown::destroy,
    ub::client::{
        EventType,
        Jetty,
        JettyAttr,
        JettyConfig,
        JettyQueues,
        Jfr, //
    },
    uobject::{
        Echo,
        Parts, //
    },
};
use kernel::prelude::*;

/// Events that a jetty may raise.
const EVENTS: &[EventType] = &[EventType::JETTY_ERR, EventType::JETTY_LIMIT];

/// Returns the receive queue that a new jetty shares, if it shares one.
fn shared_jfr(request: &create_jetty::Request) -> Result<Option<&Shared<Jfr>>> {
    let share = request.jetty_flag & b::UBURMA_JETTY_FLAG_SHARE_JFR != 0;
    match &request.jfr_handle {
        Some(jfr) if share => Ok(Some(jfr)),
        None if share => Err(EINVAL),
        _ => Ok(None),
    }
}

/// Returns what a new jetty is built on, and what a query tells of it.
fn parts(request: &create_jetty::Request, jfr: Option<&Shared<Jfr>>) -> Result<Parts> {
    let jfr_id = match jfr {
        Some(jfr) => jfr.get()?.granted()?.0,
        None => 0,
    };
    Ok(Parts {
        sink: None,
        echo: Echo {
            flag: request.jetty_flag,
            jfs_flag: request.jfs_flag,
            jfr_flag: request.jfr_flag,
            jfr_id,
            retry_cnt: 0,
        },
        parents: [
            Some(request.send_jfc_handle.reference()?),
            Some(request.recv_jfc_handle.reference()?),
            jfr.map(Shared::reference).transpose()?,
        ],
    })
}

/// Returns the configuration of a new jetty.
fn config(request: &create_jetty::Request, eid_index: u32) -> JettyConfig {
    JettyConfig {
        id: request.id,
        flag: flags::jetty(request.jetty_flag, request.jfs_flag),
        trans_mode: request.trans_mode,
        eid_index,
        jfs_depth: request.jfs_depth,
        priority: request.priority,
        max_send_sge: request.max_send_sge,
        max_send_rsge: request.max_send_rsge,
        max_inline_data: request.max_inline_data,
        rnr_retry: request.rnr_retry,
        err_timeout: request.err_timeout,
        jfr_depth: request.jfr_depth,
        min_rnr_timer: request.min_rnr_timer,
        max_recv_sge: request.max_recv_sge,
        token: request.token,
    }
}

/// Creates a jetty.
pub(crate) fn create<'a>(
    call: &Call<'a>,
    request: create_jetty::Request,
) -> Result<Outcome<create_jetty::Reply, NewObject<'a>>> {
    let context = call.context()?;
    if request.is_jetty_grp != 0 {
        // No handle names a group.
        return Err(EINVAL);
    }
    let handle = NewHandle::reserve(call)?;
    let jfr = shared_jfr(&request)?;
    let mut parts = parts(&request, jfr)?;
    let sink = Sink::new(&context.jfae, request.urma_jetty, EVENTS, None)?;
    parts.sink = Some(sink.clone());
    let queues = JettyQueues {
        send_jfc: request.send_jfc_handle.get()?,
        recv_jfc: request.recv_jfc_handle.get()?,
        jfr: jfr.map(Shared::get).transpose()?,
    };
    let config = config(&request, context.eid_index);
    let user = call.user(&request.udata)?;
    let jetty = Jetty::new(call.device(), &config, queues, sink, Some(&user))?;
    let (id, mut granted) = jetty.granted()?;
    if let Some(jfr) = queues.jfr {
        // What it receives with is that of the queue it shares.
        let (_, shared) = jfr.granted()?;
        granted.jfr_depth = shared.depth;
        granted.max_recv_sge = shared.max_sge;
    }
    let reply = create_jetty::Reply {
        id,
        handle: handle.value(),
        jfs_depth: granted.jfs_depth,
        jfr_depth: granted.jfr_depth,
        max_send_sge: granted.max_send_sge,
        max_send_rsge: granted.max_send_rsge,
        max_recv_sge: granted.max_recv_sge,
        max_inline_data: granted.max_inline_data,
        udata: request.udata,
    };
    then(reply, handle.attach(call, jetty, parts)?)
}

/// Changes state or threshold of a jetty.
pub(crate) fn modify(
    call: &Call<'_>,
    request: modify_jetty::Request,
) -> Result<Outcome<modify_jetty::Reply>> {
    let attr = JettyAttr {
        mask: request.mask,
        rx_threshold: request.rx_threshold,
        state: request.state,
    };
    let user = call.user(&request.udata)?;
    request.handle.get()?.modify(attr, Some(&user))?;
    done(modify_jetty::Reply {
        udata: request.udata,
    })
}

/// Reads back configuration and state of a jetty.
pub(crate) fn query(
    _call: &Call<'_>,
    request: query_jetty::Request,
) -> Result<Outcome<query_jetty::Reply>> {
    let echo = request.handle.echo();
    let jetty = request.handle.get()?;
    let (_, attr) = jetty.query()?;
    let (id, config) = jetty.granted()?;
    done(query_jetty::Reply {
        id,
        jetty_flag: echo.flag,
        jfs_depth: config.jfs_depth,
        jfr_depth: config.jfr_depth,
        jfs_flag: echo.jfs_flag,
        jfr_flag: echo.jfr_flag,
        trans_mode: config.trans_mode,
        max_send_sge: config.max_send_sge,
        max_send_rsge: config.max_send_rsge,
        max_recv_sge: config.max_recv_sge,
        max_inline_data: config.max_inline_data,
        priority: config.priority,
        retry_cnt: echo.retry_cnt,
        rnr_retry: config.rnr_retry,
        err_timeout: config.err_timeout,
        min_rnr_timer: config.min_rnr_timer,
        jfr_id: echo.jfr_id,
        token: config.token,
        rx_threshold: attr.rx_threshold,
        state: attr.state,
    })
}

/// Destroys a jetty; if it is bound it is unbound first.
pub(crate) fn delete(
    call: &Call<'_>,
    request: delete_jetty::Request,
) -> Result<Outcome<delete_jetty::Reply>> {
    let reported = destroy(call.file(), &request.handle, call.is_gone())?;
    done(delete_jetty::Reply {
        async_events_reported: reported.events,
    })
}
