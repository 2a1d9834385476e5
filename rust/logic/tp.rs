// SPDX-License-Identifier: GPL-2.0

//! Transport paths: handles, the request for a list of them, and the state of one.
//!
//! A driver owns its transport paths and names each by an opaque 64-bit handle, of which the core
//! reads the bits below. The low 24 bits, the *TPID*, identify the path on its device.

use super::{
    eid::Eid,
    types::{
        TpType,
        TransMode, //
    },
};
use crate::env::{
    Result,
    EINVAL, //
};

/// Handle of a transport path (`union ubcore_tp_handle`).
///
/// From the low end: TPID 24 bits, first TPN 24, number of TPs 5, then one bit each for CTP, RTP,
/// UTP, UBoE, predefined and dynamically defined, and three bits of transport mode.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub(crate) struct TpHandle(u64);

impl TpHandle {
    /// Mask of the TPID and of the first TPN.
    const NUMBER: u64 = 0xff_ffff;
    /// Bit of [`TpType::Ctp`].
    const CTP: u64 = 1 << 53;
    /// Bit of [`TpType::Rtp`].
    const RTP: u64 = 1 << 54;
    /// Bit of [`TpType::Utp`].
    const UTP: u64 = 1 << 55;
    /// Bit of UB over Ethernet.
    const UBOE: u64 = 1 << 56;
    /// Bit of predefined paths.
    const PRE_DEFINED: u64 = 1 << 57;
    /// Bit of dynamically defined paths.
    const DYNAMIC_DEFINED: u64 = 1 << 58;
    /// Place of the transport mode.
    const MODE_SHIFT: u32 = 59;

    /// Takes a raw handle; any 64 bits are one.
    pub(crate) const fn from_raw(raw: u64) -> Self {
        Self(raw)
    }

    /// Returns the raw handle.
    pub(crate) const fn raw(self) -> u64 {
        self.0
    }

    /// Makes a handle of a TPID, its first TPN and their number; higher bits are dropped.
    pub(crate) const fn new(tpid: u32, tpn_start: u32, tp_cnt: u32) -> Self {
        Self(
            (tpid as u64 & Self::NUMBER)
                | ((tpn_start as u64 & Self::NUMBER) << 24)
                | ((tp_cnt as u64 & 0x1f) << 48),
        )
    }

    /// Returns the handle with the bits that a request determines, in place of those it had.
    pub(crate) const fn describe(self, mode: TransMode, tp_type: TpType, uboe: bool) -> Self {
        let kept = (Self::CTP - 1) | Self::PRE_DEFINED | Self::DYNAMIC_DEFINED;
        let kind = match tp_type {
            TpType::Rtp => Self::RTP,
            TpType::Ctp => Self::CTP,
            TpType::Utp => Self::UTP,
        };
        let link = if uboe { Self::UBOE } else { 0 };
        let mode = (mode.raw() as u64) << Self::MODE_SHIFT;
        Self((self.0 & kept) | kind | link | mode)
    }

    /// Returns the TPID.
    pub(crate) const fn tpid(self) -> u32 {
        (self.0 & Self::NUMBER) as u32
    }

    /// Returns the number of the first TP.
    pub(crate) const fn tpn_start(self) -> u32 {
        ((self.0 >> 24) & Self::NUMBER) as u32
    }

    /// Returns the number of TPs, 0..=31.
    pub(crate) const fn tp_cnt(self) -> u32 {
        ((self.0 >> 48) & 0x1f) as u32
    }

    /// Returns whether the path is a reliable one.
    pub(crate) const fn is_rtp(self) -> bool {
        self.0 & Self::RTP != 0
    }

    /// Returns the type of the path.
    ///
    /// # Errors
    ///
    /// `EINVAL` unless exactly one type bit is set.
    pub(crate) fn tp_type(self) -> Result<TpType> {
        match self.0 & (Self::CTP | Self::RTP | Self::UTP) {
            Self::CTP => Ok(TpType::Ctp),
            Self::RTP => Ok(TpType::Rtp),
            Self::UTP => Ok(TpType::Utp),
            _ => Err(EINVAL),
        }
    }

    /// Returns whether the path runs over Ethernet.
    pub(crate) const fn is_uboe(self) -> bool {
        self.0 & Self::UBOE != 0
    }

