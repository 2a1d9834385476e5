// SPDX-License-Identifier: GPL-2.0

//! Token ids and registered memory.

use crate::{
    bindings_ub::UBSOFT_SEG_LEND,
    counters::{
        Count,
        Kind as CountKind, //
    },
    device::Dev,
    host::CtxId,
    kernel_ext::{
        arc::Arc,
        pinned::PinnedPages, //
    },
    logic::{
        access::{
            check_local,
            check_remote,
            token_eq,
            RemoteOp,
            SegView,
            ACCESS_ATOMIC,
            ACCESS_WRITE,
            TOKEN_NONE, //
        },
        cqe::CrStatus,
        sge::Sge,
        wr::Remote, //
    },
    queue::full,
    ring::{
        abi::SegReq,
        lent::Lent,
        pages::{
            BriefUse,
            Idle,
            Memory,
            PageUse,
            Pages, //
        }, //
    },
    stream::Part,
    ub::driver::{
        self,
        SegCfg,
        User, //
    },
    Soft, //
};
use kernel::{
    page::PAGE_SIZE,
    prelude::*,
    sync::rcu, //
};

/// A token id as ubcore knows it.
pub(crate) type TokenId = driver::TokenId<Soft>;
/// A registered segment as ubcore knows it.
pub(crate) type Segment = driver::Segment<Soft>;

/// Most token ids of a device.
pub(crate) const MAX_TOKENS: u32 = (1 << 20) - 1;
/// Token policy: the token travels as it is.
const TOKEN_PLAIN_TEXT: u32 = 1;

/// Refuses ways to protect a token that nothing here implements.
///
/// # Errors
///
/// `EOPNOTSUPP`.
pub(crate) fn check_token_policy(policy: u32) -> Result {
    if policy == TOKEN_NONE || policy == TOKEN_PLAIN_TEXT {
        Ok(())
    } else {
        Err(EOPNOTSUPP)
    }
}

/// Data of a token id.
#[pin_data]
pub(crate) struct TokenData {
    dev: Arc<Dev>,
    id: u32,
    count: Count,
}

/// Makes a token id, for one segment at a time.
///
/// # Errors
///
/// `EOPNOTSUPP` for one of more segments, `ENOSPC`, `ENOMEM`.
pub(crate) fn alloc_token_id(dev: &Arc<Dev>, multi_seg: bool) -> Result<Arc<TokenId>> {
    if multi_seg {
        return Err(EOPNOTSUPP);
    }
    let reservation = dev.tokens.reserve().map_err(full)?;
    let id = reservation.id();
    let token = TokenId::new_token_id(
        id,
        try_pin_init!(TokenData {
            count: Count::one(&dev.host.counters, CountKind::Tokens),
            dev: dev.clone(),
            id,
        }),
    )?;
    reservation.publish(token.clone());
    Ok(token)
}

/// Gives up a token id; ubcore makes sure that no segment has it.
pub(crate) fn free_token_id(token: &TokenId) {
    drop(token.dev.tokens.remove(token.id));
    token.count.release();
}

/// Data of a segment.
#[pin_data]
pub(crate) struct Seg {
    dev: Arc<Dev>,
    owner: CtxId,
    token_id: u32,
    view: SegView,
    /// Private when a peer has invalidated the token: no remote access any more.
    #[pin]
    pages: Pages,
    /// The segment, and the pages that it has pinned.
    count: Count<2>,
}

/// Pins memory for a segment. Its owner may both read and write it, unless the mapping is read-only
/// and no peer may write either.
#[inline]
fn pin(cfg: &SegCfg, slot: &mut Option<Memory>) -> Result {
    let start = usize::try_from(cfg.va).map_err(|_| EINVAL)?;
    let len = usize::try_from(cfg.len).map_err(|_| EINVAL)?;
    let mut pages = PinnedPages::pin(start, len, true);
    let may_be_read_only = cfg.access & (ACCESS_WRITE | ACCESS_ATOMIC) == 0;
    if may_be_read_only && matches!(&pages, Err(e) if *e == EFAULT) {
        pages = PinnedPages::pin(start, len, false);
    }
    *slot = Some(Memory::Pinned(pages?));
    Ok(())
}

/// Returns the number of pages that a range touches.
fn pages_of(cfg: &SegCfg) -> i64 {
    let page = PAGE_SIZE as u64;
    let end = cfg.va.wrapping_add(cfg.len).div_ceil(page);
    let pages = end.wrapping_sub(cfg.va / page);
    i64::try_from(pages).unwrap_or(0)
}

