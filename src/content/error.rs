//! What is wrong inside a buffer, and where.

use core::fmt;

use crate::descriptor::DescriptorView;
use crate::error::{Error, ErrorKind};
use crate::model::Fields;
use crate::rule::Rule;
use crate::wire::length;

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

    /// With its absolute place in a stream: buffers follow the descriptor and each other without gaps.
    ///
    /// ```
    /// use hrry::{BufferHandle, DescriptorSpec, DescriptorView, ElementType, Layout, Policy};
    /// # use hrry::{check_content, encode};
    /// let buffers = [BufferHandle::cpu(1, 64)];
    /// let spec = DescriptorSpec::new(ElementType::UInt4, &[1], Layout::RowMajor, &buffers);
    /// let mut bytes = [0; 64];
    /// let len = encode(&spec, &mut bytes, &Policy::STRICT)?;
    /// let (view, _) = DescriptorView::parse(&bytes[..len], &Policy::STRICT)?;
    /// let error = check_content(&view, &[[0x1F]], &mut [], &Policy::STRICT).unwrap_err();
    /// assert_eq!(error.in_stream(&view).offset(), 53);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn in_stream(&self, d: &DescriptorView<'_>) -> Error {
        let before = (0..usize::from(self.buffer)).map_while(|k| d.buffer(k));
        let descriptor = d.origin().saturating_add(length(d.as_bytes().len()));
        let start = before.fold(descriptor, |at, buffer| at.saturating_add(buffer.byte_size));
        self.placed(start)
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
