// SPDX-License-Identifier: GPL-2.0

//! Network addresses of EIDs, event channels counted, transport paths by number.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::os::fd::AsRawFd;
use std::process::ExitCode;

use ub_client::abi::*;
use ub_client::sys::Mapping;
use ub_client::tlv::{el_info, Cmd, Place};
use ub_client::{net_addr_bytes, Context, Device, Eid, Jfce, NET_ADDR_INFO_LEN, NET_ADDR_LEN};
use ub_tests::own::{Own, CONFIG};
use ub_tests::{check, check_eq, check_errno, tests, Outcome};

const LIST: u32 = UBURMA_GET_NET_ADDR_LIST_OUT_NETADDR_LIST;
const COUNT: u32 = UBURMA_GET_NET_ADDR_LIST_OUT_NETADDR_CNT;

/// An EID as the IPv6 address of the same bytes.
fn ip_of(eid: &Eid) -> IpAddr {
    IpAddr::from(eid.0)
}

/// An EID that no device has.
fn stranger(eid: &Eid) -> Eid {
    let mut other = *eid;
    other.0[2] ^= 0x5a;
    other
}

fn each_eid_has_an_address() -> Outcome {
    let ctx = Context::open_first()?;
    let mac = ctx.smac()?;
    check_eq!(
        mac[0] & 3,
        2,
        "not a locally administered address of one station"
    );
    let eids = ctx.eid_list(UBURMA_MAX_EID_CNT)?;
    check!(!eids.is_empty());
    let list = ctx.net_addrs(UBURMA_MAX_EID_CNT)?;
    check_eq!(list.len(), eids.len());
    for ((index, eid), (at, addr)) in eids.iter().zip(&list) {
        check_eq!(at, index);
        check_eq!(ctx.ip_by_eid(eid)?, *addr);
        check_eq!(addr.ip, ip_of(eid));
        check_eq!((addr.vlan, addr.prefix_len, addr.mac), (0, 128, mac));
        check_eq!(ctx.eid_by_ip(addr.ip)?, *eid);
        check_eq!(ctx.dmac(addr.ip)?, mac);
    }
    check!(ctx.device().number("max_netaddr_cnt")? >= list.len() as u64);
    // The same for who comes later.
    check_eq!(Context::open_first()?.smac()?, mac);
    Ok(())
}

fn user_layout() -> Outcome {
    let ctx = Context::open_first()?;
    let eid = ctx.eid();
    let mut cmd = Context::ip_by_eid_cmd(&eid);
    cmd.preset(UBURMA_GET_IP_BY_EID_INFO_OUT_NET_ADDR, 0xa5);
    ctx.run(&mut cmd)?;
    let value = cmd.value(UBURMA_GET_IP_BY_EID_INFO_OUT_NET_ADDR);
    check_eq!(value[..4], [10, 0, 0, 0]);
    check_eq!(value[4..20], eid.0);
    check_eq!(value[20..32], [0; 12]);
    check_eq!(value[32..38], ctx.smac()?);
    check_eq!(value[38..], [0, 0, 128, 0, 0, 0, 0, 0, 0, 0]);
    let mut cmd = Context::net_addrs_cmd(1, 1);
    ctx.run(&mut cmd)?;
    let value = cmd.value(LIST);
    check_eq!(value[..8], [1, 0, 0, 0, 0, 0, 0, 0]);
    check_eq!(value[8..24], eid.0);
    check_eq!(value[32..38], ctx.smac()?);
    check_eq!(value[48..], [0; 8]);
    // What does not belong to the address is not looked at.
    let mut dirty = net_addr_bytes(ip_of(&eid));
    dirty[2..4].fill(0xa5);
    dirty[20..].fill(0xa5);
    let mut cmd = Context::eid_by_ip_cmd(&dirty);
    ctx.run(&mut cmd)?;
    check_eq!(cmd.value(UBURMA_GET_EID_BY_IP_INFO_OUT_EID), eid.0);
    Ok(())
}

