// SPDX-License-Identifier: GPL-2.0
//! Runs bindgen over the headers and turns the tables into test functions.
//!
//! The environment variable `BINDGEN` names the bindgen program, else the one
//! in `PATH` is taken.

use serde_json::Value;
use std::env;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Headers that are compared, relative to `include/uapi`.
const HEADERS: [&str; 2] = ["ub/uburma.h", "ub/uburma_cmds.h"];

fn main() {
    let here = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("set by cargo"));
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("set by cargo"));
    let include = here.join("../../../include/uapi");
    let tables = here.join("../uburma-abi.json");

    println!("cargo:rerun-if-env-changed=BINDGEN");
    println!("cargo:rerun-if-changed={}", tables.display());
    for header in HEADERS {
        println!("cargo:rerun-if-changed={}", include.join(header).display());
    }

    bindgen(&include, &out);
    let text = fs::read_to_string(&tables).expect("tables can be read");
    let tables: Value = serde_json::from_str(&text).expect("tables are JSON");
    fs::write(out.join("checks.rs"), Checks::new(&tables).source).expect("OUT_DIR is writable");
}

/// Runs bindgen; writes `abi.rs`.
fn bindgen(include: &Path, out: &Path) {
    let wrapper = out.join("abi.h");
    let text: String = HEADERS
        .iter()
        .map(|h| format!("#include <{h}>\n"))
        .collect();
    fs::write(&wrapper, text).expect("OUT_DIR is writable");

    let program = env::var_os("BINDGEN").unwrap_or_else(|| "bindgen".into());
    let status = Command::new(&program)
        .args(["--allowlist-file", ".*/ub/uburma(_cmds)?\\.h"])
        .args(["--no-prepend-enum-name", "--no-doc-comments"])
        .args(["--no-layout-tests", "--formatter", "none", "-o"])
        .arg(out.join("abi.rs"))
        .arg(&wrapper)
        .args(["--", "-I"])
        .arg(include)
        .status();
    match status {
        Ok(status) if status.success() => (),
        Ok(status) => panic!("{} failed: {status}", program.to_string_lossy()),
        Err(e) => panic!("cannot run {}: {e}", program.to_string_lossy()),
    }
}

/// Source of the test functions: one module per group of the tables, one
/// function per command, structure, enumeration, ...
struct Checks {
    source: String,
}

impl Checks {
    fn new(t: &Value) -> Self {
        let mut c = Checks {
            source: String::new(),
        };
        c.group("ioctl_numbers", |c| {
            list(&t["ioctls"]).for_each(|i| c.ioctl(i))
        });
        c.group("constants", |c| {
            for e in list(&t["constants"]) {
                c.case(name(e), &[constant(name(e), &e["value"])]);
            }
        });
        c.group("command_numbers", |c| {
            for e in commands(t) {
                c.case(name(e), &[constant(name(e), &e["number"])]);
            }
        });
        c.group("attributes", |c| commands(t).for_each(|e| c.attributes(e)));
        c.group("structures", |c| {
            list(&t["structs"]).for_each(|s| c.structure(s))
        });
        c.group("enumerations", |c| {
            for (tag, values) in map(&t["enums"]) {
                let mut rows = vec![row("size", &format!("size_of::<abi::{tag}>()"), &4.into())];
                rows.extend(map(values).map(|(k, v)| constant(k, v)));
                c.case(tag, &rows);
            }
        });
        c.group("flags", |c| {
            map(&t["flags"]).for_each(|(tag, word)| c.flags(tag, word))
        });
        c.group("options", |c| {
            for e in list(&t["options"]) {
                c.case(name(e), &[constant(name(e), &e["id"])]);
            }
        });
        c
    }

    /// Adds a module filled by `body`.
    fn group(&mut self, tag: &str, body: impl FnOnce(&mut Self)) {
        let _ = writeln!(self.source, "mod {tag} {{\n    use super::*;");
        body(self);
        self.source.push_str("}\n");
    }

    /// Adds a test function that makes the checks `rows`.
    fn case(&mut self, tag: &str, rows: &[String]) {
        let _ = writeln!(
            self.source,
            "    #[test]\n    fn {}() {{\n        check(&[",
            tag.to_lowercase()
        );
        for r in rows {
            let _ = writeln!(self.source, "            {r},");
        }
        self.source.push_str("        ]);\n    }\n");
    }

    /// bindgen does not evaluate `_IOWR()`: the number is put together again.
    fn ioctl(&mut self, i: &Value) {
        let n = name(i);
        let number =
            format!("iowr::<abi::uburma_cmd_hdr>(abi::{n}_MAGIC as u32, abi::{n}_NR as u32)");
        let rows = [
            row(n, &number, &i["value"]),
            row("size", "size_of::<abi::uburma_cmd_hdr>()", &i["size"]),
        ];
        self.case(n, &rows);
    }

