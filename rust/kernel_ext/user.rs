// SPDX-License-Identifier: GPL-2.0

//! Access to user memory that [`UserSlice`] does at more cost: words, a few of them, and areas that
//! need not be initialised.
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

/// Turns what a helper returned into a result, without a call unless it is an error.
#[inline(always)]
fn done(errno: c_int) -> Result {
    match errno {
        0 => Ok(()),
        errno => to_result(errno),
    }
}

/// Up to so many bytes are copied word by word.
const FEW_WORDS: usize = 128;

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

                // One text for all of them.
                #[allow(clippy::cast_lossless)]
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
#[inline(always)]
pub(crate) fn read_word<W: Word>(addr: u64) -> Result<W> {
    let (mut word, mut half) = (MaybeUninit::<u64>::uninit(), MaybeUninit::<u32>::uninit());
    match size_of::<W>() {
        8 => {
            // SAFETY: The kernel checks the address; the result has room.
            done(unsafe { bindings_ub::ub_helper_get_u64(word.as_mut_ptr(), addr) })?;
            // SAFETY: Written, as there was no error.
            Ok(W::truncate(unsafe { word.assume_init() }))
        }
        4 => {
            // SAFETY: As above.
            done(unsafe { bindings_ub::ub_helper_get_u32(half.as_mut_ptr(), addr) })?;
            // SAFETY: As above.
            Ok(W::truncate(u64::from(unsafe { half.assume_init() })))
        }
        size => {
            let mut word = 0;
            // SAFETY: As above.
            done(unsafe { bindings_ub::ub_helper_get_user(&mut word, addr, size) })?;
            Ok(W::truncate(word))
        }
    }
}

/// Writes an integer to a user address; `EFAULT`.
#[inline(always)]
pub(crate) fn write_word<W: Word>(addr: u64, word: W) -> Result {
    let word = word.widen();
    match size_of::<W>() {
        // SAFETY: The kernel checks the address.
        8 => done(unsafe { bindings_ub::ub_helper_put_u64(addr, word) }),
        // CAST: The lower half is the value.
        // SAFETY: As above.
        4 => done(unsafe { bindings_ub::ub_helper_put_u32(addr, word as u32) }),
        // SAFETY: As above.
        size => done(unsafe { bindings_ub::ub_helper_put_user(addr, word, size) }),
    }
}

/// Reads two words at a user address; `EFAULT`.
#[inline]
pub(crate) fn read_pair(addr: u64) -> Result<[u64; 2]> {
    let mut pair = [MaybeUninit::uninit()];
    match read_pairs(addr, &mut pair)? {
        [pair] => Ok(*pair),
        _ => Err(EFAULT),
    }
}

/// Fills an area of pairs of words from user memory; `EFAULT`.
#[inline]
pub(crate) fn read_pairs(addr: u64, room: &mut [MaybeUninit<[u64; 2]>]) -> Result<&mut [[u64; 2]]> {
    let (words, count) = (room.as_mut_ptr().cast::<u64>(), room.len());
    // SAFETY: Room for twice as many words as pairs; the kernel checks the address.
    done(unsafe { bindings_ub::ub_helper_read_words(words.cast(), addr, count.wrapping_mul(2)) })?;
    // SAFETY: All of it is initialised now.
    Ok(unsafe { core::slice::from_raw_parts_mut(words.cast(), count) })
}

/// Reads bytes at a user address; fastest for a few whole words; `EFAULT`.
#[inline]
pub(crate) fn read_bytes(addr: u64, out: &mut [u8]) -> Result {
    if out.len() % size_of::<u64>() != 0 || out.len() > FEW_WORDS {
        let addr = usize::try_from(addr).map_err(|_| EFAULT)?;
        return UserSlice::new(UserPtr::from_addr(addr), out.len())
            .reader()
            .read_slice(out);
    }
    let (words, count) = (out.as_mut_ptr().cast(), out.len() / size_of::<u64>());
    // SAFETY: Room for so many words, in any place: where there are few, any alignment will do.
    done(unsafe { bindings_ub::ub_helper_read_words(words, addr, count) })
}

/// Writes bytes to a user address; fastest for a few whole words; `EFAULT`.
#[inline]
pub(crate) fn write_bytes(addr: u64, bytes: &[u8]) -> Result {
    if bytes.len() % size_of::<u64>() != 0 || bytes.len() > FEW_WORDS {
        let addr = usize::try_from(addr).map_err(|_| EFAULT)?;
        return UserSlice::new(UserPtr::from_addr(addr), bytes.len())
            .writer()
            .write_slice(bytes);
    }
    let (words, count) = (bytes.as_ptr().cast(), bytes.len() / size_of::<u64>());
    // SAFETY: So many words, in any place.
    done(unsafe { bindings_ub::ub_helper_write_words(addr, words, count) })
}
