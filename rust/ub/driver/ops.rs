// SPDX-License-Identifier: GPL-2.0

//! The operation table of a driver, made from its [`Driver`] implementation.

use super::{
    address,
    completion,
    data,
    device,
    group,
    jetty,
    jfc,
    jfr,
    jfs,
    seg,
    staged,
    target,
    tp,
    ucontext::{
        self,
        Ucontext, //
    },
    udata::Udata,
    Driver,
    UserCtl, //
};
use crate::bindings_ub;
use core::marker::PhantomData;
use kernel::{
    module::this_module,
    prelude::*, //
};

/// Returns the table of `D`.
pub(super) fn table<D: Driver>() -> &'static bindings_ub::ubcore_ops {
    &Table::<D>::OPS
}

/// Copies a name into the array of the table, at compile time.
const fn driver_name(name: &str) -> [c_char; bindings_ub::UBCORE_MAX_DRIVER_NAME as usize] {
    let bytes = name.as_bytes();
    let mut array = [0; bindings_ub::UBCORE_MAX_DRIVER_NAME as usize];
    assert!(!bytes.is_empty() && bytes.len() < array.len());
    let mut i = 0;
    while i < bytes.len() {
        // CAST: A character of the kernel is a byte.
        array[i] = bytes[i] as c_char;
        i += 1;
    }
    array
}

/// Holds the table of `D`.
struct Table<D>(PhantomData<D>);

impl<D: Driver> Table<D> {
    /// Operations that the contract has and [`Driver`] has not are absent: ubcore refuses them, or
    /// does what they say itself.
    const OPS: bindings_ub::ubcore_ops = bindings_ub::ubcore_ops {
        owner: this_module::<crate::LocalModule>().as_ptr(),
        driver_name: driver_name(D::NAME),
        abi_version: D::ABI_VERSION,

        query_device_attr: Some(device::query_attr::<D>),
        query_device_status: Some(device::query_status::<D>),
        config_device: Some(device::configure::<D>),

        alloc_ucontext: Some(ucontext::alloc::<D>),
        free_ucontext: Some(ucontext::free::<D>),
        mmap: if D::HAS_MMAP {
            Some(ucontext::mmap::<D>)
        } else {
            None
        },
        fault: if D::HAS_FAULT {
            Some(ucontext::fault::<D>)
        } else {
            None
        },

        alloc_token_id: Some(seg::alloc_token_id::<D>),
        free_token_id: Some(seg::free_token_id::<D>),
        register_seg: Some(seg::register::<D>),
        unregister_seg: Some(seg::unregister::<D>),
        import_seg: Some(seg::import::<D>),
        unimport_seg: Some(seg::unimport::<D>),

        create_jfc: Some(staged::create::<D, jfc::JfcKind>),
        modify_jfc: Some(jfc::modify::<D>),
        destroy_jfc: Some(staged::destroy::<D, jfc::JfcKind>),
        alloc_jfc: Some(staged::alloc::<D, jfc::JfcKind>),
        set_jfc_opt: Some(staged::set_opt::<D, jfc::JfcKind>),
        active_jfc: Some(staged::active::<D, jfc::JfcKind>),
        get_jfc_opt: Some(staged::get_opt),
        deactive_jfc: Some(staged::deactive::<D, jfc::JfcKind>),
        free_jfc: Some(staged::free::<D, jfc::JfcKind>),
        rearm_jfc: Some(jfc::rearm::<D>),

        create_jfs: Some(staged::create::<D, jfs::JfsKind>),
        modify_jfs: Some(jfs::modify::<D>),
        query_jfs: Some(jfs::query::<D>),
        flush_jfs: Some(flush_jfs),
        destroy_jfs: Some(staged::destroy::<D, jfs::JfsKind>),
        alloc_jfs: Some(staged::alloc::<D, jfs::JfsKind>),
        set_jfs_opt: Some(staged::set_opt::<D, jfs::JfsKind>),
        active_jfs: Some(staged::active::<D, jfs::JfsKind>),
        get_jfs_opt: Some(staged::get_opt),
        deactive_jfs: Some(staged::deactive::<D, jfs::JfsKind>),
        free_jfs: Some(staged::free::<D, jfs::JfsKind>),

        create_jfr: Some(staged::create::<D, jfr::JfrKind>),
        modify_jfr: Some(jfr::modify::<D>),
        query_jfr: Some(jfr::query::<D>),
        destroy_jfr: Some(staged::destroy::<D, jfr::JfrKind>),
        alloc_jfr: Some(staged::alloc::<D, jfr::JfrKind>),
        set_jfr_opt: Some(staged::set_opt::<D, jfr::JfrKind>),
        active_jfr: Some(staged::active::<D, jfr::JfrKind>),
        get_jfr_opt: Some(staged::get_opt),
        deactive_jfr: Some(staged::deactive::<D, jfr::JfrKind>),
        free_jfr: Some(staged::free::<D, jfr::JfrKind>),
        import_jfr_ex: Some(target::import_jfr::<D>),
        unimport_jfr: Some(target::unimport::<D>),

        create_jetty: Some(staged::create::<D, jetty::JettyKind>),
        modify_jetty: Some(jetty::modify::<D>),
        query_jetty: Some(jetty::query::<D>),
        flush_jetty: Some(flush_jetty),
        destroy_jetty: Some(staged::destroy::<D, jetty::JettyKind>),
        alloc_jetty: Some(staged::alloc::<D, jetty::JettyKind>),
        set_jetty_opt: Some(staged::set_opt::<D, jetty::JettyKind>),
        active_jetty: Some(staged::active::<D, jetty::JettyKind>),
        get_jetty_opt: Some(staged::get_opt),
        deactive_jetty: Some(staged::deactive::<D, jetty::JettyKind>),
        free_jetty: Some(staged::free::<D, jetty::JettyKind>),
        import_jetty_ex: Some(target::import_jetty::<D>),
        unimport_jetty: Some(target::unimport::<D>),
        connect_tjetty: Some(target::connect::<D>),
        bind_jetty_ex: Some(jetty::bind::<D>),
        unbind_jetty: Some(jetty::unbind::<D>),

        create_jetty_grp: Some(group::create::<D>),
        delete_jetty_grp: Some(group::destroy::<D>),

        get_tp_list: Some(tp::list::<D>),
        set_tp_attr: if D::HAS_SET_TP_ATTR {
            Some(tp::set_attr::<D>)
        } else {
            None
        },
        get_tp_attr: if D::HAS_TP_ATTR {
            Some(tp::attr::<D>)
        } else {
            None
        },
        active_tp: Some(tp::activate::<D>),
        deactive_tp: Some(tp::deactivate::<D>),

        user_ctl: if D::HAS_USER_CTL {
            Some(user_ctl::<D>)
        } else {
            None
        },

        post_jfs_wr: Some(data::post_jfs_wr::<D>),
        post_jfr_wr: Some(data::post_jfr_wr::<D>),
        post_jetty_send_wr: Some(data::post_jetty_send_wr::<D>),
        post_jetty_recv_wr: Some(data::post_jetty_recv_wr::<D>),
        poll_jfc: Some(completion::poll_jfc::<D>),

        disassociate_ucontext: if D::HAS_DISASSOCIATE_UCONTEXT {
            Some(ucontext::disassociate::<D>)
        } else {
            None
        },

        get_eid_by_ip: if D::HAS_EID_BY_IP {
            Some(address::eid_by_ip::<D>)
        } else {
            None
        },
        get_ip_by_eid: if D::HAS_IP_BY_EID {
            Some(address::ip_by_eid::<D>)
        } else {
            None
        },
        get_smac: if D::HAS_SMAC {
            Some(address::smac::<D>)
        } else {
            None
        },
        get_dmac: if D::HAS_DMAC {
            Some(address::dmac::<D>)
        } else {
            None
        },

        ..pin_init::zeroed()
    };
}

