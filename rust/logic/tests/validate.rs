// SPDX-License-Identifier: GPL-2.0

//! Tests of the creation checks.

use super::*;
use proptest::prelude::*;

const CAPS: Caps = Caps {
    trans_mode: 3,
    max_jfc_depth: 65536,
    max_jfs_depth: 4096,
    max_jfr_depth: 2048,
    max_jfs_inline_size: 256,
    max_jfs_sge: 16,
    max_jfs_rsge: 2,
    max_jfr_sge: 8,
    max_eid_cnt: 16,
    max_jetty_in_group: 32,
};
const SEND: SendParams = SendParams {
    trans_mode: 1,
    order_type: 0,
    depth: 64,
    max_inline: 64,
    max_sge: 4,
    max_rsge: 1,
    priority: 15,
    rnr_retry: 7,
    err_timeout: 31,
};
const RM: Checked = Checked {
    mode: TransMode::Rm,
    order: OrderType::Oi,
};

#[test]
fn send_queue_bounds() {
    let ok = |params: SendParams| check_jfs(&params, &CAPS).is_ok();
    assert_eq!(check_jfs(&SEND, &CAPS), Ok(RM));
    assert!(ok(SendParams {
        trans_mode: 2,
        ..SEND
    }));
    // Not supported by the device, several, none.
    for trans_mode in [4, 3, 0, 8] {
        assert!(!ok(SendParams { trans_mode, ..SEND }));
    }
    assert!(ok(SendParams {
        order_type: 4,
        ..SEND
    }));
    assert!(!ok(SendParams {
        order_type: 5,
        ..SEND
    }));
    for (depth, good) in [
        (0, false),
        (1, true),
        (4096, true),
        (4097, false),
        (u32::MAX, false),
    ] {
        assert_eq!(ok(SendParams { depth, ..SEND }), good);
    }
    assert!(ok(SendParams {
        max_inline: 256,
        max_sge: 16,
        max_rsge: 2,
        ..SEND
    }));
    assert!(!ok(SendParams {
        max_inline: 257,
        ..SEND
    }));
    assert!(!ok(SendParams {
        max_sge: 17,
        ..SEND
    }));
    assert!(!ok(SendParams {
        max_rsge: 3,
        ..SEND
    }));
    assert!(!ok(SendParams {
        priority: 16,
        ..SEND
    }));
    assert!(!ok(SendParams {
        rnr_retry: 8,
        ..SEND
    }));
    assert!(!ok(SendParams {
        err_timeout: 32,
        ..SEND
    }));
}

#[test]
fn receive_and_completion_queues() {
    let good = RecvParams {
        trans_mode: 2,
        order_type: 0,
        min_rnr_timer: 31,
        token_policy: 4,
    };
    let ok = |params: RecvParams| check_jfr(&params, &CAPS);
    assert_eq!(ok(good).map(|c| c.order), Ok(OrderType::Ol));
    assert!(ok(RecvParams {
        min_rnr_timer: 32,
        ..good
    })
    .is_err());
    assert!(ok(RecvParams {
        token_policy: 5,
        ..good
    })
    .is_err());
    assert!(ok(RecvParams {
        trans_mode: 6,
        ..good
    })
    .is_err());
    assert!(check_jfr_size(2048, 8, &CAPS).is_ok());
    assert!(check_jfr_size(2049, 8, &CAPS).is_err());
    assert!(check_jfr_size(0, 8, &CAPS).is_err());
    assert!(check_jfr_size(1, 9, &CAPS).is_err());
    assert!(check_jfc_depth(65536, &CAPS).is_ok());
    assert!(check_jfc_depth(65537, &CAPS).is_err());
    assert!(check_jfc_depth(0, &CAPS).is_err());
}

#[test]
fn jetty_halves_agree() {
    let shared = |jfr, min_rnr_timer, token_policy| {
        let recv = JettyRecv::Shared {
            jfr,
            min_rnr_timer,
            token_policy,
        };
        check_jetty(&SEND, &recv, true, &CAPS)
    };
    assert_eq!(shared(RM, 31, 4), Ok(RM));
    assert!(shared(RM, 32, 4).is_err());
    assert!(shared(RM, 31, 5).is_err());
    assert!(shared(
        Checked {
            mode: TransMode::Rc,
            ..RM
        },
        0,
        0
    )
    .is_err());
    assert!(shared(
        Checked {
            order: OrderType::No,
            ..RM
        },
        0,
        0
    )
    .is_err());
    let own = |ub, depth, max_sge, min_rnr_timer| {
        let recv = JettyRecv::Own {
            depth,
            max_sge,
            min_rnr_timer,
        };
        check_jetty(&SEND, &recv, ub, &CAPS).is_ok()
    };
    assert!(own(false, 1, 8, 31));
    assert!(!own(true, 1, 8, 31));
    assert!(!own(false, 0, 8, 31));
    assert!(!own(false, 1, 9, 31));
    assert!(!own(false, 1, 8, 32));
}

