//! What comes out of a stream.

use core::fmt;

use crate::composite::Outcome;
use crate::descriptor::DescriptorView;

/// What a parser met.
///
/// `stream = tensor*`, `tensor = Descriptor Payload* TensorEnd`. The descriptor borrows the parser, the
/// payload the chunk it came in.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum Event<'p, 'c> {
    /// A whole, checked descriptor, and its place in a composite.
    Descriptor(DescriptorView<'p>, Outcome),
    /// Bytes of a buffer.
    Payload(Payload<'c>),
    /// All buffers of the tensor are there; what that closes.
    TensorEnd(Outcome),
}

/// Bytes of one buffer: ascending, without gaps, buffer after buffer. Empty buffers have none.
///
/// A piece ends where a chunk of input ends, which may be inside an element: from a UART that gives three bytes a
/// read, pieces of int16 elements have three bytes. So bytes are put where `offset` says, and read as numbers when the
/// buffer, or enough of it, is there:
///
/// ```
/// # use hrry::{BufferHandle, DescriptorSpec, ElementType, Event, Layout, Policy, encode, profile::Sensor};
/// # let buffers = [BufferHandle::cpu(4, 64)];
/// # let spec = DescriptorSpec::new(ElementType::Int16, &[2], Layout::RowMajor, &buffers);
/// # let mut stream = [0; 53 + 4];
/// # encode(&spec, &mut stream, &Policy::STRICT)?;
/// # stream[53..].copy_from_slice(&[0xE8, 0x03, 0xFF, 0xFF]);
/// # let mut decoder = Sensor::new(Policy::STRICT);
/// # let mut numbers = [0i16; 2];
/// let mut tensor = [0; 4];
/// for mut chunk in stream.chunks(3) {
///     while let Some(event) = decoder.next_event(&mut chunk)? {
///         if let Event::Payload(p) = event {
///             let start = p.offset as usize;
///             tensor[start..start + p.bytes.len()].copy_from_slice(p.bytes);
///             if p.last {
///                 hrry::element::decode(ElementType::Int16, &tensor, 0, &mut numbers)?;
///             }
///         }
///     }
/// }
/// assert_eq!(numbers, [1000, -1]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Payload<'c> {
    /// Index in the buffer table.
    pub buffer: u8,
    /// Place of the first byte in the buffer.
    pub offset: u64,
    /// Whether the buffer ends with these bytes.
    pub last: bool,
    /// At least one byte.
    pub bytes: &'c [u8],
}

impl fmt::Debug for Payload<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Payload")
            .field("buffer", &self.buffer)
            .field("offset", &self.offset)
            .field("last", &self.last)
            .field("len", &self.bytes.len())
            .finish()
    }
}

/// An event without what it borrows, so that a loop may look for the next one where none came.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Mark {
    Descriptor(Outcome),
    Payload {
        buffer: u8,
        offset: u64,
        last: bool,
        /// Bytes, which are all that was taken of the chunk.
        len: usize,
    },
    TensorEnd(Outcome),
}

impl Mark {
    pub(super) fn of(event: Event<'_, '_>) -> Self {
        match event {
            Event::Descriptor(_, outcome) => Mark::Descriptor(outcome),
            Event::Payload(payload) => Mark::Payload {
                buffer: payload.buffer,
                offset: payload.offset,
                last: payload.last,
                len: payload.bytes.len(),
            },
            Event::TensorEnd(outcome) => Mark::TensorEnd(outcome),
        }
    }

    /// The event again, from the descriptor in the frame and the bytes that were taken with it.
    pub(super) fn event<'p, 'c>(
        self,
        descriptor: DescriptorView<'p>,
        bytes: &'c [u8],
    ) -> Event<'p, 'c> {
        match self {
            Mark::Descriptor(outcome) => Event::Descriptor(descriptor, outcome),
            Mark::Payload {
                buffer,
                offset,
                last,
                ..
            } => Event::Payload(Payload {
                buffer,
                offset,
                last,
                bytes,
            }),
            Mark::TensorEnd(outcome) => Event::TensorEnd(outcome),
        }
    }
}
