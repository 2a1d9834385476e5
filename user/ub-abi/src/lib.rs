// SPDX-License-Identifier: GPL-2.0

//! Numbers and layouts of the uburma user ABI and of the ubsoft rings, generated
//! from `include/uapi/ub/*.h`. The headers document them.

#![no_std]
#![allow(
    non_camel_case_types,
    non_snake_case,
    non_upper_case_globals,
    missing_docs,
    clippy::all
)]

include!(concat!(env!("OUT_DIR"), "/abi.rs"));

/// Builds an ioctl number the way `_IOC()` does.
const fn ioc(dir: u64, magic: u32, number: u64, size: usize) -> u64 {
    (dir << 30) | ((size as u64) << 16) | ((magic as u64) << 8) | number
}

/// UBURMA_IOC_CMD: commands of a device file.
pub const IOC_CMD: u64 = ioc(
    3,
    UBURMA_IOC_CMD_MAGIC as u32,
    UBURMA_IOC_CMD_NR as u64,
    core::mem::size_of::<uburma_cmd_hdr>(),
);
/// UBURMA_IOC_EVENT: commands of an event file.
pub const IOC_EVENT: u64 = ioc(
    3,
    UBURMA_IOC_EVENT_MAGIC as u32,
    UBURMA_IOC_EVENT_NR as u64,
    core::mem::size_of::<uburma_cmd_hdr>(),
);
/// UBSOFT_IOC_SQ_KICK of a doorbell file.
pub const IOC_SQ_KICK: u64 = ioc(0, UBSOFT_IOC_MAGIC as u32, 1, 0);
/// UBSOFT_IOC_RQ_KICK of a doorbell file.
pub const IOC_RQ_KICK: u64 = ioc(0, UBSOFT_IOC_MAGIC as u32, 2, 0);
/// UBSOFT_IOC_CQ_ARM of a doorbell file.
pub const IOC_CQ_ARM: u64 = ioc(0, UBSOFT_IOC_MAGIC as u32, 3, 0);
/// UBSOFT_IOC_CQ_ARM_SOLICITED of a doorbell file.
pub const IOC_CQ_ARM_SOLICITED: u64 = ioc(0, UBSOFT_IOC_MAGIC as u32, 4, 0);

// Facts that the wire format depends on.
const _: () = {
    assert!(IOC_CMD == 0xc010_5501);
    assert!(IOC_EVENT == 0xc010_4500);
    assert!(core::mem::size_of::<uburma_cmd_attr>() == 16);
    assert!(core::mem::size_of::<uburma_udata>() == 32);
    assert!(core::mem::size_of::<ubsoft_ctx_resp>() == 64);
    assert!(core::mem::size_of::<ubsoft_queue_req>() == 32);
    assert!(core::mem::size_of::<ubsoft_queue_resp>() == 64);
    assert!(core::mem::size_of::<ubsoft_import_resp>() == 16);
    assert!(core::mem::size_of::<ubsoft_ring_header>() == 192);
    assert!(core::mem::size_of::<ubsoft_sqe>() == 64);
    assert!(core::mem::size_of::<ubsoft_cqe>() == 64);
    assert!(core::mem::size_of::<ubsoft_sge>() == 16);
    assert!(core::mem::size_of::<ubsoft_rqe>() == 16);
    assert!(core::mem::offset_of!(ubsoft_cqe, seq) == 60);
    assert!(core::mem::offset_of!(ubsoft_ring_header, user_idx) == 64);
    assert!(core::mem::offset_of!(ubsoft_ring_header, kern_idx) == 128);
};
