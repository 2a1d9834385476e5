// SPDX-License-Identifier: GPL-2.0

//! Transport paths of drivers.

use super::{
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
        ubcore_device,
        ubcore_get_tp_cfg,
        ubcore_tp_info,
        ubcore_udata, //
    },
    device::Device,
    logic::{
        eid::Eid,
        tp::{
            TpCfg,
            TpHandle, //
        }, //
    },
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
            let op = dev.ops().get_tp_list.ok_or(EINVAL)?;
            dev.check_creating()?;
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
            if !own {
                return Err(EINVAL);
            }
            let room = *count;
            // SAFETY: An operation of the driver, with room for that many paths.
            let ret = unsafe { op(dev.c().as_ptr(), cfg, count, tp_list, user.udata()) };
            let in_room = ret == 0 && *count <= room;
            if !in_room {
                *count = 0;
            }
            to_result(ret)?;
            if in_room { Ok(()) } else { Err(EIO) }
        })())
    }
}
