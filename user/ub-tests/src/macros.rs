// SPDX-License-Identifier: GPL-2.0

/// Fails the test unless the condition holds.
#[macro_export]
macro_rules! check {
    ($cond:expr) => {
        if !$cond {
            return Err($crate::Failure::at(file!(), line!(), stringify!($cond)));
        }
    };
    ($cond:expr, $($why:tt)+) => {
        if !$cond {
            return Err($crate::Failure::at(file!(), line!(), &format!($($why)+)));
        }
    };
}

/// Fails the test unless both are equal.
#[macro_export]
macro_rules! check_eq {
    ($seen:expr, $expected:expr) => {{
        let (seen, expected) = (&$seen, &$expected);
        if seen != expected {
            let text = format!("{} is {seen:x?}, not {expected:x?}", stringify!($seen));
            return Err($crate::Failure::at(file!(), line!(), &text));
        }
    }};
    ($seen:expr, $expected:expr, $($why:tt)+) => {{
        let (seen, expected) = (&$seen, &$expected);
        if seen != expected {
            let text = format!("{}: {seen:x?}, not {expected:x?}", format!($($why)+));
            return Err($crate::Failure::at(file!(), line!(), &text));
        }
    }};
}

/// Fails the test unless an operation failed with one of these errnos.
#[macro_export]
macro_rules! check_errno {
    ($result:expr, $($errno:ident)|+) => {
        $crate::Failure::unless_errno(
            $result,
            &[$(libc::$errno),+],
            stringify!($($errno)|+),
            file!(),
            line!(),
            stringify!($result),
        )?
    };
}

/// Ends the test as skipped.
#[macro_export]
macro_rules! skip {
    ($($why:tt)+) => {
        return Err($crate::Failure::Skip(format!($($why)+)))
    };
}

/// A list of tests, named as their functions are.
#[macro_export]
macro_rules! tests {
    ($($name:ident),* $(,)?) => {
        &[$($crate::Test { name: stringify!($name), run: $name }),*]
    };
}
