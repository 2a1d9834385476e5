// SPDX-License-Identifier: GPL-2.0

//! Everything at once for a long time: processes full of threads with commands of all
//! kinds, while devices come and go and processes are killed.

mod board;
mod garbage;
mod rng;
mod things;
mod worker;

pub use rng::Rng;

use std::fs;
use std::io::Write;
use std::os::fd::{AsRawFd, OwnedFd};
use std::path::Path;
use std::time::{Duration, Instant};

use ub_client::sys::{self, Exit, Fork, Pid};
use ub_client::Device;

use crate::{Failure, Outcome};
use board::Board;
use worker::{Plan, ACTIONS};

const CONFIG: &str = "/sys/kernel/config/ubsoft";
/// Devices that come and go.
const OWN: [&str; 2] = ["ubsoak0", "ubsoak1"];
/// Processes, and the threads of each.
const PROCESSES: u64 = 8;
const THREADS: u64 = 8;
/// What threads get to stop by themselves.
const STOPS: Duration = Duration::from_secs(2);
/// A process that was killed is gone by then.
const GONE: Duration = Duration::from_secs(60);

/// How a soak is run.
#[derive(Debug, Clone, Copy)]
pub struct Config {
    /// What all that looks random depends on.
    pub seed: u64,
    /// How long, from the first process to the last one's death as far as can be foreseen.
    pub seconds: u64,
}

impl Config {
    /// From the arguments `seed=` and `seconds=`.
    pub fn from_args(seconds: u64) -> Self {
        let number = |name: &str| {
            std::env::args().find_map(|arg| {
                let text = arg.strip_prefix(name)?.to_string();
                match text.strip_prefix("0x") {
                    Some(digits) => u64::from_str_radix(digits, 16).ok(),
                    None => text.parse().ok(),
                }
            })
        };
        let clock = std::time::SystemTime::now()
            .duration_since(std::time::UNIX_EPOCH)
            .map_or(1, |time| time.as_nanos() as u64);
        Config {
            seed: number("seed=").unwrap_or(clock),
            seconds: number("seconds=").unwrap_or(seconds),
        }
    }
}

struct Soak {
    plan: Plan,
    rng: Rng,
    children: Vec<(Pid, u64)>,
    kills: u64,
    /// Devices removed.
    removals: u64,
    /// The longest that a process took to die, and a device to go.
    slowest: [Duration; 2],
    _bus: (OwnedFd, OwnedFd),
}

/// Runs it.
pub fn soak(config: Config) -> Outcome {
    println!("# seed={:#x} seconds={}", config.seed, config.seconds);
    std::io::stdout().flush()?;
    let start = Instant::now();
    let mut soak = Soak::begin(config)?;
    let result = soak.run(start, Duration::from_secs(config.seconds));
    let ended = soak.end();
    soak.tell()?;
    result.and(ended).and(soak.judge(config))
}

impl Soak {
    fn begin(config: Config) -> Result<Self, Failure> {
        let bus = sys::message_pair()?;
        sys::set_nonblocking(&bus.0, true)?;
        sys::set_nonblocking(&bus.1, true)?;
        let stays = Device::first()?;
        let eid = stays.eid(0)?;
        let mut devices = vec![stays.name];
        devices.extend(OWN.map(str::to_string));
        for name in OWN {
            fs::create_dir(Path::new(CONFIG).join(name))?;
        }
        let plan = Plan {
            seed: config.seed,
            place: [0, 0],
            threads: THREADS,
            devices,
            eid,
            board: Board::new()?,
            bus: [bus.0.as_raw_fd(), bus.1.as_raw_fd()],
        };
        let mut soak = Soak {
            plan,
            rng: Rng::new(config.seed, &[]),
            children: Vec::new(),
            kills: 0,
            removals: 0,
            slowest: [Duration::ZERO; 2],
            _bus: bus,
        };
        for place in 0..PROCESSES {
            let pid = soak.start(place, 0)?;
            soak.children.push((pid, 0));
        }
        Ok(soak)
    }

    fn start(&self, place: u64, generation: u64) -> Result<Pid, Failure> {
        let mut plan = self.plan.clone();
        plan.place = [place, generation];
        match sys::fork()? {
            Fork::Parent(pid) => Ok(pid),
            Fork::Child => {
                sys::die_with_parent();
                sys::alarm(0);
                let code = match worker::live(plan) {
                    Ok(()) => 0,
                    Err(why) => {
                        eprintln!("# process {place}: {why:?}");
                        1
                    }
                };
                sys::exit_now(code)
            }
        }
    }

