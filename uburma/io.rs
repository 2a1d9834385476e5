// SPDX-License-Identifier: GPL-2.0

//! Values of attributes: how they come from user memory and go there.
//!
//! Sizes are those of the types here and of nothing that a user says.

use crate::{
    bindings_ub as b,
    kernel_ext::user::{
        self,
        read_pairs,
        read_word,
        write_word, //
    },
    logic::tlv::{
        AttrSpec,
        InPlan,
        OutPlan, //
    },
    ub::client::ProviderData,
};
use core::mem::MaybeUninit;
use kernel::{
    alloc::KVVec,
    prelude::*,
    uaccess::{
        UserPtr,
        UserSlice, //
    },
};

/// A value that a user passes; `C` is the call it belongs to.
pub(crate) trait Input<C>: Sized {
    /// Bytes.
    const SIZE: u16;
    /// Whether it may be absent.
    const OPTIONAL: bool = false;

    /// Reads it; there is no plan for an absent value.
    fn read(plan: Option<InPlan>, call: &C) -> Result<Self>;
}

/// A value that the kernel returns.
pub(crate) trait Output {
    /// Bytes of an element.
    const SIZE: u16;
    /// Number of elements.
    const COUNT: u16 = 1;
    /// Distance between elements in bytes; 0 for a single element.
    const STRIDE: u16 = 0;
    /// Whether the user says how many elements there may be, up to the number above.
    const VARIABLE: bool = false;

    /// Writes it.
    fn write(&self, plan: &OutPlan) -> Result;
}

/// Returns what is expected of the input attribute `id`.
pub(crate) const fn input_spec<C, T: Input<C>>(id: u32) -> AttrSpec {
    // CAST: An attribute id; the check of the tables finds a truncated one.
    let id = id as u8;
    if T::OPTIONAL {
        AttrSpec::optional_input(id, T::SIZE)
    } else {
        AttrSpec::input(id, T::SIZE)
    }
}

/// Returns what is expected of the output attribute `id`.
pub(crate) const fn output_spec<T: Output>(id: u32) -> AttrSpec {
    // CAST: As above.
    let id = id as u8;
    if T::VARIABLE {
        AttrSpec::array_output(id, T::SIZE, T::COUNT)
    } else if T::STRIDE == 0 {
        AttrSpec::output(id, T::SIZE)
    } else {
        AttrSpec::strided_output(id, T::SIZE, T::COUNT, T::STRIDE)
    }
}

/// Returns the user memory at an address.
fn user_memory(addr: u64, len: usize) -> Result<UserSlice> {
    let addr = usize::try_from(addr).map_err(|_| EFAULT)?;
    Ok(UserSlice::new(UserPtr::from_addr(addr), len))
}

/// Reads bytes from user memory.
pub(crate) fn read_bytes(addr: u64, out: &mut [u8]) -> Result {
    user::read_bytes(addr, out)
}

/// Writes bytes to user memory.
pub(crate) fn write_user(addr: u64, bytes: &[u8]) -> Result {
    user::write_bytes(addr, bytes)
}

/// Reads an array of words from user memory.
///
/// # Errors
///
/// `EFAULT`, `ENOMEM`.
pub(crate) fn read_words(addr: u64, count: usize) -> Result<KVVec<u64>> {
    let len = count.checked_mul(size_of::<u64>()).ok_or(EINVAL)?;
    let mut reader = user_memory(addr, len)?.reader();
    let mut words = KVVec::with_capacity(count, GFP_KERNEL)?;
    for _ in 0..count {
        words.push(reader.read::<u64>()?, GFP_KERNEL)?;
    }
    Ok(words)
}

/// Writes the first element of an output; not more than the plan says.
fn write_bytes(plan: &OutPlan, bytes: &[u8]) -> Result {
    let (addr, len) = plan.element(0)?;
    if bytes.len() > len {
        return Err(EINVAL);
    }
    write_user(addr, bytes)
}

