// SPDX-License-Identifier: GPL-2.0

//! Runs tests and reports in KTAP.

use std::io::Write;
use std::os::fd::AsRawFd;
use std::process::ExitCode;
use std::time::Instant;

use ub_client::sys::{self, Exit, Fork};

use crate::counters::Snapshot;

/// How a test ends if it does not pass.
#[derive(Debug)]
pub enum Failure {
    /// Something is not as it should be.
    Fail(String),
    /// It cannot be told here, for this reason.
    Skip(String),
}

/// How a test ends.
pub type Outcome = Result<(), Failure>;

impl Failure {
    /// A failure that tells where it was noticed.
    pub fn at(file: &str, line: u32, why: &str) -> Self {
        let name = file.rsplit('/').next().unwrap_or(file);
        Failure::Fail(format!("{name}:{line}: {why}"))
    }

    /// A failure unless the result is one of the errnos.
    pub fn unless_errno<T>(
        result: ub_client::Result<T>,
        errnos: &[i32],
        names: &str,
        file: &str,
        line: u32,
        what: &str,
    ) -> Outcome {
        match result {
            Ok(_) => Err(Self::at(
                file,
                line,
                &format!("{what} worked, {names} was due"),
            )),
            Err(err) if errnos.contains(&err.errno()) => Ok(()),
            Err(err) => Err(Self::at(
                file,
                line,
                &format!("{what}: {err}; {names} was due"),
            )),
        }
    }
}

impl From<ub_client::Error> for Failure {
    fn from(err: ub_client::Error) -> Self {
        Failure::Fail(err.to_string())
    }
}

impl From<std::io::Error> for Failure {
    fn from(err: std::io::Error) -> Self {
        Failure::Fail(err.to_string())
    }
}

impl From<String> for Failure {
    fn from(why: String) -> Self {
        Failure::Fail(why)
    }
}

/// A test.
#[derive(Clone, Copy)]
pub struct Test {
    /// Its name.
    pub name: &'static str,
    /// What it does.
    pub run: fn() -> Outcome,
}

/// How a program runs its tests.
#[derive(Debug, Clone, Copy)]
pub struct Options {
    /// Seconds that a test may take.
    pub limit: u32,
    /// Compare the kernel's object counters of before and after (root only).
    pub counters: bool,
    /// The whole program needs root.
    pub root: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            limit: 60,
            counters: true,
            root: false,
        }
    }
}

const EXIT_SKIP: i32 = 4;

/// Runs the tests of a program with the default options.
pub fn run(name: &str, tests: &[Test]) -> ExitCode {
    run_with(name, tests, Options::default())
}

/// Runs the tests of a program. Arguments select tests by name;
/// those of the form `name=value` are for the program itself.
pub fn run_with(name: &str, tests: &[Test], options: Options) -> ExitCode {
    let wanted: Vec<String> = std::env::args()
        .skip(1)
        .filter(|arg| !arg.contains('='))
        .collect();
    let chosen: Vec<&Test> = tests
        .iter()
        .filter(|test| wanted.is_empty() || wanted.iter().any(|name| name == test.name))
        .collect();
    println!("KTAP version 1");
    println!("# {name}");
    let is_root = sys::effective_uid() == 0;
    if options.root && !is_root {
        println!("1..0 # SKIP needs root");
        return ExitCode::SUCCESS;
    }
    let counters = options.counters && is_root;
    println!("1..{}", chosen.len() + usize::from(counters));
    let start = Instant::now();
    let before = counters.then(Snapshot::take);
    let mut failed = 0;
    for (i, test) in chosen.iter().enumerate() {
        failed += usize::from(!report(i + 1, test.name, run_one(test, options.limit)));
    }
    if let Some(before) = before {
        let outcome = before.and_then(|before| before.compare());
        failed += usize::from(!report(chosen.len() + 1, "nothing_left_behind", outcome));
    }
    println!("{}", spent(start));
    let _ = std::io::stdout().flush();
    if failed == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

/// How long the program took, and the time of CPUs that it and its children spent.
fn spent(start: Instant) -> String {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // Behind the name, which is in parentheses: the 12th to 15th, in hundredths of seconds.
    let fields = stat.rsplit(')').next().unwrap_or("").split_whitespace();
    let times: Vec<f64> = fields
        .skip(11)
        .take(4)
        .filter_map(|word| word.parse().ok())
        .map(|ticks: f64| ticks / 100.0)
        .collect();
    let wall = start.elapsed().as_secs_f64();
    match times[..] {
        [user, system, users, systems] => format!(
            "# took {wall:.1} s; CPUs spent {:.1} s in programs, {:.1} s in the kernel for them",
            user + users,
            system + systems
        ),
        _ => format!("# took {wall:.1} s"),
    }
}

fn report(number: usize, name: &str, outcome: Outcome) -> bool {
    match outcome {
        Ok(()) => println!("ok {number} - {name}"),
        Err(Failure::Skip(why)) => {
            println!("ok {number} - {name} # SKIP {}", why.replace('\n', " "))
        }
        Err(Failure::Fail(why)) => {
            for line in why.lines() {
                println!("# {line}");
            }
            println!("not ok {number} - {name}");
            let _ = std::io::stdout().flush();
            return false;
        }
    }
    let _ = std::io::stdout().flush();
    true
}

/// Runs a test in a child, which tells by message why it did not pass.
fn run_one(test: &Test, limit: u32) -> Outcome {
    let (here, there) = sys::message_pair()?;
    let _ = std::io::stdout().flush();
    let pid = match sys::fork()? {
        Fork::Parent(pid) => pid,
        Fork::Child => {
            drop(here);
            sys::die_with_parent();
            sys::alarm(limit);
            let (code, why) = match (test.run)() {
                Ok(()) => (0, String::new()),
                Err(Failure::Fail(why)) => (1, why),
                Err(Failure::Skip(why)) => (EXIT_SKIP, why),
            };
            let text: String = why.chars().take(4000).collect();
            let _ = sys::send_message(there.as_raw_fd(), text.as_bytes());
            sys::exit_now(code)
        }
    };
    drop(there);
    let exit = sys::wait_for(pid)?;
    let text = if sys::poll(here.as_raw_fd(), libc::POLLIN, 0)? & libc::POLLIN != 0 {
        let bytes = sys::receive_message(here.as_raw_fd(), 16384, 0)?;
        String::from_utf8_lossy(&bytes).into_owned()
    } else {
        String::new()
    };
    match exit {
        Exit::Code(0) => Ok(()),
        Exit::Code(EXIT_SKIP) => Err(Failure::Skip(text)),
        Exit::Code(1) if !text.is_empty() => Err(Failure::Fail(text)),
        Exit::Code(code) => Err(Failure::Fail(format!("it ended with code {code}"))),
        Exit::Signal(libc::SIGALRM) => {
            Err(Failure::Fail(format!("it was not done after {limit} s")))
        }
        Exit::Signal(signal) => Err(Failure::Fail(format!("it was killed by signal {signal}"))),
    }
}
