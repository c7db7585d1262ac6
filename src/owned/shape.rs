//! Shapes, places in larger tensors, and handles of buffers.

use alloc::vec::Vec;
use core::ops::Deref;

use super::{Error, probe};
use crate::model::{BufferHandle, Shard, U64s};
use crate::wire::tag::{DeviceTag, MemoryClass, SyncMode};

/// The dimensions of a tensor; [`DYNAMIC`](crate::DYNAMIC) stands for one that is not known yet.
///
/// ```
/// use hrry::owned::Shape;
/// let shape = Shape::new(vec![8u64, 4])?;
/// assert_eq!((shape.rank(), &shape[..]), (2, &[8, 4][..]));
/// assert_eq!(Shape::new(vec![1; 65]).unwrap_err().rule().unwrap().id(), "DESC-09");
/// # Ok::<(), hrry::owned::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Shape(Vec<u64>);

impl Shape {
    /// The shape with these dimensions; none of them for a scalar.
    ///
    /// # Errors
    ///
    /// DESC-09 above 64 dimensions.
    pub fn new(dimensions: impl Into<Vec<u64>>) -> Result<Self, Error> {
        let dimensions = dimensions.into();
        probe::shape(&dimensions)?;
        Ok(Shape(dimensions))
    }

    /// How many dimensions there are.
    #[must_use]
    pub fn rank(&self) -> usize {
        self.0.len()
    }

    /// The dimensions.
    #[must_use]
    pub fn as_slice(&self) -> &[u64] {
        &self.0
    }
}

impl Deref for Shape {
    type Target = [u64];

    fn deref(&self) -> &[u64] {
        &self.0
    }
}

impl From<U64s<'_>> for Shape {
    fn from(dimensions: U64s<'_>) -> Self {
        Shape(dimensions.iter().collect())
    }
}

/// Where a tensor lies in a larger one.
///
/// ```
/// use hrry::owned::ShardDescriptor;
/// let shard = ShardDescriptor::new(vec![8, 8], vec![0, 4])?;
/// assert_eq!(shard.shard_offset(), [0, 4]);
/// let outside = ShardDescriptor::new(vec![8, 8], vec![0, 9]).unwrap_err();
/// assert_eq!(outside.rule().unwrap().id(), "SHARD-01");
///
/// // the same with names, judged when it is built into a descriptor
/// use hrry::Shard;
/// let named = Shard { parent_shape: (&[8, 8]).into(), shard_offset: (&[0, 4]).into() };
/// assert_eq!(ShardDescriptor::from(named), shard);
/// # Ok::<(), hrry::owned::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ShardDescriptor {
    parent_shape: Vec<u64>,
    shard_offset: Vec<u64>,
}

impl ShardDescriptor {
    /// A place in a tensor of that shape: first the shape of the larger tensor, then where this one starts in it.
    /// Whether the tensor at the place reaches out of it is judged with its shape.
    ///
    /// # Errors
    ///
    /// DESC-09 and DESC-13 of the lengths; SHARD-02 of a dynamic parent; SHARD-01 of a start outside it, which is what
    /// the two the other way round most often are.
    pub fn new(
        parent_shape: impl Into<Vec<u64>>,
        shard_offset: impl Into<Vec<u64>>,
    ) -> Result<Self, Error> {
        let shard = ShardDescriptor {
            parent_shape: parent_shape.into(),
            shard_offset: shard_offset.into(),
        };
        probe::shard(shard.lend())?;
        Ok(shard)
    }

    /// Shape of the larger tensor.
    #[must_use]
    pub fn parent_shape(&self) -> &[u64] {
        &self.parent_shape
    }

    /// First index of the tensor in it.
    #[must_use]
    pub fn shard_offset(&self) -> &[u64] {
        &self.shard_offset
    }

    pub(super) fn lend(&self) -> Shard<'_> {
        Shard {
            parent_shape: U64s::Native(&self.parent_shape),
            shard_offset: U64s::Native(&self.shard_offset),
        }
    }
}

impl From<Shard<'_>> for ShardDescriptor {
    fn from(shard: Shard<'_>) -> Self {
        ShardDescriptor {
            parent_shape: shard.parent_shape.iter().collect(),
            shard_offset: shard.shard_offset.iter().collect(),
        }
    }
}

impl BufferHandle {
    /// A buffer in standard memory of a device, checked on its own.
    ///
    /// # Errors
    ///
    /// BUF-06 and BUF-07 of the alignment; BUF-10 to BUF-12 of device and sync mode.
    pub fn new(
        byte_size: u64,
        alignment: u32,
        device_tag: DeviceTag,
        sync_mode: SyncMode,
    ) -> Result<Self, Error> {
        let handle = BufferHandle {
            byte_size,
            alignment,
            device_tag,
            sync_mode,
            memory_class: MemoryClass::Standard,
        };
        probe::handle(handle)?;
        Ok(handle)
    }
}
