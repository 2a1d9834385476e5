// SPDX-License-Identifier: GPL-2.0

//! The data path of kernel clients: work requests.
//!
//! All of it runs in any context. What a list, its buffers, segments and targets are is the client's
//! word: they are valid during the call, by the contract.

use super::{
    jetty::Jetty,
    jfr::Jfr,
    jfs::Jfs,
    seg::ImportedSegment,
    staged,
    target::Target,
    Driver, //
};
use crate::{
    bindings_ub::{
        self,
        ubcore_device,
        ubcore_jetty,
        ubcore_jfr,
        ubcore_jfr_wr,
        ubcore_jfs,
        ubcore_jfs_wr,
        ubcore_sg,
        ubcore_sge,
        ubcore_target_seg, //
    },
    kernel_ext::arc::ArcBorrow,
    ub::common::FlagWord, //
};
use core::{
    marker::PhantomData,
    slice, //
};
use kernel::prelude::*;

/// Most ranges that are looked at in one work request.
const MAX_RANGES: u32 = 256;

/// What a kernel client posts sends to.
pub(crate) enum SendQueue<'a, D: Driver> {
    /// A send queue.
    Jfs(ArcBorrow<'a, Jfs<D>>),
    /// The send side of a jetty.
    Jetty(ArcBorrow<'a, Jetty<D>>),
}

/// What a kernel client posts receive buffers to.
pub(crate) enum RecvQueue<'a, D: Driver> {
    /// A receive queue.
    Jfr(ArcBorrow<'a, Jfr<D>>),
    /// That of a jetty.
    Jetty(ArcBorrow<'a, Jetty<D>>),
}

/// A list of posted work requests, of the C type `W`.
///
/// # Invariants
///
/// `next` is null or valid during `'a`, as are those behind it and all that they refer to.
pub(crate) struct WrList<'a, W> {
    next: *mut W,
    dev: *const ubcore_device,
    _list: PhantomData<&'a W>,
}

/// A work request of a list.
#[derive(Clone, Copy)]
pub(crate) struct Wr<'a, W> {
    raw: &'a W,
    dev: *const ubcore_device,
}

/// Work requests to be sent.
pub(crate) type SendList<'a> = WrList<'a, ubcore_jfs_wr>;
/// Receive buffers.
pub(crate) type RecvList<'a> = WrList<'a, ubcore_jfr_wr>;

/// A work request of C.
trait RawWr {
    /// Returns the next one of the list.
    fn next(&self) -> *mut Self;
}

impl RawWr for ubcore_jfs_wr {
    fn next(&self) -> *mut Self {
        self.next
    }
}

impl RawWr for ubcore_jfr_wr {
    fn next(&self) -> *mut Self {
        self.next
    }
}

#[expect(private_bounds)]
impl<'a, W: RawWr> WrList<'a, W> {
    /// Returns the first one that has not been accepted.
    pub(crate) fn first(&self) -> Option<Wr<'a, W>> {
        // SAFETY: By the type invariant.
        let raw = unsafe { self.next.as_ref() }?;
        Some(Wr { raw, dev: self.dev })
    }

    /// Accepts that one.
    pub(crate) fn accept(&mut self) {
        // SAFETY: By the type invariant, which also covers the next one.
        if let Some(wr) = unsafe { self.next.as_ref() } {
            self.next = wr.next();
        }
    }

    /// Posts a list by means of `post`, and returns what C gets.
    ///
    /// # Safety
    ///
    /// As the type invariant says, for objects of the device `dev`; `bad_wr` must be valid for
    /// writing.
    unsafe fn post(
        wr: *mut W,
        bad_wr: *mut *mut W,
        dev: *const ubcore_device,
        post: impl FnOnce(&mut Self) -> Result,
    ) -> c_int {
        // INVARIANT: By the function's contract.
        let mut list = Self {
            next: wr,
            dev,
            _list: PhantomData,
        };
        match post(&mut list) {
            Ok(()) => 0,
            Err(e) => {
                // SAFETY: By the function's contract.
                unsafe { *bad_wr = list.next };
                e.to_errno()
            }
        }
    }
}

/// A remote range.
#[derive(Clone, Copy, Default)]
pub(crate) struct RemoteRange {
    /// First byte.
    pub(crate) addr: u64,
    /// Bytes, if the operation is not told otherwise.
    pub(crate) len: u32,
    /// Name of the segment's token.
    pub(crate) token_id: u32,
    /// The token; never logged.
    pub(crate) token: u32,
}

