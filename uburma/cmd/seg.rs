// SPDX-License-Identifier: GPL-2.0

//! Token ids and segments.

use crate::{
    command::{
        done,
        then,
        Outcome, //
    },
    dispatch::Call,
    flags,
    handle::{
        NewHandle,
        NewObject,
        Shared, //
    },
    table::{
        alloc_token_id,
        free_token_id,
        import_seg,
        register_seg,
        unimport_seg,
        unregister_seg, //
    },
    teardown::destroy,
    ub::client::{
        ImportedSegment,
        Segment,
        SegmentConfig,
        SegmentImport,
        TokenId, //
    },
    uobject::Parts,
};
use kernel::prelude::*;

/// Makes the name of a token.
pub(crate) fn alloc_token_id<'a>(
    call: &Call<'a>,
    request: alloc_token_id::Request,
) -> Result<Outcome<alloc_token_id::Reply, NewObject<'a>>> {
    let handle = NewHandle::reserve(call)?;
    let user = call.user(&request.udata)?;
    let flag = flags::token_id(request.flag);
    let token_id = TokenId::new(call.device(), flag, Some(&user))?;
    let reply = alloc_token_id::Reply {
        token_id: token_id.number()?,
        handle: handle.value(),
        udata: request.udata,
    };
    then(reply, handle.attach(call, token_id, Parts::default())?)
}

/// Frees the name of a token.
pub(crate) fn free_token_id(
    call: &Call<'_>,
    request: free_token_id::Request,
) -> Result<Outcome<free_token_id::Reply>> {
    let gone = call.is_gone();
    if !gone && request.handle.get()?.number()? != request.token_id {
        return Err(EPERM);
    }
    destroy(call.file(), &request.handle, gone)?;
    done(free_token_id::Reply {})
}

/// Registers memory of the caller.
pub(crate) fn register<'a>(
    call: &Call<'a>,
    request: register_seg::Request,
) -> Result<Outcome<register_seg::Reply, NewObject<'a>>> {
    let context = call.context()?;
    context.check_mm()?;
    let token_id = request.token_id_handle;
    let handle = NewHandle::reserve(call)?;
    let mut parts = Parts::default();
    parts.parents[0] = token_id.as_ref().map(Shared::parent).transpose()?;
    let config = SegmentConfig {
        va: request.va,
        len: request.len,
        eid_index: context.eid_index,
        token: request.token,
        flag: flags::register_seg(request.flag),
        iova: 0,
    };
    let (segment, number) = Segment::register(
        call.device(),
        &config,
        token_id.as_ref().map(Shared::get).transpose()?,
        Some(&call.user(&request.udata)?),
    )?;
    let reply = register_seg::Reply {
        token_id: number,
        handle: handle.value(),
        udata: request.udata,
    };
    then(reply, handle.attach(call, segment, parts)?)
}

/// Undoes the registration of memory.
pub(crate) fn unregister(
    call: &Call<'_>,
    request: unregister_seg::Request,
) -> Result<Outcome<unregister_seg::Reply>> {
    destroy(call.file(), &request.handle, call.is_gone())?;
    done(unregister_seg::Reply {})
}

/// Imports a remote segment.
pub(crate) fn import<'a>(
    call: &Call<'a>,
    request: import_seg::Request,
) -> Result<Outcome<import_seg::Reply, NewObject<'a>>> {
    let handle = NewHandle::reserve(call)?;
    let config = SegmentImport {
        eid: request.eid,
        va: request.va,
        len: request.len,
        token_id: request.token_id,
        token: request.token,
        flag: flags::import_seg(request.flag),
        mva: request.mva,
    };
    let user = call.user(&request.udata)?;
    let segment = ImportedSegment::import(call.device(), &config, Some(&user))?;
    let reply = import_seg::Reply {
        handle: handle.value(),
        udata: request.udata,
    };
    then(reply, handle.attach(call, segment, Parts::default())?)
}

/// Undoes the import of a segment.
pub(crate) fn unimport(
    call: &Call<'_>,
    request: unimport_seg::Request,
) -> Result<Outcome<unimport_seg::Reply>> {
    destroy(call.file(), &request.handle, call.is_gone())?;
    done(unimport_seg::Reply {})
}
