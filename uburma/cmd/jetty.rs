// SPDX-License-Identifier: GPL-2.0

//! Jettys.

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
        handle_in,
        NewHandle,
        NewObject,
        Shared, //
    },
    io::Udata,
    table::{
        active_jetty,
        alloc_jetty,
        create_jetty,
        delete_jetty,
        modify_jetty,
        query_jetty,
        AllocImage, //
    },
    ub::client::{
        jetty::JettyKind,
        EventType,
        Jetty,
        JettyAttr,
        JettyConfig,
        JettyGroup,
        JettyQueues,
        Jfr,
        Making, //
    },
    uobject::{
        Echo,
        Parts, //
    },
};
use core::mem::offset_of;
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

/// Returns the group that a new jetty joins, if it joins one.
fn group(call: &Call<'_>, request: &create_jetty::Request) -> Result<Option<Shared<JettyGroup>>> {
    if request.is_jetty_grp == 0 {
        return Ok(None);
    }
    let handle = handle_in(request.jetty_grp_handle)?.ok_or(EINVAL)?;
    Shared::find(call, handle).map(Some)
}

/// Returns what a new jetty is built on, and what a query tells of it.
fn parts(
    request: &create_jetty::Request,
    jfr: Option<&Shared<Jfr>>,
    group: Option<&Shared<JettyGroup>>,
) -> Result<Parts> {
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
            Some(request.send_jfc_handle.parent()?),
            Some(request.recv_jfc_handle.parent()?),
            jfr.map(Shared::parent).transpose()?,
            group.map(Shared::parent).transpose()?,
        ],
        request: None,
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
    make(call, request, Making::Whole)
}

/// Makes a jetty.
fn make<'a>(
    call: &Call<'a>,
    request: create_jetty::Request,
    making: Making,
) -> Result<Outcome<create_jetty::Reply, NewObject<'a>>> {
    let context = call.context()?;
    let handle = NewHandle::reserve(call)?;
    let jfr = shared_jfr(&request)?;
    let group = group(call, &request)?;
    let mut parts = parts(&request, jfr, group.as_ref())?;
    let sink = Sink::new(&context.jfae, request.urma_jetty, EVENTS, None)?;
    parts.sink = Some(sink.clone());
    let queues = JettyQueues {
        send_jfc: request.send_jfc_handle.get()?,
        recv_jfc: request.recv_jfc_handle.get()?,
        jfr: jfr.map(Shared::get).transpose()?,
        group: group.as_ref().map(Shared::get).transpose()?,
    };
    let config = config(&request, context.eid_index);
    let user = call.user(&request.udata)?;
    let jetty = Jetty::new(call.device(), &config, queues, sink, making, Some(&user))?;
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

/// Returns the position of a member in the structure of `ALLOC_JETTY`.
macro_rules! at {
    ($($member:ident).+) => {
        offset_of!(b::uburma_cmd_create_jetty, $($member).+)
    };
}

