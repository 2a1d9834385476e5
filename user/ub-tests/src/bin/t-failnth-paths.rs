// SPDX-License-Identifier: GPL-2.0

//! Everything besides commands, with every operation in it that can fail failing once:
//! opening, mapping, polling, closing, dying, and devices that come and go. Of long calls
//! some operations are left out, unless it is told `full=1`.

use std::fs;
use std::os::fd::{AsRawFd, IntoRawFd};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use ub_client::abi::*;
use ub_client::sys::{self, Epoll, Exit, Fork, MapFlags, Mapping};
use ub_client::{
    Context, Device, Error, Jetty, Jfc, Jfce, Jfr, Jfs, JfsConfig, Segment, SegmentConfig, SendWr,
    Token, Window,
};
use ub_tests::counters::Snapshot;
use ub_tests::failnth::{
    has_struck, sparse_after, sweep, AnyShot, CallShot, Coverage, Faults, Kind, Rules,
};
use ub_tests::fixture::{Pair, Side, SEG_TOKEN};
use ub_tests::{check, check_eq, tests, Failure, Options, Outcome};

const PAGE: usize = 4096;
const CONFIG: &str = "/sys/kernel/config/ubsoft/ubfault0";

/// Sweeps, and tells what was struck: at least so much.
fn swept<'a>(
    what: &str,
    least: u32,
    errnos: &[i32],
    prepare: impl FnMut() -> Result<AnyShot<'a>, Failure>,
) -> Outcome {
    let rules = Rules {
        errnos,
        sparse_after: sparse_after(),
        ..Default::default()
    };
    let coverage = sweep(&Faults::set_up()?, rules, prepare)?;
    tell(what, &coverage)?;
    check!(coverage.steps() >= least, "{coverage:?}");
    Ok(())
}

fn tell(what: &str, coverage: &Coverage) -> Outcome {
    let [slab, page, copy] = coverage.faults;
    println!(
        "# {what}: {slab} slab, {page} page, {copy} copy, {} survived",
        coverage.survived
    );
    Ok(std::io::Write::flush(&mut std::io::stdout())?)
}

fn open_device() -> Outcome {
    let device = Device::first()?;
    swept("open", 3, &[], || {
        Ok(CallShot::new(
            || Context::open_bare(&device),
            |file| {
                drop(file);
                Ok(())
            },
        ))
    })
}

fn map_ring() -> Outcome {
    let side = Side::create(Default::default())?;
    let resp = *side.sent.ring().ring().resp();
    let fd = side.ctx.dev_fd();
    swept("mmap", 2, &[], || {
        Ok(CallShot::new(
            move || {
                Mapping::file(
                    fd,
                    resp.mmap_off,
                    resp.mmap_len as usize,
                    MapFlags::default(),
                )
            },
            |map| {
                drop(map);
                Ok(())
            },
        ))
    })
}

/// Memory that may be mapped by peers, from its registration to the first access of one.
fn lend_and_map() -> Outcome {
    let (lender, user) = (Context::open_first()?, Context::open_first()?);
    let memory = Arc::new(Mapping::anonymous(PAGE)?);
    memory.fill(0, PAGE, 1);
    let token = Token::alloc(&lender)?;
    let config = SegmentConfig {
        token: SEG_TOKEN,
        lend: true,
        ..Default::default()
    };
    let lend = || Segment::register(&lender, &memory, 0, PAGE, Some(&token), config);
    swept("lend", 5, &[], || {
        Ok(CallShot::new(lend, |mut segment| {
            segment.unregister()?;
            Ok(())
        }))
    })?;
    let segment = lend()?;
    let (eid, remote, len) = (lender.eid(), segment.remote(0), PAGE as u64);
    let open = || Window::open(&user, eid, remote, len, UBURMA_ACCESS_READ);
    swept("import for mapping", 5, &[], || {
        Ok(CallShot::new(open, |mut window| {
            window.close()?;
            Ok(())
        }))
    })?;
    let window = open()?;
    swept("mmap of a window", 1, &[], || {
        Ok(CallShot::new(
            || window.map(false),
            |map| {
                check_eq!(map.peek64(0)?, 0x0101_0101_0101_0101);
                Ok(())
            },
        ))
    })?;
    // It goes through a pipe, of which there may be too many.
    swept("first access", 1, &[libc::ENFILE, libc::EMFILE], || {
        let map = window.map(false)?;
        Ok(CallShot::new(
            move || map.peek64(0),
            |word| {
                check_eq!(word, 0x0101_0101_0101_0101);
                Ok(())
            },
        ))
    })
}

