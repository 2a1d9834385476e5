// SPDX-License-Identifier: GPL-2.0

//! Sharing of transport paths among imports (the TPID reuse table).
//!
//! Imports with equal [`ReuseKey`]s share one path. The first of them makes the [`ReuseEntry`] and
//! sets the path up; the others wait until the entry is settled. An entry lives while local imports
//! use it or the peer's imports do (`is_ref`).

use super::{
    eid::Eid,
    tp::{
        TpCfg,
        TpHandle, //
    },
    types::{
        TpType,
        TransMode, //
    },
};
use crate::env::{
    Result,
    EAGAIN,
    EIO,
    ENOSPC, //
};

/// What imports must have in common to share a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct ReuseKey {
    /// EID of this side; zero when the network addresses decide.
    local: Eid,
    /// EID of the other side; zero when the network addresses decide.
    peer: Eid,
    /// Transport mode.
    mode: TransMode,
    /// Sharing was asked for, within a container.
    shared: bool,
    /// Type of the path.
    tp_type: TpType,
    /// UB over Ethernet.
    uboe: bool,
    /// Network address of this side; zeros when the EIDs decide.
    local_cna: [u8; 16],
    /// Network address of the other side; zeros when the EIDs decide.
    peer_cna: [u8; 16],
    /// Tag of this side: the local jetty for connections.
    stag: u64,
    /// Tag of the other side: the remote jetty for connections.
    dtag: u64,
}

impl ReuseKey {
    /// The key of a request with its tags.
    pub(crate) fn new(cfg: &TpCfg, shared: bool, stag: u64, dtag: u64) -> Self {
        Self {
            local: cfg.local,
            peer: cfg.peer,
            mode: cfg.mode,
            shared,
            tp_type: cfg.tp_type,
            uboe: cfg.uboe,
            local_cna: [0; 16],
            peer_cna: [0; 16],
            stag,
            dtag,
        }
    }

    /// Returns the EID of this side.
    pub(crate) fn local(&self) -> &Eid {
        &self.local
    }

    /// The same key between the hosts of the two EIDs.
    pub(crate) fn between_hosts(self, local: Eid, peer: Eid) -> Self {
        Self {
            local,
            peer,
            ..self
        }
    }

    /// The same key between network addresses; `None` when one of them is unknown (zeros).
    pub(crate) fn between_cnas(self, local_cna: [u8; 16], peer_cna: [u8; 16]) -> Option<Self> {
        if local_cna == [0; 16] || peer_cna == [0; 16] {
            return None;
        }
        Some(Self {
            local: Eid::ZERO,
            peer: Eid::ZERO,
            local_cna,
            peer_cna,
            ..self
        })
    }

    /// The key under which the peer knows the same path: sides and tags swapped.
    pub(crate) fn mirrored(self) -> Self {
        Self {
            local: self.peer,
            peer: self.local,
            local_cna: self.peer_cna,
            peer_cna: self.local_cna,
            stag: self.dtag,
            dtag: self.stag,
            ..self
        }
    }
}

/// State of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ReuseState {
    /// Being set up.
    Reset,
    /// In service.
    Ready,
    /// Out of the table; terminal.
    Error,
}

/// What a driver needs to activate a path.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ActiveTp {
    /// Own handle.
    pub(crate) handle: TpHandle,
    /// The peer's handle; zero when none is needed.
    pub(crate) peer_handle: TpHandle,
    /// First packet number of this side.
    pub(crate) tx_psn: u32,
    /// First packet number of the other side.
    pub(crate) rx_psn: u32,
}

/// What follows from the end of a use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Release {
    /// Other local uses remain: nothing.
    InUse,
    /// The last local use: tell the peer, but keep the path, which it uses.
    Keep,
    /// The last use of both sides: tell the peer, then take the path down. Returned once.
    Close,
}

/// An entry of the reuse table; the caller holds its lock around each call.
#[derive(Debug)]
pub(crate) struct ReuseEntry {
    /// Current state.
    state: ReuseState,
    /// The path.
    active: ActiveTp,
    /// Local imports that use it, the one that sets it up included.
    use_cnt: u32,
    /// Imports of the peer use it.
    is_ref: bool,
    /// Somebody was told to take the path down.
    closed: bool,
}

