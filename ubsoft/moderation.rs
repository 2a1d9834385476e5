// SPDX-License-Identifier: GPL-2.0

//! Moderated completion queues: the timer that ends the wait for an event.
//!
//! The timer's callback runs with interrupts off. There it could neither take the lock of a user's
//! queue, which others hold with interrupts on, nor call a kernel client, whose handler may ask for
//! the next event and so stop the timer: that waits for the callback. So all it does is to queue a
//! work, on a queue of its own: events do not wait for data. A delayed work would do for the rest,
//! but counts in ticks, and periods are in microseconds.

use crate::{
    counters::{
        Count,
        Kind as CountKind, //
    },
    device::Dev,
    jfc,
    kernel_ext::arc::Arc,
    logic::moderation::{
        Moderation,
        Verdict, //
    }, //
};
use kernel::{
    impl_has_hr_timer,
    impl_has_work,
    new_work,
    prelude::*,
    sync,
    time::{
        hrtimer::{
            ArcHrTimerHandle,
            HrTimer,
            HrTimerCallback,
            HrTimerCallbackContext,
            HrTimerPointer,
            HrTimerRestart,
            RelativeMode, //
        },
        Delta,
        Instant,
        Monotonic, //
    },
    workqueue::{
        Work,
        WorkItem, //
    }, //
};

/// What wakes a queue whose event is due: it knows the queue by its number, and the queue knows it.
#[pin_data]
pub(crate) struct Alarm {
    dev: Arc<Dev>,
    /// Number of the queue, which may be gone, or another one's.
    id: u32,
    #[pin]
    timer: HrTimer<Alarm>,
    #[pin]
    work: Work<Alarm>,
    _count: Count,
}

/// A counted pointer to an alarm: of the kernel crate, since timers have no others.
type AlarmArc = sync::Arc<Alarm>;

impl_has_work! {
    impl HasWork<Self> for Alarm { self.work }
}

impl_has_hr_timer! {
    impl HasHrTimer<Self> for Alarm {
        mode: RelativeMode<Monotonic>,
        field: self.timer
    }
}

impl HrTimerCallback for Alarm {
    type Pointer<'a> = AlarmArc;

    fn run(this: sync::ArcBorrow<'_, Self>, _: HrTimerCallbackContext<'_, Self>) -> HrTimerRestart {
        let host = &this.dev.host;
        host.work_queued();
        if host.events.enqueue(AlarmArc::from(this)).is_err() {
            // It is queued already.
            host.work_done();
        }
        HrTimerRestart::NoRestart
    }
}

impl WorkItem for Alarm {
    type Pointer = AlarmArc;

    fn run(this: AlarmArc) {
        this.dev.host.work_done();
        if let Some(jfc) = this.dev.jfcs.get(this.id) {
            jfc::expired(&jfc, &this);
        }
    }
}

/// Moderation of a queue. Its owner holds it under the lock of the queue, but drops it without.
pub(crate) struct Moderated {
    rule: Moderation,
    /// The first solicited completion is asked for too, and that is not put off.
    solicited_too: bool,
    /// Where time begins.
    epoch: Instant<Monotonic>,
    alarm: AlarmArc,
    /// The timer, unless it is not needed; dropping it stops it, and waits for the callback.
    timer: Option<ArcHrTimerHandle<Alarm>>,
}

impl Moderated {
    /// Makes it, switched off, for the queue with the number `id` and this many entries.
    ///
    /// # Errors
    ///
    /// `ENOMEM`.
    pub(crate) fn new(dev: &Arc<Dev>, id: u32, entries: u32) -> Result<KBox<Self>> {
        let alarm = AlarmArc::pin_init(
            pin_init!(Alarm {
                dev: dev.clone(),
                id,
                timer <- HrTimer::new(),
                work <- new_work!("Alarm::work"),
                _count: Count::one(&dev.host.counters, CountKind::Alarms),
            }),
            GFP_KERNEL_ACCOUNT,
        )?;
        Ok(KBox::new(
            Self {
                rule: Moderation::new(entries),
                solicited_too: false,
                epoch: Instant::now(),
                alarm,
                timer: None,
            },
            GFP_KERNEL_ACCOUNT,
        )?)
    }

    /// Tells whether events are put off at all.
    pub(crate) fn is_on(&self) -> bool {
        self.rule.is_on()
    }

    /// Tells whether nothing is set, as at first.
    pub(crate) fn is_unset(&self) -> bool {
        self.rule.is_unset()
    }

    /// Tells whether this is what `alarm` is for.
    pub(crate) fn is_of(&self, alarm: &Alarm) -> bool {
        core::ptr::eq(&*self.alarm, alarm)
    }

    /// Sets the count, the period in microseconds, or both; 0 means none.
    pub(crate) fn set(&mut self, count: Option<u16>, period: Option<u16>) {
        self.rule.set(count, period);
    }

    /// Notes that the first solicited completion is asked for too.
    pub(crate) fn want_solicited_too(&mut self) {
        self.solicited_too = true;
    }

    /// No event is asked for any more.
    pub(crate) fn rest(&mut self) {
        self.rule.rest();
        self.solicited_too = false;
        self.timer = None;
    }

    /// An event is asked for, by one who does not know of `unread` completions. As those below, this
    /// returns whether it is due now, and the rest is done.
    pub(crate) fn armed(&mut self, unread: u32) -> bool {
        let epoch = self.epoch;
        let verdict = self.rule.armed(unread, || since(epoch));
        self.heed(verdict)
    }

    /// There is one more completion; `unread` with it.
    pub(crate) fn completed(&mut self, unread: u32, solicited: bool, failed: bool) -> bool {
        if failed || (solicited && self.solicited_too) {
            self.rest();
            return true;
        }
        let epoch = self.epoch;
        let verdict = self.rule.completed(unread, || since(epoch));
        self.heed(verdict)
    }

    /// The timer has expired.
    pub(crate) fn expired(&mut self, unread: u32) -> bool {
        let verdict = self.rule.expired(unread, since(self.epoch));
        self.heed(verdict)
    }

    /// Count or period have changed while an event is asked for.
    pub(crate) fn changed(&mut self, unread: u32) -> bool {
        let epoch = self.epoch;
        let verdict = self.rule.changed(unread, || since(epoch));
        self.heed(verdict)
    }

    /// Does to the timer what a verdict says.
    fn heed(&mut self, verdict: Verdict) -> bool {
        match verdict {
            Verdict::Event => {
                self.rest();
                return true;
            }
            Verdict::Keep => {}
            Verdict::Start(nanos) => {
                // First, as there is one timer only: dropping the old handle would stop the new one.
                self.timer = None;
                self.timer = Some(self.alarm.clone().start(Delta::from_nanos(nanos)));
            }
            Verdict::Stop => self.timer = None,
        }
        false
    }
}

/// Returns the time since a moment, in nanoseconds.
fn since(epoch: Instant<Monotonic>) -> i64 {
    epoch.elapsed().as_nanos()
}
