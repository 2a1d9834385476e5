// SPDX-License-Identifier: GPL-2.0

//! Imported receive queues and jettys, and bindings.

use super::{
    device_ptr::device,
    errno,
    object::{
        kind,
        Kind,
        Obj,
        Owned, //
    },
    user::User,
    words::{
        handle_from,
        handle_word, //
    }, //
};
use crate::{
    bind,
    bindings_ub::{
        ubcore_active_tp_cfg,
        ubcore_device,
        ubcore_jetty,
        ubcore_ops,
        ubcore_tjetty,
        ubcore_tjetty_cfg,
        ubcore_udata,
        ubcore_vtpn, //
    },
    device::Device,
    import::{
        self,
        TargetState, //
    },
    logic::tp_reuse::ActiveTp,
    tp::Connection,
    ub::common::err_ptr,
};
use core::{mem::offset_of, ptr::null_mut};
use kernel::{
    error::to_result,
    new_mutex,
    prelude::*,
    sync::Mutex,
    types::Opaque, //
};

/// Imported receive queues, as a [`Kind`].
pub(crate) enum ImportedJfr {}

/// Imported jettys, as a [`Kind`].
pub(crate) enum ImportedJetty {}

kind!(ImportedJfr: ubcore_tjetty, Tjetty, destroy unimport_jfr);
kind!(ImportedJetty: ubcore_tjetty, Tjetty, destroy unimport_jetty);

/// An operation that imports without a transport path.
type PlainImport = Option<
    unsafe extern "C" fn(
        *mut ubcore_device,
        *mut ubcore_tjetty_cfg,
        *mut ubcore_udata,
    ) -> *mut ubcore_tjetty,
>;

/// An operation that imports over a transport path.
type PathImport = Option<
    unsafe extern "C" fn(
        *mut ubcore_device,
        *mut ubcore_tjetty_cfg,
        *mut ubcore_active_tp_cfg,
        *mut ubcore_udata,
    ) -> *mut ubcore_tjetty,
>;

/// The two kinds of imports.
pub(crate) trait Imported: Kind<C = ubcore_tjetty> {
    /// Whether it is a receive queue.
    const IS_JFR: bool;

    /// Returns the operation that imports without a transport path.
    fn plain(ops: &ubcore_ops) -> PlainImport;

    /// Returns the operation that imports over a transport path.
    fn over_path(ops: &ubcore_ops) -> PathImport;
}

impl Imported for ImportedJfr {
    const IS_JFR: bool = true;

    fn plain(ops: &ubcore_ops) -> PlainImport {
        ops.import_jfr
    }

    fn over_path(ops: &ubcore_ops) -> PathImport {
        ops.import_jfr_ex
    }
}

impl Imported for ImportedJetty {
    const IS_JFR: bool = false;

    fn plain(ops: &ubcore_ops) -> PlainImport {
        ops.import_jetty
    }

    fn over_path(ops: &ubcore_ops) -> PathImport {
        ops.import_jetty_ex
    }
}

/// A transport path, as drivers are told of it.
#[derive(Clone, Copy, Default)]
pub(crate) struct Active {
    /// Both handles and the packet numbers.
    pub(crate) tp: ActiveTp,
    /// Tag of the path.
    pub(crate) tag: u64,
}

impl Active {
    /// Reads what a client passes; `None` if the core is to choose.
    ///
    /// # Errors
    ///
    /// `EINVAL` for anything but zeros beside a handle of zeros.
    fn from_cfg(cfg: &ubcore_active_tp_cfg) -> Result<Option<Self>> {
        let handle = handle_word(&cfg.tp_handle);
        let peer_handle = handle_word(&cfg.peer_tp_handle);
        if handle.raw() == 0 {
            let (tx_psn, rx_psn) = (cfg.tp_attr.tx_psn, cfg.tp_attr.rx_psn);
            let zeros = peer_handle.raw() == 0 && cfg.tag == 0 && tx_psn == 0 && rx_psn == 0;
            return if zeros { Ok(None) } else { Err(EINVAL) };
        }
        Ok(Some(Self {
            tp: ActiveTp {
                handle,
                peer_handle,
                tx_psn: cfg.tp_attr.tx_psn,
                rx_psn: cfg.tp_attr.rx_psn,
            },
            tag: cfg.tag,
        }))
    }

