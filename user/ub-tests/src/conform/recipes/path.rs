// SPDX-License-Identifier: GPL-2.0

//! Transport paths and addresses.

use ub_client::abi::*;
use ub_client::{Target, TpQuery};

use crate::conform::world::{nothing, u32v, u64v, u8v, Given, Recipe, World};
use crate::Failure;

/// The commands of this file.
pub const RECIPES: &[Recipe] = &[
    Recipe {
        number: UBURMA_CMD_GET_TP_LIST,
        prepare: |world| {
            let (local, peer) = eids(world)?;
            Ok(Given::inputs(vec![
                u32v(UBURMA_GET_TP_LIST_IN_FLAG, UBURMA_GET_TP_CFG_FLAG_RTP),
                u32v(UBURMA_GET_TP_LIST_IN_TRANS_MODE, UBURMA_TM_RM),
                (UBURMA_GET_TP_LIST_IN_LOCAL_EID, local),
                (UBURMA_GET_TP_LIST_IN_PEER_EID, peer),
                u32v(UBURMA_GET_TP_LIST_IN_TP_CNT, UBURMA_MAX_TP),
            ]))
        },
        finish: nothing,
        makes: false,
    },
    Recipe {
        number: UBURMA_CMD_MODIFY_TP,
        prepare: |_| {
            Ok(Given::inputs(vec![
                u32v(UBURMA_MODIFY_TP_IN_TPN, 1),
                u32v(UBURMA_MODIFY_TP_IN_TP_CFG_TRANS_MODE, UBURMA_TM_RM),
            ]))
        },
        finish: nothing,
        makes: false,
    },
    Recipe {
        number: UBURMA_CMD_SET_TP_ATTR,
        prepare: |world| {
            let tp = path(world)?;
            Ok(Given::inputs(vec![
                u64v(UBURMA_SET_TP_ATTR_IN_TP_HANDLE, tp),
                u8v(UBURMA_SET_TP_ATTR_IN_TP_ATTR_CNT, 1),
                u32v(UBURMA_SET_TP_ATTR_IN_TP_ATTR_BITMAP, 1),
            ]))
        },
        finish: nothing,
        makes: false,
    },
    Recipe {
        number: UBURMA_CMD_GET_TP_ATTR,
        prepare: |world| {
            let tp = path(world)?;
            Ok(Given::inputs(vec![u64v(
                UBURMA_GET_TP_ATTR_IN_TP_HANDLE,
                tp,
            )]))
        },
        finish: nothing,
        makes: false,
    },
    Recipe {
        number: UBURMA_CMD_EXCHANGE_TP_INFO,
        prepare: |world| {
            let (local, peer) = eids(world)?;
            let tp = path(world)?;
            Ok(Given::inputs(vec![
                u32v(UBURMA_EXCHANGE_TP_INFO_IN_FLAG, UBURMA_GET_TP_CFG_FLAG_RTP),
                u32v(UBURMA_EXCHANGE_TP_INFO_IN_TRANS_MODE, UBURMA_TM_RM),
                (UBURMA_EXCHANGE_TP_INFO_IN_LOCAL_EID, local),
                (UBURMA_EXCHANGE_TP_INFO_IN_PEER_EID, peer),
                u64v(UBURMA_EXCHANGE_TP_INFO_IN_TP_HANDLE, tp),
                u32v(UBURMA_EXCHANGE_TP_INFO_IN_TX_PSN, 1),
            ]))
        },
        finish: nothing,
        makes: false,
    },
    Recipe {
        number: UBURMA_CMD_GET_NETADDR_LIST,
        prepare: |_| {
            let max = u32v(UBURMA_GET_NET_ADDR_LIST_IN_MAX_NETADDR_CNT, 4);
            Ok(Given::inputs(vec![max]))
        },
        finish: nothing,
        makes: false,
    },
    Recipe {
        number: UBURMA_CMD_GET_EID_BY_IP,
        prepare: |world| {
            let addr = net_addr(&world.b()?.ctx.eid().0);
            Ok(Given::inputs(vec![(
                UBURMA_GET_EID_BY_IP_INFO_IN_NET_ADDR,
                addr,
            )]))
        },
        finish: nothing,
        makes: false,
    },
    Recipe {
        number: UBURMA_CMD_GET_IP_BY_EID,
        prepare: |world| {
            let eid = world.b()?.ctx.eid().0.to_vec();
            Ok(Given::inputs(vec![(UBURMA_GET_IP_BY_EID_INFO_IN_EID, eid)]))
        },
        finish: nothing,
        makes: false,
    },
    Recipe {
        number: UBURMA_CMD_GET_SMAC,
        prepare: |_| Ok(Given::default()),
        finish: nothing,
        makes: false,
    },
    Recipe {
        number: UBURMA_CMD_GET_DMAC,
        prepare: |world| {
            let addr = net_addr(&world.b()?.ctx.eid().0);
            Ok(Given::inputs(vec![(UBURMA_GET_DMAC_IN_NET_ADDR, addr)]))
        },
        finish: nothing,
        makes: false,
    },
];

/// Ours and the peer's.
fn eids(world: &World) -> Result<(Vec<u8>, Vec<u8>), Failure> {
    let peer = world.b()?.ctx.eid();
    Ok((world.ctx().eid().0.to_vec(), peer.0.to_vec()))
}

/// The handle of a path to the peer.
fn path(world: &World) -> Result<u64, Failure> {
    let query = TpQuery {
        flag: UBURMA_GET_TP_CFG_FLAG_RTP,
        mode: UBURMA_TM_RM,
        peer: world.b()?.ctx.eid(),
        count: 1,
    };
    let list = Target::tp_list(world.ctx(), query)?;
    list.first()
        .copied()
        .ok_or_else(|| Failure::Fail("no path to the peer".into()))
}

/// The network address that an EID stands for.
fn net_addr(eid: &[u8; 16]) -> Vec<u8> {
    let mut addr = vec![0; std::mem::size_of::<uburma_net_addr>()];
    addr[..2].copy_from_slice(&(libc::AF_INET6 as u16).to_ne_bytes());
    addr[4..20].copy_from_slice(eid);
    addr
}
