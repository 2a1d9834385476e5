// SPDX-License-Identifier: GPL-2.0

//! Codec of the type-length-value ABI of the `uburma` files.
//!
//! A command is a 16-byte header in user memory that names an array of 16-byte attribute records;
//! each record names a piece of user memory. The caller copies the header and the array once and
//! hands the copies to this file, which answers with *plans*: where to copy and how many bytes.
//! Every byte count of a plan comes from the kernel's own [`AttrSpec`] tables. What the user sent
//! can only make a plan fail or be absent, or lower the number of elements of an output array.
//!
//! Callers that name all attributes of a command in the order of its tables, as those do that sort
//! them by id, are served fastest.
//!
//! All machines this ABI exists on are little-endian, and so is the codec.

use crate::env::{
    Result,
    EFAULT,
    EINVAL, //
};

/// Bytes of a command header.
pub(crate) const HEADER_LEN: usize = 16;
/// Bytes of one attribute record.
pub(crate) const ATTR_LEN: usize = 16;
/// The words of one attribute record, as the user wrote them.
pub(crate) type Record = [u64; 2];
/// Largest number of attribute records of a command (fewer than 2048 bytes).
pub(crate) const MAX_ATTRS: usize = 127;
/// Largest number of attribute records of an event command (fewer than 256 bytes).
pub(crate) const MAX_EVENT_ATTRS: usize = 15;
/// First attribute id that means output; lower ids are input.
pub(crate) const FIRST_OUTPUT: u8 = 0x80;

/// Kind of file a header arrived on; it selects the limit on the array length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Channel {
    /// The device file.
    Device,
    /// One of the event files.
    Event,
}

/// A checked command header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Header {
    /// Command number, not yet looked up.
    pub(crate) command: u32,
    /// Bytes of the attribute array: a non-zero multiple of [`ATTR_LEN`], within the limit.
    pub(crate) args_len: u32,
    /// User address of the attribute array, not zero.
    pub(crate) args_addr: u64,
}

impl Header {
    /// Decodes and checks a header.
    ///
    /// # Errors
    ///
    /// `EINVAL` when the array length is zero, not a multiple of 16 or too large for the channel,
    /// or when the array address is zero.
    #[inline]
    pub(crate) fn parse([head, addr]: [u64; 2], channel: Channel) -> Result<Self> {
        let head = u64::from_le(head);
        let header = Self {
            // CAST: The two halves.
            command: head as u32,
            args_len: (head >> 32) as u32,
            args_addr: u64::from_le(addr),
        };
        let max_attrs = match channel {
            Channel::Device => MAX_ATTRS,
            Channel::Event => MAX_EVENT_ATTRS,
        };
        let whole = header.args_len as usize % ATTR_LEN == 0;
        let count = header.attr_count();
        if !whole || count == 0 || count > max_attrs || header.args_addr == 0 {
            return Err(EINVAL);
        }
        Ok(header)
    }

    /// Returns the number of attribute records in the array.
    pub(crate) fn attr_count(&self) -> usize {
        self.args_len as usize / ATTR_LEN
    }
}

/// One attribute record as the user wrote it; any 16 bytes are a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Attr {
    /// Id (8 bits; below [`FIRST_OUTPUT`] input, else output), a byte without meaning, bytes per
    /// element (16), number of elements (12), their distance in bytes (12; 0 for a single one), 8
    /// reserved bits: from the low end up.
    head: u64,
    /// User address of the first element.
    data: u64,
}

impl Attr {
    /// Decodes a record.
    #[inline]
    fn decode([head, data]: &Record) -> Self {
        Self {
            head: u64::from_le(*head),
            data: u64::from_le(*data),
        }
    }

    /// Returns the id.
    #[inline]
    fn id(&self) -> u8 {
        // CAST: The field.
        self.head as u8
    }

    /// Returns the bytes per element.
    #[inline]
    fn field_size(&self) -> u16 {
        // CAST: The field.
        (self.head >> 16) as u16
    }

    /// Returns the number of elements.
    #[inline]
    fn el_num(&self) -> u16 {
        // CAST: Fits.
        ((self.head >> 32) & 0xfff) as u16
    }

