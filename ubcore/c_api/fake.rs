// SPDX-License-Identifier: GPL-2.0

//! A driver for the KUnit tests.

// Operations of drivers are called by the core, as `struct ubcore_ops` says.
#![expect(clippy::missing_safety_doc)]

use super::{
    core_state,
    words::{
        handle_from,
        handle_word, //
    },
};
use crate::{
    bindings_ub::*,
    logic::tp::TpHandle,
    ub::common::{
        eid_from_bytes,
        FlagWord, //
    },
};
use core::{
    mem::offset_of,
    ptr::null_mut, //
};
use kernel::{
    alloc::flags::__GFP_ZERO,
    error::{
        from_err_ptr,
        to_result, //
    },
    prelude::*,
    sync::atomic::{
        Atomic,
        Relaxed, //
    }, //
};

/// A device without hardware; what its driver does can be made to fail.
#[repr(C)]
struct Inner {
    dev: ubcore_device,
    ops: ubcore_ops,
    next_id: Atomic<u32>,
    active: Atomic<i32>,
    events: Atomic<i32>,
    fail_destroy: Atomic<i32>,
    fail_import: Atomic<i32>,
    fail_active: Atomic<i32>,
    fail_option: Atomic<i32>,
    grant_less: Atomic<i32>,
    batch_room: Atomic<i32>,
    connected: Atomic<i32>,
    slow: Atomic<i32>,
}

const _: () = assert!(offset_of!(Inner, dev) == 0);

/// A device of the tests; it must be unregistered before it is dropped.
pub(super) struct FakeDevice(KBox<Inner>);

/// Returns the device that an operation is called for.
///
/// # Safety
///
/// `dev` must be that of a [`FakeDevice`].
unsafe fn inner<'a>(dev: *mut ubcore_device) -> &'a Inner {
    // SAFETY: By the function's contract; the device is at offset 0.
    unsafe { &*dev.cast::<Inner>() }
}

/// Makes a zeroed object.
fn make<T>() -> *mut T {
    KBox::<T>::new_uninit(GFP_KERNEL | __GFP_ZERO).map_or(null_mut(), |b| KBox::into_raw(b).cast())
}

/// Frees an object, unless that is to fail.
///
/// # Safety
///
/// `object` must be from [`make`], of the device.
unsafe fn destroy<T>(dev: *mut ubcore_device, object: *mut T) -> c_int {
    // SAFETY: By the function's contract.
    if unsafe { inner(dev) }.fail_destroy.load(Relaxed) != 0 {
        return ENXIO.to_errno();
    }
    // SAFETY: By the function's contract; zeroed objects are initialised.
    drop(unsafe { KBox::from_raw(object) });
    0
}

/// Declares operations that create and destroy a kind of objects.
macro_rules! operations {
    ($($create:ident($cfg:ty) -> $object:ident, $destroy:ident, |$o:ident, $c:ident, $d:ident| $fill:block;)*) => {$(
        unsafe extern "C" fn $create(
            dev: *mut ubcore_device,
            cfg: *mut $cfg,
            _udata: *mut ubcore_udata,
        ) -> *mut $object {
            let $o = make::<$object>();
            if $o.is_null() {
                return ENOMEM.to_ptr();
            }
            // SAFETY: A new object, and what the core passes.
            #[allow(unused_variables)]
            unsafe {
                let ($c, $d) = (cfg, inner(dev));
                $fill
            }
            $o
        }

        unsafe extern "C" fn $destroy(object: *mut $object) -> c_int {
            // SAFETY: An object of the operation above.
            unsafe { destroy((*object).ub_dev, object) }
        }
    )*};
}

