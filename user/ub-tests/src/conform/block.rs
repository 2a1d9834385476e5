// SPDX-License-Identifier: GPL-2.0

//! All variants of a command.

use std::os::fd::{AsRawFd, OwnedFd};
use std::time::Instant;

use ub_client::sys::CompatProbe;
use ub_client::Context;

use super::bench::{Bench, Frame, POISONS};
use super::expect::{self, Expect, Status, Touch};
use super::recipes;
use super::table::{Command, Kind, Shape};
use super::thin;
use super::totals::{self, Sum};
use super::variants::Variant;
use super::world::{open_fds, Given, Recipe, Reply, World};
use crate::counters::Snapshot;
use crate::{Failure, Outcome};

/// Failures of a block that are told.
const MOST_FAILURES: usize = 12;

/// Runs the variants of a command, and compares objects and files of before and after.
pub fn block<const NUMBER: u32, const EVENT: bool>() -> Outcome {
    let missing = || Failure::Fail(format!("no command or recipe for {NUMBER}"));
    let command = Command::find(NUMBER, EVENT).ok_or_else(missing)?;
    let (_, recipe) = recipes::all()
        .find(|(event, recipe)| *event == EVENT && recipe.number == NUMBER)
        .ok_or_else(missing)?;
    let counters = Snapshot::take()?;
    let fds = open_fds()?;
    let mut block = Block::new(command, recipe)?;
    block.run()?;
    drop(block);
    counters.compare()?;
    let left = open_fds()?;
    if left != fds {
        return Err(Failure::Fail(format!("files {fds:?} before, {left:?} now")));
    }
    totals::add(Sum::Blocks, 1);
    Ok(())
}

struct Block {
    command: &'static Command,
    recipe: &'static Recipe,
    status: Status,
    bench: Bench,
    /// A file without a context.
    bare: OwnedFd,
    /// Bytes of each output that the kernel writes.
    written: Vec<usize>,
    compat: bool,
    calls: u64,
    /// What the recipe gave for a call that was refused without having touched it.
    spare: Option<Given>,
    world: World,
}

impl Block {
    fn new(command: &'static Command, recipe: &'static Recipe) -> Result<Self, Failure> {
        let world = World::create()?;
        Ok(Block {
            command,
            recipe,
            status: expect::status(command),
            bench: Bench::new(command)?,
            bare: Context::open_bare(&world.device)?,
            written: command.attrs.iter().map(|attr| attr.len()).collect(),
            compat: CompatProbe::run() == CompatProbe::Works,
            calls: 0,
            spare: None,
            world,
        })
    }

    fn run(&mut self) -> Outcome {
        let start = Instant::now();
        if self.status == Status::Works {
            self.learn()?;
        }
        let all = thin::chosen(self.command);
        let mut failures = Vec::new();
        for variant in &all {
            match self.one(*variant) {
                Ok(()) => (),
                Err(Failure::Fail(why)) => {
                    failures.push(format!("{}: {why}", variant.text(self.command)))
                }
                Err(skip) => return Err(skip),
            }
        }
        if let Some(given) = self.spare.take() {
            let reply = Reply {
                errno: libc::EINVAL,
                outputs: Vec::new(),
                as_given: true,
            };
            self.finish(given, &reply)?;
        }
        totals::add(Sum::Variants, all.len() as u64);
        totals::add(Sum::Calls, self.calls);
        println!(
            "# {}: {} attributes, {} variants, {} calls, {} ms",
            self.command.name,
            self.command.attrs.len(),
            all.len(),
            self.calls,
            start.elapsed().as_millis()
        );
        if failures.is_empty() {
            return Ok(());
        }
        let count = failures.len();
        failures.truncate(MOST_FAILURES);
        failures.push(format!("{count} of {} variants failed", all.len()));
        Err(Failure::Fail(failures.join("\n")))
    }

