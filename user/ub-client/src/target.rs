// SPDX-License-Identifier: GPL-2.0

//! Imported jettys and JFRs of peers, and the paths to them.

use std::mem::size_of;
use std::sync::Arc;

use ub_abi::*;

use crate::context::Files;
use crate::sys;
use crate::tlv::Cmd;
use crate::{Context, Eid, Error, Result};

/// Which of the import commands is used.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Path {
    /// UBURMA_CMD_IMPORT_JETTY or _JFR: the kernel chooses the path.
    #[default]
    Plain,
    /// The _EX form without a path: the kernel chooses it too.
    Chosen,
    /// The _EX form over this handle of UBURMA_CMD_GET_TP_LIST.
    Handle(u64),
}

/// What is imported, and how.
#[derive(Debug, Clone, Copy)]
pub struct TargetConfig {
    /// EID of the peer.
    pub eid: Eid,
    /// Number of the jetty or JFR.
    pub id: u32,
    /// Its token.
    pub token: u32,
    /// UBURMA_TOKEN_*.
    pub policy: u32,
    /// UBURMA_TM_*.
    pub mode: u32,
    /// UBURMA_TP_TYPE_*.
    pub tp_type: u32,
    /// UBURMA_TARGET_*, for jettys.
    pub kind: u32,
    /// UBURMA_JETTY_GRP_POLICY_*, for groups.
    pub group_policy: u32,
    /// Further UBURMA_IMPORT_JETTY_FLAG_*.
    pub flag: u32,
    /// Which command is used.
    pub path: Path,
}

impl TargetConfig {
    /// A jetty in mode RM.
    pub fn jetty(eid: Eid, id: u32, token: u32) -> Self {
        TargetConfig {
            eid,
            id,
            token,
            policy: UBURMA_TOKEN_PLAIN_TEXT,
            mode: UBURMA_TM_RM,
            tp_type: UBURMA_TP_TYPE_RTP,
            kind: UBURMA_TARGET_JETTY,
            group_policy: UBURMA_JETTY_GRP_POLICY_RR,
            flag: 0,
            path: Path::Plain,
        }
    }

    /// A group of jettys.
    pub fn group(eid: Eid, id: u32, token: u32) -> Self {
        TargetConfig {
            kind: UBURMA_TARGET_JETTY_GROUP,
            ..Self::jetty(eid, id, token)
        }
    }

    /// In another mode, with a kind of path that fits.
    pub fn mode(mut self, mode: u32) -> Self {
        self.mode = mode;
        self.tp_type = if mode == UBURMA_TM_UM {
            UBURMA_TP_TYPE_UTP
        } else {
            UBURMA_TP_TYPE_RTP
        };
        self
    }

    /// Over another path.
    pub fn over(mut self, path: Path) -> Self {
        self.path = path;
        self
    }

    fn flags(&self) -> u32 {
        self.flag | (self.policy << UBURMA_IMPORT_JETTY_FLAG_TOKEN_POLICY_SHIFT)
    }

    fn explicit(&self) -> u64 {
        match self.path {
            Path::Handle(handle) => handle,
            _ => 0,
        }
    }
}

/// Questions about the paths to a peer.
#[derive(Debug, Clone, Copy)]
pub struct TpQuery {
    /// UBURMA_GET_TP_CFG_FLAG_*: one kind of path.
    pub flag: u32,
    /// UBURMA_TM_*.
    pub mode: u32,
    /// EID of the peer.
    pub peer: Eid,
    /// At most so many.
    pub count: u32,
}

/// What kind of import this is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Class {
    Jetty,
    Jfr,
}

/// An imported jetty or JFR.
#[derive(Debug)]
pub struct Target {
    files: Arc<Files>,
    class: Class,
    handle: u64,
    tpn: u32,
    target_ref: u32,
    live: bool,
}

