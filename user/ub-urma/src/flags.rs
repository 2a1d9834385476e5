// SPDX-License-Identifier: GPL-2.0

//! Words of flags: where each field is.

use crate::layout::flags;

flags! {
    urma_jfc_flag, 4 {
        lock_free: 0, 1,
        jfc_inline: 1, 1,
        non_blocking: 2, 1,
        has_drv_ext: 3, 1,
    }

    urma_jfs_flag, 4 {
        lock_free: 0, 1,
        error_suspend: 1, 1,
        outorder_comp: 2, 1,
        order_type: 3, 8,
        multi_path: 11, 1,
        ctp_rc_mul_path_mode: 12, 1,
        non_blocking: 13, 1,
        has_drv_ext: 14, 1,
    }

    urma_jfr_flag, 4 {
        token_policy: 0, 3,
        tag_matching: 3, 1,
        lock_free: 4, 1,
        order_type: 5, 8,
        has_drv_ext: 13, 1,
        non_blocking: 14, 1,
    }

    urma_import_jetty_flag, 4 {
        token_policy: 0, 3,
        order_type: 3, 8,
        share_tp: 11, 1,
        has_drv_ext: 12, 1,
        has_user_info: 13, 1,
    }

    urma_jetty_flag, 4 {
        share_jfr: 0, 1,
        non_blocking: 1, 1,
        has_drv_ext: 2, 1,
        has_user_info: 3, 1,
    }

    urma_jetty_grp_flag, 4 {
        token_policy: 0, 3,
    }

    urma_reg_seg_flag, 4 {
        token_policy: 0, 3,
        cacheable: 3, 1,
        dsva: 4, 1,
        access: 5, 6,
        non_pin: 11, 1,
        user_iova: 12, 1,
        token_id_valid: 13, 1,
    }

    urma_seg_attr, 4 {
        token_policy: 0, 3,
        cacheable: 3, 1,
        dsva: 4, 1,
        access: 5, 6,
        non_pin: 11, 1,
        user_iova: 12, 1,
        user_token_id: 13, 1,
        has_user_info: 14, 1,
    }

    urma_import_seg_flag, 4 {
        cacheable: 0, 1,
        access: 1, 6,
        mapping: 7, 1,
    }

    urma_token_id_flag, 4 {
        multi_seg: 0, 1,
    }

    urma_jfs_wr_flag, 4 {
        place_order: 0, 2,
        comp_order: 2, 1,
        fence: 3, 1,
        solicited_enable: 4, 1,
        complete_enable: 5, 1,
        inline_flag: 6, 1,
        db_bypass: 7, 1,
        udf: 8, 1,
        has_drv_ext: 9, 1,
    }

    urma_jfr_wr_flag, 4 {
        complete_type: 0, 1,
    }

    urma_cr_flag, 1 {
        s_r: 0, 1,
        jetty: 1, 1,
        suspend_done: 2, 1,
        flush_err_done: 3, 1,
    }

    urma_device_feature, 4 {
        oor: 0, 1,
        jfc_per_wr: 1, 1,
        stride_op: 2, 1,
        load_store_op: 3, 1,
        non_pin: 4, 1,
        pmem: 5, 1,
        jfc_inline: 6, 1,
        spray_en: 7, 1,
        selective_retrans: 8, 1,
        live_migrate: 9, 1,
        dca: 10, 1,
        jetty_grp: 11, 1,
        error_suspend: 12, 1,
        outorder_comp: 13, 1,
        mn: 14, 1,
        clan: 15, 1,
        muti_seg_per_token_id: 16, 1,
        ipourma_en: 17, 1,
        ctp_en: 18, 1,
        uboe: 19, 1,
    }

    urma_tp_type_en, 4 {
        rtp: 0, 1,
        ctp: 1, 1,
        utp: 2, 1,
    }

    urma_get_tp_cfg_flag, 4 {
        ctp: 0, 1,
        rtp: 1, 1,
        utp: 2, 1,
        uboe: 3, 1,
        pre_defined: 4, 1,
        dynamic_defined: 5, 1,
        udp: 6, 5,
        group_id: 11, 15,
    }

    urma_tp_attr_mask, 4 {
        flag: 0, 1,
        peer_tpn: 1, 1,
        state: 2, 1,
        tx_psn: 3, 1,
        rx_psn: 4, 1,
        mtu: 5, 1,
        cc_pattern_idx: 6, 1,
        oos_cnt: 7, 1,
        local_net_addr_idx: 8, 1,
        peer_net_addr: 9, 1,
        data_udp_start: 10, 1,
        ack_udp_start: 11, 1,
        udp_range: 12, 1,
        hop_limit: 13, 1,
        flow_label: 14, 1,
        port_id: 15, 1,
        mn: 16, 1,
        peer_trans_type: 17, 1,
    }
}
