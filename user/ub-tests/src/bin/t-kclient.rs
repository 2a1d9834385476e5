// SPDX-License-Identifier: GPL-2.0

//! Clients in the kernel: the cases of ub_test_client.ko, each a file that runs it when it is read,
//! and traffic between it and user space.

use std::fs;
use std::path::Path;
use std::process::ExitCode;

use ub_client::abi::*;
use ub_client::{Context, Device, Eid, RemoteRange, SendWr, Target, TargetConfig};
use ub_tests::fixture::{PairConfig, Side};
use ub_tests::modules::{self, Module};
use ub_tests::{check, check_eq, tests, Failure, Options, Outcome};

const MODULE: &str = "ub_test_client";
const DIR: &str = "/sys/kernel/debug/ub_test_client";
/// A second device.
const SECOND: &str = "/sys/kernel/config/ubsoft/ubtest1";

/// Runs a case.
fn case(name: &str) -> Outcome {
    let text = fs::read_to_string(Path::new(DIR).join(name))?;
    if text.trim() == "ok" {
        Ok(())
    } else {
        Err(Failure::Fail(text))
    }
}

/// Makes a test of each case.
macro_rules! cases {
    ($($name:ident),* $(,)?) => {
        $(
            fn $name() -> Outcome {
                case(stringify!($name))
            }
        )*
    };
}

cases! {
    devices_and_queries,
    send_and_receive,
    send_and_receive_rm,
    send_inline_with_imm,
    write_then_write_imm,
    write_then_write_imm_rm,
    read,
    atomics,
    write_notify,
    bind_in_either_order,
    traffic_from_softirq,
    traffic_from_softirq_rm,
    post_recv_with_interrupts_off,
    poll_with_interrupts_off,
    rearm,
    moderation,
    moderated_in_softirq,
    post_in_handler,
    buffer_comes_late,
    large_writes_with_interrupts_off,
    bad_work_requests,
    access_is_refused,
    memory_is_refused,
    no_buffer,
    flush_at_error,
    flush_of_a_shared_queue,
    purge_at_delete,
    peer_goes,
}

/// Every case is in the list above.
fn no_case_is_left_out() -> Outcome {
    for entry in fs::read_dir(DIR)? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        let known = TESTS.iter().any(|test| test.name == name);
        check!(
            known || name == "devices" || name == "echo",
            "nobody runs {name}"
        );
    }
    Ok(())
}

/// What the module echoes with: where to send, and its memory.
struct Echo {
    target: TargetConfig,
    memory: RemoteRange,
}

impl Echo {
    /// Has a jetty of the kernel answer one of ours.
    fn start(device: &str, side: &Side) -> Result<Self, Failure> {
        let eid: String = side
            .ctx
            .eid()
            .0
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect();
        let own = side.target_config();
        fs::write(
            Path::new(DIR).join("echo"),
            format!("{device} {eid} {} {}\n", own.id, own.token),
        )?;
        let text = fs::read_to_string(Path::new(DIR).join("echo"))?;
        let words: Vec<&str> = text.split_whitespace().collect();
        let number = |index: usize| -> Result<u64, Failure> {
            words
                .get(index)
                .and_then(|word| word.parse().ok())
                .ok_or_else(|| Failure::Fail(format!("the file says '{text}'")))
        };
        let mut eid = Eid([0; 16]);
        for (i, byte) in eid.0.iter_mut().enumerate() {
            let pair = words.first().and_then(|word| word.get(2 * i..2 * i + 2));
            *byte = u8::from_str_radix(pair.unwrap_or(""), 16)
                .map_err(|_| Failure::Fail(format!("the file says '{text}'")))?;
        }
        Ok(Echo {
            target: TargetConfig::jetty(eid, number(1)? as u32, number(2)? as u32),
            memory: RemoteRange {
                addr: number(3)?,
                token_id: number(4)? as u32,
                token: number(5)? as u32,
            },
        })
    }
}

impl Drop for Echo {
    fn drop(&mut self) {
        let _ = fs::write(Path::new(DIR).join("echo"), "stop");
    }
}

