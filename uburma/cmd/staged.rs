// SPDX-License-Identifier: GPL-2.0

//! Staged creation: options, activation, and the way back, for all classes that have it.
//!
//! What takes the value of an option is the same for SET and for ACTIVE, which sends the
//! configuration once more. Flag words and handles are translated here; all else goes to ubcore as
//! it is.

pub(crate) use super::options::QueueOptions;
use crate::{
    bindings_ub as b,
    command::{
        Commit,
        Outcome, //
    },
    dispatch::Call,
    event::sink::Reported,
    flags,
    handle::{
        Doomed,
        Shared, //
    },
    io::{
        read_bytes,
        write_user,
        Udata, //
    },
    kernel_ext::arc::Arc,
    logic::{
        options::{
            check_option,
            option_len,
            OptionOwner,
            OptionRole,
            MASKED_OPTIONS, //
        },
        use_count::SharedRef, //
    },
    teardown,
    ub::client::{
        object::Object,
        Jfc,
        Jfr,
        NewParent,
        StagedKind, //
    },
    uobject::{
        Class,
        Uobject, //
    }, //
};
use kernel::prelude::*;

/// What is being configured: an object that is not at work, and nobody else configures.
pub(crate) struct Setup<'a, K: StagedKind>
where
    Object<K>: Class,
{
    /// The command.
    call: &'a Call<'a>,
    /// The object.
    object: &'a Shared<Object<K>>,
    /// What the provider passed.
    udata: &'a Udata,
}

impl<'a, K: StagedKind> Setup<'a, K>
where
    Object<K>: Class,
{
    /// Configures an object for the length of a call of `f`.
    ///
    /// # Errors
    ///
    /// `EINVAL` for an object at work.
    pub(crate) fn with<R>(
        call: &'a Call<'a>,
        object: &'a Shared<Object<K>>,
        udata: &'a Udata,
        f: impl FnOnce(&Self) -> Result<R>,
    ) -> Result<R> {
        let _nobody_else = object.binding().lock();
        if object.get()?.is_active()? {
            return Err(EINVAL);
        }
        f(&Self {
            call,
            object,
            udata,
        })
    }

    /// Passes a value to ubcore.
    fn pass(&self, opt: u32, value: &mut [u8]) -> Result {
        let user = self.call.user(self.udata)?;
        self.object
            .get()?
            .set_option(opt.into(), value, Some(&user))
    }

    /// Sets a value of the configuration that is a word.
    pub(crate) fn word(&self, opt: u32, value: u32) -> Result {
        self.pass(opt, &mut value.to_ne_bytes())
    }

    /// Sets a value of the configuration that is a byte.
    pub(crate) fn byte(&self, opt: u32, value: u8) -> Result {
        self.pass(opt, &mut [value])
    }

    /// Sets a flag word, as the user has it.
    pub(crate) fn flag(&self, opt: u32, user_flag: u32) -> Result {
        let echo = self.object.echo();
        let word = match opt {
            b::UBURMA_OPT_JFC_FLAG => flags::jfc(user_flag),
            b::UBURMA_OPT_JFR_FLAG => flags::jfr(user_flag),
            b::UBURMA_OPT_JFS_FLAG => flags::jfs(user_flag),
            _ => flags::jetty(user_flag, echo.jfs_flag),
        };
        self.word(opt, word)?;
        let of_send_side = K::OWNER == OptionOwner::Jetty && opt == b::UBURMA_OPT_JFS_FLAG;
        self.object.change_echo(|echo| {
            if of_send_side {
                echo.jfs_flag = user_flag;
            } else {
                echo.flag = user_flag;
            }
        });
        Ok(())
    }

    /// Builds the object on another one.
    pub(crate) fn parent(&self, opt: u32, handle: u64) -> Result {
        let user = self.call.user(self.udata)?;
        let object = self.object.get()?;
        let place = parent_place(opt);
        let parent = if opt == b::UBURMA_OPT_JETTY_BIND_JFR {
            let jfr = Shared::<Jfr>::named(self.call, handle)?;
            let parent = jfr.parent()?;
            let id = jfr.get()?.granted()?.0;
            object.set_parent(opt.into(), NewParent::Jfr(jfr.get()?), Some(&user))?;
            self.object.change_echo(|echo| echo.jfr_id = id);
            parent
        } else {
            let jfc = Shared::<Jfc>::named(self.call, handle)?;
            let parent = jfc.parent()?;
            object.set_parent(opt.into(), NewParent::Jfc(jfc.get()?), Some(&user))?;
            parent
        };
        self.object.replace_parent(place, parent)
    }

    /// Sets the options of a mask.
    pub(crate) fn options(&self, options: &QueueOptions) -> Result {
        let mask = options.mask()?;
        for bit in (0..MASKED_OPTIONS).filter(|bit| mask & (1 << bit) != 0) {
            let opt = K::OWNER.masked_option(bit).ok_or(EINVAL)?;
            let (spec, _) = option_len(K::OWNER, opt, size_of::<u64>() as u32)?;
            let value = options.value(bit, spec.len.ok_or(EINVAL)?)?;
            let mut copy = [0; size_of::<u64>()];
            let copy = copy.get_mut(..value.len()).ok_or(EINVAL)?;
            copy.copy_from_slice(value);
            self.pass(u32::try_from(opt).map_err(|_| EINVAL)?, copy)?;
        }
        Ok(())
    }

    /// Notes the number of the receive queue of a jetty, which has one by now.
    pub(crate) fn note_jfr(&self) -> Result {
        let place = parent_place(b::UBURMA_OPT_JETTY_BIND_JFR);
        if let Some(jfr) = self.object.parent_object(place) {
            let id = jfr.object::<Jfr>()?.granted()?.0;
            self.object.change_echo(|echo| echo.jfr_id = id);
        }
        Ok(())
    }

    /// Puts the object to work; the result is to be committed.
    pub(crate) fn activate(&self) -> Result<Activated<K>> {
        let user = self.call.user(self.udata)?;
        let object = SharedRef::new(self.object.pointer().clone())?;
        self.object.get()?.activate(Some(&user))?;
        Ok(Activated {
            object: Some(object),
            _kind: core::marker::PhantomData,
        })
    }
}

