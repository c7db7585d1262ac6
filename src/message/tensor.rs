//! Messages that begin a tensor: its descriptor and what the transport says of it.

use super::placed;
use crate::composite::SetError;
use crate::descriptor::DescriptorView;
use crate::descriptor::decode::{stated_length, wrong_magic};
use crate::error::{Error, Field, Violation};
use crate::model::{Fields, Layout, data_bytes};
use crate::policy::Policy;
use crate::record::{Cursor, Spot};
use crate::rule::Rule;
use crate::wire::descriptor::{Facts, LENGTH_KNOWN};
use crate::wire::message::{MESSAGE_HEADER, TRANSPORT_FIELDS, transport_offset};
use crate::wire::{length, u32, u64};

/// Which part of a parallel transfer a tensor is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct ShardNumber {
    /// Its number, below `total`; the place in the tensor follows from the shard section alone.
    pub index: u32,
    /// How many shards there are, each on a stream of its own.
    pub total: u32,
}

impl ShardNumber {
    /// A tensor on one stream.
    pub const WHOLE: Self = ShardNumber { index: 0, total: 1 };

    /// Of the fields behind a descriptor.
    fn read(fields: &[u8]) -> Self {
        ShardNumber {
            index: u32(fields, transport_offset(Field::ShardIndex)),
            total: u32(fields, transport_offset(Field::TotalShards)),
        }
    }

    /// What of them is wrong, on a tensor that has a shard section or not.
    pub(super) fn check(self, has_shard: bool) -> Result<(), Violation> {
        if self.index >= self.total {
            let field = match self.total {
                0 => Field::TotalShards,
                _ => Field::ShardIndex,
            };
            return Err(Violation::of(Rule::ShardCount, field));
        }
        match has_shard || self.total == 1 {
            true => Ok(()),
            false => Err(Violation::of(Rule::ShardMissing, Field::TotalShards)),
        }
    }
}

/// The payload of TENSOR_DESCRIPTOR.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct TensorDescriptor<'a> {
    /// The descriptor, checked as one that comes from another machine.
    pub descriptor: DescriptorView<'a>,
    /// Bytes of all its buffers, which follow each other in TENSOR_DATA without padding.
    pub total_data_bytes: u64,
    /// Which part of a parallel transfer it is.
    pub shard: ShardNumber,
}

/// The payload of TENSOR_PUT.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct TensorPut<'a> {
    /// Which tensor; any text, even none.
    pub tensor_key: &'a str,
    /// The descriptor, checked as one that comes from another machine.
    pub descriptor: DescriptorView<'a>,
    /// Bytes of all its buffers, which follow each other in TENSOR_DATA without padding.
    pub total_data_bytes: u64,
}

/// What is broken where fields do not fill the payload of a put.
const FILL: Rule = Rule::Put;

impl<'a> TensorDescriptor<'a> {
    /// Reads the payload of a message that starts at an absolute offset.
    pub(super) fn read(payload: &'a [u8], start: u64, policy: &Policy) -> Result<Self, Error> {
        const FILLS: Rule = Rule::DescriptorPayload;
        let room = payload.len().checked_sub(TRANSPORT_FIELDS);
        let Some((bytes, fields)) = room.and_then(|room| payload.split_at_checked(room)) else {
            let header = start.saturating_sub(length(MESSAGE_HEADER));
            return Err(placed(Violation::of(FILLS, Field::PayloadLength), header));
        };
        let descriptor = descriptor(bytes, start, FILLS, policy)?;
        let behind = start.saturating_add(length(bytes.len()));
        let total_data_bytes = total(&mut Cursor::new(fields, behind, FILLS), &descriptor)?;
        let shard = ShardNumber::read(fields);
        let has_shard = descriptor.shard().is_some();
        shard.check(has_shard).map_err(|broken| {
            let at = behind.saturating_add(length(transport_offset(broken.field)));
            Spot::new(broken.field, at).error(broken.rule)
        })?;
        Ok(TensorDescriptor {
            descriptor,
            total_data_bytes,
            shard,
        })
    }

