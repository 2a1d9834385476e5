// SPDX-License-Identifier: GPL-2.0

//! Reading events.

use crate::{
    command::{
        then,
        Outcome, //
    },
    dispatch::EventCall,
    event::channel::{
        Delivery,
        Patience,
        MAX_EVENTS, //
    },
    table::{
        get_async_event,
        wait_jfce, //
    },
};
use kernel::prelude::*;

/// Reads completion events; none when the time is over.
pub(crate) fn wait_jfce<'a>(
    call: &EventCall<'a>,
    request: wait_jfce::Request,
) -> Result<Outcome<wait_jfce::Reply, Option<Delivery<'a>>>> {
    let max = MAX_EVENTS.min(request.max_event_cnt as usize);
    if max == 0 {
        return Err(EINVAL);
    }
    let patience = match u32::try_from(request.time_out) {
        Ok(0) => Patience::None,
        Ok(millis) => Patience::Millis(millis),
        Err(_) => Patience::Forever,
    };
    let delivery = call.channel.read(max, patience)?;
    let mut reply = wait_jfce::Reply::default();
    for (_, data) in delivery.iter().flat_map(Delivery::events) {
        reply.event_data.push(&data.to_ne_bytes())?;
        reply.event_cnt += 1;
    }
    then(reply, delivery)
}

/// Reads one asynchronous event.
pub(crate) fn get_async_event<'a>(
    call: &EventCall<'a>,
    _request: get_async_event::Request,
) -> Result<Outcome<get_async_event::Reply, Option<Delivery<'a>>>> {
    let patience = if call.nonblocking {
        Patience::None
    } else {
        Patience::Forever
    };
    let delivery = call.channel.read(1, patience)?;
    let event = delivery.as_ref().and_then(|d| d.events().next());
    let (event_type, event_data) = event.ok_or(EAGAIN)?;
    let reply = get_async_event::Reply {
        event_type,
        event_data,
    };
    then(reply, delivery)
}