operations! {
    create_jfc(ubcore_jfc_cfg) -> ubcore_jfc, destroy_jfc, |o, c, d| {
        (*o).id = d.next_id();
        (*o).jfc_cfg.depth = (*c).depth;
    };
    create_jfr(ubcore_jfr_cfg) -> ubcore_jfr, destroy_jfr, |o, c, d| {
        (*o).jfr_id.id = d.next_id();
        (*o).jfr_cfg.depth = if d.grant_less.load(Relaxed) != 0 { 1 } else { (*c).depth };
        (*o).jfr_cfg.max_sge = (*c).max_sge;
    };
    create_jetty(ubcore_jetty_cfg) -> ubcore_jetty, destroy_jetty, |o, c, d| {
        (*o).jetty_id.id = d.next_id();
        (*o).jetty_cfg.jfs_depth = (*c).jfs_depth;
        (*o).jetty_cfg.max_send_sge = (*c).max_send_sge;
        (*o).jetty_cfg.max_send_rsge = (*c).max_send_rsge;
        (*o).jetty_cfg.max_inline_data = (*c).max_inline_data;
    };
    register_seg(ubcore_seg_cfg) -> ubcore_target_seg, unregister_seg, |o, c, d| {
        (*o).seg.token_id = d.next_id();
    };
}

impl Inner {
    /// Returns a number for a new object.
    fn next_id(&self) -> u32 {
        self.next_id.fetch_add(1, Relaxed)
    }
}

unsafe extern "C" fn alloc_jfr(
    _dev: *mut ubcore_device,
    _cfg: *mut ubcore_jfr_cfg,
    out: *mut *mut ubcore_jfr,
    _udata: *mut ubcore_udata,
) -> c_int {
    // SAFETY: What the core passes.
    unsafe { *out = make() };
    0
}

unsafe extern "C" fn set_jfr_opt(
    jfr: *mut ubcore_jfr,
    _opt: u64,
    _buf: *mut c_void,
    _len: u32,
    _udata: *mut ubcore_udata,
) -> c_int {
    // SAFETY: An object of the tests.
    match unsafe { inner((*jfr).ub_dev) }.fail_option.load(Relaxed) {
        0 => 0,
        _ => ENXIO.to_errno(),
    }
}

unsafe extern "C" fn active_jfr(jfr: *mut ubcore_jfr, _udata: *mut ubcore_udata) -> c_int {
    // SAFETY: An object of the tests that is being activated.
    unsafe {
        let dev = inner((*jfr).ub_dev);
        (*jfr).jfr_id.id = dev.next_id();
        if dev.grant_less.load(Relaxed) != 0 {
            (*jfr).jfr_cfg.depth = 1;
        }
    }
    0
}

unsafe extern "C" fn deactive_jfr(jfr: *mut ubcore_jfr, _udata: *mut ubcore_udata) -> c_int {
    // SAFETY: An object of the tests.
    match unsafe { inner((*jfr).ub_dev) }.fail_destroy.load(Relaxed) {
        0 => 0,
        _ => ENXIO.to_errno(),
    }
}

unsafe extern "C" fn free_jfr(jfr: *mut ubcore_jfr, _udata: *mut ubcore_udata) -> c_int {
    // SAFETY: An object of the operation above.
    unsafe { destroy((*jfr).ub_dev, jfr) }
}

/// Destroys as many as there is room for, and says where it stopped.
unsafe extern "C" fn destroy_jfc_batch(
    jfcs: *mut *mut ubcore_jfc,
    count: c_int,
    bad: *mut c_int,
) -> c_int {
    // SAFETY: What the core passes: one object at least.
    let room = unsafe { inner((**jfcs).ub_dev) }.batch_room.load(Relaxed);
    let mut i = 0;
    while i < count.min(room) {
        // SAFETY: As above; an object of `create_jfc()`.
        drop(unsafe { KBox::from_raw(*jfcs.add(i as usize)) });
        i += 1;
    }
    if room < count {
        // SAFETY: As above.
        unsafe { *bad = if room < 0 { count } else { room } };
        return ENXIO.to_errno();
    }
    0
}

unsafe extern "C" fn config_device(_: *mut ubcore_device, _: *mut ubcore_device_cfg) -> c_int {
    0
}

unsafe extern "C" fn alloc_token_id(
    _dev: *mut ubcore_device,
    _flag: ubcore_token_id_flag,
    _udata: *mut ubcore_udata,
) -> *mut ubcore_token_id {
    make()
}

