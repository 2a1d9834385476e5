// SPDX-License-Identifier: GPL-2.0

//! The peer on this host: work requests are carried out by the processor, in one copy between
//! pinned pages.

use crate::{
    device::Dev,
    jetty::{
        self,
        Jetty, //
    },
    jfc::{
        self,
        Jfc, //
    },
    jfr::{
        self,
        Buffer,
        Jfr,
        Taken, //
    },
    kernel_ext::use_wait::UseCount,
    logic::{
        access::RemoteOp,
        cqe::{
            Cqe,
            CrOpcode,
            CrStatus,
            CR_FLAG_JETTY,
            CR_FLAG_RECV, //
        },
        wr::{
            AtomicOp,
            AtomicSize,
            Local,
            Op,
            Remote,
            NOTIFY_LEN, //
        }, //
    },
    stream::{
        self,
        transfer,
        Failure,
        Part,
        Sink,
        Source, //
    },
    target::{
        Job,
        Outcome,
        Peer, //
    },
    ub::driver::TargetKind, //
};
use kernel::prelude::*;

/// How often an atomic operation tries again because others change the word.
const ATOMIC_TRIES: u32 = 1 << 16;

/// A device of this host as the target of work requests.
pub(crate) struct LocalPeer<'a> {
    dev: &'a Dev,
}

/// Calls an expression with the buffers of a list, as a source or sink. A single buffer, the usual
/// case, is spared the walk.
macro_rules! with_list {
    ($dev:expr, $owner:expr, $list:expr, |$buffers:ident| $body:expr) => {
        match $list.single() {
            Some(sge) => {
                let mut $buffers = $dev.local_part($owner, &sge)?;
                $body
            }
            None => {
                let mut $buffers = stream::open(&$dev, $owner, &$list)?;
                $body
            }
        }
    };
}

/// Calls an expression with the local data of a job as a source.
macro_rules! with_source {
    ($job:ident, |$src:ident| $body:expr) => {
        match $job.local {
            Local::None => {
                let mut $src: &[u8] = &[];
                $body
            }
            Local::Inline(mut $src) => $body,
            Local::Sges(list) => with_list!($job.sq.dev, $job.sq.owner, list, |$src| $body),
        }
    };
}

/// What a message carries to its receiver besides data.
#[derive(Clone, Copy)]
struct Message {
    opcode: CrOpcode,
    imm: u64,
}

impl<'a> LocalPeer<'a> {
    /// Makes a peer of a device.
    #[inline]
    pub(crate) fn new(dev: &'a Dev) -> Self {
        Self { dev }
    }

