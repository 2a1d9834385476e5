// SPDX-License-Identifier: GPL-2.0

//! The table of all figures, and the limits that some of them are to keep.

use crate::measure::{Cost, Figure, Report, Side};

/// What kind of operation it is, and so what its figure includes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// What the machine itself costs: all the time.
    Floor,
    /// From posting to completion: all the time, that of kernel threads too.
    Data,
    /// Making and unmaking: the time of the process, without the mapping of rings.
    Control,
}

/// An operation: its part, its name, and its title for people.
type Row = (Part, &'static str, &'static str);

const ROWS: [Row; 50] = [
    (Part::Floor, "null_syscall", "null system call"),
    (Part::Floor, "eventfd", "eventfd, write and read"),
    (Part::Floor, "memcpy_64", "memcpy of the C library, 64 B"),
    (Part::Floor, "memcpy_1m", "memcpy of the C library, 1 MiB"),
    (
        Part::Floor,
        "copy_page_1m",
        "copy_page of the kernel, 1 MiB",
    ),
    (Part::Data, "kick", "kick of an empty queue"),
    (Part::Data, "write_8", "WRITE 8 B"),
    (Part::Data, "write_64", "WRITE 64 B"),
    (Part::Data, "write_64_x16", "WRITE 64 B, 16 at a time"),
    (Part::Data, "write_64_x64", "WRITE 64 B, 64 at a time"),
    (Part::Data, "write_4k", "WRITE 4 KiB"),
    (Part::Data, "write_64k", "WRITE 64 KiB"),
    (Part::Data, "write_1m", "WRITE 1 MiB"),
    (Part::Data, "write_8m", "WRITE 8 MiB"),
    (Part::Data, "read_8", "READ 8 B"),
    (Part::Data, "read_64", "READ 64 B"),
    (Part::Data, "read_64_x16", "READ 64 B, 16 at a time"),
    (Part::Data, "read_64_x64", "READ 64 B, 64 at a time"),
    (Part::Data, "read_4k", "READ 4 KiB"),
    (Part::Data, "read_64k", "READ 64 KiB"),
    (Part::Data, "read_1m", "READ 1 MiB"),
    (Part::Data, "read_8m", "READ 8 MiB"),
    (Part::Data, "write_4k_q2", "WRITE 4 KiB by 2 queues, each"),
    (Part::Data, "write_64k_q2", "WRITE 64 KiB by 2 queues, each"),
    (Part::Data, "write_1m_q2", "WRITE 1 MiB by 2 queues, each"),
    (Part::Data, "write_8m_q2", "WRITE 8 MiB by 2 queues, each"),
    (Part::Data, "write_4k_q4", "WRITE 4 KiB by 4 queues, each"),
    (Part::Data, "write_64k_q4", "WRITE 64 KiB by 4 queues, each"),
    (Part::Data, "write_1m_q4", "WRITE 1 MiB by 4 queues, each"),
    (Part::Data, "write_8m_q4", "WRITE 8 MiB by 4 queues, each"),
    (Part::Data, "fadd", "fetch-and-add 8 B"),
    (Part::Data, "fadd_x16", "fetch-and-add 8 B, 16 at a time"),
    (Part::Data, "fadd_x64", "fetch-and-add 8 B, 64 at a time"),
    (Part::Data, "cas", "compare-and-swap 8 B"),
    (Part::Data, "send_64", "SEND 64 B with its receive"),
    (Part::Data, "send_64_x16", "the same, 16 at a time"),
    (Part::Data, "send_64_x64", "the same, 64 at a time"),
    (Part::Data, "send_64_event", "SEND 64 B, told by an event"),
    (Part::Data, "load_8", "load of 8 B from a mapped segment"),
    (Part::Data, "store_8", "store of 8 B to a mapped segment"),
    (Part::Control, "context", "context (open, create, close)"),
    (Part::Control, "jfc", "JFC of 64 / CQ"),
    (Part::Control, "jfr", "JFR of 64 / SRQ"),
    (Part::Control, "jetty", "jetty / RC QP with SRQ"),
    (
        Part::Control,
        "import",
        "import of a jetty / connect of a QP",
    ),
    (Part::Control, "window", "window (import, map, touch)"),
    (Part::Control, "seg_4k", "segment / MR of 4 KiB"),
    (Part::Control, "seg_1m", "segment / MR of 1 MiB"),
    (Part::Control, "seg_64m", "segment / MR of 64 MiB"),
    (Part::Control, "seg_64m_huge", "the same in huge pages"),
];

/// Limits in guest instructions per operation, on `ubsoft`.
const LIMITS: [(&str, u64); 11] = [
    ("write_64", 1_000),
    ("read_64", 1_000),
    ("write_64_x16", 430),
    ("fadd", 1_000),
    ("send_64", 1_300),
    ("send_64_event", 8_000),
    ("load_8", 60),
    ("context", 18_000),
    ("jetty", 25_000),
    ("jfc", 15_000),
    ("seg_4k", 6_000),
];

/// A bandwidth is to reach this part of that of another, in percent.
const SHARE_OF_COPY: u64 = 85;

/// What an operation may cost on `ubsoft`, in percent of what it costs on `rdma_rxe`, if that is
/// measured.
const SHARES_OF_RXE: [(&str, u64); 2] = [("seg_64m", 100), ("seg_64m_huge", 50)];