unsafe extern "C" fn free_token_id(token: *mut ubcore_token_id) -> c_int {
    // SAFETY: An object of the operation above.
    unsafe { destroy((*token).ub_dev, token) }
}

unsafe extern "C" fn import_jetty_ex(
    dev: *mut ubcore_device,
    _cfg: *mut ubcore_tjetty_cfg,
    _active: *mut ubcore_active_tp_cfg,
    _udata: *mut ubcore_udata,
) -> *mut ubcore_tjetty {
    // SAFETY: A device of the tests.
    if unsafe { inner(dev) }.fail_import.load(Relaxed) != 0 {
        return ENXIO.to_ptr();
    }
    make()
}

unsafe extern "C" fn connect_tjetty(
    tjetty: *mut ubcore_tjetty,
    active: *mut ubcore_active_tp_cfg,
) -> c_int {
    // SAFETY: What the core passes.
    let (dev, handle) = unsafe { (inner((*tjetty).ub_dev), handle_word(&(*active).tp_handle)) };
    if dev.fail_import.load(Relaxed) != 0 || handle.raw() == 0 {
        return ENXIO.to_errno();
    }
    dev.connected.add(1, Relaxed);
    0
}

unsafe extern "C" fn unimport_jetty(tjetty: *mut ubcore_tjetty) -> c_int {
    // SAFETY: An object of the operation above.
    unsafe { destroy((*tjetty).ub_dev, tjetty) }
}

unsafe extern "C" fn bind_jetty_ex(
    _jetty: *mut ubcore_jetty,
    _tjetty: *mut ubcore_tjetty,
    _active: *mut ubcore_active_tp_cfg,
    _udata: *mut ubcore_udata,
) -> c_int {
    0
}

unsafe extern "C" fn unbind_jetty(jetty: *mut ubcore_jetty) -> c_int {
    // SAFETY: A jetty of the tests.
    match unsafe { inner((*jetty).ub_dev) }.fail_destroy.load(Relaxed) {
        0 => 0,
        _ => ENXIO.to_errno(),
    }
}

/// Offers one path for each peer, and new ones for connections.
unsafe extern "C" fn get_tp_list(
    dev: *mut ubcore_device,
    cfg: *mut ubcore_get_tp_cfg,
    count: *mut u32,
    list: *mut ubcore_tp_info,
    _udata: *mut ubcore_udata,
) -> c_int {
    // SAFETY: A device of the tests.
    let slow = unsafe { inner(dev) }.slow.load(Relaxed);
    if slow != 0 {
        kernel::time::delay::fsleep(kernel::time::Delta::from_millis(slow.into()));
    }
    // SAFETY: What the core passes; there is room for one path at least.
    unsafe {
        let id = if (*cfg).trans_mode == UBCORE_TP_RC {
            inner(dev).next_id()
        } else {
            u32::from((*cfg).peer_eid.raw.as_ref()[15])
        };
        (*list).tp_handle = handle_from(TpHandle::new(id, id, 1));
        *count = 1;
    }
    0
}

unsafe extern "C" fn active_tp(
    dev: *mut ubcore_device,
    active: *mut ubcore_active_tp_cfg,
) -> c_int {
    // SAFETY: What the core passes.
    let (dev, handle) = unsafe { (inner(dev), handle_word(&(*active).tp_handle)) };
    if dev.fail_active.load(Relaxed) != 0 || handle.raw() == 0 {
        return ENXIO.to_errno();
    }
    dev.active.add(1, Relaxed);
    0
}

unsafe extern "C" fn deactive_tp(
    dev: *mut ubcore_device,
    _handle: ubcore_tp_handle,
    _udata: *mut ubcore_udata,
) -> c_int {
    // SAFETY: A device of the tests.
    let dev = unsafe { inner(dev) };
    if dev.fail_active.load(Relaxed) != 0 || dev.active.load(Relaxed) == 0 {
        // It never was active: the core says that it will not use what it was offered.
        return EINVAL.to_errno();
    }
    dev.active.add(-1, Relaxed);
    0
}

