// SPDX-License-Identifier: GPL-2.0

//! Transport paths of drivers.

use super::{
    core_state,
    device_ptr::device,
    errno,
    import::Active,
    user::User,
    words::{
        handle_from,
        handle_word, //
    }, //
};
use crate::{
    bindings_ub::{
        ubcore_active_tp_cfg,
        ubcore_device,
        ubcore_get_tp_cfg,
        ubcore_tjetty_cfg,
        ubcore_tp_attr_value,
        ubcore_tp_info,
        ubcore_udata, //
    },
    device::Device,
    flags::shares_tp,
    logic::{
        eid::Eid,
        tp::{
            TpCfg,
            TpHandle, //
        },
        tp_attr::{
            check_bitmap,
            TpAttr,
            LEN as ATTR_LEN, //
        },
        tp_reuse::ActiveTp,
        types::TransMode, //
    },
    tp::Sharing,
    ub::common::{
        eid_bytes,
        eid_from_bytes,
        FlagWord, //
    },
};
use core::ptr::null_mut;
use kernel::{
    error::to_result,
    prelude::*, //
};

const _: () = assert!(size_of::<ubcore_tp_attr_value>() == ATTR_LEN);

impl Device {
    /// Asks the driver for at most `room` paths; `EIO` if it returns more.
    pub(crate) fn driver_tp_list(
        &self,
        cfg: &TpCfg,
        (stag, dtag): (u64, u64),
        room: u32,
    ) -> Result<KVVec<TpHandle>> {
        let op = self.ops().get_tp_list.ok_or(EINVAL)?;
        let mut c_cfg = ubcore_get_tp_cfg {
            flag: FlagWord::from_word(cfg.flags()),
            trans_mode: cfg.mode.raw(),
            local_eid: eid_from_bytes(cfg.local.into_bytes()),
            peer_eid: eid_from_bytes(cfg.peer.into_bytes()),
            ..Default::default()
        };
        c_cfg.stp_cfg.stag = stag;
        c_cfg.stp_cfg.dtag = dtag;
        // CAST: From 32 to 64 bits.
        let mut infos = KVVec::<ubcore_tp_info>::with_capacity(room as usize, GFP_KERNEL)?;
        for _ in 0..room {
            infos.push(ubcore_tp_info::default(), GFP_KERNEL)?;
        }
        let mut count = room;
        // SAFETY: An operation of the driver, with its device, and room for `room` paths.
        to_result(unsafe {
            op(
                self.c().as_ptr(),
                &mut c_cfg,
                &mut count,
                infos.as_mut_ptr(),
                null_mut(),
            )
        })?;
        if count > room {
            return Err(EIO);
        }
        let mut handles = KVVec::with_capacity(count as usize, GFP_KERNEL)?;
        for info in infos.iter().take(count as usize) {
            handles.push(handle_word(&info.tp_handle), GFP_KERNEL)?;
        }
        Ok(handles)
    }

    /// Lets the driver bring a path into service.
    pub(crate) fn driver_active_tp(&self, active: Active) -> Result {
        let op = self.ops().active_tp.ok_or(EINVAL)?;
        // SAFETY: An operation of the driver, with its device and a configuration.
        to_result(unsafe { op(self.c().as_ptr(), &mut active.to_cfg()) })
    }

    /// Lets the driver take a path out of service.
    pub(crate) fn driver_deactive_tp(&self, handle: TpHandle) -> Result {
        let op = self.ops().deactive_tp.ok_or(EINVAL)?;
        // SAFETY: An operation of the driver, with its device and no user.
        to_result(unsafe { op(self.c().as_ptr(), handle_from(handle), null_mut()) })
    }
}

/// Checks which paths a caller wants, from an EID of its own.
///
/// # Errors
///
/// `EINVAL` for a bad configuration, and for an EID that is not the user's, or the device's.
fn check_cfg(dev: &Device, cfg: &ubcore_get_tp_cfg, user: User<'_>) -> Result<TpCfg> {
    let checked = TpCfg::check(
        cfg.flag.word(),
        cfg.trans_mode,
        Eid::from_bytes(eid_bytes(&cfg.local_eid)),
        Eid::from_bytes(eid_bytes(&cfg.peer_eid)),
    )?;
    let own = match user.uctx() {
        Some(uctx) => dev.eids().get(uctx.eid_index()) == Some(checked.local),
        None => dev.eids().has(&checked.local),
    };
    if own {
        Ok(checked)
    } else {
        Err(EINVAL)
    }
}

