// SPDX-License-Identifier: GPL-2.0

//! What `/sys/class/ubcore/<device>/` shows.
//!
//! User space reads these files to find devices and their capabilities; texts are ABI. All of them
//! show the present state.

use crate::{
    bindings_ub::{
        ubcore_device_attr,
        ubcore_port_status,
        UBCORE_MAX_PORT_CNT,
        UBCORE_MAX_PRIORITY_CNT, //
    },
    c_api::{
        driver_group,
        DevicePtr, //
    },
    device::Device,
    kernel_ext::{
        arc::Arc,
        attr::{
            AttrOps,
            SysfsBuf, //
        },
        attr_group::{
            DynGroup,
            Groups, //
        },
        class::Class,
        embedded_device::EmbeddedDevice,
        kobj_dir::DirTree,
        netns::NetId,
        publish::PublishOptions, //
    },
    logic::eid::Eid,
    registry::set_reserved_ids,
    ub::common::FlagWord, //
};
use core::{
    fmt::Write,
    ops::Deref, //
};
use kernel::{
    prelude::*,
    sync::aref::ARef, //
};

/// What the class device of a [`Device`] leads to.
pub(crate) struct Shown(ARef<Device>);

impl Deref for Shown {
    type Target = Device;

    fn deref(&self) -> &Device {
        &self.0
    }
}

impl Shown {
    /// Returns the attributes of the device.
    fn attr(&self) -> ubcore_device_attr {
        self.0.c().attr()
    }

    /// Asks the driver for the attributes of the device.
    fn ask(&self) -> Result<ubcore_device_attr> {
        self.0.c().query_attr().unwrap_or_else(|| Ok(self.attr()))
    }
}

/// Declares read-only attributes that show one value of `ubcore_device_attr`.
macro_rules! values {
    ($($name:ident = $file:literal, $format:literal, |$attr:ident| $value:expr;)*) => {$(
        device_attr!(static $name: Shown = $file, 0o444 {
            show(dev, out) {
                let $attr = dev.attr();
                writeln!(out, $format, $value)?;
                Ok(())
            }
        });
    )*};
}

