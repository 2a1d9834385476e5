// SPDX-License-Identifier: GPL-2.0

//! What a sweep repeats: a system call that works, and what takes its effect back.

use std::cell::RefCell;
use std::os::fd::RawFd;
use std::rc::Rc;

use ub_client::abi::{IOC_CMD, IOC_EVENT, UBURMA_ATTR_OUT_BASE};
use ub_client::sys;
use ub_client::tlv::Cmd;
use ub_client::Error;

use super::faults::{Faults, Kind};
use crate::conform::table::Command;
use crate::conform::world::{command_of, Given, Recipe, Reply, World};
use crate::{Failure, Outcome};

/// An errno, if it failed, and what kind of fault struck, if one did.
pub type Hit = (Result<(), i32>, Option<Kind>);

/// One system call in a state in which it works.
pub trait Shot {
    /// Makes it; only the system call itself is spoiled.
    fn fire(&mut self, faults: &Faults, nth: u32) -> Result<Hit, Failure>;

    /// Makes it without faults.
    fn retry(&mut self) -> Result<(), i32>;

    /// Takes back what the last call did, which gave this errno, or 0; the last that is asked.
    fn finish(&mut self, errno: i32) -> Outcome;
}

/// A boxed shot.
pub type AnyShot<'a> = Box<dyn Shot + 'a>;

/// Runs a command on a file with an ioctl number; only the system call itself is spoiled.
fn strike(
    cmd: &mut Cmd,
    (fd, request): (RawFd, u64),
    faults: &Faults,
    nth: u32,
) -> Result<Hit, Failure> {
    cmd.run_by(|header| {
        let arg = header as *const _ as u64;
        let (ret, kind) = faults.hit(nth, || sys::ioctl(fd, request, arg))?;
        Ok((ret.map(|_| ()), kind))
    })
}

/// A command.
pub struct CmdShot<'a> {
    fd: RawFd,
    request: u64,
    fresh: Cmd,
    done: Cmd,
    undo: Box<dyn FnMut(&Cmd) -> Outcome + 'a>,
}

impl<'a> CmdShot<'a> {
    /// A command of a device file, which `undo` takes back.
    #[allow(clippy::new_ret_no_self)]
    pub fn new(fd: RawFd, cmd: Cmd, undo: impl FnMut(&Cmd) -> Outcome + 'a) -> AnyShot<'a> {
        Self::on(fd, IOC_CMD, cmd, undo)
    }

    /// A command of an event file.
    pub fn event(fd: RawFd, cmd: Cmd, undo: impl FnMut(&Cmd) -> Outcome + 'a) -> AnyShot<'a> {
        Self::on(fd, IOC_EVENT, cmd, undo)
    }

    fn on(
        fd: RawFd,
        request: u64,
        cmd: Cmd,
        undo: impl FnMut(&Cmd) -> Outcome + 'a,
    ) -> AnyShot<'a> {
        Box::new(CmdShot {
            fd,
            request,
            done: cmd.clone(),
            fresh: cmd,
            undo: Box::new(undo),
        })
    }
}

impl Shot for CmdShot<'_> {
    fn fire(&mut self, faults: &Faults, nth: u32) -> Result<Hit, Failure> {
        self.done = self.fresh.clone();
        strike(&mut self.done, (self.fd, self.request), faults, nth)
    }

    fn retry(&mut self) -> Result<(), i32> {
        self.done = self.fresh.clone();
        self.done
            .run_as(self.fd, self.request)
            .map_err(|err| err.errno())
    }

    fn finish(&mut self, errno: i32) -> Outcome {
        if errno != 0 {
            return Ok(());
        }
        (self.undo)(&self.done)
    }
}

/// A command by the recipe of the tests of conformance.
pub struct RecipeShot {
    world: Rc<RefCell<World>>,
    recipe: &'static Recipe,
    given: Option<Given>,
    fd: RawFd,
    request: u64,
    fresh: Cmd,
    done: Cmd,
}

impl RecipeShot {
    /// Makes what the recipe needs.
    pub fn prepare(
        world: &Rc<RefCell<World>>,
        recipe: &'static Recipe,
        command: &Command,
    ) -> Result<AnyShot<'static>, Failure> {
        let given = (recipe.prepare)(&mut world.borrow_mut())?;
        let cmd = command_of(command, &given.inputs);
        let fd = given.fd.unwrap_or_else(|| world.borrow().fd());
        Ok(Box::new(RecipeShot {
            world: world.clone(),
            recipe,
            given: Some(given),
            fd,
            request: if command.event { IOC_EVENT } else { IOC_CMD },
            done: cmd.clone(),
            fresh: cmd,
        }))
    }
}

impl Shot for RecipeShot {
    fn fire(&mut self, faults: &Faults, nth: u32) -> Result<Hit, Failure> {
        self.done = self.fresh.clone();
        strike(&mut self.done, (self.fd, self.request), faults, nth)
    }

    fn retry(&mut self) -> Result<(), i32> {
        self.done = self.fresh.clone();
        self.done
            .run_as(self.fd, self.request)
            .map_err(|err| err.errno())
    }

    fn finish(&mut self, errno: i32) -> Outcome {
        let Some(given) = self.given.take() else {
            return Ok(());
        };
        let outputs = self.done.attrs().iter().map(|attr| u32::from(attr.id));
        let outputs = outputs.filter(|id| *id >= UBURMA_ATTR_OUT_BASE);
        let reply = Reply {
            errno,
            outputs: outputs.map(|id| (id, self.done.value(id))).collect(),
            as_given: errno == 0,
        };
        (self.recipe.finish)(&mut self.world.borrow_mut(), given, &reply)
    }
}

/// Any other call.
pub struct CallShot<'a, T> {
    call: Box<dyn FnMut() -> Result<T, Error> + 'a>,
    undo: Box<dyn FnMut(T) -> Outcome + 'a>,
    done: Option<T>,
}

impl<'a, T: 'a> CallShot<'a, T> {
    /// A call, and what takes its result back.
    #[allow(clippy::new_ret_no_self)]
    pub fn new(
        call: impl FnMut() -> Result<T, Error> + 'a,
        undo: impl FnMut(T) -> Outcome + 'a,
    ) -> AnyShot<'a> {
        Box::new(CallShot {
            call: Box::new(call),
            undo: Box::new(undo),
            done: None,
        })
    }
}

impl<T> Shot for CallShot<'_, T> {
    fn fire(&mut self, faults: &Faults, nth: u32) -> Result<Hit, Failure> {
        let (result, kind) = faults.hit(nth, &mut self.call)?;
        Ok((
            result
                .map(|done| self.done = Some(done))
                .map_err(|err| err.errno()),
            kind,
        ))
    }

    fn retry(&mut self) -> Result<(), i32> {
        let result = (self.call)();
        self.done = Some(result.map_err(|err| err.errno())?);
        Ok(())
    }

    fn finish(&mut self, _errno: i32) -> Outcome {
        match self.done.take() {
            Some(done) => (self.undo)(done),
            None => Ok(()),
        }
    }
}