/// Fills in what a driver leaves out of a handle: the kind of path and the mode.
///
/// # Errors
///
/// `EIO` for a handle of zeros.
fn complete(info: &mut ubcore_tp_info, cfg: &TpCfg) -> Result<TpHandle> {
    let mut handle = handle_word(&info.tp_handle);
    if handle.raw() == 0 {
        return Err(EIO);
    }
    if handle.tp_type().is_err() {
        handle = handle.describe(cfg.mode, cfg.tp_type, cfg.uboe);
        info.tp_handle = handle_from(handle);
    }
    Ok(handle)
}

/// Lets the driver list paths for a client, and notes for whom.
///
/// # Errors
///
/// The driver's; `EIO` if it lists more than there is room for, `ENOSPC`, `ENOMEM`.
///
/// # Safety
///
/// `list` must have room for as many paths as `count` says.
unsafe fn list_paths(
    dev: &Device,
    (cfg, checked): (&mut ubcore_get_tp_cfg, &TpCfg),
    count: &mut u32,
    list: *mut ubcore_tp_info,
    user: User<'_>,
) -> Result {
    let op = dev.ops().get_tp_list.ok_or(EINVAL)?;
    let links = core_state()?.links();
    links.check_room(dev, user.holder())?;
    let room = *count;
    // SAFETY: An operation of the driver, with room for that many paths by the contract.
    to_result(unsafe { op(dev.c().as_ptr(), cfg, count, list, user.udata()) })?;
    if *count > room {
        return Err(EIO);
    }
    // CAST: From 32 to 64 bits.
    // SAFETY: The driver has filled so many, and there is room for them.
    let infos = unsafe { core::slice::from_raw_parts_mut(list, *count as usize) };
    for info in &mut *infos {
        complete(info, checked)?;
    }
    let handles = infos.iter().map(|info| handle_word(&info.tp_handle));
    links.offer(dev, user.holder(), checked, handles)
}

/// Returns what others share a path with that is exchanged: the tags of an import, or for a
/// connection the handle, which makes it unique.
fn sharing_of(cfg: &TpCfg, tjetty: Option<&ubcore_tjetty_cfg>, handle: TpHandle) -> Sharing {
    match tjetty {
        Some(import) => {
            let (stag, dtag) = (import.stp_cfg.stag, import.stp_cfg.dtag);
            Sharing::new(cfg, shares_tp(&import.flag), stag, dtag)
        }
        None if cfg.mode == TransMode::Rc => Sharing::new(cfg, false, handle.raw(), 0),
        None => Sharing::new(cfg, false, 0, 0),
    }
}

