// SPDX-License-Identifier: GPL-2.0

//! Enumerations and limits. In C the former are of type int.

#![allow(missing_docs)]

use crate::layout::numbers;

numbers! {
    urma_opcode: u32 {
        URMA_OPC_WRITE = 0,
        URMA_OPC_WRITE_IMM = 1,
        URMA_OPC_WRITE_NOTIFY = 2,
        URMA_OPC_READ = 16,
        URMA_OPC_CAS = 32,
        URMA_OPC_SWAP = 33,
        URMA_OPC_FADD = 34,
        URMA_OPC_FSUB = 35,
        URMA_OPC_FAND = 36,
        URMA_OPC_FOR = 37,
        URMA_OPC_FXOR = 38,
        URMA_OPC_SEND = 64,
        URMA_OPC_SEND_IMM = 65,
        URMA_OPC_SEND_INVALIDATE = 66,
        URMA_OPC_NOP = 81,
        URMA_OPC_WRITE_ATOMIC = 96,
        URMA_OPC_FLUSH_DMA = 128,
        URMA_OPC_LAST = 129,
    }

    urma_cr_status: u32 {
        URMA_CR_SUCCESS = 0,
        URMA_CR_UNSUPPORTED_OPCODE_ERR = 1,
        URMA_CR_LOC_LEN_ERR = 2,
        URMA_CR_LOC_OPERATION_ERR = 3,
        URMA_CR_LOC_ACCESS_ERR = 4,
        URMA_CR_REM_RESP_LEN_ERR = 5,
        URMA_CR_REM_UNSUPPORTED_REQ_ERR = 6,
        URMA_CR_REM_OPERATION_ERR = 7,
        URMA_CR_REM_ACCESS_ABORT_ERR = 8,
        URMA_CR_ACK_TIMEOUT_ERR = 9,
        URMA_CR_RNR_RETRY_CNT_EXC_ERR = 10,
        URMA_CR_WR_FLUSH_ERR = 11,
        URMA_CR_WR_SUSPEND_DONE = 12,
        URMA_CR_WR_FLUSH_ERR_DONE = 13,
        URMA_CR_WR_UNHANDLED = 14,
        URMA_CR_LOC_DATA_POISON = 15,
        URMA_CR_REM_DATA_POISON = 16,
    }

    urma_cr_opcode: u32 {
        URMA_CR_OPC_SEND = 0,
        URMA_CR_OPC_SEND_WITH_IMM = 1,
        URMA_CR_OPC_SEND_WITH_INV = 2,
        URMA_CR_OPC_WRITE_WITH_IMM = 3,
        URMA_CR_OPC_FLUSH_WRITE = 4,
    }

    urma_async_event_type: u32 {
        URMA_EVENT_JFC_ERR = 0,
        URMA_EVENT_JFS_ERR = 1,
        URMA_EVENT_JFR_ERR = 2,
        URMA_EVENT_JFR_LIMIT = 3,
        URMA_EVENT_JETTY_ERR = 4,
        URMA_EVENT_JETTY_LIMIT = 5,
        URMA_EVENT_JETTY_GRP_ERR = 6,
        URMA_EVENT_PORT_ACTIVE = 7,
        URMA_EVENT_PORT_DOWN = 8,
        URMA_EVENT_DEV_FATAL = 9,
        URMA_EVENT_EID_CHANGE = 10,
        URMA_EVENT_ELR_ERR = 11,
        URMA_EVENT_ELR_DONE = 12,
    }

    urma_jetty_state: u32 {
        URMA_JETTY_STATE_RESET = 0,
        URMA_JETTY_STATE_READY = 1,
        URMA_JETTY_STATE_SUSPENDED = 2,
        URMA_JETTY_STATE_ERROR = 3,
    }

    urma_jfr_state: u32 {
        URMA_JFR_STATE_RESET = 0,
        URMA_JFR_STATE_READY = 1,
        URMA_JFR_STATE_ERROR = 2,
    }

    urma_jfc_state: u32 {
        URMA_JFC_STATE_INVALID = 0,
        URMA_JFC_STATE_VALID = 1,
        URMA_JFC_STATE_ERROR = 2,
    }

    urma_transport_type: i32 {
        URMA_TRANSPORT_INVALID = -1,
        URMA_TRANSPORT_UB = 0,
        URMA_TRANSPORT_IB = 1,
        URMA_TRANSPORT_IP = 2,
        URMA_TRANSPORT_SOFTUB = 3,
        URMA_TRANSPORT_HNS_UB = 5,
        URMA_TRANSPORT_MAX = 6,
    }

    urma_transport_mode: u32 {
        URMA_TM_RM = 1,
        URMA_TM_RC = 2,
        URMA_TM_UM = 4,
    }

    urma_tp_type: u32 {
        URMA_RTP = 0,
        URMA_CTP = 1,
        URMA_UTP = 2,
    }

    urma_target_type: u32 {
        URMA_JFR = 0,
        URMA_JETTY = 1,
        URMA_JETTY_GROUP = 2,
    }

    urma_jetty_grp_policy: u32 {
        URMA_JETTY_GRP_POLICY_RR = 0,
        URMA_JETTY_GRP_POLICY_HASH_HINT = 1,
    }

    urma_order_type: u32 {
        URMA_DEF_ORDER = 0,
        URMA_OT = 1,
        URMA_OI = 2,
        URMA_OL = 3,
        URMA_NO = 4,
    }

    urma_place_order: u32 {
        URMA_NO_ORDER = 0,
        URMA_RELAX_ORDER = 1,
        URMA_STRONG_ORDER = 2,
    }

    urma_mtu: u32 {
        URMA_MTU_256 = 1,
        URMA_MTU_512 = 2,
        URMA_MTU_1024 = 3,
        URMA_MTU_2048 = 4,
        URMA_MTU_4096 = 5,
        URMA_MTU_8192 = 6,
    }

    urma_port_state: u32 {
        URMA_PORT_NOP = 0,
        URMA_PORT_DOWN = 1,
        URMA_PORT_INIT = 2,
        URMA_PORT_ARMED = 3,
        URMA_PORT_ACTIVE = 4,
        URMA_PORT_ACTIVE_DEFER = 5,
    }

    urma_speed: u32 {
        URMA_SP_10M = 0,
        URMA_SP_100M = 1,
        URMA_SP_1G = 2,
        URMA_SP_2_5G = 3,
        URMA_SP_5G = 4,
        URMA_SP_10G = 5,
        URMA_SP_14G = 6,
        URMA_SP_25G = 7,
        URMA_SP_40G = 8,
        URMA_SP_50G = 9,
        URMA_SP_100G = 10,
        URMA_SP_200G = 11,
        URMA_SP_400G = 12,
        URMA_SP_800G = 13,
    }

    urma_link_width: u32 {
        URMA_LINK_X1 = 1,
        URMA_LINK_X2 = 2,
        URMA_LINK_X4 = 4,
        URMA_LINK_X8 = 8,
        URMA_LINK_X16 = 16,
        URMA_LINK_X32 = 32,
    }

    urma_jfs_attr_mask: u32 {
        JFS_STATE = 1,
    }

    urma_jfr_attr_mask: u32 {
        JFR_RX_THRESHOLD = 1,
        JFR_STATE = 2,
    }

    urma_jfc_attr_mask: u32 {
        JFC_MODERATE_COUNT = 1,
        JFC_MODERATE_PERIOD = 2,
    }

    urma_jetty_attr_mask: u32 {
        JETTY_RX_THRESHOLD = 1,
        JETTY_STATE = 2,
    }

    urma_notify_type: u32 {
        URMA_IMPORT_JETTY_NOTIFY = 0,
        URMA_BIND_JETTY_NOTIFY = 1,
    }

    urma_context_aggr_mode: u32 {
        URMA_AGGR_MODE_STANDALONE = 0,
        URMA_AGGR_MODE_ACTIVE_BACKUP = 1,
        URMA_AGGR_MODE_BALANCE = 2,
    }

    urma_status: u32 {
        URMA_SUCCESS = 0,
        URMA_ENOPERM = 1,
        URMA_EAGAIN = 11,
        URMA_ENOMEM = 12,
        URMA_EEXIST = 17,
        URMA_EINVAL = 22,
        URMA_ETIMEOUT = 110,
        URMA_EINPROGRESS = 115,
        URMA_FAIL = 4096,
    }

    constants: u32 {
        URMA_MAX_NAME = 64,
        URMA_MAX_PATH = 4096,
        URMA_EID_SIZE = 16,
        MAX_PORT_CNT = 8,
        URMA_MAX_EID_CNT = 1024,
        URMA_MAX_JETTY_IN_JETTY_GRP = 32,
        URMA_MAX_PRIORITY_CNT = 16,
        URMA_MAX_PRIORITY = 15,
        MAX_JFCE_EVENT_CNT = 16,
        MAX_NOTIFY_CNT = 16,
        URMA_CMD_MAX_TP_NUM = 128,
        URMA_MAX_LIB_PATH = 256,
        URMA_MAX_SYSFS_PATH = 256,
        URMA_SYSFS_DEV_FLAG_DRIVER_CREATED = 1,
    }
}
