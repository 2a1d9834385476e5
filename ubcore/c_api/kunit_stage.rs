// SPDX-License-Identifier: GPL-2.0

//! KUnit tests of staged creation, through the C interface.

use super::fake::FakeDevice;
use crate::{
    bindings_ub::*,
    counters::Class, //
};
use core::ptr::null_mut;
use kernel::{
    error::to_result,
    prelude::*, //
};

/// Sets an option of a JFR to a value.
///
/// # Safety
///
/// `jfr` must be valid, and `T` what the option takes.
unsafe fn set<T>(jfr: *mut ubcore_jfr, opt: u32, mut value: T) -> Result {
    let (buf, len) = ((&raw mut value).cast(), size_of::<T>() as u32);
    // SAFETY: By the function's contract.
    to_result(unsafe { ubcore_set_jfr_opt(jfr, opt.into(), buf, len, null_mut()) })
}

/// Reads a word of a JFR.
///
/// # Safety
///
/// `jfr` must be valid.
unsafe fn get(jfr: *mut ubcore_jfr, opt: u32) -> Result<u32> {
    let mut word = 0u32;
    let buf = (&raw mut word).cast();
    // SAFETY: By the function's contract.
    to_result(unsafe { ubcore_get_jfr_opt(jfr, opt.into(), buf, 4, null_mut()) })?;
    Ok(word)
}

#[kunit_tests(ub_core_stages)]
mod tests {
    use super::*;
    use crate::c_api::core_state;