    /// Returns the distance between elements.
    #[inline]
    fn el_size(&self) -> u16 {
        // CAST: Fits.
        ((self.head >> 44) & 0xfff) as u16
    }
}

/// Whether a command can do without an attribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Requirement {
    /// Absence is `EINVAL`.
    Required,
    /// An absent input reads as zeros, an absent output is not written.
    Optional,
}

/// Direction of a table of specs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Direction {
    /// User to kernel.
    Input,
    /// Kernel to user.
    Output,
}

/// How many elements the user's record must announce.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Count {
    /// Exactly the spec's number (inputs).
    Exact,
    /// At least the spec's number (outputs of fixed shape).
    AtLeast,
    /// Any number; the smaller of both is written (output arrays of variable length).
    UpTo,
}

/// What the kernel expects of one attribute of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct AttrSpec {
    /// Attribute id.
    pub(crate) id: u8,
    /// Bytes per element, not zero.
    pub(crate) size: u16,
    /// Number of elements, at least 1.
    pub(crate) el_num: u16,
    /// Distance between elements in bytes; 0 for a single element.
    pub(crate) stride: u16,
    /// Whether the attribute must be present.
    pub(crate) requirement: Requirement,
    /// Rule for the element count.
    count: Count,
    /// What the record of a single element must say, where [`SINGLE`] has bits.
    single: u64,
}

/// The fields of a record's first word that matter for a single element: id, size and number.
const SINGLE: u64 = 0x0fff_ffff_00ff;

impl AttrSpec {
    /// Builds a spec; the constructors below are the public forms.
    const fn new(id: u8, size: u16, requirement: Requirement, count: Count) -> Self {
        Self {
            id,
            size,
            el_num: 1,
            stride: 0,
            requirement,
            count,
            // CAST: Widens.
            single: id as u64 | (size as u64) << 16 | 1 << 32,
        }
    }

    /// Tells whether a record is that of a single element, as this spec wants one.
    #[inline]
    fn is_single(&self, attr: &Attr) -> bool {
        self.stride == 0 && (attr.head ^ self.single) & SINGLE == 0
    }

    /// Plans the copy of an input attribute; see [`AttrTable::input`].
    #[inline]
    fn plan_input(&self, attr: &Attr) -> Result<InPlan> {
        if !self.is_single(attr) && (attr.field_size() != self.size || attr.el_num() != self.el_num)
        {
            return Err(EINVAL);
        }
        check_range(attr.data, u64::from(self.size))?;
        Ok(InPlan {
            addr: attr.data,
            len: usize::from(self.size),
        })
    }

    /// Plans the copy of an output attribute; see [`AttrTable::output`].
    #[inline]
    fn plan_output(&self, attr: &Attr) -> Result<OutPlan> {
        if self.is_single(attr) {
            check_range(attr.data, u64::from(self.size))?;
        } else {
            self.check_output(attr)?;
        }
        Ok(self.output_plan(attr))
    }

    /// Checks the shape of an output attribute.
    fn check_output(&self, attr: &Attr) -> Result {
        if attr.field_size() != self.size {
            return Err(EINVAL);
        }
        let enough = self.count == Count::UpTo || attr.el_num() >= self.el_num;
        if !enough || self.stride != 0 && attr.el_size() != self.stride {
            return Err(EINVAL);
        }
        if let Some(last) = self.output_count(attr).checked_sub(1) {
            // All three have 16 bits.
            let span = u64::from(last)
                .wrapping_mul(u64::from(self.stride))
                .wrapping_add(u64::from(self.size));
            check_range(attr.data, span)?;
        }
        Ok(())
    }

    /// Returns how many elements of an output attribute may be written.
    #[inline]
    fn output_count(&self, attr: &Attr) -> u16 {
        match self.count {
            Count::UpTo => self.el_num.min(attr.el_num()),
            Count::Exact | Count::AtLeast => self.el_num,
        }
    }

    /// Plans the copy of an output attribute that has been checked.
    #[inline]
    fn output_plan(&self, attr: &Attr) -> OutPlan {
        OutPlan {
            addr: attr.data,
            size: usize::from(self.size),
            count: self.output_count(attr),
            stride: self.stride,
        }
    }

