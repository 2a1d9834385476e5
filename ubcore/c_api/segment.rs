// SPDX-License-Identifier: GPL-2.0

//! Token ids and segments.

use super::{
    device_ptr::device,
    errno,
    object::{
        kind,
        Obj,
        Owned, //
    },
    user::User, //
};
use crate::{
    bindings_ub::{
        ubcore_device,
        ubcore_seg_cfg,
        ubcore_target_seg,
        ubcore_target_seg_cfg,
        ubcore_token_id,
        ubcore_token_id_flag,
        ubcore_udata, //
    },
    device::Device,
    logic::eid::Eid,
    queue, segment,
    ub::common::{
        eid_from_bytes,
        err_ptr,
        FlagWord, //
    },
};
use core::ptr::null_mut;
use kernel::prelude::*;

/// Token ids, as a [`Kind`](super::Kind).
pub(crate) enum TokenId {}

/// Registered segments, as a [`Kind`](super::Kind).
pub(crate) enum Segment {}

/// Imported segments, as a [`Kind`](super::Kind).
pub(crate) enum ImportedSegment {}

kind!(TokenId: ubcore_token_id, TokenId, destroy free_token_id);
kind!(Segment: ubcore_target_seg, Seg, destroy unregister_seg);
kind!(ImportedSegment: ubcore_target_seg, Tseg, destroy unimport_seg);

/// Position of the bit of a registration that says: with a token id.
const TOKEN_ID_VALID: u32 = 1 << 13;

impl Device {
    /// Lets the driver make a token id.
    pub(crate) fn driver_alloc_token_id(
        &self,
        flag: u32,
        user: User<'_>,
    ) -> Result<Owned<TokenId>> {
        let ops = self.ops();
        let op = ops.alloc_token_id.ok_or(EINVAL)?;
        ops.free_token_id.ok_or(EINVAL)?;
        let flag_word = || ubcore_token_id_flag::from_word(flag);
        // SAFETY: An operation of the driver, with its device.
        let token = unsafe {
            let token = op(self.c().as_ptr(), flag_word(), user.udata());
            Owned::<TokenId>::from_driver(token, self, user)
        }?;
        // SAFETY: A new object that nobody else has yet.
        unsafe { (*token.as_ptr()).flag = flag_word() };
        Ok(token)
    }

    /// Lets the driver register a segment.
    pub(crate) fn driver_register_seg(
        &self,
        request: &mut SegmentRequest<'_>,
        user: User<'_>,
    ) -> Result<Owned<Segment>> {
        let ops = self.ops();
        let op = ops.register_seg.ok_or(EINVAL)?;
        ops.unregister_seg.ok_or(EINVAL)?;
        request.cfg.token_id = request.token.map_or(null_mut(), Obj::as_ptr);
        // SAFETY: An operation of the driver, with its device and a configuration.
        unsafe {
            let segment = op(self.c().as_ptr(), &mut request.cfg, user.udata());
            Owned::from_driver(segment, self, user)
        }
    }

    /// Lets the driver import a segment.
    fn driver_import_seg(
        &self,
        cfg: &mut ubcore_target_seg_cfg,
        user: User<'_>,
    ) -> Result<Owned<ImportedSegment>> {
        let ops = self.ops();
        let op = ops.import_seg.ok_or(EINVAL)?;
        ops.unimport_seg.ok_or(EINVAL)?;
        // SAFETY: As above.
        let segment = unsafe {
            let segment = op(self.c().as_ptr(), cfg, user.udata());
            Owned::<ImportedSegment>::from_driver(segment, self, user)
        }?;
        // SAFETY: A new object that nobody else has yet.
        unsafe { (*segment.as_ptr()).seg = core::ptr::read(&cfg.seg) };
        Ok(segment)
    }
}

impl Obj<TokenId> {
    /// Tells whether the token id is for physical addresses.
    pub(crate) fn is_pa(&self) -> bool {
        // SAFETY: Valid; set when it was made.
        unsafe { (*self.as_ptr()).flag.word() & 1 != 0 }
    }
}

/// A request for the registration of a segment.
pub(crate) struct SegmentRequest<'a> {
    /// A copy of the client's configuration.
    pub(crate) cfg: ubcore_seg_cfg,
    /// The token id that is to be used.
    pub(crate) token: Option<&'a Obj<TokenId>>,
}

impl Owned<Segment> {
    /// Stores what the core knows of a new segment.
    pub(crate) fn init(&self, request: &SegmentRequest<'_>, eid: Eid) {
        let cfg = &request.cfg;
        // SAFETY: A new object that nobody else has yet.
        unsafe {
            let segment = self.as_ptr();
            (*segment).seg.ubva.eid = eid_from_bytes(eid.into_bytes());
            (*segment).seg.ubva.va = cfg.va;
            (*segment).seg.len = cfg.len;
            (*segment).seg.attr = FlagWord::from_word(cfg.flag.word());
            (*segment).token_id = cfg.token_id;
        }
    }
}