/// Implements both traits for an integer.
macro_rules! integers {
    ($($type:ty),*) => {
        $(
            impl<C> Input<C> for $type {
                const SIZE: u16 = size_of::<Self>() as u16;

                #[inline(always)]
                fn read(plan: Option<InPlan>, _call: &C) -> Result<Self> {
                    plan.map_or(Ok(0), |plan| read_word(plan.addr))
                }
            }

            impl Output for $type {
                const SIZE: u16 = size_of::<Self>() as u16;

                #[inline]
                fn write(&self, plan: &OutPlan) -> Result {
                    let (addr, len) = plan.element(0)?;
                    if len != size_of::<Self>() {
                        return Err(EINVAL);
                    }
                    write_word(addr, *self)
                }
            }
        )*
    };
}

integers!(u8, u16, u32, u64, i32);

impl<C, const N: usize> Input<C> for [u8; N] {
    const SIZE: u16 = N as u16;

    fn read(plan: Option<InPlan>, _call: &C) -> Result<Self> {
        let mut bytes = [0; N];
        if let Some(plan) = plan {
            read_bytes(plan.addr, &mut bytes)?;
        }
        Ok(bytes)
    }
}

impl<const N: usize> Output for [u8; N] {
    const SIZE: u16 = N as u16;

    fn write(&self, plan: &OutPlan) -> Result {
        write_bytes(plan, self)
    }
}

/// A structure that is read and written as a whole; its members are named by their offsets.
pub(crate) struct Image<const N: usize>([u8; N]);

impl<const N: usize> Image<N> {
    /// Returns the bytes at an offset, zeros where there are none.
    pub(crate) fn get<const M: usize>(&self, offset: usize) -> [u8; M] {
        let bytes = self.0.get(offset..).and_then(<[u8]>::first_chunk);
        bytes.copied().unwrap_or([0; M])
    }

    /// Replaces the bytes at an offset.
    ///
    /// # Errors
    ///
    /// `EINVAL` if there are fewer.
    pub(crate) fn put(&mut self, offset: usize, bytes: &[u8]) -> Result {
        let place = self.0.get_mut(offset..).ok_or(EINVAL)?;
        let place = place.get_mut(..bytes.len()).ok_or(EINVAL)?;
        place.copy_from_slice(bytes);
        Ok(())
    }
}

impl<const N: usize> Default for Image<N> {
    fn default() -> Self {
        Self([0; N])
    }
}

impl<C, const N: usize> Input<C> for Image<N> {
    const SIZE: u16 = N as u16;

    fn read(plan: Option<InPlan>, call: &C) -> Result<Self> {
        <[u8; N]>::read(plan, call).map(Self)
    }
}

impl<const N: usize> Output for Image<N> {
    const SIZE: u16 = N as u16;

    fn write(&self, plan: &OutPlan) -> Result {
        write_bytes(plan, &self.0)
    }
}

/// A value that is 0 when it is absent.
#[derive(Clone, Copy, Default)]
pub(crate) struct OrZero<T>(pub(crate) T);

impl<C, T: Input<C>> Input<C> for OrZero<T> {
    const SIZE: u16 = T::SIZE;
    const OPTIONAL: bool = true;

    fn read(plan: Option<InPlan>, call: &C) -> Result<Self> {
        T::read(plan, call).map(Self)
    }
}

/// Bytes of [`Udata`].
pub(crate) const UDATA_LEN: usize = size_of::<b::uburma_udata>();

/// Pairs of words of [`Udata`].
const UDATA_PAIRS: usize = UDATA_LEN / size_of::<[u64; 2]>();

const _: () = assert!(UDATA_LEN % size_of::<[u64; 2]>() == 0);

/// Private data of a provider; goes back to the user as it came.
#[derive(Clone, Copy, Default)]
pub(crate) struct Udata([[u64; 2]; UDATA_PAIRS]);

impl Udata {
    /// Takes the bytes of a `struct uburma_udata`.
    pub(crate) fn from_bytes(bytes: [u8; UDATA_LEN]) -> Self {
        let mut this = Self::default();
        this.0
            .as_flattened_mut()
            .as_mut_bytes()
            .copy_from_slice(&bytes);
        this
    }

    /// Returns the word of eight bytes at an offset.
    fn word(&self, offset: usize) -> u64 {
        let word = self.0.as_flattened().get(offset / size_of::<u64>());
        word.copied().unwrap_or(0)
    }

