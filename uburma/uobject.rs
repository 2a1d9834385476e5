// SPDX-License-Identifier: GPL-2.0

//! What user space names by handles.

use crate::{
    binding::Binding,
    event::{
        notifier::Request,
        sink::{
            Reported,
            Sink, //
        }, //
    },
    kernel_ext::{
        arc::Arc,
        spin::HotSpinLock, //
    },
    logic::use_count::{
        Counted,
        Reference,
        UseCount, //
    },
    stats::{
        Item,
        Stats,
        Tally, //
    },
    ub::client::{
        ImportedSegment,
        Jetty,
        JettyGroup,
        Jfc,
        Jfr,
        Jfs,
        Segment,
        TargetJetty,
        TargetJfr,
        TokenId, //
    }, //
};
use kernel::{
    new_mutex,
    prelude::*,
    sync::Mutex, //
};

/// An object of the driver, by class.
#[allow(missing_docs)]
pub(crate) enum Payload {
    TokenId(TokenId),
    Segment(Segment),
    ImportedSegment(ImportedSegment),
    Jfs(Jfs),
    Jfr(Jfr),
    Jfc(Jfc),
    Jetty(Jetty),
    JettyGroup(JettyGroup),
    TargetJfr(TargetJfr),
    TargetJetty(TargetJetty),
}

/// A class of objects, by the type of the driver's object.
pub(crate) trait Class: Sized + 'static {
    /// Returns the driver's object, if it is of this class.
    fn of(payload: &Payload) -> Option<&Self>;

    /// Makes a payload.
    fn into_payload(self) -> Payload;
}

/// Implements [`Class`], and what is the same for all classes.
macro_rules! classes {
    ($($class:ident: level $level:literal),* $(,)?) => {
        $(
            impl Class for $class {
                fn of(payload: &Payload) -> Option<&Self> {
                    match payload {
                        Payload::$class(object) => Some(object),
                        _ => None,
                    }
                }

                fn into_payload(self) -> Payload {
                    Payload::$class(self)
                }
            }
        )*

        impl Payload {
            /// Returns when it is destroyed at the end: lower levels first.
            fn level(&self) -> u32 {
                match self {
                    $(Self::$class(_) => $level,)*
                }
            }

            /// Destroys the driver's object.
            fn destroy(&self) -> Result {
                match self {
                    $(Self::$class(object) => object.destroy(),)*
                }
            }
        }
    };
}

classes! {
    ImportedSegment: level 0,
    TargetJfr: level 0,
    TargetJetty: level 0,
    TokenId: level 1,
    Segment: level 1,
    Jfs: level 1,
    Jfr: level 1,
    Jetty: level 1,
    Jfc: level 2,
    JettyGroup: level 2,
}

impl Payload {
    /// Tells whether objects of the class may have events, or commands that end later.
    fn has_events(&self) -> bool {
        !matches!(
            self,
            Self::TokenId(_) | Self::Segment(_) | Self::ImportedSegment(_)
        )
    }
}

/// One more than the highest level.
pub(crate) const LEVELS: u32 = 3;

/// Largest number of objects that an object is built on.
const MAX_PARENTS: usize = 4;

/// An object that another one is built on; it cannot be destroyed meanwhile.
pub(crate) struct Parent {
    /// The hold.
    pub(crate) reference: Reference<Arc<Uobject>>,
    /// Its handle.
    pub(crate) handle: u32,
}

/// The objects that an object is built on.
pub(crate) type Parents = [Option<Parent>; MAX_PARENTS];

/// What the user said at creation or later, and reads back by a query.
#[derive(Clone, Copy, Default)]
pub(crate) struct Echo {
    /// Flag word of the object.
    pub(crate) flag: u32,
    /// Flag word of the send side of a jetty.
    pub(crate) jfs_flag: u32,
    /// Flag word of the receive side of a jetty.
    pub(crate) jfr_flag: u32,
    /// Number of the JFR that a jetty shares.
    pub(crate) jfr_id: u32,
    /// Retry count of a JFS.
    pub(crate) retry_cnt: u8,
}

/// An object that user space names by a handle.
///
/// It outlives the driver's object when the device goes away first: then it waits for the user to
/// destroy it, or to close the file.
#[pin_data]
pub(crate) struct Uobject {
    /// The driver's object.
    payload: Payload,
    /// Who uses it, who is built on it, and whether it is destroyed.
    use_count: UseCount,
    /// Where its events go, if it has any.
    sink: Option<Arc<Sink>>,
    /// What a query tells the user. Innermost lock.
    #[pin]
    echo: HotSpinLock<Echo>,
    /// What it is built on. Innermost lock; nothing is dropped under it.
    #[pin]
    parents: HotSpinLock<Parents>,
    /// Of a jetty: what it is bound to. Held while ubcore binds or unbinds, and while an object is
    /// configured, activated or deactivated.
    #[pin]
    binding: Mutex<Binding>,
    /// Of an imported jetty: the command that makes it, if that is an asynchronous one.
    request: Option<Arc<Request>>,
    /// Counted while it exists.
    _tally: Tally,
}

