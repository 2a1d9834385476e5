// SPDX-License-Identifier: GPL-2.0

//! Jetty groups: who may join, and who gets the messages.

use std::collections::BTreeSet;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};

use ub_client::abi::*;
use ub_client::sys;
use ub_client::{
    AsyncEvent, Batch, Context, Jetty, JettyConfig, JettyGroup, JettyGroupConfig, Jfc, Jfr,
    JfrConfig, RecvWr, Segment, SendWr, Target, TargetConfig,
};
use ub_tests::fixture::{Pair, PairConfig, Side, JETTY_TOKEN, SEG_TOKEN, SOON};
use ub_tests::own::Own;
use ub_tests::{check, check_eq, check_errno, tests, Failure, Outcome};

const POLICIES: [u32; 2] = [
    UBURMA_JETTY_GRP_POLICY_RR,
    UBURMA_JETTY_GRP_POLICY_HASH_HINT,
];

fn config(policy: u32) -> JettyGroupConfig {
    JettyGroupConfig {
        policy,
        ..JettyGroupConfig::with_token(JETTY_TOKEN)
    }
}

/// A jetty with a JFR of its own; both report to one JFC.
struct Member {
    jetty: Jetty,
    jfr: Jfr,
}

/// A context with a group and members.
struct Group {
    members: Vec<Member>,
    group: JettyGroup,
    done: Jfc,
    memory: Segment,
    ctx: Context,
}

impl Group {
    fn create(ctx: Context, policy: u32, count: usize) -> Result<Self, Failure> {
        let memory = Segment::alloc(&ctx, 64 << 10, SEG_TOKEN)?;
        let done = Jfc::create(&ctx, 1024)?;
        let mut group = JettyGroupConfig {
            cookie: 0x96,
            ..config(policy)
        };
        group.name[..5].copy_from_slice(b"group");
        let group = JettyGroup::create(&ctx, group)?;
        let mut this = Group {
            members: Vec::new(),
            group,
            done,
            memory,
            ctx,
        };
        for _ in 0..count {
            this.add()?;
        }
        Ok(this)
    }

    fn new_member(&self) -> Result<Member, Failure> {
        let jfr = JfrConfig {
            token: JETTY_TOKEN,
            min_rnr_timer: 1,
            ..JfrConfig::on(&self.done)
        };
        let jfr = Jfr::create(&self.ctx, jfr)?;
        let jetty = JettyConfig {
            group: self.group.handle(),
            ..JettyConfig::on(&self.done, &self.done, &jfr)
        };
        let jetty = Jetty::create(&self.ctx, jetty)?;
        Ok(Member { jetty, jfr })
    }

    fn add(&mut self) -> Outcome {
        let member = self.new_member()?;
        self.members.push(member);
        Ok(())
    }

    fn post(&mut self, member: usize, count: usize) -> Outcome {
        let list = [self.memory.sge(1024 * member, 64)];
        for _ in 0..count {
            self.members[member].jfr.post(&RecvWr::new(&list))?;
        }
        Ok(())
    }

    fn target(&self) -> TargetConfig {
        TargetConfig::group(self.ctx.eid(), self.group.id(), JETTY_TOKEN)
    }

    /// Waits for a message, and returns the place of the member that got it.
    fn receiver(&mut self) -> Result<usize, Failure> {
        let cqe = self.done.wait_polling(SOON)?;
        check_eq!(u32::from(cqe.status), UBURMA_CR_SUCCESS);
        let place = self
            .members
            .iter()
            .position(|member| member.jetty.id() == cqe.local_id);
        place.ok_or_else(|| Failure::Fail(format!("jetty {} got it", cqe.local_id)))
    }
}

/// A sender and a group.
fn sender_and_group(policy: u32, count: usize) -> Result<(Side, Target, Group), Failure> {
    let group = Group::create(Context::open_first()?, policy, count)?;
    let side = Side::create(PairConfig {
        rnr_retry: 7,
        ..Default::default()
    })?;
    let target = Target::jetty(&side.ctx, group.target())?;
    Ok((side, target, group))
}