fn unknown_addresses() -> Outcome {
    let ctx = Context::open_first()?;
    let strange = stranger(&ctx.eid());
    check_errno!(ctx.ip_by_eid(&strange), ENOENT);
    check_errno!(ctx.ip_by_eid(&Eid::default()), EINVAL);
    let nobody = [
        ip_of(&strange),
        Ipv4Addr::new(192, 0, 2, 1).into(),
        Ipv4Addr::UNSPECIFIED.into(),
        Ipv6Addr::UNSPECIFIED.into(),
    ];
    for ip in nobody {
        check_errno!(ctx.eid_by_ip(ip), ENOENT);
        check_errno!(ctx.dmac(ip), ENOENT);
    }
    for family in [0u16, 1, 3, 9, 11, 0x0a00, u16::MAX] {
        let mut bytes = net_addr_bytes(ip_of(&ctx.eid()));
        bytes[..2].copy_from_slice(&family.to_ne_bytes());
        check_errno!(ctx.run(&mut Context::eid_by_ip_cmd(&bytes)), EINVAL);
        check_errno!(ctx.run(&mut Context::dmac_cmd(&bytes)), EINVAL);
    }
    Ok(())
}

fn addresses_of_another_device() -> Outcome {
    if std::fs::metadata(CONFIG).is_err() || !is_root() {
        return Ok(());
    }
    let here = Context::open_first()?;
    let mut own = Own::create("ubaddr0")?;
    let there = Context::open(&own.device)?;
    let eid = there.eid();
    check!(here.smac()? != there.smac()?);
    check_eq!(here.dmac(ip_of(&eid))?, there.smac()?);
    check_eq!(here.ip_by_eid(&eid)?.mac, there.smac()?);
    check_eq!(here.eid_by_ip(ip_of(&eid))?, eid);
    check!(here
        .net_addrs(16)?
        .iter()
        .all(|(_, addr)| addr.ip != ip_of(&eid)));
    drop(there);
    own.remove()?;
    check_errno!(here.dmac(ip_of(&eid)), ENOENT);
    check_errno!(here.ip_by_eid(&eid), ENOENT);
    check_errno!(here.eid_by_ip(ip_of(&eid)), ENOENT);
    Ok(())
}

fn is_root() -> bool {
    use std::os::unix::fs::MetadataExt;
    std::fs::metadata("/proc/self").is_ok_and(|meta| meta.uid() == 0)
}

/// The list goes where the user's memory is, as far as there is room.
fn room_for_the_list() -> Outcome {
    let ctx = Context::open_first()?;
    let all = ctx.net_addrs(1)?.len() as u32;
    check_eq!(all, 1);
    // Nothing wanted, or no room: nothing is written. An element count of 12 bits may be 0 by
    // truncation.
    for (max, room) in [(0, 4), (u32::MAX, 0), (4, 4096)] {
        let mut cmd = Context::net_addrs_cmd(max, 4);
        cmd.preset(LIST, 0xa5);
        cmd.attr_mut(LIST).el_info = el_info(room, NET_ADDR_INFO_LEN as u32);
        ctx.run(&mut cmd)?;
        check_eq!(cmd.get_u32(COUNT), 0, "{max} wanted, room for {room}");
        cmd.attr_mut(LIST).el_info = el_info(4, NET_ADDR_INFO_LEN as u32);
        check_eq!(
            cmd.value(LIST)[..NET_ADDR_INFO_LEN],
            [0xa5; NET_ADDR_INFO_LEN]
        );
    }
    // More room than addresses: the rest is left alone.
    let mut cmd = Context::net_addrs_cmd(u32::MAX, 17);
    ctx.run(&mut cmd)?;
    let count = cmd.get_u32(COUNT) as usize;
    check!((1..=16).contains(&count));
    check!(cmd.value(LIST)[count * NET_ADDR_INFO_LEN..]
        .iter()
        .all(|byte| *byte == 0));
    // Without a list there is no address in it.
    let mut cmd = Context::net_addrs_cmd(4, 4).without(LIST);
    ctx.run(&mut cmd)?;
    check_eq!(cmd.get_u32(COUNT), 0);
    let mut cmd = Context::net_addrs_cmd(4, 4).without(COUNT);
    ctx.run(&mut cmd)?;
    Ok(())
}

