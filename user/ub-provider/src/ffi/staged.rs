// SPDX-License-Identifier: GPL-2.0

//! Objects that are made in stages: allocated, given options, put to work; and back.

use std::cell::UnsafeCell;
use std::ffi::{c_int, c_void};

use ub_abi::UBURMA_FREE_JFR_OUT_ASYNC_EVENTS_REPORTED;
use ub_client::Class;
use ub_urma::liburma::*;
use ub_urma::*;

use crate::ffi::call::{done, given, no_udata, operations, undone, QueueData};
use crate::ffi::destroy::{acknowledged, destroy, destroy_or_orphan, end_jfr, recount, Mortal};
use crate::ffi::kinds::*;
use crate::ffi::object::{find, find_held, lock, Kind, Object};
use crate::ffi::options::{get, Config, Value};
use crate::ffi::queues::{check_comp, check_jetty, check_recv, check_send};
use crate::queue::{CompQueue, RecvQueue, SendQueue};
use crate::status::Outcome;

/// Memory that looks like an object and is none.
///
/// liburma writes to the object that it gets, also when it gets none, so there must be one.
#[repr(C)]
struct Decoy(UnsafeCell<[u64; 64]>);

// SAFETY: Rust never looks at the memory, but for the mark of an object, which is an atomic.
unsafe impl Sync for Decoy {}

static JFS_DECOY: Decoy = Decoy(UnsafeCell::new([0; 64]));
static JFR_DECOY: Decoy = Decoy(UnsafeCell::new([0; 64]));

const _: () = {
    assert!(size_of::<Object<JfsKind>>() <= size_of::<Decoy>());
    assert!(size_of::<Object<JfrKind>>() <= size_of::<Decoy>());
    assert!(align_of::<Object<JfsKind>>() <= align_of::<Decoy>());
    assert!(align_of::<Object<JfrKind>>() <= align_of::<Decoy>());
};

/// Puts an object to work by a function of liburma, which counts acknowledgments anew then; but the
/// kernel goes on counting events.
fn activate<K: Mortal>(
    object: &Object<K>,
    function: impl FnOnce(*mut K::Public) -> c_int,
) -> Outcome<()> {
    let before = acknowledged(object);
    done(function(object.ptr()))?;
    recount(object, before);
    Ok(())
}

/// Takes an object out of work by a function of liburma.
///
/// # Safety
///
/// As for [`find`].
unsafe fn deactivate<K: Mortal>(
    public: *mut K::Public,
    function: impl FnOnce(*mut K::Public) -> c_int,
) -> Outcome<()> {
    // SAFETY: as the caller promises.
    unsafe {
        let object = find::<K>(public)?;
        undone(object, function)?;
        K::detach(object);
    }
    Ok(())
}