/// Messages of a user come back from the kernel.
fn echo(device: &str) -> Outcome {
    let mut side = Side::create(PairConfig {
        rnr_retry: 7,
        ..Default::default()
    })?;
    let echo = Echo::start(device, &side)?;
    let target = Target::jetty(&side.ctx, echo.target)?;
    for round in 0..200usize {
        let len = 1 + round * 5;
        let data: Vec<u8> = (0..len).map(|i| (i * 3 + round) as u8).collect();
        side.memory.write(0, &data);
        side.memory.fill(4096, 1024, 0xee);
        side.post_recv(4096, 1024, round as u64)?;
        let list = [side.memory.sge(0, len)];
        let sent = side.expect(&SendWr::send(target.target_ref(), &list), UBURMA_CR_SUCCESS)?;
        check_eq!(sent.byte_len, len as u32);
        let answer = side.wait_received()?;
        check_eq!(u32::from(answer.status), UBURMA_CR_SUCCESS);
        check_eq!(answer.byte_len, len as u32);
        check_eq!(answer.user_ctx, round as u64);
        check_eq!(answer.remote_id, echo.target.id);
        check_eq!(side.memory.bytes(4096, len), data);
        check_eq!(side.memory.bytes(4096 + len, 1), [0xee]);
    }
    // The memory of the kernel's own.
    side.memory.write(0, b"from user space");
    let list = [side.memory.sge(0, 15)];
    side.expect(
        &SendWr::write(target.target_ref(), echo.memory, &list),
        UBURMA_CR_SUCCESS,
    )?;
    let list = [side.memory.sge(8192, 15)];
    side.expect(
        &SendWr::read(target.target_ref(), echo.memory, &list),
        UBURMA_CR_SUCCESS,
    )?;
    check_eq!(side.memory.bytes(8192, 15), b"from user space");
    Ok(())
}

fn echo_on_one_device() -> Outcome {
    echo(&Device::first()?.name)
}

fn echo_on_two_devices() -> Outcome {
    echo("ubtest1")
}

/// The kernel's end goes with its device, and the user hears of it.
fn device_of_an_echo_goes() -> Outcome {
    let name = "ubtest2";
    let dir = Path::new("/sys/kernel/config/ubsoft").join(name);
    fs::create_dir(&dir)?;
    let mut side = Side::create(Default::default())?;
    let started = Echo::start(name, &side);
    let gone = fs::remove_dir(&dir);
    let echo = started?;
    gone?;
    check_eq!(fs::read_to_string(Path::new(DIR).join("echo"))?, "");
    let target = Target::jetty(&side.ctx, echo.target);
    if let Ok(target) = target {
        let list = [side.memory.sge(0, 8)];
        side.expect(
            &SendWr::send(target.target_ref(), &list),
            UBURMA_CR_ACK_TIMEOUT_ERR,
        )?;
    }
    Ok(())
}

/// A context closes while the kernel answers it.
fn user_of_an_echo_goes() -> Outcome {
    let mut side = Side::create(Default::default())?;
    let echo = Echo::start("ubtest1", &side)?;
    let target = Target::jetty(&side.ctx, echo.target)?;
    let list = [side.memory.sge(0, 1024)];
    for _ in 0..8 {
        side.jetty
            .queue()
            .send(&SendWr::send(target.target_ref(), &list))?;
    }
    drop(side);
    drop(target);
    Context::open_first()?;
    Ok(())
}

const TESTS: &[ub_tests::Test] = tests![
    devices_and_queries,
    send_and_receive,
    send_and_receive_rm,
    send_inline_with_imm,
    write_then_write_imm,
    write_then_write_imm_rm,
    read,
    atomics,
    write_notify,
    bind_in_either_order,
    traffic_from_softirq,
    traffic_from_softirq_rm,
    post_recv_with_interrupts_off,
    poll_with_interrupts_off,
    rearm,
    moderation,
    moderated_in_softirq,
    post_in_handler,
    buffer_comes_late,
    large_writes_with_interrupts_off,
    bad_work_requests,
    access_is_refused,
    memory_is_refused,
    no_buffer,
    flush_at_error,
    flush_of_a_shared_queue,
    purge_at_delete,
    peer_goes,
    no_case_is_left_out,
    echo_on_one_device,
    echo_on_two_devices,
    device_of_an_echo_goes,
    user_of_an_echo_goes,
];

pub fn main() -> ExitCode {
    let module = Module {
        name: MODULE.to_string(),
        params: String::new(),
    };
    let ready = fs::create_dir(SECOND)
        .map_err(Failure::from)
        .and_then(|()| modules::load(&module));
    if let Err(why) = ready {
        println!("Bail out! {MODULE} cannot be used: {why:?}");
        let _ = fs::remove_dir(SECOND);
        return ExitCode::FAILURE;
    }
    let options = Options {
        root: true,
        ..Default::default()
    };
    let code = ub_tests::run_with("t-kclient", TESTS, options);
    let unloaded = modules::unload(MODULE);
    let removed = fs::remove_dir(SECOND);
    if unloaded.is_err() || removed.is_err() {
        println!("# {unloaded:?} {removed:?}");
        return ExitCode::FAILURE;
    }
    code
}
