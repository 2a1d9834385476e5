// SPDX-License-Identifier: GPL-2.0

//! Commands of many kinds that work, for tests that spoil them.

use ub_client::abi::*;
use ub_client::staged::{self, Class};
use ub_client::tlv::Cmd;
use ub_client::{
    DevAttr, Error, Jetty, JettyConfig, Jfc, JfcConfig, Jfr, JfrConfig, Jfs, JfsConfig, Path,
    Segment, SegmentConfig, Target, Token, TpQuery,
};

use crate::fixture::Pair;
use crate::{Failure, Outcome};

/// Makes the command that destroys what has a handle.
pub type Undo = fn(u64) -> Cmd;

/// A command that works as it is, with its required inputs and what undoes it.
pub struct Sample {
    /// Its name.
    pub name: &'static str,
    /// The command.
    pub cmd: Cmd,
    /// Inputs that may be missing.
    pub optional: &'static [u32],
    /// Output with the handle of what was made, and the command that destroys it.
    pub undo: Option<(u32, Undo)>,
}

fn sample(name: &'static str, cmd: Cmd, optional: &'static [u32]) -> Sample {
    Sample {
        name,
        cmd,
        optional,
        undo: None,
    }
}

impl Sample {
    fn undone_by(mut self, handle: u32, undo: Undo) -> Self {
        self.undo = Some((handle, undo));
        self
    }

    /// Runs a variant; what it makes goes at once.
    pub fn run(&self, pair: &Pair, cmd: &mut Cmd) -> Result<(), Error> {
        pair.a.ctx.run(cmd)?;
        if let Some((handle, undo)) = self.undo {
            let handle = cmd.get_u64(handle);
            if handle != 0 {
                pair.a.ctx.run(&mut undo(handle))?;
            }
        }
        Ok(())
    }
}

