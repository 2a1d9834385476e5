// SPDX-License-Identifier: GPL-2.0

//! What is done to a command that works.

use ub_client::abi::*;

use super::bench::{Bench, Frame, Inputs, Record};
use super::table::{Attr, Command, Kind, Shape};

/// A bad address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bad {
    /// 0.
    Null,
    /// Where nothing is ever mapped.
    Low,
    /// Mapped, but not accessible.
    Nothing,
    /// The kernel's own.
    Kernel,
    /// No address of this architecture.
    NonCanonical,
    /// So high that its end wraps around.
    Wraps,
}

impl Bad {
    const ALL: [Bad; 6] = [
        Bad::Null,
        Bad::Low,
        Bad::Nothing,
        Bad::Kernel,
        Bad::NonCanonical,
        Bad::Wraps,
    ];

    fn addr(self, bench: &Bench) -> u64 {
        match self {
            Bad::Null => 0,
            Bad::Low => 0x100,
            Bad::Nothing => bench.nothing(),
            Bad::Kernel => 0xffff_ffff_8100_0000,
            Bad::NonCanonical => 1 << 63,
            Bad::Wraps => u64::MAX,
        }
    }
}

/// What is wrong with a header or the call itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Head {
    /// Another length of the array than the one that it has.
    Len(u32),
    /// The array is at a bad address.
    Array(Bad),
    /// The array ends where accessible memory does.
    ArrayEdge,
    /// One byte of it does not.
    ArrayOverEdge,
    /// The array is not aligned.
    ArrayUnaligned,
    /// The header is at a bad address.
    Header(Bad),
    /// The header ends where accessible memory does.
    HeaderEdge,
    /// One byte of it does not.
    HeaderOverEdge,
    /// Another number of the command.
    Number(u32),
    /// Another number of the ioctl.
    Ioctl(u64),
    /// Filled up with unknown attributes to the largest number there may be.
    Most,
    /// One more.
    TooMany,
}

/// Private data of the driver.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Private {
    /// Nothing at all.
    Zeros,
    /// What an uninitialised variable may hold.
    Garbage,
    /// A request at a bad address.
    BadRequest,
    /// A reply to a bad address.
    BadReply,
    /// A request of 4 GiB.
    Huge,
}

/// What is done to a command. Numbers are positions of attributes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Variant {
    /// Nothing.
    Right,
    /// The entry of 32-bit processes is used.
    Compat,
    /// The file has no context.
    NoContext,
    /// An attribute is missing.
    Missing(usize),
    /// It comes a second time, with nonsense in the second one.
    Twice(usize),
    /// It comes a second time, and the first one is at a bad address.
    TwiceBadFirst(usize),
    /// It has another size.
    Size(usize, u16),
    /// It has another number of elements.
    Count(usize, u16),
    /// It has another distance of elements.
    Stride(usize, u16),
    /// Its flag and reserved bytes are not zero.
    Flags(usize),
    /// What the kernel does not look at is not zero, in all attributes at once: their flag and
    /// reserved bytes, and the distance of elements where there is one.
    Unused,
    /// Its value is at a bad address.
    Pointer(usize, Bad),
    /// Its value is in memory that cannot be written.
    ReadOnly(usize),
    /// Its value ends where accessible memory does.
    Edge(usize),
    /// One byte of it does not.
    OverEdge(usize),
    /// Its address is odd.
    Unaligned(usize),
    /// It has another size, and all others are at a bad address.
    SizeBeforeFault(usize),
    /// It is missing, and all others are at a bad address.
    MissingBeforeFault(usize),
    /// An output is where an input is.
    Alias(usize, usize),
    /// All outputs are in one place.
    Overlap,
    /// The attributes come in reverse order.
    Reversed,
    /// They come in an order that depends on a number.
    Shuffled(u32),
    /// There are unknown ones among them: an input and an output, in front or behind.
    Extra(bool),
    /// Something about the header.
    Header(Head),
    /// An input has this value.
    Value(usize, u64),
    /// All inputs that are numbers, but for handles, have this value.
    All(u64),
    /// The private data of the driver is unusual.
    Private(usize, Private),
}

/// Numbers at the ends of ranges, and some whose products wrap around.
const NUMBERS: [u64; 26] = [
    0,
    1,
    2,
    0x7f,
    0x80,
    0xff,
    0xffff,
    0x1_0000,
    0x0400_0000,
    0x0800_0001,
    0x1000_0000,
    0x5555_5556,
    0x7fff_ffff,
    0x8000_0000,
    0xffff_fffe,
    0xffff_ffff,
    0x1_0000_0000,
    0x1_0000_0001,
    0x0000_7fff_ffff_f000,
    0x0400_0000_0000_0000,
    0x5555_5555_5555_5556,
    0x7fff_ffff_ffff_ffff,
    0x8000_0000_0000_0000,
    0xffff_ffff_ffff_f000,
    u64::MAX - 1,
    u64::MAX,
];

