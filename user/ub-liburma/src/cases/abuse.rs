// SPDX-License-Identifier: GPL-2.0

//! Confused callers, and a device that goes away.

use std::ptr;
use std::rc::Rc;

use ub_tests::own::Own;
use ub_tests::{check, check_eq, tests, Outcome, Test};
use ub_urma::*;

use super::data::{message, transfer};
use super::lab::*;
use super::load::library;
use crate::double::fail_next;

/// The tests of this file.
pub const TESTS: &[Test] = tests![
    null_pointers,
    what_is_gone,
    the_wrong_order,
    other_contexts,
    completions_of_what_is_gone,
    the_device_goes,
    failures_are_no_end,
];

fn none<T>() -> *mut T {
    ptr::null_mut()
}

fn null_pointers() -> Outcome {
    let a = Side::create(URMA_TM_RM)?;
    let ctx = a.lab.ctx();
    // Every operation whose arguments are an object and nothing that a null pointer could stand for.
    macro_rules! refuse {
        ($($name:ident)*) => {$(
            check_eq!(call!(a, $name(ptr::null_mut())), URMA_EINVAL, stringify!($name));
        )*};
    }
    refuse! {
        delete_jfc active_jfc deactive_jfc free_jfc
        delete_jfs active_jfs deactive_jfs free_jfs
        delete_jfr active_jfr deactive_jfr free_jfr
        delete_jetty active_jetty deactive_jetty free_jetty
        delete_jetty_grp delete_jfce delete_notifier unbind_jetty unbind_jetty_async
        unimport_jfr unimport_jetty unimport_jetty_async
        free_token_id unregister_seg unimport_seg
    }
    macro_rules! null {
        ($($name:ident($($arg:expr),*))*) => {$(
            check!(call!(a, $name($($arg),*)).is_null(), stringify!($name));
            let errno = std::io::Error::last_os_error().raw_os_error();
            check_eq!(errno, Some(libc::EINVAL), stringify!($name));
        )*};
    }
    null! {
        create_jfc(ctx, none()) create_jfc(none(), &mut urma_jfc_cfg::default())
        create_jfs(ctx, none()) create_jfs(ctx, &mut urma_jfs_cfg::default())
        create_jfr(ctx, none()) create_jfr(ctx, &mut urma_jfr_cfg::default())
        create_jetty(ctx, none()) create_jetty(ctx, &mut urma_jetty_cfg::default())
        create_jetty_grp(ctx, none())
        create_jfce(none()) create_notifier(none())
        alloc_token_id(none()) alloc_token_id_ex(none(), 0)
        register_seg(ctx, none()) register_seg(ctx, &mut urma_seg_cfg::default())
        import_seg(ctx, none(), none(), 0, 0)
        import_jfr(ctx, none(), none()) import_jfr_ex(ctx, none(), none(), none())
        import_jetty(ctx, none(), none()) import_jetty_ex(ctx, none(), none(), none())
        import_jetty_async(none(), &urma_rjetty::default(), ptr::null(), 0, 0)
    }
    let mut wr = request(URMA_OPC_NOP, none(), 0);
    let mut bad = none();
    check_eq!(
        call!(a, post_jetty_send_wr(none(), &mut wr, &mut bad)),
        URMA_EINVAL
    );
    check!(ptr::eq(bad, &wr));
    check_eq!(call!(a, post_jfs_wr(none(), &mut wr, none())), URMA_EINVAL);
    check_eq!(
        call!(a, post_jetty_send_wr(a.jetty, none(), &mut bad)),
        URMA_EINVAL
    );
    check_eq!(call!(a, post_jfr_wr(a.jfr, none(), none())), URMA_EINVAL);
    check_eq!(
        call!(a, post_jetty_recv_wr(none(), none(), none())),
        URMA_EINVAL
    );
    check!(call!(a, poll_jfc(none(), 1, &mut dirty())) < 0);
    check!(call!(a, poll_jfc(a.sent, 1, none())) < 0);
    check!(call!(a, poll_jfc(a.sent, -1, &mut dirty())) < 0);
    check_eq!(call!(a, poll_jfc(a.sent, 0, &mut dirty())), 0);
    check_eq!(call!(a, rearm_jfc(none(), 0)), URMA_EINVAL);
    check_eq!(call!(a, modify_jfc(a.sent, none())), URMA_EINVAL);
    check_eq!(call!(a, modify_jetty(a.jetty, none())), URMA_EINVAL);
    check_eq!(call!(a, query_jfr(a.jfr, none(), none())), URMA_EINVAL);
    check_eq!(call!(a, get_async_event(ctx, none())), URMA_EINVAL);
    check_eq!(
        call!(a, get_tp_list(ctx, none(), none(), none())),
        URMA_EINVAL
    );
    check_eq!(call!(a, bind_jetty(a.jetty, none())), URMA_EINVAL);
    call!(a, ack_jfc(none(), none(), 1));
    let (mut nobody, mut one) = (none(), 1);
    call!(a, ack_jfc(&mut nobody, &mut one, 1));
    a.destroy()
}