/// Sends a message, which must arrive; returns who got it.
fn send(side: &mut Side, target: &Target, group: &mut Group, hint: u32) -> Result<usize, Failure> {
    let list = [side.memory.sge(0, 16)];
    let wr = SendWr::send(target.target_ref(), &list).hint(hint);
    let cqe = side.expect(&wr, UBURMA_CR_SUCCESS)?;
    check_eq!(cqe.remote_id, group.group.id());
    group.receiver()
}

fn announced() -> Outcome {
    let device = ub_client::Device::first()?;
    check!(device.number("max_jetty_grp")? > 0);
    check_eq!(device.number("max_jetty_in_jetty_grp")?, 32);
    check!(device.number("feature")? & u64::from(UBURMA_DEV_FEATURE_JETTY_GRP) != 0);
    Ok(())
}

fn create_and_destroy() -> Outcome {
    let ctx = Context::open_first()?;
    for policy in POLICIES {
        let mut group = JettyGroup::create(&ctx, config(policy))?;
        check!(group.id() != 0 && group.handle() != 0);
        check_eq!(group.destroy()?, 0);
        check_errno!(group.destroy(), EINVAL);
    }
    let wanted = JettyGroupConfig {
        id: 77,
        name: [b'x'; 64],
        ..config(0)
    };
    let group = JettyGroup::create(&ctx, wanted)?;
    check_eq!(group.id(), 77);
    check_errno!(JettyGroup::create(&ctx, wanted), EEXIST);
    drop(group);
    JettyGroup::create(&ctx, wanted)?;
    Ok(())
}

fn bad_groups() -> Outcome {
    let ctx = Context::open_first()?;
    for policy in [2, u32::MAX] {
        check_errno!(JettyGroup::create(&ctx, config(policy)), EINVAL);
    }
    for flag in [5, 7] {
        let bad = JettyGroupConfig { flag, ..config(0) };
        check_errno!(JettyGroup::create(&ctx, bad), EINVAL);
    }
    let id = u32::MAX;
    check_errno!(
        JettyGroup::create(&ctx, JettyGroupConfig { id, ..config(0) }),
        EINVAL
    );
    Ok(())
}

fn who_may_join() -> Outcome {
    let side = Side::create(Default::default())?;
    let group = JettyGroup::create(&side.ctx, config(0))?;
    let good = JettyConfig {
        group: group.handle(),
        ..JettyConfig::on(&side.sent, &side.received, &side.jfr)
    };
    let join = |config| Jetty::create(&side.ctx, config);
    join(good)?;
    // Another token than the group's, and than the JFR's.
    check_errno!(join(JettyConfig { token: 1, ..good }), EINVAL);
    let other = JettyGroupConfig {
        token: JETTY_TOKEN ^ 1,
        ..config(0)
    };
    let other = JettyGroup::create(&side.ctx, other)?;
    let into_other = JettyConfig {
        group: other.handle(),
        ..good
    };
    check_errno!(join(into_other), EINVAL);
    let token = JETTY_TOKEN ^ 1;
    check_errno!(
        join(JettyConfig {
            token,
            ..into_other
        }),
        EINVAL
    );
    // Another policy of the token than the JFR's.
    let open = JettyGroupConfig {
        flag: 0,
        ..config(0)
    };
    let open = JettyGroup::create(&side.ctx, open)?;
    check_errno!(
        join(JettyConfig {
            group: open.handle(),
            ..good
        }),
        EINVAL
    );
    // What is no group.
    for handle in [side.jfr.handle(), side.jetty.handle(), 1 << 31, u64::MAX] {
        check_errno!(
            join(JettyConfig {
                group: handle,
                ..good
            }),
            EINVAL
        );
    }
    // Nothing was left in a group.
    for group in [other, open] {
        let mut group = group;
        group.destroy()?;
    }
    Ok(())
}

