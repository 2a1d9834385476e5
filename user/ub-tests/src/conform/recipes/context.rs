// SPDX-License-Identifier: GPL-2.0

//! Contexts, their channels, and questions about the device.

use ub_client::abi::*;
use ub_client::sys;
use ub_client::Context;

use crate::conform::world::{new_files, nothing, u32v, u64v, Given, Recipe, World};
use crate::Failure;

/// The commands of this file.
pub const RECIPES: &[Recipe] = &[
    Recipe {
        number: UBURMA_CMD_CREATE_CTX,
        prepare: |world| {
            let eid = world.ctx().eid();
            let inputs = vec![
                (UBURMA_CREATE_CTX_IN_EID, eid.0.to_vec()),
                u32v(UBURMA_CREATE_CTX_IN_EID_INDEX, 0),
            ];
            let given = Given::inputs(inputs).on(Context::open_bare(&world.device)?);
            given.counting_files()
        },
        finish: |_, given, reply| new_files(&given, reply),
        makes: true,
    },
    Recipe {
        number: UBURMA_CMD_CREATE_JFCE,
        prepare: |_| Given::default().counting_files(),
        finish: |_, given, reply| new_files(&given, reply),
        makes: true,
    },
    Recipe {
        number: UBURMA_CMD_USER_CTL,
        prepare: ring_by_command,
        finish: nothing,
        makes: false,
    },
    Recipe {
        number: UBURMA_CMD_GET_EID_LIST,
        prepare: |_| {
            let max = u32v(UBURMA_GET_EID_LIST_IN_MAX_EID_CNT, UBURMA_MAX_EID_CNT);
            Ok(Given::inputs(vec![max]))
        },
        finish: nothing,
        makes: false,
    },
    Recipe {
        number: UBURMA_CMD_QUERY_DEV_ATTR,
        prepare: |world| {
            let mut name = world.device.name.clone().into_bytes();
            name.resize(UBURMA_MAX_DEV_NAME as usize, 0);
            Ok(Given::inputs(vec![(UBURMA_QUERY_DEVICE_IN_DEV_NAME, name)]))
        },
        finish: nothing,
        makes: false,
    },
    Recipe {
        number: UBURMA_CMD_GET_JFCE_CNT,
        prepare: |_| Ok(Given::default()),
        finish: nothing,
        makes: false,
    },
];

/// Arms a completion queue by the driver's own command.
fn ring_by_command(world: &mut World) -> Result<Given, Failure> {
    let ring = ubsoft_ctl_ring {
        cmd: IOC_CQ_ARM as u32,
        reserved: 0,
        arg: u64::from(world.a()?.sent.ring().ring().resp().queue_ref),
    };
    let bytes = sys::bytes_of(&ring);
    let addr = world.put(0, bytes);
    Ok(Given::inputs(vec![
        u64v(UBURMA_USER_CTL_IN_IN_ADDR, addr),
        u32v(UBURMA_USER_CTL_IN_IN_LEN, bytes.len() as u32),
        u32v(UBURMA_USER_CTL_IN_OPCODE, UBSOFT_CTL_RING),
    ]))
}
