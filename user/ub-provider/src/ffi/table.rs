// SPDX-License-Identifier: GPL-2.0

//! The tables that liburma gets, and when it gets them: as soon as the provider is loaded.

use std::ptr;

use ub_abi::UBSOFT_DRIVER_NAME;
use ub_urma::liburma::{urma_register_provider_ops, urma_unregister_provider_ops};
use ub_urma::*;

use crate::ffi::{batch, context, data, kinds, memory, queues, staged, targets};

/// A table that liburma does not write to, whatever its pointers say.
#[repr(transparent)]
struct Table<T>(T);

// SAFETY: nobody writes to it; names are constants, and functions are for all threads.
unsafe impl<T> Sync for Table<T> {}

/// Operations of a context.
static OPS: Table<urma_ops> = Table(urma_ops {
    name: UBSOFT_DRIVER_NAME.as_ptr().cast(),
    create_jfc: Some(queues::create_jfc),
    modify_jfc: Some(queues::modify_jfc),
    delete_jfc: Some(queues::delete_jfc),
    delete_jfc_batch: Some(batch::delete_jfc_batch),
    alloc_jfc: Some(staged::alloc_jfc),
    set_jfc_opt: Some(staged::set_jfc_opt),
    active_jfc: Some(staged::active_jfc),
    get_jfc_opt: Some(staged::get_jfc_opt),
    deactive_jfc: Some(staged::deactive_jfc),
    free_jfc: Some(staged::free_jfc),
    create_jfs: Some(queues::create_jfs),
    modify_jfs: Some(queues::modify_jfs),
    query_jfs: Some(queues::query_jfs),
    flush_jfs: Some(queues::flush_jfs),
    delete_jfs: Some(queues::delete_jfs),
    delete_jfs_batch: Some(batch::delete_jfs_batch),
    alloc_jfs: Some(staged::alloc_jfs),
    set_jfs_opt: Some(staged::set_jfs_opt),
    active_jfs: Some(staged::active_jfs),
    get_jfs_opt: Some(staged::get_jfs_opt),
    deactive_jfs: Some(staged::deactive_jfs),
    free_jfs: Some(staged::free_jfs),
    create_jfr: Some(queues::create_jfr),
    modify_jfr: Some(queues::modify_jfr),
    query_jfr: Some(queues::query_jfr),
    delete_jfr: Some(queues::delete_jfr),
    delete_jfr_batch: Some(batch::delete_jfr_batch),
    import_jfr: Some(targets::import_jfr),
    unimport_jfr: Some(targets::unimport_jfr),
    advise_jfr: Some(targets::advise_jfr),
    unadvise_jfr: Some(targets::advise_jfr),
    advise_jfr_async: Some(targets::advise_jfr_async),
    alloc_jfr: Some(staged::alloc_jfr),
    set_jfr_opt: Some(staged::set_jfr_opt),
    active_jfr: Some(staged::active_jfr),
    get_jfr_opt: Some(staged::get_jfr_opt),
    deactive_jfr: Some(staged::deactive_jfr),
    free_jfr: Some(staged::free_jfr),
    create_jetty: Some(queues::create_jetty),
    modify_jetty: Some(queues::modify_jetty),
    query_jetty: Some(queues::query_jetty),
    flush_jetty: Some(queues::flush_jetty),
    delete_jetty: Some(queues::delete_jetty),
    delete_jetty_batch: Some(batch::delete_jetty_batch),
    import_jetty: Some(targets::import_jetty),
    unimport_jetty: Some(targets::unimport_jetty),
    advise_jetty: Some(targets::advise_jetty),
    unadvise_jetty: Some(targets::advise_jetty),
    advise_jetty_async: Some(targets::advise_jetty_async),
    bind_jetty: Some(targets::bind_jetty),
    unbind_jetty: Some(targets::unbind_jetty),
    alloc_jetty: Some(staged::alloc_jetty),
    set_jetty_opt: Some(staged::set_jetty_opt),
    active_jetty: Some(staged::active_jetty),
    get_jetty_opt: Some(staged::get_jetty_opt),
    deactive_jetty: Some(staged::deactive_jetty),
    free_jetty: Some(staged::free_jetty),
    create_jetty_grp: Some(queues::create_jetty_grp),
    delete_jetty_grp: Some(queues::delete_jetty_grp),
    create_jfce: Some(context::create_jfce),
    delete_jfce: Some(context::delete_jfce),
    get_tpn: Some(targets::get_tpn),
    modify_tp: Some(targets::modify_tp),
    get_tp_list: Some(targets::get_tp_list),
    set_tp_attr: Some(targets::set_tp_attr),
    get_tp_attr: Some(targets::get_tp_attr),
    import_jetty_ex: Some(targets::import_jetty_ex),
    import_jfr_ex: Some(targets::import_jfr_ex),
    bind_jetty_ex: Some(targets::bind_jetty_ex),
    alloc_token_id: Some(memory::alloc_token_id),
    alloc_token_id_ex: Some(memory::alloc_token_id_ex),
    free_token_id: Some(memory::free_token_id),
    register_seg: Some(memory::register_seg),
    unregister_seg: Some(memory::unregister_seg),
    import_seg: Some(memory::import_seg),
    unimport_seg: Some(memory::unimport_seg),
    get_async_event: Some(context::get_async_event),
    ack_async_event: Some(context::ack_async_event),
    user_ctl: Some(context::user_ctl),
    post_jfs_wr: Some(data::post_jfs_wr),
    post_jfr_wr: Some(data::post_jfr_wr),
    post_jetty_send_wr: Some(data::post_jetty_send_wr),
    post_jetty_recv_wr: Some(data::post_jetty_recv_wr),
    poll_jfc: Some(data::poll_jfc),
    rearm_jfc: Some(data::rearm_jfc),
    wait_jfc: Some(context::wait_jfc),
    ack_jfc: Some(context::ack_jfc),
    import_jetty_async: Some(targets::import_jetty_async),
    unimport_jetty_async: Some(targets::unimport_jetty_async),
    bind_jetty_async: Some(targets::bind_jetty_async),
    unbind_jetty_async: Some(targets::unbind_jetty_async),
    create_notifier: Some(context::create_notifier),
    delete_notifier: Some(context::delete_notifier),
    wait_notify: Some(context::wait_notify),
    ack_notify: Some(context::ack_notify),
    get_eid_by_ip: Some(targets::get_eid_by_ip),
    get_ip_by_eid: Some(targets::get_ip_by_eid),
    get_smac: Some(targets::get_smac),
    get_dmac: Some(targets::get_dmac),
});