fn other_services_have_no_groups() -> Outcome {
    for mode in [UBURMA_TM_RC, UBURMA_TM_UM] {
        let side = Side::create(PairConfig {
            mode,
            ..Default::default()
        })?;
        let group = JettyGroup::create(&side.ctx, config(0))?;
        let mut jetty = JettyConfig {
            group: group.handle(),
            ..JettyConfig::on(&side.sent, &side.received, &side.jfr)
        };
        jetty.send.mode = mode;
        check_errno!(Jetty::create(&side.ctx, jetty), EINVAL);
        let target = TargetConfig::group(side.ctx.eid(), group.id(), JETTY_TOKEN);
        check_errno!(Target::jetty(&side.ctx, target.mode(mode)), EINVAL);
    }
    let side = Side::create(Default::default())?;
    let target = TargetConfig::group(side.ctx.eid(), 1, JETTY_TOKEN);
    for group_policy in [2, u32::MAX] {
        let target = TargetConfig {
            group_policy,
            ..target
        };
        check_errno!(Target::jetty(&side.ctx, target), EINVAL);
    }
    Ok(())
}

fn group_of_another_file() -> Outcome {
    let side = Side::create(Default::default())?;
    let other = Side::create(Default::default())?;
    // Groups until the handle means nothing in the first file.
    let mut groups = Vec::new();
    let foreign = loop {
        let group = JettyGroup::create(&other.ctx, config(0))?;
        if group.handle() > side.jetty.handle() {
            break group;
        }
        groups.push(group);
    };
    let jetty = JettyConfig {
        group: foreign.handle(),
        ..JettyConfig::on(&side.sent, &side.received, &side.jfr)
    };
    check_errno!(Jetty::create(&side.ctx, jetty), EINVAL);
    Ok(())
}

fn full_at_32() -> Outcome {
    let mut group = Group::create(Context::open_first()?, 0, 32)?;
    let full = match group.new_member() {
        Err(Failure::Fail(why)) => why,
        _ => return Err(Failure::Fail("33 members".to_string())),
    };
    check!(
        full.contains("EPERM") || full.contains("ermitted"),
        "{full}"
    );
    // A place that becomes free is used again.
    for _ in 0..3 {
        group.members.remove(5);
        group.add()?;
    }
    check!(group.new_member().is_err());
    Ok(())
}

fn busy_while_it_has_members() -> Outcome {
    let mut group = Group::create(Context::open_first()?, 0, 2)?;
    check_errno!(group.group.destroy(), EBUSY);
    group.members.pop();
    check_errno!(group.group.destroy(), EBUSY);
    let last: Vec<u64> = group.members.iter().map(|m| m.jetty.handle()).collect();
    let (_, result) = Batch::Jetty.destroy(&group.ctx, &last);
    result?;
    check_eq!(group.group.destroy()?, 0);
    Ok(())
}

fn in_turn() -> Outcome {
    let (mut side, target, mut group) = sender_and_group(UBURMA_JETTY_GRP_POLICY_RR, 3)?;
    for member in 0..3 {
        group.post(member, 8)?;
    }
    let first = send(&mut side, &target, &mut group, 0)?;
    for i in 1..9 {
        check_eq!(send(&mut side, &target, &mut group, 0)?, (first + i) % 3);
    }
    Ok(())
}

fn in_turn_past_empty_members() -> Outcome {
    let (mut side, target, mut group) = sender_and_group(UBURMA_JETTY_GRP_POLICY_RR, 4)?;
    group.post(2, 6)?;
    for _ in 0..6 {
        check_eq!(send(&mut side, &target, &mut group, 0)?, 2);
    }
    // Nobody has a buffer: the message waits until somebody does.
    let list = [side.memory.sge(0, 16)];
    let wr = SendWr::send(target.target_ref(), &list);
    side.jetty.queue().send(&wr)?;
    std::thread::sleep(std::time::Duration::from_millis(5));
    check!(side.sent.poll().is_none());
    group.post(0, 1)?;
    group.members[0].jfr.kick()?;
    check_eq!(u32::from(side.wait_sent()?.status), UBURMA_CR_SUCCESS);
    check_eq!(group.receiver()?, 0);
    Ok(())
}