    /// A mandatory input of `size` bytes.
    pub(crate) const fn input(id: u8, size: u16) -> Self {
        Self::new(id, size, Requirement::Required, Count::Exact)
    }

    /// An input of `size` bytes that reads as zeros when absent.
    pub(crate) const fn optional_input(id: u8, size: u16) -> Self {
        Self::new(id, size, Requirement::Optional, Count::Exact)
    }

    /// An output of `size` bytes, written when present.
    pub(crate) const fn output(id: u8, size: u16) -> Self {
        Self::new(id, size, Requirement::Optional, Count::AtLeast)
    }

    /// An output of `size` bytes without which the command makes no sense.
    pub(crate) const fn required_output(id: u8, size: u16) -> Self {
        Self::new(id, size, Requirement::Required, Count::AtLeast)
    }

    /// One member of `el_num` structs that lie `stride` bytes apart, written when present.
    pub(crate) const fn strided_output(id: u8, size: u16, el_num: u16, stride: u16) -> Self {
        let spec = Self::output(id, size);
        Self {
            el_num,
            stride,
            ..spec
        }
    }

    /// A dense array of at most `max_el` elements; the user's record says how many fit.
    pub(crate) const fn array_output(id: u8, size: u16, max_el: u16) -> Self {
        let spec = Self::new(id, size, Requirement::Optional, Count::UpTo);
        Self {
            el_num: max_el,
            stride: size,
            ..spec
        }
    }

    /// Returns whether the spec is well formed for `direction`.
    const fn is_valid(&self, direction: Direction) -> bool {
        let placed = match direction {
            Direction::Input => self.id < FIRST_OUTPUT && matches!(self.count, Count::Exact),
            Direction::Output => self.id >= FIRST_OUTPUT && !matches!(self.count, Count::Exact),
        };
        let single = self.el_num == 1 && self.stride == 0;
        let spread = self.el_num >= 1 && self.el_num <= 0xfff && self.stride >= self.size;
        placed && self.size != 0 && self.stride <= 0xfff && (single || spread)
    }
}

/// Returns whether a table of specs is well formed: right direction, no zero size, no id twice.
///
/// Meant for constant assertions next to the command tables.
// A `for` loop is not possible in a `const fn`, so the indices are explicit and bounded here.
#[allow(clippy::indexing_slicing, clippy::arithmetic_side_effects)]
pub(crate) const fn specs_are_valid(specs: &[AttrSpec], direction: Direction) -> bool {
    let mut i = 0;
    while i < specs.len() {
        if !specs[i].is_valid(direction) {
            return false;
        }
        let mut j = 0;
        while j < i {
            if specs[j].id == specs[i].id {
                return false;
            }
            j += 1;
        }
        i += 1;
    }
    true
}

/// Where to read an input attribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct InPlan {
    /// User address.
    pub(crate) addr: u64,
    /// Bytes to read, from the spec.
    pub(crate) len: usize,
}

/// Where to write an output attribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct OutPlan {
    /// User address of the first element.
    pub(crate) addr: u64,
    /// Bytes per element, from the spec.
    pub(crate) size: usize,
    /// Number of elements that may be written; 0 is possible for variable arrays only.
    pub(crate) count: u16,
    /// Distance between elements in bytes, from the spec; 0 for a single element.
    pub(crate) stride: u16,
}

impl OutPlan {
    /// Returns the user address and the length of element `index`.
    ///
    /// # Errors
    ///
    /// `EINVAL` when `index` is outside the plan, `EFAULT` when the address wraps.
    pub(crate) fn element(&self, index: u16) -> Result<(u64, usize)> {
        if index >= self.count {
            return Err(EINVAL);
        }
        // Both factors have 16 bits.
        let offset = u64::from(index).wrapping_mul(u64::from(self.stride));
        let addr = self.addr.checked_add(offset).ok_or(EFAULT)?;
        Ok((addr, self.size))
    }
}

