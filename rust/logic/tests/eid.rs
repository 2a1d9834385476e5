// SPDX-License-Identifier: GPL-2.0

//! Tests of EID texts and tables; the address parser of `std` is the referee.

use super::*;
use crate::env::{
    fail_allocation,
    ENOMEM,
    GFP_KERNEL, //
};
use proptest::prelude::*;
use std::net::{
    Ipv4Addr,
    Ipv6Addr, //
};

/// What `std` makes of a text.
fn referee(text: &str) -> Option<Eid> {
    if let Ok(v6) = text.parse::<Ipv6Addr>() {
        return Some(Eid(v6.octets()));
    }
    text.parse::<Ipv4Addr>()
        .ok()
        .map(|v4| Eid::from_ipv4(v4.octets()))
}

#[test]
fn texts() {
    let texts = [
        "::",
        "::1",
        "1::",
        "1:2:3:4:5:6:7:8",
        "1:2:3:4:5:6:7::",
        "::2:3:4:5:6:7:8",
        "1::3:4:5:6:7:8",
        "::ffff:1.2.3.4",
        "1.2.3.4",
        "255.255.255.255",
        "0.0.0.0",
        "1:2:3:4:5:6:1.2.3.4",
        "1::1.2.3.4",
        "ABCD::ef01",
        "fe80::1",
        // Wrong ones.
        "",
        ":",
        ":::",
        "1",
        "1:2",
        "1:2:3:4:5:6:7:8:9",
        "1:2:3:4:5:6:7:8::",
        "::1::2",
        "1:2:3:4:5:6:7:",
        ":1:2:3:4:5:6:7",
        "12345::",
        "g::",
        "1.2.3",
        "1.2.3.4.5",
        "256.1.1.1",
        "01.2.3.4",
        "1.2.3.",
        ".1.2.3",
        "1.2.3.4::",
        "::1.2.3.4:5",
        "1:2:3:4:5:6:7:1.2.3.4",
        "::1%eth0",
        " ::1",
        "::1 ",
        "1..2.3",
        "+1::",
        "1.2.3.+4",
        "::-1",
    ];
    for text in texts {
        assert_eq!(Eid::parse(text.as_bytes()).ok(), referee(text), "{text:?}");
    }
}

#[test]
fn uncompressed_form() {
    let eid = Eid::parse(b"4245:4944::a01:0").unwrap();
    assert_eq!(
        eid.text().as_str(),
        "4245:4944:0000:0000:0000:0000:0a01:0000"
    );
    assert_eq!(format!("{eid}"), eid.text().as_str());
    assert_eq!(format!("{eid:?}"), eid.text().as_str());
}

#[test]
fn ipv4_mapping() {
    let eid = Eid::from_ipv4([10, 0, 0, 1]);
    assert!(eid.is_ipv4_mapped());
    assert_eq!(eid.to_ipv4(), Some([10, 0, 0, 1]));
    assert_eq!(
        eid.text().as_str(),
        "0000:0000:0000:0000:0000:ffff:0a00:0001"
    );
    assert!(!Eid::ZERO.is_ipv4_mapped());
    assert!(Eid::ZERO.is_zero() && !eid.is_zero());
}