    /// Makes what drivers get.
    pub(super) fn to_cfg(self) -> ubcore_active_tp_cfg {
        let mut cfg = ubcore_active_tp_cfg {
            tp_handle: handle_from(self.tp.handle),
            peer_tp_handle: handle_from(self.tp.peer_handle),
            tag: self.tag,
            ..Default::default()
        };
        cfg.tp_attr.tx_psn = self.tp.tx_psn;
        cfg.tp_attr.rx_psn = self.tp.rx_psn;
        cfg
    }
}

/// What the core keeps of an import; the `vtpn` field of the import leads here.
///
/// # Invariants
///
/// `c` is at offset 0.
#[repr(C)]
#[pin_data]
pub(crate) struct Vtpn {
    /// What clients see.
    c: Opaque<ubcore_vtpn>,
    /// The connection. Held while the connection changes, also across calls of the driver; taken
    /// by whoever has claimed the import or a jetty that is bound to it.
    #[pin]
    state: Mutex<TargetState>,
}

const _: () = assert!(offset_of!(Vtpn, c) == 0);

// SAFETY: Clients only read words from it.
unsafe impl Send for Vtpn {}
// SAFETY: As above.
unsafe impl Sync for Vtpn {}

impl Vtpn {
    /// Makes what is kept of an import on a device.
    pub(crate) fn new(dev: &Device, mode: u32, state: TargetState) -> Result<Pin<KBox<Self>>> {
        let c = ubcore_vtpn {
            ub_dev: dev.c().as_ptr(),
            trans_mode: mode,
            ..Default::default()
        };
        let this = KBox::pin_init(
            pin_init!(Self {
                c: Opaque::new(c),
                state <- new_mutex!(state, "ubcore_tjetty"),
            }),
            GFP_KERNEL,
        )?;
        let state = this.state.lock();
        this.show(state.connection());
        drop(state);
        Ok(this)
    }

    /// Returns the connection.
    pub(crate) fn state(&self) -> &Mutex<TargetState> {
        &self.state
    }

    /// Lets clients see a connection, or that there is none.
    pub(crate) fn show(&self, connection: Option<&Connection>) {
        let (number, active) = match connection {
            Some(connection) => (connection.number(), connection.active()),
            None => (u32::MAX, Active::default()),
        };
        let c = self.c.get();
        // SAFETY: Valid; written under the lock of the state only.
        unsafe {
            (*c).vtpn = number;
            (*c).tp_handle = active.tp.handle.raw();
            (*c).peer_tp_handle = active.tp.peer_handle.raw();
            (*c).tag = active.tag;
        }
    }
}

impl<K: Imported> Obj<K> {
    /// Returns the configuration of the import.
    pub(crate) fn cfg(&self) -> &ubcore_tjetty_cfg {
        // SAFETY: Valid; not changed after the import was made.
        unsafe { &(*self.as_ptr()).cfg }
    }

    /// Returns what the core keeps of the import.
    pub(crate) fn vtpn(&self) -> Result<&Vtpn> {
        // SAFETY: Null or what `attach_vtpn()` stored, which is the first field of a `Vtpn`; it is
        // taken away only by who claimed the import.
        unsafe { (*self.as_ptr()).vtpn.cast::<Vtpn>().as_ref() }.ok_or(EINVAL)
    }
}

impl<K: Imported> Owned<K> {
    /// Connects an import with what the core keeps of it.
    pub(crate) fn attach_vtpn(&self, vtpn: Pin<KBox<Vtpn>>) {
        // SAFETY: The object does not move; it is freed by whoever detaches it.
        let vtpn = KBox::into_raw(unsafe { Pin::into_inner_unchecked(vtpn) });
        // SAFETY: A valid object that is claimed, or that nobody else has yet.
        unsafe { (*self.as_ptr()).vtpn = vtpn.cast() };
    }

    /// Takes away what the core keeps of an import, which is claimed.
    pub(crate) fn detach_vtpn(&self) -> Option<Pin<KBox<Vtpn>>> {
        // SAFETY: Valid, and claimed.
        let vtpn = unsafe { core::mem::replace(&mut (*self.as_ptr()).vtpn, null_mut()) };
        // SAFETY: Null, or what `attach_vtpn()` stored.
        (!vtpn.is_null()).then(|| unsafe { Pin::new_unchecked(KBox::from_raw(vtpn.cast())) })
    }

    /// Stores what the core knows of a new import.
    pub(crate) fn init(&self, cfg: &ubcore_tjetty_cfg, vtpn: Pin<KBox<Vtpn>>) {
        // SAFETY: A new object that nobody else has yet.
        unsafe {
            (*self.as_ptr()).cfg = core::ptr::read(cfg);
            (*self.as_ptr()).tp = null_mut();
        }
        self.attach_vtpn(vtpn);
    }
}

