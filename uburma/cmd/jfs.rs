// SPDX-License-Identifier: GPL-2.0

//! Send queues.

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
        active_jfs,
        alloc_jfs,
        create_jfs,
        delete_jfs,
        modify_jfs,
        query_jfs, //
    },
    ub::client::{
        jfs::JfsKind,
        EventType,
        Jfs,
        JfsConfig,
        Making, //
    },
    uobject::{
        Echo,
        Parts, //
    },
};
use kernel::prelude::*;

/// Creates a send queue.
pub(crate) fn create<'a>(
    call: &Call<'a>,
    request: create_jfs::Request,
) -> Result<Outcome<create_jfs::Reply, NewObject<'a>>> {
    make(call, request, Making::Whole)
}

/// Allocates a send queue.
pub(crate) fn alloc<'a>(
    call: &Call<'a>,
    request: alloc_jfs::Request,
) -> Result<Outcome<alloc_jfs::Reply, NewObject<'a>>> {
    let request = create_jfs::Request {
        depth: request.depth,
        flag: request.flag,
        trans_mode: request.trans_mode,
        priority: request.priority,
        max_sge: request.max_sge,
        max_rsge: request.max_rsge,
        max_inline_data: request.max_inline_data,
        rnr_retry: request.rnr_retry,
        err_timeout: request.err_timeout,
        jfc_id: request.jfc_id,
        jfc_handle: request.jfc_handle,
        urma_jfs: request.urma_jfs,
        udata: request.udata,
        retry_cnt: 0,
    };
    let made = make(call, request, Making::Allocated)?;
    let reply = alloc_jfs::Reply {
        id: made.reply.id,
        depth: made.reply.depth,
        max_sge: made.reply.max_sge,
        max_rsge: made.reply.max_rsge,
        max_inline_data: made.reply.max_inline_data,
        handle: made.reply.handle,
        udata: made.reply.udata,
    };
    then(reply, made.then)
}

/// Puts a send queue to work that was allocated.
pub(crate) fn active(
    call: &Call<'_>,
    request: active_jfs::Request,
) -> Result<Outcome<active_jfs::Reply, Activated<JfsKind>>> {
    let options = QueueOptions::read(request.jfs_opt)?;
    // A word in this command alone.
    let priority = u8::try_from(request.priority).map_err(|_| EINVAL)?;
    let jfs = &request.handle;
    let activated = Setup::with(call, jfs, &request.udata, |setup| {
        setup.word(b::UBURMA_OPT_JFS_DEPTH, request.depth)?;
        setup.flag(b::UBURMA_OPT_JFS_FLAG, request.flag)?;
        setup.word(b::UBURMA_OPT_JFS_TRANS_MODE, request.trans_mode)?;
        setup.byte(b::UBURMA_OPT_JFS_PRIORITY, priority)?;
        setup.byte(b::UBURMA_OPT_JFS_MAX_SGE, request.max_sge)?;
        setup.byte(b::UBURMA_OPT_JFS_MAX_RSGE, request.max_rsge)?;
        setup.word(b::UBURMA_OPT_JFS_MAX_INLINE_DATA, request.max_inline_data)?;
        setup.byte(b::UBURMA_OPT_JFS_RNR_RETRY, request.rnr_retry)?;
        setup.byte(b::UBURMA_OPT_JFS_ERR_TIMEOUT, request.err_timeout)?;
        setup.parent(b::UBURMA_OPT_JFS_BIND_JFC, request.jfc_handle)?;
        setup.options(&options)?;
        setup.activate()
    })?;
    let (id, granted) = jfs.get()?.granted()?;
    let reply = active_jfs::Reply {
        id,
        depth: granted.depth,
        max_sge: granted.max_sge,
        max_rsge: granted.max_rsge,
        max_inline_data: granted.max_inline_data,
        handle: jfs.handle(),
        udata: request.udata,
    };
    then(reply, activated)
}

/// Makes a send queue.
fn make<'a>(
    call: &Call<'a>,
    request: create_jfs::Request,
    making: Making,
) -> Result<Outcome<create_jfs::Reply, NewObject<'a>>> {
    let context = call.context()?;
    let handle = NewHandle::reserve(call)?;
    let sink = Sink::new(&context.jfae, request.urma_jfs, &[EventType::JFS_ERR], None)?;
    let config = JfsConfig {
        depth: request.depth,
        flag: flags::jfs(request.flag),
        trans_mode: request.trans_mode,
        eid_index: context.eid_index,
        priority: request.priority,
        max_sge: request.max_sge,
        max_rsge: request.max_rsge,
        max_inline_data: request.max_inline_data,
        rnr_retry: request.rnr_retry,
        err_timeout: request.err_timeout,
    };
    let parts = Parts {
        sink: Some(sink.clone()),
        echo: Echo {
            flag: request.flag,
            retry_cnt: request.retry_cnt,
            ..Default::default()
        },
        parents: [Some(request.jfc_handle.parent()?), None, None, None],
        request: None,
    };
    let user = call.user(&request.udata)?;
    let jfc = request.jfc_handle.get()?;
    let jfs = Jfs::new(call.device(), &config, jfc, sink, making, Some(&user))?;
    let (id, granted) = jfs.granted()?;
    let reply = create_jfs::Reply {
        id,
        depth: granted.depth,
        max_sge: granted.max_sge,
        max_rsge: granted.max_rsge,
        max_inline_data: granted.max_inline_data,
        handle: handle.value(),
        udata: request.udata,
    };
    then(reply, handle.attach(call, jfs, parts)?)
}

/// Changes the state of a send queue.
pub(crate) fn modify(
    call: &Call<'_>,
    request: modify_jfs::Request,
) -> Result<Outcome<modify_jfs::Reply>> {
    let user = call.user(&request.udata)?;
    let jfs = request.handle.get()?;
    jfs.modify(request.mask, request.state, Some(&user))?;
    done(modify_jfs::Reply {
        udata: request.udata,
    })
}

/// Reads back configuration and state of a send queue.
pub(crate) fn query(
    _call: &Call<'_>,
    request: query_jfs::Request,
) -> Result<Outcome<query_jfs::Reply>> {
    let echo = request.handle.echo();
    let jfs = request.handle.get()?;
    let (_, state) = jfs.query()?;
    let (_, config) = jfs.granted()?;
    done(query_jfs::Reply {
        depth: config.depth,
        flag: echo.flag,
        trans_mode: config.trans_mode,
        priority: config.priority,
        max_sge: config.max_sge,
        max_rsge: config.max_rsge,
        max_inline_data: config.max_inline_data,
        retry_cnt: echo.retry_cnt,
        rnr_retry: config.rnr_retry,
        err_timeout: config.err_timeout,
        state,
    })
}

/// Destroys a send queue.
pub(crate) fn delete(
    call: &Call<'_>,
    request: delete_jfs::Request,
) -> Result<Outcome<delete_jfs::Reply>> {
    let reported = staged::delete(call, &request.handle)?;
    done(delete_jfs::Reply {
        async_events_reported: reported.events,
    })
}
