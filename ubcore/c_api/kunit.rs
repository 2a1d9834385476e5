// SPDX-License-Identifier: GPL-2.0

//! KUnit tests of the whole module, through its C interface.

use super::{
    fake::{
        bind_seen,
        end_seen,
        tp_cfg,
        FakeDevice,
        Seen, //
    },
    fake_client::FakeClient,
    words::{
        handle_from,
        handle_word, //
    }, //
};
use crate::{
    bindings_ub::*,
    counters::Class,
    logic::tp::TpHandle,
    state::Core, //
};
use core::ptr::{
    null,
    null_mut, //
};
use kernel::{
    error::{
        from_err_ptr,
        to_result, //
    },
    prelude::*, //
};

/// Reads the counters of the classes that a test looks at.
fn counts(core: &Core) -> [i32; 7] {
    let classes = [
        Class::Seg,
        Class::TokenId,
        Class::Jfc,
        Class::Jetty,
        Class::Tjetty,
        Class::Tp,
        Class::TpOffer,
    ];
    classes.map(|class| core.counters().get(class))
}

#[kunit_tests(ub_core)]
mod tests {
    use super::*;
    use crate::c_api::core_state;

    #[test]
    fn devices_and_clients() -> Result {
        let early = FakeClient::new()?;
        early.register()?;
        let one = FakeDevice::new("kunit0")?;
        one.register()?;
        assert_eq!((early.added(), early.removed()), (1, 0));

        let twin = FakeDevice::new("kunit0")?;
        assert_eq!(twin.register(), Err(EEXIST));
        for name in ["", ".kunit", "kunit/0"] {
            assert_eq!(FakeDevice::new(name)?.register(), Err(EINVAL));
        }
        assert_eq!(FakeDevice::new("ubcore")?.register(), Err(EEXIST));
        assert_eq!(one.register(), Err(EINVAL));

        let late = FakeClient::new()?;
        late.register()?;
        assert!(late.register().is_err());
        assert_eq!(late.added(), 1);
        assert_eq!(late.data_of(&one), 1);
        late.unregister();
        assert_eq!(late.removed(), 1);
        assert_eq!(late.data_of(&one), 0);

        one.unregister();
        assert_eq!((early.added(), early.removed()), (1, 1));
        one.register()?;
        one.unregister();
        early.unregister();
        assert_eq!((early.added(), early.removed()), (2, 2));
        Ok(())
    }

    #[test]
    fn eids() -> Result {
        let dev = FakeDevice::new("kunit1")?;
        assert_eq!(dev.add_eid(0, 7), Err(EINVAL));
        dev.register()?;
        let handler = dev.handler()?;
        dev.add_eid(0, 7)?;
        assert_eq!(dev.add_eid(1, 7), Err(EEXIST));
        assert_eq!(dev.add_eid(0, 8), Err(EEXIST));
        assert_eq!(dev.add_eid(1000, 8), Err(EINVAL));
        assert_eq!(dev.add_eid(1, 0), Err(EINVAL));
        assert_eq!(dev.remove_eid(1), Err(ENOENT));
        assert!(dev.mirrors(0, 7) && !dev.mirrors(1, 7));

        let found = dev.by_eid(7);
        assert_eq!(found, dev.as_ptr());
        assert!(dev.by_eid(8).is_null());
        assert!(dev.by_eid(0).is_null());
        // SAFETY: A reference that was just taken.
        unsafe { ubcore_put_device(found) };

        let mut count = 0;
        // SAFETY: A registered device.
        let list = unsafe { ubcore_get_eid_list(dev.as_ptr(), &mut count) };
        assert_eq!((count, list.is_null()), (1, false));
        // SAFETY: The list that was just made.
        unsafe { ubcore_free_eid_list(list) };

        dev.remove_eid(0)?;
        assert!(!dev.mirrors(0, 7));
        dev.flush_events()?;
        assert_eq!(dev.events(), 2);
        drop(handler);
        dev.add_eid(3, 9)?;
        dev.flush_events()?;
        assert_eq!(dev.events(), 2);
        dev.unregister();
        Ok(())
    }