fn bad_lists() -> Outcome {
    let ctx = Context::open_first()?;
    let page = Mapping::read_only(4096)?;
    for addr in [page.addr(), 0, 1 << 62] {
        let mut cmd = Context::net_addrs_cmd(4, 4);
        cmd.attr_mut(LIST).place = Place::Address(addr);
        check_errno!(ctx.run(&mut cmd), EFAULT);
    }
    let mut cmd = Context::net_addrs_cmd(4, 4);
    cmd.attr_mut(LIST).place = Place::Address(u64::MAX - 100);
    check_errno!(ctx.run(&mut cmd), EFAULT);
    for stride in [0, 48, 55, 57, 64] {
        let mut cmd = Context::net_addrs_cmd(4, 4);
        cmd.attr_mut(LIST).el_info = el_info(4, stride);
        check_errno!(ctx.run(&mut cmd), EINVAL);
    }
    for size in [0, 48, 55, 57, 224] {
        let mut cmd = Context::net_addrs_cmd(4, 4);
        cmd.attr_mut(LIST).field_size = size;
        check_errno!(ctx.run(&mut cmd), EINVAL);
    }
    Ok(())
}

/// All but one need a context.
fn without_a_context() -> Outcome {
    let device = Device::first()?;
    let fd = Context::open_bare(&device)?;
    let eid = device.eid(0)?;
    let addr = net_addr_bytes(ip_of(&eid));
    for mut cmd in [
        Context::net_addrs_cmd(1, 1),
        Context::eid_by_ip_cmd(&addr),
        Context::ip_by_eid_cmd(&eid),
        Context::dmac_cmd(&addr),
        Cmd::new(UBURMA_CMD_GET_SMAC).out(UBURMA_GET_SMAC_OUT_MAC, 6),
        modify_tp(&[]),
    ] {
        check_errno!(cmd.run(fd.as_raw_fd()), EINVAL);
    }
    Context::jfce_count(fd.as_raw_fd(), 0)?;
    Ok(())
}

fn event_channels_are_counted() -> Outcome {
    let device = Device::first()?;
    let fd = Context::open_bare(&device)?;
    let count = |threshold| Context::jfce_count(fd.as_raw_fd(), threshold);
    let (before, above) = (count(0)?.0, count(2)?.1);
    let ctx = Context::open(&device)?;
    let mut list = Vec::new();
    for n in 1..=4 {
        list.push(Jfce::create(&ctx)?);
        check_eq!(count(0)?.0, before + n);
        check_eq!(count(2)?.1, above + u64::from(n > 2), "{n} channels");
    }
    check_eq!(count(u32::MAX)?, (before + 4, 0));
    list.truncate(1);
    check_eq!(count(2)?, (before + 1, above));
    drop(list);
    check_eq!(count(0)?.0, before);
    Ok(())
}

/// A good request to change a path by its number, with some inputs replaced.
fn modify_tp(changes: &[(u32, u64)]) -> Cmd {
    let peer = net_addr_bytes(Ipv4Addr::new(192, 0, 2, 1).into());
    // Bytes and value of each input.
    let inputs: [(u32, usize, u64); 26] = [
        (UBURMA_MODIFY_TP_IN_TPN, 4, 1),
        (UBURMA_MODIFY_TP_IN_TP_CFG_FLAG, 4, 0xf),
        (UBURMA_MODIFY_TP_IN_TP_CFG_TRANS_MODE, 4, 1),
        (UBURMA_MODIFY_TP_IN_TP_CFG_RETRY_NUM, 1, 7),
        (UBURMA_MODIFY_TP_IN_TP_CFG_RETRY_FACTOR, 1, 1),
        (UBURMA_MODIFY_TP_IN_TP_CFG_ACK_TIMEOUT, 1, 17),
        (UBURMA_MODIFY_TP_IN_TP_CFG_DSCP, 1, 63),
        (UBURMA_MODIFY_TP_IN_TP_CFG_OOR_CNT, 4, 1),
        (UBURMA_MODIFY_TP_IN_ATTR_FLAG, 4, 0x1cf),
        (UBURMA_MODIFY_TP_IN_ATTR_PEER_TPN, 4, 2),
        (UBURMA_MODIFY_TP_IN_ATTR_STATE, 4, 2),
        (UBURMA_MODIFY_TP_IN_ATTR_TX_PSN, 4, 1),
        (UBURMA_MODIFY_TP_IN_ATTR_RX_PSN, 4, 1),
        (UBURMA_MODIFY_TP_IN_ATTR_MTU, 4, 5),
        (UBURMA_MODIFY_TP_IN_ATTR_CC_PATTERN_IDX, 1, 1),
        (UBURMA_MODIFY_TP_IN_ATTR_OOS_CNT, 4, 1),
        (UBURMA_MODIFY_TP_IN_ATTR_LOCAL_NET_ADDR_IDX, 4, 0),
        (UBURMA_MODIFY_TP_IN_ATTR_DATA_UDP_START, 2, 1),
        (UBURMA_MODIFY_TP_IN_ATTR_ACK_UDP_START, 2, 1),
        (UBURMA_MODIFY_TP_IN_ATTR_UDP_RANGE, 1, 1),
        (UBURMA_MODIFY_TP_IN_ATTR_HOP_LIMIT, 1, 64),
        (UBURMA_MODIFY_TP_IN_ATTR_FLOW_LABEL, 4, 1),
        (UBURMA_MODIFY_TP_IN_ATTR_PORT_ID, 1, 0),
        (UBURMA_MODIFY_TP_IN_ATTR_MN, 1, 0),
        (UBURMA_MODIFY_TP_IN_ATTR_PEER_TRANS_TYPE, 4, 0),
        (UBURMA_MODIFY_TP_IN_MASK, 4, 0x3_ffff),
    ];
    let cmd = Cmd::new(UBURMA_CMD_MODIFY_TP).bytes(UBURMA_MODIFY_TP_IN_ATTR_PEER_NET_ADDR, &peer);
    inputs.into_iter().fold(cmd, |cmd, (id, len, value)| {
        let changed = changes.iter().find(|(which, _)| *which == id);
        let value = changed.map_or(value, |(_, value)| *value);
        cmd.bytes(id, &value.to_ne_bytes()[..len])
    })
}