fn what_is_gone() -> Outcome {
    let a = Side::create(URMA_TM_RM)?;
    let jfc = a.lab.jfc(8, ptr::null_mut(), 0)?;
    let jfs = a.lab.jfs(jfc, URMA_TM_RM, 8)?;
    let jfr = a.lab.jfr(jfc, URMA_TM_RM, 8)?;
    let target = a.import(&a)?;
    let seg = a.import_memory(&a)?;
    // Used once more after its end, each of them.
    for _ in 0..2 {
        let first = call!(a, delete_jfs(jfs));
        check!(first == URMA_SUCCESS || first == URMA_EINVAL);
        let mut wr = request(URMA_OPC_NOP, ptr::null_mut(), 0);
        let mut bad = ptr::null_mut();
        check_eq!(call!(a, post_jfs_wr(jfs, &mut wr, &mut bad)), URMA_EINVAL);
    }
    check_eq!(call!(a, delete_jfs(jfs)), URMA_EINVAL);
    check_eq!(call!(a, delete_jfr(jfr)), URMA_SUCCESS);
    check_eq!(call!(a, delete_jfr(jfr)), URMA_EINVAL);
    let mut attr = urma_jfr_attr::default();
    check_eq!(call!(a, modify_jfr(jfr, &mut attr)), URMA_EINVAL);
    check_eq!(call!(a, delete_jfc(jfc)), URMA_SUCCESS);
    check_eq!(call!(a, delete_jfc(jfc)), URMA_EINVAL);
    check!(call!(a, poll_jfc(jfc, 1, &mut dirty())) < 0);
    check_eq!(call!(a, rearm_jfc(jfc, 0)), URMA_EINVAL);
    let mut cfg = Lab::jfs_cfg(jfc, URMA_TM_RM, 8);
    check!(call!(a, create_jfs(a.lab.ctx(), &mut cfg)).is_null());
    check_eq!(call!(a, unimport_jetty(target)), URMA_SUCCESS);
    check_eq!(call!(a, unimport_jetty(target)), URMA_EINVAL);
    let mut src = [a.sge(0, 4)];
    let mut wr = message(URMA_OPC_SEND, target, list(&mut src), 0);
    check_eq!(a.post(&mut wr)?.0, URMA_EINVAL);
    check_eq!(call!(a, unimport_seg(seg)), URMA_SUCCESS);
    check_eq!(call!(a, unimport_seg(seg)), URMA_EINVAL);
    let target = a.import(&a)?;
    let mut far = [a.far(seg, 0, 4)];
    let ends = (list(&mut src), list(&mut far));
    check_eq!(
        a.post(&mut transfer(URMA_OPC_WRITE, target, ends, 0))?.0,
        URMA_EINVAL
    );
    check_eq!(call!(a, unimport_jetty(target)), URMA_SUCCESS);
    a.destroy()
}

