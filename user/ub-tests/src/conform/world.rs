// SPDX-License-Identifier: GPL-2.0

//! What recipes need: two sides, memory, and commands made of the tables.

use std::cell::OnceCell;
use std::os::fd::{AsRawFd, OwnedFd, RawFd};

use ub_client::abi::*;
use ub_client::sys::{self, Mapping};
use ub_client::tlv::Cmd;
use ub_client::{Context, Device, Jetty, Target, Token};

use super::bench::Inputs;
use super::table::{Command, Kind, Shape};
use crate::fixture::{PairConfig, Side};
use crate::listener::Listener;
use crate::{Failure, Outcome};

/// Room for the driver's reply in commands that prepare something.
const REPLY_ROOM: usize = 64;

/// Objects that live as long as the block of a command. Most are made when asked for.
pub struct World {
    /// Jettys of mode RC, not bound.
    rc: Option<RcPair>,
    /// Something with completion events.
    listener: Option<Listener>,
    /// Jettys that failed, whose event may not have been taken.
    pub failed: Vec<Jetty>,
    /// A token id.
    token: OnceCell<Token>,
    /// Token ids that something lost holds; they go with the context.
    lost: Vec<Token>,
    /// Ours, of mode RM.
    a: OnceCell<Side>,
    /// The peer.
    b: OnceCell<Side>,
    /// Memory for values that inputs point at.
    pub memory: Mapping,
    /// The device.
    pub device: Device,
    ctx: Context,
}

/// Two sides of mode RC.
pub struct RcPair {
    /// The target that `a` has of the other one.
    pub ab: Target,
    /// The one of the context.
    pub a: Side,
    /// The peer, which only has to be there.
    _b: Side,
}

/// Returns what a cell holds, and makes it before if need be.
fn get_or_make<T>(
    cell: &OnceCell<T>,
    make: impl FnOnce() -> Result<T, Failure>,
) -> Result<&T, Failure> {
    if cell.get().is_none() {
        let _ = cell.set(make()?);
    }
    cell.get().ok_or(Failure::Fail("nothing was made".into()))
}

impl World {
    /// Makes one.
    pub fn create() -> Result<Self, Failure> {
        Ok(World {
            rc: None,
            listener: None,
            failed: Vec::new(),
            token: OnceCell::new(),
            lost: Vec::new(),
            a: OnceCell::new(),
            b: OnceCell::new(),
            memory: Mapping::anonymous(64 << 10)?,
            device: Device::first()?,
            ctx: Context::open_first()?,
        })
    }

    /// The context in which commands run.
    pub fn ctx(&self) -> &Context {
        &self.ctx
    }

    /// Its file.
    pub fn fd(&self) -> RawFd {
        self.ctx().dev_fd()
    }

    /// Queues of the context, of mode RM.
    pub fn a(&self) -> Result<&Side, Failure> {
        get_or_make(&self.a, || {
            Side::create_in(self.ctx.clone(), PairConfig::default())
        })
    }

    /// A peer in a context of its own.
    pub fn b(&self) -> Result<&Side, Failure> {
        get_or_make(&self.b, || Side::create(PairConfig::default()))
    }

    /// A token id.
    pub fn token(&self) -> Result<&Token, Failure> {
        get_or_make(&self.token, || Ok(Token::alloc(&self.ctx)?))
    }

    /// Lets another token id be made, since this one is in use by something that is lost.
    pub fn lose_token(&mut self) {
        self.lost.extend(self.token.take());
    }

    /// Two sides of mode RC.
    pub fn rc(&mut self) -> Result<&RcPair, Failure> {
        if self.rc.is_none() {
            let config = PairConfig {
                mode: UBURMA_TM_RC,
                ..Default::default()
            };
            let a = Side::create_in(self.ctx().clone(), config)?;
            let b = Side::create(config)?;
            let ab = a.import(&b)?;
            self.rc = Some(RcPair { ab, a, _b: b });
        }
        self.rc.as_ref().ok_or(Failure::Fail("no RC".into()))
    }

