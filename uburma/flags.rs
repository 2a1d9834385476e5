// SPDX-License-Identifier: GPL-2.0

//! Flag words: from the user's layout to that of ubcore.
//!
//! Bits that are for the user's library alone, and bits without a meaning, are not passed on.

use crate::bindings_ub as b;

/// Flags of a send queue that are for the device.
const JFS: u32 = b::UBURMA_JFS_FLAG_LOCK_FREE
    | b::UBURMA_JFS_FLAG_ERROR_SUSPEND
    | b::UBURMA_JFS_FLAG_OUTORDER_COMP
    | b::UBURMA_JFS_FLAG_ORDER_TYPE_MASK
    | b::UBURMA_JFS_FLAG_MULTI_PATH
    | b::UBURMA_JFS_FLAG_CTP_RC_MUL_PATH_MODE;

/// Flags of a receive queue that are for the device.
const JFR: u32 = b::UBURMA_JFR_FLAG_TOKEN_POLICY_MASK
    | b::UBURMA_JFR_FLAG_TAG_MATCHING
    | b::UBURMA_JFR_FLAG_LOCK_FREE
    | b::UBURMA_JFR_FLAG_ORDER_TYPE_MASK;

/// Flags of a completion queue that are for the device.
const JFC: u32 = b::UBURMA_JFC_FLAG_LOCK_FREE | b::UBURMA_JFC_FLAG_JFC_INLINE;

/// Flags of a segment; without the bit that says that the address is a physical one.
const REG_SEG: u32 = b::UBURMA_REG_SEG_FLAG_TOKEN_POLICY_MASK
    | b::UBURMA_REG_SEG_FLAG_CACHEABLE
    | b::UBURMA_REG_SEG_FLAG_DSVA
    | b::UBURMA_REG_SEG_FLAG_ACCESS_MASK
    | b::UBURMA_REG_SEG_FLAG_NON_PIN
    | b::UBURMA_REG_SEG_FLAG_USER_IOVA
    | b::UBURMA_REG_SEG_FLAG_TOKEN_ID_VALID;

/// Flags of an imported segment.
const IMPORT_SEG: u32 = b::UBURMA_IMPORT_SEG_FLAG_CACHEABLE
    | b::UBURMA_IMPORT_SEG_FLAG_ACCESS_MASK
    | b::UBURMA_IMPORT_SEG_FLAG_MAPPING;

/// Flags of an imported jetty or receive queue.
const IMPORT_JETTY: u32 = b::UBURMA_IMPORT_JETTY_FLAG_TOKEN_POLICY_MASK
    | b::UBURMA_IMPORT_JETTY_FLAG_ORDER_TYPE_MASK
    | b::UBURMA_IMPORT_JETTY_FLAG_SHARE_TP
    | b::UBURMA_IMPORT_JETTY_FLAG_HAS_DRV_EXT
    | b::UBURMA_IMPORT_JETTY_FLAG_HAS_USER_INFO;

/// Flags of a jetty group.
const JETTY_GROUP: u32 = b::UBURMA_JETTY_GRP_FLAG_TOKEN_POLICY_MASK;

/// Flags of a query for transport paths.
const GET_TP: u32 = b::UBURMA_GET_TP_CFG_FLAG_CTP
    | b::UBURMA_GET_TP_CFG_FLAG_RTP
    | b::UBURMA_GET_TP_CFG_FLAG_UTP
    | b::UBURMA_GET_TP_CFG_FLAG_UBOE
    | b::UBURMA_GET_TP_CFG_FLAG_PRE_DEFINED
    | b::UBURMA_GET_TP_CFG_FLAG_DYNAMIC_DEFINED
    | b::UBURMA_GET_TP_CFG_FLAG_UDP_MASK
    | b::UBURMA_GET_TP_CFG_FLAG_GROUP_ID_MASK;

/// Bit of `union ubcore_token_id_flag`: several segments.
const TOKEN_ID_MULTI_SEG: u32 = 1 << 1;
/// Bit of `union ubcore_jetty_flag`: receives through a shared JFR.
const JETTY_SHARE_JFR: u32 = 1 << 0;
/// Where the flags of the send side begin in `union ubcore_jetty_flag`, which has them in the same
/// order as the user's word.
const JETTY_JFS_SHIFT: u32 = 1;

/// Returns the word of a send queue.
pub(crate) fn jfs(user: u32) -> u32 {
    user & JFS
}

/// Returns the word of a receive queue.
pub(crate) fn jfr(user: u32) -> u32 {
    user & JFR
}

/// Returns the word of a completion queue.
pub(crate) fn jfc(user: u32) -> u32 {
    user & JFC
}

/// Returns the word of a jetty, from those of the jetty and of its send side.
pub(crate) fn jetty(user: u32, user_jfs: u32) -> u32 {
    let share = if user & b::UBURMA_JETTY_FLAG_SHARE_JFR != 0 {
        JETTY_SHARE_JFR
    } else {
        0
    };
    share | jfs(user_jfs) << JETTY_JFS_SHIFT
}

/// Returns the word of a token id.
pub(crate) fn token_id(user: u32) -> u32 {
    if user & b::UBURMA_TOKEN_ID_FLAG_MULTI_SEG != 0 {
        TOKEN_ID_MULTI_SEG
    } else {
        0
    }
}

/// Returns the word of a segment.
pub(crate) fn register_seg(user: u32) -> u32 {
    user & REG_SEG
}

/// Returns the word of an imported segment.
pub(crate) fn import_seg(user: u32) -> u32 {
    user & IMPORT_SEG
}

/// Returns the word of an imported jetty or receive queue.
pub(crate) fn import_jetty(user: u32) -> u32 {
    user & IMPORT_JETTY
}

/// Returns the word of a jetty group.
pub(crate) fn jetty_group(user: u32) -> u32 {
    user & JETTY_GROUP
}

/// Returns the word of a query for transport paths.
pub(crate) fn get_tp(user: u32) -> u32 {
    user & GET_TP
}