    #[test]
    fn stages_of_a_jfr() -> Result {
        let before = core_state()?.counters().get(Class::Jfr);
        let dev = FakeDevice::ready("kunit8", 8)?;
        let other = FakeDevice::ready("kunit9", 9)?;
        let (jfc, second, foreign) = (dev.jfc()?, dev.jfc()?, other.jfc()?);
        // SAFETY: Objects of this test, here and below.
        unsafe {
            assert!((*jfc).jfc_opt.is_actived);
            let jfr = dev.staged_jfr(jfc, 0)?;
            assert!(!(*jfr).jfr_opt.is_actived);
            assert_eq!(core_state()?.counters().get(Class::Jfr), before + 1);
            assert_eq!((*jfc).use_cnt.counter, 1);

            // It is not there yet.
            assert_eq!(to_result(ubcore_delete_jfr(jfr)), Err(EINVAL));
            assert_eq!(to_result(ubcore_deactive_jfr(jfr, null_mut())), Err(EINVAL));
            assert!(dev.jetty(jfc, jfr, UBCORE_TP_RM).is_err());

            // The use moves with the pointer, unless something fails.
            assert_eq!(set(jfr, UBCORE_JFR_BIND_JFC, foreign), Err(EINVAL));
            let none = null_mut::<ubcore_jfc>();
            assert_eq!(set(jfr, UBCORE_JFR_BIND_JFC, none), Err(EINVAL));
            dev.fail_option(true);
            assert_eq!(set(jfr, UBCORE_JFR_BIND_JFC, second), Err(ENXIO));
            assert_eq!(set(jfr, UBCORE_JFR_DEPTH, 4u32), Err(ENXIO));
            dev.fail_option(false);
            let counts = || ((*jfc).use_cnt.counter, (*second).use_cnt.counter);
            assert_eq!(counts(), (1, 0));
            set(jfr, UBCORE_JFR_BIND_JFC, second)?;
            assert_eq!(counts(), (0, 1));
            assert_eq!(to_result(ubcore_delete_jfc(second)), Err(EBUSY));
            assert_eq!(to_result(ubcore_deactive_jfc(jfc, null_mut())), Err(EINVAL));

            // What is wrong comes out now, and nothing has changed then.
            assert_eq!(to_result(ubcore_active_jfr(jfr, null_mut())), Err(EINVAL));
            assert_eq!(get(jfr, UBCORE_JFR_DEPTH), Ok(0));
            assert_eq!(set(jfr, UBCORE_JFR_DEPTH, 8u64), Err(EINVAL));
            set(jfr, UBCORE_JFR_DEPTH, 8u32)?;
            set(jfr, UBCORE_JFR_PI, 7u16)?;
            assert_eq!(*(*jfr).jfr_opt.jfr_opt_mask.value.as_ref(), 1 << 4);
            dev.grant_less(true);
            assert_eq!(to_result(ubcore_active_jfr(jfr, null_mut())), Err(EINVAL));
            dev.grant_less(false);
            assert_eq!(get(jfr, UBCORE_JFR_DEPTH), Ok(8));

            to_result(ubcore_active_jfr(jfr, null_mut()))?;
            assert_eq!(set(jfr, UBCORE_JFR_DEPTH, 4u32), Err(EPERM));
            assert_eq!(to_result(ubcore_active_jfr(jfr, null_mut())), Err(EINVAL));
            assert_eq!(to_result(ubcore_free_jfr(jfr, null_mut())), Err(EINVAL));
            let id = (*jfr).jfr_id.id;
            assert_eq!(ubcore_find_get_jfr(dev.as_ptr(), id), jfr);
            ubcore_put_jfr(jfr);
            let mut depth = 0u32;
            let buf = (&raw mut depth).cast();
            let opt = UBCORE_JFR_DEPTH.into();
            to_result(ubcore_get_jfr_opt_by_id(dev.as_ptr(), id, opt, buf, 4))?;
            assert_eq!(depth, 8);
            let gone = ubcore_get_jfr_opt_by_id(dev.as_ptr(), id + 999, opt, buf, 4);
            assert_eq!(to_result(gone), Err(ENOENT));

            // Used, and then not.
            let jetty = dev.jetty(jfc, jfr, UBCORE_TP_RM)?;
            assert_eq!(to_result(ubcore_deactive_jfr(jfr, null_mut())), Err(EBUSY));
            to_result(ubcore_delete_jetty(jetty))?;
            dev.fail_destroy(true);
            assert_eq!(to_result(ubcore_deactive_jfr(jfr, null_mut())), Err(ENXIO));
            assert_eq!(ubcore_find_get_jfr(dev.as_ptr(), id), jfr);
            ubcore_put_jfr(jfr);
            dev.fail_destroy(false);
            to_result(ubcore_deactive_jfr(jfr, null_mut()))?;
            assert!(ubcore_find_get_jfr(dev.as_ptr(), id).is_null());
            dev.fail_destroy(true);
            assert_eq!(to_result(ubcore_free_jfr(jfr, null_mut())), Err(ENXIO));
            dev.fail_destroy(false);
            to_result(ubcore_free_jfr(jfr, null_mut()))?;
            assert_eq!(counts(), (0, 0));
            for jfc in [jfc, second, foreign] {
                to_result(ubcore_delete_jfc(jfc))?;
            }
        }
        assert_eq!(core_state()?.counters().get(Class::Jfr), before);
        dev.unregister();
        other.unregister();
        Ok(())
    }

    #[test]
    fn drivers_without_stages() -> Result {
        let dev = FakeDevice::ready("kunita", 10)?;
        let mut cfg = ubcore_jfc_cfg::default();
        let mut jfc = null_mut();
        // SAFETY: A device of this test and arguments of our own.
        let ret =
            unsafe { ubcore_alloc_jfc(dev.as_ptr(), &mut cfg, None, None, &mut jfc, null_mut()) };
        assert_eq!(to_result(ret), Err(EINVAL));
        // SAFETY: Null pointers are refused.
        unsafe {
            let none = null_mut();
            assert_eq!(to_result(ubcore_free_jfc(none, null_mut())), Err(EINVAL));
            assert_eq!(to_result(ubcore_active_jfc(none, null_mut())), Err(EINVAL));
            let none = null_mut();
            let set = ubcore_set_jetty_opt(none, 1, null_mut(), 4, null_mut());
            assert_eq!(to_result(set), Err(EINVAL));
            assert!(ubcore_find_get_jfs(null_mut(), 1).is_null());
            ubcore_put_jetty(null_mut());
        }
        dev.unregister();
        Ok(())
    }
}