    /// Finds a part of a remote segment.
    #[inline]
    fn part(&self, remote: &Remote, op: RemoteOp, len: u32) -> Result<Part<'a>, CrStatus> {
        self.dev.remote_part(remote, op, len)
    }

    /// Copies between a source and a sink of which one is local and the other remote. Gives up
    /// when `leaves` says that the peer goes away.
    #[inline(always)]
    fn copy(
        &self,
        job: &Job<'_>,
        src: &mut impl Source,
        dst: &mut impl Sink,
        leaves: impl Fn() -> bool,
    ) -> Result<u32, CrStatus> {
        let len = job.request.len;
        let stop = || job.sq.is_stopped() || leaves();
        transfer(src, dst, len, stop).map_err(|failure| match failure {
            Failure::Source(status) | Failure::Sink(status) => status,
            Failure::Stopped => why_stopped(job),
        })?;
        Ok(len)
    }

    /// Writes the local data to remote memory.
    #[inline]
    fn write(&self, job: &Job<'_>, remote: &Remote) -> Result<u32, CrStatus> {
        let mut dst = self.part(remote, RemoteOp::Write, job.request.len)?;
        with_source!(job, |src| self.copy(job, &mut src, &mut dst, || false))
    }

    /// The same, and writes a word elsewhere afterwards.
    fn write_notify(
        &self,
        job: &Job<'_>,
        remote: &Remote,
        notify: &Remote,
        data: u64,
    ) -> Result<u32, CrStatus> {
        let mut word = self.part(notify, RemoteOp::Write, NOTIFY_LEN)?;
        let len = self.write(job, remote)?;
        let bytes = data.to_le_bytes();
        transfer(&mut bytes.as_slice(), &mut word, NOTIFY_LEN, || false)
            .map_err(|_| CrStatus::RemAccessAbort)?;
        Ok(len)
    }

    /// Reads remote memory into the local buffers.
    #[inline]
    fn read(&self, job: &Job<'_>, remote: &Remote) -> Result<u32, CrStatus> {
        let mut src = self.part(remote, RemoteOp::Read, job.request.len)?;
        match job.local {
            Local::Sges(list) => with_list!(job.sq.dev, job.sq.owner, list, |dst| {
                self.copy(job, &mut src, &mut dst, || false)
            }),
            _ => Err(CrStatus::LocOperation),
        }
    }

    /// Carries out an atomic operation, and puts the old value into the local buffer.
    fn atomic(
        &self,
        job: &Job<'_>,
        remote: &Remote,
        op: AtomicOp,
        size: AtomicSize,
    ) -> Result<u32, CrStatus> {
        let Local::Sges(list) = job.local else {
            return Err(CrStatus::LocOperation);
        };
        // The check of the entry let one buffer through.
        let sge = list.single().ok_or(CrStatus::LocOperation)?;
        let word = self.part(remote, RemoteOp::Atomic, size.bytes())?;
        let mut result = job.sq.dev.local_part(job.sq.owner, &sge)?;
        // A result that cannot be stored is found before the word changes.
        Sink::piece(&mut result)?;
        let old = word
            .word()?
            .atomic(op, size, ATOMIC_TRIES)
            .ok_or(CrStatus::RemOperation)?;
        let bytes = old.to_le_bytes();
        transfer(&mut bytes.as_slice(), &mut result, size.bytes(), || false)
            .map_err(|_| CrStatus::LocAccess)?;
        Ok(size.bytes())
    }

    /// Finds the receiver of a message and calls `f` with it; destroying it waits meanwhile.
    #[inline]
    fn with_receiver(
        &self,
        job: &Job<'_>,
        f: impl Fn(&Receiver<'_>) -> Result<Outcome, CrStatus>,
    ) -> Result<Outcome, CrStatus> {
        let target = job.target;
        match target.kind {
            TargetKind::Jetty => {
                let jetty = self
                    .dev
                    .jettys
                    .get(target.id)
                    .ok_or(CrStatus::RemOperation)?;
                let _use = jetty.users().try_enter().ok_or(CrStatus::RemOperation)?;
                if !jetty.accepts(job.sq) {
                    return Err(CrStatus::RemOperation);
                }
                Receiver::of_jetty(&jetty, job).and_then(|r| f(&r))
            }
            TargetKind::Jfr => {
                let jfr = self.dev.jfrs.get(target.id).ok_or(CrStatus::RemOperation)?;
                let _use = jfr.users().try_enter().ok_or(CrStatus::RemOperation)?;
                jfr.check(target.mode, target.token)?;
                f(&Receiver {
                    jetty: None,
                    jfr: &jfr,
                    jfc: jfr.jfc(),
                    users: jfr.users(),
                })
            }
            TargetKind::JettyGroup => self.with_member(job, &f),
        }
    }

    /// Finds a member of a group that receives, and calls `f` with it.
    ///
    /// Members that are in the error state are passed over; so are those without a receive buffer,
    /// where the group's policy lets any member have the message.
    #[cold]
    #[inline(never)]
    fn with_member(
        &self,
        job: &Job<'_>,
        f: &dyn Fn(&Receiver<'_>) -> Result<Outcome, CrStatus>,
    ) -> Result<Outcome, CrStatus> {
        let group = self.dev.groups.get(job.target.id);
        let group = group.ok_or(CrStatus::RemOperation)?;
        let mut result = Err(CrStatus::RemOperation);
        for id in group.candidates(job.request.target_hint).iter() {
            let Some(jetty) = self.dev.jettys.get(id) else {
                continue;
            };
            let Some(_use) = jetty.users().try_enter() else {
                continue;
            };
            if !jetty.accepts(job.sq) || !jfr::accepts(jetty.jfr()) {
                continue;
            }
            match Receiver::of_jetty(&jetty, job).and_then(|r| f(&r)) {
                Ok(Outcome::NotReady(delay)) if group.may_pass_over() => {
                    result = Ok(Outcome::NotReady(delay));
                }
                outcome => return outcome,
            }
        }
        result
    }

    /// Sends the local data to a receive buffer.
    #[inline]
    fn send(&self, job: &Job<'_>, message: Message) -> Result<Outcome, CrStatus> {
        self.with_receiver(job, |receiver| {
            with_source!(job, |src| {
                let mut buffer = Buffer::new();
                match receiver.take(job, &mut buffer)? {
                    Some(outcome) => Ok(outcome),
                    None => receiver.fill(self, job, &buffer, &mut src, message, || ()),
                }
            })
        })
    }

    /// The same, and invalidates a token of the receiver once the data is there; not if it does not
    /// arrive.
    fn send_invalidate(
        &self,
        job: &Job<'_>,
        token_id: u32,
        token: u32,
    ) -> Result<Outcome, CrStatus> {
        let message = Message {
            opcode: CrOpcode::SendInvalidate,
            imm: u64::from(token_id) | (u64::from(token) << 32),
        };
        self.with_receiver(job, |receiver| {
            let owner = receiver.jfr.owner();
            let segment = self.dev.to_invalidate(owner, token_id, token)?;
            with_source!(job, |src| {
                let mut buffer = Buffer::new();
                if let Some(outcome) = receiver.take(job, &mut buffer)? {
                    return Ok(outcome);
                }
                receiver.fill(self, job, &buffer, &mut src, message, || {
                    segment.invalidate()
                })
            })
        })
    }

    /// Writes the local data to remote memory and tells the receiver, which takes a buffer of it.
    ///
    /// The memory may be that of another context: its token says who may write it, as for a WRITE.
    fn write_imm(&self, job: &Job<'_>, remote: &Remote, imm: u64) -> Result<Outcome, CrStatus> {
        let message = Message {
            opcode: CrOpcode::WriteImm,
            imm,
        };
        self.with_receiver(job, |receiver| {
            let mut dst = self.part(remote, RemoteOp::Write, job.request.len)?;
            with_source!(job, |src| {
                let mut buffer = Buffer::new();
                if let Some(outcome) = receiver.take(job, &mut buffer)? {
                    return Ok(outcome);
                }
                let result = self.copy(job, &mut src, &mut dst, || receiver.leaves());
                let status = match result {
                    Ok(_) => CrStatus::Success,
                    Err(_) => CrStatus::RemOperation,
                };
                receiver.complete(job, &buffer, status, message);
                result.map(|len| Outcome::Done(CrStatus::Success, len))
            })
        })
    }

    /// Carries out a work request.
    #[inline(always)]
    fn attempt(&self, job: &Job<'_>) -> Result<Outcome, CrStatus> {
        let len = match &job.request.op {
            Op::Write { remote } => self.write(job, remote)?,
            Op::Read { remote } => self.read(job, remote)?,
            Op::Atomic { remote, op, size } => self.atomic(job, remote, *op, *size)?,
            Op::WriteNotify {
                remote,
                notify,
                data,
            } => self.write_notify(job, remote, notify, *data)?,
            Op::WriteImm { remote, imm } => return self.write_imm(job, remote, *imm),
            Op::Send => {
                return self.send(
                    job,
                    Message {
                        opcode: CrOpcode::Send,
                        imm: 0,
                    },
                )
            }
            Op::SendImm { imm } => {
                return self.send(
                    job,
                    Message {
                        opcode: CrOpcode::SendImm,
                        imm: *imm,
                    },
                )
            }
            Op::SendInvalidate { token_id, token } => {
                return self.send_invalidate(job, *token_id, *token)
            }
            Op::Nop => 0,
        };
        Ok(Outcome::Done(CrStatus::Success, len))
    }
}

impl Peer for LocalPeer<'_> {
    #[inline(always)]
    fn execute(&self, job: &Job<'_>) -> Outcome {
        match self.attempt(job) {
            Ok(outcome) => outcome,
            Err(status) => status.into(),
        }
    }
}