/// Creations and queries.
pub fn samples(pair: &Pair, token: &Token) -> Vec<Sample> {
    let side = &pair.a;
    let segment = Segment::register_cmd(
        side.memory.addr(),
        4096,
        Some((token.id(), token.handle())),
        SegmentConfig::default(),
    );
    let peer = pair.b.target_config();
    let jetty = JettyConfig::on(&side.sent, &side.received, &side.jfr);
    let paths = TpQuery {
        flag: UBURMA_GET_TP_CFG_FLAG_RTP,
        mode: UBURMA_TM_RM,
        peer: pair.b.ctx.eid(),
        count: 1,
    };
    let modify_jfs = Jetty::modify_cmd(side.jetty.handle(), 0, 0, 0);
    vec![
        sample(
            "CREATE_JFC",
            Jfc::create_cmd(JfcConfig::default()),
            &[UBURMA_CREATE_JFC_IN_UDATA],
        )
        .undone_by(UBURMA_CREATE_JFC_OUT_HANDLE, Jfc::delete_cmd),
        sample(
            "CREATE_JFS",
            Jfs::create_cmd(JfsConfig::on(&side.sent)),
            &[UBURMA_CREATE_JFS_IN_UDATA],
        )
        .undone_by(UBURMA_CREATE_JFS_OUT_HANDLE, Jfs::delete_cmd),
        sample(
            "CREATE_JFR",
            Jfr::create_cmd(JfrConfig::on(&side.sent)),
            &[UBURMA_CREATE_JFR_IN_UDATA],
        )
        .undone_by(UBURMA_CREATE_JFR_OUT_HANDLE, Jfr::delete_cmd),
        sample(
            "CREATE_JETTY",
            Jetty::create_cmd(jetty),
            &[UBURMA_CREATE_JETTY_IN_UDATA],
        )
        .undone_by(UBURMA_CREATE_JETTY_OUT_HANDLE, Jetty::delete_cmd),
        sample(
            "ALLOC_JFC",
            staged::alloc_jfc_cmd(JfcConfig::default()),
            &[UBURMA_ALLOC_JFC_IN_UDATA],
        )
        .undone_by(UBURMA_ALLOC_JFC_OUT_HANDLE, |handle| {
            Class::Jfc.free_cmd(handle)
        }),
        sample(
            "ALLOC_JFR",
            staged::alloc_jfr_cmd(JfrConfig::on(&side.sent)),
            &[UBURMA_ALLOC_JFR_IN_UDATA],
        )
        .undone_by(UBURMA_ALLOC_JFR_OUT_HANDLE, |handle| {
            Class::Jfr.free_cmd(handle)
        }),
        sample(
            "ALLOC_JFS",
            staged::alloc_jfs_cmd(JfsConfig::on(&side.sent)),
            &[UBURMA_ALLOC_JFS_IN_UDATA],
        )
        .undone_by(UBURMA_ALLOC_JFS_OUT_HANDLE, |handle| {
            Class::Jfs.free_cmd(handle)
        }),
        sample("REGISTER_SEG", segment, &[UBURMA_REGISTER_SEG_IN_UDATA])
            .undone_by(UBURMA_REGISTER_SEG_OUT_HANDLE, Segment::unregister_cmd),
        sample(
            "IMPORT_JETTY",
            Target::jetty_cmd(peer),
            &[UBURMA_IMPORT_JETTY_IN_UDATA],
        )
        .undone_by(UBURMA_IMPORT_JETTY_OUT_HANDLE, Target::unimport_jetty_cmd),
        sample(
            "IMPORT_JFR",
            Target::jfr_cmd(peer),
            &[UBURMA_IMPORT_JFR_IN_UDATA],
        )
        .undone_by(UBURMA_IMPORT_JFR_OUT_HANDLE, Target::unimport_jfr_cmd),
        sample(
            "IMPORT_JETTY_EX",
            Target::jetty_cmd(peer.over(Path::Chosen)),
            &[
                UBURMA_IMPORT_JETTY_EX_IN_STAG,
                UBURMA_IMPORT_JETTY_EX_IN_DTAG,
                UBURMA_IMPORT_JETTY_EX_IN_UDATA,
            ],
        )
        .undone_by(
            UBURMA_IMPORT_JETTY_EX_OUT_HANDLE,
            Target::unimport_jetty_cmd,
        ),
        sample(
            "IMPORT_JFR_EX",
            Target::jfr_cmd(peer.over(Path::Chosen)),
            &[
                UBURMA_IMPORT_JFR_EX_IN_STAG,
                UBURMA_IMPORT_JFR_EX_IN_DTAG,
                UBURMA_IMPORT_JFR_EX_IN_UDATA,
            ],
        )
        .undone_by(UBURMA_IMPORT_JFR_EX_OUT_HANDLE, Target::unimport_jfr_cmd),
        sample(
            "GET_TP_LIST",
            Target::tp_list_cmd(&side.ctx.eid(), paths),
            &[UBURMA_GET_TP_LIST_IN_UDATA],
        ),
        sample("QUERY_JETTY", Jetty::query_cmd(side.jetty.handle()), &[]),
        sample("QUERY_JFR", Jfr::query_cmd(side.jfr.handle()), &[]),
        sample("MODIFY_JETTY", modify_jfs, &[UBURMA_MODIFY_JETTY_IN_UDATA]),
        sample("QUERY_DEV_ATTR", DevAttr::cmd(&side.ctx.device().name), &[]),
    ]
}

/// Inputs of a command.
pub fn inputs(cmd: &Cmd) -> Vec<u32> {
    cmd.attrs()
        .iter()
        .map(|attr| u32::from(attr.id))
        .filter(|id| *id < UBURMA_ATTR_OUT_BASE)
        .collect()
}

/// Outputs of a command.
pub fn outputs(cmd: &Cmd) -> Vec<u32> {
    cmd.attrs()
        .iter()
        .map(|attr| u32::from(attr.id))
        .filter(|id| *id >= UBURMA_ATTR_OUT_BASE)
        .collect()
}

/// Whether a variant of a sample fails with one of the errnos, as it must.
pub fn must_fail(
    pair: &Pair,
    sample: &Sample,
    mut cmd: Cmd,
    errnos: &[i32],
    what: &str,
) -> Outcome {
    match sample.run(pair, &mut cmd) {
        Err(err) if errnos.contains(&err.errno()) => Ok(()),
        Err(err) => Err(Failure::Fail(format!("{}, {what}: {err}", sample.name))),
        Ok(()) => Err(Failure::Fail(format!("{}, {what}: it worked", sample.name))),
    }
}

/// Whether a variant of a sample works, as it must.
pub fn must_work(pair: &Pair, sample: &Sample, mut cmd: Cmd, what: &str) -> Outcome {
    sample
        .run(pair, &mut cmd)
        .map_err(|err| Failure::Fail(format!("{}, {what}: {err}", sample.name)))
}
