// SPDX-License-Identifier: GPL-2.0

//! The commands, and how each is swept.

use std::cell::RefCell;
use std::io::Write;
use std::os::fd::AsRawFd;
use std::rc::Rc;

use ub_client::abi::*;
use ub_client::tlv::Cmd;

use super::recipes::{ctx, events, queues, seg, target, World};
use super::{sparse_after, sweep, AnyShot, CmdShot, Coverage, Faults, RecipeShot, Rules};
use crate::conform::{self, table::Command};
use crate::{Failure, Outcome};

/// Where sweeps write what they went through.
pub const RECORD: &str = "/tmp/failnth";

/// A test of the harness.
type Test = fn() -> Outcome;

/// Makes a shot in a world.
pub type Prepare = for<'a> fn(&'a World) -> Result<AnyShot<'a>, Failure>;

/// How a command is swept.
#[derive(Clone, Copy)]
pub enum Recipe {
    /// It works.
    Works(Prepare),
    /// By the recipe of the tests of conformance; or, while the kernel does not offer it, as
    /// it refuses attributes that mean nothing.
    Shared,
}

/// A command with its recipe.
#[derive(Clone, Copy)]
pub struct Row {
    /// Its name.
    pub name: &'static str,
    /// Its number.
    pub number: u32,
    /// How it is swept.
    pub recipe: Recipe,
    /// The test that does it.
    pub test: fn() -> Outcome,
    /// What faults may give besides ENOMEM and EFAULT.
    pub errnos: &'static [i32],
    /// Whether it destroys what has counters to tell: it cannot be undone when these cannot
    /// be copied to the user any more, though they could be before.
    pub tells_the_dead: bool,
}

const fn works(name: &'static str, number: u32, test: Test, prepare: Prepare) -> Row {
    Row {
        name,
        number,
        recipe: Recipe::Works(prepare),
        test,
        errnos: &[],
        tells_the_dead: false,
    }
}

const fn destroys(name: &'static str, number: u32, test: Test, prepare: Prepare) -> Row {
    let mut row = works(name, number, test, prepare);
    row.tells_the_dead = true;
    row
}

const fn shared(name: &'static str, number: u32, test: Test) -> Row {
    Row {
        name,
        number,
        recipe: Recipe::Shared,
        test,
        errnos: &[],
        tells_the_dead: false,
    }
}

impl Row {
    fn is_event(&self) -> bool {
        self.name.contains("_EVENT_CMD_")
    }
}

/// Makes rows; the names of the commands are those of their numbers.
macro_rules! rows {
    ($($kind:ident $number:ident $($how:expr)?;)*) => {
        &[$({
            fn test() -> Outcome {
                sweep_command(stringify!($number))
            }
            $kind(stringify!($number), $number, test $(, $how)?)
        }),*]
    };
}

