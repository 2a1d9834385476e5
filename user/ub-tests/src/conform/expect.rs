// SPDX-License-Identifier: GPL-2.0

//! What the kernel must answer: the only place that says so.

use libc::{
    EACCES, EAGAIN, EBUSY, EEXIST, EFAULT, EINVAL, ENOENT, ENOMEM, ENOSPC, ENOTTY, EOPNOTSUPP,
    EPERM,
};
use ub_client::abi::*;

use super::table::{Attr, Command, Kind, Shape};
use super::variants::{is_handle, Bad, Head, Private, Variant};

/// How far a command is offered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// It works.
    Works,
    /// It is refused, whatever comes with it.
    Refused(i32),
    /// It is checked, and then the device says that it has no such thing.
    Unsupported(i32),
}

/// Commands that are not offered; all others work.
const NOT_OFFERED: &[(u32, Status)] = &[
    (UBURMA_CMD_ADVISE_JFR, Status::Refused(EINVAL)),
    (UBURMA_CMD_UNADVISE_JFR, Status::Refused(EINVAL)),
    (UBURMA_CMD_ADVISE_JETTY, Status::Refused(EINVAL)),
    (UBURMA_CMD_UNADVISE_JETTY, Status::Refused(EINVAL)),
    (UBURMA_CMD_MODIFY_TP, Status::Unsupported(EOPNOTSUPP)),
];

/// Event commands that are not offered.
const EVENTS_NOT_OFFERED: &[(u32, Status)] = &[];

/// How a command may answer a number that is possible for the ABI, but not for the device.
const DEFINED: &[i32] = &[
    0, EINVAL, EPERM, EFAULT, ENOMEM, EBUSY, EEXIST, EOPNOTSUPP, ENOENT, ENOSPC, EACCES, EAGAIN,
];

/// Handles that may be 0 for none, or that the kernel does not look at.
const HANDLES_AT_WILL: &[&str] = &[
    "REGISTER_SEG_IN_TOKEN_ID_HANDLE",
    "CREATE_JETTY_IN_JFR_HANDLE",
    "CREATE_JETTY_IN_JETTY_GRP_HANDLE",
    "UNBIND_JETTY_IN_TJETTY_HANDLE",
    "UNBIND_JETTY_ASYNC_IN_TJETTY_HANDLE",
    "ACTIVE_JFR_IN_JFC_HANDLE",
    "ACTIVE_JFS_IN_JFC_HANDLE",
    "ACTIVE_JETTY_IN_SEND_JFC_HANDLE",
    "ACTIVE_JETTY_IN_RECV_JFC_HANDLE",
];

/// Outputs that go without being written, or are written as they came.
const UNWRITTEN: &[&str] = &[
    "ALLOC_JFC_OUT_UDATA",
    "DEACTIVE_JFC_OUT_UDATA",
    "SET_TP_ATTR_OUT_UDATA",
];

/// Outputs that the kernel does not even look at.
const IGNORED: &[&str] = &["SET_TP_ATTR_OUT_UDATA"];

/// Commands that write their outputs before the operation, which cannot be undone.
const WRITES_FIRST: &[u32] = &[UBURMA_CMD_CREATE_CTX];

/// What a call must lead to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Expect {
    /// Success.
    Works,
    /// This errno.
    Errno(i32),
    /// Success or one of the errnos that the ABI knows.
    Defined,
}

impl Expect {
    /// Whether an errno, 0 for success, is as expected.
    pub fn allows(self, errno: i32) -> bool {
        match self {
            Expect::Works => errno == 0,
            Expect::Errno(expected) => errno == expected,
            Expect::Defined => DEFINED.contains(&errno),
        }
    }
}

/// How far a command is offered.
pub fn status(command: &Command) -> Status {
    let list = if command.event {
        EVENTS_NOT_OFFERED
    } else {
        NOT_OFFERED
    };
    list.iter()
        .find(|(number, _)| *number == command.number)
        .map_or(Status::Works, |(_, status)| *status)
}

/// Whether an output may stay as it was.
pub fn may_stay_unwritten(attr: &Attr) -> bool {
    UNWRITTEN.contains(&attr.name)
}