    /// What the recipe gives; nothing for a command that is refused anyway.
    fn prepare(&mut self) -> Result<Given, Failure> {
        if let Some(given) = self.spare.take() {
            return Ok(given);
        }
        match self.status {
            Status::Refused(_) => Ok(Given::default()),
            _ => (self.recipe.prepare)(&mut self.world),
        }
    }

    fn finish(&mut self, given: Given, reply: &Reply) -> Outcome {
        match self.status {
            Status::Refused(_) => Ok(()),
            _ => (self.recipe.finish)(&mut self.world, given, reply),
        }
    }

    /// The file for a call; of a refused event command it is that of asynchronous events.
    fn fd(&self, given: &Given) -> i32 {
        match given.fd {
            Some(fd) => fd,
            None if self.command.event => self.world.ctx().events().as_raw_fd(),
            None => self.world.fd(),
        }
    }

    /// Finds out which bytes of the outputs the kernel writes, by two kinds of poison.
    fn learn(&mut self) -> Outcome {
        let mut seen = Vec::new();
        for poison in POISONS {
            let given = self.prepare()?;
            self.bench.load(self.command, &given.inputs, poison)?;
            let frame = self.bench.frame(self.command, self.fd(&given));
            self.calls += 1;
            let errno = self.bench.call(&frame);
            let values: Vec<Vec<u8>> = self
                .command
                .attrs
                .iter()
                .enumerate()
                .map(|(at, attr)| self.bench.value(at, attr.len()))
                .collect();
            let reply = self.reply(&frame, errno, Variant::Right);
            self.finish(given, &reply)?;
            if errno != 0 {
                return Err(Failure::Fail(format!("as it should be: errno {errno}")));
            }
            seen.push(values);
        }
        for (at, attr) in self
            .command
            .attrs
            .iter()
            .enumerate()
            .filter(|(_, attr)| !attr.input)
        {
            let is_written = |offset: &usize| {
                seen[0][at][*offset] != POISONS[0] || seen[1][at][*offset] != POISONS[1]
            };
            let used = (0..attr.len())
                .filter(is_written)
                .max()
                .map_or(0, |last| last + 1);
            let whole = (0..used)
                .filter(|offset| attr.covers(*offset))
                .all(|at| is_written(&at));
            let short = expect::is_whole(attr) && used != attr.span();
            if !whole || short {
                return Err(Failure::Fail(format!(
                    "{}: {used} of {} bytes are written{}",
                    attr.name,
                    attr.span(),
                    if whole { "" } else { ", not all of them" }
                )));
            }
            self.written[at] = used;
        }
        Ok(())
    }

    /// Runs a variant.
    fn one(&mut self, variant: Variant) -> Outcome {
        if variant == Variant::Compat && !self.compat {
            return Ok(());
        }
        let expected = expect::expect(self.command, variant, &self.written);
        let given = self.prepare()?;
        self.bench.load(self.command, &given.inputs, POISONS[0])?;
        let mut frame = self.bench.frame(self.command, self.fd(&given));
        if variant == Variant::NoContext {
            frame.fd = self.bare.as_raw_fd();
        }
        variant.apply(
            self.command,
            &mut frame,
            &self.bench,
            &given.inputs,
            &self.written,
        );
        let inputs = self.values_of_inputs();
        // A failure after the operation must have undone it.
        let undone = self.recipe.makes
            && expected == Expect::Errno(libc::EFAULT)
            && matches!(variant, Variant::ReadOnly(at) | Variant::OverEdge(at) if !self.command.attrs[at].input);
        let before = match undone {
            true => Some((Snapshot::take()?, open_fds()?)),
            false => None,
        };
        self.calls += 1;
        let errno = self.bench.call(&frame);
        let judged = self
            .judge(variant, expected, errno, &inputs)
            .and_then(|()| match &before {
                Some((counters, fds)) if errno != 0 => {
                    counters.compare()?;
                    match open_fds()? == *fds {
                        true => Ok(()),
                        false => Err(Failure::Fail("a file was left behind".into())),
                    }
                }
                _ => Ok(()),
            });
        if errno != 0 && judged.is_ok() && expect::is_early(self.command, variant, &self.written) {
            self.spare = Some(given);
            return Ok(());
        }
        let reply = self.reply(&frame, errno, variant);
        let finished = self.finish(given, &reply);
        judged.and(finished)
    }

