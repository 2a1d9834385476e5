// SPDX-License-Identifier: GPL-2.0

//! Rows of the command tables, and what becomes of them.
//!
//! A row names a command, its attributes with their types, and its handler:
//!
//! ```ignore
//! delete_jfc DELETE_JFC: unwind => jfc::delete {
//!     in { handle: Doomed<Jfc> }
//!     out { comp_events_reported: u32, async_events_reported: u32 }
//! }
//! ```
//!
//! The first word in upper case is the command (`UBURMA_CMD_DELETE_JFC`), the second begins the
//! names of its attributes (`UBURMA_DELETE_JFC_IN_HANDLE`), which end with those of the fields. The
//! mode is `always` (no context needed), `context` (one is needed) or `unwind`: it gives something
//! back, needs a context, and succeeds also when the device is gone. An `unwind` command writes its
//! outputs as zeros first, to find bad addresses while nothing has happened yet.
//!
//! The handler takes a `&Call` and the module's `Request`, and returns an [`Outcome`] with its
//! `Reply`. The reply is copied to the user; if that fails, what the handler did is undone, by the
//! drop of the outcome's second part, else it is made final by its [`Commit`].

use crate::logic::tlv::AttrSpec;
use kernel::prelude::*;

/// What is left to do when a reply has reached the user; dropped when it has not.
pub(crate) trait Commit {
    /// Makes the command's effect final.
    fn commit(self) -> Result;
}

impl Commit for () {
    fn commit(self) -> Result {
        Ok(())
    }
}

/// The result of a command whose reply goes to the user also when it failed.
pub(crate) struct Verdict(pub(crate) Result);

impl Commit for Verdict {
    fn commit(self) -> Result {
        self.0
    }
}

impl<T: Commit> Commit for Option<T> {
    fn commit(self) -> Result {
        self.map_or(Ok(()), T::commit)
    }
}

/// What a handler returns.
pub(crate) struct Outcome<R, T: Commit = ()> {
    /// To be copied to the user.
    pub(crate) reply: R,
    /// To be done afterwards.
    pub(crate) then: T,
}

/// Returns the outcome of a command that is final already.
pub(crate) fn done<R>(reply: R) -> Result<Outcome<R>> {
    Ok(Outcome { reply, then: () })
}

/// Returns the outcome of a command that `then` makes final.
pub(crate) fn then<R, T: Commit>(reply: R, then: T) -> Result<Outcome<R, T>> {
    Ok(Outcome { reply, then })
}

/// What a command needs.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    /// Nothing.
    Always,
    /// A context.
    Context,
    /// A context, whose device may be gone.
    Unwind,
}

/// A row of a command table; `F` is the type of its function.
#[derive(Clone, Copy)]
pub(crate) struct Command<F> {
    /// Name, for messages.
    pub(crate) name: &'static str,
    /// What it needs.
    pub(crate) mode: Mode,
    /// Input attributes.
    pub(crate) inputs: &'static [AttrSpec],
    /// Output attributes.
    pub(crate) outputs: &'static [AttrSpec],
    /// Carries it out, all attributes having been checked; or the error that it gives.
    pub(crate) run: Result<F>,
}

/// Makes the modules of a table's rows; see the top of this file.
///
/// Each holds `Request`, `Reply`, the attribute specs and `run`.
macro_rules! command_modules {
    (
        call $call:ident;
        $(
            $row:ident $prefix:ident: $mode:ident => $handler:path {
                in { $($in:ident: $in_type:ty),* $(,)? }
                out { $($out:ident: $out_type:ty),* $(,)? }
            }
        )*
    ) => { ::kernel::macros::paste! {
        $(
            #[doc = concat!("Attributes of `UBURMA_", stringify!($prefix), "`.")]
            pub(crate) mod $row {
                use super::*;

                /// What the user asks for.
                #[allow(dead_code)]
                pub(crate) struct Request {
                    $(
                        #[doc = concat!("`IN_", stringify!([<$in:upper>]), "`.")]
                        pub(crate) $in: $in_type,
                    )*
                }

                /// What the user gets.
                #[derive(Default)]
                pub(crate) struct Reply {
                    $(
                        #[doc = concat!("`OUT_", stringify!([<$out:upper>]), "`.")]
                        pub(crate) $out: $out_type,
                    )*
                }

                impl Reply {
                    /// Copies it to the user.
                    fn write(&self, attrs: Checked<'_>) -> Result {
                        let mut places = INPUTS.len()..;
                        $(
                            const { assert!(b::[<UBURMA_ $prefix _OUT_ $out:upper>] < 256) };
                            let plan = places.next().and_then(|place| attrs.output(place, const {
                                &output_spec::<$out_type>(
                                    b::[<UBURMA_ $prefix _OUT_ $out:upper>],
                                )
                            }));
                            if let Some(plan) = plan {
                                self.$out.write(&plan)?;
                            }
                        )*
                        let _ = (attrs, &mut places);
                        Ok(())
                    }
                }

                /// Input attributes.
                pub(super) const INPUTS: &[AttrSpec] = &[
                    $(
                        input_spec::<$call<'_>, $in_type>(
                            b::[<UBURMA_ $prefix _IN_ $in:upper>],
                        ),
                    )*
                ];

                /// Output attributes.
                pub(super) const OUTPUTS: &[AttrSpec] = &[
                    $(
                        output_spec::<$out_type>(
                            b::[<UBURMA_ $prefix _OUT_ $out:upper>],
                        ),
                    )*
                ];

                const _: () = {
                    assert!(specs_are_valid(INPUTS, Direction::Input));
                    assert!(specs_are_valid(OUTPUTS, Direction::Output));
                };

                /// Carries the command out.
                pub(super) fn run(call: &$call<'_>, attrs: Checked<'_>) -> Result {
                    let mut places = 0usize..;
                    let first = attrs.in_order::<{ INPUTS.len() }>();
                    let request = Request {
                        $(
                            $in: Input::read(
                                places.next().and_then(|place| attrs.input_of(first, place, const {
                                    &input_spec::<$call<'_>, $in_type>(
                                        b::[<UBURMA_ $prefix _IN_ $in:upper>],
                                    )
                                })),
                                call,
                            )?,
                        )*
                    };
                    let _ = (first, &mut places);
                    command_modules!(@probe $mode Reply, attrs);
                    let outcome = $handler(call, request)?;
                    outcome.reply.write(attrs)?;
                    Commit::commit(outcome.then)
                }
            }
        )*
    } };

    (@probe unwind $reply:ident, $attrs:ident) => {
        $reply::default().write($attrs)?;
    };
    (@probe $mode:ident $reply:ident, $attrs:ident) => {};
    (@mode always) => { Mode::Always };
    (@mode context) => { Mode::Context };
    (@mode unwind) => { Mode::Unwind };
}
