// SPDX-License-Identifier: GPL-2.0

//! What providers make: contexts, queues, jettys, groups, segments, and how they are made.

use std::ffi::{c_char, c_int, c_void};

use libc::{pthread_cond_t, pthread_mutex_t};

use crate::layout::layouts;
use crate::*;

layouts! {
    /// Entity id: the 16 bytes, in the alignment of two words.
    urma_eid, 16 {
        raw: [u64; 2] = 0,
    }

    /// Reference count of liburma; providers leave it alone.
    urma_ref, 8 {
        atomic_cnt: usize = 0,
    }

    /// A device that liburma found.
    urma_device, 4184 {
        name: [c_char; 64] = 0,
        path: [c_char; 4096] = 64,
        kind: i32 = 4160,
        ops: *mut urma_provider_ops = 4168,
        sysfs_dev: *mut urma_sysfs_dev = 4176,
    }

    /// First member of a provider's context.
    urma_context, 104 {
        dev: *mut urma_device = 0,
        ops: *mut urma_ops = 8,
        dev_fd: c_int = 16,
        async_fd: c_int = 20,
        mutex: pthread_mutex_t = 24,
        eid: urma_eid = 64,
        eid_index: u32 = 80,
        uasid: u32 = 84,
        ref_: urma_ref = 88,
        aggr_mode: u32 = 96,
    }

    /// An EID and its slot.
    urma_eid_info, 24 {
        eid: urma_eid = 0,
        eid_index: u32 = 16,
    }

    /// Name of a jetty or queue: also `urma_jfc_id`, `urma_jfs_id` and `urma_jfr_id`.
    urma_jetty_id, 24 {
        eid: urma_eid = 0,
        uasid: u32 = 16,
        id: u32 = 20,
    }

    /// Completion event channel.
    urma_jfce, 24 {
        urma_ctx: *mut urma_context = 0,
        fd: c_int = 8,
        ref_: urma_ref = 16,
    }

    /// How a completion queue is made.
    urma_jfc_cfg, 32 {
        depth: u32 = 0,
        flag: u32 = 4,
        ceqn: u32 = 8,
        jfce: *mut urma_jfce = 16,
        user_ctx: u64 = 24,
    }

    /// Options of a completion queue that is made in stages.
    urma_jfc_opt, 80 {
        jfc_opt_mask: u64 = 0,
        is_actived: u8 = 8,
        urma_jfc_cqe_base_addr: u64 = 16,
        urma_jfc_id: u32 = 24,
        urma_jfc_db_addr: u64 = 32,
        urma_jfc_db_status: u8 = 40,
        urma_jfc_pi: u16 = 42,
        urma_jfc_pi_type: u16 = 44,
        urma_jfc_ci: u16 = 46,
        reserved: [u64; 4] = 48,
    }

    /// First member of a provider's completion queue.
    urma_jfc, 248 {
        urma_ctx: *mut urma_context = 0,
        jfc_id: urma_jetty_id = 8,
        jfc_cfg: urma_jfc_cfg = 32,
        handle: u64 = 64,
        event_mutex: pthread_mutex_t = 72,
        event_cond: pthread_cond_t = 112,
        comp_events_acked: u32 = 160,
        async_events_acked: u32 = 164,
        urma_jfc_opt: urma_jfc_opt = 168,
    }

    /// What changes of a completion queue.
    urma_jfc_attr, 8 {
        mask: u32 = 0,
        moderate_count: u16 = 4,
        moderate_period: u16 = 6,
    }

    /// How a send queue is made.
    urma_jfs_cfg, 40 {
        depth: u32 = 0,
        flag: u32 = 4,
        trans_mode: u32 = 8,
        priority: u8 = 12,
        max_sge: u8 = 13,
        max_rsge: u8 = 14,
        max_inline_data: u32 = 16,
        rnr_retry: u8 = 20,
        err_timeout: u8 = 21,
        jfc: *mut urma_jfc = 24,
        user_ctx: u64 = 32,
    }

    /// Options of a send queue that is made in stages.
    urma_jfs_opt, 80 {
        jfs_opt_mask: u64 = 0,
        is_actived: u8 = 8,
        urma_jfs_sqe_base_addr: u64 = 16,
        urma_jfs_id: u32 = 24,
        urma_jfs_db_addr: u64 = 32,
        urma_jfs_db_status: u8 = 40,
        urma_jfs_pi: u16 = 42,
        urma_jfs_pi_type: u16 = 44,
        urma_jfs_ci: u16 = 46,
        reserved: [u64; 4] = 48,
    }

    /// First member of a provider's send queue.
    urma_jfs, 256 {
        urma_ctx: *mut urma_context = 0,
        jfs_id: urma_jetty_id = 8,
        jfs_cfg: urma_jfs_cfg = 32,
        handle: u64 = 72,
        event_mutex: pthread_mutex_t = 80,
        event_cond: pthread_cond_t = 120,
        async_events_acked: u32 = 168,
        urma_jfs_opt: urma_jfs_opt = 176,
    }

    /// What changes of a send queue.
    urma_jfs_attr, 8 {
        mask: u32 = 0,
        state: u32 = 4,
    }

    /// How a receive queue is made.
    urma_jfr_cfg, 48 {
        id: u32 = 0,
        depth: u32 = 4,
        flag: u32 = 8,
        trans_mode: u32 = 12,
        max_sge: u8 = 16,
        min_rnr_timer: u8 = 17,
        jfc: *mut urma_jfc = 24,
        token_value: urma_token = 32,
        user_ctx: u64 = 40,
    }

    /// Options of a receive queue that is made in stages.
    urma_jfr_opt, 80 {
        jfr_opt_mask: u64 = 0,
        is_actived: u8 = 8,
        urma_jfr_rqe_base_addr: u64 = 16,
        urma_jfr_id: u32 = 24,
        urma_jfr_db_addr: u64 = 32,
        urma_jfr_db_status: u8 = 40,
        urma_jfr_pi: u16 = 42,
        urma_jfr_pi_type: u16 = 44,
        urma_jfr_ci: u16 = 46,
        reserved: [u64; 4] = 48,
    }

    /// First member of a provider's receive queue.
    urma_jfr, 264 {
        urma_ctx: *mut urma_context = 0,
        jfr_id: urma_jetty_id = 8,
        jfr_cfg: urma_jfr_cfg = 32,
        handle: u64 = 80,
        event_mutex: pthread_mutex_t = 88,
        event_cond: pthread_cond_t = 128,
        async_events_acked: u32 = 176,
        urma_jfr_opt: urma_jfr_opt = 184,
    }

    /// What changes of a receive queue.
    urma_jfr_attr, 12 {
        mask: u32 = 0,
        rx_threshold: u32 = 4,
        state: u32 = 8,
    }

    /// How a jetty is made. `shared` overlays the pointer to the configuration of a receive
    /// queue of the jetty's own, which devices of kind UB do not have.
    urma_jetty_cfg, 80 {
        id: u32 = 0,
        flag: u32 = 4,
        jfs_cfg: urma_jfs_cfg = 8,
        shared: urma_jetty_shared = 48,
        jetty_grp: *mut urma_jetty_grp = 64,
        user_ctx: u64 = 72,
    }

    /// Options of a jetty that is made in stages.
    urma_jetty_opt, 120 {
        is_actived: u8 = 0,
        jfs_opt: urma_jfs_opt = 8,
        reserved: [u64; 4] = 88,
    }

    /// First member of a provider's jetty.
    urma_jetty, 344 {
        urma_ctx: *mut urma_context = 0,
        jetty_id: urma_jetty_id = 8,
        remote_jetty: *mut urma_target_jetty = 32,
        jetty_cfg: urma_jetty_cfg = 40,
        handle: u64 = 120,
        event_mutex: pthread_mutex_t = 128,
        event_cond: pthread_cond_t = 168,
        async_events_acked: u32 = 216,
        urma_jetty_opt: urma_jetty_opt = 224,
    }

    /// What changes of a jetty.
    urma_jetty_attr, 12 {
        mask: u32 = 0,
        rx_threshold: u32 = 4,
        state: u32 = 8,
    }

    /// First member of a provider's group of jettys.
    urma_jetty_grp, 280 {
        urma_ctx: *mut urma_context = 0,
        jetty_grp_id: urma_jetty_id = 8,
        cfg: urma_jetty_grp_cfg = 32,
        jetty_cnt: u32 = 120,
        jetty_list: *mut *mut urma_jetty = 128,
        list_mutex: pthread_mutex_t = 136,
        handle: u64 = 176,
        event_mutex: pthread_mutex_t = 184,
        event_cond: pthread_cond_t = 224,
        async_events_acked: u32 = 272,
    }

    /// How a group of jettys is made.
    urma_jetty_grp_cfg, 88 {
        name: [c_char; 64] = 0,
        flag: u32 = 64,
        token_value: urma_token = 68,
        id: u32 = 72,
        policy: u32 = 76,
        user_ctx: u64 = 80,
    }

    /// Address of remote memory; the word lies on a multiple of 4.
    urma_ubva, 28 packed {
        eid: urma_eid = 0,
        uasid: u32 = 16,
        va: u64 = 20,
    }

    /// A token.
    urma_token, 4 {
        token: u32 = 0,
    }

    /// First member of a provider's token id.
    urma_token_id, 40 {
        urma_ctx: *mut urma_context = 0,
        token_id: u32 = 8,
        handle: u64 = 16,
        ref_: urma_ref = 24,
        flag: u32 = 32,
    }

    /// How memory is registered.
    urma_seg_cfg, 48 {
        va: u64 = 0,
        len: u64 = 8,
        token_id: *mut urma_token_id = 16,
        token_value: urma_token = 24,
        flag: u32 = 28,
        user_ctx: u64 = 32,
        iova: u64 = 40,
    }

    /// A segment as peers exchange it.
    urma_seg, 48 {
        ubva: urma_ubva = 0,
        len: u64 = 32,
        attr: u32 = 40,
        token_id: u32 = 44,
    }

    /// First member of a provider's segment, registered or imported.
    urma_target_seg, 88 {
        seg: urma_seg = 0,
        user_ctx: u64 = 48,
        mva: u64 = 56,
        urma_ctx: *mut urma_context = 64,
        token_id: *mut urma_token_id = 72,
        handle: u64 = 80,
    }

    /// A remote segment that was not imported.
    urma_user_target_seg, 12 {
        attr: u32 = 0,
        token_id: u32 = 4,
        token_value: urma_token = 8,
    }

    /// The receive queue of a peer.
    urma_rjfr, 40 {
        jfr_id: urma_jetty_id = 0,
        trans_mode: u32 = 24,
        flag: u32 = 28,
        tp_type: u32 = 32,
    }

    /// The jetty of a peer.
    urma_rjetty, 48 {
        jetty_id: urma_jetty_id = 0,
        trans_mode: u32 = 24,
        policy: u32 = 28,
        kind: u32 = 32,
        flag: u32 = 36,
        tp_type: u32 = 40,
    }

    /// Number of a transport path.
    urma_tp, 4 {
        tpn: u32 = 0,
    }

    /// First member of a provider's imported jetty or receive queue.
    urma_target_jetty, 64 {
        urma_ctx: *mut urma_context = 0,
        id: urma_jetty_id = 8,
        handle: u64 = 32,
        trans_mode: u32 = 40,
        tp: urma_tp = 44,
        kind: u32 = 48,
        flag: u32 = 52,
        policy: u32 = 56,
        tp_type: u32 = 60,
    }

    /// Notification file.
    urma_notifier, 24 {
        urma_ctx: *mut urma_context = 0,
        fd: c_int = 8,
        incomplete_tjetty_list: *mut c_void = 16,
    }

    /// The end of an asynchronous command; `object` is a target or a jetty.
    urma_notify, 24 {
        kind: u32 = 0,
        status: u32 = 4,
        user_ctx: u64 = 8,
        object: *mut c_void = 16,
    }
}