impl Obj<Segment> {
    /// Returns the token id of the segment.
    pub(crate) fn token(&self) -> Option<&Obj<TokenId>> {
        // SAFETY: Null or valid: its use is counted as long as there is the segment.
        unsafe { Obj::from_raw((*self.as_ptr()).token_id) }
    }

    /// Tells whether the core made the token id.
    pub(crate) fn has_implicit_token(&self) -> bool {
        // SAFETY: Valid; set when it was made.
        self.token().is_some() && unsafe { (*self.as_ptr()).seg.attr.word() } & TOKEN_ID_VALID == 0
    }
}

/// Takes over a token id that the core made and counted a use of.
///
/// # Safety
///
/// The token id must be one that only the core has, and be used by nobody.
unsafe fn own_token(token: &Obj<TokenId>) -> Result<Owned<TokenId>> {
    // SAFETY: By the function's contract.
    unsafe { Owned::from_raw(token.as_ptr()) }
}

/// Unregisters a segment, and frees the token id that the core made for it.
///
/// # Safety
///
/// `segment` must be null or valid, and the caller's.
unsafe fn unregister(segment: *mut ubcore_target_seg) -> Result {
    // SAFETY: By the function's contract.
    let segment = unsafe { Owned::<Segment>::from_raw(segment) }?;
    segment.uses().claim_idle()?;
    let implicit = segment.has_implicit_token();
    // SAFETY: Valid as long as its use is counted, which ends below.
    let token = segment
        .token()
        .map(|token| unsafe { &*core::ptr::from_ref(token) });
    queue::destroy_claimed(segment)?;
    let Some(token) = token else {
        return Ok(());
    };
    token.uses().release();
    if implicit {
        // SAFETY: Made for this segment, which is gone.
        let freed = unsafe { own_token(token) }.and_then(segment::free_token_id);
        if let Err(error) = freed {
            pr_warn_ratelimited!("driver does not free a token id: {error:?}\n");
        }
    }
    Ok(())
}

c_api! {
    /// Makes a token id.
    unsafe fn ubcore_alloc_token_id(
        dev: *mut ubcore_device,
        flag: ubcore_token_id_flag,
        udata: *mut ubcore_udata,
    ) -> *mut ubcore_token_id {
        err_ptr((|| {
            // SAFETY: Null or valid.
            let (dev, user) = unsafe { (device(dev)?, User::new(udata)?) };
            segment::alloc_token_id(dev, flag.word(), user).map(Owned::into_raw)
        })())
    }

    /// Frees a token id.
    unsafe fn ubcore_free_token_id(token_id: *mut ubcore_token_id) -> c_int {
        // SAFETY: Null or valid, and the caller's.
        errno(unsafe { Owned::from_raw(token_id) }.and_then(segment::free_token_id))
    }

    /// Registers a segment.
    unsafe fn ubcore_register_seg(
        dev: *mut ubcore_device,
        cfg: *mut ubcore_seg_cfg,
        udata: *mut ubcore_udata,
    ) -> *mut ubcore_target_seg {
        err_ptr((|| {
            // SAFETY: Null or valid, as is all that follows.
            let (dev, user) = unsafe { (device(dev)?, User::new(udata)?) };
            // SAFETY: As above; a copy.
            let cfg = unsafe { super::copy(cfg) }?;
            let request = SegmentRequest {
                // SAFETY: As above.
                token: unsafe { Obj::from_raw(cfg.token_id) },
                cfg,
            };
            segment::register(dev, request, user).map(Owned::into_raw)
        })())
    }

    /// Unregisters a segment.
    unsafe fn ubcore_unregister_seg(tseg: *mut ubcore_target_seg) -> c_int {
        // SAFETY: As the header says.
        errno(unsafe { unregister(tseg) })
    }

    /// Imports a segment.
    unsafe fn ubcore_import_seg(
        dev: *mut ubcore_device,
        cfg: *mut ubcore_target_seg_cfg,
        udata: *mut ubcore_udata,
    ) -> *mut ubcore_target_seg {
        err_ptr((|| {
            // SAFETY: Null or valid.
            let (dev, user) = unsafe { (device(dev)?, User::new(udata)?) };
            // SAFETY: As above; a copy.
            let mut cfg = unsafe { super::copy(cfg) }?;
            dev.check_creating()?;
            let segment = dev.driver_import_seg(&mut cfg, user)?;
            queue::born(&segment);
            Ok(segment.into_raw())
        })())
    }

    /// Drops the import of a segment.
    unsafe fn ubcore_unimport_seg(tseg: *mut ubcore_target_seg) -> c_int {
        errno((|| {
            // SAFETY: Null or valid, and the caller's.
            let segment = unsafe { Owned::<ImportedSegment>::from_raw(tseg) }?;
            segment.uses().claim_idle()?;
            queue::destroy_claimed(segment)
        })())
    }
}
