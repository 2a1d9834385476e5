// SPDX-License-Identifier: GPL-2.0

//! Access to user memory that [`UserSlice`] does at more cost: single words, and areas that need
//! not be initialised.
//!
//! C header: [`include/linux/uaccess.h`](srctree/include/linux/uaccess.h)

use crate::bindings_ub;
use core::mem::MaybeUninit;
use kernel::{
    error::to_result,
    prelude::*,
    uaccess::{
        UserPtr,
        UserSlice, //
    },
};

/// An integer that is read and written at once.
pub(crate) trait Word: Copy {
    /// Cuts it out of a wider word.
    fn truncate(word: u64) -> Self;

    /// Puts it into a wider word.
    fn widen(self) -> u64;
}

/// Implements [`Word`].
macro_rules! words {
    ($($word:ty),*) => {
        $(
            impl Word for $word {
                #[inline]
                fn truncate(word: u64) -> Self {
                    // CAST: The low bits are those of the value.
                    word as Self
                }

                #[inline]
                fn widen(self) -> u64 {
                    // CAST: As above; the high bits are not written.
                    self as u64
                }
            }
        )*
    };
}

words!(u8, u16, u32, u64, i32);

/// Reads an integer at a user address; `EFAULT`.
#[inline]
pub(crate) fn read_word<W: Word>(addr: u64) -> Result<W> {
    let mut word = 0;
    // SAFETY: The kernel checks the address; the result has room.
    to_result(unsafe { bindings_ub::ub_helper_get_user(&mut word, addr, size_of::<W>()) })?;
    Ok(W::truncate(word))
}

/// Writes an integer to a user address; `EFAULT`.
#[inline]
pub(crate) fn write_word<W: Word>(addr: u64, word: W) -> Result {
    // SAFETY: The kernel checks the address.
    to_result(unsafe { bindings_ub::ub_helper_put_user(addr, word.widen(), size_of::<W>()) })
}

/// Fills an area from user memory; `EFAULT`.
pub(crate) fn read_into(addr: u64, room: &mut [MaybeUninit<u8>]) -> Result<&[u8]> {
    let addr = usize::try_from(addr).map_err(|_| EFAULT)?;
    UserSlice::new(UserPtr::from_addr(addr), room.len())
        .reader()
        .read_raw(room)?;
    // SAFETY: All of it is initialised now.
    Ok(unsafe { core::slice::from_raw_parts(room.as_ptr().cast(), room.len()) })
}
