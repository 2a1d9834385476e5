// SPDX-License-Identifier: GPL-2.0

//! Queues, jettys and groups: made at once, changed, asked and destroyed.

use std::ffi::c_int;

use ub_abi::UBURMA_DELETE_JFR_OUT_ASYNC_EVENTS_REPORTED;
use ub_client::Jfr;
use ub_urma::liburma::*;
use ub_urma::*;

use crate::ffi::call::{done, given, no_udata, operations, QueueData};
use crate::ffi::destroy::{destroy, end_jfr};
use crate::ffi::kinds::*;
use crate::ffi::object::{find, lock, Kind, Object};
use crate::queue::{CompQueue, RecvQueue, SendQueue};
use crate::status::{Failure, Outcome};

/// Checks where the completions of a send side go.
///
/// # Safety
///
/// As for [`find`].
pub(crate) unsafe fn check_send(cfg: &urma_jfs_cfg, ctx: &Object<ContextKind>) -> Outcome<()> {
    // SAFETY: as the caller promises.
    unsafe { find::<JfcKind>(cfg.jfc) }?.of(ctx)
}

/// Checks where the completions of a receive queue go.
///
/// # Safety
///
/// As for [`find`].
pub(crate) unsafe fn check_recv(cfg: &urma_jfr_cfg, ctx: &Object<ContextKind>) -> Outcome<()> {
    // SAFETY: as the caller promises.
    unsafe { find::<JfcKind>(cfg.jfc) }?.of(ctx)
}

/// Checks the channel of a completion queue, which may be absent.
///
/// # Safety
///
/// As for [`find`].
pub(crate) unsafe fn check_comp(cfg: &urma_jfc_cfg, ctx: &Object<ContextKind>) -> Outcome<()> {
    if cfg.jfce.is_null() {
        return Ok(());
    }
    // SAFETY: as the caller promises.
    unsafe { find::<JfceKind>(cfg.jfce) }?.of(ctx)
}

/// Checks what a jetty refers to. It receives through a queue that it shares: devices of kind UB
/// have no other.
///
/// # Safety
///
/// As for [`find`].
pub(crate) unsafe fn check_jetty(cfg: &urma_jetty_cfg, ctx: &Object<ContextKind>) -> Outcome<()> {
    use ub_urma::flags::urma_jetty_flag::share_jfr;

    if share_jfr.get(cfg.flag) == 0 {
        return Err(Failure::INVALID);
    }
    // SAFETY: as the caller promises; the flag tells what is in the union.
    unsafe {
        check_send(&cfg.jfs_cfg, ctx)?;
        find::<JfrKind>(cfg.shared.jfr)?.of(ctx)?;
        if !cfg.shared.jfc.is_null() {
            find::<JfcKind>(cfg.shared.jfc)?.of(ctx)?;
        }
        if !cfg.jetty_grp.is_null() {
            find::<GroupKind>(cfg.jetty_grp)?.of(ctx)?;
        }
    }
    Ok(())
}