/// A local range.
#[derive(Clone, Copy)]
pub(crate) struct LocalRange {
    /// First byte.
    pub(crate) addr: u64,
    /// Bytes.
    pub(crate) len: u32,
    /// Name of the segment's token.
    pub(crate) token_id: u32,
}

/// The local ranges of a work request.
#[derive(Clone, Copy)]
pub(crate) struct LocalRanges<'a> {
    sges: &'a [ubcore_sge],
    dev: *const ubcore_device,
}

/// Finds a segment of the device `dev`; `EINVAL` for another one and none.
fn segment<'a>(
    tseg: *const ubcore_target_seg,
    dev: *const ubcore_device,
) -> Result<&'a ubcore_target_seg> {
    // SAFETY: Null or valid during the call, by the contract.
    let tseg = unsafe { tseg.as_ref() }.ok_or(EINVAL)?;
    if !core::ptr::eq(tseg.ub_dev, dev) {
        return Err(EINVAL);
    }
    Ok(tseg)
}

/// Tells whether a segment is a local one. ubcore notes the token id of these only.
fn is_registered(tseg: &ubcore_target_seg) -> bool {
    !tseg.token_id.is_null()
}

/// Returns the range that an element names in an imported segment.
fn remote<D: Driver>(sge: &ubcore_sge, dev: *const ubcore_device) -> Result<RemoteRange> {
    let tseg = segment(sge.tseg, dev)?;
    if is_registered(tseg) {
        return Err(EINVAL);
    }
    // SAFETY: A segment of this driver that was not registered was imported.
    let import = unsafe { ImportedSegment::<D>::borrow(sge.tseg) };
    Ok(RemoteRange {
        addr: sge.addr,
        len: sge.len,
        token_id: tseg.seg.token_id,
        token: import.token(),
    })
}

/// Returns the elements of a list; `EINVAL` for none where there should be some, and far too many.
fn elements<'a>(sge: *const ubcore_sge, count: u32) -> Result<&'a [ubcore_sge]> {
    if count == 0 {
        return Ok(&[]);
    }
    if sge.is_null() || count > MAX_RANGES {
        return Err(EINVAL);
    }
    // SAFETY: By the contract, so many elements that are valid during the call.
    Ok(unsafe { slice::from_raw_parts(sge, count as usize) })
}

/// The same, of a counted list.
fn list<'a>(sg: &ubcore_sg) -> Result<&'a [ubcore_sge]> {
    elements(sg.sge, sg.num_sge)
}

impl<'a> LocalRanges<'a> {
    /// Returns how many there are.
    pub(crate) fn len(&self) -> usize {
        self.sges.len()
    }

    /// Goes through them; `EINVAL` for one that is not in a segment that the client registered.
    pub(crate) fn iter(&self) -> impl Iterator<Item = Result<LocalRange>> + 'a {
        let dev = self.dev;
        self.sges.iter().map(move |sge| {
            let tseg = segment(sge.tseg, dev)?;
            if !is_registered(tseg) {
                return Err(EINVAL);
            }
            Ok(LocalRange {
                addr: sge.addr,
                len: sge.len,
                token_id: tseg.seg.token_id,
            })
        })
    }

    /// Copies all bytes, which need not be in segments, and returns how many they are.
    ///
    /// # Errors
    ///
    /// `EINVAL` for more bytes than there is room for, and for a null address.
    pub(crate) fn copy_to(&self, mut room: &mut [u8]) -> Result<usize> {
        let mut copied = 0usize;
        for sge in self.sges.iter().filter(|sge| sge.len != 0) {
            let (to, rest) = room.split_at_mut_checked(sge.len as usize).ok_or(EINVAL)?;
            let from = usize::try_from(sge.addr).map_err(|_| EINVAL)?;
            let from = core::ptr::with_exposed_provenance::<u8>(from);
            if from.is_null() {
                return Err(EINVAL);
            }
            // SAFETY: By the contract, kernel memory that may be read during the call; `to` is as
            // long, and nobody else's.
            unsafe { to.as_mut_ptr().copy_from_nonoverlapping(from, to.len()) };
            copied = copied.saturating_add(to.len());
            room = rest;
        }
        Ok(copied)
    }
}

