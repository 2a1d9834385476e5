// SPDX-License-Identifier: GPL-2.0

//! Contexts, channels, events and private calls.

use std::ffi::{c_int, CStr};

use ub_abi::*;
use ub_client::sys;
use ub_client::tlv::{Attr, Cmd, Place};
use ub_client::{AsyncEvents, Context, Device, Jfce, Notifier};
use ub_urma::*;

use super::*;

/// The command that makes a channel; its number is the output.
unsafe fn make_channel(ctx: *mut urma_context, mut cmd: Cmd, out: u32) -> c_int {
    // SAFETY: as the caller promises.
    match run(&mut cmd, unsafe { dev_fd(ctx) }) {
        0 => cmd.get_i32(out),
        _ => -1,
    }
}

exports! {
    fn urma_cmd_create_context(
        ctx: *mut urma_context,
        cfg: *mut urma_context_cfg,
        udata: *mut urma_cmd_udrv_priv,
    ) -> c_int {
        let cfg = &*cfg;
        let name = CStr::from_ptr((*cfg.dev).name.as_ptr()).to_string_lossy();
        let eid = match Device::named(&name).and_then(|device| device.eid(cfg.eid_index)) {
            Ok(eid) => eid,
            Err(err) => return result::<()>(Err(err)),
        };
        let ids = (UBURMA_CREATE_CTX_IN_UDATA, UBURMA_CREATE_CTX_OUT_UDATA);
        let mut cmd = with_udata(Context::create_cmd(&eid, cfg.eid_index), ids, udata);
        libc::pthread_mutex_init(&raw mut (*ctx).mutex, std::ptr::null());
        (*ctx).ops = cfg.ops;
        (*ctx).dev = cfg.dev;
        (*ctx).dev_fd = cfg.dev_fd;
        (*ctx).eid = urma_eid::of(eid.0);
        (*ctx).eid_index = cfg.eid_index;
        (*ctx).uasid = cfg.uasid;
        (*ctx).ref_.atomic_cnt = 1;
        let ret = run(&mut cmd, cfg.dev_fd);
        if ret == 0 {
            (*ctx).async_fd = cmd.get_i32(UBURMA_CREATE_CTX_OUT_ASYNC_FD);
        }
        ret
    }

    fn urma_cmd_delete_context(ctx: *mut urma_context) -> c_int {
        let ret = libc::close((*ctx).async_fd);
        libc::pthread_mutex_destroy(&raw mut (*ctx).mutex);
        ret
    }

    fn urma_cmd_create_jfce(ctx: *mut urma_context) -> c_int {
        let cmd = Cmd::new(UBURMA_CMD_CREATE_JFCE).out(UBURMA_CREATE_JFCE_OUT_FD, 4);
        make_channel(ctx, cmd, UBURMA_CREATE_JFCE_OUT_FD)
    }

    fn urma_cmd_wait_jfc(
        fd: c_int,
        count: u32,
        timeout: c_int,
        jfc: *mut *mut urma_jfc,
    ) -> c_int {
        if count == 0 || count > MAX_JFCE_EVENT_CNT {
            set_errno(libc::EINVAL);
            return -1;
        }
        let mut cmd = Jfce::wait_cmd(count, timeout);
        if let Err(err) = cmd.run_event(fd) {
            set_errno(err.errno());
            return if err.errno() == libc::EAGAIN && timeout == 0 { 0 } else { -1 };
        }
        let number = cmd.get_u32(UBURMA_JFCE_WAIT_OUT_EVENT_CNT);
        let data = cmd.value(UBURMA_JFCE_WAIT_OUT_EVENT_DATA);
        for (i, word) in data.chunks_exact(8).take(number as usize).enumerate() {
            *jfc.add(i) = sys::from_bytes::<u64>(word) as *mut urma_jfc;
        }
        number as c_int
    }

    fn urma_cmd_ack_jfc(jfc: *mut *mut urma_jfc, events: *mut u32, count: u32) {
        for i in 0..count as usize {
            let jfc = *jfc.add(i);
            let counter = &raw mut (*jfc).comp_events_acked;
            let (mutex, cond) = (&raw mut (*jfc).event_mutex, &raw mut (*jfc).event_cond);
            acknowledge(mutex, cond, counter, *events.add(i));
        }
    }

    fn urma_cmd_get_async_event(ctx: *mut urma_context, event: *mut urma_async_event) -> u32 {
        let mut cmd = AsyncEvents::get_cmd();
        if let Err(err) = cmd.run_event((*ctx).async_fd) {
            set_errno(err.errno());
            return URMA_FAIL;
        }
        let kind = cmd.get_u32(UBURMA_GET_ASYNC_EVENT_OUT_EVENT_TYPE);
        (*event).urma_ctx = ctx;
        (*event).event_type = kind;
        (*event).element = cmd.get_u64(UBURMA_GET_ASYNC_EVENT_OUT_EVENT_DATA);
        if kind > URMA_EVENT_EID_CHANGE { URMA_FAIL } else { URMA_SUCCESS }
    }

    fn urma_cmd_ack_async_event(event: *mut urma_async_event) {
        let element = (*event).element;
        macro_rules! acked {
            ($ty:ty) => {{
                let object = element as *mut $ty;
                let counter = &raw mut (*object).async_events_acked;
                let mutex = &raw mut (*object).event_mutex;
                acknowledge(mutex, &raw mut (*object).event_cond, counter, 1);
            }};
        }
        match (*event).event_type {
            URMA_EVENT_JFC_ERR => acked!(urma_jfc),
            URMA_EVENT_JFS_ERR => acked!(urma_jfs),
            URMA_EVENT_JFR_ERR | URMA_EVENT_JFR_LIMIT => acked!(urma_jfr),
            URMA_EVENT_JETTY_ERR | URMA_EVENT_JETTY_LIMIT => acked!(urma_jetty),
            URMA_EVENT_JETTY_GRP_ERR => acked!(urma_jetty_grp),
            _ => {}
        }
    }

    fn urma_cmd_user_ctl(
        ctx: *mut urma_context,
        input: *mut urma_user_ctl_in,
        output: *mut urma_user_ctl_out,
        udrv: *mut urma_udrv,
    ) -> c_int {
        assert!(!udrv.is_null(), "liburma follows this pointer");
        let mut cmd = Cmd::new(UBURMA_CMD_USER_CTL)
            .u64(UBURMA_USER_CTL_IN_IN_ADDR, (*input).addr)
            .u32(UBURMA_USER_CTL_IN_IN_LEN, (*input).len)
            .u32(UBURMA_USER_CTL_IN_OPCODE, (*input).opcode)
            .u64(UBURMA_USER_CTL_IN_OUT_ADDR, (*output).addr)
            .u32(UBURMA_USER_CTL_IN_OUT_LEN, (*output).len);
        let place = Place::Address(udrv as u64);
        cmd.attrs_mut()
            .push(Attr::single(UBURMA_USER_CTL_IN_UDATA, size_of::<urma_udrv>(), place));
        run(&mut cmd, dev_fd(ctx))
    }

    fn urma_cmd_create_notifier(ctx: *mut urma_context) -> c_int {
        make_channel(ctx, Notifier::create_cmd(), UBURMA_CREATE_NOTIFIER_OUT_FD)
    }

    fn urma_cmd_wait_notify(
        notifier: *mut urma_notifier,
        count: u32,
        notify: *mut urma_notify,
        timeout: c_int,
    ) -> c_int {
        let mut cmd = Notifier::wait_cmd(count, timeout);
        if let Err(err) = cmd.run_event((*notifier).fd) {
            set_errno(err.errno());
            return if err.errno() == libc::EAGAIN && timeout == 0 { 0 } else { -1 };
        }
        let number = cmd.get_u32(UBURMA_WAIT_NOTIFY_OUT_CNT);
        let list = cmd.value(UBURMA_WAIT_NOTIFY_OUT_NOTIFY);
        let size = size_of::<uburma_cmd_notify>();
        for (i, bytes) in list.chunks_exact(size).take(number as usize).enumerate() {
            let to = &mut *notify.add(i);
            to.kind = sys::from_bytes(&bytes[0..4]);
            to.status = sys::from_bytes(&bytes[4..8]);
            to.user_ctx = sys::from_bytes(&bytes[8..16]);
            to.object = sys::from_bytes::<u64>(&bytes[16..24]) as *mut _;
            let tpn: u32 = sys::from_bytes(&bytes[24..28]);
            if to.kind == URMA_IMPORT_JETTY_NOTIFY && !to.object.is_null() {
                (*to.object.cast::<urma_target_jetty>()).tp.tpn = tpn;
            }
        }
        number as c_int
    }
}
