// SPDX-License-Identifier: GPL-2.0

//! Token ids and registered segments.

use crate::{
    c_api::{
        kinds::{
            Segment,
            TokenId, //
        },
        Owned,
        SegmentRequest,
        User, //
    },
    device::Device,
    logic::{
        eid::Eid,
        segment::{
            check_segment,
            check_token_id,
            SegFlags,
            SegParams, //
        }, //
    },
    queue::{
        self,
        Hold, //
    },
    ub::common::FlagWord,
};
use kernel::prelude::*;

/// The flag of token ids for physical addresses.
const TOKEN_PA: u32 = 1;

/// Makes a token id.
///
/// # Errors
///
/// `EINVAL` for one for physical addresses from user space, `EIO` once removal has begun; the
/// driver's.
pub(crate) fn alloc_token_id(dev: &Device, flag: u32, user: User<'_>) -> Result<Owned<TokenId>> {
    dev.check_creating()?;
    check_token_id(flag, user.is_user())?;
    let token = dev.driver_alloc_token_id(flag, user)?;
    queue::born(&token);
    Ok(token)
}

/// Frees a token id; `EBUSY` while a segment uses it.
pub(crate) fn free_token_id(token: Owned<TokenId>) -> Result {
    token.uses().claim_idle()?;
    queue::destroy_claimed(token)
}

/// Registers a segment.
///
/// # Errors
///
/// `EINVAL` for a bad range, access rights that contradict each other, or a foreign token id; `EBUSY`
/// for a token id that is being freed; `EIO` once removal has begun; the driver's.
pub(crate) fn register(
    dev: &Device,
    mut request: SegmentRequest<'_>,
    user: User<'_>,
) -> Result<Owned<Segment>> {
    dev.check_creating()?;
    let flags = SegFlags::from_bits(request.cfg.flag.word());
    check_segment(&SegParams {
        va: request.cfg.va,
        len: request.cfg.len,
        flags,
        token_id_pa: request.token.map(|token| token.is_pa()),
        from_user: user.is_user(),
        eid_index: request.cfg.eid_index,
        eid_cnt: dev.caps().max_eid_cnt,
    })?;
    let eid = dev.local_eid(request.cfg.eid_index, user)?;
    if request.token.is_some() || user.is_user() {
        return register_with(dev, &mut request, user, eid);
    }
    // A kernel client that gives no token id gets one of its own, freed with the segment.
    let token = alloc_token_id(dev, if flags.pa() { TOKEN_PA } else { 0 }, user)?;
    let mut request = SegmentRequest {
        cfg: request.cfg,
        token: Some(&*token),
    };
    let segment = register_with(dev, &mut request, user, eid);
    if segment.is_err() {
        if let Err(error) = free_token_id(token) {
            pr_warn_ratelimited!("driver does not free a token id: {error:?}\n");
        }
    }
    segment
}

/// Registers a segment with the token id of the request, if it has one.
fn register_with(
    dev: &Device,
    request: &mut SegmentRequest<'_>,
    user: User<'_>,
    eid: Eid,
) -> Result<Owned<Segment>> {
    let token = match request.token {
        Some(token) => Some(Hold::new(Some(token), dev, user)?),
        None => None,
    };
    let segment = dev.driver_register_seg(request, user)?;
    segment.init(request, eid);
    queue::born(&segment);
    if let Some(token) = token {
        token.keep();
    }
    Ok(segment)
}
