// SPDX-License-Identifier: GPL-2.0

//! The structures of the user ABI that are copied as a whole.

use crate::bindings_ub;
use kernel::transmute::{
    AsBytes,
    FromBytes, //
};

pub(crate) use bindings_ub::{
    ubsoft_ctl_ring as CtlRing,
    ubsoft_ctx_resp as CtxResp,
    ubsoft_import_resp as ImportResp,
    ubsoft_import_seg_resp as ImportSegResp,
    ubsoft_queue_req as QueueReq,
    ubsoft_queue_resp as QueueResp,
    ubsoft_seg_req as SegReq, //
};

/// Declares structures of integers without padding, which the sizes prove.
macro_rules! plain {
    ($($name:ident: $size:literal;)*) => {$(
        const _: () = assert!(core::mem::size_of::<$name>() == $size);
        // SAFETY: Integers only, any bytes are valid.
        unsafe impl FromBytes for $name {}
        // SAFETY: No padding: the size is the sum of the fields.
        unsafe impl AsBytes for $name {}
    )*};
}

plain! {
    CtlRing: 16;
    CtxResp: 64;
    ImportResp: 16;
    ImportSegResp: 32;
    QueueReq: 32;
    QueueResp: 64;
    SegReq: 16;
}