impl Target {
    /// Imports a jetty.
    pub fn jetty(ctx: &Context, config: TargetConfig) -> Result<Self> {
        let mut cmd = Self::jetty_cmd(config);
        let udata = if config.path == Path::Plain {
            UBURMA_IMPORT_JETTY_IN_UDATA
        } else {
            UBURMA_IMPORT_JETTY_EX_IN_UDATA
        };
        Self::run(ctx, &mut cmd, Class::Jetty, udata)
    }

    /// Imports a JFR.
    pub fn jfr(ctx: &Context, config: TargetConfig) -> Result<Self> {
        let mut cmd = Self::jfr_cmd(config);
        let udata = if config.path == Path::Plain {
            UBURMA_IMPORT_JFR_IN_UDATA
        } else {
            UBURMA_IMPORT_JFR_EX_IN_UDATA
        };
        Self::run(ctx, &mut cmd, Class::Jfr, udata)
    }

    fn run(ctx: &Context, cmd: &mut Cmd, class: Class, udata: u32) -> Result<Self> {
        ctx.run(cmd)?;
        // All import commands agree on the numbers of their outputs.
        let handle = cmd.get_u64(UBURMA_IMPORT_JETTY_OUT_HANDLE);
        let resp: ubsoft_import_resp = cmd.udata_reply(udata)?;
        let target = Target {
            files: ctx.files(),
            class,
            handle,
            tpn: cmd.get_u32(UBURMA_IMPORT_JETTY_OUT_TPN),
            target_ref: resp.target_ref,
            live: true,
        };
        if resp.target_ref == 0 {
            return Err(Error::BadReply("target_ref is 0".to_string()));
        }
        Ok(target)
    }

    /// The command that imports a jetty.
    pub fn jetty_cmd(config: TargetConfig) -> Cmd {
        if config.path == Path::Plain {
            return Cmd::new(UBURMA_CMD_IMPORT_JETTY)
                .bytes(UBURMA_IMPORT_JETTY_IN_EID, &config.eid.0)
                .u32(UBURMA_IMPORT_JETTY_IN_ID, config.id)
                .u32(UBURMA_IMPORT_JETTY_IN_FLAG, config.flags())
                .u32(UBURMA_IMPORT_JETTY_IN_TOKEN, config.token)
                .u32(UBURMA_IMPORT_JETTY_IN_TRANS_MODE, config.mode)
                .u32(UBURMA_IMPORT_JETTY_IN_POLICY, config.group_policy)
                .u32(UBURMA_IMPORT_JETTY_IN_TYPE, config.kind)
                .u32(UBURMA_IMPORT_JETTY_IN_TP_TYPE, config.tp_type)
                .import_reply(UBURMA_IMPORT_JETTY_IN_UDATA);
        }
        Cmd::new(UBURMA_CMD_IMPORT_JETTY_EX)
            .bytes(UBURMA_IMPORT_JETTY_EX_IN_EID, &config.eid.0)
            .u32(UBURMA_IMPORT_JETTY_EX_IN_ID, config.id)
            .u32(UBURMA_IMPORT_JETTY_EX_IN_FLAG, config.flags())
            .u32(UBURMA_IMPORT_JETTY_EX_IN_TOKEN, config.token)
            .u32(UBURMA_IMPORT_JETTY_EX_IN_TRANS_MODE, config.mode)
            .u32(UBURMA_IMPORT_JETTY_EX_IN_POLICY, config.group_policy)
            .u32(UBURMA_IMPORT_JETTY_EX_IN_TYPE, config.kind)
            .u32(UBURMA_IMPORT_JETTY_EX_IN_TP_TYPE, config.tp_type)
            .u64(UBURMA_IMPORT_JETTY_EX_IN_TP_HANDLE, config.explicit())
            .u64(UBURMA_IMPORT_JETTY_EX_IN_PEER_TP_HANDLE, config.explicit())
            .u64(UBURMA_IMPORT_JETTY_EX_IN_TAG, 0)
            .u32(UBURMA_IMPORT_JETTY_EX_IN_TX_PSN, 0)
            .u32(UBURMA_IMPORT_JETTY_EX_IN_RX_PSN, 0)
            .u64(UBURMA_IMPORT_JETTY_EX_IN_STAG, 0)
            .u64(UBURMA_IMPORT_JETTY_EX_IN_DTAG, 0)
            .import_reply(UBURMA_IMPORT_JETTY_EX_IN_UDATA)
    }

