// SPDX-License-Identifier: GPL-2.0

//! Lists of handles that one command names.

/// Returns the place of the first handle that occurs earlier in the list too.
///
/// Sorts the list, which is of pairs of a handle and its place.
pub(crate) fn first_repeated(list: &mut [(u64, usize)]) -> Option<usize> {
    list.sort_unstable();
    list.windows(2)
        .filter_map(|pair| match pair {
            [(one, _), (other, place)] if one == other => Some(*place),
            _ => None,
        })
        .min()
}

#[cfg(test)]
#[path = "tests/batch.rs"]
mod tests;
