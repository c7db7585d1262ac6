//! One logical descriptor, however it is stored.
//!
//! Depends on the wire level. [`Fields`] is what checks, encoders and validators ask; a borrowed view, a
//! plain specification and an owned descriptor answer. Nothing here judges a value.

use crate::wire::descriptor::{NO_BUFFER, tile_level_len};
use crate::wire::tag::{
    BlockTableIndexType, CombineOp, CompositionRule, DeviceTag, ElementType, KvRole, LayoutTag,
    MemberRole, MemoryClass, Scheme, SyncMode,
};
use crate::wire::{Number, index, u8};

/// A borrowed array of numbers: little-endian bytes of any alignment, or native numbers.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Array<'a, T> {
    /// Little-endian bytes; the length is a multiple of the number's width.
    Le(&'a [u8]),
    /// Numbers in memory.
    Native(&'a [T]),
}

/// Dimensions, offsets.
pub type U64s<'a> = Array<'a, u64>;
/// Strides.
pub type I64s<'a> = Array<'a, i64>;
/// Bit counts, mode orders.
pub type U32s<'a> = Array<'a, u32>;

impl<'a, T: Number> Array<'a, T> {
    /// An array of length 0.
    pub const EMPTY: Self = Array::Native(&[]);

    /// How many numbers there are.
    #[must_use]
    #[inline]
    pub fn len(&self) -> usize {
        match self {
            Array::Le(bytes) => bytes.len().checked_div(T::WIDTH).unwrap_or(0),
            Array::Native(numbers) => numbers.len(),
        }
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The number at `index`, if it exists.
    #[must_use]
    #[inline]
    pub fn get(&self, index: usize) -> Option<T> {
        match self {
            Array::Le(bytes) => T::at(bytes, index),
            Array::Native(numbers) => numbers.get(index).copied(),
        }
    }

    /// The number at `index`; 0 where there is none, for arrays whose length was checked.
    #[inline]
    pub(crate) fn at(&self, index: u32) -> T
    where
        T: Default,
    {
        self.get(crate::wire::index(index)).unwrap_or_default()
    }

    /// The numbers in order.
    #[inline]
    pub fn iter(&self) -> ArrayIter<'a, T> {
        ArrayIter(*self)
    }

    /// Fills `out` from the front and returns how many numbers were there.
    pub fn copy_to(&self, out: &mut [T]) -> usize {
        let count = self.len().min(out.len());
        if let Some(out) = out.get_mut(..count) {
            match self {
                Array::Le(bytes) => {
                    if let Some(bytes) = bytes.get(..count.wrapping_mul(T::WIDTH)) {
                        T::read_into(bytes, out);
                    }
                }
                Array::Native(numbers) => {
                    for (out, number) in out.iter_mut().zip(*numbers) {
                        *out = *number;
                    }
                }
            }
        }
        count
    }
}

impl<T: Number> PartialEq for Array<'_, T> {
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len() && self.iter().eq(other.iter())
    }
}

impl<'a, T> From<&'a [T]> for Array<'a, T> {
    fn from(numbers: &'a [T]) -> Self {
        Array::Native(numbers)
    }
}

impl<'a, T, const N: usize> From<&'a [T; N]> for Array<'a, T> {
    fn from(numbers: &'a [T; N]) -> Self {
        Array::Native(numbers)
    }
}

impl<'a, T: Number> IntoIterator for Array<'a, T> {
    type Item = T;
    type IntoIter = ArrayIter<'a, T>;
    fn into_iter(self) -> ArrayIter<'a, T> {
        ArrayIter(self)
    }
}

/// The numbers of an [`Array`].
#[derive(Clone, Copy, Debug)]
pub struct ArrayIter<'a, T>(Array<'a, T>);

impl<T: Number> Iterator for ArrayIter<'_, T> {
    type Item = T;

    #[inline]
    fn next(&mut self) -> Option<T> {
        match &mut self.0 {
            Array::Le(bytes) => T::split(bytes),
            Array::Native(numbers) => {
                let (first, rest) = numbers.split_first()?;
                *numbers = rest;
                Some(*first)
            }
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let len = self.0.len();
        (len, Some(len))
    }
}

