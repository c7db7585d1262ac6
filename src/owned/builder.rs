//! A descriptor in named steps.

use alloc::vec::Vec;

use super::descriptor::TensorDescriptor;
use super::layout::LayoutDescriptor;
use super::{Error, QuantizationDescriptor, Shape, ShardDescriptor};
use crate::descriptor::DescriptorSpec;
use crate::model::{BufferHandle, ExtensionType, Statistics, U64s};
use crate::policy::Policy;
use crate::wire::descriptor::{VERSION_MAJOR, VERSION_MINOR};
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
        let mut built = self.layout.lend(|layout| {
            let spec = DescriptorSpec {
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
            };
            TensorDescriptor::from_fields(&spec, policy)
        })?;
        if self.version != (VERSION_MAJOR, VERSION_MINOR) {
            built.state_version(self.version, policy)?;
        }
        Ok(built)
    }
}