#[test]
fn groups() {
    let good = GroupJoin {
        mode: TransMode::Rm,
        jfr_mode: TransMode::Rm,
        jetty_token: 7,
        jfr_token: 7,
        group_token: 7,
        jfr_policy: 1,
        group_policy: 1,
        members: 31,
        capacity: 32,
    };
    let check = |join: GroupJoin| check_group_member(&join);
    assert_eq!(check(good), Ok(()));
    assert_eq!(
        check(GroupJoin {
            members: 32,
            ..good
        }),
        Err(EPERM)
    );
    assert_eq!(
        check(GroupJoin {
            mode: TransMode::Rc,
            ..good
        }),
        Err(EINVAL)
    );
    assert_eq!(
        check(GroupJoin {
            jfr_mode: TransMode::Um,
            ..good
        }),
        Err(EINVAL)
    );
    assert_eq!(
        check(GroupJoin {
            jetty_token: 8,
            ..good
        }),
        Err(EINVAL)
    );
    assert_eq!(
        check(GroupJoin {
            jfr_token: 8,
            ..good
        }),
        Err(EINVAL)
    );
    assert_eq!(
        check(GroupJoin {
            group_policy: 0,
            ..good
        }),
        Err(EINVAL)
    );
    for (capacity, ok) in [(0, false), (1, true), (32, true), (33, false)] {
        assert_eq!(check_group_capacity(capacity).is_ok(), ok);
    }
}

#[test]
fn actual_sizes() {
    let asked = Sizes {
        depth: 10,
        sge: 2,
        rsge: 1,
        inline: 64,
    };
    assert!(check_actual(&Sizes { depth: 16, ..asked }, &asked).is_ok());
    assert!(check_actual(&Sizes { depth: 9, ..asked }, &asked).is_err());
    assert!(check_actual(&Sizes { sge: 1, ..asked }, &asked).is_err());
    assert!(check_actual(&Sizes { rsge: 0, ..asked }, &asked).is_err());
    assert!(check_actual(
        &Sizes {
            inline: 63,
            ..asked
        },
        &asked
    )
    .is_err());
}

#[test]
fn requested_ids() {
    assert_eq!(check_id(0, 1023, false), Ok(IdRequest::Choose));
    assert_eq!(check_id(1, 1023, false), Err(EPERM));
    assert_eq!(check_id(2, 1023, false), Err(EPERM));
    assert_eq!(check_id(1, 1023, true), Ok(IdRequest::Reserved(1)));
    assert_eq!(check_id(1023, 1023, false), Ok(IdRequest::Reserved(1023)));
    assert_eq!(check_id(1024, 1023, false), Ok(IdRequest::Fixed(1024)));
}

#[test]
fn imports() {
    let good = ImportParams {
        trans_mode: 1,
        order_type: 0,
        tp_type: 0,
        target_type: 1,
        eid_index: 15,
    };
    let check = |params: ImportParams| check_import(&params, &CAPS);
    let checked = check(good).unwrap();
    assert_eq!((checked.checked, checked.target), (RM, TargetType::Jetty));
    assert!(check(ImportParams {
        eid_index: 16,
        ..good
    })
    .is_err());
    assert!(check(ImportParams { tp_type: 3, ..good }).is_err());
    assert!(check(ImportParams {
        target_type: 3,
        ..good
    })
    .is_err());
    for (order_type, ok) in [(0, true), (1, false), (2, false), (3, true), (4, true)] {
        let um = ImportParams {
            trans_mode: 4,
            tp_type: 1,
            order_type,
            ..good
        };
        assert_eq!(check(um).is_ok(), ok);
    }
}