    #[test]
    fn queues() -> Result {
        let before = counts(core_state()?);
        let dev = FakeDevice::ready("kunit2", 2)?;
        let other = FakeDevice::ready("kunit3", 3)?;
        let jfc = dev.jfc()?;
        let foreign = other.jfc()?;
        assert!(dev.jfr(foreign, UBCORE_TP_RC).is_err());
        assert!(dev.jfr(null_mut(), UBCORE_TP_RC).is_err());
        let jfr = dev.jfr(jfc, UBCORE_TP_RC)?;
        // SAFETY: Objects of this test, here and below.
        unsafe {
            assert_eq!(to_result(ubcore_delete_jfc(jfc)), Err(EBUSY));
            assert!(dev.jetty(jfc, jfr, UBCORE_TP_RM).is_err());
            let jetty = dev.jetty(jfc, jfr, UBCORE_TP_RC)?;
            // OL, the default of RC, in place of 0.
            assert_eq!((*jetty).jetty_cfg.flag.bs.as_ref().order_type(), 3);
            assert_eq!((*jfc).use_cnt.counter, 3);
            assert_eq!(to_result(ubcore_delete_jfr(jfr)), Err(EBUSY));

            // A number that is in use.
            dev.force_id((*jfr).jfr_id.id);
            assert_eq!(dev.jfr(jfc, UBCORE_TP_RC), Err(EEXIST));
            dev.grant_less(true);
            assert_eq!(dev.jfr(jfc, UBCORE_TP_RC), Err(EINVAL));
            dev.grant_less(false);
            assert_eq!((*jfc).use_cnt.counter, 3);

            // A driver that fails to destroy.
            dev.fail_destroy(true);
            assert_eq!(to_result(ubcore_delete_jetty(jetty)), Err(ENXIO));
            let core = core_state()?
                .registry()
                .find(|d| core::ptr::eq(d.c().as_ptr(), dev.as_ptr()).then(|| d.clone()));
            let core = core.ok_or(ENOENT)?;
            assert!(core.jettys().find((*jetty).jetty_id.id).is_some());
            assert!(core.jettys().find(0xdead).is_none());
            drop(core);
            dev.fail_destroy(false);
            to_result(ubcore_delete_jetty(jetty))?;
            to_result(ubcore_delete_jfr(jfr))?;
            assert_eq!((*jfc).use_cnt.counter, 0);
            to_result(ubcore_delete_jfc(jfc))?;
            to_result(ubcore_delete_jfc(foreign))?;
        }
        other.unregister();
        dev.unregister();
        assert_eq!(counts(core_state()?), before);
        Ok(())
    }

