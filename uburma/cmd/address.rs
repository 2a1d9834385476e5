// SPDX-License-Identifier: GPL-2.0

//! Network addresses of UB entities.

use crate::{
    bindings_ub as b,
    command::{
        done,
        Outcome, //
    },
    dispatch::Call,
    io::{
        output_spec,
        Records, //
    },
    logic::net_addr::{
        NetAddr,
        RECORD_LEN, //
    },
    table::{
        get_dmac,
        get_eid_by_ip,
        get_ip_by_eid,
        get_netaddr_list,
        get_smac, //
    },
};
use kernel::prelude::*;

/// The list of addresses, as it is described to the user.
type List = Records<RECORD_LEN>;

/// Lists the addresses of the EIDs that the caller's namespace may use, as many as were asked for
/// and fit.
pub(crate) fn list(
    call: &Call<'_>,
    request: get_netaddr_list::Request,
) -> Result<Outcome<get_netaddr_list::Reply>> {
    let room =
        call.room(const { &output_spec::<List>(b::UBURMA_GET_NET_ADDR_LIST_OUT_NETADDR_LIST) })?;
    // CAST: From 32 to 64 bits.
    let room = room.min(request.max_netaddr_cnt as usize);
    let device = call.device();
    let mut list = List::default();
    for (eid, index) in device.eid_list()?.iter() {
        if list.len() >= room {
            break;
        }
        match device.ip_by_eid(eid) {
            Ok(addr) => list.push(addr.to_record(index))?,
            // It has gone meanwhile, or has none.
            Err(ENOENT) => (),
            Err(error) => return Err(error),
        }
    }
    done(get_netaddr_list::Reply {
        // CAST: At most the number of EIDs of a device.
        netaddr_cnt: list.len() as u32,
        netaddr_list: list,
    })
}

/// Finds the EID of an address.
pub(crate) fn eid_by_ip(
    call: &Call<'_>,
    request: get_eid_by_ip::Request,
) -> Result<Outcome<get_eid_by_ip::Reply>> {
    let addr = NetAddr::from_user(&request.net_addr)?;
    let eid = call.device().eid_by_ip(&addr)?;
    done(get_eid_by_ip::Reply { eid })
}

/// Finds the address of an EID.
pub(crate) fn ip_by_eid(
    call: &Call<'_>,
    request: get_ip_by_eid::Request,
) -> Result<Outcome<get_ip_by_eid::Reply>> {
    let addr = call.device().ip_by_eid(request.eid)?;
    let mut reply = get_ip_by_eid::Reply::default();
    reply.net_addr.push(&addr.to_user())?;
    done(reply)
}

/// Returns the MAC address of the device.
pub(crate) fn smac(
    call: &Call<'_>,
    _request: get_smac::Request,
) -> Result<Outcome<get_smac::Reply>> {
    let mac = call.device().smac()?;
    done(get_smac::Reply { mac })
}

/// Finds the MAC address of a peer.
pub(crate) fn dmac(
    call: &Call<'_>,
    request: get_dmac::Request,
) -> Result<Outcome<get_dmac::Reply>> {
    let addr = NetAddr::from_user(&request.net_addr)?;
    let mac = call.device().dmac(&addr)?;
    done(get_dmac::Reply { mac })
}