impl<T: Number> ExactSizeIterator for ArrayIter<'_, T> {}

/// The bits of an IEEE 754 binary32 number; the codec never computes with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct F32Bits(pub u32);

/// The bits of an IEEE 754 binary64 number; the codec never computes with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct F64Bits(pub u64);

impl From<f32> for F32Bits {
    fn from(value: f32) -> Self {
        F32Bits(value.to_bits())
    }
}

impl From<f64> for F64Bits {
    fn from(value: f64) -> Self {
        F64Bits(value.to_bits())
    }
}

/// One buffer as the buffer table describes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct BufferHandle {
    /// Bytes; 0 for an empty buffer.
    pub byte_size: u64,
    /// A power of two; at least 64 unless the buffer is empty.
    pub alignment: u32,
    /// Where the buffer is.
    pub device_tag: DeviceTag,
    /// What a consumer waits for.
    pub sync_mode: SyncMode,
    /// Who reaches it.
    pub memory_class: MemoryClass,
}

impl BufferHandle {
    /// A buffer in host memory, synchronised by its producer.
    #[must_use]
    pub const fn cpu(byte_size: u64, alignment: u32) -> Self {
        BufferHandle {
            byte_size,
            alignment,
            device_tag: DeviceTag::Cpu,
            sync_mode: SyncMode::ProducerSynced,
            memory_class: MemoryClass::Standard,
        }
    }
}

/// How elements are placed, with what the layout adds to the descriptor.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum Layout<'a> {
    /// Last dimension fastest.
    RowMajor,
    /// First dimension fastest.
    ColumnMajor,
    /// One step, in elements, for each dimension; negative and zero steps are legal.
    Strided {
        /// Elements from one index to the next.
        strides: I64s<'a>,
    },
    /// Tiles, possibly of tiles.
    Tiled(Tiled<'a>),
    /// Z-order curve.
    Morton {
        /// Bits of each dimension's index.
        morton_bits: U32s<'a>,
    },
    /// Coordinate list.
    Coo {
        /// Stored elements.
        nnz: u64,
        /// Whether coordinates strictly increase.
        is_sorted: bool,
    },
    /// Compressed rows.
    Csr {
        /// Stored elements.
        nnz: u64,
    },
    /// Compressed columns.
    Csc {
        /// Stored elements.
        nnz: u64,
    },
    /// Compressed fibres.
    Csf {
        /// Stored elements.
        nnz: u64,
        /// Which dimension each level of the tree stands for.
        mode_order: U32s<'a>,
    },
    /// Pages addressed through a block table.
    BlockPaged(BlockPaged),
    /// The data-less head of a composite.
    Composite(CompositeHead),
    /// Hilbert curve.
    Hilbert {
        /// Every dimension is `2^hilbert_order`.
        hilbert_order: u32,
        /// Dimensions of the curve; the rank.
        hilbert_rank: u32,
    },
    /// A layout outside the specification.
    Private {
        /// `0xF0..=0xFE`.
        tag: LayoutTag,
        /// Which one it is, by agreement.
        extension_layout_id: u64,
        /// Its own description.
        extension_data: &'a [u8],
    },
    /// A tag without a meaning, seen in permissive mode only: nothing behind `byte_offset` can be read.
    Unknown(LayoutTag),
}

impl Layout<'_> {
    /// The tag on the wire.
    #[must_use]
    pub const fn tag(&self) -> LayoutTag {
        match self {
            Layout::RowMajor => LayoutTag::RowMajor,
            Layout::ColumnMajor => LayoutTag::ColumnMajor,
            Layout::Strided { .. } => LayoutTag::Strided,
            Layout::Tiled(_) => LayoutTag::Tiled,
            Layout::Morton { .. } => LayoutTag::Morton,
            Layout::Coo { .. } => LayoutTag::Coo,
            Layout::Csr { .. } => LayoutTag::Csr,
            Layout::Csc { .. } => LayoutTag::Csc,
            Layout::Csf { .. } => LayoutTag::Csf,
            Layout::BlockPaged(_) => LayoutTag::BlockPaged,
            Layout::Composite(_) => LayoutTag::Composite,
            Layout::Hilbert { .. } => LayoutTag::Hilbert,
            Layout::Private { tag, .. } | Layout::Unknown(tag) => *tag,
        }
    }
}