/// See `ubcore_ops.user_ctl`.
///
/// # Safety
///
/// Called by ubcore, by the contract.
unsafe extern "C" fn user_ctl<D: Driver>(
    _dev: *mut bindings_ub::ubcore_device,
    ctl: *mut bindings_ub::ubcore_user_ctl,
) -> c_int {
    // SAFETY: Valid during the call.
    let raw = unsafe { &*ctl };
    if raw.uctx.is_null() {
        return EOPNOTSUPP.to_errno();
    }
    let ctl = UserCtl {
        // SAFETY: A context of this driver, alive during the call.
        uctx: unsafe { Ucontext::<D>::borrow(raw.uctx) },
        opcode: raw.in_.opcode,
        data: Udata::new(raw.in_.addr, raw.in_.len, raw.out.addr, raw.out.len),
    };
    match D::user_ctl(ctl) {
        Ok(ret) => ret,
        Err(e) => e.to_errno(),
    }
}

/// See `ubcore_ops.flush_jfs`: a queue in the error state completes all that was posted.
///
/// # Safety
///
/// None.
unsafe extern "C" fn flush_jfs(
    _jfs: *mut bindings_ub::ubcore_jfs,
    _cr_cnt: c_int,
    _cr: *mut bindings_ub::ubcore_cr,
) -> c_int {
    0
}

/// See `ubcore_ops.flush_jetty`: as [`flush_jfs`].
///
/// # Safety
///
/// None.
unsafe extern "C" fn flush_jetty(
    _jetty: *mut bindings_ub::ubcore_jetty,
    _cr_cnt: c_int,
    _cr: *mut bindings_ub::ubcore_cr,
) -> c_int {
    0
}
