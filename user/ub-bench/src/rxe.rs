// SPDX-License-Identifier: GPL-2.0

//! The same operations on `rdma_rxe`, the software device of RDMA, by way of libibverbs.
//!
//! A context stands beside a context, a CQ beside a JFC, an SRQ beside a JFR, an RC QP with a
//! shared receive queue beside a jetty, a memory region beside a segment.

use std::ffi::{c_char, c_int, c_void, CStr};
use std::process::Command;

use ub_client::sys::Mapping;
use ub_client::{Error, Result};

use crate::measure::{Report, Side};
use crate::memory::{large, LARGE, LARGE_ROWS};

const MIB: usize = 1 << 20;
const MEMORY: usize = 8 * MIB;
const BATCHES: [(c_int, &str); 2] = [(16, "x16"), (64, "x64")];
const ADDRESS: &CStr = c"192.0.2.1";
const NETDEV: &CStr = c"ubench";

/// As in rxe.c.
#[derive(Clone, Copy)]
#[repr(i32)]
enum Op {
    Write,
    Read,
    FetchAdd,
}

#[repr(C)]
struct End {
    _opaque: [u8; 0],
}

extern "C" {
    fn ub_rxe_link(name: *const c_char, netdev: *const c_char) -> c_int;
    fn ub_rxe_find() -> c_int;
    fn ub_rxe_open() -> *mut c_void;
    fn ub_rxe_close(ctx: *mut c_void) -> c_int;
    fn ub_rxe_pd(ctx: *mut c_void) -> *mut c_void;
    fn ub_rxe_cq(ctx: *mut c_void) -> c_int;
    fn ub_rxe_srq(pd: *mut c_void) -> c_int;
    fn ub_rxe_qp(end: *mut End) -> c_int;
    fn ub_rxe_mr(end: *mut End, memory: *mut c_void, len: usize) -> c_int;
    fn ub_rxe_end(memory: *mut c_void, len: usize) -> *mut End;
    fn ub_rxe_connect(end: *mut End, to: *mut End, address: *const c_char) -> c_int;
    fn ub_rxe_send(end: *mut End, to: *mut End, op: c_int, len: usize, count: c_int) -> c_int;
    fn ub_rxe_reconnect(end: *mut End, to: *mut End, address: *const c_char) -> c_int;
    fn ub_rxe_write_by(ends: *mut *mut End, to: *mut *mut End, len: usize, count: c_int) -> c_int;
    fn ub_rxe_send_recv(end: *mut End, to: *mut End, len: usize, count: c_int) -> c_int;
    fn ub_rxe_send_event(end: *mut End, to: *mut End, len: usize) -> c_int;
}

fn good(what: &str, ret: c_int) -> Result<()> {
    if ret == 0 {
        Ok(())
    } else {
        Err(Error::BadReply(format!("rdma_rxe: {what} gave {ret}")))
    }
}

fn some<T>(what: &str, pointer: *mut T) -> Result<*mut T> {
    if pointer.is_null() {
        let why = std::io::Error::last_os_error();
        return Err(Error::BadReply(format!("rdma_rxe: {what}: {why}")));
    }
    Ok(pointer)
}

fn ip(words: &str) -> Result<()> {
    let done = Command::new("ip").args(words.split(' ')).status();
    match done {
        Ok(status) if status.success() => Ok(()),
        other => Err(Error::BadReply(format!("ip {words}: {other:?}"))),
    }
}

/// Makes a network device and rdma_rxe's device over it. Frames that hold 4 KiB suit it best.
fn set_up() -> Result<()> {
    ip("link add ubench type veth")?;
    for name in ["ubench", "veth0"] {
        ip(&format!("link set {name} mtu 9000 up"))?;
    }
    ip("addr add 192.0.2.1/24 dev ubench")?;
    // SAFETY: both are strings that end in a zero byte.
    good("link", unsafe {
        ub_rxe_link(c"rxe0".as_ptr(), NETDEV.as_ptr())
    })?;
    // SAFETY: takes nothing.
    good("looking for the device", unsafe { ub_rxe_find() })
}

/// Memory for one end, which stays for as long as the process.
fn memory() -> Result<*mut c_void> {
    let memory = Mapping::anonymous(MEMORY)?;
    memory.fill(0, MEMORY, 1);
    let address = memory.leak() as *mut c_void;
    Ok(address)
}

