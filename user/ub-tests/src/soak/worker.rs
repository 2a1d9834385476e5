// SPDX-License-Identifier: GPL-2.0

//! A process of a soak: threads that do whatever comes to their mind, with one another's
//! objects and those of other processes.

use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use ub_client::abi::{IOC_CMD, IOC_EVENT};
use ub_client::sys::{self, Fork, MapFlags, Mapping};
use ub_client::{Context, ContextOptions, Device, Doorbell, Eid};

use super::board::Board;
use super::garbage::Garbage;
use super::rng::Rng;
use super::things::Home;
use crate::{Failure, Outcome};

/// Bytes that a process registers parts of.
const MEMORY: usize = 256 << 10;
/// Contexts of a process.
const HOMES: usize = 4;
/// Files from other processes that a process keeps.
const FOREIGN: usize = 4;

/// What is done, in the order of the numbers by which it is counted.
pub const ACTIONS: [&str; 14] = [
    "open", "close", "make", "destroy", "scribble", "send", "listen", "garbage", "spoiled", "map",
    "fork", "give", "take", "foreign",
];

/// How often, in parts of their sum.
const WEIGHTS: [usize; ACTIONS.len()] = [4, 1, 24, 8, 16, 10, 10, 24, 16, 6, 1, 2, 2, 4];

/// What a process is told.
#[derive(Clone)]
pub struct Plan {
    /// Seed of all.
    pub seed: u64,
    /// Which process it is, and which of those that were in its place.
    pub place: [u64; 2],
    /// How many threads it has.
    pub threads: u64,
    /// Names of devices.
    pub devices: Vec<String>,
    /// EID of the one that stays.
    pub eid: Eid,
    /// What is shared.
    pub board: Board,
    /// Descriptors come and go here.
    pub bus: [RawFd; 2],
}

struct Process {
    plan: Plan,
    memory: Arc<Mapping>,
    homes: Mutex<Vec<Arc<Home>>>,
    foreign: Mutex<Vec<Arc<OwnedFd>>>,
}

/// Lives until it is over, or somebody kills it.
pub fn live(plan: Plan) -> Outcome {
    let threads = plan.threads;
    let process = Arc::new(Process {
        plan,
        memory: Arc::new(Mapping::anonymous(MEMORY)?),
        homes: Mutex::new(Vec::new()),
        foreign: Mutex::new(Vec::new()),
    });
    let list: Vec<_> = (0..threads)
        .map(|number| {
            let process = process.clone();
            std::thread::spawn(move || process.work(number))
        })
        .collect();
    for thread in list {
        thread
            .join()
            .map_err(|_| Failure::Fail("a thread died".to_string()))??;
    }
    Ok(())
}

impl Process {
    fn work(&self, number: u64) -> Outcome {
        let plan = &self.plan;
        let mut rng = Rng::new(plan.seed, &[plan.place[0], plan.place[1], number]);
        let garbage = Garbage::new(plan.board.clone(), plan.eid)?;
        let sum: usize = WEIGHTS.iter().sum();
        while !plan.board.is_over() {
            let mut left = rng.below(sum);
            let action = WEIGHTS
                .iter()
                .position(|weight| {
                    let here = left < *weight;
                    left = left.wrapping_sub(*weight);
                    here
                })
                .unwrap_or(0);
            plan.board.count(action);
            self.act(action, &mut rng, &garbage);
        }
        Ok(())
    }

    fn home(&self, rng: &mut Rng) -> Option<Arc<Home>> {
        let homes = self.homes.lock().ok()?;
        homes.get(rng.below(homes.len())).cloned()
    }

    fn act(&self, action: usize, rng: &mut Rng, garbage: &Garbage) {
        let board = &self.plan.board;
        let home = self.home(rng);
        match (ACTIONS[action], home) {
            ("open", _) => self.open(rng),
            ("take", _) => self.take(),
            ("foreign", _) => self.use_foreign(rng, garbage),
            (_, None) => self.open(rng),
            ("close", Some(home)) => {
                if let Ok(mut homes) = self.homes.lock() {
                    homes.retain(|other| !Arc::ptr_eq(other, &home));
                }
            }
            ("make", Some(home)) => {
                let (command, errno) = home.make(rng, board);
                board.ended(command, errno);
            }
            ("destroy", Some(home)) => home.destroy(rng),
            ("scribble", Some(home)) => board.ended(0, home.scribble(rng, board)),
            ("send", Some(home)) => board.ended(0, home.send(rng, board)),
            ("listen", Some(home)) => home.listen(rng),
            ("map", Some(home)) => map(&home, rng),
            ("fork", Some(home)) => self.fork(&home, rng, garbage),
            ("give", Some(home)) => {
                let fds = [home.ctx.dev_fd(), home.ctx.events().as_raw_fd()];
                let _ = sys::send_fds(self.plan.bus[0], &fds);
            }
            (name, Some(home)) => self.garbage(home.ctx.dev_fd(), name, rng, garbage),
        }
    }

