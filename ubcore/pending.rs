// SPDX-License-Identifier: GPL-2.0

//! Requests that go on after the call that made them: imports, bindings, and their ends.
//!
//! The objects of a request are claimed until it is done, so everything else that would change them
//! is refused meanwhile. Requests are carried out by a workqueue, which removal of a device and the
//! end of a client wait for. A request that has not begun fails when its device goes away, or when
//! its time is over; an import or a binding that is over time when it is made is undone.

use crate::{
    bind::{
        self,
        Claim, //
    },
    bindings_ub::ubcore_tjetty_cfg,
    c_api::{
        core_state,
        kinds::{
            ImportedJetty,
            Jetty, //
        },
        Behalf,
        BindDone,
        Done,
        ImportDone,
        Obj,
        ObjPtr,
        Owned,
        User, //
    },
    counters::Class,
    device::Device,
    import::{
        self,
        Target, //
    },
    kernel_ext::workqueue::WorkQueue, //
};
use core::mem::MaybeUninit;
use kernel::{
    impl_has_work,
    new_work,
    prelude::*,
    sync::aref::ARef,
    time::{
        Delta,
        Instant,
        Monotonic, //
    },
    workqueue::{
        Work,
        WorkItem, //
    }, //
};

/// How many requests are carried out at a time.
const MAX_ACTIVE: u32 = 16;

/// The time that a request has if its caller does not say, in milliseconds.
const DEFAULT_TIMEOUT: i32 = 30_000;

/// What carries requests out.
pub(crate) struct Requests(WorkQueue);

impl Requests {
    /// Makes the queue.
    pub(crate) fn new() -> Result<Self> {
        WorkQueue::unbound(c"ubcore_request", MAX_ACTIVE).map(Self)
    }

    /// Waits for all requests that were made before, and for the return of their callbacks.
    pub(crate) fn flush(&self) {
        self.0.flush();
    }
}

/// When a request has to be done.
#[derive(Clone, Copy)]
pub(crate) struct Deadline {
    begun: Instant<Monotonic>,
    /// How long it may take.
    limit: Delta,
}

impl Deadline {
    /// Interprets milliseconds, where 0 stands for the core's own limit.
    ///
    /// # Errors
    ///
    /// `EINVAL` for a negative number.
    pub(crate) fn new(millis: i32) -> Result<Self> {
        let millis = match millis {
            ..0 => return Err(EINVAL),
            0 => DEFAULT_TIMEOUT,
            _ => millis,
        };
        Ok(Self {
            begun: Instant::now(),
            limit: Delta::from_millis(millis.into()),
        })
    }

    /// Tells whether the time is over.
    fn is_over(&self) -> bool {
        self.begun.elapsed() > self.limit
    }

    /// Checks that something may be begun on a device: `EIO` and `ETIMEDOUT` say no.
    fn check(&self, dev: &Device) -> Result {
        dev.check_creating()?;
        if self.is_over() {
            return Err(ETIMEDOUT);
        }
        Ok(())
    }
}

/// What is to be done.
enum Task {
    /// Sets the path of a claimed import up, if it is to have one; then it is told of.
    Import(ObjPtr<ImportedJetty>, Option<Target>, ImportDone),
    /// Drops a claimed import.
    Unimport(Owned<ImportedJetty>, Done),
    /// Binds a claimed jetty to a held import, for a user.
    Bind(ObjPtr<Jetty>, ObjPtr<ImportedJetty>, Behalf, BindDone),
    /// Ends the binding of a claimed jetty.
    Unbind(ObjPtr<Jetty>, Done),
}

/// A request under way.
#[pin_data]
struct Request {
    #[pin]
    work: Work<Request>,
    dev: ARef<Device>,
    deadline: Deadline,
    /// Taken by the work.
    task: Option<Task>,
}

impl_has_work! {
    impl HasWork<Self> for Request { self.work }
}

impl WorkItem for Request {
    type Pointer = Pin<KBox<Self>>;

    fn run(mut this: Pin<KBox<Self>>) {
        let this = this.as_mut().project();
        if let Some(task) = this.task.take() {
            execute(this.dev, this.deadline, task);
        }
        if let Ok(core) = core_state() {
            core.counters().down(Class::Request);
        }
    }
}

/// Memory for a request, got before anything is done.
struct Room(KBox<MaybeUninit<Request>>);

impl Room {
    /// Gets it.
    fn new() -> Result<Self> {
        // Nothing may be made while the module has no state.
        core_state()?;
        Ok(Self(KBox::new_uninit(GFP_KERNEL)?))
    }

    /// Begins a request; cannot fail.
    fn submit(self, dev: &Device, deadline: Deadline, task: Task) {
        let init = pin_init!(Request {
            work <- new_work!("ubcore request"),
            dev: dev.into(),
            deadline,
            task: Some(task),
        });
        let Ok(request) = self.0.write_pin_init(init);
        if let Ok(core) = core_state() {
            core.counters().up(Class::Request);
            core.requests().0.enqueue(request);
        }
    }
}

