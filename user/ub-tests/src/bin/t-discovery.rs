// SPDX-License-Identifier: GPL-2.0

//! Device files and sysfs: what a client needs to find a device.

use std::fs;
use std::os::fd::AsRawFd;
use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt};
use std::process::ExitCode;

use ub_client::abi::*;
use ub_client::sys::{self, Exit, Fork};
use ub_client::{Context, DevAttr, Device, Eid};
use ub_tests::{check, check_eq, check_errno, tests, Failure, Outcome};

/// Attribute files with a number, and the output of QUERY_DEV_ATTR that says the same.
const NUMBERS: &[(&str, u32)] = &[
    ("feature", UBURMA_QUERY_DEVICE_OUT_DEV_CAP_FEATURE),
    ("max_jfc", UBURMA_QUERY_DEVICE_OUT_DEV_CAP_MAX_JFC),
    ("max_jfs", UBURMA_QUERY_DEVICE_OUT_DEV_CAP_MAX_JFS),
    ("max_jfr", UBURMA_QUERY_DEVICE_OUT_DEV_CAP_MAX_JFR),
    ("max_jetty", UBURMA_QUERY_DEVICE_OUT_DEV_CAP_MAX_JETTY),
    (
        "max_jetty_grp",
        UBURMA_QUERY_DEVICE_OUT_DEV_CAP_MAX_JETTY_GRP,
    ),
    (
        "max_jetty_in_jetty_grp",
        UBURMA_QUERY_DEVICE_OUT_DEV_CAP_MAX_JETTY_IN_JETTY_GRP,
    ),
    (
        "max_jfc_depth",
        UBURMA_QUERY_DEVICE_OUT_DEV_CAP_MAX_JFC_DEPTH,
    ),
    (
        "max_jfs_depth",
        UBURMA_QUERY_DEVICE_OUT_DEV_CAP_MAX_JFS_DEPTH,
    ),
    (
        "max_jfr_depth",
        UBURMA_QUERY_DEVICE_OUT_DEV_CAP_MAX_JFR_DEPTH,
    ),
    (
        "max_jfs_inline_size",
        UBURMA_QUERY_DEVICE_OUT_DEV_CAP_MAX_JFS_INLINE_LEN,
    ),
    ("max_jfs_sge", UBURMA_QUERY_DEVICE_OUT_DEV_CAP_MAX_JFS_SGE),
    ("max_jfs_rsge", UBURMA_QUERY_DEVICE_OUT_DEV_CAP_MAX_JFS_RSGE),
    ("max_jfr_sge", UBURMA_QUERY_DEVICE_OUT_DEV_CAP_MAX_JFR_SGE),
    ("max_msg_size", UBURMA_QUERY_DEVICE_OUT_DEV_CAP_MAX_MSG_SIZE),
    (
        "max_read_size",
        UBURMA_QUERY_DEVICE_OUT_DEV_CAP_MAX_READ_SIZE,
    ),
    (
        "max_write_size",
        UBURMA_QUERY_DEVICE_OUT_DEV_CAP_MAX_WRITE_SIZE,
    ),
    ("max_cas_size", UBURMA_QUERY_DEVICE_OUT_DEV_CAP_MAX_CAS_SIZE),
    (
        "max_swap_size",
        UBURMA_QUERY_DEVICE_OUT_DEV_CAP_MAX_SWAP_SIZE,
    ),
    (
        "max_fetch_and_add_size",
        UBURMA_QUERY_DEVICE_OUT_DEV_CAP_MAX_FETCH_AND_ADD_SIZE,
    ),
    (
        "max_fetch_and_sub_size",
        UBURMA_QUERY_DEVICE_OUT_DEV_CAP_MAX_FETCH_AND_SUB_SIZE,
    ),
    (
        "max_fetch_and_and_size",
        UBURMA_QUERY_DEVICE_OUT_DEV_CAP_MAX_FETCH_AND_AND_SIZE,
    ),
    (
        "max_fetch_and_or_size",
        UBURMA_QUERY_DEVICE_OUT_DEV_CAP_MAX_FETCH_AND_OR_SIZE,
    ),
    (
        "max_fetch_and_xor_size",
        UBURMA_QUERY_DEVICE_OUT_DEV_CAP_MAX_FETCH_AND_XOR_SIZE,
    ),
    ("atomic_feat", UBURMA_QUERY_DEVICE_OUT_DEV_CAP_ATOMIC_FEAT),
    ("trans_mode", UBURMA_QUERY_DEVICE_OUT_DEV_CAP_TRANS_MODE),
    (
        "congestion_ctrl_alg",
        UBURMA_QUERY_DEVICE_OUT_DEV_CAP_CONGESTION_CTRL_ALG,
    ),
    ("ceq_cnt", UBURMA_QUERY_DEVICE_OUT_DEV_CAP_CEQ_CNT),
    (
        "max_tp_in_tpg",
        UBURMA_QUERY_DEVICE_OUT_DEV_CAP_MAX_TP_IN_TPG,
    ),
    ("port_count", UBURMA_QUERY_DEVICE_OUT_PORT_CNT),
    ("max_eid_cnt", UBURMA_QUERY_DEVICE_OUT_DEV_CAP_MAX_EID_CNT),
    (
        "page_size_cap",
        UBURMA_QUERY_DEVICE_OUT_DEV_CAP_PAGE_SIZE_CAP,
    ),
    ("max_oor_cnt", UBURMA_QUERY_DEVICE_OUT_DEV_CAP_MAX_OOR_CNT),
    ("mn", UBURMA_QUERY_DEVICE_OUT_DEV_CAP_MN),
    (
        "max_netaddr_cnt",
        UBURMA_QUERY_DEVICE_OUT_DEV_CAP_MAX_NETADDR_CNT,
    ),
];