    #[test]
    fn batches() -> Result {
        let before = counts(core_state()?);
        let dev = FakeDevice::ready("kunit9", 9)?;
        let other = FakeDevice::ready("kunit10", 10)?;
        let jfcs = [dev.jfc()?, dev.jfc()?, dev.jfc()?];
        let foreign = other.jfc()?;
        let jfr = dev.jfr(jfcs[2], UBCORE_TP_RM)?;
        let count = |class: usize| core_state().map_or(0, |core| counts(core)[class]);
        let mut bad = 7;
        let mut delete = |list: &mut [*mut ubcore_jfc]| {
            bad = 7;
            let len = list.len() as c_int;
            // SAFETY: Objects of this test, here and below.
            let ret = unsafe { ubcore_delete_jfc_batch(list.as_mut_ptr(), len, &mut bad) };
            (to_result(ret), bad)
        };
        dev.batch_room(3);
        let [a, b, c] = jfcs;
        assert_eq!(delete(&mut []), (Err(EINVAL), 0));
        assert_eq!(delete(&mut [a, null_mut()]), (Err(EINVAL), 0));
        assert_eq!(delete(&mut [a, foreign]), (Err(EINVAL), 0));
        assert_eq!(delete(&mut [a, b, a]), (Err(EBUSY), 0));
        assert_eq!(delete(&mut [a, b, c]), (Err(EBUSY), 0));
        assert_eq!(count(2), before[2] + 4);
        // SAFETY: As above.
        unsafe {
            assert_eq!((*a).use_cnt.counter, 0);
            to_result(ubcore_delete_jfr(jfr))?;
        }
        // A driver that does not know what it says.
        dev.batch_room(-1);
        assert_eq!(delete(&mut [a, b, c]), (Err(EFAULT), 0));
        assert_eq!(count(2), before[2] + 4);
        // One that stops: what is left is whole.
        dev.batch_room(1);
        assert_eq!(delete(&mut [a, b, c]), (Err(ENXIO), 1));
        assert_eq!(count(2), before[2] + 3);
        let jfr = dev.jfr(b, UBCORE_TP_RM)?;
        dev.batch_room(3);
        assert_eq!(delete(&mut [c, b]), (Err(EBUSY), 0));

        // Without such an operation, one by one.
        let two = dev.jfr(b, UBCORE_TP_RM)?;
        // SAFETY: As above.
        unsafe {
            dev.fail_destroy(true);
            let mut list = [jfr, two];
            let ret = ubcore_delete_jfr_batch(list.as_mut_ptr(), 2, &mut bad);
            assert_eq!((to_result(ret), bad), (Err(ENXIO), 0));
            dev.fail_destroy(false);
            let ret = ubcore_delete_jfr_batch(list.as_mut_ptr(), 2, &mut bad);
            to_result(ret)?;
            let mut left = [b, c];
            to_result(ubcore_delete_jfc_batch(left.as_mut_ptr(), 2, &mut bad))?;
            to_result(ubcore_delete_jfc(foreign))?;
        }
        other.unregister();
        dev.unregister();
        assert_eq!(counts(core_state()?), before);
        Ok(())
    }

    #[test]
    fn segments() -> Result {
        let before = counts(core_state()?);
        let dev = FakeDevice::ready("kunit4", 4)?;
        // SAFETY: Objects of this test, here and below.
        unsafe {
            let implicit = dev.segment(0x1000, 64, 1 << 5, null_mut())?;
            assert!(!(*implicit).token_id.is_null());
            assert_eq!(counts(core_state()?)[1], before[1] + 1);
            for (va, len, flag) in [(0, 0, 1 << 5), (u64::MAX, 2, 1 << 5), (0, 1, 3 << 5)] {
                assert!(dev.segment(va, len, flag, null_mut()).is_err());
            }
            let flag = ubcore_token_id_flag::default();
            let token = from_err_ptr(ubcore_alloc_token_id(dev.as_ptr(), flag, null_mut()))?;
            assert!(dev.segment(0, 1, 1 << 5, token).is_err());
            let segment = dev.segment(0, 1, (1 << 5) | (1 << 13), token)?;
            assert_eq!(to_result(ubcore_free_token_id(token)), Err(EBUSY));
            dev.fail_destroy(true);
            assert_eq!(to_result(ubcore_unregister_seg(segment)), Err(ENXIO));
            assert_eq!(to_result(ubcore_free_token_id(token)), Err(EBUSY));
            dev.fail_destroy(false);
            to_result(ubcore_unregister_seg(segment))?;
            to_result(ubcore_free_token_id(token))?;
            to_result(ubcore_unregister_seg(implicit))?;
        }
        dev.unregister();
        assert_eq!(counts(core_state()?), before);
        Ok(())
    }

