//! A descriptor in named steps.

use alloc::vec::Vec;

use super::descriptor::TensorDescriptor;
use super::layout::LayoutDescriptor;
use super::values::zeros;
use super::{AlignedBuffer, Buffer, Error, QuantizationDescriptor, Shape, ShardDescriptor, Tensor};
use crate::address::SubBox;
use crate::check;
use crate::descriptor::DescriptorSpec;
use crate::model::{BufferHandle, ExtensionType, Fields, Quantization, Statistics, U64s};
use crate::policy::Policy;
use crate::value::element::Scalar;
use crate::value::{ValueError, all_given, dense, quantize, store};
use crate::wire::descriptor::{
    MAX_BUFFERS, MIN_BUFFER_ALIGNMENT, NO_BUFFER, VERSION_MAJOR, VERSION_MINOR,
};
use crate::wire::tag::{ElementType, MemberRole};

/// What a [`TensorDescriptor`] is made of, step by step; see [`TensorDescriptor::builder`].
///
/// ```
/// use hrry::owned::descriptor::TensorDescriptor;
/// use hrry::owned::layout::{CooLayout, LayoutDescriptor};
/// use hrry::owned::{BufferHandle, ElementType, Shape, ShardDescriptor};
///
/// // two of 64 elements stored, 16 bytes of indices each
/// let tensor = TensorDescriptor::builder(ElementType::Float16, Shape::new(vec![8, 8])?)
///     .layout(LayoutDescriptor::Coo(CooLayout::new(2, true)))
///     .buffer(BufferHandle::cpu(4, 64))
///     .buffer(BufferHandle::cpu(32, 64))
///     .shard(ShardDescriptor::new(vec![8, 16], vec![0, 8])?)
///     .build()?;
/// assert_eq!(tensor.buffers().len(), 2);
/// # Ok::<(), hrry::owned::Error>(())
/// ```
#[derive(Clone, Debug)]
#[must_use = "a builder does nothing until it builds"]
pub struct TensorDescriptorBuilder {
    pub(super) version: (u8, u8),
    pub(super) element_type: ElementType,
    pub(super) shape: Shape,
    pub(super) byte_offset: u64,
    pub(super) layout: LayoutDescriptor,
    pub(super) buffers: Vec<BufferHandle>,
    pub(super) quantization: Option<QuantizationDescriptor>,
    pub(super) shard: Option<ShardDescriptor>,
    pub(super) statistics: Option<Statistics>,
    pub(super) extension_type: Option<ExtensionType>,
    pub(super) member_role: Option<MemberRole>,
}

impl TensorDescriptorBuilder {
    /// Bytes from the start of buffer 0 to the first element.
    pub fn byte_offset(mut self, byte_offset: u64) -> Self {
        self.byte_offset = byte_offset;
        self
    }

    /// How elements are placed.
    pub fn layout(mut self, layout: LayoutDescriptor) -> Self {
        self.layout = layout;
        self
    }

    /// One more buffer.
    pub fn buffer(mut self, buffer: BufferHandle) -> Self {
        self.buffers.push(buffer);
        self
    }

    /// All buffers, in the place of those that there are.
    pub fn buffers(mut self, buffers: impl Into<Vec<BufferHandle>>) -> Self {
        self.buffers = buffers.into();
        self
    }

    /// The quantization scheme.
    pub fn quantization(mut self, quantization: QuantizationDescriptor) -> Self {
        self.quantization = Some(quantization);
        self
    }

    /// The place in a larger tensor.
    pub fn shard(mut self, shard: ShardDescriptor) -> Self {
        self.shard = Some(shard);
        self
    }

    /// Facts about the values.
    pub fn statistics(mut self, statistics: Statistics) -> Self {
        self.statistics = Some(statistics);
        self
    }

    /// What a private element type is.
    pub fn extension_type(mut self, extension_type: ExtensionType) -> Self {
        self.extension_type = Some(extension_type);
        self
    }

    /// What the tensor is to its overlay.
    pub fn member_role(mut self, member_role: MemberRole) -> Self {
        self.member_role = Some(member_role);
        self
    }

    /// The version that the descriptor states; that of this library unless something else is said.
    pub fn version(mut self, version_major: u8, version_minor: u8) -> Self {
        self.version = (version_major, version_minor);
        self
    }