values! {
    FEATURE = "feature", "0x{:x}", |a| a.dev_cap.feature.word();
    MAX_JFC = "max_jfc", "{}", |a| a.dev_cap.max_jfc;
    MAX_JFS = "max_jfs", "{}", |a| a.dev_cap.max_jfs;
    MAX_JFR = "max_jfr", "{}", |a| a.dev_cap.max_jfr;
    MAX_JETTY = "max_jetty", "{}", |a| a.dev_cap.max_jetty;
    MAX_JETTY_GRP = "max_jetty_grp", "{}", |a| a.dev_cap.max_jetty_grp;
    MAX_IN_GRP = "max_jetty_in_jetty_grp", "{}", |a| a.dev_cap.max_jetty_in_jetty_grp;
    MAX_JFC_DEPTH = "max_jfc_depth", "{}", |a| a.dev_cap.max_jfc_depth;
    MAX_JFS_DEPTH = "max_jfs_depth", "{}", |a| a.dev_cap.max_jfs_depth;
    MAX_JFR_DEPTH = "max_jfr_depth", "{}", |a| a.dev_cap.max_jfr_depth;
    MAX_INLINE = "max_jfs_inline_size", "{}", |a| a.dev_cap.max_jfs_inline_size;
    MAX_JFS_SGE = "max_jfs_sge", "{}", |a| a.dev_cap.max_jfs_sge;
    MAX_JFS_RSGE = "max_jfs_rsge", "{}", |a| a.dev_cap.max_jfs_rsge;
    MAX_JFR_SGE = "max_jfr_sge", "{}", |a| a.dev_cap.max_jfr_sge;
    MAX_MSG_SIZE = "max_msg_size", "{}", |a| a.dev_cap.max_msg_size;
    MAX_READ_SIZE = "max_read_size", "{}", |a| a.dev_cap.max_read_size;
    MAX_WRITE_SIZE = "max_write_size", "{}", |a| a.dev_cap.max_write_size;
    MAX_CAS_SIZE = "max_cas_size", "{}", |a| a.dev_cap.max_cas_size;
    MAX_SWAP_SIZE = "max_swap_size", "{}", |a| a.dev_cap.max_swap_size;
    MAX_ADD_SIZE = "max_fetch_and_add_size", "{}", |a| a.dev_cap.max_fetch_and_add_size;
    MAX_SUB_SIZE = "max_fetch_and_sub_size", "{}", |a| a.dev_cap.max_fetch_and_sub_size;
    MAX_AND_SIZE = "max_fetch_and_and_size", "{}", |a| a.dev_cap.max_fetch_and_and_size;
    MAX_OR_SIZE = "max_fetch_and_or_size", "{}", |a| a.dev_cap.max_fetch_and_or_size;
    MAX_XOR_SIZE = "max_fetch_and_xor_size", "{}", |a| a.dev_cap.max_fetch_and_xor_size;
    ATOMIC_FEAT = "atomic_feat", "{}", |a| a.dev_cap.atomic_feat.word();
    TRANS_MODE = "trans_mode", "{}", |a| a.dev_cap.trans_mode;
    CEQ_CNT = "ceq_cnt", "{}", |a| a.dev_cap.ceq_cnt;
    MAX_TP_IN_TPG = "max_tp_in_tpg", "{}", |a| a.dev_cap.max_tp_in_tpg;
    PORT_COUNT = "port_count", "{}", |a| a.port_cnt;
    MAX_EID_CNT = "max_eid_cnt", "{}", |a| a.dev_cap.max_eid_cnt;
    PAGE_SIZE_CAP = "page_size_cap", "0x{:x}", |a| a.dev_cap.page_size_cap;
    MAX_OOR_CNT = "max_oor_cnt", "{}", |a| a.dev_cap.max_oor_cnt;
    MN = "mn", "{}", |a| a.dev_cap.mn;
    MAX_NETADDR_CNT = "max_netaddr_cnt", "{}", |a| a.dev_cap.max_netaddr_cnt;
    MAX_UPI_CNT = "max_upi_cnt", "{}", |a| a.dev_cap.max_upi_cnt;
    MAX_RC_OUTSTD_CNT = "max_rc_outstd_cnt", "{}", |a| a.dev_cap.max_rc_outstd_cnt;
    UTP_CNT = "utp_cnt", "{}", |a| a.dev_cap.max_utp_cnt;
    UE_CNT = "ue_cnt", "{}", |a| a.dev_cap.max_ue_cnt;
    VIRTUALIZATION = "virtualization", "{}", |a| a.virtualization;
    TP_MAINTAINER = "tp_maintainer", "{}", |a| a.tp_maintainer;
    GUID = "guid", "{}", |a| Eid::from_bytes(a.guid.raw).text().as_str();
}

device_attr!(static UBDEV: Shown = "ubdev", 0o444 {
    show(dev, out) { text(out, dev.name().to_bytes()) }
});
device_attr!(static DRIVER_NAME: Shown = "driver_name", 0o444 {
    show(dev, out) { text(out, dev.c().driver_name()) }
});
device_attr!(static TRANSPORT_TYPE: Shown = "transport_type", 0o444 {
    show(dev, out) {
        writeln!(out, "{}", dev.c().transport_type())?;
        Ok(())
    }
});
// Nothing at all when there is no network interface; none of our drivers has one.
device_attr!(static NET_DEV: Shown = "net_dev", 0o444 {
    show(_, _out) { Ok(()) }
});
device_attr!(static DYNAMIC_EID: Shown = "dynamic_eid", 0o444 {
    show(dev, out) {
        writeln!(out, "{}", i32::from(dev.c().is_dynamic_eid()))?;
        Ok(())
    }
});
device_attr!(static CONGESTION_CTRL_ALG: Shown = "congestion_ctrl_alg", 0o644 {
    show(dev, out) {
        writeln!(out, "{}", dev.attr().dev_cap.congestion_ctrl_alg)?;
        Ok(())
    }
    store(dev, text) {
        let algorithms = number(text)?.try_into().map_err(|_| EINVAL)?;
        dev.c().set_congestion_ctrl_alg(algorithms);
        Ok(())
    }
});
device_attr!(static RESERVED_JETTY_ID: Shown = "reserved_jetty_id", 0o644 {
    show(dev, out) {
        let attr = dev.ask()?;
        writeln!(out, "{}-{}", attr.reserved_jetty_id_min, attr.reserved_jetty_id_max)?;
        Ok(())
    }
    store(dev, text) {
        let (min, max) = text.split_once('-').ok_or(EINVAL)?;
        let (min, max) = (number(min)?, number(max)?);
        if min > max {
            return Err(EINVAL);
        }
        set_reserved_ids(dev.c(), min, max).map_err(|_| EINVAL)?;
        dev.c().set_reserved_ids(min, max);
        Ok(())
    }
});