/// Handles that no object has.
const NO_HANDLES: [u64; 8] = [
    0,
    0x7fff_ffff,
    0x8000_0000,
    0xffff_ffff,
    0x1_0000_0000,
    1 << 63,
    u64::MAX - 1,
    u64::MAX,
];

/// Whether an attribute names an object of the file.
pub fn is_handle(attr: &Attr) -> bool {
    attr.input && attr.is("_HANDLE") && !attr.is("TP_HANDLE")
}

/// All variants of a command.
pub fn all(command: &Command) -> Vec<Variant> {
    let mut list = vec![
        Variant::Right,
        Variant::Compat,
        Variant::Reversed,
        Variant::Shuffled(1),
        Variant::Shuffled(2),
        Variant::Extra(false),
        Variant::Extra(true),
        Variant::Overlap,
    ];
    if command.needs_context {
        list.push(Variant::NoContext);
    }
    for (position, attr) in command.attrs.iter().enumerate() {
        shapes(&mut list, position, attr);
        if attr.input {
            values(&mut list, position, attr);
        } else {
            let inputs = (0..command.attrs.len()).filter(|at| command.attrs[*at].input);
            let choice = inputs.clone().count().max(1);
            list.extend(
                inputs
                    .clone()
                    .nth(position % choice)
                    .map(|at| Variant::Alias(position, at)),
            );
        }
    }
    list.extend(NUMBERS.into_iter().skip(1).step_by(2).map(Variant::All));
    list.extend(heads(command).into_iter().map(Variant::Header));
    list
}

/// Variants of the shape of an attribute.
fn shapes(list: &mut Vec<Variant>, at: usize, attr: &Attr) {
    list.extend([
        Variant::Missing(at),
        Variant::Twice(at),
        Variant::TwiceBadFirst(at),
        Variant::Flags(at),
        Variant::Edge(at),
        Variant::OverEdge(at),
        Variant::Unaligned(at),
        Variant::SizeBeforeFault(at),
    ]);
    if attr.input && !attr.optional {
        list.push(Variant::MissingBeforeFault(at));
    }
    if !attr.input {
        list.push(Variant::ReadOnly(at));
    }
    let sizes = [0, attr.size - 1, attr.size + 1, u16::MAX];
    let first = usize::from(attr.size == 1);
    list.extend(sizes[first..].iter().map(|size| Variant::Size(at, *size)));
    let counts = match attr.shape {
        Shape::Strided => [0, attr.count - 1, attr.count + 1],
        _ => [0, 2, 4095],
    };
    list.extend(counts.map(|count| Variant::Count(at, count)));
    list.push(Variant::Stride(at, 4095));
    if attr.stride != 0 {
        list.extend([0, attr.stride - 1, attr.stride + 1].map(|n| Variant::Stride(at, n)));
    }
    let others = [Bad::Null, Bad::Nothing, Bad::NonCanonical, Bad::Wraps];
    list.extend(
        [Bad::Low, Bad::Kernel, others[at % others.len()]].map(|bad| Variant::Pointer(at, bad)),
    );
}

/// Variants of the value of an input.
fn values(list: &mut Vec<Variant>, at: usize, attr: &Attr) {
    let limit = 1u64.checked_shl(8 * u32::from(attr.size)).unwrap_or(0);
    match attr.kind {
        Kind::Number if is_handle(attr) => {
            list.extend(NO_HANDLES.map(|value| Variant::Value(at, value)));
        }
        Kind::Number => {
            let fitting = NUMBERS.iter().filter(|value| limit == 0 || **value < limit);
            list.extend(fitting.map(|value| Variant::Value(at, *value)));
        }
        Kind::Udata => list.extend(
            [
                Private::Zeros,
                Private::Garbage,
                Private::BadRequest,
                Private::BadReply,
                Private::Huge,
            ]
            .map(|private| Variant::Private(at, private)),
        ),
        _ => list.extend([0, u64::MAX].map(|value| Variant::Value(at, value))),
    }
}