fn the_wrong_order() -> Outcome {
    let mut a = Side::create(URMA_TM_RM)?;
    // The kernel knows who is in use.
    check!(call!(a, delete_jfc(a.sent)) != URMA_SUCCESS);
    check!(call!(a, delete_jfr(a.jfr)) != URMA_SUCCESS);
    check!(call!(a, free_token_id(a.memory.token_id)) != URMA_SUCCESS);
    // And the provider that there are objects.
    check_eq!(a.lab.opened.delete(), URMA_EAGAIN);
    // All are at work.
    let mut wr = request(URMA_OPC_NOP, ptr::null_mut(), 4);
    check_eq!(a.execute(&mut wr)?.user_ctx, 4);
    a.destroy()
}

fn other_contexts() -> Outcome {
    let (a, b) = (Side::create(URMA_TM_RM)?, Side::create(URMA_TM_RM)?);
    let ctx = a.lab.ctx();
    check!(call!(a, create_jfs(ctx, &mut Lab::jfs_cfg(b.sent, URMA_TM_RM, 8))).is_null());
    check!(call!(a, create_jfr(ctx, &mut Lab::jfr_cfg(b.sent, URMA_TM_RM, 8))).is_null());
    for (jfc, jfr) in [(a.sent, b.jfr), (b.sent, a.jfr)] {
        let mut cfg = Lab::jetty_cfg(jfc, jfr, URMA_TM_RM, 8);
        check!(call!(a, create_jetty(ctx, &mut cfg)).is_null());
    }
    let jfce = call!(b, create_jfce(b.lab.ctx()));
    check!(!jfce.is_null());
    let mut cfg = urma_jfc_cfg {
        depth: 8,
        jfce,
        ..Default::default()
    };
    check!(call!(a, create_jfc(ctx, &mut cfg)).is_null());
    check_eq!(call!(b, delete_jfce(jfce)), URMA_SUCCESS);
    let mut cfg = urma_seg_cfg {
        va: a.bytes.addr(),
        len: 4096,
        token_id: b.memory.token_id,
        ..Default::default()
    };
    check!(call!(a, register_seg(ctx, &mut cfg)).is_null());
    let mut mixed = [a.sent, b.sent];
    let mut bad = ptr::null_mut();
    check_eq!(
        call!(a, delete_jfc_batch(mixed.as_mut_ptr(), 2, &mut bad)),
        URMA_EINVAL
    );
    check!(ptr::eq(bad, b.sent));
    // Without a queue of its own on this kind of device.
    let mut cfg = Lab::jetty_cfg(a.sent, a.jfr, URMA_TM_RM, 8);
    cfg.flag = 0;
    check!(call!(a, create_jetty(ctx, &mut cfg)).is_null());
    a.destroy()?;
    b.destroy()
}

fn completions_of_what_is_gone() -> Outcome {
    let a = Side::create(URMA_TM_RM)?;
    let mut cfg = Lab::jetty_cfg(a.sent, a.jfr, URMA_TM_RM, 8);
    let other = call!(a, create_jetty(a.lab.ctx(), &mut cfg));
    check!(!other.is_null());
    // Completions of both, one after the other.
    for i in 0..6 {
        let jetty = if i % 2 == 0 { a.jetty } else { other };
        let mut wr = request(URMA_OPC_NOP, ptr::null_mut(), i);
        let mut bad = ptr::null_mut();
        check_eq!(
            call!(a, post_jetty_send_wr(jetty, &mut wr, &mut bad)),
            URMA_SUCCESS
        );
    }
    check_eq!(a.lab.wait(a.sent)?.user_ctx, 0);
    check_eq!(call!(a, delete_jetty(other)), URMA_SUCCESS);
    // Those of the other are not seen any more, and take no room.
    let mut crs = [dirty(); 4];
    check_eq!(call!(a, poll_jfc(a.sent, 4, crs.as_mut_ptr())), 2);
    check_eq!((crs[0].user_ctx, crs[1].user_ctx), (2, 4));
    check_eq!(crs[1].user_data, a.jetty as usize);
    a.lab.quiet(a.sent)?;
    a.destroy()
}