/// What a work request to be sent says.
pub(crate) struct SendWr<'a, D: Driver> {
    /// The client's word for it.
    pub(crate) user_ctx: u64,
    /// A number of `enum ubcore_opcode`.
    pub(crate) opcode: u8,
    /// The flags, as in `union ubcore_jfs_wr_flag`.
    pub(crate) flags: u16,
    /// Where to.
    pub(crate) target: Option<ArcBorrow<'a, Target<D>>>,
    /// Hint for the choice of a member of a group.
    pub(crate) target_hint: u8,
    /// Where to read, write or change memory of the peer.
    pub(crate) remote: RemoteRange,
    /// Where to write the word of a notification.
    pub(crate) notify: RemoteRange,
    /// Operands: immediate data, compare value, operand, token to be invalidated; and the new value
    /// of a swap.
    pub(crate) operands: [u64; 2],
    /// Local buffers.
    pub(crate) local: LocalRanges<'a>,
}

/// What the operation of a work request says.
#[derive(Default)]
struct Operation<'a> {
    hint: u8,
    remote: RemoteRange,
    notify: RemoteRange,
    operands: [u64; 2],
    local: &'a [ubcore_sge],
}

impl<'a> Wr<'a, ubcore_jfs_wr> {
    /// Reads the work request.
    ///
    /// # Errors
    ///
    /// `EINVAL` for one that is malformed: pointers that are null, objects of another device, the
    /// wrong kind of segment, unknown flags.
    pub(crate) fn read<D: Driver>(&self) -> Result<SendWr<'a, D>> {
        let op = self.operation::<D>()?;
        let target = if self.raw.tjetty.is_null() {
            None
        } else {
            // SAFETY: Valid during the call, by the contract.
            if unsafe { !core::ptr::eq((*self.raw.tjetty).ub_dev, self.dev) } {
                return Err(EINVAL);
            }
            // SAFETY: As above; the targets of a device are all of its driver.
            Some(unsafe { Target::<D>::borrow(self.raw.tjetty) })
        };
        Ok(SendWr {
            user_ctx: self.raw.user_ctx,
            opcode: u8::try_from(self.raw.opcode).map_err(|_| EINVAL)?,
            flags: u16::try_from(self.raw.flag.word()).map_err(|_| EINVAL)?,
            target,
            target_hint: op.hint,
            remote: op.remote,
            notify: op.notify,
            operands: op.operands,
            local: LocalRanges {
                sges: op.local,
                dev: self.dev,
            },
        })
    }

    /// Reads the operands, by opcode.
    fn operation<D: Driver>(&self) -> Result<Operation<'a>> {
        let all = &self.raw.__bindgen_anon_1;
        // SAFETY: Integers and pointers may take any value; which are meant says the opcode.
        let (rw, send, cas, faa) = unsafe {
            (
                all.rw.as_ref(),
                all.send.as_ref(),
                all.cas.as_ref(),
                all.faa.as_ref(),
            )
        };
        match self.raw.opcode {
            bindings_ub::UBCORE_OPC_WRITE
            | bindings_ub::UBCORE_OPC_WRITE_IMM
            | bindings_ub::UBCORE_OPC_WRITE_NOTIFY => self.write::<D>(rw),
            bindings_ub::UBCORE_OPC_READ => match list(&rw.src)? {
                [src] => Ok(Operation {
                    hint: rw.target_hint,
                    remote: remote::<D>(src, self.dev)?,
                    local: list(&rw.dst)?,
                    ..Operation::default()
                }),
                _ => Err(EINVAL),
            },
            bindings_ub::UBCORE_OPC_SEND | bindings_ub::UBCORE_OPC_SEND_IMM => Ok(Operation {
                hint: send.target_hint,
                operands: [send.imm_data, 0],
                local: list(&send.src)?,
                ..Operation::default()
            }),
            bindings_ub::UBCORE_OPC_SEND_INVALIDATE => self.send_invalidate::<D>(send),
            bindings_ub::UBCORE_OPC_CAS | bindings_ub::UBCORE_OPC_SWAP => {
                // SAFETY: Integers may take any value.
                let operands = unsafe {
                    [
                        *cas.__bindgen_anon_1.cmp_data.as_ref(),
                        *cas.__bindgen_anon_2.swap_data.as_ref(),
                    ]
                };
                self.atomic::<D>(cas.dst, cas.src, operands)
            }
            bindings_ub::UBCORE_OPC_FADD
            | bindings_ub::UBCORE_OPC_FSUB
            | bindings_ub::UBCORE_OPC_FAND
            | bindings_ub::UBCORE_OPC_FOR
            | bindings_ub::UBCORE_OPC_FXOR => {
                // SAFETY: An integer may take any value.
                let operand = unsafe { *faa.__bindgen_anon_1.operand.as_ref() };
                self.atomic::<D>(faa.dst, faa.src, [operand, 0])
            }
            // The driver knows what it does not support.
            _ => Ok(Operation::default()),
        }
    }

    /// Reads the operands of a write; a notification has a second remote element for its word.
    fn write<D: Driver>(&self, rw: &bindings_ub::ubcore_rw_wr) -> Result<Operation<'a>> {
        let notifies = self.raw.opcode == bindings_ub::UBCORE_OPC_WRITE_NOTIFY;
        let (dst, notify) = match list(&rw.dst)? {
            [dst] if !notifies => (dst, RemoteRange::default()),
            [dst, word] if notifies => (dst, remote::<D>(word, self.dev)?),
            _ => return Err(EINVAL),
        };
        Ok(Operation {
            hint: rw.target_hint,
            remote: remote::<D>(dst, self.dev)?,
            notify,
            operands: [rw.notify_data, notify.addr],
            local: list(&rw.src)?,
        })
    }

    /// Reads the operands of a send that invalidates a token of the receiver.
    fn send_invalidate<D: Driver>(
        &self,
        send: &bindings_ub::ubcore_send_wr,
    ) -> Result<Operation<'a>> {
        let element = ubcore_sge {
            tseg: send.tseg,
            ..Default::default()
        };
        let gone = remote::<D>(&element, self.dev)?;
        Ok(Operation {
            hint: send.target_hint,
            operands: [u64::from(gone.token_id) | (u64::from(gone.token) << 32), 0],
            local: list(&send.src)?,
            ..Operation::default()
        })
    }

    /// Reads the operands of an atomic operation.
    fn atomic<D: Driver>(
        &self,
        dst: *const ubcore_sge,
        src: *const ubcore_sge,
        operands: [u64; 2],
    ) -> Result<Operation<'a>> {
        match (elements(dst, 1)?, elements(src, 1)?) {
            ([dst], src) => Ok(Operation {
                remote: remote::<D>(dst, self.dev)?,
                operands,
                local: src,
                ..Operation::default()
            }),
            _ => Err(EINVAL),
        }
    }
}

