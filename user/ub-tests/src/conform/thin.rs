// SPDX-License-Identifier: GPL-2.0

//! The matrix without most of its repetitions, for runs that have minutes and not hours.
//!
//! What stays: every command, every kind of variant for it, and some of them for every
//! attribute: the next attribute gets others. Where a kind has many values, an attribute
//! gets a few. All commands together see each value. And what the kernel has to overlook in
//! a single attribute is put into all of them at once.

use super::table::{Command, Shape};
use super::variants::{self, Head, Variant};
use crate::is_full;

/// Of so many values of a kind one stays.
const ONE_OF: usize = 8;

/// Of so many kinds an attribute gets one, besides those that no attribute before it had.
const ONE_KIND_OF: usize = 5;

/// The variants of a command that this run is to try.
pub fn chosen(command: &Command) -> Vec<Variant> {
    match is_full() {
        true => variants::all(command),
        false => thin(command),
    }
}

/// What variants have in common that differ in a value or an attribute only.
fn kind(variant: Variant) -> impl PartialEq {
    let head = match variant {
        Variant::Header(head) => Some(std::mem::discriminant::<Head>(&head)),
        _ => None,
    };
    (std::mem::discriminant(&variant), head)
}

/// What variants have in common that differ in a value only.
fn class(variant: Variant) -> impl PartialEq {
    (kind(variant), variant.attr())
}

/// Whether a variant is in [`Variant::Unused`].
fn is_overlooked(variant: Variant, command: &Command) -> bool {
    match variant {
        Variant::Flags(_) => true,
        Variant::Stride(at, _) => command.attrs[at].shape == Shape::Single,
        _ => false,
    }
}

/// A few variants of each class, others for each command and attribute.
pub fn thin(command: &Command) -> Vec<Variant> {
    let mut all = variants::all(command);
    all.retain(|variant| !is_overlooked(*variant, command));
    let mut list = vec![Variant::Unused];
    let mut kinds = Vec::new();
    for (turn, alike) in all
        .chunk_by(|one, other| class(*one) == class(*other))
        .enumerate()
    {
        let kind = kind(alike[0]);
        if !kinds.contains(&kind) {
            kinds.push(kind);
        } else if (command.number as usize + turn) % ONE_KIND_OF != 0 {
            continue;
        }
        let keep = match alike[0] {
            // Too small, and too large.
            Variant::Size(..) => 2,
            _ => alike.len().div_ceil(ONE_OF),
        };
        let first = command.number as usize + alike[0].attr().unwrap_or(0);
        let keep = keep.min(alike.len());
        list.extend((0..keep).map(|n| alike[(first + n * alike.len() / keep) % alike.len()]));
    }
    list
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::super::table::COMMANDS;
    use super::*;

    #[test]
    fn no_kind_of_variant_is_lost() {
        let (mut few, mut many) = (0, 0);
        for command in COMMANDS {
            let (thin, all) = (thin(command), variants::all(command));
            for variant in &all {
                let here = thin.iter().any(|one| kind(*one) == kind(*variant));
                let here = here || is_overlooked(*variant, command);
                assert!(here, "{}", variant.text(command));
                let attr = variant.attr();
                let here = thin.iter().any(|one| one.attr() == attr);
                assert!(here, "{} of {}", variant.text(command), command.name);
            }
            assert_eq!(thin[0], Variant::Unused);
            assert!(thin[1..].iter().all(|variant| all.contains(variant)));
            few += thin.len();
            many += all.len();
        }
        println!("{few} of {many} variants");
        assert!(few > many / 8, "{few} of {many} variants");
    }

    /// The value of a variant, if it does not depend on its attribute or command.
    fn value(variant: Variant) -> String {
        match variant {
            Variant::Value(_, value) => format!("Value {value}"),
            Variant::Pointer(_, bad) => format!("Pointer {bad:?}"),
            Variant::Private(_, private) => format!("Private {private:?}"),
            Variant::Header(Head::Number(_) | Head::Len(_) | Head::Ioctl(_)) => String::new(),
            _ if variant.attr().is_some() => String::new(),
            _ => format!("{variant:?}"),
        }
    }

    #[test]
    fn together_the_commands_see_each_value() {
        let values = |of: fn(&Command) -> Vec<Variant>| -> BTreeSet<String> {
            COMMANDS.iter().flat_map(of).map(value).collect()
        };
        let mut due = values(variants::all);
        due.insert(value(Variant::Unused));
        assert_eq!(values(thin), due);
    }
}