fn control(report: &mut Report, end: *mut End, memory: *mut c_void) -> Result<()> {
    // SAFETY: the device was found before.
    let open = || some("open", unsafe { ub_rxe_open() });
    report.measure("context", 50, || {
        // SAFETY: it was opened just now, and has no objects.
        good("close", unsafe { ub_rxe_close(open()?) })
    })?;
    let ctx = open()?;
    // SAFETY: the context stays open.
    report.measure("jfc", 50, || good("CQ", unsafe { ub_rxe_cq(ctx) }))?;
    // SAFETY: as before.
    let pd = some("PD", unsafe { ub_rxe_pd(ctx) })?;
    // SAFETY: the PD stays.
    report.measure("jfr", 50, || good("SRQ", unsafe { ub_rxe_srq(pd) }))?;
    // SAFETY: an end stays for as long as the process.
    report.measure("jetty", 50, || good("QP", unsafe { ub_rxe_qp(end) }))?;
    for (name, len) in [("seg_4k", 4096), ("seg_1m", MIB)] {
        // SAFETY: the memory is 8 MiB, and stays.
        report.measure(name, 50, || {
            good("MR", unsafe { ub_rxe_mr(end, memory, len) })
        })?;
    }
    for (name, huge) in LARGE_ROWS {
        let memory = large(huge)?;
        // SAFETY: the memory is there until after the measurement.
        report.measure(name, 4, || {
            good("MR", unsafe {
                ub_rxe_mr(end, memory.addr() as *mut c_void, LARGE)
            })
        })?;
    }
    Ok(())
}

fn data(report: &mut Report, a: *mut End, b: *mut End) -> Result<()> {
    let send = |op: Op, len: usize, count: c_int| {
        // SAFETY: both ends stay, and the memory of each is 8 MiB.
        good("a request", unsafe {
            ub_rxe_send(a, b, op as c_int, len, count)
        })
    };
    let sizes = [
        (8, "8"),
        (64, "64"),
        (4096, "4k"),
        (65536, "64k"),
        (MIB, "1m"),
        (8 * MIB, "8m"),
    ];
    for (len, size) in sizes {
        let count = match len {
            0..=4096 => 500,
            65536 => 32,
            MIB => 8,
            _ => 2,
        };
        report.measure(&format!("write_{size}"), count, || send(Op::Write, len, 1))?;
        report.measure(&format!("read_{size}"), count, || send(Op::Read, len, 1))?;
    }
    for (size, suffix) in BATCHES {
        for (name, op) in [("write", Op::Write), ("read", Op::Read)] {
            report.batch(&format!("{name}_64_{suffix}"), 50, size as u32, || {
                send(op, 64, size)
            })?;
        }
    }
    report.measure("fadd", 500, || send(Op::FetchAdd, 8, 1))?;
    let send_recv = |count: c_int| {
        // SAFETY: as above.
        good("a SEND", unsafe { ub_rxe_send_recv(a, b, 64, count) })
    };
    report.measure("send_64", 500, || send_recv(1))?;
    for (size, suffix) in BATCHES {
        report.batch(&format!("fadd_{suffix}"), 50, size as u32, || {
            send(Op::FetchAdd, 8, size)
        })?;
        report.batch(&format!("send_64_{suffix}"), 50, size as u32, || {
            send_recv(size)
        })?;
    }
    report.measure("send_64_event", 500, || {
        // SAFETY: as above.
        good("a SEND", unsafe { ub_rxe_send_event(a, b, 64) })
    })
}

/// Several queues at once: what each of their messages costs.
fn queues(report: &mut Report, near: *mut c_void, far: *mut c_void) -> Result<()> {
    let mut pairs = Vec::new();
    for (count, suffix) in [(2, "q2"), (4, "q4")] {
        while pairs.len() < count {
            pairs.push(connected(near, far)?);
        }
        let (mut ends, mut to): (Vec<_>, Vec<_>) = pairs.iter().copied().unzip();
        for (len, size) in [(4096, "4k"), (65536, "64k"), (MIB, "1m"), (8 * MIB, "8m")] {
            let rounds = if len >= MIB { 2 } else { 32 };
            let name = format!("write_{size}_{suffix}");
            report.batch(&name, rounds, count as u32, || {
                // SAFETY: all ends stay, as many as the count says; each has memory of 8 MiB.
                good("a WRITE", unsafe {
                    ub_rxe_write_by(ends.as_mut_ptr(), to.as_mut_ptr(), len, count as c_int)
                })
            })?;
        }
    }
    Ok(())
}

/// Two ends that are connected with each other, on memory of 8 MiB each that stays.
fn connected(near: *mut c_void, far: *mut c_void) -> Result<(*mut End, *mut End)> {
    let end = |memory| {
        // SAFETY: the memory is as said.
        some("an end", unsafe { ub_rxe_end(memory, MEMORY) })
    };
    let (a, b) = (end(near)?, end(far)?);
    for (end, to) in [(a, b), (b, a)] {
        // SAFETY: both ends stay; the address ends in a zero byte.
        good("connect", unsafe {
            ub_rxe_connect(end, to, ADDRESS.as_ptr())
        })?;
    }
    Ok((a, b))
}

/// Measures all of it.
pub fn run(report: &mut Report) -> Result<()> {
    report.side(Side::Rxe);
    set_up()?;
    let (near, far) = (memory()?, memory()?);
    let (a, b) = connected(near, far)?;
    data(report, a, b)?;
    queues(report, near, far)?;
    control(report, a, near)?;
    report.measure("import", 50, || {
        // SAFETY: both ends stay; the address ends in a zero byte.
        good("connect", unsafe {
            ub_rxe_reconnect(a, b, ADDRESS.as_ptr())
        })
    })
}
