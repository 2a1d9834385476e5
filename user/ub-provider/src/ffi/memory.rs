// SPDX-License-Identifier: GPL-2.0

//! Token ids and segments.

use std::ffi::c_int;
use std::ptr;
use std::sync::atomic::Ordering;

use ub_abi::*;
use ub_client::sys::{MapFlags, Mapping};
use ub_urma::flags::{urma_import_seg_flag, urma_reg_seg_flag};
use ub_urma::liburma::*;
use ub_urma::*;

use crate::ffi::call::{done, given, no_udata, operations, undone};
use crate::ffi::kinds::*;
use crate::ffi::object::{find, lock, release, Kind, Object, State};
use crate::status::{Failure, Outcome};

/// UBSOFT_SEG_LEND if peers may map a segment: who shows its token may read it anyway. Only whole
/// pages can be mapped.
fn lend(cfg: &urma_seg_cfg, ctx: &Object<ContextKind>) -> u32 {
    let page = u64::from(ctx.private.page_size.load(Ordering::Relaxed)).max(1);
    let whole = cfg.va % page == 0 && cfg.len % page == 0;
    let can = ctx.private.features.load(Ordering::Relaxed) & UBSOFT_FEATURE_WINDOW != 0;
    let may = urma_reg_seg_flag::access.get(cfg.flag) & UBURMA_ACCESS_READ != 0;
    if whole && can && may {
        UBSOFT_SEG_LEND
    } else {
        0
    }
}

/// Maps memory of a peer at an address; 0 stands for any.
fn map_window(
    addr: u64,
    dev_fd: c_int,
    reply: &ubsoft_import_seg_resp,
    write: bool,
) -> Outcome<Mapping> {
    let how = MapFlags {
        write,
        ..Default::default()
    };
    let len = usize::try_from(reply.mmap_len).map_err(|_| Failure::BAD_REPLY)?;
    Mapping::file_at(addr, dev_fd, reply.mmap_off, len, how).map_err(|err| Failure::of_client(&err))
}

