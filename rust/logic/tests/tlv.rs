// SPDX-License-Identifier: GPL-2.0

//! Tests of the TLV codec.

use super::*;
use proptest::prelude::*;

fn header(command: u32, args_len: u32, args_addr: u64) -> [u64; 2] {
    [u64::from(command) | u64::from(args_len) << 32, args_addr]
}

fn attr(id: u8, field_size: u16, el_num: u16, el_size: u16, data: u64) -> Record {
    let shape = u64::from(el_num) << 32 | u64::from(el_size) << 44;
    [u64::from(id) | u64::from(field_size) << 16 | shape, data]
}

#[test]
fn header_limits() {
    let device = |len, addr| Header::parse(header(19, len, addr), Channel::Device);
    let event = |len| Header::parse(header(1, len, 1), Channel::Event).map(|h| h.attr_count());
    assert_eq!(
        device(16, 0x1000),
        Ok(Header {
            command: 19,
            args_len: 16,
            args_addr: 0x1000
        })
    );
    assert_eq!(device(832, 1).map(|h| h.attr_count()), Ok(52));
    assert_eq!(device(2032, 1).map(|h| h.attr_count()), Ok(127));
    for len in [
        0,
        1,
        15,
        17,
        2033,
        2048,
        4096,
        25600,
        25616,
        u32::MAX,
        u32::MAX - 15,
    ] {
        assert_eq!(device(len, 1), Err(EINVAL), "{len}");
    }
    assert_eq!(device(16, 0), Err(EINVAL));
    assert_eq!(event(240), Ok(15));
    assert_eq!(event(256), Err(EINVAL));
}

#[test]
fn worked_example() {
    // CREATE_JFCE: one output of four bytes.
    let raw: [u8; ATTR_LEN] = [
        0x80, 0, 4, 0, 1, 0, 0, 0, 0x10, 0x32, 0x54, 0x76, 0, 0, 0, 0,
    ];
    let word = |at| u64::from_ne_bytes(*raw[at..].first_chunk().unwrap());
    let raw = [[word(0), word(8)]];
    let table = AttrTable::new(&raw).unwrap();
    let plan = table.output(&AttrSpec::output(0x80, 4)).unwrap().unwrap();
    assert_eq!(
        plan,
        OutPlan {
            addr: 0x7654_3210,
            size: 4,
            count: 1,
            stride: 0
        }
    );
    assert_eq!(plan.element(0), Ok((0x7654_3210, 4)));
    assert_eq!(plan.element(1), Err(EINVAL));
}

#[test]
fn table_lengths() {
    assert!(AttrTable::new(&[]).is_err());
    assert!(AttrTable::new(&[[0; 2]; 128]).is_err());
    assert_eq!(AttrTable::new(&[[0; 2]; 127]).unwrap().len(), 127);
}

#[test]
fn inputs() {
    let raw = [
        attr(3, 8, 1, 0, 0x30),
        attr(3, 4, 1, 0, 0x31),
        attr(4, 4, 2, 0, 0x40),
        attr(5, 16, 1, 0, u64::MAX - 14),
        attr(6, 16, 1, 0, u64::MAX - 16),
    ];
    let table = AttrTable::new(&raw).unwrap();
    // The first record of an id wins, whatever its place.
    assert_eq!(
        table.input(&AttrSpec::input(3, 8)),
        Ok(Some(InPlan { addr: 0x30, len: 8 }))
    );
    assert_eq!(table.input(&AttrSpec::input(3, 4)), Err(EINVAL));
    assert_eq!(table.input(&AttrSpec::optional_input(3, 4)), Err(EINVAL));
    assert_eq!(table.input(&AttrSpec::input(4, 4)), Err(EINVAL));
    assert_eq!(table.input(&AttrSpec::input(5, 16)), Err(EFAULT));
    assert!(table.input(&AttrSpec::input(6, 16)).is_ok());
    assert_eq!(table.input(&AttrSpec::input(9, 4)), Err(EINVAL));
    assert_eq!(table.input(&AttrSpec::optional_input(9, 4)), Ok(None));
}

