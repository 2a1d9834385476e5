// SPDX-License-Identifier: GPL-2.0

//! Processes, signals, identities.

use std::ffi::CString;
use std::os::fd::{FromRawFd, OwnedFd, RawFd};

use crate::{Error, Result};

/// Process id.
pub type Pid = libc::pid_t;

/// Which side of a fork this is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fork {
    /// The parent; the child has this id.
    Parent(Pid),
    /// The child.
    Child,
}

/// How a process ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// By exit with this code.
    Code(i32),
    /// By this signal.
    Signal(i32),
}

/// Duplicates the process. Only the calling thread lives on in the child, so call it
/// while there is one thread.
pub fn fork() -> Result<Fork> {
    // SAFETY: the programs that use this fork while they have one thread, or the child
    // only makes system calls; see above.
    match unsafe { libc::fork() } {
        -1 => Err(Error::last("fork")),
        0 => Ok(Fork::Child),
        pid => Ok(Fork::Parent(pid)),
    }
}

fn decode(status: i32) -> Exit {
    if libc::WIFSIGNALED(status) {
        Exit::Signal(libc::WTERMSIG(status))
    } else {
        Exit::Code(libc::WEXITSTATUS(status))
    }
}

/// Waits for the end of a child.
pub fn wait_for(pid: Pid) -> Result<Exit> {
    let mut status = 0;
    loop {
        // SAFETY: `status` is valid for the call.
        if unsafe { libc::waitpid(pid, &mut status, 0) } == pid {
            return Ok(decode(status));
        }
        let err = Error::last("waitpid");
        if err.errno() != libc::EINTR {
            return Err(err);
        }
    }
}

/// How a child ended, if it has.
pub fn try_wait(pid: Pid) -> Result<Option<Exit>> {
    let mut status = 0;
    // SAFETY: `status` is valid for the call.
    match unsafe { libc::waitpid(pid, &mut status, libc::WNOHANG) } {
        0 => Ok(None),
        -1 => Err(Error::last("waitpid")),
        _ => Ok(Some(decode(status))),
    }
}

/// Ends the process at once, without destructors.
pub fn exit_now(code: i32) -> ! {
    // SAFETY: does not return.
    unsafe { libc::_exit(code) }
}

/// Sends a signal.
pub fn kill(pid: Pid, signal: i32) -> Result<()> {
    // SAFETY: no memory is involved.
    if unsafe { libc::kill(pid, signal) } != 0 {
        return Err(Error::last("kill"));
    }
    Ok(())
}

/// SIGALRM after so many seconds; 0 takes it back.
pub fn alarm(seconds: u32) {
    // SAFETY: no memory is involved.
    unsafe { libc::alarm(seconds) };
}

extern "C" fn nothing(_signal: i32) {}

/// Catches a signal and does nothing, without restarting system calls: blocked calls
/// give EINTR.
pub fn interrupt_on(signal: i32) -> Result<()> {
    let handler: extern "C" fn(i32) = nothing;
    // SAFETY: zero is a valid sigaction, the handler does nothing and so is safe at any
    // time.
    let ret = unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = handler as usize;
        libc::sigaction(signal, &action, std::ptr::null_mut())
    };
    if ret != 0 {
        return Err(Error::last("sigaction"));
    }
    Ok(())
}

/// Makes this process get SIGKILL when its parent ends.
pub fn die_with_parent() {
    // SAFETY: no memory is involved.
    unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL) };
}

/// Effective user id.
pub fn effective_uid() -> u32 {
    // SAFETY: cannot fail.
    unsafe { libc::geteuid() }
}

/// Gives up root for good: groups, group id and user id.
pub fn become_user(uid: u32) -> Result<()> {
    // SAFETY: an empty list of groups needs no memory.
    if unsafe { libc::setgroups(0, std::ptr::null()) } != 0 {
        return Err(Error::last("setgroups"));
    }
    // SAFETY: no memory is involved.
    if unsafe { libc::setresgid(uid, uid, uid) } != 0 {
        return Err(Error::last("setresgid"));
    }
    // SAFETY: no memory is involved.
    if unsafe { libc::setresuid(uid, uid, uid) } != 0 {
        return Err(Error::last("setresuid"));
    }
    Ok(())
}

/// Limits the memory that this process may lock or pin, in bytes.
pub fn limit_memlock(bytes: u64) -> Result<()> {
    let limit = libc::rlimit {
        rlim_cur: bytes,
        rlim_max: bytes,
    };
    // SAFETY: `limit` is valid for the call.
    if unsafe { libc::setrlimit(libc::RLIMIT_MEMLOCK, &limit) } != 0 {
        return Err(Error::last("setrlimit"));
    }
    Ok(())
}

/// A connected pair of message sockets, kept over exec.
pub fn message_pair() -> Result<(OwnedFd, OwnedFd)> {
    let mut fds = [0; 2];
    // SAFETY: room for two descriptors.
    let ret = unsafe { libc::socketpair(libc::AF_UNIX, libc::SOCK_SEQPACKET, 0, fds.as_mut_ptr()) };
    if ret != 0 {
        return Err(Error::last("socketpair"));
    }
    // SAFETY: two new descriptors that nobody else knows.
    Ok(unsafe { (OwnedFd::from_raw_fd(fds[0]), OwnedFd::from_raw_fd(fds[1])) })
}

/// Sends one message.
pub fn send_message(fd: RawFd, message: &[u8]) -> Result<()> {
    // SAFETY: the slice is valid for the call.
    let ret = unsafe {
        libc::send(
            fd,
            message.as_ptr().cast(),
            message.len(),
            libc::MSG_NOSIGNAL,
        )
    };
    if ret != message.len() as isize {
        return Err(Error::last("send"));
    }
    Ok(())
}