    /// The command that imports a JFR.
    pub fn jfr_cmd(config: TargetConfig) -> Cmd {
        if config.path == Path::Plain {
            return Cmd::new(UBURMA_CMD_IMPORT_JFR)
                .bytes(UBURMA_IMPORT_JFR_IN_EID, &config.eid.0)
                .u32(UBURMA_IMPORT_JFR_IN_ID, config.id)
                .u32(UBURMA_IMPORT_JFR_IN_FLAG, config.flags())
                .u32(UBURMA_IMPORT_JFR_IN_TOKEN, config.token)
                .u32(UBURMA_IMPORT_JFR_IN_TRANS_MODE, config.mode)
                .u32(UBURMA_IMPORT_JFR_IN_TP_TYPE, config.tp_type)
                .import_reply(UBURMA_IMPORT_JFR_IN_UDATA);
        }
        Cmd::new(UBURMA_CMD_IMPORT_JFR_EX)
            .bytes(UBURMA_IMPORT_JFR_EX_IN_EID, &config.eid.0)
            .u32(UBURMA_IMPORT_JFR_EX_IN_ID, config.id)
            .u32(UBURMA_IMPORT_JFR_EX_IN_FLAG, config.flags())
            .u32(UBURMA_IMPORT_JFR_EX_IN_TOKEN, config.token)
            .u32(UBURMA_IMPORT_JFR_EX_IN_TRANS_MODE, config.mode)
            .u32(UBURMA_IMPORT_JFR_EX_IN_TP_TYPE, config.tp_type)
            .u64(UBURMA_IMPORT_JFR_EX_IN_TP_HANDLE, config.explicit())
            .u64(UBURMA_IMPORT_JFR_EX_IN_PEER_TP_HANDLE, config.explicit())
            .u64(UBURMA_IMPORT_JFR_EX_IN_TAG, 0)
            .u32(UBURMA_IMPORT_JFR_EX_IN_TX_PSN, 0)
            .u32(UBURMA_IMPORT_JFR_EX_IN_RX_PSN, 0)
            .u64(UBURMA_IMPORT_JFR_EX_IN_STAG, 0)
            .u64(UBURMA_IMPORT_JFR_EX_IN_DTAG, 0)
            .import_reply(UBURMA_IMPORT_JFR_EX_IN_UDATA)
    }

    /// The command that forgets an imported jetty.
    pub fn unimport_jetty_cmd(handle: u64) -> Cmd {
        Cmd::new(UBURMA_CMD_UNIMPORT_JETTY).u64(UBURMA_UNIMPORT_JETTY_IN_HANDLE, handle)
    }

    /// The command that forgets an imported JFR.
    pub fn unimport_jfr_cmd(handle: u64) -> Cmd {
        Cmd::new(UBURMA_CMD_UNIMPORT_JFR).u64(UBURMA_UNIMPORT_JFR_IN_HANDLE, handle)
    }

    /// Forgets it; it stays when that fails.
    pub fn unimport(&mut self) -> Result<()> {
        let mut cmd = match self.class {
            Class::Jetty => Self::unimport_jetty_cmd(self.handle),
            Class::Jfr => Self::unimport_jfr_cmd(self.handle),
        };
        cmd.run(self.files.dev())?;
        self.live = false;
        Ok(())
    }

    /// Its handle.
    pub fn handle(&self) -> u64 {
        self.handle
    }

    /// Number of its path.
    pub fn tpn(&self) -> u32 {
        self.tpn
    }

    /// What names it in work requests.
    #[inline]
    pub fn target_ref(&self) -> u32 {
        self.target_ref
    }