fn the_device_goes() -> Outcome {
    let library = Rc::new(library()?);
    let mut own = Own::create("ubtest0")?;
    let mut a = Side::create_in(Lab::open_on(&library, &own.device)?, URMA_TM_RM, 8)?;
    let jfce = call!(a, create_jfce(a.lab.ctx()));
    let watched = a.lab.jfc(8, jfce, 0)?;
    let target = a.import(&a)?;
    own.remove()?;
    // Posting and polling know nothing of it, and do no harm.
    let mut src = [a.sge(0, 4)];
    let (status, _) = a.post(&mut message(URMA_OPC_SEND, target, list(&mut src), 0))?;
    check_eq!(status, URMA_SUCCESS);
    check!(call!(a, poll_jfc(a.sent, 1, &mut dirty())) >= 0);
    check_eq!(call!(a, rearm_jfc(watched, 0)), URMA_FAIL);
    check_eq!(
        std::io::Error::last_os_error().raw_os_error(),
        Some(libc::EIO)
    );
    let mut jfc = [ptr::null_mut(); 1];
    check_eq!(call!(a, wait_jfc(jfce, 1, -1, jfc.as_mut_ptr())), -1);
    check!(call!(a, create_jfce(a.lab.ctx())).is_null());
    // The kernel has nothing any more, so all can be let go of.
    check_eq!(call!(a, unimport_jetty(target)), URMA_SUCCESS);
    check_eq!(call!(a, delete_jfc(watched)), URMA_SUCCESS);
    check_eq!(call!(a, delete_jfce(jfce)), URMA_SUCCESS);
    let mut list_of = [a.jetty];
    let mut bad = ptr::null_mut();
    check_eq!(
        call!(a, delete_jetty_batch(list_of.as_mut_ptr(), 1, &mut bad)),
        URMA_SUCCESS
    );
    check_eq!(call!(a, delete_jfr(a.jfr)), URMA_SUCCESS);
    check_eq!(call!(a, delete_jfc(a.received)), URMA_SUCCESS);
    check_eq!(call!(a, delete_jfc(a.sent)), URMA_SUCCESS);
    a.lab.unregister(a.memory)?;
    check_eq!(a.lab.opened.delete(), URMA_SUCCESS);
    Ok(())
}

fn failures_are_no_end() -> Outcome {
    let a = Side::create(URMA_TM_RM)?;
    let (target, seg) = (a.import(&a)?, a.import_memory(&a)?);
    // Of liburma itself, with what an earlier call left in errno; and of the kernel, whose device
    // is there.
    for (ret, errno) in [(URMA_FAIL as i32, libc::EIO), (-1, libc::EIO)] {
        macro_rules! fails {
            ($($name:ident($object:expr))*) => {$(
                fail_next(ret, errno);
                check_eq!(call!(a, $name($object)), URMA_FAIL, stringify!($name));
                let told = std::io::Error::last_os_error().raw_os_error();
                check_eq!(told, Some(libc::EIO), stringify!($name));
            )*};
        }
        fails! {
            unimport_jetty(target) unimport_seg(seg) delete_jetty(a.jetty) delete_jfc(a.sent)
            unregister_seg(a.memory.seg) free_token_id(a.memory.token_id)
        }
    }
    // All are there.
    a.post_recv(0, 64, 1)?;
    let mut src = [a.sge(100, 4)];
    let cr = a.execute(&mut message(URMA_OPC_SEND, target, list(&mut src), 3))?;
    check_eq!((cr.status, cr.user_ctx), (URMA_CR_SUCCESS, 3));
    check_eq!(call!(a, unimport_jetty(target)), URMA_SUCCESS);
    check_eq!(call!(a, unimport_seg(seg)), URMA_SUCCESS);
    a.destroy()
}