#[test]
fn outputs() {
    let raw = [
        attr(0xa5, 4, 8, 20, 0x1000),
        attr(0xa6, 4, 8, 24, 0x1000),
        attr(0xa7, 4, 7, 20, 0x1000),
        attr(0xa8, 4, 9, 20, u64::MAX - 143),
        attr(0xa9, 4, 8, 20, u64::MAX - 144),
        attr(0x81, 56, 3, 56, 0x2000),
        attr(0x82, 56, 0, 56, 0x2000),
        attr(0x83, 56, 4095, 56, 0x2000),
    ];
    let table = AttrTable::new(&raw).unwrap();
    let strided = |id| table.output(&AttrSpec::strided_output(id, 4, 8, 20));
    let plan = strided(0xa5).unwrap().unwrap();
    assert_eq!(plan.element(7), Ok((0x1000 + 140, 4)));
    assert_eq!(plan.element(8), Err(EINVAL));
    assert_eq!(strided(0xa6), Err(EINVAL));
    assert_eq!(strided(0xa7), Err(EINVAL));
    assert_eq!(strided(0xa8), Err(EFAULT));
    assert!(strided(0xa9).is_ok());
    assert_eq!(strided(0xaa), Ok(None));

    let array = |id| {
        table
            .output(&AttrSpec::array_output(id, 56, 16))
            .map(|p| p.map(|p| p.count))
    };
    assert_eq!(array(0x81), Ok(Some(3)));
    assert_eq!(array(0x82), Ok(Some(0)));
    assert_eq!(array(0x83), Ok(Some(16)));
    assert_eq!(array(0x84), Ok(None));
    assert_eq!(
        table.output(&AttrSpec::required_output(0x84, 4)),
        Err(EINVAL)
    );
}

#[test]
fn whole_command() {
    let raw = [attr(0, 4, 1, 0, 1), attr(0x80, 8, 1, 0, 1)];
    let table = AttrTable::new(&raw).unwrap();
    let inputs = [AttrSpec::input(0, 4), AttrSpec::optional_input(1, 32)];
    let result = |outputs: &[AttrSpec]| table.check(&inputs, outputs, |_| Ok(()));
    let output = AttrSpec::output(0x80, 8);
    table
        .check(&inputs, &[output], |checked| {
            for (place, spec) in inputs.iter().enumerate() {
                assert_eq!(Ok(checked.input(place, spec)), table.input(spec));
            }
            assert_eq!(Ok(checked.output(2, &output)), table.output(&output));
            Ok(())
        })
        .unwrap();
    assert_eq!(result(&[AttrSpec::output(0x80, 4)]), Err(EINVAL));
    assert_eq!(
        table.check(&[AttrSpec::input(1, 4)], &[], |_| Ok(())),
        Err(EINVAL)
    );
    assert_eq!(
        table.check(&inputs, &[output], |_| Err::<(), _>(EFAULT)),
        Err(EFAULT)
    );
}

#[test]
fn spec_tables() {
    use Direction::{Input, Output};
    const GOOD: [AttrSpec; 2] = [
        AttrSpec::output(0x80, 4),
        AttrSpec::array_output(0x81, 56, 9),
    ];
    const _: () = assert!(specs_are_valid(&GOOD, Output));
    assert!(!specs_are_valid(&GOOD, Input));
    assert!(specs_are_valid(&[], Input));
    assert!(!specs_are_valid(&[AttrSpec::input(1, 0)], Input));
    assert!(!specs_are_valid(&[AttrSpec::input(0x80, 4)], Input));
    assert!(!specs_are_valid(
        &[AttrSpec::input(1, 4), AttrSpec::input(1, 8)],
        Input
    ));
    assert!(!specs_are_valid(
        &[AttrSpec::strided_output(0x80, 8, 2, 4)],
        Output
    ));
}

fn spec() -> impl Strategy<Value = AttrSpec> {
    (any::<u8>(), 1u16..64, 1u16..9, 0u16..64, 0u8..5).prop_map(|(id, size, n, stride, kind)| {
        match kind {
            0 => AttrSpec::input(id & 0x7f, size),
            1 => AttrSpec::optional_input(id & 0x7f, size),
            2 => AttrSpec::output(id | 0x80, size),
            3 => AttrSpec::strided_output(id | 0x80, size, n, size + stride),
            _ => AttrSpec::array_output(id | 0x80, size, n),
        }
    })
}

