// SPDX-License-Identifier: GPL-2.0

//! What provider and liburma hand to each other.

use std::ffi::{c_char, c_int};

use crate::layout::layouts;
use crate::*;

layouts! {
    /// What a provider registers.
    urma_provider_ops, 72 {
        name: *const c_char = 0,
        attr: urma_provider_attr = 8,
        match_table: *mut urma_match_entry = 16,
        init: Option<unsafe extern "C" fn(*mut urma_init_attr) -> u32> = 24,
        uninit: Option<unsafe extern "C" fn() -> u32> = 32,
        query_device: Option<unsafe extern "C" fn(*mut urma_device, *mut urma_device_attr) -> u32> = 40,
        create_context: Option<unsafe extern "C" fn(*mut urma_device, u32, c_int) -> *mut urma_context> = 48,
        delete_context: Option<unsafe extern "C" fn(*mut urma_context) -> u32> = 56,
        get_uasid: Option<unsafe extern "C" fn(*mut u32) -> u32> = 64,
    }

    /// What a provider tells the helper that creates a context.
    urma_context_cfg, 32 {
        dev: *mut urma_device = 0,
        ops: *mut urma_ops = 8,
        eid_index: u32 = 16,
        dev_fd: c_int = 20,
        uasid: u32 = 24,
    }

    /// Private data of a private call.
    urma_udrv, 32 {
        in_addr: u64 = 0,
        in_len: u32 = 8,
        out_addr: u64 = 16,
        out_len: u32 = 24,
    }

    /// Private data of a command: request and room for the reply.
    urma_cmd_udrv_priv, 32 {
        in_addr: u64 = 0,
        in_len: u32 = 8,
        out_addr: u64 = 16,
        out_len: u32 = 24,
    }

    /// What a provider tells the helper that imports a receive queue.
    urma_tjfr_cfg, 48 {
        jfr_id: urma_jetty_id = 0,
        flag: u32 = 24,
        token: *mut urma_token = 32,
        trans_mode: u32 = 40,
        tp_type: u32 = 44,
    }

    /// What a provider tells the helper that imports a jetty.
    urma_tjetty_cfg, 56 {
        jetty_id: urma_jetty_id = 0,
        flag: u32 = 24,
        token: *mut urma_token = 32,
        trans_mode: u32 = 40,
        policy: u32 = 44,
        kind: u32 = 48,
        tp_type: u32 = 52,
    }

    /// What a provider tells the helper that imports a segment.
    urma_import_tseg_cfg, 72 {
        ubva: urma_ubva = 0,
        len: u64 = 32,
        attr: u32 = 40,
        token_id: u32 = 44,
        token: *mut urma_token = 48,
        flag: u32 = 56,
        mva: u64 = 64,
    }
}