/// Reads whether the owner lets peers map the segment.
///
/// # Errors
///
/// `EINVAL` for unknown wishes, and for a segment that has a part of a page; `EFAULT`, `ENOMEM`.
fn lend(cfg: &SegCfg, user: Option<&User<'_, Soft>>) -> Result<Option<Pin<KBox<Lent>>>> {
    let Some(user) = user.filter(|user| user.udata.in_len() != 0) else {
        return Ok(None);
    };
    let SegReq { flags, reserved } = user.udata.read()?;
    if flags & !UBSOFT_SEG_LEND != 0 || reserved != [0; 3] {
        return Err(EINVAL);
    }
    if flags == 0 {
        return Ok(None);
    }
    if (cfg.va | cfg.len) % PAGE_SIZE as u64 != 0 {
        return Err(EINVAL);
    }
    Ok(Some(KBox::pin_init(Lent::new(), GFP_KERNEL_ACCOUNT)?))
}

/// Registers memory of the calling process, or of a kernel client.
///
/// # Errors
///
/// `EOPNOTSUPP` for an address of its own for peers and a token policy that is not implemented;
/// `EINVAL` for memory that is not to be pinned; `EBUSY` if the token id has a segment already;
/// those of [`PinnedPages::pin`] and [`SegCfg::kernel_memory`].
pub(crate) fn register(
    dev: &Arc<Dev>,
    cfg: SegCfg,
    user: Option<User<'_, Soft>>,
) -> Result<Arc<Segment>> {
    let owner = user.as_ref().map_or(CtxId::KERNEL, |user| user.uctx.id());
    check_token_policy(cfg.token_policy)?;
    if cfg.iova.is_some() {
        return Err(EOPNOTSUPP);
    }
    if cfg.non_pin || cfg.pa {
        return Err(EINVAL);
    }
    let token_id = cfg.token_id;
    let lent = lend(&cfg, user.as_ref())?;
    let reservation = dev.segs.reserve_exact(token_id)?;
    let is_user = user.is_some();
    let memory = |slot: &mut Option<Memory>| -> Result {
        if is_user {
            return pin(&cfg, slot);
        }
        *slot = Some(Memory::Kernel(cfg.kernel_memory()?));
        Ok(())
    };
    let pinned = if is_user { pages_of(&cfg) } else { 0 };
    let segment = Segment::new_segment(
        &cfg,
        try_pin_init!(Seg {
            dev: dev.clone(),
            owner,
            token_id,
            view: SegView {
                va: cfg.va,
                len: cfg.len,
                access: cfg.access,
                token_policy: cfg.token_policy,
                token: cfg.token,
            },
            pages <- Pages::new(memory, dev.host.idle.clone(), lent),
            count: Count::of(
                &dev.host.counters,
                [(CountKind::Segments, 1), (CountKind::PinnedPages, pinned)],
            ),
        }),
    )?;
    reservation.publish(segment.clone());
    Ok(segment)
}

/// Unregisters a segment: when this returns, nobody accesses the memory, and it is not pinned.
pub(crate) fn unregister(segment: &Segment) {
    segment.dev.segs.withdraw(segment.token_id);
    segment.pages.revoke();
    segment.count.release();
}

impl Soft {
    /// Finds a local buffer in the segments of a context.
    ///
    /// # Errors
    ///
    /// `LocAccess` if it is not inside of one.
    #[inline(always)]
    pub(crate) fn local_part(&self, owner: CtxId, sge: &Sge) -> Result<Part<'_>, CrStatus> {
        let guard = rcu::read_lock();
        let seg = self
            .segs
            .get_rcu(&guard, sge.token_id)
            .ok_or(CrStatus::LocAccess)?;
        let (pages, offset) = seg.enter_local(&self.host.idle, owner, sge)?;
        Ok(Part::new(pages, offset, sge.len, CrStatus::LocAccess))
    }

    /// Finds memory that a peer names.
    ///
    /// # Errors
    ///
    /// `RemAccessAbort` for all that is wrong with it.
    #[inline]
    pub(crate) fn remote_part(
        &self,
        remote: &Remote,
        op: RemoteOp,
        len: u32,
    ) -> Result<Part<'_>, CrStatus> {
        let guard = rcu::read_lock();
        let seg = self
            .segs
            .get_rcu(&guard, remote.token_id)
            .ok_or(CrStatus::RemAccessAbort)?;
        let (pages, offset) = seg.enter_remote(&self.host.idle, remote, op, len)?;
        Ok(Part::new(pages, offset, len, CrStatus::RemAccessAbort))
    }

    /// Finds the segment whose token a message to the context `owner` is to invalidate.
    ///
    /// # Errors
    ///
    /// `RemAccessAbort` if the context has none of that name and token.
    pub(crate) fn to_invalidate(
        &self,
        owner: CtxId,
        token_id: u32,
        token: u32,
    ) -> Result<Arc<Segment>, CrStatus> {
        self.segs
            .get(token_id)
            .filter(|seg| seg.owner == owner && !seg.pages.is_private())
            .filter(|seg| seg.view.token_policy == TOKEN_NONE || token_eq(seg.view.token, token))
            .ok_or(CrStatus::RemAccessAbort)
    }
}