/// Who receives a message.
struct Receiver<'a> {
    /// The jetty that it is addressed to, if it is one.
    jetty: Option<&'a Jetty>,
    jfr: &'a Jfr,
    /// Where the completion goes.
    jfc: &'a Jfc,
    /// The count in which the message is.
    users: &'a UseCount,
}

/// Tells the sender of a copy that was stopped whose end it was: its own, or that of the peer.
#[cold]
fn why_stopped(job: &Job<'_>) -> CrStatus {
    if job.sq.is_stopped() {
        CrStatus::LocOperation
    } else {
        CrStatus::RemOperation
    }
}

impl<'a> Receiver<'a> {
    /// Checks that the sender of a job may send to a jetty, of which the caller has a count.
    ///
    /// # Errors
    ///
    /// `RemAccessAbort` for the wrong token, `RemOperation` for another service.
    #[inline]
    fn of_jetty(jetty: &'a Jetty, job: &Job<'_>) -> Result<Self, CrStatus> {
        jetty.jfr().check(job.target.mode, job.target.token)?;
        Ok(Self {
            jetty: Some(jetty),
            jfr: jetty.jfr(),
            jfc: jetty.recv_jfc(),
            users: jetty.users(),
        })
    }

    /// Tells whether the receiver is being destroyed, which waits for the message.
    #[inline]
    fn leaves(&self) -> bool {
        self.users.is_revoked()
    }