const TEXTS: &[&str] = &[
    "ubdev",
    "driver_name",
    "transport_type",
    "guid",
    "reserved_jetty_id",
];
const PORT_FILES: &[&str] = &[
    "max_mtu",
    "state",
    "active_width",
    "active_speed",
    "active_mtu",
];

fn device() -> Result<Device, Failure> {
    Ok(Device::first()?)
}

/// Reads a file whole, as liburma does.
fn raw(device: &Device, file: &str) -> Result<String, Failure> {
    let path = device.dir().join(file);
    fs::read_to_string(&path).map_err(|err| Failure::Fail(format!("{}: {err}", path.display())))
}

fn every_file_is_well_formed() -> Outcome {
    let device = device()?;
    let names = NUMBERS
        .iter()
        .map(|(name, _)| *name)
        .chain(TEXTS.iter().copied());
    for name in names {
        let text = raw(&device, name)?;
        check!(
            text.ends_with('\n') && !text.ends_with("\n\n"),
            "{name}: '{text}'"
        );
        check!(
            text.len() < 64 && text.len() > 1,
            "{name} has {} bytes",
            text.len()
        );
    }
    for (name, _) in NUMBERS {
        device.number(name)?;
    }
    raw(&device, "net_dev")?;
    Ok(())
}

fn identity() -> Outcome {
    let device = device()?;
    check_eq!(device.attribute("ubdev")?, device.name);
    check_eq!(device.attribute("driver_name")?, "ubsoft");
    check_eq!(device.number("transport_type")?, UBURMA_TRANSPORT_UB as u64);
    let guid = device.attribute("guid")?;
    check_eq!(guid.len(), 39, "length of the GUID '{guid}'");
    check!(Eid::parse(&guid).is_some(), "GUID '{guid}'");
    Ok(())
}