/// Names of all operations.
pub fn names() -> impl Iterator<Item = &'static str> {
    ROWS.iter().map(|row| row.1)
}

/// The part that an operation belongs to.
pub fn part_of(name: &str) -> Part {
    ROWS.iter()
        .find(|row| row.1 == name)
        .map_or(Part::Floor, |row| row.0)
}

fn three(figure: Option<&Figure>) -> String {
    let Some(figure) = figure else {
        return format!("{:>10} {:>10} {:>10}", "-", "", "");
    };
    let least = figure.runs.first().map_or(0, |cost| cost.counted);
    let most = figure.runs.last().map_or(0, |cost| cost.counted);
    format!("{:>10} {least:>10} {most:>10}", figure.median().counted)
}

/// How many times as much, with one decimal.
fn ratio(ours: Cost, theirs: Cost) -> String {
    if ours.counted == 0 {
        return String::new();
    }
    let tenths = theirs.counted * 10 / ours.counted;
    format!("{}.{}", tenths / 10, tenths % 10)
}

fn print_part(report: &Report, part: Part, title: &str) {
    println!("\n{title}");
    println!(
        "{:<32}{:^33} {:^33}{:>7}",
        "", "ubsoft: median, min, max", "rdma_rxe: median, min, max", "ratio"
    );
    for (_, name, title) in ROWS.iter().filter(|row| row.0 == part) {
        let ours = report.figure(Side::Ub, name);
        let theirs = report.figure(Side::Rxe, name);
        if ours.is_none() && theirs.is_none() {
            continue;
        }
        let times = match (ours, theirs) {
            (Some(ours), Some(theirs)) => ratio(ours.median(), theirs.median()),
            _ => String::new(),
        };
        let line = format!("{title:<31} {} {}{times:>8}", three(ours), three(theirs));
        println!("{}", line.trim_end());
    }
}

fn print_apart(report: &Report) {
    println!("\nnot counted above, median");
    println!(
        "{:<32}{:^23} {:^23}",
        "", "ubsoft: maps, away", "rdma_rxe: maps, away"
    );
    for (_, name, title) in ROWS.iter().filter(|row| row.0 == Part::Control) {
        let cells = [Side::Ub, Side::Rxe].map(|side| match report.figure(side, name) {
            Some(figure) => {
                let cost = figure.median();
                format!("{:>11} {:>11}", cost.mapping, cost.away)
            }
            None => format!("{:>11} {:>11}", "-", ""),
        });
        if report.figure(Side::Ub, name).is_some() {
            println!(
                "{}",
                format!("{title:<31} {} {}", cells[0], cells[1]).trim_end()
            );
        }
    }
    println!("maps: mmap and munmap; away: grace periods and other waiting, kernel threads");
}

/// Prints everything.
pub fn print(report: &Report) {
    print_part(report, Part::Floor, "THE MACHINE");
    print_part(report, Part::Data, "DATA PATH, from posting to completion");
    print_part(
        report,
        Part::Control,
        "CONTROL PATH, make and unmake, second and later",
    );
    print_apart(report);
}

/// Compares with the limits; tells whether all are kept.
pub fn judge(report: &Report) -> bool {
    let counted = |name| {
        report
            .figure(Side::Ub, name)
            .map(|figure| figure.median().counted)
    };
    let mut within = true;
    println!();
    for (name, most) in LIMITS {
        let value = counted(name).unwrap_or(u64::MAX);
        let kept = value <= most;
        within &= kept;
        println!(
            "{name}: {value}, limit {most}{}",
            if kept { "" } else { "  OVER" }
        );
    }
    let share = match (counted("copy_page_1m"), counted("write_1m")) {
        (Some(copy), Some(write)) if write != 0 => copy * 100 / write,
        _ => 0,
    };
    let kept = share >= SHARE_OF_COPY;
    println!(
        "write_1m: {share} % of the bandwidth of copy_page, at least {SHARE_OF_COPY} %{}",
        if kept { "" } else { "  UNDER" }
    );
    within &= kept;
    for (name, most) in SHARES_OF_RXE {
        let theirs = report.figure(Side::Rxe, name);
        let theirs = theirs.map_or(0, |figure| figure.median().counted);
        if theirs == 0 {
            continue;
        }
        let share = counted(name).map_or(u64::MAX, |ours| ours.saturating_mul(100) / theirs);
        let kept = share <= most;
        within &= kept;
        println!(
            "{name}: {share} % of rdma_rxe, limit {most} %{}",
            if kept { "" } else { "  OVER" }
        );
    }
    within
}

/// Prints the figures for programs: `@@BENCH name|title|median|minimum|maximum|...`, the last three
/// again for rdma_rxe.
pub fn print_plain(report: &Report) {
    for (_, name, title) in &ROWS {
        let cells = [Side::Ub, Side::Rxe].map(|side| match report.figure(side, name) {
            Some(figure) => {
                let least = figure.runs.first().map_or(0, |cost| cost.counted);
                let most = figure.runs.last().map_or(0, |cost| cost.counted);
                format!("{}|{least}|{most}", figure.median().counted)
            }
            None => "||".to_string(),
        });
        println!("@@BENCH {name}|{title}|{}|{}", cells[0], cells[1]);
    }
}