impl Device {
    /// Tells whether the driver chooses transport paths for imports by itself.
    pub(crate) fn driver_imports<K: Imported>(&self) -> bool {
        K::plain(self.ops()).is_some()
    }

    /// Lets the driver import something; over a transport path unless `active` is `None`.
    pub(crate) fn driver_import<K: Imported>(
        &self,
        cfg: &mut ubcore_tjetty_cfg,
        active: Option<Active>,
        user: User<'_>,
    ) -> Result<Owned<K>> {
        let ops = self.ops();
        K::destroy_op(ops).ok_or(EINVAL)?;
        let dev = self.c().as_ptr();
        let target = match active {
            Some(active) => {
                let op = K::over_path(ops).ok_or(EINVAL)?;
                // SAFETY: An operation of the driver, with its device and configurations.
                unsafe { op(dev, cfg, &mut active.to_cfg(), user.udata()) }
            }
            None => {
                let op = K::plain(ops).ok_or(EINVAL)?;
                // SAFETY: As above.
                unsafe { op(dev, cfg, user.udata()) }
            }
        };
        // SAFETY: What the driver made.
        unsafe { Owned::from_driver(target, self, user) }
    }

    /// Tells whether the driver imports first and is told of the transport path later.
    pub(crate) fn driver_connects(&self) -> bool {
        self.ops().connect_tjetty.is_some()
    }

    /// Tells the driver of the transport path of an import.
    pub(crate) fn driver_connect(&self, target: &Obj<ImportedJetty>, active: Active) -> Result {
        let op = self.ops().connect_tjetty.ok_or(EINVAL)?;
        // SAFETY: An operation of the driver, with an object of its own.
        to_result(unsafe { op(target.as_ptr(), &mut active.to_cfg()) })
    }

    /// Tells whether the driver chooses transport paths for bindings by itself.
    pub(crate) fn driver_binds(&self) -> bool {
        self.ops().bind_jetty.is_some()
    }

    /// Lets the driver bind a jetty; over a transport path unless `active` is `None`.
    pub(crate) fn driver_bind(
        &self,
        jetty: &Obj<super::kinds::Jetty>,
        target: &Obj<ImportedJetty>,
        active: Option<Active>,
        user: User<'_>,
    ) -> Result {
        let ops = self.ops();
        ops.unbind_jetty.ok_or(EINVAL)?;
        let (jetty, target) = (jetty.as_ptr(), target.as_ptr());
        to_result(match active {
            Some(active) => {
                let op = ops.bind_jetty_ex.ok_or(EINVAL)?;
                // SAFETY: An operation of the driver, with objects of its own.
                unsafe { op(jetty, target, &mut active.to_cfg(), user.udata()) }
            }
            None => {
                let op = ops.bind_jetty.ok_or(EINVAL)?;
                // SAFETY: As above.
                unsafe { op(jetty, target, user.udata()) }
            }
        })
    }

    /// Lets the driver end a binding.
    pub(crate) fn driver_unbind(&self, jetty: &Obj<super::kinds::Jetty>) -> Result {
        let op = self.ops().unbind_jetty.ok_or(EINVAL)?;
        // SAFETY: An operation of the driver, with an object of its own.
        to_result(unsafe { op(jetty.as_ptr()) })
    }
}

/// Imports something.
///
/// # Safety
///
/// All pointers must be null or valid.
unsafe fn do_import<K: Imported>(
    dev: *mut ubcore_device,
    cfg: *mut ubcore_tjetty_cfg,
    active: *mut ubcore_active_tp_cfg,
    udata: *mut ubcore_udata,
) -> Result<*mut ubcore_tjetty> {
    // SAFETY: By the function's contract; the configuration is copied.
    let (dev, user, cfg) = unsafe { (device(dev)?, User::new(udata)?, super::copy(cfg)?) };
    // SAFETY: By the function's contract.
    let active = match unsafe { active.as_ref() } {
        Some(active) => Active::from_cfg(active)?,
        None => None,
    };
    import::import::<K>(dev, cfg, active, user).map(Owned::into_raw)
}