/// What a block-paged layout adds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct BlockPaged {
    /// Token slots of a page.
    pub page_size: u32,
    /// Pages of the pool.
    pub num_pages: u64,
    /// The paged dimension; 0.
    pub paged_axis: u32,
    /// Sequences of the batch.
    pub num_seqs: u32,
    /// Keys, values or both.
    pub kv_role: KvRole,
    /// The model layer; `0xFFFFFFFF` for none.
    pub layer_index: u32,
    /// Width of page numbers and sequence pointers.
    pub block_table_index_type: BlockTableIndexType,
}

/// What a composite head adds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct CompositeHead {
    /// What the members are to the head.
    pub composition_rule: CompositionRule,
    /// How overlay members combine.
    pub combine_op: CombineOp,
    /// Items that follow and belong to the head.
    pub member_count: u32,
}

/// The levels of a tiled layout, outermost first.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Tiled<'a> {
    /// Wire bytes of all levels.
    Le {
        /// The layout payload.
        payload: &'a [u8],
        /// Rank of the tensor.
        rank: u32,
    },
    /// Levels in memory.
    Native(&'a [TiledLevel<'a>]),
}

/// One level of tiling.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct TiledLevel<'a> {
    /// Elements of a tile along each dimension.
    pub tile_shape: U64s<'a>,
    /// Order of the tiles: row-major, column-major or strided.
    pub outer_layout: LayoutTag,
    /// Order inside a tile: row-major, column-major, strided, or tiled again by the next level.
    pub inner_layout: LayoutTag,
    /// Steps between tiles, in tiles; empty unless `outer_layout` is strided.
    pub outer_strides: I64s<'a>,
    /// Steps inside a tile, in elements; empty unless `inner_layout` is strided.
    pub inner_strides: I64s<'a>,
}

impl<'a> Tiled<'a> {
    /// The levels, outermost first.
    #[must_use]
    pub fn levels(&self) -> Levels<'a> {
        Levels(*self)
    }
}

impl PartialEq for Tiled<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.levels().eq(other.levels())
    }
}

/// The levels of a [`Tiled`] layout.
#[derive(Clone, Copy, Debug)]
pub struct Levels<'a>(Tiled<'a>);

impl<'a> Iterator for Levels<'a> {
    type Item = TiledLevel<'a>;

    fn next(&mut self) -> Option<TiledLevel<'a>> {
        match &mut self.0 {
            Tiled::Le { payload, rank } => {
                let array = index(*rank).wrapping_mul(8);
                let (tile_shape, tags) = payload.split_at_checked(array)?;
                let (outer, inner) = (LayoutTag(u8(tags, 0)), LayoutTag(u8(tags, 1)));
                let len = index(tile_level_len(*rank, outer, inner));
                let (level, rest) = payload.split_at_checked(len)?;
                *payload = rest;
                let strides = level.get(array.wrapping_add(4)..)?;
                let outer_len = if outer == LayoutTag::Strided {
                    array
                } else {
                    0
                };
                let (outer_strides, inner_strides) = strides.split_at_checked(outer_len)?;
                Some(TiledLevel {
                    tile_shape: Array::Le(tile_shape),
                    outer_layout: outer,
                    inner_layout: inner,
                    outer_strides: Array::Le(outer_strides),
                    inner_strides: Array::Le(inner_strides),
                })
            }
            Tiled::Native(levels) => {
                let (first, rest) = levels.split_first()?;
                *levels = rest;
                Some(*first)
            }
        }
    }
}

/// A quantization scheme and its parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum Quantization<'a> {
    /// One scale and zero point for the whole tensor, in the descriptor.
    PerTensor {
        /// Scheme flags; none are defined.
        flags: u16,
        /// Finite and not zero.
        scale: F32Bits,
        /// A value of the storage type.
        zero_point: i32,
    },
    /// Parameters in buffers, for each channel or block.
    Buffers(Parameters),
    /// A scheme without a known meaning.
    Other {
        /// Its tag.
        scheme: Scheme,
        /// Everything behind `quantization_length`.
        bytes: &'a [u8],
    },
}