    /// Calls with everything that was said.
    fn lend<R>(&self, f: impl FnOnce(&DescriptorSpec<'_>) -> R) -> R {
        self.layout.lend(|layout| {
            f(&DescriptorSpec {
                element_type: self.element_type,
                shape: U64s::Native(&self.shape),
                byte_offset: self.byte_offset,
                layout,
                buffers: &self.buffers,
                quantization: self.quantization.as_ref().map(QuantizationDescriptor::lend),
                shard: self.shard.as_ref().map(ShardDescriptor::lend),
                statistics: self.statistics,
                extension_type: self.extension_type,
                member_role: self.member_role,
            })
        })
    }

    /// The tensor with those numbers as its elements, in buffers of the size that the layout needs; the other
    /// way round from [`Tensor::to_vec`].
    ///
    /// `values` are all elements, last dimension fastest, of any dense layout; [`Scalar`] says which numbers go with
    /// which types. Buffers that were named before are left out. Codes of a quantized tensor are chosen by
    /// [`quantize`](Self::quantize).
    ///
    /// ```
    /// use hrry::owned::layout::LayoutDescriptor;
    /// use hrry::owned::{ElementType, Shape, TensorDescriptor};
    /// let tensor = TensorDescriptor::builder(ElementType::Float16, Shape::new(vec![2, 3])?)
    ///     .layout(LayoutDescriptor::ColumnMajor)
    ///     .values(&[1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0])?;
    /// assert_eq!(tensor.buffer(0).unwrap()[..4], [0x00, 0x3C, 0x00, 0x44]); // 1 and, below it, 4
    /// assert_eq!(tensor.to_vec::<f32>()?, [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    /// # Ok::<(), hrry::owned::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Values`]: another count of numbers than elements; numbers that the type does not have, as
    /// [`element::encode`](crate::element::encode) tells; a layout that is not dense; a quantized tensor. As
    /// [`build`](Self::build); [`Error::Memory`].
    pub fn values<T: Scalar>(self, values: &[T]) -> Result<Tensor, Error> {
        // a sparse one would be refused for the buffers that it misses
        self.lend(|spec| dense(&spec.layout))?;
        self.filled(0, values.len(), |descriptor, buffers| {
            let buffer = buffers.first_mut().map_or(&mut [][..], |buffer| buffer);
            store(descriptor, values, buffer)
        })
    }

    /// The tensor that stores those numbers in codes of its quantization scheme: buffers of the sizes that layout and
    /// scheme need, and in them codes, scales and zero points as [`quantize`] chooses them.
    ///
    /// `values` are all elements, last dimension fastest. Buffers that were named before are left out. A tensor
    /// without a scheme takes its numbers by [`values`](Self::values).
    ///
    /// ```
    /// use hrry::owned::{ElementType, PerBlockAffine, QuantizationDescriptor, Shape, TensorDescriptor};
    /// let scheme = PerBlockAffine::new_symmetric(1, 2, 1, ElementType::Float16)?;
    /// let tensor = TensorDescriptor::builder(ElementType::Int8, Shape::new(vec![2, 4])?)
    ///     .quantization(QuantizationDescriptor::PerBlockAffine(scheme))
    ///     .quantize(&[127.0, 0.0, 254.0, -2.0, 0.0, 0.0, 12.7, 6.3])?;
    /// let back = tensor.to_vec::<f32>()?;
    /// assert_eq!(back[..6], [127.0, 0.0, 254.0, -2.0, 0.0, 0.0]);
    /// # Ok::<(), hrry::owned::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Values`] as [`quantize`]; as [`build`](Self::build); [`Error::Memory`].
    pub fn quantize(self, values: &[f32]) -> Result<Tensor, Error> {
        let scheme = self.quantization.as_ref().map(QuantizationDescriptor::lend);
        let last = match scheme {
            Some(Quantization::Buffers(p)) => match p.zero_point_buffer_index {
                NO_BUFFER => p.scale_buffer_index,
                zeros => zeros.max(p.scale_buffer_index),
            },
            _ => 0,
        };
        self.filled(last, values.len(), |descriptor, buffers| {
            quantize(descriptor, values, buffers)
        })
    }

    /// The tensor whose buffers, up to the last one, have the sizes that it needs, and what `fill` writes for so many
    /// numbers.
    fn filled(
        mut self,
        last: u32,
        given: usize,
        fill: impl FnOnce(&TensorDescriptor, &mut [&mut [u8]]) -> Result<(), ValueError>,
    ) -> Result<Tensor, Error> {
        let sizes = (0..=last).take(MAX_BUFFERS);
        let sizes: Vec<u64> = self.lend(|spec| {
            let size = |k| check::needed_bytes(spec, k).unwrap_or(0);
            sizes.map(size).collect()
        });
        let handle = |size: &u64| BufferHandle::cpu(*size, MIN_BUFFER_ALIGNMENT);
        self.buffers = sizes.iter().map(handle).collect();
        let descriptor = self.build()?;
        // a shape that the numbers do not fill costs no memory
        all_given(SubBox::whole(descriptor.shape()), given)?;
        let mut bytes = Vec::new();
        for size in sizes {
            bytes.push(zeros(Some(size))?);
        }
        let mut slices: Vec<&mut [u8]> = bytes
            .iter_mut()
            .map(|bytes: &mut Vec<u8>| &mut bytes[..])
            .collect();
        fill(&descriptor, &mut slices)?;
        let buffers: Result<Vec<Buffer>, _> = bytes
            .iter()
            .map(|bytes| AlignedBuffer::copy_of(bytes).map(Buffer::from))
            .collect();
        Tensor::new(descriptor, buffers?)
    }

    /// The descriptor, as a strict reader takes it.
    ///
    /// # Errors
    ///
    /// As [`build_with`](Self::build_with).
    pub fn build(self) -> Result<TensorDescriptor, Error> {
        self.build_with(&Policy::STRICT)
    }

    /// The descriptor, as a reader with that policy takes it.
    ///
    /// # Errors
    ///
    /// Everything that [`check::descriptor`](crate::check::descriptor) refuses; LAYOUT-02; DESC-21; VER-01
    /// and VER-02 of the version.
    pub fn build_with(self, policy: &Policy) -> Result<TensorDescriptor, Error> {
        let mut built = self.lend(|spec| TensorDescriptor::from_fields(spec, policy))?;
        if self.version != (VERSION_MAJOR, VERSION_MINOR) {
            built.state_version(self.version, policy)?;
        }
        Ok(built)
    }
}