    /// Returns the transport mode.
    ///
    /// # Errors
    ///
    /// `EINVAL` unless exactly one known mode bit is set.
    pub(crate) fn mode(self) -> Result<TransMode> {
        TransMode::from_raw(((self.0 >> Self::MODE_SHIFT) & 7) as u32)
    }
}

/// A checked request for transport paths between two EIDs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TpCfg {
    /// Type of the path.
    pub(crate) tp_type: TpType,
    /// UB over Ethernet.
    pub(crate) uboe: bool,
    /// Transport mode.
    pub(crate) mode: TransMode,
    /// EID of this side.
    pub(crate) local: Eid,
    /// EID of the other side.
    pub(crate) peer: Eid,
}

impl TpCfg {
    /// Flag bit of a compact path.
    const CTP: u32 = 1;
    /// Flag bit of a reliable path.
    const RTP: u32 = 1 << 1;
    /// Flag bit of an unreliable path.
    const UTP: u32 = 1 << 2;
    /// Flag bit of UB over Ethernet.
    const UBOE: u32 = 1 << 3;

    /// Checks a request (`struct ubcore_get_tp_cfg`); flag bits from 4 on concern the driver only.
    ///
    /// # Errors
    ///
    /// `EINVAL` unless exactly one type and one mode are given, for CTP over Ethernet, UTP outside
    /// UM, RTP with UM, and for a zero EID.
    pub(crate) fn check(flags: u32, mode: u32, local: Eid, peer: Eid) -> Result<Self> {
        let tp_type = match flags & (Self::CTP | Self::RTP | Self::UTP) {
            Self::CTP => TpType::Ctp,
            Self::RTP => TpType::Rtp,
            Self::UTP => TpType::Utp,
            _ => return Err(EINVAL),
        };
        Self::new(
            tp_type,
            flags & Self::UBOE != 0,
            TransMode::from_raw(mode)?,
            local,
            peer,
        )
    }

    /// Checks a request whose parts are already typed.
    ///
    /// # Errors
    ///
    /// Those of [`check`](Self::check).
    pub(crate) fn new(
        tp_type: TpType,
        uboe: bool,
        mode: TransMode,
        local: Eid,
        peer: Eid,
    ) -> Result<Self> {
        let possible = match tp_type {
            TpType::Ctp => !uboe,
            TpType::Rtp => mode != TransMode::Um,
            TpType::Utp => mode == TransMode::Um,
        };
        if !possible || local.is_zero() || peer.is_zero() {
            return Err(EINVAL);
        }
        Ok(Self {
            tp_type,
            uboe,
            mode,
            local,
            peer,
        })
    }

    /// Returns the flag word that a driver gets.
    pub(crate) const fn flags(&self) -> u32 {
        let kind = match self.tp_type {
            TpType::Ctp => Self::CTP,
            TpType::Rtp => Self::RTP,
            TpType::Utp => Self::UTP,
        };
        kind | if self.uboe { Self::UBOE } else { 0 }
    }

    /// Returns whether both sides have to exchange handles before the path works.
    pub(crate) fn needs_exchange(&self) -> bool {
        self.tp_type == TpType::Rtp
    }

    /// Returns whether both ends are the same EID.
    pub(crate) fn is_loopback(&self) -> bool {
        self.local == self.peer
    }

    /// Returns the mode under which lists of paths are kept: all of CTP shares one.
    pub(crate) fn list_mode(&self) -> TransMode {
        match self.tp_type {
            TpType::Ctp => TransMode::Rm,
            TpType::Rtp | TpType::Utp => self.mode,
        }
    }
}

/// State of a transport path as the core sees it; the numbers are those of the kernel contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TpidState {
    /// Not active.
    Reset = 0,
    /// Active.
    Rts = 2,
    /// Deactivated, and packets may still be under way.
    Error = 4,
}

/// A wanted state of a transport path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TpidRequest {
    /// Activate.
    Rts,
    /// Deactivate.
    Error,
    /// The driver reports that no packet is under way any more.
    Reset,
}

/// Driver call that a transition needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DriverCall {
    /// None.
    None,
    /// `active_tp`.
    Activate,
    /// `deactive_tp`.
    Deactivate,
}