/// Commands of a device file.
pub const COMMANDS: &[Row] = rows! {
    works UBURMA_CMD_CREATE_CTX ctx::create;
    works UBURMA_CMD_ALLOC_TOKEN_ID seg::alloc_token_id;
    works UBURMA_CMD_FREE_TOKEN_ID seg::free_token_id;
    works UBURMA_CMD_REGISTER_SEG seg::register;
    works UBURMA_CMD_UNREGISTER_SEG seg::unregister;
    works UBURMA_CMD_IMPORT_SEG seg::import;
    works UBURMA_CMD_UNIMPORT_SEG seg::unimport;
    works UBURMA_CMD_CREATE_JFS queues::create_jfs;
    works UBURMA_CMD_MODIFY_JFS queues::modify_jfs;
    works UBURMA_CMD_QUERY_JFS queues::query_jfs;
    destroys UBURMA_CMD_DELETE_JFS queues::delete_jfs;
    works UBURMA_CMD_CREATE_JFR queues::create_jfr;
    works UBURMA_CMD_MODIFY_JFR queues::modify_jfr;
    works UBURMA_CMD_QUERY_JFR queues::query_jfr;
    destroys UBURMA_CMD_DELETE_JFR queues::delete_jfr;
    works UBURMA_CMD_CREATE_JFC queues::create_jfc;
    works UBURMA_CMD_MODIFY_JFC queues::modify_jfc;
    destroys UBURMA_CMD_DELETE_JFC queues::delete_jfc;
    works UBURMA_CMD_CREATE_JFCE events::create_jfce;
    works UBURMA_CMD_IMPORT_JFR target::import_jfr;
    works UBURMA_CMD_UNIMPORT_JFR target::unimport_jfr;
    works UBURMA_CMD_CREATE_JETTY queues::create_jetty;
    works UBURMA_CMD_MODIFY_JETTY queues::modify_jetty;
    works UBURMA_CMD_QUERY_JETTY queues::query_jetty;
    destroys UBURMA_CMD_DELETE_JETTY queues::delete_jetty;
    works UBURMA_CMD_IMPORT_JETTY target::import_jetty;
    works UBURMA_CMD_UNIMPORT_JETTY target::unimport_jetty;
    shared UBURMA_CMD_ADVISE_JFR;
    shared UBURMA_CMD_UNADVISE_JFR;
    shared UBURMA_CMD_ADVISE_JETTY;
    shared UBURMA_CMD_UNADVISE_JETTY;
    works UBURMA_CMD_BIND_JETTY target::bind;
    works UBURMA_CMD_UNBIND_JETTY target::unbind;
    shared UBURMA_CMD_CREATE_JETTY_GRP;
    shared UBURMA_CMD_DESTROY_JETTY_GRP;
    works UBURMA_CMD_USER_CTL ctx::user_ctl;
    works UBURMA_CMD_GET_EID_LIST ctx::eid_list;
    shared UBURMA_CMD_GET_NETADDR_LIST;
    shared UBURMA_CMD_MODIFY_TP;
    works UBURMA_CMD_QUERY_DEV_ATTR ctx::device;
    shared UBURMA_CMD_IMPORT_JETTY_ASYNC;
    shared UBURMA_CMD_UNIMPORT_JETTY_ASYNC;
    shared UBURMA_CMD_BIND_JETTY_ASYNC;
    shared UBURMA_CMD_UNBIND_JETTY_ASYNC;
    shared UBURMA_CMD_CREATE_NOTIFIER;
    works UBURMA_CMD_GET_TP_LIST target::tp_list;
    works UBURMA_CMD_IMPORT_JETTY_EX target::import_jetty_ex;
    works UBURMA_CMD_IMPORT_JFR_EX target::import_jfr_ex;
    works UBURMA_CMD_BIND_JETTY_EX target::bind_ex;
    shared UBURMA_CMD_DELETE_JFS_BATCH;
    shared UBURMA_CMD_DELETE_JFR_BATCH;
    shared UBURMA_CMD_DELETE_JFC_BATCH;
    shared UBURMA_CMD_DELETE_JETTY_BATCH;
    shared UBURMA_CMD_SET_TP_ATTR;
    shared UBURMA_CMD_GET_TP_ATTR;
    shared UBURMA_CMD_EXCHANGE_TP_INFO;
    shared UBURMA_CMD_GET_EID_BY_IP;
    shared UBURMA_CMD_GET_IP_BY_EID;
    shared UBURMA_CMD_GET_SMAC;
    shared UBURMA_CMD_GET_DMAC;
    shared UBURMA_CMD_ALLOC_JFC;
    shared UBURMA_CMD_FREE_JFC;
    shared UBURMA_CMD_SET_JFC_OPT;
    shared UBURMA_CMD_GET_JFC_OPT;
    shared UBURMA_CMD_ACTIVE_JFC;
    shared UBURMA_CMD_DEACTIVE_JFC;
    shared UBURMA_CMD_ALLOC_JFR;
    shared UBURMA_CMD_FREE_JFR;
    shared UBURMA_CMD_SET_JFR_OPT;
    shared UBURMA_CMD_GET_JFR_OPT;
    shared UBURMA_CMD_ACTIVE_JFR;
    shared UBURMA_CMD_DEACTIVE_JFR;
    shared UBURMA_CMD_ALLOC_JFS;
    shared UBURMA_CMD_FREE_JFS;
    shared UBURMA_CMD_SET_JFS_OPT;
    shared UBURMA_CMD_GET_JFS_OPT;
    shared UBURMA_CMD_ACTIVE_JFS;
    shared UBURMA_CMD_DEACTIVE_JFS;
    shared UBURMA_CMD_ALLOC_JETTY;
    shared UBURMA_CMD_FREE_JETTY;
    shared UBURMA_CMD_SET_JETTY_OPT;
    shared UBURMA_CMD_GET_JETTY_OPT;
    shared UBURMA_CMD_ACTIVE_JETTY;
    shared UBURMA_CMD_DEACTIVE_JETTY;
    shared UBURMA_CMD_GET_JFCE_CNT;
};

/// Commands of event files.
pub const EVENT_COMMANDS: &[Row] = rows! {
    works UBURMA_EVENT_CMD_WAIT_JFCE events::wait_jfce;
    works UBURMA_EVENT_CMD_GET_ASYNC_EVENT events::get_async_event;
    shared UBURMA_EVENT_CMD_WAIT_NOTIFY;
};