    fn open(&self, rng: &mut Rng) {
        let name = &self.plan.devices[rng.below(self.plan.devices.len())];
        let options = ContextOptions {
            doorbell: rng.pick(&[Doorbell::File, Doorbell::File, Doorbell::UserCtl]),
            ..Default::default()
        };
        let opened = Device::named(name).and_then(|dev| Context::open_with(&dev, options));
        let Ok(ctx) = opened else {
            return;
        };
        let _ = sys::set_nonblocking(ctx.events(), true);
        let home = Arc::new(Home::new(ctx, &self.memory));
        let old = self.homes.lock().ok().and_then(|mut homes| {
            homes.push(home);
            (homes.len() > HOMES).then(|| homes.swap_remove(rng.below(HOMES)))
        });
        drop(old);
    }

    fn garbage(&self, fd: RawFd, name: &str, rng: &mut Rng, garbage: &Garbage) {
        let (event, mut cmd) = garbage.command(rng);
        if name == "spoiled" {
            garbage.spoil(rng, &mut cmd);
        }
        let request = if event { IOC_EVENT } else { IOC_CMD };
        let request = if rng.chance(99) { request } else { rng.next() };
        let errno = cmd.run_as(fd, request).err().map_or(0, |err| err.errno());
        if request == IOC_CMD {
            self.plan.board.ended(cmd.command(), errno);
        }
    }

    /// A child that shares all files, and is killed or ends by itself.
    fn fork(&self, home: &Home, rng: &mut Rng, garbage: &Garbage) {
        let mut commands: Vec<_> = (0..4).map(|_| garbage.command(rng).1).collect();
        let (kill, wait) = (rng.chance(50), rng.below(5) as u64);
        let fd = home.ctx.dev_fd();
        match sys::fork() {
            Ok(Fork::Child) => {
                sys::die_with_parent();
                sys::alarm(5);
                for cmd in &mut commands {
                    cmd.run_by(|header| {
                        let _ = sys::ioctl(fd, IOC_CMD, header as *const _ as u64);
                    });
                }
                sys::exit_now(0);
            }
            Ok(Fork::Parent(pid)) => {
                std::thread::sleep(Duration::from_millis(wait));
                if kill {
                    let _ = sys::kill(pid, libc::SIGKILL);
                }
                let _ = sys::wait_for(pid);
            }
            Err(_) => (),
        }
    }

    fn take(&self) {
        let Ok(files) = sys::receive_fds(self.plan.bus[1], 0) else {
            return;
        };
        let Ok(mut foreign) = self.foreign.lock() else {
            return;
        };
        foreign.extend(files.into_iter().map(Arc::new));
        let surplus = foreign.len().saturating_sub(FOREIGN);
        foreign.drain(..surplus);
    }

    fn use_foreign(&self, rng: &mut Rng, garbage: &Garbage) {
        let file = self.foreign.lock().ok().and_then(|mut list| {
            let at = rng.below(list.len());
            if !list.is_empty() && rng.chance(10) {
                return Some(list.swap_remove(at));
            }
            list.get(at).cloned()
        });
        if let Some(file) = file {
            let _ = sys::set_nonblocking(&file, true);
            self.garbage(file.as_raw_fd(), "garbage", rng, garbage);
            let _ = sys::poll(file.as_raw_fd(), libc::POLLIN, 0);
        }
    }
}

/// Maps what may be there, in ways that may be allowed, and cuts it up.
fn map(home: &Home, rng: &mut Rng) {
    let (offset, len) = home.area(rng);
    let how = MapFlags {
        exec: rng.chance(10),
        write: rng.chance(80),
        private: rng.chance(10),
    };
    let Ok(mut map) = Mapping::file(home.ctx.dev_fd(), offset, len, how) else {
        return;
    };
    match rng.below(6) {
        0 => drop(map.protect(false)),
        1 => drop(map.make_executable()),
        2 => drop(map.resize((len.max(8192) / 2) & !4095)),
        3 => drop(map.resize(len + 4096)),
        4 => drop(map.inherit(false)),
        _ => drop(map.load32(0, std::sync::atomic::Ordering::Relaxed)),
    }
}