operations! {
    /// Allocates a completion queue.
    fn alloc_jfc(
        ctx: *mut urma_context,
        cfg: *mut urma_jfc_cfg,
        out: *mut *mut urma_jfc,
    ) -> () {
        given(out)?;
        *out = std::ptr::null_mut();
        let ctx = find::<ContextKind>(ctx)?;
        given(cfg)?;
        check_comp(&*cfg, ctx)?;
        let jfc = JfcKind::pool().take(Some(ctx))?;
        done(urma_cmd_alloc_jfc(ctx.ptr(), cfg, jfc.ptr(), &mut no_udata()))?;
        (*jfc.ptr()).jfc_cfg.jfce = (*cfg).jfce;
        *out = jfc.finish();
        Ok(())
    }

    /// Sets an option of it.
    fn set_jfc_opt(jfc: *mut urma_jfc, opt: u64, buf: *mut c_void, len: u32) -> () {
        let jfc = find::<JfcKind>(jfc)?;
        let value = Value::new(buf, len)?;
        let mut cfg = (*jfc.ptr()).jfc_cfg;
        cfg.keep(opt, value)?;
        check_comp(&cfg, jfc.ctx()?)?;
        done(urma_cmd_set_jfc_opt(jfc.ptr(), opt, buf, len, &mut no_udata()))?;
        (*jfc.ptr()).jfc_cfg = cfg;
        Ok(())
    }

    /// Reads an option of it.
    fn get_jfc_opt(jfc: *mut urma_jfc, opt: u64, buf: *mut c_void, len: u32) -> () {
        let jfc = find::<JfcKind>(jfc)?;
        get(buf, len, || urma_cmd_get_jfc_opt(jfc.ptr(), opt, buf, len, &mut no_udata()))
    }

    /// Puts it to work.
    fn active_jfc(jfc: *mut urma_jfc) -> () {
        let jfc = find::<JfcKind>(jfc)?;
        let mut data = QueueData::new(jfc.ptr() as u64);
        activate(jfc, |jfc| urma_cmd_active_jfc(jfc, &mut data.udata()))?;
        let queue = data.map(jfc.ctx()?, CompQueue::map).inspect_err(|_| {
            urma_cmd_deactive_jfc(jfc.ptr(), &mut no_udata());
        })?;
        *lock(&jfc.private) = Some(queue);
        Ok(())
    }

    /// Takes it out of work.
    fn deactive_jfc(jfc: *mut urma_jfc) -> () {
        deactivate::<JfcKind>(jfc, |jfc| urma_cmd_deactive_jfc(jfc, &mut no_udata()))
    }

    /// Frees it.
    fn free_jfc(jfc: *mut urma_jfc) -> () {
        destroy::<JfcKind>(jfc, |jfc| urma_cmd_free_jfc(jfc, &mut no_udata()))
    }

    /// Allocates a send queue.
    fn alloc_jfs(
        ctx: *mut urma_context,
        cfg: *mut urma_jfs_cfg,
        out: *mut *mut urma_jfs,
    ) -> () {
        given(out)?;
        *out = JFS_DECOY.0.get().cast();
        let ctx = find::<ContextKind>(ctx)?;
        given(cfg)?;
        check_send(&*cfg, ctx)?;
        let jfs = JfsKind::pool().take(Some(ctx))?;
        done(urma_cmd_alloc_jfs(ctx.ptr(), cfg, jfs.ptr(), &mut no_udata()))?;
        *out = jfs.finish();
        Ok(())
    }

    /// Sets an option of it.
    fn set_jfs_opt(jfs: *mut urma_jfs, opt: u64, buf: *mut c_void, len: u32) -> () {
        let jfs = find::<JfsKind>(jfs)?;
        let value = Value::new(buf, len)?;
        let mut cfg = (*jfs.ptr()).jfs_cfg;
        cfg.keep(opt, value)?;
        check_send(&cfg, jfs.ctx()?)?;
        done(urma_cmd_set_jfs_opt(jfs.ptr(), opt, buf, len, &mut no_udata()))?;
        (*jfs.ptr()).jfs_cfg = cfg;
        Ok(())
    }

    /// Reads an option of it.
    fn get_jfs_opt(jfs: *mut urma_jfs, opt: u64, buf: *mut c_void, len: u32) -> () {
        let jfs = find::<JfsKind>(jfs)?;
        get(buf, len, || urma_cmd_get_jfs_opt(jfs.ptr(), opt, buf, len, &mut no_udata()))
    }

    /// Puts it to work.
    fn active_jfs(jfs: *mut urma_jfs) -> () {
        let jfs = find::<JfsKind>(jfs)?;
        let ctx = jfs.ctx()?;
        // Options may have changed it.
        check_send(&(*jfs.ptr()).jfs_cfg, ctx)?;
        let mut data = QueueData::new(jfs.ptr() as u64);
        activate(jfs, |jfs| urma_cmd_active_jfs(jfs, &mut data.udata()))?;
        let connected = (*jfs.ptr()).jfs_cfg.trans_mode == URMA_TM_RC;
        let queue = data
            .map(ctx, |place| SendQueue::map(place, connected))
            .inspect_err(|_| {
                urma_cmd_deactive_jfs(jfs.ptr(), &mut no_udata());
            })?;
        *lock(&jfs.private) = Some(queue);
        Ok(())
    }

    /// Takes it out of work.
    fn deactive_jfs(jfs: *mut urma_jfs) -> () {
        deactivate::<JfsKind>(jfs, |jfs| urma_cmd_deactive_jfs(jfs, &mut no_udata()))
    }

    /// Frees it.
    fn free_jfs(jfs: *mut urma_jfs) -> () {
        destroy::<JfsKind>(jfs, |jfs| urma_cmd_free_jfs(jfs, &mut no_udata()))
    }

    /// Allocates a receive queue.
    fn alloc_jfr(
        ctx: *mut urma_context,
        cfg: *mut urma_jfr_cfg,
        out: *mut *mut urma_jfr,
    ) -> () {
        given(out)?;
        *out = JFR_DECOY.0.get().cast();
        let ctx = find::<ContextKind>(ctx)?;
        given(cfg)?;
        check_recv(&*cfg, ctx)?;
        let jfr = JfrKind::pool().take(Some(ctx))?;
        done(urma_cmd_alloc_jfr(ctx.ptr(), cfg, jfr.ptr(), &mut no_udata()))?;
        *out = jfr.finish();
        Ok(())
    }

    /// Sets an option of it.
    fn set_jfr_opt(jfr: *mut urma_jfr, opt: u64, buf: *mut c_void, len: u32) -> () {
        let jfr = find::<JfrKind>(jfr)?;
        let value = Value::new(buf, len)?;
        let mut cfg = (*jfr.ptr()).jfr_cfg;
        cfg.keep(opt, value)?;
        check_recv(&cfg, jfr.ctx()?)?;
        done(urma_cmd_set_jfr_opt(jfr.ptr(), opt, buf, len, &mut no_udata()))?;
        (*jfr.ptr()).jfr_cfg = cfg;
        Ok(())
    }

    /// Reads an option of it.
    fn get_jfr_opt(jfr: *mut urma_jfr, opt: u64, buf: *mut c_void, len: u32) -> () {
        let jfr = find::<JfrKind>(jfr)?;
        get(buf, len, || urma_cmd_get_jfr_opt(jfr.ptr(), opt, buf, len, &mut no_udata()))
    }

    /// Puts it to work.
    fn active_jfr(jfr: *mut urma_jfr) -> () {
        let jfr = find::<JfrKind>(jfr)?;
        let ctx = jfr.ctx()?;
        // Options may have changed it.
        check_recv(&(*jfr.ptr()).jfr_cfg, ctx)?;
        let mut data = QueueData::new(jfr.ptr() as u64);
        activate(jfr, |jfr| urma_cmd_active_jfr(jfr, &mut data.udata()))?;
        let queue = data.map(ctx, RecvQueue::map).inspect_err(|_| {
            urma_cmd_deactive_jfr(jfr.ptr(), &mut no_udata());
        })?;
        *lock(&jfr.private) = Some(queue);
        Ok(())
    }

    /// Takes it out of work.
    fn deactive_jfr(jfr: *mut urma_jfr) -> () {
        deactivate::<JfrKind>(jfr, |jfr| urma_cmd_deactive_jfr(jfr, &mut no_udata()))
    }

    /// Frees it.
    fn free_jfr(jfr: *mut urma_jfr) -> () {
        destroy::<JfrKind>(jfr, |jfr| {
            let reported = UBURMA_FREE_JFR_OUT_ASYNC_EVENTS_REPORTED;
            end_jfr(jfr, Class::Jfr.free_cmd((*jfr).handle), reported)
        })
    }

    /// Allocates a jetty.
    fn alloc_jetty(
        ctx: *mut urma_context,
        cfg: *mut urma_jetty_cfg,
        out: *mut *mut urma_jetty,
    ) -> () {
        given(out)?;
        *out = std::ptr::null_mut();
        let ctx = find::<ContextKind>(ctx)?;
        given(cfg)?;
        check_jetty(&*cfg, ctx)?;
        let jetty = JettyKind::pool().take(Some(ctx))?;
        done(urma_cmd_alloc_jetty(ctx.ptr(), cfg, jetty.ptr(), &mut no_udata()))?;
        *out = jetty.finish();
        Ok(())
    }

    /// Sets an option of it.
    fn set_jetty_opt(jetty: *mut urma_jetty, opt: u64, buf: *mut c_void, len: u32) -> () {
        let jetty = find::<JettyKind>(jetty)?;
        let value = Value::new(buf, len)?;
        let mut cfg = (*jetty.ptr()).jetty_cfg;
        cfg.keep(opt, value)?;
        check_jetty(&cfg, jetty.ctx()?)?;
        done(urma_cmd_set_jetty_opt(jetty.ptr(), opt, buf, len, &mut no_udata()))?;
        (*jetty.ptr()).jetty_cfg = cfg;
        Ok(())
    }

    /// Reads an option of it.
    fn get_jetty_opt(jetty: *mut urma_jetty, opt: u64, buf: *mut c_void, len: u32) -> () {
        let jetty = find::<JettyKind>(jetty)?;
        get(buf, len, || urma_cmd_get_jetty_opt(jetty.ptr(), opt, buf, len, &mut no_udata()))
    }

    /// Puts it to work.
    fn active_jetty(jetty: *mut urma_jetty) -> () {
        let jetty = find::<JettyKind>(jetty)?;
        let ctx = jetty.ctx()?;
        // Options may have changed it.
        check_jetty(&(*jetty.ptr()).jetty_cfg, ctx)?;
        let mut data = QueueData::new(jetty.ptr() as u64);
        done(urma_cmd_active_jetty(jetty.ptr(), &mut data.udata()))?;
        let connected = (*jetty.ptr()).jetty_cfg.jfs_cfg.trans_mode == URMA_TM_RC;
        let queue = data
            .map(ctx, |place| SendQueue::map(place, connected))
            .inspect_err(|_| {
                urma_cmd_deactive_jetty(jetty.ptr(), &mut no_udata());
            })?;
        *lock(&jetty.private) = Some(queue);
        Ok(())
    }

    /// Takes it out of work.
    fn deactive_jetty(jetty: *mut urma_jetty) -> () {
        deactivate::<JettyKind>(jetty, |jetty| urma_cmd_deactive_jetty(jetty, &mut no_udata()))
    }

    /// Frees it. After a failure liburma follows the pointer to the group, which may be null: so
    /// one without a group that only waits for acknowledgments counts as freed.
    fn free_jetty(jetty: *mut urma_jetty) -> () {
        let function = |jetty| urma_cmd_free_jetty(jetty, &mut no_udata());
        let is_member = find_held::<JettyKind>(jetty)
            .is_ok_and(|jetty| !(*jetty.ptr()).jetty_cfg.jetty_grp.is_null());
        if is_member {
            destroy::<JettyKind>(jetty, function)
        } else {
            destroy_or_orphan::<JettyKind>(jetty, function)
        }
    }
}