/// Where the parameters of the per-channel, per-block, NF4 and MXFP schemes are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Parameters {
    /// Which scheme.
    pub scheme: Scheme,
    /// Scheme flags: [`Parameters::SYMMETRIC`].
    pub flags: u16,
    /// The dimension that channels or blocks run along.
    pub axis: u32,
    /// Elements of a block; 0 for the per-channel scheme.
    pub block_size: u32,
    /// The buffer of the scales.
    pub scale_buffer_index: u32,
    /// The buffer of the zero points; `0xFFFFFFFF` for none.
    pub zero_point_buffer_index: u32,
    /// Type of the scales: float32, for the per-block scheme also float16 or bfloat16, for MXFP float8_e8m0.
    pub scale_type: ElementType,
}

impl Parameters {
    /// Flag of the per-channel and per-block schemes: every zero point is 0.
    pub const SYMMETRIC: u16 = 1;

    const fn new(scheme: Scheme, axis: u32, block_size: u32, scale_buffer_index: u32) -> Self {
        Parameters {
            scheme,
            flags: 0,
            axis,
            block_size,
            scale_buffer_index,
            zero_point_buffer_index: NO_BUFFER,
            scale_type: ElementType::Float32,
        }
    }

    const fn zero_points(mut self, buffer: Option<u32>) -> Self {
        match buffer {
            Some(index) => self.zero_point_buffer_index = index,
            None => self.flags = Self::SYMMETRIC,
        }
        self
    }
}

impl<'a> Quantization<'a> {
    /// Per-tensor affine.
    #[must_use]
    pub const fn per_tensor(scale: F32Bits, zero_point: i32) -> Self {
        Quantization::PerTensor {
            flags: 0,
            scale,
            zero_point,
        }
    }

    /// Per-channel affine; symmetric without a zero-point buffer.
    #[must_use]
    pub const fn per_channel(axis: u32, scales: u32, zero_points: Option<u32>) -> Self {
        Quantization::Buffers(
            Parameters::new(Scheme::PerChannelAffine, axis, 0, scales).zero_points(zero_points),
        )
    }

    /// Per-block affine; symmetric without a zero-point buffer.
    #[must_use]
    pub const fn per_block(
        axis: u32,
        block_size: u32,
        scales: u32,
        zero_points: Option<u32>,
        scale_type: ElementType,
    ) -> Self {
        let mut parameters = Parameters::new(Scheme::PerBlockAffine, axis, block_size, scales)
            .zero_points(zero_points);
        parameters.scale_type = scale_type;
        Quantization::Buffers(parameters)
    }

    /// NF4: 4-bit codes of a fixed table, scaled for each block.
    #[must_use]
    pub const fn nf4(axis: u32, block_size: u32, scales: u32) -> Self {
        Quantization::Buffers(Parameters::new(Scheme::Nf4, axis, block_size, scales))
    }

    /// MXFP: small floats with a power-of-two scale for each block.
    #[must_use]
    pub const fn mxfp(axis: u32, block_size: u32, scales: u32) -> Self {
        let mut parameters = Parameters::new(Scheme::Mxfp, axis, block_size, scales);
        parameters.scale_type = ElementType::Float8E8M0;
        Quantization::Buffers(parameters)
    }

    /// The scheme's tag.
    #[must_use]
    pub const fn scheme(&self) -> Scheme {
        match self {
            Quantization::PerTensor { .. } => Scheme::PerTensorAffine,
            Quantization::Buffers(parameters) => parameters.scheme,
            Quantization::Other { scheme, .. } => *scheme,
        }
    }
}

/// Where a tensor lies in a larger one.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Shard<'a> {
    /// Shape of the larger tensor.
    pub parent_shape: U64s<'a>,
    /// First index of this tensor in it.
    pub shard_offset: U64s<'a>,
}