    /// Returns what the driver is told.
    pub(crate) fn provider_data(&self) -> ProviderData {
        // CAST: The lengths are the lower halves of their words, by the layout of the structure.
        ProviderData {
            in_addr: self.word(core::mem::offset_of!(b::uburma_udata, in_addr)),
            in_len: self.word(core::mem::offset_of!(b::uburma_udata, in_len)) as u32,
            out_addr: self.word(core::mem::offset_of!(b::uburma_udata, out_addr)),
            out_len: self.word(core::mem::offset_of!(b::uburma_udata, out_len)) as u32,
        }
    }
}

impl<C> Input<C> for Udata {
    const SIZE: u16 = UDATA_LEN as u16;
    const OPTIONAL: bool = true;

    #[inline]
    fn read(plan: Option<InPlan>, _call: &C) -> Result<Self> {
        let Some(plan) = plan else {
            return Ok(Self::default());
        };
        let mut pairs = [MaybeUninit::uninit(); UDATA_PAIRS];
        let pairs = read_pairs(plan.addr, &mut pairs)?;
        pairs.first_chunk().copied().map(Self).ok_or(EFAULT)
    }
}

impl Output for Udata {
    const SIZE: u16 = UDATA_LEN as u16;

    fn write(&self, plan: &OutPlan) -> Result {
        write_bytes(plan, self.0.as_flattened().as_bytes())
    }
}

/// The front of a blob of `N` bytes; the rest of it is left alone.
#[derive(Default)]
pub(crate) struct Blob<const N: usize>(KVec<u8>);

impl<const N: usize> Blob<N> {
    /// Adds to the blob.
    ///
    /// # Errors
    ///
    /// `EINVAL` when the blob is full, `ENOMEM`.
    pub(crate) fn push(&mut self, bytes: &[u8]) -> Result {
        let room = N.saturating_sub(self.0.len());
        if bytes.len() > room {
            return Err(EINVAL);
        }
        Ok(self.0.extend_from_slice(bytes, GFP_KERNEL)?)
    }
}

impl<const N: usize> Output for Blob<N> {
    const SIZE: u16 = N as u16;

    fn write(&self, plan: &OutPlan) -> Result {
        if self.0.is_empty() {
            return Ok(());
        }
        write_bytes(plan, &self.0)
    }
}

/// An array of records of `N` bytes in the user's own memory, which says how many fit.
#[derive(Default)]
pub(crate) struct Records<const N: usize>(KVec<[u8; N]>);

impl<const N: usize> Records<N> {
    /// Adds a record.
    ///
    /// # Errors
    ///
    /// `ENOMEM`.
    pub(crate) fn push(&mut self, record: [u8; N]) -> Result {
        Ok(self.0.push(record, GFP_KERNEL)?)
    }

    /// Returns the number of records.
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }
}

impl<const N: usize> Output for Records<N> {
    const SIZE: u16 = N as u16;
    /// As many as the number in an attribute can tell.
    const COUNT: u16 = b::UBURMA_ATTR_EL_NUM_MASK as u16;
    const STRIDE: u16 = N as u16;
    const VARIABLE: bool = true;

    fn write(&self, plan: &OutPlan) -> Result {
        for (record, index) in self.0.iter().zip(0..plan.count) {
            let (addr, len) = plan.element(index)?;
            user_memory(addr, len)?.writer().write_slice(record)?;
        }
        Ok(())
    }
}

/// One member of an array of port attributes.
#[derive(Clone, Copy, Default)]
pub(crate) struct PortMember(pub(crate) [u32; b::UBURMA_MAX_PORT_CNT as usize]);

impl Output for PortMember {
    const SIZE: u16 = size_of::<u32>() as u16;
    const COUNT: u16 = b::UBURMA_MAX_PORT_CNT as u16;
    const STRIDE: u16 = size_of::<b::uburma_port_attr>() as u16;

    fn write(&self, plan: &OutPlan) -> Result {
        for (value, index) in self.0.iter().zip(0..) {
            let (addr, len) = plan.element(index)?;
            if len != size_of::<u32>() {
                return Err(EINVAL);
            }
            write_word(addr, *value)?;
        }
        Ok(())
    }
}