/// What is registered. liburma asks for attributes of a device itself, and no longer for a uasid.
static PROVIDER: Table<urma_provider_ops> = Table(urma_provider_ops {
    name: UBSOFT_DRIVER_NAME.as_ptr().cast(),
    attr: urma_provider_attr {
        version: 1,
        transport_type: URMA_TRANSPORT_UB,
    },
    // Devices have no numbers: they are found by the name of their driver.
    match_table: ptr::null_mut(),
    init: Some(context::init),
    uninit: Some(context::uninit),
    query_device: None,
    create_context: Some(context::create_context),
    delete_context: Some(context::delete_context),
    get_uasid: None,
});

/// The operations, for a context.
pub(crate) fn ops() -> *mut urma_ops {
    (&raw const OPS.0).cast_mut()
}

fn provider() -> *mut urma_provider_ops {
    (&raw const PROVIDER.0).cast_mut()
}

extern "C" fn register() {
    // SAFETY: the table stays for as long as the provider is loaded. A failure cannot be told:
    // liburma will have no provider for our devices.
    let _ = unsafe { urma_register_provider_ops(provider()) };
}

extern "C" fn unregister() {
    // SAFETY: the table that was registered. liburma unloads providers when it has no contexts: of
    // objects that are gone nobody speaks any more.
    unsafe {
        let _ = urma_unregister_provider_ops(provider());
        kinds::drain();
    }
}

// SAFETY of both: the loader calls functions in these sections when it loads and unloads.
#[used]
#[link_section = ".init_array"]
static LOADED: extern "C" fn() = register;

#[used]
#[link_section = ".fini_array"]
static UNLOADED: extern "C" fn() = unregister;