/// Returns which of the parents of an object an option names.
fn parent_place(opt: u32) -> usize {
    match opt {
        b::UBURMA_OPT_JETTY_BIND_RX_JFC => 1,
        b::UBURMA_OPT_JETTY_BIND_JFR => 2,
        _ => 0,
    }
}

/// An object that was put to work and goes back if the user does not get to know.
pub(crate) struct Activated<K: StagedKind>
where
    Object<K>: Class,
{
    /// The object, in use until the command is committed.
    object: Option<SharedRef<Arc<Uobject>>>,
    _kind: core::marker::PhantomData<fn() -> K>,
}

impl<K: StagedKind> Commit for Activated<K>
where
    Object<K>: Class,
{
    fn commit(mut self) -> Result {
        self.object = None;
        Ok(())
    }
}

impl<K: StagedKind> Drop for Activated<K>
where
    Object<K>: Class,
{
    fn drop(&mut self) {
        let Some(object) = self.object.take() else {
            return;
        };
        let undone = object
            .object::<Object<K>>()
            .and_then(|object| object.deactivate(None));
        if undone.is_err() {
            pr_warn_ratelimited!("an activation could not be undone\n");
        }
    }
}

/// What a SET or GET command says.
pub(crate) struct OptionRequest {
    /// The option.
    pub(crate) opt: u64,
    /// User address of the value.
    pub(crate) buf: u64,
    /// Its bytes, or the room for it.
    pub(crate) len: u32,
    /// What the provider passed.
    pub(crate) udata: Udata,
}

/// Returns the first bytes of a value.
fn front<const N: usize>(value: &[u8]) -> Result<[u8; N]> {
    value.first_chunk().copied().ok_or(EINVAL)
}

/// Sets an option.
///
/// # Errors
///
/// `EINVAL` for an option that the class does not have, a wrong length, a missing value, a handle
/// that names nothing suitable, and an object at work; `EOPNOTSUPP` for an option that the driver
/// does not follow; `EFAULT`; `EBUSY` while somebody else uses or configures it.
pub(crate) fn set<K: StagedKind>(
    call: &Call<'_>,
    object: &Shared<Object<K>>,
    request: &OptionRequest,
) -> Result
where
    Object<K>: Class,
{
    let spec = check_option(K::OWNER, request.opt, request.len)?;
    if request.buf == 0 {
        return Err(EINVAL);
    }
    let opt = u32::try_from(request.opt).map_err(|_| EINVAL)?;
    let mut value = KVec::from_elem(0u8, request.len as usize, GFP_KERNEL)?;
    read_bytes(request.buf, &mut value)?;
    Setup::with(call, object, &request.udata, |setup| match spec.role {
        OptionRole::Bind => setup.parent(opt, u64::from_ne_bytes(front(&value)?)),
        OptionRole::Flag => setup.flag(opt, u32::from_ne_bytes(front(&value)?)),
        // The event channel is chosen at the allocation, and there are no groups.
        OptionRole::Channel | OptionRole::Group => Err(EOPNOTSUPP),
        _ => setup.pass(opt, &mut value),
    })
}

