//! A descriptor with the bytes that it describes.

use alloc::vec::Vec;

use super::buffers::Buffers;
use super::descriptor::TensorDescriptor;
use super::{Buffer, Error};
use crate::wire::length;

/// A tensor: a descriptor and the bytes of each of its buffers.
///
/// From numbers it is made by the builder: [`values`](super::TensorDescriptorBuilder::values), or
/// [`quantize`](super::TensorDescriptorBuilder::quantize) where it has a quantization scheme. Its numbers are read by
/// [`to_vec`](Self::to_vec).
///
/// ```
/// use hrry::owned::{Buffer, BufferHandle, ElementType, Shape, Tensor, TensorDescriptor};
/// let descriptor = TensorDescriptor::builder(ElementType::UInt8, Shape::new(vec![4])?)
///     .buffer(BufferHandle::cpu(4, 64))
///     .build()?;
/// let tensor = Tensor::new(descriptor.clone(), vec![Buffer::from(vec![1, 2, 3, 4])])?;
/// assert_eq!(tensor.buffer(0).unwrap()[..], [1, 2, 3, 4]);
/// assert!(Tensor::new(descriptor, vec![Buffer::empty()]).is_err());
/// # Ok::<(), hrry::owned::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tensor {
    descriptor: TensorDescriptor,
    buffers: Buffers,
}

impl Tensor {
    /// A tensor whose buffers have the sizes that its descriptor states, in table order.
    ///
    /// # Errors
    ///
    /// [`Error::HeadUnexpected`], [`Error::BufferCount`], [`Error::BufferSize`].
    pub fn new(descriptor: TensorDescriptor, buffers: Vec<Buffer>) -> Result<Self, Error> {
        Tensor::with_buffers(descriptor, Buffers::Many(buffers))
    }

    /// As [`new`](Self::new).
    pub(super) fn with_buffers(
        descriptor: TensorDescriptor,
        buffers: Buffers,
    ) -> Result<Self, Error> {
        if descriptor.is_head() {
            return Err(Error::HeadUnexpected);
        }
        let handles = descriptor.buffers();
        if handles.len() != buffers.len() {
            return Err(Error::BufferCount {
                expected: handles.len(),
                actual: buffers.len(),
            });
        }
        for ((k, handle), bytes) in handles.enumerate().zip(buffers.iter()) {
            let actual = length(bytes.len());
            if actual != handle.byte_size {
                return Err(Error::BufferSize {
                    buffer: k,
                    expected: handle.byte_size,
                    actual,
                });
            }
        }
        Ok(Tensor {
            descriptor,
            buffers,
        })
    }

    /// The descriptor.
    #[must_use]
    pub const fn descriptor(&self) -> &TensorDescriptor {
        &self.descriptor
    }

    /// The buffers, in table order.
    #[must_use]
    pub fn buffers(&self) -> &[Buffer] {
        &self.buffers
    }

    /// The buffer at `index`, if it exists.
    #[must_use]
    pub fn buffer(&self, index: usize) -> Option<&Buffer> {
        self.buffers.get(index)
    }

    /// Descriptor and buffers apart.
    #[must_use]
    pub fn into_parts(self) -> (TensorDescriptor, Vec<Buffer>) {
        (self.descriptor, self.buffers.into_vec())
    }
}