    /// Takes a receive buffer; if there is none, tells how the request ends or when it is tried
    /// again.
    #[inline]
    fn take(&self, job: &Job<'_>, buffer: &mut Buffer) -> Result<Option<Outcome>, CrStatus> {
        let is_below = |remaining| {
            self.jetty
                .is_some_and(|jetty| jetty.is_below_limit(remaining))
        };
        match jfr::take(self.jfr, job.sq.name, buffer, is_below) {
            Taken::Buffer(is_below) => {
                if let Some(jetty) = self.jetty.filter(|_| is_below) {
                    jetty::raise_limit(jetty);
                }
                Ok(None)
            }
            Taken::Empty(delay) => Ok(Some(Outcome::NotReady(delay))),
            Taken::Refused => Err(CrStatus::RemOperation),
        }
    }

    /// Puts the data of a message into a buffer, and completes it; between that calls `arrived`.
    #[inline]
    fn fill(
        &self,
        peer: &LocalPeer<'_>,
        job: &Job<'_>,
        buffer: &Buffer,
        src: &mut impl Source,
        message: Message,
        arrived: impl FnOnce(),
    ) -> Result<Outcome, CrStatus> {
        let len = job.request.len;
        // What the receiver gets to know, and the sender.
        let (here, there) = match self.place(peer, job, buffer, src) {
            Ok(()) => {
                arrived();
                (CrStatus::Success, CrStatus::Success)
            }
            Err(Failure::Sink(CrStatus::LocLen)) => (CrStatus::LocLen, CrStatus::RemRespLen),
            Err(Failure::Sink(status)) => (status, CrStatus::RemOperation),
            Err(Failure::Source(status)) => (CrStatus::RemOperation, status),
            Err(Failure::Stopped) => (CrStatus::RemOperation, why_stopped(job)),
        };
        self.complete(job, buffer, here, message);
        match there {
            CrStatus::Success => Ok(Outcome::Done(CrStatus::Success, len)),
            status => Err(status),
        }
    }

    /// Puts the data of a message into a buffer.
    #[inline]
    fn place(
        &self,
        peer: &LocalPeer<'_>,
        job: &Job<'_>,
        buffer: &Buffer,
        src: &mut impl Source,
    ) -> Result<(), Failure> {
        let list = buffer.list().map_err(Failure::Sink)?;
        let len = job.request.len;
        if len > list.total() {
            return Err(Failure::Sink(CrStatus::LocLen));
        }
        let mut dst = stream::open(peer.dev, self.jfr.owner(), &list).map_err(Failure::Sink)?;
        transfer(src, &mut dst, len, || job.sq.is_stopped() || self.leaves())
    }

    /// Completes a buffer.
    #[inline]
    fn complete(&self, job: &Job<'_>, buffer: &Buffer, status: CrStatus, message: Message) {
        let (user_data, local_id, flags) = match self.jetty {
            Some(jetty) => (jetty.user_obj(), jetty.id(), CR_FLAG_RECV | CR_FLAG_JETTY),
            None => (self.jfr.user_obj(), self.jfr.id(), CR_FLAG_RECV),
        };
        let cqe = Cqe {
            user_ctx: buffer.user_ctx(),
            user_data,
            imm: message.imm,
            remote_eid: job.sq.eid.into_bytes(),
            remote_id: job.sq.name.id,
            local_id,
            byte_len: if status == CrStatus::Success {
                job.request.len
            } else {
                0
            },
            tpn: job.target.tpn,
            status,
            opcode: message.opcode.raw(),
            flags,
        };
        jfc::complete(self.jfc, &cqe, job.request.flags.solicited());
    }
}
