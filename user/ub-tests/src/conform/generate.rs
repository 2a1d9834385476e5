// SPDX-License-Identifier: GPL-2.0

//! From the ABI's tables in JSON to Rust. Part of the build script, and of the library's
//! own tests.

use std::fmt::Write as _;

use serde_json::Value;

/// Largest number of elements that the test offers for an array of any length.
const ARRAY_ROOM: u64 = 4;

/// The source of all commands, or what is wrong with the tables.
pub fn source(json: &str) -> Result<String, String> {
    let tables: Value = serde_json::from_str(json).map_err(|err| format!("no JSON: {err}"))?;
    let mut commands = String::new();
    let mut tests = String::new();
    for (key, event) in [("commands", false), ("event_commands", true)] {
        for command in list(&tables, key)? {
            let name = short_name(text(command, "name")?);
            let number = number(command, "number")?;
            write_command(&mut commands, command, event)?;
            let prefix = if event { "event_" } else { "" };
            let _ = writeln!(
                tests,
                "    crate::Test {{ name: \"{prefix}{}\", run: crate::conform::block::<{number}, {event}> }},",
                name.to_lowercase()
            );
        }
    }
    Ok(format!(
        "/// All commands of the ABI.\npub static COMMANDS: &[Command] = &[\n{commands}];\n\
         /// A test for each command.\npub static TESTS: &[crate::Test] = &[\n{tests}];\n"
    ))
}

fn write_command(out: &mut String, command: &Value, event: bool) -> Result<(), String> {
    let name = text(command, "name")?;
    let attrs = list(command, "attrs")?;
    if number(command, "args_len")? != 16 * attrs.len() as u64 {
        return Err(format!("{name}: args_len does not fit its attributes"));
    }
    let _ = writeln!(
        out,
        "    Command {{ number: {}, name: \"{}\", event: {event}, needs_context: {}, attrs: &[",
        number(command, "number")?,
        short_name(name),
        !event && flag(command, "needs_context")?
    );
    let mut in_order: Vec<&Value> = attrs.iter().collect();
    in_order.sort_by_key(|attr| attr["wire_order"].as_u64());
    for attr in in_order {
        write_attr(out, attr).map_err(|why| format!("{name}: {why}"))?;
    }
    out.push_str("    ] },\n");
    Ok(())
}

fn write_attr(out: &mut String, attr: &Value) -> Result<(), String> {
    let name = text(attr, "name")?;
    let id = number(attr, "type")?;
    let input = match text(attr, "dir")? {
        "in" => true,
        "out" => false,
        other => return Err(format!("{name}: direction {other}")),
    };
    if input != (id < 0x80) {
        return Err(format!("{name}: id {id:#x} is of the other direction"));
    }
    let size = number(attr, "field_size")?;
    let stride = number(attr, "el_size")?;
    let (count, shape) = match (attr["el_num"].as_u64(), stride) {
        (Some(1), 0) => (1, "Single"),
        (Some(count), 1..) => (count, "Strided"),
        (None, 1..) => (ARRAY_ROOM, "Array"),
        _ => return Err(format!("{name}: el_num and el_size make no sense")),
    };
    let optional = match (text(attr, "recommended")?, input) {
        ("required", true) => false,
        ("optional", true) | ("write", false) => true,
        (other, _) => return Err(format!("{name}: {other}?")),
    };
    let _ = writeln!(
        out,
        "        Attr {{ id: {id:#04x}, name: \"{}\", input: {input}, kind: Kind::{}, shape: \
         Shape::{shape}, size: {size}, count: {count}, stride: {stride}, optional: {optional} }},",
        name.trim_start_matches("UBURMA_"),
        kind(text(attr, "value")?, input)
    );
    Ok(())
}

/// What the test has to know about a type.
fn kind(value: &str, input: bool) -> &'static str {
    match value {
        "u8" | "u16" | "u32" | "u64" | "s32" => "Number",
        "struct uburma_udata" => "Udata",
        // Priorities are all there always; of other arrays the front is written.
        "struct uburma_sl_info[16]" => "Blob",
        _ if !input && value.starts_with("struct") && value.ends_with(']') => "Front",
        _ if !input && value.starts_with("u64[") => "Front",
        _ => "Blob",
    }
}

/// The name without what all have in common.
fn short_name(name: &str) -> &str {
    name.trim_start_matches("UBURMA_")
        .trim_start_matches("EVENT_")
        .trim_start_matches("CMD_")
}

fn list<'a>(value: &'a Value, key: &str) -> Result<&'a Vec<Value>, String> {
    value[key].as_array().ok_or(format!("no list '{key}'"))
}

fn text<'a>(value: &'a Value, key: &str) -> Result<&'a str, String> {
    value[key].as_str().ok_or(format!("no text '{key}'"))
}

fn number(value: &Value, key: &str) -> Result<u64, String> {
    value[key].as_u64().ok_or(format!("no number '{key}'"))
}

fn flag(value: &Value, key: &str) -> Result<bool, String> {
    value[key]
        .as_bool()
        .ok_or(format!("no truth value '{key}'"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: &str = r#"{"commands": [{"name": "UBURMA_CMD_X", "number": 7, "args_len": 32,
        "needs_context": true, "attrs": [
        {"type": 128, "name": "UBURMA_X_OUT_B", "dir": "out", "value": "u64[16]",
         "field_size": 128, "el_num": 1, "el_size": 0, "recommended": "write", "wire_order": 1},
        {"type": 0, "name": "UBURMA_X_IN_A", "dir": "in", "value": "u32", "field_size": 4,
         "el_num": 1, "el_size": 0, "recommended": "required", "wire_order": 0}]}],
        "event_commands": []}"#;

    #[test]
    fn a_command_becomes_rust_in_wire_order() {
        let source = source(ONE).unwrap();
        assert!(source.contains("number: 7, name: \"X\", event: false, needs_context: true"));
        assert!(source.find("X_IN_A").unwrap() < source.find("X_OUT_B").unwrap());
        assert!(source.contains("kind: Kind::Front"));
        assert!(source.contains("name: \"x\", run: crate::conform::block::<7, false>"));
    }

    #[test]
    fn wrong_tables_are_refused() {
        for (from, to) in [
            ("\"args_len\": 32", "\"args_len\": 33"),
            ("\"type\": 128", "\"type\": 127"),
            ("\"dir\": \"in\"", "\"dir\": \"to\""),
            (
                "\"recommended\": \"required\"",
                "\"recommended\": \"perhaps\"",
            ),
            ("\"event_commands\"", "\"other\""),
        ] {
            assert!(source(&ONE.replace(from, to)).is_err(), "{from} as {to}");
        }
        assert!(source("{").is_err());
    }

    #[test]
    fn the_real_tables_are_complete() {
        let json = include_str!("../../../../selftests/abi/uburma-abi.json");
        let source = source(json).unwrap();
        assert_eq!(source.matches("Command {").count(), 88);
        assert_eq!(source.matches("Attr {").count(), 667);
    }
}
