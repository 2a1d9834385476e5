// SPDX-License-Identifier: GPL-2.0

//! The commands: one row for each number.
//!
//! To add a command, write its row here, as [`crate::command`] explains, and its handler in
//! [`crate::cmd`].

use crate::{
    bindings_ub as b,
    cmd::*,
    command::{
        Command,
        Commit,
        Mode, //
    },
    dispatch::{
        Call,
        EventCall,
        EventRun,
        Run, //
    },
    handle::{
        Doomed,
        Shared, //
    },
    io::{
        input_spec,
        output_spec,
        Blob,
        Image,
        Input,
        OrZero,
        Output,
        PortMember,
        Records,
        Udata, //
    },
    logic::{
        net_addr::{
            MAC_LEN,
            RECORD_LEN,
            USER_LEN as NET_ADDR_LEN, //
        },
        tlv::{
            specs_are_valid,
            AttrSpec,
            Checked,
            Direction, //
        },
    },
    ub::client::{
        ImportedSegment,
        Jetty,
        JettyGroup,
        Jfc,
        Jfr,
        Jfs,
        Segment,
        TargetJetty,
        TargetJfr,
        TokenId,
        TP_ATTR_LEN, //
    },
};
use kernel::prelude::*;

/// Makes the modules of the rows, and the table of all commands.
macro_rules! commands {
    (
        table $table:ident[$len:literal]: $call:ident, $run:ty, $number:ident;
        handled {
            $(
                $row:ident $prefix:ident: $mode:ident => $handler:path {
                    in { $($in:tt)* }
                    out { $($out:tt)* }
                }
            )*
        }
        refused { $($refused:ident => $error:ident,)* }
    ) => {
        command_modules! {
            call $call;
            $( $row $prefix: $mode => $handler { in { $($in)* } out { $($out)* } } )*
        }

        ::kernel::macros::paste! {
            /// The commands by number; those without a name do not exist.
            pub(crate) static $table: [Command<$run>; $len] = {
                let mut table: [Command<$run>; $len] = [Command {
                    name: "",
                    mode: Mode::Always,
                    inputs: &[],
                    outputs: &[],
                    run: Err(EINVAL),
                }; $len];
                $(
                    table[b::[<$number $row:upper>] as usize] = Command {
                        name: stringify!($row),
                        mode: command_modules!(@mode $mode),
                        inputs: $row::INPUTS,
                        outputs: $row::OUTPUTS,
                        run: Ok($row::run),
                    };
                )*
                $(
                    let refused = &mut table[b::[<$number $refused>] as usize];
                    refused.name = stringify!($refused);
                    refused.run = Err($error);
                )*
                let mut number = 1;
                while number < $len {
                    assert!(!table[number].name.is_empty());
                    number += 1;
                }
                table
            };
        }
    };
}

/// Bytes of the array of EIDs.
pub(crate) const EID_LIST_LEN: usize =
    b::UBURMA_MAX_EID_CNT as usize * size_of::<b::uburma_eid_info>();
/// Bytes of the array of transport path handles.
pub(crate) const TP_LIST_LEN: usize = b::UBURMA_MAX_TP as usize * size_of::<u64>();
/// Bytes of the array of priorities.
pub(crate) const PRIORITIES_LEN: usize =
    b::UBURMA_MAX_PRIORITY_CNT as usize * size_of::<b::uburma_sl_info>();
/// Bytes of a device name.
const NAME_LEN: usize = b::UBURMA_MAX_DEV_NAME as usize;
/// Bytes of the name of a jetty group.
const GROUP_NAME_LEN: usize = b::UBURMA_MAX_NAME as usize;
/// Bytes of an EID.
const EID_LEN: usize = b::UBURMA_EID_SIZE as usize;
/// Bytes of the array of notifications.
pub(crate) const NOTIFY_LEN: usize =
    b::UBURMA_MAX_NOTIFY as usize * size_of::<b::uburma_cmd_notify>();
/// Bytes of the array of completion events.
pub(crate) const JFCE_EVENTS_LEN: usize = b::UBURMA_MAX_JFCE_EVENTS as usize * size_of::<u64>();

/// The structure of `ALLOC_JETTY`.
pub(crate) type AllocImage = Image<{ size_of::<b::uburma_cmd_create_jetty>() }>;

