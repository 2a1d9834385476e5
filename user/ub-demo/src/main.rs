// SPDX-License-Identifier: GPL-2.0

//! Two unprivileged processes move data through a UB device and check every byte.

mod cases;
mod endpoint;
mod initiator;
mod pattern;
mod responder;
mod table;
mod wire;

use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::process::{Child, Command, ExitCode};
use std::time::Duration;

use ub_client::sys::{self, TickRate};

use table::{Totals, Unit};
use wire::{Message, Wire};

const USAGE: &str = "\
usage: ub-demo [--icount] [--uids A,B]
  --icount    the counter of this machine counts executed instructions
  --uids A,B  user ids of the two processes, if started as root (1000,1001)
Environment: UB_DEVICE names the device, else the first of driver ubsoft is used.";

/// What this process is to do.
enum Task {
    /// Start the two, print, judge.
    Parent { icount: bool, uids: (u32, u32) },
    /// Be one of the two: role, user id, socket to the other, socket to the parent.
    Role(String, u32, RawFd, RawFd),
}

fn parse() -> Result<Task, String> {
    let mut icount = false;
    let mut uids = (1000, 1001);
    let args: Vec<String> = std::env::args().skip(1).collect();
    let number = |text: &str| {
        text.parse::<u32>()
            .map_err(|_| format!("'{text}' is no number\n{USAGE}"))
    };
    if let [role, name, uid, peer, parent] = &args[..] {
        if role == "--role" {
            return Ok(Task::Role(
                name.clone(),
                number(uid)?,
                number(peer)? as RawFd,
                number(parent)? as RawFd,
            ));
        }
    }
    let mut words = args.iter();
    while let Some(word) = words.next() {
        match word.as_str() {
            "--icount" => icount = true,
            "--uids" => {
                let text = words.next().ok_or(USAGE)?;
                let (a, b) = text.split_once(',').ok_or(USAGE)?;
                uids = (number(a)?, number(b)?);
            }
            _ => return Err(USAGE.to_string()),
        }
    }
    Ok(Task::Parent { icount, uids })
}

/// Life of one of the two processes.
fn play(role: &str, uid: u32, peer: RawFd, parent: RawFd) -> Result<(), String> {
    sys::die_with_parent();
    let report = Wire(parent);
    if sys::effective_uid() == 0 {
        sys::become_user(uid).map_err(|err| err.to_string())?;
        // Becoming another user takes the request back.
        sys::die_with_parent();
    }
    let done = match role {
        "A" => initiator::run(Wire(peer), report),
        _ => responder::run(Wire(peer), report),
    };
    done.map_err(|why| {
        let _ = report.say(&format!("WHY process {role}: {why}"));
        why
    })
}

fn start(role: &str, uid: u32, peer: &OwnedFd, report: &OwnedFd) -> Result<Child, String> {
    Command::new("/proc/self/exe")
        .args(["--role", role])
        .arg(uid.to_string())
        .arg(peer.as_raw_fd().to_string())
        .arg(report.as_raw_fd().to_string())
        .spawn()
        .map_err(|err| format!("starting process {role}: {err}"))
}

/// Prints what the two report, until both are gone.
fn relay(from: &OwnedFd, unit: Unit, totals: &mut Totals) -> Result<Vec<String>, String> {
    let mut reasons = Vec::new();
    let mut in_table = false;
    loop {
        let bytes =
            sys::receive_message(from.as_raw_fd(), 4096, 120_000).map_err(|err| err.to_string())?;
        if bytes.is_empty() {
            return Ok(reasons);
        }
        let message = Message::parse(&String::from_utf8_lossy(&bytes));
        match message.word.as_str() {
            "INFO" => println!("{}", message.rest),
            "ROW" => {
                if !in_table {
                    println!("\n{}", table::head(unit));
                    in_table = true;
                }
                println!("{}", totals.row(&message, unit)?);
            }
            _ => reasons.push(message.rest),
        }
    }
}

/// Starts the two and judges; `totals` are for the verdict.
fn run(unit: Unit, uids: (u32, u32), totals: &mut Totals) -> Result<(), String> {
    let pair = || sys::message_pair().map_err(|err| err.to_string());
    let (a_end, b_end) = pair()?;
    let (here, there) = pair()?;
    for fd in [&here, &a_end, &b_end] {
        sys::set_cloexec(fd.as_raw_fd(), true).map_err(|err| err.to_string())?;
    }
    // Each of the two gets its own end only.
    let keep = |fd: &OwnedFd, open: bool| {
        sys::set_cloexec(fd.as_raw_fd(), !open).map_err(|err| err.to_string())
    };
    keep(&a_end, true)?;
    let mut a = start("A", uids.0, &a_end, &there)?;
    keep(&a_end, false)?;
    keep(&b_end, true)?;
    let mut b = start("B", uids.1, &b_end, &there)?;
    drop((a_end, b_end, there));

    let relayed = relay(&here, unit, totals);
    if relayed.is_err() {
        let _ = a.kill();
        let _ = b.kill();
    }
    let mut reasons = relayed.unwrap_or_else(|why| vec![why]);
    for (name, child) in [("A", &mut a), ("B", &mut b)] {
        let status = child.wait().map_err(|err| err.to_string())?;
        if !status.success() && reasons.is_empty() {
            reasons.push(format!("process {name}: {status}"));
        }
    }
    let planned = cases::all().len();
    if reasons.is_empty() && totals.rows != planned {
        reasons.push(format!("{} of {planned} cases were run", totals.rows));
    }
    if reasons.is_empty() {
        Ok(())
    } else {
        Err(reasons.join("; "))
    }
}

fn parent(icount: bool, uids: (u32, u32)) -> ExitCode {
    let unit = if icount {
        Unit::Instructions
    } else {
        Unit::Time(TickRate::measure(Duration::from_millis(200)))
    };
    println!("ub-demo: two processes move data through a UB device and check every byte.");
    if sys::effective_uid() != 0 {
        println!("Not started as root: both processes run as this user.");
    }
    let mut totals = Totals::default();
    let outcome = run(unit, uids, &mut totals);
    if icount {
        println!("\nCounted are the instructions of both processes and the kernel from post to completion.");
    }
    let what = format!(
        "{} cases, {} transfers, {} bytes verified",
        totals.rows,
        table::grouped(totals.transfers),
        table::grouped(totals.bytes)
    );
    match outcome {
        Ok(()) => {
            println!("\nVERDICT: PASS ({what}, none wrong)");
            ExitCode::SUCCESS
        }
        Err(why) => {
            println!("\nVERDICT: FAIL ({what}): {why}");
            ExitCode::FAILURE
        }
    }
}

fn main() -> ExitCode {
    match parse() {
        Ok(Task::Parent { icount, uids }) => parent(icount, uids),
        Ok(Task::Role(role, uid, peer, report)) => match play(&role, uid, peer, report) {
            Ok(()) => ExitCode::SUCCESS,
            Err(_) => ExitCode::FAILURE,
        },
        Err(why) => {
            eprintln!("{why}");
            ExitCode::from(2)
        }
    }
}
