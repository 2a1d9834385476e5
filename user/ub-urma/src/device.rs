// SPDX-License-Identifier: GPL-2.0

//! Attributes of devices, paths and addresses.

use std::ffi::c_char;

use libc::timespec;

use crate::layout::layouts;
use crate::*;

layouts! {
    /// What an application says at initialisation.
    urma_init_attr, 16 {
        token: u64 = 0,
        uasid: u32 = 8,
    }

    /// Attributes of a device.
    urma_device_attr, 496 {
        guid: [u8; 16] = 0,
        dev_cap: urma_device_cap = 16,
        port_cnt: u8 = 320,
        port_attr: [urma_port_attr; 8] = 324,
        reserved_jetty_id_min: u32 = 484,
        reserved_jetty_id_max: u32 = 488,
    }

    /// Capabilities of a device.
    urma_device_cap, 304 {
        feature: u32 = 0,
        max_jfc: u32 = 4,
        max_jfs: u32 = 8,
        max_jfr: u32 = 12,
        max_jetty: u32 = 16,
        max_jetty_grp: u32 = 20,
        max_jetty_in_jetty_grp: u32 = 24,
        max_jfc_depth: u32 = 28,
        max_jfs_depth: u32 = 32,
        max_jfr_depth: u32 = 36,
        max_jfs_inline_len: u32 = 40,
        max_jfs_sge: u32 = 44,
        max_jfs_rsge: u32 = 48,
        max_jfr_sge: u32 = 52,
        max_msg_size: u64 = 56,
        max_read_size: u32 = 64,
        max_write_size: u32 = 68,
        max_cas_size: u32 = 72,
        max_swap_size: u32 = 76,
        max_fetch_and_add_size: u32 = 80,
        max_fetch_and_sub_size: u32 = 84,
        max_fetch_and_and_size: u32 = 88,
        max_fetch_and_or_size: u32 = 92,
        max_fetch_and_xor_size: u32 = 96,
        atomic_feat: u32 = 100,
        trans_mode: u16 = 104,
        reserved: u16 = 106,
        congestion_ctrl_alg: u16 = 108,
        ceq_cnt: u32 = 112,
        max_tp_in_tpg: u32 = 116,
        max_eid_cnt: u32 = 120,
        page_size_cap: u64 = 128,
        max_oor_cnt: u32 = 136,
        mn: u32 = 140,
        max_netaddr_cnt: u32 = 144,
        rm_order_cap: u32 = 148,
        rc_order_cap: u32 = 152,
        rm_tp_cap: u32 = 156,
        rc_tp_cap: u32 = 160,
        um_tp_cap: u32 = 164,
        tp_feature: u32 = 168,
        priority_info: [urma_sl_info; 16] = 172,
    }

    /// Attributes of a port.
    urma_port_attr, 20 {
        max_mtu: u32 = 0,
        state: u32 = 4,
        active_width: u32 = 8,
        active_speed: u32 = 12,
        active_mtu: u32 = 16,
    }

    /// A priority.
    urma_sl_info, 8 {
        SL: u32 = 0,
        tp_type: u32 = 4,
    }

    /// The path that an import or a bind is to take.
    urma_active_tp_cfg, 40 {
        tp_handle: u64 = 0,
        peer_tp_handle: u64 = 8,
        tag: u64 = 16,
        tp_attr: urma_active_tp_attr = 24,
    }

    /// First sequence numbers of both directions.
    urma_active_tp_attr, 16 {
        tx_psn: u32 = 0,
        rx_psn: u32 = 4,
        reserved: u64 = 8,
    }

    /// Which paths are asked for.
    urma_get_tp_cfg, 40 {
        flag: u32 = 0,
        trans_mode: u32 = 4,
        local_eid: urma_eid = 8,
        peer_eid: urma_eid = 24,
    }

    /// A path.
    urma_tp_info, 8 {
        tp_handle: u64 = 0,
    }

    /// Properties of a path: bit-fields that providers pass on.
    urma_tp_attr_value, 128 {
        raw: [u8; 128] = 0,
    }

    /// A network address; an IPv4 address takes the first word of `in6`.
    urma_net_addr, 48 {
        sin_family: u16 = 0,
        in6: [u32; 4] = 4,
        vlan: u64 = 24,
        mac: [u8; 6] = 32,
        prefix_len: u32 = 40,
    }

    /// How a path is made, in the old interface.
    urma_tp_cfg, 16 {
        flag: u32 = 0,
        trans_mode: u32 = 4,
        retry_num: u8 = 8,
        retry_factor: u8 = 9,
        ack_timeout: u8 = 10,
        dscp: u8 = 11,
        oor_cnt: u32 = 12,
    }

    /// What changes of a path, in the old interface.
    urma_tp_attr, 112 {
        flag: u32 = 0,
        peer_tpn: u32 = 4,
        state: u32 = 8,
        tx_psn: u32 = 12,
        rx_psn: u32 = 16,
        mtu: u32 = 20,
        cc_pattern_idx: u8 = 24,
        oos_cnt: u32 = 28,
        local_net_addr_idx: u32 = 32,
        peer_net_addr: urma_net_addr = 40,
        data_udp_start: u16 = 88,
        ack_udp_start: u16 = 90,
        udp_range: u8 = 92,
        hop_limit: u8 = 93,
        flow_label: u32 = 96,
        port_id: u8 = 100,
        mn: u8 = 101,
        peer_trans_type: i32 = 104,
    }

    /// Numbers of a device that a provider serves.
    urma_match_entry, 4 {
        vendor_id: u16 = 0,
        device_id: u16 = 2,
    }

    /// What a provider says of itself; liburma does not look.
    urma_provider_attr, 8 {
        version: u32 = 0,
        transport_type: i32 = 4,
    }

    /// liburma's own record of a device.
    urma_sysfs_dev, 952 {
        dev_name: [c_char; 64] = 0,
        sysfs_path: [c_char; 256] = 64,
        driver_name: [c_char; 64] = 320,
        transport_type: i32 = 384,
        driver: *mut urma_driver = 392,
        urma_device: *mut urma_device = 400,
        dev_attr: urma_device_attr = 408,
        device_id: u16 = 904,
        vendor_id: u16 = 906,
        node: [usize; 2] = 912,
        flag: u32 = 928,
        time_created: timespec = 936,
    }

    /// liburma's own record of a provider.
    urma_driver, 24 {
        ops: *mut urma_provider_ops = 0,
        node: [usize; 2] = 8,
    }

    /// An option of objects that are made in stages.
    opt_map_t, 40 {
        opt: u64 = 0,
        mask: u64 = 8,
        tgt: u32 = 16,
        offset: usize = 24,
        size: usize = 32,
    }
}