    #[test]
    fn imports_share_a_path() -> Result {
        let before = counts(core_state()?);
        let a = FakeDevice::ready("kunit5", 5)?;
        let b = FakeDevice::ready("kunit6", 6)?;
        // SAFETY: Objects of this test, here and below.
        unsafe {
            let one = a.import(6, 1, UBCORE_TP_RM)?;
            assert_eq!((a.active(), b.active()), (1, 1));
            let two = a.import(6, 2, UBCORE_TP_RM)?;
            assert_eq!((*(*one).vtpn).tp_handle, (*(*two).vtpn).tp_handle);
            assert_ne!((*(*one).vtpn).peer_tp_handle, 0);
            // The other end uses the path that is there already.
            let back = b.import(5, 3, UBCORE_TP_RM)?;
            assert_eq!((*(*back).vtpn).peer_tp_handle, (*(*one).vtpn).tp_handle);
            assert_eq!((a.active(), b.active()), (1, 1));
            to_result(ubcore_unimport_jetty(one))?;
            a.fail_destroy(true);
            assert_eq!(to_result(ubcore_unimport_jetty(two)), Err(ENXIO));
            a.fail_destroy(false);
            to_result(ubcore_unimport_jetty(two))?;
            assert_eq!((a.active(), b.active()), (1, 1));
            to_result(ubcore_unimport_jetty(back))?;
            assert_eq!((a.active(), b.active()), (0, 0));

            // To itself, to nobody, and with a driver that refuses.
            let own = a.import(5, 4, UBCORE_TP_RM)?;
            assert_eq!((*(*own).vtpn).peer_tp_handle, (*(*own).vtpn).tp_handle);
            to_result(ubcore_unimport_jetty(own))?;
            let lost = a.import(99, 4, UBCORE_TP_RM)?;
            to_result(ubcore_unimport_jetty(lost))?;
            a.fail_import(true);
            assert_eq!(a.import(6, 1, UBCORE_TP_RM), Err(ENXIO));
            a.fail_import(false);
            b.fail_active(true);
            assert_eq!(a.import(6, 1, UBCORE_TP_RM), Err(ENXIO));
            b.fail_active(false);
            assert_eq!((a.active(), b.active()), (0, 0));

            // What only the peer uses goes with the device.
            let last = a.import(6, 1, UBCORE_TP_RM)?;
            b.unregister();
            assert_eq!(b.active(), 0);
            to_result(ubcore_unimport_jetty(last))?;
        }
        a.unregister();
        assert_eq!(counts(core_state()?), before);
        Ok(())
    }

    #[test]
    fn bindings() -> Result {
        let before = counts(core_state()?);
        let dev = FakeDevice::ready("kunit7", 7)?;
        let jfc = dev.jfc()?;
        let jfr = dev.jfr(jfc, UBCORE_TP_RC)?;
        // SAFETY: Objects of this test, here and below.
        unsafe {
            let (x, y) = (
                dev.jetty(jfc, jfr, UBCORE_TP_RC)?,
                dev.jetty(jfc, jfr, UBCORE_TP_RC)?,
            );
            let to_y = dev.import(7, (*y).jetty_id.id, UBCORE_TP_RC)?;
            let to_x = dev.import(7, (*x).jetty_id.id, UBCORE_TP_RC)?;
            assert_eq!((*(*to_y).vtpn).vtpn, u32::MAX);
            assert_eq!(dev.active(), 0);
            let bind = |jetty, target| to_result(ubcore_bind_jetty(jetty, target, null_mut()));
            bind(x, to_y)?;
            bind(x, to_y)?;
            assert_eq!(((*x).remote_jetty, (*to_y).use_cnt.counter), (to_y, 1));
            assert_ne!((*(*to_y).vtpn).vtpn, u32::MAX);
            assert_eq!(bind(x, to_x), Err(EINVAL));
            assert_eq!(bind(y, to_y), Err(EINVAL));
            bind(y, to_x)?;
            assert_eq!(to_result(ubcore_unimport_jetty(to_y)), Err(EBUSY));
            assert_eq!(to_result(ubcore_delete_jetty(x)), Err(EINVAL));
            dev.fail_destroy(true);
            assert_eq!(to_result(ubcore_unbind_jetty(x)), Err(ENXIO));
            assert_eq!((*x).remote_jetty, to_y);
            dev.fail_destroy(false);
            to_result(ubcore_unbind_jetty(x))?;
            assert_eq!(to_result(ubcore_unbind_jetty(x)), Err(EINVAL));
            to_result(ubcore_unbind_jetty(y))?;
            assert_eq!(dev.active(), 0);

            // A path that the caller chooses.
            let mut active = ubcore_active_tp_cfg::default();
            let handle = TpHandle::new(5, 5, 1).describe(
                crate::logic::types::TransMode::Rc,
                crate::logic::types::TpType::Ctp,
                false,
            );
            active.tp_handle = crate::c_api::words::handle_from(handle);
            to_result(ubcore_bind_jetty_ex(x, to_y, &mut active, null_mut()))?;
            assert_eq!(((*(*to_y).vtpn).vtpn, dev.active()), (5, 1));
            to_result(ubcore_unbind_jetty(x))?;
            assert_eq!(dev.active(), 0);

            for target in [to_x, to_y] {
                to_result(ubcore_unimport_jetty(target))?;
            }
            for jetty in [x, y] {
                to_result(ubcore_delete_jetty(jetty))?;
            }
            to_result(ubcore_delete_jfr(jfr))?;
            to_result(ubcore_delete_jfc(jfc))?;
        }
        dev.unregister();
        assert_eq!(counts(core_state()?), before);
        Ok(())
    }

