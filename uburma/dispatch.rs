// SPDX-License-Identifier: GPL-2.0

//! From an ioctl to its handler.

use crate::{
    bindings_ub as b,
    command::{
        Command,
        Mode, //
    },
    context::Context,
    event::channel::Channel as EventChannel,
    file::UbFile,
    kernel_ext::{
        arc::Arc,
        fops::Ioctl,
        use_wait::UseGuard,
        user::{
            read_pair,
            read_pairs, //
        }, //
    },
    logic::tlv::{
        AttrSpec,
        AttrTable,
        Channel,
        Checked,
        Header,
        Record,
        HEADER_LEN, //
    },
    table::{
        COMMANDS,
        EVENT_COMMANDS, //
    },
    ub::client::{
        Device,
        User, //
    }, //
};
use core::mem::MaybeUninit;
use kernel::{
    ioctl::_IOWR,
    prelude::*, //
};

/// The ioctl of a device file.
const IOC_CMD: u32 =
    _IOWR::<b::uburma_cmd_hdr>(b::UBURMA_IOC_CMD_MAGIC as u32, b::UBURMA_IOC_CMD_NR);
/// The ioctl of an event file.
const IOC_EVENT: u32 =
    _IOWR::<b::uburma_cmd_hdr>(b::UBURMA_IOC_EVENT_MAGIC as u32, b::UBURMA_IOC_EVENT_NR);

const _: () = assert!(IOC_CMD == 0xc010_5501 && IOC_EVENT == 0xc010_4500);

/// Carries out a command of a device file.
pub(crate) type Run = for<'a> fn(&Call<'a>, Checked<'_>) -> Result;

/// Carries out a command of an event file.
pub(crate) type EventRun = for<'a> fn(&EventCall<'a>, Checked<'_>) -> Result;

/// A command of a device file on its way.
pub(crate) struct Call<'a> {
    /// The file.
    file: &'a UbFile,
    /// Its context, if there was one when the command began.
    context: Option<&'a Context>,
    /// Keeps context and objects until the command is done; `None` when they are gone.
    alive: Option<UseGuard<'a>>,
    /// What the user passed.
    attrs: &'a AttrTable<'a>,
}

impl<'a> Call<'a> {
    /// Enters a command.
    ///
    /// # Errors
    ///
    /// `EINVAL` without a context that is needed, `EIO` when the device is gone.
    fn enter(file: &'a UbFile, mode: Mode, attrs: &'a AttrTable<'a>) -> Result<Self> {
        let context = file.context();
        if mode != Mode::Always && context.is_none() {
            return Err(EINVAL);
        }
        let alive = file.enter();
        match (&alive, mode) {
            (None, Mode::Unwind) => file.wait_gone(),
            (None, _) => return Err(EIO),
            (Some(_), _) => (),
        }
        Ok(Self {
            file,
            context,
            alive,
            attrs,
        })
    }

    /// Returns how many elements of an output of variable length fit; 0 without the output.
    ///
    /// # Errors
    ///
    /// Those of [`AttrTable::output`].
    pub(crate) fn room(&self, spec: &AttrSpec) -> Result<usize> {
        let plan = self.attrs.output(spec)?;
        Ok(plan.map_or(0, |plan| usize::from(plan.count)))
    }

    /// Returns the file.
    pub(crate) fn file(&self) -> &'a UbFile {
        self.file
    }

    /// Returns the device.
    pub(crate) fn device(&self) -> &'a Arc<Device> {
        self.file.device().core()
    }

    /// Returns the context.
    pub(crate) fn context(&self) -> Result<&'a Context> {
        self.context.or_else(|| self.file.context()).ok_or(EINVAL)
    }

    /// Returns for whom the driver works.
    pub(crate) fn user(&self, udata: &crate::io::Udata) -> Result<User<'a>> {
        Ok(User::new(&self.context()?.uctx, udata.provider_data()))
    }

    /// Tells whether context and objects are gone; for commands that unwind.
    pub(crate) fn is_gone(&self) -> bool {
        self.alive.is_none()
    }
}

/// A command of an event file on its way.
pub(crate) struct EventCall<'a> {
    /// The events.
    pub(crate) channel: &'a EventChannel,
    /// Whether the file is open for non-blocking reads.
    pub(crate) nonblocking: bool,
}

/// So many attributes are kept on the stack, on top of which a driver and what it calls are to run:
/// enough for most commands.
const SMALL_ATTRS: usize = 32;

const _: () = assert!(HEADER_LEN == size_of::<[u64; 2]>());

/// Takes the snapshot of header and attributes, and calls `f` with the command's number.
fn with_attrs(
    addr: usize,
    channel: Channel,
    f: impl FnOnce(u32, &AttrTable<'_>) -> Result,
) -> Result<isize> {
    // CAST: From `usize` to 64 bits.
    let header = Header::parse(read_pair(addr as u64)?, channel)?;
    let mut small = [MaybeUninit::<Record>::uninit(); SMALL_ATTRS];
    match small.get_mut(..header.attr_count()) {
        Some(room) => with_attrs_in(room, &header, f),
        None => with_many_attrs(&header, f),
    }
}

/// The same for more attributes than fit on the stack.
#[inline(never)]
fn with_many_attrs(
    header: &Header,
    f: impl FnOnce(u32, &AttrTable<'_>) -> Result,
) -> Result<isize> {
    let count = header.attr_count();
    let mut large = KVec::<Record>::with_capacity(count, GFP_KERNEL)?;
    let room = large.spare_capacity_mut().get_mut(..count).ok_or(EINVAL)?;
    with_attrs_in(room, header, f)
}

/// The same with the room for the attributes.
#[inline]
fn with_attrs_in(
    room: &mut [MaybeUninit<Record>],
    header: &Header,
    f: impl FnOnce(u32, &AttrTable<'_>) -> Result,
) -> Result<isize> {
    f(
        header.command,
        &AttrTable::new(read_pairs(header.args_addr, room)?)?,
    )?;
    Ok(0)
}

/// Executes an ioctl of a device file.
///
/// # Errors
///
/// `ENOTTY` for another ioctl, `EINVAL` for a bad header or command, or those of the command.
pub(crate) fn device_ioctl(file: &UbFile, ioctl: Ioctl) -> Result<isize> {
    if ioctl.cmd != IOC_CMD {
        return Err(ENOTTY);
    }
    with_attrs(ioctl.arg, Channel::Device, |number, attrs| {
        let command: &Command<Run> = COMMANDS
            .get(number as usize)
            .filter(|command| !command.name.is_empty())
            .ok_or(EINVAL)?;
        let run = command.run?;
        attrs.check(command.inputs, command.outputs, |checked| {
            run(&Call::enter(file, command.mode, attrs)?, checked)
        })
    })
}

/// Executes an ioctl of an event file; `number` is the command that the file knows.
///
/// # Errors
///
/// `ENOTTY` for another ioctl, `EINVAL` for a bad header or command, or those of the command.
pub(crate) fn event_ioctl(call: &EventCall<'_>, known: u32, ioctl: Ioctl) -> Result<isize> {
    if ioctl.cmd != IOC_EVENT {
        return Err(ENOTTY);
    }
    with_attrs(ioctl.arg, Channel::Event, |number, attrs| {
        let command: &Command<EventRun> = EVENT_COMMANDS
            .get(number as usize)
            .filter(|_| number == known)
            .ok_or(EINVAL)?;
        let run = command.run?;
        attrs.check(command.inputs, command.outputs, |checked| {
            run(call, checked)
        })
    })
}