#[test]
fn binds() {
    let good = BindParams {
        local_mode: TransMode::Rc,
        target_mode: TransMode::Rc,
        bound_to_target: false,
        bound: false,
        target_connected: false,
        target_shared: false,
        eid_index: 0,
    };
    let check = |params: BindParams| check_bind(&params, &CAPS);
    assert_eq!(check(good), Ok(true));
    assert_eq!(
        check(BindParams {
            bound: true,
            bound_to_target: true,
            ..good
        }),
        Ok(false)
    );
    assert!(check(BindParams {
        bound: true,
        ..good
    })
    .is_err());
    assert!(check(BindParams {
        target_connected: true,
        ..good
    })
    .is_err());
    assert_eq!(
        check(BindParams {
            target_connected: true,
            target_shared: true,
            ..good
        }),
        Ok(true)
    );
    assert!(check(BindParams {
        local_mode: TransMode::Rm,
        ..good
    })
    .is_err());
    assert!(check(BindParams {
        target_mode: TransMode::Um,
        ..good
    })
    .is_err());
    assert!(check(BindParams {
        eid_index: 16,
        ..good
    })
    .is_err());
    assert!(check_unbind(TransMode::Rc, true).is_ok());
    assert!(check_unbind(TransMode::Rc, false).is_err());
    assert!(check_unbind(TransMode::Rm, true).is_err());
    assert!(is_shared_rc(TransMode::Rc, OrderType::Ot, true));
    assert!(!is_shared_rc(TransMode::Rc, OrderType::Ol, true));
}

#[test]
fn modify_requests() {
    let nothing = Change {
        rx_threshold: None,
        state: None,
    };
    assert_eq!(jetty_change(0, 9, 99), Ok(nothing));
    assert_eq!(
        jetty_change(3, 9, 3),
        Ok(Change {
            rx_threshold: Some(9),
            state: Some(JettyState::Error)
        })
    );
    assert_eq!(jetty_change(2, 9, 4), Err(EINVAL));
    assert_eq!(jetty_change(4, 9, 0), Err(EINVAL));
    assert_eq!(
        jfr_change(2, 0, 2).map(|c| c.state),
        Ok(Some(JfrState::Error))
    );
    assert_eq!(jfr_change(2, 0, 3), Err(EINVAL));
    assert_eq!(
        jfs_change(1, 1).map(|c| c.state),
        Ok(Some(JettyState::Ready))
    );
    assert_eq!(jfs_change(0, 77).map(|c| c.state), Ok(None));
    assert_eq!(jfs_change(2, 1), Err(EINVAL));
    assert_eq!(jfs_change(u32::MAX, 1), Err(EINVAL));
}

#[test]
fn device_names() {
    let mut longest = [b'x'; 64];
    assert_eq!(device_name(&longest), Err(EINVAL));
    longest[63] = 0;
    assert_eq!(device_name(&longest).map(<[u8]>::len), Ok(63));
    assert_eq!(device_name(b"ub0\0rest"), Ok(&b"ub0"[..]));
    for bad in [
        &b"\0"[..],
        b"",
        b"a/b\0",
        b".\0",
        b"..\0",
        b".hidden\0",
        b"unterminated",
    ] {
        assert_eq!(device_name(bad), Err(EINVAL));
    }
    assert_eq!(device_name(b"ubcore\0"), Err(EEXIST));
    assert_eq!(device_name(b"ubcore0\0"), Ok(&b"ubcore0"[..]));
}

proptest! {
    /// Whatever is accepted is within the device's limits.
    #[test]
    fn accepted_is_within_limits(
        numbers in (0u32..10, 0u32..8, 0u32..5000, 0u32..300),
        bytes in (0u8..20, 0u8..4, 0u8..20, 0u8..10, 0u8..40),
    ) {
        let (trans_mode, order_type, depth, max_inline) = numbers;
        let (max_sge, max_rsge, priority, rnr_retry, err_timeout) = bytes;
        let params = SendParams {
            trans_mode, order_type, depth, max_inline, max_sge, max_rsge, priority, rnr_retry,
            err_timeout,
        };
        let Ok(checked) = check_jfs(&params, &CAPS) else { return Ok(()) };
        prop_assert_eq!(checked.mode.raw(), trans_mode);
        prop_assert!(order_type == 0 || checked.order.raw() == order_type);
        prop_assert!((1..=4096).contains(&depth) && max_inline <= 256);
        prop_assert!(max_sge <= 16 && max_rsge <= 2 && priority <= 15 && rnr_retry <= 7);
    }

    #[test]
    fn any_name(field in prop::collection::vec(any::<u8>(), 0..80)) {
        if let Ok(name) = device_name(&field) {
            prop_assert!((1..64).contains(&name.len()) && !name.contains(&0));
        }
    }
}
