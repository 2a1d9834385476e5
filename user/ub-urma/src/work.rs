// SPDX-License-Identifier: GPL-2.0

//! Work requests, completions and events.

use std::ffi::c_void;

use crate::layout::layouts;
use crate::*;

layouts! {
    /// A range of memory.
    urma_sge, 32 {
        addr: u64 = 0,
        len: u32 = 8,
        tseg: *mut urma_target_seg = 16,
        user_tseg: *mut urma_user_target_seg = 24,
    }

    /// An array of ranges.
    urma_sg, 16 {
        sge: *mut urma_sge = 0,
        num_sge: u32 = 8,
    }

    /// Operands of reads and writes.
    urma_rw_wr, 48 {
        src: urma_sg = 0,
        dst: urma_sg = 16,
        target_hint: u8 = 32,
        notify_data: u64 = 40,
    }

    /// Operands of messages.
    urma_send_wr, 40 {
        src: urma_sg = 0,
        target_hint: u8 = 16,
        imm_data: u64 = 24,
        tseg: *mut urma_target_seg = 32,
    }

    /// Operands of compare-and-swap and swap. Words of more than 8 bytes are addresses.
    urma_cas_wr, 32 {
        dst: *mut urma_sge = 0,
        src: *mut urma_sge = 8,
        cmp_data: u64 = 16,
        swap_data: u64 = 24,
    }

    /// Operands of the other atomic operations.
    urma_faa_wr, 24 {
        dst: *mut urma_sge = 0,
        src: *mut urma_sge = 8,
        operand: u64 = 16,
    }

    /// A work request for a send queue.
    urma_jfs_wr, 80 {
        opcode: u32 = 0,
        flag: u32 = 4,
        tjetty: *mut urma_target_jetty = 8,
        user_ctx: u64 = 16,
        body: urma_jfs_wr_body = 24,
        next: *mut urma_jfs_wr = 72,
    }

    /// A receive buffer.
    urma_jfr_wr, 32 {
        src: urma_sg = 0,
        user_ctx: u64 = 16,
        next: *mut urma_jfr_wr = 24,
    }

    /// The token that a message invalidated.
    urma_cr_token, 8 {
        token_id: u32 = 0,
        token_value: urma_token = 4,
    }

    /// A completion. `imm_data` is the token that was invalidated where there is one.
    urma_cr, 80 {
        status: u32 = 0,
        user_ctx: u64 = 8,
        opcode: u32 = 16,
        flag: u8 = 20,
        completion_len: u32 = 24,
        local_id: u32 = 28,
        remote_id: urma_jetty_id = 32,
        imm_data: u64 = 56,
        tpn: u32 = 64,
        user_data: usize = 72,
    }

    /// An asynchronous event. `element` is a pointer or, in its low half, a number.
    urma_async_event, 32 {
        urma_ctx: *const urma_context = 0,
        element: u64 = 8,
        event_type: u32 = 16,
        priv_: *mut c_void = 24,
    }

    /// Input of a private call.
    urma_user_ctl_in, 16 {
        addr: u64 = 0,
        len: u32 = 8,
        opcode: u32 = 12,
    }

    /// Output of a private call.
    urma_user_ctl_out, 16 {
        addr: u64 = 0,
        len: u32 = 8,
        reserved: u32 = 12,
    }

    /// Input of the private call that posts and returns a doorbell.
    urma_post_and_ret_db_in, 24 {
        is_jetty: u8 = 0,
        object: *mut c_void = 8,
        wr: *mut urma_jfs_wr = 16,
    }

    /// Its output.
    urma_post_and_ret_db_out, 24 {
        bad_wr: *mut *mut urma_jfs_wr = 0,
        db_addr: u64 = 8,
        db_data: u64 = 16,
    }
}