fn limits_are_usable() -> Outcome {
    let device = device()?;
    let number = |name| device.number(name);
    let modes = number("trans_mode")?;
    check!(
        modes & UBURMA_TM_RM as u64 != 0 && modes & !7 == 0,
        "modes {modes:#x}"
    );
    check!((1..=8).contains(&number("port_count")?));
    check!((1..=1024).contains(&number("max_eid_cnt")?));
    check!(number("page_size_cap")? & 0x1000 != 0);
    check!(number("max_msg_size")? >= 65_536);
    check!(number("max_read_size")? >= 1 << 30);
    check!(number("max_write_size")? >= 1 << 30);
    check!(number("max_jfs_depth")? >= 4096 && number("max_jfr_depth")? >= 4096);
    check!(number("max_jetty")? >= 4096 && number("max_jfc")? >= 4096);
    check!(number("max_jfs_sge")? >= 1 && number("max_jfr_sge")? >= 1);
    check!((1..=32).contains(&number("max_jetty_in_jetty_grp")?));
    check!(number("ceq_cnt")? >= 1);
    let text = device.attribute("reserved_jetty_id")?;
    let (min, max) = text.split_once('-').unwrap_or(("", ""));
    let (min, max) = (min.parse::<u32>(), max.parse::<u32>());
    check!(
        matches!((&min, &max), (Ok(min), Ok(max)) if min <= max),
        "'{text}'"
    );
    Ok(())
}

fn eid_files() -> Outcome {
    let device = device()?;
    let count = device.number("max_eid_cnt")?;
    for i in 0..count {
        let text = raw(&device, &format!("eids/eid{i}"))?;
        check_eq!(text.len(), 40, "bytes of eid{i}");
        check!(Eid::parse(&text).is_some(), "eid{i} is '{text}'");
    }
    check!(!device.dir().join(format!("eids/eid{count}")).exists());
    let eid = device.eid(0)?;
    check!(eid.0[8..12] != [0; 4], "bytes 8 to 11 of {eid} are 0");
    let list = device.eids()?;
    for (i, (_, eid)) in list.iter().enumerate() {
        check!(
            list[..i].iter().all(|(_, other)| other != eid),
            "{eid} twice"
        );
    }
    Ok(())
}

fn port_files() -> Outcome {
    let device = device()?;
    for port in 0..device.number("port_count")? {
        let number = |name: &str| device.number(&format!("port{port}/{name}"));
        check_eq!(number("state")?, u64::from(UBURMA_PORT_ACTIVE));
        for name in ["max_mtu", "active_mtu"] {
            check!((1..=6).contains(&number(name)?), "port{port}/{name}");
        }
        check!([1, 2, 4, 8, 16, 32].contains(&number("active_width")?));
        check!(number("active_speed")? <= 13);
    }
    Ok(())
}

fn priority_files() -> Outcome {
    let device = device()?;
    for i in 0..UBURMA_MAX_PRIORITY_CNT {
        check!(device.number(&format!("priority/priority{i}/sl"))? < 16);
        let kind = device.number(&format!("priority/priority{i}/tp_type"))?;
        check!([1, 2, 4].contains(&kind), "tp_type {kind} of priority {i}");
    }
    Ok(())
}

fn files_cannot_be_written() -> Outcome {
    let device = device()?;
    let writable = ["congestion_ctrl_alg", "reserved_jetty_id"];
    let names = NUMBERS
        .iter()
        .map(|(name, _)| *name)
        .chain(TEXTS.iter().copied());
    for name in names {
        let mode = fs::metadata(device.dir().join(name))?.permissions().mode() & 0o777;
        let expected = if writable.contains(&name) {
            0o644
        } else {
            0o444
        };
        check_eq!(mode, expected, "mode of {name}");
    }
    Ok(())
}

fn node() -> Outcome {
    let device = device()?;
    let meta = fs::metadata(device.node())?;
    check!(meta.file_type().is_char_device());
    check_eq!(meta.permissions().mode() & 0o777, 0o666, "mode of the node");
    let path = format!("/sys/class/uburma/{}/dev", device.name);
    let number = format!(
        "{}:{}\n",
        libc::major(meta.rdev()),
        libc::minor(meta.rdev())
    );
    check_eq!(fs::read_to_string(path)?, number);
    Ok(())
}