    /// The command that lists paths from an EID of ours.
    pub fn tp_list_cmd(local: &Eid, query: TpQuery) -> Cmd {
        Cmd::new(UBURMA_CMD_GET_TP_LIST)
            .u32(UBURMA_GET_TP_LIST_IN_FLAG, query.flag)
            .u32(UBURMA_GET_TP_LIST_IN_TRANS_MODE, query.mode)
            .bytes(UBURMA_GET_TP_LIST_IN_LOCAL_EID, &local.0)
            .bytes(UBURMA_GET_TP_LIST_IN_PEER_EID, &query.peer.0)
            .u32(UBURMA_GET_TP_LIST_IN_TP_CNT, query.count)
            .udata(
                UBURMA_GET_TP_LIST_IN_UDATA,
                Some(UBURMA_GET_TP_LIST_OUT_UDATA),
                &[],
                0,
            )
            .out(UBURMA_GET_TP_LIST_OUT_TP_CNT, 4)
            .out(UBURMA_GET_TP_LIST_OUT_TP_HANDLE, 8 * UBURMA_MAX_TP as usize)
    }

    /// The command that reads the properties of a path.
    pub fn tp_attr_cmd(handle: u64) -> Cmd {
        Cmd::new(UBURMA_CMD_GET_TP_ATTR)
            .u64(UBURMA_GET_TP_ATTR_IN_TP_HANDLE, handle)
            .udata(
                UBURMA_GET_TP_ATTR_IN_UDATA,
                Some(UBURMA_GET_TP_ATTR_OUT_UDATA),
                &[],
                0,
            )
            .out(UBURMA_GET_TP_ATTR_OUT_TP_ATTR_CNT, 1)
            .out(UBURMA_GET_TP_ATTR_OUT_TP_ATTR_BITMAP, 4)
            .out(UBURMA_GET_TP_ATTR_OUT_TP_ATTR, UBURMA_TP_ATTR_SIZE as usize)
    }

    /// Properties of a path: how many, which, and the structure.
    pub fn tp_attr(ctx: &Context, handle: u64) -> Result<(u8, u32, Vec<u8>)> {
        let mut cmd = Self::tp_attr_cmd(handle);
        ctx.run(&mut cmd)?;
        Ok((
            cmd.get_u8(UBURMA_GET_TP_ATTR_OUT_TP_ATTR_CNT),
            cmd.get_u32(UBURMA_GET_TP_ATTR_OUT_TP_ATTR_BITMAP),
            cmd.value(UBURMA_GET_TP_ATTR_OUT_TP_ATTR),
        ))
    }

    /// The command that changes `count` properties of a path, those of the bitmap.
    pub fn set_tp_attr_cmd(handle: u64, count: u8, bitmap: u32, value: &[u8]) -> Cmd {
        Cmd::new(UBURMA_CMD_SET_TP_ATTR)
            .u64(UBURMA_SET_TP_ATTR_IN_TP_HANDLE, handle)
            .u8(UBURMA_SET_TP_ATTR_IN_TP_ATTR_CNT, count)
            .u32(UBURMA_SET_TP_ATTR_IN_TP_ATTR_BITMAP, bitmap)
            .bytes(UBURMA_SET_TP_ATTR_IN_TP_ATTR, value)
            .udata(
                UBURMA_SET_TP_ATTR_IN_UDATA,
                Some(UBURMA_SET_TP_ATTR_OUT_UDATA),
                &[],
                0,
            )
    }

    /// Changes the properties of a path that a bitmap names.
    pub fn set_tp_attr(ctx: &Context, handle: u64, bitmap: u32, value: &[u8]) -> Result<()> {
        let count = bitmap.count_ones() as u8;
        ctx.run(&mut Self::set_tp_attr_cmd(handle, count, bitmap, value))
    }

