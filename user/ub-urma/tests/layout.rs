// SPDX-License-Identifier: GPL-2.0

//! Compares this crate with the tables of the interface, `selftests/abi/provider.json`. Both
//! directions: nothing may be missing here, and nothing be here that the tables do not know.

use std::collections::BTreeSet;

use serde_json::Value;
use ub_urma::flags::FLAG_WORDS;
use ub_urma::{all_layouts, ops_layout, NUMBERS};

fn tables() -> Value {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../selftests/abi/provider.json"
    );
    let text = std::fs::read_to_string(path).expect("the tables can be read");
    serde_json::from_str(&text).expect("the tables are JSON")
}

fn names(value: &Value) -> BTreeSet<String> {
    value
        .as_object()
        .expect("an object")
        .keys()
        .cloned()
        .collect()
}

fn number(value: &Value) -> i64 {
    value.as_i64().expect("a number")
}

/// Name and two numbers.
fn triples(value: &Value) -> Vec<(String, i64, i64)> {
    let list = value.as_array().expect("an array");
    list.iter()
        .map(|entry| {
            let name = entry[0].as_str().expect("a name").to_string();
            (name, number(&entry[1]), number(&entry[2]))
        })
        .collect()
}

#[test]
fn every_structure_and_member() {
    let tables = tables();
    let structs = &tables["structs"];
    for layout in all_layouts() {
        let expected = &structs[layout.name];
        assert!(expected.is_object(), "{} is not in the tables", layout.name);
        assert_eq!(
            number(&expected["size"]),
            layout.size as i64,
            "size of {}",
            layout.name
        );
        let mut seen: Vec<_> = layout
            .fields
            .iter()
            .map(|(name, at, size)| (name.to_string(), *at as i64, *size as i64))
            .collect();
        if layout.name == "urma_tp_attr_value" {
            // One array here; the tables do not tell of bit-fields without a word.
            assert_eq!(seen, [("raw".to_string(), 0, 128)]);
            seen.clear();
        }
        assert_eq!(
            seen,
            triples(&expected["fields"]),
            "members of {}",
            layout.name
        );
    }
}

#[test]
fn every_field_of_the_flags() {
    let tables = tables();
    for word in FLAG_WORDS {
        let expected = &tables["structs"][word.name];
        assert_eq!(
            number(&expected["size"]),
            word.size as i64,
            "size of {}",
            word.name
        );
        let seen: Vec<_> = word
            .fields
            .iter()
            .map(|(name, shift, width)| (name.to_string(), i64::from(*shift), i64::from(*width)))
            .collect();
        assert_eq!(seen, triples(&expected["bits"]), "fields of {}", word.name);
    }
}

#[test]
fn nothing_is_missing() {
    let here: BTreeSet<String> = all_layouts()
        .map(|layout| layout.name)
        .chain(FLAG_WORDS.iter().map(|word| word.name))
        .map(str::to_string)
        .collect();
    assert_eq!(here, names(&tables()["structs"]));
}

#[test]
fn every_operation() {
    let tables = tables();
    let ops = &tables["ops"];
    let layout = ops_layout();
    assert_eq!(number(&tables["ops_size"]), layout.size as i64);
    for (slot, (name, offset, size)) in layout.fields.iter().enumerate() {
        assert_eq!(number(&ops[*name][0]), slot as i64, "slot of {name}");
        assert_eq!(number(&ops[*name][1]), *offset as i64, "offset of {name}");
        assert_eq!(*size, 8, "size of {name}");
    }
    assert_eq!(layout.fields.len(), names(ops).len());
}

#[test]
fn every_number() {
    let tables = tables();
    for (list, items) in NUMBERS {
        let expected = match *list {
            "urma_status" => &tables["status"],
            "constants" => continue,
            other => &tables["enums"][other],
        };
        assert_eq!(names(expected).len(), items.len(), "length of {list}");
        for (name, value) in *items {
            assert_eq!(number(&expected[*name]), *value, "{name}");
        }
    }
    let enums: BTreeSet<String> = NUMBERS
        .iter()
        .map(|(list, _)| list.to_string())
        .filter(|list| list != "urma_status" && list != "constants")
        .collect();
    assert_eq!(enums, names(&tables["enums"]));
}

#[test]
fn every_helper_is_declared() {
    // What no provider needs is left out.
    const UNUSED: [&str; 4] = [
        "urma_cmd_get_net_addr_list",
        "urma_cmd_query_device_attr",
        "urma_read_sysfs_file",
        "urma_register_sysfs_dev",
    ];
    let source = include_str!("../src/liburma.rs");
    let tables = tables();
    for name in tables["helpers"].as_array().expect("an array") {
        let name = name.as_str().expect("a name");
        let declared = source.contains(&format!("pub fn {name}("));
        assert_eq!(declared, !UNUSED.contains(&name), "{name}");
    }
}