    /// The paths of kernel clients that choose them: listed, exchanged, used.
    #[test]
    fn chosen_paths() -> Result {
        let before = counts(core_state()?);
        let a = FakeDevice::ready("kunit9", 9)?;
        let b = FakeDevice::ready("kunit10", 10)?;
        let mut cfg = tp_cfg(9, 10);
        // SAFETY: Objects of this test, here and below.
        unsafe {
            let mut active = ubcore_active_tp_cfg::default();
            let exchange = |cfg: &mut ubcore_get_tp_cfg, active: &mut ubcore_active_tp_cfg| {
                to_result(ubcore_exchange_tp_info(
                    a.as_ptr(),
                    cfg,
                    active,
                    null_mut(),
                    null_mut(),
                ))
            };
            active.tp_handle = handle_from(TpHandle::from_raw(10));
            active.tp_attr.tx_psn = 77;
            assert_eq!(exchange(&mut cfg, &mut active), Err(ENOENT));
            let mut list = [ubcore_tp_info::default(), ubcore_tp_info::default()];
            let mut count = 2;
            let (dev, paths) = (a.as_ptr(), list.as_mut_ptr());
            let ret = ubcore_get_tp_list(dev, &mut cfg, &mut count, paths, null_mut());
            assert_eq!((to_result(ret), count), (Ok(()), 1));
            // The core has completed the handle.
            let handle = handle_word(&(*paths).tp_handle);
            assert!(handle.is_rtp());
            active.tp_handle = handle_from(handle);
            exchange(&mut cfg, &mut active)?;
            let peer = handle_word(&active.peer_tp_handle);
            assert_ne!((peer.raw(), active.tp_attr.rx_psn), (0, 77));
            assert_eq!((a.active(), b.active()), (1, 1));
            let rx_psn = active.tp_attr.rx_psn;
            exchange(&mut cfg, &mut active)?;
            assert_eq!(active.tp_attr.rx_psn, rx_psn);
            // Two imports over it; what the peer has lasts as long as they do.
            let one = a.import_over(10, 1, &mut active)?;
            let two = a.import_over(10, 2, &mut active)?;
            to_result(ubcore_unimport_jetty(one))?;
            assert_eq!((a.active(), b.active()), (1, 1));
            to_result(ubcore_unimport_jetty(two))?;
            assert_eq!((a.active(), b.active()), (0, 0));
            // Nobody to ask.
            let mut lost = tp_cfg(9, 99);
            count = 1;
            let ret = ubcore_get_tp_list(dev, &mut lost, &mut count, paths, null_mut());
            to_result(ret)?;
            active.tp_handle = handle_from(handle_word(&(*paths).tp_handle));
            assert_eq!(exchange(&mut lost, &mut active), Err(EHOSTUNREACH));
            // What is not used goes with the device.
            active.tp_handle = handle_from(handle);
            exchange(&mut cfg, &mut active)?;
            assert_eq!((a.active(), b.active()), (1, 1));
            // Half a path is none.
            let mut half = ubcore_active_tp_cfg {
                tag: 1,
                ..Default::default()
            };
            assert_eq!(a.import_over(10, 1, &mut half), Err(EINVAL));
            // Who is not found any more has no peers.
            b.remove_eid(0)?;
            assert_eq!((a.active(), b.active()), (1, 0));
        }
        a.unregister();
        assert_eq!((a.active(), b.active()), (0, 0));
        b.unregister();
        assert_eq!(counts(core_state()?), before);
        Ok(())
    }