/// A send queue, and a thread that polls it.
fn polled_queue() -> Outcome {
    let side = Side::create(Default::default())?;
    let config = JfsConfig {
        poll: Some(1),
        ..JfsConfig::on(&side.sent)
    };
    swept("a polled queue", 10, &[], || {
        Ok(CallShot::new(
            || Jfs::create(&side.ctx, config),
            |mut jfs| {
                jfs.destroy()?;
                Ok(())
            },
        ))
    })
}

fn poll_channel() -> Outcome {
    let ctx = Context::open_first()?;
    let jfce = Jfce::create(&ctx)?;
    let files = [jfce.as_raw_fd(), ctx.events().as_raw_fd()];
    for fd in files {
        swept("poll", 1, &[], || {
            Ok(CallShot::new(
                move || sys::poll(fd, libc::POLLIN, 0),
                |_| Ok(()),
            ))
        })?;
        swept("epoll", 3, &[], || {
            Ok(CallShot::new(
                move || Epoll::new(fd, libc::EPOLLIN as u32),
                |set| {
                    drop(set);
                    Ok(())
                },
            ))
        })?;
    }
    Ok(())
}

/// Waking those who poll when an event comes.
fn ring_doorbell() -> Outcome {
    let pair = std::cell::RefCell::new(Pair::create()?);
    swept("doorbell", 0, &[], || {
        let pair = &pair;
        Ok(CallShot::new(
            move || {
                let mut pair = pair.borrow_mut();
                let target = pair.to_b();
                let list = [pair.a.memory.sge(0, 5000)];
                let wr = SendWr::write(target, pair.b.memory.remote(100), &list);
                pair.a.jetty.queue().send(&wr)?;
                Ok(())
            },
            move |()| {
                let cqe = pair.borrow_mut().a.wait_sent()?;
                ub_tests::fixture::expect_status(&cqe, UBURMA_CR_SUCCESS)
            },
        ))
    })
}

/// A file with a context and some of each object, none of it mapped.
fn laden() -> Result<[i32; 3], Failure> {
    let device = Device::first()?;
    let file = Context::open_bare(&device)?;
    let fd = file.as_raw_fd();
    let mut cmd = Context::create_cmd(&device.eid(0)?, 0);
    cmd.run(fd)?;
    let events = cmd.get_i32(UBURMA_CREATE_CTX_OUT_ASYNC_FD);
    let resp: ubsoft_ctx_resp = cmd.udata_reply(UBURMA_CREATE_CTX_IN_UDATA)?;
    let peer = Side::create(Default::default())?;
    let jfc = {
        let mut cmd = Jfc::create_cmd(Default::default());
        cmd.run(fd)?;
        cmd.get_u64(UBURMA_CREATE_JFC_OUT_HANDLE)
    };
    let mut jfr = *peer.jfr.config();
    jfr.jfc = jfc;
    let mut cmd = Jfr::create_cmd(jfr);
    cmd.run(fd)?;
    let mut jetty = ub_client::JettyConfig::on(&peer.sent, &peer.received, &peer.jfr);
    jetty.send.jfc = jfc;
    jetty.recv_jfc = jfc;
    jetty.jfr = (
        cmd.get_u64(UBURMA_CREATE_JFR_OUT_HANDLE),
        cmd.get_u32(UBURMA_CREATE_JFR_OUT_ID),
    );
    Jetty::create_cmd(jetty).run(fd)?;
    Token::alloc_cmd(0).run(fd)?;
    ub_client::Target::jetty_cmd(peer.target_config()).run(fd)?;
    Ok([file.into_raw_fd(), events, resp.doorbell_fd])
}

/// Closing cannot fail, whatever does.
fn close_files() -> Outcome {
    for first in 0..3 {
        swept("close", 0, &[], || {
            let files = laden()?;
            let mut next = first;
            Ok(CallShot::new(
                move || {
                    for _ in 0..files.len() {
                        sys::close_raw(files[next % files.len()])?;
                        next += 1;
                    }
                    Ok::<(), Error>(())
                },
                |()| Ok(()),
            ))
        })?;
    }
    Ok(())
}