commands! {
    table COMMANDS[86]: Call, Run, UBURMA_CMD_;
    handled {
        create_ctx CREATE_CTX: always => ctx::create {
            in { eid: [u8; EID_LEN], eid_index: u32, udata: Udata }
            out { async_fd: i32, udata: Udata }
        }
        alloc_token_id ALLOC_TOKEN_ID: context => seg::alloc_token_id {
            in { udata: Udata, flag: u32 }
            out { token_id: u32, handle: u64, udata: Udata }
        }
        free_token_id FREE_TOKEN_ID: unwind => seg::free_token_id {
            in { handle: Doomed<TokenId>, token_id: u32, udata: Udata }
            out {}
        }
        register_seg REGISTER_SEG: context => seg::register {
            in {
                va: u64, len: u64, token_id: u32, token_id_handle: Option<Shared<TokenId>>,
                token: u32, flag: u32, udata: Udata,
            }
            out { token_id: u32, handle: u64, udata: Udata }
        }
        unregister_seg UNREGISTER_SEG: unwind => seg::unregister {
            in { handle: Doomed<Segment> }
            out {}
        }
        import_seg IMPORT_SEG: context => seg::import {
            in {
                eid: [u8; EID_LEN], va: u64, len: u64, flag: u32, token: u32, token_id: u32,
                mva: u64, udata: Udata,
            }
            out { handle: u64, udata: Udata }
        }
        unimport_seg UNIMPORT_SEG: unwind => seg::unimport {
            in { handle: Doomed<ImportedSegment> }
            out {}
        }
        create_jfs CREATE_JFS: context => jfs::create {
            in {
                depth: u32, flag: u32, trans_mode: u32, priority: u8, max_sge: u8, max_rsge: u8,
                max_inline_data: u32, retry_cnt: u8, rnr_retry: u8, err_timeout: u8, jfc_id: u32,
                jfc_handle: Shared<Jfc>, urma_jfs: u64, udata: Udata,
            }
            out {
                id: u32, depth: u32, max_sge: u8, max_rsge: u8, max_inline_data: u32, handle: u64,
                udata: Udata,
            }
        }
        modify_jfs MODIFY_JFS: context => jfs::modify {
            in { handle: Shared<Jfs>, mask: u32, state: u32, udata: Udata }
            out { udata: Udata }
        }
        query_jfs QUERY_JFS: context => jfs::query {
            in { handle: Shared<Jfs> }
            out {
                depth: u32, flag: u32, trans_mode: u32, priority: u8, max_sge: u8, max_rsge: u8,
                max_inline_data: u32, retry_cnt: u8, rnr_retry: u8, err_timeout: u8, state: u32,
            }
        }
        delete_jfs DELETE_JFS: unwind => jfs::delete {
            in { handle: Doomed<Jfs> }
            out { async_events_reported: u32 }
        }
        create_jfr CREATE_JFR: context => jfr::create {
            in {
                depth: u32, flag: u32, trans_mode: u32, max_sge: u8, min_rnr_timer: u8,
                jfc_id: u32, jfc_handle: Shared<Jfc>, token: u32, id: u32, urma_jfr: u64,
                udata: Udata,
            }
            out { id: u32, depth: u32, max_sge: u8, handle: u64, udata: Udata }
        }
        modify_jfr MODIFY_JFR: context => jfr::modify {
            in { handle: Shared<Jfr>, mask: u32, rx_threshold: u32, state: u32, udata: Udata }
            out { udata: Udata }
        }
        query_jfr QUERY_JFR: context => jfr::query {
            in { handle: Shared<Jfr> }
            out {
                depth: u32, flag: u32, trans_mode: u32, max_sge: u8, min_rnr_timer: u8, token: u32,
                id: u32, rx_threshold: u32, state: u32,
            }
        }
        delete_jfr DELETE_JFR: unwind => jfr::delete {
            in { handle: Doomed<Jfr> }
            out { async_events_reported: u32 }
        }
        create_jfc CREATE_JFC: context => jfc::create {
            in { depth: u32, flag: u32, jfce_fd: i32, urma_jfc: u64, ceqn: u32, udata: Udata }
            out { id: u32, depth: u32, handle: u64, udata: Udata }
        }
        modify_jfc MODIFY_JFC: context => jfc::modify {
            in {
                handle: Shared<Jfc>, mask: u32, moderate_count: u16, moderate_period: u16,
                udata: Udata,
            }
            out { udata: Udata }
        }
        delete_jfc DELETE_JFC: unwind => jfc::delete {
            in { handle: Doomed<Jfc> }
            out { comp_events_reported: u32, async_events_reported: u32 }
        }
        create_jfce CREATE_JFCE: context => jfc::create_jfce {
            in {}
            out { fd: i32 }
        }
        import_jfr IMPORT_JFR: context => target::import_jfr {
            in {
                eid: [u8; EID_LEN], id: u32, flag: u32, token: u32, trans_mode: u32, tp_type: u32,
                udata: Udata,
            }
            out { tpn: u32, handle: u64, udata: Udata }
        }
        unimport_jfr UNIMPORT_JFR: unwind => target::unimport_jfr {
            in { handle: Doomed<TargetJfr> }
            out {}
        }
        create_jetty CREATE_JETTY: context => jetty::create {
            in {
                id: u32, jetty_flag: u32, jfs_depth: u32, jfs_flag: u32, trans_mode: u32,
                priority: u8, max_send_sge: u8, max_send_rsge: u8, max_inline_data: u32,
                rnr_retry: u8, err_timeout: u8, send_jfc_id: u32, send_jfc_handle: Shared<Jfc>,
                jfr_depth: u32, jfr_flag: u32, max_recv_sge: u8, min_rnr_timer: u8,
                recv_jfc_id: u32, recv_jfc_handle: Shared<Jfc>, token: u32, jfr_id: u32,
                jfr_handle: Option<Shared<Jfr>>, jetty_grp_handle: u64, is_jetty_grp: u8,
                urma_jetty: u64, udata: Udata,
            }
            out {
                id: u32, handle: u64, jfs_depth: u32, jfr_depth: u32, max_send_sge: u8,
                max_send_rsge: u8, max_recv_sge: u8, max_inline_data: u32, udata: Udata,
            }
        }
        modify_jetty MODIFY_JETTY: context => jetty::modify {
            in { handle: Shared<Jetty>, mask: u32, rx_threshold: u32, state: u32, udata: Udata }
            out { udata: Udata }
        }
        query_jetty QUERY_JETTY: context => jetty::query {
            in { handle: Shared<Jetty> }
            out {
                id: u32, jetty_flag: u32, jfs_depth: u32, jfr_depth: u32, jfs_flag: u32,
                jfr_flag: u32, trans_mode: u32, max_send_sge: u8, max_send_rsge: u8,
                max_recv_sge: u8, max_inline_data: u32, priority: u8, retry_cnt: u8,
                rnr_retry: u8, err_timeout: u8, min_rnr_timer: u8, jfr_id: u32, token: u32,
                rx_threshold: u32, state: u32,
            }
        }
        delete_jetty DELETE_JETTY: unwind => jetty::delete {
            in { handle: Doomed<Jetty> }
            out { async_events_reported: u32 }
        }
        import_jetty IMPORT_JETTY: context => target::import_jetty {
            in {
                eid: [u8; EID_LEN], id: u32, flag: u32, token: u32, trans_mode: u32, policy: u32,
                r#type: u32, tp_type: u32, udata: Udata,
            }
            out { tpn: u32, handle: u64, udata: Udata }
        }
        unimport_jetty UNIMPORT_JETTY: unwind => target::unimport_jetty {
            in { handle: Doomed<TargetJetty> }
            out {}
        }
        bind_jetty BIND_JETTY: context => bind::bind {
            in { jetty_handle: Shared<Jetty>, tjetty_handle: Shared<TargetJetty>, udata: Udata }
            out { tpn: u32, udata: Udata }
        }
        unbind_jetty UNBIND_JETTY: unwind => bind::unbind {
            in { jetty_handle: Doomed<Jetty>, tjetty_handle: u64 }
            out {}
        }
        create_jetty_grp CREATE_JETTY_GRP: context => group::create {
            in {
                name: [u8; GROUP_NAME_LEN], token: u32, id: u32, policy: u32, flag: u32,
                urma_jetty_grp: u64, udata: Udata,
            }
            out { id: u32, handle: u64, udata: Udata }
        }
        destroy_jetty_grp DELETE_JETTY_GRP: unwind => group::delete {
            in { handle: Doomed<JettyGroup> }
            out { async_events_reported: u32 }
        }
        user_ctl USER_CTL: context => ctx::control {
            in {
                in_addr: u64, in_len: u32, opcode: u32, out_addr: u64, out_len: u32, udata: Udata,
            }
            out {}
        }
        get_eid_list GET_EID_LIST: always => query::eid_list {
            in { max_eid_cnt: u32 }
            out { eid_cnt: u32, eid_list: Blob<EID_LIST_LEN> }
        }
        query_dev_attr QUERY_DEVICE: always => query::device {
            in { dev_name: [u8; NAME_LEN] }
            out {
                guid: [u8; EID_LEN], dev_cap_feature: u32, dev_cap_max_jfc: u32,
                dev_cap_max_jfs: u32, dev_cap_max_jfr: u32, dev_cap_max_jetty: u32,
                dev_cap_max_jetty_grp: u32, dev_cap_max_jetty_in_jetty_grp: u32,
                dev_cap_max_jfc_depth: u32, dev_cap_max_jfs_depth: u32, dev_cap_max_jfr_depth: u32,
                dev_cap_max_jfs_inline_len: u32, dev_cap_max_jfs_sge: u32,
                dev_cap_max_jfs_rsge: u32, dev_cap_max_jfr_sge: u32, dev_cap_max_msg_size: u64,
                dev_cap_max_read_size: u32, dev_cap_max_write_size: u32, dev_cap_max_cas_size: u32,
                dev_cap_max_swap_size: u32, dev_cap_max_fetch_and_add_size: u32,
                dev_cap_max_fetch_and_sub_size: u32, dev_cap_max_fetch_and_and_size: u32,
                dev_cap_max_fetch_and_or_size: u32, dev_cap_max_fetch_and_xor_size: u32,
                dev_cap_atomic_feat: u32, dev_cap_trans_mode: u16, dev_cap_reserved: u16,
                dev_cap_congestion_ctrl_alg: u16, dev_cap_ceq_cnt: u32, dev_cap_max_tp_in_tpg: u32,
                dev_cap_max_eid_cnt: u32, dev_cap_page_size_cap: u64, dev_cap_max_oor_cnt: u32,
                dev_cap_mn: u32, dev_cap_max_netaddr_cnt: u32, port_cnt: u8,
                port_attr_max_mtu: PortMember, port_attr_state: PortMember,
                port_attr_active_width: PortMember, port_attr_active_speed: PortMember,
                port_attr_active_mtu: PortMember, reserved_jetty_id_min: u32,
                reserved_jetty_id_max: u32, dev_cap_rm_order_cap: u32, dev_cap_rc_order_cap: u32,
                dev_cap_rm_tp_cap: u32, dev_cap_rc_tp_cap: u32, dev_cap_um_tp_cap: u32,
                dev_cap_tp_feature: u32, dev_cap_priority_info: Blob<PRIORITIES_LEN>,
            }
        }
        import_jetty_async IMPORT_JETTY_ASYNC: context => target::import_jetty_async {
            in {
                eid: [u8; EID_LEN], id: u32, flag: u32, token: u32, trans_mode: u32, policy: u32,
                r#type: u32, urma_tjetty: u64, user_ctx: u64, fd: i32, timeout: i32, udata: Udata,
            }
            out { tpn: u32, handle: u64, udata: Udata }
        }
        unimport_jetty_async UNIMPORT_JETTY_ASYNC: unwind => target::unimport_jetty_async {
            in { handle: Doomed<TargetJetty> }
            out {}
        }
        bind_jetty_async BIND_JETTY_ASYNC: context => bind::bind_async {
            in {
                jetty_handle: Shared<Jetty>, tjetty_handle: Shared<TargetJetty>, urma_tjetty: u64,
                urma_jetty: u64, fd: i32, user_ctx: u64, timeout: i32, udata: Udata,
            }
            out { tpn: u32, udata: Udata }
        }
        unbind_jetty_async UNBIND_JETTY_ASYNC: unwind => bind::unbind_async {
            in { jetty_handle: Doomed<Jetty>, tjetty_handle: u64 }
            out {}
        }
        create_notifier CREATE_NOTIFIER: context => notify::create {
            in {}
            out { fd: i32 }
        }
        get_tp_list GET_TP_LIST: context => query::tp_list {
            in {
                flag: u32, trans_mode: u32, local_eid: [u8; EID_LEN], peer_eid: [u8; EID_LEN],
                tp_cnt: u32, udata: Udata,
            }
            out { tp_cnt: u32, tp_handle: Blob<TP_LIST_LEN>, udata: Udata }
        }
        import_jetty_ex IMPORT_JETTY_EX: context => target::import_jetty_ex {
            in {
                eid: [u8; EID_LEN], id: u32, flag: u32, token: u32, trans_mode: u32, policy: u32,
                r#type: u32, tp_type: u32, tp_handle: u64, peer_tp_handle: u64, tag: u64,
                tx_psn: u32, rx_psn: u32, stag: OrZero<u64>, dtag: OrZero<u64>, udata: Udata,
            }
            out { tpn: u32, handle: u64, udata: Udata }
        }
        import_jfr_ex IMPORT_JFR_EX: context => target::import_jfr_ex {
            in {
                eid: [u8; EID_LEN], id: u32, flag: u32, token: u32, trans_mode: u32, tp_type: u32,
                tp_handle: u64, peer_tp_handle: u64, tag: u64, tx_psn: u32, rx_psn: u32,
                stag: OrZero<u64>, dtag: OrZero<u64>, udata: Udata,
            }
            out { tpn: u32, handle: u64, udata: Udata }
        }
        bind_jetty_ex BIND_JETTY_EX: context => bind::bind_ex {
            in {
                jetty_handle: Shared<Jetty>, tjetty_handle: Shared<TargetJetty>, tp_handle: u64,
                peer_tp_handle: u64, tag: u64, tx_psn: u32, rx_psn: u32, udata: Udata,
            }
            out { tpn: u32, udata: Udata }
        }
        get_netaddr_list GET_NET_ADDR_LIST: context => address::list {
            in { max_netaddr_cnt: u32 }
            out { netaddr_cnt: u32, netaddr_list: Records<RECORD_LEN> }
        }
        modify_tp MODIFY_TP: context => tp::modify {
            in {
                tpn: u32, tp_cfg_flag: u32, tp_cfg_trans_mode: u32, tp_cfg_retry_num: u8,
                tp_cfg_retry_factor: u8, tp_cfg_ack_timeout: u8, tp_cfg_dscp: u8,
                tp_cfg_oor_cnt: u32, attr_flag: u32, attr_peer_tpn: u32, attr_state: u32,
                attr_tx_psn: u32, attr_rx_psn: u32, attr_mtu: u32, attr_cc_pattern_idx: u8,
                attr_oos_cnt: u32, attr_local_net_addr_idx: u32,
                attr_peer_net_addr: [u8; NET_ADDR_LEN], attr_data_udp_start: u16,
                attr_ack_udp_start: u16, attr_udp_range: u8, attr_hop_limit: u8,
                attr_flow_label: u32, attr_port_id: u8, attr_mn: u8, attr_peer_trans_type: u32,
                mask: u32,
            }
            out {}
        }
        set_tp_attr SET_TP_ATTR: context => tp::set_attr {
            in {
                tp_handle: u64, tp_attr_cnt: u8, tp_attr_bitmap: u32,
                tp_attr: [u8; TP_ATTR_LEN], udata: Udata,
            }
            out {}
        }
        get_tp_attr GET_TP_ATTR: context => tp::attr {
            in { tp_handle: u64, udata: Udata }
            out {
                tp_attr_cnt: u8, tp_attr_bitmap: u32, tp_attr: Blob<TP_ATTR_LEN>, udata: Udata,
            }
        }
        exchange_tp_info EXCHANGE_TP_INFO: context => tp::exchange {
            in {
                flag: u32, trans_mode: u32, local_eid: [u8; EID_LEN], peer_eid: [u8; EID_LEN],
                tp_handle: u64, tx_psn: u32,
            }
            out { peer_tp_handle: u64, rx_psn: u32 }
        }
        get_eid_by_ip GET_EID_BY_IP_INFO: context => address::eid_by_ip {
            in { net_addr: [u8; NET_ADDR_LEN] }
            out { eid: [u8; EID_LEN] }
        }
        get_ip_by_eid GET_IP_BY_EID_INFO: context => address::ip_by_eid {
            in { eid: [u8; EID_LEN] }
            out { net_addr: Blob<NET_ADDR_LEN> }
        }
        get_smac GET_SMAC: context => address::smac {
            in {}
            out { mac: [u8; MAC_LEN] }
        }
        get_dmac GET_DMAC: context => address::dmac {
            in { net_addr: [u8; NET_ADDR_LEN] }
            out { mac: [u8; MAC_LEN] }
        }
        get_jfce_cnt GET_JFCE_CNT: always => query::jfce_count {
            in { threshold: u32 }
            out { jfce_total_cnt: u64, jfce_thresh_cnt: u64 }
        }
        alloc_jfc ALLOC_JFC: context => jfc::alloc {
            in { depth: u32, flag: u32, jfce_fd: i32, urma_jfc: u64, ceqn: u32, udata: Udata }
            out { id: u32, depth: u32, handle: u64, udata: Udata }
        }
        active_jfc ACTIVE_JFC: context => jfc::active {
            in {
                handle: Shared<Jfc>, depth: u32, flag: u32, ceqn: u32, jfc_opt: u64, udata: Udata,
            }
            out { id: u32, depth: u32, handle: u64, udata: Udata }
        }
        free_jfc FREE_JFC: unwind => staged::free_jfc {
            in { handle: Doomed<Jfc>, udata: Udata }
            out { comp_events_reported: u32, async_events_reported: u32, udata: Udata }
        }
        alloc_jfr ALLOC_JFR: context => jfr::alloc {
            in {
                depth: u32, flag: u32, trans_mode: u32, max_sge: u8, min_rnr_timer: u8,
                jfc_id: u32, jfc_handle: Shared<Jfc>, token: u32, id: u32, urma_jfr: u64,
                udata: Udata,
            }
            out { id: u32, depth: u32, handle: u64, max_sge: u8, udata: Udata }
        }
        active_jfr ACTIVE_JFR: context => jfr::active {
            in {
                handle: Shared<Jfr>, depth: u32, flag: u32, trans_mode: u32, max_sge: u8,
                min_rnr_timer: u8, jfc_id: u32, jfc_handle: u64, token: u32, jfr_opt: u64,
                udata: Udata,
            }
            out { id: u32, depth: u32, handle: u64, max_sge: u8, udata: Udata }
        }
        free_jfr FREE_JFR: unwind => staged::free_jfr {
            in { handle: Doomed<Jfr>, udata: Udata }
            out { async_events_reported: u32, udata: Udata }
        }
        alloc_jfs ALLOC_JFS: context => jfs::alloc {
            in {
                depth: u32, flag: u32, trans_mode: u32, priority: u8, max_sge: u8, max_rsge: u8,
                max_inline_data: u32, rnr_retry: u8, err_timeout: u8, jfc_id: u32,
                jfc_handle: Shared<Jfc>, urma_jfs: u64, udata: Udata,
            }
            out {
                id: u32, depth: u32, max_sge: u8, max_rsge: u8, max_inline_data: u32, handle: u64,
                udata: Udata,
            }
        }
        active_jfs ACTIVE_JFS: context => jfs::active {
            in {
                handle: Shared<Jfs>, depth: u32, flag: u32, trans_mode: u32, priority: u32,
                max_sge: u8, max_rsge: u8, max_inline_data: u32, rnr_retry: u8, err_timeout: u8,
                jfc_id: u32, jfc_handle: u64, jfs_opt: u64, udata: Udata,
            }
            out {
                id: u32, depth: u32, max_sge: u8, max_rsge: u8, max_inline_data: u32, handle: u64,
                udata: Udata,
            }
        }
        free_jfs FREE_JFS: unwind => staged::free_jfs {
            in { handle: Doomed<Jfs>, udata: Udata }
            out { async_events_reported: u32, udata: Udata }
        }
        alloc_jetty ALLOC_JETTY: context => jetty::alloc {
            in { cfg: AllocImage }
            out { cfg: AllocImage }
        }
        active_jetty ACTIVE_JETTY: context => jetty::active {
            in {
                flag: u32, handle: Shared<Jetty>, send_jfc_handle: u64, recv_jfc_handle: u64,
                urma_jetty: u64, jetty_opt: u64, udata: Udata,
            }
            out { jetty_id: u32, udata: Udata }
        }
        free_jetty FREE_JETTY: unwind => staged::free_jetty {
            in { handle: Doomed<Jetty>, udata: Udata }
            out { async_events_reported: u32, udata: Udata }
        }
        set_jfc_opt SET_JFC_OPT: context => staged::set_jfc {
            in { handle: Shared<Jfc>, opt: u64, buf: u64, len: u32, udata: Udata }
            out { udata: Udata }
        }
        get_jfc_opt GET_JFC_OPT: context => staged::get_jfc {
            in { handle: Shared<Jfc>, opt: u64, buf: u64, len: u32, udata: Udata }
            out { buf: u64, len: u32, udata: Udata }
        }
        deactive_jfc DEACTIVE_JFC: unwind => staged::deactive_jfc {
            in { handle: Doomed<Jfc>, udata: Udata }
            out { udata: Udata }
        }
        set_jfr_opt SET_JFR_OPT: context => staged::set_jfr {
            in { handle: Shared<Jfr>, opt: u64, buf: u64, len: u32, udata: Udata }
            out { udata: Udata }
        }
        get_jfr_opt GET_JFR_OPT: context => staged::get_jfr {
            in { handle: Shared<Jfr>, opt: u64, buf: u64, len: u32, udata: Udata }
            out { buf: u64, len: u32, udata: Udata }
        }
        deactive_jfr DEACTIVE_JFR: unwind => staged::deactive_jfr {
            in { handle: Doomed<Jfr>, udata: Udata }
            out { udata: Udata }
        }
        set_jfs_opt SET_JFS_OPT: context => staged::set_jfs {
            in { handle: Shared<Jfs>, opt: u64, buf: u64, len: u32, udata: Udata }
            out { udata: Udata }
        }
        get_jfs_opt GET_JFS_OPT: context => staged::get_jfs {
            in { handle: Shared<Jfs>, opt: u64, buf: u64, len: u32, udata: Udata }
            out { buf: u64, len: u32, udata: Udata }
        }
        deactive_jfs DEACTIVE_JFS: unwind => staged::deactive_jfs {
            in { handle: Doomed<Jfs>, udata: Udata }
            out { udata: Udata }
        }
        set_jetty_opt SET_JETTY_OPT: context => staged::set_jetty {
            in { handle: Shared<Jetty>, opt: u64, buf: u64, len: u32, udata: Udata }
            out { udata: Udata }
        }
        get_jetty_opt GET_JETTY_OPT: context => staged::get_jetty {
            in { handle: Shared<Jetty>, opt: u64, buf: u64, len: u32, udata: Udata }
            out { buf: u64, len: u32, udata: Udata }
        }
        deactive_jetty DEACTIVE_JETTY: unwind => staged::deactive_jetty {
            in { handle: Doomed<Jetty>, udata: Udata }
            out { udata: Udata }
        }
        delete_jfs_batch DELETE_JFS_BATCH: unwind => batch::delete_jfs {
            in { jfs_count: u32, jfs_ptr: u64 }
            out { async_events_reported: u32, bad_jfs_index: u32 }
        }
        delete_jfr_batch DELETE_JFR_BATCH: unwind => batch::delete_jfr {
            in { jfr_count: u32, jfr_ptr: u64 }
            out { async_events_reported: u32, bad_jfr_index: u32 }
        }
        delete_jfc_batch DELETE_JFC_BATCH: unwind => batch::delete_jfc {
            in { jfc_count: u32, jfc_ptr: u64 }
            out { comp_events_reported: u32, async_events_reported: u32, bad_jfc_index: u32 }
        }
        delete_jetty_batch DELETE_JETTY_BATCH: unwind => batch::delete_jetty {
            in { jetty_count: u32, jetty_ptr: u64 }
            out { async_events_reported: u32, bad_jetty_index: u32 }
        }
    }
    refused {
        ADVISE_JFR => EINVAL,
        UNADVISE_JFR => EINVAL,
        ADVISE_JETTY => EINVAL,
        UNADVISE_JETTY => EINVAL,
    }
}

commands! {
    table EVENT_COMMANDS[4]: EventCall, EventRun, UBURMA_EVENT_CMD_;
    handled {
        wait_jfce JFCE_WAIT: always => events::wait_jfce {
            in { max_event_cnt: u32, time_out: i32 }
            out { event_cnt: u32, event_data: Blob<JFCE_EVENTS_LEN> }
        }
        get_async_event GET_ASYNC_EVENT: always => events::get_async_event {
            in {}
            out { event_type: u32, event_data: u64 }
        }
        wait_notify WAIT_NOTIFY: always => notify::wait {
            in { cnt: u32, timeout: i32 }
            out { cnt: u32, notify: Blob<NOTIFY_LEN> }
        }
    }
    refused {}
}
