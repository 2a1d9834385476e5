// SPDX-License-Identifier: GPL-2.0

//! Network namespaces: a device and its EIDs are those of the namespace that they were given to,
//! which is the first one; whoever has a context keeps it, and reaches every EID.

use std::os::fd::AsRawFd;
use std::process::ExitCode;

use ub_client::abi::*;
use ub_client::sys;
use ub_client::{Context, Device, SendWr, Target};
use ub_tests::fixture::{expect_status, Pair};
use ub_tests::{check, check_eq, check_errno, tests, Failure, Options, Outcome};

/// Runs `test` in a thread: that may go to another namespace, and this one stays.
fn apart(test: fn() -> Outcome) -> Outcome {
    let ended = std::thread::spawn(test).join();
    ended.unwrap_or_else(|_| Err(Failure::Fail("it panicked".into())))
}

fn no_device_in_sysfs() -> Outcome {
    apart(|| {
        check!(!Device::list()?.is_empty());
        sys::leave_network()?;
        check_eq!(Device::list()?, []);
        Ok(())
    })
}

fn no_context() -> Outcome {
    apart(|| {
        let device = Device::first()?;
        let (file, eids) = (Context::open_bare(&device)?, device.eids()?);
        check!(!eids.is_empty());
        sys::leave_network()?;
        for (index, eid) in eids {
            let mut create = Context::create_cmd(&eid, index);
            check_errno!(create.run(file.as_raw_fd()), EPERM);
        }
        Ok(())
    })
}

/// The list is that of who asks, not of who opened the file.
fn no_eids() -> Outcome {
    apart(|| {
        let ctx = Context::open_first()?;
        check!(!ctx.eid_list(64)?.is_empty());
        sys::leave_network()?;
        check_eq!(ctx.eid_list(64)?, []);
        Ok(())
    })
}

/// What was made before goes on, and so does what is made of it; a peer is where it is.
fn traffic_between_namespaces() -> Outcome {
    apart(|| {
        let mut pair = Pair::create()?;
        sys::leave_network()?;
        let target = Target::jetty(&pair.a.ctx, pair.b.target_config())?;
        for i in 0..10u64 {
            pair.a.memory.write(0, &i.to_le_bytes());
            let list = [pair.a.memory.sge(0, 8)];
            let wr = SendWr::write(target.target_ref(), pair.b.memory.remote(64), &list);
            pair.a.expect(&wr, UBURMA_CR_SUCCESS)?;
            check_eq!(pair.b.memory.bytes(64, 8), i.to_le_bytes());
            pair.b.post_recv(128, 8, i)?;
            let wr = SendWr::send(target.target_ref(), &list);
            pair.a.expect(&wr, UBURMA_CR_SUCCESS)?;
            let cqe = pair.b.wait_received()?;
            expect_status(&cqe, UBURMA_CR_SUCCESS)?;
            check_eq!(pair.b.memory.bytes(128, 8), i.to_le_bytes());
        }
        Ok(())
    })
}

pub fn main() -> ExitCode {
    let options = Options {
        root: true,
        ..Default::default()
    };
    ub_tests::run_with(
        "t-namespaces",
        tests![
            no_device_in_sysfs,
            no_context,
            no_eids,
            traffic_between_namespaces,
        ],
        options,
    )
}