impl ReuseEntry {
    /// A new entry that a local import sets up and uses; `tx_psn` is random.
    pub(crate) fn for_local(tx_psn: u32) -> Self {
        Self {
            state: ReuseState::Reset,
            active: ActiveTp {
                tx_psn,
                ..ActiveTp::default()
            },
            use_cnt: 1,
            is_ref: false,
            closed: false,
        }
    }

    /// A new entry that is set up because the peer asked for it; `tx_psn` is random.
    pub(crate) fn for_peer(tx_psn: u32) -> Self {
        Self {
            use_cnt: 0,
            is_ref: true,
            ..Self::for_local(tx_psn)
        }
    }

    /// Returns the current state.
    pub(crate) fn state(&self) -> ReuseState {
        self.state
    }

    /// Returns the path.
    pub(crate) fn active(&self) -> ActiveTp {
        self.active
    }

    /// Returns the number of local uses.
    pub(crate) fn use_cnt(&self) -> u32 {
        self.use_cnt
    }

    /// Returns whether the peer uses the path.
    pub(crate) fn is_ref(&self) -> bool {
        self.is_ref
    }

    /// Stores the own handle.
    pub(crate) fn set_handle(&mut self, handle: TpHandle) {
        self.active.handle = handle;
    }

    /// Stores what the peer answered.
    pub(crate) fn set_peer(&mut self, peer_handle: TpHandle, rx_psn: u32) {
        self.active.peer_handle = peer_handle;
        self.active.rx_psn = rx_psn;
    }

    /// Puts the entry into service, whose path is active.
    ///
    /// # Errors
    ///
    /// `EIO` when it failed meanwhile.
    pub(crate) fn publish(&mut self) -> Result {
        if self.state == ReuseState::Error {
            return Err(EIO);
        }
        self.state = ReuseState::Ready;
        Ok(())
    }

    /// Takes the entry out of service: its path is dead, who waits for it gives up.
    ///
    /// The caller also takes it out of the table, so that the next import makes a new one.
    ///
    /// `true` when no local use will take the path down, so the caller has to.
    pub(crate) fn fail(&mut self) -> bool {
        self.state = ReuseState::Error;
        self.use_cnt == 0 && self.close() == Release::Close
    }

    /// Counts another local use; `true` when the peer has to be told that there is one (again).
    ///
    /// # Errors
    ///
    /// `EAGAIN` while the entry is being set up, `EIO` when it failed, `ENOSPC` beyond `u32`.
    pub(crate) fn acquire(&mut self) -> Result<bool> {
        match self.state {
            ReuseState::Reset => Err(EAGAIN),
            ReuseState::Error => Err(EIO),
            ReuseState::Ready => {
                let first = self.use_cnt == 0;
                self.use_cnt = self.use_cnt.checked_add(1).ok_or(ENOSPC)?;
                Ok(first)
            }
        }
    }

    /// Ends a local use.
    pub(crate) fn release(&mut self) -> Release {
        self.use_cnt = self.use_cnt.saturating_sub(1);
        if self.use_cnt > 0 {
            Release::InUse
        } else if self.is_ref && self.state == ReuseState::Ready {
            Release::Keep
        } else {
            self.close()
        }
    }

    /// Notes that the peer uses the path.
    ///
    /// # Errors
    ///
    /// `EIO` when it failed.
    pub(crate) fn peer_acquire(&mut self) -> Result {
        if self.state == ReuseState::Error {
            return Err(EIO);
        }
        self.is_ref = true;
        Ok(())
    }

    /// Notes that the peer uses the path no longer; `true` when it is to be taken down.
    pub(crate) fn peer_release(&mut self) -> bool {
        self.is_ref = false;
        self.use_cnt == 0 && self.close() == Release::Close
    }

