// SPDX-License-Identifier: GPL-2.0

//! Descriptors that one process gives to another one.

use std::os::fd::{FromRawFd, OwnedFd, RawFd};

use crate::{Error, Result};

/// Most descriptors of a message.
const MAX_FDS: usize = 8;

/// Room for the control message, aligned as its header has to be.
#[repr(C, align(8))]
struct Control([u8; 128]);

/// Sends descriptors, at most 8, with a message of one byte.
pub fn send_fds(socket: RawFd, fds: &[RawFd]) -> Result<()> {
    if fds.is_empty() || fds.len() > MAX_FDS {
        return Err(Error::sys("sendmsg", libc::EINVAL));
    }
    let len = std::mem::size_of_val(fds) as u32;
    let mut byte = [0u8; 1];
    let mut iov = libc::iovec {
        iov_base: byte.as_mut_ptr().cast(),
        iov_len: 1,
    };
    let mut control = Control([0; 128]);
    // SAFETY: Zeros are valid. The control buffer has room for a header and `MAX_FDS` descriptors,
    // and is aligned; all of it is valid for the call.
    let ret = unsafe {
        let mut msg: libc::msghdr = std::mem::zeroed();
        msg.msg_iov = &mut iov;
        msg.msg_iovlen = 1;
        msg.msg_control = control.0.as_mut_ptr().cast();
        msg.msg_controllen = libc::CMSG_SPACE(len) as usize;
        let header = libc::CMSG_FIRSTHDR(&msg);
        (*header).cmsg_level = libc::SOL_SOCKET;
        (*header).cmsg_type = libc::SCM_RIGHTS;
        (*header).cmsg_len = libc::CMSG_LEN(len) as usize;
        std::ptr::copy_nonoverlapping(
            fds.as_ptr().cast::<u8>(),
            libc::CMSG_DATA(header),
            len as usize,
        );
        libc::sendmsg(socket, &msg, libc::MSG_NOSIGNAL)
    };
    if ret != 1 {
        return Err(Error::last("sendmsg"));
    }
    Ok(())
}

/// Takes the descriptors of one message.
pub fn receive_fds(socket: RawFd, timeout_ms: i32) -> Result<Vec<OwnedFd>> {
    if super::poll(socket, libc::POLLIN, timeout_ms)? == 0 {
        return Err(Error::TimedOut("no message from the peer".to_string()));
    }
    let mut byte = [0u8; 1];
    let mut iov = libc::iovec {
        iov_base: byte.as_mut_ptr().cast(),
        iov_len: 1,
    };
    let mut control = Control([0; 128]);
    let mut fds = Vec::new();
    // SAFETY: Zeros are valid, and the buffers are valid for the call. The kernel fills the control
    // buffer with well-formed messages; descriptors in it are new ones that nobody else knows.
    unsafe {
        let mut msg: libc::msghdr = std::mem::zeroed();
        msg.msg_iov = &mut iov;
        msg.msg_iovlen = 1;
        msg.msg_control = control.0.as_mut_ptr().cast();
        msg.msg_controllen = control.0.len();
        if libc::recvmsg(socket, &mut msg, libc::MSG_CMSG_CLOEXEC) < 0 {
            return Err(Error::last("recvmsg"));
        }
        let header = libc::CMSG_FIRSTHDR(&msg);
        if !header.is_null() && (*header).cmsg_type == libc::SCM_RIGHTS {
            let len = (*header).cmsg_len as usize - libc::CMSG_LEN(0) as usize;
            let data = libc::CMSG_DATA(header).cast::<RawFd>();
            for i in 0..len / std::mem::size_of::<RawFd>() {
                fds.push(OwnedFd::from_raw_fd(data.add(i).read_unaligned()));
            }
        }
    }
    Ok(fds)
}
