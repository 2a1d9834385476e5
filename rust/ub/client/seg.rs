// SPDX-License-Identifier: GPL-2.0

//! Token ids and segments.

use super::{
    device::Device,
    object::{
        Kind,
        Object, //
    },
    ucontext::User, //
};
use crate::{
    bindings_ub as b,
    kernel_ext::arc::Arc,
    ub::common::{
        eid_from_bytes,
        object_ptr,
        FlagWord, //
    }, //
};
use kernel::prelude::*;

/// The kind of a [`TokenId`].
pub(crate) struct TokenIdKind;
/// The kind of a [`Segment`].
pub(crate) struct SegmentKind;
/// The kind of an [`ImportedSegment`].
pub(crate) struct ImportedSegmentKind;

/// The name of a token.
pub(crate) type TokenId = Object<TokenIdKind>;
/// Registered local memory.
pub(crate) type Segment = Object<SegmentKind>;
/// An imported remote segment.
pub(crate) type ImportedSegment = Object<ImportedSegmentKind>;

impl Kind for TokenIdKind {
    type Raw = b::ubcore_token_id;
    const NAME: &'static str = "token id";

    unsafe fn destroy(ptr: *mut b::ubcore_token_id) -> c_int {
        // SAFETY: By the function's contract.
        unsafe { b::ubcore_free_token_id(ptr) }
    }
}

impl Kind for SegmentKind {
    type Raw = b::ubcore_target_seg;
    const NAME: &'static str = "segment";

    unsafe fn destroy(ptr: *mut b::ubcore_target_seg) -> c_int {
        // SAFETY: By the function's contract.
        unsafe { b::ubcore_unregister_seg(ptr) }
    }
}

impl Kind for ImportedSegmentKind {
    type Raw = b::ubcore_target_seg;
    const NAME: &'static str = "imported segment";

    unsafe fn destroy(ptr: *mut b::ubcore_target_seg) -> c_int {
        // SAFETY: By the function's contract.
        unsafe { b::ubcore_unimport_seg(ptr) }
    }
}

impl TokenId {
    /// Makes the name of a token; `flag` is a word of `union ubcore_token_id_flag`.
    ///
    /// # Errors
    ///
    /// `EIO` when the device is gone, or the error of ubcore.
    pub(crate) fn new(dev: &Arc<Device>, flag: u32, user: Option<&User<'_>>) -> Result<Self> {
        let flag = || b::ubcore_token_id_flag::from_word(flag);
        // SAFETY: The closure returns what `ubcore_alloc_token_id()` does, for valid arguments.
        unsafe {
            Self::create(dev, user, None, |dev, udata| {
                b::ubcore_alloc_token_id(dev, flag(), udata)
            })
        }
    }

    /// Returns its number.
    ///
    /// # Errors
    ///
    /// As all calls on an object.
    pub(crate) fn number(&self) -> Result<u32> {
        let this = self.enter()?;
        // SAFETY: A valid token id, whose number does not change.
        Ok(unsafe { (*this.as_ptr()).token_id })
    }
}

/// Memory to be registered; see `struct ubcore_seg_cfg`.
#[derive(Clone, Copy, Default)]
pub(crate) struct SegmentConfig {
    /// First byte; a user address if the caller is a user.
    pub(crate) va: u64,
    /// Bytes.
    pub(crate) len: u64,
    /// Local EID.
    pub(crate) eid_index: u32,
    /// Token that peers must show; never logged.
    pub(crate) token: u32,
    /// Word of `union ubcore_reg_seg_flag`.
    pub(crate) flag: u32,
    /// Address that peers use if the flag says so.
    pub(crate) iova: u64,
}

impl Segment {
    /// Registers memory: that of the calling process for a user. Also returns the number of the
    /// segment's token id.
    ///
    /// # Errors
    ///
    /// `EIO` when the device is gone, `EINVAL` when the token id is freed, or the error of ubcore.
    pub(crate) fn register(
        dev: &Arc<Device>,
        config: &SegmentConfig,
        token_id: Option<&TokenId>,
        user: Option<&User<'_>>,
    ) -> Result<(Self, u32)> {
        let token_id = token_id.map(|t| t.enter()).transpose()?;
        let mut raw = b::ubcore_seg_cfg {
            va: config.va,
            len: config.len,
            eid_index: config.eid_index,
            token_id: token_id
                .as_ref()
                .map_or(core::ptr::null_mut(), |t| t.as_ptr()),
            token_value: b::ubcore_token {
                token: config.token,
            },
            flag: FlagWord::from_word(config.flag),
            user_ctx: 0,
            iova: config.iova,
        };
        let mut number = 0;
        // SAFETY: The closure returns what `ubcore_register_seg()` does, for valid arguments. It is
        // a valid segment if it is no error.
        let segment = unsafe {
            Self::create(dev, user, None, |dev, udata| {
                let segment = b::ubcore_register_seg(dev, &mut raw, udata);
                if let Ok(segment) = object_ptr(segment) {
                    number = (*segment.as_ptr()).seg.token_id;
                }
                segment
            })
        }?;
        Ok((segment, number))
    }
}

/// A remote segment to be imported; see `struct ubcore_target_seg_cfg`.
#[derive(Clone, Copy, Default)]
pub(crate) struct SegmentImport {
    /// EID of the entity that has it.
    pub(crate) eid: [u8; 16],
    /// Its address there.
    pub(crate) va: u64,
    /// Bytes.
    pub(crate) len: u64,
    /// Number of its token id.
    pub(crate) token_id: u32,
    /// Token to show; never logged.
    pub(crate) token: u32,
    /// Word of `union ubcore_import_seg_flag`.
    pub(crate) flag: u32,
    /// Local address wanted if the flag asks for a mapping.
    pub(crate) mva: u64,
}

impl ImportedSegment {
    /// Imports a segment.
    ///
    /// # Errors
    ///
    /// `EIO` when the device is gone, or the error of ubcore.
    pub(crate) fn import(
        dev: &Arc<Device>,
        config: &SegmentImport,
        user: Option<&User<'_>>,
    ) -> Result<Self> {
        let mut raw = b::ubcore_target_seg_cfg {
            seg: b::ubcore_seg {
                ubva: b::ubcore_ubva {
                    eid: eid_from_bytes(config.eid),
                    va: config.va,
                },
                len: config.len,
                attr: Default::default(),
                token_id: config.token_id,
            },
            flag: FlagWord::from_word(config.flag),
            mva: config.mva,
            token_value: b::ubcore_token {
                token: config.token,
            },
        };
        // SAFETY: The closure returns what `ubcore_import_seg()` does, for valid arguments.
        unsafe {
            Self::create(dev, user, None, |dev, udata| {
                b::ubcore_import_seg(dev, &mut raw, udata)
            })
        }
    }
}