/// A snapshot of a command's attribute array.
///
/// The first record of an id wins; unknown and surplus records are ignored.
pub(crate) struct AttrTable<'a> {
    /// The copied array: at least one and at most [`MAX_ATTRS`] records.
    records: &'a [Record],
}

impl<'a> AttrTable<'a> {
    /// Takes a copied attribute array.
    ///
    /// # Errors
    ///
    /// `EINVAL` when it is empty or above [`MAX_ATTRS`] records.
    #[inline]
    pub(crate) fn new(records: &'a [Record]) -> Result<Self> {
        if records.is_empty() || records.len() > MAX_ATTRS {
            return Err(EINVAL);
        }
        Ok(Self { records })
    }

    /// Returns the number of records, known or not.
    pub(crate) fn len(&self) -> usize {
        self.records.len()
    }

    /// Returns the first record of a spec; `None` when it is absent and optional.
    fn find(&self, spec: &AttrSpec) -> Result<Option<Attr>> {
        let mut attrs = self.records.iter().map(Attr::decode);
        required(spec, attrs.find(|attr| attr.id() == spec.id))
    }

    /// Plans the copy of an input attribute; `None` when it is optional and absent (all zeros).
    ///
    /// # Errors
    ///
    /// `EINVAL` when a required attribute is absent or the shape differs from the spec; `EFAULT`
    /// when the user range wraps.
    pub(crate) fn input(&self, spec: &AttrSpec) -> Result<Option<InPlan>> {
        let attr = self.find(spec)?;
        attr.map(|attr| spec.plan_input(&attr)).transpose()
    }

    /// Plans the copy of an output attribute; `None` when it is optional and absent (skip it).
    ///
    /// # Errors
    ///
    /// `EINVAL` when a required attribute is absent, the element size or stride differs, or the
    /// user announces fewer elements than the kernel writes; `EFAULT` when the user range wraps.
    pub(crate) fn output(&self, spec: &AttrSpec) -> Result<Option<OutPlan>> {
        let attr = self.find(spec)?;
        attr.map(|attr| spec.plan_output(&attr)).transpose()
    }