    /// The command that tells a peer about a path from an EID of ours.
    pub fn exchange_cmd(local: &Eid, query: TpQuery, handle: u64, tx_psn: u32) -> Cmd {
        Cmd::new(UBURMA_CMD_EXCHANGE_TP_INFO)
            .u32(UBURMA_EXCHANGE_TP_INFO_IN_FLAG, query.flag)
            .u32(UBURMA_EXCHANGE_TP_INFO_IN_TRANS_MODE, query.mode)
            .bytes(UBURMA_EXCHANGE_TP_INFO_IN_LOCAL_EID, &local.0)
            .bytes(UBURMA_EXCHANGE_TP_INFO_IN_PEER_EID, &query.peer.0)
            .u64(UBURMA_EXCHANGE_TP_INFO_IN_TP_HANDLE, handle)
            .u32(UBURMA_EXCHANGE_TP_INFO_IN_TX_PSN, tx_psn)
            .out(UBURMA_EXCHANGE_TP_INFO_OUT_PEER_TP_HANDLE, 8)
            .out(UBURMA_EXCHANGE_TP_INFO_OUT_RX_PSN, 4)
    }

    /// Tells a peer about a path; returns the peer's handle and first sequence number.
    pub fn exchange(ctx: &Context, query: TpQuery, handle: u64, tx_psn: u32) -> Result<(u64, u32)> {
        let mut cmd = Self::exchange_cmd(&ctx.eid(), query, handle, tx_psn);
        ctx.run(&mut cmd)?;
        Ok((
            cmd.get_u64(UBURMA_EXCHANGE_TP_INFO_OUT_PEER_TP_HANDLE),
            cmd.get_u32(UBURMA_EXCHANGE_TP_INFO_OUT_RX_PSN),
        ))
    }

    /// Handles of the paths to a peer.
    pub fn tp_list(ctx: &Context, query: TpQuery) -> Result<Vec<u64>> {
        let mut cmd = Self::tp_list_cmd(&ctx.eid(), query);
        ctx.run(&mut cmd)?;
        let count = cmd.get_u32(UBURMA_GET_TP_LIST_OUT_TP_CNT);
        if count > query.count {
            return Err(Error::BadReply(format!("{count} paths of {}", query.count)));
        }
        let list = cmd.value(UBURMA_GET_TP_LIST_OUT_TP_HANDLE);
        Ok(list
            .chunks_exact(8)
            .take(count as usize)
            .map(sys::from_bytes)
            .collect())
    }
}

impl Drop for Target {
    fn drop(&mut self) {
        if self.live {
            let _ = self.unimport();
        }
    }
}

/// The reply that all import commands have.
trait ImportReply {
    fn import_reply(self, udata: u32) -> Self;
}

impl ImportReply for Cmd {
    fn import_reply(self, udata: u32) -> Self {
        self.udata(
            udata,
            Some(UBURMA_IMPORT_JETTY_OUT_UDATA),
            &[],
            size_of::<ubsoft_import_resp>(),
        )
        .out(UBURMA_IMPORT_JETTY_OUT_TPN, 4)
        .out(UBURMA_IMPORT_JETTY_OUT_HANDLE, 8)
    }
}

const _: () = {
    assert!(UBURMA_IMPORT_JETTY_OUT_TPN == UBURMA_IMPORT_JETTY_EX_OUT_TPN);
    assert!(UBURMA_IMPORT_JETTY_OUT_TPN == UBURMA_IMPORT_JFR_OUT_TPN);
    assert!(UBURMA_IMPORT_JETTY_OUT_TPN == UBURMA_IMPORT_JFR_EX_OUT_TPN);
    assert!(UBURMA_IMPORT_JETTY_OUT_HANDLE == UBURMA_IMPORT_JETTY_EX_OUT_HANDLE);
    assert!(UBURMA_IMPORT_JETTY_OUT_HANDLE == UBURMA_IMPORT_JFR_OUT_HANDLE);
    assert!(UBURMA_IMPORT_JETTY_OUT_HANDLE == UBURMA_IMPORT_JFR_EX_OUT_HANDLE);
    assert!(UBURMA_IMPORT_JETTY_OUT_UDATA == UBURMA_IMPORT_JETTY_EX_OUT_UDATA);
    assert!(UBURMA_IMPORT_JETTY_OUT_UDATA == UBURMA_IMPORT_JFR_OUT_UDATA);
    assert!(UBURMA_IMPORT_JETTY_OUT_UDATA == UBURMA_IMPORT_JFR_EX_OUT_UDATA);
};