/// Dies with a laden file, in which the nth operation fails that can.
fn die_at(nth: u32) -> Outcome {
    let child = match sys::fork()? {
        Fork::Parent(pid) => pid,
        Fork::Child => {
            sys::die_with_parent();
            let code = match (Faults::set_up(), laden()) {
                (Ok(faults), Ok(_)) => {
                    let _ = faults.hit(nth, || sys::exit_now(0));
                    2
                }
                _ => 1,
            };
            sys::exit_now(code)
        }
    };
    check_eq!(sys::wait_for(child)?, Exit::Code(0), "fault {nth}");
    Ok(())
}

/// Neither can dying.
fn die() -> Outcome {
    let rest = Snapshot::take()?;
    for nth in 1..100 {
        die_at(nth)?;
        rest.compare()?;
        if !has_struck()? {
            println!("# exit: {} faults", nth - 1);
            return Ok(());
        }
    }
    Err(Failure::Fail("there is no end of faults".to_string()))
}

/// A device is made, with all that belongs to it; or it is not.
fn make_device() -> Outcome {
    swept("mkdir", 20, &[], || {
        Ok(CallShot::new(
            || fs::create_dir(CONFIG).map_err(|err| Error::io("mkdir", &err)),
            |()| {
                let device = Device::named("ubfault0")?;
                // A client that cannot take the device, and a node that cannot be made, do not
                // undo it: it is there for the others.
                if device.node().exists() {
                    Context::open(&device)?;
                }
                fs::remove_dir(CONFIG)?;
                check!(!device.node().exists());
                check!(!device.dir().exists());
                Ok(())
            },
        ))
    })
}

/// A device goes, files of it being open.
fn remove_device() -> Outcome {
    let result = swept("rmdir", 1, &[], || {
        fs::create_dir(CONFIG)?;
        let ctx = Context::open(&Device::named("ubfault0")?)?;
        let jfc = Jfc::create(&ctx, 16)?;
        Ok(CallShot::new(
            || fs::remove_dir(CONFIG).map_err(|err| Error::io("rmdir", &err)),
            move |()| {
                check_eq!(ctx.events().get()?.kind, UBURMA_EVENT_DEV_FATAL);
                let _ = &jfc;
                Ok(())
            },
        ))
    });
    let _ = fs::remove_dir(CONFIG);
    result
}

fn attributes() -> Outcome {
    fs::create_dir(CONFIG)?;
    let device = Device::named("ubfault0")?;
    let mut files = vec![format!("{CONFIG}/eid"), format!("{CONFIG}/online")];
    for name in ["ubdev", "driver_name", "guid", "max_jfc", "eids/eid0"] {
        files.push(device.dir().join(name).display().to_string());
    }
    for module in ub_tests::counters::MODULES {
        files.push(format!("/sys/kernel/debug/{module}/objects"));
    }
    let mut result = Ok(());
    for file in files.iter().filter(|file| Path::new(file).exists()) {
        result = result.and_then(|()| {
            swept(file, 2, &[], || {
                Ok(CallShot::new(
                    || fs::read(file).map_err(|err| Error::io("read", &err)),
                    |_| Ok(()),
                ))
            })
        });
    }
    drop(device);
    fs::remove_dir(CONFIG)?;
    result
}

/// The injector itself: it strikes what it says, where it says.
fn injector_works() -> Outcome {
    let faults = Faults::set_up()?;
    let (fd, _) = (Context::open_first()?, ());
    let mut out = [0; 1];
    // A read of nothing that can fail.
    let (_, kind) = faults.hit(1, sys::null_syscall)?;
    check_eq!(kind, None);
    let file = fs::File::open("/proc/self/fail-nth")?;
    let (result, kind) = faults.hit(1, || sys::read_fd(file.as_raw_fd(), &mut out))?;
    check!(result.is_err());
    check_eq!(kind, Some(Kind::UserCopy));
    let (result, kind) = faults.hit(1, || fs::File::open("/proc/self/status").map(drop))?;
    check!(result.is_err());
    check_eq!(kind, Some(Kind::Slab));
    drop(fd);
    Ok(())
}

pub fn main() -> ExitCode {
    let options = Options {
        limit: 1200,
        root: true,
        ..Default::default()
    };
    ub_tests::run_with(
        "t-failnth-paths",
        tests![
            injector_works,
            open_device,
            map_ring,
            lend_and_map,
            polled_queue,
            poll_channel,
            ring_doorbell,
            close_files,
            die,
            make_device,
            remove_device,
            attributes,
        ],
        options,
    )
}
