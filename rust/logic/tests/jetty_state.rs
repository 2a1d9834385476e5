// SPDX-License-Identifier: GPL-2.0

//! Tests of the object state machines.

use super::*;
use proptest::prelude::*;

const STATES: [JettyState; 4] = [
    JettyState::Reset,
    JettyState::Ready,
    JettyState::Suspended,
    JettyState::Error,
];

#[test]
fn raw_states() {
    for raw in 0..10 {
        if let Ok(state) = JettyState::from_raw(raw) {
            assert_eq!(state.raw(), raw);
        }
        if let Ok(state) = JfrState::from_raw(raw) {
            assert_eq!(state.raw(), raw);
        }
    }
    assert_eq!(JettyState::from_raw(4), Err(EINVAL));
    assert_eq!(JfrState::from_raw(3), Err(EINVAL));
}

#[test]
fn transition_table() {
    // Rows: from; columns: to; in the order of STATES.
    let allowed = [
        [true, true, false, true],
        [false, true, false, true],
        [false, true, true, true],
        [true, false, false, true],
    ];
    for (from, row) in STATES.iter().zip(allowed) {
        for (to, ok) in STATES.iter().zip(row) {
            let mut machine = JettyMachine {
                state: *from,
                error_suspend: true,
                due: None,
            };
            let result = machine.modify(*to);
            assert_eq!(result.is_ok(), ok, "{from:?} -> {to:?}");
            assert_eq!(machine.state(), if ok { *to } else { *from });
            if from == to {
                assert_eq!(result, Ok(Actions::default()));
            }
        }
    }
}

#[test]
fn failure_without_suspend_flushes_once() {
    let mut jetty = JettyMachine::new(false);
    let actions = jetty.work_failed();
    assert!(actions.flush && actions.async_error);
    assert_eq!(jetty.work_mode(), WorkMode::Flush);
    assert_eq!(jetty.work_failed(), Actions::default());
    assert_eq!(jetty.fatal(), Actions::default());
    assert_eq!(jetty.modify(JettyState::Reset), Err(EBUSY));
    assert_eq!(jetty.drained(), Some(Marker::FlushErrDone));
    assert_eq!(jetty.drained(), None);
    assert!(jetty.modify(JettyState::Reset).unwrap().reset_queue);
    assert!(jetty.modify(JettyState::Ready).unwrap().resume);
}

#[test]
fn failure_with_suspend() {
    let mut jetty = JettyMachine::new(true);
    assert_eq!(jetty.work_failed(), Actions::default());
    assert_eq!(jetty.work_mode(), WorkMode::Hold);
    assert_eq!(jetty.drained(), Some(Marker::SuspendDone));
    assert_eq!(jetty.drained(), None);
    assert!(jetty.modify(JettyState::Ready).unwrap().resume);
    assert_eq!(jetty.drained(), None);

    // Giving up while suspended replaces the marker.
    jetty.work_failed();
    assert!(jetty.modify(JettyState::Error).unwrap().flush);
    assert_eq!(jetty.drained(), Some(Marker::FlushErrDone));

    // Errors of the queue itself do not suspend.
    let mut jetty = JettyMachine::new(true);
    let actions = jetty.fatal();
    assert!(actions.flush && actions.async_error);
    assert_eq!(jetty.state(), JettyState::Error);
}

#[test]
fn requested_error_raises_no_event() {
    let mut jetty = JettyMachine::new(false);
    let actions = jetty.modify(JettyState::Error).unwrap();
    assert!(actions.flush && !actions.async_error);
    assert_eq!(jetty.drained(), Some(Marker::FlushErrDone));
}

#[test]
fn staged_jetty() {
    let mut jetty = JettyMachine::new_inactive(false);
    assert_eq!(jetty.work_mode(), WorkMode::Hold);
    assert_eq!(jetty.activate(), Ok(()));
    assert_eq!(jetty.activate(), Err(EINVAL));
}

#[test]
fn jfr_transitions() {
    let mut jfr = JfrMachine::new();
    assert!(jfr.accepts());
    assert!(jfr.modify(JfrState::Error).unwrap().flush);
    assert_eq!(jfr.modify(JfrState::Ready), Err(EINVAL));
    assert_eq!(jfr.fatal(), Actions::default());
    assert!(jfr.modify(JfrState::Reset).unwrap().reset_queue);
    assert!(!jfr.accepts());
    assert!(jfr.modify(JfrState::Ready).unwrap().resume);
    assert!(jfr.fatal().async_error);
}

#[test]
fn limit_fires_once() {
    let mut watch = LimitWatch::default();
    assert!(!watch.consumed(0));
    watch.arm(2);
    assert!(!watch.consumed(2));
    assert!(watch.consumed(1));
    assert!(!watch.consumed(0));
    assert_eq!(watch.threshold(), 0);
}

#[test]
fn jfc_overflow_once() {
    let mut jfc = JfcMachine::new_inactive();
    assert_eq!(jfc.deactivate(), Err(EINVAL));
    assert!(!jfc.overflow());
    assert_eq!(jfc.activate(), Ok(()));
    assert_eq!(jfc.activate(), Err(EINVAL));
    assert!(jfc.overflow());
    assert!(!jfc.overflow());
    assert_eq!(jfc.state(), JfcState::Error);
    assert_eq!(jfc.deactivate(), Ok(()));
}

proptest! {
    /// Over any history: one flush marker per entry into ERROR, none without a reason.
    #[test]
    fn markers_balance(suspend in any::<bool>(), ops in prop::collection::vec(0u8..7, 0..200)) {
        let mut jetty = JettyMachine::new(suspend);
        let (mut flushes, mut markers) = (0, 0);
        for op in ops {
            let actions = match op {
                0..=3 => jetty.modify(STATES[usize::from(op)]).unwrap_or_default(),
                4 => jetty.work_failed(),
                5 => jetty.fatal(),
                _ => {
                    markers += u32::from(jetty.drained() == Some(Marker::FlushErrDone));
                    Actions::default()
                }
            };
            flushes += u32::from(actions.flush);
            prop_assert!(markers <= flushes && flushes <= markers + 1);
            prop_assert!(!actions.flush || jetty.state() == JettyState::Error);
            prop_assert!(suspend || jetty.state() != JettyState::Suspended);
        }
    }
}