/// A handler of events of a [`FakeDevice`]; unregistered when dropped.
pub(super) struct FakeHandler(KBox<ubcore_event_handler>, *mut ubcore_device);

impl Drop for FakeHandler {
    fn drop(&mut self) {
        // SAFETY: Registered when it was made.
        unsafe { ubcore_unregister_event_handler(self.1, &mut *self.0) };
    }
}

unsafe extern "C" fn count_event(event: *mut ubcore_event, _: *mut ubcore_event_handler) {
    // SAFETY: An event of a device of the tests.
    unsafe { inner((*event).ub_dev) }.events.add(1, Relaxed);
}

impl FakeDevice {
    /// Makes a device that is not registered.
    pub(super) fn new(name: &str) -> Result<Self> {
        let inner = KBox::<Inner>::new_uninit(GFP_KERNEL | __GFP_ZERO)?;
        // SAFETY: All zeros are a valid value of each field.
        let mut inner = unsafe { inner.assume_init() };
        for (to, from) in inner.dev.dev_name.iter_mut().zip(name.bytes()) {
            *to = from;
        }
        inner.next_id = Atomic::new(1024);
        inner.ops = ubcore_ops {
            config_device: Some(config_device),
            alloc_token_id: Some(alloc_token_id),
            free_token_id: Some(free_token_id),
            register_seg: Some(register_seg),
            unregister_seg: Some(unregister_seg),
            create_jfc: Some(create_jfc),
            destroy_jfc: Some(destroy_jfc),
            destroy_jfc_batch: Some(destroy_jfc_batch),
            create_jfr: Some(create_jfr),
            destroy_jfr: Some(destroy_jfr),
            alloc_jfr: Some(alloc_jfr),
            set_jfr_opt: Some(set_jfr_opt),
            active_jfr: Some(active_jfr),
            deactive_jfr: Some(deactive_jfr),
            free_jfr: Some(free_jfr),
            create_jetty: Some(create_jetty),
            destroy_jetty: Some(destroy_jetty),
            import_jetty_ex: Some(import_jetty_ex),
            connect_tjetty: Some(connect_tjetty),
            unimport_jetty: Some(unimport_jetty),
            bind_jetty_ex: Some(bind_jetty_ex),
            unbind_jetty: Some(unbind_jetty),
            get_tp_list: Some(get_tp_list),
            active_tp: Some(active_tp),
            deactive_tp: Some(deactive_tp),
            ..Default::default()
        };
        inner.dev.ops = &raw const inner.ops;
        inner.dev.attr.port_cnt = 1;
        let cap = &mut inner.dev.attr.dev_cap;
        cap.max_eid_cnt = 16;
        cap.trans_mode = 7;
        cap.max_jfc_depth = 64;
        cap.max_jfs_depth = 64;
        cap.max_jfr_depth = 64;
        cap.max_jfs_sge = 4;
        cap.max_jfs_rsge = 4;
        cap.max_jfr_sge = 4;
        Ok(Self(inner))
    }

    /// Makes a registered device with an EID at index 0.
    pub(super) fn ready(name: &str, eid: u8) -> Result<Self> {
        let dev = Self::new(name)?;
        dev.register()?;
        dev.add_eid(0, eid)?;
        Ok(dev)
    }

    /// Returns the C device.
    pub(super) fn as_ptr(&self) -> *mut ubcore_device {
        (&raw const self.0.dev).cast_mut()
    }

    /// Registers the device.
    pub(super) fn register(&self) -> Result {
        // SAFETY: Valid until it is unregistered.
        to_result(unsafe { ubcore_register_device(self.as_ptr()) })
    }

    /// Unregisters the device.
    pub(super) fn unregister(&self) {
        // SAFETY: Valid.
        unsafe { ubcore_unregister_device(self.as_ptr()) };
    }