    /// Something with completion events.
    pub fn listener(&mut self) -> Result<&mut Listener, Failure> {
        if self.listener.is_none() {
            self.listener = Some(Listener::create()?);
        }
        self.listener
            .as_mut()
            .ok_or(Failure::Fail("no listener".into()))
    }

    /// Puts bytes where inputs can point at them; returns their address.
    pub fn put(&self, offset: usize, bytes: &[u8]) -> u64 {
        self.memory.write(offset, bytes);
        self.memory.addr() + offset as u64
    }
}

/// A command with these inputs and all outputs.
pub fn command(number: u32, inputs: &Inputs) -> Result<Cmd, Failure> {
    let command = Command::find(number, false)
        .ok_or_else(|| Failure::Fail(format!("there is no command {number}")))?;
    Ok(command_of(command, inputs))
}

/// The same for a command of the table, also one of an event file.
pub fn command_of(command: &Command, inputs: &Inputs) -> Cmd {
    let mut cmd = Cmd::new(command.number);
    for attr in command.attrs {
        let id = u32::from(attr.id);
        let given = inputs.iter().find(|(wanted, _)| *wanted == id);
        cmd = match (attr.input, given) {
            (true, Some((_, value))) => cmd.bytes(id, value),
            (true, None) if attr.kind == Kind::Udata => cmd.udata(id, None, &[], REPLY_ROOM),
            (true, None) => cmd.bytes(id, &vec![0; attr.len()]),
            (false, _) if attr.shape == Shape::Single => cmd.out(id, attr.len()),
            (false, _) => cmd.out_strided(
                id,
                usize::from(attr.size),
                u32::from(attr.count),
                u32::from(attr.stride),
            ),
        };
    }
    cmd
}

/// Runs a command with these inputs; returns its outputs.
pub fn run(fd: RawFd, number: u32, inputs: &Inputs) -> Result<Cmd, Failure> {
    let mut cmd = command(number, inputs)?;
    cmd.run(fd)?;
    Ok(cmd)
}

/// What a recipe provides for a call.
#[derive(Default)]
pub struct Given {
    /// The file; without one the context's.
    pub fd: Option<RawFd>,
    /// Values of inputs.
    pub inputs: Inputs,
    /// Handles of objects made for the call.
    pub objects: Vec<u64>,
    /// Files opened for the call.
    pub files: Vec<OwnedFd>,
    /// What was open before a call that opens files.
    pub open: Vec<RawFd>,
}

impl Given {
    /// These inputs on the context's file.
    pub fn inputs(inputs: Inputs) -> Self {
        Given {
            inputs,
            ..Default::default()
        }
    }

    /// With an object that was made for the call.
    pub fn object(mut self, handle: u64) -> Self {
        self.objects.push(handle);
        self
    }

    /// For a call that opens files; nothing is opened between this and the call.
    pub fn counting_files(mut self) -> Result<Self, Failure> {
        self.open = open_fds()?;
        Ok(self)
    }

    /// On a file that was opened for the call.
    pub fn on(mut self, file: OwnedFd) -> Self {
        self.fd = Some(file.as_raw_fd());
        self.files.push(file);
        self
    }
}

/// How a call ended.
pub struct Reply {
    /// 0 or the errno.
    pub errno: i32,
    /// Outputs that could be read back.
    pub outputs: Vec<(u32, Vec<u8>)>,
    /// Whether each input had the value of the recipe.
    pub as_given: bool,
}

impl Reply {
    /// Whether it worked.
    pub fn worked(&self) -> bool {
        self.errno == 0
    }

    /// An output that is a number.
    pub fn number(&self, id: u32) -> Option<u64> {
        self.number_at(id, 0)
    }

    /// A number inside of an output.
    fn number_at(&self, id: u32, offset: usize) -> Option<u64> {
        let (_, value) = self.outputs.iter().find(|(other, _)| *other == id)?;
        Some(sys::from_bytes(value.get(offset..)?))
    }
}

