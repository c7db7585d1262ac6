//! Asking for a tensor.

use super::layouts::LayoutEntries;
use crate::check::Judge;
use crate::descriptor::Sink;
use crate::error::{Error, Field, Violation};
use crate::record::{Cursor, require};
use crate::rule::Rule;
use crate::wire::length;
use crate::wire::message::{REQUEST_FIELDS, request_flag};
use crate::wire::tag::DeviceTag;

/// `request_flags`: what a client allows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct RequestFlags(pub u32);

impl RequestFlags {
    /// The tensor as it is, on one stream.
    pub const NONE: Self = RequestFlags(0);
    /// The server may change the layout to a preferred one.
    pub const ALLOW_TRANSCODE: Self = RequestFlags(request_flag::ALLOW_TRANSCODE);
    /// The server may send shards on several streams.
    pub const PARALLEL_OK: Self = RequestFlags(request_flag::PARALLEL_OK);

    /// Whether all of these are there.
    #[must_use]
    pub const fn has(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// What one of the two says.
    #[must_use]
    pub const fn or(self, other: Self) -> Self {
        RequestFlags(self.0 | other.0)
    }
}

/// The payload of TENSOR_REQUEST.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct TensorRequest<'a> {
    /// Which tensor; any text, even none.
    pub tensor_key: &'a str,
    /// Layouts that suit the client, most preferred first; empty for no preference.
    pub preferred_layouts: LayoutEntries<'a>,
    /// Where the client wants the buffers.
    pub preferred_device: DeviceTag,
    /// Least alignment of the buffers, in bytes; a power of two.
    pub min_alignment: u32,
    /// What the client allows.
    pub request_flags: RequestFlags,
}

/// What is broken where fields do not fill the payload.
const FILL: Rule = Rule::Request;

impl<'a> TensorRequest<'a> {
    /// A request for a tensor in any layout, for the CPU, aligned to 64 bytes.
    #[must_use]
    pub const fn new(tensor_key: &'a str) -> Self {
        TensorRequest {
            tensor_key,
            preferred_layouts: LayoutEntries::EMPTY,
            preferred_device: DeviceTag::Cpu,
            min_alignment: 64,
            request_flags: RequestFlags::NONE,
        }
    }

    /// Reads the payload of a message that starts at an absolute offset.
    pub(super) fn read<J: Judge>(
        payload: &'a [u8],
        start: u64,
        judge: &mut J,
    ) -> Result<Self, Error> {
        let mut cursor = Cursor::new(payload, start, FILL);
        let tensor_key = cursor.text(Field::TensorKey)?;
        let preferred_layouts = LayoutEntries::read(&mut cursor, Field::PreferredLayouts)?;
        let [device] = cursor.number(Field::PreferredDevice)?;
        let at = cursor.spot(Field::MinAlignment);
        let min_alignment = cursor.number(Field::MinAlignment).map(u32::from_le_bytes)?;
        at.must(min_alignment.is_power_of_two(), FILL)?;
        let at = cursor.spot(Field::RequestFlags);
        let flags = cursor.number(Field::RequestFlags).map(u32::from_le_bytes)?;
        require(judge, is_defined(flags), FILL, at)?;
        let filled = cursor.rest().is_empty();
        require(judge, filled, FILL, cursor.spot(Field::MessageTail))?;
        Ok(TensorRequest {
            tensor_key,
            preferred_layouts,
            preferred_device: DeviceTag(device),
            min_alignment,
            request_flags: RequestFlags(flags),
        })
    }

    /// What a reader would refuse.
    pub(super) fn check(&self) -> Result<(), Violation> {
        self.preferred_layouts
            .check(Field::PreferredLayouts, FILL)?;
        let facts = [
            (self.min_alignment.is_power_of_two(), Field::MinAlignment),
            (is_defined(self.request_flags.0), Field::RequestFlags),
        ];
        match facts.into_iter().find(|(holds, _)| !holds) {
            None => Ok(()),
            Some((_, field)) => Err(Violation::of(FILL, field)),
        }
    }

    pub(super) fn encoded_len(&self) -> u64 {
        length(REQUEST_FIELDS)
            .wrapping_add(length(self.tensor_key.len()))
            .wrapping_add(self.preferred_layouts.encoded_len())
    }

    pub(super) fn write<W: Sink + ?Sized>(&self, sink: &mut W) -> Result<(), W::Error> {
        super::put_counted(self.tensor_key.as_bytes(), sink)?;
        self.preferred_layouts.write(sink)?;
        sink.put(&[self.preferred_device.0])?;
        sink.put(&self.min_alignment.to_le_bytes())?;
        sink.put(&self.request_flags.0.to_le_bytes())
    }
}

const fn is_defined(flags: u32) -> bool {
    flags & !request_flag::DEFINED == 0
}