fn query_says_what_sysfs_says() -> Outcome {
    let device = device()?;
    let fd = Context::open_bare(&device)?;
    let attr = DevAttr::query(fd.as_raw_fd(), &device)?;
    for (name, id) in NUMBERS {
        check_eq!(attr.number(*id), device.number(name)?, "{name}");
    }
    let reserved = format!(
        "{}-{}",
        attr.number(UBURMA_QUERY_DEVICE_OUT_RESERVED_JETTY_ID_MIN),
        attr.number(UBURMA_QUERY_DEVICE_OUT_RESERVED_JETTY_ID_MAX)
    );
    check_eq!(reserved, device.attribute("reserved_jetty_id")?);
    let guid: [u8; 16] = attr
        .value(UBURMA_QUERY_DEVICE_OUT_GUID)
        .try_into()
        .unwrap_or_default();
    check_eq!(Some(Eid(guid)), Eid::parse(&device.attribute("guid")?));
    check_eq!(attr.number(UBURMA_QUERY_DEVICE_OUT_DEV_CAP_RESERVED), 0);
    for (name, id) in PORT_FILES
        .iter()
        .zip(UBURMA_QUERY_DEVICE_OUT_PORT_ATTR_MAX_MTU..)
    {
        let file = device.number(&format!("port0/{name}"))?;
        check_eq!(u64::from(attr.port(id, 0)), file, "{name} of port 0");
    }
    let info = attr.value(UBURMA_QUERY_DEVICE_OUT_DEV_CAP_PRIORITY_INFO);
    for (i, entry) in info.chunks_exact(8).enumerate() {
        let (sl, kind): (u32, u32) = (sys::from_bytes(entry), sys::from_bytes(&entry[4..]));
        let file = |name| device.number(&format!("priority/priority{i}/{name}"));
        check_eq!(
            (u64::from(sl), u64::from(kind)),
            (file("sl")?, file("tp_type")?)
        );
    }
    Ok(())
}

fn eid_list_says_what_sysfs_says() -> Outcome {
    let device = device()?;
    let fd = Context::open_bare(&device)?;
    let list = Context::eid_list_on(fd.as_raw_fd(), UBURMA_MAX_EID_CNT)?;
    check_eq!(list, device.eids()?);
    check_eq!(Context::eid_list_on(fd.as_raw_fd(), 1)?.len(), 1);
    check_errno!(Context::eid_list_on(fd.as_raw_fd(), 0), EINVAL);
    check_errno!(
        Context::eid_list_on(fd.as_raw_fd(), UBURMA_MAX_EID_CNT + 1),
        EINVAL
    );
    Ok(())
}

fn query_checks_the_name() -> Outcome {
    let device = device()?;
    let fd = Context::open_bare(&device)?;
    let long = "x".repeat(64);
    let longer = format!("{}0", device.name);
    for name in [
        "",
        "nonsense",
        &device.name[..device.name.len() - 1],
        &longer,
        &long,
    ] {
        check_errno!(DevAttr::cmd(name).run(fd.as_raw_fd()), EINVAL);
    }
    DevAttr::cmd(&device.name).run(fd.as_raw_fd())?;
    Ok(())
}

fn anyone_may_open() -> Outcome {
    let device = device()?;
    match sys::fork()? {
        Fork::Child => {
            let work = || -> Outcome {
                if sys::effective_uid() == 0 {
                    sys::become_user(12345)?;
                }
                let fd = Context::open_bare(&device)?;
                DevAttr::query(fd.as_raw_fd(), &device)?;
                Context::open(&device)?;
                Ok(())
            };
            sys::exit_now(i32::from(work().is_err()))
        }
        Fork::Parent(pid) => check_eq!(sys::wait_for(pid)?, Exit::Code(0)),
    }
    Ok(())
}

pub fn main() -> ExitCode {
    ub_tests::run(
        "t-discovery",
        tests![
            every_file_is_well_formed,
            identity,
            limits_are_usable,
            eid_files,
            port_files,
            priority_files,
            files_cannot_be_written,
            node,
            query_says_what_sysfs_says,
            eid_list_says_what_sysfs_says,
            query_checks_the_name,
            anyone_may_open,
        ],
    )
}
