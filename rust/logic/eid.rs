// SPDX-License-Identifier: GPL-2.0

//! Entity identifiers (EIDs): the 16-byte addresses of the UB fabric, their texts and tables.
//!
//! An EID is written like an IPv6 address and travels in network byte order. An IPv4 address is an
//! EID in the usual mapped form `::ffff:a.b.c.d`. The all-zero EID means "none" everywhere.

use crate::env::{
    fmt,
    Flags,
    KVec,
    Result,
    EEXIST,
    EINVAL,
    ENOENT,
    ENOSPC, //
};

/// Bytes of an EID.
pub(crate) const EID_LEN: usize = 16;
/// Characters of the uncompressed text of an EID: eight groups of four digits, seven colons.
pub(crate) const EID_TEXT_LEN: usize = 39;
/// Largest number of entries of an EID table.
pub(crate) const MAX_EID_COUNT: usize = 1024;

/// An EID, 16 bytes in network byte order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub(crate) struct Eid([u8; EID_LEN]);

impl Eid {
    /// The EID that means "none".
    pub(crate) const ZERO: Self = Self([0; EID_LEN]);
    /// Leading bytes of a mapped IPv4 address.
    const IPV4_PREFIX: [u8; 12] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff];

    /// Makes an EID of its bytes.
    pub(crate) const fn from_bytes(bytes: [u8; EID_LEN]) -> Self {
        Self(bytes)
    }

    /// Returns the bytes.
    pub(crate) const fn as_bytes(&self) -> &[u8; EID_LEN] {
        &self.0
    }

    /// Returns the bytes by value.
    pub(crate) const fn into_bytes(self) -> [u8; EID_LEN] {
        self.0
    }

    /// Returns whether this is the EID that means "none".
    pub(crate) fn is_zero(&self) -> bool {
        *self == Self::ZERO
    }

    /// Returns the mapped form of an IPv4 address.
    pub(crate) const fn from_ipv4([a, b, c, d]: [u8; 4]) -> Self {
        Self([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, a, b, c, d])
    }

    /// Returns the IPv4 address of a mapped EID.
    pub(crate) fn to_ipv4(self) -> Option<[u8; 4]> {
        let (prefix, addr) = self.0.split_first_chunk::<12>()?;
        if *prefix == Self::IPV4_PREFIX {
            addr.first_chunk().copied()
        } else {
            None
        }
    }

    /// Returns whether this is a mapped IPv4 address.
    pub(crate) fn is_ipv4_mapped(&self) -> bool {
        self.to_ipv4().is_some()
    }

    /// Reads the text of an EID: IPv6 notation, with or without compression, or dotted IPv4.
    ///
    /// # Errors
    ///
    /// `EINVAL` for anything else; no blanks, zone, prefix length or leading zeros in IPv4 parts.
    pub(crate) fn parse(text: &[u8]) -> Result<Self> {
        let eid = if text.contains(&b':') {
            parse_ipv6(text)
        } else {
            parse_ipv4(text).map(Self::from_ipv4)
        };
        eid.ok_or(EINVAL)
    }

    /// Returns the uncompressed text.
    pub(crate) fn text(&self) -> EidText {
        const DIGITS: [u8; 16] = *b"0123456789abcdef";
        let digit = |value: u8| DIGITS.get(usize::from(value)).copied().unwrap_or(b'0');

        let mut text = [b':'; EID_TEXT_LEN];
        let groups = text.chunks_mut(5).zip(self.0.chunks_exact(2));
        for (place, group) in groups {
            let digits = group
                .iter()
                .flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]);
            for (to, from) in place.iter_mut().zip(digits) {
                *to = from;
            }
        }
        EidText(text)
    }
}

impl fmt::Display for Eid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text().as_str())
    }
}

impl fmt::Debug for Eid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text().as_str())
    }
}

/// The uncompressed text of an EID: lower-case digits, 39 characters.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct EidText([u8; EID_TEXT_LEN]);

impl EidText {
    /// Returns the characters.
    pub(crate) fn as_bytes(&self) -> &[u8; EID_TEXT_LEN] {
        &self.0
    }

