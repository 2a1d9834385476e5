// SPDX-License-Identifier: GPL-2.0

//! The functions of staged creation, which are the same for all kinds.

/// Defines the functions of staged creation, beside the allocation, and of references by number.
macro_rules! stage_api {
    ($kind:ident: $name:ident, $what:literal) => { ::kernel::macros::paste! {
        c_api! {
            #[doc = concat!("Sets an option of a ", $what, ".")]
            unsafe fn [<ubcore_set_ $name _opt>](
                object: *mut $crate::bindings_ub::[<ubcore_ $name>],
                opt: u64,
                buf: *mut c_void,
                len: u32,
                udata: *mut ubcore_udata,
            ) -> c_int {
                errno((|| {
                    // SAFETY: Null or valid, as is all that follows.
                    let object = unsafe { Obj::<$kind>::from_raw(object) }.ok_or(EINVAL)?;
                    // SAFETY: As above.
                    let (value, user) = unsafe {
                        ($crate::c_api::OptionValue::new(buf, len)?, User::new(udata)?)
                    };
                    $crate::stage::set(object, opt, &value, user)
                })())
            }

            #[doc = concat!("Puts a ", $what, " to work.")]
            unsafe fn [<ubcore_active_ $name>](
                object: *mut $crate::bindings_ub::[<ubcore_ $name>],
                udata: *mut ubcore_udata,
            ) -> c_int {
                errno((|| {
                    // SAFETY: Null or valid, as is all that follows.
                    let object = unsafe { Obj::<$kind>::from_raw(object) }.ok_or(EINVAL)?;
                    // SAFETY: As above.
                    $crate::stage::activate(object, unsafe { User::new(udata) }?)
                })())
            }

            #[doc = concat!("Reads an option of a ", $what, ".")]
            unsafe fn [<ubcore_get_ $name _opt>](
                object: *mut $crate::bindings_ub::[<ubcore_ $name>],
                opt: u64,
                buf: *mut c_void,
                len: u32,
                udata: *mut ubcore_udata,
            ) -> c_int {
                errno((|| {
                    // SAFETY: Null or valid, as is all that follows.
                    let object = unsafe { Obj::<$kind>::from_raw(object) }.ok_or(EINVAL)?;
                    // SAFETY: As above.
                    let (value, user) = unsafe {
                        ($crate::c_api::OptionValue::new(buf, len)?, User::new(udata)?)
                    };
                    $crate::stage::get(object, opt, &value, user)
                })())
            }

            #[doc = concat!("Reads an option of the ", $what, " with a number.")]
            unsafe fn [<ubcore_get_ $name _opt_by_id>](
                dev: *mut ubcore_device,
                id: u32,
                opt: u64,
                buf: *mut c_void,
                len: u32,
            ) -> c_int {
                errno((|| {
                    // SAFETY: Null or valid, as is all that follows.
                    let (dev, value) = unsafe {
                        (device(dev)?, $crate::c_api::OptionValue::new(buf, len)?)
                    };
                    let object = dev.[<$name s>]().find(id).ok_or(ENOENT)?;
                    // SAFETY: No user.
                    let kernel = unsafe { User::new(::core::ptr::null_mut()) }?;
                    $crate::stage::get(&*object, opt, &value, kernel)
                })())
            }

            #[doc = concat!("Takes a ", $what, " out of work.")]
            unsafe fn [<ubcore_deactive_ $name>](
                object: *mut $crate::bindings_ub::[<ubcore_ $name>],
                udata: *mut ubcore_udata,
            ) -> c_int {
                errno((|| {
                    // SAFETY: Null or valid, as is all that follows.
                    let object = unsafe { Obj::<$kind>::from_raw(object) }.ok_or(EINVAL)?;
                    // SAFETY: As above.
                    $crate::stage::deactivate(object, unsafe { User::new(udata) }?)
                })())
            }

            #[doc = concat!("Frees a ", $what, " that is not at work.")]
            unsafe fn [<ubcore_free_ $name>](
                object: *mut $crate::bindings_ub::[<ubcore_ $name>],
                udata: *mut ubcore_udata,
            ) -> c_int {
                errno((|| {
                    // SAFETY: Null or valid, and the caller's.
                    let object = unsafe { Owned::<$kind>::from_raw(object) }?;
                    // SAFETY: Null or valid.
                    $crate::stage::free(object, unsafe { User::new(udata) }?)
                })())
            }

            #[doc = concat!("Finds the ", $what, " with a number and takes a reference.")]
            unsafe fn [<ubcore_find_get_ $name>](
                dev: *mut ubcore_device,
                id: u32,
            ) -> *mut $crate::bindings_ub::[<ubcore_ $name>] {
                // SAFETY: Null or valid.
                let found = unsafe { device(dev) }.ok().and_then(|dev| dev.[<$name s>]().find(id));
                found.map_or(::core::ptr::null_mut(), $crate::table::Found::into_raw)
            }

            #[doc = concat!("Gives a reference to a ", $what, " back.")]
            unsafe fn [<ubcore_put_ $name>](object: *mut $crate::bindings_ub::[<ubcore_ $name>]) {
                // SAFETY: Null or valid: a reference of the caller.
                if let Some(object) = unsafe { Obj::<$kind>::from_raw(object) } {
                    object.put();
                }
            }
        }
    } };
}
pub(super) use stage_api;
