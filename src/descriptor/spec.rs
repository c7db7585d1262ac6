//! A descriptor as values, for writing.

use crate::model::{
    Array, BufferHandle, ExtensionType, Fields, Layout, Quantization, Shard, Statistics, U64s,
};
use crate::wire::tag::{ElementType, MemberRole};

/// A descriptor as plain borrowed values, for writing.
///
/// ```
/// use hrry::{BufferHandle, DescriptorSpec, ElementType, Layout, Shard};
///
/// let buffers = [BufferHandle::cpu(128, 64)];
/// let member = DescriptorSpec {
///     shard: Some(Shard { parent_shape: (&[8, 8]).into(), shard_offset: (&[0, 4]).into() }),
///     ..DescriptorSpec::new(ElementType::Float32, &[8, 4], Layout::RowMajor, &buffers)
/// };
/// assert_eq!(hrry::encoded_len(&member), Ok(93));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct DescriptorSpec<'a> {
    /// Type of the elements.
    pub element_type: ElementType,
    /// The dimensions, at most 64; `u64::MAX` is dynamic.
    pub shape: U64s<'a>,
    /// Bytes from the start of buffer 0 to the first element.
    pub byte_offset: u64,
    /// How elements are placed.
    pub layout: Layout<'a>,
    /// The buffers, at most 255.
    pub buffers: &'a [BufferHandle],
    /// The quantization scheme.
    pub quantization: Option<Quantization<'a>>,
    /// The place in a larger tensor.
    pub shard: Option<Shard<'a>>,
    /// Facts about the values.
    pub statistics: Option<Statistics>,
    /// What a private element type is.
    pub extension_type: Option<ExtensionType>,
    /// What the tensor is to its overlay.
    pub member_role: Option<MemberRole>,
}

impl<'a> DescriptorSpec<'a> {
    /// A tensor without optional sections.
    #[must_use]
    pub const fn new(
        element_type: ElementType,
        shape: &'a [u64],
        layout: Layout<'a>,
        buffers: &'a [BufferHandle],
    ) -> Self {
        DescriptorSpec {
            element_type,
            shape: Array::Native(shape),
            byte_offset: 0,
            layout,
            buffers,
            quantization: None,
            shard: None,
            statistics: None,
            extension_type: None,
            member_role: None,
        }
    }
}

impl Fields for DescriptorSpec<'_> {
    #[inline]
    fn element_type(&self) -> ElementType {
        self.element_type
    }

    #[inline]
    fn shape(&self) -> U64s<'_> {
        self.shape
    }

    #[inline]
    fn byte_offset(&self) -> u64 {
        self.byte_offset
    }

    #[inline]
    fn layout(&self) -> Layout<'_> {
        self.layout
    }

    #[inline]
    fn buffer_count(&self) -> usize {
        self.buffers.len()
    }

    #[inline]
    fn buffer(&self, index: usize) -> Option<BufferHandle> {
        self.buffers.get(index).copied()
    }

    #[inline]
    fn quantization(&self) -> Option<Quantization<'_>> {
        self.quantization
    }

    #[inline]
    fn shard(&self) -> Option<Shard<'_>> {
        self.shard
    }

    #[inline]
    fn statistics(&self) -> Option<Statistics> {
        self.statistics
    }

    #[inline]
    fn extension_type(&self) -> Option<ExtensionType> {
        self.extension_type
    }

    #[inline]
    fn member_role(&self) -> Option<MemberRole> {
        self.member_role
    }
}