/// Sets the path of an import up.
fn connect(
    dev: &Device,
    deadline: &Deadline,
    import: &Obj<ImportedJetty>,
    target: &Target,
) -> Result {
    deadline.check(dev)?;
    let connection = target.connect_import(dev)?;
    // Dropped with the path in it if it came too late.
    deadline.check(dev)?;
    import::connect(dev, import, connection)
}

/// Binds a claimed jetty; returns whether the jetty uses the import from now on.
fn bind(
    dev: &Device,
    deadline: &Deadline,
    jetty: &Obj<Jetty>,
    import: &Obj<ImportedJetty>,
    behalf: &Behalf,
) -> Result<bool> {
    deadline.check(dev)?;
    let new = behalf.with(|user| bind::bind_held(dev, jetty, import, None, user))?;
    // What the driver does not undo stays.
    if new && deadline.is_over() && bind::unbind_claimed(dev, jetty).is_ok() {
        return Err(ETIMEDOUT);
    }
    Ok(new)
}

/// Does what is to be done, and tells whoever asked.
fn execute(dev: &Device, deadline: &Deadline, task: Task) {
    match task {
        Task::Import(import, target, done) => {
            let result = target.map_or(Ok(()), |target| connect(dev, deadline, &import, &target));
            import.uses().unclaim();
            done.call(&import, result);
        }
        Task::Unimport(import, done) => done.call(import::unimport_claimed(import)),
        Task::Bind(jetty, import, behalf, done) => {
            let claim = Claim::of(&jetty);
            let result = bind(dev, deadline, &jetty, &import, &behalf);
            bind::note(&jetty, &import, &result);
            drop(claim);
            done.call(&jetty, &import, result.map(|_| ()));
        }
        Task::Unbind(jetty, done) => {
            let claim = Claim::of(&jetty);
            let result = bind::unbind_claimed(dev, &jetty);
            if let Ok(import) = &result {
                bind::end(&jetty, import);
            }
            drop(claim);
            done.call(result.map(|_| ()));
        }
    }
}

/// Begins to import a jetty; see `ubcore_import_jetty_async()`.
///
/// # Errors
///
/// As for a plain import, `EINVAL` for a negative time; then `done` is not called.
pub(crate) fn import(
    dev: &Device,
    cfg: ubcore_tjetty_cfg,
    timeout: i32,
    done: ImportDone,
    user: User<'_>,
) -> Result<Owned<ImportedJetty>> {
    let deadline = Deadline::new(timeout)?;
    let room = Room::new()?;
    let (import, target) = import::begin(dev, cfg, user)?;
    // It is new: nobody else has it.
    import.uses().claim_idle()?;
    let pointer = ObjPtr::new(&*import);
    room.submit(dev, deadline, Task::Import(pointer, target, done));
    Ok(import)
}

/// Begins to drop an import.
///
/// # Errors
///
/// `EBUSY` while a jetty is bound to it, or another request is under way; `EINVAL` for a negative
/// time, `ENOMEM`; then `done` is not called and nothing has changed.
pub(crate) fn unimport(import: Owned<ImportedJetty>, timeout: i32, done: Done) -> Result {
    let deadline = Deadline::new(timeout)?;
    let dev = ARef::from(import.device()?);
    let room = Room::new()?;
    import.uses().claim_idle()?;
    room.submit(&dev, deadline, Task::Unimport(import, done));
    Ok(())
}

/// Begins to bind a jetty to an import.
///
/// # Errors
///
/// `EINVAL` unless both are of the same user and device, and for a negative time; `EBUSY` while one
/// of them is being changed; `EIO` once removal has begun, `ENOMEM`. Then `done` is not called.
pub(crate) fn bind_jetty(
    jetty: &Obj<Jetty>,
    import: &Obj<ImportedJetty>,
    timeout: i32,
    done: BindDone,
    user: User<'_>,
) -> Result {
    let deadline = Deadline::new(timeout)?;
    let room = Room::new()?;
    let (dev, claim) = bind::claim_pair(jetty, import, user)?;
    claim.hand_over();
    let behalf = Behalf::of(jetty);
    let task = Task::Bind(ObjPtr::new(jetty), ObjPtr::new(import), behalf, done);
    room.submit(dev, deadline, task);
    Ok(())
}

/// Begins to end the binding of a jetty.
///
/// # Errors
///
/// `EINVAL` for a jetty that is not bound, and for a negative time; `EBUSY` while another call
/// changes it; `ENOMEM`. Then `done` is not called.
pub(crate) fn unbind_jetty(jetty: &Obj<Jetty>, timeout: i32, done: Done) -> Result {
    let deadline = Deadline::new(timeout)?;
    let dev = jetty.device()?;
    let room = Room::new()?;
    let claim = Claim::new(jetty)?;
    if !bind::is_bound(jetty) {
        return Err(EINVAL);
    }
    claim.hand_over();
    room.submit(dev, deadline, Task::Unbind(ObjPtr::new(jetty), done));
    Ok(())
}