/// Reads the request of `ALLOC_JETTY`, which is one structure.
fn read_alloc(call: &Call<'_>, cfg: &AllocImage) -> Result<create_jetty::Request> {
    let byte = |at| u8::from_ne_bytes(cfg.get(at));
    let word = |at| u32::from_ne_bytes(cfg.get(at));
    let long = |at| u64::from_ne_bytes(cfg.get(at));
    let jfr_handle = match long(at!(in_.jfr_handle)) {
        0 => None,
        handle => Some(Shared::named(call, handle)?),
    };
    Ok(create_jetty::Request {
        id: word(at!(in_.id)),
        jetty_flag: word(at!(in_.jetty_flag)),
        jfs_depth: word(at!(in_.jfs_depth)),
        jfs_flag: word(at!(in_.jfs_flag)),
        trans_mode: word(at!(in_.trans_mode)),
        priority: byte(at!(in_.priority)),
        max_send_sge: byte(at!(in_.max_send_sge)),
        max_send_rsge: byte(at!(in_.max_send_rsge)),
        max_inline_data: word(at!(in_.max_inline_data)),
        rnr_retry: byte(at!(in_.rnr_retry)),
        err_timeout: byte(at!(in_.err_timeout)),
        send_jfc_id: word(at!(in_.send_jfc_id)),
        send_jfc_handle: Shared::named(call, long(at!(in_.send_jfc_handle)))?,
        jfr_depth: word(at!(in_.jfr_depth)),
        jfr_flag: word(at!(in_.jfr_flag)),
        max_recv_sge: byte(at!(in_.max_recv_sge)),
        min_rnr_timer: byte(at!(in_.min_rnr_timer)),
        recv_jfc_id: word(at!(in_.recv_jfc_id)),
        recv_jfc_handle: Shared::named(call, long(at!(in_.recv_jfc_handle)))?,
        token: word(at!(in_.token)),
        jfr_id: word(at!(in_.jfr_id)),
        jfr_handle,
        jetty_grp_handle: long(at!(in_.jetty_grp_handle)),
        is_jetty_grp: byte(at!(in_.is_jetty_grp)),
        urma_jetty: long(at!(in_.urma_jetty)),
        udata: Udata::from_bytes(cfg.get(at!(udata))),
    })
}

/// Writes the reply of `ALLOC_JETTY` into the structure.
fn write_alloc(cfg: &mut AllocImage, reply: &create_jetty::Reply) -> Result {
    cfg.put(at!(out.id), &reply.id.to_ne_bytes())?;
    cfg.put(at!(out.handle), &reply.handle.to_ne_bytes())?;
    cfg.put(at!(out.jfs_depth), &reply.jfs_depth.to_ne_bytes())?;
    cfg.put(at!(out.jfr_depth), &reply.jfr_depth.to_ne_bytes())?;
    cfg.put(at!(out.max_send_sge), &[reply.max_send_sge])?;
    cfg.put(at!(out.max_send_rsge), &[reply.max_send_rsge])?;
    cfg.put(at!(out.max_recv_sge), &[reply.max_recv_sge])?;
    cfg.put(
        at!(out.max_inline_data),
        &reply.max_inline_data.to_ne_bytes(),
    )
}

/// Allocates a jetty.
pub(crate) fn alloc<'a>(
    call: &Call<'a>,
    request: alloc_jetty::Request,
) -> Result<Outcome<alloc_jetty::Reply, NewObject<'a>>> {
    let mut cfg = request.cfg;
    let request = read_alloc(call, &cfg)?;
    // Until the activation there is no other.
    let id = request.id;
    let mut made = make(call, request, Making::Allocated)?;
    made.reply.id = id;
    write_alloc(&mut cfg, &made.reply)?;
    then(alloc_jetty::Reply { cfg }, made.then)
}

/// Puts a jetty to work that was allocated.
///
/// The flags are those of its send side, and the word for its events is that of the allocation.
pub(crate) fn active(
    call: &Call<'_>,
    request: active_jetty::Request,
) -> Result<Outcome<active_jetty::Reply, Activated<JettyKind>>> {
    let options = QueueOptions::read_jetty(request.jetty_opt)?;
    let jetty = &request.handle;
    let activated = Setup::with(call, jetty, &request.udata, |setup| {
        setup.flag(b::UBURMA_OPT_JFS_FLAG, request.flag)?;
        setup.parent(b::UBURMA_OPT_JFS_BIND_JFC, request.send_jfc_handle)?;
        setup.parent(b::UBURMA_OPT_JETTY_BIND_RX_JFC, request.recv_jfc_handle)?;
        setup.options(&options)?;
        let activated = setup.activate()?;
        setup.note_jfr()?;
        Ok(activated)
    })?;
    let reply = active_jetty::Reply {
        jetty_id: jetty.get()?.granted()?.0,
        udata: request.udata,
    };
    then(reply, activated)
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
    let reported = staged::delete(call, &request.handle)?;
    done(delete_jetty::Reply {
        async_events_reported: reported.events,
    })
}