    #[test]
    fn requests() -> Result {
        let before = counts(core_state()?);
        let a = FakeDevice::ready("kunit11", 11)?;
        let b = FakeDevice::ready("kunit12", 12)?;
        let seen = Seen::new();
        // SAFETY: Objects of this test, here and below.
        unsafe {
            for timeout in [-1, c_int::MIN] {
                let bad = a.import_async(12, UBCORE_TP_RM, timeout, &seen);
                assert_eq!(bad, Err(EINVAL));
            }
            assert_eq!(a.import_async(12, 3, 0, &seen), Err(EINVAL));
            assert_eq!(seen.get(), (0, Ok(())));

            // While it goes on the import is in use.
            a.slow(30);
            let one = a.import_async(12, UBCORE_TP_RM, 0, &seen)?;
            assert_eq!((*(*one).vtpn).vtpn, u32::MAX);
            assert_eq!(to_result(ubcore_unimport_jetty(one)), Err(EBUSY));
            assert_eq!(seen.get(), (1, Ok(())));
            a.slow(0);
            assert_ne!((*(*one).vtpn).vtpn, u32::MAX);
            assert_eq!((a.connected(), a.active(), b.active()), (1, 1, 1));
            // The same path as that of a plain import.
            let two = a.import(12, 2, UBCORE_TP_RM)?;
            assert_eq!((*(*one).vtpn).tp_handle, (*(*two).vtpn).tp_handle);
            to_result(ubcore_unimport_jetty(two))?;

            // Too late: nothing is left of the path.
            a.slow(20);
            let later = a.import_async(6, UBCORE_TP_RM, 1, &seen)?;
            assert_eq!(seen.get(), (2, Err(ETIMEDOUT)));
            a.slow(0);
            assert_eq!((*(*later).vtpn).vtpn, u32::MAX);
            to_result(ubcore_unimport_jetty(later))?;

            // A driver that refuses the path, or the activation.
            b.fail_active(true);
            a.fail_active(true);
            let refused = a.import_async(7, UBCORE_TP_RM, 0, &seen)?;
            assert_eq!(seen.get(), (3, Err(ENXIO)));
            a.fail_active(false);
            b.fail_active(false);
            to_result(ubcore_unimport_jetty(refused))?;
            assert_eq!((a.active(), b.active()), (1, 1));

            // Its end, asynchronously too.
            let cb = ubcore_unimport_cb {
                user_arg: seen.as_arg(),
                callback: Some(end_seen),
            };
            let cb = KBox::into_raw(KBox::new(cb, GFP_KERNEL)?);
            to_result(ubcore_unimport_jetty_async(one, 0, cb))?;
            assert_eq!(seen.get(), (4, Ok(())));
            assert_eq!((a.active(), b.active()), (0, 0));
        }
        b.unregister();
        a.unregister();
        assert_eq!(counts(core_state()?), before);
        Ok(())
    }