fn by_hint() -> Outcome {
    let (mut side, target, mut group) = sender_and_group(UBURMA_JETTY_GRP_POLICY_HASH_HINT, 4)?;
    for member in 0..4 {
        group.post(member, 40)?;
    }
    let mut seen = BTreeSet::new();
    for hint in 0..24 {
        let member = send(&mut side, &target, &mut group, hint)?;
        check_eq!(send(&mut side, &target, &mut group, hint)?, member);
        seen.insert(member);
    }
    check_eq!(seen.len(), 4, "members that were chosen");
    Ok(())
}

fn all_kinds_of_messages() -> Outcome {
    let (mut side, target, mut group) = sender_and_group(UBURMA_JETTY_GRP_POLICY_RR, 2)?;
    for member in 0..2 {
        group.post(member, 4)?;
    }
    let list = [side.memory.sge(0, 16)];
    let to = target.target_ref();
    let remote = group.memory.remote(8192);
    for wr in [
        SendWr::send_imm(to, &list, 5),
        SendWr::write_imm(to, remote, &list, 6),
        SendWr::write(to, remote, &list),
        SendWr::read(to, remote, &list),
        SendWr::send(to, &[]).inline(b"inline"),
    ] {
        side.expect(&wr, UBURMA_CR_SUCCESS)?;
    }
    let mut members = [group.receiver()?, group.receiver()?, group.receiver()?];
    members.sort_unstable();
    check!(members == [0, 0, 1] || members == [0, 1, 1], "{members:?}");
    Ok(())
}

fn failed_members_get_nothing() -> Outcome {
    for policy in POLICIES {
        let (mut side, target, mut group) = sender_and_group(policy, 3)?;
        for member in 0..3 {
            group.post(member, 20)?;
        }
        group.members[1].jetty.set_state(UBURMA_JETTY_STATE_ERROR)?;
        // It says that nothing is left to flush.
        while group.done.poll().is_some() {}
        for hint in 0..12 {
            check!(send(&mut side, &target, &mut group, hint)? != 1);
        }
        group.members[0].jfr.set_state(UBURMA_JFR_STATE_ERROR)?;
        while group.done.poll().is_some() {}
        for hint in 0..6 {
            check_eq!(send(&mut side, &target, &mut group, hint)?, 2);
        }
    }
    Ok(())
}

fn errors_of_the_sender() -> Outcome {
    // A wrong token, a group that is empty, one that is not there.
    let group = Group::create(Context::open_first()?, 0, 1)?;
    let cases = [
        (
            TargetConfig::group(group.ctx.eid(), group.group.id(), JETTY_TOKEN ^ 4),
            UBURMA_CR_REM_ACCESS_ABORT_ERR,
        ),
        (
            TargetConfig::group(group.ctx.eid(), group.group.id() + 1000, JETTY_TOKEN),
            UBURMA_CR_REM_OPERATION_ERR,
        ),
        // The number of a member is none of a group.
        (
            TargetConfig::group(group.ctx.eid(), group.members[0].jetty.id(), JETTY_TOKEN),
            UBURMA_CR_REM_OPERATION_ERR,
        ),
    ];
    for (i, (config, status)) in cases.into_iter().enumerate() {
        if i == 2 && group.members[0].jetty.id() == group.group.id() {
            continue;
        }
        let mut side = Side::create(Default::default())?;
        let target = Target::jetty(&side.ctx, config)?;
        let list = [side.memory.sge(0, 16)];
        side.expect(&SendWr::send(target.target_ref(), &list), status)?;
    }
    let (mut side, target, mut group) = sender_and_group(0, 1)?;
    group.members.clear();
    let list = [side.memory.sge(0, 16)];
    let wr = SendWr::send(target.target_ref(), &list);
    side.expect(&wr, UBURMA_CR_REM_OPERATION_ERR)?;
    Ok(())
}