operations! {
    /// Allocates a token id for one segment.
    fn alloc_token_id(ctx: *mut urma_context) -> *mut urma_token_id {
        let ctx = find::<ContextKind>(ctx)?;
        let token_id = TokenKind::pool().take(Some(ctx))?;
        done(urma_cmd_alloc_token_id(ctx.ptr(), token_id.ptr(), &mut no_udata()))?;
        (*token_id.ptr()).urma_ctx = ctx.ptr();
        Ok(token_id.finish())
    }

    /// The same with flags.
    fn alloc_token_id_ex(ctx: *mut urma_context, flag: u32) -> *mut urma_token_id {
        let ctx = find::<ContextKind>(ctx)?;
        let token_id = TokenKind::pool().take(Some(ctx))?;
        done(urma_cmd_alloc_token_id_ex(ctx.ptr(), token_id.ptr(), flag, &mut no_udata()))?;
        (*token_id.ptr()).urma_ctx = ctx.ptr();
        Ok(token_id.finish())
    }

    /// Frees a token id.
    fn free_token_id(token_id: *mut urma_token_id) -> () {
        let token_id = find::<TokenKind>(token_id)?;
        if !token_id.enter(State::Live, State::Going) {
            return Err(Failure::INVALID);
        }
        if let Err(failure) = undone(token_id, |token_id| urma_cmd_free_token_id(token_id)) {
            token_id.enter(State::Going, State::Live);
            return Err(failure);
        }
        release(token_id);
        Ok(())
    }

    /// Registers memory. There is a token id: liburma allocates one for who brings none.
    fn register_seg(ctx: *mut urma_context, cfg: *mut urma_seg_cfg) -> *mut urma_target_seg {
        let ctx = find::<ContextKind>(ctx)?;
        given(cfg)?;
        let token_id = find::<TokenKind>((*cfg).token_id)?;
        token_id.of(ctx)?;
        let segment = SegmentKind::pool().take(Some(ctx))?;
        let request = ubsoft_seg_req {
            flags: lend(&*cfg, ctx),
            ..Default::default()
        };
        let mut udata = urma_cmd_udrv_priv {
            in_addr: &raw const request as u64,
            in_len: size_of::<ubsoft_seg_req>() as u32,
            ..Default::default()
        };
        done(urma_cmd_register_seg(ctx.ptr(), segment.ptr(), cfg, &mut udata))?;
        let public = &mut *segment.ptr();
        // liburma follows both as soon as it has the segment.
        public.urma_ctx = ctx.ptr();
        public.token_id = token_id.ptr();
        let private = &segment.private;
        private.token_id.store(public.seg.token_id, Ordering::Relaxed);
        private.token.store((*cfg).token_value.token, Ordering::Relaxed);
        Ok(segment.finish())
    }

    /// Takes registered memory away.
    fn unregister_seg(segment: *mut urma_target_seg) -> () {
        let segment = find::<SegmentKind>(segment)?;
        if !segment.enter(State::Live, State::Going) {
            return Err(Failure::INVALID);
        }
        if let Err(failure) = undone(segment, |segment| urma_cmd_unregister_seg(segment)) {
            segment.enter(State::Going, State::Live);
            return Err(failure);
        }
        release(segment);
        Ok(())
    }

    /// Imports memory of a peer.
    fn import_seg(
        ctx: *mut urma_context,
        seg: *mut urma_seg,
        token: *mut urma_token,
        addr: u64,
        flag: u32,
    ) -> *mut urma_target_seg {
        use ub_urma::flags::urma_seg_attr::token_policy;

        let ctx = find::<ContextKind>(ctx)?;
        given(seg)?;
        let seg = &*seg;
        if token.is_null() && token_policy.get(seg.attr) != 0 {
            return Err(Failure::INVALID);
        }
        let segment = SegmentKind::pool().take(Some(ctx))?;
        let mut value = token.as_ref().copied().unwrap_or_default();
        let mut cfg = urma_import_tseg_cfg {
            ubva: seg.ubva,
            len: seg.len,
            attr: seg.attr,
            token_id: seg.token_id,
            token: &mut value,
            flag,
            mva: addr,
        };
        let mut reply = ubsoft_import_seg_resp::default();
        let mut udata = urma_cmd_udrv_priv::default();
        if urma_import_seg_flag::mapping.get(flag) != 0 {
            udata.out_addr = &raw mut reply as u64;
            udata.out_len = size_of::<ubsoft_import_seg_resp>() as u32;
        }
        done(urma_cmd_import_seg(ctx.ptr(), segment.ptr(), &mut cfg, &mut udata))?;
        if urma_import_seg_flag::mapping.get(flag) != 0 {
            // The kernel wrote it behind the compiler's back.
            let reply = ptr::read_volatile(&reply);
            let writes = urma_import_seg_flag::access.get(flag) & UBURMA_ACCESS_WRITE != 0;
            match map_window(addr, (*ctx.ptr()).dev_fd, &reply, writes) {
                Ok(window) => {
                    (*segment.ptr()).mva = window.addr();
                    *lock(&segment.private.window) = Some(window);
                }
                Err(failure) => {
                    urma_cmd_unimport_seg(segment.ptr());
                    return Err(failure);
                }
            }
        }
        (*segment.ptr()).urma_ctx = ctx.ptr();
        (*segment.ptr()).token_id = ptr::null_mut();
        let private = &segment.private;
        private.token_id.store(seg.token_id, Ordering::Relaxed);
        private.token.store(value.token, Ordering::Relaxed);
        Ok(segment.finish())
    }

    /// Forgets imported memory.
    fn unimport_seg(segment: *mut urma_target_seg) -> () {
        let segment = find::<SegmentKind>(segment)?;
        if !segment.enter(State::Live, State::Going) {
            return Err(Failure::INVALID);
        }
        if let Err(failure) = undone(segment, |segment| urma_cmd_unimport_seg(segment)) {
            segment.enter(State::Going, State::Live);
            return Err(failure);
        }
        *lock(&segment.private.window) = None;
        release(segment);
        Ok(())
    }
}