    #[test]
    fn binding_requests() -> Result {
        let before = counts(core_state()?);
        let dev = FakeDevice::ready("kunit13", 13)?;
        let jfc = dev.jfc()?;
        let jfr = dev.jfr(jfc, UBCORE_TP_RC)?;
        let seen = Seen::new();
        // SAFETY: Objects of this test, here and below.
        unsafe {
            let jetty = dev.jetty(jfc, jfr, UBCORE_TP_RC)?;
            let target = dev.import_async(13, UBCORE_TP_RC, 0, &seen)?;
            assert_eq!(seen.get(), (1, Ok(())));
            let bind = |timeout| -> Result {
                let cb = ubcore_bind_cb {
                    user_arg: seen.as_arg(),
                    callback: Some(bind_seen),
                };
                let cb = KBox::into_raw(KBox::new(cb, GFP_KERNEL)?);
                // SAFETY: As above.
                let ret = ubcore_bind_jetty_async(jetty, target, timeout, cb, null_mut());
                // SAFETY: Not taken on an error.
                to_result(ret).inspect_err(|_| drop(KBox::from_raw(cb)))
            };
            let unbind = || -> Result {
                let cb = ubcore_unbind_cb {
                    user_arg: seen.as_arg(),
                    callback: Some(end_seen),
                };
                let cb = KBox::into_raw(KBox::new(cb, GFP_KERNEL)?);
                // SAFETY: As above.
                let ret = ubcore_unbind_jetty_async(jetty, 0, cb);
                // SAFETY: Not taken on an error.
                to_result(ret).inspect_err(|_| drop(KBox::from_raw(cb)))
            };
            assert_eq!(bind(-1), Err(EINVAL));
            assert_eq!(unbind(), Err(EINVAL));
            dev.slow(30);
            bind(0)?;
            assert_eq!(bind(0), Err(EBUSY));
            assert_eq!(unbind(), Err(EBUSY));
            assert_eq!(to_result(ubcore_delete_jetty(jetty)), Err(EINVAL));
            assert_eq!(to_result(ubcore_unimport_jetty(target)), Err(EBUSY));
            assert_eq!(seen.get(), (2, Ok(())));
            dev.slow(0);
            assert_eq!(
                ((*jetty).remote_jetty, (*target).use_cnt.counter),
                (target, 1)
            );
            // The same again changes nothing.
            bind(0)?;
            assert_eq!(seen.get(), (3, Ok(())));
            assert_eq!((*target).use_cnt.counter, 1);
            unbind()?;
            assert_eq!(seen.get(), (4, Ok(())));
            assert_eq!((*target).use_cnt.counter, 0);
            assert_eq!(dev.active(), 0);
            // Too late: it is undone.
            dev.slow(20);
            bind(1)?;
            assert_eq!(seen.get(), (5, Err(ETIMEDOUT)));
            dev.slow(0);
            assert!((*jetty).remote_jetty.is_null());
            assert_eq!(((*target).use_cnt.counter, dev.active()), (0, 0));
            to_result(ubcore_unimport_jetty(target))?;
            to_result(ubcore_delete_jetty(jetty))?;
            to_result(ubcore_delete_jfr(jfr))?;
            to_result(ubcore_delete_jfc(jfc))?;
        }
        dev.unregister();
        assert_eq!(counts(core_state()?), before);
        Ok(())
    }

    #[test]
    fn null_arguments() -> Result {
        let dev = FakeDevice::ready("kunit8", 8)?;
        // SAFETY: All functions take null pointers.
        unsafe {
            assert!(ubcore_register_device(null_mut()) != 0);
            ubcore_unregister_device(null_mut());
            assert_eq!(ubcore_register_client(null_mut()), -1);
            assert!(from_err_ptr(ubcore_create_jfc(
                dev.as_ptr(),
                null_mut(),
                None,
                None,
                null_mut()
            ))
            .is_err());
            assert_eq!(to_result(ubcore_delete_jfc(null_mut())), Err(EINVAL));
            assert_eq!(
                to_result(ubcore_poll_jfc(null_mut(), 1, null_mut())),
                Err(EINVAL)
            );
            assert_eq!(to_result(ubcore_unbind_jetty(null_mut())), Err(EINVAL));
            assert!(from_err_ptr(ubcore_create_doorbell(null(), null_mut(), null_mut())).is_err());
            ubcore_revoke_doorbell(null_mut());
            ubcore_free_eid_list(null_mut());
            assert_eq!(ubcore_user_control(dev.as_ptr(), null_mut()), -1);
        }
        dev.unregister();
        Ok(())
    }
}