/// Binds a jetty.
///
/// # Safety
///
/// All pointers must be null or valid.
unsafe fn do_bind(
    jetty: *mut ubcore_jetty,
    tjetty: *mut ubcore_tjetty,
    active: *mut ubcore_active_tp_cfg,
    udata: *mut ubcore_udata,
) -> Result {
    // SAFETY: By the function's contract.
    let (jetty, target) = unsafe { (Obj::from_raw(jetty), Obj::from_raw(tjetty)) };
    // SAFETY: By the function's contract.
    let user = unsafe { User::new(udata) }?;
    // SAFETY: By the function's contract.
    let active = match unsafe { active.as_ref() } {
        Some(active) => Active::from_cfg(active)?,
        None => None,
    };
    bind::bind(jetty.ok_or(EINVAL)?, target.ok_or(EINVAL)?, active, user)
}

c_api! {
    /// Imports a receive queue.
    unsafe fn ubcore_import_jfr(
        dev: *mut ubcore_device,
        cfg: *mut ubcore_tjetty_cfg,
        udata: *mut ubcore_udata,
    ) -> *mut ubcore_tjetty {
        // SAFETY: As the header says.
        err_ptr(unsafe { do_import::<ImportedJfr>(dev, cfg, null_mut(), udata) })
    }

    /// Imports a receive queue over a transport path.
    unsafe fn ubcore_import_jfr_ex(
        dev: *mut ubcore_device,
        cfg: *mut ubcore_tjetty_cfg,
        active_tp_cfg: *mut ubcore_active_tp_cfg,
        udata: *mut ubcore_udata,
    ) -> *mut ubcore_tjetty {
        if active_tp_cfg.is_null() {
            return EINVAL.to_ptr();
        }
        // SAFETY: As the header says.
        err_ptr(unsafe { do_import::<ImportedJfr>(dev, cfg, active_tp_cfg, udata) })
    }

    /// Drops the import of a receive queue.
    unsafe fn ubcore_unimport_jfr(tjfr: *mut ubcore_tjetty) -> c_int {
        // SAFETY: Null or valid, and the caller's.
        errno(unsafe { Owned::<ImportedJfr>::from_raw(tjfr) }.and_then(import::unimport))
    }

    /// Imports a jetty.
    unsafe fn ubcore_import_jetty(
        dev: *mut ubcore_device,
        cfg: *mut ubcore_tjetty_cfg,
        udata: *mut ubcore_udata,
    ) -> *mut ubcore_tjetty {
        // SAFETY: As the header says.
        err_ptr(unsafe { do_import::<ImportedJetty>(dev, cfg, null_mut(), udata) })
    }

    /// Imports a jetty over a transport path.
    unsafe fn ubcore_import_jetty_ex(
        dev: *mut ubcore_device,
        cfg: *mut ubcore_tjetty_cfg,
        active_tp_cfg: *mut ubcore_active_tp_cfg,
        udata: *mut ubcore_udata,
    ) -> *mut ubcore_tjetty {
        if active_tp_cfg.is_null() {
            return EINVAL.to_ptr();
        }
        // SAFETY: As the header says.
        err_ptr(unsafe { do_import::<ImportedJetty>(dev, cfg, active_tp_cfg, udata) })
    }

    /// Drops the import of a jetty.
    unsafe fn ubcore_unimport_jetty(tjetty: *mut ubcore_tjetty) -> c_int {
        // SAFETY: Null or valid, and the caller's.
        errno(unsafe { Owned::<ImportedJetty>::from_raw(tjetty) }.and_then(import::unimport))
    }

    /// Binds a jetty.
    unsafe fn ubcore_bind_jetty(
        jetty: *mut ubcore_jetty,
        tjetty: *mut ubcore_tjetty,
        udata: *mut ubcore_udata,
    ) -> c_int {
        // SAFETY: As the header says.
        errno(unsafe { do_bind(jetty, tjetty, null_mut(), udata) })
    }

    /// Binds a jetty over a transport path.
    unsafe fn ubcore_bind_jetty_ex(
        jetty: *mut ubcore_jetty,
        tjetty: *mut ubcore_tjetty,
        active_tp_cfg: *mut ubcore_active_tp_cfg,
        udata: *mut ubcore_udata,
    ) -> c_int {
        if active_tp_cfg.is_null() {
            return EINVAL.to_errno();
        }
        // SAFETY: As the header says.
        errno(unsafe { do_bind(jetty, tjetty, active_tp_cfg, udata) })
    }

    /// Ends a binding.
    unsafe fn ubcore_unbind_jetty(jetty: *mut ubcore_jetty) -> c_int {
        // SAFETY: Null or valid.
        errno(unsafe { Obj::from_raw(jetty) }.ok_or(EINVAL).and_then(bind::unbind))
    }
}