    fn attributes(&mut self, command: &Value) {
        let tag = text(&command["attr_enum"]);
        let mut rows = vec![row("size", &format!("size_of::<abi::{tag}>()"), &4.into())];
        for a in list(&command["attrs"]) {
            rows.push(constant(name(a), &a["type"]));
            let size = value_size(text(&a["value"]));
            rows.push(row(
                &format!("size of {}", name(a)),
                &size,
                &a["field_size"],
            ));
        }
        self.case(name(command), &rows);
    }

    fn structure(&mut self, s: &Value) {
        let ty = format!("abi::{}", name(s));
        let mut rows = vec![
            row("size", &format!("size_of::<{ty}>()"), &s["size"]),
            row("alignment", &format!("align_of::<{ty}>()"), &s["align"]),
        ];
        for f in list(&s["fields"]) {
            let path = rust_path(name(f));
            rows.push(row(
                &format!("offset of {path}"),
                &format!("offset_of!({ty}, {path})"),
                &f["offset"],
            ));
            rows.push(row(
                &format!("size of {path}"),
                // SAFETY of the generated block: the closure is never called.
                &format!("field_size(|p: *const {ty}| unsafe {{ &raw const (*p).{path} }})"),
                &f["size"],
            ));
        }
        for b in s["bits"].as_array().into_iter().flatten() {
            let (mask, field) = (text(&b["mask"]), rust_path(text(&b["field"])));
            let start = format!("8 * offset_of!({ty}, {field}) as i128");
            rows.push(row(
                &format!("first bit of {mask}"),
                &format!("abi::{mask}.trailing_zeros() as i128 + {start}"),
                &b["bit_offset"],
            ));
            rows.push(row(
                &format!("width of {mask}"),
                &format!("width(abi::{mask})"),
                &b["bit_size"],
            ));
        }
        self.case(name(s), &rows);
    }

    fn flags(&mut self, tag: &str, word: &Value) {
        let mut rows = Vec::new();
        for b in list(&word["bits"]) {
            let bit = b["bit"].as_u64().expect("bit is a number");
            let width = b["width"].as_u64().expect("width is a number");
            let mask = ((1u64 << width) - 1) << bit;
            if width == 1 {
                rows.push(constant(name(b), &mask.into()));
            } else {
                rows.push(constant(&format!("{}_MASK", name(b)), &mask.into()));
                rows.push(constant(&format!("{}_SHIFT", name(b)), &bit.into()));
            }
        }
        self.case(tag, &rows);
    }
}

/// A check that the Rust expression `actual` has the value `expected`.
fn row(what: &str, actual: &str, expected: &Value) -> String {
    format!("({what:?}, ({actual}) as i128, {expected})")
}

/// A check of a constant of the headers.
fn constant(tag: &str, expected: &Value) -> String {
    row(tag, &format!("abi::{tag}"), expected)
}

/// Rust expression for the size of an attribute element of type `value`.
fn value_size(value: &str) -> String {
    // The elements of a strided or variable array are attribute elements.
    let strided = value.ends_with(", strided");
    let value = value.trim_end_matches(", strided");
    let (ty, count) = match value.trim_end_matches(']').split_once('[') {
        Some((ty, count)) if !strided && !count.is_empty() => (ty, count),
        Some((ty, _)) => (ty, "1"),
        None => (value, "1"),
    };
    let ty = match ty.split_once(' ') {
        Some((_, tag)) => format!("abi::{tag}"),
        None if ty == "char" => "u8".to_string(),
        None => ty.replace("s32", "i32"),
    };
    format!("size_of::<{ty}>() * {count}")
}

/// A member path as bindgen spells it.
fn rust_path(path: &str) -> String {
    path.split('.')
        .map(|p| match p {
            "in" | "type" => format!("{p}_"),
            _ => p.to_string(),
        })
        .collect::<Vec<_>>()
        .join(".")
}

fn commands(t: &Value) -> impl Iterator<Item = &Value> {
    list(&t["commands"]).chain(list(&t["event_commands"]))
}

fn list(v: &Value) -> impl Iterator<Item = &Value> {
    v.as_array().expect("an array").iter()
}

fn map(v: &Value) -> impl Iterator<Item = (&String, &Value)> {
    v.as_object().expect("an object").iter()
}

fn name(v: &Value) -> &str {
    text(&v["name"])
}

fn text(v: &Value) -> &str {
    v.as_str().expect("a string")
}
