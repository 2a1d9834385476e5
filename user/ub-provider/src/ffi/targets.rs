// SPDX-License-Identifier: GPL-2.0

//! Imported jettys and receive queues, bindings, paths and addresses.

use std::ffi::{c_int, c_void};
use std::ptr;
use std::sync::atomic::Ordering;

use ub_urma::liburma::*;
use ub_urma::*;

use crate::ffi::call::{done, given, no_udata, operations, undone, ImportData};
use crate::ffi::kinds::*;
use crate::ffi::object::{find, lock, release, Fresh, Kind, Object, State};
use crate::status::{Failure, Outcome};

/// What liburma is told of a jetty to be imported. There is a token in any case, since liburma
/// reads it.
fn jetty_cfg(jetty: &urma_rjetty, token: &mut urma_token) -> urma_tjetty_cfg {
    urma_tjetty_cfg {
        jetty_id: jetty.jetty_id,
        flag: jetty.flag,
        token,
        trans_mode: jetty.trans_mode,
        policy: jetty.policy,
        kind: jetty.kind,
        tp_type: jetty.tp_type,
    }
}

/// The same of a receive queue.
fn jfr_cfg(jfr: &urma_rjfr, token: &mut urma_token) -> urma_tjfr_cfg {
    urma_tjfr_cfg {
        jfr_id: jfr.jfr_id,
        flag: jfr.flag,
        token,
        trans_mode: jfr.trans_mode,
        tp_type: jfr.tp_type,
    }
}

/// The token behind a pointer; zero for none.
///
/// # Safety
///
/// The pointer is null or one to a token.
unsafe fn token_of(token: *const urma_token) -> urma_token {
    // SAFETY: as the caller promises.
    unsafe { token.as_ref() }.copied().unwrap_or_default()
}

/// A path for the functions of liburma. Their structures start like the one of the operations;
/// there is room, of zeros, for what may follow.
#[repr(C)]
struct ActivePath {
    path: urma_active_tp_cfg,
    rest: [u64; 8],
}

impl ActivePath {
    /// That of the operation; none is chosen by a null pointer.
    ///
    /// # Safety
    ///
    /// The pointer is null or one to a path.
    unsafe fn of(path: *const urma_active_tp_cfg) -> Self {
        ActivePath {
            // SAFETY: as the caller promises.
            path: unsafe { path.as_ref() }.copied().unwrap_or_default(),
            rest: [0; 8],
        }
    }

    fn ptr(&mut self) -> *mut urma_active_tp_cfg {
        (&raw mut *self).cast()
    }
}

/// Ends an import: notes what the target is called in work requests.
fn imported(
    target: Fresh<TargetKind>,
    data: &ImportData,
    kind: u32,
    undo: impl FnOnce(*mut urma_target_jetty),
) -> Outcome<*mut urma_target_jetty> {
    let target_ref = data.target_ref().inspect_err(|_| undo(target.ptr()))?;
    let private = &target.private;
    private.target_ref.store(target_ref, Ordering::Relaxed);
    let group = u32::from(kind == URMA_JETTY_GROUP);
    private.is_group.store(group, Ordering::Relaxed);
    Ok(target.finish())
}

/// Whether a jetty is bound to a target, as far as liburma knows.
fn is_bound(jetty: &Object<JettyKind>, target: &Object<TargetKind>) -> bool {
    // SAFETY: a member of an object, whose memory stays; it is compared and not followed.
    ptr::eq(unsafe { (*jetty.ptr()).remote_jetty }, target.ptr())
}

/// Has liburma know that a jetty is not bound any more: before, it does not delete it.
pub(crate) fn part(jetty: &Object<JettyKind>) {
    // SAFETY: a member of an object, whose memory stays.
    unsafe { (*jetty.ptr()).remote_jetty = ptr::null_mut() };
}

/// Notes a binding for the end of the target, which undoes it.
fn bound(jetty: &'static Object<JettyKind>, target: &Object<TargetKind>) {
    let mut bound = lock(&target.private.bound);
    if !target.is(State::Live) {
        // The end came first.
        part(jetty);
        return;
    }
    bound.retain(|other| is_bound(other, target) && !ptr::eq(*other, jetty));
    // Without memory for the note unbinding finds out.
    if bound.try_reserve(1).is_ok() {
        bound.push(jetty);
    }
}