    /// Kills and starts processes, removes and adds devices, once a second or so.
    fn run(&mut self, start: Instant, time: Duration) -> Outcome {
        loop {
            // What the end takes, at which all die at once; but most of the time is for the rest.
            let end = STOPS + 2 * self.slowest[0] + self.slowest[1];
            if start.elapsed() + end.min(time / 4) >= time {
                break;
            }
            std::thread::sleep(Duration::from_millis(500 + self.rng.below(500) as u64));
            self.toggle_device()?;
            let place = self.rng.below(self.children.len());
            self.check_alive()?;
            let (pid, generation) = self.children[place];
            let killed = Instant::now();
            sys::kill(pid, libc::SIGKILL)?;
            gone(pid)?;
            self.slowest[0] = self.slowest[0].max(killed.elapsed());
            self.kills += 1;
            let pid = self.start(place as u64, generation + 1)?;
            self.children[place] = (pid, generation + 1);
        }
        self.check_alive()
    }

    fn toggle_device(&mut self) -> Outcome {
        let path = Path::new(CONFIG).join(self.rng.pick(&OWN));
        if path.exists() {
            let asked = Instant::now();
            fs::remove_dir(&path)?;
            self.slowest[1] = self.slowest[1].max(asked.elapsed());
            self.removals += 1;
            if self.rng.chance(50) {
                fs::create_dir(&path)?;
            }
        } else {
            fs::create_dir(&path)?;
        }
        Ok(())
    }

    /// None of them ends by itself.
    fn check_alive(&mut self) -> Outcome {
        for i in 0..self.children.len() {
            let (pid, generation) = self.children[i];
            if let Some(exit) = sys::try_wait(pid)? {
                self.children.swap_remove(i);
                let text = format!("a process of generation {generation} ended: {exit:?}");
                return Err(Failure::Fail(text));
            }
        }
        Ok(())
    }

    /// Lets those end that can, and kills the others; takes the devices away.
    fn end(&mut self) -> Outcome {
        self.plan.board.stop();
        std::thread::sleep(STOPS);
        let children = std::mem::take(&mut self.children);
        for (pid, _) in &children {
            let _ = sys::kill(*pid, libc::SIGKILL);
        }
        let mut result = Ok(());
        for (pid, _) in children {
            result = result.and(gone(pid));
        }
        for name in OWN {
            let path = Path::new(CONFIG).join(name);
            if path.exists() {
                result = result.and(fs::remove_dir(&path).map_err(Failure::from));
            }
        }
        result
    }

    fn tell(&self) -> Outcome {
        let board = &self.plan.board;
        let counts = board.commands().map(|number| board.command(number));
        let (tried, worked) = counts.fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
        println!(
            "# {tried} commands and doorbells, {worked} worked; {} processes killed, {} devices removed",
            self.kills, self.removals
        );
        let [kill, removal] = self.slowest;
        println!("# the slowest of them took {kill:?} to die, {removal:?} to go");
        let actions: Vec<String> = ACTIONS
            .iter()
            .enumerate()
            .map(|(i, name)| format!("{name} {}", board.counted(i)))
            .collect();
        println!("# {}", actions.join(", "));
        Ok(std::io::stdout().flush()?)
    }

    /// It has to have done something.
    fn judge(&self, config: Config) -> Outcome {
        let board = &self.plan.board;
        if let Some((command, errno)) = board.strange() {
            let text = format!("command {command} gave errno {errno}");
            return Err(Failure::Fail(text));
        }
        for (i, name) in ACTIONS.iter().enumerate() {
            check!(board.counted(i) > 0, "no thread did '{name}'");
        }
        // On a busy machine these take their time; with hours they have to come often.
        let least = config.seconds / 60;
        check!(self.kills >= least.max(1), "{} kills", self.kills);
        check!(self.removals >= least.max(1), "{} removals", self.removals);
        let worked = board
            .commands()
            .filter(|number| board.command(*number).1 > 0);
        let worked = worked.count();
        check!(worked >= 8, "only {worked} commands ever worked");
        Ok(())
    }
}

/// Waits until a killed process is gone.
fn gone(pid: Pid) -> Outcome {
    let start = Instant::now();
    loop {
        match sys::try_wait(pid)? {
            Some(Exit::Code(0) | Exit::Signal(libc::SIGKILL)) => return Ok(()),
            Some(exit) => return Err(Failure::Fail(format!("a process ended: {exit:?}"))),
            None if start.elapsed() > GONE => {
                return Err(Failure::Fail(format!("process {pid} does not die")))
            }
            None => std::thread::sleep(Duration::from_millis(5)),
        }
    }
}