c_api! {
    /// Lists transport paths to a peer.
    unsafe fn ubcore_get_tp_list(
        dev: *mut ubcore_device,
        cfg: *mut ubcore_get_tp_cfg,
        tp_cnt: *mut u32,
        tp_list: *mut ubcore_tp_info,
        udata: *mut ubcore_udata,
    ) -> c_int {
        errno((|| {
            // SAFETY: Null or valid.
            let (dev, user) = unsafe { (device(dev)?, User::new(udata)?) };
            // SAFETY: Null or valid, and the caller's alone.
            let (cfg, count) = unsafe { (cfg.as_mut(), tp_cnt.as_mut()) };
            let (cfg, count) = (cfg.ok_or(EINVAL)?, count.ok_or(EINVAL)?);
            if tp_list.is_null() || *count == 0 {
                return Err(EINVAL);
            }
            dev.check_creating()?;
            let checked = check_cfg(dev, cfg, user)?;
            // SAFETY: As the header says.
            unsafe { list_paths(dev, (cfg, &checked), count, tp_list, user) }
                .inspect_err(|_| *count = 0)
        })())
    }

    /// Changes properties of a transport path.
    unsafe fn ubcore_set_tp_attr(
        dev: *mut ubcore_device,
        tp_handle: u64,
        tp_attr_cnt: u8,
        tp_attr_bitmap: u32,
        tp_attr: *mut ubcore_tp_attr_value,
        udata: *mut ubcore_udata,
    ) -> c_int {
        errno((|| {
            // SAFETY: Null or valid.
            let (dev, user) = unsafe { (device(dev)?, User::new(udata)?) };
            // SAFETY: Null or valid; the copy is what is checked and used.
            let mut value = unsafe { super::copy(tp_attr) }?;
            check_bitmap(tp_attr_cnt, tp_attr_bitmap)?;
            // SAFETY: A packed structure of that size, for which every value is valid.
            let bytes = unsafe { (&raw const value).cast::<[u8; ATTR_LEN]>().read() };
            TpAttr::from_bytes(bytes).check(tp_attr_bitmap)?;
            let op = dev.ops().set_tp_attr.ok_or(EINVAL)?;
            dev.check_creating()?;
            let handle = TpHandle::from_raw(tp_handle);
            core_state()?
                .links()
                .check_offer(dev, user.holder(), handle, None)?;
            // SAFETY: An operation of the driver, with its device and a value.
            to_result(unsafe {
                op(
                    dev.c().as_ptr(),
                    tp_handle,
                    tp_attr_cnt,
                    tp_attr_bitmap,
                    &mut value,
                    user.udata(),
                )
            })
        })())
    }

    /// Returns the properties of a transport path.
    unsafe fn ubcore_get_tp_attr(
        dev: *mut ubcore_device,
        tp_handle: u64,
        tp_attr_cnt: *mut u8,
        tp_attr_bitmap: *mut u32,
        tp_attr: *mut ubcore_tp_attr_value,
        udata: *mut ubcore_udata,
    ) -> c_int {
        errno((|| {
            // SAFETY: Null or valid.
            let (dev, user) = unsafe { (device(dev)?, User::new(udata)?) };
            if tp_attr_cnt.is_null() || tp_attr_bitmap.is_null() || tp_attr.is_null() {
                return Err(EINVAL);
            }
            let op = dev.ops().get_tp_attr.ok_or(EINVAL)?;
            dev.check_creating()?;
            let handle = TpHandle::from_raw(tp_handle);
            core_state()?
                .links()
                .check_offer(dev, user.holder(), handle, None)?;
            let (mut count, mut bitmap) = (0, 0);
            let mut value = ubcore_tp_attr_value::default();
            // SAFETY: An operation of the driver, with its device and room for the reply.
            to_result(unsafe {
                op(
                    dev.c().as_ptr(),
                    tp_handle,
                    &mut count,
                    &mut bitmap,
                    &mut value,
                    user.udata(),
                )
            })?;
            check_bitmap(count, bitmap).map_err(|_| EIO)?;
            // SAFETY: All are valid for writing.
            unsafe {
                tp_attr_cnt.write(count);
                tp_attr_bitmap.write(bitmap);
                tp_attr.write(value);
            }
            Ok(())
        })())
    }

    /// Tells the peer about a transport path, and learns about the peer's.
    unsafe fn ubcore_exchange_tp_info(
        dev: *mut ubcore_device,
        cfg: *mut ubcore_get_tp_cfg,
        active_tp_cfg: *mut ubcore_active_tp_cfg,
        tjetty_cfg: *mut ubcore_tjetty_cfg,
        udata: *mut ubcore_udata,
    ) -> c_int {
        errno((|| {
            // SAFETY: Null or valid.
            let (dev, user) = unsafe { (device(dev)?, User::new(udata)?) };
            // SAFETY: Null or valid.
            let (cfg, import) = unsafe { (cfg.as_ref().ok_or(EINVAL)?, tjetty_cfg.as_ref()) };
            // SAFETY: Null or valid, and the caller's alone.
            let active = unsafe { active_tp_cfg.as_mut() }.ok_or(EINVAL)?;
            dev.check_creating()?;
            let cfg = check_cfg(dev, cfg, user)?;
            let own = ActiveTp {
                handle: handle_word(&active.tp_handle),
                tx_psn: active.tp_attr.tx_psn,
                ..Default::default()
            };
            let sharing = sharing_of(&cfg, import, own.handle);
            let core = core_state()?;
            let both = core
                .links()
                .exchange(core, dev, (&cfg, sharing), own, user.holder())?;
            active.peer_tp_handle = handle_from(both.peer_handle);
            active.tp_attr.tx_psn = both.tx_psn;
            active.tp_attr.rx_psn = both.rx_psn;
            Ok(())
        })())
    }
}