attr_group!(static DEVICE: Shown = [
    UBDEV, DRIVER_NAME, TRANSPORT_TYPE, GUID, NET_DEV, FEATURE, MAX_JFC, MAX_JFS, MAX_JFR,
    MAX_JETTY, MAX_JETTY_GRP, MAX_IN_GRP, MAX_JFC_DEPTH, MAX_JFS_DEPTH, MAX_JFR_DEPTH, MAX_INLINE,
    MAX_JFS_SGE, MAX_JFS_RSGE, MAX_JFR_SGE, MAX_MSG_SIZE, MAX_READ_SIZE, MAX_WRITE_SIZE,
    MAX_CAS_SIZE, MAX_SWAP_SIZE, MAX_ADD_SIZE, MAX_SUB_SIZE, MAX_AND_SIZE, MAX_OR_SIZE,
    MAX_XOR_SIZE, ATOMIC_FEAT, TRANS_MODE, CONGESTION_CTRL_ALG, CEQ_CNT, MAX_TP_IN_TPG, PORT_COUNT,
    MAX_EID_CNT, PAGE_SIZE_CAP, MAX_OOR_CNT, MN, MAX_NETADDR_CNT, RESERVED_JETTY_ID, MAX_UPI_CNT,
    MAX_RC_OUTSTD_CNT, UTP_CNT, UE_CNT, DYNAMIC_EID, VIRTUALIZATION, TP_MAINTAINER,
]);

/// Writes a line of text.
fn text(out: &mut SysfsBuf<'_>, line: &[u8]) -> Result {
    writeln!(out, "{}", core::str::from_utf8(line).map_err(|_| EINVAL)?)?;
    Ok(())
}

/// Reads a number: decimal, `0x` hexadecimal, or `0` octal; no sign, no blanks.
fn number(text: &str) -> Result<u32> {
    let (digits, radix) = match (text.strip_prefix("0x"), text.strip_prefix('0')) {
        (Some(digits), _) => (digits, 16),
        (None, Some(digits)) if !digits.is_empty() => (digits, 8),
        _ => (text, 10),
    };
    // `from_str_radix` would take a sign.
    if !digits.starts_with(|c: char| c.is_digit(radix)) {
        return Err(EINVAL);
    }
    u32::from_str_radix(digits, radix).map_err(|_| EINVAL)
}

/// `eids/eid<index>`
struct EidFile;

impl AttrOps<Shown> for EidFile {
    fn show(dev: &Shown, index: u32, out: &mut SysfsBuf<'_>) -> Result {
        let eid = dev.eids().get_in(index, NetId::init()).unwrap_or(Eid::ZERO);
        writeln!(out, "{}", eid.text().as_str())?;
        Ok(())
    }
}

/// `port<index>/max_mtu`
struct MaxMtu;

impl AttrOps<Shown> for MaxMtu {
    fn show(dev: &Shown, index: u32, out: &mut SysfsBuf<'_>) -> Result {
        let attr = dev.attr();
        let port = attr.port_attr.get(index as usize).ok_or(EINVAL)?;
        writeln!(out, "{}", port.max_mtu)?;
        Ok(())
    }
}

