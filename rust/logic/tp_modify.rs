// SPDX-License-Identifier: GPL-2.0

//! The check of a request to change a transport path by its number (`MODIFY_TP`).
//!
//! No driver lets users manage single transport paths in that way, so a good request is refused as
//! well, but not with the error of a bad one.

use super::{
    net_addr::{
        NetAddr,
        USER_LEN, //
    },
    types::TransMode,
};
use crate::env::{
    Result,
    EINVAL, //
};

/// Bits of the configuration word: target, loopback, DCA, bonding.
const CFG_FLAGS: u32 = 0xf;
/// Bits of the word of functions.
const MOD_FLAGS: u32 = 0x1ff;
/// Place of the algorithm of congestion control in it, 4 bits.
const CC_ALG_SHIFT: u32 = 3;
/// Largest algorithm of congestion control.
const MAX_CC_ALG: u32 = 9;
/// Largest state.
const MAX_STATE: u32 = 4;
/// Codes of the MTU, 256 to 8192 bytes.
const MTUS: core::ops::RangeInclusive<u32> = 1..=6;
/// Largest number of a transport path, its code point, its flow label.
const MAX_TPN: u32 = 0xff_ffff;
/// Largest code point.
const MAX_DSCP: u8 = 63;
/// Largest flow label.
const MAX_FLOW_LABEL: u32 = 0xf_ffff;
/// Kinds of device at the other end.
const TRANSPORTS: [u32; 5] = [0, 1, 2, 3, 5];

/// Bits of the mask: which members are meant.
const MASK: u32 = 0x3_ffff;
/// The word of functions.
const FLAG: u32 = 1 << 0;
/// The number at the peer.
const PEER_TPN: u32 = 1 << 1;
/// The state.
const STATE: u32 = 1 << 2;
/// The MTU.
const MTU: u32 = 1 << 5;
/// The address of the peer.
const PEER_NET_ADDR: u32 = 1 << 9;
/// The flow label.
const FLOW_LABEL: u32 = 1 << 14;
/// The kind of device at the other end.
const PEER_TRANS_TYPE: u32 = 1 << 17;

/// What of a request can be wrong.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ModifyTp {
    /// Number of the path.
    pub(crate) tpn: u32,
    /// Configuration word.
    pub(crate) cfg_flag: u32,
    /// Service.
    pub(crate) trans_mode: u32,
    /// Code point of the configuration.
    pub(crate) dscp: u8,
    /// Which of the following are meant.
    pub(crate) mask: u32,
    /// Word of functions.
    pub(crate) flag: u32,
    /// Number of the path at the peer.
    pub(crate) peer_tpn: u32,
    /// State.
    pub(crate) state: u32,
    /// Code of the MTU.
    pub(crate) mtu: u32,
    /// Address of the peer.
    pub(crate) peer_net_addr: [u8; USER_LEN],
    /// Flow label.
    pub(crate) flow_label: u32,
    /// Kind of device at the other end.
    pub(crate) peer_trans_type: u32,
}

impl ModifyTp {
    /// Checks the request.
    ///
    /// # Errors
    ///
    /// `EINVAL` for unknown bits and for values that a member cannot have; members that the mask
    /// leaves out are not looked at.
    pub(crate) fn check(&self) -> Result {
        TransMode::from_raw(self.trans_mode)?;
        let named = |bit: u32| self.mask & bit != 0;
        if named(PEER_NET_ADDR) {
            NetAddr::from_user(&self.peer_net_addr)?.check()?;
        }
        let cc_alg = (self.flag >> CC_ALG_SHIFT) & 0xf;
        let bad = self.tpn > MAX_TPN
            || self.cfg_flag & !CFG_FLAGS != 0
            || self.dscp > MAX_DSCP
            || self.mask & !MASK != 0
            || (named(FLAG) && (self.flag & !MOD_FLAGS != 0 || cc_alg > MAX_CC_ALG))
            || (named(PEER_TPN) && self.peer_tpn > MAX_TPN)
            || (named(STATE) && self.state > MAX_STATE)
            || (named(MTU) && !MTUS.contains(&self.mtu))
            || (named(FLOW_LABEL) && self.flow_label > MAX_FLOW_LABEL)
            || (named(PEER_TRANS_TYPE) && !TRANSPORTS.contains(&self.peer_trans_type));
        if bad {
            Err(EINVAL)
        } else {
            Ok(())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net_addr::IpAddr;

    fn good() -> ModifyTp {
        ModifyTp {
            tpn: 5,
            cfg_flag: 0xf,
            trans_mode: 2,
            dscp: 63,
            mask: MASK,
            flag: 0x1cf,
            peer_tpn: MAX_TPN,
            state: 4,
            mtu: 6,
            peer_net_addr: NetAddr::host(IpAddr::V4([10, 0, 0, 1]), [0; 6]).to_user(),
            flow_label: MAX_FLOW_LABEL,
            peer_trans_type: 5,
        }
    }

    /// A request that one change makes bad, unless the mask leaves the member out.
    fn spoils(bit: u32, change: impl FnOnce(&mut ModifyTp)) {
        let mut request = good();
        change(&mut request);
        assert_eq!(request.check(), Err(EINVAL), "{request:?}");
        request.mask &= !bit;
        let expected = if bit == 0 { Err(EINVAL) } else { Ok(()) };
        assert_eq!(request.check(), expected, "{request:?}");
    }

    #[test]
    fn rules() {
        assert_eq!(good().check(), Ok(()));
        spoils(0, |r| r.tpn = MAX_TPN + 1);
        spoils(0, |r| r.cfg_flag = 0x10);
        spoils(0, |r| r.trans_mode = 3);
        spoils(0, |r| r.trans_mode = 0);
        spoils(0, |r| r.dscp = 64);
        spoils(0, |r| r.mask |= 1 << 18);
        spoils(FLAG, |r| r.flag = 0x200);
        spoils(FLAG, |r| r.flag = 10 << CC_ALG_SHIFT);
        spoils(PEER_TPN, |r| r.peer_tpn = MAX_TPN + 1);
        spoils(STATE, |r| r.state = 5);
        spoils(MTU, |r| r.mtu = 0);
        spoils(MTU, |r| r.mtu = 7);
        spoils(PEER_NET_ADDR, |r| r.peer_net_addr = [0; USER_LEN]);
        spoils(PEER_NET_ADDR, |r| r.peer_net_addr[40] = 33);
        spoils(FLOW_LABEL, |r| r.flow_label = MAX_FLOW_LABEL + 1);
        for kind in [4, 6, u32::MAX] {
            spoils(PEER_TRANS_TYPE, |r| r.peer_trans_type = kind);
        }
    }
}