/// A transition that is allowed but not yet made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use = "the transition is made by committing it after the driver call succeeded"]
pub(crate) struct TpidStep {
    /// State afterwards.
    to: TpidState,
    /// Call to make first.
    pub(crate) call: DriverCall,
}

/// Who got a transport path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TpidOwner {
    /// A user that manages transport paths itself.
    Aware,
    /// The core, on behalf of users that do not.
    Unaware,
}

/// The core's record of one transport path; each is under a lock of its own.
#[derive(Debug)]
pub(crate) struct Tpid {
    /// Handle that the driver gave.
    handle: TpHandle,
    /// On whose list it is.
    owner: TpidOwner,
    /// Current state.
    state: TpidState,
    /// Somebody holds it.
    allocated: bool,
}

impl Tpid {
    /// The record of a path that the driver just named.
    pub(crate) fn new(handle: TpHandle, owner: TpidOwner) -> Self {
        Self {
            handle,
            owner,
            state: TpidState::Reset,
            allocated: false,
        }
    }

    /// Returns the handle.
    pub(crate) fn handle(&self) -> TpHandle {
        self.handle
    }

    /// Returns the current state.
    pub(crate) fn state(&self) -> TpidState {
        self.state
    }

    /// Returns whether `owner` may see the path in a list.
    pub(crate) fn is_listed(&self, owner: TpidOwner) -> bool {
        self.owner == owner && self.state != TpidState::Error
    }

    /// Allocates the path if it is on the list of `owner`, idle and free.
    pub(crate) fn claim(&mut self, owner: TpidOwner) -> bool {
        let free = self.owner == owner && self.state == TpidState::Reset && !self.allocated;
        self.allocated |= free;
        free
    }

    /// Takes back an allocation.
    pub(crate) fn unclaim(&mut self) {
        self.allocated = false;
    }

    /// Checks a request and says which driver call it needs; nothing changes yet.
    ///
    /// # Errors
    ///
    /// `EINVAL` when the request does not fit the state.
    pub(crate) fn begin(&self, request: TpidRequest) -> Result<TpidStep> {
        let (to, call) = match (self.state, request) {
            (TpidState::Reset, TpidRequest::Rts) => (TpidState::Rts, DriverCall::Activate),
            (TpidState::Rts, TpidRequest::Rts) => (TpidState::Rts, DriverCall::None),
            (TpidState::Rts, TpidRequest::Error) if self.handle.is_rtp() => {
                (TpidState::Error, DriverCall::Deactivate)
            }
            (TpidState::Rts, TpidRequest::Error) => (TpidState::Reset, DriverCall::Deactivate),
            (TpidState::Error, TpidRequest::Reset) => (TpidState::Reset, DriverCall::None),
            _ => return Err(EINVAL),
        };
        Ok(TpidStep { to, call })
    }