operations! {
    /// Makes a completion queue.
    fn create_jfc(ctx: *mut urma_context, cfg: *mut urma_jfc_cfg) -> *mut urma_jfc {
        let ctx = find::<ContextKind>(ctx)?;
        given(cfg)?;
        check_comp(&*cfg, ctx)?;
        let jfc = JfcKind::pool().take(Some(ctx))?;
        let mut data = QueueData::new(jfc.ptr() as u64);
        done(urma_cmd_create_jfc(ctx.ptr(), jfc.ptr(), cfg, &mut data.udata()))?;
        match data.map(ctx, CompQueue::map) {
            Ok(queue) => *lock(&jfc.private) = Some(queue),
            Err(failure) => {
                urma_cmd_delete_jfc(jfc.ptr());
                return Err(failure);
            }
        }
        // liburma counts the users of the channel by it.
        (*jfc.ptr()).jfc_cfg.jfce = (*cfg).jfce;
        Ok(jfc.finish())
    }

    /// Changes the moderation of events.
    fn modify_jfc(jfc: *mut urma_jfc, attr: *mut urma_jfc_attr) -> () {
        let jfc = find::<JfcKind>(jfc)?;
        given(attr)?;
        done(urma_cmd_modify_jfc(jfc.ptr(), attr, &mut no_udata()))
    }

    /// Destroys a completion queue.
    fn delete_jfc(jfc: *mut urma_jfc) -> () {
        destroy::<JfcKind>(jfc, |jfc| urma_cmd_delete_jfc(jfc))
    }

    /// Makes a send queue.
    fn create_jfs(ctx: *mut urma_context, cfg: *mut urma_jfs_cfg) -> *mut urma_jfs {
        let ctx = find::<ContextKind>(ctx)?;
        given(cfg)?;
        check_send(&*cfg, ctx)?;
        let jfs = JfsKind::pool().take(Some(ctx))?;
        let mut data = QueueData::new(jfs.ptr() as u64);
        done(urma_cmd_create_jfs(ctx.ptr(), jfs.ptr(), cfg, &mut data.udata()))?;
        let connected = (*cfg).trans_mode == URMA_TM_RC;
        match data.map(ctx, |place| SendQueue::map(place, connected)) {
            Ok(queue) => *lock(&jfs.private) = Some(queue),
            Err(failure) => {
                urma_cmd_delete_jfs(jfs.ptr());
                return Err(failure);
            }
        }
        Ok(jfs.finish())
    }

    /// Changes the state of a send queue. The kernel empties the ring of one that is reset: indices
    /// go on.
    fn modify_jfs(jfs: *mut urma_jfs, attr: *mut urma_jfs_attr) -> () {
        let jfs = find::<JfsKind>(jfs)?;
        given(attr)?;
        done(urma_cmd_modify_jfs(jfs.ptr(), attr, &mut no_udata()))
    }

    /// Asks for configuration and state of a send queue.
    fn query_jfs(
        jfs: *mut urma_jfs,
        cfg: *mut urma_jfs_cfg,
        attr: *mut urma_jfs_attr,
    ) -> () {
        let jfs = find::<JfsKind>(jfs)?;
        given(cfg)?;
        given(attr)?;
        done(urma_cmd_query_jfs(jfs.ptr(), cfg, attr))
    }

    /// Work requests that the device never saw: there are none, the kernel completes them all.
    fn flush_jfs(jfs: *mut urma_jfs, cr_cnt: c_int, cr: *mut urma_cr) -> c_int {
        find::<JfsKind>(jfs)?;
        given(cr)?;
        if cr_cnt <= 0 {
            return Err(Failure::INVALID);
        }
        Ok(0)
    }

    /// Destroys a send queue.
    fn delete_jfs(jfs: *mut urma_jfs) -> () {
        destroy::<JfsKind>(jfs, |jfs| urma_cmd_delete_jfs(jfs))
    }

    /// Makes a receive queue.
    fn create_jfr(ctx: *mut urma_context, cfg: *mut urma_jfr_cfg) -> *mut urma_jfr {
        let ctx = find::<ContextKind>(ctx)?;
        given(cfg)?;
        check_recv(&*cfg, ctx)?;
        let jfr = JfrKind::pool().take(Some(ctx))?;
        let mut data = QueueData::new(jfr.ptr() as u64);
        done(urma_cmd_create_jfr(ctx.ptr(), jfr.ptr(), cfg, &mut data.udata()))?;
        match data.map(ctx, RecvQueue::map) {
            Ok(queue) => *lock(&jfr.private) = Some(queue),
            Err(failure) => {
                urma_cmd_delete_jfr(jfr.ptr());
                return Err(failure);
            }
        }
        Ok(jfr.finish())
    }

    /// Changes threshold or state of a receive queue.
    fn modify_jfr(jfr: *mut urma_jfr, attr: *mut urma_jfr_attr) -> () {
        let jfr = find::<JfrKind>(jfr)?;
        given(attr)?;
        done(urma_cmd_modify_jfr(jfr.ptr(), attr, &mut no_udata()))
    }

    /// Asks for configuration and state of a receive queue.
    fn query_jfr(
        jfr: *mut urma_jfr,
        cfg: *mut urma_jfr_cfg,
        attr: *mut urma_jfr_attr,
    ) -> () {
        let jfr = find::<JfrKind>(jfr)?;
        given(cfg)?;
        given(attr)?;
        done(urma_cmd_query_jfr(jfr.ptr(), cfg, attr))
    }

    /// Destroys a receive queue.
    fn delete_jfr(jfr: *mut urma_jfr) -> () {
        destroy::<JfrKind>(jfr, |jfr| {
            let reported = UBURMA_DELETE_JFR_OUT_ASYNC_EVENTS_REPORTED;
            end_jfr(jfr, Jfr::delete_cmd((*jfr).handle), reported)
        })
    }

    /// Makes a jetty.
    fn create_jetty(ctx: *mut urma_context, cfg: *mut urma_jetty_cfg) -> *mut urma_jetty {
        let ctx = find::<ContextKind>(ctx)?;
        given(cfg)?;
        check_jetty(&*cfg, ctx)?;
        let jetty = JettyKind::pool().take(Some(ctx))?;
        let mut data = QueueData::new(jetty.ptr() as u64);
        done(urma_cmd_create_jetty(ctx.ptr(), jetty.ptr(), cfg, &mut data.udata()))?;
        let connected = (*cfg).jfs_cfg.trans_mode == URMA_TM_RC;
        match data.map(ctx, |place| SendQueue::map(place, connected)) {
            Ok(queue) => *lock(&jetty.private) = Some(queue),
            Err(failure) => {
                urma_cmd_delete_jetty(jetty.ptr());
                return Err(failure);
            }
        }
        Ok(jetty.finish())
    }

    /// Changes threshold or state of a jetty; nothing with an empty mask.
    fn modify_jetty(jetty: *mut urma_jetty, attr: *mut urma_jetty_attr) -> () {
        let jetty = find::<JettyKind>(jetty)?;
        given(attr)?;
        done(urma_cmd_modify_jetty(jetty.ptr(), attr, &mut no_udata()))
    }

    /// Asks for configuration and state of a jetty.
    fn query_jetty(
        jetty: *mut urma_jetty,
        cfg: *mut urma_jetty_cfg,
        attr: *mut urma_jetty_attr,
    ) -> () {
        let jetty = find::<JettyKind>(jetty)?;
        given(cfg)?;
        given(attr)?;
        done(urma_cmd_query_jetty(jetty.ptr(), cfg, attr))
    }

    /// As [`flush_jfs`].
    fn flush_jetty(jetty: *mut urma_jetty, cr_cnt: c_int, cr: *mut urma_cr) -> c_int {
        find::<JettyKind>(jetty)?;
        given(cr)?;
        if cr_cnt <= 0 {
            return Err(Failure::INVALID);
        }
        Ok(0)
    }

    /// Destroys a jetty.
    fn delete_jetty(jetty: *mut urma_jetty) -> () {
        destroy::<JettyKind>(jetty, |jetty| urma_cmd_delete_jetty(jetty))
    }

    /// Makes a group of jettys; liburma keeps the list of its members.
    fn create_jetty_grp(
        ctx: *mut urma_context,
        cfg: *mut urma_jetty_grp_cfg,
    ) -> *mut urma_jetty_grp {
        let ctx = find::<ContextKind>(ctx)?;
        given(cfg)?;
        let group = GroupKind::pool().take(Some(ctx))?;
        done(urma_cmd_create_jetty_grp(ctx.ptr(), group.ptr(), cfg, &mut no_udata()))?;
        Ok(group.finish())
    }

    /// Destroys a group.
    fn delete_jetty_grp(group: *mut urma_jetty_grp) -> () {
        destroy::<GroupKind>(group, |group| urma_cmd_delete_jetty_grp(group))
    }
}