    /// Reports a change of the EID table.
    fn eid_event(&self, event_type: ubcore_mgmt_event_type, index: u32, eid: u8) -> Result {
        let mut info = ubcore_eid_info {
            eid: eid_of(eid),
            eid_index: index,
        };
        let mut event = ubcore_mgmt_event {
            ub_dev: self.as_ptr(),
            event_type,
            ..Default::default()
        };
        event.element.eid_info = &mut info;
        // SAFETY: A valid event.
        to_result(unsafe { ubcore_dispatch_mgmt_event(&mut event) })
    }

    /// Gives the device an EID.
    pub(super) fn add_eid(&self, index: u32, eid: u8) -> Result {
        self.eid_event(UBCORE_MGMT_EVENT_EID_ADD, index, eid)
    }

    /// Takes an EID away.
    pub(super) fn remove_eid(&self, index: u32) -> Result {
        self.eid_event(UBCORE_MGMT_EVENT_EID_RMV, index, 0)
    }

    /// Tells whether the table of C clients has an EID.
    pub(super) fn mirrors(&self, index: usize, eid: u8) -> bool {
        // SAFETY: A registered device has a table of 16 entries.
        unsafe {
            let entry = &*self.0.dev.eid_table.eid_entries.add(index);
            entry.valid && entry.eid.raw.as_ref()[15] == eid
        }
    }

    /// Finds a device by EID.
    pub(super) fn by_eid(&self, eid: u8) -> *mut ubcore_device {
        // SAFETY: A valid EID.
        unsafe { ubcore_get_device_by_eid(&mut eid_of(eid), UBCORE_TRANSPORT_UB) }
    }

    /// Counts the events of the device.
    pub(super) fn handler(&self) -> Result<FakeHandler> {
        let mut handler = KBox::new(
            ubcore_event_handler {
                event_callback: Some(count_event),
                ..Default::default()
            },
            GFP_KERNEL,
        )?;
        // SAFETY: Valid until it is unregistered.
        to_result(unsafe { ubcore_register_event_handler(self.as_ptr(), &mut *handler) })?;
        Ok(FakeHandler(handler, self.as_ptr()))
    }

    /// Returns the number of events.
    pub(super) fn events(&self) -> i32 {
        self.0.events.load(Relaxed)
    }

    /// Waits until all events are delivered.
    pub(super) fn flush_events(&self) -> Result {
        let dev = core_state()?
            .registry()
            .find(|dev| (dev.c().as_ptr() == self.as_ptr()).then(|| dev.clone()));
        dev.ok_or(ENODEV)?.events().flush();
        Ok(())
    }

    /// Returns how often the driver was told of the path of an import.
    pub(super) fn connected(&self) -> i32 {
        self.0.connected.load(Relaxed)
    }

    /// Makes the search for paths take so many milliseconds.
    pub(super) fn slow(&self, millis: i32) {
        self.0.slow.store(millis, Relaxed);
    }

    /// Returns the number of active paths.
    pub(super) fn active(&self) -> i32 {
        self.0.active.load(Relaxed)
    }

    /// Makes operations that destroy fail.
    pub(super) fn fail_destroy(&self, fail: bool) {
        self.0.fail_destroy.store(fail.into(), Relaxed);
    }

    /// Makes imports fail.
    pub(super) fn fail_import(&self, fail: bool) {
        self.0.fail_import.store(fail.into(), Relaxed);
    }

    /// Makes the activation of paths fail.
    pub(super) fn fail_active(&self, fail: bool) {
        self.0.fail_active.store(fail.into(), Relaxed);
    }

    /// Makes the driver refuse options.
    pub(super) fn fail_option(&self, fail: bool) {
        self.0.fail_option.store(fail.into(), Relaxed);
    }

    /// Makes the driver grant less than what is asked for.
    pub(super) fn grant_less(&self, less: bool) {
        self.0.grant_less.store(less.into(), Relaxed);
    }

    /// Makes the destruction of many completion queues stop after so many; a negative number: at
    /// a place that there is not.
    pub(super) fn batch_room(&self, room: i32) {
        self.0.batch_room.store(room, Relaxed);
    }