/// Forgets a target by a function of liburma, and with it what is bound to it.
///
/// # Safety
///
/// As for [`find`].
unsafe fn unimport(
    target: *mut urma_target_jetty,
    function: impl FnOnce(*mut urma_target_jetty) -> c_int,
) -> Outcome<()> {
    // SAFETY: as the caller promises.
    let target = unsafe { find::<TargetKind>(target) }?;
    if !target.enter(State::Live, State::Going) {
        return Err(Failure::INVALID);
    }
    if let Err(failure) = undone(target, function) {
        target.enter(State::Going, State::Live);
        return Err(failure);
    }
    for jetty in lock(&target.private.bound).drain(..) {
        if is_bound(jetty, target) {
            part(jetty);
        }
    }
    release(target);
    Ok(())
}

/// A jetty and its target to be.
///
/// # Safety
///
/// As for [`find`].
unsafe fn couple(
    jetty: *mut urma_jetty,
    target: *mut urma_target_jetty,
) -> Outcome<(&'static Object<JettyKind>, &'static Object<TargetKind>)> {
    // SAFETY: as the caller promises.
    let (jetty, target) = unsafe { (find::<JettyKind>(jetty)?, find::<TargetKind>(target)?) };
    target.of(jetty.ctx()?)?;
    Ok((jetty, target))
}

/// Undoes a binding by a function of liburma, which reads the target. What the kernel dissolved by
/// itself counts as undone.
///
/// # Safety
///
/// As for [`find`].
unsafe fn unbind(
    jetty: *mut urma_jetty,
    function: impl FnOnce(*mut urma_jetty) -> c_int,
) -> Outcome<()> {
    // SAFETY: as the caller promises; a jetty that is bound has a target of this provider.
    unsafe {
        let jetty = find::<JettyKind>(jetty)?;
        let target = (*jetty.ptr()).remote_jetty;
        given(target)?;
        if find::<TargetKind>(target).is_ok() {
            match undone(jetty, function) {
                Ok(()) | Err(Failure::INVALID) => {}
                other => return other,
            }
        }
        part(jetty);
    }
    Ok(())
}

