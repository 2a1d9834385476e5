// SPDX-License-Identifier: GPL-2.0

//! ioctl() as a 32-bit process issues it.

use super::process::{self, Exit, Fork};

/// Whether this kernel takes 32-bit system calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CompatProbe {
    /// It does.
    Works,
    /// It does not: the instruction or the call is refused.
    Missing,
}

const IA32_GETPID: u32 = 20;
const IA32_IOCTL: u32 = 54;

#[cfg(target_arch = "x86_64")]
fn syscall32(number: u32, a: u32, b: u32, c: u32) -> i32 {
    let ret: i32;
    // SAFETY: the gate of 32-bit system calls; of the registers it changes eax only, older
    // kernels r8 to r11 too. rbx is LLVM's own, so it is exchanged by hand. Memory that the
    // call names lies below 4 GiB and is the caller's.
    unsafe {
        std::arch::asm!(
            "xchg rsi, rbx",
            "int 0x80",
            "xchg rsi, rbx",
            inlateout("eax") number as i32 => ret,
            inout("rsi") u64::from(a) => _,
            in("ecx") b,
            in("edx") c,
            out("r8") _,
            out("r9") _,
            out("r10") _,
            out("r11") _,
        );
    }
    ret
}

#[cfg(not(target_arch = "x86_64"))]
fn syscall32(_number: u32, _a: u32, _b: u32, _c: u32) -> i32 {
    -libc::ENOSYS
}

/// ioctl() by the 32-bit entry: what the argument points at must lie below 4 GiB.
pub fn ioctl_compat(fd: i32, request: u32, arg: u32) -> Result<i32, i32> {
    let ret = syscall32(IA32_IOCTL, fd as u32, request, arg);
    if (-4095..0).contains(&ret) {
        Err(-ret)
    } else {
        Ok(ret)
    }
}

impl CompatProbe {
    /// Tries it in a child, since a kernel without it kills the caller.
    pub fn run() -> Self {
        match process::fork() {
            Ok(Fork::Child) => {
                let right = syscall32(IA32_GETPID, 0, 0, 0) == std::process::id() as i32;
                process::exit_now(i32::from(!right))
            }
            Ok(Fork::Parent(pid)) => match process::wait_for(pid) {
                Ok(Exit::Code(0)) => CompatProbe::Works,
                _ => CompatProbe::Missing,
            },
            Err(_) => CompatProbe::Missing,
        }
    }
}