/// Nobody may change paths by number, but bad requests are told from good ones.
fn modify_tp_is_checked() -> Outcome {
    let ctx = Context::open_first()?;
    check_errno!(ctx.run(&mut modify_tp(&[])), EOPNOTSUPP);
    let bad = [
        (UBURMA_MODIFY_TP_IN_TPN, 1 << 24),
        (UBURMA_MODIFY_TP_IN_TP_CFG_FLAG, 0x10),
        (UBURMA_MODIFY_TP_IN_TP_CFG_TRANS_MODE, 0),
        (UBURMA_MODIFY_TP_IN_TP_CFG_TRANS_MODE, 3),
        (UBURMA_MODIFY_TP_IN_TP_CFG_DSCP, 64),
        (UBURMA_MODIFY_TP_IN_ATTR_FLAG, 0x200),
        (UBURMA_MODIFY_TP_IN_ATTR_STATE, 5),
        (UBURMA_MODIFY_TP_IN_ATTR_MTU, 7),
        (UBURMA_MODIFY_TP_IN_ATTR_FLOW_LABEL, 1 << 20),
        (UBURMA_MODIFY_TP_IN_ATTR_PEER_TRANS_TYPE, 4),
        (UBURMA_MODIFY_TP_IN_MASK, 1 << 18),
    ];
    for change in bad {
        check_errno!(ctx.run(&mut modify_tp(&[change])), EINVAL);
    }
    // What the mask leaves out does not matter.
    let unused = [
        (UBURMA_MODIFY_TP_IN_ATTR_MTU, 7),
        (UBURMA_MODIFY_TP_IN_MASK, 0),
    ];
    check_errno!(ctx.run(&mut modify_tp(&unused)), EOPNOTSUPP);
    let mut cmd = modify_tp(&[])
        .without(UBURMA_MODIFY_TP_IN_ATTR_PEER_NET_ADDR)
        .bytes(UBURMA_MODIFY_TP_IN_ATTR_PEER_NET_ADDR, &[0; NET_ADDR_LEN]);
    check_errno!(ctx.run(&mut cmd), EINVAL);
    for attr in modify_tp(&[]).attrs() {
        let mut cmd = modify_tp(&[]).without(u32::from(attr.id));
        check_errno!(ctx.run(&mut cmd), EINVAL);
    }
    Ok(())
}

pub fn main() -> ExitCode {
    ub_tests::run(
        "t-netaddr",
        tests![
            each_eid_has_an_address,
            user_layout,
            unknown_addresses,
            addresses_of_another_device,
            room_for_the_list,
            bad_lists,
            without_a_context,
            event_channels_are_counted,
            modify_tp_is_checked,
        ],
    )
}