    /// Checks all attributes of a command, so that a bad one is refused before anything happens,
    /// and hands them to `then`.
    ///
    /// # Errors
    ///
    /// Those of [`input`](Self::input), [`output`](Self::output) and `then`.
    #[inline]
    pub(crate) fn check<R>(
        &self,
        inputs: &[AttrSpec],
        outputs: &[AttrSpec],
        then: impl FnOnce(Checked<'_>) -> Result<R>,
    ) -> Result<R> {
        if self.is_plain(inputs, outputs) || self.check_in_order(inputs, outputs)? {
            return then(Checked {
                records: self.records,
                index: None,
            });
        }
        self.check_by_id(inputs, outputs, then)
    }

    /// Tells whether the first records are good ones of the specs, in their order; only of single
    /// elements, and for addresses of users. Otherwise it needs a closer look.
    #[inline]
    fn is_plain(&self, inputs: &[AttrSpec], outputs: &[AttrSpec]) -> bool {
        let Some((first, rest)) = self.records.split_at_checked(inputs.len()) else {
            return false;
        };
        if rest.len() < outputs.len() {
            return false;
        }
        let oddities = |specs: &[AttrSpec], records: &[Record]| {
            let pairs = specs.iter().zip(records);
            pairs.fold(0, |odd, (spec, record)| {
                let attr = Attr::decode(record);
                odd | ((attr.head ^ spec.single) & SINGLE)
                    | u64::from(spec.stride)
                    // Below this, no range of a spec's size wraps.
                    | (attr.data >> 63)
            })
        };
        oddities(inputs, first) | oddities(outputs, rest) == 0
    }

    /// Checks the attributes of a command if they are the first records, in the order of the specs;
    /// otherwise returns `false`.
    ///
    /// No id is there twice in the specs, so such records are the first ones of their ids.
    #[inline(never)]
    fn check_in_order(&self, inputs: &[AttrSpec], outputs: &[AttrSpec]) -> Result<bool> {
        let mut attrs = self.records.iter().map(Attr::decode);
        for spec in inputs {
            match attrs.next() {
                Some(attr) if attr.id() == spec.id => spec.plan_input(&attr)?,
                _ => return Ok(false),
            };
        }
        for spec in outputs {
            match attrs.next() {
                Some(attr) if attr.id() == spec.id => spec.plan_output(&attr)?,
                _ => return Ok(false),
            };
        }
        Ok(true)
    }

    /// Checks the attributes of a command in any order, in time linear in the number of records.
    #[inline(never)]
    fn check_by_id<R>(
        &self,
        inputs: &[AttrSpec],
        outputs: &[AttrSpec],
        then: impl FnOnce(Checked<'_>) -> Result<R>,
    ) -> Result<R> {
        let mut index = [0; 256];
        for (record, position) in self.records.iter().zip(1u8..) {
            let id = usize::from(Attr::decode(record).id());
            if let Some(slot @ 0) = index.get_mut(id) {
                *slot = position;
            }
        }
        let checked = Checked {
            records: self.records,
            index: Some(&index),
        };
        for (spec, place) in inputs.iter().zip(0..) {
            if let Some(attr) = required(spec, checked.find(place, spec))? {
                spec.plan_input(&attr)?;
            }
        }
        for (spec, place) in outputs.iter().zip(0..) {
            if let Some(attr) = required(spec, checked.find(place, spec))? {
                spec.plan_output(&attr)?;
            }
        }
        then(checked)
    }
}

/// Refuses the absence of a required attribute.
fn required(spec: &AttrSpec, attr: Option<Attr>) -> Result<Option<Attr>> {
    match (attr, spec.requirement) {
        (None, Requirement::Required) => Err(EINVAL),
        (attr, _) => Ok(attr),
    }
}

/// An attribute array that [`AttrTable::check`] has compared with the specs of its command.
///
/// It answers for those specs, and does not compare again. `place` is that of the spec among all of
/// the command, inputs first.
#[derive(Clone, Copy)]
pub(crate) struct Checked<'a> {
    /// The copied array.
    records: &'a [Record],
    /// Position of the first record of each id plus one, 0 for absent ones. Without it, the first
    /// records are those of the specs, in their order.
    index: Option<&'a [u8; 256]>,
}

impl Checked<'_> {
    /// Returns the record of a spec.
    #[inline]
    fn find(&self, place: usize, spec: &AttrSpec) -> Option<Attr> {
        let position = match self.index {
            None => place,
            Some(index) => usize::from(*index.get(usize::from(spec.id))?).checked_sub(1)?,
        };
        self.records.get(position).map(Attr::decode)
    }

    /// Returns the first `N` records if those are the records of the specs, in their order.
    #[inline]
    pub(crate) fn in_order<const N: usize>(&self) -> Option<&[Record; N]> {
        match self.index {
            None => self.records.first_chunk(),
            Some(_) => None,
        }
    }

    /// As [`input`](Self::input), with what [`in_order`](Self::in_order) returned.
    #[inline(always)]
    pub(crate) fn input_of<const N: usize>(
        &self,
        first: Option<&[Record; N]>,
        place: usize,
        spec: &AttrSpec,
    ) -> Option<InPlan> {
        match first.and_then(|first| first.get(place)) {
            Some(record) => Some(InPlan {
                addr: Attr::decode(record).data,
                len: usize::from(spec.size),
            }),
            None => self.input(place, spec),
        }
    }

    /// Plans the copy of an input attribute; `None` when it is absent.
    #[inline]
    pub(crate) fn input(&self, place: usize, spec: &AttrSpec) -> Option<InPlan> {
        Some(InPlan {
            addr: self.find(place, spec)?.data,
            len: usize::from(spec.size),
        })
    }

    /// Plans the copy of an output attribute; `None` when it is absent.
    #[inline]
    pub(crate) fn output(&self, place: usize, spec: &AttrSpec) -> Option<OutPlan> {
        Some(spec.output_plan(&self.find(place, spec)?))
    }
}

/// Refuses a user range that wraps around the address space.
fn check_range(addr: u64, len: u64) -> Result {
    addr.checked_add(len).map(|_| ()).ok_or(EFAULT)
}

#[cfg(test)]
#[path = "tests/tlv.rs"]
mod tests;
