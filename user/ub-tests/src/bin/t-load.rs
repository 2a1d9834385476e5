// SPDX-License-Identifier: GPL-2.0

//! Loading and unloading of the modules. To be run while none is loaded.

use std::process::ExitCode;

use ub_client::abi::*;
use ub_client::sys;
use ub_client::{Context, Device, SendWr, Target};
use ub_tests::fixture::Side;
use ub_tests::modules::{self, Module};
use ub_tests::{check, check_eq, check_errno, tests, Failure, Options, Outcome};

const CYCLES: u32 = 100;

/// One cycle of so many has a device, which takes as long as all else.
const DEVICE_EVERY: u32 = 4;

/// Unloads everything at the end of a test, whatever became of it.
struct Clean;

impl Drop for Clean {
    fn drop(&mut self) {
        let _ = modules::unload_all();
    }
}

fn module(name: &str, params: &str) -> Module {
    Module {
        name: name.to_string(),
        params: params.to_string(),
    }
}

fn transfer() -> Outcome {
    let mut side = Side::create(Default::default())?;
    let own = Target::jetty(&side.ctx, side.target_config())?;
    side.memory.write(0, b"loaded");
    let list = [side.memory.sge(0, 6)];
    let wr = SendWr::write(own.target_ref(), side.memory.remote(4096), &list);
    side.expect(&wr, UBURMA_CR_SUCCESS)?;
    check_eq!(side.memory.bytes(4096, 6), b"loaded");
    Ok(())
}

fn nothing_is_loaded() -> Outcome {
    // A hundred cycles begin with them.
    run_kunit(false);
    for name in ["ubcore", "uburma", "ubsoft"] {
        check!(!modules::is_loaded(name), "{name} is loaded already");
    }
    check!(Device::list().is_err());
    Ok(())
}

/// Has the kernel run the tests inside of modules, or not, when they are loaded.
fn run_kunit(on: bool) {
    let filter = if on { "*.*" } else { "none" };
    // Not every kernel has KUnit.
    let _ = std::fs::write("/sys/module/kunit/parameters/filter_glob", filter);
}

/// Loads and unloads all, with traffic in between if there is a device.
fn one_cycle(device: bool) -> Outcome {
    if device {
        modules::load_all()?;
        transfer()?;
    } else {
        for name in ["ubcore", "uburma"] {
            modules::load(&module(name, ""))?;
        }
        modules::load(&module("ubsoft", "devices=0"))?;
        check_eq!(Device::list()?.len(), 0);
    }
    modules::unload_all()
}

fn a_hundred_cycles() -> Outcome {
    let _clean = Clean;
    for cycle in 0..CYCLES {
        // Once is enough; they take longer than all the rest.
        run_kunit(cycle == 0);
        one_cycle(cycle % DEVICE_EVERY == 0)
            .map_err(|why| Failure::Fail(format!("cycle {cycle}: {why:?}")))?;
    }
    nothing_is_loaded()?;
    run_kunit(true);
    Ok(())
}

fn order_matters() -> Outcome {
    let _clean = Clean;
    for name in ["uburma", "ubsoft"] {
        check!(
            modules::load(&module(name, "")).is_err(),
            "{name} without ubcore"
        );
    }
    modules::load(&module("ubcore", ""))?;
    check!(
        modules::load(&module("ubcore", "")).is_err(),
        "ubcore twice"
    );
    modules::load(&module("uburma", ""))?;
    check_errno!(sys::delete_module("ubcore"), EAGAIN | EBUSY);
    modules::load(&module("ubsoft", ""))?;
    check_errno!(sys::delete_module("ubcore"), EAGAIN | EBUSY);
    transfer()
}

/// The client that finds devices may come after the driver.
fn driver_before_client() -> Outcome {
    let _clean = Clean;
    modules::load(&module("ubcore", ""))?;
    modules::load(&module("ubsoft", ""))?;
    let device = Device::first()?;
    check!(!device.node().exists());
    modules::load(&module("uburma", ""))?;
    check!(device.node().exists());
    transfer()?;
    modules::unload("uburma")?;
    check!(!device.node().exists());
    check_eq!(Device::first()?, device);
    modules::load(&module("uburma", ""))?;
    transfer()
}

fn open_files_hold_the_modules() -> Outcome {
    let _clean = Clean;
    modules::load_all()?;
    let ctx = Context::open_first()?;
    check!(modules::refcount("uburma")? > 0);
    check_errno!(sys::delete_module("uburma"), EAGAIN | EBUSY);
    drop(ctx);
    modules::unload_all()?;
    nothing_is_loaded()
}

fn number_of_devices() -> Outcome {
    let _clean = Clean;
    modules::load(&module("ubcore", ""))?;
    modules::load(&module("uburma", ""))?;
    for count in [0, 1, 7] {
        modules::load(&module("ubsoft", &format!("devices={count}")))?;
        let list = Device::list()?;
        check_eq!(list.len(), count, "devices={count}");
        let mut eids = Vec::new();
        for device in &list {
            Context::open(device)?;
            eids.push(device.eid(0)?.0);
        }
        eids.sort_unstable();
        eids.dedup();
        check_eq!(eids.len(), count, "EIDs");
        modules::unload("ubsoft")?;
    }
    check!(modules::load(&module("ubsoft", "devices=many")).is_err());
    check!(modules::load(&module("ubsoft", "devices=1000000")).is_err());
    check!(!modules::is_loaded("ubsoft"));
    Ok(())
}

pub fn main() -> ExitCode {
    let options = Options {
        limit: 600,
        counters: false,
        root: true,
    };
    ub_tests::run_with(
        "t-load",
        tests![
            nothing_is_loaded,
            order_matters,
            driver_before_client,
            open_files_hold_the_modules,
            number_of_devices,
            a_hundred_cycles,
        ],
        options,
    )
}