impl Counted for Uobject {
    fn use_count(&self) -> &UseCount {
        &self.use_count
    }
}

/// What an object is made of, besides the driver's part.
#[derive(Default)]
pub(crate) struct Parts {
    /// Where its events go, if it has any.
    pub(crate) sink: Option<Arc<Sink>>,
    /// What a query tells the user.
    pub(crate) echo: Echo,
    /// What it is built on.
    pub(crate) parents: Parents,
    /// The asynchronous command that makes it.
    pub(crate) request: Option<Arc<Request>>,
}

impl Uobject {
    /// Makes an object; the driver's object is destroyed if that fails.
    pub(crate) fn new<C: Class>(stats: &Arc<Stats>, object: C, parts: Parts) -> Result<Arc<Self>> {
        Arc::pin_init(
            pin_init!(Self {
                payload: object.into_payload(),
                use_count: UseCount::new(),
                sink: parts.sink,
                echo <- new_hot_spinlock!(parts.echo, "uburma::Uobject::echo"),
                parents <- new_hot_spinlock!(parts.parents, "uburma::Uobject::parents"),
                binding <- new_mutex!(Binding::default(), "uburma::Uobject::binding"),
                request: parts.request,
                _tally: Stats::count(stats, Item::Object),
            }),
            GFP_KERNEL,
        )
    }

    /// Returns the driver's object.
    ///
    /// # Errors
    ///
    /// `EINVAL` if it is of another class.
    pub(crate) fn object<C: Class>(&self) -> Result<&C> {
        C::of(&self.payload).ok_or(EINVAL)
    }

    /// Tells whether it is of a class.
    pub(crate) fn is<C: Class>(&self) -> bool {
        C::of(&self.payload).is_some()
    }

    /// Returns when it is destroyed at the end: lower levels first.
    pub(crate) fn level(&self) -> u32 {
        self.payload.level()
    }

    /// Returns what a query tells the user.
    pub(crate) fn echo(&self) -> Echo {
        *self.echo.lock()
    }

    /// Changes what a query tells the user.
    pub(crate) fn change_echo(&self, change: impl FnOnce(&mut Echo)) {
        change(&mut self.echo.lock());
    }

    /// Replaces something that this is built on.
    ///
    /// # Errors
    ///
    /// `EINVAL` for a place that there is not.
    pub(crate) fn replace_parent(&self, place: usize, parent: Parent) -> Result {
        let mut parents = self.parents.lock();
        let old = parents.get_mut(place).ok_or(EINVAL)?.replace(parent);
        drop(parents);
        drop(old);
        Ok(())
    }

    /// Returns the handle of something that this is built on, 0 for nothing.
    pub(crate) fn parent_handle(&self, place: usize) -> u32 {
        let parents = self.parents.lock();
        let parent = parents.get(place).and_then(Option::as_ref);
        parent.map_or(0, |parent| parent.handle)
    }

    /// Returns something that this is built on.
    pub(crate) fn parent_object(&self, place: usize) -> Option<Arc<Self>> {
        let parents = self.parents.lock();
        let parent = parents.get(place).and_then(Option::as_ref);
        parent.map(|parent| parent.reference.pointer().clone())
    }

    /// Returns what a jetty is bound to; see the field.
    pub(crate) fn binding(&self) -> &Mutex<Binding> {
        &self.binding
    }

    /// Destroys the driver's object, and lets go of what this was built on.
    ///
    /// The caller is the exclusive user, and says afterwards that it is dead.
    ///
    /// # Errors
    ///
    /// Those of the driver; then nothing has changed.
    pub(crate) fn destroy_payload(&self) -> Result {
        self.payload.destroy()?;
        self.leave_parents();
        Ok(())
    }

    /// Lets go of what this was built on; the driver's object is destroyed.
    pub(crate) fn leave_parents(&self) {
        let parents = core::mem::take(&mut *self.parents.lock());
        drop(parents);
    }

    /// Ends its events, and returns how many of them the user has read.
    pub(crate) fn retire_events(&self) -> Reported {
        if !self.payload.has_events() {
            return Reported::default();
        }
        let requests = self.binding.lock().take_past();
        for request in Iterator::chain(requests.iter().flatten(), &self.request) {
            request.retire();
        }
        self.sink
            .as_ref()
            .map_or(Reported::default(), |sink| sink.retire())
    }
}