#[test]
fn table_rules() {
    let one = Eid::from_ipv4([1, 1, 1, 1]);
    let two = Eid::from_ipv4([2, 2, 2, 2]);
    assert_eq!(EidTable::<()>::new(0, GFP_KERNEL).err(), Some(EINVAL));
    assert_eq!(EidTable::<()>::new(1025, GFP_KERNEL).err(), Some(EINVAL));
    let mut table = EidTable::new(2, GFP_KERNEL).unwrap();
    assert_eq!(table.add_at(2, one, 'a'), Err(EINVAL));
    assert_eq!(table.add_at(u32::MAX, one, 'a'), Err(EINVAL));
    assert_eq!(table.add_at(0, Eid::ZERO, 'a'), Err(EINVAL));
    assert_eq!(table.add(Eid::ZERO, 'a'), Err(EINVAL));
    assert_eq!(table.add_at(1, one, 'a'), Ok(()));
    assert_eq!(table.add_at(1, two, 'b'), Err(EEXIST));
    assert_eq!(table.add_at(0, one, 'b'), Err(EEXIST));
    assert_eq!(table.add(one, 'b'), Err(EEXIST));
    assert_eq!(table.find(&one), Some(1));
    assert_eq!(table.find(&Eid::ZERO), None);
    assert_eq!(table.get(0), None);
    assert_eq!(table.get(2), None);
    assert_eq!(table.add(two, 'b'), Ok(0));
    assert_eq!(table.add(Eid::from_ipv4([3; 4]), 'c'), Err(ENOSPC));
    assert_eq!(table.set_tag(1, 'z'), Ok('a'));
    assert_eq!(table.remove_at(1), Ok((one, 'z')));
    assert_eq!(table.remove_at(1), Err(ENOENT));
    assert_eq!(table.remove_at(9), Err(EINVAL));
    assert_eq!(table.set_tag(1, 'x'), Err(ENOENT));
    assert_eq!((table.capacity(), table.count()), (2, 1));
}

#[test]
fn table_without_memory() {
    let result = fail_allocation(0, || EidTable::<u32>::new(16, GFP_KERNEL));
    assert_eq!(result.err(), Some(ENOMEM));
    // One allocation is all a table ever takes.
    let table = fail_allocation(1, || {
        let mut table = EidTable::new(16, GFP_KERNEL)?;
        for i in 1..=16 {
            table.add(Eid::from_ipv4([i; 4]), i)?;
        }
        Ok::<_, crate::env::Error>(table)
    });
    assert_eq!(table.map(|t| t.count()), Ok(16));
}

proptest! {
    #[test]
    fn texts_round_trip(bytes in any::<[u8; 16]>()) {
        let eid = Eid(bytes);
        prop_assert_eq!(Eid::parse(eid.text().as_bytes()), Ok(eid));
        let short = Ipv6Addr::from(bytes).to_string();
        prop_assert_eq!(Eid::parse(short.as_bytes()), Ok(eid));
    }

    #[test]
    fn agrees_with_std(text in "[0-9a-g:.]{0,24}") {
        prop_assert_eq!(Eid::parse(text.as_bytes()).ok(), referee(&text));
    }

    #[test]
    fn agrees_with_std_near_misses(
        groups in prop::collection::vec("[0-9a-f]{1,5}|\\.?[0-9]{1,3}\\.[0-9.]{3,7}|", 1..10),
    ) {
        let text = groups.join(":");
        prop_assert_eq!(Eid::parse(text.as_bytes()).ok(), referee(&text));
    }

    #[test]
    fn arbitrary_bytes_never_panic(text in prop::collection::vec(any::<u8>(), 0..64)) {
        if let Ok(eid) = Eid::parse(&text) {
            prop_assert_eq!(Eid::parse(eid.text().as_bytes()), Ok(eid));
        }
    }

    /// The table behaves like a map from index to EID without duplicates.
    #[test]
    fn table_against_map(ops in prop::collection::vec((0u8..3, 0u32..6, 0u8..5), 0..100)) {
        let mut table = EidTable::new(4, GFP_KERNEL).unwrap();
        let mut map = std::collections::BTreeMap::new();
        for (op, index, name) in ops {
            let eid = Eid::from_bytes([name; 16]);
            let fresh = name != 0 && !map.values().any(|&known| known == eid);
            match op {
                0 => {
                    let ok = fresh && index < 4 && !map.contains_key(&index);
                    prop_assert_eq!(table.add_at(index, eid, ()).is_ok(), ok);
                    if ok { map.insert(index, eid); }
                }
                1 => {
                    let free = (0..4).find(|i| !map.contains_key(i)).filter(|_| fresh);
                    prop_assert_eq!(table.add(eid, ()).ok(), free);
                    if let Some(index) = free { map.insert(index, eid); }
                }
                _ => {
                    prop_assert_eq!(table.remove_at(index).ok().map(|e| e.0), map.remove(&index));
                }
            }
            prop_assert!(table.iter().map(|(i, e, ())| (i, *e)).eq(map.clone()));
        }
    }
}
