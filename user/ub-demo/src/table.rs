// SPDX-License-Identifier: GPL-2.0

//! The table, for people.

use ub_client::sys::TickRate;

use crate::wire::Message;

/// What a tick of the processor's counter stands for.
#[derive(Debug, Clone, Copy)]
pub enum Unit {
    /// A time.
    Time(TickRate),
    /// An executed instruction.
    Instructions,
}

/// Sums over all rows, for the verdict.
#[derive(Debug, Default)]
pub struct Totals {
    /// Rows printed.
    pub rows: usize,
    /// Transfers made.
    pub transfers: u64,
    /// Bytes verified.
    pub bytes: u64,
    last_group: String,
}

/// A number with a comma before each three digits.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i != 0 && (digits.len() - i) % 3 == 0 {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

fn size(bytes: u64) -> String {
    match bytes {
        0x10_0000 => "1 MiB".to_string(),
        _ if bytes >= 1024 && bytes % 1024 == 0 => format!("{} KiB", bytes / 1024),
        _ => format!("{} B", grouped(bytes)),
    }
}

fn duration(ticks: u64, unit: Unit) -> String {
    match unit {
        Unit::Instructions => grouped(ticks),
        Unit::Time(rate) => match rate.ns(ticks) {
            ns if ns >= 10_000_000.0 => format!("{:.1} ms", ns / 1e6),
            ns => format!("{:.1} us", ns / 1e3),
        },
    }
}

/// The head of the table.
pub fn head(unit: Unit) -> String {
    let last = match unit {
        Unit::Time(_) => "time/op",
        Unit::Instructions => "instructions/op",
    };
    let line = format!(
        "{:<11}{:<9}{:>9}{:>8}{:>16}{:>17}",
        "operation", "mode", "size", "count", "verified bytes", last
    );
    format!("{line}\n{}", "-".repeat(line.len()))
}

impl Totals {
    /// A row of the table, made of a ROW message.
    pub fn row(&mut self, message: &Message, unit: Unit) -> Result<String, String> {
        let count = message.number("count")?;
        let bytes = message.number("bytes")?;
        let op = message.text("op")?;
        let mode = message.text("mode")?;
        let group = format!("{op} {mode}");
        let gap = if self.rows != 0 && group != self.last_group {
            "\n"
        } else {
            ""
        };
        self.last_group = group;
        self.rows += 1;
        self.transfers += count;
        self.bytes += bytes;
        Ok(format!(
            "{gap}{:<11}{:<9}{:>9}{:>8}{:>16}{:>17}",
            op,
            mode,
            size(message.number("size")?),
            count,
            grouped(bytes),
            duration(message.number("ticks")? / count.max(1), unit)
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_for_people() {
        assert_eq!(grouped(0), "0");
        assert_eq!(grouped(1234567), "1,234,567");
        assert_eq!(size(1), "1 B");
        assert_eq!(size(12345), "12,345 B");
        assert_eq!(size(4096), "4 KiB");
        assert_eq!(size(1 << 20), "1 MiB");
        assert_eq!(duration(12_345, Unit::Time(TickRate::ONE)), "12.3 us");
        assert_eq!(duration(12_345, Unit::Instructions), "12,345");
    }
}