/// Variants of the header.
fn heads(command: &Command) -> Vec<Head> {
    let right = 16 * command.attrs.len() as u32;
    let (other, limit) = if command.event {
        (IOC_CMD, 256)
    } else {
        (IOC_EVENT, 2048)
    };
    let this = if command.event { IOC_EVENT } else { IOC_CMD };
    let mut list = vec![
        Head::ArrayEdge,
        Head::ArrayOverEdge,
        Head::ArrayUnaligned,
        Head::HeaderEdge,
        Head::HeaderOverEdge,
        Head::Most,
        Head::TooMany,
        Head::Ioctl(other),
        Head::Ioctl(this + 1),
        Head::Ioctl(this ^ 0x100),
        Head::Ioctl(this ^ 0x1_0000),
        Head::Ioctl(this ^ 0x4000_0000),
        Head::Ioctl(0),
    ];
    let lens = [
        0,
        1,
        15,
        right - 1,
        right + 1,
        right + 8,
        limit,
        25616,
        1 << 31,
    ];
    list.extend(lens.map(Head::Len));
    list.extend([0xffff_fff0, u32::MAX].map(Head::Len));
    list.extend(Bad::ALL.map(Head::Array));
    list.extend(Bad::ALL.map(Head::Header));
    let number = command.number;
    list.extend(
        [
            0,
            number | 1 << 31,
            number + 256,
            number | 1 << 16,
            u32::MAX,
        ]
        .map(Head::Number),
    );
    if command.event {
        list.extend([number % 3 + 1, number + 3].map(Head::Number));
    } else {
        list.push(Head::Number(number + 85));
    }
    list
}

/// A record that no command knows.
fn stranger(id: u8, bench: &Bench) -> Record {
    Record {
        id,
        flag: 0x55,
        size: 3,
        count: 7,
        stride: 5,
        reserved: 0xaa,
        addr: bench.nothing(),
    }
}

/// The value of a number as bytes.
fn bytes(attr: &Attr, value: u64) -> Vec<u8> {
    match attr.kind {
        Kind::Number => value.to_ne_bytes()[..usize::from(attr.size)].to_vec(),
        _ => vec![value as u8; attr.len()],
    }
}

impl Variant {
    /// Does it to a frame, and to the values.
    ///
    /// `written` says how many bytes of each output the kernel writes.
    pub fn apply(
        self,
        command: &Command,
        frame: &mut Frame,
        bench: &Bench,
        inputs: &Inputs,
        written: &[usize],
    ) {
        match self {
            Variant::Right | Variant::NoContext => (),
            Variant::Compat => frame.compat = true,
            Variant::Missing(at) | Variant::MissingBeforeFault(at) => {
                frame.records.remove(at);
                if frame.records.is_empty() {
                    frame.records.push(stranger(0x7f, bench));
                }
                if self == Variant::MissingBeforeFault(at) {
                    spoil_all(frame, bench);
                }
            }
            Variant::SizeBeforeFault(at) => {
                frame.records[at].size += 1;
                spoil_all(frame, bench);
            }
            Variant::Twice(at) => {
                let id = frame.records[at].id;
                frame.records.push(stranger(id, bench));
            }
            Variant::TwiceBadFirst(at) => {
                let second = frame.records[at];
                frame.records.push(second);
                frame.records[at].addr = bench.nothing();
            }
            Variant::Size(at, size) => frame.records[at].size = size,
            Variant::Count(at, count) => frame.records[at].count = count,
            Variant::Stride(at, stride) => frame.records[at].stride = stride,
            Variant::Flags(at) => {
                frame.records[at].flag = 0xff;
                frame.records[at].reserved = 0xff;
            }
            Variant::Unused => {
                for (record, attr) in frame.records.iter_mut().zip(command.attrs) {
                    record.flag = 0xff;
                    record.reserved = 0xff;
                    if attr.shape == Shape::Single {
                        record.stride = 4095;
                    }
                }
            }
            Variant::Pointer(at, bad) => frame.records[at].addr = bad.addr(bench),
            Variant::ReadOnly(at) => frame.records[at].addr = bench.read_only(),
            Variant::Edge(at) => {
                let span = command.attrs[at].span() as u64;
                self.move_to(at, bench.edge() - span, command, frame, bench, inputs);
            }
            Variant::OverEdge(at) => {
                let span = written[at].max(1) as u64;
                self.move_to(at, bench.edge() + 1 - span, command, frame, bench, inputs);
            }
            Variant::Unaligned(at) => {
                let room = command.attrs[at].len() as u64 + 3;
                self.move_to(at, bench.edge() - (room | 1), command, frame, bench, inputs);
            }
            Variant::Alias(output, input) => {
                let room = command.attrs[output].len().max(command.attrs[input].len()) as u64;
                let addr = bench.edge() - room;
                self.move_to(input, addr, command, frame, bench, inputs);
                frame.records[output].addr = addr;
            }
            Variant::Overlap => {
                let outputs = command.attrs.iter().filter(|attr| !attr.input);
                let room = outputs.map(Attr::len).max().unwrap_or(0) as u64;
                for record in frame.records.iter_mut().filter(|record| record.id >= 0x80) {
                    record.addr = bench.edge() - room;
                }
            }
            Variant::Reversed => frame.records.reverse(),
            Variant::Shuffled(seed) => shuffle(&mut frame.records, seed),
            Variant::Extra(in_front) => {
                let at = if in_front { 0 } else { frame.records.len() };
                frame.records.insert(at, stranger(0x7f, bench));
                frame.records.insert(at, stranger(0xff, bench));
            }
            Variant::Header(head) => head.apply(frame, bench),
            Variant::Value(at, value) => bench.set(at, &bytes(&command.attrs[at], value)),
            Variant::All(value) => {
                for (at, attr) in command.attrs.iter().enumerate() {
                    if attr.input && attr.kind == Kind::Number && !is_handle(attr) {
                        bench.set(at, &bytes(attr, value));
                    }
                }
            }
            Variant::Private(at, private) => bench.set(at, &private.bytes(bench)),
        }
    }