/// What a variant of a command must lead to; `written` says how many bytes of each output the
/// kernel writes.
///
/// The order of checks: header, array, number, whether the command is offered, shape of all
/// attributes (`EINVAL`), context (`EINVAL`), inputs (`EFAULT`), the operation, outputs
/// (`EFAULT`).
pub fn expect(command: &Command, variant: Variant, written: &[usize]) -> Expect {
    if let Variant::Header(head) = variant {
        if let Some(errno) = header(head) {
            return Expect::Errno(errno);
        }
    }
    let status = status(command);
    if let Status::Refused(errno) = status {
        return Expect::Errno(errno);
    }
    match (by_stage(command, variant, written), status) {
        (Stage::Shape, _) => Expect::Errno(EINVAL),
        (Stage::Input, _) => Expect::Errno(EFAULT),
        (Stage::Operation, _) => Expect::Defined,
        (Stage::Output | Stage::Done, Status::Unsupported(errno)) => Expect::Errno(errno),
        (Stage::Output, _) => Expect::Errno(EFAULT),
        (Stage::Done, _) => Expect::Works,
    }
}

/// The errno of a header that is refused.
fn header(head: Head) -> Option<i32> {
    match head {
        Head::Len(_) | Head::Number(_) | Head::TooMany => Some(EINVAL),
        Head::Array(Bad::Null) => Some(EINVAL),
        Head::Array(_) | Head::Header(_) => Some(EFAULT),
        Head::ArrayOverEdge | Head::HeaderOverEdge => Some(EFAULT),
        Head::Ioctl(_) => Some(ENOTTY),
        Head::ArrayEdge | Head::ArrayUnaligned | Head::HeaderEdge | Head::Most => None,
    }
}

/// How far a command gets.
enum Stage {
    /// The shape of the attributes, or the context, is refused.
    Shape,
    /// An input cannot be read.
    Input,
    /// The values decide.
    Operation,
    /// An output cannot be written.
    Output,
    /// It works.
    Done,
}

fn by_stage(command: &Command, variant: Variant, written: &[usize]) -> Stage {
    let attr = |at: usize| &command.attrs[at];
    let fault = |at: usize| match (attr(at).input, written[at]) {
        (true, _) => Stage::Input,
        // Nothing is written there.
        (false, 0) => Stage::Done,
        (false, _) => Stage::Output,
    };
    if variant
        .attr()
        .is_some_and(|at| IGNORED.contains(&attr(at).name))
    {
        return match variant {
            // All others are at a bad address, the inputs among them.
            Variant::SizeBeforeFault(_) => Stage::Input,
            _ => Stage::Done,
        };
    }
    match variant {
        Variant::NoContext => Stage::Shape,
        Variant::Missing(at) if attr(at).optional => Stage::Done,
        Variant::Missing(_) | Variant::MissingBeforeFault(_) => Stage::Shape,
        Variant::Size(..) | Variant::SizeBeforeFault(_) => Stage::Shape,
        Variant::Count(at, count) => match (attr(at).shape, attr(at).input) {
            (Shape::Array, _) => Stage::Done,
            (_, true) => Stage::Shape,
            (_, false) if count < attr(at).count => Stage::Shape,
            (_, false) => Stage::Done,
        },
        Variant::Stride(at, _) if attr(at).shape == Shape::Single => Stage::Done,
        Variant::Stride(..) => Stage::Shape,
        // The end of the range is checked even if nothing is written.
        Variant::Pointer(at, Bad::Wraps) if !attr(at).input => Stage::Output,
        Variant::Pointer(at, _) | Variant::OverEdge(at) | Variant::TwiceBadFirst(at) => fault(at),
        Variant::ReadOnly(at) => fault(at),
        Variant::Value(at, _) if is_handle(attr(at)) => {
            if HANDLES_AT_WILL.contains(&attr(at).name) {
                Stage::Operation
            } else {
                Stage::Shape
            }
        }
        Variant::Private(_, Private::Zeros) => Stage::Done,
        Variant::Value(..) | Variant::All(_) | Variant::Private(..) => Stage::Operation,
        Variant::Right
        | Variant::Compat
        | Variant::Twice(_)
        | Variant::Flags(_)
        | Variant::Unused
        | Variant::Edge(_)
        | Variant::Unaligned(_)
        | Variant::Alias(..)
        | Variant::Overlap
        | Variant::Reversed
        | Variant::Shuffled(_)
        | Variant::Extra(_)
        | Variant::Header(_) => Stage::Done,
    }
}

