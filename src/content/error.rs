//! What is wrong inside a buffer, and where.

use core::fmt;

use crate::error::{Error, ErrorKind};
use crate::model::Fields;
use crate::rule::Rule;

/// A broken content rule, or too little memory to judge one, with its place in a buffer.
///
/// ```
/// use hrry::{BufferHandle, DescriptorSpec, ElementType, Layout, Policy, Rule, check_content};
///
/// // three booleans, and a bit behind them
/// let buffers = [BufferHandle::cpu(1, 64)];
/// let spec = DescriptorSpec::new(ElementType::Bool, &[3], Layout::RowMajor, &buffers);
/// let error = check_content(&spec, &[[0b1101]], &mut [], &Policy::STRICT).unwrap_err();
/// assert_eq!(error.rule(), Some(Rule::BoolPadding));
/// // where the buffer starts at byte 4096 of a file
/// assert_eq!(error.placed(4096).offset(), 4096);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub struct ContentError {
    /// What is wrong: a broken rule, whose field names the buffer, or a capacity.
    pub kind: ErrorKind,
    /// The number of the buffer.
    pub buffer: u8,
    /// Which entry of the field it is. In buffers of elements the byte, or the group of three bytes, behind
    /// `byte_offset`; in `indices` of COO each coordinate is an entry.
    pub index: u64,
    /// The first byte of that entry in its buffer.
    pub offset: u64,
}

impl ContentError {
    /// The broken rule; none for a capacity.
    #[must_use]
    pub const fn rule(&self) -> Option<Rule> {
        self.kind.rule()
    }

    /// With its absolute place, where the buffer starts at `start`.
    #[must_use]
    pub const fn placed(&self, start: u64) -> Error {
        Error::new(self.kind, start.saturating_add(self.offset))
    }

    /// With its absolute place in a stream, where the first buffer starts at `start`, which is the decoder's position
    /// behind the descriptor, and the others follow without gaps.
    ///
    /// ```
    /// use hrry::{ContentScan, Event, FixedDecoder, Policy};
    /// # use hrry::{BufferHandle, DescriptorSpec, DescriptorView, ElementType, Layout, encode};
    /// # let buffers = [BufferHandle::cpu(1, 64)];
    /// # let spec = DescriptorSpec::new(ElementType::UInt4, &[1], Layout::RowMajor, &buffers);
    /// # let mut stream = [0x1F; 54];
    /// # assert_eq!(encode(&spec, &mut stream, &Policy::STRICT)?, 53);
    /// let mut decoder = FixedDecoder::<256, 64>::new(Policy::STRICT);
    /// let mut input = &stream[..];
    /// let mut open = None;
    /// while let Some(event) = decoder.next_event(&mut input)? {
    ///     match event {
    ///         Event::Descriptor(d, _) => {
    ///             let scan = ContentScan::new(&d, &Policy::STRICT);
    ///             let start = decoder.offset();
    ///             open = Some((scan, start));
    ///         }
    ///         Event::Payload(p) => {
    ///             let (Some((scan, start)), Some(d)) = (&mut open, decoder.current()) else { continue };
    ///             let kept: &[&[u8]] = &[];
    ///             let error = scan.payload(&d, p.buffer, p.offset, p.bytes, kept).unwrap_err();
    ///             // a nibble behind the only element, in the byte behind the descriptor
    ///             assert_eq!(error.in_stream(&d, *start).offset(), 53);
    ///         }
    ///         _ => {}
    ///     }
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn in_stream<F: Fields + ?Sized>(&self, d: &F, start: u64) -> Error {
        let before = (0..usize::from(self.buffer)).map_while(|k| d.buffer(k));
        self.placed(before.fold(start, |at, buffer| at.saturating_add(buffer.byte_size)))
    }
}

impl fmt::Display for ContentError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ContentError {
            kind,
            buffer,
            offset,
            ..
        } = self;
        write!(f, "{kind} at byte {offset} of buffer {buffer}")
    }
}

impl core::error::Error for ContentError {}