/// The last member that fails takes the group with it: one event, which is counted.
fn event_of_a_failed_group() -> Outcome {
    let mut group = Group::create(Context::open_first()?, 0, 2)?;
    let fail = |member: &mut Member| -> Outcome {
        member.jetty.queue().ring().ring().set_user_idx(0x4000_0000);
        let _ = member.jetty.queue().kick();
        Ok(())
    };
    let kinds = |ctx: &Context| -> Result<Vec<AsyncEvent>, Failure> {
        let mut seen = Vec::new();
        while let Some(event) = ctx.events().get_within(200)? {
            seen.push(event);
        }
        Ok(seen)
    };
    fail(&mut group.members[0])?;
    let seen = kinds(&group.ctx)?;
    check_eq!(seen.len(), 1);
    check_eq!(seen[0].kind, UBURMA_EVENT_JETTY_ERR);
    fail(&mut group.members[1])?;
    let seen = kinds(&group.ctx)?;
    check_eq!(seen.len(), 2);
    let due = AsyncEvent {
        kind: UBURMA_EVENT_JETTY_GRP_ERR,
        data: 0x96,
    };
    check!(seen.contains(&due), "{seen:?}");
    group.members.clear();
    check_eq!(group.group.destroy()?, 1);
    Ok(())
}

/// Members come and go while messages come: each message is delivered, or the sender is told.
fn members_come_and_go_under_traffic() -> Outcome {
    for policy in POLICIES {
        let (mut side, target, mut group) = sender_and_group(policy, 4)?;
        for member in 0..4 {
            group.post(member, 60)?;
        }
        let stop = AtomicBool::new(false);
        let result = std::thread::scope(|scope| -> Outcome {
            let sender = scope.spawn(|| -> Outcome {
                let list = [side.memory.sge(0, 16)];
                let mut hint = 0u32;
                while !stop.load(Ordering::Relaxed) {
                    hint = hint.wrapping_add(1);
                    let wr = SendWr::send(target.target_ref(), &list).hint(hint);
                    side.expect(&wr, UBURMA_CR_SUCCESS)?;
                }
                Ok(())
            });
            for round in 0..16 {
                let mut work = || -> Outcome {
                    group.members.remove(round % 4);
                    group.add()?;
                    group.post(3, 60)?;
                    while group.done.poll().is_some() {}
                    for member in 0..3 {
                        group.post(member, 2).ok();
                    }
                    Ok(())
                };
                let done = work();
                if done.is_err() {
                    stop.store(true, Ordering::Relaxed);
                    return done;
                }
            }
            stop.store(true, Ordering::Relaxed);
            // What waits for a buffer goes on.
            for member in 0..4 {
                group.post(member, 1).ok();
                group.members[member].jfr.kick()?;
            }
            sender
                .join()
                .map_err(|_| Failure::Fail("the sender died".to_string()))?
        });
        result?;
    }
    Ok(())
}

/// All members and the group go while somebody sends.
fn groups_end_under_traffic() -> Outcome {
    for _ in 0..10 {
        let (mut side, target, mut group) = sender_and_group(0, 3)?;
        for member in 0..3 {
            group.post(member, 50)?;
        }
        std::thread::scope(|scope| -> Outcome {
            let sender = scope.spawn(|| -> Outcome {
                let list = [side.memory.sge(0, 16)];
                loop {
                    let wr = SendWr::send(target.target_ref(), &list);
                    let cqe = side.execute(&wr)?;
                    match u32::from(cqe.status) {
                        UBURMA_CR_SUCCESS => (),
                        UBURMA_CR_REM_OPERATION_ERR => return Ok(()),
                        other => return Err(Failure::Fail(format!("status {other}"))),
                    }
                }
            });
            let handles: Vec<u64> = group.members.iter().map(|m| m.jetty.handle()).collect();
            let (_, result) = Batch::Jetty.destroy(&group.ctx, &handles);
            result?;
            group.group.destroy()?;
            sender
                .join()
                .map_err(|_| Failure::Fail("the sender died".to_string()))?
        })?;
        for member in group.members.drain(..) {
            member.jetty.leak();
        }
    }
    Ok(())
}

