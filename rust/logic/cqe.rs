// SPDX-License-Identifier: GPL-2.0

//! Completion records: status codes and the 64-byte entry of the software device's rings.
//!
//! A record is one cache line. Its last word is the sequence number that makes it valid: the writer
//! stores all other bytes first and that word last, with release order.

/// Bytes of an entry.
pub(crate) const CQE_LEN: usize = 64;
/// Offset of the sequence word in an entry.
pub(crate) const CQE_SEQ_OFFSET: usize = 60;
/// Opcode of records that do not stand for a received message.
pub(crate) const NO_OPCODE: u8 = 0xff;

/// Record flag: receive side.
pub(crate) const CR_FLAG_RECV: u8 = 1;
/// Record flag: the local object is a jetty, not a JFS or JFR.
pub(crate) const CR_FLAG_JETTY: u8 = 1 << 1;
/// Record flag: marks the end of a suspension.
pub(crate) const CR_FLAG_SUSPEND_DONE: u8 = 1 << 2;
/// Record flag: marks the end of a flush.
pub(crate) const CR_FLAG_FLUSH_ERR_DONE: u8 = 1 << 3;

/// Outcome of a work request; the numbers are ABI.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CrStatus {
    /// Done.
    Success = 0,
    /// The opcode is unknown, or not available in this transport mode.
    UnsupportedOpcode = 1,
    /// A local length is wrong: too long, lengths that do not add up, buffer too short.
    LocLen = 2,
    /// The work request is malformed in another way.
    LocOperation = 3,
    /// A local buffer is not inside a segment of this context.
    LocAccess = 4,
    /// The peer answered with a wrong length.
    RemRespLen = 5,
    /// The peer does not support the request.
    RemUnsupportedReq = 6,
    /// The peer failed to execute the request.
    RemOperation = 7,
    /// The peer refused access to its memory.
    RemAccessAbort = 8,
    /// The peer did not answer in time.
    AckTimeout = 9,
    /// The peer had no receive buffer, time and again.
    RnrRetryExceeded = 10,
    /// The queue was in the error state.
    FlushErr = 11,
    /// Marker: the queue is suspended.
    SuspendDone = 12,
    /// Marker: the queue is flushed.
    FlushErrDone = 13,
    /// The device never saw the work request.
    Unhandled = 14,
    /// Local memory is damaged.
    LocDataPoison = 15,
    /// Remote memory is damaged.
    RemDataPoison = 16,
}

impl CrStatus {
    /// Returns the ABI value.
    pub(crate) const fn raw(self) -> u8 {
        self as u8
    }

    /// Reads an ABI value; `None` when it is unknown.
    pub(crate) const fn from_raw(raw: u8) -> Option<Self> {
        Some(match raw {
            0 => Self::Success,
            1 => Self::UnsupportedOpcode,
            2 => Self::LocLen,
            3 => Self::LocOperation,
            4 => Self::LocAccess,
            5 => Self::RemRespLen,
            6 => Self::RemUnsupportedReq,
            7 => Self::RemOperation,
            8 => Self::RemAccessAbort,
            9 => Self::AckTimeout,
            10 => Self::RnrRetryExceeded,
            11 => Self::FlushErr,
            12 => Self::SuspendDone,
            13 => Self::FlushErrDone,
            14 => Self::Unhandled,
            15 => Self::LocDataPoison,
            16 => Self::RemDataPoison,
            _ => return None,
        })
    }
}

/// What a receive record tells about the message; the numbers are ABI.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CrOpcode {
    /// A send.
    Send = 0,
    /// A send with immediate data.
    SendImm = 1,
    /// A send that invalidated a token.
    SendInvalidate = 2,
    /// A write with immediate data.
    WriteImm = 3,
}

impl CrOpcode {
    /// Returns the ABI value.
    pub(crate) const fn raw(self) -> u8 {
        self as u8
    }
}

/// The content of a completion entry, without the sequence word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Cqe {
    /// The work request's own word, returned to its poster.
    pub(crate) user_ctx: u64,
    /// Word that the poster's library gave at creation of the local object.
    pub(crate) user_data: u64,
    /// Immediate data, or the invalidated token (id in the low half, value in the high half).
    pub(crate) imm: u64,
    /// EID of the sender (receive side).
    pub(crate) remote_eid: [u8; 16],
    /// Id of the sender's jetty or JFS (receive side).
    pub(crate) remote_id: u32,
    /// Id of the local jetty, JFS or JFR.
    pub(crate) local_id: u32,
    /// Bytes transferred.
    pub(crate) byte_len: u32,
    /// Number of the transport path.
    pub(crate) tpn: u32,
    /// Outcome.
    pub(crate) status: CrStatus,
    /// A [`CrOpcode`] on the receive side, else [`NO_OPCODE`].
    pub(crate) opcode: u8,
    /// `CR_FLAG_*` bits.
    pub(crate) flags: u8,
}