    /// Returns the text.
    pub(crate) fn as_str(&self) -> &str {
        // Only ASCII was written, so the default is never used.
        core::str::from_utf8(&self.0).unwrap_or_default()
    }
}

/// Reads a dotted IPv4 address.
fn parse_ipv4(text: &[u8]) -> Option<[u8; 4]> {
    let mut addr = [0u8; 4];
    let mut parts = text.split(|&c| c == b'.');
    for byte in &mut addr {
        let part = parts.next()?;
        if part.is_empty() || part.len() > 3 || (part.len() > 1 && part.first() == Some(&b'0')) {
            return None;
        }
        for &c in part {
            if !c.is_ascii_digit() {
                return None;
            }
            *byte = byte.checked_mul(10)?.checked_add(c.wrapping_sub(b'0'))?;
        }
    }
    match parts.next() {
        None => Some(addr),
        Some(_) => None,
    }
}

/// Reads one group of an IPv6 address: one to four hexadecimal digits.
fn parse_group(text: &[u8]) -> Option<u16> {
    if text.is_empty() || text.len() > 4 {
        return None;
    }
    text.iter().try_fold(0u16, |group, &c| {
        let digit = char::from(c).to_digit(16)?;
        Some((group << 4) | u16::try_from(digit).ok()?)
    })
}

/// The groups of an IPv6 address, or of one side of its `::`.
#[derive(Default)]
struct Groups {
    /// The groups read so far.
    groups: [u16; 8],
    /// How many of them are valid.
    count: usize,
}

impl Groups {
    /// Appends a group; `None` when there are eight already.
    fn push(&mut self, group: u16) -> Option<()> {
        *self.groups.get_mut(self.count)? = group;
        self.count = self.count.checked_add(1)?;
        Some(())
    }

    /// Reads groups separated by single colons; the last may be a dotted IPv4 address.
    ///
    /// An empty text has no groups.
    fn parse(text: &[u8], may_end_dotted: bool) -> Option<Self> {
        let mut all = Self::default();
        if text.is_empty() {
            return Some(all);
        }
        let mut parts = text.split(|&c| c == b':').peekable();
        while let Some(part) = parts.next() {
            if may_end_dotted && parts.peek().is_none() && part.contains(&b'.') {
                let [a, b, c, d] = parse_ipv4(part)?;
                all.push(u16::from_be_bytes([a, b]))?;
                all.push(u16::from_be_bytes([c, d]))?;
            } else {
                all.push(parse_group(part)?)?;
            }
        }
        Some(all)
    }

    /// Returns the valid groups.
    fn valid(&self) -> &[u16] {
        self.groups.get(..self.count).unwrap_or_default()
    }
}

/// Reads an IPv6 address.
fn parse_ipv6(text: &[u8]) -> Option<Eid> {
    let gap = text.windows(2).position(|pair| pair == b"::");
    let (front, back) = match gap {
        Some(at) => (text.get(..at)?, text.get(at.checked_add(2)?..)?),
        None => (text, &[][..]),
    };
    let front = Groups::parse(front, gap.is_none())?;
    let back = Groups::parse(back, true)?;
    let given = front.count.checked_add(back.count)?;
    // A gap stands for at least one group.
    if (gap.is_none() && given != 8) || (gap.is_some() && given > 7) {
        return None;
    }

    let mut bytes = [0u8; EID_LEN];
    for (place, group) in bytes.chunks_exact_mut(2).zip(front.valid()) {
        place.copy_from_slice(&group.to_be_bytes());
    }
    let tail = bytes.rchunks_exact_mut(2).zip(back.valid().iter().rev());
    for (place, group) in tail {
        place.copy_from_slice(&group.to_be_bytes());
    }
    Some(Eid(bytes))
}

/// The EID table of a device.
///
/// The index of an EID is ABI and stays while the EID is valid. Each entry carries a tag of the
/// caller's, the network namespace that owns it. All memory is taken at the start, so the table
/// can live under a spinlock; what removals return should be dropped after unlocking.
pub(crate) struct EidTable<N> {
    /// One slot per index; never grows. No entry is the zero EID and no EID appears twice.
    slots: KVec<Option<(Eid, N)>>,
}