/// Declares files of a port that ask the driver.
macro_rules! port_files {
    ($($(#[$doc:meta])* $name:ident: $field:ident;)*) => {$(
        $(#[$doc])*
        struct $name;

        impl AttrOps<Shown> for $name {
            fn show(dev: &Shown, index: u32, out: &mut SysfsBuf<'_>) -> Result {
                writeln!(out, "{}", port_status(dev, index)?.$field)?;
                Ok(())
            }
        }
    )*};
}

port_files! {
    /// `port<index>/state`
    PortState: state;
    /// `port<index>/active_width`
    ActiveWidth: active_width;
    /// `port<index>/active_speed`
    ActiveSpeed: active_speed;
    /// `port<index>/active_mtu`
    ActiveMtu: active_mtu;
}

/// Asks the driver for the status of a port; `EPERM` if it does not say.
fn port_status(dev: &Shown, index: u32) -> Result<ubcore_port_status> {
    let status = dev.c().query_status().map_err(|_| EPERM)?;
    status
        .port_status
        .into_iter()
        .nth(index as usize)
        .ok_or(EINVAL)
}

/// `priority/priority<index>/sl`
struct ServiceLevel;

impl AttrOps<Shown> for ServiceLevel {
    fn show(dev: &Shown, index: u32, out: &mut SysfsBuf<'_>) -> Result {
        let attr = dev.ask()?;
        let priority = attr
            .dev_cap
            .priority_info
            .get(index as usize)
            .ok_or(EINVAL)?;
        writeln!(out, "{}", priority.SL)?;
        Ok(())
    }
}

/// `priority/priority<index>/tp_type`
struct TpTypes;

impl AttrOps<Shown> for TpTypes {
    fn show(dev: &Shown, index: u32, out: &mut SysfsBuf<'_>) -> Result {
        let attr = dev.ask()?;
        let priority = attr
            .dev_cap
            .priority_info
            .get(index as usize)
            .ok_or(EINVAL)?;
        writeln!(out, "{}", priority.tp_type.word())?;
        Ok(())
    }
}

/// Makes the directory `eids`.
fn eid_files(count: usize) -> Result<DynGroup<Shown>> {
    let mut group = DynGroup::new(Some(fmt!("eids")), count)?;
    for index in (0u32..).take(count) {
        group.add::<EidFile>(fmt!("eid{index}"), index, 0o444)?;
    }
    Ok(group)
}

/// Makes the directory of a port.
fn port_files(port: u32) -> Result<DynGroup<Shown>> {
    let mut group = DynGroup::new(Some(fmt!("port{port}")), 5)?;
    group.add::<MaxMtu>(fmt!("max_mtu"), port, 0o444)?;
    group.add::<PortState>(fmt!("state"), port, 0o444)?;
    group.add::<ActiveWidth>(fmt!("active_width"), port, 0o444)?;
    group.add::<ActiveSpeed>(fmt!("active_speed"), port, 0o444)?;
    group.add::<ActiveMtu>(fmt!("active_mtu"), port, 0o444)?;
    Ok(group)
}

/// Makes the directories of the priorities.
fn priority_dirs() -> Result<DirTree<Shown>> {
    let mut dirs = DirTree::new();
    let all = dirs.dir(None, fmt!("priority"), None)?;
    for priority in 0..UBCORE_MAX_PRIORITY_CNT {
        let mut group = DynGroup::new(None, 2)?;
        group.add::<ServiceLevel>(fmt!("sl"), priority, 0o444)?;
        group.add::<TpTypes>(fmt!("tp_type"), priority, 0o444)?;
        dirs.dir(Some(all), fmt!("priority{priority}"), Some(group))?;
    }
    Ok(dirs)
}

/// Makes a device appear in sysfs.
///
/// # Errors
///
/// `EINVAL` for too many ports, `EEXIST` for a name in use, `ENOMEM`.
pub(crate) fn publish(dev: &Device, class: &Arc<Class>) -> Result {
    let c: DevicePtr = dev.c();
    let ports = u32::from(c.attr().port_cnt);
    if ports > UBCORE_MAX_PORT_CNT {
        return Err(EINVAL);
    }
    let mut groups = Groups::new();
    groups.push_static(&DEVICE)?;
    groups.push(eid_files(dev.eid_capacity())?)?;
    for port in 0..ports {
        groups.push(port_files(port)?)?;
    }
    driver_group(c, &mut groups)?;
    let (mut entry, parent) = c.class_device(class, Ok(Shown(dev.into())))?;
    let mut options = PublishOptions::new(class, dev.name())
        .groups(groups)
        .dirs(priority_dirs()?);
    if let Some(parent) = &parent {
        options = options.parent(parent);
    }
    entry.publish(options)?;
    *dev.sysfs().lock() = Some(entry);
    Ok(())
}

/// Makes a device disappear from sysfs; no attribute function runs any more.
///
/// Dropping the result waits until the driver core has let go of the device.
pub(crate) fn unpublish(dev: &Device) -> Option<EmbeddedDevice<Shown>> {
    let entry = dev.sysfs().lock().take();
    entry.map(|mut entry| {
        entry.unpublish();
        entry
    })
}