/// Facts about the values; each is valid if its bit in `computed_mask` is set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Statistics {
    /// [`Statistics::NNZ_VALID`] and so on.
    pub computed_mask: u32,
    /// Elements that are not zero.
    pub nnz: u64,
    /// Share of zeros, 0.0 to 1.0.
    pub sparsity_ratio: F64Bits,
    /// Smallest value.
    pub value_min: F64Bits,
    /// Largest value.
    pub value_max: F64Bits,
    /// Largest magnitude.
    pub value_abs_max: F64Bits,
    /// Mean.
    pub value_mean: F64Bits,
    /// Standard deviation, not negative.
    pub value_stddev: F64Bits,
    /// At most `nm_n` values that are not zero ...
    pub nm_n: u8,
    /// ... among each `nm_m`.
    pub nm_m: u8,
    /// 1 if there is a NaN.
    pub has_nan: u8,
    /// 1 if there is an infinity.
    pub has_inf: u8,
}

impl Statistics {
    /// `nnz` is valid.
    pub const NNZ_VALID: u32 = 1;
    /// `sparsity_ratio` is valid.
    pub const SPARSITY_VALID: u32 = 1 << 1;
    /// `value_min`, `value_max` and `value_abs_max` are valid.
    pub const VALUE_RANGE_VALID: u32 = 1 << 2;
    /// `value_mean` and `value_stddev` are valid.
    pub const VALUE_STATS_VALID: u32 = 1 << 3;
    /// `nm_n` and `nm_m` are valid.
    pub const NM_SPARSITY_VALID: u32 = 1 << 4;
    /// `has_nan` and `has_inf` are valid.
    pub const NAN_INF_VALID: u32 = 1 << 5;
}

/// What a private element type is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ExtensionType {
    /// Bits of an element: 1, 2, 4 or a multiple of 8.
    pub bit_width: u32,
    /// Elements of a byte; 1 from 8 bits up.
    pub packing_factor: u8,
    /// 1 for a float, 0 for an integer.
    pub is_float: u8,
    /// 1 for a signed integer.
    pub is_signed: u8,
    /// Sign bits of a float.
    pub sign_bits: u8,
    /// Exponent bits of a float.
    pub exponent_bits: u8,
    /// Mantissa bits of a float.
    pub mantissa_bits: u8,
    /// Exponent bias of a float.
    pub exponent_bias: u32,
    /// 1 if the float has NaNs.
    pub has_nan: u8,
    /// 1 if the float has infinities.
    pub has_inf: u8,
}

/// One logical descriptor: what checks, encoders and validators ask for.
pub trait Fields {
    /// Type of the elements.
    fn element_type(&self) -> ElementType;
    /// The dimensions.
    fn shape(&self) -> U64s<'_>;
    /// Bytes from the start of buffer 0 to the first element.
    fn byte_offset(&self) -> u64;
    /// How elements are placed.
    fn layout(&self) -> Layout<'_>;
    /// How many buffers there are.
    fn buffer_count(&self) -> usize;
    /// The buffer at `index`, if it exists.
    fn buffer(&self, index: usize) -> Option<BufferHandle>;
    /// The quantization scheme, if there is one.
    fn quantization(&self) -> Option<Quantization<'_>>;
    /// The place in a larger tensor, if it has one.
    fn shard(&self) -> Option<Shard<'_>>;
    /// Facts about the values, if they are stated.
    fn statistics(&self) -> Option<Statistics>;
    /// What the private element type is, if it is one.
    fn extension_type(&self) -> Option<ExtensionType>;
    /// What the tensor is to its overlay, if it is a member of one.
    fn member_role(&self) -> Option<MemberRole>;
    /// Stream offset of byte 0, if it has one.
    fn origin(&self) -> u64 {
        0
    }
}

macro_rules! forward {
    ($($name:ident($($argument:ident: $type:ty)?) -> $result:ty;)*) => {
        impl<T: Fields + ?Sized> Fields for &T {
            $(
                #[inline]
                fn $name(&self, $($argument: $type)?) -> $result {
                    (**self).$name($($argument)?)
                }
            )*
        }
    };
}

forward! {
    element_type() -> ElementType;
    shape() -> U64s<'_>;
    byte_offset() -> u64;
    layout() -> Layout<'_>;
    buffer_count() -> usize;
    buffer(index: usize) -> Option<BufferHandle>;
    quantization() -> Option<Quantization<'_>>;
    shard() -> Option<Shard<'_>>;
    statistics() -> Option<Statistics>;
    extension_type() -> Option<ExtensionType>;
    member_role() -> Option<MemberRole>;
    origin() -> u64;
}