/// Reads an option; returns its bytes.
///
/// # Errors
///
/// `EINVAL` for an option that the class does not have, and for too little or too much room;
/// `EOPNOTSUPP` for an option that nobody keeps; `EFAULT`; `EBUSY` while somebody configures it.
pub(crate) fn get<K: StagedKind>(
    call: &Call<'_>,
    object: &Shared<Object<K>>,
    request: &OptionRequest,
) -> Result<u32>
where
    Object<K>: Class,
{
    let (spec, len) = option_len(K::OWNER, request.opt, request.len)?;
    if request.buf == 0 {
        return Err(EINVAL);
    }
    let opt = u32::try_from(request.opt).map_err(|_| EINVAL)?;
    let echo = object.echo();
    match spec.role {
        OptionRole::Bind => {
            let handle = object.parent_handle(parent_place(opt));
            write_user(request.buf, &u64::from(handle).to_ne_bytes())?;
        }
        OptionRole::Flag => {
            let of_send_side = K::OWNER == OptionOwner::Jetty && opt == b::UBURMA_OPT_JFS_FLAG;
            let word = if of_send_side {
                echo.jfs_flag
            } else {
                echo.flag
            };
            write_user(request.buf, &word.to_ne_bytes())?;
        }
        OptionRole::Channel | OptionRole::Group => return Err(EOPNOTSUPP),
        _ => {
            let mut value = KVec::from_elem(0u8, len as usize, GFP_KERNEL)?;
            let user = call.user(&request.udata)?;
            object
                .get()?
                .get_option(request.opt, &mut value, Some(&user))?;
            write_user(request.buf, &value)?;
        }
    }
    Ok(len)
}

/// Takes an object out of work; when the device is gone it is already.
///
/// # Errors
///
/// `EINVAL` for an object that is not at work, `EBUSY` while it is in use.
pub(crate) fn deactivate<K: StagedKind>(
    call: &Call<'_>,
    object: &Doomed<Object<K>>,
    udata: &Udata,
) -> Result
where
    Object<K>: Class,
{
    if call.is_gone() {
        return Ok(());
    }
    let object = SharedRef::new(object.object.clone())?;
    let _nobody_else = object.binding().lock();
    let user = call.user(udata)?;
    object.object::<Object<K>>()?.deactivate(Some(&user))
}

/// Destroys an object that is at work; returns how many of its events the user has read.
///
/// # Errors
///
/// `EINVAL` for an object that was allocated and is not at work; those of [`teardown::destroy`].
pub(crate) fn delete<K: StagedKind>(call: &Call<'_>, object: &Doomed<Object<K>>) -> Result<Reported>
where
    Object<K>: Class,
{
    if !call.is_gone() && !object.get()?.is_active()? {
        return Err(EINVAL);
    }
    teardown::destroy(call.file(), object, call.is_gone())
}

/// Makes the handlers of the commands that are the same for all classes.
macro_rules! handlers {
    ($($name:ident: $class:ident),*) => { ::kernel::macros::paste! { $(
        #[doc = concat!("Sets an option of a ", stringify!($class), ".")]
        pub(crate) fn [<set_ $name>](
            call: &Call<'_>,
            request: crate::table::[<set_ $name _opt>]::Request,
        ) -> Result<Outcome<crate::table::[<set_ $name _opt>]::Reply>> {
            let option = OptionRequest {
                opt: request.opt,
                buf: request.buf,
                len: request.len,
                udata: request.udata,
            };
            set(call, &request.handle, &option)?;
            crate::command::done(crate::table::[<set_ $name _opt>]::Reply {
                udata: request.udata,
            })
        }

        #[doc = concat!("Reads an option of a ", stringify!($class), ".")]
        pub(crate) fn [<get_ $name>](
            call: &Call<'_>,
            request: crate::table::[<get_ $name _opt>]::Request,
        ) -> Result<Outcome<crate::table::[<get_ $name _opt>]::Reply>> {
            let option = OptionRequest {
                opt: request.opt,
                buf: request.buf,
                len: request.len,
                udata: request.udata,
            };
            let len = get(call, &request.handle, &option)?;
            crate::command::done(crate::table::[<get_ $name _opt>]::Reply {
                buf: request.buf,
                len,
                udata: request.udata,
            })
        }

        #[doc = concat!("Takes a ", stringify!($class), " out of work.")]
        pub(crate) fn [<deactive_ $name>](
            call: &Call<'_>,
            request: crate::table::[<deactive_ $name>]::Request,
        ) -> Result<Outcome<crate::table::[<deactive_ $name>]::Reply>> {
            deactivate(call, &request.handle, &request.udata)?;
            crate::command::done(crate::table::[<deactive_ $name>]::Reply {
                udata: request.udata,
            })
        }
    )* } };
}

handlers!(jfc: Jfc, jfs: Jfs, jfr: Jfr, jetty: Jetty);

/// Makes the handlers that free an object, at work or not.
macro_rules! free_handlers {
    ($($name:ident: $class:ident { $($field:ident: $reported:ident),* }),* $(,)?) => { ::kernel::macros::paste! { $(
        #[doc = concat!("Frees a ", stringify!($class), ", at work or not.")]
        pub(crate) fn [<free_ $name>](
            call: &Call<'_>,
            request: crate::table::[<free_ $name>]::Request,
        ) -> Result<Outcome<crate::table::[<free_ $name>]::Reply>> {
            let reported = teardown::destroy(call.file(), &request.handle, call.is_gone())?;
            crate::command::done(crate::table::[<free_ $name>]::Reply {
                $($field: reported.$reported,)*
                udata: request.udata,
            })
        }
    )* } };
}

free_handlers! {
    jfc: Jfc { comp_events_reported: completions, async_events_reported: events },
    jfs: Jfs { async_events_reported: events },
    jfr: Jfr { async_events_reported: events },
    jetty: Jetty { async_events_reported: events },
}
