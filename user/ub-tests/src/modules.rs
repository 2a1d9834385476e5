// SPDX-License-Identifier: GPL-2.0

//! Loading and unloading of the modules under test.

use std::fs::{self, File};
use std::os::fd::AsRawFd;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use ub_client::sys;

use crate::Failure;

/// Where module files may lie; the first place that has one counts.
const PLACES: [&str; 2] = ["/modules", "/lib/modules"];

/// A module with its parameters.
#[derive(Debug, Clone)]
pub struct Module {
    /// Its name.
    pub name: String,
    /// Its parameters.
    pub params: String,
}

/// The modules in the order in which they are loaded.
pub fn order() -> Vec<Module> {
    let text = fs::read_to_string("/modules/order")
        .unwrap_or_else(|_| "ubcore\nuburma\nubsoft\n".to_string());
    text.lines()
        .filter(|line| !line.trim().is_empty())
        .map(|line| {
            let (name, params) = line.split_once(' ').unwrap_or((line, ""));
            Module {
                name: name.to_string(),
                params: params.to_string(),
            }
        })
        .collect()
}

fn file_of(name: &str) -> Result<PathBuf, Failure> {
    PLACES
        .iter()
        .map(|place| PathBuf::from(place).join(format!("{name}.ko")))
        .find(|path| path.exists())
        .ok_or_else(|| Failure::Fail(format!("{name}.ko is in none of {PLACES:?}")))
}

/// Whether a module is loaded.
pub fn is_loaded(name: &str) -> bool {
    PathBuf::from("/sys/module").join(name).exists()
}

/// Users of a loaded module.
pub fn refcount(name: &str) -> Result<i64, Failure> {
    let text = fs::read_to_string(format!("/sys/module/{name}/refcnt"))?;
    text.trim()
        .parse()
        .map_err(|_| Failure::Fail(format!("refcnt of {name} is '{text}'")))
}

/// Loads a module.
pub fn load(module: &Module) -> Result<(), Failure> {
    let file = File::open(file_of(&module.name)?)?;
    Ok(sys::finit_module(file.as_raw_fd(), &module.params)?)
}

/// Unloads a module; tries for a while as long as it is in use.
pub fn unload(name: &str) -> Result<(), Failure> {
    let start = Instant::now();
    loop {
        match sys::delete_module(name) {
            Ok(()) => return Ok(()),
            Err(err) if start.elapsed() > Duration::from_secs(5) => return Err(err.into()),
            Err(_) => std::thread::sleep(Duration::from_millis(10)),
        }
    }
}

/// Loads those that are not loaded.
pub fn load_all() -> Result<(), Failure> {
    for module in order() {
        if !is_loaded(&module.name) {
            load(&module)?;
        }
    }
    Ok(())
}

/// Unloads all, the last one first.
pub fn unload_all() -> Result<(), Failure> {
    for module in order().iter().rev() {
        if is_loaded(&module.name) {
            unload(&module.name)?;
        }
    }
    Ok(())
}