    /// Makes a transition, once its driver call has succeeded.
    pub(crate) fn commit(&mut self, step: TpidStep) {
        self.state = step.to;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const A: Eid = Eid::from_ipv4([1; 4]);
    const B: Eid = Eid::from_ipv4([2; 4]);

    #[test]
    fn handle_layout() {
        let raw = 0x12_3456 | 0x65_4321 << 24 | 9 << 48 | 1 << 54 | 1 << 56 | 2 << 59;
        let handle = TpHandle::from_raw(raw);
        assert_eq!(
            (handle.tpid(), handle.tpn_start(), handle.tp_cnt()),
            (0x12_3456, 0x65_4321, 9)
        );
        assert_eq!(handle.tp_type(), Ok(TpType::Rtp));
        assert_eq!(handle.mode(), Ok(TransMode::Rc));
        assert!(handle.is_rtp() && handle.is_uboe());
        let made = TpHandle::new(0x12_3456, 0x65_4321, 9);
        assert_eq!(made.describe(TransMode::Rc, TpType::Rtp, true), handle);
        assert_eq!(TpHandle::from_raw(0).tp_type(), Err(EINVAL));
        assert_eq!(TpHandle::from_raw(3 << 53).tp_type(), Err(EINVAL));
        assert_eq!(TpHandle::from_raw(7 << 59).mode(), Err(EINVAL));
    }

    #[test]
    fn request_rules() {
        let ok = |flags, mode| TpCfg::check(flags, mode, A, B).is_ok();
        // Flags ctp 1, rtp 2, utp 4, uboe 8; modes RM 1, RC 2, UM 4.
        for mode in [1, 2] {
            assert!(ok(1, mode) && ok(2, mode) && ok(2 | 8, mode));
            assert!(!ok(4, mode));
        }
        assert!(ok(1, 4) && ok(4, 4) && ok(4 | 8, 4));
        assert!(!ok(2, 4));
        for flags in [0, 3, 5, 6, 7, 8, 1 | 8] {
            assert!(!ok(flags, 1) && !ok(flags, 4), "{flags}");
        }
        for mode in [0, 3, 5, 8] {
            assert!(!ok(1, mode));
        }
        assert!(ok(1 | 0x3ff_fff0, 1));
        assert_eq!(TpCfg::check(1, 1, Eid::ZERO, B), Err(EINVAL));
        assert_eq!(TpCfg::check(1, 1, A, Eid::ZERO), Err(EINVAL));
        assert!(TpCfg::check(2, 1, A, A).unwrap().is_loopback());
        assert!(TpCfg::check(2, 1, A, B).unwrap().needs_exchange());
        assert_eq!(TpCfg::check(1, 2, A, B).unwrap().list_mode(), TransMode::Rm);
        assert_eq!(TpCfg::check(2, 2, A, B).unwrap().list_mode(), TransMode::Rc);
        assert_eq!(TpCfg::check(10, 2, A, B).unwrap().flags(), 10);
    }

    #[test]
    fn state_machine() {
        use TpidRequest as R;
        for tp_type in [TpType::Rtp, TpType::Ctp] {
            let handle = TpHandle::new(1, 1, 1).describe(TransMode::Rm, tp_type, false);
            let mut tpid = Tpid::new(handle, TpidOwner::Unaware);
            assert_eq!(tpid.begin(R::Error), Err(EINVAL));
            assert_eq!(tpid.begin(R::Reset), Err(EINVAL));
            let step = tpid.begin(R::Rts).unwrap();
            assert_eq!(step.call, DriverCall::Activate);
            // The driver may refuse: nothing has changed.
            assert_eq!(tpid.state(), TpidState::Reset);
            tpid.commit(step);
            assert_eq!(tpid.begin(R::Rts).unwrap().call, DriverCall::None);
            assert_eq!(tpid.begin(R::Reset), Err(EINVAL));
            let step = tpid.begin(R::Error).unwrap();
            assert_eq!(step.call, DriverCall::Deactivate);
            tpid.commit(step);
            if tp_type == TpType::Rtp {
                assert_eq!(tpid.state(), TpidState::Error);
                assert!(!tpid.is_listed(TpidOwner::Unaware));
                assert!(!tpid.claim(TpidOwner::Unaware));
                assert_eq!(tpid.begin(R::Rts), Err(EINVAL));
                let step = tpid.begin(R::Reset).unwrap();
                assert_eq!(step.call, DriverCall::None);
                tpid.commit(step);
            }
            assert_eq!(tpid.state(), TpidState::Reset);
        }
    }

    #[test]
    fn claims() {
        let mut tpid = Tpid::new(TpHandle::new(1, 1, 1), TpidOwner::Aware);
        assert!(tpid.is_listed(TpidOwner::Aware) && !tpid.is_listed(TpidOwner::Unaware));
        assert!(!tpid.claim(TpidOwner::Unaware));
        assert!(tpid.claim(TpidOwner::Aware));
        assert!(!tpid.claim(TpidOwner::Aware));
        tpid.unclaim();
        assert!(tpid.claim(TpidOwner::Aware));
        assert_eq!(tpid.handle().tpid(), 1);
    }

    proptest! {
        #[test]
        fn any_handle(raw in any::<u64>()) {
            let handle = TpHandle::from_raw(raw);
            prop_assert_eq!(handle.raw(), raw);
            let numbers = TpHandle::new(handle.tpid(), handle.tpn_start(), handle.tp_cnt());
            prop_assert_eq!(numbers.raw(), raw & ((1 << 53) - 1));
            if let (Ok(mode), Ok(tp_type)) = (handle.mode(), handle.tp_type()) {
                let again = handle.describe(mode, tp_type, handle.is_uboe());
                prop_assert_eq!(again.raw(), raw & !(3 << 62));
            }
        }
    }
}