impl Cqe {
    /// A record of the send side that carries no data about a peer.
    pub(crate) const fn for_send(user_ctx: u64, status: CrStatus) -> Self {
        Self {
            user_ctx,
            user_data: 0,
            imm: 0,
            remote_eid: [0; 16],
            remote_id: 0,
            local_id: 0,
            byte_len: 0,
            tpn: 0,
            status,
            opcode: NO_OPCODE,
            flags: 0,
        }
    }

    /// Lays the record out as an entry, with `seq` as its sequence word.
    pub(crate) fn encode(&self, seq: u32) -> [u8; CQE_LEN] {
        let fields: [&[u8]; 10] = [
            &self.user_ctx.to_le_bytes(),
            &self.user_data.to_le_bytes(),
            &self.imm.to_le_bytes(),
            &self.remote_eid,
            &self.remote_id.to_le_bytes(),
            &self.local_id.to_le_bytes(),
            &self.byte_len.to_le_bytes(),
            &self.tpn.to_le_bytes(),
            &[self.status.raw(), self.opcode, self.flags, 0],
            &seq.to_le_bytes(),
        ];
        let mut entry = [0; CQE_LEN];
        let bytes = fields.iter().flat_map(|field| field.iter());
        for (to, from) in entry.iter_mut().zip(bytes) {
            *to = *from;
        }
        entry
    }

    /// Reads an entry back, with its sequence word; `None` when the status is unknown.
    ///
    /// The kernel never does this with a shared ring; it serves tests and tools.
    pub(crate) fn decode(entry: &[u8; CQE_LEN]) -> Option<(Self, u32)> {
        let (user_ctx, rest) = entry.split_first_chunk()?;
        let (user_data, rest) = rest.split_first_chunk()?;
        let (imm, rest) = rest.split_first_chunk()?;
        let (remote_eid, rest) = rest.split_first_chunk()?;
        let (remote_id, rest) = rest.split_first_chunk()?;
        let (local_id, rest) = rest.split_first_chunk()?;
        let (byte_len, rest) = rest.split_first_chunk()?;
        let (tpn, rest) = rest.split_first_chunk()?;
        let (&[status, opcode, flags, _], rest) = rest.split_first_chunk()?;
        let cqe = Self {
            user_ctx: u64::from_le_bytes(*user_ctx),
            user_data: u64::from_le_bytes(*user_data),
            imm: u64::from_le_bytes(*imm),
            remote_eid: *remote_eid,
            remote_id: u32::from_le_bytes(*remote_id),
            local_id: u32::from_le_bytes(*local_id),
            byte_len: u32::from_le_bytes(*byte_len),
            tpn: u32::from_le_bytes(*tpn),
            status: CrStatus::from_raw(status)?,
            opcode,
            flags,
        };
        Some((cqe, u32::from_le_bytes(*rest.first_chunk()?)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn layout() {
        let cqe = Cqe {
            user_ctx: 0x0807_0605_0403_0201,
            user_data: 0x11,
            imm: 0x22,
            remote_eid: [0xee; 16],
            remote_id: 0x33,
            local_id: 0x44,
            byte_len: 0x55,
            tpn: 0x66,
            status: CrStatus::RemAccessAbort,
            opcode: CrOpcode::WriteImm.raw(),
            flags: CR_FLAG_RECV | CR_FLAG_JETTY,
        };
        let entry = cqe.encode(0x0d0c_0b0a);
        assert_eq!(entry[0..8], [1, 2, 3, 4, 5, 6, 7, 8]);
        assert_eq!(
            (entry[8], entry[16], entry[24], entry[39]),
            (0x11, 0x22, 0xee, 0xee)
        );
        assert_eq!(
            (entry[40], entry[44], entry[48], entry[52]),
            (0x33, 0x44, 0x55, 0x66)
        );
        assert_eq!(entry[56..60], [8, 3, 3, 0]);
        assert_eq!(entry[CQE_SEQ_OFFSET..], [0x0a, 0x0b, 0x0c, 0x0d]);
        assert_eq!(Cqe::for_send(7, CrStatus::Success).encode(1)[57], NO_OPCODE);
    }

    #[test]
    fn statuses() {
        for raw in 0..=u8::MAX {
            let status = CrStatus::from_raw(raw);
            assert_eq!(status.is_some(), raw <= 16);
            assert!(status.is_none_or(|s| s.raw() == raw));
        }
    }

    proptest! {
        #[test]
        fn round_trip(
            entry in prop::collection::vec(any::<u8>(), CQE_LEN),
            status in any::<u8>(),
        ) {
            let mut entry: [u8; CQE_LEN] = entry.try_into().unwrap();
            entry[56] = status;
            entry[59] = 0;
            match Cqe::decode(&entry) {
                Some((cqe, seq)) => prop_assert_eq!(cqe.encode(seq), entry),
                None => prop_assert!(status > 16),
            }
        }
    }
}