operations! {
    /// Imports a receive queue.
    fn import_jfr(
        ctx: *mut urma_context,
        jfr: *mut urma_rjfr,
        token: *mut urma_token,
    ) -> *mut urma_target_jetty {
        let ctx = find::<ContextKind>(ctx)?;
        given(jfr)?;
        let target = TargetKind::pool().take(Some(ctx))?;
        let mut token = token_of(token);
        let mut cfg = jfr_cfg(&*jfr, &mut token);
        let mut data = ImportData::default();
        done(urma_cmd_import_jfr(ctx.ptr(), target.ptr(), &mut cfg, &mut data.udata()))?;
        imported(target, &data, URMA_JFR, |target| {
            urma_cmd_unimport_jfr(target);
        })
    }

    /// The same over a path of the caller's choice.
    fn import_jfr_ex(
        ctx: *mut urma_context,
        jfr: *mut urma_rjfr,
        token: *mut urma_token,
        path: *mut urma_active_tp_cfg,
    ) -> *mut urma_target_jetty {
        let ctx = find::<ContextKind>(ctx)?;
        given(jfr)?;
        let target = TargetKind::pool().take(Some(ctx))?;
        let mut token = token_of(token);
        let mut cfg = jfr_cfg(&*jfr, &mut token);
        let mut path = ActivePath::of(path);
        let mut data = ImportData::default();
        done(urma_cmd_import_jfr_ex(
            ctx.ptr(),
            target.ptr(),
            &mut cfg,
            path.ptr(),
            &mut data.udata(),
        ))?;
        imported(target, &data, URMA_JFR, |target| {
            urma_cmd_unimport_jfr(target);
        })
    }

    /// Forgets an imported receive queue.
    fn unimport_jfr(target: *mut urma_target_jetty) -> () {
        unimport(target, |target| urma_cmd_unimport_jfr(target))
    }

    /// Imports a jetty or a group.
    fn import_jetty(
        ctx: *mut urma_context,
        jetty: *mut urma_rjetty,
        token: *mut urma_token,
    ) -> *mut urma_target_jetty {
        let ctx = find::<ContextKind>(ctx)?;
        given(jetty)?;
        let target = TargetKind::pool().take(Some(ctx))?;
        let mut token = token_of(token);
        let mut cfg = jetty_cfg(&*jetty, &mut token);
        let mut data = ImportData::default();
        done(urma_cmd_import_jetty(ctx.ptr(), target.ptr(), &mut cfg, &mut data.udata()))?;
        imported(target, &data, (*jetty).kind, |target| {
            urma_cmd_unimport_jetty(target);
        })
    }

    /// The same over a path of the caller's choice.
    fn import_jetty_ex(
        ctx: *mut urma_context,
        jetty: *mut urma_rjetty,
        token: *mut urma_token,
        path: *mut urma_active_tp_cfg,
    ) -> *mut urma_target_jetty {
        let ctx = find::<ContextKind>(ctx)?;
        given(jetty)?;
        let target = TargetKind::pool().take(Some(ctx))?;
        let mut token = token_of(token);
        let mut cfg = jetty_cfg(&*jetty, &mut token);
        let mut path = ActivePath::of(path);
        let mut data = ImportData::default();
        done(urma_cmd_import_jetty_ex(
            ctx.ptr(),
            target.ptr(),
            &mut cfg,
            path.ptr(),
            &mut data.udata(),
        ))?;
        imported(target, &data, (*jetty).kind, |target| {
            urma_cmd_unimport_jetty(target);
        })
    }

    /// Begins to import a jetty or a group; the channel tells of the end.
    fn import_jetty_async(
        notifier: *mut urma_notifier,
        jetty: *const urma_rjetty,
        token: *const urma_token,
        user_ctx: u64,
        timeout: c_int,
    ) -> *mut urma_target_jetty {
        let notifier = find::<NotifierKind>(notifier)?;
        given(jetty)?;
        let target = TargetKind::pool().take(Some(notifier.ctx()?))?;
        let mut token = token_of(token);
        let mut cfg = jetty_cfg(&*jetty, &mut token);
        let mut data = ImportData::default();
        done(urma_cmd_import_jetty_async(
            notifier.ptr(),
            target.ptr(),
            &mut cfg,
            user_ctx,
            timeout,
            &mut data.udata(),
        ))?;
        // Of this, liburma fills in what the kernel replied.
        let (from, to) = (&*jetty, &mut *target.ptr());
        to.urma_ctx = (*notifier.ptr()).urma_ctx;
        to.id = from.jetty_id;
        to.trans_mode = from.trans_mode;
        to.kind = from.kind;
        to.flag = from.flag;
        to.policy = from.policy;
        to.tp_type = from.tp_type;
        imported(target, &data, (*jetty).kind, |target| {
            urma_cmd_unimport_jetty_async(target);
        })
    }

    /// Forgets an imported jetty or group.
    fn unimport_jetty(target: *mut urma_target_jetty) -> () {
        unimport(target, |target| urma_cmd_unimport_jetty(target))
    }

    /// Forgets a jetty or group whose import was begun.
    fn unimport_jetty_async(target: *mut urma_target_jetty) -> () {
        unimport(target, |target| urma_cmd_unimport_jetty_async(target))
    }

    /// Binds a connected jetty to its target.
    fn bind_jetty(jetty: *mut urma_jetty, target: *mut urma_target_jetty) -> () {
        let (jetty, target) = couple(jetty, target)?;
        done(urma_cmd_bind_jetty(jetty.ptr(), target.ptr(), &mut no_udata()))?;
        bound(jetty, target);
        Ok(())
    }

    /// The same over a path of the caller's choice.
    fn bind_jetty_ex(
        jetty: *mut urma_jetty,
        target: *mut urma_target_jetty,
        path: *mut urma_active_tp_cfg,
    ) -> () {
        let (jetty, target) = couple(jetty, target)?;
        let mut path = ActivePath::of(path);
        done(urma_cmd_bind_jetty_ex(jetty.ptr(), target.ptr(), path.ptr(), &mut no_udata()))?;
        bound(jetty, target);
        Ok(())
    }

    /// Begins to bind a connected jetty; the channel tells of the end.
    fn bind_jetty_async(
        notifier: *mut urma_notifier,
        jetty: *mut urma_jetty,
        target: *mut urma_target_jetty,
        user_ctx: u64,
        timeout: c_int,
    ) -> () {
        let notifier = find::<NotifierKind>(notifier)?;
        let (jetty, target) = couple(jetty, target)?;
        notifier.of(jetty.ctx()?)?;
        done(urma_cmd_bind_jetty_async(
            notifier.ptr(),
            jetty.ptr(),
            target.ptr(),
            user_ctx,
            timeout,
            &mut no_udata(),
        ))?;
        bound(jetty, target);
        Ok(())
    }

    /// Undoes a binding.
    fn unbind_jetty(jetty: *mut urma_jetty) -> () {
        unbind(jetty, |jetty| urma_cmd_unbind_jetty(jetty))
    }

    /// Undoes a binding that was begun.
    fn unbind_jetty_async(jetty: *mut urma_jetty) -> () {
        unbind(jetty, |jetty| urma_cmd_unbind_jetty_async(jetty))
    }

    /// Number of the path of a jetty that is bound.
    fn get_tpn(jetty: *mut urma_jetty) -> c_int {
        let jetty = find::<JettyKind>(jetty)?;
        let target = find::<TargetKind>((*jetty.ptr()).remote_jetty)?;
        Ok((*target.ptr()).tp.tpn as c_int)
    }

    /// The old interface to paths, which the device does not have.
    fn modify_tp(
        _ctx: *mut urma_context,
        _tpn: u32,
        _cfg: *mut urma_tp_cfg,
        _attr: *mut urma_tp_attr,
        _mask: u32,
    ) -> c_int {
        Err(Failure::UNSUPPORTED)
    }

    /// Lists paths to a peer: `tp_cnt` is room at first, and then their number.
    fn get_tp_list(
        ctx: *mut urma_context,
        cfg: *mut urma_get_tp_cfg,
        tp_cnt: *mut u32,
        list: *mut urma_tp_info,
    ) -> () {
        let ctx = find::<ContextKind>(ctx)?;
        given(cfg)?;
        given(tp_cnt)?;
        given(list)?;
        *tp_cnt = (*tp_cnt).min(URMA_CMD_MAX_TP_NUM);
        done(urma_cmd_get_tp_list(ctx.ptr(), cfg, tp_cnt, list, &mut no_udata()))
    }

    /// Changes properties of a path.
    fn set_tp_attr(
        ctx: *const urma_context,
        handle: u64,
        count: u8,
        bitmap: u32,
        attr: *const urma_tp_attr_value,
    ) -> () {
        let ctx = find::<ContextKind>(ctx.cast_mut())?;
        given(attr)?;
        done(urma_cmd_set_tp_attr(ctx.ptr(), handle, count, bitmap, attr, &mut no_udata()))
    }

    /// Reads properties of a path.
    fn get_tp_attr(
        ctx: *const urma_context,
        handle: u64,
        count: *mut u8,
        bitmap: *mut u32,
        attr: *mut urma_tp_attr_value,
    ) -> () {
        let ctx = find::<ContextKind>(ctx.cast_mut())?;
        given(count)?;
        given(bitmap)?;
        given(attr)?;
        done(urma_cmd_get_tp_attr(ctx.ptr(), handle, count, bitmap, attr, &mut no_udata()))
    }

    /// The EID of an address.
    fn get_eid_by_ip(
        ctx: *const urma_context,
        addr: *const urma_net_addr,
        eid: *mut urma_eid,
    ) -> () {
        let ctx = find::<ContextKind>(ctx.cast_mut())?;
        given(addr)?;
        given(eid)?;
        done(urma_cmd_get_eid_by_ip(ctx.ptr(), addr, eid))
    }

    /// The address of an EID.
    fn get_ip_by_eid(
        ctx: *const urma_context,
        eid: *const urma_eid,
        addr: *mut urma_net_addr,
    ) -> () {
        let ctx = find::<ContextKind>(ctx.cast_mut())?;
        given(eid)?;
        given(addr)?;
        done(urma_cmd_get_ip_by_eid(ctx.ptr(), eid, addr))
    }

    /// The MAC address of the device.
    fn get_smac(ctx: *const urma_context, mac: *mut u8) -> () {
        let ctx = find::<ContextKind>(ctx.cast_mut())?;
        given(mac)?;
        done(urma_cmd_get_smac(ctx.ptr(), mac))
    }

    /// The MAC address of a peer.
    fn get_dmac(ctx: *const urma_context, addr: *const urma_net_addr, mac: *mut u8) -> () {
        let ctx = find::<ContextKind>(ctx.cast_mut())?;
        given(addr)?;
        given(mac)?;
        done(urma_cmd_get_dmac(ctx.ptr(), addr, mac))
    }

    /// Devices of kind UB have no advice to take.
    fn advise_jfr(_jfs: *mut urma_jfs, _target: *mut urma_target_jetty) -> () {
        Err(Failure::UNSUPPORTED)
    }

    /// As [`advise_jfr`].
    fn advise_jetty(_jetty: *mut urma_jetty, _target: *mut urma_target_jetty) -> () {
        Err(Failure::UNSUPPORTED)
    }

    /// As [`advise_jfr`].
    fn advise_jfr_async(
        _jfs: *mut urma_jfs,
        _target: *mut urma_target_jetty,
        _call: Option<unsafe extern "C" fn()>,
        _arg: *mut c_void,
    ) -> () {
        Err(Failure::UNSUPPORTED)
    }

    /// As [`advise_jfr`].
    fn advise_jetty_async(
        _jetty: *mut urma_jetty,
        _target: *mut urma_target_jetty,
        _call: Option<unsafe extern "C" fn()>,
        _arg: *mut c_void,
    ) -> () {
        Err(Failure::UNSUPPORTED)
    }
}