impl<'a> Wr<'a, ubcore_jfr_wr> {
    /// Returns the client's word for the buffer, and its ranges.
    ///
    /// # Errors
    ///
    /// `EINVAL` for ranges without an address, or far too many.
    pub(crate) fn read(&self) -> Result<(u64, LocalRanges<'a>)> {
        let local = LocalRanges {
            sges: list(&self.raw.src)?,
            dev: self.dev,
        };
        Ok((self.raw.user_ctx, local))
    }
}

/// Makes the operations that post to one kind of queue.
macro_rules! posts {
    ($($(#[$doc:meta])* $name:ident($queue:ty, $wr:ty) => $op:ident($variant:expr);)*) => {$(
        $(#[$doc])*
        ///
        /// # Safety
        ///
        /// Called by ubcore, by the contract.
        pub(super) unsafe extern "C" fn $name<D: Driver>(
            queue: *mut $queue,
            wr: *mut $wr,
            bad_wr: *mut *mut $wr,
        ) -> c_int {
            // SAFETY: A queue of this driver, alive during the call.
            let (dev, uctx) = unsafe { ((*queue).ub_dev, (*queue).uctx) };
            // SAFETY: The list and `bad_wr` are valid during the call.
            unsafe {
                WrList::post(wr, bad_wr, dev, |list| {
                    // Users post to rings that they share with the driver.
                    if !uctx.is_null() {
                        return Err(EINVAL);
                    }
                    D::$op($variant(staged::borrow(queue)?), list)
                })
            }
        }
    )*};
}

posts! {
    /// See `ubcore_ops.post_jfs_wr`.
    post_jfs_wr(ubcore_jfs, ubcore_jfs_wr) => post_send(SendQueue::Jfs);
    /// See `ubcore_ops.post_jetty_send_wr`.
    post_jetty_send_wr(ubcore_jetty, ubcore_jfs_wr) => post_send(SendQueue::Jetty);
    /// See `ubcore_ops.post_jfr_wr`.
    post_jfr_wr(ubcore_jfr, ubcore_jfr_wr) => post_recv(RecvQueue::Jfr);
    /// See `ubcore_ops.post_jetty_recv_wr`.
    post_jetty_recv_wr(ubcore_jetty, ubcore_jfr_wr) => post_recv(RecvQueue::Jetty);
}
