//! What comes out of a stream.

use core::ptr;

use hrry::{Event, Outcome, Payload, Rule};

/// The input is used up; give more, or finish.
pub const HRRY_EVENT_NEED_MORE: u32 = 0;
/// A whole, checked descriptor, and its place in a composite.
pub const HRRY_EVENT_DESCRIPTOR: u32 = 1;
/// Bytes of a buffer.
pub const HRRY_EVENT_PAYLOAD: u32 = 2;
/// All buffers of the tensor are there; what that closes.
pub const HRRY_EVENT_TENSOR_END: u32 = 3;

/// A tensor outside every composite.
pub const HRRY_OUTCOME_PLAIN: u32 = 0;
/// A head: `members` items follow and belong to it.
pub const HRRY_OUTCOME_OPENED: u32 = 1;
/// A tensor in a composite that goes on.
pub const HRRY_OUTCOME_MEMBER: u32 = 2;
/// The end of an item that was the last member of `levels` composites.
pub const HRRY_OUTCOME_CLOSED: u32 = 3;

/// `index` of a composite that is in no other.
pub const HRRY_NO_INDEX: u32 = 0xFFFFFFFF;

/// The place of an item among composites. What a kind does not name is 0.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hrry_outcome {
    /// HRRY_OUTCOME_.
    pub kind: u32,
    /// Opened, member: levels that are open, a new one included.
    pub depth: u32,
    /// Opened: items that follow and belong to it.
    pub members: u32,
    /// Opened, member: its index in the composite around it, or HRRY_NO_INDEX.
    pub index: u32,
    /// Closed: how many levels close.
    pub levels: u32,
    /// Closed: 0 where the outermost of the composites that close is whole, and so all that it holds; or the first rule
    /// that keeps it from being whole, which may have been broken in a member, earlier or now. Of the levels inside it
    /// nothing more is told. Only permissive mode gets here with a rule.
    pub broken_rule: u32,
}

/// What a call of `hrry_decoder_next` met. What a kind does not name is 0.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hrry_event {
    /// HRRY_EVENT_.
    pub kind: u32,
    /// Payload: index in the buffer table.
    pub buffer: u32,
    /// Payload: 1 if the buffer ends with these bytes.
    pub last: u32,
    /// Descriptor, tensor end: the place among composites.
    pub outcome: hrry_outcome,
    /// Payload: place of the first byte in the buffer.
    pub offset: u64,
    /// Payload: the bytes, in the input; they stay as long as the caller lets them.
    pub bytes: *const u8,
    /// Payload: how many there are, at least one.
    pub length: usize,
}

impl From<Outcome> for hrry_outcome {
    fn from(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Opened {
                depth,
                members,
                index,
            } => hrry_outcome {
                kind: HRRY_OUTCOME_OPENED,
                depth: depth.into(),
                members,
                index: index.unwrap_or(HRRY_NO_INDEX),
                ..PLAIN
            },
            Outcome::Member { depth, index } => hrry_outcome {
                kind: HRRY_OUTCOME_MEMBER,
                depth: depth.into(),
                index,
                ..PLAIN
            },
            Outcome::Closed {
                levels, complete, ..
            } => hrry_outcome {
                kind: HRRY_OUTCOME_CLOSED,
                levels: levels.into(),
                broken_rule: complete.map_or_else(Rule::number, |()| 0).into(),
                ..PLAIN
            },
            _ => PLAIN,
        }
    }
}

const PLAIN: hrry_outcome = hrry_outcome {
    kind: HRRY_OUTCOME_PLAIN,
    depth: 0,
    members: 0,
    index: 0,
    levels: 0,
    broken_rule: 0,
};

const NEED_MORE: hrry_event = hrry_event {
    kind: HRRY_EVENT_NEED_MORE,
    buffer: 0,
    last: 0,
    outcome: PLAIN,
    offset: 0,
    bytes: ptr::null(),
    length: 0,
};

impl From<Option<Event<'_, '_>>> for hrry_event {
    fn from(event: Option<Event<'_, '_>>) -> Self {
        match event {
            Some(Event::Descriptor(_, outcome)) => hrry_event {
                kind: HRRY_EVENT_DESCRIPTOR,
                outcome: outcome.into(),
                ..NEED_MORE
            },
            Some(Event::Payload(payload)) => payload.into(),
            Some(Event::TensorEnd(outcome)) => hrry_event {
                kind: HRRY_EVENT_TENSOR_END,
                outcome: outcome.into(),
                ..NEED_MORE
            },
            _ => NEED_MORE,
        }
    }
}

impl From<Payload<'_>> for hrry_event {
    fn from(payload: Payload<'_>) -> Self {
        hrry_event {
            kind: HRRY_EVENT_PAYLOAD,
            buffer: payload.buffer.into(),
            last: payload.last.into(),
            offset: payload.offset,
            bytes: payload.bytes.as_ptr(),
            length: payload.bytes.len(),
            ..NEED_MORE
        }
    }
}