/// A process with a group dies; one that sends to it finds out.
fn death_of_the_owner() -> Outcome {
    let (here, there) = sys::message_pair()?;
    let pid = match sys::fork()? {
        sys::Fork::Parent(pid) => pid,
        sys::Fork::Child => {
            sys::die_with_parent();
            let work = || -> Result<(), Failure> {
                use std::os::fd::AsRawFd;
                let mut group = Group::create(Context::open_first()?, 0, 3)?;
                for member in 0..3 {
                    group.post(member, 60)?;
                }
                sys::send_message(there.as_raw_fd(), &group.group.id().to_ne_bytes())?;
                loop {
                    std::thread::sleep(SOON);
                }
            };
            let _ = work();
            sys::exit_now(1)
        }
    };
    use std::os::fd::AsRawFd;
    let bytes = sys::receive_message(here.as_raw_fd(), 16, 10_000)?;
    let id = sys::from_bytes::<u32>(&bytes);
    let mut side = Side::create(Default::default())?;
    let target = Target::jetty(
        &side.ctx,
        TargetConfig::group(side.ctx.eid(), id, JETTY_TOKEN),
    )?;
    let list = [side.memory.sge(0, 16)];
    side.expect(&SendWr::send(target.target_ref(), &list), UBURMA_CR_SUCCESS)?;
    sys::kill(pid, libc::SIGKILL)?;
    sys::wait_for(pid)?;
    let wr = SendWr::send(target.target_ref(), &list);
    side.expect(&wr, UBURMA_CR_REM_OPERATION_ERR)?;
    Ok(())
}

fn removal_of_the_device() -> Outcome {
    if sys::effective_uid() != 0 {
        ub_tests::skip!("needs root");
    }
    let mut own = Own::create("ubtest0")?;
    let mut group = Group::create(Context::open(&own.device)?, 0, 3)?;
    let mut side = Side::create(Default::default())?;
    let target = Target::jetty(&side.ctx, group.target())?;
    group.post(0, 1)?;
    send(&mut side, &target, &mut group, 0)?;
    own.remove()?;
    let list = [side.memory.sge(0, 16)];
    let wr = SendWr::send(target.target_ref(), &list);
    side.expect(&wr, UBURMA_CR_ACK_TIMEOUT_ERR)?;
    check_errno!(JettyGroup::create(&group.ctx, config(0)), EIO);
    group.members.clear();
    check_eq!(group.group.destroy()?, 0);
    Ok(())
}

fn an_ordinary_pair_still_works() -> Outcome {
    let mut pair = Pair::create()?;
    pair.b.post_recv(0, 64, 1)?;
    let list = [pair.a.memory.sge(0, 8)];
    let wr = SendWr::send(pair.to_b(), &list).hint(3);
    pair.a.expect(&wr, UBURMA_CR_SUCCESS)?;
    Ok(())
}

pub fn main() -> ExitCode {
    ub_tests::run(
        "t-group",
        tests![
            announced,
            create_and_destroy,
            bad_groups,
            who_may_join,
            other_services_have_no_groups,
            group_of_another_file,
            full_at_32,
            busy_while_it_has_members,
            in_turn,
            in_turn_past_empty_members,
            by_hint,
            all_kinds_of_messages,
            failed_members_get_nothing,
            errors_of_the_sender,
            event_of_a_failed_group,
            members_come_and_go_under_traffic,
            groups_end_under_traffic,
            death_of_the_owner,
            removal_of_the_device,
            an_ordinary_pair_still_works,
        ],
    )
}