    /// Ends the life of the entry; only the first call says so.
    fn close(&mut self) -> Release {
        self.state = ReuseState::Error;
        if self.closed {
            return Release::InUse;
        }
        self.closed = true;
        Release::Close
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const A: Eid = Eid::from_ipv4([1; 4]);
    const B: Eid = Eid::from_ipv4([2; 4]);

    fn key() -> ReuseKey {
        let cfg = TpCfg::new(TpType::Rtp, false, TransMode::Rc, A, B).unwrap();
        ReuseKey::new(&cfg, false, 3, 4)
    }

    #[test]
    fn keys() {
        let cfg = TpCfg::new(TpType::Rtp, false, TransMode::Rc, B, A).unwrap();
        assert_eq!(key().mirrored(), ReuseKey::new(&cfg, false, 4, 3));
        assert_eq!(key().mirrored().mirrored(), key());
        assert_eq!(key().between_cnas([0; 16], [1; 16]), None);
        assert_eq!(key().between_cnas([1; 16], [0; 16]), None);
        let one = key().between_hosts(B, A).between_cnas([1; 16], [2; 16]);
        assert_eq!(one, key().between_cnas([1; 16], [2; 16]));
        assert_ne!(one, Some(key()));
    }

    #[test]
    fn set_up_and_share() {
        let mut entry = ReuseEntry::for_local(7);
        assert_eq!(entry.acquire(), Err(EAGAIN));
        entry.set_handle(TpHandle::from_raw(5));
        entry.set_peer(TpHandle::from_raw(6), 8);
        assert_eq!(entry.publish(), Ok(()));
        let active = entry.active();
        assert_eq!((active.handle.raw(), active.peer_handle.raw()), (5, 6));
        assert_eq!((active.tx_psn, active.rx_psn), (7, 8));
        assert_eq!(entry.acquire(), Ok(false));
        assert_eq!(entry.release(), Release::InUse);
        assert_eq!(entry.release(), Release::Close);
        assert_eq!(entry.acquire(), Err(EIO));
        assert_eq!(entry.publish(), Err(EIO));
        assert_eq!(entry.peer_acquire(), Err(EIO));
    }

    #[test]
    fn peer_keeps_it_alive() {
        let mut entry = ReuseEntry::for_peer(0);
        assert_eq!(entry.publish(), Ok(()));
        assert_eq!(entry.acquire(), Ok(true));
        assert_eq!(entry.acquire(), Ok(false));
        assert_eq!(entry.release(), Release::InUse);
        assert_eq!(entry.release(), Release::Keep);
        assert!(entry.peer_release());
        assert!(!entry.peer_release());
        assert_eq!(entry.state(), ReuseState::Error);
    }

    #[test]
    fn peer_leaves_during_set_up() {
        // Both sides open at once: the peer's request finds the entry of the local import.
        let mut entry = ReuseEntry::for_local(0);
        assert_eq!(entry.peer_acquire(), Ok(()));
        assert_eq!(entry.publish(), Ok(()));
        assert!(!entry.peer_release());
        assert_eq!(entry.state(), ReuseState::Ready);
        assert_eq!(entry.release(), Release::Close);
    }

    #[test]
    fn dead_path_is_taken_down_by_its_last_user() {
        let mut entry = ReuseEntry::for_local(0);
        entry.publish().unwrap();
        entry.peer_acquire().unwrap();
        assert!(!entry.fail());
        assert_eq!(entry.acquire(), Err(EIO));
        assert_eq!(entry.release(), Release::Close);
        assert!(!entry.peer_release());
        let mut entry = ReuseEntry::for_peer(0);
        assert!(entry.fail());
        assert!(!entry.fail());
    }

    proptest! {
        /// A path is taken down exactly once: when the last of all uses ends, or it fails unused.
        #[test]
        fn closes_once(
            for_peer in any::<bool>(),
            ops in prop::collection::vec((0u8..50).prop_map(|op| op % 7), 0..100),
        ) {
            let mut entry = if for_peer { ReuseEntry::for_peer(0) } else { ReuseEntry::for_local(0) };
            let (mut uses, mut closed) = (u32::from(!for_peer), 0);
            for op in ops {
                match op {
                    0 | 4 => uses += u32::from(entry.acquire().is_ok()),
                    1 if uses > 0 => {
                        uses -= 1;
                        closed += u32::from(entry.release() == Release::Close);
                    }
                    2 => { let _ = entry.peer_acquire(); }
                    3 => closed += u32::from(entry.peer_release()),
                    5 => { let _ = entry.publish(); }
                    6 => closed += u32::from(entry.fail()),
                    _ => {}
                }
                prop_assert_eq!(entry.use_cnt(), uses);
                let over = entry.state() == ReuseState::Error && uses == 0;
                let unused = uses == 0 && !entry.is_ref();
                prop_assert_eq!(closed, u32::from(over));
                prop_assert!(!unused || over);
            }
        }
    }
}