impl Seg {
    /// Returns the memory.
    pub(crate) fn pages(&self) -> &Pages {
        &self.pages
    }

    /// Finds the pages that a peer may map: their number from the start of the segment.
    ///
    /// # Errors
    ///
    /// `EACCES` unless the segment is lent, the token is right, and it may do what it wants;
    /// `EINVAL` for a part of a page.
    pub(crate) fn window(&self, remote: &Remote, len: u64, write: bool) -> Result<u64> {
        let check = |op| check_remote(&self.view, op, remote.addr, len, remote.token);
        let offset = check(RemoteOp::Read).map_err(|_| EACCES)?;
        if write {
            check(RemoteOp::Write).map_err(|_| EACCES)?;
        }
        if self.pages.lent().is_none() || self.pages.is_private() {
            return Err(EACCES);
        }
        let page = PAGE_SIZE as u64;
        if len == 0 || (offset | len) % page != 0 {
            return Err(EINVAL);
        }
        Ok(offset / page)
    }

    /// Returns the offset of a local buffer.
    ///
    /// # Errors
    ///
    /// `LocAccess` if it is not inside.
    #[inline(always)]
    pub(crate) fn local_offset(&self, sge: &Sge) -> Result<usize, CrStatus> {
        // CAST: Inside of the segment.
        check_local(&self.view, sge.addr, u64::from(sge.len)).map(|offset| offset as usize)
    }

    /// Returns the offset of memory that a peer names.
    ///
    /// # Errors
    ///
    /// `RemAccessAbort` if it is not inside, the token is wrong, or peers may not do that.
    #[inline(always)]
    pub(crate) fn remote_offset(
        &self,
        remote: &Remote,
        op: RemoteOp,
        len: u32,
    ) -> Result<usize, CrStatus> {
        let offset = check_remote(&self.view, op, remote.addr, u64::from(len), remote.token);
        // CAST: Inside of the segment.
        offset.map(|offset| offset as usize)
    }

    /// Begins to use a buffer of the context `owner`; returns its offset too.
    ///
    /// # Errors
    ///
    /// `LocAccess` if it is not inside, or the segment is another context's or being unregistered.
    #[inline(always)]
    pub(crate) fn enter_local<'a>(
        &self,
        idle: &'a Idle,
        owner: CtxId,
        sge: &Sge,
    ) -> Result<(PageUse<'a>, usize), CrStatus> {
        if self.owner != owner {
            return Err(CrStatus::LocAccess);
        }
        let offset = self.local_offset(sge)?;
        let pages = self.pages.enter(idle).ok_or(CrStatus::LocAccess)?;
        Ok((pages, offset))
    }

    /// Begins to use memory that a peer names; returns its offset too.
    ///
    /// # Errors
    ///
    /// `RemAccessAbort` if it may not.
    #[inline(always)]
    pub(crate) fn enter_remote<'a>(
        &self,
        idle: &'a Idle,
        remote: &Remote,
        op: RemoteOp,
        len: u32,
    ) -> Result<(PageUse<'a>, usize), CrStatus> {
        let offset = self.remote_offset(remote, op, len)?;
        let pages = self.pages.enter_as_peer(idle);
        Ok((pages.ok_or(CrStatus::RemAccessAbort)?, offset))
    }

    /// Begins to use the memory as the context `owner`, for the time of an RCU section.
    #[inline(always)]
    pub(crate) fn enter_local_briefly<'g>(
        &'g self,
        guard: &'g rcu::Guard,
        owner: CtxId,
    ) -> Option<BriefUse<'g>> {
        if self.owner != owner {
            return None;
        }
        self.pages.enter_briefly(guard, false)
    }

    /// The same as a peer.
    #[inline(always)]
    pub(crate) fn enter_remote_briefly<'g>(
        &'g self,
        guard: &'g rcu::Guard,
    ) -> Option<BriefUse<'g>> {
        self.pages.enter_briefly(guard, true)
    }

    /// Ends remote access: what has not begun is refused, what is under way fails soon.
    pub(crate) fn invalidate(&self) {
        self.pages.make_private();
    }
}