    /// Reads a payload again that was read before.
    pub(super) fn again(payload: &'a [u8], start: u64, facts: Facts) -> Self {
        let room = payload.len().saturating_sub(TRANSPORT_FIELDS);
        let (bytes, fields) = payload.split_at_checked(room).unwrap_or((payload, &[]));
        TensorDescriptor {
            descriptor: DescriptorView::new(bytes, facts, start),
            total_data_bytes: u64(fields, 0),
            shard: ShardNumber::read(fields),
        }
    }
}

impl<'a> TensorPut<'a> {
    /// Reads the payload of a message that starts at an absolute offset.
    pub(super) fn read(payload: &'a [u8], start: u64, policy: &Policy) -> Result<Self, Error> {
        let mut cursor = Cursor::new(payload, start, FILL);
        let tensor_key = cursor.text(Field::TensorKey)?;
        let (bytes, at) = cursor.counted(Field::Descriptor)?;
        let descriptor = descriptor(bytes, at.offset(), FILL, policy)?;
        check_put(&descriptor).map_err(|broken| {
            let (kind, origin) = (broken.into(), at.offset());
            SetError { kind, origin }.placed(Some(&descriptor))
        })?;
        let total_data_bytes = total(&mut cursor, &descriptor)?;
        let tail = cursor.spot(Field::MessageTail);
        tail.must(cursor.rest().is_empty(), FILL)?;
        Ok(TensorPut {
            tensor_key,
            descriptor,
            total_data_bytes,
        })
    }

    /// Reads a payload again that was read before.
    pub(super) fn again(payload: &'a [u8], start: u64, facts: Facts) -> Result<Self, Error> {
        let mut cursor = Cursor::new(payload, start, FILL);
        let tensor_key = cursor.text(Field::TensorKey)?;
        let (bytes, at) = cursor.counted(Field::Descriptor)?;
        Ok(TensorPut {
            tensor_key,
            descriptor: DescriptorView::new(bytes, facts, at.offset()),
            total_data_bytes: u64(cursor.rest(), 0),
        })
    }
}

/// Requires of a tensor that is to be put that no members would follow it.
pub(super) fn check_put<F: Fields + ?Sized>(d: &F) -> Result<(), Violation> {
    match d.layout() {
        Layout::Composite(head) if head.member_count > 0 => {
            Err(Violation::of(Rule::PutHead, Field::MemberCount))
        }
        _ => Ok(()),
    }
}

/// Reads a descriptor that is to be all of `bytes`; another length breaks `fills`.
fn descriptor<'a>(
    bytes: &'a [u8],
    start: u64,
    fills: Rule,
    policy: &Policy,
) -> Result<DescriptorView<'a>, Error> {
    let stated = u64::from(stated_length(bytes));
    let states_it = bytes.len() >= LENGTH_KNOWN && stated == length(bytes.len());
    let at = Spot::new(Field::Descriptor, start);
    at.must(states_it || wrong_magic(bytes).is_some(), fills)?;
    let (view, _) = crate::descriptor::decode::parse_at(bytes, start, policy)?;
    Ok(view)
}

/// Reads `total_data_bytes`.
fn total(cursor: &mut Cursor<'_>, d: &DescriptorView<'_>) -> Result<u64, Error> {
    let at = cursor.spot(Field::TotalDataBytes);
    let bytes: [u8; 8] = cursor.number(Field::TotalDataBytes)?;
    let total = u64(&bytes, 0);
    // where the buffers are unknown, all that is known is what the transport says
    at.must(d.is_opaque() || data_bytes(d) == Some(total), TOTAL)?;
    Ok(total)
}

/// What is broken where `total_data_bytes` is not the sum of all buffers.
const TOTAL: Rule = Rule::TotalBytes;

/// `total_data_bytes` of a tensor that is written.
pub(super) fn checked_data_bytes<F: Fields + ?Sized>(d: &F) -> Result<u64, Violation> {
    data_bytes(d).ok_or(Violation::of(TOTAL, Field::TotalDataBytes))
}