/// How to run a command.
pub struct Recipe {
    /// Its number.
    pub number: u32,
    /// Makes what it needs.
    pub prepare: fn(&mut World) -> Result<Given, Failure>,
    /// Removes what it made, and what it needed.
    pub finish: fn(&mut World, Given, &Reply) -> Outcome,
    /// Whether a success leaves something new behind.
    pub makes: bool,
}

/// Values of inputs as bytes.
pub fn u8v(id: u32, value: u8) -> (u32, Vec<u8>) {
    (id, vec![value])
}

/// A value of 16 bits.
pub fn u16v(id: u32, value: u16) -> (u32, Vec<u8>) {
    (id, value.to_ne_bytes().to_vec())
}

/// A value of 32 bits.
pub fn u32v(id: u32, value: u32) -> (u32, Vec<u8>) {
    (id, value.to_ne_bytes().to_vec())
}

/// A value of 32 bits with a sign.
pub fn i32v(id: u32, value: i32) -> (u32, Vec<u8>) {
    (id, value.to_ne_bytes().to_vec())
}

/// A value of 64 bits.
pub fn u64v(id: u32, value: u64) -> (u32, Vec<u8>) {
    (id, value.to_ne_bytes().to_vec())
}

/// Nothing is left of a command that only asks or changes.
pub fn nothing(_world: &mut World, _given: Given, _reply: &Reply) -> Outcome {
    Ok(())
}

/// Destroys what an output names, if the call made something and told its handle.
pub fn undo(world: &World, reply: &Reply, handle: u32, by: impl Fn(u64) -> Cmd) -> Outcome {
    undo_at(world, reply, (handle, 0), by)
}

/// The same with a handle inside of an output: its id and the offset.
pub fn undo_at(
    world: &World,
    reply: &Reply,
    (id, offset): (u32, usize),
    by: impl Fn(u64) -> Cmd,
) -> Outcome {
    if !reply.worked() {
        return Ok(());
    }
    match reply.number_at(id, offset) {
        Some(handle) if handle != 0 && handle <= i32::MAX as u64 => Ok(by(handle).run(world.fd())?),
        // It goes with the context.
        _ => Ok(()),
    }
}

/// The objects of a call that destroys them: gone after a success, else alive.
pub fn consumed(world: &World, given: &Given, reply: &Reply, by: impl Fn(u64) -> Cmd) -> Outcome {
    for handle in &given.objects {
        let gone = match by(*handle).run(world.fd()) {
            Ok(()) => false,
            Err(err) if err.errno() == libc::EINVAL => true,
            Err(err) => return Err(err.into()),
        };
        if reply.as_given && gone != reply.worked() {
            let text = if gone {
                "the object is gone although the call failed"
            } else {
                "the object is there although the call worked"
            };
            return Err(Failure::Fail(text.into()));
        }
    }
    Ok(())
}

/// Destroys the objects that were made for a call.
pub fn cleared(world: &World, given: &Given, by: impl Fn(u64) -> Cmd) -> Outcome {
    for handle in &given.objects {
        by(*handle).run(world.fd())?;
    }
    Ok(())
}

/// Closes the files that a call has opened.
pub fn new_files(given: &Given, reply: &Reply) -> Outcome {
    let new = open_fds()?
        .into_iter()
        .filter(|fd| !given.open.contains(fd));
    let new: Vec<RawFd> = new.collect();
    for fd in &new {
        sys::close_raw(*fd)?;
    }
    if new.is_empty() == reply.worked() {
        return Err(Failure::Fail(format!("{} files were opened", new.len())));
    }
    Ok(())
}

/// Descriptors of this process, in order.
pub fn open_fds() -> Result<Vec<RawFd>, Failure> {
    let mut list: Vec<RawFd> = std::fs::read_dir("/proc/self/fd")?
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
        .collect();
    list.sort_unstable();
    // The last one was the directory itself, unless it filled a gap; it is closed now.
    list.retain(|fd| sys::is_cloexec(*fd).is_ok());
    Ok(list)
}
