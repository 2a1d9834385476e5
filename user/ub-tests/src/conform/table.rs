// SPDX-License-Identifier: GPL-2.0

//! The commands of the ABI and their attributes, generated from its tables.

/// How many elements an attribute has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// One, whatever its size.
    Single,
    /// A member of so many structures.
    Strided,
    /// As many as fit.
    Array,
}

/// What the test has to know about the type of an attribute.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// An integer.
    Number,
    /// Private data of the driver.
    Udata,
    /// Bytes, all of which are read or written.
    Blob,
    /// An array of which the kernel writes the front that is used.
    Front,
}

/// An attribute.
#[derive(Debug)]
pub struct Attr {
    /// Its id.
    pub id: u8,
    /// Its name without `UBURMA_`.
    pub name: &'static str,
    /// Whether it is an input.
    pub input: bool,
    /// Its type.
    pub kind: Kind,
    /// How many elements it has.
    pub shape: Shape,
    /// Bytes of an element.
    pub size: u16,
    /// Number of elements that the test offers.
    pub count: u16,
    /// Distance of elements in bytes.
    pub stride: u16,
    /// Whether it may be absent.
    pub optional: bool,
}

impl Attr {
    /// Bytes from the first element to the end of the last one's slot.
    #[allow(clippy::len_without_is_empty)]
    pub fn len(&self) -> usize {
        match self.shape {
            Shape::Single => usize::from(self.size),
            _ => usize::from(self.count) * usize::from(self.stride),
        }
    }

    /// Bytes from the first element to the end of the last one.
    pub fn span(&self) -> usize {
        self.len() - self.gap()
    }

    /// Bytes between elements that belong to others.
    fn gap(&self) -> usize {
        match self.shape {
            Shape::Single => 0,
            _ => usize::from(self.stride - self.size),
        }
    }

    /// Whether the kernel may write the byte at this offset.
    pub fn covers(&self, offset: usize) -> bool {
        offset < self.len()
            && (self.shape == Shape::Single
                || offset % usize::from(self.stride) < usize::from(self.size))
    }

    /// Whether the name ends like this.
    pub fn is(&self, suffix: &str) -> bool {
        self.name.ends_with(suffix)
    }
}

/// A command.
#[derive(Debug)]
pub struct Command {
    /// Its number.
    pub number: u32,
    /// Its name.
    pub name: &'static str,
    /// Whether it is one of an event file.
    pub event: bool,
    /// Whether it needs a context.
    pub needs_context: bool,
    /// Its attributes, in wire order.
    pub attrs: &'static [Attr],
}

impl Command {
    /// The command with a number.
    pub fn find(number: u32, event: bool) -> Option<&'static Command> {
        COMMANDS
            .iter()
            .find(|command| command.number == number && command.event == event)
    }

    /// Whether it takes something back: it writes zeros to its outputs beforehand.
    pub fn unwinds(&self) -> bool {
        ["DELETE_", "DESTROY_", "FREE_", "DEACTIVE_", "UN"]
            .iter()
            .any(|word| self.name.starts_with(word))
    }
}

include!(concat!(env!("OUT_DIR"), "/conform.rs"));

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_numbers_are_there_once() {
        for (event, last) in [(false, 85), (true, 3)] {
            let mut seen: Vec<u32> = COMMANDS
                .iter()
                .filter(|command| command.event == event)
                .map(|command| command.number)
                .collect();
            seen.sort_unstable();
            assert_eq!(seen, (1..=last).collect::<Vec<_>>());
        }
        assert_eq!(COMMANDS.len(), TESTS.len());
    }

    #[test]
    fn strided_members_cover_their_own_bytes() {
        let query = Command::find(40, false).unwrap();
        let port = query.attrs.iter().find(|attr| attr.id == 0xa5).unwrap();
        assert_eq!((port.len(), port.span()), (160, 144));
        assert!(port.covers(0) && port.covers(143) && !port.covers(4) && !port.covers(144));
    }

    #[test]
    fn destroyers_are_known_by_name() {
        let unwinding = |number| Command::find(number, false).unwrap().unwinds();
        assert!([11, 33, 50, 62, 66].into_iter().all(unwinding));
        assert!(![1, 22, 65].into_iter().any(unwinding));
    }
}