    /// Chooses the number of the next object.
    pub(super) fn force_id(&self, id: u32) {
        self.0.next_id.store(id, Relaxed);
    }

    /// Creates a completion queue.
    pub(super) fn jfc(&self) -> Result<*mut ubcore_jfc> {
        let mut cfg = ubcore_jfc_cfg {
            depth: 8,
            ..Default::default()
        };
        // SAFETY: A device of the tests.
        from_err_ptr(unsafe { ubcore_create_jfc(self.as_ptr(), &mut cfg, None, None, null_mut()) })
    }

    /// Creates a receive queue.
    pub(super) fn jfr(&self, jfc: *mut ubcore_jfc, mode: u32) -> Result<*mut ubcore_jfr> {
        let mut cfg = ubcore_jfr_cfg {
            depth: 8,
            trans_mode: mode,
            max_sge: 1,
            jfc,
            ..Default::default()
        };
        // SAFETY: A device of the tests.
        from_err_ptr(unsafe { ubcore_create_jfr(self.as_ptr(), &mut cfg, None, null_mut()) })
    }

    /// Allocates a receive queue of the mode RM.
    pub(super) fn staged_jfr(&self, jfc: *mut ubcore_jfc, depth: u32) -> Result<*mut ubcore_jfr> {
        let mut cfg = ubcore_jfr_cfg {
            depth,
            trans_mode: UBCORE_TP_RM,
            max_sge: 1,
            jfc,
            ..Default::default()
        };
        let mut jfr = null_mut();
        // SAFETY: A device of the tests.
        to_result(unsafe {
            ubcore_alloc_jfr(self.as_ptr(), &mut cfg, None, &mut jfr, null_mut())
        })?;
        Ok(jfr)
    }

    /// Creates a jetty.
    pub(super) fn jetty(
        &self,
        jfc: *mut ubcore_jfc,
        jfr: *mut ubcore_jfr,
        mode: u32,
    ) -> Result<*mut ubcore_jetty> {
        let mut cfg = ubcore_jetty_cfg {
            flag: FlagWord::from_word(1),
            trans_mode: mode,
            jfs_depth: 8,
            max_send_sge: 1,
            send_jfc: jfc,
            recv_jfc: jfc,
            jfr,
            ..Default::default()
        };
        // SAFETY: A device of the tests.
        from_err_ptr(unsafe { ubcore_create_jetty(self.as_ptr(), &mut cfg, None, null_mut()) })
    }

    /// Registers a segment.
    pub(super) fn segment(
        &self,
        va: u64,
        len: u64,
        flag: u32,
        token_id: *mut ubcore_token_id,
    ) -> Result<*mut ubcore_target_seg> {
        let mut cfg = ubcore_seg_cfg {
            va,
            len,
            token_id,
            flag: FlagWord::from_word(flag),
            ..Default::default()
        };
        // SAFETY: A device of the tests.
        from_err_ptr(unsafe { ubcore_register_seg(self.as_ptr(), &mut cfg, null_mut()) })
    }

    /// Begins to import a jetty over a reliable path.
    pub(super) fn import_async(
        &self,
        eid: u8,
        mode: u32,
        timeout: c_int,
        seen: &Seen,
    ) -> Result<*mut ubcore_tjetty> {
        let mut cfg = ubcore_tjetty_cfg {
            trans_mode: mode,
            type_: UBCORE_JETTY,
            tp_type: UBCORE_RTP,
            ..Default::default()
        };
        cfg.id.eid = eid_of(eid);
        let cb = ubcore_import_cb {
            user_arg: seen.as_arg(),
            callback: Some(import_seen),
        };
        let cb = KBox::into_raw(KBox::new(cb, GFP_KERNEL)?);
        // SAFETY: A device of the tests; the callback is taken unless there is an error.
        unsafe {
            let dev = self.as_ptr();
            let ret = ubcore_import_jetty_async(dev, &mut cfg, timeout, cb, null_mut());
            from_err_ptr(ret).inspect_err(|_| drop(KBox::from_raw(cb)))
        }
    }

