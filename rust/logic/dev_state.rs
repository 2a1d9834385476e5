// SPDX-License-Identifier: GPL-2.0

//! Life of a device, from registration to its end.
//!
//! The phases only ever advance. The word alone does not keep a device in memory nor wait for
//! anybody: it is what entry points look at *after* they entered the section (SRCU, rwsem, ...)
//! that removal waits for. Removal first advances the phase, then waits for that section to drain.

use crate::env::{
    Atomic,
    Full,
    HotWord,
    Result,
    EIO,
    ENXIO, //
};

/// Phase in the life of a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Phase {
    /// Being set up; not visible to users.
    Registering = 0,
    /// In service.
    Live = 1,
    /// Removal has begun: new work is refused, destruction still succeeds.
    Removing = 2,
    /// The driver is detached; only memory remains.
    Gone = 3,
}

/// The phase word of a device, shared by all who use it.
pub(crate) struct DevState {
    /// A [`Phase`] as number; written by compare-and-exchange only.
    phase: Atomic<u32>,
}

impl DevState {
    /// A device that is being set up.
    pub(crate) fn new() -> Self {
        Self {
            phase: Atomic::new(Phase::Registering as u32),
        }
    }

    /// Returns the current phase.
    pub(crate) fn phase(&self) -> Phase {
        match self.phase.hot_load() {
            0 => Phase::Registering,
            1 => Phase::Live,
            2 => Phase::Removing,
            _ => Phase::Gone,
        }
    }

    /// Advances from one phase to the next; `false` when the device was in another phase.
    fn advance(&self, from: Phase, to: Phase) -> bool {
        self.phase.cmpxchg(from as u32, to as u32, Full).is_ok()
    }

    /// Puts a complete device into service; `false` when it is not (or no longer) being set up.
    pub(crate) fn publish(&self) -> bool {
        self.advance(Phase::Registering, Phase::Live)
    }

    /// Begins removal; `true` for the one caller who has to carry it out.
    ///
    /// A device that was never published goes the same way.
    pub(crate) fn begin_remove(&self) -> bool {
        self.advance(Phase::Live, Phase::Removing)
            || self.advance(Phase::Registering, Phase::Removing)
            // Published between the two attempts.
            || self.advance(Phase::Live, Phase::Removing)
    }

    /// Ends removal; `false` when it had not begun or was already over.
    pub(crate) fn finish_remove(&self) -> bool {
        self.advance(Phase::Removing, Phase::Gone)
    }

    /// Returns whether the device is in service.
    pub(crate) fn is_live(&self) -> bool {
        self.phase() == Phase::Live
    }

    /// Checks that a command may work with the device.
    ///
    /// # Errors
    ///
    /// `EIO` unless it is in service.
    pub(crate) fn check_live(&self) -> Result {
        if self.is_live() {
            Ok(())
        } else {
            Err(EIO)
        }
    }

    /// Checks that the device may be opened.
    ///
    /// # Errors
    ///
    /// `ENXIO` unless it is in service.
    pub(crate) fn check_open(&self) -> Result {
        if self.is_live() {
            Ok(())
        } else {
            Err(ENXIO)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn straight_life() {
        let state = DevState::new();
        assert_eq!(state.phase(), Phase::Registering);
        assert_eq!(state.check_open(), Err(ENXIO));
        assert!(!state.finish_remove());
        assert!(state.publish());
        assert!(!state.publish());
        assert_eq!(state.check_open(), Ok(()));
        assert_eq!(state.check_live(), Ok(()));
        assert!(state.begin_remove());
        assert!(!state.begin_remove());
        assert_eq!(state.check_live(), Err(EIO));
        assert_eq!(state.check_open(), Err(ENXIO));
        assert!(!state.publish());
        assert!(state.finish_remove());
        assert!(!state.finish_remove());
        assert!(!state.begin_remove());
        assert_eq!(state.phase(), Phase::Gone);
    }

    #[test]
    fn failed_registration() {
        let state = DevState::new();
        assert!(state.begin_remove());
        assert!(!state.publish());
        assert!(state.finish_remove());
    }

    #[test]
    fn one_remover_among_many() {
        let state = DevState::new();
        state.publish();
        let winners: usize = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..8)
                .map(|_| scope.spawn(|| usize::from(state.begin_remove())))
                .collect();
            threads.into_iter().map(|t| t.join().unwrap()).sum()
        });
        assert_eq!(winners, 1);
    }
}