/// What may have been written to the outputs after a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Touch {
    /// Nothing.
    Nothing,
    /// Nothing, or zeros.
    Zeros,
    /// Anything, within the outputs.
    Anything,
}

/// What may have been written after a call that ended so.
pub fn touch(command: &Command, variant: Variant, errno: i32, written: &[usize]) -> Touch {
    let batch = command.name.ends_with("_BATCH");
    let writes_first = !command.event && WRITES_FIRST.contains(&command.number);
    if errno == 0 || matches!(by_stage(command, variant, written), Stage::Output) {
        return Touch::Anything;
    }
    match by_stage(command, variant, written) {
        Stage::Operation | Stage::Done if batch || writes_first => Touch::Anything,
        _ if command.unwinds() => Touch::Zeros,
        _ => Touch::Nothing,
    }
}

/// Whether a call that fails does so before it has changed anything.
pub fn is_early(command: &Command, variant: Variant, written: &[usize]) -> bool {
    match variant {
        Variant::Header(head) if header(head).is_some() => true,
        _ => matches!(
            by_stage(command, variant, written),
            Stage::Shape | Stage::Input
        ),
    }
}

/// Whether values of outputs are told apart by a variant.
pub fn outputs_are_apart(variant: Variant) -> bool {
    !matches!(variant, Variant::Overlap | Variant::Alias(..))
}

/// Whether an output is written to its end, whatever there is to say.
pub fn is_whole(attr: &Attr) -> bool {
    attr.kind != Kind::Front && attr.shape != Shape::Array && !may_stay_unwritten(attr)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn command(number: u32) -> &'static Command {
        Command::find(number, false).unwrap()
    }

    fn position(command: &Command, id: u32) -> usize {
        let mut attrs = command.attrs.iter();
        attrs.position(|attr| u32::from(attr.id) == id).unwrap()
    }

    #[test]
    fn the_tables_name_things_that_exist() {
        let names: Vec<&str> = super::super::table::COMMANDS
            .iter()
            .flat_map(|command| command.attrs.iter().map(|attr| attr.name))
            .collect();
        for name in HANDLES_AT_WILL.iter().chain(UNWRITTEN).chain(IGNORED) {
            assert!(names.contains(name), "{name}");
        }
        for (list, event) in [(NOT_OFFERED, false), (EVENTS_NOT_OFFERED, true)] {
            for (number, _) in list {
                assert!(Command::find(*number, event).is_some());
                assert_eq!(list.iter().filter(|(other, _)| other == number).count(), 1);
            }
        }
    }

    #[test]
    fn shapes_are_checked_before_addresses() {
        let create = command(UBURMA_CMD_CREATE_JFC);
        let written = vec![4; create.attrs.len()];
        let of = |variant| expect(create, variant, &written);
        assert_eq!(of(Variant::SizeBeforeFault(0)), Expect::Errno(EINVAL));
        assert_eq!(of(Variant::Pointer(0, Bad::Null)), Expect::Errno(EFAULT));
        assert_eq!(of(Variant::Missing(0)), Expect::Errno(EINVAL));
        let udata = position(create, UBURMA_CREATE_JFC_IN_UDATA);
        assert_eq!(of(Variant::Missing(udata)), Expect::Works);
        let handle = position(create, UBURMA_CREATE_JFC_OUT_HANDLE);
        assert_eq!(of(Variant::Missing(handle)), Expect::Works);
        assert_eq!(of(Variant::ReadOnly(handle)), Expect::Errno(EFAULT));
        assert_eq!(of(Variant::Count(handle, 0)), Expect::Errno(EINVAL));
        assert_eq!(of(Variant::Count(handle, 2)), Expect::Works);
        assert_eq!(of(Variant::Count(0, 2)), Expect::Errno(EINVAL));
    }

    #[test]
    fn headers_come_before_all_else() {
        let refused = command(UBURMA_CMD_ADVISE_JFR);
        let of = |head| expect(refused, Variant::Header(head), &[0; 3]);
        assert_eq!(of(Head::Array(Bad::Kernel)), Expect::Errno(EFAULT));
        assert_eq!(of(Head::Ioctl(0)), Expect::Errno(ENOTTY));
        assert_eq!(of(Head::Most), Expect::Errno(EINVAL));
    }
}
