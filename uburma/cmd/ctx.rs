// SPDX-License-Identifier: GPL-2.0

//! Contexts.

use crate::{
    command::{
        done,
        then,
        Commit,
        Outcome, //
    },
    context::Context,
    dispatch::Call,
    event::jfae::Jfae,
    file::ContextClaim,
    kernel_ext::{
        anon_file::{
            Access,
            AnonFile,
            NewFd, //
        },
        arc::Arc,
        task::MmId, //
    },
    stats::{
        Item,
        Stats,
        Tally, //
    },
    table::{
        create_ctx,
        user_ctl, //
    },
    ub::client::{
        Device,
        ProviderData,
        Ucontext,
        UserCommand, //
    }, //
};
use kernel::prelude::*;

/// A context that lacks the driver's part only.
///
/// That comes last: a driver may have made a file descriptor for the user in it, which nobody can
/// take back.
pub(crate) struct NewContext<'a> {
    /// The right to make the context.
    claim: ContextClaim<'a>,
    /// The device.
    dev: &'a Arc<Device>,
    /// Index of the local EID.
    eid_index: u32,
    /// For the driver.
    data: ProviderData,
    /// Asynchronous events.
    jfae: Arc<Jfae>,
    /// Their file.
    file: AnonFile,
    /// Its descriptor.
    fd: NewFd,
    /// Address space of the caller.
    mm: MmId,
    /// Counts the context.
    tally: Tally,
}

impl Commit for NewContext<'_> {
    fn commit(self) -> Result {
        let uctx = Ucontext::new(self.dev, self.eid_index, self.data)?;
        self.claim.complete(Context {
            uctx,
            jfae: self.jfae,
            eid_index: self.eid_index,
            mm: self.mm,
            _tally: self.tally,
        });
        self.fd.install(self.file);
        Ok(())
    }
}

/// Binds the file to a local EID.
pub(crate) fn create<'a>(
    call: &Call<'a>,
    request: create_ctx::Request,
) -> Result<Outcome<create_ctx::Reply, NewContext<'a>>> {
    let claim = call.file().claim_context()?;
    if request.eid == [0; 16] || !call.device().has_eid(request.eid, request.eid_index)? {
        return Err(EINVAL);
    }
    let stats = call.file().stats();
    let jfae = Jfae::new(stats)?;
    let new = NewContext {
        claim,
        dev: call.device(),
        eid_index: request.eid_index,
        data: request.udata.provider_data(),
        file: AnonFile::new(c"[jfae]", jfae.clone(), Access::ReadWrite)?,
        jfae,
        fd: NewFd::reserve(true)?,
        mm: MmId::current().ok_or(EINVAL)?,
        tally: Stats::count(stats, Item::Context),
    };
    let reply = create_ctx::Reply {
        // CAST: A descriptor is not negative as an `int`.
        async_fd: new.fd.fd() as i32,
        udata: request.udata,
    };
    then(reply, new)
}

/// Hands a provider's own command to the driver.
pub(crate) fn control(
    call: &Call<'_>,
    request: user_ctl::Request,
) -> Result<Outcome<user_ctl::Reply>> {
    let command = UserCommand {
        opcode: request.opcode,
        in_addr: request.in_addr,
        in_len: request.in_len,
        out_addr: request.out_addr,
        out_len: request.out_len,
    };
    let data = request.udata.provider_data();
    call.context()?.uctx.control(&command, data)?;
    done(user_ctl::Reply {})
}