/// Attributes that no command has all of.
fn meaningless<'a>(world: &'a World, row: &Row) -> Result<AnyShot<'a>, Failure> {
    let (ctx, jfce) = world.bare()?;
    let cmd = Cmd::new(row.number).bytes(0x7f, &[0; 4]);
    Ok(if row.is_event() {
        CmdShot::event(jfce.as_raw_fd(), cmd, |_| Ok(()))
    } else {
        CmdShot::new(ctx.dev_fd(), cmd, |_| Ok(()))
    })
}

/// The errno with which the kernel says that it does not offer a command.
fn refusal(row: &Row) -> Result<Option<i32>, Failure> {
    let notifier = COMMANDS
        .iter()
        .find(|row| row.number == UBURMA_CMD_CREATE_NOTIFIER);
    match (row.is_event(), row.number, notifier) {
        (true, UBURMA_EVENT_CMD_WAIT_NOTIFY, Some(notifier)) => {
            return Ok(refusal(notifier)?.and(Some(libc::EINVAL)));
        }
        (false, UBURMA_CMD_ADVISE_JFR..=UBURMA_CMD_UNADVISE_JETTY, _) => {
            return Ok(Some(libc::EINVAL));
        }
        _ => (),
    }
    // An offered command misses attributes of its own, or needs none.
    let world = World::default();
    let mut shot = meaningless(&world, row)?;
    Ok(shot
        .retry()
        .err()
        .filter(|errno| *errno == libc::EOPNOTSUPP))
}

/// Sweeps over a command by its recipe of the tests of conformance, if it is offered.
fn sweep_shared(faults: &Faults, row: &Row) -> Result<Coverage, Failure> {
    let mut rules = Rules {
        errnos: row.errnos,
        ends_with: refusal(row)?,
        sparse_after: sparse_after(),
        ..Rules::default()
    };
    if rules.ends_with.is_some() {
        let world = World::default();
        return sweep(faults, rules, || meaningless(&world, row));
    }
    let missing = || Failure::Fail(format!("{} has no recipe", row.name));
    let command = Command::find(row.number, row.is_event()).ok_or_else(missing)?;
    let (_, recipe) = conform::recipes::all()
        .find(|(event, recipe)| *event == row.is_event() && recipe.number == row.number)
        .ok_or_else(missing)?;
    let world = Rc::new(RefCell::new(conform::world::World::create()?));
    let mut shot = RecipeShot::prepare(&world, recipe, command)?;
    // What the driver does not have is told after all checks.
    let first = shot.retry();
    rules.ends_with = first.err().filter(|errno| *errno == libc::EOPNOTSUPP);
    rules.tells_the_dead = command.unwinds();
    shot.finish(first.err().unwrap_or(0))?;
    drop(shot);
    sweep(faults, rules, || {
        RecipeShot::prepare(&world, recipe, command)
    })
}

/// Sweeps over a command of the table.
fn sweep_command(name: &str) -> Outcome {
    let row = COMMANDS
        .iter()
        .chain(EVENT_COMMANDS)
        .find(|row| row.name == name)
        .ok_or_else(|| Failure::Fail(format!("{name} is not in the table")))?;
    let faults = Faults::set_up()?;
    let world = World::default();
    let coverage = match row.recipe {
        Recipe::Works(prepare) => {
            let rules = Rules {
                errnos: row.errnos,
                ends_with: None,
                tells_the_dead: row.tells_the_dead,
                sparse_after: sparse_after(),
            };
            sweep(&faults, rules, || prepare(&world))?
        }
        Recipe::Shared => sweep_shared(&faults, row)?,
    };
    // The header and the attributes are copied at least.
    check!(coverage.faults[2] >= 1, "no copy was spoiled");
    record(row.name, &coverage)
}

/// A line of the record of what was swept.
fn record(name: &str, coverage: &Coverage) -> Outcome {
    let [slab, page, copy] = coverage.faults;
    let mut file = std::fs::OpenOptions::new()
        .append(true)
        .create(true)
        .open(RECORD)?;
    writeln!(file, "{name} {slab} {page} {copy} {}", coverage.survived)?;
    Ok(())
}

/// The record, by name.
pub fn recorded() -> Result<Vec<(String, Coverage)>, Failure> {
    let text = std::fs::read_to_string(RECORD)?;
    let lines = text.lines().map(|line| {
        let (name, numbers) = line.split_once(' ').unwrap_or((line, ""));
        let numbers: Vec<u32> = numbers
            .split(' ')
            .filter_map(|word| word.parse().ok())
            .collect();
        match numbers[..] {
            [slab, page, copy, survived] => Ok((
                name.to_string(),
                Coverage {
                    faults: [slab, page, copy],
                    survived,
                },
            )),
            _ => Err(Failure::Fail(format!("the record says '{line}'"))),
        }
    });
    lines.collect()
}