/// Takes one message of at most `room` bytes; empty when the peer is gone.
pub fn receive_message(fd: RawFd, room: usize, timeout_ms: i32) -> Result<Vec<u8>> {
    if super::poll(fd, libc::POLLIN, timeout_ms)? == 0 {
        return Err(Error::TimedOut("no message from the peer".to_string()));
    }
    let mut buffer = vec![0u8; room];
    // SAFETY: the buffer is valid for the call.
    let ret = unsafe { libc::recv(fd, buffer.as_mut_ptr().cast(), room, 0) };
    if ret < 0 {
        return Err(Error::last("recv"));
    }
    buffer.truncate(ret as usize);
    Ok(buffer)
}

/// Writes to a file descriptor.
pub fn write_fd(fd: RawFd, data: &[u8]) -> Result<usize> {
    // SAFETY: the slice is valid for the call.
    let ret = unsafe { libc::write(fd, data.as_ptr().cast(), data.len()) };
    if ret < 0 {
        return Err(Error::last("write"));
    }
    Ok(ret as usize)
}

/// Reads from a file descriptor.
pub fn read_fd(fd: RawFd, buffer: &mut [u8]) -> Result<usize> {
    // SAFETY: the slice is valid for the call.
    let ret = unsafe { libc::read(fd, buffer.as_mut_ptr().cast(), buffer.len()) };
    if ret < 0 {
        return Err(Error::last("read"));
    }
    Ok(ret as usize)
}

/// Closes a descriptor by its number: as if another part of the process had done it.
pub fn close_raw(fd: RawFd) -> Result<()> {
    // SAFETY: any number will do; the callers own it and leak its other owner.
    if unsafe { libc::close(fd) } != 0 {
        return Err(Error::last("close"));
    }
    Ok(())
}

/// Another descriptor of the same open file.
pub fn duplicate(fd: RawFd) -> Result<OwnedFd> {
    // SAFETY: any number will do.
    let raw = unsafe { libc::fcntl(fd, libc::F_DUPFD_CLOEXEC, 0) };
    if raw < 0 {
        return Err(Error::last("fcntl(F_DUPFD_CLOEXEC)"));
    }
    // SAFETY: a new descriptor that nobody else knows.
    Ok(unsafe { OwnedFd::from_raw_fd(raw) })
}

/// Lets others run.
pub fn yield_now() {
    // SAFETY: no memory is involved.
    unsafe { libc::sched_yield() };
}

/// Binds the calling thread to one processor.
pub fn pin_to_cpu(cpu: usize) -> Result<()> {
    // SAFETY: zero is an empty set; `cpu` is checked by CPU_SET's bounds and the kernel.
    let ret = unsafe {
        let mut set: libc::cpu_set_t = std::mem::zeroed();
        libc::CPU_SET(cpu, &mut set);
        libc::sched_setaffinity(0, std::mem::size_of::<libc::cpu_set_t>(), &set)
    };
    if ret != 0 {
        return Err(Error::last("sched_setaffinity"));
    }
    Ok(())
}

/// Puts the calling thread into a network namespace of its own, and lets it see the sysfs of that.
pub fn leave_network() -> Result<()> {
    // SAFETY: no memory is involved.
    if unsafe { libc::unshare(libc::CLONE_NEWNET | libc::CLONE_NEWNS) } != 0 {
        return Err(Error::last("unshare"));
    }
    let (none, root, flags) = (
        std::ptr::null(),
        c"/".as_ptr(),
        libc::MS_REC | libc::MS_PRIVATE,
    );
    // SAFETY: strings that end with a zero, or none; what follows is seen by this thread alone.
    if unsafe { libc::mount(none, root, none, flags, std::ptr::null()) } != 0 {
        return Err(Error::last("mount"));
    }
    let (kind, place) = (c"sysfs".as_ptr(), c"/sys".as_ptr());
    // SAFETY: as above.
    if unsafe { libc::mount(kind, place, kind, 0, std::ptr::null()) } != 0 {
        return Err(Error::last("mount of sysfs"));
    }
    Ok(())
}

/// Loads a kernel module from an open file.
pub fn finit_module(fd: RawFd, params: &str) -> Result<()> {
    let params = CString::new(params).map_err(|_| Error::sys("finit_module", libc::EINVAL))?;
    // SAFETY: a NUL-terminated string; the kernel checks the rest.
    if unsafe { libc::syscall(libc::SYS_finit_module, fd, params.as_ptr(), 0) } != 0 {
        return Err(Error::last("finit_module"));
    }
    Ok(())
}

/// Unloads a kernel module.
pub fn delete_module(name: &str) -> Result<()> {
    let cname = CString::new(name).map_err(|_| Error::sys("delete_module", libc::EINVAL))?;
    // SAFETY: a NUL-terminated string.
    let ret = unsafe { libc::syscall(libc::SYS_delete_module, cname.as_ptr(), libc::O_NONBLOCK) };
    if ret != 0 {
        return Err(Error::last(&format!("delete_module {name}")));
    }
    Ok(())
}

/// Replaces the program; returns only on failure.
pub fn exec(path: &str, args: &[&str]) -> Error {
    use std::os::unix::process::CommandExt;
    let mut command = std::process::Command::new(path);
    if path == "/proc/self/exe" {
        // The test programs are one, which goes by its name.
        command.arg0(std::env::args_os().next().unwrap_or_default());
    }
    let err = command.args(args).exec();
    Error::io("exec", &err)
}