impl<N> EidTable<N> {
    /// Makes an empty table.
    ///
    /// # Errors
    ///
    /// `EINVAL` unless `capacity` is 1..=1024, `ENOMEM` without memory.
    pub(crate) fn new(capacity: usize, flags: Flags) -> Result<Self> {
        if capacity == 0 || capacity > MAX_EID_COUNT {
            return Err(EINVAL);
        }
        let mut slots = KVec::with_capacity(capacity, flags)?;
        for _ in 0..capacity {
            slots.push(None, flags)?;
        }
        Ok(Self { slots })
    }

    /// Returns the number of slots.
    pub(crate) fn capacity(&self) -> usize {
        self.slots.len()
    }

    /// Returns the number of valid EIDs.
    pub(crate) fn count(&self) -> usize {
        self.iter().count()
    }

    /// Iterates over the valid entries in the order of their index.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (u32, &Eid, &N)> {
        (0u32..)
            .zip(self.slots.iter())
            .filter_map(|(index, slot)| slot.as_ref().map(|(eid, tag)| (index, eid, tag)))
    }

    /// Returns the index of an EID; the zero EID has none.
    pub(crate) fn find(&self, eid: &Eid) -> Option<u32> {
        self.iter()
            .find(|(_, known, _)| *known == eid)
            .map(|(index, _, _)| index)
    }

    /// Returns the valid entry at `index`.
    pub(crate) fn get(&self, index: u32) -> Option<(&Eid, &N)> {
        let slot = self.slots.get(usize::try_from(index).ok()?)?;
        slot.as_ref().map(|(eid, tag)| (eid, tag))
    }

    /// Returns the slot at `index`, valid or not.
    fn slot(&mut self, index: u32) -> Result<&mut Option<(Eid, N)>> {
        let index = usize::try_from(index).map_err(|_| EINVAL)?;
        self.slots.get_mut(index).ok_or(EINVAL)
    }

    /// Refuses an EID that may not be added.
    fn check_new(&self, eid: &Eid) -> Result {
        if eid.is_zero() {
            Err(EINVAL)
        } else if self.find(eid).is_some() {
            Err(EEXIST)
        } else {
            Ok(())
        }
    }

    /// Adds an EID at a given index.
    ///
    /// # Errors
    ///
    /// `EINVAL` for the zero EID or an index outside the table, `EEXIST` when the EID is present
    /// or the slot taken.
    pub(crate) fn add_at(&mut self, index: u32, eid: Eid, tag: N) -> Result {
        self.check_new(&eid)?;
        match self.slot(index)? {
            Some(_) => Err(EEXIST),
            slot => {
                *slot = Some((eid, tag));
                Ok(())
            }
        }
    }

    /// Adds an EID at the lowest free index, which it returns.
    ///
    /// # Errors
    ///
    /// `EINVAL` for the zero EID, `EEXIST` when it is present, `ENOSPC` when the table is full.
    pub(crate) fn add(&mut self, eid: Eid, tag: N) -> Result<u32> {
        self.check_new(&eid)?;
        let mut slots = (0u32..).zip(self.slots.iter_mut());
        let (index, slot) = slots.find(|(_, slot)| slot.is_none()).ok_or(ENOSPC)?;
        *slot = Some((eid, tag));
        Ok(index)
    }

    /// Removes the EID at an index and returns the entry.
    ///
    /// # Errors
    ///
    /// `EINVAL` for an index outside the table, `ENOENT` when the slot is empty.
    pub(crate) fn remove_at(&mut self, index: u32) -> Result<(Eid, N)> {
        self.slot(index)?.take().ok_or(ENOENT)
    }

    /// Replaces the tag of an entry and returns the old one.
    ///
    /// # Errors
    ///
    /// `EINVAL` for an index outside the table, `ENOENT` when the slot is empty.
    pub(crate) fn set_tag(&mut self, index: u32, tag: N) -> Result<N> {
        let (_, old) = self.slot(index)?.as_mut().ok_or(ENOENT)?;
        Ok(core::mem::replace(old, tag))
    }
}

#[cfg(test)]
#[path = "tests/eid.rs"]
mod tests;