    /// Imports a jetty over a reliable path.
    pub(super) fn import(&self, eid: u8, id: u32, mode: u32) -> Result<*mut ubcore_tjetty> {
        let mut cfg = ubcore_tjetty_cfg {
            trans_mode: mode,
            type_: UBCORE_JETTY,
            tp_type: UBCORE_RTP,
            ..Default::default()
        };
        cfg.id.eid = eid_of(eid);
        cfg.id.id = id;
        // SAFETY: A device of the tests.
        from_err_ptr(unsafe { ubcore_import_jetty(self.as_ptr(), &mut cfg, null_mut()) })
    }

    /// Imports a jetty in mode RM over a path.
    pub(super) fn import_over(
        &self,
        eid: u8,
        id: u32,
        active: &mut ubcore_active_tp_cfg,
    ) -> Result<*mut ubcore_tjetty> {
        let mut cfg = ubcore_tjetty_cfg {
            trans_mode: UBCORE_TP_RM,
            type_: UBCORE_JETTY,
            tp_type: UBCORE_RTP,
            ..Default::default()
        };
        cfg.id.eid = eid_of(eid);
        cfg.id.id = id;
        // SAFETY: A device of the tests.
        from_err_ptr(unsafe { ubcore_import_jetty_ex(self.as_ptr(), &mut cfg, active, null_mut()) })
    }
}

/// Asks for reliable paths in mode RM between two EIDs, given by their numbers.
pub(super) fn tp_cfg(local: u8, peer: u8) -> ubcore_get_tp_cfg {
    ubcore_get_tp_cfg {
        flag: FlagWord::from_word(1 << 1),
        trans_mode: UBCORE_TP_RM,
        local_eid: eid_of(local),
        peer_eid: eid_of(peer),
        ..Default::default()
    }
}

/// What callbacks have seen: how many there were, and the last status.
pub(super) struct Seen(Atomic<i32>, Atomic<i32>);

impl Seen {
    /// Nothing.
    pub(super) fn new() -> Self {
        Self(Atomic::new(0), Atomic::new(0))
    }

    /// Returns the argument of a callback.
    pub(super) fn as_arg(&self) -> *mut c_void {
        (&raw const *self).cast_mut().cast()
    }

    /// Waits for requests under way; returns the number of callbacks so far and the last status.
    pub(super) fn get(&self) -> (i32, Result) {
        if let Ok(core) = core_state() {
            core.requests().flush();
        }
        (self.0.load(Relaxed), to_result(self.1.load(Relaxed)))
    }
}

/// Notes a status.
///
/// # Safety
///
/// `arg` must be that of a [`Seen`].
unsafe fn note(status: c_int, arg: *mut c_void) {
    // SAFETY: By the function's contract.
    let seen = unsafe { &*arg.cast::<Seen>() };
    seen.1.store(status, Relaxed);
    seen.0.add(1, Relaxed);
}

unsafe extern "C" fn import_seen(_: *mut ubcore_tjetty, status: c_int, arg: *mut c_void) {
    // SAFETY: As the tests say.
    unsafe { note(status, arg) };
}

/// A callback for a binding.
pub(super) unsafe extern "C" fn bind_seen(
    _: *mut ubcore_jetty,
    _: *mut ubcore_tjetty,
    status: c_int,
    arg: *mut c_void,
) {
    // SAFETY: As the tests say.
    unsafe { note(status, arg) };
}

/// A callback for an end.
pub(super) unsafe extern "C" fn end_seen(status: c_int, arg: *mut c_void) {
    // SAFETY: As the tests say.
    unsafe { note(status, arg) };
}

/// Makes an EID from a number; 0 is no EID.
fn eid_of(number: u8) -> ubcore_eid {
    let mut bytes = [0; 16];
    if number != 0 {
        bytes[0] = 0xfd;
        bytes[15] = number;
    }
    eid_from_bytes(bytes)
}
