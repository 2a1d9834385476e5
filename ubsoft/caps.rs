// SPDX-License-Identifier: GPL-2.0

//! What a device says of itself. Only what works is announced.

use crate::{
    bindings_ub::{
        ubcore_device_attr,
        ubcore_device_status,
        ubcore_port_status,
        UBCORE_LINK_X16,
        UBCORE_MTU_4096,
        UBCORE_PORT_ACTIVE,
        UBCORE_PORT_DOWN,
        UBCORE_SP_400G, //
    },
    device::{
        Soft,
        MAX_EIDS,
        MAX_OBJECTS,
        RESERVED_ID_MAX, //
    },
    group,
    jfc,
    jfr,
    sq,
    tp,
    ub::common::FlagWord, //
};
use kernel::page::PAGE_SIZE;

/// Bits of the word of functions.
const FEATURE_LOAD_STORE: u32 = 1 << 3;
const FEATURE_JETTY_GROUP: u32 = 1 << 11;
const FEATURE_ERROR_SUSPEND: u32 = 1 << 12;
const FEATURE_CTP: u32 = 1 << 18;

/// Services: reliable message, reliable connection, unreliable message.
const MODES: u16 = 1 | 2 | 4;
/// Kinds of transport path.
const RTP: u32 = 1;
const CTP: u32 = 1 << 1;
const UTP: u32 = 1 << 2;
/// Order by the initiator; by target, low layer, or none.
const RM_ORDER: u32 = 1 << 1;
const RC_ORDER: u32 = 1 | 1 << 2 | 1 << 3;
/// All atomic operations.
const ATOMICS: u32 = 0x7f;
/// Largest word of an atomic operation, in bytes.
const ATOMIC_SIZE: u32 = 8;
/// Returns the kind of transport path that a priority is meant for: each kind has one, so that
/// whatever rule user space chooses by finds what it wants.
fn kind_of_priority(priority: usize) -> u32 {
    match priority {
        0 | 1 => RTP,
        2 => UTP,
        _ => CTP,
    }
}

/// Fills in the attributes, which are all zero.
pub(crate) fn fill(soft: &Soft, attr: &mut ubcore_device_attr) {
    attr.guid.raw = soft.eid.into_bytes();
    let cap = &mut attr.dev_cap;
    cap.feature = FlagWord::from_word(
        FEATURE_LOAD_STORE | FEATURE_JETTY_GROUP | FEATURE_ERROR_SUSPEND | FEATURE_CTP,
    );
    cap.max_jfc = MAX_OBJECTS;
    cap.max_jfs = MAX_OBJECTS;
    cap.max_jfr = MAX_OBJECTS;
    cap.max_jetty = MAX_OBJECTS;
    cap.max_tp_cnt = tp::MAX_PATHS;
    cap.max_jetty_grp = MAX_OBJECTS;
    // CAST: A small number.
    cap.max_jetty_in_jetty_grp = group::MAX_MEMBERS as u32;
    cap.max_rc = MAX_OBJECTS;
    cap.max_jfc_depth = jfc::MAX_DEPTH;
    cap.max_jfs_depth = sq::MAX_DEPTH;
    cap.max_jfr_depth = jfr::MAX_DEPTH;
    cap.max_rc_depth = sq::MAX_DEPTH;
    cap.max_jfs_inline_size = sq::MAX_INLINE;
    cap.max_jfs_sge = sq::MAX_SGE;
    cap.max_jfs_rsge = sq::MAX_RSGE;
    cap.max_jfr_sge = jfr::MAX_SGE;
    cap.max_msg_size = u64::from(sq::MAX_MSG);
    cap.max_read_size = sq::MAX_MSG;
    cap.max_write_size = sq::MAX_MSG;
    cap.max_cas_size = ATOMIC_SIZE;
    cap.max_swap_size = ATOMIC_SIZE;
    cap.max_fetch_and_add_size = ATOMIC_SIZE;
    cap.max_fetch_and_sub_size = ATOMIC_SIZE;
    cap.max_fetch_and_and_size = ATOMIC_SIZE;
    cap.max_fetch_and_or_size = ATOMIC_SIZE;
    cap.max_fetch_and_xor_size = ATOMIC_SIZE;
    cap.max_rc_outstd_cnt = u64::from(sq::MAX_DEPTH);
    cap.trans_mode = MODES;
    cap.congestion_ctrl_alg = 1;
    cap.ceq_cnt = jfc::EVENT_QUEUES as u16;
    cap.max_tp_in_tpg = 1;
    cap.max_utp_cnt = tp::MAX_PATHS;
    cap.atomic_feat = FlagWord::from_word(ATOMICS);
    // CAST: Small numbers.
    cap.max_eid_cnt = MAX_EIDS as u32;
    // An address for each EID.
    cap.max_netaddr_cnt = MAX_EIDS as u32;
    cap.max_ue_cnt = 1;
    cap.page_size_cap = PAGE_SIZE as u64;
    cap.rm_order_cap = FlagWord::from_word(RM_ORDER);
    cap.rc_order_cap = FlagWord::from_word(RC_ORDER);
    cap.rm_tp_cap = FlagWord::from_word(RTP | CTP);
    cap.rc_tp_cap = FlagWord::from_word(RTP | CTP);
    cap.um_tp_cap = FlagWord::from_word(CTP | UTP);
    for (priority, info) in cap.priority_info.iter_mut().enumerate() {
        // CAST: A small number.
        info.SL = priority as u32;
        info.tp_type = FlagWord::from_word(kind_of_priority(priority));
    }
    attr.reserved_jetty_id_min = 0;
    attr.reserved_jetty_id_max = RESERVED_ID_MAX;
    attr.port_cnt = 1;
    if let Some(port) = attr.port_attr.first_mut() {
        port.max_mtu = UBCORE_MTU_4096;
    }
}

/// Fills in the status of the ports, which is all zero.
pub(crate) fn fill_status(soft: &Soft, status: &mut ubcore_device_status) {
    if let Some(port) = status.port_status.first_mut() {
        *port = ubcore_port_status {
            state: if soft.is_port_down() {
                UBCORE_PORT_DOWN
            } else {
                UBCORE_PORT_ACTIVE
            },
            active_speed: UBCORE_SP_400G,
            active_width: UBCORE_LINK_X16,
            active_mtu: UBCORE_MTU_4096,
        };
    }
}