proptest! {
    #[test]
    fn records_are_read(
        id in any::<u8>(),
        size in any::<u16>(),
        el_num in 0u16..0x1000,
        el_size in 0u16..0x1000,
        data in any::<u64>(),
    ) {
        let read = Attr::decode(&attr(id, size, el_num, el_size, data));
        prop_assert_eq!(
            (read.field_size(), read.el_num(), read.el_size(), read.data),
            (size, el_num, el_size, data)
        );
    }

    #[test]
    fn any_header(raw in any::<[u64; 2]>(), event in any::<bool>()) {
        let channel = if event { Channel::Event } else { Channel::Device };
        if let Ok(header) = Header::parse(raw, channel) {
            prop_assert!((1..=MAX_ATTRS).contains(&header.attr_count()));
        }
    }

    /// No byte of the array can make a plan longer than its spec or wrap the address space.
    #[test]
    fn any_array(raw in prop::collection::vec(any::<Record>(), 0..130), specs in prop::collection::vec(spec(), 1..20)) {
        let Ok(table) = AttrTable::new(&raw) else { return Ok(()) };
        for spec in specs {
            if let Ok(Some(plan)) = table.input(&spec) {
                prop_assert_eq!(plan.len, usize::from(spec.size));
                prop_assert!(plan.addr.checked_add(plan.len as u64).is_some());
            }
            if let Ok(Some(plan)) = table.output(&spec) {
                prop_assert!(plan.count <= spec.el_num);
                prop_assert_eq!((plan.size, plan.stride), (usize::from(spec.size), spec.stride));
                for i in 0..plan.count {
                    let (addr, len) = plan.element(i).unwrap();
                    prop_assert!(addr.checked_add(len as u64).is_some());
                }
            }
        }
    }

    /// Small alphabets, so that ids and shapes do match.
    #[test]
    fn first_record_wins(ids in prop::collection::vec(0u8..8, 1..128), want in 0u8..8) {
        let attrs: Vec<_> = ids.iter().zip(0u64..).map(|(&id, at)| attr(id, 4, 1, 0, at)).collect();
        let Ok(table) = AttrTable::new(&attrs) else { return Ok(()) };
        let first = ids.iter().position(|&id| id == want);
        let plan = table.input(&AttrSpec::optional_input(want, 4)).unwrap();
        prop_assert_eq!(plan.map(|p| p.addr), first.map(|at| at as u64));
    }

    /// Whatever the order of the records, a command sees the same.
    #[test]
    fn order_does_not_matter(
        records in prop::collection::vec((0u8..6, any::<bool>(), 1u16..3, 1u16..3, any::<u64>()), 1..12),
        sorted in any::<bool>(),
    ) {
        let mut attrs: Vec<_> = records
            .iter()
            .map(|&(id, output, size, n, at)| attr(id | u8::from(output) << 7, size * 4, n, 0, at))
            .collect();
        if sorted {
            attrs.sort_by_key(|[head, _]| *head as u8);
        }
        let inputs = [0, 1, 2].map(|id| AttrSpec::optional_input(id, 4));
        let outputs = [0x80, 0x81].map(|id| AttrSpec::output(id, 4));
        let table = AttrTable::new(&attrs).unwrap();
        let one_by_one = || {
            let ins: Vec<_> = inputs.iter().map(|spec| table.input(spec)).collect::<Result<_>>()?;
            let outs: Vec<_> = outputs.iter().map(|spec| table.output(spec)).collect::<Result<_>>()?;
            Ok((ins, outs))
        };
        let at_once = table.check(&inputs, &outputs, |checked| {
            let ins: Vec<_> =
                inputs.iter().enumerate().map(|(at, spec)| checked.input(at, spec)).collect();
            let outs: Vec<_> =
                outputs.iter().zip(3..).map(|(spec, at)| checked.output(at, spec)).collect();
            Ok((ins, outs))
        });
        prop_assert_eq!(at_once, one_by_one());
    }
}
