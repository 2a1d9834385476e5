// SPDX-License-Identifier: GPL-2.0

//! Send queues.

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
        create_jfs,
        delete_jfs,
        modify_jfs,
        query_jfs, //
    },
    teardown::destroy,
    ub::client::{
        EventType,
        Jfs,
        JfsConfig, //
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
        parents: [Some(request.jfc_handle.reference()?), None, None],
    };
    let user = call.user(&request.udata)?;
    let jfc = request.jfc_handle.get()?;
    let jfs = Jfs::new(call.device(), &config, jfc, sink, Some(&user))?;
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
    let reported = destroy(call.file(), &request.handle, call.is_gone())?;
    done(delete_jfs::Reply {
        async_events_reported: reported.events,
    })
}