    fn values_of_inputs(&self) -> Vec<Vec<u8>> {
        let attrs = self.command.attrs.iter().enumerate();
        attrs
            .map(|(at, attr)| match attr.input {
                true => self.bench.value(at, attr.len()),
                false => Vec::new(),
            })
            .collect()
    }

    fn reply(&self, frame: &Frame, errno: i32, variant: Variant) -> Reply {
        let apart = variant != Variant::Overlap;
        let outputs = self
            .command
            .attrs
            .iter()
            .filter(|attr| apart && !attr.input);
        Reply {
            errno,
            outputs: outputs
                .filter_map(|attr| {
                    let record = frame.records.iter().find(|record| record.id == attr.id)?;
                    let value = self.bench.read(record.addr, attr.len())?;
                    Some((u32::from(attr.id), value))
                })
                .collect(),
            as_given: !matches!(
                variant,
                Variant::Value(..) | Variant::All(_) | Variant::Private(..)
            ),
        }
    }

    /// Whether errno and memory are as they must be.
    fn judge(&self, variant: Variant, expected: Expect, errno: i32, inputs: &[Vec<u8>]) -> Outcome {
        if !expected.allows(errno) {
            return Err(Failure::Fail(format!(
                "errno {errno}, {expected:?} was due"
            )));
        }
        let touch = match self.status {
            Status::Refused(_) => Touch::Nothing,
            _ => expect::touch(self.command, variant, errno, &self.written),
        };
        for (at, attr) in self.command.attrs.iter().enumerate() {
            let fail = |what: &str| Err(Failure::Fail(format!("{}: {what}", attr.name)));
            let (front, value, back) = self.bench.surroundings(at, attr);
            // Whole slices are compared: byte by byte takes longer than the call.
            let poison = vec![POISONS[0]; attr.len().max(front.len())];
            if front != poison[..front.len()] || back != poison[..back.len()] {
                return fail("bytes around it are written");
            }
            if attr.input {
                if value != inputs[at] {
                    return fail("it is an input and was written");
                }
                continue;
            }
            let is_untouched = value == poison[..value.len()];
            let mut outside = value.iter().enumerate().filter(|(n, _)| !attr.covers(*n));
            if !is_untouched
                && attr.shape != Shape::Single
                && outside.any(|(_, byte)| *byte != POISONS[0])
            {
                return fail("bytes of others are written");
            }
            let mut covered = value.iter().enumerate().filter(|(n, _)| attr.covers(*n));
            let allowed = match touch {
                Touch::Anything => true,
                Touch::Nothing => is_untouched,
                Touch::Zeros => is_untouched || covered.all(|(_, byte)| *byte == 0),
            };
            if !allowed {
                return fail("it is written though the call failed");
            }
            if attr.kind == Kind::Udata && !is_untouched && expect::outputs_are_apart(variant) {
                self.check_echo(at, &value, variant, inputs)?;
            }
        }
        Ok(())
    }

    /// Private data of the driver comes back as it went.
    fn check_echo(&self, at: usize, value: &[u8], variant: Variant, inputs: &[Vec<u8>]) -> Outcome {
        let mut attrs = self.command.attrs.iter();
        let Some(from) = attrs.position(|attr| attr.input && attr.kind == Kind::Udata) else {
            return Ok(());
        };
        let absent = variant == Variant::Missing(from);
        let is_same = match absent {
            true => value.iter().all(|byte| *byte == 0),
            false => value == inputs[from],
        };
        match is_same {
            true => Ok(()),
            false => Err(Failure::Fail(format!(
                "{} is not what was passed",
                self.command.attrs[at].name
            ))),
        }
    }
}
