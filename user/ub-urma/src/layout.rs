// SPDX-License-Identifier: GPL-2.0

//! Macros that define what C defines too, check it while compiling, and keep a table of it for the
//! test that compares it with `selftests/abi/provider.json`.

/// A structure as this crate lays it out.
#[derive(Debug, Clone, Copy)]
pub struct Layout {
    /// Its name in C.
    pub name: &'static str,
    /// Its size in bytes.
    pub size: usize,
    /// Name, offset and size of its members.
    pub fields: &'static [(&'static str, usize, usize)],
}

/// A word of flags as this crate describes it.
#[derive(Debug, Clone, Copy)]
pub struct FlagWord {
    /// Its name in C.
    pub name: &'static str,
    /// Its size in bytes.
    pub size: usize,
    /// Name, first bit and width of its fields.
    pub fields: &'static [(&'static str, u32, u32)],
}

/// A field of a word of flags.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bits {
    /// The lowest bit.
    pub shift: u32,
    /// Number of bits.
    pub width: u32,
}

impl Bits {
    /// The bits of the field, all set.
    pub const fn mask(self) -> u32 {
        (u32::MAX >> (32 - self.width)) << self.shift
    }

    /// The value of the field in a word.
    pub const fn get(self, word: u32) -> u32 {
        (word & self.mask()) >> self.shift
    }

    /// A word with this value in the field and nothing else; surplus bits are cut off.
    pub const fn of(self, value: u32) -> u32 {
        (value << self.shift) & self.mask()
    }
}

/// Types of which zero bytes are a value.
///
/// # Safety
///
/// They must be.
pub unsafe trait Plain: Sized {
    /// The value of zero bytes: numbers are 0, pointers null, functions absent.
    fn zeroed() -> Self {
        // SAFETY: by the contract of this trait.
        unsafe { std::mem::zeroed() }
    }
}

/// Defines structures: `name, size { member: type = offset, ... }`. Sizes and offsets are those
/// of x86_64 and are checked there.
macro_rules! layouts {
    ($(
        $(#[$doc:meta])*
        $name:ident, $size:literal $($packed:ident)? {
            $($field:ident: $ty:ty = $offset:literal,)*
        }
    )*) => {
        $(
            layouts!(@define $(#[$doc])* $name [$($packed)?] { $($field: $ty,)* });

            // SAFETY: numbers, raw pointers, optional functions, and structures and arrays of
            // these; the locks of the C library are memory to Rust.
            unsafe impl $crate::layout::Plain for $name {}

            impl Default for $name {
                fn default() -> Self {
                    $crate::layout::Plain::zeroed()
                }
            }

            #[cfg(target_arch = "x86_64")]
            const _: () = {
                assert!(std::mem::size_of::<$name>() == $size);
                $(assert!(std::mem::offset_of!($name, $field) == $offset);)*
            };
        )*

        /// What this module lays out.
        pub(crate) const LAYOUTS: &[$crate::layout::Layout] = &[
            $($crate::layout::Layout {
                name: stringify!($name),
                size: std::mem::size_of::<$name>(),
                fields: &[$((
                    stringify!($field),
                    std::mem::offset_of!($name, $field),
                    std::mem::size_of::<$ty>(),
                )),*],
            }),*
        ];
    };
    (@define $(#[$doc:meta])* $name:ident [] { $($field:ident: $ty:ty,)* }) => {
        $(#[$doc])*
        #[repr(C)]
        #[derive(Clone, Copy)]
        #[allow(missing_docs)]
        pub struct $name {
            $(pub $field: $ty,)*
        }
    };
    (@define $(#[$doc:meta])* $name:ident [packed] { $($field:ident: $ty:ty,)* }) => {
        $(#[$doc])*
        #[repr(C, packed(4))]
        #[derive(Clone, Copy)]
        #[allow(missing_docs)]
        pub struct $name {
            $(pub $field: $ty,)*
        }
    };
}

/// Defines the fields of words of flags: `name, size { field: first bit, width, ... }`, as modules
/// of constants.
macro_rules! flags {
    ($(
        $name:ident, $size:literal {
            $($field:ident: $shift:literal, $width:literal,)*
        }
    )*) => {
        $(
            #[doc = concat!("Fields of `", stringify!($name), "`.")]
            #[allow(missing_docs)]
            pub mod $name {
                use $crate::layout::Bits;

                $(pub const $field: Bits = Bits { shift: $shift, width: $width };)*
            }
        )*

        /// What this module describes.
        pub const FLAG_WORDS: &[$crate::layout::FlagWord] = &[
            $($crate::layout::FlagWord {
                name: stringify!($name),
                size: $size,
                fields: &[$((stringify!($field), $shift, $width)),*],
            }),*
        ];
    };
}

/// Defines constants: `enumeration: type { NAME = value, ... }`.
macro_rules! numbers {
    ($(
        $name:ident: $ty:ty {
            $($item:ident = $value:literal,)*
        }
    )*) => {
        $($(pub const $item: $ty = $value;)*)*

        /// All of these: name of the enumeration, its names and values.
        pub const NUMBERS: &[(&str, &[(&str, i64)])] = &[
            $((stringify!($name), &[$((stringify!($item), $item as i64)),*])),*
        ];
    };
}

pub(crate) use {flags, layouts, numbers};