    /// Moves the value of an attribute.
    fn move_to(
        self,
        at: usize,
        addr: u64,
        command: &Command,
        frame: &mut Frame,
        bench: &Bench,
        inputs: &Inputs,
    ) {
        let attr = &command.attrs[at];
        if attr.input {
            bench.put_at_edge(addr, &bench.input(attr, inputs));
        }
        frame.records[at].addr = addr;
    }

    /// The attribute whose record is not as it should be.
    pub fn attr(self) -> Option<usize> {
        match self {
            Variant::Missing(at)
            | Variant::Twice(at)
            | Variant::TwiceBadFirst(at)
            | Variant::Size(at, _)
            | Variant::Count(at, _)
            | Variant::Stride(at, _)
            | Variant::Flags(at)
            | Variant::Pointer(at, _)
            | Variant::ReadOnly(at)
            | Variant::Edge(at)
            | Variant::OverEdge(at)
            | Variant::Unaligned(at)
            | Variant::SizeBeforeFault(at)
            | Variant::MissingBeforeFault(at)
            | Variant::Alias(at, _)
            | Variant::Value(at, _)
            | Variant::Private(at, _) => Some(at),
            _ => None,
        }
    }

    /// What a person reads.
    pub fn text(self, command: &Command) -> String {
        match self.attr() {
            Some(at) => format!("{self:x?} ({})", command.attrs[at].name),
            None => format!("{self:x?}"),
        }
    }
}

fn spoil_all(frame: &mut Frame, bench: &Bench) {
    for record in &mut frame.records {
        record.addr = bench.nothing();
    }
}

/// Fisher and Yates, by a small generator.
fn shuffle(records: &mut [Record], seed: u32) {
    let mut state = u64::from(seed);
    for last in (1..records.len()).rev() {
        state = state
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        records.swap(last, (state >> 33) as usize % (last + 1));
    }
}

impl Head {
    fn apply(self, frame: &mut Frame, bench: &Bench) {
        let len = 16 * frame.records.len() as u64;
        match self {
            Head::Len(len) => frame.args_len = Some(len),
            Head::Array(bad) => frame.args_addr = Some(bad.addr(bench)),
            Head::ArrayEdge => frame.args_addr = Some(bench.array_end() - len),
            Head::ArrayOverEdge => frame.args_addr = Some(bench.array_end() + 1 - len),
            Head::ArrayUnaligned => frame.args_addr = Some(bench.array_end() - len - 1),
            Head::Header(bad) => frame.header_addr = Some(bad.addr(bench)),
            Head::HeaderEdge => frame.header_addr = Some(bench.head_end() - 16),
            Head::HeaderOverEdge => frame.header_addr = Some(bench.head_end() - 15),
            Head::Number(number) => frame.number = number,
            Head::Ioctl(request) => frame.request = request,
            Head::Most | Head::TooMany => {
                let most = if frame.request == IOC_EVENT {
                    UBURMA_MAX_EVENT_ATTRS
                } else {
                    UBURMA_MAX_ATTRS
                };
                let most = most as usize + usize::from(self == Head::TooMany);
                frame.records.resize(most, stranger(0x7e, bench));
            }
        }
    }
}

impl Private {
    fn bytes(self, bench: &Bench) -> Vec<u8> {
        let right = bench.udata();
        let put = |at: usize, value: &[u8]| {
            let mut data = right.clone();
            data[at..at + value.len()].copy_from_slice(value);
            data
        };
        let nothing = bench.nothing().to_ne_bytes();
        match self {
            Private::Zeros => vec![0; right.len()],
            Private::Garbage => vec![0xa9; right.len()],
            Private::BadRequest => {
                let mut data = put(0, &nothing);
                data[8] = 32;
                data
            }
            Private::BadReply => put(16, &nothing),
            Private::Huge => put(8, &u32::MAX.to_ne_bytes()),
        }
    }
}
